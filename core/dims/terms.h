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
 * QUOTIENT numerator, divisor: a term; undefined if it is below 1
 * BCAST   two or more members in ascending order, none constant, none itself a broadcast term
 * MIN MAX two or more members in ascending order, none known to be superfluous. Their common part is outside, so that the
 *         smallest coefficient of each monomial among them is 0, and so is the smallest constant */
typedef struct ob_term {
    const int64_t *words;
    const char *name;
    int64_t lowest, highest; /* OB_DIM_CONST_MAX means infinity here */
    uint32_t n_words;
    uint32_t number;
    uint16_t size;
    uint8_t depth;
    uint8_t kind; /* ob_dim_kind */
    bool anonymous;
    bool partial; /* undefined at some sizes: members of a broadcast term do not broadcast, or a divisor is below 1 */
    bool quoted;  /* the symbol's name needs quotes in a term */
} ob_term;

struct ob_assumed_sizes;

struct ob_dims {
    ob_arena arena;
    const struct ob_assumed_sizes *assumed; /* new terms need to be right for these sizes only; NULL: for all */
    ob_map names;                           /* symbol name -> (void *)(index + 1) */
    ob_term *terms;
    uint32_t n_terms, capacity;
    uint64_t *slots; /* of all terms except symbols: hash in the upper half, index + 1 in the lower; 0: empty */
    uint32_t n_hashed, n_slots;
    bool keyed; /* too many collisions were found: hashes now depend on hash_key, see hash.h */
    ob_hash_key hash_key;
    uint32_t n_anonymous;
    struct ob_scratch *scratch; /* its own; scratch.h */
    uint64_t n_steps;           /* work so far: words of new terms, and monomials visited for bounds */
    size_t longest_name;        /* limit of a symbol's name that is written in full; longer ones are shortened; 0: no limit */
    struct ob_long_names *long_names; /* numbers of the shortened names, or NULL */
    ob_status status;
};

/* The term of a handle, or NULL if `d` is not a handle of this pool. */
static inline const ob_term *ob__term(const ob_dims *pool, ob_dim d) {
    if (!pool || !ob_dim_is_term(d)) return NULL;
    uint64_t index = (uint64_t)d - (uint64_t)OB_DIM_CONST_MAX - 1;
    return index < pool->n_terms ? &pool->terms[index] : NULL;
}

/* Clears the failure of an earlier use, before work that ends with a look at ob_dims_status. */
void ob__dims_restart(ob_dims *pool);
/* Frees unused scratch memory: a pool that is only stored needs none. */
void ob__dims_give_back(ob_dims *pool);

/* ---- Making terms ---- */

static inline ob_dim ob__term_handle(uint32_t index) {
    return OB_DIM_CONST_MAX + 1 + (ob_dim)index;
}
/* Keeps why a result is OB_DIM_UNKNOWN, which it returns. */
ob_dim ob__dims_give_up(ob_dims *pool, ob_status status);
/* A zeroed term at the end of the pool, not counted yet; NULL: the reason is kept. */
ob_term *ob__term_reserve(ob_dims *pool);
/* Finds or makes the term of that kind and content, which the caller has normalised. OB_DIM_UNKNOWN beyond the limits. */
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

/* Sets a number. The monomials, some 9 KB, are not touched. */
static inline void ob__poly_constant(ob_poly *out, int64_t constant) {
    out->constant = constant;
    out->n = 0;
}

static inline void ob__monomial_copy(ob_monomial *to, const ob_monomial *from) {
    to->coefficient = from->coefficient;
    to->n_factors = from->n_factors;
    for (uint32_t i = 0; i < from->n_factors; i++) to->factors[i] = from->factors[i];
}

/* Copies only the used part, unlike an assignment. */
static inline void ob__poly_copy(ob_poly *to, const ob_poly *from) {
    ob__poly_constant(to, from->constant);
    for (; to->n < from->n; to->n++) ob__monomial_copy(&to->monomials[to->n], &from->monomials[to->n]);
}

/* Each returns false on overflow or beyond a limit. */
bool ob__poly_load(const ob_dims *pool, ob_dim d, ob_poly *out);
/* The words of a sum. */
void ob__poly_read(const int64_t *words, uint32_t n_words, ob_poly *out);
/* Appends `m` with another coefficient; a coefficient of 0 is omitted. The caller keeps the order. */
bool ob__poly_append(ob_poly *out, const ob_monomial *m, int64_t coefficient);
/* out = a + factor * b; out must not be a or b. */
bool ob__poly_add(const ob_poly *a, const ob_poly *b, int64_t factor, ob_poly *out);
bool ob__poly_mul(const ob_poly *a, const ob_poly *b, ob_poly *out);
/* a = quotient * b + rest, by long division until the leading monomial of b does not divide that of the rest. False also for
 * b = 0. */
bool ob__poly_divide(const ob_dims *pool, const ob_poly *a, const ob_poly *b, ob_poly *quotient, ob_poly *rest);
/* A quotient by a term plus a number is divided in one step: floor((floor(x/y) + k)/d) = floor((x + k*y)/(d*y)).
 * OB_DIM_UNKNOWN: a has another form. */
