/* Shared by the file formats of tensors and other values. */
#ifndef OB_PROTO_TENSOR_FILE_H
#define OB_PROTO_TENSOR_FILE_H

#include "core/base/arena.h"
#include "onnx_broadcast/cell.h"
#include "onnx_broadcast/tensor_file.h"
#include "proto/file.h"

struct ob_file_tensor_owner {
    ob_arena arena;
};

/* An owner in its own arena; NULL: out of memory. */
struct ob_file_tensor_owner *ob__file_tensor_owner(const ob_allocator *allocator);
void ob__file_tensor_owner_free(struct ob_file_tensor_owner *owner);

/* The elements of the view, row-major without gaps: the view's own memory if it has that form, otherwise a copy (then *owned is
 * the block to free, of *n_bytes). */
ob_status ob__gather(const ob_view *view, const void **out, void **owned, size_t *n_bytes, ob_error *error);
ob_status ob__check_view(const ob_view *view, ob_error *error);

/* Decodes the bytes of an open file into a tensor that has an owner. */
typedef ob_status (*ob_tensor_fill)(ob_file_tensor *out, const ob_source *source, const char *path, ob_error *error);
/* The two formats (tensor_file.c, npy.c). */
ob_status ob__tensor_from_proto(ob_file_tensor *out, const ob_source *source, const char *path, ob_error *error);
ob_status ob__tensor_from_npy(ob_file_tensor *out, const ob_source *source, const char *path, ob_error *error);
/* Makes the owner and lets `fill` decode; `path` is for messages; `out` is written on success only. */
ob_status ob__read_tensor_source(const ob_source *source, const char *path, const ob_allocator *allocator, ob_tensor_fill fill,
                                 ob_file_tensor *out, ob_error *error);
/* Opens the file, lets `fill` decode it and closes it; `out` is written on success only. */
ob_status ob__read_tensor_file(const char *path, const ob_allocator *allocator, ob_tensor_fill fill, ob_file_tensor *out,
                               ob_error *error);

/* The bytes of an open file as a value of that kind (cell_file.c); `path` is for messages. */
ob_status ob__read_cell_source(const ob_source *source, const char *path, ob_type_kind kind, const ob_allocator *allocator,
                               ob_cell **out, ob_error *error);

#endif
