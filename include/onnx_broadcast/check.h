/** @file
 * Checking a model: findings, broadcasts, values and the conditions that remain.
 *
 *     ob_check_options options;
 *     ob_check_options_init(&options);
 *     ob_report *report = NULL;
 *     ob_error error;
 *     if (ob_check(model, &options, &report, &error) != OB_OK) ...the model could not be examined: error.message...
 *     for (size_t i = 0; i < ob_report_finding_count(report); i++) {
 *         ob_finding_info finding;
 *         ob_report_finding(report, i, &finding);
 *         ...
 *     }
 *     ob_report_close(&report);
 */
#ifndef ONNX_BROADCAST_CHECK_H
#define ONNX_BROADCAST_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/broadcast.h"
#include "onnx_broadcast/dtype.h"
#include "onnx_broadcast/model.h"
#include "onnx_broadcast/passes.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A size for a symbol of the model, by name. */
typedef struct ob_dim_given {
    const char *name;
    int64_t size; /**< 0 .. OB_DIM_CONST_MAX */
} ob_dim_given;

/** A shape for an input of the main graph, by name; replaces the declared one. OB_DIM_UNKNOWN leaves a size open. */
typedef struct ob_shape_given {
    const char *name;
    int32_t rank; /**< 0 .. OB_MAX_RANK */
    const int64_t *dims;
} ob_shape_given;

typedef struct ob_check_options {
    ob_rules rules;           /**< rule book [OB_RULES_ONNX] */
    const ob_dim_given *dims; /**< what-if sizes */
    size_t n_dims;
    const ob_shape_given *shapes; /**< what-if input shapes */
    size_t n_shapes;
    ob_pass_hook after_pass; /**< may be NULL */
    void *context;
} ob_check_options;

/** The onnx rule book, nothing given. */
OB_API void ob_check_options_init(ob_check_options *options);

typedef struct ob_report ob_report;

/** Examines the model: operators, shapes, contents, every broadcast under the rule book. A bad model is not a failure but has
 * findings.
 * - model: borrows; must outlive the report and not be rewritten while it lives. Its symbol pool grows.
 * - options: NULL for the defaults.
 * - report: returns owned: ob_report_close.
 * Errors: E_NOT_FOUND (a given symbol or input that the model does not have), E_ARGUMENT, E_MEMORY, E_LIMIT, or what after_pass
 * returned. */
OB_API ob_status ob_check(ob_model *model, const ob_check_options *options, ob_report **report, ob_error *error);
/** Frees the report and sets *report to NULL. NULL and *NULL are allowed. */
OB_API void ob_report_close(ob_report **report);

/** Dims of every shape in the report are constants or terms of this pool; ob_dim_format writes them. View of the model. */
OB_API const ob_dims *ob_report_dims(const ob_report *report);

typedef struct ob_report_summary {
    size_t n_nodes;      /**< of all graphs and functions */
    size_t n_values;     /**< of all graphs and functions */
    size_t n_ranked;     /**< values with a known rank */
    size_t n_shaped;     /**< values whose every size is a constant or a term of named symbols */
    size_t n_broadcasts; /**< nodes whose operands differ in shape, or may */
    size_t n_plain;      /**< nodes of broadcasting operators whose operands have one shape */
    size_t n_conditions;
    size_t n_errors, n_warnings, n_notes;
    size_t n_dropped;     /**< findings beyond the limit of 100 000, not listed */
    size_t n_open;        /**< broadcasts whose result has a size that is not a number: not in copied_bytes */
    int64_t copied_bytes; /**< sum over the broadcasts of what a copying implementation would write where that is a known number;
                             saturates at INT64_MAX */
} ob_report_summary;
OB_API ob_report_summary ob_report_get_summary(const ob_report *report);

/* ---- Findings, in the order of the nodes --------------------------------------------------------------------------- */

