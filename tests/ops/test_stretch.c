/* The rows of one-way operators name the operands that are stretched and their targets: the rows are well-formed, and passes
 * treat all rows of a kind in the same way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_text.h"
#include "ops/library/resolve.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"
#include "passes/check/groups.h"
#include "passes/check/propagate.h"

static void rows_say_what_they_stretch(void **state) {
    (void)state;
    static const ob_stretch nothing;
    size_t n_one_way = 0, n_asked = 0;
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        const ob_stretch *stretch = &op->stretch;
        bool one_way = op->broadcast == OB_BCAST_UNI || op->broadcast == OB_BCAST_LEGACY;
        if (!one_way && op->broadcast != OB_BCAST_BATCH) {
            assert_memory_equal(stretch, &nothing, sizeof nothing);
            continue;
        }
        assert_true(stretch->first >= 1 && stretch->first <= stretch->last && stretch->last < op->in_max);
        assert_int_equal(one_way, stretch->onto != OB_ONTO_NOTHING);
        assert_true(stretch->onto != OB_ONTO_PRODUCT || stretch->first >= 2);
        assert_true(stretch->scale_from <= stretch->scale_end);
        assert_true(op->broadcast == OB_BCAST_BATCH ? stretch->first + stretch->scale_end <= op->in_max
                                                    : stretch->scale_end == 0);
        /* The attributes apply to one operand. */
        if (stretch->asked || stretch->placed) assert_int_equal(stretch->first, stretch->last);
        n_one_way += one_way;
        n_asked += stretch->asked;
    }
    assert_true(n_one_way >= 25 && n_asked >= 15);
}

/* ---- Every row through the passes ---- */

/* A model of one node, called y, whose operands from `first` on are stretched: (4) onto (2,3,4), or onto the product (2,4). */
static ob_model *model_of(const ob_op *op) {
    const ob_stretch *stretch = &op->stretch;
    const char *type = ob__op_input_types(op, 0) & OB_T(FLOAT) ? "float" : "bool";
    char inputs[300] = "", operands[100] = "", attributes[100] = "", text[700];
    for (int i = 0; i <= stretch->last; i++) {
        bool stretched = i >= stretch->first;
        const char *sizes = stretched                          ? (stretch->onto == OB_ONTO_CHANNELS ? "3" : "4")
                            : stretch->onto != OB_ONTO_PRODUCT ? "2,3,4"
                            : i == 0                           ? "2,3"
                                                               : "3,4";
        sprintf(inputs + strlen(inputs), "%s%s[%s] x%d", i ? ", " : "", type, sizes, i);
        sprintf(operands + strlen(operands), "%sx%d", i ? ", " : "", i);
    }
    if (stretch->onto == OB_ONTO_AXES) strcpy(attributes, "<axis: int = 1>");
    if (stretch->asked) strcpy(attributes, "<broadcast: int = 1>");
    const char *dot = op->domain[0] ? "." : "";
    snprintf(text, sizeof text, "<ir_version: 8, opset_import: [%s\"%s\" : %d]>\ng (%s) => (y) { [y] y = %s%s%s %s (%s) }",
             op->domain[0] ? "\"\" : 21, " : "", op->domain, op->since, inputs, op->domain, dot, op->name, attributes, operands);
    return read_text(text);
}

static ob_node *last_node(const ob_model *model) {
    ob_node *node = model->graph->first;
    while (node->next) node = node->next;
    return node;
}

static ob_rewrite_stats rewrite(ob_model *model, ob_form form) {
    ob_rewrite_stats stats;
    ob_error error;
    ob_error_clear(&error);
    if (ob_rewrite(model, form, NULL, &stats, &error) != OB_OK) fail_msg("%s", error.message);
    return stats;
}

static void expect_explicit(const ob_node *node, const ob_stretch *stretch) {
    static const int64_t whole[] = {2, 3, 4}, product[] = {2, 4};
    const int64_t *expected = stretch->onto == OB_ONTO_PRODUCT ? product : stretch->onto == OB_ONTO_AXES ? whole + 1 : whole;
    uint32_t n_expected = stretch->onto == OB_ONTO_FIRST ? 3 : 2, n;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ob_node *maker = node->inputs[i]->producer;
        bool stretched = i >= stretch->first && i <= stretch->last;
        assert_int_equal(maker != NULL, stretched);
        if (!stretched) continue;
        assert_string_equal(maker->op_type, "BroadcastInDim");
        const int64_t *shape = ob__attribute_list(maker, "shape", &n);
        assert_int_equal(n, n_expected);
        assert_memory_equal(shape, expected, n * sizeof *shape);
    }
    assert_null(ob__node_attribute(node, "broadcast"));
}

