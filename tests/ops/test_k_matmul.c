/* MatMul and Gemm compared with the definition. */
#include "kernel_case.h"

static int pick(int n) {
    return rand() % n;
}

/* Broadcasts two batch shapes of at most two axes; false if they do not broadcast. */
static int32_t common(const int64_t *a, int32_t ra, const int64_t *b, int32_t rb, int64_t *out) {
    int32_t rank = ra > rb ? ra : rb;
    for (int32_t i = 0; i < rank; i++) {
        int64_t x = i < rank - ra ? 1 : a[i - (rank - ra)], y = i < rank - rb ? 1 : b[i - (rank - rb)];
        out[i] = x == 1 ? y : x;
    }
    return rank;
}

static int64_t batch_of(const int64_t *dims, int32_t r, const int64_t *out, int32_t rank, int64_t flat) {
    int64_t index[4], at = 0;
    for (int32_t i = rank - 1; i >= 0; i--) {
        index[i] = flat % out[i];
        flat /= out[i];
    }
    for (int32_t i = 0; i < r; i++) at = at * dims[i] + (dims[i] == 1 ? 0 : index[rank - r + i]);
    return at;
}

static void matmul_round(ob_dtype dtype, int layout) {
    int64_t a_batch[2], b_batch[2], batch[2], base[2] = {pick(4), 1 + pick(3)};
    int32_t ra = pick(3), rb = pick(3);
    for (int32_t i = 0; i < ra; i++) a_batch[i] = pick(3) ? base[2 - ra + i] : 1;
    for (int32_t i = 0; i < rb; i++) b_batch[i] = pick(3) ? base[2 - rb + i] : 1;
    int32_t rank = common(a_batch, ra, b_batch, rb, batch);
    int64_t m = pick(5), k = pick(6), n = pick(5);
    bool a_vector = ra == 0 && pick(4) == 0, b_vector = rb == 0 && pick(4) == 0;
    if (a_vector) m = 1;
    if (b_vector) n = 1;
    int64_t a_dims[4], b_dims[4], out_dims[4];
    memcpy(a_dims, a_batch, sizeof a_batch);
    memcpy(b_dims, b_batch, sizeof b_batch);
    memcpy(out_dims, batch, sizeof batch);
    int32_t a_rank = ra, b_rank = rb, out_rank = rank;
    if (!a_vector) a_dims[a_rank++] = m;
    a_dims[a_rank++] = k;
    b_dims[b_rank++] = k;
    if (!b_vector) b_dims[b_rank++] = n;
    if (!a_vector) out_dims[out_rank++] = m;
    if (!b_vector) out_dims[out_rank++] = n;
    kernel_case *c = kc_open("MatMul", 13);
    ob_view *a = kc_in(c, 0, dtype, a_rank, a_dims), *b = kc_in(c, 1, dtype, b_rank, b_dims);
    int low = dtype == OB_UINT32 || dtype == OB_UINT64 ? 0 : -4;
    kc_random(a, low, 4);
    kc_random(b, low, 4);
    if (layout == 1 && !a_vector) { /* transposed in memory: the same block read with swapped strides */
        a->strides[a_rank - 1] = m * (int64_t)ob_dtype_size(dtype);
        a->strides[a_rank - 2] = (int64_t)ob_dtype_size(dtype);
    }
    if (layout == 2 && !b_vector) { /* equal elements in each row of B, or in all of B: B must be packed */
        b->strides[b_rank - 1] = 0;
        if (pick(2)) b->strides[b_rank - 2] = 0;
    }
    kc_out(c, 0, dtype, out_rank, out_dims);
    kc_run(c);
    int64_t n_batch = ob__product(batch, 0, rank);
    for (int64_t g = 0; g < n_batch; g++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                double sum = 0;
                int64_t ga = batch_of(a_batch, ra, batch, rank, g), gb = batch_of(b_batch, rb, batch, rank, g);
                for (int64_t l = 0; l < k; l++) sum += kc_get(a, (ga * m + i) * k + l) * kc_get(b, (gb * k + l) * n + j);
                kc_near(kc_get(&c->out[0], (g * m + i) * n + j), sum, 0);
            }
    kc_close(c);
}

