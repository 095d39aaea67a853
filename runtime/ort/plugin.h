/* Shared by the files of the ONNX Runtime plugin. All functions of ONNX Runtime come from its OrtApi table; nothing is linked.
 * Only RegisterCustomOps is exported.
 *
 * A call of ONNX Runtime gives an OrtStatus, NULL for success. Failures here become an OrtStatus too (error.c), with this
 * project's message. A kernel is made once per node and then only read: it may run in several threads at once. */
#ifndef OB_RUNTIME_ORT_PLUGIN_H
#define OB_RUNTIME_ORT_PLUGIN_H

#include <onnxruntime_c_api.h>

#include "onnx_broadcast/broadcast.h"
#include "onnx_broadcast/dim.h"
#include "onnx_broadcast/status.h"
#include "onnx_broadcast/view.h"
#include "ort/later.h"

/* The oldest API with everything that the plugin uses. 17 brought the shape-inference callback and KernelContext_ParallelFor,
 * 18 results in the memory of an operand; from 19 on the callback can set element types, without which a model is refused. */
enum { OB__ORT_API_OLDEST = 19 };
#if ORT_API_VERSION < 19
#error "the headers of ONNX Runtime 1.19 or newer are needed"
#endif

typedef struct ob__ort_operator ob__ort_operator;
typedef struct ob__ort_kernel ob__ort_kernel;
typedef struct ob__ort_inference ob__ort_inference;
typedef struct ob__ort_fused ob__ort_fused; /* fused.c */

/* One row per operator (broadcast.c, broadcast_in_dim.c), and one for all fused ones (fused.c). */
typedef struct ob__ort_row {
    const char *name;
    size_t n_shared; /* pairs that `shared` holds */
    int *shared;     /* 0, 1, 2 ...: output i may take the memory of input i */
    /* The result shape from the known input shapes while a model is loaded. Unknown: do not set result->rank. NULL: the model
     * declares the result. */
    ob_status (*infer)(ob__ort_inference *inference, ob_broadcast_result *result, ob_error *error);
    /* Reads attributes into the kernel. */
    OrtStatus *(*create)(ob__ort_kernel *kernel, const OrtKernelInfo *info);
    /* Checks the known input shapes when the kernel is made; open conditions go to `sink`. NULL: nothing to check. */
    ob_status (*check)(const ob__ort_kernel *kernel, const ob_shape *shapes, ob_dims *pool, ob_condition_sink sink, void *context,
                       ob_error *error);
    OrtStatus *(*run)(const ob__ort_kernel *kernel, OrtKernelContext *context);
    void (*destroy)(ob__ort_kernel *kernel); /* also of a kernel whose `create` failed; NULL: nothing to do */
} ob__ort_row;

extern const ob__ort_row ob__ort_broadcast, ob__ort_broadcast_in_dim, ob__ort_fused_row;
/* Fused_1 to Fused_16. ONNX Runtime finds a kernel by its name alone: it ignores a function's overload. A function with a
 * higher number has no kernel, and its body runs. */
enum { OB__ORT_FUSED = 16 };

/* An operator as registered with one ONNX Runtime. */
struct ob__ort_operator {
    OrtCustomOp base; /* first: ONNX Runtime hands it back to the callbacks */
    const OrtApi *api;
    ob__ort_later later;
    const ob__ort_row *row;
    char name[24];
};

/* ---- Errors (error.c) ---- */

/* Passes on the status of a call. */
#define OB__ORT_TRY(call)                                                                                                        \
    do {                                                                                                                         \
        OrtStatus *ob__ort_status_ = (call);                                                                                     \
        if (ob__ort_status_) return ob__ort_status_;                                                                             \
    } while (0)

