/* The state of one propagation, shared by its files (propagate.c, bodies.c, infer_node.c, merge.c, calls.c, same_calls.c,
 * order.c, conditions.c). */
#ifndef OB_PASSES_CHECK_PROPAGATION_H
#define OB_PASSES_CHECK_PROPAGATION_H

#include "core/base/text.h"
#include "ops/infer/infer.h"
#include "passes/check/propagate.h"

/* A call of a local function that is being inferred. */
typedef struct ob_call {
    const ob_node *node; /* with its attribute references resolved */
    const ob_function *function;
    const struct ob_call *outer;
} ob_call;

/* A node whose body is being inferred; scopes are nested. */
typedef struct ob_scope {
    const ob_node *node;
    struct ob_scope *outer;
    const char *path;      /* NULL until it is needed */
    const char *attribute; /* the attribute that holds the body; NULL: the body of a function */
} ob_scope;

typedef struct ob_joins ob_joins;           /* see calls.c */
typedef struct ob_kept_call ob_kept_call;   /* see same_calls.c */
typedef struct ob_site_entry ob_site_entry; /* see same_calls.c */

/* An assumption of one propagation: the size is 1, or it is not 1. */
typedef struct ob_decided {
    ob_dim size;
    bool is_one;
} ob_decided;

/* An axis of a node's result: the key of its cases. Keys are compared as bytes: the address of the node is as wide as the axis,
 * so that there is no padding where addresses have 32 bits. */
typedef struct ob_case_key {
    uint64_t node;
    int64_t axis;
} ob_case_key;
_Static_assert(sizeof(ob_case_key) == 2 * sizeof(int64_t), "no padding");
static inline ob_case_key ob__case_key(const ob_node *node, int64_t axis) {
    return (ob_case_key){(uintptr_t)node, axis};
}

/* Results of earlier propagations for this one. */
typedef struct ob_settled {
    const ob_map *excluded;    /* cases that the model excludes, see cases.c; NULL: none is known */
    const ob_decided *decided; /* see ranks.c */
    uint32_t n_decided;
    const ob_guard *guard; /* the guard of these decisions */
} ob_settled;

typedef struct ob_propagation {
    ob_model *model;
    const ob_propagate_options *options; /* never NULL */
    const ob_settled *settled;           /* never NULL */
    ob_facts *facts;
    ob_findings *findings; /* may be NULL */
    ob_arena scratch;
    uint32_t *done;  /* by node id: the epoch of its last inference; 0: never */
    uint8_t *noted;  /* by node id: a note was counted */
    ob_error *trial; /* for all visits: see ob_infer */
    void *room;
    struct ob_visit_space *free_spaces;
    uint32_t epoch, n_epochs;
    uint32_t depth;
    uint64_t budget; /* number of nodes that may still be inferred */
    bool stopped;    /* the budget's end was reported */
    bool repeats;    /* inside a body that was inferred before */
    size_t repeats_from, repeated_bytes, most_repeated_bytes;
    uint64_t n_content; /* elements of contents so far */
    uint32_t *place;    /* by node id, zeroed between uses: see order.c */
    const ob_call *call;
    ob_called *called;    /* the calls whose body is being inferred; NULL: none */
    ob_map kept_calls;    /* key: function and operands; value: ob_kept_call */
    ob_text key;          /* of the current call */
    ob_site_entry *sites; /* of calls, in the order of inference */
    uint32_t n_sites, sites_capacity;
    uint64_t n_limited;    /* bodies that were not inferred because of a limit */
    ob_scope *scope;       /* NULL: the main graph */
    const ob_guard *guard; /* of the branch or body that is being inferred; NULL: none */
    bool assumed;          /* facts set now depend on a rank that is only declared */
    ob_joins *joins;       /* NULL until a function was called */
    ob_map notes;          /* key -> note, see conditions.c */
    struct ob_note *first_note, *last_note;
    const char *last_domain; /* the last domain whose import was looked up, in last_graph */
    const ob_graph *last_graph;
} ob_propagation;

/* The visit of one node. `infer` must be the first member: callbacks get a pointer to it. */
typedef struct ob_visit {
    ob_infer infer;
    ob_propagation *p;
    const ob_node *node;      /* the graph's own node, also when infer.node is a resolved copy */
    const ob_shape *shapes;   /* of the operands, made when first needed */
    const ob_graph *subgraph; /* the subgraph inferred last; the members below are the counts before it */
    ob_findings_mark found;
    uint32_t n_conditions, n_unverified, n_bounds, n_cases, n_claims, n_called, n_sites;
    uint64_t n_proved, n_refuted, n_limited;
    bool assumed;        /* an operand, or a result of a body, depends on a rank that is only declared */
    const ob_node *root; /* the operator that makes the operands unknown, or NULL */
} ob_visit;

/* -- propagate.c -- */
ob_status ob__propagate_node(ob_propagation *p, ob_node *node);
ob_status ob__propagate_graph(ob_propagation *p, ob_graph *graph);

/* One pass over the model. */
ob_status ob__propagate_once(ob_model *model, const ob_propagate_options *options, const ob_settled *settled, ob_facts *facts,
                             ob_findings *findings);

/* -- ranks.c -- */
/* After a propagation: if only requirements behind open ranks are unverified, finds the requirements of each case. */
ob_status ob__propagate_ranks(ob_model *model, const ob_propagate_options *options, const ob_map *excluded, ob_facts *facts,
                              ob_findings *findings);

