/* Shared by the tests of sessions: an allocator that counts, a small model, runs that must succeed. */
#ifndef OB_TESTS_SESSION_CASE_H
#define OB_TESTS_SESSION_CASE_H

#include <math.h>

#include "build_model.h"
#include "onnx_broadcast/session.h"
#include "runtime/session.h"

/* ---- An allocator that counts, fails and forbids calls ---- */

typedef struct counter {
    size_t n_calls, n_alive, n_bytes;
    size_t fail_at; /* this call fails (1 is the first); 0: none */
    bool forbidden; /* any call fails the test */
} counter;

static inline void *count_alloc(void *context, size_t n_bytes) {
    counter *c = context;
    assert_false(c->forbidden);
    if (++c->n_calls == c->fail_at) return NULL;
    c->n_alive++;
    c->n_bytes += n_bytes;
    return malloc(n_bytes);
}

static inline void *count_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    counter *c = context;
    assert_false(c->forbidden);
    if (++c->n_calls == c->fail_at) return NULL;
    if (!block) c->n_alive++;
    c->n_bytes += new_bytes - old_bytes;
    return realloc(block, new_bytes);
}

static inline void count_free(void *context, void *block, size_t n_bytes) {
    counter *c = context;
    if (!block) return;
    c->n_alive--;
    c->n_bytes -= n_bytes; /* allocated bytes: 0 at the end only if every free gives the allocated size */
    free(block);
}

static inline ob_allocator counting(counter *c) {
    return (ob_allocator){count_alloc, count_realloc, count_free, c};
}

/* ---- Models ---- */

/* y = Relu(x + b) for x (N, 3) and b (3). */
static inline ob_model *scale_model(void) {
    static const float b[] = {-1, 0, 1};
    ob_model *model = new_model(14);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 3");
    ob_value *bias = new_weight(model, "b", OB_FLOAT, 1, (int64_t[]){3}, b);
    new_output(model, new_node(model, "Relu", "y", 1, new_node(model, "Add", "sum", 2, x, bias)));
    return model;
}

static inline ob_session *open_session(const ob_model *model, bool optimize) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config_init(&config);
    config.optimize = optimize;
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
    return session;
}

static inline void run_ok(ob_session *session, const ob_view *inputs, size_t n_inputs, ob_view *outputs, size_t n_outputs) {
    ob_error error;
    if (ob_session_run(session, inputs, n_inputs, outputs, n_outputs, &error) != OB_OK) fail_msg("%s", error.message);
}

static inline void expect_floats(const ob_view *view, const float *want, int64_t n) {
    assert_int_equal(ob_view_count(view), n);
    assert_int_equal(view->dtype, OB_FLOAT);
    assert_true(ob_view_is_contiguous(view));
    if (n) assert_memory_equal(view->data, want, (size_t)n * sizeof *want);
}

/* ---- Optimised beside plain ---- */

static inline ob_session *open_threads(const ob_model *model, bool optimize, int threads) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config_init(&config);
    config.optimize = optimize;
    config.n_threads = threads;
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s: %s", error.node, error.message);
    return session;
}

/* The same bits, or NaN on both sides. */
static inline bool same_element(ob_dtype dtype, const char *a, const char *b) {
    if (memcmp(a, b, ob_dtype_size(dtype)) == 0) return true;
    if (dtype == OB_FLOAT) return isnan(*(const float *)(const void *)a) && isnan(*(const float *)(const void *)b);
    if (dtype == OB_DOUBLE) return isnan(*(const double *)(const void *)a) && isnan(*(const double *)(const void *)b);
    if (dtype != OB_FLOAT16) return false;
    const uint16_t x = *(const uint16_t *)(const void *)a, y = *(const uint16_t *)(const void *)b;
    return (x & 0x7fff) > 0x7c00 && (y & 0x7fff) > 0x7c00;
}

/* Runs the model optimised, and node by node: the same status, the same bits. Returns the optimised session, and the number of
 * steps of the other one (n_plain may be NULL). */
static inline ob_session *check_beside_plain(const ob_model *model, const ob_view *in, size_t n_in, int threads,
                                             uint64_t *n_plain) {
    enum { MOST = 3 };
    ob_session *plain = open_threads(model, false, 1), *optimised = open_threads(model, true, threads);
    ob_view want[MOST] = {{0}}, is[MOST] = {{0}};
    ob_error error;
    const size_t n = ob_session_output_count(plain);
    assert_true(n <= MOST);
    const ob_status status = ob_session_run(plain, in, n_in, want, n, &error);
    assert_int_equal(ob_session_run(optimised, in, n_in, is, n, &error), status);
    for (size_t i = 0; i < n && status == OB_OK; i++) {
        const int64_t elems = ob_view_count(&want[i]);
        const size_t width = ob_dtype_size(want[i].dtype);
        assert_int_equal(ob_view_count(&is[i]), elems);
        for (int64_t k = 0; k < elems; k++)
            assert_true(
                same_element(want[i].dtype, (char *)is[i].data + (size_t)k * width, (char *)want[i].data + (size_t)k * width));
    }
    ob_session_memory memory;
    ob_session_get_memory(plain, &memory);
    if (n_plain) *n_plain = memory.n_steps;
    ob_session_close(&plain);
    return optimised;
}

/* The number of steps of the plan for these inputs. Closes the model. */
static inline uint32_t steps_of(ob_model *model, const ob_view *in, size_t n_in) {
    ob_session *session = open_session(model, true);
    ob_session_memory memory;
    ob_view out[2] = {{0}};
    run_ok(session, in, n_in, out, ob_session_output_count(session));
    ob_session_get_memory(session, &memory);
    ob_session_close(&session);
    ob_model_close(&model);
    return (uint32_t)memory.n_steps;
}

#endif
