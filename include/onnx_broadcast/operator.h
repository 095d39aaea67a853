/** @defgroup operator Custom operators
 * @brief Libraries of operators in addition to those of ONNX, for checking, rewriting and running.
 *
 * An operator library is a constant table. For each operator it gives the name, version, operands and attributes, the rule for
 * the shapes of the outputs (the shape rule), and the function that computes the elements (the kernel). The host program adds the
 * library to a registry, either from its own code (ob_operators_add()) or from a shared library (ob_operators_load()), and
 * attaches the registry to a model. After that, checking, rewriting and sessions handle these operators like built-in ones.
 *
 * An operator library does not link against onnx_broadcast and needs only this header. All functions that it can call are in the
 * table ob_operator_host, which it receives with each call. The smallest example:
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
 * The host checks everything that a library returns: a wrong number or a NULL gives an error. But the code of the library runs
 * inside the host program. Nothing can stop a kernel that writes outside its outputs, or code that runs when a shared library is
 * loaded. Load only libraries that you trust.
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

/** The version of the interface between host and library: structs, function table, meaning of numbers (ob_status, ob_dtype).
 * It changes when an existing compiled library would no longer work with the host. A host loads only libraries with its own
 * version. New functions are added at the end of ob_operator_host and do not change the version; struct_bytes of the table
 * shows which functions exist. */
#define OB_OPERATOR_ABI UINT32_C(1)
/** The name of the function that a shared library exports: an ob_operator_entry. */
#define OB_OPERATOR_ENTRY "onnx_broadcast_operators"
/** Maximum of ob_operator.state_bytes. `plan` allocates larger tables itself. */
#define OB_OPERATOR_MAX_STATE (1 << 20)
/** Maximum number of rows in a library, and of attributes in a row. */
#define OB_OPERATOR_MAX_ROWS 4096
/** Maximum length in bytes of a domain, operator, attribute or library name. */
#define OB_OPERATOR_MAX_NAME 63

/** Makes a function visible outside its shared library. */
#if defined(_WIN32)
#define OB_OPERATOR_VISIBLE __declspec(dllexport)
#else
#define OB_OPERATOR_VISIBLE __attribute__((visibility("default")))
#endif
/** Marks the definition of the exported function. */
#ifdef __cplusplus
#define OB_OPERATOR_EXPORT extern "C" OB_OPERATOR_VISIBLE
#else
#define OB_OPERATOR_EXPORT OB_OPERATOR_VISIBLE
#endif

/** A set of element types: one bit for each ob_dtype. */
#define OB_OPERATOR_TYPE(dtype) (UINT64_C(1) << (dtype))
/** float16, float, double. */
#define OB_OPERATOR_FLOATS (OB_OPERATOR_TYPE(OB_FLOAT16) | OB_OPERATOR_TYPE(OB_FLOAT) | OB_OPERATOR_TYPE(OB_DOUBLE))
/** Every element type. */
#define OB_OPERATOR_ANY (OB_OPERATOR_TYPE(OB_DTYPE_COUNT) - 2)

typedef struct ob_operator_host ob_operator_host;
typedef struct ob_operator_call ob_operator_call;

/* ---- The table ---- */

/** The type of an attribute. */
typedef enum ob_attribute_kind {
    OB_ATTRIBUTE_INT = 1, /**< an integer */
    OB_ATTRIBUTE_REAL,    /**< a float */
    OB_ATTRIBUTE_TEXT,    /**< a string */
    OB_ATTRIBUTE_INTS,    /**< a list of integers */
    OB_ATTRIBUTE_REALS,   /**< a list of floats */
    OB_ATTRIBUTE_TEXTS    /**< a list of strings */
} ob_attribute_kind;

/** An attribute. Finding OB0602 reports a node with an unknown attribute, an attribute of another kind, or without a required
 * attribute. */
typedef struct ob_operator_attribute {
    const char *name;       /**< 1 to OB_OPERATOR_MAX_NAME bytes, unique in the table */
    ob_attribute_kind kind; /**< one of the enum */
    bool required;          /**< false: a node without the attribute uses the default below */
    int64_t integer;        /**< default for INT */
    float real;             /**< default for REAL */
    const char *text;       /**< default for TEXT; NULL: "" */
    const void *list;       /**< default for a list: n entries of type int64_t, float or const char *; NULL with n 0 */
    size_t n;               /**< number of entries in list */
} ob_operator_attribute;

