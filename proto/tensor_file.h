/* What the two tensor file formats share. */
#ifndef OB_PROTO_TENSOR_FILE_H
#define OB_PROTO_TENSOR_FILE_H

#include "core/arena.h"
#include "onnx_broadcast/tensor_file.h"

struct ob_file_tensor_owner {
    ob_arena arena;
};

/* An owner that lives in its own arena; NULL when memory ends. */
struct ob_file_tensor_owner *ob__file_tensor_owner(const ob_allocator *allocator);
void ob__file_tensor_owner_free(struct ob_file_tensor_owner *owner);

/* The elements of the view, row-major without gaps: the view's own memory when it has that form, else a copy (then *owned is the
 * block to free, of *n_bytes). */
ob_status ob__gather(const ob_view *view, const void **out, void **owned, size_t *n_bytes, ob_error *error);
ob_status ob__check_view(const ob_view *view, ob_error *error);

#endif
