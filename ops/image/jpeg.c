/* JPEG, by libjpeg, with its defaults: the slow integer transform and smooth upsampling. */
#include "ops/image/decode.h"

static bool is_jpeg(const uint8_t *file, size_t n) {
    return n >= 3 && file[0] == 0xff && file[1] == 0xd8 && file[2] == 0xff;
}

#ifdef OB_WITH_JPEG
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h>

enum { MOST_SCANS = 500 }; /* scans of a progressive image; each is a pass over the whole image */

/* The library's errors jump back to `jump`. Data that changes in between is behind a pointer, because locals of setjmp's frame
 * may be lost. */
typedef struct reader {
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct codec;
    struct jpeg_progress_mgr progress;
    struct jpeg_source_mgr source;
    size_t at; /* in the file, after the bytes that `source` has */
    jmp_buf jump;
    ob_image *image;
    uint8_t *inks; /* a row of cyan, magenta, yellow and black, or NULL */
    size_t n_inks;
    ob_status status;
    ob_error *error;
} reader;

static void give_up(j_common_ptr codec) {
    reader *r = codec->client_data;
    char text[JMSG_LENGTH_MAX];
    codec->err->format_message(codec, text);
    bool no_memory = codec->err->msg_code == JERR_OUT_OF_MEMORY;
    r->status = ob__fail(r->error, no_memory ? OB_E_MEMORY : OB_E_ARGUMENT, "a JPEG: %s", text);
    longjmp(r->jump, 1);
}

/* Negative levels are warnings. They become errors, because the decoder would invent the pixels of a file that is cut off. */
static void hear(j_common_ptr codec, int level) {
    int code = codec->err->msg_code;
    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) give_up(codec);
}

static void print_nothing(j_common_ptr codec) {
    (void)codec;
}

/* Called after every row of blocks in every pass; checks for cancellation. */
static void watch(j_common_ptr codec) {
    reader *r = codec->client_data;
    if (ob__image_stopped(r->image)) longjmp(r->jump, 1);
    if (r->codec.input_scan_number <= MOST_SCANS) return;
    r->status = ob__fail(r->error, OB_E_ARGUMENT, "a JPEG of more than %d scans", MOST_SCANS);
    longjmp(r->jump, 1);
}

/* ---- The file, in pieces: markers and skipped data between them can be long ---- */

enum { PIECE = 1 << 20 };

static void begin_source(j_decompress_ptr codec) {
    (void)codec;
}

/* After the end of the file: an end marker. The library's warning about it becomes an error, see `hear`. */
static boolean fill_source(j_decompress_ptr codec) {
    static const JOCTET end[2] = {0xff, JPEG_EOI};
    reader *r = codec->client_data;
    size_t n = r->image->n_bytes - r->at;
    if (ob__image_stopped(r->image)) longjmp(r->jump, 1);
    if (n == 0) WARNMS(codec, JWRN_JPEG_EOF);
    if (n > PIECE) n = PIECE;
    r->source.next_input_byte = n ? r->image->file + r->at : end;
    r->source.bytes_in_buffer = n ? n : sizeof end;
    r->at += n;
    return TRUE;
}

static void skip_source(j_decompress_ptr codec, long n) {
    reader *r = codec->client_data;
    while (n > 0 && (size_t)n > r->source.bytes_in_buffer) {
        n -= (long)r->source.bytes_in_buffer;
        fill_source(codec);
    }
    if (n <= 0) return;
    r->source.next_input_byte += n;
    r->source.bytes_in_buffer -= (size_t)n;
}

static void set_source(reader *r) {
    r->source.init_source = begin_source;
    r->source.fill_input_buffer = fill_source;
    r->source.skip_input_data = skip_source;
    r->source.resync_to_restart = jpeg_resync_to_restart;
    r->source.term_source = begin_source;
    r->codec.src = &r->source;
}

/* ---- Pixels ---- */

/* Reserves the library's memory: coefficients of all scans, in blocks of 64, or a few rows of blocks of one scan. Blocks are
 * padded to the common sampling of the components. */
static ob_status reserve(reader *r) {
    struct jpeg_decompress_struct *codec = &r->codec;
    enum { FIXED = 1 << 20, BLOCK = DCTSIZE2 * sizeof(JCOEF), ROWS = 8 };
    uint64_t n = FIXED;
    bool whole = jpeg_has_multiple_scans(codec);
    for (int i = 0; i < codec->num_components; i++) {
        const jpeg_component_info *c = &codec->comp_info[i];
        uint64_t wide = c->width_in_blocks + (uint64_t)codec->max_h_samp_factor,
                 high = whole ? c->height_in_blocks + (uint64_t)codec->max_v_samp_factor : 0;
        n += wide * BLOCK * (high + ROWS) + (uint64_t)codec->image_width * ROWS * MAX_SAMP_FACTOR * 2;
    }
    return ob__image_reserve(r->image, n, r->error);
}

/* Files from Adobe invert the inks. */
static void row_from_inks(const reader *r, uint8_t *to) {
    unsigned flip = r->codec.saw_Adobe_marker ? 0 : 255;
    const uint8_t *ink = r->inks;
    for (int64_t x = 0; x < r->image->width; x++, ink += 4, to += 3)
        for (int c = 0; c < 3; c++) to[c] = (uint8_t)(((ink[c] ^ flip) * (ink[3] ^ flip) + 127) / 255);
}

static ob_status read_rows(reader *r) {
    ob_image *image = r->image;
    struct jpeg_decompress_struct *codec = &r->codec;
    bool inks = codec->num_components == 4;
    codec->out_color_space = inks ? JCS_CMYK : JCS_RGB;
    OB_TRY(ob__image_begin(image, codec->image_width, codec->image_height, r->error));
    OB_TRY(reserve(r));
    if (inks) {
        r->n_inks = (size_t)image->width * 4;
        r->inks = image->allocator->alloc(image->allocator->context, r->n_inks);
        OB_FAIL_IF(!r->inks, r->error, OB_E_MEMORY, "no memory for a row of an image");
    }
    jpeg_start_decompress(codec);
    while (codec->output_scanline < codec->output_height && !ob__image_stopped(image)) {
        uint8_t *to = ob__image_row(image, codec->output_scanline), *row = inks ? r->inks : to;
        jpeg_read_scanlines(codec, &row, 1);
        if (inks) row_from_inks(r, to);
    }
    if (codec->output_scanline == codec->output_height) jpeg_finish_decompress(codec);
    return OB_OK;
}

static void read_guarded(reader *r) {
    if (setjmp(r->jump)) return;
    jpeg_create_decompress(&r->codec);
    r->codec.progress = &r->progress;
    set_source(r);
    jpeg_read_header(&r->codec, TRUE);
    r->status = read_rows(r);
}

static ob_status decode(ob_image *image, ob_error *error) {
    reader r = {.image = image, .error = error};
    r.codec.err = jpeg_std_error(&r.errors);
    r.codec.client_data = &r;
    r.errors.error_exit = give_up;
    r.errors.emit_message = hear;
    r.errors.output_message = print_nothing;
    r.progress.progress_monitor = watch;
    read_guarded(&r);
    jpeg_destroy_decompress(&r.codec);
    if (r.inks) image->allocator->free(image->allocator->context, r.inks, r.n_inks);
    return r.status;
}
#define DECODE decode
#else
#define DECODE NULL
#endif

const ob_image_format ob__image_jpeg = {"JPEG", "libjpeg", is_jpeg, DECODE};
