/* Work is bounded by the elements read and written: windows in the padding only, sizes of 0 beside huge ones, parameters that
 * are numbers of iterations. Unbounded work would not end, so an alarm ends the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel_case.h"
#include "onnx_broadcast/session.h"
#include "row_case.h"

enum { SECONDS = 120 };

/* ---- Windows ---- */

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

/* ---- Sizes of 0 beside huge ones: nothing to do ---- */

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

/* 2^40 steps of an empty batch. */
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
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_recurrence),
    };
    alarm(SECONDS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
