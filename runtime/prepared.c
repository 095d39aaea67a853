/* Prepared constants: constant operands in the form that a kernel needs, for instance packed panels, made once for all plans,
 * workers and branches of a session. */
#include "runtime/prepared.h"
#include "core/base/error.h"
#include "runtime/memory.h"
#include "runtime/session.h"
#include "runtime/weights.h"

typedef struct ob_prepared {
    uint64_t format;
    const void *bytes;
    struct ob_prepared *next; /* of the same value */
} ob_prepared;

static ob_status make(ob_session *session, const ob_prepare_request *request, const ob_view *constant, ob_owned_memory **list,
                      const void **out, ob_error *error) {
    void *bytes = ob__own_memory(&session->allocator, list, request->n_bytes, NULL);
    OB_FAIL_IF(!bytes, error, OB_E_MEMORY, "no memory for %zu bytes of a prepared constant", request->n_bytes);
    request->make(request->params, constant, bytes);
    *out = bytes;
    return OB_OK;
}

static ob_status find_or_make(ob_session *session, uint32_t value_id, const ob_prepare_request *request, const ob_view *constant,
                              const void **out, ob_error *error) {
    if (!session->prepared) session->prepared = OB_ARENA_ARRAY(&session->arena, ob_prepared *, session->model->n_values);
    OB_FAIL_IF(!session->prepared, error, OB_E_MEMORY, "no memory for prepared constants");
    for (const ob_prepared *prepared = session->prepared[value_id]; prepared; prepared = prepared->next)
        if (prepared->format == request->format) {
            *out = prepared->bytes;
            return OB_OK;
        }
    ob_prepared *prepared = OB_ARENA_NEW(&session->arena, ob_prepared);
    OB_FAIL_IF(!prepared, error, OB_E_MEMORY, "no memory for prepared constants");
    OB_TRY(make(session, request, constant, &session->owned, &prepared->bytes, error));
    session->constant_bytes += request->n_bytes;
    prepared->format = request->format;
    prepared->next = session->prepared[value_id];
    session->prepared[value_id] = prepared;
    *out = prepared->bytes;
    return OB_OK;
}

ob_status ob__prepare_constants(ob_session *session, const ob_node *node, const ob_kernel_needs *needs, const ob_view *in,
                                ob_owned_memory **own, const void **prepared, ob_error *error) {
    for (uint32_t i = 0; i < needs->n_prepared; i++) {
        const ob_prepare_request *request = &needs->prepared[i];
        const ob_value *value = node->inputs[request->input];
        const ob_constant *shared = session->constants[value->id];
        const ob_view *constant = &in[request->input];
        if (shared && shared->data == constant->data)
            OB_TRY(find_or_make(session, value->id, request, constant, &prepared[i], error));
        else
            OB_TRY(make(session, request, constant, own, &prepared[i], error));
    }
    return OB_OK;
}
