/* The Python array API standard, "Broadcasting": the algorithm step by step, every example, the in-place rule. */
#include "shapes.h"

/* An example that broadcasts: tests the shape, that neither rule book of the array API objects, and the elements of views
 * against the oracle. */
static void check_example(ob_shape a, ob_shape b, ob_shape expected) {
    assert_broadcast(a, b, expected);
    const ob_shape both[2] = {a, b};
    break_list breaks = {.n = 0};
    assert_int_equal(ob_rules_check(OB_RULES_ARRAY_API, both, 2, NULL, NULL, collect_break, &breaks, NULL), OB_OK);
    assert_int_equal(ob_rules_check(OB_RULES_NUMPY, both, 2, NULL, NULL, collect_break, &breaks, NULL), OB_OK);
    assert_int_equal(breaks.n, 0);
    static int32_t elements[2048];
    for (int32_t i = 0; i < 2048; i++) elements[i] = i;
    ob_view views[2];
    for (int i = 0; i < 2; i++) {
        assert_true(count_of(both[i].rank, both[i].dims) <= 2048);
        assert_int_equal(ob_view_init(&views[i], elements, OB_INT32, both[i].rank, both[i].dims), OB_OK);
    }
    assert_int_equal(ob_view_broadcast_all(views, 2, views, NULL), OB_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(views[i].rank, expected.rank);
        assert_memory_equal(views[i].dims, expected.dims, (size_t)expected.rank * sizeof(int64_t));
        assert_shows(&views[i], both[i], elements, sizeof *elements);
    }
}

/* ---- Examples that broadcast ---- */

static void array_api_8x1x6x1_with_7x1x5(void **state) {
    (void)state;
    check_example(SHAPE(8, 1, 6, 1), SHAPE(7, 1, 5), SHAPE(8, 7, 6, 5));
}
static void array_api_5x4_with_1(void **state) {
    (void)state;
    check_example(SHAPE(5, 4), SHAPE(1), SHAPE(5, 4));
}
static void array_api_5x4_with_4(void **state) {
    (void)state;
    check_example(SHAPE(5, 4), SHAPE(4), SHAPE(5, 4));
}
static void array_api_15x3x5_with_15x1x5(void **state) {
    (void)state;
    check_example(SHAPE(15, 3, 5), SHAPE(15, 1, 5), SHAPE(15, 3, 5));
}
static void array_api_15x3x5_with_3x5(void **state) {
    (void)state;
    check_example(SHAPE(15, 3, 5), SHAPE(3, 5), SHAPE(15, 3, 5));
}
static void array_api_15x3x5_with_3x1(void **state) {
    (void)state;
    check_example(SHAPE(15, 3, 5), SHAPE(3, 1), SHAPE(15, 3, 5));
}

/* ---- Examples that do not ---- */

static void array_api_3_with_4_does_not_broadcast(void **state) {
    (void)state;
    assert_no_broadcast(SHAPE(3), SHAPE(4), 0, "3", "4");
}
static void array_api_2x1_with_8x4x3_does_not_broadcast(void **state) {
    (void)state;
    assert_no_broadcast(SHAPE(2, 1), SHAPE(8, 4, 3), 1, "2", "4");
}
static void array_api_15x3x5_with_15x3_does_not_broadcast(void **state) {
    (void)state;
    /* 15 x 3 with 3 x 5: both axes clash, the first is named */
    assert_no_broadcast(SHAPE(15, 3, 5), SHAPE(15, 3), 1, "3", "15");
}

/* ---- The algorithm ---- */

static void array_api_step_6_rank_is_the_maximum(void **state) {
    (void)state;
    check_example(SHAPE(3), SHAPE(2, 3), SHAPE(2, 3));
    check_example(SHAPE(2, 3), SHAPE(3), SHAPE(2, 3));
    check_example(SCALAR, SHAPE(2, 3), SHAPE(2, 3));
    check_example(SCALAR, SCALAR, SCALAR);
}
static void array_api_step_9_2_and_4_missing_axes_count_as_1(void **state) {
    (void)state;
    check_example(SHAPE(4, 3, 2), SHAPE(2), SHAPE(4, 3, 2));
    check_example(SHAPE(2), SHAPE(4, 3, 2), SHAPE(4, 3, 2));
}
static void array_api_step_9_5_d1_is_1_gives_d2(void **state) {
    (void)state;
    check_example(SHAPE(1), SHAPE(7), SHAPE(7));
    check_example(SHAPE(1), SHAPE(0), SHAPE(0));
    check_example(SHAPE(1), SHAPE(1), SHAPE(1));
}
static void array_api_step_9_6_d2_is_1_gives_d1(void **state) {
    (void)state;
    check_example(SHAPE(7), SHAPE(1), SHAPE(7));
    check_example(SHAPE(0), SHAPE(1), SHAPE(0));
}
static void array_api_step_9_7_equal_sizes_stay(void **state) {
    (void)state;
    check_example(SHAPE(7), SHAPE(7), SHAPE(7));
    check_example(SHAPE(0), SHAPE(0), SHAPE(0));
}
static void array_api_step_9_8_anything_else_is_an_error(void **state) {
    (void)state;
    assert_no_broadcast(SHAPE(7), SHAPE(6), 0, "7", "6");
    assert_no_broadcast(SHAPE(0), SHAPE(2), 0, "0", "2");
    assert_no_broadcast(SHAPE(5, 0), SHAPE(5, 3), 1, "0", "3");
}
static void array_api_no_operand_gives_a_scalar(void **state) {
    (void)state;
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_shapes(NULL, 0, NULL, NULL, NULL, &result, NULL), OB_OK);
    assert_int_equal(result.rank, 0);
}

