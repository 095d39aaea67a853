/* Which groups are worth a call in ONNX Runtime. What decides was measured (docs/onnxruntime.md). */
#include <string.h>

#include "core/base/error.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"
#include "passes/optimize/match.h"
#include "passes/rewrite/fused.h"

/* ---- Operators that ONNX Runtime computes in another layout, or joins with what is around them ---- */

static bool is_one_of(const char *op_type, const char *const *names) {
    while (*names && strcmp(op_type, *names) != 0) names++;
    return *names != NULL;
}

/* A node between two of these costs two copies: results of Conv stay in blocks of channels. */
static bool is_of_images(const ob_node *node) {
    static const char *const names[] = {
        "Conv", "ConvTranspose", "MaxPool", "AveragePool", "BatchNormalization", "GlobalAveragePool", "GlobalMaxPool", NULL};
    return is_one_of(node->op_type, names);
}

/* A product of matrices: ONNX Runtime adds a constant bias and applies an activation in the same step. */
static bool is_product(const ob_node *node) {
    const ob_op_class class = node->op ? ob__op_class(node->op) : OB_CLASS_COUNT;
    return class == OB_CLASS_MATMUL || class == OB_CLASS_GEMM;
}

/* It has operators for products of integers with what scales, shifts or quantizes their results. */
static bool is_of_integers(const ob_facts *facts, const ob_node *node) {
    static const char *const names[] = {"ConvInteger", "QLinearConv", NULL};
    const ob_type *type = node->n_inputs > 0 && node->inputs[0] ? &ob__fact(facts, node->inputs[0])->type : NULL;
    return is_one_of(node->op_type, names) || (is_product(node) && type && (type->dtype == OB_INT8 || type->dtype == OB_UINT8));
}

static bool is_activation(const ob_node *node) {
    static const char *const names[] = {"Relu", "LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid", "Elu", "Selu", "Softplus", NULL};
    return node->n_inputs == 1 && is_one_of(node->op_type, names);
}

static bool is_quantizer(const ob_node *node) {
    return strcmp(node->op_type, "QuantizeLinear") == 0 || strcmp(node->op_type, "DequantizeLinear") == 0;
}

static bool takes_epilogue(const ob_node *node) {
    return node->op && node->op->kernel && node->op->kernel->epilogue_columns;
}

/* ---- The table ---- */

#define OB_TEXT(...)    OB_TEXT_(__VA_ARGS__)
#define OB_TEXT_(...)   #__VA_ARGS__
#define OB_TEXT_OF(...) __VA_ARGS__

static ob_rule_check always, scale_of_row;

static bool always(const ob_match *match, bool *exact) {
    (void)match, (void)exact;
    return true;
}

/* Its normalizations have a scale with one element for each of the row. */
static bool scale_of_row(const ob_match *match, bool *exact) {
    (void)exact;
    const ob_value *scale = ob__matched(match, "scale");
    return scale && ob__fact(match->facts, scale)->type.shape.rank == 1;
}

