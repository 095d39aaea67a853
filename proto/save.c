/* Writes models to a sink or a file. */
#include <string.h>

#include "core/base/error.h"
#include "proto/file.h"
#include "proto/message_text.h"
#include "proto/writer.h"

static ob_status write_message(const ob_model *model, ob_model_format format, ob_write_sink sink, void *context,
                               ob_error *error) {
    ob_proto_writer writer;
    ob__proto_writer_init(&writer, model, error);
    Onnx__ModelProto *message = NULL;
    ob_status status = ob__write_model(&writer, model, &message);
    if (status == OB_OK) {
        switch (format) {
        case OB_FORMAT_PROTOBUF_TEXT:
        case OB_FORMAT_JSON: status = ob__print_message(&writer, &message->base, format == OB_FORMAT_JSON, sink, context); break;
        case OB_FORMAT_PROTOBUF_ALIGNED: status = ob__write_aligned(&writer, &message->base, sink, context); break;
        default: status = ob__write_message(&message->base, sink, context, error); break;
        }
    }
    ob__proto_writer_release(&writer);
    return status;
}

ob_status ob_model_write(const ob_model *model, ob_model_format format, ob_write_sink sink, void *context, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!model || !sink, error, OB_E_ARGUMENT, "model and sink must not be NULL");
    if (format == OB_FORMAT_TEXT) return ob_model_write_text(model, 0, sink, context, error);
    return write_message(model, format, sink, context, error);
}

ob_model_format ob_model_format_of_path(const char *path) {
    static const struct {
        const char *ending;
        ob_model_format format;
    } endings[] = {
        {".onnxtxt", OB_FORMAT_TEXT},           {".onnxtext", OB_FORMAT_TEXT},       {".textproto", OB_FORMAT_PROTOBUF_TEXT},
        {".prototxt", OB_FORMAT_PROTOBUF_TEXT}, {".pbtxt", OB_FORMAT_PROTOBUF_TEXT}, {".json", OB_FORMAT_JSON},
        {".onnxjson", OB_FORMAT_JSON},
    };
    size_t n = path ? strlen(path) : 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n_ending = strlen(endings[i].ending);
        if (n >= n_ending && strcmp(path + n - n_ending, endings[i].ending) == 0) return endings[i].format;
    }
    return OB_FORMAT_PROTOBUF;
}

typedef struct save_request {
    const ob_model *model;
    ob_model_format format;
} save_request;

static ob_status produce(void *context, ob_write_sink sink, void *sink_context, ob_error *error) {
    const save_request *request = context;
    return ob_model_write(request->model, request->format, sink, sink_context, error);
}

ob_status ob_model_save(const ob_model *model, const char *path, ob_model_format format, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!model || !path, error, OB_E_ARGUMENT, "model and path must not be NULL");
    if (format == OB_FORMAT_AUTO) format = ob_model_format_of_path(path);
    save_request request = {model, format};
    return ob_file_save(path, produce, &request, error);
}
