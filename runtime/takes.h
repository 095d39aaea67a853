/* The loops that planning takes from tables (kernels/take.h). */
#ifndef OB_RUNTIME_TAKES_H
#define OB_RUNTIME_TAKES_H

#include "kernels/take.h"
#include "ops/kernel/kernel.h"
#include "runtime/session.h"

/* What planning for this session notes. */
obk_takes ob__takes(ob_session *session);

/* kernel->plan, if there is one. E_UNSUPPORTED, too, if this build leaves out a loop that it takes, or that planning has taken
 * before it for the same step. */
ob_status ob__plan_kernel(ob_session *session, const ob_kernel *kernel, const ob_kernel_site *site, ob_kernel_args *args,
                          ob_kernel_needs *needs, ob_error *error);

#endif
