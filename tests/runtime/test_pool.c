/* The pool of threads: every index is done once, by any thread; waiting, sleeping, forking and ending. */
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/sanitizer.h"
#include "runtime/pool.h"

#ifdef OB_HAVE_THREADS
enum { MOST = 5000 };

typedef struct record {
    int done[MOST]; /* not atomic: two threads at one index are a race, for ThreadSanitizer too */
    int64_t n, grain;
    atomic_int n_short; /* ranges below the grain that are not the last */
    atomic_int n_outside;
    ob_pool *pool;
} record;

static ob_pool *start(int n_threads) {
    size_t n_bytes = (ob__pool_bytes(n_threads) + 63) / 64 * 64;
    ob_pool *pool = aligned_alloc(64, n_bytes);
    assert_non_null(pool);
    memset((void *)pool, 0, n_bytes);
    assert_int_equal(ob__pool_start(pool, n_threads), n_threads);
    return pool;
}

static void stop(ob_pool *pool) {
    ob__pool_stop(pool);
    free(pool);
}

static void nap(long ns) {
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static void note(void *context, int64_t begin, int64_t end) {
    record *r = context;
    if (begin < 0 || begin >= end || end > r->n) {
        atomic_fetch_add(&r->n_outside, 1);
        return;
    }
    if (end - begin < r->grain && end < r->n) atomic_fetch_add(&r->n_short, 1);
    for (int64_t i = begin; i < end; i++) r->done[i]++;
}

static void check(ob_pool *pool, int64_t n, int64_t grain) {
    static record r;
    memset(r.done, 0, sizeof r.done);
    r.n = n;
    r.grain = grain;
    ob__pool_run(pool, n, grain, note, &r);
    for (int64_t i = 0; i < MOST; i++) assert_int_equal(r.done[i], i < n);
    assert_int_equal(atomic_load(&r.n_short), 0);
    assert_int_equal(atomic_load(&r.n_outside), 0);
}

static void test_each_once(void **state) {
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 3, 7, 127, 128, 129, 255, 256, 257, 1000, MOST};
    for (int n_threads = 1; n_threads <= 9; n_threads++) {
        ob_pool *pool = start(n_threads);
        for (int round = 0; round < 20; round++)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                for (int64_t grain = 1; grain <= 1000; grain *= 10) check(pool, sizes[i], grain);
        stop(pool);
    }
}

/* Between jobs the threads poll, sleep, or are about to sleep; a job may start at any time. */
static void test_at_any_time(void **state) {
    (void)state;
    ob_pool *pool = start(4);
    for (int i = 0; i < 400; i++) {
        if (i % 5 < 2)
            ob__pool_wake(pool, i < 200 ? pool : NULL); /* also where no job follows at once, or another one is the first */
        if (i % 7 == 0) nap(i % 4 * 50000);
        if (i % 11 == 0) ob__pool_rest(pool);
        check(pool, 64, 1);
        if (i % 3 == 0) ob__pool_rest(pool);
        if (i % 2 == 0) nap(i % 7 * 30000);
    }
    stop(pool);
    for (int i = 0; i < 200; i++) { /* ended before any job, or directly after one */
        pool = start(1 + i % 4);
        if (i % 2) check(pool, 16, 1);
        if (i % 3 == 0) nap(i % 5 * 30000);
        stop(pool);
    }
}

static void wait_a_little(void *context, int64_t begin, int64_t end) {
    if (begin == *(const int64_t *)context) nap(3000000); /* longer than a thread polls */
    (void)end;
}

/* The caller sleeps until the last helper is done, regardless of which one is late. */
static void test_late(void **state) {
    (void)state;
    ob_pool *pool = start(3);
    for (int64_t late = 0; late < 6; late++) ob__pool_run(pool, 6, 1, wait_a_little, &late);
    check(pool, 100, 1);
    stop(pool);
}

static void who(void *context, int64_t begin, int64_t end) {
    nap(1000000);
    for (int64_t i = begin; i < end; i++) ((pthread_t *)context)[i] = pthread_self();
}

/* The threads take part, both when they poll and when they sleep. */
static void test_help(void **state) {
    (void)state;
    enum { TILES = 100, ROUNDS = 8 };
    pthread_t by[TILES];
    ob_pool *pool = start(3);
    int n_helped = 0;
    for (int round = 0; round < ROUNDS; round++) {
        ob__pool_rest(pool);
        if (round % 2) nap(2000000);
        ob__pool_run(pool, TILES, 1, who, by);
        bool helped = false;
        for (int i = 0; i < TILES; i++) helped = helped || !pthread_equal(by[i], pthread_self());
        n_helped += helped;
    }
    assert_in_range(n_helped, ROUNDS / 2, ROUNDS); /* all but what the system delays */
    stop(pool);
}

static int n_by_others(ob_pool *pool) {
    enum { TILES = 40 };
    pthread_t by[TILES];
    int n = 0;
    nap(2000000); /* all sleep */
    ob__pool_run(pool, TILES, 1, who, by);
    ob__pool_rest(pool);
    for (int i = 0; i < TILES; i++) n += !pthread_equal(by[i], pthread_self());
    return n;
}

