/* The interface between kernels and the executor. A kernel belongs to an operator family; it is planned once for concrete shapes
 * and run many times. */
#ifndef OB_OPS_KERNEL_KERNEL_H
#define OB_OPS_KERNEL_KERNEL_H

#include "core/base/threads.h"
#include "core/graph/graph.h"
#include "onnx_broadcast/view.h"

struct ob_op;
struct ob_struct;
struct ob_blas;
struct ob_element_call;
struct ob_row_call;
struct ob_epilogue;
struct obk_program;
struct ob_conversions;

/* Counts memory that a library allocates itself because it accepts no allocator. Like an allocator, but returns no block. */
typedef struct ob_account {
    bool (*take)(void *context, uint64_t n_bytes); /* false: over the limit; nothing is counted then */
    void (*give_back)(void *context, uint64_t n_bytes);
    void *context;
} ob_account;

/* The inputs of planning other than operands and results. The node is read only here. */
typedef struct ob_kernel_site {
    const ob_node *node;
    const struct ob_op *op;        /* its row in the operator table; the version is op->since */
    struct ob_arena *arena;        /* of the plan; ob__tail allocates there */
    const ob_allocator *allocator; /* for allocations of operator libraries, which `release` frees */
    bool constants_in_place;       /* no constant is prepared; all are used in place */
    const ob_account
        *account;         /* the account in which `allocator` counts; NULL: memory is not counted. Lives as long as the state */
    bool loops_only;      /* the plan is written as C for any processor: no chains, no dot products of bytes */
    bool relaxed;         /* sums may be added in another way (docs/numerics.md) */
    struct ob_blas *blas; /* for large products of sessions with relaxed numerics (ops/product/blas.h); lives as long as the
                             state; NULL: none */
    const struct obk_program *program;  /* for ob__kernel_program (ops/elementwise/program.h) */
    const struct ob_epilogue *epilogue; /* for a kernel with epilogue_columns: nodes after it, which it applies to its results;
                                           lives as long as the state. NULL: none */
    const int64_t *padding; /* for OB_KERNEL_WINDOW: zeros around operand 0 that it does not have in memory, but counts in the
                               node's result: before each axis, then after each, 0 for the first two axes. NULL: none */
} ob_kernel_site;

/* n zeroed elements that live as long as the state, for tables and lists. NULL: out of memory. */
void *ob__tail(const ob_kernel_site *site, uint64_t n, size_t n_bytes_each);

enum { OB_PREPARED_MAX = 4 };

/* The function `run` of a kernel, with a name for plans that are written as C:
 *
 *     OB_RUN(ob__run_trilu) { ... }
 *     const ob_kernel ob__kernel_trilu = {.name = "trilu", OB_RUNS(ob__run_trilu), ...
 */
#define OB_RUN(function)                                                                                                         \
    ob_status function(const struct ob_kernel_args *args, ob_error *error);                                                      \
    ob_status function(const struct ob_kernel_args *args, ob_error *error)
#define OB_RUNS(function)  .run = (function), .run_name = #function
#define OB_PLAIN(function) .plain_name = #function

/* A request for a prepared constant: a constant operand in the form that a kernel needs, which the session makes once for all
 * plans and workers. */
typedef struct ob_prepare_request {
    uint32_t input;  /* its data is known during planning */
    uint64_t format; /* identifies the form: two requests with the same format and constant share their bytes */
    size_t n_bytes;
    /* Fills `prepared`: n_bytes, zeroed before, 64-byte aligned. `params` is the state or memory from ob__tail. */
    void (*make)(const void *params, const ob_view *constant, void *prepared);
    const void *params;
    bool replaces; /* `run` never reads the operand itself */
    uint8_t width; /* bytes of a number in this form, for another byte order; 0: it has no numbers of one width */
} ob_prepare_request;

enum { OB_CONVERSIONS_MAX = 16 };

/* The result of planning. Zeroed before. */
typedef struct ob_kernel_needs {
    size_t scratch_bytes;
    size_t lane_bytes; /* scratch memory for each lane */
    ob_prepare_request prepared[OB_PREPARED_MAX];
    uint32_t n_prepared;
    struct {
        uint8_t from, to;
    } conversions[OB_CONVERSIONS_MAX]; /* of runs, by ob__need_conversion */
    uint32_t n_conversions;
} ob_kernel_needs;

