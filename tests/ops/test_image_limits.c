/* ImageDecoder under limits: decoding checks often whether to stop, in every format, and the memory of libraries stays below
 * max_memory for any header. Large images have their pixels at the right places, for any division into pieces. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/sanitizer.h"
#include "image_files.h"
#include "model_text.h"
#ifdef OB_WITH_TIFF
#include <tiffio.h>
#endif

/* ---- Runs ---- */

typedef struct fixture {
    ob_model *model;
    ob_session *session;
    ob_view out;
    ob_error error;
    long asked, stop_after; /* 0: never */
    double last, longest;   /* seconds of processor time between two checks */
} fixture;

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void note_gap(fixture *f) {
    double now = processor_seconds();
    if (f->longest < now - f->last) f->longest = now - f->last;
    f->last = now;
}

static bool ask(void *context) {
    fixture *f = context;
    note_gap(f);
    return ++f->asked == f->stop_after;
}

static void open_for(fixture *f, uint64_t max_memory) {
    memset(f, 0, sizeof *f);
    f->model = read_text("<ir_version: 10, opset_import: [\"\" : 20]>\n"
                         "g (uint8[N] x) => (uint8[h, w, c] y) { y = ImageDecoder(x) }\n");
    ob_session_config config;
    ob_session_config_init(&config);
    config.max_memory = max_memory;
    config.cancelled = ask;
    config.context = f;
    if (ob_session_create(f->model, &config, &f->session, &f->error) != OB_OK) fail_msg("%s", f->error.message);
}

static void close_all(fixture *f) {
    ob_session_close(&f->session);
    ob_model_close(&f->model);
}

static ob_status decode(fixture *f, const uint8_t *bytes, size_t n, long stop_after) {
    ob_view in;
    memset(&f->out, 0, sizeof f->out);
    ob_error_clear(&f->error);
    assert_int_equal(ob_view_init(&in, (void *)(uintptr_t)bytes, OB_UINT8, 1, (const int64_t[]){(int64_t)n}), OB_OK);
    f->asked = 0;
    f->longest = 0;
    f->stop_after = stop_after;
    f->last = processor_seconds();
    ob_status status = ob_session_run(f->session, &in, 1, &f->out, 1, &f->error);
    note_gap(f);
    return status;
}

/* ---- Large files ---- */

typedef struct large {
    uint8_t *bytes;
    size_t n, room;
} large;

static void grow(large *f, size_t n) {
    while (f->n + n > f->room) {
        f->room = f->room ? 2 * f->room : 1 << 16;
        f->bytes = realloc(f->bytes, f->room);
        assert_non_null(f->bytes);
    }
}
static void put(large *f, const void *bytes, size_t n) {
    grow(f, n);
    memcpy(f->bytes + f->n, bytes, n);
    f->n += n;
}
static inline void put_big(large *f, int n, uint32_t value) {
    for (int i = n - 1; i >= 0; i--) put(f, &(uint8_t){(uint8_t)(value >> 8 * i)}, 1);
}
static void fill(large *f, size_t n, int byte) {
    grow(f, n);
    memset(f->bytes + f->n, byte, n);
    f->n += n;
}

/* A picture that is neither smooth nor noise. */
static uint8_t pixel(int64_t x, int64_t y, int c) {
    return (uint8_t)(x * 3 + y * 5 + c * 40 + ((x * x + y * 7) >> 5 & 15));
}

static uint8_t *picture(int64_t width, int64_t height) {
    uint8_t *rgb = malloc((size_t)(3 * width * height)), *p = rgb;
    assert_non_null(rgb);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            for (int c = 0; c < 3; c++) *p++ = pixel(x, y, c);
    return rgb;
}

#if defined(OB_ASAN) || defined(__SANITIZE_THREAD__)
enum { OB_SANITIZED = 1 };
#else
enum { OB_SANITIZED = 0 };
#endif
/* The documented limit is 50, but shared machines are slow. A JPEG 2000 window full of code-blocks takes longer. */
enum { GAP_MS = 300, WINDOW_MS = 1000 };

/* The decoded image is the picture (slack 0: exactly; negative: not compared), and the hook was called often; if it answers
 * stop, decoding ends. */
