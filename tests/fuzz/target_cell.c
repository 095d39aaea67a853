/* Files of sequences, optionals and maps: the same bytes as each of them. A cell that was read can be written, and reads the
 * same. */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "proto/tensor_file.h"

static void must_be_same_view(const ob_view *a, const ob_view *b) {
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

/* Recursion ends at OB_CELL_MAX_DEPTH. */
static void must_be_same(const ob_cell *a, const ob_cell *b) {
    ob_view x, y;
    FUZZ_MUST(ob_cell_get_kind(a) == ob_cell_get_kind(b) && ob_cell_count(a) == ob_cell_count(b),
              "kind %d of %zu became %d of %zu", (int)ob_cell_get_kind(a), ob_cell_count(a), (int)ob_cell_get_kind(b),
              ob_cell_count(b));
    if (ob_cell_view(a, &x) && ob_cell_view(b, &y)) must_be_same_view(&x, &y);
    if (ob_cell_keys(a, &x) && ob_cell_keys(b, &y)) must_be_same_view(&x, &y);
    for (size_t i = 0; i < ob_cell_count(a); i++) must_be_same(ob_cell_at(a, i), ob_cell_at(b, i));
}

static void write_and_read(const ob_cell *cell, ob_type_kind kind) {
    const char *path = fuzz_file();
    ob_cell *read = NULL;
    ob_error error;
    ob_status status = ob_cell_file_write(path, "name", kind, cell, &error);
    FUZZ_MUST(status == OB_OK, "writing: %s", error.message);
    status = ob_cell_file_read(path, kind, NULL, &read, &error);
    FUZZ_MUST(status == OB_OK, "reading back: %s", error.message);
    must_be_same(cell, read);
    ob_cell_close(&read);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const ob_type_kind kinds[] = {OB_TYPE_TENSOR, OB_TYPE_SEQUENCE, OB_TYPE_OPTIONAL, OB_TYPE_MAP};
    const ob_source source = {.bytes = (void *)(uintptr_t)data, .n_bytes = n, .kind = OB_SOURCE_CALLER};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        ob_cell *cell = NULL;
        ob_error error;
        ob_error_clear(&error);
        ob_status status = ob__read_cell_source(&source, "fuzzed", kinds[i], NULL, &cell, &error);
        FUZZ_MUST(status == OB_OK || (error.code == status && error.message[0]), "%s, code %s", ob_status_text(status),
                  ob_status_text(error.code));
        FUZZ_MUST(status != OB_E_INTERNAL && status != OB_E_ARGUMENT && status != OB_E_MEMORY && status != OB_E_TYPE, "%s",
                  error.message);
        if (status == OB_OK && fuzz_hash(data, n) % 4 == 0) write_and_read(cell, kinds[i]); /* files cost more than the rest */
        ob_cell_close(&cell);
    }
    return 0;
}
