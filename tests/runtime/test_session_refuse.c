/* Models and inputs that a session refuses, and its messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "session_case.h"

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

/* Each size once, although both sides of the condition have it, and although it is the end of another name. */
static void test_sizes_of_a_broken_condition(void **state) {
    (void)state;
    float x[100] = {0};
    ob_model *model = new_model(14);
    ob_value *a = new_input(model, "a", OB_FLOAT, "N 3"), *b = new_input(model, "b", OB_FLOAT, "MN 3");
    ob_value *sum = new_node(model, "Concat", "ab", 2, a, b), *twice = new_node(model, "Concat", "aa", 2, a, a);
    assert_true(ob__node_set_int(sum->producer, "axis", 0) && ob__node_set_int(twice->producer, "axis", 0));
    new_output(model, new_node(model, "Add", "total", 2, sum, twice));
    ob_session *session = open_session(model, true);
    ob_error error;
    ob_view in[2] = {view_of(x, OB_FLOAT, 2, 2, 3), view_of(x, OB_FLOAT, 2, 23, 3)}, out = {0};
    assert_int_equal(ob_session_run(session, in, 2, &out, 1, &error), OB_E_CONDITION);
    const char *sizes = strstr(error.message, "does not hold: ");
    assert_non_null(sizes);
    assert_string_equal(sizes, "does not hold: N = 2, MN = 23");
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

/* An error that only planning finds is reported before any input is given, if the shapes are known. */
static void test_unsupported_type_is_named_at_creation(void **state) {
    (void)state;
    char names[200] = "";
    ob_model *model = new_model(9);
    ob_node *node = ob__node_new(model->graph, NULL, "", "LpNormalization", 1, 1);
    node->name = "y";
    node->inputs[0] = new_input(model, "x", OB_FLOAT, "1 2");
    assert_true(ob__node_set_int(node, "p", 3));
    ob__node_set_output(node, 0, ob__value_new(model->graph, "y"));
    new_output(model, node->outputs[0]);
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config_init(&config);
    config.unsupported = list_unsupported;
    config.context = names;
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_E_UNSUPPORTED);
    assert_string_equal(names, "LpNormalization ");
    assert_string_equal(error.node, "y");
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

/* The result's shape is known without the target, whose elements only the run has: a contradicting target is refused, not
 * ignored. */
static void test_targets_that_contradict(void **state) {
    (void)state;
    static const char *const ops[] = {"Expand", "BroadcastInDim"};
    for (int op = 0; op < 2; op++)
        for (int optimize = 0; optimize < 2; optimize++) {
            float x[] = {1, 2, 3}, target[] = {3};
            ob_model *model = new_model(14);
            assert_true(ob__model_set_opset(model, "onnx_broadcast", 1));
            ob_value *in_x = new_input(model, "x", OB_FLOAT, "3"), *in_target = new_input(model, "t", OB_FLOAT, "1");
            ob_value *sizes = new_node(model, "Cast", "sizes", 1, in_target);
            assert_true(ob__node_set_int(sizes->producer, "to", OB_INT64));
            ob_value *wide = new_node(model, ops[op], "wide", 2, in_x, sizes);
            const int64_t axis = 0;
            if (op == 1) wide->producer->domain = "onnx_broadcast";
            if (op == 1) assert_true(ob__node_set_ints(wide->producer, "broadcast_dimensions", &axis, 1));
            new_output(model, wide);
            ob_session *session = open_session(model, optimize);
            ob_error error;
            ob_view in[2] = {view_of(x, OB_FLOAT, 1, 3), view_of(target, OB_FLOAT, 1, 1)}, out[1] = {{0}};
            run_ok(session, in, 2, out, 1);
            expect_floats(&out[0], x, 3);
            target[0] = 7;
            memset(out, 0, sizeof out);
            assert_int_equal(ob_session_run(session, in, 2, out, 1, &error), OB_E_SHAPE);
            assert_string_equal(error.node, "wide");
            target[0] = 3;
            run_ok(session, in, 2, out, 1);
            ob_session_close(&session);
            ob_model_close(&model);
        }
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

static ob_status try_wide_sum(uint32_t n, float *result, ob_error *error) {
    ob_model *model = new_model(13);
    ob_value *x = new_input(model, "x", OB_FLOAT, "1");
    ob_node *node = ob__node_new(model->graph, NULL, "", "Sum", n, 1);
    ob_value *y = ob__value_new(model->graph, "y");
    for (uint32_t i = 0; i < n; i++) node->inputs[i] = x;
    ob__node_set_output(node, 0, y);
    new_output(model, y);
    ob_session *session = NULL;
    float one = 1;
    ob_view in = view_of(&one, OB_FLOAT, 1, 1), out = {0};
    ob_status status = ob_session_create(model, NULL, &session, error);
    if (status == OB_OK) status = ob_session_run(session, &in, 1, &out, 1, error);
    if (status == OB_OK) *result = *(float *)out.data;
    ob_session_close(&session);
    ob_model_close(&model);
    return status;
}

static void count_step(void *context, const ob_trace_event *event) {
    (void)event;
    ++*(int *)context;
}

/* Sizes without names: requirements on them are tested before the first step. For a size that only the run determines, the
 * consequences of its requirements are tested. */
static void test_condition_by_place(void **state) {
    (void)state;
    static const char text[] =
        "<ir_version: 8, opset_import: [\"\" : 17]>\n"
        "g (float[?] x, float[?] y, float[6] u, bool[6] c, float[?] v) => (z, q, w) <float[5] five = {1, 2, 3, 4, 5}> {\n"
        "  [inner] z = Add (x, y)\n"
        "  n = Compress (u, c) [first] q = MatMul (n, five) [second] w = MatMul (n, v)\n}";
    float x[8] = {0};
    int n_steps = 0;
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_session_config config;
    ob_error error;
    ob_error_clear(&error);
    ob_session_config_init(&config);
    config.trace = count_step;
    config.context = &n_steps;
    if (ob_model_load_memory(text, sizeof text - 1, NULL, NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
    ob_session_value info;
    assert_true(ob_session_input(session, 0, &info));
    assert_string_equal(info.shape_text, "[x[0]]");
    bool c[6] = {true, true, true, true, true};
    ob_view in[5] = {view_of(x, OB_FLOAT, 1, 3), view_of(x, OB_FLOAT, 1, 2), view_of(x, OB_FLOAT, 1, 6),
                     view_of(c, OB_BOOL, 1, 6), view_of(x, OB_FLOAT, 1, 5)};
    ob_view out[3] = {{0}};
    for (int again = 0; again < 2; again++) {
        assert_int_equal(ob_session_run(session, in, 5, out, 3, &error), OB_E_CONDITION);
        assert_string_equal(error.node, "inner");
        assert_string_equal(error.message, "axis 0: y[0] = x[0] or y[0] = 1 or x[0] = 1 does not hold: y[0] = 2, x[0] = 3");
        assert_int_equal(n_steps, 0);
    }
    in[1] = in[0];
    in[4] = view_of(x, OB_FLOAT, 1, 4);
    assert_int_equal(ob_session_run(session, in, 5, out, 3, &error), OB_E_CONDITION);
    assert_string_equal(error.node, "second");
    assert_string_equal(error.message, "v[0] = 5 does not hold: v[0] = 4");
    assert_int_equal(n_steps, 0);
    in[4] = view_of(x, OB_FLOAT, 1, 5);
    run_ok(session, in, 5, out, 3);
    assert_true(n_steps > 0);
    ob_session_close(&session);
    ob_named_size size = {"v[0]", 4};
    config.dims = &size;
    config.n_dims = 1;
    n_steps = 0;
    in[4] = view_of(x, OB_FLOAT, 1, 4);
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
    assert_int_equal(ob_session_run(session, in, 5, out, 3, &error), OB_E_CONDITION);
    assert_string_equal(error.node, "second");
    assert_non_null(strstr(error.message, "contradicts the requirement of node \"first\": every run fails"));
    assert_int_equal(n_steps, 0);
    ob_session_close(&session);
    size = (ob_named_size){"x[0]", 4};
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
    assert_true(ob_session_input(session, 0, &info));
    assert_string_equal(info.shape_text, "[4]");
    assert_int_equal(ob_session_run(session, in, 5, out, 3, &error), OB_E_SHAPE);
    assert_string_equal(error.message, "input x: the model takes [4], but [3] was given");
    ob_session_close(&session);
    ob_model_close(&model);
}

/* Sum accepts any number of operands; the executor reports its own limit. */
static void test_many_operands(void **state) {
    (void)state;
    float sum = 0;
    ob_error error;
    assert_int_equal(try_wide_sum(4095, &sum, &error), OB_OK);
    assert_true(sum == 4095);
    assert_int_equal(try_wide_sum(4096, &sum, &error), OB_E_LIMIT);
    assert_int_equal(try_wide_sum(40000, &sum, &error), OB_E_LIMIT);
    assert_non_null(strstr(error.message, "at most 4096 are supported"));
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_inputs),
        cmocka_unit_test(test_broken_condition),
        cmocka_unit_test(test_sizes_of_a_broken_condition),
        cmocka_unit_test(test_condition_by_place),
        cmocka_unit_test(test_one_symbol_two_sizes),
        cmocka_unit_test(test_bound_symbol),
        cmocka_unit_test(test_unsupported_are_all_named),
        cmocka_unit_test(test_unsupported_type_is_named_at_creation),
        cmocka_unit_test(test_wrong_operand_count),
        cmocka_unit_test(test_many_operands),
        cmocka_unit_test(test_targets_that_contradict),
        cmocka_unit_test(test_mixed_types_are_refused),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
