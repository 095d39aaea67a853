/* Infers one operator: applies its rule, with the checks that are common to all rules. */
#include "core/base/error.h"
#include "core/graph/copy.h"
#include "ops/infer/constant.h"
#include "ops/table/attributes.h"
#include "ops/table/operands.h"
#include "passes/check/propagation.h"

enum { FEW = 8 }; /* operands without an allocation */

static const ob_type unknown_type = {.shape = {OB_RANK_UNKNOWN, NULL}};

bool ob__check_operands(ob_infer *infer) {
    ob_misfit why;
    if (ob__op_fits(infer->op, infer->node, infer->in_types, &why)) return true;
    ob__problem(infer, why.id, why.operand, -1, "%s", why.text);
    return false;
}

/* Tests attributes against the row. The rule is applied in any case, so that one error does not hide the next. */
static void check_attributes(ob_infer *infer) {
    ob_attribute_check check = {0};
    char text[200];
    if (ob__is_too_new(infer->node->graph, infer->node->domain, text, sizeof text)) return; /* it may be one of its attributes */
    while (ob__attribute_problem(infer->node, infer->op, &check)) ob__problem(infer, OB0602, -1, -1, "%s", check.text);
    infer->misread = check.unreadable;
}

/* Element types of outputs that follow from the signature. */
static void set_output_dtypes(ob_infer *infer) {
    ob_dtype few[FEW];
    uint32_t n = infer->node->n_inputs < FEW ? infer->node->n_inputs : FEW;
    for (uint32_t i = 0; i < n; i++) few[i] = ob__in_dtype(infer, i);
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) {
        ob_dtype dtype = ob__op_output_dtype(infer->op, i, few, n);
        if (dtype == OB_NONE) continue;
        infer->out_types[i].kind = OB_TYPE_TENSOR;
        infer->out_types[i].dtype = dtype;
    }
}

/* Sizes that are numbers, and more than any memory has. */
static void check_size(ob_infer *infer, uint32_t i) {
    const ob_type *type = &infer->out_types[i];
    uint64_t n_bytes;
    char text[200];
    if (!infer->node->outputs[i] || type->kind != OB_TYPE_TENSOR || type->shape.rank < 0 || type->shape.rank > OB_MAX_RANK)
        return;
    for (int32_t axis = 0; axis < type->shape.rank; axis++)
        if (!ob_dim_is_const(type->shape.dims[axis]) || type->shape.dims[axis] < 0) return;
    ob_dtype dtype = type->dtype == OB_NONE ? OB_BOOL : type->dtype; /* at least a byte each */
    if (ob__tensor_bytes(dtype, type->shape.rank, type->shape.dims, &n_bytes)) return;
    ob_shape_format(infer->dims, &type->shape, text, sizeof text);
    ob__problem(infer, OB0606, -1, -1, "output %u of shape %s has more bytes than can be addressed", i, text);
}

/* Element types that come from attributes: Cast, Constant, EyeLike ... */
static void check_outputs(ob_infer *infer) {
    /* Constant-1 names float types only, but from opset 5 on Reshape needs integers: every exporter writes them. */
    if (infer->op->since == 1 && ob__is_constant(infer->node)) return;
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) {
        const ob_type *type = &infer->out_types[i];
        if (type->kind != OB_TYPE_TENSOR || type->dtype == OB_NONE) continue;
        if (ob__op_output_types(infer->op, i) & ob__type_bit(type)) continue;
        ob__problem(infer, OB0604, -1, -1, "output %u would be %s, which %s-%d does not give", i, ob_dtype_name(type->dtype),
                    infer->op->name, infer->op->since);
    }
}

ob_status ob__apply_rule(ob_infer *infer) {
    if (!ob__check_operands(infer)) return OB_OK;
    set_output_dtypes(infer);
    check_attributes(infer);
    const ob_content *contents = infer->in_contents;
    OB_TRY(ob__fit_operands(infer));
    OB_TRY(infer->op->infer(infer));
    infer->in_contents = contents;
    OB_TRY(ob__extent_flow(infer));
    check_outputs(infer);
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) check_size(infer, i);
    return OB_OK;
}

/* ---- One node outside any facts ---- */

typedef struct lone_node {
    ob_infer infer;
    ob_error trial;
    ob_error *error;
    ob_status first;
} lone_node;

static void keep_first_problem(ob_infer *infer, ob_finding_id id, int32_t operand, int32_t axis, const char *text) {
    lone_node *lone = (lone_node *)infer;
    if (lone->first != OB_OK || ob__finding_row(id)->severity != OB_SEVERITY_ERROR) return;
    lone->first = ob__finding_row(id)->status;
    if (!lone->error) return;
    ob__fail(lone->error, lone->first, "%s", text);
    lone->error->axis = axis;
    ob__copy_text(lone->error->node, sizeof lone->error->node, infer->node->name);
    ob__copy_text(lone->error->op_type, sizeof lone->error->op_type, infer->node->op_type);
    bool named = operand >= 0 && ob__in_given(infer, (uint32_t)operand);
    ob__copy_text(lone->error->value, sizeof lone->error->value, named ? infer->node->inputs[operand]->name : "");
}

ob_status ob__infer_node(ob_model *model, const ob_node *node, const ob_type *in_types, const ob_content *in_contents,
                         ob_type *out_types, ob_content *out_contents, ob_arena *arena, ob_error *error) {
    lone_node lone = {.infer = {.model = model,
                                .node = node,
                                .op = node->op,
                                .dims = model->dims,
                                .arena = arena,
                                .in_types = in_types,
                                .in_contents = in_contents,
                                .out_types = out_types,
                                .out_contents = out_contents,
                                .problem = keep_first_problem},
                      .error = error};
    lone.infer.trial = &lone.trial;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        out_types[i] = unknown_type;
        out_contents[i] = (ob_content){0};
    }
    if (!node->op) return OB_OK;
    OB_TRY(ob__apply_rule(&lone.infer));
    return lone.first;
}
