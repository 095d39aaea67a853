/* Normalisations, LRN and Dropout compared with the definitions. */
#include "kernel_case.h"

static int pick(int n) {
    return rand() % n;
}

/* Mean and population variance of the elements for which `belongs` is true. */
typedef bool (*belongs)(const ob_view *x, int64_t a, int64_t b, int64_t parameter);

static void moments(const ob_view *x, int64_t of, belongs with, int64_t parameter, double *mean, double *variance) {
    double sum = 0, squares = 0, n = 0;
    for (int64_t i = 0; i < ob__count(x); i++)
        if (with(x, of, i, parameter)) {
            sum += kc_get(x, i);
            n++;
        }
    *mean = sum / n;
    for (int64_t i = 0; i < ob__count(x); i++)
        if (with(x, of, i, parameter)) squares += (kc_get(x, i) - *mean) * (kc_get(x, i) - *mean);
    *variance = squares / n;
}

static int64_t channel_of(const ob_view *x, int64_t i) {
    return i / ob__product(x->dims, 2, x->rank) % x->dims[1];
}
static bool same_channel(const ob_view *x, int64_t a, int64_t b, int64_t unused) {
    (void)unused;
    return channel_of(x, a) == channel_of(x, b);
}
/* Runs of `length` elements. */
static bool same_run(const ob_view *x, int64_t a, int64_t b, int64_t length) {
    (void)x;
    return a / length == b / length;
}

static void batch_norm_in_every_type(void **state) {
    (void)state;
    srand(51);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        for (int training = 0; training < 2; training++) {
            kernel_case *c = kc_open("BatchNormalization", 15);
            if (kc_takes(c->op, (ob_dtype)dtype)) {
                kc_float(c, "epsilon", 0.5f);
                kc_float(c, "momentum", 0.25f);
                kc_int(c, "training_mode", training);
                ob_view *x = kc_in(c, 0, (ob_dtype)dtype, DIMS(2, 3, 2, 2));
                kc_random(x, -9, 9);
                for (uint32_t i = 1; i < 5; i++) kc_random(kc_in(c, i, OB_FLOAT, DIMS(3)), 1, 4); /* another type than X */
                kc_out(c, 0, (ob_dtype)dtype, DIMS(2, 3, 2, 2));
                if (training)
                    for (uint32_t i = 1; i < 3; i++) kc_out(c, i, OB_FLOAT, DIMS(3));
                kc_run(c);
                for (int64_t i = 0; i < 24; i++) {
                    int64_t ch = channel_of(x, i);
                    double mean = kc_get(&c->in[3], ch), variance = kc_get(&c->in[4], ch);
                    if (training) {
                        double old_mean = mean, old_variance = variance;
                        moments(x, i, same_channel, 0, &mean, &variance);
                        kc_near(kc_get(&c->out[1], ch), old_mean * 0.25 + mean * 0.75, 1e-6);
                        kc_near(kc_get(&c->out[2], ch), old_variance * 0.25 + variance * 0.75, 1e-6);
                    }
                    double y = (kc_get(x, i) - mean) / sqrt(variance + 0.5) * kc_get(&c->in[1], ch) + kc_get(&c->in[2], ch);
                    kc_near(kc_get(&c->out[0], i), y, kc_tolerance((ob_dtype)dtype) * 4);
                }
            }
            kc_close(c);
        }
}

/* Mean and variance of the elements of one channel, with spatial = 0 of one channel and position. */
static void batch_moments(const ob_view *x, int64_t at, int64_t channels, int64_t inner, double *mean, double *variance) {
    double sum = 0, squares = 0;
    const int64_t n = x->dims[0] * inner, stride = channels * inner;
    for (int64_t i = 0; i < n; i++) sum += kc_get(x, i / inner * stride + at * inner + i % inner);
    *mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++) {
        const double d = kc_get(x, i / inner * stride + at * inner + i % inner) - *mean;
        squares += d * d;
    }
    *variance = squares / (double)n;
}

