/** @defgroup operator Operators of one's own
 * @brief Libraries of operators beside those of ONNX, for checking, rewriting and running.
 *
 * A library of operators is a constant table: for each operator its name, version, operands, attributes, how shapes follow from
 * operands (the shape rule) and how elements are computed (the kernel). It is put into a registry, either by the host program
 * (ob_operators_add()) or from a shared library (ob_operators_load()), and the registry is attached to a model. From then on
 * checking, rewriting and sessions treat these operators as they treat built-in ones.
 *
 * A library of operators links nothing of onnx_broadcast and needs this header only: whatever it calls stands in the table
 * ob_operator_host that each call hands to it. The smallest one:
 *
 *     #include "onnx_broadcast/operator.h"
 *
 *     static void square(char *const *at, const int64_t *strides, int64_t n, const void *parameters) {
 *         (void)parameters;
 *         for (int64_t i = 0; i < n; i++) {
 *             float x = *(const float *)(at[0] + i * strides[0]);
 *             *(float *)(at[1] + i * strides[1]) = x * x;
 *         }
 *     }
 *
 *     static ob_status run(ob_operator_call *call) {
 *         return call->host->for_each(call, call->inputs, 1, call->outputs, 1, square, NULL);
 *     }
 *
 *     static const ob_operator rows[] = {{
 *         .struct_bytes = sizeof(ob_operator),
 *         .domain = "my.domain",
 *         .name = "Square",
 *         .since = 1,
 *         .signature = "f>f",
 *         .flags = OB_OPERATOR_BROADCASTS | OB_OPERATOR_STRIDED,
 *         .run = run,
 *     }};
 *     static const ob_operator_library library = {
 *         OB_OPERATOR_ABI, sizeof(ob_operator_library), "squares", "1.0", rows, 1,
 *     };
 *
 *     OB_OPERATOR_EXPORT const ob_operator_library *onnx_broadcast_operators(uint32_t host_abi) {
 *         return host_abi == OB_OPERATOR_ABI ? &library : NULL;
 *     }
 *
 * What a library returns is checked: a wrong number or a NULL gives an error. Its code runs inside the program all the same: a
 * kernel that writes beyond its outputs, and code that runs when a shared library is loaded, cannot be stopped. Load libraries
 * that you trust.
 * @{ */
#ifndef ONNX_BROADCAST_OPERATOR_H
#define ONNX_BROADCAST_OPERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/broadcast.h"
#include "onnx_broadcast/dim.h"
#include "onnx_broadcast/dtype.h"
#include "onnx_broadcast/model.h"
#include "onnx_broadcast/status.h"
#include "onnx_broadcast/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The number of this interface between host and library: structs, function table, meaning of numbers (ob_status, ob_dtype).
 * It changes when a library that was compiled before would misunderstand the host; a host takes libraries of its own number
 * only. Functions that are added go to the end of ob_operator_host and leave the number as it is: its struct_bytes tells. */
#define OB_OPERATOR_ABI UINT32_C(1)
/** The function that a shared library exports: an ob_operator_entry. */
#define OB_OPERATOR_ENTRY "onnx_broadcast_operators"
/** Most bytes of ob_operator.state_bytes. Larger tables are allocated in `plan`. */
#define OB_OPERATOR_MAX_STATE (1 << 20)
/** Most rows of a library, and most attributes of a row. */
#define OB_OPERATOR_MAX_ROWS 4096
/** Most bytes of a domain, operator, attribute or library name. */
#define OB_OPERATOR_MAX_NAME 63

/** Makes a function visible outside its shared library. */
#if defined(_WIN32)
#define OB_OPERATOR_VISIBLE __declspec(dllexport)
#else
#define OB_OPERATOR_VISIBLE __attribute__((visibility("default")))
#endif
/** In front of the exported function's definition. */
#ifdef __cplusplus
#define OB_OPERATOR_EXPORT extern "C" OB_OPERATOR_VISIBLE
#else
#define OB_OPERATOR_EXPORT OB_OPERATOR_VISIBLE
#endif

/** A set of element types: the bit of each ob_dtype. */
#define OB_OPERATOR_TYPE(dtype) (UINT64_C(1) << (dtype))
/** float16, float, double. */
#define OB_OPERATOR_FLOATS (OB_OPERATOR_TYPE(OB_FLOAT16) | OB_OPERATOR_TYPE(OB_FLOAT) | OB_OPERATOR_TYPE(OB_DOUBLE))
/** Every element type. */
#define OB_OPERATOR_ANY (OB_OPERATOR_TYPE(OB_DTYPE_COUNT) - 2)

