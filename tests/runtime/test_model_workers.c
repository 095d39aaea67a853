/* Every model on the machine, with two threads, and then by two workers at once: for ThreadSanitizer, and with the same bits as
 * the session. Inputs are zeros, open sizes 1; models that refuse these are counted and skipped. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/sanitizer.h"
#include "corpus.h"
#include "onnx_broadcast/onnx_broadcast.h"

enum { MOST = 64, WORKERS = 2 };

static size_t n_run, n_by_workers, n_wrong;

typedef struct job {
    ob_worker *worker;
    const ob_view *inputs;
    size_t n_inputs, n_outputs;
    ob_view outputs[MOST];
    ob_status status;
} job;

static void *do_job(void *context) {
    job *j = context;
    j->status = ob_worker_run(j->worker, j->inputs, j->n_inputs, j->outputs, j->n_outputs, NULL);
    return NULL;
}

static bool same(const ob_view *a, const ob_view *b) {
    if (a->dtype != b->dtype || a->dtype == OB_STRING || ob_view_count(a) != ob_view_count(b)) return a->dtype == b->dtype;
    return memcmp(a->data, b->data, (size_t)ob_view_count(a) * ob_dtype_size(a->dtype)) == 0;
}

/* False: an input is not a tensor of numbers. */
static bool make_inputs(const ob_session *session, ob_view *inputs, size_t n) {
    for (size_t i = 0; i < n; i++) {
        ob_session_value info = {0};
        int64_t dims[OB_MAX_RANK], count = 1;
        if (!ob_session_input(session, i, &info) || info.shape.rank < 0 || info.dtype == OB_NONE || info.dtype == OB_STRING)
            return false;
        for (int32_t k = 0; k < info.shape.rank; k++) {
            dims[k] = ob_dim_is_const(info.shape.dims[k]) ? (int64_t)info.shape.dims[k] : 1;
            if (__builtin_mul_overflow(count, dims[k], &count) || count > 1 << 24) return false;
        }
        void *data = calloc((size_t)count + 1, 16);
        assert_non_null(data);
        if (ob_view_init(&inputs[i], data, info.dtype, info.shape.rank, dims) != OB_OK) {
            free(data);
            return false;
        }
    }
    return true;
}

static void by_workers(ob_session *session, const ob_view *inputs, size_t n, const ob_view *want, size_t n_want,
                       const char *path) {
    job jobs[WORKERS] = {{0}};
    pthread_t threads[WORKERS];
    bool started[WORKERS] = {false}, all = true;
    for (int w = 0; w < WORKERS; w++) {
        jobs[w].inputs = inputs;
        jobs[w].n_inputs = n;
        jobs[w].n_outputs = n_want;
        all = all && ob_worker_create(session, NULL, &jobs[w].worker, NULL) == OB_OK;
    }
    for (int w = 0; w < WORKERS && all; w++) started[w] = pthread_create(&threads[w], NULL, do_job, &jobs[w]) == 0;
    for (int w = 0; w < WORKERS; w++) {
        if (started[w]) pthread_join(threads[w], NULL);
        const bool ended = !started[w] || jobs[w].status == OB_E_LIMIT; /* stopped by the time limit: no results */
        bool right = ended || jobs[w].status == OB_OK;
        for (size_t i = 0; i < n_want && right && !ended; i++) right = same(&jobs[w].outputs[i], &want[i]);
        if (!right) print_error("%s: worker %d has other results\n", path, w), n_wrong++;
    }
    n_by_workers += all;
    for (int w = 0; w < WORKERS; w++) ob_worker_close(&jobs[w].worker);
}

static void run_model(void *count, const char *path) {
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_session_config config;
    ob_view inputs[MOST] = {{0}}, outputs[MOST] = {{0}};
    ++*(size_t *)count;
    ob_session_config_init(&config);
    config.n_threads = 2;
    config.max_memory = UINT64_C(1) << 30;
#ifndef OB_TSAN /* runs take ten times as long or more: a limit would stop only one of two runs */
    config.max_run_ns = UINT64_C(20000000000);
#endif
    if (ob_model_load(path, NULL, &model, NULL) == OB_OK && ob_session_create(model, &config, &session, NULL) == OB_OK) {
        size_t n = ob_session_input_count(session), n_out = ob_session_output_count(session);
        if (n <= MOST && n_out <= MOST && make_inputs(session, inputs, n) &&
            ob_session_run(session, inputs, n, outputs, n_out, NULL) == OB_OK) {
            n_run++;
            by_workers(session, inputs, n, outputs, n_out, path);
        }
    }
    ob_session_close(&session);
    ob_model_close(&model);
    for (size_t i = 0; i < MOST; i++) free(inputs[i].data);
}

static void every_model(void **state) {
    (void)state;
    size_t n = corpus_each_model(run_model);
    print_message("%zu models, %zu run, %zu by workers too\n", n, n_run, n_by_workers);
    assert_int_equal(n_wrong, 0);
    assert_true(n_run > 0 && n_by_workers > 0);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(every_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
