/* What a kernel sees. A kernel belongs to an operator family; it is planned once for concrete shapes and run many times. */
#ifndef OB_OPS_KERNEL_KERNEL_H
#define OB_OPS_KERNEL_KERNEL_H

#include "core/base/threads.h"
#include "core/graph/graph.h"
#include "onnx_broadcast/view.h"

struct ob_op;
struct ob_blas;

/* Counts memory that a library takes for itself, where no allocator can be handed to it: as an allocator does, without a block.
 */
typedef struct ob_account {
    bool (*take)(void *context, uint64_t n_bytes); /* false: over the limit, and nothing is counted */
    void (*give_back)(void *context, uint64_t n_bytes);
    void *context;
} ob_account;

/* What planning sees beside operands and results: the node, which is read once. */
typedef struct ob_kernel_site {
    const ob_node *node;
    const struct ob_op *op;        /* the version: op->since */
    struct ob_arena *arena;        /* of the plan, for ob__tail */
    const ob_allocator *allocator; /* for what a library plans; its `release` frees it */
    bool constants_in_place;       /* nothing is prepared: constants are used in place */
    const ob_account *account;     /* what `allocator` counts for; NULL: nothing is counted. Lives as long as the state */
    struct ob_blas *blas;          /* for large products of relaxed sessions (ops/product/blas.h), lives as long; NULL: none */
} ob_kernel_site;

/* n zeroed elements that live as long as the state: tables, lists. NULL: no memory. */
void *ob__tail(const ob_kernel_site *site, size_t n, size_t n_bytes_each);

enum { OB_PREPARED_MAX = 4 };

/* A request for a prepared constant: a constant operand in a form of the kernel's own, which the session makes once for all plans
 * and workers. */
typedef struct ob_prepare_request {
    uint32_t input;  /* its data is known during planning */
    uint64_t format; /* identifies the form: two requests with one format get the same bytes from a constant */
    size_t n_bytes;
    /* Fills `prepared`: n_bytes, zeroed before, 64-byte aligned. `params` is the state, or a tail of it. */
    void (*make)(const void *params, const ob_view *constant, void *prepared);
    const void *params;
} ob_prepare_request;

/* What planning decides. Zeroed before. */
typedef struct ob_kernel_needs {
    size_t scratch_bytes;
    size_t lane_bytes; /* scratch for each lane */
    ob_prepare_request prepared[OB_PREPARED_MAX];
    uint32_t n_prepared;
} ob_kernel_needs;

typedef struct ob_kernel_args {
    uint32_t n_in, n_out;
    /* dtype OB_NONE: omitted. While planning, data is NULL unless the input is a constant (or already computed). Strides are the
     * same while planning and running. data is aligned to the element size: the executor copies what a file holds unaligned. */
    ob_view *in;
    ob_view *out; /* dims and dtype are set; strides contiguous. data NULL while planning. dtype OB_NONE: not wanted, which only
                   * an optional output can be: required and variadic ones have memory even when the node leaves them out */
    void *state;  /* kernel->state_bytes, zeroed before plan, lives as long as the plan, 16-byte aligned. `run` only reads it, and
                   * everything behind it: several threads may run one plan at once, each with args and scratch of its own.
                   * What `plan` keeps must not point to args, in or out: a run has others with the same layout */
    void *scratch; /* during run: plan's scratch_bytes, 64-byte aligned, contents undefined */
    char *lanes;   /* during run: lane_bytes for each lane, `lane_stride` bytes apart, 64-byte aligned, contents undefined */
    size_t lane_stride;
    const void *prepared[OB_PREPARED_MAX]; /* during run: the constants that plan wanted, in its order */
    const ob_threads *threads;             /* may be NULL */
    struct ob_arena *strings; /* during run: bytes of string elements that a kernel makes; they live as long as the outputs. May
                               * be NULL: then such a kernel gives E_UNSUPPORTED */
    struct ob_kernel_cells *cells; /* during run, for OB_KERNEL_CELLS: ops/kernel/cells.h; NULL: all are tensors */
    /* during run, of the executor, for OB_KERNEL_DYNAMIC: what ob__kernel_output calls */
    ob_status (*make_output)(const struct ob_kernel_args *args, uint32_t i, int32_t rank, const int64_t *dims, ob_error *error);
} ob_kernel_args;

enum {
    OB_KERNEL_STRIDED = 1, /* accepts inputs with any strides, 0 included; otherwise the executor hands it contiguous inputs */
    OB_KERNEL_INPLACE = 2, /* an output may take the memory of an input with equal shape, element size and contiguous strides */
    OB_KERNEL_VIEW = 4,    /* output 0.. are views of inputs: only `view` is called, nothing is computed */
    OB_KERNEL_DYNAMIC = 8, /* output shapes may depend on data: an output whose rank is OB_RANK_UNKNOWN in `plan` and `run` has no
                            * memory yet, `run` sets it through ob__kernel_output */
    OB_KERNEL_INPLACE_FIRST = 16, /* as INPLACE, but only input 0, and only when no other input lies in that memory */
    OB_KERNEL_CELLS = 32,  /* operands or results may be sequences, optionals and maps: `run` sees args->cells, and allocates */
    OB_KERNEL_CONTROL = 64 /* runs its subgraphs: the executor does, and calls none of the functions below */
};

/* No message of a kernel begins with the operator's name: who calls it puts node and operator on record, and they are printed
 * before the message (the test `kernel_messages`). */
typedef struct ob_kernel {
    const char *name;
    unsigned flags;
    size_t state_bytes;
    /* Resolves loops for these shapes and types. E_UNSUPPORTED with a message for a type, attribute or version it cannot do;
     * E_SHAPE ... for what is wrong. May be NULL. Called with data of constants only, possibly from several threads for different
     * plans. What it keeps of the node it copies to the state: `run` does not see the node. */
    ob_status (*plan)(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error);
    /* Computes. No allocation. Errors are those that depend on data (an index out of range). */
    ob_status (*run)(const ob_kernel_args *args, ob_error *error);
    /* Sets out[i].strides and data relative to in[j] (dims are set already); returns E_UNSUPPORTED when these strides do not
     * allow a view, or when an operand that decides it has no data yet: then `run` is called on allocated outputs (and must be
     * there). Called once while planning, where a NULL input gives a NULL output, and again whenever the input's memory is
     * another. */
    ob_status (*view)(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error);
    void (*release)(void *state, const ob_allocator *allocator); /* of what plan allocated; may be NULL */
    /* Tells from the inputs' data the dims (rank and dims of out[i]) that the shape rule could not: Range over floats. May be
     * NULL. */
    ob_status (*shape)(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error);
    const char
        *libraries; /* whose calls do the work, for the list of operators; NULL: none. Without them it refuses what needs them */
    uint64_t types; /* of operands (ob_types); 0: all that its rows list. A call with others becomes the operator's body */
    /* E_UNSUPPORTED, with a message, for what it cannot do whatever the sizes are: of `args` only in[i].dtype is to be read,
     * OB_NONE where it is not known. Asked for every node when a session is made, so that all of it is named at once; `plan`
     * asks as well, since types may come later. May be NULL. */
    ob_status (*refuse)(const ob_kernel_site *site, const ob_kernel_args *args, ob_error *error);
} ob_kernel;

/* For OB_KERNEL_DYNAMIC: obtains memory for output i with these dims and sets args->out[i]. */
ob_status ob__kernel_output(const ob_kernel_args *args, uint32_t i, int32_t rank, const int64_t *dims, ob_error *error);

/* False: the row has none, or `none`. */
bool ob__has_kernel(const struct ob_op *op);

#endif
