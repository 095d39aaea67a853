/* Graph cases: each file of tests/graphs holds a model as text, the rewritings to apply, and the expected results. `test_graphs
 * --bless` writes the actual results; `test_graphs NAME...` runs only these files.
 *
 *     # What the case shows.
 *     emit: broadcast implicit          forms, each with a section below
 *     rules: xla
 *     dim: N=4
 *     one way the way back writes the same model differently (a negative axis becomes positive)
 *     --- input
 *     <ir_version: 8, opset_import: ["" : 17]>
 *     g (float[N,3] x, float[3] b) => (float[N,3] y) { [add] y = Add(x, b) }
 *     --- findings
 *     --- broadcast
 *     ... the rewritten model, or "refused: why" ...
 *
 * In every case a rewritten model must check without errors, be unchanged by the same rewriting, lead back to the original
 * (broadcast), and state the contract that the check finds. That entry of its metadata is not shown. */
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
#include "stated_text.h"

#define FOLDER OB_SOURCE_DIR "/tests/graphs"

static bool bless;

typedef struct graph_case {
    const char *name;
    ob_text head, input, out; /* out: the actual text from "--- input" on */
    ob_text expected;
    bool forms[OB_FORM_COUNT], one_way; /* one_way: the way back writes the same model differently */
    ob_check_options options;
    ob_named_size dims[8];
    char dim_names[8][64];
} graph_case;

/* ---- Reading ---- */

static void read_line_of_head(graph_case *c, const char *line) {
    char word[64];
    int at = 0;
    if (strncmp(line, "emit:", 5) == 0) {
        line += 5;
        while (sscanf(line, "%63s%n", word, &at) == 1) {
            ob_form form = ob_form_from_name(word);
            if (form == OB_FORM_COUNT) fail_msg("%s: no such form: %s", c->name, word);
            c->forms[form] = true;
            line += at;
        }
    } else if (sscanf(line, "rules: %63s", word) == 1) {
        c->options.rules = ob_rules_from_name(word);
        if (c->options.rules == OB_RULES_COUNT) fail_msg("%s: no such rules: %s", c->name, word);
    } else if (strcmp(line, "one way\n") == 0) {
        c->one_way = true;
    } else if (strncmp(line, "dim:", 4) == 0) {
        long long size = 0;
        size_t i = c->options.n_dims++;
        if (i == 8 || sscanf(line, "dim: %63[^=]=%lld", c->dim_names[i], &size) != 2) fail_msg("%s: %s", c->name, line);
        c->dims[i] = (ob_named_size){c->dim_names[i], size};
        c->options.dims = c->dims;
    } else if (line[0] != '#' && line[0] != '\n' && line[0] != '\0') {
        fail_msg("%s: a line that means nothing: %s", c->name, line);
    }
}

static void read_case(graph_case *c, const char *path) {
    char line[4096];
    enum { HEAD, INPUT, REST } part = HEAD;
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be read", path);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "--- ", 4) == 0)
            part = strcmp(line, "--- input\n") == 0 ? INPUT : REST;
        else if (part == INPUT)
            ob__text_puts(&c->input, line);
        if (part == HEAD) {
            ob__text_puts(&c->head, line);
            read_line_of_head(c, line);
        } else {
            ob__text_puts(&c->expected, line);
        }
    }
    fclose(file);
}

/* ---- Running ---- */

static ob_model *load(const graph_case *c) {
    ob_load_options options;
    ob_model *model = NULL;
    ob_error error;
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    ob_error_clear(&error);
    if (ob_model_load_memory(c->input.data, c->input.n, c->name, &options, &model, &error) != OB_OK)
        fail_msg("%s: %s", c->name, error.message);
    return model;
}

static void print_model(const ob_model *model, ob_text *text) {
    ob_text written;
    ob__text_init(&written, NULL);
    write_model(model, OB_FORMAT_TEXT, &written);
    ob__text_append(text, written.data, written.n);
    if (text->n == 0 || text->data[text->n - 1] != '\n') ob__text_puts(text, "\n");
    ob__text_release(&written);
}

