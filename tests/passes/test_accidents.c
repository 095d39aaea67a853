/* The accidents of models/accidents: each NAME.onnxtxt has one accident, found with the id that its comment names, and
 * NAME.fixed.onnxtxt, the same model as it was meant, has none. The page models/accidents/README.md lists them all;
 * `test_accidents --bless` writes it. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/finding.h"
#include "core/base/text.h"
#include "onnx_broadcast/onnx_broadcast.h"

#define FOLDER OB_SOURCE_DIR "/models/accidents"

enum { MAX_KINDS = 200, REACHED = 50 };

static char *names[MAX_KINDS];
static size_t n_names;
static bool bless;

/* The ids of the accidents in a model, "OB0401 OB0403", and the number of other warnings. */
static void ids_of(const char *path, ob_text *ids, size_t *n_others) {
    ob_model *model = NULL;
    ob_report *report = NULL;
    ob_error error;
    if (ob_model_load(path, NULL, &model, &error) != OB_OK) fail_msg("%s: %s", path, error.message);
    if (ob_check(model, NULL, &report, &error) != OB_OK) fail_msg("%s: %s", path, error.message);
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info info;
        assert_int_equal(ob_report_finding(report, i, &info), OB_OK);
        if (info.severity == OB_SEVERITY_ERROR) fail_msg("%s: %s: %s", path, info.id, info.message);
        if (!ob__finding_is_accident(ob__finding_find(info.id))) {
            *n_others += info.severity == OB_SEVERITY_WARNING;
            continue;
        }
        ob__text_printf(ids, "%s%s", ids->n ? " " : "", info.id);
    }
    ob_report_close(&report);
    ob_model_close(&model);
}

/* The comment lines before the model, without "# ". */
static void read_story(const char *path, ob_text *story, char id[16]) {
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be read", path);
    id[0] = '\0';
    while (fgets(line, sizeof line, file) && line[0] == '#') {
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "# Found as %6[A-Z0-9].", id) != 1) ob__text_printf(story, "%s%s", story->n ? " " : "", line + 2);
    }
    fclose(file);
}

/* One problem is one finding: conditions and declarations that only follow from the accident are no warnings of their own, but
 * for a few that the report does not connect. */
static void every_accident_is_found_once(void **state) {
    (void)state;
    enum { UNCONNECTED = 4 };
    size_t n_others = 0;
    for (size_t i = 0; i < n_names; i++) {
        char path[600], id[16];
        ob_text ids, story;
        ob__text_init(&ids, NULL);
        ob__text_init(&story, NULL);
        snprintf(path, sizeof path, FOLDER "/%s.onnxtxt", names[i]);
        read_story(path, &story, id);
        ids_of(path, &ids, &n_others);
        if (!ids.n || strcmp(ids.data, id) != 0) fail_msg("%s: \"%s\" instead of \"%s\"", names[i], ids.n ? ids.data : "", id);
        ob__text_release(&ids);
        ob__text_release(&story);
    }
    assert_true(n_others <= UNCONNECTED);
}

static void no_corrected_model_has_one(void **state) {
    (void)state;
    for (size_t i = 0; i < n_names; i++) {
        char path[600];
        ob_text ids;
        ob__text_init(&ids, NULL);
        snprintf(path, sizeof path, FOLDER "/%s.fixed.onnxtxt", names[i]);
        size_t n_others = 0;
        ids_of(path, &ids, &n_others);
        if (ids.n) fail_msg("%s.fixed: %s", names[i], ids.data);
        ob__text_release(&ids);
    }
}

/* ---- Fixes ---- */

enum { MANY = 4096, MOST_VALUES = 4 };

typedef struct results {
    size_t n;
    size_t n_elems[MOST_VALUES];
    float elems[MOST_VALUES][MANY];
    char names[MOST_VALUES][32];
} results;

/* 2, 3, 5, 7 ... for symbols in order of appearance, so that different symbols differ. */
static int64_t size_of(const ob_dims *dims, ob_dim size, char seen[8][32]) {
    static const int64_t sizes[] = {2, 3, 5, 7, 4, 6, 8, 9};
    char name[32];
    if (ob_dim_is_const(size)) return size;
    ob_dim_format(dims, size, name, sizeof name);
    size_t i = 0;
    while (i < 7 && seen[i][0] && strcmp(seen[i], name) != 0) i++;
    snprintf(seen[i], sizeof seen[i], "%s", name);
    return sizes[i];
}

