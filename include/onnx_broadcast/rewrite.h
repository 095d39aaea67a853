/** @defgroup rewrite Rewriting
 * @brief Broadcasting made explicit, in one of several forms, or implicit again.
 *
 *     ob_rewrite_stats stats;
 *     if (ob_rewrite(model, OB_FORM_FUNCTION, NULL, &stats, &error) != OB_OK) ...
 *     if (ob_model_save(model, "explicit.onnx", OB_FORMAT_AUTO, &error) != OB_OK) ...
 *
 * The operators Broadcast and BroadcastInDim of domain onnx_broadcast are this project's own; sources: SONNX, "Broadcast"; XLA,
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
    X(FUNCTION, "function")   /**< the same, with their definition as model-local functions: runs on any runtime */              \
    X(EXPAND, "expand")       /**< standard operators only: Expand, below opset 8 Reshape and Tile */                            \
    X(IMPLICIT, "implicit")   /**< the way back: no explicit broadcasting where the operator does it anyway */                   \
    /* the end */

/** What the model is rewritten to. */
typedef enum ob_form {
#define OB_FORM_ENUM(name, text) OB_FORM_##name,
    OB_FORM_LIST(OB_FORM_ENUM)
#undef OB_FORM_ENUM
        OB_FORM_COUNT /**< how many there are; no form */
} ob_form;

/** "broadcast", "function", "expand" or "implicit", as the commands take it; "" for a number outside the enum. Static;
 * thread-safe. */
OB_API const char *ob_form_name(ob_form form);
/** The form with that name; OB_FORM_COUNT when there is none, or for NULL. Thread-safe. */
OB_API ob_form ob_form_from_name(const char *name);

/** How to rewrite. All zero is the default: `ob_rewrite_options options = {0};`. */
typedef struct ob_rewrite_options {
    ob_pass_hook after_pass; /**< may be NULL */
    /** Receives one sentence for each node that had to stay as it was, with the reason; may be NULL. Names are as in the file;
     * the texts are valid during the call. */
    void (*note)(void *context, const char *node, const char *op_type, const char *reason);
    void *context; /**< of the two callbacks */
} ob_rewrite_options;

/** What a rewriting did. */
typedef struct ob_rewrite_stats {
    size_t n_inserted;  /**< explicit operators added */
    size_t n_removed;   /**< nodes taken out */
    size_t n_lowered;   /**< explicit operators turned into another form */
    size_t n_left;      /**< nodes that had to stay implicit (or explicit), each with a note */
    size_t n_functions; /**< definitions added */
} ob_rewrite_stats;

/** Rewrites the model in place; inputs, outputs, weights and what has nothing to do with broadcasting stay as they are. The
 * metadata state the contract of the rewritten model (@ref contract), in place of what stood under that key. The
 * rewritten model computes bit-identical results, but for MatMul over batches of floats: a batch axis that is written down may
 * have its products computed in another order, with results that differ by rounding. Running it again changes nothing.
 * - model: no report of it may be open; sessions made from it before are not affected.
 * - options: NULL for the defaults. stats: NULL when not wanted; written on success.
 *
 * Errors, each with the model as it was: E_SHAPE, E_TYPE or E_MODEL with the first error found when the model is not sound;
 * E_ARGUMENT (model NULL, no such form); E_UNSUPPORTED (the form cannot be had with the model's opset; a local function of the
 * model bears the name of an operator that the form writes; the model imports another version than 1 of domain onnx_broadcast);
 * E_MEMORY; E_INTERNAL; what after_pass returned. */
OB_API ob_status ob_rewrite(ob_model *model, ob_form form, const ob_rewrite_options *options, ob_rewrite_stats *stats,
                            ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
