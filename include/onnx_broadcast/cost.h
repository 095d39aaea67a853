/** @defgroup cost Cost of explicit broadcasts
 * @brief Memory that a run needs, and how it changes if operands are copied to the size of the result before a node.
 *
 *     options.dims = sizes;                 // the cost is for these sizes
 *     ob_check(model, &options, &report, &error);
 *     ob_cost *cost = NULL;
 *     if (ob_cost_create(report, &cost, &error) != OB_OK) ...
 *     ob_cost_info info = ob_cost_get_info(cost);
 *
 * The analysis follows the nodes in their order. A value is in memory from the node that makes it to the last node that reads it.
 * Inputs are in memory from the beginning to their last reader, outputs to the end. Weights are counted apart. No result takes
 * the memory of an operand. The body of an If, Loop or Scan needs its own peak while its node runs. An explicit copy of an
 * operand is in memory while its node runs. Scratch memory of operators is not counted.
 * @{ */
#ifndef ONNX_BROADCAST_COST_H
#define ONNX_BROADCAST_COST_H

#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The cost of a model as a whole. Texts live as long as the ob_cost. */
typedef struct ob_cost_info {
    const char *unknown;       /**< why the peak is not known, for instance a size that is open; "" when it is known */
    int64_t weight_bytes;      /**< bytes of all initializers of the main graph and its bodies; saturates at INT64_MAX */
    int64_t peak_bytes;        /**< most bytes of values at a time; -1 when it is not known; saturates at INT64_MAX */
    const char *peak_node;     /**< name of the node where that is, "" for the inputs alone or when it is not known */
    int64_t explicit_bytes;    /**< the same if every broadcast of the main graph is made explicit by copies; -1: not known */
    const char *explicit_node; /**< the node where that is, as for peak_node */
    size_t n_nodes;            /**< number of rows: ob_cost_at() */
} ob_cost_info;

/** The cost of one broadcast. */
typedef struct ob_cost_row {
    size_t broadcast;      /**< index of the broadcast: ob_report_broadcast() */
    int64_t copied_bytes;  /**< bytes that copies of the stretched operands have; -1: not known; saturates at INT64_MAX */
    int64_t operand_bytes; /**< bytes of these operands as they are; -1: not known; saturates at INT64_MAX */
    /** Bytes of values while the node runs, without the copies; -1 when it is not known, or the node is in a body or function */
    int64_t live_bytes;
    int64_t peak_change; /**< by how much the peak of the model grows if only this node is made explicit; -1: not known */
} ob_cost_row;

/** The result of ob_cost_create(). */
typedef struct ob_cost ob_cost;

/** Computes the cost of a checked model at the sizes of the check. Takes time linear in nodes, operands and broadcasts.
 * - report: borrowed; not needed after the call.
 * - out: returns owned: ob_cost_close().
 *
 * Errors: E_ARGUMENT (NULL), E_MEMORY. */
OB_API ob_status ob_cost_create(ob_report *report, ob_cost **out, ob_error *error);
/** Frees the cost and sets *cost to NULL. NULL and *NULL are allowed. */
OB_API void ob_cost_close(ob_cost **cost);
/** The cost of the whole model. */
OB_API ob_cost_info ob_cost_get_info(const ob_cost *cost);
/** Row `index`: the broadcasts that copies would make larger, most copied bytes first, then in the order of the report; rows of
 * unknown bytes come last. All -1 when it is out of range. */
OB_API ob_cost_row ob_cost_at(const ob_cost *cost, size_t index);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
