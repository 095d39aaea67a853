/* ob_independence_check: one case for each way in which elements of a batch stay apart or reach each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "failing.h"
#include "onnx_broadcast/onnx_broadcast.h"

typedef struct independence_case {
    const char *inputs, *rest; /* of the text form; outputs z */
    const char *expected;      /* "proved", "refuted: reduction at m", "unknown: none at i" */
} independence_case;

#define W "<float[4, 4] w = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7}>"

static const independence_case cases[] = {
    {"float[B,4] x", W "{ z = MatMul(x, w) }", "proved"},
    {"float[B,4] x", "{ z = Softmax<axis = 1>(x) }", "proved"},
    {"float[B,4] x", "{ z = Softmax<axis = 0>(x) }", "refuted: normalization at z"},
    {"float[B,4] x", "{ m = ReduceMean<axes = [0]>(x)  z = Add(x, m) }", "refuted: reduction at m"},
    {"float[B,4] x", "{ m = ReduceMean<axes = [0]>(x)  a = Add(x, m)  z = Relu(a) }", "unknown: reduction at m"},
    {"float[B,4] x", "{ m = ReduceMean<axes = [1]>(x)  z = Sub(x, m) }", "proved"},
    {"float[B,4] x", "{ m = Sub(x, x)  z = ReduceMean<axes = [0]>(m) }", "unknown: reduction at z"},
    {"float[B,4] x", "<float[3,4] c = {1,2,3,4,5,6,7,8,9,1,2,3}> { z = Add(x, c) }", "refuted: constant at z"},
    {"float[B,4] x", "<float[1,4] c = {1,2,3,4}> { z = Add(x, c) }", "proved"},
    {"float[B,4] x", "{ t = Transpose<perm = [1, 0]>(x)  z = Transpose<perm = [1, 0]>(t) }", "proved"},
    {"float[B,4] x", "{ t = Transpose<perm = [1, 0]>(x)  z = MatMul(x, t) }", "refuted: product at z"},
    {"float[B,1] x, float[B] y", "{ z = Sub(x, y) }", "refuted: product at z"},
    {"float[B,T,4] x", "<int64[2] t = {-1, 4}> { z = Reshape(x, t) }", "proved"},
    {"float[B,T,4] x", "<int64[2] t = {-1, 4}> { r = Reshape(x, t)  s = Shape(x)  z = Reshape(r, s) }", "proved"},
    {"float[B,T,4] x", "<int64[2] t = {-1, 4}> { r = Reshape(x, t)  z = Softmax<axis = 0>(r) }", "refuted: normalization at z"},
    {"float[B,T,4] x", "<int64[3] t = {4, 0, -1}> { z = Reshape(x, t) }", "unknown: reshape at z"},
    {"float[B,4] x", "{ s = Shape(x)  c = ConstantOfShape(s)  z = Add(x, c) }", "proved"},
    {"float[B,4] x", "<float[1,4] r = {1,2,3,4}> { s = Shape(x)  c = Expand(r, s)  z = Add(x, c) }", "proved"},
    {"float[B,4] x", "<int64[2] t = {3, 4}> { z = Expand(x, t) }", "unknown: constant at z"},
    {"float[B,4] x", "{ z = Shape(x) }", "refuted: size at z"},
    {"float[B,4] x", "<int64 i = {0}> { s = Shape(x)  n = Gather(s, i)  f = Cast<to = 1>(n)  z = Add(x, f) }",
     "refuted: size at z"},
    {"float[B,4] x", "<int64 i = {0}, int64 d = {1}> { s = Shape(x)  n = Gather(s, i)  r = Range(i, n, d)  z = Cast<to = 1>(r) }",
     "unknown: place at r"},
    {"float[B,4] x",
     "<int64[1] i = {0}, float[4,4] p = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7}> { s = Shape(x)  n = Gather(s, i) "
     " t = Slice(p, i, n)  z = Add(x, t) }",
     "refuted: slice at t"},
    {"float[B,4] x", "<int64 i = {0}> { z = Gather(x, i) }", "refuted: reduction at z"},
    {"float[B,2,H,W] x",
     "<int64[2] hw = {8, 8}> { s = Shape<start = 0, end = 2>(x)  t = Concat<axis = 0>(s, hw)  z = Resize<mode = \"linear\">(x, , "
     ", t) }",
     "proved"},
    {"float[B,2,8,8] x", "<int64[4] t = {3, 2, 4, 4}> { z = Resize<mode = \"linear\">(x, , , t) }", "unknown: window at z"},
    {"float[B,4] x, float[B] y", "<int64[1] a = {1}> { u = Unsqueeze(y, a)  z = Mul(x, u) }", "proved"},
    {"float[B,T,4] x", "<int64[1] n = {9223372036854775807}, int64[1] o = {0}> { z = Slice(x, o, n, o) }", "proved"},
    {"float[B,T,4] x", "{ z = Flatten<axis = 2>(x) }", "proved"},
    {"float[B,4] x", "{ z = RandomNormalLike(x) }", "unknown: none at z"},
    {"float[B,4] x, bool c",
     "{ z = If(c) <then_branch = t () => (a) { a = Identity(x) }, else_branch = e () => (b) { b = Neg(x) }> }",
     "unknown: none at z"},
    {"float[2,4] x, float[B,4] y", "<int64[1] a = {0}> { z = Squeeze(y, a) }", "unknown: none at z"},
    {"float[B,B] x", "{ z = Neg(x) }", "unknown: none at "},
    {"float[B,4] x", "{ z = own.f(x) }", "refuted: reduction at m"},
    {"float[B,0] x", "{ z = Softmax<axis = 0>(x) }", "unknown: normalization at z"},
};

