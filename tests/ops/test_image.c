/* ImageDecoder: files made by the test, in every format of this build. Truncated anywhere, or with any byte changed, they give
 * an image, or an empty one and the reason. Nothing is printed, and no header causes large allocations. */
#include <unistd.h>

#include "image_files.h"
#include "model_text.h"
#include "onnx_broadcast/logger.h"

static const char *const formats[] = {"RGB", "BGR", "Grayscale"};

typedef struct fixture {
    ob_model *model;
    ob_session *session;
    ob_view out;
    char said[512]; /* messages of the logger in this run */
    ob_error error;
} fixture;

static void hear(void *context, ob_log_level level, const char *message) {
    fixture *f = context;
    if (level == OB_LOG_WARNING) snprintf(f->said, sizeof f->said, "%s", message);
}

static void open_for(fixture *f, const char *pixels) {
    char text[300];
    memset(f, 0, sizeof *f);
    snprintf(text, sizeof text,
             "<ir_version: 10, opset_import: [\"\" : 20]>\ng (uint8[N] x) => (uint8[h, w, c] y) { y = ImageDecoder<pixel_format "
             "= \"%s\">(x) }\n",
             pixels);
    f->model = read_text(text);
    ob_logger logger = {OB_LOG_WARNING, hear, f};
    ob_session_config config;
    ob_session_config_init(&config);
    config.logger = &logger;
    if (ob_session_create(f->model, &config, &f->session, &f->error) != OB_OK) fail_msg("%s", f->error.message);
}

static void close_all(fixture *f) {
    ob_session_close(&f->session);
    ob_model_close(&f->model);
}

/* The input is in a block of its exact size, so that sanitizers see reads beyond it. */
static ob_status decode(fixture *f, const uint8_t *bytes, size_t n) {
    uint8_t *exact = malloc(n ? n : 1);
    ob_view in;
    assert_non_null(exact);
    if (n) memcpy(exact, bytes, n);
    f->said[0] = '\0';
    memset(&f->out, 0, sizeof f->out);
    ob_error_clear(&f->error);
    assert_int_equal(ob_view_init(&in, exact, OB_UINT8, 1, (const int64_t[]){(int64_t)n}), OB_OK);
    ob_status status = ob_session_run(f->session, &in, 1, &f->out, 1, &f->error);
    free(exact);
    return status;
}

static void expect_pixels(const fixture *f, const char *what, int pixels, const uint8_t *rgb, int64_t width, int64_t height,
                          int slack) {
    const uint8_t *got = f->out.data;
    int channels = pixels == 2 ? 1 : 3;
    if (f->out.rank != 3 || f->out.dims[0] != height || f->out.dims[1] != width || f->out.dims[2] != channels)
        fail_msg("%s: %lld x %lld x %lld: %s", what, (long long)f->out.dims[0], (long long)f->out.dims[1],
                 (long long)f->out.dims[2], f->said);
    for (int64_t i = 0; i < width * height; i++) {
        const uint8_t *p = rgb + 3 * i;
        double luma = 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
        for (int c = 0; c < channels; c++) {
            double want = pixels == 2 ? luma : p[pixels == 1 ? 2 - c : c], is = got[channels * i + c];
            if (is - want > slack + 0.51 || want - is > slack + 0.51)
                fail_msg("%s, pixel %d, channel %d: %g, not %g", what, (int)i, c, is, want);
        }
    }
}

/* ---- Pixels ---- */

typedef struct maker {
    const char *name, *begins; /* the file, for builds without an encoder */
    size_t n_begins;
    void (*make)(image_file *f); /* NULL: built without the library */
    bool lossy;                  /* one colour, 200 100 30 */
} maker;

#define BYTES(text) text, sizeof(text) - 1

