#include "passes/optimize/match.h"

#include <string.h>

#include "core/base/error.h"
#include "core/graph/tensor_data.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

/* ---- The pattern ---- */

static bool is_commutative(const ob_node *node) {
    static const char *const names[] = {"Add", "Mul", "Max", "Min"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(node->op_type, names[i]) == 0) return node->n_inputs == 2 && node->domain[0] == '\0';
    return false;
}

/* An attribute that stands for that of the matched node. */
static ob_attribute *open_attribute(ob_model *model, const char *name) {
    ob_attribute *attribute = OB_ARENA_NEW(&model->arena, ob_attribute);
    if (!attribute) return NULL;
    attribute->name = attribute->ref = ob__intern(model, name, strlen(name));
    return attribute->name ? attribute : NULL;
}

ob_status ob__pattern_make(const ob_rule *rule, ob_model *patterns, ob_arena *scratch, ob_pattern *out, ob_error *error) {
    ob_pattern *p = out;
    ob_type types[OB_PATTERN_OPERANDS];
    *p = (ob_pattern){.rule = rule};
    OB_TRY(ob__body_read_head(&rule->pattern, scratch, &p->head, error));
    OB_FAIL_IF(p->head.n_operands > OB_PATTERN_OPERANDS || p->head.n_attributes > OB_PATTERN_ATTRIBUTES, error, OB_E_INTERNAL,
               "rule %s has too many operands", rule->pattern.name);
    ob_graph *graph = ob__graph_new(patterns, NULL, NULL);
    ob_node *call = graph ? ob__node_new(graph, NULL, "", rule->pattern.name, p->head.n_operands, 1) : NULL;
    if (!call) return OB_E_MEMORY;
    for (uint32_t i = 0; i < p->head.n_operands; i++) {
        types[i] = (ob_type){.shape = {OB_RANK_UNKNOWN, NULL}};
        call->inputs[i] = p->operands[i] = ob__value_new_unique(graph, p->head.operands[i]);
        if (!p->operands[i]) return OB_E_MEMORY;
    }
    for (uint32_t i = 0; i < p->head.n_attributes; i++) {
        ob_attribute *attribute = open_attribute(patterns, p->head.attributes[i]);
        if (!attribute || !ob__node_set_attribute(call, attribute)) return OB_E_MEMORY;
    }
    ob_value *result = ob__value_new_unique(graph, "result");
    if (!result) return OB_E_MEMORY;
    ob__node_set_output(call, 0, result);
    OB_TRY(ob__body_expand(&rule->pattern, call, types, scratch, error));
    ob__node_unlink(call);
    for (ob_node *node = graph->first; node; node = node->next) {
        OB_FAIL_IF(p->n_nodes == OB_PATTERN_NODES, error, OB_E_INTERNAL, "rule %s has too many nodes", rule->pattern.name);
        p->nodes[p->n_nodes++] = node;
        p->n_commutative += is_commutative(node);
    }
    OB_FAIL_IF(p->n_nodes == 0 || result->producer != p->nodes[p->n_nodes - 1], error, OB_E_INTERNAL,
               "the last node of rule %s does not give its result", rule->pattern.name);
    return OB_OK;
}

/* ---- Constants ---- */

const ob_tensor *ob__constant_of(const ob_value *value) {
    const ob_tensor *tensor = NULL;
    if (value->is_initializer) {
        if (value->is_input && value->graph->model->ir_version >= 4) return NULL;
        tensor = value->data;
    } else if (value->producer && strcmp(value->producer->op_type, "Constant") == 0 && value->producer->domain[0] == '\0') {
        const ob_attribute *given = ob__node_attribute(value->producer, "value");
        if (given && given->type == OB_ATTR_TENSOR) tensor = given->u.tensor;
    }
    return tensor && tensor->data && !tensor->is_packed && !tensor->is_external && tensor->n_elems > 0 ? tensor : NULL;
}

static bool same_tensor(const ob_tensor *a, const ob_tensor *b) {
    size_t n_bytes;
    if (a->dtype != b->dtype || a->n_elems != b->n_elems || a->dtype == OB_STRING) return false;
    if (a->n_elems > 1 && (a->rank != b->rank || memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) != 0)) return false;
    return ob__memory_bytes(a->dtype, a->n_elems, &n_bytes) && memcmp(a->data, b->data, n_bytes) == 0;
}

