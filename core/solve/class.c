/* Terms in one symbol on one residue class. For x = first + period * k, with a period that is a multiple of all divisors, every
 * term becomes a polynomial in k with integer coefficients from some k on. From there on each literal has one answer. */
#include <string.h>

#include "core/base/integers.h"
#include "core/solve/solver.h"

enum { DEGREE = 4 };

typedef struct piece {
    int64_t from; /* k */
    uint32_t degree;
    int64_t c[DEGREE + 1];
    bool undefined; /* members of a broadcast term disagree from there on */
} piece;

/* ---- Periods ---- */

typedef struct period {
    int64_t length, step; /* step: how much the term grows in one, where it is linear */
    bool linear;
} period;

static bool join(period *to, const period *other, int64_t factor) {
    int64_t length = to->length / ob__gcd(to->length, other->length) * other->length, left, right;
    if (length > OB_SOLVE_PERIOD) return false;
    to->linear = to->linear && other->linear && !ob__mul_overflows(to->step, length / to->length, &left) &&
                 !ob__mul_overflows(other->step, length / other->length, &right) && !ob__mul_overflows(right, factor, &right) &&
                 !ob__add_overflows(left, right, &to->step);
    to->length = length;
    return true;
}

static bool period_of(const ob_dims *dims, ob_dim x, ob_dim d, period *out);

static bool period_of_sum(const ob_dims *dims, ob_dim x, const ob_term *term, period *out) {
    *out = (period){1, 0, true};
    for (uint32_t i = 1; i < term->n_words;) {
        uint32_t n_factors = (uint32_t)term->words[i + 1];
        for (uint32_t k = 0; k < n_factors; k++) {
            period one;
            if (!period_of(dims, x, term->words[i + 2 + k], &one) || !join(out, &one, term->words[i])) return false;
        }
        out->linear &= n_factors == 1;
        i += 2 + n_factors;
    }
    return true;
}

/* From a period of a to one of floor(a/divisor), and of "divisor divides a". */
static bool divide_period(period *p, int64_t divisor) {
    int64_t factor = p->linear ? divisor / ob__gcd(p->step, divisor) : divisor;
    if (divisor > OB_SOLVE_PERIOD || p->length * factor > OB_SOLVE_PERIOD) return false;
    p->length *= factor;
    p->linear = p->linear && !ob__mul_overflows(p->step, factor, &p->step);
    p->step /= divisor;
    return true;
}

/* A common period of both terms; a quotient whose numerator and divisor do not grow has no period. */
static bool period_of_quotient(const ob_dims *dims, ob_dim x, const ob_term *term, period *out) {
    period divisor;
    if (!period_of(dims, x, term->words[0], out) || !period_of(dims, x, term->words[1], &divisor) || !join(out, &divisor, 1))
        return false;
    out->linear = out->linear && divisor.linear && out->length == 1 && out->step == 0 && divisor.step == 0;
    return true;
}

/* The term in x, for any values of its other symbols. */
static bool period_of(const ob_dims *dims, ob_dim x, ob_dim d, period *out) {
    *out = (period){1, 0, true};
    const ob_term *term = ob__term(dims, d);
    if (!term) return ob_dim_is_const(d);
    switch ((ob_dim_kind)term->kind) {
    case OB_DIM_KIND_SYMBOL: out->step = d == x; return true;
    case OB_DIM_KIND_SUM: return period_of_sum(dims, x, term, out);
    case OB_DIM_KIND_DIV: return period_of(dims, x, term->words[0], out) && divide_period(out, term->words[1]);
    case OB_DIM_KIND_QUOTIENT: return period_of_quotient(dims, x, term, out);
    default:
        for (uint32_t i = 0; i < term->n_words; i++) {
            period one;
            if (!period_of(dims, x, term->words[i], &one) || !join(out, &one, 1)) return false;
        }
        out->linear = false;
        return true;
    }
}

int64_t ob__literal_step(const ob_dims *dims, ob_dim x, const ob_literal *literal, int64_t *step) {
    period p;
    if (!period_of(dims, x, literal->p, &p) || !p.linear) return 0;
    int64_t length = p.length;
    *step = p.step;
    if (literal->q == 0) return length;
    if (!ob_dim_is_const(literal->q) || literal->q < 1 || !divide_period(&p, literal->q)) return 0;
    return ob__mul_overflows(*step, p.length / length, step) ? 0 : p.length;
}

