/* Models of a few nodes with random operands, run in sessions and compared: for the tests of bodies. */
#ifndef OB_TESTS_BODY_CASE_H
#define OB_TESTS_BODY_CASE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_text.h"
#include "ops/kernel/common.h"
#include "runtime/session.h"

enum { MAX_VALUES = 9, MAX_ELEMENTS = 600 };

typedef struct operands {
    double room[MAX_VALUES][MAX_ELEMENTS];
    ob_view views[MAX_VALUES];
    uint32_t n;
} operands;

/* A value derived from the element's number: floats between -2 and 2, integers from 0 to 2, every third bool true. */
static inline void fill(const ob_view *view, int salt) {
    int64_t n = ob_view_count(view);
    assert_true(n <= MAX_ELEMENTS);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = (i * 37 + salt * 11) % 41;
        char *at = (char *)view->data + i * (int64_t)ob_dtype_size(view->dtype);
        switch (view->dtype) {
        case OB_FLOAT: *(float *)at = (float)(k - 20) / 10; break;
        case OB_DOUBLE: *(double *)at = (double)(k - 20) / 10; break;
        case OB_FLOAT16: *(uint16_t *)at = ob__half_from_float((float)(k - 20) / 8); break;
        case OB_INT64: *(int64_t *)at = k % 3; break;
        case OB_INT32: *(int32_t *)at = (int32_t)(k % 3); break;
        case OB_UINT8: *(uint8_t *)at = (uint8_t)(k * 5); break;
        case OB_INT8: *(int8_t *)at = (int8_t)(k * 6 - 120); break;
        case OB_UINT16: *(uint16_t *)at = (uint16_t)(k * 1600); break;
        case OB_INT16: *(int16_t *)at = (int16_t)(k * 1600 - 32000); break;
        case OB_BOOL: *(bool *)at = k % 3 == 0; break;
        default: fail_msg("no elements of %s", ob_dtype_name(view->dtype));
        }
    }
}

/* Operands as the model declares them; all sizes are numbers. */
static inline void make_operands(const ob_model *model, operands *in) {
    in->n = 0;
    for (uint32_t i = 0; i < model->graph->n_inputs; i++) {
        const ob_type *type = &model->graph->inputs[i]->declared;
        ob_view *view = &in->views[in->n];
        assert_true(in->n < MAX_VALUES && type->shape.rank >= 0);
        assert_int_equal(ob_view_init(view, in->room[in->n], type->dtype, type->shape.rank, type->shape.dims), OB_OK);
        fill(view, (int)in->n++);
    }
}

static inline ob_model *model_of(const char *domain, int64_t opset, const char *in, const char *out, const char *nodes) {
    char text[3000];
    snprintf(text, sizeof text, "<ir_version: 10, opset_import: [\"\" : %d%s%s%s]>\ng (%s) => (%s) {\n%s\n}",
             domain[0] ? 24 : (int)opset, domain[0] ? ", \"" : "", domain, domain[0] ? "\" : 1" : "", in, out, nodes);
    return read_text(text);
}

static inline void run(const ob_model *model, bool optimize, const operands *in, ob_session **session, ob_view *out) {
    ob_session_config config;
    ob_error error;
    ob_session_config_init(&config);
    config.optimize = optimize;
    memset(out, 0, MAX_VALUES * sizeof *out);
    if (ob_session_create(model, &config, session, &error) != OB_OK) fail_msg("%s: %s", error.node, error.message);
    if (ob_session_run(*session, in->views, in->n, out, model->graph->n_outputs, &error) != OB_OK)
        fail_msg("%s: %s", error.node, error.message);
}

static inline double element(const ob_view *view, int64_t i) {
    const char *at = (const char *)view->data + i * (int64_t)ob_dtype_size(view->dtype);
    switch (view->dtype) {
    case OB_FLOAT: return (double)*(const float *)at;
    case OB_DOUBLE: return *(const double *)at;
    case OB_FLOAT16: return (double)ob__float_from_half(*(const uint16_t *)at);
    case OB_INT64: return (double)*(const int64_t *)at;
    case OB_INT32: return (double)*(const int32_t *)at;
    case OB_UINT8: return *(const uint8_t *)at;
    case OB_INT8: return *(const int8_t *)at;
    case OB_UINT16: return *(const uint16_t *)at;
    case OB_INT16: return *(const int16_t *)at;
    case OB_BOOL: return *(const bool *)at;
    default: fail_msg("no elements of %s", ob_dtype_name(view->dtype)); return 0;
    }
}

static inline void expect_within(const char *what, const ob_view *got, const ob_view *want, double absolute, double relative) {
    if (got->dtype != want->dtype || got->rank != want->rank) fail_msg("%s: another type or rank", what);
    for (int32_t i = 0; i < want->rank; i++)
        if (got->dims[i] != want->dims[i]) fail_msg("%s: axis %d has another size", what, i);
    for (int64_t i = 0; i < ob_view_count(want); i++) {
        double a = element(got, i), b = element(want, i);
        if (isnan(b) ? !isnan(a) : !(a == b || fabs(a - b) <= absolute + relative * fabs(b)))
            fail_msg("%s, element %d: %.9g instead of %.9g", what, (int)i, a, b);
    }
}

static inline void expect_close(const char *what, const ob_view *got, const ob_view *want) {
    expect_within(what, got, want, 1e-6, 4e-6);
}

/* The model with kernels and the model with bodies give the same results, optimised and not. */
static inline void compare_pair(const ob_model *model, const ob_model *other, const char *what) {
    static operands in;
    ob_view want[MAX_VALUES], got[MAX_VALUES];
    make_operands(model, &in);
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *a = NULL, *b = NULL;
        run(model, optimize, &in, &a, want);
        run(other, optimize, &in, &b, got);
        for (uint32_t i = 0; i < model->graph->n_outputs; i++) expect_close(what, &got[i], &want[i]);
        ob_session_close(&a);
        ob_session_close(&b);
    }
}

#endif
