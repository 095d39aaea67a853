/* ob_check and ob_rewrite through the public API: reports, origins, source lines, given sizes, the limit of findings; the
 * verifier; the shared models. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/graph/graph.h"
#include "model_text.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "passes/check/verify_graph.h"
#include "passes/report/origin.h"

static ob_model *model_of(const char *text, const ob_allocator *allocator) {
    return read_model(text, strlen(text), OB_FORMAT_TEXT, allocator);
}

#define HEADER "<ir_version: 8, opset_import: [\"\" : 17]>\n"

static const char attention[] =
    HEADER "g (float[batch,4,target,source] scores, float[batch,source] mask, float[1] one) => (float[?,?,?,?] y) {\n"
           "  inverted = Sub (one, mask)\n"
           "  axes = Constant <value = int64[1] {0}> ()\n"
           "  wide = Unsqueeze (inverted, axes)\n"
           "  [add] y = Add (scores, wide)\n"
           "}\n";

/* ---- Reports ---- */

/* A condition that joins sizes of several inputs names the input of each. */
static void joined_sizes_have_all_origins(void **state) {
    (void)state;
    static const char *const expected[] = {"operand 0: T + S is computed by Concat 'c'",
                                           "operand 1: C comes from input 'w' (axis 0)", "T comes from input 'x' (axis 1)",
                                           "S comes from input 'y' (axis 1)"};
    ob_model *model = model_of(HEADER "g (float[B,T] x, float[B,S] y, float[C] w) => (float[?,?] z) {\n"
                                      "  [c] c = Concat <axis = 1> (x, y)\n"
                                      "  z = Add (c, w)\n"
                                      "}\n",
                               NULL);
    ob_report *report = check_model(model);
    ob_finding_info finding;
    assert_int_equal(ob_report_finding(report, 0, &finding), OB_OK);
    assert_int_equal(finding.n_origins, 4);
    for (size_t i = 0; i < finding.n_origins; i++) assert_string_equal(finding.origins[i], expected[i]);
    ob_report_close(&report);
    ob_model_close(&model);
}

static void report_says_where_sizes_come_from(void **state) {
    (void)state;
    ob_model *model = model_of(attention, NULL);
    ob_report *report = NULL;
    ob_error error;
    assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
    ob_report_summary summary = ob_report_get_summary(report);
    assert_int_equal(summary.n_nodes, 4);
    assert_int_equal(summary.n_broadcasts, 2);
    assert_int_equal(summary.n_warnings, 1);
    assert_int_equal(summary.n_errors, 0);

    ob_finding_info finding;
    assert_int_equal(ob_report_finding(report, 0, &finding), OB_OK);
    assert_string_equal(finding.id, "OB0403");
    assert_string_equal(finding.node, "add");
    assert_int_equal(finding.n_origins, 2);
    assert_string_equal(finding.origins[0], "operand 0: target comes from input 'scores' (axis 2)");
    assert_string_equal(finding.origins[1],
                        "operand 1: batch comes from input 'mask' (axis 0), through Unsqueeze 'wide', Sub 'inverted'");
    assert_int_equal(ob_report_finding(report, 1, &finding), OB_E_NOT_FOUND);

    ob_broadcast_info broadcast;
    assert_int_equal(ob_report_broadcast(report, 1, &broadcast), OB_OK);
    assert_string_equal(broadcast.rule, "multidirectional");
    assert_int_equal(broadcast.n_operands, 2);
    assert_int_equal(broadcast.operands[1].rank, 3);
    assert_int_equal(broadcast.stretched[1] & 3, 3); /* it lacks axis 0 and has 1 in axis 1 */
    assert_int_equal(ob_report_broadcast(report, 2, &broadcast), OB_E_NOT_FOUND);

    ob_condition_info condition;
    assert_int_equal(ob_report_condition_count(report), 1);
    assert_int_equal(ob_report_condition(report, 0, &condition), OB_OK);
    assert_non_null(strstr(condition.text, "batch = target"));
    assert_int_equal(ob_report_condition(report, 1, &condition), OB_E_NOT_FOUND);

    ob_value_info value;
    assert_int_equal(ob_report_value_count(report), 7);
    assert_int_equal(ob_report_value(report, 0, &value), OB_OK);
    assert_string_equal(value.name, "scores");
    assert_string_equal(value.kind, "input");
    assert_string_equal(value.type, "float[batch,4,target,source]");
    assert_int_equal(ob_report_value(report, 7, &value), OB_E_NOT_FOUND);
    ob_report_close(&report);
    ob_report_close(&report);
    ob_model_close(&model);
}

