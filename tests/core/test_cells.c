/* Cells: their contents, their holders, the copies that a change makes. */
#include <string.h>

#include "core/graph/cell.h"
#include "failing.h"

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

static ob_view view_of(const void *data, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    ob_view view;
    assert_int_equal(ob_view_init(&view, (void *)(uintptr_t)data, dtype, rank, dims), OB_OK);
    return view;
}

static ob_cell *number(float x, const ob_allocator *allocator) {
    ob_cell *cell = NULL;
    ob_view view = view_of(&x, OB_FLOAT, 0, NULL);
    assert_int_equal(ob_cell_tensor(&view, allocator, &cell, NULL), OB_OK);
    return cell;
}

static float number_in(const ob_cell *cell) {
    ob_view view;
    assert_true(ob_cell_view(cell, &view));
    assert_int_equal(view.dtype, OB_FLOAT);
    return *(const float *)view.data;
}

static void test_tensors(void **state) {
    (void)state;
    failing f = {0};
    const ob_allocator allocator = failing_allocator(&f);
    const int16_t elements[] = {1, 2, 3, 4, 5, 6};
    ob_view view = view_of(elements, OB_INT16, 2, DIMS(3, 2)), is;
    /* transposed and reversed */
    view.dims[0] = 2, view.dims[1] = 3;
    view.strides[0] = 2, view.strides[1] = -4;
    view.data = (void *)(uintptr_t)&elements[4];
    ob_cell *cell = NULL;
    assert_int_equal(ob_cell_tensor(&view, &allocator, &cell, NULL), OB_OK);
    assert_int_equal(ob_cell_get_kind(cell), OB_CELL_TENSOR);
    assert_int_equal(ob_cell_get_dtype(cell), OB_INT16);
    assert_int_equal(ob_cell_count(cell), 0);
    assert_null(ob_cell_at(cell, 0));
    assert_false(ob_cell_keys(cell, &is));
    assert_true(ob_cell_view(cell, &is));
    assert_true(ob_view_is_contiguous(&is));
    assert_int_equal((uintptr_t)is.data % OB_CELL_ALIGNMENT, 0);
    assert_memory_equal(is.data, ((const int16_t[]){5, 3, 1, 6, 4, 2}), 12);
    ob_cell_close(&cell);
    assert_null(cell);
    view = view_of(NULL, OB_DOUBLE, 3, DIMS(2, 0, 4));
    assert_int_equal(ob_cell_tensor(&view, &allocator, &cell, NULL), OB_OK);
    assert_true(ob_cell_view(cell, &is));
    assert_int_equal(is.rank, 3);
    assert_int_equal(ob_view_count(&is), 0);
    ob_cell_close(&cell);
    ob_cell_close(&cell);
    ob_cell_close(NULL);
    assert_int_equal(f.n_alive, 0);
    assert_int_equal(f.n_bytes, 0);
}

/* The cell copies its bytes; the given ones may be freed. */
static void test_strings(void **state) {
    (void)state;
    char first[] = "one", second[] = "three";
    const ob_string elements[] = {{first, 3}, {NULL, 0}, {second, 5}};
    ob_view view = view_of(elements, OB_STRING, 1, DIMS(3)), is;
    view.strides[0] = -(int64_t)sizeof(ob_string);
    view.data = (void *)(uintptr_t)&elements[2];
    ob_cell *cell = NULL;
    assert_int_equal(ob_cell_tensor(&view, NULL, &cell, NULL), OB_OK);
    memset(first, '?', sizeof first);
    memset(second, '?', sizeof second);
    assert_true(ob_cell_view(cell, &is));
    const ob_string *got = is.data;
    assert_int_equal(got[0].n, 5);
    assert_memory_equal(got[0].data, "three", 5);
    assert_int_equal(got[1].n, 0);
    assert_int_equal(got[2].n, 3);
    assert_memory_equal(got[2].data, "one", 3);
    ob_cell_close(&cell);
}

static void test_sequences_share(void **state) {
    (void)state;
    failing f = {0};
    const ob_allocator allocator = failing_allocator(&f);
    ob_cell *items[2] = {number(1, &allocator), number(2, &allocator)}, *sequence = NULL, *copy = NULL;
    assert_int_equal(ob_cell_sequence(OB_NONE, (const ob_cell *const *)items, 2, &allocator, &sequence, NULL), OB_OK);
    assert_ptr_equal(ob_cell_at(sequence, 1), items[1]);
    ob_cell_close(&items[0]);
    ob_cell_close(&items[1]);
    assert_int_equal(ob_cell_get_kind(sequence), OB_CELL_SEQUENCE);
    assert_int_equal(ob_cell_get_dtype(sequence), OB_FLOAT);
    assert_int_equal(ob_cell_count(sequence), 2);
    assert_true(number_in(ob_cell_at(sequence, 1)) == 2);
    assert_null(ob_cell_at(sequence, 2));
    assert_int_equal(ob_cell_copy(sequence, NULL, &copy, NULL), OB_OK);
    ob_cell_close(&sequence);
    assert_int_equal(f.n_alive, 0);
    assert_int_equal(f.n_bytes, 0);
    assert_int_equal(ob_cell_count(copy), 2);
    assert_true(number_in(ob_cell_at(copy, 0)) == 1);
    ob_cell_close(&copy);
}

