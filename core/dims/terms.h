/* The inside of the dimension pool, shared by the files that implement onnx_broadcast/dim.h. */
#ifndef OB_CORE_DIMS_TERMS_H
#define OB_CORE_DIMS_TERMS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/hash.h"
#include "core/base/map.h"
#include "onnx_broadcast/dim.h"

/* Limits against hostile models: every term is small and shallow, so that walks over it may recurse. A term beyond them becomes
 * OB_DIM_UNKNOWN. */
enum {
    OB_TERM_MONOMIALS = 64, /* of a sum */
    OB_TERM_DEGREE = 16,    /* factors of a product */
    OB_TERM_MEMBERS = 32,   /* of a broadcast term */
    OB_TERM_EXTREMES = 16,  /* members of a minimum or maximum: each is compared with each */
    OB_TERM_DEPTH = 16,     /* nesting of quotients, minima, maxima and broadcast terms */
    OB_TERM_SIZE = 1024     /* leaves and inner terms, written out in full */
};

/* A term's content, `words`, by kind:
 * SYMBOL  none; name is NULL for an anonymous one, whose number is `number`; of a named one that is the length of its text
 * SUM     constant, then for each monomial: coefficient, number of factors, the factors in ascending order;
 *         monomials descend (ob__monomial_compare). Factors are symbols, quotients, minima, maxima and broadcast terms, never
 *         sums.
 * DIV     numerator, divisor > 1
 * QUOTIENT numerator, divisor: a term; undefined where it is below 1
 * BCAST   two or more members in ascending order, none constant, none itself a broadcast term
 * MIN MAX two or more members in ascending order, none of which is known to lie beyond another; what all have in common stands
 *         outside, so that the least coefficient of each monomial among them is 0, and so is the least constant */
typedef struct ob_term {
    const int64_t *words;
    const char *name;
    int64_t lowest, highest; /* OB_DIM_CONST_MAX stands for infinity here */
    uint32_t n_words;
    uint32_t number;
    uint16_t size;
    uint8_t depth;
    uint8_t kind; /* ob_dim_kind */
    bool anonymous;
    bool partial; /* undefined at some sizes: members of a broadcast term disagree, or a divisor is below 1 */
    bool quoted;  /* the symbol's name cannot stand in a term as it is */
} ob_term;

struct ob_assumed_sizes;

struct ob_dims {
    ob_arena arena;
    const struct ob_assumed_sizes *assumed; /* terms that are made now need hold for these sizes only; NULL: for all */
    ob_map names;                           /* symbol name -> (void *)(index + 1) */
    ob_term *terms;
    uint32_t n_terms, capacity;
    uint64_t *slots; /* of all but symbols: hash in the upper half, index + 1 in the lower; 0 empty */
    uint32_t n_hashed, n_slots;
    bool keyed; /* terms turned up that were made to collide: hashes depend on hash_key, see hash.h */
    ob_hash_key hash_key;
    uint32_t n_anonymous;
    struct ob_scratch *scratch; /* its own; scratch.h */
    uint64_t n_steps;    /* of making terms so far: their words, and monomials that were looked at for what they lie between */
    size_t longest_name; /* bytes of a symbol's name that is written whole, of longer ones both ends; 0: every name is */
    struct ob_long_names *long_names; /* which numbers the longer ones, or NULL */
    ob_status status;
};

/* The term behind a handle, or NULL when `d` is not a handle of this pool. */
static inline const ob_term *ob__term(const ob_dims *pool, ob_dim d) {
    if (!pool || !ob_dim_is_term(d)) return NULL;
    uint64_t index = (uint64_t)d - (uint64_t)OB_DIM_CONST_MAX - 1;
    return index < pool->n_terms ? &pool->terms[index] : NULL;
}

/* Forgets that an earlier use gave up, before work whose end looks at ob_dims_status. */
void ob__dims_restart(ob_dims *pool);
/* Gives scratch memory that is not in use back: a pool that is only kept needs none. */
void ob__dims_give_back(ob_dims *pool);

