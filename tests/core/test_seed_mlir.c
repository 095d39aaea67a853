/* MLIR, "The Broadcastable Trait": inference table, pseudo-functions, verification table, every example. '?' is a dynamic size:
 * in the examples OB_DIM_UNKNOWN, in the table tests a symbol so that run-time sizes can be given. */
#include "shapes.h"

static ob_status infer_dim(fixture *f, ob_dim dim0, ob_dim dim1, ob_dim *inferred) {
    const ob_shape operands[2] = {SHAPE(dim0), SHAPE(dim1)};
    ob_broadcast_result result;
    f->conditions.n = 0;
    ob_status status = ob_broadcast_mlir(operands, 2, f->pool, collect_condition, &f->conditions, &result, NULL);
    if (status != OB_OK) return status;
    assert_int_equal(result.rank, 1);
    *inferred = result.dims[0];
    return OB_OK;
}

/* Do the collected conditions hold when dim0 and dim1 have these sizes at run time? */
static bool hold(fixture *f, int64_t dim0, int64_t dim1) {
    const ob_binding bindings[] = {{f->n, dim0}, {f->m, dim1}};
    for (size_t i = 0; i < f->conditions.n; i++) {
        bool holds = false;
        assert_int_equal(ob_condition_eval(f->pool, &f->conditions.items[i], bindings, 2, &holds), OB_OK);
        if (!holds) return false;
    }
    return true;
}

static int64_t run_time_size(fixture *f, ob_dim d, int64_t dim0, int64_t dim1) {
    const ob_binding bindings[] = {{f->n, dim0}, {f->m, dim1}};
    int64_t size = -1;
    assert_int_equal(ob_dim_eval(f->pool, d, bindings, 2, &size), OB_OK);
    return size;
}

/* ---- The inference table, row by row, and each case of InferDim ---- */

