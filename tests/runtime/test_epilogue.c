/* Elementwise nodes after a product or convolution, as its epilogue: random shapes, operands and types give the bits of the nodes
 * one by one, for every level and one or two threads; and the calls that have no epilogue. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/graph/types.h"
#include "kernels/kernels.h"
#include "session_case.h"

enum { MOST_INPUTS = 16 };

static int64_t pick(int64_t n) {
    return rand() % n;
}

typedef struct drawn {
    ob_model *model;
    ob_dtype dtype;
    int32_t rank;
    int64_t dims[5]; /* of the result */
    void *data[MOST_INPUTS + 24];
    ob_view inputs[MOST_INPUTS];
    uint32_t n_data, n_inputs;
} drawn;

static int64_t count_of(const int64_t *dims, int32_t rank) {
    int64_t n = 1;
    for (int32_t a = 0; a < rank; a++) n *= dims[a];
    return n;
}

static void *draw_elements(drawn *d, int64_t n, bool positive) {
    const double special[] = {0.0, -0.0, (double)INFINITY, (double)NAN, 1e-40, 1.5};
    char *data = malloc((size_t)(n + 1) * sizeof(double));
    assert_non_null(data);
    for (int64_t i = 0; i < n; i++) {
        double v = pick(100) == 0 ? special[pick(6)] : (double)pick(2001) / 1000 - 1;
        if (positive) v = (double)(1 + pick(100)) / 64;
        if (d->dtype == OB_DOUBLE)
            ((double *)(void *)data)[i] = v;
        else if (d->dtype == OB_FLOAT)
            ((float *)(void *)data)[i] = (float)v;
        else
            OBK_LOOPS(convert)[d->dtype][OB_FLOAT]((uint16_t *)(void *)data + i, &(float){(float)v}, 1);
    }
    return d->data[d->n_data++] = data;
}

/* An input of the model, or a constant. */
static ob_value *add_operand(drawn *d, int32_t rank, const int64_t *dims, bool constant, bool positive) {
    char name[8], sizes[120] = "";
    void *data = draw_elements(d, count_of(dims, rank), positive);
    snprintf(name, sizeof name, "x%u", (unsigned)d->n_data);
    if (constant || d->n_inputs == MOST_INPUTS) return new_weight(d->model, name, d->dtype, rank, dims, data);
    assert_int_equal(ob_view_init(&d->inputs[d->n_inputs++], data, d->dtype, rank, dims), OB_OK);
    for (int32_t a = 0; a < rank; a++) snprintf(sizes + strlen(sizes), 20, "%s%lld", a ? " " : "", (long long)dims[a]);
    return new_input(d->model, name, d->dtype, sizes);
}

static ob_value *add_conv(drawn *d) {
    const int32_t spatial = 1 + (int32_t)pick(2);
    const bool depthwise = pick(5) == 0;
    const int64_t groups = depthwise ? 1 + pick(9) : 1 + pick(2) * pick(3), channels = depthwise ? 1 : 1 + pick(40),
                  out_channels = depthwise ? 1 : 1 + pick(pick(2) ? 90 : 5);
    int64_t x[4] = {1 + pick(2), groups * channels}, w[4] = {groups * out_channels, channels}, stride[2], pads[4];
    const bool point = pick(3) == 0, large = pick(12) == 0; /* several blocks */
    d->rank = spatial + 2;
    d->dims[0] = x[0];
    d->dims[1] = w[0];
    for (int32_t a = 0; a < spatial; a++) {
        w[2 + a] = point ? 1 : depthwise ? 3 : 1 + pick(3);
        stride[a] = point ? 1 : 1 + pick(2);
        pads[a] = pads[spatial + a] = point ? 0 : pick(w[2 + a]);
        x[2 + a] = w[2 + a] + pick(spatial == 1 ? (large ? 9000 : 600) : large ? 110 : 24);
        d->dims[2 + a] = (x[2 + a] + 2 * pads[a] - w[2 + a]) / stride[a] + 1;
    }
    ob_value *of_x = add_operand(d, d->rank, x, false, false), *of_w = add_operand(d, d->rank, w, pick(4) != 0, false),
             *bias = pick(2) ? add_operand(d, 1, w, true, false) : NULL;
    ob_value *y = new_node(d->model, "Conv", "head", bias ? 3 : 2, of_x, of_w, bias);
    assert_true(ob__node_set_ints(y->producer, "strides", stride, (uint32_t)spatial));
    assert_true(ob__node_set_ints(y->producer, "pads", pads, 2 * (uint32_t)spatial));
    assert_true(ob__node_set_int(y->producer, "group", groups));
    return y;
}

