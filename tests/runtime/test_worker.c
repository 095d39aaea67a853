/* Workers: one plan, several threads, the same bits as the session. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "onnx_broadcast/worker.h"
#include "session_case.h"

enum { ROWS = 300, COLUMNS = 40, N_WORKERS = 4, RUNS = 60 };

/* y = softmax(relu(x W + b)) * max(x W, 0.5) and the same as text: products, scratch, folds, strings. x (N, 40). */
static ob_model *busy_model(void) {
    static float w[COLUMNS * COLUMNS], b[COLUMNS], half[] = {0.5f};
    for (int i = 0; i < COLUMNS * COLUMNS; i++) w[i] = (float)(i % 23) / 7 - 1;
    for (int i = 0; i < COLUMNS; i++) b[i] = (float)(i % 5) - 2;
    ob_model *model = new_model(13);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 40");
    ob_value *weights = new_weight(model, "w", OB_FLOAT, 2, (int64_t[]){COLUMNS, COLUMNS}, w);
    ob_value *bias = new_weight(model, "b", OB_FLOAT, 1, (int64_t[]){COLUMNS}, b);
    ob_value *floor = new_weight(model, "half", OB_FLOAT, 1, (int64_t[]){1}, half);
    ob_value *product = new_node(model, "MatMul", "product", 2, x, weights);
    ob_value *relu = new_node(model, "Relu", "relu", 1, new_node(model, "Add", "sum", 2, product, bias));
    ob_value *softmax = new_node(model, "Softmax", "softmax", 1, relu);
    ob_value *y = new_node(model, "Mul", "y", 2, softmax, new_node(model, "Max", "max", 2, product, floor));
    ob_value *text = new_node(model, "Cast", "text", 1, y);
    ob_attribute *to = OB_ARENA_NEW(&model->arena, ob_attribute);
    assert_non_null(to);
    to->name = "to";
    to->type = OB_ATTR_INT;
    to->u.i = OB_STRING;
    assert_true(ob__node_set_attribute(text->producer, to));
    new_output(model, y);
    new_output(model, text);
    return model;
}

static void fill(float *x, int n, uint32_t seed) {
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        x[i] = (float)(seed >> 8) / (1 << 23) - 1;
    }
}

static bool same_strings(const ob_view *a, const ob_view *b) {
    const ob_string *x = a->data, *y = b->data;
    for (int64_t i = 0; i < ob_view_count(a); i++)
        if (x[i].n != y[i].n || memcmp(x[i].data, y[i].data, x[i].n) != 0) return false;
    return true;
}

/* ---- At once ---- */

typedef struct job {
    ob_worker *worker;
    const float *x;            /* ROWS rows */
    const ob_view *want;       /* y, text */
    int n_failed, n_different; /* assertions are for the main thread */
} job;

static void *run_often(void *context) {
    job *j = context;
    for (int i = 0; i < RUNS; i++) {
        ob_error error;
        ob_view in, out[2] = {{0}};
        if (ob_view_init(&in, (void *)(uintptr_t)j->x, OB_FLOAT, 2, (int64_t[]){ROWS, COLUMNS}) != OB_OK ||
            ob_worker_run(j->worker, &in, 1, out, 2, &error) != OB_OK) {
            j->n_failed++;
            continue;
        }
        bool same = memcmp(out[0].data, j->want[0].data, ROWS * COLUMNS * sizeof(float)) == 0;
        if (!same || !same_strings(&out[1], &j->want[1])) j->n_different++;
    }
    return NULL;
}