static void mlir_infer_dynamic_dynamic(void **state) {
    fixture *f = *state;
    ob_dim inferred;
    assert_int_equal(infer_dim(f, f->n, f->m, &inferred), OB_OK);
    assert_false(ob_dim_is_const(inferred));
    assert_int_equal(f->conditions.n, 1);
    assert_true(hold(f, 1, 7)); /* RuntimeSize(dim0) is 1: broadcast to dim1 */
    assert_int_equal(run_time_size(f, inferred, 1, 7), 7);
    assert_true(hold(f, 7, 1));
    assert_int_equal(run_time_size(f, inferred, 7, 1), 7);
    assert_true(hold(f, 7, 7));
    assert_false(hold(f, 7, 6)); /* the text: undefined behaviour; here a broken condition */
}
static void mlir_infer_dynamic_1(void **state) {
    fixture *f = *state;
    ob_dim inferred;
    assert_int_equal(infer_dim(f, f->n, 1, &inferred), OB_OK);
    assert_true(inferred == f->n);
    assert_int_equal(f->conditions.n, 0);
}
static void mlir_infer_1_dynamic(void **state) {
    fixture *f = *state;
    ob_dim inferred;
    assert_int_equal(infer_dim(f, 1, f->m, &inferred), OB_OK);
    assert_true(inferred == f->m);
    assert_int_equal(f->conditions.n, 0);
}
static void mlir_infer_dynamic_static(void **state) {
    fixture *f = *state;
    ob_dim inferred;
    assert_int_equal(infer_dim(f, f->n, 5, &inferred), OB_OK);
    assert_int_equal(inferred, 5);
    assert_int_equal(f->conditions.n, 1);
    assert_int_equal(f->conditions.operands[0], 0);
    assert_true(hold(f, 1, 0));
    assert_true(hold(f, 5, 0));
    assert_false(hold(f, 4, 0));
}
static void mlir_infer_static_dynamic(void **state) {
    fixture *f = *state;
    ob_dim inferred;
    assert_int_equal(infer_dim(f, 5, f->m, &inferred), OB_OK);
    assert_int_equal(inferred, 5);
    assert_int_equal(f->conditions.n, 1);
    assert_int_equal(f->conditions.operands[0], 1);
    assert_true(hold(f, 0, 1));
    assert_false(hold(f, 0, 2));
}
static void mlir_infer_1_1(void **state) {
    fixture *f = *state;
    ob_dim inferred;
    assert_int_equal(infer_dim(f, 1, 1, &inferred), OB_OK);
    assert_int_equal(inferred, 1);
}
static void mlir_infer_1_static(void **state) {
    fixture *f = *state;
    ob_dim inferred;
    assert_int_equal(infer_dim(f, 1, 5, &inferred), OB_OK);
    assert_int_equal(inferred, 5);
}
static void mlir_infer_static_1(void **state) {
    fixture *f = *state;
    ob_dim inferred;
    assert_int_equal(infer_dim(f, 5, 1, &inferred), OB_OK);
    assert_int_equal(inferred, 5);
}
static void mlir_infer_static_static(void **state) {
    fixture *f = *state;
    ob_dim inferred = -9;
    assert_int_equal(infer_dim(f, 5, 5, &inferred), OB_OK);
    assert_int_equal(inferred, 5);
    inferred = -9;
    assert_int_equal(infer_dim(f, 5, 4, &inferred), OB_E_SHAPE);
    assert_int_equal(inferred, -9);
}
static void mlir_infer_unknown_sizes_are_dynamic(void **state) {
    fixture *f = *state;
    ob_dim inferred;
    assert_int_equal(infer_dim(f, UNKNOWN, UNKNOWN, &inferred), OB_OK);
    assert_true(inferred == UNKNOWN);
    assert_int_equal(f->conditions.n, 1);
    assert_int_equal(infer_dim(f, UNKNOWN, 1, &inferred), OB_OK);
    assert_true(inferred == UNKNOWN);
    assert_int_equal(f->conditions.n, 0);
    assert_int_equal(infer_dim(f, UNKNOWN, 5, &inferred), OB_OK);
    assert_int_equal(inferred, 5);
    assert_int_equal(f->conditions.n, 1);
}
static void mlir_infer_size_0_follows_numpy(void **state) {
    fixture *f = *state;
    ob_dim inferred;
    assert_int_equal(infer_dim(f, 0, 1, &inferred), OB_OK);
    assert_int_equal(inferred, 0);
    assert_int_equal(infer_dim(f, 0, 0, &inferred), OB_OK);
    assert_int_equal(inferred, 0);
    assert_int_equal(infer_dim(f, 0, 5, &inferred), OB_E_SHAPE);
    assert_int_equal(infer_dim(f, f->n, 0, &inferred), OB_OK);
    assert_int_equal(inferred, 0);
    assert_true(hold(f, 0, 9) && hold(f, 1, 9));
    assert_false(hold(f, 2, 9));
    const ob_shape operands[] = {SHAPE(0), SHAPE(1)};
    break_list breaks = {.n = 0};
    assert_int_equal(ob_rules_check(OB_RULES_MLIR, operands, 2, NULL, NULL, collect_break, &breaks, NULL), OB_OK);
    assert_int_equal(breaks.n, 1);
    assert_string_equal(breaks.items[0].id, "OB0305");
    assert_int_equal(breaks.items[0].severity, OB_SEVERITY_NOTE);
}

/* ---- Shape inference ---- */

