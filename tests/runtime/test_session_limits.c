/* Limits of a session: memory, bytes of outputs, nodes, time; and runs that the caller stops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "onnx_broadcast/worker.h"
#include "session_case.h"

/* ---- Memory: the maximum of allocated bytes ---- */

typedef struct meter {
    size_t n_bytes, peak, n_alive;
} meter;

static void *meter_alloc(void *context, size_t n_bytes) {
    meter *m = context;
    m->n_alive++;
    m->n_bytes += n_bytes;
    if (m->n_bytes > m->peak) m->peak = m->n_bytes;
    return malloc(n_bytes);
}

static void *meter_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    meter *m = context;
    m->n_bytes += new_bytes - (block ? old_bytes : 0);
    if (!block) m->n_alive++;
    if (m->n_bytes > m->peak) m->peak = m->n_bytes;
    return realloc(block, new_bytes);
}

static void meter_free(void *context, void *block, size_t n_bytes) {
    meter *m = context;
    if (!block) return;
    m->n_alive--;
    m->n_bytes -= n_bytes;
    free(block);
}

/* One use of a session under a limit. Returns its status; *error says why. */
typedef ob_status (*use)(const ob_model *model, const ob_session_config *config, ob_error *error);

static ob_status measure(use how, const ob_model *model, uint64_t limit, bool optimize, meter *m, ob_error *error) {
    ob_allocator allocator = {meter_alloc, meter_realloc, meter_free, m};
    ob_session_config config;
    ob_session_config_init(&config);
    *m = (meter){0};
    config.allocator = &allocator;
    config.max_memory = limit;
    config.optimize = optimize;
    ob_error_clear(error);
    ob_status status = how(model, &config, error);
    assert_int_equal(m->n_alive, 0);
    assert_int_equal(m->n_bytes, 0);
    return status;
}

/* With its maximum use as the limit it runs; with a lower limit it runs or reports that the limit is too low; it never uses
 * more. */
static size_t hold_to_limits(use how, const ob_model *model, bool optimize) {
    meter m;
    ob_error error;
    if (measure(how, model, 0, optimize, &m, &error) != OB_OK) fail_msg("%s", error.message);
    size_t peak = m.peak, n_refused = 0, least = SIZE_MAX;
    if (measure(how, model, peak, optimize, &m, &error) != OB_OK) fail_msg("at the peak of %zu: %s", peak, error.message);
    for (size_t i = 1, low = peak; i <= 60; i++) {
        if (low > 1000) low = low / 5 * 4;
        size_t limit = i == 60 ? peak - 1 : i % 2 ? peak / 60 * i : low;
        ob_status status = measure(how, model, limit, optimize, &m, &error);
        assert_true(m.peak <= limit);
        if (status == OB_OK) {
            least = limit < least ? limit : least;
            continue;
        }
        n_refused++;
        if (status != OB_E_LIMIT || error.code != OB_E_LIMIT) fail_msg("limit %zu: status %d: %s", limit, status, error.message);
        assert_non_null(strstr(error.message, "max_memory raises"));
        assert_non_null(strstr(error.message, " bytes beside the "));
    }
    assert_true(n_refused > 3);
    return least;
}

static ob_status run_twice(const ob_model *model, const ob_session_config *config, ob_error *error) {
    static float x[4000];
    ob_session *session = NULL;
    ob_status status = ob_session_create(model, config, &session, error);
    for (int n = 1000; status == OB_OK && n <= 1001; n++) {
        ob_view in = view_of(x, OB_FLOAT, 2, n, 3), out = {0};
        size_t n_inputs = ob_session_input_count(session);
        status = ob_session_run(session, &in, n_inputs, &out, ob_session_output_count(session), error);
    }
    ob_session_close(&session);
    return status;
}

