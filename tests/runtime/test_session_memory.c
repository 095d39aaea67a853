/* The memory of a session: its amount, the time of allocations, the owner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "session_case.h"

static void test_caller_memory(void **state) {
    (void)state;
    float x[] = {1, 2, 3}, y[3] = {9, 9, 9}, y2[6];
    ob_model *model = scale_model();
    ob_session *session = open_session(model, true);
    ob_error error;
    ob_view in = view_of(x, OB_FLOAT, 2, 1, 3), out = view_of(y, OB_FLOAT, 2, 1, 3);
    run_ok(session, &in, 1, &out, 1);
    assert_ptr_equal(out.data, y);
    assert_memory_equal(y, ((float[]){0, 2, 4}), sizeof y);
    out = view_of(y2, OB_FLOAT, 2, 2, 3);
    assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_E_SHAPE);
    assert_string_equal(error.message, "output y: the memory given is for [2, 3], the result is [1, 3]");
    out = view_of(y2, OB_INT32, 2, 1, 3);
    assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_E_TYPE);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_run_allocates_nothing(void **state) {
    (void)state;
    float x[30] = {0};
    counter c = {0};
    ob_allocator allocator = counting(&c);
    ob_model *model = scale_model();
    ob_session_config config;
    ob_session *session;
    ob_session_config_init(&config);
    config.allocator = &allocator;
    assert_int_equal(ob_session_create(model, &config, &session, NULL), OB_OK);
    for (int n = 0; n <= 4; n += 2) {
        ob_view in = view_of(x, OB_FLOAT, 2, n, 3);
        assert_int_equal(ob_session_prepare(session, &in, 1, NULL), OB_OK);
    }
    c.forbidden = true;
    for (int round = 0; round < 3; round++)
        for (int n = 0; n <= 4; n += 2) {
            ob_view in = view_of(x, OB_FLOAT, 2, n, 3), out = {0};
            run_ok(session, &in, 1, &out, 1);
        }
    c.forbidden = false;
    ob_session_close(&session);
    assert_int_equal(c.n_alive, 0);
    assert_int_equal(c.n_bytes, 0);
    ob_model_close(&model);
}

/* Every allocation fails once: the call reports it, nothing leaks, and the next attempt succeeds. */
static void test_out_of_memory(void **state) {
    (void)state;
    float x[6] = {1, 2, 3, 4, 5, 6};
    ob_model *model = scale_model();
    for (size_t fail_at = 1;; fail_at++) {
        counter c = {.fail_at = fail_at};
        ob_allocator allocator = counting(&c);
        ob_session_config config;
        ob_session *session = NULL;
        ob_view in = view_of(x, OB_FLOAT, 2, 2, 3), out = {0};
        ob_error error;
        ob_session_config_init(&config);
        config.allocator = &allocator;
        ob_status status = ob_session_create(model, &config, &session, &error);
        if (status == OB_OK)
            status = ob_session_run(session, &in, 1, &out, 1, &error);
        else
            assert_null(session);
        bool reached = c.n_calls >= fail_at;
        if (status != OB_OK) {
            assert_int_equal(status, OB_E_MEMORY);
            assert_null(out.data);
        }
        ob_session_close(&session);
        assert_int_equal(c.n_alive, 0);
        assert_int_equal(c.n_bytes, 0);
        if (!reached) {
            assert_int_equal(status, OB_OK);
            break;
        }
        assert_true(fail_at < 10000);
    }
    ob_model_close(&model);
}

