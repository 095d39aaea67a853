/* Work is bounded by what is read and written: windows that meet padding only, sizes of 0 beside huge ones, parameters that count
 * loops. What is not would not end: an alarm ends the program instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel_case.h"
#include "onnx_broadcast/session.h"
#include "ops/conv/window.h"
#include "row_case.h"

enum { SECONDS = 120 };

/* ---- Windows ------------------------------------------------------------------------------------------------------ */

typedef struct visits {
    uint64_t sum, n_calls; /* of tap, result and element of every visit */
} visits;

static uint64_t mix(int64_t tap, int64_t out, int64_t in) {
    uint64_t z = (uint64_t)tap * 0x9e3779b97f4a7c15u + (uint64_t)out * 0xbf58476d1ce4e5b9u + (uint64_t)in * 0x94d049bb133111ebu;
    return (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
}

static void visit(void *context, int64_t tap, int64_t out, int64_t in, int64_t n, int64_t step) {
    visits *v = context;
    v->n_calls++;
    for (int64_t i = 0; i < n; i++) v->sum += mix(tap, out + i, in + i * step);
}

/* Every tap of every result, one by one. */
static uint64_t expected(const ob__window *w) {
    uint64_t sum = 0;
    for (int64_t o = 0; o < w->n_out; o++)
        for (int64_t tap = 0; tap < w->n_taps; tap++) {
            int64_t rest_o = o, rest_k = tap, in = 0, scale = 1;
            bool inside = true;
            for (int32_t a = w->rank - 1; a >= 0; a--) {
                int64_t at = rest_o % w->out[a] * w->stride[a] - w->before[a] + rest_k % w->kernel[a] * w->dilation[a];
                rest_o /= w->out[a];
                rest_k /= w->kernel[a];
                inside = inside && at >= 0 && at < w->in[a];
                in += at * scale;
                scale *= w->in[a];
            }
            if (inside) sum += mix(tap, o, in);
        }
    return sum;
}

static void test_windows(void **state) {
    (void)state;
    srand(1);
    for (int round = 0; round < 4000; round++) {
        ob__window w = {.rank = 1 + rand() % 2, .n_in = 1, .n_out = 1, .n_taps = 1};
        for (int32_t a = 0; a < w.rank; a++) {
            w.in[a] = 1 + rand() % 5;
            w.out[a] = 1 + rand() % 5;
            w.kernel[a] = 1 + rand() % 12;
            w.stride[a] = 1 + rand() % 9;
            w.dilation[a] = 1 + rand() % 7;
            w.before[a] = rand() % 40;
            w.n_in *= w.in[a];
            w.n_out *= w.out[a];
            w.n_taps *= w.kernel[a];
        }
        visits v = {0};
        ob__window_walk(&w, visit, &v);
        assert_true(v.sum == expected(&w));
        assert_true((int64_t)v.n_calls <= w.n_in * w.n_out); /* a call visits at least one element */
    }
}

/* A kernel of 2^20 by 2^20, of which one element of each axis is not padding. */
static void test_huge_window(void **state) {
    (void)state;
    const int64_t size = INT64_C(1) << 20;
    ob__window w = {.rank = 2, .n_in = 4, .n_out = 1, .n_taps = size * size};
    for (int32_t a = 0; a < 2; a++) {
        w.in[a] = 2;
        w.out[a] = 1;
        w.kernel[a] = size;
        w.stride[a] = w.dilation[a] = 1;
        w.before[a] = size - 2;
    }
    visits v = {0};
    ob__window_walk(&w, visit, &v);
    assert_int_equal(v.n_calls, 4);
    for (int32_t a = 0; a < 2; a++) { /* far apart: 2^31 steps from hit to hit */
        w.dilation[a] = 3;
        w.stride[a] = INT32_MAX;
        w.out[a] = 2;
        w.kernel[a] = INT32_MAX;
        w.before[a] = INT32_MAX - 1;
    }
    w.n_out = 4;
    w.n_taps = (int64_t)INT32_MAX * INT32_MAX;
    v = (visits){0};
    ob__window_walk(&w, visit, &v);
    assert_in_range(v.n_calls, 1, 16);
}

static void test_pools(void **state) {
    (void)state;
    static const char *const ops[] = {"MaxPool", "AveragePool", "LpPool"};
    const int64_t size = INT64_C(1) << 20;
    for (int i = 0; i < 3; i++)
        for (int form = 0; form < 3; form++) { /* 1 by 1 results; with Indices; counted padding */
            kernel_case *c = kc_open(ops[i], 11);
            kc_ints(c, "kernel_shape", (int64_t[]){size, size}, 2);
            kc_ints(c, "pads", (int64_t[]){size - 2, size - 2, 0, 0}, 4);
            if (form == 2) kc_int(c, "count_include_pad", 1);
            memcpy(kc_in(c, 0, OB_FLOAT, DIMS(1, 1, 2, 2))->data, (float[]){1, -2, 3, -4}, 16);
            kc_out(c, 0, OB_FLOAT, DIMS(1, 1, 1, 1));
            if (form == 1 && i == 0) kc_out(c, 1, OB_INT64, DIMS(1, 1, 1, 1));
            kc_run(c);
            double is = kc_get(&c->out[0], 0);
            double want = i == 0 ? 3 : i == 2 ? sqrt(30) : form == 2 ? -2 / ((double)size * (double)size) : -0.5;
            assert_true(fabs(is - want) <= 1e-6 * fabs(want));
            if (form == 1 && i == 0) assert_true(kc_get(&c->out[1], 0) == 2);
            kc_close(c);
        }
}

/* ---- Sizes of 0 beside huge ones: nothing to do ----------------------------------------------------------------------- */

static void run_row(const ob_op *op, int32_t rank, const int64_t *dims, row_operands operands, uint32_t n_inputs) {
    uint32_t n_outputs = op->out_min > 0 ? (uint32_t)op->out_min : 1;
    ob_model *model = row_model(op, rank, dims, operands, n_inputs, n_outputs);
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = NULL;
        ob_session_config config;
        ob_error error;
        ob_session_config_init(&config);
        config.max_memory = 64 << 20;
        config.optimize = optimize;
        if (getenv("OB_TEST_VERBOSE")) print_message("%s-%d rank %d [%lld ...\n", op->name, op->since, rank, (long long)dims[0]);
        if (ob_session_create(model, &config, &session, &error) == OB_OK) ob_session_run(session, NULL, 0, NULL, 0, &error);
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

static void test_nothing(void **state) {
    (void)state;
    const int64_t huge = INT64_C(1) << 40, large = INT64_C(1) << 20;
    const struct {
        int32_t rank;
        int64_t dims[5];
    } shapes[] = {{1, {0}},
                  {2, {0, huge}},
                  {2, {huge, 0}},
                  {3, {large, large, 0}},
                  {3, {0, large, large}},
                  {3, {huge, 0, 3}},
                  {4, {large, large, 0, 3}},
                  {4, {1, 0, large, large}},
                  {4, {large, 0, large, 1}},
                  {5, {1, large, large, 0, 1}}};
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        if (!op->kernel || op->deprecated) continue;
        uint32_t most = op->in_max < 5 ? (uint32_t)op->in_max : 5;
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
            for (int operands = ROW_ALIKE; operands <= ROW_ONES; operands++) {
                run_row(op, shapes[k].rank, shapes[k].dims, (row_operands)operands, (uint32_t)op->in_min);
                if (most > (uint32_t)op->in_min) run_row(op, shapes[k].rank, shapes[k].dims, (row_operands)operands, most);
            }
    }
}

/* 2^40 steps of a batch of nothing. */
static void test_recurrence(void **state) {
    (void)state;
    static const char *const ops[] = {"RNN", "GRU", "LSTM"};
    for (int i = 0; i < 3; i++) {
        int64_t gates = i == 0 ? 1 : i == 1 ? 3 : 4;
        kernel_case *c = kc_open(ops[i], 14);
        kc_int(c, "hidden_size", 1);
        kc_in(c, 0, OB_FLOAT, DIMS(INT64_C(1) << 40, 0, 1));
        kc_in(c, 1, OB_FLOAT, DIMS(1, gates, 1));
        kc_in(c, 2, OB_FLOAT, DIMS(1, gates, 1));
        kc_out(c, 0, OB_FLOAT, DIMS(INT64_C(1) << 40, 1, 0, 1));
        kc_run(c);
        kc_close(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows), cmocka_unit_test(test_huge_window), cmocka_unit_test(test_pools),
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_recurrence),
    };
    alarm(SECONDS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
