/* The form `fused` in the real ONNX Runtime: with the plugin results have the bits of this project's sessions, without it those
 * of the functions' bodies. */
#include <pthread.h>

#include "plugin_case.h"

enum { MOST_INPUTS = 4, MOST_SIZES = 8 };

/* ---- Models and their results ---- */

typedef struct fused_model {
    ob_model *model, *fused;
    byte_buffer bytes;
} fused_model;

static fused_model make_fused(const char *text, size_t n_calls) {
    fused_model f = {0};
    ob_error error;
    ob_rewrite_stats stats;
    if (ob_model_load_memory(text, strlen(text), "text", NULL, &f.model, &error) != OB_OK ||
        ob_model_clone(f.model, &f.fused, &error) != OB_OK || ob_rewrite(f.fused, OB_FORM_FUSED, NULL, &stats, &error) != OB_OK ||
        ob_model_write(f.fused, OB_FORMAT_PROTOBUF, append_bytes, &f.bytes, &error) != OB_OK)
        fail_msg("%s\n%s", error.message, text);
    if (stats.n_inserted != n_calls) fail_msg("%zu calls\n%s", stats.n_inserted, text);
    return f;
}

static void free_fused(fused_model *f) {
    ob_model_close(&f->fused);
    ob_model_close(&f->model);
    free(f->bytes.data);
}

static ort_session open_fused(const fused_model *f, const char *plugin, bool optimize, int n_threads) {
    ort_session s;
    const ort_options options = {.plugin = plugin, .optimize = optimize, .n_threads = n_threads};
    if (!ort_session_open(&host, f->bytes.data, f->bytes.n, &options, &s)) fail_msg("%s", host.error);
    return s;
}

/* Numbers between -4 and 4; `size` for every open size, 1 for those of symbol "one". */
static ob_view make_input(const ob_session *session, size_t i, int64_t size, random_source *r) {
    ob_session_value value;
    int64_t dims[OB_MAX_RANK];
    char name[64];
    assert_true(ob_session_input(session, i, &value));
    for (int32_t a = 0; a < value.shape.rank; a++) {
        dims[a] = value.shape.dims[a];
        if (ob_dim_is_const(dims[a])) continue;
        ob_dim_format(ob_session_dims(session), dims[a], name, sizeof name);
        dims[a] = strcmp(name, "one") == 0 ? 1 : size;
    }
    ob_view view = view_of(r, value.dtype, value.shape.rank, dims);
    const int64_t n = ob_view_count(&view);
    view.data = calloc((size_t)n + 1, 8);
    assert_non_null(view.data);
    for (int64_t k = 0; k < n; k++) {
        const float number = (float)draw(r, 8192) / 1024 - 4;
        switch (value.dtype) {
        case OB_FLOAT: ((float *)view.data)[k] = number; break;
        case OB_DOUBLE: ((double *)view.data)[k] = (double)number; break;
        case OB_INT64: ((int64_t *)view.data)[k] = (int64_t)draw(r, 100) - 50; break;
        case OB_INT32: ((int32_t *)view.data)[k] = (int32_t)draw(r, 100) - 50; break;
        case OB_BOOL: ((uint8_t *)view.data)[k] = (uint8_t)draw(r, 2); break;
        case OB_FLOAT16: ((uint16_t *)view.data)[k] = (uint16_t)(0x3800 + draw(r, 1024)); break;
        default: ((uint8_t *)view.data)[k] = (uint8_t)draw(r, 256);
        }
    }
    return view;
}

typedef struct results {
    ob_view in[MOST_INPUTS];
    size_t n_in;
    ob_session *session;
    ob_view want; /* of the session */
} results;

static ob_session *open_ours(const ob_model *model) {
    ob_session *session = NULL;
    ob_error error;
    if (ob_session_create(model, NULL, &session, &error) != OB_OK) fail_msg("%s", error.message);
    return session;
}

