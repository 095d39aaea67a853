/* Shape arithmetic: small integers derived from shapes, and results computed from them. */
#include <stdio.h>
#include <string.h>

#include "gen.h"

value *find_content(gen *g, char type, int rank) {
    uint32_t n = (uint32_t)(g->n_values - g->first_value), start = n ? draw(g, n) : 0;
    for (uint32_t k = 0; k < n; k++) {
        value *v = &g->values[g->n_values - 1 - (int)((start + k) % n)];
        if (!v->content || v->type != type || v->rank != rank) continue;
        v->is_used = true;
        return v;
    }
    return NULL;
}

const value *keep_content(gen *g, value v, int n) {
    v.content = true;
    if (v.rank) v.tag[0] = n;
    return keep(g, &v);
}

static const value *shape_of(gen *g) {
    const value *x = any(g, 1, GEN_RANK);
    value v = fresh(g, 'i', 1);
    put(g, "  %s = Shape (%s)\n", v.name, x->name);
    return keep_content(g, v, x->rank);
}

const value *vector(gen *g) {
    const value *found = draw(g, 3) ? find_content(g, 'i', 1) : NULL;
    return found ? found : shape_of(g);
}

static const value *element(gen *g) {
    const value *from = vector(g);
    int n = from->tag[0] > 0 ? from->tag[0] : 1;
    int64_t at = draw(g, (uint32_t)n);
    if (draw(g, 4) == 3) at -= n;
    value v = fresh(g, 'i', 0);
    put(g, "  %s = Gather <axis = 0> (%s, %s)\n", v.name, from->name, number(g, at));
    return keep_content(g, v, 0);
}

const value *scalar(gen *g) {
    const value *found = draw(g, 3) ? find_content(g, 'i', 0) : NULL;
    return found ? found : element(g);
}

/* ---- Makers ---- */

static void make_shape(gen *g) {
    shape_of(g);
}

static void make_element(gen *g) {
    element(g);
}

static void make_size(gen *g) {
    const value *x = any(g, 0, GEN_RANK);
    value v = fresh(g, 'i', 0);
    put(g, "  %s = Size (%s)\n", v.name, x->name);
    keep_content(g, v, 0);
}

static const value *as_vector(gen *g, const value *x) {
    if (x->rank == 1) return x;
    value v = fresh(g, 'i', 1);
    const int64_t zero = 0;
    if (g->opset >= 13)
        put(g, "  %s = Unsqueeze (%s, %s)\n", v.name, x->name, ints(g, 1, &zero));
    else
        put(g, "  %s = Unsqueeze <axes = [0]> (%s)\n", v.name, x->name);
    return keep_content(g, v, 1);
}

static const int64_t small[] = {1, 2, 3, 4, 0, -1, 8, 5};

static void make_concat_of_sizes(gen *g) {
    const char *names[4];
    int n = 1 + (int)draw(g, 3), total = 0;
    for (int i = 0; i < n; i++) {
        uint32_t how = draw(g, 4);
        if (how == 3) {
            const int64_t elem = draw_of(g, small, 8);
            names[i] = ints(g, 1, &elem);
            total++;
            continue;
        }
        const value *part = as_vector(g, how == 2 ? vector(g) : scalar(g));
        if (total + part->tag[0] > GEN_RANK && i) {
            n = i;
            break;
        }
        names[i] = part->name;
        total += part->tag[0];
    }
    value v = fresh(g, 'i', 1);
    put(g, "  %s = Concat <axis = 0> (", v.name);
    for (int i = 0; i < n; i++) put(g, "%s%s", i ? ", " : "", names[i]);
    put(g, ")\n");
    keep_content(g, v, total);
}

static void make_arithmetic(gen *g) {
    static const char *const ops[] = {"Add", "Sub", "Mul", "Div", "Min", "Max", "Mod", "Div"};
    const value *a = draw(g, 3) == 2 ? vector(g) : scalar(g);
    const char *op = ops[draw(g, g->opset >= 12 ? 8 : 4)];
    bool terms = draw(g, 3) == 2;
    const value *b = terms ? (a->rank && draw(g, 2) ? vector(g) : scalar(g)) : NULL;
    int64_t elem = draw_of(g, small, 8);
    if (elem <= 0 && (strcmp(op, "Div") == 0 || strcmp(op, "Mod") == 0)) elem = elem ? 3 : 2;
    const char *other = b ? b->name : number(g, elem);
    bool swap = draw(g, 4) == 3;
    if (swap && !b && (strcmp(op, "Div") == 0 || strcmp(op, "Mod") == 0)) swap = false;
    value v = fresh(g, 'i', a->rank > (b ? b->rank : 0) ? a->rank : b ? b->rank : a->rank);
    put(g, "  %s = %s (%s, %s)\n", v.name, op, swap ? other : a->name, swap ? a->name : other);
    int n = a->rank ? a->tag[0] : 0;
    if (b && b->rank && b->tag[0] > n) n = b->tag[0];
    keep_content(g, v, n);
}

const value *flag(gen *g) {
    static const char *const ops[] = {"Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"};
    const value *found = draw(g, 3) == 2 ? find_content(g, 'b', 0) : NULL;
    if (found) return found;
    const value *a = scalar(g), *b = draw(g, 3) == 2 ? scalar(g) : NULL;
    const char *op = ops[draw(g, g->opset >= 12 ? 5 : g->opset >= 9 ? 3 : 1)];
    const char *other = b ? b->name : number(g, draw_of(g, small, 8));
    value v = fresh(g, 'b', 0);
    put(g, "  %s = %s (%s, %s)\n", v.name, op, a->name, other);
    return keep_content(g, v, 0);
}

