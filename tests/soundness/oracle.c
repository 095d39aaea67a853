#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/graph/copy.h"
#include "ops/library/resolve.h"
#include "ops/table/op.h"
#include "passes/check/names.h"
#include "passes/expand/expand.h"
#include "runtime/memory.h"
#include "runtime/plan/reads.h"
#include "runtime/run/cells.h"
#include "runtime/run/steps.h"
#include "runtime/session.h"
#include "runtime/stop.h"
#include "runtime/support.h"

enum { MAX_ELEMS = 1 << 18, MAX_TRIPS = 40, MAX_IN = 64 };

struct oracle {
    ob_session *session; /* of an empty model: provides allocator and threads */
    ob_model *own, *model;
    ob_view *views;  /* by value id */
    ob_cell **cells; /* by value id: sequences, optionals and maps */
    bool *known;     /* by value id */
    bool *done;      /* by node id */
    ob_owned_memory *blocks;
    ob_arena strings;
    run_result *result;
    ob_error error;
};

static ob_status run_graph(oracle *o, const ob_graph *graph);

/* ---- Making ---- */

static ob_session *new_session(ob_error *error) {
    static const char text[] =
        "<ir_version: 8, opset_import: [\"\" : 17]>\nempty (float[1] x) => (float[1] y) { y = Identity (x) }";
    ob_model *model = NULL;
    ob_session *session = NULL;
    if (ob_model_load_memory(text, sizeof text - 1, "empty", NULL, &model, error) != OB_OK) return NULL;
    ob_session_config config;
    ob_session_config_init(&config);
    config.max_memory = ORACLE_MEMORY;
    if (ob_session_create(model, &config, &session, error) != OB_OK) session = NULL;
    ob_model_close(&model);
    return session;
}

ob_status inlined_copy(const ob_model *model, ob_model **out, ob_error *error) {
    ob_model *copy = NULL;
    ob_status status = ob_model_clone(model, &copy, error);
    if (status == OB_OK) status = ob__model_resolve_ops(copy);
    if (status == OB_OK) status = ob__inline_functions(copy, 1 << 16, error);
    if (status == OB_OK)
        *out = copy;
    else
        ob_model_close(&copy);
    return status;
}

oracle *oracle_new(const ob_model *model, ob_error *error) {
    oracle *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->session = new_session(error);
    ob_status status = o->session ? inlined_copy(model, &o->model, error) : OB_E_MEMORY;
    if (status == OB_OK) status = ob__name_required_results(o->model);
    if (status != OB_OK) {
        oracle_free(o);
        return NULL;
    }
    o->own = o->session->model;
    o->session->model = o->model;
    ob__arena_init(&o->strings, &o->session->allocator);
    o->session->constants = /* without the session's memory */
        ob__arena_calloc(&o->session->arena, o->model->n_values, sizeof *o->session->constants);
    if (!o->session->constants) {
        oracle_free(o);
        return NULL;
    }
    o->views = calloc(o->model->n_values + 1, sizeof *o->views);
    o->cells = calloc(o->model->n_values + 1, sizeof *o->cells);
    o->known = calloc(o->model->n_values + 1, sizeof *o->known);
    o->done = calloc(o->model->n_nodes + 1, sizeof *o->done);
    return o;
}

void oracle_free(oracle *o) {
    if (!o) return;
    if (o->own) {
        o->session->model = o->own;
        ob__arena_release(&o->strings);
    }
    ob_session_close(&o->session);
    ob_model_close(&o->model);
    free(o->views);
    free(o->cells);
    free(o->known);
    free(o->done);
    free(o);
}

/* ---- Values ---- */

static ob_status skip(oracle *o, const ob_node *node, const char *why) {
    o->result->outcome = RUN_SKIPPED;
    return ob__at_node(&o->error, node, ob__fail(&o->error, OB_E_UNSUPPORTED, "%s", why));
}

