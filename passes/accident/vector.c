/* Vectors of the channels that lie along another axis. */
#include "core/dims/terms.h"
#include "ops/table/op.h"
#include "passes/accident/suspect.h"

/* The only axis of the result along which the constant has more than one element, or -1. */
static int32_t axis_of_vector(const ob_suspect *s, uint32_t i) {
    int32_t found = -1;
    for (int32_t axis = 0; axis < s->group->result.rank; axis++) {
        const ob_dim size = ob__group_dim(s->group, i, axis);
        if (size == 1) continue;
        if (found >= 0 || !ob_dim_is_const(size) || size < 2) return -1;
        found = axis;
    }
    return found;
}

/* A constant, or an input that is a vector of a fixed size: weights that the caller gives. */
static bool is_weight(const ob_suspect *s, uint32_t i, int32_t axis) {
    bool absent;
    if (ob__is_constant_value(s->origins, ob__suspect_operand(s, i))) return true;
    const ob_root *root = axis < 0 ? NULL : ob__root(s->origins, ob__suspect_axis(s, i, axis, &absent)->root);
    return root && root->kind == OB_ROOT_INPUT && root->value->declared.shape.rank == 1 && ob_dim_is_const(root->size);
}

bool ob__suspect_vector(const ob_suspect *s, ob_suspicion *out) {
    const ob_group *group = s->group;
    if (!group || (group->kind != OB_BCAST_MULTI && group->kind != OB_BCAST_UNI)) return false;
    for (uint32_t v = 0; v < group->n; v++) {
        const int32_t at = axis_of_vector(s, v);
        if (!is_weight(s, v, at)) continue;
        for (uint32_t x = 0; x < group->n && at >= 0; x++) {
            bool absent;
            if (x == v || ob__is_constant_value(s->origins, ob__suspect_operand(s, x))) continue;
            const ob_axis_origin *met = ob__suspect_axis(s, x, at, &absent);
            if (ob__root(s->origins, ob__root_top(s->origins, met->root))->kind != OB_ROOT_INPUT) continue;
            if (ob__is_feature(s->origins, met->root)) continue;
            for (int32_t c = 0; c < group->result.rank; c++) {
                const ob_axis_origin *own = ob__suspect_axis(s, x, c, &absent);
                if (c == at || own->root == 0 || ob__group_dim(group, x, c) != ob__group_dim(group, v, at)) continue;
                /* If it decides an open size, the axis that has its size already is the likely one, whatever it is. */
                if (!ob__is_feature(s->origins, own->root) && ob_dim_is_const(ob__group_dim(group, x, at))) continue;
                const char *vector = ob__suspect_name(s, v), *value = ob__suspect_name(s, x);
                const char *meets = ob__axis_in_words(s->origins, met, s->arena),
                           *has = ob__axis_in_words(s->origins, own, s->arena);
                *out = (ob_suspicion){.id = OB0405, .a = v, .b = x, .axis = at};
                out->has_repair = ob__repair_vector(s, v, c, &out->repair);
                if (!vector || !value || !meets || !has) return true;
                out->text =
                    ob__arena_printf(s->arena, "%s lies along axis %d, which is %s; %s has its size along axis %d, which is %s",
                                     vector, (int)at, meets, value, (int)c, has);
                out->fix =
                    ob__arena_printf(s->arena, "reshape %s so that its elements are along axis %d of the result", vector, (int)c);
                return true;
            }
        }
    }
    return false;
}

/* A node that gives each element along an axis of a weight a scale of its own, where a product sums over that axis. */
bool ob__suspect_scale(const ob_suspect *s, ob_suspicion *out) {
    const ob_node *node = s->node;
    ob_links links;
    if (s->group || node->n_inputs < 2 || node->n_outputs < 1 || !ob__is_constant_value(s->origins, node->inputs[0]))
        return false;
    const ob_shape *scale = node->inputs[1] ? &ob__fact(s->facts, node->inputs[1])->type.shape : NULL;
    if (!scale || scale->rank != 1 || scale->dims[0] == 1 || !ob__is_constant_value(s->origins, node->inputs[1])) return false;
    if (ob__links_of(s->work->model, s->facts, node, s->arena, &links) != OB_OK) return false; /* the arena has it */
    for (uint32_t i = 0; i < links.n; i++) {
        const ob_link *link = &links.items[i];
        if (link->input != 1 || link->output != 0 || link->kind != OB_LINK_SAME) continue;
        const uint32_t root = ob__axis_origin(s->origins, node->outputs[0], link->axis)->root;
        const unsigned uses = ob__root_uses(s->origins, root);
        if (!(uses & OB_USE_CONTRACTED) || uses & OB_USE_COLUMNS) continue;
        const char *axis = ob__root_in_words(s->origins, root, s->arena);
        const char *name = ob__shown_name(node->inputs[1]->name, OB_NAME_IN_TEXT, s->arena);
        *out = (ob_suspicion){.id = OB0406, .a = UINT32_MAX, .b = UINT32_MAX, .axis = link->axis};
        out->fix = "set attribute axis to the axis of the output channels";
        if (axis && name)
            out->text = ob__arena_printf(s->arena,
                                         "the scale '%s' is along %s, over which a product sums; scales belong to the output "
                                         "channels",
                                         name, axis);
        return true;
    }
    return false;
}
