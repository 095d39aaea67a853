/* Reading models in text formats. In a build without them (OB_WITH_TEXT) no_text.c is in the place of load_text.c, and of all
 * else that reads and writes text. */
#ifndef OB_PROTO_LOAD_TEXT_H
#define OB_PROTO_LOAD_TEXT_H

#include "proto/file.h"
#include "proto/proto.h"

/* The text format of a model that is not a binary file. */
ob_model_format ob__detect_text(const uint8_t *bytes, size_t n);
/* Fills a model that ob__model_new made from ONNX's text. */
ob_status ob__read_text(ob_model *model, const ob_source *source, const ob_load_limits *limits, ob_error *error);
/* Replaces protobuf's text or JSON in the source by the same model in binary form, of which weights are borrowed. */
ob_status ob__encode_source(ob_source *source, ob_model_format format, const ob_model *model, const ob_load_limits *limits,
                            ob_error *error);

#endif
