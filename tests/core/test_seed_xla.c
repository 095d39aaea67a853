/* XLA, "Broadcasting": every example with its numbers, the illegal forms, the strict principle. */
#include "shapes.h"

#define AXES(...) ((int64_t[]){__VA_ARGS__})

static void assert_xla(ob_shape lhs, ob_shape rhs, const int64_t *dimensions, size_t n, ob_shape expected) {
    ob_broadcast_result result;
    for (int order = 0; order < 2; order++) { /* the mapping belongs to the operand of lower rank, which may be either */
        const ob_shape *left = order ? &rhs : &lhs, *right = order ? &lhs : &rhs;
        assert_int_equal(ob_broadcast_xla(left, right, dimensions, n, NULL, NULL, NULL, &result, NULL), OB_OK);
        assert_dims(&result, expected);
    }
}

static void assert_xla_fails(ob_shape lhs, ob_shape rhs, const int64_t *dimensions, size_t n, ob_status status,
                             const char *message) {
    ob_broadcast_result result = {.rank = 77};
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_broadcast_xla(&lhs, &rhs, dimensions, n, NULL, NULL, NULL, &result, &error), status);
    assert_string_equal(error.message, message);
    assert_int_equal(result.rank, 77);
}

static ob_view floats(const float *data, ob_shape shape) {
    ob_view view;
    assert_int_equal(ob_view_init(&view, (void *)(uintptr_t)data, OB_FLOAT, shape.rank, shape.dims), OB_OK);
    return view;
}

/* lhs + rhs with broadcast_dimensions for the lower rank, in full: result shape, aligned views, naive sum. */
static void check_sum(const float *lhs_data, ob_shape lhs, const float *rhs_data, ob_shape rhs, const int64_t *dimensions,
                      size_t n, ob_shape expected_shape, const float *expected) {
    assert_xla(lhs, rhs, dimensions, n, expected_shape);
    const ob_shape shapes[2] = {lhs, rhs};
    const float *data[2] = {lhs_data, rhs_data};
    ob_view views[2];
    for (int i = 0; i < 2; i++) {
        ob_view plain = floats(data[i], shapes[i]);
        bool mapped = shapes[i].rank < expected_shape.rank;
        assert_int_equal(
            mapped ? ob_view_broadcast_in_dim(&plain, dimensions, n, expected_shape.rank, expected_shape.dims, &views[i], NULL)
                   : ob_view_broadcast(&plain, expected_shape.rank, expected_shape.dims, &views[i], NULL),
            OB_OK);
    }
    float sum[64];
    int64_t count = count_of(expected_shape.rank, expected_shape.dims);
    assert_true(count <= 64);
    naive_add(&views[0], &views[1], sum);
    for (int64_t i = 0; i < count; i++) assert_true(sum[i] == expected[i]);
}

/* The elements that a mapped view shows. */
static void check_mapped(const float *data, ob_shape shape, const int64_t *dimensions, ob_shape to, const float *expected) {
    ob_view plain = floats(data, shape), mapped;
    assert_int_equal(ob_view_broadcast_in_dim(&plain, dimensions, (size_t)shape.rank, to.rank, to.dims, &mapped, NULL), OB_OK);
    assert_ptr_equal(mapped.data, data); /* nothing is copied */
    int64_t index[OB_MAX_RANK] = {0}, count = count_of(to.rank, to.dims);
    for (int64_t i = 0; i < count; i++) {
        coordinates(i, to.rank, to.dims, index);
        assert_true(*(float *)element_at(&mapped, index) == expected[i]);
    }
}

static const float matrix_2x3[] = {1, 2, 3, 4, 5, 6}, vector_789[] = {7, 8, 9};

/* ---- What is broadcasting? Principles ---- */

