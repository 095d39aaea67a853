/* Files of sequences, optionals and maps: written and read back, ONNX's files, and invalid ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/graph/cell.h"
#include "failing.h"
#include "onnx_broadcast/onnx_broadcast.h"

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})
#define NODES     "/usr/share/libonnx-testdata/data/node/"

static char path[] = "/tmp/ob_cell_file_XXXXXX";

static ob_cell *tensor_of(const void *data, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    ob_view view;
    ob_cell *cell = NULL;
    assert_int_equal(ob_view_init(&view, (void *)(uintptr_t)data, dtype, rank, dims), OB_OK);
    assert_int_equal(ob_cell_tensor(&view, NULL, &cell, NULL), OB_OK);
    return cell;
}

static ob_cell *sequence_of(ob_cell *a, ob_cell *b) {
    ob_cell *cell = NULL;
    const ob_cell *items[] = {a, b};
    assert_int_equal(ob_cell_sequence(OB_NONE, items, b ? 2 : 1, NULL, &cell, NULL), OB_OK);
    ob_cell_close(&a);
    ob_cell_close(&b);
    return cell;
}

static void same_view(const ob_view *a, const ob_view *b) {
    assert_int_equal(a->dtype, b->dtype);
    assert_int_equal(a->rank, b->rank);
    for (int32_t k = 0; k < a->rank; k++) assert_int_equal(a->dims[k], b->dims[k]);
    int64_t n = ob_view_count(a);
    if (a->dtype != OB_STRING && n > 0) assert_memory_equal(a->data, b->data, (size_t)n * ob_dtype_size(a->dtype));
    for (int64_t i = 0; a->dtype == OB_STRING && i < n; i++) {
        const ob_string *s = (const ob_string *)a->data + i, *t = (const ob_string *)b->data + i;
        assert_int_equal(s->n, t->n);
        if (s->n) assert_memory_equal(s->data, t->data, s->n);
    }
}

static void same_cell(const ob_cell *a, const ob_cell *b) {
    ob_view x, y;
    assert_int_equal(ob_cell_get_kind(a), ob_cell_get_kind(b));
    assert_int_equal(ob_cell_count(a), ob_cell_count(b));
    if (ob_cell_view(a, &x) && ob_cell_view(b, &y)) same_view(&x, &y);
    if (ob_cell_keys(a, &x) && ob_cell_keys(b, &y)) same_view(&x, &y);
    for (size_t i = 0; i < ob_cell_count(a); i++) same_cell(ob_cell_at(a, i), ob_cell_at(b, i));
}

/* Closes the cell. */
static void round_trip(ob_cell *cell, ob_type_kind kind) {
    ob_cell *back = NULL;
    ob_error error;
    if (ob_cell_file_write(path, "its name", kind, cell, &error) != OB_OK) fail_msg("%s", error.message);
    if (ob_cell_file_read(path, kind, NULL, &back, &error) != OB_OK) fail_msg("%s", error.message);
    same_cell(cell, back);
    ob_cell_close(&back);
    ob_cell_close(&cell);
}

static void test_there_and_back(void **state) {
    (void)state;
    const float x[] = {1, 2, 3};
    const ob_string s[] = {{"ab", 2}, {NULL, 0}, {"c\0d", 3}};
    const int8_t nibbles[] = {-8, 7, 3};
    ob_cell *none = NULL;
    assert_int_equal(ob_cell_none(NULL, &none, NULL), OB_OK);
    round_trip(tensor_of(x, OB_FLOAT, 1, DIMS(3)), OB_TYPE_TENSOR);
    round_trip(tensor_of(x, OB_FLOAT, 1, DIMS(3)), OB_TYPE_OPTIONAL);
    round_trip(sequence_of(tensor_of(x, OB_FLOAT, 1, DIMS(3)), tensor_of(x, OB_FLOAT, 2, DIMS(0, 4))), OB_TYPE_SEQUENCE);
    round_trip(sequence_of(tensor_of(s, OB_STRING, 1, DIMS(3)), NULL), OB_TYPE_OPTIONAL);
    round_trip(sequence_of(tensor_of(nibbles, OB_INT4, 1, DIMS(3)), NULL), OB_TYPE_SEQUENCE);
    round_trip(sequence_of(sequence_of(tensor_of(x, OB_FLOAT, 0, NULL), NULL), NULL), OB_TYPE_SEQUENCE);
    round_trip(sequence_of(tensor_of(x, OB_FLOAT, 0, NULL), ob__cell_hold(none)), OB_TYPE_SEQUENCE);
    round_trip(none, OB_TYPE_OPTIONAL);
    ob_cell *empty = NULL;
    assert_int_equal(ob_cell_sequence(OB_FLOAT, NULL, 0, NULL, &empty, NULL), OB_OK);
    round_trip(empty, OB_TYPE_SEQUENCE);
}

