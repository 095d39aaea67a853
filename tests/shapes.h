/* Shared by the tests of broadcasting: shape literals, collected conditions, and the naive oracle by indices. */
#ifndef OB_TESTS_SHAPES_H
#define OB_TESTS_SHAPES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "onnx_broadcast/broadcast.h"
#include "onnx_broadcast/view.h"

#define UNKNOWN       OB_DIM_UNKNOWN
#define DIMS(...)     ((ob_dim[]){__VA_ARGS__})
#define COUNT_OF(...) (sizeof(DIMS(__VA_ARGS__)) / sizeof(ob_dim))
#define SHAPE(...)    ((ob_shape){(int32_t)COUNT_OF(__VA_ARGS__), DIMS(__VA_ARGS__)})
#define SCALAR        ((ob_shape){0, NULL})
#define UNRANKED      ((ob_shape){OB_RANK_UNKNOWN, NULL})

/* ---- Random numbers: fixed seeds, so that a failure repeats ---- */

static inline uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed * UINT64_C(0x2545F4914F6CDD1D) >> 16;
}

/* 0 .. n - 1 */
static inline size_t pick(uint64_t *seed, size_t n) {
    return (size_t)(next_random(seed) % n);
}

/* ---- Conditions ---- */

enum { MAX_CONDITIONS = 1024 };

typedef struct condition_list {
    ob_condition items[MAX_CONDITIONS];
    size_t operands[MAX_CONDITIONS];
    int32_t axes[MAX_CONDITIONS];
    size_t n;
} condition_list;

static inline ob_status collect_condition(void *context, const ob_condition *condition, size_t operand, int32_t axis) {
    condition_list *list = context;
    if (list->n == MAX_CONDITIONS) return OB_E_LIMIT;
    list->items[list->n] = *condition;
    list->operands[list->n] = operand;
    list->axes[list->n++] = axis;
    return OB_OK;
}

static inline void assert_condition_text(const ob_dims *pool, const ob_condition *condition, const char *expected) {
    char text[256];
    ob_condition_format(pool, condition, text, sizeof text);
    assert_string_equal(text, expected);
}

/* ---- A pool with some symbols ---- */

typedef struct fixture {
    ob_dims *pool;
    ob_dim n, h, m; /* "N", "H", "M", made in that order */
    condition_list conditions;
} fixture;

static inline int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (!f || ob_dims_create(NULL, &f->pool) != OB_OK) return -1;
    f->n = ob_dim_symbol(f->pool, "N");
    f->h = ob_dim_symbol(f->pool, "H");
    f->m = ob_dim_symbol(f->pool, "M");
    *state = f;
    return 0;
}

static inline int tear_down(void **state) {
    fixture *f = *state;
    ob_dims_destroy(&f->pool);
    free(f);
    return 0;
}

/* ---- Shapes ---- */

static inline void assert_dims(const ob_broadcast_result *result, ob_shape expected) {
    assert_int_equal(result->rank, expected.rank);
    for (int32_t i = 0; i < expected.rank; i++) assert_true(result->dims[i] == expected.dims[i]);
}

/* The two shapes broadcast to `expected`, in both orders. */
static inline void assert_broadcast(ob_shape a, ob_shape b, ob_shape expected) {
    for (int order = 0; order < 2; order++) {
        const ob_shape both[2] = {order ? b : a, order ? a : b};
        ob_broadcast_result result;
        ob_error error;
        ob_error_clear(&error);
        assert_int_equal(ob_broadcast_shapes(both, 2, NULL, NULL, NULL, &result, &error), OB_OK);
        assert_dims(&result, expected);
        assert_int_equal(error.code, OB_OK);
    }
}

/* The two shapes do not broadcast, in either order. The error names the axis and both sizes; the result is unchanged. */
static inline void assert_no_broadcast(ob_shape a, ob_shape b, int32_t axis, const char *size_a, const char *size_b) {
    for (int order = 0; order < 2; order++) {
        const ob_shape both[2] = {order ? b : a, order ? a : b};
        ob_broadcast_result result = {.rank = 77};
        ob_error error;
        ob_error_clear(&error);
        assert_int_equal(ob_broadcast_shapes(both, 2, NULL, NULL, NULL, &result, &error), OB_E_SHAPE);
        char message[128];
        snprintf(message, sizeof message, "axis %d: %s (operand 0) does not broadcast with %s (operand 1)", (int)axis,
                 order ? size_b : size_a, order ? size_a : size_b);
        assert_string_equal(error.message, message);
        assert_int_equal(error.axis, axis);
        assert_int_equal(error.code, OB_E_SHAPE);
        assert_int_equal(result.rank, 77);
    }
}

