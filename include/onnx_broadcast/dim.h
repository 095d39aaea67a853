/** @defgroup dim Dimensions
 * @brief Sizes as terms: numbers, symbols, sums, products, quotients, minima, maxima; and the conditions between them.
 *
 * An ob_dim is a 64-bit word. Sizes that are plain numbers are themselves, so an array of int64_t sizes is a valid array
 * of ob_dim. Everything else (symbols, sums, products, quotients, minima, maxima, broadcast terms) is a handle into an ob_dims
 * pool that owns it; equal terms have equal handles (hash-consing), so `==` decides syntactic equality after normalisation.
 * Symbols stand for sizes: every symbol is at least 0.
 *
 *     ob_dims *pool;
 *     if (ob_dims_create(NULL, &pool) != OB_OK) ...
 *     ob_dim n = ob_dim_symbol(pool, "N"), rows = ob_dim_add(pool, ob_dim_mul(pool, 2, n), 1); // 2*N + 1
 *     int64_t size;
 *     ob_dim_eval(pool, rows, &(ob_binding){n, 4}, 1, &size); // 9
 *     ob_dims_destroy(&pool);
 *
 * A pool is for one thread while it may grow (every function that takes `ob_dims *`); functions that take `const ob_dims *` may
 * be called from several threads at once.
 * @{ */
#ifndef ONNX_BROADCAST_DIM_H
#define ONNX_BROADCAST_DIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A dimension: a constant, a term of a pool, or OB_DIM_UNKNOWN. Terms of different pools do not mix. */
typedef int64_t ob_dim;

/** Nothing is known, not even an identity: two unknown dims are never provably equal. */
#define OB_DIM_UNKNOWN INT64_MIN
/** Constants lie in -OB_DIM_CONST_MAX .. OB_DIM_CONST_MAX; larger words are terms of a pool. Negative constants occur as
 * elements of shape tensors (Reshape's -1), never as sizes. */
#define OB_DIM_CONST_MAX (INT64_C(0x3fffffffffffffff))

/** True for a plain number, negative ones included. */
static inline bool ob_dim_is_const(ob_dim d) {
    return d >= -OB_DIM_CONST_MAX && d <= OB_DIM_CONST_MAX;
}

/** True for a handle into a pool; OB_DIM_UNKNOWN is neither constant nor term. */
static inline bool ob_dim_is_term(ob_dim d) {
    return d > OB_DIM_CONST_MAX;
}

/** The pool of symbols and terms. Grows only. */
typedef struct ob_dims ob_dims;

/** What a dimension is made of. */
typedef enum ob_dim_kind {
    OB_DIM_KIND_UNKNOWN, /**< OB_DIM_UNKNOWN, or no term of the pool */
    OB_DIM_KIND_CONST,   /**< a number */
    OB_DIM_KIND_SYMBOL,  /**< a name, or an anonymous size ("?7") */
    OB_DIM_KIND_SUM,     /**< sum of constant multiples of products of symbols and atoms, with a constant */
    OB_DIM_KIND_DIV,     /**< floor(a / c), c > 0 constant */
    OB_DIM_KIND_BCAST,   /**< the common size of two or more dims that are asserted to broadcast with each other */
    OB_DIM_KIND_MIN,     /**< the least of two or more dims */
    OB_DIM_KIND_MAX,     /**< the greatest of two or more dims */
    OB_DIM_KIND_QUOTIENT /**< floor(a / b), b a term; undefined where b is below 1 */
} ob_dim_kind;

/** Creates an empty pool. `allocator` NULL: the default. Returns owned: ob_dims_destroy. E_MEMORY, E_ARGUMENT (out NULL). */
OB_API ob_status ob_dims_create(const ob_allocator *allocator, ob_dims **out);
/** Frees the pool and sets *pool to NULL. NULL and *NULL are allowed. */
OB_API void ob_dims_destroy(ob_dims **pool);
/** OB_OK, or E_MEMORY or E_LIMIT once any call below had to give OB_DIM_UNKNOWN for want of memory or of room (2^27 terms).
 * OB_DIM_UNKNOWN is always a sound answer, so callers may go on and look here once at the end. NULL gives
 * OB_OK. */
OB_API ob_status ob_dims_status(const ob_dims *pool);

/** The symbol called `name` (UTF-8, copied on first use): same name, same symbol. "", NULL and want of memory give
 * OB_DIM_UNKNOWN. */
OB_API ob_dim ob_dim_symbol(ob_dims *pool, const char *name);
/** The symbol called `name` if the pool has it already, for pools that are only read, such as ob_report_dims() and
 * ob_session_dims(): with a size it makes an ob_binding for ob_dim_eval and ob_condition_eval. OB_DIM_UNKNOWN when there is none,
 * and for NULL. Safe in several threads while nobody writes to the pool. */
