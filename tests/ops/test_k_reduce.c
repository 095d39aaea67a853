/* Reductions, ArgMax/ArgMin, CumSum, Softmax and similar, compared with the definitions. */
#include "core/graph/types.h"
#include "kernel_case.h"

static int pick(int n) {
    return rand() % n;
}

static double finish(const char *op, double sum, double absolute, double square, double product, double high, double low,
                     double exponentials, double n) {
    if (strcmp(op, "ReduceSum") == 0) return sum;
    if (strcmp(op, "ReduceMean") == 0) return sum / n;
    if (strcmp(op, "ReduceL1") == 0) return absolute;
    if (strcmp(op, "ReduceL2") == 0) return sqrt(square);
    if (strcmp(op, "ReduceSumSquare") == 0) return square;
    if (strcmp(op, "ReduceProd") == 0) return product;
    if (strcmp(op, "ReduceMax") == 0) return high;
    if (strcmp(op, "ReduceMin") == 0) return low;
    if (strcmp(op, "ReduceLogSum") == 0) return log(sum);
    return log(exponentials);
}

static const char *const reductions[] = {"ReduceSum",  "ReduceMean", "ReduceL1",  "ReduceL2",     "ReduceSumSquare",
                                         "ReduceProd", "ReduceMax",  "ReduceMin", "ReduceLogSum", "ReduceLogSumExp"};

static void reduce_round(const char *op, ob_dtype dtype) {
    int32_t rank = pick(5);
    int64_t dims[4], out_dims[4], axes[4];
    uint32_t mask = 0, n_axes = 0;
    for (int32_t a = 0; a < rank; a++) {
        out_dims[a] = dims[a] = pick(12) == 0 ? 0 : 1 + pick(pick(8) == 0 ? 11 : 4);
        if (pick(2)) {
            axes[n_axes++] = pick(2) ? a : a - rank;
            mask |= 1u << a;
        }
    }
    if (n_axes == 0) mask = ~0u;
    for (int32_t a = 0; a < rank; a++)
        if (mask >> a & 1) out_dims[a] = 1;
    kernel_case *c = kc_open(op, 0);
    bool product = strcmp(op, "ReduceProd") == 0, is_bool = dtype == OB_BOOL;
    bool is_float = ob__dtype_is_real_or_half(dtype),
         is_unsigned = kc_takes(c->op, dtype) && (dtype == OB_UINT8 || dtype == OB_UINT32 || dtype == OB_UINT64);
    bool logarithm = strncmp(op, "ReduceLog", 9) == 0;
    ob_view *in = kc_in(c, 0, dtype, rank, dims);
    kc_random(in, is_unsigned || is_bool || logarithm ? (logarithm && !is_float) : product ? -1 : -5, is_bool || product ? 1 : 5);
    if (n_axes || pick(2)) {
        if (ob__op_input_types(c->op, 1))
            kc_in_ints(c, 1, axes, n_axes);
        else
            kc_ints(c, "axes", axes, n_axes);
    }
    kc_out(c, 0, dtype, rank, out_dims);
    kc_run(c);
    int64_t n_out = ob__count(&c->out[0]), n_in = ob__count(in);
    for (int64_t o = 0; o < n_out; o++) {
        double sum = 0, absolute = 0, square = 0, prod = 1, high = (double)-INFINITY, low = (double)INFINITY, exponentials = 0;
        int64_t n = 0;
        for (int64_t i = 0; i < n_in; i++) {
            int64_t rest = i, at = 0, scale = 1;
            for (int32_t a = rank - 1; a >= 0; a--) {
                int64_t index = rest % dims[a];
                rest /= dims[a];
                if (!(mask >> a & 1)) at += index * scale;
                scale *= out_dims[a];
            }
            if (at != o) continue;
            double x = kc_get(in, i);
            n++;
            sum += x;
            absolute += fabs(x);
            square += x * x;
            prod *= x;
            high = x > high ? x : high;
            low = x < low ? x : low;
            exponentials += exp(x);
        }
        double expected = finish(op, sum, absolute, square, prod, high, low, exponentials, (double)n),
               got = kc_get(&c->out[0], o);
        if (n == 0 && !is_float) continue; /* see reduce_of_nothing */
        if (is_float)
            kc_near(got, expected, kc_tolerance(dtype) * 2);
        else
            kc_near(got, trunc(expected), 0);
    }
    kc_close(c);
}

static void reduce_random_shapes_in_every_type(void **state) {
    (void)state;
    srand(21);
    for (size_t k = 0; k < sizeof reductions / sizeof reductions[0]; k++)
        for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
            if (kc_takes(ob__op_find("", reductions[k], 0), (ob_dtype)dtype))
                for (int round = 0; round < 60; round++) reduce_round(reductions[k], (ob_dtype)dtype);
}

