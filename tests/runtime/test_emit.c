/* Models as C: options, texts of the model, the same bytes each time. That they compile and compute the same is tests/emitted.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model_text.h"
#include "onnx_broadcast/emit.h"
#include "session_case.h"

typedef struct written {
    char *text[8], name[8][64];
    size_t n_bytes[8], n, fail_at; /* fail_at: this file cannot be written (1 is the first); 0: none */
} written;

static bool keep(void *context, const char *file, const void *bytes, size_t n_bytes) {
    written *w = context;
    assert_true(w->n < 8);
    if (w->n + 1 == w->fail_at) return false;
    snprintf(w->name[w->n], sizeof w->name[0], "%s", file);
    w->text[w->n] = malloc(n_bytes + 1);
    assert_non_null(w->text[w->n]);
    memcpy(w->text[w->n], bytes, n_bytes);
    w->text[w->n][n_bytes] = 0;
    w->n_bytes[w->n++] = n_bytes;
    return true;
}

static void drop(written *w) {
    for (size_t i = 0; i < w->n; i++) free(w->text[i]);
    *w = (written){.n = 0};
}

static const char *file_of(const written *w, const char *name) {
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->name[i], name) == 0) return w->text[i];
    return NULL;
}

static ob_session *session_of(ob_model *model) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config_init(&config);
    config.ahead_of_time = true;
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_OK);
    return session;
}

static ob_view shape_of(int64_t n) {
    ob_view view;
    float some[3];
    assert_int_equal(ob_view_init(&view, some, OB_FLOAT, 2, (int64_t[]){n, 3}), OB_OK);
    view.data = NULL;
    return view;
}

static ob_status emit(ob_model *model, const char *name, ob_emit_weights weights, size_t n_plans, written *w, ob_error *error) {
    ob_session *session = session_of(model);
    const ob_view views[3] = {shape_of(1), shape_of(4), shape_of(0)};
    const ob_emit_options options = {.name = name, .weights = weights};
    const ob_status status = ob_session_emit(session, views, 1, n_plans, &options, keep, w, error);
    ob_session_close(&session);
    return status;
}

static void files_are_the_same_each_time(void **state) {
    (void)state;
    for (int form = OB_EMIT_WEIGHTS_AUTO; form <= OB_EMIT_WEIGHTS_BINARY; form++) {
        written w[2] = {{.n = 0}, {.n = 0}};
        for (int i = 0; i < 2; i++) {
            ob_model *model = scale_model();
            ob_error error;
            assert_int_equal(emit(model, "scale", (ob_emit_weights)form, 3, &w[i], &error), OB_OK);
            ob_model_close(&model);
        }
        assert_int_equal(w[0].n, form == OB_EMIT_WEIGHTS_BINARY ? 6 : 4);
        assert_int_equal(w[0].n, w[1].n);
        for (size_t i = 0; i < w[0].n; i++) {
            assert_string_equal(w[0].name[i], w[1].name[i]);
            assert_int_equal(w[0].n_bytes[i], w[1].n_bytes[i]);
            assert_memory_equal(w[0].text[i], w[1].text[i], w[0].n_bytes[i]);
        }
        const char *header = file_of(&w[0], "scale.h");
        assert_non_null(header);
        assert_non_null(strstr(header, "#define scale_PLANS 3\n"));
        assert_non_null(strstr(header, "#define scale_INPUT_0_BYTES 48\n"));
        assert_non_null(file_of(&w[0], "scale.c"));
        assert_non_null(file_of(&w[0], "CMakeLists.txt"));
        if (form == OB_EMIT_WEIGHTS_BINARY) {
            const unsigned char bytes[12] = {0, 0, 0x80, 0xbf, 0, 0, 0, 0, 0, 0, 0x80, 0x3f}; /* -1, 0, 1 */
            assert_memory_equal(file_of(&w[0], "scale_weights.bin"), bytes, sizeof bytes);
        }
        drop(&w[0]);
        drop(&w[1]);
    }
}