static size_t print_findings(const graph_case *c, ob_model *model, ob_text *text) {
    ob_report *report = NULL;
    ob_error error;
    if (ob_check(model, &c->options, &report, &error) != OB_OK) fail_msg("%s: %s", c->name, error.message);
    for (size_t i = 0; text && i < ob_report_finding_count(report); i++) {
        ob_finding_info info;
        assert_int_equal(ob_report_finding(report, i, &info), OB_OK);
        ob__text_printf(text, "%s[%s] %s%s: %s\n", ob_severity_name(info.severity), info.id, info.path, info.node, info.message);
        for (size_t k = 0; k < info.n_origins; k++) ob__text_printf(text, "    %s\n", info.origins[k]);
        if (info.source[0]) ob__text_printf(text, "    source: %s\n", info.source);
        if (info.fix[0] && info.severity == OB_SEVERITY_ERROR) ob__text_printf(text, "    fix: %s\n", info.fix);
    }
    size_t n_errors = ob_report_get_summary(report).n_errors;
    ob_report_close(&report);
    return n_errors;
}

/* The metadata state the contract of the report, in its words. */
static void check_stated(const graph_case *c, ob_model *model) {
    ob_report *report = NULL;
    ob_text text;
    const char *stated = ob_model_metadata(model, OB_CONTRACT_KEY);
    ob__text_init(&text, NULL);
    if (!stated) fail_msg("%s: no contract is stated", c->name);
    assert_int_equal(ob_check(model, NULL, &report, NULL), OB_OK);
    assert_true(statement_of(report, &text));
    if (strcmp(stated, text.data) != 0) fail_msg("%s: found %s; stated %s", c->name, text.data, stated);
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info finding;
        assert_int_equal(ob_report_finding(report, i, &finding), OB_OK);
        assert_string_not_equal(finding.id, "OB0504");
    }
    ob__text_release(&text);
    ob_report_close(&report);
}

/* Cases do not show the entry with the contract, which is the last one. */
static void hide_stated(ob_model *model) {
    uint32_t n = model->n_metadata;
    if (n && strcmp(model->metadata[n - 1].key, OB_CONTRACT_KEY) == 0) model->n_metadata--;
    assert_null(ob_model_metadata(model, OB_CONTRACT_KEY));
}

static void note(void *context, const char *node, const char *op_type, const char *reason) {
    ob__text_printf(context, "# %s (%s) stays: %s\n", node, op_type, reason);
}

/* Rewriting the rewritten model again gives the same text. */
static void check_fixed_point(const graph_case *c, ob_model *model, ob_form form, const ob_text *first) {
    ob_error error;
    ob_text again;
    ob__text_init(&again, NULL);
    if (ob_rewrite(model, form, NULL, NULL, &error) != OB_OK) fail_msg("%s: again: %s", c->name, error.message);
    hide_stated(model);
    print_model(model, &again);
    assert_string_equal(again.data, first->data);
    ob__text_release(&again);
}

/* Broadcast and then implicit gives the same as implicit alone. */
static void check_way_back(const graph_case *c, ob_model *explicit_model) {
    ob_error error;
    ob_text back, plain;
    ob__text_init(&back, NULL);
    ob__text_init(&plain, NULL);
    if (ob_rewrite(explicit_model, OB_FORM_IMPLICIT, NULL, NULL, &error) != OB_OK)
        fail_msg("%s: back: %s", c->name, error.message);
    hide_stated(explicit_model);
    print_model(explicit_model, &back);
    ob_model *model = load(c);
    assert_int_equal(ob_rewrite(model, OB_FORM_IMPLICIT, NULL, NULL, &error), OB_OK);
    hide_stated(model);
    print_model(model, &plain);
    assert_string_equal(back.data, plain.data);
    ob_model_close(&model);
    ob__text_release(&back);
    ob__text_release(&plain);
}

