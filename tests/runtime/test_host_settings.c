/* Settings of the host program do not change: the number of threads of an OpenBLAS that it uses, while exact and relaxed
 * sessions are made and run, from this thread and from another. (test_relaxed: a program without OpenBLAS stays without it.) */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "onnx_broadcast/onnx_broadcast.h"

static int (*get_threads)(void);
static void (*set_threads)(int);

static const char *const graphs[] = {
    "(float[64,300] x, float[300,80] w) => (float[64,80] y) { y = MatMul(x, w) }",
    "(float[64,300] x, float[300,80] w) => (float[64,80] y) { y = Gemm(x, w) }",
    "(float[1700,1640] x, float[1640,1700] w) => (float[1700,1700] y) { y = MatMul(x, w) }",
    "(float[1,8,20,20] x, float[8,8,3,3] w) => (float[1,8,18,18] y) { y = Conv(x, w) }",
};

static int failures_of_runs(void) {
    int failures = 0;
    for (size_t g = 0; g < 2 * sizeof graphs / sizeof graphs[0]; g++) {
        char text[400];
        ob_session_config config;
        ob_session_config_init(&config);
        config.numerics = g % 2 ? OB_NUMERICS_RELAXED : OB_NUMERICS_EXACT;
        ob_model *model = NULL;
        ob_session *session = NULL;
        int n = snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 13]>\ng %s\n", graphs[g / 2]);
        ob_status status = ob_model_load_memory(text, (size_t)n, "host", NULL, &model, NULL);
        if (status == OB_OK) status = ob_session_create(model, &config, &session, NULL);
        ob_view in[2] = {{0}};
        for (size_t i = 0; i < 2 && status == OB_OK; i++) {
            ob_session_value info = {0};
            int64_t count = 1;
            ob_session_input(session, i, &info);
            for (int32_t a = 0; a < info.shape.rank; a++) count *= info.shape.dims[a];
            status = ob_view_init(&in[i], calloc((size_t)count, sizeof(float)), OB_FLOAT, info.shape.rank, info.shape.dims);
        }
        for (int round = 0; round < 3 && status == OB_OK; round++) {
            ob_view out = {0};
            status = ob_session_run(session, in, 2, &out, 1, NULL);
            failures += get_threads() != 3;
        }
        failures += status != OB_OK;
        for (size_t i = 0; i < 2; i++) free(in[i].data);
        ob_session_close(&session);
        ob_model_close(&model);
    }
    return failures;
}

static void *run_elsewhere(void *done) {
    static int failures;
    failures = failures_of_runs();
    atomic_store((atomic_bool *)done, true);
    return &failures;
}

static void test_openblas(void **state) {
    (void)state;
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_GLOBAL);
    if (!library) skip();
    *(void **)&get_threads = dlsym(library, "openblas_get_num_threads");
    *(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
    assert_true(get_threads && set_threads);
    set_threads(3);
    if (get_threads() == 1) skip(); /* the build without threads has no setting that could change */
    assert_int_equal(get_threads(), 3);
    assert_int_equal(failures_of_runs(), 0);
    atomic_bool done = false;
    pthread_t thread;
    void *failures = NULL;
    assert_int_equal(pthread_create(&thread, NULL, run_elsewhere, &done), 0);
    bool stayed = true;
    while (!atomic_load(&done)) stayed = stayed && get_threads() == 3;
    pthread_join(thread, &failures);
    assert_true(stayed);
    assert_int_equal(*(int *)failures, 0);
    dlclose(library);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_openblas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
