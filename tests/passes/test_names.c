/* Names of any length, and the common notation of paths in findings, the contract and errors of sessions. */
#include <stdio.h>
#include <stdlib.h>

#include "api.h"
#include "core/base/text.h"
#include "passes/check/names.h"

/* ---- Shortening ---- */

static void both_ends_stay(void **state) {
    (void)state;
    char out[64];
    static const struct {
        const char *text;
        size_t most;
        const char *expected;
    } cases[] = {
        {"short", 5, "short"},
        {"0123456789", 9, "012...789"},
        {"0123456789", 10, "0123456789"},
        {"0123456789", 3, "..."},
        {"\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC", 10, "\xC3\xA4\xC3\xB6...\xC3\xBC"}, /* three bytes: one character */
        {"\xF0\x9F\x98\x80 face \xF0\x9F\x98\x80", 12, "\xF0\x9F\x98\x80 ...\xF0\x9F\x98\x80"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = ob__shorten(out, cases[i].text, strlen(cases[i].text), cases[i].most);
        out[n] = '\0';
        assert_string_equal(out, cases[i].expected);
    }
    out[ob__shorten(out, "never ends", OB_LENGTH_UNKNOWN, 8)] = '\0';
    assert_string_equal(out, "never...");
}

static void sentences_are_formatted(void **state) {
    (void)state;
    char ours[600], theirs[600];
#define SAME(...)                                                                                                                \
    do {                                                                                                                         \
        snprintf(theirs, sizeof theirs, __VA_ARGS__);                                                                            \
        assert_int_equal(ob__sentence(ours, sizeof ours, __VA_ARGS__), strlen(theirs));                                          \
        assert_string_equal(ours, theirs);                                                                                       \
    } while (0)
    SAME("%d %5d|%-5d|%05d %u %x %X %c 100%%", -3, 4, 5, 6, 7u, 255u, 255u, 'c');
    SAME("%ld %lu %lld %llu %zu %hhx", -1L, 2UL, -3LL, 4ULL, sizeof ours, 250);
    SAME("%g %.3f %e %.17g %10.2f|", 0.1, 2.0, 1e300, 0.1, 3.14159);
    SAME("%s and %.*s, %*s%.10s", "whole", 3, "cut off", 4, "", "short");
    SAME("%p %03o", (void *)0, 8u);
    ob__sentence(ours, sizeof ours, "\"%.11s\", input %d", "abcdefghijklmnop_17", 3);
    assert_string_equal(ours, "\"abcd...p_17\", input 3");
    ob__sentence(ours, 16, "the beginning of a sentence and its end");
    assert_string_equal(ours, "the be...ts end");
}

/* ---- Names in findings ---- */

static char *names_of(size_t n) { /* letters, with a distinct end */
    char *name = malloc(n + 1);
    assert_non_null(name);
    memset(name, 'a', n);
    memcpy(name + n - 3, "_17", 4);
    return name;
}

static char *text_of(const char *format, const char *name) {
    size_t n = strlen(format) + 12 * strlen(name);
    char *text = malloc(n), *end = text;
    assert_non_null(text);
    for (; *format; format++) {
        if (*format == '$')
            end += sprintf(end, "%s", name);
        else
            *end++ = *format;
    }
    *end = '\0';
    return text;
}

/* `$` is the name; `end` is the end of the message, with the end of the name before it. */
static const struct {
    const char *id, *graph, *end;
} findings[] = {
    {"OB0501", "g (float[2] x) => (float[5] $) { $ = Neg(x) }", "\" is declared as 5 and inferred as 2"},
    {"OB0501", "g (float[2] x) => (float[5,6] $) { $ = Neg(x) }", "\" is declared with rank 2 and inferred with rank 1"},
    {"OB0501", "g (float[$] x) => (float[5] y) { y = Concat<axis = 0>(x, x, x) }", " is declared as 5 and inferred as 3*"},
    {"OB0702", "g (float[2] x) => (y) { y = Neg($) $ = Neg(x) }", "\" is read before the node that makes it"},
    {"OB0701", "g (float[2] x) => (y) { [$] y = Add(x, z) z = Neg(y) }", "(Neg)"},
    {"OB0201", "g (float[$] x, float[5] b) => (y) { y = Add(x, b) }", "; fails at "},
    {"OB0204",
     "g (float[$, 3] x, float[$] a) => (y, z) { b = Constant<value_floats = [1.0, 2.0]>() c = Constant<value_floats = [1.0,"
     " 2.0, 3.0]>() v = Constant<value_ints = [4]>() y = Reshape(a, v) w = Constant<value_ints = [7]>()"
     " z = Reshape(a, w) }",
     " = 7"},
};

static void names_keep_their_ends_in_messages(void **state) {
    (void)state;
    static const size_t sizes[] = {10, 300, 60000, 100000};
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            char *name = names_of(sizes[k]), *graph = text_of(findings[i].graph, name);
            char *text = malloc(strlen(graph) + 100);
            assert_non_null(text);
            sprintf(text, "<ir_version: 8, opset_import: [\"\" : 17]> %s", graph);
            ob_model *model = model_of(text);
            ob_report *report = NULL;
            ob_error error;
            if (ob_check(model, NULL, &report, &error) != OB_OK) fail_msg("%s", error.message);
            bool found = false;
            for (size_t f = 0; f < ob_report_finding_count(report); f++) {
                ob_finding_info info;
                assert_int_equal(ob_report_finding(report, f, &info), OB_OK);
                if (strcmp(info.id, findings[i].id) != 0) continue;
                found = true;
                if (strlen(info.message) > 1500) fail_msg("%s, %zu: %zu bytes", info.id, sizes[k], strlen(info.message));
                if (!strstr(info.message, findings[i].end)) fail_msg("%s, %zu: %s", info.id, sizes[k], info.message);
                bool end_known = sizes[k] < OB_NAME_LOOKED_AT || strstr(findings[i].graph, "float[$");
                if (end_known && !strstr(info.message, "_17")) fail_msg("%s, %zu: %s", info.id, sizes[k], info.message);
            }
            if (!found) fail_msg("%s, %zu: not found", findings[i].id, sizes[k]);
            ob_report_close(&report);
            ob_model_close(&model);
            free(text);
            free(graph);
            free(name);
        }
}