typedef struct ob_kernel_args {
    uint32_t n_in, n_out;
    /* dtype OB_NONE: omitted. data is NULL during planning, except for a constant or an input computed before. Strides are the
     * same during planning and runs. data is aligned to the element size: the executor copies unaligned data of a file */
    ob_view *in;
    const ob_view *others; /* the operands of site->epilogue other than the result */
    ob_view *out; /* dims and dtype are set, strides are contiguous. data is NULL during planning. dtype OB_NONE: not requested;
                     only an optional output can be. Required and variadic outputs have memory even if the node leaves them out */
    void *state; /* kernel->state_bytes, 16-byte aligned, zeroed before `plan`; lives as long as the plan. `run` only reads it and
                    the memory that it points to: several threads may run one plan at once, each with its own args and scratch.
                    `plan` must not keep pointers to args, in or out, because a run has others with the same layout */
    void *scratch; /* during a run: scratch_bytes of the plan, 64-byte aligned, contents undefined */
    char *lanes;   /* during a run: lane_bytes for each lane, `lane_stride` bytes apart, 64-byte aligned, contents undefined */
    size_t lane_stride;
    const void *prepared[OB_PREPARED_MAX];    /* during a run: the prepared constants, in the order of the requests of `plan` */
    const ob_threads *threads;                /* may be NULL */
    const struct ob_conversions *conversions; /* in a plan that is written as C: those that planning has asked for; otherwise
                                                 ob__all_conversions */
    struct ob_arena *strings; /* during a run: bytes of new string elements, which live as long as the outputs. May be NULL;
                                 kernels that make strings then return E_UNSUPPORTED */
    struct ob_kernel_cells
        *cells; /* during a run, for OB_KERNEL_CELLS: ops/kernel/cells.h; NULL: all operands and results are tensors */
    /* during a run, for OB_KERNEL_DYNAMIC: the executor's part of ob__kernel_output */
    ob_status (*make_output)(const struct ob_kernel_args *args, uint32_t i, int32_t rank, const int64_t *dims, ob_error *error);
} ob_kernel_args;

enum {
    OB_KERNEL_STRIDED = 1, /* accepts inputs with any strides, including 0; otherwise the executor passes contiguous inputs */
    OB_KERNEL_INPLACE =
        2,              /* an output may use the memory of an input with equal shape, equal element size and contiguous strides */
    OB_KERNEL_VIEW = 4, /* outputs are views of inputs: only `view` is called, and nothing is computed */
    OB_KERNEL_DYNAMIC = 8, /* output shapes may depend on data: an output whose rank is OB_RANK_UNKNOWN in `plan` and `run` has no
                              memory yet, and `run` allocates it with ob__kernel_output */
    OB_KERNEL_INPLACE_FIRST = 16, /* as INPLACE, but only for input 0, and only if no other input uses the same memory */
    OB_KERNEL_CELLS = 32, /* operands or results may be sequences, optionals and maps: `run` gets args->cells and may allocate */
    OB_KERNEL_WINDOW = 128,        /* operand 0 may come without zeros around it (ob_kernel_site.padding) */
    OB_KERNEL_CONTROL = 64,        /* the executor runs the node's subgraphs and calls none of the functions below */
    OB_KERNEL_FIXED_OPERANDS = 256 /* `element` wants constants of one element as operands, except for the first one */
};

/* For `row_axes` of a kernel: each row is folded to one element, so the axes are those along which the result has one. */
enum { OB_ROW_FOLDED = -1 };

/* A kernel's messages do not begin with the operator's name: the caller records node and operator, and they are printed before
 * the message (the test `kernel_messages`). */
