/* Operators that broadcast: both ways, one way, over batches, by a target, and by the rules of opset 6. */
#include <stdio.h>
#include <string.h>

#include "gen.h"

/* The result of broadcasting a and b. */
static value common(gen *g, const value *a, const value *b) {
    value v = fresh(g, 'f', a->rank > b->rank ? a->rank : b->rank);
    for (int k = 1; k <= v.rank; k++) {
        int x = k <= a->rank ? a->tag[a->rank - k] : 1, y = k <= b->rank ? b->tag[b->rank - k] : 1;
        v.tag[v.rank - k] = tag_of_broadcast(x, y);
    }
    return v;
}

static value same(gen *g, const value *a) {
    value v = fresh(g, 'f', a->rank);
    memcpy(v.tag, a->tag, sizeof v.tag);
    return v;
}

static void make_binary(gen *g) {
    static const char *const ops[] = {"Add", "Mul", "Sub", "Div"};
    const value *a = any(g, 0, GEN_RANK), *b = like(g, a);
    const char *op = ops[draw(g, 4)];
    bool swap = draw(g, 2);
    if (g->opset < 7) { /* one way, from an axis */
        uint32_t how = draw(g, 3);
        int axis = a->rank > b->rank ? (int)draw(g, (uint32_t)(a->rank - b->rank + 1)) : 0;
        value v = same(g, a);
        if (how == 0 && a->rank == b->rank)
            put(g, "  %s = %s (%s, %s)\n", v.name, op, a->name, b->name);
        else if (how == 1)
            put(g, "  %s = %s <broadcast = 1, axis = %d> (%s, %s)\n", v.name, op, axis, a->name, b->name);
        else
            put(g, "  %s = %s <broadcast = 1> (%s, %s)\n", v.name, op, a->name, b->name);
        keep(g, &v);
        return;
    }
    value v = common(g, a, b);
    put(g, "  %s = %s (%s, %s)\n", v.name, op, swap ? b->name : a->name, swap ? a->name : b->name);
    keep(g, &v);
}

static void make_variadic(gen *g) {
    static const char *const ops[] = {"Sum", "Max", "Min", "Mean"};
    if (g->opset < 8) return;
    const value *a = any(g, 0, GEN_RANK), *b = like(g, a);
    value ab = common(g, a, b);
    const value *c = like(g, &ab);
    if (c == &ab) c = a;
    value v = common(g, &ab, c);
    put(g, "  %s = %s (%s, %s, %s)\n", v.name, ops[draw(g, 4)], a->name, b->name, c->name);
    keep(g, &v);
}

static void make_where(gen *g) {
    if (g->opset < 9) return;
    const value *a = any(g, 0, GEN_RANK), *b = like(g, a), *c = like(g, a);
    value bc = common(g, b, c), v = common(g, a, &bc), flag = fresh(g, 'b', a->rank);
    put(g, "  %s = Greater (%s, %s)\n", flag.name, a->name, a->name);
    put(g, "  %s = Where (%s, %s, %s)\n", v.name, flag.name, b->name, c->name);
    keep(g, &v);
}

static void make_prelu(gen *g) {
    if (g->opset < 7) return;
    const value *a = any(g, 1, GEN_RANK), *b = like(g, a);
    value v = same(g, a);
    put(g, "  %s = PRelu (%s, %s)\n", v.name, a->name, b->name);
    keep(g, &v);
}

static void make_layer_norm(gen *g) {
    if (g->opset < 17) return;
    const value *a = any(g, 1, GEN_RANK), *scale = like(g, a), *bias = like(g, a);
    value v = same(g, a);
    put(g, "  %s = LayerNormalization <axis = %d> (%s, %s, %s)\n", v.name, -1 - (int)draw(g, (uint32_t)a->rank), a->name,
        scale->name, bias->name);
    keep(g, &v);
}

static void make_batch_norm(gen *g) {
    if (g->opset < 9) return;
    const value *a = any(g, 2, GEN_RANK);
    const int channels = a->tag[1] == TAG_OTHER || draw(g, 4) == 3 ? 3 : a->tag[1];
    const value *s = weight(g, 1, &channels);
    value v = same(g, a);
    if (draw(g, 2))
        put(g, "  %s = BatchNormalization (%s, %s, %s, %s, %s)\n", v.name, a->name, s->name, s->name, s->name, s->name);
    else
        put(g, "  %s = InstanceNormalization (%s, %s, %s)\n", v.name, a->name, s->name, s->name);
    keep(g, &v);
}

