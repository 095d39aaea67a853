/** @defgroup check Checking
 * @brief What there is to say about a model: findings, broadcasts, values and the conditions that remain.
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
 *
 * A report is for one thread at a time: functions that fill a struct make its texts when they are asked for. Checking, and
 * reading a report, takes at most 32 KiB of the calling thread's stack.
 * @{ */
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

/** A shape for an input of the main graph, by name; replaces the declared one. */
typedef struct ob_shape_given {
    const char *name;    /**< of the input; one that the model does not have is E_NOT_FOUND */
    int32_t rank;        /**< 0 .. OB_MAX_RANK */
    const int64_t *dims; /**< rank sizes, each 0 .. OB_DIM_CONST_MAX, or OB_DIM_UNKNOWN: left open; NULL for rank 0 */
} ob_shape_given;

/** Another severity for findings: what is told, counted and listed. Rewriting refuses an unsound model all the same. */
typedef struct ob_severity_given {
    const char *id; /**< "OB0101", or the beginning of several ids: "OB02"; in any case. One that begins none is E_NOT_FOUND */
    ob_severity severity; /**< OB_SEVERITY_NONE: left out */
} ob_severity_given;

/** How to check. Always start from ob_check_options_init(). Everything here is borrowed during ob_check(). */
typedef struct ob_check_options {
    ob_rules rules;               /**< rule book [OB_RULES_ONNX] */
    const ob_named_size *dims;    /**< what-if sizes; NULL with n_dims 0 */
    size_t n_dims;                /**< entries of dims [0] */
    const ob_shape_given *shapes; /**< what-if input shapes; NULL with n_shapes 0 */
    size_t n_shapes;              /**< entries of shapes [0] */
    ob_pass_hook after_pass;      /**< called after each pass; may be NULL */
    void *context;                /**< of after_pass */
    /** Nodes to infer, those of a function's body once for each call and of a loop's body once for each time that it is looked
     * at. Beyond, results of functions and subgraphs stay unknown, which finding OB0805 says. 0: 2^20 and four for each node of
     * the model [0] */
    uint64_t max_nodes;
    /** Bytes that findings may hold, with their texts and shapes. Those beyond are counted, not listed: n_dropped of the summary.
     * 0: 64 MiB [0] */
    uint64_t max_finding_bytes;
    const ob_severity_given *severities; /**< the last that fits an id counts; NULL with n_severities 0: the defaults */
    size_t n_severities;                 /**< entries of severities [0] */
    /** Conditions on sizes of inputs that the contract may build on: "batch >= 1", "height % 32 = 0", as ob_condition_parse()
     * reads them, and clauses as reports have them: "N <= 4 or N % 32 in {0, 31}", "if T >= 1: N != 3"; listed as assumptions.
     * Shapes in the report are those of such sizes; "N = 3" is as good as an entry of dims. NULL with n_assumptions 0 */
    const char *const *assumptions;
    size_t n_assumptions; /**< entries of assumptions [0] */
} ob_check_options;

/** The onnx rule book, nothing given. NULL is allowed and does nothing. */
OB_API void ob_check_options_init(ob_check_options *options);

/** What ob_check() found out. */
typedef struct ob_report ob_report;

/** Examines the model: operators, shapes, contents, every broadcast under the rule book. A bad model is not a failure but has
 * findings.
 * - model: borrows; must outlive the report and not be rewritten while it lives. Its symbol pool grows: one thread per model.
 * - options: NULL for the defaults.
 * - report: returns owned: ob_report_close(). Its memory comes from the model's allocator.
 *
 * Errors: E_NOT_FOUND (a given symbol or input that the model does not have), E_ARGUMENT (NULL, a size, rank or rule book out of
 * range, two sizes for one symbol, an assumption that is not true of the sizes that are given), E_FORMAT (an assumption that is
 * no condition), E_MEMORY, E_LIMIT (a model too large), or what after_pass returned. */
OB_API ob_status ob_check(ob_model *model, const ob_check_options *options, ob_report **report, ob_error *error);
/** Frees the report and sets *report to NULL. NULL and *NULL are allowed. */
OB_API void ob_report_close(ob_report **report);

