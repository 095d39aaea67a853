/* Bounds of a term's value, for all sizes or for given ranges.
 *
 * The simple bounds of a sum take each monomial separately and lose their relation: H - 2*floor(H/2) has none. The exact bounds
 * replace one atom at a time, outermost first, by its bounds: c*floor(a/c) is in a - c + 1 .. a, also for a term c; a minimum is
 * each of its members in turn. A budget ends the search; the bounds found until then are right. */
#include <string.h>

#include "core/base/integers.h"
#include "core/dims/scratch.h"

enum {
    MAX_STEPS = 24,        /* atoms replaced for one bound */
    MAX_NESTED = 6,        /* one inside the other: each keeps a polynomial on the stack */
    MAX_TRIED = 3,         /* atoms of one polynomial */
    COST = 8,              /* steps for a monomial that is multiplied or added */
    MAX_PARTS = 512,       /* limit of parts visited in given ranges; further ones use their bounds for all sizes */
    SHIFTED_MONOMIALS = 16 /* of a sum of products, with each factor written as its lower bound plus a rest */
};

#define INFINITE OB_DIM_CONST_MAX

typedef struct bound_search {
    const ob_dims *pool;
    const ob_size_ranges *ranges; /* NULL: any size; the bounds stored in the parts then apply */
    uint32_t n_left;              /* steps */
    uint32_t depth;
    uint32_t n_parts; /* terms visited */
    uint64_t n_steps; /* monomials visited */
} bound_search;

static void bound_part(bound_search *search, ob_dim d, int64_t *low, int64_t *high);

/* ---- Each monomial on its own ---- */

static int64_t clamp(int64_t value) {
    return value > INFINITE ? INFINITE : value < -INFINITE ? -INFINITE : value;
}

static int64_t bound_mul(int64_t a, int64_t b) {
    int64_t product;
    if (ob__mul_overflows(a, b, &product)) return (a < 0) != (b < 0) ? -INFINITE : INFINITE;
    return clamp(product);
}

static void bound_product(int64_t *low, int64_t *high, int64_t other_low, int64_t other_high) {
    const int64_t corners[4] = {bound_mul(*low, other_low), bound_mul(*low, other_high), bound_mul(*high, other_low),
                                bound_mul(*high, other_high)};
    *low = *high = corners[0];
    for (int i = 1; i < 4; i++) {
        if (corners[i] < *low) *low = corners[i];
        if (corners[i] > *high) *high = corners[i];
    }
}

static void bound_monomial(bound_search *search, const ob_monomial *m, int64_t *low, int64_t *high) {
    *low = *high = m->coefficient;
    for (uint32_t k = 0; k < m->n_factors; k++) {
        int64_t factor_low, factor_high;
        bound_part(search, m->factors[k], &factor_low, &factor_high);
        bound_product(low, high, factor_low, factor_high);
    }
}

static void naive_bounds(bound_search *search, const ob_poly *poly, int64_t *lowest_out, int64_t *highest_out) {
    int64_t low, high, least = poly->constant, most = poly->constant;
    search->n_steps += 2 * (poly->n + 1);
    for (uint32_t i = 0; i < poly->n && (least != -INFINITE || most != INFINITE); i++) {
        bound_monomial(search, &poly->monomials[i], &low, &high);
        least = least == -INFINITE || low == -INFINITE ? -INFINITE : clamp(least + low);
        most = most == INFINITE || high == INFINITE ? INFINITE : clamp(most + high);
    }
    *lowest_out = least;
    *highest_out = most;
}

static bool has_product(const ob_poly *poly) {
    for (uint32_t i = 0; i < poly->n; i++)
        if (poly->monomials[i].n_factors > 1) return true;
    return false;
}