static ob_model *read_model_with(const char *inputs, const char *rest, const ob_allocator *allocator) {
    char text[2000];
    ob_model *model = NULL;
    ob_load_options options;
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    options.allocator = allocator;
    const int n =
        snprintf(text, sizeof text,
                 "<ir_version: 8, opset_import: [\"\" : 17, \"own\" : 1]>\ng (%s) => (z)\n%s\n"
                 "<domain: \"own\", opset_import: [\"\" : 17]> f (a) => (b) { m = ReduceMax<axes = [0]>(a)  b = Sub(a, m) }\n",
                 inputs, rest);
    assert_true(n > 0 && (size_t)n < sizeof text);
    ob_error error;
    if (ob_model_load_memory(text, (size_t)n, "case", &options, &model, &error) != OB_OK)
        print_error("%s\n%s\n", error.message, text);
    return model;
}

static ob_model *read_model(const char *inputs, const char *rest) {
    return read_model_with(inputs, rest, NULL);
}

static void answers_have_verdict_reason_and_node(void **state) {
    int n_wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char got[200];
        ob_independence *is = NULL;
        ob_model *model = read_model(cases[i].inputs, cases[i].rest);
        assert_non_null(model);
        assert_int_equal(ob_independence_check(model, "B", 0, &is, NULL), OB_OK);
        assert_string_equal(is->symbol, "B");
        if (is->verdict == OB_INDEPENDENCE_PROVED)
            snprintf(got, sizeof got, "proved");
        else
            snprintf(got, sizeof got, "%s: %s at %s", ob_independence_verdict_name(is->verdict), ob_mixing_name(is->mixing),
                     is->node);
        const char *end = strrchr(got, '/'); /* nodes of functions have the path of the call */
        if (strcmp(got, cases[i].expected) != 0 && !(end && strstr(cases[i].expected, end + 1))) {
            print_error("%s %s\n  %s, expected %s (%s)\n", cases[i].inputs, cases[i].rest, got, cases[i].expected, is->reason);
            n_wrong++;
        }
        if (is->verdict == OB_INDEPENDENCE_PROVED) {
            assert_string_equal(is->reason, "");
            assert_int_equal(is->n_path, 0);
        } else
            assert_true(strlen(is->reason) > 0);
        if (is->n_path) assert_string_equal(is->output, "z");
        ob_independence_close(&is);
        assert_null(is);
        ob_model_close(&model);
    }
    assert_int_equal(n_wrong, 0);
}

