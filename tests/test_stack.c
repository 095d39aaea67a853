/* How much of a thread's stack the library takes: each model is loaded, checked and run in a thread whose stack is painted
 * before, and what is no longer painted behind it was used. With the models of OB_SHARED/models where they are. */
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/sanitizer.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "shapes.h"

enum { STACK_BYTES = 1 << 20, PAINT = 0xA5, LARGEST_FILE = 64 << 20 };
/* What docs/embedding.md promises. */
enum { CHECK_BYTES = 32 << 10 };

typedef struct job {
    const char *path;
    ob_model *model;
    ob_session *session;
    ob_status status;
} job;

static void *nothing(void *context) {
    return context;
}

static void *load_and_check(void *context) {
    job *j = context;
    ob_report *report = NULL;
    j->status = ob_model_load(j->path, NULL, &j->model, NULL);
    if (j->status == OB_OK) j->status = ob_check(j->model, NULL, &report, NULL);
    for (size_t i = 0; j->status == OB_OK && i < ob_report_finding_count(report); i++) {
        ob_finding_info finding;
        j->status = ob_report_finding(report, i, &finding);
    }
    for (size_t i = 0; j->status == OB_OK && i < ob_report_contract(report).n_clauses; i++) {
        ob_clause_info clause;
        j->status = ob_report_clause(report, i, &clause);
    }
    ob_report_close(&report);
    ob_model_close(&j->model);
    return NULL;
}

/* Bytes of a painted stack that are other than they were. */
static size_t used_by(void *(*work)(void *context), job *j) {
    unsigned char *stack = aligned_alloc(4096, STACK_BYTES);
    pthread_attr_t attributes;
    pthread_t thread;
    size_t n = 0;
    assert_non_null(stack);
    memset(stack, PAINT, STACK_BYTES);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, work, j), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    while (n < STACK_BYTES && stack[n] == PAINT) n++;
    free(stack);
    return STACK_BYTES - n;
}

typedef struct most {
    size_t bytes, own; /* own: of a thread that does nothing */
    uint32_t n_models;
    char path[600];
} most;

static void measure(const char *path, most *out) {
    job j = {.path = path};
    size_t used = used_by(load_and_check, &j);
    used = used > out->own ? used - out->own : 0;
    out->n_models++;
    if (used > out->bytes) {
        out->bytes = used;
        snprintf(out->path, sizeof out->path, "%s", path);
    }
}

static void measure_folder(const char *folder, int depth, most *out) {
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        char path[600];
        struct stat info;
        size_t n = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path) continue;
        if (stat(path, &info) != 0) continue;
        if (S_ISDIR(info.st_mode) && depth > 0) measure_folder(path, depth - 1, out);
        if (S_ISREG(info.st_mode) && info.st_size <= LARGEST_FILE && n > 5 && strcmp(entry->d_name + n - 5, ".onnx") == 0)
            measure(path, out);
    }
    if (dir) closedir(dir);
}

static void checking(void **state) {
    (void)state;
    const char *shared = getenv("OB_SHARED");
    char folder[600];
    job none = {0};
    most top = {.own = used_by(nothing, &none)};
    measure_folder(OB_SOURCE_DIR "/models", 0, &top);
    snprintf(folder, sizeof folder, "%s/models", shared ? shared : OB_SOURCE_DIR "/../shared");
    measure_folder(folder, 2, &top);
    print_message("%u models: at most %zu bytes of stack to load and check (%s); a thread that does nothing takes %zu\n",
                  top.n_models, top.bytes, top.path, top.own);
    assert_true(top.n_models > 10);
#if !defined(OB_ASAN) && !OB_HAS_FEATURE(thread_sanitizer) && !defined(__SANITIZE_THREAD__) && defined(__OPTIMIZE__)
    assert_true(top.bytes <= CHECK_BYTES);
#endif
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(checking)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