static void fill(ob_view *view, void *data, ob_dtype dtype, size_t n) {
    view->data = data;
    for (size_t i = 0; i < n; i++) {
        const int value = (int)((i * 7 + 3) % 5);
        if (dtype == OB_FLOAT) ((float *)data)[i] = (float)value / 4 + 0.25f;
        if (dtype == OB_INT64) ((int64_t *)data)[i] = value % 3 + 1;
        if (dtype == OB_BOOL || dtype == OB_UINT8) ((uint8_t *)data)[i] = (uint8_t)(value % 2);
    }
}

/* False: the session refuses the model or these sizes. */
static bool run(const ob_model *model, results *out) {
    static int64_t memory[8][MANY];
    ob_session *session = NULL;
    ob_error error;
    char seen[8][32] = {{0}};
    ob_view inputs[8], outputs[MOST_VALUES];
    memset(inputs, 0, sizeof inputs);
    memset(outputs, 0, sizeof outputs);
    if (ob_session_create(model, NULL, &session, &error) != OB_OK) fail_msg("%s", error.message);
    const size_t n_inputs = ob_session_input_count(session);
    out->n = ob_session_output_count(session);
    assert_true(n_inputs <= 8 && out->n <= MOST_VALUES);
    for (size_t i = 0; i < n_inputs; i++) {
        ob_session_value value;
        int64_t dims[OB_MAX_RANK], n = 1;
        assert_true(ob_session_input(session, i, &value));
        for (int32_t axis = 0; axis < value.shape.rank; axis++)
            n *= dims[axis] = size_of(ob_session_dims(session), value.shape.dims[axis], seen);
        assert_true(n <= MANY);
        assert_int_equal(ob_view_init(&inputs[i], memory[i], value.dtype, value.shape.rank, dims), OB_OK);
        fill(&inputs[i], memory[i], value.dtype, (size_t)n);
    }
    const ob_status status = ob_session_run(session, inputs, n_inputs, outputs, out->n, &error);
    for (size_t i = 0; i < out->n && status == OB_OK; i++) {
        ob_session_value value;
        assert_true(ob_session_output(session, i, &value));
        snprintf(out->names[i], sizeof out->names[i], "%s", value.name);
        out->n_elems[i] = 1;
        for (int32_t axis = 0; axis < outputs[i].rank; axis++) out->n_elems[i] *= (size_t)outputs[i].dims[axis];
        assert_true(out->n_elems[i] <= MANY);
        if (outputs[i].dtype == OB_FLOAT) memcpy(out->elems[i], outputs[i].data, out->n_elems[i] * sizeof(float));
        for (size_t k = 0; k < out->n_elems[i] && outputs[i].dtype == OB_BOOL; k++)
            out->elems[i][k] = ((const uint8_t *)outputs[i].data)[k];
        assert_true(outputs[i].dtype == OB_FLOAT || outputs[i].dtype == OB_BOOL);
    }
    ob_session_close(&session);
    return status == OB_OK;
}

static ob_model *open_model(const char *format, const char *name) {
    char path[600];
    ob_model *model = NULL;
    ob_error error;
    snprintf(path, sizeof path, format, name);
    if (ob_model_load(path, NULL, &model, &error) != OB_OK) fail_msg("%s: %s", path, error.message);
    return model;
}

/* The same elements in the same order, whatever axes of size 1 are around them. */
static bool same_results(const results *a, const results *b) {
    bool same = a->n == b->n;
    for (size_t i = 0; i < a->n && same; i++)
        same = a->n_elems[i] == b->n_elems[i] && memcmp(a->elems[i], b->elems[i], a->n_elems[i] * sizeof(float)) == 0;
    return same;
}

/* A fix that can be made makes the model that was meant: the accident is gone, and for inputs whose sizes all differ the results
 * are those of the corrected model. */
