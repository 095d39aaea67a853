/* Expand, Broadcast, BroadcastInDim, Reshape and similar, Transpose, Slice, Split: as views and as copies. */
#include "kernel_case.h"

static int pick(int n) {
    return rand() % n;
}

static void expand_is_a_view_in_every_type(void **state) {
    (void)state;
    const ob_op *newest = ob__op_find("", "Expand", 0);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++) {
        if (!kc_takes(newest, (ob_dtype)dtype)) continue;
        kernel_case *c = kc_open("Expand", 0);
        kc_random_bytes(kc_in(c, 0, (ob_dtype)dtype, DIMS(3, 1)));
        kc_in_ints(c, 1, INTS(2, 1, 4));
        kc_out(c, 0, (ob_dtype)dtype, DIMS(2, 3, 4));
        kc_run(c);
        assert_true(c->was_view);
        assert_int_equal(c->out[0].strides[0], 0);
        assert_int_equal(c->out[0].strides[2], 0);
        for (int pass = 0; pass < 2; pass++) {
            for (int64_t i = 0; i < 24; i++) assert_true(kc_same_element(&c->out[0], i, &c->in[0], i / 4 % 3));
            kc_run_copy(c);
        }
        kc_close(c);
    }
}

static void broadcast_gives_all_the_common_shape(void **state) {
    (void)state;
    kernel_case *c = kc_open_in("onnx_broadcast", "Broadcast", 1);
    kc_random_bytes(kc_in(c, 0, OB_FLOAT, DIMS(2, 1)));
    kc_random_bytes(kc_in(c, 1, OB_INT8, DIMS(3)));
    kc_random_bytes(kc_in(c, 2, OB_STRING, SCALAR));
    kc_out(c, 0, OB_FLOAT, DIMS(2, 3));
    kc_out(c, 1, OB_INT8, DIMS(2, 3));
    kc_out(c, 2, OB_STRING, DIMS(2, 3));
    kc_run(c);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < 6; i++) {
            assert_true(kc_same_element(&c->out[0], i, &c->in[0], i / 3));
            assert_true(kc_same_element(&c->out[1], i, &c->in[1], i % 3));
            assert_true(kc_same_element(&c->out[2], i, &c->in[2], 0));
        }
        kc_run_copy(c);
    }
    kc_close(c);
    c = kc_open_in("onnx_broadcast", "Broadcast", 1);
    kc_in(c, 0, OB_FLOAT, DIMS(2));
    kc_out(c, 0, OB_FLOAT, DIMS(3));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    assert_int_equal(c->error.axis, 0);
    kc_close(c);
}

static void broadcast_in_dim_maps_dimensions(void **state) {
    (void)state;
    kernel_case *c = kc_open_in("onnx_broadcast", "BroadcastInDim", 1);
    kc_ints(c, "broadcast_dimensions", INTS(1, 2));
    kc_random_bytes(kc_in(c, 0, OB_INT16, DIMS(1, 2)));
    kc_out(c, 0, OB_INT16, DIMS(4, 3, 2));
    kc_run(c);
    for (int64_t i = 0; i < 24; i++) assert_true(kc_same_element(&c->out[0], i, &c->in[0], i % 2));
    kc_ints(c, "broadcast_dimensions", INTS(2, 1));
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_ints(c, "broadcast_dimensions", INTS(1, 3));
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_ints(c, "broadcast_dimensions", INTS(0, 1));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
}

/* A reshape of a transposed or stretched tensor is a view if and only if that is possible; the result is correct in both
 * cases. */
static void reshape_follows_strides(void **state) {
    (void)state;
    srand(3);
    int views = 0, copies = 0;
    for (int round = 0; round < 400; round++) {
        int64_t pool[6], n = 1;
        int32_t n_pool = 1 + pick(5);
        for (int32_t i = 0; i < n_pool; i++) n *= pool[i] = 1 + pick(3);
        kernel_case *c = kc_open("Reshape", 13);
        ob_view *in = kc_in(c, 0, OB_INT32, n_pool, pool);
        kc_random_bytes(in);
        for (int32_t swaps = pick(3); swaps > 0; swaps--) { /* permute the input's axes */
            int32_t a = pick(n_pool), b = pick(n_pool);
            int64_t dim = in->dims[a], stride = in->strides[a];
            in->dims[a] = in->dims[b];
            in->strides[a] = in->strides[b];
            in->dims[b] = dim;
            in->strides[b] = stride;
        }
        if (pick(4) == 0) in->strides[pick(n_pool)] = 0;
        int64_t dims[6];
        int32_t rank = 0;
        for (int64_t rest = n; rest > 1 || rank == 0;) {
            int64_t d = 1 + pick(6);
            if (rank == 5) d = rest;
            if (rest % d != 0) continue;
            dims[rank++] = d;
            rest /= d;
            if (rank == 6) break;
        }
        kc_in_ints(c, 1, dims, (uint32_t)rank);
        kc_out(c, 0, OB_INT32, rank, dims);
        if (ob__count(&c->out[0]) == n) {
            kc_run(c);
            if (c->was_view)
                views++;
            else
                copies++;
            for (int64_t i = 0; i < n; i++) assert_true(kc_same_element(&c->out[0], i, in, i));
        }
        kc_close(c);
    }
    assert_true(views > 50 && copies > 20);
}

