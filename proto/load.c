/* Files, buffers and descriptors -> bytes -> model. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "proto/proto.h"

/* Bytes that a model's tensors borrow. */
typedef struct source {
    ob_allocator allocator; /* of owned bytes */
    void *bytes;
    size_t n_bytes, capacity;
    enum { SOURCE_CALLER, SOURCE_MAPPED, SOURCE_OWNED } kind;
} source;

static void release_bytes(source *s) {
    if (s->kind == SOURCE_MAPPED) munmap(s->bytes, s->capacity);
    if (s->kind == SOURCE_OWNED && s->bytes) s->allocator.free(s->allocator.context, s->bytes, s->capacity);
}

static void release_source(void *context) {
    release_bytes(context);
}

void ob_load_options_init(ob_load_options *options) {
    if (options) memset(options, 0, sizeof *options);
}

/* Protobuf holds control characters within its first bytes; text never does. */
static ob_model_format detect(const uint8_t *bytes, size_t n) {
    if (n > 256) n = 256;
    for (size_t i = 0; i < n; i++)
        if ((bytes[i] < 0x20 && !(bytes[i] >= '\t' && bytes[i] <= '\r')) || bytes[i] == 0x7f) return OB_FORMAT_PROTOBUF;
    return OB_FORMAT_TEXT;
}

static ob_status read_protobuf(ob_model *model, const source *s, const ob_load_limits *limits, ob_error *error) {
    ProtobufCMessage *message = NULL;
    OB_TRY(ob__wire_unpack(&onnx__model_proto__descriptor, s->bytes, s->n_bytes, limits, &model->arena, &message, error));
    return ob__read_model(model, (Onnx__ModelProto *)message, limits, error);
}

static ob_status fill_model(ob_model *model, const source *s, const char *name, const ob_load_options *options, ob_error *error) {
    ob_load_limits limits = ob__load_limits(options ? &options->limits : NULL);
    OB_FAIL_IF(s->n_bytes == 0, error, OB_E_FORMAT, "not an ONNX model: it is empty");
    OB_FAIL_IF(s->n_bytes > limits.max_bytes, error, OB_E_LIMIT, "%zu bytes, the limit is %llu", s->n_bytes,
               (unsigned long long)limits.max_bytes);
    model->arena.n_bytes_limit = limits.max_arena > SIZE_MAX ? SIZE_MAX : (size_t)limits.max_arena;
    model->path = ob__arena_strndup(&model->arena, name, strlen(name));
    if (!model->path) return ob__arena_failure(&model->arena, error);
    ob_model_format format = options ? options->format : OB_FORMAT_AUTO;
    if (format == OB_FORMAT_AUTO) format = detect(s->bytes, s->n_bytes);
    OB_FAIL_IF(format == OB_FORMAT_TEXT, error, OB_E_FORMAT, "not an ONNX model: it is text");
    return read_protobuf(model, s, &limits, error);
}

/* Takes the source's bytes, also on failure. */
static ob_status load_source(source *s, const char *name, const ob_load_options *options, ob_model **out, ob_error *error) {
    ob_model *model = ob__model_new(options ? options->allocator : NULL);
    source *kept = model ? OB_ARENA_NEW(&model->arena, source) : NULL;
    if (!kept) {
        ob_model_close(&model);
        release_bytes(s);
        return ob__fail(error, OB_E_MEMORY, "out of memory for a new model");
    }
    *kept = *s;
    model->source = kept;
    model->release_source = release_source;
    ob_status status = fill_model(model, kept, name, options, error);
    if (status == OB_OK)
        *out = model;
    else
        ob_model_close(&model);
    return status;
}

ob_status ob_model_load_memory(const void *bytes, size_t n_bytes, const char *name, const ob_load_options *options,
                               ob_model **out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!out || (!bytes && n_bytes), error, OB_E_ARGUMENT, "bytes and out must not be NULL");
    source s = {.bytes = (void *)(uintptr_t)bytes, .n_bytes = n_bytes, .kind = SOURCE_CALLER};
    return load_source(&s, name ? name : "<memory>", options, out, error);
}

static ob_status io_error(ob_error *error, const char *what, const char *name, int code) {
    return ob__fail(error, OB_E_IO, "cannot %s \"%s\": %s", what, name, strerror(code));
}

/* Reads to the end into a growing block. */
static ob_status read_all(int descriptor, const char *name, uint64_t max_bytes, source *s, ob_error *error) {
    void *context = s->allocator.context;
    s->kind = SOURCE_OWNED;
    for (;;) {
        if (s->n_bytes == s->capacity) {
            size_t capacity = s->capacity ? s->capacity * 2 : 64 * 1024;
            OB_FAIL_IF(s->n_bytes > max_bytes, error, OB_E_LIMIT, "more bytes than the limit of %llu",
                       (unsigned long long)max_bytes);
            void *bytes = capacity > s->capacity ? s->bytes ? s->allocator.realloc(context, s->bytes, s->capacity, capacity)
                                                            : s->allocator.alloc(context, capacity)
                                                 : NULL;
            OB_FAIL_IF(!bytes, error, OB_E_MEMORY, "out of memory after %zu bytes of \"%s\"", s->n_bytes, name);
            s->bytes = bytes;
            s->capacity = capacity;
        }
        ssize_t n = read(descriptor, (char *)s->bytes + s->n_bytes, s->capacity - s->n_bytes);
        if (n == 0) return OB_OK;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return io_error(error, "read", name, errno);
        s->n_bytes += (size_t)n;
    }
}

/* Maps what lies between the descriptor's position and the end of a regular file; false when it cannot be mapped. */
static bool map_file(int descriptor, const struct stat *info, source *s) {
    if (!S_ISREG(info->st_mode) || info->st_size <= 0 || (uintmax_t)info->st_size > SIZE_MAX) return false;
    if (lseek(descriptor, 0, SEEK_CUR) != 0) return false;
    void *bytes = mmap(NULL, (size_t)info->st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED) return false;
    s->bytes = bytes;
    s->n_bytes = s->capacity = (size_t)info->st_size;
    s->kind = SOURCE_MAPPED;
    return true;
}

ob_status ob_model_load_descriptor(int descriptor, const char *name, const ob_load_options *options, ob_model **out,
                                   ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!out, error, OB_E_ARGUMENT, "out must not be NULL");
    if (!name) name = "<stdin>";
    struct stat info;
    if (fstat(descriptor, &info) != 0) return io_error(error, "read", name, errno);
    if (S_ISDIR(info.st_mode)) return io_error(error, "read", name, EISDIR);
    const ob_allocator *allocator = options && options->allocator ? options->allocator : ob_allocator_default();
    source s = {.allocator = *allocator, .kind = SOURCE_OWNED};
    if (!map_file(descriptor, &info, &s)) {
        ob_load_limits limits = ob__load_limits(options ? &options->limits : NULL);
        ob_status status = read_all(descriptor, name, limits.max_bytes, &s, error);
        if (status != OB_OK) {
            release_bytes(&s);
            return status;
        }
    }
    return load_source(&s, name, options, out, error);
}

ob_status ob_model_load(const char *path, const ob_load_options *options, ob_model **out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!path || !out, error, OB_E_ARGUMENT, "path and out must not be NULL");
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return io_error(error, "open", path, errno);
    ob_status status = ob_model_load_descriptor(descriptor, path, options, out, error);
    close(descriptor);
    return status;
}
