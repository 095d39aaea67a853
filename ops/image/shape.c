/* Shape rules of operators that read images. */
#include "ops/image/params.h"
#include "ops/infer/infer.h"
#include "ops/table/op.h"

OB_RULE(image_decoder);

ob_status ob__infer_image_decoder(ob_infer *infer) {
    const ob_dim dims[3] = {OB_DIM_UNKNOWN, OB_DIM_UNKNOWN, ob__decoder_channels(infer->node)};
    return ob__out_tensor(infer, 0, OB_UINT8, 3, dims);
}