/** Dims of every shape in the report are constants or terms of this pool; ob_dim_format() writes them. A view of the model's. */
OB_API const ob_dims *ob_report_dims(const ob_report *report);

/** The report in numbers. */
typedef struct ob_report_summary {
    size_t n_nodes;       /**< of all graphs and functions */
    size_t n_values;      /**< of all graphs and functions */
    size_t n_ranked;      /**< values with a known rank */
    size_t n_shaped;      /**< values whose every size is a constant or a term of named symbols */
    size_t n_broadcasts;  /**< nodes whose operands differ in shape, or may */
    size_t n_plain;       /**< nodes of broadcasting operators whose operands have one shape */
    size_t n_conditions;  /**< that remain for the run */
    size_t n_errors;      /**< findings of severity error, those not listed included: 0 for a sound model */
    size_t n_warnings;    /**< findings of severity warning, those not listed included */
    size_t n_notes;       /**< findings of severity note, those not listed included */
    size_t n_dropped;     /**< findings beyond the limits of 100 000 and of max_finding_bytes, not listed */
    size_t n_open;        /**< broadcasts whose result has a size that is not a number: not in copied_bytes */
    int64_t copied_bytes; /**< sum over the broadcasts of what a copying implementation would write where that is a known number;
                             saturates at INT64_MAX */
    ob_dim copied_term; /**< the same with those of open size: a term of ob_report_dims(); OB_DIM_UNKNOWN when it is too large to
                           be written; saturates at OB_DIM_CONST_MAX */
    size_t n_uncounted; /**< broadcasts that are not in copied_term: something about their size is not known */
} ob_report_summary;

/** The numbers; thread-safe. */
OB_API ob_report_summary ob_report_get_summary(const ob_report *report);

/* Names in a report are those of the file as long as they have at most 1000 bytes. A longer one is told by its number K: its
 * beginning, "...{K}..." and its end, which is always more than 1000 bytes; of more than 64 KiB the beginning only, in texts of
 * conditions and clauses as well. ob_report_long_name() has it whole. Within sentences for people it is 200 bytes and no number.
 * A path has names of at most 200 bytes; one of more than 1000 bytes is ".../" and its end. */

/** Names that were told by number so far. */
OB_API size_t ob_report_long_name_count(const ob_report *report);
/** The name with the number `index`, whole, as long as the report lives; NULL beyond the last. */
OB_API const char *ob_report_long_name(const ob_report *report, size_t index);
/** While this is on, ob_dim_format() and ob_condition_format() tell long names of sizes in ob_report_dims() by number as well:
 * what is written of a model then stays in proportion to its file. Off at first. */
OB_API void ob_report_shorten_names(ob_report *report, bool on);

/* ---- Findings, in the order of the nodes ---- */

/** One finding. Names come from the file: any bytes but NUL can stand in them. */
typedef struct ob_finding_info {
    const char *id;           /**< "OB0101", see docs/findings.md */
    const char *title;        /**< one line, the same for every finding with that id */
    ob_severity severity;     /**< as the rule book has it */
    const char *node;         /**< node name, its first output when it has no name, its type when it has neither; "" when no node
                                 is meant */
    const char *op_type;      /**< of the node, or "" */
    const char *domain;       /**< of the operator; "" is ai.onnx */
    const char *value;        /**< name of the value that is meant, or "" */
    const char *path;         /**< where the node is: "layer_1/If_3.then_branch/" inside subgraphs and functions, else "" */
    int32_t operand;          /**< input index, or -1 */
    int32_t axis;             /**< of the result, 0-based, or -1 */
    const char *message;      /**< one sentence without file, id and node */
    size_t n_operands;        /**< shapes that met here, 0 when they do not matter; of more than 16 the first 15 and `operand` */
    const ob_shape *operands; /**< their shapes, n_operands */
    const char *const *operand_names; /**< their names; "" for one that is left out, "A * B" for Gemm's product */
    const int32_t *operand_inputs;    /**< their input indices, -1 for what is not an input */
    const ob_condition *condition;    /**< the condition that the finding is about, or NULL */
    const char *fix;                  /**< what to do, or "" */
    const char *source;               /**< the exporter's source position that the node's metadata holds, or "" */
    size_t n_origins;                 /**< entries of origins */
    const char *const *origins;       /**< where sizes came from, one sentence each */
    uint64_t n_calls; /**< calls with the same operands that it stands for, where the node is in the body of a function: `path` is
                         the first; else 1 */
    size_t clause;    /**< index of the clause of the contract that the finding is about: ob_report_clause(); SIZE_MAX: none */
} ob_finding_info;