static void xla_matrix_2x3_plus_vector_3(void **state) {
    (void)state;
    static const float expected[] = {8, 10, 12, 11, 13, 15};
    check_sum(matrix_2x3, SHAPE(2, 3), vector_789, SHAPE(3), AXES(1), 1, SHAPE(2, 3), expected);
}
static void xla_matrix_2x3_plus_vector_3_without_mapping_is_invalid(void **state) {
    (void)state;
    assert_xla_fails(SHAPE(2, 3), SHAPE(3), NULL, 0, OB_E_SHAPE,
                     "rank 2 (operand 0) and rank 1 (operand 1) differ and no broadcast_dimensions are given");
    assert_xla_fails(SHAPE(3), SHAPE(2, 3), NULL, 0, OB_E_SHAPE,
                     "rank 1 (operand 0) and rank 2 (operand 1) differ and no broadcast_dimensions are given");
}
static void xla_rule_book_refuses_ranks_that_differ(void **state) {
    (void)state;
    const ob_shape operands[] = {SHAPE(2, 3), SHAPE(3), SCALAR, SHAPE(2, 1)};
    break_list breaks = {.n = 0};
    assert_int_equal(ob_rules_check(OB_RULES_XLA, operands, 4, NULL, NULL, collect_break, &breaks, NULL), OB_OK);
    assert_int_equal(breaks.n, 1); /* the vector: the scalar is free, (2,1) is degenerate */
    assert_string_equal(breaks.items[0].id, "OB0311");
    assert_int_equal(breaks.items[0].severity, OB_SEVERITY_ERROR);
    assert_int_equal(breaks.items[0].operand, 1);
    assert_int_equal(breaks.items[0].axis, -1);
}
static void xla_rule_book_notes_where_the_maximum_is_not_numpys(void **state) {
    (void)state;
    const ob_shape operands[] = {SHAPE(2, 0), SHAPE(2, 1)};
    break_list breaks = {.n = 0};
    assert_int_equal(ob_rules_check(OB_RULES_XLA, operands, 2, NULL, NULL, collect_break, &breaks, NULL), OB_OK);
    assert_int_equal(breaks.n, 1);
    assert_string_equal(breaks.items[0].id, "OB0312");
    assert_int_equal(breaks.items[0].axis, 1);
}

/* ---- Scalars ---- */

static void xla_scalar_7_plus_matrix_2x3(void **state) {
    (void)state;
    static const float seven[] = {7}, expected[] = {8, 9, 10, 11, 12, 13};
    check_sum(matrix_2x3, SHAPE(2, 3), seven, SCALAR, NULL, 0, SHAPE(2, 3), expected);
}
static void xla_scalars_broadcast_to_every_rank(void **state) {
    (void)state;
    assert_xla(SCALAR, SCALAR, NULL, 0, SCALAR);
    assert_xla(SCALAR, SHAPE(5), NULL, 0, SHAPE(5));
    assert_xla(SCALAR, SHAPE(0, 4), NULL, 0, SHAPE(0, 4));
    assert_xla(SCALAR, SHAPE(2, 3, 4, 5, 6, 7, 8, 9), NULL, 0, SHAPE(2, 3, 4, 5, 6, 7, 8, 9));
}

/* ---- A vector onto matrices ---- */

