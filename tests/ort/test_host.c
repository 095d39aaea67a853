/* The helper with which the tests in this folder run ONNX Runtime: inputs are returned unchanged, and failures give a
 * reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host.h"

static ort_host host;

static int open_host(void **state) {
    (void)state;
    if (!ort_open(&host, OB_ONNXRUNTIME_LIBRARY)) fail_msg("%s", host.error);
    print_message("ONNX Runtime %s, API version %u\n", host.version, (unsigned)host.api_version);
    return 0;
}

static int close_host(void **state) {
    (void)state;
    ort_close(&host);
    return 0;
}

static ort_session open_text(const char *text, bool optimize) {
    ort_session s;
    if (!ort_session_open_text(&host, text, &(ort_options){.optimize = optimize}, &s)) fail_msg("%s", host.error);
    return s;
}

static ob_view view_of(void *data, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    ob_view view;
    assert_int_equal(ob_view_init(&view, data, dtype, rank, dims), OB_OK);
    return view;
}

static const char add_text[] = "<ir_version: 8, opset_import: [\"\" : 14]>\n"
                               "g (float[N,3] a, float[3] b) => (float[N,3] c) { c = Add (a, b) }\n";

static void an_addition_is_computed(void **state) {
    (void)state;
    for (int optimize = 0; optimize < 2; optimize++) {
        ort_session s = open_text(add_text, optimize);
        assert_int_equal(s.n_inputs, 2);
        assert_int_equal(s.n_outputs, 1);
        assert_string_equal(s.input_names[1], "b");
        assert_string_equal(s.output_names[0], "c");
        assert_int_equal(ort_input_type(&s, 0), OB_FLOAT);
        float a[6] = {1, 2, 3, 4, 5, 6}, b[3] = {10, 20, 30}, c[6] = {11, 22, 33, 14, 25, 36};
        for (int64_t n = 0; n <= 2; n++) {
            ob_view in[2] = {view_of(a, OB_FLOAT, 2, (int64_t[]){n, 3}), view_of(b, OB_FLOAT, 1, (int64_t[]){3})}, out;
            if (!ort_run(&s, in, 2, &out, 1)) fail_msg("%s", host.error);
            assert_int_equal(out.dtype, OB_FLOAT);
            assert_int_equal(out.rank, 2);
            assert_int_equal(out.dims[0], n);
            assert_int_equal(out.dims[1], 3);
            assert_memory_equal(out.data, c, (size_t)n * 3 * sizeof *c);
            ort_views_free(&out, 1);
        }
        ort_session_close(&s);
    }
}

/* Bytes of every kind, in and out. ONNX Runtime has no complex numbers and none of the types after int4 that its Cast takes to
 * themselves; its Identity has no 4-bit types. */
static void every_type_passes(void **state) {
    (void)state;
    uint8_t data[12 * 16];
    size_t n_types = 0;
    for (int type = OB_NONE + 1; type < OB_DTYPE_COUNT; type++) {
        ob_dtype dtype = (ob_dtype)type;
        if (dtype == OB_STRING) continue;
        char text[300], cast[40];
        snprintf(cast, sizeof cast, "Cast <to = %d>", type);
        snprintf(text, sizeof text, "<ir_version: 10, opset_import: [\"\" : 21]>\ng (%s[N,M] x) => (%s[N,M] y) { y = %s (x) }\n",
                 ob_dtype_name(dtype), ob_dtype_name(dtype), dtype >= OB_UINT4 ? cast : "Identity");
        ort_session s;
        if (!ort_session_open_text(&host, text, &(ort_options){.optimize = false}, &s)) {
            bool is_old = strtol(host.version + strlen("1."), NULL, 10) < 30; /* 1.21 has no 4-bit Cast */
            bool known = dtype == OB_COMPLEX64 || dtype == OB_COMPLEX128 || dtype > OB_INT4 || (is_old && dtype >= OB_UINT4);
            if (!known) fail_msg("%s: %s", ob_dtype_name(dtype), host.error);
            continue;
        }
        n_types++;
        assert_int_equal(ort_input_type(&s, 0), dtype);
        for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * 37 + 200);
        for (size_t i = 0; i < sizeof data && dtype == OB_BOOL; i++) data[i] &= 1;
        for (size_t i = 0; i < sizeof data && dtype == OB_UINT4; i++) data[i] &= 15;
        for (size_t i = 0; i < sizeof data && dtype == OB_INT4; i++) data[i] = (uint8_t)((data[i] & 15) - 8);
        static const int64_t sizes[][2] = {{3, 4}, {1, 1}, {3, 3}, {0, 4}};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            ob_view in = view_of(data, dtype, 2, sizes[k]), out;
            if (!ort_run(&s, &in, 1, &out, 1)) fail_msg("%s: %s", ob_dtype_name(dtype), host.error);
            assert_int_equal(out.dtype, dtype);
            assert_int_equal(ob_view_count(&out), ob_view_count(&in));
            assert_memory_equal(out.data, data, (size_t)ob_view_count(&in) * ob_dtype_size(dtype));
            ort_views_free(&out, 1);
        }
        ort_session_close(&s);
    }
    print_message("%zu types besides string\n", n_types);
    assert_true(n_types >= 13);
}

