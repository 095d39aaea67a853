/* The exact messages of the plugin's refusals; hostile attributes; an ONNX Runtime that is too old; several threads. */
#include <pthread.h>

#include "plugin_case.h"

/* ---- Running what does not fit ---- */

static const char *run_error(const char *graph, const ob_view *in, size_t n) {
    ort_session s = open_graph(graph);
    ob_view out;
    assert_false(ort_run(&s, in, n, &out, 1));
    ort_session_close(&s);
    return host.error;
}

/* ONNX Runtime puts a sentence before the plugin's message. */
static void assert_ends(const char *message, const char *end) {
    size_t n = strlen(message), n_end = strlen(end);
    if (n < n_end || strcmp(message + n - n_end, end) != 0) fail_msg("\"%s\"\ndoes not end in\n\"%s\"", message, end);
}

static void a_broken_condition_names_node_operand_axis_and_sizes(void **state) {
    (void)state;
    float data[16] = {0};
    ob_view in[3] = {view_of(data, OB_FLOAT, 2, (int64_t[]){2, 3}), view_of(data, OB_FLOAT, 2, (int64_t[]){2, 4}),
                     view_of(data, OB_FLOAT, 1, (int64_t[]){1})};
    assert_ends(
        run_error("g (float[N,A] a, float[N,B] b, float[C] c) => (float[?,?] z) {\n"
                  " [stretch] p, q, r = onnx_broadcast.Broadcast (a, b, c)\n z = Sum (p, q, r) }",
                  in, 3),
        "node 'stretch' (Broadcast): axis 1: 3 (operand 0) does not broadcast with 4 (operand 1); the model holds if B = A or "
        "B = 1 or A = 1; C = bcast(A, B) or C = 1 or bcast(A, B) = 1");
    assert_ends(
        run_error("g (float[2,A] a, float[2,4] b, float[C] c) => (float[?,?] z) {\n"
                  " [one] p, q, r = onnx_broadcast.Broadcast (a, b, c)\n z = Sum (p, q, r) }",
                  in, 3),
        "node 'one' (Broadcast): axis 1: 3 (operand 0) does not broadcast with 4 (operand 1); the model holds if A = 1 or A = "
        "4; C = 1 or C = 4");
    assert_ends(run_error("g (float[?,?] a, float[?,?] b, float[?] c) => (float[?,?] z) {\n"
                          " [two] p, q, r = onnx_broadcast.Broadcast (a, b, c)\n z = Sum (p, q, r) }",
                          in, 3),
                "node 'two' (Broadcast): axis 1: 3 (operand 0) does not broadcast with 4 (operand 1)");
}

static void a_size_of_zero_broadcasts_with_one_only(void **state) {
    (void)state;
    float data[4] = {0};
    ob_view in[2] = {view_of(data, OB_FLOAT, 1, (int64_t[]){0}), view_of(data, OB_FLOAT, 1, (int64_t[]){2})};
    assert_ends(
        run_error("g (float[N] a, float[M] b) => (float[?] z) { [zero] p, q = onnx_broadcast.Broadcast (a, b)\n"
                  " z = Add (p, q) }",
                  in, 2),
        "node 'zero' (Broadcast): axis 0: 0 (operand 0) does not broadcast with 2 (operand 1); the model holds if M = N or M = "
        "1 or N = 1");
}

/* ---- BroadcastInDim at run time ---- */

#define IN_DIM(mapping)                                                                                                          \
    "g (float[?,?] a, int64[?] shape) => (float z) { [node] z = onnx_broadcast.BroadcastInDim <broadcast_dimensions: ints = "    \
    "[" mapping "]> (a, shape) }"

static void assert_shape_refused(const char *graph, int32_t rank, int64_t *dims, const char *message) {
    float data[6] = {0};
    ob_view in[2] = {view_of(data, OB_FLOAT, 2, (int64_t[]){2, 3}), view_of(dims, OB_INT64, 1, (int64_t[]){rank})};
    assert_ends(run_error(graph, in, 2), message);
}

