#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "build_model.h"
#include "core/error.h"
#include "onnx_broadcast/session.h"
#include "runtime/plan.h"

/* ---- An allocator that counts, refuses and forbids
 * ------------------------------------------------------------------------------------ */

typedef struct counter {
    size_t n_calls, n_alive, n_bytes;
    size_t fail_at; /* this call fails (1 is the first); 0: none */
    bool forbidden; /* any call fails the test */
} counter;

static void *count_alloc(void *context, size_t n_bytes) {
    counter *c = context;
    assert_false(c->forbidden);
    if (++c->n_calls == c->fail_at) return NULL;
    c->n_alive++;
    c->n_bytes += n_bytes;
    return malloc(n_bytes);
}

static void *count_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    counter *c = context;
    assert_false(c->forbidden);
    if (++c->n_calls == c->fail_at) return NULL;
    if (!block) c->n_alive++;
    c->n_bytes += new_bytes - old_bytes;
    return realloc(block, new_bytes);
}

static void count_free(void *context, void *block, size_t n_bytes) {
    counter *c = context;
    if (!block) return;
    c->n_alive--;
    c->n_bytes -= n_bytes; /* the size that was asked for: ends at 0 only when every free states it */
    free(block);
}

static ob_allocator counting(counter *c) {
    return (ob_allocator){count_alloc, count_realloc, count_free, c};
}

/* ---- Models
 * ---------------------------------------------------------------------------------------------------------------------------- */

/* y = Relu(x + b) for x (N, 3) and b (3). */
static ob_model *scale_model(void) {
    static const float b[] = {-1, 0, 1};
    ob_model *model = new_model(14);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 3");
    ob_value *bias = new_weight(model, "b", OB_FLOAT, 1, (int64_t[]){3}, b);
    new_output(model, new_node(model, "Relu", "y", 1, new_node(model, "Add", "sum", 2, x, bias)));
    return model;
}

static ob_session *open_session(const ob_model *model, bool optimize) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config_init(&config);
    config.optimize = optimize;
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
    return session;
}

static void run_ok(ob_session *session, const ob_view *inputs, size_t n_inputs, ob_view *outputs, size_t n_outputs) {
    ob_error error;
    if (ob_session_run(session, inputs, n_inputs, outputs, n_outputs, &error) != OB_OK) fail_msg("%s", error.message);
}

static void expect_floats(const ob_view *view, const float *want, int64_t n) {
    assert_int_equal(ob_view_count(view), n);
    assert_int_equal(view->dtype, OB_FLOAT);
    assert_true(ob_view_is_contiguous(view));
    if (n) assert_memory_equal(view->data, want, (size_t)n * sizeof *want);
}

/* ---- Tests
 * --------------------------------------------------------------------------------------------------------------------------------
 */

static void test_inspection(void **state) {
    (void)state;
    ob_model *model = scale_model();
    ob_session *session = open_session(model, true);
    ob_session_value info;
    size_t index = 99;
    assert_int_equal(ob_session_input_count(session), 1);
    assert_int_equal(ob_session_output_count(session), 1);
    assert_true(ob_session_input(session, 0, &info));
    assert_string_equal(info.name, "x");
    assert_string_equal(info.shape_text, "[N, 3]");
    assert_int_equal(info.dtype, OB_FLOAT);
    assert_true(ob_session_output(session, 0, &info));
    assert_string_equal(info.name, "y");
    assert_string_equal(info.shape_text, "[N, 3]");
    assert_int_equal(info.dtype, OB_FLOAT);
    assert_false(ob_session_input(session, 1, &info));
    assert_int_equal(ob_session_input_index(session, "x", &index), OB_OK);
    assert_int_equal(index, 0);
    assert_int_equal(ob_session_output_index(session, "x", &index), OB_E_NOT_FOUND);
    ob_session_close(&session);
    assert_null(session);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_several_shapes(void **state) {
    (void)state;
    float x[] = {-5, 1, 2, 4, 5, -6};
    ob_model *model = scale_model();
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_session_memory memory;
        ob_view in = view_of(x, OB_FLOAT, 2, 2, 3), out = {0};
        run_ok(session, &in, 1, &out, 1);
        expect_floats(&out, (float[]){0, 1, 3, 3, 5, 0}, 6);
        in = view_of(x, OB_FLOAT, 2, 1, 3);
        out.data = NULL;
        run_ok(session, &in, 1, &out, 1);
        expect_floats(&out, (float[]){0, 1, 3}, 3);
        in = view_of(NULL, OB_FLOAT, 2, 0, 3);
        out.data = NULL;
        run_ok(session, &in, 1, &out, 1);
        expect_floats(&out, NULL, 0);
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.n_plans, 3);
        in = view_of(x, OB_FLOAT, 2, 2, 3); /* known already */
        out.data = NULL;
        run_ok(session, &in, 1, &out, 1);
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.n_plans, 3);
        assert_int_equal(memory.n_in_place, optimize ? 1 : 0);
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

