/* A model is loaded from memory, planned and run on fixed buffers. Neither the library nor the libraries that it uses call
 * malloc (counting_malloc.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bytes.h"
#include "counting_malloc.h"
#include "onnx_broadcast/onnx_broadcast.h"

static unsigned char heap[4 << 20];
static _Alignas(64) unsigned char work[1 << 20];

static bytes aligned_file(const char *path) {
    ob_model *model = NULL;
    ob_error error;
    bytes file = {0};
    if (ob_model_load(path, NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    assert_int_equal(ob_model_write(model, OB_FORMAT_PROTOBUF_ALIGNED, collect, &file, &error), OB_OK);
    ob_model_close(&model);
    uint8_t *aligned = aligned_alloc(64, (file.n + 63) / 64 * 64);
    assert_non_null(aligned);
    memcpy(aligned, file.data, file.n);
    free(file.data);
    file.data = aligned;
    return file;
}

typedef struct outcome {
    ob_status status;
    ob_error error;
    ob_session_memory memory;
    size_t peak, used_before_run, used_after_run, used_at_the_end;
} outcome;

/* The whole work of a program without a heap. No assertions here, because cmocka allocates. */
static void load_and_run(const bytes *file, const ob_view *in, ob_view *out, size_t n_out, outcome *o) {
    ob_fixed_memory memory;
    ob_allocator allocator = ob_fixed_allocator(&memory, heap, sizeof heap);
    ob_load_options load;
    ob_session_config config;
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_load_options_init(&load);
    load.allocator = &allocator;
    ob_session_config_init(&config);
    config.allocator = &allocator;
    config.external_data = false;
    config.caller_memory = true;
    o->status = ob_model_load_memory(file->data, file->n, "model", &load, &model, &o->error);
    if (o->status == OB_OK) o->status = ob_session_create(model, &config, &session, &o->error);
    if (o->status == OB_OK) o->status = ob_session_prepare(session, in, 1, &o->error);
    if (o->status == OB_OK) o->status = ob_session_set_memory(session, work, sizeof work, &o->error);
    if (o->status == OB_OK) ob_session_get_memory(session, &o->memory);
    o->used_before_run = memory.used;
    for (int i = 0; i < 3 && o->status == OB_OK; i++) o->status = ob_session_run(session, in, 1, out, n_out, &o->error);
    o->used_after_run = memory.used;
    ob_session_close(&session);
    ob_model_close(&model);
    o->peak = memory.peak;
    o->used_at_the_end = memory.used;
}

static void run_without_heap(const char *path, ob_view in, size_t n_out) {
    enum { MAX_OUT = 2, MAX_BYTES = 4096 };
    static char got[MAX_OUT][MAX_BYTES];
    static outcome o;
    bytes file = aligned_file(path);
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_view want[MAX_OUT] = {{0}}, out[MAX_OUT];
    assert_int_equal(ob_model_load(path, NULL, &model, NULL), OB_OK);
    assert_int_equal(ob_session_create(model, NULL, &session, NULL), OB_OK);
    assert_int_equal(ob_session_run(session, &in, 1, want, n_out, NULL), OB_OK);
    for (size_t i = 0; i < n_out; i++) {
        out[i] = want[i];
        out[i].data = memset(got[i], 0, sizeof got[i]);
    }
    o = (outcome){0};
    n_mallocs = 0;
    counts_mallocs = true;
    load_and_run(&file, &in, out, n_out, &o);
    counts_mallocs = false;
    if (o.status != OB_OK) fail_msg("%s: %s", path, o.error.message);
    print_message("%zu bytes of file: %zu of the allocator's (%llu while running), %llu of work memory, %llu copied, "
                  "%zu calls of malloc\n",
                  file.n, o.peak, (unsigned long long)o.memory.session_bytes, (unsigned long long)o.memory.work_bytes,
                  (unsigned long long)o.memory.constant_bytes, (size_t)n_mallocs);
    for (size_t i = 0; i < n_out; i++) {
        size_t n_bytes = (size_t)ob_view_count(&want[i]) * ob_dtype_size(want[i].dtype);
        assert_in_range(n_bytes, 1, MAX_BYTES);
        assert_memory_equal(got[i], want[i].data, n_bytes);
    }
    assert_int_equal(o.used_before_run, o.used_after_run);
    assert_int_equal(o.used_at_the_end, 0);
    assert_int_equal(n_mallocs, 0);
    ob_session_close(&session);
    ob_model_close(&model);
    free(file.data);
}

/* Multiplications by 0.5 and additions on an image: no matrix product. */
static void test_elementwise(void **state) {
    (void)state;
    static float x[2 * 3 * 8 * 8];
    for (int i = 0; i < 2 * 3 * 8 * 8; i++) x[i] = (float)(i % 19) / 7;
    ob_view in;
    assert_int_equal(ob_view_init(&in, x, OB_FLOAT, 4, (int64_t[]){2, 3, 8, 8}), OB_OK);
    run_without_heap(OB_SOURCE_DIR "/models/scale_bias_nchw.onnx", in, 1);
}

/* Convolutions and products. */
static void test_with_products(void **state) {
    (void)state;
    static uint8_t x[2 * 64];
    for (int i = 0; i < 2 * 64; i++) x[i] = (uint8_t)(i % 17);
    ob_view in;
    assert_int_equal(ob_view_init(&in, x, OB_UINT8, 4, (int64_t[]){2, 1, 8, 8}), OB_OK);
    run_without_heap(OB_SOURCE_DIR "/models/digits.onnx", in, 2);
}

/* The counter works, also for allocations inside the C library. */
static void test_that_it_counts(void **state) {
    (void)state;
    n_mallocs = 0;
    counts_mallocs = true;
    FILE *file = fopen("/dev/null", "r");
    counts_mallocs = false;
    assert_non_null(file);
    fclose(file);
    assert_true(!OB_COUNTS || n_mallocs > 0);
    if (!OB_COUNTS) print_message("this build has another malloc: calls are not counted\n");
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_that_it_counts),
        cmocka_unit_test(test_elementwise),
        cmocka_unit_test(test_with_products),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
