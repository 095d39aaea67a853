/* Constants packed for products: made once for all plans and workers of a session, counted, and freed with it; the results
 * equal those of the same matrix as an input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/gemm/gemm.h"
#include "kernels/gemm/integer.h"
#include "kernels/kernels.h"
#include "onnx_broadcast/onnx_broadcast.h"

enum { K = 50, N = 37, MOST_ROWS = 16 };

typedef struct row {
    const char *type, *dims, *node; /* of the constant w */
    ob_dtype dtype, out;
} row;

static const row rows[] = {
    {"float", "50,37", "MatMul(x, w)", OB_FLOAT, OB_FLOAT},
    {"double", "50,37", "MatMul(x, w)", OB_DOUBLE, OB_DOUBLE},
    {"float16", "50,37", "MatMul(x, w)", OB_FLOAT16, OB_FLOAT16},
    {"float", "37,50", "Gemm<transB = 1, alpha = 0.5>(x, w)", OB_FLOAT, OB_FLOAT},
    {"float16", "37,50", "Gemm<transB = 1>(x, w)", OB_FLOAT16, OB_FLOAT16},
    {"int8", "50,37", "MatMulInteger(x, w)", OB_INT8, OB_INT32},
};

static void put(void *data, ob_dtype dtype, int64_t i, int value) { /* whole numbers up to 127 */
    if (dtype == OB_INT8) {
        ((int8_t *)data)[i] = (int8_t)value;
        return;
    }
    if (dtype == OB_DOUBLE)
        ((double *)data)[i] = value;
    else if (dtype == OB_FLOAT)
        ((float *)data)[i] = (float)value;
    else
        OBK_LOOPS(convert)[OB_FLOAT16][OB_FLOAT](&((uint16_t *)data)[i], &(float){(float)value}, 1);
}

/* The constant as an initializer, or (`given`) as a second input. */
static ob_model *read_model(const row *r, bool given) {
    static char text[16000];
    int n = snprintf(
        text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 13]>\ng (%s[rows,50] x%s%s%s%s) => (%s[rows,37] y)\n", r->type,
        given ? ", " : "", given ? r->type : "", given ? "[" : "", given ? r->dims : "", r->out == OB_INT32 ? "int32" : r->type);
    if (given) { /* the closing bracket and the name */
        char *end = strstr(text, r->dims) + strlen(r->dims);
        memmove(end + 3, end, strlen(end) + 1);
        memcpy(end, "] w", 3);
        n += 3;
    } else {
        n += snprintf(text + n, sizeof text - (size_t)n, "<%s[%s] w = {", r->type, r->dims);
        for (int i = 0; i < K * N; i++) {
            int value = i * 37 % 101 - 50;
            uint16_t bits = 0; /* the text form of a float16 */
            put(&bits, OB_FLOAT16, 0, value);
            n += snprintf(text + n, sizeof text - (size_t)n, "%s%d", i ? "," : "", r->dtype == OB_FLOAT16 ? bits : value);
        }
        n += snprintf(text + n, sizeof text - (size_t)n, "}>\n");
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "{ y = %s }\n", r->node);
    ob_model *model = NULL;
    ob_error error;
    if (ob_model_load_memory(text, (size_t)n, "prepared", NULL, &model, &error) != OB_OK)
        fail_msg("%s: %s", r->node, error.message);
    return model;
}

static ob_view matrix(const row *r, double *data, int64_t n_rows, int64_t n_columns, int factor) {
    ob_view view;
    assert_int_equal(ob_view_init(&view, data, r->dtype, 2, (int64_t[]){n_rows, n_columns}), OB_OK);
    for (int i = 0; i < n_rows * n_columns; i++) put(data, r->dtype, i, i * factor % 101 - 50);
    return view;
}

/* The result from the constant has the bits of the one from the input. */
static void compare(const row *r, ob_session *packed, ob_session *plain, int64_t n_rows) {
    static double x[MOST_ROWS * K], w[K * N], y[3][MOST_ROWS * N];
    ob_view in[2] = {matrix(r, x, n_rows, K, 53), matrix(r, w, r->dims[0] == '5' ? K : N, r->dims[0] == '5' ? N : K, 37)}, out[3];
    ob_worker *worker = NULL;
    ob_error error;
    for (int i = 0; i < 3; i++) assert_int_equal(ob_view_init(&out[i], y[i], r->out, 2, (int64_t[]){n_rows, N}), OB_OK);
    if (ob_session_run(packed, in, 1, &out[0], 1, &error) != OB_OK) fail_msg("%s: %s", r->node, error.message);
    if (ob_worker_create(packed, NULL, &worker, &error) != OB_OK) fail_msg("%s: %s", r->node, error.message);
    if (ob_worker_run(worker, in, 1, &out[1], 1, &error) != OB_OK) fail_msg("%s: %s", r->node, error.message);
    if (ob_session_run(plain, in, 2, &out[2], 1, &error) != OB_OK) fail_msg("%s: %s", r->node, error.message);
    size_t n_bytes = (size_t)(n_rows * N) * ob_dtype_size(r->out);
    ob_worker_close(&worker);
    assert_memory_equal(y[0], y[2], n_bytes);
    assert_memory_equal(y[1], y[2], n_bytes);
}