/* Four workers with different inputs, while the session plans for other shapes and drops the plan that they run. */
static void test_at_once(void **state) {
    (void)state;
    static float x[N_WORKERS][ROWS * COLUMNS];
    ob_model *model = busy_model();
    ob_session_config config;
    ob_session *session = NULL, *oracle = open_session(model, true);
    ob_view want[N_WORKERS][2] = {{{0}}};
    job jobs[N_WORKERS];
    pthread_t threads[N_WORKERS];
    ob_session_config_init(&config);
    config.max_plans = 1;
    assert_int_equal(ob_session_create(model, &config, &session, NULL), OB_OK);
    for (int i = 0; i < N_WORKERS; i++) {
        fill(x[i], ROWS * COLUMNS, (uint32_t)i);
        ob_view in = view_of(x[i], OB_FLOAT, 2, ROWS, COLUMNS);
        jobs[i] = (job){.x = x[i], .want = want[i]};
        want[i][0].data = malloc(ROWS * COLUMNS * sizeof(float));
        assert_int_equal(ob_view_init(&want[i][0], want[i][0].data, OB_FLOAT, 2, in.dims), OB_OK);
        run_ok(session, &in, 1, NULL, 0);
        assert_int_equal(ob_worker_create(session, NULL, &jobs[i].worker, NULL), OB_OK);
    }
    /* The strings of a run exist until the next one, so each input has a separate worker. */
    ob_worker *keepers[N_WORKERS];
    for (int i = 0; i < N_WORKERS; i++) {
        ob_view in = view_of(x[i], OB_FLOAT, 2, ROWS, COLUMNS), text[2] = {want[i][0], {0}};
        run_ok(oracle, &in, 1, want[i], 2);
        assert_int_equal(ob_worker_create(oracle, NULL, &keepers[i], NULL), OB_OK);
        assert_int_equal(ob_worker_run(keepers[i], &in, 1, text, 2, NULL), OB_OK);
        assert_true(same_strings(&text[1], &want[i][1]));
        want[i][1] = text[1];
    }
    for (int i = 0; i < N_WORKERS; i++) assert_int_equal(pthread_create(&threads[i], NULL, run_often, &jobs[i]), 0);
    for (int n = 1; n < 60; n++) {
        ob_view in = view_of(x[0], OB_FLOAT, 2, n, COLUMNS), out = {0};
        run_ok(session, &in, 1, &out, 1);
        assert_int_equal(out.dims[0], n); /* other bits: a product of few rows adds in another order */
    }
    for (int i = 0; i < N_WORKERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(jobs[i].n_failed, 0);
        assert_int_equal(jobs[i].n_different, 0);
        ob_worker_close(&jobs[i].worker);
        assert_null(jobs[i].worker);
        ob_worker_close(&keepers[i]);
        free(want[i][0].data);
    }
    ob_session_close(&session);
    ob_session_close(&oracle);
    ob_model_close(&model);
}

/* ---- One thread ---- */

