/* Files of several tensors: .npz and JSON, distinguished by the first bytes. Every tensor is read, with each of some types. */
#include "fuzz.h"
#include "proto/tensor_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const ob_dtype dtypes[] = {OB_NONE, OB_FLOAT, OB_INT8, OB_UINT64, OB_STRING, OB_FLOAT16, OB_BOOL};
    enum { N_DTYPES = sizeof dtypes / sizeof dtypes[0], MOST = 16 };
    const ob_source source = {.bytes = (void *)(uintptr_t)data, .n_bytes = n, .kind = OB_SOURCE_CALLER};
    ob_tensor_set *set = NULL;
    ob_error error;
    ob_error_clear(&error);
    ob_status status = ob__tensor_set_over(&source, "fuzzed", NULL, &set, &error);
    FUZZ_MUST((status == OB_OK) == (set != NULL), "%s", ob_status_text(status));
    FUZZ_MUST(status != OB_E_INTERNAL && status != OB_E_ARGUMENT && status != OB_E_MEMORY, "%s", error.message);
    const size_t n_tensors = ob_tensor_set_count(set);
    FUZZ_MUST(n_tensors <= n, "%zu tensors in %zu bytes", n_tensors, n);
    for (size_t i = 0; i < n_tensors && i < MOST; i++) {
        FUZZ_MUST(ob_tensor_set_name(set, i) != NULL, "name %zu", i);
        for (size_t k = 0; k < N_DTYPES; k++) {
            ob_file_tensor tensor = {0};
            status = ob_tensor_set_read(set, i, dtypes[k], NULL, &tensor, &error);
            FUZZ_MUST(status == OB_OK || (error.code == status && error.message[0]), "%s", ob_status_text(status));
            FUZZ_MUST(status != OB_E_INTERNAL && status != OB_E_ARGUMENT && status != OB_E_MEMORY, "%s", error.message);
            if (status == OB_OK) FUZZ_MUST((uint64_t)ob_view_count(&tensor.view) <= 1100 * (uint64_t)n + 1000000, "elements");
            ob_file_tensor_release(&tensor);
        }
    }
    ob_tensor_set_close(&set);
    return 0;
}
