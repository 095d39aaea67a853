/* Makes the changes of fixes: one patch for all of them. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "passes/fix/fixing.h"
#include "passes/rewrite/patch.h"

typedef struct applying {
    ob_fixing *fixing;
    const ob_facts *facts; /* before the changes */
    const ob_candidate *candidate;
    ob_patch patch;
    ob_arena scratch;
    uint32_t *n_reads;   /* by value id; NULL until needed */
    uint32_t *place;     /* by node id: 1 + position among the nodes of its graph; NULL until needed */
    ob_map reshaped;     /* value and new shape -> reshaping */
    bool failed;         /* out of memory */
    const char *failure; /* why the step at hand cannot be made, or NULL */
} applying;

/* The steps that give one initializer one new shape. */
typedef struct reshaping {
    uint32_t n_steps;
    ob_value *value; /* the reshaped initializer, or the copy; NULL until it is made */
} reshaping;

static ob_node *node_of(const ob_fix *fix) {
    return (ob_node *)(uintptr_t)fix->node; /* a node of the model that is being fixed */
}

static ob_value *operand_of(const ob_fix *fix) {
    const ob_node *node = fix->node;
    return fix->operand >= 0 && (uint32_t)fix->operand < node->n_inputs ? node->inputs[fix->operand] : NULL;
}

/* ---- New nodes ---- */

/* Type and shape of a new value, for readers of the file. Bodies of functions declare no types. */
static void declare(applying *a, ob_value *value, ob_dtype dtype, const ob_shape *shape) {
    const ob_model *model = a->fixing->model;
    if (!value || value->graph->function || dtype == OB_NONE || shape->rank < 0) return;
    ob_dim *dims = OB_ARENA_ARRAY(&a->fixing->model->arena, ob_dim, (size_t)shape->rank + 1);
    if (!dims) {
        a->failed = true;
        return;
    }
    for (int32_t i = 0; i < shape->rank; i++) {
        const ob_dim d = shape->dims[i];
        dims[i] = ob_dim_is_const(d) || ob_dim_is_named(model->dims, d) ? d : OB_DIM_UNKNOWN;
    }
    value->declared = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = dtype, .shape = {shape->rank, dims}};
}

static void name_after(const char *stem, const char *suffix, char name[160]) {
    ob__copy_text(name, 160 - 16, stem); /* long enough for every suffix here */
    strcat(name, suffix);
}

/* A node with one result before `before`. NULL: out of memory. */
static ob_node *insert(applying *a, ob_node *before, const char *op_type, uint32_t n_inputs, const char *stem,
                       const char *suffix) {
    char name[160];
    ob_node *made = ob__patch_node(&a->patch, before->graph, before, "", op_type, n_inputs, 1);
    name_after(stem, suffix, name);
    ob_value *value = made ? ob__patch_value(&a->patch, before->graph, name) : NULL;
    if (!value) {
        a->failed = true;
        return NULL;
    }
    made->outputs[0] = value;
    return made;
}

/* A 1-d int64 constant. NULL: out of memory. */
static ob_value *constant(applying *a, ob_node *before, const int64_t *elements, uint32_t n, const char *stem,
                          const char *suffix) {
    if (ob__graph_opset(before->graph, "") >= 9) { /* since then Constant takes integers */
        ob_node *made = insert(a, before, "Constant", 0, stem, suffix);
        if (!made) return NULL;
        ob__patch_tensor(&a->patch, made, "value", OB_INT64, elements, n);
        return made->outputs[0];
    }
    char name[160];
    name_after(stem, suffix, name);
    ob_value *value = ob__patch_initializer(&a->patch, before->graph, name, elements, n);
    ob__patch_ir_version(&a->patch, 4); /* since then initializers need not be inputs */
    return value;
}

static const char *why_no_constant(const ob_fix *fix) {
    const ob_graph *graph = fix->node->graph;
    return ob__graph_opset(graph, "") < 9 && graph->function ? "functions of this opset have no integer constants" : NULL;
}

/* ---- The kinds. Each sets a->failure before it edits anything, or edits. ---- */