static const maker makers[] = {
    {"BMP", BYTES("BM"), if_bmp, false},
    {"PNM", BYTES("P6 "), if_ppm, false},
#ifdef OB_WITH_TIFF
    {"TIFF", BYTES("II*\0"), if_tiff, false},
#else
    {"TIFF", BYTES("II*\0"), NULL, false},
#endif
#ifdef OB_WITH_PNG
    {"PNG", BYTES("\x89PNG\r\n\x1a\n"), if_png, false},
#else
    {"PNG", BYTES("\x89PNG\r\n\x1a\n"), NULL, false},
#endif
#ifdef OB_WITH_WEBP
    {"WebP", BYTES("RIFF....WEBP"), if_webp, false},
#else
    {"WebP", BYTES("RIFF....WEBP"), NULL, false},
#endif
#ifdef OB_WITH_JPEG
    {"JPEG", BYTES("\xff\xd8\xff"), if_jpeg, true},
#else
    {"JPEG", BYTES("\xff\xd8\xff"), NULL, true},
#endif
#ifdef OB_WITH_OPENJPEG
    {"JPEG 2000", BYTES("\xff\x4f\xff\x51"), if_jpeg2000, false},
#else
    {"JPEG 2000", BYTES("\xff\x4f\xff\x51"), NULL, false},
#endif
};
enum { N_MAKERS = sizeof makers / sizeof makers[0] };

static void every_format_in_every_order(void **state) {
    (void)state;
    static image_file file;
    static uint8_t rgb[3 * IF_PIXELS];
    for (int pixels = 0; pixels < 3; pixels++) {
        fixture f;
        open_for(&f, formats[pixels]);
        for (int i = 0; i < N_MAKERS; i++) {
            const maker *m = &makers[i];
            if (!m->make) {
                assert_int_equal(decode(&f, (const uint8_t *)m->begins, m->n_begins), OB_E_UNSUPPORTED);
                assert_non_null(strstr(f.error.message, "built without"));
                continue;
            }
            m->make(&file);
            if_pixels(rgb);
            for (int k = 0; m->lossy && k < IF_PIXELS; k++) memcpy(rgb + 3 * k, (const uint8_t[]){200, 100, 30}, 3);
            if (decode(&f, file.bytes, file.n) != OB_OK) fail_msg("%s: %s", m->name, f.error.message);
            expect_pixels(&f, m->name, pixels, rgb, IF_WIDTH, IF_HEIGHT, m->lossy ? 2 : 0);
        }
        close_all(&f);
    }
}

/* ---- Kinds of a format: bytes in hex (spaces do not count), width, height, and the colours as hex, too ---- */

typedef struct kind {
    const char *what, *file, *pixels;
    int width, height;
} kind;

#define BM_HEADER(offset, width, height, bits, compression, colours)                                                             \
    "424d 00000000 00000000 " offset " 28000000 " width " " height " 0100 " bits " " compression                                 \
    " 00000000 00000000 00000000 " colours " 00000000 "
#define TWO_COLOURS "00000000 ff804000 "

static const kind kinds[] = {
    {"BMP, 1 bit", BM_HEADER("3e000000", "0a000000", "01000000", "0100", "00000000", "02000000") TWO_COLOURS "a0400000",
     "4080ff 000000 4080ff 000000 000000 000000 000000 000000 000000 4080ff", 10, 1},
    {"BMP, 4 bits", BM_HEADER("3e000000", "03000000", "01000000", "0400", "00000000", "02000000") TWO_COLOURS "10100000",
     "4080ff 000000 4080ff", 3, 1},
    {"BMP, 8 bits, from the top",
     BM_HEADER("3e000000", "01000000", "feffffff", "0800", "00000000", "02000000") TWO_COLOURS "01000000 00000000",
     "4080ff 000000", 1, 2},
    {"BMP, 8 bits, runs",
     BM_HEADER("3e000000", "04000000", "02000000", "0800", "01000000", "02000000") TWO_COLOURS
     "0301 0000 0002 0100 0003 010001 00 0001",
     "000000 4080ff 000000 4080ff 4080ff 4080ff 4080ff 000000", 4, 2},
    {"BMP, 4 bits, runs",
     BM_HEADER("3e000000", "05000000", "01000000", "0400", "02000000", "02000000") TWO_COLOURS "0210 0003 0110 0001",
     "4080ff 000000 000000 4080ff 4080ff", 5, 1},
    {"BMP, 16 bits", BM_HEADER("36000000", "02000000", "01000000", "1000", "00000000", "00000000") "007c 1f00", "ff0000 0000ff",
     2, 1},
    {"BMP, 16 bits, masks",
     BM_HEADER("42000000", "02000000", "01000000", "1000", "03000000", "00000000") "00f80000 e0070000 1f000000 e007 0008",
     "00ff00 080000", 2, 1},
    {"BMP, 32 bits", BM_HEADER("36000000", "01000000", "01000000", "2000", "00000000", "00000000") "01020300", "030201", 1, 1},
    {"BMP of OS/2", "424d 00000000 00000000 20000000 0c000000 0100 0100 0100 0100 000000 ff8040 80000000", "4080ff", 1, 1},
    {"PBM, text", "5031 0a 2361 0a 33 20 32 0a 31 30 31 0a 30 20 31 20 30", "000000 ffffff 000000 ffffff 000000 ffffff", 3, 2},
    {"PGM, text", "5032 20 32 20 31 20 3130 0a 35 20 3130", "808080 ffffff", 2, 1},
    {"PPM, text", "5033 20 31 20 31 20 323535 0a 31 20 32 09 33", "010203", 1, 1},
    {"PBM", "5034 0a 39 20 31 0a a0 80", "000000 ffffff 000000 ffffff ffffff ffffff ffffff ffffff 000000", 9, 1},
    {"PGM", "5035 0a 32 20 31 0a 323535 0a 00 80", "000000 808080", 2, 1},
    {"PGM, 16 bits", "5035 0a 32 20 31 0a 3635353335 0a 0101 fffe", "010101 ffffff", 2, 1},
};

