/* One kernel on given operands: a node in a separate model, its row of ops.def, plan, then view or run. */
#ifndef OB_TESTS_KERNEL_CASE_H
#define OB_TESTS_KERNEL_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/arena.h"
#include "core/graph/graph.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"

enum { KC_MAX = 16 };

typedef struct kernel_case {
    ob_model *model;
    ob_node *node;
    const ob_op *op;
    ob_view in[KC_MAX], out[KC_MAX];
    void *in_block[KC_MAX], *out_block[KC_MAX];
    uint32_t n_in, n_out;
    ob_error error;
    bool hide_inputs_from_plan; /* as when every input is computed at run time */
    bool was_view;
} kernel_case;

#define DIMS(...)                                                                                                                \
    (int32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) {                                                 \
        __VA_ARGS__                                                                                                              \
    }
#define INTS(...) (int64_t[]){__VA_ARGS__}, (uint32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define SCALAR    0, NULL

static inline kernel_case *kc_open_in(const char *domain, const char *op_type, int64_t opset) {
    kernel_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->model = ob__model_new(NULL);
    assert_non_null(c->model);
    if (!c->model->graph) c->model->graph = ob__graph_new(c->model, NULL, NULL);
    c->node = ob__node_new(c->model->graph, NULL, domain, op_type, 0, 0);
    assert_non_null(c->node);
    c->op = ob__op_find(domain, op_type, opset);
    assert_non_null(c->op);
    c->node->op = c->op;
    return c;
}

static inline kernel_case *kc_open(const char *op_type, int64_t opset) {
    return kc_open_in("", op_type, opset);
}

static inline void kc_close(kernel_case *c) {
    for (int i = 0; i < KC_MAX; i++) {
        free(c->in_block[i]);
        free(c->out_block[i]);
    }
    ob_model_close(&c->model);
    free(c);
}

static inline void kc_int(kernel_case *c, const char *name, int64_t i) {
    assert_true(ob__node_set_int(c->node, name, i));
}
static inline void kc_ints(kernel_case *c, const char *name, const int64_t *ints, uint32_t n) {
    assert_true(ob__node_set_ints(c->node, name, ints, n));
}
static inline void kc_string(kernel_case *c, const char *name, const char *text) {
    assert_true(ob__node_set_string(c->node, name, text));
}
static inline void kc_float(kernel_case *c, const char *name, float f) {
    ob_attribute *a = OB_ARENA_NEW(&c->model->arena, ob_attribute);
    assert_non_null(a);
    a->name = ob__intern(c->model, name, strlen(name));
    a->type = OB_ATTR_FLOAT;
    a->n = 1;
    a->u.f = f;
    assert_true(ob__node_set_attribute(c->node, a));
}

static inline void kc_make(ob_view *view, void **block, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    memset(view, 0, sizeof *view);
    view->dtype = dtype;
    view->rank = rank;
    for (int32_t i = 0; i < rank; i++) view->dims[i] = dims[i];
    ob__contiguous_strides(rank, view->dims, ob_dtype_size(dtype), view->strides);
    size_t n_bytes = (size_t)ob__count(view) * ob_dtype_size(dtype);
    free(*block);
    *block = malloc(n_bytes ? n_bytes : 1);
    assert_non_null(*block);
    memset(*block, 0xA5, n_bytes);
    view->data = *block;
}

/* Input i with undefined contents; fill it through kc_set or data. */
static inline ob_view *kc_in(kernel_case *c, uint32_t i, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    kc_make(&c->in[i], &c->in_block[i], dtype, rank, dims);
    if (c->n_in <= i) c->n_in = i + 1;
    return &c->in[i];
}
static inline ob_view *kc_out(kernel_case *c, uint32_t i, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    kc_make(&c->out[i], &c->out_block[i], dtype, rank, dims);
    if (c->n_out <= i) c->n_out = i + 1;
    return &c->out[i];
}
static inline void kc_in_ints(kernel_case *c, uint32_t i, const int64_t *ints, uint32_t n) {
    ob_view *view = kc_in(c, i, OB_INT64, 1, (int64_t[]){n});
    memcpy(view->data, ints, n * sizeof *ints);
}

/* -- elements as numbers -- */

