/* Netpbm's PBM, PGM and PPM, in text and binary form (P1 to P6). */
#include "ops/image/decode.h"

enum { BYTES_BETWEEN = 1 << 20 }; /* skipped between two checks for cancellation */

typedef struct pnm {
    const ob_image *image;
    const uint8_t *next, *end;
    uint64_t most; /* the value of white */
} pnm;

static bool is_pnm(const uint8_t *file, size_t n) {
    return n >= 3 && file[0] == 'P' && file[1] >= '1' && file[1] <= '6' && (file[2] <= ' ' || file[2] == '#');
}

/* Skips spaces and comments, which end with their line. If the run is cancelled, skips to the end of the file. */
static void skip_spaces(pnm *p) {
    bool comment = false;
    for (size_t n = 1; p->next < p->end && (comment || *p->next <= ' ' || *p->next == '#'); p->next++, n++) {
        if (*p->next == '#') comment = true;
        if (*p->next == '\n' || *p->next == '\r') comment = false;
        if (n % BYTES_BETWEEN == 0 && ob__image_stopped(p->image)) p->next = p->end - 1;
    }
}

/* False: there is no number, or it has more than nine digits. */
static bool read_number(pnm *p, uint64_t *out) {
    int digits = 0;
    skip_spaces(p);
    for (*out = 0; p->next < p->end && *p->next >= '0' && *p->next <= '9' && digits < 10; digits++)
        *out = *out * 10 + (uint64_t)(*p->next++ - '0');
    return digits > 0 && digits < 10;
}

static uint8_t scale(const pnm *p, uint64_t value) {
    return (uint8_t)(value >= p->most ? 255 : (value * 255 + p->most / 2) / p->most);
}

/* Reads the next sample in text form. In a bitmap it is one digit, and 1 is black. */
static bool read_text(pnm *p, bool bitmap, uint8_t *out) {
    uint64_t value = 0;
    if (!bitmap) {
        if (!read_number(p, &value)) return false;
        *out = scale(p, value);
        return true;
    }
    skip_spaces(p);
    if (p->next == p->end || (*p->next != '0' && *p->next != '1')) return false;
    *out = *p->next++ == '0' ? 255 : 0;
    return true;
}

static uint8_t read_byte(pnm *p, bool bitmap, int64_t x) {
    if (bitmap) return p->next[x / 8] >> (7 - x % 8) & 1 ? 0 : 255;
    uint64_t value = *p->next++;
    if (p->most > 255) value = value << 8 | *p->next++;
    return scale(p, value);
}

static ob_status decode(ob_image *image, ob_error *error) {
    pnm p = {image, image->file + 2, image->file + image->n_bytes, 1};
    int kind = image->file[1] - '0';
    bool as_text = kind <= 3, bitmap = kind % 3 == 1;
    uint64_t width = 0, height = 0, channels = kind % 3 == 0 ? 3 : 1;
    bool fits = read_number(&p, &width) && read_number(&p, &height) && (bitmap || read_number(&p, &p.most));
    OB_IMAGE_DAMAGED(!fits || p.next == p.end || p.most == 0 || p.most > 65535, error, "a PNM with an invalid header");
    uint64_t row = bitmap ? (width + 7) / 8 : width * channels * (p.most > 255 ? 2 : 1);
    if (as_text)
        row = width * channels; /* at least */
    else
        p.next++;
    OB_IMAGE_DAMAGED(row > 0 && (uint64_t)(p.end - p.next) / row < height, error, "a PNM that ends within its pixels");
    OB_TRY(ob__image_begin(image, width, height, error));
    for (int64_t y = 0; y < image->height && !ob__image_stopped(image); y++) {
        uint8_t *to = ob__image_row(image, y), sample[3];
        for (int64_t x = 0; x < image->width; x++, to += 3) {
            for (uint64_t c = 0; c < channels; c++) {
                if (!as_text)
                    sample[c] = read_byte(&p, bitmap, x);
                else
                    OB_IMAGE_DAMAGED(!read_text(&p, bitmap, &sample[c]), error, "a PNM that ends within its pixels");
            }
            ob__image_put(to, sample[0], sample[channels == 3 ? 1 : 0], sample[channels == 3 ? 2 : 0]);
        }
        if (bitmap && !as_text) p.next += row;
    }
    return OB_OK;
}

const ob_image_format ob__image_pnm = {"PNM", NULL, is_pnm, decode};
