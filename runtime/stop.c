/* Calls that end early: cancelled by the caller, or over the time limit. */
#include "runtime/stop.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "runtime/session.h"

void ob__stop_begin(ob_stop *stop, uint64_t max_ns) {
    stop->status = OB_OK;
    stop->next_ns = 0;
    stop->deadline_ns = 0;
    if (max_ns && __builtin_add_overflow(ob__now_ns(), max_ns, &stop->deadline_ns)) stop->deadline_ns = 0;
}

ob_status ob__stop_status(const ob_session *session, const ob_threads *threads, ob_error *error) {
    ob_status status = threads->stop ? threads->stop->status : OB_OK;
    OB_FAIL_IF(status == OB_E_CANCELLED, error, status, "stopped: the callback `cancelled` asked for it");
    OB_FAIL_IF(status != OB_OK, error, status, "stopped after %llu ns: it takes longer than max_run_ns allows",
               (unsigned long long)session->max_run_ns);
    return OB_OK;
}

ob_status ob__stop_ask(const ob_session *session, const ob_threads *threads, ob_error *error) {
    return ob__stop_now(threads) ? ob__stop_status(session, threads, error) : OB_OK;
}
