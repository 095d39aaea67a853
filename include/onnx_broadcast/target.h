/** @defgroup target Deployment targets
 * @brief What compilers, runtimes and accelerators accept of broadcasting, and what they do with a model that breaks a rule.
 *
 *     const char *targets[] = {"tosa-8k", "litert"};
 *     options.targets = targets;
 *     options.n_targets = 2;
 *     if (ob_check(model, &options, &report, &error) != OB_OK) ...
 *     for (size_t i = 0; i < ob_report_target_count(report); i++) {
 *         ob_target_verdict verdict = ob_report_target(report, i);
 *         ...
 *     }
 *
 * Each rule of a target is one row of a table, with its source and the confidence in it (docs/targets.md). A target without a row
 * for a question is not known to accept anything: reports say "not known", never that the model is accepted. Rows that rest on
 * memory alone count as not known. A size of 1 against an open size counts as stretched. Rules are about nodes that can
 * broadcast; other nodes are not examined.
 * @{ */
#ifndef ONNX_BROADCAST_TARGET_H
#define ONNX_BROADCAST_TARGET_H

#include <stddef.h>

#include "onnx_broadcast/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One row per effect, from the mildest to the worst: NAME, name, sentence. */
#define OB_EFFECT_LIST(X)                                                                                                        \
    X(NONE, "nothing", "accepts it")                                /**< breaks no rule */                                       \
    X(SLOW, "slow", "runs it on a slow path")                       /**< runs on a path that is not optimized */                 \
    X(FALLBACK, "fallback", "leaves the node to another processor") /**< another processor runs the node */                      \
    X(UNKNOWN, "not known", "does something that is not known")     /**< no source states the effect */                          \
    X(FAIL, "fail", "fails at run time")                            /**< a run ends with an error */                             \
    X(REFUSE, "refuse", "refuses the model")                        /**< the model does not convert or load */                   \
    X(ABORT, "abort", "aborts the process")                         /**< the process ends */                                     \
    X(UNDEFINED, "undefined", "overwrites memory")                  /**< memory outside arrays is overwritten */                 \
    X(WRONG, "wrong", "computes wrong numbers")                     /**< results are wrong, without a message */                 \
    /* the end */

/** What a target does with a node that breaks a rule, from the mildest to the worst. */
typedef enum ob_effect {
#define OB_EFFECT_ENUM(name, text, sentence) OB_EFFECT_##name,
    OB_EFFECT_LIST(OB_EFFECT_ENUM)
#undef OB_EFFECT_ENUM
        OB_EFFECT_COUNT /**< number of effects; not an effect */
} ob_effect;

/** "slow", "refuse", ...; "" for a number outside the enum. Static; thread-safe. */
OB_API const char *ob_effect_name(ob_effect effect);

/** A target. All texts are static. */
typedef struct ob_target_info {
    const char *name;    /**< "tosa-8k" */
    const char *title;   /**< one line */
    const char *version; /**< versions to which the rules apply, for instance "2.1.6 and later" */
    size_t n_rules;      /**< rows of the target: ob_target_rule_at() */
} ob_target_info;

/** Number of targets. Thread-safe. */
OB_API size_t ob_target_count(void);
/** Target `index`, in the order of the table; all NULL when `index` is out of range. Thread-safe. */
OB_API ob_target_info ob_target_at(size_t index);
/** The index of the target with this name; SIZE_MAX when no target has it, or for NULL. Thread-safe. */
OB_API size_t ob_target_find(const char *name);

/** One row of the table: the answer of a target to one question, for some operators. */
typedef struct ob_target_row {
    const char *target;     /**< name of the target */
    const char *what;       /**< the question, for instance "most axes" */
    char value[160];        /**< the answer, for instance "6, where operands differ in shape" */
    char operators[256];    /**< the operators for which the row holds: "all", or a list */
    ob_effect effect;       /**< what the target does when a node breaks the rule; NONE: the rule permits everything */
    const char *confidence; /**< "source code", "documentation", "thread" (said in an issue) or "memory" (not checked) */
    const char *source;     /**< repository and file with commit and date, or document with date */
} ob_target_row;

/** Row `rule` of target `target`, 0 .. n_rules - 1; all 0 when one of them is out of range. Of several rows about one question,
 * the first that names an operator holds for it. Thread-safe. */
OB_API ob_target_row ob_target_row_at(size_t target, size_t rule);

/** The verdict about a model, for one target of ob_check_options.targets. Nodes in function bodies count once for each group of
 * calls with equal operands. */
typedef struct ob_target_verdict {
    const char *name;     /**< name of the target */
    size_t n_nodes;       /**< nodes that were examined: those of operators that can broadcast */
    size_t n_accepted;    /**< nodes with stretched operands that keep every rule, where every question has an answer */
    size_t n_plain;       /**< nodes of which nothing is stretched and that break no known rule; no more was asked about them */
    size_t n_unknown;     /**< nodes that break no known rule, but at least one question has no answer */
    size_t n_conditional; /**< nodes that keep the rules only for some of the open sizes */
    /** nodes that break a rule, by the worst effect; entry OB_EFFECT_UNKNOWN: a rule is broken, its effect is not known */
    size_t n_broken[OB_EFFECT_COUNT];
    ob_effect worst; /**< the worst effect of a broken rule; NONE: none is broken */
} ob_target_verdict;

/** Number of targets in the report. Thread-safe. */
OB_API size_t ob_report_target_count(const ob_report *report);
/** The verdict for target `index`, in the order of ob_check_options.targets; all 0 when `index` is out of range. Thread-safe. */
OB_API ob_target_verdict ob_report_target(const ob_report *report, size_t index);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
