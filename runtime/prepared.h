/* Constants in the form that a kernel needs. For runtime/ only. */
#ifndef OB_RUNTIME_PREPARED_H
#define OB_RUNTIME_PREPARED_H

#include "runtime/session.h"

/* Gives a kernel the prepared constants that it requests. They are made unless the session has them already: for all plans if the
 * value is constant for all shapes, else into `own`. Only for the thread that plans. */
ob_status ob__prepare_constants(ob_session *session, const ob_node *node, const ob_kernel_needs *needs, const ob_view *in,
                                ob_owned_memory **own, const void **prepared, ob_error *error);

#endif