/** Bits of ob_operator.flags. */
typedef enum ob_operator_flag {
    /** All operands broadcast against each other, and every output has their common shape. `shape` must be NULL. Rewriting
     * makes the broadcasts of such an operator explicit, as for Add. */
    OB_OPERATOR_BROADCASTS = 1,
    /** `run` accepts inputs with any strides, including 0 and negative ones. Without this flag, inputs are contiguous. */
    OB_OPERATOR_STRIDED = 2,
    /** The first output may use the memory of an input of the same shape and element size with contiguous strides. for_each
     * supports this. */
    OB_OPERATOR_IN_PLACE = 4,
    /** The same inputs can give different results (random numbers, a clock): the operator is never computed in advance. */
    OB_OPERATOR_VARIES = 8,
    /** The shape rule may leave sizes open that depend on elements. `run` then creates such an output with make_output. */
    OB_OPERATOR_DATA_SHAPE = 16
} ob_operator_flag;

/** One version of one operator. Set members that are not needed to zero. */
typedef struct ob_operator {
    uint32_t struct_bytes; /**< sizeof(ob_operator) */
    /** 1 to OB_OPERATOR_MAX_NAME letters, digits, '_', '-' and '.'. It must not be a domain of the ONNX standard (ai.onnx and
     * its subdomains) or onnx_broadcast. */
    const char *domain;
    const char *name; /**< characters as in domain; a built-in operator of that domain cannot be replaced */
    int32_t since;    /**< first version of the domain with this row, 1 to 32767; a row with the same name and a higher version
                         replaces it */
    /** One letter for each input, '>', and one letter for each output: "TT>T". 'T', 'U', 'V', 'W' are element types from
     * types[0] to types[3]; operands with the same letter have the same type. Fixed types: i int64, j int32, f float, d
     * double, h float16, b bool, s string, u uint8. After a letter, '?' makes the operand optional; only optional operands may
     * follow. '*' lets the last operand repeat, once or more, with one type. '~' does the same, but each repetition has its
     * own type. At least one output. At most 64 letters. */
    const char *signature;
    uint64_t types[4];                       /**< sets of OB_OPERATOR_TYPE() for T, U, V, W */
    const ob_operator_attribute *attributes; /**< n_attributes entries; NULL with n_attributes 0 */
    size_t n_attributes;                     /**< 0 to OB_OPERATOR_MAX_ROWS */
    uint32_t flags;                          /**< bits of ob_operator_flag */
    size_t state_bytes;                      /**< size of call->state, 0 to OB_OPERATOR_MAX_STATE */
    void *user;                              /**< passed to every call as call->user; may be NULL */
    /** The shape rule: computes shapes and types of the outputs from those of the inputs. The checker calls it with terms as
     * sizes, the planner with numbers. It reads inputs with input_shape and similar functions, and calls set_output for every
     * output, with OB_RANK_UNKNOWN when the shape is unknown. It passes requirements to `require` and errors to `fail`. NULL
     * only with OB_OPERATOR_BROADCASTS. Several threads may call it at the same time for different models. */
    ob_status (*shape)(ob_operator_call *call);
    /** Prepares `run` for the given shapes, types and strides: fills state, requests scratch memory. Data of inputs is NULL
     * unless it is constant; data of outputs is NULL. May be NULL. Returns E_UNSUPPORTED when the kernel cannot compute the
     * node. */
    ob_status (*plan)(ob_operator_call *call);
    /** Computes the outputs. Must not change inputs or state, because several threads may run one plan at the same time. Must
     * not be NULL. */
    ob_status (*run)(ob_operator_call *call);
    /** Frees the memory that `plan` allocated (call->allocator). Called once for every state, also when `plan` failed. Only
     * host, user, state and allocator of the call are set. May be NULL. */
    void (*release)(ob_operator_call *call);
} ob_operator;

/** An operator library. The registry keeps pointers into it: the library and everything it points to must not change, and must
 * live as long as the registry. */
