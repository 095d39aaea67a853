/* The aligned form: the same model, its numbers at multiples of 64 bytes, used in place. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "byte_order.h"
#include "bytes.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "runtime/weights.h"
#include "same_model.h"
#include "session_case.h"

static bytes write_as(const ob_model *model, ob_model_format format) {
    bytes out = {0};
    ob_error error;
    if (ob_model_write(model, format, collect, &out, &error) != OB_OK) fail_msg("%s: %s", ob_model_path(model), error.message);
    return out;
}

static ob_model *read_from(const void *data, size_t n) {
    ob_model *model = NULL;
    ob_error error;
    if (ob_model_load_memory(data, n, "aligned", NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    return model;
}

/* ---- Where numbers lie ---- */

typedef struct places {
    const uint8_t *begin;
    size_t n_bytes, n_inside, n_elsewhere;
} places;

static void look_at(places *p, const ob_tensor *tensor) {
    if (!tensor || tensor->is_external || !tensor->data || tensor->n_elems == 0 || tensor->dtype == OB_STRING) return;
    const uint8_t *data = tensor->data;
    if (!ob__raw_is_memory_form(tensor->dtype) || data < p->begin || data >= p->begin + p->n_bytes) {
        p->n_elsewhere++;
        return;
    }
    if ((data - p->begin) % 64 != 0) fail_msg("tensor \"%s\" begins at byte %zu", tensor->name, (size_t)(data - p->begin));
    p->n_inside++;
}

static ob_status look_at_graph(void *context, ob_graph *graph) {
    for (uint32_t i = 0; i < graph->n_initializers; i++) look_at(context, graph->initializers[i]->data);
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_attributes; i++)
            if (node->attributes[i]->type == OB_ATTR_TENSOR && !node->attributes[i]->ref)
                look_at(context, node->attributes[i]->u.tensor);
    return OB_OK;
}

/* Tests everything that must hold for a model's aligned form; returns the places of its numbers. */
static places check_aligned_form(ob_model *model) {
    bytes aligned = write_as(model, OB_FORMAT_PROTOBUF_ALIGNED), again = write_as(model, OB_FORMAT_PROTOBUF_ALIGNED);
    assert_int_equal(aligned.n, again.n);
    assert_memory_equal(aligned.data, again.data, aligned.n);
    ob_model *back = read_from(aligned.data, aligned.n);
    const char *why = "";
    if (!same_model(model, back, &why)) fail_msg("%s: %s differs", ob_model_path(model), why);
    places p = {aligned.data, aligned.n, 0, 0};
    ob__model_each_graph(back, look_at_graph, &p);
    bytes third = write_as(back, OB_FORMAT_PROTOBUF_ALIGNED); /* aligned again: the same file */
    assert_int_equal(aligned.n, third.n);
    assert_memory_equal(aligned.data, third.data, aligned.n);
    bytes plain = write_as(back, OB_FORMAT_PROTOBUF); /* and back: without any padding */
    ob_model *unaligned = read_from(plain.data, plain.n);
    assert_true(plain.n <= aligned.n);
    if (!same_model(model, unaligned, &why)) fail_msg("%s, written plainly: %s differs", ob_model_path(model), why);
    free(again.data);
    free(third.data);
    ob_model_close(&unaligned);
    ob_model_close(&back);
    free(plain.data);
    free(aligned.data);
    return p;
}

