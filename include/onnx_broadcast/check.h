/** @defgroup check Checking
 * @brief Checks a model and reports findings, broadcasts, values and the conditions that remain.
 *
 *     ob_check_options options;
 *     ob_check_options_init(&options);
 *     ob_report *report = NULL;
 *     ob_error error;
 *     if (ob_check(model, &options, &report, &error) != OB_OK) ... // the model could not be checked: error.message
 *     for (size_t i = 0; i < ob_report_finding_count(report); i++) {
 *         ob_finding_info finding;
 *         ob_report_finding(report, i, &finding);
 *         ...
 *     }
 *     ob_report_close(&report);
 *
 * Threads: only one thread at a time may use a report, because functions that fill a struct create its texts on demand. Checking
 * a model and reading a report take at most 32 KiB of the calling thread's stack.
 * @{ */
#ifndef ONNX_BROADCAST_CHECK_H
#define ONNX_BROADCAST_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/baseline.h"
#include "onnx_broadcast/broadcast.h"
#include "onnx_broadcast/dtype.h"
#include "onnx_broadcast/model.h"
#include "onnx_broadcast/passes.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A shape for an input of the main graph. It replaces the declared shape. */
typedef struct ob_shape_given {
    const char *name;    /**< name of the input; a name that the model does not have is E_NOT_FOUND */
    int32_t rank;        /**< 0 .. OB_MAX_RANK */
    const int64_t *dims; /**< rank sizes, each 0 .. OB_DIM_CONST_MAX, or OB_DIM_UNKNOWN for an open size; NULL for rank 0 */
} ob_shape_given;

/** Another severity for findings. It changes which findings are reported, counted and listed. Rewriting still refuses a model
 * that is not sound. */
typedef struct ob_severity_given {
    /** "OB0101", or the beginning of several ids: "OB02". Upper and lower case are equal. E_NOT_FOUND when no id begins with
     * it */
    const char *id;
    ob_severity severity; /**< OB_SEVERITY_NONE: these findings are left out */
} ob_severity_given;

/** Findings to leave out at some nodes: for broadcasts that were looked at and are meant. */
typedef struct ob_ignore_given {
    const char *id; /**< as in ob_severity_given */
    /** Pattern for the path and name of the node, as in the report: "layer_1/If_3.then_branch/Add_7". It has to match all of it:
     * "*" stands for any text, "?" for one byte. Names of more than 1000 bytes are matched as the report shows them. A finding
     * without a node matches with the name of its value */
    const char *pattern;
} ob_ignore_given;

/** The key in the metadata of a node (metadata_props) with which a model suppresses findings at this node. Its value is a list of
 * ids or beginnings of ids, separated by commas or spaces, or "all": "OB0401", "OB04, OB0201". A file can suppress warnings and
 * notes. It cannot suppress errors: neither findings that are errors by default, nor findings that ob_severity_given makes
 * errors. */
#define OB_IGNORE_KEY "onnx_broadcast.ignore"

