/* Operators of com.microsoft compared with ONNX Runtime, which defines them: every case of contrib_cases.def, of every type,
 * with random operands. Quantized elements may differ by the case's steps where a sum before the last rounding was rounded in
 * another order, and few of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "contrib_case.h"
#include "host_case.h"

enum { N_DRAWS = 6, MAX_INPUTS = 16, MAX_OUTPUTS = 8 };

/* ---- Operands and results ---- */

static uint32_t draw(uint32_t *state, uint32_t n) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % n;
}

/* Numbers below 4 with 10 bits behind the sign, which a float16 holds. */
static uint16_t half_of(int k) {
    int exponent = 15, fraction = k < 0 ? -k : k;
    if (fraction == 0) return 0;
    for (; fraction < 1024; exponent--) fraction *= 2;
    for (; fraction >= 2048; exponent++) fraction /= 2;
    return (uint16_t)((k < 0 ? 0x8000 : 0) | (exponent + 1) << 10 | (fraction & 1023));
}

static double from_half(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31  ? fraction ? (double)NAN : HUGE_VAL
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

static ob_view random_operand(const ob_session_value *input, bool narrow, uint32_t *seed) {
    ob_view view;
    char nothing = 0;
    assert_int_equal(ob_view_init(&view, &nothing, input->dtype, input->shape.rank, input->shape.dims), OB_OK);
    int64_t n = ob_view_count(&view);
    view.data = calloc((size_t)n + 1, ob_dtype_size(view.dtype));
    assert_non_null(view.data);
    for (int64_t i = 0; i < n; i++) {
        void *at = (char *)view.data + i * (int64_t)ob_dtype_size(view.dtype);
        int k = (int)draw(seed, 2047) - 1023;
        switch (view.dtype) {
        case OB_FLOAT: *(float *)at = (float)k / 512; break;
        case OB_DOUBLE: *(double *)at = (double)k / 512; break;
        case OB_FLOAT16: *(uint16_t *)at = half_of(k * 2); break;
        case OB_INT64: *(int64_t *)at = k & 1; break;
        case OB_INT32: *(int32_t *)at = k & 1; break;
        case OB_BOOL: *(bool *)at = k & 1; break;
        case OB_INT16:
        case OB_UINT16: *(uint16_t *)at = (uint16_t)(k * 32); break;
        case OB_INT8: *(int8_t *)at = (int8_t)(narrow ? k % 64 : (k >> 3)); break;
        default: *(uint8_t *)at = (uint8_t)k;
        }
    }
    return view;
}

static double element(const ob_view *view, int64_t i) {
    const char *at = (const char *)view->data + i * (int64_t)ob_dtype_size(view->dtype);
    switch (view->dtype) {
    case OB_FLOAT: return (double)*(const float *)at;
    case OB_DOUBLE: return *(const double *)at;
    case OB_FLOAT16: return from_half(*(const uint16_t *)at);
    case OB_INT64: return (double)*(const int64_t *)at;
    case OB_INT32: return *(const int32_t *)at;
    case OB_UINT16: return *(const uint16_t *)at;
    case OB_INT16: return *(const int16_t *)at;
    case OB_UINT8: return *(const uint8_t *)at;
    case OB_INT8: return *(const int8_t *)at;
    case OB_BOOL: return *(const bool *)at;
    default: fail_msg("no elements of %s", ob_dtype_name(view->dtype)); return 0;
    }
}

static double tolerance_of(const contrib_case *c, ob_dtype dtype) {
    double least = dtype == OB_FLOAT16 ? 2e-3 : 4e-6;
    return c->tolerance > least ? c->tolerance : least;
}

typedef struct difference {
    int64_t n, n_stepped; /* quantized elements, those that differ by a step */
} difference;

static void compare(const contrib_case *c, const char *what, const ob_view *got, const ob_view *want, difference *d) {
    bool real = want->dtype == OB_FLOAT || want->dtype == OB_FLOAT16 || want->dtype == OB_DOUBLE, same = true;
    if (got->dtype != want->dtype || got->rank != want->rank) fail_msg("%s: another type or rank", what);
    for (int32_t a = 0; a < want->rank; a++) same = same && got->dims[a] == want->dims[a];
    if (!same) fail_msg("%s: another shape", what);
    for (int64_t i = 0; i < ob_view_count(want); i++) {
        double a = element(got, i), b = element(want, i), most = c->steps;
        if (real) most = tolerance_of(c, want->dtype) * (1 + fabs(b));
        if (isnan(b) ? !isnan(a) : !(a == b || fabs(a - b) <= most))
            fail_msg("%s: element %d is %.9g, ONNX Runtime has %.9g", what, (int)i, a, b);
        d->n += !real;
        d->n_stepped += !real && a != b;
    }
}

/* ---- Running ---- */

/* False: ONNX Runtime refuses the model. */
static bool try_case(const contrib_case *c, const char *type, bool optimize, difference *d) {
    char text[8000], what[300];
    ob_model *model = NULL;
    ob_session *ours = NULL;
    ob_error error;
    ort_session theirs;
    ob_error_clear(&error);
    snprintf(what, sizeof what, "%s of %s: %.180s", c->name, type, c->nodes);
    assert_true(contrib_text(c, c->nodes, type, text, sizeof text));
    if (ob_model_load_memory(text, strlen(text), "text", NULL, &model, &error) != OB_OK ||
        ob_session_create(model, NULL, &ours, &error) != OB_OK)
        fail_msg("%s: %s", what, error.message);
    bool runs = ort_session_open_model(&host, model, &(ort_options){.optimize = optimize}, &theirs);
    uint32_t seed = 7;
    for (int k = 0; runs && k < N_DRAWS; k++) {
        ob_view in[MAX_INPUTS], got[MAX_OUTPUTS], want[MAX_OUTPUTS];
        ob_session_value input;
        size_t n = 0, n_out = ob_session_output_count(ours);
        assert_true(n_out <= MAX_OUTPUTS);
        for (; ob_session_input(ours, n, &input); n++) {
            assert_true(n < MAX_INPUTS);
            in[n] = random_operand(&input, c->narrow, &seed);
        }
        memset(got, 0, sizeof got);
        if (ob_session_run(ours, in, n, got, n_out, &error) != OB_OK) fail_msg("%s: %s", what, error.message);
        if (!ort_run(&theirs, in, n, want, n_out)) fail_msg("%s: %s", what, host.error);
        for (size_t i = 0; i < n_out; i++) compare(c, what, &got[i], &want[i], d);
        ort_views_free(want, n_out);
        for (size_t i = 0; i < n; i++) free(in[i].data);
    }
    if (runs) ort_session_close(&theirs);
    ob_session_close(&ours);
    ob_model_close(&model);
    return runs;
}

static void contrib_operators_are_those_of_onnxruntime(void **state) {
    difference d = {0};
    (void)state;
    for (int i = 0; i < N_CONTRIB_CASES; i++) {
        const contrib_case *c = &contrib_cases[i];
        char type[32];
        for (int k = 0; contrib_type(c->types, k, type, sizeof type), type[0]; k++)
            for (int optimize = 0; !c->elsewhere && optimize < 2; optimize++) {
                bool runs = try_case(c, type, optimize, &d);
                if (!runs && getenv("OB_CONTRIB_SHOW")) print_message("%s of %s: %s\n", c->name, type, host.error);
                if (!runs && k == 0) fail_msg("%s of %s: %s", c->name, type, host.error);
            }
    }
    print_message("%lld quantized elements, %lld of them a step away\n", (long long)d.n, (long long)d.n_stepped);
    assert_true(d.n > 1000 && d.n_stepped * 100 < d.n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(contrib_operators_are_those_of_onnxruntime, open_host, close_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
