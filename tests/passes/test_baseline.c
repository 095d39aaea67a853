/* Baselines: findings keep their identity under edits elsewhere and lose it under edits of their own; the file is stable; files
 * that are not baselines are refused with the line. */
#include "model_text.h"

#include <stdlib.h>

#define HEADER "<ir_version: 8, opset_import: [\"\" : 17]>\n"

static ob_report *check_with(ob_model *model, const ob_baseline *baseline, const char *name) {
    ob_check_options options;
    ob_report *report = NULL;
    ob_error error;
    ob_check_options_init(&options);
    options.baseline = baseline;
    options.baseline_model = name;
    assert_int_equal(ob_check(model, &options, &report, &error), OB_OK);
    return report;
}

static ob_baseline *baseline_of(const char *text) {
    ob_baseline *baseline = NULL;
    ob_model *model = read_text(text);
    ob_report *report = check_model(model);
    assert_int_equal(ob_baseline_create(NULL, &baseline), OB_OK);
    assert_int_equal(ob_baseline_add(baseline, "m", report), OB_OK);
    ob_report_close(&report);
    ob_model_close(&model);
    return baseline;
}

/* "n listed, n in the baseline, n out of date" of the second model with the baseline of the first. */
static void compare(const char *before, const char *after, size_t n_listed, size_t n_baseline, bool unused) {
    ob_baseline *baseline = baseline_of(before);
    ob_model *model = read_text(after);
    ob_report *report = check_with(model, baseline, "m");
    ob_baseline_close(&baseline);
    const ob_report_summary summary = ob_report_get_summary(report);
    const size_t n = ob_report_finding_count(report);
    bool told = false;
    for (size_t i = 0; i < n; i++) {
        ob_finding_info finding;
        assert_int_equal(ob_report_finding(report, i, &finding), OB_OK);
        if (strcmp(finding.id, "OB0807") != 0) continue;
        told = true;
        assert_int_equal(finding.severity, OB_SEVERITY_NOTE);
    }
    assert_int_equal(told, unused);
    assert_int_equal(n - told, n_listed);
    assert_int_equal(summary.n_baseline, n_baseline);
    assert_int_equal(summary.n_errors + summary.n_warnings + summary.n_notes, n);
    ob_report_close(&report);
    ob_model_close(&model);
}

static const char model_text[] =
    HEADER "g (float[N,1] x, float[N] w, float[M] v, float[3] a, float[4] b) => (float[?,?] s, float[?] t, "
           "float[?] u) {\n"
           "  [outer] s = Sub (x, w)\n"
           "  [impossible] t = Add (a, b)\n"
           "  c = Relu (v)\n"
           "  [Add_3] u = Add (c, w)\n"
           "}\n";

/* ---- Identity ---- */

static void accepted_findings_are_left_out(void **state) {
    (void)state;
    compare(model_text, model_text, 0, 3, false);
    compare(HEADER "g (float[3] a) => (float[3] t) { t = Relu (a) }\n", model_text, 3, 0, false);
    compare(model_text, HEADER "g (float[3] a) => (float[3] t) { t = Relu (a) }\n", 0, 0, true);
}

/* Nodes before and between, in another order, renamed values, and another number of a counted name. */
static void edits_elsewhere_change_nothing(void **state) {
    (void)state;
    compare(model_text,
            HEADER
            "g (float[3] a, float[4] b, float[N] w, float[M] v, float[N,1] x, float[7] more) => (float[?,?] s, float[?] t9, "
            "float[?] u, float[7] r) {\n"
            "  [Add_0] r = Add (more, more)\n"
            "  [impossible] t9 = Add (a, b)\n"
            "  c5 = Relu (v)\n"
            "  [Add_4] u = Add (c5, w)\n"
            "  [outer] s = Sub (x, w)\n"
            "}\n",
            0, 3, false);
}

static void own_edits_are_new_findings(void **state) {
    (void)state;
    /* sizes, the name, the operator, the operand's maker */
    compare(model_text,
            HEADER
            "g (float[K,1] x, float[K] k, float[N] w, float[M] v, float[3] a, float[5] b) => (float[?,?] s, float[?] t, float[?] "
            "u) {\n"
            "  [outer] s = Sub (x, k)\n"
            "  [impossible] t = Add (a, b)\n"
            "  c = Abs (v)\n"
            "  [Add_3] u = Add (c, w)\n"
            "}\n",
            3, 0, true);
    compare(model_text,
            HEADER
            "g (float[N,1] x, float[N] w, float[M] v, float[3] a, float[4] b) => (float[?,?] s, float[?] t, float[?] u) {\n"
            "  [other] s = Sub (x, w)\n"
            "  [impossible] t = Mul (a, b)\n"
            "  c = Relu (v)\n"
            "  [Add_3] u = Add (c, w)\n"
            "}\n",
            2, 1, true);
}

