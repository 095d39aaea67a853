/* Reports everything that this build cannot run, before anything runs, and makes the results that kernels rely on. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "ops/body/body.h"
#include "ops/kernel/kernel.h"
#include "ops/library/resolve.h"
#include "ops/table/attributes.h"
#include "ops/table/operands.h"
#include "passes/check/names.h"
#include "runtime/session.h"
#include "runtime/support.h"

typedef struct problem {
    ob_unsupported item;
    const ob_node *first; /* of its kind; NULL: not a node */
    struct problem *next;
} problem;

enum { ERROR_BYTES = 400 }; /* of a list in a message */

struct ob_survey {
    ob_arena *arena;
    ob_map known;  /* text of the problem -> problem */
    ob_map called; /* of a model whose functions are not written out: those that are reached -> anything */
    bool has_functions, found_more;
    problem *first, **end;
    const ob_facts *facts; /* of the values; needed to ask kernels */
    ob_error *error;       /* NULL: only kernels are looked for */
};

static const char *domain_text(const char *domain) {
    return *domain ? domain : "ai.onnx";
}

static bool runs(const ob_op *op) {
    return ob__has_kernel(op) || ob__body_of(op);
}

/* The reason why the node cannot run; false: it can run. */
static bool find_reason(const ob_node *node, char *reason, size_t n_bytes) {
    if (node->function && !node->op) return false;
    int64_t opset = ob__graph_opset(node->graph, node->domain);
    if (node->op && ob__is_too_new(node->graph, node->domain, reason, n_bytes)) return true;
    if (!node->op && opset > 0 && ob__op_is_left_out(node->domain, node->op_type, opset, reason, n_bytes)) return true;
    if (!node->op && opset == 0)
        ob__sentence(reason, n_bytes, "the model does not import the operator set %s", domain_text(node->domain));
    else if (!node->op && ob__model_find_op(node->graph->model, node->domain, node->op_type, 0))
        ob__sentence(reason, n_bytes, "no such operator in version %lld of %s", (long long)opset, domain_text(node->domain));
    else if (!node->op)
        ob__sentence(reason, n_bytes, "unknown operator of %s", domain_text(node->domain));
    else if (node->op->deprecated)
        ob__op_deprecation(node->op, reason, n_bytes);
    else if (!runs(node->op))
        ob__sentence(reason, n_bytes, "%s", ob__no_kernel());
    else
        return false;
    return true;
}

ob_status ob__survey_note(ob_survey *s, const ob_node *node, const char *reason) {
    const char *text = ob__arena_printf(s->arena, "%s %s %s", node->domain, node->op_type, reason);
    ob_map_entry *entry = text ? ob__map_insert(&s->known, text, strlen(text)) : NULL;
    if (!entry) return OB_E_MEMORY;
    problem *p = entry->value;
    if (!p) {
        entry->value = p = OB_ARENA_NEW(s->arena, problem);
        if (!p) return OB_E_MEMORY;
        p->item = (ob_unsupported){.domain = node->domain,
                                   .op_type = node->op_type,
                                   .opset = ob__graph_opset(node->graph, node->domain),
                                   .node = ob__node_label(node),
                                   .reason = ob__arena_printf(s->arena, "%s", reason)};
        if (!p->item.reason) return OB_E_MEMORY;
        p->first = node->op_type[0] ? node : NULL;
        *s->end = p;
        s->end = &p->next;
    }
    p->item.n_nodes++;
    return OB_OK;
}

/* Rules, kernels and bodies rely on the number of operands that the row promises, those of deprecated operators too. */
static ob_status check_operands(const ob_survey *s, const ob_node *node) {
    ob_misfit why;
    if (!node->op || ob__op_fits(node->op, node, NULL, &why)) return OB_OK;
    ob__at_node(s->error, node, OB_E_MODEL);
    return ob__fail(s->error, OB_E_MODEL, "%s", why.text);
}