static double reduce_one(const char *op, ob_dtype dtype, int64_t n, const double *x) {
    kernel_case *c = kc_open(op, 0);
    ob_view *in = kc_in(c, 0, dtype, 1, &n);
    for (int64_t i = 0; i < n; i++) kc_set(in, i, x[i]);
    kc_int(c, "keepdims", 0);
    kc_out(c, 0, dtype, SCALAR);
    kc_run(c);
    double result = kc_get(&c->out[0], 0);
    kc_close(c);
    return result;
}

static void reduce_of_nothing(void **state) {
    (void)state;
    assert_true(reduce_one("ReduceSum", OB_INT32, 0, NULL) == 0);
    assert_true(reduce_one("ReduceProd", OB_INT64, 0, NULL) == 1);
    assert_true(reduce_one("ReduceMax", OB_INT8, 0, NULL) == -128);
    assert_true(reduce_one("ReduceMin", OB_UINT8, 0, NULL) == 255);
    assert_true(reduce_one("ReduceMax", OB_BOOL, 0, NULL) == 0);
    assert_true(reduce_one("ReduceMin", OB_BOOL, 0, NULL) == 1);
    assert_true(isinf(reduce_one("ReduceMin", OB_FLOAT16, 0, NULL)));
    assert_true(isnan(reduce_one("ReduceMean", OB_FLOAT, 0, NULL)));
    assert_true(reduce_one("ReduceLogSumExp", OB_FLOAT, 0, NULL) == (double)-INFINITY);
}

static void reduce_special_values(void **state) {
    (void)state;
    double with_nan[] = {1, (double)NAN, 3, 0, 5, 6, 7, 8, 9, 10, 11};
    for (int64_t n = 2; n <= 11; n++) {
        assert_true(isnan(reduce_one("ReduceMax", OB_FLOAT, n, with_nan)));
        assert_true(isnan(reduce_one("ReduceMin", OB_DOUBLE, n, with_nan)));
    }
    double big[] = {1000, 1000}, wraps[] = {2147483647, 1}, low[] = {(double)-INFINITY, (double)-INFINITY};
    kc_near(reduce_one("ReduceLogSumExp", OB_FLOAT, 2, big), 1000.693147, 1e-6);
    assert_true(reduce_one("ReduceLogSumExp", OB_FLOAT, 2, low) == (double)-INFINITY);
    assert_true(reduce_one("ReduceSum", OB_INT32, 2, wraps) == -2147483648.0);
    double *ones = malloc(5000000 * sizeof *ones); /* more than float can count in steps of 0.1 */
    assert_non_null(ones);
    for (int i = 0; i < 5000000; i++) ones[i] = 0.1;
    kc_near(reduce_one("ReduceSum", OB_FLOAT, 5000000, ones), 5000000 * (double)0.1f, 1e-7);
    free(ones);
}

static void reduce_can_be_told_to_do_nothing(void **state) {
    (void)state;
    kernel_case *c = kc_open("ReduceMax", 18);
    kc_int(c, "noop_with_empty_axes", 1);
    kc_random(kc_in(c, 0, OB_INT32, DIMS(2, 3)), -9, 9);
    kc_out(c, 0, OB_INT32, DIMS(2, 3));
    kc_run(c);
    for (int64_t i = 0; i < 6; i++) assert_true(kc_same_element(&c->out[0], i, &c->in[0], i));
    kc_close(c);
    c = kc_open("ReduceSum", 13);
    kc_in(c, 0, OB_FLOAT, DIMS(2, 3));
    kc_in_ints(c, 1, INTS(2));
    kc_out(c, 0, OB_FLOAT, DIMS(2));
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_close(c);
}

/* Every element separately: the result of finish() on one element. */
static void reduce_over_no_axes(const char *op, ob_dtype dtype, int32_t rank, const int64_t *dims, bool empty_operand) {
    kernel_case *c = kc_open(op, 0);
    bool logarithm = strncmp(op, "ReduceLogSum", 13) == 0, is_float = ob__dtype_is_real_or_half(dtype);
    kc_int(c, "noop_with_empty_axes", 1);
    kc_int(c, "keepdims", rank & 1);
    ob_view *in = kc_in(c, 0, dtype, rank, dims);
    kc_random(in, logarithm || dtype == OB_BOOL || dtype == OB_UINT8 || dtype == OB_UINT32 || dtype == OB_UINT64 ? 1 : -5,
              dtype == OB_BOOL ? 1 : 5);
    if (empty_operand) kc_in(c, 1, OB_INT64, DIMS(0));
    kc_out(c, 0, dtype, rank, dims);
    kc_run(c);
    for (int64_t i = 0; i < ob__count(in); i++) {
        double x = kc_get(in, i), expected = finish(op, x, fabs(x), x * x, x, x, x, exp(x), 1);
        if (strcmp(op, "ReduceLogSumExp") == 0) expected = x;
        kc_near(kc_get(&c->out[0], i), is_float ? expected : trunc(expected), is_float ? kc_tolerance(dtype) : 0);
    }
    kc_close(c);
}