static void test_maps(void **state) {
    (void)state;
    const ob_string names[] = {{"ab", 2}, {"", 0}};
    const int8_t bytes[] = {-3, 5};
    const uint16_t words[] = {65535, 1};
    const int64_t longs[] = {INT64_MIN, 7};
    const struct {
        const void *data;
        ob_dtype dtype;
    } keys[] = {{names, OB_STRING}, {bytes, OB_INT8}, {words, OB_UINT16}, {longs, OB_INT64}, {longs, OB_UINT64}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const double x[] = {1, 2};
        ob_cell *items[] = {tensor_of(x, OB_DOUBLE, 0, NULL), tensor_of(x + 1, OB_DOUBLE, 0, NULL)}, *map = NULL;
        ob_view view;
        assert_int_equal(ob_view_init(&view, (void *)(uintptr_t)keys[i].data, keys[i].dtype, 1, DIMS(2)), OB_OK);
        assert_int_equal(ob_cell_map(&view, (const ob_cell *const *)items, 2, NULL, &map, NULL), OB_OK);
        ob_cell_close(&items[0]);
        ob_cell_close(&items[1]);
        round_trip(ob__cell_hold(map), OB_TYPE_MAP);
        round_trip(ob__cell_hold(map), OB_TYPE_OPTIONAL);
        round_trip(sequence_of(map, NULL), OB_TYPE_SEQUENCE);
    }
}

