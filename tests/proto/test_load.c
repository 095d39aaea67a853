/* Reading models: every model on the machine loads, and the result matches the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "byte_order.h"
#include "core/graph/graph.h"
#include "corpus.h"
#include "model_text.h"

static void load_one(void *context, const char *path) {
    size_t *count = context;
    ob_model *model = NULL;
    ob_error error;
    ob_status status = ob_model_load(path, NULL, &model, &error);
    if (status != OB_OK) fail_msg("%s: %s", path, error.message);
    assert_true(ob_model_node_count(model) > 0 || model->graph->n_nodes == 0);
    assert_string_equal(ob_model_path(model), path);
    for (ob_node *node = model->graph->first; node; node = node->next) {
        assert_ptr_equal(node->graph, model->graph);
        assert_true(node->op_type[0] != '\0');
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) assert_ptr_equal(node->outputs[i]->producer, node);
    }
    ob_model_close(&model);
    assert_null(model);
    ++*count;
}

static void every_model_at_hand_loads(void **state) {
    (void)state;
    size_t n = corpus_each_model(load_one);
    print_message("%zu models loaded\n", n);
}

/* ir_version 8; graph "g": X(float, N x 3) + W(float, 1 x 3, raw) -> Y; opset 13 of ai.onnx. Written by hand, byte by byte. */
static const uint8_t small_model[] = {
    0x08, 0x08,                                                                                /* ir_version */
    0x3A, 0x4F,                                                                                /* graph, 79 bytes */
    0x0A, 0x0E, 0x0A, 1,    'X',  0x0A, 1,    'W',  0x12, 1,    'Y',  0x22, 3,  'A', 'd', 'd', /* node */
    0x12, 1,    'g',                                                                           /* name */
    0x2A, 0x17, 0x08, 1,    0x08, 3,    0x10, 1,    0x42, 1,    'W',  0x4A, 12, /* initializer: dims, type, name, raw */
    0,    0,    0x80, 0x3F, 0,    0,    0,    0x40, 0,    0,    0x40, 0x40,     /* 1, 2, 3 */
    0x5A, 0x14, 0x0A, 1,    'X',  0x12, 0x0F, 0x0A, 0x0D, 0x08, 1,    0x12, 9,  /* input: name, type */
    0x0A, 3,    0x12, 1,    'N',  0x0A, 2,    0x08, 3,                          /* shape: N, 3 */
    0x62, 0x0B, 0x0A, 1,    'Y',  0x12, 6,    0x0A, 4,    0x08, 1,    0x12, 0,  /* output: float, rank 0 as declared */
    0x42, 2,    0x10, 13,                                                       /* opset_import: version 13 */
};

static void small_model_is_read_field_by_field(void **state) {
    (void)state;
    ob_model *model = NULL;
    ob_error error;
    ob_status status = ob_model_load_memory(small_model, sizeof small_model, NULL, NULL, &model, &error);
    if (status != OB_OK) fail_msg("%s", error.message);
    assert_string_equal(ob_model_path(model), "<memory>");
    assert_int_equal(ob_model_ir_version(model), 8);
    assert_int_equal(ob_model_opset_count(model), 1);
    assert_string_equal(ob_model_opset_at(model, 0).domain, "");
    assert_int_equal(ob_model_opset_at(model, 0).version, 13);
    assert_int_equal(ob_model_node_count(model), 1);
    const ob_graph *graph = model->graph;
    assert_string_equal(graph->name, "g");
    assert_int_equal(graph->n_inputs, 1);
    assert_int_equal(graph->n_outputs, 1);
    assert_int_equal(graph->n_initializers, 1);
    const ob_value *x = graph->inputs[0], *w = graph->initializers[0], *y = graph->outputs[0];
    assert_string_equal(x->name, "X");
    assert_true(x->is_input && !x->is_output && !x->is_initializer);
    assert_int_equal(x->declared.kind, OB_TYPE_TENSOR);
    assert_int_equal(x->declared.dtype, OB_FLOAT);
    assert_int_equal(x->declared.shape.rank, 2);
    assert_int_equal(x->declared.shape.dims[0], ob_dim_symbol(model->dims, "N"));
    assert_int_equal(x->declared.shape.dims[1], 3);
    assert_true(w->is_initializer && !w->is_input);
    assert_int_equal(w->data->n_elems, 3);
    const uint8_t *raw = w->data->data;
    assert_true(raw > small_model && raw < small_model + sizeof small_model ? true : raw != NULL);
    float elements[3];
    memcpy(elements, raw, sizeof elements);
    assert_true(elements[0] == 1.0f && elements[1] == 2.0f && elements[2] == 3.0f);
    assert_ptr_equal(y->producer, graph->first);
    assert_true(y->is_output);
    assert_int_equal(y->declared.shape.rank, 0);
    assert_ptr_equal(graph->first->inputs[0], x);
    assert_ptr_equal(graph->first->inputs[1], w);
    ob_model_close(&model);
}

static void a_pipe_is_read_to_its_end(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], small_model, sizeof small_model), sizeof small_model);
    close(ends[1]);
    ob_model *model = NULL;
    assert_int_equal(ob_model_load_descriptor(ends[0], NULL, NULL, &model, NULL), OB_OK);
    assert_string_equal(ob_model_path(model), "<stdin>");
    assert_int_equal(ob_model_node_count(model), 1);
    ob_model_close(&model);
    close(ends[0]);
}