static void expect(fixture *f, const char *what, const large *file, int64_t width, int64_t height, int slack) {
    if (decode(f, file->bytes, file->n, 0) != OB_OK) fail_msg("%s: %s", what, f->error.message);
    if (f->out.dims[0] != height || f->out.dims[1] != width)
        fail_msg("%s: %lld x %lld", what, (long long)f->out.dims[0], (long long)f->out.dims[1]);
    const uint8_t *p = f->out.data;
    for (int64_t y = 0; y < height && slack >= 0; y++)
        for (int64_t x = 0; x < width; x++)
            for (int c = 0; c < 3; c++, p++)
                if (abs(*p - pixel(x, y, c)) > slack) fail_msg("%s: %d at %d, %d, %d", what, *p, (int)x, (int)y, c);
    if (!OB_SANITIZED && f->longest > 1e-3 * GAP_MS) fail_msg("%s: %.3f s without a question", what, f->longest);
    assert_true(f->asked >= 3);
    assert_int_equal(decode(f, file->bytes, file->n, 2), OB_E_CANCELLED); /* the number of checks depends on the clock */
}

/* ---- Formats ---- */

enum { WIDTH = 2300, HEIGHT = 1700 };

static void bitmaps(void **state) {
    (void)state;
    fixture f;
    large file = {0};
    uint8_t *rgb = picture(WIDTH, HEIGHT);
    open_for(&f, 0);
    put(&file, "P6 2300 1700 255\n", 17);
    put(&file, rgb, 3 * WIDTH * HEIGHT);
    expect(&f, "PPM", &file, WIDTH, HEIGHT, 0);
    file.n = 0;
    put(&file, "P5 ", 3); /* a long way to the numbers */
    fill(&file, 40 << 20, ' ');
    put(&file, "#", 1);
    fill(&file, 40 << 20, 'x');
    put(&file, "\n1 1 255\n\5", 10);
    expect(&f, "PGM", &file, 1, 1, -1);
    file.n = 0; /* runs without effect, 2 bytes each */
    put(&file, "BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\4\0\0\0\2\0\0\0\1\0\x08\0\1\0\0\0", 34);
    fill(&file, 12, 0);
    put(&file, "\2\0\0\0\0\0\0\0\0\0\0\0\xff\x80\x40\0", 16);
    for (int i = 0; i < 20 << 20; i++) put(&file, "\0\2\0\0", 4);
    put(&file, "\0\1", 2);
    expect(&f, "BMP", &file, 4, 2, -1);
    close_all(&f);
    free(file.bytes);
    free(rgb);
}

#ifdef OB_WITH_PNG
static uint32_t crc(const uint8_t *p, size_t n) {
    uint32_t c = 0xffffffffu;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    }
    return ~c;
}

static void png(void **state) {
    (void)state;
    fixture f;
    uint8_t *rgb = picture(WIDTH, HEIGHT);
    png_image image = {.version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGB};
    size_t n = 3 * WIDTH * HEIGHT + (1 << 20);
    large file = {.bytes = malloc(n), .room = n};
    assert_true(png_image_write_to_memory(&image, file.bytes, &n, 0, rgb, 0, NULL));
    file.n = n;
    open_for(&f, 0);
    expect(&f, "PNG", &file, WIDTH, HEIGHT, 0);
    /* After the last row: 400 chunks of pixels that belong to no row. The hook must be called meanwhile, although there are few
     * rows. */
    enum { SMALL = 16, MORE = 1 << 20, CHUNKS = 400 };
    image = (png_image){.version = PNG_IMAGE_VERSION, .width = SMALL, .height = SMALL, .format = PNG_FORMAT_RGB};
    n = file.room;
    assert_true(png_image_write_to_memory(&image, file.bytes, &n, 0, rgb, 0, NULL));
    file.n = n - 12;
    size_t at = file.n;
    put_big(&file, 4, MORE);
    put(&file, "IDAT", 4);
    fill(&file, MORE, 7);
    put_big(&file, 4, crc(file.bytes + at + 4, MORE + 4));
    size_t chunk = file.n - at;
    grow(&file, CHUNKS * chunk);
    for (int i = 1; i < CHUNKS; i++) put(&file, file.bytes + at, chunk);
    put(&file, "\0\0\0\0IEND\xae\x42\x60\x82", 12);
    expect(&f, "PNG with more behind its rows", &file, SMALL, SMALL, -1);
    assert_true(f.asked == 2); /* the run that was stopped */
    assert_int_equal(decode(&f, file.bytes, file.n, 0), OB_OK);
    if (f.asked < 8) fail_msg("asked %ld times while %zu bytes were passed", f.asked, file.n);
    assert_int_equal(decode(&f, file.bytes, file.n, 8), OB_E_CANCELLED);
    close_all(&f);
    free(file.bytes);
    free(rgb);
}
#endif

