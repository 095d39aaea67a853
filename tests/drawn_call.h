/* Calls of one operator that are drawn at random: a model as text, operands for it, a run of it. */
#ifndef OB_TESTS_DRAWN_CALL_H
#define OB_TESTS_DRAWN_CALL_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/graph/types.h"
#include "model_text.h"
#include "ops/kernel/common.h"
#include "runtime/session.h"

enum { MAX_IN = 9, MAX_OUT = 4, MAX_ELEMENTS = 3000 };

static const char *const reals[4] = {"float", "double", "float16", "bfloat16"};

static inline int one_of(int n) {
    return rand() % n;
}

/* ---- The text of a model ---- */

typedef struct text {
    char inputs[600], operands[100], attributes[300], whole[2000];
    double tolerance;
    int opset;
    bool any_byte;  /* elements of 8 bits cover their whole range instead of small numbers */
    uint32_t n_out; /* outputs; the first has the type `first`, from which the types of the others follow */
    const char *first;
} text;

static inline void append(char *to, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
static inline void append(char *to, size_t room, const char *format, ...) {
    const size_t used = strlen(to);
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(to + used, room - used, format, args);
    va_end(args);
    assert_true(n >= 0 && (size_t)n < room - used);
}

/* Adds the next operand, `name`; an omitted one if type is NULL. */
static inline void operand(text *t, const char *type, const char *name, int rank, const int *dims) {
    append(t->operands, sizeof t->operands, t->operands[0] || !type ? ", %s" : "%s", type ? name : "");
    if (!type) return;
    append(t->inputs, sizeof t->inputs, t->inputs[0] ? ", %s" : "%s", type);
    for (int a = 0; a < rank; a++) append(t->inputs, sizeof t->inputs, a ? ",%d" : "[%d", dims[a]);
    append(t->inputs, sizeof t->inputs, rank > 0 ? "] %s" : " %s", name);
}

static inline void attribute(text *t, const char *name, const char *type, const char *value) {
    append(t->attributes, sizeof t->attributes, t->attributes[0] ? ", %s: %s = %s" : "%s: %s = %s", name, type, value);
}

static inline void whole_attribute(text *t, const char *name, int value) {
    char number[20];
    snprintf(number, sizeof number, "%d", value);
    attribute(t, name, "int", number);
}

static inline void draw(text *t, const char *(*of)(text *)) {
    static const char *const more[] = {"", "", ", c", ", c, d", ", c, d, s"};
    *t = (text){.n_out = 1};
    const char *name = of(t);
    snprintf(t->whole, sizeof t->whole,
             "<ir_version: 10, opset_import: [\"\" : %d, \"com.microsoft\" : 1, \"ai.onnx.ml\" : 1]>\ng (%s) => (%s[] y%s) "
             "{\ny%s = %s%s%s%s(%s)\n}",
             t->opset, t->inputs, t->first, more[t->n_out], more[t->n_out], name, t->attributes[0] ? "<" : "", t->attributes,
             t->attributes[0] ? ">" : "", t->operands);
}

/* ---- Operands and results ---- */

static inline double number_at(const ob_view *view, int64_t i) {
    double value = 0;
    const char *at = (const char *)view->data + i * (int64_t)ob_dtype_size(view->dtype);
    assert_int_equal(ob__convert(&value, OB_DOUBLE, at, view->dtype, 1, NULL), OB_OK);
    return value;
}

static inline void set_number(const ob_view *view, int64_t i, double value) {
    char *at = (char *)view->data + i * (int64_t)ob_dtype_size(view->dtype);
    assert_int_equal(ob__convert(at, view->dtype, &value, OB_DOUBLE, 1, NULL), OB_OK);
}

static inline size_t make_operands(const ob_model *model, const text *t, ob_view *views, double (*room)[MAX_ELEMENTS]) {
    for (uint32_t i = 0; i < model->graph->n_inputs; i++) {
        const ob_type *type = &model->graph->inputs[i]->declared;
        assert_int_equal(ob_view_init(&views[i], room[i], type->dtype, type->shape.rank, type->shape.dims), OB_OK);
        assert_true(ob_view_count(&views[i]) <= MAX_ELEMENTS);
        for (int64_t k = 0; k < ob_view_count(&views[i]); k++) {
            const double value = ob__dtype_is_real_or_half(type->dtype) ? (one_of(17) - 8) / 8.0
                                 : type->dtype == OB_BOOL               ? one_of(3) > 0
                                 : t->any_byte && ob_dtype_size(type->dtype) == 1
                                     ? one_of(256) - (type->dtype == OB_INT8 ? 128 : 0)
                                     : one_of(3);
            set_number(&views[i], k, value);
        }
    }
    return model->graph->n_inputs;
}

static inline ob_session *run(const ob_model *model, const text *t, const ob_view *in, size_t n_in, ob_view *out) {
    ob_session *session = NULL;
    ob_error error;
    memset(out, 0, MAX_OUT * sizeof *out);
    if (ob_session_create(model, NULL, &session, &error) != OB_OK ||
        ob_session_run(session, in, n_in, out, t->n_out, &error) != OB_OK)
        fail_msg("%s\n%s: %s", t->whole, error.node, error.message);
    return session;
}

#endif
