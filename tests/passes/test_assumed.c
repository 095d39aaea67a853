/* Assumptions of the user in inference: shapes hold for the asserted sizes, verdicts are left to the solver, and nothing of the
 * assumptions remains afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/dims/terms.h"
#include "core/graph/graph.h"
#include "onnx_broadcast/onnx_broadcast.h"

#define HEADER "<ir_version: 8, opset_import: [\"\" : 17]>\n"

static ob_model *model_of(const char *text) {
    char whole[2000];
    ob_model *model = NULL;
    ob_error error;
    int n = snprintf(whole, sizeof whole, HEADER "%s", text);
    assert_true(n > 0 && (size_t)n < sizeof whole);
    if (ob_model_load_memory(whole, (size_t)n, "m.onnxtxt", NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    return model;
}

static ob_report *check(ob_model *model, const char *const *assumptions, size_t n) {
    ob_check_options options;
    ob_check_options_init(&options);
    options.assumptions = assumptions;
    options.n_assumptions = n;
    ob_report *report = NULL;
    ob_error error;
    if (ob_check(model, &options, &report, &error) != OB_OK) fail_msg("%s", error.message);
    return report;
}

/* The type of the value, "float[N,3]". */
static const char *type_of(ob_report *report, const char *name) {
    static char text[400];
    ob_value_info info;
    for (size_t i = 0; i < ob_report_value_count(report); i++) {
        assert_int_equal(ob_report_value(report, i, &info), OB_OK);
        if (strcmp(info.name, name) != 0) continue;
        snprintf(text, sizeof text, "%s", info.type);
        return text;
    }
    fail_msg("no value %s", name);
    return "";
}

typedef struct row {
    const char *model, *assumed, *with, *without; /* the type of y */
} row;

static const row shapes[] = {
    {"g (float[N] x, float[M] z) => (y) { y = Add (x, z) }", "N >= 2", "float[N]", "float[bcast(N, M)]"},
    {"g (float[N] x, float[M] z) => (y) { y = Add (x, z) }", "2*M >= 3", "float[M]", "float[bcast(N, M)]"},
    {"g (float[N] x, float[M] z) => (y) { y = Add (x, z) }", "N >= 1", "float[bcast(N, M)]", "float[bcast(N, M)]"},
    {"g (float[N] x) => (y) { a = Constant <value = int64[1] {0}> () b = Constant <value = int64[1] {512}> ()\n"
     " y = Slice (x, a, b) }",
     "N <= 512", "float[N]", "float[min(N, 512)]"},
    {"g (float[N] x) => (y) { a = Constant <value = int64[1] {0}> () b = Constant <value = int64[1] {512}> ()\n"
     " y = Slice (x, a, b) }",
     "N <= 513", "float[min(N, 512)]", "float[min(N, 512)]"},
    {"g (float[1,1,h] x) => (y) { y = MaxPool <kernel_shape = [32], strides = [32]> (x) }", "h % 64 = 0",
     "float[1,1,2*floor(h/64)]", "float[1,1,floor(h/32)]"},
    {"g (float[h] x) => (y) { s = Shape (x) c = Constant <value = int64[1] {32}> () d = Div (s, c) m = Mul (d, c)\n"
     " y = ConstantOfShape (m) }",
     "h % 32 = 0", "float[h]", "float[32*floor(h/32)]"},
    {"g (float[h] x) => (y) { s = Shape (x) c = Constant <value = int64[1] {8}> () d = Div (s, c) m = Mul (d, c)\n"
     " y = ConstantOfShape (m) }",
     "h % 32 = 0", "float[h]", "float[8*floor(h/8)]"},
    {"g (float[h] x) => (y) { s = Shape (x) c = Constant <value = int64[1] {64}> () d = Div (s, c) m = Mul (d, c)\n"
     " y = ConstantOfShape (m) }",
     "h % 32 = 0", "float[64*floor(h/64)]", "float[64*floor(h/64)]"},
    {"g (float[h] x) => (y) { s = Shape (x) c = Constant <value = int64[1] {32}> () d = Div (s, c) m = Mul (d, c)\n"
     " y = ConstantOfShape (m) }",
     "(h + 1) % 32 = 0", "float[32*floor(h/32)]", "float[32*floor(h/32)]"},
    {"g (float[h,w] x) => (y) { s = Size (x) c = Constant <value = int64 {32}> () d = Div (s, c) m = Mul (d, c)\n"
     " n = Constant <value = int64[1] {1}> () t = Reshape (m, n) y = ConstantOfShape (t) }",
     "w % 32 = 0", "float[h*w]", "float[32*floor(h*w/32)]"},
    {"g (float[N] x) => (y) { s = Shape (x) two = Constant <value = int64[1] {2}> () b = GreaterOrEqual (s, two) k = Squeeze "
     "(b)\n"
     " y = If (k) <then_branch = t () => (u) { u = Neg (x) }, else_branch = e () => (v) { v = Concat <axis = 0> (x, x) }> }",
     "N >= 2", "float[N]", "float[?]"},
    {"g (float[N,3] x) => (y) { y = Squeeze (x) }", "N >= 2", "float[N,3]", "float"},
    {"g (float[N] x, float[M] z) => (y) { y = Add (x, z) }", "N = 3", "float[3]", "float[bcast(N, M)]"},
    {"g (float[N] x, float[?] z) => (y) { y = Neg (z) }", "z[0] = 3", "float[3]", "float[z[0]]"},
};