/* Batches, of which one operand may have none; vectors on either side. */
static ob_value *add_matmul(drawn *d) {
    const int32_t n_batch = (int32_t)pick(3);
    const bool row = pick(8) == 0, column = pick(8) == 0, b_has_batch = pick(2);
    const int64_t m = 1 + pick(pick(4) ? 30 : 300), k = 1 + pick(70), n = 1 + pick(pick(4) ? 40 : 400);
    int64_t a[4], b[4];
    int32_t a_rank = 0, b_rank = 0;
    d->rank = 0;
    for (int32_t i = 0; i < n_batch; i++) {
        const int64_t batch = 1 + pick(3);
        if (!row) a[a_rank++] = pick(3) ? batch : 1;
        if (!column && b_has_batch) b[b_rank++] = batch;
        if ((!row && a[a_rank - 1] == batch) || (!column && b_has_batch))
            d->dims[d->rank++] = batch;
        else if (!row)
            d->dims[d->rank++] = 1;
    }
    if (!row) a[a_rank++] = d->dims[d->rank++] = m;
    a[a_rank++] = b[b_rank++] = k;
    if (!column) b[b_rank++] = d->dims[d->rank++] = n;
    return new_node(d->model, "MatMul", "head", 2, add_operand(d, a_rank, a, false, false),
                    add_operand(d, b_rank, b, pick(3) != 0, false));
}

static ob_value *add_gemm(drawn *d) {
    const int64_t m = 1 + pick(200), k = 1 + pick(70), n = 1 + pick(200);
    ob_value *a = add_operand(d, 2, (int64_t[]){m, k}, false, false), *b = add_operand(d, 2, (int64_t[]){k, n}, pick(2), false);
    d->rank = 2;
    d->dims[0] = m;
    d->dims[1] = n;
    return new_node(d->model, "Gemm", "head", pick(2) ? 2 : 3, a, b, add_operand(d, 1, &n, true, false));
}

/* An operand that broadcasts to the result: mostly a channel, a row or everything; sometimes any axes. */
static ob_value *other_operand(drawn *d) {
    int64_t dims[5];
    const int64_t kind = pick(5);
    for (int32_t a = 0; a < d->rank; a++)
        dims[a] =
            kind == 0 || (kind == 1 && a == 1) || (kind == 2 && a + 1 == d->rank) || (kind == 3 && pick(2)) ? d->dims[a] : 1;
    int32_t first = 0;
    while (first < d->rank && dims[first] == 1 && pick(2)) first++;
    return add_operand(d, d->rank - first, dims + first, pick(2), false);
}

static ob_value *add_batch_norm(drawn *d, ob_value *x, const char *name) {
    ob_value *of[4];
    const bool constant = pick(4) != 0;
    for (int i = 0; i < 4; i++) of[i] = add_operand(d, 1, &d->dims[1], constant, i == 3);
    return new_node(d->model, "BatchNormalization", name, 5, x, of[0], of[1], of[2], of[3]);
}