/* Also refuses unknown attributes, whose effect would not be computed. */
static ob_status check_attributes(const ob_survey *s, const ob_node *node) {
    ob_attribute_check check = {0};
    if (!ob__attribute_problem(node, node->op, &check)) return OB_OK;
    ob__at_node(s->error, node, OB_E_MODEL);
    return ob__fail(s->error, OB_E_MODEL, "%s", check.text);
}

/* Within the main graph, or within a function that is called. */
static bool is_reached(const ob_survey *s, const ob_graph *graph) {
    while (graph->parent) graph = graph->parent;
    const ob_function *function = graph->function;
    return !function || ob__map_find(&s->called, (const char *)&function, sizeof(const ob_function *));
}

static ob_status mark_called(void *context, ob_graph *graph) {
    ob_survey *s = context;
    if (!is_reached(s, graph)) return OB_OK;
    for (const ob_node *node = graph->first; node; node = node->next) {
        if (!node->function) continue;
        ob_map_entry *entry = ob__map_insert(&s->called, (const char *)&node->function, sizeof(const ob_function *));
        if (!entry) return OB_E_MEMORY;
        if (!entry->value) s->found_more = true;
        entry->value = s;
    }
    return OB_OK;
}

static ob_status survey_graph(void *context, ob_graph *graph) {
    ob_survey *s = context;
    if (s->has_functions && !is_reached(s, graph)) return OB_OK;
    for (const ob_node *node = graph->first; node; node = node->next) {
        char reason[200];
        if (s->error) OB_TRY(check_operands(s, node));
        if (find_reason(node, reason, sizeof reason))
            OB_TRY(ob__survey_note(s, node, reason));
        else if (s->error && node->op)
            OB_TRY(check_attributes(s, node));
    }
    return OB_OK;
}

static ob_status report(const ob_survey *s, ob_unsupported_sink tell, void *context, ob_error *error) {
    ob_text list;
    ob__text_init(&list, &s->arena->allocator);
    size_t n = 0;
    for (const problem *p = s->first; p; p = p->next, n++) {
        if (tell) tell(context, &p->item);
        if (list.n < ERROR_BYTES) ob__text_printf(&list, "%s%s (%s)", n ? ", " : "", p->item.op_type, p->item.reason);
    }
    ob_status status = OB_OK;
    if (n > 0) ob__at_node(error, s->first->first, OB_OK);
    if (n == 1) status = ob__fail(error, OB_E_UNSUPPORTED, "%s", s->first->item.reason);
    if (n > 1) status = ob__fail(error, OB_E_UNSUPPORTED, "%zu kinds of nodes cannot be run: %s", n, list.n ? list.data : "");
    ob__text_release(&list);
    return status;
}

static void begin(ob_survey *s, ob_arena *arena) {
    *s = (ob_survey){.arena = arena};
    ob__map_init(&s->known, arena);
    ob__map_init(&s->called, arena);
    s->end = &s->first;
}

ob_survey *ob__survey_new(ob_arena *arena) {
    ob_survey *s = OB_ARENA_NEW(arena, ob_survey);
    if (s) begin(s, arena);
    return s;
}

bool ob__survey_is_empty(const ob_survey *s) {
    return !s->first;
}

ob_status ob__survey_operators(ob_survey *s, ob_model *model, ob_error *error) {
    ob_error unheard;
    s->error = error ? error : &unheard;
    const ob_status status = ob__model_each_graph(model, survey_graph, s);
    s->error = NULL;
    return status;
}