/* -- bodies.c -- */
/* The callback ob_infer.subgraph: infers the body of a branch or loop. */
ob_status ob__infer_subgraph(ob_infer *infer, ob_graph *graph, ob_dim guard, const ob_type *in_types,
                             const ob_content *in_contents, ob_type *out_types, ob_content *out_contents);
/* Infers the nodes of a node's body. Call it only if ob__may_enter allows it; otherwise ob__may_enter records the body's
 * requirements as unverified. */
ob_status ob__enter(ob_propagation *p, const ob_node *node, ob_graph *graph);
ob_status ob__may_enter(ob_visit *visit, const ob_graph *graph, bool *may);

/* -- infer_node.c -- */
/* Checks the operands, applies the operator's shape rule, and checks the results. */
ob_status ob__apply_rule(ob_infer *infer);
/* Checks number and element types of the operands and reports problems. False: the rule cannot be applied. */
bool ob__check_operands(ob_infer *infer);

/* -- merge.c -- */
/* Sets the fact of a value: `type` merged with the declaration, with names for unknown sizes. `node` (may be NULL) is for
 * findings. */
ob_status ob__set_fact(ob_propagation *p, const ob_node *node, const ob_value *value, ob_type type, ob_content content);
/* For a broadcasting node whose result is only declared: reports operands that do not broadcast to it. */
ob_status ob__check_declared_result(ob_propagation *p, const ob_node *node);
/* Facts of a graph's initializers. */
ob_status ob__set_initializers(ob_propagation *p, const ob_graph *graph);
/* Facts of the main graph's inputs, as declared or given. */
ob_status ob__set_main_inputs(ob_propagation *p);

/* -- calls.c -- */
/* The results of a node that calls a local function. */
ob_status ob__infer_call(ob_visit *visit);
/* At the end: sets the facts of bodies to those that hold in every call. */
ob_status ob__settle_calls(ob_propagation *p);

/* -- same_calls.c -- */
void ob__calls_init(ob_propagation *p);
void ob__calls_release(ob_propagation *p);
/* The content of an operand inside the body. Origins of floats are dropped, because they would only make equal calls different.
 * */
ob_content ob__call_content(const ob_infer *infer, uint32_t i);
/* The entry of the call, by its function and operands. Calls that cannot differ share an entry. */
ob_status ob__call_place(ob_visit *visit, ob_kept_call **out);
/* Begins a new call. */
ob_status ob__call_begin(ob_visit *visit, ob_kept_call *place);
/* Stores its results for other calls; `values` are those of its body, n_values. */
ob_status ob__call_end(ob_visit *visit, ob_kept_call *place, const ob_value *const *values, uint32_t n_values);
/* Gives the node the results of an earlier call with the same entry; *given false: there is none. */
ob_status ob__call_again(ob_visit *visit, const ob_kept_call *place, bool *given);
/* Removes all but the first n calls. */
void ob__calls_rewind(ob_propagation *p, uint32_t n_called, uint32_t n_sites);
/* Fills the sites and numbers of calls in ob_called. */
ob_status ob__count_calls(ob_propagation *p);

/* -- order.c -- */
/* Infers the remaining nodes of the graph in topological order; reports nodes out of order and cycles. */
ob_status ob__propagate_sorted(ob_propagation *p, ob_graph *graph);
/* At the end: reports nodes out of order in graphs that were never entered. */
ob_status ob__report_disorder(ob_propagation *p);

/* -- conditions.c -- */
/* `guard`: a term in addition to those of p->guard. `reason`: why the condition cannot be stated, or NULL. */
ob_status ob__record_condition(ob_propagation *p, ob_visit *visit, const ob_condition *condition, ob_dim guard, int32_t operand,
                               int32_t axis, const char *reason);
/* The same for elements of an input of the model. */
ob_status ob__record_bound(ob_propagation *p, ob_visit *visit, const ob_bound *bound, ob_dim guard, int32_t operand,
                           int32_t axis);
/* Does the model exclude this case of the node's result axis? See cases.c. */
bool ob__case_is_excluded(const ob_map *excluded, const ob_node *node, int32_t axis);
/* Records a condition that a rule avoids by describing all cases. */
ob_status ob__record_case(ob_propagation *p, ob_visit *visit, const ob_condition *condition, ob_dim guard, int32_t axis);
ob_status ob__record_declared(ob_propagation *p, const ob_node *node, const ob_value *value, const ob_condition *condition,
                              int32_t axis);
/* Records an error under the guards of p: a requirement there fails for all sizes. */
ob_status ob__record_refuted(ob_propagation *p, ob_visit *visit, int32_t operand, int32_t axis);
/* Adds a finding at a node, with operand shapes if `visit` is given. Does nothing without a list of findings. */
void ob__report(ob_propagation *p, const ob_visit *visit, const ob_node *node, ob_finding_id id, int32_t operand, int32_t axis,
                const char *text);
/* Counts a node under one finding for all nodes with the same id and key. */
ob_status ob__note(ob_propagation *p, const ob_node *node, ob_finding_id id, const char *key, const char *text);
/* Turns the notes and conditions into findings. */
ob_status ob__report_collected(ob_propagation *p);
const ob_shape *ob__operand_shapes(ob_visit *visit);
/* The current path, "a/b/": made once for each scope, valid as long as the findings. "" without findings. */
const char *ob__call_path(ob_propagation *p);

#endif
