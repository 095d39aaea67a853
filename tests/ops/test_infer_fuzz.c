/* Every row of the operator table with random invalid operands and attributes: nothing crashes, and inferred sizes stay within
 * the range of sizes. Most useful with sanitizers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/graph/graph.h"
#include "ops/table/op.h"
#include "passes/check/propagate.h"
#include "shapes.h"

enum { ROUNDS = 24, MAX_OPERANDS = 10 };

static const int64_t extremes[] = {
    0,         1,         -1,        2,         3,      4, -2, 5, 7, 64, -64, 1000, OB_DIM_CONST_MAX, -OB_DIM_CONST_MAX,
    INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1 << 20};
static const char *const names[] = {"axis",
                                    "axes",
                                    "keepdims",
                                    "perm",
                                    "pads",
                                    "strides",
                                    "dilations",
                                    "group",
                                    "kernel_shape",
                                    "ceil_mode",
                                    "blocksize",
                                    "split",
                                    "num_outputs",
                                    "starts",
                                    "ends",
                                    "shape",
                                    "k",
                                    "hidden_size",
                                    "to",
                                    "dtype",
                                    "broadcast",
                                    "batch_dims",
                                    "sample_size",
                                    "output_shape",
                                    "start",
                                    "end",
                                    "allowzero",
                                    "layout",
                                    "pooled_shape",
                                    "output_height",
                                    "block_size",
                                    "sizes",
                                    "num_scan_inputs",
                                    "border",
                                    "scale",
                                    "onesided",
                                    "ngram_indexes",
                                    "q_num_heads",
                                    "kv_num_heads",
                                    "output_padding",
                                    "paddings",
                                    "inputdimensions",
                                    "broadcast_dimensions",
                                    "value_ints",
                                    "targets",
                                    "transA",
                                    "new_axis",
                                    "stash_type"};
static const char *const texts[] = {"SAME_UPPER", "VALID", "none", "bidirectional", "ij,jk->ik", "...a,b...->...", "",
                                    "a",          ",,->",  "->",   "a.b",           "FLOAT",     "not_larger",     "SPARSE"};

static int64_t extreme(uint64_t *seed) {
    return extremes[pick(seed, sizeof extremes / sizeof extremes[0])];
}

static ob_dim random_dim(ob_model *model, uint64_t *seed) {
    switch (pick(seed, 8)) {
    case 0: return OB_DIM_UNKNOWN;
    case 1: return ob_dim_symbol(model->dims, "N");
    case 2: return ob_dim_symbol(model->dims, "M");
    case 3: return ob_dim_add(model->dims, ob_dim_mul(model->dims, ob_dim_symbol(model->dims, "N"), 2), 1);
    case 4: return pick(seed, 40) == 0 ? OB_DIM_CONST_MAX : 0;
    default: return (ob_dim)pick(seed, 9);
    }
}

static ob_dim random_element(ob_model *model, uint64_t *seed) {
    if (pick(seed, 4) == 0) return random_dim(model, seed);
    int64_t n = extreme(seed);
    return n > OB_DIM_CONST_MAX ? OB_DIM_CONST_MAX : n < -OB_DIM_CONST_MAX ? -OB_DIM_CONST_MAX : n;
}

static void random_operand(ob_model *model, uint64_t *seed, ob_types allowed, ob_type *type, ob_content *content) {
    ob_dim *dims = OB_ARENA_ARRAY(&model->arena, ob_dim, 64), *elems = OB_ARENA_ARRAY(&model->arena, ob_dim, 64);
    assert_true(dims && elems);
    *content = (ob_content){0};
    *type = (ob_type){.kind = OB_TYPE_TENSOR, .shape = {OB_RANK_UNKNOWN, NULL}};
    ob_dtype dtype = (ob_dtype)(1 + pick(seed, OB_DTYPE_COUNT - 1));
    for (int i = 0; i < OB_DTYPE_COUNT && !(allowed >> dtype & 1); i++) dtype = (ob_dtype)(1 + dtype % (OB_DTYPE_COUNT - 1));
    type->dtype = dtype;
    if (allowed & OB_T_SEQUENCE && pick(seed, 2)) {
        ob_type *element = OB_ARENA_NEW(&model->arena, ob_type);
        *element = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = OB_FLOAT, .shape = {2, dims}};
        *type = (ob_type){.kind = OB_TYPE_SEQUENCE, .shape = {OB_RANK_UNKNOWN, NULL}, .element = element};
        return;
    }
    if (pick(seed, 12) == 0) return;
    type->shape.rank = (int32_t)pick(seed, pick(seed, 10) ? 6 : 40);
    type->shape.dims = dims;
    int64_t n = 1;
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        dims[axis] = random_dim(model, seed);
        n = ob_dim_is_const(dims[axis]) && dims[axis] >= 0 && dims[axis] < 64 && n < 64 ? n * dims[axis] : 64;
    }
    if (n >= 64 || pick(seed, 2) == 0) return;
    for (int64_t i = 0; i < n; i++) elems[i] = random_element(model, seed);
    *content = (ob_content){.n = (uint32_t)n, .elems = elems};
}

static void random_attributes(ob_node *node, uint64_t *seed) {
    int64_t ints[12];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint32_t n = (uint32_t)pick(seed, 9);
        for (uint32_t k = 0; k < n; k++) ints[k] = pick(seed, 3) ? (int64_t)pick(seed, 4) : extreme(seed);
        switch (pick(seed, 5)) {
        case 0: assert_true(ob__node_set_int(node, names[i], pick(seed, 2) ? extreme(seed) : (int64_t)pick(seed, 4))); break;
        case 1: assert_true(ob__node_set_ints(node, names[i], ints, n)); break;
        default: break;
        }
    }
    static const char *const of_text[] = {
        "auto_pad", "direction", "equation", "reduction", "to", "mode", "keep_aspect_ratio_policy"};
    for (size_t i = 0; i < sizeof of_text / sizeof of_text[0]; i++)
        if (pick(seed, 2)) assert_true(ob__node_set_string(node, of_text[i], texts[pick(seed, sizeof texts / sizeof texts[0])]));
}

static void check_outputs(const ob_node *node, const ob_type *types, const ob_content *contents) {
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        assert_in_range(types[i].kind, 0, OB_TYPE_MAP);
        assert_in_range(types[i].dtype, 0, OB_DTYPE_COUNT - 1);
        assert_true(types[i].shape.rank >= OB_RANK_UNKNOWN);
        assert_true(types[i].shape.rank <= 0 || types[i].shape.dims != NULL);
        assert_true(contents[i].n <= OB_CONTENT_MAX);
    }
}

static void try_row(const ob_op *op, uint64_t *seed) {
    ob_model *model = ob__model_new(NULL);
    assert_non_null(model);
    int most = op->in_max == INT16_MAX ? op->in_min + 3 : op->in_max;
    uint32_t n_inputs = (uint32_t)(op->in_min + (int)pick(seed, (size_t)(most - op->in_min) + 1));
    int most_out = op->out_max == INT16_MAX ? op->out_min + 2 : op->out_max;
    uint32_t n_outputs = (uint32_t)(op->out_min + (int)pick(seed, (size_t)(most_out - op->out_min) + 1));
    if (n_inputs > MAX_OPERANDS) n_inputs = MAX_OPERANDS;
    ob_node *node = ob__node_new(model->graph, NULL, op->domain, op->name, n_inputs, n_outputs);
    assert_non_null(node);
    node->op = op;
    random_attributes(node, seed);
    ob_type in_types[MAX_OPERANDS], out_types[MAX_OPERANDS];
    ob_content in_contents[MAX_OPERANDS], out_contents[MAX_OPERANDS];
    for (uint32_t i = 0; i < n_inputs; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%u", i);
        if (i == 0 || pick(seed, 8)) node->inputs[i] = ob__value_new(model->graph, name);
        random_operand(model, seed, ob__op_input_types(op, i), &in_types[i], &in_contents[i]);
        /* Operands with the same type letter get the same type; otherwise almost every attempt would fail early. */
        bool homogeneous, other;
        char letter = ob__op_input_letter(op, i, &homogeneous);
        for (uint32_t k = 0; k < i && homogeneous; k++)
            if (ob__op_input_letter(op, k, &other) == letter && in_types[k].kind == OB_TYPE_TENSOR)
                in_types[i].dtype = in_types[k].dtype;
    }
    for (uint32_t i = 0; i < n_outputs; i++) {
        char name[16];
        snprintf(name, sizeof name, "y%u", i);
        ob__node_set_output(node, i, ob__value_new(model->graph, name));
    }
    ob_status status = ob__infer_node(model, node, in_types, in_contents, out_types, out_contents, &model->arena, NULL);
    assert_true(status == OB_OK || status == OB_E_SHAPE || status == OB_E_TYPE || status == OB_E_LIMIT || status == OB_E_MODEL);
    check_outputs(node, out_types, out_contents);
    ob_model_close(&model);
}

static void nothing_breaks_a_rule(void **state) {
    (void)state;
    uint64_t seed = 20;
    for (size_t row = 0; row < ob__op_count(); row++)
        for (int round = 0; round < ROUNDS; round++) try_row(ob__op_at(row), &seed);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_breaks_a_rule)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
