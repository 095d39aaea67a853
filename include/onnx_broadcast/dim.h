/** @defgroup dim Dimensions
 * @brief Symbolic sizes (numbers, symbols, sums, products, quotients, minima, maxima), and conditions between them.
 *
 * An ob_dim is a 64-bit word. A size that is a plain number is stored as this number, so an array of int64_t sizes is a valid
 * array of ob_dim. All other dims (symbols, sums, products, quotients, minima, maxima, broadcast terms) are handles into an
 * ob_dims pool, which owns the terms. Equal terms have equal handles (hash-consing), so `==` decides syntactic equality after
 * normalisation. A symbol stands for a size and is at least 0.
 *
 *     ob_dims *pool;
 *     if (ob_dims_create(NULL, &pool) != OB_OK) ...
 *     ob_dim n = ob_dim_symbol(pool, "N"), rows = ob_dim_add(pool, ob_dim_mul(pool, 2, n), 1); // 2*N + 1
 *     int64_t size;
 *     ob_dim_eval(pool, rows, &(ob_binding){n, 4}, 1, &size); // 9
 *     ob_dims_destroy(&pool);
 *
 * Threads: functions that take `ob_dims *` may let the pool grow; only one thread at a time may call them. Several threads may
 * call functions that take `const ob_dims *` at the same time.
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

/** A dimension: a constant, a term of a pool, or OB_DIM_UNKNOWN. Terms of different pools must not be combined. */
typedef int64_t ob_dim;

/** An unknown size, without an identity: two unknown dims are never provably equal. */
#define OB_DIM_UNKNOWN INT64_MIN
/** Constants are in -OB_DIM_CONST_MAX .. OB_DIM_CONST_MAX; larger words are terms of a pool. Negative constants occur only as
 * elements of shape tensors (-1 in Reshape), never as sizes. */
#define OB_DIM_CONST_MAX (INT64_C(0x3fffffffffffffff))

/** True for a plain number, including negative ones. */
static inline bool ob_dim_is_const(ob_dim d) {
    return d >= -OB_DIM_CONST_MAX && d <= OB_DIM_CONST_MAX;
}

/** True for a handle into a pool. OB_DIM_UNKNOWN is neither a constant nor a term. */
static inline bool ob_dim_is_term(ob_dim d) {
    return d > OB_DIM_CONST_MAX;
}

/** The pool of symbols and terms. It only grows. */
typedef struct ob_dims ob_dims;

/** The kind of a dimension. */
typedef enum ob_dim_kind {
    OB_DIM_KIND_UNKNOWN, /**< OB_DIM_UNKNOWN, or not a term of the pool */
    OB_DIM_KIND_CONST,   /**< a number */
    OB_DIM_KIND_SYMBOL,  /**< a named symbol, or an anonymous size ("?7") */
    OB_DIM_KIND_SUM,     /**< a constant plus a sum of products, each with a constant factor, of symbols and other terms */
    OB_DIM_KIND_DIV,     /**< floor(a / c), c > 0 constant */
    OB_DIM_KIND_BCAST,   /**< the common size of two or more dims that are asserted to broadcast against each other */
    OB_DIM_KIND_MIN,     /**< the minimum of two or more dims */
    OB_DIM_KIND_MAX,     /**< the maximum of two or more dims */
    OB_DIM_KIND_QUOTIENT /**< floor(a / b), where b is a term; undefined when b is below 1 */
} ob_dim_kind;

/** Creates an empty pool. `allocator` NULL: the default. Returns owned: ob_dims_destroy(). Errors: E_MEMORY, E_ARGUMENT (out
 * is NULL). */
OB_API ob_status ob_dims_create(const ob_allocator *allocator, ob_dims **out);
/** Frees the pool and sets *pool to NULL. NULL and *NULL are allowed. */
OB_API void ob_dims_destroy(ob_dims **pool);
/** The error state of the pool. E_MEMORY or E_LIMIT when any call below had to return OB_DIM_UNKNOWN because memory ran out or
 * the pool is full (2^27 terms), else OB_OK. OB_DIM_UNKNOWN is always a correct answer, so a caller can continue and check the
 * state once at the end. NULL gives OB_OK. */
OB_API ob_status ob_dims_status(const ob_dims *pool);

/** The symbol with this name (UTF-8, copied on first use). The same name gives the same symbol. OB_DIM_UNKNOWN for "" and
 * NULL, and when memory runs out. */
OB_API ob_dim ob_dim_symbol(ob_dims *pool, const char *name);
/** The symbol with this name if the pool already has it, else OB_DIM_UNKNOWN; also OB_DIM_UNKNOWN for NULL. Use it for
 * read-only pools such as ob_report_dims() and ob_session_dims(): the symbol and a size make an ob_binding for ob_dim_eval()
 * and ob_condition_eval(). Several threads may call it while no thread changes the pool. */
OB_API ob_dim ob_dim_find(const ob_dims *pool, const char *name);
/** A new anonymous size, different from every other term, printed as "?1", "?2" ... Unlike OB_DIM_UNKNOWN it is equal to
 * itself. */
