/** @defgroup rewrite Rewriting
 * @brief Makes broadcasts explicit, in one of several forms, or makes them implicit again.
 *
 *     ob_rewrite_stats stats;
 *     if (ob_rewrite(model, OB_FORM_FUNCTION, NULL, &stats, &error) != OB_OK) ...
 *     if (ob_model_save(model, "explicit.onnx", OB_FORMAT_AUTO, &error) != OB_OK) ...
 *
 * The operators Broadcast and BroadcastInDim of domain onnx_broadcast belong to this project. Sources: SONNX, "Broadcast"; XLA,
 * "Broadcasting"; StableHLO, broadcast_in_dim.
 * @{ */
#ifndef ONNX_BROADCAST_REWRITE_H
#define ONNX_BROADCAST_REWRITE_H

#include <stddef.h>

#include "onnx_broadcast/model.h"
#include "onnx_broadcast/passes.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One row per form: NAME, command-line name. */
#define OB_FORM_LIST(X)                                                                                                          \
    X(BROADCAST, "broadcast") /**< Broadcast and BroadcastInDim of domain onnx_broadcast */                                      \
    X(FUNCTION, "function")   /**< the same, with model-local functions that define them: runs on any runtime */                 \
    X(EXPAND, "expand")       /**< only standard operators: Expand, below opset 8 Reshape and Tile */                            \
    X(IMPLICIT, "implicit")   /**< the reverse: no explicit broadcast where the operator itself broadcasts */                    \
    X(FUSED, "fused")         /**< groups of nodes as local functions Fused_N, which the plugin for ONNX Runtime computes */     \
    /* the end */

/** The form of the rewritten model. */
typedef enum ob_form {
#define OB_FORM_ENUM(name, text) OB_FORM_##name,
    OB_FORM_LIST(OB_FORM_ENUM)
#undef OB_FORM_ENUM
        OB_FORM_COUNT /**< number of forms; not a form */
} ob_form;

/** "broadcast", "function", "expand", "implicit" or "fused", as in the option --emit; "" for a number outside the enum. Static;
 * thread-safe. */
OB_API const char *ob_form_name(ob_form form);
/** The form with this name; OB_FORM_COUNT when no form has this name, or for NULL. Thread-safe. */
OB_API ob_form ob_form_from_name(const char *name);

/** Options of a rewriting. All zero is the default: `ob_rewrite_options options = {0};`. */
typedef struct ob_rewrite_options {
    ob_pass_hook after_pass; /**< may be NULL */
    /** Receives one sentence for each node that could not be rewritten, with the reason; may be NULL. Names are as in the
     * file. The texts are valid during the call. */
    void (*note)(void *context, const char *node, const char *op_type, const char *reason);
    void *context; /**< passed to the two callbacks */
    /** Limit in bytes for the memory of values; 0: none. With a limit, a broadcast stays implicit, with a note, if the values
     * that are in memory while its node runs and the copies of its operands need more (@ref cost), or if that is not known. For
     * the forms that make broadcasts explicit */
    int64_t max_ram;
    const struct ob_cost *cost; /**< of this model as it is, at the sizes for which the limit holds; NULL without a limit */
} ob_rewrite_options;

/** Counts of a rewriting. */
typedef struct ob_rewrite_stats {
    size_t n_inserted;  /**< explicit operators, or calls of fused functions, added */
    size_t n_removed;   /**< nodes removed */
    size_t n_lowered;   /**< explicit operators changed into another form */
    size_t n_left;      /**< nodes that stay implicit (or explicit), each with a note */
    size_t n_functions; /**< definitions added */
    size_t n_weights;   /**< ob_rewrite_for_target(): initializers with another shape, or with stretched contents */
    size_t n_exchanged; /**< ob_rewrite_for_target(): nodes whose two operands changed places */
} ob_rewrite_stats;

/** Rewrites the model in place. Inputs, outputs, weights and all parts that do not involve broadcasting do not change. The
 * metadata state the contract of the rewritten model (@ref contract), in place of an earlier entry under that key. The
 * rewritten model computes the same bits, with one exception: in a MatMul over batches of floats, an explicit broadcast of a
 * batch axis can change the order in which products are summed, so results can differ by rounding. Rewriting a second time
 * changes nothing.
 * - model: no report of it may be open. Sessions that exist already are not affected.
 * - options: NULL for the defaults.
 * - stats: may be NULL; written on success.
 *
 * Errors (the model does not change): E_SHAPE, E_TYPE or E_MODEL with the first error of a model that is not sound; E_ARGUMENT
 * (model is NULL, unknown form; a limit without cost, or below 0); E_UNSUPPORTED (the opset of the model does not allow the form;
 * a local function of the model has the name of an operator that the form uses; the model imports another version than 1 of
 * domain onnx_broadcast); E_MEMORY; E_INTERNAL; the status that after_pass returned. */
OB_API ob_status ob_rewrite(ob_model *model, ob_form form, const ob_rewrite_options *options, ob_rewrite_stats *stats,
                            ob_error *error);

/** Writes every broadcast of the model in the weakest form that a deployment target accepts (docs/targets.md): equal ranks by
 * leading sizes of 1, exchanged operands, merged neighbouring axes, or operands that are stretched before. An initializer that
 * only one node reads is changed itself. A node stays as it is, with a note, if no form keeps all rules of the target; nodes that
 * keep them stay too. Open sizes stay open. The rewritten model computes the same bits, as after ob_rewrite(); where both
 * elements of a sum or a product are NaN, exchanged operands can give the other NaN. Everything else is as for ob_rewrite().
 * - target: a name, as in ob_target_info.
 *
 * Errors: those of ob_rewrite(), and E_NOT_FOUND (no such target), E_ARGUMENT (model or target is NULL). */
OB_API ob_status ob_rewrite_for_target(ob_model *model, const char *target, const ob_rewrite_options *options,
                                       ob_rewrite_stats *stats, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