/* The operands have the same shapes, but other sizes break it. */
static void another_condition_is_a_new_finding(void **state) {
    (void)state;
    static const char format[] = HEADER "g (float[N] x) => (float[?,?] y) {\n"
                                        "  shape = Constant <value = int64[2] {%d, -1}> ()\n"
                                        "  [fold] y = Reshape (x, shape)\n"
                                        "}\n";
    char three[200], four[200];
    snprintf(three, sizeof three, format, 3);
    snprintf(four, sizeof four, format, 4);
    compare(three, three, 0, 1, false);
    compare(three, four, 1, 0, true);
}

/* Sizes without a name have numbers in the order of inference. */
static void sizes_without_a_name_have_no_number(void **state) {
    (void)state;
    static const char one[] = HEADER "g (float[K] x, bool[?] k, float[M] y, bool[?] l) => (float[?] t) {\n"
                                     "  c = Compress (x, k)\n"
                                     "  d = Compress (y, l)\n"
                                     "  [sum] t = Add (c, d)\n"
                                     "}\n",
                      two[] =
                          HEADER "g (float[K] x, bool[?] k, float[M] y, bool[?] l, float[?] more) => (float[?] t, float[?] u) {\n"
                                 "  u = Compress (more, k)\n"
                                 "  d = Compress (y, l)\n"
                                 "  c = Compress (x, k)\n"
                                 "  [sum] t = Add (c, d)\n"
                                 "}\n";
    compare(one, two, 0, 1, false);
}

/* Equal findings are counted: one more is reported, one fewer is told. */
static void equal_findings_are_counted(void **state) {
    (void)state;
    static const char head[] = HEADER "g (float[3] a, float[4] b) => (float[?] t) {\n",
                      two[] = "  t = Add (a, b)\n  u = Add (a, b)\n", one[] = "  v = Add (a, b)\n", tail[] = "}\n";
    char texts[3][400];
    for (int i = 0; i < 3; i++) snprintf(texts[i], sizeof texts[i], "%s%s%s%s", head, i ? two : "", i == 1 ? "" : one, tail);
    strcpy(strstr(texts[0], "v ="), "t = Add (a, b)\n}\n");
    compare(texts[1], texts[2], 1, 2, false);
    compare(texts[2], texts[1], 0, 2, true);
    compare(texts[0], texts[2], 2, 1, false);
}

static void findings_that_are_not_wanted_are_not_out_of_date(void **state) {
    (void)state;
    const ob_severity_given none[] = {{"OB04", OB_SEVERITY_NONE}, {"OB01", OB_SEVERITY_NONE}, {"OB02", OB_SEVERITY_NONE}},
                            mute[] = {{"OB0807", OB_SEVERITY_NONE}};
    ob_baseline *baseline = baseline_of(model_text);
    const ob_severity_given *given[] = {none, mute};
    for (int i = 0; i < 2; i++) {
        ob_model *model = read_text(i ? HEADER "g (float[3] a) => (float[3] t) { t = Relu (a) }\n" : model_text);
        ob_report *report = NULL;
        ob_check_options options;
        ob_error error;
        ob_check_options_init(&options);
        options.baseline = baseline;
        options.baseline_model = "m";
        options.severities = given[i];
        options.n_severities = i ? 1 : 3;
        assert_int_equal(ob_check(model, &options, &report, &error), OB_OK);
        assert_int_equal(ob_report_finding_count(report), 0);
        ob_report_close(&report);
        ob_model_close(&model);
    }
    ob_baseline_close(&baseline);
}

/* ---- The file ---- */

static void write_baseline(const ob_baseline *baseline, ob_text *text) {
    ob_error error;
    text->n = 0;
    assert_int_equal(ob_baseline_write(baseline, append_to_text, text, &error), OB_OK);
}

static ob_baseline *read_baseline(const ob_text *text) {
    ob_baseline *baseline = NULL;
    ob_error error;
    ob_error_clear(&error);
    if (ob_baseline_read(text->data, text->n, NULL, &baseline, &error) != OB_OK) fail_msg("%s", error.message);
    return baseline;
}