static void test_none_and_maps(void **state) {
    (void)state;
    ob_cell *none = NULL, *map = NULL, *items[2], *copy = NULL;
    ob_view is;
    assert_int_equal(ob_cell_none(NULL, &none, NULL), OB_OK);
    assert_int_equal(ob_cell_get_kind(none), OB_CELL_NONE);
    assert_int_equal(ob_cell_get_kind(NULL), OB_CELL_NONE);
    assert_int_equal(ob_cell_get_dtype(none), OB_NONE);
    assert_false(ob_cell_view(none, &is));
    assert_int_equal(ob_cell_copy(none, NULL, &copy, NULL), OB_OK);
    assert_int_equal(ob_cell_get_kind(copy), OB_CELL_NONE);
    ob_cell_close(&copy);
    ob_cell_close(&none);
    const ob_string keys[] = {{"a", 1}, {"ab", 2}};
    ob_view view = view_of(keys, OB_STRING, 1, DIMS(2));
    items[0] = number(3, NULL), items[1] = number(4, NULL);
    assert_int_equal(ob_cell_map(&view, (const ob_cell *const *)items, 2, NULL, &map, NULL), OB_OK);
    ob_cell_close(&items[0]);
    ob_cell_close(&items[1]);
    assert_int_equal(ob_cell_copy(map, NULL, &copy, NULL), OB_OK);
    ob_cell_close(&map);
    assert_int_equal(ob_cell_get_kind(copy), OB_CELL_MAP);
    assert_true(ob_cell_keys(copy, &is));
    assert_int_equal(((const ob_string *)is.data)[1].n, 2);
    assert_true(number_in(ob_cell_at(copy, 1)) == 4);
    ob_cell_close(&copy);
}

