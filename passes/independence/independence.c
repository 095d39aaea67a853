/* ob_independence_check: copies the model, enters its functions, infers shapes, marks values, and describes the worst output. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "ops/library/resolve.h"
#include "passes/check/names.h"
#include "passes/check/propagate.h"
#include "passes/expand/expand.h"
#include "passes/independence/marks.h"

enum { MOST_NODES = 1 << 20 };

/* The result, with the arena of its texts. The public part is first. */
typedef struct result {
    ob_independence is;
    ob_allocator allocator;
    ob_arena arena;
} result;

const char *ob_independence_verdict_name(ob_independence_verdict verdict) {
    static const char *const names[] = {"proved", "refuted", "unknown"};
    return (unsigned)verdict < 3 ? names[verdict] : "unknown";
}

const char *ob_mixing_name(ob_mixing mixing) {
    static const char *const names[] = {"none", "reduction", "product",  "normalization", "recurrence", "window",
                                        "move", "reshape",   "constant", "slice",         "place",      "size"};
    return (unsigned)mixing < sizeof names / sizeof names[0] ? names[mixing] : "none";
}

void ob_independence_close(ob_independence **independence) {
    if (!independence || !*independence) return;
    result *r = (result *)(void *)*independence;
    const ob_allocator allocator = r->allocator;
    *independence = NULL;
    ob__arena_release(&r->arena);
    allocator.free(allocator.context, r, sizeof *r);
}

/* ---- The symbol ---- */

/* Whether the size of an input's axis has no name in the file. */
static bool is_nameless(const ob_model *model, const ob_value *input, int32_t axis) {
    const ob_dim d = input->declared.shape.dims[axis];
    return !ob_dim_is_const(d) && ob_dim_is_anonymous(model->dims, d);
}

/* The input's axis has this symbol from now on. E_MEMORY. */
static ob_status set_symbol(ob_model *model, ob_value *input, int32_t axis, ob_dim symbol) {
    ob_dim *dims = OB_ARENA_ARRAY(&model->arena, ob_dim, (size_t)input->declared.shape.rank);
    if (!dims) return OB_E_MEMORY;
    memcpy(dims, input->declared.shape.dims, (size_t)input->declared.shape.rank * sizeof *dims);
    dims[axis] = symbol;
    input->declared.shape.dims = dims;
    return OB_OK;
}

/* The open first axes of the inputs have one symbol, or none has a name: then they get that of the first one. */
static ob_status first_symbol(ob_model *model, ob_dim *out, ob_error *error) {
    ob_dim found = OB_DIM_UNKNOWN;
    bool named = false;
    for (uint32_t i = 0; i < model->graph->n_inputs; i++) {
        ob_value *input = model->graph->inputs[i];
        if (input->declared.kind != OB_TYPE_TENSOR || input->declared.shape.rank < 1 || input->data) continue;
        const ob_dim symbol = ob__input_symbol(model, i, 0);
        if (symbol == OB_DIM_UNKNOWN) return OB_E_MEMORY;
        if (ob_dim_is_const(symbol)) continue;
        const bool has_name = !is_nameless(model, input, 0);
        OB_FAIL_IF(found != OB_DIM_UNKNOWN && symbol != found && (has_name || named), error, OB_E_ARGUMENT,
                   "the first axes of the inputs have several symbols: name one");
        if (found == OB_DIM_UNKNOWN) found = symbol;
        named = named || has_name;
        if (has_name) continue;
        OB_TRY(set_symbol(model, input, 0, found));
    }
    OB_FAIL_IF(found == OB_DIM_UNKNOWN, error, OB_E_NOT_FOUND, "no input has an open first axis: name a symbol");
    *out = found;
    return OB_OK;
}

/* A symbol that an input has. */
static ob_status find_symbol(ob_model *model, const char *name, ob_dim *out, ob_error *error) {
    ob_binding binding;
    bool found = false;
    if (!name) return first_symbol(model, out, error);
    OB_TRY(ob__bind_symbol(model, name, 1, &binding, error));
    for (uint32_t i = 0; i < model->graph->n_inputs; i++) {
        for (int32_t axis = 0; axis < model->graph->inputs[i]->declared.shape.rank; axis++) {
            const ob_dim d = ob__input_symbol(model, i, axis);
            if (d == OB_DIM_UNKNOWN) return OB_E_MEMORY;
            if (d != binding.symbol) continue;
            OB_TRY(set_symbol(model, model->graph->inputs[i], axis, d));
            found = true;
        }
    }
    OB_FAIL_IF(!found, error, OB_E_NOT_FOUND, "no input has the symbol '%.200s'", name);
    *out = binding.symbol;
    return OB_OK;
}

