/** @file
 * The broadcast algebra on shapes: one inference, several rule books. Usable without any model.
 *
 * Sources: ONNX docs/Broadcasting.md and the operators' texts; Python array API standard, "Broadcasting"; XLA, "Broadcasting";
 * MLIR, "The Broadcastable Trait"; SONNX, "Broadcast". Where a size is 0 the NumPy rule holds: 0 with 1 is 0, 0 with 0 is 0,
 * 0 with anything else is an error. */
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
#define OB_MAX_RANK     32
#define OB_RANK_UNKNOWN (-1)

/** A shape: rank and that many dims; rank 0 is a scalar (dims may be NULL), OB_RANK_UNKNOWN is "nothing known" (dims NULL).
 * Borrows dims. */
typedef struct ob_shape {
    int32_t rank;
    const ob_dim *dims;
} ob_shape;

/** Writes the shape as text ("[2, N, 3]", "[]" for a scalar, "[...]" for an unknown rank), dims as ob_dim_format does; `pool` may
 * be NULL when every dim is a constant. Cut to n_bytes with a final NUL; returns the bytes that the whole text needs without the
 * NUL. `text` may be NULL when n_bytes is 0. Thread-safe while the pool does not grow. */
OB_API size_t ob_shape_format(const ob_dims *pool, const ob_shape *shape, char *text, size_t n_bytes);

/* ---- Rule books ---------------------------------------------------------------------------------------------- */

/** One row per rule book: NAME, command-line name. */
#define OB_RULES_LIST(X)                                                                                                         \
    X(ONNX, "onnx")                                                                                                              \
    X(NUMPY, "numpy")                                                                                                            \
    X(ARRAY_API, "array-api")                                                                                                    \
    X(MLIR, "mlir")                                                                                                              \
    X(XLA, "xla")                                                                                                                \
    X(SONNX, "sonnx")

typedef enum ob_rules {
#define OB_RULES_ENUM(name, text) OB_RULES_##name,
    OB_RULES_LIST(OB_RULES_ENUM)
#undef OB_RULES_ENUM
        OB_RULES_COUNT
} ob_rules;

OB_API const char *ob_rules_name(ob_rules rules);
/** OB_RULES_COUNT when there is no such rule book. */
OB_API ob_rules ob_rules_from_name(const char *name);

/* ---- Inference ----------------------------------------------------------------------------------------------- */

/** Receives a condition that remains undecided: it must hold at run time. `operand` is the index of the operand whose dim is
 * condition->a, `axis` the axis of the result. Returning anything but OB_OK ends the call with that status. */
typedef ob_status (*ob_condition_sink)(void *context, const ob_condition *condition, size_t operand, int32_t axis);

/** The result of a broadcast or of a mapping. dims has room for OB_MAX_RANK entries. */
typedef struct ob_broadcast_result {
    int32_t rank; /**< OB_RANK_UNKNOWN when an operand of unknown rank takes part (known dims are then lost) */
    ob_dim dims[OB_MAX_RANK];
} ob_broadcast_result;

/** Multidirectional broadcasting of n shapes (ONNX; array API algorithm; MLIR inference; SONNX with the zero rule of NumPy).
 * - shapes: borrows n entries; n 0 gives the scalar shape (array API 2025.12, broadcast_shapes).
 * - pool: may be NULL when every dim is a constant; then conditions cannot arise.
 * - sink: receives what could not be decided; NULL: undecided conditions are not reported.
 * - result: written on success only. Any unknown rank makes the result's rank unknown.
 * Errors: E_SHAPE with error->axis (of the result) and a message that names both operands and sizes; E_LIMIT for a rank over
 * OB_MAX_RANK; E_ARGUMENT for a negative size or NULL. Every operand that meets a constant c > 1 keeps its own condition, also
 * where a pairwise fold would lose it: {?, 1, 4} gives 4 and "? = 1 or ? = 4". Operands that share a term share its condition. A
 * call that fails has reported no condition. */
OB_API ob_status ob_broadcast_shapes(const ob_shape *shapes, size_t n, ob_dims *pool, ob_condition_sink sink, void *context,
                                     ob_broadcast_result *result, ob_error *error);

/** Unidirectional broadcasting: `from` must broadcast to exactly `to` (ONNX PRelu slope, Gemm C, LayerNormalization; array API
 * in-place rule `x[...] = a`; NumPy broadcast_to). Rank of from <= rank of to, each size equal or 1. Unknown rank on either side:
 * OB_OK. Errors as above. */
OB_API ob_status ob_broadcast_to(const ob_shape *from, const ob_shape *to, ob_dims *pool, ob_condition_sink sink, void *context,
                                 ob_error *error);

/** XLA's explicit mapping: dimension i of `operand` goes to dimension broadcast_dimensions[i] of a result of rank
 * `result_rank`. n_dimensions must be the operand's rank, entries strictly increasing and within 0 .. result_rank - 1. The
 * aligned shape (rank result_rank, 1 in the dims that are not mapped) is written to `aligned`.
 * Errors: E_ARGUMENT for every illegal form (count, order, repetition, range), with a message that says which. */
OB_API ob_status ob_align_in_dim(const ob_shape *operand, const int64_t *broadcast_dimensions, size_t n_dimensions,
                                 int32_t result_rank, ob_broadcast_result *aligned, ob_error *error);

/** XLA's binary operation: the lower-rank operand is first mapped by broadcast_dimensions onto the rank of the other, then
 * degenerate dimensions broadcast. n_dimensions 0 with different ranks: allowed only for a scalar (the strict principle), else
 * E_SHAPE. Equal ranks: broadcast_dimensions must be absent or the identity. */
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
 * not a constant. A dim of 0, which the MLIR text does not classify, follows the NumPy rule. */
OB_API ob_status ob_broadcast_mlir(const ob_shape *shapes, size_t n, ob_dims *pool, ob_condition_sink sink, void *context,
                                   ob_broadcast_result *result, ob_error *error);
/** MLIR's verification of a declared result against the operands: E_SHAPE with axis when the table says so (rank, dynamic
 * inferred but static declared, different static sizes). */
OB_API ob_status ob_verify_mlir(const ob_shape *operands, size_t n, const ob_shape *declared, ob_dims *pool, ob_error *error);

/* ---- What a rule book says about one broadcast ---------------------------------------------------------------- */

typedef enum ob_severity { OB_SEVERITY_NONE, OB_SEVERITY_NOTE, OB_SEVERITY_WARNING, OB_SEVERITY_ERROR } ob_severity;

/** A departure of a broadcast from a rule book. */
typedef struct ob_rule_break {
    ob_severity severity;
    const char *id; /**< finding id, for instance "OB0301"; static */
    size_t operand; /**< which operand, or SIZE_MAX */
    int32_t axis;   /**< of the result, or -1 */
    char message[256];
} ob_rule_break;

typedef void (*ob_rule_sink)(void *context, const ob_rule_break *broken);

/** Reports each departure of a (legal by NumPy) broadcast of n operands from `rules`, for instance different ranks in xla, a size
 * of 0 that the SONNX maximum rule refuses, a declared static result over a dynamic inferred one in mlir. `declared` may be NULL.
 * OB_RULES_ONNX and OB_RULES_NUMPY allow everything that ob_broadcast_shapes allows. */
OB_API ob_status ob_rules_check(ob_rules rules, const ob_shape *operands, size_t n, const ob_shape *declared, ob_dims *pool,
                                ob_rule_sink sink, void *context, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