/** Options of a check. Always start from ob_check_options_init(). All pointers are borrowed during ob_check(). */
typedef struct ob_check_options {
    ob_rules rules;               /**< rule book [OB_RULES_ONNX] */
    const ob_named_size *dims;    /**< sizes to check with; NULL with n_dims 0 */
    size_t n_dims;                /**< number of entries in dims [0] */
    const ob_shape_given *shapes; /**< input shapes to check with; NULL with n_shapes 0 */
    size_t n_shapes;              /**< number of entries in shapes [0] */
    ob_pass_hook after_pass;      /**< called after each pass; may be NULL */
    void *context;                /**< passed to after_pass */
    /** Number of nodes to infer. Nodes of a function body count once for each call, and nodes of a loop body once for each
     * pass over the body. Over the limit, the results of functions and subgraphs stay unknown, and the report has finding
     * OB0805. 0: 2^20 plus 4 for each node of the model [0] */
    uint64_t max_nodes;
    /** Bytes of memory for findings with their texts and shapes. Findings over the limit are counted but not listed: n_dropped
     * of the summary. 0: 64 MiB [0] */
    uint64_t max_finding_bytes;
    const ob_severity_given *severities; /**< the last entry that matches an id applies; NULL with n_severities 0: the defaults */
    size_t n_severities;                 /**< number of entries in severities [0] */
    /** Findings to leave out at some nodes; NULL with n_ignores 0. They count in n_suppressed of the summary, like those that the
     * model suppresses (#OB_IGNORE_KEY) */
    const ob_ignore_given *ignores;
    size_t n_ignores; /**< number of entries in ignores [0] */
    /** Accepted findings (@ref baseline). They are left out and count in n_baseline of the summary. Entries that do not occur are
     * told in finding OB0807. NULL: none */
    const struct ob_baseline *baseline;
    const char *baseline_model; /**< name of this model in the baseline; NULL without a baseline */
    /** Conditions on input sizes that the contract assumes. Two forms are allowed: conditions as ob_condition_parse() reads
     * them ("batch >= 1", "height % 32 = 0"), and clauses as reports print them ("N <= 4 or N % 32 in {0, 31}", "if T >= 1: N
     * != 3"). The report lists them as assumptions, and its shapes use them. "N = 3" has the same effect as an entry of dims.
     * NULL with n_assumptions 0 */
    const char *const *assumptions;
    size_t n_assumptions; /**< number of entries in assumptions [0] */
    /** Names of deployment targets (@ref target) whose rules the model is compared with; a name twice is E_ARGUMENT, an unknown
     * one E_NOT_FOUND. NULL with n_targets 0 */
    const char *const *targets;
    size_t n_targets;        /**< number of entries in targets [0] */
    bool target_counts_only; /**< only the counts of ob_report_target(), no findings about targets [false] */
} ob_check_options;

/** Sets the defaults: the ONNX rule book and no other option. NULL is allowed and does nothing. */
OB_API void ob_check_options_init(ob_check_options *options);

/** The result of ob_check(). */
typedef struct ob_report ob_report;

/** Checks the model: operators, shapes, constant contents, and every broadcast under the rule book. Problems of the model are
 * not errors of this function; they become findings.
 * - model: borrows; must outlive the report, and must not be rewritten before the report is closed. Its symbol pool grows, so
 *   only one thread at a time may use the model.
 * - options: NULL for the defaults.
 * - report: returns owned: ob_report_close(). Its memory comes from the model's allocator.
 *
 * Errors: E_NOT_FOUND (a given symbol or input that the model does not have, an id that no finding has), E_ARGUMENT (NULL; a
 * size, rank or rule book out of range; two sizes for one symbol; an assumption that contradicts the given sizes), E_FORMAT (an
 * assumption that is not a condition), E_MEMORY, E_LIMIT (the model is too large), or the status that after_pass returned. */
OB_API ob_status ob_check(ob_model *model, const ob_check_options *options, ob_report **report, ob_error *error);
/** Frees the report and sets *report to NULL. NULL and *NULL are allowed. */
OB_API void ob_report_close(ob_report **report);

/** The pool of the dims in the report: each dim is a constant or a term of this pool, and ob_dim_format() prints it. A view;
 * the model owns the pool. */
OB_API const ob_dims *ob_report_dims(const ob_report *report);