static results compute(ob_session *session, int64_t size) {
    results r = {.session = session, .n_in = ob_session_input_count(session)};
    random_source source = {(uint32_t)size + 1};
    ob_error error;
    assert_true(r.n_in <= MOST_INPUTS);
    for (size_t i = 0; i < r.n_in; i++) r.in[i] = make_input(session, i, size, &source);
    if (ob_session_run(session, r.in, r.n_in, &r.want, 1, &error) != OB_OK) fail_msg("%s", error.message);
    return r;
}

static void free_results(results *r) {
    for (size_t i = 0; i < r->n_in; i++) free(r->in[i].data);
}

static bool same_bits(const ob_view *a, const ob_view *b) {
    if (a->dtype != b->dtype || a->rank != b->rank) return false;
    for (int32_t k = 0; k < a->rank; k++)
        if (a->dims[k] != b->dims[k]) return false;
    const size_t n = (size_t)ob_view_count(a) * ob_dtype_size(a->dtype);
    return n == 0 || memcmp(a->data, b->data, n) == 0;
}

static void assert_same(ort_session *s, const results *r, const char *text, int64_t size) {
    ob_view out;
    if (!ort_run(s, r->in, r->n_in, &out, 1)) fail_msg("size %lld: %s\n%s", (long long)size, host.error, text);
    if (!same_bits(&out, &r->want)) fail_msg("size %lld: other bits\n%s", (long long)size, text);
    ort_views_free(&out, 1);
}

/* ---- Results ---- */

#define MODEL "<ir_version: 8, opset_import: [\"\" : 17]>\n"
#define SCALE MODEL "g (float[N,M] x, float[M] w, float[M] b) => (float[N,M] y) { "

static const char *const texts[] = {
    SCALE "s = Mul (x, w) t = Add (s, b) u = Relu (t) y = Sub (u, w) }",
    MODEL "g (float[N,1] x, float[1,M] z) => (float[N,M] y) { a = Add (x, z) b = Tanh (a) c = Sub (b, z) y = Mul (b, c) }",
    MODEL "g (float[N,8,M] x, float[one,8,1] w) => (float[N,8,M] y) <float low = {-1}, float high = {2.5}> {"
          " a = Mul (x, w) b = Clip (a, low, high) y = Exp (b) }",
    MODEL "g (float[N,4,Q,64] x, bool[N,1,1,64] m) => (float[N,4,Q,64] y) <float low = {-1e9}> {"
          " t = Where (m, low, x) y = Softmax (t) }",
    MODEL "g (float[N,4,Q,64] x, float[N,1,Q,64] m) => (float[N,4,Q,64] y) <float c = {0.125}> {"
          " s = Mul (x, c) t = Add (s, m) y = Softmax (t) }",
    MODEL "g (float[N,96] x, float[96] w, float[96] b) => (float[N,96] y) <float eps = {1e-5}> {"
          " m = ReduceMean <axes = [-1]> (x) s = Mul (x, x) q = ReduceMean <axes = [-1]> (s) k = Mul (m, m) v = Sub (q, k)"
          " a = Add (v, eps) r = Sqrt (a) d = Sub (x, m) n = Div (d, r) t = Mul (n, w) y = Add (t, b) }",
    MODEL "g (double[N,M] x, double[M] w) => (double[N,M] y) { a = Mul (x, w) b = Abs (a) y = Sqrt (b) }",
    MODEL "g (int64[Q,1] i, int64[1,K] j, float[Q,K] x) => (float[Q,K] y) <float low = {-1e9}, int64 one = {1}> {"
          " k = Add (j, one) m = LessOrEqual (k, i) y = Where (m, x, low) }",
    MODEL "g (uint8[N,3,M] x, float[3,1] m, float[3,1] s) => (float[N,3,M] y) <float c = {255}> {"
          " f = Cast <to = 1> (x) a = Div (f, c) b = Sub (a, m) y = Mul (b, s) }",
    MODEL "g (int32[N,M] x, int32[M] z) => (int32[N,M] y) { a = Add (x, z) b = Mul (a, z) y = Neg (b) }",
    MODEL "g (float16[N,M] x, float16[M] z) => (float16[N,M] y) { a = Add (x, z) b = Mul (a, z) y = Neg (b) }"};
