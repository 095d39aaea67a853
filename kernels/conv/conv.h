/* Convolution. The plane is laid out as kernels/window/window.h describes, so that the elements that one kernel position reads
 * for neighbouring results are contiguous. Nothing is unfolded (no im2col). */
#ifndef OB_KERNELS_CONV_CONV_H
#define OB_KERNELS_CONV_CONV_H

#include "core/base/integers.h"
#include "core/base/pace.h"
#include "kernels/epilogue.h"
#include "kernels/gemm/integer.h"
#include "kernels/window/window.h"

typedef struct obk_conv {
    obk_window window;
    obk_tiling tiling;
    bool tiled;     /* false: kernel positions are visited one by one, in one block */
    bool pointwise; /* one kernel position, stride 1, no padding (implies tiled). A block is a range of the whole plane. Each has
                       OBK_CONV_LEAST elements or more; the last one takes the remainder */
    int64_t channels, out_channels; /* of one group; `channels` are input channels */
    int64_t pitch;                  /* from one channel's copy to the next; 0: nothing is copied (pointwise only) */
    int64_t y_channel;              /* from one output channel's results to the next */
    int64_t rows;                   /* for `depthwise` and `winograd`: rows of results in a block; otherwise 0 */
    /* For run_panels; tiled only: */
    bool along;              /* vectors run along positions: all products are one block of k */
    int64_t k_channels;      /* input channels of a block of k; at least 1 */
    const int64_t *k_offset; /* [k_channels * n_kernel] from the first channel's copy to the operand of each product */
} obk_conv;

/* A panel: neighbouring output channels that are computed at once, as vectors. */
typedef struct obk_panel {
    int64_t first, channels, vectors; /* the last vector may be filled up with channels that do not exist */
} obk_panel;

/* `lanes`: elements of a vector; `widest`: the most vectors of a panel. Panels are about equally wide. */
static inline int64_t obk_panels(int64_t lanes, int64_t widest, int64_t out_channels) {
    return ob__ceil_div(ob__ceil_div(out_channels, lanes), widest);
}
static inline obk_panel obk_panel_at(int64_t lanes, int64_t widest, int64_t out_channels, int64_t i) {
    const int64_t n = obk_panels(lanes, widest, out_channels), vectors = ob__ceil_div(out_channels, lanes), each = vectors / n,
                  more = vectors % n; /* the first panels have one vector more */
    obk_panel p = {.first = (i * each + (i < more ? i : more)) * lanes, .vectors = each + (i < more)};
    p.channels = out_channels - p.first < p.vectors * lanes ? out_channels - p.first : p.vectors * lanes;
    return p;
}
/* Results that a panel computes before it goes on to the next ones: their partial sums lie in the cache. */
enum { OBK_PANEL_POSITIONS = 240, OBK_PANEL_ROOM = 252 };

/* Output channels whose results an epilogue gets at once, and the elements of a row of their copy: an odd number of lines. */
enum { OBK_FINISHED_CHANNELS = 16, OBK_FINISHED_ROW = 272 };

/* Elements of lane memory for run_panels, `lanes` of a vector. */
static inline int64_t obk_panels_lane(int64_t lanes, int64_t widest) {
    return OBK_PANEL_ROOM * widest * lanes + OBK_FINISHED_CHANNELS * OBK_FINISHED_ROW;
}

/* Winograd: tiles that a panel computes at once, and the room for their sums of one frequency. */
enum { OBK_WINOGRAD_TILES = 30, OBK_WINOGRAD_ROOM = 36, OBK_WINOGRAD_TAPS = 16 };