static void test_sample_models(void **state) {
    (void)state;
    glob_t found;
    size_t n_inside = 0;
    assert_int_equal(glob(OB_SOURCE_DIR "/models/*.onnx", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        ob_model *model = NULL;
        ob_error error;
        if (ob_model_load(found.gl_pathv[i], NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
        places p = check_aligned_form(model);
        n_inside += p.n_inside;
        assert_true(p.n_elsewhere == 0 || is_big_endian());
        ob_model_close(&model);
    }
    assert_true(n_inside > 20 || is_big_endian());
    globfree(&found);
}

/* Typed fields, strings, elements of 4 bits, no elements, no name, a doc string, a subgraph. */
static void test_kinds_of_tensors(void **state) {
    (void)state;
    static const char text[] =
        "<ir_version: 10, opset_import: [\"\" : 21]>\n"
        "g (float[2] x, bool c) => (float[2] y)\n"
        "<float[2] f = {1.5, -2}, double[1] d = {3}, int64[3] i = {1, -2, 3}, int8[3] b = {-1, 2, 3}, uint16[1] u = {65535},\n"
        " bool[2] t = {1, 0}, float16[2] h = {1, 2}, int4[3] q = {-8, 7, 1}, string[2] s = {\"one\", \"\"}, float[0] none = {},\n"
        " float one = {7}>\n"
        "{\n"
        "  k = Constant <value = float[2] {4, 5}> ()\n"
        "  r = If (c) <then_branch = a () => (float[2] p) <float[2] inner = {1, 2}> { p = Add (x, inner) },\n"
        "              else_branch = e () => (float[2] n) { n = Sub (x, f) }>\n"
        "  y = Add (r, k)\n"
        "}\n";
    ob_model *model = NULL;
    ob_error error;
    if (ob_model_load_memory(text, sizeof text - 1, "kinds", NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    places p = check_aligned_form(model);
    int n_bytes_wide = 2;                                              /* b t: the same on every machine */
    assert_int_equal(p.n_inside, is_big_endian() ? n_bytes_wide : 10); /* f d i b u t h one, k, inner */
    assert_int_equal(p.n_elsewhere, is_big_endian() ? 11 - n_bytes_wide : 1);
    ob_model_close(&model);
}

/* Sizes around those at which a length takes one more byte: of tensors, and of the graph around them. */
static void test_lengths_at_their_ends(void **state) {
    (void)state;
    static const unsigned char data[20000];
    for (int n = 0; n < 400; n++) {
        ob_model *model = new_model(14);
        new_weight(model, "a", OB_UINT8, 1, (int64_t[]){n}, data);
        new_weight(model, "bb", OB_UINT8, 1, (int64_t[]){16384 - 200 + n}, data);
        new_weight(model, "ccc", OB_FLOAT, 0, NULL, data);
        new_output(model, new_node(model, "Relu", "y", 1, new_input(model, "x", OB_FLOAT, "N")));
        places p = check_aligned_form(model);
        assert_int_equal(p.n_inside, (n ? 3 : 2) - is_big_endian()); /* ccc */
        ob_model_close(&model);
    }
    ob_model *model = new_model(14);
    for (int i = 0; i < 3000; i++) {
        char name[40];
        snprintf(name, sizeof name, "w%.*s%d", i % 20, "abcdefghijklmnopqrstuvwxyz", i);
        const char *kept = ob__arena_strndup(&model->arena, name, strlen(name));
        new_weight(model, kept, OB_UINT8, 1, (int64_t[]){1 + i % 97}, data);
    }
    new_output(model, new_node(model, "Relu", "y", 1, new_input(model, "x", OB_FLOAT, "N")));
    assert_int_equal(check_aligned_form(model).n_inside, 3000);
    ob_model_close(&model);
}

/* ---- Read-only memory ---- */

/* A model in read-only memory without a file: weights are used in place, results have the same bits. */
static void test_read_only_memory(void **state) {
    (void)state;
    enum { SIZE = 37 };
    static float w[SIZE * SIZE], b[SIZE], x[3 * SIZE], y[3 * SIZE];
    for (int i = 0; i < SIZE * SIZE; i++) w[i] = (float)(i % 29) / 9 - 1;
    for (int i = 0; i < SIZE; i++) b[i] = (float)(i % 7) - 3;
    for (int i = 0; i < 3 * SIZE; i++) x[i] = (float)(i % 11) - 5;
    ob_model *model = new_model(14);
    ob_value *in_x = new_input(model, "x", OB_FLOAT, "N 37");
    ob_value *weight = new_weight(model, "w", OB_FLOAT, 2, (int64_t[]){SIZE, SIZE}, w);
    ob_value *bias = new_weight(model, "an odd name", OB_FLOAT, 1, (int64_t[]){SIZE}, b);
    ob_value *sum = new_node(model, "Add", "s", 2, new_node(model, "MatMul", "p", 2, in_x, weight), bias);
    new_output(model, new_node(model, "Relu", "y", 1, sum));
    bytes file[2] = {write_as(model, OB_FORMAT_PROTOBUF), write_as(model, OB_FORMAT_PROTOBUF_ALIGNED)};
    ob_model_close(&model);
    for (int aligned = 0; aligned < 2; aligned++) {
        size_t n = file[aligned].n;
        size_t page = (size_t)sysconf(_SC_PAGESIZE), n_pages = (n + page - 1) / page * page;
        unsigned char *flash = aligned_alloc(page, n_pages); /* whole pages, so that nothing else is protected */
        assert_non_null(flash);
        memcpy(flash, file[aligned].data, n);
        assert_int_equal(mprotect(flash, n_pages, PROT_READ), 0);
        ob_session_config config;
        ob_session *session = NULL;
        ob_session_memory memory;
        ob_session_config_init(&config);
        config.external_data = false;
        config.constants_in_place = true;
        model = read_from(flash, n);
        assert_int_equal(ob_session_create(model, &config, &session, NULL), OB_OK);
        ob_view in = view_of(x, OB_FLOAT, 2, 3, SIZE), out = {0};
        run_ok(session, &in, 1, &out, 1);
        if (aligned) /* the oracle is the run with copied weights */
            assert_memory_equal(out.data, y, sizeof y);
        else
            memcpy(y, out.data, sizeof y);
        ob_session_get_memory(session, &memory);
        if (aligned) assert_int_equal(memory.constant_bytes, 0);
        if (!aligned && !is_big_endian()) assert_true(memory.constant_bytes > 0); /* otherwise the test shows nothing */
        for (uint32_t i = 0; aligned && !is_big_endian() && i < session->model->n_values; i++) {
            if (!session->constants[i]) continue;
            const unsigned char *at = session->constants[i]->data;
            assert_true(at >= flash && at < flash + n);
            assert_int_equal((uintptr_t)at % 64, 0);
        }
        ob_session_close(&session);
        ob_model_close(&model);
        assert_int_equal(mprotect(flash, n_pages, PROT_READ | PROT_WRITE), 0);
        free(flash);
        free(file[aligned].data);
    }
}

static ob_status refuse_later(void *context, const void *data, size_t n) {
    size_t *left = context;
    (void)data;
    if (n > *left) return OB_E_IO;
    *left -= n;
    return OB_OK;
}

/* A sink that stops, at any byte. */
static void test_sink_that_fails(void **state) {
    (void)state;
    static const float data[30];
    ob_model *model = new_model(14);
    new_weight(model, "w", OB_FLOAT, 1, (int64_t[]){30}, data);
    new_output(model, new_node(model, "Relu", "y", 1, new_input(model, "x", OB_FLOAT, "N")));
    bytes whole = write_as(model, OB_FORMAT_PROTOBUF_ALIGNED);
    for (size_t n = 0; n <= whole.n; n++) {
        size_t left = n;
        ob_status status = ob_model_write(model, OB_FORMAT_PROTOBUF_ALIGNED, refuse_later, &left, NULL);
        assert_int_equal(status, n < whole.n ? OB_E_IO : OB_OK);
    }
    free(whole.data);
    ob_model_close(&model);
}

/* Every allocation of the writer fails once: it reports this, and the model is unchanged. */
static void test_out_of_memory(void **state) {
    (void)state;
    static const char text[] = "<ir_version: 8, opset_import: [\"\" : 14]>\n"
                               "g (float[2] x) => (float[2] y) <float[2] f = {1.5, -2}> {\n"
                               "  k = Constant <value = float[2] {4, 5}> ()  s = Add (x, k)  y = Add (s, f) }\n";
    bytes want = {0};
    size_t fail_at = 1;
    for (;; fail_at++) {
        counter c = {0};
        ob_allocator allocator = counting(&c);
        ob_load_options options;
        ob_model *model = NULL;
        ob_error error;
        bytes out = {0};
        ob_load_options_init(&options);
        options.allocator = &allocator;
        assert_int_equal(ob_model_load_memory(text, sizeof text - 1, "text", &options, &model, NULL), OB_OK);
        c.fail_at = c.n_calls + fail_at;
        ob_status status = ob_model_write(model, OB_FORMAT_PROTOBUF_ALIGNED, collect, &out, &error);
        if (status != OB_OK) {
            assert_int_equal(status, OB_E_MEMORY);
            assert_int_equal(error.code, OB_E_MEMORY);
        }
        c.fail_at = 0;
        bytes again = write_as(model, OB_FORMAT_PROTOBUF_ALIGNED);
        if (!want.data) want = again;
        assert_int_equal(again.n, want.n);
        assert_memory_equal(again.data, want.data, want.n);
        if (again.data != want.data) free(again.data);
        free(out.data);
        ob_model_close(&model);
        assert_int_equal(c.n_bytes, 0);
        if (status == OB_OK) break;
    }
    assert_true(fail_at > 1);
    free(want.data);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample_models),         cmocka_unit_test(test_kinds_of_tensors),
        cmocka_unit_test(test_lengths_at_their_ends), cmocka_unit_test(test_read_only_memory),
        cmocka_unit_test(test_sink_that_fails),       cmocka_unit_test(test_out_of_memory),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
