/* Shared by tests of rules about quantized values: models with scales and zero points, and their results in several sessions. */
#ifndef OB_TESTS_QUANTIZED_CASE_H
#define OB_TESTS_QUANTIZED_CASE_H

#include <stdio.h>

#include "kernels/kernels.h"
#include "session_case.h"

static const unsigned levels[] = {0, OBK_ISA_AVX2, ~0u};

static inline int64_t pick(int64_t n) {
    return rand() % n;
}

/* ---- Quantized values ---- */

typedef struct quantized {
    ob_dtype dtype;
    float scale;
    int zero;
} quantized;

static inline int lowest(ob_dtype dtype) {
    return dtype == OB_INT8 ? -128 : 0;
}

static inline int at(ob_dtype dtype, const void *data, int64_t i) {
    return dtype == OB_INT8 ? ((const int8_t *)data)[i] : ((const uint8_t *)data)[i];
}

static inline quantized draw(bool powers) {
    quantized q = {.dtype = pick(2) ? OB_INT8 : OB_UINT8};
    q.scale = powers ? ldexpf(1, (int)pick(6) - 6) : (float)(0.002 + 0.0001 * (double)pick(1000));
    q.zero = pick(3) ? lowest(q.dtype) + (int)pick(256) : pick(2) ? lowest(q.dtype) : 0;
    return q;
}

static inline ob_value *scalar(ob_model *m, const char *stem, ob_dtype dtype, double number) {
    char name[60];
    float real = (float)number;
    uint8_t byte = (uint8_t)(int)number;
    int32_t whole = (int32_t)number;
    snprintf(name, sizeof name, "%s_%u", stem, m->n_values);
    const void *data = dtype == OB_FLOAT ? (void *)&real : dtype == OB_INT32 ? (void *)&whole : (void *)&byte;
    return new_weight(m, name, dtype, 0, NULL, data);
}

static const char *fresh(ob_model *m, const char *stem) {
    static char name[60];
    snprintf(name, sizeof name, "%s_%u", stem, m->n_values);
    return name;
}

static inline ob_value *dequantize(ob_model *m, ob_value *x, const quantized *q) {
    return new_node(m, "DequantizeLinear", fresh(m, "dq"), 3, x, scalar(m, "scale", OB_FLOAT, (double)q->scale),
                    scalar(m, "zero", q->dtype, q->zero));
}

static inline ob_value *quantize(ob_model *m, ob_value *x, const quantized *q) {
    return new_node(m, "QuantizeLinear", fresh(m, "q"), 3, x, scalar(m, "scale", OB_FLOAT, (double)q->scale),
                    scalar(m, "zero", q->dtype, q->zero));
}

/* ---- Sessions ---- */

typedef struct result {
    ob_status status;
    ob_dtype dtype;
    int64_t n;
    char *bytes;
    int quantizers, integers, scaled; /* nodes of the session: (De)QuantizeLinear, products of integers, scaled ones */
} result;

static inline result run_model(const ob_model *model, const ob_view *in, size_t n_in, bool optimize, ob_numerics numerics,
                               int threads) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_view out = {0};
    result r = {0};
    ob_session_config_init(&config);
    config.optimize = optimize;
    config.numerics = numerics;
    config.n_threads = threads;
    r.status = ob_session_create(model, &config, &session, &error);
    if (r.status == OB_OK) {
        for (const ob_node *node = session->model->graph->first; node; node = node->next) {
            r.quantizers += strstr(node->op_type, "uantizeLinear") != NULL;
            r.integers += strncmp(node->op_type, "QLinear", 7) == 0 || strncmp(node->op_type, "MatMulInteger", 13) == 0;
            r.scaled += strcmp(node->op_type, "MatMulIntegerToFloat") == 0;
        }
        r.status = ob_session_run(session, in, n_in, &out, 1, &error);
    }
    if (r.status == OB_OK) {
        r.dtype = out.dtype;
        r.n = ob_view_count(&out);
        const size_t n_bytes = (size_t)r.n * ob_dtype_size(out.dtype);
        r.bytes = malloc(n_bytes + 1);
        assert_non_null(r.bytes);
        if (n_bytes) memcpy(r.bytes, out.data, n_bytes);
    }
    ob_session_close(&session);
    return r;
}

static inline void expect_same(const result *a, const result *b) {
    assert_int_equal(a->status, b->status);
    if (a->status != OB_OK) return;
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->dtype, b->dtype);
    for (int64_t i = 0; i < a->n; i++) {
        const size_t width = ob_dtype_size(a->dtype);
        if (!same_element(a->dtype, a->bytes + (size_t)i * width, b->bytes + (size_t)i * width))
            fail_msg("element %d of %d differs", (int)i, (int)a->n);
    }
}

static inline void *random_bytes(int64_t n) {
    uint8_t *data = malloc((size_t)n + 1);
    assert_non_null(data);
    for (int64_t i = 0; i < n; i++) data[i] = (uint8_t)pick(256);
    return data;
}

#endif