static bool same_value(const ob_value *a, const ob_value *b) {
    if (a == b) return true;
    const ob_tensor *x = a ? ob__constant_of(a) : NULL, *y = b ? ob__constant_of(b) : NULL;
    return x && y && same_tensor(x, y);
}

/* ---- Attributes ---- */

static bool has_text(const ob_attribute *a, const char *text) {
    return strlen(text) == a->u.s.n && memcmp(text, a->u.s.data, a->u.s.n) == 0;
}

static bool is_default(const ob_node *node, const ob_attribute *a) {
    const ob_op_attribute *row = ob__op_attribute(node->op, a->name);
    if (strncmp(a->name, "__", 2) == 0) return true;
    if (!row || !row->has_default || row->type != a->type) return false;
    switch (a->type) {
    case OB_ATTR_INT: return a->u.i == row->i;
    case OB_ATTR_FLOAT: return memcmp(&a->u.f, &row->f, sizeof row->f) == 0;
    case OB_ATTR_STRING: return has_text(a, row->text);
    default: return false;
    }
}

static bool equals(const ob_node *node, const ob_attribute *wanted) {
    const ob_op_attribute *row = ob__op_attribute(node->op, wanted->name);
    if (!row || row->type != wanted->type) return false;
    switch (wanted->type) {
    case OB_ATTR_INT: return ob__attribute_int(node, wanted->name) == wanted->u.i;
    case OB_ATTR_FLOAT: return ob__attribute_float(node, wanted->name) == wanted->u.f;
    case OB_ATTR_STRING: return has_text(wanted, ob__attribute_text(node, wanted->name));
    default: return false;
    }
}

/* The axis of a scale with one element means nothing. */
static bool is_moot(const ob_match *m, const ob_node *node, const ob_attribute *a) {
    if (strcmp(a->name, "axis") != 0) return false;
    if (strcmp(node->op_type, "QuantizeLinear") != 0 && strcmp(node->op_type, "DequantizeLinear") != 0) return false;
    const ob_type *scale = &ob__fact(m->facts, node->inputs[1])->type;
    if (scale->kind != OB_TYPE_TENSOR || scale->shape.rank < 0) return false;
    for (int32_t i = 0; i < scale->shape.rank; i++)
        if (scale->shape.dims[i] != 1) return false;
    return true;
}

static bool match_attributes(ob_match *m, const ob_node *wanted, const ob_node *node) {
    const ob_body_head *head = &m->pattern->head;
    for (uint32_t i = 0; i < wanted->n_attributes; i++) {
        const ob_attribute *a = wanted->attributes[i];
        if (!a->ref && !equals(node, a)) return false;
        for (uint32_t k = 0; a->ref && k < head->n_attributes; k++)
            if (strcmp(head->attributes[k], a->ref) == 0) m->attributes[k] = ob__node_attribute(node, a->name);
    }
    for (uint32_t i = 0; i < node->n_attributes; i++) {
        const ob_attribute *a = node->attributes[i];
        if (!ob__node_attribute(wanted, a->name) && !is_default(node, a) && !is_moot(m, node, a)) return false;
    }
    return true;
}

/* ---- Nodes ---- */

typedef struct matching {
    ob_match *m;
    const ob_reads *reads;
    ob_node *root;
    uint32_t swapped; /* bits: the commutative nodes whose operands are exchanged */
    bool bound[OB_PATTERN_OPERANDS];
} matching;

static uint32_t reads_of(const ob_reads *reads, const ob_value *value) {
    return value->id < reads->n ? reads->of[value->id] : UINT32_MAX;
}

static uint32_t reads_inside(const ob_pattern *p, const ob_value *value) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_nodes; i++)
        for (uint32_t k = 0; k < p->nodes[i]->n_inputs; k++) n += p->nodes[i]->inputs[k] == value;
    return n;
}

/* True if nodes outside the pattern read a result. */
static bool has_other_readers(const ob_reads *reads, const ob_pattern *p, const ob_node *wanted, const ob_node *matched) {
    for (uint32_t i = 0; i < matched->n_outputs; i++) {
        const ob_value *own = i < wanted->n_outputs ? wanted->outputs[i] : NULL;
        if (matched->outputs[i] && reads_of(reads, matched->outputs[i]) > (own ? reads_inside(p, own) : 0)) return true;
    }
    return false;
}

