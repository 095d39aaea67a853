/* core/base/threads.h for ahead-of-time models: the calling thread does all work, and nothing stops it. */
#include "core/base/threads.h"

bool ob__stop_now(const ob_threads *threads) {
    (void)threads;
    return false;
}

bool ob__stopped(const ob_threads *threads) {
    (void)threads;
    return false;
}

bool ob__stopped_inside(const ob_threads *threads) {
    (void)threads;
    return false;
}

obk_pace ob__pace(const ob_threads *threads) {
    (void)threads;
    return (obk_pace){.stopped = NULL};
}

ob_threads ob__alone(const ob_threads *threads) {
    (void)threads;
    return (ob_threads){.n_threads = 1};
}

void ob__parallel(const ob_threads *threads, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end),
                  void *context) {
    (void)threads;
    (void)grain;
    if (n > 0) task(context, 0, n);
}

void ob__parallel_parts(const ob_threads *threads, int64_t n, int64_t grain, int64_t size,
                        void (*task)(void *context, int64_t begin, int64_t end), void *context) {
    (void)size;
    ob__parallel(threads, n, grain, task, context);
}

void ob__each_chunk(const ob_threads *threads, int64_t n, void (*task)(void *context, int64_t chunk, int lane), void *context) {
    (void)threads;
    for (int64_t chunk = 0; chunk < n; chunk++) task(context, chunk, 0);
}

void ob__parallel_lanes(const ob_threads *threads, int64_t n, int64_t grain,
                        void (*task)(void *context, int64_t begin, int64_t end, int lane), void *context) {
    (void)threads;
    (void)grain;
    if (n > 0) task(context, 0, n, 0);
}