enum { N_TEXTS = sizeof texts / sizeof texts[0] };

static const int64_t open_sizes[] = {3, 1, 0, 64, 3, 300};

static void results_have_the_bits_of_a_session(void **state) {
    (void)state;
    for (int i = 0; i < N_TEXTS; i++) {
        fused_model f = make_fused(texts[i], 1);
        ob_session *ours = open_ours(f.model);
        ort_session one = open_fused(&f, OB_ORT_PLUGIN, true, 1), more = open_fused(&f, OB_ORT_PLUGIN, false, POOL_THREADS);
        for (size_t k = 0; k < sizeof open_sizes / sizeof open_sizes[0]; k++) {
            results r = compute(ours, open_sizes[k]);
            assert_same(&one, &r, texts[i], open_sizes[k]);
            assert_same(&more, &r, texts[i], open_sizes[k]);
            free_results(&r);
        }
        ort_session_close(&one);
        ort_session_close(&more);
        ob_session_close(&ours);
        free_fused(&f);
    }
}

/* The same file is computed by the nodes of its functions: in ONNX Runtime with the bits of the model itself, and in a
 * session. */
static void bodies_run_without_the_plugin(void **state) {
    (void)state;
    for (int i = 0; i < N_TEXTS; i++) {
        fused_model f = make_fused(texts[i], 1);
        ob_session *ours = open_ours(f.model), *of_fused = open_ours(f.fused);
        ort_session s = open_fused(&f, NULL, false, 1), original;
        if (!ort_session_open_model(&host, f.model, &(ort_options){.optimize = false}, &original)) fail_msg("%s", host.error);
        for (int64_t size = 0; size < 10; size += 3) {
            results r = compute(ours, size);
            ob_view out = {0}, want;
            ob_error error;
            if (ob_session_run(of_fused, r.in, r.n_in, &out, 1, &error) != OB_OK) fail_msg("%s", error.message);
            assert_true(same_bits(&out, &r.want));
            if (!ort_run(&original, r.in, r.n_in, &want, 1)) fail_msg("%s", host.error);
            r.want = want;
            assert_same(&s, &r, texts[i], size);
            ort_views_free(&want, 1);
            free_results(&r);
        }
        ort_session_close(&s);
        ort_session_close(&original);
        ob_session_close(&of_fused);
        ob_session_close(&ours);
        free_fused(&f);
    }
}

/* More shapes than a kernel remembers, in turn. */
static void many_shapes(void **state) {
    (void)state;
    enum { SHAPES = 40 };
    fused_model f = make_fused(texts[0], 1);
    ob_session *ours = open_ours(f.model);
    ort_session s = open_fused(&f, OB_ORT_PLUGIN, true, 1);
    for (int round = 0; round < 2; round++)
        for (int64_t size = 1; size <= SHAPES; size++) {
            results r = compute(ours, size);
            assert_same(&s, &r, texts[0], size);
            free_results(&r);
        }
    ort_session_close(&s);
    ob_session_close(&ours);
    free_fused(&f);
}

/* Functions with numbers for which there is no kernel run by their bodies, beside the others. */
static void more_functions_than_names(void **state) {
    (void)state;
    enum { GROUPS = 20 };
    char text[4096] = MODEL "g (float[N,4] x0, float[4] w) => (float[N,4] y) { ";
    for (int i = 0; i < GROUPS; i++)
        sprintf(text + strlen(text),
                "a%d = Mul (x%d, w) b%d = LeakyRelu <alpha = 0.%02d> (a%d) c%d = Add (b%d, w)\n"
                " d%d = Transpose <perm = [0, 1]> (c%d) x%d = Identity (d%d)\n",
                i, i, i, 50 + i, i, i, i, i, i, i + 1, i);
    sprintf(text + strlen(text), "y = Identity (x%d) }", GROUPS);
    fused_model f = make_fused(text, GROUPS);
    ob_session *ours = open_ours(f.model);
    ort_session s = open_fused(&f, OB_ORT_PLUGIN, true, 1);
    results r = compute(ours, 5);
    assert_same(&s, &r, text, 5);
    free_results(&r);
    ort_session_close(&s);
    ob_session_close(&ours);
    free_fused(&f);
}