/* Writes every factor f as f' + its lower bound, f' >= 0. Without negative coefficients the constant is then a lower bound. */
static int64_t shifted_lowest(bound_search *search, const ob_poly *poly) {
    bool shifts = false;
    int64_t low, high;
    if (!has_product(poly) || poly->n > SHIFTED_MONOMIALS) return -INFINITE;
    for (uint32_t i = 0; i < poly->n; i++)
        for (uint32_t k = 0; k < poly->monomials[i].n_factors; k++) {
            bound_part(search, poly->monomials[i].factors[k], &low, &high);
            if (low < 0) return -INFINITE;
            shifts |= low > 0;
        }
    if (!shifts) return -INFINITE;
    search->n_steps += COST * poly->n;
    OB_POLYS(search->pool, sum, 4);
    ob_poly *part = sum + 1, *factor = sum + 2, *next = sum + 3;
    if (!sum) return -INFINITE;
    ob__poly_constant(sum, poly->constant);
    for (uint32_t i = 0; i < poly->n; i++) {
        const ob_monomial *m = &poly->monomials[i];
        ob__poly_constant(part, m->coefficient);
        for (uint32_t k = 0; k < m->n_factors; k++) {
            bound_part(search, m->factors[k], &low, &high);
            if (!ob__poly_load(search->pool, m->factors[k], factor)) return -INFINITE;
            factor->constant = low;
            if (!ob__poly_mul(part, factor, next)) return -INFINITE;
            ob__poly_copy(part, next);
            search->n_steps += COST * (next->n + 1);
        }
        if (!ob__poly_add(sum, part, 1, next)) return -INFINITE;
        ob__poly_copy(sum, next);
    }
    for (uint32_t i = 0; i < sum->n; i++)
        if (sum->monomials[i].coefficient < 0) return -INFINITE;
    return sum->constant;
}

/* ---- Atoms replaced ---- */

/* One factor of one monomial, or two that are replaced together. */
typedef struct place {
    uint32_t monomial, factor, second; /* second: NONE, except for a quotient and its divisor */
    const ob_term *term;
} place;

enum { NONE = UINT32_MAX };

static bool is_atom(const ob_term *term) {
    return term && term->kind != OB_DIM_KIND_SYMBOL && term->kind != OB_DIM_KIND_SUM;
}

/* Everything beside the factor is 0 or more, so that bounds of the factor bound the product. */
static bool others_count(bound_search *search, const ob_monomial *m, uint32_t factor) {
    int64_t low, high;
    for (uint32_t k = 0; k < m->n_factors; k++) {
        if (k == factor) continue;
        bound_part(search, m->factors[k], &low, &high);
        if (low < 0) return false;
    }
    return true;
}

/* The atoms that can be replaced, deepest first, then in order; at most MAX_TRIED. */
static uint32_t find_places(bound_search *search, const ob_poly *poly, place *out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < poly->n; i++) {
        const ob_monomial *m = &poly->monomials[i];
        for (uint32_t k = 0; k < m->n_factors; k++) {
            const ob_term *term = ob__term(search->pool, m->factors[k]);
            if (!is_atom(term) || (k > 0 && m->factors[k - 1] == m->factors[k]) || !others_count(search, m, k)) continue;
            uint32_t at = n < MAX_TRIED ? n++ : MAX_TRIED;
            while (at > 0 && out[at - 1].term->depth < term->depth) {
                if (at < MAX_TRIED) out[at] = out[at - 1];
                at--;
            }
            if (at < MAX_TRIED) out[at] = (place){i, k, NONE, term};
        }
    }
    return n;
}

