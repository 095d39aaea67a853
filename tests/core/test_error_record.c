/* The error record of every public call that has one: it is filled in whenever the call fails, regardless of its earlier
 * contents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_broadcast/onnx_broadcast.h"

/* A record that the caller has not cleared: full of arbitrary bytes. */
static ob_error soiled(void) {
    ob_error error;
    memset(&error, 0x5a, sizeof error);
    return error;
}

static void assert_filled(const char *call, ob_status status, const ob_error *error) {
    if (status == OB_OK) fail_msg("%s succeeds", call);
    if (error->code != status) fail_msg("%s: returns %d, the record has %d", call, (int)status, (int)error->code);
    bool ends = memchr(error->message, 0, sizeof error->message) && memchr(error->node, 0, sizeof error->node) &&
                memchr(error->op_type, 0, sizeof error->op_type) && memchr(error->value, 0, sizeof error->value);
    if (!ends) fail_msg("%s: a text does not end", call);
    if (!error->message[0]) fail_msg("%s: no message", call);
    if (error->axis < -1 || error->axis > OB_MAX_RANK) fail_msg("%s: axis %d", call, (int)error->axis);
}

#define FAILS(call)                                                                                                              \
    do {                                                                                                                         \
        ob_error error = soiled();                                                                                               \
        ob_status status_ = (call);                                                                                              \
        assert_filled(#call, status_, &error);                                                                                   \
    } while (0)

static ob_status refuse(void *context, const ob_condition *condition, size_t operand, int32_t axis) {
    (void)context;
    (void)condition;
    (void)operand;
    (void)axis;
    return OB_E_IO;
}

static void no_report(void *context, const ob_rule_break *broken) {
    (void)context;
    (void)broken;
}

static void shapes(void **state) {
    (void)state;
    ob_dim two = 2, three = 3, minus = -4;
    ob_shape a = {1, &two}, b = {1, &three}, bad = {1, &minus}, both[2] = {a, b}, wide = {OB_MAX_RANK + 1, &two};
    ob_broadcast_result result;
    int64_t dimensions[OB_MAX_RANK] = {5};
    FAILS(ob_broadcast_shapes(both, 2, NULL, NULL, NULL, &result, &error));
    FAILS(ob_broadcast_shapes(NULL, 2, NULL, NULL, NULL, &result, &error));
    FAILS(ob_broadcast_shapes(&bad, 1, NULL, NULL, NULL, &result, &error));
    FAILS(ob_broadcast_shapes(&wide, 1, NULL, NULL, NULL, &result, &error));
    FAILS(ob_broadcast_to(&a, &b, NULL, NULL, NULL, &error));
    FAILS(ob_broadcast_to(NULL, &b, NULL, NULL, NULL, &error));
    FAILS(ob_align_in_dim(&a, dimensions, 1, 2, &result, &error));
    FAILS(ob_broadcast_xla(&a, &b, NULL, 0, NULL, NULL, NULL, &result, &error));
    FAILS(ob_broadcast_legacy(&a, &b, false, 0, NULL, NULL, NULL, dimensions, &error));
    FAILS(ob_broadcast_mlir(both, 2, NULL, NULL, NULL, &result, &error));
    FAILS(ob_broadcast_mlir(NULL, 0, NULL, NULL, NULL, &result, &error));
    FAILS(ob_verify_mlir(&a, 1, &b, NULL, &error));
    FAILS(ob_rules_check(OB_RULES_COUNT, both, 2, NULL, NULL, no_report, NULL, &error));
    FAILS(ob_rules_check(OB_RULES_XLA, both, 2, NULL, NULL, no_report, NULL, &error));
    ob_dims *pool = NULL;
    assert_int_equal(ob_dims_create(NULL, &pool), OB_OK);
    ob_dim n = ob_dim_symbol(pool, "N");
    ob_shape open[2] = {{1, &n}, a};
    FAILS(ob_broadcast_shapes(open, 2, pool, refuse, NULL, &result, &error));
    FAILS(ob_broadcast_to(&open[0], &open[1], pool, refuse, NULL, &error));
    ob_dims_destroy(&pool);
}

static void loop(char *const *pointers, const int64_t *strides, int64_t n, const void *parameters) {
    (void)pointers;
    (void)strides;
    (void)n;
    (void)parameters;
}

static void arrays(void **state) {
    (void)state;
    float data[6] = {0};
    ob_view a, b, out;
    assert_int_equal(ob_view_init(&a, data, OB_FLOAT, 1, (int64_t[]){2}), OB_OK);
    assert_int_equal(ob_view_init(&b, data, OB_FLOAT, 1, (int64_t[]){3}), OB_OK);
    ob_view both[2] = {a, b}, outs[2];
    FAILS(ob_view_broadcast(&a, 1, (int64_t[]){3}, &out, &error));
    FAILS(ob_view_broadcast(NULL, 1, (int64_t[]){3}, &out, &error));
    FAILS(ob_view_broadcast(&a, 0, NULL, &out, &error));
    FAILS(ob_view_broadcast_in_dim(&a, (int64_t[]){7}, 1, 1, (int64_t[]){3}, &out, &error));
    FAILS(ob_view_broadcast_all(both, 2, outs, &error));
    FAILS(ob_view_assign(&a, &b, &error));
    FAILS(ob_view_assign(NULL, &b, &error));
    FAILS(ob_for_each(both, 2, NULL, 0, loop, NULL, NULL, &error));
    FAILS(ob_for_each(&a, 1, NULL, 0, NULL, NULL, NULL, &error));
    FAILS(ob_for_each(&a, 1, &b, 1, loop, NULL, NULL, &error));
    ob_elementwise_plan *plan = NULL;
    FAILS(ob_elementwise_output("Nothing", 0, &a, 1, NULL, 0, &out, &error));
    FAILS(ob_elementwise_output("Add", 0, both, 2, NULL, 0, &out, &error));
    FAILS(ob_elementwise("Add", 0, both, 2, NULL, 0, &a, &error));
    FAILS(ob_elementwise("Not", 0, &a, 1, NULL, 0, &a, &error));
    FAILS(ob_elementwise_create("Add", 0, both, 2, NULL, 0, &a, NULL, &plan, &error));
    FAILS(ob_elementwise_run(NULL, both, &a, &error));
}

static void files(void **state) {
    (void)state;
    ob_model *model = NULL;
    ob_file_tensor tensor;
    ob_view view = {0};
    FAILS(ob_model_load("/nothing/here", NULL, &model, &error));
    FAILS(ob_model_load_memory("?", 1, NULL, NULL, &model, &error));
    FAILS(ob_model_load_descriptor(-1, NULL, NULL, &model, &error));
    FAILS(ob_model_save(NULL, "x", OB_FORMAT_AUTO, &error));
    FAILS(ob_model_write(NULL, OB_FORMAT_AUTO, NULL, NULL, &error));
    FAILS(ob_model_write_text(NULL, 0, NULL, NULL, &error));
    FAILS(ob_model_clone(NULL, &model, &error));
    FAILS(ob_tensor_file_read("/nothing/here", NULL, &tensor, &error));
    FAILS(ob_tensor_file_write("/nothing/here", NULL, &view, &error));
    FAILS(ob_npy_read("/nothing/here", NULL, &tensor, &error));
    FAILS(ob_npy_write("/nothing/here", &view, &error));
    FAILS(ob_operators_load(NULL, "/nothing/here", &error));
    FAILS(ob_operators_add(NULL, NULL, &error));
}

static void objects(void **state) {
    (void)state;
    ob_report *report = NULL;
    ob_session *session = NULL;
    ob_worker *worker = NULL;
    ob_view view = {0};
    FAILS(ob_check(NULL, NULL, &report, &error));
    FAILS(ob_rewrite(NULL, OB_FORM_EXPAND, NULL, NULL, &error));
    FAILS(ob_session_create(NULL, NULL, &session, &error));
    FAILS(ob_session_prepare(NULL, NULL, 0, &error));
    FAILS(ob_session_run(NULL, NULL, 0, NULL, 0, &error));
    FAILS(ob_session_set_memory(NULL, NULL, 0, &error));
    FAILS(ob_session_input_view(NULL, 0, NULL, &view, &error));
    FAILS(ob_worker_create(NULL, NULL, &worker, &error));
    FAILS(ob_worker_run(NULL, NULL, 0, NULL, 0, &error));
    FAILS(ob_worker_set_memory(NULL, NULL, 0, &error));
}

/* ---- Lack of memory, at every place ---- */

static size_t n_left; /* allocations that still succeed */

static void *some_alloc(void *context, size_t n_bytes) {
    (void)context;
    return n_left ? n_left--, malloc(n_bytes) : NULL;
}
static void *some_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    (void)context;
    (void)old_bytes;
    return n_left ? n_left--, realloc(block, new_bytes) : NULL;
}
static void some_free(void *context, void *block, size_t n_bytes) {
    (void)context;
    (void)n_bytes;
    free(block);
}