static void rewrite_in_form(graph_case *c, ob_form form) {
    ob_model *model = load(c);
    ob_error error;
    ob_text text, notes;
    ob__text_init(&text, NULL);
    ob__text_init(&notes, NULL);
    const ob_rewrite_options options = {.note = note, .context = &notes};
    ob__text_printf(&c->out, "--- %s\n", ob_form_name(form));
    ob_status status = ob_rewrite(model, form, &options, NULL, &error);
    if (status != OB_OK) {
        ob__text_printf(&c->out, "refused: %s: %s\n", ob_status_text(status), error.message);
    } else {
        check_stated(c, model);
        hide_stated(model);
        print_model(model, &text);
        if (notes.n) ob__text_append(&c->out, notes.data, notes.n);
        ob__text_append(&c->out, text.data, text.n);
        if (c->options.rules == OB_RULES_ONNX && c->options.n_dims == 0) assert_int_equal(print_findings(c, model, NULL), 0);
        check_fixed_point(c, model, form, &text);
        if (form == OB_FORM_BROADCAST && !c->one_way) check_way_back(c, model);
    }
    ob__text_release(&notes);
    ob__text_release(&text);
    ob_model_close(&model);
}

static void compare_or_bless(const graph_case *c, const char *path) {
    if (!bless) {
        assert_string_equal(c->out.data, c->expected.n ? c->expected.data : "");
        return;
    }
    FILE *file = fopen(path, "w");
    if (!file) fail_msg("%s cannot be written", path);
    fwrite(c->head.data ? c->head.data : "", 1, c->head.n, file);
    fwrite(c->out.data, 1, c->out.n, file);
    fclose(file);
}

static void run_case(void **state) {
    graph_case c = {.name = *state};
    char path[1024];
    ob_text *const texts[] = {&c.head, &c.input, &c.out, &c.expected};
    for (size_t i = 0; i < 4; i++) ob__text_init(texts[i], NULL);
    ob_check_options_init(&c.options);
    snprintf(path, sizeof path, "%s/%s", FOLDER, c.name);
    read_case(&c, path);
    ob__text_puts(&c.out, "--- input\n");
    ob__text_append(&c.out, c.input.data ? c.input.data : "", c.input.n);
    ob__text_puts(&c.out, "--- findings\n");
    ob_model *model = load(&c);
    print_findings(&c, model, &c.out);
    ob_model_close(&model);
    for (int form = 0; form < OB_FORM_COUNT; form++)
        if (c.forms[form]) rewrite_in_form(&c, (ob_form)form);
    compare_or_bless(&c, path);
    for (size_t i = 0; i < 4; i++) ob__text_release(texts[i]);
}

/* ---- The list of files ---- */

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct CMUnitTest *)a)->name, ((const struct CMUnitTest *)b)->name);
}

static bool is_wanted(const char *name, int argc, char **argv) {
    size_t n = strlen(name);
    if (n < 5 || strcmp(name + n - 4, ".txt") != 0) return false;
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--bless") == 0) continue;
        any = true;
        if (strcmp(argv[i], name) == 0) return true;
    }
    return !any;
}

int main(int argc, char **argv) {
    enum { MAX_CASES = 1000 };
    struct CMUnitTest *tests = calloc(MAX_CASES, sizeof *tests);
    size_t n = 0;
    for (int i = 1; i < argc; i++) bless |= strcmp(argv[i], "--bless") == 0;
    DIR *folder = opendir(FOLDER);
    if (!tests || !folder) return 1;
    for (const struct dirent *entry; n < MAX_CASES && (entry = readdir(folder));) {
        if (!is_wanted(entry->d_name, argc, argv)) continue;
        char *name = strdup(entry->d_name);
        if (!name) return 1;
        tests[n++] = (struct CMUnitTest){.name = name, .test_func = run_case, .initial_state = name};
    }
    closedir(folder);
    qsort(tests, n, sizeof *tests, by_name);
    if (n == 0) return 1;
    int failed = _cmocka_run_group_tests("graphs", tests, n, NULL, NULL);
    for (size_t i = 0; i < n; i++) free(tests[i].initial_state);
    free(tests);
    return failed;
}
