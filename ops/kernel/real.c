/* Conversions between real types, and adapters that let kernels for float and double serve the other real types. */
#include "core/graph/types.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"

void ob__apply_conversion(const ob_conversion *conversion, void *to, size_t to_size, const void *from, size_t from_size,
                          int64_t n) {
    if (conversion->n_steps == 0 && n > 0) memcpy(to, from, (size_t)n * to_size);
    if (conversion->n_steps == 1) conversion->steps[0](to, from, n);
    enum { TOGETHER = 64 };
    double between[TOGETHER];
    for (int64_t done = 0; conversion->n_steps == 2 && done < n; done += TOGETHER) {
        int64_t m = n - done < TOGETHER ? n - done : TOGETHER;
        conversion->steps[0](between, (const char *)from + done * (int64_t)from_size, m);
        conversion->steps[1]((char *)to + done * (int64_t)to_size, between, m);
    }
}

static ob_status refuse(ob_dtype to, ob_dtype from, ob_error *error) {
    return ob__fail(error, OB_E_UNSUPPORTED, "no conversion from %s to %s", ob_dtype_name(from), ob_dtype_name(to));
}

ob_status ob__convert_in_run(const ob_kernel_args *args, void *to, ob_dtype to_dtype, const void *from, ob_dtype from_dtype,
                             int64_t n, ob_error *error) {
    ob_conversion conversion = {.n_steps = 0};
    if (from_dtype != to_dtype || from_dtype == OB_BOOL)
        conversion = args->conversions->find(args->conversions, from_dtype, to_dtype);
    if (conversion.n_steps < 0) return refuse(to_dtype, from_dtype, error);
    ob__apply_conversion(&conversion, to, ob_dtype_size(to_dtype), from, ob_dtype_size(from_dtype), n);
    return OB_OK;
}

void ob__need_conversion(ob_kernel_needs *needs, ob_dtype from, ob_dtype to) {
    if (from == to && from != OB_BOOL) return;
    for (uint32_t i = 0; i < needs->n_conversions && i < OB_CONVERSIONS_MAX; i++)
        if (needs->conversions[i].from == from && needs->conversions[i].to == to) return;
    if (needs->n_conversions < OB_CONVERSIONS_MAX) {
        needs->conversions[needs->n_conversions].from = (uint8_t)from;
        needs->conversions[needs->n_conversions].to = (uint8_t)to;
    }
    needs->n_conversions++; /* above the most: too many to write */
}

ob_dtype ob__computing_type(const ob_kernel_args *args) {
    for (uint32_t i = 0; i < args->n_in; i++)
        if (args->in[i].dtype == OB_DOUBLE) return OB_DOUBLE;
    return OB_FLOAT;
}

static bool needs_conversion(const ob_view *view, ob_dtype computing) {
    return ob__dtype_is_real_or_half(view->dtype) && view->dtype != computing;
}

static bool needs_any(const ob_kernel_args *args, ob_dtype computing) {
    bool any = false;
    for (uint32_t i = 0; i < args->n_in; i++) any = any || needs_conversion(&args->in[i], computing);
    for (uint32_t i = 0; i < args->n_out; i++) any = any || needs_conversion(&args->out[i], computing);
    return any;
}

ob_status ob__plan_real(const ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    ob_dtype computing = ob__computing_type(args);
    OB_FAIL_IF(args->n_in > 8 || args->n_out > 8, error, OB_E_UNSUPPORTED, "too many operands");
    if (!needs_any(args, computing)) return OB_OK;
    OB_TRY(ob__need_scratch(needs, (int64_t)args->n_in + args->n_out, sizeof(ob_view), error));
    for (uint32_t i = 0; i < args->n_in; i++)
        if (needs_conversion(&args->in[i], computing)) {
            int64_t n = ob__count(&args->in[i]);
            ob__need_conversion(needs, args->in[i].dtype, computing);
            OB_TRY(ob__need_scratch(needs, n, ob_dtype_size(computing), error));
            /* a strided operand is made contiguous first */
            if (!ob__is_contiguous(&args->in[i])) OB_TRY(ob__need_scratch(needs, n, sizeof(double), error));
        }
    for (uint32_t i = 0; i < args->n_out; i++)
        if (needs_conversion(&args->out[i], computing)) {
            ob__need_conversion(needs, computing, args->out[i].dtype);
            OB_TRY(ob__need_scratch(needs, ob__count(&args->out[i]), ob_dtype_size(computing), error));
        }
    return OB_OK;
}

ob_status ob__convert_many(const ob_kernel_args *args, void *to, ob_dtype to_dtype, const void *from, ob_dtype from_dtype,
                           int64_t n, ob_error *error) {
    enum { SOME = 1 << 16 };
    const int64_t to_size = (int64_t)ob_dtype_size(to_dtype), from_size = (int64_t)ob_dtype_size(from_dtype);
    obk_pace pace = ob__pace(args->threads);
    for (int64_t done = 0; done == 0 || (done < n && !obk_stops(&pace, SOME)); done += SOME)
        OB_TRY(ob__convert_in_run(args, (char *)to + done * to_size, to_dtype, (const char *)from + done * from_size, from_dtype,
                                  n - done < SOME ? n - done : SOME, error));
    return OB_OK;
}

static void become(ob_view *view, void *data, ob_dtype dtype) {
    view->data = data;
    view->dtype = dtype;
    ob__contiguous_strides(view->rank, view->dims, ob_dtype_size(dtype), view->strides);
}

ob_status ob__run_real(const ob_kernel_args *args, ob__run run, ob_error *error) {
    ob_dtype computing = ob__computing_type(args);
    if (!needs_any(args, computing)) return run(args, error);
    char *next = args->scratch;
    ob_view *in = ob__take(&next, (int64_t)args->n_in + args->n_out, sizeof *in), *out = in + args->n_in;
    ob_kernel_args converted = *args;
    converted.in = in;
    converted.out = out;
    for (uint32_t i = 0; i < args->n_in; i++) {
        in[i] = args->in[i];
        if (!needs_conversion(&in[i], computing)) continue;
        int64_t n = ob__count(&in[i]);
        void *data = ob__take(&next, n, ob_dtype_size(computing));
        const void *from = in[i].data;
        if (!ob__is_contiguous(&in[i])) {
            void *flat = ob__take(&next, n, sizeof(double));
            ob__copy_contiguous(&in[i], flat, args->threads);
            from = flat;
        }
        OB_TRY(ob__convert_many(args, data, computing, from, in[i].dtype, n, error));
        become(&in[i], data, computing);
    }
    for (uint32_t i = 0; i < args->n_out; i++) {
        out[i] = args->out[i];
        if (needs_conversion(&out[i], computing))
            become(&out[i], ob__take(&next, ob__count(&out[i]), ob_dtype_size(computing)), computing);
    }
    converted.scratch = next;
    if (ob__stopped_inside(args->threads))
        return OB_OK; /* after a cancellation operands may be incomplete, and their values must not cause errors */
    OB_TRY(run(&converted, error));
    for (uint32_t i = 0; i < args->n_out; i++)
        if (needs_conversion(&args->out[i], computing))
            OB_TRY(
                ob__convert_many(args, args->out[i].data, args->out[i].dtype, out[i].data, computing, ob__count(&out[i]), error));
    return OB_OK;
}