/* out = scale * (poly without the monomial) + factor * (the monomial's other factors) * value. */
static bool replace(bound_search *search, const ob_poly *poly, const place *at, int64_t scale, int64_t factor,
                    const ob_poly *value, ob_poly *out) {
    OB_POLYS(search->pool, part, 4);
    ob_poly *others = part + 1, *scaled = part + 2, *product = part + 3;
    if (!part) return false;
    search->n_steps += COST * (poly->n + value->n);
    const ob_monomial *m = &poly->monomials[at->monomial];
    if (m->n_factors == (at->second == NONE ? 1 : 2)) {
        ob__poly_copy(product, value);
    } else {
        ob__poly_constant(others, 0);
        ob_monomial *rest = &others->monomials[others->n++];
        rest->coefficient = 1;
        rest->n_factors = 0;
        for (uint32_t k = 0; k < m->n_factors; k++)
            if (k != at->factor && k != at->second) rest->factors[rest->n_factors++] = m->factors[k];
        if (!ob__poly_mul(others, value, product)) return false;
    }
    ob__poly_without(poly, at->monomial, part);
    return ob__poly_scale(part, scale, scaled) && ob__poly_add(scaled, product, factor, out);
}

static int64_t lowest(bound_search *search, const ob_poly *poly);

/* c*floor(a/c) >= a - c + 1 and <= a, times the factor that makes the coefficient a multiple of c. */
static int64_t lowest_of_quotient(bound_search *search, const ob_poly *poly, const place *at) {
    int64_t divisor = at->term->words[1], coefficient = poly->monomials[at->monomial].coefficient;
    int64_t gcd = ob__gcd(divisor, coefficient), scale = divisor / gcd, low, constant;
    OB_POLYS(search->pool, value, 2);
    ob_poly *next = value + 1;
    if (!value) return -INFINITE;
    if (!ob__poly_load(search->pool, at->term->words[0], value)) return -INFINITE;
    constant = coefficient > 0 ? value->constant - divisor + 1 : value->constant;
    if (!ob_dim_is_const(constant)) return -INFINITE;
    value->constant = constant;
    if (!replace(search, poly, at, scale, coefficient / gcd, value, next)) return -INFINITE;
    low = lowest(search, next);
    return low == -INFINITE ? low : -ob__floor_div(-low, scale);
}

static uint32_t find_factor(const ob_monomial *m, ob_dim factor) {
    for (uint32_t k = 0; k < m->n_factors; k++)
        if (m->factors[k] == factor) return k;
    return NONE;
}

/* By a term b: b*floor(a/b) is above a - b and at most a where the monomial has b too; else floor(a/b) is at most an a that is
 * not negative. */
static int64_t lowest_of_term_quotient(bound_search *search, const ob_poly *poly, const place *at) {
    const ob_monomial *m = &poly->monomials[at->monomial];
    const ob_dim *words = at->term->words;
    int64_t low, high;
    place both = *at;
    both.second = find_factor(m, words[1]);
    OB_POLYS(search->pool, value, 3);
    ob_poly *divisor = value + 1, *next = value + 2;
    if (!value || !ob__poly_load(search->pool, words[0], value)) return -INFINITE;
    if (both.second == NONE) {
        bound_part(search, words[0], &low, &high);
        if (m->coefficient > 0 || low < 0) return -INFINITE;
    } else if (m->coefficient > 0) {
        if (!ob__poly_load(search->pool, words[1], divisor) || !ob__poly_add(value, divisor, -1, next)) return -INFINITE;
        ob__poly_copy(value, next);
        value->constant++;
        if (!ob_dim_is_const(value->constant)) return -INFINITE;
    }
    return replace(search, poly, &both, 1, m->coefficient, value, next) ? lowest(search, next) : -INFINITE;
}

/* The atom equals one of its members. `all`: it is at least each of them (at most, for a negative coefficient), so the largest
 * bound holds; otherwise only the smallest does. */
static int64_t lowest_of_members(bound_search *search, const ob_poly *poly, const place *at, bool all) {
    int64_t coefficient = poly->monomials[at->monomial].coefficient, found = all ? -INFINITE : INFINITE;
    for (uint32_t i = 0; i < at->term->n_words; i++) {
        OB_POLYS(search->pool, value, 2);
        ob_poly *next = value + 1;
        if (!value) return -INFINITE;
        int64_t low = -INFINITE;
        if (ob__poly_load(search->pool, at->term->words[i], value) && replace(search, poly, at, 1, coefficient, value, next))
            low = lowest(search, next);
        if (all ? low > found : low < found) found = low;
        if (!all && found == -INFINITE) break;
    }
    return found;
}

