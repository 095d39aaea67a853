#include "passes/report.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/terms.h"
#include "ops/op.h"
#include "passes/explicit.h"
#include "passes/groups.h"
#include "passes/names.h"
#include "passes/origin.h"

/* ---- Finishing ------------------------------------------------------------------------------------------------------ */

typedef struct counter {
    ob_report *report;
    ob_arena scratch;
    uint32_t *position; /* of a node in the order of graphs, by id */
    uint32_t n_positions;
    uint32_t n_open_patterns; /* patterns of broadcasts whose result has an open size */
} counter;

enum { MANY_TERMS = 256 }; /* patterns of open size that are summed up */

static int64_t saturating_mul(int64_t a, int64_t b) {
    int64_t product;
    return ob__mul_overflows(a, b, &product) ? INT64_MAX : product;
}

/* Bytes of the result for each operand that has, or may have, another shape. */
static ob_dim copied_bytes(ob_dims *dims, const ob_facts *facts, const ob_node *node, const ob_group *group) {
    ob_dim total = 0;
    for (uint32_t i = 0; i < group->n; i++) {
        bool stretched = group->result.rank == OB_RANK_UNKNOWN;
        for (int32_t axis = 0; axis < group->result.rank && !stretched; axis++) stretched = ob__group_stretched(group, i, axis);
        if (!stretched || group->inputs[i] == OB_NOT_AN_INPUT) continue;
        if (group->result.rank == OB_RANK_UNKNOWN) return OB_DIM_UNKNOWN;
        size_t n_bytes = ob_dtype_size(ob__fact(facts, node->inputs[group->inputs[i]])->type.dtype);
        if (n_bytes == 0) return OB_DIM_UNKNOWN;
        ob_dim product = (ob_dim)n_bytes;
        for (int32_t axis = 0; axis < group->result.rank; axis++) {
            bool own = axis >= group->result.rank - group->n_fixed_axes; /* matrix axes are the operand's own */
            ob_dim size = own ? ob__group_dim(group, i, axis) : group->result.dims[axis];
            if (ob_dim_is_const(product) && ob_dim_is_const(size)) {
                product = saturating_mul(product, size);
                if (product > OB_DIM_CONST_MAX) product = OB_DIM_CONST_MAX;
            } else {
                product = ob_dim_mul(dims, product, size);
            }
        }
        if (ob_dim_is_const(total) && ob_dim_is_const(product))
            total = product > OB_DIM_CONST_MAX - total ? OB_DIM_CONST_MAX : total + product;
        else
            total = ob_dim_add(dims, total, product);
    }
    return total;
}

static ob_status list_broadcast(ob_report *report, const ob_node *node) {
    if (report->summary.n_broadcasts == report->broadcasts_capacity) {
        size_t capacity = report->broadcasts_capacity ? report->broadcasts_capacity * 2 : 64;
        const ob_node **grown = OB_ARENA_ARRAY(&report->arena, const ob_node *, capacity);
        if (!grown) return OB_E_MEMORY;
        if (report->summary.n_broadcasts) memcpy(grown, report->broadcasts, report->summary.n_broadcasts * sizeof *grown);
        report->broadcasts = grown;
        report->broadcasts_capacity = capacity;
    }
    report->broadcasts[report->summary.n_broadcasts++] = node;
    return OB_OK;
}

static bool is_number(const ob_shape *shape) {
    for (int32_t i = 0; i < shape->rank; i++)
        if (!ob_dim_is_const(shape->dims[i])) return false;
    return shape->rank != OB_RANK_UNKNOWN;
}

static ob_status count_node(counter *c, const ob_node *node) {
    ob_report *report = c->report;
    ob_report_summary *summary = &report->summary;
    ob_group group;
    bool found, is_new;
    ob_dim *bytes;
    OB_TRY(ob__group_of(&report->facts, report->model->dims, node, &c->scratch, &group, &found));
    if (!found) return OB_OK;
    if (group.plain) {
        summary->n_plain++;
        return OB_OK;
    }
    OB_TRY(ob__alike_broadcast(report, node, &group, summary->n_broadcasts, &bytes, &is_new));
    OB_TRY(list_broadcast(report, node));
    bool fits = ob__group_fits(&group);
    bool open = fits && !is_number(&group.result);
    /* Once for each pattern, and for so many: a term is dear to make for each node of a large model. */
    if (is_new && open && ++c->n_open_patterns > MANY_TERMS)
        *bytes = OB_DIM_UNKNOWN;
    else if (is_new)
        *bytes = fits ? copied_bytes(report->model->dims, &report->facts, node, &group) : 0;
    summary->n_open += open;
    if (!fits || open) return OB_OK;
    if (ob_dim_is_const(*bytes) && __builtin_add_overflow(summary->copied_bytes, *bytes, &summary->copied_bytes))
        summary->copied_bytes = INT64_MAX;
    return OB_OK;
}