static inline char *kc_at(const ob_view *view, int64_t flat) {
    char *p = view->data;
    for (int32_t a = view->rank - 1; a >= 0; a--) {
        p += flat % view->dims[a] * view->strides[a];
        flat /= view->dims[a];
    }
    return p;
}

static inline double kc_get(const ob_view *view, int64_t flat) {
    const char *p = kc_at(view, flat);
    uint16_t half;
    memcpy(&half, p, ob_dtype_size(view->dtype) < 2 ? 1 : 2);
    switch (view->dtype) {
#define KC_GET(name, type)                                                                                                       \
    case OB_##name: {                                                                                                            \
        type x;                                                                                                                  \
        memcpy(&x, p, sizeof x);                                                                                                 \
        return (double)x;                                                                                                        \
    }
        KC_GET(FLOAT, float)
        KC_GET(DOUBLE, double)
        KC_GET(INT8, int8_t)
        KC_GET(UINT8, uint8_t)
        KC_GET(BOOL, uint8_t)
        KC_GET(INT16, int16_t)
        KC_GET(UINT16, uint16_t)
        KC_GET(INT32, int32_t)
        KC_GET(UINT32, uint32_t)
        KC_GET(INT64, int64_t)
        KC_GET(UINT64, uint64_t)
    case OB_FLOAT16: return (double)ob__float_from_half(half);
    case OB_BFLOAT16: return (double)ob__float_from_bfloat(half);
    default: fail_msg("kc_get: %s", ob_dtype_name(view->dtype)); return 0;
    }
}

static inline void kc_set(const ob_view *view, int64_t flat, double value) {
    char *p = kc_at(view, flat);
    uint16_t half = 0;
    switch (view->dtype) {
#define KC_SET(name, type)                                                                                                       \
    case OB_##name: {                                                                                                            \
        type x = (type)value;                                                                                                    \
        memcpy(p, &x, sizeof x);                                                                                                 \
        return;                                                                                                                  \
    }
        KC_SET(FLOAT, float)
        KC_SET(DOUBLE, double)
        KC_SET(INT8, int8_t)
        KC_SET(UINT8, uint8_t)
        KC_SET(BOOL, uint8_t)
        KC_SET(INT16, int16_t)
        KC_SET(UINT16, uint16_t)
        KC_SET(INT32, int32_t)
        KC_SET(UINT32, uint32_t)
        KC_SET(INT64, int64_t)
        KC_SET(UINT64, uint64_t)
    case OB_FLOAT16: half = ob__half_from_float((float)value); break;
    case OB_BFLOAT16: half = ob__bfloat_from_float((float)value); break;
    default: fail_msg("kc_set: %s", ob_dtype_name(view->dtype));
    }
    memcpy(p, &half, sizeof half);
}

/* Small whole numbers low .. high: exact in every type. */
static inline void kc_random(const ob_view *view, int low, int high) {
    int64_t n = ob__count(view);
    for (int64_t i = 0; i < n; i++) kc_set(view, i, low + rand() % (high - low + 1));
}
static inline void kc_random_bytes(const ob_view *view) {
    unsigned char *p = view->data;
    size_t n = (size_t)ob__count(view) * ob_dtype_size(view->dtype);
    for (size_t i = 0; i < n; i++) p[i] = (unsigned char)rand();
}
static inline bool kc_same_element(const ob_view *a, int64_t i, const ob_view *b, int64_t j) {
    return memcmp(kc_at(a, i), kc_at(b, j), ob_dtype_size(a->dtype)) == 0;
}

/* -- running -- */