#ifdef OB_WITH_WEBP
static void webp(void **state) {
    (void)state;
    fixture f;
    uint8_t *rgb = picture(WIDTH, HEIGHT), *made = NULL;
    size_t n = WebPEncodeLosslessRGB(rgb, WIDTH, HEIGHT, 3 * WIDTH, &made);
    open_for(&f, 0);
    expect(&f, "WebP", &(large){made, n, n}, WIDTH, HEIGHT, 0);
    WebPFree(made);
    n = WebPEncodeRGB(rgb, WIDTH, HEIGHT, 3 * WIDTH, 80, &made);
    expect(&f, "lossy WebP", &(large){made, n, n}, WIDTH, HEIGHT, -1);
    WebPFree(made);
    close_all(&f);
    free(rgb);
}
#endif

#ifdef OB_WITH_JPEG
/* A progressive image; the last scan, which refines coefficients, is repeated `again` times. */
static void make_progressive(large *f, const uint8_t *rgb, int again) {
    struct jpeg_error_mgr errors;
    struct jpeg_compress_struct codec = {.err = jpeg_std_error(&errors)};
    unsigned char *made = NULL;
    unsigned long size = 0;
    jpeg_create_compress(&codec);
    jpeg_mem_dest(&codec, &made, &size);
    codec.image_width = WIDTH;
    codec.image_height = HEIGHT;
    codec.input_components = 3;
    codec.in_color_space = JCS_RGB;
    jpeg_set_defaults(&codec);
    jpeg_set_quality(&codec, 95, TRUE);
    jpeg_simple_progression(&codec);
    jpeg_start_compress(&codec, TRUE);
    for (int64_t y = 0; y < HEIGHT; y++)
        jpeg_write_scanlines(&codec, (uint8_t *[]){(uint8_t *)(uintptr_t)rgb + 3 * WIDTH * y}, 1);
    jpeg_finish_compress(&codec);
    jpeg_destroy_compress(&codec);
    size_t last = size - 2;
    while (!(made[last] == 0xff && made[last + 1] == 0xda)) last--;
    put(f, made, size - 2);
    for (int i = 0; i < again; i++) put(f, made + last, size - 2 - last);
    put(f, "\xff\xd9", 2);
    free(made);
}

static void jpeg(void **state) {
    (void)state;
    fixture f;
    large file = {0};
    uint8_t *rgb = picture(WIDTH, HEIGHT);
    open_for(&f, 0);
    make_progressive(&file, rgb, 0);
    expect(&f, "progressive JPEG", &file, WIDTH, HEIGHT, -1);
    file.n = 0;
    make_progressive(&file, rgb, 60);
    assert_int_equal(decode(&f, file.bytes, file.n, 0), OB_OK);
    if (!OB_SANITIZED && f.longest > 1e-3 * GAP_MS) fail_msg("JPEG of 70 scans: %.3f s without a question", f.longest);
    assert_true(f.asked > 20);
    assert_int_equal(decode(&f, file.bytes, file.n, 10), OB_E_CANCELLED);
    file.n = 0; /* bytes between two markers */
    put(&file, "\xff\xd8\xff\xe0\0\2", 6);
    fill(&file, 100 << 20, 1);
    assert_int_equal(decode(&f, file.bytes, file.n, 0), OB_OK);
    if (!OB_SANITIZED && f.longest > 1e-3 * GAP_MS) fail_msg("JPEG of no markers: %.3f s without a question", f.longest);
    close_all(&f);
    /* The memory of coefficients counts. */
    open_for(&f, 16 << 20);
    file.n = 0;
    make_progressive(&file, rgb, 0);
    assert_int_equal(decode(&f, file.bytes, file.n, 0), OB_E_LIMIT);
    close_all(&f);
    free(file.bytes);
    free(rgb);
}
#endif

