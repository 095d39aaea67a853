#include "ops/image/codestream.h"

#include <string.h>

#include "core/base/integers.h"

enum {
    SOC = 0xff4f,
    CAP = 0xff50,
    SIZ = 0xff51,
    COD = 0xff52,
    COC = 0xff53,
    TLM = 0xff55,
    PLM = 0xff57,
    PLT = 0xff58,
    CPF = 0xff59,
    QCD = 0xff5c,
    QCC = 0xff5d,
    RGN = 0xff5e,
    POC = 0xff5f,
    PPM = 0xff60,
    PPT = 0xff61,
    CRG = 0xff63,
    COM = 0xff64,
    MCT = 0xff74,
    MCC = 0xff75,
    MCO = 0xff77,
    CBD = 0xff78,
    SOT = 0xff90,
    SOD = 0xff93,
    EOC = 0xffd9
};

enum { MOST_TILES = 65535, TILES_BETWEEN = 256 };

/* The coding of a component. Sizes are exponents of two. */
typedef struct component {
    uint8_t levels, block_width, block_height;
    bool segments; /* passes may end within a code-block, so that each may be a segment of its own */
    uint8_t precinct_width[OB_J2K_LEVELS], precinct_height[OB_J2K_LEVELS]; /* by resolution */
} component;

/* The coding of a tile. */
typedef struct coding {
    component components[OB_J2K_COMPONENTS];
    uint32_t layers, changes; /* numbers of layers and of changes of the progression order */
    bool by_position;
    bool cod, coc; /* present in the current header */
} coding;

typedef struct totals {
    uint64_t n_bytes, packets, steps; /* of the loops over packets, in OpenJPEG */
    uint64_t blocks, pieces;          /* code-blocks; code-blocks times layers */
    bool segments;
} totals;

typedef struct reader {
    const ob_image *image;
    const uint8_t *next, *end;
    ob_codestream *out;
    coding main, tile;
    totals own; /* of the tiles whose own headers change the coding */
    ob_error *error;
} reader;

static uint32_t u16(const uint8_t *p) {
    return (uint32_t)p[0] << 8 | p[1];
}
static uint32_t u32(const uint8_t *p) {
    return u16(p) << 16 | u16(p + 2);
}
static uint64_t shift_up(uint64_t n, unsigned bits) {
    return (n >> bits) + ((n & ((UINT64_C(1) << bits) - 1)) != 0);
}

#define NOT_ONE(condition) OB_IMAGE_DAMAGED(condition, r->error, "a JPEG 2000 with an invalid header")

/* ---- Tiles ---- */

/* Bytes of OpenJPEG's structures for one of each, with the overhead of malloc. */
enum { PER_TILE = 9000, PER_TILE_COMPONENT = 1200, PER_RESOLUTION = 400, PER_PRECINCT = 256, PER_BLOCK = 512 };

typedef struct area {
    uint64_t x0, y0, x1, y1;
} area;

static uint64_t cells(uint64_t from, uint64_t to, unsigned bits) {
    return to > from ? shift_up(to, bits) - (from >> bits) : 0;
}
static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* Adds a resolution of a component of a tile: its precincts and the code-blocks of its bands. */
static void add_resolution(totals *t, const coding *c, const component *k, area part, unsigned r, uint64_t *precincts) {
    unsigned down = k->levels - r, width = k->precinct_width[r], height = k->precinct_height[r];
    area res = {shift_up(part.x0, down), shift_up(part.y0, down), shift_up(part.x1, down), shift_up(part.y1, down)};
    *precincts = ob__mul_sat(cells(res.x0, res.x1, width), cells(res.y0, res.y1, height));
    uint64_t bands = r == 0 ? 1 : 3, half = r == 0 ? 0 : 1;
    /* A band has half the size of its resolution; its corners differ from the exact half by less than one. */
    area band = {res.x0 >> half, res.y0 >> half, shift_up(res.x1, (unsigned)half), shift_up(res.y1, (unsigned)half)};
    unsigned block_width = least(k->block_width, width - (unsigned)half),
             block_height = least(k->block_height, height - (unsigned)half);
    uint64_t blocks =
        ob__mul_sat(bands, ob__mul_sat(cells(band.x0, band.x1, block_width), cells(band.y0, band.y1, block_height)));
    t->packets = ob__add_sat(t->packets, ob__mul_sat(c->layers, *precincts));
    t->blocks = ob__add_sat(t->blocks, blocks);
    t->pieces = ob__add_sat(t->pieces, ob__mul_sat(c->layers, blocks));
    t->segments |= k->segments;
    t->n_bytes = ob__add_sat(t->n_bytes, ob__add_sat(ob__mul_sat(ob__mul_sat(bands, *precincts), PER_PRECINCT),
                                                     ob__add_sat(ob__mul_sat(blocks, PER_BLOCK), PER_RESOLUTION)));
}

