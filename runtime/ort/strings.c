/* String tensors. ONNX Runtime's elements are objects of its own: they are read and written through its API only. */
#include <stdlib.h>
#include <string.h>

#include "ort/plugin.h"

/* All strings of an operand, in one piece. */
typedef struct strings {
    size_t n, n_bytes;
    char *bytes;
    size_t *offsets; /* n + 1 */
} strings;

static void release(strings *s) {
    free(s->bytes);
    free(s->offsets);
}

static OrtStatus *read_strings(const ob__ort_kernel *kernel, const OrtValue *value, size_t n, strings *out) {
    const OrtApi *api = kernel->api;
    out->n = n;
    OB__ORT_TRY(api->GetStringTensorDataLength(value, &out->n_bytes));
    out->bytes = malloc(out->n_bytes + 1);
    out->offsets = malloc((n + 1) * sizeof *out->offsets);
    if (!out->bytes || !out->offsets) return ob__ort_failf(kernel, OB_E_MEMORY, "out of memory for %zu strings", n);
    OB__ORT_TRY(api->GetStringTensorContent(value, out->bytes, out->n_bytes, out->offsets, n));
    out->offsets[n] = out->n_bytes;
    return NULL;
}

OrtStatus *ob__ort_copy_strings(const ob__ort_kernel *kernel, const OrtKernelContext *context, OrtValue *to_value,
                                const ob_view *to, const OrtValue *from_value, const ob_view *from) {
    (void)context;
    size_t n_to = (size_t)ob_view_count(to), n_from = 1;
    for (int32_t i = 0; i < from->rank; i++)
        if (from->strides[i] != 0) n_from *= (size_t)from->dims[i];
    strings source = {0};
    OrtStatus *status = read_strings(kernel, from_value, n_from, &source);
    int64_t index[OB_MAX_RANK] = {0}, at = 0;
    for (size_t i = 0; i < n_to && !status; i++) {
        size_t k = (size_t)at / sizeof(ob_string), n_bytes = source.offsets[k + 1] - source.offsets[k];
        char *buffer = NULL;
        status = kernel->api->GetResizedStringTensorElementBuffer(to_value, i, n_bytes, &buffer);
        if (!status && n_bytes > 0) memcpy(buffer, source.bytes + source.offsets[k], n_bytes);
        for (int32_t a = from->rank - 1; a >= 0; a--) {
            at += from->strides[a];
            if (++index[a] < from->dims[a]) break;
            at -= index[a] * from->strides[a];
            index[a] = 0;
        }
    }
    release(&source);
    return status;
}
