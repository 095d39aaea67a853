/* Windows: Conv, pooling, ConvTranspose, and operators that rearrange or resize planes. */
#include <stdio.h>
#include <string.h>

#include "gen.h"

typedef struct window {
    int n;
    int64_t kernel[2], strides[2], dilations[2], pads[4];
    const char *auto_pad;
    bool has_strides, has_dilations, has_pads;
} window;

static window draw_window(gen *g, int n) {
    static const char *const pads[] = {"", "", "", "", "", "SAME_UPPER", "SAME_LOWER", "VALID"};
    static const int64_t kernels[] = {1, 3, 2, 5}, strides[] = {1, 2, 3, 2}, dilations[] = {1, 2, 3, 1};
    window w = {.n = n, .auto_pad = pads[draw(g, 8)]};
    w.has_strides = draw(g, 2);
    w.has_pads = draw(g, 2) && !*w.auto_pad;
    w.has_dilations = draw(g, 4) == 3;
    for (int i = 0; i < n; i++) {
        w.kernel[i] = draw_of(g, kernels, 4);
        w.strides[i] = draw_of(g, strides, 4);
        w.dilations[i] = draw_of(g, dilations, 4);
        w.pads[i] = draw(g, 3);
        w.pads[n + i] = draw(g, 3);
    }
    return w;
}

static void put_list(gen *g, const char *name, const int64_t *elems, int n) {
    put(g, "%s = [", name);
    for (int i = 0; i < n; i++) put(g, "%s%lld", i ? ", " : "", (long long)elems[i]);
    put(g, "]");
}

static void put_window(gen *g, const window *w) {
    put_list(g, "kernel_shape", w->kernel, w->n);
    if (*w->auto_pad) put(g, ", auto_pad = \"%s\"", w->auto_pad);
    if (w->has_strides) put_list(g, ", strides", w->strides, w->n);
    if (w->has_dilations) put_list(g, ", dilations", w->dilations, w->n);
    if (w->has_pads) put_list(g, ", pads", w->pads, 2 * w->n);
}

static void make_conv(gen *g) {
    const value *x = any(g, 3, 4);
    window w = draw_window(g, x->rank - 2);
    int channels = x->tag[1] == TAG_OTHER || x->tag[1] < 0 || draw(g, 8) == 7 ? 2 : x->tag[1], groups = 1,
        out = 1 + (int)draw(g, 3);
    bool transposed = draw(g, 4) == 3;
    if (draw(g, 4) == 3) {
        groups = channels > 1 ? channels : 1;
        out = transposed ? out : groups * (1 + (int)draw(g, 2));
    }
    int tags[GEN_RANK] = {transposed ? channels : out, transposed ? out : channels / groups};
    for (int i = 0; i < w.n; i++) tags[2 + i] = (int)w.kernel[i];
    const value *k = draw(g, 8) == 7 ? any(g, x->rank, x->rank) : weight(g, x->rank, tags);
    const int bias_tag = transposed ? out * groups : out;
    const value *bias = draw(g, 4) == 3 ? weight(g, 1, &bias_tag) : NULL;
    value v = fresh(g, 'f', x->rank);
    v.tag[0] = x->tag[0];
    v.tag[1] = transposed ? out * groups : out;
    put(g, "  %s = %s <group = %d, ", v.name, transposed ? "ConvTranspose" : "Conv", groups);
    put_window(g, &w);
    put(g, "> (%s, %s%s%s)\n", x->name, k->name, bias ? ", " : "", bias ? bias->name : "");
    keep(g, &v);
}

static void make_pool(gen *g) {
    static const char *const ops[] = {"MaxPool", "AveragePool", "LpPool"};
    const value *x = any(g, 3, 4);
    window w = draw_window(g, x->rank - 2);
    uint32_t op = draw(g, 3);
    if (g->opset < (op == 0 ? 10 : op == 1 ? 19 : 18)) w.has_dilations = false;
    bool has_ceil = g->opset >= (op == 2 ? 18 : 10) && draw(g, 3) == 2;
    value v = fresh(g, 'f', x->rank);
    v.tag[0] = x->tag[0];
    v.tag[1] = x->tag[1];
    put(g, "  %s = %s <", v.name, ops[op]);
    put_window(g, &w);
    put(g, "%s> (%s)\n", has_ceil ? ", ceil_mode = 1" : "", x->name);
    keep(g, &v);
}

static void make_global_pool(gen *g) {
    static const char *const ops[] = {"GlobalAveragePool", "GlobalMaxPool"};
    const value *x = any(g, 3, 4);
    value v = fresh(g, 'f', x->rank);
    v.tag[0] = x->tag[0];
    v.tag[1] = x->tag[1];
    for (int i = 2; i < x->rank; i++) v.tag[i] = 1;
    put(g, "  %s = %s (%s)\n", v.name, ops[draw(g, 2)], x->name);
    keep(g, &v);
}

static void make_depth(gen *g) {
    static const int64_t blocks[] = {2, 3, 4, 6}; /* some share a factor */
    const value *x = any(g, 4, 4);
    const uint32_t block = (uint32_t)draw_of(g, blocks, 4);
    value v = fresh(g, 'f', 4);
    v.tag[0] = x->tag[0];
    put(g, "  %s = %s <blocksize = %u> (%s)\n", v.name, draw(g, 2) ? "SpaceToDepth" : "DepthToSpace", block, x->name);
    keep(g, &v);
}

static void make_resize(gen *g) {
    if (g->opset < 13) return; /* before, the region is not optional */
    const value *x = any(g, 2, 4);
    value v = fresh(g, 'f', x->rank);
    if (draw(g, 2)) {
        static const char *const scales[] = {"2.0", "0.5", "1.0", "1.5", "0.3"};
        put(g, "  k%s = Constant <value = float[%d] {", v.name, x->rank);
        for (int i = 0; i < x->rank; i++) put(g, "%s%s", i ? ", " : "", i < 2 && draw(g, 4) ? "1.0" : scales[draw(g, 5)]);
        put(g, "}> ()\n  %s = Resize (%s, , k%s)\n", v.name, x->name, v.name);
    } else {
        int rank, tags[GEN_RANK + 1];
        const char *sizes = target(g, x, &rank, tags);
        put(g, "  %s = Resize (%s, , , %s)\n", v.name, x->name, sizes);
    }
    keep(g, &v);
}

static void make_lrn(gen *g) {
    const value *x = any(g, 3, 4);
    value v = fresh(g, 'f', x->rank);
    memcpy(v.tag, x->tag, sizeof v.tag);
    put(g, "  %s = LRN <size = 3> (%s)\n", v.name, x->name);
    keep(g, &v);
}

const maker window_makers[] = {make_conv, make_pool, make_conv, make_pool, make_depth, make_resize, make_global_pool, make_lrn};
const uint32_t n_window_makers = sizeof window_makers / sizeof *window_makers;
