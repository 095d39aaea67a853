/* The inside of a session, and functions shared by its parts. For runtime/ only. */
#ifndef OB_RUNTIME_SESSION_H
#define OB_RUNTIME_SESSION_H

#include "onnx_broadcast/session.h"
#include "ops/product/blas.h"
#include "passes/check/facts.h"
#include "passes/check/findings.h"
#include "passes/contract/contract.h"
#include "passes/optimize/groups.h"
#include "runtime/run/frame.h"
#include "runtime/tally.h"

typedef struct ob_pool ob_pool;                   /* runtime/pool.h */
typedef struct ob_constant ob_constant;           /* runtime/weights.h */
typedef struct ob_plan ob_plan;                   /* runtime/plan/plan.h */
typedef struct ob_part ob_part;                   /* runtime/plan/plan.h */
typedef struct ob_template ob_template;           /* runtime/plan/template.h */
typedef struct ob_external_file ob_external_file; /* runtime/external.c */

/* Threads of the host program, which one run at a time uses. */
typedef struct ob_host_threads {
    void (*share)(void *pool, void (*part)(void *work, size_t index), size_t n_parts, void *work); /* NULL: none */
    void *pool;
    int n_threads;
    _Atomic bool inside; /* work is shared: tasks that share again compute alone */
} ob_host_threads;

/* Places in the tables of loops (kernels/take.h). */
enum { OB_NOTED_LOOPS = 1024 };
typedef struct ob_noted_loops {
    atomic_flag busy;
    uint32_t n;
    const void *slots[OB_NOTED_LOOPS];
} ob_noted_loops;

struct ob_session {
    ob_arena arena;
    ob_allocator allocator; /* counts allocated bytes */
    ob_tally *tally;
    ob_account account; /* of the tally, for libraries without an allocator */
    ob_model *model;    /* a private copy, with functions inlined */
    bool optimize;
    bool constants_in_place;
    bool ahead_of_time; /* plans are for ob_session_emit */
    ob_numerics numerics;
    ob_blas *blas;                         /* NULL: exact numerics, or no OpenBLAS */
    bool strict;                           /* results must have their declared shapes and types */
    uint64_t max_run_ns, max_output_bytes; /* 0: none */
    uint32_t max_plans;
    void (*trace)(void *context, const ob_trace_event *event);
    void (*unsupported)(void *context, const ob_unsupported *item);
    void *context;
    ob_value **inputs; /* graph inputs without a default */
    uint32_t n_inputs;
    ob_session_value *input_info, *output_info;
    ob_facts facts;       /* symbolic: they hold for all sizes */
    ob_contract contract; /* of the facts; solved at the first test of sizes if single conditions say less than all together */
    bool contract_tried;
    ob_binding *bindings; /* from the configuration */
    size_t n_bindings;
    uint32_t *uses;                /* by value id: reads by nodes that run, and graph outputs */
    const ob_node **last_reader;   /* by value id: the last node that reads the value; NULL: none, or the caller */
    bool has_cells;                /* an input or output is not a tensor */
    uint64_t *rows;                /* one bit for each row of the operator table: the session needs it */
    ob_noted_loops *noted;         /* loops that planning has taken; NULL: they are not noted */
    bool *live;                    /* by node id: it runs */
    bool *joins_windows;           /* by node id: padding that windows can count as theirs, if it is one of zeros; NULL: none */
    ob_group **groups;             /* by node id: the nodes that are planned as one step if sizes allow; NULL: alone */
    struct ob_prepared **prepared; /* by value id: runtime/prepared.c; NULL: none yet */
    ob_constant **constants;       /* by value id: used initializers and folded results */
    ob_owned_memory *owned;
    ob_external_file *external_files; /* mapped */
    uint64_t constant_bytes;
    uint64_t max_folded_bytes; /* limit of folded constants: one for all shapes, and one for each plan */
    uint64_t folded_bytes;
    bool *content_matters; /* by input: shapes depend on its elements; determined at the first plan */
    bool content_decided;
    ob_plan *plans, *current;
    ob_template *templates; /* facts for all sizes, for further plans */
    bool infers;            /* for tests: every plan infers */
    uint64_t clock;
    uint64_t n_planned;  /* plans made so far */
    ob_map parts;        /* graph of a body -> its ob_part */
    ob_part *body_parts; /* all of them */
    ob_pool *pool;
    ob_host_threads host; /* in place of a pool */
    ob_threads threads;
    ob_stop stop;
    ob_frame frame;
};