static void matmul_of_random_shapes_in_every_type(void **state) {
    (void)state;
    srand(11);
    const ob_op *newest = ob__op_find("", "MatMul", 0);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        if (kc_takes(newest, (ob_dtype)dtype))
            for (int round = 0; round < 120; round++) matmul_round((ob_dtype)dtype, round % 3);
}

static void matmul_refuses_what_does_not_fit(void **state) {
    (void)state;
    kernel_case *c = kc_open("MatMul", 13);
    kc_in(c, 0, OB_FLOAT, DIMS(2, 3));
    kc_in(c, 1, OB_FLOAT, DIMS(2, 3));
    kc_out(c, 0, OB_FLOAT, DIMS(2, 3));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_in(c, 0, OB_INT8, DIMS(2, 3));
    kc_in(c, 1, OB_INT8, DIMS(3, 2));
    kc_out(c, 0, OB_INT8, DIMS(2, 2));
    assert_int_equal(kc_try(c), OB_E_TYPE);
    kc_close(c);
}

static void gemm_in_every_type_and_form(void **state) {
    (void)state;
    srand(12);
    const ob_op *newest = ob__op_find("", "Gemm", 0);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++) {
        if (!kc_takes(newest, (ob_dtype)dtype)) continue;
        for (int round = 0; round < 96; round++) {
            int64_t m = pick(5), n = pick(5), k = pick(5);
            bool ta = round & 1, tb = round & 2;
            float alpha = round & 4 ? 2.0f : 1.0f, beta = round & 8 ? 3.0f : 1.0f;
            kernel_case *c = kc_open("Gemm", 13);
            kc_int(c, "transA", ta);
            kc_int(c, "transB", tb);
            kc_float(c, "alpha", alpha);
            kc_float(c, "beta", beta);
            int low = dtype == OB_UINT32 || dtype == OB_UINT64 ? 0 : -3;
            kc_random(kc_in(c, 0, (ob_dtype)dtype, 2, (int64_t[]){ta ? k : m, ta ? m : k}), low, 3);
            kc_random(kc_in(c, 1, (ob_dtype)dtype, 2, (int64_t[]){tb ? n : k, tb ? k : n}), low, 3);
            int form = pick(6);
            const int64_t forms[5][2] = {{m, n}, {1, n}, {m, 1}, {1, 1}, {n, 0}};
            const int32_t ranks[5] = {2, 2, 2, 2, 1};
            if (form < 5) kc_random(kc_in(c, 2, (ob_dtype)dtype, ranks[form], forms[form]), low, 3);
            kc_out(c, 0, (ob_dtype)dtype, 2, (int64_t[]){m, n});
            kc_run(c);
            for (int64_t i = 0; i < m; i++)
                for (int64_t j = 0; j < n; j++) {
                    double sum = 0;
                    for (int64_t l = 0; l < k; l++)
                        sum += kc_get(&c->in[0], ta ? l * m + i : i * k + l) * kc_get(&c->in[1], tb ? j * k + l : l * n + j);
                    const int64_t at[5] = {i * n + j, j, i, 0, j};
                    double expected = (double)alpha * sum + (form < 5 ? (double)beta * kc_get(&c->in[2], at[form]) : 0);
                    kc_near(kc_get(&c->out[0], i * n + j), expected, 0);
                }
            kc_close(c);
        }
    }
}

static void gemm_refuses_a_c_that_does_not_stretch(void **state) {
    (void)state;
    kernel_case *c = kc_open("Gemm", 13);
    kc_random(kc_in(c, 0, OB_FLOAT, DIMS(2, 3)), 0, 1);
    kc_random(kc_in(c, 1, OB_FLOAT, DIMS(3, 4)), 0, 1);
    kc_random(kc_in(c, 2, OB_FLOAT, DIMS(7)), 0, 1);
    kc_out(c, 0, OB_FLOAT, DIMS(2, 4));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matmul_of_random_shapes_in_every_type),
        cmocka_unit_test(matmul_refuses_what_does_not_fit),
        cmocka_unit_test(gemm_in_every_type_and_form),
        cmocka_unit_test(gemm_refuses_a_c_that_does_not_stretch),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