/* Each version, with all results of training or one of them. */
static void batch_norm_trains_in_old_versions(void **state) {
    static const int64_t opsets[] = {1, 6, 7, 9};
    (void)state;
    srand(58);
    for (int k = 0; k < 4; k++)
        for (int form = 0; form < 4; form++) {
            const bool spatial = k == 3 || form & 1, all = form & 2;
            const int64_t dims[4] = {3, 2, 2, 3}, channels = spatial ? 2 : 12, inner = spatial ? 6 : 1;
            kernel_case *c = kc_open("BatchNormalization", opsets[k]);
            c->node = ob__node_new(c->model->graph, NULL, "", "BatchNormalization", 0, 5);
            assert_non_null(c->node);
            c->node->op = c->op;
            for (uint32_t i = 0; i < 5; i++)
                ob__node_set_output(c->node, i, all || i % 4 == 0 ? ob__value_new_unique(c->model->graph, "y") : NULL);
            if (k < 3) kc_int(c, "spatial", spatial);
            kc_float(c, "momentum", 0.25f);
            kc_float(c, "epsilon", 0.5f);
            kc_random(kc_in(c, 0, OB_FLOAT, 4, dims), -9, 9);
            for (uint32_t i = 1; i < 5; i++)
                kc_random(kc_in(c, i, OB_FLOAT, spatial ? 1 : 3, spatial ? &channels : dims + 1), 1, 4);
            kc_out(c, 0, OB_FLOAT, 4, dims);
            for (uint32_t i = all ? 1 : 4; i < 5; i++) kc_out(c, i, OB_FLOAT, spatial ? 1 : 3, spatial ? &channels : dims + 1);
            kc_run(c);
            for (int64_t i = 0; i < 36; i++) {
                const int64_t at = i / inner % channels;
                double mean, variance;
                batch_moments(&c->in[0], at, channels, inner, &mean, &variance);
                const double y = (kc_get(&c->in[0], i) - mean) / sqrt(variance + 0.5) * kc_get(&c->in[1], at);
                const double want[5] = {0, kc_get(&c->in[3], at) * 0.25 + mean * 0.75,
                                        kc_get(&c->in[4], at) * 0.25 + variance * 0.75, mean, variance};
                kc_near(kc_get(&c->out[0], i), y + kc_get(&c->in[2], at), 8e-6);
                for (uint32_t o = all ? 1 : 4; o < 5; o++) kc_near(kc_get(&c->out[o], at), want[o], 2e-6);
            }
            if (k < 2) {
                kc_int(c, "is_test", 1);
                assert_int_equal(kc_try(c), OB_E_MODEL);
            }
            kc_close(c);
        }
}

static void batch_norm_of_positions_and_of_vectors(void **state) {
    (void)state;
    srand(52);
    for (int k = 0; k < 2; k++) { /* spatial = 0 in version 7: factors per position; then rank 2 */
        kernel_case *c = kc_open("BatchNormalization", k ? 9 : 7);
        if (k == 0) kc_int(c, "spatial", 0);
        int64_t dims[3] = {2, 3, 2};
        int32_t rank = k ? 2 : 3;
        int64_t n = k ? 3 : 6;
        kc_random(kc_in(c, 0, OB_FLOAT, rank, dims), -9, 9);
        for (uint32_t i = 1; i < 5; i++) kc_random(kc_in(c, i, OB_FLOAT, 1, &n), 1, 4);
        kc_out(c, 0, OB_FLOAT, rank, dims);
        kc_run(c);
        for (int64_t i = 0; i < 2 * n; i++) {
            double y = (kc_get(&c->in[0], i) - kc_get(&c->in[3], i % n)) / sqrt(kc_get(&c->in[4], i % n) + 1e-5);
            kc_near(kc_get(&c->out[0], i), y * kc_get(&c->in[1], i % n) + kc_get(&c->in[2], i % n), 4e-6);
        }
        kc_close(c);
    }
    kernel_case *c = kc_open("BatchNormalization", 9);
    kc_random(kc_in(c, 0, OB_FLOAT, DIMS(2, 3)), 0, 1);
    for (uint32_t i = 1; i < 5; i++) kc_random(kc_in(c, i, OB_FLOAT, DIMS(i == 4 ? 2 : 3)), 1, 1);
    kc_out(c, 0, OB_FLOAT, DIMS(2, 3));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
}

static void instance_and_group_norm(void **state) {
    (void)state;
    srand(53);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        for (int k = 0; k < 3; k++) {
            kernel_case *c = kc_open(k ? "GroupNormalization" : "InstanceNormalization", k == 2 ? 21 : k == 1 ? 18 : 22);
            if (kc_takes(c->op, (ob_dtype)dtype)) {
                ob_view *x = kc_in(c, 0, (ob_dtype)dtype, DIMS(2, 4, 3, 3));
                kc_random(x, -9, 9);
                int64_t per_scale = k == 1 ? 2 : 1, n = 4 / per_scale;
                if (k) kc_int(c, "num_groups", 2);
                kc_random(kc_in(c, 1, (ob_dtype)dtype, 1, &n), 1, 4);
                kc_random(kc_in(c, 2, (ob_dtype)dtype, 1, &n), -4, 4);
                kc_out(c, 0, (ob_dtype)dtype, DIMS(2, 4, 3, 3));
                kc_run(c);
                for (int64_t i = 0; i < 72; i++) {
                    double mean, variance;
                    moments(x, i, same_run, k ? 18 : 9, &mean, &variance);
                    int64_t s = channel_of(x, i) / per_scale;
                    double y = (kc_get(x, i) - mean) / sqrt(variance + 1e-5) * kc_get(&c->in[1], s) + kc_get(&c->in[2], s);
                    kc_near(kc_get(&c->out[0], i), y, kc_tolerance((ob_dtype)dtype) * 4);
                }
            }
            kc_close(c);
        }
}