OB_API ob_dim ob_dim_fresh(ob_dims *pool);
/** True for a symbol from ob_dim_symbol(), false for an anonymous one. */
OB_API bool ob_dim_is_named(const ob_dims *pool, ob_dim d);
/** True when the term contains an anonymous size or is OB_DIM_UNKNOWN. Such a term cannot be evaluated from named symbols
 * alone. */
OB_API bool ob_dim_is_anonymous(const ob_dims *pool, ob_dim d);
/** The kind of `d`. pool may be NULL: every term is then OB_DIM_KIND_UNKNOWN. */
OB_API ob_dim_kind ob_dim_get_kind(const ob_dims *pool, ob_dim d);

/** a + b in normal form. Unless stated otherwise, the arithmetic functions return OB_DIM_UNKNOWN when an operand is
 * OB_DIM_UNKNOWN, on overflow, when memory runs out, and when the term becomes too large or too deep. `pool` may be NULL when
 * every operand is a constant. */
OB_API ob_dim ob_dim_add(ob_dims *pool, ob_dim a, ob_dim b);
/** a - b in normal form. */
OB_API ob_dim ob_dim_sub(ob_dims *pool, ob_dim a, ob_dim b);
/** a * b in normal form. */
OB_API ob_dim ob_dim_mul(ob_dims *pool, ob_dim a, ob_dim b);
/** floor(a / divisor), rounded down also for negative values. OB_DIM_UNKNOWN for divisor 0. */
OB_API ob_dim ob_dim_div(ob_dims *pool, ob_dim a, int64_t divisor);
/** floor(a / b), rounded down also for negative values. The function *asserts* that b is 1 or more, because a division by a
 * size requires this. For a number b as ob_dim_div(); a number below 1 gives OB_DIM_UNKNOWN. Otherwise the result is in normal
 * form: multiples of b are taken out of the quotient (floor((N + 2*M) / M) is floor(N / M) + 2), and common factors are
 * cancelled. */
OB_API ob_dim ob_dim_quotient(ob_dims *pool, ob_dim a, ob_dim b);
/** a / b when b is known to divide a as a term (N*H / N is H, for N > 0), else OB_DIM_UNKNOWN. Used for -1 in Reshape (ONNX
 * Reshape). */
OB_API ob_dim ob_dim_div_exact(ob_dims *pool, ob_dim a, ob_dim b);
/** ceil(a / divisor), divisor > 0. */
OB_API ob_dim ob_dim_ceil_div(ob_dims *pool, ob_dim a, int64_t divisor);
/** The common size of a and b. The function *asserts* that they broadcast. 1 is neutral. Equal terms give this term. A
 * constant other than 1 takes precedence over a term and over OB_DIM_UNKNOWN. All other pairs give a broadcast term (a set:
 * commutative, associative, idempotent). Two different constants, neither of which is 1, give OB_DIM_UNKNOWN: check with
 * ob_condition_decide() first. 0 follows NumPy: bcast(0, 1) = 0. */
OB_API ob_dim ob_dim_bcast(ob_dims *pool, ob_dim a, ob_dim b);
/** The minimum of a and b in normal form: a set as in ob_dim_bcast() (commutative, associative, idempotent). Members that are
 * never smaller than another member are removed, and a common part of all members is taken out: min(N + 2, M + 5) is min(N, M
 * + 3) + 2. */
OB_API ob_dim ob_dim_min(ob_dims *pool, ob_dim a, ob_dim b);
/** The maximum of a and b, as ob_dim_min(). */
OB_API ob_dim ob_dim_max(ob_dims *pool, ob_dim a, ob_dim b);

/** Provable inclusive bounds of `d`. A symbol is in 0 .. OB_DIM_CONST_MAX. OB_DIM_UNKNOWN has the full range of constants.
 * Only pool may be NULL. */
OB_API void ob_dim_bounds(const ob_dims *pool, ob_dim d, int64_t *lowest, int64_t *highest);

/** A size for a symbol. */
typedef struct ob_binding {
    ob_dim symbol; /**< from ob_dim_symbol() or ob_dim_fresh() */
    int64_t size;  /**< 0 .. OB_DIM_CONST_MAX */
} ob_binding;

/** A size for a symbol of a model, by its name in the model's shapes. */
typedef struct ob_named_size {
    /** Name of the symbol, not empty. An input size without a name has its name by place: "x[0]". A name that the model does
     * not have is E_NOT_FOUND. Borrowed during the call */
    const char *name;
    int64_t size; /**< 0 .. OB_DIM_CONST_MAX */
} ob_named_size;

/** Evaluates `d` with the bindings (n_bindings entries, NULL with 0). Errors: E_NOT_FOUND (a symbol without a binding,
 * OB_DIM_UNKNOWN), E_LIMIT (overflow), E_SHAPE (with these sizes members of a broadcast term do not broadcast, or a divisor is
 * below 1), E_ARGUMENT (out is NULL, a size out of range). */