static ob_status run_with_workers(const ob_model *model, const ob_session_config *config, ob_error *error) {
    static float x[3000];
    ob_session *session = NULL;
    ob_worker *workers[3] = {NULL};
    ob_view in = view_of(x, OB_FLOAT, 2, 1000, 3), out = {0};
    ob_status status = ob_session_create(model, config, &session, error);
    if (status == OB_OK) status = ob_session_run(session, &in, 1, &out, 1, error);
    for (int i = 0; i < 3 && status == OB_OK; i++) {
        status = ob_worker_create(session, NULL, &workers[i], error);
        if (status == OB_OK) status = ob_worker_run(workers[i], &in, 1, &(ob_view){0}, 1, error);
    }
    for (int i = 0; i < 3; i++) ob_worker_close(&workers[i]);
    ob_session_close(&session);
    return status;
}

static ob_status run_eight_shapes(const ob_model *model, const ob_session_config *config, ob_error *error) {
    static float x[30000];
    ob_session *session = NULL;
    ob_status status = ob_session_create(model, config, &session, error);
    for (int n = 1; n <= 8 && status == OB_OK; n++) {
        ob_view in = view_of(x, OB_FLOAT, 2, n, 3), out = {0};
        status = ob_session_run(session, &in, 1, &out, 1, error);
    }
    ob_session_close(&session);
    return status;
}

/* y = x @ W, W of 3 by n: packed when the plan is made. */
static ob_model *product_model(int n) {
    ob_model *model = new_model(14);
    float *w = calloc((size_t)n * 3, sizeof *w);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 3");
    new_output(model, new_node(model, "MatMul", "y", 2, x, new_weight(model, "w", OB_FLOAT, 2, (int64_t[]){3, n}, w)));
    free(w);
    return model;
}

static void test_memory_of_runs(void **state) {
    (void)state;
    ob_model *model = scale_model();
    hold_to_limits(run_twice, model, false);
    hold_to_limits(run_twice, model, true);
    hold_to_limits(run_with_workers, model, true);
    ob_model_close(&model);
    model = product_model(200);
    hold_to_limits(run_twice, model, true);
    ob_model_close(&model);
}

/* y = ReduceSum(x) + ReduceSum(zeros), zeros of N * 1000 by 30: constants of each plan. */
static ob_model *constants_by_shape(void) {
    ob_model *model = new_model(14);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 3");
    ob_value *factor = new_weight(model, "factor", OB_INT64, 1, (int64_t[]){2}, (int64_t[]){1000, 10});
    ob_value *shape = new_node(model, "Mul", "sizes", 2, new_node(model, "Shape", "shape", 1, x), factor);
    ob_value *zeros = new_node(model, "ReduceSum", "b", 1, new_node(model, "ConstantOfShape", "zeros", 1, shape));
    new_output(model, new_node(model, "Add", "y", 2, new_node(model, "ReduceSum", "a", 1, x), zeros));
    return model;
}

/* Unused plans are dropped: the memory for one shape is enough for many shapes. */
static void test_memory_of_plans(void **state) {
    (void)state;
    ob_model *model = constants_by_shape();
    meter m;
    ob_error error;
    size_t least = hold_to_limits(run_eight_shapes, model, true);
    assert_int_equal(measure(run_eight_shapes, model, 0, true, &m, &error), OB_OK);
    assert_true(m.peak > 36 * 120000 && least < m.peak / 2);
    ob_model_close(&model);
}

/* y = NonZero(x): the size of the result is in the data; and a Cast to strings, whose bytes are made in the run. */
static ob_model *dynamic_model(bool strings) {
    ob_model *model = new_model(14);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 3");
    if (!strings) {
        ob_value *zero = new_weight(model, "zero", OB_FLOAT, 0, NULL, &(float){0});
        ob_value *is = new_node(model, "Not", "is", 1, new_node(model, "Less", "less", 2, x, zero));
        new_output(model, new_node(model, "NonZero", "y", 1, is));
        return model;
    }
    ob_value *text = new_node(model, "Cast", "text", 1, x);
    assert_true(ob__node_set_int(text->producer, "to", OB_STRING));
    new_output(model, text);
    return model;
}

static void test_memory_of_data(void **state) {
    (void)state;
    for (int strings = 0; strings < 2; strings++) {
        ob_model *model = dynamic_model(strings);
        hold_to_limits(run_twice, model, true);
        ob_model_close(&model);
    }
}

/* ---- Folded constants ---- */

