/* WebP, by libwebp; of an animation nothing. */
#include <string.h>

#include "ops/image/decode.h"

static bool is_webp(const uint8_t *file, size_t n) {
    return n >= 12 && memcmp(file, "RIFF", 4) == 0 && memcmp(file + 8, "WEBP", 4) == 0;
}

#ifdef OB_WITH_WEBP
#include <webp/decode.h>

static ob_status decode(ob_image *image, ob_error *error) {
    WebPBitstreamFeatures features;
    OB_IMAGE_DAMAGED(WebPGetFeatures(image->file, image->n_bytes, &features) != VP8_STATUS_OK, error,
                     "a WebP with a header that is not one");
    OB_IMAGE_DAMAGED(features.has_animation, error, "a WebP that is an animation");
    OB_TRY(ob__image_begin(image, (uint64_t)features.width, (uint64_t)features.height, error));
    size_t n_bytes = (size_t)(image->width * image->height * 3);
    OB_IMAGE_DAMAGED(!WebPDecodeRGBInto(image->file, image->n_bytes, image->rgb, n_bytes, (int)image->width * 3), error,
                     "a WebP that is damaged or cut off");
    return OB_OK;
}
#define DECODE decode
#else
#define DECODE NULL
#endif

const ob_image_format ob__image_webp = {"WebP", "libwebp", is_webp, DECODE};