/** Counts of a report. */
typedef struct ob_report_summary {
    size_t n_nodes;         /**< nodes of all graphs and functions */
    size_t n_values;        /**< values of all graphs and functions */
    size_t n_ranked;        /**< values with a known rank */
    size_t n_shaped;        /**< values with a known rank whose sizes are all constants or terms of named symbols */
    size_t n_broadcasts;    /**< nodes whose operands have different shapes, or may have */
    size_t n_plain;         /**< nodes of broadcasting operators whose operands all have the same shape */
    size_t n_conditions;    /**< conditions that remain for the run */
    size_t n_errors;        /**< findings of severity error, including those that are not listed: 0 for a sound model */
    size_t n_warnings;      /**< findings of severity warning, including those that are not listed */
    size_t n_notes;         /**< findings of severity note, including those that are not listed */
    size_t n_target_errors; /**< of n_errors, those about a deployment target (OB09xx), not about the model itself */
    size_t n_dropped;       /**< findings that are not listed, because of the limit of 100 000 findings or of max_finding_bytes */
    size_t n_suppressed;    /**< findings that are left out at their nodes, by ob_check_options.ignores or by the model itself */
    size_t n_baseline;      /**< findings that are left out because ob_check_options.baseline lists them */
    size_t n_open;          /**< broadcasts whose result has a size that is not a number; they do not count in copied_bytes */
    /** Bytes that an implementation that copies stretched operands would write: the sum over the broadcasts where this is a
     * number. Saturates at INT64_MAX */
    int64_t copied_bytes;
    /** The same sum over the broadcasts with open sizes too: a term of ob_report_dims(). OB_DIM_UNKNOWN when the term is too
     * large. Saturates at OB_DIM_CONST_MAX */
    ob_dim copied_term;
    size_t n_uncounted; /**< broadcasts that copied_term does not contain, because a part of their size is unknown */
} ob_report_summary;

/** Returns the counts; thread-safe. */
OB_API ob_report_summary ob_report_get_summary(const ob_report *report);

/* Long names. A report shows names of at most 1000 bytes as they are in the file. A longer name gets a number K, and the report
 * shows its beginning, "...{K}..." and its end; this text is always longer than 1000 bytes. Of a name of more than 64 KiB, texts
 * show only the beginning and "...{K}..."; this also holds for the texts of conditions and clauses. ob_report_long_name() returns
 * the complete name. Sentences (messages) show at most 200 bytes of a name and no number. A path contains at most 200 bytes of
 * each name; of a path of more than 1000 bytes the report shows ".../" and its end. */

/** Number of long names that the report has shown so far. */
OB_API size_t ob_report_long_name_count(const ob_report *report);
/** The complete name with number `index`, valid as long as the report; NULL when `index` is out of range. */
OB_API const char *ob_report_long_name(const ob_report *report, size_t index);
/** While this is on, ob_dim_format() and ob_condition_format() also shorten long names of sizes in ob_report_dims() to their
 * number. The size of printed text then stays in proportion to the size of the file. Off by default. */
OB_API void ob_report_shorten_names(ob_report *report, bool on);

/* ---- Findings: errors, probable accidents (OB04xx), other warnings, notes; each in the order of the nodes ---- */

/** One finding. Names come from the file and can contain any byte except NUL. */
typedef struct ob_finding_info {
    const char *id;       /**< "OB0101", see docs/findings.md */
    const char *title;    /**< one line, the same for every finding with this id */
    ob_severity severity; /**< severity under the rule book */
    /** Name of the node. A node without a name has the name of its first output, and without an output its type. "" when the
     * finding is not about a node */
    const char *node;
    const char *op_type; /**< operator type of the node, or "" */
    const char *domain;  /**< domain of the operator; "" is ai.onnx */
    const char *value;   /**< name of the value that the finding is about, or "" */
    const char *path;    /**< path of the node: "layer_1/If_3.then_branch/" inside subgraphs and functions, else "" */
    int32_t operand;     /**< input index, or -1 */
    int32_t axis;        /**< axis of the result, 0-based, or -1 */
    const char *message; /**< one sentence without file, id and node */
    /** Number of operand shapes, 0 when shapes do not matter. Of more than 16 operands: the first 15 and `operand` */
    size_t n_operands;
    const ob_shape *operands;         /**< shapes of the operands, n_operands entries */
    const char *const *operand_names; /**< names of the operands; "" for an omitted operand, "A * B" for the product in Gemm */
    const int32_t *operand_inputs;    /**< input indices of the operands, -1 for an operand that is not an input */
    const ob_condition *condition;    /**< the condition that the finding is about, or NULL */
    const char *fix;                  /**< advice on how to repair the model, or "" */
    const char *source;               /**< source position in the exporter's program, from the metadata of the node, or "" */
    size_t n_origins;                 /**< number of entries in origins */
    const char *const *origins;       /**< the sources of the sizes, one sentence each */
    /** Number of calls with the same operands, for a node in the body of a function: `path` is that of the first call. Else 1 */
    uint64_t n_calls;
    size_t clause; /**< index of the clause of the contract that the finding is about: ob_report_clause(); SIZE_MAX: none */
    /** Number of entries in caused: 0 unless the finding is a probable accident (OB04xx) that makes the run depend on sizes */
    size_t n_caused;
    /** Indices of clauses of the contract: conditions that exist because of this broadcast. They have no finding of their own */
    const size_t *caused;
    /** Identity of the finding: 32 hexadecimal digits. It depends on the id, on the node (its path and name; for a node without
     * a name, or with one that only counts nodes, such as "Add_50": on its operands), on operand, axis, shapes and the condition
     * of the finding. Edits elsewhere in the model do not change it. Equal findings have equal fingerprints. It stays the same in
     * all releases with the same #OB_BASELINE_VERSION */
    const char *fingerprint;
    /** the rule of a deployment target that the finding is about (onnx_broadcast/target.h); NULL: none. A finding that a question
     * has no answer has a row without value and source */
    const struct ob_target_row *rule;
} ob_finding_info;

