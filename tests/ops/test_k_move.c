/* Kernels that select, place and copy elements (Concat, Tile, Gather, Scatter, Pad and similar), compared with evaluation index
 * by index. */
#include "kernel_case.h"

static int pick(int n) {
    return rand() % n;
}

/* Row-major index -> coordinates and back. */
static void unflatten(int64_t flat, int32_t rank, const int64_t *dims, int64_t *index) {
    for (int32_t a = rank - 1; a >= 0; a--) {
        index[a] = flat % dims[a];
        flat /= dims[a];
    }
}
static int64_t flatten(int32_t rank, const int64_t *dims, const int64_t *index) {
    int64_t flat = 0;
    for (int32_t a = 0; a < rank; a++) flat = flat * dims[a] + index[a];
    return flat;
}

static void concat_in_every_type(void **state) {
    (void)state;
    srand(31);
    const ob_op *newest = ob__op_find("", "Concat", 0);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        for (int32_t axis = 0; axis < 3; axis++) {
            if (!kc_takes(newest, (ob_dtype)dtype)) continue;
            kernel_case *c = kc_open("Concat", 13);
            kc_int(c, "axis", axis - 3);
            int64_t dims[3] = {2, 3, 2}, sizes[3] = {2, 0, 1};
            for (uint32_t i = 0; i < 3; i++) {
                dims[axis] = sizes[i];
                kc_random_bytes(kc_in(c, i, (ob_dtype)dtype, 3, dims));
            }
            dims[axis] = 3;
            kc_out(c, 0, (ob_dtype)dtype, 3, dims);
            kc_run(c);
            for (int64_t i = 0; i < ob__count(&c->out[0]); i++) {
                int64_t index[3];
                unflatten(i, 3, dims, index);
                uint32_t from = index[axis] < 2 ? 0 : 2;
                index[axis] -= from;
                assert_true(kc_same_element(&c->out[0], i, &c->in[from], flatten(3, c->in[from].dims, index)));
            }
            dims[axis] = 4;
            kc_out(c, 0, (ob_dtype)dtype, 3, dims);
            assert_int_equal(kc_try(c), OB_E_SHAPE);
            kc_close(c);
        }
}

static void tile_repeats(void **state) {
    (void)state;
    srand(32);
    for (int round = 0; round < 100; round++) {
        int32_t rank = pick(4);
        int64_t dims[3], out_dims[3], repeats[3];
        for (int32_t a = 0; a < rank; a++) out_dims[a] = (dims[a] = 1 + pick(3)) * (repeats[a] = pick(8) ? 1 + pick(3) : 0);
        kernel_case *c = kc_open("Tile", 13);
        kc_random_bytes(kc_in(c, 0, OB_INT16, rank, dims));
        kc_in_ints(c, 1, repeats, (uint32_t)rank);
        kc_out(c, 0, OB_INT16, rank, out_dims);
        kc_run(c);
        for (int64_t i = 0; i < ob__count(&c->out[0]); i++) {
            int64_t index[3];
            unflatten(i, rank, out_dims, index);
            for (int32_t a = 0; a < rank; a++) index[a] %= dims[a];
            assert_true(kc_same_element(&c->out[0], i, &c->in[0], flatten(rank, dims, index)));
        }
        kc_close(c);
    }
}