/** Findings, as many as are listed: see n_dropped in ob_report_summary. */
OB_API size_t ob_report_finding_count(const ob_report *report);
/** Fills *out with finding `index`; its pointers are views, valid until the next call of this function on the report. Errors:
 * E_NOT_FOUND (beyond the last), E_MEMORY. */
OB_API ob_status ob_report_finding(ob_report *report, size_t index, ob_finding_info *out);

/** Entries of a list that say the same. */
typedef struct ob_alike {
    size_t first; /**< index of the first of them */
    size_t n;     /**< how many, this one included */
} ob_alike;

/** Fills *out with the group `index` of findings that tell the same of several nodes: one id, operator, operand, axis, shapes and
 * condition. Groups are ordered by their first finding; a finding that is alone is a group. Errors: E_NOT_FOUND (beyond the
 * last), E_MEMORY. */
OB_API ob_status ob_report_finding_group(ob_report *report, size_t index, ob_alike *out);

/* ---- Broadcasts ---- */

/** One broadcast: a node whose operands differ in shape, or may. */
typedef struct ob_broadcast_info {
    const char *node;         /**< node name, its first output when it has no name */
    const char *op_type;      /**< of the node */
    const char *domain;       /**< of the operator; "" is ai.onnx */
    const char *path;         /**< where the node is, as in ob_finding_info */
    const char *rule;         /**< "multidirectional", "one way", "batch dimensions", "opset 1-6", "expand" */
    size_t n_operands;        /**< entries of names, operands and stretched */
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
    uint64_t n_calls;          /**< as in ob_finding_info */
} ob_broadcast_info;

/** Broadcasts of all graphs, and of functions in every call: calls with the same operands are one. */
OB_API size_t ob_report_broadcast_count(const ob_report *report);
/** Fills *out with broadcast `index`, in the order of the nodes; its pointers are views, valid until the next call of this
 * function on the report. Errors: E_NOT_FOUND (beyond the last), E_MEMORY. */
OB_API ob_status ob_report_broadcast(ob_report *report, size_t index, ob_broadcast_info *out);

/** Fills *out with the group `index` of broadcasts with one pattern: the same operator, and operands and results of the same
 * shapes and element types. Groups are ordered by their first broadcast. Errors: E_NOT_FOUND (beyond the last). */
OB_API ob_status ob_report_broadcast_group(ob_report *report, size_t index, ob_alike *out);

/* ---- Values and conditions ---- */

/** A value (a tensor, or what else a node makes) of the model. */
typedef struct ob_value_info {
    const char *name;        /**< as in the file */
    const char *path;        /**< where its graph is, as in ob_finding_info */
    const char *kind;        /**< "input", "initializer", "output", "inner" */
    ob_dtype dtype;          /**< OB_NONE when not known or not a tensor */
    ob_shape shape;          /**< of unknown rank when it is not a tensor */
    const char *type;        /**< "float[N,3]", "seq(tensor(float))" ... as ONNX's textual syntax writes it */
    const char *why_unknown; /**< reason for what is not known, or "" */
} ob_value_info;

/** Values of all graphs and functions. */
OB_API size_t ob_report_value_count(const ob_report *report);
/** Fills *out with value `index`: graph by graph, inputs, weights, then results in the order of the nodes. Its pointers are
 * views, valid until the next call of this function on the report. Errors: E_NOT_FOUND (beyond the last), E_MEMORY. */
OB_API ob_status ob_report_value(ob_report *report, size_t index, ob_value_info *out);

