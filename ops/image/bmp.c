/* BMP: 1, 2, 4 and 8 bits with a palette (8 and 4 also run-length); 16, 24 and 32 bits with masks; bottom-up or top-down. */
#include <string.h>

#include "ops/image/decode.h"

typedef struct bmp {
    ob_image *image;
    const uint8_t *pixels; /* the beginning of the pixel data */
    size_t n_bytes;        /* from there to the end of the file */
    uint32_t bits, compression, masks[3];
    bool top_down;
    uint8_t palette[256][3];
} bmp;

enum { PLAIN, RLE8, RLE4, MASKS, ALPHA_MASKS = 6 };
enum { CODES_BETWEEN = 1 << 14 }; /* of at most 255 pixels each, between two checks for cancellation */

static uint32_t u16(const uint8_t *p) {
    return p[0] | (uint32_t)p[1] << 8;
}
static uint32_t u32(const uint8_t *p) {
    return u16(p) | u16(p + 2) << 16;
}

static bool is_bmp(const uint8_t *file, size_t n) {
    return n >= 2 && file[0] == 'B' && file[1] == 'M';
}

static uint8_t *row_of(const bmp *b, int64_t y) {
    return ob__image_row(b->image, b->top_down ? y : b->image->height - 1 - y);
}

/* The bits under a mask, scaled to a byte. */
static uint8_t channel(uint32_t pixel, uint32_t mask) {
    if (mask == 0) return 0;
    uint32_t most = mask;
    pixel &= mask;
    while (!(most & 1)) most >>= 1, pixel >>= 1;
    return (uint8_t)(((uint64_t)pixel * 255 + most / 2) / most);
}

static void plain_row(const bmp *b, const uint8_t *from, uint8_t *to) {
    for (int64_t x = 0; x < b->image->width; x++, to += 3) {
        if (b->bits == 24) {
            ob__image_put(to, from[3 * x + 2], from[3 * x + 1], from[3 * x]);
        } else if (b->bits > 8) {
            uint32_t pixel = b->bits == 16 ? u16(from + 2 * x) : u32(from + 4 * x);
            ob__image_put(to, channel(pixel, b->masks[0]), channel(pixel, b->masks[1]), channel(pixel, b->masks[2]));
        } else {
            int64_t bit = x * b->bits;
            memcpy(to, b->palette[from[bit / 8] >> (8 - b->bits - bit % 8) & ((1u << b->bits) - 1)], 3);
        }
    }
}

static ob_status read_plain(bmp *b, int64_t width, int64_t height, ob_error *error) {
    uint64_t stride = ((uint64_t)width * b->bits + 31) / 32 * 4;
    OB_IMAGE_DAMAGED(b->n_bytes / stride < (uint64_t)height, error, "a BMP that ends within its pixels");
    OB_TRY(ob__image_begin(b->image, (uint64_t)width, (uint64_t)height, error));
    for (int64_t y = 0; y < height && !ob__image_stopped(b->image); y++)
        plain_row(b, b->pixels + (uint64_t)y * stride, row_of(b, y));
    return OB_OK;
}

/* Index i of a run, which alternates two colours, or of single indexes. */
static uint32_t rle_index(const bmp *b, const uint8_t *codes, uint32_t i) {
    return b->bits == 8 ? codes[i] : codes[i / 2] >> (i % 2 ? 0 : 4) & 15u;
}