static uint64_t packed_bytes(const row *r) {
    const obk_integer_gemm *integers = OBK_LOOPS(integer_gemm);
    int64_t nr = OBK_LOOPS(gemm)[r->dtype == OB_DOUBLE ? OBK_GEMM_DOUBLE : OBK_GEMM_FLOAT].nr, k = K;
    if (r->dtype == OB_INT8) {
        const obk_integer_gemm *gemm =
            &integers[ob__kernels_dot8() && integers[OBK_INTEGER_QUADS].product ? OBK_INTEGER_QUADS : OBK_INTEGER_PAIRS];
        nr = gemm->nr;
        k = obk_units(gemm, K);
    }
    return (uint64_t)((N + nr - 1) / nr * nr * k) * (r->dtype == OB_DOUBLE ? 8 : 4);
}

static void check_row(const row *r) {
    static _Alignas(64) char block[1 << 22];
    ob_fixed_memory memory;
    ob_allocator allocator = ob_fixed_allocator(&memory, block, sizeof block);
    ob_session_config config;
    ob_session_config_init(&config);
    config.allocator = &allocator;
    ob_model *model = read_model(r, false), *other = read_model(r, true);
    ob_session *packed = NULL, *plain = NULL;
    ob_error error;
    ob_session_memory before, first, last;
    if (ob_session_create(model, &config, &packed, &error) != OB_OK) fail_msg("%s: %s", r->node, error.message);
    if (ob_session_create(other, NULL, &plain, &error) != OB_OK) fail_msg("%s: %s", r->node, error.message);
    ob_session_get_memory(packed, &before);
    compare(r, packed, plain, 9);
    ob_session_get_memory(packed, &first);
    uint64_t n_bytes = packed_bytes(r);
    assert_int_equal(first.constant_bytes - before.constant_bytes, n_bytes);
    assert_true(first.session_bytes - before.session_bytes >= n_bytes);
    for (int64_t n_rows = 2; n_rows <= MOST_ROWS; n_rows += 3) compare(r, packed, plain, n_rows);
    ob_session_get_memory(packed, &last);
    assert_true(last.n_plans > first.n_plans);
    assert_int_equal(last.constant_bytes, first.constant_bytes);
    ob_session_close(&packed);
    assert_int_equal(memory.used, 0);
    ob_session_close(&plain);
    ob_model_close(&model);
    ob_model_close(&other);
}

static void packed_once(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) check_row(&rows[i]);
}

/* Both weights, for any number of steps; not if columns have separate zero points. */
static void weights_of_a_quantized_lstm(void **state) {
    static const char *const zeros[2] = {"{3,3,3,3,3,3,3,3}", "{3,3,3,3,3,3,3,2}"};
    (void)state;
    for (int differ = 0; differ < 2; differ++) {
        char text[2000];
        int n = snprintf(text, sizeof text,
                         "<ir_version: 8, opset_import: [\"\" : 13, \"com.microsoft\" : 1]>\n"
                         "g (float[steps,1,3] x) => (float[steps,1,1,2] y)\n"
                         "<int8[1,3,8] w = {1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8}, "
                         "int8[1,2,8] r = {1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8}, float[1] s = {0.1}, int8[1,8] z = %s>\n"
                         "{ y = com.microsoft.DynamicQuantizeLSTM<hidden_size = 2>(x, w, r, , , , , , s, z, s, z) }\n",
                         zeros[differ]);
        const int64_t nr = OBK_LOOPS(integer_gemm)->nr;
        const uint64_t n_bytes =
            differ ? 0 : (uint64_t)((8 + nr - 1) / nr * nr * (obk_pairs(3) + obk_pairs(2))) * sizeof(obk_pair);
        ob_model *model = NULL;
        ob_session *session = NULL;
        ob_error error;
        ob_session_memory before, after;
        if (ob_model_load_memory(text, (size_t)n, "prepared", NULL, &model, &error) != OB_OK ||
            ob_session_create(model, NULL, &session, &error) != OB_OK)
            fail_msg("%s", error.message);
        ob_session_get_memory(session, &before);
        for (int64_t steps = 1; steps < 4; steps++) {
            float x[9] = {1, -1, 0.5f, 0.25f}, y[6];
            ob_view in, out;
            assert_int_equal(ob_view_init(&in, x, OB_FLOAT, 3, (int64_t[]){steps, 1, 3}), OB_OK);
            assert_int_equal(ob_view_init(&out, y, OB_FLOAT, 4, (int64_t[]){steps, 1, 1, 2}), OB_OK);
            if (ob_session_run(session, &in, 1, &out, 1, &error) != OB_OK) fail_msg("%s", error.message);
            ob_session_get_memory(session, &after);
            assert_int_equal(after.constant_bytes - before.constant_bytes, n_bytes);
        }
        ob_session_close(&session);
        ob_model_close(&model);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(packed_once), cmocka_unit_test(weights_of_a_quantized_lstm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
