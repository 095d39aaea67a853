/* Functions for several kernels: they read axes and small integers, move elements between strided layouts, and compute narrow
 * types as float. */
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
/* The product of dims[begin .. end). The product of the whole shape was checked; if a size of 0 hid an overflow there, this
 * product may wrap, without harm because no element is addressed. */
int64_t ob__product(const int64_t *dims, int32_t begin, int32_t end);
static inline int64_t ob__count(const ob_view *view) {
    return ob__product(view->dims, 0, view->rank);
}
/* True if no output has elements. A kernel then returns at once, because loops over the other sizes could be huge. */
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
/* Scratch memory: plan requests blocks, and run takes them in the same order, each 64-byte aligned. E_LIMIT on overflow. */
ob_status ob__need_scratch(ob_kernel_needs *needs, int64_t count, size_t n_bytes_each, ob_error *error);
/* The same for the memory of each lane. */
ob_status ob__need_lanes(ob_kernel_needs *needs, int64_t count, size_t n_bytes_each, ob_error *error);
static inline void *ob__take(char **next, int64_t count, size_t n_bytes_each) {
    void *block = *next;
    if (block) *next += (size_t)ob__round_up_u64((size_t)count * n_bytes_each, 64); /* NULL: no scratch memory was requested */
    return block;
}

/* ---- axes and integers ---- */

/* Makes a negative axis non-negative; E_ARGUMENT outside -rank .. rank - 1. */
ob_status ob__axis(int64_t axis, int32_t rank, int32_t *out, ob_error *error);
/* Reads all elements of an int32 or int64 operand with any strides. E_ARGUMENT if there are more than `max`, E_TYPE for another
 * type, E_UNSUPPORTED if its data is not known yet. */
ob_status ob__read_ints(const ob_view *view, int64_t *ints, int32_t max, int32_t *n, ob_error *error);
/* Integers from attribute `name`, or from input i if it is given. *n is -1 if there is neither. */
ob_status ob__read_list(const ob_kernel_site *site, const ob_kernel_args *args, const char *name, uint32_t i, int64_t *ints,
                        int32_t max, int32_t *n, ob_error *error);
/* The same as a set of axes: bit a for axis a. *given is false if there is neither or the list is empty. */
ob_status ob__read_axes(const ob_kernel_site *site, const ob_kernel_args *args, const char *name, uint32_t i, int32_t rank,
                        uint32_t *axes, bool *given, ob_error *error);
/* The same, for an attribute that has been read already. */
ob_status ob__read_either(const ob_ints *attribute, const ob_kernel_args *args, uint32_t i, int64_t *ints, int32_t max,
                          int32_t *n, ob_error *error);
/* Copies the list into memory that lives as long as the state. */
ob_status ob__keep_list(const ob_kernel_site *site, ob_ints *list);
/* One element of any type in a state: n numbers of `width` bytes. */
typedef struct ob_kept_element {
    const void *at; /* NULL: none */
    uint16_t n, width;
} ob_kept_element;
/* Copies it into memory that lives as long as the state. */
ob_status ob__keep_element(const ob_kernel_site *site, ob_dtype dtype, const void *element, ob_kept_element *kept,
                           ob_error *error);
/* The number 1 as such an element; E_UNSUPPORTED as ob__one. */
ob_status ob__keep_one(const ob_kernel_site *site, ob_dtype dtype, ob_kept_element *kept, ob_error *error);
/* Bytes of a number in elements of this type; 0 for strings. */
size_t ob__number_width(ob_dtype dtype);
/* ---- movement, by element width: ob__copy and ob__fill of core/graph/copy.h ---- */

void ob__contiguous_strides(int32_t rank, const int64_t *dims, size_t width, int64_t *strides);
/* ob__copy (core/graph/copy.h) by several threads. */
void ob__copy_shared(int32_t rank, const int64_t *dims, size_t width, void *to, const int64_t *to_strides, const void *from,
                     const int64_t *from_strides, const ob_threads *threads);
/* Copies `from` to contiguous memory. Like the next ones it checks for cancellation; the copy is then incomplete. */
void ob__copy_contiguous(const ob_view *from, void *to, const ob_threads *threads);
/* The same, to a view of the same shape and type. */
void ob__copy_view(const ob_view *to, const ob_view *from, const ob_threads *threads);
/* Fills n elements with one value; NULL: with zero bytes. */
void ob__fill_elements(void *to, int64_t n, size_t width, const void *value, const ob_threads *threads);

/* ---- views ---- */

/* Sets output i of args to a view of an input, without storing it. */
typedef ob_status (*ob__view_of)(const void *params, const ob_kernel_args *args, uint32_t i, ob_view *out, ob_error *error);
/* Implements `view` of a kernel with that function ... */
ob_status ob__view_outputs(const void *params, ob_kernel_args *args, ob__view_of view_of, ob_error *error);
/* ... and `run`, which copies the elements of the view. */
ob_status ob__copy_outputs(const void *params, const ob_kernel_args *args, ob__view_of view_of, ob_error *error);
/* data + offset, or NULL if data is NULL. */
static inline void *ob__offset(void *data, int64_t offset_bytes) {
    return data ? (char *)data + offset_bytes : NULL;
}

/* ---- float16, bfloat16 and the 8-bit floats, computed as float ---- */

/* Kernels written for float and double also serve float16 and bfloat16: such operands are converted before and after `run`. The
 * computing type is double if an input is double, otherwise float. Integer and bool operands stay unconverted. */
/* Adds scratch for the converted operands. */
ob_status ob__plan_real(const ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error);
/* Calls `run` with converted, contiguous operands. They use the beginning of the scratch memory, and `run` gets the remaining
 * part. At most 8 inputs and 8 outputs. */
typedef ob_status (*ob__run)(const ob_kernel_args *args, ob_error *error);
ob_status ob__run_real(const ob_kernel_args *args, ob__run run, ob_error *error);
ob_dtype ob__computing_type(const ob_kernel_args *args);
/* Converts n contiguous elements of any numeric types, saturating, while planning; runs have ob__convert_in_run
 * (conversion.h). E_UNSUPPORTED for others. */
ob_status ob__convert(void *to, ob_dtype to_dtype, const void *from, ob_dtype from_dtype, int64_t n, ob_error *error);

/* The number 1 as an element; E_UNSUPPORTED for strings, 8-bit floats and complex types. */
ob_status ob__one(ob_dtype dtype, void *element, ob_error *error);
/* Element i of contiguous int32 or int64 indices. */
static inline int64_t ob__index_at(const ob_view *indices, int64_t i) {
    return indices->dtype == OB_INT64 ? ((const int64_t *)indices->data)[i] : ((const int32_t *)indices->data)[i];
}

/* ---- messages ---- */

/* E_UNSUPPORTED: the kernel does not support the element type in this version. */
ob_status ob__no_type(const ob_kernel_site *site, ob_error *error, ob_dtype dtype);
/* E_TYPE if the operator's version does not list the type of input i. */
ob_status ob__check_type(const ob_kernel_site *site, const ob_kernel_args *args, uint32_t i, ob_error *error);
/* The error of a run for an index outside its axis. */
ob_status ob__bad_index(int64_t index, int64_t size, int32_t axis, ob_error *error);

#endif
