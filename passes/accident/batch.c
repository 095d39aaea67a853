/* Positions, tables and states that lie along the batch. */
#include <string.h>

#include "core/dims/terms.h"
#include "ops/table/op.h"
#include "passes/accident/suspect.h"

/* "batch", "batch_size", "bsz" and so on. */
static bool names_batch(const char *name) {
    static const char *const whole[] = {"bs", "bsz"};
    char lower[64];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof lower; n++)
        lower[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] - 'A' + 'a' : name[n]);
    lower[n] = '\0';
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(lower, whole[i]) == 0) return true;
    return strstr(lower, "batch") != NULL;
}

bool ob__is_batch(const ob_work *work, ob_dim size) {
    const ob_graph *graph = work->model->graph;
    char name[96];
    bool first = false;
    if (!ob_dim_is_named(work->model->dims, size)) return false;
    ob_dim_format(work->model->dims, size, name, sizeof name);
    if (strchr(name, '[')) return false; /* "x[0]": the author gave it no name */
    if (names_batch(name)) return true;
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_shape *shape = &ob__fact(work->facts, graph->inputs[i])->type.shape;
        for (int32_t axis = 0; axis < shape->rank; axis++) {
            if (shape->dims[axis] != size) continue;
            if (axis > 0) return false;
            first |= shape->rank > 1;
        }
    }
    return first;
}

/* Whether the operand has another axis, of open size or with uses of positions, where a table of positions would belong. */
static bool has_positions(const ob_suspect *s, uint32_t x, int32_t except) {
    for (int32_t axis = 0; axis < s->group->result.rank; axis++) {
        bool absent;
        const ob_axis_origin *origin = ob__suspect_axis(s, x, axis, &absent);
        if (axis == except || origin->root == 0 || ob__is_feature(s->origins, origin->root)) continue;
        const ob_root *root = ob__root(s->origins, ob__root_top(s->origins, origin->root));
        if (root->kind != OB_ROOT_INPUT) continue;
        if (!ob_dim_is_const(root->size) || ob__root_uses(s->origins, origin->root) & (OB_USE_MIXED | OB_USE_NEAR)) return true;
    }
    return false;
}

bool ob__suspect_table(const ob_suspect *s, ob_suspicion *out) {
    const ob_group *group = s->group;
    if (!group || group->kind != OB_BCAST_MULTI) return false;
    for (int32_t axis = 0; axis < group->result.rank; axis++)
        for (uint32_t t = 0; t < group->n; t++) {
            bool absent;
            const ob_axis_origin *table = ob__suspect_axis(s, t, axis, &absent);
            if (!table->counted || !ob__is_batch(s->work, ob__root(s->origins, table->root)->size)) continue;
            if (ob__root_uses(s->origins, table->root) & (OB_USE_MIXED | OB_USE_NEAR)) continue;
            for (uint32_t x = 0; x < group->n; x++) {
                if (x == t || ob__suspect_axis(s, x, axis, &absent)->root != table->root || !has_positions(s, x, axis)) continue;
                const char *name = ob__suspect_name(s, t), *value = ob__suspect_name(s, x);
                const char *batch = ob__axis_in_words(s->origins, table, s->arena);
                *out = (ob_suspicion){.id = OB0407, .a = t, .b = x, .axis = axis};
                out->fix = "count the positions along the axis of the tokens, for instance with Shape and Gather of that axis";
                if (name && value && batch)
                    out->text = ob__arena_printf(s->arena,
                                                 "%s has one entry for each element of %s, in their order: the samples of %s get "
                                                 "positions, not its tokens",
                                                 name, batch, value);
                return true;
            }
        }
    return false;
}

/* Declared with batch 1 and more than one element. */
static bool is_state(const ob_facts *facts, const ob_value *input) {
    const ob_shape *declared = &input->declared.shape, *shape = &ob__fact(facts, input)->type.shape;
    bool several = false;
    if (declared->rank < 2 || declared->dims[0] != 1 || shape->rank != declared->rank) return false;
    for (int32_t axis = 1; axis < shape->rank; axis++) several |= shape->dims[axis] != 1;
    return several;
}

/* An input of batch 1, stretched over the open batch of another input. */
bool ob__suspect_state(const ob_suspect *s, ob_suspicion *out) {
    const ob_group *group = s->group;
    if (!group || group->kind != OB_BCAST_MULTI) return false;
    for (int32_t axis = 0; axis < group->result.rank; axis++)
        for (uint32_t i = 0; i < group->n; i++) {
            bool absent;
            const ob_axis_origin *one = ob__suspect_axis(s, i, axis, &absent);
            const ob_root *from = ob__root(s->origins, one->left);
            if (one->one != OB_ONE_INPUT || from->axis != 0 || !from->value || !is_state(s->facts, from->value)) continue;
            for (uint32_t x = 0; x < group->n; x++) {
                const ob_axis_origin *batch = ob__suspect_axis(s, x, axis, &absent);
                if (x == i || !ob__is_batch(s->work, ob__root(s->origins, batch->root)->size)) continue;
                const char *name = ob__shown_name(from->value->name, OB_NAME_IN_TEXT, s->arena);
                const char *other = ob__axis_in_words(s->origins, batch, s->arena), *value = ob__suspect_name(s, i);
                *out = (ob_suspicion){.id = OB0411, .a = i, .b = x, .axis = axis};
                if (!name || !other || !value) return true;
                out->text = ob__arena_printf(s->arena, "%s comes from input '%s' of batch 1 and is shared by all elements of %s",
                                             value, name, other);
                out->fix = ob__arena_printf(s->arena, "declare axis 0 of input '%s' with the open batch", name);
                return true;
            }
        }
    return false;
}