typedef struct ob_kernel {
    const char *name;
    unsigned flags;
    size_t state_bytes;
    /* Selects loops for these shapes and types. E_UNSUPPORTED with a message for an unsupported type, attribute or version;
     * E_SHAPE and others for invalid calls. May be NULL. Only constants have data. May be called from several threads for
     * different plans. It must copy to the state everything of the node that `run` needs. */
    ob_status (*plan)(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error);
    /* Computes the outputs, without allocations. Its errors are those that depend on data, such as an index out of range. */
    ob_status (*run)(const ob_kernel_args *args, ob_error *error);
    /* For plans that are written as C: the name of `run`, and the members of its state; NULL: there are none. Without a name the
     * kernel cannot be written. */
    const char *run_name;
    const char *plain_name; /* of a function that computes the same where planning has asked for neither scratch memory nor
                               conversions: less code; NULL: there is none */
    const struct ob_struct *state;
    /* Sets strides and data of out[i] relative to in[j]; dims are set already. Called once during planning, where a NULL input
     * gives a NULL output, and again whenever the memory of the input changes. E_UNSUPPORTED if these strides do not allow a
     * view, or if a deciding operand has no data yet; `run`, which must exist, is then called with allocated outputs. */
    ob_status (*view)(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error);
    void (*release)(void *state, const ob_allocator *allocator); /* frees the allocations of plan; may be NULL */
    /* Computes from the inputs' data the rank and dims of out[i] that the shape rule could not infer, for instance of Range over
     * floats. May be NULL. */
    ob_status (*shape)(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error);
    const char *libraries; /* the library that does the work, for the list of operators; NULL: none. The kernel refuses calls that
                              need it in a build without it */
    uint64_t types; /* element types of operands (ob_types); 0: all that its rows list. A call with another type is replaced by
                       the operator's body */
    /* E_UNSUPPORTED with a message for a call that is unsupported at all sizes. Of `args` only in[i].dtype may be read; OB_NONE
     * if it is not known. Called for every node when a session is made, so that all unsupported nodes are named at once. `plan`
     * calls it too, because types may become known later. May be NULL. */
    ob_status (*refuse)(const ob_kernel_site *site, const ob_kernel_args *args, ob_error *error);
    /* For elementwise kernels: the loop and its operands (ops/kernel/element.h), from which `plan` makes an iteration, and a
     * group of nodes a program. May be NULL. */
    ob_status (*element)(const ob_kernel_site *site, const ob_kernel_args *args, struct ob_element_call *call, ob_error *error);
    /* For kernels that compute each row on its own: the number of last axes that are a row, 0 if it is not the last ones, or
     * OB_ROW_FOLDED; and the loop, as a step of a program over rows. Both or none. */
    int32_t (*row_axes)(const struct ob_node *node, const struct ob_op *op, int32_t rank);
    ob_status (*row)(const ob_kernel_site *site, const ob_kernel_args *args, struct ob_row_call *call, ob_error *error);
    /* The kernel takes an epilogue (ops/kernel/epilogue.h): the number of axes of result 0 that are columns; more than
     * there are: not for this result. in and out have no data. May be NULL. */
    int32_t (*epilogue_columns)(const ob_view *in, const ob_view *out);
    bool epilogue_converts; /* its results are int32, and the epilogue may make floats of them */
    /* For kernels whose result 0 is their operands side by side, each in contiguous memory: the byte offset of each operand in
     * the result. `run` leaves out operands that are there already. False: it is not so for these layouts. May be NULL. */
    bool (*places)(const ob_kernel_args *args, int64_t *offsets);
    /* For kernels that put elements around operand 0: their numbers before each axis, then after each. Only constants have data.
     * False: they are not all zeros, or their number is not known. May be NULL. */
    bool (*padding)(const ob_kernel_site *site, const ob_kernel_args *args, int64_t *padding);
    /* Result 0 is the product of the matrices in operands 0 and 1, in the last two axes of each. */
    bool is_product;
} ob_kernel;

/* For OB_KERNEL_DYNAMIC: obtains memory for output i with these dims and sets args->out[i]. */
ob_status ob__kernel_output(const ob_kernel_args *args, uint32_t i, int32_t rank, const int64_t *dims, ob_error *error);

/* False: the row has no kernel, or `none`. */
bool ob__has_kernel(const struct ob_op *op);

#endif