typedef struct ob_finding_info {
    const char *id;    /**< "OB0101" */
    const char *title; /**< one line, the same for every finding with that id */
    ob_severity severity;
    const char *node; /**< node name, its first output when it has no name, "" when no node is meant. Names come from the file: */
    const char *op_type; /**< any bytes can stand in them */
    const char *domain;
    const char *value;   /**< name of the value that is meant, or "" */
    const char *path;    /**< "layer_1/If_3.then_branch/" inside subgraphs and functions, else "" */
    int32_t operand;     /**< input index, or -1 */
    int32_t axis;        /**< of the result, 0-based, or -1 */
    const char *message; /**< one sentence without file, id and node */
    size_t n_operands;   /**< shapes that met here, 0 when they do not matter */
    const ob_shape *operands;
    const char *const *operand_names; /**< "" for one that is left out; "A * B" for Gemm's product */
    const int32_t *operand_inputs;    /**< their input indices, -1 for what is not an input */
    const ob_condition *condition;    /**< or NULL */
    const char *fix;                  /**< what to do, or "" */
    const char *source;               /**< the exporter's source position that the node's metadata holds, or "" */
    size_t n_origins;                 /**< where sizes came from, one sentence each */
    const char *const *origins;
} ob_finding_info;

OB_API size_t ob_report_finding_count(const ob_report *report);
/** Fills *out with views that are valid until the next call of this function on the report. E_NOT_FOUND beyond the last,
 * E_MEMORY. Not thread-safe, as all ob_report_* functions that fill a struct: texts are made when they are asked for. */
OB_API ob_status ob_report_finding(ob_report *report, size_t index, ob_finding_info *out);

/* ---- Broadcasts ----------------------------------------------------------------------------------------------------- */

typedef struct ob_broadcast_info {
    const char *node, *op_type, *domain, *path; /**< as above */
    const char *rule;                           /**< "multidirectional", "one way", "batch dimensions", "opset 1-6", "expand" */
    size_t n_operands;
    const char *const *names; /**< of the operands */
    const ob_shape
        *operands;   /**< as they align: of opset 1-6 and BroadcastInDim operands after the mapping; whole shapes otherwise */
    ob_shape result; /**< of unknown rank when `fits` is false */
    bool fits;       /**< false: the operands do not broadcast, see the findings of the node */
    int32_t n_fixed_axes;      /**< trailing axes that do not broadcast: the matrix axes of MatMul and kin, else 0 */
    const uint64_t *stretched; /**< per operand: bit a is set when it is, or may be, stretched along axis a of the result (ranks
                                  up to 64; 0 when ranks are unknown) */
    ob_dtype dtype;            /**< of the result */
    ob_dim copied_bytes;       /**< what a copying implementation would write, as a term; OB_DIM_UNKNOWN when not known;
                                  saturates at OB_DIM_CONST_MAX */
} ob_broadcast_info;

OB_API size_t ob_report_broadcast_count(const ob_report *report);
OB_API ob_status ob_report_broadcast(ob_report *report, size_t index, ob_broadcast_info *out);

/* ---- Values and conditions ------------------------------------------------------------------------------------------ */

typedef struct ob_value_info {
    const char *name;
    const char *path;
    const char *kind; /**< "input", "initializer", "output", "inner" */
    ob_dtype dtype;   /**< OB_NONE when not known or not a tensor */
    ob_shape shape;
    const char *type;        /**< "float[N,3]", "seq(tensor(float))" ... as ONNX's textual syntax writes it */
    const char *why_unknown; /**< reason for what is not known, or "" */
} ob_value_info;

OB_API size_t ob_report_value_count(const ob_report *report);
OB_API ob_status ob_report_value(ob_report *report, size_t index, ob_value_info *out);

typedef struct ob_condition_info {
    ob_condition condition;
    const char *text;                  /**< "N = 1 or N = 5" */
    const char *node, *op_type, *path; /**< where it arose; "" at graph inputs and outputs */
    int32_t operand, axis;
    size_t n_origins; /**< where its sizes came from */
    const char *const *origins;
} ob_condition_info;

OB_API size_t ob_report_condition_count(const ob_report *report);
OB_API ob_status ob_report_condition(ob_report *report, size_t index, ob_condition_info *out);

/* ---- The reference of findings -------------------------------------------------------------------------------------- */

typedef struct ob_finding_doc {
    const char *id, *title, *text; /**< static; text is lines */
    ob_severity severity;          /**< default */
} ob_finding_doc;

OB_API size_t ob_finding_doc_count(void);
OB_API ob_finding_doc ob_finding_doc_at(size_t index);
/** id NULL when there is no such finding. */
OB_API ob_finding_doc ob_finding_doc_find(const char *id);

/** "error", "warning", "note", "none". */
OB_API const char *ob_severity_name(ob_severity severity);

#ifdef __cplusplus
}
#endif
#endif
