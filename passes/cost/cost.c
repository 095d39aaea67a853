/* Liveness of values, and the memory of explicit copies: see include/onnx_broadcast/cost.h. */
#include "passes/cost/cost.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "passes/check/groups.h"
#include "passes/check/names.h"
#include "passes/report/report.h"

enum { DEEPEST = 64 }; /* bodies in bodies */

struct ob_cost {
    ob_allocator allocator;
    ob_arena arena;
    ob_cost_info info;
    ob_cost_row *rows;
    int64_t *needed; /* by node id, n_ids: bytes with explicit copies; INT64_MAX: not known */
    uint32_t n_ids;
};

typedef struct costing {
    ob_cost *cost;
    ob_report *report;
    const ob_facts *facts;
    ob_arena *arena;
    ob_arena scratch;   /* of the current row */
    uint32_t *position; /* by node id: order of the nodes, those of a body after its node */
    uint32_t n_positions;
    const ob_node **last;    /* by value id: the node of the value's own graph that reads it last, itself or in a body */
    const ob_value **ending; /* by node id: the first value that this node reads last; NULL: none */
    const ob_value **next;   /* by value id: the next one of the same node */
    int64_t *live;           /* by node id: bytes of values while it runs */
    const char *why_unknown; /* the first reason; NULL: none */
    bool failed;             /* no memory */
} costing;

static int64_t add_sat(int64_t a, int64_t b) {
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* -1: not known. */
static int64_t bytes_of_type(const ob_type *type) {
    int64_t n = type->kind == OB_TYPE_TENSOR ? (int64_t)ob_dtype_size(type->dtype) : 0;
    if (n == 0 || type->shape.rank == OB_RANK_UNKNOWN) return -1;
    bool empty = false;
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        const ob_dim size = type->shape.dims[axis];
        if (!ob_dim_is_const(size)) return -1;
        empty = empty || size == 0;
        if (size > 0) n = n > INT64_MAX / size ? INT64_MAX : n * size;
    }
    return empty ? 0 : n;
}

static void say_unknown(costing *c, const char *format, const char *name) {
    if (c->why_unknown) return;
    c->why_unknown = ob__arena_printf(c->arena, format, name);
    c->failed = c->failed || !c->why_unknown;
}

/* 0 if it is not known, which is noted. */
static int64_t bytes_of(costing *c, const ob_value *value) {
    const int64_t n = bytes_of_type(&ob__fact(c->facts, value)->type);
    if (n >= 0) return n;
    say_unknown(c, "the size of \"%.200s\" is not known", value->name);
    return 0;
}

/* ---- Readers ---- */

static ob_status number_nodes(void *context, ob_graph *graph) {
    costing *c = context;
    for (const ob_node *node = graph->first; node; node = node->next) c->position[node->id] = c->n_positions++;
    return OB_OK;
}

/* The reader of a value in the value's own graph: the node itself, or the one whose body contains it. */
static const ob_node *reader_in(const ob_graph *graph, const ob_node *node) {
    for (uint32_t depth = 0; node && node->graph != graph && depth < DEEPEST; depth++) node = node->graph->parent_node;
    return node && node->graph == graph ? node : NULL;
}

static void note_reader(costing *c, const ob_value *value, const ob_node *node) {
    const ob_node *reader = value ? reader_in(value->graph, node) : NULL;
    if (!reader) return;
    const ob_node *known = c->last[value->id];
    if (!known || c->position[reader->id] > c->position[known->id]) c->last[value->id] = reader;
}

/* Outputs of a body can be values of a graph around it, which the node of the body then reads. */
static ob_status note_readers(void *context, ob_graph *graph) {
    costing *c = context;
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_inputs; i++) note_reader(c, node->inputs[i], node);
    for (uint32_t i = 0; graph->parent_node && i < graph->n_outputs; i++)
        if (graph->outputs[i]->graph != graph) note_reader(c, graph->outputs[i], graph->parent_node);
    return OB_OK;
}

static ob_status link_values(void *context, ob_graph *graph) {
    costing *c = context;
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++) {
            const ob_value *value = node->outputs[i];
            const ob_node *last = value ? c->last[value->id] : NULL;
            if (!value || value->is_output) continue;
            if (!last) last = node; /* nobody reads it */
            c->next[value->id] = c->ending[last->id];
            c->ending[last->id] = value;
        }
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_value *value = graph->inputs[i];
        const ob_node *last = c->last[value->id];
        if (!last || value->is_output || value->is_initializer) continue; /* an input without reader stays */
        c->next[value->id] = c->ending[last->id];
        c->ending[last->id] = value;
    }
    return OB_OK;
}

/* ---- Memory over time ---- */

