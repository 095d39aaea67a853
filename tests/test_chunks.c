/* Chunks that lanes share: each is done once, by a lane there is, and no more are begun once the run is to end. */
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

static void test_stops(void **state) {
    (void)state;
    int asked = 0;
    ob_stop stop = {.cancelled = stop_after_two, .context = &asked};
    const ob_threads threads = {.run = run_backwards, .n_threads = 2, .stop = &stop};
    record r = {.n = MOST, .n_lanes = 2};
    ob__each_chunk(&threads, r.n, note, &r);
    assert_int_equal(stop.status, OB_E_CANCELLED);
    assert_int_equal(r.n_done, 2 * 8 * 2);
    for (int64_t k = 0; k < r.n; k++) assert_int_equal(r.done[k], k < 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_once), cmocka_unit_test(test_stops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