static uint32_t index_of(const ob_pattern *p, const ob_node *node) {
    uint32_t i = 0;
    while (i < p->n_nodes && p->nodes[i] != node) i++;
    return i;
}

/* The number of commutative nodes before it. */
static uint32_t turn_of(const ob_pattern *p, const ob_node *node) {
    uint32_t n = 0;
    for (uint32_t i = 0; p->nodes[i] != node; i++) n += is_commutative(p->nodes[i]);
    return n;
}

static bool match_node(matching *g, const ob_node *wanted, ob_node *node);

static bool bind(matching *g, uint32_t operand, ob_value *value) {
    if (g->bound[operand]) return same_value(g->m->operands[operand], value);
    g->bound[operand] = true;
    g->m->operands[operand] = value;
    return true;
}

/* One element with the value of the pattern's number. */
static bool is_number(const ob_value *wanted, const ob_value *value) {
    const ob_tensor *a = ob__constant_of(wanted), *b = value ? ob__constant_of(value) : NULL;
    float x, y;
    if (!a || !b || a->n_elems != 1 || b->n_elems != 1 || a->dtype != OB_FLOAT || b->dtype != OB_FLOAT) return false;
    memcpy(&x, a->data, sizeof x);
    memcpy(&y, b->data, sizeof y);
    return x == y;
}

static bool match_value(matching *g, const ob_value *wanted, ob_value *value) {
    const ob_pattern *p = g->m->pattern;
    for (uint32_t i = 0; i < p->head.n_operands; i++)
        if (p->operands[i] == wanted) return bind(g, i, value);
    if (!wanted->producer) return is_number(wanted, value);
    if (!value || !value->producer || value->graph != g->root->graph || value->producer_index != wanted->producer_index)
        return false;
    return match_node(g, wanted->producer, value->producer);
}

static bool match_operands(matching *g, const ob_node *wanted, const ob_node *node) {
    const bool swaps = is_commutative(wanted) && (g->swapped >> turn_of(g->m->pattern, wanted) & 1);
    if (swaps && node->n_inputs != 2) return false;
    const uint32_t n = wanted->n_inputs > node->n_inputs ? wanted->n_inputs : node->n_inputs;
    for (uint32_t i = 0; i < n; i++) {
        const ob_value *its = i < wanted->n_inputs ? wanted->inputs[i] : NULL;
        ob_value *value = i < node->n_inputs ? node->inputs[swaps ? 1 - i : i] : NULL;
        if (its ? !match_value(g, its, value) : value != NULL) return false;
    }
    return true;
}

static bool match_node(matching *g, const ob_node *wanted, ob_node *node) {
    const ob_pattern *p = g->m->pattern;
    const uint32_t at = index_of(p, wanted);
    if (g->m->nodes[at]) return g->m->nodes[at] == node;
    if (!node->op || node->function || strcmp(node->op_type, wanted->op_type) != 0 || strcmp(node->domain, wanted->domain) != 0)
        return false;
    g->m->nodes[at] = node;
    const bool may_stay = strcmp(wanted->op_type, "DequantizeLinear") == 0;
    if (node != g->root && !may_stay && has_other_readers(g->reads, p, wanted, node)) return false;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node == g->root && (i > 0) == (node->outputs[i] != NULL)) return false; /* one result */
    return match_attributes(g->m, wanted, node) && match_operands(g, wanted, node);
}

bool ob__match(const ob_pattern *p, ob_node *root, const ob_reads *reads, ob_match *match, bool *exact) {
    const ob_match empty = {.pattern = p, .facts = match->facts, .scratch = match->scratch};
    if (strcmp(root->op_type, p->rule->operators[0]) != 0) return false;
    for (uint32_t swapped = 0; swapped < UINT32_C(1) << p->n_commutative; swapped++) {
        matching g = {.m = match, .reads = reads, .root = root, .swapped = swapped};
        *match = empty;
        if (match_node(&g, p->nodes[p->n_nodes - 1], root) && p->rule->check(match, exact)) return true;
    }
    return false;
}

const ob_value *ob__matched(const ob_match *match, const char *operand) {
    const ob_body_head *head = &match->pattern->head;
    for (uint32_t i = 0; i < head->n_operands; i++)
        if (strcmp(head->operands[i], operand) == 0) return match->operands[i];
    return NULL;
}