static void test_memory_limit(void **state) {
    (void)state;
    static float x[300000];
    ob_model *model = scale_model();
    ob_session_config config;
    ob_session *session;
    ob_error error;
    ob_session_config_init(&config);
    config.optimize = false;
    assert_int_equal(ob_session_create(model, &config, &session, NULL), OB_OK);
    ob_view in = view_of(x, OB_FLOAT, 2, 10, 3), out = {0};
    ob_session_memory memory;
    run_ok(session, &in, 1, &out, 1);
    ob_session_get_memory(session, &memory);
    ob_session_close(&session);
    config.max_memory = memory.session_bytes + 500000; /* all memory that a small run keeps, and enough to plan it */
    assert_int_equal(ob_session_create(model, &config, &session, NULL), OB_OK);
    in = view_of(x, OB_FLOAT, 2, 100000, 3);
    out = (ob_view){0};
    assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_E_LIMIT);
    in = view_of(x, OB_FLOAT, 2, 10, 3);
    run_ok(session, &in, 1, &out, 1);
    ob_session_close(&session);
    ob_model_close(&model);
}

/* Scratch memory of an Add of `rows` rows of 12 bytes with an operand that is stretched: tiles of the operands, of the result,
 * and one to convert it. A tile is not larger than the result. */
enum { LARGE_TILE = 16384, ADD_TILES = 4 * LARGE_TILE };

static int add_scratch(int rows) {
    int tile = (rows * 12 + 63) / 64 * 64;
    return 4 * (tile < LARGE_TILE ? tile : LARGE_TILE);
}

/* y = Relu(x + b), one node after the other: `sum` is in work memory, 12 bytes for each row. */
static ob_session *open_given(const ob_model *model, const ob_allocator *allocator, bool caller_memory) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config_init(&config);
    config.allocator = allocator;
    config.optimize = false;
    config.caller_memory = caller_memory;
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
    return session;
}

/* The memory that a session reports is always the memory allocated. */
static void test_session_bytes(void **state) {
    (void)state;
    static float x[3000];
    counter c = {0};
    ob_allocator allocator = counting(&c);
    ob_model *model = scale_model();
    ob_session *session = open_given(model, &allocator, false);
    ob_session_memory memory;
    ob_session_get_memory(session, &memory);
    assert_int_equal(memory.session_bytes, c.n_bytes);
    assert_int_equal(memory.work_bytes, 0);
    for (int n = 0; n <= 1000; n += 500) {
        ob_view in = view_of(x, OB_FLOAT, 2, n, 3), out = {0};
        run_ok(session, &in, 1, &out, 1);
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.session_bytes, c.n_bytes);
        assert_int_equal(memory.arena_bytes, (n * 12 + 63) / 64 * 64);
        assert_int_equal(memory.scratch_bytes, add_scratch(n));
        assert_int_equal(memory.work_bytes, memory.arena_bytes + memory.scratch_bytes);
        assert_int_equal(memory.work_alignment, 64);
    }
    ob_session_close(&session);
    assert_int_equal(c.n_bytes, 0);
    ob_model_close(&model);
}

/* All plans share one block: a smaller plan after a larger one adds less than its work memory. */
static void test_one_block_for_all_plans(void **state) {
    (void)state;
    static float x[60000];
    ob_model *model = scale_model();
    ob_session *session = open_given(model, NULL, false);
    ob_session_memory before, after;
    ob_view in = view_of(x, OB_FLOAT, 2, 20000, 3), out = {0};
    run_ok(session, &in, 1, &out, 1);
    ob_session_get_memory(session, &before);
    in = view_of(x, OB_FLOAT, 2, 19000, 3);
    out.data = NULL;
    run_ok(session, &in, 1, &out, 1);
    ob_session_get_memory(session, &after);
    assert_int_equal(after.n_plans, 2);
    assert_true(after.work_bytes >= 19000 * 12);
    assert_true(after.session_bytes - before.session_bytes < 100000);
    ob_session_close(&session);
    ob_model_close(&model);
}