typedef struct ob_operator_library {
    uint32_t abi;                 /**< OB_OPERATOR_ABI */
    uint32_t struct_bytes;        /**< sizeof(ob_operator_library) */
    const char *name;             /**< name for messages; 1 to OB_OPERATOR_MAX_NAME letters, digits, '_', '-' and '.' */
    const char *version;          /**< version for messages; characters as in name */
    const ob_operator *operators; /**< n_operators rows */
    size_t n_operators;           /**< 1 to OB_OPERATOR_MAX_ROWS */
} ob_operator_library;

/** Type of the function OB_OPERATOR_ENTRY. host_abi is the OB_OPERATOR_ABI of the host; a library that does not support it
 * returns NULL. Called once for each load. The result is a view of constant data. */
typedef const ob_operator_library *(*ob_operator_entry)(uint32_t host_abi);

/** The function that a shared library defines; the host does not define it. An ob_operator_entry. */
OB_OPERATOR_EXPORT const ob_operator_library *onnx_broadcast_operators(uint32_t host_abi);

/* ---- Interface for libraries ---- */

/** A call of shape, plan, run or release. Valid only during the call; the host owns it. */
struct ob_operator_call {
    const ob_operator_host *host; /**< functions that the library may call */
    const ob_operator *op;        /**< the row; its since is the version */
    void *user;                   /**< op->user */
    uint32_t n_inputs;            /**< number of inputs of the node, including omitted optional ones before the last */
    uint32_t n_outputs;           /**< number of outputs of the node */
    /** plan and run: n_inputs views, dtype OB_NONE for an omitted input; data is aligned to the element size (at most 8
     * bytes). shape: NULL */
    const ob_view *inputs;
    /** plan and run: n_outputs contiguous views, dtype OB_NONE for an output that is not needed; `run` writes to their data.
     * shape: NULL */
    const ob_view *outputs;
    /** plan, run and release: op->state_bytes bytes, zero before plan, 16-byte aligned. shape: NULL */
    void *state;
    /** run: the bytes that plan requested with need_scratch, 64-byte aligned, contents undefined. NULL without a request */
    void *scratch;
    const ob_allocator *allocator; /**< plan and release: for tables in state; NULL otherwise */
};

/** The functions of the host. Each takes the current call. A function that fails keeps its message (only the first one), and
 * the call then fails regardless of the status that the library returns. Inside tasks of `parallel`, only for_each, view_init,
 * view_broadcast and fail may be called; these are thread-safe. "shape only" and similar headings: in other calls the function
 * fails. Operand numbers start at 0. Texts and lists are views, valid during the call. */
struct ob_operator_host {
    uint32_t abi;          /**< OB_OPERATOR_ABI of the host */
    uint32_t struct_bytes; /**< size of this table: functions after it do not exist in this host */
    const char *version;   /**< ob_version() of the host */

    /* -- any call but release -- */

    /** Reports an error and returns `status`, so that the library can return it. In a shape rule the error becomes a finding:
     * OB0604 for E_TYPE, OB0602 for E_ARGUMENT, OB0601 for all others. In plan and run it is the error of the session. status:
     * not OB_OK. operand: an input, or -1. axis: axis of the output, or -1. format: as in printf; the text is cut to 511
     * bytes. */
    ob_status (*fail)(ob_operator_call *call, ob_status status, int32_t operand, int32_t axis, const char *format, ...);
    /** True when the node has this attribute; false: the functions below return the default. This function and the ones below
     * fail for an attribute whose name or kind is not in the table of the row, and return 0, NULL or an empty list. */
    bool (*attribute_given)(ob_operator_call *call, const char *name);
    /** The value of an INT attribute, or its default. */
    int64_t (*attribute_int)(ob_operator_call *call, const char *name);
    /** The value of a REAL attribute, or its default. */
    float (*attribute_real)(ob_operator_call *call, const char *name);
    /** The value of a TEXT attribute, or its default. Terminated by NUL, never NULL. */
    const char *(*attribute_text)(ob_operator_call *call, const char *name);
    /** The entries of an INTS attribute; *n is their number. NULL when there are no entries. */
    const int64_t *(*attribute_ints)(ob_operator_call *call, const char *name, size_t *n);
    /** The entries of a REALS attribute; *n is their number. NULL when there are no entries. */
    const float *(*attribute_reals)(ob_operator_call *call, const char *name, size_t *n);
    /** Entry `index` of a TEXTS attribute; NULL when `index` is out of range. */
    const char *(*attribute_text_at)(ob_operator_call *call, const char *name, size_t index);