/** Number of listed findings; see n_dropped in ob_report_summary. */
OB_API size_t ob_report_finding_count(const ob_report *report);
/** Fills *out with finding `index`; its pointers are views, valid until the next call of this function on the report. Errors:
 * E_NOT_FOUND (index out of range), E_MEMORY. */
OB_API ob_status ob_report_finding(ob_report *report, size_t index, ob_finding_info *out);

/** A group of similar entries of a list. */
typedef struct ob_alike {
    size_t first; /**< index of the first entry of the group */
    size_t n;     /**< number of entries, including the first */
    /** Number of entries in names: 0 if all entries are about the same sizes. At most 32, also if more entries differ */
    size_t n_names;
    /** For entries about other sizes than the first: the sizes in place of those of the first, "hidden_2" or "N2, M2". Each once.
     * Views, valid as long as the report */
    const char *const *names;
} ob_alike;

/** Fills *out with group `index` of findings. The findings of a group differ in the node, and in the sizes: these may have other
 * numbers in their names (hidden_1, hidden_2), or be the same axis of another input without a name for it (x[0], y[0]). Findings
 * about a clause of the contract have the same id, severity, operator and clause; others the same id, severity, operator,
 * operand, axis, shapes and condition. Groups are ordered by their first finding. A single finding is also a group. Errors:
 * E_NOT_FOUND (index out of range), E_MEMORY. */
OB_API ob_status ob_report_finding_group(ob_report *report, size_t index, ob_alike *out);

/* ---- Broadcasts ---- */

/** One broadcast: a node whose operands have different shapes, or may have. */
typedef struct ob_broadcast_info {
    const char *node;         /**< node name, its first output when it has no name */
    const char *op_type;      /**< operator type of the node */
    const char *domain;       /**< domain of the operator; "" is ai.onnx */
    const char *path;         /**< path of the node, as in ob_finding_info */
    const char *rule;         /**< "multidirectional", "one way", "batch dimensions", "opset 1-6", "expand" */
    size_t n_operands;        /**< number of entries in names, operands and stretched */
    const char *const *names; /**< names of the operands */
    const ob_shape *operands; /**< shapes as they are aligned: after the axis mapping for operands of opset 1-6 and of
                                 BroadcastInDim, else the complete shapes */
    ob_shape result;          /**< rank is unknown when `fits` is false */
    bool fits;                /**< false: the operands do not broadcast; see the findings of the node */
    int32_t n_fixed_axes;     /**< number of trailing axes that do not broadcast: the matrix axes of MatMul and similar operators,
                                 else 0 */
    const uint64_t *stretched; /**< for each operand: bit a is set when the operand is stretched along axis a of the result, or
                                  may be (ranks up to 64; 0 when ranks are unknown) */
    ob_dtype dtype;            /**< element type of the result */
    ob_dim copied_bytes; /**< bytes that an implementation that copies stretched operands would write, as a term; OB_DIM_UNKNOWN
                            when unknown; saturates at OB_DIM_CONST_MAX */
    uint64_t n_calls;    /**< as in ob_finding_info */
} ob_broadcast_info;