/* Weights of bytes are written as bytes, also where the model makes floats of them; a few are folded. */
static void weights_keep_their_type(void **state) {
    (void)state;
    for (int64_t n = 200; n <= 300; n += 100) {
        int8_t w[300];
        const float scale = 0.5F;
        for (int i = 0; i < 300; i++) w[i] = (int8_t)(i % 100 - 50);
        written files = {.n = 0};
        ob_error error;
        ob_model *model = new_model(19);
        ob_value *x = new_input(model, "x", OB_FLOAT, "N 3");
        ob_value *packed = new_weight(model, "w", OB_INT8, 2, (int64_t[]){3, n / 3}, w);
        ob_value *wide =
            new_node(model, "DequantizeLinear", "wide", 2, packed, new_weight(model, "s", OB_FLOAT, 0, NULL, &scale));
        new_output(model, new_node(model, "MatMul", "y", 2, x, wide));
        assert_int_equal(emit(model, "m", OB_EMIT_WEIGHTS_C, 1, &files, &error), OB_OK);
        const char *source = file_of(&files, "m.c");
        assert_non_null(source);
        assert_true((strstr(source, "uint8_t m_c") != NULL) == (n == 300));
        drop(&files);
        ob_model_close(&model);
    }
}

static void names_are_checked(void **state) {
    static const char *const bad[] = {"",
                                      "1a",
                                      "a b",
                                      "a-b",
                                      "a/b",
                                      "while",
                                      "class",
                                      "ob_x",
                                      "main",
                                      "_a",
                                      "a\nb",
                                      "\xc3\xa9",
                                      "a23456789012345678901234567890123"};
    written w = {.n = 0};
    ob_model *model = scale_model();
    ob_error error;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(emit(model, bad[i], OB_EMIT_WEIGHTS_C, 1, &w, &error), OB_E_ARGUMENT);
        assert_int_equal(w.n, 0);
    }
    assert_int_equal(emit(model, "a2345678901234567890123456789012", OB_EMIT_WEIGHTS_C, 1, &w, &error), OB_OK);
    drop(&w);
    ob_model_close(&model);
}

