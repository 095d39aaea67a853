/* The functions of ONNX Runtime that the plugin calls, over plain structs, for a target without ONNX Runtime. Shapes
 * and attributes are the target's. Freed objects are counted, so that none is lost. */
#ifndef OB_FUZZ_FAKE_ORT_H
#define OB_FUZZ_FAKE_ORT_H

#include <onnxruntime_c_api.h>

#include "fuzz.h"

enum { FAKE_RANK = 70, FAKE_OPERANDS = 10, FAKE_BYTES = 1 << 16, FAKE_STRINGS = 512 };

struct OrtStatus {
    OrtErrorCode code;
    char text[256];
};

struct OrtTensorTypeAndShapeInfo {
    ONNXTensorElementDataType type;
    size_t rank;
    int64_t dims[FAKE_RANK];
    char names[FAKE_RANK][160]; /* "" for none */
};

struct OrtTypeInfo {
    const OrtTensorTypeAndShapeInfo *tensor; /* NULL: not a tensor */
};

struct OrtValue {
    OrtTensorTypeAndShapeInfo info;
    _Alignas(16) char bytes[FAKE_BYTES];
    size_t n_bytes; /* of numbers */
    char strings[FAKE_STRINGS][8];
    size_t lengths[FAKE_STRINGS];
};

/* A list of integers, absent with n -1. */
struct OrtOpAttr {
    int64_t ints[FAKE_RANK];
    int32_t n;
};

/* A node and a run of it: what every context of the API refers to. */
typedef struct fake_node {
    size_t n_inputs, n_outputs;
    char name[200];
    OrtTensorTypeAndShapeInfo declared[FAKE_OPERANDS];
    bool no_tensor[FAKE_OPERANDS]; /* the declared type is none of a tensor */
    OrtOpAttr broadcast_dimensions, shape;
    const char *program;              /* NULL: no such attribute */
    OrtValue *inputs[FAKE_OPERANDS];  /* NULL: omitted */
    OrtValue *outputs[FAKE_OPERANDS]; /* filled by GetOutput, unless unwanted */
    bool unwanted[FAKE_OPERANDS];
    OrtTensorTypeAndShapeInfo inferred[FAKE_OPERANDS];
    bool is_inferred[FAKE_OPERANDS];
} fake_node;

/* Objects that the plugin holds: 0 when a call has returned. */
extern long fake_alive;
/* The table, the same one always. */
const OrtApi *fake_ort(void);
/* Bytes that n elements take, packed below 8 bits; SIZE_MAX when they are too many. */
size_t fake_bytes(const OrtTensorTypeAndShapeInfo *info);
/* Elements; SIZE_MAX when they are too many for a fake. */
size_t fake_count(const OrtTensorTypeAndShapeInfo *info);

#endif
