#include "kernels/elementwise/nd.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "onnx_broadcast/allocator.h"

enum { MAX_OPERANDS = 4096, STACK_OPERANDS = 16, STACK_ROOM = OB_MAX_RANK + 128 };

/* ---- The common shape ---- */

static ob_status check_view(const ob_view *view, const char *side, size_t index, ob_error *error) {
    OB_FAIL_IF(view->rank < 0 || view->rank > OB_MAX_RANK, error, OB_E_LIMIT, "%s %zu has rank %d; at most %d are supported",
               side, index, (int)view->rank, OB_MAX_RANK);
    for (int32_t a = 0; a < view->rank; a++)
        OB_FAIL_IF(view->dims[a] < 0, error, OB_E_ARGUMENT, "%s %zu has a negative size on axis %d", side, index, (int)a);
    return OB_OK;
}

static ob_status shape_error(ob_error *error, int32_t axis, const char *side, size_t index, int64_t size, int64_t other) {
    ob__fail(error, OB_E_SHAPE, "axis %d: size %lld of %s %zu does not fit %lld", (int)axis, (long long)size, side, index,
             (long long)other);
    if (error) error->axis = axis;
    return OB_E_SHAPE;
}

/* NumPy's rule: 1 is neutral, anything else must be equal; 0 with 1 is 0. */
static ob_status common_shape(const ob_view *inputs, size_t n_inputs, const ob_view *outputs, size_t n_outputs, int32_t *rank,
                              int64_t *dims, ob_error *error) {
    *rank = 0;
    const ob_view *all = n_inputs ? inputs : outputs;
    size_t n_all = n_inputs ? n_inputs : n_outputs ? 1 : 0;
    for (size_t k = 0; k < n_all; k++)
        if (all[k].rank > *rank) *rank = all[k].rank;
    for (int32_t a = 0; a < *rank; a++) dims[a] = 1;
    for (size_t k = 0; k < n_all; k++) {
        int32_t shift = *rank - all[k].rank;
        for (int32_t a = 0; a < all[k].rank; a++) {
            int64_t size = all[k].dims[a], *common = &dims[a + shift];
            if (size == 1 || size == *common) continue;
            if (*common != 1) return shape_error(error, a + shift, n_inputs ? "input" : "output", k, size, *common);
            *common = size;
        }
    }
    return OB_OK;
}

static ob_status check_outputs(const ob_view *outputs, size_t n_outputs, int32_t rank, const int64_t *dims, ob_error *error) {
    for (size_t k = 0; k < n_outputs; k++) {
        OB_FAIL_IF(outputs[k].rank != rank, error, OB_E_SHAPE, "output %zu has rank %d; the common shape has rank %d", k,
                   (int)outputs[k].rank, (int)rank);
        for (int32_t a = 0; a < rank; a++)
            if (outputs[k].dims[a] != dims[a]) return shape_error(error, a, "output", k, outputs[k].dims[a], dims[a]);
    }
    return OB_OK;
}

/* ---- Axes ---- */

static int64_t view_stride(const ob_view *view, int32_t rank, int32_t axis) {
    int32_t own = axis - (rank - view->rank);
    return own < 0 || view->dims[own] == 1 ? 0 : view->strides[own];
}

