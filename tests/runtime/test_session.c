/* Sessions: inspection, results, functions, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "session_case.h"

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

/* Calls inside calls, an attribute that the call gives or omits, an omitted input, an output that is an input.
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
    ob__node_set_output(call, 0, ob__value_new(model->graph, "column")); /* a name that also occurs in the body */
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
        print_message("built without threads: one thread only\n");
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

/* The division of the plane into products must not depend on the number of threads, because the bits of a product depend on its
 * width. */
static void test_conv_bits_do_not_follow_threads(void **state) {
    (void)state;
    static float x[1 * 9 * 7 * 6], w[3 * 3 * 3 * 1];
    for (int i = 0; i < 9 * 7 * 6; i++) x[i] = (float)(i % 37) / 7 - 2;
    for (int i = 0; i < 27; i++) w[i] = (float)(i % 11) / 3 - 1;
    ob_model *model = new_model(11);
    ob_value *in = new_input(model, "x", OB_FLOAT, "1 9 7 6");
    ob_value *filter = new_weight(model, "w", OB_FLOAT, 4, (int64_t[]){3, 3, 3, 1}, w);
    ob_value *out = new_node(model, "Conv", "y", 2, in, filter);
    assert_true(ob__node_set_int(out->producer, "group", 3));
    assert_true(ob__node_set_string(out->producer, "auto_pad", "SAME_UPPER"));
    new_output(model, out);
    float want[3 * 7 * 6];
    for (int n_threads = 1; n_threads <= 4; n_threads++) {
        ob_session_config config;
        ob_session *session = NULL;
        ob_session_config_init(&config);
        config.n_threads = n_threads;
        ob_status status = ob_session_create(model, &config, &session, NULL);
        if (status == OB_E_UNSUPPORTED && n_threads > 1) break; /* built without threads */
        assert_int_equal(status, OB_OK);
        ob_view input = view_of(x, OB_FLOAT, 4, 1, 9, 7, 6), output = {0};
        run_ok(session, &input, 1, &output, 1);
        if (n_threads == 1) memcpy(want, output.data, sizeof want);
        assert_memory_equal(output.data, want, sizeof want);
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inspection),
        cmocka_unit_test(test_rank_zero),
        cmocka_unit_test(test_outputs_of_all_kinds),
        cmocka_unit_test(test_functions_are_inlined),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_conv_bits_do_not_follow_threads),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