static bool needs_operand(applying *a, const ob_fix *fix) {
    if (!fix->node || !operand_of(fix)) a->failure = "the node has no such operand";
    return !a->failure;
}

static bool has_axes(const ob_fix *fix, int32_t rank) {
    for (uint32_t i = 0; i < fix->n_axes; i++)
        if (fix->axes[i] < 0 || fix->axes[i] >= rank) return false;
    return fix->n_axes > 0;
}

/* Unsqueeze or Squeeze: axes are an attribute before opset 13, and an operand since. */
static void insert_with_axes(applying *a, const ob_fix *fix, const char *op_type, const char *suffix) {
    if (!needs_operand(a, fix)) return;
    ob_node *node = node_of(fix);
    ob_value *operand = operand_of(fix);
    const bool as_operand = ob__graph_opset(node->graph, "") >= 13;
    int64_t axes[OB_MAX_RANK];
    if (fix->n_axes > OB_MAX_RANK || !has_axes(fix, OB_MAX_RANK)) a->failure = "it has too many axes";
    if (a->failure) return;
    for (uint32_t i = 0; i < fix->n_axes; i++) axes[i] = fix->axes[i];
    ob_value *list = as_operand ? constant(a, node, axes, fix->n_axes, operand->name, "_axes") : NULL;
    ob_node *made = insert(a, node, op_type, as_operand ? 2 : 1, operand->name, suffix);
    if (!made || (as_operand && !list)) {
        a->failed = true;
        return;
    }
    made->inputs[0] = operand;
    if (as_operand)
        made->inputs[1] = list;
    else if (!ob__node_set_ints(made, "axes", axes, fix->n_axes))
        a->failed = true;
    declare(a, made->outputs[0], ob__fact(a->facts, operand)->type.dtype, &fix->to);
    ob__patch_input(&a->patch, node, (uint32_t)fix->operand, made->outputs[0]);
}

static void apply_unsqueeze(applying *a, const ob_fix *fix) {
    insert_with_axes(a, fix, "Unsqueeze", "_unsqueezed");
}

static void apply_squeeze(applying *a, const ob_fix *fix) {
    insert_with_axes(a, fix, "Squeeze", "_squeezed");
}

static void apply_transpose(applying *a, const ob_fix *fix) {
    if (!needs_operand(a, fix)) return;
    ob_node *node = node_of(fix);
    ob_value *operand = operand_of(fix);
    int64_t perm[OB_MAX_RANK];
    if (fix->n_axes > OB_MAX_RANK || !has_axes(fix, (int32_t)fix->n_axes)) a->failure = "it has no order of axes";
    if (a->failure) return;
    for (uint32_t i = 0; i < fix->n_axes; i++) perm[i] = fix->axes[i];
    ob_node *made = insert(a, node, "Transpose", 1, operand->name, "_transposed");
    if (!made || !ob__node_set_ints(made, "perm", perm, fix->n_axes)) {
        a->failed = true;
        return;
    }
    made->inputs[0] = operand;
    declare(a, made->outputs[0], ob__fact(a->facts, operand)->type.dtype, &fix->to);
    ob__patch_input(&a->patch, node, (uint32_t)fix->operand, made->outputs[0]);
}

static void apply_swap(applying *a, const ob_fix *fix) {
    const ob_node *node = fix->node;
    if (!needs_operand(a, fix)) return;
    if (fix->other < 0 || (uint32_t)fix->other >= node->n_inputs || !node->inputs[fix->other])
        a->failure = "the node has no such operand";
    if (a->failure) return;
    ob__patch_input(&a->patch, node_of(fix), (uint32_t)fix->operand, node->inputs[fix->other]);
    ob__patch_input(&a->patch, node_of(fix), (uint32_t)fix->other, operand_of(fix));
}

static void apply_keepdims(applying *a, const ob_fix *fix) {
    if (!fix->node)
        a->failure = "there is no such node";
    else
        ob__patch_int_attribute(&a->patch, node_of(fix), "keepdims", 1);
}

static void apply_axis(applying *a, const ob_fix *fix) {
    if (!fix->node)
        a->failure = "there is no such node";
    else {
        ob__patch_int_attribute(&a->patch, node_of(fix), "axis", fix->other);
        ob__patch_int_attribute(&a->patch, node_of(fix), "broadcast", 1);
    }
}

