/* Hostile input: every file gives a model, or a status with a message, and never a crash. Also run with sanitizers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bytes.h"
#include "core/graph/graph.h"
#include "onnx_broadcast/tensor_file.h"

static const char small_text[] =
    "<ir_version: 8, opset_import: [\"\" : 18, \"local\" : 1], producer_name: \"p\", metadata_props: [\"k\": \"v\"]>\n"
    "main (float[N, 3] x, bool cond, seq(map(int64, string)) s) => (float[N,3] out, int64[2] r)\n"
    "<float[3] w = {1,2,3}, int4[3] i = {-8, 7, 1}, string[2] t = {\"a\", \"b\"}, float[N,3] mid, float16[1] h = {15360}>\n"
    "{ [add] mid = Add(x, w) out = local.f:o <alpha = 2.5, ints = [1, 2], strs = [\"a\"], t = int64[2] {1, 2}> (mid, w)\n"
    "  r = If (cond) <then_branch = g1 () => (int64[2] a) { a = Shape(mid) }, else_branch = g2 () => (b) { b = Size(w) }> }\n"
    "<domain: \"local\", overload: \"o\", opset_import: [\"\" : 18]> f <alpha, beta: int = 1> (a, b) => (c) { c = Mul(a, b) }\n";

/* The small model as protobuf. */
static bytes small_model(void) {
    ob_model *model = NULL;
    ob_error error;
    bytes out = {0};
    if (ob_model_load_memory(small_text, sizeof small_text - 1, NULL, NULL, &model, &error) != OB_OK)
        fail_msg("%s", error.message);
    assert_int_equal(ob_model_write(model, OB_FORMAT_PROTOBUF, collect, &out, NULL), OB_OK);
    ob_model_close(&model);
    return out;
}

/* Loads; on success writes in both forms and clones, which must not fail unexpectedly either. */
static ob_status try_load(const void *data, size_t n, ob_error *error) {
    /* An exact copy on the heap: the sanitizer sees reads past its end. */
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    if (n) memcpy(copy, data, n);
    ob_model *model = NULL, *clone = NULL;
    ob_status status = ob_model_load_memory(copy, n, NULL, NULL, &model, error);
    if (status != OB_OK) {
        assert_null(model);
        assert_int_equal(error->code, status);
        if (error->message[0] == '\0') fail_msg("status %d without a message", status);
    } else {
        bytes out = {0};
        assert_int_equal(ob_model_clone(model, &clone, NULL), OB_OK);
        assert_int_equal(ob_model_write(clone, OB_FORMAT_PROTOBUF, collect, &out, NULL), OB_OK);
        ob_status text = ob_model_write(model, OB_FORMAT_TEXT, collect, &out, NULL);
        assert_true(text == OB_OK || text == OB_E_UNSUPPORTED || text == OB_E_MODEL);
        free(out.data);
        ob_model_close(&clone);
        ob_model_close(&model);
    }
    free(copy);
    return status;
}

static bool is_refusal(ob_status status) {
    return status == OB_E_FORMAT || status == OB_E_MODEL || status == OB_E_LIMIT;
}