static void layer_norm_stretches_scale_and_bias(void **state) {
    (void)state;
    srand(54);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        for (int form = 0; form < 5; form++) {
            kernel_case *c = kc_open("LayerNormalization", 17);
            if (kc_takes(c->op, (ob_dtype)dtype)) {
                ob_view *x = kc_in(c, 0, (ob_dtype)dtype, DIMS(2, 3, 4));
                kc_random(x, -9, 9);
                int32_t axis = form == 1 ? 1 : 2;
                kc_int(c, "axis", form == 1 ? 1 : -1);
                static const int64_t shapes[5][3] = {{4}, {3, 4}, {3, 1}, {1}, {2, 1, 4}};
                static const int32_t ranks[5] = {1, 2, 2, 0, 3};
                kc_random(kc_in(c, 1, (ob_dtype)dtype, ranks[form], shapes[form]), 1, 4);
                if (form != 3) kc_random(kc_in(c, 2, (ob_dtype)dtype, DIMS(4)), -4, 4);
                kc_out(c, 0, (ob_dtype)dtype, DIMS(2, 3, 4));
                int64_t stats[3] = {2, axis == 1 ? 1 : 3, 1};
                ob_dtype stats_type = dtype == OB_BFLOAT16 ? OB_BFLOAT16 : OB_FLOAT;
                kc_out(c, 1, stats_type, 3, stats);
                kc_out(c, 2, stats_type, 3, stats);
                kc_run(c);
                for (int64_t i = 0; i < 24; i++) {
                    double mean, variance, scale;
                    moments(x, i, same_run, axis == 1 ? 12 : 4, &mean, &variance);
                    const int64_t at[5] = {i % 4, i % 12, i / 4 % 3, 0, i / 12 * 4 + i % 4};
                    scale = kc_get(&c->in[1], at[form]);
                    double inverse = 1 / sqrt(variance + 1e-5), bias = form == 3 ? 0 : kc_get(&c->in[2], i % 4);
                    double tolerance = kc_tolerance((ob_dtype)dtype) * 4;
                    kc_near(kc_get(&c->out[0], i), (kc_get(x, i) - mean) * inverse * scale + bias, tolerance);
                    kc_near(kc_get(&c->out[1], i / (axis == 1 ? 12 : 4)), mean, kc_tolerance(stats_type));
                    kc_near(kc_get(&c->out[2], i / (axis == 1 ? 12 : 4)), inverse, kc_tolerance(stats_type));
                }
                kc_in(c, 1, (ob_dtype)dtype, DIMS(3));
                assert_int_equal(kc_try(c), OB_E_SHAPE);
            }
            kc_close(c);
        }
}

static void rms_norm_has_the_type_of_its_scale(void **state) {
    (void)state;
    srand(57);
    kernel_case *c = kc_open("RMSNormalization", 23);
    kc_float(c, "epsilon", 0.5f);
    kc_random(kc_in(c, 0, OB_FLOAT16, DIMS(3, 4)), -9, 9);
    kc_random(kc_in(c, 1, OB_DOUBLE, DIMS(4)), 1, 4);
    kc_out(c, 0, OB_DOUBLE, DIMS(3, 4));
    kc_run(c);
    for (int64_t i = 0; i < 12; i++) {
        double squares = 0;
        for (int64_t k = i / 4 * 4; k < i / 4 * 4 + 4; k++) squares += kc_get(&c->in[0], k) * kc_get(&c->in[0], k);
        kc_near(kc_get(&c->out[0], i), kc_get(&c->in[0], i) / sqrt(squares / 4 + 0.5) * kc_get(&c->in[1], i % 4), 1e-12);
    }
    kc_close(c);
}

