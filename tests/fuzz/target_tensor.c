/* Tensor files: .npy and TensorProto, distinguished by the first bytes. A tensor that was read can be written, and reads the
 * same. */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "proto/tensor_file.h"

static bool is_npy(const uint8_t *data, size_t n) {
    return n >= 6 && memcmp(data, "\x93NUMPY", 6) == 0;
}

static void must_be_same(const ob_view *a, const ob_view *b) {
    FUZZ_MUST(a->dtype == b->dtype && a->rank == b->rank, "%s of rank %d became %s of rank %d", ob_dtype_name(a->dtype), a->rank,
              ob_dtype_name(b->dtype), b->rank);
    for (int32_t k = 0; k < a->rank; k++) FUZZ_MUST(a->dims[k] == b->dims[k], "size of axis %d", k);
    int64_t n = ob_view_count(a);
    if (a->dtype != OB_STRING && n > 0) FUZZ_MUST(memcmp(a->data, b->data, (size_t)n * ob_dtype_size(a->dtype)) == 0, "elements");
    for (int64_t i = 0; a->dtype == OB_STRING && i < n; i++) {
        const ob_string *s = (const ob_string *)a->data + i, *t = (const ob_string *)b->data + i;
        FUZZ_MUST(s->n == t->n && (s->n == 0 || memcmp(s->data, t->data, s->n) == 0), "string %lld", (long long)i);
    }
}

/* NumPy ends a string at its last character that is not NUL, and a text that is not UTF-8 is stored as bytes. */
static bool npy_keeps(const ob_view *view) {
    int64_t n = view->dtype == OB_STRING ? ob_view_count(view) : 0;
    for (int64_t i = 0; i < n; i++) {
        const ob_string *s = (const ob_string *)view->data + i;
        if (s->n > 0 && s->data[s->n - 1] == '\0') return false;
    }
    return true;
}

static void write_and_read(const ob_file_tensor *tensor) {
    const char *path = fuzz_file();
    ob_file_tensor read = {0};
    ob_error error;
    ob_status status = ob_tensor_file_write(path, tensor->name, &tensor->view, &error);
    FUZZ_MUST(status == OB_OK, "writing: %s", error.message);
    status = ob_tensor_file_read(path, NULL, &read, &error);
    FUZZ_MUST(status == OB_OK, "reading back: %s", error.message);
    must_be_same(&tensor->view, &read.view);
    FUZZ_MUST(strcmp(tensor->name, read.name) == 0, "name %s", read.name);
    ob_file_tensor_release(&read);
    status = ob_npy_write(path, &tensor->view, &error);
    FUZZ_MUST(status == OB_OK || status == OB_E_UNSUPPORTED || status == OB_E_LIMIT, "writing .npy: %s", error.message);
    if (status == OB_OK) {
        status = ob_npy_read(path, NULL, &read, &error);
        FUZZ_MUST(status == OB_OK, "reading .npy back: %s", error.message);
        if (npy_keeps(&tensor->view)) must_be_same(&tensor->view, &read.view);
        ob_file_tensor_release(&read);
    }
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    ob_file_tensor tensor = {0};
    ob_error error;
    const ob_source source = {.bytes = (void *)(uintptr_t)data, .n_bytes = n, .kind = OB_SOURCE_CALLER};
    ob_error_clear(&error);
    ob_tensor_fill fill = is_npy(data, n) ? ob__tensor_from_npy : ob__tensor_from_proto;
    ob_status status = ob__read_tensor_source(&source, "fuzzed", NULL, fill, &tensor, &error);
    FUZZ_MUST(status == OB_OK || (error.code == status && error.message[0]), "%s, code %s", ob_status_text(status),
              ob_status_text(error.code));
    FUZZ_MUST(status != OB_E_INTERNAL && status != OB_E_ARGUMENT && status != OB_E_MEMORY, "%s", error.message);
    if (status == OB_OK && fuzz_hash(data, n) % 4 == 0) write_and_read(&tensor); /* files cost more than the rest together */
    ob_file_tensor_release(&tensor);
    return 0;
}