#ifdef OB_WITH_TIFF
typedef struct tiff_kind {
    const char *what;
    int compression, orientation;
    uint32_t rows, tile; /* of a strip; 0: tiles */
    bool separate;       /* planes */
} tiff_kind;

/* Written by the library to a file, because it seeks back to write tables. */
static void make_tiff(large *f, const uint8_t *rgb, const tiff_kind *k) {
    char path[] = "/tmp/onnx_broadcast_tiff_XXXXXX";
    int fd = mkstemp(path);
    TIFF *t = fd < 0 ? NULL : TIFFFdOpen(fd, path, "w");
    assert_non_null(t);
    bool mirrored = k->orientation == 2 || k->orientation == 3, turned = k->orientation == 3 || k->orientation == 4;
    TIFFSetField(t, TIFFTAG_IMAGEWIDTH, (uint32_t)WIDTH);
    TIFFSetField(t, TIFFTAG_IMAGELENGTH, (uint32_t)HEIGHT);
    TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, 3);
    TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(t, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
    TIFFSetField(t, TIFFTAG_ORIENTATION, k->orientation);
    TIFFSetField(t, TIFFTAG_COMPRESSION, k->compression);
    TIFFSetField(t, TIFFTAG_PLANARCONFIG, k->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    if (k->rows)
        TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, k->rows);
    else
        TIFFSetField(t, TIFFTAG_TILEWIDTH, k->tile), TIFFSetField(t, TIFFTAG_TILELENGTH, k->tile);
    uint32_t side = k->rows ? WIDTH : k->tile, high = k->rows ? 1 : k->tile;
    uint8_t *piece = calloc((size_t)side * high, 3);
    assert_non_null(piece);
    for (int plane = 0; plane < (k->separate ? 3 : 1); plane++)
        for (uint32_t y0 = 0; y0 < HEIGHT; y0 += high)
            for (uint32_t x0 = 0; x0 < WIDTH; x0 += side) {
                uint8_t *to = piece;
                for (uint32_t y = y0; y < y0 + high; y++)
                    for (uint32_t x = x0; x < x0 + side; x++)
                        for (int c = k->separate ? plane : 0; c < (k->separate ? plane + 1 : 3); c++, to++)
                            if (x < WIDTH && y < HEIGHT)
                                *to = rgb[3 * ((turned ? HEIGHT - 1 - y : y) * WIDTH + (mirrored ? WIDTH - 1 - x : x)) +
                                          (uint32_t)c];
                if (k->rows)
                    assert_int_equal(TIFFWriteScanline(t, piece, y0, (uint16_t)plane), 1);
                else
                    assert_true(TIFFWriteTile(t, piece, x0, y0, 0, (uint16_t)plane) > 0);
            }
    free(piece);
    TIFFClose(t);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    grow(f, 64 << 20);
    f->n = fread(f->bytes, 1, f->room, in);
    fclose(in);
    unlink(path);
}

