/* Cells of a run, by value: the frame has one hold of each, from the step that makes it to its last reader. */
#include "runtime/run/cells.h"

#include "core/base/error.h"
#include "core/graph/copy.h"

/* ---- Types ---- */

static const char *kind_text(ob_cell_kind kind) {
    static const char *const texts[] = {"nothing", "a tensor", "a sequence", "a map"};
    return texts[kind];
}

static ob_status wrong_type(const ob_value *input, const char *wanted, const char *given, ob_error *error) {
    if (error) ob__copy_text(error->value, sizeof error->value, input->name);
    return ob__fail(error, OB_E_TYPE, "input %s: the model takes %s, but %s was given", input->name, wanted, given);
}

static ob_status check_tensor(const ob_value *input, const ob_type *type, const ob_cell *cell, ob_error *error) {
    if (cell->kind != OB_CELL_TENSOR) return wrong_type(input, "a tensor in it", kind_text(cell->kind), error);
    if (type->dtype != OB_NONE && type->dtype != cell->dtype)
        return wrong_type(input, ob_dtype_name(type->dtype), ob_dtype_name(cell->dtype), error);
    bool fits = type->shape.rank == OB_RANK_UNKNOWN || type->shape.rank == cell->rank;
    for (int32_t k = 0; fits && k < type->shape.rank; k++)
        fits = !ob_dim_is_const(type->shape.dims[k]) || type->shape.dims[k] == cell->dims[k];
    if (fits) return OB_OK;
    char declared[200], given[200];
    ob_shape shape = {cell->rank, cell->dims};
    ob_shape_format(input->graph->model->dims, &type->shape, declared, sizeof declared);
    ob_shape_format(NULL, &shape, given, sizeof given);
    if (error) ob__copy_text(error->value, sizeof error->value, input->name);
    return ob__fail(error, OB_E_SHAPE, "input %s: the model takes tensors of %s in it, but one of %s was given", input->name,
                    declared, given);
}

/* Recursion ends at OB_CELL_MAX_DEPTH: a type may be deeper, its cell cannot. */
static ob_status check_cell(const ob_value *input, const ob_type *type, const ob_cell *cell, ob_error *error) {
    while (type && type->kind == OB_TYPE_OPTIONAL) {
        if (cell->kind == OB_CELL_NONE) return OB_OK;
        type = type->element;
    }
    if (!type || type->kind == OB_TYPE_UNKNOWN) return OB_OK;
    if (type->kind == OB_TYPE_TENSOR) return check_tensor(input, type, cell, error);
    if (type->kind == OB_TYPE_SEQUENCE && cell->kind != OB_CELL_SEQUENCE)
        return wrong_type(input, "a sequence", kind_text(cell->kind), error);
    if (type->kind == OB_TYPE_MAP) {
        if (cell->kind != OB_CELL_MAP) return wrong_type(input, "a map", kind_text(cell->kind), error);
        if (type->dtype != OB_NONE && type->dtype != cell->keys->dtype)
            return wrong_type(input, "other keys", ob_dtype_name(cell->keys->dtype), error);
    }
    const ob_type *element = type->element;
    bool is_typed = element && element->kind == OB_TYPE_TENSOR && element->dtype != OB_NONE && cell->dtype != OB_NONE;
    if (is_typed && element->dtype != cell->dtype)
        return wrong_type(input, ob_dtype_name(element->dtype), ob_dtype_name(cell->dtype), error);
    for (size_t i = 0; i < cell->n; i++) OB_TRY(check_cell(input, element, cell->items[i], error));
    return OB_OK;
}

ob_status ob__check_input_cell(const ob_session *session, uint32_t i, const ob_cell *cell, ob_error *error) {
    return check_cell(session->inputs[i], &session->inputs[i]->declared, cell, error);
}

