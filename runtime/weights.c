/* Initializers as views: used in place in the model's file or another one, copied if they are not aligned, and unpacked if an
 * element is narrower than a byte. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/graph/copy.h"
#include "core/graph/tensor_data.h"
#include "runtime/external.h"
#include "runtime/memory.h"
#include "runtime/plan/layout.h"
#include "runtime/stop.h"
#include "runtime/weights.h"

typedef struct loader {
    ob_session *session;
    ob_external external;
    uint64_t n_copied, copied_bytes;
    ob_error *error;
} loader;

static ob_status tensor_data(loader *l, const ob_value *value, void **out) {
    const ob_tensor *tensor = value->data;
    uint64_t bytes;
    if (tensor->is_external) return ob__external_data(&l->external, value, out);
    if (tensor->n_elems == 0) {
        *out = NULL;
        return OB_OK;
    }
    OB_FAIL_IF(!tensor->data, l->error, OB_E_UNSUPPORTED, "initializer %s has no dense data", value->name);
    if (!tensor->is_packed && ob__weight_is_aligned(tensor->data, tensor->dtype)) {
        *out = (void *)(uintptr_t)tensor->data; /* read only: constants are never computed into */
        return OB_OK;
    }
    if (!ob__tensor_bytes(tensor->dtype, tensor->rank, tensor->dims, &bytes)) return OB_E_LIMIT;
    *out = ob__weight_memory(l->session, value, bytes, l->error);
    if (!*out) return OB_E_MEMORY;
    if (tensor->is_packed) {
        ob__decode_raw(tensor->dtype, tensor->data, tensor->n_elems, *out);
        return OB_OK;
    }
    obk_pace pace = ob__pace(&l->session->threads);
    ob__copy_bytes(*out, tensor->data, (size_t)tensor->n_elems * ob_dtype_size(tensor->dtype), &pace);
    OB_TRY(ob__stop_status(l->session, &l->session->threads, l->error));
    l->n_copied++;
    l->copied_bytes += bytes;
    return OB_OK;
}

static ob_status load_graph(void *context, ob_graph *graph) {
    loader *l = context;
    for (uint32_t i = 0; i < graph->n_initializers; i++) {
        const ob_value *value = graph->initializers[i];
        const ob_tensor *tensor = value->data;
        void *data = NULL;
        if (l->session->uses[value->id] == 0) continue; /* not even looked at */
        OB_FAIL_IF(!tensor || tensor->rank > OB_MAX_RANK, l->error, OB_E_UNSUPPORTED,
                   "initializer %s: sparse, or of a rank over %d", value->name, OB_MAX_RANK);
        OB_TRY(tensor_data(l, value, &data));
        ob_view view;
        ob_status status = ob_view_init(&view, data, tensor->dtype, tensor->rank, tensor->dims);
        OB_FAIL_IF(status != OB_OK, l->error, status == OB_E_ARGUMENT ? OB_E_MODEL : status,
                   "initializer %s: a tensor of %s of rank %d cannot be read", value->name, ob_dtype_name(tensor->dtype),
                   tensor->rank);
        OB_TRY(ob__set_constant(l->session, value, &view));
    }
    return OB_OK;
}

ob_status ob__load_weights(ob_session *session, const ob_external_rules *external, ob_error *error) {
    loader l = {.session = session, .error = error};
    ob__external_begin(&l.external, session, external, error);
    ob_status status = ob__model_each_graph(session->model, load_graph, &l);
    ob__external_end(&l.external);
    if (status != OB_OK) return status;
    if (l.n_copied)
        OB_LOG(&session->model->logger, OB_LOG_INFO,
               "%s: weights copied because they are not aligned in the file: %llu (%llu bytes)", session->model->path,
               (unsigned long long)l.n_copied, (unsigned long long)l.copied_bytes);
    ob__external_log(&l.external);
    return OB_OK;
}

/* ---- Constants ---- */

ob_status ob__set_constant(ob_session *session, const ob_value *value, const ob_view *view) {
    ob_constant *constant = OB_ARENA_NEW(&session->arena, ob_constant);
    if (!constant) return OB_E_MEMORY;
    *constant = (ob_constant){view->data, ob__make_layout(&session->arena, view), NULL};
    if (!constant->layout) return OB_E_MEMORY;
    session->constants[value->id] = constant;
    return OB_OK;
}

bool ob__constant_view(const ob_session *session, const ob_value *value, ob_view *out) {
    const ob_constant *constant = session->constants[value->id];
    if (constant) ob__layout_view(constant->layout, constant->data, out);
    return constant != NULL;
}

void ob__forget_constant(ob_session *session, const ob_value *value) {
    ob_constant *constant = session->constants[value->id];
    if (!constant || !constant->own) return;
    session->constant_bytes -= constant->own->n_bytes;
    session->folded_bytes -= constant->own->n_bytes;
    ob__free_owned(&session->allocator, &constant->own);
    session->constants[value->id] = NULL;
}

void ob__constants_release(ob_session *session) {
    for (uint32_t id = 0; session->constants && id < session->model->n_values; id++)
        if (session->constants[id]) ob__free_owned(&session->allocator, &session->constants[id]->own);
}