static void given_sizes_replace_declared_ones(void **state) {
    (void)state;
    ob_model *model = model_of(attention, NULL);
    ob_report *report = NULL;
    ob_error error;
    ob_check_options options;
    ob_check_options_init(&options);
    const ob_named_size fits[] = {{"batch", 2}, {"target", 2}}, fails[] = {{"batch", 2}, {"target", 9}};
    options.dims = fits;
    options.n_dims = 2;
    assert_int_equal(ob_check(model, &options, &report, &error), OB_OK);
    assert_int_equal(ob_report_finding_count(report), 1); /* the sizes fit, and the mask still has the batch where targets are */
    ob_report_close(&report);
    options.dims = fails;
    assert_int_equal(ob_check(model, &options, &report, &error), OB_OK);
    assert_int_equal(ob_report_get_summary(report).n_errors, 1);
    ob_report_close(&report);
    /* The model is unchanged. */
    assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
    assert_int_equal(ob_report_get_summary(report).n_errors, 0);
    assert_int_equal(ob_report_get_summary(report).n_warnings, 1);
    ob_report_close(&report);

    const ob_named_size unknown = {"beam", 4}, negative = {"batch", -1};
    options.n_dims = 1;
    options.dims = &unknown;
    assert_int_equal(ob_check(model, &options, &report, &error), OB_E_NOT_FOUND);
    assert_string_equal(error.message, "the model has no symbol 'beam'");
    options.dims = &negative;
    assert_int_equal(ob_check(model, &options, &report, &error), OB_E_ARGUMENT);
    options.n_dims = 0;

    const int64_t sizes[] = {2, 4, 2, 5};
    ob_shape_given shape = {"scores", 4, sizes};
    options.shapes = &shape;
    options.n_shapes = 1;
    assert_int_equal(ob_check(model, &options, &report, &error), OB_OK);
    ob_report_close(&report);
    shape.name = "score";
    assert_int_equal(ob_check(model, &options, &report, &error), OB_E_NOT_FOUND);
    shape = (ob_shape_given){"scores", OB_MAX_RANK + 1, sizes};
    assert_int_equal(ob_check(model, &options, &report, &error), OB_E_ARGUMENT);
    assert_null(report);
    ob_model_close(&model);
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    ob_report *report = NULL;
    ob_error error;
    assert_int_equal(ob_check(NULL, NULL, &report, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_rewrite(NULL, OB_FORM_EXPAND, NULL, NULL, &error), OB_E_ARGUMENT);
    ob_model *model = model_of(attention, NULL);
    assert_int_equal(ob_check(model, NULL, NULL, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_rewrite(model, OB_FORM_COUNT, NULL, NULL, &error), OB_E_ARGUMENT);
    ob_model_close(&model);
    assert_int_equal(ob_form_from_name("expand"), OB_FORM_EXPAND);
    assert_int_equal(ob_form_from_name("Expand"), OB_FORM_COUNT);
    assert_int_equal(ob_form_from_name(NULL), OB_FORM_COUNT);
    assert_null(ob_finding_doc_find("OB0000").id);
    assert_null(ob_finding_doc_find(NULL).id);
    assert_string_equal(ob_finding_doc_find("OB0101").id, "OB0101");
    assert_string_equal(ob_finding_doc_find("oB0606").id, "OB0606"); /* in any case */
    assert_null(ob_finding_doc_find("OB010").id);
    assert_null(ob_finding_doc_find("OB01011").id);
    assert_null(ob_finding_doc_find("").id);
    assert_string_equal(ob_pass_at(ob_pass_count()).name, "");
}

/* ---- Selection of findings, and combinations of options ---- */

static const char mistaken[] = HEADER
    "g (float[3] x, float[4] y, float[N] n, float[5] five) => (float[?] z) {\n"
    "  [a] z = Add (x, y)\n  [b] z1 = Add (x, y)\n  [c] z2 = Mul (x, y)\n  [d] z3 = Add (n, five)\n  [e] z4 = Add (n, five)\n"
    "}\n";

static void severities_are_the_callers(void **state) {
    (void)state;
    static const struct {
        ob_severity_given given[2];
        size_t n_errors, n_warnings, n_notes, n_listed;
    } cases[] = {
        {{{"OB0101", OB_SEVERITY_ERROR}, {"OB02", OB_SEVERITY_WARNING}}, 3, 1, 0, 4},
        {{{"ob01", OB_SEVERITY_NOTE}, {"OB0201", OB_SEVERITY_ERROR}}, 1, 0, 3, 4},
        {{{"OB", OB_SEVERITY_NONE}, {"OB0201", OB_SEVERITY_NOTE}}, 0, 0, 1, 1}, /* the last entry that matches applies */
        {{{"OB0201", OB_SEVERITY_NOTE}, {"OB", OB_SEVERITY_NONE}}, 0, 0, 0, 0},
    };
    ob_model *model = model_of(mistaken, NULL);
    ob_report *report = NULL;
    ob_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ob_check_options options;
        ob_check_options_init(&options);
        options.severities = cases[i].given;
        options.n_severities = 2;
        assert_int_equal(ob_check(model, &options, &report, &error), OB_OK);
        ob_report_summary summary = ob_report_get_summary(report);
        assert_int_equal(summary.n_errors, cases[i].n_errors);
        assert_int_equal(summary.n_warnings, cases[i].n_warnings);
        assert_int_equal(summary.n_notes, cases[i].n_notes);
        assert_int_equal(ob_report_finding_count(report), cases[i].n_listed);
        ob_report_close(&report);
    }
    static const struct {
        ob_severity_given given;
        ob_status status;
    } wrong[] = {{{"OB99", OB_SEVERITY_NOTE}, OB_E_NOT_FOUND},
                 {{"", OB_SEVERITY_NOTE}, OB_E_NOT_FOUND},
                 {{NULL, OB_SEVERITY_NOTE}, OB_E_ARGUMENT},
                 {{"OB01", (ob_severity)4}, OB_E_ARGUMENT}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ob_check_options options;
        ob_check_options_init(&options);
        options.severities = &wrong[i].given;
        options.n_severities = 1;
        assert_int_equal(ob_check(model, &options, &report, &error), wrong[i].status);
    }
    ob_model_close(&model);
}

static void what_says_the_same_is_one_group(void **state) {
    (void)state;
    ob_model *model = model_of(mistaken, NULL);
    ob_report *report = NULL;
    ob_error error;
    assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
    static const struct { size_t first, n; } findings[] = {{0, 2}, {2, 1}, {3, 1}}, broadcasts[] = {{0, 2}, {2, 1}, {3, 2}};
    ob_alike alike;
    for (size_t round = 0; round < 2; round++) /* from the beginning again */
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(ob_report_finding_group(report, i, &alike), OB_OK);
            assert_true(alike.first == findings[i].first && alike.n == findings[i].n);
            assert_int_equal(ob_report_broadcast_group(report, i, &alike), OB_OK);
            assert_true(alike.first == broadcasts[i].first && alike.n == broadcasts[i].n);
        }
    assert_int_equal(ob_report_finding_group(report, 3, &alike), OB_E_NOT_FOUND);
    assert_int_equal(ob_report_broadcast_group(report, 3, &alike), OB_E_NOT_FOUND);
    ob_report_close(&report);
    ob_model_close(&model);
}