static ob_status mark_sorted(void *context, ob_graph *graph) {
    applying *a = context;
    if (graph->n_early) ob__patch_sorted(&a->patch, graph);
    return OB_OK;
}

static void apply_sort(applying *a, const ob_fix *fix) {
    (void)fix;
    if (ob__model_each_graph(a->fixing->model, mark_sorted, a) != OB_OK) a->failed = true;
}

/* ---- Initializers ---- */

static ob_status count_reads(void *context, ob_graph *graph) {
    applying *a = context;
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_inputs; i++)
            if (node->inputs[i]) a->n_reads[node->inputs[i]->id]++;
    for (uint32_t i = 0; i < graph->n_outputs; i++) a->n_reads[graph->outputs[i]->id]++;
    return OB_OK;
}

static uint32_t n_reads(applying *a, const ob_value *value) {
    if (!a->n_reads) {
        a->n_reads = OB_ARENA_ARRAY(&a->scratch, uint32_t, a->fixing->model->n_values);
        if (!a->n_reads || ob__model_each_graph(a->fixing->model, count_reads, a) != OB_OK) {
            a->failed = true;
            return 0;
        }
    }
    return a->n_reads[value->id];
}

/* NULL: out of memory. */
static reshaping *reshaping_of(applying *a, const ob_fix *fix) {
    struct {
        uint64_t value;           /* its address */
        ob_dim dims[OB_MAX_RANK]; /* no gap between them on any machine: the bytes are the key */
    } key = {.value = (uintptr_t)operand_of(fix)};
    const size_t n = (size_t)fix->to.rank * sizeof *fix->to.dims;
    if (n) memcpy(key.dims, fix->to.dims, n);
    ob_map_entry *entry = ob__map_insert(&a->reshaped, (const char *)&key, offsetof(__typeof__(key), dims) + n);
    if (entry && !entry->value) entry->value = OB_ARENA_NEW(&a->scratch, reshaping);
    if (!entry || !entry->value) a->failed = true;
    return entry ? entry->value : NULL;
}

static const char *why_no_reshape(const ob_fix *fix) {
    const ob_value *value = operand_of(fix);
    int64_t n_elems = 1;
    if (!value->is_initializer || value->is_input || !value->data) return "the operand is not an initializer";
    if (!value->data->data && !value->data->is_external && value->data->n_elems > 0)
        return "the initializer is sparse or has no data";
    if (fix->to.rank < 0 || fix->to.rank > OB_MAX_RANK) return "the new shape is not known";
    for (int32_t i = 0; i < fix->to.rank; i++) {
        const ob_dim d = fix->to.dims[i];
        if (!ob_dim_is_const(d) || d < 0 || __builtin_mul_overflow(n_elems, d, &n_elems)) return "the new shape is not known";
    }
    return n_elems == value->data->n_elems ? NULL : "the new shape has another number of elements";
}

static const ob_tensor *tensor_of_shape(applying *a, const ob_tensor *from, const ob_shape *shape) {
    ob_arena *arena = &a->fixing->model->arena;
    ob_tensor *tensor = OB_ARENA_NEW(arena, ob_tensor);
    int64_t *dims = OB_ARENA_ARRAY(arena, int64_t, (size_t)shape->rank);
    if (!tensor || !dims) return NULL;
    for (int32_t i = 0; i < shape->rank; i++) dims[i] = shape->dims[i];
    *tensor = *from;
    tensor->rank = shape->rank;
    tensor->dims = dims;
    return tensor;
}

/* Every step that reshapes the initializer was counted before. */
static void apply_reshape(applying *a, const ob_fix *fix) {
    if (!needs_operand(a, fix)) return;
    a->failure = why_no_reshape(fix);
    if (a->failure) return;
    ob_value *value = operand_of(fix);
    reshaping *all = reshaping_of(a, fix);
    if (!all) return;
    if (!all->value) {
        const ob_tensor *tensor = tensor_of_shape(a, value->data, &fix->to);
        if (!tensor) {
            a->failed = true;
            return;
        }
        const bool agreed = n_reads(a, value) == all->n_steps;
        char name[160];
        name_after(value->name, "_reshaped", name);
        all->value = agreed ? value : ob__patch_weight(&a->patch, value->graph, name, tensor);
        if (agreed) ob__patch_set_tensor(&a->patch, value, tensor);
    }
    if (!all->value)
        a->failed = true;
    else if (all->value != value)
        ob__patch_input(&a->patch, node_of(fix), (uint32_t)fix->operand, all->value);
}