static void truncated_at_every_byte(void **state) {
    (void)state;
    bytes model = small_model();
    ob_error error;
    size_t n_loaded = 0;
    for (size_t n = 0; n < model.n; n++) {
        ob_status status = try_load(model.data, n, &error);
        if (status == OB_OK)
            n_loaded++; /* cut between two fields of the model after its graph */
        else if (!is_refusal(status))
            fail_msg("at byte %zu: %d %s", n, status, error.message);
    }
    assert_true(n_loaded < 5);
    assert_int_equal(try_load(model.data, model.n, &error), OB_OK);
    for (size_t n = 0; n + 2 < sizeof small_text - 1; n++) {
        ob_status status = try_load(small_text, n, &error);
        if (status != OB_OK && !is_refusal(status)) fail_msg("text at byte %zu: %d %s", n, status, error.message);
    }
    free(model.data);
}

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void bit_flips_and_random_bytes(void **state) {
    (void)state;
    bytes model = small_model();
    ob_error error;
    uint64_t seed = 20240607;
    size_t n_refused = 0;
    for (int round = 0; round < 6000; round++) {
        const char *text = round % 3 == 2 ? small_text : NULL;
        size_t n = text ? sizeof small_text - 1 : model.n;
        uint8_t *copy = malloc(n);
        assert_non_null(copy);
        memcpy(copy, text ? (const uint8_t *)text : model.data, n);
        for (int flips = 1 + (int)(next_random(&seed) % 4); flips > 0; flips--) {
            size_t at = next_random(&seed) % n;
            copy[at] = round % 2 ? (uint8_t)next_random(&seed) : copy[at] ^ (uint8_t)(1u << (next_random(&seed) % 8));
        }
        ob_status status = try_load(copy, n, &error);
        if (status != OB_OK && !is_refusal(status)) fail_msg("round %d: %d %s", round, status, error.message);
        n_refused += status != OB_OK;
        free(copy);
    }
    assert_true(n_refused > 2000);
    for (int round = 0; round < 2000; round++) {
        uint8_t noise[200];
        size_t n = next_random(&seed) % sizeof noise;
        for (size_t i = 0; i < n; i++) noise[i] = (uint8_t)next_random(&seed);
        ob_status status = try_load(noise, n, &error);
        if (!is_refusal(status)) fail_msg("noise %d: %d %s", round, status, error.message);
    }
    free(model.data);
}

static void expect(const void *data, size_t n, ob_status expected, const char *words) {
    ob_error error;
    ob_status status = try_load(data, n, &error);
    if (status != expected) fail_msg("\"%s\": status %d (%s)", words, status, status ? error.message : "accepted");
    if (!strstr(error.message, words)) fail_msg("\"%s\" is not in \"%s\"", words, error.message);
}
#define EXPECT_BYTES(status, words, ...)                                                                                         \
    expect((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), status, words)
#define EXPECT_TEXT(status, words, text) expect(text, sizeof(text) - 1, status, words)

static void wrong_wire_forms_are_named(void **state) {
    (void)state;
    expect("", 0, OB_E_FORMAT, "empty");
    EXPECT_BYTES(OB_E_FORMAT, "holds no graph", 0x08, 8);
    EXPECT_BYTES(OB_E_FORMAT, "truncated at byte 4: field 7 (graph) of ModelProto promises 100 bytes, 1 are left", 0x08, 8, 0x3A,
                 100, 1);
    EXPECT_BYTES(OB_E_FORMAT, "truncated at byte 1: the number of field 1 (ir_version)", 0x08, 0x80);
    EXPECT_BYTES(OB_E_FORMAT, "does not end", 0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80);
    EXPECT_BYTES(OB_E_FORMAT, "wire type 3", 0x0B, 0x01);
    EXPECT_BYTES(OB_E_FORMAT, "no field of ModelProto starts here", 0x00, 0x01);
    EXPECT_BYTES(OB_E_FORMAT, "field 7 (graph) has wire type 0 instead of 2", 0x38, 0x01);
    EXPECT_BYTES(OB_E_FORMAT, "field 7 (graph) of ModelProto occurs twice", 0x3A, 0, 0x3A, 0);
    EXPECT_BYTES(OB_E_FORMAT, "zero byte", 0x12, 2, 'a', 0, 0x3A, 0);
    EXPECT_BYTES(OB_E_FORMAT, "whole numbers", 0x3A, 9, 0x2A, 7, 0x22, 5, 0, 0, 0, 0, 0); /* five bytes of float_data */
    EXPECT_BYTES(OB_E_FORMAT, "whole numbers", 0x3A, 6, 0x2A, 4, 0x2A, 2, 1, 0x80);       /* int32_data, last one open */
    EXPECT_BYTES(OB_E_FORMAT, "18446744073709551615 bytes", 0x3A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0);
    /* A tensor instead of a model: dims, data_type, raw_data. */
    EXPECT_BYTES(OB_E_FORMAT, "not an ONNX model: it is a TensorProto", 0x08, 1, 0x10, 1, 0x4A, 4, 0, 0, 0, 0);
    EXPECT_BYTES(OB_E_FORMAT, "byte 0 holds wire type 7", 0x7F, 'E', 'L', 'F', 2, 1, 1, 0, 0x12, 1, 0);
    EXPECT_TEXT(OB_E_FORMAT, "not an ONNX model: ModelProto has no field \"json\"", "{\"json\": true}");
    EXPECT_TEXT(OB_E_FORMAT, "not an ONNX model: ModelProto has no field \"layer\"", "layer { name: 3 }");
    EXPECT_TEXT(OB_E_FORMAT, "not an ONNX model: neither", "3 + 4");
    EXPECT_TEXT(OB_E_FORMAT, "line 1, column 1: not an ONNX model", "%PDF-1.4 and so on");
}