static size_t from_hex(const char *hex, uint8_t *out) {
    size_t n = 0;
    for (; *hex; hex += *hex == ' ' ? 1 : 2) {
        unsigned byte;
        if (*hex == ' ') continue;
        assert_int_equal(sscanf(hex, "%2x", &byte), 1);
        out[n++] = (uint8_t)byte;
    }
    return n;
}

static void kinds_of_bmp_and_pnm(void **state) {
    (void)state;
    fixture f;
    open_for(&f, "RGB");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const kind *k = &kinds[i];
        uint8_t file[400], rgb[400];
        size_t n = from_hex(k->file, file);
        assert_int_equal(from_hex(k->pixels, rgb), 3 * k->width * k->height);
        if (decode(&f, file, n) != OB_OK) fail_msg("%s: %s", k->what, f.error.message);
        expect_pixels(&f, k->what, 0, rgb, k->width, k->height, 0);
        for (size_t cut = 0; cut < n; cut++) { /* a truncated file is not an image, unless only padding is missing */
            assert_int_equal(decode(&f, file, cut), OB_OK);
            bool shorter_number = file[0] == 'P' && (file[1] == '2' || file[1] == '3');
            if (f.out.dims[0] != 0 && !shorter_number) expect_pixels(&f, k->what, 0, rgb, k->width, k->height, 0);
        }
        for (size_t at = 0; at < 8 * n; at++) {
            file[at / 8] ^= (uint8_t)(1 << at % 8);
            ob_status status = decode(&f, file, n);
            assert_true(status == OB_OK || status == OB_E_LIMIT);
            file[at / 8] ^= (uint8_t)(1 << at % 8);
        }
    }
    close_all(&f);
}

static void one_colour(fixture *f, const char *what, const image_file *file, int slack, const uint8_t colour[3]) {
    uint8_t rgb[3 * IF_PIXELS];
    for (int i = 0; i < 3 * IF_PIXELS; i++) rgb[i] = colour[i % 3];
    if (decode(f, file->bytes, file->n) != OB_OK) fail_msg("%s: %s", what, f->error.message);
    expect_pixels(f, what, 0, rgb, IF_WIDTH, IF_HEIGHT, slack);
}

