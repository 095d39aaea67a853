/* Cast and CastLike between all pairs of element types. Floats to narrower floats: nearest, ties to even. Floats to integers:
 * truncated and saturated, NaN gives 0 (ONNX leaves these open). Floats to 4- and 2-bit integers: nearest even, saturated; since
 * version 25 the low bits. Integers to narrower integers: the low bits. Any type to bool: whether it is not zero. To 8-bit
 * floats: see `saturate`. Strings: see number_text.h; a bool is written as 1 or 0. */
#include <string.h>

#include "core/base/error.h"
#include "core/graph/types.h"
#include "kernels/convert/narrow.h"
#include "kernels/convert/text.h"
#include "kernels/loop.h"
#include "kernels/take.h"
#include "ops/elementwise/element.h"
#include "ops/kernel/common.h"
#include "ops/kernel/functions.h"
#include "ops/kernel/members.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

/* The last step of a conversion. */
typedef struct last_step {
    obk_convert convert; /* NULL: the bytes are copied */
    size_t elem_bytes;
    bool saturate;
    bool to_e8m0; /* from float, with this rounding */
    obk_round round;
} last_step;

static const ob_member last_step_members[] = {OB_FUNCTION(last_step, convert), OB_SIZE(last_step, elem_bytes),
                                              OB_VALUE(last_step, saturate), OB_VALUE(last_step, to_e8m0),
                                              OB_VALUE(last_step, round)};
static const ob_struct last_step_struct = OB_STRUCT(last_step, last_step_members);

typedef struct state {
    obk_iteration iteration; /* first: see ob__element_run */
    bool saturate;
    ob_status (*compute)(const ob_kernel_args *args, ob_error *error);
    /* of strings; NULL: none are read or written */
    ob_loop strings;
    int n_steps;
    obk_convert first, second;
} state;

static const ob_member state_members[] = {OB_NESTED(state, iteration, &obk_iteration_struct),
                                          OB_VALUE(state, saturate),
                                          OB_FUNCTION(state, compute),
                                          OB_FUNCTION(state, strings),
                                          OB_VALUE(state, n_steps),
                                          OB_FUNCTION(state, first),
                                          OB_FUNCTION(state, second)};
static const ob_struct cast_struct = OB_STRUCT(state, state_members);

void ob__cast_loop(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows, const void *params) {
    const last_step *s = params;
    (void)step;
    for (int64_t j = 0; j < rows; j++) {
        char *out = pointers[1] + j * row[1];
        const char *in = pointers[0] + j * row[0];
        if (s->to_e8m0)
            for (int64_t i = 0; i < n; i++) ((uint8_t *)out)[i] = obk_f32_to_e8m0(((const float *)in)[i], s->round, s->saturate);
        else if (s->convert)
            s->convert(out, in, n);
        else if (out != in)
            memcpy(out, in, (size_t)n * s->elem_bytes);
    }
}

/* ---- Strings ---- */

/* True: the conversion between the target and the number that the loop reads, or between the source and the one that it writes.
 * False: there is none, or the build leaves the loop out. */
static bool plan_strings(state *s, ob_dtype from, ob_dtype to) {
    s->strings = from == OB_STRING ? OBK_LOOP(text, ->read) : OBK_LOOP(text, ->write);
    ob_conversion c;
    if (from == OB_STRING)
        c = ob__find_conversion(ob__dtype_is_integer(to) ? OB_INT64 : OB_DOUBLE, to, s->saturate);
    else if (from == OB_UINT64)
        c = (ob_conversion){0};
    else
        c = ob__find_conversion(from, ob__dtype_is_integer(from) || from == OB_BOOL ? OB_INT64 : OB_DOUBLE, true);
    s->n_steps = c.n_steps;
    s->first = c.steps[0];
    s->second = c.steps[1];
    return c.n_steps >= 0 && s->strings;
}

static ob_status run_strings(const ob_kernel_args *args, ob_error *error) {
    const state *s = args->state;
    obk_text_cast cast = {.from = args->in[0].dtype,
                          .to = args->out[0].dtype,
                          .n_steps = s->n_steps,
                          .steps = {s->first, s->second},
                          .strings = args->strings,
                          .error = error,
                          .pace = ob__pace(args->threads)};
    OB_FAIL_IF(cast.to == OB_STRING && !cast.strings, error, OB_E_UNSUPPORTED, "strings cannot be stored here");
    obk_text_cast *context = &cast;
    OB_TRY(ob_for_each(&args->in[0], 1, &args->out[0], 1, s->strings, &context, NULL, error));
    return cast.status;
}