static int64_t magnitude(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

/* The axes of size other than 1, ordered by the leading operand's strides, largest first; its stride-0 axes keep their position.
 */
static int32_t order_axes(const ob_view *lead, int32_t rank, const int64_t *dims, int32_t *order) {
    int32_t n = 0;
    for (int32_t a = 0; a < rank; a++)
        if (dims[a] != 1) order[n++] = a;
    if (!lead) return n;
    for (int32_t i = 1; i < n; i++) {
        int32_t axis = order[i], j = i;
        int64_t stride = magnitude(view_stride(lead, rank, axis));
        while (j > 0 && stride != 0) {
            int64_t before = magnitude(view_stride(lead, rank, order[j - 1]));
            if (before == 0 || before >= stride) break;
            order[j] = order[j - 1];
            j--;
        }
        order[j] = axis;
    }
    return n;
}

static void append_axis(obk_nd *nd, int64_t size, const int64_t *strides) {
    size_t n = (size_t)nd->n_inputs + nd->n_outputs;
    if (nd->rank > 0) {
        int64_t *outer = nd->strides + (size_t)(nd->rank - 1) * n;
        bool merges = true;
        for (size_t k = 0; k < n && merges; k++) {
            int64_t span;
            merges = !ob__mul_overflows(strides[k], size, &span) && outer[k] == span;
        }
        if (merges) {
            nd->dims[nd->rank - 1] *= size;
            if (n) memcpy(outer, strides, n * sizeof *outer);
            return;
        }
    }
    if (n) memmove(nd->strides + (size_t)nd->rank * n, strides, n * sizeof *strides);
    nd->dims[nd->rank++] = size;
}

ob_status obk_nd_init(obk_nd *nd, int64_t *room, const ob_view *inputs, size_t n_inputs, const ob_view *outputs, size_t n_outputs,
                      ob_error *error) {
    OB_FAIL_IF(n_inputs + n_outputs > MAX_OPERANDS, error, OB_E_LIMIT, "%zu operands; at most %d are supported",
               n_inputs + n_outputs, MAX_OPERANDS);
    for (size_t k = 0; k < n_inputs; k++) OB_TRY(check_view(&inputs[k], "input", k, error));
    for (size_t k = 0; k < n_outputs; k++) OB_TRY(check_view(&outputs[k], "output", k, error));
    int32_t rank;
    int64_t dims[OB_MAX_RANK];
    OB_TRY(common_shape(inputs, n_inputs, outputs, n_outputs, &rank, dims, error));
    OB_TRY(check_outputs(outputs, n_outputs, rank, dims, error));

    nd->n_inputs = (uint32_t)n_inputs;
    nd->n_outputs = (uint32_t)n_outputs;
    nd->dims = room;
    nd->strides = room + OB_MAX_RANK;
    nd->rank = 0;
    nd->n_elems = 1;
    bool empty = false;
    for (int32_t a = 0; a < rank; a++) empty |= dims[a] == 0;
    for (int32_t a = 0; a < rank && !empty; a++)
        OB_FAIL_IF(ob__mul_overflows(nd->n_elems, dims[a], &nd->n_elems), error, OB_E_LIMIT,
                   "the common shape has too many elements");
    size_t n = n_inputs + n_outputs;
    if (empty) nd->n_elems = 0;
    int32_t order[OB_MAX_RANK];
    const ob_view *lead = n_outputs ? outputs : n_inputs ? inputs : NULL;
    int32_t n_axes = empty ? 0 : order_axes(lead, rank, dims, order);
    for (int32_t i = 0; i < n_axes; i++) {
        /* the next free row of the table serves as scratch for the candidate axis */
        int64_t *row = nd->strides + (size_t)nd->rank * n;
        for (size_t k = 0; k < n; k++) row[k] = view_stride(k < n_inputs ? &inputs[k] : &outputs[k - n_inputs], rank, order[i]);
        append_axis(nd, dims[order[i]], row);
    }
    if (nd->rank == 0) {
        if (n) memset(nd->strides, 0, n * sizeof *nd->strides);
        nd->dims[nd->rank++] = empty ? 0 : 1;
    }
    return OB_OK;
}

/* ---- ob_for_each ---- */

static void run_all(const obk_nd *nd, char **pointers, ob_loop loop, const void *parameters) {
    size_t n = (size_t)nd->n_inputs + nd->n_outputs;
    int32_t inner = nd->rank - 1;
    const int64_t *inner_strides = nd->strides + (size_t)inner * n;
    int64_t index[OB_MAX_RANK] = {0};
    for (;;) {
        loop(pointers, inner_strides, nd->dims[inner], parameters);
        int32_t axis = inner - 1;
        for (; axis >= 0; axis--) {
            const int64_t *strides = nd->strides + (size_t)axis * n;
            if (++index[axis] < nd->dims[axis]) {
                for (size_t k = 0; k < n; k++) pointers[k] += strides[k];
                break;
            }
            for (size_t k = 0; k < n; k++) pointers[k] -= strides[k] * (nd->dims[axis] - 1);
            index[axis] = 0;
        }
        if (axis < 0) return;
    }
}

static ob_status for_each(int64_t *room, char **pointers, const ob_view *inputs, size_t n_inputs, const ob_view *outputs,
                          size_t n_outputs, ob_loop loop, const void *parameters, ob_error *error) {
    obk_nd nd;
    OB_TRY(obk_nd_init(&nd, room, inputs, n_inputs, outputs, n_outputs, error));
    if (nd.n_elems == 0) return OB_OK;
    for (size_t k = 0; k < n_inputs; k++) pointers[k] = inputs[k].data;
    for (size_t k = 0; k < n_outputs; k++) pointers[n_inputs + k] = outputs[k].data;
    run_all(&nd, pointers, loop, parameters);
    return OB_OK;
}

ob_status ob_for_each(const ob_view *inputs, size_t n_inputs, const ob_view *outputs, size_t n_outputs, ob_loop loop,
                      const void *parameters, const ob_allocator *allocator, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!loop || (n_inputs && !inputs) || (n_outputs && !outputs), error, OB_E_ARGUMENT,
               "loop and views must not be NULL");
    OB_FAIL_IF(n_inputs > MAX_OPERANDS || n_outputs > MAX_OPERANDS - n_inputs, error, OB_E_ARGUMENT,
               "%zu inputs and %zu outputs; at most %d operands", n_inputs, n_outputs, MAX_OPERANDS);
    size_t n = n_inputs + n_outputs;
    int32_t rank = 1;
    for (size_t k = 0; k < n; k++) {
        const ob_view *view = k < n_inputs ? &inputs[k] : &outputs[k - n_inputs];
        if (view->rank > rank) rank = view->rank;
    }
    if (rank > OB_MAX_RANK) rank = OB_MAX_RANK; /* obk_nd_init then refuses it */
    if (n <= STACK_OPERANDS && OBK_ND_ROOM_OF(rank, n) <= STACK_ROOM) {
        int64_t room[STACK_ROOM];
        char *pointers[STACK_OPERANDS];
        return for_each(room, pointers, inputs, n_inputs, outputs, n_outputs, loop, parameters, error);
    }
    if (!allocator) allocator = ob_allocator_default();
    size_t n_bytes = OBK_ND_ROOM_OF(rank, n) * sizeof(int64_t) + n * sizeof(char *);
    int64_t *room = allocator->alloc(allocator->context, n_bytes);
    OB_FAIL_IF(!room, error, OB_E_MEMORY, "no memory for %zu operands", n);
    char **pointers = (char **)(room + OBK_ND_ROOM_OF(rank, n));
    ob_status status = for_each(room, pointers, inputs, n_inputs, outputs, n_outputs, loop, parameters, error);
    allocator->free(allocator->context, room, n_bytes);
    return status;
}