/* ---- The oracle: ONNX Broadcasting on plain numbers, without any of the library's code ---- */

/* Size of an operand along an axis of a result of that rank. */
static inline int64_t naive_size(const ob_shape *shape, int32_t rank, int32_t axis) {
    int32_t k = axis - (rank - shape->rank);
    return k < 0 ? 1 : shape->dims[k];
}

/* False when the n shapes do not broadcast; else rank and dims. */
static inline bool naive_broadcast(const ob_shape *shapes, size_t n, int32_t *rank, int64_t *dims) {
    *rank = 0;
    for (size_t i = 0; i < n; i++)
        if (shapes[i].rank > *rank) *rank = shapes[i].rank;
    for (int32_t axis = 0; axis < *rank; axis++) {
        dims[axis] = 1;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++) {
                int64_t a = naive_size(&shapes[i], *rank, axis), b = naive_size(&shapes[k], *rank, axis);
                if (a != b && a != 1 && b != 1) return false;
                if (a != 1) dims[axis] = a;
            }
    }
    return true;
}

static inline int64_t count_of(int32_t rank, const int64_t *dims) {
    int64_t count = 1;
    for (int32_t i = 0; i < rank; i++) count *= dims[i];
    return count;
}

/* Coordinates of element `number` in row-major order. */
static inline void coordinates(int64_t number, int32_t rank, const int64_t *dims, int64_t *index) {
    for (int32_t i = rank; i-- > 0;) {
        index[i] = number % dims[i];
        number /= dims[i];
    }
}

/* The number, in row-major order, of the operand's element that the result reads at `index`. The operand is contiguous. */
static inline int64_t naive_source(const ob_shape *operand, int32_t rank, const int64_t *index) {
    int64_t number = 0;
    for (int32_t i = 0; i < operand->rank; i++) {
        int64_t at = operand->dims[i] == 1 ? 0 : index[rank - operand->rank + i];
        number = number * operand->dims[i] + at;
    }
    return number;
}

/* The element of a view at `index`. */
static inline void *element_at(const ob_view *view, const int64_t *index) {
    char *p = view->data;
    for (int32_t i = 0; i < view->rank; i++) p += view->strides[i] * index[i];
    return p;
}

/* `view` shows the contiguous elements of `operand`, n_bytes each, broadcast to the view's dims. */
static inline void assert_shows(const ob_view *view, ob_shape operand, const void *elements, size_t n_bytes) {
    int64_t index[OB_MAX_RANK];
    int64_t count = count_of(view->rank, view->dims);
    for (int64_t i = 0; i < count; i++) {
        coordinates(i, view->rank, view->dims, index);
        const char *expected = (const char *)elements + (size_t)naive_source(&operand, view->rank, index) * n_bytes;
        assert_memory_equal(element_at(view, index), expected, n_bytes);
    }
}

/* out[i] = a[i] + b[i], one element after the other; both views have the same dims. */
static inline void naive_add(const ob_view *a, const ob_view *b, float *out) {
    int64_t index[OB_MAX_RANK];
    int64_t count = count_of(a->rank, a->dims);
    for (int64_t i = 0; i < count; i++) {
        coordinates(i, a->rank, a->dims, index);
        out[i] = *(float *)element_at(a, index) + *(float *)element_at(b, index);
    }
}

/* ---- Rule books ---- */

enum { MAX_BREAKS = 64 };

typedef struct break_list {
    ob_rule_break items[MAX_BREAKS];
    size_t n;
} break_list;

static inline void collect_break(void *context, const ob_rule_break *broken) {
    break_list *list = context;
    assert_true(list->n < MAX_BREAKS);
    list->items[list->n++] = *broken;
}

static inline bool has_break(const break_list *list, const char *id) {
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->items[i].id, id) == 0) return true;
    return false;
}

static inline void assert_text(const ob_dims *pool, ob_dim d, const char *expected) {
    char text[512];
    size_t n = ob_dim_format(pool, d, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(n, strlen(expected));
}

static inline void assert_bounds(const ob_dims *p, ob_dim d, int64_t low, int64_t high) {
    int64_t lowest, highest;
    ob_dim_bounds(p, d, &lowest, &highest);
    assert_int_equal(lowest, low);
    assert_int_equal(highest, high);
}

#define WITH_POOL(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