static void mlir_expand_rank_prepends_1(void **state) {
    (void)state;
    assert_broadcast(SHAPE(4), SHAPE(2, 3, 4), SHAPE(2, 3, 4));
    assert_broadcast(SCALAR, SHAPE(2, 3), SHAPE(2, 3));
}
static void mlir_infer_shape_mixes_the_cases(void **state) {
    fixture *f = *state;
    const ob_shape operands[2] = {SHAPE(f->n, 1, 5, f->n), SHAPE(7, f->m, 1)};
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_mlir(operands, 2, f->pool, collect_condition, &f->conditions, &result, NULL), OB_OK);
    assert_dims(&result, SHAPE(f->n, 7, 5, f->n));
    assert_int_equal(f->conditions.n, 1); /* dim1 with 5 */
    assert_int_equal(f->conditions.axes[0], 2);
}
static void mlir_no_ranked_operand_gives_no_shape(void **state) {
    (void)state;
    const ob_shape operands[2] = {UNRANKED, UNRANKED};
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_mlir(operands, 2, NULL, NULL, NULL, &result, NULL), OB_OK);
    assert_int_equal(result.rank, OB_RANK_UNKNOWN);
}
static void mlir_one_ranked_operand_gives_its_shape(void **state) {
    fixture *f = *state;
    const ob_shape operands[3] = {UNRANKED, SHAPE(2, f->n), UNRANKED};
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_mlir(operands, 3, f->pool, NULL, NULL, &result, NULL), OB_OK);
    assert_dims(&result, SHAPE(2, f->n));
    /* ONNX's inference does not know the rank of such a result */
    assert_int_equal(ob_broadcast_shapes(operands, 3, f->pool, NULL, NULL, &result, NULL), OB_OK);
    assert_int_equal(result.rank, OB_RANK_UNKNOWN);
}
static void mlir_unranked_operands_are_discarded(void **state) {
    (void)state;
    const ob_shape operands[4] = {UNRANKED, SHAPE(3, 1), UNRANKED, SHAPE(4)};
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_mlir(operands, 4, NULL, NULL, NULL, &result, NULL), OB_OK);
    assert_dims(&result, SHAPE(3, 4));
    const ob_shape clash[3] = {SHAPE(3), UNRANKED, SHAPE(4)};
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_broadcast_mlir(clash, 3, NULL, NULL, NULL, &result, &error), OB_E_SHAPE);
    assert_string_equal(error.message, "axis 0: 3 (operand 0) does not broadcast with 4 (operand 2)");
    assert_int_equal(ob_broadcast_shapes(clash, 3, NULL, NULL, NULL, &result, &error), OB_E_SHAPE);
}
static void mlir_nary_fold_keeps_the_condition(void **state) {
    fixture *f = *state;
    /* a pairwise fold gives ? for (?, 1), then 4 for (?, 4) and forgets which operand it was; also with the 4 first */
    const ob_shape operands[3] = {SHAPE(f->n), SHAPE(1), SHAPE(4)};
    for (size_t turn = 0; turn < 3; turn++) {
        ob_shape turned[3];
        for (size_t i = 0; i < 3; i++) turned[i] = operands[(i + turn) % 3];
        ob_broadcast_result result;
        f->conditions.n = 0;
        assert_int_equal(ob_broadcast_mlir(turned, 3, f->pool, collect_condition, &f->conditions, &result, NULL), OB_OK);
        assert_dims(&result, SHAPE(4));
        assert_int_equal(f->conditions.n, 1);
        assert_condition_text(f->pool, &f->conditions.items[0], "N = 1 or N = 4");
        assert_true(turned[f->conditions.operands[0]].dims[0] == f->n);
    }
    /* two dynamic operands and a 4: each keeps its own */
    const ob_shape two[3] = {SHAPE(f->n), SHAPE(f->m), SHAPE(4)};
    ob_broadcast_result result;
    f->conditions.n = 0;
    assert_int_equal(ob_broadcast_mlir(two, 3, f->pool, collect_condition, &f->conditions, &result, NULL), OB_OK);
    assert_int_equal(f->conditions.n, 2);
    assert_true(hold(f, 1, 4) && hold(f, 4, 1));
    assert_false(hold(f, 4, 2) || hold(f, 2, 2));
    const ob_shape unknown[3] = {SHAPE(UNKNOWN), SHAPE(1), SHAPE(4)};
    f->conditions.n = 0;
    assert_int_equal(ob_broadcast_mlir(unknown, 3, NULL, collect_condition, &f->conditions, &result, NULL), OB_OK);
    assert_dims(&result, SHAPE(4));
    assert_int_equal(f->conditions.n, 1);
    assert_condition_text(NULL, &f->conditions.items[0], "? = 1 or ? = 4");
}
static void mlir_nary_unknown_does_not_hide_two_dynamic_sizes(void **state) {
    fixture *f = *state;
    const ob_shape operands[3] = {SHAPE(f->n), SHAPE(UNKNOWN), SHAPE(f->m)};
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_mlir(operands, 3, f->pool, collect_condition, &f->conditions, &result, NULL), OB_OK);
    assert_true(result.dims[0] == UNKNOWN);
    assert_int_equal(f->conditions.n, 2);
    assert_condition_text(f->pool, &f->conditions.items[0], "M = N or M = 1 or N = 1");
}
static void mlir_needs_an_operand(void **state) {
    (void)state;
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_mlir(NULL, 0, NULL, NULL, NULL, &result, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_verify_mlir(NULL, 0, &SCALAR, NULL, NULL), OB_E_ARGUMENT);
}

/* ---- The verification table ---- */