/* ---- Paths ---- */

/* A node without a name in a branch of a function that is called by a node without a name. */
static const char nested[] =
    "<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n"
    "g (float[N] x, bool c) => (float[] out) { out = local.Choose(x, c) }\n"
    "<domain: \"local\", opset_import: [\"\" : 17]>\n"
    "Choose (x, c) => (y) {\n"
    "  three = Constant<value_floats = [1.0, 2.0, 3.0]>() four = Constant<value_floats = [1.0, 2.0, 3.0, 4.0]>()\n"
    "  [choice] y = If (c) <then_branch = t () => (u) { u = Add(x, three) }, else_branch = e () => (v) { v = Mul(x, four) }>\n"
    "}";

static void one_notation_of_paths(void **state) {
    (void)state;
    ob_model *model = model_of(nested);
    ob_report *report = NULL;
    ob_error error;
    assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
    size_t n = ob_report_condition_count(report);
    assert_int_equal(n, 2);
    static const char *const paths[] = {"out/choice.then_branch/", "out/choice.else_branch/"}, *const nodes[] = {"u", "v"};
    for (size_t i = 0; i < n; i++) {
        ob_condition_info info;
        assert_int_equal(ob_report_condition(report, i, &info), OB_OK);
        assert_string_equal(info.path, paths[i]);
        assert_string_equal(info.node, nodes[i]);
    }
    ob_unverified_info unverified; /* the branch depends on data */
    assert_int_equal(ob_report_unverified(report, 0, &unverified), OB_OK);
    assert_non_null(strstr(unverified.reason, "'out/choice.then_branch/'"));
    assert_string_equal(unverified.first.path, paths[0]);
    ob_report_close(&report);

    ob_model_close(&model);
}

static const char calls[] = "<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n"
                            "g (float[N] x) => (float[] out) { [first] a = local.Outer(x) out = local.Outer(a) }\n"
                            "<domain: \"local\", opset_import: [\"\" : 17, \"local\" : 1]>\n"
                            "Outer (x) => (y) { r = Relu(x) y = local.Inner(r) }\n"
                            "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                            "Inner (x) => (y) { three = Constant<value_floats = [1.0, 2.0, 3.0]>() y = Add(x, three) }";

