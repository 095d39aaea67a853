/* Constants in the form that a kernel wants them in. For runtime/ only. */
#ifndef OB_RUNTIME_PACKS_H
#define OB_RUNTIME_PACKS_H

#include "runtime/session.h"

/* What the kernel wants of its constants, from the session when it is there, else made: for all plans when the
 * value is a constant for all shapes, else into `own`. For the thread that plans. */
ob_status ob__get_packs(ob_session *session, const ob_node *node, const ob_kernel_needs *needs, const ob_view *in,
                        ob_owned_memory **own, const void **packs, ob_error *error);

#endif
