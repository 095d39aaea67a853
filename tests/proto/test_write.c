/* Writing models: nothing is lost, and only changes of the graph change the file. */
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
#include "corpus.h"
#include "onnx.pb-c.h"

static bytes read_file(const char *path) {
    bytes b = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char chunk[65536];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;) collect(&b, chunk, n);
    fclose(file);
    return b;
}

/* The bytes unpacked and packed again by protobuf-c alone. */
static bytes canonical(const bytes *b) {
    Onnx__ModelProto *message = onnx__model_proto__unpack(NULL, b->n, b->data);
    assert_non_null(message);
    bytes out = {0};
    out.n = out.capacity = onnx__model_proto__get_packed_size(message);
    out.data = malloc(out.n + 1);
    assert_non_null(out.data);
    onnx__model_proto__pack(message, out.data);
    onnx__model_proto__free_unpacked(message, NULL);
    return out;
}

static ob_model *load(const bytes *b) {
    ob_model *model = NULL;
    ob_error error;
    if (ob_model_load_memory(b->data, b->n, NULL, NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    return model;
}

static bytes write_model(const ob_model *model) {
    bytes out = {0};
    ob_error error;
    if (ob_model_write(model, OB_FORMAT_PROTOBUF, collect, &out, &error) != OB_OK) fail_msg("%s", error.message);
    return out;
}

static void expect_same(const char *what, const bytes *a, const bytes *b) {
    size_t i = 0;
    while (i < a->n && i < b->n && a->data[i] == b->data[i]) i++;
    if (a->n != b->n || i < a->n) fail_msg("%s: %zu and %zu bytes, different at byte %zu", what, a->n, b->n, i);
}

/* Loads, clones and writes both; both must equal the message that protobuf-c reads. */
static void expect_lossless(const char *what, const bytes *file) {
    bytes expected = canonical(file);
    ob_model *model = load(file), *clone = NULL;
    assert_int_equal(ob_model_clone(model, &clone, NULL), OB_OK);
    assert_int_equal(ob_model_node_count(clone), ob_model_node_count(model));
    bytes written = write_model(model), written_clone = write_model(clone);
    expect_same(what, &expected, &written);
    expect_same(what, &expected, &written_clone);
    ob_model_close(&clone);
    ob_model_close(&model);
    free(expected.data);
    free(written.data);
    free(written_clone.data);
}

static void round_trip_file(void *context, const char *path) {
    bytes file = read_file(path);
    expect_lossless(path, &file);
    free(file.data);
    ++*(size_t *)context;
}

static void every_model_at_hand_round_trips(void **state) {
    (void)state;
    print_message("%zu models written as they were read\n", corpus_each_model(round_trip_file));
}

/* ---- A model with one of everything, made with protobuf-c alone ---- */

static ProtobufCMessage *make(const ProtobufCMessageDescriptor *type) {
    ProtobufCMessage *message = calloc(1, type->sizeof_message);
    assert_non_null(message);
    protobuf_c_message_init(type, message);
    return message;
}

static char *copy(const char *text) {
    char *c = malloc(strlen(text) + 1);
    assert_non_null(c);
    return strcpy(c, text);
}

/* Fills every field of the message, `depth` messages deep; names come from a counter. Two unknown fields in each message. */
static void fill(ProtobufCMessage *message, int depth, int *counter) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        char *member = (char *)message + field->offset, *quantifier = (char *)message + field->quantifier_offset;
        bool oneof = field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF;
        if (oneof && *(uint32_t *)(void *)quantifier != 0) continue;
        if (field->type == PROTOBUF_C_TYPE_MESSAGE && depth == 0) continue;
        if (oneof) *(uint32_t *)(void *)quantifier = field->id;
        bool repeated = field->label == PROTOBUF_C_LABEL_REPEATED;
        size_t n_each = field->type == PROTOBUF_C_TYPE_MESSAGE || field->type == PROTOBUF_C_TYPE_STRING ? sizeof(void *) : 8;
        uint64_t number = (uint64_t)(++*counter % 100);
        void *element = &number;
        char name[32];
        snprintf(name, sizeof name, "%s_%d", field->name, *counter);
        ProtobufCBinaryData data = {strlen(name), (uint8_t *)copy(name)};
        float f = (float)number;
        double d = (double)number;
        uint8_t *text = data.data;
        ProtobufCMessage *inner = NULL;
        switch (field->type) {
        case PROTOBUF_C_TYPE_MESSAGE:
            inner = make(field->descriptor);
            fill(inner, depth - 1, counter);
            element = &inner;
            break;
        case PROTOBUF_C_TYPE_STRING: element = &text; break;
        case PROTOBUF_C_TYPE_BYTES: element = &data, n_each = sizeof data; break;
        case PROTOBUF_C_TYPE_FLOAT: element = &f, n_each = 4; break;
        case PROTOBUF_C_TYPE_DOUBLE: element = &d; break;
        case PROTOBUF_C_TYPE_ENUM: number = 0, n_each = 4; break;
        case PROTOBUF_C_TYPE_INT32: n_each = 4; break;
        default: break;
        }
        if (field->type != PROTOBUF_C_TYPE_STRING && field->type != PROTOBUF_C_TYPE_BYTES) free(data.data);
        if (repeated) {
            void *list = malloc(n_each);
            assert_non_null(list);
            memcpy(list, element, n_each);
            *(size_t *)(void *)quantifier = 1;
            *(void **)(void *)member = list;
        } else {
            memcpy(member, element, n_each);
            if (!oneof && field->type != PROTOBUF_C_TYPE_STRING && field->type != PROTOBUF_C_TYPE_MESSAGE)
                *(protobuf_c_boolean *)(void *)quantifier = 1;
        }
    }
    message->n_unknown_fields = 2;
    message->unknown_fields = calloc(2, sizeof *message->unknown_fields);
    assert_non_null(message->unknown_fields);
    uint8_t *varint = malloc(2), *text = malloc(4);
    assert_true(varint && text);
    memcpy(varint, "\x96\x01", 2);
    memcpy(text, "\x03new", 4);
    message->unknown_fields[0] = (ProtobufCMessageUnknownField){777, PROTOBUF_C_WIRE_TYPE_VARINT, 2, varint};
    message->unknown_fields[1] = (ProtobufCMessageUnknownField){778, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, 4, text};
}

