/* The choice of the level, and functions of kernels/ that no other test runs at each level: moves, conversions, products and
 * sums of one dimension, array functions. */
#include "kernel_levels.h"
#include "kernels/convert/convert.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/kernels.h"
#include "kernels/move/move.h"

#include "core/graph/copy.h"

static size_t level_of(const char *name) {
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    for (size_t i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) return i;
    if (strcmp(name, "neon") == 0 || strcmp(name, "rvv") == 0) return 1;
    fail_msg("there is no level %s", name);
    return 0;
}

static void the_mask_is_a_limit(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n = kl_levels(tables);
    assert_int_equal(level_of(tables[0]->name), 0);
    for (size_t i = 1; i < n; i++) assert_int_equal(level_of(tables[i]->name), i);
    assert_int_equal(ob__kernels_level(), n - 1);
    ob__kernels_limit(0);
    assert_int_equal(ob__kernels_level(), 0);
    ob__kernels_limit(~0u);
}

/* The tests NAME@LEVEL set the variable, on processors with that level. */
static void the_environment_names_the_highest_level(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    const char *isa = getenv("OB_ISA");
    if (!isa) skip();
    assert_true(level_of(ob__kernels_level_name()) <= level_of(isa));
#if defined(__x86_64__) && defined(OB_ALL_LEVELS)
    assert_string_equal(ob__kernels_level_name(), isa);
#endif
    assert_int_equal(kl_levels(tables), level_of(ob__kernels_level_name()) + 1);
}

static void elements_are_repeated(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(1 << 12);
    uint64_t seed = 1;
    for (size_t l = 0; l < n_levels; l++)
        for (int64_t m = 0; m <= KL_LONGEST(4); m++)
            for (int64_t n = 1; n <= 19; n++) {
                uint32_t *x = kl_in(&edges, (size_t)m * 4);
                kl_fill_bytes(x, (size_t)m * 4, &seed);
                kl_out z = kl_out_open((size_t)(m * n) * 4, (size_t)(n % 3) * 4);
                tables[l]->move->repeat_4(z.data, x, m, n);
                for (int64_t i = 0; i < m * n; i++) assert_int_equal(((uint32_t *)z.data)[i], x[i / n]);
                kl_out_close(&z);
            }
    kl_close(&edges);
}

/* Bytes of n elements, one byte or more each. */
static size_t bytes_of(size_t dtype, int64_t n) {
    return ob_dtype_size((ob_dtype)dtype) * (size_t)n;
}

/* Every conversion gives the baseline's bits, for any input bits. */
static void conversions_are_equal_at_all_levels(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables), n_compared = 0;
    static const size_t beyond[] = {OB_FLOAT, OB_FLOAT8E4M3FN, OB_FLOAT8E4M3FNUZ, OB_FLOAT8E5M2, OB_FLOAT8E5M2FNUZ,
                                    OB_UINT4, OB_INT4,         OB_UINT2,          OB_INT2};
    kl_edges edges = kl_open(1 << 12);
    uint64_t seed = 1;
    for (size_t to = 0; to < OBK_CONVERT_COUNT; to++)
        for (size_t from = 0; from < OB_DTYPE_COUNT; from++)
            for (size_t l = 1; tables[0]->convert[to][from] && l < n_levels; l++)
                for (int64_t n = 0; n <= 67; n++) {
                    void *x = kl_in(&edges, bytes_of(from, n));
                    kl_fill_bytes(x, bytes_of(from, n), &seed);
                    size_t n_bytes = bytes_of(to < OB_DTYPE_COUNT ? to : beyond[to - OB_DTYPE_COUNT], n);
                    kl_out expected = kl_out_open(n_bytes, 0),
                           got = kl_out_open(n_bytes, bytes_of(to < OB_DTYPE_COUNT ? to : 0, 1));
                    tables[0]->convert[to][from](expected.data, x, n);
                    tables[l]->convert[to][from](got.data, x, n);
                    if (memcmp(got.data, expected.data, n_bytes) != 0)
                        fail_msg("%s: %lld elements of type %zu to %zu differ", tables[l]->name, (long long)n, from, to);
                    kl_out_close(&expected);
                    kl_out_close(&got);
                    n_compared++;
                }
    assert_true(n_levels == 1 || n_compared > 10000);
    kl_close(&edges);
}

static double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