/* "node 'NAME' (OPERATOR): MESSAGE", and the open conditions of the model's shapes, if any. */
OrtStatus *ob__ort_fail(const ob__ort_kernel *kernel, const ob_error *error);
/* The same from a status and a text. */
OrtStatus *ob__ort_failf(const ob__ort_kernel *kernel, ob_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Kernels (kernel.c) ---- */

struct ob__ort_kernel {
    const OrtApi *api;
    ob__ort_later later;
    const ob__ort_row *row;
    const char *op_type; /* the operator's name */
    ob__ort_fused *fused;
    char node[128];
    char conditions[512]; /* "N = 1 or N = 4; M = 1 or M = 3", "" for none */
    size_t n_inputs, n_outputs;
    int32_t n_dimensions; /* BroadcastInDim: the attributes; -1 when absent */
    int32_t shape_rank;
    int64_t dimensions[OB_MAX_RANK], shape[OB_MAX_RANK];
};

/* The callbacks of OrtCustomOp. */
OrtStatus *ORT_API_CALL ob__ort_kernel_create(const OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info, void **kernel);
OrtStatus *ORT_API_CALL ob__ort_kernel_run(void *kernel, OrtKernelContext *context);
void ORT_API_CALL ob__ort_kernel_destroy(void *kernel);

/* An operand of a run. */
typedef struct ob__ort_operand {
    const OrtValue *value;
    ONNXTensorElementDataType type;
    int32_t rank;
    int64_t dims[OB_MAX_RANK];
} ob__ort_operand;

/* Input `index`; an omitted input is an error. */
OrtStatus *ob__ort_operand_get(const ob__ort_kernel *kernel, const OrtKernelContext *context, size_t index, ob__ort_operand *out);
/* Shape and element type by an object that ONNX Runtime makes. dims: OB_MAX_RANK. */
OrtStatus *ob__ort_shape_of(const ob__ort_kernel *kernel, const OrtValue *value, size_t index, int64_t *dims, size_t *rank,
                            ONNXTensorElementDataType *type);
/* OB_NONE: not known here. */
ob_dtype ob__ort_dtype(ONNXTensorElementDataType type);
/* Produces output `index`: the operand, whose dimension i is axis axes[i] of the result, stretched to dims. The caller has
 * checked that every dimension is 1 or the size of its axis. */
OrtStatus *ob__ort_produce(const ob__ort_kernel *kernel, OrtKernelContext *context, size_t index, const ob__ort_operand *operand,
                           const int64_t *axes, int32_t rank, const int64_t *dims);

/* ---- Moving elements ---- */

/* to[...] = from (stretched to to's shape already), shared among ONNX Runtime's threads when large (copy.c). */
OrtStatus *ob__ort_copy(const ob__ort_kernel *kernel, const OrtKernelContext *context, const ob_view *to, const ob_view *from);
/* The same for elements of less than a byte, `bits` each, packed from the low end (packed.c). The views count bytes. */
OrtStatus *ob__ort_copy_packed(const ob__ort_kernel *kernel, const ob_view *to, const ob_view *from, unsigned bits);
/* The same for strings (strings.c). The views' data is not used; their strides are in units of ob_string. */
OrtStatus *ob__ort_copy_strings(const ob__ort_kernel *kernel, const OrtKernelContext *context, OrtValue *to_value,
                                const ob_view *to, const OrtValue *from_value, const ob_view *from);

/* ---- Shapes while a model is loaded (shape.c) ---- */

struct ob__ort_inference {
    const OrtApi *api;
    OrtShapeInferContext *context;
    ob_dims *pool;
    size_t n_inputs;
    ob_shape *shapes; /* of terms */
    ONNXTensorElementDataType *types;
};

/* The callback of OrtCustomOp. */
OrtStatus *ORT_API_CALL ob__ort_infer(const OrtCustomOp *op, OrtShapeInferContext *context);
/* An attribute of integers: *n -1 if it is absent, is not a list of integers or has more than `max`. */
void ob__ort_infer_ints(const ob__ort_inference *inference, const char *name, int64_t *ints, int32_t max, int32_t *n);
/* A shape of ONNX Runtime as terms: a name is a symbol, an unknown size is an anonymous size. dims has room for OB_MAX_RANK. An
 * unknown rank looks like rank 0 to this API. */
OrtStatus *ob__ort_terms(const OrtApi *api, const OrtTensorTypeAndShapeInfo *info, ob_dims *pool, ob_dim *dims, int32_t *rank);

#endif