static bool all_positive(bound_search *search, const ob_term *term) {
    int64_t low, high;
    for (uint32_t i = 0; i < term->n_words; i++) {
        bound_part(search, term->words[i], &low, &high);
        if (low < 1) return false;
    }
    return true;
}

static int64_t lowest_at(bound_search *search, const ob_poly *poly, const place *at) {
    bool negative = poly->monomials[at->monomial].coefficient < 0;
    switch (at->term->kind) {
    case OB_DIM_KIND_DIV: return lowest_of_quotient(search, poly, at);
    case OB_DIM_KIND_QUOTIENT: return lowest_of_term_quotient(search, poly, at);
    case OB_DIM_KIND_MIN: return lowest_of_members(search, poly, at, negative);
    case OB_DIM_KIND_MAX: return lowest_of_members(search, poly, at, !negative);
    default: /* without a 0 among its members a broadcast term is the largest of them */
        return lowest_of_members(search, poly, at, !negative && all_positive(search, at->term));
    }
}

/* Only monomials of different signs can cancel, and only atoms hide it. */
static bool worth_a_search(const ob_dims *pool, const ob_poly *poly) {
    bool positive = false, negative = false, atom = false;
    for (uint32_t i = 0; i < poly->n; i++) {
        const ob_monomial *m = &poly->monomials[i];
        positive |= m->coefficient > 0;
        negative |= m->coefficient < 0;
        for (uint32_t k = 0; k < m->n_factors && !atom; k++) atom = is_atom(ob__term(pool, m->factors[k]));
    }
    return positive && negative && atom;
}

static int64_t lowest(bound_search *search, const ob_poly *poly) {
    int64_t best, high;
    naive_bounds(search, poly, &best, &high);
    if (best < 0) {
        int64_t shifted = shifted_lowest(search, poly);
        if (shifted > best) best = shifted;
    }
    if (search->depth == MAX_NESTED || !worth_a_search(search->pool, poly)) return best;
    place places[MAX_TRIED];
    uint32_t n = find_places(search, poly, places);
    search->depth++;
    for (uint32_t i = 0; i < n && search->n_left > 0; i++) {
        search->n_left--;
        int64_t low = lowest_at(search, poly, &places[i]);
        if (low > best) best = low;
    }
    search->depth--;
    return best;
}

static void bound_poly(bound_search *search, const ob_poly *poly, int64_t *lowest_out, int64_t *highest_out) {
    naive_bounds(search, poly, lowest_out, highest_out);
    if (*lowest_out == *highest_out || (!has_product(poly) && !worth_a_search(search->pool, poly))) return;
    uint32_t n_left = search->n_left;
    int64_t low = lowest(search, poly);
    if (low > *lowest_out) *lowest_out = low;
    OB_POLYS(search->pool, negative, 1);
    if (!negative) return;
    if (!ob__poly_scale(poly, -1, negative)) return;
    if (!search->ranges) search->n_left = n_left; /* as many steps downward */
    low = lowest(search, negative);
    if (low != -INFINITE && -low < *highest_out) *highest_out = -low;
}

/* ---- Terms ---- */

/* Each bound is one of the members' bounds: the least for a minimum, the greatest for a maximum. */
static void bound_members(bound_search *search, const ob_term *term, int64_t *lowest_out, int64_t *highest_out) {
    int64_t least_low = INFINITE, greatest_low = -INFINITE, least_high = INFINITE, greatest_high = -INFINITE;
    for (uint32_t i = 0; i < term->n_words; i++) {
        int64_t low, high;
        bound_part(search, term->words[i], &low, &high);
        if (low < least_low) least_low = low;
        if (low > greatest_low) greatest_low = low;
        if (high < least_high) least_high = high;
        if (high > greatest_high) greatest_high = high;
    }
    /* The common size of a broadcast is one of its members. Without a 0 among them it is the largest. */
    bool largest = term->kind == OB_DIM_KIND_MAX || (term->kind == OB_DIM_KIND_BCAST && least_low >= 1);
    *lowest_out = largest ? greatest_low : least_low;
    *highest_out = term->kind == OB_DIM_KIND_MIN ? least_high : greatest_high;
}

