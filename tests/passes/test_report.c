/* Reports as files: the pieces make one text, failures of the sink and of memory are returned, names are escaped, places are
 * inside the repository. */
#include "failing.h"
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
    const ob_report_options options = {.file = "a \"b\"\n\x80.onnx", .independence = answers, .n_independence = 1};
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
    const ob_report_options missing = {.n_independence = 1};
    assert_int_equal(ob_report_to_json(NULL, NULL, gather, &g, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_to_json(report, NULL, NULL, &g, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_to_json(report, &missing, gather, &g, NULL), OB_E_ARGUMENT);
    assert_int_equal(g.n_pieces, 0);
    ob_report_close(&report);
    ob_model_close(&model);
}

/* ---- Files of several models ---- */

typedef struct subject {
    ob_report *report;
    ob_report_format format;
    ob_allocator allocator;
} subject;

/* A model twice, and a file that was not read. */
static ob_status write_models(const subject *s, ob_write_sink sink, void *context, ob_error *error) {
    ob_report_writer *writer = NULL;
    const ob_report_writer_options how = {.allocator = &s->allocator, .source_root = "/root"};
    const ob_report_options first = {.file = "a.onnx"};
    ob_error reason = {.code = OB_E_IO, .message = "cannot be read"};
    ob_status status = ob_report_writer_create(s->format, &how, sink, context, &writer, error);
    if (status == OB_OK) status = ob_report_writer_add(writer, s->report, &first, error);
    if (status == OB_OK) status = ob_report_writer_add_unread(writer, NULL, &reason, error);
    if (status == OB_OK) status = ob_report_writer_add(writer, s->report, NULL, error);
    if (status == OB_OK) status = ob_report_writer_finish(writer, error);
    ob_report_writer_close(&writer);
    assert_null(writer);
    return status;
}

static ob_status write_digest(void *given, digest *made, ob_error *error) {
    return write_models(given, digest_sink, made, error);
}

static void every_failure_is_returned(void **state) {
    (void)state;
    ob_model *model = read_text(model_text);
    ob_report *report = check_model(model);
    for (int format = 0; format < OB_REPORT_FORMAT_COUNT; format++) {
        failing f = {0};
        subject s = {report, (ob_report_format)format, failing_allocator(&f)};
        gathered whole = {0};
        assert_int_equal(write_models(&s, gather, &whole, NULL), OB_OK);
        assert_true(whole.n > 50);
        for (size_t piece = 1; piece <= whole.n_pieces; piece++) {
            gathered cut = {.fails_at = piece};
            ob_error error;
            assert_int_equal(write_models(&s, gather, &cut, &error), OB_E_LIMIT);
            assert_int_equal(error.code, OB_E_LIMIT);
            assert_int_equal(cut.n_pieces, piece);
            free(cut.text);
        }
        assert_true(fail_each(&f, write_digest, &s, ob_report_format_name((ob_report_format)format), 100) > 2);
        assert_int_equal(f.n_alive, 0);
        assert_int_equal(f.n_bytes, 0);
        free(whole.text);
    }
    ob_report_close(&report);
    ob_model_close(&model);
}

static void formats_have_names(void **state) {
    (void)state;
    for (int format = 0; format < OB_REPORT_FORMAT_COUNT; format++)
        assert_int_equal(ob_report_format_from_name(ob_report_format_name((ob_report_format)format)), format);
    assert_int_equal(ob_report_format_from_name("text"), OB_REPORT_FORMAT_COUNT);
    assert_int_equal(ob_report_format_from_name(NULL), OB_REPORT_FORMAT_COUNT);
    assert_string_equal(ob_report_format_name(OB_REPORT_FORMAT_COUNT), "");
}

static void wrong_use_of_a_writer(void **state) {
    (void)state;
    ob_model *model = read_text(model_text);
    ob_report *report = check_model(model);
    ob_report_writer *writer = NULL;
    gathered g = {0};
    assert_int_equal(ob_report_writer_create(OB_REPORT_FORMAT_COUNT, NULL, gather, &g, &writer, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_writer_create(OB_REPORT_JSON, NULL, NULL, &g, &writer, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_writer_create(OB_REPORT_JSON, NULL, gather, &g, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_writer_create(OB_REPORT_JSON, NULL, gather, &g, &writer, NULL), OB_OK);
    assert_int_equal(ob_report_writer_add(writer, NULL, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_writer_add(NULL, report, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_writer_add(writer, report, &(ob_report_options){.n_independence = 1}, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_writer_add_unread(writer, "f", NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_writer_finish(NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_writer_finish(writer, NULL), OB_OK);
    assert_int_equal(ob_report_writer_finish(writer, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_writer_add(writer, report, NULL, NULL), OB_E_ARGUMENT);
    assert_non_null(strstr(g.text, "\"models\":[\n\n]}\n"));
    ob_report_writer_close(&writer);
    ob_report_writer_close(&writer);
    ob_report_writer_close(NULL);
    free(g.text);
    ob_report_close(&report);
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_make_one_object),    cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(every_failure_is_returned), cmocka_unit_test(formats_have_names),
        cmocka_unit_test(wrong_use_of_a_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