static void count_kinds(void *context, const ob_unsupported *item) {
    size_t *n_nodes = context;
    assert_true(item->reason[0]);
    *n_nodes += item->n_nodes;
}

/* Nodes of functions count for each call. */
static void what_cannot_run_is_told(void **state) {
    (void)state;
    static const char text[] =
        "<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n"
        "g (float[3] x) => (float[3] y) {\n  t = Frobnicate (x)\n  u = Frobnicate (t)\n  y = local.outer (u)\n}\n"
        "<domain: \"local\", opset_import: [\"\" : 17, \"local\" : 1]> outer (a) => (b) {\n  b = local.inner (a)\n}\n"
        "<domain: \"local\", opset_import: [\"\" : 17]> inner (a) => (b) {\n  b = Gyre (a)\n}\n"
        "<domain: \"local\", opset_import: [\"\" : 17]> nobody (a) => (b) {\n  b = Gimble (a)\n}\n";
    char called[sizeof text];
    memcpy(called, text, sizeof text);
    char *inner = strstr(called, "b = local.inner");
    memcpy(inner, "b = Relu       ", strlen("b = local.inner"));
    ob_error error;
    size_t n = 0;
    ob_model *model = model_of(called, NULL); /* inner is no longer called */
    assert_int_equal(ob_model_unsupported(model, count_kinds, &n, &error), OB_E_UNSUPPORTED);
    assert_int_equal(n, 2);
    assert_string_equal(error.op_type, "Frobnicate");
    ob_model_close(&model);
    model = model_of(text, NULL);
    n = 0;
    assert_int_equal(ob_model_unsupported(model, count_kinds, &n, &error), OB_E_UNSUPPORTED);
    assert_int_equal(n, 3);
    ob_model_close(&model);
    model = model_of(attention, NULL);
    assert_int_equal(ob_model_unsupported(model, NULL, NULL, &error), OB_OK);
    ob_model_close(&model);
    assert_int_equal(ob_model_unsupported(NULL, NULL, NULL, &error), OB_E_ARGUMENT);
}

