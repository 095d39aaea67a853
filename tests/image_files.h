/* Image files made for tests, each with the same few pixels. */
#ifndef OB_TESTS_IMAGE_FILES_H
#define OB_TESTS_IMAGE_FILES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OB_WITH_JPEG
#include <jpeglib.h>
#endif
#ifdef OB_WITH_PNG
#include <png.h>
#endif
#ifdef OB_WITH_WEBP
#include <webp/encode.h>
#endif
#ifdef OB_WITH_OPENJPEG
#include <openjpeg.h>
#endif

enum { IF_WIDTH = 5, IF_HEIGHT = 3, IF_PIXELS = IF_WIDTH * IF_HEIGHT, IF_ROOM = 8192 };

typedef struct image_file {
    uint8_t bytes[IF_ROOM];
    size_t n;
} image_file;

/* Red, green and blue of every pixel, spread over the range. */
static inline void if_pixels(uint8_t rgb[3 * IF_PIXELS]) {
    for (int i = 0; i < 3 * IF_PIXELS; i++) rgb[i] = (uint8_t)(i * 73 + i / 3 * 11);
}

static inline void if_put(image_file *f, const char *widths, ...) { /* 1, 2, 4: little endian; b: big endian in four bytes */
    va_list list;
    va_start(list, widths);
    for (; *widths; widths++) {
        unsigned value = va_arg(list, unsigned);
        int n = *widths == 'b' ? 4 : *widths - '0';
        for (int i = 0; i < n; i++) f->bytes[f->n++] = (uint8_t)(value >> 8 * (*widths == 'b' ? 3 - i : i));
    }
    va_end(list);
}

static inline void if_bmp(image_file *f) {
    uint8_t rgb[3 * IF_PIXELS];
    if_pixels(rgb);
    *f = (image_file){.bytes = "BM", .n = 2};
    if_put(f, "4444", 54 + 16 * IF_HEIGHT, 0, 54, 40);
    if_put(f, "4422444444", IF_WIDTH, IF_HEIGHT, 1, 24, 0, 0, 0, 0, 0, 0);
    for (int y = IF_HEIGHT - 1; y >= 0; y--) {
        for (int x = 0; x < IF_WIDTH; x++)
            for (int c = 2; c >= 0; c--) f->bytes[f->n++] = rgb[3 * (y * IF_WIDTH + x) + c];
        f->bytes[f->n++] = 0;
    }
}

static inline void if_ppm(image_file *f) {
    f->n = (size_t)sprintf((char *)f->bytes, "P6 # a comment\n%d %d\n255\n", IF_WIDTH, IF_HEIGHT);
    if_pixels(f->bytes + f->n);
    f->n += 3 * IF_PIXELS;
}

static inline void if_tiff(image_file *f) {
    enum { ENTRIES = 9, BITS_AT = 8 + 2 + 12 * ENTRIES + 4, PIXELS_AT = BITS_AT + 6 };
    static const unsigned entries[ENTRIES][4] = {{256, 4, 1, IF_WIDTH}, {257, 4, 1, IF_HEIGHT}, {258, 3, 3, BITS_AT},
                                                 {259, 3, 1, 1},        {262, 3, 1, 2},         {273, 4, 1, PIXELS_AT},
                                                 {277, 3, 1, 3},        {278, 4, 1, IF_HEIGHT}, {279, 4, 1, 3 * IF_PIXELS}};
    *f = (image_file){.bytes = "II*", .n = 4};
    if_put(f, "42", 8, ENTRIES);
    for (int i = 0; i < ENTRIES; i++) if_put(f, "2244", entries[i][0], entries[i][1], entries[i][2], entries[i][3]);
    if_put(f, "4222", 0, 8, 8, 8);
    if_pixels(f->bytes + f->n);
    f->n += 3 * IF_PIXELS;
}

#ifdef OB_WITH_PNG
/* Pixels in one of libpng's formats. */
static inline void if_png_of(image_file *f, unsigned format, const void *pixels, const void *palette, unsigned n_colours) {
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = IF_WIDTH, .height = IF_HEIGHT, .format = format, .colormap_entries = n_colours};
    size_t n = IF_ROOM;
    if (!png_image_write_to_memory(&image, f->bytes, &n, 0, pixels, 0, palette)) abort();
    f->n = n;
}
static inline void if_png(image_file *f) {
    uint8_t rgb[3 * IF_PIXELS];
    if_pixels(rgb);
    if_png_of(f, PNG_FORMAT_RGB, rgb, NULL, 0);
}
#endif

#ifdef OB_WITH_WEBP
static inline void if_webp(image_file *f) {
    uint8_t rgb[3 * IF_PIXELS], *made = NULL;
    if_pixels(rgb);
    f->n = WebPEncodeLosslessRGB(rgb, IF_WIDTH, IF_HEIGHT, 3 * IF_WIDTH, &made);
    if (f->n == 0 || f->n > IF_ROOM) abort();
    memcpy(f->bytes, made, f->n);
    WebPFree(made);
}
#endif

