/* N-operand iteration against a naive index-by-index oracle, and the blocked form that kernels use (gathering, tiles, folding).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/arena.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/iteration.h"
#include "kernels/kernels.h"
#include "onnx_broadcast/onnx_broadcast.h"

enum { GUARD = 64, MAX_ELEMS = 6000, MAX_INPUTS = 64 };

static uint64_t seed = 1;

static uint32_t draw(uint32_t n) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

/* A view of int64 elements with random layout; `memory` holds it and `fill` gives its contents. */
typedef struct operand {
    ob_view view;
    char *memory;
    size_t n_bytes;
} operand;

static void random_layout(operand *o, bool output, ob_dtype dtype) {
    size_t size = ob_dtype_size(dtype);
    o->view.dtype = dtype;
    int32_t rank = o->view.rank, order[OB_MAX_RANK];
    for (int32_t i = 0; i < rank; i++) order[i] = i;
    if (draw(3) == 0)
        for (int32_t i = rank - 1; i > 0; i--) {
            int32_t j = (int32_t)draw((uint32_t)i + 1), t = order[i];
            order[i] = order[j];
            order[j] = t;
        }
    bool gaps = draw(4) == 0, reverse = draw(4) == 0, stretch = !output && draw(5) == 0;
    int64_t span = (int64_t)size, offset = 0;
    for (int32_t i = rank - 1; i >= 0; i--) {
        int32_t axis = order[i];
        int64_t n = o->view.dims[axis];
        if (stretch && draw(2)) {
            o->view.strides[axis] = 0;
            continue;
        }
        if (gaps) span += (int64_t)size * draw(3);
        o->view.strides[axis] = span;
        if (reverse && draw(2) && n > 0) {
            o->view.strides[axis] = -span;
            offset += span * (n - 1);
        }
        span *= n ? n : 1;
    }
    o->n_bytes = (size_t)span + 2 * GUARD;
    o->memory = malloc(o->n_bytes);
    assert_non_null(o->memory);
    for (size_t i = 0; i < o->n_bytes; i++) o->memory[i] = (char)(draw(256));
    o->view.data = o->memory + GUARD + offset;
}

static void random_shape(int32_t *rank, int64_t *dims, int32_t max_rank) {
    static const int64_t sizes[] = {1, 1, 2, 3, 4, 5, 7, 16, 17, 33, 100, 600, 0};
    *rank = (int32_t)draw((uint32_t)max_rank + 1);
    int64_t n = 1;
    for (int32_t i = 0; i < *rank; i++) {
        int64_t size = sizes[draw(draw(6) ? 12 : 13)];
        if (n * size > MAX_ELEMS) size = 1;
        dims[i] = size;
        n *= size ? size : 1;
    }
}

static void random_operand(operand *o, int32_t rank, const int64_t *dims, ob_dtype dtype) {
    memset(o, 0, sizeof *o);
    int32_t own = draw(3) ? rank : (int32_t)draw((uint32_t)rank + 1);
    o->view.rank = own;
    for (int32_t i = 0; i < own; i++) o->view.dims[i] = draw(3) ? dims[rank - own + i] : 1;
    random_layout(o, false, dtype);
}

/* The common shape of inputs, computed naively; outputs get it. */
static void common_shape(const operand *in, size_t n, int32_t *rank, int64_t *dims) {
    *rank = 0;
    for (size_t k = 0; k < n; k++)
        if (in[k].view.rank > *rank) *rank = in[k].view.rank;
    for (int32_t a = 0; a < *rank; a++) {
        dims[a] = 1;
        for (size_t k = 0; k < n; k++) {
            int32_t own = a - (*rank - in[k].view.rank);
            if (own >= 0 && in[k].view.dims[own] != 1) dims[a] = in[k].view.dims[own];
        }
    }
}

static char *element(const ob_view *view, int32_t rank, const int64_t *index) {
    char *p = view->data;
    for (int32_t a = 0; a < view->rank; a++)
        if (view->dims[a] != 1) p += index[rank - view->rank + a] * view->strides[a];
    return p;
}

static bool next_index(int32_t rank, const int64_t *dims, int64_t *index) {
    for (int32_t a = rank - 1; a >= 0; a--) {
        if (++index[a] < dims[a]) return true;
        index[a] = 0;
    }
    return false;
}

static bool is_empty(int32_t rank, const int64_t *dims) {
    for (int32_t a = 0; a < rank; a++)
        if (dims[a] == 0) return true;
    return false;
}

