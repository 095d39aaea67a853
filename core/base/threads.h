/* Work that threads share, and when to stop it. Nothing here knows of the pool or of the clock's owner: the runtime fills in
 * both. */
#ifndef OB_CORE_BASE_THREADS_H
#define OB_CORE_BASE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/pace.h"
#include "onnx_broadcast/status.h"

/* Decides whether a run ends early: the caller can cancel it, and it can have a deadline. Only the thread that runs the steps
 * calls `cancelled`. Other threads read its answer and look at the clock. */
typedef struct ob_stop {
    bool (*cancelled)(void *context); /* NULL: the caller never cancels */
    void *context;
    uint64_t deadline_ns;     /* on the clock of ob__now_ns; 0: none */
    uint64_t next_ns;         /* ob__stopped does not check before this time */
    _Atomic ob_status status; /* OB_OK, then for good E_CANCELLED or E_LIMIT */
    const void *asker;        /* of the thread that checks; only that thread writes it */
} ob_stop;

/* `run` calls task(context, begin, end) on disjoint ranges that cover 0 .. n. NULL: there is one thread. */
typedef struct ob_threads {
    void (*run)(void *pool, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end), void *context);
    void *pool;
    int n_threads;
    ob_stop *stop; /* NULL: nothing stops it */
} ob_threads;

/* ---- Stopping ---- */

/* True: the run ends. A kernel then returns OB_OK and leaves its results unfinished; its caller reads the status of `stop`.
 * ob__stop_now checks at each call, ob__stopped every few milliseconds. Both are for the thread that runs the steps. */
bool ob__stop_now(const ob_threads *threads);
bool ob__stopped(const ob_threads *threads);
/* The same for any thread, inside a task of shared work. */
bool ob__stopped_inside(const ob_threads *threads);
/* For loops that count their work and check from time to time (core/base/pace.h). */
obk_pace ob__pace(const ob_threads *threads);

/* ---- Sharing ---- */

/* Calls task on ranges that cover 0 .. n; by several threads when n is at least two grains. A run that can be stopped checks
 * between ranges. After it was stopped the remaining ranges are skipped: code after the call must not use their results, for
 * instance as indices. `threads` may be NULL. */
void ob__parallel(const ob_threads *threads, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end),
                  void *context);
/* The same, but ranges begin at multiples of `size`, and the last range has at least `size`: for tasks whose bits could depend
 * on the cut, and for grains of much work. */
void ob__parallel_parts(const ob_threads *threads, int64_t n, int64_t grain, int64_t size,
                        void (*task)(void *context, int64_t begin, int64_t end), void *context);
/* The calling thread alone, with the same `stop`. */
ob_threads ob__alone(const ob_threads *threads);

/* A lane is one of the workers of a call, 0 .. ob__lanes() - 1, with separate scratch memory. */
static inline int ob__lanes(const ob_threads *threads) {
    return threads && threads->run && threads->n_threads > 1 ? threads->n_threads : 1;
}
/* The memory of a lane; the blocks are lane_stride bytes apart. NULL: none. */
static inline char *ob__lane(char *lanes, size_t lane_stride, int lane) {
    return lanes ? lanes + (size_t)lane * lane_stride : NULL;
}
/* Calls task(context, chunk, lane) once for each chunk below n. A lane does one chunk at a time. Which lane gets a chunk varies
 * from run to run, so results must not depend on it. Each lane checks before a chunk whether to stop; a chunk that takes more
 * than a few milliseconds checks inside, with ob__pace. */
void ob__each_chunk(const ob_threads *threads, int64_t n, void (*task)(void *context, int64_t chunk, int lane), void *context);
/* As ob__parallel, for tasks that use the memory of a lane. Results may not depend on the cut. */
void ob__parallel_lanes(const ob_threads *threads, int64_t n, int64_t grain,
                        void (*task)(void *context, int64_t begin, int64_t end, int lane), void *context);

#endif