static void reshape_of_nothing_and_of_scalars(void **state) {
    (void)state;
    kernel_case *c = kc_open("Flatten", 13);
    kc_in(c, 0, OB_FLOAT, DIMS(3, 0, 2));
    kc_out(c, 0, OB_FLOAT, DIMS(1, 0));
    kc_run(c);
    assert_true(c->was_view);
    kc_close(c);
    c = kc_open("Squeeze", 13);
    kc_set(kc_in(c, 0, OB_FLOAT, DIMS(1, 1)), 0, 7);
    kc_out(c, 0, OB_FLOAT, SCALAR);
    kc_run(c);
    assert_true(c->was_view && kc_get(&c->out[0], 0) == 7);
    kc_close(c);
    c = kc_open("Unsqueeze", 13);
    kc_set(kc_in(c, 0, OB_FLOAT, SCALAR), 0, 7);
    kc_in_ints(c, 1, INTS(0, 1));
    kc_out(c, 0, OB_FLOAT, DIMS(1, 1));
    kc_run(c);
    assert_true(kc_get(&c->out[0], 0) == 7);
    kc_close(c);
    c = kc_open("Reshape", 13);
    kc_in(c, 0, OB_FLOAT, DIMS(3));
    kc_in_ints(c, 1, INTS(4));
    kc_out(c, 0, OB_FLOAT, DIMS(4));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
}

static void transpose_of_random_shapes(void **state) {
    (void)state;
    srand(5);
    static const ob_dtype types[] = {OB_INT8, OB_FLOAT16, OB_FLOAT, OB_COMPLEX64, OB_STRING};
    for (int round = 0; round < 300; round++) {
        int32_t rank = pick(5);
        int64_t dims[4], out_dims[4], perm[4];
        for (int32_t a = 0; a < rank; a++) {
            dims[a] = pick(12) == 0 ? 0 : 1 + pick(round % 10 == 0 ? 40 : 5);
            perm[a] = a;
        }
        for (int32_t a = 0; a < rank; a++) {
            int32_t b = pick(rank);
            int64_t p = perm[a];
            perm[a] = perm[b];
            perm[b] = p;
        }
        for (int32_t a = 0; a < rank; a++) out_dims[a] = dims[perm[a]];
        kernel_case *c = kc_open("Transpose", 21);
        kc_random_bytes(kc_in(c, 0, types[round % 5], rank, dims));
        kc_ints(c, "perm", perm, (uint32_t)rank);
        kc_out(c, 0, types[round % 5], rank, out_dims);
        kc_run(c);
        assert_true(c->was_view);
        for (int pass = 0; pass < 2; pass++) {
            int64_t n = ob__count(&c->out[0]);
            for (int64_t i = 0; i < n; i++) {
                int64_t rest = i, from = 0, index[4];
                for (int32_t a = rank - 1; a >= 0; a--) {
                    index[perm[a]] = rest % out_dims[a];
                    rest /= out_dims[a];
                }
                for (int32_t a = 0; a < rank; a++) from = from * dims[a] + index[a];
                assert_true(kc_same_element(&c->out[0], i, &c->in[0], from));
            }
            kc_run_copy(c);
        }
        kc_close(c);
    }
}

/* Slice along one axis compared with the definition: start, start + step, ... */
static void slice_with_any_step(void **state) {
    (void)state;
    for (int64_t dim = 0; dim <= 4; dim++)
        for (int64_t start = -6; start <= 6; start++)
            for (int64_t end = -6; end <= 6; end++)
                for (int64_t step = -3; step <= 3; step++) {
                    if (step == 0) continue;
                    int64_t s = start < 0 ? start + dim : start, e = end < 0 ? end + dim : end, n = 0, first = 0;
                    if (step > 0) {
                        s = s < 0 ? 0 : s;
                        e = e > dim ? dim : e;
                    } else {
                        s = s >= dim ? dim - 1 : s < 0 && dim > 0 ? 0 : s;
                        e = e < -1 ? -1 : e;
                    }
                    first = s;
                    for (int64_t i = s; step > 0 ? i < e : i > e && i >= 0; i += step) n++;
                    kernel_case *c = kc_open("Slice", 13);
                    kc_random_bytes(kc_in(c, 0, OB_INT16, 2, (int64_t[]){2, dim}));
                    kc_in_ints(c, 1, &start, 1);
                    kc_in_ints(c, 2, &end, 1);
                    kc_in_ints(c, 3, INTS(-1));
                    kc_in_ints(c, 4, &step, 1);
                    kc_out(c, 0, OB_INT16, 2, (int64_t[]){2, n});
                    kc_run(c);
                    for (int64_t i = 0; i < 2 * n; i++)
                        assert_true(kc_same_element(&c->out[0], i, &c->in[0], i / n * dim + first + i % n * step));
                    kc_close(c);
                }
}

