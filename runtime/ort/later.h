/* Functions of ONNX Runtime that are newer than the headers of the build (Debian 13: API version 21). The table of functions
 * grows only at its end, and ONNX Runtime asserts the end of each version, so a function has a fixed position. They are used if
 * the running library has them. */
#ifndef OB_RUNTIME_ORT_LATER_H
#define OB_RUNTIME_ORT_LATER_H

#include <onnxruntime_c_api.h>
#include <stddef.h>
#include <string.h>

/* API version 24, of which this is the last. */
enum { OB__ORT_LATER = 24, OB__ORT_PLACE_SHAPE_REFERENCE = 414 };

typedef struct ob__ort_later {
    /* GetTensorElementTypeAndShapeDataReference: type and shape without an object made for them. */
    OrtStatus *(ORT_API_CALL *shape_reference)(const OrtValue *value, ONNXTensorElementDataType *type, const int64_t **dims,
                                               size_t *rank);
} ob__ort_later;

#if ORT_API_VERSION >= 24
_Static_assert(offsetof(OrtApi, GetTensorElementTypeAndShapeDataReference) == OB__ORT_PLACE_SHAPE_REFERENCE * sizeof(void *),
               "its place");
#endif

/* api: of version OB__ORT_LATER, or NULL: then there are none. */
static inline ob__ort_later ob__ort_later_of(const OrtApi *api) {
    ob__ort_later later = {0};
    if (!api) return later;
    const char *table = (const char *)api;
    memcpy(&later.shape_reference, table + OB__ORT_PLACE_SHAPE_REFERENCE * sizeof(void *), sizeof later.shape_reference);
    return later;
}

#endif