/* ---- Sizes that the model excludes ---- */

/* A requirement that holds for no size, or ties the symbol to another one, makes the question empty. */
static const char *excluded(const ob_marks *marks, const ob_node **node) {
    const ob_facts *facts = marks->facts;
    ob_dims *dims = marks->model->dims;
    if (facts->n_refuted) return "the model has errors in shapes";
    for (uint32_t i = 0; i < facts->n_conditions; i++) {
        const ob_requirement *r = &facts->conditions[i];
        if (r->guard || r->reason || r->value || r->bound) continue;
        if (!ob__marks_mention(marks, r->condition.a) && !ob__marks_mention(marks, r->condition.b)) continue;
        *node = r->node;
        bool is_open = false;
        for (int64_t size = 1; size <= 3; size += 2) {
            const ob_binding binding = {marks->symbol, size};
            const ob_condition at = {r->condition.kind, ob_dim_substitute(dims, r->condition.a, &binding, 1),
                                     ob_dim_substitute(dims, r->condition.b, &binding, 1)};
            const ob_truth truth = ob_condition_decide(dims, &at);
            if (truth == OB_FALSE)
                return size == 1 ? "the model does not run with 1 element" : "the model does not run with 3 elements";
            is_open = is_open || truth == OB_UNDECIDED;
        }
        if (is_open && r->condition.kind == OB_COND_EQUAL) return "a requirement ties the size to another one";
    }
    return NULL;
}

/* ---- The answer ---- */

static const char *kept(result *r, const char *text) {
    return ob__arena_strndup(&r->arena, text, strlen(text));
}

/* Names of the nodes from the first one with the mark to the producer of `output`. */
static ob_status describe_path(result *r, const ob_marks *marks, const ob_value *output) {
    size_t n = 0;
    for (const ob_value *at = output; at; at = marks->of[at->id].from) n += at->producer != NULL;
    const char **path = OB_ARENA_ARRAY(&r->arena, const char *, n);
    if (!path) return OB_E_MEMORY;
    r->is.path = path;
    r->is.n_path = n;
    for (const ob_value *at = output; at; at = marks->of[at->id].from) {
        if (!at->producer) continue;
        path[--n] = kept(r, ob__node_label(at->producer));
        if (!path[n]) return OB_E_MEMORY;
    }
    return OB_OK;
}

static ob_status describe(result *r, const ob_marks *marks, const ob_value *output) {
    const ob_mark *mark = &marks->of[output->id];
    const bool stopped = mark->kind == OB_MARK_BROKEN && mark->stops && mark->stops != mark->node;
    r->is.mixing = mark->kind == OB_MARK_BROKEN ? mark->mixing : OB_MIXING_NONE;
    r->is.node = kept(r, mark->node ? ob__node_label(mark->node) : "");
    r->is.op_type = kept(r, mark->node ? mark->node->op_type : "");
    r->is.value = kept(r, mark->value ? mark->value->name : "");
    r->is.output = kept(r, output->name);
    r->is.reason = mark->reason;
    if (stopped)
        r->is.reason = ob__arena_printf(&r->arena, "%s; whether that reaches the output is not decided: %s (%s) may cancel it",
                                        mark->reason, ob__node_label(mark->stops), mark->stops->op_type);
    else if (mark->kind == OB_MARK_BROKEN && !mark->live)
        r->is.reason = ob__arena_printf(&r->arena, "%s; whether results differ is not decided", mark->reason);
    if (!r->is.node || !r->is.op_type || !r->is.value || !r->is.output || !r->is.reason) return OB_E_MEMORY;
    return describe_path(r, marks, output);
}

/* An output of known sizes of the batch is one that uses the size. */
static void close_output(const ob_marks *marks, const ob_value *output) {
    ob_mark *mark = &marks->of[output->id];
    if (mark->kind != OB_MARK_SIZE) return;
    *mark = (ob_mark){.kind = OB_MARK_BROKEN,
                      .mixing = OB_MIXING_SIZE,
                      .live = ob__marks_differ(marks, output),
                      .reason = "the size of the batch is a result",
                      .node = output->producer,
                      .stops = output->producer,
                      .value = output};
}

/* Refuted before unknown, and elements that mix before any other reason. */
static int rank_of(const ob_mark *mark) {
    if (mark->kind == OB_MARK_BROKEN) return mark->live ? 3 : 2;
    return mark->kind == OB_MARK_UNKNOWN ? 1 : 0;
}

