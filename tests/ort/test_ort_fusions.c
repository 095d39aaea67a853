/* What ONNX Runtime joins by itself is left alone by the form `fused`, and nothing else of fusions.txt is: the library is asked,
 * by the model that its optimisations leave. With OB_ORT_TABLE the operators that it made are printed. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "plugin_case.h"

enum { LINE_BYTES = 1 << 16, WIDE = 640 };

typedef struct fusion {
    char name[128], wanted[64], text[LINE_BYTES + 128]; /* wanted "": none */
} fusion;

/* "{WIDE}" as so many numbers: the table would be hard to read with them. The number stands before it, as "float[32,1] w = ". */
static void write_wide(char *to, const char *from) {
    for (const char *at; (at = strstr(from, "{WIDE}")) != NULL; from = at + 6) {
        memcpy(to, from, (size_t)(at - from));
        to += at - from;
        const char *type = at;
        while (*type != '[') type--;
        int rows = 0, columns = 1;
        assert_true(sscanf(type, "[%d,%d]", &rows, &columns) >= 1);
        *to++ = '{';
        for (int i = 0; i < rows * columns; i++) to += sprintf(to, "%s1.%d", i ? ", " : "", i % 10);
        *to++ = '}';
    }
    strcpy(to, from);
}

static bool read_fusion(FILE *file, fusion *f) {
    static char line[LINE_BYTES], wide[LINE_BYTES];
    char opset[16];
    do
        if (!fgets(line, sizeof line, file)) return false;
    while (line[0] == '#');
    int at = 0;
    assert_int_equal(sscanf(line, " %127[^|]| %63[^| ] | %15[^| ] | %n", f->name, f->wanted, opset, &at), 3);
    assert_true(at > 0);
    write_wide(wide, line + at);
    snprintf(f->text, sizeof f->text, "<ir_version: 8, opset_import: [\"\" : %s]>\n%s", opset, wide);
    if (strcmp(f->wanted, "-") == 0) f->wanted[0] = '\0';
    return true;
}

static ob_status append(void *context, const void *bytes, size_t n) {
    return append_bytes(context, bytes, n);
}

/* The model that ONNX Runtime runs, as text. */
static byte_buffer optimised(const fusion *f) {
    char path[] = "/tmp/ob_fusions_XXXXXX";
    const int file = mkstemp(path);
    ort_session s;
    ob_model *model = NULL;
    ob_error error;
    byte_buffer text = {0};
    assert_true(file >= 0);
    close(file);
    if (!ort_session_open_text(&host, f->text, &(ort_options){.optimize = true, .saved = path}, &s))
        fail_msg("%s: %s", f->name, host.error);
    ort_session_close(&s);
    if (ob_model_load(path, NULL, &model, &error) != OB_OK) fail_msg("%s: %s", f->name, error.message);
    assert_int_equal(ob_model_write_text(model, 4, append, &text, &error), OB_OK);
    assert_int_equal(append(&text, "", 1), OB_OK);
    ob_model_close(&model);
    unlink(path);
    return text;
}

static size_t calls_of(const fusion *f) {
    ob_model *model = NULL;
    ob_error error;
    ob_rewrite_stats stats;
    if (ob_model_load_memory(f->text, strlen(f->text), f->name, NULL, &model, &error) != OB_OK ||
        ob_rewrite(model, OB_FORM_FUSED, NULL, &stats, &error) != OB_OK)
        fail_msg("%s: %s", f->name, error.message);
    ob_model_close(&model);
    return stats.n_inserted;
}

/* Operators of ONNX Runtime's own that replace several nodes, and LayerNormalization, which the models do not have. */
static const char *const made[] = {"SkipLayerNormalization",
                                   "SimplifiedLayerNormalization",
                                   "LayerNormalization",
                                   "BiasGelu",
                                   "FastGelu",
                                   "QuickGelu",
                                   "Gelu",
                                   "BiasSoftmax"};
enum { N_MADE = sizeof made / sizeof made[0] };

static const char *made_of(const char *text) {
    char call[64];
    for (int i = 0; i < N_MADE; i++)
        for (int domain = 0; domain < 2; domain++) {
            snprintf(call, sizeof call, "%s%s ", domain ? "com.microsoft." : "= ", made[i]);
            if (strstr(text, call)) return made[i];
        }
    return "";
}

static void as_the_library_says(void **state) {
    (void)state;
    static fusion f;
    int n = 0, n_left = 0;
    FILE *file = fopen(OB_SOURCE_DIR "/tests/ort/fusions.txt", "r");
    assert_non_null(file);
    while (read_fusion(file, &f)) {
        byte_buffer text = optimised(&f);
        const char *is = made_of((const char *)text.data);
        const size_t calls = calls_of(&f);
        if (getenv("OB_ORT_TABLE")) printf("%s| %s | %zu\n", f.name, is, calls);
        /* A part of it may be an operator of a longer name in some version. */
        else if ((f.wanted[0] != '\0') != (is[0] != '\0') || !strstr(is, f.wanted))
            fail_msg("%s: ONNX Runtime %s makes '%s', not '%s'\n%s", f.name, host.version, is, f.wanted, (char *)text.data);
        if (!getenv("OB_ORT_TABLE") && calls != (f.wanted[0] == '\0')) fail_msg("%s: %zu calls", f.name, calls);
        free(text.data);
        n++;
        n_left += f.wanted[0] != '\0';
    }
    fclose(file);
    assert_true(n > 20 && n_left > 8);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_library_says)};
    return cmocka_run_group_tests(tests, open_host, close_host);
}
