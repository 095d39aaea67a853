/* Operators of libraries (onnx_broadcast/operator.h). Each row becomes an ob_op with a shape rule and a kernel that call the
 * library's functions and check the returned values. The rest of the project treats these operators like built-in ones. */
#ifndef OB_OPS_LIBRARY_LIBRARY_H
#define OB_OPS_LIBRARY_LIBRARY_H

#include <stdatomic.h>

#include "onnx_broadcast/operator.h"
#include "ops/infer/infer.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"

/* A row, as lookup returns it. op is first, so that the ob_op of a registry can be cast back. */
typedef struct ob_library_op {
    ob_op op;
    ob_kernel kernel;
    const ob_operator *row;
    const ob_operator_library *library;
    struct ob_library_op *next;
} ob_library_op;

/* registry.c: the row of the newest version that is not newer than `opset` (0: any), or NULL. */
const ob_op *ob__operators_find(const ob_operators *operators, const char *domain, const char *name, int64_t opset);

/* row.c: checks row `index` of a library and fills `out`; E_ARGUMENT or E_UNSUPPORTED with a message. */
ob_status ob__library_check(const ob_operator_library *library, ob_error *error);
ob_status ob__library_row(const ob_operator_library *library, size_t index, ob_library_op *out, ob_error *error);

/* load.c: the only place that opens shared libraries. Pass the handle to ob__library_unload. */
ob_status ob__library_load(const char *path, void **handle, ob_operator_entry *entry, ob_error *error);
void ob__library_unload(void *handle);

/* ---- Calls ---- */

typedef enum ob_phase { OB_PHASE_SHAPE = 1, OB_PHASE_PLAN = 2, OB_PHASE_RUN = 4, OB_PHASE_RELEASE = 8 } ob_phase;

/* A call of one of a library's functions. `open` is first, so that the pointer given to the library can be cast back. */
typedef struct ob_library_call {
    ob_operator_call open;
    ob_phase phase;
    const ob_library_op *op;
    const ob_node *node;        /* NULL in release */
    ob_infer *infer;            /* shape */
    const ob_kernel_args *args; /* plan and run */
    ob_kernel_needs *needs;     /* plan */
    bool *set;                  /* shape: which outputs have been set */
    atomic_flag has_failed;     /* set by the first failure, which then writes the fields below */
    ob_status failure;          /* OB_OK: none */
    bool misbehaved;            /* the library broke the rules of the interface; the model is not at fault */
    bool reported;              /* the failure has already been reported as a finding */
    int32_t operand, axis;
    char message[512];
} ob_library_call;

void ob__library_call_init(ob_library_call *c, ob_phase phase, const ob_library_op *op, const ob_node *node);
/* The call that `call` belongs to, if it is in one of `phases`. Otherwise the call fails with the name of the function, and the
 * result is NULL. */
ob_library_call *ob__library_call_of(ob_operator_call *call, unsigned phases, const char *function);
/* Keeps the first failure. */
ob_status ob__library_fail(ob_library_call *c, ob_status status, int32_t operand, int32_t axis, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* As above, for a broken rule of the interface: OB_E_INTERNAL. The message begins with the operator and its library. */
ob_status ob__library_misbehaves(ob_library_call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Combines the status `returned` with the failures noted. Fills c->failure ... if the library's function returned a status
 * without a message, or an undefined status. */
ob_status ob__library_conclude(ob_library_call *c, const char *function, ob_status returned);

extern const ob_operator_host ob__library_host;

/* attributes.c */
/* Reports OB0602 for attributes that the row does not declare, or declares with another kind or value; returns false if there are
 * any. *open: an attribute refers to an attribute of a function whose call is not known here. */
bool ob__library_attributes_fit(ob_infer *infer, const ob_operator *row, bool *open);
bool ob__host_attribute_given(ob_operator_call *call, const char *name);
int64_t ob__host_attribute_int(ob_operator_call *call, const char *name);
float ob__host_attribute_real(ob_operator_call *call, const char *name);
const char *ob__host_attribute_text(ob_operator_call *call, const char *name);
const int64_t *ob__host_attribute_ints(ob_operator_call *call, const char *name, size_t *n);
const float *ob__host_attribute_reals(ob_operator_call *call, const char *name, size_t *n);
const char *ob__host_attribute_text_at(ob_operator_call *call, const char *name, size_t index);

/* shape.c */
ob_status ob__library_infer(ob_infer *infer);
ob_shape ob__host_input_shape(ob_operator_call *call, uint32_t input);
ob_dtype ob__host_input_dtype(ob_operator_call *call, uint32_t input);
bool ob__host_input_given(ob_operator_call *call, uint32_t input);
const ob_dim *ob__host_input_integers(ob_operator_call *call, uint32_t input, size_t *n);
ob_dim ob__host_add(ob_operator_call *call, ob_dim a, ob_dim b);
ob_dim ob__host_sub(ob_operator_call *call, ob_dim a, ob_dim b);
ob_dim ob__host_mul(ob_operator_call *call, ob_dim a, ob_dim b);
ob_dim ob__host_floor_div(ob_operator_call *call, ob_dim a, int64_t divisor);
ob_dim ob__host_ceil_div(ob_operator_call *call, ob_dim a, int64_t divisor);
size_t ob__host_dim_text(ob_operator_call *call, ob_dim d, char *text, size_t n_bytes);
ob_status ob__host_require(ob_operator_call *call, ob_condition_kind kind, ob_dim a, ob_dim b, int32_t operand, int32_t axis);
ob_status ob__host_broadcast(ob_operator_call *call, const uint32_t *inputs, size_t n, ob_broadcast_result *result);
ob_status ob__host_set_output(ob_operator_call *call, uint32_t output, ob_dtype dtype, int32_t rank, const ob_dim *dims);

/* kernel.c */
/* The kernel of a row that was checked. */
ob_kernel ob__library_kernel(const ob_operator *row);
ob_status ob__host_need_scratch(ob_operator_call *call, size_t n_bytes);
ob_status ob__host_view_init(ob_operator_call *call, ob_view *view, void *data, ob_dtype dtype, int32_t rank,
                             const int64_t *dims);
ob_status ob__host_view_broadcast(ob_operator_call *call, const ob_view *from, int32_t rank, const int64_t *dims, ob_view *out);
ob_status ob__host_for_each(ob_operator_call *call, const ob_view *inputs, size_t n_inputs, const ob_view *outputs,
                            size_t n_outputs, ob_loop loop, const void *parameters);
ob_status ob__host_parallel(ob_operator_call *call, int64_t n, int64_t grain,
                            void (*task)(void *context, int64_t begin, int64_t end), void *context);
ob_status ob__host_make_output(ob_operator_call *call, uint32_t output, int32_t rank, const int64_t *dims);
char *ob__host_text_bytes(ob_operator_call *call, size_t n_bytes);

#endif
