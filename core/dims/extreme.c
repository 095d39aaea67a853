/* Minima and maxima of terms: sets of members without superfluous ones, with their common part outside. */
#include <string.h>

#include "core/base/integers.h"
#include "core/dims/algebra.h"
#include "core/dims/scratch.h"

typedef struct member_list {
    ob_dim items[2 * OB_TERM_EXTREMES];
    uint32_t n;
} member_list;

static bool is_extreme(const ob_term *term) {
    return term && (term->kind == OB_DIM_KIND_MIN || term->kind == OB_DIM_KIND_MAX);
}

const ob_term *ob__poly_take_extreme(const ob_dims *pool, ob_poly *poly, ob_dim_kind *kind, int64_t *part) {
    const ob_term *found = NULL;
    uint32_t at = 0;
    for (uint32_t i = 0; i < poly->n; i++) {
        const ob_monomial *m = &poly->monomials[i];
        const ob_term *term = m->n_factors == 1 ? ob__term(pool, m->factors[0]) : NULL;
        if (!is_extreme(term)) continue;
        if (found) return NULL;
        found = term;
        at = i;
    }
    if (!found) return NULL;
    *part = poly->monomials[at].coefficient;
    *kind = (found->kind == OB_DIM_KIND_MIN) == (*part > 0) ? OB_DIM_KIND_MIN : OB_DIM_KIND_MAX;
    for (uint32_t i = at + 1; i < poly->n; i++) poly->monomials[i - 1] = poly->monomials[i];
    poly->n--;
    return found;
}

const ob_term *ob__poly_spread(const ob_dims *pool, const ob_poly *poly) {
    if (poly->n != 2 || poly->constant != 0) return NULL;
    const ob_term *found[2];
    for (uint32_t i = 0; i < 2; i++) {
        const ob_monomial *m = &poly->monomials[i];
        found[i] = m->n_factors == 1 ? ob__term(pool, m->factors[0]) : NULL;
        if (!is_extreme(found[i]) || (m->coefficient != 1 && m->coefficient != -1)) return NULL;
    }
    bool same = poly->monomials[0].coefficient != poly->monomials[1].coefficient && found[0]->kind != found[1]->kind &&
                found[0]->n_words == found[1]->n_words &&
                memcmp(found[0]->words, found[1]->words, found[0]->n_words * sizeof(ob_dim)) == 0;
    return same ? found[0] : NULL;
}

static bool add_member(member_list *list, ob_dim member) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->items[i] == member) return true;
    if (member == OB_DIM_UNKNOWN || list->n == sizeof list->items / sizeof list->items[0]) return false;
    list->items[list->n++] = member;
    return true;
}

/* rest + part * min(m, ...) is the minimum of all rest + part * m. */
static bool add_flat(ob_dims *pool, ob_dim_kind kind, ob_dim d, member_list *list) {
    OB_POLYS(pool, poly, 1);
    if (!poly) return false;
    ob_dim_kind inner_kind;
    int64_t part;
    if (!ob__poly_load(pool, d, poly)) return false;
    const ob_term *inner = ob__poly_take_extreme(pool, poly, &inner_kind, &part);
    if (!inner || inner_kind != kind) return add_member(list, d);
    const ob_dim *members = inner->words; /* the terms may move, their words stay */
    uint32_t n = inner->n_words;
    ob_dim rest = ob__poly_store(pool, poly);
    for (uint32_t i = 0; i < n; i++)
        if (!add_member(list, ob_dim_add(pool, rest, ob_dim_mul(pool, part, members[i])))) return false;
    return true;
}

/* Is a at most b, for all sizes? */
static bool at_most(const ob_dims *pool, ob_dim a, ob_dim b) {
    int64_t a_low, a_high, b_low, b_high;
    const ob_size_ranges *ranges = ob__assumed_ranges(pool);
    ob__dim_bounds(pool, a, ranges, &a_low, &a_high);
    ob__dim_bounds(pool, b, ranges, &b_low, &b_high);
    if (a_high <= b_low) return true;
    OB_POLYS(pool, left, 3);
    ob_poly *right = left + 1, *difference = left + 2;
    if (!left) return false;
    if (!ob__poly_load(pool, a, left) || !ob__poly_load(pool, b, right) || !ob__poly_add(right, left, -1, difference))
        return false;
    ob__poly_bounds(pool, difference, ranges, &a_low, &a_high);
    return a_low >= 0;
}