static void fixes_make_the_corrected_model(void **state) {
    (void)state;
    enum { LEAST = 38 };
    static results now, meant;
    size_t n_fixed = 0, n_same = 0;
    for (size_t i = 0; i < n_names; i++) {
        ob_model *model = open_model(FOLDER "/%s.onnxtxt", names[i]),
                 *corrected = open_model(FOLDER "/%s.fixed.onnxtxt", names[i]);
        ob_fixes *fixes = NULL;
        ob_report *report = NULL;
        ob_error error;
        const ob_fix_options options = {.all = true};
        if (ob_fix_model(model, &options, &fixes, &error) != OB_OK) fail_msg("%s: %s", names[i], error.message);
        if (ob_fixes_count_of(fixes, OB_FIX_APPLIED) > 0) {
            n_fixed++;
            assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
            for (size_t k = 0; k < ob_report_finding_count(report); k++) {
                ob_finding_info info;
                assert_int_equal(ob_report_finding(report, k, &info), OB_OK);
                if (ob__finding_is_accident(ob__finding_find(info.id))) fail_msg("%s: %s is left", names[i], info.id);
            }
            ob_report_close(&report);
            if (!run(model, &now)) fail_msg("%s: the fixed model does not run", names[i]);
            if (!run(corrected, &meant)) fail_msg("%s: the corrected model does not run", names[i]);
            if (same_results(&now, &meant))
                n_same++;
            else
                print_message("%s: fixed in another way\n", names[i]);
        }
        ob_fixes_close(&fixes);
        ob_model_close(&model);
        ob_model_close(&corrected);
    }
    print_message("%zu of %zu fixed, %zu as they were meant\n", n_fixed, n_names, n_same);
    assert_true(n_fixed >= LEAST && n_same >= LEAST);
}

static void the_page_lists_them(void **state) {
    (void)state;
    ob_text page, now;
    ob__text_init(&page, NULL);
    ob__text_init(&now, NULL);
    ob__text_printf(
        &page,
        "# Accidental broadcasts\n\n"
        "%zu kinds of broadcasts that are legal and wrong. Each is a small model `NAME.onnxtxt`, with the same model as\n"
        "it was meant beside it in `NAME.fixed.onnxtxt`. `onnx-broadcast-check` finds each accident once, and none in\n"
        "the corrected models. Written by `test_accidents --bless` from the comments of the models.\n\n"
        "| Model | Found as | Story |\n|---|---|---|\n",
        n_names);
    for (size_t i = 0; i < n_names; i++) {
        char path[600], id[16];
        ob_text story;
        ob__text_init(&story, NULL);
        snprintf(path, sizeof path, FOLDER "/%s.onnxtxt", names[i]);
        read_story(path, &story, id);
        ob__text_printf(&page, "| [%s](%s.onnxtxt) | %s | %s |\n", names[i], names[i], id, story.n ? story.data : "");
        ob__text_release(&story);
    }
    FILE *file = fopen(FOLDER "/README.md", bless ? "w" : "r");
    if (!file) fail_msg("%s cannot be opened", FOLDER "/README.md");
    if (bless) {
        fwrite(page.data, 1, page.n, file);
    } else {
        char part[4096];
        for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;) ob__text_append(&now, part, n);
        if (now.n != page.n || memcmp(now.data, page.data, page.n) != 0) fail_msg("README.md is stale: test_accidents --bless");
    }
    fclose(file);
    ob__text_release(&page);
    ob__text_release(&now);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool list_names(void) {
    DIR *folder = opendir(FOLDER);
    if (!folder) return false;
    for (const struct dirent *entry; n_names < MAX_KINDS && (entry = readdir(folder));) {
        char *end = strstr(entry->d_name, ".onnxtxt");
        if (!end || strstr(entry->d_name, ".fixed.")) continue;
        names[n_names] = strdup(entry->d_name);
        if (names[n_names]) names[n_names++][end - entry->d_name] = '\0';
    }
    closedir(folder);
    qsort(names, n_names, sizeof *names, by_name);
    return n_names >= REACHED;
}

int main(int argc, char **argv) {
    bless = argc > 1 && strcmp(argv[1], "--bless") == 0;
    if (!list_names()) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_accident_is_found_once),
        cmocka_unit_test(no_corrected_model_has_one),
        cmocka_unit_test(fixes_make_the_corrected_model),
        cmocka_unit_test(the_page_lists_them),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < n_names; i++) free(names[i]);
    return failed;
}
