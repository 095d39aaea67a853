/* JPEG 2000, by OpenJPEG: JP2 files and bare codestreams, of one component (grey) or three, and what lies behind them left out.
 */
#include <string.h>

#include "ops/image/decode.h"

static bool is_file(const uint8_t *file, size_t n) {
    return n >= 12 && memcmp(file, "\0\0\0\x0cjP  \r\n\x87\n", 12) == 0;
}
static bool is_jpeg2000(const uint8_t *file, size_t n) {
    return is_file(file, n) || (n >= 4 && memcmp(file, "\xff\x4f\xff\x51", 4) == 0);
}

#ifdef OB_WITH_OPENJPEG
#include <openjpeg.h>

enum { MOST_COMPONENTS = 5 };

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

/* The sample for a pixel, as a byte: components may be coarser than the image. */
static uint8_t sample(const ob_image *image, const opj_image_comp_t *c, int64_t x, int64_t y) {
    int64_t value = c->data[y * c->h / image->height * c->w + x * c->w / image->width];
    if (c->sgnd) value += INT64_C(1) << (c->prec - 1);
    if (c->prec > 8) return clamp(value >> (c->prec - 8));
    return c->prec == 8 ? clamp(value) : clamp(value * 255 / ((1 << c->prec) - 1));
}

/* ITU-R 601, as JFIF has it. */
static void put_ycc(uint8_t *to, uint8_t luma, int blue, int red) {
    double b = blue - 128, r = red - 128;
    ob__image_put(to, clamp((int64_t)(luma + 1.402 * r + 0.5)), clamp((int64_t)(luma - 0.344136 * b - 0.714136 * r + 0.5)),
                  clamp((int64_t)(luma + 1.772 * b + 0.5)));
}

static void put_pixels(ob_image *image, const opj_image_t *decoded) {
    const opj_image_comp_t *c = decoded->comps;
    bool grey = decoded->numcomps < 3, ycc = decoded->color_space == OPJ_CLRSPC_SYCC;
    for (int64_t y = 0; y < image->height; y++) {
        uint8_t *to = ob__image_row(image, y);
        for (int64_t x = 0; x < image->width; x++, to += 3) {
            uint8_t first = sample(image, &c[0], x, y), second = grey ? first : sample(image, &c[1], x, y),
                    third = grey ? first : sample(image, &c[2], x, y);
            if (ycc && !grey)
                put_ycc(to, first, second, third);
            else
                ob__image_put(to, first, second, third);
        }
    }
}

static ob_status check_components(const opj_image_t *header, ob_error *error) {
    OB_IMAGE_DAMAGED(header->numcomps < 1 || header->numcomps > MOST_COMPONENTS, error, "a JPEG 2000 of %u components",
                     header->numcomps);
    OB_IMAGE_DAMAGED(header->x1 <= header->x0 || header->y1 <= header->y0, error, "a JPEG 2000 without pixels");
    for (uint32_t i = 0; i < header->numcomps; i++)
        OB_IMAGE_DAMAGED(header->comps[i].prec < 1 || header->comps[i].prec > 31, error, "a JPEG 2000 of %u bits",
                         header->comps[i].prec);
    return OB_OK;
}

static ob_status read_image(reader *r, opj_codec_t *codec, opj_stream_t *stream, opj_image_t **decoded, ob_error *error) {
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    bool read = opj_setup_decoder(codec, &parameters) && opj_read_header(stream, codec, decoded);
    OB_IMAGE_DAMAGED(!read, error, "a JPEG 2000: %s", r->text);
    const opj_image_t *header = *decoded;
    OB_TRY(check_components(header, error));
    OB_TRY(ob__image_begin(r->image, header->x1 - header->x0, header->y1 - header->y0, error));
    read = opj_decode(codec, stream, *decoded) && opj_end_decompress(codec, stream);
    OB_IMAGE_DAMAGED(!read, error, "a JPEG 2000: %s", r->text);
    OB_TRY(check_components(*decoded, error)); /* a palette makes three of one */
    for (uint32_t i = 0; i < (*decoded)->numcomps; i++) {
        const opj_image_comp_t *c = &(*decoded)->comps[i];
        OB_IMAGE_DAMAGED(!c->data || c->w == 0 || c->h == 0, error, "a JPEG 2000 without all its components");
    }
    put_pixels(r->image, *decoded);
    return OB_OK;
}

static ob_status decode(ob_image *image, ob_error *error) {
    reader r = {.image = image};
    opj_image_t *decoded = NULL;
    opj_codec_t *codec = opj_create_decompress(is_file(image->file, image->n_bytes) ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
    opj_stream_t *stream = opj_stream_create(1 << 16, OPJ_TRUE);
    ob_status status = OB_E_MEMORY;
    if (codec && stream) {
        opj_set_error_handler(codec, hear_error, &r);
        opj_set_warning_handler(codec, hear_nothing, NULL);
        opj_set_info_handler(codec, hear_nothing, NULL);
        opj_stream_set_user_data(stream, &r, NULL);
        opj_stream_set_user_data_length(stream, image->n_bytes);
        opj_stream_set_read_function(stream, read_bytes);
        opj_stream_set_seek_function(stream, seek);
        opj_stream_set_skip_function(stream, skip);
        status = read_image(&r, codec, stream, &decoded, error);
    } else {
        ob__fail(error, status, "no memory for a JPEG 2000");
    }
    opj_image_destroy(decoded);
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    return status;
}
#define DECODE decode
#else
#define DECODE NULL
#endif

const ob_image_format ob__image_jpeg2000 = {"JPEG 2000", "OpenJPEG", is_jpeg2000, DECODE};