static void depth_to_space_and_back(void **state) {
    (void)state;
    for (int crd = 0; crd < 2; crd++) {
        kernel_case *c = kc_open("DepthToSpace", 13);
        kc_int(c, "blocksize", 2);
        kc_string(c, "mode", crd ? "CRD" : "DCR");
        kc_random_bytes(kc_in(c, 0, OB_FLOAT, DIMS(2, 12, 3, 2)));
        kc_out(c, 0, OB_FLOAT, DIMS(2, 3, 6, 4));
        kc_run(c);
        for (int64_t i = 0; i < 2 * 3 * 6 * 4; i++) {
            int64_t o[4];
            unflatten(i, 4, c->out[0].dims, o);
            int64_t cell = o[2] % 2 * 2 + o[3] % 2, channel = crd ? o[1] * 4 + cell : cell * 3 + o[1];
            int64_t from[4] = {o[0], channel, o[2] / 2, o[3] / 2};
            assert_true(kc_same_element(&c->out[0], i, &c->in[0], flatten(4, c->in[0].dims, from)));
        }
        if (!crd) {
            kernel_case *back = kc_open("SpaceToDepth", 13);
            kc_int(back, "blocksize", 2);
            ob_view *in = kc_in(back, 0, OB_FLOAT, DIMS(2, 3, 6, 4));
            memcpy(in->data, c->out[0].data, 2 * 3 * 6 * 4 * sizeof(float));
            kc_out(back, 0, OB_FLOAT, DIMS(2, 12, 3, 2));
            kc_run(back);
            assert_memory_equal(back->out[0].data, c->in[0].data, 2 * 3 * 6 * 4 * sizeof(float));
            kc_close(back);
        }
        kc_int(c, "blocksize", 3);
        assert_int_equal(kc_try(c), OB_E_SHAPE);
        kc_int(c, "blocksize", 0);
        assert_int_equal(kc_try(c), OB_E_ARGUMENT);
        kc_close(c);
    }
}

static void gather_in_every_type(void **state) {
    (void)state;
    srand(33);
    const ob_op *newest = ob__op_find("", "Gather", 0);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        for (int32_t axis = 0; axis < 3; axis++) {
            if (!kc_takes(newest, (ob_dtype)dtype)) continue;
            kernel_case *c = kc_open("Gather", 13);
            kc_int(c, "axis", axis);
            int64_t dims[3] = {3, 4, 2}, out_dims[4], n = dims[axis];
            kc_random_bytes(kc_in(c, 0, (ob_dtype)dtype, 3, dims));
            kc_random(kc_in(c, 1, axis ? OB_INT64 : OB_INT32, DIMS(2, 2)), -(int)n, (int)n - 1);
            int32_t rank = 0;
            for (int32_t a = 0; a < 3; a++) {
                if (a == axis) out_dims[rank++] = 2;
                out_dims[rank++] = a == axis ? 2 : dims[a];
            }
            kc_out(c, 0, (ob_dtype)dtype, 4, out_dims);
            kc_run(c);
            for (int64_t i = 0; i < ob__count(&c->out[0]); i++) {
                int64_t o[4], from[3];
                unflatten(i, 4, out_dims, o);
                for (int32_t a = 0; a < 3; a++) from[a] = o[a <= axis ? a : a + 1];
                int64_t at = (int64_t)kc_get(&c->in[1], o[axis] * 2 + o[axis + 1]);
                from[axis] = at < 0 ? at + n : at;
                assert_true(kc_same_element(&c->out[0], i, &c->in[0], flatten(3, dims, from)));
            }
            kc_set(&c->in[1], 3, (double)n);
            assert_int_equal(kc_try(c), OB_E_ARGUMENT);
            assert_int_equal(c->error.axis, axis);
            kc_set(&c->in[1], 3, (double)(-n - 1));
            assert_int_equal(kc_try(c), OB_E_ARGUMENT);
            kc_close(c);
        }
}