static void test_inputs_of_another_plan(void **state) {
    (void)state;
    static float x[ROWS * COLUMNS];
    ob_model *model = busy_model();
    ob_session *session = open_session(model, true);
    ob_worker *worker = NULL;
    ob_error error;
    assert_int_equal(ob_worker_create(session, NULL, &worker, &error), OB_E_ARGUMENT);
    assert_string_equal(error.message, "the session has no plan to share: prepare or run it first");
    ob_view in = view_of(x, OB_FLOAT, 2, 2, COLUMNS), out = {0};
    assert_int_equal(ob_session_prepare(session, &in, 1, NULL), OB_OK);
    assert_int_equal(ob_worker_create(session, NULL, &worker, &error), OB_OK);
    in = view_of(x, OB_FLOAT, 2, 3, COLUMNS);
    run_ok(session, &in, 1, &out, 1); /* the session continues to work */
    out.data = NULL;
    assert_int_equal(ob_worker_run(worker, &in, 1, &out, 1, &error), OB_E_SHAPE);
    assert_string_equal(error.message, "input x: the worker's plan is for [2, 40], but [3, 40] was given");
    assert_string_equal(error.value, "x");
    in = view_of(x, OB_DOUBLE, 2, 2, COLUMNS);
    assert_int_equal(ob_worker_run(worker, &in, 1, &out, 1, &error), OB_E_TYPE);
    assert_string_equal(error.message, "input x: the worker's plan is for float, but double was given");
    in = view_of(x, OB_FLOAT, 2, 2, COLUMNS);
    in.strides[0] = 0;
    assert_int_equal(ob_worker_run(worker, &in, 1, &out, 1, &error), OB_E_SHAPE);
    assert_string_equal(error.message, "input x: the worker's plan is for [2, 40], but [2, 40] was given with other strides");
    in = view_of(NULL, OB_FLOAT, 2, 2, COLUMNS);
    assert_int_equal(ob_worker_run(worker, &in, 1, &out, 1, &error), OB_E_ARGUMENT);
    in = view_of(x, OB_FLOAT, 2, 2, COLUMNS);
    assert_int_equal(ob_worker_run(worker, &in, 0, &out, 1, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_worker_run(worker, &in, 1, &out, 3, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_worker_run(NULL, &in, 1, &out, 1, &error), OB_E_ARGUMENT);
    assert_null(out.data);
    assert_int_equal(ob_worker_run(worker, &in, 1, &out, 1, &error), OB_OK);
    assert_int_equal(out.dims[0], 2);
    ob_worker_close(&worker);
    ob_worker_close(&worker);
    ob_worker_close(NULL);
    ob_session_close(&session);
    ob_model_close(&model);
}

/* The plan depends on the elements of `shape`: with other elements a worker cannot run. Sizes 0 and 1. */
static void test_elements_that_decide(void **state) {
    (void)state;
    float x[6] = {1, 2, 3, 4, 5, 6};
    int64_t shape[] = {1, 6, 1};
    ob_model *model = new_model(14);
    ob_value *data = new_input(model, "x", OB_FLOAT, "6"), *to = new_input(model, "shape", OB_INT64, "3");
    new_output(model, new_node(model, "Neg", "y", 1, new_node(model, "Reshape", "r", 2, data, to)));
    ob_session *session = open_session(model, true);
    ob_worker *worker = NULL;
    ob_error error;
    ob_view in[2] = {view_of(x, OB_FLOAT, 1, 6), view_of(shape, OB_INT64, 1, 3)}, out = {0};
    run_ok(session, in, 2, &out, 1);
    assert_int_equal(ob_worker_create(session, NULL, &worker, &error), OB_OK);
    out.data = NULL;
    assert_int_equal(ob_worker_run(worker, in, 2, &out, 1, &error), OB_OK);
    expect_floats(&out, (float[]){-1, -2, -3, -4, -5, -6}, 6);
    assert_int_equal(out.dims[1], 6);
    shape[0] = 2, shape[1] = 3;
    assert_int_equal(ob_worker_run(worker, in, 2, &out, 1, &error), OB_E_SHAPE);
    assert_string_equal(error.value, "shape");
    ob_worker_close(&worker);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_nothing_to_do(void **state) {
    (void)state;
    ob_model *model = busy_model();
    ob_session *session = open_session(model, true);
    ob_worker *worker = NULL;
    ob_view in = view_of(NULL, OB_FLOAT, 2, 0, COLUMNS), out[2] = {{0}};
    run_ok(session, &in, 1, out, 2);
    assert_int_equal(ob_worker_create(session, NULL, &worker, NULL), OB_OK);
    out[0].data = out[1].data = NULL;
    assert_int_equal(ob_worker_run(worker, &in, 1, out, 2, NULL), OB_OK);
    assert_int_equal(ob_view_count(&out[0]), 0);
    ob_worker_close(&worker);
    ob_session_close(&session);
    ob_model_close(&model);
}

/* The number of NonZero's results depends on the data: the following shapes are determined during the run. */
static void test_dynamic_plans_are_refused(void **state) {
    (void)state;
    float x[] = {1, 0, 2};
    ob_model *model = new_model(14);
    new_output(model, new_node(model, "NonZero", "where", 1, new_input(model, "x", OB_FLOAT, "3")));
    ob_session *session = open_session(model, true);
    ob_worker *worker = NULL;
    ob_error error;
    ob_view in = view_of(x, OB_FLOAT, 1, 3), out = {0};
    run_ok(session, &in, 1, &out, 1);
    assert_int_equal(ob_worker_create(session, NULL, &worker, &error), OB_E_UNSUPPORTED);
    assert_string_equal(error.node, "where");
    assert_string_equal(error.message, "workers cannot share this plan: this node is planned while it runs");
    assert_null(worker);
    ob_session_close(&session);
    ob_model_close(&model);
}

/* All memory from the caller; the worker's allocator provides the rest and is not called during a run. */
static void test_memory(void **state) {
    (void)state;
    static float x[9], y[9];
    static _Alignas(64) unsigned char block[64 + 64];
    counter c = {0};
    ob_allocator allocator = counting(&c);
    ob_model *model = scale_model();
    ob_session_config config;
    ob_session *session;
    ob_worker_config how;
    ob_worker *worker = NULL;
    ob_error error;
    ob_session_memory memory;
    ob_session_config_init(&config);
    config.optimize = false;
    assert_int_equal(ob_session_create(model, &config, &session, NULL), OB_OK);
    ob_view in = view_of(x, OB_FLOAT, 2, 3, 3), out = {0};
    run_ok(session, &in, 1, &out, 1);
    ob_worker_config_init(&how);
    how.allocator = &allocator;
    how.caller_memory = true;
    assert_int_equal(ob_worker_create(session, &how, &worker, &error), OB_OK);
    c.forbidden = true;
    ob_worker_get_memory(worker, &memory);
    assert_int_equal(memory.work_bytes, 64);
    assert_int_equal(memory.session_bytes, c.n_bytes);
    out = view_of(y, OB_FLOAT, 2, 3, 3);
    assert_int_equal(ob_worker_run(worker, &in, 1, &out, 1, &error), OB_E_MEMORY);
    assert_string_equal(error.message, "a run needs 64 bytes of work memory, the caller gives 0");
    assert_int_equal(ob_worker_set_memory(worker, block + 1, 64, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_worker_set_memory(NULL, block, 64, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_worker_set_memory(worker, block, 64, &error), OB_OK);
    memset(block, 0xa5, sizeof block);
    assert_int_equal(ob_worker_run(worker, &in, 1, &out, 1, &error), OB_OK);
    expect_floats(&out, (float[]){0, 0, 1, 0, 0, 1, 0, 0, 1}, 9);
    for (int i = 64; i < 128; i++) assert_int_equal(block[i], 0xa5);
    out.data = NULL;
    assert_int_equal(ob_worker_run(worker, &in, 1, &out, 1, &error), OB_E_MEMORY);
    c.forbidden = false;
    ob_worker_close(&worker);
    assert_int_equal(c.n_bytes, 0);
    how.struct_bytes = 0;
    assert_int_equal(ob_worker_create(session, &how, &worker, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_worker_create(NULL, NULL, &worker, &error), OB_E_ARGUMENT);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_out_of_memory(void **state) {
    (void)state;
    float x[3] = {1, 2, 3};
    ob_model *model = scale_model();
    ob_session *session = open_session(model, false);
    ob_view in = view_of(x, OB_FLOAT, 2, 1, 3), out = {0};
    run_ok(session, &in, 1, &out, 1);
    size_t fail_at = 1;
    for (;; fail_at++) {
        counter c = {.fail_at = fail_at};
        ob_allocator allocator = counting(&c);
        ob_worker_config how;
        ob_worker *worker = NULL;
        ob_error error;
        ob_worker_config_init(&how);
        how.allocator = &allocator;
        ob_status status = ob_worker_create(session, &how, &worker, &error);
        ob_worker_close(&worker);
        assert_int_equal(c.n_bytes, 0);
        if (status == OB_OK) break;
        assert_int_equal(status, OB_E_MEMORY);
        assert_int_equal(error.code, OB_E_MEMORY);
    }
    assert_true(fail_at > 4);
    ob_session_close(&session);
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_inputs_of_another_plan),
        cmocka_unit_test(test_elements_that_decide),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_dynamic_plans_are_refused),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_out_of_memory),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