static void count_value(ob_report *report, const ob_value *value) {
    const ob_fact *fact = ob__fact(&report->facts, value);
    report->summary.n_values++;
    if (fact->type.kind != OB_TYPE_TENSOR || fact->type.shape.rank == OB_RANK_UNKNOWN) return;
    report->summary.n_ranked++;
    for (int32_t i = 0; i < fact->type.shape.rank; i++) {
        ob_dim size = fact->type.shape.dims[i];
        if (!ob_dim_is_const(size) && ob_dim_is_anonymous(report->model->dims, size)) return;
    }
    report->summary.n_shaped++;
}

static ob_status count_graph(void *context, ob_graph *graph) {
    counter *c = context;
    bool definition = ob__is_explicit_definition(graph); /* its calls are what broadcasts */
    for (const ob_node *node = graph->first; node; node = node->next) {
        c->position[node->id] = c->n_positions++;
        if (!definition) OB_TRY(count_node(c, node));
        c->report->summary.n_nodes++;
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) count_value(c->report, node->outputs[i]);
    }
    for (uint32_t i = 0; i < graph->n_inputs; i++) count_value(c->report, graph->inputs[i]);
    for (uint32_t i = 0; i < graph->n_initializers; i++)
        if (!graph->initializers[i]->is_input) count_value(c->report, graph->initializers[i]);
    return OB_OK;
}

typedef struct sort_key {
    uint32_t position, index;
} sort_key;

static int by_position(const void *a, const void *b) {
    const sort_key *x = a, *y = b;
    if (x->position != y->position) return x->position < y->position ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Gives the findings the severities that are wanted. Only now: what was found decides what else is looked for. */
static void judge_findings(ob_report *report) {
    ob_findings *findings = &report->findings;
    ob_report_summary *summary = &report->summary;
    size_t n_of[OB_SEVERITY_ERROR + 1] = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < findings->n; i++) {
        ob_finding finding = findings->items[i];
        /* Some findings weigh less than their id says, which stands unless another severity is asked for. */
        ob_severity asked = report->severities[finding.id];
        if (asked != ob__finding_row(finding.id)->severity) finding.severity = asked;
        if (finding.severity == OB_SEVERITY_NONE) continue;
        n_of[finding.severity]++;
        findings->items[n++] = finding;
    }
    findings->n = n;
    for (int id = 0; id < OB_FINDING_COUNT; id++) {
        if (report->severities[id] == OB_SEVERITY_NONE) continue;
        n_of[report->severities[id]] += findings->n_dropped[id];
        summary->n_dropped += findings->n_dropped[id];
    }
    summary->n_errors = n_of[OB_SEVERITY_ERROR];
    summary->n_warnings = n_of[OB_SEVERITY_WARNING];
    summary->n_notes = n_of[OB_SEVERITY_NOTE];
}

static ob_status sort_findings(ob_report *report, const counter *c) {
    ob_findings *findings = &report->findings;
    if (findings->n < 2) return OB_OK;
    sort_key *keys = OB_ARENA_ARRAY(&report->arena, sort_key, findings->n);
    ob_finding *sorted = OB_ARENA_ARRAY(&findings->arena, ob_finding, findings->n);
    if (!keys || !sorted) return OB_E_MEMORY;
    for (uint32_t i = 0; i < findings->n; i++) {
        const ob_node *node = findings->items[i].node;
        keys[i] = (sort_key){node ? c->position[node->id] : 0, i};
    }
    qsort(keys, findings->n, sizeof *keys, by_position);
    for (uint32_t i = 0; i < findings->n; i++) sorted[i] = findings->items[keys[i].index];
    findings->items = sorted;
    findings->capacity = findings->n;
    return OB_OK;
}

