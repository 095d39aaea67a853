/* Sizes that are inferred in several cases, or not at all: quotients of two sizes, Squeeze without axes, integers that wrap
 * around, ranges with any step, sequences, loops without iterations. */
#include <stdio.h>
#include <string.h>

#include "gen.h"

/* Divides one number by another: the size for Reshape's -1, and the results of Div and Mod. In bodies the result may be unused,
 * and a session does not compute unused results, so a divisor that depends on data is only used in the main graph. */
static void make_quotient(gen *g) {
    if (g->depth) return;
    const value *a = scalar(g);
    char name[12];
    strcpy(name, a->name);
    const value *b = scalar(g);
    value v = fresh(g, 'i', 0);
    put(g, "  %s = %s (%s, %s)\n", v.name, g->opset >= 10 && draw(g, 3) == 2 ? "Mod" : "Div", name, b->name);
    keep_content(g, v, 0);
}

static const char *as_vector_of_one(gen *g, const char *name) {
    value v = fresh(g, 'i', 1);
    const int64_t zero = 0;
    if (g->opset >= 13)
        put(g, "  %s = Unsqueeze (%s, %s)\n", v.name, name, ints(g, 1, &zero));
    else
        put(g, "  %s = Unsqueeze <axes = [0]> (%s)\n", v.name, name);
    v.is_used = true;
    return keep_content(g, v, 1)->name;
}

/* To [-1, size] or [size, -1]; a size of 0 is 0. */
static void make_reshape_by_size(gen *g) {
    if (g->opset < 14) return;
    const value *x = any(g, 1, GEN_RANK);
    char name[12], size[12];
    strcpy(name, x->name);
    const value *s = scalar(g);
    strcpy(size, s->name);
    strcpy(size, as_vector_of_one(g, size));
    const int64_t rest = -1;
    const char *hole = ints(g, 1, &rest);
    bool first = draw(g, 2) == 0;
    value v = fresh(g, 'f', 2), shape = fresh(g, 'i', 1);
    put(g, "  %s = Concat <axis = 0> (%s, %s)\n  %s = Reshape <allowzero = 1> (%s, %s)\n", shape.name, first ? hole : size,
        first ? size : hole, v.name, name, shape.name);
    keep(g, &v);
}

static void make_squeeze_all(gen *g) {
    const value *x = any(g, 1, GEN_RANK);
    value v = fresh(g, 'f', 0), w = fresh(g, 'f', 1);
    for (int i = 0; i < x->rank && v.rank >= 0; i++) {
        if (x->tag[i] < 0)
            v.rank = -1;
        else if (x->tag[i] != 1)
            v.tag[v.rank++] = x->tag[i];
    }
    put(g, "  %s = Squeeze (%s)\n", v.name, x->name);
    const value *kept = keep(g, &v);
    if (g->opset < 5 || kept->rank >= 0 || draw(g, 2)) return;
    const int64_t parts[2] = {draw(g, 2) ? 2 : -1, -1};
    int n = parts[0] == 2 ? 2 : 1;
    w.rank = n;
    g->values[g->n_values - 1].is_used = true;
    const char *shape = ints(g, n, parts);
    put(g, "  %s = Reshape (%s, %s)\n", w.name, v.name, shape);
    keep(g, &w);
}

/* In int32, where a large factor wraps around. */
static void make_wrapped(gen *g) {
    static const int64_t factors[] = {536870912, 1073741824, 65536, 3};
    const value *s = scalar(g);
    value i = fresh(g, 'i', 0), m = i, d = i, v = i;
    i.name[0] = 'i', m.name[0] = 'm', d.name[0] = 'd';
    const long long factor = (long long)draw_of(g, factors, 4);
    put(g, "  %s = Cast <to = 6> (%s)\n  k%s = Constant <value = int32 {%lld}> ()\n", i.name, s->name, v.name, factor);
    put(g, "  %s = Mul (%s, k%s)\n", m.name, i.name, v.name);
    if (draw(g, 2))
        put(g, "  %s = Div (%s, k%s)\n", d.name, m.name, v.name);
    else
        put(g, "  %s = Sub (%s, %s)\n", d.name, m.name, m.name);
    put(g, "  %s = Cast <to = 7> (%s)\n", v.name, d.name);
    keep_content(g, v, 0);
}