static void rename_to(char **name, const char *text) {
    free(*name);
    *name = copy(text);
}

/* Tensors with scalar shape and one int32: consistent with any other fields of the message. */
static void settle_tensor(Onnx__TensorProto *t, const char *name) {
    rename_to(&t->name, name);
    t->data_type = 6;
    free(t->raw_data.data);
    t->raw_data = (ProtobufCBinaryData){4, memcpy(malloc(4), "\1\2\3\4", 4)};
    t->dims[0] = 1;
}

static Onnx__ModelProto *model_with_everything(void) {
    int counter = 0;
    Onnx__ModelProto *model = (Onnx__ModelProto *)make(&onnx__model_proto__descriptor);
    fill(&model->base, 5, &counter);
    model->ir_version = 9;
    Onnx__GraphProto *graph = model->graph;
    rename_to(&graph->node[0]->input[0], "x");
    rename_to(&graph->node[0]->output[0], "y");
    rename_to(&graph->input[0]->name, "x");
    rename_to(&graph->output[0]->name, "y");
    Onnx__AttributeProto *a = graph->node[0]->attribute[0];
    a->has_type = 1;
    a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
    free(a->ref_attr_name);
    a->ref_attr_name = NULL;
    settle_tensor(a->t, "inside");
    settle_tensor(graph->initializer[0], "w");
    settle_tensor(graph->sparse_initializer[0]->values, "s");
    Onnx__FunctionProto *function = model->functions[0];
    rename_to(&function->node[0]->input[0], function->input[0]);
    rename_to(&function->node[0]->output[0], function->output[0]);
    return model;
}

static bytes pack(Onnx__ModelProto *message) {
    bytes out = {0};
    out.n = out.capacity = onnx__model_proto__get_packed_size(message);
    out.data = malloc(out.n);
    assert_non_null(out.data);
    onnx__model_proto__pack(message, out.data);
    return out;
}

static void every_field_and_unknown_fields_survive(void **state) {
    (void)state;
    Onnx__ModelProto *message = model_with_everything();
    bytes file = pack(message);
    expect_lossless("a model with everything", &file);
    onnx__model_proto__free_unpacked(message, NULL);
    free(file.data);
}