static ob_status choose_rounding(const ob_node *node, obk_round *out, ob_error *error) {
    static const char *const modes[] = {[OBK_ROUND_UP] = "up", [OBK_ROUND_DOWN] = "down", [OBK_ROUND_NEAREST] = "nearest"};
    const char *mode = ob__attribute_text(node, "round_mode");
    if (!*mode) mode = modes[OBK_ROUND_UP]; /* for versions without the attribute */
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(mode, modes[i]) != 0) continue;
        *out = (obk_round)i;
        return OB_OK;
    }
    return ob__fail(error, OB_E_MODEL, "round_mode must be up, down or nearest");
}

/* ---- The kernel ---- */

/* 4- and 2-bit integers keep the low bits since version 25. */
static bool saturates(const ob_kernel_site *site, ob_dtype to) {
    const bool tiny = to == OB_INT4 || to == OB_UINT4 || to == OB_INT2 || to == OB_UINT2;
    return tiny ? site->op->since < 25 : ob__attribute_int_or(site->node, "saturate", 1) != 0;
}

static bool has_strings(const ob_kernel_args *args) {
    return (args->in[0].dtype == OB_STRING) != (args->out[0].dtype == OB_STRING);
}

static ob_status refuse(const ob_kernel_site *site, const ob_kernel_args *args, ob_error *error) {
    return ob__fail(error, OB_E_UNSUPPORTED, "version %d has no kernel from %s to %s", (int)site->op->since,
                    ob_dtype_name(args->in[0].dtype), ob_dtype_name(args->out[0].dtype));
}

static ob_status element(const ob_kernel_site *site, const ob_kernel_args *args, ob_element_call *call, ob_error *error) {
    OB_FAIL_IF(args->n_in < 1 || args->n_out != 1, error, OB_E_MODEL, "an input and an output are needed");
    const ob_dtype from = args->in[0].dtype, to = args->out[0].dtype;
    const bool saturate = saturates(site, to);
    const ob_conversion conversion = ob__find_conversion(from, to, saturate);
    if (conversion.n_steps < 0 || has_strings(args)) return refuse(site, args, error);
    last_step *last = ob__tail(site, 1, sizeof *last);
    OB_FAIL_IF(!last, error, OB_E_MEMORY, "no memory for a plan");
    *last = (last_step){.elem_bytes = ob_dtype_size(to), .saturate = saturate};
    if (conversion.n_steps > 0) last->convert = conversion.steps[conversion.n_steps - 1];
    last->to_e8m0 = to == OB_FLOAT8E8M0 && conversion.n_steps > 0;
    if (last->to_e8m0) OB_TRY(choose_rounding(site->node, &last->round, error));
    call->n_in = 1;
    call->spec.loop = ob__cast_loop;
    call->spec.params = last;
    call->spec.params_type = &last_step_struct;
    call->spec.apart = true;
    if (conversion.n_steps == 2) {
        call->spec.in_convert[0] = conversion.steps[0];
        call->spec.in_loop_dtype[0] = conversion.between;
    }
    return OB_OK;
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    state *s = args->state;
    OB_FAIL_IF(args->n_in < 1 || args->n_out != 1, error, OB_E_MODEL, "an input and an output are needed");
    s->saturate = saturates(site, args->out[0].dtype);
    const bool strings = has_strings(args);
    s->compute = strings ? run_strings : ob__element_run;
    if (strings) return plan_strings(s, args->in[0].dtype, args->out[0].dtype) ? OB_OK : refuse(site, args, error);
    ob_element_call call = {.in = args->in};
    OB_TRY(element(site, args, &call, error));
    call.spec.loops_only = site->loops_only;
    return obk_iteration_plan(&s->iteration, args->in, 1, &args->out[0], &call.spec, site->arena, &needs->lane_bytes, error);
}

OB_RUN(ob__run_cast) {
    return ((const state *)args->state)->compute(args, error);
}

/* To the type that the operand has. */
static ob_status view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    (void)site;
    OB_FAIL_IF(args->in[0].dtype != args->out[0].dtype, error, OB_E_UNSUPPORTED, "the type changes");
    args->out[0] = args->in[0];
    return OB_OK;
}

const ob_kernel ob__kernel_cast = {.name = "cast",
                                   .flags = OB_KERNEL_VIEW | OB_KERNEL_STRIDED,
                                   .state_bytes = sizeof(state),
                                   .plan = plan,
                                   OB_RUNS(ob__run_cast),
                                   .state = &cast_struct,
                                   .view = view,
                                   .element = element};