static void make_flag(gen *g) {
    static const char *const ops[] = {"And", "Or", "Xor"};
    const value *a = flag(g);
    uint32_t how = draw(g, 4);
    if (how == 0) return;
    const value *b = how > 1 ? flag(g) : NULL;
    value v = fresh(g, 'b', 0);
    if (!b)
        put(g, "  %s = Not (%s)\n", v.name, a->name);
    else
        put(g, "  %s = %s (%s, %s)\n", v.name, ops[draw(g, 3)], a->name, b->name);
    keep_content(g, v, 0);
}

static void make_where(gen *g) {
    if (g->opset < 9) return;
    const value *c = flag(g), *a = scalar(g), *b = draw(g, 2) ? scalar(g) : NULL;
    const char *other = b ? b->name : number(g, draw_of(g, small, 8));
    value v = fresh(g, 'i', 0);
    put(g, "  %s = Where (%s, %s, %s)\n", v.name, c->name, a->name, other);
    keep_content(g, v, 0);
}

/* Like exporters of interpolate(): through floats. */
static void make_fraction(gen *g) {
    static const char *const factors[] = {"0.5", "2.0", "0.25", "1.5", "1.0"};
    static const char *const rounding[] = {"Floor", "Ceil", "Identity", "Round"};
    const value *a = draw(g, 2) ? vector(g) : scalar(g);
    value f = fresh(g, 'f', a->rank), m = f, r = f, v = f;
    m.name[0] = 'm', r.name[0] = 'r', f.name[0] = 'f';
    v.type = 'i';
    const char *factor = factors[draw(g, 5)];
    put(g, "  %s = Cast <to = 1> (%s)\n  k%s = Constant <value = float {%s}> ()\n", f.name, a->name, f.name, factor);
    put(g, "  %s = %s (%s, k%s)\n", m.name, draw(g, 4) == 3 ? "Div" : "Mul", f.name, f.name);
    put(g, "  %s = %s (%s)\n", r.name, rounding[draw(g, g->opset >= 11 ? 4 : 3)], m.name);
    put(g, "  %s = Cast <to = 7> (%s)\n", v.name, r.name);
    keep_content(g, v, a->rank ? a->tag[0] : 0);
}

static void make_part(gen *g) {
    const value *a = vector(g);
    int n = a->tag[0] > 0 ? a->tag[0] : 1, start = (int)draw(g, (uint32_t)n),
        end = start + 1 + (int)draw(g, (uint32_t)(n - start));
    const int64_t starts = draw(g, 4) == 3 ? start - n : start,
                  ends = end == n && draw(g, 2) ? INT64_C(9223372036854775807) : end;
    value v = fresh(g, 'i', 1);
    if (g->opset >= 10) {
        const char *s = ints(g, 1, &starts), *e = ints(g, 1, &ends);
        put(g, "  %s = Slice (%s, %s, %s)\n", v.name, a->name, s, e);
    } else {
        put(g, "  %s = Slice <starts = [%d], ends = [%d]> (%s)\n", v.name, start, end, a->name);
    }
    keep_content(g, v, end - start);
}

static void make_fold(gen *g) {
    static const char *const ops[] = {"ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin"};
    const value *a = vector(g);
    value v = fresh(g, 'i', 0);
    put(g, "  %s = %s <keepdims = 0> (%s)\n", v.name, ops[draw(g, 4)], a->name);
    keep_content(g, v, 0);
}

const maker content_makers[] = {make_shape, make_element, make_concat_of_sizes, make_arithmetic, make_arithmetic,
                                make_size,  make_flag,    make_fraction,        make_part,       make_fold,
                                make_where};
const uint32_t n_content_makers = sizeof content_makers / sizeof *content_makers;

/* ---- Targets of Reshape, Expand and similar operators ---- */

static const char *constant_target(gen *g, const value *x, int *rank, int *tags) {
    int64_t elems[GEN_RANK];
    *rank = 1 + (int)draw(g, GEN_RANK);
    for (int i = 0; i < *rank; i++) {
        int copied = x->tag[x->rank > *rank ? x->rank - *rank + i : i];
        elems[i] = draw(g, 2) && copied > 0 ? copied : draw_of(g, small, 4);
        tags[i] = (int)elems[i];
    }
    return ints(g, *rank, elems);
}

/* rank: of the tensor that it is the shape of; -1 if unknown. */
const char *target(gen *g, const value *x, int *rank, int *tags) {
    for (int i = 0; i <= GEN_RANK; i++) tags[i] = TAG_OTHER;
    uint32_t how = draw(g, 6);
    if (how == 0) return constant_target(g, x, rank, tags);
    if (how == 1) {
        const value *y = any(g, 1, GEN_RANK);
        value v = fresh(g, 'i', 1);
        put(g, "  %s = Shape (%s)\n", v.name, y->name);
        *rank = y->rank;
        memcpy(tags, y->tag, (size_t)y->rank * sizeof *tags);
        return keep_content(g, v, y->rank)->name;
    }
    if (how < 4) {
        make_concat_of_sizes(g);
        value *made = &g->values[g->n_values - 1];
        made->is_used = true;
        *rank = made->tag[0] <= GEN_RANK ? made->tag[0] : -1;
        return made->name;
    }
    const value *v = vector(g);
    *rank = v->tag[0] <= GEN_RANK ? v->tag[0] : -1;
    return v->name;
}