static int64_t divide_end(int64_t end, int64_t divisor) {
    return end == INFINITE || end == -INFINITE ? end : ob__floor_div(end, divisor);
}

/* Where the divisor is 1 or more. */
static void bound_quotient(bound_search *search, const ob_term *term, int64_t *lowest_out, int64_t *highest_out) {
    int64_t low, high, least, most;
    bound_part(search, term->words[0], &low, &high);
    bound_part(search, term->words[1], &least, &most);
    if (least < 1) least = 1;
    if (most < least) return; /* nowhere */
    *lowest_out = low < 0 ? divide_end(low, least) : most == INFINITE ? 0 : ob__floor_div(low, most);
    *highest_out = high >= 0 ? divide_end(high, least) : most == INFINITE ? -1 : ob__floor_div(high, most);
}

static void bound_term(bound_search *search, const ob_term *term, int64_t *low, int64_t *high) {
    *low = -INFINITE;
    *high = INFINITE;
    if (term->kind == OB_DIM_KIND_SUM) {
        OB_POLYS(search->pool, poly, 1);
        if (!poly) return;
        ob__poly_read(term->words, term->n_words, poly);
        bound_poly(search, poly, low, high);
    } else if (term->kind == OB_DIM_KIND_DIV) {
        bound_part(search, term->words[0], low, high);
        if (*low != -INFINITE) *low = ob__floor_div(*low, term->words[1]);
        if (*high != INFINITE) *high = ob__floor_div(*high, term->words[1]);
    } else if (term->kind == OB_DIM_KIND_QUOTIENT) {
        bound_quotient(search, term, low, high);
    } else {
        bound_members(search, term, low, high);
    }
}

static void bound_part(bound_search *search, ob_dim d, int64_t *low, int64_t *high) {
    ob_dim_bounds(search->pool, d, low, high);
    const ob_term *term = search->ranges ? ob__term(search->pool, d) : NULL;
    if (!term || search->n_parts == MAX_PARTS) return;
    search->n_parts++;
    int64_t least = *low, most = *high;
    if (term->kind == OB_DIM_KIND_SYMBOL)
        search->ranges->of(search->ranges->context, d, &least, &most);
    else
        bound_term(search, term, &least, &most);
    if (least > *low) *low = least;
    if (most < *high) *high = most;
}

/* Ranges that only count visits narrow nothing. */
static bound_search begin(const ob_dims *pool, const ob_size_ranges *ranges) {
    return (bound_search){.pool = pool, .ranges = ranges && ranges->of ? ranges : NULL, .n_left = MAX_STEPS};
}

static void end(const bound_search *search, const ob_size_ranges *ranges) {
    if (ranges && ranges->n_steps) *ranges->n_steps += search->n_steps;
}

void ob__term_bounds(ob_dims *pool, ob_term *term) {
    bound_search search = begin(pool, NULL);
    bound_term(&search, term, &term->lowest, &term->highest);
    pool->n_steps += search.n_steps;
}

void ob__poly_bounds(const ob_dims *pool, const ob_poly *poly, const ob_size_ranges *ranges, int64_t *low, int64_t *high) {
    bound_search search = begin(pool, ranges);
    bound_poly(&search, poly, low, high);
    end(&search, ranges);
}

void ob__dim_bounds(const ob_dims *pool, ob_dim d, const ob_size_ranges *ranges, int64_t *low, int64_t *high) {
    bound_search search = begin(pool, ranges);
    bound_part(&search, d, low, high);
    end(&search, ranges);
}
