/* What several kernels share: reading axes and small integers, moving elements between strided layouts, computing in float for
 * the narrow types. */
#ifndef OB_OPS_KERNEL_COMMON_H
#define OB_OPS_KERNEL_COMMON_H

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/graph/copy.h"
#include "core/graph/half.h"
#include "core/graph/types.h"
#include "ops/kernel/kernel.h"

/* ---- operands ---- */

static inline bool ob__given(const ob_kernel_args *args, uint32_t i) {
    return i < args->n_in && args->in[i].dtype != OB_NONE;
}
static inline bool ob__wanted(const ob_kernel_args *args, uint32_t i) {
    return i < args->n_out && args->out[i].dtype != OB_NONE;
}
/* The product of dims[begin .. end): part of a shape whose product was checked. A size of 0 elsewhere hides an overflow here,
 * which then wraps without harm: nothing is addressed. */
int64_t ob__product(const int64_t *dims, int32_t begin, int32_t end);
static inline int64_t ob__count(const ob_view *view) {
    return ob__product(view->dims, 0, view->rank);
}
/* No output has an element: loops over the other sizes, which may be huge, have nothing to do. */
bool ob__writes_nothing(const ob_kernel_args *args);
static inline bool ob__is_contiguous(const ob_view *view) {
    int64_t stride = (int64_t)ob_dtype_size(view->dtype);
    for (int32_t i = view->rank - 1; i >= 0; i--) {
        if (view->dims[i] == 0) return true;
        if (view->dims[i] != 1 && view->strides[i] != stride) return false;
        stride *= view->dims[i];
    }
    return true;
}
/* Scratch memory: plan asks for blocks, run takes them in the same order, each 64-byte aligned. E_LIMIT on overflow. */
ob_status ob__need_scratch(ob_kernel_needs *needs, int64_t count, size_t n_bytes_each, ob_error *error);
/* The same of the memory that each lane has. */
ob_status ob__need_lanes(ob_kernel_needs *needs, int64_t count, size_t n_bytes_each, ob_error *error);
static inline void *ob__take(char **next, int64_t count, size_t n_bytes_each) {
    void *block = *next;
    if (block) *next += (size_t)ob__round_up_u64((size_t)count * n_bytes_each, 64); /* NULL: nothing was asked for */
    return block;
}

/* ---- axes and integers ---- */

/* Normalises a negative axis; E_ARGUMENT outside -rank .. rank - 1. */
ob_status ob__axis(int64_t axis, int32_t rank, int32_t *out, ob_error *error);
/* All elements of an int32 or int64 operand (any strides), at most `max`; E_ARGUMENT when there are more, E_TYPE otherwise,
 * E_UNSUPPORTED when its data is not there yet. */
ob_status ob__read_ints(const ob_view *view, int64_t *ints, int32_t max, int32_t *n, ob_error *error);
/* Ints from attribute `name`, or from input i when it is given. *n is -1 when neither is there. */
ob_status ob__read_list(const ob_kernel_site *site, const ob_kernel_args *args, const char *name, uint32_t i, int64_t *ints,
                        int32_t max, int32_t *n, ob_error *error);
/* The same as a set of axes, bit a for axis a. *given false when neither is there (or the list is empty). */
ob_status ob__read_axes(const ob_kernel_site *site, const ob_kernel_args *args, const char *name, uint32_t i, int32_t rank,
                        uint32_t *axes, bool *given, ob_error *error);
/* The same from an attribute that is read already, or from input i when it is given. */
ob_status ob__read_either(const ob_ints *attribute, const ob_kernel_args *args, uint32_t i, int64_t *ints, int32_t max,
                          int32_t *n, ob_error *error);
/* Makes the list one that lives as long as the state. */
ob_status ob__keep_list(const ob_kernel_site *site, ob_ints *list);
/* ---- movement, by element width: ob__copy and ob__fill of core/graph/copy.h ---- */

void ob__contiguous_strides(int32_t rank, const int64_t *dims, size_t width, int64_t *strides);
/* Copies `from` to contiguous memory. Asks whether to go on, as the next ones do: once stopped the rest is not there. */
void ob__copy_contiguous(const ob_view *from, void *to, const ob_threads *threads);
/* The same into a view of that shape and type. */
void ob__copy_view(const ob_view *to, const ob_view *from, const ob_threads *threads);
/* n elements with one value, NULL: zero bytes. */
void ob__fill_elements(void *to, int64_t n, size_t width, const void *value, const ob_threads *threads);

/* ---- views ---- */

/* Makes output i of args as a view of an input, without storing it. */
typedef ob_status (*ob__view_of)(const void *params, const ob_kernel_args *args, uint32_t i, ob_view *out, ob_error *error);
/* `view` of a kernel out of that ... */
ob_status ob__view_outputs(const void *params, ob_kernel_args *args, ob__view_of view_of, ob_error *error);
/* ... and `run`: copies what the view would show. */
ob_status ob__copy_outputs(const void *params, const ob_kernel_args *args, ob__view_of view_of, ob_error *error);
/* data + offset, NULL for NULL. */
static inline void *ob__offset(void *data, int64_t offset_bytes) {
    return data ? (char *)data + offset_bytes : NULL;
}

/* ---- float16, bfloat16 and the 8-bit floats by way of float ---- */

/* Kernels that are written for float and double serve float16 and bfloat16, too: such operands are converted around `run`.
 * The computing type is double when an input is double, else float. Integer and bool operands pass as they are. */
/* Adds scratch for the converted operands. */
ob_status ob__plan_real(const ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error);
/* Calls `run` with converted operands (which it finds contiguous); they take the beginning of the scratch, `run` sees the rest.
 * At most 8 inputs and 8 outputs. */
typedef ob_status (*ob__run)(const ob_kernel_args *args, ob_error *error);
ob_status ob__run_real(const ob_kernel_args *args, ob__run run, ob_error *error);
ob_dtype ob__computing_type(const ob_kernel_args *args);
/* Converts n contiguous elements of any numeric types, saturating. E_UNSUPPORTED for others. */
ob_status ob__convert(void *to, ob_dtype to_dtype, const void *from, ob_dtype from_dtype, int64_t n, ob_error *error);

/* The same for many; asks whether to go on. */
ob_status ob__convert_many(void *to, ob_dtype to_dtype, const void *from, ob_dtype from_dtype, int64_t n,
                           const ob_threads *threads, ob_error *error);

/* 1 as an element; E_UNSUPPORTED for what has none (strings, 8-bit floats, complex). */
ob_status ob__one(ob_dtype dtype, void *element, ob_error *error);
/* Element i of contiguous int32 or int64 indices. */
static inline int64_t ob__index_at(const ob_view *indices, int64_t i) {
    return indices->dtype == OB_INT64 ? ((const int64_t *)indices->data)[i] : ((const int32_t *)indices->data)[i];
}

/* ---- messages ---- */

/* E_UNSUPPORTED: the kernel of this version does not know the element type. */
ob_status ob__no_type(const ob_kernel_site *site, ob_error *error, ob_dtype dtype);
/* E_TYPE when input i has a type that the operator's version does not list. */
ob_status ob__check_type(const ob_kernel_site *site, const ob_kernel_args *args, uint32_t i, ob_error *error);
/* While running: an index that is outside its axis. */
ob_status ob__bad_index(int64_t index, int64_t size, int32_t axis, ob_error *error);

#endif
