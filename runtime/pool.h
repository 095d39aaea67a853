/* Threads that share one job at a time with their caller. It knows nothing of sessions.
 *
 * A job is cut into tiles by its size alone. Every thread has a range of tiles and starts at its front. A thread that is done
 * takes tiles from the end of other ranges. The caller never waits for a thread that has not come: it computes the remaining
 * tiles itself, so a thread without a processor delays nothing. An idle thread polls for 0.1 ms, then sleeps. After the end of a
 * run it sleeps at once, unless runs follow each other closely. */
#ifndef OB_RUNTIME_POOL_H
#define OB_RUNTIME_POOL_H

#include <stddef.h>
#include <stdint.h>

typedef struct ob_pool ob_pool;

/* Bytes of memory, aligned to 64, for a pool of n_threads (at least 1, including the caller). */
size_t ob__pool_bytes(int n_threads);
/* Makes a pool in zeroed memory, and starts n_threads - 1 threads. Returns the number of threads, including the caller: fewer
 * than n_threads if the system starts fewer, 1 if it starts none. Each thread except the caller has a stack of 1 MiB. */
int ob__pool_start(ob_pool *pool, int n_threads);
/* Ends the threads. In a child process after fork() it only forgets them. */
void ob__pool_stop(ob_pool *pool);

/* Calls task(context, begin, end) over disjoint ranges that cover 0 .. n, each except the last of at least `grain`; returns
 * when all are done. Only one thread may call it at a time; inside a task it calls task(context, 0, n). Threads compute with
 * the floating-point settings of the caller. In a child process after fork() the caller does everything. A fork must not happen
 * between the first job of a run and ob__pool_rest. */
void ob__pool_run(void *pool, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end), void *context);

/* The beginning of a run, if it has one: wakes the threads for its first job if the last run had enough work for them. Runs of
 * one `kind` take about the same time. Some short ones are done by the caller alone, and if that is faster, so are the others. */
void ob__pool_wake(ob_pool *pool, const void *kind);
/* The end of a run: no thread polls for work until the next job, unless this run began within 0.1 ms after the last one, and
 * within the time of a run. If the jobs took less time than waking a thread, those of the next run wake none. */
void ob__pool_rest(ob_pool *pool);

#endif