static void a_file_is_read_and_written_again(void **state) {
    (void)state;
    ob_text first, second;
    ob__text_init(&first, ob_allocator_default());
    ob__text_init(&second, ob_allocator_default());
    ob_baseline *baseline = baseline_of(model_text), *again;
    ob_model *model = read_text(model_text);
    ob_report *report = check_model(model);
    assert_int_equal(ob_baseline_add(baseline, "a\\\"\n\x7f \xc3\xa9 \xff", report), OB_OK);
    assert_int_equal(ob_baseline_add(baseline, "", report), OB_OK);
    assert_int_equal(ob_baseline_add(baseline, "m", report), OB_OK); /* in place of the former ones */
    assert_int_equal(ob_baseline_count(baseline), 9);
    assert_int_equal(ob_baseline_count(NULL), 0);
    write_baseline(baseline, &first);
    again = read_baseline(&first);
    assert_int_equal(ob_baseline_count(again), 9);
    write_baseline(again, &second);
    assert_int_equal(first.n, second.n);
    assert_memory_equal(first.data, second.data, first.n);
    ob_report_close(&report);
    report = check_with(model, again, "a\\\"\n\x7f \xc3\xa9 \xff");
    assert_int_equal(ob_report_get_summary(report).n_baseline, 3);
    assert_int_equal(ob_report_finding_count(report), 0);
    ob_report_close(&report);
    report = check_with(model, again, "b"); /* another model */
    assert_int_equal(ob_report_get_summary(report).n_baseline, 0);
    assert_int_equal(ob_report_finding_count(report), 3);
    ob_report_close(&report);
    ob_model_close(&model);
    ob_baseline_close(&again);
    ob_baseline_close(&baseline);
    ob_baseline_close(&baseline);
    ob_baseline_close(NULL);
    ob__text_release(&first);
    ob__text_release(&second);
}

#define FINGERPRINT "00112233445566778899aabbccddeeff"
#define ENTRY       "{\"id\":\"OB0401\",\"node\":\"a\",\"operator\":\"Sub\",\"fingerprint\":\"" FINGERPRINT "\",\"n\":2}"
#define WHOLE       "{\"onnx_broadcast_baseline\":1,\n\"models\":[\n{\"model\":\"m\",\"findings\":[\n" ENTRY "\n]}\n]}\n"

static ob_status read_bytes(const char *bytes, size_t n, size_t *n_findings, ob_error *error) {
    ob_baseline *baseline = NULL;
    ob_error_clear(error);
    ob_status status = ob_baseline_read(bytes, n, NULL, &baseline, error);
    assert_int_equal(status == OB_OK, baseline != NULL);
    if (n_findings) *n_findings = ob_baseline_count(baseline);
    ob_baseline_close(&baseline);
    return status;
}

static void white_space_is_free(void **state) {
    (void)state;
    static const char text[] =
        " {\t\"onnx_broadcast_baseline\" : 1 ,\r\n \"models\" : [ { \"model\" : \"m\\u00e9\\ud83d\\ude00\\/\" , "
        "\"findings\" : [ " ENTRY " , " ENTRY " ] } , { \"model\" : \"n\" , \"findings\" : [ ] } ] } \n";
    ob_error error;
    size_t n;
    assert_int_equal(read_bytes(text, sizeof text - 1, &n, &error), OB_OK);
    assert_int_equal(n, 4);
    static const char none[] = "{\"onnx_broadcast_baseline\":1,\"models\":[]}";
    assert_int_equal(read_bytes(none, sizeof none - 1, &n, &error), OB_OK);
    assert_int_equal(n, 0);
}

