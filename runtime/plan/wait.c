/* Dynamic steps, which are planned during the run, and nodes that wait for their sizes. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "ops/table/op.h"
#include "runtime/plan/builder.h"
#include "runtime/plan/reads.h"

/* ---- Dynamic steps ---- */

static ob_status keep_to_the_end(void *context, ob_value *value) {
    ob_builder *b = context;
    ob_slot *slot;
    OB_TRY(ob__find_slot(b, NULL, value, &slot));
    return slot ? ob__keep_until(b, slot->buffer, UINT32_MAX) : OB_OK;
}

ob_status ob__plan_dynamic(ob_builder *b, const ob_node *node) {
    ob_step *step = ob__new_step(b, OB_STEP_DYNAMIC, node, 0, 0);
    if (!step) return OB_E_MEMORY;
    step->kernel = node->op->kernel;
    /* To the end, and reads are not counted down: results of dynamic steps may be views of these operands. */
    OB_TRY(ob__each_read(node, keep_to_the_end, b));
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) b->sources[node->outputs[i]->id] = OB_SOURCE_STEP;
    b->plan->memory.n_dynamic++;
    return ob__append_step(b, step);
}

/* ---- Nodes that wait ---- */

typedef struct readiness {
    const ob_builder *b;
    bool on_step, on_rest, is_plain;
} readiness;

static ob_status look_at_read(void *context, ob_value *value) {
    readiness *r = context;
    r->on_step |= r->b->sources[value->id] == OB_SOURCE_STEP;
    r->on_rest |= r->b->sources[value->id] == OB_SOURCE_REST;
    r->is_plain &= ob__fact(r->b->facts, value)->type.kind == OB_TYPE_TENSOR;
    return OB_OK;
}

ob_status ob__must_wait(const ob_builder *b, const ob_node *node, bool *wait) {
    readiness r = {b, false, false, true};
    OB_TRY(ob__each_read(node, look_at_read, &r));
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) r.is_plain &= ob__fact(b->facts, node->outputs[i])->type.kind == OB_TYPE_TENSOR;
    *wait = r.on_rest || (r.on_step && r.is_plain);
    return OB_OK;
}

ob_status ob__let_wait(ob_builder *b, ob_node *node) {
    ob_node **grown = ob__list_in_arena(&b->scratch, b->waiting, &b->waiting_capacity, b->n_waiting + 1, sizeof *grown);
    if (!grown) return OB_E_MEMORY;
    b->waiting = grown;
    b->waiting[b->n_waiting++] = node;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) b->sources[node->outputs[i]->id] = OB_SOURCE_REST;
    b->plan->memory.n_dynamic++;
    return OB_OK;
}

ob_status ob__plan_rest(ob_builder *b) {
    if (b->n_waiting == 0) return OB_OK;
    ob_node **nodes = OB_ARENA_ARRAY(&b->plan->arena, ob_node *, b->n_waiting);
    if (!nodes) return OB_E_MEMORY;
    memcpy(nodes, b->waiting, b->n_waiting * sizeof *nodes);
    OB_TRY(ob__part_create(b->session, &b->plan->arena, nodes[0]->graph, nodes, b->n_waiting, &b->plan->rest));
    for (uint32_t i = 0; i < b->plan->rest->n_entries; i++)
        OB_TRY(keep_to_the_end(b, (ob_value *)(uintptr_t)b->plan->rest->entries[i]));
    return OB_OK;
}
