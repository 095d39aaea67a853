/* Sessions whose threads the system refuses, and sessions in processes other than the one that made them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/sanitizer.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "runtime/session.h"

enum { ROWS = 600, COLUMNS = 200 };

static float in_memory[ROWS * COLUMNS], want[ROWS * COLUMNS];
static int n_warnings;

static void hear(void *context, ob_log_level level, const char *message) {
    (void)context;
    if (level == OB_LOG_WARNING && strstr(message, "of 1000 threads")) n_warnings++;
}

static ob_model *make_model(void) {
    static const char text[] =
        "<ir_version: 8, opset_import: [\"\" : 13]>\n"
        "g (float[600,200] x) => (float[600,200] y) { e = Exp(x) s = Softmax<axis = -1>(e) y = Mul(s, e) }\n";
    ob_model *model = NULL;
    ob_error error;
    if (ob_model_load_memory(text, sizeof text - 1, "threads", NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    for (int i = 0; i < ROWS * COLUMNS; i++) in_memory[i] = (float)(i % 97) / 50 - 1;
    return model;
}

/* NULL: a build without threads. */
static ob_session *make_session(const ob_model *model, int n_threads) {
    static const ob_logger logger = {OB_LOG_WARNING, hear, NULL};
    ob_session *session = NULL;
    ob_session_config config;
    ob_session_config_init(&config);
    config.n_threads = n_threads;
    config.logger = &logger;
    ob_status status = ob_session_create(model, &config, &session, NULL);
    if (status != OB_E_UNSUPPORTED || n_threads == 1) assert_int_equal(status, OB_OK);
    return session;
}

static bool run(ob_session *session, float *result) {
    const int64_t dims[] = {ROWS, COLUMNS};
    ob_view x, y = {0};
    if (ob_view_init(&x, in_memory, OB_FLOAT, 2, dims) != OB_OK) return false;
    if (ob_session_run(session, &x, 1, &y, 1, NULL) != OB_OK) return false;
    memcpy(result, y.data, sizeof want);
    return true;
}

static ob_model *prepare(void) {
    ob_model *model = make_model();
    ob_session *one = make_session(model, 1);
    assert_true(run(one, want));
    ob_session_close(&one);
    return model;
}

static bool runs_right(ob_session *session) {
    static float is[ROWS * COLUMNS];
    memset(is, 0, sizeof is);
    return run(session, is) && memcmp(is, want, sizeof want) == 0;
}

static void expect_child(pid_t child) {
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#if !defined(OB_ASAN) && !defined(OB_TSAN) /* sanitizers reserve address space, so it cannot be limited */
/* The limit applies to the child only. */
static int run_with_little_room(const ob_model *model) {
    char statm[100] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || !fgets(statm, sizeof statm, file)) return 0; /* cannot be tested here */
    fclose(file);
    rlim_t room = strtoull(statm, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)40 << 20);
    if (setrlimit(RLIMIT_AS, &(struct rlimit){room, room}) != 0) return 0;
    ob_session *session = make_session(model, 1000);
    if (!session) return 0;
    int n = session->threads.n_threads;
    if (n < 1 || n > 100 || n_warnings != 1) return 2;
    if (!runs_right(session)) return 3;
    ob_session_close(&session);
    return 0;
}

static void test_little_room(void **state) {
    (void)state;
    ob_model *model = prepare();
    pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (child == 0) _exit(run_with_little_room(model));
    expect_child(child);
    ob_model_close(&model);
}
#endif

static void test_fork(void **state) {
    (void)state;
    ob_model *model = prepare();
    ob_session *session = make_session(model, 3);
    if (session) {
        assert_int_equal(session->threads.n_threads, 3);
        assert_true(runs_right(session));
        for (int i = 0; i < 10; i++) {
            pid_t child = fork();
            assert_int_not_equal(child, -1);
            if (child == 0) {
                bool right = runs_right(session) && runs_right(session);
                ob_session_close(&session);
                _exit(right ? 0 : 1);
            }
            assert_true(runs_right(session));
            expect_child(child);
        }
    }
    ob_session_close(&session);
    ob_model_close(&model);
}