/* Most bytes of the graph's own values at a time; *where: the node, NULL: before the first. */
static int64_t peak_of(costing *c, const ob_graph *graph, uint32_t depth, const ob_node **where) {
    int64_t now = 0;
    for (uint32_t i = 0; i < graph->n_inputs; i++)
        if (!graph->inputs[i]->is_initializer) now = add_sat(now, bytes_of(c, graph->inputs[i]));
    int64_t peak = now;
    *where = NULL;
    for (const ob_node *node = graph->first; node; node = node->next) {
        int64_t of_body = 0;
        for (uint32_t i = 0; i < node->n_attributes; i++) {
            const ob_attribute *attribute = node->attributes[i];
            const uint32_t n = attribute->type == OB_ATTR_GRAPH || attribute->type == OB_ATTR_GRAPHS ? attribute->n : 0;
            for (uint32_t k = 0; k < n; k++) {
                const ob_graph *body = attribute->type == OB_ATTR_GRAPH ? attribute->u.graph : attribute->u.graphs[k];
                const ob_node *inside;
                if (!body) continue;
                if (depth == DEEPEST) {
                    say_unknown(c, "bodies are too deep at \"%.200s\"", ob__node_label(node));
                    continue;
                }
                const int64_t bytes = peak_of(c, body, depth + 1, &inside);
                if (bytes > of_body) of_body = bytes;
            }
        }
        if (node->function) say_unknown(c, "\"%.200s\" calls a function of the model", ob__node_label(node));
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) now = add_sat(now, bytes_of(c, node->outputs[i]));
        const int64_t live = add_sat(now, of_body);
        c->live[node->id] = live;
        if (live > peak) {
            peak = live;
            *where = node;
        }
        for (const ob_value *value = c->ending[node->id]; value; value = c->next[value->id])
            if (now < INT64_MAX) now -= bytes_of(c, value);
    }
    return peak;
}

/* ---- Rows ---- */

static int compare_rows(const void *a, const void *b) {
    const ob_cost_row *x = a, *y = b;
    if (x->copied_bytes != y->copied_bytes) return x->copied_bytes > y->copied_bytes ? -1 : 1;
    return x->broadcast < y->broadcast ? -1 : 1;
}

/* Bytes of the stretched operands as they are; -1: not known. */
static int64_t operand_bytes(const ob_facts *facts, const ob_node *node, const ob_group *group) {
    int64_t total = 0;
    for (uint32_t i = 0; i < group->n; i++) {
        bool stretched = false;
        for (int32_t axis = 0; axis < group->result.rank && !stretched; axis++) stretched = ob__group_stretched(group, i, axis);
        if (!stretched || group->inputs[i] == OB_NOT_AN_INPUT) continue;
        const int64_t n = bytes_of_type(&ob__fact(facts, node->inputs[group->inputs[i]])->type);
        if (n < 0) return -1;
        total = add_sat(total, n);
    }
    return total;
}

static ob_status add_row(costing *c, size_t index, int64_t peak, const ob_node **explicit_node) {
    ob_cost_info *info = &c->cost->info;
    ob_broadcast_info broadcast;
    ob__arena_restart(&c->scratch);
    ob_group *group = OB_ARENA_NEW(&c->scratch, ob_group);
    const ob_listed_broadcast *at = &c->report->broadcasts[index];
    bool found = false;
    if (!group) return OB_E_MEMORY;
    OB_TRY(ob_report_broadcast(c->report, index, &broadcast));
    const ob_dim copied = broadcast.copied_bytes;
    if (copied == 0) return OB_OK; /* there is nothing to copy */
    ob_cost_row row = {index, -1, -1, -1, -1};
    if (ob_dim_is_const(copied)) {
        row.copied_bytes = copied;
        OB_TRY(ob__group_of(ob__call_view_at(&c->report->view, at->called), c->report->model->dims, at->node, &c->scratch, group,
                            &found));
        if (found) row.operand_bytes = operand_bytes(ob__call_view_at(&c->report->view, at->called), at->node, group);
    }
    const bool is_main = at->node->graph == c->report->model->graph;
    if (is_main && !c->why_unknown) {
        row.live_bytes = c->live[at->node->id];
        if (row.copied_bytes >= 0) {
            const int64_t with_copies = add_sat(row.live_bytes, row.copied_bytes);
            row.peak_change = with_copies > peak ? with_copies - peak : 0;
            if (with_copies > info->explicit_bytes) {
                info->explicit_bytes = with_copies;
                *explicit_node = at->node;
            }
        }
    }
    int64_t *needed = &c->cost->needed[at->node->id];
    const int64_t bytes = row.live_bytes >= 0 && row.copied_bytes >= 0 ? add_sat(row.live_bytes, row.copied_bytes) : INT64_MAX;
    if (bytes > *needed) *needed = bytes;
    c->cost->rows[info->n_nodes++] = row;
    return OB_OK;
}

static ob_status count_weights(void *context, ob_graph *graph) {
    ob_cost_info *info = context;
    for (uint32_t i = 0; i < graph->n_initializers; i++) {
        const ob_tensor *data = graph->initializers[i]->data;
        const int64_t size = data ? (int64_t)ob_dtype_size(data->dtype) : 0;
        if (data && size > 0)
            info->weight_bytes = add_sat(info->weight_bytes, data->n_elems > INT64_MAX / size ? INT64_MAX : data->n_elems * size);
    }
    return OB_OK;
}

