/* Whether a call goes on. For runtime/ only. */
#ifndef OB_RUNTIME_STOP_H
#define OB_RUNTIME_STOP_H

#include "runtime/session.h"

/* The start of a call, which may take max_ns (0: no limit). */
void ob__stop_begin(ob_stop *stop, uint64_t max_ns);
/* E_CANCELLED or E_LIMIT if the run has been stopped; ob__stop_ask asks first. */
ob_status ob__stop_status(const ob_session *session, const ob_threads *threads, ob_error *error);
ob_status ob__stop_ask(const ob_session *session, const ob_threads *threads, ob_error *error);

#endif