OB_API ob_dim ob_dim_find(const ob_dims *pool, const char *name);
/** A new anonymous size, different from every other term; written "?1", "?2" ... It is equal to itself, which is what
 * distinguishes it from OB_DIM_UNKNOWN. */
OB_API ob_dim ob_dim_fresh(ob_dims *pool);
/** True for a symbol made by ob_dim_symbol (not for an anonymous one). */
OB_API bool ob_dim_is_named(const ob_dims *pool, ob_dim d);
/** True when the term mentions an anonymous size or is OB_DIM_UNKNOWN: it cannot be evaluated from named symbols alone. */
OB_API bool ob_dim_is_anonymous(const ob_dims *pool, ob_dim d);
/** What `d` is made of. pool may be NULL: then every term is OB_DIM_KIND_UNKNOWN. */
OB_API ob_dim_kind ob_dim_get_kind(const ob_dims *pool, ob_dim d);

/** a + b in normal form. For all arithmetic here: an operand OB_DIM_UNKNOWN, an overflow, want of memory or a term that grows too
 * large or too deep gives OB_DIM_UNKNOWN; `pool` may be NULL while every operand is a constant. */
OB_API ob_dim ob_dim_add(ob_dims *pool, ob_dim a, ob_dim b);
/** a - b in normal form. */
OB_API ob_dim ob_dim_sub(ob_dims *pool, ob_dim a, ob_dim b);
/** a * b in normal form. */
OB_API ob_dim ob_dim_mul(ob_dims *pool, ob_dim a, ob_dim b);
/** floor(a / divisor), rounded down also below 0; divisor != 0 (0 gives OB_DIM_UNKNOWN). */
OB_API ob_dim ob_dim_div(ob_dims *pool, ob_dim a, int64_t divisor);
/** floor(a / b), rounded down also below 0, *asserting* that b is 1 or more: whoever divides by a size has asked for that. By a
 * number as ob_dim_div; else in normal form: what b divides comes out, floor((N + 2*M) / M) is floor(N / M) + 2, and what both
 * share is left out. A number b below 1 gives OB_DIM_UNKNOWN. */
OB_API ob_dim ob_dim_quotient(ob_dims *pool, ob_dim a, ob_dim b);
/** a / b when b is known to divide a as a term (N*H / N is H, for N > 0), else OB_DIM_UNKNOWN. For Reshape's -1 (ONNX Reshape).
 */
OB_API ob_dim ob_dim_div_exact(ob_dims *pool, ob_dim a, ob_dim b);
/** ceil(a / divisor), divisor > 0. */
OB_API ob_dim ob_dim_ceil_div(ob_dims *pool, ob_dim a, int64_t divisor);
/** The common size of a and b, *asserting* that they broadcast: 1 is neutral, equal terms are themselves, a constant other
 * than 1 wins over a term and over OB_DIM_UNKNOWN, else a broadcast term (a set: commutative, associative, idempotent). Two
 * different constants, neither 1, give OB_DIM_UNKNOWN: check with ob_condition_decide first. 0 follows NumPy: bcast(0, 1) = 0. */
OB_API ob_dim ob_dim_bcast(ob_dims *pool, ob_dim a, ob_dim b);
/** The least of a and b in normal form: a set like ob_dim_bcast (commutative, associative, idempotent), without members that are
 * never less than another, and with what all members have in common taken out of it: min(N + 2, M + 5) is min(N, M + 3) + 2. */
OB_API ob_dim ob_dim_min(ob_dims *pool, ob_dim a, ob_dim b);
/** The greatest of a and b, as ob_dim_min. */
OB_API ob_dim ob_dim_max(ob_dims *pool, ob_dim a, ob_dim b);

/** Provable bounds, inclusive: a symbol is 0 .. OB_DIM_CONST_MAX. OB_DIM_UNKNOWN: the full constant range. No pointer but the
 * pool's may be NULL. */
OB_API void ob_dim_bounds(const ob_dims *pool, ob_dim d, int64_t *lowest, int64_t *highest);

/** A value for a symbol. */
typedef struct ob_binding {
    ob_dim symbol; /**< from ob_dim_symbol or ob_dim_fresh */
    int64_t size;  /**< 0 .. OB_DIM_CONST_MAX */
} ob_binding;

/** A size for a symbol of a model, by its name in the model's shapes. */
typedef struct ob_named_size {
    const char *name; /**< of the symbol, not empty, or by place for a size of an input without a name: "x[0]"; one that the model
                         does not have is E_NOT_FOUND. Borrowed for the call */
    int64_t size;     /**< 0 .. OB_DIM_CONST_MAX */
} ob_named_size;

/** Evaluates `d` under the bindings (n_bindings entries, NULL with 0). Errors: E_NOT_FOUND (a symbol without a binding,
 * OB_DIM_UNKNOWN), E_LIMIT (overflow), E_SHAPE (under these sizes members of a broadcast term do not broadcast, or a divisor is
 * below 1), E_ARGUMENT (out NULL, a size out of range). */