int64_t ob__literal_period(const ob_dims *dims, ob_dim x, const ob_literal *literal) {
    period p, q;
    if (!period_of(dims, x, literal->p, &p)) return 0;
    if (literal->kind != OB_LITERAL_DIVIDES && literal->kind != OB_LITERAL_NOT_DIVIDES) return p.length;
    if (ob_dim_is_const(literal->q)) return literal->q < 1 || divide_period(&p, literal->q) ? p.length : 0;
    return period_of(dims, x, literal->q, &q) && join(&p, &q, 1) ? p.length : 0;
}

/* ---- Arithmetic ---- */

static void trim(piece *p) {
    while (p->degree > 0 && p->c[p->degree] == 0) p->degree--;
}

static bool add(piece *to, const piece *other, int64_t factor) {
    for (uint32_t i = 0; i <= DEGREE; i++) {
        int64_t product;
        if (ob__mul_overflows(other->c[i], factor, &product) || ob__add_overflows(to->c[i], product, &to->c[i])) return false;
    }
    to->degree = DEGREE;
    trim(to);
    if (other->from > to->from) to->from = other->from;
    to->undefined |= other->undefined;
    return true;
}

static bool multiply(const piece *a, const piece *b, piece *out) {
    *out = (piece){.from = a->from > b->from ? a->from : b->from, .undefined = a->undefined || b->undefined};
    if (a->degree + b->degree > DEGREE) return false;
    for (uint32_t i = 0; i <= a->degree; i++)
        for (uint32_t k = 0; k <= b->degree; k++) {
            int64_t product;
            if (ob__mul_overflows(a->c[i], b->c[k], &product) || ob__add_overflows(out->c[i + k], product, &out->c[i + k]))
                return false;
        }
    out->degree = a->degree + b->degree;
    trim(out);
    return true;
}

static uint64_t magnitude(int64_t x) {
    return x < 0 ? -(uint64_t)x : (uint64_t)x;
}

/* From where on the polynomial, which is not 0 everywhere, is not 0 and keeps the sign of its leading coefficient. With B the
 * largest coefficient of the other sign that is from 1 + B/lead on (Lagrange), and above B/lead where it is linear. */
static bool settle(const piece *p, int64_t *from) {
    bool negative = p->c[p->degree] < 0;
    uint64_t against = 0, lead = magnitude(p->c[p->degree]);
    for (uint32_t i = 0; i < p->degree; i++)
        if ((p->c[i] < 0) != negative && magnitude(p->c[i]) > against) against = magnitude(p->c[i]);
    uint64_t bound = p->degree > 0 && p->c[0] == 0; /* at 0 it is 0 */
    if (against > 0) bound = 1 + against / lead + (p->degree > 1 && against % lead != 0);
    if (bound > OB_SOLVE_POINTS) return false;
    if ((int64_t)bound > *from) *from = (int64_t)bound;
    return true;
}

static bool is_zero(const piece *p) {
    return p->degree == 0 && p->c[0] == 0;
}

static bool subtract(const piece *a, const piece *b, piece *out) {
    *out = *a;
    return add(out, b, -1);
}

/* ---- Terms ---- */

typedef struct residue_class {
    const ob_dims *dims;
    ob_dim x;
    int64_t first, length;
} residue_class;

static bool piece_of(const residue_class *class, ob_dim d, piece *out);

static bool sum_piece(const residue_class *class, const ob_term *term, piece *out) {
    *out = (piece){.c = {term->words[0]}};
    for (uint32_t i = 1; i < term->n_words;) {
        uint32_t n_factors = (uint32_t)term->words[i + 1];
        piece product = {.c = {1}}, factor, next;
        for (uint32_t k = 0; k < n_factors; k++) {
            if (!piece_of(class, term->words[i + 2 + k], &factor) || !multiply(&product, &factor, &next)) return false;
            product = next;
        }
        if (!add(out, &product, term->words[i])) return false;
        i += 2 + n_factors;
    }
    return true;
}

static bool floor_piece(const residue_class *class, const ob_term *term, piece *out) {
    if (!piece_of(class, term->words[0], out)) return false;
    int64_t divisor = term->words[1];
    for (uint32_t i = 1; i <= out->degree; i++) {
        if (out->c[i] % divisor != 0) return false;
        out->c[i] /= divisor;
    }
    out->c[0] = ob__floor_div(out->c[0], divisor);
    return true;
}