OB_API ob_status ob_dim_eval(const ob_dims *pool, ob_dim d, const ob_binding *bindings, size_t n_bindings, int64_t *out);
/** Replaces bound symbols by their sizes and normalises again. Symbols without a binding stay. OB_DIM_UNKNOWN for a size out
 * of range, and for a term that is undefined for these sizes as in ob_dim_eval(). */
OB_API ob_dim ob_dim_substitute(ob_dims *pool, ob_dim d, const ob_binding *bindings, size_t n_bindings);

/** Calls `visit` once for each symbol in the term, in order of first appearance, until it returns false. `visit` may create
 * terms. */
OB_API void ob_dim_symbols(const ob_dims *pool, ob_dim d, bool (*visit)(void *context, ob_dim symbol), void *context);

/** Prints the term as text ("4", "N", "2*N + 1", "ceil(H/2)", "floor(N/M)", "(H + 1) % 32", "min(N, 512)", "bcast(N, M)", "?"
 * for unknown) with a final NUL, cut to n_bytes. Returns the length of the complete text without the NUL. `text` may be NULL
 * when n_bytes is 0. */
OB_API size_t ob_dim_format(const ob_dims *pool, ob_dim d, char *text, size_t n_bytes);

/* ---- Conditions: requirements at run time ---- */

/** The relation between the two dims of a condition. */
typedef enum ob_condition_kind {
    OB_COND_EQUAL,        /**< a = b */
    OB_COND_BROADCAST,    /**< a = b, or a = 1, or b = 1   (ONNX multidirectional, array API) */
    OB_COND_BROADCAST_TO, /**< a = b, or a = 1             (ONNX unidirectional; in-place; b is the result) */
    OB_COND_DIVISIBLE,    /**< b > 0 and a is a multiple of b */
    OB_COND_AT_LEAST      /**< a >= b */
} ob_condition_kind;

/** A requirement on two dims. */
typedef struct ob_condition {
    ob_condition_kind kind; /**< relation between a and b */
    ob_dim a;               /**< left side */
    ob_dim b;               /**< right side */
} ob_condition;

/** Three-valued truth. */
typedef enum ob_truth {
    OB_FALSE = 0,    /**< the condition holds for no sizes */
    OB_TRUE = 1,     /**< the condition holds for all sizes */
    OB_UNDECIDED = 2 /**< the condition holds for some sizes, or no proof was found */
} ob_truth;

/** Decides a condition for all sizes of its symbols: OB_TRUE when it holds for all sizes, OB_FALSE when it holds for none,
 * else OB_UNDECIDED. The assertions of terms count as true: the members of a broadcast term broadcast, so "N broadcasts to
 * bcast(N, M)" is OB_TRUE, and the divisor of a quotient is 1 or more. NULL is OB_UNDECIDED. */
OB_API ob_truth ob_condition_decide(const ob_dims *pool, const ob_condition *condition);
/** Tests a condition with the bindings and writes the result to *holds. Errors as ob_dim_eval(), but instead of E_SHAPE *holds
 * becomes false. */
OB_API ob_status ob_condition_eval(const ob_dims *pool, const ob_condition *condition, const ob_binding *bindings,
                                   size_t n_bindings, bool *holds);
/** Prints the condition as text, for example "N = 1 or N = 5" or "batch = target or batch = 1 or target = 1". Parameters and
 * result as in ob_dim_format(). Alternatives that cannot hold (5 = 1) are omitted. */
OB_API size_t ob_condition_format(const ob_dims *pool, const ob_condition *condition, char *text, size_t n_bytes);

/** Maximum number of conditions in one text. */
#define OB_CONDITION_PARSE_MAX 8

/** Parses conditions such as "batch >= 1", "1 <= N <= 512", "N = 2*M + 1", "height % 32 = 0", "N in {1, 3}", "N = M or N = 1".
 * Several conditions are separated by commas or "and".
 * - text: terms as ob_dim_format() prints them and conditions as ob_condition_format() prints them; also "==", "<", ">", "a //
 *   2". Names of sizes are written directly ("batch", "x[0]"), or in quotes when they contain other characters than letters,
 *   digits and ".:$@#". At most 4096 bytes.
 * - known: true: a name that is not a symbol of the pool is E_NOT_FOUND; false: it becomes a new symbol.
 * - out: array of OB_CONDITION_PARSE_MAX conditions, all of which must hold.
 * - n: number of conditions written.
 *
 * "a < b" becomes a + 1 <= b. "a % c = r" becomes: a - r is a multiple of c, with 0 <= r < c. Alternatives other than those of
 * a broadcast become an equation: (N - 3)*(N - 5) = 0.
 *
 * Errors: E_FORMAT (syntax error; the message gives the position in bytes, starting at 1), E_NOT_FOUND, E_LIMIT (text too
 * long, too deep, or a term too large), E_UNSUPPORTED (a term, in a build without them), E_ARGUMENT (NULL), E_MEMORY. On failure
 * *out and *n do not change; the pool may have grown. */
OB_API ob_status ob_condition_parse(ob_dims *pool, const char *text, bool known, ob_condition *out, size_t *n, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
