#include "mutate.h"
#include "onnx.pb-c.h"

const ProtobufCMessageDescriptor *const fuzz_root = &onnx__tensor_proto__descriptor;