typedef struct ob_operator_host ob_operator_host;
typedef struct ob_operator_call ob_operator_call;

/* ---- The table ---- */

/** What an attribute holds. */
typedef enum ob_attribute_kind {
    OB_ATTRIBUTE_INT = 1, /**< a whole number */
    OB_ATTRIBUTE_REAL,    /**< a float */
    OB_ATTRIBUTE_TEXT,    /**< a string */
    OB_ATTRIBUTE_INTS,    /**< a list of whole numbers */
    OB_ATTRIBUTE_REALS,   /**< a list of floats */
    OB_ATTRIBUTE_TEXTS    /**< a list of strings */
} ob_attribute_kind;

/** An attribute. A node that has another one, or one of another kind, or lacks a required one, is a finding (OB0602). */
typedef struct ob_operator_attribute {
    const char *name;       /**< 1 to OB_OPERATOR_MAX_NAME bytes, once in the table */
    ob_attribute_kind kind; /**< one of the enum */
    bool required;          /**< false: a node without it has the default below */
    int64_t integer;        /**< default of INT */
    float real;             /**< default of REAL */
    const char *text;       /**< default of TEXT; NULL: "" */
    const void *list;       /**< default of a list: n entries int64_t, float or const char *; NULL with n 0 */
    size_t n;               /**< entries of list */
} ob_operator_attribute;

/** ob_operator.flags */
typedef enum ob_operator_flag {
    /** All operands broadcast against each other, and every output has their common shape. `shape` must be NULL. Such an operator
     * is rewritten to explicit broadcasting like Add. */
    OB_OPERATOR_BROADCASTS = 1,
    /** `run` takes inputs with any strides, 0 and negative ones included; without it inputs are contiguous. */
    OB_OPERATOR_STRIDED = 2,
    /** The first output may have the memory of an input of equal shape, element size and contiguous strides. for_each allows it.
     */
    OB_OPERATOR_IN_PLACE = 4,
    /** Equal inputs may give other results (random numbers, a clock): never computed ahead. */
    OB_OPERATOR_VARIES = 8,
    /** The shape rule may leave sizes open that depend on elements: `run` makes such an output with make_output. */
    OB_OPERATOR_DATA_SHAPE = 16
} ob_operator_flag;

/** One version of one operator. Zero what is not needed. */
typedef struct ob_operator {
    uint32_t struct_bytes; /**< sizeof(ob_operator) */
    /** 1 to OB_OPERATOR_MAX_NAME letters, digits, '_', '-' and '.'. Not a domain of the ONNX standard (ai.onnx and below), not
     * onnx_broadcast. */
    const char *domain;
    const char *name; /**< as domain; a built-in operator of that domain cannot be replaced */
    int32_t since;    /**< the first version of the domain that has this row, 1 to 32767: a later row of that name replaces it */
    /** One letter for each input, '>', one for each output: "TT>T". 'T', 'U', 'V', 'W' are element types out of types[0] to
     * types[3]; operands with one letter have one type. Fixed types: i int64, j int32, f float, d double, h float16, b bool,
     * s string, u uint8. Behind a letter '?' makes the operand optional (nothing but optional ones may follow), '*' lets the last
     * one repeat (once or more, one type), '~' likewise with a type each. At least one output. At most 64 letters. */
    const char *signature;
    uint64_t types[4];                       /**< sets of OB_OPERATOR_TYPE for T, U, V, W */
    const ob_operator_attribute *attributes; /**< n_attributes entries; NULL with n_attributes 0 */
    size_t n_attributes;                     /**< 0 to OB_OPERATOR_MAX_ROWS */
    uint32_t flags;                          /**< of ob_operator_flag */
    size_t state_bytes;                      /**< of call->state, 0 to OB_OPERATOR_MAX_STATE */
    void *user;                              /**< handed on as call->user; may be NULL */
    /** Tells shapes and types of the outputs from those of the inputs; serves the checker, where sizes are terms, and the
     * planner, where they are numbers. Reads with input_shape and kin, and calls set_output for every output: with
     * OB_RANK_UNKNOWN when nothing can be told. What must hold goes to `require`, what is wrong to `fail`. NULL only with
     * OB_OPERATOR_BROADCASTS. May be called from several threads at once for different models. */
    ob_status (*shape)(ob_operator_call *call);
    /** Prepares `run` for these shapes, types and strides: fills state, asks for scratch. Data of inputs is NULL unless it is
     * constant, data of outputs is NULL. May be NULL. E_UNSUPPORTED for what the kernel cannot do. */
    ob_status (*plan)(ob_operator_call *call);
    /** Computes the outputs. Must not change inputs or state: several threads may run one plan at once. Must not be NULL. */
    ob_status (*run)(ob_operator_call *call);
    /** Frees what `plan` allocated (call->allocator). Called once for every state, also when `plan` failed; only host, user,
     * state and allocator of the call are set. May be NULL. */
    void (*release)(ob_operator_call *call);
} ob_operator;