/* The tiles of a row of results; the elements of a row of the padded input. */
static inline int64_t obk_winograd_across(const obk_conv *c) {
    return (c->window.axes[1].out + 1) / 2;
}
static inline int64_t obk_winograd_row_length(const obk_conv *c) {
    return 2 * obk_winograd_across(c) + 80; /* behind the last tile a vector of tiles is read */
}
/* Elements of lane memory for the transformed tiles of a block, and for `run`. */
static inline int64_t obk_winograd_copies(const obk_conv *c) {
    return OBK_WINOGRAD_TAPS * c->channels * c->pitch + 4 * obk_winograd_row_length(c);
}
static inline int64_t obk_winograd_lane(int64_t lanes, int64_t widest) {
    return (OBK_WINOGRAD_TAPS * OBK_WINOGRAD_ROOM + OBK_PANEL_ROOM) * widest * lanes + OBK_FINISHED_CHANNELS * OBK_FINISHED_ROW;
}

/* The most output channels that are computed at once; the fewest elements of a pointwise block. */
enum { OBK_CONV_CHANNELS = 6, OBK_CONV_LEAST = 16 };

/* The pitch for copies of n elements: an odd number of cache lines. The same positions of all channels then fall into different
 * sets of the cache. */
static inline int64_t obk_conv_pitch(int64_t n) {
    return ((n + 15) / 16 | 1) * 16;
}

/* Elements of lane memory that one call needs. */
static inline int64_t obk_conv_lane(const obk_conv *c) {
    if (!c->tiled) return 0;
    if (c->pointwise) return c->pitch > 0 ? c->channels * c->pitch + OBK_SLACK : 0;
    return c->channels * c->pitch + OBK_SLACK + OBK_CONV_CHANNELS * (c->tiling.n_flat + OBK_SLACK);
}

/* The number of results of block b, and the offset of the first one in the plane of results. */
static inline int64_t obk_conv_start(const obk_conv *c, int64_t b) {
    if (c->rows > 0) return b * c->rows * c->window.axes[1].out;
    return !c->tiled ? 0 : c->pointwise ? b * c->tiling.block : obk_block_start(&c->tiling, b);
}
static inline int64_t obk_conv_results(const obk_conv *c, int64_t b) {
    if (c->rows > 0) return ob__least(c->rows, c->window.axes[0].out - b * c->rows) * c->window.axes[1].out;
    if (!c->tiled) return c->window.n_out;
    if (!c->pointwise) return obk_block_size(&c->window, &c->tiling, b) * c->tiling.results_each;
    return b + 1 < c->tiling.n_blocks ? c->tiling.block : c->window.n_out - b * c->tiling.block;
}

/* Computes output channels first .. end of block b: y[m - first] = bias[m] + the sum over channels, then kernel positions, one
 * product after the other. x: the planes of one image and group; w: [out_channels][channels][n_kernel]; bias: NULL for none; y:
 * the block's results of output channel `first`. For pairs, a channel holds two channels side by side: elements of x and w are
 * obk_pair, those of bias and y 32-bit integers, which wrap. */
typedef void (*obk_conv_run)(const obk_conv *conv, const void *x, const void *w, const void *bias, void *y, int64_t b,
                             int64_t first, int64_t end, void *lane, obk_pace *pace);
/* z[m - first] = the sum over c of w[c * rows + m] * x[c], for m in first .. end, n elements each; x: [channels][n]. lane: room
 * for channels * n + (1 + OBK_CONV_CHANNELS) * OBK_SLACK elements if n is less than OBK_CONV_LEAST. */
typedef void (*obk_conv_columns)(const void *x, int64_t channels, int64_t n, const void *w, int64_t rows, int64_t first,
                                 int64_t end, void *z, void *lane, obk_pace *pace);
/* Adds columns[k][result] to the element of y that kernel position k reads for this result; y starts as the bias. y is the
 * window's input plane. */
typedef void (*obk_conv_fold)(const obk_window *window, const void *columns, const void *bias, void *y, obk_pace *pace);

/* pairs[i] as a number: first[i] - zero in its low half, second[i] - zero in its high one, from bytes. second NULL: 0. */
typedef void (*obk_conv_pair)(obk_pair *pairs, const void *first, const void *second, int16_t zero, int64_t n);