/* Several sessions with threads at once, more than any machine has processors; all made before any runs. */
static void test_many(void **state) {
    (void)state;
    enum { SESSIONS = 8, THREADS = 9 };
    ob_model *model = prepare();
    ob_session *sessions[SESSIONS];
    for (int i = 0; i < SESSIONS; i++) sessions[i] = make_session(model, THREADS);
    for (int round = 0; round < 5; round++)
        for (int i = 0; i < SESSIONS; i++)
            if (sessions[i]) assert_true(runs_right(sessions[i]));
    for (int i = 0; i < SESSIONS; i++) ob_session_close(&sessions[i]);
    ob_model_close(&model);
}

/* ---- Threads of the host ---- */

typedef struct host_pool {
    int n_calls;
    size_t most_parts;
} host_pool;

typedef struct host_job {
    void (*part)(void *work, size_t index);
    void *work;
    size_t begin, end;
} host_job;

/* Backwards: the order must not matter. */
static void *do_job(void *context) {
    const host_job *job = context;
    for (size_t i = job->end; i-- > job->begin;) job->part(job->work, i);
    return NULL;
}

static void share(void *context, void (*part)(void *work, size_t index), size_t n_parts, void *work) {
    host_pool *pool = context;
    host_job other = {part, work, 0, n_parts / 2}, own = {part, work, n_parts / 2, n_parts};
    pthread_t thread;
    pool->n_calls++;
    if (n_parts > pool->most_parts) pool->most_parts = n_parts;
    const bool started = pthread_create(&thread, NULL, do_job, &other) == 0;
    do_job(&own);
    if (started)
        pthread_join(thread, NULL);
    else
        do_job(&other);
}

static bool worker_runs_right(ob_worker *worker) {
    static float is[ROWS * COLUMNS];
    ob_view x, y;
    memset(is, 0, sizeof is);
    assert_int_equal(ob_worker_output(worker, 0, &y), OB_OK);
    assert_int_equal(y.dtype, OB_FLOAT);
    assert_int_equal(y.rank, 2);
    assert_int_equal(y.dims[0] * 1000 + y.dims[1], ROWS * 1000 + COLUMNS);
    assert_null(y.data);
    y.data = is;
    assert_int_equal(ob_view_init(&x, in_memory, OB_FLOAT, 2, y.dims), OB_OK);
    return ob_worker_run(worker, &x, 1, &y, 1, NULL) == OB_OK && memcmp(is, want, sizeof want) == 0;
}

/* A session and workers share work among the threads of the host, each with the pool that it was given, with the same bits. */
static void test_host(void **state) {
    (void)state;
    host_pool pool = {0}, of_worker = {0};
    ob_model *model = prepare();
    ob_session *session = NULL;
    ob_session_config config;
    ob_session_config_init(&config);
    config.n_threads = 5;
    config.share = share;
    config.share_pool = &pool;
    const ob_status status = ob_session_create(model, &config, &session, NULL);
    if (status != OB_E_UNSUPPORTED) { /* a build without threads */
        ob_worker_config alone, shared;
        ob_worker *one = NULL, *more = NULL;
        ob_view none;
        ob_worker_config_init(&alone);
        ob_worker_config_init(&shared);
        shared.share_pool = &of_worker;
        assert_int_equal(status, OB_OK);
        assert_true(runs_right(session));
        if (pool.n_calls == 0 || pool.most_parts < 2 || pool.most_parts > 5)
            fail_msg("%d calls, %zu parts", pool.n_calls, pool.most_parts);
        assert_int_equal(ob_worker_create(session, &alone, &one, NULL), OB_OK);
        assert_int_equal(ob_worker_create(session, &shared, &more, NULL), OB_OK);
        const int n_calls = pool.n_calls;
        assert_true(worker_runs_right(one));
        assert_int_equal(of_worker.n_calls, 0);
        assert_true(worker_runs_right(more));
        assert_int_equal(pool.n_calls, n_calls);
        assert_true(of_worker.n_calls > 0 && of_worker.most_parts > 1);
        assert_int_equal(ob_worker_output(more, 1, &none), OB_E_NOT_FOUND);
        assert_int_equal(ob_worker_output(NULL, 0, &none), OB_E_ARGUMENT);
        assert_int_equal(ob_worker_output(more, 0, NULL), OB_E_ARGUMENT);
        ob_worker_close(&one);
        ob_worker_close(&more);
    }
    ob_session_close(&session);
    ob_model_close(&model);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
#if !defined(OB_ASAN) && !defined(OB_TSAN)
        cmocka_unit_test(test_little_room),
#endif
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