/* A second matrix whose rows fit, often. */
static const value *matrix_for(gen *g, const value *a, int low) {
    if (draw(g, 2) == 0) {
        int tags[GEN_RANK] = {3, 3, 3, 3}, rank = low + (int)draw(g, (uint32_t)(GEN_RANK - low + 1));
        for (int i = 0; i < rank; i++) tags[i] = i + 2 < rank ? 1 + (int)draw(g, 3) : 2;
        int inner = a->tag[a->rank - 1];
        tags[rank > 1 ? rank - 2 : 0] = inner == TAG_OTHER ? 4 : inner;
        return weight(g, rank, tags);
    }
    return any(g, low, GEN_RANK);
}

static void make_matmul(gen *g) {
    const value *a = any(g, 1, GEN_RANK), *b = matrix_for(g, a, 1 + (int)draw(g, 2));
    if (a->rank == 1 || b->rank == 1) {
        value v = fresh(g, 'f', a->rank + b->rank - 2 > 0 ? (a->rank > b->rank ? a->rank : b->rank) - 1 : 0);
        put(g, "  %s = MatMul (%s, %s)\n", v.name, a->name, b->name);
        keep(g, &v);
        return;
    }
    value v = common(g, a, b);
    v.tag[v.rank - 2] = a->tag[a->rank - 2];
    v.tag[v.rank - 1] = b->tag[b->rank - 1];
    put(g, "  %s = MatMul (%s, %s)\n", v.name, a->name, b->name);
    keep(g, &v);
}

static void make_gemm(gen *g) {
    const value *a = any(g, 2, 2);
    bool turned = draw(g, 3) == 2;
    value first = *a;
    if (turned) first.tag[1] = a->tag[0], first.tag[0] = a->tag[1];
    const value *b = matrix_for(g, &first, 2);
    if (b->rank != 2) b = any(g, 2, 2);
    value v = fresh(g, 'f', 2);
    v.tag[0] = first.tag[0];
    v.tag[1] = b->tag[1];
    const value *c = draw(g, 4) == 0 && g->opset >= 11 ? NULL : like(g, &v);
    if (c == &v) c = a;
    bool turned_b = draw(g, 4) == 3;
    if (turned_b) v.tag[1] = b->tag[0];
    put(g, "  %s = Gemm <transA = %d, transB = %d%s> (%s, %s%s%s)\n", v.name, turned, turned_b,
        g->opset < 7 && draw(g, 2) ? ", broadcast = 1" : "", a->name, b->name, c ? ", " : "", c ? c->name : "");
    keep(g, &v);
}

value *stretch_to(gen *g, const value *x, const char *shape, int rank, const int *tags) {
    value wanted = {.rank = rank}, v;
    memcpy(wanted.tag, tags, sizeof wanted.tag);
    if (rank < 0) {
        v = fresh(g, 'f', -1);
    } else {
        v = common(g, x, &wanted);
    }
    put(g, "  %s = Expand (%s, %s)\n", v.name, x->name, shape);
    return keep(g, &v);
}

void make_expand(gen *g) {
    if (g->opset < 8) return;
    int rank, tags[GEN_RANK + 1];
    const value *x = any(g, 0, GEN_RANK);
    const char *shape = target(g, x, &rank, tags);
    stretch_to(g, x, shape, rank, tags);
}

static void make_explicit(gen *g) {
    const value *a = any(g, 0, GEN_RANK), *b = like(g, a);
    value v = common(g, a, b), w = v;
    w.name[0] = 'w';
    put(g, "  %s, %s = onnx_broadcast.Broadcast (%s, %s)\n", v.name, w.name, a->name, b->name);
    keep(g, &v);
    keep(g, &w);
}

const maker broadcast_makers[] = {make_binary, make_binary, make_matmul,     make_gemm,       make_expand, make_variadic,
                                  make_where,  make_prelu,  make_layer_norm, make_batch_norm, make_binary, make_explicit};
const uint32_t n_broadcast_makers = sizeof broadcast_makers / sizeof *broadcast_makers;