static void path_leads_from_the_node_to_the_output(void **state) {
    ob_independence *is = NULL;
    ob_model *model = read_model("float[B,4] x", "{ m = ReduceMean<axes = [0]>(x)  a = Add(x, m)  b = Neg(a)  z = Identity(b) }");
    static const char *const path[] = {"m", "a", "b", "z"};
    (void)state;
    assert_int_equal(ob_independence_check(model, NULL, 0, &is, NULL), OB_OK);
    assert_int_equal(is->n_path, 4);
    for (size_t i = 0; i < 4; i++) assert_string_equal(is->path[i], path[i]);
    assert_string_equal(is->value, "m");
    assert_string_equal(is->op_type, "ReduceMean");
    ob_independence_close(&is);
    ob_model_close(&model);
}

static void symbol_is_that_of_first_axes(void **state) {
    static const struct {
        const char *inputs, *symbol;
        ob_status status;
        const char *found;
    } symbols[] = {
        {"float[N,2] x, float[N] y", NULL, OB_OK, "N"},
        {"float[2,N] x", NULL, OB_E_NOT_FOUND, NULL},
        {"float[2,N] x", "N", OB_OK, "N"},
        {"float[N] x, float[M] y", NULL, OB_E_ARGUMENT, NULL},
        {"float[?,2] x, float[?,2] y", NULL, OB_OK, "x[0]"},
        {"float[?,2] x", "x[0]", OB_OK, "x[0]"},
        {"float[N] x", "M", OB_E_NOT_FOUND, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        ob_independence *is = NULL;
        ob_error error;
        ob_model *model = read_model(symbols[i].inputs, "{ z = Neg(x) }");
        assert_non_null(model);
        assert_int_equal(ob_independence_check(model, symbols[i].symbol, 0, &is, &error), symbols[i].status);
        assert_true((is != NULL) == (symbols[i].status == OB_OK));
        if (is) {
            assert_string_equal(is->symbol, symbols[i].found);
            assert_int_equal(is->verdict, OB_INDEPENDENCE_PROVED);
        } else
            assert_true(strlen(error.message) > 0);
        ob_independence_close(&is);
        ob_model_close(&model);
    }
    ob_independence_close(NULL);
    assert_int_equal(ob_independence_check(NULL, NULL, 0, NULL, NULL), OB_E_ARGUMENT);
    assert_string_equal(ob_mixing_name((ob_mixing)99), "none");
}

static void results_of_nodes_become_outputs(void **state) {
    ob_session *session = NULL;
    ob_session_value value;
    ob_model *model = read_model("float[B,4] x", "{ a, b = Split<axis = 1>(x)  c = Add(a, b)  z = Neg(c) }");
    static const char *const names[] = {"a", "b", "c", "z"};
    (void)state;
    assert_int_equal(ob_model_expose_results(NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_model_expose_results(model, NULL), OB_OK);
    assert_int_equal(ob_session_create(model, NULL, &session, NULL), OB_OK);
    assert_int_equal(ob_session_output_count(session), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(ob_session_output(session, i, &value));
        assert_string_equal(value.name, names[i]);
    }
    ob_session_close(&session);
    ob_model_close(&model);
}

static ob_status ask(void *subject, digest *made, ob_error *error) {
    ob_independence *is = NULL;
    const ob_status status = ob_independence_check(subject, "B", 0, &is, error);
    if (status != OB_OK) return status;
    digest_number(made, is->verdict);
    digest_text(made, is->reason);
    digest_text(made, is->node);
    for (size_t i = 0; i < is->n_path; i++) digest_text(made, is->path[i]);
    ob_independence_close(&is);
    return OB_OK;
}

static void lack_of_memory_is_an_error(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i += 2) {
        failing f = {0};
        const ob_allocator allocator = failing_allocator(&f);
        ob_model *model = read_model_with(cases[i].inputs, cases[i].rest, &allocator);
        assert_non_null(model);
        assert_true(fail_each(&f, ask, model, cases[i].rest, 40) > 5);
        ob_model_close(&model);
        assert_int_equal(f.n_alive, 0);
        assert_int_equal(f.n_bytes, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_have_verdict_reason_and_node), cmocka_unit_test(path_leads_from_the_node_to_the_output),
        cmocka_unit_test(symbol_is_that_of_first_axes), cmocka_unit_test(results_of_nodes_become_outputs),
        cmocka_unit_test(lack_of_memory_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