/* The term of that kind and content, found or made; the caller has normalised it. OB_DIM_UNKNOWN beyond the limits. */
ob_dim ob__term_intern(ob_dims *pool, ob_dim_kind kind, const int64_t *words, uint32_t n_words);

/* ---- Polynomials: the working form of a sum ---- */

typedef struct ob_monomial {
    int64_t coefficient;
    uint32_t n_factors;
    ob_dim factors[OB_TERM_DEGREE];
} ob_monomial;

typedef struct ob_poly {
    int64_t constant;
    uint32_t n;
    ob_monomial monomials[OB_TERM_MONOMIALS];
} ob_poly;

/* A number. The monomials, some 9 KB, are not touched. */
static inline void ob__poly_constant(ob_poly *out, int64_t constant) {
    out->constant = constant;
    out->n = 0;
}

static inline void ob__monomial_copy(ob_monomial *to, const ob_monomial *from) {
    to->coefficient = from->coefficient;
    to->n_factors = from->n_factors;
    for (uint32_t i = 0; i < from->n_factors; i++) to->factors[i] = from->factors[i];
}

/* Of what is in use, unlike an assignment. */
static inline void ob__poly_copy(ob_poly *to, const ob_poly *from) {
    ob__poly_constant(to, from->constant);
    for (; to->n < from->n; to->n++) ob__monomial_copy(&to->monomials[to->n], &from->monomials[to->n]);
}

/* Each returns false on overflow or when a limit is passed. */
bool ob__poly_load(const ob_dims *pool, ob_dim d, ob_poly *out);
/* The words of a sum. */
void ob__poly_read(const int64_t *words, uint32_t n_words, ob_poly *out);
/* Appends `m` with another coefficient; a coefficient of 0 is left out. The caller keeps the order. */
bool ob__poly_append(ob_poly *out, const ob_monomial *m, int64_t coefficient);
/* out = a + factor * b; out must not be a or b. */
bool ob__poly_add(const ob_poly *a, const ob_poly *b, int64_t factor, ob_poly *out);
bool ob__poly_mul(const ob_poly *a, const ob_poly *b, ob_poly *out);
/* a = quotient * b + rest, by long division until the leading monomial of b does not divide that of the rest. False also for
 * b = 0. */
bool ob__poly_divide(const ob_dims *pool, const ob_poly *a, const ob_poly *b, ob_poly *quotient, ob_poly *rest);
/* A quotient by a term, and a number, is divided at once: floor((floor(x/y) + k)/d) = floor((x + k*y)/(d*y)). OB_DIM_UNKNOWN: a
 * is something else. */
ob_dim ob__poly_unnested(ob_dims *pool, const ob_poly *a, int64_t divisor);
/* out = a without its monomial `at`. */
void ob__poly_without(const ob_poly *a, uint32_t at, ob_poly *out);
/* out = factor * a. */
bool ob__poly_scale(const ob_poly *a, int64_t factor, ob_poly *out);
/* The dim of a polynomial, interned. */
ob_dim ob__poly_store(ob_dims *pool, const ob_poly *poly);
/* What is known of sizes: `of` narrows the range of a symbol, which is what every size is in. */
typedef struct ob_size_ranges {
    /* NULL: of any size */
    void (*of)(const void *context, ob_dim symbol, int64_t *lowest, int64_t *highest);
    const void *context;
    uint64_t *n_steps; /* counts the monomials that are looked at; may be NULL */
} ob_size_ranges;
/* Bounds for all sizes in those ranges (NULL: for all sizes), inclusive; OB_DIM_CONST_MAX either way stands for infinity. */
void ob__poly_bounds(const ob_dims *pool, const ob_poly *poly, const ob_size_ranges *ranges, int64_t *lowest, int64_t *highest);
void ob__dim_bounds(const ob_dims *pool, ob_dim d, const ob_size_ranges *ranges, int64_t *lowest, int64_t *highest);
/* What a user asserts of sizes, one by one. Set for the time of inference only: what a term is made of does not depend on it, but
 * which term is made for min(N, 512), floor(N/32) * 32 or bcast(N, M) does. */