static void reduce_over_no_axes_in_every_type(void **state) {
    (void)state;
    srand(25);
    for (size_t k = 0; k < sizeof reductions / sizeof reductions[0]; k++)
        for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
            if (kc_takes(ob__op_find("", reductions[k], 0), (ob_dtype)dtype))
                for (int empty = 0; empty < 2; empty++) {
                    reduce_over_no_axes(reductions[k], (ob_dtype)dtype, SCALAR, empty);
                    reduce_over_no_axes(reductions[k], (ob_dtype)dtype, DIMS(1), empty);
                    reduce_over_no_axes(reductions[k], (ob_dtype)dtype, DIMS(2, 0, 3), empty);
                    reduce_over_no_axes(reductions[k], (ob_dtype)dtype, DIMS(3, 1, 200), empty);
                }
}

/* noop_with_empty_axes came with the axes operand; before, it is ignored. */
static void reduce_before_noop_with_empty_axes(void **state) {
    (void)state;
    kernel_case *c = kc_open("ReduceMax", 13);
    kc_int(c, "noop_with_empty_axes", 1);
    kc_random(kc_in(c, 0, OB_FLOAT, DIMS(2, 3)), 4, 4);
    kc_out(c, 0, OB_FLOAT, DIMS(1, 1));
    kc_run(c);
    assert_true(kc_get(&c->out[0], 0) == 4);
    kc_close(c);
}

static void argmax_in_every_type(void **state) {
    (void)state;
    srand(22);
    static const char *const ops[] = {"ArgMax", "ArgMin"};
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        for (int round = 0; round < 40; round++) {
            kernel_case *c = kc_open(ops[round & 1], 13);
            if (kc_takes(c->op, (ob_dtype)dtype)) {
                bool last = round & 2;
                int32_t axis = pick(3);
                int64_t dims[3] = {1 + pick(4), 1 + pick(4), 1 + pick(4)}, n = dims[axis];
                kc_int(c, "axis", round & 4 ? axis : axis - 3);
                kc_int(c, "select_last_index", last);
                kc_random(kc_in(c, 0, (ob_dtype)dtype, 3, dims), 0, 3);
                int64_t inner = ob__product(dims, axis + 1, 3), out_dims[3] = {dims[0], dims[1], dims[2]};
                out_dims[axis] = 1;
                kc_out(c, 0, OB_INT64, 3, out_dims);
                kc_run(c);
                for (int64_t o = 0; o < ob__count(&c->out[0]); o++) {
                    int64_t at = 0, base = o / inner * n * inner + o % inner;
                    for (int64_t i = 1; i < n; i++) {
                        double x = kc_get(&c->in[0], base + i * inner), best = kc_get(&c->in[0], base + at * inner);
                        if (round & 1 ? x < best : x > best)
                            at = i;
                        else if (x == best && last)
                            at = i;
                    }
                    assert_int_equal((int64_t)kc_get(&c->out[0], o), at);
                }
            }
            kc_close(c);
        }
}

static void cumsum_and_cumprod_in_every_type(void **state) {
    (void)state;
    srand(23);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        for (int round = 0; round < 48; round++) {
            bool product = round >= 24;
            kernel_case *c = product ? kc_open("CumProd", 26) : kc_open("CumSum", 14);
            if (kc_takes(c->op, (ob_dtype)dtype)) {
                bool exclusive = round & 1, reverse = round & 2;
                int32_t axis = pick(2);
                int64_t dims[2] = {pick(5), 1 + pick(4)}, n = dims[axis], inner = axis ? 1 : dims[1];
                kc_int(c, "exclusive", exclusive);
                kc_int(c, "reverse", reverse);
                kc_random(kc_in(c, 0, (ob_dtype)dtype, 2, dims), 0, 4);
                kc_set(kc_in(c, 1, OB_INT32, SCALAR), 0, axis - 2);
                kc_out(c, 0, (ob_dtype)dtype, 2, dims);
                kc_run(c);
                for (int64_t i = 0; i < dims[0] * dims[1]; i++) {
                    int64_t me = i / inner % n, base = i - me * inner;
                    double sum = product;
                    for (int64_t k = 0; k < n; k++) {
                        if (!((reverse ? k > me : k < me) || (k == me && !exclusive))) continue;
                        double x = kc_get(&c->in[0], base + k * inner);
                        sum = product ? sum * x : sum + x;
                    }
                    kc_near(kc_get(&c->out[0], i), sum, 0);
                }
            }
            kc_close(c);
        }
}