static void strings_pass(void **state) {
    (void)state;
    ort_session s =
        open_text("<ir_version: 8, opset_import: [\"\" : 14]>\ng (string[] x) => (string[] y) { y = Identity (x) }\n", true);
    ob_string strings[4] = {{"plain", 5}, {NULL, 0}, {"a\0b", 3}, {"\xc3\xa9", 2}};
    for (int64_t n = 0; n <= 4; n++) {
        ob_view in = view_of(strings, OB_STRING, 1, &n), out;
        if (!ort_run(&s, &in, 1, &out, 1)) fail_msg("%s", host.error);
        assert_int_equal(out.dtype, OB_STRING);
        assert_int_equal(out.dims[0], n);
        const ob_string *got = out.data;
        for (int64_t i = 0; i < n; i++) {
            assert_int_equal(got[i].n, strings[i].n);
            if (got[i].n) assert_memory_equal(got[i].data, strings[i].data, got[i].n);
        }
        ort_views_free(&out, 1);
    }
    ob_view scalar = view_of(&strings[2], OB_STRING, 0, NULL), out;
    if (!ort_run(&s, &scalar, 1, &out, 1)) fail_msg("%s", host.error);
    assert_int_equal(out.rank, 0);
    assert_int_equal(((ob_string *)out.data)->n, 3);
    ort_views_free(&out, 1);
    ort_session_close(&s);
}

static void assert_says(const char *part) {
    if (!strstr(host.error, part)) fail_msg("'%s' does not say '%s'", host.error, part);
}

static void failures_say_why(void **state) {
    (void)state;
    ort_host other;
    assert_false(ort_open(&other, "/nowhere/libonnxruntime.so.1"));
    assert_non_null(strstr(other.error, "/nowhere/libonnxruntime.so.1"));

    ort_session s;
    ort_options no_plugin = {.plugin = "/nowhere/plugin.so"};
    assert_false(ort_session_open_text(&host, add_text, &no_plugin, &s));
    assert_says("/nowhere/plugin.so");
    assert_false(ort_session_open(&host, "not a model", 11, &(ort_options){0}, &s));
    const char *unknown =
        "<ir_version: 8, opset_import: [\"\" : 14, \"none\" : 1]>\ng (float[N] x) => (float[N] y) { y = none.Such (x) }\n";
    assert_false(ort_session_open_text(&host, unknown, &(ort_options){0}, &s));
    assert_says("Such");

    s = open_text(add_text, false);
    float a[8] = {0};
    ob_view in[2] = {view_of(a, OB_FLOAT, 2, (int64_t[]){2, 3}), view_of(a, OB_FLOAT, 1, (int64_t[]){4})}, out[2];
    assert_false(ort_run(&s, in, 2, out, 1));
    assert_says("invalid dimensions for input: b");
    assert_null(out[0].data);
    assert_false(ort_run(&s, in, 1, out, 1));
    assert_says("number of inputs");
    assert_false(ort_run(&s, in, 2, out, 2));
    assert_says("fewer outputs");
    ort_session_close(&s);

    const char *sequence = "<ir_version: 8, opset_import: [\"\" : 14]>\n"
                           "g (float[N] x) => (seq(float[N]) y) { y = SequenceConstruct (x) }\n";
    s = open_text(sequence, false);
    ob_view x = view_of(a, OB_FLOAT, 1, (int64_t[]){2});
    assert_false(ort_run(&s, &x, 1, out, 1));
    assert_says("not a tensor");
    ort_session_close(&s);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_addition_is_computed),
        cmocka_unit_test(every_type_passes),
        cmocka_unit_test(strings_pass),
        cmocka_unit_test(failures_say_why),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, open_host, close_host);
}
