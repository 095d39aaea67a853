/* The threads of a session: their number, and when they work. */
#include <stdatomic.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "onnx_broadcast/machine.h"
#include "runtime/memory.h"
#include "runtime/pool.h"
#include "runtime/session.h"

/* ---- Threads of the host ---- */

typedef struct host_work {
    void (*task)(void *context, int64_t begin, int64_t end);
    void *context;
    int64_t n, n_parts;
} host_work;

static void host_part(void *context, size_t index) {
    const host_work *w = context;
    const int64_t i = (int64_t)index, size = w->n / w->n_parts, longer = w->n % w->n_parts; /* the first ones have one more */
    const int64_t begin = i * size + (i < longer ? i : longer);
    w->task(w->context, begin, begin + size + (i < longer));
}

static void run_in_host(void *pool, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end),
                        void *context) {
    ob_host_threads *host = pool;
    host_work work = {task, context, n, n / (grain > 1 ? grain : 1)};
    if (work.n_parts > host->n_threads) work.n_parts = host->n_threads;
    if (work.n_parts <= 1 || atomic_exchange(&host->inside, true)) {
        task(context, 0, n);
        return;
    }
    host->share(host->pool, host_part, (size_t)work.n_parts, &work);
    atomic_store(&host->inside, false);
}

void ob__threads_of_host(ob_host_threads *host, ob_threads *threads) {
    threads->run = run_in_host;
    threads->pool = host;
    threads->n_threads = host->n_threads;
}

/* ---- Threads of the session ---- */

#ifdef OB_HAVE_THREADS

ob_status ob__threads_start(ob_session *session, int n_threads, ob_error *error) {
    OB_FAIL_IF(n_threads < 0 || n_threads > 1024, error, OB_E_ARGUMENT, "the number of threads must be 1 to 1024, not %d",
               n_threads);
    session->threads.n_threads = 1;
    if (n_threads <= 1) return OB_OK;
    if (session->host.share) {
        session->host.n_threads = n_threads;
        ob__threads_of_host(&session->host, &session->threads);
        return OB_OK;
    }
    /* More than can run at once take turns, and make those wait that share work with them. */
    int n_processors = ob_machine_processors(), useful = n_threads < n_processors ? n_threads : n_processors, started = 1;
    if (useful > 1) {
        ob_pool *pool = ob__own_memory(&session->allocator, &session->owned, ob__pool_bytes(useful), NULL);
        OB_FAIL_IF(!pool, error, OB_E_MEMORY, "no memory for %d threads", useful);
        started = ob__pool_start(pool, useful);
        if (started > 1) session->pool = pool;
    }
    if (started < useful)
        OB_LOG(&session->model->logger, OB_LOG_WARNING, "%s: the system starts no more than %d of %d threads",
               session->model->path, started, useful);
    if (!session->pool) return OB_OK;
    session->threads.run = ob__pool_run;
    session->threads.pool = session->pool;
    session->threads.n_threads = started;
    return OB_OK;
}

void ob__threads_text(const ob_session *session, char *text, size_t n_bytes) {
    const int n_threads = session->threads.n_threads, n_processors = ob_machine_processors();
    ob__sentence(text, n_bytes, "%d thread%s; the process may use %d processor%s", n_threads, n_threads == 1 ? "" : "s",
                 n_processors, n_processors == 1 ? "" : "s");
}

void ob__threads_begin(ob_session *session) {
    if (session->pool) ob__pool_wake(session->pool, session->current);
}

void ob__threads_end(ob_session *session) {
    if (session->pool) ob__pool_rest(session->pool);
}

void ob__threads_stop(ob_session *session) {
    if (session->pool) ob__pool_stop(session->pool);
    session->pool = NULL;
}

#else

ob_status ob__threads_start(ob_session *session, int n_threads, ob_error *error) {
    OB_FAIL_IF(n_threads < 0 || n_threads > 1024, error, OB_E_ARGUMENT, "the number of threads must be 1 to 1024, not %d",
               n_threads);
    OB_FAIL_IF(n_threads > 1, error, OB_E_UNSUPPORTED, "this build has no threads");
    session->threads.n_threads = 1;
    return OB_OK;
}

void ob__threads_text(const ob_session *session, char *text, size_t n_bytes) {
    (void)session;
    ob__copy_text(text, n_bytes, "a build without threads");
}

void ob__threads_begin(ob_session *session) {
    (void)session;
}

void ob__threads_end(ob_session *session) {
    (void)session;
}

void ob__threads_stop(ob_session *session) {
    session->pool = NULL;
}

#endif
