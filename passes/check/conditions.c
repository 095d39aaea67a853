/* Conditions and notes are collected during inference and become findings at the end, one for all nodes with the same
 * condition. */
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "core/dims/terms.h"
#include "passes/check/groups.h"
#include "passes/check/names.h"
#include "passes/check/propagation.h"

typedef struct ob_note {
    struct ob_note *next;
    ob_finding_id id;
    const char *text, *call_path;
    const ob_node *node; /* the first */
    uint32_t n;
} note;

/* ---- Recording ---- */

static const char *path_of(ob_scope *scope, ob_findings *findings) {
    ob_arena *arena = &findings->arena;
    if (!scope) return "";
    if (scope->path) return scope->path;
    const char *path = ob__path_into(path_of(scope->outer, findings), scope->node, scope->attribute, arena);
    if (path) findings->n_bytes += strlen(path) + 1;
    return scope->path = path ? path : "";
}

const char *ob__call_path(ob_propagation *p) {
    return p->findings ? path_of(p->scope, p->findings) : "";
}

const ob_shape *ob__operand_shapes(ob_visit *visit) {
    if (visit->shapes || !visit->p->findings) return visit->shapes;
    uint32_t n = visit->node->n_inputs;
    ob_shape *shapes = OB_ARENA_ARRAY(&visit->p->facts->arena, ob_shape, n);
    if (!shapes) return NULL;
    for (uint32_t i = 0; i < n; i++) shapes[i] = ob__in_shape(&visit->infer, i);
    return visit->shapes = shapes;
}