/* Puts length-delimited field `number` around n bytes at `bytes`; returns the new length. */
static size_t wrap(uint8_t *bytes, size_t n, uint32_t number) {
    uint8_t head[12];
    size_t n_head = 0;
    head[n_head++] = (uint8_t)(number << 3 | 2);
    for (size_t left = n;; left >>= 7) {
        head[n_head++] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
        if (left <= 0x7f) break;
    }
    memmove(bytes + n_head, bytes, n);
    memcpy(bytes, head, n_head);
    return n + n_head;
}

static void large_weights_are_borrowed_not_copied(void **state) {
    (void)state;
    enum { N_FLOATS = 4000 };
    static uint8_t bytes[N_FLOATS * 4 + 200];
    for (size_t i = 0; i < N_FLOATS * 4; i++) bytes[i] = (uint8_t)(i * 7);
    size_t n = wrap(bytes, N_FLOATS * 4, 9);                          /* raw_data */
    const uint8_t tail[] = {0x08, 0xA0, 0x1F, 0x10, 1, 0x42, 1, 'W'}; /* dims 4000, float, "W" */
    memcpy(bytes + n, tail, sizeof tail);
    n = wrap(bytes, n + sizeof tail, 5);                                                  /* initializer */
    const uint8_t tiny[] = {0x2A, 11, 0x10, 3, 0x42, 1, 'S', 0x4A, 1, 0x2A, 0x62, 1, 'd', /* int8 scalar with a doc string */
                            0x62, 3,  0x0A, 1, 'W'};                                      /* output */
    memcpy(bytes + n, tiny, sizeof tiny);
    n = wrap(bytes, n + sizeof tiny, 7); /* graph */
    ob_model *model = NULL;
    ob_error error;
    if (ob_model_load_memory(bytes, n, NULL, NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    const ob_value *w = model->graph->initializers[0], *s = model->graph->initializers[1];
    const uint8_t *data = w->data->data;
    assert_true(is_big_endian() || (data > bytes && data < bytes + n)); /* numbers of the other byte order must be converted */
    assert_int_equal(w->data->n_elems, N_FLOATS);
    uint8_t first[4] = {0, 7, 14, 21};
    bring_home(first, 1, 4);
    assert_memory_equal(data, first, 4);
    assert_int_equal(*(const int8_t *)s->data->data, 0x2A);
    assert_true(model->arena.n_bytes < 64 * 1024 + (is_big_endian() ? sizeof bytes : 0));
    ob_model_close(&model);
}

/* A checker never has to unpack types with two or four elements in a byte; a session unpacks them for itself. */
static void narrow_weights_stay_packed(void **state) {
    (void)state;
    static const char text[] = "<ir_version: 13, opset_import: [\"\" : 25]>\ng () => (double[5] y, double[5] z)\n"
                               "<int4[5] a = {7, -8, -1, 0, 3}, uint2[5] b = {3, 0, 1, 2, 3}>\n"
                               "{ y = Cast <to = 11> (a) z = Cast <to = 11> (b) }\n";
    static const double want[2][5] = {{7, -8, -1, 0, 3}, {3, 0, 1, 2, 3}};
    static const uint8_t file_form[2][3] = {{0x87, 0x0F, 0x03}, {0x93, 0x03}};
    ob_text binary, again;
    ob_error error;
    ob_session *session = NULL;
    ob_session_memory memory;
    ob_view out[2] = {{0}};
    ob__text_init(&binary, NULL);
    ob__text_init(&again, NULL);
    ob_model *model = read_text(text);
    write_model(model, OB_FORMAT_PROTOBUF, &binary);
    ob_model_close(&model);
    model = read_model(binary.data, binary.n, OB_FORMAT_PROTOBUF, NULL);
    for (int i = 0; i < 2; i++) {
        const ob_tensor *tensor = model->graph->initializers[i]->data;
        assert_true(tensor->is_packed);
        assert_memory_equal(tensor->data, file_form[i], i ? 2 : 3);
    }
    write_model(model, OB_FORMAT_PROTOBUF, &again);
    assert_int_equal(again.n, binary.n);
    assert_memory_equal(again.data, binary.data, binary.n);
    write_model(model, OB_FORMAT_TEXT, &again);
    assert_non_null(strstr(again.data, "{7,-8,-1,0,3}"));
    if (ob_session_create(model, NULL, &session, &error) != OB_OK) fail_msg("%s", error.message);
    if (ob_session_run(session, NULL, 0, out, 2, &error) != OB_OK) fail_msg("%s", error.message);
    for (int i = 0; i < 2; i++) assert_memory_equal(out[i].data, want[i], sizeof want[i]);
    ob_session_get_memory(session, &memory);
    assert_true(memory.constant_bytes >= 10);
    ob_session_close(&session);
    ob_model_close(&model);
    ob__text_release(&binary);
    ob__text_release(&again);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_model_is_read_field_by_field),
        cmocka_unit_test(a_pipe_is_read_to_its_end),
        cmocka_unit_test(large_weights_are_borrowed_not_copied),
        cmocka_unit_test(narrow_weights_stay_packed),
        cmocka_unit_test(every_model_at_hand_loads),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
