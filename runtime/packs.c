/* Packs: constants in the form that a kernel works on, made once for all plans, workers and branches of a session. */
#include "runtime/packs.h"
#include "core/base/error.h"
#include "runtime/memory.h"
#include "runtime/session.h"
#include "runtime/weights.h"

typedef struct ob_pack {
    uint64_t format;
    const void *bytes;
    struct ob_pack *next; /* of the same value */
} ob_pack;

static ob_status make(ob_session *session, const ob_pack_want *want, const ob_view *constant, ob_owned_memory **list,
                      const void **out, ob_error *error) {
    void *bytes = ob__own_memory(&session->allocator, list, want->n_bytes, NULL);
    OB_FAIL_IF(!bytes, error, OB_E_MEMORY, "no memory for %zu bytes of a packed constant", want->n_bytes);
    want->make(want->params, constant, bytes);
    *out = bytes;
    return OB_OK;
}

static ob_status find_or_make(ob_session *session, uint32_t value_id, const ob_pack_want *want, const ob_view *constant,
                              const void **out, ob_error *error) {
    if (!session->packs) session->packs = OB_ARENA_ARRAY(&session->arena, ob_pack *, session->model->n_values);
    OB_FAIL_IF(!session->packs, error, OB_E_MEMORY, "no memory for packed constants");
    for (const ob_pack *pack = session->packs[value_id]; pack; pack = pack->next)
        if (pack->format == want->format) {
            *out = pack->bytes;
            return OB_OK;
        }
    ob_pack *pack = OB_ARENA_NEW(&session->arena, ob_pack);
    OB_FAIL_IF(!pack, error, OB_E_MEMORY, "no memory for packed constants");
    OB_TRY(make(session, want, constant, &session->owned, &pack->bytes, error));
    session->constant_bytes += want->n_bytes;
    pack->format = want->format;
    pack->next = session->packs[value_id];
    session->packs[value_id] = pack;
    *out = pack->bytes;
    return OB_OK;
}

ob_status ob__get_packs(ob_session *session, const ob_node *node, const ob_kernel_needs *needs, const ob_view *in,
                        ob_owned_memory **own, const void **packs, ob_error *error) {
    for (uint32_t i = 0; i < needs->n_packs; i++) {
        const ob_pack_want *want = &needs->packs[i];
        const ob_value *value = node->inputs[want->input];
        const ob_constant *shared = session->constants[value->id];
        const ob_view *constant = &in[want->input];
        if (shared && shared->data == constant->data)
            OB_TRY(find_or_make(session, value->id, want, constant, &packs[i], error));
        else
            OB_TRY(make(session, want, constant, own, &packs[i], error));
    }
    return OB_OK;
}
