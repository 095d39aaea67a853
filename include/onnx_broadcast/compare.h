/** @defgroup compare Comparing models
 * @brief Says how a new version of a model differs from the old one: signature, contract, broadcasts, findings, bytes.
 *
 *     ob_comparison *comparison = NULL;
 *     ob_compare(old_report, new_report, &comparison, &error);
 *     for (size_t i = 0; i < ob_comparison_change_count(comparison); i++) {
 *         ob_change change = ob_comparison_change(comparison, i);
 *         printf("%s%s: %s\n", change.breaking ? "BREAKING " : "", ob_change_kind_name(change.kind), change.text);
 *     }
 *     ob_comparison_close(&comparison);
 *
 * Threads: only one thread at a time may use the reports (@ref check) during ob_compare(). A comparison does not change.
 * @{ */
#ifndef ONNX_BROADCAST_COMPARE_H
#define ONNX_BROADCAST_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "onnx_broadcast/check.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How the sizes that the new contract admits relate to those of the old one. Sizes are those of the inputs, axis by axis, so
 * the names of symbols do not matter. */
typedef enum ob_relation {
    OB_RELATION_EQUAL,    /**< both admit the same sizes: proved */
    OB_RELATION_WIDER,    /**< the new contract admits all sizes of the old one (proved), and others (witness) */
    OB_RELATION_NARROWER, /**< the old contract admits all sizes of the new one (proved), and others (witness) */
    OB_RELATION_NEITHER,  /**< each admits sizes that the other excludes (witnesses) */
    /** Not decided: `reason` of ob_comparison_info says why */
    OB_RELATION_UNKNOWN
} ob_relation;

/** The kind of a change. */
typedef enum ob_change_kind {
    OB_CHANGE_INPUT,        /**< an input of the main graph is new, missing, or has another type or rank, or other sizes */
    OB_CHANGE_OUTPUT,       /**< the same for an output */
    OB_CHANGE_CONTRACT,     /**< the relation of the contracts, unless it is equal */
    OB_CHANGE_VALUES,       /**< a condition on elements of inputs is new or missing (compared as text) */
    OB_CHANGE_BROADCAST,    /**< a broadcast is new, missing, or has operands of other shapes */
    OB_CHANGE_FINDING,      /**< a finding is new or resolved, by its fingerprint */
    OB_CHANGE_OPERATORS,    /**< another number of nodes of an operator */
    OB_CHANGE_WEIGHT_BYTES, /**< another number of bytes of initializers */
    OB_CHANGE_COPIED_BYTES, /**< explicit copies of stretched operands would write another number of bytes */
    OB_CHANGE_KIND_COUNT    /**< number of kinds */
} ob_change_kind;

/** "input", "output", "contract", "values", "broadcast", "finding", "operators", "weight bytes", "copied bytes"; "" for a number
 * outside the enum. Static; thread-safe. */
OB_API const char *ob_change_kind_name(ob_change_kind kind);
/** "equal", "wider", "narrower", "neither", "unknown"; "" for a number outside the enum. Static; thread-safe. */
OB_API const char *ob_relation_name(ob_relation relation);

/** A change. Texts live as long as the comparison; names in them come from the files. */
typedef struct ob_change {
    ob_change_kind kind; /**< decides the meaning of the other members */
    /** A program that runs the old model can fail with the new one, or get results of other shapes: a missing or changed input
     * or output, a required new input, a contract that is narrower, neither or unknown, a new condition on values, a new
     * finding of severity error or warning */
    bool breaking;
    const char *name;   /**< of the input, output, node or operator; id of the finding; "" for the whole model */
    const char *before; /**< as it was; "" when it is new */
    const char *after;  /**< as it is; "" when it is missing */
    const char *text;   /**< the change as a sentence without a full stop */
} ob_change;

/** Sizes that one contract admits and the other excludes, and the clause that excludes them. */
typedef struct ob_comparison_witness {
    size_t n_sizes;             /**< number of entries in sizes; 0: there is no witness */
    const ob_named_size *sizes; /**< sizes of the inputs, by the names of the model that admits them */
    const char *clause;         /**< the clause of the other contract that they break, or a difference of fixed sizes */
} ob_comparison_witness;

/** A comparison as a whole. */
typedef struct ob_comparison_info {
    bool compatible;                /**< no change is breaking */
    size_t n_breaking;              /**< number of breaking changes */
    ob_relation contract;           /**< the relation of the new contract to the old one */
    const char *reason;             /**< why the relation is unknown, or "" */
    ob_comparison_witness only_old; /**< admitted by the old contract only */
    ob_comparison_witness only_new; /**< admitted by the new contract only */
} ob_comparison_info;

/** The result of ob_compare(). */
typedef struct ob_comparison ob_comparison;

/** Compares two checked models. Both should have been checked with the same options. Inputs and outputs belong together by name,
 * broadcasts by the path and name of their node, findings by fingerprint.
 * - before, after: borrowed; not needed after the call.
 * - out: returns owned: ob_comparison_close().
 *
 * Partial contracts are compared by the clauses that they state.
 *
 * Errors: E_ARGUMENT (NULL), E_MEMORY. */
OB_API ob_status ob_compare(ob_report *before, ob_report *after, ob_comparison **out, ob_error *error);
/** Frees the comparison and sets *comparison to NULL. NULL and *NULL are allowed. */
OB_API void ob_comparison_close(ob_comparison **comparison);

/** The result as a whole; its pointers live as long as the comparison. */
OB_API ob_comparison_info ob_comparison_get_info(const ob_comparison *comparison);
/** Number of changes: breaking ones first, then the others, each by kind. */
OB_API size_t ob_comparison_change_count(const ob_comparison *comparison);
/** Change `index`; all zero and "" when it is out of range. */
OB_API ob_change ob_comparison_change(const ob_comparison *comparison, size_t index);

/** Writes the comparison as one JSON object: {"compatible", "contract": {"relation", "reason", "only_old", "only_new"},
 * "changes": [{"kind", "breaking", "name", "before", "after", "text"}]}. `context` is passed to `sink`. Errors: E_ARGUMENT
 * (NULL), and the status that the sink returned. */
OB_API ob_status ob_comparison_to_json(const ob_comparison *comparison, ob_write_sink sink, void *context, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