/* ---- ob_for_each ---- */

typedef struct mix_parameters {
    size_t n_in, n_out;
    int64_t *n_calls;
} mix_parameters;

static int64_t mix(int64_t sum, int64_t x, size_t k) {
    return (int64_t)((uint64_t)sum * 31 + (uint64_t)x + k);
}

static void mix_loop(char *const *pointers, const int64_t *strides, int64_t n, const void *parameters) {
    const mix_parameters *p = parameters;
    ++*p->n_calls;
    for (int64_t i = 0; i < n; i++) {
        int64_t sum = 0;
        for (size_t k = 0; k < p->n_in; k++) {
            int64_t x;
            memcpy(&x, pointers[k] + i * strides[k], sizeof x);
            sum = mix(sum, x, k);
        }
        for (size_t k = 0; k < p->n_out; k++, sum++) memcpy(pointers[p->n_in + k] + i * strides[p->n_in + k], &sum, sizeof sum);
    }
}

static void check_for_each(size_t n_in, size_t n_out, int32_t max_rank) {
    operand in[MAX_INPUTS], out[3];
    ob_view in_views[MAX_INPUTS], out_views[3];
    int32_t rank;
    int64_t dims[OB_MAX_RANK];
    random_shape(&rank, dims, max_rank);
    for (size_t k = 0; k < n_in; k++) {
        random_operand(&in[k], rank, dims, OB_INT64);
        in_views[k] = in[k].view;
    }
    common_shape(in, n_in, &rank, dims);
    char *expected[3];
    for (size_t k = 0; k < n_out; k++) {
        memset(&out[k], 0, sizeof out[k]);
        out[k].view.rank = rank;
        memcpy(out[k].view.dims, dims, sizeof dims);
        random_layout(&out[k], true, OB_INT64);
        out_views[k] = out[k].view;
        expected[k] = malloc(out[k].n_bytes);
        memcpy(expected[k], out[k].memory, out[k].n_bytes);
    }
    int64_t n_calls = 0;
    mix_parameters p = {n_in, n_out, &n_calls};
    assert_int_equal(ob_for_each(in_views, n_in, out_views, n_out, mix_loop, &p, NULL, NULL), OB_OK);
    if (!is_empty(rank, dims)) {
        int64_t index[OB_MAX_RANK] = {0};
        do {
            int64_t sum = 0;
            for (size_t k = 0; k < n_in; k++) {
                int64_t x;
                memcpy(&x, element(&in[k].view, rank, index), sizeof x);
                sum = mix(sum, x, k);
            }
            for (size_t k = 0; k < n_out; k++, sum++) {
                ptrdiff_t at = element(&out[k].view, rank, index) - out[k].memory;
                memcpy(expected[k] + at, &sum, sizeof sum);
            }
        } while (next_index(rank, dims, index));
    } else {
        assert_int_equal(n_calls, 0);
    }
    for (size_t k = 0; k < n_out; k++) {
        assert_memory_equal(expected[k], out[k].memory, out[k].n_bytes); /* including gaps and guard bytes */
        free(expected[k]);
        free(out[k].memory);
    }
    for (size_t k = 0; k < n_in; k++) free(in[k].memory);
}

static void for_each_matches_the_oracle(void **state) {
    (void)state;
    for (int i = 0; i < 1500; i++) check_for_each(1 + draw(4), 1 + draw(3), 8);
}

static void for_each_takes_many_operands(void **state) {
    (void)state;
    for (size_t n = 1; n <= MAX_INPUTS; n++) check_for_each(n, 1 + n % 2, 5);
}

static void count_loop(char *const *pointers, const int64_t *strides, int64_t n, const void *parameters) {
    (void)pointers;
    (void)strides;
    int64_t *counts = *(int64_t *const *)parameters;
    counts[0]++;
    counts[1] += n;
}

