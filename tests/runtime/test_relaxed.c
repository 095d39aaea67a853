/* Sessions with relaxed numerics: large products by OpenBLAS. The same bits for every number of threads and in workers, within
 * the bound of docs/numerics.md, stopped inside a product; everything else, and every exact session, is unchanged. */
#define _GNU_SOURCE /* RTLD_NOLOAD */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "onnx_broadcast/worker.h"
#include "ops/product/blas.h"
#include "session_case.h"

/* Sizes at which OpenBLAS is used (ob__blas_gains), none a multiple of any block size. */
typedef struct row {
    const char *name, *graph; /* inputs a, b and perhaps c; the result y */
    ob_dtype dtype;
    int64_t k;
} row;

static const row rows[] = {
    {"MatMul", "(float[1030,2061] a, float[2061,2070] b) => (float[1030,2070] y) { y = MatMul(a, b) }", OB_FLOAT, 2061},
    {"MatMul, double", "(double[1030,2061] a, double[2061,2070] b) => (double[1030,2070] y) { y = MatMul(a, b) }", OB_DOUBLE,
     2061},
    {"MatMul, two products",
     "(float[2,1030,2061] a, float[2,2070,2061] b) => (float[2,1030,2070] y) { t = Transpose<perm = [0, 2, 1]>(b) y = MatMul(a, "
     "t) }",
     OB_FLOAT, 2061},
    {"Gemm",
     "(float[2061,1030] a, float[2070,2061] b, float[2070] c) => (float[1030,2070] y) { y = Gemm<transA = 1, transB = 1, "
     "alpha = 0.75, beta = -1.5>(a, b, c) }",
     OB_FLOAT, 2061},
    {"Gemm, a column", "(float[1030,2061] a, float[2061,2070] b, float[1030,1] c) => (float[1030,2070] y) { y = Gemm(a, b, c) }",
     OB_FLOAT, 2061},
    {"Einsum", "(float[1030,2061] a, float[2070,2061] b) => (float[1030,2070] y) { y = Einsum<equation = \"ik,jk->ij\">(a, b) }",
     OB_FLOAT, 2061},
};

static bool there; /* a usable OpenBLAS exists */

static ob_model *read_text(const char *graph, const char *type) {
    char text[2000];
    ob_model *model = NULL;
    ob_error error;
    int n = snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 13]>\ng %s\n", graph);
    for (char *at = text; type && (at = strstr(at, "float[")) != NULL; at += 6) { /* the same in double */
        memmove(at + 1, at, strlen(at) + 1);
        memcpy(at, type, 6);
    }
    (void)n;
    if (ob_model_load_memory(text, strlen(text), graph, NULL, &model, &error) != OB_OK) fail_msg("%s: %s", graph, error.message);
    return model;
}

/* NULL if the build has only one thread. */
static ob_session *open_with(const ob_model *model, ob_numerics numerics, int n_threads) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config_init(&config);
    assert_int_equal(config.numerics, OB_NUMERICS_EXACT);
    config.numerics = numerics;
    config.n_threads = n_threads;
    ob_status status = ob_session_create(model, &config, &session, &error);
    if (status == OB_E_UNSUPPORTED && n_threads > 1) return NULL;
    if (status != OB_OK) fail_msg("%s", error.message);
    return session;
}

static double get(const ob_view *view, int64_t i) {
    return view->dtype == OB_DOUBLE ? ((const double *)view->data)[i] : (double)((const float *)view->data)[i];
}

static void set(const ob_view *view, int64_t i, double value) {
    if (view->dtype == OB_DOUBLE)
        ((double *)view->data)[i] = value;
    else
        ((float *)view->data)[i] = (float)value;
}

enum { MAX_INPUTS = 3 };

typedef struct inputs {
    ob_view views[MAX_INPUTS];
    size_t n;
} inputs;

/* Numbers of many bits, between -2 and 2. */
static inputs make_inputs(const ob_session *session) {
    inputs in = {.n = ob_session_input_count(session)};
    uint64_t seed = 7;
    assert_in_range(in.n, 1, MAX_INPUTS);
    for (size_t i = 0; i < in.n; i++) {
        ob_session_value info;
        int64_t count = 1;
        assert_true(ob_session_input(session, i, &info));
        for (int32_t k = 0; k < info.shape.rank; k++) count *= info.shape.dims[k];
        void *data = malloc((size_t)count * ob_dtype_size(info.dtype));
        assert_non_null(data);
        assert_int_equal(ob_view_init(&in.views[i], data, info.dtype, info.shape.rank, info.shape.dims), OB_OK);
        for (int64_t j = 0; j < count; j++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            set(&in.views[i], j, (double)(seed >> 11) * 0x1p-51 - 2);
        }
    }
    return in;
}