static void xla_vector_3_dims_1_onto_2x3(void **state) {
    (void)state;
    static const float expected[] = {7, 8, 9, 7, 8, 9};
    check_mapped(vector_789, SHAPE(3), AXES(1), SHAPE(2, 3), expected);
}
static void xla_vector_3_dims_1_onto_3x3(void **state) {
    (void)state;
    static const float expected[] = {7, 8, 9, 7, 8, 9, 7, 8, 9};
    check_mapped(vector_789, SHAPE(3), AXES(1), SHAPE(3, 3), expected);
    assert_xla(SHAPE(3), SHAPE(3, 3), AXES(1), 1, SHAPE(3, 3));
}
static void xla_vector_3_dims_0_onto_3x3(void **state) {
    (void)state;
    static const float expected[] = {7, 7, 7, 8, 8, 8, 9, 9, 9};
    check_mapped(vector_789, SHAPE(3), AXES(0), SHAPE(3, 3), expected);
    assert_xla(SHAPE(3), SHAPE(3, 3), AXES(0), 1, SHAPE(3, 3));
}
static void xla_matrix_3x4_dims_1_2_onto_2x3x4(void **state) {
    (void)state;
    float data[12], expected[24];
    for (int i = 0; i < 12; i++) data[i] = (float)i;
    for (int i = 0; i < 24; i++) expected[i] = (float)(i % 12);
    check_mapped(data, SHAPE(3, 4), AXES(1, 2), SHAPE(2, 3, 4), expected);
    assert_xla(SHAPE(3, 4), SHAPE(2, 3, 4), AXES(1, 2), 2, SHAPE(2, 3, 4));
}

/* ---- Formal definition: T onto M x N x P x Q with M, N, P, Q = 2, 3, 4, 5 ---- */

static void check_vector_onto_mnpq(int64_t axis) {
    const ob_shape mnpq = SHAPE(2, 3, 4, 5);
    int64_t size = mnpq.dims[axis], wrong = size + 1;
    assert_xla(SHAPE(size), mnpq, AXES(axis), 1, mnpq);
    ob_broadcast_result aligned;
    assert_int_equal(ob_align_in_dim(&SHAPE(size), AXES(axis), 1, 4, &aligned, NULL), OB_OK);
    ob_dim expected[4] = {1, 1, 1, 1};
    expected[axis] = size;
    assert_dims(&aligned, (ob_shape){4, expected});
    /* T must equal the matched dimension */
    ob_broadcast_result result;
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_broadcast_xla(&mnpq, &SHAPE(wrong), AXES(axis), 1, NULL, NULL, NULL, &result, &error), OB_E_SHAPE);
    assert_int_equal(error.axis, axis);
    /* with an open size this is a condition */
    ob_dims *pool = NULL;
    assert_int_equal(ob_dims_create(NULL, &pool), OB_OK);
    condition_list list = {.n = 0};
    const ob_shape open = SHAPE(ob_dim_symbol(pool, "T"));
    assert_int_equal(ob_broadcast_xla(&mnpq, &open, AXES(axis), 1, pool, collect_condition, &list, &result, NULL), OB_OK);
    assert_dims(&result, mnpq);
    assert_int_equal(list.n, 1);
    assert_int_equal(list.operands[0], 1);
    assert_int_equal(list.axes[0], axis);
    char text[32];
    snprintf(text, sizeof text, "T = 1 or T = %d", (int)size);
    assert_condition_text(pool, &list.items[0], text);
    ob_dims_destroy(&pool);
}

static void xla_vector_t_dim_3_onto_mxnxpxq(void **state) {
    (void)state;
    check_vector_onto_mnpq(3);
}
static void xla_vector_t_dim_2_onto_mxnxpxq(void **state) {
    (void)state;
    check_vector_onto_mnpq(2);
}
static void xla_vector_t_dim_1_onto_mxnxpxq(void **state) {
    (void)state;
    check_vector_onto_mnpq(1);
}
static void xla_vector_t_dim_0_onto_mxnxpxq(void **state) {
    (void)state;
    check_vector_onto_mnpq(0);
}

/* A T x V matrix onto two dims of the same array: the elements, one by one. */
static void check_matrix_onto_mnpq(int64_t first, int64_t second) {
    const ob_shape mnpq = SHAPE(2, 3, 4, 5);
    int64_t t = mnpq.dims[first], v = mnpq.dims[second];
    assert_xla(SHAPE(t, v), mnpq, AXES(first, second), 2, mnpq);
    float data[20];
    for (int i = 0; i < 20; i++) data[i] = (float)i;
    ob_view plain = floats(data, SHAPE(t, v)), mapped;
    assert_int_equal(ob_view_broadcast_in_dim(&plain, AXES(first, second), 2, 4, mnpq.dims, &mapped, NULL), OB_OK);
    int64_t index[4];
    for (int64_t i = 0; i < 120; i++) {
        coordinates(i, 4, mnpq.dims, index);
        assert_true(*(float *)element_at(&mapped, index) == data[index[first] * v + index[second]]);
    }
}