/* After a run with little work, the next one wakes no thread; its own amount of work then decides for the following run. */
static void test_small(void **state) {
    (void)state;
    enum { ROUNDS = 6 };
    ob_pool *pool = start(3);
    int n_alone = 0, n_helped = 0;
    for (int round = 0; round < ROUNDS; round++) {
        check(pool, 2, 1);
        ob__pool_rest(pool);
        n_alone += n_by_others(pool) == 0;
        n_helped += n_by_others(pool) != 0;
    }
    assert_in_range(n_alone, ROUNDS / 2, ROUNDS); /* all but what the system delays */
    assert_in_range(n_helped, ROUNDS / 2, ROUNDS);
    stop(pool);
}

static void again(void *context, int64_t begin, int64_t end) {
    record *r = context;
    if (begin == 0) ob__pool_run(r->pool, r->n, r->grain, note, r);
    (void)end;
}

static void test_within_a_task(void **state) {
    (void)state;
    static record r = {.n = 1000, .grain = 1};
    r.pool = start(3);
    ob__pool_run(r.pool, 12, 1, again, &r);
    for (int64_t i = 0; i < MOST; i++) assert_int_equal(r.done[i], i < r.n);
    stop(r.pool);
}

static void rounds_upward(void *context, int64_t begin, int64_t end) {
    nap(100000); /* so that all threads take part */
    volatile double one = 1, little = 1e-20;
    for (int64_t i = begin; i < end; i++) ((bool *)context)[i] = one + little > 1;
}

static void test_rounding(void **state) {
    (void)state;
#ifdef FE_UPWARD
    bool upward[32];
    ob_pool *pool = start(4);
    for (int way = 0; way < 2; way++) {
        if (fesetround(way ? FE_UPWARD : FE_TONEAREST) != 0) break;
        ob__pool_run(pool, 32, 1, rounds_upward, upward);
        fesetround(FE_TONEAREST);
        for (int i = 0; i < 32; i++) assert_int_equal(upward[i], way);
    }
    stop(pool);
#endif
}

/* Only the parent has the threads: the child does all work itself, and ends without waiting for them. */
static void test_fork(void **state) {
    (void)state;
    ob_pool *pool = start(3);
    for (int i = 0; i < 20; i++) {
        check(pool, 100, 1);
        ob__pool_rest(pool);
        pid_t child = fork();
        assert_int_not_equal(child, -1);
        if (child == 0) {
            static record r = {.n = 1000, .grain = 1};
            ob__pool_run(pool, r.n, r.grain, note, &r);
            ob__pool_rest(pool);
            ob__pool_stop(pool);
            for (int64_t k = 0; k < MOST; k++)
                if (r.done[k] != (k < r.n)) _exit(1);
            _exit(0);
        }
        int status = 0;
        check(pool, 100, 1);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    stop(pool);
}

/* If the system gives no more threads, the existing ones do the work. Tested in a child, so that the limits affect only it. */
static void test_few(void **state) {
    (void)state;
#if !defined(OB_ASAN) && !defined(OB_TSAN)
    pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (child == 0) {
        enum { WANTED = 1000 };
        char statm[100] = "";
        FILE *file = fopen("/proc/self/statm", "r");
        if (!file || !fgets(statm, sizeof statm, file)) _exit(0);
        fclose(file);
        rlim_t has = strtoull(statm, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE), room = has + ((rlim_t)24 << 20);
        ob_pool *pool = aligned_alloc(64, (ob__pool_bytes(WANTED) + 63) / 64 * 64);
        if (!pool) _exit(2);
        memset((void *)pool, 0, ob__pool_bytes(WANTED));
        if (setrlimit(RLIMIT_AS, &(struct rlimit){room, room}) != 0) _exit(0);
        int n = ob__pool_start(pool, WANTED);
        static record r = {.n = 1000, .grain = 1};
        ob__pool_run(pool, r.n, r.grain, note, &r);
        ob__pool_stop(pool);
        for (int64_t k = 0; k < MOST; k++)
            if (r.done[k] != (k < r.n)) _exit(3);
        _exit(n < WANTED ? 0 : 4);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
#endif
}

static void busy(void *context, int64_t begin, int64_t end) {
    volatile int64_t sum = 0;
    for (int64_t i = 0; i < 20000; i++) sum = sum + i;
    (void)context, (void)begin, (void)end;
}

/* No thread polls without work: after a run the process uses almost no time; after many runs that follow each other closely the
 * same, and after a run that was announced but had no job. */
static void check_sleep(int n_runs, bool has_jobs) {
    ob_pool *pool = start(4);
    check(pool, 100, 1);
    ob__pool_rest(pool);
    for (int i = 0; i < n_runs; i++) {
        ob__pool_wake(pool, NULL);
        if (has_jobs) ob__pool_run(pool, 8, 1, busy, NULL);
        ob__pool_rest(pool);
    }
    nap(20000000);
    clock_t before = clock();
    nap(200000000);
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 0.02);
    stop(pool);
}

static void test_sleeps(void **state) {
    (void)state;
    check_sleep(0, false);
    check_sleep(200, true);
    check_sleep(1, false);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_once), cmocka_unit_test(test_at_any_time),   cmocka_unit_test(test_late),
        cmocka_unit_test(test_help),      cmocka_unit_test(test_within_a_task), cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_fork),      cmocka_unit_test(test_few),           cmocka_unit_test(test_sleeps),
        cmocka_unit_test(test_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    printf("a build without threads\n");
    return 0;
}
#endif
