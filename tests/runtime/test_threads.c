/* Sessions whose threads the system refuses, and sessions in processes other than the one that made them. */
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

enum { ROWS = 300, COLUMNS = 200 };

static float in_memory[ROWS * COLUMNS], want[ROWS * COLUMNS];
static int n_warnings;

static void hear(void *context, ob_log_level level, const char *message) {
    (void)context;
    if (level == OB_LOG_WARNING && strstr(message, "of 1000 threads")) n_warnings++;
}

static ob_model *make_model(void) {
    static const char text[] =
        "<ir_version: 8, opset_import: [\"\" : 13]>\n"
        "g (float[300,200] x) => (float[300,200] y) { e = Exp(x) s = Softmax<axis = -1>(e) y = Mul(s, e) }\n";
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

int main(void) {
    static const struct CMUnitTest tests[] = {
#if !defined(OB_ASAN) && !defined(OB_TSAN)
        cmocka_unit_test(test_little_room),
#endif
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