static void shapes_that_cannot_be(void **state) {
    (void)state;
    int64_t dims[40];
    for (int i = 0; i < 40; i++) dims[i] = 1;
#define SHAPE(...) memcpy(dims, (int64_t[]){__VA_ARGS__}, sizeof(int64_t[]){__VA_ARGS__})
    SHAPE(2, 4);
    assert_shape_refused(IN_DIM("0,1"), 2, dims,
                         "node 'node' (BroadcastInDim): axis 1: 3 (operand 0) does not broadcast to 4 (operand 1)");
    SHAPE(2, -3);
    assert_shape_refused(IN_DIM("0,1"), 2, dims, "node 'node' (BroadcastInDim): axis 1 of the result: size -3 is negative");
    SHAPE(2, 3, INT64_MAX);
    assert_shape_refused(IN_DIM("0,1"), 3, dims, "node 'node' (BroadcastInDim): operand 0: the result has too many elements");
    SHAPE(2, 3, 0, INT64_MAX);
    assert_shape_refused(IN_DIM("0,1"), 4, dims, "node 'node' (BroadcastInDim): operand 0: the result has too many elements");
    SHAPE(2);
    assert_shape_refused(IN_DIM("0,1"), 1, dims, "node 'node' (BroadcastInDim): broadcast_dimensions[1] is 1, outside of 0 .. 0");
    assert_shape_refused(IN_DIM("0,1"), 0, dims,
                         "node 'node' (BroadcastInDim): broadcast_dimensions[0] is 0, outside of 0 .. -1");
    for (int i = 0; i < 40; i++) dims[i] = 1;
    assert_shape_refused(IN_DIM("0,1"), 33, dims,
                         "node 'node' (BroadcastInDim): operand 1, the shape, has 33 entries, at most 32 are possible");
    SHAPE(1, 2, 3);
    assert_shape_refused(IN_DIM("2,1"), 3, dims,
                         "node 'node' (BroadcastInDim): broadcast_dimensions must increase: 1 follows 2 at 1");
    assert_shape_refused(IN_DIM("1,1"), 3, dims, "node 'node' (BroadcastInDim): broadcast_dimensions repeats 1 at 1");
    assert_shape_refused(IN_DIM("-2,-1"), 3, dims,
                         "node 'node' (BroadcastInDim): broadcast_dimensions[0] is -2, outside of 0 .. 2");
    assert_shape_refused(IN_DIM("1"), 3, dims,
                         "node 'node' (BroadcastInDim): broadcast_dimensions has 1 entries for an operand of rank 2");
    assert_shape_refused(IN_DIM("1,9223372036854775807"), 3, dims,
                         "node 'node' (BroadcastInDim): broadcast_dimensions[1] is 9223372036854775807, outside of 0 .. 2");
#ifndef __SANITIZE_ADDRESS__ /* which ends the process instead of refusing memory */
    SHAPE(2, 3, INT64_C(1) << 55);
    float data[6] = {0};
    ob_view in[2] = {view_of(data, OB_FLOAT, 2, (int64_t[]){2, 3}), view_of(dims, OB_INT64, 1, (int64_t[]){3})};
    assert_true(run_error(IN_DIM("0,1"), in, 2)[0] != '\0'); /* message of ONNX Runtime */
#endif
}

static void the_shape_operand_must_be_a_vector_of_int64(void **state) {
    (void)state;
    float data[6] = {0};
    ob_view in[2] = {view_of(data, OB_FLOAT, 1, (int64_t[]){2}), view_of(data, OB_FLOAT, 1, (int64_t[]){2})};
    assert_ends(
        run_error("g (float[2] a, float[2] s) => (float z) { [n] z = onnx_broadcast.BroadcastInDim <broadcast_dimensions: "
                  "ints = [0]> (a, s) }",
                  in, 2),
        "node 'n' (BroadcastInDim): operand 1, the shape, must be int64, not float");
    int64_t dims[2] = {2, 1};
    in[1] = view_of(dims, OB_INT64, 2, (int64_t[]){1, 2});
    assert_ends(run_error("g (float[2] a, int64[1,2] s) => (float[?,?] z) { [n] z = onnx_broadcast.BroadcastInDim "
                          "<broadcast_dimensions: ints = [0]> (a, s) }",
                          in, 2),
                "node 'n' (BroadcastInDim): operand 1, the shape, has rank 2 instead of 1");
}

