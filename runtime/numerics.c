/* Relaxed numerics: loads OpenBLAS for large products in place of the library's own kernels. */
#include "core/base/log.h"
#include "runtime/session.h"

ob_status ob__numerics_open(ob_session *session) {
    const ob_logger *logger = &session->model->logger;
    const char *path = session->model->path;
    char why[256];
    if (session->numerics != OB_NUMERICS_RELAXED) return OB_OK;
    ob_blas *blas = OB_ARENA_NEW(&session->arena, ob_blas);
    if (!blas) return OB_E_MEMORY;
    if (ob__blas_open(blas, session->threads.n_threads, &session->allocator, why, sizeof why)) {
        session->blas = blas;
        OB_LOG(logger, OB_LOG_INFO, "%s: session: relaxed numerics: large products of floats and doubles by %s, %d cop%s of it",
               path, blas->name, (int)blas->n_copies, blas->n_copies == 1 ? "y" : "ies");
    } else {
        OB_LOG(logger, OB_LOG_INFO, "%s: session: relaxed numerics: products by this library's own kernels, without OpenBLAS: %s",
               path, why);
    }
    return OB_OK;
}

void ob__numerics_add_worker(ob_session *session) {
    if (session->blas) ob__blas_add(session->blas, &session->allocator);
}

void ob__numerics_close(ob_session *session) {
    if (session->blas) ob__blas_close(session->blas);
}