static void gather_elements_and_nd(void **state) {
    (void)state;
    srand(34);
    for (int32_t axis = 0; axis < 2; axis++) {
        kernel_case *c = kc_open("GatherElements", 13);
        kc_int(c, "axis", axis - 2);
        int64_t dims[2] = {3, 4}, picked[2] = {2, 3};
        kc_random_bytes(kc_in(c, 0, OB_STRING, 2, dims));
        kc_random(kc_in(c, 1, OB_INT64, 2, picked), -(int)dims[axis], (int)dims[axis] - 1);
        kc_out(c, 0, OB_STRING, 2, picked);
        kc_run(c);
        for (int64_t i = 0; i < 6; i++) {
            int64_t o[2];
            unflatten(i, 2, picked, o);
            int64_t at = (int64_t)kc_get(&c->in[1], i);
            o[axis] = at < 0 ? at + dims[axis] : at;
            assert_true(kc_same_element(&c->out[0], i, &c->in[0], flatten(2, dims, o)));
        }
        kc_set(&c->in[1], 5, 99);
        assert_int_equal(kc_try(c), OB_E_ARGUMENT);
        kc_close(c);
    }
    kernel_case *c = kc_open("GatherND", 13);
    kc_int(c, "batch_dims", 1);
    kc_random_bytes(kc_in(c, 0, OB_UINT8, DIMS(2, 3, 4)));
    kc_random(kc_in(c, 1, OB_INT64, DIMS(2, 5, 1)), -3, 2);
    kc_out(c, 0, OB_UINT8, DIMS(2, 5, 4));
    kc_run(c);
    for (int64_t i = 0; i < 40; i++) {
        int64_t at = (int64_t)kc_get(&c->in[1], i / 4);
        assert_true(kc_same_element(&c->out[0], i, &c->in[0], i / 20 * 12 + (at < 0 ? at + 3 : at) * 4 + i % 4));
    }
    kc_set(&c->in[1], 0, 3);
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_close(c);
}

static double combined(const char *reduction, double y, double x, bool is_bool) {
    if (strcmp(reduction, "add") == 0) return is_bool ? y || x : y + x;
    if (strcmp(reduction, "mul") == 0) return y * x;
    if (strcmp(reduction, "max") == 0) return y > x ? y : x;
    if (strcmp(reduction, "min") == 0) return y < x ? y : x;
    return x;
}

static void scatter_with_every_reduction(void **state) {
    (void)state;
    srand(35);
    static const char *const reductions[] = {"none", "add", "mul", "max", "min"};
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++) {
        if (!kc_takes(ob__op_find("", "ScatterElements", 0), (ob_dtype)dtype)) continue;
        if (dtype == OB_STRING || dtype == OB_COMPLEX64 || dtype == OB_COMPLEX128) continue;
        for (int k = 0; k < 5; k++) {
            int high = dtype == OB_BOOL ? 1 : 3;
            kernel_case *c = kc_open("ScatterElements", 18);
            kc_string(c, "reduction", reductions[k]);
            kc_int(c, "axis", 1);
            kc_random(kc_in(c, 0, (ob_dtype)dtype, DIMS(3, 4)), 0, high);
            kc_random(kc_in(c, 1, OB_INT32, DIMS(2, 3)), -4, 3);
            kc_random(kc_in(c, 2, (ob_dtype)dtype, DIMS(2, 3)), 0, high);
            kc_out(c, 0, (ob_dtype)dtype, DIMS(3, 4));
            kc_run(c);
            double expected[12];
            for (int i = 0; i < 12; i++) expected[i] = kc_get(&c->in[0], i);
            for (int i = 0; i < 6; i++) {
                int at = (int)kc_get(&c->in[1], i);
                double *y = &expected[i / 3 * 4 + (at < 0 ? at + 4 : at)];
                *y = combined(reductions[k], *y, kc_get(&c->in[2], i), dtype == OB_BOOL);
            }
            for (int i = 0; i < 12; i++) kc_near(kc_get(&c->out[0], i), expected[i], 0);
            kc_set(&c->in[1], 1, 4);
            assert_int_equal(kc_try(c), OB_E_ARGUMENT);
            kc_close(c);

            c = kc_open("ScatterND", 18);
            kc_string(c, "reduction", reductions[k]);
            kc_random(kc_in(c, 0, (ob_dtype)dtype, DIMS(3, 4)), 0, high);
            kc_random(kc_in(c, 1, OB_INT64, DIMS(4, 1)), -3, 2);
            kc_random(kc_in(c, 2, (ob_dtype)dtype, DIMS(4, 4)), 0, high);
            kc_out(c, 0, (ob_dtype)dtype, DIMS(3, 4));
            kc_run(c);
            for (int i = 0; i < 12; i++) expected[i] = kc_get(&c->in[0], i);
            for (int i = 0; i < 16; i++) {
                int at = (int)kc_get(&c->in[1], i / 4);
                double *y = &expected[(at < 0 ? at + 3 : at) * 4 + i % 4];
                *y = combined(reductions[k], *y, kc_get(&c->in[2], i), dtype == OB_BOOL);
            }
            for (int i = 0; i < 12; i++) kc_near(kc_get(&c->out[0], i), expected[i], 0);
            kc_set(&c->in[1], 1, -4);
            assert_int_equal(kc_try(c), OB_E_ARGUMENT);
            kc_close(c);
        }
    }
    kernel_case *c = kc_open("ScatterElements", 18);
    kc_string(c, "reduction", "max");
    kc_random_bytes(kc_in(c, 0, OB_STRING, DIMS(2)));
    kc_set(kc_in(c, 1, OB_INT64, DIMS(1)), 0, 1);
    kc_random_bytes(kc_in(c, 2, OB_STRING, DIMS(1)));
    kc_out(c, 0, OB_STRING, DIMS(2));
    assert_int_equal(kc_try(c), OB_E_UNSUPPORTED);
    kc_string(c, "reduction", "none");
    kc_run(c);
    assert_true(kc_same_element(&c->out[0], 1, &c->in[2], 0) && kc_same_element(&c->out[0], 0, &c->in[0], 0));
    kc_close(c);
}