ob_status ob__report_finish(ob_report *report) {
    counter c = {.report = report};
    ob__arena_init(&c.scratch, &report->allocator);
    c.position = OB_ARENA_ARRAY(&c.scratch, uint32_t, report->model->n_nodes);
    ob_status status = c.position ? ob__model_each_graph(report->model, count_graph, &c) : OB_E_MEMORY;
    judge_findings(report);
    if (status == OB_OK) status = sort_findings(report, &c);
    OB_TRY(ob__arena_finish(&c.scratch, status));
    ob_report_summary *summary = &report->summary;
    summary->n_conditions = report->facts.n_conditions;
    ob__dims_restart(report->model->dims);
    summary->copied_term = ob__alike_bytes(report, &summary->n_uncounted);
    if (ob_dims_status(report->model->dims) == OB_E_MEMORY) return OB_E_MEMORY;
    return OB_OK;
}

ob_report_summary ob_report_get_summary(const ob_report *report) {
    return report->summary;
}

const ob_dims *ob_report_dims(const ob_report *report) {
    return report->model->dims;
}

/* ---- Entries -------------------------------------------------------------------------------------------------------- */

static void restart(ob_arena *arena) {
    ob_allocator allocator = arena->allocator;
    ob__arena_release(arena);
    ob__arena_init(arena, &allocator);
}

size_t ob_report_finding_count(const ob_report *report) {
    return report->findings.n;
}

/* Axis of operand i that meets `axis` of the result. */
static int32_t own_axis(const ob_finding_info *info, size_t i) {
    int32_t rank = 0;
    for (size_t k = 0; k < info->n_operands; k++)
        if (info->operands[k].rank > rank) rank = info->operands[k].rank;
    return info->axis - (rank - info->operands[i].rank);
}

/* Gemm's C meets the product of the others, so that is shown in their place. */
static ob_status operands_of_gemm(ob_report *report, const ob_finding *finding, ob_finding_info *info) {
    ob_arena *arena = &report->finding_texts;
    const ob_node *node = finding->node;
    if (!node || strcmp(node->op_type, "Gemm") != 0 || node->domain[0] || info->n_operands != 3 || finding->operand != 2)
        return OB_OK;
    const ob_shape *a = &info->operands[0], *b = &info->operands[1];
    if (a->rank != 2 || b->rank != 2) return OB_OK;
    ob_shape *shapes = OB_ARENA_ARRAY(arena, ob_shape, 2);
    ob_dim *dims = OB_ARENA_ARRAY(arena, ob_dim, 2);
    const char **names = OB_ARENA_ARRAY(arena, const char *, 2);
    int32_t *inputs = OB_ARENA_ARRAY(arena, int32_t, 2);
    if (!shapes || !dims || !names || !inputs) return OB_E_MEMORY;
    dims[0] = a->dims[ob__node_int(node, "transA", 0) ? 1 : 0];
    dims[1] = b->dims[ob__node_int(node, "transB", 0) ? 0 : 1];
    shapes[0] = (ob_shape){2, dims};
    shapes[1] = info->operands[2];
    names[0] = "A * B";
    names[1] = info->operand_names[2];
    inputs[0] = -1;
    inputs[1] = 2;
    info->n_operands = 2;
    info->operands = shapes;
    info->operand_names = names;
    info->operand_inputs = inputs;
    return OB_OK;
}

static bool add_origin(const char **origins, size_t *n, const char *text) {
    if (!text) return false;
    if (text[0]) origins[(*n)++] = text;
    return true;
}

enum {
    MAX_ORIGINS = 8,
    MANY_INPUTS = 64 /* of a node with more, only these are searched for a size */
};

/* Where the sizes along the axis that is meant came from, for each operand that is not 1 there. */
static ob_status origins_of_finding(ob_report *report, const ob_node *node, ob_finding_info *info) {
    ob_arena *arena = &report->finding_texts;
    if (!node || info->axis < 0) return OB_OK;
    const char **origins = OB_ARENA_ARRAY(arena, const char *, MAX_ORIGINS);
    if (!origins) return OB_E_MEMORY;
    for (size_t i = 0; i < info->n_operands && info->n_origins < MAX_ORIGINS; i++) {
        int32_t axis = own_axis(info, i), input = info->operand_inputs[i];
        if (axis < 0 || axis >= info->operands[i].rank || info->operands[i].dims[axis] == 1) continue;
        const ob_value *value = input >= 0 ? node->inputs[input] : node->n_outputs ? node->outputs[0] : NULL;
        if (!value) continue;
        const char *text = ob__origin_of(&report->facts, report->model->dims, &report->origins, value, axis, arena);
        if (text && text[0] && input >= 0) text = ob__arena_printf(arena, "operand %d: %s", (int)input, text);
        if (!add_origin(origins, &info->n_origins, text)) return OB_E_MEMORY;
    }
    info->origins = origins;
    return OB_OK;
}

