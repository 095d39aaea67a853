/* TensorProto and .npy files: every element type, written and read back, and compared with NumPy's reading and writing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "byte_order.h"
#include "corpus.h"
#include "onnx_broadcast/tensor_file.h"

static char folder[] = "/tmp/ob_tensor_file_XXXXXX";

static const char *in_folder(const char *name) {
    static char paths[4][400];
    static int next;
    char *path = paths[next++ & 3];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *path, const void *bytes, size_t n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* Fills the tensor with bytes that are valid for the type. */
static void fill(ob_dtype dtype, uint8_t *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint8_t b = (uint8_t)(i * 37 + 11);
        bytes[i] = dtype == OB_BOOL                              ? b & 1
                   : dtype == OB_UINT4 || dtype == OB_FLOAT4E2M1 ? b & 15
                   : dtype == OB_INT4                            ? (uint8_t)((b & 15) | (b & 8 ? 0xF0 : 0))
                   : dtype == OB_UINT2                           ? b & 3
                   : dtype == OB_INT2                            ? (uint8_t)((b & 3) | (b & 2 ? 0xFC : 0))
                                                                 : b;
    }
}

static const int64_t shapes[][3] = {{0, 0, 0}, {1, 1, 1}, {2, 3, 5}, {7, 1, 3}, {4, 0, 2}};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

typedef ob_status (*write_function)(const char *path, const ob_view *view, ob_error *error);
typedef ob_status (*read_function)(const char *path, const ob_allocator *allocator, ob_file_tensor *out, ob_error *error);

static ob_status write_proto(const char *path, const ob_view *view, ob_error *error) {
    return ob_tensor_file_write(path, "name of it", view, error);
}

static void round_trip(const char *path, write_function write, read_function read, ob_dtype dtype, int32_t rank,
                       const int64_t *dims) {
    static uint8_t bytes[16 * 64];
    fill(dtype, bytes, sizeof bytes);
    ob_view view;
    ob_error error;
    ob_file_tensor tensor;
    assert_int_equal(ob_view_init(&view, bytes, dtype, rank, dims), OB_OK);
    if (write(path, &view, &error) != OB_OK) fail_msg("%s: %s", ob_dtype_name(dtype), error.message);
    if (read(path, NULL, &tensor, &error) != OB_OK) fail_msg("%s: %s", ob_dtype_name(dtype), error.message);
    assert_int_equal(tensor.view.dtype, dtype);
    assert_int_equal(tensor.view.rank, rank);
    for (int32_t i = 0; i < rank; i++) assert_int_equal(tensor.view.dims[i], dims[i]);
    assert_int_equal((uintptr_t)tensor.view.data % 16, 0);
    assert_string_equal(tensor.name, write == write_proto ? "name of it" : "");
    size_t n_bytes = (size_t)ob_view_count(&view) * ob_dtype_size(dtype);
    if (n_bytes) assert_memory_equal(tensor.view.data, bytes, n_bytes);
    ob_file_tensor_release(&tensor);
    assert_null(tensor.owner);
}

static void every_type_round_trips_as_tensorproto(void **state) {
    (void)state;
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        for (int i = 0; i < N_SHAPES && dtype != OB_STRING; i++)
            for (int32_t rank = 0; rank <= 3; rank++)
                round_trip(in_folder("t.pb"), write_proto, ob_tensor_file_read, (ob_dtype)dtype, rank, shapes[i]);
}

static void every_numpy_type_round_trips_as_npy(void **state) {
    (void)state;
    const ob_dtype dtypes[] = {OB_BOOL,   OB_INT8,   OB_INT16,   OB_INT32, OB_INT64,  OB_UINT8,     OB_UINT16,
                               OB_UINT32, OB_UINT64, OB_FLOAT16, OB_FLOAT, OB_DOUBLE, OB_COMPLEX64, OB_COMPLEX128};
    for (size_t k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++)
        for (int i = 0; i < N_SHAPES; i++)
            for (int32_t rank = 0; rank <= 3; rank++)
                round_trip(in_folder("t.npy"), ob_npy_write, ob_npy_read, dtypes[k], rank, shapes[i]);
    uint16_t element = 0;
    ob_view view;
    ob_view_init(&view, &element, OB_BFLOAT16, 0, NULL);
    assert_int_equal(ob_npy_write(in_folder("no.npy"), &view, NULL), OB_E_UNSUPPORTED);
    assert_int_not_equal(access(in_folder("no.npy"), F_OK), 0);
}