static const char *keep_name(costing *c, const ob_node *node) {
    const char *name = node ? ob__node_label(node) : "";
    return ob__arena_strndup(c->arena, name, strlen(name));
}

static ob_status compute(costing *c) {
    ob_model *model = c->report->model;
    ob_cost_info *info = &c->cost->info;
    const ob_node *peak_node = NULL, *explicit_node;
    c->position = OB_ARENA_ARRAY(c->arena, uint32_t, model->n_nodes);
    c->last = OB_ARENA_ARRAY(c->arena, const ob_node *, model->n_values);
    c->next = OB_ARENA_ARRAY(c->arena, const ob_value *, model->n_values);
    c->ending = OB_ARENA_ARRAY(c->arena, const ob_value *, model->n_nodes);
    c->live = OB_ARENA_ARRAY(c->arena, int64_t, model->n_nodes);
    const size_t n = ob_report_broadcast_count(c->report);
    c->cost->rows = OB_ARENA_ARRAY(c->arena, ob_cost_row, n);
    c->cost->needed = OB_ARENA_ARRAY(c->arena, int64_t, model->n_nodes);
    c->cost->n_ids = model->n_nodes;
    if (model->n_nodes && !c->cost->needed) return OB_E_MEMORY;
    if (!c->position || !c->last || !c->next || !c->ending || !c->live || (n && !c->cost->rows)) return OB_E_MEMORY;
    OB_TRY(ob__model_each_graph(model, number_nodes, c));
    OB_TRY(ob__model_each_graph(model, note_readers, c));
    OB_TRY(ob__model_each_graph(model, link_values, c));
    OB_TRY(ob__graph_each(model->graph, count_weights, info));
    const int64_t peak = peak_of(c, model->graph, 0, &peak_node);
    info->explicit_bytes = peak;
    explicit_node = peak_node;
    for (size_t i = 0; i < n; i++) OB_TRY(add_row(c, i, peak, &explicit_node));
    if (info->n_nodes) qsort(c->cost->rows, info->n_nodes, sizeof *c->cost->rows, compare_rows);
    if (c->failed) return OB_E_MEMORY;
    info->unknown = c->why_unknown ? c->why_unknown : "";
    info->peak_bytes = c->why_unknown ? -1 : peak;
    for (size_t i = 0; i < info->n_nodes; i++) /* then a copy of unknown size is missing */
        if (c->cost->rows[i].copied_bytes < 0) info->explicit_bytes = -1;
    if (c->why_unknown) info->explicit_bytes = -1;
    info->peak_node = keep_name(c, c->why_unknown ? NULL : peak_node);
    info->explicit_node = keep_name(c, info->explicit_bytes < 0 ? NULL : explicit_node);
    return info->peak_node && info->explicit_node ? OB_OK : OB_E_MEMORY;
}

ob_status ob_cost_create(ob_report *report, ob_cost **out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!report || !out, error, OB_E_ARGUMENT, "ob_cost_create: report and out must not be NULL");
    const ob_allocator allocator = report->allocator;
    ob_cost *cost = allocator.alloc(allocator.context, sizeof *cost);
    OB_FAIL_IF(!cost, error, OB_E_MEMORY, "out of memory");
    *cost = (ob_cost){.allocator = allocator};
    ob__arena_init(&cost->arena, &cost->allocator);
    costing c = {.cost = cost, .report = report, .facts = &report->facts, .arena = &cost->arena};
    ob__arena_init(&c.scratch, &cost->allocator);
    const ob_status status = compute(&c);
    ob__arena_release(&c.scratch);
    if (status != OB_OK) {
        ob_cost_close(&cost);
        return ob__described(error, status, "");
    }
    *out = cost;
    return OB_OK;
}

void ob_cost_close(ob_cost **cost) {
    if (!cost || !*cost) return;
    ob_cost *closing = *cost;
    *cost = NULL;
    ob__arena_release(&closing->arena);
    const ob_allocator allocator = closing->allocator;
    allocator.free(allocator.context, closing, sizeof *closing);
}

bool ob__cost_fits(const ob_cost *cost, uint32_t node, int64_t most) {
    return node < cost->n_ids && cost->needed[node] <= most;
}

ob_cost_info ob_cost_get_info(const ob_cost *cost) {
    if (cost) return cost->info;
    return (ob_cost_info){.unknown = "", .peak_node = "", .explicit_node = "", .peak_bytes = -1, .explicit_bytes = -1};
}

ob_cost_row ob_cost_at(const ob_cost *cost, size_t index) {
    if (cost && index < cost->info.n_nodes) return cost->rows[index];
    return (ob_cost_row){0, -1, -1, -1, -1};
}
