/* Reshape and other operators that move elements, cut, join, fold axes or select by index. */
#include <stdio.h>
#include <string.h>

#include "gen.h"

static value copy_of(gen *g, const value *x) {
    value v = fresh(g, 'f', x->rank);
    memcpy(v.tag, x->tag, sizeof v.tag);
    return v;
}

static int axis_of(gen *g, const value *x) {
    return x->rank ? (int)draw(g, (uint32_t)x->rank) : 0;
}

void make_reshape(gen *g) {
    const value *x = any(g, 0, GEN_RANK);
    value v;
    const char *allow = g->opset >= 14 && draw(g, 6) == 5 ? "<allowzero = 1> " : "";
    uint32_t how = draw(g, 3);
    if (how == 2) {
        int rank, tags[GEN_RANK + 1];
        const char *shape = target(g, x, &rank, tags);
        v = fresh(g, 'f', rank);
        memcpy(v.tag, tags, sizeof v.tag);
        put(g, "  %s = Reshape %s(%s, %s)\n", v.name, allow, x->name, shape);
    } else {
        int64_t elems[GEN_RANK];
        int rank = 1 + (int)draw(g, 3), open = how ? (int)draw(g, (uint32_t)rank) : -1;
        v = fresh(g, 'f', rank);
        for (int i = 0; i < rank; i++) {
            static const int64_t numbers[] = {0, 2, 3, 1, 4, 8, 6};
            elems[i] = i == open ? -1 : draw(g, 2) && x->rank > i && x->tag[i] > 0 ? x->tag[i] : draw_of(g, numbers, 7);
            v.tag[i] = elems[i] > 0 ? (int)elems[i] : elems[i] == 0 && i < x->rank ? x->tag[i] : TAG_OTHER;
        }
        put(g, "  %s = Reshape %s(%s, %s)\n", v.name, allow, x->name, ints(g, rank, elems));
    }
    keep(g, &v);
}

static void make_flatten(gen *g) {
    const value *x = any(g, 1, GEN_RANK);
    value v = fresh(g, 'f', 2);
    put(g, "  %s = Flatten <axis = %d> (%s)\n", v.name, axis_of(g, x), x->name);
    keep(g, &v);
}

static void make_transpose(gen *g) {
    const value *x = any(g, 1, GEN_RANK);
    int perm[GEN_RANK];
    value v = fresh(g, 'f', x->rank);
    for (int i = 0; i < x->rank; i++) perm[i] = i;
    for (int i = x->rank - 1; i > 0; i--) {
        int k = (int)draw(g, (uint32_t)i + 1), kept = perm[i];
        perm[i] = perm[k];
        perm[k] = kept;
    }
    for (int i = 0; i < x->rank; i++) v.tag[i] = x->tag[perm[i]];
    put(g, "  %s = Transpose <perm = [", v.name);
    for (int i = 0; i < x->rank; i++) put(g, "%s%d", i ? ", " : "", perm[i]);
    put(g, "]> (%s)\n", x->name);
    keep(g, &v);
}

/* Axes are an attribute before opset 13 (`since`), an operand later. */
static void put_with_axis(gen *g, const value *v, const char *op, const char *more, const char *x, int64_t axis, int since) {
    if (g->opset >= since)
        put(g, "  %s = %s %s%s%s(%s, %s)\n", v->name, op, *more ? "<" : "", more, *more ? "> " : "", x, ints(g, 1, &axis));
    else
        put(g, "  %s = %s <axes = [%lld]%s%s> (%s)\n", v->name, op, (long long)axis, *more ? ", " : "", more, x);
}

static void make_squeeze(gen *g) {
    const value *x = any(g, 1, GEN_RANK);
    int axis = axis_of(g, x);
    for (int i = 0; i < x->rank && draw(g, 4); i++)
        if (x->tag[i] == 1) axis = i;
    value v = fresh(g, 'f', x->rank - 1);
    for (int i = 0, k = 0; i < x->rank; i++)
        if (i != axis) v.tag[k++] = x->tag[i];
    char name[12];
    strcpy(name, x->name);
    int64_t at = axis;
    if (g->opset >= 13) {
        const char *axes = ints(g, 1, &at);
        put(g, "  %s = Squeeze (%s, %s)\n", v.name, name, axes);
    } else {
        put_with_axis(g, &v, "Squeeze", "", name, at, 13);
    }
    keep(g, &v);
}