static void write_bytes(const char *bytes, size_t n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* Bytes of other writers, with ONNX's field numbers. */
static void test_bytes(void **state) {
    (void)state;
    ob_cell *cell = NULL;
    ob_view view;
    /* an optional: name, elem_type SEQUENCE, a sequence of one float tensor of one element */
    static const char optional[] = "\x0a\x01o\x10\x03\x2a\x0e\x10\x01\x1a\x0a\x08\x01\x10\x01\x4a\x04\0\0\x80\x3f";
    write_bytes(optional, sizeof optional - 1);
    assert_int_equal(ob_cell_file_read(path, OB_TYPE_OPTIONAL, NULL, &cell, NULL), OB_OK);
    assert_int_equal(ob_cell_get_kind(cell), OB_CELL_SEQUENCE);
    assert_true(ob_cell_view(ob_cell_at(cell, 0), &view));
    assert_true(*(const float *)view.data == 1);
    ob_cell_close(&cell);
    /* a map: key_type INT64, keys 7 and 8, values */
    static const char map[] =
        "\x10\x07\x18\x07\x18\x08\x2a\x16\x10\x01\x1a\x08\x10\x01\x4a\x04\0\0\x80\x3f\x1a\x08\x10\x01\x4a\x04\0\0\0@";
    write_bytes(map, sizeof map - 1);
    assert_int_equal(ob_cell_file_read(path, OB_TYPE_MAP, NULL, &cell, NULL), OB_OK);
    assert_true(ob_cell_keys(cell, &view));
    assert_int_equal(((const int64_t *)view.data)[1], 8);
    assert_true(ob_cell_view(ob_cell_at(cell, 1), &view));
    assert_true(*(const float *)view.data == 2);
    ob_cell_close(&cell);
}

static void refused(const char *bytes, size_t n, ob_type_kind kind, ob_status status) {
    ob_cell *cell = NULL;
    ob_error error;
    write_bytes(bytes, n);
    ob_status got = ob_cell_file_read(path, kind, NULL, &cell, &error);
    if (got != status) fail_msg("%s instead of %s: %s", ob_status_text(got), ob_status_text(status), error.message);
    assert_null(cell);
    assert_int_equal(error.code, status);
}

static void test_refusals(void **state) {
    (void)state;
    ob_cell *cell = NULL;
    ob_error error;
    refused("\xff", 1, OB_TYPE_SEQUENCE, OB_E_FORMAT);
    refused("\x1a\x04\x10\x01\x4a\x00\x1a\x05\x08\x01\x10\x0b\x4a", 13, OB_TYPE_SEQUENCE, OB_E_FORMAT);
    refused("\x22\x00", 2, OB_TYPE_SEQUENCE, OB_E_UNSUPPORTED);                        /* a sparse tensor */
    refused("\x1a\x08\x08\x01\x10\x01\x4a\x02\0\0", 10, OB_TYPE_SEQUENCE, OB_E_MODEL); /* two bytes of a float */
    refused("\x1a\x06\x08\0\x10\x01\x4a\0\x1a\x06\x08\0\x10\x0b\x4a\0", 16, OB_TYPE_SEQUENCE, OB_E_MODEL); /* two types */
    refused("\x10\x07\x18\x07\x18\x07", 6, OB_TYPE_MAP, OB_E_MODEL); /* keys without values */
    refused("\x10\x01\x18\x07", 4, OB_TYPE_MAP, OB_E_MODEL);         /* keys of floats */
    refused("\x10\x0f\x18\x07", 4, OB_TYPE_MAP, OB_E_MODEL);         /* wider than a key can be */
    refused("\x10\x08\x18\x07", 4, OB_TYPE_MAP, OB_E_MODEL);         /* integers as strings */
    static char nested[2 * 100] = {0};
    for (int i = 0; i < 60; i++) { /* from the inside out; the length of each takes one byte as long as it is small */
        nested[2 * i] = 0x2a;
        nested[2 * i + 1] = (char)(2 * (59 - i));
    }
    refused(nested, 120, OB_TYPE_SEQUENCE, OB_E_LIMIT);
    assert_int_equal(ob_cell_file_read("/nothing/here", OB_TYPE_MAP, NULL, &cell, &error), OB_E_IO);
    assert_int_equal(ob_cell_file_read(path, OB_TYPE_UNKNOWN, NULL, &cell, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_cell_file_read(NULL, OB_TYPE_MAP, NULL, &cell, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_cell_none(NULL, &cell, &error), OB_OK);
    assert_int_equal(ob_cell_file_write("/nothing/here", NULL, OB_TYPE_OPTIONAL, cell, &error), OB_E_IO);
    assert_int_equal(ob_cell_file_write(path, NULL, OB_TYPE_SEQUENCE, cell, &error), OB_E_ARGUMENT);
    assert_string_equal(error.message, "the cell holds no sequence");
    assert_int_equal(ob_cell_file_write(path, NULL, OB_TYPE_MAP, cell, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_cell_file_write(path, NULL, OB_TYPE_TENSOR, cell, &error), OB_E_ARGUMENT);
    ob_cell_close(&cell);
}

/* The files of ONNX's tests. */
static void test_of_onnx(void **state) {
    (void)state;
    if (access(NODES, R_OK) != 0) skip();
    ob_cell *cell = NULL;
    ob_view view;
    assert_int_equal(ob_cell_file_read(NODES "test_if_opt/test_data_set_0/output_0.pb", OB_TYPE_OPTIONAL, NULL, &cell, NULL),
                     OB_OK);
    assert_int_equal(ob_cell_count(cell), 1);
    assert_true(ob_cell_view(ob_cell_at(cell, 0), &view));
    assert_int_equal(ob_view_count(&view), 5);
    ob_cell_close(&cell);
    assert_int_equal(ob_cell_file_read(NODES "test_sequence_map_identity_2_sequences/test_data_set_0/input_1.pb",
                                       OB_TYPE_SEQUENCE, NULL, &cell, NULL),
                     OB_OK);
    assert_in_range(ob_cell_count(cell), 1, 100);
    ob_cell_close(&cell);
}

static ob_status read_one(void *subject, digest *made, ob_error *error) {
    ob_cell *cell = NULL;
    ob_status status = ob_cell_file_read(path, OB_TYPE_SEQUENCE, subject, &cell, error);
    digest_number(made, (int64_t)ob_cell_count(cell));
    ob_cell_close(&cell);
    return status;
}

static void test_want_of_memory(void **state) {
    (void)state;
    failing f = {0};
    ob_allocator allocator = failing_allocator(&f);
    const ob_string s[] = {{"ab", 2}, {NULL, 0}, {"c\0d", 3}};
    ob_cell *cell = sequence_of(tensor_of(s, OB_STRING, 1, DIMS(3)), tensor_of(s, OB_STRING, 1, DIMS(2)));
    assert_int_equal(ob_cell_file_write(path, NULL, OB_TYPE_SEQUENCE, cell, NULL), OB_OK);
    ob_cell_close(&cell);
    assert_in_range(fail_each(&f, read_one, &allocator, "a file", 100), 8, 100);
    assert_int_equal(f.n_alive, 0);
    assert_int_equal(f.n_bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_maps),    cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_of_onnx), cmocka_unit_test(test_want_of_memory),
    };
    int descriptor = mkstemp(path);
    if (descriptor < 0) return 1;
    close(descriptor);
    int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return n_failed;
}