/* ---- Sizes ---- */

static ob_status number_nodes(void *context, ob_graph *graph) {
    applying *a = context;
    uint32_t n = 0;
    for (const ob_node *node = graph->first; node; node = node->next) a->place[node->id] = ++n;
    return OB_OK;
}

/* Is the value computed before the node runs? */
static bool comes_before(applying *a, const ob_value *value, const ob_node *node) {
    const ob_graph *graph = node->graph;
    while (graph && graph != value->graph) {
        node = graph->parent_node;
        graph = graph->parent;
    }
    if (!graph || !node) return false;
    if (!value->producer) return true;
    if (!a->place) {
        a->place = OB_ARENA_ARRAY(&a->scratch, uint32_t, a->fixing->model->n_nodes);
        if (!a->place || ob__model_each_graph(a->fixing->model, number_nodes, a) != OB_OK) {
            a->failed = true;
            return false;
        }
    }
    return a->place[value->producer->id] < a->place[node->id];
}

static const char *why_no_size(applying *a, const ob_fix *fix) {
    const ob_fact *fact = ob__fact(a->facts, operand_of(fix));
    const ob_shape *shape = fix->value ? &ob__fact(a->facts, fix->value)->type.shape : NULL;
    const ob_content *content = &fact->content;
    if (fact->type.kind != OB_TYPE_TENSOR || fact->type.dtype != OB_INT64 || fact->type.shape.rank < 0 ||
        fact->type.shape.rank > 1)
        return "the operand is not a list of int64";
    if (!content->elems || fix->other < 0 || (uint32_t)fix->other >= content->n) return "the operand has no such element";
    for (uint32_t i = 0; i < content->n; i++)
        if (!ob_dim_is_const(content->elems[i]) && content->n > 1) return "the other elements are not constant";
    if (content->n > OB_MAX_RANK) return "the operand has too many elements";
    if (!shape || fix->axis < 0 || fix->axis >= shape->rank) return "the value has no such axis";
    if (!comes_before(a, fix->value, fix->node)) return "the size is computed after the node";
    return why_no_constant(fix);
}

/* Gather(Shape(value), [axis]): a list of one element. */
static ob_value *size_of(applying *a, const ob_fix *fix) {
    ob_node *node = node_of(fix);
    const int64_t axis = fix->axis;
    ob_value *index = constant(a, node, &axis, 1, fix->value->name, "_axis");
    ob_node *shape = insert(a, node, "Shape", 1, fix->value->name, "_shape");
    ob_node *size = insert(a, node, "Gather", 2, fix->value->name, "_size");
    if (!index || !shape || !size || !ob__node_set_int(size, "axis", 0)) return NULL;
    shape->inputs[0] = (ob_value *)(uintptr_t)fix->value;
    size->inputs[0] = shape->outputs[0];
    size->inputs[1] = index;
    return size->outputs[0];
}

/* The scalar in a list of one element. */
static ob_value *scalar_of(applying *a, const ob_fix *fix, ob_value *list) {
    const int64_t zero = 0;
    const bool as_operand = ob__graph_opset(fix->node->graph, "") >= 13;
    ob_value *axes = as_operand ? constant(a, node_of(fix), &zero, 1, list->name, "_axes") : NULL;
    ob_node *made = insert(a, node_of(fix), "Squeeze", as_operand ? 2 : 1, list->name, "_scalar");
    if (!made || (as_operand && !axes) || (!as_operand && !ob__node_set_ints(made, "axes", &zero, 1))) return NULL;
    made->inputs[0] = list;
    if (as_operand) made->inputs[1] = axes;
    return made->outputs[0];
}