/* The graph changes; fields outside the graph are unchanged. */
static void changes_reach_the_file_and_the_rest_stays(void **state) {
    (void)state;
    Onnx__ModelProto *message = model_with_everything();
    bytes file = pack(message);
    onnx__model_proto__free_unpacked(message, NULL);
    ob_model *model = load(&file);
    ob_graph *graph = model->graph;
    ob_node *old = graph->first;
    ob_value *x = graph->inputs[0], *y = graph->outputs[0];
    ob_value *middle = ob__value_new_unique(graph, "middle");
    assert_non_null(middle);
    ob_dim *dims = OB_ARENA_ARRAY(&model->arena, ob_dim, 3);
    dims[0] = ob_dim_symbol(model->dims, "N");
    dims[1] = ob_dim_add(model->dims, dims[0], 1);
    dims[2] = ob_dim_fresh(model->dims);
    middle->declared = (ob_type){OB_TYPE_TENSOR, OB_INT4, {3, dims}, NULL};
    ob_node *added = ob__node_new(graph, NULL, "onnx_broadcast", "Broadcast", 2, 1);
    added->inputs[0] = middle;
    const int64_t two[2] = {7, -1};
    added->inputs[1] = ob__graph_add_int64s(graph, "shape", two, 2);
    ob__node_set_output(old, 0, middle);
    ob__node_set_output(added, 0, y);
    assert_true(ob__node_set_ints(added, "axes", two, 2));
    assert_true(ob__node_set_int(old, "fresh", 5));
    added->overload = "wide";
    assert_true(ob__model_set_opset(model, "onnx_broadcast", 1));
    bytes written = write_model(model);
    Onnx__ModelProto *out = onnx__model_proto__unpack(NULL, written.n, written.data);
    assert_non_null(out);
    assert_int_equal(out->base.n_unknown_fields, 2);
    assert_int_equal(out->graph->n_node, 2);
    assert_string_equal(out->graph->node[0]->input[0], x->name);
    assert_string_equal(out->graph->node[0]->output[0], middle->name);
    assert_int_equal(out->graph->node[0]->n_attribute, 2);
    assert_int_equal(out->graph->node[0]->attribute[0]->base.n_unknown_fields, 2);
    assert_int_equal(out->graph->node[0]->attribute[1]->i, 5);
    assert_int_equal(out->graph->node[0]->base.n_unknown_fields, 2);
    assert_string_equal(out->graph->node[1]->op_type, "Broadcast");
    assert_string_equal(out->graph->node[1]->output[0], "y");
    assert_int_equal(out->graph->node[1]->attribute[0]->ints[1], -1);
    assert_int_equal(out->graph->n_initializer, 2);
    assert_int_equal(out->graph->initializer[1]->raw_data.len, 16);
    assert_int_equal(out->graph->n_sparse_initializer, 1);
    assert_int_equal(out->graph->n_quantization_annotation, 1);
    assert_int_equal(out->n_training_info, 1);
    assert_int_equal(out->n_opset_import, 2);
    assert_int_equal(out->opset_import[0]->base.n_unknown_fields, 2);
    const Onnx__ValueInfoProto *info = out->graph->value_info[out->graph->n_value_info - 1];
    assert_string_equal(info->name, middle->name);
    assert_int_equal(info->type->tensor_type->elem_type, OB_INT4);
    assert_string_equal(info->type->tensor_type->shape->dim[0]->dim_param, "N");
    assert_string_equal(info->type->tensor_type->shape->dim[1]->dim_param, "N + 1");
    assert_int_equal(info->type->tensor_type->shape->dim[2]->value_case, 0);
    onnx__model_proto__free_unpacked(out, NULL);
    /* The overload is read back with any onnx.proto of the build. */
    ob_model *again = load(&written);
    assert_string_equal(again->graph->last->overload, "wide");
    ob_model_close(&again);
    ob_model_close(&model);
    free(written.data);
    free(file.data);
}

static void value_info_of_what_vanished_is_dropped(void **state) {
    (void)state;
    Onnx__ModelProto *message = model_with_everything();
    rename_to(&message->graph->value_info[0]->name, "y");
    Onnx__ValueInfoProto *output = message->graph->output[0];
    rename_to(&output->name, "x"); /* the input is also the output; y is now an inner value */
    bytes file = pack(message);
    expect_lossless("an input handed through", &file);
    onnx__model_proto__free_unpacked(message, NULL);
    ob_model *model = load(&file);
    ob__node_unlink(model->graph->first);
    bytes written = write_model(model);
    Onnx__ModelProto *out = onnx__model_proto__unpack(NULL, written.n, written.data);
    assert_int_equal(out->graph->n_node, 0);
    assert_int_equal(out->graph->n_value_info, 0);
    assert_int_equal(out->graph->n_output, 1);
    onnx__model_proto__free_unpacked(out, NULL);
    ob_model_close(&model);
    free(written.data);
    free(file.data);
}