/* The caller provides all memory of runs: planning uses none of it, and nothing else is allocated. */
static void test_lent_memory(void **state) {
    (void)state;
    enum { ROWS = 50001, NEED = (ROWS * 12 + 63) / 64 * 64 + ADD_TILES };
    static float x[ROWS * 3], y[ROWS * 3], want[ROWS * 3];
    static _Alignas(64) unsigned char block[NEED + 64];
    for (int i = 0; i < ROWS * 3; i++) {
        x[i] = (float)(i % 7) - 3;
        float sum = x[i] + (float)(i % 3 - 1);
        want[i] = sum > 0 ? sum : 0;
    }
    counter c = {0};
    ob_allocator allocator = counting(&c);
    ob_model *model = scale_model();
    ob_session *session = open_given(model, &allocator, true);
    ob_session_memory memory;
    ob_error error;
    ob_view in = view_of(x, OB_FLOAT, 2, ROWS, 3), out = view_of(y, OB_FLOAT, 2, ROWS, 3);
    assert_int_equal(ob_session_prepare(session, &in, 1, &error), OB_OK);
    ob_session_get_memory(session, &memory);
    assert_int_equal(memory.work_bytes, NEED);
    assert_true(memory.session_bytes < NEED);
    c.forbidden = true;
    assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_E_MEMORY);
    assert_string_equal(error.message, "a run needs 665600 bytes of work memory, the caller gives 0");
    assert_int_equal(ob_session_set_memory(session, block, NEED - 1, &error), OB_OK);
    assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_E_MEMORY);
    assert_string_equal(error.message, "a run needs 665600 bytes of work memory, the caller gives 665599");
    assert_int_equal(ob_session_set_memory(session, block + 32, NEED, &error), OB_E_ARGUMENT);
    memset(block, 0xa5, sizeof block);
    assert_int_equal(ob_session_set_memory(session, block, NEED, &error), OB_OK);
    run_ok(session, &in, 1, &out, 1);
    assert_memory_equal(y, want, sizeof want);
    assert_true(block[0] != 0xa5 || block[1] != 0xa5);                    /* the run wrote to it, */
    for (int i = 0; i < 64; i++) assert_int_equal(block[NEED + i], 0xa5); /* and not beyond */
    out.data = NULL;
    assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_E_MEMORY);
    assert_string_equal(error.message, "output y: the caller gives all memory, but none for its 600012 bytes");
    assert_int_equal(ob_session_run(session, &in, 1, NULL, 0, &error), OB_E_MEMORY);
    assert_int_equal(ob_session_set_memory(session, NULL, 0, &error), OB_OK);
    out.data = y;
    assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_E_MEMORY);
    c.forbidden = false;
    in = view_of(NULL, OB_FLOAT, 2, 0, 3); /* no elements need no memory */
    out = (ob_view){0};
    run_ok(session, &in, 1, &out, 1);
    in = view_of(x, OB_FLOAT, 2, 1, 3);
    out = view_of(y, OB_FLOAT, 2, 1, 3);
    assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_E_MEMORY);
    ob_session_close(&session);
    assert_int_equal(c.n_bytes, 0);
    ob_model_close(&model);
}

/* A session with its own memory accepts a block too, and returns to its own memory when the block is withdrawn. */
static void test_lent_memory_and_back(void **state) {
    (void)state;
    static float x[30] = {1, 2, 3};
    static _Alignas(64) unsigned char block[128];
    ob_model *model = scale_model();
    ob_session *session = open_given(model, NULL, false);
    ob_error error;
    ob_view in = view_of(x, OB_FLOAT, 2, 10, 3), out = {0};
    run_ok(session, &in, 1, &out, 1);
    assert_int_equal(ob_session_set_memory(session, block, sizeof block, &error), OB_OK);
    out.data = NULL;
    run_ok(session, &in, 1, &out, 1);
    assert_memory_equal(block, ((float[]){0, 2, 4}), 12);
    memset(block, 0, sizeof block);
    assert_int_equal(ob_session_set_memory(session, NULL, 0, &error), OB_OK);
    out.data = NULL;
    run_ok(session, &in, 1, &out, 1);
    assert_memory_equal(out.data, ((float[]){0, 2, 4}), 12);
    assert_int_equal(block[5], 0);
    assert_int_equal(ob_session_set_memory(NULL, block, sizeof block, &error), OB_E_ARGUMENT);
    ob_session_close(&session);
    ob_model_close(&model);
}

/* The memory of a session for a file of some 20 KB: without the weights, which it borrows, and the memory of a run; and the
 * total. */