/* The product in double; magnitudes: with the absolute value of each element. */
static inputs in_double(const inputs *from, bool magnitudes) {
    inputs in = *from;
    for (size_t i = 0; i < in.n; i++) {
        int64_t count = ob_view_count(&in.views[i]);
        in.views[i].dtype = OB_DOUBLE;
        in.views[i].data = malloc((size_t)count * sizeof(double));
        assert_non_null(in.views[i].data);
        assert_int_equal(ob_view_init(&in.views[i], in.views[i].data, OB_DOUBLE, in.views[i].rank, in.views[i].dims), OB_OK);
        for (int64_t j = 0; j < count; j++) {
            double value = get(&from->views[i], j);
            set(&in.views[i], j, magnitudes ? fabs(value) : value);
        }
    }
    return in;
}

static void discard(inputs *in) {
    for (size_t i = 0; i < in->n; i++) free(in->views[i].data);
}

static bool same(const ob_view *a, const ob_view *b) {
    return memcmp(a->data, b->data, (size_t)ob_view_count(a) * ob_dtype_size(a->dtype)) == 0;
}

/* The bound of docs/numerics.md: (k + 4) u (|alpha| |A| |B| + |beta C|), u 2^-24 or 2^-53. Doubles are compared with an exact
 * session, which keeps the bound. */
static void check_bound(const row *r, const inputs *in, const ob_view *is) {
    char magnitudes[1000];
    snprintf(magnitudes, sizeof magnitudes, "%s", r->graph);
    char *minus = strstr(magnitudes, "-1.5");
    if (minus) *minus = ' ';
    ob_model *models[2] = {read_text(r->graph, r->dtype == OB_FLOAT ? "double" : NULL),
                           read_text(magnitudes, r->dtype == OB_FLOAT ? "double" : NULL)};
    const double u = r->dtype == OB_FLOAT ? 0x1p-24 : 0x1p-53, times = r->dtype == OB_FLOAT ? 1 : 2;
    ob_session *sessions[2];
    ob_view out[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        inputs wide = in_double(in, i == 1);
        sessions[i] = open_with(models[i], OB_NUMERICS_EXACT, 1);
        run_ok(sessions[i], wide.views, wide.n, &out[i], 1);
        discard(&wide);
    }
    for (int64_t i = 0; i < ob_view_count(is); i++) {
        double bound = times * (double)(r->k + 4) * u * get(&out[1], i);
        if (!(fabs(get(is, i) - get(&out[0], i)) <= bound))
            fail_msg("%s: element %lld is %.17g, not %.17g within %g", r->name, (long long)i, get(is, i), get(&out[0], i), bound);
    }
    for (int i = 0; i < 2; i++) {
        ob_session_close(&sessions[i]);
        ob_model_close(&models[i]);
    }
}

static void check_row(const row *r) {
    static const int threads[] = {2, 3, 8};
    ob_model *model = read_text(r->graph, NULL);
    ob_session *alone = open_with(model, OB_NUMERICS_RELAXED, 1), *exact = open_with(model, OB_NUMERICS_EXACT, 1);
    inputs in = make_inputs(alone);
    ob_view want = {0}, is = {0};
    ob_error error;
    run_ok(alone, in.views, in.n, &want, 1);
    run_ok(exact, in.views, in.n, &is, 1);
    if (same(&is, &want) == there) fail_msg("%s: the exact session has %s bits", r->name, there ? "the same" : "other");
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        ob_session *session = open_with(model, OB_NUMERICS_RELAXED, threads[i]);
        if (!session) continue;
        for (int round = 0; round < 3; round++) {
            is = (ob_view){0};
            run_ok(session, in.views, in.n, &is, 1);
            if (!same(&is, &want)) fail_msg("%s: %d threads give other bits than one", r->name, threads[i]);
        }
        ob_session_close(&session);
    }
    ob_worker *worker = NULL;
    assert_int_equal(ob_worker_create(alone, NULL, &worker, &error), OB_OK);
    is = (ob_view){0};
    assert_int_equal(ob_worker_run(worker, in.views, in.n, &is, 1, &error), OB_OK);
    if (!same(&is, &want)) fail_msg("%s: a worker gives other bits", r->name);
    ob_worker_close(&worker);
    check_bound(r, &in, &want);
    discard(&in);
    ob_session_close(&exact);
    ob_session_close(&alone);
    ob_model_close(&model);
}

static void test_bits_and_bound(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_row(&rows[i]);
}