/* ---- Refused while the model is loaded ---- */

static void impossible_models_are_refused_when_loaded(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"g (float[2,4] a, float[3] b) => (float z) { [s] p, q = onnx_broadcast.Broadcast (a, b)\n z = Add (p, q) }",
         "node 's' (Broadcast): axis 1: 4 (operand 0) does not broadcast with 3 (operand 1)"},
        {"g (float[2,4] a) => (float[3,4] z) { [s] z = onnx_broadcast.BroadcastInDim <broadcast_dimensions: ints = [0,1], shape: "
         "ints = [3,4]> (a) }",
         "node 's' (BroadcastInDim): axis 0: 2 (operand 0) does not broadcast to 3 (operand 1)"},
        {"g (float[2] a) => (float[3] z) { [s] z = onnx_broadcast.BroadcastInDim <broadcast_dimensions: ints = [-1], shape: ints "
         "= "
         "[2]> (a) }",
         "node 's' (BroadcastInDim): broadcast_dimensions[0] is -1, outside of 0 .. 0"},
        {"g (float[2] a) => (float[3] z) { [s] z = onnx_broadcast.BroadcastInDim <shape: ints = [2]> (a) }",
         "node 's' (BroadcastInDim): broadcast_dimensions has 0 entries for an operand of rank 1"},
        {"g (float[2] a) => (float[3] z) { [s] z = onnx_broadcast.BroadcastInDim <broadcast_dimensions: ints = [0], shape: ints "
         "= "
         "[-2]> (a) }",
         "node 's' (BroadcastInDim): axis 0 of the result: size -2 is negative"},
        {"g (float[2] a) => (float[2] z) { [s] z = onnx_broadcast.BroadcastInDim <broadcast_dimensions: ints = [0]> (a) }",
         "node 's' (BroadcastInDim): neither attribute shape nor operand 1 gives the result's shape"},
        {"g (float[2] a) => (float[2] z) { [s] z = onnx_broadcast.BroadcastInDim <broadcast_dimensions: ints = [0], shape: ints "
         "= "
         "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]> (a) }",
         "node 's' (BroadcastInDim): attribute shape has 33 entries, at most 32 are possible"},
        {"g (float[2] a, int64[1] b) => (float[2] z) { [s] z = onnx_broadcast.BroadcastInDim <broadcast_dimensions: ints = [0]> "
         "(a, b, "
         "b) }",
         "node 's' (BroadcastInDim): 3 inputs and 1 outputs; one or two inputs and one output belong to it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) assert_ends(refused_graph(cases[i][0]), cases[i][1]);
}

/* ---- The registration ---- */

typedef OrtStatus *(*register_function)(OrtSessionOptions *options, const OrtApiBase *base);

