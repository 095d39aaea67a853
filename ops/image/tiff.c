/* TIFF, by libtiff: everything that its RGBA interface converts. Handlers and limits are set for each file, none globally; that
 * needs libtiff 4.5. */
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

/* ---- Memory for the entries of the directory ---- */

static uint64_t number(const uint8_t *p, int n, bool big_end) {
    uint64_t value = 0;
    for (int i = 0; i < n; i++) value |= (uint64_t)p[i] << 8 * (big_end ? n - 1 - i : i);
    return value;
}

/* The library reads every entry of the first directory and keeps its numbers in eight bytes each, at most twice. It does not read
 * an entry that is longer than the file. */
static uint64_t directory_bytes(const ob_image *image) {
    const uint8_t *file = image->file;
    bool big_end = file[0] == 'M', wide = file[2] + file[3] == '+';
    size_t n = image->n_bytes, head = wide ? 16 : 8, count = wide ? 8 : 2, entry = wide ? 20 : 12;
    uint64_t sum = 0;
    if (n < head) return 0;
    uint64_t at = number(file + head / 2, wide ? 8 : 4, big_end);
    if (at > n || n - at < count) return 0;
    uint64_t entries = number(file + at, (int)count, big_end), fit = (n - at - count) / entry;
    const uint8_t *p = file + at + count;
    for (uint64_t i = 0; i < entries && i < fit; i++, p += entry) {
        uint64_t elements = number(p + 4, wide ? 8 : 4, big_end);
        sum += (elements < n ? elements : n) * 24;
    }
    return sum;
}

/* ---- Pieces ---- */

/* The part that is decoded at once: a strip or tile, or a row of a strip. */
typedef struct pieces {
    TIFFRGBAImage rgba;
    uint32_t width, height; /* of one piece */
    uint64_t n_bytes;       /* of one decoded piece */
    uint16_t compression;
    bool tiled;
} pieces;

enum {
    ROWS_PIXELS = 1 << 20, /* larger strips are read row by row if the codec supports it */
    ROWS_BYTES = 1 << 22,
    MOST_PIXELS = 1 << 24, /* of a strip or tile that is decoded whole */
    MOST_SCAN_PIXELS = 1 << 25
};

/* Pixels times scans of the JPEG data inside: a progressive image costs a pass for each scan. 0xff 0xda cannot occur elsewhere in
 * that data. */
static uint64_t scan_pixels(const reader *r, TIFF *file, const pieces *p) {
    uint64_t most = 0, pixels = (uint64_t)p->width * p->height, n_file = r->image->n_bytes, passed = 0;
    uint32_t n = p->tiled ? TIFFNumberOfTiles(file) : TIFFNumberOfStrips(file);
    for (uint32_t i = 0; i < n && !ob__image_stopped(r->image); i++) {
        uint64_t at = TIFFGetStrileOffset(file, i), size = TIFFGetStrileByteCount(file, i), scans = 0;
        if (at >= n_file) continue;
        if (size > n_file - at) size = n_file - at;
        passed += size;
        if (passed > 4 * n_file) return UINT64_MAX; /* strips share their bytes */
        for (const uint8_t *q = r->image->file + at, *end = q + size; q && end - q > 1; q++) {
            q = memchr(q, 0xff, (size_t)(end - q));
            if (!q || end - q < 2) break;
            scans += q[1] == 0xda;
        }
        if (scans > most) most = scans;
    }
    return most > 1 ? most * pixels : 0;
}

static bool reads_rows(const pieces *p, TIFF *file) {
    static const uint16_t codecs[] = {COMPRESSION_NONE,          COMPRESSION_CCITTRLE,  COMPRESSION_CCITTRLEW,
                                      COMPRESSION_CCITTFAX3,     COMPRESSION_CCITTFAX4, COMPRESSION_LZW,
                                      COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE,   COMPRESSION_PACKBITS,
                                      COMPRESSION_JPEG,          COMPRESSION_LZMA,      COMPRESSION_ZSTD};
    uint16_t across = 1, down = 1;
    if (p->tiled || !p->rgba.isContig) return false;
    if (p->rgba.photometric == PHOTOMETRIC_YCBCR) {
        TIFFGetFieldDefaulted(file, TIFFTAG_YCBCRSUBSAMPLING, &across, &down);
        if (across != 1 || down != 1) return false;
    }
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (p->compression == codecs[i]) return true;
    return false;
}

