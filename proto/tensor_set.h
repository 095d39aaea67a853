/* Sets of tensors in a file: the two forms behind one interface. */
#ifndef OB_PROTO_TENSOR_SET_H
#define OB_PROTO_TENSOR_SET_H

#include "onnx_broadcast/tensor_set.h"
#include "proto/tensor_file.h"

/* A member of the file: for .npz the place of its data, for JSON that of its value. */
typedef struct ob_set_member {
    const char *name;
    uint64_t offset, n_packed, n_bytes; /* JSON: offset and n_packed */
    uint32_t crc;
    uint16_t method, flags;
} ob_set_member;

struct ob_tensor_set {
    ob_arena arena; /* holds the set */
    ob_source source;
    bool owns_source;
    const char *path;
    bool is_json;
    ob_set_member *members;
    size_t n, capacity;
};

/* Adds a member; E_MEMORY. The name is copied. */
ob_status ob__set_add(ob_tensor_set *set, const char *name, size_t n_name, const ob_set_member *member, ob_error *error);

/* npz.c and tensor_json.c: list the members, and read one. */
ob_status ob__npz_list(ob_tensor_set *set, ob_error *error);
ob_status ob__npz_member(const ob_tensor_set *set, const ob_set_member *member, const ob_allocator *allocator,
                         ob_file_tensor *out, ob_error *error);
ob_status ob__json_list(ob_tensor_set *set, ob_error *error);
ob_status ob__json_member(const ob_tensor_set *set, const ob_set_member *member, ob_dtype dtype, const ob_allocator *allocator,
                          ob_file_tensor *out, ob_error *error);

/* A set over bytes of the caller, which must outlive it; `path` is for messages. */
ob_status ob__tensor_set_over(const ob_source *source, const char *path, const ob_allocator *allocator, ob_tensor_set **out,
                              ob_error *error);

#endif