#ifdef OB_WITH_JPEG
/* An image of one colour: `n` components in one of libjpeg's spaces. */
static inline void if_jpeg_of(image_file *f, J_COLOR_SPACE space, int n, const uint8_t *colour) {
    struct jpeg_error_mgr errors;
    struct jpeg_compress_struct codec = {.err = jpeg_std_error(&errors)};
    unsigned char *made = NULL;
    unsigned long size = 0;
    uint8_t row[4 * IF_WIDTH], *rows = row;
    for (int i = 0; i < n * IF_WIDTH; i++) row[i] = colour[i % n];
    jpeg_create_compress(&codec);
    jpeg_mem_dest(&codec, &made, &size);
    codec.image_width = IF_WIDTH;
    codec.image_height = IF_HEIGHT;
    codec.input_components = n;
    codec.in_color_space = space;
    jpeg_set_defaults(&codec);
    jpeg_set_quality(&codec, 100, TRUE);
    jpeg_start_compress(&codec, TRUE);
    for (int y = 0; y < IF_HEIGHT; y++) jpeg_write_scanlines(&codec, &rows, 1);
    jpeg_finish_compress(&codec);
    jpeg_destroy_compress(&codec);
    if (size > IF_ROOM) abort();
    memcpy(f->bytes, made, f->n = size);
    free(made);
}
static inline void if_jpeg(image_file *f) {
    if_jpeg_of(f, JCS_RGB, 3, (const uint8_t[]){200, 100, 30});
}
#endif

#ifdef OB_WITH_OPENJPEG
static inline OPJ_SIZE_T if_write(void *from, OPJ_SIZE_T n, void *context) {
    image_file *f = context;
    if (f->n + n > IF_ROOM) abort();
    memcpy(f->bytes + f->n, from, n);
    f->n += n;
    return n;
}
static inline OPJ_BOOL if_seek(OPJ_OFF_T to, void *context) { /* back, to write a length, and to the end again */
    image_file *f = context;
    f->n = (size_t)to;
    return OPJ_TRUE;
}
static inline OPJ_OFF_T if_skip(OPJ_OFF_T n, void *context) {
    image_file *f = context;
    f->n += (size_t)n;
    return n;
}
static inline void if_silent(const char *text, void *context) {
    (void)text, (void)context;
}

/* The first n components of the pixels, of `bits` each; signed ones lose half of their range. */
static inline void if_jpeg2000_of(image_file *f, OPJ_CODEC_FORMAT format, uint32_t n, uint32_t bits, bool is_signed,
                                  int spacing) {
    uint8_t rgb[3 * IF_PIXELS];
    opj_cparameters_t parameters;
    opj_image_cmptparm_t components[3];
    if_pixels(rgb);
    memset(f, 0, sizeof *f);
    memset(components, 0, sizeof components);
    for (uint32_t c = 0; c < n; c++) {
        uint32_t d = c ? (uint32_t)spacing : 1;
        components[c] = (opj_image_cmptparm_t){
            .dx = d, .dy = d, .w = (IF_WIDTH + d - 1) / d, .h = (IF_HEIGHT + d - 1) / d, .prec = bits, .sgnd = is_signed};
    }
    opj_image_t *image = opj_image_create(n, components,
                                          n == 1        ? OPJ_CLRSPC_GRAY
                                          : spacing > 1 ? OPJ_CLRSPC_SYCC
                                                        : OPJ_CLRSPC_SRGB);
    image->x1 = IF_WIDTH;
    image->y1 = IF_HEIGHT;
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t i = 0; i < components[c].w * components[c].h; i++) {
            int value = spacing > 1 ? (c ? 128 : rgb[3 * i]) : rgb[3 * i + c];
            image->comps[c].data[i] = (bits > 8 ? value << (bits - 8) : value >> (8 - bits)) - (is_signed ? 1 << (bits - 1) : 0);
        }
    opj_set_default_encoder_parameters(&parameters);
    parameters.numresolution = 1;
    parameters.tcp_numlayers = 1;
    parameters.cp_disto_alloc = 1;
    opj_codec_t *codec = opj_create_compress(format);
    opj_stream_t *stream = opj_stream_create(IF_ROOM, OPJ_FALSE);
    opj_set_warning_handler(codec, if_silent, NULL);
    opj_stream_set_user_data(stream, f, NULL);
    opj_stream_set_write_function(stream, if_write);
    opj_stream_set_seek_function(stream, if_seek);
    opj_stream_set_skip_function(stream, if_skip);
    if (!opj_setup_encoder(codec, &parameters, image) || !opj_start_compress(codec, image, stream) ||
        !opj_encode(codec, stream) || !opj_end_compress(codec, stream))
        abort();
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
}
static inline void if_jpeg2000(image_file *f) {
    if_jpeg2000_of(f, OPJ_CODEC_JP2, 3, 8, false, 1);
}
#endif

#endif