static ob_status add_tile(const reader *r, const coding *c, uint32_t index, totals *t) {
    const ob_codestream *s = r->out;
    uint64_t left = s->tile_x + (uint64_t)(index % s->across) * s->tile_width,
             top = s->tile_y + (uint64_t)(index / s->across) * s->tile_height;
    area tile = {left > s->x0 ? left : s->x0, top > s->y0 ? top : s->y0,
                 left + s->tile_width < s->x1 ? left + s->tile_width : s->x1,
                 top + s->tile_height < s->y1 ? top + s->tile_height : s->y1};
    uint64_t most_precincts = 0, resolutions = 0, before = t->packets, step_x = UINT64_MAX, step_y = UINT64_MAX;
    for (uint32_t i = 0; i < s->n_components; i++) {
        const component *k = &c->components[i];
        area part = {ob__ceil_div_u64(tile.x0, s->dx[i]), ob__ceil_div_u64(tile.y0, s->dy[i]),
                     ob__ceil_div_u64(tile.x1, s->dx[i]), ob__ceil_div_u64(tile.y1, s->dy[i])};
        if (resolutions < k->levels + 1u) resolutions = k->levels + 1u;
        for (unsigned n = 0; n <= k->levels; n++) {
            uint64_t precincts, x = (uint64_t)s->dx[i] << (k->precinct_width[n] + k->levels - n),
                                y = (uint64_t)s->dy[i] << (k->precinct_height[n] + k->levels - n);
            NOT_ONE(n > 0 && (k->precinct_width[n] == 0 || k->precinct_height[n] == 0));
            add_resolution(t, c, k, part, n, &precincts);
            if (most_precincts < precincts) most_precincts = precincts;
            step_x = step_x < x ? step_x : x;
            step_y = step_y < y ? step_y : y;
        }
    }
    uint64_t each = ob__mul_sat(resolutions, s->n_components), /* OpenJPEG's list of packets already read: two bytes for each */
        places = ob__mul_sat(ob__ceil_div_u64(tile.x1 - tile.x0, step_x) + 1, ob__ceil_div_u64(tile.y1 - tile.y0, step_y) + 1);
    t->n_bytes = ob__add_sat(t->n_bytes, ob__mul_sat(2, ob__mul_sat(c->layers, ob__mul_sat(each, most_precincts))));
    t->steps = ob__add_sat(t->steps, ob__mul_sat(c->changes + UINT64_C(1), t->packets - before));
    if (c->by_position) t->steps = ob__add_sat(t->steps, ob__mul_sat(c->changes + UINT64_C(1), ob__mul_sat(each, places)));
    return OB_OK;
}

/* ---- Markers ---- */

static ob_status read_size(reader *r, const uint8_t *p, uint32_t n) {
    ob_codestream *s = r->out;
    NOT_ONE(n < 36);
    uint32_t width, height;
    s->x1 = u32(p + 2), s->y1 = u32(p + 6), s->x0 = u32(p + 10), s->y0 = u32(p + 14);
    s->tile_width = width = u32(p + 18), s->tile_height = height = u32(p + 22);
    s->tile_x = u32(p + 26), s->tile_y = u32(p + 30);
    s->n_components = u16(p + 34);
    OB_IMAGE_DAMAGED(s->n_components < 1 || s->n_components > OB_J2K_COMPONENTS, r->error, "a JPEG 2000 of %u components",
                     s->n_components);
    NOT_ONE(n != 36 + 3 * s->n_components);
    OB_IMAGE_DAMAGED(s->x1 <= s->x0 || s->y1 <= s->y0, r->error, "a JPEG 2000 without pixels");
    NOT_ONE(width == 0 || height == 0 || s->tile_x > s->x0 || s->tile_y > s->y0);
    NOT_ONE(s->x0 - s->tile_x >= width || s->y0 - s->tile_y >= height);
    for (uint32_t i = 0; i < s->n_components; i++) {
        s->dx[i] = p[36 + 3 * i + 1], s->dy[i] = p[36 + 3 * i + 2];
        NOT_ONE(s->dx[i] == 0 || s->dy[i] == 0);
    }
    uint64_t across = ob__ceil_div_u64(s->x1 - s->tile_x, width), down = ob__ceil_div_u64(s->y1 - s->tile_y, height);
    OB_IMAGE_DAMAGED(across > MOST_TILES || across * down > MOST_TILES, r->error, "a JPEG 2000 of more than %d tiles",
                     MOST_TILES);
    s->across = (uint32_t)across, s->down = (uint32_t)down;
    return OB_OK;
}