    /* -- shape only -- */

    /** The shape of an input. The rank is OB_RANK_UNKNOWN when the shape is unknown, the input is omitted or does not exist.
     * Dims are terms. */
    ob_shape (*input_shape)(ob_operator_call *call, uint32_t input);
    /** The element type of an input; OB_NONE in the same cases. */
    ob_dtype (*input_dtype)(ob_operator_call *call, uint32_t input);
    /** True when the input exists and is not omitted. */
    bool (*input_given)(ob_operator_call *call, uint32_t input);
    /** The elements of a small integer input as terms, row-major; OB_DIM_UNKNOWN for an unknown element. NULL and *n 0 when
     * the elements are unknown. In the planner they are known when the input is constant or computed from sizes. */
    const ob_dim *(*input_integers)(ob_operator_call *call, uint32_t input, size_t *n);
    /** a + b. This function and the ones below return OB_DIM_UNKNOWN when an operand is OB_DIM_UNKNOWN or is not a dim of this
     * call, and when the result is out of range. */
    ob_dim (*add)(ob_operator_call *call, ob_dim a, ob_dim b);
    /** a - b */
    ob_dim (*sub)(ob_operator_call *call, ob_dim a, ob_dim b);
    /** a * b */
    ob_dim (*mul)(ob_operator_call *call, ob_dim a, ob_dim b);
    /** floor(a / divisor), divisor > 0 */
    ob_dim (*floor_div)(ob_operator_call *call, ob_dim a, int64_t divisor);
    /** ceil(a / divisor), divisor > 0 */
    ob_dim (*ceil_div)(ob_operator_call *call, ob_dim a, int64_t divisor);
    /** Prints a dim as text for messages; parameters and result as in ob_dim_format(). */
    size_t (*dim_text)(ob_operator_call *call, ob_dim d, char *text, size_t n_bytes);
    /** Requires `kind` of a and b (ob_condition). If it holds for all sizes, nothing happens. If it holds for no sizes, the
     * call fails with E_SHAPE. Otherwise it becomes a condition of the model: the checker reports it, and sessions test it
     * before they run. operand, axis: as in fail. Returns OB_OK unless the call fails. With an unknown dim nothing is
     * required. */
    ob_status (*require)(ob_operator_call *call, ob_condition_kind kind, ob_dim a, ob_dim b, int32_t operand, int32_t axis);
    /** Broadcasts the shapes of n inputs against each other as ob_broadcast_shapes() does; n is at most n_inputs. Conditions
     * become conditions of the model. Operands that do not broadcast give finding OB0101 and status E_SHAPE. *result then has
     * rank OB_RANK_UNKNOWN, as it does when a rank is unknown. */
    ob_status (*broadcast)(ob_operator_call *call, const uint32_t *inputs, size_t n, ob_broadcast_result *result);
    /** Sets type and shape of an output. dtype OB_NONE: the signature gives the type; not allowed when it does not. rank: 0 to
     * OB_MAX_RANK, or OB_RANK_UNKNOWN. dims: rank entries, copied; OB_DIM_UNKNOWN for an unknown size; NULL when the rank is 0
     * or unknown. Outputs of the row that the node does not have are ignored. */
    ob_status (*set_output)(ob_operator_call *call, uint32_t output, ob_dtype dtype, int32_t rank, const ob_dim *dims);

    /* -- plan only -- */

    /** Requests n_bytes of call->scratch for run. The largest request applies. E_LIMIT over 2^61 bytes. */
    ob_status (*need_scratch)(ob_operator_call *call, size_t n_bytes);

    /* -- plan and run -- */

    /** ob_view_init(). */
    ob_status (*view_init)(ob_operator_call *call, ob_view *view, void *data, ob_dtype dtype, int32_t rank, const int64_t *dims);
    /** ob_view_broadcast(): out is `from` with stride 0 along stretched axes. */
    ob_status (*view_broadcast)(ob_operator_call *call, const ob_view *from, int32_t rank, const int64_t *dims, ob_view *out);