static void put_raster(const ob_image *image, const uint32_t *raster, int64_t x, int64_t y, int64_t width, int64_t height) {
    for (int64_t i = 0; i < height; i++) {
        uint8_t *to = ob__image_row(image, y + i) + 3 * x;
        for (int64_t k = 0; k < width; k++, to += 3, raster++)
            ob__image_put(to, (uint8_t)TIFFGetR(*raster), (uint8_t)TIFFGetG(*raster), (uint8_t)TIFFGetB(*raster));
    }
}

static bool is_upside_down(const pieces *p) {
    return p->rgba.orientation == ORIENTATION_BOTRIGHT || p->rgba.orientation == ORIENTATION_BOTLEFT ||
           p->rgba.orientation == ORIENTATION_RIGHTBOT || p->rgba.orientation == ORIENTATION_LEFTBOT;
}
static bool is_mirrored(const pieces *p) {
    return p->rgba.orientation == ORIENTATION_TOPRIGHT || p->rgba.orientation == ORIENTATION_BOTRIGHT ||
           p->rgba.orientation == ORIENTATION_RIGHTTOP || p->rgba.orientation == ORIENTATION_RIGHTBOT;
}

static bool read_pieces(const ob_image *image, pieces *p, uint32_t *raster) {
    for (int64_t y = 0; y < image->height; y += p->height)
        for (int64_t x = 0; x < image->width; x += p->width) {
            int64_t width = image->width - x < p->width ? image->width - x : p->width,
                    height = image->height - y < p->height ? image->height - y : p->height;
            if (ob__image_stopped(image)) return true;
            p->rgba.row_offset = (int)y;
            p->rgba.col_offset = (int)x;
            if (!TIFFRGBAImageGet(&p->rgba, raster, (uint32_t)width, (uint32_t)height)) return false;
            put_raster(image, raster, is_mirrored(p) ? image->width - x - width : x,
                       is_upside_down(p) ? image->height - y - height : y, width, height);
        }
    return true;
}

/* Reads strips of any size by rows; the library's own function converts samples to pixels here too. */
static bool read_rows(const ob_image *image, pieces *p, TIFF *file, uint32_t *raster, void *samples) {
    for (int64_t y = 0; y < image->height && !ob__image_stopped(image); y++) {
        if (TIFFReadScanline(file, samples, (uint32_t)y, 0) < 0) return false;
        p->rgba.put.contig(&p->rgba, raster, 0, 0, (uint32_t)image->width, 1, 0, 0, samples);
        for (int64_t i = 0, k = image->width - 1; is_mirrored(p) && i < k; i++, k--) {
            uint32_t left = raster[i];
            raster[i] = raster[k];
            raster[k] = left;
        }
        put_raster(image, raster, 0, is_upside_down(p) ? image->height - 1 - y : y, image->width, 1);
    }
    return true;
}