/** A library of operators. The registry keeps pointers into it: it and what it points to must not change, and must live as long
 * as the registry. */
typedef struct ob_operator_library {
    uint32_t abi;                 /**< OB_OPERATOR_ABI */
    uint32_t struct_bytes;        /**< sizeof(ob_operator_library) */
    const char *name;             /**< for messages; 1 to OB_OPERATOR_MAX_NAME letters, digits, '_', '-' and '.' */
    const char *version;          /**< for messages; as name */
    const ob_operator *operators; /**< n_operators rows */
    size_t n_operators;           /**< 1 to OB_OPERATOR_MAX_ROWS */
} ob_operator_library;

/** Type of the function OB_OPERATOR_ENTRY. host_abi: the OB_OPERATOR_ABI of the host; a library that cannot serve it returns
 * NULL. Called once for each loading. The result is a view of constant data. */
typedef const ob_operator_library *(*ob_operator_entry)(uint32_t host_abi);

/** What a shared library defines; the host does not. An ob_operator_entry. */
OB_OPERATOR_EXPORT const ob_operator_library *onnx_broadcast_operators(uint32_t host_abi);

/* ---- What a library sees ---- */

/** A call of shape, plan, run or release. Valid during the call only; owned by the host. */
struct ob_operator_call {
    const ob_operator_host *host; /**< what the library may call */
    const ob_operator *op;        /**< the row: since tells the version */
    void *user;                   /**< op->user */
    uint32_t n_inputs;            /**< of the node; omitted optional ones in between count */
    uint32_t n_outputs;           /**< of the node */
    /** plan and run: n_inputs views, dtype OB_NONE where omitted; data is aligned to the element size (at most 8 bytes). shape:
     * NULL */
    const ob_view *inputs;
    /** plan and run: n_outputs contiguous views, dtype OB_NONE where not wanted; `run` writes to their data. shape: NULL */
    const ob_view *outputs;
    /** plan, run and release: op->state_bytes, zero before plan, 16-byte aligned. shape: NULL */
    void *state;
    /** run: the bytes that plan asked for with need_scratch, 64-byte aligned, contents undefined. NULL when there are none */
    void *scratch;
    const ob_allocator *allocator; /**< plan and release: for tables in state; NULL otherwise */
};

/** The host's functions. All take the call at hand. A function that fails keeps the first message, and the call then fails
 * whatever the library returns. Within tasks of `parallel` only for_each, view_init, view_broadcast and fail may be called; those
 * are thread-safe.
 * "shape only" and so on: elsewhere the function fails. Operands count from 0. Texts and lists are views, valid during the
 * call. */
struct ob_operator_host {
    uint32_t abi;          /**< OB_OPERATOR_ABI of the host */
    uint32_t struct_bytes; /**< of this table: functions beyond it do not exist in this host */
    const char *version;   /**< ob_version() of the host */

    /* -- any call but release -- */