/* n sums of constants of 1 MB each, and their total with x: folded, n megabytes; in work memory, a few. */
static ob_model *fold_model(int n) {
    ob_model *model = new_model(14);
    ob_value *x = new_input(model, "x", OB_FLOAT, "1 1"), *sum = x;
    ob_value *shape = new_weight(model, "shape", OB_INT64, 1, (int64_t[]){2}, (int64_t[]){512, 512});
    for (int i = 0; i < n; i++) {
        char name[40];
        snprintf(name, sizeof name, "c%d", i);
        ob_value *constant = new_node(model, "ConstantOfShape", name, 1, shape);
        snprintf(name, sizeof name, "s%d", i);
        sum = new_node(model, "Add", name, 2, sum, constant);
    }
    new_output(model, sum);
    return model;
}

static ob_status run_one(const ob_model *model, const ob_session_config *config, ob_error *error) {
    float x = 1;
    ob_session *session = NULL;
    ob_view in = view_of(&x, OB_FLOAT, 2, 1, 1), out = {0};
    ob_status status = ob_session_create(model, config, &session, error);
    if (status == OB_OK) status = ob_session_run(session, &in, ob_session_input_count(session), &out, 1, error);
    if (status == OB_OK && out.dtype == OB_FLOAT) assert_true(*(float *)out.data == 1);
    ob_session_close(&session);
    return status;
}

static void test_memory_of_folds(void **state) {
    (void)state;
    ob_model *model = fold_model(40);
    meter m;
    ob_error error;
    assert_int_equal(measure(run_one, model, 0, true, &m, &error), OB_OK);
    assert_true(m.peak > 40 << 20); /* enough memory: all of them are kept */
    assert_int_equal(measure(run_one, model, 8 << 20, true, &m, &error), OB_OK);
    assert_true(m.peak <= 8 << 20);
    hold_to_limits(run_one, model, true);
    ob_model_close(&model);
}

/* ---- External data ---- */

/* y = x + sum of `n_used` weights of 1 MB in one file after `offset` bytes; `n_unused` more that no node reads. */
static ob_model *external_model(int n_used, int n_unused, const char *file, const char *offset) {
    ob_model *model = new_model(14);
    ob_value *sum = new_input(model, "x", OB_FLOAT, "1 1");
    model->path = ob__arena_printf(&model->arena, "%s.onnx", file);
    for (int i = 0; i < n_used + n_unused; i++) {
        char name[40];
        snprintf(name, sizeof name, "w%d", i);
        ob_value *w = new_weight(model, name, OB_FLOAT, 2, (int64_t[]){1, 1}, NULL);
        ob_tensor *tensor = (ob_tensor *)(uintptr_t)w->data;
        ob_key_value *keys = OB_ARENA_ARRAY(&model->arena, ob_key_value, 2);
        int64_t *dims = OB_ARENA_ARRAY(&model->arena, int64_t, 2);
        dims[0] = dims[1] = 512;
        const char *slash = strrchr(file, '/');
        keys[0] = (ob_key_value){"location", i < n_used ? slash + 1 : "none"};
        keys[1] = (ob_key_value){"offset", offset};
        *tensor = (ob_tensor){.name = name, .dtype = OB_FLOAT, .rank = 2, .dims = dims, .n_elems = 512 * 512, .doc = ""};
        tensor->is_external = true;
        tensor->external = keys;
        tensor->n_external = 2;
        snprintf(name, sizeof name, "s%d", i);
        if (i < n_used) sum = new_node(model, "Add", name, 2, sum, w);
    }
    new_output(model, sum);
    return model;
}

static void test_memory_of_external_data(void **state) {
    (void)state;
    char file[] = OB_BINARY_DIR "/limits_XXXXXX";
    static float zeros[512 * 512 + 1];
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, zeros, sizeof zeros), sizeof zeros);
    close(descriptor);
    ob_model *model = external_model(30, 100, file, "0"); /* the file of the unused ones does not exist */
    meter m;
    ob_error error;
    assert_int_equal(measure(run_one, model, 20 << 20, false, &m, &error), OB_OK); /* mapped: 4 MiB would suffice */
    ob_model_close(&model);
    model = external_model(30, 100, file, "2"); /* not aligned: copied */
    hold_to_limits(run_one, model, false);
    assert_int_equal(measure(run_one, model, 20 << 20, false, &m, &error), OB_E_LIMIT);
    assert_non_null(strstr(error.message, "no memory for the 1048576 bytes of initializer w"));
    ob_model_close(&model);
    unlink(file);
}