/* The position of an element in the array does not matter, and array functions are accurate at all levels. */
static void array_functions_do_not_depend_on_place(void **state) {
    (void)state;
    static const struct {
        obk_unary op;
        double low, high, most_ulps;
        double (*exact)(double);
    } cases[] = {
        {OBK_U_EXP, -20, 20, 1.5, exp},         {OBK_U_LOG, 0.01, 100, 1.5, log},   {OBK_U_TANH, -9, 9, 2, tanh},
        {OBK_U_ERF, -5, 5, 1.5, erf},           {OBK_U_SIN, -9, 9, 1.5, sin},       {OBK_U_COS, -9, 9, 1.5, cos},
        {OBK_U_ATAN, -9, 9, 1.5, atan},         {OBK_U_SINH, -9, 9, 1.5, sinh},     {OBK_U_ASINH, -9, 9, 1.5, asinh},
        {OBK_U_EXP, -105, 88.7, 1.5, exp},      {OBK_U_EXP, -1, 1, 1.5, exp},       {OBK_U_TANH, -1, 1, 2, tanh},
        {OBK_U_TANH, -1e-30, 1e-30, 1.5, tanh}, {OBK_U_TANH, -1e30, 1e30, 2, tanh}, {OBK_U_ERF, -1.2, 1.2, 1.5, erf},
        {OBK_U_ERF, -1e-30, 1e-30, 1.5, erf},   {OBK_U_ERF, -1e30, 1e30, 1.5, erf}, {OBK_U_SIGMOID, -87, 0, 2.5, sigmoid},
        {OBK_U_SIGMOID, -1, 90, 1.5, sigmoid},  {OBK_U_EXP, -200, -80, 1.5, exp},   {OBK_U_EXP, -3e38, -90, 1.5, exp},
    };
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(1 << 12);
    uint64_t seed = 1;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t l = 0; l < n_levels; l++)
            for (int64_t n = 1; n <= KL_LONGEST(4); n++) {
                float *x = kl_in(&edges, (size_t)n * sizeof *x), alone;
                kl_fill_f32(x, n, &seed, cases[c].low, cases[c].high);
                kl_out z = kl_out_open((size_t)n * sizeof *x, (size_t)(n % 5) * sizeof *x);
                static const int64_t step[1] = {4}, row[2] = {0, 0};
                tables[l]->unary[cases[c].op][OB_FLOAT]((char *[]){(char *)x, z.data}, step, n, row, 1, NULL);
                for (int64_t i = 0; i < n; i++) {
                    const float *got = (const float *)z.data + i;
                    double exact = cases[c].exact((double)x[i]), ulps = kl_ulps_f32(*got, exact);
                    if (ulps > cases[c].most_ulps)
                        fail_msg("%s: function %zu of %a gives %a, expected %a", tables[l]->name, c, (double)x[i], (double)*got,
                                 exact);
                    tables[l]->unary[cases[c].op][OB_FLOAT]((char *[]){(char *)(x + i), (char *)&alone}, step, 1, row, 1, NULL);
                    assert_memory_equal(&alone, got, sizeof alone);
                }
                kl_out_close(&z);
            }
    kl_close(&edges);
}

/* NaN, infinities, zeros and the ends of the range, at every level and every position in a vector. */
static void array_functions_keep_special_values(void **state) {
    (void)state;
    static const struct {
        obk_unary op;
        float x, z;
    } cases[] = {
        {OBK_U_EXP, NAN, NAN},
        {OBK_U_EXP, INFINITY, INFINITY},
        {OBK_U_EXP, -INFINITY, 0},
        {OBK_U_EXP, -0.0f, 1},
        {OBK_U_EXP, 0, 1},
        {OBK_U_EXP, 88.73f, INFINITY},
        {OBK_U_EXP, FLT_MAX, INFINITY},
        {OBK_U_EXP, -FLT_MAX, 0},
        {OBK_U_EXP, 95, INFINITY},
        {OBK_U_EXP, -104.1f, 0},
        {OBK_U_EXP, 0x1p-149f, 1},
        {OBK_U_SIGMOID, NAN, NAN},
        {OBK_U_SIGMOID, INFINITY, 1},
        {OBK_U_SIGMOID, -INFINITY, 0},
        {OBK_U_SIGMOID, -0.0f, 0.5f},
        {OBK_U_SIGMOID, -FLT_MAX, 0},
        {OBK_U_TANH, NAN, NAN},
        {OBK_U_TANH, INFINITY, 1},
        {OBK_U_TANH, -INFINITY, -1},
        {OBK_U_TANH, -0.0f, -0.0f},
        {OBK_U_TANH, 0, 0},
        {OBK_U_TANH, 1e-40f, 1e-40f},
        {OBK_U_TANH, -FLT_MAX, -1},
        {OBK_U_ERF, NAN, NAN},
        {OBK_U_ERF, INFINITY, 1},
        {OBK_U_ERF, -INFINITY, -1},
        {OBK_U_ERF, -0.0f, -0.0f},
        {OBK_U_ERF, 0, 0},
        {OBK_U_ERF, FLT_MAX, 1},
    };
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t l = 0; l < n_levels; l++)
            for (int64_t place = 0; place < 40; place++) {
                static const int64_t step[1] = {4}, row[2] = {0, 0};
                float x[40] = {0}, z[40];
                x[place] = cases[c].x;
                tables[l]->unary[cases[c].op][OB_FLOAT]((char *[]){(char *)x, (char *)z}, step, 40, row, 1, NULL);
                const bool same =
                    isnan(cases[c].z) ? isnan(z[place]) : z[place] == cases[c].z && !signbit(z[place]) == !signbit(cases[c].z);
                if (!same)
                    fail_msg("%s: case %zu at %lld: %a gives %a", tables[l]->name, c, (long long)place, (double)cases[c].x,
                             (double)z[place]);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mask_is_a_limit),
        cmocka_unit_test(the_environment_names_the_highest_level),
        cmocka_unit_test(elements_are_repeated),
        cmocka_unit_test(conversions_are_equal_at_all_levels),
        cmocka_unit_test(array_functions_do_not_depend_on_place),
        cmocka_unit_test(array_functions_keep_special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