/* ---- In place: x = empty((2, 3, 4)), a = empty((1, 3, 4)) ---- */

typedef struct in_place {
    float x_data[24], a_data[12];
    ob_view x, a;
} in_place;

static void make_in_place(in_place *example) {
    for (int i = 0; i < 24; i++) example->x_data[i] = (float)-i;
    for (int i = 0; i < 12; i++) example->a_data[i] = (float)(100 + i);
    assert_int_equal(ob_view_init(&example->x, example->x_data, OB_FLOAT, 3, DIMS(2, 3, 4)), OB_OK);
    assert_int_equal(ob_view_init(&example->a, example->a_data, OB_FLOAT, 3, DIMS(1, 3, 4)), OB_OK);
}

static void array_api_in_place_x_all_takes_1x3x4(void **state) {
    (void)state;
    in_place example;
    make_in_place(&example);
    assert_int_equal(ob_broadcast_to(&SHAPE(1, 3, 4), &SHAPE(2, 3, 4), NULL, NULL, NULL, NULL), OB_OK);
    ob_view stretched;
    assert_int_equal(ob_view_broadcast(&example.a, 3, DIMS(2, 3, 4), &stretched, NULL), OB_OK);
    assert_int_equal(stretched.strides[0], 0);
    assert_int_equal(ob_view_assign(&example.x, &example.a, NULL), OB_OK); /* x[...] = a */
    for (int i = 0; i < 24; i++) assert_true(example.x_data[i] == example.a_data[i % 12]);
}

static void array_api_in_place_x_1_refuses_1x3x4(void **state) {
    (void)state;
    in_place example;
    make_in_place(&example);
    ob_view row; /* x[1, ...] */
    assert_int_equal(ob_view_init(&row, example.x_data + 12, OB_FLOAT, 2, DIMS(3, 4)), OB_OK);
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_view_assign(&row, &example.a, &error), OB_E_SHAPE); /* x[1, ...] = a */
    assert_string_equal(error.message, "rank 3 (operand 0) does not broadcast to rank 2 (the result)");
    for (int i = 0; i < 24; i++) assert_true(example.x_data[i] == (float)-i);
    assert_int_equal(ob_broadcast_to(&SHAPE(1, 3, 4), &SHAPE(3, 4), NULL, NULL, NULL, &error), OB_E_SHAPE);
}

static void array_api_in_place_never_changes_the_shape(void **state) {
    (void)state;
    in_place example;
    make_in_place(&example);
    /* a[...] = x would have to grow a */
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_view_assign(&example.a, &example.x, &error), OB_E_SHAPE);
    assert_int_equal(error.axis, 0);
    for (int i = 0; i < 12; i++) assert_true(example.a_data[i] == (float)(100 + i));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(array_api_8x1x6x1_with_7x1x5),
        cmocka_unit_test(array_api_5x4_with_1),
        cmocka_unit_test(array_api_5x4_with_4),
        cmocka_unit_test(array_api_15x3x5_with_15x1x5),
        cmocka_unit_test(array_api_15x3x5_with_3x5),
        cmocka_unit_test(array_api_15x3x5_with_3x1),
        cmocka_unit_test(array_api_3_with_4_does_not_broadcast),
        cmocka_unit_test(array_api_2x1_with_8x4x3_does_not_broadcast),
        cmocka_unit_test(array_api_15x3x5_with_15x3_does_not_broadcast),
        cmocka_unit_test(array_api_step_6_rank_is_the_maximum),
        cmocka_unit_test(array_api_step_9_2_and_4_missing_axes_count_as_1),
        cmocka_unit_test(array_api_step_9_5_d1_is_1_gives_d2),
        cmocka_unit_test(array_api_step_9_6_d2_is_1_gives_d1),
        cmocka_unit_test(array_api_step_9_7_equal_sizes_stay),
        cmocka_unit_test(array_api_step_9_8_anything_else_is_an_error),
        cmocka_unit_test(array_api_no_operand_gives_a_scalar),
        cmocka_unit_test(array_api_in_place_x_all_takes_1x3x4),
        cmocka_unit_test(array_api_in_place_x_1_refuses_1x3x4),
        cmocka_unit_test(array_api_in_place_never_changes_the_shape),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