/* The part that COD and COC share: levels, code-blocks and precincts. */
static ob_status read_component(reader *r, const uint8_t *p, uint32_t n, bool precincts, component *out) {
    component k = {0};
    NOT_ONE(n < 5 || p[0] >= OB_J2K_LEVELS);
    k.levels = p[0];
    k.block_width = (uint8_t)((p[1] & 15) + 2), k.block_height = (uint8_t)((p[2] & 15) + 2);
    k.segments = p[3] & 5; /* selective bypass, or termination of each pass */
    NOT_ONE(k.block_width > 10 || k.block_height > 10 || k.block_width + k.block_height > 12);
    NOT_ONE(n != 5 + (precincts ? k.levels + 1u : 0));
    for (unsigned i = 0; i <= k.levels; i++) {
        k.precinct_width[i] = precincts ? p[5 + i] & 15 : 15;
        k.precinct_height[i] = precincts ? p[5 + i] >> 4 : 15;
    }
    *out = k;
    return OB_OK;
}

static ob_status read_coding(reader *r, coding *c, const uint8_t *p, uint32_t n) {
    NOT_ONE(n < 5 || c->cod || c->coc || u16(p + 2) == 0);
    c->cod = true;
    c->by_position = p[1] > 1;
    c->layers = u16(p + 2);
    OB_TRY(read_component(r, p + 5, n - 5, p[0] & 1, &c->components[0]));
    for (uint32_t i = 1; i < r->out->n_components; i++) c->components[i] = c->components[0];
    return OB_OK;
}

static ob_status read_marker(reader *r, coding *c, uint32_t marker, const uint8_t *p, uint32_t n) {
    enum { CHANGE = 7 };
    switch (marker) {
    case COD: return read_coding(r, c, p, n);
    case COC:
        NOT_ONE(n < 2 || p[0] >= r->out->n_components);
        c->coc = true;
        return read_component(r, p + 2, n - 2, p[1] & 1, &c->components[p[0]]);
    case POC:
        c->changes += n / CHANGE;
        c->by_position = true;
        return OB_OK;
    case CAP:
    case TLM:
    case PLM:
    case PLT:
    case CPF:
    case QCD:
    case QCC:
    case RGN:
    case PPM:
    case PPT:
    case CRG:
    case COM:
    case MCT:
    case MCC:
    case MCO:
    case CBD: return OB_OK;
    default: return ob__fail(r->error, OB_E_ARGUMENT, "a JPEG 2000 with the marker %04x, which is not known", marker);
    }
}

/* Reads markers up to and including `last` or EOC; *found is the one. */
static ob_status read_markers(reader *r, coding *c, const uint8_t *end, uint32_t last, uint32_t *found) {
    for (;;) {
        NOT_ONE(end - r->next < 2);
        uint32_t marker = u16(r->next), n;
        r->next += 2;
        if (marker == last || marker == EOC) {
            *found = marker;
            return OB_OK;
        }
        NOT_ONE(end - r->next < 2);
        n = u16(r->next);
        NOT_ONE(n < 2 || (ptrdiff_t)n > end - r->next);
        OB_TRY(read_marker(r, c, marker, r->next + 2, n - 2));
        r->next += n;
    }
}

/* Reads a tile-part, after its SOT. */
static ob_status read_part(reader *r) {
    const uint8_t *begin = r->next - 2;
    uint32_t found, index, length, part;
    NOT_ONE(r->end - r->next < 10 || u16(r->next) != 10);
    index = u16(r->next + 2), length = u32(r->next + 4), part = r->next[8];
    r->next += 10;
    NOT_ONE(index >= r->out->across * r->out->down || (length && (length < 14 || (ptrdiff_t)length > r->end - begin)));
    const uint8_t *end = length ? begin + length : r->end;
    r->tile = r->main;
    r->tile.cod = r->tile.coc = false;
    OB_TRY(read_markers(r, &r->tile, end, SOD, &found));
    NOT_ONE(found != SOD || (part > 0 && (r->tile.cod || r->tile.coc)));
    bool other = r->tile.cod || r->tile.coc || r->tile.changes != r->main.changes;
    r->next = end;
    return other ? add_tile(r, &r->tile, index, &r->own) : OB_OK;
}

static ob_status read_parts(reader *r) {
    for (uint32_t n = 1;; n++) {
        OB_TRY(read_part(r));
        if (r->end - r->next < 2 || u16(r->next) == EOC) return OB_OK;
        NOT_ONE(u16(r->next) != SOT);
        r->next += 2;
        if (n % TILES_BETWEEN == 0 && ob__image_stopped(r->image)) return OB_OK;
    }
}