static const struct {
    ob_rule rule;
    uint32_t n_others;
} own_fusions[] = {
#define OB_OWN_FUSION(name, root, check, head, pattern, others)                                                                  \
    {{{#root, #root, #root}, OB_RULE_EXACT, check, {"", #name, 1, OB_TEXT head " {" OB_TEXT pattern "}"}, {0}}, others},
#include "passes/rewrite/own_fusions.def"
#undef OB_OWN_FUSION
};
enum { N_OWN = sizeof own_fusions / sizeof own_fusions[0] };

struct ob_worth {
    const ob_facts *facts;
    ob_reads reads;
    ob_arena *arena;
    ob_model *patterns_of;
    ob_pattern *patterns; /* N_OWN */
    bool *to_product;     /* by value id: a product, a convolution, or a quantizer before one reads it */
};

static ob_status find_readers(void *context, ob_graph *graph) {
    ob_worth *w = context;
    for (const ob_node *node = graph->last; node; node = node->prev) {
        const bool passes_on = is_quantizer(node) && node->outputs[0] && w->to_product[node->outputs[0]->id];
        for (uint32_t i = 0; i < node->n_inputs && (passes_on || takes_epilogue(node) || is_of_integers(w->facts, node)); i++)
            if (node->inputs[i]) w->to_product[node->inputs[i]->id] = true;
    }
    return OB_OK;
}

ob_status ob__worth_new(ob_model *model, const ob_facts *facts, uint32_t *uses, ob_arena *arena, ob_worth **out,
                        ob_error *error) {
    ob_worth *w = *out = OB_ARENA_NEW(arena, ob_worth);
    if (!w) return OB_E_MEMORY;
    *w = (ob_worth){.facts = facts, .reads = {uses, model->n_values}, .arena = arena};
    w->patterns = OB_ARENA_ARRAY(arena, ob_pattern, N_OWN);
    w->to_product = OB_ARENA_ARRAY(arena, bool, model->n_values);
    w->patterns_of = ob__model_new(&model->arena.allocator);
    if (!w->patterns || !w->to_product || !w->patterns_of) return OB_E_MEMORY;
    for (uint32_t i = 0; i < N_OWN; i++) {
        const ob_status status = ob__pattern_make(&own_fusions[i].rule, w->patterns_of, arena, &w->patterns[i], error);
        if (status == OB_E_UNSUPPORTED) w->patterns[i].n_nodes = 0; /* the build lacks an operator, and no group has it */
        if (status != OB_OK && status != OB_E_UNSUPPORTED) return status;
    }
    return ob__model_each_graph(model, find_readers, w);
}

void ob__worth_release(ob_worth *w) {
    if (w) ob_model_close(&w->patterns_of);
}

/* True if ONNX Runtime takes most of the group's nodes together. */
static bool is_taken(const ob_worth *w, const ob_fused *fused) {
    for (uint32_t i = 0; i < fused->n; i++)
        for (uint32_t k = 0; k < N_OWN; k++) {
            ob_match match = {.facts = w->facts, .scratch = w->arena};
            bool exact = true;
            uint32_t n_matched = 0;
            if (w->patterns[k].n_nodes == 0 || !ob__match(&w->patterns[k], fused->nodes[i], &w->reads, &match, &exact)) continue;
            for (uint32_t j = 0; j < fused->n; j++)
                for (uint32_t p = 0; p < w->patterns[k].n_nodes; p++) n_matched += match.nodes[p] == fused->nodes[j];
            if (fused->n - n_matched <= own_fusions[k].n_others) return true;
        }
    return false;
}

/* ---- A group ---- */

static bool is_whole_bytes(const ob_facts *facts, const ob_value *value) {
    const ob_type *type = &ob__fact(facts, value)->type;
    return type->kind == OB_TYPE_TENSOR && type->dtype != OB_NONE && type->dtype != OB_STRING && type->shape.rank >= 0 &&
           type->shape.rank <= OB_MAX_RANK && ob_dtype_file_bits(type->dtype) >= 8;
}

/* False: other types than the kernel's, so that the node would be replaced by others. */
static bool has_kernel(const ob_facts *facts, const ob_node *node) {
    const uint64_t types = node->op->kernel->types;
    for (uint32_t i = 0; types && i < node->n_inputs; i++)
        if (node->inputs[i] && !(types >> ob__fact(facts, node->inputs[i])->type.dtype & 1)) return false;
    return true;
}

/* False: the group is not for a call. */
static bool find_operands(const ob_facts *facts, ob_fused *fused) {
    fused->n_operands = 0;
    for (uint32_t i = 0; i < fused->n; i++) {
        const ob_node *node = fused->nodes[i];
        if (!is_whole_bytes(facts, node->outputs[0]) || !has_kernel(facts, node)) return false;
        for (uint32_t k = 0; k < node->n_inputs; k++) {
            ob_value *value = node->inputs[k];
            if (!value || ob__fused_maker(fused, value) != OB_FUSED_OUTSIDE ||
                ob__fused_operand(fused, value) < fused->n_operands)
                continue;
            if (fused->n_operands == OB_GROUP_OPERANDS || !is_whole_bytes(facts, value)) return false;
            fused->operands[fused->n_operands++] = value;
        }
    }
    return true;
}

/* The only reader of the value in the group, which is node `at`. NULL: there is none, or several. */
static ob_node *reader_of(const ob_fused *fused, const ob_value *value, uint32_t *at) {
    ob_node *found = NULL;
    for (uint32_t i = 0; i < fused->n; i++)
        for (uint32_t k = 0; k < fused->nodes[i]->n_inputs; k++) {
            if (fused->nodes[i]->inputs[k] != value) continue;
            if (found) return NULL;
            found = fused->nodes[i];
            *at = i;
        }
    return found;
}

static void take_out(ob_fused *fused, uint32_t at) {
    memmove(&fused->nodes[at], &fused->nodes[at + 1], (fused->n - at - 1) * sizeof *fused->nodes);
    fused->n--;
}

static bool is_constant(const ob_value *value) {
    return value && (value->is_initializer || (value->producer && value->producer->n_inputs == 0));
}

/* The product that makes an operand; NULL: none. */
static const ob_node *product_before(const ob_fused *fused, uint32_t *operand) {
    for (; *operand < fused->n_operands; ++*operand) {
        const ob_node *node = fused->operands[*operand]->producer;
        if (node && is_product(node)) return node;
    }
    return NULL;
}

/* Bias and activation after a product stay with it. */
static void leave_epilogue(ob_fused *fused, const ob_value *result) {
    uint32_t at = 0;
    const ob_node *node = reader_of(fused, result, &at);
    if (node && node->n_inputs == 2 && strcmp(node->op_type, "Add") == 0 &&
        is_constant(node->inputs[node->inputs[0] == result])) {
        take_out(fused, at);
        result = node->outputs[0];
        node = reader_of(fused, result, &at);
    }
    if (node && is_activation(node) && fused->n > 0) take_out(fused, at);
}

/* True if the value is an image that a convolution made, perhaps some nodes before. */
static bool is_image(const ob_facts *facts, const ob_value *value, int depth) {
    const ob_node *node = value ? value->producer : NULL;
    if (!node || depth == 0 || ob__fact(facts, value)->type.shape.rank != 4) return false;
    if (is_of_images(node)) return true;
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (is_image(facts, node->inputs[i], depth - 1)) return true;
    return false;
}

/* Sizes and indices: ONNX Runtime computes some of them before a run. */
static bool is_of_shapes(const ob_facts *facts, const ob_value *value) {
    return ob__fact(facts, value)->content.elems || ob__is_one_element(facts, value);
}

/* A call takes as long as one to two small nodes. An open size counts as a common one. */
static bool is_small(const ob_facts *facts, const ob_fused *fused) {
    enum { FEW_NODES = 2, FEW_ELEMENTS = 4096, OPEN_SIZE = 64 };
    const ob_shape *shape = &ob__fact(facts, fused->nodes[fused->n - 1]->outputs[0])->type.shape;
    int64_t n = 1;
    for (int32_t a = 0; a < shape->rank && n < FEW_ELEMENTS; a++) {
        const int64_t size = ob_dim_is_const(shape->dims[a]) ? shape->dims[a] : OPEN_SIZE;
        n = size < FEW_ELEMENTS ? n * size : FEW_ELEMENTS; /* both are small */
    }
    return fused->n <= FEW_NODES && n < FEW_ELEMENTS;
}

static bool stays(const ob_worth *w, const ob_fused *fused) {
    enum { NODES_BEFORE = 4 };
    const ob_value *result = fused->nodes[fused->n - 1]->outputs[0];
    bool quantizes = false, from_product = false;
    if (is_of_shapes(w->facts, result) || is_small(w->facts, fused)) return true;
    for (uint32_t i = 0; i < fused->n; i++) quantizes |= is_quantizer(fused->nodes[i]);
    for (uint32_t k = 0; k < fused->n_operands; k++) {
        const ob_node *node = fused->operands[k]->producer;
        if (is_image(w->facts, fused->operands[k], NODES_BEFORE)) return true;
        if (node && is_of_integers(w->facts, node)) return true;
        from_product |= node && takes_epilogue(node);
    }
    return (quantizes && (from_product || w->to_product[result->id])) || is_taken(w, fused);
}

bool ob__worth_fusing(const ob_worth *w, const ob_group *group, ob_fused *out) {
    out->n = group->n;
    memcpy(out->nodes, group->nodes, group->n * sizeof *out->nodes);
    if (!find_operands(w->facts, out)) return false;
    uint32_t k = 0;
    for (const ob_node *node; (node = product_before(out, &k)) != NULL; k++) leave_epilogue(out, node->outputs[0]);
    return out->n >= 2 && find_operands(w->facts, out) && !stays(w, out);
}
