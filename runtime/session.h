/* What a session is made of, and what its parts do for each other. For runtime/ only. */
#ifndef OB_RUNTIME_SESSION_H
#define OB_RUNTIME_SESSION_H

#include "onnx_broadcast/session.h"
#include "ops/product/blas.h"
#include "passes/check/facts.h"
#include "passes/check/findings.h"
#include "passes/contract/contract.h"
#include "runtime/plan/plan.h"
#include "runtime/run/frame.h"

typedef struct ob_pool ob_pool;                   /* runtime/pool.h */
typedef struct ob_tally ob_tally;                 /* runtime/tally.c */
typedef struct ob_external_file ob_external_file; /* runtime/external.c */

struct ob_session {
    ob_arena arena;
    ob_allocator allocator; /* counts what it gives out */
    ob_tally *tally;
    ob_account account; /* of the tally, for libraries without an allocator */
    ob_model *model;    /* a copy of its own, with functions inlined */
    bool optimize;
    bool constants_in_place;
    ob_numerics numerics;
    ob_blas *blas;                         /* NULL: exact, or there is none */
    bool strict;                           /* declared shapes and types of results are demanded */
    uint64_t max_run_ns, max_output_bytes; /* 0: none */
    uint32_t max_plans;
    void (*trace)(void *context, const ob_trace_event *event);
    void (*unsupported)(void *context, const ob_unsupported *item);
    void *context;
    ob_value **inputs; /* graph inputs without a default */
    uint32_t n_inputs;
    ob_session_value *input_info, *output_info;
    ob_facts facts;       /* symbolic: what holds for all sizes */
    ob_contract contract; /* of the facts, solved when sizes are tested first, where single conditions say less than all do */
    bool contract_tried;
    ob_binding *bindings; /* from the configuration */
    size_t n_bindings;
    uint32_t *uses;              /* by value id: reads by nodes that run, and graph outputs */
    const ob_node **last_reader; /* by value id: behind it nobody reads the value; NULL: nobody does, or the caller */
    bool has_cells;              /* an input or output is more than a tensor */
    bool *live;                  /* by node id: it runs */
    struct ob_pack **packs;      /* by value id: runtime/packs.c; NULL: none yet */
    ob_constant **constants;     /* by value id: initializers that are used, folded results */
    ob_owned_memory *owned;
    ob_external_file *external_files; /* mapped */
    uint64_t constant_bytes;
    uint64_t max_folded_bytes; /* of folded constants, for all shapes and for each plan again */
    uint64_t folded_bytes;
    bool *content_matters; /* by input: shapes depend on its elements; decided at the first plan */
    bool content_decided;
    ob_plan *plans, *current;
    uint64_t clock;
    uint64_t n_planned;  /* plans made so far */
    ob_map parts;        /* graph of a body -> its ob_part */
    ob_part *body_parts; /* all of them */
    ob_pool *pool;
    ob_threads threads;
    ob_stop stop;
    ob_frame frame;
};

/* An allocator that hands on to `inner` (NULL: the default) and counts; beyond `limit` bytes it gives NULL. The bytes count for
 * `sum` too, and its limit holds for all that do (NULL: a sum of its own; `limit` is of a sum). The tally is a block of inner's.
 * NULL: no memory. */
ob_tally *ob__tally_create(const ob_allocator *inner, uint64_t limit, ob_tally *sum, ob_allocator *out);
void ob__tally_destroy(ob_tally *tally);
ob_account ob__tally_account(ob_tally *tally); /* counts for the same limit, without blocks */
uint64_t ob__tally_bytes(const ob_tally *tally);
const ob_allocator *ob__tally_inner(const ob_tally *tally);
/* True when the limit has refused memory; ob__tally_refused forgets it. */
bool ob__tally_limited(const ob_tally *tally);
bool ob__tally_refused(ob_tally *tally);
/* The end of a public call: E_MEMORY for want of the limit becomes E_LIMIT, with a message that says what wanted how much. */
ob_status ob__tally_explain(ob_tally *tally, ob_status status, ob_error *error);

/* runtime/stop.c. A call begins: it may take max_ns (0: as long as it likes). */
void ob__stop_begin(ob_stop *stop, uint64_t max_ns);
/* E_CANCELLED or E_LIMIT when the run has been stopped; ob__stop_ask asks first. */
ob_status ob__stop_status(const ob_session *session, const ob_threads *threads, ob_error *error);
ob_status ob__stop_ask(const ob_session *session, const ob_threads *threads, ob_error *error);

/* Memory that lives as long as its list (&session->owned, a plan's or a frame's), 64-byte aligned, zeroed; told to stop by
 * `pace` (NULL: never), not all of it. */