/* NumPy's pad, step by step. */
static int64_t walk(const char *mode, int64_t i, int64_t n) {
    if (strcmp(mode, "edge") == 0) return i < 0 ? 0 : i >= n ? n - 1 : i;
    while (i < 0 || i >= n) {
        if (strcmp(mode, "wrap") == 0)
            i += i < 0 ? n : -n;
        else if (n == 1)
            i = 0;
        else
            i = i < 0 ? -i : 2 * (n - 1) - i;
    }
    return i;
}

static void scatter_lets_nan_win(void **state) {
    (void)state;
    static const ob_dtype dtypes[] = {OB_FLOAT, OB_DOUBLE, OB_FLOAT16, OB_BFLOAT16};
    static const double data[4] = {(double)NAN, 1, (double)NAN, 2}, updates[4] = {1, (double)NAN, (double)NAN, 3};
    for (int round = 0; round < 16; round++) {
        bool max = round & 1, nd = round & 2;
        kernel_case *c = kc_open(nd ? "ScatterND" : "ScatterElements", 18);
        kc_string(c, "reduction", max ? "max" : "min");
        ob_view *in = kc_in(c, 0, dtypes[round / 4], DIMS(4)), *from = kc_in(c, 2, dtypes[round / 4], DIMS(4));
        ob_view *indices = nd ? kc_in(c, 1, OB_INT64, DIMS(4, 1)) : kc_in(c, 1, OB_INT64, DIMS(4));
        for (int64_t i = 0; i < 4; i++) {
            kc_set(in, i, data[i]);
            kc_set(from, i, updates[i]);
            kc_set(indices, i, (double)i);
        }
        kc_out(c, 0, dtypes[round / 4], DIMS(4));
        kc_run(c);
        for (int64_t i = 0; i < 3; i++) assert_true(isnan(kc_get(&c->out[0], i)));
        assert_true(kc_get(&c->out[0], 3) == (max ? 3 : 2));
        kc_close(c);
    }
}

