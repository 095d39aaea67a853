#include "ops/recurrent/quantized.h"
#include "core/base/integers.h"
#include "kernels/take.h"

#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/quantize/integer.h"

enum { ROWS = 48 }; /* multiplied at once */

static const ob_member weights_members[] = {OB_VALUE(ob_byte_weights, input),    OB_VALUE(ob_byte_weights, scale),
                                            OB_VALUE(ob_byte_weights, k),        OB_VALUE(ob_byte_weights, n),
                                            OB_VALUE(ob_byte_weights, prepared), OB_VALUE(ob_byte_weights, matrix)};
static const ob_struct weights_struct = OB_STRUCT(ob_byte_weights, weights_members);
static const ob_member products_members[] = {OB_VALUE(ob_byte_products, nr),
                                             OB_FUNCTION(ob_byte_products, product),
                                             OB_FUNCTION(ob_byte_products, pack_a),
                                             OB_FUNCTION(ob_byte_products, pack_b),
                                             OB_FUNCTION(ob_byte_products, range),
                                             OB_FUNCTION(ob_byte_products, quantize),
                                             OB_FUNCTION(ob_byte_products, accumulate),
                                             OB_NESTED_ARRAY(ob_byte_products, weights, &weights_struct)};
const ob_struct ob__byte_products_struct = OB_STRUCT(ob_byte_products, products_members);

static bool is_each(const ob_view *view) {
    return view->rank == 2;
}

static int64_t padded_columns(const ob_byte_products *p) {
    return ob__round_up(p->weights[0].n, p->nr);
}

static int64_t longest(const ob_byte_products *p) {
    return p->weights[0].k > p->weights[1].k ? p->weights[0].k : p->weights[1].k;
}

ob_status ob__plan_byte_products(const ob_kernel_site *site, const ob_kernel_args *args, ob_byte_products *p,
                                 ob_kernel_needs *needs, ob_error *error) {
    int64_t n_pairs, row;
    const obk_integer_gemm *gemm = OBK_ELEMENT(integer_gemm, [OBK_INTEGER_PAIRS], .product);
    p->nr = gemm->nr;
    p->product = gemm->product;
    p->pack_a = gemm->pack_a;
    p->range = OBK_LOOP(quantize, ->range);
    p->quantize = OBK_LOOP(quantize, ->quantize[OBK_Q_UINT8]);
    p->accumulate = OBK_LOOP(quantize, ->accumulate);
    for (int i = 0; i < 2; i++) {
        ob_byte_weights *w = &p->weights[i];
        const ob_view *zeros = &args->in[w->scale + 1];
        int16_t zero;
        OB_FAIL_IF(ob__mul_overflows(padded_columns(p), obk_pairs(w->k), &n_pairs), error, OB_E_LIMIT, "weights are too large");
        w->prepared = -1;
        if (!site->constants_in_place && ob__packs_bytes(&args->in[w->input], zeros, ob__count(zeros), &zero)) {
            w->prepared = (int)needs->n_prepared;
            OB_TRY(ob__want_packed_bytes(site, args, w->input, gemm, w->k, w->n, zero, needs, &w->matrix, error));
        }
        if (w->prepared < 0) p->pack_b = gemm->pack_b;
        OB_TRY(ob__need_scratch(needs, w->prepared < 0 ? n_pairs : 0, sizeof(obk_pair), error));
    }
    const int64_t n = p->weights[0].n, k = longest(p);
    bool large = ob__mul_overflows(k, ROWS, &row) || ob__mul_overflows(n, ROWS, &row);
    OB_FAIL_IF(large, error, OB_E_LIMIT, "weights are too large");
    OB_TRY(ob__need_scratch(needs, n, sizeof(int16_t), error));
    OB_TRY(ob__need_scratch(needs, n, sizeof(float), error));
    OB_TRY(ob__need_scratch(needs, ROWS * k, 1, error));
    OB_TRY(ob__need_scratch(needs, ROWS * obk_pairs(k), sizeof(obk_pair), error));
    return ob__need_scratch(needs, ROWS * n, sizeof(int32_t), error);
}

void ob__take_byte_products(const ob_byte_products *p, char **scratch, ob_byte_run *run) {
    const int64_t n = p->weights[0].n, k = longest(p);
    *run = (ob_byte_run){.p = p};
    for (int i = 0; i < 2; i++)
        run->packed[i] =
            ob__take(scratch, p->weights[i].prepared < 0 ? padded_columns(p) * obk_pairs(p->weights[i].k) : 0, sizeof(obk_pair));
    run->zeros = ob__take(scratch, n, sizeof(int16_t));
    run->scales = ob__take(scratch, n, sizeof(float));
    run->bytes = ob__take(scratch, ROWS * k, 1);
    run->a = ob__take(scratch, ROWS * obk_pairs(k), sizeof(obk_pair));
    run->sums = ob__take(scratch, ROWS * n, sizeof(int32_t));
}

void ob__use_direction(const ob_kernel_args *args, ob_byte_run *run, int64_t direction) {
    for (int i = 0; i < 2; i++) {
        const ob_byte_weights *w = &run->p->weights[i];
        const ob_view *weights = &args->in[w->input], *scale = &args->in[w->scale], *zeros = &args->in[w->scale + 1];
        const int64_t n_zeros = is_each(zeros) ? w->n : 1;
        struct ob_byte_factor *f = &run->factors[i];
        f->each = is_each(scale);
        f->scale = (const float *)scale->data + direction * (f->each ? w->n : 1);
        if (w->prepared >= 0) {
            f->packed = (const obk_pair *)args->prepared[w->prepared] + direction * w->matrix;
            continue;
        }
        for (int64_t k = 0; k < n_zeros; k++) run->zeros[k] = ob__zero_at(zeros, direction * n_zeros + k);
        const obk_bytes bytes = {.data = (const char *)weights->data + direction * w->k * w->n,
                                 .is_signed = ob__is_signed(weights),
                                 .step = 1,
                                 .along = w->n,
                                 .zero = run->zeros,
                                 .zero_step = is_each(zeros)};
        run->p->pack_b(run->packed[i], &bytes, w->k, w->n);
        f->packed = run->packed[i];
    }
}

void ob__add_byte_product(const ob_byte_run *run, int which, const float *x, int64_t rows, float *y, obk_pace *pace) {
    const ob_byte_products *p = run->p;
    const struct ob_byte_factor *f = &run->factors[which];
    const int64_t k = p->weights[which].k, n = p->weights[which].n;
    float low, high, scale, zero;
    p->range(x, rows * k, &low, &high);
    obk_byte_scale(low, high, &scale, &zero);
    const int16_t whole = (int16_t)zero;
    const obk_scales to_bytes = {&scale, &zero, false, 0, 255}, by = {run->scales, NULL, f->each, 0, 0};
    for (int64_t i = 0; i < (f->each ? n : 1); i++) run->scales[i] = scale * f->scale[i];
    for (int64_t from = 0; from < rows && !obk_stops(pace, ROWS * (n + k + n * k / 16)); from += ROWS) {
        const int64_t some = rows - from < ROWS ? rows - from : ROWS;
        p->quantize(run->bytes, x + from * k, some * k, &to_bytes);
        p->pack_a(run->a, &(obk_bytes){.data = run->bytes, .step = k, .along = 1, .zero = &whole}, some, k);
        p->product(&(obk_integer_call){.m = some, .n = n, .k = k, .a = run->a, .b = f->packed, .y = run->sums, .y_row = n});
        for (int64_t i = 0; i < some; i++) p->accumulate(y + (from + i) * n, run->sums + i * n, n, &by);
    }
}