ob_status ob_report_finding(ob_report *report, size_t index, ob_finding_info *out) {
    if (index >= report->findings.n) return OB_E_NOT_FOUND;
    const ob_finding *finding = &report->findings.items[index];
    const ob_finding_row *row = ob__finding_row(finding->id);
    const ob_node *node = finding->node;
    ob_arena *arena = &report->finding_texts;
    restart(arena);
    ob_finding_info info = {.id = row->name,
                            .title = row->title,
                            .severity = finding->severity,
                            .node = node ? ob__shown_name(ob__node_label(node), OB_NAME_SHOWN, arena) : "",
                            .op_type = node ? ob__shown_name(node->op_type, OB_NAME_SHOWN, arena) : "",
                            .domain = node ? ob__shown_name(node->domain, OB_NAME_SHOWN, arena) : "",
                            .value = finding->value ? ob__shown_name(finding->value->name, OB_NAME_SHOWN, arena) : "",
                            .path = finding->call_path ? finding->call_path : "",
                            .operand = finding->operand,
                            .axis = finding->axis,
                            .message = finding->message,
                            .n_operands = finding->operands ? finding->n_operands : 0,
                            .operands = finding->operands,
                            .condition = finding->condition,
                            .source = node ? ob__source_of(node, arena) : "",
                            .fix = ob__suggest_fix(report, finding, arena)};
    const char **names = OB_ARENA_ARRAY(arena, const char *, info.n_operands);
    int32_t *inputs = OB_ARENA_ARRAY(arena, int32_t, info.n_operands);
    bool named = info.node && info.op_type && info.domain && info.value;
    if (!names || !inputs || !info.fix || !info.source || !named) return OB_E_MEMORY;
    for (uint32_t i = 0; i < info.n_operands; i++) {
        uint32_t input = ob__finding_input(finding, i);
        bool given = node && input < node->n_inputs && node->inputs[input];
        names[i] = given ? ob__shown_name(node->inputs[input]->name, OB_NAME_SHOWN, arena) : "";
        inputs[i] = given ? (int32_t)input : -1;
        if (!names[i]) return OB_E_MEMORY;
    }
    info.operand_names = names;
    info.operand_inputs = inputs;
    OB_TRY(operands_of_gemm(report, finding, &info));
    OB_TRY(origins_of_finding(report, node, &info));
    *out = info;
    return OB_OK;
}

size_t ob_report_broadcast_count(const ob_report *report) {
    return report->summary.n_broadcasts;
}

static const char *rule_name(const ob_group *group) {
    switch (group->kind) {
    case OB_BCAST_MULTI: return "multidirectional";
    case OB_BCAST_LEGACY: return "opset 1-6";
    case OB_BCAST_UNI: return "one way";
    case OB_BCAST_BATCH: return "batch dimensions";
    case OB_BCAST_EXPAND: return "expand";
    case OB_BCAST_NONE: break;
    }
    return "none";
}

ob_status ob_report_broadcast(ob_report *report, size_t index, ob_broadcast_info *out) {
    if (index >= report->summary.n_broadcasts) return OB_E_NOT_FOUND;
    const ob_node *node = report->broadcasts[index];
    ob_arena *arena = &report->broadcast_texts;
    restart(arena);
    ob_group *group = OB_ARENA_NEW(arena, ob_group);
    bool found = false;
    if (!group) return OB_E_MEMORY;
    ob__dims_restart(report->model->dims);
    OB_TRY(ob__group_of(&report->facts, report->model->dims, node, arena, group, &found));
    if (!found) return OB_E_NOT_FOUND;
    const char **names = OB_ARENA_ARRAY(arena, const char *, group->n);
    uint64_t *stretched = OB_ARENA_ARRAY(arena, uint64_t, group->n);
    const char *path = ob__graph_path(node->graph, arena);
    if (!names || !stretched || !path) return OB_E_MEMORY;
    bool fits = ob__group_fits(group);
    for (uint32_t i = 0; i < group->n; i++) {
        bool target = group->inputs[i] == OB_NOT_AN_INPUT;
        names[i] = target ? "(target shape)" : ob__shown_name(node->inputs[group->inputs[i]]->name, OB_NAME_SHOWN, arena);
        if (!names[i]) return OB_E_MEMORY;
        for (int32_t axis = 0; fits && axis < group->result.rank && axis < 64; axis++)
            if (ob__group_stretched(group, i, axis)) stretched[i] |= UINT64_C(1) << axis;
    }
    const ob_value *first = node->outputs[0];
    ob_dim bytes = fits ? copied_bytes(report->model->dims, &report->facts, node, group) : OB_DIM_UNKNOWN;
    if (ob_dims_status(report->model->dims) == OB_E_MEMORY) return OB_E_MEMORY;
    const char *label = ob__shown_name(ob__node_label(node), OB_NAME_SHOWN, arena);
    const char *op_type = ob__shown_name(node->op_type, OB_NAME_SHOWN, arena);
    const char *domain = ob__shown_name(node->domain, OB_NAME_SHOWN, arena);
    if (!label || !op_type || !domain) return OB_E_MEMORY;
    *out = (ob_broadcast_info){.node = label,
                               .op_type = op_type,
                               .domain = domain,
                               .path = path,
                               .rule = rule_name(group),
                               .n_operands = group->n,
                               .names = names,
                               .operands = group->shapes,
                               .result = fits ? group->result : (ob_shape){OB_RANK_UNKNOWN, NULL},
                               .fits = fits,
                               .n_fixed_axes = group->n_fixed_axes,
                               .stretched = stretched,
                               .dtype = first ? ob__fact(&report->facts, first)->type.dtype : OB_NONE,
                               .copied_bytes = bytes};
    return OB_OK;
}