/* ---- Bytes of outputs ---- */

static ob_status run_outputs(const ob_model *model, uint64_t limit, ob_error *error) {
    float x[6] = {1, 2, 3, 4, 5, 6};
    ob_session *session = NULL;
    ob_session_config config;
    ob_view in = view_of(x, OB_FLOAT, 2, 2, 3), out = {0};
    ob_session_config_init(&config);
    config.max_output_bytes = limit;
    assert_int_equal(ob_session_create(model, &config, &session, error), OB_OK);
    ob_status status = ob_session_run(session, &in, 1, &out, 1, error);
    ob_session_close(&session);
    return status;
}

static void test_output_bytes(void **state) {
    (void)state;
    ob_error error;
    ob_model *model = scale_model();
    assert_int_equal(run_outputs(model, 64, &error), OB_OK); /* 24 bytes, rounded up to the alignment */
    assert_int_equal(run_outputs(model, 63, &error), OB_E_LIMIT);
    assert_non_null(strstr(error.message, "max_output_bytes raises it"));
    ob_model_close(&model);
    model = dynamic_model(false); /* 2 by 6 indices of 8 bytes */
    assert_int_equal(run_outputs(model, 96, &error), OB_OK);
    assert_int_equal(run_outputs(model, 95, &error), OB_E_LIMIT);
    assert_string_equal(error.message,
                        "the outputs up to y have 96 bytes, which is over the limit of 95: max_output_bytes raises it");
    ob_model_close(&model);
}

/* ---- Functions that double ---- */

static ob_status only_create(const ob_model *model, const ob_session_config *config, ob_error *error) {
    ob_session *session = NULL;
    ob_status status = ob_session_create(model, config, &session, error);
    ob_session_close(&session);
    return status;
}