static void a_session_says_the_same_place(void **state) {
    (void)state;
    ob_model *model = model_of(calls);
    ob_report *report = NULL;
    ob_error error;
    ob_condition_info info;
    assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
    assert_int_equal(ob_report_condition(report, 0, &info), OB_OK);
    assert_string_equal(info.path, "first/y/");
    assert_string_equal(info.node, "y");
    ob_session *session = session_of(model, NULL, 0);
    float data[8] = {0}, result[8];
    ob_view in = floats(data, 1, DIMS(5)), out = floats(result, 1, DIMS(5));
    assert_int_not_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_OK);
    assert_string_equal(error.node, "first/y/y");
    ob_session_close(&session);
    ob_report_close(&report);
    ob_model_close(&model);
}

static void a_place_in_a_branch_allocates_nothing(void **state) {
    (void)state;
    ob_model *model = model_of(nested);
    const ob_node *choice = model->functions[0]->body->last;
    char place[128], little[24];
    ob__node_place(choice->attributes[0]->u.graph->first, place, sizeof place);
    assert_string_equal(place, "choice.then_branch/u");
    ob__node_place(choice->attributes[1]->u.graph->first, little, 16);
    assert_string_equal(little, "choice...anch/v");
    ob_model_close(&model);
}

/* ---- Told by number ---- */

static void long_names_are_told_by_number(void **state) {
    (void)state;
    char *name = names_of(5000), *graph = text_of("g (float[$] x, float[3] b) => (y) { [$] y = Add(x, b) }", name),
         numbered[8000];
    char *text = malloc(strlen(graph) + 100);
    assert_non_null(text);
    sprintf(text, "<ir_version: 8, opset_import: [\"\" : 17]> %s", graph);
    ob_model *model = model_of(text);
    ob_report *report = NULL;
    ob_error error;
    assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
    assert_int_equal(ob_report_long_name_count(report), 0);
    ob_condition_info info;
    assert_int_equal(ob_report_condition(report, 0, &info), OB_OK);
    assert_int_equal(ob_report_long_name_count(report), 2); /* the node and the size are shortened separately */
    assert_string_equal(ob_report_long_name(report, 0), name);
    assert_string_equal(ob_report_long_name(report, 1), name);
    assert_null(ob_report_long_name(report, 2));
    assert_true(strlen(info.node) > 1000 && strlen(info.node) < 1030);
    assert_non_null(strstr(info.text, "...{"));
    assert_non_null(strstr(info.text, "aaa_17 = 3"));
    /* Terms are written in full until shortening is requested, and again after the report is closed. */
    const ob_dims *dims = ob_report_dims(report);
    assert_int_equal(ob_dim_format(dims, info.condition.a, NULL, 0), ob_dim_is_const(info.condition.a) ? 1 : 5000);
    ob_dim size = ob_dim_is_const(info.condition.a) ? info.condition.b : info.condition.a;
    ob_report_shorten_names(report, true);
    assert_true(ob_dim_format(dims, size, numbered, sizeof numbered) < 1030);
    assert_non_null(strstr(numbered, "}..."));
    assert_int_equal(ob_report_long_name_count(report), 2);
    ob_report_shorten_names(report, false);
    assert_int_equal(ob_dim_format(dims, size, NULL, 0), 5000);
    ob_report_shorten_names(report, true);
    ob_report_close(&report);
    assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
    assert_int_equal(ob_dim_format(ob_report_dims(report), size, NULL, 0), 5000);
    ob_report_close(&report);
    ob_model_close(&model);
    free(text);
    free(graph);
    free(name);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_ends_stay),
                                       cmocka_unit_test(sentences_are_formatted),
                                       cmocka_unit_test(names_keep_their_ends_in_messages),
                                       cmocka_unit_test(one_notation_of_paths),
                                       cmocka_unit_test(a_session_says_the_same_place),
                                       cmocka_unit_test(a_place_in_a_branch_allocates_nothing),
                                       cmocka_unit_test(long_names_are_told_by_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