static void test_small_model(void **state) {
    (void)state;
    enum { LAYERS = 16, WIDTH = 16 };
    float weights[WIDTH * WIDTH], bias[WIDTH], x[WIDTH];
    for (int i = 0; i < WIDTH * WIDTH; i++) weights[i] = (float)(i % 7) / 32;
    for (int i = 0; i < WIDTH; i++) bias[i] = x[i] = (float)i / 8;
    ob_model *model = new_model(14);
    ob_value *value = new_input(model, "x", OB_FLOAT, "N 16");
    for (int layer = 0; layer < LAYERS; layer++) {
        static const char *const stems[] = {"w", "b", "product", "sum", "result"};
        char name[5][16];
        for (int i = 0; i < 5; i++) snprintf(name[i], sizeof name[i], "%s_%d", stems[i], layer);
        ob_value *w = new_weight(model, name[0], OB_FLOAT, 2, (int64_t[]){WIDTH, WIDTH}, weights);
        ob_value *b = new_weight(model, name[1], OB_FLOAT, 1, (int64_t[]){WIDTH}, bias);
        value = new_node(model, "MatMul", name[2], 2, value, w);
        value = new_node(model, "Relu", name[4], 1, new_node(model, "Add", name[3], 2, value, b));
    }
    new_output(model, value);
    ob_session *session = open_session(model, true);
    ob_view in[] = {view_of(x, OB_FLOAT, 2, 1, WIDTH)}, out[1] = {{0}};
    run_ok(session, in, 1, out, 1);
    ob_session_memory memory;
    ob_session_get_memory(session, &memory);
    assert_int_equal(memory.n_steps, LAYERS); /* Add and Relu are the epilogue of MatMul */
    assert_in_range(memory.session_bytes - memory.constant_bytes - memory.work_bytes, 1, 88 * 1024);
    assert_in_range(memory.session_bytes, 1, 100 * 1024); /* the total */
    ob_session_close(&session);
    ob_model_close(&model);
}

/* The memory of results whose size is in the data serves the next run; of other sizes it is given back. */
static void test_results_of_the_last_run(void **state) {
    (void)state;
    counter c = {0};
    ob_allocator allocator = counting(&c);
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_model *model = new_model(14);
    new_output(model, new_node(model, "NonZero", "y", 1, new_input(model, "x", OB_FLOAT, "4096")));
    ob_session_config_init(&config);
    config.allocator = &allocator;
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_OK);
    static float x[4096];
    const int64_t counts[] = {4096, 4096, 3000, 4096, 5, 0, 5, 4096};
    size_t n_bytes = 0;
    for (size_t run = 0; run < sizeof counts / sizeof counts[0]; run++) {
        for (int64_t i = 0; i < 4096; i++) x[i] = i < counts[run] ? 1.0f : 0.0f;
        ob_view in = view_of(x, OB_FLOAT, 1, 4096), out = {0};
        run_ok(session, &in, 1, &out, 1);
        assert_int_equal(ob_view_count(&out), counts[run]);
        for (int64_t i = 0; i < counts[run]; i++) assert_int_equal(((int64_t *)out.data)[i], i);
        if (run == 0) n_bytes = c.n_bytes;
        if (run == 1 || run == 2) assert_int_equal(c.n_bytes, n_bytes); /* the block is large enough, and not twice too large */
        if (run == 6) assert_true(c.n_bytes + sizeof(int64_t) * 4096 / 2 < n_bytes); /* the large block is gone */
    }
    ob_session_close(&session);
    ob_model_close(&model);
    assert_int_equal(c.n_bytes, 0);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_model),
        cmocka_unit_test(test_caller_memory),
        cmocka_unit_test(test_run_allocates_nothing),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_session_bytes),
        cmocka_unit_test(test_one_block_for_all_plans),
        cmocka_unit_test(test_lent_memory),
        cmocka_unit_test(test_lent_memory_and_back),
        cmocka_unit_test(test_results_of_the_last_run),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