static void mlir_verify_dynamic_dynamic_is_ok(void **state) {
    fixture *f = *state;
    assert_int_equal(ob_verify_mlir(&SHAPE(f->n), 1, &SHAPE(f->m), f->pool, NULL), OB_OK);
    assert_int_equal(ob_verify_mlir(&SHAPE(UNKNOWN), 1, &SHAPE(UNKNOWN), NULL, NULL), OB_OK);
}
static void mlir_verify_dynamic_static_is_an_error(void **state) {
    fixture *f = *state;
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_verify_mlir(&SHAPE(2, f->n), 1, &SHAPE(2, 4), f->pool, &error), OB_E_SHAPE);
    assert_int_equal(error.axis, 1);
    assert_string_equal(error.message, "axis 1: the operands give N, the result is declared as 4");
}
static void mlir_verify_static_dynamic_is_ok(void **state) {
    fixture *f = *state;
    assert_int_equal(ob_verify_mlir(&SHAPE(4), 1, &SHAPE(f->n), f->pool, NULL), OB_OK);
}
static void mlir_verify_static_static_is_ok_if_equal(void **state) {
    (void)state;
    assert_int_equal(ob_verify_mlir(&SHAPE(4), 1, &SHAPE(4), NULL, NULL), OB_OK);
    assert_int_equal(ob_verify_mlir(&SHAPE(4), 1, &SHAPE(5), NULL, NULL), OB_E_SHAPE);
    assert_int_equal(ob_verify_mlir(&SHAPE(4), 1, NULL, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_verify_mlir(&SHAPE(4), 1, &SHAPE(-4), NULL, NULL), OB_E_ARGUMENT);
}

/* ---- The examples: ob_verify_mlir and the rule book must agree ---- */

static void check_example(const ob_shape *operands, size_t n, ob_shape declared, ob_status expected, const char *id) {
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_verify_mlir(operands, n, &declared, NULL, &error), expected);
    break_list breaks = {.n = 0};
    ob_status status = ob_rules_check(OB_RULES_MLIR, operands, n, &declared, NULL, collect_break, &breaks, NULL);
    if (expected != OB_OK && !id) { /* no broadcast at all */
        assert_int_equal(status, OB_E_SHAPE);
        return;
    }
    assert_int_equal(status, OB_OK);
    size_t n_errors = 0;
    for (size_t i = 0; i < breaks.n; i++) n_errors += breaks.items[i].severity == OB_SEVERITY_ERROR;
    assert_int_equal(n_errors, id ? 1 : 0);
    if (id) assert_true(has_break(&breaks, id));
}

static void mlir_correct_exact_match_of_static_sizes(void **state) {
    (void)state;
    const ob_shape operands[] = {SHAPE(1, 2), SHAPE(1, 2)};
    check_example(operands, 2, SHAPE(1, 2), OB_OK, NULL);
}
static void mlir_correct_dynamic_sizes_match(void **state) {
    (void)state;
    const ob_shape operands[] = {SHAPE(UNKNOWN), SHAPE(UNKNOWN)};
    check_example(operands, 2, SHAPE(UNKNOWN), OB_OK, NULL);
    /* conditions that the programmer must guarantee are reported */
    break_list breaks = {.n = 0};
    assert_int_equal(ob_rules_check(OB_RULES_MLIR, operands, 2, NULL, NULL, collect_break, &breaks, NULL), OB_OK);
    assert_int_equal(breaks.n, 1);
    assert_string_equal(breaks.items[0].id, "OB0304");
    assert_int_equal(breaks.items[0].severity, OB_SEVERITY_WARNING);
}
static void mlir_correct_1_is_broadcast_to_4(void **state) {
    (void)state;
    const ob_shape operands[] = {SHAPE(1), SHAPE(4)};
    check_example(operands, 2, SHAPE(4), OB_OK, NULL);
}
static void mlir_correct_inferred_4_declared_dynamic(void **state) {
    (void)state;
    check_example(&SHAPE(4), 1, SHAPE(UNKNOWN), OB_OK, NULL);
}
static void mlir_correct_4_expands_to_1x1x4_then_2x3x4(void **state) {
    (void)state;
    const ob_shape operands[] = {SHAPE(4), SHAPE(2, 3, 4)};
    check_example(operands, 2, SHAPE(2, 3, 4), OB_OK, NULL);
}
static void mlir_correct_element_types_differ(void **state) {
    (void)state;
    const ob_shape operands[] = {SHAPE(2), SHAPE(2)};
    check_example(operands, 2, SHAPE(2), OB_OK, NULL);
    /* i1 and i32 operands: views of different types broadcast together */
    bool bits[2] = {true, false};
    int32_t words[1] = {7};
    ob_view views[2];
    assert_int_equal(ob_view_init(&views[0], bits, OB_BOOL, 1, DIMS(2)), OB_OK);
    assert_int_equal(ob_view_init(&views[1], words, OB_INT32, 1, DIMS(1)), OB_OK);
    assert_int_equal(ob_view_broadcast_all(views, 2, views, NULL), OB_OK);
    assert_int_equal(views[0].dtype, OB_BOOL);
    assert_int_equal(views[1].dtype, OB_INT32);
    assert_int_equal(views[1].dims[0], 2);
}
static void mlir_correct_unranked_result(void **state) {
    (void)state;
    check_example(&SHAPE(2), 1, UNRANKED, OB_OK, NULL);
}
static void mlir_correct_all_operands_unranked(void **state) {
    (void)state;
    const ob_shape operands[] = {UNRANKED, UNRANKED};
    check_example(operands, 2, SHAPE(2), OB_OK, NULL);
}