/* Infinities and NaN are at the same places as in an exact result. */
static void test_special(void **state) {
    (void)state;
    ob_model *model = read_text(rows[3].graph, NULL);
    ob_session *sessions[2];
    ob_view out[2] = {{0}};
    for (int i = 0; i < 2; i++) sessions[i] = open_with(model, i ? OB_NUMERICS_RELAXED : OB_NUMERICS_EXACT, 1);
    inputs in = make_inputs(sessions[0]);
    set(&in.views[0], 5, NAN); /* of A's column 5, which is row 5 of the product */
    set(&in.views[0], 7 * 1030 + 9, INFINITY);
    set(&in.views[1], 11 * 2061 + 13, -INFINITY);
    set(&in.views[2], 17, NAN);
    int64_t n_nan = 0, n_inf = 0, n = 1030 * 2070;
    for (int i = 0; i < 2; i++) run_ok(sessions[i], in.views, in.n, &out[i], 1);
    for (int64_t i = 0; i < n; i++) {
        double exact = get(&out[0], i), relaxed = get(&out[1], i);
        n_nan += isnan(exact) != 0;
        n_inf += isinf(exact) != 0;
        if (isnan(exact) != isnan(relaxed) || (isinf(exact) && exact != relaxed) || (isinf(relaxed) && exact != relaxed))
            fail_msg("element %lld is %g, exact %g", (long long)i, relaxed, exact);
    }
    assert_in_range(n_nan, 2070 + 1029, 2070 + 2 * 1030);
    assert_in_range(n_inf, 2900, 3100);
    discard(&in);
    for (int i = 0; i < 2; i++) ob_session_close(&sessions[i]);
    ob_model_close(&model);
}

/* Small products, and other operators, have the bits of an exact session. */
static void test_the_rest(void **state) {
    (void)state;
    static const char *const graphs[] = {
        "(float[300,301] a, float[301,299] b) => (float[300,299] y) { y = MatMul(a, b) }",
        "(float[1,2061] a, float[2061,3000] b) => (float[1,3000] y) { y = MatMul(a, b) }",
        "(float[2,16,40,40] a, float[64,16,3,3] b) => (float[2,64,38,38] y) { y = Conv(a, b) }",
        "(float[300,301] a, float[300,301] b) => (float[300,301] y) { s = Add(a, b) t = Softmax(s) y = Exp(t) }",
    };
    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++) {
        ob_model *model = read_text(graphs[g], NULL);
        ob_session *sessions[2];
        ob_view out[2] = {{0}};
        for (int i = 0; i < 2; i++) sessions[i] = open_with(model, i ? OB_NUMERICS_RELAXED : OB_NUMERICS_EXACT, 1);
        inputs in = make_inputs(sessions[0]);
        for (int i = 0; i < 2; i++) run_ok(sessions[i], in.views, in.n, &out[i], 1);
        if (!same(&out[0], &out[1])) fail_msg("%s: other bits", graphs[g]);
        discard(&in);
        for (int i = 0; i < 2; i++) ob_session_close(&sessions[i]);
        ob_model_close(&model);
    }
}

/* ---- Memory, limits, messages ---- */

static const char constant_b[] =
    "(float[1030,2061] a) => (float[1030,2070] y) { s = Constant<value = int64[2] {2061, 2070}>() b = ConstantOfShape<value = "
    "float[1] {0.5}>(s) y = MatMul(a, b) }";

/* A constant that OpenBLAS multiplies with is not packed additionally. */
static void test_one_form(void **state) {
    (void)state;
    ob_model *model = new_model(13);
    ob_value *a = new_input(model, "a", OB_FLOAT, "1030 2061");
    ob_value *b = new_weight(model, "b", OB_FLOAT, 2, (int64_t[]){2061, 2070}, NULL);
    new_output(model, new_node(model, "MatMul", "y", 2, a, b));
    uint64_t bytes[2];
    for (int i = 0; i < 2; i++) {
        ob_session *session = open_with(model, i ? OB_NUMERICS_RELAXED : OB_NUMERICS_EXACT, 1);
        inputs in = make_inputs(session);
        ob_session_memory memory;
        ob_error error;
        assert_int_equal(ob_session_prepare(session, in.views, in.n, &error), OB_OK);
        ob_session_get_memory(session, &memory);
        bytes[i] = memory.constant_bytes;
        discard(&in);
        ob_session_close(&session);
    }
    const uint64_t packed = UINT64_C(2061) * 2070 * sizeof(float);
    assert_true(there ? bytes[0] >= bytes[1] + packed : bytes[0] == bytes[1]);
    ob_model_close(&model);
}

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct asked {
    int n, stop_at; /* 0: never */
} asked;

static bool is_asked(void *context) {
    asked *a = context;
    return ++a->n == a->stop_at;
}