/** Number of broadcasts in all graphs and in all calls of functions. Calls with the same operands count once. */
OB_API size_t ob_report_broadcast_count(const ob_report *report);
/** Fills *out with broadcast `index`, in the order of the nodes; its pointers are views, valid until the next call of this
 * function on the report. Errors: E_NOT_FOUND (index out of range), E_MEMORY. */
OB_API ob_status ob_report_broadcast(ob_report *report, size_t index, ob_broadcast_info *out);

/** Fills *out with group `index` of broadcasts with the same pattern: the same operator, and operands and results with the
 * same shapes and element types. Groups are ordered by their first broadcast. Errors: E_NOT_FOUND (index out of range). */
OB_API ob_status ob_report_broadcast_group(ob_report *report, size_t index, ob_alike *out);

/* ---- Values and conditions ---- */

/** A value of the model: a tensor, or another result of a node. */
typedef struct ob_value_info {
    const char *name;        /**< name in the file */
    const char *path;        /**< path of its graph, as in ob_finding_info */
    const char *kind;        /**< "input", "initializer", "output", "inner" */
    ob_dtype dtype;          /**< OB_NONE when unknown or not a tensor */
    ob_shape shape;          /**< rank is unknown when the value is not a tensor */
    const char *type;        /**< "float[N,3]", "seq(tensor(float))" ... in ONNX's textual syntax */
    const char *why_unknown; /**< reason why a part is unknown, or "" */
} ob_value_info;

/** Number of values in all graphs and functions. */
OB_API size_t ob_report_value_count(const ob_report *report);
/** Fills *out with value `index`. The order is graph by graph: inputs, weights, then results in the order of the nodes. Its
 * pointers are views, valid until the next call of this function on the report. Errors: E_NOT_FOUND (index out of range),
 * E_MEMORY. */
OB_API ob_status ob_report_value(ob_report *report, size_t index, ob_value_info *out);

/** A condition of the model's shape contract: a requirement on the sizes of a run. */
typedef struct ob_condition_info {
    ob_condition condition; /**< its dims belong to ob_report_dims() */
    const char *text;       /**< "N = 1 or N = 5" */
    /** Node that requires it, or the first output of the node when it has no name; "" for graph inputs and outputs */
    const char *node;
    const char *op_type;        /**< operator type of that node, or "" */
    const char *path;           /**< path of that node, as in ob_finding_info */
    int32_t operand;            /**< input index, or -1 */
    int32_t axis;               /**< axis of the result, or -1 */
    size_t n_origins;           /**< number of entries in origins */
    const char *const *origins; /**< the sources of its sizes, one sentence each */
} ob_condition_info;

/** Number of conditions that the check could not decide. A session tests them before it runs (E_CONDITION). */
OB_API size_t ob_report_condition_count(const ob_report *report);
/** Fills *out with condition `index`, in the order in which the check found them; its pointers are views, valid until the next
 * call of this function on the report. Errors: E_NOT_FOUND (index out of range), E_MEMORY. */
OB_API ob_status ob_report_condition(ob_report *report, size_t index, ob_condition_info *out);

/* ---- The contract ---- */

/** How much the contract decides. */
typedef enum ob_contract_status {
    /** The contract decides: shapes fit if and only if the contract admits the sizes and the conditions on values hold
     * (ob_report_bound()). */
    OB_CONTRACT_COMPLETE,
    /** The contract is necessary but not sufficient: at least one requirement of the model could not be
     * expressed as a condition on input sizes. */
    OB_CONTRACT_PARTIAL,
    OB_CONTRACT_CONTRADICTORY /**< the contract admits no sizes */
} ob_contract_status;

/** "complete", "partial", "contradictory"; "" for a number outside the enum. Static; thread-safe. */
OB_API const char *ob_contract_status_name(ob_contract_status status);