/* ---- Hand-written calls ---- */

#define CALL(operands, outputs, program)                                                                                         \
    "g (float[N] a, float[N] b) => (float[N] y) { " outputs " = onnx_broadcast.Fused_1 <program = \"" program "\"> (" operands   \
    ") }"
#define OPSET "<ir_version: 8, opset_import: [\\\"\\\" : 17]>\n"

/* The kernel computes what the program says, whatever the function of that name says; operands that the program does not name are
 * not read. */
static void the_program_decides(void **state) {
    (void)state;
    ort_session s = open_graph(
        CALL("a, a, b", "y",
             OPSET "p (float[K] x2, float[K] x0) => (y) { t = Sub (x2, x0) y = Neg (t) }") "\n<domain: \"onnx_broadcast\", "
                                                                                           "opset_import: [\"\" : 21]>\n"
                                                                                           "Fused_1 <program> (p, q, r) => (y) { "
                                                                                           "t = Add (p, q) y = Add (t, r) }");
    float a[3] = {1, 2, 3}, b[3] = {10, 20, 40};
    ob_view in[2] = {view_of(a, OB_FLOAT, 1, (int64_t[]){3}), view_of(b, OB_FLOAT, 1, (int64_t[]){3})}, out;
    if (!ort_run(&s, in, 2, &out, 1)) fail_msg("%s", host.error);
    for (int i = 0; i < 3; i++) assert_true(((float *)out.data)[i] == a[i] - b[i]);
    ort_views_free(&out, 1);
    ort_session_close(&s);
}

static void programs_that_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *graph, *message;
    } cases[] = {
        {"g (float[N] a) => (float[N] y) { y = onnx_broadcast.Fused_1 (a) }", "(Fused_1): it has no attribute 'program'"},
        {"g (float[N] a) => (float[N] y) { y = onnx_broadcast.Fused_2 <program = 3> (a) }", "it has no attribute 'program'"},
        {CALL("a, b", "y", "nonsense"), "(Fused_1): its program: line 1"},
        {CALL("a, b", "y", OPSET "p (float[K] x0) => (y) { y = Nothing (x0) }"), "Nothing"},
        {CALL("a, b", "y", OPSET "p (float[K] x2) => (y) { y = Neg (x2) }"), "input 'x2' of its program is none of the 2"},
        {CALL("a, b", "y", OPSET "p (float[K] x) => (y) { y = Neg (x) }"), "input 'x' of its program"},
        {CALL("a, b", "y", OPSET "p (float[K] x0x) => (y) { y = Neg (x0x) }"), "input 'x0x' of its program"},
        {CALL("a, b", "y", OPSET "p (string[K] x0) => (y) { y = Identity (x0) }"), "has the element type string"},
        {CALL("a, b", "y", OPSET "p (float[K] x0) => (y, z) { y = Neg (x0) z = Abs (x0) }"), "its program has 2 outputs"},
        {CALL("a, b", "y", OPSET "p () => (y) { y = Constant <value = float[1] {1}> () }"), "its program has 0 inputs"},
        {CALL("a, b", "y", OPSET "p (float[K] x0) => (y) <float[2] w = [location: \\\"/x\\\"]> { y = Add (x0, w) }"),
         "external data is not allowed"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *message = refused_graph(cases[i].graph);
        if (!strstr(message, cases[i].message)) fail_msg("%zu: '%s' is not in: %s", i, cases[i].message, message);
    }
}