static void strings_round_trip(void **state) {
    (void)state;
    ob_string strings[4] = {{"", 0}, {"a\0b", 3}, {"\xC3\xA9t\xC3\xA9 \xF0\x9F\x98\x80", 10}, {"plain", 5}};
    const int64_t dims[2] = {2, 2};
    ob_view view;
    assert_int_equal(ob_view_init(&view, strings, OB_STRING, 2, dims), OB_OK);
    for (int npy = 0; npy <= 1; npy++) {
        const char *path = in_folder(npy ? "s.npy" : "s.pb");
        ob_file_tensor tensor;
        assert_int_equal(npy ? ob_npy_write(path, &view, NULL) : ob_tensor_file_write(path, NULL, &view, NULL), OB_OK);
        assert_int_equal(npy ? ob_npy_read(path, NULL, &tensor, NULL) : ob_tensor_file_read(path, NULL, &tensor, NULL), OB_OK);
        const ob_string *read = tensor.view.data;
        for (int i = 0; i < 4; i++) {
            assert_int_equal(read[i].n, strings[i].n);
            if (read[i].n) assert_memory_equal(read[i].data, strings[i].data, strings[i].n);
        }
        ob_file_tensor_release(&tensor);
    }
}

static void strides_are_followed(void **state) {
    (void)state;
    const int32_t elements[6] = {1, 2, 3, 4, 5, 6}, transposed[6] = {1, 4, 2, 5, 3, 6};
    ob_view view = {(void *)(uintptr_t)elements, OB_INT32, 2, {3, 2}, {4, 12}};
    ob_file_tensor tensor;
    assert_int_equal(ob_tensor_file_write(in_folder("v.pb"), NULL, &view, NULL), OB_OK);
    assert_int_equal(ob_tensor_file_read(in_folder("v.pb"), NULL, &tensor, NULL), OB_OK);
    assert_memory_equal(tensor.view.data, transposed, sizeof transposed);
    ob_file_tensor_release(&tensor);
    ob_view spread = {(void *)(uintptr_t)(elements + 2), OB_INT32, 2, {2, 3}, {0, -4}};
    const int32_t reversed[6] = {3, 2, 1, 3, 2, 1};
    assert_int_equal(ob_npy_write(in_folder("v.npy"), &spread, NULL), OB_OK);
    assert_int_equal(ob_npy_read(in_folder("v.npy"), NULL, &tensor, NULL), OB_OK);
    assert_memory_equal(tensor.view.data, reversed, sizeof reversed);
    ob_file_tensor_release(&tensor);
}

static void expect_npy(const char *header, size_t n_header, const void *data, size_t n_data, ob_status expected) {
    uint8_t bytes[512] = "\x93NUMPY\x01";
    bytes[8] = (uint8_t)n_header;
    bytes[9] = (uint8_t)(n_header >> 8);
    memcpy(bytes + 10, header, n_header);
    memcpy(bytes + 10 + n_header, data, n_data);
    write_bytes(in_folder("x.npy"), bytes, 10 + n_header + n_data);
    ob_file_tensor tensor = {0};
    ob_error error;
    ob_status status = ob_npy_read(in_folder("x.npy"), NULL, &tensor, &error);
    if (status != expected) fail_msg("%.*s: %s", (int)n_header, header, status ? error.message : "accepted");
    if (status != OB_OK) assert_true(error.message[0] != '\0');
    ob_file_tensor_release(&tensor);
}
#define EXPECT_NPY(header, data, n, status) expect_npy(header, sizeof header - 1, data, n, status)

static void bad_npy_headers_are_refused(void **state) {
    (void)state;
    const uint8_t data[64] = {0};
    EXPECT_NPY("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", data, 8, OB_OK);
    EXPECT_NPY("{\"shape\":(2,3),\"fortran_order\":True,\"descr\":\">i2\"}", data, 12, OB_OK);
    EXPECT_NPY("{'descr': '|b1', 'fortran_order': False, 'shape': ()}", data, 1, OB_OK);
    EXPECT_NPY("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", data, 7, OB_E_MODEL);
    EXPECT_NPY("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", data, 9, OB_E_MODEL);
    EXPECT_NPY("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", data, 8, OB_E_UNSUPPORTED);
    EXPECT_NPY("{'descr': '<f3', 'fortran_order': False, 'shape': (2,), }", data, 6, OB_E_UNSUPPORTED);
    EXPECT_NPY("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", data, 8, OB_E_UNSUPPORTED);
    EXPECT_NPY("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", data, 8, OB_E_FORMAT);
    EXPECT_NPY("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,4294967296,4), }", data, 8, OB_E_MODEL);
    EXPECT_NPY("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,), }", data, 8, OB_E_MODEL);
    EXPECT_NPY("{'descr': '<U0', 'fortran_order': False, 'shape': (4611686018427387904,), }", data, 0, OB_E_LIMIT);
    EXPECT_NPY("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", data, 8, OB_E_FORMAT);
    EXPECT_NPY("{'descr': '<f4', 'fortran_order': False, 'shape': (2", data, 0, OB_E_FORMAT);
    EXPECT_NPY("{'descr': '<f4', 'shape': (2,), }", data, 8, OB_E_FORMAT);
    EXPECT_NPY("", data, 0, OB_E_FORMAT);
    const uint8_t wide[8] = {0, 0x11, 0, 0, 0x41, 0, 0, 0}; /* U+1100, 'A' */
    EXPECT_NPY("{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }", wide, 8, OB_OK);
    const uint8_t beyond[4] = {0, 0, 0x11, 0}; /* U+110000 */
    EXPECT_NPY("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }", beyond, 4, OB_E_FORMAT);
}

