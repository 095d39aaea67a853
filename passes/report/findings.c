/* The report's findings and conditions, one by one, with the origins of their sizes. */
#include <string.h>

#include "core/base/error.h"
#include "passes/check/names.h"
#include "passes/report/origin.h"
#include "passes/report/report.h"

/* ---- Findings ---- */

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

/* An operand stretched to the product of the others is shown with the product in their place. */
static ob_status operands_of_product(ob_report *report, const ob_finding *finding, ob_finding_info *info) {
    ob_arena *arena = &report->finding_texts;
    const ob_node *node = finding->node;
    const ob_op *op = node ? node->op : NULL;
    uint32_t operand = op ? op->stretch.first : 0;
    if (!op || op->stretch.onto != OB_ONTO_PRODUCT || finding->operand != (int32_t)operand || info->n_operands != operand + 1)
        return OB_OK;
    ob_shape *shapes = OB_ARENA_ARRAY(arena, ob_shape, 2);
    ob_dim *dims = OB_ARENA_ARRAY(arena, ob_dim, 2);
    const char **names = OB_ARENA_ARRAY(arena, const char *, 2);
    int32_t *inputs = OB_ARENA_ARRAY(arena, int32_t, 2);
    if (!shapes || !dims || !names || !inputs) return OB_E_MEMORY;
    if (!ob__product_shape(node, info->operands, dims)) return OB_OK;
    shapes[0] = (ob_shape){2, dims};
    shapes[1] = info->operands[operand];
    names[0] = "A * B";
    names[1] = info->operand_names[operand];
    inputs[0] = -1;
    inputs[1] = (int32_t)operand;
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

/* The facts in these calls; shared parts of walks are valid only for them. */
static const ob_facts *facts_in(ob_report *report, const ob_called *called) {
    if (report->origins_in != called) ob__map_init(&report->origins, &report->arena);
    report->origins_in = called;
    return ob__call_view_at(&report->view, called);
}

/* The inputs of the model with the symbols of a condition whose sides are not sizes of a value. */
typedef struct symbol_search {
    ob_report *report;
    ob_arena *arena;
    const char **origins; /* room for MAX_ORIGINS */
    size_t n;
    ob_dim seen[2 * MAX_ORIGINS]; /* with an origin */
    size_t n_seen;
    bool failed;
} symbol_search;

static bool find_symbol(void *context, ob_dim symbol) {
    symbol_search *s = context;
    const ob_facts *facts = &s->report->facts;
    const ob_graph *graph = s->report->model->graph;
    for (size_t i = 0; i < s->n_seen; i++)
        if (s->seen[i] == symbol) return true;
    for (uint32_t i = 0; i < graph->n_inputs && i < MANY_INPUTS; i++) {
        const ob_shape *shape = &ob__fact(facts, graph->inputs[i])->type.shape;
        int32_t axis = 0;
        while (axis < shape->rank && shape->dims[axis] != symbol) axis++;
        if (axis >= shape->rank) continue;
        if (s->n_seen < sizeof s->seen / sizeof *s->seen) s->seen[s->n_seen++] = symbol;
        s->failed =
            !add_origin(s->origins, &s->n,
                        ob__origin_of(facts, s->report->model->dims, &s->report->origins, graph->inputs[i], axis, s->arena));
        break;
    }
    return !s->failed && s->n < MAX_ORIGINS;
}

static ob_status origins_of_symbols(ob_report *report, const ob_condition *condition, ob_arena *arena, const char **origins,
                                    size_t *n) {
    symbol_search s = {.report = report, .arena = arena, .origins = origins};
    (void)facts_in(report, NULL);
    ob_dim_symbols(report->model->dims, condition->a, find_symbol, &s);
    if (!s.failed && s.n < MAX_ORIGINS) ob_dim_symbols(report->model->dims, condition->b, find_symbol, &s);
    *n = s.n;
    return s.failed ? OB_E_MEMORY : OB_OK;
}

/* The further symbols of a clause that joins several: a reader has to know all of their inputs. */
static ob_status origins_of_clause(ob_report *report, const ob_finding *finding, ob_finding_info *info, const char **origins) {
    const ob_solved_clause *clause = report->contract.clauses[finding->clause - 1];
    const ob_dims *dims = report->model->dims;
    symbol_search s = {.report = report, .arena = &report->finding_texts, .origins = origins, .n = info->n_origins};
    ob_dim one[1];
    ob_symbol_list list = {.at = one, .capacity = 1};
    ob__clause_list_symbols(dims, clause->literals, clause->n, &list);
    if (!list.is_full) return OB_OK;
    for (size_t i = 0; i < info->n_operands && info->axis >= 0 && s.n_seen < MAX_ORIGINS; i++) {
        int32_t axis = own_axis(info, i);
        if (axis >= 0 && axis < info->operands[i].rank) s.seen[s.n_seen++] = info->operands[i].dims[axis];
    }
    for (uint32_t i = 0; i < clause->n && s.n < MAX_ORIGINS && !s.failed; i++) {
        ob_dim_symbols(dims, clause->literals[i].p, find_symbol, &s);
        if (clause->literals[i].q && s.n < MAX_ORIGINS && !s.failed) ob_dim_symbols(dims, clause->literals[i].q, find_symbol, &s);
    }
    info->n_origins = s.n;
    return s.failed ? OB_E_MEMORY : OB_OK;
}

/* The origins of the sizes along the finding's axis, for each operand whose size is not 1. */
static ob_status origins_of_finding(ob_report *report, const ob_finding *finding, ob_finding_info *info) {
    ob_arena *arena = &report->finding_texts;
    const ob_node *node = finding->node;
    if (!node) return OB_OK;
    const ob_facts *facts = facts_in(report, finding->called);
    const char **origins = OB_ARENA_ARRAY(arena, const char *, MAX_ORIGINS);
    if (!origins) return OB_E_MEMORY;
    for (size_t i = 0; i < info->n_operands && info->n_origins < MAX_ORIGINS && info->axis >= 0; i++) {
        int32_t axis = own_axis(info, i), input = info->operand_inputs[i];
        if (axis < 0 || axis >= info->operands[i].rank || info->operands[i].dims[axis] == 1) continue;
        const ob_value *value = input >= 0 ? node->inputs[input] : node->n_outputs ? node->outputs[0] : NULL;
        if (!value) continue;
        const char *text = ob__origin_of(facts, report->model->dims, &report->origins, value, axis, arena);
        if (text && text[0] && input >= 0) text = ob__arena_printf(arena, "operand %d: %s", (int)input, text);
        if (!add_origin(origins, &info->n_origins, text)) return OB_E_MEMORY;
    }
    info->origins = origins;
    if (finding->clause && info->n_origins && info->n_origins < MAX_ORIGINS)
        return origins_of_clause(report, finding, info, origins);
    return info->n_origins || !finding->condition
               ? OB_OK
               : origins_of_symbols(report, finding->condition, arena, origins, &info->n_origins);
}

ob_status ob_report_finding(ob_report *report, size_t index, ob_finding_info *out) {
    if (index >= report->findings.n) return OB_E_NOT_FOUND;
    const ob_finding *finding = &report->findings.items[index];
    const ob_finding_row *row = ob__finding_row(finding->id);
    const ob_node *node = finding->node;
    ob_arena *arena = &report->finding_texts;
    ob__arena_restart(arena);
    ob_finding_info info = {.id = row->name,
                            .title = row->title,
                            .severity = finding->severity,
                            .node = node ? ob__report_name(report, ob__node_label(node), arena) : "",
                            .op_type = node ? ob__report_name(report, node->op_type, arena) : "",
                            .domain = node ? ob__report_name(report, node->domain, arena) : "",
                            .value = finding->value ? ob__report_name(report, finding->value->name, arena) : "",
                            .path = finding->call_path ? finding->call_path : "",
                            .operand = finding->operand,
                            .axis = finding->axis,
                            .message = finding->message,
                            .n_operands = finding->operands ? finding->n_operands : 0,
                            .operands = finding->operands,
                            .condition = finding->condition,
                            .n_calls = ob__n_calls(finding->called),
                            .clause = finding->clause ? finding->clause - 1 : SIZE_MAX,
                            .n_caused = finding->n_caused,
                            .source = node ? ob__source_of(node, arena) : "",
                            .rule = finding->rule,
                            .fix = ob__suggest_fix(report, finding, arena)};
    const char **names = OB_ARENA_ARRAY(arena, const char *, info.n_operands);
    int32_t *inputs = OB_ARENA_ARRAY(arena, int32_t, info.n_operands);
    bool named = info.node && info.op_type && info.domain && info.value;
    if (!names || !inputs || !info.fix || !info.source || !named) return OB_E_MEMORY;
    for (uint32_t i = 0; i < info.n_operands; i++) {
        uint32_t input = ob__finding_input(finding, i);
        bool given = node && input < node->n_inputs && node->inputs[input];
        names[i] = given ? ob__report_name(report, node->inputs[input]->name, arena) : "";
        inputs[i] = given ? (int32_t)input : -1;
        if (!names[i]) return OB_E_MEMORY;
    }
    char *fingerprint = ob__arena_alloc(arena, OB_FINGERPRINT_BYTES);
    if (!fingerprint) return OB_E_MEMORY;
    OB_TRY(ob__finding_fingerprint(report, finding, fingerprint));
    info.fingerprint = fingerprint;
    size_t *caused = OB_ARENA_ARRAY(arena, size_t, info.n_caused);
    if (!caused) return OB_E_MEMORY;
    for (uint32_t i = 0; i < finding->n_caused; i++) caused[i] = finding->caused[i];
    info.caused = caused;
    info.operand_names = names;
    info.operand_inputs = inputs;
    OB_TRY(operands_of_product(report, finding, &info));
    OB_TRY(origins_of_finding(report, finding, &info));
    *out = info;
    return OB_OK;
}

/* ---- Conditions ---- */

size_t ob_report_condition_count(const ob_report *report) {
    return report->facts.n_conditions;
}

/* The axis of input i that has this size, or -1. */
static int32_t axis_of_size(const ob_facts *facts, const ob_node *node, uint32_t i, ob_dim size) {
    const ob_fact *fact = ob__fact(facts, node->inputs[i]);
    if (!node->inputs[i] || fact->type.kind != OB_TYPE_TENSOR) return -1;
    for (int32_t axis = 0; axis < fact->type.shape.rank; axis++)
        if (fact->type.shape.dims[axis] == size) return axis;
    return -1;
}

static ob_status origins_of_condition(ob_report *report, const ob_requirement *origin, ob_condition_info *out) {
    ob_arena *arena = &report->condition_texts;
    const ob_node *node = origin->node;
    const ob_facts *facts = facts_in(report, origin->called);
    const char **origins = OB_ARENA_ARRAY(arena, const char *, MAX_ORIGINS);
    if (!origins) return OB_E_MEMORY;
    out->origins = origins;
    const ob_dim sides[2] = {origin->condition.a, origin->condition.b};
    uint32_t n_inputs = node && node->n_inputs > MANY_INPUTS ? MANY_INPUTS : node ? node->n_inputs : 0;
    for (uint32_t k = 0; k < 2; k++) {
        if (ob_dim_is_const(sides[k])) continue;
        uint32_t input =
            origin->operand >= 0 && node && (uint32_t)origin->operand < node->n_inputs ? (uint32_t)origin->operand : 0;
        int32_t axis = node && node->n_inputs ? axis_of_size(facts, node, input, sides[k]) : -1;
        for (uint32_t i = 0; i < n_inputs && axis < 0; i++) axis = axis_of_size(facts, node, input = i, sides[k]);
        if (axis < 0) continue;
        if (!add_origin(origins, &out->n_origins,
                        ob__origin_of(facts, report->model->dims, &report->origins, node->inputs[input], axis, arena)))
            return OB_E_MEMORY;
    }
    return out->n_origins ? OB_OK : origins_of_symbols(report, &origin->condition, arena, origins, &out->n_origins);
}

ob_status ob_report_condition(ob_report *report, size_t index, ob_condition_info *out) {
    if (index >= report->facts.n_conditions) return OB_E_NOT_FOUND;
    const ob_requirement *origin = &report->facts.conditions[index];
    const ob_node *node = origin->node;
    ob_arena *arena = &report->condition_texts;
    ob__arena_restart(arena);
    ob__report_shorten_begin(report);
    size_t n = ob_condition_format(report->model->dims, &origin->condition, NULL, 0) + 1;
    char *text = ob__arena_alloc(arena, n);
    if (text) ob_condition_format(report->model->dims, &origin->condition, text, n);
    ob__report_shorten_end(report);
    const char *path = origin->call_path ? origin->call_path : "";
    const char *label = node ? ob__report_name(report, ob__node_label(node), arena) : "";
    const char *op_type = node ? ob__report_name(report, node->op_type, arena) : "";
    if (!text || !path || !label || !op_type) return OB_E_MEMORY;
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
