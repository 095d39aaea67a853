/* ob_session_each_step: nodes, kernel, bytes and places of the steps of a plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "session_case.h"

typedef struct seen {
    char lines[16][160];
    size_t n;
} seen;

static void note(void *context, const ob_step_info *step) {
    seen *s = context;
    char shape[60] = "?";
    assert_true(s->n < 16);
    assert_string_equal(step->level, ob__kernels_level_name());
    for (int32_t a = 0; step->output && a < step->output->rank; a++)
        snprintf(a ? shape + strlen(shape) : shape, 20, "%s%lld", a ? "x" : "", (long long)step->output->dims[a]);
    snprintf(s->lines[s->n++], sizeof s->lines[0], "%u %s %s %s %s %llu %llu%s", step->depth, step->nodes, step->op_type,
             step->kernel, shape, (unsigned long long)step->read_bytes, (unsigned long long)step->written_bytes,
             step->in_place ? " in place" : "");
}

static void expect(const ob_session *session, const char *const *lines) {
    seen s = {.n = 0};
    assert_int_equal(ob_session_each_step(session, note, &s, NULL), OB_OK);
    for (size_t i = 0; i < s.n; i++) {
        assert_non_null(lines[i]);
        assert_string_equal(s.lines[i], lines[i]);
    }
    assert_null(lines[s.n]);
}

/* y = Hardmax(Hardmax(Relu(x + b)) + c), c a scalar: the bytes of a broadcast operand are its own. */
static void steps_of_a_plan(void **state) {
    (void)state;
    static float x[48], y[48];
    ob_model *model = new_model(14);
    ob_value *in = new_input(model, "x", OB_FLOAT, "N 3"), *b = new_weight(model, "b", OB_FLOAT, 1, (int64_t[]){3}, NULL),
             *c = new_weight(model, "c", OB_FLOAT, 0, NULL, NULL);
    ob_value *sum = new_node(model, "Add", "sum", 2, in, b);
    ob_value *soft = new_node(model, "Hardmax", "soft", 1, new_node(model, "Relu", "relu", 1, sum));
    ob_value *all = new_node(model, "Add", "all", 2, soft, c);
    new_output(model, new_node(model, "Hardmax", "y", 1, all));
    ob_session *session = open_session(model, true);
    ob_error error;
    seen s = {.n = 0};
    assert_int_equal(ob_session_each_step(session, note, &s, &error), OB_E_ARGUMENT);
    assert_string_equal(error.message, "the session has no plan yet: ob_session_prepare makes one");
    assert_int_equal(ob_session_each_step(NULL, note, &s, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_session_each_step(session, NULL, &s, NULL), OB_E_ARGUMENT);
    ob_view view = view_of(x, OB_FLOAT, 2, 16, 3), out = view_of(y, OB_FLOAT, 2, 16, 3);
    run_ok(session, &view, 1, &out, 1);
    expect(session,
           (const char *[]){"0 sum+relu Add+Relu program 16x3 204 192", "0 soft Hardmax hardmax 16x3 192 192 in place",
                            "0 all Add binary 16x3 196 192 in place", "0 y Hardmax hardmax 16x3 192 192 in place", NULL});
    view = view_of(x, OB_FLOAT, 2, 1, 3); /* another plan */
    out = view_of(y, OB_FLOAT, 2, 1, 3);
    run_ok(session, &view, 1, &out, 1);
    expect(session, (const char *[]){"0 sum+relu Add+Relu program 1x3 24 12", "0 soft Hardmax hardmax 1x3 12 12 in place",
                                     "0 all Add binary 1x3 16 12 in place", "0 y Hardmax hardmax 1x3 12 12 in place", NULL});
    ob_session_close(&session);
    session = open_session(model, false);
    run_ok(session, &view, 1, &out, 1);
    expect(session,
           (const char *[]){"0 sum Add binary 1x3 24 12", "0 relu Relu unary 1x3 12 12", "0 soft Hardmax hardmax 1x3 12 12",
                            "0 all Add binary 1x3 16 12", "0 y Hardmax hardmax 1x3 12 12", NULL});
    ob_session_close(&session);
    ob_model_close(&model);
}

/* A loop and its body, a node of the size that data decide, and a copy for a caller's memory. */
static void other_steps(void **state) {
    (void)state;
    static const char text[] = "<ir_version: 8, opset_import: [\"\" : 14]>\n"
                               "g (float[4] x) => (float[4] y, int64[1, n] z, float[2, 2] t) {\n"
                               "  n = Constant<value = int64 {3}>()\n  c = Constant<value = bool {1}>()\n"
                               "  y = Loop(n, c, x) <body = b (int64 i, bool go, float[4] s) => (bool on, float[4] r) {\n"
                               "    on = Identity(go)\n    r = Exp(s)\n  }>\n"
                               "  z = NonZero(x)\n  u = Constant<value = int64[2] {2, 2}>()\n  t = Reshape(x, u)\n}\n";
    static float x[4] = {0, 1, 0, 1};
    ob_model *model = NULL;
    ob_error error;
    if (ob_model_load_memory(text, sizeof text - 1, "explain", NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    ob_session *session = open_session(model, true);
    ob_view in = view_of(x, OB_FLOAT, 1, 4), out[3] = {{0}};
    run_ok(session, &in, 1, out, 3);
    seen s = {.n = 0};
    assert_int_equal(ob_session_each_step(session, note, &s, NULL), OB_OK);
    bool loop = false, body = false, dynamic = false, copy = false;
    for (size_t i = 0; i < s.n; i++) {
        loop |= strstr(s.lines[i], "0 y Loop subgraphs ") == s.lines[i];
        body |= strstr(s.lines[i], "1 r Exp unary 4 16 16") == s.lines[i];
        dynamic |= strstr(s.lines[i], "0 z NonZero ") == s.lines[i];
        copy |= strstr(s.lines[i], " copy copy 2x2 16 16") != NULL;
    }
    assert_true(loop && body && dynamic && copy);
    ob_session_close(&session);
    ob_model_close(&model);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(steps_of_a_plan), cmocka_unit_test(other_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
