/* Files of several tensors: .npz archives, whole and damaged, and JSON. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "failing.h"
#include "onnx_broadcast/tensor_set.h"
#include "proto/tensor_set.h"
#include "zip_file.h"

static ob_error error;

static ob_status open_bytes(const void *bytes, size_t n, ob_tensor_set **out) {
    const ob_source source = {.bytes = (void *)(uintptr_t)bytes, .n_bytes = n, .kind = OB_SOURCE_CALLER};
    ob_error_clear(&error);
    return ob__tensor_set_over(&source, "given", NULL, out, &error);
}

static ob_tensor_set *opened(const void *bytes, size_t n) {
    ob_tensor_set *set = NULL;
    if (open_bytes(bytes, n, &set) != OB_OK) fail_msg("%s", error.message);
    return set;
}

static ob_file_tensor tensor_of(const ob_tensor_set *set, size_t i, ob_dtype dtype) {
    ob_file_tensor tensor = {0};
    if (ob_tensor_set_read(set, i, dtype, NULL, &tensor, &error) != OB_OK) fail_msg("%s", error.message);
    return tensor;
}

static bool has_zlib(const ob_tensor_set *set) {
    ob_file_tensor tensor = {0};
    const ob_status status = ob_tensor_set_read(set, 1, OB_NONE, NULL, &tensor, &error);
    ob_file_tensor_release(&tensor);
    return status != OB_E_UNSUPPORTED;
}

/* ---- .npz ---- */

static void members_of_an_archive(void **state) {
    (void)state;
    static zip_file zip;
    zip_example(&zip);
    ob_tensor_set *set = opened(zip.bytes, zip.n);
    assert_int_equal(ob_tensor_set_count(set), 2);
    assert_string_equal(ob_tensor_set_name(set, 0), "x");
    assert_string_equal(ob_tensor_set_name(set, 1), "n");
    assert_null(ob_tensor_set_name(set, 2));
    ob_file_tensor x = tensor_of(set, 0, OB_NONE);
    assert_int_equal(x.view.dtype, OB_FLOAT);
    assert_int_equal(x.view.rank, 2);
    assert_memory_equal(x.view.data, ((float[]){0, 1, 2, 3, 4, 5}), 24);
    ob_file_tensor_release(&x);
    if (has_zlib(set)) {
        ob_file_tensor n = tensor_of(set, 1, OB_NONE);
        assert_memory_equal(n.view.data, ((int64_t[]){7, -8}), 16);
        ob_file_tensor_release(&n);
    }
    assert_int_equal(ob_tensor_set_read(set, 2, OB_NONE, NULL, &x, &error), OB_E_NOT_FOUND);
    assert_int_equal(ob_tensor_set_read(set, 0, OB_NONE, NULL, NULL, &error), OB_E_ARGUMENT);
    ob_tensor_set_close(&set);
    assert_null(set);
    ob_tensor_set_close(&set);
    ob_tensor_set_close(NULL);
    assert_int_equal(ob_tensor_set_count(NULL), 0);
}

/* In the file of `zip_example`: entry i of the directory, counted from its begin. */
static uint8_t *entry_of(zip_file *zip, size_t i) {
    uint8_t *at = zip->bytes + zip->n - 22 - zip->n_directory;
    for (; i > 0; i--) at += 46 + at[28];
    return at;
}

