/* SparseTensorProto -> ob_tensor: its elements are expanded unless that takes more memory than a file may request. */
#include <string.h>

#include "proto/proto.h"

enum { FREE_BYTES = 1 << 20 }; /* for any size of the file, as in wire.c */

/* The place of element i in row-major order; -1: outside. Indices hold one number for each element, or one for each axis. */
static int64_t place_of(const ob_tensor *tensor, const ob_tensor *indices, int64_t i) {
    const bool is_linear = indices->rank == 1;
    const int32_t n = is_linear ? 1 : tensor->rank;
    int64_t place = 0;
    for (int32_t axis = 0; axis < n; axis++) {
        int64_t index;
        memcpy(&index, (const char *)indices->data + (size_t)(i * n + axis) * sizeof index, sizeof index);
        const int64_t size = is_linear ? tensor->n_elems : tensor->dims[axis];
        if (index < 0 || index >= size) return -1;
        place = place * (is_linear ? 1 : size) + index;
    }
    return place;
}

static bool fits(const ob_tensor *tensor, const ob_tensor *values, const ob_tensor *indices) {
    if (values->rank != 1 || indices->dtype != OB_INT64 || indices->rank < 1 || indices->rank > 2) return false;
    if (!values->data || !indices->data || indices->dims[0] != values->n_elems) return false;
    return indices->rank == 1 || indices->dims[1] == tensor->rank;
}

/* Malformed elements are not read: data is then NULL. */
static ob_status write_out(ob_arena *arena, const ob_load_limits *limits, const ob_tensor *values, const ob_tensor *indices,
                           ob_tensor *tensor, ob_error *error) {
    const size_t n_each = ob_dtype_size(tensor->dtype);
    size_t n_bytes, n_given;
    if (!fits(tensor, values, indices) || !ob__memory_bytes(tensor->dtype, tensor->n_elems, &n_bytes)) return OB_OK;
    if (!ob__memory_bytes(tensor->dtype, values->n_elems, &n_given)) return OB_OK;
    if (n_bytes > FREE_BYTES && (n_bytes - FREE_BYTES) / limits->max_growth > n_given) return OB_OK;
    int64_t before = -1;
    for (int64_t i = 0; i < values->n_elems; i++) { /* ascending, none twice */
        const int64_t place = place_of(tensor, indices, i);
        if (place <= before) return OB_OK;
        before = place;
    }
    char *elements = ob__arena_calloc(arena, (size_t)tensor->n_elems, n_each);
    if (!elements) return ob__arena_failure(arena, error);
    for (int64_t i = 0; tensor->dtype == OB_STRING && i < tensor->n_elems; i++)
        memcpy(elements + (size_t)i * n_each, &(ob_string){"", 0}, n_each);
    for (int64_t i = 0; i < values->n_elems; i++)
        memcpy(elements + (size_t)place_of(tensor, indices, i) * n_each, (const char *)values->data + (size_t)i * n_each, n_each);
    tensor->data = elements;
    return OB_OK;
}

ob_status ob__read_sparse(ob_arena *arena, const Onnx__SparseTensorProto *message, const ob_load_limits *limits, ob_tensor **out,
                          ob_error *error) {
    ob_tensor *tensor = OB_ARENA_NEW(arena, ob_tensor), *values, *indices;
    if (!tensor) return ob__arena_failure(arena, error);
    tensor->name = message->values ? ob__str(message->values->name) : "";
    tensor->doc = message->values ? ob__str(message->values->doc_string) : "";
    tensor->dtype = message->values ? ob__read_dtype(message->values->data_type) : OB_NONE;
    tensor->origin = message;
    OB_FAIL_IF(message->n_dims > limits->max_rank, error, OB_E_LIMIT, "sparse tensor \"%s\" has rank %zu, the limit is %u",
               tensor->name, message->n_dims, limits->max_rank);
    tensor->rank = (int32_t)message->n_dims;
    tensor->dims = message->dims;
    OB_TRY(ob__count_elems(message->dims, message->n_dims, tensor->name, &tensor->n_elems, error));
    *out = tensor;
    if (!message->values || !message->indices || tensor->dtype == OB_NONE) return OB_OK;
    OB_TRY(ob__read_tensor(arena, message->values, limits->max_rank, "values of a sparse tensor", &values, error));
    OB_TRY(ob__read_tensor(arena, message->indices, limits->max_rank, "indices of a sparse tensor", &indices, error));
    return write_out(arena, limits, values, indices, tensor, error);
}
