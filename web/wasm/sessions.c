/* Sessions: inputs that JavaScript fills, runs, results that it reads. Values are tensors. */
#include <stdlib.h>
#include <string.h>

#include "module.h"

typedef struct web_session {
    ob_session *session;
    size_t n_inputs, n_outputs;
    ob_view *inputs, *outputs; /* n of each; of inputs, the data are freed with the session */
} web_session;

void WEB_EXPORT(web_session_close)(web_session *s) {
    if (!s) return;
    for (size_t i = 0; i < s->n_inputs && s->inputs; i++) free(s->inputs[i].data);
    ob_session_close(&s->session);
    free(s->inputs);
    free(s->outputs);
    free(s);
}

static bool allocate(web_session *s) {
    s->n_inputs = ob_session_input_count(s->session);
    s->n_outputs = ob_session_output_count(s->session);
    s->inputs = calloc(s->n_inputs + 1, sizeof *s->inputs);
    s->outputs = calloc(s->n_outputs + 1, sizeof *s->outputs);
    return s->inputs && s->outputs;
}

/* The model must stay open. */
web_session *WEB_EXPORT(web_session_create)(const web_model *model, const char *texts, size_t n_bytes) {
    web_options options;
    web_session *s = calloc(1, sizeof *s);
    ob_status status = s ? web_options_read(&options, texts, n_bytes) : web_fail(OB_E_MEMORY, "there is no memory for a session");
    if (status != OB_OK) {
        free(s);
        return NULL;
    }
    options.session.external_data = false; /* there are no files */
    status = web_options_assume(&options, model->model);
    if (status == OB_OK) status = ob_session_create(model->model, &options.session, &s->session, &web_last_error);
    web_options_free(&options);
    if (status == OB_OK && !allocate(s)) status = web_fail(OB_E_MEMORY, "there is no memory for the inputs of a session");
    if (status == OB_OK) return s;
    web_session_close(s);
    return NULL;
}

/* A tensor whose declared sizes are numbers tells them; an open size is "". */
static void describe(const ob_session_value *value) {
    const int32_t rank = value->shape.rank;
    web_text_string(&web_notes, value->name);
    web_text_string(&web_notes, value->type->kind == OB_TYPE_TENSOR ? "tensor" : "");
    web_text_string(&web_notes, value->dtype == OB_NONE ? "" : ob_dtype_name(value->dtype));
    web_text_string(&web_notes, value->shape_text);
    web_text_string(&web_notes, rank == OB_RANK_UNKNOWN ? "" : "ranked");
    web_text_number(&web_notes, rank == OB_RANK_UNKNOWN ? 0 : (uint64_t)rank);
    for (int32_t i = 0; rank != OB_RANK_UNKNOWN && i < rank; i++) {
        if (ob_dim_is_const(value->shape.dims[i]))
            web_text_number(&web_notes, (uint64_t)value->shape.dims[i]);
        else
            web_text_string(&web_notes, "");
    }
}

/* Notes: the number of inputs, of outputs, then of each its name, "tensor" or "", element type, shape as text, "ranked" or "",
 * the rank and the sizes. */
ob_status WEB_EXPORT(web_session_describe)(const web_session *s) {
    ob_session_value value;
    web_text_begin(&web_notes);
    web_text_number(&web_notes, s->n_inputs);
    web_text_number(&web_notes, s->n_outputs);
    for (size_t i = 0; ob_session_input(s->session, i, &value); i++) describe(&value);
    for (size_t i = 0; ob_session_output(s->session, i, &value); i++) describe(&value);
    return web_text_end(&web_notes);
}

/* ---- A run ---- */

/* Makes input `index` a tensor and returns where its n_bytes go. An element of type string is an ob_string; n_bytes then has room
 * for the characters too, behind the elements. */
void *WEB_EXPORT(web_session_input)(web_session *s, size_t index, int dtype, int rank, const int64_t *dims, size_t n_bytes) {
    ob_view view;
    char somewhere;
    ob_status status = ob_view_init(&view, &somewhere, (ob_dtype)dtype, rank, dims);
    if (index >= s->n_inputs || status != OB_OK) {
        web_fail(status == OB_OK ? OB_E_NOT_FOUND : status, "the rank, a size or the element type of a tensor is out of range");
        return NULL;
    }
    const uint64_t n = (uint64_t)ob_view_count(&view), size = ob_dtype_size(view.dtype);
    if (n > UINT64_MAX / size || n_bytes < n * size) {
        web_fail(OB_E_ARGUMENT, "a tensor has fewer elements than its sizes say");
        return NULL;
    }
    view.data = malloc(n_bytes ? n_bytes : 1);
    if (!view.data) {
        web_fail(OB_E_MEMORY, "there is no memory for a tensor");
        return NULL;
    }
    free(s->inputs[index].data);
    s->inputs[index] = view;
    return view.data;
}

ob_status WEB_EXPORT(web_session_run)(web_session *s) {
    for (size_t i = 0; i < s->n_outputs; i++) s->outputs[i] = (ob_view){0};
    return ob_session_run(s->session, s->inputs, s->n_inputs, s->outputs, s->n_outputs, &web_last_error);
}

/* Valid until the next run. */
const ob_view *WEB_EXPORT(web_session_output)(const web_session *s, size_t index) {
    return index < s->n_outputs ? &s->outputs[index] : NULL;
}

int WEB_EXPORT(web_view_dtype)(const ob_view *view) {
    return view->dtype;
}

int WEB_EXPORT(web_view_rank)(const ob_view *view) {
    return view->rank;
}

const int64_t *WEB_EXPORT(web_view_dims)(const ob_view *view) {
    return view->dims;
}

const void *WEB_EXPORT(web_view_data)(const ob_view *view) {
    return view->data;
}

/* All elements of a contiguous view are in memory, so their number fits. */
size_t WEB_EXPORT(web_view_count)(const ob_view *view) {
    return (size_t)ob_view_count(view);
}

/* The number of the element type with this name; 0 when there is none. */
int WEB_EXPORT(web_dtype_number)(const char *name) {
    return ob_dtype_from_name(name);
}

const char *WEB_EXPORT(web_dtype_name)(int dtype) {
    return ob_dtype_name((ob_dtype)dtype);
}
