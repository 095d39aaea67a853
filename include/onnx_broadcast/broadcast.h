/** @defgroup broadcast Broadcasting of shapes
 * @brief Broadcasting rules for shapes: one inference algorithm, several rule books. Works without a model.
 *
 * Sources: ONNX docs/Broadcasting.md and the specifications of the operators; Python array API standard, "Broadcasting"; XLA,
 * "Broadcasting"; MLIR, "The Broadcastable Trait"; SONNX, "Broadcast". Size 0 follows NumPy: 0 with 1 is 0, 0 with 0 is 0, 0 with
 * any other size is an error.
 *
 *     int64_t a[] = {8, 1, 6}, b[] = {7, 1};
 *     ob_shape shapes[2] = {{3, a}, {2, b}};
 *     ob_broadcast_result result; // 8, 7, 6
 *     if (ob_broadcast_shapes(shapes, 2, NULL, NULL, NULL, &result, &error) != OB_OK) ...
 *
 * In all functions here, `pool` is the pool of the terms in the shapes; it may be NULL when every dim is a constant. `sink`
 * receives conditions and is called with `context`; it may be NULL: conditions are then not reported. The thread rules are those
 * of the pool (@ref dim).
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

/** The maximum rank of a concrete shape or view. A build for something small can have a lower one (-DOB_MAX_RANK=8), which its
 * package tells to programs. */
#ifndef OB_MAX_RANK
#define OB_MAX_RANK 32
#endif
/** The rank of a shape about which nothing is known. */
#define OB_RANK_UNKNOWN (-1)

/** A shape: a rank and one dim for each axis. */
typedef struct ob_shape {
    int32_t rank; /**< 0 .. OB_MAX_RANK; 0 is a scalar; OB_RANK_UNKNOWN */
    /** Borrows; rank entries, each 0 or more, a term, or OB_DIM_UNKNOWN. NULL when the rank is 0 or unknown */
    const ob_dim *dims;
} ob_shape;

/** Prints the shape as text ("[2, N, 3]", "[]" for a scalar, "[...]" for an unknown rank), with dims as in ob_dim_format().
 * `pool` may be NULL when every dim is a constant. The text is cut to n_bytes with a final NUL. Returns the length of the
 * complete text without the NUL. `text` may be NULL when n_bytes is 0. Thread-safe as long as the pool does not grow. */
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

/** A rule book: the specification against which a broadcast is checked. docs/rules.md describes each one. */
typedef enum ob_rules {
#define OB_RULES_ENUM(name, text) OB_RULES_##name,
    OB_RULES_LIST(OB_RULES_ENUM)
#undef OB_RULES_ENUM
        OB_RULES_COUNT /**< number of rule books; not a rule book */
} ob_rules;

/** "onnx", "array-api" ... as in the option --rules; "unknown" for a number outside the enum. Static; thread-safe. */
OB_API const char *ob_rules_name(ob_rules rules);
/** The rule book with this name; OB_RULES_COUNT when no rule book has this name, or for NULL. Thread-safe. */
OB_API ob_rules ob_rules_from_name(const char *name);

/* ---- Inference ---- */

/** Receives a condition that is still undecided and must hold at run time. `operand` is the index of the operand whose dim is
 * condition->a, `axis` is the axis of the result, 0-based. `condition` is valid during the call. Any return value except OB_OK
 * stops the broadcasting function, which then returns that status. */
typedef ob_status (*ob_condition_sink)(void *context, const ob_condition *condition, size_t operand, int32_t axis);

/** The result of a broadcast or of an axis mapping. */
typedef struct ob_broadcast_result {
    int32_t rank;             /**< OB_RANK_UNKNOWN when an operand has an unknown rank (the known dims are then lost) */
    ob_dim dims[OB_MAX_RANK]; /**< rank entries; the others are undefined */
} ob_broadcast_result;

/** Multidirectional broadcasting of n shapes (ONNX; array API algorithm; MLIR inference; SONNX with NumPy's rule for size 0).
 * - shapes: borrows n entries; n 0 gives the scalar shape (array API 2025.12, broadcast_shapes).
 * - sink: receives the conditions that could not be decided.
 * - result: written only on success. If any rank is unknown, the rank of the result is unknown.
 *
 * Errors: E_SHAPE (error->axis is the axis of the result; the message names both operands and sizes), E_LIMIT (rank over
 * OB_MAX_RANK, or more than 32 different terms along one axis), E_ARGUMENT (a negative size, a term that is not in the pool,
 * NULL), and the status that the sink returned.
 *
 * Each operand that shares an axis with a constant c > 1 gets its own condition, also where broadcasting in pairs would lose
 * it: {?, 1, 4} gives 4 and "? = 1 or ? = 4". Operands with the same term share one condition. A call that fails reports no
 * condition. */
OB_API ob_status ob_broadcast_shapes(const ob_shape *shapes, size_t n, ob_dims *pool, ob_condition_sink sink, void *context,
                                     ob_broadcast_result *result, ob_error *error);

/** Unidirectional broadcasting: `from` must broadcast to exactly `to` (ONNX: slope of PRelu, C of Gemm, LayerNormalization;
 * array API: in-place rule `x[...] = a`; NumPy broadcast_to). The rank of `from` must not be higher than that of `to`, and
 * each size must be equal or 1. When a rank is unknown, the result is OB_OK. Errors as ob_broadcast_shapes(); error->axis is
 * -1 when the ranks do not fit. */