/* Planes of one strip each: data without rows are decoded at once, up to a limit. */
static void large_strips_of_a_tiff(void **state) {
    (void)state;
    enum { ENTRIES = 10, ARRAYS_AT = 8 + 2 + 12 * ENTRIES + 4, SIDE = 5000 };
    static const unsigned entries[ENTRIES][4] = {{256, 4, 1, SIDE}, {257, 4, 1, SIDE}, {258, 3, 3, ARRAYS_AT},
                                                 {259, 3, 1, 5},    {262, 3, 1, 2},    {273, 4, 3, ARRAYS_AT + 6},
                                                 {277, 3, 1, 3},    {278, 4, 1, SIDE}, {279, 4, 3, ARRAYS_AT + 18},
                                                 {284, 3, 1, 2}};
    static image_file file;
    fixture f;
    file = (image_file){.bytes = "II*", .n = 4};
    if_put(&file, "42", 8, ENTRIES);
    for (int i = 0; i < ENTRIES; i++) if_put(&file, "2244", entries[i][0], entries[i][1], entries[i][2], entries[i][3]);
    if_put(&file, "4222", 0, 8, 8, 8);
    if_put(&file, "444444", 200, 200, 200, 4, 4, 4);
    if_put(&file, "444444444444444", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    open_for(&f, 0);
    assert_int_equal(decode(&f, file.bytes, file.n, 0), OB_E_LIMIT);
    assert_non_null(strstr(f.error.message, "strips or tiles of 5000 x 5000 pixels"));
    close_all(&f);
}

static void tiff(void **state) {
    (void)state;
    static const tiff_kind kinds[] = {
        {"TIFF", COMPRESSION_NONE, 1, 16, 0, false},
        {"TIFF, one strip", COMPRESSION_NONE, 1, HEIGHT, 0, false},
        {"TIFF, one strip of LZW", COMPRESSION_LZW, 1, HEIGHT, 0, false},
        {"TIFF, one strip of LZW, upside down", COMPRESSION_LZW, 4, HEIGHT, 0, false},
        {"TIFF, one strip of PackBits, turned", COMPRESSION_PACKBITS, 3, HEIGHT, 0, false},
        {"TIFF, strips, mirrored", COMPRESSION_ADOBE_DEFLATE, 2, 37, 0, false},
        {"TIFF, strips, turned", COMPRESSION_ADOBE_DEFLATE, 3, 37, 0, false},
        {"TIFF, tiles", COMPRESSION_ADOBE_DEFLATE, 1, 0, 256, false},
        {"TIFF, tiles, upside down", COMPRESSION_LZW, 4, 0, 208, false},
        {"TIFF, tiles, mirrored", COMPRESSION_LZW, 2, 0, 208, false},
        {"TIFF, planes", COMPRESSION_LZW, 1, 64, 0, true},
    };
    fixture f;
    large file = {0};
    uint8_t *rgb = picture(WIDTH, HEIGHT);
    open_for(&f, 0);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!TIFFIsCODECConfigured((uint16_t)kinds[i].compression)) continue;
        file.n = 0;
        make_tiff(&file, rgb, &kinds[i]);
        expect(&f, kinds[i].what, &file, WIDTH, HEIGHT, 0);
    }
    close_all(&f);
    free(file.bytes);
    free(rgb);
}
#endif

#ifdef OB_WITH_OPENJPEG
static OPJ_SIZE_T write_large(void *from, OPJ_SIZE_T n, void *context) {
    put(context, from, n);
    return n;
}
static OPJ_BOOL seek_large(OPJ_OFF_T to, void *context) {
    ((large *)context)->n = (size_t)to;
    return OPJ_TRUE;
}
static OPJ_OFF_T skip_large(OPJ_OFF_T n, void *context) {
    fill(context, (size_t)n, 0);
    return n;
}

/* Lossless; the image begins at x0, y0 of the reference grid. tile 0: one. The second and third component `spacing` apart. */
static void make_jpeg2000(large *f, int64_t width, int64_t height, uint32_t x0, uint32_t y0, int tile, bool lossy) {
    opj_cparameters_t parameters;
    opj_image_cmptparm_t components[3];
    memset(components, 0, sizeof components);
    for (int c = 0; c < 3; c++)
        components[c] =
            (opj_image_cmptparm_t){.dx = 1, .dy = 1, .w = (uint32_t)width, .h = (uint32_t)height, .x0 = x0, .y0 = y0, .prec = 8};
    opj_image_t *image = opj_image_create(3, components, OPJ_CLRSPC_SRGB);
    image->x0 = x0;
    image->y0 = y0;
    image->x1 = x0 + (uint32_t)width;
    image->y1 = y0 + (uint32_t)height;
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < width * height; i++) image->comps[c].data[i] = pixel(i % width, i / width, c);
    opj_set_default_encoder_parameters(&parameters);
    parameters.tcp_numlayers = 1;
    parameters.cp_disto_alloc = 1;
    parameters.irreversible = lossy;
    parameters.tcp_rates[0] = lossy ? 10 : 1;
    parameters.tile_size_on = tile > 0;
    parameters.cp_tdx = parameters.cp_tdy = tile;
    parameters.image_offset_x0 = (int)x0;
    parameters.image_offset_y0 = (int)y0;
    opj_codec_t *codec = opj_create_compress(OPJ_CODEC_JP2);
    opj_stream_t *stream = opj_stream_create(1 << 16, OPJ_FALSE);
    opj_set_warning_handler(codec, if_silent, NULL);
    opj_stream_set_user_data(stream, f, NULL);
    opj_stream_set_write_function(stream, write_large);
    opj_stream_set_seek_function(stream, seek_large);
    opj_stream_set_skip_function(stream, skip_large);
    assert_true(opj_setup_encoder(codec, &parameters, image) && opj_start_compress(codec, image, stream) &&
                opj_encode(codec, stream) && opj_end_compress(codec, stream));
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
}

