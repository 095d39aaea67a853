/* Weights in other files: refused ones, mapped ones and ones that are read. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model_text.h"
#include "session_case.h"

/* The library is linked into this program, so that its calls reach this function. */
static int n_maps;
static bool maps_are_refused;

void *mmap(void *address, size_t n_bytes, int protection, int flags, int file, off_t offset);
void *mmap(void *address, size_t n_bytes, int protection, int flags, int file, off_t offset) {
    static void *(*real)(void *, size_t, int, int, int, off_t);
    if (file >= 0) n_maps++;
    if (maps_are_refused && file >= 0) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "mmap");
    return real(address, n_bytes, protection, flags, file, offset);
}

static void keep_elsewhere(ob_model *model, ob_value *weight, const char *location, const char *offset, const char *length) {
    ob_tensor *tensor = (ob_tensor *)(uintptr_t)weight->data;
    ob_key_value *keys = OB_ARENA_ARRAY(&model->arena, ob_key_value, 3);
    keys[0] = (ob_key_value){"location", location};
    keys[1] = (ob_key_value){"offset", offset};
    keys[2] = (ob_key_value){"length", length};
    tensor->data = NULL;
    tensor->is_external = true;
    tensor->external = keys;
    tensor->n_external = 3;
}

static ob_model *external_model(const char *location, const char *offset, const char *length) {
    ob_model *model = new_model(14);
    ob_value *x = new_input(model, "x", OB_FLOAT, "2");
    ob_value *w = new_weight(model, "w", OB_FLOAT, 1, (int64_t[]){2}, NULL);
    keep_elsewhere(model, w, location, offset, length);
    new_output(model, new_node(model, "Add", "y", 2, x, w));
    return model;
}

static ob_status try_external(const char *folder, const char *location, const char *offset, const char *length, bool allowed,
                              ob_error *error) {
    ob_model *model = external_model(location, offset, length);
    ob_session_config config;
    ob_session *session = NULL;
    ob_session_config_init(&config);
    config.external_folder = folder;
    config.external_data = allowed;
    ob_status status = ob_session_create(model, &config, &session, error);
    if (status == OB_OK) {
        float x[] = {1, 2};
        ob_view in = view_of(x, OB_FLOAT, 1, 2), out = {0};
        run_ok(session, &in, 1, &out, 1);
        expect_floats(&out, (float[]){4, 6}, 2);
    }
    ob_session_close(&session);
    ob_model_close(&model);
    return status;
}

