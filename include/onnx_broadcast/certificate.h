/** @defgroup certificate Certificates
 * @brief Proves of two versions of a model that shapes and elements are equal, as far as it can, runs both at the edges of their
 * contract, compares the results bit by bit, and writes down exactly that.
 *
 *     ob_certify_options options = {.sizes = sizes, .n_sizes = 1};
 *     ob_certificate_info info;
 *     ob_certify("model.onnx", "explicit.onnx", &options, sink, context, &info, &error);
 *     ...
 *     ob_certificate_verify(bytes, n_bytes, "model.onnx", "explicit.onnx", &options, &error); // another day: the same bytes?
 *
 * A certificate is an in-toto Statement (v1) about the two files, which a tool for signatures can wrap. It contains digests of
 * both files, the comparison of the models (@ref compare), for each output what is proved of it, the sizes that were run with
 * digests of inputs and outputs, and the result. Of sizes that were not run it says what is proved: the relation of the
 * contracts, and that the shape or the elements of an output are equal at all sizes that both contracts admit. A shape is proved
 * equal by equal terms; elements by looking at both graphs: the same operators on the same values, apart from broadcasts that are
 * implicit in one model and explicit in the other, for which the certificate names lemmas of proofs/broadcast.mlw. A file's
 * claims prove nothing. The bytes of a certificate depend on the files, the options, the version of the library and the
 * instruction-set level, which it states (@ref version), so that verifying it on that level means making it again.
 *
 * Threads: functions may run in several threads at once.
 * @{ */
#ifndef ONNX_BROADCAST_CERTIFICATE_H
#define ONNX_BROADCAST_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/compare.h"
#include "onnx_broadcast/dim.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The type of the statement's predicate. */
#define OB_CERTIFICATE_TYPE "urn:onnx-broadcast:certificate:2"

/** Options of ob_certify(). {0}: the defaults. */
typedef struct ob_certify_options {
    const ob_named_size *sizes; /**< sizes of the old model that are fixed in every run; NULL with n_sizes 0; borrowed */
    size_t n_sizes;             /**< number of entries in sizes */
    size_t max_runs;            /**< most sets of sizes that are run; 0: 12 */
    uint64_t max_memory;        /**< limit of a session and of all inputs of a run, in bytes; 0: 2^30 */
} ob_certify_options;

/** The result of a certificate. */
typedef struct ob_certificate_info {
    /** At least one run, all runs gave equal results or were refused by both models, and the signatures are compatible */
    bool equal;
    size_t n_runs;            /**< runs in which both models gave results */
    size_t n_different;       /**< of these, runs with a difference */
    size_t n_refused;         /**< runs that both models refused for the same reason (status) */
    size_t n_unlike;          /**< runs that one model refused and the other did not, or for another reason */
    ob_relation contract;     /**< relation of the new contract to the old one */
    size_t n_outputs;         /**< outputs that both models have */
    size_t n_output_shapes;   /**< of these, with shapes that are proved equal at all sizes that both contracts admit */
    size_t n_output_elements; /**< of these, with elements that are proved equal there; the others were compared in runs only */
    size_t n_values;          /**< other results of nodes of the main graph that both models have, by name */
    size_t n_value_shapes;    /**< of these, with shapes that are proved equal */
    size_t n_value_elements;  /**< of these, with elements that are proved equal; the others are not compared at all */
} ob_certificate_info;

/** Compares two model files and writes the certificate to `sink`, also if results differ. Each set of sizes is run twice: with
 * small integers, which sums represent exactly, and with special values (NaN, infinities, -0, largest and smallest numbers).
 * Elements of floats are compared as bits; any NaN equals any NaN.
 * - before, after: paths of the models.
 * - options: NULL for the defaults.
 * - sink: receives the text; `context` is passed to it.
 * - info: may be NULL.
 *
 * The time of a run has no limit, because results must not depend on it: a model from strangers belongs into a process that has
 * one.
 *
 * Errors: E_ARGUMENT (NULL; more than 10000 runs), E_LIMIT (more than 16 open sizes), E_UNSUPPORTED (an input that is not a
 * tensor of floats of 16 to 64 bits, integers of 8 to 64 bits or bools; an output that is not a tensor; an operator without a
 * kernel), E_NOT_FOUND (a name of a size that no input has), those of ob_model_load() and ob_check(), and the status that the
 * sink returned. */
OB_API ob_status ob_certify(const char *before, const char *after, const ob_certify_options *options, ob_write_sink sink,
                            void *context, ob_certificate_info *info, ob_error *error);

/** Makes the certificate again and compares it with `text`, n_bytes bytes. The options must be those with which it was made.
 *
 * Errors: E_MODEL (the certificate is not that of these files, options, version and level; the message has the number of the
 * first line that differs and its beginning, or both levels), and those of ob_certify(). */
OB_API ob_status ob_certificate_verify(const char *text, size_t n_bytes, const char *before, const char *after,
                                       const ob_certify_options *options, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
