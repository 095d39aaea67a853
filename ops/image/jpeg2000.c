/* JPEG 2000, by OpenJPEG: JP2 files and bare codestreams, with one component (grey) or three; further components are ignored.
 *
 * The library neither checks for cancellation nor counts its memory. So the headers are read first (codestream.h), which bounds
 * the memory, and the image is decoded in windows, each by a new decoder. */
#include <string.h>

#include "ops/image/codestream.h"

static bool is_file(const uint8_t *file, size_t n) {
    return n >= 12 && memcmp(file, "\0\0\0\x0cjP  \r\n\x87\n", 12) == 0;
}
static bool is_jpeg2000(const uint8_t *file, size_t n) {
    return is_file(file, n) || (n >= 4 && memcmp(file, "\xff\x4f\xff\x51", 4) == 0);
}

#ifdef OB_WITH_OPENJPEG
#include <openjpeg.h>

typedef struct reader {
    ob_image *image;
    size_t at;      /* in the file */
    char text[160]; /* the first error */
} reader;

static void hear_error(const char *text, void *context) {
    reader *r = context;
    if (r->text[0]) return;
    size_t n = strcspn(text, "\n");
    if (n >= sizeof r->text) n = sizeof r->text - 1;
    memcpy(r->text, text, n);
    r->text[n] = '\0';
}

static void hear_nothing(const char *text, void *context) {
    (void)text;
    (void)context;
}

static OPJ_SIZE_T read_bytes(void *to, OPJ_SIZE_T n, void *context) {
    reader *r = context;
    size_t left = r->image->n_bytes - r->at;
    if (left == 0) return (OPJ_SIZE_T)-1;
    if (n > left) n = left;
    memcpy(to, r->image->file + r->at, n);
    r->at += n;
    return n;
}

static OPJ_BOOL seek(OPJ_OFF_T to, void *context) {
    reader *r = context;
    if (to < 0 || (uint64_t)to > r->image->n_bytes) return OPJ_FALSE;
    r->at = (size_t)to;
    return OPJ_TRUE;
}

static OPJ_OFF_T skip(OPJ_OFF_T n, void *context) {
    reader *r = context;
    if (n < 0 || (uint64_t)n > r->image->n_bytes - r->at) return -1;
    r->at += (size_t)n;
    return n;
}