static void fortran_and_foreign_byte_order_are_brought_home(void **state) {
    (void)state;
    const uint8_t column_major[] = {0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6}; /* (2, 3), big-endian int16 */
    const char header[] = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }";
    uint8_t bytes[128] = "\x93NUMPY\x02";
    bytes[8] = sizeof header - 1; /* version 2: four bytes of length */
    memcpy(bytes + 12, header, sizeof header - 1);
    memcpy(bytes + 12 + sizeof header - 1, column_major, sizeof column_major);
    write_bytes(in_folder("f.npy"), bytes, 12 + sizeof header - 1 + sizeof column_major);
    ob_file_tensor tensor;
    assert_int_equal(ob_npy_read(in_folder("f.npy"), NULL, &tensor, NULL), OB_OK);
    const int16_t expected[6] = {1, 2, 3, 4, 5, 6};
    assert_memory_equal(tensor.view.data, expected, sizeof expected);
    ob_file_tensor_release(&tensor);
}

static void failures_say_why(void **state) {
    (void)state;
    ob_file_tensor tensor = {0};
    ob_error error;
    assert_int_equal(ob_tensor_file_read(in_folder("missing.pb"), NULL, &tensor, &error), OB_E_IO);
    assert_non_null(strstr(error.message, "missing.pb"));
    assert_int_equal(ob_npy_read(folder, NULL, &tensor, &error), OB_E_IO);
    const uint8_t short_data[] = {0x08, 3, 0x10, 1, 0x4A, 4, 0, 0, 0, 0}; /* (3) floats, four bytes */
    write_bytes(in_folder("short.pb"), short_data, sizeof short_data);
    assert_int_equal(ob_tensor_file_read(in_folder("short.pb"), NULL, &tensor, &error), OB_E_MODEL);
    assert_non_null(strstr(error.message, "12"));
    const uint8_t unknown_type[] = {0x08, 1, 0x10, 99, 0x4A, 1, 0};
    write_bytes(in_folder("type.pb"), unknown_type, sizeof unknown_type);
    assert_int_equal(ob_tensor_file_read(in_folder("type.pb"), NULL, &tensor, &error), OB_E_UNSUPPORTED);
    assert_null(tensor.owner);
    ob_view view = {NULL, OB_FLOAT, 1, {2}, {4}};
    assert_int_equal(ob_tensor_file_write(in_folder("null.pb"), NULL, &view, &error), OB_E_ARGUMENT);
    float element = 1;
    assert_int_equal(ob_view_init(&view, &element, OB_FLOAT, 0, NULL), OB_OK);
    assert_int_equal(ob_npy_write("/nonexistent/folder/x.npy", &view, &error), OB_E_IO);
}