static void ill_formed_graphs_are_named(void **state) {
    (void)state;
    EXPECT_TEXT(OB_E_MODEL, "uses \"z\", which nothing defines", "g (float x) => (float y) { y = Foo(z) }");
    EXPECT_TEXT(OB_E_MODEL, "output \"y\" is not defined", "g (float x) => (float y) { }");
    EXPECT_TEXT(OB_E_MODEL, "\"y\" is defined twice", "g (float x) => (float y) { y = Foo(x) y = Foo(x) }");
    EXPECT_TEXT(OB_E_MODEL, "\"x\" is defined twice", "g (float x, float x) => (float x) { }");
    EXPECT_TEXT(OB_E_MODEL, "\"x\" is defined twice", "g (float x) => (float x) { x = Foo(x) }");
    EXPECT_TEXT(OB_E_MODEL, "\"w\" is defined twice", "g (float x) => (float x) <float w = {1}, float w = {2}> { }");
    EXPECT_TEXT(OB_E_MODEL, "has no operator type", "g (float x) => (float y) { y = \"\"(x) }");
    EXPECT_TEXT(OB_E_MODEL, "has no name", "g (float \"\") => (float y) { y = Foo() }");
    EXPECT_TEXT(OB_E_MODEL, "attribute \"a\" occurs twice", "g (float x) => (float y) { y = Foo<a = 1, a = 2>(x) }");
    EXPECT_TEXT(OB_E_MODEL, "(3) needs 3 entries of float_data, the file holds 2",
                "g (float x) => (float x) <float[3] w = {1,2}> { }");
    EXPECT_TEXT(OB_E_MODEL, "the file holds 4", "g (float x) => (float x) <float[3] w = {1,2,3,4}> { }");
    EXPECT_TEXT(OB_E_MODEL, "size -3 of axis 0 is negative", "g (float x) => (float x) <float[-3] w = {}> { }");
    EXPECT_TEXT(OB_E_MODEL, "does not fit 64 bits", "g (float x) => (float x) <float[4294967296, 4294967296, 0] w = {}> { }");
    EXPECT_TEXT(OB_E_MODEL, sizeof(size_t) == 8 ? "needs 4611686018427387904 entries" : "more bytes than memory can have",
                "g (float x) => (float x) <int8[4611686018427387904] w = {}> { }");
    EXPECT_TEXT(OB_E_MODEL, "more bytes than memory can have",
                "g (float x) => (float x) <double[4611686018427387904] w = [\"location\": \"f\"]> { }");
    EXPECT_TEXT(OB_E_MODEL, "is -7", "g (float[-7] x) => (float x) { }");
    EXPECT_TEXT(OB_E_MODEL, "far beyond any memory", "g (float[9223372036854775807] x) => (float x) { }");
    EXPECT_TEXT(OB_E_MODEL, "\"f\" of domain \"d\" is defined twice",
                "g (float x) => (float x) { } <domain: \"d\"> f (a) => (a) {} <domain: \"d\"> f (a) => (a) {}");
    EXPECT_TEXT(OB_E_MODEL, "uses \"x\", which nothing defines", /* a function captures no outer values */
                "g (float x) => (float x) { } <domain: \"d\"> f (a) => (b) { b = Neg(x) }");
    ob_error error; /* the checker, not the reader, reports cycles and wrong order */
    const char cycle[] = "g (float x) => (float y) { y = Foo(z) z = Foo(y) }";
    assert_int_equal(try_load(cycle, sizeof cycle - 1, &error), OB_OK);
}