/** Counts of the contract. */
typedef struct ob_contract_info {
    ob_contract_status status; /**< how much the contract decides */
    size_t n_proved;           /**< requirements that hold for all sizes */
    size_t n_conditions;       /**< requirements that depend on sizes, before solving */
    size_t n_refuted;          /**< requirements that hold for no sizes */
    size_t n_open;             /**< requirements that could not be expressed as conditions on input sizes */
    size_t n_clauses;          /**< clauses of the solved contract: ob_report_clause() */
    size_t n_limits;           /**< further clauses, after n_clauses, that only sizes of 10^9 and more along one axis break */
    size_t n_unverified;       /**< different reasons of the n_open requirements: ob_report_unverified() */
    size_t n_bounds;           /**< conditions on values, in addition to those on sizes: ob_report_bound() */
    size_t n_assumptions;      /**< assumptions: ob_report_assumption() */
    size_t n_sizes; /**< input sizes that the caller chooses; an input of unknown rank counts once. 0: every size is fixed */
} ob_contract_info;

/** Returns the counts; thread-safe. */
OB_API ob_contract_info ob_report_contract(const ob_report *report);

/** The node that causes a clause or an unverified requirement. Views, valid as long as the struct that contains them. */
typedef struct ob_contract_origin {
    const char *node;    /**< name of the node, or its first output when it has no name; "" for graph inputs and outputs */
    const char *op_type; /**< operator type of that node, or "" */
    const char *path;    /**< path of that node, as in ob_finding_info */
    int32_t operand;     /**< input index, or -1 */
    int32_t axis;        /**< axis of the result, or -1 */
} ob_contract_origin;

/** One alternative of a clause. Its dims belong to ob_report_dims(). */
typedef struct ob_clause_term {
    const char *kind; /**< "zero": p = 0; "nonzero"; "nonnegative": p >= 0; "divides": q >= 1 and q divides p; "not divides" */
    ob_dim p;         /**< the term */
    ob_dim q;         /**< the divisor of "divides" and "not divides"; else 0 */
} ob_clause_term;

/** A clause of the solved contract. All clauses must hold. */
typedef struct ob_clause_info {
    /** Kind of the alternative: "equal", "at least", "multiple"; "one of" when there are several alternatives */
    const char *kind;
    const char *text;                  /**< "batch = target or batch = 1", "if T >= 1: N = 4" */
    size_t n_origins;                  /**< number of entries in origins */
    const ob_contract_origin *origins; /**< nodes that require the clause, in the order of the nodes, at most 16 */
    size_t n_nodes;                    /**< number of different nodes that require the clause */
    size_t n_symbols;                  /**< number of entries in symbols */
    const ob_dim *symbols;             /**< symbols of ob_report_dims(), in order of appearance */
    size_t n_holds;                    /**< number of entries in holds: 0 when no example was found */
    const ob_named_size *holds;        /**< example sizes that the whole contract admits */
    size_t n_fails;                    /**< number of entries in fails: 0 when no example was found */
    const ob_named_size *fails;        /**< example sizes that break only this clause */
    size_t n_terms;                    /**< number of entries in terms */
    size_t n_guards; /**< number of first entries in terms that are negated guards: each says that a guard does not hold */
    const ob_clause_term *terms; /**< alternatives: the clause holds when at least one of them holds */
    size_t n_decides;            /**< number of entries in decides: 0 when none was found */
    /** The smallest set of sizes that makes the clause hold for all values of the other sizes, with example values that the
     * contract admits */
    const ob_named_size *decides;
    /** The node to change so that the model admits more sizes: the first node that requires the clause and for which `fails`
     * fails. NULL when the clause follows only from assumptions */
    const ob_contract_origin *repair;
} ob_clause_info;

/** Fills *out with clause `index`, 0 .. n_clauses + n_limits - 1; the limits come after the other clauses. Its pointers are
 * views, valid until the next call of this function on the report. Errors: E_NOT_FOUND (index out of range), E_MEMORY. */
OB_API ob_status ob_report_clause(ob_report *report, size_t index, ob_clause_info *out);

/** Fills *out with group `index` of the first n_clauses clauses. The clauses of a group differ only in the sizes, as in
 * ob_report_finding_group(). Groups are ordered by their first clause. A single clause is also a group. Errors: E_NOT_FOUND
 * (index out of range), E_MEMORY. */
