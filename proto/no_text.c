/* A build without text formats (OB_WITH_TEXT): what would read or write them refuses it. */
#include "onnx_broadcast/model.h"
#include "proto/load_text.h"
#include "proto/message_text.h"
#include "proto/tensor_set.h"

static ob_status refuse(const char *what, ob_error *error) {
    return ob__fail(error, OB_E_UNSUPPORTED, "%s: this build has binary files only (OB_WITH_TEXT is off)", what);
}

ob_model_format ob__detect_text(const uint8_t *bytes, size_t n) {
    (void)bytes, (void)n;
    return OB_FORMAT_TEXT;
}

ob_status ob__read_text(ob_model *model, const ob_source *source, const ob_load_limits *limits, ob_error *error) {
    (void)model, (void)source, (void)limits;
    return refuse("the model is text", error);
}

ob_status ob__encode_source(ob_source *source, ob_model_format format, const ob_model *model, const ob_load_limits *limits,
                            ob_error *error) {
    (void)source, (void)model, (void)limits;
    return refuse(format == OB_FORMAT_JSON ? "the model is JSON" : "the model is protobuf's text", error);
}

ob_status ob__print_message(ob_proto_writer *writer, const ProtobufCMessage *message, bool is_json, ob_write_sink sink,
                            void *context) {
    (void)message, (void)sink, (void)context;
    return refuse(is_json ? "a model as JSON" : "a model as protobuf's text", writer->error);
}

ob_status ob_model_write_text(const ob_model *model, size_t max_elems, ob_write_sink sink, void *context, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!model || !sink, error, OB_E_ARGUMENT, "model and sink must not be NULL");
    (void)max_elems, (void)context;
    return refuse("a model as text", error);
}

ob_status ob__json_list(ob_tensor_set *set, ob_error *error) {
    (void)set;
    return refuse("tensors in JSON", error);
}

ob_status ob__json_member(const ob_tensor_set *set, const ob_set_member *member, ob_dtype dtype, const ob_allocator *allocator,
                          ob_file_tensor *out, ob_error *error) {
    (void)set, (void)member, (void)dtype, (void)allocator, (void)out;
    return refuse("tensors in JSON", error);
}