static void limits_hold(void **state) {
    (void)state;
    ob_load_options options;
    ob_load_options_init(&options);
    ob_model *model = NULL;
    ob_error error;
    const char text[] = "g (float[1,2,3] x) => (y) { z = Foo(x) y = Foo(z) }";
    options.limits.max_nodes = 1;
    assert_int_equal(ob_model_load_memory(text, sizeof text - 1, NULL, &options, &model, &error), OB_E_LIMIT);
    bytes binary = small_model();
    assert_int_equal(ob_model_load_memory(binary.data, binary.n, NULL, &options, &model, &error), OB_E_LIMIT);
    assert_non_null(strstr(error.message, "nodes"));
    ob_load_options_init(&options);
    options.limits.max_rank = 2;
    assert_int_equal(ob_model_load_memory(text, sizeof text - 1, NULL, &options, &model, &error), OB_E_LIMIT);
    assert_non_null(strstr(error.message, "rank 3"));
    ob_load_options_init(&options);
    options.limits.max_bytes = 10;
    assert_int_equal(ob_model_load_memory(text, sizeof text - 1, NULL, &options, &model, &error), OB_E_LIMIT);
    ob_load_options_init(&options);
    options.limits.max_depth = 4;
    assert_int_equal(ob_model_load_memory(binary.data, binary.n, NULL, &options, &model, &error), OB_E_LIMIT);
    assert_non_null(strstr(error.message, "nested deeper than the limit of 4"));
    ob_load_options_init(&options);
    options.limits.max_arena = 1024;
    assert_int_equal(ob_model_load_memory(binary.data, binary.n, NULL, &options, &model, &error), OB_E_LIMIT);
    assert_non_null(strstr(error.message, "memory"));
    static const char tiny[] =
        "<ir_version: 8, opset_import: [\"\" : 17]> g (float x) => (float x) { }"; /* fits the first block */
    assert_int_equal(ob_model_load_memory(tiny, sizeof tiny - 1, NULL, &options, &model, &error), OB_E_LIMIT);
    assert_non_null(strstr(error.message, "memory"));
    assert_null(model);
    free(binary.data);
}

/* Attribute g of a node of a graph of an attribute ..., nested as deeply as the bytes allow. */
static void deep_nesting_is_refused(void **state) {
    (void)state;
    enum { LEVELS = 19999 };
    uint8_t *bytes_ = malloc(LEVELS * 16 + 16), *end = bytes_ + LEVELS * 16 + 16, *p = end;
    assert_non_null(bytes_);
    for (int i = 0; i < LEVELS; i++) {
        const uint8_t fields[] = {0x3A, 0x32, 0x2A, 0x0A}; /* graph of the model; from the inside: g, attribute, node */
        size_t n = (size_t)(end - p);
        uint8_t head[8];
        size_t n_head = 0;
        head[n_head++] = i == LEVELS - 1 ? fields[0] : fields[1 + i % 3];
        for (size_t left = n;; left >>= 7) {
            head[n_head++] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
            if (left <= 0x7f) break;
        }
        p -= n_head;
        memcpy(p, head, n_head);
    }
    ob_error error;
    ob_status status = try_load(p, (size_t)(end - p), &error);
    assert_int_equal(status, OB_E_LIMIT);
    /* The caller's limit cannot exceed the maximum that protects the C stack. */
    ob_load_options options;
    ob_load_options_init(&options);
    options.limits.max_depth = UINT32_MAX;
    ob_model *model = NULL;
    status = ob_model_load_memory(p, (size_t)(end - p), NULL, &options, &model, &error);
    assert_int_equal(status, OB_E_LIMIT);
    free(bytes_);
}