static void damaged_archives(void **state) {
    (void)state;
    static zip_file zip;
    static const struct {
        size_t member, at, n; /* bytes of the entry that are replaced */
        uint64_t value;
        ob_status open, read;
    } rows[] = {
        {0, 0, 4, 0, OB_E_FORMAT, 0},               /* no entry */
        {0, 28, 2, 0xFFFF, OB_E_FORMAT, 0},         /* the name is too long */
        {0, 8, 2, 1, OB_OK, OB_E_UNSUPPORTED},      /* encrypted */
        {0, 10, 2, 12, OB_OK, OB_E_UNSUPPORTED},    /* another method */
        {0, 16, 4, 1, OB_OK, OB_E_FORMAT},          /* checksum */
        {0, 20, 4, 0xFFFFFFF0, OB_OK, OB_E_FORMAT}, /* data beyond the file */
        {0, 24, 4, 3, OB_OK, OB_E_FORMAT},          /* two sizes of stored data */
        {0, 42, 4, 0xFFFFFFF0, OB_OK, OB_E_FORMAT}, /* the member is beyond the file */
        {0, 42, 4, 1, OB_OK, OB_E_FORMAT},          /* no member there */
        {0, 47, 1, 0, OB_E_FORMAT, 0},              /* a NUL in the name */
        {1, 24, 4, 0xFFFFFFF0, OB_OK, OB_E_FORMAT}, /* a bomb: 4 GB in 100 bytes */
        {1, 24, 4, 10, OB_OK, OB_E_FORMAT},         /* more data than stated */
        {1, 24, 4, 400, OB_OK, OB_E_FORMAT},        /* less data than stated */
        {1, 20, 4, 20, OB_OK, OB_E_FORMAT},         /* cut data */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ob_tensor_set *set = NULL;
        ob_file_tensor tensor = {0};
        zip_example(&zip);
        set = opened(zip.bytes, zip.n);
        const bool skipped = rows[i].member == 1 && rows[i].value < 0xFFFFFFF0 && !has_zlib(set);
        ob_tensor_set_close(&set);
        if (skipped) continue;
        zip_put(entry_of(&zip, rows[i].member) + rows[i].at, rows[i].value, (int)rows[i].n);
        if (open_bytes(zip.bytes, zip.n, &set) != rows[i].open) fail_msg("row %zu: %s", i, error.message);
        if (rows[i].open != OB_OK) continue;
        ob_status status = ob_tensor_set_read(set, rows[i].member, OB_NONE, NULL, &tensor, &error);
        if (status != rows[i].read) fail_msg("row %zu: %s", i, error.message);
        assert_true(error.message[0] != '\0');
        ob_tensor_set_close(&set);
    }
}

static void every_cut_of_an_archive(void **state) {
    (void)state;
    static zip_file zip;
    zip_example(&zip);
    for (size_t n = 0; n < zip.n; n++) {
        ob_tensor_set *set = NULL;
        assert_int_not_equal(open_bytes(zip.bytes, n, &set), OB_OK);
        assert_null(set);
    }
}

/* ---- JSON ---- */

static void json_tensors(void **state) {
    (void)state;
    static const char text[] =
        "{\"x\": [[1, 2.5], [-3e2, NaN]], \"flag\": true, \"s\": [\"a\\u00e9\\n\", \"\"],\n"
        " \"empty\": {\"shape\": [0, 3], \"data\": [], \"type\": \"float16\"}, \"u\": [18446744073709551615]}";
    ob_tensor_set *set = opened(text, sizeof text - 1);
    assert_int_equal(ob_tensor_set_count(set), 5);
    assert_string_equal(ob_tensor_set_name(set, 3), "empty");
    ob_file_tensor x = tensor_of(set, 0, OB_FLOAT);
    const float *numbers = x.view.data;
    assert_true(x.view.rank == 2 && x.view.dims[0] == 2 && x.view.dims[1] == 2);
    assert_true(numbers[0] == 1 && numbers[1] == 2.5F && numbers[2] == -300 && isnan(numbers[3]));
    ob_file_tensor_release(&x);
    ob_file_tensor flag = tensor_of(set, 1, OB_BOOL);
    assert_true(flag.view.rank == 0 && *(uint8_t *)flag.view.data == 1);
    ob_file_tensor_release(&flag);
    ob_file_tensor s = tensor_of(set, 2, OB_STRING);
    assert_int_equal(((ob_string *)s.view.data)[0].n, 4);
    assert_memory_equal(((ob_string *)s.view.data)[0].data, "a\xc3\xa9\n", 4);
    ob_file_tensor_release(&s);
    ob_file_tensor empty = tensor_of(set, 3, OB_NONE);
    assert_true(empty.view.dtype == OB_FLOAT16 && empty.view.rank == 2 && empty.view.dims[0] == 0 && empty.view.dims[1] == 3);
    ob_file_tensor_release(&empty);
    ob_file_tensor u = tensor_of(set, 4, OB_UINT64);
    assert_true(*(uint64_t *)u.view.data == UINT64_MAX);
    ob_file_tensor_release(&u);
    ob_tensor_set_close(&set);
}