/* One product of 2^37 multiplications, a second or more: a time limit and a caller's stop end it early. */
static void test_stopped_inside(void **state) {
    (void)state;
    ob_model *model = read_text("(float[4096,4096] a, float[4096,8192] b) => (float[4096,8192] y) { y = MatMul(a, b) }", NULL);
    asked context = {0};
    for (int by_caller = 0; by_caller < 2; by_caller++) {
        ob_session_config config;
        ob_session *session = NULL;
        ob_error error;
        ob_session_config_init(&config);
        config.numerics = OB_NUMERICS_RELAXED;
        config.max_run_ns = by_caller ? 0 : 100000000;
        config.cancelled = is_asked;
        config.context = &context;
        assert_int_equal(ob_session_create(model, &config, &session, &error), OB_OK);
        inputs in = make_inputs(session);
        assert_int_equal(ob_session_prepare(session, in.views, in.n, &error), OB_OK);
        ob_view out = {0};
        context = (asked){.stop_at = by_caller ? 12 : 0};
        double begin = processor_seconds();
        ob_status status = ob_session_run(session, in.views, in.n, &out, 1, &error);
        double took = processor_seconds() - begin;
        assert_int_equal(status, by_caller ? OB_E_CANCELLED : OB_E_LIMIT);
        if (!by_caller && took > 0.4) fail_msg("a limit of 0.1 s took %g s of processor time", took);
        if (by_caller) assert_int_equal(context.n, 12);
        discard(&in);
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

static void hear(void *context, ob_log_level level, const char *message) {
    (void)level;
    if (strstr(message, "relaxed numerics")) snprintf(context, 400, "%s", message);
}

static void test_what_is_said(void **state) {
    (void)state;
    ob_model *model = read_text(constant_b, NULL);
    for (int numerics = 0; numerics < 2; numerics++) {
        char heard[400] = "";
        const ob_logger logger = {OB_LOG_INFO, hear, heard};
        ob_session_config config;
        ob_session *session = NULL;
        ob_error error;
        ob_session_config_init(&config);
        config.logger = &logger;
        config.numerics = numerics ? OB_NUMERICS_RELAXED : OB_NUMERICS_EXACT;
        assert_int_equal(ob_session_create(model, &config, &session, &error), OB_OK);
        ob_session_close(&session);
        if (numerics == 0) assert_string_equal(heard, "");
        if (numerics && there) assert_non_null(strstr(heard, "by OpenBLAS"));
        if (numerics && !there) assert_non_null(strstr(heard, "without OpenBLAS: "));
        config.numerics = (ob_numerics)2;
        assert_int_equal(ob_session_create(model, &config, &session, &error), OB_E_ARGUMENT);
        assert_non_null(strstr(error.message, "OB_NUMERICS_RELAXED"));
    }
    ob_model_close(&model);
}

/* A library that uses threads, a different library, and none. */
static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *file, *why;
    } cases[] = {{OB_BINARY_DIR "/tests/openblas_with_threads.so", "computes with threads"},
                 {OB_BINARY_DIR "/tests/openblas_with_wide_sizes.so", "have 64 bits"},
                 {"libm.so.6", "not have the functions of OpenBLAS"},
                 {"/nowhere/libopenblas.so.0", "/nowhere/libopenblas.so.0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ob_blas blas;
        char why[256] = "";
        assert_false(ob__blas_open_file(&blas, cases[i].file, ob_allocator_default(), why, sizeof why));
        assert_int_equal(blas.n_copies, 0);
        if (strstr(why, "this build is without OpenBLAS")) skip();
        if (!strstr(why, cases[i].why)) fail_msg("%s: %s", cases[i].file, why);
    }
}

/* The rest of the process sees no change: no library that it could find by name, no environment variable. */
static void test_apart(void **state) {
    (void)state;
    assert_int_equal(setenv("OPENBLAS_CORETYPE", "Prescott", 1), 0);
    void *before = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_NOLOAD);
    const char *core = getenv("OPENBLAS_CORETYPE");
    ob_model *model = read_text(constant_b, NULL);
    ob_session *session = open_with(model, OB_NUMERICS_RELAXED, 1);
    assert_null(before);
    assert_null(dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_NOLOAD));
    assert_ptr_equal(getenv("OPENBLAS_CORETYPE"), core);
    assert_string_equal(core, "Prescott");
    ob_session_close(&session);
    ob_model_close(&model);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits_and_bound), cmocka_unit_test(test_special),
                                              cmocka_unit_test(test_the_rest),       cmocka_unit_test(test_one_form),
                                              cmocka_unit_test(test_stopped_inside), cmocka_unit_test(test_what_is_said),
                                              cmocka_unit_test(test_refused),        cmocka_unit_test(test_apart)};
    ob_blas blas;
    char why[256];
    there = ob__blas_open(&blas, 1, ob_allocator_default(), why, sizeof why);
    if (there)
        print_message("with %s\n", blas.name);
    else
        print_message("without OpenBLAS: %s\n", why);
    ob__blas_close(&blas);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
