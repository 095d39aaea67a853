/* The threads of a session: their number, and when they work. */
#include "core/base/error.h"
#include "core/base/log.h"
#include "onnx_broadcast/machine.h"
#include "runtime/memory.h"
#include "runtime/pool.h"
#include "runtime/session.h"

#ifdef OB_HAVE_THREADS

ob_status ob__threads_start(ob_session *session, int n_threads, ob_error *error) {
    OB_FAIL_IF(n_threads < 0 || n_threads > 1024, error, OB_E_ARGUMENT, "the number of threads must be 1 to 1024, not %d",
               n_threads);
    session->threads.n_threads = 1;
    if (n_threads <= 1) return OB_OK;
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
