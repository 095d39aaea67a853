/* Tensor views: making, broadcasting, mapping, assigning. */
#include "shapes.h"

static void views_are_row_major(void **state) {
    (void)state;
    double data[24];
    ob_view view;
    assert_int_equal(ob_view_init(&view, data, OB_DOUBLE, 3, DIMS(2, 3, 4)), OB_OK);
    assert_int_equal(view.strides[0], 96);
    assert_int_equal(view.strides[1], 32);
    assert_int_equal(view.strides[2], 8);
    assert_int_equal(ob_view_count(&view), 24);
    assert_true(ob_view_is_contiguous(&view));
}

static void scalars_and_empty_views(void **state) {
    (void)state;
    int16_t element = 5;
    ob_view view;
    assert_int_equal(ob_view_init(&view, &element, OB_INT16, 0, NULL), OB_OK);
    assert_int_equal(ob_view_count(&view), 1);
    assert_true(ob_view_is_contiguous(&view));
    assert_int_equal(ob_view_init(&view, NULL, OB_INT16, 3, DIMS(4, 0, 5)), OB_OK); /* addresses nothing */
    assert_int_equal(ob_view_count(&view), 0);
    assert_true(ob_view_is_contiguous(&view));
    ob_view stretched;
    assert_int_equal(ob_view_broadcast(&view, 4, DIMS(7, 4, 0, 5), &stretched, NULL), OB_OK);
    assert_int_equal(ob_view_count(&stretched), 0);
    assert_int_equal(ob_view_assign(&view, &view, NULL), OB_OK);
}