/* Leaves out each member that another one makes superfluous. */
static void drop_dominated(const ob_dims *pool, ob_dim_kind kind, member_list *list) {
    for (uint32_t i = 0; i < list->n;) {
        bool dominated = false;
        for (uint32_t k = 0; k < list->n && !dominated; k++) {
            if (k == i) continue;
            ob_dim a = list->items[i], b = list->items[k];
            dominated = kind == OB_DIM_KIND_MIN ? at_most(pool, b, a) : at_most(pool, a, b);
        }
        if (!dominated) {
            i++;
            continue;
        }
        list->n--;
        for (uint32_t k = i; k < list->n; k++) list->items[k] = list->items[k + 1];
    }
}

/* out = for each monomial, and the constant, the least coefficient in a and b; one that is absent counts as 0. */
static bool least_coefficients(const ob_poly *a, const ob_poly *b, ob_poly *out) {
    out->n = 0;
    out->constant = a->constant < b->constant ? a->constant : b->constant;
    uint32_t i = 0, k = 0;
    while (i < a->n || k < b->n) {
        int order = i == a->n ? -1 : k == b->n ? 1 : ob__monomial_compare(&a->monomials[i], &b->monomials[k]);
        int64_t left = order >= 0 ? a->monomials[i].coefficient : 0, right = order <= 0 ? b->monomials[k].coefficient : 0;
        if (!ob__poly_append(out, order >= 0 ? &a->monomials[i] : &b->monomials[k], left < right ? left : right)) return false;
        i += order >= 0;
        k += order <= 0;
    }
    return true;
}

/* The common part of all members. */
static bool find_common(const ob_dims *pool, const member_list *list, ob_poly *common) {
    OB_POLYS(pool, member, 2);
    ob_poly *next = member + 1;
    if (!member) return false;
    if (!ob__poly_load(pool, list->items[0], common)) return false;
    for (uint32_t i = 1; i < list->n; i++) {
        if (!ob__poly_load(pool, list->items[i], member) || !least_coefficients(common, member, next)) return false;
        ob__poly_copy(common, next);
    }
    return true;
}

/* Subtracts `common` from every member. gcd: the greatest number that divides all the remainders. */
static bool subtract_common(ob_dims *pool, member_list *list, const ob_poly *common, int64_t *gcd) {
    OB_POLYS(pool, member, 2);
    ob_poly *next = member + 1;
    if (!member) return false;
    *gcd = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        if (!ob__poly_load(pool, list->items[i], member) || !ob__poly_add(member, common, -1, next)) return false;
        *gcd = ob__gcd(ob__poly_gcd(next, *gcd), next->constant);
        list->items[i] = ob__poly_store(pool, next);
        if (list->items[i] == OB_DIM_UNKNOWN) return false;
    }
    return *gcd > 0;
}

static void sort_members(member_list *list) {
    for (uint32_t i = 1; i < list->n; i++) {
        ob_dim member = list->items[i];
        uint32_t k = i;
        for (; k > 0 && list->items[k - 1] > member; k--) list->items[k] = list->items[k - 1];
        list->items[k] = member;
    }
}

ob_dim ob__terms_extreme(ob_dims *pool, ob_dim_kind kind, ob_dim a, ob_dim b) {
    member_list list = {.n = 0};
    OB_POLYS(pool, common, 1);
    if (!common) return OB_DIM_UNKNOWN;
    int64_t gcd;
    if (!add_flat(pool, kind, a, &list) || !add_flat(pool, kind, b, &list)) return OB_DIM_UNKNOWN;
    drop_dominated(pool, kind, &list);
    if (list.n == 1) return list.items[0];
    if (list.n > OB_TERM_EXTREMES || !find_common(pool, &list, common) || !subtract_common(pool, &list, common, &gcd))
        return OB_DIM_UNKNOWN;
    for (uint32_t i = 0; i < list.n; i++) list.items[i] = ob_dim_div_exact(pool, list.items[i], gcd);
    sort_members(&list);
    ob_dim term = ob__term_intern(pool, kind, list.items, list.n);
    return ob_dim_add(pool, ob__poly_store(pool, common), ob_dim_mul(pool, gcd, term));
}
