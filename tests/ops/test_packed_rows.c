/* Products that pack A in each run, because its rows lie a multiple of 4 KiB apart or it is transposed: the bits of products of
 * few columns, which read it in place, on every level, with one and two threads. */
#include "kernel_levels.h"

#include <stdio.h>

#include "onnx_broadcast/onnx_broadcast.h"

typedef struct row {
    const char *type;
    ob_dtype dtype;
    int64_t m, k;
    bool transposed;
    const char *more; /* attributes */
} row;

enum { N = 530, PART = 265 }; /* one part is below the number of columns that packing needs */

static const row rows[] = {
    {"float", OB_FLOAT, 16, 1024, false, ""},
    {"float", OB_FLOAT, 37, 2048, false, ", alpha = 0.75"},
    {"float", OB_FLOAT, 205, 1024, false, ""},
    {"double", OB_DOUBLE, 29, 512, false, ", alpha = -1.25"},
    {"float16", OB_FLOAT16, 23, 1024, false, ""},
    {"float", OB_FLOAT, 517, 400, true, ""},
    {"double", OB_DOUBLE, 257, 385, true, ", alpha = 0.5"},
};

static uint64_t seed = 11;

static ob_session *open_product(const row *r, int64_t n, int n_threads) {
    char text[500];
    const int64_t first = r->transposed ? r->k : r->m, second = r->transposed ? r->m : r->k;
    int length = snprintf(text, sizeof text,
                          "<ir_version: 8, opset_import: [\"\" : 13]>\ng (%s[%lld,%lld] a, %s[%lld,%lld] b) => (%s[%lld,%lld] y) "
                          "{ y = Gemm<transA = %d%s>(a, b) }",
                          r->type, (long long)first, (long long)second, r->type, (long long)r->k, (long long)n, r->type,
                          (long long)r->m, (long long)n, r->transposed, r->more);
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_session_config config;
    ob_error error;
    ob_session_config_init(&config);
    config.n_threads = n_threads;
    if (ob_model_load_memory(text, (size_t)length, "product", NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    const ob_status status = ob_session_create(model, &config, &session, &error);
    if (status != OB_OK && (status != OB_E_UNSUPPORTED || n_threads == 1)) fail_msg("%s", error.message);
    ob_model_close(&model);
    return session; /* NULL: this build has one thread */
}

static void *run_product(ob_session *session, const row *r, const void *a, const void *b, int64_t n) {
    void *y = malloc((size_t)(r->m * n) * ob_dtype_size(r->dtype));
    ob_view in[2], out;
    ob_error error;
    assert_non_null(y);
    ob_view_init(&in[0], (void *)(uintptr_t)a, r->dtype, 2,
                 (int64_t[]){r->transposed ? r->k : r->m, r->transposed ? r->m : r->k});
    ob_view_init(&in[1], (void *)(uintptr_t)b, r->dtype, 2, (int64_t[]){r->k, n});
    ob_view_init(&out, y, r->dtype, 2, (int64_t[]){r->m, n});
    if (ob_session_run(session, in, 2, &out, 1, &error) != OB_OK) fail_msg("%s", error.message);
    return y;
}

static char *draw_matrix(const row *r, int64_t n) {
    const size_t width = ob_dtype_size(r->dtype);
    char *memory = malloc((size_t)n * width);
    assert_non_null(memory);
    for (int64_t i = 0; i < n; i++) {
        const float x = (float)((double)(kl_random(&seed) % 20001) - 10000) / 4096;
        if (r->dtype == OB_DOUBLE)
            ((double *)(void *)memory)[i] = (double)x;
        else if (r->dtype == OB_FLOAT)
            ((float *)(void *)memory)[i] = x;
        else
            OBK_LOOPS(convert)[r->dtype][OB_FLOAT](memory + (size_t)i * width, &x, 1);
    }
    return memory;
}

static void check(const row *r, const char *level) {
    const size_t width = ob_dtype_size(r->dtype);
    char *a = draw_matrix(r, r->m * r->k), *b = draw_matrix(r, r->k * N), *part = malloc((size_t)(r->k * PART) * width);
    assert_non_null(part);
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        ob_session *whole = open_product(r, N, n_threads), *few = open_product(r, PART, 1);
        char *y = whole ? run_product(whole, r, a, b, N) : NULL;
        for (int64_t from = 0; y && from < N; from += PART) {
            for (int64_t l = 0; l < r->k; l++)
                memcpy(part + (size_t)(l * PART) * width, b + (size_t)(l * N + from) * width, PART * width);
            char *z = run_product(few, r, a, part, PART);
            for (int64_t i = 0; i < r->m; i++)
                if (memcmp(y + (size_t)(i * N + from) * width, z + (size_t)(i * PART) * width, PART * width) != 0)
                    fail_msg("%s: %s, %lld x %lld: row %lld has other bits when A is packed", level, r->type, (long long)r->m,
                             (long long)r->k, (long long)i);
            free(z);
        }
        free(y);
        ob_session_close(&whole);
        ob_session_close(&few);
    }
    free(a);
    free(b);
    free(part);
}

static void test_bits(void **state) {
    (void)state;
    static const unsigned masks[] = {0, OBK_ISA_AVX2, OBK_ISA_AVX2 | OBK_ISA_AVX512};
    for (size_t level = 0; level < sizeof masks / sizeof *masks; level++) {
        ob__kernels_limit(masks[level]);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check(&rows[i], ob__kernels_level_name());
    }
    ob__kernels_limit(~0u);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
