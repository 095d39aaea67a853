/* Files, buffers and descriptors -> bytes -> model. */
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "proto/file.h"
#include "proto/load_text.h"
#include "proto/proto.h"

static void release_source(void *context) {
    ob__source_release(context);
}

void ob_load_options_init(ob_load_options *options) {
    if (options) memset(options, 0, sizeof *options);
}

/* Protobuf holds control characters within its first bytes; text never does. */
static ob_model_format detect(const uint8_t *bytes, size_t n) {
    for (size_t i = 0; i < (n > 256 ? 256 : n); i++)
        if ((bytes[i] < 0x20 && !(bytes[i] >= '\t' && bytes[i] <= '\r')) || bytes[i] == 0x7f) return OB_FORMAT_PROTOBUF;
    return ob__detect_text(bytes, n);
}

static ob_status read_protobuf(ob_model *model, const ob_source *source, const ob_load_limits *limits, ob_error *error) {
    ProtobufCMessage *message = NULL;
    OB_TRY(
        ob__wire_unpack(&onnx__model_proto__descriptor, source->bytes, source->n_bytes, limits, &model->arena, &message, error));
    return ob__read_model(model, (Onnx__ModelProto *)message, limits, error);
}

static ob_status fill_model(ob_model *model, ob_source *source, const char *name, const ob_load_limits *limits,
                            ob_model_format format, ob_error *error) {
    OB_FAIL_IF(source->n_bytes == 0, error, OB_E_FORMAT, "not an ONNX model: it is empty");
    OB_FAIL_IF(source->n_bytes > limits->max_bytes, error, OB_E_LIMIT, "the model holds %zu bytes, the limit is %llu",
               source->n_bytes, (unsigned long long)limits->max_bytes);
    model->arena.n_bytes_limit = limits->max_arena > SIZE_MAX ? SIZE_MAX : (size_t)limits->max_arena;
    /* the block that holds the model itself counts, too: on a 32-bit machine a small model needs no other */
    model->arena.hit_limit = model->arena.n_bytes > model->arena.n_bytes_limit;
    model->path = model->arena.hit_limit ? NULL : ob__arena_strndup(&model->arena, name, strlen(name));
    if (!model->path) return ob__arena_failure(&model->arena, error);
    if (format == OB_FORMAT_AUTO)
        OB_TRY(ob__refuse_foreign(source->bytes, source->n_bytes, OB_WANTED_MODEL, "not an ONNX model", error));
    if (format == OB_FORMAT_AUTO) format = detect(source->bytes, source->n_bytes);
    if (format == OB_FORMAT_TEXT) return ob__read_text(model, source, limits, error);
    if (format == OB_FORMAT_PROTOBUF_TEXT || format == OB_FORMAT_JSON)
        OB_TRY(ob__encode_source(source, format, model, limits, error));
    return read_protobuf(model, source, limits, error);
}

static void report(const ob_model *model, const ob_source *source) {
    char opsets[256] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < model->n_opsets && n + 1 < sizeof opsets; i++) {
        const char *domain = model->opsets[i].domain;
        n += (size_t)snprintf(opsets + n, sizeof opsets - n, "%s%s %lld", i ? ", " : "", domain[0] ? domain : "ai.onnx",
                              (long long)model->opsets[i].version);
    }
    ob__log(&model->logger, OB_LOG_INFO, "%s: read: %zu bytes, %zu nodes, opsets %s", model->path, source->n_bytes,
            ob_model_node_count(model), opsets);
}

/* Takes the source's bytes, also on failure. */
static ob_status load_source(ob_source *source, const char *name, const ob_load_options *options, ob_model **out,
                             ob_error *error) {
    ob_load_limits limits = ob__load_limits(options ? &options->limits : NULL);
    ob_model *model = ob__model_new(options ? options->allocator : NULL);
    ob_source *kept = model ? OB_ARENA_NEW(&model->arena, ob_source) : NULL;
    if (!kept) {
        ob_model_close(&model);
        ob__source_release(source);
        return ob__fail(error, OB_E_MEMORY, "out of memory for a new model");
    }
    *kept = *source;
    model->source = kept;
    model->release_source = release_source;
    ob_status status = fill_model(model, kept, name, &limits, options ? options->format : OB_FORMAT_AUTO, error);
    if (status != OB_OK) {
        ob_model_close(&model);
        return status;
    }
    if (options && options->logger) model->logger = *options->logger;
    if (ob__logs(&model->logger, OB_LOG_INFO)) report(model, kept);
    *out = model;
    return OB_OK;
}

ob_status ob_model_load_memory(const void *bytes, size_t n_bytes, const char *name, const ob_load_options *options,
                               ob_model **out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!out || (!bytes && n_bytes), error, OB_E_ARGUMENT, "bytes and out must not be NULL");
    ob_source source = {.bytes = (void *)(uintptr_t)bytes, .n_bytes = n_bytes, .kind = OB_SOURCE_CALLER};
    return load_source(&source, name ? name : "<memory>", options, out, error);
}

ob_status ob_model_load_descriptor(int descriptor, const char *name, const ob_load_options *options, ob_model **out,
                                   ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!out, error, OB_E_ARGUMENT, "out must not be NULL");
    ob_load_limits limits = ob__load_limits(options ? &options->limits : NULL);
    ob_source source;
    if (!name) name = "<stdin>";
    OB_TRY(ob__source_read(descriptor, name, options ? options->allocator : NULL, limits.max_bytes, &source, error));
    return load_source(&source, name, options, out, error);
}

ob_status ob_model_load(const char *path, const ob_load_options *options, ob_model **out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!path || !out, error, OB_E_ARGUMENT, "path and out must not be NULL");
    ob_load_limits limits = ob__load_limits(options ? &options->limits : NULL);
    ob_source source;
    OB_TRY(ob__source_open(path, options ? options->allocator : NULL, limits.max_bytes, &source, error));
    return load_source(&source, path, options, out, error);
}
