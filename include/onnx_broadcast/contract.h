/** @defgroup contract The stated contract
 * @brief Tests sizes against the contract in the metadata of a rewritten model, without checking the model again.
 *
 * ob_rewrite() writes the solved contract into the model's metadata under #OB_CONTRACT_KEY, as text:
 *
 *     version: 1
 *     status: complete
 *     batch = target or batch = 1
 *     height % 32 = 0
 *
 * A contract with conditions on values (ob_report_bound()) has version 2 and lists them after the clauses:
 *
 *     version: 2
 *     status: complete
 *     batch >= 1
 *     values: 0 <= lengths <= batch
 *
 * The conditions on values inform human readers and ob_check(). Sizes are tested only against the clauses.
 *
 * A host program that runs such a model in any runtime can test the sizes of its inputs before the run:
 *
 *     const char *text = ob_model_metadata(model, OB_CONTRACT_KEY); // or from the API of the runtime
 *     const ob_named_size sizes[] = {{"batch", 4}, {"target", 7}, {"x[0]", 3}};
 *     if (text && ob_contract_check(text, sizes, 3, NULL, &error) == OB_E_CONDITION) ...error.message names the clause...
 *
 * The text is a claim of the file and only as trustworthy as the file: a model that was changed after rewriting can carry an
 * outdated contract. ob_check() computes the contract again and reports when the file states another one. A session (@ref
 * session) tests the contract that it computes itself.
 * @{ */
#ifndef ONNX_BROADCAST_CONTRACT_H
#define ONNX_BROADCAST_CONTRACT_H

#ifdef OB_WITHOUT_CHECKER
#error "this build of onnx_broadcast has no checker (OB_WITH_CHECKER is off)"
#endif

#include <stddef.h>

#include "onnx_broadcast/dim.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The key of the contract in the model's metadata. */
#define OB_CONTRACT_KEY "onnx_broadcast.contract"
/** Maximum length of a stated contract in bytes. */
#define OB_CONTRACT_TEXT_MAX 65536

/** Tests input sizes against a stated contract.
 * - text: the value of #OB_CONTRACT_KEY, terminated by NUL; borrowed. After version and status every line must be a clause, or
 *   begin with "values: ".
 * - sizes: n entries: symbols by name ("batch"), sizes without a name by place ("x[0]": axis 0 of input x). Names that the
 *   contract does not mention are ignored, so the caller can pass all sizes of all inputs, also the same size several times.
 *   NULL with n 0.
 * - out: may be NULL. OB_TRUE: the contract admits the sizes, provided that the conditions on values hold. OB_UNDECIDED: the
 *   contract does not exclude the sizes, but it is partial, or a size that it mentions is missing. Not written on failure.
 *
 * Errors:
 * - E_CONDITION: the contract excludes these sizes; the message gives the first broken clause and the values of its sizes.
 * - E_SHAPE: two different sizes for one name.
 * - E_FORMAT: the text is not a contract, or has an unknown version; the message gives the line.
 * - E_LIMIT: the text is longer than #OB_CONTRACT_TEXT_MAX, or one of its terms is too large.
 * - E_ARGUMENT: text is NULL, sizes is NULL with n > 0, a name is NULL, a size is out of range.
 * - E_MEMORY.
 *
 * Uses memory of the default allocator and frees it before it returns. Thread-safe. */
OB_API ob_status ob_contract_check(const char *text, const ob_named_size *sizes, size_t n, ob_truth *out, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
