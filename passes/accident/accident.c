/* Finds broadcasts that are legal but probably accidents, by the origins of their axes. Reads facts, adds findings; linear in
 * nodes (operators with many operands are not examined). */
#include <string.h>

#include "core/base/error.h"
#include "ops/table/op.h"
#include "passes/accident/suspect.h"
#include "passes/check/called.h"

enum { MAX_OPERANDS = 8 };

/* In order: the first rule that suspects a node speaks for it. */
static const ob_suspect_rule rules[] = {ob__suspect_shifted, ob__suspect_vector, ob__suspect_table,
                                        ob__suspect_state,   ob__suspect_scale,  ob__suspect_cancelled};

/* ---- Shared by rules ---- */

const ob_value *ob__suspect_operand(const ob_suspect *s, uint32_t i) {
    const uint32_t input = s->group->inputs[i];
    return input == OB_NOT_AN_INPUT || input >= s->node->n_inputs ? NULL : s->node->inputs[input];
}

const ob_axis_origin *ob__suspect_axis(const ob_suspect *s, uint32_t i, int32_t axis, bool *absent) {
    const ob_group *group = s->group;
    const ob_value *value = ob__suspect_operand(s, i);
    const int32_t rank = value ? ob__fact(s->facts, value)->type.shape.rank : OB_RANK_UNKNOWN;
    int32_t own = axis - (group->result.rank - rank);
    if (group->mapped && i == (group->kind == OB_BCAST_LEGACY ? 1u : 0u)) {
        own = -1;
        for (int32_t k = 0; k < group->n_mapping; k++)
            if (group->mapping[k] == axis) own = k;
    }
    *absent = rank < 0 || own < 0 || own >= rank;
    return ob__axis_origin(s->origins, value, *absent ? -1 : own);
}

const char *ob__suspect_name(const ob_suspect *s, uint32_t i) {
    const ob_value *value = ob__suspect_operand(s, i);
    if (!value) return "the target";
    const char *name = ob__shown_name(value->name, OB_NAME_IN_TEXT, s->arena);
    return name ? ob__arena_printf(s->arena, "operand %u '%s'", (unsigned)s->group->inputs[i], name) : NULL;
}

bool ob__is_feature(const ob_origins *origins, uint32_t root) {
    return ob__root_uses(origins, root) & (OB_USE_COLUMNS | OB_USE_CONTRACTED | OB_USE_CHANNELS);
}

bool ob__is_alike(const ob_origins *origins, uint32_t a, uint32_t b) {
    const ob_root *x = ob__root(origins, a), *y = ob__root(origins, b);
    return x->kind == OB_ROOT_INPUT && y->kind == OB_ROOT_INPUT && x->value != y->value && x->axis == 0 && y->axis == 0 &&
           x->size == y->size && ob_dim_is_const(x->size);
}

/* ---- Reports ---- */

typedef struct examiner {
    ob_suspect suspect;
    ob_origins origins;
    ob_arena arena;
    ob_reader *readers;
    ob_suspected suspected;
} examiner;

enum { MAX_PAIRS = 64 }; /* a model has few symbols */

static void keep_pairs(examiner *e, const ob_suspicion *found) {
    for (uint32_t i = 0; i < found->n_joined && e->suspected.n_pairs < MAX_PAIRS; i++)
        e->suspected.pairs[e->suspected.n_pairs++] = found->joined[i];
}

static ob_status report(examiner *e, const ob_suspicion *found) {
    const ob_suspect *s = &e->suspect;
    ob_findings *findings = s->work->findings;
    if (!found->text) return OB_E_MEMORY;
    ob_finding *finding = ob__findings_add(findings, found->id, "%s", found->text);
    e->suspected.nodes[s->node->id] = true;
    keep_pairs(e, found);
    if (!finding) return OB_OK;
    finding->node = s->node;
    finding->call_path = ob__called_path(s->node->graph, s->called, &findings->arena);
    finding->called = s->called;
    finding->axis = found->axis;
    finding->fix = found->fix ? ob__arena_strndup(&findings->arena, found->fix, strlen(found->fix)) : NULL;
    if (!finding->call_path || (found->fix && !finding->fix)) return OB_E_MEMORY;
    if (found->has_repair && !ob__fix_add(findings, finding, &found->repair.fix)) return OB_E_MEMORY;
    if (!s->group || found->a == UINT32_MAX) return OB_OK;
    const uint32_t a = found->a;
    finding->operand = s->group->inputs[a] == OB_NOT_AN_INPUT ? -1 : (int32_t)s->group->inputs[a];
    ob_shape *shapes = OB_ARENA_ARRAY(&findings->arena, ob_shape, s->node->n_inputs);
    if (!shapes) return OB_E_MEMORY;
    for (uint32_t i = 0; i < s->node->n_inputs; i++) shapes[i] = ob__fact(s->facts, s->node->inputs[i])->type.shape;
    return ob__finding_set_operands(findings, finding, shapes, s->node->n_inputs) ? OB_OK : OB_E_MEMORY;
}