    /** Says what is wrong, and returns `status` for the library to return. In a shape rule it becomes a finding: OB0604 for
     * E_TYPE, OB0602 for E_ARGUMENT, OB0601 for all others; in plan and run the error of the session. status: not OB_OK. operand:
     * an input, or -1. axis: of the output, or -1. format: of printf, the text is cut to 511 bytes. */
    ob_status (*fail)(ob_operator_call *call, ob_status status, int32_t operand, int32_t axis, const char *format, ...);
    /** The node has this attribute; false: reading gives the default. Reading an attribute, here and below, whose name or kind is
     * not in the row's table fails and gives 0, NULL or an empty list. */
    bool (*attribute_given)(ob_operator_call *call, const char *name);
    /** The value of an INT attribute, or its default. */
    int64_t (*attribute_int)(ob_operator_call *call, const char *name);
    /** The value of a REAL attribute, or its default. */
    float (*attribute_real)(ob_operator_call *call, const char *name);
    /** The value of a TEXT attribute, or its default. Terminated, never NULL. */
    const char *(*attribute_text)(ob_operator_call *call, const char *name);
    /** The entries of an INTS attribute; *n is their number. NULL when there are none. */
    const int64_t *(*attribute_ints)(ob_operator_call *call, const char *name, size_t *n);
    /** The entries of a REALS attribute; *n is their number. NULL when there are none. */
    const float *(*attribute_reals)(ob_operator_call *call, const char *name, size_t *n);
    /** Entry `index` of a TEXTS attribute; NULL beyond the last. */
    const char *(*attribute_text_at)(ob_operator_call *call, const char *name, size_t index);

    /* -- shape only -- */

    /** The shape of an input; rank OB_RANK_UNKNOWN when it is not known, omitted or there is no such input. Dims are terms. */
    ob_shape (*input_shape)(ob_operator_call *call, uint32_t input);
    /** The element type of an input; OB_NONE as above. */
    ob_dtype (*input_dtype)(ob_operator_call *call, uint32_t input);
    /** The input is there, not omitted. */
    bool (*input_given)(ob_operator_call *call, uint32_t input);
    /** The elements of a small integer input, as terms (OB_DIM_UNKNOWN where one is not known), row-major; NULL and *n 0 when
     * they are not known. In the planner they are known when the input is constant or computed from sizes. */
    const ob_dim *(*input_integers)(ob_operator_call *call, uint32_t input, size_t *n);
    /** a + b. Here and below: OB_DIM_UNKNOWN when an operand is, or is no dim of this call, or the result is out of range. */
    ob_dim (*add)(ob_operator_call *call, ob_dim a, ob_dim b);
    /** a - b */
    ob_dim (*sub)(ob_operator_call *call, ob_dim a, ob_dim b);
    /** a * b */
    ob_dim (*mul)(ob_operator_call *call, ob_dim a, ob_dim b);
    /** floor(a / divisor), divisor > 0 */
    ob_dim (*floor_div)(ob_operator_call *call, ob_dim a, int64_t divisor);
    /** ceil(a / divisor), divisor > 0 */
    ob_dim (*ceil_div)(ob_operator_call *call, ob_dim a, int64_t divisor);
    /** Writes a dim as text, for messages; conventions of ob_dim_format. */
    size_t (*dim_text)(ob_operator_call *call, ob_dim d, char *text, size_t n_bytes);
    /** Requires `kind` of a and b (ob_condition). True for all sizes: nothing. False for all: fails with E_SHAPE. Else it becomes
     * a condition of the model, which the checker reports and sessions test before they run. operand, axis: as in fail. OB_OK
     * unless it fails; an unknown dim requires nothing. */
    ob_status (*require)(ob_operator_call *call, ob_condition_kind kind, ob_dim a, ob_dim b, int32_t operand, int32_t axis);
    /** Broadcasts the shapes of n of the inputs against each other as ob_broadcast_shapes does, n at most n_inputs. Conditions
     * are handed on; operands that do not broadcast are finding OB0101. *result has rank OB_RANK_UNKNOWN then, and when a rank is
     * not known. E_SHAPE: they do not broadcast. */
    ob_status (*broadcast)(ob_operator_call *call, const uint32_t *inputs, size_t n, ob_broadcast_result *result);
    /** Sets type and shape of an output. dtype OB_NONE: as the signature tells; must be given when it does not. rank: 0 to
     * OB_MAX_RANK, or OB_RANK_UNKNOWN. dims: rank entries, copied; OB_DIM_UNKNOWN for a size that is not known; NULL with rank 0
     * or unknown. Outputs that the row has and the node has not are ignored. */
    ob_status (*set_output)(ob_operator_call *call, uint32_t output, ob_dtype dtype, int32_t rank, const ob_dim *dims);

    /* -- plan only -- */

    /** Asks for n_bytes of call->scratch during run. The largest number of all calls counts. E_LIMIT over 2^61 bytes. */
    ob_status (*need_scratch)(ob_operator_call *call, size_t n_bytes);