static void malformed_views_are_refused(void **state) {
    (void)state;
    int32_t data[4];
    ob_view view = {.rank = 77};
    assert_int_equal(ob_view_init(NULL, data, OB_INT32, 0, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_view_init(&view, NULL, OB_INT32, 1, DIMS(4)), OB_E_ARGUMENT);
    assert_int_equal(ob_view_init(&view, data, OB_NONE, 1, DIMS(4)), OB_E_ARGUMENT);
    assert_int_equal(ob_view_init(&view, data, (ob_dtype)999, 1, DIMS(4)), OB_E_ARGUMENT);
    assert_int_equal(ob_view_init(&view, data, OB_INT32, -1, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_view_init(&view, data, OB_INT32, 1, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_view_init(&view, data, OB_INT32, 1, DIMS(-4)), OB_E_ARGUMENT);
    assert_int_equal(ob_view_init(&view, data, OB_INT32, OB_MAX_RANK + 1, DIMS(1)), OB_E_LIMIT);
    assert_int_equal(ob_view_init(&view, data, OB_INT32, 2, DIMS(INT64_MAX / 2, 4)), OB_E_LIMIT);
    assert_int_equal(ob_view_init(&view, data, OB_INT32, 1, DIMS(INT64_MAX / 2)), OB_E_LIMIT); /* elements fit, bytes do not */
    assert_int_equal(ob_view_init(&view, data, OB_INT32, 3, DIMS(0, INT64_MAX / 2, 8)), OB_E_LIMIT);
    assert_int_equal(view.rank, 77);
}

static void contiguity_ignores_sizes_of_1(void **state) {
    (void)state;
    int32_t data[24];
    ob_view view;
    assert_int_equal(ob_view_init(&view, data, OB_INT32, 4, DIMS(1, 6, 1, 4)), OB_OK);
    view.strides[0] = view.strides[2] = 12345;
    assert_true(ob_view_is_contiguous(&view));
    view.strides[1] = 32;
    assert_false(ob_view_is_contiguous(&view));
    ob_view reversed;
    assert_int_equal(ob_view_init(&reversed, data, OB_INT32, 1, DIMS(4)), OB_OK);
    reversed.strides[0] = -4;
    assert_false(ob_view_is_contiguous(&reversed));
}

static void broadcast_stretches_with_stride_0(void **state) {
    (void)state;
    int32_t data[3] = {1, 2, 3};
    ob_view view, out;
    assert_int_equal(ob_view_init(&view, data, OB_INT32, 2, DIMS(3, 1)), OB_OK);
    assert_int_equal(ob_view_broadcast(&view, 3, DIMS(2, 3, 4), &out, NULL), OB_OK);
    assert_int_equal(out.strides[0], 0);
    assert_int_equal(out.strides[1], 4);
    assert_int_equal(out.strides[2], 0);
    assert_ptr_equal(out.data, data);
    assert_shows(&out, SHAPE(3, 1), data, 4);
    assert_int_equal(ob_view_broadcast(&view, 3, DIMS(2, 3, 4), &view, NULL), OB_OK); /* onto itself */
    assert_memory_equal(view.strides, out.strides, 3 * sizeof(int64_t));
    assert_memory_equal(view.dims, out.dims, 3 * sizeof(int64_t));
}

static void one_way_broadcast_fails_where_the_target_is_smaller(void **state) {
    (void)state;
    int32_t data[12];
    ob_view view, out = {.rank = 77};
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_view_init(&view, data, OB_INT32, 2, DIMS(3, 4)), OB_OK);
    assert_int_equal(ob_view_broadcast(&view, 2, DIMS(3, 1), &out, &error), OB_E_SHAPE);
    assert_int_equal(error.axis, 1);
    assert_string_equal(error.message, "axis 1: 4 (operand 0) does not broadcast to 1 (the result)");
    assert_int_equal(ob_view_broadcast(&view, 1, DIMS(4), &out, &error), OB_E_SHAPE);
    assert_int_equal(error.axis, -1);
    assert_int_equal(ob_view_broadcast(&view, 2, DIMS(3, 0), &out, &error), OB_E_SHAPE);
    assert_int_equal(ob_view_broadcast(&view, 2, DIMS(3, -4), &out, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_view_broadcast(&view, -1, NULL, &out, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_view_broadcast(&view, 3, DIMS(INT64_MAX / 8, 3, 4), &out, &error), OB_E_LIMIT);
    assert_int_equal(ob_view_broadcast(NULL, 2, DIMS(3, 4), &out, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_view_broadcast(&view, 2, DIMS(3, 4), NULL, &error), OB_E_ARGUMENT);
    assert_int_equal(out.rank, 77);
}

static void mapping_follows_broadcast_dimensions(void **state) {
    (void)state;
    int32_t data[4] = {10, 11, 12, 13};
    ob_view view, out;
    assert_int_equal(ob_view_init(&view, data, OB_INT32, 2, DIMS(2, 2)), OB_OK);
    const int64_t dims[3] = {2, 3, 2}, outer[2] = {0, 2}, falling[2] = {2, 0}, middle[2] = {0, 1};
    assert_int_equal(ob_view_broadcast_in_dim(&view, outer, 2, 3, dims, &out, NULL), OB_OK);
    for (int64_t i = 0; i < 12; i++) {
        int64_t index[3];
        coordinates(i, 3, dims, index);
        assert_int_equal(*(int32_t *)element_at(&out, index), data[index[0] * 2 + index[2]]);
    }
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_view_broadcast_in_dim(&view, falling, 2, 3, dims, &out, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_view_broadcast_in_dim(&view, outer, 1, 3, dims, &out, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_view_broadcast_in_dim(&view, middle, 2, 3, dims, &out, &error), OB_E_SHAPE);
    assert_int_equal(error.axis, 1);
    assert_int_equal(ob_view_init(&view, data, OB_INT32, 0, NULL), OB_OK);
    assert_int_equal(ob_view_broadcast_in_dim(&view, NULL, 0, 3, dims, &out, NULL), OB_OK);
    assert_shows(&out, SCALAR, data, 4);
}

static void views_broadcast_all_or_none(void **state) {
    (void)state;
    int32_t data[12];
    ob_view views[3], before[3];
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_view_init(&views[0], data, OB_INT32, 1, DIMS(4)), OB_OK);
    assert_int_equal(ob_view_init(&views[1], data, OB_INT32, 2, DIMS(3, 1)), OB_OK);
    assert_int_equal(ob_view_init(&views[2], data, OB_INT32, 2, DIMS(1, 5)), OB_OK);
    memcpy(before, views, sizeof views);
    assert_int_equal(ob_view_broadcast_all(views, 3, views, &error), OB_E_SHAPE);
    assert_int_equal(error.axis, 1);
    assert_string_equal(error.message, "axis 1: 4 (operand 0) does not broadcast with 5 (operand 2)");
    assert_memory_equal(before, views, sizeof views);
    assert_int_equal(ob_view_broadcast_all(views, 2, views, &error), OB_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(views[i].rank, 2);
        assert_int_equal(views[i].dims[0], 3);
        assert_int_equal(views[i].dims[1], 4);
    }
    /* the operands that an error names keep their place when a later one has a higher rank */
    ob_view four[4];
    assert_int_equal(ob_view_init(&four[0], data, OB_INT32, 1, DIMS(1)), OB_OK);
    assert_int_equal(ob_view_init(&four[1], data, OB_INT32, 1, DIMS(4)), OB_OK);
    assert_int_equal(ob_view_init(&four[2], data, OB_INT32, 2, DIMS(3, 1)), OB_OK);
    assert_int_equal(ob_view_init(&four[3], data, OB_INT32, 1, DIMS(5)), OB_OK);
    assert_int_equal(ob_view_broadcast_all(four, 4, four, &error), OB_E_SHAPE);
    assert_string_equal(error.message, "axis 1: 4 (operand 1) does not broadcast with 5 (operand 3)");
    ob_view huge[2];
    char byte = 0;
    assert_int_equal(ob_view_init(&huge[0], &byte, OB_INT8, 2, DIMS(1, 1)), OB_OK);
    huge[1] = huge[0];
    huge[0].dims[0] = huge[1].dims[1] = INT64_C(1) << 40;
    huge[0].strides[0] = huge[1].strides[1] = 0;
    assert_int_equal(ob_view_broadcast_all(huge, 2, huge, &error), OB_E_LIMIT);
}

static void assignment_copies_through_strides(void **state) {
    (void)state;
    int32_t x_data[12], a_data[3] = {1, 2, 3};
    memset(x_data, 0, sizeof x_data);
    ob_view x, a;
    /* every second column of a 3 x 4, backwards */
    assert_int_equal(ob_view_init(&x, x_data + 3, OB_INT32, 2, DIMS(3, 2)), OB_OK);
    x.strides[0] = 16;
    x.strides[1] = -8;
    assert_int_equal(ob_view_init(&a, a_data, OB_INT32, 2, DIMS(3, 1)), OB_OK);
    assert_int_equal(ob_view_assign(&x, &a, NULL), OB_OK);
    static const int32_t expected[12] = {0, 1, 0, 1, 0, 2, 0, 2, 0, 3, 0, 3};
    assert_memory_equal(x_data, expected, sizeof expected);
    assert_int_equal(ob_view_assign(&x, &x, NULL), OB_OK); /* the same view */
    assert_memory_equal(x_data, expected, sizeof expected);
    ob_view scalar;
    int32_t nine = 9;
    assert_int_equal(ob_view_init(&scalar, &nine, OB_INT32, 0, NULL), OB_OK);
    assert_int_equal(ob_view_assign(&x, &scalar, NULL), OB_OK);
    assert_int_equal(x_data[3] + x_data[1] + x_data[9], 27);
    assert_int_equal(ob_view_assign(&scalar, &scalar, NULL), OB_OK);
    assert_int_equal(nine, 9);
}

static void assignment_refuses_types_and_broadcast_targets(void **state) {
    (void)state;
    int32_t data[4] = {1, 2, 3, 4};
    float numbers[4];
    ob_view x, a, stretched;
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_view_init(&x, data, OB_INT32, 1, DIMS(4)), OB_OK);
    assert_int_equal(ob_view_init(&a, numbers, OB_FLOAT, 1, DIMS(4)), OB_OK);
    assert_int_equal(ob_view_assign(&x, &a, &error), OB_E_TYPE);
    assert_string_equal(error.message, "float is assigned to int32");
    assert_int_equal(ob_view_broadcast(&x, 2, DIMS(3, 4), &stretched, NULL), OB_OK);
    assert_int_equal(ob_view_assign(&stretched, &x, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_view_broadcast(&x, 2, DIMS(1, 4), &stretched, NULL), OB_OK);
    assert_int_equal(ob_view_assign(&stretched, &x, &error), OB_OK); /* stride 0 along a size of 1 moves nothing */
    assert_int_equal(ob_view_assign(NULL, &x, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_view_assign(&x, NULL, &error), OB_E_ARGUMENT);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_row_major),
        cmocka_unit_test(scalars_and_empty_views),
        cmocka_unit_test(malformed_views_are_refused),
        cmocka_unit_test(contiguity_ignores_sizes_of_1),
        cmocka_unit_test(broadcast_stretches_with_stride_0),
        cmocka_unit_test(one_way_broadcast_fails_where_the_target_is_smaller),
        cmocka_unit_test(mapping_follows_broadcast_dimensions),
        cmocka_unit_test(views_broadcast_all_or_none),
        cmocka_unit_test(assignment_copies_through_strides),
        cmocka_unit_test(assignment_refuses_types_and_broadcast_targets),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