static ob_status measure(reader *r, TIFF *file, pieces *p, bool *by_rows, ob_error *error) {
    uint32_t rows = 0;
    p->tiled = TIFFIsTiled(file);
    TIFFGetFieldDefaulted(file, TIFFTAG_COMPRESSION, &p->compression);
    if (p->tiled) {
        TIFFGetField(file, TIFFTAG_TILEWIDTH, &p->width);
        TIFFGetField(file, TIFFTAG_TILELENGTH, &p->height);
    } else {
        TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &rows);
        p->width = (uint32_t)r->image->width;
        p->height = rows < (uint64_t)r->image->height ? rows : (uint32_t)r->image->height;
    }
    OB_IMAGE_DAMAGED(p->width == 0 || p->height == 0, error, "a TIFF with strips or tiles of size 0");
    tmsize_t n_bytes = p->tiled ? TIFFTileSize(file) : TIFFStripSize(file);
    OB_IMAGE_DAMAGED(n_bytes <= 0, error, "a TIFF: %s", r->text[0] ? r->text : "strips or tiles of no size");
    p->n_bytes = (uint64_t)n_bytes;
    uint64_t pixels = (uint64_t)p->width * p->height;
    bool large = pixels > ROWS_PIXELS || p->n_bytes > ROWS_BYTES;
    *by_rows = large && reads_rows(p, file);
    OB_FAIL_IF(!*by_rows && (pixels > MOST_PIXELS || p->n_bytes > 8 * (uint64_t)MOST_PIXELS), error, OB_E_LIMIT,
               "a TIFF with strips or tiles of %u x %u pixels; at most %d of this compression are decoded at once", p->width,
               p->height, MOST_PIXELS);
    bool jpeg = p->compression == COMPRESSION_JPEG || p->compression == COMPRESSION_OJPEG;
    uint64_t scanned = jpeg && large ? scan_pixels(r, file, p) : 0;
    OB_FAIL_IF(scanned > MOST_SCAN_PIXELS, error, OB_E_LIMIT,
               "a TIFF with strips or tiles of %u x %u pixels, which are JPEGs of several scans", p->width, p->height);
    /* Decoded samples, the codec's own copy and the coefficients of a JPEG; also the bytes of the strip if their bits must be
     * reversed. */
    uint64_t row_bytes = *by_rows ? (uint64_t)TIFFScanlineSize(file) : p->n_bytes;
    return ob__image_reserve(r->image, 3 * row_bytes + (jpeg ? 8 * (scanned ? pixels : p->width * UINT64_C(64)) : 0), error);
}

static ob_status read_measured(reader *r, TIFF *file, pieces *p, ob_error *error) {
    ob_image *image = r->image;
    const ob_allocator *allocator = image->allocator;
    bool by_rows = false;
    OB_TRY(measure(r, file, p, &by_rows, error));
    size_t n_samples = by_rows ? (size_t)TIFFScanlineSize(file) : 1,
           n_raster = (size_t)p->width * (by_rows ? 1 : p->height) * sizeof(uint32_t); /* at most OB_IMAGE_ROW or MOST_PIXELS */
    uint32_t *raster = allocator->alloc(allocator->context, n_raster);
    void *samples = allocator->alloc(allocator->context, n_samples);
    ob_status status = OB_OK;
    if (!raster || !samples)
        status = ob__fail(error, OB_E_MEMORY, "no memory for %zu bytes of an image", n_raster);
    else if (by_rows ? !read_rows(image, p, file, raster, samples) : !read_pieces(image, p, raster))
        status = ob__fail(error, OB_E_ARGUMENT, "a TIFF: %s", r->text[0] ? r->text : "it cannot be read");
    if (samples) allocator->free(allocator->context, samples, n_samples);
    if (raster) allocator->free(allocator->context, raster, n_raster);
    return status;
}

static ob_status read_image(reader *r, TIFF *file, ob_error *error) {
    char text[1024] = "";
    uint32_t width = 0, height = 0;
    pieces p = {.compression = COMPRESSION_NONE};
    TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(file, TIFFTAG_IMAGELENGTH, &height);
    OB_IMAGE_DAMAGED(!TIFFRGBAImageOK(file, text), error, "a TIFF: %.150s", text);
    OB_TRY(ob__image_begin(r->image, width, height, error));
    OB_IMAGE_DAMAGED(!TIFFRGBAImageBegin(&p.rgba, file, 1, text), error, "a TIFF: %.150s", text);
    p.rgba.req_orientation = ORIENTATION_TOPLEFT;
    ob_status status = read_measured(r, file, &p, error);
    TIFFRGBAImageEnd(&p.rgba);
    return status;
}

static ob_status decode(ob_image *image, ob_error *error) {
    enum { FIXED = 1 << 20 };
    reader r = {.image = image};
    OB_TRY(ob__image_reserve(image, FIXED + directory_bytes(image), error));
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