/* With a rest of a lower degree than the divisor, or of the same and smaller, the quotient is from somewhere on the whole part,
 * less 1 where the rest is negative. */
static bool quotient_piece(const residue_class *class, const ob_term *term, piece *out) {
    piece rest, divisor, part = {0}, product;
    if (!piece_of(class, term->words[0], &rest) || !piece_of(class, term->words[1], &divisor)) return false;
    *out = (piece){.from = rest.from > divisor.from ? rest.from : divisor.from, .undefined = rest.undefined || divisor.undefined};
    if (!is_zero(&divisor) && !settle(&divisor, &out->from)) return false;
    const int64_t lead = divisor.c[divisor.degree];
    if (lead < 1) {
        out->undefined = true; /* 0 or negative from there on */
        return true;
    }
    if (divisor.degree == 0) {
        for (uint32_t i = 1; i <= rest.degree; i++)
            if (rest.c[i] % lead != 0) return false;
        for (uint32_t i = 0; i <= rest.degree; i++) out->c[i] = ob__floor_div(rest.c[i], lead);
        out->degree = rest.degree;
        return true;
    }
    while (rest.degree >= divisor.degree) {
        const uint32_t at = rest.degree - divisor.degree;
        const int64_t times = ob__floor_div(rest.c[rest.degree], lead);
        if (at > 0 && rest.c[rest.degree] % lead != 0) return false;
        memset(&part, 0, sizeof part);
        part.degree = at;
        part.c[at] = times;
        if (!multiply(&part, &divisor, &product) || !add(&rest, &product, -1) || !add(out, &part, 1)) return false;
        if (at == 0) break;
    }
    if (is_zero(&rest)) return true;
    if (!settle(&rest, &out->from)) return false;
    piece room = divisor;
    if (!add(&room, &rest, rest.c[rest.degree] < 0 ? 1 : -1)) return false; /* divisor - |rest| is positive from somewhere on */
    if (is_zero(&room) || room.c[room.degree] < 0 || !settle(&room, &out->from)) return false;
    if (rest.c[rest.degree] < 0) out->c[0]--;
    return true;
}

static bool extreme_piece(const residue_class *class, const ob_term *term, piece *out) {
    if (!piece_of(class, term->words[0], out)) return false;
    for (uint32_t i = 1; i < term->n_words; i++) {
        piece one, difference;
        if (!piece_of(class, term->words[i], &one) || !subtract(&one, out, &difference)) return false;
        int64_t from = difference.from;
        bool undefined = difference.undefined;
        if (!is_zero(&difference)) {
            if (!settle(&difference, &from)) return false;
            bool less = difference.c[difference.degree] < 0;
            if (less == (term->kind == OB_DIM_KIND_MIN)) *out = one;
        }
        out->from = from;
        out->undefined = undefined;
    }
    return true;
}

static bool bcast_piece(const residue_class *class, const ob_term *term, piece *out) {
    const piece one = {.c = {1}};
    *out = one;
    for (uint32_t i = 0; i < term->n_words; i++) {
        piece member, difference;
        if (!piece_of(class, term->words[i], &member)) return false;
        int64_t from = member.from > out->from ? member.from : out->from;
        bool undefined = out->undefined || member.undefined;
        if (!subtract(&member, &one, &difference)) return false;
        if (!is_zero(&difference)) { /* from there on it is not 1 */
            if (!settle(&difference, &from) || !subtract(out, &one, &difference)) return false;
            if (is_zero(&difference)) {
                *out = member;
            } else {
                if (!subtract(out, &member, &difference)) return false;
                if (!is_zero(&difference)) {
                    if (!settle(&difference, &from)) return false;
                    undefined = true;
                }
            }
        }
        out->from = from;
        out->undefined = undefined;
    }
    return true;
}