/* ---- Files and sinks ---- */

static ob_status refuse(void *context, const void *data, size_t n) {
    (void)data;
    (void)n;
    ++*(int *)context;
    return OB_E_CONDITION;
}

static void a_failing_sink_ends_the_writing(void **state) {
    (void)state;
    Onnx__ModelProto *message = model_with_everything();
    bytes file = pack(message);
    onnx__model_proto__free_unpacked(message, NULL);
    ob_model *model = load(&file);
    int calls = 0;
    ob_error error;
    assert_int_equal(ob_model_write(model, OB_FORMAT_PROTOBUF, refuse, &calls, &error), OB_E_CONDITION);
    assert_int_equal(calls, 1);
    assert_true(error.message[0] != '\0');
    ob_model_close(&model);
    free(file.data);
}

static void saving_replaces_whole_files_only(void **state) {
    (void)state;
    char folder[] = "/tmp/ob_write_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.onnx", folder);
    Onnx__ModelProto *message = model_with_everything();
    bytes file = pack(message);
    onnx__model_proto__free_unpacked(message, NULL);
    ob_model *model = load(&file);
    ob_error error;
    assert_int_equal(ob_model_save(model, path, OB_FORMAT_AUTO, &error), OB_OK);
    bytes first = read_file(path);
    expect_same("saved", &file, &first);
    /* A tensor without data cannot be written: the file is unchanged. */
    ob_tensor *hollow = OB_ARENA_NEW(&model->arena, ob_tensor);
    *hollow = *model->graph->initializers[0]->data;
    hollow->data = NULL;
    hollow->origin = NULL;
    model->graph->initializers[0]->data = hollow;
    assert_int_equal(ob_model_save(model, path, OB_FORMAT_AUTO, &error), OB_E_MODEL);
    bytes second = read_file(path);
    expect_same("kept", &first, &second);
    size_t n_files = 0;
    corpus_walk(folder, 1, round_trip_file, &n_files);
    assert_int_equal(n_files, 1);
    assert_int_equal(ob_model_save(model, "/nonexistent/m.onnx", OB_FORMAT_AUTO, &error), OB_E_IO);
    assert_non_null(strstr(error.message, "/nonexistent/m.onnx"));
    ob_model_close(&model);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
    free(file.data);
    free(first.data);
    free(second.data);
}

static void a_clone_is_independent(void **state) {
    (void)state;
    Onnx__ModelProto *message = model_with_everything();
    bytes file = pack(message);
    onnx__model_proto__free_unpacked(message, NULL);
    ob_model *model = load(&file), *clone = NULL;
    assert_int_equal(ob_model_clone(model, &clone, NULL), OB_OK);
    /* No part of the copy that can be edited refers to the source. */
    const ob_node *copied = clone->graph->first;
    assert_ptr_not_equal(copied, model->graph->first);
    assert_ptr_equal(copied->graph, clone->graph);
    assert_ptr_equal(copied->inputs[0]->graph, clone->graph);
    assert_ptr_equal(copied->outputs[0]->producer, copied);
    assert_ptr_equal(clone->graph->inputs[0]->graph, clone->graph);
    assert_ptr_equal(clone->graph->outputs[0], copied->outputs[0]);
    assert_ptr_not_equal(copied->attributes[0], model->graph->first->attributes[0]);
    assert_ptr_equal(clone->functions[0]->body->first->graph, clone->functions[0]->body);
    ob__node_unlink(clone->graph->first);
    assert_int_equal(ob__model_set_opset(clone, "new", 3), true);
    bytes written = write_model(model);
    expect_same("the source", &file, &written);
    assert_ptr_equal(model->graph->outputs[0]->producer, model->graph->first);
    ob_model_close(&clone);
    ob_model_close(&model);
    free(written.data);
    free(file.data);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_and_unknown_fields_survive), cmocka_unit_test(changes_reach_the_file_and_the_rest_stays),
        cmocka_unit_test(value_info_of_what_vanished_is_dropped), cmocka_unit_test(a_failing_sink_ends_the_writing),
        cmocka_unit_test(saving_replaces_whole_files_only),       cmocka_unit_test(a_clone_is_independent),
        cmocka_unit_test(every_model_at_hand_round_trips),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