static void bad_paths_say_why(void **state) {
    (void)state;
    ob_model *model = NULL;
    ob_error error;
    assert_int_equal(ob_model_load("/nonexistent/m.onnx", NULL, &model, &error), OB_E_IO);
    assert_string_equal(error.message, "cannot open \"/nonexistent/m.onnx\": No such file or directory");
    assert_int_equal(ob_model_load("/tmp", NULL, &model, &error), OB_E_IO);
    assert_string_equal(error.message, "cannot read \"/tmp\": Is a directory");
    assert_int_equal(ob_model_load("/dev/null", NULL, &model, &error), OB_E_FORMAT);
    assert_non_null(strstr(error.message, "empty"));
    assert_int_equal(ob_model_load(NULL, NULL, &model, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_model_load_descriptor(-1, NULL, NULL, &model, &error), OB_E_IO);
    assert_int_equal(ob_model_load_memory(NULL, 5, NULL, NULL, &model, &error), OB_E_ARGUMENT);
    assert_null(model);
}

/* ---- Allocation failures ---- */

typedef struct failing {
    size_t n_left, n_held;
} failing;

static void *failing_alloc(void *context, size_t n) {
    failing *f = context;
    if (f->n_left == 0) return NULL;
    f->n_left--;
    f->n_held++;
    return malloc(n);
}
static void *failing_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    failing *f = context;
    (void)old_bytes;
    if (f->n_left == 0) return NULL;
    f->n_left--;
    return realloc(block, new_bytes);
}
static void failing_free(void *context, void *block, size_t n) {
    (void)n;
    if (block) ((failing *)context)->n_held--;
    free(block);
}

/* The small model with a weight large enough for separate storage, so that each allocation of the loader occurs. */
static void each_allocation_fails_once(void **state) {
    (void)state;
    bytes text = {0}, model = {0};
    collect(&text, small_text, strcspn(small_text, ">") + 1);
    const char head[] = "g (float[N] x) => (y) <int8[3000] big = {1", tail[] = "}> { y = Foo<a = [1,2]>(x, big) }";
    collect(&text, head, sizeof head - 1);
    for (int i = 1; i < 3000; i++) collect(&text, ",2", 2);
    collect(&text, tail, sizeof tail - 1);
    ob_model *plain = NULL;
    ob_error error;
    if (ob_model_load_memory(text.data, text.n, NULL, NULL, &plain, &error) != OB_OK) fail_msg("%s", error.message);
    ob_tensor *raw = OB_ARENA_NEW(&plain->arena, ob_tensor); /* rewritten as raw data */
    *raw = *plain->graph->initializers[0]->data;
    raw->origin = NULL;
    plain->graph->initializers[0]->data = raw;
    assert_int_equal(ob_model_write(plain, OB_FORMAT_PROTOBUF, collect, &model, NULL), OB_OK);
    ob_model_close(&plain);
    const bytes *inputs[] = {&text, &model};
    for (int i = 0; i < 2; i++) {
        size_t n_allowed = 0;
        for (;; n_allowed++) {
            failing f = {n_allowed, 0};
            ob_allocator allocator = {failing_alloc, failing_realloc, failing_free, &f};
            ob_load_options options;
            ob_load_options_init(&options);
            options.allocator = &allocator;
            ob_model *loaded = NULL;
            ob_status status = ob_model_load_memory(inputs[i]->data, inputs[i]->n, NULL, &options, &loaded, &error);
            if (status == OB_OK) {
                /* The same for writing and copying, with more and more allocations. */
                ob_model *clone = NULL;
                bytes out = {0};
                for (size_t more = 0; f.n_left = more, ob_model_clone(loaded, &clone, &error) != OB_OK; more++)
                    assert_int_equal(error.code, OB_E_MEMORY);
                for (size_t more = 0; f.n_left = more, ob_model_write(clone, OB_FORMAT_PROTOBUF, collect, &out, &error) != OB_OK;
                     more++)
                    assert_int_equal(error.code, OB_E_MEMORY);
                for (size_t more = 0; f.n_left = more, ob_model_write(clone, OB_FORMAT_TEXT, collect, &out, &error) != OB_OK;
                     more++)
                    assert_int_equal(error.code, OB_E_MEMORY);
                free(out.data);
                ob_model_close(&clone);
                ob_model_close(&loaded);
            }
            assert_int_equal(f.n_held, 0);
            if (status == OB_OK) break;
            if (status != OB_E_MEMORY) fail_msg("with %zu allocations: %d %s", n_allowed, status, error.message);
            assert_true(error.message[0] != '\0');
            assert_null(loaded);
        }
        assert_true(n_allowed >= 2);
    }
    free(text.data);
    free(model.data);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncated_at_every_byte),
        cmocka_unit_test(bit_flips_and_random_bytes),
        cmocka_unit_test(wrong_wire_forms_are_named),
        cmocka_unit_test(ill_formed_graphs_are_named),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(bad_paths_say_why),
        cmocka_unit_test(each_allocation_fails_once),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