static ob_status ask_kernel(ob_survey *s, const ob_node *node) {
    const ob_kernel *kernel = node->op && ob__has_kernel(node->op) && !node->op->deprecated ? node->op->kernel : NULL;
    if (!kernel || !kernel->refuse || !ob__node_gives_any(node)) return OB_OK;
    const ob_kernel_site site = {.node = node, .op = node->op, .arena = s->arena};
    ob_kernel_args args = {.n_in = node->n_inputs, .in = OB_ARENA_ARRAY(s->arena, ob_view, node->n_inputs)};
    ob_error why;
    ob_error_clear(&why);
    ob_type *types = OB_ARENA_ARRAY(s->arena, ob_type, node->n_inputs);
    if (!args.in || !types) return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        if (node->inputs[i]) types[i] = ob__fact(s->facts, node->inputs[i])->type;
        args.in[i].dtype = types[i].dtype;
    }
    if (!ob__op_fits(node->op, node, types, NULL)) return OB_OK; /* planning says so */
    const ob_status status = kernel->refuse(&site, &args, &why);
    return status == OB_E_UNSUPPORTED ? ob__survey_note(s, node, why.message) : status;
}

static ob_status ask_kernels(void *context, ob_graph *graph) {
    for (const ob_node *node = graph->first; node; node = node->next) OB_TRY(ask_kernel(context, node));
    return OB_OK;
}

ob_status ob__survey_kernels(ob_survey *s, ob_model *model, const ob_facts *facts) {
    s->facts = facts;
    return ob__model_each_graph(model, ask_kernels, s);
}

ob_status ob__survey_end(const ob_survey *s, ob_unsupported_sink tell, void *context, ob_status status, ob_error *error) {
    if (ob__survey_is_empty(s) || status == OB_E_MEMORY || status == OB_E_CANCELLED) return status;
    return report(s, tell, context, error);
}

enum { MOST_ROUNDS = 64 }; /* of looking for functions that functions call; beyond, all count as called */

static ob_status survey_model(ob_survey *s, ob_model *model) {
    OB_TRY(ob__model_resolve_ops(model));
    s->has_functions = model->n_functions > 0;
    s->found_more = s->has_functions;
    for (int round = 0; s->found_more && round < MOST_ROUNDS; round++) {
        s->found_more = false;
        OB_TRY(ob__model_each_graph(model, mark_called, s));
    }
    if (s->found_more) s->has_functions = false;
    const ob_graph *graph = model->graph;
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_value *value = graph->inputs[i];
        if (value->declared.kind <= OB_TYPE_TENSOR || value->is_initializer) continue;
        const ob_node none = {.graph = model->graph, .op_type = "", .domain = "", .name = value->name};
        OB_TRY(ob__survey_note(s, &none, "an input is not a tensor"));
    }
    return ob__model_each_graph(model, survey_graph, s);
}

ob_status ob_model_unsupported(ob_model *model, ob_unsupported_sink tell, void *context, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!model, error, OB_E_ARGUMENT, "no model given");
    ob_arena arena;
    ob_survey s;
    ob__arena_init(&arena, &model->arena.allocator);
    begin(&s, &arena);
    ob_status status = survey_model(&s, model);
    if (status == OB_OK) status = report(&s, tell, context, error);
    ob__arena_release(&arena);
    return ob__described(error, status, "");
}

/* ---- Omitted results ---- */

static ob_status name_results(void *context, ob_graph *graph) {
    (void)context;
    for (ob_node *node = graph->first; node; node = node->next) {
        if (!node->op || !ob__node_gives_any(node)) continue;
        bool is_variadic = node->op->out_max == INT16_MAX; /* each begins where the one before ends: Split */
        for (uint32_t i = 0; i < node->n_outputs; i++) {
            if (node->outputs[i] || (i >= (uint32_t)node->op->out_min && !is_variadic)) continue;
            ob_value *value = ob__value_new_unique(graph, node->op_type);
            if (!value) return OB_E_MEMORY;
            value->declared = (ob_type){.shape = {OB_RANK_UNKNOWN, NULL}};
            ob__node_set_output(node, i, value);
        }
    }
    return OB_OK;
}

ob_status ob__name_required_results(ob_model *model) {
    return ob__model_each_graph(model, name_results, NULL);
}