void *ob__own_memory(ob_session *session, ob_owned_memory **list, uint64_t n_bytes, obk_pace *pace);
void ob__free_owned(ob_session *session, ob_owned_memory **list);
/* A contiguous view without elements, for planning. Errors as ob_view_init. */
ob_status ob__view_layout(ob_view *view, ob_dtype dtype, int32_t rank, const int64_t *dims);
/* What a kernel is planned with; what it keeps lives in the arena. */
static inline ob_kernel_site ob__site(const ob_session *session, const ob_node *node, ob_arena *arena) {
    return (ob_kernel_site){.node = node,
                            .op = node->op,
                            .arena = arena,
                            .allocator = &session->allocator,
                            .constants_in_place = session->constants_in_place,
                            .account = &session->account,
                            .blas = session->blas};
}

typedef struct ob_survey ob_survey; /* below */
typedef void (*ob_unsupported_sink)(void *context, const ob_unsupported *item);

/* runtime/live.c: fills session->uses and session->live. */
ob_status ob__find_live(ob_session *session);

/* Makes the view what every run reads as the value. E_MEMORY. */
ob_status ob__set_constant(ob_session *session, const ob_value *value, const ob_view *view);
/* False, and *out as it was, when the value is none. */
bool ob__constant_view(const ob_session *session, const ob_value *value, ob_view *out);

/* runtime/weights.c: fills session->constants for the initializers that are used; reads external data. */
typedef struct ob_external_rules {
    bool allowed;
    const char *folder; /* NULL: of the model's file */
} ob_external_rules;
ob_status ob__load_weights(ob_session *session, const ob_external_rules *external, ob_error *error);

/* runtime/support.c: nodes that cannot run, gathered while a session or a plan is made, and named together. */
/* Of the arena. NULL: no memory. */
ob_survey *ob__survey_new(ob_arena *arena);
/* Notes operators that have neither kernel nor body; E_MODEL for wrong numbers of operands. */
ob_status ob__survey_operators(ob_survey *survey, ob_model *model, ob_error *error);
/* Notes a node; each kind is told once. */
ob_status ob__survey_note(ob_survey *survey, const ob_node *node, const char *reason);
bool ob__survey_is_empty(const ob_survey *survey);
/* Notes what kernels refuse whatever the sizes; facts: of all values. */
ob_status ob__survey_kernels(ob_survey *survey, ob_model *model, const ob_facts *facts);
/* E_UNSUPPORTED, and `tell` (NULL: nobody) hears each kind, when anything was noted; else `status`. */
ob_status ob__survey_end(const ob_survey *survey, ob_unsupported_sink tell, void *context, ob_status status, ob_error *error);
/* Gives a value to every required output (op.h: out_min), and to every one of a variable number, that a node leaves out beside
 * others that it names: kernels write these without asking. Optional ones stay omitted. A node that names no output is not
 * planned at all. */
ob_status ob__name_required_results(ob_model *model);

/* runtime/contract.c: inputs against their declarations, and the symbolic conditions under these sizes. */
ob_status ob__check_contract(ob_session *session, const ob_view *inputs, ob_error *error);

/* runtime/declared.c: the findings about declared shapes and types become warnings of the session, or with session->strict the
 * first error a failure. *wrong: there are any, so that nothing may be concluded from what is declared. */
ob_status ob__judge_declared(ob_session *session, const ob_findings *findings, bool *wrong, ob_error *error);
/* With session->strict: E_TYPE, E_SHAPE unless output i is as the model declares it, as far as that is numbers. */
ob_status ob__check_declared(const ob_session *session, size_t i, const ob_view *result, ob_error *error);

/* runtime/run.c: inputs and outputs as ob_session_run describes them, before any plan is looked for. */
ob_status ob__check_inputs(const ob_session *session, const ob_view *inputs, size_t n_inputs, bool with_data, ob_error *error);
ob_status ob__check_output_count(const ob_session *session, const ob_view *outputs, size_t n_outputs, ob_error *error);
/* E_TYPE, E_SHAPE unless the caller's memory is of the result's type and shape, contiguous. */
ob_status ob__check_output(const ob_session *session, size_t i, const ob_view *wanted, const ob_view *is, ob_error *error);
/* ob_session_prepare for inputs that were checked; E_MEMORY is not explained. */
ob_status ob__session_prepare(ob_session *session, const ob_view *inputs, ob_error *error);

/* runtime/numerics.c. Relaxed: loads what is faster, for the session's threads; where that cannot be had, the session computes
 * as an exact one. The logger hears which. */
ob_status ob__numerics_open(ob_session *session);
/* A worker is there, too. */
void ob__numerics_add_worker(ob_session *session);
void ob__numerics_close(ob_session *session);

/* runtime/threads.c. Starts n_threads, 1024 at most, though no more than the process may use processors; fewer where the system
 * gives no more, which the logger hears. E_ARGUMENT; E_UNSUPPORTED in a build without threads. */
ob_status ob__threads_start(ob_session *session, int n_threads, ob_error *error);
/* Behind a call that may have computed: the threads sleep. */
void ob__threads_end(ob_session *session);
void ob__threads_stop(ob_session *session);

#endif
