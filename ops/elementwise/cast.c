/* Cast and CastLike between all pairs of element types. Floats to narrower floats: nearest, ties to even. Floats to integers:
 * truncated and saturated, NaN gives 0 (ONNX leaves these open). Floats to 4- and 2-bit integers: nearest even, saturated; since
 * version 25 the low bits. Integers to narrower integers: the low bits. Any type to bool: whether it is not zero. To 8-bit
 * floats: see `saturate`. Strings: see number_text.h; a bool is written as 1 or 0. */
#include <string.h>

#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/graph/types.h"
#include "kernels/convert/narrow.h"
#include "kernels/loop.h"
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
    bool strings, saturate;
    ob_status (*compute)(const ob_kernel_args *args, ob_error *error);
} state;

static const ob_member state_members[] = {OB_NESTED(state, iteration, &obk_iteration_struct), OB_VALUE(state, strings),
                                          OB_VALUE(state, saturate), OB_FUNCTION(state, compute)};
static const ob_struct cast_struct = OB_STRUCT(state, state_members);

void ob__cast_loop(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows, const void *params) {
    const last_step *s = params;
    (void)step;
    for (int64_t j = 0; j < rows; j++) {
        char *out = pointers[1] + j * row[1];
        const char *in = pointers[0] + j * row[0];
        if (s->to_e8m0)
            for (int64_t i = 0; i < n; i++)
                ((uint8_t *)out)[i] = obk_f32_to_e8m0(((const float *)in)[i], s->round, s->saturate);
        else if (s->convert)
            s->convert(out, in, n);
        else if (out != in)
            memcpy(out, in, (size_t)n * s->elem_bytes);
    }
}

/* ---- Strings: one element at a time ---- */

typedef struct string_cast {
    const state *s;
    ob_dtype from, to;
    ob_arena *strings;
    ob_status status;
    ob_error *error;
    ob_conversion conversion; /* from double or int64 to the target, or from the source to double or int64 */
    obk_pace pace;
} string_cast;

static void convert_one(const ob_conversion *conversion, void *target, const void *source, size_t n_bytes) {
    unsigned char between[16];
    switch (conversion->n_steps) {
    case 0: memcpy(target, source, n_bytes); break;
    case 1: conversion->steps[0](target, source, 1); break;
    default: conversion->steps[0](between, source, 1); conversion->steps[1](target, between, 1);
    }
}

static bool parse_bool(const ob_string *text, uint8_t *value) {
    static const char *const words[] = {"false", "False", "FALSE", "true", "True", "TRUE"};
    for (size_t i = 0; i < 6; i++)
        if (text->n == strlen(words[i]) && memcmp(text->data, words[i], text->n) == 0) {
            *value = i >= 3;
            return true;
        }
    return false;
}

/* A 64-bit number wraps into a narrower type, as in NumPy and in ONNX Runtime. A larger number, which both refuse, has no value
 * in any integer type. A negative number wraps into an unsigned type. */
static ob_number_read read_string(const string_cast *c, const ob_string *text, void *target) {
    const char *data = text->data ? text->data : "";
    if (c->to == OB_BOOL && parse_bool(text, target)) return OB_NUMBER_READ;
    if (ob__dtype_is_integer(c->to)) {
        const bool is_unsigned = c->to == OB_UINT64 || c->to == OB_UINT32 || c->to == OB_UINT16 || c->to == OB_UINT8;
        bool negative;
        uint64_t bits;
        const ob_number_read read = ob__parse_int(data, text->n, &negative, &bits);
        if (read != OB_NUMBER_READ) return read;
        if (!is_unsigned && !negative && bits > INT64_MAX) return OB_NUMBER_BEYOND;
        convert_one(&c->conversion, target, &bits, 8);
        return OB_NUMBER_READ;
    }
    double number;
    if (!ob__parse_real(data, text->n, c->to == OB_FLOAT, &number)) return OB_NUMBER_NONE;
    convert_one(&c->conversion, target, &number, 8);
    return OB_NUMBER_READ;
}

static size_t write_string(const string_cast *c, const char *source, char *text) {
    uint64_t number;
    convert_one(&c->conversion, &number, source, 8);
    if (c->from == OB_UINT64) return ob__format_uint(number, text);
    if (ob__dtype_is_integer(c->from) || c->from == OB_BOOL) return ob__format_int((int64_t)number, text);
    double real;
    memcpy(&real, &number, sizeof real);
    return ob__format_real(real, c->from != OB_DOUBLE, text);
}

static void string_loop(char *const *pointers, const int64_t *strides, int64_t n, const void *parameters) {
    string_cast *c = *(string_cast *const *)parameters;
    for (int64_t i = 0; i < n && c->status == OB_OK && !obk_stops(&c->pace, 64); i++) {
        const char *in = pointers[0] + i * strides[0];
        char *out = pointers[1] + i * strides[1];
        if (c->from == OB_STRING) {
            ob_string text;
            memcpy(&text, in, sizeof text);
            unsigned char number[16];
            const ob_number_read read = read_string(c, &text, number);
            if (read == OB_NUMBER_READ)
                memcpy(out, number, ob_dtype_size(c->to));
            else
                c->status = ob__fail(c->error, OB_E_FORMAT,
                                     read == OB_NUMBER_NONE ? "\"%.*s\" is not a number of type %s"
                                                            : "\"%.*s\" is beyond the numbers of type %s",
                                     (int)(text.n < 60 ? text.n : 60), text.data ? text.data : "", ob_dtype_name(c->to));
            continue;
        }
        char text[OB_NUMBER_TEXT_MAX];
        _Alignas(16) char aligned[16];
        memcpy(aligned, in, ob_dtype_size(c->from));
        ob_string made = {.n = write_string(c, aligned, text)};
        made.data = ob__arena_strndup(c->strings, text, made.n);
        if (made.data)
            memcpy(out, &made, sizeof made);
        else
            c->status = ob__fail(c->error, OB_E_MEMORY, "no memory for strings");
    }
}

static ob_conversion string_conversion(ob_dtype from, ob_dtype to, bool saturate) {
    if (from == OB_STRING) return ob__find_conversion(ob__dtype_is_integer(to) ? OB_INT64 : OB_DOUBLE, to, saturate);
    if (from == OB_UINT64) return ob__find_conversion(from, OB_UINT64, true);
    return ob__find_conversion(from, ob__dtype_is_integer(from) || from == OB_BOOL ? OB_INT64 : OB_DOUBLE, true);
}

static ob_status run_strings(const ob_kernel_args *args, ob_error *error) {
    const state *s = args->state;
    string_cast cast = {.s = s,
                        .from = args->in[0].dtype,
                        .to = args->out[0].dtype,
                        .strings = args->strings,
                        .error = error,
                        .pace = ob__pace(args->threads)};
    OB_FAIL_IF(cast.to == OB_STRING && !cast.strings, error, OB_E_UNSUPPORTED, "strings cannot be stored here");
    cast.conversion = string_conversion(cast.from, cast.to, s->saturate);
    string_cast *context = &cast;
    OB_TRY(ob_for_each(&args->in[0], 1, &args->out[0], 1, string_loop, &context, NULL, error));
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
    s->strings = has_strings(args);
    s->compute = s->strings ? run_strings : ob__element_run;
    if (s->strings)
        return string_conversion(args->in[0].dtype, args->out[0].dtype, s->saturate).n_steps < 0 ? refuse(site, args, error)
                                                                                                 : OB_OK;
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
