/* TIFF, by libtiff: whatever its RGBA interface converts. Handlers and limits are those of one file, none are global:
 * libtiff 4.5. */
#include <string.h>

#include "ops/image/decode.h"

static bool is_tiff(const uint8_t *file, size_t n) {
    return n >= 4 && (memcmp(file, "II*\0", 4) == 0 || memcmp(file, "MM\0*", 4) == 0 || memcmp(file, "II+\0", 4) == 0 ||
                      memcmp(file, "MM\0+", 4) == 0);
}

#ifdef OB_WITH_TIFF
#include <tiffio.h>
#if TIFFLIB_VERSION < 20221213 /* 4.5 */
#undef OB_WITH_TIFF
#endif
#endif

#ifdef OB_WITH_TIFF

typedef struct reader {
    ob_image *image;
    uint64_t at;    /* in the file */
    char text[160]; /* the first error */
} reader;

static int hear_error(TIFF *file, void *context, const char *where, const char *format, va_list list) {
    reader *r = context;
    (void)file;
    (void)where;
    if (!r->text[0]) vsnprintf(r->text, sizeof r->text, format, list);
    return 1;
}

static int hear_nothing(TIFF *file, void *context, const char *where, const char *format, va_list list) {
    (void)file, (void)context, (void)where, (void)format, (void)list;
    return 1;
}

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t n) {
    reader *r = handle;
    uint64_t left = r->at < r->image->n_bytes ? r->image->n_bytes - r->at : 0;
    if (n < 0) return -1;
    if ((uint64_t)n > left) n = (tmsize_t)left;
    if (n > 0) memcpy(to, r->image->file + r->at, (size_t)n);
    r->at += (uint64_t)n;
    return n;
}

static tmsize_t write_nothing(thandle_t handle, void *from, tmsize_t n) {
    (void)handle, (void)from, (void)n;
    return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    reader *r = handle;
    r->at = whence == SEEK_SET ? offset : whence == SEEK_CUR ? r->at + offset : r->image->n_bytes + offset;
    return r->at;
}

static int close_nothing(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t size_of(thandle_t handle) {
    const reader *r = handle;
    return r->image->n_bytes;
}

static int map_file(thandle_t handle, void **base, toff_t *size) {
    const reader *r = handle;
    *base = (void *)(uintptr_t)r->image->file;
    *size = r->image->n_bytes;
    return 1;
}

static void unmap_nothing(thandle_t handle, void *base, toff_t size) {
    (void)handle, (void)base, (void)size;
}

static ob_status read_raster(reader *r, TIFF *file, uint32_t *raster, ob_error *error) {
    ob_image *image = r->image;
    bool read = TIFFReadRGBAImageOriented(file, (uint32_t)image->width, (uint32_t)image->height, raster, ORIENTATION_TOPLEFT, 1);
    OB_IMAGE_DAMAGED(!read, error, "a TIFF: %s", r->text[0] ? r->text : "it cannot be read");
    for (int64_t i = 0, n = image->width * image->height; i < n; i++)
        ob__image_put(image->rgb + 3 * i, (uint8_t)TIFFGetR(raster[i]), (uint8_t)TIFFGetG(raster[i]),
                      (uint8_t)TIFFGetB(raster[i]));
    return OB_OK;
}

static ob_status read_image(reader *r, TIFF *file, ob_error *error) {
    char text[1024] = "";
    uint32_t width = 0, height = 0;
    ob_image *image = r->image;
    TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(file, TIFFTAG_IMAGELENGTH, &height);
    OB_IMAGE_DAMAGED(!TIFFRGBAImageOK(file, text), error, "a TIFF: %.150s", text);
    OB_TRY(ob__image_begin(image, width, height, error));
    size_t n_bytes = (size_t)width * height * sizeof(uint32_t); /* of at most OB_IMAGE_PIXELS */
    uint32_t *raster = image->allocator->alloc(image->allocator->context, n_bytes);
    OB_FAIL_IF(!raster, error, OB_E_MEMORY, "no memory for %zu bytes of an image", n_bytes);
    ob_status status = read_raster(r, file, raster, error);
    image->allocator->free(image->allocator->context, raster, n_bytes);
    return status;
}

static ob_status decode(ob_image *image, ob_error *error) {
    reader r = {.image = image};
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    OB_FAIL_IF(!options, error, OB_E_MEMORY, "no memory for a TIFF");
    TIFFOpenOptionsSetErrorHandlerExtR(options, hear_error, &r);
    TIFFOpenOptionsSetWarningHandlerExtR(options, hear_nothing, NULL);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, 4 * (tmsize_t)OB_IMAGE_PIXELS);
    TIFF *file = TIFFClientOpenExt("image", "r", &r, read_bytes, write_nothing, seek, close_nothing, size_of, map_file,
                                   unmap_nothing, options);
    TIFFOpenOptionsFree(options);
    OB_IMAGE_DAMAGED(!file, error, "a TIFF: %s", r.text[0] ? r.text : "it cannot be opened");
    ob_status status = read_image(&r, file, error);
    TIFFClose(file);
    return status;
}
#define DECODE decode
#else
#define DECODE NULL
#endif

const ob_image_format ob__image_tiff = {"TIFF", "libtiff 4.5", is_tiff, DECODE};