/** A condition of the model's shape contract: what must hold for the sizes of a run. */
typedef struct ob_condition_info {
    ob_condition condition; /**< of dims in ob_report_dims() */
    const char *text;       /**< "N = 1 or N = 5" */
    const char *node;    /**< where it arose: node name, its first output when it has no name; "" at graph inputs and outputs */
    const char *op_type; /**< of that node, or "" */
    const char *path;    /**< where that node is, as in ob_finding_info */
    int32_t operand;     /**< input index, or -1 */
    int32_t axis;        /**< of the result, or -1 */
    size_t n_origins;    /**< entries of origins */
    const char *const *origins; /**< where its sizes came from, one sentence each */
} ob_condition_info;

/** Conditions that could not be decided while checking; a session tests them before it runs (E_CONDITION). */
OB_API size_t ob_report_condition_count(const ob_report *report);
/** Fills *out with condition `index`, in the order in which they arose; its pointers are views, valid until the next call of this
 * function on the report. Errors: E_NOT_FOUND (beyond the last), E_MEMORY. */
OB_API ob_status ob_report_condition(ob_report *report, size_t index, ob_condition_info *out);

/* ---- The contract ---- */

/** How much the contract says. */
typedef enum ob_contract_status {
    OB_CONTRACT_COMPLETE, /**< it decides: sizes that it admits run, as far as shapes go and where the conditions on values hold
                             (ob_report_bound()), and others do not */
    OB_CONTRACT_PARTIAL,  /**< necessary, not sufficient: something that the model requires could not be stated on sizes of inputs
                           */
    OB_CONTRACT_CONTRADICTORY /**< no sizes are admitted */
} ob_contract_status;

/** "complete", "partial", "contradictory"; "" for a number outside the enum. Static; thread-safe. */
OB_API const char *ob_contract_status_name(ob_contract_status status);

/** The contract in numbers. */
typedef struct ob_contract_info {
    ob_contract_status status; /**< how much it says */
    size_t n_proved;           /**< requirements that hold for all sizes */
    size_t n_conditions;       /**< requirements that sizes decide, before solving */
    size_t n_refuted;          /**< requirements that hold for no sizes */
    size_t n_open;             /**< requirements that nobody could state */
    size_t n_clauses;          /**< of the solved contract: ob_report_clause() */
    size_t n_limits;      /**< clauses behind these, which only sizes that nobody reaches break: 10^9 and more along one axis */
    size_t n_unverified;  /**< reasons behind n_open: ob_report_unverified() */
    size_t n_bounds;      /**< conditions on values, beside those on sizes: ob_report_bound() */
    size_t n_assumptions; /**< what is taken for granted: ob_report_assumption() */
    size_t n_sizes;       /**< sizes of inputs that the caller chooses, an input of unknown rank counting as one; 0: every size is
                             fixed */
} ob_contract_info;

/** The numbers; thread-safe. */
OB_API ob_contract_info ob_report_contract(const ob_report *report);

/** Where a clause, or what is unverified, comes from. Views of the call that filled them. */
typedef struct ob_contract_origin {
    const char *node;    /**< node name, its first output when it has no name; "" at graph inputs and outputs */
    const char *op_type; /**< of that node, or "" */
    const char *path;    /**< where that node is, as in ob_finding_info */
    int32_t operand;     /**< input index, or -1 */
    int32_t axis;        /**< of the result, or -1 */
} ob_contract_origin;

/** One alternative of a clause, of dims in ob_report_dims(). */
typedef struct ob_clause_term {
    const char *kind; /**< "zero": p = 0; "nonzero"; "nonnegative": p >= 0; "divides": q >= 1 and q divides p; "not divides" */
    ob_dim p;         /**< the term */
    ob_dim q;         /**< of the divisions; else 0 */
} ob_clause_term;

