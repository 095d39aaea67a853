/* The plan: steps in order, with every tensor at a fixed place. For runtime/ only.
 *
 * A plan does not change after it is made, and several runs may read it at the same time. Everything that a run changes is in its
 * frame (frame.h). */
#ifndef OB_RUNTIME_PLAN_H
#define OB_RUNTIME_PLAN_H

#include <stdatomic.h>

#include "core/graph/graph.h"
#include "onnx_broadcast/ahead.h"
#include "onnx_broadcast/session.h"
#include "ops/kernel/kernel.h"
#include "runtime/memory.h"
#include "runtime/plan/layout.h"

/* ---- Where tensors live ---- */

typedef enum ob_buffer_kind {
    OB_BUFFER_ARENA,  /* at `offset` in the work memory */
    OB_BUFFER_OUTPUT, /* graph output `index`: the caller's memory, or `offset` in the frame's output block */
    OB_BUFFER_INPUT,  /* graph input `index` */
    OB_BUFFER_CONST,  /* at `constant` */
    OB_BUFFER_MOVING  /* set by a control step, again for each run of its body */
} ob_buffer_kind;

struct ob_control;

typedef struct ob_buffer {
    ob_buffer_kind kind;
    uint32_t number; /* among the plan's buffers: its index in ob_frame.bases */
    uint32_t index;
    uint32_t depth; /* number of subplans around its node */
    uint64_t n_bytes;
    union {
        uint64_t offset;
        char *constant;
    };
    uint32_t first, last; /* the contents are alive from step first to step last */
    uint32_t uses_left;   /* while planning: remaining reads of all values in this buffer, including graph outputs */
    struct ob_buffer
        *same_as; /* its place is in that buffer, `shift` bytes from its begin: a result of a subplan where the control
                     step wants it, or an operand of Concat in the result (join.c); NULL: it has its own place */
    uint64_t shift;
    uint32_t first_taken, last_taken; /* steps whose result took this memory from an operand; 0: none did */
    bool is_fixed;                    /* its place cannot be in another buffer */
    const struct ob_step *joined;     /* the Concat that makes it of operands side by side; NULL: none does */
    struct ob_buffer *next;
} ob_buffer;

/* A static value: its buffer, the byte offset of element (0, ..., 0) and its layout. */
typedef struct ob_slot {
    ob_buffer *buffer;
    int64_t offset;
    const ob_layout *layout;
    struct ob_slot *next;   /* of the plan */
    const int64_t *padding; /* zeros around the elements in memory, before and after each axis, that the value has and the layout
                               does not; only for readers that count them (OB_KERNEL_WINDOW). NULL: none */
} ob_slot;

/* ---- Steps ---- */

typedef enum ob_step_kind {
    OB_STEP_KERNEL,
    OB_STEP_COPY,     /* in[0] to out[0] */
    OB_STEP_IN_PLACE, /* the operands are already where the result is: nothing to do */
    OB_STEP_CONTROL,  /* runs subplans, as `control` says */
    OB_STEP_DYNAMIC   /* the node is planned and computed during the run (runtime/run/dynamic.c) */
} ob_step_kind;

/* Steps that run together: those from *begin on with numbers below `end`. Blocks are nested like brackets. */
typedef struct ob_subplan {
    struct ob_step **begin;
    uint32_t end;
} ob_subplan;

typedef struct ob_step {
    ob_step_kind kind;
    uint32_t number;
    uint32_t n_in, n_out;
    uint32_t n_others;            /* of n_in, the last ones: operands of an epilogue */
    const ob_node *node;          /* for a copy: the node that needs it, or NULL for a graph output */
    const struct ob_group *group; /* the nodes of the step, of which `node` is the last; NULL: one node */
    const ob_kernel *kernel;
    const ob_slot **slots;        /* of n_in operands, then n_out results; NULL: omitted */
    void *state;                  /* of the kernel */
    const void **prepared;        /* OB_PREPARED_MAX constants; NULL: none */
    const ob_kernel_needs *needs; /* of the kernel; only in sessions whose plans are written as C */
    const int64_t *places;        /* n_in byte offsets: an operand that is there in result 0 is not copied; NULL: none can be */
    uint64_t lanes;               /* start of the lanes' scratch memory, after that of the kernel */
    size_t lane_stride;
    struct ob_control *control;
    struct ob_step *next; /* in the order of their numbers, over all subplans */
} ob_step;

/* ---- Control: If, Loop and Scan whose subplans have static shapes ---- */

/* State that an iteration passes to the next: two areas that take turns; the first one is the result. */
typedef struct ob_carried {
    const ob_slot *initial;
    ob_buffer *in, *out; /* MOVING: where the body reads and writes it; out NULL: it stays as it is */
    ob_buffer *areas[2];
    uint64_t n_bytes;
    int64_t initial_step; /* bytes between sequences of a batch */
} ob_carried;

/* A value of which each iteration reads or writes a slice: at `start`, then every `step` bytes; sequences of a batch are
 * `batch_step` bytes apart. */
typedef struct ob_sliced {
    const ob_slot *operand; /* NULL: it is `result` */
    ob_buffer *result;
    ob_buffer *slice; /* MOVING */
    int64_t start, step, batch_step;
} ob_sliced;