static ob_status new_view(oracle *o, ob_dtype dtype, int32_t rank, const int64_t *dims, ob_view *out) {
    uint64_t n_bytes;
    if (!ob__tensor_bytes(dtype, rank, dims, &n_bytes)) return OB_E_LIMIT;
    void *data = ob__own_memory(&o->session->allocator, &o->blocks, n_bytes, NULL);
    return data ? ob_view_init(out, data, dtype, rank, dims) : OB_E_MEMORY;
}

static void set(oracle *o, const ob_value *value, const ob_view *view) {
    if (!value) return;
    ob_cell_close(&o->cells[value->id]);
    o->views[value->id] = *view;
    o->known[value->id] = true;
}

/* The same value under another name. */
static void set_like(oracle *o, const ob_value *value, const ob_value *from) {
    if (!value) return;
    ob_cell *cell = ob__cell_hold(o->cells[from->id]);
    set(o, value, &o->views[from->id]);
    o->cells[value->id] = cell;
}

static ob_status set_scalar(oracle *o, const ob_value *value, ob_dtype dtype, int64_t element) {
    ob_view view;
    OB_TRY(new_view(o, dtype, 0, NULL, &view));
    if (dtype == OB_BOOL)
        *(uint8_t *)view.data = element != 0;
    else
        memcpy(view.data, &element, sizeof element);
    set(o, value, &view);
    return OB_OK;
}

static int64_t read_int(const ob_view *view) {
    if (view->dtype == OB_BOOL) return *(const uint8_t *)view->data;
    int64_t element;
    memcpy(&element, view->data, sizeof element);
    return element;
}

static ob_status set_weights(oracle *o, const ob_graph *graph) {
    for (uint32_t i = 0; i < graph->n_initializers; i++) {
        const ob_value *value = graph->initializers[i];
        const ob_tensor *tensor = value->data;
        ob_view view;
        if (value->is_input && o->known[value->id]) continue; /* given instead of it */
        OB_TRY(new_view(o, tensor->dtype, tensor->rank, tensor->dims, &view));
        size_t n_bytes = (size_t)tensor->n_elems * ob_dtype_size(tensor->dtype);
        if (n_bytes) memcpy(view.data, tensor->data, n_bytes);
        set(o, value, &view);
    }
    return OB_OK;
}

/* ---- Control flow ---- */

static const ob_graph *graph_of(const ob_node *node, const char *name) {
    const ob_attribute *attribute = ob__node_attribute(node, name);
    return attribute && attribute->type == OB_ATTR_GRAPH ? attribute->u.graph : NULL;
}

static ob_status run_if(oracle *o, const ob_node *node) {
    const ob_view *condition = &o->views[node->inputs[0]->id];
    if (ob_view_count(condition) != 1)
        return ob__at_node(&o->error, node, ob__fail(&o->error, OB_E_SHAPE, "a condition of several elements"));
    const ob_graph *branch = graph_of(node, read_int(condition) ? "then_branch" : "else_branch");
    OB_TRY(run_graph(o, branch));
    for (uint32_t i = 0; i < node->n_outputs; i++) set_like(o, node->outputs[i], branch->outputs[i]);
    return OB_OK;
}

/* n pieces of one shape as one tensor. */
static ob_status stack(oracle *o, const ob_node *node, const ob_view *pieces, int64_t n, const ob_value *to) {
    int64_t dims[OB_MAX_RANK] = {n};
    ob_view view;
    if (n == 0) return skip(o, node, "the shape of a stack of nothing is not defined");
    for (int64_t i = 1; i < n; i++) {
        bool same = pieces[i].rank == pieces[0].rank;
        for (int32_t k = 0; same && k < pieces[0].rank; k++) same = pieces[i].dims[k] == pieces[0].dims[k];
        if (!same)
            return ob__at_node(&o->error, node, ob__fail(&o->error, OB_E_SHAPE, "iterations give different shapes to stack"));
    }
    if (pieces[0].rank) memcpy(dims + 1, pieces[0].dims, (size_t)pieces[0].rank * sizeof *dims);
    OB_TRY(new_view(o, pieces[0].dtype, pieces[0].rank + 1, dims, &view));
    size_t n_bytes = (size_t)ob_view_count(&pieces[0]) * ob_dtype_size(view.dtype);
    for (int64_t i = 0; i < n; i++) {
        ob_view part = view;
        part.rank--;
        memmove(part.dims, part.dims + 1, (size_t)part.rank * sizeof *part.dims);
        memmove(part.strides, part.strides + 1, (size_t)part.rank * sizeof *part.strides);
        part.data = (char *)view.data + (size_t)i * n_bytes;
        OB_TRY(ob_view_assign(&part, &pieces[i], &o->error));
    }
    set(o, to, &view);
    return OB_OK;
}