static void every_row_is_made_explicit_and_back(void **state) {
    (void)state;
    size_t n_tried = 0;
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        const ob_stretch *stretch = &op->stretch;
        if (stretch->onto == OB_ONTO_NOTHING) continue;
        ob_model *model = model_of(op);
        ob_rewrite_stats stats = rewrite(model, OB_FORM_BROADCAST);
        bool stays = stretch->onto == OB_ONTO_CHANNELS || op->domain[0] != '\0';
        if (stats.n_inserted != (stays ? 0u : stretch->last - stretch->first + 1u) || stats.n_left != stays)
            fail_msg("%s-%d: %zu inserted, %zu left", op->name, op->since, stats.n_inserted, stats.n_left);
        if (!stays) expect_explicit(last_node(model), stretch);
        rewrite(model, OB_FORM_IMPLICIT);
        const ob_node *node = model->graph->first;
        assert_null(node->next);
        assert_string_equal(node->op_type, op->name);
        for (uint32_t k = 0; k < node->n_inputs; k++) assert_true(node->inputs[k]->is_input);
        assert_int_equal(ob__node_int(node, "broadcast", 0), stretch->asked);
        ob_model_close(&model);
        n_tried++;
    }
    assert_true(n_tried >= 25);
}

/* A slope per channel is not a slope that was stretched along the channels. */
static void what_an_operator_spreads_itself_is_not_made_implicit(void **state) {
    (void)state;
    ob_model *model =
        read_text("<ir_version: 8, opset_import: [\"\" : 6, \"onnx_broadcast\" : 1]>\n"
                  "g (float[2,3,4] x, float[3] s) => (y) {\n"
                  "  t = onnx_broadcast.BroadcastInDim <broadcast_dimensions: ints = [1], shape: ints = [2,3,4]> (s)\n"
                  "  y = PRelu (x, t)\n}");
    rewrite(model, OB_FORM_IMPLICIT);
    const ob_node *node = last_node(model);
    assert_string_equal(node->op_type, "PRelu");
    assert_non_null(node->inputs[1]->producer);
    assert_int_equal(node->n_attributes, 0);
    ob_model_close(&model);
}

/* ---- A row that is not in the table ---- */

static void a_new_row_needs_no_pass_to_know_it(void **state) {
    (void)state;
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        if (op->stretch.onto == OB_ONTO_NOTHING) continue;
        ob_group groups[2];
        uint32_t inputs[2][OB_GROUP_INLINE];
        for (int other = 0; other < 2; other++) {
            ob_model *model = model_of(op);
            assert_int_equal(ob__model_resolve_ops(model), OB_OK);
            ob_op row = *op;
            row.name = other ? "Newcomer" : op->name;
            ob_node *node = model->graph->first;
            node->op = &row;
            node->op_type = row.name;
            ob_facts facts;
            ob__facts_init(&facts, NULL);
            assert_int_equal(ob__propagate(model, NULL, &facts, NULL), OB_OK);
            bool found;
            ob_group *group = &groups[other];
            assert_int_equal(ob__group_of(&facts, model->dims, node, &facts.arena, group, &found), OB_OK);
            assert_true(found && group->n <= OB_GROUP_INLINE);
            memcpy(inputs[other], group->inputs, group->n * sizeof *group->inputs);
            ob__facts_release(&facts);
            ob_model_close(&model);
        }
        assert_int_equal(groups[0].n, groups[1].n);
        assert_memory_equal(inputs[0], inputs[1], groups[0].n * sizeof inputs[0][0]);
        assert_int_equal(groups[0].target, groups[1].target);
        assert_int_equal(groups[0].result.rank, groups[1].result.rank);
        assert_int_equal(groups[0].mapped, groups[1].mapped);
        assert_int_equal(inputs[0][groups[0].n - 1], op->stretch.last);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_say_what_they_stretch),
        cmocka_unit_test(every_row_is_made_explicit_and_back),
        cmocka_unit_test(what_an_operator_spreads_itself_is_not_made_implicit),
        cmocka_unit_test(a_new_row_needs_no_pass_to_know_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