static register_function plugin(void) {
    void *library = dlopen(OB_ORT_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    void *symbol = dlsym(library, "RegisterCustomOps");
    assert_non_null(symbol);
    register_function function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

static uint32_t newest;
static const char *version_text;
static int n_asked_beyond;

static const OrtApi *ORT_API_CALL old_get_api(uint32_t version) {
    n_asked_beyond += version > newest;
    return version <= newest ? host.api : NULL;
}
static const char *ORT_API_CALL old_version(void) {
    return version_text;
}

static void an_onnx_runtime_that_is_too_old_is_told(void **state) {
    (void)state;
    static const struct {
        uint32_t newest;
        const char *text, *message;
    } cases[] = {{16, "1.16.3", "onnx_broadcast needs ONNX Runtime 1.19 or newer, this is 1.16.3"},
                 {18, "1.18.0", "onnx_broadcast needs ONNX Runtime 1.19 or newer, this is 1.18.0"},
                 {1, "rel-1", "onnx_broadcast needs ONNX Runtime 1.19 or newer, this is rel-1"}};
    for (size_t i = 0; i < 3; i++) {
        newest = cases[i].newest;
        version_text = cases[i].text;
        n_asked_beyond = 0;
        const OrtApiBase base = {old_get_api, old_version};
        OrtStatus *status = plugin()(NULL, &base);
        assert_non_null(status);
        assert_int_equal(host.api->GetErrorCode(status), ORT_NOT_IMPLEMENTED);
        assert_string_equal(host.api->GetErrorMessage(status), cases[i].message);
        host.api->ReleaseStatus(status);
        if (i < 2) assert_int_equal(n_asked_beyond, 0); /* it would write to stderr */
    }
}

static void an_onnx_runtime_between_gives_what_it_has(void **state) {
    (void)state;
    newest = 19;
    version_text = "1.19.2";
    n_asked_beyond = 0;
    const OrtApiBase base = {old_get_api, old_version};
    OrtSessionOptions *options = NULL;
    assert_true(ort_ok(&host, host.api->CreateSessionOptions(&options)));
    for (int i = 0; i < 3; i++) { /* again and again with other options, and the same is refused by ONNX Runtime only */
        if (!ort_ok(&host, plugin()(options, &base))) fail_msg("%s", host.error);
        host.api->ReleaseSessionOptions(options);
        assert_true(ort_ok(&host, host.api->CreateSessionOptions(&options)));
    }
    host.api->ReleaseSessionOptions(options);
    assert_int_equal(n_asked_beyond, 0);
}

/* ---- Threads ---- */

typedef struct worker {
    ort_session session;
    ort_host host;
    int64_t n;
    bool failed;
} worker;

static void *work(void *context) {
    worker *w = context;
    w->session.host = &w->host; /* a place of its own for messages */
    float *a = malloc((size_t)w->n * sizeof *a), b[3] = {1, 2, 3};
    for (int64_t i = 0; i < w->n; i++) a[i] = (float)(i % 1000);
    ob_view in[2], out;
    w->failed = ob_view_init(&in[0], a, OB_FLOAT, 2, (int64_t[]){w->n, 1}) != OB_OK ||
                ob_view_init(&in[1], b, OB_FLOAT, 1, (int64_t[]){3}) != OB_OK;
    for (int run = 0; run < 20 && !w->failed; run++) {
        w->failed = !ort_run(&w->session, in, 2, &out, 1);
        for (int64_t i = 0; i < 3 * w->n && !w->failed; i++)
            w->failed = ((float *)out.data)[i] != (float)(i / 3 % 1000) + (float)(1 + i % 3);
        if (out.data) ort_views_free(&out, 1);
    }
    free(a);
    return NULL;
}

static void one_session_in_several_threads(void **state) {
    (void)state;
    enum { N = 6 };
    ort_session s;
    assert_true(ort_session_open_text(&host,
                                      HEADER
                                      "g (float[N,1] a, float[3] b) => (float[N,3] z) { p, q = onnx_broadcast.Broadcast (a, b)\n"
                                      " z = Add (p, q) }",
                                      &(ort_options){.plugin = OB_ORT_PLUGIN, .n_threads = POOL_THREADS}, &s));
    static worker workers[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        workers[i] = (worker){.session = s, .host = host, .n = (int64_t[]){1, 70000, 100, 3, 50000, 1000}[i]};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++)
        if (workers[i].failed) fail_msg("thread %d: %s", i, workers[i].host.error);
    ort_session_close(&s);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_condition_names_node_operand_axis_and_sizes),
        cmocka_unit_test(a_size_of_zero_broadcasts_with_one_only),
        cmocka_unit_test(shapes_that_cannot_be),
        cmocka_unit_test(the_shape_operand_must_be_a_vector_of_int64),
        cmocka_unit_test(impossible_models_are_refused_when_loaded),
        cmocka_unit_test(an_onnx_runtime_that_is_too_old_is_told),
        cmocka_unit_test(an_onnx_runtime_between_gives_what_it_has),
        cmocka_unit_test(one_session_in_several_threads),
    };
    return cmocka_run_group_tests(tests, open_host, close_host);
}