static void lp_and_mean_variance(void **state) {
    (void)state;
    srand(55);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++) {
        if (!kc_takes(ob__op_find("", "LpNormalization", 0), (ob_dtype)dtype)) continue;
        for (int p = 1; p < 3; p++)
            for (int32_t axis = 0; axis < 3; axis++) {
                kernel_case *c = kc_open("LpNormalization", 22);
                int64_t dims[3] = {2, 3, 4}, n = dims[axis], inner = ob__product(dims, axis + 1, 3);
                kc_int(c, "p", p);
                kc_int(c, "axis", axis - 3);
                ob_view *x = kc_in(c, 0, (ob_dtype)dtype, 3, dims);
                kc_random(x, pick(4) ? -9 : 0, pick(4) ? 9 : 0);
                kc_out(c, 0, (ob_dtype)dtype, 3, dims);
                kc_run(c);
                for (int64_t i = 0; i < 24; i++) {
                    double length = 0;
                    for (int64_t k = 0; k < n; k++) {
                        double value = kc_get(x, i - i / inner % n * inner + k * inner);
                        length += p == 1 ? fabs(value) : value * value;
                    }
                    if (p == 2) length = sqrt(length);
                    kc_near(kc_get(&c->out[0], i), length > 0 ? kc_get(x, i) / length : 0, kc_tolerance((ob_dtype)dtype));
                }
                kc_close(c);
            }
        kernel_case *c = kc_open("MeanVarianceNormalization", 13);
        ob_view *x = kc_in(c, 0, (ob_dtype)dtype, DIMS(2, 3, 2, 2));
        kc_random(x, -9, 9);
        kc_out(c, 0, (ob_dtype)dtype, DIMS(2, 3, 2, 2));
        kc_run(c);
        for (int64_t i = 0; i < 24; i++) {
            double mean, variance;
            moments(x, i, same_channel, 0, &mean, &variance);
            kc_near(kc_get(&c->out[0], i), (kc_get(x, i) - mean) / (sqrt(variance) + 1e-9), kc_tolerance((ob_dtype)dtype));
        }
        kc_close(c);
    }
}

static void lrn_sums_over_neighbours(void **state) {
    (void)state;
    srand(56);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        for (int64_t size = 1; size < 7; size++) {
            kernel_case *c = kc_open("LRN", 13);
            if (kc_takes(c->op, (ob_dtype)dtype)) {
                kc_int(c, "size", size);
                kc_float(c, "alpha", 0.5f);
                kc_float(c, "beta", 0.5f);
                kc_float(c, "bias", 2);
                kc_random(kc_in(c, 0, (ob_dtype)dtype, DIMS(2, 5, 3)), -4, 4);
                kc_out(c, 0, (ob_dtype)dtype, DIMS(2, 5, 3));
                kc_run(c);
                for (int64_t i = 0; i < 30; i++) {
                    int64_t ch = i / 3 % 5;
                    double sum = 0;
                    for (int64_t k = 0; k < 5; k++)
                        if (k >= ch - (size - 1) / 2 && k <= ch + size / 2) {
                            double value = kc_get(&c->in[0], i + (k - ch) * 3);
                            sum += value * value;
                        }
                    kc_near(kc_get(&c->out[0], i), kc_get(&c->in[0], i) / sqrt(2 + 0.5 / (double)size * sum),
                            kc_tolerance((ob_dtype)dtype));
                }
            }
            kc_close(c);
        }
}

static void dropout_passes_everything_on(void **state) {
    (void)state;
    kernel_case *c = kc_open("Dropout", 22);
    kc_random_bytes(kc_in(c, 0, OB_FLOAT8E4M3FN, DIMS(2, 3)));
    kc_out(c, 0, OB_FLOAT8E4M3FN, DIMS(2, 3));
    kc_out(c, 1, OB_BOOL, DIMS(2, 3));
    kc_run(c);
    for (int64_t i = 0; i < 6; i++) assert_true(kc_same_element(&c->out[0], i, &c->in[0], i) && kc_get(&c->out[1], i) == 1);
    kc_set(kc_in(c, 1, OB_FLOAT, SCALAR), 0, 0.5);
    kc_set(kc_in(c, 2, OB_BOOL, SCALAR), 0, 1);
    kc_set(&c->in[1], 0, 0);
    kc_run(c);
    for (int64_t i = 0; i < 6; i++) assert_true(kc_same_element(&c->out[0], i, &c->in[0], i) && kc_get(&c->out[1], i) == 1);
    kc_close(c);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch_norm_in_every_type),
        cmocka_unit_test(batch_norm_trains_in_old_versions),
        cmocka_unit_test(batch_norm_of_positions_and_of_vectors),
        cmocka_unit_test(instance_and_group_norm),
        cmocka_unit_test(layer_norm_stretches_scale_and_bias),
        cmocka_unit_test(rms_norm_has_the_type_of_its_scale),
        cmocka_unit_test(lp_and_mean_variance),
        cmocka_unit_test(lrn_sums_over_neighbours),
        cmocka_unit_test(dropout_passes_everything_on),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
