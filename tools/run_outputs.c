/* Results of a run: a preview, files, comparison with expected ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compare.h"
#include "run.h"
#include "stop.h"

enum { PREVIEW = 8 };

static const char *output_name(const ob_session *session, size_t i) {
    ob_session_value info = {.name = ""};
    ob_session_output(session, i, &info);
    return info.name;
}

void outputs_print(const ob_session *session, const ob_view *outputs, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const ob_view *view = &outputs[i];
        char text[200];
        int64_t count = ob_view_count(view);
        format_dims(view, text, sizeof text);
        printf("%s: %s%s = [", output_name(session, i), ob_dtype_name(view->dtype), text);
        for (int64_t k = 0; k < count && k < PREVIEW; k++) {
            format_element(view, k, text, sizeof text);
            printf("%s%s", k ? ", " : "", text);
        }
        printf(count > PREVIEW ? ", ...]\n" : "]\n");
    }
}

exit_code outputs_write(const run_options *options, const ob_session *session, const ob_view *outputs, size_t n) {
    if (mkdir(options->output_folder, 0777) != 0 && errno != EEXIST) {
        complain(TOOL, options->output_folder, "cannot make the folder: %s", strerror(errno));
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < n; i++) {
        char path[4096];
        ob_error error;
        ob_error_clear(&error);
        int used = snprintf(path, sizeof path, "%s/output_%zu.%s", options->output_folder, i, options->npy ? "npy" : "pb");
        if (used < 0 || (size_t)used >= sizeof path) {
            complain(TOOL, options->output_folder, "the name is too long");
            return EXIT_MISUSED;
        }
        bool held = stop_hold_for(path);
        ob_status status = options->npy ? ob_npy_write(path, &outputs[i], &error)
                                        : ob_tensor_file_write(path, output_name(session, i), &outputs[i], &error);
        if (held) stop_release();
        if (status == OB_OK) continue;
        complain_error(TOOL, path, &error);
        return status == OB_E_UNSUPPORTED ? EXIT_UNSUPPORTED : EXIT_FAILED;
    }
    return EXIT_DONE;
}

/* The number behind "key": in a small JSON object; false when it is not there. */
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

static bool read_tolerances(const char *folder, const char *file_name, double *rtol, double *atol) {
    size_t n = strlen(folder) + strlen(file_name) + 2;
    char *path = malloc(n), text[4096];
    if (!path) return false;
    snprintf(path, n, "%s/%s", folder, file_name);
    FILE *file = fopen(path, "r");
    free(path);
    if (!file) return false;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    bool found = find_number(text, "\"rtol\"", rtol);
    return find_number(text, "\"atol\"", atol) || found;
}

exit_code outputs_compare(const run_options *options, const ob_session *session, const ob_view *outputs, size_t n) {
    exit_code code = EXIT_DONE;
    size_t n_compared = 0;
    double rtol = 1e-3, atol = 1e-7;
    if (!read_tolerances(options->expect_folder, "data.json", &rtol, &atol)) /* ONNX's test data have it beside the model */
        read_tolerances(options->expect_folder, "../data.json", &rtol, &atol);
    if (options->rtol >= 0) rtol = options->rtol;
    if (options->atol >= 0) atol = options->atol;
    for (size_t i = 0; i < n; i++) {
        char path[4096];
        struct stat info;
        ob_error error;
        ob_file_tensor want = {0};
        comparison c;
        snprintf(path, sizeof path, "%s/output_%zu.pb", options->expect_folder, i);
        if (stat(path, &info) != 0) continue;
        if (ob_tensor_file_read(path, NULL, &want, &error) != OB_OK) {
            complain_error(TOOL, path, &error);
            return EXIT_MISUSED;
        }
        n_compared++;
        bool same = compare_tensors(&outputs[i], &want.view, rtol, atol, &c);
        if (same)
            printf("%s: as expected, largest error %.3g\n", output_name(session, i), c.max_error);
        else {
            printf("%s: DIFFERS from %s: %s\n", output_name(session, i), path, c.message);
            code = EXIT_FAILED;
        }
        ob_file_tensor_release(&want);
    }
    if (n_compared == 0) {
        complain(TOOL, options->expect_folder, "no output_0.pb here");
        return EXIT_MISUSED;
    }
    return code;
}