static ob_status append(ob_propagation *p, ob_requirement **list, uint32_t *n, uint32_t *capacity,
                        const ob_requirement *requirement) {
    if (*n == *capacity) {
        ob_requirement *grown = ob__list_grown(&p->facts->arena.allocator, *list, capacity, sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        *list = grown;
    }
    (*list)[(*n)++] = *requirement;
    return OB_OK;
}

static ob_status append_condition(ob_propagation *p, const ob_requirement *requirement) {
    ob_facts *facts = p->facts;
    return append(p, &facts->conditions, &facts->n_conditions, &facts->conditions_capacity, requirement);
}

static ob_status append_unverified(ob_propagation *p, const ob_requirement *requirement) {
    ob_facts *facts = p->facts;
    return append(p, &facts->unverified, &facts->n_unverified, &facts->unverified_capacity, requirement);
}

/* Where the propagation is, with `guard` within its own guards. */
static ob_status requirement_here(ob_propagation *p, const ob_visit *visit, ob_dim guard, int32_t operand, int32_t axis,
                                  ob_requirement *out) {
    *out = (ob_requirement){.guard = p->guard,
                            .node = visit->node,
                            .operand = operand,
                            .axis = axis,
                            .call_path = ob__call_path(p),
                            .root = visit->root,
                            .called = p->called};
    if (guard == 1) return OB_OK;
    return ob__guard_within(&p->facts->arena, p->guard, guard, visit->node, NULL, &out->guard);
}

ob_status ob__record_bound(ob_propagation *p, ob_visit *visit, const ob_bound *bound, ob_dim guard, int32_t operand,
                           int32_t axis) {
    ob_facts *facts = p->facts;
    ob_requirement requirement;
    OB_TRY(requirement_here(p, visit, guard, operand, axis, &requirement));
    if (visit->assumed) {
        requirement.condition = (ob_condition){OB_COND_EQUAL, OB_DIM_UNKNOWN, OB_DIM_UNKNOWN};
        requirement.reason = "a rank is only declared";
        return append_unverified(p, &requirement);
    }
    ob_bound *kept = OB_ARENA_NEW(&facts->arena, ob_bound);
    if (!kept) return OB_E_MEMORY;
    *kept = *bound;
    requirement.bound = kept;
    return append(p, &facts->bounds, &facts->n_bounds, &facts->bounds_capacity, &requirement);
}

ob_status ob__record_condition(ob_propagation *p, ob_visit *visit, const ob_condition *condition, ob_dim guard, int32_t operand,
                               int32_t axis, const char *reason) {
    ob_requirement requirement;
    OB_TRY(requirement_here(p, visit, guard, operand, axis, &requirement));
    requirement.condition = *condition;
    requirement.reason = reason;
    if (!reason && visit->assumed) requirement.reason = "a rank is only declared";
    if (requirement.reason) return append_unverified(p, &requirement);
    requirement.operands = ob__operand_shapes(visit);
    requirement.n_operands = visit->shapes ? visit->node->n_inputs : 0;
    return append_condition(p, &requirement);
}

bool ob__case_is_excluded(const ob_map *excluded, const ob_node *node, int32_t axis) {
    const ob_case_key key = ob__case_key(node, axis);
    const ob_map_entry *entry = excluded ? ob__map_find(excluded, (const char *)&key, sizeof key) : NULL;
    return entry && *(const bool *)entry->value;
}

ob_status ob__record_case(ob_propagation *p, ob_visit *visit, const ob_condition *condition, ob_dim guard, int32_t axis) {
    ob_facts *facts = p->facts;
    ob_requirement requirement;
    OB_TRY(requirement_here(p, visit, guard, -1, axis, &requirement));
    requirement.condition = *condition;
    return append(p, &facts->cases, &facts->n_cases, &facts->cases_capacity, &requirement);
}

ob_status ob__record_refuted(ob_propagation *p, ob_visit *visit, int32_t operand, int32_t axis) {
    const ob_condition never = {OB_COND_EQUAL, 0, 1};
    return ob__record_condition(p, visit, &never, 1, operand, axis, NULL);
}

ob_status ob__record_declared(ob_propagation *p, const ob_node *node, const ob_value *value, const ob_condition *condition,
                              int32_t axis) {
    const ob_requirement requirement = {.condition = *condition,
                                        .guard = p->guard,
                                        .node = node,
                                        .operand = -1,
                                        .axis = axis,
                                        .call_path = ob__call_path(p),
                                        .value = value,
                                        .called = p->called};
    return append_condition(p, &requirement);
}

ob_status ob__note(ob_propagation *p, const ob_node *node, ob_finding_id id, const char *key, const char *text) {
    if (!p->findings || p->noted[node->id]) return OB_OK;
    p->noted[node->id] = 1;
    char name[200];
    int n = snprintf(name, sizeof name, "%s %.90s %.90s", ob__finding_row(id)->name, node->domain, key);
    if (n < 0) return OB_OK;
    if ((size_t)n >= sizeof name) n = (int)sizeof name - 1;
    ob_map_entry *entry = ob__map_insert(&p->notes, name, (size_t)n);
    if (!entry) return OB_E_MEMORY;
    note *found = entry->value;
    if (!found) {
        found = entry->value = OB_ARENA_NEW(&p->scratch, note);
        if (!found) return OB_E_MEMORY;
        *found = (note){NULL, id, text, ob__call_path(p), node, 0};
        if (p->last_note)
            p->last_note->next = found;
        else
            p->first_note = found;
        p->last_note = found;
    }
    found->n++;
    return OB_OK;
}

/* ---- Findings ---- */

/* The innermost branch or body around that not every run enters, or NULL. */
static const ob_guard *open_guard(const ob_propagation *p) {
    for (const ob_guard *guard = p->guard; guard; guard = guard->outer)
        if (!ob_dim_is_const(guard->term) || guard->term < 1) return guard;
    return NULL;
}

void ob__report(ob_propagation *p, const ob_visit *visit, const ob_node *node, ob_finding_id id, int32_t operand, int32_t axis,
                const char *text) {
    const ob_finding_row *row = ob__finding_row(id);
    /* A node that cannot be looked at has no sizes that it admits. Those of rules are counted where they come in. */
    if (!visit && row->severity == OB_SEVERITY_ERROR && row->group != OB_FINDINGS_DECLARED) p->facts->n_refuted++;
    if (!p->findings) return;
    /* An error of shapes matters only if the node is reached; any other error is an error of the file. */
    const ob_guard *open = ob__finding_row(id)->status == OB_E_SHAPE ? open_guard(p) : NULL;
    ob_finding *finding =
        !open ? ob__findings_add(p->findings, id, "%s", text)
              : ob__findings_add(p->findings, id, "%s (only if \"%.100s\" runs)", text, open->text ? open->text : "");
    if (!finding) return;
    if (open && finding->severity == OB_SEVERITY_ERROR) finding->severity = OB_SEVERITY_WARNING; /* some runs do without it */
    finding->node = node;
    finding->call_path = ob__call_path(p);
    finding->called = p->called;
    finding->operand = operand;
    finding->axis = axis;
    if (visit && visit->shapes) ob__finding_set_operands(p->findings, finding, visit->shapes, visit->node->n_inputs);
    if (node && operand >= 0 && (uint32_t)operand < node->n_inputs) finding->value = node->inputs[operand];
}

/* ---- One finding for each condition ---- */

typedef struct group {
    struct group *next;
    uint32_t first; /* condition */
    uint32_t n_nodes;
    const ob_node *last_node;
} group;

typedef struct symbol_search {
    const ob_map *inputs;
    bool all;
} symbol_search;

static bool is_input_symbol(void *context, ob_dim symbol) {
    symbol_search *search = context;
    search->all = ob__map_find(search->inputs, (const char *)&symbol, sizeof symbol) != NULL;
    return search->all;
}

/* Made of constants and symbols that the caller of the model chooses. */
static bool is_of_inputs(const ob_propagation *p, const ob_map *inputs, const ob_condition *condition) {
    const ob_dims *dims = p->model->dims;
    symbol_search search = {inputs, true};
    if (ob_dim_is_anonymous(dims, condition->a) || ob_dim_is_anonymous(dims, condition->b)) return false;
    ob_dim_symbols(dims, condition->a, is_input_symbol, &search);
    if (search.all) ob_dim_symbols(dims, condition->b, is_input_symbol, &search);
    return search.all;
}

typedef struct symbol_collection {
    ob_map *map;
    bool failed;
} symbol_collection;

static bool collect_symbol(void *context, ob_dim symbol) {
    symbol_collection *collection = context;
    collection->failed = !ob__map_insert(collection->map, (const char *)&symbol, sizeof symbol);
    return !collection->failed;
}

static ob_status collect_input_symbols(ob_propagation *p, ob_map *inputs) {
    const ob_graph *graph = p->model->graph;
    symbol_collection collection = {inputs, false};
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_shape *shape = &ob__fact(p->facts, graph->inputs[i])->type.shape;
        for (int32_t axis = 0; axis < shape->rank; axis++)
            if (ob_dim_is_term(shape->dims[axis]) && !ob_dim_is_anonymous(p->model->dims, shape->dims[axis]))
                ob_dim_symbols(p->model->dims, shape->dims[axis], collect_symbol, &collection);
    }
    return collection.failed ? OB_E_MEMORY : OB_OK;
}