static void runs_are_as_long_as_strides_allow(void **state) {
    (void)state;
    static char memory[8];
    static const struct {
        int32_t rank_a, rank_b;
        int64_t a[4], b[4], n_calls;
    } cases[] = {
        {2, 2, {4, 8}, {4, 8}, 1},
        {2, 1, {4, 8}, {1}, 1},
        {2, 1, {4, 8}, {8}, 4},
        {3, 2, {2, 4, 8}, {4, 8}, 2},
        {3, 3, {2, 4, 8}, {2, 1, 1}, 2},
        {4, 3, {2, 3, 5, 7}, {3, 1, 1}, 6},
        {4, 4, {1, 6, 1, 7}, {1, 6, 1, 7}, 1},
        {0, 0, {0}, {0}, 1},
        {2, 2, {0, 3}, {1, 3}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ob_view in[2], out;
        assert_int_equal(ob_view_init(&in[0], memory, OB_FLOAT, cases[i].rank_a, cases[i].a), OB_OK);
        assert_int_equal(ob_view_init(&in[1], memory, OB_FLOAT, cases[i].rank_b, cases[i].b), OB_OK);
        out = in[0];
        int64_t counts[2] = {0, 0}, *context = counts;
        assert_int_equal(ob_for_each(in, 2, &out, 1, count_loop, &context, NULL, NULL), OB_OK);
        assert_int_equal(counts[0], cases[i].n_calls);
        assert_int_equal(counts[1], ob_view_count(&out));
    }
}

static void for_each_refuses(void **state) {
    (void)state;
    char memory[64] = {0};
    ob_view in[2], out;
    int64_t context_counts[2] = {0}, *context = context_counts;
    ob_error error;
    ob_error_clear(&error);
    ob_view_init(&in[0], memory, OB_FLOAT, 2, (int64_t[]){2, 3});
    ob_view_init(&in[1], memory, OB_FLOAT, 1, (int64_t[]){2});
    out = in[0];
    assert_int_equal(ob_for_each(in, 2, &out, 1, count_loop, &context, NULL, &error), OB_E_SHAPE);
    assert_int_equal(error.axis, 1);
    /* an output is never broadcast and never larger than the common shape */
    ob_view_init(&in[1], memory, OB_FLOAT, 1, (int64_t[]){1});
    ob_view_init(&out, memory, OB_FLOAT, 2, (int64_t[]){1, 3});
    assert_int_equal(ob_for_each(in, 2, &out, 1, count_loop, &context, NULL, NULL), OB_E_SHAPE);
    ob_view_init(&out, memory, OB_FLOAT, 2, (int64_t[]){2, 3});
    assert_int_equal(ob_for_each(&in[1], 1, &out, 1, count_loop, &context, NULL, NULL), OB_E_SHAPE);
    /* 0 + 1 gives 0, 0 + 2 is an error */
    ob_view_init(&in[0], memory, OB_FLOAT, 1, (int64_t[]){0});
    out = in[0];
    assert_int_equal(ob_for_each(in, 2, &out, 1, count_loop, &context, NULL, NULL), OB_OK);
    ob_view_init(&in[1], memory, OB_FLOAT, 1, (int64_t[]){2});
    assert_int_equal(ob_for_each(in, 2, &out, 1, count_loop, &context, NULL, NULL), OB_E_SHAPE);
    assert_int_equal(ob_for_each(in, 2, &out, 1, NULL, NULL, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_for_each(in, 5000, &out, 1, count_loop, &context, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(context_counts[0], 0);
}

/* ---- Kernels in blocks: shapes, strides and types that reach every path ---- */

static double number_at(const ob_view *view, const char *p) {
    switch (view->dtype) {
    case OB_FLOAT: {
        float x;
        memcpy(&x, p, sizeof x);
        return (double)x;
    }
    case OB_INT64: {
        int64_t x;
        memcpy(&x, p, sizeof x);
        return (double)x;
    }
    default: return *(const int8_t *)p;
    }
}

static void fill_small(operand *o) {
    /* small integers: sums are exact in any order */
    size_t size = ob_dtype_size(o->view.dtype);
    for (size_t i = (size_t)((char *)o->view.data - o->memory) % size; i + size <= o->n_bytes; i += size) {
        int value = (int)draw(4);
        float f = (float)value;
        int64_t l = value;
        if (o->view.dtype == OB_FLOAT)
            memcpy(o->memory + i, &f, size);
        else if (o->view.dtype == OB_INT64)
            memcpy(o->memory + i, &l, size);
        else
            o->memory[i] = (char)value;
    }
}

static void check_kernel(const char *op, size_t n_in, ob_dtype dtype, int32_t max_rank) {
    operand in[MAX_INPUTS], out;
    ob_view views[MAX_INPUTS];
    int32_t rank;
    int64_t dims[OB_MAX_RANK];
    random_shape(&rank, dims, max_rank);
    for (size_t k = 0; k < n_in; k++) {
        random_operand(&in[k], rank, dims, dtype);
        fill_small(&in[k]);
        views[k] = in[k].view;
    }
    memset(&out, 0, sizeof out);
    common_shape(in, n_in, &rank, dims);
    out.view.rank = rank;
    memcpy(out.view.dims, dims, sizeof dims);
    random_layout(&out, true, dtype);
    char *before = malloc(out.n_bytes);
    memcpy(before, out.memory, out.n_bytes);
    ob_error error;
    ob_error_clear(&error);
    if (ob_elementwise(op, 0, views, n_in, NULL, 0, &out.view, &error) != OB_OK) fail_msg("%s: %s", op, error.message);
    bool maximum = op[0] == 'M';
    if (!is_empty(rank, dims)) {
        int64_t index[OB_MAX_RANK] = {0};
        do {
            double expected = 0;
            for (size_t k = 0; k < n_in; k++) {
                double x = number_at(&in[k].view, element(&in[k].view, rank, index));
                expected = maximum ? (x > expected ? x : expected) : expected + x;
            }
            char *at = element(&out.view, rank, index);
            assert_true(number_at(&out.view, at) == expected);
            memcpy(before + (at - out.memory), at, ob_dtype_size(dtype));
        } while (next_index(rank, dims, index));
    }
    assert_memory_equal(before, out.memory, out.n_bytes);
    free(before);
    free(out.memory);
    for (size_t k = 0; k < n_in; k++) free(in[k].memory);
}

static void kernels_match_the_oracle(void **state) {
    (void)state;
    static const ob_dtype dtypes[] = {OB_FLOAT, OB_INT64, OB_INT8};
    for (int i = 0; i < 2000; i++) check_kernel("Add", 2, dtypes[i % 3], 8);
}

static void folds_match_the_oracle(void **state) {
    (void)state;
    static const ob_dtype dtypes[] = {OB_FLOAT, OB_INT64, OB_INT8};
    for (int i = 0; i < 300; i++) check_kernel("Max", 1 + draw(7), dtypes[i % 3], 6);
    for (size_t n = 1; n <= MAX_INPUTS; n++) check_kernel("Sum", n, OB_FLOAT, 5);
    for (int i = 0; i < 600; i++) check_kernel(i % 2 ? "Sum" : "Max", 4 + draw(9), OB_FLOAT, 4); /* chains */
    for (int i = 0; i < 600; i++) check_kernel(i % 2 ? "Sum" : "Max", 4 + draw(9), OB_FLOAT, 4); /* chains */
}

/* ---- Short rows: the bits of the same operators on operands that are expanded ---- */

static bool same_bits(const ob_view *a, const ob_view *b) {
    const bool is_double = a->dtype == OB_DOUBLE;
    for (int64_t i = 0; i < ob_view_count(a); i++) {
        const double x = is_double ? ((double *)a->data)[i] : (double)((float *)a->data)[i],
                     y = is_double ? ((double *)b->data)[i] : (double)((float *)b->data)[i];
        if (!(x == y && !signbit(x) == !signbit(y)) && !(isnan(x) && isnan(y))) return false;
    }
    return true;
}

/* Multiples of 1/8 and some special values. */
static void fill_special(const ob_view *view) {
    static const double special[] = {(double)NAN, (double)INFINITY, (double)-INFINITY, -0.0, 0x1p-149, -0x1p-140, 0x1p127};
    for (int64_t i = 0; i < ob_view_count(view); i++) {
        const double x = draw(6) == 0 ? special[draw(7)] : ((double)draw(100) - 50) / 8;
        if (view->dtype == OB_DOUBLE)
            ((double *)view->data)[i] = x;
        else
            ((float *)view->data)[i] = (float)x;
    }
}

static void expand(const ob_view *from, const ob_view *to) {
    int64_t index[OB_MAX_RANK] = {0};
    const size_t size = ob_dtype_size(to->dtype);
    do memcpy(element(to, to->rank, index), element(from, to->rank, index), size);
    while (next_index(to->rank, to->dims, index));
}

static void *data_of(ob_view *view, ob_dtype dtype, int32_t rank, const int64_t *dims, size_t offset) {
    char *memory = malloc(ob_dtype_size(dtype) * (size_t)(dims[0] * dims[1] * dims[2] * dims[3]) + 64);
    assert_non_null(memory);
    assert_int_equal(ob_view_init(view, memory + offset, dtype, rank, dims), OB_OK);
    return memory;
}

static void check_short_rows(const char *op, size_t n_in, ob_dtype dtype) {
    enum { MOST = 6 };
    const size_t size = ob_dtype_size(dtype), offset = draw(8) == 0 ? 1 : draw(4) * size;
    const int64_t dims[4] = {1 + (int64_t)draw(5), 1 + (int64_t)draw(30), 1 + (int64_t)draw(50),
                             1 + (int64_t)draw((uint32_t)(80 / size))};
    ob_view in[MOST], whole[MOST], out, expected;
    void *memory[2 * MOST + 2];
    const bool in_place = draw(3) == 0;
    for (size_t k = 0; k < n_in; k++) {
        int64_t own[4];
        for (int a = 0; a < 4; a++) own[a] = draw(5) < 2 && !(k == 0 && in_place) ? 1 : dims[a];
        memory[k] = data_of(&in[k], dtype, 4, own, 0);
        memory[MOST + k] = data_of(&whole[k], dtype, 4, dims, 0);
        fill_special(&in[k]);
        expand(&in[k], &whole[k]);
    }
    memory[2 * MOST] = data_of(&out, dtype, 4, dims, offset);
    memory[2 * MOST + 1] = data_of(&expected, dtype, 4, dims, 0);
    if (in_place) out.data = in[0].data;
    int64_t full[4] = {1, 1, 1, 1}; /* the common shape may be smaller */
    for (size_t k = 0; k < n_in; k++)
        for (int a = 0; a < 4; a++)
            if (in[k].dims[a] > full[a]) full[a] = in[k].dims[a];
    const bool is_prelu = op[0] == 'P'; /* its slope alone is stretched */
    if (memcmp(is_prelu ? in[0].dims : full, dims, sizeof full) == 0) {
        assert_int_equal(ob_elementwise(op, 0, whole, n_in, NULL, 0, &expected, NULL), OB_OK);
        assert_int_equal(ob_elementwise(op, 0, in, n_in, NULL, 0, &out, NULL), OB_OK);
        if (in_place || offset != 1) {
            assert_true(same_bits(&out, &expected));
        } else { /* misaligned */
            memmove(memory[2 * MOST], out.data, size * (size_t)ob_view_count(&out));
            out.data = memory[2 * MOST];
            assert_true(same_bits(&out, &expected));
        }
    }
    for (size_t k = 0; k < n_in; k++) {
        free(memory[k]);
        free(memory[MOST + k]);
    }
    free(memory[2 * MOST]);
    free(memory[2 * MOST + 1]);
}

static void short_rows_have_the_bits_of_long_ones(void **state) {
    (void)state;
    static const unsigned levels[] = {0, OBK_ISA_AVX2, ~0u};
    static const char *const two[] = {"Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu"}, *const more[] = {"Sum", "Max", "Min",
                                                                                                           "Mean"};
    for (int l = 0; l < 3; l++) {
        ob__kernels_limit(levels[l]);
        for (int i = 0; i < 700; i++) check_short_rows(two[i % 7], 2, i / 7 % 3 ? OB_FLOAT : OB_DOUBLE);
        for (int i = 0; i < 240; i++) check_short_rows(more[i % 4], 2 + draw(5), i / 4 % 3 ? OB_FLOAT : OB_DOUBLE);
    }
}

/* ---- Work shared between threads: ranges come in any order ---- */

static void scattered(void *pool, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end),
                      void *context) {
    (void)grain;
    int64_t step = n / 5 + 1;
    for (int64_t begin = (n - 1) / step * step; begin >= 0; begin -= step) {
        task(context, begin, begin + step < n ? begin + step : n);
        ++*(int *)pool;
    }
}

static void ranges_cover_everything(void **state) {
    (void)state;
    static const struct {
        int64_t a[4], b[4];
        bool fold;
    } cases[] = {
        {{1, 1, 1, 300000}, {1, 1, 1, 300000}, false}, {{1, 1, 300, 1000}, {1, 1, 1, 1000}, false},
        {{1, 1, 90000, 3}, {1, 1, 90000, 1}, false},   {{1, 1, 90000, 3}, {1, 1, 1, 3}, false},
        {{40, 30, 1, 16}, {40, 1, 20, 1}, false},      {{4, 300, 7, 37}, {1, 300, 1, 1}, false},
        {{4, 300, 7, 37}, {4, 1, 7, 37}, true},        {{1, 1, 300, 1000}, {1, 1, 300, 1}, true},
        {{70, 1, 61, 3}, {1, 31, 1, 3}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t dims[4], n = 1, n_in[2] = {1, 1};
        for (int k = 0; k < 4; k++) {
            dims[k] = cases[i].a[k] > cases[i].b[k] ? cases[i].a[k] : cases[i].b[k];
            n *= dims[k];
            n_in[0] *= cases[i].a[k];
            n_in[1] *= cases[i].b[k];
        }
        float *data[2], *results[2];
        ob_view in[2], out;
        for (int k = 0; k < 2; k++) {
            data[k] = malloc((size_t)n_in[k] * sizeof(float));
            results[k] = calloc((size_t)n, sizeof(float));
            for (int64_t j = 0; j < n_in[k]; j++) data[k][j] = (float)draw(1000);
            ob_view_init(&in[k], data[k], OB_FLOAT, 4, k ? cases[i].b : cases[i].a);
        }
        ob_view_init(&out, results[0], OB_FLOAT, 4, dims);
        ob_arena arena;
        obk_iteration iteration = {0};
        ob__arena_init(&arena, NULL);
        obk_iteration_spec spec = {.loop = OBK_LOOPS(binary)[OBK_ADD][OB_FLOAT], .fold = cases[i].fold};
        size_t lane_bytes = 0;
        assert_int_equal(obk_iteration_plan(&iteration, in, 2, &out, &spec, &arena, &lane_bytes, NULL), OB_OK);
        obk_iteration_run(&iteration, in, &out, NULL, NULL, 0); /* with small tiles on the stack, if any are needed */
        int n_ranges = 0;
        ob_threads threads = {.run = scattered, .pool = &n_ranges, .n_threads = 3};
        out.data = results[1];
        const size_t lane_stride = (lane_bytes + 63) / 64 * 64;
        char *lanes = lane_bytes ? aligned_alloc(64, 3 * lane_stride) : NULL;
        obk_iteration_run(&iteration, in, &out, &threads, lanes, lane_stride);
        free(lanes);
        assert_true(n_ranges > 1);
        assert_memory_equal(results[0], results[1], (size_t)n * sizeof(float));
        assert_true(results[0][n - 1] == data[0][n_in[0] - 1] + data[1][n_in[1] - 1]);
        ob__arena_release(&arena);
        for (int k = 0; k < 2; k++) {
            free(data[k]);
            free(results[k]);
        }
    }
}

/* Results larger than the caches are written past them: every shape of block once. */
static void large_results(void **state) {
    (void)state;
    static const struct {
        int64_t a[3], b[3];
    } cases[] = {{{1, 5003, 5003}, {1, 1, 5003}},
                 {{1, 5003, 5003}, {1, 5003, 1}},
                 {{263, 300, 333}, {1, 300, 1}},
                 {{8000000, 1, 4}, {1, 1, 4}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int64_t *d = cases[i].a;
        int64_t n = d[0] * d[1] * d[2], m = cases[i].b[0] * cases[i].b[1] * cases[i].b[2];
        uint8_t *a = malloc((size_t)n), *b = malloc((size_t)m), *z = malloc((size_t)n + 2);
        for (int64_t k = 0; k < n; k++) a[k] = (uint8_t)(k * 7 >> 3);
        for (int64_t k = 0; k < m; k++) b[k] = (uint8_t)draw(256);
        ob_view in[2], out;
        ob_view_init(&in[0], a, OB_UINT8, 3, d);
        ob_view_init(&in[1], b, OB_UINT8, 3, cases[i].b);
        z[0] = z[n + 1] = 0x5A;
        ob_view_init(&out, z + 1, OB_UINT8, 3, d); /* not aligned to a vector */
        assert_int_equal(ob_elementwise("Add", 14, in, 2, NULL, 0, &out, NULL), OB_OK);
        bool row = cases[i].b[1] == 1, equal = true;
        for (int64_t k = 0; k < n; k++) {
            int64_t at = row ? k % d[2] : k / d[2] % d[1];
            equal &= z[1 + k] == (uint8_t)(a[k] + b[at]);
        }
        assert_true(equal);
        assert_int_equal(z[0] + z[n + 1], 0x5A * 2);
        free(a);
        free(b);
        free(z);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(for_each_matches_the_oracle),
        cmocka_unit_test(for_each_takes_many_operands),
        cmocka_unit_test(runs_are_as_long_as_strides_allow),
        cmocka_unit_test(for_each_refuses),
        cmocka_unit_test(kernels_match_the_oracle),
        cmocka_unit_test(folds_match_the_oracle),
        cmocka_unit_test(short_rows_have_the_bits_of_long_ones),
        cmocka_unit_test(ranges_cover_everything),
        cmocka_unit_test(large_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