OB_API ob_status ob_report_clause_group(ob_report *report, size_t index, ob_alike *out);

/** Sizes that a complete contract admits, for all symbols in its clauses. */
typedef struct ob_example_info {
    size_t n_sizes;             /**< number of entries in sizes */
    const ob_named_size *sizes; /**< in the order of appearance in the clauses; neither 0 nor 1 where others were found */
} ob_example_info;

/** Fills *out with example `index`: 0, or 1 for larger sizes. Each was tested against the contract and the assumptions. Its
 * pointers are views, valid until the next call of a function of the contract on the report. Errors: E_NOT_FOUND (there is no
 * such example: the contract is not complete, has no clauses, more than 64 clauses or more than 16 symbols, or no sizes were
 * found), E_MEMORY. */
OB_API ob_status ob_report_example(ob_report *report, size_t index, ob_example_info *out);

/** Requirements that could not be expressed as conditions on input sizes, for one reason. */
typedef struct ob_unverified_info {
    const char *reason;       /**< "indices depend on data" */
    ob_contract_origin first; /**< origin of the first requirement */
    size_t n;                 /**< number of requirements */
} ob_unverified_info;

/** Fills *out with reason `index`, 0 .. n_unverified - 1; its pointers are views, valid until the next call of this function
 * on the report. Errors: E_NOT_FOUND (index out of range), E_MEMORY. */
OB_API ob_status ob_report_unverified(ob_report *report, size_t index, ob_unverified_info *out);

/** A condition on values: every element of an input, or of a part of it, is between two terms. In a run with other elements,
 * the node that uses them fails, for example because an index is out of range or a length is too large. Where arithmetic
 * between the input and that node wraps around, a run can succeed with elements that the condition excludes. The reverse never
 * happens. */
typedef struct ob_bound_info {
    const char *text;  /**< "0 <= ids < 30522", "if N >= 1: 0 <= x[:, 1] < M" */
    const char *input; /**< name of the input of the main graph */
    ob_dtype dtype;    /**< element type of the input */
    bool is_rounded;   /**< true: elements are floats and are rounded towards 0 before the comparison; NaN is excluded */
    int32_t rank; /**< number of entries in first and end: the rank of the input, or 0 when the condition applies to the whole
                     input */
    const ob_dim *first;               /**< first index of the part, by axis; NULL: the whole input */
    const ob_dim *end;                 /**< index after the last one of the part, by axis; NULL: the whole input */
    ob_dim lowest;                     /**< smallest allowed element; OB_DIM_UNKNOWN: no limit */
    ob_dim highest;                    /**< largest allowed element; OB_DIM_UNKNOWN: no limit */
    size_t n_guards;                   /**< number of entries in guards */
    const ob_dim *guards;              /**< terms of sizes: the condition applies only where each of them is 1 or more */
    size_t n_requirements;             /**< number of requirements that demand this condition, or one that follows from it */
    size_t n_origins;                  /**< number of entries in origins */
    const ob_contract_origin *origins; /**< nodes that require it, at most 16 */
} ob_bound_info;

/** Fills *out with condition on values `index`, 0 .. n_bounds - 1. Its dims belong to ob_report_dims(). Its pointers are
 * views, valid until the next call of this function, or of another function of the contract, on the report. Errors:
 * E_NOT_FOUND (index out of range), E_MEMORY. */
OB_API ob_status ob_report_bound(ob_report *report, size_t index, ob_bound_info *out);

/** An assumption of the contract. */
typedef struct ob_assumption_info {
    const char *text; /**< "N >= 1" as the user wrote it, or "axis 0 of "u" is N" */
    /** true: the file declares it for a value about which inference knows nothing; it is listed but proves nothing. false: an
     * entry of ob_check_options.assumptions, which the contract uses */
    bool declared;
    const char *value; /**< name of the value with the declaration, or "" */
} ob_assumption_info;

/** Fills *out with assumption `index`, 0 .. n_assumptions - 1. Those of the options come first, in their order. Its pointers
 * are views, valid until the next call of this function on the report. Errors: E_NOT_FOUND (index out of range), E_MEMORY. */
