/* Reports as an HTML page: strings of a model and of the command line stay text, and the page allows itself nothing else. */
#include "model_text.h"

#include <stdlib.h>

#define ATTACK "</script><script>alert('1')</script>&\\\"\xE2\x80\xAE"

static ob_status gather(void *context, const void *bytes, size_t n_bytes) {
    char **text = context;
    const size_t n = *text ? strlen(*text) : 0;
    *text = realloc(*text, n + n_bytes + 1);
    assert_non_null(*text);
    memcpy(*text + n, bytes, n_bytes);
    (*text)[n + n_bytes] = '\0';
    return OB_OK;
}

static char *page_of(const char *model_text, const char *file) {
    ob_model *model = read_text(model_text);
    ob_report *report = check_model(model);
    ob_report_writer *writer = NULL;
    const ob_report_options options = {.file = file};
    ob_error reason = {.code = OB_E_FORMAT, .message = "<b>no model</b>"};
    char *text = NULL;
    assert_int_equal(ob_report_writer_create(OB_REPORT_HTML, NULL, gather, &text, &writer, NULL), OB_OK);
    assert_int_equal(ob_report_writer_add(writer, report, &options, NULL), OB_OK);
    assert_int_equal(ob_report_writer_add_unread(writer, file, &reason, NULL), OB_OK);
    assert_int_equal(ob_report_writer_finish(writer, NULL), OB_OK);
    ob_report_writer_close(&writer);
    ob_report_close(&report);
    ob_model_close(&model);
    return text;
}

static size_t count(const char *from, const char *to, const char *part) {
    size_t n = 0;
    for (const char *at = from; (at = strstr(at, part)) && at < to; at++) n++;
    return n;
}

static void names_stay_text(void **state) {
    (void)state;
    char *page =
        page_of("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                "g (float[3] \"" ATTACK "\", float[5] b) => (float[?] y) { [\"" ATTACK "\"] y = Add (\"" ATTACK "\", b) }\n",
                "</h1><img src=x onerror=alert(2)>\xFF.onnx");
    const char *first = strstr(page, "<article>"), *end = strstr(page, "</article>");
    const char *second = strstr(end, "<article>"), *last = second ? strstr(second, "</article>") : NULL;
    const char *data = strstr(first, "<script type=\"application/json\">");
    assert_non_null(last);
    assert_true(data && data < end);
    assert_null(strstr(page, "<script>alert"));
    assert_null(strstr(page, "<img"));
    assert_null(strstr(page, "<b>"));
    assert_int_equal(count(first, end, "<script"), 1);
    assert_int_equal(count(second, last, "<script"), 1);
    assert_true(count(first, data, "&lt;/script&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;\\u{202e}") >= 1);
    assert_int_equal(count(first, data, "\xE2\x80\xAE"), 0);
    assert_int_equal(count(first, data, "\xFF"), 0);
    assert_true(count(data, end, "\\u003c/script\\u003e\\u003cscript\\u003ealert('1')") >= 3);
    assert_int_equal(count(second, last, "&lt;b&gt;no model&lt;/b&gt;"), 1);
    free(page);
}

static void the_page_forbids_everything_else(void **state) {
    (void)state;
    char *page =
        page_of("<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[N] x) => (float[N] y) { y = Neg (x) }\n", "m.onnx");
    const char policy[] = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-";
    assert_int_equal(strncmp(page, policy, sizeof policy - 1), 0);
    assert_null(strstr(page, "unsafe"));
    assert_int_equal(count(page, page + strlen(page), " src="), 0);
    assert_int_equal(count(page, page + strlen(page), " href="), 0);
    free(page);
}

static void long_strings_are_cut(void **state) {
    (void)state;
    enum { LONG = 200000 };
    char *file = malloc(LONG + 1);
    assert_non_null(file);
    memset(file, 'a', LONG);
    memcpy(file + 399, "\xC3\xA4", 2); /* no half of it is written */
    file[LONG] = '\0';
    char *page = page_of("<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[N] x) => (float[N] y) { y = Neg (x) }\n", file);
    const char *heading = strstr(page, "<h1>"), *end = strstr(page, "</h1>");
    assert_int_equal(end - heading, 4 + 399 + 3);
    assert_memory_equal(end - 4, "a\xE2\x80\xA6", 4);
    free(page);
    free(file);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stay_text),
        cmocka_unit_test(the_page_forbids_everything_else),
        cmocka_unit_test(long_strings_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
