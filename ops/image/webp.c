/* WebP, by libwebp, without animations. */
#include <string.h>

#include "ops/image/decode.h"

static bool is_webp(const uint8_t *file, size_t n) {
    return n >= 12 && memcmp(file, "RIFF", 4) == 0 && memcmp(file + 8, "WEBP", 4) == 0;
}

#ifdef OB_WITH_WEBP
#include <webp/decode.h>

/* The memory that the library takes. For a lossless image or a plane of transparency: four bytes for each pixel, and tables of
 * codes for each group of pixels; the codes of a group take at least 20 bits of the file, and a group has at least 16 pixels. For
 * other images, a few rows. */
static uint64_t memory_for(const ob_image *image, const WebPBitstreamFeatures *features) {
    enum { FIXED = 1 << 20, ROWS = 128, MOST_GROUPS = 1 << 16, GROUP = 21 << 10, LOSSY = 1 };
    uint64_t pixels = (uint64_t)image->width * (uint64_t)image->height, groups = pixels / 16 + 1,
             in_file = image->n_bytes * 2 / 5 + 1;
    uint64_t n = FIXED + (uint64_t)image->width * ROWS;
    if (features->format == LOSSY && !features->has_alpha) return n;
    if (groups > in_file) groups = in_file;
    if (groups > MOST_GROUPS) groups = MOST_GROUPS;
    return n + 5 * pixels + groups * GROUP;
}

/* Bytes decoded at a time, about as many as encode some hundred thousand pixels. */
static size_t piece_of(const ob_image *image) {
    enum { LEAST = 1 << 12, MOST = 1 << 16, PIXELS = 1 << 19 };
    uint64_t pixels = (uint64_t)image->width * (uint64_t)image->height, n = image->n_bytes / (pixels / PIXELS + 1);
    return n < LEAST ? LEAST : n > MOST ? MOST : (size_t)n;
}

static ob_status decode(ob_image *image, ob_error *error) {
    WebPBitstreamFeatures features;
    OB_IMAGE_DAMAGED(WebPGetFeatures(image->file, image->n_bytes, &features) != VP8_STATUS_OK, error,
                     "a WebP with an invalid header");
    OB_IMAGE_DAMAGED(features.has_animation, error, "a WebP that is an animation");
    OB_TRY(ob__image_begin(image, (uint64_t)features.width, (uint64_t)features.height, error));
    OB_TRY(ob__image_reserve(image, memory_for(image, &features), error));
    WebPIDecoder *codec = WebPINewRGB(MODE_RGB, image->rgb, (size_t)(image->width * image->height * 3), (int)image->width * 3);
    OB_FAIL_IF(!codec, error, OB_E_MEMORY, "no memory for a WebP");
    VP8StatusCode code = VP8_STATUS_SUSPENDED;
    for (size_t n = 0, piece = piece_of(image); n < image->n_bytes && code == VP8_STATUS_SUSPENDED;) {
        if (ob__image_stopped(image)) break;
        n = image->n_bytes - n > piece ? n + piece : image->n_bytes;
        code = WebPIUpdate(codec, image->file, n);
    }
    WebPIDelete(codec);
    OB_FAIL_IF(code == VP8_STATUS_OUT_OF_MEMORY, error, OB_E_MEMORY, "no memory for a WebP");
    OB_IMAGE_DAMAGED(code != VP8_STATUS_OK && !ob__image_stopped(image), error, "a WebP that is damaged or cut off");
    return OB_OK;
}
#define DECODE decode
#else
#define DECODE NULL
#endif

const ob_image_format ob__image_webp = {"WebP", "libwebp", is_webp, DECODE};