OB_API ob_status ob_dim_eval(const ob_dims *pool, ob_dim d, const ob_binding *bindings, size_t n_bindings, int64_t *out);
/** Replaces bound symbols by their sizes and normalises again; unbound symbols stay. OB_DIM_UNKNOWN for a size out of range or
 * for a term that is undefined under these sizes, as ob_dim_eval says. */
OB_API ob_dim ob_dim_substitute(ob_dims *pool, ob_dim d, const ob_binding *bindings, size_t n_bindings);

/** Calls `visit` once for each symbol in the term, in order of first appearance, until it returns false. It may make terms. */
OB_API void ob_dim_symbols(const ob_dims *pool, ob_dim d, bool (*visit)(void *context, ob_dim symbol), void *context);

/** Writes the term as text ("4", "N", "2*N + 1", "ceil(H/2)", "floor(N/M)", "(H + 1) % 32", "min(N, 512)", "bcast(N, M)", "?"
 * for unknown) with a final NUL, cut to n_bytes; returns the bytes the whole text needs without the NUL. `text` may be NULL when
 * n_bytes is 0. */
OB_API size_t ob_dim_format(const ob_dims *pool, ob_dim d, char *text, size_t n_bytes);

/* ---- Conditions: what must hold at run time ---- */

/** The relation between the two dims of a condition. */
typedef enum ob_condition_kind {
    OB_COND_EQUAL,        /**< a = b */
    OB_COND_BROADCAST,    /**< a = b, or a = 1, or b = 1   (ONNX multidirectional, array API) */
    OB_COND_BROADCAST_TO, /**< a = b, or a = 1             (ONNX unidirectional; in-place; b is the result) */
    OB_COND_DIVISIBLE,    /**< b > 0 and a is a multiple of b */
    OB_COND_AT_LEAST      /**< a >= b */
} ob_condition_kind;

/** Something that must hold between two dims. */
typedef struct ob_condition {
    ob_condition_kind kind; /**< the relation */
    ob_dim a;               /**< its left side */
    ob_dim b;               /**< its right side */
} ob_condition;

/** Three-valued truth. */
typedef enum ob_truth {
    OB_FALSE = 0,    /**< for no sizes */
    OB_TRUE = 1,     /**< for all sizes */
    OB_UNDECIDED = 2 /**< for some, or not provable */
} ob_truth;

/** Decides a condition for all sizes that its symbols can take: TRUE for every one, FALSE for none, else UNDECIDED. A broadcast
 * term is taken at its word: its members broadcast, as whoever made it has asserted, so "N broadcasts to bcast(N, M)" is TRUE. So
 * is a quotient: its divisor is 1 or more.
 * NULL is UNDECIDED. */
OB_API ob_truth ob_condition_decide(const ob_dims *pool, const ob_condition *condition);
/** Tests a condition under bindings: *holds. Errors as ob_dim_eval(), except that E_SHAPE becomes *holds = false. */
OB_API ob_status ob_condition_eval(const ob_dims *pool, const ob_condition *condition, const ob_binding *bindings,
                                   size_t n_bindings, bool *holds);
/** Text such as "N = 1 or N = 5", "batch = target or batch = 1 or target = 1"; conventions of ob_dim_format(). Alternatives that
 * cannot hold (5 = 1) are left out. */
OB_API size_t ob_condition_format(const ob_dims *pool, const ob_condition *condition, char *text, size_t n_bytes);

/** The most conditions that one text can hold. */
#define OB_CONDITION_PARSE_MAX 8

/** Reads conditions such as "batch >= 1", "1 <= N <= 512", "N = 2*M + 1", "height % 32 = 0", "N in {1, 3}", "N = M or N = 1",
 * also several between commas or "and".
 * - text: terms as ob_dim_format() writes them, and conditions as ob_condition_format() does; also "==", "<", ">", "a // 2".
 * Names of sizes as they are ("batch", "x[0]"), in quotes when they hold anything but letters, digits and ".:$@#". At most 4096
 * bytes.
 * - known: true: a name that is no symbol of the pool is E_NOT_FOUND; false: it becomes one.
 * - out: room for OB_CONDITION_PARSE_MAX conditions, all of which must hold.
 * - n: how many there are.
 *
 * "a < b" becomes a + 1 <= b; "a % c = r" says that a - r is a multiple of c, 0 <= r < c; other alternatives than those of a
 * broadcast become an equation: (N - 3)*(N - 5) = 0. Errors: E_FORMAT (not of the form; the message names the position, in
 * bytes from 1), E_NOT_FOUND, E_LIMIT (too long, too deep, a term too large), E_ARGUMENT (NULL), E_MEMORY. On failure *out and *n
 * stay; the pool may have grown. */
OB_API ob_status ob_condition_parse(ob_dims *pool, const char *text, bool known, ob_condition *out, size_t *n, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