static void make_unsqueeze(gen *g) {
    const value *x = any(g, 0, GEN_RANK - 1);
    int64_t axis = draw(g, (uint32_t)x->rank + 1);
    value v = fresh(g, 'f', x->rank + 1);
    for (int i = 0, k = 0; i <= x->rank; i++) v.tag[i] = i == axis ? 1 : x->tag[k++];
    if (g->opset >= 13) {
        const char *axes = ints(g, 1, &axis);
        put(g, "  %s = Unsqueeze (%s, %s)\n", v.name, x->name, axes);
    } else {
        put_with_axis(g, &v, "Unsqueeze", "", x->name, axis, 13);
    }
    keep(g, &v);
}

void make_concat(gen *g) {
    const value *x = any(g, 1, GEN_RANK), *y = draw(g, 4) ? like(g, x) : x;
    if (y->rank != x->rank) y = any(g, x->rank, x->rank);
    int axis = axis_of(g, x);
    value v = copy_of(g, x);
    v.tag[axis] = x->tag[axis] >= 0 && y->tag[axis] >= 0 ? x->tag[axis] + y->tag[axis] : TAG_OTHER;
    put(g, "  %s = Concat <axis = %d> (%s, %s)\n", v.name, axis, x->name, y->name);
    keep(g, &v);
}

void make_split(gen *g) {
    const value *x = any(g, 1, GEN_RANK);
    int axis = axis_of(g, x);
    value v = copy_of(g, x), w = v;
    w.name[0] = 'w';
    v.tag[axis] = w.tag[axis] = TAG_OTHER;
    if (draw(g, 2) || g->opset < 9) {
        put(g, "  %s, %s = Split <axis = %d%s> (%s)\n", v.name, w.name, axis, g->opset >= 18 ? ", num_outputs = 2" : "", x->name);
    } else {
        int64_t parts[2] = {1 + draw(g, 4), 1 + draw(g, 4)};
        v.tag[axis] = (int)parts[0];
        w.tag[axis] = (int)parts[1];
        if (g->opset >= 13) {
            const char *split = ints(g, 2, parts);
            put(g, "  %s, %s = Split <axis = %d> (%s, %s)\n", v.name, w.name, axis, x->name, split);
        } else {
            put(g, "  %s, %s = Split <axis = %d, split = [%d, %d]> (%s)\n", v.name, w.name, axis, (int)parts[0], (int)parts[1],
                x->name);
        }
    }
    keep(g, &v);
    keep(g, &w);
}

/* A bound of a slice: a number, or derived from shapes. */
static const char *bound(gen *g) {
    static const int64_t numbers[] = {0, 1, 2, 3, -1, -2, 5, INT64_C(9223372036854775807)};
    if (draw(g, 4) == 3) {
        const value *s = scalar(g);
        char name[12];
        const int64_t zero = 0;
        strcpy(name, s->name);
        value v = fresh(g, 'i', 1);
        if (g->opset >= 13) {
            const char *axes = ints(g, 1, &zero);
            put(g, "  %s = Unsqueeze (%s, %s)\n", v.name, name, axes);
        } else {
            put(g, "  %s = Unsqueeze <axes = [0]> (%s)\n", v.name, name);
        }
        v.content = v.is_used = true;
        v.tag[0] = 1;
        return keep(g, &v)->name;
    }
    const int64_t at = draw_of(g, numbers, 8);
    return ints(g, 1, &at);
}

void make_slice(gen *g) {
    if (g->opset < 10) return;
    static const int64_t steps[] = {1, 2, -1, 3};
    const value *x = any(g, 1, GEN_RANK);
    int64_t axis = axis_of(g, x), step = draw_of(g, steps, 4);
    value v = copy_of(g, x);
    v.tag[axis] = TAG_OTHER;
    const char *from = bound(g), *to = bound(g), *axes = ints(g, 1, &axis), *by = ints(g, 1, &step);
    put(g, "  %s = Slice (%s, %s, %s, %s, %s)\n", v.name, x->name, from, to, axes, by);
    keep(g, &v);
}

