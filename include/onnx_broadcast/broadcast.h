/** @defgroup broadcast Broadcasting of shapes
 * @brief The algebra on shapes: one inference, several rule books. Usable without any model.
 *
 * Sources: ONNX docs/Broadcasting.md and the operators' texts; Python array API standard, "Broadcasting"; XLA, "Broadcasting";
 * MLIR, "The Broadcastable Trait"; SONNX, "Broadcast". Where a size is 0 the NumPy rule holds: 0 with 1 is 0, 0 with 0 is 0,
 * 0 with anything else is an error.
 *
 *     int64_t a[] = {8, 1, 6}, b[] = {7, 1};
 *     ob_shape shapes[2] = {{3, a}, {2, b}};
 *     ob_broadcast_result result; // 8, 7, 6
 *     if (ob_broadcast_shapes(shapes, 2, NULL, NULL, NULL, &result, &error) != OB_OK) ...
 *
 * In all functions here: `pool` is the one that terms in the shapes belong to and may be NULL when every dim is a constant;
 * `sink`, with its `context`, may be NULL: then conditions are not reported. Thread-safe as the pool is (@ref dim).
 * @{ */
#ifndef ONNX_BROADCAST_BROADCAST_H
#define ONNX_BROADCAST_BROADCAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/dim.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The highest rank of a concrete shape or view. */
#define OB_MAX_RANK 32
/** The rank of a shape of which nothing is known. */
#define OB_RANK_UNKNOWN (-1)

/** A shape: rank and that many dims. */
typedef struct ob_shape {
    int32_t rank;       /**< 0 .. OB_MAX_RANK; 0 is a scalar; OB_RANK_UNKNOWN */
    const ob_dim *dims; /**< borrows; rank entries, each 0 or more, a term, or OB_DIM_UNKNOWN; NULL for a rank of 0 or unknown */
} ob_shape;

/** Writes the shape as text ("[2, N, 3]", "[]" for a scalar, "[...]" for an unknown rank), dims as ob_dim_format does; `pool` may
 * be NULL when every dim is a constant. Cut to n_bytes with a final NUL; returns the bytes that the whole text needs without the
 * NUL. `text` may be NULL when n_bytes is 0. Thread-safe while the pool does not grow. */
OB_API size_t ob_shape_format(const ob_dims *pool, const ob_shape *shape, char *text, size_t n_bytes);

/* ---- Rule books ---- */

/** One row per rule book: NAME, command-line name. */
#define OB_RULES_LIST(X)                                                                                                         \
    X(ONNX, "onnx")           /**< ONNX docs/Broadcasting.md and the operators */                                                \
    X(NUMPY, "numpy")         /**< NumPy user guide */                                                                           \
    X(ARRAY_API, "array-api") /**< Python array API standard */                                                                  \
    X(MLIR, "mlir")           /**< MLIR, "The Broadcastable Trait" */                                                            \
    X(XLA, "xla")             /**< XLA, "Broadcasting" */                                                                        \
    X(SONNX, "sonnx")         /**< SONNX, "Broadcast" */                                                                         \
    /* the end */

/** A rule book: whose text a broadcast is held against. What each says: docs/rules.md. */
typedef enum ob_rules {
#define OB_RULES_ENUM(name, text) OB_RULES_##name,
    OB_RULES_LIST(OB_RULES_ENUM)
#undef OB_RULES_ENUM
        OB_RULES_COUNT /**< how many there are; no rule book */
} ob_rules;

/** "onnx", "array-api" ... as the commands take it; "unknown" for a number outside the enum. Static; thread-safe. */
OB_API const char *ob_rules_name(ob_rules rules);
/** The rule book with that name; OB_RULES_COUNT when there is none, or for NULL. Thread-safe. */
OB_API ob_rules ob_rules_from_name(const char *name);

/* ---- Inference ---- */

/** Receives a condition that remains undecided: it must hold at run time. `operand` is the index of the operand whose dim is
 * condition->a, `axis` the axis of the result, 0-based. `condition` is valid during the call. Returning anything but OB_OK
 * ends the call with that status. */
typedef ob_status (*ob_condition_sink)(void *context, const ob_condition *condition, size_t operand, int32_t axis);

/** The result of a broadcast or of a mapping. */
typedef struct ob_broadcast_result {
    int32_t rank;             /**< OB_RANK_UNKNOWN when an operand of unknown rank takes part (known dims are then lost) */
    ob_dim dims[OB_MAX_RANK]; /**< rank entries; the rest is undefined */
} ob_broadcast_result;

/** Multidirectional broadcasting of n shapes (ONNX; array API algorithm; MLIR inference; SONNX with the zero rule of NumPy).
 * - shapes: borrows n entries; n 0 gives the scalar shape (array API 2025.12, broadcast_shapes).
 * - sink: receives what could not be decided.
 * - result: written on success only. Any unknown rank makes the result's rank unknown.
 *
 * Errors: E_SHAPE with error->axis (of the result) and a message that names both operands and sizes; E_LIMIT for a rank over
 * OB_MAX_RANK, or more than 32 different terms along one axis; E_ARGUMENT for a negative size, a term that is not of the pool, or
 * NULL; what the sink returned.
 *
 * Every operand that meets a constant c > 1 keeps its own condition, also
 * where a pairwise fold would lose it: {?, 1, 4} gives 4 and "? = 1 or ? = 4". Operands that share a term share its condition. A
 * call that fails has reported no condition. */
OB_API ob_status ob_broadcast_shapes(const ob_shape *shapes, size_t n, ob_dims *pool, ob_condition_sink sink, void *context,
                                     ob_broadcast_result *result, ob_error *error);