static ob_status stop_after_sound(void *context, const char *pass, const ob_model *model) {
    (void)model;
    ++*(int *)context;
    return strcmp(pass, "sound") == 0 ? OB_E_LIMIT : OB_OK;
}

static void a_hook_can_end_the_work(void **state) {
    (void)state;
    ob_model *model = model_of(attention, NULL);
    int n = 0;
    const ob_rewrite_options options = {.after_pass = stop_after_sound, .context = &n};
    ob_error error;
    assert_int_equal(ob_rewrite(model, OB_FORM_BROADCAST, &options, NULL, &error), OB_E_LIMIT);
    assert_int_equal(n, 3);
    assert_int_equal(ob_model_node_count(model), 4); /* nothing was inserted */
    ob_model_close(&model);
}

static void bytes_saturate(void **state) {
    (void)state;
    ob_model *model = model_of(
        HEADER "g (double[4611686018427387903,1] a, double[1,4611686018427387903] b) => (double[?,?] y) { y = Add (a, b) }",
        NULL);
    ob_report *report = NULL;
    ob_broadcast_info info;
    ob_error error;
    assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
    assert_int_equal(ob_report_broadcast(report, 0, &info), OB_OK);
    assert_int_equal(info.copied_bytes, OB_DIM_CONST_MAX);
    ob_report_close(&report);
    ob_model_close(&model);
}

/* ---- Source lines ---- */

static void source_lines_are_found(void **state) {
    (void)state;
    const struct {
        const char *key, *value, *doc, *expected;
    } cases[] = {
        {"pkg.torch.onnx.stack_trace",
         "File \"a.py\", line 1, in f\n    x()\nFile \"b.py\", line 22, in forward\n    return x + y", "",
         "File \"b.py\", line 22, in forward"},
        {"other", "nothing", "/src/model.py(31): forward\n/torch/module.py(1102): _call_impl\n", "/src/model.py(31): forward"},
        {"other", "nothing", "# model.py:12:0", "model.py:12:0"},
        {"namespace", "Model/layer1", "", "in Model/layer1"},
        {"other", "nothing", "this node adds", ""},
        {"other", "", "x.pyc is not source", ""},
    };
    ob_arena arena;
    ob__arena_init(&arena, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ob_key_value metadata = {cases[i].key, cases[i].value};
        const ob_node node = {.name = "n", .doc = cases[i].doc, .metadata = &metadata, .n_metadata = 1};
        assert_string_equal(ob__source_of(&node, &arena), cases[i].expected);
    }
    ob__arena_release(&arena);
}

/* ---- The verifier ---- */

