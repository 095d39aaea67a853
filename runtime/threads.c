#include <fenv.h>

#include "core/error.h"
#include "core/sanitizer.h"
#include "runtime/session.h"

#ifdef OB_HAVE_PTHREADPOOL
#include <pthreadpool.h>

struct ob_pool {
    pthreadpool_t pool;
};

/* The control word of the floating-point unit: rounding, and what is done with denormals. A thread has that of its creation; the
 * host may have changed its own since, and a part must not compute otherwise for being another thread's. */
#if defined(__x86_64__) || defined(__SSE__)
typedef unsigned int control_word;
static control_word read_control(void) {
    return __builtin_ia32_stmxcsr() & ~0x3fu; /* without the exceptions that were raised */
}
static void write_control(control_word word) {
    __builtin_ia32_ldmxcsr(word);
}
#elif defined(__aarch64__)
typedef uint64_t control_word;
static control_word read_control(void) {
    control_word word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
}
static void write_control(control_word word) {
    __asm__ volatile("msr fpcr, %0" : : "r"(word));
}
#else
typedef int control_word;
static control_word read_control(void) {
    return fegetround();
}
static void write_control(control_word word) {
    fesetround(word);
}
#endif

typedef struct job {
    void (*task)(void *context, int64_t begin, int64_t end);
    void *context;
    control_word control; /* of the thread that shares its work */
    char begun, done; /* their addresses stand for what the pool orders: the start before every part, every part before the end */
} job;

static void run_tile(void *context, size_t start, size_t n) {
    job *j = context;
    OB_HAPPENS_AFTER(&j->begun);
    control_word own = read_control();
    if (own != j->control) write_control(j->control);
    j->task(j->context, (int64_t)start, (int64_t)(start + n));
    if (own != j->control) write_control(own);
    OB_HAPPENS_BEFORE(&j->done);
}

static void run_parallel(void *pool, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end),
                         void *context) {
    struct ob_pool *p = pool;
    job j = {.task = task, .context = context, .control = read_control()};
    /* By n and grain alone, as everything that shared work is cut by; enough of them that an interrupted thread does not hold up
     * the others, not so many that handing them out takes time. */
    enum { MOST_TILES = 128 };
    int64_t tile = n / MOST_TILES;
    if (tile < grain) tile = grain;
    if (tile < 1) tile = 1;
    OB_HAPPENS_BEFORE(&j.begun);
    pthreadpool_parallelize_1d_tile_1d(p->pool, run_tile, &j, (size_t)n, (size_t)tile, 0);
    OB_HAPPENS_AFTER(&j.done);
}

ob_status ob__pool_create(ob_session *session, int n_threads, ob_error *error) {
    OB_FAIL_IF(n_threads < 0 || n_threads > 1024, error, OB_E_ARGUMENT, "the number of threads must be 1 to 1024, not %d",
               n_threads);
    session->threads.n_threads = 1;
    if (n_threads <= 1) return OB_OK;
    ob_pool *pool = OB_ARENA_NEW(&session->arena, ob_pool);
    if (pool) pool->pool = pthreadpool_create((size_t)n_threads);
    OB_FAIL_IF(!pool || !pool->pool, error, OB_E_MEMORY, "cannot start %d threads", n_threads);
    session->pool = pool;
    session->threads.run = run_parallel;
    session->threads.pool = pool;
    session->threads.n_threads = n_threads;
    return OB_OK;
}

void ob__pool_destroy(ob_session *session) {
    if (session->pool) pthreadpool_destroy(session->pool->pool);
    session->pool = NULL;
}

#else

ob_status ob__pool_create(ob_session *session, int n_threads, ob_error *error) {
    OB_FAIL_IF(n_threads < 0 || n_threads > 1024, error, OB_E_ARGUMENT, "the number of threads must be 1 to 1024, not %d",
               n_threads);
    OB_FAIL_IF(n_threads > 1, error, OB_E_UNSUPPORTED, "more than one thread needs a build with pthreadpool");
    session->threads.n_threads = 1;
    return OB_OK;
}

void ob__pool_destroy(ob_session *session) {
    session->pool = NULL;
}

#endif
