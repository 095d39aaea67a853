/* Parts of a graph: the values that they read, and those that they make for others. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/reads.h"
#include "runtime/session.h"

typedef enum role { NOTHING = 0, MADE, LISTED } role;

typedef struct survey {
    ob_session *session;
    ob_arena *arena; /* of the part */
    ob_arena scratch;
    ob_part *part;
    uint8_t *roles; /* by value id */
    uint32_t entries_capacity, constants_capacity;
} survey;

static ob_status append(ob_arena *arena, const ob_value ***list, uint32_t *n, uint32_t *capacity, const ob_value *value) {
    const ob_value **grown = ob__list_in_arena(arena, (void *)*list, capacity, *n + 1, sizeof *grown);
    if (!grown) return OB_E_MEMORY;
    *list = grown;
    grown[(*n)++] = value;
    return OB_OK;
}

static ob_status note_read(void *context, ob_value *value) {
    survey *s = context;
    ob_part *part = s->part;
    if (s->roles[value->id] != NOTHING) return OB_OK;
    s->roles[value->id] = LISTED;
    if (s->session->constants[value->id])
        return append(s->arena, &part->constants, &part->n_constants, &s->constants_capacity, value);
    return append(s->arena, &part->entries, &part->n_entries, &s->entries_capacity, value);
}

static void note_made(survey *s, const ob_node *node) {
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const ob_value *value = node->outputs[i];
        if (!value) continue;
        s->roles[value->id] = MADE;
        s->part->is_plain &= ob__fact(&s->session->facts, value)->type.kind == OB_TYPE_TENSOR;
    }
}

static ob_status find_results(survey *s, const ob_graph *graph) {
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        const ob_value *value = graph->outputs[i];
        bool listed = s->roles[value->id] != MADE;
        for (uint32_t k = 0; k < s->part->n_results && !listed; k++) listed = s->part->results[k] == value;
        if (!listed) OB_TRY(append(s->arena, &s->part->results, &s->part->n_results, &capacity, value));
    }
    return OB_OK;
}

static ob_status look_around(survey *s, const ob_graph *graph) {
    ob_part *part = s->part;
    s->roles = OB_ARENA_ARRAY(&s->scratch, uint8_t, s->session->model->n_values);
    if (!s->roles) return OB_E_MEMORY;
    for (uint32_t i = 0; i < part->n_nodes; i++) note_made(s, part->nodes[i]);
    for (uint32_t i = 0; i < part->n_nodes; i++) OB_TRY(ob__each_read(part->nodes[i], note_read, s));
    for (uint32_t i = 0; i < part->n_entries; i++) {
        ob_type_kind kind = ob__fact(&s->session->facts, part->entries[i])->type.kind;
        part->is_plain &= kind == OB_TYPE_TENSOR || kind == OB_TYPE_UNKNOWN;
    }
    return find_results(s, graph);
}

ob_status ob__part_create(ob_session *session, ob_arena *arena, const ob_graph *graph, ob_node **nodes, uint32_t n_nodes,
                          ob_part **out) {
    ob_part *part = OB_ARENA_NEW(arena, ob_part);
    if (!part) return OB_E_MEMORY;
    part->nodes = nodes;
    part->n_nodes = n_nodes;
    part->is_plain = n_nodes > 0;
    survey s = {.session = session, .arena = arena, .part = part};
    ob__arena_init(&s.scratch, &session->allocator);
    ob_status status = look_around(&s, graph);
    ob__arena_release(&s.scratch);
    if (status == OB_OK) *out = part;
    return status;
}

ob_status ob__body_part(ob_session *session, const ob_graph *body, ob_part **out) {
    if (!session->parts.arena) ob__map_init(&session->parts, &session->arena);
    ob_map_entry *entry = ob__map_insert(&session->parts, (const char *)&body, sizeof body);
    if (!entry) return OB_E_MEMORY;
    if (!entry->value) {
        uint32_t n = 0;
        ob_part *part;
        ob_node **nodes = OB_ARENA_ARRAY(&session->arena, ob_node *, body->n_nodes);
        if (!nodes) return OB_E_MEMORY;
        for (ob_node *node = body->first; node; node = node->next)
            if (session->live[node->id]) nodes[n++] = node;
        OB_TRY(ob__part_create(session, &session->arena, body, nodes, n, &part));
        entry->value = part;
        part->next = session->body_parts;
        session->body_parts = part;
    }
    *out = entry->value;
    return OB_OK;
}

void ob__part_release(ob_session *session, ob_part *part) {
    while (part->plans) {
        ob_plan *plan = part->plans;
        part->plans = plan->next;
        ob__plan_release(session, plan);
    }
}