typedef struct ob_assumed_sizes {
    ob_size_ranges ranges;
    int64_t (*divisor)(const void *context, ob_dim symbol); /* > 0; every size of the symbol is a multiple of it */
} ob_assumed_sizes;
static inline const ob_size_ranges *ob__assumed_ranges(const ob_dims *pool) {
    return pool && pool->assumed ? &pool->assumed->ranges : NULL;
}
/* ob_condition_decide for the assumed sizes: for what shapes depend on, never for verdicts. */
ob_truth ob__condition_assumed(const ob_dims *pool, const ob_condition *condition);
/* Takes out of poly the monomials that are multiples of the divisor by what is assumed, and gives their part of the quotient. */
ob_dim ob__poly_take_multiples(ob_dims *pool, ob_poly *poly, int64_t divisor);
/* c * floor(N/d) is c/d * N where N is a multiple of d, by what is assumed. */
void ob__poly_join_multiples(const ob_dims *pool, ob_poly *poly);
/* Fills the bounds of a new term, whose parts have theirs. */
void ob__term_bounds(ob_dims *pool, ob_term *term);
/* poly = part * members[i] for the one that counts + rest: finds the only minimum or maximum in it that stands alone in a
 * monomial (kind: which of the two it amounts to, a negative part turns them around), takes it out of poly and gives its term,
 * else NULL. */
const ob_term *ob__poly_take_extreme(const ob_dims *pool, ob_poly *poly, ob_dim_kind *kind, int64_t *part);
/* Is it max(members) - min(members), or the opposite? Then a term with these members, else NULL. */
const ob_term *ob__poly_spread(const ob_dims *pool, const ob_poly *poly);
/* The greatest common divisor of `start` and all coefficients, without the constant. */
int64_t ob__poly_gcd(const ob_poly *poly, int64_t start);
int ob__monomial_compare(const ob_monomial *a, const ob_monomial *b);

/* Replaces every symbol by what `of` says (itself, a number, a term) and normalises again. OB_DIM_UNKNOWN on overflow, beyond the
 * limits, where `of` says so, and, with *disagrees, for a broadcast term of which two members became numbers that do not
 * broadcast, and for a quotient whose divisor became a number below 1. */
ob_dim ob__dim_replace(ob_dims *pool, ob_dim d, ob_dim (*of)(void *context, ob_dim symbol), void *context, bool *disagrees);

/* The members of a broadcast term, or `d` itself as the one member. `one` is scratch. */
const ob_dim *ob__bcast_members(const ob_dims *pool, const ob_dim *d, uint32_t *n);

/* Bounded text output that goes on counting when the room ends. */
typedef struct ob_writer {
    char *text;
    size_t room, n;
} ob_writer;

/* Bytes of a name at the start of a text that needs no quotes: a letter, then letters, digits and .:$@#, then perhaps a place
 * such as "[0]"; 0 when there is none. */
size_t ob__plain_name(const char *text);
/* Bytes of a symbol's name as it is written, and whether in quotes: names are as long as files make them, and written often. */
size_t ob__name_bytes(const char *name, bool *quoted);
/* The name so written. */
void ob__write_name(ob_writer *writer, const char *name);
void ob__write(ob_writer *writer, const char *text);
void ob__write_dim(ob_writer *writer, const ob_dims *pool, ob_dim d);
/* In parentheses when it is a sum, as operators want it beside them. */
void ob__write_factor(ob_writer *writer, const ob_dims *pool, ob_dim d);
size_t ob__writer_end(ob_writer *writer);
/* As ob_dim_format and ob_condition_format, for sentences: of what is too long for n_bytes (at most 4096) both ends stand.
 * Returns the bytes written, without the NUL. */
size_t ob__dim_shown(const ob_dims *pool, ob_dim d, char *text, size_t n_bytes);
size_t ob__condition_shown(const ob_dims *pool, const ob_condition *condition, char *text, size_t n_bytes);

#endif
