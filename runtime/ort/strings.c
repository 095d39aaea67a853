/* String tensors. ONNX Runtime's elements are private objects, which only its API can read and write.
 *
 * One call that sets all elements from C strings is several times as fast as one call for each element, but a C string cannot
 * contain a NUL; in that case every element is set separately. */
#include <stdlib.h>
#include <string.h>

#include "ort/plugin.h"

/* All strings of an operand, in one piece. */
typedef struct strings {
    size_t n, n_bytes;
    char *bytes;        /* one after the other, without NUL between them */
    size_t *offsets;    /* n + 1 */
    const char **texts; /* n, NUL-terminated; NULL when a string holds a NUL */
    char *terminated;
} strings;

static void release(strings *s) {
    free(s->bytes);
    free(s->offsets);
    free(s->texts);
    free(s->terminated);
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

/* False when memory ends. */
static bool terminate(strings *s) {
    if (memchr(s->bytes, 0, s->n_bytes)) return true;
    s->terminated = malloc(s->n_bytes + s->n);
    s->texts = malloc(s->n * sizeof *s->texts);
    if (!s->terminated || !s->texts) return false;
    char *at = s->terminated;
    for (size_t i = 0; i < s->n; i++) {
        size_t n_bytes = s->offsets[i + 1] - s->offsets[i];
        s->texts[i] = at;
        memcpy(at, s->bytes + s->offsets[i], n_bytes);
        at[n_bytes] = '\0';
        at += n_bytes + 1;
    }
    return true;
}

/* Views of pointers, or of numbers, of the same shapes as views of strings. */
static void as_words(const ob_view *view, void *data, ob_view *out) {
    out->data = data;
    out->dtype = OB_UINT64;
    out->rank = view->rank;
    for (int32_t a = 0; a < view->rank; a++) {
        out->dims[a] = view->dims[a];
        out->strides[a] = view->strides[a] / (int64_t)sizeof(ob_string) * 8;
    }
}

static OrtStatus *set_all(const ob__ort_kernel *kernel, OrtValue *value, const ob_view *to, const ob_view *from, strings *source,
                          size_t n) {
    _Static_assert(sizeof(char *) == 8, "pointers are stretched as 64-bit words");
    const char **texts = malloc(n * sizeof *texts);
    if (!texts) return ob__ort_failf(kernel, OB_E_MEMORY, "out of memory for %zu strings", n);
    ob_view words, stretched;
    as_words(from, source->texts, &words);
    as_words(to, texts, &stretched);
    ob_view_assign(&stretched, &words, NULL); /* shapes and types agree */
    OrtStatus *status = kernel->api->FillStringTensor(value, texts, n);
    free(texts);
    return status;
}

static OrtStatus *set_each(const ob__ort_kernel *kernel, OrtValue *value, const ob_view *from, const strings *source, size_t n) {
    int64_t index[OB_MAX_RANK] = {0}, at = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = (size_t)at / sizeof(ob_string), n_bytes = source->offsets[k + 1] - source->offsets[k];
        char *buffer = NULL;
        OB__ORT_TRY(kernel->api->GetResizedStringTensorElementBuffer(value, i, n_bytes, &buffer));
        if (n_bytes > 0) memcpy(buffer, source->bytes + source->offsets[k], n_bytes);
        for (int32_t a = from->rank - 1; a >= 0; a--) {
            at += from->strides[a];
            if (++index[a] < from->dims[a]) break;
            at -= index[a] * from->strides[a];
            index[a] = 0;
        }
    }
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
    if (!status && !terminate(&source)) status = ob__ort_failf(kernel, OB_E_MEMORY, "out of memory for %zu strings", n_from);
    if (!status)
        status =
            source.texts ? set_all(kernel, to_value, to, from, &source, n_to) : set_each(kernel, to_value, from, &source, n_to);
    release(&source);
    return status;
}