static void json_that_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        ob_dtype dtype;
        ob_status open, read;
    } rows[] = {
        {"", OB_FLOAT, OB_E_FORMAT, 0},
        {"5", OB_FLOAT, OB_E_FORMAT, 0},
        {"[1, 2", OB_FLOAT, OB_E_FORMAT, 0},
        {"[1 2]", OB_FLOAT, OB_E_FORMAT, 0},
        {"[01]", OB_FLOAT, OB_E_FORMAT, 0},
        {"[1.]", OB_FLOAT, OB_E_FORMAT, 0},
        {"[\"\\q\"]", OB_STRING, OB_E_FORMAT, 0},
        {"[\"\\ud800\"]", OB_STRING, OB_E_FORMAT, 0},
        {"{\"a\" 1}", OB_FLOAT, OB_E_FORMAT, 0},
        {"{\"a\\u0000\": 1}", OB_FLOAT, OB_E_FORMAT, 0},
        {"[1] 2", OB_FLOAT, OB_E_FORMAT, 0},
        {"[[1, 2], [3]]", OB_FLOAT, OB_OK, OB_E_MODEL},
        {"[[1], 2]", OB_FLOAT, OB_OK, OB_E_MODEL},
        {"[1, [2]]", OB_FLOAT, OB_OK, OB_E_MODEL},
        {"[1, []]", OB_FLOAT, OB_OK, OB_E_MODEL},
        {"[[], 1]", OB_FLOAT, OB_OK, OB_E_MODEL},
        {"[null]", OB_FLOAT, OB_OK, OB_E_MODEL},
        {"[true]", OB_FLOAT, OB_OK, OB_E_MODEL},
        {"[2]", OB_BOOL, OB_OK, OB_E_MODEL},
        {"[1]", OB_STRING, OB_OK, OB_E_MODEL},
        {"[1.0]", OB_INT32, OB_OK, OB_E_MODEL},
        {"[128]", OB_INT8, OB_OK, OB_E_MODEL},
        {"[-1]", OB_UINT8, OB_OK, OB_E_MODEL},
        {"[-1]", OB_UINT64, OB_OK, OB_E_MODEL},
        {"[18446744073709551616]", OB_UINT64, OB_OK, OB_E_MODEL},
        {"[NaN]", OB_INT64, OB_OK, OB_E_MODEL},
        {"[1e39]", OB_FLOAT, OB_OK, OB_E_MODEL},
        {"[70000]", OB_FLOAT16, OB_OK, OB_E_MODEL},
        {"[1]", OB_NONE, OB_OK, OB_E_UNSUPPORTED},
        {"[1]", OB_COMPLEX64, OB_OK, OB_E_UNSUPPORTED},
        {"{\"a\": {\"shape\": [2], \"data\": [1]}}", OB_FLOAT, OB_OK, OB_E_MODEL},
        {"{\"a\": {\"shape\": [-1], \"data\": []}}", OB_FLOAT, OB_OK, OB_E_MODEL},
        {"{\"a\": {\"data\": [1]}}", OB_FLOAT, OB_OK, OB_E_MODEL},
        {"{\"a\": {\"shape\": [1], \"data\": [1], \"type\": \"int8\"}}", OB_FLOAT, OB_OK, OB_E_UNSUPPORTED},
        {"{\"a\": {\"shape\": [1], \"data\": [1], \"type\": \"real\"}}", OB_FLOAT, OB_OK, OB_E_MODEL},
        {"{\"a\": {\"shape\": [1], \"data\": [1], \"b\": 1}}", OB_FLOAT, OB_OK, OB_E_MODEL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ob_tensor_set *set = NULL;
        ob_file_tensor tensor = {0};
        if (open_bytes(rows[i].text, strlen(rows[i].text), &set) != rows[i].open) fail_msg("%s: %s", rows[i].text, error.message);
        if (rows[i].open != OB_OK) continue;
        const ob_status status = ob_tensor_set_read(set, 0, rows[i].dtype, NULL, &tensor, &error);
        if (status != rows[i].read) fail_msg("%s: %s, %s", rows[i].text, ob_status_text(status), error.message);
        ob_tensor_set_close(&set);
    }
}