static ob_status run_loop(oracle *o, const ob_node *node) {
    const ob_graph *body = graph_of(node, "body");
    uint32_t n_state = node->n_inputs - 2, n_stacked = node->n_outputs - n_state;
    int64_t trips = node->inputs[0] ? read_int(&o->views[node->inputs[0]->id]) : MAX_TRIPS + 1, i = 0;
    bool go_on = !node->inputs[1] || read_int(&o->views[node->inputs[1]->id]);
    ob_view state[MAX_IN], next[MAX_IN];
    if (node->n_outputs > MAX_IN || node->n_inputs > MAX_IN) return OB_E_LIMIT;
    if (trips > MAX_TRIPS) return skip(o, node, "too many rounds");
    ob_view *pieces = OB_ARENA_ARRAY(&o->strings, ob_view, (size_t)(n_stacked + 1) * MAX_TRIPS);
    if (!pieces) return OB_E_MEMORY;
    for (uint32_t k = 0; k < n_state; k++) state[k] = o->views[node->inputs[k + 2]->id];
    for (; i < trips && go_on; i++) {
        OB_TRY(set_scalar(o, body->inputs[0], OB_INT64, i));
        OB_TRY(set_scalar(o, body->inputs[1], OB_BOOL, 1));
        for (uint32_t k = 0; k < n_state; k++) set(o, body->inputs[k + 2], &state[k]);
        OB_TRY(run_graph(o, body));
        go_on = read_int(&o->views[body->outputs[0]->id]);
        for (uint32_t k = 0; k < n_state; k++) next[k] = o->views[body->outputs[k + 1]->id];
        for (uint32_t k = 0; k < n_stacked; k++) pieces[k * MAX_TRIPS + i] = o->views[body->outputs[k + 1 + n_state]->id];
        memcpy(state, next, n_state * sizeof *state);
    }
    for (uint32_t k = 0; k < n_state; k++) set(o, node->outputs[k], &state[k]);
    for (uint32_t k = 0; k < n_stacked; k++) OB_TRY(stack(o, node, pieces + k * MAX_TRIPS, i, node->outputs[n_state + k]));
    return OB_OK;
}

/* Opset 9 and later, along axis 0. */
static ob_status run_scan(oracle *o, const ob_node *node) {
    const ob_graph *body = graph_of(node, "body");
    uint32_t n_scan = (uint32_t)ob__node_int(node, "num_scan_inputs", 0), n_state = node->n_inputs - n_scan;
    uint32_t n_stacked = node->n_outputs - n_state;
    ob_view state[MAX_IN];
    if (node->n_outputs > MAX_IN || node->n_inputs > MAX_IN) return OB_E_LIMIT;
    for (uint32_t k = 0; k < n_state; k++) state[k] = o->views[node->inputs[k]->id];
    int64_t trips = o->views[node->inputs[n_state]->id].dims[0];
    for (uint32_t k = n_state; k < node->n_inputs; k++)
        if (o->views[node->inputs[k]->id].dims[0] != trips)
            return ob__at_node(&o->error, node, ob__fail(&o->error, OB_E_SHAPE, "operands of different length to scan"));
    if (trips > MAX_TRIPS) return skip(o, node, "too many rounds");
    ob_view *pieces = OB_ARENA_ARRAY(&o->strings, ob_view, (size_t)(n_stacked + 1) * MAX_TRIPS);
    if (!pieces) return OB_E_MEMORY;
    for (int64_t i = 0; i < trips; i++) {
        for (uint32_t k = 0; k < n_state; k++) set(o, body->inputs[k], &state[k]);
        for (uint32_t k = n_state; k < node->n_inputs; k++) {
            ob_view part = o->views[node->inputs[k]->id];
            part.data = (char *)part.data + i * part.strides[0];
            part.rank--;
            memmove(part.dims, part.dims + 1, (size_t)part.rank * sizeof *part.dims);
            memmove(part.strides, part.strides + 1, (size_t)part.rank * sizeof *part.strides);
            set(o, body->inputs[k], &part);
        }
        OB_TRY(run_graph(o, body));
        for (uint32_t k = 0; k < n_state; k++) state[k] = o->views[body->outputs[k]->id];
        for (uint32_t k = 0; k < n_stacked; k++) pieces[k * MAX_TRIPS + i] = o->views[body->outputs[k + n_state]->id];
    }
    for (uint32_t k = 0; k < n_state; k++) set(o, node->outputs[k], &state[k]);
    for (uint32_t k = 0; k < n_stacked; k++) OB_TRY(stack(o, node, pieces + k * MAX_TRIPS, trips, node->outputs[n_state + k]));
    return OB_OK;
}