static void verifier_sees_what_is_broken(void **state) {
    (void)state;
    ob_error error;
    ob_model *model = model_of(attention, NULL);
    ob_graph *graph = model->graph;
    assert_int_equal(ob__verify_graph(model, "test", &error), OB_OK);
    graph->n_nodes++;
    assert_int_equal(ob__verify_graph(model, "test", &error), OB_E_INTERNAL);
    graph->n_nodes--;

    ob_value *value = graph->last->outputs[0];
    value->producer = graph->first;
    assert_int_equal(ob__verify_graph(model, "test", &error), OB_E_INTERNAL);
    value->producer = graph->last;

    graph->last->inputs[1] = value; /* the result itself */
    assert_int_equal(ob__verify_graph(model, "test", &error), OB_E_MODEL);
    assert_string_equal(error.message, "after pass test: 'y' is used before it is made");
    graph->last->inputs[1] = graph->last->prev->outputs[0];

    ob_node *last = graph->last;
    last->prev->next = NULL;
    assert_int_equal(ob__verify_graph(model, "test", &error), OB_E_INTERNAL);
    last->prev->next = last;

    ob__map_find(&graph->values, "wide", 4)->value = NULL;
    assert_int_equal(ob__verify_graph(model, "test", &error), OB_E_INTERNAL);
    ob_model_close(&model);
}

/* ---- The limit ---- */

/* 100 000 notes of XLA's rule book, then its error: beyond the limit findings are counted, not listed. */
static void findings_beyond_the_limit_count(void **state) {
    (void)state;
    static const char first[] = HEADER "g (float[0,3] z, float[1,3] o, float[2,3] x, float[3] b) => (float[2,3] y) {\n";
    static const char last[] = "  y = Add (x, b)\n}\n";
    enum { N = 100000 };
    size_t n = 0, room = sizeof first + sizeof last + N * 32;
    char *text = malloc(room);
    assert_non_null(text);
    n += (size_t)snprintf(text, room, "%s", first);
    for (int i = 0; i < N; i++) n += (size_t)snprintf(text + n, room - n, "  n%d = Add (z, o)\n", i);
    snprintf(text + n, room - n, "%s", last);
    ob_model *model = model_of(text, NULL);
    free(text);
    ob_check_options options;
    ob_check_options_init(&options);
    options.rules = OB_RULES_XLA;
    ob_report *report = NULL;
    assert_int_equal(ob_check(model, &options, &report, NULL), OB_OK);
    ob_report_summary summary = ob_report_get_summary(report);
    assert_int_equal(ob_report_finding_count(report), N);
    assert_int_equal(summary.n_notes, N);
    assert_int_equal(summary.n_errors, 1);
    assert_int_equal(summary.n_dropped, 1);
    ob_report_close(&report);
    ob_model_close(&model);
}

/* ob_error.code is the returned status, also if a hook ends the call. */
static ob_status end_with_limit(void *context, const char *pass, const ob_model *model) {
    (void)context, (void)pass, (void)model;
    return OB_E_LIMIT;
}

static void error_has_the_status_returned(void **state) {
    (void)state;
    ob_model *model = model_of(attention, NULL);
    ob_error error;
    const ob_rewrite_options options = {.after_pass = end_with_limit};
    assert_int_equal(ob_rewrite(model, OB_FORM_EXPAND, &options, NULL, &error), OB_E_LIMIT);
    assert_int_equal(error.code, OB_E_LIMIT);
    ob_model_close(&model);
}

/* ---- The shared models ---- */

static const char *shared_models(void) {
    static char path[1024];
    const char *shared = getenv("OB_SHARED");
    snprintf(path, sizeof path, "%s/models", shared ? shared : OB_SOURCE_DIR "/../shared");
    return path;
}

static bool open_shared(const char *name, ob_model **model) {
    char path[2048];
    snprintf(path, sizeof path, "%s/%s/model.onnx", shared_models(), name);
    return ob_model_load(path, NULL, model, NULL) == OB_OK;
}

static void shared_models_have_no_false_errors(void **state) {
    (void)state;
    DIR *folder = opendir(shared_models());
    if (!folder) {
        print_message("skipped: no shared models\n");
        skip();
    }
    size_t n_models = 0, n_accidental = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        ob_model *model = NULL;
        ob_report *report = NULL;
        ob_finding_info finding;
        if (entry->d_name[0] == '.' || !open_shared(entry->d_name, &model)) continue;
        n_models++;
        assert_int_equal(ob_check(model, NULL, &report, NULL), OB_OK);
        for (size_t i = 0; i < ob_report_finding_count(report); i++) {
            assert_int_equal(ob_report_finding(report, i, &finding), OB_OK);
            if (finding.severity == OB_SEVERITY_ERROR) fail_msg("%s: %s: %s", entry->d_name, finding.node, finding.message);
            n_accidental += finding.severity == OB_SEVERITY_WARNING && strncmp(finding.id, "OB04", 4) == 0;
        }
        ob_report_close(&report);
        for (int form = 0; form < OB_FORM_COUNT; form++) {
            ob_model *copy = NULL;
            ob_error error;
            assert_int_equal(ob_model_clone(model, &copy, &error), OB_OK);
            if (ob_rewrite(copy, (ob_form)form, NULL, NULL, &error) != OB_OK) fail_msg("%s: %s", entry->d_name, error.message);
            ob_model_close(&copy);
        }
        ob_model_close(&model);
    }
    closedir(folder);
    print_message("%zu models\n", n_models);
    assert_int_equal(n_accidental, 1); /* the decoder's, see below */
}