static bool piece_of(const residue_class *class, ob_dim d, piece *out) {
    *out = (piece){.c = {d}};
    if (ob_dim_is_const(d)) return true;
    const ob_term *term = ob__term(class->dims, d);
    if (!term) return false;
    switch ((ob_dim_kind)term->kind) {
    case OB_DIM_KIND_SYMBOL: *out = (piece){.degree = 1, .c = {class->first, class->length}}; return d == class->x;
    case OB_DIM_KIND_SUM: return sum_piece(class, term, out);
    case OB_DIM_KIND_DIV: return floor_piece(class, term, out);
    case OB_DIM_KIND_QUOTIENT: return quotient_piece(class, term, out);
    case OB_DIM_KIND_BCAST: return bcast_piece(class, term, out);
    default: return extreme_piece(class, term, out);
    }
}

/* ---- Literals ---- */

static bool all_divisible(const piece *p, int64_t divisor) {
    for (uint32_t i = 1; i <= p->degree; i++)
        if (p->c[i] % divisor != 0) return false;
    return true;
}

/* d(k) = u*k + v divides p(k): u^n * p = d * quotient + rest. */
static bool divides_linear(const piece *p, const piece *d, ob_class_verdict *out) {
    piece rest = *p, quotient = {0};
    int64_t scale = 1, u = d->c[1];
    while (rest.degree >= 1) {
        int64_t lead = rest.c[rest.degree];
        piece part = {0}, product;
        part.degree = rest.degree - 1;
        part.c[part.degree] = lead;
        piece scaled = {0}, scaled_quotient = {0};
        uint32_t degree = rest.degree;
        if (ob__mul_overflows(scale, u, &scale) || !add(&scaled, &rest, u) || !multiply(&part, d, &product) ||
            !add(&scaled, &product, -1) || !add(&scaled_quotient, &quotient, u) || !add(&scaled_quotient, &part, 1))
            return false;
        rest = scaled;
        quotient = scaled_quotient;
        if (rest.degree >= degree) return false;
    }
    out->holds = false;
    if (rest.c[0] != 0) { /* only where |d| <= |rest| */
        piece above = *d, below = *d;
        int64_t size = rest.c[0] < 0 ? -rest.c[0] : rest.c[0];
        if (ob__add_overflows(above.c[0], -size, &above.c[0]) || ob__add_overflows(below.c[0], size, &below.c[0])) return false;
        return settle(&above, &out->from) && settle(&below, &out->from);
    }
    if (scale < 0) scale = -scale;
    if (!all_divisible(&quotient, scale)) return false;
    out->holds = quotient.c[0] % scale == 0;
    return true;
}

static bool divides_on_class(const piece *p, const piece *d, ob_class_verdict *out) {
    if (d->degree > 1 || d->undefined) return false;
    if (!settle(d, &out->from)) return false;
    if (d->c[d->degree] <= 0) { /* the divisor is 0 or negative from there on */
        out->holds = false;
        return true;
    }
    if (is_zero(p)) {
        piece less = *d;
        less.c[0]--;
        out->holds = !is_zero(d);
        return d->degree == 0 || settle(&less, &out->from);
    }
    if (d->degree == 1) return divides_linear(p, d, out);
    if (!all_divisible(p, d->c[0])) return false;
    out->holds = p->c[0] % d->c[0] == 0;
    return true;
}

bool ob__literal_on_class(const ob_dims *dims, ob_dim x, const ob_literal *literal, int64_t first, int64_t length,
                          ob_class_verdict *out) {
    const residue_class class = {dims, x, first, length};
    piece p, q = {.c = {0}};
    bool divides = literal->kind == OB_LITERAL_DIVIDES || literal->kind == OB_LITERAL_NOT_DIVIDES;
    if (!piece_of(&class, literal->p, &p) || (divides && !piece_of(&class, literal->q, &q))) return false;
    out->from = p.from > q.from ? p.from : q.from;
    out->holds = false;
    if (p.undefined || q.undefined) return true;
    bool zero = is_zero(&p);
    switch (literal->kind) {
    case OB_LITERAL_ZERO: out->holds = zero; return zero || settle(&p, &out->from);
    case OB_LITERAL_NONZERO: out->holds = !zero; return zero || settle(&p, &out->from);
    case OB_LITERAL_NONNEGATIVE: out->holds = p.c[p.degree] >= 0; return zero || settle(&p, &out->from);
    case OB_LITERAL_DIVIDES: return divides_on_class(&p, &q, out);
    case OB_LITERAL_NOT_DIVIDES:
        if (!divides_on_class(&p, &q, out)) return false;
        out->holds = !out->holds;
        return true;
    }
    return false;
}