/* The input of a kernel's planning; kept data is in the arena. */
static inline ob_kernel_site ob__site(const ob_session *session, const ob_node *node, ob_arena *arena) {
    return (ob_kernel_site){.node = node,
                            .op = node->op,
                            .arena = arena,
                            .allocator = &session->allocator,
                            .constants_in_place = session->constants_in_place,
                            .loops_only = session->ahead_of_time,
                            .account = &session->account,
                            .relaxed = session->numerics == OB_NUMERICS_RELAXED,
                            .blas = session->blas};
}

/* runtime/operators.c: notes the operators of the session's model as it is now, for ob_session_each_operator. */
ob_status ob__note_operators(ob_session *session);
/* Notes one; `context` is the session. */
void ob__session_uses(void *context, const struct ob_op *op);

/* runtime/live.c: fills session->uses and session->live. */
ob_status ob__find_live(ob_session *session);

/* runtime/contract.c: tests inputs against their declarations, and the symbolic conditions at these sizes. */
ob_status ob__check_contract(ob_session *session, const ob_view *inputs, ob_error *error);

/* runtime/declared.c: findings about declared shapes and types become warnings of the session; with session->strict the first
 * error is a failure. *wrong: there are such findings, so nothing may be concluded from declarations. */
ob_status ob__judge_declared(ob_session *session, const ob_findings *findings, bool *wrong, ob_error *error);
/* With session->strict: E_TYPE, E_SHAPE unless output i has its declared type and sizes; declared symbols are not tested. */
ob_status ob__check_declared(const ob_session *session, size_t i, const ob_view *result, ob_error *error);

/* runtime/run.c: tests inputs and outputs as described for ob_session_run, before a plan is looked up. */
ob_status ob__check_inputs(const ob_session *session, const ob_view *inputs, size_t n_inputs, bool with_data, ob_error *error);
ob_status ob__check_output_count(const ob_session *session, const ob_view *outputs, size_t n_outputs, ob_error *error);
/* E_TYPE, E_SHAPE unless the caller's memory is contiguous and has the type and shape of the result. */
ob_status ob__check_output(const ob_session *session, size_t i, const ob_view *wanted, const ob_view *is, ob_error *error);
/* ob_session_prepare for inputs that were checked; E_MEMORY has no message. */
ob_status ob__session_prepare(ob_session *session, const ob_view *inputs, ob_error *error);

/* runtime/numerics.c. Relaxed numerics: loads OpenBLAS for the session's threads. If that is not possible, the session computes
 * as an exact one. The logger receives a message. */
ob_status ob__numerics_open(ob_session *session);
/* Loads a copy for one more worker. */
void ob__numerics_add_worker(ob_session *session);
void ob__numerics_close(ob_session *session);

/* runtime/threads.c. Makes *threads those of the host. Neither may move afterwards. */
void ob__threads_of_host(ob_host_threads *host, ob_threads *threads);
/* Starts n_threads, at most 1024 and at most one per processor of the process. If the system starts fewer,
 * the logger receives a message. E_ARGUMENT; E_UNSUPPORTED in a build without threads. */
ob_status ob__threads_start(ob_session *session, int n_threads, ob_error *error);
/* For messages: "2 threads; the process may use 4 processors". At most n_bytes, terminated. */
void ob__threads_text(const ob_session *session, char *text, size_t n_bytes);
/* Before a run: wakes the threads if the last run had work for them. */
void ob__threads_begin(ob_session *session);
/* After a call that may have computed: sends the threads to sleep. */
void ob__threads_end(ob_session *session);
void ob__threads_stop(ob_session *session);

#endif