OB_API ob_status ob_report_assumption(ob_report *report, size_t index, ob_assumption_info *out);

/** Tests input sizes against the contract. *out is OB_TRUE, OB_FALSE, or OB_UNDECIDED. It is undecided when a partial contract
 * does not exclude the sizes, or when a symbol has no size. *clause is the first clause that the sizes break, or SIZE_MAX;
 * clause may be NULL.
 * - sizes: n entries: symbols by name, input sizes without a name by place: "x[0]". Borrowed. Symbols that the contract does
 *   not mention need no size.
 *
 * Errors: E_ARGUMENT (NULL, a size out of range), E_NOT_FOUND (a name that no input has), E_MEMORY. */
OB_API ob_status ob_report_contract_holds(const ob_report *report, const ob_named_size *sizes, size_t n, ob_truth *out,
                                          size_t *clause);

/** Writes the contract as C functions to `sink`, in one piece; `context` is passed to `sink`. The text needs only stdint.h and
 * compiles as C11 and C++11. For name "guard_m" it defines
 *
 *     int guard_m(const int64_t *sizes, const char **clause);
 *     int guard_m_count(void);             // number of sizes
 *     const char *guard_m_name(int index); // the symbol of size `index`, in the order of the inputs
 *
 *     int guard_m_values(const int64_t *sizes, const void *const *data, const int *types, const int64_t *counts,
 *                        const char **condition);
 *     int guard_m_inputs(void);            // number of inputs with conditions on values
 *     const char *guard_m_input(int index);
 *     int guard_m_input_type(int index);   // number of its element type in ONNX, an ob_dtype
 *
 * guard_m tests sizes like ob_report_contract_holds(). It returns:
 * - 0: the contract admits the sizes.
 * - k > 0: the k-th clause (index k - 1 of ob_report_clause()) does not hold; *clause is its text, unless clause is NULL.
 *   n_clauses + n_limits + 1 when the contract is contradictory and no clause is broken.
 * - -1: unknown, because a number left its range.
 * - -2: no clause is broken, but the model has further requirements that depend on data.
 * - -3: a size is out of range.
 *
 * guard_m_values tests the elements of inputs against the conditions on values (ob_report_bound()). data, types and counts
 * have guard_m_inputs() entries: the elements of the input, row-major and aligned to their size, their type, and their number.
 * It returns:
 * - 0: all conditions hold.
 * - k > 0: the k-th condition does not hold; *condition is its text, unless condition is NULL.
 * - -1: unknown, because a number left its range.
 * - -3: a size out of range, a type that differs from that of the input, a wrong number of elements for these sizes, or no
 *   data where there are elements.
 *
 * Parameters:
 * - report: borrowed; the symbol pool of its model may grow.
 * - name: name of the function: letters, digits and "_". It begins with a letter, is not a reserved word of C or C++, and does
 *   not begin with "obg_".
 *
 * Errors: E_ARGUMENT (NULL, an invalid name), E_MEMORY, and the status that the sink returned. */
OB_API ob_status ob_report_guard_write(const ob_report *report, const char *name, ob_write_sink sink, void *context,
                                       ob_error *error);

/* ---- The reference of findings ---- */

/** The entry of a finding in docs/findings.md. All texts are static. */
typedef struct ob_finding_doc {
    const char *id;       /**< "OB0101" */
    const char *title;    /**< one line */
    const char *text;     /**< several lines: meaning, consequence, remedy, source of the rule */
    ob_severity severity; /**< default severity */
} ob_finding_doc;

/** Number of findings. Thread-safe. */
OB_API size_t ob_finding_doc_count(void);
/** Entry `index`, ordered by id; all NULL when `index` is out of range. Thread-safe. */
OB_API ob_finding_doc ob_finding_doc_at(size_t index);
/** The entry with this id; upper and lower case are equal (ob0101). All NULL when no finding has this id, or for NULL.
 * Thread-safe. */
OB_API ob_finding_doc ob_finding_doc_find(const char *id);

/** "error", "warning", "note", "none" (also for a number outside the enum). Static; thread-safe. */
OB_API const char *ob_severity_name(ob_severity severity);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