/* The step of the candidate for this element of the operand, or NULL. */
static const ob_fix *step_for(const applying *a, const ob_fix *fix, int32_t element) {
    for (uint32_t i = 0; i < a->candidate->n_steps; i++) {
        const ob_fix *step = &a->candidate->steps[i];
        if (step->kind == OB_FIX_KIND_SIZE && step->node == fix->node && step->operand == fix->operand && step->other == element)
            return step;
    }
    return NULL;
}

/* The list with all sizes of the candidate in their places. NULL: out of memory. */
static ob_value *joined_sizes(applying *a, const ob_fix *fix, const ob_content *content) {
    ob_value *pieces[OB_MAX_RANK];
    uint32_t n_pieces = 0;
    ob_node *node = node_of(fix);
    for (uint32_t i = 0, end; i < content->n; i = end) {
        const ob_fix *step = step_for(a, fix, (int32_t)i);
        for (end = i + 1; !step && end < content->n && !step_for(a, fix, (int32_t)end);) end++;
        pieces[n_pieces] =
            step ? size_of(a, step)
                 : constant(a, node, content->elems + i, end - i, operand_of(fix)->name, "_part"); /* numbers: why_no_size */
        if (!pieces[n_pieces++]) return NULL;
    }
    if (n_pieces == 1) return pieces[0];
    ob_node *concat = insert(a, node, "Concat", n_pieces, operand_of(fix)->name, "_computed");
    if (!concat || !ob__node_set_int(concat, "axis", 0)) return NULL;
    memcpy(concat->inputs, pieces, n_pieces * sizeof(ob_value *));
    return concat->outputs[0];
}

static void apply_size(applying *a, const ob_fix *fix) {
    if (!needs_operand(a, fix)) return;
    a->failure = why_no_size(a, fix);
    for (const ob_fix *before = a->candidate->steps; before < fix && !a->failure; before++)
        if (before->kind == OB_FIX_KIND_SIZE && before->node == fix->node && before->operand == fix->operand) return; /* joined */
    if (a->failure) return;
    const ob_fact *fact = ob__fact(a->facts, operand_of(fix));
    ob_value *made = joined_sizes(a, fix, &fact->content);
    if (made && fact->type.shape.rank == 0) made = scalar_of(a, fix, made);
    if (!made) {
        a->failed = true;
        return;
    }
    ob_value *was = operand_of(fix);
    ob__patch_input(&a->patch, node_of(fix), (uint32_t)fix->operand, made);
    if (was->is_initializer && !was->is_input && n_reads(a, was) == 1) ob__patch_remove_initializer(&a->patch, was);
}

/* ---- The whole ---- */

typedef void (*apply_kind)(applying *a, const ob_fix *fix);

static const apply_kind kinds[OB_FIX_KIND_COUNT] = {
#define OB_FIX(kind, name, effect) [OB_FIX_KIND_##kind] = apply_##name,
#include "passes/check/fixes.def"
#undef OB_FIX
};

/* How many steps of all candidates give one initializer the same shape: if these are its readers, it needs no copy. */
static void count_reshapes(applying *a, const ob_candidate *candidates, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < candidates[i].n_steps && !candidates[i].failure && !a->failed; k++) {
            const ob_fix *fix = &candidates[i].steps[k];
            if (fix->kind != OB_FIX_KIND_RESHAPE || !operand_of(fix) || why_no_reshape(fix)) continue;
            reshaping *all = reshaping_of(a, fix);
            if (all) all->n_steps++;
        }
}

/* Steps before the one that fails stay in the patch; the caller then undoes the whole patch. */
static ob_status apply_all(applying *a, ob_candidate *candidates, uint32_t n, bool *again) {
    count_reshapes(a, candidates, n);
    for (uint32_t i = 0; i < n && !a->failed; i++) {
        ob_candidate *candidate = &candidates[i];
        if (candidate->failure) continue;
        a->failure = NULL;
        a->candidate = candidate;
        for (uint32_t k = 0; k < candidate->n_steps && !a->failure && !a->failed; k++)
            kinds[candidate->steps[k].kind](a, &candidate->steps[k]);
        if (!a->failure) continue;
        candidate->failure = a->failure;
        *again = true;
    }
    if (a->failed || a->patch.failed) return OB_E_MEMORY;
    return *again ? OB_OK : ob__patch_apply(&a->patch, NULL);
}