/** Unidirectional broadcasting: `from` must broadcast to exactly `to` (ONNX PRelu slope, Gemm C, LayerNormalization; array API
 * in-place rule `x[...] = a`; NumPy broadcast_to). Rank of from <= rank of to, each size equal or 1. Unknown rank on either side:
 * OB_OK. Errors as ob_broadcast_shapes(); error->axis is -1 when the ranks are what does not fit. */
OB_API ob_status ob_broadcast_to(const ob_shape *from, const ob_shape *to, ob_dims *pool, ob_condition_sink sink, void *context,
                                 ob_error *error);

/** XLA's explicit mapping: dimension i of `operand` goes to dimension broadcast_dimensions[i] of a result of rank
 * `result_rank`. n_dimensions must be the operand's rank, entries strictly increasing and within 0 .. result_rank - 1. The
 * aligned shape (rank result_rank, 1 in the dims that are not mapped) is written to `aligned`.
 * An operand of unknown rank gives OB_DIM_UNKNOWN in every mapped dim. Source: XLA, "Broadcasting", explicit mapping.
 *
 * Errors: E_ARGUMENT for every illegal form (count, order, repetition, range), with a message that says which; E_LIMIT for a rank
 * over OB_MAX_RANK. */
OB_API ob_status ob_align_in_dim(const ob_shape *operand, const int64_t *broadcast_dimensions, size_t n_dimensions,
                                 int32_t result_rank, ob_broadcast_result *aligned, ob_error *error);

/** XLA's binary operation: the lower-rank operand is first mapped by broadcast_dimensions onto the rank of the other, then
 * degenerate dimensions broadcast. n_dimensions 0 with different ranks: allowed only for a scalar (the strict principle), else
 * E_SHAPE. Equal ranks: broadcast_dimensions must be absent or the identity. Unknown rank on either side makes the result's
 * unknown. Errors as ob_align_in_dim() and ob_broadcast_shapes(). Source: XLA, "Broadcasting". */
OB_API ob_status ob_broadcast_xla(const ob_shape *lhs, const ob_shape *rhs, const int64_t *broadcast_dimensions,
                                  size_t n_dimensions, ob_dims *pool, ob_condition_sink sink, void *context,
                                  ob_broadcast_result *result, ob_error *error);

/** ONNX opset 1-6 `broadcast`/`axis`: where B's dims go in A. Gives the broadcast_dimensions of B (B's rank entries written to
 * `dimensions`, room for OB_MAX_RANK). axis_given false: suffix matching. A negative axis counts from the end of A's rank. B must
 * be a contiguous run of A's dims, each equal or 1; a B of one element goes anywhere. Source: ONNX Add-1, Add-6. Errors: E_SHAPE
 * (with axis), E_ARGUMENT (also for an unknown rank). */
OB_API ob_status ob_broadcast_legacy(const ob_shape *a, const ob_shape *b, bool axis_given, int64_t axis, ob_dims *pool,
                                     ob_condition_sink sink, void *context, int64_t *dimensions, ob_error *error);

/** MLIR's result shape: operands of unknown rank are discarded; none ranked gives unknown rank. Dynamic dims are any term that is
 * not a constant. A dim of 0, which the MLIR text does not classify, follows the NumPy rule. n 0: E_ARGUMENT; else errors as
 * ob_broadcast_shapes(). Source: MLIR, "The Broadcastable Trait". */
OB_API ob_status ob_broadcast_mlir(const ob_shape *shapes, size_t n, ob_dims *pool, ob_condition_sink sink, void *context,
                                   ob_broadcast_result *result, ob_error *error);
/** MLIR's verification of a declared result against the operands: E_SHAPE with axis when the table says so (rank, dynamic
 * inferred but static declared, different static sizes). Errors otherwise as ob_broadcast_mlir(). */
OB_API ob_status ob_verify_mlir(const ob_shape *operands, size_t n, const ob_shape *declared, ob_dims *pool, ob_error *error);

/* ---- What a rule book says about one broadcast ---- */

/** How much a finding matters. */
typedef enum ob_severity {
    OB_SEVERITY_NONE,    /**< not at all */
    OB_SEVERITY_NOTE,    /**< worth knowing */
    OB_SEVERITY_WARNING, /**< legal, and probably not meant or not portable */
    OB_SEVERITY_ERROR    /**< against the rules: it will not run, or not the same everywhere */
} ob_severity;

/** A departure of a broadcast from a rule book. */
typedef struct ob_rule_break {
    ob_severity severity; /**< what the rule book makes of it */
    const char *id;       /**< finding id, for instance "OB0301"; static */
    size_t operand;       /**< which operand, or SIZE_MAX */
    int32_t axis;         /**< of the result, or -1 */
    char message[256];    /**< one sentence, terminated */
} ob_rule_break;

/** Receives one departure; `broken` is valid during the call. */
typedef void (*ob_rule_sink)(void *context, const ob_rule_break *broken);

/** Reports each departure of a (legal by NumPy) broadcast of n operands from `rules`, for instance different ranks in xla, a size
 * of 0 that the SONNX maximum rule refuses, a declared static result over a dynamic inferred one in mlir. `declared` may be NULL.
 * OB_RULES_ONNX, OB_RULES_NUMPY and OB_RULES_ARRAY_API allow everything that ob_broadcast_shapes() allows.
 * Errors: E_ARGUMENT (no such rule book, sink or operands NULL, a declared shape that is none); those of ob_broadcast_mlir(),
 * E_SHAPE among them for a broadcast that NumPy does not allow. */
OB_API ob_status ob_rules_check(ob_rules rules, const ob_shape *operands, size_t n, const ob_shape *declared, ob_dims *pool,
                                ob_rule_sink sink, void *context, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