static void other_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1: expected '{'"},
        {"[]", "line 1: expected '{'"},
        {"{}", "line 1: expected \"onnx_broadcast_baseline\""},
        {"{\"onnx_broadcast_baseline\":\"1\"", "line 1: expected a number"},
        {"{\"onnx_broadcast_baseline\":0", "line 1: expected a number from 1"},
        {"{\"onnx_broadcast_baseline\":2,\"later\":{}}", "has version 2, this release reads version 1"},
        {"{\"onnx_broadcast_baseline\":99999999999999999999", "a number beyond 2^32 - 1"},
        {"{\"onnx_broadcast_baseline\":1\n,\"models\":{", "line 2: expected '['"},
        {"{\"onnx_broadcast_baseline\":1,\"models\":[{\"model\":\"\\u0000\"", "begins no permitted escape"},
        {"{\"onnx_broadcast_baseline\":1,\"models\":[{\"model\":\"\\udc00\"", "begins no permitted escape"},
        {"{\"onnx_broadcast_baseline\":1,\"models\":[{\"model\":\"\\ud83d.\"", "half of a character"},
        {"{\"onnx_broadcast_baseline\":1,\"models\":[{\"model\":\"\xff\"", "not UTF-8"},
        {"{\"onnx_broadcast_baseline\":1,\"models\":[{\"model\":\"a\nb\"", "a control character"},
        {"{\"onnx_broadcast_baseline\":1,\"models\":[{\"model\":\"m", "does not end"},
        {"{\"onnx_broadcast_baseline\":1,\"models\":[{\"model\":\"m\",\"findings\":[{\"id\":\"OB040\"", "of the form OB0101"},
        {"{\"onnx_broadcast_baseline\":1,\"models\":[{\"model\":\"m\",\"findings\":[{\"id\":\"OB0401\",\"node\":\"\","
         "\"operator\":\"\","
         "\"fingerprint\":\"00\"",
         "32 hexadecimal digits"},
        {"{\"onnx_broadcast_baseline\":1,\"models\":[[[[[[[[", "expected '{'"},
        {WHOLE "x", "line 7: something after the end"},
    };
    ob_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_bytes(cases[i].text, strlen(cases[i].text), NULL, &error), OB_E_FORMAT);
        if (!strstr(error.message, cases[i].message)) fail_msg("case %zu: %s", i, error.message);
    }
    ob_baseline *baseline = NULL;
    assert_int_equal(ob_baseline_read(NULL, 1, NULL, &baseline, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_baseline_read(WHOLE, 1, NULL, NULL, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_baseline_create(NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_baseline_add(NULL, "m", NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_baseline_write(NULL, append_to_text, NULL, &error), OB_E_ARGUMENT);
}

/* Cut at every byte, a file is refused; only the last line break may be missing. */
static void cut_files_are_refused(void **state) {
    (void)state;
    static const char whole[] = WHOLE;
    ob_error error;
    for (size_t n = 0; n < sizeof whole - 2; n++) {
        char *cut = malloc(n + 1); /* of its own, so that sanitizers see a read beyond it */
        assert_non_null(cut);
        memcpy(cut, whole, n);
        assert_int_equal(read_bytes(cut, n, NULL, &error), OB_E_FORMAT);
        free(cut);
    }
    assert_int_equal(read_bytes(whole, sizeof whole - 2, NULL, &error), OB_OK);
}

static void large_parts_are_refused(void **state) {
    (void)state;
    enum { LONG = 65536 + 1, DEEP = 1 << 20 };
    static const char head[] = "{\"onnx_broadcast_baseline\":1,\"models\":[{\"model\":\"";
    ob_error error;
    char *bytes = malloc(DEEP + sizeof head);
    assert_non_null(bytes);
    memset(bytes, '[', DEEP);
    assert_int_equal(read_bytes(bytes, DEEP, NULL, &error), OB_E_FORMAT);
    memcpy(bytes, head, sizeof head - 1);
    assert_int_equal(read_bytes(bytes, DEEP, NULL, &error), OB_E_LIMIT);
    assert_non_null(strstr(error.message, "more than 65536 bytes"));
    assert_int_equal(read_bytes(bytes, sizeof head - 1 + LONG - 1, NULL, &error),
                     OB_E_FORMAT); /* it does not end, but is allowed */
    free(bytes);
}

/* 2^20 different entries, and one more. */
static void too_many_entries_are_refused(void **state) {
    (void)state;
    enum { MOST = 1 << 20 };
    for (int more = 0; more < 2; more++) {
        ob_text text;
        ob_error error;
        size_t n = 0;
        ob__text_init(&text, ob_allocator_default());
        ob__text_puts(&text, "{\"onnx_broadcast_baseline\":1,\"models\":[{\"model\":\"m\",\"findings\":[");
        for (int i = 0; i < MOST + more; i++)
            ob__text_printf(&text, "%s{\"id\":\"OB0401\",\"node\":\"\",\"operator\":\"\",\"fingerprint\":\"%s%08x\",\"n\":1}",
                            i ? "," : "", "00112233445566778899aabb", (unsigned)i);
        ob__text_puts(&text, "]}]}");
        assert_false(text.failed);
        assert_int_equal(read_bytes(text.data, text.n, &n, &error), more ? OB_E_LIMIT : OB_OK);
        assert_int_equal(n, more ? 0 : MOST);
        ob__text_release(&text);
    }
}

static void counts_saturate(void **state) {
    (void)state;
    static const char text[] = "{\"onnx_broadcast_baseline\":1,\"models\":[{\"model\":\"m\",\"findings\":["
                               "{\"id\":\"OB0401\",\"node\":\"a\",\"operator\":\"Sub\",\"fingerprint\":\"" FINGERPRINT
                               "\",\"n\":4294967295}," ENTRY "]}]}";
    ob_error error;
    size_t n;
    assert_int_equal(read_bytes(text, sizeof text - 1, &n, &error), OB_OK);
    assert_true(n == UINT32_MAX);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted_findings_are_left_out),
        cmocka_unit_test(edits_elsewhere_change_nothing),
        cmocka_unit_test(own_edits_are_new_findings),
        cmocka_unit_test(another_condition_is_a_new_finding),
        cmocka_unit_test(sizes_without_a_name_have_no_number),
        cmocka_unit_test(equal_findings_are_counted),
        cmocka_unit_test(findings_that_are_not_wanted_are_not_out_of_date),
        cmocka_unit_test(a_file_is_read_and_written_again),
        cmocka_unit_test(white_space_is_free),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(large_parts_are_refused),
        cmocka_unit_test(too_many_entries_are_refused),
        cmocka_unit_test(counts_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