static void make_pad(gen *g) {
    if (g->opset < 11) return;
    static const int64_t numbers[] = {0, 1, 2, -1, 3};
    static const char *const modes[] = {"constant", "reflect", "edge", "constant"};
    const value *x = any(g, 1, GEN_RANK);
    int64_t pads[2 * GEN_RANK];
    value v = copy_of(g, x);
    for (int i = 0; i < 2 * x->rank; i++) pads[i] = draw(g, 2) ? draw_of(g, numbers, 5) : 0;
    for (int i = 0; i < x->rank; i++) v.tag[i] = TAG_OTHER;
    const char *list = ints(g, 2 * x->rank, pads);
    put(g, "  %s = Pad <mode = \"%s\"> (%s, %s)\n", v.name, modes[draw(g, 4)], x->name, list);
    keep(g, &v);
}

void make_tile(gen *g) {
    const value *x = any(g, 1, GEN_RANK);
    value v = fresh(g, 'f', x->rank);
    const char *repeats;
    if (draw(g, 4) == 3) {
        repeats = vector(g)->name;
    } else {
        int64_t elems[GEN_RANK];
        for (int i = 0; i < x->rank; i++) elems[i] = draw(g, 3);
        repeats = ints(g, x->rank, elems);
    }
    if (g->opset < 6) return;
    put(g, "  %s = Tile (%s, %s)\n", v.name, x->name, repeats);
    keep(g, &v);
}

/* Positions: constants, a range of the length of something, computed from shapes. */
static void make_gather(gen *g) {
    const value *x = any(g, 1, GEN_RANK);
    int axis = axis_of(g, x);
    static const int64_t numbers[] = {0, 1, -1, 2, 3, 7, -4};
    uint32_t how = draw(g, 4);
    if (how == 3 && g->opset >= 11) {
        const value *n = scalar(g);
        value range = fresh(g, 'i', 1), v = copy_of(g, x);
        const char *from = number(g, 0), *step = number(g, 1);
        put(g, "  %s = Range (%s, %s, %s)\n", range.name, from, n->name, step);
        v.tag[axis] = TAG_OTHER;
        put(g, "  %s = Gather <axis = %d> (%s, %s)\n", v.name, axis, x->name, range.name);
        keep(g, &v);
        return;
    }
    if (how == 2) {
        const value *at = scalar(g);
        value v = fresh(g, 'f', x->rank - 1);
        for (int i = 0, k = 0; i < x->rank; i++)
            if (i != axis) v.tag[k++] = x->tag[i];
        put(g, "  %s = Gather <axis = %d> (%s, %s)\n", v.name, axis, x->name, at->name);
        keep(g, &v);
        return;
    }
    int64_t at[2] = {draw_of(g, numbers, 7), draw_of(g, numbers, 7)};
    value v = copy_of(g, x);
    v.tag[axis] = 2;
    const char *list = ints(g, 2, at);
    put(g, "  %s = Gather <axis = %d> (%s, %s)\n", v.name, axis, x->name, list);
    keep(g, &v);
}

static void make_constant_of_shape(gen *g) {
    if (g->opset < 9) return;
    int rank, tags[GEN_RANK + 1];
    const value *x = any_unread(g, 1, GEN_RANK);
    const char *shape = target(g, x, &rank, tags);
    value v = fresh(g, 'f', rank);
    memcpy(v.tag, tags, sizeof v.tag);
    put(g, "  %s = ConstantOfShape (%s)\n", v.name, shape);
    keep(g, &v);
}

static void make_range(gen *g) {
    if (g->opset < 11) return;
    static const int64_t numbers[] = {0, 1, 2, -1, 5};
    const value *limit = scalar(g);
    bool down = draw(g, 4) == 3;
    value r = fresh(g, 'i', 1), v = r;
    v.type = 'f';
    r.name[0] = 'r';
    const char *from = number(g, draw_of(g, numbers, 5)), *step = number(g, 1 + draw(g, 3));
    put(g, "  %s = Range (%s, %s, %s)\n  %s = Cast <to = 1> (%s)\n", r.name, down ? limit->name : from, down ? from : limit->name,
        step, v.name, r.name);
    keep(g, &v);
}