/** A clause of the solved contract: all of them must hold. */
typedef struct ob_clause_info {
    const char *kind; /**< of its alternatives: "equal", "at least", "multiple", "one of" when there are several */
    const char *text; /**< "batch = target or batch = 1", "if T >= 1: N = 4" */
    size_t n_origins; /**< entries of origins */
    const ob_contract_origin *origins; /**< the nodes that require it, in the order of the nodes, at most 16 */
    size_t n_nodes;                    /**< how many nodes require it, each counted once */
    size_t n_symbols;                  /**< entries of symbols */
    const ob_dim *symbols;             /**< of ob_report_dims(), in order of appearance */
    size_t n_holds;                    /**< entries of holds: 0 when none was found */
    const ob_named_size *holds;        /**< sizes that the whole contract admits */
    size_t n_fails;                    /**< entries of fails: 0 when none was found */
    const ob_named_size *fails;        /**< sizes that break this clause alone */
    size_t n_terms;                    /**< entries of terms */
    size_t n_guards;                   /**< the first of terms, each of which says that a guard does not hold */
    const ob_clause_term *terms;       /**< the clause holds when one of them does */
    size_t n_decides;                  /**< entries of decides: 0 when none was found */
    const ob_named_size *decides;      /**< the fewest sizes whose choice is enough for the clause, whatever the others are, and
                                          such a choice that the contract admits */
    const ob_contract_origin *repair;  /**< the node to change when more sizes are wanted: the first of those that require it for
                                          which `fails` fails; NULL when only assumptions led to it */
} ob_clause_info;

/** Fills *out with clause `index`, 0 .. n_clauses + n_limits - 1, the limits behind the others; its pointers are views, valid
 * until the next call of this function on the report. Errors: E_NOT_FOUND (beyond the last), E_MEMORY. */
OB_API ob_status ob_report_clause(ob_report *report, size_t index, ob_clause_info *out);

/** Requirements that could not be stated on sizes of inputs, for one reason. */
typedef struct ob_unverified_info {
    const char *reason;       /**< "indices depend on data" */
    ob_contract_origin first; /**< the first of them */
    size_t n;                 /**< how many */
} ob_unverified_info;

/** Fills *out with reason `index`, 0 .. n_unverified - 1; its pointers are views, valid until the next call of this function on
 * the report. Errors: E_NOT_FOUND (beyond the last), E_MEMORY. */
OB_API ob_status ob_report_unverified(ob_report *report, size_t index, ob_unverified_info *out);

/** A condition on values: every element of an input, or of a part of it, lies between two terms. Runs with other elements are
 * refused by the node that uses them: an index is outside, a length is too large. Where arithmetic between the input and that
 * node wraps around, a run may take elements that the condition excludes, never the other way round. */
typedef struct ob_bound_info {
    const char *text;      /**< "0 <= ids < 30522", "if N >= 1: 0 <= x[:, 1] < M" */
    const char *input;     /**< name of the input of the main graph */
    ob_dtype dtype;        /**< of the input */
    bool is_rounded;       /**< elements are floats, rounded towards 0 before they are compared; not a number: excluded */
    int32_t rank;          /**< entries of first and end: the rank of the input, or 0 where all of it is meant */
    const ob_dim *first;   /**< of the part, by axis; NULL: all of the input is meant */
    const ob_dim *end;     /**< one behind the last, by axis; NULL */
    ob_dim lowest;         /**< the least that an element may be; OB_DIM_UNKNOWN: any */
    ob_dim highest;        /**< the greatest that an element may be; OB_DIM_UNKNOWN: any */
    size_t n_guards;       /**< entries of guards */
    const ob_dim *guards;  /**< terms of sizes: asked only where each is 1 or more */
    size_t n_requirements; /**< how many ask for it, or for something that follows from it */
    size_t n_origins;      /**< entries of origins */
    const ob_contract_origin *origins; /**< the nodes that ask for it, at most 16 */
} ob_bound_info;

/** Fills *out with condition on values `index`, 0 .. n_bounds - 1, of dims in ob_report_dims(); its pointers are views, valid
 * until the next call of this function, or of another of the contract, on the report. Errors: E_NOT_FOUND (beyond the last),
 * E_MEMORY. */
OB_API ob_status ob_report_bound(ob_report *report, size_t index, ob_bound_info *out);

/** Something that is taken for granted. */
typedef struct ob_assumption_info {
    const char *text; /**< "N >= 1" as the user wrote it, "axis 0 of "u" is N" */
    bool declared; /**< true: the file declares it of a value where inference knows nothing; listed, it proves nothing. false: an
                      entry of ob_check_options.assumptions, which the contract builds on */
    const char *value; /**< name of the value that the file declares it of, or "" */
} ob_assumption_info;

