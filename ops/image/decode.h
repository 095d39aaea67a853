/* Decodes image files in memory to rows of red, green and blue bytes. Each format has a file. */
#ifndef OB_OPS_IMAGE_DECODE_H
#define OB_OPS_IMAGE_DECODE_H

#include "core/base/error.h"
#include "ops/kernel/kernel.h"

/* Larger images are refused, so that a few bytes of a header cannot take all memory. Longer rows are refused because a decoder
 * checks for cancellation only between rows. */
#define OB_IMAGE_PIXELS (INT64_C(1) << 28)
#define OB_IMAGE_ROW    (INT64_C(1) << 22)

typedef struct ob_image {
    const uint8_t *file;
    size_t n_bytes;
    int64_t width, height;         /* set by ob__image_begin */
    uint8_t *rgb;                  /* height * width * 3 bytes, contiguous; valid after ob__image_begin */
    const ob_allocator *allocator; /* for work memory, which the decoder frees */
    const ob_account *account;     /* NULL: memory is not counted */
    uint64_t reserved;             /* bytes reserved in the account */
    const ob_kernel_args *args;    /* of the run */
    bool grey;                     /* grey is wanted: rgb is work memory, not the result */
} ob_image;

/* A decoder calls it once, as soon as it knows the size and before it allocates memory for pixels. E_LIMIT: too large;
 * E_ARGUMENT: a size of 0; E_MEMORY. */
ob_status ob__image_begin(ob_image *image, uint64_t width, uint64_t height, ob_error *error);
/* Whether the run is cancelled: the pixels no longer matter, and the decoder returns OB_OK. Decoders call it at least every 50
 * ms. */
bool ob__image_stopped(const ob_image *image);
/* Reserves n_bytes in the account, before a library takes at most that many from malloc. They count until the image is decoded.
 * E_MEMORY: over the limit. */
ob_status ob__image_reserve(ob_image *image, uint64_t n_bytes, ob_error *error);

/* E_ARGUMENT if the file is not a valid image of its format. */
#define OB_IMAGE_DAMAGED(condition, error, ...) OB_FAIL_IF((condition), (error), OB_E_ARGUMENT, __VA_ARGS__)

static inline uint8_t *ob__image_row(const ob_image *image, int64_t y) {
    return image->rgb + y * image->width * 3;
}
static inline void ob__image_put(uint8_t *pixel, uint8_t red, uint8_t green, uint8_t blue) {
    pixel[0] = red;
    pixel[1] = green;
    pixel[2] = blue;
}

typedef struct ob_image_format {
    const char *name, *library;
    bool (*is)(const uint8_t *file, size_t n);
    /* Fills image->rgb. NULL: built without the library. E_ARGUMENT: damaged, or a variant that the library does not support. */
    ob_status (*decode)(ob_image *image, ob_error *error);
} ob_image_format;

extern const ob_image_format ob__image_bmp, ob__image_pnm, ob__image_jpeg, ob__image_png, ob__image_webp, ob__image_tiff,
    ob__image_jpeg2000;

#endif