static void anonymous(char *text) {
    for (char *at = text; (at = strchr(at, '?')); at++) {
        size_t n = strspn(at + 1, "0123456789");
        memmove(at + 1, at + 1 + n, strlen(at + 1 + n) + 1);
    }
}

static void shapes_are_those_of_the_asserted_sizes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char found[400];
        ob_model *model = model_of(shapes[i].model);
        for (int round = 0; round < 2; round++) { /* earlier assumptions have no effect */
            ob_report *report = check(model, &shapes[i].assumed, 1);
            snprintf(found, sizeof found, "%s", type_of(report, "y"));
            anonymous(found);
            if (strcmp(found, shapes[i].with) != 0)
                fail_msg("case %zu, %s: %s, not %s", i, shapes[i].assumed, found, shapes[i].with);
            assert_int_equal(ob_report_contract(report).n_assumptions, 1); /* listed */
            ob_report_close(&report);
            assert_null(model->dims->assumed);
            report = check(model, NULL, 0);
            snprintf(found, sizeof found, "%s", type_of(report, "y"));
            anonymous(found);
            if (strcmp(found, shapes[i].without) != 0) fail_msg("case %zu: %s, not %s", i, found, shapes[i].without);
            ob_report_close(&report);
        }
        ob_model_close(&model);
    }
}

static ob_shape shape_of(ob_report *report, const char *name) {
    ob_value_info info;
    for (size_t i = 0; i < ob_report_value_count(report); i++) {
        assert_int_equal(ob_report_value(report, i, &info), OB_OK);
        if (strcmp(info.name, name) == 0) return info.shape;
    }
    fail_msg("no value %s", name);
    return (ob_shape){0, NULL};
}

/* N, h and z[0] from 0 to 699, M and w, a multiple of 16, with each. */
static size_t sizes_at(ob_dims *dims, int64_t point, ob_binding sizes[5]) {
    static const char *const names[] = {"N", "M", "h", "w", "z[0]"};
    for (int k = 0; k < 5; k++)
        sizes[k] = (ob_binding){ob_dim_symbol(dims, names[k]), k == 1 ? point % 7 : k == 3 ? point % 7 * 16 : point / 7};
    return 5;
}

/* At every size that the assumption admits, the shape under the assumption and the general shape are equal. */
static void asserted_shapes_are_the_general_ones_there(void **state) {
    (void)state;
    size_t n_compared = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        ob_model *model = model_of(shapes[i].model);
        ob_report *reports[2] = {check(model, &shapes[i].assumed, 1), check(model, NULL, 0)};
        const ob_shape with = shape_of(reports[0], "y"), without = shape_of(reports[1], "y");
        ob_condition assumed[OB_CONDITION_PARSE_MAX];
        size_t n_assumed = 0;
        assert_int_equal(ob_condition_parse(model->dims, shapes[i].assumed, false, assumed, &n_assumed, NULL), OB_OK);
        for (int64_t point = 0; point < INT64_C(700) * 7 && with.rank == without.rank; point++) {
            ob_binding sizes[5];
            size_t n = sizes_at(model->dims, point, sizes);
            bool holds = true;
            for (size_t k = 0; k < n_assumed && holds; k++)
                assert_int_equal(ob_condition_eval(model->dims, &assumed[k], sizes, n, &holds), OB_OK);
            for (int32_t axis = 0; axis < with.rank && holds; axis++) {
                int64_t x, y;
                if (ob_dim_eval(model->dims, without.dims[axis], sizes, n, &y) != OB_OK) continue; /* they do not broadcast */
                assert_int_equal(ob_dim_eval(model->dims, with.dims[axis], sizes, n, &x), OB_OK);
                assert_int_equal(x, y);
                n_compared++;
            }
        }
        ob_report_close(&reports[0]);
        ob_report_close(&reports[1]);
        ob_model_close(&model);
    }
    assert_true(n_compared > 10000);
}

/* A requirement that holds only under the assumption goes to the solver, which proves it by the assumption; one that fails
 * under it is a contradiction that names the assumption. */
