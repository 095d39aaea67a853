/* Inputs and outputs of a session, for its caller. */
#include <string.h>

#include "core/base/error.h"
#include "runtime/plan/layout.h"
#include "runtime/session.h"

size_t ob_session_input_count(const ob_session *session) {
    return session->n_inputs;
}

size_t ob_session_output_count(const ob_session *session) {
    return session->model->graph->n_outputs;
}

bool ob_session_input(const ob_session *session, size_t index, ob_session_value *out) {
    if (index >= session->n_inputs) return false;
    *out = session->input_info[index];
    return true;
}

bool ob_session_output(const ob_session *session, size_t index, ob_session_value *out) {
    if (index >= session->model->graph->n_outputs) return false;
    *out = session->output_info[index];
    return true;
}

static ob_status find_name(const ob_session_value *info, size_t n, const char *name, size_t *index) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(info[i].name, name) == 0) {
            *index = i;
            return OB_OK;
        }
    return OB_E_NOT_FOUND;
}

ob_status ob_session_input_index(const ob_session *session, const char *name, size_t *index) {
    return find_name(session->input_info, session->n_inputs, name, index);
}

ob_status ob_session_output_index(const ob_session *session, const char *name, size_t *index) {
    return find_name(session->output_info, session->model->graph->n_outputs, name, index);
}

/* dtype OB_NONE: as declared. */
static ob_status input_view(const ob_session *session, size_t index, ob_dtype dtype, void *data, ob_view *view, ob_error *error) {
    OB_FAIL_IF(!session || !view, error, OB_E_ARGUMENT, "session and view must not be NULL");
    OB_FAIL_IF(index >= session->n_inputs, error, OB_E_NOT_FOUND, "no input %zu: the model has %u", index, session->n_inputs);
    const ob_session_value *info = &session->input_info[index];
    if (dtype == OB_NONE) dtype = info->dtype;
    OB_FAIL_IF(dtype == OB_NONE, error, OB_E_TYPE, "input %s: the model declares no element type", info->name);
    OB_FAIL_IF(info->dtype != OB_NONE && dtype != info->dtype, error, OB_E_TYPE,
               "input %s has the element type %s; the given memory has %s", info->name, ob_dtype_name(info->dtype),
               ob_dtype_name(dtype));
    OB_FAIL_IF(info->shape.rank == OB_RANK_UNKNOWN, error, OB_E_SHAPE, "input %s: the model declares no rank", info->name);
    for (int32_t axis = 0; axis < info->shape.rank; axis++) {
        if (ob_dim_is_const(info->shape.dims[axis])) continue;
        if (error) error->axis = axis;
        return ob__fail(error, OB_E_SHAPE, "input %s has shape %s: the size of axis %d must be given", info->name,
                        info->shape_text, (int)axis);
    }
    ob_view made;
    ob_status status = ob__view_layout(&made, dtype, info->shape.rank, info->shape.dims);
    OB_FAIL_IF(status != OB_OK, error, status, "input %s: shape %s is too large", info->name, info->shape_text);
    made.data = data;
    *view = made;
    return OB_OK;
}

ob_status ob_session_input_view(const ob_session *session, size_t index, void *data, ob_view *view, ob_error *error) {
    ob_error_clear(error);
    return input_view(session, index, OB_NONE, data, view, error);
}

ob_status ob_session_typed_input_view(const ob_session *session, size_t index, ob_dtype dtype, void *data, ob_view *view,
                                      ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(ob_dtype_size(dtype) == 0, error, OB_E_ARGUMENT, "no element type");
    return input_view(session, index, dtype, data, view, error);
}

const ob_dims *ob_session_dims(const ob_session *session) {
    return session->model->dims;
}
