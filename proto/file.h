/* Bytes in and out of files. */
#ifndef OB_PROTO_FILE_H
#define OB_PROTO_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/model.h"
#include "onnx_broadcast/status.h"

/* Bytes of a source: the caller's, a mapped file, or a block of the allocator. */
typedef struct ob_source {
    ob_allocator allocator;
    void *bytes;
    size_t n_bytes, capacity;
    enum { OB_SOURCE_CALLER, OB_SOURCE_MAPPED, OB_SOURCE_OWNED } kind;
} ob_source;

/* E_IO (message names `name`), E_LIMIT, E_MEMORY. *out is filled on success only. */
ob_status ob__source_open(const char *path, const ob_allocator *allocator, uint64_t max_bytes, ob_source *out, ob_error *error);
/* Maps a regular file, reads anything else to its end. Does not close the descriptor. */
ob_status ob__source_read(int descriptor, const char *name, const ob_allocator *allocator, uint64_t max_bytes, ob_source *out,
                          ob_error *error);
void ob__source_release(ob_source *source);

#endif
