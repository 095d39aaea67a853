/* Outputs and values whose declared shapes are wrong: logged, or refused on request; the checker's findings do not change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "onnx_broadcast/onnx_broadcast.h"
#include "session_case.h"

typedef struct heard {
    char line[512];
    size_t n;
} heard;

static void listen(void *context, ob_log_level level, const char *message) {
    heard *h = context;
    assert_int_equal(level, OB_LOG_WARNING);
    if (h->n++ == 0) snprintf(h->line, sizeof h->line, "%s", message);
}

/* A model of one line of nodes, its declared results in `ends`. */
static ob_model *read_model(const char *inputs, const char *ends, const char *nodes) {
    char text[1024];
    ob_load_options options;
    ob_model *model = NULL;
    ob_error error;
    ob_load_options_init(&options);
    int n =
        snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 17]>\ng (%s) => (%s { %s }\n", inputs, ends, nodes);
    if (ob_model_load_memory(text, (size_t)n, "g.onnx", &options, &model, &error) != OB_OK) fail_msg("%s", error.message);
    return model;
}

static size_t n_errors(ob_model *model) {
    ob_report *report = NULL;
    assert_int_equal(ob_check(model, NULL, &report, NULL), OB_OK);
    size_t n = ob_report_get_summary(report).n_errors;
    ob_report_close(&report);
    return n;
}

static ob_status open_and_run(const ob_model *model, bool strict, const ob_view *inputs, size_t n, ob_view *out, heard *h,
                              ob_status *created, ob_error *error) {
    ob_logger logger = {OB_LOG_WARNING, listen, h};
    ob_session_config config;
    ob_session *session = NULL;
    static float kept[64];
    ob_session_config_init(&config);
    assert_false(config.strict_declarations);
    config.strict_declarations = strict;
    config.logger = &logger;
    h->n = 0;
    *created = ob_session_create(model, &config, &session, error);
    ob_status status = *created;
    if (status == OB_OK) status = ob_session_run(session, inputs, n, out, 1, error);
    if (status == OB_OK) { /* outlives the session */
        size_t n_bytes = (size_t)ob_view_count(out) * ob_dtype_size(out->dtype);
        assert_true(n_bytes <= sizeof kept);
        memcpy(kept, out->data, n_bytes);
        out->data = kept;
    }
    ob_session_close(&session);
    return status;
}

typedef struct declared_case {
    const char *inputs, *ends, *nodes;
    int n_inputs, n_found; /* inputs of five ones; errors that the checker finds */
    size_t n_told;
    const char *told;
    ob_status created, run; /* with strict declarations */
} declared_case;

static const declared_case cases[] = {
    {"float[5] x", "float[5] y)", "y = Relu (x)", 1, 0, 0, NULL, OB_OK, OB_OK},
    {"float[5] x", "float[4] y)", "y = Relu (x)", 1, 1, 1, "axis 0 of \"y\" is declared as 4 and inferred as 5", OB_E_SHAPE,
     OB_OK},
    {"float[5] x", "float[5,1] y)", "y = Relu (x)", 1, 1, 1, "\"y\" is declared with rank 2 and inferred with rank 1", OB_E_SHAPE,
     OB_OK},
    {"float[5] x", "int64[5] y)", "y = Relu (x)", 1, 1, 1, "\"y\" is declared as int64 and inferred as float", OB_E_TYPE, OB_OK},
    {"float[N] x", "float[4] y)", "y = Relu (x)", 1, 0, 1, "the declared shape of \"y\" holds only if N = 4", OB_OK,
     OB_E_CONDITION},
    {"float[N] x", "float[M] y)", "y = Relu (x)", 1, 0, 0, NULL, OB_OK, OB_OK},
    /* an intermediate value; claims that depend on the wrong one must not be required either */
    {"float[N] x, float[5] z", "float[5] y) <float[4] s>", "s = Relu (x) y = Add (s, z)", 2, 0, 1,
     "the declared shape of \"s\" holds only if N = 4", OB_OK, OB_E_CONDITION},
    {"float[5] x, float[N] z", "float[M] y) <float[4] s>", "s = Relu (x) y = Add (s, z)", 2, 1, 1,
     "axis 0 of \"s\" is declared as 4 and inferred as 5", OB_E_SHAPE, OB_OK},
    /* the name of a size of the inputs */
    {"float[5] x, float[N] z", "float[N] y)", "y = Relu (x)", 2, 0, 1,
     "axis 0 of \"y\" is declared as N, a size of the inputs, and inferred as 5", OB_E_SHAPE, OB_OK},
    /* known only during the run */
    {"float[5] x", "int64[1,7] y)", "y = NonZero (x)", 1, 0, 0, NULL, OB_OK, OB_E_SHAPE},
    {"float[5] x", "int64[1,5] y)", "y = NonZero (x)", 1, 0, 0, NULL, OB_OK, OB_OK},
};

static void test_wrong_declarations(void **state) {
    (void)state;
    float ones[5] = {1, 1, 1, 1, 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const declared_case *c = &cases[i];
        ob_model *model = read_model(c->inputs, c->ends, c->nodes);
        const ob_view in[2] = {view_of(ones, OB_FLOAT, 1, 5), view_of(ones, OB_FLOAT, 1, 5)};
        ob_view out = {0};
        ob_error error;
        ob_status created;
        heard h;
        assert_int_equal(n_errors(model), c->n_found);
        ob_status status = open_and_run(model, false, in, (size_t)c->n_inputs, &out, &h, &created, &error);
        if (status != OB_OK) fail_msg("%s: %s", c->nodes, error.message);
        assert_int_equal(h.n, c->n_told);
        if (c->told && !strstr(h.line, c->told)) fail_msg("%s: %s", c->nodes, h.line);
        assert_int_equal(ob_view_count(&out), 5);
        out = (ob_view){0};
        status = open_and_run(model, true, in, (size_t)c->n_inputs, &out, &h, &created, &error);
        assert_int_equal(created, c->created);
        assert_int_equal(status, c->created != OB_OK ? c->created : c->run);
        assert_int_equal(h.n, 0);
        if (c->created != OB_OK) assert_true(strstr(error.message, c->told) && (error.value[0] == 'y' || error.value[0] == 's'));
        ob_model_close(&model);
    }
}

/* Stale value_info of a large model does not fill a log. */
static void test_few_are_told(void **state) {
    (void)state;
    char ends[900] = "float[5] y0) <float[4] v0", nodes[900] = "v0 = Relu (x) ";
    for (int i = 1; i < 25; i++) {
        sprintf(ends + strlen(ends), ", float[4] v%d", i);
        sprintf(nodes + strlen(nodes), "v%d = Relu (v%d) ", i, i - 1);
    }
    strcat(ends, ">");
    strcat(nodes, "y0 = Relu (v24)");
    ob_model *model = read_model("float[5] x", ends, nodes);
    float ones[5] = {1, 1, 1, 1, 1};
    const ob_view in = view_of(ones, OB_FLOAT, 1, 5);
    ob_view out = {0};
    ob_error error;
    ob_status created;
    heard h;
    assert_int_equal(open_and_run(model, false, &in, 1, &out, &h, &created, &error), OB_OK);
    assert_int_equal(h.n, 11);
    ob_model_close(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_declarations),
        cmocka_unit_test(test_few_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
