/* Threads that share one job at a time with their caller. It knows nothing of sessions.
 *
 * A job is cut into tiles by its size alone. Every thread has a range of them, which it does from the front; one that is done
 * takes tiles from the end of others' ranges. The caller never waits for a thread that has not come: what nobody has begun it
 * does itself, so a thread that gets no processor holds nothing up. A thread without work polls for 0.1 ms, then sleeps;
 * ob__pool_rest sends all to sleep at once. */
#ifndef OB_RUNTIME_POOL_H
#define OB_RUNTIME_POOL_H

#include <stddef.h>
#include <stdint.h>

typedef struct ob_pool ob_pool;

/* Bytes of memory, aligned to 64, that a pool of n_threads, at least 1, the caller among them, lives in. */
size_t ob__pool_bytes(int n_threads);
/* Makes a pool in zeroed memory, and starts n_threads - 1 threads. Returns how many work together, the caller counted: fewer than
 * n_threads where the system gives no more, 1 where it gives none. Each but the caller has a stack of 1 MiB. */
int ob__pool_start(ob_pool *pool, int n_threads);
/* Ends the threads. In a process that was forked since it forgets them. */
void ob__pool_stop(ob_pool *pool);

/* Calls task(context, begin, end) over disjoint ranges that cover 0 .. n, ranges of at least `grain` but for the last; returns
 * when all are done. One thread may call it at a time; within a task it calls task(context, 0, n). Threads compute with the
 * floating-point settings of the caller. In a process that was forked since, the caller does everything: nobody forks between the
 * first job of a run and ob__pool_rest. */
void ob__pool_run(void *pool, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end), void *context);

/* A run ends: nobody polls for work until the next job. When its jobs took less than a thread takes to come, those of the next
 * run wake nobody. */
void ob__pool_rest(ob_pool *pool);

#endif