OB_API ob_status ob_broadcast_to(const ob_shape *from, const ob_shape *to, ob_dims *pool, ob_condition_sink sink, void *context,
                                 ob_error *error);

/** The explicit mapping of XLA: dimension i of `operand` becomes dimension broadcast_dimensions[i] of a result of rank
 * `result_rank`. n_dimensions must be the rank of the operand, and the entries must be strictly increasing and within 0 ..
 * result_rank - 1. Writes the aligned shape to `aligned`: it has rank result_rank, and 1 in the dims without a mapping. An
 * operand of unknown rank gives OB_DIM_UNKNOWN in every mapped dim. Source: XLA, "Broadcasting", explicit mapping.
 *
 * Errors: E_ARGUMENT for every invalid mapping; the message names the problem (count, order, repetition, range). E_LIMIT for a
 * rank over OB_MAX_RANK. */
OB_API ob_status ob_align_in_dim(const ob_shape *operand, const int64_t *broadcast_dimensions, size_t n_dimensions,
                                 int32_t result_rank, ob_broadcast_result *aligned, ob_error *error);

/** The binary operation of XLA. First broadcast_dimensions maps the operand of lower rank onto the rank of the other operand.
 * Then degenerate dimensions (size 1) broadcast. With different ranks and n_dimensions 0, one operand must be a scalar, else
 * E_SHAPE (XLA's strict principle). With equal ranks, broadcast_dimensions must be absent or the identity. When a rank is
 * unknown, the rank of the result is unknown. Errors as ob_align_in_dim() and ob_broadcast_shapes(). Source: XLA,
 * "Broadcasting". */
OB_API ob_status ob_broadcast_xla(const ob_shape *lhs, const ob_shape *rhs, const int64_t *broadcast_dimensions,
                                  size_t n_dimensions, ob_dims *pool, ob_condition_sink sink, void *context,
                                  ob_broadcast_result *result, ob_error *error);

/** The attributes `broadcast` and `axis` of ONNX opset 1-6: the position of the dims of B in A. Writes the
 * broadcast_dimensions of B to `dimensions`: one entry for each dim of B, with room for OB_MAX_RANK. axis_given false: B
 * matches a suffix of A. A negative axis counts from the end of the rank of A. The dims of B must match a contiguous part of
 * the dims of A, each equal or 1. A B with one element fits anywhere. Source: ONNX Add-1, Add-6. Errors: E_SHAPE (with axis),
 * E_ARGUMENT (also for an unknown rank). */
OB_API ob_status ob_broadcast_legacy(const ob_shape *a, const ob_shape *b, bool axis_given, int64_t axis, ob_dims *pool,
                                     ob_condition_sink sink, void *context, int64_t *dimensions, ob_error *error);

/** The result shape of MLIR. Operands of unknown rank are ignored; when no operand has a known rank, the rank of the result is
 * unknown. Any term that is not a constant is a dynamic dim. MLIR does not define a dim of 0; NumPy's rule applies. n 0:
 * E_ARGUMENT; other errors as ob_broadcast_shapes(). Source: MLIR, "The Broadcastable Trait". */
OB_API ob_status ob_broadcast_mlir(const ob_shape *shapes, size_t n, ob_dims *pool, ob_condition_sink sink, void *context,
                                   ob_broadcast_result *result, ob_error *error);
/** MLIR's verification of a declared result against the operands. E_SHAPE with axis when the verification table rejects it:
 * different rank, a static declared size where the inferred one is dynamic, different static sizes. Other errors as
 * ob_broadcast_mlir(). */
OB_API ob_status ob_verify_mlir(const ob_shape *operands, size_t n, const ob_shape *declared, ob_dims *pool, ob_error *error);

/* ---- Checking a broadcast against a rule book ---- */

/** The severity of a finding. */
typedef enum ob_severity {
    OB_SEVERITY_NONE,    /**< no finding */
    OB_SEVERITY_NOTE,    /**< information */
    OB_SEVERITY_WARNING, /**< legal, but probably unintended or not portable */
    OB_SEVERITY_ERROR    /**< against the rules: the model does not run, or does not run everywhere with the same result */
} ob_severity;

/** A violation of a rule book by a broadcast. */
typedef struct ob_rule_break {
    ob_severity severity; /**< severity under the rule book */
    const char *id;       /**< finding id, for example "OB0301"; static */
    size_t operand;       /**< index of the operand, or SIZE_MAX */
    int32_t axis;         /**< axis of the result, or -1 */
    char message[256];    /**< one sentence, terminated by NUL */
} ob_rule_break;

/** Receives one violation; `broken` is valid during the call. */
typedef void (*ob_rule_sink)(void *context, const ob_rule_break *broken);

/** Reports each violation of `rules` by a broadcast of n operands that is legal under NumPy. Examples: different ranks under
 * xla, a size of 0 that the maximum rule of SONNX rejects, a static declared size over a dynamic inferred size under mlir.
 * `declared` may be NULL. OB_RULES_ONNX, OB_RULES_NUMPY and OB_RULES_ARRAY_API allow every broadcast that
 * ob_broadcast_shapes() allows.
 *
 * Errors: E_ARGUMENT (unknown rule book, sink or operands NULL, an invalid declared shape), and those of ob_broadcast_mlir(),
 * including E_SHAPE for a broadcast that NumPy does not allow. */
OB_API ob_status ob_rules_check(ob_rules rules, const ob_shape *operands, size_t n, const ob_shape *declared, ob_dims *pool,
                                ob_rule_sink sink, void *context, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