static void pad_in_every_mode(void **state) {
    (void)state;
    srand(36);
    static const char *const modes[] = {"constant", "edge", "reflect", "wrap"};
    static const ob_dtype types[] = {OB_UINT8, OB_FLOAT16, OB_FLOAT, OB_DOUBLE, OB_STRING};
    for (int round = 0; round < 400; round++) {
        const char *mode = modes[round % 4];
        ob_dtype dtype = types[round / 4 % 5];
        int64_t dims[2] = {1 + pick(4), 1 + pick(4)}, out_dims[2], pads[4];
        for (int a = 0; a < 2; a++) {
            do {
                pads[a] = pick(9) - 3;
                pads[2 + a] = pick(9) - 3;
                out_dims[a] = dims[a] + pads[a] + pads[2 + a];
            } while (out_dims[a] < 0);
        }
        kernel_case *c = kc_open("Pad", 21);
        kc_string(c, "mode", mode);
        kc_random_bytes(kc_in(c, 0, dtype, 2, dims));
        bool swapped = round & 1; /* axes given, in reverse order */
        kc_in_ints(c, 1, swapped ? (int64_t[]){pads[1], pads[0], pads[3], pads[2]} : pads, 4);
        kc_random_bytes(kc_in(c, 2, dtype, SCALAR));
        if (swapped) kc_in_ints(c, 3, INTS(-1, 0));
        kc_out(c, 0, dtype, 2, out_dims);
        kc_run(c);
        for (int64_t i = 0; i < ob__count(&c->out[0]); i++) {
            int64_t y = i / out_dims[1] - pads[0], x = i % out_dims[1] - pads[1];
            bool inside = y >= 0 && y < dims[0] && x >= 0 && x < dims[1];
            if (strcmp(mode, "constant") == 0 && !inside) {
                assert_true(kc_same_element(&c->out[0], i, &c->in[2], 0));
                continue;
            }
            y = walk(mode, y, dims[0]);
            x = walk(mode, x, dims[1]);
            assert_true(kc_same_element(&c->out[0], i, &c->in[0], y * dims[1] + x));
        }
        kc_close(c);
    }
}

static void pad_of_nothing_and_hostile_pads(void **state) {
    (void)state;
    kernel_case *c = kc_open("Pad", 13);
    kc_in(c, 0, OB_FLOAT, DIMS(0));
    kc_in_ints(c, 1, INTS(1, 1));
    kc_out(c, 0, OB_FLOAT, DIMS(2));
    kc_run(c);
    assert_true(kc_get(&c->out[0], 0) == 0 && kc_get(&c->out[0], 1) == 0);
    kc_string(c, "mode", "reflect");
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_string(c, "mode", "constant");
    kc_in_ints(c, 1, INTS(INT64_MIN, INT64_MAX));
    assert_true(kc_try(c) != OB_OK);
    kc_string(c, "mode", "sideways");
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_close(c);
    c = kc_open("Pad", 2);
    kc_ints(c, "pads", INTS(1, 0));
    kc_float(c, "value", 2.5f);
    kc_set(kc_in(c, 0, OB_FLOAT16, DIMS(1)), 0, 7);
    kc_out(c, 0, OB_FLOAT16, DIMS(2));
    kc_run(c);
    assert_true(kc_get(&c->out[0], 0) == 2.5 && kc_get(&c->out[0], 1) == 7);
    kc_close(c);
}

static void one_hot_wraps_and_ignores(void **state) {
    (void)state;
    for (int round = -1; round < 5; round++) {
        int64_t opset = round < 2 ? 11 : 9, axis = round < 2 ? round : round - 3; /* no wrap mode before version 11 */
        kernel_case *c = kc_open("OneHot", opset);
        kc_int(c, "axis", axis);
        ob_view *in = kc_in(c, 0, OB_FLOAT, DIMS(4));
        const double indices[4] = {1, -1, 3, -4};
        for (int i = 0; i < 4; i++) kc_set(in, i, indices[i]);
        kc_set(kc_in(c, 1, OB_UINT8, DIMS(1)), 0, 3);
        ob_view *values = kc_in(c, 2, OB_INT32, DIMS(2));
        kc_set(values, 0, 5);
        kc_set(values, 1, 9);
        bool first = axis == 0;
        kc_out(c, 0, OB_INT32, 2, first ? (int64_t[]){3, 4} : (int64_t[]){4, 3});
        kc_run(c);
        for (int i = 0; i < 4; i++)
            for (int d = 0; d < 3; d++) {
                double expected = (i == 0 && d == 1) || (i == 1 && d == 2 && opset == 11) ? 9 : 5;
                kc_near(kc_get(&c->out[0], first ? d * 4 + i : i * 3 + d), expected, 0);
            }
        kc_close(c);
    }
}