static void the_defect_of_the_decoder_is_found(void **state) {
    (void)state;
    ob_model *model = NULL;
    ob_report *report = NULL;
    if (!open_shared("vespa_random_decoder", &model)) {
        print_message("skipped: no shared models\n");
        skip();
    }
    assert_int_equal(ob_check(model, NULL, &report, NULL), OB_OK);
    ob_finding_info finding;
    size_t at = 0;
    do assert_int_equal(ob_report_finding(report, at++, &finding), OB_OK);
    while (finding.severity != OB_SEVERITY_WARNING);
    assert_string_equal(finding.id, "OB0403"); /* the cause: a mask whose batch lies along the target tokens */
    assert_string_equal(finding.op_type, "Add");
    assert_non_null(strstr(finding.fix, "Transpose"));
    /* It carries the condition of a Reshape behind it. */
    assert_int_equal(finding.n_caused, 1);
    assert_int_equal(ob_report_get_summary(report).n_warnings, 1);
    ob_clause_info clause;
    assert_int_equal(ob_report_clause(report, finding.caused[0], &clause), OB_OK);
    assert_string_equal(clause.text, "batch = target_tokens or batch = 1");
    ob_report_close(&report);
    const ob_severity_given none = {"OB04", OB_SEVERITY_NONE};
    ob_check_options options;
    ob_check_options_init(&options);
    options.severities = &none;
    options.n_severities = 1;
    assert_int_equal(ob_check(model, &options, &report, NULL), OB_OK);
    at = 0;
    do assert_int_equal(ob_report_finding(report, at++, &finding), OB_OK);
    while (finding.severity != OB_SEVERITY_WARNING);
    assert_non_null(strstr(finding.message, "requires batch = target_tokens or batch = 1"));
    /* Both sides are products that no input has as a size. Inputs with their symbols are named instead. */
    assert_int_equal(finding.n_origins, 2);
    assert_non_null(strstr(finding.origins[0], "batch comes from input"));
    assert_non_null(strstr(finding.origins[1], "target_tokens comes from input"));
    for (size_t i = 0; i < ob_report_condition_count(report); i++) {
        ob_condition_info condition;
        assert_int_equal(ob_report_condition(report, i, &condition), OB_OK);
        assert_true(condition.n_origins > 0);
    }
    /* The broadcast would also admit target_tokens = 1; the following reshape does not, so the clause comes from the
     * reshape. */
    assert_string_equal(finding.op_type, "Reshape");
    ob_report_close(&report);
    const ob_named_size sizes[] = {{"batch", 2}, {"target_tokens", 9}};
    ob_check_options_init(&options);
    options.dims = sizes;
    options.n_dims = 2;
    assert_int_equal(ob_check(model, &options, &report, NULL), OB_OK);
    assert_true(ob_report_get_summary(report).n_errors > 0);
    ob_report_close(&report);
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(severities_are_the_callers),
        cmocka_unit_test(what_says_the_same_is_one_group),
        cmocka_unit_test(what_cannot_run_is_told),
        cmocka_unit_test(joined_sizes_have_all_origins),
        cmocka_unit_test(report_says_where_sizes_come_from),
        cmocka_unit_test(given_sizes_replace_declared_ones),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(a_hook_can_end_the_work),
        cmocka_unit_test(bytes_saturate),
        cmocka_unit_test(source_lines_are_found),
        cmocka_unit_test(verifier_sees_what_is_broken),
        cmocka_unit_test(findings_beyond_the_limit_count),
        cmocka_unit_test(error_has_the_status_returned),
        cmocka_unit_test(shared_models_have_no_false_errors),
        cmocka_unit_test(the_defect_of_the_decoder_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