/* The finding for a group; OB_FINDING_NONE: no finding. */
static ob_finding_id finding_id(const ob_propagation *p, const ob_map *inputs, uint32_t at) {
    const ob_requirement *requirement = &p->facts->conditions[at];
    const ob_condition *condition = &requirement->condition;
    if (requirement->value) return OB0503;
    bool of_inputs = is_of_inputs(p, inputs, condition);
    if (of_inputs && p->options->solved) return OB_FINDING_NONE;
    if (condition->kind == OB_COND_BROADCAST || condition->kind == OB_COND_BROADCAST_TO) return of_inputs ? OB0201 : OB0202;
    return of_inputs ? OB0203 : OB_FINDING_NONE;
}

static ob_status report_group(ob_propagation *p, const ob_map *inputs, const group *g) {
    const ob_requirement *origin = &p->facts->conditions[g->first];
    char text[400], more[80] = "";
    ob__condition_shown(p->model->dims, &origin->condition, text, sizeof text);
    ob_finding_id id = finding_id(p, inputs, g->first);
    if (id == OB_FINDING_NONE) return OB_OK;
    if (g->n_nodes > 1) snprintf(more, sizeof more, " (and at %u more node%s)", g->n_nodes - 1, g->n_nodes == 2 ? "" : "s");
    ob_finding *finding = origin->value ? ob__findings_add(p->findings, id, "the declared shape of \"%.200s\" holds only if %s%s",
                                                           origin->value->name, text, more)
                          : id == OB0203 ? ob__findings_add(p->findings, id, "requires %s%s", text, more)
                                         : ob__findings_add(p->findings, id, "the broadcast holds only if %s%s", text, more);
    if (!finding) return OB_OK;
    finding->node = origin->node;
    finding->value = origin->value;
    finding->call_path = origin->call_path;
    finding->called = origin->called;
    finding->operand = origin->operand;
    finding->axis = origin->axis;
    if (!finding->value && origin->node && origin->operand >= 0 && (uint32_t)origin->operand < origin->node->n_inputs)
        finding->value = origin->node->inputs[origin->operand];
    if (origin->operands) ob__finding_set_operands(p->findings, finding, origin->operands, origin->n_operands);
    ob_condition *condition = OB_ARENA_NEW(&p->findings->arena, ob_condition);
    if (condition) *condition = origin->condition;
    finding->condition = condition;
    return OB_OK;
}

static ob_status report_conditions(ob_propagation *p) {
    ob_map groups, inputs;
    ob__map_init(&groups, &p->scratch);
    ob__map_init(&inputs, &p->scratch);
    OB_TRY(collect_input_symbols(p, &inputs));
    group *first = NULL, **end = &first;
    for (uint32_t i = 0; i < p->facts->n_conditions; i++) {
        ob_condition c = p->facts->conditions[i].condition;
        if ((c.kind == OB_COND_BROADCAST || c.kind == OB_COND_EQUAL) && c.a > c.b) c = (ob_condition){c.kind, c.b, c.a};
        const int64_t key[4] = {c.kind, c.a, c.b, p->facts->conditions[i].value != NULL};
        ob_map_entry *entry = ob__map_insert(&groups, (const char *)key, sizeof key);
        if (!entry) return OB_E_MEMORY;
        group *g = entry->value;
        if (!g) {
            g = entry->value = OB_ARENA_NEW(&p->scratch, group);
            if (!g) return OB_E_MEMORY;
            g->first = i;
            *end = g;
            end = &g->next;
        }
        if (g->n_nodes == 0 || g->last_node != p->facts->conditions[i].node) g->n_nodes++;
        g->last_node = p->facts->conditions[i].node;
    }
    for (const group *g = first; g; g = g->next) OB_TRY(report_group(p, &inputs, g));
    return OB_OK;
}

ob_status ob__report_collected(ob_propagation *p) {
    if (!p->findings) return OB_OK;
    OB_TRY(report_conditions(p));
    for (const note *n = p->first_note; n; n = n->next) {
        ob_finding *finding = n->n == 1 ? ob__findings_add(p->findings, n->id, "%s", n->text)
                                        : ob__findings_add(p->findings, n->id, "%s (and at %u more node%s)", n->text, n->n - 1,
                                                           n->n == 2 ? "" : "s");
        if (!finding) continue;
        finding->node = n->node;
        finding->call_path = n->call_path;
    }
    return OB_OK;
}