static ob_status answer(result *r, const ob_marks *marks) {
    const ob_value *worst = NULL;
    const ob_graph *graph = marks->model->graph;
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        close_output(marks, graph->outputs[i]);
        if (rank_of(&marks->of[graph->outputs[i]->id]) > (worst ? rank_of(&marks->of[worst->id]) : 0)) worst = graph->outputs[i];
    }
    r->is.reason = r->is.node = r->is.op_type = r->is.value = r->is.output = "";
    const ob_node *node = NULL;
    const char *why = excluded(marks, &node);
    if (worst) OB_TRY(describe(r, marks, worst));
    r->is.verdict = !worst                                ? OB_INDEPENDENCE_PROVED
                    : rank_of(&marks->of[worst->id]) == 3 ? OB_INDEPENDENCE_REFUTED
                                                          : OB_INDEPENDENCE_UNKNOWN;
    if (!why || (r->is.verdict == OB_INDEPENDENCE_UNKNOWN && r->is.mixing != OB_MIXING_NONE)) return OB_OK;
    r->is =
        (ob_independence){.symbol = r->is.symbol, .verdict = OB_INDEPENDENCE_UNKNOWN, .reason = why, .value = "", .output = ""};
    r->is.node = kept(r, node ? ob__node_label(node) : "");
    r->is.op_type = kept(r, node ? node->op_type : "");
    return r->is.node && r->is.op_type ? OB_OK : OB_E_MEMORY;
}

static ob_status name_symbol(result *r, const ob_model *model, ob_dim symbol) {
    const size_t n = ob_dim_format(model->dims, symbol, NULL, 0);
    char *text = ob__arena_alloc(&r->arena, n + 1);
    if (!text) return OB_E_MEMORY;
    ob_dim_format(model->dims, symbol, text, n + 1);
    r->is.symbol = text;
    return OB_OK;
}

/* A batch has elements, and so have the other axes of inputs: terms that differ only for sizes of 0 are one. */
static void at_least_one(const void *context, ob_dim symbol, int64_t *lowest, int64_t *highest) {
    (void)highest;
    if (*lowest < 1 && ob_dim_is_named(context, symbol)) *lowest = 1;
}

static int64_t any_multiple(const void *context, ob_dim symbol) {
    (void)context, (void)symbol;
    return 1;
}

static ob_status analyse(ob_model *model, const char *symbol, uint64_t max_nodes, ob_facts *facts, result *r, ob_error *error) {
    ob_marks marks = {.model = model, .facts = facts};
    const ob_propagate_options options = {.max_nodes = max_nodes};
    OB_TRY(find_symbol(model, symbol, &marks.symbol, error));
    OB_TRY(name_symbol(r, model, marks.symbol));
    OB_TRY(ob__model_resolve_ops(model));
    OB_TRY(ob__inline_functions(model, max_nodes, error));
    OB_TRY(ob__model_resolve_ops(model));
    const ob_assumed_sizes sizes = {{at_least_one, model->dims, NULL}, any_multiple};
    model->dims->assumed = &sizes;
    const ob_status inferred = ob__propagate(model, &options, facts, NULL);
    model->dims->assumed = NULL;
    OB_TRY(inferred);
    marks.of = OB_ARENA_ARRAY(&r->arena, ob_mark, model->n_values);
    if (!marks.of) return OB_E_MEMORY;
    ob__arena_init(&marks.scratch, &model->arena.allocator);
    OB_TRY(ob__arena_finish(&marks.scratch, ob__mark_values(&marks)));
    OB_TRY(answer(r, &marks));
    return ob_dims_status(model->dims) == OB_E_MEMORY ? OB_E_MEMORY : OB_OK; /* without memory a term is unknown */
}

ob_status ob_independence_check(const ob_model *model, const char *symbol, uint64_t max_nodes, ob_independence **out,
                                ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!model || !out, error, OB_E_ARGUMENT, "ob_independence_check: model and result must not be NULL");
    const ob_allocator allocator = model->arena.allocator;
    ob_model *copy = NULL;
    ob_facts facts;
    ob_status status = ob__model_clone(model, &allocator, &copy, error);
    result *r = status == OB_OK ? allocator.alloc(allocator.context, sizeof *r) : NULL;
    if (status == OB_OK && !r) status = OB_E_MEMORY;
    if (status == OB_OK) {
        *r = (result){.allocator = allocator};
        ob__arena_init(&r->arena, &allocator);
        ob__facts_init(&facts, &allocator);
        status = analyse(copy, symbol, max_nodes ? max_nodes : MOST_NODES, &facts, r, error);
        ob__facts_release(&facts);
        ob_independence *is = &r->is;
        if (status == OB_OK)
            *out = is;
        else
            ob_independence_close(&is);
    }
    ob_model_close(&copy);
    return status == OB_OK ? OB_OK : ob__described(error, status, "");
}