static void verdicts_name_what_they_rest_on(void **state) {
    (void)state;
    ob_model *model = model_of("g (float[N] x, float[3] z) => (y) { y = Add (x, z) }");
    const char *given = "N >= 4";
    ob_report *report = check(model, &given, 1);
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_CONTRADICTORY);
    ob_finding_info finding;
    assert_int_equal(ob_report_finding(report, 0, &finding), OB_OK);
    assert_string_equal(finding.id, "OB0204");
    assert_non_null(strstr(finding.message, "assumed: N >= 4"));
    ob_report_close(&report);
    given = "N <= 1";
    report = check(model, &given, 1);
    assert_int_equal(ob_report_contract(report).n_conditions, 1); /* required, and proved by the assumption alone */
    assert_int_equal(ob_report_contract(report).n_refuted, 0);
    ob_report_close(&report);
    ob_model_close(&model);
}

/* The whole report as one text. */
static void write_report(ob_report *report, char *text, size_t room) {
    size_t n = 0;
    ob_finding_info finding;
    ob_clause_info clause;
    ob_value_info value;
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        assert_int_equal(ob_report_finding(report, i, &finding), OB_OK);
        n += (size_t)snprintf(text + n, room - n, "%s %s %s\n", finding.id, finding.node, finding.message);
    }
    for (size_t i = 0; i < ob_report_contract(report).n_clauses; i++) {
        assert_int_equal(ob_report_clause(report, i, &clause), OB_OK);
        n += (size_t)snprintf(text + n, room - n, "%s\n", clause.text);
    }
    for (size_t i = 0; i < ob_report_value_count(report); i++) {
        assert_int_equal(ob_report_value(report, i, &value), OB_OK);
        n += (size_t)snprintf(text + n, room - n, "%s %s\n", value.name, value.type);
    }
    snprintf(text + n, room - n, "%s", ob_contract_status_name(ob_report_contract(report).status));
    assert_true(n < room);
}

static void an_asserted_number_is_a_given_one(void **state) {
    (void)state;
    static const char *const models[] = {
        "g (float[N,K] x, float[M,3] z) => (y) { y = Add (x, z) }",
        "g (float[N] x, float[3] z) => (y) { y = Add (x, z) }",
        "g (float[N,M] x) => (y) { t = Constant <value = int64[2] {-1, 4}> () y = Reshape (x, t) }",
        "g (float[1,1,N] x) => (y) { y = MaxPool <kernel_shape = [5], strides = [2]> (x) }",
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int64_t size = 0; size < 7; size++) {
            static char given[4000], asserted[4000];
            char text[40];
            const char *assumption = text;
            ob_model *model = model_of(models[i]);
            ob_check_options options;
            ob_check_options_init(&options);
            const ob_named_size dim = {"N", size};
            options.dims = &dim;
            options.n_dims = 1;
            ob_report *report = NULL;
            assert_int_equal(ob_check(model, &options, &report, NULL), OB_OK);
            write_report(report, given, sizeof given);
            ob_report_close(&report);
            snprintf(text, sizeof text, size % 2 ? "N = %d" : "%d = N", (int)size);
            report = check(model, &assumption, 1);
            write_report(report, asserted, sizeof asserted);
            ob_report_close(&report);
            anonymous(given);
            anonymous(asserted);
            assert_string_equal(given, asserted);
            ob_model_close(&model);
        }
}

static ob_status append(void *context, const void *data, size_t n) {
    char *text = context;
    size_t at = strlen(text);
    assert_true(at + n < 8000);
    memcpy(text + at, data, n);
    text[at + n] = '\0';
    return OB_OK;
}

/* Everything written into a model holds without the assumptions. */
static void no_rewriting_rests_on_what_is_asserted(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int form = OB_FORM_BROADCAST; form <= OB_FORM_IMPLICIT; form++) {
            static char texts[2][8000];
            for (int k = 0; k < 2; k++) {
                ob_model *model = model_of(shapes[i].model);
                ob_report *report = check(model, &shapes[i].assumed, k);
                ob_error error;
                texts[k][0] = '\0';
                if (ob_rewrite(model, (ob_form)form, NULL, NULL, &error) != OB_OK) fail_msg("%s", error.message);
                assert_int_equal(ob_model_write(model, OB_FORMAT_TEXT, append, texts[k], &error), OB_OK);
                ob_report_close(&report);
                ob_model_close(&model);
            }
            assert_string_equal(texts[0], texts[1]);
        }
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_those_of_the_asserted_sizes), cmocka_unit_test(asserted_shapes_are_the_general_ones_there),
        cmocka_unit_test(verdicts_name_what_they_rest_on),        cmocka_unit_test(an_asserted_number_is_a_given_one),
        cmocka_unit_test(no_rewriting_rests_on_what_is_asserted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