/* Shapes, types and conditions that do not fit are errors of the run. */
static void operands_that_do_not_fit(void **state) {
    (void)state;
    static const struct {
        const char *program, *message;
    } cases[] = {{"p (float[K] x0, float[3] x1) => (y) { y = Add (x0, x1) }", "input x1"},
                 {"p (float[K] x0, float[J] x1) => (y) { t = Add (x0, x1) y = Neg (t) }", ""},
                 {"p (int32[K] x0, int32[K] x1) => (y) { y = Add (x0, x1) }", "float"},
                 {"p (float[K] x0, float[J] x1) => (y) { t = Cast <to = 7> (x1) y = Expand (x0, t) }", "planned while it runs"},
                 {"p (float[K,K] x0, float[J] x1) => (y) { y = Add (x0, x1) }", "takes [K, K]"}};
    float a[4] = {1, 2, 3, 4}, b[2] = {1, 2};
    ob_view in[2] = {view_of(a, OB_FLOAT, 1, (int64_t[]){4}), view_of(b, OB_FLOAT, 1, (int64_t[]){2})}, out;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "g (float[N] a, float[M] b) => (float[L] y) { y = onnx_broadcast.Fused_3 <program = \"" OPSET "%s\"> (a, b) }",
                 cases[i].program);
        ort_session s = open_graph(text);
        for (int run = 0; run < 2; run++) {
            assert_false(ort_run(&s, in, 2, &out, 1));
            if (!strstr(host.error, cases[i].message) || !strstr(host.error, "(Fused_3): "))
                fail_msg("%zu: '%s' is not in: %s", i, cases[i].message, host.error);
        }
        ort_session_close(&s);
    }
}

/* ---- Threads ---- */

typedef struct worker {
    ort_session session;
    ort_host host;
    const results *r;
    bool failed;
} worker;

static void *work(void *context) {
    worker *w = context;
    w->session.host = &w->host; /* a place of its own for messages */
    for (int run = 0; run < 20 && !w->failed; run++) {
        ob_view out;
        w->failed = !ort_run(&w->session, w->r->in, w->r->n_in, &out, 1) || !same_bits(&out, &w->r->want);
        if (out.data) ort_views_free(&out, 1);
    }
    return NULL;
}

/* Threads that use one session with the same and with other shapes, and a second session of the same model. */
static void sessions_in_several_threads(void **state) {
    (void)state;
    enum { N = 8 };
    static const int64_t size[N] = {3, 300, 3, 40, 300, 1, 300, 3};
    fused_model f = make_fused(texts[4], 1);
    ort_session s[2] = {open_fused(&f, OB_ORT_PLUGIN, true, POOL_THREADS), open_fused(&f, OB_ORT_PLUGIN, true, 1)};
    static worker workers[N];
    ob_session *ours[N];
    results r[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        ours[i] = open_ours(f.model);
        r[i] = compute(ours[i], size[i] > 40 ? 24 : size[i]);
        workers[i] = (worker){.session = s[i / 5], .host = host, .r = &r[i]};
    }
    for (int i = 0; i < N; i++) assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++) {
        if (workers[i].failed) fail_msg("thread %d: %s", i, workers[i].host.error);
        free_results(&r[i]);
        ob_session_close(&ours[i]);
    }
    ort_session_close(&s[0]);
    ort_session_close(&s[1]);
    free_fused(&f);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_the_bits_of_a_session),
        cmocka_unit_test(bodies_run_without_the_plugin),
        cmocka_unit_test(many_shapes),
        cmocka_unit_test(more_functions_than_names),
        cmocka_unit_test(the_program_decides),
        cmocka_unit_test(programs_that_are_refused),
        cmocka_unit_test(operands_that_do_not_fit),
        cmocka_unit_test(sessions_in_several_threads),
    };
    return cmocka_run_group_tests(tests, open_host, close_host);
}