static void mlir_incorrect_3_with_2(void **state) {
    (void)state;
    const ob_shape operands[] = {SHAPE(3), SHAPE(2)};
    check_example(operands, 2, SHAPE(UNKNOWN), OB_E_SHAPE, NULL);
}
static void mlir_incorrect_result_rank_1x3_for_3(void **state) {
    (void)state;
    const ob_shape operands[] = {SHAPE(3), SHAPE(3)};
    check_example(operands, 2, SHAPE(1, 3), OB_E_SHAPE, "OB0301");
}
static void mlir_incorrect_inferred_dynamic_declared_4(void **state) {
    (void)state;
    const ob_shape operands[] = {SHAPE(UNKNOWN), SHAPE(UNKNOWN)};
    check_example(operands, 2, SHAPE(4), OB_E_SHAPE, "OB0302");
}
static void mlir_incorrect_inferred_2_declared_4(void **state) {
    (void)state;
    const ob_shape operands[] = {SHAPE(2), SHAPE(2)};
    check_example(operands, 2, SHAPE(4), OB_E_SHAPE, "OB0303");
}
static void mlir_incorrect_results_do_not_broadcast_1_to_4(void **state) {
    (void)state;
    const ob_shape operands[] = {SHAPE(1), SHAPE(1)};
    check_example(operands, 2, SHAPE(4), OB_E_SHAPE, "OB0303");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        WITH_POOL(mlir_infer_dynamic_dynamic),
        WITH_POOL(mlir_infer_dynamic_1),
        WITH_POOL(mlir_infer_1_dynamic),
        WITH_POOL(mlir_infer_dynamic_static),
        WITH_POOL(mlir_infer_static_dynamic),
        WITH_POOL(mlir_infer_1_1),
        WITH_POOL(mlir_infer_1_static),
        WITH_POOL(mlir_infer_static_1),
        WITH_POOL(mlir_infer_static_static),
        WITH_POOL(mlir_infer_unknown_sizes_are_dynamic),
        WITH_POOL(mlir_infer_size_0_follows_numpy),
        WITH_POOL(mlir_expand_rank_prepends_1),
        WITH_POOL(mlir_infer_shape_mixes_the_cases),
        WITH_POOL(mlir_no_ranked_operand_gives_no_shape),
        WITH_POOL(mlir_one_ranked_operand_gives_its_shape),
        WITH_POOL(mlir_unranked_operands_are_discarded),
        WITH_POOL(mlir_nary_fold_keeps_the_condition),
        WITH_POOL(mlir_nary_unknown_does_not_hide_two_dynamic_sizes),
        WITH_POOL(mlir_needs_an_operand),
        WITH_POOL(mlir_verify_dynamic_dynamic_is_ok),
        WITH_POOL(mlir_verify_dynamic_static_is_an_error),
        WITH_POOL(mlir_verify_static_dynamic_is_ok),
        WITH_POOL(mlir_verify_static_static_is_ok_if_equal),
        WITH_POOL(mlir_correct_exact_match_of_static_sizes),
        WITH_POOL(mlir_correct_dynamic_sizes_match),
        WITH_POOL(mlir_correct_1_is_broadcast_to_4),
        WITH_POOL(mlir_correct_inferred_4_declared_dynamic),
        WITH_POOL(mlir_correct_4_expands_to_1x1x4_then_2x3x4),
        WITH_POOL(mlir_correct_element_types_differ),
        WITH_POOL(mlir_correct_unranked_result),
        WITH_POOL(mlir_correct_all_operands_unranked),
        WITH_POOL(mlir_incorrect_3_with_2),
        WITH_POOL(mlir_incorrect_result_rank_1x3_for_3),
        WITH_POOL(mlir_incorrect_inferred_dynamic_declared_4),
        WITH_POOL(mlir_incorrect_inferred_2_declared_4),
        WITH_POOL(mlir_incorrect_results_do_not_broadcast_1_to_4),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