/* ---- Nodes ---- */

/* The operands as tensors, and as cells if they are not tensors. */
static void find_operands(const oracle *o, const ob_node *node, ob_view *in, ob_cell **cells) {
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        if (!node->inputs[i]) continue;
        in[i] = o->views[node->inputs[i]->id];
        cells[i] = ob__cell_hold(o->cells[node->inputs[i]->id]);
        if (cells[i]) ob_cell_view(cells[i], &in[i]);
    }
}

static ob_status keep_results(oracle *o, const ob_node *node, const ob_view *out, ob_cell **cells) {
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (!node->outputs[i]) continue;
        ob_view view = out[i];
        if (cells[i]) ob_cell_view(cells[i], &view);
        if (view.dtype != OB_NONE && ob_view_count(&view) > MAX_ELEMS) return skip(o, node, "too large");
        set(o, node->outputs[i], &view);
        o->cells[node->outputs[i]->id] = cells[i];
        cells[i] = NULL;
    }
    return OB_OK;
}

static ob_status run_kernel(oracle *o, const ob_node *node) {
    ob_view in[MAX_IN] = {0}, out[MAX_IN] = {0};
    ob_cell *in_cells[MAX_IN] = {0}, *out_cells[MAX_IN] = {0};
    ob_kernel_cells cells = {.in = in_cells, .out = out_cells, .allocator = &o->session->allocator};
    if (node->n_inputs > MAX_IN || node->n_outputs > MAX_IN) return OB_E_LIMIT;
    if (!node->op || !node->op->kernel || (!node->op->kernel->run && !node->op->kernel->view)) return skip(o, node, "no kernel");
    find_operands(o, node, in, in_cells);
    ob__stop_begin(&o->session->stop, 0);
    ob_owned_memory *spare = NULL;
    ob_status status = ob__execute_node(o->session, node, in, out, &cells, &o->blocks, &spare, &o->strings, &o->error);
    if (status == OB_OK) status = keep_results(o, node, out, out_cells);
    ob__drop_cells(in_cells, node->n_inputs);
    ob__drop_cells(out_cells, node->n_outputs);
    return status;
}

static ob_status run_node(oracle *o, const ob_node *node) {
    if (strcmp(node->domain, "") == 0) {
        if (strcmp(node->op_type, "If") == 0) return run_if(o, node);
        if (strcmp(node->op_type, "Loop") == 0) return run_loop(o, node);
        if (strcmp(node->op_type, "Scan") == 0) return run_scan(o, node);
    }
    return run_kernel(o, node);
}

static ob_status is_known(void *context, ob_value *value) {
    const oracle *o = context;
    return o->known[value->id] ? OB_OK : OB_E_NOT_FOUND;
}

static bool is_ready(oracle *o, const ob_node *node) {
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] && !o->known[node->inputs[i]->id]) return false;
    return ob__each_read(node, is_known, o) == OB_OK;
}

