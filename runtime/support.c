/* What this build cannot run, all of it at once, before anything runs; and the results that kernels may rely on. */
#include <string.h>

#include "core/error.h"
#include "ops/body/body.h"
#include "ops/kernel/kernel.h"
#include "passes/names.h"
#include "runtime/session.h"

typedef struct problem {
    ob_unsupported item;
    char reason[200];
    struct problem *next;
} problem;

enum { ERROR_BYTES = 400 }; /* of a list that goes into a message */

typedef struct survey {
    ob_arena arena;
    ob_map known;  /* text of the problem -> problem */
    ob_map called; /* of a model whose functions are not written out: those that are reached -> anything */
    bool has_functions, found_more;
    problem *first, **end;
    ob_error *error; /* NULL: only kernels are looked for */
} survey;

static const char *domain_text(const char *domain) {
    return *domain ? domain : "ai.onnx";
}

static bool runs(const ob_op *op) {
    return ob__has_kernel(op) || ob__body_of(op);
}

/* Why the node cannot run; false when it can. */
static bool find_reason(const ob_node *node, char *reason, size_t n_bytes) {
    if (node->function && !node->op) return false;
    int64_t opset = ob__graph_opset(node->graph, node->domain);
    if (!node->op && opset == 0)
        ob__sentence(reason, n_bytes, "the model does not import the operator set %s", domain_text(node->domain));
    else if (!node->op && ob__model_find_op(node->graph->model, node->domain, node->op_type, 0))
        ob__sentence(reason, n_bytes, "no such operator in version %lld of %s", (long long)opset, domain_text(node->domain));
    else if (!node->op)
        ob__sentence(reason, n_bytes, "unknown operator of %s", domain_text(node->domain));
    else if (node->op->deprecated)
        ob__op_deprecation(node->op, reason, n_bytes);
    else if (!runs(node->op))
        ob__sentence(reason, n_bytes, "the executor has no kernel for it");
    else
        return false;
    return true;
}

static ob_status note(survey *s, const ob_node *node, const char *reason) {
    const char *text = ob__arena_printf(&s->arena, "%s %s %s", node->domain, node->op_type, reason);
    ob_map_entry *entry = text ? ob__map_insert(&s->known, text, strlen(text)) : NULL;
    if (!entry) return OB_E_MEMORY;
    problem *p = entry->value;
    if (!p) {
        entry->value = p = OB_ARENA_NEW(&s->arena, problem);
        if (!p) return OB_E_MEMORY;
        memcpy(p->reason, reason, strlen(reason) + 1);
        p->item = (ob_unsupported){.domain = node->domain,
                                   .op_type = node->op_type,
                                   .opset = ob__graph_opset(node->graph, node->domain),
                                   .node = ob__node_label(node),
                                   .reason = p->reason};
        *s->end = p;
        s->end = &p->next;
    }
    p->item.n_nodes++;
    return OB_OK;
}

/* Kernels rely on the number of operands that the operator's signature promises. */
static ob_status check_operands(const survey *s, const ob_node *node) {
    const ob_op *op = node->op;
    if (!ob__op_takes(op, node->n_inputs) || !ob__op_gives(op, node->n_outputs)) {
        ob__at_node(s->error, node, OB_E_MODEL);
        return ob__fail(s->error, OB_E_MODEL, "%s cannot have %u inputs and %u outputs", node->op_type, node->n_inputs,
                        node->n_outputs);
    }
    for (int i = 0; i < op->in_min; i++)
        if (!node->inputs[i] && !ob__op_input_optional(op, (uint32_t)i)) {
            ob__at_node(s->error, node, OB_E_MODEL);
            return ob__fail(s->error, OB_E_MODEL, "%s needs its input %d", node->op_type, i);
        }
    return OB_OK;
}

/* Within the main graph, or within a function that is called. */
static bool is_reached(const survey *s, const ob_graph *graph) {
    while (graph->parent) graph = graph->parent;
    const ob_function *function = graph->function;
    return !function || ob__map_find(&s->called, (const char *)&function, sizeof(const ob_function *));
}

static ob_status mark_called(void *context, ob_graph *graph) {
    survey *s = context;
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
    survey *s = context;
    if (s->has_functions && !is_reached(s, graph)) return OB_OK;
    for (const ob_node *node = graph->first; node; node = node->next) {
        char reason[200];
        if (find_reason(node, reason, sizeof reason))
            OB_TRY(note(s, node, reason));
        else if (s->error)
            OB_TRY(check_operands(s, node));
    }
    return OB_OK;
}

typedef void (*sink)(void *context, const ob_unsupported *item);

static ob_status report(const survey *s, sink tell, void *context, ob_error *error) {
    ob_text list;
    ob__text_init(&list, &s->arena.allocator);
    size_t n = 0;
    for (const problem *p = s->first; p; p = p->next, n++) {
        if (tell) tell(context, &p->item);
        if (list.n < ERROR_BYTES) ob__text_printf(&list, "%s%s (%s)", n ? ", " : "", p->item.op_type, p->item.reason);
    }
    ob_status status =
        n ? ob__fail(error, OB_E_UNSUPPORTED, "%zu kinds of nodes cannot be run: %s", n, list.n ? list.data : "") : OB_OK;
    ob__text_release(&list);
    return status;
}

static void begin(survey *s, const ob_allocator *allocator) {
    ob__arena_init(&s->arena, allocator);
    ob__map_init(&s->known, &s->arena);
    ob__map_init(&s->called, &s->arena);
    s->end = &s->first;
}

ob_status ob__check_support(ob_session *session, const ob_session_config *config, ob_error *error) {
    ob_error unheard;
    survey s = {.error = error ? error : &unheard};
    begin(&s, &session->allocator);
    ob_status status = ob__model_each_graph(session->model, survey_graph, &s);
    if (status == OB_OK) status = report(&s, config->unsupported, config->context, error);
    ob__arena_release(&s.arena);
    return status;
}

enum { MOST_ROUNDS = 64 }; /* of looking for functions that functions call; beyond, all count as called */

static ob_status survey_model(survey *s, ob_model *model) {
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
        OB_TRY(note(s, &none, "an input is not a tensor"));
    }
    return ob__model_each_graph(model, survey_graph, s);
}

ob_status ob_model_unsupported(ob_model *model, sink tell, void *context, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!model, error, OB_E_ARGUMENT, "no model given");
    survey s = {.error = NULL};
    begin(&s, &model->arena.allocator);
    ob_status status = survey_model(&s, model);
    if (status == OB_OK) status = report(&s, tell, context, error);
    ob__arena_release(&s.arena);
    return ob__described(error, status, "");
}

/* ---- Results that are left out ------------------------------------------------------------------------------------- */

static ob_status name_results(void *context, ob_graph *graph) {
    (void)context;
    for (ob_node *node = graph->first; node; node = node->next) {
        if (!ob__node_gives_any(node)) continue;
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
