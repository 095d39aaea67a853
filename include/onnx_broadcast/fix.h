/** @defgroup fix Fixing
 * @brief Changes a model so that findings of the checker disappear, and checks each change.
 *
 *     ob_fixes *fixes = NULL;
 *     if (ob_fix_model(model, NULL, &fixes, &error) != OB_OK) ...
 *     for (size_t i = 0; i < ob_fixes_count(fixes); i++) {
 *         ob_fix_info fix = ob_fixes_at(fixes, i);
 *         printf("%s %s: %s\n", fix.id, fix.node, fix.outcome == OB_FIX_APPLIED ? fix.text : fix.reason);
 *     }
 *     ob_fixes_close(&fixes);
 *     if (ob_model_save(model, "fixed.onnx", OB_FORMAT_AUTO, &error) != OB_OK) ...
 * @{ */
#ifndef ONNX_BROADCAST_FIX_H
#define ONNX_BROADCAST_FIX_H

#include <stdbool.h>
#include <stddef.h>

#include "onnx_broadcast/check.h"
#include "onnx_broadcast/model.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of ob_fix_model(). All zero is the default: `ob_fix_options options = {0};`. All pointers are borrowed during the
 * call.
 *
 * By default only safe fixes are made. A fix is safe if one of these holds:
 * - The finding is an error of an operator (OB01xx, OB06xx), so no run of the model ever succeeded, and only this fix fits.
 * - The fix changes no result: it sorts nodes.
 * - The fix replaces a constant size by a computed one, and the contract of the model makes both equal. All runs that were
 *   possible give the same results.
 *
 * Other fixes change results of runs that were possible, or are one of several that fit. They need `all` or `ids`. */
typedef struct ob_fix_options {
    bool all; /**< also fixes that are not safe */
    /** Only findings with these ids are fixed, safe or not: "OB0401", or the beginning of several ids, "OB04". Upper and lower
     * case are equal. E_NOT_FOUND when no id begins with an entry. NULL with n_ids 0: all findings */
    const char *const *ids;
    size_t n_ids; /**< number of entries in ids [0] */
    /** How the model is checked; NULL: the defaults. Findings that the report leaves out (severities, ignores) are not fixed.
     * Fixes are for all sizes: dims, shapes and assumptions must be empty */
    const ob_check_options *check;
    size_t max_checks; /**< number of times that the changed model may be checked; 0: 64 [0] */
} ob_fix_options;

/** What became of a fix. */
typedef enum ob_fix_outcome {
    OB_FIX_APPLIED, /**< the model has it */
    OB_FIX_REFUSED, /**< it was tried and undone, or it cannot be made: `reason` */
    OB_FIX_UNSAFE   /**< it was not tried, because it is not safe and was not asked for: `reason` */
} ob_fix_outcome;

/** One fix. All texts are views, valid as long as the list. Names come from the file and can contain any byte except NUL. */
typedef struct ob_fix_info {
    const char *id;         /**< of the finding: "OB0101" */
    const char *node;       /**< name of the node of the finding, its first output when it has none; "" for no node */
    const char *op_type;    /**< operator of this node, or "" */
    const char *path;       /**< path of this node, as in ob_finding_info */
    const char *kind;       /**< "unsqueeze", "squeeze", "reshape", "transpose", "swap", "keepdims", "size", "axis", "sort" */
    const char *text;       /**< the change: "insert Unsqueeze(axes=[1]) before operand 1 'scale': (C) -> (C,1)" */
    ob_fix_outcome outcome; /**< made, refused or left to the reader */
    const char *reason;     /**< one sentence, "" for OB_FIX_APPLIED */
    /** Shapes of the operands and the first result of the changed node, before the fix: "(N,64,8,8), (64) -> ?". A shape or a
     * size that is not known is "?". "" unless the fix was applied to a node */
    const char *before;
    const char *after; /**< the same after the fix: "(N,64,8,8), (64,1,1) -> (N,64,8,8)" */
} ob_fix_info;

/** The fixes of one call of ob_fix_model(). */
typedef struct ob_fixes ob_fixes;

/** Checks the model, makes the fixes of its findings in place, and checks it again. A fix stays only if all of this holds:
 * - its finding is gone;
 * - no finding is new;
 * - the contract admits all sizes that it admitted before. A fix that works for batch = 1 only is therefore refused.
 *
 * Otherwise it is undone, and the next fix of the finding is tried. Fixes are tried together and, if that fails, in smaller
 * groups. The model stays as it was when no fix can be made. Declared shapes that agreed with the model before a fix that was
 * asked for, and contradict it afterwards, are replaced by the new ones.
 *
 * - model: no report of it may be open. Its own inputs, outputs and their names stay.
 * - options: NULL for the defaults.
 * - fixes: returns owned: ob_fixes_close(). Its memory comes from the allocator of the model. It does not refer to the model.
 *
 * Errors (the model does not change): E_ARGUMENT (model or fixes is NULL, invalid options), E_NOT_FOUND (an id that no finding
 * has), E_MEMORY, E_LIMIT (the model is too large), the status that after_pass returned.
 *
 * Threads: as ob_rewrite(), only one thread at a time may use the model. */
OB_API ob_status ob_fix_model(ob_model *model, const ob_fix_options *options, ob_fixes **fixes, ob_error *error);
/** Number of fixes: those that were applied first, in the order in which they were made. */
OB_API size_t ob_fixes_count(const ob_fixes *fixes);
/** Number of fixes with this outcome. */
OB_API size_t ob_fixes_count_of(const ob_fixes *fixes, ob_fix_outcome outcome);
/** Fix `index`; all texts NULL when `index` is out of range. */
OB_API ob_fix_info ob_fixes_at(const ob_fixes *fixes, size_t index);
/** Frees the list and sets *fixes to NULL. NULL and *NULL are allowed. */
OB_API void ob_fixes_close(ob_fixes **fixes);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