typedef struct ob_control {
    ob_subplan subplans[2]; /* If: for true and for false; otherwise the body */
    struct ob_step **after; /* *after: the step after the subplans */
    bool is_loop;
    const ob_slot *condition; /* a bool; NULL: true */
    const ob_slot *trips;     /* Loop: an int64; NULL: n_trips iterations */
    int64_t n_trips;          /* the most */
    const ob_slot *lengths;   /* int64 for each sequence of a batch; NULL: n_trips each */
    int64_t n_batches;
    ob_buffer *counter;   /* the body reads the number of the iteration here; NULL: it does not */
    const ob_slot *again; /* the body's bool; NULL: true */
    ob_carried *carried;
    ob_sliced *scanned, *stacked;
    uint32_t n_carried, n_scanned, n_stacked;
    ob_ahead_control table; /* what runs read: all of this with numbers of buffers as places */
} ob_control;

/* The place of a graph output after the steps. */
typedef struct ob_plan_output {
    const ob_slot *slot; /* contiguous, in a buffer of kind OUTPUT; NULL: a dynamic result */
} ob_plan_output;

struct ob_plan;

/* Nodes of one graph that are planned during a run, when the sizes of their operands are known: nodes behind results of unknown
 * size, or a body. Plans are kept for sets of sizes. */
typedef struct ob_part {
    ob_node **nodes; /* in order */
    uint32_t n_nodes;
    const ob_value **entries; /* values that they read from other nodes, without constants */
    uint32_t n_entries;
    const ob_value **constants; /* that they read */
    uint32_t n_constants;
    const ob_value **results; /* values that they make and that the graph outputs */
    uint32_t n_results;
    bool is_plain; /* all values are tensors; otherwise it is not planned */
    struct ob_plan *plans;
    uint32_t n_misses;    /* misses since the last found plan */
    uint64_t missed;      /* hash of the layouts of the last miss */
    struct ob_part *next; /* other bodies of the session */
} ob_part;

typedef struct ob_plan {
    ob_arena arena;
    atomic_uint n_users;      /* the session that keeps it, and workers */
    const ob_layout **inputs; /* the key */
    int64_t **contents;       /* the key: elements of those inputs that decide shapes; NULL for the others */
    ob_step *steps, **steps_end;
    ob_buffer *buffers;
    uint32_t n_buffers;
    ob_subplan main;
    uint32_t most_views; /* operands and results of a step */
    ob_slot **slots;     /* by value id; NULL: no static place */
    ob_slot *all_slots;  /* those of copies, too */
    ob_plan_output *outputs;
    ob_part *rest;                 /* nodes that are planned when the steps have given their sizes; NULL: none */
    struct ob_owned_memory *owned; /* constants that were folded for these shapes */
    uint64_t folded_bytes;
    ob_session_memory memory;
    uint64_t last_used;
    struct ob_plan *next;
} ob_plan;

/* The buffer whose place it shares, or itself. */
static inline ob_buffer *ob__buffer_root(ob_buffer *buffer) {
    while (buffer && buffer->same_as) buffer = buffer->same_as;
    return buffer;
}

/* The offset of its place in that of the root. */
static inline uint64_t ob__buffer_shift(const ob_buffer *buffer) {
    uint64_t shift = 0;
    for (; buffer && buffer->same_as; buffer = buffer->same_as) shift += buffer->shift;
    return shift;
}

/* In a finished plan: true if operand i is where step->places wants it in result 0. */
static inline bool ob__is_placed(const ob_step *step, uint32_t i) {
    const ob_slot *slot = step->slots[i], *result = step->slots[step->n_in];
    return slot && result && slot->buffer == result->buffer && slot->offset - result->offset == step->places[i];
}

/* The next step of the same subplan. */
static inline const ob_step *ob__step_after(const ob_step *step) {
    return step->control ? *step->control->after : step->next;
}

/* runtime/plan/create.c */
/* `part` NULL: the plan of the main graph, for its inputs; otherwise for the entries of the part. */
ob_status ob__plan_create(ob_session *session, const ob_part *part, const ob_view *inputs, ob_plan **out, ob_error *error);
/* Removes a user; the last one frees the plan. */
void ob__plan_release(ob_session *session, ob_plan *plan);
/* Scratch memory of a step: that of the kernel, followed by that of each lane. */
typedef struct ob_scratch {
    uint64_t n_bytes, lanes; /* of all; where the lanes' begins */
    size_t lane_stride;
} ob_scratch;

/* runtime/plan/memory.c: false if it is more than can be addressed. */
bool ob__scratch_of(const ob_kernel_needs *needs, const ob_threads *threads, ob_scratch *out);

/* Its memory for a run: arena and scratch. */
static inline uint64_t ob__plan_work_bytes(const ob_plan *plan) {
    return plan->memory.arena_bytes + plan->memory.scratch_bytes;
}
/* runtime/plan/part.c: a part of these nodes, of one graph; `arena` owns it and `nodes`. E_MEMORY. */
ob_status ob__part_create(ob_session *session, ob_arena *arena, const ob_graph *graph, ob_node **nodes, uint32_t n_nodes,
                          ob_part **out);
/* The part that is all of a body: made once. E_MEMORY. */
ob_status ob__body_part(ob_session *session, const ob_graph *body, ob_part **out);
void ob__part_release(ob_session *session, ob_part *part);
/* runtime/plan/template.c */
void ob__templates_release(ob_session *session);
/* runtime/plan/infer.c: a small integer or bool tensor, of *n elements; false when it is not one, or too large
 * (OB_CONTENT_MAX). */
bool ob__has_content(const ob_view *view, uint32_t *n);
/* Reads its elements; compares them. */
void ob__read_content(const ob_view *view, uint32_t n, int64_t *elems);
bool ob__same_content(const ob_view *view, uint32_t n, const int64_t *elems);

/* runtime/plan/memory.c: gives every ARENA buffer an offset, so that buffers alive at the same step do not overlap; *total in
 * bytes.
 */
ob_status ob__plan_memory(ob_arena *scratch, ob_buffer *buffers, uint64_t *total);

#endif
