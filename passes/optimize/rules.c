/* The table of rules, and their application. */
#include "passes/optimize/rules.h"

#include <string.h>

#include "core/base/error.h"
#include "passes/check/names.h"
#include "passes/optimize/checks.h"
#include "passes/optimize/match.h"

#define OB_TEXT(...)  OB_TEXT_(__VA_ARGS__)
#define OB_TEXT_(...) #__VA_ARGS__
static const ob_rule table[] = {
#define OB_GRAPH_RULE(name, root, with, also, kind, check, head, pattern, replacement)                                           \
    {{#root, #with, #also},                                                                                                      \
     OB_RULE_##kind,                                                                                                             \
     ob__check_##check,                                                                                                          \
     {"", #name, 1, OB_TEXT head " {" OB_TEXT pattern "}"},                                                                      \
     {"", #name, 1, OB_TEXT head " {" OB_TEXT replacement "}"}},
#include "passes/optimize/rules.def"
#undef OB_GRAPH_RULE
};
enum { N_RULES = sizeof table / sizeof table[0], NOTED = 64 };

size_t ob__rule_count(void) {
    return N_RULES;
}

const ob_rule *ob__rule_at(size_t index) {
    return index < N_RULES ? &table[index] : NULL;
}

typedef struct application {
    ob_model *model, *patterns;
    const ob_facts *facts;
    bool relaxed, any;
    const ob_rule_listener *listener;
    bool left_out[N_RULES]; /* the build lacks an operator */
    bool quantizers;        /* the roots that are visited: QuantizeLinear, or all others */
    ob_reads reads;
    const ob_pattern *made[N_RULES];         /* NULL: not yet */
    bool occurs[N_RULES][OB_RULE_OPERATORS]; /* in the model */
    const char *noted[NOTED];                /* operators that were looked for */
    uint32_t n_noted;
    ob_arena arena, scratch; /* for all; for one node */
    ob_error *error;
} application;

/* ---- What the model has ---- */

static void note_read(application *a, const ob_value *value, int change) {
    if (value && value->id < a->reads.n) a->reads.of[value->id] += (uint32_t)change;
}

/* True for the name of an operator that was noted before. Models have few different ones, and each once in memory. */
static bool was_noted(application *a, const char *op_type) {
    for (uint32_t i = 0; i < a->n_noted; i++)
        if (a->noted[i] == op_type) return true;
    if (a->n_noted < NOTED) a->noted[a->n_noted++] = op_type;
    return false;
}

static void note_operator(application *a, const char *op_type) {
    if (was_noted(a, op_type)) return;
    for (uint32_t i = 0; i < N_RULES; i++)
        for (int k = 0; k < OB_RULE_OPERATORS; k++)
            a->occurs[i][k] = a->occurs[i][k] || strcmp(op_type, table[i].operators[k]) == 0;
}

static ob_status survey(void *context, ob_graph *graph) {
    application *a = context;
    for (uint32_t i = 0; i < graph->n_outputs; i++) note_read(a, graph->outputs[i], 1);
    for (const ob_node *node = graph->first; node; node = node->next) {
        for (uint32_t i = 0; i < node->n_inputs; i++) note_read(a, node->inputs[i], 1);
        note_operator(a, node->op_type);
    }
    return OB_OK;
}

static ob_status find_pattern(application *a, uint32_t rule) {
    if (a->made[rule]) return OB_OK;
    if (!a->patterns) a->patterns = ob__model_new(&a->model->arena.allocator);
    ob_pattern *pattern = OB_ARENA_NEW(&a->arena, ob_pattern);
    if (!a->patterns || !pattern) return OB_E_MEMORY;
    const ob_status status = ob__pattern_make(&table[rule], a->patterns, &a->arena, pattern, a->error);
    if (status == OB_OK) a->made[rule] = pattern;
    a->left_out[rule] = status == OB_E_UNSUPPORTED;
    return a->left_out[rule] ? OB_OK : status;
}

static bool may_occur(const application *a, uint32_t rule) {
    bool all = true;
    for (int k = 0; k < OB_RULE_OPERATORS; k++) all = all && a->occurs[rule][k];
    return all;
}

/* ---- Replacing ---- */

/* "a+b+c" */
static const char *join_labels(ob_arena *arena, const ob_match *m) {
    size_t n_bytes = 1;
    for (uint32_t i = 0; i < m->pattern->n_nodes; i++) n_bytes += strlen(ob__node_label(m->nodes[i])) + 1;
    char *text = ob__arena_alloc(arena, n_bytes), *end = text;
    for (uint32_t i = 0; i < m->pattern->n_nodes && text; i++) {
        const char *label = ob__node_label(m->nodes[i]);
        if (i > 0) *end++ = '+';
        memcpy(end, label, strlen(label) + 1);
        end += strlen(label);
    }
    return text;
}

/* The attributes of the matched nodes, with the names of the head. */
static ob_status give_attributes(const ob_match *m, ob_node *call) {
    ob_model *model = call->graph->model;
    const ob_body_head *head = &m->pattern->head;
    for (uint32_t i = 0; i < head->n_attributes; i++) {
        if (!m->attributes[i]) continue;
        ob_attribute *own = OB_ARENA_NEW(&model->arena, ob_attribute);
        if (!own) return OB_E_MEMORY;
        *own = *m->attributes[i];
        own->name = ob__intern(model, head->attributes[i], strlen(head->attributes[i]));
        if (!own->name || !ob__node_set_attribute(call, own)) return OB_E_MEMORY;
    }
    return OB_OK;
}

/* A node for all matched nodes, before the root; it takes the root's result. */
static ob_status make_call(const application *a, const ob_match *m, ob_type *types, ob_node **out) {
    ob_node *root = m->nodes[m->pattern->n_nodes - 1];
    const uint32_t n = m->pattern->head.n_operands;
    ob_node *call = *out = ob__node_new(root->graph, root, "", m->pattern->rule->replacement.name, n, 1);
    if (!call) return OB_E_MEMORY;
    call->name = join_labels(&a->model->arena, m);
    if (!call->name) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        call->inputs[i] = m->operands[i];
        types[i] = m->operands[i] ? ob__fact(a->facts, m->operands[i])->type : (ob_type){.shape = {OB_RANK_UNKNOWN, NULL}};
    }
    OB_TRY(give_attributes(m, call));
    ob__node_set_output(call, 0, root->outputs[0]);
    root->outputs[0] = NULL;
    return OB_OK;
}

static bool has_readers(const application *a, const ob_node *node) {
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const ob_value *value = node->outputs[i];
        if (value && (value->id >= a->reads.n || a->reads.of[value->id] > 0)) return true;
    }
    return false;
}

/* Removes the matched nodes that nothing reads any more, readers first. */
static void remove_matched(application *a, const ob_match *m) {
    const uint32_t n = m->pattern->n_nodes;
    for (uint32_t i = n; i-- > 0;) {
        ob_node *node = m->nodes[i];
        bool removed = has_readers(a, node);
        for (uint32_t k = i + 1; k < n; k++) removed |= m->nodes[k] == node;
        if (removed) continue;
        ob__node_unlink(node);
        for (uint32_t k = 0; k < node->n_inputs; k++) note_read(a, node->inputs[k], -1);
        for (uint32_t k = 0; k < node->n_outputs; k++)
            if (node->outputs[k]) ob__value_undefine(node->outputs[k]);
    }
}

/* Takes back a replacement that this build cannot make: the nodes made so far, before the call, and the call itself. */
static void undo_call(ob_node *call, const ob_node *before, ob_node *root) {
    ob_value *result = call->outputs[0];
    for (ob_node *node = before ? before->next : call->graph->first, *next; node != call; node = next) {
        next = node->next;
        ob__node_unlink(node);
    }
    ob__node_unlink(call);
    ob__node_set_output(root, 0, result);
}

static ob_status replace(application *a, uint32_t rule, const ob_match *m) {
    ob_type types[OB_PATTERN_OPERANDS];
    ob_node *call, *root = m->nodes[m->pattern->n_nodes - 1], *before = root->prev;
    ob_graph *graph = m->nodes[0]->graph;
    a->any = true; /* there are new values, in any case */
    OB_TRY(make_call(a, m, types, &call));
    const ob_status status = ob__body_expand(&m->pattern->rule->replacement, call, types, &a->scratch, a->error);
    a->left_out[rule] = status == OB_E_UNSUPPORTED;
    if (a->left_out[rule]) return undo_call(call, before, root), OB_OK;
    OB_TRY(status);
    for (uint32_t i = 0; i < m->pattern->n_nodes && a->listener; i++)
        a->listener->uses(a->listener->context, m->pattern->nodes[i]->op);
    for (const ob_node *node = before ? before->next : graph->first; node != call; node = node->next)
        for (uint32_t i = 0; i < node->n_inputs; i++) note_read(a, node->inputs[i], 1);
    ob__node_unlink(call);
    remove_matched(a, m);
    return OB_OK;
}

/* *next: the node to go on with. */
static ob_status visit(application *a, ob_node *root) {
    if ((strcmp(root->op_type, "QuantizeLinear") == 0) != a->quantizers) return OB_OK;
    for (uint32_t i = 0; i < N_RULES; i++) {
        bool exact = table[i].kind == OB_RULE_EXACT;
        if (!may_occur(a, i) || a->left_out[i] || strcmp(root->op_type, table[i].operators[0]) != 0) continue;
        if (table[i].kind == OB_RULE_RELAXED && !a->relaxed) continue;
        OB_TRY(find_pattern(a, i));
        if (a->left_out[i]) continue;
        ob_match m = {.facts = a->facts, .scratch = &a->scratch};
        const bool applies = ob__match(a->made[i], root, &a->reads, &m, &exact);
        ob_status status = applies && (exact || a->relaxed) ? replace(a, i, &m) : OB_OK;
        ob__arena_restart(&a->scratch);
        if (status != OB_OK || (applies && (exact || a->relaxed) && !a->left_out[i])) return status;
    }
    return OB_OK;
}

static ob_status visit_graph(void *context, ob_graph *graph) {
    application *a = context;
    for (ob_node *node = graph->first, *next; node; node = next) {
        next = node->next; /* only the node itself and nodes before it are removed */
        OB_TRY(visit(a, node));
    }
    return OB_OK;
}

static ob_status apply(application *a) {
    bool any = false;
    a->reads.n = a->model->n_values;
    a->reads.of = OB_ARENA_ARRAY(&a->arena, uint32_t, a->reads.n);
    if (!a->reads.of) return OB_E_MEMORY;
    OB_TRY(ob__model_each_graph(a->model, survey, a));
    for (uint32_t i = 0; i < N_RULES; i++) any = any || may_occur(a, i);
    for (int i = 0; i < 2 && any; i++) { /* a product that is quantized is part of the larger pattern */
        a->quantizers = i == 0;
        OB_TRY(ob__model_each_graph(a->model, visit_graph, a));
    }
    return OB_OK;
}

ob_status ob__apply_rules(ob_model *model, const ob_facts *facts, bool relaxed, const ob_rule_listener *listener, bool *any,
                          ob_error *error) {
    ob_error own;
    application a = {.model = model, .facts = facts, .relaxed = relaxed, .listener = listener, .error = error ? error : &own};
    ob_error_clear(a.error);
    ob__arena_init(&a.arena, &model->arena.allocator);
    ob__arena_init(&a.scratch, &model->arena.allocator);
    const ob_status status = apply(&a);
    ob_model_close(&a.patterns);
    ob__arena_release(&a.scratch);
    ob__arena_release(&a.arena);
    *any = a.any;
    return status;
}