    /* -- run only -- */

    /** ob_for_each(): broadcasts the inputs to the shape of the outputs and calls `loop` for long runs of elements. Uses one
     * thread. */
    ob_status (*for_each)(ob_operator_call *call, const ob_view *inputs, size_t n_inputs, const ob_view *outputs,
                          size_t n_outputs, ob_loop loop, const void *parameters);
    /** Calls task(context, begin, end) for disjoint ranges that cover 0 .. n - 1. Uses the threads of the session when there
     * are at least two grains of work. Returns when all ranges are done. n 0: no call. n and grain: 0 or more. */
    ob_status (*parallel)(ob_operator_call *call, int64_t n, int64_t grain,
                          void (*task)(void *context, int64_t begin, int64_t end), void *context);
    /** Allocates an output whose sizes the shape rule left open (its view has rank OB_RANK_UNKNOWN) and sets
     * call->outputs[output]. Needs OB_OPERATOR_DATA_SHAPE. Errors: E_LIMIT, E_MEMORY. */
    ob_status (*make_output)(ob_operator_call *call, uint32_t output, int32_t rank, const int64_t *dims);
    /** Allocates n_bytes for the text of string elements that `run` creates; they live as long as the outputs. When memory
     * runs out, it returns NULL and the call fails. */
    char *(*text_bytes)(ob_operator_call *call, size_t n_bytes);
};

/* ---- Interface for host programs ---- */

/** A registry: operators of any number of libraries. Only one thread may add and load, before the registry is used. After that
 * any number of models in any threads may use it. */
typedef struct ob_operators ob_operators;

/** Creates an empty registry. `allocator` NULL: the default. Returns owned: ob_operators_close(). Errors: E_MEMORY, E_ARGUMENT
 * (out is NULL). */
OB_API ob_status ob_operators_create(const ob_allocator *allocator, ob_operators **out);
/** Frees the registry, unloads the libraries that it loaded and sets *operators to NULL. Close all models that use it, and
 * everything made from them, first. NULL and *NULL are allowed. */
OB_API void ob_operators_close(ob_operators **operators);

/** Adds every row of a library that is part of the host program. On failure no row is added. Borrows `library` until the
 * registry is closed.
 * Errors (the message names library, row and cause): E_UNSUPPORTED (another ABI or struct_bytes), E_ARGUMENT (NULL, an invalid
 * row, an operator that is built in or that another library defines in the same version), E_MEMORY. */
OB_API ob_status ob_operators_add(ob_operators *operators, const ob_operator_library *library, ob_error *error);
/** Loads a shared library and adds its rows. This runs code of the library. `path`: a file; a path without '/' means the
 * current folder, never the system's folders. Errors: E_IO (the file cannot be loaded), E_NOT_FOUND (it does not export
 * OB_OPERATOR_ENTRY), E_UNSUPPORTED (a build without loading; the library does not support this ABI), and those of
 * ob_operators_add(). Every message begins with the path. */
OB_API ob_status ob_operators_load(ob_operators *operators, const char *path, ob_error *error);

/** A row of the registry. Texts live as long as the registry. */
typedef struct ob_operator_info {
    const char *domain;          /**< domain of the operator */
    const char *name;            /**< name of the operator */
    int32_t since;               /**< first version */
    const char *library;         /**< name of its library */
    const char *library_version; /**< version of its library */
} ob_operator_info;

/** Number of rows; 0 for NULL. */
OB_API size_t ob_operators_count(const ob_operators *operators);
/** Row `index`, in the order in which rows were added; all zero when `index` is out of range. */
OB_API ob_operator_info ob_operators_at(const ob_operators *operators, size_t index);

/** Attaches a registry to a model: from now on checking, rewriting and sessions of this model use these operators. NULL
 * detaches it. A local function of the model takes precedence over an operator with the same name. The registry is borrowed:
 * it must outlive the model and everything made from it (clones keep it). Do not call it while another thread uses the model.
 * Errors: E_ARGUMENT (model is NULL), E_MEMORY. */
OB_API ob_status ob_model_set_operators(ob_model *model, const ob_operators *operators);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
