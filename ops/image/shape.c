/* Shape rules of operators that read images. */
#include <string.h>

#include "ops/table/op.h"

OB_RULE(image_decoder);

ob_status ob__infer_image_decoder(ob_infer *infer) {
    bool grey = strcmp(ob__node_string(infer->node, "pixel_format", "RGB"), "Grayscale") == 0;
    const ob_dim dims[3] = {OB_DIM_UNKNOWN, OB_DIM_UNKNOWN, grey ? 1 : 3};
    return ob__out_tensor(infer, 0, OB_UINT8, 3, dims);
}