/* A chain of `depth` functions, each of which calls the next twice; `name` is the name of the first call in each. */
static ob_model *doubling(int depth, const char *name) {
    size_t room = (size_t)(depth + 2) * (strlen(name) + 300), n = 0;
    char *text = malloc(room);
    ob_model *model = NULL;
    ob_error error;
    assert_non_null(text);
    n += (size_t)snprintf(text, room,
                          "<ir_version: 8, opset_import: [\"\": 14, \"l\": 1]>\n"
                          "m (float[N] x) => (float[N] y) { y = l.f0 (x) }\n");
    for (int i = 0; i < depth; i++)
        n += (size_t)snprintf(
            text + n, room - n,
            "<domain: \"l\", opset_import: [\"\": 14, \"l\": 1]> f%d (x) => (y) { [%s] a = l.f%d (x) y = l.f%d (a) }\n", i, name,
            i + 1, i + 1);
    snprintf(text + n, room - n, "<domain: \"l\", opset_import: [\"\": 14]> f%d (x) => (y) { y = Neg (x) }\n", depth);
    if (ob_model_load_memory(text, strlen(text), NULL, NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    free(text);
    return model;
}

static void test_functions_that_double(void **state) {
    (void)state;
    meter m;
    ob_error error;
    ob_model *model = doubling(10, "n");
    assert_int_equal(measure(only_create, model, 0, true, &m, &error), OB_OK);
    ob_model_close(&model);
    static const int depths[] = {18, 21, 40, 62};
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        model = doubling(depths[i], "n");
        assert_int_equal(measure(only_create, model, 0, true, &m, &error), OB_E_LIMIT);
        char nodes[64];
        snprintf(nodes, sizeof nodes, "functions expand to %llu nodes, more than ", 1ull << depths[i]);
        assert_non_null(strstr(error.message, nodes));
        if (m.peak > 2 << 20) fail_msg("%d deep: %zu bytes", depths[i], m.peak);
        ob_model_close(&model);
    }
    char name[20001]; /* the path of each node contains the names of all calls */
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    model = doubling(14, name);
    assert_int_equal(measure(only_create, model, 0, true, &m, &error), OB_E_LIMIT);
    assert_non_null(strstr(error.message, "bytes of names and operands"));
    if (m.peak > 4 << 20) fail_msg("long names: %zu bytes", m.peak);
    ob_model_close(&model);
}

/* ---- Nodes ---- */

static void test_nodes(void **state) {
    (void)state;
    /* f calls g twice, g is two nodes: the model's two calls of f are eight nodes */
    static const char text[] = "<ir_version: 8, opset_import: [\"\": 14, \"l\": 1]>\n"
                               "m (float[N] x) => (float[N] y) { a = l.f (x) y = l.f (a) }\n"
                               "<domain: \"l\", opset_import: [\"\": 14, \"l\": 1]> f (x) => (y) { a = l.g (x) y = l.g (a) }\n"
                               "<domain: \"l\", opset_import: [\"\": 14]> g (x) => (y) { a = Neg (x) y = Abs (a) }\n";
    ob_model *model = NULL;
    ob_error error;
    ob_session *session = NULL;
    ob_session_config config;
    if (ob_model_load_memory(text, sizeof text - 1, NULL, NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    ob_session_config_init(&config);
    config.max_nodes = 8;
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
    ob_session_close(&session);
    config.max_nodes = 7;
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_E_LIMIT);
    assert_string_equal(error.message, "functions expand to 8 nodes, more than 7: max_nodes raises the limit");
    ob_model_close(&model);
    model = scale_model();
    config.max_nodes = 2;
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_OK);
    ob_session_close(&session);
    config.max_nodes = 1;
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_E_LIMIT);
    assert_string_equal(error.message, "the model has 2 nodes, the limit is 1: max_nodes raises it");
    ob_model_close(&model);
}

/* ---- Stopping ---- */

typedef struct stopper {
    size_t n_asked, stop_at; /* 0: never */
} stopper;

static bool cancelled(void *context) {
    stopper *s = context;
    return ++s->n_asked >= s->stop_at && s->stop_at > 0;
}

/* If the hook answers yes, at any of its calls, the call ends there, nothing leaks, and the session still works. */
static void test_every_question(void **state) {
    (void)state;
    static float x[3000], want[3000];
    ob_model *model = fold_model(3), *scale = scale_model();
    for (int i = 0; i < 3000; i++) x[i] = (float)i;
    for (int i = 0; i < 3000; i++) want[i] = x[i] + (float)(i % 3 - 1) > 0 ? x[i] + (float)(i % 3 - 1) : 0;
    for (int which = 0; which < 2; which++)
        for (size_t stop_at = 1;; stop_at++) {
            meter m = {0};
            ob_allocator allocator = {meter_alloc, meter_realloc, meter_free, &m};
            stopper s = {.stop_at = stop_at};
            ob_session *session = NULL;
            ob_session_config config;
            ob_error error;
            ob_view in = which ? view_of(x, OB_FLOAT, 2, 1000, 3) : view_of(x, OB_FLOAT, 2, 1, 1), out = {0};
            ob_session_config_init(&config);
            config.allocator = &allocator;
            config.cancelled = cancelled;
            config.context = &s;
            config.optimize = which == 0;
            ob_status status = ob_session_create(which ? scale : model, &config, &session, &error);
            if (status == OB_OK) status = ob_session_run(session, &in, 1, &out, 1, &error);
            bool asked = s.n_asked >= stop_at;
            assert_int_equal(status, asked ? OB_E_CANCELLED : OB_OK);
            if (asked) {
                assert_int_equal(error.code, OB_E_CANCELLED);
                assert_string_equal(error.message, "stopped: the callback `cancelled` asked for it");
                assert_null(out.data);
            }
            s.stop_at = 0;
            if (session && which) {
                out = (ob_view){0};
                run_ok(session, &in, 1, &out, 1);
                expect_floats(&out, want, 3000);
            }
            ob_session_close(&session);
            assert_int_equal(m.n_alive, 0);
            if (!asked) {
                assert_true(stop_at > 3);
                break;
            }
        }
    ob_model_close(&model);
    ob_model_close(&scale);
}