static void test_plans_are_bounded(void **state) {
    (void)state;
    static float x[3 * 20];
    ob_model *model = scale_model();
    ob_session_config config;
    ob_session *session;
    ob_session_config_init(&config);
    config.max_plans = 3;
    assert_int_equal(ob_session_create(model, &config, &session, NULL), OB_OK);
    for (int round = 0; round < 2; round++)
        for (int n = 0; n < 20; n++) {
            ob_view in = view_of(x, OB_FLOAT, 2, n, 3), out = {0};
            ob_session_memory memory;
            run_ok(session, &in, 1, &out, 1);
            assert_int_equal(out.dims[0], n);
            ob_session_get_memory(session, &memory);
            assert_true(memory.n_plans <= 3);
        }
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_strided_input(void **state) {
    (void)state;
    float x[] = {1, 4, 2, 5, 3, 6}; /* (3, 2), seen as its transpose (2, 3) */
    ob_model *model = scale_model();
    ob_session *session = open_session(model, true);
    ob_view in = view_of(x, OB_FLOAT, 2, 2, 3), out = {0};
    in.strides[0] = 4;
    in.strides[1] = 8;
    run_ok(session, &in, 1, &out, 1);
    expect_floats(&out, (float[]){0, 2, 4, 3, 5, 7}, 6);
    in.strides[0] = 0; /* one row, broadcast */
    out.data = NULL;
    run_ok(session, &in, 1, &out, 1);
    expect_floats(&out, (float[]){0, 2, 4, 0, 2, 4}, 6);
    ob_session_close(&session);
    ob_model_close(&model);
}

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

static void test_wrong_inputs(void **state) {
    (void)state;
    float x[12] = {0};
    ob_model *model = scale_model();
    ob_session *session = open_session(model, true);
    ob_error error;
    ob_view in[2] = {view_of(x, OB_FLOAT, 2, 2, 3), view_of(x, OB_FLOAT, 1, 3)}, out = {0};
    assert_int_equal(ob_session_run(session, in, 2, &out, 1, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_session_run(session, in, 0, &out, 1, &error), OB_E_ARGUMENT);
    in[0] = view_of(x, OB_FLOAT, 2, 2, 4);
    assert_int_equal(ob_session_run(session, in, 1, &out, 1, &error), OB_E_SHAPE);
    assert_string_equal(error.message, "input x: the model takes [N, 3], but [2, 4] was given");
    assert_string_equal(error.value, "x");
    assert_int_equal(error.axis, 1);
    in[0] = view_of(x, OB_FLOAT, 1, 3);
    assert_int_equal(ob_session_run(session, in, 1, &out, 1, &error), OB_E_SHAPE);
    in[0] = view_of(x, OB_INT32, 2, 1, 3);
    assert_int_equal(ob_session_run(session, in, 1, &out, 1, &error), OB_E_TYPE);
    assert_string_equal(error.message, "input x: the model takes float, but int32 was given");
    in[0] = view_of(NULL, OB_FLOAT, 2, 1, 3);
    assert_int_equal(ob_session_run(session, in, 1, &out, 1, &error), OB_E_ARGUMENT);
    in[0] = view_of(x, OB_FLOAT, 2, 1, 3);
    in[0].dims[0] = -1;
    assert_int_equal(ob_session_run(session, in, 1, &out, 1, &error), OB_E_ARGUMENT);
    in[0].dims[0] = INT64_C(1) << 60;
    assert_int_equal(ob_session_run(session, in, 1, &out, 1, &error), OB_E_ARGUMENT);
    assert_null(out.data);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_broken_condition(void **state) {
    (void)state;
    float x[12] = {0};
    ob_model *model = new_model(14);
    ob_value *a = new_input(model, "a", OB_FLOAT, "N 3"), *b = new_input(model, "b", OB_FLOAT, "M 3");
    new_output(model, new_node(model, "Add", "total", 2, a, b));
    ob_session *session = open_session(model, true);
    ob_error error;
    ob_view in[2] = {view_of(x, OB_FLOAT, 2, 2, 3), view_of(x, OB_FLOAT, 2, 4, 3)}, out = {0};
    assert_int_equal(ob_session_run(session, in, 2, &out, 1, &error), OB_E_CONDITION);
    assert_string_equal(error.node, "total");
    assert_string_equal(error.op_type, "Add");
    assert_non_null(strstr(error.message, "N = 2"));
    assert_non_null(strstr(error.message, "M = 4"));
    assert_null(out.data);
    in[1] = view_of(x, OB_FLOAT, 2, 1, 3);
    run_ok(session, in, 2, &out, 1);
    in[1] = view_of(x, OB_FLOAT, 2, 2, 3);
    out.data = NULL;
    run_ok(session, in, 2, &out, 1);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_one_symbol_two_sizes(void **state) {
    (void)state;
    float x[12] = {0};
    ob_model *model = new_model(14);
    ob_value *a = new_input(model, "a", OB_FLOAT, "N"), *b = new_input(model, "b", OB_FLOAT, "N");
    new_output(model, new_node(model, "Add", "total", 2, a, b));
    ob_session *session = open_session(model, true);
    ob_error error;
    ob_view in[2] = {view_of(x, OB_FLOAT, 1, 4), view_of(x, OB_FLOAT, 1, 1)}, out = {0};
    assert_int_equal(ob_session_run(session, in, 2, &out, 1, &error), OB_E_SHAPE);
    assert_non_null(strstr(error.message, "axis 0 is N"));
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_bound_symbol(void **state) {
    (void)state;
    float x[12] = {0};
    ob_model *model = scale_model();
    ob_named_size n = {"N", 2};
    ob_session_config config;
    ob_session *session;
    ob_session_value info;
    ob_error error;
    ob_session_config_init(&config);
    config.dims = &n;
    config.n_dims = 1;
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_OK);
    assert_true(ob_session_input(session, 0, &info));
    assert_string_equal(info.shape_text, "[2, 3]");
    ob_view in = view_of(x, OB_FLOAT, 2, 3, 3), out = {0};
    assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_E_SHAPE);
    in = view_of(x, OB_FLOAT, 2, 2, 3);
    run_ok(session, &in, 1, &out, 1);
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

/* Every allocation fails once: the call says so, nothing leaks, and the next attempt is not disturbed. */
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
    static float x[3000];
    ob_model *model = scale_model();
    ob_session_config config;
    ob_session *session;
    ob_error error;
    ob_session_config_init(&config);
    config.max_memory = 4096;
    config.optimize = false;
    assert_int_equal(ob_session_create(model, &config, &session, NULL), OB_OK);
    ob_view in = view_of(x, OB_FLOAT, 2, 1000, 3), out = {0};
    assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_E_LIMIT);
    in = view_of(x, OB_FLOAT, 2, 10, 3);
    run_ok(session, &in, 1, &out, 1);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_rank_zero(void **state) {
    (void)state;
    float a = 2, b = 5;
    ob_model *model = new_model(14);
    new_output(model, new_node(model, "Add", "c", 2, new_input(model, "a", OB_FLOAT, ""), new_input(model, "b", OB_FLOAT, "")));
    ob_session *session = open_session(model, true);
    ob_view in[2] = {view_of(&a, OB_FLOAT, 0), view_of(&b, OB_FLOAT, 0)}, out = {0};
    run_ok(session, in, 2, &out, 1);
    assert_int_equal(out.rank, 0);
    expect_floats(&out, (float[]){7}, 1);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_dead_and_constant_nodes(void **state) {
    (void)state;
    float x[] = {1, 2}, c[] = {10, 20};
    ob_model *model = new_model(14);
    ob_value *in_x = new_input(model, "x", OB_FLOAT, "2");
    ob_value *w = new_weight(model, "w", OB_FLOAT, 1, (int64_t[]){2}, c);
    ob_value *folded = new_node(model, "Add", "folded", 2, w, w);
    new_node(model, "Add", "dead", 2, in_x, in_x);
    new_output(model, new_node(model, "Add", "y", 2, in_x, folded));
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_session_memory memory;
        ob_view in = view_of(x, OB_FLOAT, 1, 2), out = {0};
        run_ok(session, &in, 1, &out, 1);
        expect_floats(&out, (float[]){21, 42}, 2);
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.n_steps, optimize ? 1 : 3);
        assert_int_equal(memory.n_folded, optimize ? 1 : 0);
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

/* Shape propagation keeps numbers beyond 2^62 only as "huge": results must still be exact. */
static void test_huge_integers_are_exact(void **state) {
    (void)state;
    const int64_t huge[] = {INT64_MAX, INT64_MIN, 5}, sums[] = {INT64_MAX - 7, INT64_MIN + 3, 15}, other[] = {-7, 3, 10};
    ob_model *model = new_model(14);
    ob_value *a = new_weight(model, "a", OB_INT64, 1, (int64_t[]){3}, huge),
             *b = new_weight(model, "b", OB_INT64, 1, (int64_t[]){3}, other);
    new_output(model, new_node(model, "Identity", "same", 1, a));
    new_output(model, new_node(model, "Add", "sum", 2, a, b));
    new_output(model, new_node(model, "Less", "less", 2, b, a));
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_view out[3] = {0};
        run_ok(session, NULL, 0, out, 3);
        assert_memory_equal(out[0].data, huge, sizeof huge);
        assert_memory_equal(out[1].data, sums, sizeof sums);
        assert_memory_equal(out[2].data, ((bool[]){true, false, false}), 3);
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

/* Broadcasting is a view: Expand to a large shape takes no memory and no step of its own. */
static void test_expand_is_a_view(void **state) {
    (void)state;
    static float x[64], y[64 * 64];
    for (int i = 0; i < 64; i++) x[i] = (float)i;
    ob_model *model = new_model(14);
    ob_value *in_x = new_input(model, "x", OB_FLOAT, "64 1"), *in_y = new_input(model, "y", OB_FLOAT, "64 64");
    ob_value *shape = new_weight(model, "shape", OB_INT64, 1, (int64_t[]){2}, (int64_t[]){64, 64});
    new_output(model, new_node(model, "Add", "z", 2, new_node(model, "Expand", "wide", 2, in_x, shape), in_y));
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_session_memory memory;
        ob_view in[2] = {view_of(x, OB_FLOAT, 2, 64, 1), view_of(y, OB_FLOAT, 2, 64, 64)}, out = {0};
        run_ok(session, in, 2, &out, 1);
        for (int i = 0; i < 64 * 64; i++) assert_true(((float *)out.data)[i] == x[i / 64]);
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.n_steps, 1);
        assert_int_equal(memory.n_views, 1);
        assert_int_equal(memory.arena_bytes, 0);
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

/* An input, a weight, a view and one value twice as graph outputs: each gets memory of its own. */
static void test_outputs_of_all_kinds(void **state) {
    (void)state;
    float x[] = {1, 2, 3, 4}, w[] = {5, 6};
    ob_model *model = new_model(14);
    ob_value *in_x = new_input(model, "x", OB_FLOAT, "2 2"), *weight = new_weight(model, "w", OB_FLOAT, 1, (int64_t[]){2}, w);
    ob_value *sum = new_node(model, "Add", "sum", 2, in_x, weight), *turned = new_node(model, "Transpose", "turned", 1, sum);
    new_output(model, in_x);
    new_output(model, weight);
    new_output(model, turned);
    new_output(model, sum);
    new_output(model, sum);
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_view in = view_of(x, OB_FLOAT, 2, 2, 2), out[5] = {{0}};
        run_ok(session, &in, 1, out, 5);
        expect_floats(&out[0], x, 4);
        expect_floats(&out[1], w, 2);
        expect_floats(&out[2], (float[]){6, 8, 8, 10}, 4);
        expect_floats(&out[3], (float[]){6, 8, 8, 10}, 4);
        expect_floats(&out[4], (float[]){6, 8, 8, 10}, 4);
        assert_ptr_not_equal(out[0].data, x);
        for (int i = 0; i < 5; i++) assert_int_equal((uintptr_t)out[i].data % 64, 0);
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < i; k++) assert_ptr_not_equal(out[i].data, out[k].data);
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

/* The elements of an input decide a shape: they are part of what a plan is for. Elements that decide nothing are not. */
static void test_shape_from_input(void **state) {
    (void)state;
    float x[] = {1, 2, 3, 4, 5, 6}, table[] = {10, 20, 30};
    int64_t shape[] = {3, 2}, ids[] = {2, 0};
    ob_model *model = new_model(14);
    ob_value *in_x = new_input(model, "x", OB_FLOAT, "6"), *in_shape = new_input(model, "shape", OB_INT64, "2");
    ob_value *in_ids = new_input(model, "ids", OB_INT64, "2");
    ob_value *weight = new_weight(model, "table", OB_FLOAT, 1, (int64_t[]){3}, table);
    ob_value *matrix = new_node(model, "Reshape", "matrix", 2, in_x, in_shape);
    new_output(model, new_node(model, "Add", "y", 2, matrix, matrix));
    new_output(model, new_node(model, "Gather", "picked", 2, weight, in_ids));
    ob_session *session = open_session(model, true);
    ob_session_memory memory;
    ob_view in[3] = {view_of(x, OB_FLOAT, 1, 6), view_of(shape, OB_INT64, 1, 2), view_of(ids, OB_INT64, 1, 2)}, out[2] = {{0}};
    run_ok(session, in, 3, out, 2);
    assert_int_equal(out[0].dims[0], 3);
    expect_floats(&out[1], (float[]){30, 10}, 2);
    ids[0] = 1; /* the same plan */
    memset(out, 0, sizeof out);
    run_ok(session, in, 3, out, 2);
    expect_floats(&out[1], (float[]){20, 10}, 2);
    ob_session_get_memory(session, &memory);
    assert_int_equal(memory.n_plans, 1);
    assert_int_equal(memory.n_dynamic, 0);
    shape[0] = 1, shape[1] = -1; /* another plan */
    memset(out, 0, sizeof out);
    run_ok(session, in, 3, out, 2);
    assert_int_equal(out[0].dims[0], 1);
    assert_int_equal(out[0].dims[1], 6);
    ob_session_get_memory(session, &memory);
    assert_int_equal(memory.n_plans, 2);
    shape[0] = 4, shape[1] = 2;
    ob_error error;
    assert_int_equal(ob_session_run(session, in, 3, out, 2, &error), OB_E_SHAPE);
    ids[0] = 7; /* the index is wrong: found during the run */
    shape[0] = 3;
    memset(out, 0, sizeof out);
    assert_int_not_equal(ob_session_run(session, in, 3, out, 2, &error), OB_OK);
    assert_string_equal(error.node, "picked");
    ob_session_close(&session);
    ob_model_close(&model);
}

/* The target of an Expand comes out of floating-point elements: its shape, and what follows, is decided during the run. */
static void test_dynamic_shapes(void **state) {
    (void)state;
    float x[] = {2, 3}, row[] = {1, 2, 3}, y[6];
    ob_model *model = new_model(14);
    ob_value *in_x = new_input(model, "x", OB_FLOAT, "2"), *in_row = new_input(model, "row", OB_FLOAT, "1 3");
    ob_value *twice = new_node(model, "Add", "twice", 2, in_row, in_row);
    ob_value *target = new_node(model, "Cast", "target", 1, in_x);
    assert_true(ob__node_set_int(target->producer, "to", OB_INT64));
    ob_value *wide = new_node(model, "Expand", "wide", 2, twice, target);
    ob_value *turned = new_node(model, "Transpose", "turned", 1, wide);
    new_output(model, new_node(model, "Add", "total", 2, wide, in_row));
    new_output(model, turned);
    new_output(model, twice);
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_session_memory memory;
        ob_error error;
        ob_view in[2] = {view_of(x, OB_FLOAT, 1, 2), view_of(row, OB_FLOAT, 2, 1, 3)}, out[3] = {{0}};
        x[0] = 2;
        run_ok(session, in, 2, out, 3);
        expect_floats(&out[0], (float[]){3, 6, 9, 3, 6, 9}, 6);
        expect_floats(&out[1], (float[]){2, 2, 4, 4, 6, 6}, 6);
        expect_floats(&out[2], (float[]){2, 4, 6}, 3);
        x[0] = 1;
        memset(out, 0, sizeof out);
        run_ok(session, in, 2, out, 3);
        assert_int_equal(out[0].dims[0], 1);
        expect_floats(&out[0], (float[]){3, 6, 9}, 3);
        expect_floats(&out[1], (float[]){2, 4, 6}, 3);
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.n_dynamic, 3);
        assert_int_equal(memory.n_plans, 1);
        memset(out, 0, sizeof out); /* into the caller's memory, which must have the shape that comes out */
        out[0] = view_of(y, OB_FLOAT, 2, 2, 3);
        assert_int_equal(ob_session_run(session, in, 2, out, 1, &error), OB_E_SHAPE);
        assert_ptr_equal(out[0].data, y); /* outputs are as they were */
        assert_int_equal(out[0].dims[0], 2);
        x[0] = 2;
        run_ok(session, in, 2, out, 1);
        assert_ptr_equal(out[0].data, y);
        expect_floats(&out[0], (float[]){3, 6, 9, 3, 6, 9}, 6);
        x[0] = 0;
        memset(out, 0, sizeof out);
        run_ok(session, in, 2, out, 3);
        expect_floats(&out[0], NULL, 0);
        x[1] = 2; /* 3 does not expand to 2 */
        assert_int_equal(ob_session_run(session, in, 2, out, 3, &error), OB_E_SHAPE);
        assert_string_equal(error.node, "wide");
        x[1] = 3;
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

static size_t n_listed;
static void list_unsupported(void *context, const ob_unsupported *item) {
    char *names = context;
    strcat(strcat(names, item->op_type), " ");
    n_listed += item->n_nodes;
}

static void test_unsupported_are_all_named(void **state) {
    (void)state;
    char names[200] = "";
    ob_model *model = new_model(14);
    ob_value *x = new_input(model, "x", OB_FLOAT, "5");
    ob_value *a = new_node(model, "Frobnicate", "a", 1, x), *b = new_node(model, "Frobnicate", "b", 1, a);
    new_output(model, new_node(model, "BitwiseNot", "c", 1, b)); /* exists from opset 18 */
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config_init(&config);
    config.unsupported = list_unsupported;
    config.context = names;
    n_listed = 0;
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_E_UNSUPPORTED);
    assert_null(session);
    assert_string_equal(names, "Frobnicate BitwiseNot ");
    assert_int_equal(n_listed, 3);
    assert_non_null(strstr(error.message, "Frobnicate"));
    assert_non_null(strstr(error.message, "BitwiseNot"));
    ob_model_close(&model);
}

/* What only planning can judge is named before any input is there, when the shapes are. */
static void test_unsupported_type_is_named_at_creation(void **state) {
    (void)state;
    char names[200] = "";
    static const float ones[] = {1, 1};
    ob_model *model = new_model(9);
    ob_value *x = new_input(model, "x", OB_FLOAT, "1 2"), *w = new_weight(model, "w", OB_FLOAT, 1, (int64_t[]){2}, ones);
    ob_node *node = ob__node_new(model->graph, NULL, "", "BatchNormalization", 5, 2); /* a second output: training */
    node->name = "y";
    node->inputs[0] = x;
    for (int i = 1; i < 5; i++) node->inputs[i] = w;
    ob__node_set_output(node, 0, ob__value_new(model->graph, "y"));
    ob__node_set_output(node, 1, ob__value_new(model->graph, "mean"));
    new_output(model, node->outputs[0]);
    new_output(model, node->outputs[1]);
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config_init(&config);
    config.unsupported = list_unsupported;
    config.context = names;
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_E_UNSUPPORTED);
    assert_string_equal(names, "BatchNormalization ");
    assert_string_equal(error.node, "y");
    ob_model_close(&model);
}

/* Calls inside calls, an attribute that the call gives or leaves to its default, an input left out, an output that is an input.
 */
static void test_functions_are_inlined(void **state) {
    (void)state;
    float x[] = {1, 2, 3, 4};
    ob_model *model = new_model(14);
    assert_true(ob__model_set_opset(model, "local", 1));
    static const ob_opset opsets[] = {{"", 14}, {"local", 1}};
    ob_function *functions[2];
    for (int i = 0; i < 2; i++) {
        functions[i] = OB_ARENA_NEW(&model->arena, ob_function);
        *functions[i] = (ob_function){
            .name = i ? "Twist" : "Gather2", .domain = "local", .overload = "", .opsets = opsets, .n_opsets = 2, .doc = ""};
        functions[i]->body = ob__graph_new(model, NULL, NULL);
        functions[i]->body->function = functions[i];
    }
    /* Gather2(a): Gather along the attribute `axis` of the call, default 0, with the index 1. */
    ob_graph *body = functions[0]->body;
    ob_value *a = ob__value_new(body, "a"), *index = ob__value_new(body, "index"), *picked = ob__value_new(body, "picked");
    ob_node *constant = ob__node_new(body, NULL, "", "Constant", 0, 1), *gather = ob__node_new(body, NULL, "", "Gather", 2, 1);
    assert_true(ob__node_set_int(constant, "value_int", 1));
    ob__node_set_output(constant, 0, index);
    gather->inputs[0] = a;
    gather->inputs[1] = index;
    ob__node_set_output(gather, 0, picked);
    assert_true(ob__node_set_int(gather, "axis", 0));
    gather->attributes[0]->ref = "along";
    body->inputs = append_value(model, body->inputs, &body->n_inputs, a);
    body->outputs = append_value(model, body->outputs, &body->n_outputs, picked);
    ob_attribute along = *gather->attributes[0], *list[] = {&along};
    along.name = "along";
    along.ref = NULL;
    along.u.i = 0;
    functions[0]->attribute_defaults = list;
    functions[0]->n_attribute_defaults = 1;
    /* Twist(a, optional b): Gather2 along 1, plus a's own row 1; and a itself as the second output. */
    body = functions[1]->body;
    ob_value *b = ob__value_new(body, "a"), *unused = ob__value_new(body, "b");
    ob_value *column = ob__value_new(body, "column"), *row = ob__value_new(body, "row"), *sum = ob__value_new(body, "sum");
    ob_node *first = ob__node_new(body, NULL, "local", "Gather2", 1, 1),
            *second = ob__node_new(body, NULL, "local", "Gather2", 1, 1);
    ob_node *add = ob__node_new(body, NULL, "", "Add", 2, 1);
    first->inputs[0] = second->inputs[0] = b;
    assert_true(ob__node_set_int(first, "along", 1));
    ob__node_set_output(first, 0, column);
    ob__node_set_output(second, 0, row);
    add->inputs[0] = column;
    add->inputs[1] = row;
    ob__node_set_output(add, 0, sum);
    body->inputs = append_value(model, body->inputs, &body->n_inputs, b);
    body->inputs = append_value(model, body->inputs, &body->n_inputs, unused);
    body->outputs = append_value(model, body->outputs, &body->n_outputs, sum);
    body->outputs = append_value(model, body->outputs, &body->n_outputs, b);
    model->functions = functions;
    model->n_functions = 2;
    ob_value *in_x = new_input(model, "x", OB_FLOAT, "2 2");
    ob_node *call = ob__node_new(model->graph, NULL, "local", "Twist", 1, 2);
    call->name = "call";
    call->inputs[0] = in_x;
    ob__node_set_output(call, 0, ob__value_new(model->graph, "column")); /* a name that the body has too */
    ob__node_set_output(call, 1, ob__value_new(model->graph, "same"));
    new_output(model, call->outputs[0]);
    new_output(model, call->outputs[1]);
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_view in = view_of(x, OB_FLOAT, 2, 2, 2), out[2] = {{0}};
        run_ok(session, &in, 1, out, 2);
        expect_floats(&out[0], (float[]){2 + 3, 4 + 4}, 2);
        expect_floats(&out[1], x, 4);
        ob_session_close(&session);
    }
    /* A circle: Gather2 calls Twist. */
    gather->op_type = "Twist";
    gather->domain = "local";
    gather->n_inputs = 1;
    ob_session *session = NULL;
    ob_error error;
    assert_int_equal(ob_session_create(model, NULL, &session, &error), OB_E_MODEL);
    assert_non_null(strstr(error.message, "circle"));
    ob_model_close(&model);
}

static void test_wrong_operand_count(void **state) {
    (void)state;
    ob_model *model = new_model(14);
    ob_value *x = new_input(model, "x", OB_FLOAT, "5");
    new_output(model, new_node(model, "Add", "y", 1, x));
    ob_session *session = NULL;
    ob_error error;
    assert_int_equal(ob_session_create(model, NULL, &session, &error), OB_E_MODEL);
    assert_string_equal(error.node, "y");
    ob_model_close(&model);
}

static void test_mixed_types_are_refused(void **state) {
    (void)state;
    float x[5] = {0};
    int64_t y[5] = {0};
    ob_model *model = new_model(14);
    ob_value *in_x = new_input(model, "x", OB_FLOAT, "5"), *in_y = new_input(model, "y", OB_INT64, "5");
    new_output(model, new_node(model, "Add", "z", 2, in_x, in_y));
    ob_session *session = NULL;
    ob_error error;
    ob_view in[2] = {view_of(x, OB_FLOAT, 1, 5), view_of(y, OB_INT64, 1, 5)}, out = {0};
    ob_status status = ob_session_create(model, NULL, &session, &error);
    if (status == OB_OK) status = ob_session_run(session, in, 2, &out, 1, &error);
    assert_int_equal(status, OB_E_TYPE);
    assert_int_equal(status, OB_E_TYPE);
    assert_string_equal(error.node, "z");
    ob_session_close(&session);
    ob_model_close(&model);
}

/* ---- External data
 * -------------------------------------------------------------------------------------------------------------------------- */

static ob_model *external_model(const char *location, const char *offset, const char *length) {
    ob_model *model = new_model(14);
    ob_value *x = new_input(model, "x", OB_FLOAT, "2");
    ob_value *w = new_weight(model, "w", OB_FLOAT, 1, (int64_t[]){2}, NULL);
    ob_tensor *tensor = (ob_tensor *)(uintptr_t)w->data;
    ob_key_value *keys = OB_ARENA_ARRAY(&model->arena, ob_key_value, 3);
    keys[0] = (ob_key_value){"location", location};
    keys[1] = (ob_key_value){"offset", offset};
    keys[2] = (ob_key_value){"length", length};
    tensor->data = NULL;
    tensor->is_external = true;
    tensor->external = keys;
    tensor->n_external = 3;
    new_output(model, new_node(model, "Add", "y", 2, x, w));
    return model;
}

static ob_status try_external(const char *folder, const char *location, const char *offset, const char *length, bool allowed,
                              ob_error *error) {
    ob_model *model = external_model(location, offset, length);
    ob_session_config config;
    ob_session *session = NULL;
    ob_session_config_init(&config);
    config.external_folder = folder;
    config.external_data = allowed;
    ob_status status = ob_session_create(model, &config, &session, error);
    if (status == OB_OK) {
        float x[] = {1, 2};
        ob_view in = view_of(x, OB_FLOAT, 1, 2), out = {0};
        run_ok(session, &in, 1, &out, 1);
        expect_floats(&out, (float[]){4, 6}, 2);
    }
    ob_session_close(&session);
    ob_model_close(&model);
    return status;
}

static void write_file(const char *path, const void *bytes, size_t n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static void test_external_data(void **state) {
    (void)state;
    static const float data[] = {0, 3, 4};
    char folder[] = "/tmp/ob_session_XXXXXX", inside[100], outside[100], link[100], sub[100];
    ob_error error;
    assert_non_null(mkdtemp(folder));
    snprintf(sub, sizeof sub, "%s/model", folder);
    assert_int_equal(mkdir(sub, 0700), 0);
    snprintf(inside, sizeof inside, "%s/model/w.bin", folder);
    snprintf(outside, sizeof outside, "%s/w.bin", folder);
    snprintf(link, sizeof link, "%s/model/link.bin", folder);
    write_file(inside, data, sizeof data);
    write_file(outside, data, sizeof data);
    assert_int_equal(symlink(outside, link), 0);
    assert_int_equal(try_external(sub, "w.bin", "4", "8", true, &error), OB_OK);
    assert_int_equal(try_external(sub, "./w.bin", "4", "8", true, &error), OB_OK);
    assert_int_equal(try_external(folder, "model/w.bin", "4", "8", true, &error), OB_OK);
    assert_int_equal(try_external(sub, "w.bin", "4", "8", false, &error), OB_E_UNSUPPORTED);
    assert_int_equal(try_external(sub, "../w.bin", "4", "8", true, &error), OB_E_IO);
    assert_int_equal(try_external(sub, "x/../../w.bin", "4", "8", true, &error), OB_E_IO);
    assert_int_equal(try_external(sub, outside, "4", "8", true, &error), OB_E_IO);
    assert_int_equal(try_external(sub, "link.bin", "4", "8", true, &error), OB_E_IO);
    assert_non_null(strstr(error.message, "symbolic link"));
    assert_int_equal(try_external(sub, "none.bin", "4", "8", true, &error), OB_E_IO);
    assert_int_equal(try_external(folder, "model", "4", "8", true, &error), OB_E_IO);
    assert_int_equal(try_external(sub, "w.bin", "8", "8", true, &error), OB_E_FORMAT);
    assert_int_equal(try_external(sub, "w.bin", "4", "12", true, &error), OB_E_FORMAT);
    assert_int_equal(try_external(sub, "w.bin", "-4", "8", true, &error), OB_E_FORMAT);
    assert_int_equal(try_external(sub, "w.bin", "18446744073709551615", "8", true, &error), OB_E_FORMAT);
    assert_int_equal(try_external(sub, "", "4", "8", true, &error), OB_E_FORMAT);
    unlink(inside);
    unlink(outside);
    unlink(link);
    rmdir(sub);
    rmdir(folder);
}

/* ---- Memory plan and random graphs
 * ------------------------------------------------------------------------------------------------------- */

static void test_chain_needs_two_buffers(void **state) {
    (void)state;
    static float x[1000];
    ob_model *model = new_model(14);
    ob_value *value = new_input(model, "x", OB_FLOAT, "1000");
    for (int i = 0; i < 50; i++) {
        char name[20];
        snprintf(name, sizeof name, "r%d", i);
        value = new_node(model, "Relu", name, 1, value);
    }
    new_output(model, value);
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_session_memory memory;
        ob_view in = view_of(x, OB_FLOAT, 1, 1000), out = {0};
        run_ok(session, &in, 1, &out, 1);
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.n_steps, 50);
        assert_int_equal(memory.n_in_place, optimize ? 49 : 0);
        assert_true(memory.arena_bytes <= (optimize ? 0 : 2 * 4032));
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

/* Buffers that are alive together never overlap, in either way of placing. */
static void test_memory_plan_property(void **state) {
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 60; round++) {
        enum { MANY = 3500 };
        static ob_buffer buffers[MANY];
        uint32_t n = round < 58 ? 1 + (uint32_t)round * 3 : MANY; /* the last two take the way for long lists */
        for (uint32_t i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            uint32_t length = seed >> 28;
            buffers[i] = (ob_buffer){
                .n_bytes = (seed >> 8) % 1000, .first = i, .last = i + length, .next = i + 1 < n ? &buffers[i + 1] : NULL};
        }
        ob_arena arena;
        uint64_t total;
        ob__arena_init(&arena, NULL);
        assert_int_equal(ob__plan_memory(&arena, buffers, &total), OB_OK);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(buffers[i].offset % 64, 0);
            assert_true(buffers[i].offset + buffers[i].n_bytes <= total);
            for (uint32_t k = i + 1; k < n && k <= buffers[i].last; k++) {
                bool apart = buffers[i].offset + buffers[i].n_bytes <= buffers[k].offset ||
                             buffers[k].offset + buffers[k].n_bytes <= buffers[i].offset;
                assert_true(apart || buffers[i].n_bytes == 0 || buffers[k].n_bytes == 0);
            }
        }
        ob__arena_release(&arena);
    }
}

static uint32_t next_seed(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Random graphs of operators that make views, compute in place and stretch: each value on its own memory (unplanned) is the
 * oracle for the planned runs. */
static ob_model *random_model(uint32_t *seed, ob_value **all, uint32_t *n_all) {
    ob_model *model = new_model(14);
    ob_value *shape = new_weight(model, "shape", OB_INT64, 1, (int64_t[]){2}, (int64_t[]){4, 4});
    static const float w[] = {1, 2, 3, 4};
    uint32_t n = 0;
    all[n++] = new_input(model, "x", OB_FLOAT, "4 4");
    all[n++] = new_input(model, "row", OB_FLOAT, "1 4");
    all[n++] = new_weight(model, "column", OB_FLOAT, 2, (int64_t[]){4, 1}, w);
    for (uint32_t i = 0; i < 14; i++) {
        char name[20];
        snprintf(name, sizeof name, "v%u", i);
        ob_value *a = all[next_seed(seed) % n], *b = all[next_seed(seed) % n];
        switch (next_seed(seed) % 9) {
        case 0: all[n++] = new_node(model, "Transpose", name, 1, a); break;
        case 1: all[n++] = new_node(model, "Expand", name, 2, a, shape); break;
        case 2: all[n++] = new_node(model, "Relu", name, 1, a); break;
        case 3: all[n++] = new_node(model, "Identity", name, 1, a); break;
        case 4: all[n++] = new_node(model, "Sub", name, 2, a, b); break;
        case 5: all[n++] = new_node(model, "Mul", name, 2, a, b); break;
        case 6: all[n++] = new_node(model, "Sum", name, 3, a, b, a); break;
        case 7: all[n++] = new_node(model, "Max", name, 2, b, a); break;
        default: all[n++] = new_node(model, "Add", name, 2, a, b); break;
        }
    }
    *n_all = n;
    return model;
}

static void evaluate_plainly(ob_session *session, const ob_view *in, ob_view *values, ob_owned_block **blocks) {
    ob_error error;
    for (uint32_t i = 0; i < session->n_inputs; i++) values[session->inputs[i]->id] = in[i];
    for (uint32_t i = 0; i < session->model->n_values; i++)
        if (session->constants[i]) values[i] = *session->constants[i];
    for (const ob_node *node = session->model->graph->first; node; node = node->next) {
        ob_view operands[3] = {{0}}, result;
        for (uint32_t i = 0; i < node->n_inputs; i++) operands[i] = values[node->inputs[i]->id];
        if (ob__execute_node(session, node, operands, &result, blocks, NULL, &error) != OB_OK) fail_msg("%s", error.message);
        values[node->outputs[0]->id] = result;
    }
}

static void test_random_graphs(void **state) {
    (void)state;
    float x[16], row[4];
    for (int i = 0; i < 16; i++) x[i] = (float)(i % 5) - 2;
    for (int i = 0; i < 4; i++) row[i] = (float)i - 1;
    uint32_t seed = 7;
    for (int round = 0; round < 500; round++) {
        ob_value *all[32];
        uint32_t n_all;
        ob_model *model = random_model(&seed, all, &n_all);
        for (int i = 0; i < 3; i++) new_output(model, all[n_all - 1 - next_seed(&seed) % 8]);
        ob_view in[2] = {view_of(x, OB_FLOAT, 2, 4, 4), view_of(row, OB_FLOAT, 2, 1, 4)}, values[64] = {{0}};
        ob_session *plain = open_session(model, false);
        ob_owned_block *blocks = NULL;
        evaluate_plainly(plain, in, values, &blocks);
        for (int optimize = 0; optimize < 2; optimize++) {
            ob_session *session = open_session(model, optimize);
            ob_view out[3] = {{0}};
            run_ok(session, in, 2, out, 3);
            memset(out, 0, sizeof out);
            run_ok(session, in, 2, out, 3); /* a second run finds the same memory */
            for (int i = 0; i < 3; i++) {
                const ob_view *want = &values[plain->model->graph->outputs[i]->id];
                float copy[16];
                ob_view flat = *want;
                assert_int_equal(ob_view_init(&flat, copy, OB_FLOAT, want->rank, want->dims), OB_OK);
                assert_int_equal(ob_view_assign(&flat, want, NULL), OB_OK);
                expect_floats(&out[i], copy, ob_view_count(want));
            }
            ob_session_close(&session);
        }
        ob__session_free_blocks(plain, &blocks);
        ob_session_close(&plain);
        ob_model_close(&model);
    }
}

static void test_threads(void **state) {
    (void)state;
    enum { ROWS = 20000 };
    float *x = calloc(ROWS * 3, sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < ROWS * 3; i++) x[i] = (float)(i % 17) - 8;
    ob_model *model = scale_model();
    ob_session *one = open_session(model, true), *two = NULL;
    ob_session_config config;
    ob_error error;
    ob_session_config_init(&config);
    config.n_threads = 2;
    ob_status status = ob_session_create(model, &config, &two, &error);
    if (status == OB_E_UNSUPPORTED)
        print_message("built without pthreadpool: one thread only\n");
    else {
        assert_int_equal(status, OB_OK);
        ob_view in = view_of(x, OB_FLOAT, 2, ROWS, 3), a = {0}, b = {0};
        run_ok(one, &in, 1, &a, 1);
        run_ok(two, &in, 1, &b, 1);
        assert_memory_equal(a.data, b.data, ROWS * 3 * sizeof *x);
    }
    ob_session_close(&one);
    ob_session_close(&two);
    config.n_threads = -1;
    assert_int_equal(ob_session_create(model, &config, &two, &error), OB_E_ARGUMENT);
    ob_model_close(&model);
    free(x);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inspection),
        cmocka_unit_test(test_several_shapes),
        cmocka_unit_test(test_plans_are_bounded),
        cmocka_unit_test(test_strided_input),
        cmocka_unit_test(test_caller_memory),
        cmocka_unit_test(test_wrong_inputs),
        cmocka_unit_test(test_broken_condition),
        cmocka_unit_test(test_one_symbol_two_sizes),
        cmocka_unit_test(test_bound_symbol),
        cmocka_unit_test(test_run_allocates_nothing),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_rank_zero),
        cmocka_unit_test(test_dead_and_constant_nodes),
        cmocka_unit_test(test_huge_integers_are_exact),
        cmocka_unit_test(test_expand_is_a_view),
        cmocka_unit_test(test_outputs_of_all_kinds),
        cmocka_unit_test(test_shape_from_input),
        cmocka_unit_test(test_dynamic_shapes),
        cmocka_unit_test(test_unsupported_are_all_named),
        cmocka_unit_test(test_wrong_operand_count),
        cmocka_unit_test(test_unsupported_type_is_named_at_creation),
        cmocka_unit_test(test_functions_are_inlined),
        cmocka_unit_test(test_mixed_types_are_refused),
        cmocka_unit_test(test_external_data),
        cmocka_unit_test(test_chain_needs_two_buffers),
        cmocka_unit_test(test_memory_plan_property),
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_threads),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