/* ---- The walk ---- */

static ob_status examine(examiner *e, const ob_node *node) {
    ob_suspect *s = &e->suspect;
    ob_group group;
    bool found;
    if (!node->op || strcmp(node->domain, "onnx_broadcast") == 0) return OB_OK;
    s->node = node;
    found = node->n_inputs <= MAX_OPERANDS;
    if (found) OB_TRY(ob__group_of(s->facts, s->work->model->dims, node, &e->arena, &group, &found));
    found = found && ob__group_fits(&group) && !group.plain && group.result.rank != OB_RANK_UNKNOWN;
    s->group = found ? &group : NULL;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        ob_suspicion suspicion = {.a = UINT32_MAX, .b = UINT32_MAX, .axis = -1};
        if (rules[i](s, &suspicion)) return report(e, &suspicion);
    }
    return OB_OK;
}

static ob_status examine_graph(void *context, ob_graph *graph, const ob_facts *facts, const ob_called *called) {
    examiner *e = context;
    e->suspect.facts = facts;
    e->suspect.called = called;
    if (called) OB_TRY(ob__origins_follow(&e->origins, graph, facts, called));
    for (const ob_node *node = graph->first; node; node = node->next) OB_TRY(examine(e, node));
    return OB_OK;
}

static ob_status count_readers(void *context, ob_graph *graph) {
    ob_reader *readers = context;
    const uint32_t n_values = graph->model->n_values;
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_inputs; i++) {
            const ob_value *value = node->inputs[i];
            if (!value || value->id >= n_values) continue;
            readers[value->id].node = readers[value->id].n++ == 0 ? node : NULL;
        }
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        if (graph->outputs[i] && graph->outputs[i]->id < n_values) {
            readers[graph->outputs[i]->id].node = NULL;
            readers[graph->outputs[i]->id].n++;
        }
    return OB_OK;
}

static ob_status find(examiner *e, ob_work *work) {
    ob_model *model = work->model;
    ob_call_view view;
    e->readers = OB_ARENA_ARRAY(&e->arena, ob_reader, model->n_values + 1);
    e->suspected.nodes = OB_ARENA_ARRAY(&e->arena, bool, model->n_nodes + 1);
    e->suspected.pairs = OB_ARENA_ARRAY(&e->arena, ob_size_pair, MAX_PAIRS);
    if (!e->readers || !e->suspected.nodes || !e->suspected.pairs) return OB_E_MEMORY;
    memset(e->readers, 0, (model->n_values + 1) * sizeof *e->readers);
    memset(e->suspected.nodes, 0, (model->n_nodes + 1) * sizeof *e->suspected.nodes);
    OB_TRY(ob__model_each_graph(model, count_readers, e->readers));
    OB_TRY(ob__call_view_init(&view, work->facts, &e->arena));
    OB_TRY(ob__origins_find(model, &view, &e->arena, &e->origins));
    e->suspect = (ob_suspect){.work = work, .origins = &e->origins, .readers = e->readers, .arena = &e->arena};
    OB_TRY(ob__each_called(model, &view, examine_graph, e));
    return ob__suspect_clauses(work, &e->suspected, &e->arena);
}

ob_status ob__pass_accidental(ob_work *work) {
    examiner e = {0};
    ob__arena_init(&e.arena, &work->model->arena.allocator);
    ob__arena_init(&e.origins.scratch, &work->model->arena.allocator);
    ob_status status = find(&e, work);
    ob__origins_release(&e.origins);
    return ob__arena_finish(&e.arena, status);
}