/* Typed fields of each kind: int32_data for narrow types (packed for 4 bits), uint64_data for uint32, pairs for complex. */
static void typed_fields_are_decoded(void **state) {
    (void)state;
    static const struct {
        uint8_t bytes[24];
        size_t n;
        uint8_t expected[16];
        size_t n_expected, n_bytes_each;
    } rows[] = {
        {{0x08, 2, 0x10, 10, 0x2A, 5, 0x80, 0x78, 0x80, 0x80, 0x01}, 11, {0x00, 0x3C, 0x00, 0x40}, 4, 2}, /* float16 1, 2 */
        {{0x08, 3, 0x10, 22, 0x2A, 3, 0x9F, 0x01, 0x07}, 9, {0xFF, 0xF9, 0x07}, 3, 1},                    /* int4 -1, -7, 7 */
        {{0x08, 1, 0x10, 12, 0x5A, 5, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F}, 11, {0xFF, 0xFF, 0xFF, 0xFF}, 4, 4}, /* uint32 */
        {{0x08, 1, 0x10, 14, 0x22, 8, 0, 0, 0x80, 0x3F, 0, 0, 0, 0x40}, 14, {0, 0, 0x80, 0x3F, 0, 0, 0, 0x40}, 8, 4},
        {{0x08, 2, 0x10, 9, 0x28, 1, 0x28, 0}, 8, {1, 0}, 2, 1}, /* bool, not packed */
        {{0x08, 1, 0x10, 3, 0x2A, 10, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01},
         16,
         {0xFE},
         1,
         1}, /* int8 -2 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_bytes(in_folder("typed.pb"), rows[i].bytes, rows[i].n);
        ob_file_tensor tensor;
        ob_error error;
        if (ob_tensor_file_read(in_folder("typed.pb"), NULL, &tensor, &error) != OB_OK) fail_msg("row %zu: %s", i, error.message);
        uint8_t expected[sizeof rows[i].expected];
        memcpy(expected, rows[i].expected, sizeof expected);
        bring_home(expected, rows[i].n_expected / rows[i].n_bytes_each, rows[i].n_bytes_each);
        assert_memory_equal(tensor.view.data, expected, rows[i].n_expected);
        ob_file_tensor_release(&tensor);
    }
}

/* Writes with NumPy, reads here, writes here, reads with NumPy. */
static void numpy_agrees(void **state) {
    (void)state;
    if (system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
        print_message("skipped: no NumPy\n");
        return;
    }
    char command[2048];
    snprintf(command, sizeof command,
             "cd %s && /usr/bin/python3 -c \""
             "import numpy as n\n"
             "a=n.arange(24).reshape(2,3,4)\n"
             "for t in 'b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16'.split():\n"
             "  for o in '<>':\n"
             "    n.save('n_%%s%%s.npy'%%(t,'l' if o=='<' else 'b'),a.astype(o+t))\n"
             "n.save('n_fortran.npy',n.asfortranarray(a.astype('<f4')))\n"
             "n.save('n_text.npy',n.array(['','b','\\u00e9x']))\n"
             "n.save('n_scalar.npy',n.float32(2))\n\"",
             folder);
    assert_int_equal(system(command), 0);
    const char *names[] = {"b1", "i1", "i2", "i4", "i8",  "u1",   "u2",     "u4",     "u8",
                           "f2", "f4", "f8", "c8", "c16", "text", "scalar", "fortran"};
    size_t n_names = sizeof names / sizeof names[0];
    for (size_t i = 0; i < n_names; i++)
        for (int big = 0; big <= (i < 14); big++) {
            char in[64], out[64];
            snprintf(in, sizeof in, "n_%s%s.npy", names[i], i >= 14 ? "" : big ? "b" : "l");
            snprintf(out, sizeof out, "o_%s%s.npy", names[i], i >= 14 ? "" : big ? "b" : "l");
            ob_file_tensor tensor;
            ob_error error;
            if (ob_npy_read(in_folder(in), NULL, &tensor, &error) != OB_OK) fail_msg("%s", error.message);
            assert_int_equal(ob_npy_write(in_folder(out), &tensor.view, NULL), OB_OK);
            ob_file_tensor_release(&tensor);
        }
    snprintf(command, sizeof command,
             "cd %s && /usr/bin/python3 -c \""
             "import numpy as n,glob\n"
             "f=glob.glob('n_*.npy')\n"
             "assert len(f)==31,len(f)\n"
             "for p in f:\n"
             "  a,b=n.load(p),n.load('o'+p[1:])\n"
             "  assert a.shape==b.shape and (a==b).all() and a.dtype.newbyteorder('=')==b.dtype.newbyteorder('='),p\n\"",
             folder);
    assert_int_equal(system(command), 0);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (entry->d_name[0] != '.') unlink(in_folder(entry->d_name));
    if (directory) closedir(directory);
    return rmdir(folder);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_round_trips_as_tensorproto),
        cmocka_unit_test(every_numpy_type_round_trips_as_npy),
        cmocka_unit_test(strings_round_trip),
        cmocka_unit_test(strides_are_followed),
        cmocka_unit_test(bad_npy_headers_are_refused),
        cmocka_unit_test(fortran_and_foreign_byte_order_are_brought_home),
        cmocka_unit_test(failures_say_why),
        cmocka_unit_test(typed_fields_are_decoded),
        cmocka_unit_test(numpy_agrees),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