static ob_status apply_once(ob_fixing *fixing, const ob_facts *facts, ob_candidate *candidates, uint32_t n, bool *again) {
    applying a = {.fixing = fixing, .facts = facts};
    const ob_journal_entry *mark = fixing->journal.last;
    *again = false;
    ob__arena_init(&a.scratch, &fixing->arena.allocator);
    ob__map_init(&a.reshaped, &a.scratch);
    ob__patch_init(&a.patch, fixing->model, &fixing->journal);
    a.patch.suffix = "_fix";
    ob_status status = apply_all(&a, candidates, n, again);
    ob__patch_release(&a.patch);
    ob__arena_release(&a.scratch);
    if (status != OB_OK || *again) ob__journal_undo(&fixing->journal, mark);
    if (status != OB_E_UNSUPPORTED) return status;
    for (uint32_t i = 0; i < n; i++)
        if (!candidates[i].failure) candidates[i].failure = "a function of the model has the name of an operator that it needs";
    return OB_OK;
}

ob_status ob__apply_fixes(ob_fixing *fixing, const ob_facts *facts, ob_candidate *candidates, uint32_t n) {
    bool again = true;
    for (int i = 0; i < 2 && again; i++) /* the second time without those that cannot be made */
        OB_TRY(apply_once(fixing, facts, candidates, n, &again));
    return again ? OB_E_INTERNAL : OB_OK;
}

/* ---- Declared shapes ---- */

typedef struct declaring {
    applying *a;
    const ob_facts *after;
    bool any;
} declaring;

static bool is_known(const ob_dims *dims, ob_dim d) {
    return d != OB_DIM_UNKNOWN && !ob_dim_is_anonymous(dims, d);
}

/* Does the shape contradict the declared one somewhere? */
static bool contradicts(const ob_dims *dims, const ob_shape *declared, const ob_shape *shape) {
    if (declared->rank < 0 || shape->rank < 0) return false;
    if (declared->rank != shape->rank) return true;
    for (int32_t i = 0; i < shape->rank; i++)
        if (is_known(dims, declared->dims[i]) && is_known(dims, shape->dims[i]) && declared->dims[i] != shape->dims[i])
            return true;
    return false;
}

static ob_status declare_in(void *context, ob_graph *graph) {
    declaring *d = context;
    const ob_dims *dims = graph->model->dims;
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++) {
            ob_value *value = node->outputs[i];
            if (!value || value->declared.kind != OB_TYPE_TENSOR || value->id >= d->a->facts->n_facts) continue;
            const ob_shape *was = &ob__fact(d->a->facts, value)->type.shape, *is = &ob__fact(d->after, value)->type.shape;
            const ob_shape *declared = &value->declared.shape;
            if (was->rank < 0 || contradicts(dims, declared, was) || !contradicts(dims, declared, is)) continue;
            ob_type *type = OB_ARENA_NEW(&graph->model->arena, ob_type);
            ob_dim *sizes = OB_ARENA_ARRAY(&graph->model->arena, ob_dim, (size_t)is->rank);
            if (!type || !sizes) return OB_E_MEMORY;
            for (int32_t k = 0; k < is->rank; k++) sizes[k] = is_known(dims, is->dims[k]) ? is->dims[k] : OB_DIM_UNKNOWN;
            *type = value->declared;
            type->shape = (ob_shape){is->rank, sizes};
            ob__patch_declare(&d->a->patch, value, type);
            d->any = true;
        }
    return OB_OK;
}

ob_status ob__declare_again(ob_fixing *fixing, const ob_checked *after, bool *any) {
    applying a = {.fixing = fixing, .facts = fixing->now.facts};
    declaring d = {.a = &a, .after = after->facts};
    ob__patch_init(&a.patch, fixing->model, &fixing->journal);
    ob_status status = ob__model_each_graph(fixing->model, declare_in, &d);
    if (status == OB_OK && d.any) status = ob__patch_apply(&a.patch, NULL);
    ob__patch_release(&a.patch);
    *any = d.any;
    return status;
}
