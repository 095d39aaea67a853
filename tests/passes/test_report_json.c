/* A report as JSON: the pieces make one text, failures of the sink and of memory are returned, names are escaped. */
#include "model_text.h"

#include <stdlib.h>

static const char model_text[] = "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                 "g (float[N,1] x, float[M] w) => (float[?,?] y) { y = Sub (x, w) }\n";

typedef struct gathered {
    char *text;
    size_t n, n_pieces;
    size_t fails_at; /* piece that is refused, counted from 1 */
} gathered;

static ob_status gather(void *context, const void *bytes, size_t n_bytes) {
    gathered *g = context;
    if (++g->n_pieces == g->fails_at) return OB_E_LIMIT;
    assert_true(n_bytes > 0);
    char *text = realloc(g->text, g->n + n_bytes + 1);
    assert_non_null(text);
    memcpy(text + g->n, bytes, n_bytes);
    g->text = text;
    g->n += n_bytes;
    text[g->n] = '\0';
    return OB_OK;
}

static void pieces_make_one_object(void **state) {
    (void)state;
    ob_model *model = read_text(model_text);
    ob_report *report = check_model(model);
    ob_independence *answer = NULL;
    assert_int_equal(ob_independence_check(model, "N", 0, &answer, NULL), OB_OK);
    const ob_independence *answers[] = {answer};
    const ob_report_json_options options = {.file = "a \"b\"\n\x80.onnx", .independence = answers, .n_independence = 1};
    gathered g = {0};
    assert_int_equal(ob_report_to_json(report, &options, gather, &g, NULL), OB_OK);
    const char head[] = "{\"file\":\"a \\\"b\\\"\\u000a\\ufffd.onnx\",\"ir_version\":8,\"opsets\":{\"\":17},\"rules\":\"onnx\"";
    assert_int_equal(strncmp(g.text, head, sizeof head - 1), 0);
    assert_non_null(strstr(g.text, "\"independence\":[\n{\"symbol\":\"N\",\"verdict\":\"proved\""));
    assert_int_equal(g.text[g.n - 1], '}');
    assert_true(g.n_pieces > 1);
    gathered again = {0};
    assert_int_equal(ob_report_to_json(report, &options, gather, &again, NULL), OB_OK);
    assert_string_equal(g.text, again.text);
    for (size_t piece = 1; piece <= g.n_pieces; piece++) {
        gathered cut = {.fails_at = piece};
        ob_error error;
        assert_int_equal(ob_report_to_json(report, &options, gather, &cut, &error), OB_E_LIMIT);
        assert_int_equal(error.code, OB_E_LIMIT);
        assert_int_equal(cut.n_pieces, piece);
        assert_int_equal(strncmp(g.text, cut.text ? cut.text : "", cut.n), 0);
        free(cut.text);
    }
    free(g.text);
    free(again.text);
    ob_independence_close(&answer);
    ob_report_close(&report);
    ob_model_close(&model);
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    ob_model *model = read_text(model_text);
    ob_report *report = check_model(model);
    gathered g = {0};
    const ob_report_json_options missing = {.n_independence = 1};
    assert_int_equal(ob_report_to_json(NULL, NULL, gather, &g, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_to_json(report, NULL, NULL, &g, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_to_json(report, &missing, gather, &g, NULL), OB_E_ARGUMENT);
    assert_int_equal(g.n_pieces, 0);
    ob_report_close(&report);
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_make_one_object),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
