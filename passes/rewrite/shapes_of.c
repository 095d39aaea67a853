#include "passes/rewrite/shapes_of.h"

#include <string.h>

#include "core/base/error.h"
#include "passes/check/groups.h"

void ob__shape_maker_init(ob_shape_maker *maker, ob_work *work, ob_patch *patch) {
    maker->work = work;
    maker->patch = patch;
    ob__arena_init(&maker->arena, &work->model->arena.allocator);
    ob__map_init(&maker->made, &maker->arena);
    ob__text_init(&maker->key, &work->model->arena.allocator);
}

void ob__shape_maker_release(ob_shape_maker *maker) {
    ob__text_release(&maker->key);
    ob__arena_release(&maker->arena);
}

ob_status ob__set_tensor_fact(ob_work *work, const ob_value *value, ob_dtype dtype, const ob_shape *shape) {
    OB_TRY(ob__facts_reserve(work->facts, work->model->n_values));
    ob_fact *fact = &work->facts->facts[value->id];
    ob_dim *dims = NULL;
    if (shape->rank > 0) {
        dims = OB_ARENA_ARRAY(&work->facts->arena, ob_dim, (size_t)shape->rank);
        if (!dims) return OB_E_MEMORY;
        memcpy(dims, shape->dims, (size_t)shape->rank * sizeof *dims);
    }
    *fact = (ob_fact){.type = {.kind = OB_TYPE_TENSOR, .dtype = dtype, .shape = {shape->rank, dims}}};
    return OB_OK;
}

/* The slot for a key made of a letter, the graph and some bytes. */
static ob_map_entry *slot(ob_shape_maker *maker, char letter, const ob_graph *graph, const void *bytes, size_t n) {
    maker->key.n = 0;
    ob__text_append(&maker->key, &letter, 1);
    ob__text_append(&maker->key, (const char *)&graph, sizeof graph);
    ob__text_append(&maker->key, bytes, n);
    ob_map_entry *entry = maker->key.failed ? NULL : ob__map_insert(&maker->made, maker->key.data, maker->key.n);
    if (!entry) maker->patch->failed = true;
    return entry;
}

static ob_value *one_output(ob_shape_maker *maker, ob_node *node, const char *stem, int64_t n_elements) {
    ob_value *value = node ? ob__patch_value(maker->patch, node->graph, stem) : NULL;
    if (!value) return NULL;
    node->outputs[0] = value;
    ob_dim length = n_elements;
    ob_shape shape = {1, &length};
    if (ob__set_tensor_fact(maker->work, value, OB_INT64, &shape) != OB_OK) maker->patch->failed = true;
    return value;
}

/* Constant takes floats only before opset 9, and a function has no initializers. No tensor has a size that a double rounds. */
static ob_value *cast_constant(ob_shape_maker *maker, ob_node *before, const int64_t *dims, int32_t n) {
    ob_node *constant = ob__patch_node(maker->patch, before->graph, before, "", "Constant", 0, 1);
    ob_node *cast = ob__patch_node(maker->patch, before->graph, before, "", "Cast", 1, 1);
    ob_value *reals = one_output(maker, constant, "broadcast_shape", n), *value = one_output(maker, cast, "broadcast_shape", n);
    if (!reals || !value) return NULL;
    maker->work->facts->facts[reals->id].type.dtype = OB_DOUBLE;
    ob__patch_tensor(maker->patch, constant, "value", OB_DOUBLE, dims, (uint32_t)n);
    if (!ob__node_set_int(cast, "to", OB_INT64)) maker->patch->failed = true;
    cast->inputs[0] = reals;
    return value;
}

ob_value *ob__shape_constant(ob_shape_maker *maker, ob_node *before, const int64_t *dims, int32_t n) {
    ob_map_entry *entry = slot(maker, 'c', before->graph, dims, (size_t)n * sizeof *dims);
    if (!entry || entry->value) return entry ? entry->value : NULL;
    ob_value *value;
    if (ob__graph_opset(before->graph, "") < 9 && before->graph->function) {
        value = cast_constant(maker, before, dims, n);
    } else if (ob__graph_opset(before->graph, "") < 9) {
        value = ob__patch_initializer(maker->patch, before->graph, "broadcast_shape", dims, (uint32_t)n);
        ob__patch_ir_version(maker->patch, 4); /* since then initializers need not be inputs */
    } else {
        ob_node *node = ob__patch_node(maker->patch, before->graph, before, "", "Constant", 0, 1);
        value = one_output(maker, node, "broadcast_shape", n);
        if (value) ob__patch_tensor(maker->patch, node, "value", OB_INT64, dims, (uint32_t)n);
    }
    if (!value) return NULL;
    entry->value = value;
    return value;
}

