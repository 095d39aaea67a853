/* Chunks shared by lanes: each is done once, by an existing lane, and none is started after the run was stopped. */
#include <pthread.h>
#include <time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/kernel/kernel.h"

enum { MOST = 1000 };

typedef struct record {
    int done[MOST], lanes_used, n_done;
    int64_t n;
    int n_lanes;
} record;

static void note(void *context, int64_t chunk, int lane) {
    record *r = context;
    assert_in_range(chunk, 0, r->n - 1);
    assert_in_range(lane, 0, r->n_lanes - 1);
    r->done[chunk]++;
    r->lanes_used |= 1 << lane;
    r->n_done++;
}

/* A pool whose lanes run one after the other, the last first. */
static void run_backwards(void *pool, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end),
                          void *context) {
    (void)pool;
    for (int64_t end = n; end > 0; end -= grain) task(context, end < grain ? 0 : end - grain, end);
}

static void test_each_once(void **state) {
    (void)state;
    static const int64_t counts[] = {0, 1, 2, 7, 8, 9, 64, 257, MOST};
    for (int lanes = 1; lanes <= 4; lanes++)
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            const ob_threads threads = {.run = run_backwards, .n_threads = lanes};
            record r = {.n = counts[i], .n_lanes = lanes};
            ob__each_chunk(&threads, r.n, note, &r);
            for (int64_t k = 0; k < r.n; k++) assert_int_equal(r.done[k], 1);
        }
    record r = {.n = 5, .n_lanes = 1};
    ob__each_chunk(NULL, r.n, note, &r);
    assert_int_equal(r.n_done, 5);
}

static bool stop_after_two(void *context) {
    return ++*(int *)context > 2;
}

/* Longer than the time between two checks. */
static void note_slowly(void *context, int64_t chunk, int lane) {
    note(context, chunk, lane);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

/* The hook is called before any work, before the first chunk, and before the second. Of two lanes the second begins, and takes
 * the last chunk. */
static void test_stops(void **state) {
    (void)state;
    for (int lanes = 1; lanes <= 2; lanes++) {
        int asked = 0;
        ob_stop stop = {.cancelled = stop_after_two, .context = &asked};
        const ob_threads threads = {.run = run_backwards, .n_threads = lanes, .stop = &stop};
        record r = {.n = MOST, .n_lanes = lanes};
        ob__each_chunk(&threads, r.n, note_slowly, &r);
        assert_int_equal(stop.status, OB_E_CANCELLED);
        for (int64_t k = 0; k < r.n; k++) assert_int_equal(r.done[k], k == (lanes == 1 ? 0 : r.n - 1));
    }
}

static void *ask_elsewhere(void *threads) {
    return ob__stopped_inside(threads) ? threads : NULL;
}

/* Another thread never calls the hook; it reads the clock and the stored answer. */
static void test_other_threads(void **state) {
    (void)state;
    for (int late = 0; late < 2; late++) {
        int asked = 0;
        void *stopped = NULL;
        ob_stop stop = {.cancelled = stop_after_two, .context = &asked, .deadline_ns = late ? 1 : UINT64_MAX};
        ob_threads threads = {.n_threads = 2, .stop = &stop};
        pthread_t other;
        if (!late) assert_false(ob__stop_now(&threads));
        assert_int_equal(pthread_create(&other, NULL, ask_elsewhere, &threads), 0);
        assert_int_equal(pthread_join(other, &stopped), 0);
        assert_ptr_equal(stopped, late ? &threads : NULL);
        assert_int_equal(stop.status, late ? OB_E_LIMIT : OB_OK);
        assert_int_equal(asked, late ? 0 : 1);
        assert_int_equal(ob__stopped_inside(&threads), late);
    }
}

static void test_pace(void **state) {
    (void)state;
    int asked = 2; /* the next answer is to stop */
    ob_stop stop = {.cancelled = stop_after_two, .context = &asked};
    const ob_threads threads = {.n_threads = 1, .stop = &stop};
    obk_pace pace = ob__pace(&threads), never = ob__pace(NULL);
    assert_false(ob__stop_now(NULL));
    stop.asker = NULL;
    stop.deadline_ns = 1;
    for (int64_t k = 0; k + 1 < OBK_PACE_WORK; k++) assert_false(obk_stops(&pace, 1));
    assert_true(obk_stops(&pace, 1));
    assert_true(obk_stops(&pace, 0)); /* the answer stays */
    for (int k = 0; k < 3; k++) assert_false(obk_stops(&never, INT64_MAX));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_once), cmocka_unit_test(test_stops),
                                       cmocka_unit_test(test_other_threads), cmocka_unit_test(test_pace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
