/* The section "graph" of a report as JSON: numbers of graphs, nodes and values, nodes of findings, origins of axes. */
#include "model_text.h"

#include <stdlib.h>

static ob_status gather(void *context, const void *bytes, size_t n_bytes) {
    char **text = context;
    const size_t n = *text ? strlen(*text) : 0;
    *text = realloc(*text, n + n_bytes + 1);
    assert_non_null(*text);
    memcpy(*text + n, bytes, n_bytes);
    (*text)[n + n_bytes] = '\0';
    return OB_OK;
}

/* The section, without line ends. */
static char *graph_of(const char *model_text) {
    ob_model *model = read_text(model_text);
    ob_report *report = check_model(model);
    const ob_report_options options = {.graph = true};
    char *text = NULL;
    assert_int_equal(ob_report_to_json(report, &options, gather, &text, NULL), OB_OK);
    char *graph = strstr(text, ",\n\"graph\":{"), *end = strstr(text, ",\n\"long_names\"");
    assert_non_null(graph);
    assert_true(end > graph);
    size_t n = 0;
    for (const char *at = graph + 2; at < end; at++)
        if (*at != '\n') text[n++] = *at;
    text[n] = '\0';
    ob_report_close(&report);
    ob_model_close(&model);
    return text;
}

static void assert_has(const char *text, const char *part) {
    if (!strstr(text, part)) fail_msg("\"%s\" is not in %s", part, text);
}

static void nodes_and_values_are_numbered(void **state) {
    (void)state;
    char *text = graph_of("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                          "g (float[N,4] x, float[3] b) => (float[?,?] y) <float[4] w = {1, 2, 3, 4}>\n"
                          "{ s = Add (x, w)\n [bad] y = Mul (s, b) }\n");
    assert_has(text, "\"graph\":{\"graphs\":[{\"path\":\"\",\"kind\":\"main\",\"name\":\"g\",\"node\":null,\"attribute\":\"\","
                     "\"inputs\":[0,1],\"initializers\":[2],\"outputs\":[4]}]");
    assert_has(text,
               "\"nodes\":[{\"graph\":0,\"name\":\"s\",\"op_type\":\"Add\",\"domain\":\"\",\"inputs\":[0,2],\"outputs\":[3],"
               "\"graphs\":[],\"function\":null},"
               "{\"graph\":0,\"name\":\"bad\",\"op_type\":\"Mul\",\"domain\":\"\",\"inputs\":[3,1],\"outputs\":[4],");
    assert_has(text, "\"findings\":[1],\"broadcasts\":[0,1]");
    assert_has(text, "\"origins\":[\"N (axis 0 of input 'x')\",\"axis 1 of input 'x'\"");
    assert_has(text, "\"axes\":[null,null,null,[0,1],");
    free(text);
}

static void bodies_name_their_nodes(void **state) {
    (void)state;
    char *text = graph_of("<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n"
                          "g (bool c, float[N,4] x) => (float[N,4] y, float[N,4] z) {\n"
                          "  y = If (c) <then_branch = t () => (float[N,4] a) { a = Neg (x) }, else_branch = e () => (float[N,4] "
                          "b) { b = Abs (x) }>\n"
                          "  z = local.twice (x)\n"
                          "}\n"
                          "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                          "twice (p) => (q) { q = Add (p, p) }\n");
    assert_has(text, "\"op_type\":\"If\",\"domain\":\"\",\"inputs\":[0],\"outputs\":[2],\"graphs\":[1,2],\"function\":null}");
    assert_has(text, "\"op_type\":\"twice\",\"domain\":\"local\",\"inputs\":[1],\"outputs\":[3],\"graphs\":[],\"function\":3}");
    assert_has(text, "\"kind\":\"subgraph\",\"name\":\"t\",\"node\":0,\"attribute\":\"then_branch\"");
    assert_has(text, "\"kind\":\"subgraph\",\"name\":\"e\",\"node\":0,\"attribute\":\"else_branch\"");
    assert_has(text, "\"kind\":\"function\",\"name\":\"twice\",\"node\":null,\"attribute\":\"\"");
    assert_has(text, "{\"graph\":1,\"name\":\"a\",\"op_type\":\"Neg\",\"domain\":\"\",\"inputs\":[1],");
    free(text);
}

static void the_section_is_optional(void **state) {
    (void)state;
    ob_model *model = read_text("<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[N] x) => (float[N] y) { y = Neg (x) }\n");
    ob_report *report = check_model(model);
    char *text = NULL;
    assert_int_equal(ob_report_to_json(report, NULL, gather, &text, NULL), OB_OK);
    assert_null(strstr(text, "\"graph\""));
    free(text);
    ob_report_close(&report);
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_and_values_are_numbered),
        cmocka_unit_test(bodies_name_their_nodes),
        cmocka_unit_test(the_section_is_optional),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