static void make_range_by_step(gen *g) {
    if (g->opset < 11) return;
    static const int64_t numbers[] = {1, -1, 2, -2, 3, 0};
    const value *a = scalar(g);
    char from[12], to[12], step[12];
    strcpy(from, draw(g, 2) ? a->name : number(g, draw_of(g, numbers, 6)));
    const value *b = scalar(g);
    strcpy(to, draw(g, 3) ? b->name : number(g, draw_of(g, numbers, 6)));
    const value *c = draw(g, 2) ? scalar(g) : NULL;
    strcpy(step, c ? c->name : number(g, draw_of(g, numbers, 5)));
    value r = fresh(g, 'i', 1), v = r;
    v.type = 'f';
    r.name[0] = 'r';
    put(g, "  %s = Range (%s, %s, %s)\n  %s = Cast <to = 1> (%s)\n", r.name, from, to, step, v.name, r.name);
    keep(g, &v);
}

/* Cuts x along the axis; rank of the pieces, and size along the axis. */
static void cut(gen *g, const char *result, const value *x, int axis, int *rank, int *size) {
    uint32_t how = draw(g, 4);
    char name[12];
    strcpy(name, x->name);
    *rank = x->rank;
    *size = TAG_OTHER;
    if (how < 2) {
        *rank -= how == 1;
        *size = 1;
        put(g, "  %s = SplitToSequence <axis = %d, keepdims = %d> (%s)\n", result, axis, how == 0, name);
        return;
    }
    int64_t parts[2] = {1 + draw(g, 3), 1 + draw(g, 3)};
    const char *split = how == 2 ? number(g, parts[0]) : ints(g, 2, parts);
    put(g, "  %s = SplitToSequence <axis = %d> (%s, %s)\n", result, axis, name, split);
}

static void make_sequence(gen *g) {
    if (g->opset < 11) return;
    static const int64_t places[] = {0, 1, -1, 2, -3, 5};
    const value *x = any(g, 1, GEN_RANK);
    int axis = (int)draw(g, (uint32_t)x->rank), rank = x->rank, size = TAG_OTHER;
    value s = fresh(g, 's', 0), t = fresh(g, 's', 0), v = fresh(g, 'f', x->rank);
    s.name[0] = 's', t.name[0] = 't';
    if (draw(g, 4) == 3)
        put(g, "  %s = SequenceConstruct (%s, %s)\n", s.name, x->name, x->name);
    else
        cut(g, s.name, x, axis, &rank, &size);
    const char *from = s.name;
    if (draw(g, 3) == 2) {
        const char *at = number(g, draw_of(g, places, 6));
        put(g, "  %s = SequenceErase (%s, %s)\n", t.name, s.name, at);
        from = t.name;
    }
    uint32_t use = draw(g, 4);
    if (use == 2) {
        v = fresh(g, 'i', 0);
        put(g, "  %s = SequenceLength (%s)\n", v.name, from);
        keep_content(g, v, 0);
        return;
    }
    v.rank = rank;
    if (use == 3 && rank > 0) {
        put(g, "  %s = ConcatFromSequence <axis = %d> (%s)\n", v.name, (int)draw(g, (uint32_t)rank), from);
        keep(g, &v);
        return;
    }
    const value *place = draw(g, 3) == 2 ? scalar(g) : NULL;
    const char *at = place ? place->name : number(g, draw_of(g, places, 6));
    for (int i = 0, k = 0; i < x->rank; i++)
        if (rank == x->rank || i != axis) v.tag[k++] = i == axis ? size : x->tag[i];
    put(g, "  %s = SequenceAt (%s, %s)\n", v.name, from, at);
    keep(g, &v);
}

/* The number of iterations is a difference, often 0. */
static void make_empty_loop(gen *g) {
    if (g->opset < 11 || g->depth > 1) return;
    const value *start = any(g, 1, GEN_RANK);
    char name[12];
    strcpy(name, start->name);
    const int rank = start->rank;
    const value *s = scalar(g);
    value trips = fresh(g, 'i', 0), v = fresh(g, 'f', rank);
    const char *less = number(g, 2 + draw(g, 3));
    int n = g->n_names++;
    put(g, "  %s = Sub (%s, %s)\n", trips.name, s->name, less);
    put(g, "  %s = Loop (%s, , %s) <body = l%d (int64 i%d, bool k%d, float[] s%d) => (bool o%d, float[] y%d) {\n", v.name,
        trips.name, name, n, n, n, n, n, n);
    put(g, "  o%d = Identity (k%d)\n  y%d = Concat <axis = 0> (s%d, s%d)\n  }>\n", n, n, n, n, n);
    keep(g, &v);
}

const maker late_makers[] = {make_quotient,      make_reshape_by_size, make_sequence, make_squeeze_all, make_wrapped,
                             make_range_by_step, make_empty_loop,      make_sequence, make_quotient};
const uint32_t n_late_makers = sizeof late_makers / sizeof *late_makers;