static void jpeg2000(void **state) {
    (void)state;
    fixture f;
    large file = {0};
    open_for(&f, 0);
    make_jpeg2000(&file, 1300, 1201, 0, 0, 0, false);
    expect(&f, "JPEG 2000", &file, 1300, 1201, 0);
    file.n = 0;
    make_jpeg2000(&file, 1300, 1201, 77, 131, 0, false);
    expect(&f, "JPEG 2000, not from the origin", &file, 1300, 1201, 0);
    file.n = 0;
    make_jpeg2000(&file, 1300, 1201, 13, 5, 300, false);
    expect(&f, "JPEG 2000, tiles", &file, 1300, 1201, 0);
    file.n = 0;
    make_jpeg2000(&file, 1300, 1201, 0, 0, 0, true);
    expect(&f, "lossy JPEG 2000", &file, 1300, 1201, 60);
    close_all(&f);
    free(file.bytes);
}

typedef struct stream_kind {
    const char *what;
    uint32_t width, height, tile, components;
    uint8_t levels, block, style, precinct; /* as the file has them */
    uint8_t progression;
    uint32_t layers;
    size_t n_data;
    int byte;
} stream_kind;

static void make_codestream(large *f, const stream_kind *k) {
    uint32_t tile = k->tile ? k->tile : k->width > k->height ? k->width : k->height;
    f->n = 0;
    put(f, "\xff\x4f\xff\x51", 4);
    put_big(f, 2, 38 + 3 * k->components);
    put_big(f, 2, 0);
    put_big(f, 4, k->width), put_big(f, 4, k->height), put_big(f, 4, 0), put_big(f, 4, 0);
    put_big(f, 4, tile), put_big(f, 4, tile), put_big(f, 4, 0), put_big(f, 4, 0);
    put_big(f, 2, k->components);
    for (uint32_t i = 0; i < k->components; i++) put(f, "\7\1\1", 3);
    put(f, "\xff\x52", 2);
    put_big(f, 2, 12 + (k->precinct ? k->levels + 1u : 0));
    put_big(f, 1, k->precinct != 0), put_big(f, 1, k->progression), put_big(f, 2, k->layers), put_big(f, 1, 0);
    put_big(f, 1, k->levels), put_big(f, 1, k->block), put_big(f, 1, k->block), put_big(f, 1, k->style), put_big(f, 1, 1);
    for (int i = 0; k->precinct && i <= k->levels; i++) put_big(f, 1, k->precinct);
    put(f, "\xff\x5c", 2);
    put_big(f, 2, 4 + 3u * k->levels);
    put_big(f, 1, 0x40);
    for (int i = 0; i < 1 + 3 * k->levels; i++) put_big(f, 1, 0x48);
    uint32_t n_tiles = ((k->width + tile - 1) / tile) * ((k->height + tile - 1) / tile);
    for (uint32_t i = 0; i < n_tiles && (i == 0 || k->n_data < 100); i++) {
        put(f, "\xff\x90\0\12", 4);
        put_big(f, 2, i), put_big(f, 4, (uint32_t)k->n_data + 14), put_big(f, 2, 1);
        put(f, "\xff\x93", 2);
        fill(f, k->n_data, k->byte);
    }
    put(f, "\xff\xd9", 2);
}

