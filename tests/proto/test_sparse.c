/* Sparse tensors in files: initializers, and the attribute sparse_value of Constant, run like the equivalent dense tensors. */
#include <stdlib.h>

#include "model_text.h"
#include "onnx.pb-c.h"
#include "onnx_broadcast/session.h"

typedef struct sparse_case {
    int64_t dims[3], index_dims[2], indices[6];
    size_t rank, index_rank, n_indices, n_values;
    float values[3], want[12];
    bool refused;
} sparse_case;

static const sparse_case cases[] = {
    {.dims = {2, 3},
     .rank = 2,
     .index_dims = {2},
     .index_rank = 1,
     .indices = {1, 5},
     .n_indices = 2,
     .values = {7, -2},
     .n_values = 2,
     .want = {0, 7, 0, 0, 0, -2}},
    {.dims = {2, 3},
     .rank = 2,
     .index_dims = {3, 2},
     .index_rank = 2,
     .indices = {0, 2, 1, 0, 1, 1},
     .n_indices = 6,
     .values = {1, 2, 3},
     .n_values = 3,
     .want = {0, 0, 1, 2, 3, 0}},
    {.dims = {4}, .rank = 1, .index_dims = {0}, .index_rank = 1, .want = {0, 0, 0, 0}},
    {.dims = {0, 3}, .rank = 2, .index_dims = {0, 2}, .index_rank = 2},
    {.rank = 0, .index_dims = {1}, .index_rank = 1, .indices = {0}, .n_indices = 1, .values = {5}, .n_values = 1, .want = {5}},
    /* outside, twice, not ascending, of another rank, more values than indices, too large for the data in the file */
    {.dims = {4}, .rank = 1, .index_dims = {1}, .index_rank = 1, .indices = {4}, .n_indices = 1, .n_values = 1, .refused = true},
    {.dims = {4}, .rank = 1, .index_dims = {1}, .index_rank = 1, .indices = {-1}, .n_indices = 1, .n_values = 1, .refused = true},
    {.dims = {2, 3},
     .rank = 2,
     .index_dims = {1, 2},
     .index_rank = 2,
     .indices = {0, 3},
     .n_indices = 2,
     .n_values = 1,
     .refused = true},
    {.dims = {4},
     .rank = 1,
     .index_dims = {2},
     .index_rank = 1,
     .indices = {1, 1},
     .n_indices = 2,
     .n_values = 2,
     .refused = true},
    {.dims = {4},
     .rank = 1,
     .index_dims = {2},
     .index_rank = 1,
     .indices = {2, 1},
     .n_indices = 2,
     .n_values = 2,
     .refused = true},
    {.dims = {4},
     .rank = 1,
     .index_dims = {1, 2},
     .index_rank = 2,
     .indices = {0, 1},
     .n_indices = 2,
     .n_values = 1,
     .refused = true},
    {.dims = {4}, .rank = 1, .index_dims = {1}, .index_rank = 1, .indices = {1}, .n_indices = 1, .n_values = 2, .refused = true},
    {.dims = {1 << 20, 1 << 20},
     .rank = 2,
     .index_dims = {1},
     .index_rank = 1,
     .indices = {1},
     .n_indices = 1,
     .n_values = 1,
     .refused = true},
};

/* y = Identity of a sparse initializer, or y = Constant <sparse_value>. */
static ob_model *model_of(const sparse_case *c, bool as_initializer) {
    Onnx__TensorProto values = ONNX__TENSOR_PROTO__INIT, indices = ONNX__TENSOR_PROTO__INIT;
    Onnx__SparseTensorProto sparse = ONNX__SPARSE_TENSOR_PROTO__INIT, *sparse_list = &sparse;
    Onnx__AttributeProto attribute = ONNX__ATTRIBUTE_PROTO__INIT, *attribute_list = &attribute;
    Onnx__NodeProto node = ONNX__NODE_PROTO__INIT, *node_list = &node;
    Onnx__ValueInfoProto output = ONNX__VALUE_INFO_PROTO__INIT, *output_list = &output;
    Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
    Onnx__OperatorSetIdProto opset = ONNX__OPERATOR_SET_ID_PROTO__INIT, *opset_list = &opset;
    Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
    sparse_case copy = *c; /* messages have pointers to non-const data */
    int64_t n_values = (int64_t)c->n_values;
    char x[] = "x", y[] = "y", name[] = "g", domain[] = "", identity[] = "Identity", constant[] = "Constant",
         sparse_value[] = "sparse_value", *in = x, *out = y;
    values.name = x;
    values.has_data_type = indices.has_data_type = 1;
    values.data_type = OB_FLOAT;
    values.dims = &n_values, values.n_dims = 1;
    values.float_data = copy.values, values.n_float_data = c->n_values;
    indices.data_type = OB_INT64;
    indices.dims = copy.index_dims, indices.n_dims = c->index_rank;
    indices.int64_data = copy.indices, indices.n_int64_data = c->n_indices;
    sparse.values = &values, sparse.indices = &indices;
    sparse.dims = copy.dims, sparse.n_dims = c->rank;
    attribute.name = sparse_value;
    attribute.has_type = 1;
    attribute.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__SPARSE_TENSOR;
    attribute.sparse_tensor = &sparse;
    node.op_type = as_initializer ? identity : constant;
    node.input = &in, node.n_input = as_initializer;
    node.output = &out, node.n_output = 1;
    node.attribute = &attribute_list, node.n_attribute = !as_initializer;
    output.name = y;
    graph.name = name;
    graph.node = &node_list, graph.n_node = 1;
    graph.output = &output_list, graph.n_output = 1;
    graph.sparse_initializer = &sparse_list, graph.n_sparse_initializer = as_initializer;
    opset.domain = domain;
    opset.has_version = 1, opset.version = 21;
    model.has_ir_version = 1, model.ir_version = 10;
    model.graph = &graph;
    model.opset_import = &opset_list, model.n_opset_import = 1;
    size_t n = onnx__model_proto__get_packed_size(&model);
    uint8_t *file = malloc(n);
    assert_non_null(file);
    onnx__model_proto__pack(&model, file);
    ob_model *read = read_model(file, n, OB_FORMAT_PROTOBUF, NULL);
    free(file);
    return read;
}

/* Also after writing, which keeps it sparse. */
static void check(const sparse_case *c, const ob_model *model) {
    ob_session *session = NULL;
    ob_error error;
    ob_view y = {0};
    ob_status status = ob_session_create(model, NULL, &session, &error);
    if (status == OB_OK) status = ob_session_run(session, NULL, 0, &y, 1, &error);
    assert_int_equal(status != OB_OK, c->refused);
    if (status == OB_OK) {
        assert_int_equal(y.dtype, OB_FLOAT);
        assert_int_equal(y.rank, c->rank);
        for (size_t i = 0; i < c->rank; i++) assert_int_equal(y.dims[i], c->dims[i]);
        int64_t n = ob_view_count(&y);
        if (n) assert_memory_equal(y.data, c->want, (size_t)n * sizeof(float));
    }
    ob_session_close(&session);
}

static void they_run_as_dense_ones(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int as_initializer = 0; as_initializer < 2; as_initializer++) {
            ob_model *model = model_of(&cases[i], as_initializer), *again;
            ob_text file;
            check(&cases[i], model);
            ob__text_init(&file, NULL);
            write_model(model, OB_FORMAT_PROTOBUF, &file);
            again = read_model(file.data, file.n, OB_FORMAT_PROTOBUF, NULL);
            check(&cases[i], again);
            ob_model_close(&again);
            ob_model_close(&model);
            ob__text_release(&file);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_run_as_dense_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
