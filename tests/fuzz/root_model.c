#include "mutate.h"
#include "onnx.pb-c.h"

const ProtobufCMessageDescriptor *const fuzz_root = &onnx__model_proto__descriptor;