static void xla_matrix_txv_dims_2_3_onto_mxnxpxq(void **state) {
    (void)state;
    check_matrix_onto_mnpq(2, 3);
}
static void xla_matrix_txv_dims_1_2_onto_mxnxpxq(void **state) {
    (void)state;
    check_matrix_onto_mnpq(1, 2);
}
static void xla_matrix_txv_dims_0_3_onto_mxnxpxq(void **state) {
    (void)state;
    check_matrix_onto_mnpq(0, 3);
}
static void xla_matrix_txv_other_pairs_onto_mxnxpxq(void **state) {
    (void)state;
    check_matrix_onto_mnpq(0, 1);
    check_matrix_onto_mnpq(0, 2);
    check_matrix_onto_mnpq(1, 3);
}

/* ---- Illegal forms ---- */

static void xla_v_to_n_and_t_to_p_is_illegal(void **state) {
    (void)state;
    assert_xla_fails(SHAPE(4, 3), SHAPE(2, 3, 4, 5), AXES(2, 1), 2, OB_E_ARGUMENT,
                     "broadcast_dimensions must increase: 1 follows 2 at 1");
}
static void xla_v_to_both_p_and_n_is_illegal(void **state) {
    (void)state;
    /* one entry for each dimension: there is no place for a second target of V */
    assert_xla_fails(SHAPE(2, 3), SHAPE(2, 3, 4, 5), AXES(0, 1, 2), 3, OB_E_ARGUMENT,
                     "broadcast_dimensions has 3 entries for an operand of rank 2");
}
static void xla_repeated_dimension_is_illegal(void **state) {
    (void)state;
    assert_xla_fails(SHAPE(3, 3), SHAPE(2, 3, 4, 5), AXES(1, 1), 2, OB_E_ARGUMENT, "broadcast_dimensions repeats 1 at 1");
}
static void xla_dimension_out_of_range_is_illegal(void **state) {
    (void)state;
    assert_xla_fails(SHAPE(3), SHAPE(2, 3), AXES(2), 1, OB_E_ARGUMENT, "broadcast_dimensions[0] is 2, outside of 0 .. 1");
    assert_xla_fails(SHAPE(3), SHAPE(2, 3), AXES(-1), 1, OB_E_ARGUMENT, "broadcast_dimensions[0] is -1, outside of 0 .. 1");
    assert_xla_fails(SHAPE(3), SHAPE(2, 3), AXES(INT64_MAX), 1, OB_E_ARGUMENT,
                     "broadcast_dimensions[0] is 9223372036854775807, outside of 0 .. 1");
}
static void xla_too_few_dimensions_are_illegal(void **state) {
    (void)state;
    assert_xla_fails(SHAPE(2, 3), SHAPE(2, 3, 4), AXES(1), 1, OB_E_ARGUMENT,
                     "broadcast_dimensions has 1 entries for an operand of rank 2");
    assert_xla_fails(SCALAR, SHAPE(2, 3), AXES(1), 1, OB_E_ARGUMENT,
                     "broadcast_dimensions has 1 entries for an operand of rank 0");
}
static void xla_equal_ranks_take_only_the_identity(void **state) {
    (void)state;
    assert_xla(SHAPE(2, 1), SHAPE(2, 3), AXES(0, 1), 2, SHAPE(2, 3));
    assert_xla_fails(SHAPE(2, 2), SHAPE(2, 2), AXES(1, 0), 2, OB_E_ARGUMENT,
                     "operands of equal rank take the identity, broadcast_dimensions[0] is 1");
    assert_xla_fails(SHAPE(2, 2), SHAPE(2, 2), AXES(0), 1, OB_E_ARGUMENT,
                     "broadcast_dimensions has 1 entries for operands of rank 2");
}
static void xla_missing_arguments_are_refused(void **state) {
    (void)state;
    ob_broadcast_result result;
    assert_int_equal(ob_align_in_dim(NULL, NULL, 0, 1, &result, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_align_in_dim(&SCALAR, NULL, 0, 1, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_align_in_dim(&SCALAR, NULL, 1, 1, &result, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_align_in_dim(&SCALAR, NULL, 0, -1, &result, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_align_in_dim(&SCALAR, NULL, 0, OB_MAX_RANK + 1, &result, NULL), OB_E_LIMIT);
    assert_int_equal(ob_broadcast_xla(NULL, &SCALAR, NULL, 0, NULL, NULL, NULL, &result, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_broadcast_xla(&SCALAR, &SCALAR, NULL, 1, NULL, NULL, NULL, &result, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_broadcast_xla(&SHAPE(-2), &SCALAR, NULL, 0, NULL, NULL, NULL, &result, NULL), OB_E_ARGUMENT);
}
static void xla_unknown_rank_gives_unknown_rank(void **state) {
    (void)state;
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_xla(&UNRANKED, &SHAPE(2, 3), AXES(1), 1, NULL, NULL, NULL, &result, NULL), OB_OK);
    assert_int_equal(result.rank, OB_RANK_UNKNOWN);
    assert_int_equal(ob_align_in_dim(&UNRANKED, AXES(1), 1, 3, &result, NULL), OB_OK);
    assert_dims(&result, SHAPE(1, UNKNOWN, 1));
}

/* ---- Degenerate dimensions ---- */

static void xla_2x1_and_2x3_give_2x3(void **state) {
    (void)state;
    assert_xla(SHAPE(2, 1), SHAPE(2, 3), NULL, 0, SHAPE(2, 3));
}
static void xla_1x2x5_and_7x2x5_give_7x2x5(void **state) {
    (void)state;
    assert_xla(SHAPE(1, 2, 5), SHAPE(7, 2, 5), NULL, 0, SHAPE(7, 2, 5));
}
static void xla_7x2x5_and_7x1x5_give_7x2x5(void **state) {
    (void)state;
    assert_xla(SHAPE(7, 2, 5), SHAPE(7, 1, 5), NULL, 0, SHAPE(7, 2, 5));
}
static void xla_7x2x5_and_7x2x6_are_incompatible(void **state) {
    (void)state;
    assert_xla_fails(SHAPE(7, 2, 5), SHAPE(7, 2, 6), NULL, 0, OB_E_SHAPE,
                     "axis 2: 5 (operand 0) does not broadcast with 6 (operand 1)");
}
static void xla_2x1_and_1x3_are_an_outer_operation(void **state) {
    (void)state;
    static const float column[] = {10, 20}, row[] = {1, 2, 3}, expected[] = {11, 12, 13, 21, 22, 23};
    check_sum(column, SHAPE(2, 1), row, SHAPE(1, 3), NULL, 0, SHAPE(2, 3), expected);
}

/* ---- Composition ---- */

static void xla_vector4_dims0_with_1x2(void **state) {
    (void)state;
    static const float vector[] = {1, 2, 3, 4}, row[] = {5, 6}, expected[] = {6, 7, 7, 8, 8, 9, 9, 10};
    check_sum(vector, SHAPE(4), row, SHAPE(1, 2), AXES(0), 1, SHAPE(4, 2), expected);
}
static void xla_vector4_dims0_becomes_4x2(void **state) {
    (void)state;
    static const float vector[] = {1, 2, 3, 4}, expected[] = {1, 1, 2, 2, 3, 3, 4, 4};
    check_mapped(vector, SHAPE(4), AXES(0), SHAPE(4, 2), expected);
}
static void xla_1x2_dims12_with_4x3x1(void **state) {
    (void)state;
    /* the intermediate form is M x 1 x 2 */
    ob_broadcast_result aligned;
    assert_int_equal(ob_align_in_dim(&SHAPE(1, 2), AXES(1, 2), 2, 3, &aligned, NULL), OB_OK);
    assert_dims(&aligned, SHAPE(1, 1, 2));
    static const float matrix[] = {5, 6};
    float cuboid[12], expected[24];
    for (int i = 0; i < 12; i++) cuboid[i] = (float)(100 * i);
    for (int i = 0; i < 24; i++) expected[i] = (float)(100 * (i / 2) + 5 + i % 2);
    check_sum(matrix, SHAPE(1, 2), cuboid, SHAPE(4, 3, 1), AXES(1, 2), 2, SHAPE(4, 3, 2), expected);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xla_matrix_2x3_plus_vector_3),
        cmocka_unit_test(xla_matrix_2x3_plus_vector_3_without_mapping_is_invalid),
        cmocka_unit_test(xla_rule_book_refuses_ranks_that_differ),
        cmocka_unit_test(xla_rule_book_notes_where_the_maximum_is_not_numpys),
        cmocka_unit_test(xla_scalar_7_plus_matrix_2x3),
        cmocka_unit_test(xla_scalars_broadcast_to_every_rank),
        cmocka_unit_test(xla_vector_3_dims_1_onto_2x3),
        cmocka_unit_test(xla_vector_3_dims_1_onto_3x3),
        cmocka_unit_test(xla_vector_3_dims_0_onto_3x3),
        cmocka_unit_test(xla_matrix_3x4_dims_1_2_onto_2x3x4),
        cmocka_unit_test(xla_vector_t_dim_3_onto_mxnxpxq),
        cmocka_unit_test(xla_vector_t_dim_2_onto_mxnxpxq),
        cmocka_unit_test(xla_vector_t_dim_1_onto_mxnxpxq),
        cmocka_unit_test(xla_vector_t_dim_0_onto_mxnxpxq),
        cmocka_unit_test(xla_matrix_txv_dims_2_3_onto_mxnxpxq),
        cmocka_unit_test(xla_matrix_txv_dims_1_2_onto_mxnxpxq),
        cmocka_unit_test(xla_matrix_txv_dims_0_3_onto_mxnxpxq),
        cmocka_unit_test(xla_matrix_txv_other_pairs_onto_mxnxpxq),
        cmocka_unit_test(xla_v_to_n_and_t_to_p_is_illegal),
        cmocka_unit_test(xla_v_to_both_p_and_n_is_illegal),
        cmocka_unit_test(xla_repeated_dimension_is_illegal),
        cmocka_unit_test(xla_dimension_out_of_range_is_illegal),
        cmocka_unit_test(xla_too_few_dimensions_are_illegal),
        cmocka_unit_test(xla_equal_ranks_take_only_the_identity),
        cmocka_unit_test(xla_missing_arguments_are_refused),
        cmocka_unit_test(xla_unknown_rank_gives_unknown_rank),
        cmocka_unit_test(xla_2x1_and_2x3_give_2x3),
        cmocka_unit_test(xla_1x2x5_and_7x2x5_give_7x2x5),
        cmocka_unit_test(xla_7x2x5_and_7x1x5_give_7x2x5),
        cmocka_unit_test(xla_7x2x5_and_7x2x6_are_incompatible),
        cmocka_unit_test(xla_2x1_and_1x3_are_an_outer_operation),
        cmocka_unit_test(xla_vector4_dims0_with_1x2),
        cmocka_unit_test(xla_vector4_dims0_becomes_4x2),
        cmocka_unit_test(xla_1x2_dims12_with_4x3x1),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
