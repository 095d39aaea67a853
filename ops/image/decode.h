/* Image files in memory, decoded to rows of red, green and blue bytes. A file for each format. */
#ifndef OB_OPS_IMAGE_DECODE_H
#define OB_OPS_IMAGE_DECODE_H

#include "core/base/error.h"
#include "ops/kernel/kernel.h"

/* Larger images are refused: what a few bytes of a header say must not take all memory there is. So are longer rows: between two
 * rows a decoder asks whether to go on. */
#define OB_IMAGE_PIXELS (INT64_C(1) << 28)
#define OB_IMAGE_ROW    (INT64_C(1) << 22)

typedef struct ob_image {
    const uint8_t *file;
    size_t n_bytes;
    int64_t width, height;         /* from ob__image_begin on */
    uint8_t *rgb;                  /* height * width * 3 bytes, without gaps, undefined before */
    const ob_allocator *allocator; /* for work memory, which the decoder gives back */
    const ob_account *account;     /* NULL: nothing is counted */
    uint64_t reserved;             /* bytes of the account */
    const ob_kernel_args *args;    /* of the run */
    bool grey;                     /* rgb is work memory, not the result */
} ob_image;

/* A decoder calls it once, when it knows the size and before it takes memory for pixels. E_LIMIT: too large; E_ARGUMENT: a size
 * of 0; E_MEMORY. */
ob_status ob__image_begin(ob_image *image, uint64_t width, uint64_t height, ob_error *error);
/* The run is to end: what is decoded does not matter, and the decoder returns OB_OK. Asked after every 50 ms of work at the
 * latest. */
bool ob__image_stopped(const ob_image *image);
/* Counts n_bytes more that a library takes from malloc, at least as many as it will: before it takes them. They count until the
 * image is decoded. E_MEMORY: over the limit. */
ob_status ob__image_reserve(ob_image *image, uint64_t n_bytes, ob_error *error);

/* E_ARGUMENT: what the file holds is no such image. */
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
    /* Fills image->rgb. NULL: built without the library. E_ARGUMENT: damaged, or a kind that the library does not have. */
    ob_status (*decode)(ob_image *image, ob_error *error);
} ob_image_format;

extern const ob_image_format ob__image_bmp, ob__image_pnm, ob__image_jpeg, ob__image_png, ob__image_webp, ob__image_tiff,
    ob__image_jpeg2000;

#endif
