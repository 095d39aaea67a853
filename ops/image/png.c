/* PNG, by libpng, without colour management: samples are taken from the file unchanged. */
#include <string.h>

#include "ops/image/decode.h"

static bool is_png(const uint8_t *file, size_t n) {
    return n >= 8 && memcmp(file, "\x89PNG\r\n\x1a\n", 8) == 0;
}

#ifdef OB_WITH_PNG
#include <setjmp.h>

#include <png.h>

/* The library's errors jump back to `jump`. Data that changes in between is behind a pointer, because locals of setjmp's frame
 * may be lost. */
typedef struct reader {
    png_structp codec;
    png_infop info;
    jmp_buf jump;
    ob_image *image;
    size_t at; /* in the file */
    ob_status status;
    ob_error *error;
} reader;

static void give_up(png_structp codec, const char *text) {
    reader *r = png_get_error_ptr(codec);
    if (r->status == OB_OK) r->status = ob__fail(r->error, OB_E_ARGUMENT, "a PNG: %s", text);
    longjmp(r->jump, 1);
}

static void print_nothing(png_structp codec, const char *text) {
    (void)codec;
    (void)text;
}

typedef struct block {
    _Alignas(16) size_t n_bytes; /* size of the bytes that follow */
} block;

static void *take(png_structp codec, size_t n) {
    reader *r = png_get_mem_ptr(codec);
    size_t n_bytes;
    block *b = NULL;
    if (!__builtin_add_overflow(n, sizeof(block), &n_bytes))
        b = r->image->allocator->alloc(r->image->allocator->context, n_bytes);
    if (!b) {
        r->status = ob__fail(r->error, OB_E_MEMORY, "no memory for a PNG");
        return NULL;
    }
    b->n_bytes = n_bytes;
    return b + 1;
}

static void give_back(png_structp codec, void *bytes) {
    reader *r = png_get_mem_ptr(codec);
    block *b = bytes ? (block *)bytes - 1 : NULL;
    if (b) r->image->allocator->free(r->image->allocator->context, b, b->n_bytes);
}

/* Everything is read through here in pieces of a few KiB, including skipped data, so it checks for cancellation. */
static void read_bytes(png_structp codec, uint8_t *to, size_t n) {
    reader *r = png_get_io_ptr(codec);
    if (ob__image_stopped(r->image)) longjmp(r->jump, 1);
    if (n > r->image->n_bytes - r->at) png_error(codec, "the file is cut off");
    memcpy(to, r->image->file + r->at, n);
    r->at += n;
}

static ob_status read_rows(reader *r) {
    png_structp codec = r->codec;
    png_read_info(codec, r->info);
    OB_TRY(ob__image_begin(r->image, png_get_image_width(codec, r->info), png_get_image_height(codec, r->info), r->error));
    png_set_expand(codec);
    png_set_scale_16(codec);
    png_set_strip_alpha(codec);
    png_set_gray_to_rgb(codec);
    int passes = png_set_interlace_handling(codec);
    png_read_update_info(codec, r->info);
    if (png_get_rowbytes(codec, r->info) != (size_t)r->image->width * 3)
        png_error(codec, "its rows do not have the requested size");
    for (int pass = 0; pass < passes; pass++)
        for (int64_t y = 0; y < r->image->height; y++) {
            if (ob__image_stopped(r->image)) return OB_OK;
            png_read_row(codec, ob__image_row(r->image, y), NULL);
        }
    png_read_end(codec, NULL);
    return OB_OK;
}

static void read_guarded(reader *r) {
    if (setjmp(r->jump)) return;
    r->codec = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, r, give_up, print_nothing, r, take, give_back);
    r->info = r->codec ? png_create_info_struct(r->codec) : NULL;
    if (!r->info) {
        r->status = ob__fail(r->error, OB_E_MEMORY, "no memory for a PNG");
        return;
    }
    png_set_user_limits(r->codec, 0x7fffffff, 0x7fffffff);                   /* ob__image_begin checks the size instead */
    png_set_keep_unknown_chunks(r->codec, PNG_HANDLE_CHUNK_NEVER, NULL, -1); /* so texts and profiles are not inflated */
    png_set_read_fn(r->codec, r, read_bytes);
    ob_status status = read_rows(r);
    r->status = status;
}

static ob_status decode(ob_image *image, ob_error *error) {
    reader r = {.image = image, .error = error};
    read_guarded(&r);
    if (r.codec) png_destroy_read_struct(&r.codec, &r.info, NULL);
    return r.status;
}
#define DECODE decode
#else
#define DECODE NULL
#endif

const ob_image_format ob__image_png = {"PNG", "libpng", is_png, DECODE};