static void kinds_of_libraries(void **state) {
    (void)state;
    static image_file file;
    static uint8_t rgb[3 * IF_PIXELS], other[4 * IF_PIXELS], grey[3 * IF_PIXELS];
    fixture f;
    open_for(&f, "RGB");
    if_pixels(rgb);
    for (int i = 0; i < 3 * IF_PIXELS; i++) grey[i] = rgb[i / 3 * 3];
#ifdef OB_WITH_PNG
    for (int i = 0; i < 4 * IF_PIXELS; i++) other[i] = i % 4 == 3 ? (uint8_t)(i * 5) : rgb[i / 4 * 3 + i % 4];
    if_png_of(&file, PNG_FORMAT_RGBA, other, NULL, 0);
    assert_int_equal(decode(&f, file.bytes, file.n), OB_OK);
    expect_pixels(&f, "PNG with alpha", 0, rgb, IF_WIDTH, IF_HEIGHT, 0);
    for (int i = 0; i < IF_PIXELS; i++) other[i] = rgb[3 * i];
    if_png_of(&file, PNG_FORMAT_GRAY, other, NULL, 0);
    assert_int_equal(decode(&f, file.bytes, file.n), OB_OK);
    expect_pixels(&f, "grey PNG", 0, grey, IF_WIDTH, IF_HEIGHT, 0);
    for (int i = 0; i < IF_PIXELS; i++) other[i] = (uint8_t)i;
    if_png_of(&file, PNG_FORMAT_RGB_COLORMAP, other, rgb, IF_PIXELS);
    assert_int_equal(decode(&f, file.bytes, file.n), OB_OK);
    expect_pixels(&f, "PNG with a palette", 0, rgb, IF_WIDTH, IF_HEIGHT, 0);
#endif
#ifdef OB_WITH_JPEG
    if_jpeg_of(&file, JCS_GRAYSCALE, 1, (const uint8_t[]){77});
    one_colour(&f, "grey JPEG", &file, 1, (const uint8_t[]){77, 77, 77});
    if_jpeg_of(&file, JCS_CMYK, 4, (const uint8_t[]){255, 128, 0, 128}); /* inverted: as Adobe has it, the marker is written */
    one_colour(&f, "JPEG in four inks", &file, 2, (const uint8_t[]){128, 64, 0});
#endif
#ifdef OB_WITH_OPENJPEG
    if_jpeg2000_of(&file, OPJ_CODEC_J2K, 3, 8, false, 1);
    assert_int_equal(decode(&f, file.bytes, file.n), OB_OK);
    expect_pixels(&f, "codestream", 0, rgb, IF_WIDTH, IF_HEIGHT, 0);
    if_jpeg2000_of(&file, OPJ_CODEC_JP2, 3, 12, false, 1);
    assert_int_equal(decode(&f, file.bytes, file.n), OB_OK);
    expect_pixels(&f, "12 bits", 0, rgb, IF_WIDTH, IF_HEIGHT, 0);
    if_jpeg2000_of(&file, OPJ_CODEC_J2K, 1, 8, true, 1);
    assert_int_equal(decode(&f, file.bytes, file.n), OB_OK);
    expect_pixels(&f, "signed and grey", 0, grey, IF_WIDTH, IF_HEIGHT, 0);
    if_jpeg2000_of(&file, OPJ_CODEC_JP2, 3, 8, false, 2);
    assert_int_equal(decode(&f, file.bytes, file.n), OB_OK);
    expect_pixels(&f, "coarser colours", 0, grey, IF_WIDTH, IF_HEIGHT, 0);
    if_jpeg2000_of(&file, OPJ_CODEC_JP2, 1, 4, false, 1);
    assert_int_equal(decode(&f, file.bytes, file.n), OB_OK);
    for (int i = 0; i < 3 * IF_PIXELS; i++) grey[i] = (uint8_t)((grey[i] >> 4) * 17);
    expect_pixels(&f, "4 bits", 0, grey, IF_WIDTH, IF_HEIGHT, 0);
#endif
    (void)one_colour, (void)other, (void)grey, (void)file;
    close_all(&f);
}

/* ---- Damage ---- */

/* Redirects the standard error stream to a file; restores it and returns the number of bytes written. */
static int divert_errors(FILE *to) {
    fflush(stderr);
    int old = dup(STDERR_FILENO);
    assert_true(old >= 0 && dup2(fileno(to), STDERR_FILENO) >= 0);
    return old;
}
static long restore_errors(int old, FILE *from) {
    fflush(stderr);
    dup2(old, STDERR_FILENO);
    close(old);
    return lseek(fileno(from), 0, SEEK_END);
}

/* The result is an image or an empty one with a reason. Returns whether it is an image. */
static bool is_sane(const fixture *f, ob_status status, int channels) {
    if (status != OB_OK) {
        assert_true(status == OB_E_LIMIT || status == OB_E_UNSUPPORTED); /* a header of something else */
        return false;
    }
    assert_int_equal(f->out.rank, 3);
    assert_int_equal(f->out.dims[2], channels);
    bool empty = f->out.dims[0] == 0;
    assert_int_equal(f->out.dims[1] == 0, empty);
    assert_int_equal(f->said[0] != '\0', empty);
    return !empty;
}

