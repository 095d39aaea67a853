/* The attributes of operators on images, read only here. */
#ifndef OB_OPS_IMAGE_PARAMS_H
#define OB_OPS_IMAGE_PARAMS_H

#include <string.h>

#include "core/graph/graph.h"
#include "ops/table/attributes.h"

typedef enum ob_pixels { OB_PIXELS_RGB, OB_PIXELS_BGR, OB_PIXELS_GREY } ob_pixels;

static inline ob_pixels ob__decoder_pixels(const ob_node *node) {
    const char *format = ob__attribute_text(node, "pixel_format");
    return strcmp(format, "Grayscale") == 0 ? OB_PIXELS_GREY : strcmp(format, "BGR") == 0 ? OB_PIXELS_BGR : OB_PIXELS_RGB;
}
static inline int64_t ob__decoder_channels(const ob_node *node) {
    return ob__decoder_pixels(node) == OB_PIXELS_GREY ? 1 : 3;
}

#endif