static void wrong_calls_are_refused(void **state) {
    written w = {.n = 0};
    ob_model *model = scale_model();
    ob_session *session = session_of(model);
    const ob_view views[1] = {shape_of(2)};
    const ob_emit_options options = {.name = "a"}, form = {.name = "a", .weights = (ob_emit_weights)9};
    ob_error error;
    (void)state;
    assert_int_equal(ob_session_emit(NULL, views, 1, 1, &options, keep, &w, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_session_emit(session, NULL, 1, 1, &options, keep, &w, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_session_emit(session, views, 1, 1, NULL, keep, &w, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_session_emit(session, views, 1, 1, &options, NULL, &w, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_session_emit(session, views, 1, 1, &form, keep, &w, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_session_emit(session, views, 1, 0, &options, keep, &w, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_session_emit(session, views, 1, 65, &options, keep, &w, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_session_emit(session, views, 0, 1, &options, keep, &w, &error), OB_E_ARGUMENT);
    w.fail_at = 2;
    assert_int_equal(ob_session_emit(session, views, 1, 1, &options, keep, &w, &error), OB_E_IO);
    drop(&w);
    ob_session_close(&session);
    assert_int_equal(ob_session_create(model, NULL, &session, &error), OB_OK);
    assert_int_equal(ob_session_emit(session, views, 1, 1, &options, keep, &w, &error), OB_E_ARGUMENT);
    ob_session_close(&session);
    ob_model_close(&model);
}

/* Names of a model can be anything: only harmless bytes get into the files, in comments. */
static void texts_cannot_be_code(void **state) {
    static const char *const attacks[] = {"*/ int evil; /*",   "x\\",     "a?\?/b", "\"; system(\"x", "line\nbreak\r\t", "%s%n",
                                          "\xe2\x80\xae evil", "*\\\n/ x"};
    (void)state;
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
        written w = {.n = 0};
        ob_error error;
        ob_model *model = new_model(14);
        ob_value *x = new_input(model, attacks[i], OB_FLOAT, "N 3");
        new_output(model, new_node(model, "Relu", attacks[(i + 1) % 8], 1, x));
        assert_int_equal(emit(model, "m", OB_EMIT_WEIGHTS_BINARY, 1, &w, &error), OB_OK);
        for (size_t f = 0; f < w.n; f++) {
            assert_null(strstr(w.text[f], "evil; /*"));
            assert_null(strstr(w.text[f], attacks[i]));
            assert_null(strstr(w.text[f], "?\?/"));
            for (size_t k = 0; k < w.n_bytes[f]; k++)
                assert_true(w.text[f][k] == '\n' || (w.text[f][k] >= ' ' && w.text[f][k] <= '~'));
        }
        drop(&w);
        ob_model_close(&model);
    }
}

/* Two sets of the same sizes have one plan, and each its tables with the places of constants. */
static void the_same_sizes_twice(void **state) {
    written w = {.n = 0};
    ob_model *model = scale_model();
    ob_session *session = session_of(model);
    const ob_view views[2] = {shape_of(4), shape_of(4)};
    const ob_emit_options options = {.name = "m", .weights = OB_EMIT_WEIGHTS_C};
    ob_error error;
    (void)state;
    assert_int_equal(ob_session_emit(session, views, 1, 2, &options, keep, &w, &error), OB_OK);
    const char *text = file_of(&w, "m.c"), *first = strstr(text, "m_places0[] = {"), *second = strstr(text, "m_places1[] = {");
    assert_non_null(first);
    assert_non_null(second);
    assert_memory_equal(strchr(first, '{'), strchr(second, '{'), strcspn(first, ";") - strlen("m_places0[] = "));
    drop(&w);
    ob_session_close(&session);
    ob_model_close(&model);
}

/* An operator whose result has a size that depends on data is refused by name, and nothing is written. */
static void the_rest_is_refused(void **state) {
    written w = {.n = 0};
    ob_model *model = new_model(14);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 3");
    new_output(model, new_node(model, "NonZero", "places", 1, x));
    ob_error error;
    (void)state;
    assert_int_equal(emit(model, "m", OB_EMIT_WEIGHTS_C, 1, &w, &error), OB_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "cannot be written as C: the size of its result depends on data"));
    assert_string_equal(error.op_type, "NonZero");
    assert_int_equal(w.n, 0);
    ob_model_close(&model);
}

/* A loop whose state grows. */
static void growing_states_are_refused(void **state) {
    static const char text[] = "<ir_version: 8, opset_import: [\"\" : 16]>\n"
                               "g (float[N, 3] x) => (float[M, 3] y) {\n n = Constant <value = int64 {3}> ()\n"
                               " y = Loop (n, , x) <body = b (int64 i, bool k, float[K, 3] p) => (k, q) "
                               "{ q = Concat <axis = 0> (p, x) }> }";
    written w = {.n = 0};
    ob_model *model = read_text(text);
    ob_error error;
    (void)state;
    assert_int_equal(emit(model, "m", OB_EMIT_WEIGHTS_C, 1, &w, &error), OB_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "sizes in its subgraphs depend on data, or change between iterations"));
    assert_string_equal(error.op_type, "Loop");
    assert_string_equal(error.node, "y");
    assert_int_equal(w.n, 0);
    ob_model_close(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_are_the_same_each_time),
                                       cmocka_unit_test(weights_keep_their_type),
                                       cmocka_unit_test(names_are_checked),
                                       cmocka_unit_test(wrong_calls_are_refused),
                                       cmocka_unit_test(texts_cannot_be_code),
                                       cmocka_unit_test(the_rest_is_refused),
                                       cmocka_unit_test(growing_states_are_refused),
                                       cmocka_unit_test(the_same_sizes_twice)};
    return cmocka_run_group_tests_name("emit", tests, NULL, NULL);
}