static const stream_kind streams[] = {
    {"precincts of a pixel", 4096, 4096, 0, 3, 5, 0, 0, 0x11, 0, 1, 200, 0},
    {"precincts of a pixel, data for them", 1024, 1024, 0, 3, 5, 0, 0, 0x11, 0, 1, 1 << 20, 0x80},
    {"code-blocks of 4 x 4", 8192, 8192, 0, 3, 5, 0, 0, 0, 0, 1, 200, 0xc5},
    {"65535 layers", 4096, 4096, 0, 3, 32, 4, 0, 0x88, 0, 65535, 200, 0},
    {"65535 layers, data for them", 512, 512, 0, 3, 5, 4, 0, 0x77, 1, 65535, 4 << 20, 0},
    {"tiles of 16 x 16", 4000, 4000, 16, 1, 5, 4, 0, 0, 0, 1, 20, 0},
    {"an order of many places", 16384, 16384, 0, 3, 1, 4, 0, 0x1f, 2, 1, 100000, 0},
    {"an order of many places, transposed", 16384, 16384, 0, 3, 1, 4, 0, 0xf1, 3, 1, 100000, 0},
    {"each pass a segment", 2048, 2048, 0, 3, 5, 4, 5, 0, 0, 20, 2 << 20, 0xa5},
    {"precincts of a pixel, fewer", 300, 300, 0, 3, 5, 0, 0, 0x11, 0, 1, 1 << 20, 0x80},
    {"precincts of a pixel, full", 300, 300, 0, 3, 5, 0, 0, 0x11, 0, 1, 4 << 20, 0xf5},
    {"precincts of a pixel, layers", 64, 64, 0, 3, 5, 0, 0, 0x11, 0, 40, 1 << 20, 0x81},
    {"code-blocks of 4 x 4, fewer", 2048, 1024, 0, 3, 5, 0, 0, 0, 0, 1, 1 << 20, 0xc5},
    {"code-blocks of 4 x 4, full", 600, 600, 0, 3, 5, 0, 0, 0, 0, 8, 4 << 20, 0xe9},
    {"each pass a segment, fewer", 512, 512, 0, 3, 5, 4, 5, 0, 0, 20, 1 << 20, 0xa5},
    {"each pass a segment of 4 x 4", 512, 512, 0, 3, 5, 0, 5, 0, 0, 20, 1 << 20, 0xf3},
    {"tiles of 64 x 64", 2000, 2000, 64, 3, 5, 4, 0, 0, 0, 1, 90, 0xa7},
    {"a plain header", 4096, 4096, 0, 3, 5, 4, 0, 0, 0, 1, 200, 0},
};

/* In a separate process. Returns the additional megabytes that decoding uses; -1: it failed for a reason other than a limit, or
 * checked too seldom. */
static long peak_of(const large *file, uint64_t limit) {
    int ends[2];
    long more = -1;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fixture f;
        struct rusage before, after;
        open_for(&f, limit);
        getrusage(RUSAGE_SELF, &before);
        ob_status got = decode(&f, file->bytes, file->n, 1000);
        getrusage(RUSAGE_SELF, &after);
        bool fine = got == OB_OK || got == OB_E_LIMIT || got == OB_E_CANCELLED;
        if (getenv("OB_TEST_VERBOSE"))
            printf("  %s, %ld MiB, %.3f s: %s\n", ob_status_text(got), (after.ru_maxrss - before.ru_maxrss) >> 10, f.longest,
                   f.error.message);
        if (fine && (OB_SANITIZED || f.longest < 1e-3 * WINDOW_MS)) more = (after.ru_maxrss - before.ru_maxrss) >> 10;
        fflush(stdout);
        _exit(write(ends[1], &more, sizeof more) == sizeof more ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], &more, sizeof more), sizeof more);
    close(ends[0]);
    close(ends[1]);
    return more;
}

static void memory_of_jpeg2000(void **state) {
    (void)state;
    enum { SLACK = 8 };
    large file = {0};
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++)
        for (long limit = 64; limit <= 1024; limit *= 4) {
            make_codestream(&file, &streams[i]);
            long more = -1;
            for (int tries = 0; tries < 3 && more < 0; tries++)
                more = peak_of(&file, (uint64_t)limit << 20); /* of a busy machine */
            if (more < 0 || (!OB_SANITIZED && more > limit + SLACK))
                fail_msg("%s: %zu bytes took %ld MiB under a limit of %ld", streams[i].what, file.n, more, limit);
        }
    free(file.bytes);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bitmaps),
#ifdef OB_WITH_PNG
        cmocka_unit_test(png),
#endif
#ifdef OB_WITH_WEBP
        cmocka_unit_test(webp),
#endif
#ifdef OB_WITH_JPEG
        cmocka_unit_test(jpeg),
#endif
#ifdef OB_WITH_TIFF
        cmocka_unit_test(tiff),     cmocka_unit_test(large_strips_of_a_tiff),
#endif
#ifdef OB_WITH_OPENJPEG
        cmocka_unit_test(jpeg2000), cmocka_unit_test(memory_of_jpeg2000),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