static void trilu_keeps_a_triangle(void **state) {
    (void)state;
    for (int upper = 0; upper < 2; upper++)
        for (int64_t k = -6; k <= 6; k++) {
            kernel_case *c = kc_open("Trilu", 14);
            kc_int(c, "upper", upper);
            kc_random(kc_in(c, 0, OB_INT16, DIMS(2, 3, 4)), 1, 9);
            kc_in_ints(c, 1, (int64_t[]){k == 6 ? INT64_MAX : k == -6 ? INT64_MIN : k}, 1);
            kc_out(c, 0, OB_INT16, DIMS(2, 3, 4));
            kc_run(c);
            for (int64_t i = 0; i < 24; i++) {
                int64_t row = i / 4 % 3, column = i % 4;
                bool keep = upper ? column >= row + k : column <= row + k;
                kc_near(kc_get(&c->out[0], i), keep ? kc_get(&c->in[0], i) : 0, 0);
            }
            kc_close(c);
        }
}

static void range_in_every_type(void **state) {
    (void)state;
    const ob_op *op = ob__op_find("", "Range", 0);
    static const double cases[][3] = {{1, 7, 2}, {5, -4, -3}, {3, 3, 1}, {4, 1, 2}, {0, 1, 1}};
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        for (int k = 0; k < 5; k++) {
            if (!kc_takes(op, (ob_dtype)dtype)) continue;
            double n = ceil((cases[k][1] - cases[k][0]) / cases[k][2]);
            int64_t count = n > 0 ? (int64_t)n : 0;
            kernel_case *c = kc_open("Range", 27);
            for (uint32_t i = 0; i < 3; i++) kc_set(kc_in(c, i, (ob_dtype)dtype, SCALAR), 0, cases[k][i]);
            kc_out(c, 0, (ob_dtype)dtype, 1, &count);
            kc_run(c);
            for (int64_t i = 0; i < count; i++) kc_near(kc_get(&c->out[0], i), cases[k][0] + (double)i * cases[k][2], 0);
            kc_set(&c->in[2], 0, 0);
            assert_int_equal(kc_try(c), OB_E_SHAPE);
            kc_close(c);
        }
}

/* In float16 the sum 0.1 + ... + 0.1 would drift; computed in float, every element is the nearest float16. */
static void range_of_narrow_floats(void **state) {
    (void)state;
    for (int narrow = 0; narrow < 2; narrow++) {
        const ob_dtype dtype = narrow ? OB_BFLOAT16 : OB_FLOAT16;
        const double operands[3] = {-2, 60, 0.1};
        kernel_case *c = kc_open("Range", 27);
        float wide[3];
        for (uint32_t i = 0; i < 3; i++) {
            kc_set(kc_in(c, i, dtype, SCALAR), 0, operands[i]);
            wide[i] = (float)kc_get(&c->in[i], 0);
        }
        int64_t count = (int64_t)ceil(((double)wide[1] - (double)wide[0]) / (double)wide[2]);
        ob_view *out = kc_out(c, 0, dtype, 1, &count);
        kc_run(c);
        for (int64_t i = 0; i < count; i++) {
            float x = wide[0] + (float)i * wide[2];
            assert_true(kc_get(out, i) == (double)(narrow ? ob__float_from_bfloat(ob__bfloat_from_float(x))
                                                          : ob__float_from_half(ob__half_from_float(x))));
        }
        kc_int(c, "stash_type", OB_FLOAT16);
        assert_int_equal(kc_try(c), OB_E_UNSUPPORTED);
        kc_close(c);
        c = kc_open("Range", 11);
        for (uint32_t i = 0; i < 3; i++) kc_set(kc_in(c, i, dtype, SCALAR), 0, operands[i]);
        kc_out(c, 0, dtype, DIMS(1));
        assert_int_equal(kc_try(c), OB_E_TYPE);
        kc_close(c);
    }
}