static void damaged_files(void **state) {
    (void)state;
    static image_file file;
    FILE *said = tmpfile();
    assert_non_null(said);
    int old = divert_errors(said);
    for (int grey = 0; grey < 2; grey++) {
        fixture f;
        open_for(&f, grey ? "Grayscale" : "RGB");
        for (int i = 0; i < N_MAKERS; i++) {
            if (!makers[i].make) continue;
            makers[i].make(&file);
            int images = 0;
            for (size_t n = 0; n < file.n; n++) images += is_sane(&f, decode(&f, file.bytes, n), grey ? 1 : 3);
            if (images > 16) fail_msg("%s: cut off, it still is an image %d times", makers[i].name, images);
            for (size_t at = 0; at < file.n; at++) {
                uint8_t kept = file.bytes[at];
                file.bytes[at] = (uint8_t)(at % 2 ? ~kept : kept + 1);
                is_sane(&f, decode(&f, file.bytes, file.n), grey ? 1 : 3);
                file.bytes[at] = kept;
            }
        }
        close_all(&f);
    }
    assert_int_equal(restore_errors(old, said), 0);
    fclose(said);
}

static void not_an_image(void **state) {
    (void)state;
    static const char *const texts[] = {"",       "B",     "P7 1 1 255 ", "P5 1 1 0 x", "P5 0 1 255 x", "P2 99999999999 1 1 ",
                                        "GIF89a", "MM\0*x"};
    fixture f;
    open_for(&f, "BGR");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ob_status status = decode(&f, (const uint8_t *)texts[i], strlen(texts[i]));
        assert_false(is_sane(&f, status, 3));
        if (i < 7) assert_int_equal(status, OB_OK);
    }
    close_all(&f);
}

/* ---- Sizes ---- */

static void large_headers(void **state) {
    (void)state;
    static image_file file;
    fixture f;
    open_for(&f, "RGB");
    /* A bitmap without its pixels is damaged; with runs the number of pixels is open. */
    uint8_t bmp[400];
    size_t n = from_hex(BM_HEADER("3e000000", "ffffff7f", "ffffff7f", "0800", "01000000", "02000000") TWO_COLOURS "0001", bmp);
    assert_int_equal(decode(&f, bmp, n), OB_E_LIMIT);
    assert_non_null(strstr(f.error.message, "2147483647 x 2147483647 pixels"));
    n = from_hex(BM_HEADER("36000000", "ffffff7f", "00000080", "1800", "00000000", "00000000") "00000000", bmp);
    assert_int_equal(decode(&f, bmp, n), OB_OK);
    assert_false(is_sane(&f, OB_OK, 3));
    for (int i = 0; i < N_MAKERS; i++) {
        static const struct {
            const char *name;
            size_t at, n;
        } places[] = {{"PNG", 16, 4}, {"TIFF", 18, 4}, {"JPEG", 0, 2}};
        for (size_t k = 0; makers[i].make && k < 3; k++) {
            if (strcmp(makers[i].name, places[k].name) != 0) continue;
            size_t at = places[k].at;
            makers[i].make(&file);
            while (k == 2 && !(file.bytes[at] == 0xff && file.bytes[at + 1] == 0xc0)) at++; /* the frame: height, width */
            if (k == 2) at += 5;
            size_t width_at = k == 1 ? at + 12 : at + places[k].n;
            for (size_t b = 0; b < places[k].n; b++) file.bytes[at + b] = file.bytes[width_at + b] = k == 1 && b == 3 ? 0 : 0x7f;
            ob_status status = decode(&f, file.bytes, file.n); /* libpng tests checksums and finds the damage */
            assert_true(status == OB_E_LIMIT || (status == OB_OK && f.out.dims[0] == 0));
            if (k == 2) assert_int_equal(status, OB_E_LIMIT);
        }
    }
    close_all(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_in_every_order),
        cmocka_unit_test(kinds_of_bmp_and_pnm),
        cmocka_unit_test(kinds_of_libraries),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(not_an_image),
        cmocka_unit_test(large_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