static void write_file(const char *path, const void *bytes, size_t n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static int hard_link(const char *from, const char *to) {
    return link(from, to);
}

static void test_only_what_lies_below_the_folder(void **state) {
    (void)state;
    static const float data[] = {0, 3, 4};
    char folder[] = "/tmp/ob_session_XXXXXX", inside[100], outside[100], link[100], sub[100];
    ob_error error;
    assert_non_null(mkdtemp(folder));
    snprintf(sub, sizeof sub, "%s/model", folder);
    assert_int_equal(mkdir(sub, 0700), 0);
    snprintf(inside, sizeof inside, "%s/model/w.bin", folder);
    snprintf(outside, sizeof outside, "%s/w.bin", folder);
    snprintf(link, sizeof link, "%s/model/link.bin", folder);
    write_file(inside, data, sizeof data);
    write_file(outside, data, sizeof data);
    assert_int_equal(symlink(outside, link), 0);
    assert_int_equal(try_external(sub, "w.bin", "4", "8", true, &error), OB_OK);
    assert_int_equal(try_external(sub, "./w.bin", "4", "8", true, &error), OB_OK);
    assert_int_equal(try_external(folder, "model/w.bin", "4", "8", true, &error), OB_OK);
    assert_int_equal(try_external(sub, "w.bin", "4", "8", false, &error), OB_E_UNSUPPORTED);
    assert_int_equal(try_external(sub, "../w.bin", "4", "8", true, &error), OB_E_IO);
    assert_int_equal(try_external(sub, "x/../../w.bin", "4", "8", true, &error), OB_E_IO);
    assert_int_equal(try_external(sub, outside, "4", "8", true, &error), OB_E_IO);
    assert_int_equal(try_external(sub, "link.bin", "4", "8", true, &error), OB_E_IO);
    assert_non_null(strstr(error.message, "symbolic link"));
    unlink(link);
    assert_int_equal(hard_link(outside, link), 0);
    assert_int_equal(try_external(sub, "link.bin", "4", "8", true, &error), OB_E_IO);
    assert_non_null(strstr(error.message, "hard link"));
    unlink(outside); /* now it is only a file of this folder */
    assert_int_equal(try_external(sub, "link.bin", "4", "8", true, &error), OB_OK);
    assert_int_equal(try_external(sub, "none.bin", "4", "8", true, &error), OB_E_IO);
    assert_int_equal(try_external(folder, "model", "4", "8", true, &error), OB_E_IO);
    assert_int_equal(try_external(sub, "w.bin", "8", "8", true, &error), OB_E_FORMAT);
    assert_int_equal(try_external(sub, "w.bin", "4", "12", true, &error), OB_E_FORMAT);
    assert_int_equal(try_external(sub, "w.bin", "-4", "8", true, &error), OB_E_FORMAT);
    assert_int_equal(try_external(sub, "w.bin", "18446744073709551615", "8", true, &error), OB_E_FORMAT);
    assert_int_equal(try_external(sub, "", "4", "8", true, &error), OB_E_FORMAT);
    unlink(inside);
    unlink(outside);
    unlink(link);
    rmdir(sub);
    rmdir(folder);
}

/* ---- Mapped or read ---- */

typedef struct elsewhere {
    ob_dtype dtype;
    const char *offset, *length;
    uint64_t copied; /* bytes of it that the session copies */
} elsewhere;

/* y = a + b, n elements each in the file w.bin, as double; bytes of weights that the session copies. */
static uint64_t sum_elsewhere(const char *folder, elsewhere a, elsewhere b, int n, const double *want,
                              const ob_allocator *allocator) {
    char text[1000];
    snprintf(text, sizeof text,
             "<ir_version: 11, opset_import: [\"\" : 25]>\ng () => (double[%d] y)\n"
             "<%s[%d] a = [\"location\": \"w.bin\", \"offset\": \"%s\", \"length\": \"%s\"],\n"
             " %s[%d] b = [\"location\": \"w.bin\", \"offset\": \"%s\", \"length\": \"%s\"]>\n"
             "{ wide_a = Cast <to = %d> (a)\n wide_b = Cast <to = %d> (b)\n y = Add (wide_a, wide_b) }\n",
             n, ob_dtype_name(a.dtype), n, a.offset, a.length, ob_dtype_name(b.dtype), n, b.offset, b.length, (int)OB_DOUBLE,
             (int)OB_DOUBLE);
    ob_model *model = read_text(text);
    ob_session_config config;
    ob_session_config_init(&config);
    config.external_folder = folder;
    config.optimize = false; /* nothing is folded, so that only weights are counted */
    config.allocator = allocator;
    ob_session *session = NULL;
    ob_error error;
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
    ob_view out = {0};
    run_ok(session, NULL, 0, &out, 1);
    assert_int_equal(ob_view_count(&out), n);
    assert_memory_equal(out.data, want, (size_t)n * sizeof *want);
    ob_session_memory memory;
    ob_session_get_memory(session, &memory);
    ob_session_close(&session);
    ob_model_close(&model);
    return memory.constant_bytes;
}

static const elsewhere aligned = {OB_FLOAT, "4", "12", 0}, odd = {OB_FLOAT, "17", "12", 12}, packed = {OB_INT4, "29", "2", 3},
                       two_bits = {OB_UINT2, "31", "1", 3}, narrow = {OB_INT8, "29", "3", 0};

static void test_mapped_or_read(void **state) {
    (void)state;
    struct {
        char before[4];
        float values[3];
        char gap;
    } __attribute__((packed)) head = {{0}, {1.5F, -2, 0.5F}, 0};
    static const float unaligned[3] = {8, 7, 0.5F};
    static const uint8_t rest[3] = {0x78, 0x08, 0x39}; /* 8, 7, 8: -8, 7, -8; 1, 2, 3 */
    char folder[] = "/tmp/ob_external_XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/w.bin", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(&head, sizeof head, 1, file), 1);
    assert_int_equal(fwrite(unaligned, sizeof unaligned, 1, file), 1);
    assert_int_equal(fwrite(rest, sizeof rest, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    static const elsewhere *const all[] = {&aligned, &odd, &packed, &two_bits, &narrow};
    static const double values[][3] = {{1.5, -2, 0.5}, {8, 7, 0.5}, {-8, 7, -8}, {1, 2, 3}, {0x78, 8, 0x39}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t j = 0; j < sizeof all / sizeof *all; j++)
            for (int refused = 0; refused < 2; refused++) {
                double want[3];
                for (int k = 0; k < 3; k++) want[k] = values[i][k] + values[j][k];
                counter c = {0};
                ob_allocator allocator = counting(&c);
                maps_are_refused = refused;
                n_maps = 0;
                uint64_t copied = sum_elsewhere(folder, *all[i], *all[j], 3, want, &allocator);
                maps_are_refused = false;
                assert_int_equal(n_maps, 1); /* one file, mapped once */
                assert_int_equal(copied == 0, !refused && all[i]->copied + all[j]->copied == 0);
                assert_int_equal(c.n_alive, 0);
            }
    unlink(path);
    rmdir(folder);
}

/* A file without a byte serves initializers without elements. */
static void test_empty_file(void **state) {
    (void)state;
    char folder[] = "/tmp/ob_external_XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/w.bin", folder);
    write_file(path, "", 0);
    elsewhere none = {OB_FLOAT, "0", "0", 0};
    assert_int_equal(sum_elsewhere(folder, none, none, 0, NULL, NULL), 0);
    unlink(path);
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_what_lies_below_the_folder),
        cmocka_unit_test(test_mapped_or_read),
        cmocka_unit_test(test_empty_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