/** Fills *out with assumption `index`, 0 .. n_assumptions - 1: those of the options first, in their order. Its pointers are
 * views, valid until the next call of this function on the report. Errors: E_NOT_FOUND (beyond the last), E_MEMORY. */
OB_API ob_status ob_report_assumption(ob_report *report, size_t index, ob_assumption_info *out);

/** Does the contract admit these sizes of inputs? TRUE, FALSE, or UNDECIDED: a partial contract states nothing against them, or a
 * symbol has no size. *clause, which may be NULL, is the first clause that they break, or SIZE_MAX.
 * - sizes: n entries; symbols by name, inputs' sizes without a name by place: "x[0]". Borrowed. Symbols that the contract does
 * not mention need none.
 *
 * Errors: E_ARGUMENT (NULL, a size out of range), E_NOT_FOUND (a name that no input has), E_MEMORY. */
OB_API ob_status ob_report_contract_holds(const ob_report *report, const ob_named_size *sizes, size_t n, ob_truth *out,
                                          size_t *clause);

/** Writes the contract as a C function that needs nothing but stdint.h (C11, also C++11), in one piece to `sink`, which gets
 * `context`. For name "guard_m" the text defines
 *
 *     int guard_m(const int64_t *sizes, const char **clause);
 *     int guard_m_count(void);             // how many sizes there are
 *     const char *guard_m_name(int index); // the symbol of size `index`, in the order of the inputs
 *
 *     int guard_m_values(const int64_t *sizes, const void *const *data, const int *types, const int64_t *counts,
 *                        const char **condition);
 *     int guard_m_inputs(void);            // how many inputs conditions on values speak of
 *     const char *guard_m_input(int index);
 *     int guard_m_input_type(int index);   // ONNX's number of its element type, an ob_dtype
 *
 * guard_m says of sizes what ob_report_contract_holds() says: 0 admitted; k > 0 the k-th clause (index k - 1 of
 * ob_report_clause()) does not hold, its text is in *clause unless that is NULL; -1 unknown, a number left the range; -2 nothing
 * stated is broken, but the model requires more that depends on data; -3 a size out of range. A contradictory contract without a
 * broken clause gives n_clauses + n_limits + 1.
 *
 * guard_m_values says of the elements of inputs whether the conditions on values hold (ob_report_bound()): 0 they do; k > 0 the
 * k-th does not, its text is in *condition unless that is NULL; -1 unknown, a number left the range; -3 a size out of range, a
 * type that is not the input's, a count that is not that of its elements at these sizes, or no data where there are elements.
 * data, types and counts have guard_m_inputs() entries: the elements of the input, row by row and aligned to their size, their
 * type, and how many they are.
 * - report: borrowed; the symbol pool of its model may grow.
 * - name: of the function: letters, digits and "_", begins with a letter, no word of C or C++, does not begin with "obg_".
 *
 * Errors: E_ARGUMENT (NULL, another name), E_MEMORY, and what the sink returned. */
OB_API ob_status ob_report_guard_write(const ob_report *report, const char *name, ob_write_sink sink, void *context,
                                       ob_error *error);

/* ---- The reference of findings ---- */

/** What docs/findings.md says about an id. All texts are static. */
typedef struct ob_finding_doc {
    const char *id;       /**< "OB0101" */
    const char *title;    /**< one line */
    const char *text;     /**< lines: what it means, why it matters, what to do, the source of the rule */
    ob_severity severity; /**< default */
} ob_finding_doc;

/** Ids that there are. Thread-safe. */
OB_API size_t ob_finding_doc_count(void);
/** Entry `index`, ordered by id; all NULL when there is no such entry. Thread-safe. */
OB_API ob_finding_doc ob_finding_doc_at(size_t index);
/** The entry of an id, in any case (ob0101); all NULL when there is no such finding, or for NULL. Thread-safe. */
OB_API ob_finding_doc ob_finding_doc_find(const char *id);

/** "error", "warning", "note", "none" (also for a number outside the enum). Static; thread-safe. */
OB_API const char *ob_severity_name(ob_severity severity);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
