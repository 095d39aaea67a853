/* What a session is made of, and what its parts do for each other. For runtime/ only. */
#ifndef OB_RUNTIME_SESSION_H
#define OB_RUNTIME_SESSION_H

#include "onnx_broadcast/session.h"
#include "ops/product/blas.h"
#include "passes/check/facts.h"
#include "passes/check/findings.h"
#include "passes/contract/contract.h"
#include "runtime/run/frame.h"
#include "runtime/tally.h"

typedef struct ob_pool ob_pool;                   /* runtime/pool.h */
typedef struct ob_constant ob_constant;           /* runtime/weights.h */
typedef struct ob_plan ob_plan;                   /* runtime/plan/plan.h */
typedef struct ob_part ob_part;                   /* runtime/plan/plan.h */
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
    uint32_t *uses;                /* by value id: reads by nodes that run, and graph outputs */
    const ob_node **last_reader;   /* by value id: behind it nobody reads the value; NULL: nobody does, or the caller */
    bool has_cells;                /* an input or output is more than a tensor */
    bool *live;                    /* by node id: it runs */
    struct ob_prepared **prepared; /* by value id: runtime/prepared.c; NULL: none yet */
    ob_constant **constants;       /* by value id: initializers that are used, folded results */
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

/* runtime/live.c: fills session->uses and session->live. */
ob_status ob__find_live(ob_session *session);

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