static drawn draw_model(void) {
    static const ob_dtype types[] = {OB_FLOAT, OB_FLOAT, OB_FLOAT, OB_FLOAT, OB_DOUBLE, OB_FLOAT16};
    static const char *const binary[] = {"Add", "Add", "Sub", "Mul", "Div", "Max"}, *const unary[] = {"Relu", "Neg", "Sigmoid",
                                                                                                      "HardSwish"};
    drawn d = {.model = new_model(18), .dtype = types[pick(6)]};
    const int64_t kind = pick(4);
    ob_value *y = kind < 2 ? add_conv(&d) : kind == 2 ? add_matmul(&d) : add_gemm(&d), *first = y;
    for (int i = 0, n = 1 + (int)pick(5); i < n && d.n_data < 24; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        switch (d.rank == 0 ? 1 : pick(6)) {
        case 0:
            if (d.rank >= 2) y = add_batch_norm(&d, y, name);
            break;
        case 1: y = new_node(d.model, unary[pick(4)], name, 1, y); break;
        case 2: y = new_node(d.model, binary[pick(6)], name, 2, other_operand(&d), y); break;
        case 3: y = new_node(d.model, "Sum", name, 3, other_operand(&d), other_operand(&d), y); break;
        case 4: y = new_node(d.model, "Mul", name, 2, y, first); break; /* reads the result of the product again */
        default: y = new_node(d.model, binary[pick(6)], name, 2, y, other_operand(&d)); break;
        }
    }
    new_output(d.model, y);
    return d;
}

/* True if the model is one step. */
static bool check_model(const drawn *d, int threads) {
    ob_session *fused = check_beside_plain(d->model, d->inputs, d->n_inputs, threads, NULL);
    ob_session_memory memory;
    ob_session_get_memory(fused, &memory);
    ob_session_close(&fused);
    return memory.n_steps == 1;
}

static void random_epilogues(void **state) {
    (void)state;
    const unsigned levels[] = {0, OBK_ISA_AVX2, ~0u};
    int n_fused = 0;
    srand(22);
    for (int round = 0; round < 900; round++) {
        drawn d = draw_model();
        ob__kernels_limit(levels[round % 3]);
        n_fused += check_model(&d, 1 + round / 3 % 2);
        for (uint32_t i = 0; i < d.n_data; i++) free(d.data[i]);
        ob_model_close(&d.model);
    }
    ob__kernels_limit(~0u);
    assert_true(n_fused > 350);
}

static void epilogues_and_others(void **state) {
    (void)state;
    static float x[64], w[64];
    const ob_view in[] = {view_of(x, OB_FLOAT, 2, 8, 8), view_of(w, OB_FLOAT, 2, 8, 8)};
    ob_model *model = new_model(14); /* a residual, which the product reads as well */
    ob_value *a = new_input(model, "x", OB_FLOAT, "N 8"), *b = new_input(model, "w", OB_FLOAT, "8 8");
    new_output(model,
               new_node(model, "Relu", "y", 1, new_node(model, "Add", "s", 2, new_node(model, "MatMul", "p", 2, a, b), a)));
    assert_int_equal(steps_of(model, in, 2), 1);
    model = new_model(14); /* two products: one of them has the epilogue */
    a = new_input(model, "x", OB_FLOAT, "N 8");
    b = new_input(model, "w", OB_FLOAT, "8 8");
    new_output(model,
               new_node(model, "Add", "y", 2, new_node(model, "MatMul", "p", 2, a, b), new_node(model, "MatMul", "q", 2, a, b)));
    assert_int_equal(steps_of(model, in, 2), 2);
    model = new_model(14); /* the product is an output: it is stored */
    a = new_input(model, "x", OB_FLOAT, "N 8");
    b = new_input(model, "w", OB_FLOAT, "8 8");
    ob_value *product = new_node(model, "MatMul", "p", 2, a, b);
    new_output(model, product);
    new_output(model, new_node(model, "Relu", "y", 1, product));
    assert_int_equal(steps_of(model, in, 2), 2);
    model = new_model(14); /* a result of another type */
    a = new_input(model, "x", OB_FLOAT, "N 8");
    b = new_input(model, "w", OB_FLOAT, "8 8");
    new_output(model, new_node(model, "Greater", "y", 2, new_node(model, "MatMul", "p", 2, a, b), a));
    assert_int_equal(steps_of(model, in, 2), 2);
    model = new_model(14); /* columns of the operand lie apart */
    a = new_input(model, "x", OB_FLOAT, "8 8");
    b = new_input(model, "w", OB_FLOAT, "8 8");
    new_output(model,
               new_node(model, "Add", "y", 2, new_node(model, "MatMul", "p", 2, a, b), new_node(model, "Transpose", "t", 1, b)));
    assert_int_equal(steps_of(model, in, 2), 2);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(random_epilogues), cmocka_unit_test(epilogues_and_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