static inline ob_status kc_try(kernel_case *c) {
    const ob_kernel *kernel = c->op->kernel;
    assert_non_null(kernel);
    assert_true(kernel->run || kernel->view);
    ob_error_clear(&c->error);
    ob_kernel_args args = {.n_in = c->n_in, .n_out = c->n_out, .in = c->in, .out = c->out, .conversions = &ob__all_conversions};
    ob_kernel_needs needs = {0};
    ob_arena tails;
    ob__arena_init(&tails, ob_allocator_default());
    ob_kernel_site site = {.node = c->node, .op = c->op, .arena = &tails, .allocator = ob_allocator_default()};
    void *state = calloc(1, kernel->state_bytes + 1);
    assert_non_null(state);
    args.state = state;
    void *in_data[KC_MAX], *out_data[KC_MAX];
    for (int i = 0; i < KC_MAX; i++) {
        in_data[i] = c->in[i].data;
        out_data[i] = c->out_block[i];
        c->out[i].data = NULL;
        if (c->hide_inputs_from_plan) c->in[i].data = NULL;
    }
    ob_status status = kernel->plan ? kernel->plan(&site, &args, &needs, &c->error) : OB_OK;
    ob_status view_status = OB_E_UNSUPPORTED;
    if (status == OB_OK && kernel->flags & OB_KERNEL_VIEW) view_status = kernel->view(&site, &args, &c->error);
    for (int i = 0; i < KC_MAX; i++) c->in[i].data = in_data[i];
    if (status != OB_OK) {
        ob__arena_release(&tails);
        free(state);
        return status;
    }
    c->was_view = view_status == OB_OK;
    if (c->was_view) {
        status = kernel->view(&site, &args, &c->error);
    } else if (view_status != OB_E_UNSUPPORTED) {
        status = view_status;
    } else {
        for (int i = 0; i < KC_MAX; i++) c->out[i].data = out_data[i];
        size_t alone = (needs.scratch_bytes + 63) & ~(size_t)63, lane = (needs.lane_bytes + 63) & ~(size_t)63;
        args.scratch = alone + lane ? aligned_alloc(64, alone + lane) : NULL;
        if (args.scratch) {
            memset(args.scratch, 0xCD, alone + lane);
            args.lanes = (char *)args.scratch + alone;
            args.lane_stride = lane;
        }
        for (uint32_t i = 0; i < needs.n_prepared; i++) {
            const ob_prepare_request *request = &needs.prepared[i];
            size_t n_bytes = (request->n_bytes + 63) & ~(size_t)63;
            void *prepared = aligned_alloc(64, n_bytes);
            memset(prepared, 0, n_bytes);
            request->make(request->params, &args.in[request->input], prepared);
            args.prepared[i] = prepared;
        }
        status = kernel->run(&args, &c->error);
        for (uint32_t i = 0; i < needs.n_prepared; i++) free((void *)(uintptr_t)args.prepared[i]);
        free(args.scratch);
    }
    if (kernel->release) kernel->release(state, ob_allocator_default());
    ob__arena_release(&tails);
    free(state);
    return status;
}

static inline void kc_run(kernel_case *c) {
    ob_status status = kc_try(c);
    if (status != OB_OK) fail_msg("%s: %s: %s", c->node->op_type, ob_status_text(status), c->error.message);
}

/* Runs a view kernel's `run` on allocated outputs, as the executor does for a consumer of contiguous bytes. */
static inline void kc_run_copy(kernel_case *c) {
    const ob_kernel *kernel = c->op->kernel;
    ob_kernel_args args = {.n_in = c->n_in, .n_out = c->n_out, .in = c->in, .out = c->out, .conversions = &ob__all_conversions};
    ob_kernel_needs needs = {0};
    ob_arena arena;
    ob__arena_init(&arena, ob_allocator_default());
    ob_kernel_site site = {.node = c->node, .op = c->op, .arena = &arena};
    for (uint32_t i = 0; i < c->n_out; i++) {
        ob_view *out = &c->out[i];
        out->data = c->out_block[i];
        ob__contiguous_strides(out->rank, out->dims, ob_dtype_size(out->dtype), out->strides);
    }
    args.state = OB_ARENA_ARRAY(&arena, char, kernel->state_bytes);
    if (kernel->plan) assert_int_equal(kernel->plan(&site, &args, &needs, &c->error), OB_OK);
    assert_int_equal(kernel->run(&args, &c->error), OB_OK);
    ob__arena_release(&arena);
}

static inline void kc_near(double got, double expected, double tolerance) {
    if (got == expected || (isnan(got) && isnan(expected))) return;
    if (!(fabs(got - expected) <= tolerance * (1 + fabs(expected)))) fail_msg("got %.9g, expected %.9g", got, expected);
}

static inline double kc_tolerance(ob_dtype dtype) {
    switch (dtype) {
    case OB_BFLOAT16: return 1e-2;
    case OB_FLOAT16: return 2e-3;
    case OB_FLOAT: return 2e-6;
    default: return 1e-12;
    }
}

/* The types of the newest row's letter T. */
static inline bool kc_takes(const ob_op *op, ob_dtype dtype) {
    return op->types[0] >> dtype & 1;
}

#endif