static void slice_bounds_that_come_late_or_are_huge(void **state) {
    (void)state;
    kernel_case *c = kc_open("Slice", 13);
    c->hide_inputs_from_plan = true;
    kc_random_bytes(kc_in(c, 0, OB_DOUBLE, DIMS(5)));
    kc_in_ints(c, 1, INTS(INT64_MAX));
    kc_in_ints(c, 2, INTS(INT64_MIN));
    kc_in_ints(c, 3, INTS(0));
    kc_in_ints(c, 4, INTS(-2));
    kc_out(c, 0, OB_DOUBLE, DIMS(3));
    kc_run(c);
    assert_false(c->was_view);
    for (int64_t i = 0; i < 3; i++) assert_true(kc_same_element(&c->out[0], i, &c->in[0], 4 - 2 * i));
    kc_in_ints(c, 4, INTS(INT64_MIN));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_out(c, 0, OB_DOUBLE, DIMS(1));
    kc_run(c);
    assert_true(kc_same_element(&c->out[0], 0, &c->in[0], 4));
    kc_in_ints(c, 4, INTS(0));
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_close(c);
}

static void split_into_uneven_parts(void **state) {
    (void)state;
    kernel_case *c = kc_open("Split", 13);
    kc_int(c, "axis", -2);
    kc_random_bytes(kc_in(c, 0, OB_UINT8, DIMS(2, 5, 3)));
    kc_out(c, 0, OB_UINT8, DIMS(2, 1, 3));
    kc_out(c, 1, OB_UINT8, DIMS(2, 0, 3));
    kc_out(c, 2, OB_UINT8, DIMS(2, 4, 3));
    kc_run(c);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < 6; i++) assert_true(kc_same_element(&c->out[0], i, &c->in[0], i / 3 * 15 + i % 3));
        for (int64_t i = 0; i < 24; i++) assert_true(kc_same_element(&c->out[2], i, &c->in[0], i / 12 * 15 + 3 + i % 12));
        kc_run_copy(c);
    }
    kc_out(c, 2, OB_UINT8, DIMS(2, 5, 3));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
}

static void bit_cast_keeps_bits(void **state) {
    (void)state;
    kernel_case *c = kc_open("BitCast", 26);
    kc_random_bytes(kc_in(c, 0, OB_FLOAT, DIMS(2, 3)));
    kc_out(c, 0, OB_INT32, DIMS(2, 3));
    kc_run(c);
    assert_true(c->was_view);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < 6; i++) assert_memory_equal(kc_at(&c->out[0], i), kc_at(&c->in[0], i), 4);
        kc_run_copy(c);
    }
    kc_close(c);
    /* In memory 15 of 4 bits is 0x0f, -1 is 0xff. */
    static const struct {
        ob_dtype from, to;
        uint8_t in, out;
    } cases[] = {{OB_UINT4, OB_INT4, 0x0f, 0xff},     {OB_INT4, OB_UINT4, 0xf8, 0x08}, {OB_UINT2, OB_INT2, 0x02, 0xfe},
                 {OB_UINT4, OB_INT4, 0x07, 0x07},     {OB_UINT8, OB_BOOL, 0x40, 0x01}, {OB_UINT8, OB_INT8, 0x81, 0x81},
                 {OB_INT4, OB_FLOAT4E2M1, 0xff, 0x0f}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        c = kc_open("BitCast", 26);
        kc_in(c, 0, cases[i].from, DIMS(3));
        memset(c->in[0].data, cases[i].in, 3);
        kc_out(c, 0, cases[i].to, DIMS(3));
        kc_run(c);
        for (int64_t k = 0; k < 3; k++) assert_int_equal(*(const uint8_t *)kc_at(&c->out[0], k), cases[i].out);
        kc_close(c);
    }
    c = kc_open("BitCast", 26);
    kc_in(c, 0, OB_FLOAT, DIMS(2));
    kc_out(c, 0, OB_INT64, DIMS(2));
    assert_int_equal(kc_try(c), OB_E_TYPE);
    kc_close(c);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expand_is_a_view_in_every_type),
        cmocka_unit_test(broadcast_gives_all_the_common_shape),
        cmocka_unit_test(broadcast_in_dim_maps_dimensions),
        cmocka_unit_test(reshape_follows_strides),
        cmocka_unit_test(reshape_of_nothing_and_of_scalars),
        cmocka_unit_test(transpose_of_random_shapes),
        cmocka_unit_test(slice_with_any_step),
        cmocka_unit_test(slice_bounds_that_come_late_or_are_huge),
        cmocka_unit_test(split_into_uneven_parts),
        cmocka_unit_test(bit_cast_keeps_bits),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
