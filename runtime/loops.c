/* The loops in use, for a build that has no others. */
#include "core/base/error.h"
#include "kernels/names.h"
#include "runtime/session.h"

ob_status ob_session_each_loop(const ob_session *session, void (*visit)(void *context, const char *name), void *context,
                               ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!session || !visit, error, OB_E_ARGUMENT, "session and visit must not be NULL");
    OB_FAIL_IF(!session->noted, error, OB_E_ARGUMENT, "the session does not note loops: config.note_loops");
    for (uint32_t i = 0; i < session->noted->n; i++) {
        const char *name = obk_line_of(session->noted->slots[i]);
        bool again = name[0] == 0; /* it is in all builds */
        for (uint32_t j = 0; j < i && !again; j++) again = obk_line_of(session->noted->slots[j]) == name;
        if (!again) visit(context, name);
    }
    return OB_OK;
}
