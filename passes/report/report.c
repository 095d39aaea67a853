#include "passes/report/report.h"

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/base/list.h"
#include "core/dims/shape.h"
#include "core/dims/terms.h"
#include "passes/check/called.h"
#include "passes/check/explicit.h"
#include "passes/check/groups.h"
#include "passes/check/names.h"

typedef struct counter {
    ob_report *report;
    const ob_facts *facts;   /* of the current graph, in these calls */
    const ob_called *called; /* NULL: none */
    ob_arena scratch;
    uint32_t *position; /* of a node in the order of graphs, by id */
    uint32_t n_positions;
    uint32_t n_open_patterns; /* patterns of broadcasts whose result has an open size */
} counter;

enum { MANY_TERMS = 256 }; /* patterns of open size that are summed up */

static ob_status list_broadcast(ob_report *report, const ob_node *node, const ob_called *called) {
    if (report->summary.n_broadcasts == UINT32_MAX) return OB_E_LIMIT;
    ob_listed_broadcast *grown = ob__list_in_arena(&report->arena, report->broadcasts, &report->broadcasts_capacity,
                                                   (uint32_t)report->summary.n_broadcasts + 1, sizeof *grown);
    if (!grown) return OB_E_MEMORY;
    report->broadcasts = grown;
    report->broadcasts[report->summary.n_broadcasts++] = (ob_listed_broadcast){node, called};
    return OB_OK;
}

static ob_status count_node(counter *c, const ob_node *node) {
    ob_report *report = c->report;
    ob_report_summary *summary = &report->summary;
    ob_group group;
    bool found, is_new;
    ob_dim *bytes;
    OB_TRY(ob__group_of(c->facts, report->model->dims, node, &c->scratch, &group, &found));
    if (!found) return OB_OK;
    if (group.plain) {
        summary->n_plain++;
        return OB_OK;
    }
    uint64_t n = ob__n_calls(c->called);
    OB_TRY(ob__alike_broadcast(report, c->facts, node, &group, summary->n_broadcasts, n, &bytes, &is_new));
    OB_TRY(list_broadcast(report, node, c->called));
    bool fits = ob__group_fits(&group);
    bool open = fits && !ob__is_static(&group.result);
    /* Once for each pattern, and for so many: a term is dear to make for each node of a large model. */
    if (is_new && open && ++c->n_open_patterns > MANY_TERMS)
        *bytes = OB_DIM_UNKNOWN;
    else if (is_new)
        *bytes = fits ? ob__copied_bytes(report->model->dims, c->facts, node, &group) : 0;
    summary->n_open += open;
    if (!fits || open || !ob_dim_is_const(*bytes)) return OB_OK;
    int64_t all;
    if (ob__mul_overflows(*bytes, n > INT64_MAX ? INT64_MAX : (int64_t)n, &all) ||
        __builtin_add_overflow(summary->copied_bytes, all, &summary->copied_bytes))
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

/* Broadcasts, in every call. */
static ob_status count_broadcasts(void *context, ob_graph *graph, const ob_facts *facts, const ob_called *called) {
    counter *c = context;
    c->facts = facts;
    c->called = called;
    if (ob__is_explicit_definition(graph)) return OB_OK; /* its calls broadcast */
    for (const ob_node *node = graph->first; node; node = node->next) OB_TRY(count_node(c, node));
    return OB_OK;
}

static ob_status count_graph(void *context, ob_graph *graph) {
    counter *c = context;
    for (const ob_node *node = graph->first; node; node = node->next) {
        c->position[node->id] = c->n_positions++;
        c->report->summary.n_nodes++;
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) count_value(c->report, node->outputs[i]);
    }
    for (uint32_t i = 0; i < graph->n_inputs; i++) count_value(c->report, graph->inputs[i]);
    for (uint32_t i = 0; i < graph->n_initializers; i++)
        if (!graph->initializers[i]->is_input) count_value(c->report, graph->initializers[i]);
    return OB_OK;
}

ob_status ob__report_finish(ob_report *report) {
    counter c = {.report = report};
    ob__arena_init(&c.scratch, &report->allocator);
    c.position = OB_ARENA_ARRAY(&c.scratch, uint32_t, report->model->n_nodes);
    ob_status status = c.position ? ob__call_view_init(&report->view, &report->facts, &report->arena) : OB_E_MEMORY;
    if (status == OB_OK) status = ob__model_each_graph(report->model, count_graph, &c);
    if (status == OB_OK) status = ob__each_called(report->model, &report->view, count_broadcasts, &c);
    if (status == OB_OK) status = ob__report_judge(report, c.position);
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

size_t ob_report_target_count(const ob_report *report) {
    return report->targets.n;
}

ob_target_verdict ob_report_target(const ob_report *report, size_t index) {
    return index < report->targets.n ? report->targets.verdicts[index] : (ob_target_verdict){0};
}

const ob_dims *ob_report_dims(const ob_report *report) {
    return report->model->dims;
}