static void softmax_round(const char *op, int64_t opset, ob_dtype dtype) {
    kernel_case *c = kc_open(op, opset);
    if (kc_takes(c->op, dtype)) {
        int64_t dims[3] = {1 + pick(3), pick(9) ? 1 + pick(4) : 0, 1 + pick(20)};
        int32_t axis = pick(3);
        kc_int(c, "axis", opset >= 11 && pick(2) ? axis - 3 : axis);
        kc_random(kc_in(c, 0, dtype, 3, dims), -6, 6);
        kc_out(c, 0, dtype, 3, dims);
        kc_run(c);
        int64_t inner = opset < 13 ? 1 : ob__product(dims, axis + 1, 3), n = opset < 13 ? ob__product(dims, axis, 3) : dims[axis];
        for (int64_t i = 0; i < ob__count(&c->in[0]); i++) {
            int64_t me = i / inner % n, base = i - me * inner, first = 0;
            double sum = 0, high = kc_get(&c->in[0], base);
            for (int64_t k = 0; k < n; k++) {
                double x = kc_get(&c->in[0], base + k * inner);
                sum += exp(x);
                if (x > high) {
                    high = x;
                    first = k;
                }
            }
            double x = kc_get(&c->in[0], i);
            double expected = op[0] == 'S' ? exp(x) / sum : op[0] == 'L' ? x - log(sum) : (double)(me == first);
            kc_near(kc_get(&c->out[0], i), expected, kc_tolerance(dtype));
        }
    }
    kc_close(c);
}

static void softmax_in_every_type_and_version(void **state) {
    (void)state;
    srand(24);
    static const char *const ops[] = {"Softmax", "LogSoftmax", "Hardmax"};
    static const int64_t opsets[] = {1, 11, 13};
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        for (int k = 0; k < 9; k++)
            for (int round = 0; round < 20; round++) softmax_round(ops[k / 3], opsets[k % 3], (ob_dtype)dtype);
}

static void softmax_axes_outside_the_rank_are_refused(void **state) {
    (void)state;
    static const char *const ops[] = {"Softmax", "LogSoftmax", "Hardmax"};
    static const int64_t opsets[] = {1, 11, 13}, dims[2] = {1, 3};
    for (int k = 0; k < 9; k++)
        for (int32_t rank = 0; rank < 3; rank++)
            for (int64_t axis = -4; axis < 5; axis++) { /* 4: the default, 1 or -1 */
                int64_t used = axis < 4 ? axis : opsets[k % 3] < 13 ? 1 : -1;
                kernel_case *c = kc_open(ops[k / 3], opsets[k % 3]);
                if (axis < 4) kc_int(c, "axis", axis);
                kc_random(kc_in(c, 0, OB_FLOAT, rank, dims), 1, 1);
                kc_out(c, 0, OB_FLOAT, rank, dims);
                assert_int_equal(kc_try(c), used >= -rank && used < rank ? OB_OK : OB_E_ARGUMENT);
                kc_close(c);
            }
}

static void hardmax_marks_the_first_nan(void **state) {
    (void)state;
    static const double rows[4][3] = {{1, (double)NAN, (double)INFINITY}, {(double)NAN, 5, 6}, {1, 3, 3}, {0, 1, (double)NAN}};
    static const int64_t marked[4] = {1, 0, 1, 2};
    kernel_case *c = kc_open("Hardmax", 13);
    ob_view *in = kc_in(c, 0, OB_FLOAT, DIMS(4, 3));
    for (int64_t i = 0; i < 12; i++) kc_set(in, i, rows[i / 3][i % 3]);
    kc_out(c, 0, OB_FLOAT, DIMS(4, 3));
    kc_run(c);
    for (int64_t i = 0; i < 12; i++) assert_true(kc_get(&c->out[0], i) == (double)(i % 3 == marked[i / 3]));
    kc_close(c);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduce_random_shapes_in_every_type),
        cmocka_unit_test(reduce_of_nothing),
        cmocka_unit_test(reduce_special_values),
        cmocka_unit_test(reduce_can_be_told_to_do_nothing),
        cmocka_unit_test(reduce_over_no_axes_in_every_type),
        cmocka_unit_test(reduce_before_noop_with_empty_axes),
        cmocka_unit_test(argmax_in_every_type),
        cmocka_unit_test(cumsum_and_cumprod_in_every_type),
        cmocka_unit_test(softmax_in_every_type_and_version),
        cmocka_unit_test(hardmax_marks_the_first_nan),
        cmocka_unit_test(softmax_axes_outside_the_rank_are_refused),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
