#include "passes/compare/same.h"

#include <string.h>

#include "core/base/error.h"
#include "passes/compare/classes.h"

/* OPEN with a reason, or TERMS. An unknown size equals nothing. */
static ob_shape_evidence compare_shapes(ob_comparing *c, const ob_value *before, const ob_value *after, const char **why) {
    const ob_fact *facts[] = {ob__fact(&c->reports[OB_BEFORE]->facts, before), ob__fact(&c->reports[OB_AFTER]->facts, after)};
    const ob_shape *a = &facts[OB_BEFORE]->type.shape, *b = &facts[OB_AFTER]->type.shape;
    *why = "";
    for (int which = OB_BEFORE; which <= OB_AFTER; which++) {
        if (facts[which]->type.kind != OB_TYPE_TENSOR) return *why = "not a tensor, or of unknown type", OB_SHAPE_OPEN;
        if (facts[which]->type.shape.rank == OB_RANK_UNKNOWN) return *why = "the rank is known in runs only", OB_SHAPE_OPEN;
        if (facts[which]->assumed) return *why = "a rank is only declared", OB_SHAPE_OPEN;
    }
    if (facts[OB_BEFORE]->type.dtype != facts[OB_AFTER]->type.dtype) return *why = "the element types differ", OB_SHAPE_OPEN;
    if (a->rank != b->rank) return *why = "the ranks differ", OB_SHAPE_OPEN;
    for (int32_t axis = 0; axis < a->rank; axis++) {
        const ob_dim x = ob__compared_dim(c, OB_BEFORE, a->dims[axis]), y = ob__compared_dim(c, OB_AFTER, b->dims[axis]);
        if (x == y && x != OB_DIM_UNKNOWN) continue;
        const bool of_run = ob_dim_is_anonymous(c->reports[OB_BEFORE]->model->dims, a->dims[axis]) ||
                            ob_dim_is_anonymous(c->reports[OB_AFTER]->model->dims, b->dims[axis]);
        return *why = of_run ? "a size is known in runs only" : "the terms of a size differ", OB_SHAPE_OPEN;
    }
    return OB_SHAPE_TERMS;
}

static void compare_value(ob_comparing *c, const ob_classes *classes, const ob_value *before, const ob_value *after,
                          ob_compared_value *out) {
    const uint32_t a = classes->of[OB_BEFORE] ? classes->of[OB_BEFORE][before->id] : 0;
    const uint32_t b = classes->of[OB_AFTER] ? classes->of[OB_AFTER][after->id] : 0;
    const ob_value_class *item = &classes->items[b];
    *out = (ob_compared_value){.name = before->name, .is_output = before->is_output, .why_shape = "", .why = ""};
    out->equal = a != 0 && a == b;
    if (out->equal) {
        out->shape = OB_SHAPE_VALUE;
        out->lemmas = item->lemmas;
        return;
    }
    out->shape = compare_shapes(c, before, after, &out->why_shape);
    out->why = item->why && !item->before ? item->why : "not computed from the same values as in the old model";
}

static ob_status add_value(ob_comparing *c, const ob_classes *classes, const ob_value *before, ob_arena *arena,
                           ob_compared_values *out) {
    const ob_map_entry *entry = ob__map_find(&c->reports[OB_AFTER]->model->graph->values, before->name, strlen(before->name));
    const ob_value *after = entry ? entry->value : NULL;
    if (!after) return OB_OK;
    ob_compared_value *value = &out->items[out->n++];
    compare_value(c, classes, before, after, value);
    if (value->why[0] && !(value->why = ob__arena_strndup(arena, value->why, strlen(value->why)))) return OB_E_MEMORY;
    return OB_OK;
}

static ob_status compare_all(ob_comparing *c, ob_arena *arena, ob_compared_values *out) {
    const ob_graph *graph = c->reports[OB_BEFORE]->model->graph;
    ob_classes classes;
    size_t n = graph->n_outputs;
    OB_TRY(ob__classify(c, &classes));
    for (const ob_node *node = graph->first; node; node = node->next) n += node->n_outputs;
    *out = (ob_compared_values){.items = OB_ARENA_ARRAY(arena, ob_compared_value, n)};
    if (!out->items) return OB_E_MEMORY;
    for (uint32_t i = 0; i < graph->n_outputs; i++) OB_TRY(add_value(c, &classes, graph->outputs[i], arena, out));
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i] && !node->outputs[i]->is_output) OB_TRY(add_value(c, &classes, node->outputs[i], arena, out));
    return OB_OK;
}

ob_status ob__compare_main_values(ob_report *before, ob_report *after, ob_arena *arena, ob_compared_values *out) {
    ob_comparison own = {.allocator = before->allocator};
    ob_comparing c;
    ob__arena_init(&own.arena, &own.allocator);
    own.info.reason = "";
    ob_status status = ob__comparing_begin(&c, &own, before, after);
    if (status == OB_OK) status = compare_all(&c, arena, out);
    if (status == OB_OK && ob_dims_status(c.dims) == OB_E_MEMORY) status = OB_E_MEMORY;
    ob__comparing_end(&c);
    ob__arena_release(&own.arena);
    return status;
}