static void test_refusals(void **state) {
    (void)state;
    ob_error error;
    const int64_t twice[] = {7, 8, 7};
    ob_cell *cell = NULL, *x = number(1, NULL), *i = NULL, *sequence = NULL;
    ob_view view = view_of(twice, OB_INT64, 1, DIMS(3)), bad = view;
    assert_int_equal(ob_cell_tensor(&view, NULL, &i, NULL), OB_OK);
    assert_int_equal(ob_cell_tensor(NULL, NULL, &cell, &error), OB_E_ARGUMENT);
    bad.rank = OB_MAX_RANK + 1;
    assert_int_equal(ob_cell_tensor(&bad, NULL, &cell, &error), OB_E_ARGUMENT);
    bad = view, bad.data = NULL;
    assert_int_equal(ob_cell_tensor(&bad, NULL, &cell, &error), OB_E_ARGUMENT);
    bad = view, bad.dims[0] = INT64_MAX / 2, bad.strides[0] = 0;
    assert_int_equal(ob_cell_tensor(&bad, NULL, &cell, &error), OB_E_LIMIT);
    assert_int_equal(ob_cell_tensor(&view, NULL, NULL, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_cell_none(NULL, NULL, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_cell_copy(NULL, NULL, &cell, &error), OB_E_ARGUMENT);
    const ob_cell *mixed[] = {x, i, x};
    assert_int_equal(ob_cell_sequence(OB_NONE, mixed, 2, NULL, &cell, &error), OB_E_TYPE);
    assert_string_equal(error.message, "a sequence of float cannot take a int64");
    assert_int_equal(ob_cell_sequence(OB_DOUBLE, mixed, 1, NULL, &cell, &error), OB_E_TYPE);
    assert_int_equal(ob_cell_sequence(OB_NONE, NULL, 1, NULL, &cell, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_cell_sequence(OB_NONE, (const ob_cell *[]){NULL}, 1, NULL, &cell, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_cell_sequence(OB_NONE, mixed, 1, NULL, &sequence, &error), OB_OK);
    assert_int_equal(ob_cell_sequence(OB_NONE, (const ob_cell *[]){x, sequence}, 2, NULL, &cell, &error), OB_E_TYPE);
    assert_string_equal(error.message, "a sequence of kind tensor cannot take a sequence");
    ob_cell_close(&sequence);
    const ob_cell *same[] = {x, x, x};
    assert_int_equal(ob_cell_map(&view, same, 3, NULL, &cell, &error), OB_E_ARGUMENT);
    assert_string_equal(error.message, "a map has a key twice");
    assert_int_equal(ob_cell_map(&view, same, 2, NULL, &cell, &error), OB_E_ARGUMENT);
    view = view_of(twice, OB_DOUBLE, 1, DIMS(2));
    assert_int_equal(ob_cell_map(&view, same, 2, NULL, &cell, &error), OB_E_TYPE);
    /* Each is nested more deeply than the one before, until the limit. */
    ob_cell *deep = ob__cell_hold(x);
    for (int depth = 1; depth <= OB_CELL_MAX_DEPTH; depth++) {
        assert_int_equal(ob_cell_sequence(OB_NONE, (const ob_cell *[]){deep}, 1, NULL, &cell, &error), OB_OK);
        ob_cell_close(&deep);
        deep = cell;
        cell = NULL;
    }
    assert_int_equal(ob_cell_sequence(OB_NONE, (const ob_cell *[]){deep}, 1, NULL, &cell, &error), OB_E_LIMIT);
    assert_null(cell);
    ob_cell_close(&deep);
    ob_cell_close(&x);
    ob_cell_close(&i);
}

/* A list with one holder grows in place: the memory and moves of n insertions are proportional to n. */
static void test_insert_in_place(void **state) {
    (void)state;
    enum { N = 10000 };
    failing f = {0};
    const ob_allocator allocator = failing_allocator(&f);
    ob_cell *list = NULL, *item = number(1, &allocator), *shared;
    const size_t n_bytes_of_item = f.n_bytes;
    assert_int_equal(ob__cell_new_list(OB_CELL_SEQUENCE, OB_NONE, 0, &allocator, &list, NULL), OB_OK);
    arm(&f, SIZE_MAX, false);
    for (size_t i = 0; i < N; i++) {
        const ob_cell *before = list;
        assert_int_equal(ob__cell_insert(&list, i / 2, ob__cell_hold(item), NULL), OB_OK);
        assert_ptr_equal(list, before);
    }
    assert_in_range(f.n_calls, 1, 20); /* doubling */
    assert_in_range(f.n_bytes, N * sizeof(ob_cell *), 2 * N * sizeof(ob_cell *) + n_bytes_of_item + sizeof *list);
    /* Shared: the array is copied once, its items are counted. */
    shared = ob__cell_hold(list);
    arm(&f, SIZE_MAX, false);
    assert_int_equal(ob__cell_erase(&list, 3, NULL), OB_OK);
    assert_int_equal(f.n_calls, 2);
    assert_ptr_not_equal(list, shared);
    assert_int_equal(ob_cell_count(list), N - 1);
    assert_int_equal(ob_cell_count(shared), N);
    assert_int_equal(ob__cell_erase(&list, N - 2, NULL), OB_OK);
    assert_int_equal(f.n_calls, 2);
    ob_cell_close(&shared);
    ob_cell_close(&list);
    ob_cell_close(&item);
    assert_int_equal(f.n_alive, 0);
    assert_int_equal(f.n_bytes, 0);
}

static ob_status make_all(void *subject, digest *made, ob_error *error) {
    const ob_allocator *allocator = subject;
    const float x[] = {1, 2};
    const ob_string keys[] = {{"a", 1}, {"b", 1}};
    ob_view view = view_of(x, OB_FLOAT, 1, DIMS(2)), key_view = view_of(keys, OB_STRING, 1, DIMS(2));
    ob_cell *tensor = NULL, *sequence = NULL, *map = NULL, *none = NULL, *copy = NULL, *shared = NULL;
    ob_status status = ob_cell_tensor(&view, allocator, &tensor, error);
    if (status == OB_OK) status = ob_cell_sequence(OB_NONE, (const ob_cell *[]){tensor, tensor}, 2, allocator, &sequence, error);
    if (status == OB_OK) status = ob_cell_map(&key_view, (const ob_cell *[]){sequence, sequence}, 2, allocator, &map, error);
    if (status == OB_OK) status = ob_cell_none(allocator, &none, error);
    if (status == OB_OK) status = ob_cell_copy(map, allocator, &copy, error);
    if (status == OB_OK) shared = ob__cell_hold(sequence);
    if (status == OB_OK) status = ob__cell_insert(&shared, 1, ob__cell_hold(tensor), error);
    if (status == OB_OK) status = ob__cell_insert(&shared, 3, ob__cell_hold(tensor), error);
    digest_number(made, (int64_t)ob_cell_count(shared));
    ob_cell_close(&shared);
    ob_cell_close(&copy);
    ob_cell_close(&none);
    ob_cell_close(&map);
    ob_cell_close(&sequence);
    ob_cell_close(&tensor);
    return status;
}

static void test_want_of_memory(void **state) {
    (void)state;
    failing f = {0};
    ob_allocator allocator = failing_allocator(&f);
    assert_in_range(fail_each(&f, make_all, &allocator, "cells", 100), 20, 100);
    assert_int_equal(f.n_alive, 0);
    assert_int_equal(f.n_bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensors),        cmocka_unit_test(test_strings),  cmocka_unit_test(test_sequences_share),
        cmocka_unit_test(test_none_and_maps),  cmocka_unit_test(test_refusals), cmocka_unit_test(test_insert_in_place),
        cmocka_unit_test(test_want_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
