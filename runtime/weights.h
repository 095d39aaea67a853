/* Constants of a session: initializers, folded results. For runtime/ only. */
#ifndef OB_RUNTIME_WEIGHTS_H
#define OB_RUNTIME_WEIGHTS_H

#include "runtime/external.h"
#include "runtime/memory.h"
#include "runtime/plan/layout.h"

/* A value that every run reads. */
struct ob_constant {
    void *data;
    const ob_layout *layout;
    ob_owned_memory *own; /* its block, if it is the only constant in it; NULL: others own the memory */
};

/* Makes the view a constant that every run reads as the value. E_MEMORY. */
ob_status ob__set_constant(ob_session *session, const ob_value *value, const ob_view *view);
/* False, with *out unchanged, if the value is not a constant. */
bool ob__constant_view(const ob_session *session, const ob_value *value, ob_view *out);

/* Frees the memory of a constant that has its own, and forgets it: the next plan computes it again. */
void ob__forget_constant(ob_session *session, const ob_value *value);
void ob__constants_release(ob_session *session);

/* Fills session->constants for the initializers that are used; reads external data. */
ob_status ob__load_weights(ob_session *session, const ob_external_rules *external, ob_error *error);

#endif