/* ---- Values --------------------------------------------------------------------------------------------------------- */

typedef struct value_list {
    const ob_value **values;
    size_t n;
} value_list;

static ob_status list_values(void *context, ob_graph *graph) {
    value_list *list = context;
    for (uint32_t i = 0; i < graph->n_inputs; i++) list->values[list->n++] = graph->inputs[i];
    for (uint32_t i = 0; i < graph->n_initializers; i++)
        if (!graph->initializers[i]->is_input) list->values[list->n++] = graph->initializers[i];
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) list->values[list->n++] = node->outputs[i];
    return OB_OK;
}

size_t ob_report_value_count(const ob_report *report) {
    return report->summary.n_values;
}

/* As ONNX's textual syntax writes types; iterative, files decide the nesting. */
static const char *type_text(const ob_report *report, const ob_type *type, ob_arena *arena) {
    ob_text text;
    uint32_t n_open = 0;
    ob__text_init(&text, &report->allocator);
    for (; type && n_open < 1000; type = type->element) {
        const char *wrapper = type->kind == OB_TYPE_SEQUENCE        ? "seq("
                              : type->kind == OB_TYPE_OPTIONAL      ? "optional("
                              : type->kind == OB_TYPE_SPARSE_TENSOR ? "sparse_tensor("
                                                                    : "";
        if (type->kind == OB_TYPE_MAP) {
            ob__text_printf(&text, "map(%s,", ob_dtype_name(type->dtype));
            n_open++;
            continue;
        }
        if (wrapper[0]) {
            ob__text_puts(&text, wrapper);
            n_open++;
            if (type->kind != OB_TYPE_SPARSE_TENSOR) continue;
        }
        if (type->kind == OB_TYPE_UNKNOWN) {
            ob__text_puts(&text, "?");
            break;
        }
        ob__text_puts(&text, type->dtype == OB_NONE ? "?" : ob_dtype_name(type->dtype));
        if (type->shape.rank == OB_RANK_UNKNOWN) break;
        for (int32_t i = 0; i < type->shape.rank; i++) {
            char buffer[128];
            ob_dim_format(report->model->dims, type->shape.dims[i], buffer, sizeof buffer);
            ob__text_printf(&text, "%s%s", i ? "," : "[", buffer);
        }
        ob__text_puts(&text, type->shape.rank ? "]" : "[]");
        break;
    }
    while (n_open-- > 0) ob__text_puts(&text, ")");
    const char *result = text.failed ? NULL : ob__arena_strndup(arena, text.n ? text.data : "", text.n);
    ob__text_release(&text);
    return result;
}

