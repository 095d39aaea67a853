/* Results of a run: a preview, files, comparison with expected ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compare.h"
#include "run_parts.h"
#include "stop.h"

enum { PREVIEW = 8 };

static const char *output_name(const ob_session *session, size_t i) {
    ob_session_value info = {.name = ""};
    ob_session_output(session, i, &info);
    return info.name;
}

static void print_tensor(const ob_view *view) {
    char text[200];
    int64_t count = ob_view_count(view);
    format_dims(view, text, sizeof text);
    printf("%s%s = [", ob_dtype_name(view->dtype), text);
    for (int64_t k = 0; k < count && k < PREVIEW; k++) {
        format_element(view, k, text, sizeof text);
        printf("%s%s", k ? ", " : "", text);
    }
    printf(count > PREVIEW ? ", ...]\n" : "]\n");
}

/* Items on lines of their own, further in. Recursion ends at OB_CELL_MAX_DEPTH. */
static void print_cell(const ob_cell *cell, int depth) {
    ob_view view;
    char text[200];
    if (ob_cell_view(cell, &view)) {
        print_tensor(&view);
        return;
    }
    format_cell(cell, text, sizeof text);
    printf("%s\n", text);
    for (size_t i = 0; i < ob_cell_count(cell); i++) {
        snprintf(text, sizeof text, "%zu", i);
        if (ob_cell_keys(cell, &view)) format_element(&view, (int64_t)i, text, sizeof text);
        printf("%*s%s: ", 2 * (depth + 1), "", i < PREVIEW ? text : "...");
        if (i < PREVIEW)
            print_cell(ob_cell_at(cell, i), depth + 1);
        else
            putchar('\n');
        if (i == PREVIEW) return;
    }
}

void outputs_print(const ob_session *session, const run_outputs *outputs) {
    for (size_t i = 0; i < outputs->n; i++) {
        printf("%s: ", output_name(session, i));
        if (outputs->cells[i])
            print_cell(outputs->cells[i], 0);
        else
            print_tensor(&outputs->views[i]);
    }
}

static ob_status write_output(const run_options *options, const ob_session *session, const run_outputs *outputs, size_t i,
                              const char *path, ob_error *error) {
    ob_session_value info = {.name = ""};
    ob_session_output(session, i, &info);
    if (outputs->cells[i])
        return ob_cell_file_write(path, info.name, is_cell_type(info.type) ? info.type->kind : OB_TYPE_SEQUENCE,
                                  outputs->cells[i], error);
    return options->npy ? ob_npy_write(path, &outputs->views[i], error)
                        : ob_tensor_file_write(path, info.name, &outputs->views[i], error);
}

exit_code outputs_write(const run_options *options, const ob_session *session, const run_outputs *outputs) {
    if (mkdir(options->output_folder, 0777) != 0 && errno != EEXIST) {
        complain(TOOL, options->output_folder, "cannot create the folder: %s", strerror(errno));
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < outputs->n; i++) {
        char path[4096];
        ob_error error;
        ob_error_clear(&error);
        const char *ending = options->npy && !outputs->cells[i] ? "npy" : "pb"; /* NumPy has tensors only */
        int used = snprintf(path, sizeof path, "%s/output_%zu.%s", options->output_folder, i, ending);
        if (used < 0 || (size_t)used >= sizeof path) {
            complain(TOOL, options->output_folder, "the name is too long");
            return EXIT_MISUSED;
        }
        stop_begin_file(path);
        ob_status status = write_output(options, session, outputs, i, path, &error);
        stop_end_file();
        if (status == OB_OK) continue;
        complain_error(TOOL, path, &error);
        return status == OB_E_UNSUPPORTED ? EXIT_UNSUPPORTED : EXIT_FAILED;
    }
    return EXIT_DONE;
}

/* The number after "key": in a small JSON object; false: not found. */
static bool find_number(const char *json, const char *key, double *out) {
    const char *at = strstr(json, key);
    if (!at) return false;
    at += strlen(key);
    at += strspn(at, " \t\r\n");
    if (*at++ != ':') return false;
    char *end;
    double number = strtod(at, &end);
    if (end == at || !(number >= 0)) return false;
    *out = number;
    return true;
}

/* Relative and absolute. */
static bool read_tolerances(const char *folder, const char *file_name, double tolerances[2]) {
    size_t n = strlen(folder) + strlen(file_name) + 2;
    char *path = malloc(n), text[4096];
    if (!path) return false;
    snprintf(path, n, "%s/%s", folder, file_name);
    FILE *file = fopen(path, "r");
    free(path);
    if (!file) return false;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    bool found = find_number(text, "\"rtol\"", &tolerances[0]);
    return find_number(text, "\"atol\"", &tolerances[1]) || found;
}

/* Output i beside the file. False: the file cannot be read. */
static bool compare_output(const ob_session *session, const run_outputs *outputs, size_t i, const char *path,
                           const double tolerances[2], bool *same, comparison *c) {
    ob_session_value info = {.name = ""};
    ob_file_tensor want = {0};
    ob_cell *cell = NULL;
    ob_error error;
    ob_session_output(session, i, &info);
    ob_type_kind kind = is_cell_type(info.type) ? info.type->kind : OB_TYPE_SEQUENCE;
    ob_status status =
        outputs->cells[i] ? ob_cell_file_read(path, kind, NULL, &cell, &error) : ob_tensor_file_read(path, NULL, &want, &error);
    if (status != OB_OK) {
        complain_error(TOOL, path, &error);
        return false;
    }
    *same = cell ? compare_cells(outputs->cells[i], cell, tolerances[0], tolerances[1], c)
                 : compare_tensors(&outputs->views[i], &want.view, tolerances[0], tolerances[1], c);
    ob_file_tensor_release(&want);
    ob_cell_close(&cell);
    return true;
}

exit_code outputs_compare(const run_options *options, const ob_session *session, const run_outputs *outputs) {
    exit_code code = EXIT_DONE;
    size_t n_compared = 0;
    double tolerances[2] = {1e-3, 1e-7};
    if (!read_tolerances(options->expect_folder, "data.json", tolerances)) /* ONNX's test data have it beside the model */
        read_tolerances(options->expect_folder, "../data.json", tolerances);
    if (options->rtol >= 0) tolerances[0] = options->rtol;
    if (options->atol >= 0) tolerances[1] = options->atol;
    for (size_t i = 0; i < outputs->n; i++) {
        char path[4096];
        struct stat info;
        comparison c;
        bool same;
        snprintf(path, sizeof path, "%s/output_%zu.pb", options->expect_folder, i);
        if (stat(path, &info) != 0) continue;
        if (!compare_output(session, outputs, i, path, tolerances, &same, &c)) return EXIT_MISUSED;
        n_compared++;
        if (same)
            printf("%s: as expected, largest error %.3g\n", output_name(session, i), c.max_error);
        else {
            printf("%s: DIFFERS from %s: %s\n", output_name(session, i), path, c.message);
            code = EXIT_FAILED;
        }
    }
    if (n_compared == 0) {
        complain(TOOL, options->expect_folder, "no output_0.pb here");
        return EXIT_MISUSED;
    }
    return code;
}