static void deep_json(void **state) {
    (void)state;
    static char text[100000];
    memset(text, '[', sizeof text);
    ob_tensor_set *set = NULL;
    assert_int_equal(open_bytes(text, sizeof text, &set), OB_E_LIMIT);
    memset(text, '[', 40);
    memset(text + 40, ']', 40);
    set = opened(text, 80);
    ob_file_tensor tensor = {0};
    assert_int_equal(ob_tensor_set_read(set, 0, OB_FLOAT, NULL, &tensor, &error), OB_E_LIMIT);
    ob_tensor_set_close(&set);
}

/* ---- Files, memory ---- */

static void files(void **state) {
    (void)state;
    char path[] = "/tmp/ob_tensor_set_XXXXXX";
    static zip_file zip;
    ob_tensor_set *set = NULL;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    zip_example(&zip);
    assert_int_equal(write(file, zip.bytes, zip.n), zip.n);
    close(file);
    assert_int_equal(ob_tensor_set_open(path, NULL, &set, &error), OB_OK);
    ob_file_tensor x = tensor_of(set, 0, OB_NONE);
    ob_tensor_set_close(&set);
    assert_memory_equal(x.view.data, ((float[]){0, 1, 2, 3, 4, 5}), 24); /* it outlives the set */
    ob_file_tensor_release(&x);
    unlink(path);
    assert_int_equal(ob_tensor_set_open(path, NULL, &set, &error), OB_E_IO);
    assert_int_equal(ob_tensor_set_open(NULL, NULL, &set, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_tensor_set_open(path, NULL, NULL, &error), OB_E_ARGUMENT);
}

static failing allocations;

static ob_status read_all(void *subject, digest *made, ob_error *what) {
    static const char text[] = "{\"x\": [[1, 2], [3, 4]], \"s\": {\"shape\": [1], \"data\": [\"text\"], \"type\": \"string\"}}";
    static zip_file zip;
    const ob_allocator allocator = failing_allocator(&allocations);
    ob_tensor_set *set = NULL;
    ob_error_clear(what);
    zip_example(&zip);
    const ob_source source = subject ? (ob_source){.bytes = zip.bytes, .n_bytes = zip.n, .kind = OB_SOURCE_CALLER}
                                     : (ob_source){.bytes = (void *)(uintptr_t)text, .n_bytes = sizeof text - 1};
    ob_status status = ob__tensor_set_over(&source, "given", &allocator, &set, what);
    for (size_t i = 0; status == OB_OK && i < ob_tensor_set_count(set); i++) {
        ob_file_tensor tensor = {0};
        status = ob_tensor_set_read(set, i, i == 0 ? OB_FLOAT : OB_NONE, &allocator, &tensor, what);
        if (status == OB_E_UNSUPPORTED) status = OB_OK; /* without zlib */
        if (status == OB_OK && tensor.view.dtype != OB_NONE) digest_view(made, &tensor.view);
        ob_file_tensor_release(&tensor);
    }
    ob_tensor_set_close(&set);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    assert_true(fail_each(&allocations, read_all, NULL, "JSON", 100) > 5);
    assert_true(fail_each(&allocations, read_all, &error, ".npz", 100) > 5);
    assert_int_equal(allocations.n_alive, 0);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_of_an_archive),
        cmocka_unit_test(damaged_archives),
        cmocka_unit_test(every_cut_of_an_archive),
        cmocka_unit_test(json_tensors),
        cmocka_unit_test(json_that_is_refused),
        cmocka_unit_test(deep_json),
        cmocka_unit_test(files),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