static uint8_t clamp(int64_t value) {
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* The sample at a position on the reference grid, as a byte. Components may be coarser than the image. */
static uint8_t sample(const opj_image_comp_t *c, int64_t x, int64_t y) {
    int64_t column = x / c->dx - c->x0, row = y / c->dy - c->y0;
    column = column < 0 ? 0 : column >= c->w ? (int64_t)c->w - 1 : column;
    row = row < 0 ? 0 : row >= c->h ? (int64_t)c->h - 1 : row;
    int64_t value = c->data[row * c->w + column];
    if (c->sgnd) value += INT64_C(1) << (c->prec - 1);
    if (c->prec > 8) return clamp(value >> (c->prec - 8));
    return c->prec == 8 ? clamp(value) : clamp(value * 255 / ((1 << c->prec) - 1));
}

/* YCbCr of ITU-R 601, as in JFIF. */
static void put_ycc(uint8_t *to, uint8_t luma, int blue, int red) {
    double b = blue - 128, r = red - 128;
    ob__image_put(to, clamp((int64_t)(luma + 1.402 * r + 0.5)), clamp((int64_t)(luma - 0.344136 * b - 0.714136 * r + 0.5)),
                  clamp((int64_t)(luma + 1.772 * b + 0.5)));
}

/* In coordinates of the reference grid; the image begins at x0, y0 of the codestream. */
typedef struct window {
    int64_t x0, y0, x1, y1;
} window;

static void put_pixels(const ob_image *image, const ob_codestream *stream, const window *w, const opj_image_t *decoded) {
    const opj_image_comp_t *c = decoded->comps;
    bool grey = decoded->numcomps < 3, ycc = decoded->color_space == OPJ_CLRSPC_SYCC;
    for (int64_t y = w->y0; y < w->y1; y++) {
        uint8_t *to = ob__image_row(image, y - stream->y0) + 3 * (w->x0 - stream->x0);
        for (int64_t x = w->x0; x < w->x1; x++, to += 3) {
            uint8_t first = sample(&c[0], x, y), second = grey ? first : sample(&c[1], x, y),
                    third = grey ? first : sample(&c[2], x, y);
            if (ycc && !grey)
                put_ycc(to, first, second, third);
            else
                ob__image_put(to, first, second, third);
        }
    }
}

static ob_status check_components(const opj_image_t *decoded, ob_error *error) {
    OB_IMAGE_DAMAGED(decoded->numcomps < 1 || decoded->numcomps > OB_J2K_COMPONENTS, error, "a JPEG 2000 of %u components",
                     decoded->numcomps);
    for (uint32_t i = 0; i < decoded->numcomps; i++)
        OB_IMAGE_DAMAGED(decoded->comps[i].prec < 1 || decoded->comps[i].prec > 31, error, "a JPEG 2000 of %u bits",
                         decoded->comps[i].prec);
    return OB_OK;
}

typedef struct decoder {
    reader reader;
    const ob_codestream *stream;
    opj_codec_t *codec;
    opj_stream_t *file;
    opj_image_t *image;
    uint32_t dx, dy; /* the spacing of the coarsest component */
} decoder;

static bool set_up(decoder *d) {
    const ob_allocator *allocator = d->reader.image->allocator;
    opj_dparameters_t *parameters = allocator->alloc(allocator->context, sizeof *parameters); /* contains two paths of 4 KiB */
    if (!parameters) return false;
    opj_set_default_decoder_parameters(parameters);
    bool good = opj_setup_decoder(d->codec, parameters);
    allocator->free(allocator->context, parameters, sizeof *parameters);
    return good;
}

/* Begins one sample of the coarsest component earlier, because that component's first sample may lie before the window. */
static ob_status read_window(decoder *d, const window *w, ob_error *error) {
    const ob_codestream *s = d->stream;
    OB_FAIL_IF(!set_up(d), error, OB_E_MEMORY, "no memory for a decoder");
    bool read = opj_read_header(d->file, d->codec, &d->image);
    OB_IMAGE_DAMAGED(!read, error, "a JPEG 2000: %s", d->reader.text);
    bool same = d->image->x0 == s->x0 && d->image->y0 == s->y0 && d->image->x1 == s->x1 && d->image->y1 == s->y1 &&
                d->image->numcomps == s->n_components;
    OB_IMAGE_DAMAGED(!same, error, "a JPEG 2000 with an invalid header");
    OB_TRY(check_components(d->image, error));
    int64_t x0 = w->x0 - s->x0 > d->dx ? w->x0 - d->dx : s->x0, y0 = w->y0 - s->y0 > d->dy ? w->y0 - d->dy : s->y0;
    read = opj_set_decode_area(d->codec, d->image, (OPJ_INT32)x0, (OPJ_INT32)y0, (OPJ_INT32)w->x1, (OPJ_INT32)w->y1) &&
           opj_decode(d->codec, d->file, d->image) && opj_end_decompress(d->codec, d->file);
    OB_IMAGE_DAMAGED(!read, error, "a JPEG 2000: %s", d->reader.text);
    OB_TRY(check_components(d->image, error)); /* a palette turns one component into three */
    for (uint32_t i = 0; i < d->image->numcomps; i++) {
        const opj_image_comp_t *c = &d->image->comps[i];
        OB_IMAGE_DAMAGED(!c->data || c->w == 0 || c->h == 0, error, "a JPEG 2000 without all its components");
    }
    put_pixels(d->reader.image, s, w, d->image);
    return OB_OK;
}

static ob_status decode_window(ob_image *image, const ob_codestream *stream, const window *w, ob_error *error) {
    decoder d = {.reader = {.image = image}, .stream = stream, .dx = 1, .dy = 1};
    d.codec = opj_create_decompress(is_file(image->file, image->n_bytes) ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
    d.file = opj_stream_create(1 << 16, OPJ_TRUE);
    for (uint32_t i = 0; i < stream->n_components; i++) {
        if (d.dx < stream->dx[i]) d.dx = stream->dx[i];
        if (d.dy < stream->dy[i]) d.dy = stream->dy[i];
    }
    ob_status status = OB_E_MEMORY;
    if (d.codec && d.file) {
        opj_set_error_handler(d.codec, hear_error, &d.reader);
        opj_set_warning_handler(d.codec, hear_nothing, NULL);
        opj_set_info_handler(d.codec, hear_nothing, NULL);
        opj_stream_set_user_data(d.file, &d.reader, NULL);
        opj_stream_set_user_data_length(d.file, image->n_bytes);
        opj_stream_set_read_function(d.file, read_bytes);
        opj_stream_set_seek_function(d.file, seek);
        opj_stream_set_skip_function(d.file, skip);
        status = read_window(&d, w, error);
    } else {
        ob__fail(error, status, "no memory for a JPEG 2000");
    }
    opj_image_destroy(d.image);
    opj_stream_destroy(d.file);
    opj_destroy_codec(d.codec);
    return status;
}

/* The side of a window: of about WINDOW samples, or the whole of a small image. */
static int64_t window_side(const ob_codestream *stream) {
    enum { WINDOW = 1 << 20, STEP = 64 };
    int64_t side = STEP;
    while ((side + STEP) * (side + STEP) * stream->n_components <= WINDOW) side += STEP;
    return side;
}

/* Bytes of the samples of a window: the library's, our own and intermediate ones. Code-blocks and filters extend beyond it. */
static uint64_t sample_bytes(const ob_codestream *stream, int64_t width, int64_t height, int64_t side) {
    enum { PER_SAMPLE = 24, BEYOND = 256 };
    uint64_t w = (uint64_t)(width < side ? width : side) + BEYOND, h = (uint64_t)(height < side ? height : side) + BEYOND;
    uint32_t n = stream->n_components < 3 ? 3 : stream->n_components; /* with a palette */
    return w * h * n * PER_SAMPLE;
}

static ob_status decode(ob_image *image, ob_error *error) {
    ob_codestream stream = {0};
    OB_TRY(ob__codestream_read(image, is_file(image->file, image->n_bytes), &stream, error));
    if (ob__image_stopped(image)) return OB_OK;
    OB_IMAGE_DAMAGED(stream.x1 > INT32_MAX || stream.y1 > INT32_MAX, error, "a JPEG 2000 that ends at %u, %u", stream.x1,
                     stream.y1);
    int64_t side = window_side(&stream), width = (int64_t)stream.x1 - stream.x0, height = (int64_t)stream.y1 - stream.y0;
    OB_TRY(ob__image_reserve(image, stream.n_bytes, error));
    OB_TRY(ob__image_begin(image, (uint64_t)width, (uint64_t)height, error));
    OB_TRY(ob__image_reserve(image, sample_bytes(&stream, width, height, side), error));
    for (int64_t y = stream.y0; y < stream.y1; y += side)
        for (int64_t x = stream.x0; x < stream.x1; x += side) {
            window w = {x, y, x + side < stream.x1 ? x + side : stream.x1, y + side < stream.y1 ? y + side : stream.y1};
            if (ob__image_stopped(image)) return OB_OK;
            OB_TRY(decode_window(image, &stream, &w, error));
        }
    return OB_OK;
}
#define DECODE decode
#else
#define DECODE NULL
#endif

const ob_image_format ob__image_jpeg2000 = {"JPEG 2000", "OpenJPEG", is_jpeg2000, DECODE};