static ob_status read_rle(bmp *b, int64_t width, int64_t height, ob_error *error) {
    const uint8_t *p = b->pixels, *end = p + b->n_bytes;
    OB_TRY(ob__image_begin(b->image, (uint64_t)width, (uint64_t)height, error));
    for (int64_t y = 0; y < height && !ob__image_stopped(b->image); y++)
        for (int64_t x = 0; x < width; x++) memcpy(ob__image_row(b->image, y) + 3 * x, b->palette[0], 3);
    for (int64_t x = 0, y = 0, codes = 0;; codes++) {
        if (codes % CODES_BETWEEN == 0 && ob__image_stopped(b->image)) return OB_OK;
        OB_IMAGE_DAMAGED(end - p < 2, error, "a BMP that ends within its pixels");
        uint32_t n = p[0], code = p[1];
        p += 2;
        if (n == 0 && code == 1) return OB_OK;
        if (n == 0 && code == 0) {
            x = 0, y++;
        } else if (n == 0 && code == 2) {
            OB_IMAGE_DAMAGED(end - p < 2, error, "a BMP that ends within its pixels");
            x += p[0], y += p[1];
            p += 2;
        } else {
            bool single = n == 0;
            uint32_t n_codes = single ? (b->bits == 8 ? code : (code + 1) / 2) : 0;
            uint8_t both[256];
            if (single) n = code;
            OB_IMAGE_DAMAGED(end - p < (ptrdiff_t)((n_codes + 1) & ~1u), error, "a BMP that ends within its pixels");
            OB_IMAGE_DAMAGED(y >= height || x + n > width, error, "a BMP with a run that leaves the image");
            memset(both, (int)code, sizeof both);
            for (uint32_t i = 0; i < n; i++, x++) memcpy(row_of(b, y) + 3 * x, b->palette[rle_index(b, single ? p : both, i)], 3);
            p += (n_codes + 1) & ~1u;
        }
    }
}

static ob_status read_palette(bmp *b, const uint8_t *file, size_t n, uint32_t header, uint32_t used, ob_error *error) {
    uint32_t width = header == 12 ? 3 : 4, count = used && used < 1u << b->bits ? used : 1u << b->bits;
    size_t at = 14 + (size_t)header;
    OB_IMAGE_DAMAGED(at > n || (n - at) / width < count, error, "a BMP that ends within its palette");
    for (uint32_t i = 0; i < count; i++, at += width) ob__image_put(b->palette[i], file[at + 2], file[at + 1], file[at]);
    return OB_OK;
}

static void choose_masks(bmp *b, const uint8_t *file, bool stated) {
    static const uint32_t of_16[3] = {0x7c00, 0x3e0, 0x1f}, of_32[3] = {0xff0000, 0xff00, 0xff};
    for (int i = 0; i < 3; i++) b->masks[i] = stated ? u32(file + 54 + 4 * i) : b->bits == 16 ? of_16[i] : of_32[i];
}

static ob_status decode(ob_image *image, ob_error *error) {
    const uint8_t *file = image->file;
    size_t n = image->n_bytes;
    OB_IMAGE_DAMAGED(n < 26, error, "a BMP that ends within its header");
    bmp b = {.image = image};
    uint32_t offset = u32(file + 10), header = u32(file + 14);
    bool old = header == 12;
    OB_IMAGE_DAMAGED(!old && (header < 40 || header > 256 || n < 58), error, "a BMP with a header of %u bytes", header);
    int64_t width = old ? (int32_t)u16(file + 18) : (int32_t)u32(file + 18),
            height = old ? (int32_t)u16(file + 20) : (int32_t)u32(file + 22);
    b.bits = u16(file + (old ? 24 : 28));
    b.compression = old ? PLAIN : u32(file + 30);
    b.top_down = height < 0;
    height = height < 0 ? -height : height;
    OB_IMAGE_DAMAGED(width <= 0 || height == 0, error, "a BMP of %lld x %lld pixels", (long long)width, (long long)height);
    bool masked = b.compression == MASKS || b.compression == ALPHA_MASKS;
    bool known = b.bits == 16 || b.bits == 32 ? b.compression == PLAIN || masked : b.compression == PLAIN && b.bits == 24;
    if (b.bits == 1 || b.bits == 2 || b.bits == 4 || b.bits == 8)
        known = b.compression == PLAIN || (b.compression == RLE8 && b.bits == 8) || (b.compression == RLE4 && b.bits == 4);
    OB_IMAGE_DAMAGED(!known, error, "a BMP of %u bits with compression %u", b.bits, b.compression);
    OB_IMAGE_DAMAGED(masked && n < 66, error, "a BMP that ends within its header");
    if (b.bits <= 8) OB_TRY(read_palette(&b, file, n, header, old ? 0 : u32(file + 46), error));
    if (b.bits > 8) choose_masks(&b, file, masked);
    OB_IMAGE_DAMAGED(offset >= n, error, "a BMP that ends before its pixels");
    b.pixels = file + offset;
    b.n_bytes = n - offset;
    return b.compression == RLE8 || b.compression == RLE4 ? read_rle(&b, width, height, error)
                                                          : read_plain(&b, width, height, error);
}

const ob_image_format ob__image_bmp = {"BMP", NULL, is_bmp, decode};
