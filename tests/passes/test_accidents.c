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

/* The ids of the accidents in a model, "OB0401 OB0403". */
static void ids_of(const char *path, ob_text *ids) {
    ob_model *model = NULL;
    ob_report *report = NULL;
    ob_error error;
    if (ob_model_load(path, NULL, &model, &error) != OB_OK) fail_msg("%s: %s", path, error.message);
    if (ob_check(model, NULL, &report, &error) != OB_OK) fail_msg("%s: %s", path, error.message);
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info info;
        assert_int_equal(ob_report_finding(report, i, &info), OB_OK);
        if (info.severity == OB_SEVERITY_ERROR) fail_msg("%s: %s: %s", path, info.id, info.message);
        if (!ob__finding_is_accident(ob__finding_find(info.id))) continue;
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

static void every_accident_is_found_once(void **state) {
    (void)state;
    for (size_t i = 0; i < n_names; i++) {
        char path[600], id[16];
        ob_text ids, story;
        ob__text_init(&ids, NULL);
        ob__text_init(&story, NULL);
        snprintf(path, sizeof path, FOLDER "/%s.onnxtxt", names[i]);
        read_story(path, &story, id);
        ids_of(path, &ids);
        if (!ids.n || strcmp(ids.data, id) != 0) fail_msg("%s: \"%s\" instead of \"%s\"", names[i], ids.n ? ids.data : "", id);
        ob__text_release(&ids);
        ob__text_release(&story);
    }
}

static void no_corrected_model_has_one(void **state) {
    (void)state;
    for (size_t i = 0; i < n_names; i++) {
        char path[600];
        ob_text ids;
        ob__text_init(&ids, NULL);
        snprintf(path, sizeof path, FOLDER "/%s.fixed.onnxtxt", names[i]);
        ids_of(path, &ids);
        if (ids.n) fail_msg("%s.fixed: %s", names[i], ids.data);
        ob__text_release(&ids);
    }
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
        cmocka_unit_test(the_page_lists_them),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < n_names; i++) free(names[i]);
    return failed;
}
