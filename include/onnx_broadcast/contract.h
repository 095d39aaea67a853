/** @defgroup contract The stated contract
 * @brief What a rewritten model says in its metadata about the sizes that it takes, tested without checking the model again.
 *
 * ob_rewrite() writes the solved contract into the model's metadata under #OB_CONTRACT_KEY, as text:
 *
 *     version: 1
 *     status: complete
 *     batch = target or batch = 1
 *     height % 32 = 0
 *
 * A contract with conditions on values (ob_report_bound()) has them behind the clauses and is of version 2:
 *
 *     version: 2
 *     status: complete
 *     batch >= 1
 *     values: 0 <= lengths <= batch
 *
 * They tell people and ob_check() what the model asks of elements; sizes are tested against the clauses alone.
 *
 * A host that runs such a model in any runtime tests the sizes of its inputs against it before it runs:
 *
 *     const char *text = ob_model_metadata(model, OB_CONTRACT_KEY); // or from the runtime at hand
 *     const ob_named_size sizes[] = {{"batch", 4}, {"target", 7}, {"x[0]", 3}};
 *     if (text && ob_contract_check(text, sizes, 3, NULL, &error) == OB_E_CONDITION) ...error.message names the clause...
 *
 * The text is what the file claims. It is as trustworthy as the file: a model that was changed afterwards may carry a contract
 * that is not its own any more. ob_check() computes the contract anew and says when the file states another; a session
 * (@ref session) tests the contract that it has found out itself.
 * @{ */
#ifndef ONNX_BROADCAST_CONTRACT_H
#define ONNX_BROADCAST_CONTRACT_H

#include <stddef.h>

#include "onnx_broadcast/dim.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The key of the model's metadata under which its contract stands. */
#define OB_CONTRACT_KEY "onnx_broadcast.contract"
/** Bytes that a stated contract has at most. */
#define OB_CONTRACT_TEXT_MAX 65536

/** Tests sizes of inputs against a stated contract.
 * - text: the value of #OB_CONTRACT_KEY, ended by NUL; borrowed. Lines that begin with something else than a clause or "values: "
 * are refused.
 * - sizes: n entries: symbols by name ("batch"), sizes without a name by place ("x[0]": axis 0 of input x). Names that the
 * contract does not mention are ignored, so all sizes of all inputs can be given, one size several times. NULL with n 0.
 * - out: may be NULL. OB_TRUE: the contract admits the sizes, where the conditions on values hold. OB_UNDECIDED: it states
 * nothing against them, but it is partial, or a size that it mentions was not given. Untouched on failure.
 *
 * Errors:
 * - E_CONDITION: the contract excludes these sizes; the message is one sentence with the first clause that they break and their
 * values.
 * - E_SHAPE: one name was given two sizes.
 * - E_FORMAT: the text is no contract, or of another version; the message names the line. E_LIMIT: it is longer than
 * #OB_CONTRACT_TEXT_MAX, or one of its terms too large.
 * - E_ARGUMENT: text NULL, sizes NULL with n > 0, a name NULL, a size out of range. E_MEMORY.
 *
 * Memory comes from the default allocator and is given back before the call returns. Thread-safe. */
OB_API ob_status ob_contract_check(const char *text, const ob_named_size *sizes, size_t n, ob_truth *out, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