static void eye_shape_and_constants(void **state) {
    (void)state;
    for (int64_t k = -4; k <= 4; k++) {
        kernel_case *c = kc_open("EyeLike", 22);
        kc_int(c, "k", k);
        kc_in(c, 0, OB_INT8, DIMS(3, 2));
        kc_out(c, 0, OB_BFLOAT16, DIMS(3, 2));
        kc_run(c);
        for (int64_t i = 0; i < 6; i++) kc_near(kc_get(&c->out[0], i), i % 2 == i / 2 + k, 0);
        kc_close(c);
    }
    kernel_case *c = kc_open("Shape", 15);
    kc_int(c, "start", -2);
    kc_int(c, "end", 99);
    kc_in(c, 0, OB_FLOAT, DIMS(2, 0, 4));
    kc_out(c, 0, OB_INT64, DIMS(2));
    kc_run(c);
    assert_true(kc_get(&c->out[0], 0) == 0 && kc_get(&c->out[0], 1) == 4);
    kc_close(c);
    c = kc_open("Constant", 13);
    kc_ints(c, "value_ints", INTS(3, 1, 4));
    kc_out(c, 0, OB_INT64, DIMS(3));
    kc_run(c);
    assert_true(kc_get(&c->out[0], 0) == 3 && kc_get(&c->out[0], 2) == 4);
    kc_out(c, 0, OB_INT64, DIMS(2));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
    c = kc_open("ConstantOfShape", 9);
    kc_in_ints(c, 0, INTS(2, 2));
    kc_out(c, 0, OB_FLOAT, DIMS(2, 2));
    kc_run(c);
    for (int i = 0; i < 4; i++) kc_near(kc_get(&c->out[0], i), 0, 0);
    kc_close(c);
}

static void reverse_sequence_in_every_type(void **state) {
    (void)state;
    srand(41);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        for (int64_t time = 0; time < 2; time++) {
            if (!kc_takes(ob__op_find("", "ReverseSequence", 0), (ob_dtype)dtype)) continue;
            kernel_case *c = kc_open("ReverseSequence", 10);
            if (time == 1) {
                kc_int(c, "time_axis", 1);
                kc_int(c, "batch_axis", 0);
            }
            const int64_t dims[3] = {time ? 3 : 4, time ? 4 : 3, 2}, lengths[3] = {4, 0, 3};
            kc_random_bytes(kc_in(c, 0, (ob_dtype)dtype, 3, dims));
            kc_in_ints(c, 1, lengths, 3);
            kc_out(c, 0, (ob_dtype)dtype, 3, dims);
            kc_run(c);
            for (int64_t i = 0; i < 24; i++) {
                int64_t index[3];
                unflatten(i, 3, dims, index);
                int64_t length = lengths[index[1 - time]];
                if (index[time] < length) index[time] = length - 1 - index[time];
                assert_true(kc_same_element(&c->out[0], i, &c->in[0], flatten(3, dims, index)));
            }
            ((int64_t *)c->in[1].data)[1] = 5;
            assert_int_equal(kc_try(c), OB_E_ARGUMENT);
            ((int64_t *)c->in[1].data)[1] = -1;
            assert_int_equal(kc_try(c), OB_E_ARGUMENT);
            kc_int(c, "batch_axis", time);
            assert_int_equal(kc_try(c), OB_E_ARGUMENT);
            kc_close(c);
        }
    kernel_case *c = kc_open("ReverseSequence", 10);
    kc_in(c, 0, OB_FLOAT, DIMS(0, 2));
    kc_in_ints(c, 1, INTS(0, 0));
    kc_out(c, 0, OB_FLOAT, DIMS(0, 2));
    kc_run(c);
    kc_close(c);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concat_in_every_type),
        cmocka_unit_test(tile_repeats),
        cmocka_unit_test(depth_to_space_and_back),
        cmocka_unit_test(reverse_sequence_in_every_type),
        cmocka_unit_test(gather_in_every_type),
        cmocka_unit_test(gather_elements_and_nd),
        cmocka_unit_test(scatter_with_every_reduction),
        cmocka_unit_test(scatter_lets_nan_win),
        cmocka_unit_test(pad_in_every_mode),
        cmocka_unit_test(pad_of_nothing_and_hostile_pads),
        cmocka_unit_test(one_hot_wraps_and_ignores),
        cmocka_unit_test(trilu_keeps_a_triangle),
        cmocka_unit_test(range_in_every_type),
        cmocka_unit_test(range_of_narrow_floats),
        cmocka_unit_test(eye_shape_and_constants),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
