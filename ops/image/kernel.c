/* ImageDecoder 20: decodes an image file to height x width x channels. Transparency is ignored, 16-bit samples lose their lower
 * byte, and of several images in a file the first is decoded. Grey is the luma of ITU-R 601-2, rounded, also for grey images.
 *
 * As ONNX specifies, a file that cannot be decoded gives an empty result, 0 x 0; the reason goes to the logger. A missing
 * library, an image that is too large and lack of memory are errors. The memory that a library takes from malloc is bounded from
 * the file's header, and counted before it is taken. */
#include "core/base/log.h"
#include "ops/image/decode.h"
#include "ops/image/params.h"
#include "ops/kernel/common.h"

static const ob_image_format *const formats[] = {&ob__image_bmp,  &ob__image_pnm,  &ob__image_jpeg,    &ob__image_png,
                                                 &ob__image_webp, &ob__image_tiff, &ob__image_jpeg2000};

typedef struct state {
    ob_pixels pixels;
    const ob_logger *logger;
    ob_allocator allocator;
    const ob_account *account;
} state;

static size_t pixel_bytes(const ob_image *image) {
    return (size_t)image->width * (size_t)image->height * 3;
}

ob_status ob__image_begin(ob_image *image, uint64_t width, uint64_t height, ob_error *error) {
    OB_IMAGE_DAMAGED(width == 0 || height == 0, error, "it is %llu x %llu pixels", (unsigned long long)width,
                     (unsigned long long)height);
    OB_FAIL_IF(width > (uint64_t)OB_IMAGE_PIXELS / height, error, OB_E_LIMIT,
               "an image of %llu x %llu pixels; at most %lld pixels are decoded", (unsigned long long)width,
               (unsigned long long)height, (long long)OB_IMAGE_PIXELS);
    OB_FAIL_IF(width > (uint64_t)OB_IMAGE_ROW, error, OB_E_LIMIT,
               "an image of %llu x %llu pixels; at most %lld per row are decoded", (unsigned long long)width,
               (unsigned long long)height, (long long)OB_IMAGE_ROW);
    image->width = (int64_t)width;
    image->height = (int64_t)height;
    if (image->grey) {
        image->rgb = image->allocator->alloc(image->allocator->context, pixel_bytes(image));
        OB_FAIL_IF(!image->rgb, error, OB_E_MEMORY, "no memory for %zu bytes of an image", pixel_bytes(image));
        return OB_OK;
    }
    OB_TRY(ob__kernel_output(image->args, 0, 3, (const int64_t[]){image->height, image->width, 3}, error));
    image->rgb = image->args->out[0].data;
    return OB_OK;
}

bool ob__image_stopped(const ob_image *image) {
    return ob__stopped(image->args->threads);
}

ob_status ob__image_reserve(ob_image *image, uint64_t n_bytes, ob_error *error) {
    const ob_account *account = image->account;
    if (!account) return OB_OK;
    OB_FAIL_IF(!account->take(account->context, n_bytes), error, OB_E_MEMORY, "no memory for %llu bytes to decode an image in",
               (unsigned long long)n_bytes);
    image->reserved += n_bytes;
    return OB_OK;
}

static void release(ob_image *image) {
    const ob_allocator *allocator = image->allocator;
    if (image->grey && image->rgb) allocator->free(allocator->context, image->rgb, pixel_bytes(image));
    if (image->reserved) image->account->give_back(image->account->context, image->reserved);
}

/* ---- Channels ---- */

static void swap_ends(ob_image *image) {
    for (int64_t y = 0; y < image->height && !ob__image_stopped(image); y++) {
        uint8_t *p = ob__image_row(image, y);
        for (int64_t x = 0; x < image->width; x++, p += 3) ob__image_put(p, p[2], p[1], p[0]);
    }
}

static ob_status give_grey(const ob_image *image, ob_error *error) {
    OB_TRY(ob__kernel_output(image->args, 0, 3, (const int64_t[]){image->height, image->width, 1}, error));
    uint8_t *out = image->args->out[0].data;
    for (int64_t y = 0; y < image->height && !ob__image_stopped(image); y++) {
        const uint8_t *p = ob__image_row(image, y);
        for (int64_t x = 0; x < image->width; x++, p += 3)
            *out++ = (uint8_t)((p[0] * 19595u + p[1] * 38470u + p[2] * 7471u + 0x8000u) >> 16);
    }
    return OB_OK;
}

/* ---- The kernel ---- */

static ob_status decode(ob_image *image, ob_error *error) {
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const ob_image_format *format = formats[i];
        if (!format->is(image->file, image->n_bytes)) continue;
        OB_FAIL_IF(!format->decode, error, OB_E_UNSUPPORTED, "built without %s, which reads %s images", format->library,
                   format->name);
        return format->decode(image, error);
    }
    return ob__fail(error, OB_E_ARGUMENT, "its format is not known");
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    (void)error;
    state *s = args->state;
    s->pixels = ob__decoder_pixels(site->node);
    s->logger = &site->node->graph->model->logger;
    s->allocator = *site->allocator;
    s->account = site->account;
    return OB_OK;
}

static ob_status run(const ob_kernel_args *args, ob_error *error) {
    const state *s = args->state;
    const ob_view *in = &args->in[0];
    ob_error why;
    ob_error_clear(&why);
    ob_image image = {.file = in->data,
                      .n_bytes = (size_t)ob__count(in),
                      .allocator = &s->allocator,
                      .account = s->account,
                      .args = args,
                      .grey = s->pixels == OB_PIXELS_GREY};
    ob_status status = decode(&image, &why);
    if (status == OB_OK && s->pixels == OB_PIXELS_BGR) swap_ends(&image);
    if (status == OB_OK && image.grey) status = give_grey(&image, &why);
    release(&image);
    if (status == OB_E_ARGUMENT) {
        OB_LOG(s->logger, OB_LOG_WARNING, "ImageDecoder: no image can be read, the result is empty: %s", why.message);
        return ob__kernel_output(args, 0, 3, (const int64_t[]){0, 0, image.grey ? 1 : 3}, error);
    }
    return status == OB_OK ? OB_OK : ob__fail(error, status, "%s", why.message);
}

const ob_kernel ob__kernel_image_decoder = {.name = "image_decoder",
                                            .flags = OB_KERNEL_DYNAMIC,
                                            .state_bytes = sizeof(state),
                                            .plan = plan,
                                            .run = run,
                                            .libraries = "libjpeg, libpng, libwebp, libtiff, OpenJPEG"};