/* ---- The whole ---- */

/* The codestream of a JP2 file: its first box of that kind. */
static ob_status find_boxed(reader *r) {
    for (;;) {
        NOT_ONE(r->end - r->next < 8);
        uint64_t head = 8, n = u32(r->next), left = (uint64_t)(r->end - r->next);
        bool found = memcmp(r->next + 4, "jp2c", 4) == 0;
        if (n == 1) {
            NOT_ONE(left < 16);
            head = 16, n = (uint64_t)u32(r->next + 8) << 32 | u32(r->next + 12);
        }
        if (n == 0) n = left;
        NOT_ONE(n < head || (n > left && !found));
        if (found) {
            r->next += head;
            return OB_OK;
        }
        r->next += n;
    }
}

/* Adds up the needs of all tiles. The library keeps the structures of one tile for the next and lets them grow: tiles with the
 * same coding differ only at their edges. */
static ob_status sum_up(reader *r) {
    enum { FIXED = 1 << 18, CHUNK = 32, CHUNKS_PER_BYTE = 32, SEGMENTS = 174 * 24, SEGMENTS_PER_BYTE = 128, SPARE = 1 << 18 };
    ob_codestream *s = r->out;
    uint64_t n_file = r->image->n_bytes, most = 0;
    totals all = r->own;
    for (uint32_t i = 0; i < s->across * s->down; i++) {
        totals one = {0};
        if (i % TILES_BETWEEN == 0 && ob__image_stopped(r->image)) return OB_OK;
        OB_TRY(add_tile(r, &r->main, i, &one));
        if (most < one.n_bytes) most = one.n_bytes;
        all.packets = ob__add_sat(all.packets, one.packets);
        all.steps = ob__add_sat(all.steps, one.steps);
        all.blocks = ob__add_sat(all.blocks, one.blocks);
        all.pieces = ob__add_sat(all.pieces, one.pieces);
        all.segments |= one.segments;
    }
    /* A packet takes at least a byte. */
    OB_IMAGE_DAMAGED(all.packets / 2 > n_file + SPARE, r->error, "a JPEG 2000 of %llu packets in %llu bytes",
                     (unsigned long long)all.packets, (unsigned long long)n_file);
    OB_IMAGE_DAMAGED(all.steps / 32 > n_file + SPARE, r->error, "a JPEG 2000 whose packet order takes %llu steps",
                     (unsigned long long)all.steps);
    uint64_t chunks = ob__mul_sat(n_file, CHUNKS_PER_BYTE), segments = ob__mul_sat(n_file, SEGMENTS_PER_BYTE),
             most_chunks = ob__mul_sat(CHUNK, all.pieces), most_segments = all.segments ? ob__mul_sat(all.blocks, SEGMENTS) : 0;
    s->n_bytes = ob__add_sat(ob__add_sat(r->own.n_bytes, ob__mul_sat(s->across * s->down > 1 ? 2 : 1, most)),
                             ob__add_sat(FIXED, ob__mul_sat(3, n_file)));
    s->n_bytes =
        ob__add_sat(s->n_bytes, ob__mul_sat(s->across * (uint64_t)s->down, PER_TILE + PER_TILE_COMPONENT * s->n_components));
    s->n_bytes = ob__add_sat(s->n_bytes, ob__add_sat(chunks < most_chunks ? chunks : most_chunks,
                                                     segments < most_segments ? segments : most_segments));
    return OB_OK;
}

ob_status ob__codestream_read(const ob_image *image, bool in_boxes, ob_codestream *out, ob_error *error) {
    reader reading = {.image = image, .next = image->file, .end = image->file + image->n_bytes, .error = error}, *r = &reading;
    ob_codestream stream = {0};
    uint32_t found;
    r->out = &stream;
    if (in_boxes) OB_TRY(find_boxed(r));
    NOT_ONE(r->end - r->next < 6 || u16(r->next) != SOC || u16(r->next + 2) != SIZ);
    uint32_t n = u16(r->next + 4);
    NOT_ONE(n < 2 || (ptrdiff_t)n > r->end - r->next - 4);
    OB_TRY(read_size(r, r->next + 6, n - 2));
    r->next += 4 + n;
    OB_TRY(read_markers(r, &r->main, r->end, SOT, &found));
    NOT_ONE(found != SOT || !r->main.cod);
    OB_TRY(read_parts(r));
    OB_TRY(sum_up(r));
    *out = stream;
    return OB_OK;
}