static void make_reduce(gen *g) {
    static const char *const ops[] = {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2"};
    const value *x = any(g, 1, GEN_RANK);
    int64_t axis = axis_of(g, x);
    bool keeps = draw(g, 2) == 0;
    uint32_t op = draw(g, 4);
    value v = copy_of(g, x);
    if (keeps) {
        v.tag[axis] = 1;
    } else {
        v.rank--;
        for (int i = (int)axis; i < v.rank; i++) v.tag[i] = x->tag[i + 1];
    }
    if (g->opset >= (op ? 18 : 13)) {
        const char *axes = ints(g, 1, &axis);
        put(g, "  %s = %s <keepdims = %d> (%s, %s)\n", v.name, ops[op], keeps, x->name, axes);
    } else {
        put(g, "  %s = %s <axes = [%lld], keepdims = %d> (%s)\n", v.name, ops[op], (long long)axis, keeps, x->name);
    }
    keep(g, &v);
}

static void make_arg(gen *g) {
    const value *x = any(g, 1, GEN_RANK);
    value i = fresh(g, 'i', x->rank), v = copy_of(g, x);
    int axis = axis_of(g, x);
    i.name[0] = 'i';
    v.tag[axis] = 1;
    put(g, "  %s = ArgMax <axis = %d> (%s)\n  %s = Cast <to = 1> (%s)\n", i.name, axis, x->name, v.name, i.name);
    keep(g, &v);
}

static void make_top_k(gen *g) {
    if (g->opset < 10) return;
    const value *x = any(g, 1, GEN_RANK);
    int axis = axis_of(g, x);
    int64_t k = 1 + draw(g, 4);
    value v = copy_of(g, x);
    v.tag[axis] = (int)k;
    const char *count = draw(g, 3) == 2 ? bound(g) : ints(g, 1, &k);
    put(g, "  %s, i%s = TopK <axis = %d> (%s, %s)\n", v.name, v.name, axis, x->name, count);
    keep(g, &v);
}

static void make_unary(gen *g) {
    static const char *const ops[] = {"Identity", "Relu", "Softmax", "Neg"};
    const value *x = any(g, 1, GEN_RANK);
    value v = copy_of(g, x);
    put(g, "  %s = %s (%s)\n", v.name, ops[draw(g, 4)], x->name);
    keep(g, &v);
}

static void make_trilu(gen *g) {
    if (g->opset < 14) return;
    const value *x = any(g, 2, GEN_RANK);
    value v = copy_of(g, x);
    put(g, "  %s = Trilu (%s)\n", v.name, x->name);
    keep(g, &v);
}

static void make_one_hot(gen *g) {
    if (g->opset < 11) return;
    const value *depth = scalar(g), *x = any(g, 1, GEN_RANK - 1);
    value i = fresh(g, 'i', x->rank), v = fresh(g, 'f', x->rank + 1);
    memcpy(v.tag, x->tag, sizeof v.tag);
    v.tag[x->rank] = TAG_OTHER;
    i.name[0] = 'i';
    put(g, "  %s = Cast <to = 7> (%s)\n  o%s = Constant <value = float[2] {0, 1}> ()\n", i.name, x->name, v.name);
    put(g, "  %s = OneHot (%s, %s, o%s)\n", v.name, i.name, depth->name, v.name);
    keep(g, &v);
}

const maker move_makers[] = {
    make_reshape, make_reshape,           make_slice, make_gather,  make_concat,    make_split,  make_squeeze,
    make_pad,     make_transpose,         make_unary, make_flatten, make_unsqueeze, make_tile,   make_reduce,
    make_range,   make_constant_of_shape, make_arg,   make_top_k,   make_trilu,     make_one_hot};
const uint32_t n_move_makers = sizeof move_makers / sizeof *move_makers;