/* Nodes may be in any order. */
static ob_status run_graph(oracle *o, const ob_graph *graph) {
    OB_TRY(set_weights(o, graph));
    for (const ob_node *node = graph->first; node; node = node->next) {
        o->done[node->id] = false;
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) o->known[node->outputs[i]->id] = false;
    }
    for (uint32_t n_done = 0; n_done < graph->n_nodes;) {
        uint32_t before = n_done;
        for (const ob_node *node = graph->first; node; node = node->next) {
            if (o->done[node->id] || !is_ready(o, node)) continue;
            OB_TRY(run_node(o, node));
            o->done[node->id] = true;
            n_done++;
        }
        if (n_done == before) return ob__fail(&o->error, OB_E_MODEL, "a circle");
    }
    return OB_OK;
}

static ob_status set_inputs(oracle *o, const int64_t *dims, uint32_t data) {
    const ob_graph *graph = o->model->graph;
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_value *value = graph->inputs[i];
        int32_t rank = value->declared.shape.rank;
        ob_view view;
        OB_TRY(new_view(o, value->declared.dtype, rank, dims, &view));
        dims += rank;
        int64_t count = ob_view_count(&view);
        if (count > MAX_ELEMS) return skip(o, NULL, "too large");
        for (int64_t k = 0; k < count; k++) {
            const float one = 1;
            int64_t integer = data & 3;
            if (value->declared.dtype == OB_FLOAT)
                memcpy((char *)view.data + k * 4, &one, 4);
            else if (value->declared.dtype == OB_INT64)
                memcpy((char *)view.data + k * 8, &integer, 8);
            else if (value->declared.dtype == OB_BOOL)
                *((uint8_t *)view.data + k) = data & 1;
        }
        if (value->is_initializer && data % 4 == 3) set(o, value, &view);
        if (value->declared.dtype != OB_FLOAT) data >>= 2;
        if (!value->is_initializer) set(o, value, &view);
    }
    return OB_OK;
}

static uint64_t mixed(uint64_t state, int64_t word) {
    return (state ^ (uint64_t)word) * UINT64_C(0x9E3779B97F4A7C15) + (state >> 29);
}

uint64_t run_hash(const ob_view *views, size_t n) {
    uint64_t state = 0;
    for (size_t i = 0; i < n; i++) {
        state = mixed(state, views[i].rank);
        for (int32_t k = 0; k < views[i].rank; k++) state = mixed(state, views[i].dims[k]);
    }
    return state;
}

void oracle_run(oracle *o, const int64_t *dims, uint32_t data, run_result *out) {
    const ob_graph *graph = o->model->graph;
    memset(out, 0, sizeof *out);
    memset(o->known, 0, o->model->n_values * sizeof *o->known);
    ob_error_clear(&o->error);
    o->result = out;
    ob_status status = set_inputs(o, dims, data);
    if (status == OB_OK) status = run_graph(o, graph);
    out->status = status;
    if (status == OB_OK) {
        ob_view outputs[MAX_IN];
        uint32_t n = graph->n_outputs < MAX_IN ? graph->n_outputs : MAX_IN;
        for (uint32_t i = 0; i < n; i++) outputs[i] = o->views[graph->outputs[i]->id];
        out->shapes = run_hash(outputs, n);
    } else {
        if (out->outcome == RUN_WORKS)
            out->outcome = status == OB_E_SHAPE || status == OB_E_CONDITION || status == OB_E_MODEL ? RUN_FAILS
                           : status == OB_E_ARGUMENT                                                ? RUN_BAD_DATA
                                                                                                    : RUN_SKIPPED;
        snprintf(out->node, sizeof out->node, "%s", o->error.node);
        snprintf(out->op_type, sizeof out->op_type, "%s", o->error.op_type);
        snprintf(out->message, sizeof out->message, "%.280s", o->error.message);
    }
    ob__drop_cells(o->cells, o->model->n_values);
    ob__free_owned(&o->session->allocator, &o->blocks);
    ob__arena_restart(&o->strings);
}
