/* What this build cannot run, all of it at once, before anything runs; and the results that kernels may rely on. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "ops/op.h"
#include "runtime/plan.h"

typedef struct problem {
    ob_unsupported item;
    char reason[200];
    struct problem *next;
} problem;

typedef struct survey {
    ob_session *session;
    ob_arena arena;
    ob_map known; /* text of the problem -> problem */
    problem *first, **end;
    ob_error *error;
} survey;

static const char *domain_text(const char *domain) {
    return *domain ? domain : "ai.onnx";
}

static bool has_kernel(const ob_op *op) {
    return op->kernel && (op->kernel->run || op->kernel->view);
}

/* Why the node cannot run; false when it can. */
static bool find_reason(const ob_node *node, char *reason, size_t n_bytes) {
    int64_t opset = ob__graph_opset(node->graph, node->domain);
    if (!node->op && opset == 0)
        snprintf(reason, n_bytes, "the model does not import the operator set %s", domain_text(node->domain));
    else if (!node->op && ob__model_find_op(node->graph->model, node->domain, node->op_type, 0))
        snprintf(reason, n_bytes, "no such operator in version %lld of %s", (long long)opset, domain_text(node->domain));
    else if (!node->op)
        snprintf(reason, n_bytes, "unknown operator of %s", domain_text(node->domain));
    else if (node->op->deprecated)
        snprintf(reason, n_bytes, "deprecated since version %d of %s", node->op->since, domain_text(node->domain));
    else if (!has_kernel(node->op))
        snprintf(reason, n_bytes, "the executor has no kernel for it");
    else
        return false;
    return true;
}

static ob_status note(survey *s, const ob_node *node, const char *reason) {
    char text[400];
    int n = snprintf(text, sizeof text, "%s %s %s", node->domain, node->op_type, reason);
    ob_map_entry *entry = ob__map_insert(&s->known, text, n < 0 ? 0 : strlen(text));
    if (!entry) return OB_E_MEMORY;
    problem *p = entry->value;
    if (!p) {
        entry->value = p = OB_ARENA_NEW(&s->arena, problem);
        if (!p) return OB_E_MEMORY;
        snprintf(p->reason, sizeof p->reason, "%s", reason);
        p->item = (ob_unsupported){.domain = node->domain,
                                   .op_type = node->op_type,
                                   .opset = ob__graph_opset(node->graph, node->domain),
                                   .node = node->name,
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
        if (!node->inputs[i]) {
            ob__at_node(s->error, node, OB_E_MODEL);
            return ob__fail(s->error, OB_E_MODEL, "%s needs its input %d", node->op_type, i);
        }
    return OB_OK;
}

static ob_status survey_graph(void *context, ob_graph *graph) {
    survey *s = context;
    for (const ob_node *node = graph->first; node; node = node->next) {
        char reason[200];
        if (find_reason(node, reason, sizeof reason))
            OB_TRY(note(s, node, reason));
        else
            OB_TRY(check_operands(s, node));
    }
    return OB_OK;
}

static ob_status report(const survey *s, const ob_session_config *config) {
    char list[400] = "";
    size_t n = 0;
    for (const problem *p = s->first; p; p = p->next, n++) {
        if (config->unsupported) config->unsupported(config->context, &p->item);
        size_t used = strlen(list);
        if (used + 1 < sizeof list)
            snprintf(list + used, sizeof list - used, "%s%s (%s)", n ? ", " : "", p->item.op_type, p->item.reason);
    }
    return n ? ob__fail(s->error, OB_E_UNSUPPORTED, "%zu kinds of nodes cannot be run: %s", n, list) : OB_OK;
}

ob_status ob__check_support(ob_session *session, const ob_session_config *config, ob_error *error) {
    survey s = {.session = session, .error = error};
    ob__arena_init(&s.arena, &session->allocator);
    ob__map_init(&s.known, &s.arena);
    s.end = &s.first;
    ob_status status = ob__model_each_graph(session->model, survey_graph, &s);
    if (status == OB_OK) status = report(&s, config);
    ob__arena_release(&s.arena);
    return status;
}

/* ---- Results that are left out ------------------------------------------------------------------------------------- */

static bool names_a_result(const ob_node *node) {
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) return true;
    return false;
}

static ob_status name_results(void *context, ob_graph *graph) {
    (void)context;
    for (ob_node *node = graph->first; node; node = node->next) {
        if (!names_a_result(node)) continue;
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
