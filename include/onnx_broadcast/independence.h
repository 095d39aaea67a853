/** @defgroup independence Independence of batches
 * @brief Whether a batch gives for each of its elements what the element alone gives.
 * @{ */
#ifndef ONNX_BROADCAST_INDEPENDENCE_H
#define ONNX_BROADCAST_INDEPENDENCE_H

#ifdef OB_WITHOUT_CHECKER
#error "this build of onnx_broadcast has no checker (OB_WITH_CHECKER is off)"
#endif

#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/model.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The answer for a model and a symbol of its inputs, for instance `batch`. The question: take inputs with `batch` = n. Is each
 * output, along the axis with the symbol, the join of the outputs of n runs with one element of the inputs each? All sizes are at
 * least 1, and the other sizes are the same in all of these runs. */
typedef enum ob_independence_verdict {
    /** Yes, for every n and all elements, as far as the rules of arithmetic go. Sums of another number of rows may be added in
     * another order, so the last bits of floats may differ. */
    OB_INDEPENDENCE_PROVED,
    /** No: there are elements for which an output differs. */
    OB_INDEPENDENCE_REFUTED,
    /** Neither is proved. `reason` says why. */
    OB_INDEPENDENCE_UNKNOWN
} ob_independence_verdict;

/** How elements of a batch reach each other, or how the batch reaches the result in another way. */
typedef enum ob_mixing {
    OB_MIXING_NONE,          /**< the verdict is proved, or unknown for another reason */
    OB_MIXING_REDUCTION,     /**< elements are combined, or one of them is picked */
    OB_MIXING_PRODUCT,       /**< a product sums along the axis, or has elements of the batch along two axes */
    OB_MIXING_NORMALIZATION, /**< each element is computed with all others */
    OB_MIXING_RECURRENCE,    /**< each element is computed with those before it */
    OB_MIXING_WINDOW,        /**< each element is computed with those around it */
    OB_MIXING_MOVE,          /**< elements change places along the axis, or some are taken */
    OB_MIXING_RESHAPE,       /**< the axis is divided or joined so that elements do not stay apart */
    OB_MIXING_CONSTANT,      /**< an operand with several elements along the axis does not come from the batch */
    OB_MIXING_SLICE,         /**< the size of the batch decides which part of a table is used */
    OB_MIXING_PLACE,         /**< the place of an element in the batch is used as a number */
    OB_MIXING_SIZE           /**< the size of the batch is used as a number */
} ob_mixing;

/** The result of ob_independence_check(). Texts and arrays live as long as it does. */
typedef struct ob_independence {
    const char *symbol;              /**< as in the model; by place, "x[0]", when the size has no name */
    ob_independence_verdict verdict; /**< the answer */
    ob_mixing mixing;        /**< of `node`. With the verdict unknown: elements mix there, but a later node may cancel it */
    const char *reason;      /**< one sentence without a full stop; "" when the verdict is proved */
    const char *node;        /**< the first node that mixes, or the one that prevents a proof: its name, or that of its first
                                  result; "" when there is none */
    const char *op_type;     /**< of that node, or "" */
    const char *value;       /**< its result, or an input of the model; "" when there is none */
    const char *output;      /**< the output of the model that it reaches; "" when there is none */
    const char *const *path; /**< n_path names of nodes from `node` to `output`, both ends included */
    size_t n_path;           /**< 0: there is no path */
} ob_independence;

/** Analyses a model. Nodes are visited once; functions of the model are entered.
 *
 * - model: borrowed; it does not change. The model is copied, without the data of its weights.
 * - symbol: a symbol of the inputs, or a size by place ("x[0]"). NULL: the symbol of the first axis of the inputs, where that is
 *   open. First axes without a name then count as one symbol.
 * - max_nodes: limit of nodes after functions are entered; 0: 2^20.
 * - out: returns owned; close with ob_independence_close(). Unchanged on failure.
 *
 * Errors: E_ARGUMENT (NULL; symbol is NULL and the first axes have different symbols), E_NOT_FOUND (no input has the symbol; or
 * symbol is NULL and no first axis is open), E_LIMIT (more nodes), E_MODEL (a function that calls itself), E_MEMORY.
 * Thread-safe for different models. */
OB_API ob_status ob_independence_check(const ob_model *model, const char *symbol, uint64_t max_nodes, ob_independence **out,
                                       ob_error *error);
/** Frees the result and sets *independence to NULL. NULL is allowed. */
OB_API void ob_independence_close(ob_independence **independence);

/** "proved", "refuted" or "unknown". Static; thread-safe. */
OB_API const char *ob_independence_verdict_name(ob_independence_verdict verdict);
/** "reduction", "product" ...; "none" for OB_MIXING_NONE and numbers outside the enum. Static; thread-safe. */
OB_API const char *ob_mixing_name(ob_mixing mixing);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