    /* -- plan and run -- */

    /** ob_view_init. */
    ob_status (*view_init)(ob_operator_call *call, ob_view *view, void *data, ob_dtype dtype, int32_t rank, const int64_t *dims);
    /** ob_view_broadcast: out is `from` with stride 0 along stretched axes. */
    ob_status (*view_broadcast)(ob_operator_call *call, const ob_view *from, int32_t rank, const int64_t *dims, ob_view *out);

    /* -- run only -- */

    /** ob_for_each: broadcasts the inputs to the outputs' shape and calls `loop` over long runs. One thread. */
    ob_status (*for_each)(ob_operator_call *call, const ob_view *inputs, size_t n_inputs, const ob_view *outputs,
                          size_t n_outputs, ob_loop loop, const void *parameters);
    /** Calls task(context, begin, end) over disjoint ranges that cover 0 .. n - 1, on the session's threads when there are at
     * least two grains of work, and returns when all are done. n 0: no call. n and grain: 0 or more. */
    ob_status (*parallel)(ob_operator_call *call, int64_t n, int64_t grain,
                          void (*task)(void *context, int64_t begin, int64_t end), void *context);
    /** Memory for an output whose sizes the shape rule left open (its view has rank OB_RANK_UNKNOWN): sets call->outputs[output].
     * Needs OB_OPERATOR_DATA_SHAPE. E_LIMIT, E_MEMORY. */
    ob_status (*make_output)(ob_operator_call *call, uint32_t output, int32_t rank, const int64_t *dims);
    /** n_bytes for the text of string elements that `run` makes; they live as long as the outputs. NULL, and the call fails, when
     * there is no memory. */
    char *(*text_bytes)(ob_operator_call *call, size_t n_bytes);
};

/* ---- What a host program calls ---- */

/** A registry: operators of any number of libraries. Adding and loading are for one thread, before use; afterwards any number of
 * models in any threads may use it. */
typedef struct ob_operators ob_operators;

/** Creates an empty registry. `allocator` NULL: the default. Returns owned: ob_operators_close. E_MEMORY, E_ARGUMENT (out NULL).
 */
OB_API ob_status ob_operators_create(const ob_allocator *allocator, ob_operators **out);
/** Frees the registry, unloads the libraries that it loaded and sets *operators to NULL. Models that have it must be closed, and
 * everything made from them. NULL and *NULL are allowed. */
OB_API void ob_operators_close(ob_operators **operators);

/** Adds every row of a library that is part of the program; on failure none. Borrows `library` until the registry is closed.
 * Errors, each with a message that names library, row and cause: E_UNSUPPORTED (another ABI or struct_bytes), E_ARGUMENT (NULL, a
 * bad row, an operator that is built in or that another library has in the same version), E_MEMORY. */
OB_API ob_status ob_operators_add(ob_operators *operators, const ob_operator_library *library, ob_error *error);
/** Loads a shared library and adds its rows. `path`: a file; without a '/' it is looked up in the current folder, never in the
 * system's. Runs code of the file. Errors: E_IO (the file cannot be loaded), E_NOT_FOUND (it does not export OB_OPERATOR_ENTRY),
 * E_UNSUPPORTED (a build without loading; the library does not serve this ABI), and those of ob_operators_add. Every message
 * begins with the path. */
OB_API ob_status ob_operators_load(ob_operators *operators, const char *path, ob_error *error);

/** A row as it was added. Texts live as long as the registry. */
typedef struct ob_operator_info {
    const char *domain;          /**< of the operator */
    const char *name;            /**< of the operator */
    int32_t since;               /**< first version */
    const char *library;         /**< name of its library */
    const char *library_version; /**< and version */
} ob_operator_info;

/** Number of rows; 0 for NULL. */
OB_API size_t ob_operators_count(const ob_operators *operators);
/** Row `index`, in the order of adding; all zero beyond the last. */
OB_API ob_operator_info ob_operators_at(const ob_operators *operators, size_t index);

/** From now on checking, rewriting and sessions of this model know these operators. NULL takes them away. Local functions of the
 * model that have the name of such an operator go before it. The registry is borrowed: it must outlive the model and everything
 * made from it (clones keep it). Not while another thread uses the model. E_ARGUMENT (model NULL), E_MEMORY. */
OB_API ob_status ob_model_set_operators(ob_model *model, const ob_operators *operators);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