/* One step with much work can be stopped: it checks repeatedly, alone and with threads, in a session and in a worker. */
static void test_within_a_step(void **state) {
    (void)state;
    enum { N = 1 << 12 };
    static float x[N * 3], w[3 * N];
    ob_model *model = new_model(14);
    ob_value *in_value = new_input(model, "x", OB_FLOAT, "N 3");
    ob_value *big = new_node(model, "MatMul", "p", 2, in_value, new_weight(model, "w", OB_FLOAT, 2, (int64_t[]){3, N}, w));
    new_output(model, new_node(model, "ReduceSum", "y", 1, new_node(model, "Softmax", "s", 1, big)));
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        stopper s = {0};
        ob_session *session = NULL;
        ob_session_config config;
        ob_error error;
        ob_view in = view_of(x, OB_FLOAT, 2, N, 3), out = {0}, same = {0};
        ob_session_config_init(&config);
        config.cancelled = cancelled;
        config.context = &s;
        config.n_threads = n_threads;
        ob_status status = ob_session_create(model, &config, &session, &error);
        if (status == OB_E_UNSUPPORTED) continue; /* no threads in this build */
        assert_int_equal(status, OB_OK);
        run_ok(session, &in, 1, &out, 1);
        float result = *(float *)out.data;
        s = (stopper){0};
        run_ok(session, &in, 1, &out, 1);
        size_t n_asked = s.n_asked;
        assert_true(n_asked >= 3 + 5); /* three steps, and parts of them */
        bool within = false;           /* which check is inside a step depends on time */
        for (size_t stop_at = 2; stop_at <= 5; stop_at++) {
            s = (stopper){.stop_at = stop_at};
            assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_E_CANCELLED);
            assert_int_equal(s.n_asked, stop_at);
            within = within || strcmp(error.op_type, "") != 0;
        }
        assert_true(within);
        s = (stopper){0};
        run_ok(session, &in, 1, &out, 1);
        assert_true(*(float *)out.data == result);
        ob_worker *worker = NULL;
        assert_int_equal(ob_worker_create(session, NULL, &worker, &error), OB_OK);
        s = (stopper){.stop_at = 3};
        assert_int_equal(ob_worker_run(worker, &in, 1, &same, 1, &error), OB_E_CANCELLED);
        s = (stopper){0};
        assert_int_equal(ob_worker_run(worker, &in, 1, &same, 1, &error), OB_OK);
        assert_true(*(float *)same.data == result);
        ob_worker_close(&worker);
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

static void test_time(void **state) {
    (void)state;
    float x[3] = {0};
    ob_model *model = scale_model();
    ob_session *session = NULL;
    ob_session_config config;
    ob_error error;
    ob_view in = view_of(x, OB_FLOAT, 2, 1, 3), out = {0};
    ob_session_config_init(&config);
    config.max_run_ns = UINT64_C(600000000000);
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_OK);
    run_ok(session, &in, 1, &out, 1);
    ob_session_close(&session);
    config.max_run_ns = UINT64_MAX; /* beyond the clock */
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_OK);
    out = (ob_view){0};
    run_ok(session, &in, 1, &out, 1);
    ob_session_close(&session);
    config.max_run_ns = 1; /* expired before the first step */
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_OK);
    out = (ob_view){0};
    assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_E_LIMIT);
    assert_string_equal(error.message, "stopped after 1 ns: it takes longer than max_run_ns allows");
    assert_null(out.data);
    ob_session_close(&session);
    ob_model_close(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_of_runs),
        cmocka_unit_test(test_memory_of_plans),
        cmocka_unit_test(test_memory_of_data),
        cmocka_unit_test(test_memory_of_folds),
        cmocka_unit_test(test_memory_of_external_data),
        cmocka_unit_test(test_output_bytes),
        cmocka_unit_test(test_functions_that_double),
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_every_question),
        cmocka_unit_test(test_within_a_step),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