ob_value *ob__shape_of_value(ob_shape_maker *maker, ob_node *before, ob_value *value) {
    ob_map_entry *entry = slot(maker, 's', before->graph, &value, sizeof(ob_value *));
    if (!entry || entry->value) return entry ? entry->value : NULL;
    ob_node *node = ob__patch_node(maker->patch, before->graph, before, "", "Shape", 1, 1);
    ob_shape shape = ob__fact(maker->work->facts, value)->type.shape;
    ob_value *made = one_output(maker, node, "broadcast_shape", shape.rank == OB_RANK_UNKNOWN ? OB_DIM_UNKNOWN : shape.rank);
    if (!made) return NULL;
    node->inputs[0] = value;
    entry->value = made;
    return made;
}

/* One size of a value, as a vector of one element. */
static ob_value *size_of(ob_shape_maker *maker, ob_node *before, ob_value *value, int32_t axis) {
    ob_value *shape = ob__shape_of_value(maker, before, value);
    int64_t index = axis;
    ob_value *at = ob__shape_constant(maker, before, &index, 1);
    if (!shape || !at) return NULL;
    struct {
        ob_value *value;
        intptr_t axis; /* no gap between them: the bytes are the key */
    } key = {shape, axis};
    ob_map_entry *entry = slot(maker, 'g', before->graph, &key, sizeof key);
    if (!entry || entry->value) return entry ? entry->value : NULL;
    ob_node *node = ob__patch_node(maker->patch, before->graph, before, "", "Gather", 2, 1);
    ob_value *made = one_output(maker, node, "broadcast_size", 1);
    if (!made) return NULL;
    node->inputs[0] = shape;
    node->inputs[1] = at;
    ob__node_set_int(node, "axis", 0);
    entry->value = made;
    return made;
}

static bool find_size(const ob_facts *facts, const ob_node *node, ob_dim size, ob_value **value, int32_t *axis) {
    if (size == OB_DIM_UNKNOWN) return false;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        if (!node->inputs[i]) continue;
        const ob_fact *fact = ob__fact(facts, node->inputs[i]);
        if (fact->type.kind != OB_TYPE_TENSOR) continue;
        for (int32_t k = 0; k < fact->type.shape.rank; k++)
            if (fact->type.shape.dims[k] == size) {
                *value = node->inputs[i];
                *axis = k;
                return true;
            }
    }
    return false;
}

static ob_value *piece_together(ob_shape_maker *maker, ob_node *before, const ob_shape *shape) {
    ob_node *concat = NULL;
    ob_value *pieces[OB_MAX_RANK];
    for (int32_t i = 0; i < shape->rank; i++) {
        ob_value *value;
        int32_t axis;
        if (ob_dim_is_const(shape->dims[i]))
            pieces[i] = ob__shape_constant(maker, before, &shape->dims[i], 1);
        else if (find_size(maker->work->facts, before, shape->dims[i], &value, &axis))
            pieces[i] = size_of(maker, before, value, axis);
        else
            return NULL;
        if (!pieces[i]) return NULL;
    }
    if (shape->rank == 1) return pieces[0];
    concat = ob__patch_node(maker->patch, before->graph, before, "", "Concat", (uint32_t)shape->rank, 1);
    ob_value *made = one_output(maker, concat, "broadcast_shape", shape->rank);
    if (!made) return NULL;
    for (int32_t i = 0; i < shape->rank; i++) concat->inputs[i] = pieces[i];
    ob__node_set_int(concat, "axis", 0);
    return made;
}

ob_value *ob__shape_as_operand(ob_shape_maker *maker, ob_node *before, const ob_shape *shape, bool *possible) {
    *possible = false;
    const ob_facts *facts = maker->work->facts;
    if (shape->rank == OB_RANK_UNKNOWN || shape->rank > OB_MAX_RANK) return NULL;
    if (ob__is_static(shape)) {
        *possible = true;
        return ob__shape_constant(maker, before, shape->dims, shape->rank);
    }
    for (uint32_t i = 0; i < before->n_inputs; i++)
        if (before->inputs[i] && ob__same_shape(&ob__fact(facts, before->inputs[i])->type.shape, shape)) {
            *possible = true;
            return ob__shape_of_value(maker, before, before->inputs[i]);
        }
    for (int32_t i = 0; i < shape->rank; i++) {
        ob_value *value;
        int32_t axis;
        if (!ob_dim_is_const(shape->dims[i]) && !find_size(facts, before, shape->dims[i], &value, &axis)) return NULL;
    }
    *possible = true;
    return piece_together(maker, before, shape);
}