ob_status ob_report_value(ob_report *report, size_t index, ob_value_info *out) {
    if (index >= report->summary.n_values) return OB_E_NOT_FOUND;
    if (!report->values) {
        value_list list = {OB_ARENA_ARRAY(&report->arena, const ob_value *, report->summary.n_values), 0};
        if (!list.values) return OB_E_MEMORY;
        OB_TRY(ob__model_each_graph(report->model, list_values, &list));
        report->values = list.values;
    }
    const ob_value *value = report->values[index];
    const ob_fact *fact = ob__fact(&report->facts, value);
    ob_arena *arena = &report->value_texts;
    restart(arena);
    const char *path = ob__graph_path(value->graph, arena);
    const char *type = type_text(report, &fact->type, arena);
    const char *name = ob__shown_name(value->name, OB_NAME_SHOWN, arena);
    if (!path || !type || !name) return OB_E_MEMORY;
    bool tensor = fact->type.kind == OB_TYPE_TENSOR;
    *out = (ob_value_info){.name = name,
                           .path = path,
                           .kind = value->is_input         ? "input"
                                   : value->is_initializer ? "initializer"
                                   : value->is_output      ? "output"
                                                           : "inner",
                           .dtype = tensor ? fact->type.dtype : OB_NONE,
                           .shape = tensor ? fact->type.shape : (ob_shape){OB_RANK_UNKNOWN, NULL},
                           .type = type,
                           .why_unknown = fact->why_unknown ? fact->why_unknown : ""};
    return OB_OK;
}

/* ---- Conditions ----------------------------------------------------------------------------------------------------- */

enum { CONDITION_BYTES = 4096 }; /* of a condition's text, its NUL included */

size_t ob_report_condition_count(const ob_report *report) {
    return report->facts.n_conditions;
}

/* The axis of input i that has this size, or -1. */
static int32_t axis_of_size(const ob_report *report, const ob_node *node, uint32_t i, ob_dim size) {
    const ob_fact *fact = ob__fact(&report->facts, node->inputs[i]);
    if (!node->inputs[i] || fact->type.kind != OB_TYPE_TENSOR) return -1;
    for (int32_t axis = 0; axis < fact->type.shape.rank; axis++)
        if (fact->type.shape.dims[axis] == size) return axis;
    return -1;
}

static ob_status origins_of_condition(ob_report *report, const ob_requirement *origin, ob_condition_info *out) {
    ob_arena *arena = &report->condition_texts;
    const ob_node *node = origin->node;
    const char **origins = OB_ARENA_ARRAY(arena, const char *, 2);
    if (!origins) return OB_E_MEMORY;
    out->origins = origins;
    const ob_dim sides[2] = {origin->condition.a, origin->condition.b};
    uint32_t n_inputs = node && node->n_inputs > MANY_INPUTS ? MANY_INPUTS : node ? node->n_inputs : 0;
    for (uint32_t k = 0; k < 2; k++) {
        if (ob_dim_is_const(sides[k])) continue;
        uint32_t input =
            origin->operand >= 0 && node && (uint32_t)origin->operand < node->n_inputs ? (uint32_t)origin->operand : 0;
        int32_t axis = node && node->n_inputs ? axis_of_size(report, node, input, sides[k]) : -1;
        for (uint32_t i = 0; i < n_inputs && axis < 0; i++) axis = axis_of_size(report, node, input = i, sides[k]);
        if (axis < 0) continue;
        if (!add_origin(origins, &out->n_origins,
                        ob__origin_of(&report->facts, report->model->dims, &report->origins, node->inputs[input], axis, arena)))
            return OB_E_MEMORY;
    }
    return OB_OK;
}

ob_status ob_report_condition(ob_report *report, size_t index, ob_condition_info *out) {
    if (index >= report->facts.n_conditions) return OB_E_NOT_FOUND;
    const ob_requirement *origin = &report->facts.conditions[index];
    const ob_node *node = origin->node;
    ob_arena *arena = &report->condition_texts;
    restart(arena);
    size_t n = ob_condition_format(report->model->dims, &origin->condition, NULL, 0) + 1;
    if (n > CONDITION_BYTES) n = CONDITION_BYTES;
    char *text = ob__arena_alloc(arena, n);
    const char *path = node ? ob__graph_path(node->graph, arena) : "";
    const char *label = node ? ob__shown_name(ob__node_label(node), OB_NAME_SHOWN, arena) : "";
    const char *op_type = node ? ob__shown_name(node->op_type, OB_NAME_SHOWN, arena) : "";
    if (!text || !path || !label || !op_type) return OB_E_MEMORY;
    if (ob_condition_format(report->model->dims, &origin->condition, text, n) >= n) memcpy(text + n - 4, "...", 4);
    ob_condition_info info = {.condition = origin->condition,
                              .text = text,
                              .node = label,
                              .op_type = op_type,
                              .path = path,
                              .operand = origin->operand,
                              .axis = origin->axis};
    OB_TRY(origins_of_condition(report, origin, &info));
    *out = info;
    return OB_OK;
}