ob_dim ob__poly_unnested(ob_dims *pool, const ob_poly *a, int64_t divisor);
/* out = a without its monomial `at`. */
void ob__poly_without(const ob_poly *a, uint32_t at, ob_poly *out);
/* out = factor * a. */
bool ob__poly_scale(const ob_poly *a, int64_t factor, ob_poly *out);
/* The dim of a polynomial, interned. */
ob_dim ob__poly_store(ob_dims *pool, const ob_poly *poly);
/* Known ranges of sizes: `of` narrows the range of a symbol, initially that of every size. */
typedef struct ob_size_ranges {
    /* NULL: no ranges are known */
    void (*of)(const void *context, ob_dim symbol, int64_t *lowest, int64_t *highest);
    const void *context;
    uint64_t *n_steps; /* counts visited monomials; may be NULL */
} ob_size_ranges;
/* Bounds for all sizes in those ranges (NULL: for all sizes), inclusive; +-OB_DIM_CONST_MAX means infinity. */
void ob__poly_bounds(const ob_dims *pool, const ob_poly *poly, const ob_size_ranges *ranges, int64_t *lowest, int64_t *highest);
void ob__dim_bounds(const ob_dims *pool, ob_dim d, const ob_size_ranges *ranges, int64_t *lowest, int64_t *highest);
/* Assumptions of the user on single sizes, set during inference only. They decide which term is made for min(N, 512),
 * floor(N/32) * 32 or bcast(N, M), but nothing inside a term depends on them. */
typedef struct ob_assumed_sizes {
    ob_size_ranges ranges;
    int64_t (*divisor)(const void *context, ob_dim symbol); /* > 0; every size of the symbol is a multiple of it */
} ob_assumed_sizes;
static inline const ob_size_ranges *ob__assumed_ranges(const ob_dims *pool) {
    return pool && pool->assumed ? &pool->assumed->ranges : NULL;
}
/* ob_condition_decide for the assumed sizes: for decisions about shapes, never for verdicts. */
ob_truth ob__condition_assumed(const ob_dims *pool, const ob_condition *condition);
/* Removes from poly the monomials that are multiples of the divisor under the assumptions, and returns their part of the
 * quotient. */
ob_dim ob__poly_take_multiples(ob_dims *pool, ob_poly *poly, int64_t divisor);
/* c * floor(N/d) is c/d * N if N is assumed to be a multiple of d. */
void ob__poly_join_multiples(const ob_dims *pool, ob_poly *poly);
/* Fills the bounds of a new term from those of its parts. */
void ob__term_bounds(ob_dims *pool, ob_term *term);
/* poly = part * members[i] for the one that counts + rest: finds the only minimum or maximum that is alone in a monomial,
 * removes it from poly and returns its term, otherwise NULL. `kind` is the kind of the result; a negative part exchanges
 * minimum and maximum. */
const ob_term *ob__poly_take_extreme(const ob_dims *pool, ob_poly *poly, ob_dim_kind *kind, int64_t *part);
/* Is it max(members) - min(members), or the opposite? Then a term with these members, else NULL. */
const ob_term *ob__poly_spread(const ob_dims *pool, const ob_poly *poly);
/* The greatest common divisor of `start` and all coefficients, without the constant. */
int64_t ob__poly_gcd(const ob_poly *poly, int64_t start);
int ob__monomial_compare(const ob_monomial *a, const ob_monomial *b);

/* Replaces every symbol by the result of `of` (itself, a number, a term) and normalises again. OB_DIM_UNKNOWN on overflow,
 * beyond the limits, and if `of` returns it; also, with *disagrees set, if two members of a broadcast term become numbers that
 * do not broadcast, or a divisor becomes a number below 1. */
ob_dim ob__dim_replace(ob_dims *pool, ob_dim d, ob_dim (*of)(void *context, ob_dim symbol), void *context, bool *disagrees);

/* The members of a broadcast term, or `d` itself as the one member. `one` is scratch. */
const ob_dim *ob__bcast_members(const ob_dims *pool, const ob_dim *d, uint32_t *n);

/* Bounded text output that continues to count beyond the end of the buffer. */
typedef struct ob_writer {
    char *text;
    size_t room, n;
} ob_writer;

/* Bytes of a name at the start of a text that needs no quotes: a letter, then letters, digits and .:$@#, then optionally a
 * place such as "[0]"; 0: none. */
size_t ob__plain_name(const char *text);
/* Bytes of a symbol's written name, and whether it is quoted. Files may have very long names, and names are written often. */
size_t ob__name_bytes(const char *name, bool *quoted);
/* Writes the name in this form. */
void ob__write_name(ob_writer *writer, const char *name);
void ob__write(ob_writer *writer, const char *text);
void ob__write_int(ob_writer *writer, int64_t value);
void ob__write_dim(ob_writer *writer, const ob_dims *pool, ob_dim d);
/* Writes the term, in parentheses if it is a sum. */
void ob__write_factor(ob_writer *writer, const ob_dims *pool, ob_dim d);
size_t ob__writer_end(ob_writer *writer);
/* As ob_dim_format and ob_condition_format, for sentences: a text that is too long for n_bytes (at most 4096) keeps both ends.
 * Returns the number of bytes without the NUL. */
size_t ob__dim_shown(const ob_dims *pool, ob_dim d, char *text, size_t n_bytes);
size_t ob__condition_shown(const ob_dims *pool, const ob_condition *condition, char *text, size_t n_bytes);

#endif