static const char text[] = "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                           "g (float[N, 3] x, float[M, 1] y) => (float[K, 3] z) <float[3] w = {1, 2, 3}> {\n"
                           "   square = Constant <value = float[3, 3] {1, 0, 0, 0, 1, 0, 0, 0, 1}> ()\n"
                           "   t = Add (x, y)\n   u = Mul (t, w)\n   z = MatMul (u, square)\n}\n";

/* Loads, checks, rewrites, plans, runs. */
static ob_status do_all(const ob_allocator *allocator, ob_error *error) {
    ob_load_options options;
    ob_load_options_init(&options);
    options.allocator = allocator;
    ob_session_config config;
    ob_session_config_init(&config);
    config.allocator = allocator;
    ob_model *model = NULL, *clone = NULL;
    ob_report *report = NULL;
    ob_session *session = NULL;
    ob_worker *worker = NULL;
    float x[6] = {1, 2, 3, 4, 5, 6}, y[2] = {1, 2};
    ob_view in[2], out = {0};
    ob_view_init(&in[0], x, OB_FLOAT, 2, (int64_t[]){2, 3});
    ob_view_init(&in[1], y, OB_FLOAT, 2, (int64_t[]){2, 1});
    ob_status status = ob_model_load_memory(text, sizeof text - 1, NULL, &options, &model, error);
    if (status == OB_OK) status = ob_check(model, NULL, &report, error);
    ob_report_close(&report);
    if (status == OB_OK) status = ob_model_clone(model, &clone, error);
    if (status == OB_OK) status = ob_rewrite(clone, OB_FORM_FUNCTION, NULL, NULL, error);
    if (status == OB_OK) status = ob_session_create(clone, &config, &session, error);
    if (status == OB_OK) status = ob_session_prepare(session, in, 2, error);
    if (status == OB_OK) status = ob_session_run(session, in, 2, &out, 1, error);
    if (status == OB_OK) status = ob_worker_create(session, NULL, &worker, error);
    if (status == OB_OK) status = ob_worker_run(worker, in, 2, &out, 1, error);
    ob_worker_close(&worker);
    ob_session_close(&session);
    ob_model_close(&clone);
    ob_model_close(&model);
    return status;
}

static void memory(void **state) {
    (void)state;
    const ob_allocator allocator = {some_alloc, some_realloc, some_free, NULL};
    ob_status status = OB_E_MEMORY;
    size_t n = 0;
    for (; status != OB_OK && n < 10000; n++) {
        n_left = n;
        ob_error error = soiled();
        status = do_all(&allocator, &error);
        char call[40];
        snprintf(call, sizeof call, "allocation %zu", n);
        if (status == OB_OK) break;
        assert_int_equal(status, OB_E_MEMORY);
        assert_filled(call, status, &error);
    }
    assert_int_equal(status, OB_OK);
    assert_true(n > 20);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes), cmocka_unit_test(arrays), cmocka_unit_test(files),
                                       cmocka_unit_test(objects), cmocka_unit_test(memory)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