/* quads[i] = the bytes from[0][i] .. from[3][i], exclusive-or `flip`. from[k] NULL: 0. */
typedef void (*obk_conv_quad)(uint32_t *quads, const uint8_t *const *from, uint32_t flip, int64_t n);

/* Elements of x and w. QUADS: four channels of bytes, unsigned in x (or signed, quads_signed) and signed in w, which only panels
 * take; .run is NULL at levels that never have them and if the compiler cannot make them, and ob__kernels_dot8 says whether this
 * processor does. */
enum { OBK_CONV_F32, OBK_CONV_F64, OBK_CONV_PAIRS, OBK_CONV_QUADS, OBK_CONV_TYPES };

/* Copies channels first .. end of block b of the plane x with their padding, into [channels][pitch]. Needs a pitch. padding: an
 * element of it, for quads; else 0. */
typedef void (*obk_conv_lay_out)(const obk_conv *conv, const void *x, uint32_t padding, int64_t b, int64_t first, int64_t end,
                                 void *copies, obk_pace *pace);
/* As run, with the same bits, for panels first .. end; vectors run along output channels, unless `along` is set. copies: from
 * lay_out; without a pitch, the block's first element of x. y: the results of the first panel's first output channel. after:
 * applied to them, rows are output channels, columns positions; NULL: none. lane: obk_panels_lane elements. */
typedef void (*obk_conv_run_panels)(const obk_conv *conv, const void *copies, const void *packed, const void *bias, void *y,
                                    int64_t b, int64_t first, int64_t end, const obk_epilogue *after, void *lane, obk_pace *pace);
/* Packs weights [out_channels][k] for run_panels: out_channels rounded up to lanes, times k elements. */
typedef void (*obk_conv_pack)(void *to, const void *w, int64_t out_channels, int64_t k);

/* True if `depthwise` has a loop for this window: 3 x 3 or 5 x 5, stride 1 or 2. */
static inline bool obk_has_depthwise(const obk_window *w) {
    const obk_axis *a = w->axes, *b = w->rank == 2 ? &w->axes[1] : a;
    return w->rank == 2 && (a->kernel == 3 || a->kernel == 5) && b->kernel == a->kernel && a->stride <= 2 &&
           b->stride == a->stride && a->dilation == 1 && b->dilation == 1;
}

/* Lays out the blocks for `depthwise`: whole tiles of rows, worth a task. Returns the number of blocks. */
static inline int64_t obk_depthwise_blocks(obk_conv *c) {
    enum { PRODUCTS = 1 << 16, TILES = 12 };
    const int64_t n = c->window.axes[0].out;
    c->tiled = false;
    c->rows = ob__least(ob__round_up(ob__ceil_div(PRODUCTS, c->window.axes[1].out * c->window.n_kernel), TILES), n);
    return ob__ceil_div(n, c->rows);
}

typedef struct obk_conv_panels {
    int64_t lanes, widest;
    int64_t
        along_products; /* one kernel position: vectors along positions are faster up to this number of products; 0: never used */
    obk_conv_pack pack;
    obk_conv_lay_out lay_out;
    obk_conv_run_panels run;
} obk_conv_panels;

typedef struct obk_convs {
    obk_conv_run run[OBK_CONV_TYPES];
    obk_conv_panels panels[OBK_CONV_TYPES];
    /* 3 x 3 with stride 1, of floats: fewer products, and other sums. The pitch is that of the tiles of a block. */
    obk_conv_panels winograd;
    obk_conv_pair pair[2]; /* of uint8_t, int8_t */
    obk_conv_quad quad;
    bool quads_signed;
    /* F32, F64: */
    obk_conv_run depthwise; /* of floats: one input channel; the same bits */
    obk_conv_columns columns[2];
    obk_conv_fold fold[2];
} obk_convs;

#endif