ob_status ob__type_of_cell(const ob_cell *cell, const ob_type *declared, ob_arena *arena, ob_type *out) {
    ob_type type = {.dtype = cell->dtype, .shape = {OB_RANK_UNKNOWN, NULL}}, *element;
    switch (cell->kind) {
    case OB_CELL_TENSOR: type = (ob_type){OB_TYPE_TENSOR, cell->dtype, {cell->rank, cell->dims}, NULL}; break;
    case OB_CELL_NONE: break;
    default:
        element = OB_ARENA_NEW(arena, ob_type);
        if (!element) return OB_E_MEMORY;
        *element = (ob_type){.shape = {OB_RANK_UNKNOWN, NULL}};
        if (cell->n && cell->items[0]->kind != OB_CELL_NONE)
            OB_TRY(ob__type_of_cell(cell->items[0], NULL, arena, element));
        else if (cell->dtype != OB_NONE)
            *element = (ob_type){OB_TYPE_TENSOR, cell->dtype, {OB_RANK_UNKNOWN, NULL}, NULL};
        if (element->kind == OB_TYPE_TENSOR) element->shape = (ob_shape){OB_RANK_UNKNOWN, NULL}; /* others have other sizes */
        type.kind = cell->kind == OB_CELL_MAP ? OB_TYPE_MAP : OB_TYPE_SEQUENCE;
        type.dtype = cell->keys ? cell->keys->dtype : OB_NONE;
        type.element = element;
    }
    *out = type;
    if (!declared || declared->kind != OB_TYPE_OPTIONAL) return OB_OK;
    *out = *declared;
    if (cell->kind == OB_CELL_NONE) return OB_OK;
    element = OB_ARENA_NEW(arena, ob_type);
    if (!element) return OB_E_MEMORY;
    *element = type;
    out->element = element;
    return OB_OK;
}

uint64_t ob__cell_bytes(const ob_cell *cell) {
    uint64_t n_bytes = 0, n;
    if (cell->kind == OB_CELL_TENSOR) return ob__tensor_bytes(cell->dtype, cell->rank, cell->dims, &n) ? n : UINT64_MAX;
    if (cell->keys) n_bytes = ob__cell_bytes(cell->keys);
    for (size_t i = 0; i < cell->n; i++)
        if (__builtin_add_overflow(n_bytes, ob__cell_bytes(cell->items[i]), &n_bytes)) return UINT64_MAX;
    return n_bytes;
}

/* ---- Holds ---- */

static bool is_read_again(const ob_session *session, const ob_node *node, uint32_t i) {
    const ob_value *value = node->inputs[i];
    if (session->last_reader[value->id] != node) return true;
    for (uint32_t k = i + 1; k < node->n_inputs; k++)
        if (node->inputs[k] == value) return true;
    return false;
}

void ob__take_operands(ob_frame *frame, const ob_node *node, ob_cell **in) {
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ob_value *value = node->inputs[i];
        in[i] = value ? frame->cells[value->id] : NULL;
        if (!in[i]) continue;
        /* A tensor may have given its memory to a view of it. */
        if (in[i]->kind == OB_CELL_TENSOR || is_read_again(frame->session, node, i))
            ob__cell_hold(in[i]);
        else
            frame->cells[value->id] = NULL;
    }
}

void ob__drop_cells(ob_cell **cells, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) ob_cell_close(&cells[i]);
}

void ob__keep_cell(ob_frame *frame, const ob_value *value, ob_cell *cell) {
    ob_cell_close(&frame->cells[value->id]);
    frame->cells[value->id] = cell;
}

void ob__forget_cells(ob_frame *frame) {
    uint32_t n = frame->session->model->n_values;
    for (uint32_t i = 0; frame->cells && i < n; i++) ob_cell_close(&frame->cells[i]);
}

bool ob__gives_cell(const ob_frame *frame, size_t i) {
    const ob_session *session = frame->session;
    const ob_type *type = session->output_info[i].type;
    const ob_cell *cell = frame->cells ? frame->cells[session->model->graph->outputs[i]->id] : NULL;
    return ob__is_cell_type(type) || (cell && cell->kind != OB_CELL_TENSOR);
}
