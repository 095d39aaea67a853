/* The plugin in the real ONNX Runtime: results of every type, rank and form against an oracle. */
#include "plugin_case.h"

/* The types that ONNX Runtime passes to custom operators; it refuses complex types itself. */
static const ob_dtype types[] = {OB_FLOAT,          OB_UINT8,      OB_INT8,           OB_UINT16,   OB_INT16,
                                 OB_INT32,          OB_INT64,      OB_STRING,         OB_BOOL,     OB_FLOAT16,
                                 OB_DOUBLE,         OB_UINT32,     OB_UINT64,         OB_BFLOAT16, OB_FLOAT8E4M3FN,
                                 OB_FLOAT8E4M3FNUZ, OB_FLOAT8E5M2, OB_FLOAT8E5M2FNUZ, OB_UINT4,    OB_INT4};
enum { N_TYPES = sizeof types / sizeof types[0], MAX_OPERANDS = 5 };

typedef struct broadcast_case {
    size_t n;
    ob_view in[MAX_OPERANDS];
    int32_t rank;
    int64_t dims[OB_MAX_RANK];
} broadcast_case;

static void make_case(random_source *r, broadcast_case *c) {
    static const int64_t sizes[] = {1, 2, 3, 5, 1, 2, 3, 0};
    c->rank = (int32_t)draw(r, 9);
    for (int32_t a = 0; a < c->rank; a++) c->dims[a] = c->rank > 5 ? 1 + draw(r, 3) : sizes[draw(r, 8)];
    for (size_t i = 0; i < c->n; i++) {
        int32_t rank = i == 0 ? c->rank : (int32_t)draw(r, (uint32_t)c->rank + 1);
        int64_t dims[OB_MAX_RANK];
        for (int32_t a = 0; a < rank; a++) dims[a] = draw(r, 3) == 0 ? 1 : c->dims[c->rank - rank + a];
        c->in[i] = random_view(r, types[draw(r, N_TYPES)], rank, dims);
    }
    /* What no operand kept is 1. */
    for (int32_t a = 0; a < c->rank; a++) {
        int64_t size = 1;
        for (size_t i = 0; i < c->n; i++) {
            int32_t own = a - (c->rank - c->in[i].rank);
            if (own >= 0 && c->in[i].dims[own] != 1) size = c->in[i].dims[own];
        }
        c->dims[a] = size;
    }
}

/* Declares the sizes as numbers, as names or not at all. */
static void write_case(const broadcast_case *c, int how, char *text, size_t n_bytes) {
    size_t at = (size_t)snprintf(text, n_bytes, "g (");
    for (size_t i = 0; i < c->n; i++) {
        at += (size_t)snprintf(text + at, n_bytes - at, "%s%s[", i ? ", " : "", ob_dtype_name(c->in[i].dtype));
        for (int32_t a = 0; a < c->in[i].rank; a++) {
            if (a) at += (size_t)snprintf(text + at, n_bytes - at, ",");
            if (how == 0)
                at += (size_t)snprintf(text + at, n_bytes - at, "%d", (int)c->in[i].dims[a]);
            else if (how == 1)
                at += (size_t)snprintf(text + at, n_bytes - at, "s%zu_%d", i, a);
            else
                at += (size_t)snprintf(text + at, n_bytes - at, "?");
        }
        at += (size_t)snprintf(text + at, n_bytes - at, "] x%zu", i);
    }
    at += (size_t)snprintf(text + at, n_bytes - at, ") => (");
    for (size_t i = 0; i < c->n; i++) {
        at += (size_t)snprintf(text + at, n_bytes - at, "%s%s[", i ? ", " : "", ob_dtype_name(c->in[i].dtype));
        for (int32_t a = 0; a < c->rank; a++) at += (size_t)snprintf(text + at, n_bytes - at, "%s?", a ? "," : "");
        at += (size_t)snprintf(text + at, n_bytes - at, "] z%zu", i);
    }
    at += (size_t)snprintf(text + at, n_bytes - at, ") { ");
    for (size_t i = 0; i < c->n; i++) at += (size_t)snprintf(text + at, n_bytes - at, "%sz%zu", i ? ", " : "", i);
    at += (size_t)snprintf(text + at, n_bytes - at, " = onnx_broadcast.Broadcast (");
    for (size_t i = 0; i < c->n; i++) at += (size_t)snprintf(text + at, n_bytes - at, "%sx%zu", i ? ", " : "", i);
    snprintf(text + at, n_bytes - at, ") }");
}

static void run_case(const broadcast_case *c, int how) {
    char text[4096];
    ob_view out[MAX_OPERANDS];
    write_case(c, how, text, sizeof text);
    ort_session s = open_graph(text);
    if (!ort_run(&s, c->in, c->n, out, c->n)) fail_msg("%s\n%s", host.error, text);
    for (size_t i = 0; i < c->n; i++) {
        int64_t axes[OB_MAX_RANK];
        for (int32_t a = 0; a < c->in[i].rank; a++) axes[a] = c->rank - c->in[i].rank + a;
        assert_dims(&out[i], c->rank, c->dims);
        assert_stretched(&c->in[i], axes, &out[i]);
    }
    ort_views_free(out, c->n);
    ort_session_close(&s);
}

static void broadcasts_agree_with_the_oracle(void **state) {
    (void)state;
    random_source r = {20};
    for (int i = 0; i < 300; i++) {
        broadcast_case c = {.n = 1 + draw(&r, MAX_OPERANDS)};
        make_case(&r, &c);
        run_case(&c, i % 3);
        for (size_t k = 0; k < c.n; k++) free(c.in[k].data);
    }
}

static void every_type_is_stretched(void **state) {
    (void)state;
    random_source r = {3};
    for (size_t i = 0; i < N_TYPES; i++) {
        broadcast_case c = {.n = 2, .rank = 3, .dims = {2, 3, 5}};
        c.in[0] = random_view(&r, types[i], 2, (int64_t[]){3, 1});
        c.in[1] = random_view(&r, types[N_TYPES - 1 - i], 3, (int64_t[]){2, 1, 5});
        run_case(&c, (int)i % 3);
        free(c.in[0].data);
        free(c.in[1].data);
    }
}

static void complex_types_are_refused_by_onnx_runtime(void **state) {
    (void)state;
    assert_non_null(
        strstr(refused_graph("g (complex64[2] a) => (complex64[2] z) { z = onnx_broadcast.Broadcast (a) }"), "complex64"));
}

static void a_hundred_operands(void **state) {
    (void)state;
    char text[4096] = "g (float[N,1] a, float[3] b) => (float[?,3] y) { ";
    for (int i = 0; i < 100; i++) sprintf(text + strlen(text), "%sz%d", i ? ", " : "", i);
    strcat(text, " = onnx_broadcast.Broadcast (");
    for (int i = 0; i < 100; i++) sprintf(text + strlen(text), "%s%s", i ? ", " : "", i % 2 ? "a" : "b");
    strcat(text, ")\n y = Sum (");
    for (int i = 0; i < 100; i++) sprintf(text + strlen(text), "%sz%d", i ? ", " : "", i);
    strcat(text, ") }");
    ort_session s = open_graph(text);
    float a[2] = {1, 2}, b[3] = {10, 20, 30};
    ob_view in[2] = {view_of(a, OB_FLOAT, 2, (int64_t[]){2, 1}), view_of(b, OB_FLOAT, 1, (int64_t[]){3})}, out;
    if (!ort_run(&s, in, 2, &out, 1)) fail_msg("%s", host.error);
    for (int i = 0; i < 6; i++) assert_true(((float *)out.data)[i] == 50 * a[i / 3] + 50 * b[i % 3]);
    ort_views_free(&out, 1);
    ort_session_close(&s);
}

/* Larger than what is shared among threads, and than what is written past the caches; every way to stretch. */
static void large_results(void **state) {
    (void)state;
    static const struct {
        int32_t rank;
        int64_t from[4], to[4];
    } shapes[] = {{2, {1, 70001}, {9, 70001}},
                  {2, {70001, 1}, {70001, 9}},
                  {3, {300, 1, 33}, {300, 70, 33}},
                  {3, {1, 3001, 1}, {11, 3001, 13}},
                  {2, {1, 3}, {200001, 3}},
                  {2, {200001, 1}, {200001, 3}},
                  {4, {1, 40, 1, 64}, {9, 40, 25, 64}},
                  {1, {1}, {700001}},
                  {3, {7, 1, 9001}, {7, 19, 9001}},
                  {2, {1, 1700000}, {4, 1700000}},
                  {3, {3, 1, 700000}, {3, 5, 700000}},
                  {2, {500000, 1}, {500000, 19}}};
    static const ob_dtype of[] = {OB_FLOAT, OB_UINT8, OB_INT64, OB_FLOAT16};
    random_source r = {8};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int threads = 1; threads <= POOL_THREADS; threads += 2) {
            ob_dtype dtype = of[(i + (size_t)threads) % 4];
            char text[512];
            snprintf(
                text, sizeof text,
                HEADER "g (%s[%s] a, int64[%d] shape) => (%s[%s] z) { z = onnx_broadcast.BroadcastInDim "
                       "<broadcast_dimensions: ints = [%s]> (a, shape) }",
                ob_dtype_name(dtype), &"?,?,?,?"[8 - 2 * shapes[i].rank], shapes[i].rank, ob_dtype_name(dtype),
                &"?,?,?,?" [8 - 2 * shapes[i].rank], (const char *[]) { "", "0", "0,1", "0,1,2", "0,1,2,3" }[shapes[i].rank]);
            ort_session s;
            if (!ort_session_open_text(&host, text, &(ort_options){.plugin = OB_ORT_PLUGIN, .n_threads = threads}, &s))
                fail_msg("%s\n%s", host.error, text);
            int64_t dims[4];
            memcpy(dims, shapes[i].to, sizeof dims);
            ob_view in[2] = {random_view(&r, dtype, shapes[i].rank, shapes[i].from),
                             view_of(dims, OB_INT64, 1, (int64_t[]){shapes[i].rank})},
                    out;
            if (!ort_run(&s, in, 2, &out, 1)) fail_msg("%s", host.error);
            assert_dims(&out, shapes[i].rank, shapes[i].to);
            assert_stretched(&in[0], (int64_t[]){0, 1, 2, 3}, &out);
            ort_views_free(&out, 1);
            free(in[0].data);
            ort_session_close(&s);
        }
}

/* ---- BroadcastInDim ---- */

static void both_forms_of_broadcast_in_dim(void **state) {
    (void)state;
    random_source r = {77};
    for (int i = 0; i < 120; i++) {
        int32_t rank = (int32_t)draw(&r, 7), n = 0;
        int64_t dims[OB_MAX_RANK], from[OB_MAX_RANK], axes[OB_MAX_RANK];
        char mapping[64] = "", shape[64] = "", unknown[64] = "", text[1024];
        for (int32_t a = 0; a < rank; a++) {
            dims[a] = (int64_t[]){1, 2, 3, 4, 0}[draw(&r, 5)];
            sprintf(shape + strlen(shape), "%s%d", a ? "," : "", (int)dims[a]);
            if (draw(&r, 3) == 0) continue;
            sprintf(mapping + strlen(mapping), "%s%d", n ? "," : "", a);
            sprintf(unknown + strlen(unknown), "%s?", n ? "," : "");
            from[n] = draw(&r, 3) == 0 ? 1 : dims[a];
            axes[n++] = a;
        }
        ob_dtype dtype = types[draw(&r, N_TYPES)];
        bool as_operand = i % 2 == 1;
        snprintf(text, sizeof text,
                 "g (%s[%s] a%s) => (%s z) { z = onnx_broadcast.BroadcastInDim <broadcast_dimensions: ints = [%s]%s%s%s> (a%s) }",
                 ob_dtype_name(dtype), unknown, "", ob_dtype_name(dtype), mapping, as_operand ? "" : ", shape: ints = [",
                 as_operand ? "" : shape, as_operand ? "" : "]", as_operand ? ", shape" : "");
        if (as_operand) {
            char declared[64], *at = strstr(text, ") => (");
            int n_declared = snprintf(declared, sizeof declared, ", int64[%d] shape", rank);
            memmove(at + n_declared, at, strlen(at) + 1);
            memcpy(at, declared, (size_t)n_declared);
        }
        ort_session s = open_graph(text);
        ob_view in[2] = {random_view(&r, dtype, n, from), view_of(dims, OB_INT64, 1, (int64_t[]){rank})}, out;
        if (!ort_run(&s, in, as_operand ? 2 : 1, &out, 1)) fail_msg("%s\n%s", host.error, text);
        assert_dims(&out, rank, dims);
        assert_stretched(&in[0], axes, &out);
        ort_views_free(&out, 1);
        free(in[0].data);
        ort_session_close(&s);
    }
}

/* ---- Inside models ---- */

/* Inner values without value_info get types and shapes from the callback: float and bool, names, a size of 0. */
static void types_and_shapes_go_through_a_model(void **state) {
    (void)state;
    ort_session s = open_graph("g (float[N,1] a, float[M] b, bool[N,M] mask) => (float[N,M] z)\n"
                               "<float[N,M] z0, bool[N,M] m0, float[N,M] o> {\n" /* with a scalar nothing is inferred */
                               " p, q, m = onnx_broadcast.Broadcast (a, b, mask)\n"
                               " sum = Add (p, q)\n one = Constant <value = float {1}> ()\n"
                               " z0, m0, o = onnx_broadcast.Broadcast (sum, m, one)\n"
                               " z = Where (m0, z0, o) }");
    float a[2] = {1, 2}, b[3] = {10, 20, 30};
    bool mask[6] = {true, false, true, true, true, false};
    for (int64_t n = 0; n < 3; n++) {
        ob_view in[3] = {view_of(a, OB_FLOAT, 2, (int64_t[]){n, 1}), view_of(b, OB_FLOAT, 1, (int64_t[]){3}),
                         view_of(mask, OB_BOOL, 2, (int64_t[]){n, 3})},
                out;
        if (!ort_run(&s, in, 3, &out, 1)) fail_msg("%s", host.error);
        assert_dims(&out, 2, (int64_t[]){n, 3});
        for (int64_t i = 0; i < n * 3; i++) assert_true(((float *)out.data)[i] == (mask[i] ? a[i / 3] + b[i % 3] : 1));
        ort_views_free(&out, 1);
    }
    ort_session_close(&s);
}

/* While it loads a model ONNX Runtime shows an unknown rank as it shows a scalar: no shape may be concluded from it. */
static void an_operand_of_unknown_rank(void **state) {
    (void)state;
    ort_session s = open_graph("g (float[N] a, int64[R] shape, float[M] b) => (float[] z) <float[] p, float[] q> {\n"
                               " r = Reshape (a, shape)\n"
                               " p, q = onnx_broadcast.Broadcast (r, b)\n"
                               " sum = Add (p, q)\n z = Transpose <perm = [2, 0, 1]> (sum) }");
    float a[2] = {1, 2}, b[3] = {10, 20, 30};
    int64_t shape[3] = {2, 1, 1};
    ob_view in[3] = {view_of(a, OB_FLOAT, 1, (int64_t[]){2}), view_of(shape, OB_INT64, 1, (int64_t[]){3}),
                     view_of(b, OB_FLOAT, 1, (int64_t[]){3})},
            out;
    if (!ort_run(&s, in, 3, &out, 1)) fail_msg("%s", host.error);
    assert_dims(&out, 3, (int64_t[]){3, 2, 1});
    for (int i = 0; i < 6; i++) assert_true(((float *)out.data)[i] == a[i % 2] + b[i / 2]);
    ort_views_free(&out, 1);
    ort_session_close(&s);
}

/* An operand that nobody else reads and that has the result's shape may lend its memory; one that others read must stay. */
static void results_in_the_memory_of_an_operand(void **state) {
    (void)state;
    ort_session s = open_graph("g (float[N,3] a, float[3] b) => (float[N,3] z, float[N,3] y, float[N,3] w) {\n"
                               " r = Relu (a)\n t = Neg (a)\n"
                               " p, q = onnx_broadcast.Broadcast (r, b)\n"
                               " u, v = onnx_broadcast.Broadcast (t, b)\n"
                               " z = Add (p, q)\n y = Mul (u, v)\n w = Neg (t) }");
    float a[6] = {1, -2, 3, -4, 5, -6}, b[3] = {10, 20, 30};
    ob_view in[2] = {view_of(a, OB_FLOAT, 2, (int64_t[]){2, 3}), view_of(b, OB_FLOAT, 1, (int64_t[]){3})}, out[3];
    for (int run = 0; run < 3; run++) {
        if (!ort_run(&s, in, 2, out, 3)) fail_msg("%s", host.error);
        for (int i = 0; i < 6; i++) {
            assert_true(((float *)out[0].data)[i] == (a[i] > 0 ? a[i] : 0) + b[i % 3]);
            assert_true(((float *)out[1].data)[i] == -a[i] * b[i % 3]);
            assert_true(((float *)out[2].data)[i] == a[i]);
        }
        ort_views_free(out, 3);
    }
    ort_session_close(&s);
}

/* A result that no node reads, and fewer results than operands. */
static void fewer_results_than_operands(void **state) {
    (void)state;
    if (host.api_version < 21 || strcmp(host.version, "1.30") < 0) skip(); /* older ones end the process over it */
    ort_session s = open_graph("g (float[2,1] a, float[3] b) => (float[2,3] z) { z = onnx_broadcast.Broadcast (a, b) }");
    float a[2] = {1, 2}, b[3] = {0};
    ob_view in[2] = {view_of(a, OB_FLOAT, 2, (int64_t[]){2, 1}), view_of(b, OB_FLOAT, 1, (int64_t[]){3})}, out;
    if (!ort_run(&s, in, 2, &out, 1)) fail_msg("%s", host.error);
    assert_stretched(&in[0], (int64_t[]){0, 1}, &out);
    ort_views_free(&out, 1);
    ort_session_close(&s);
    s = open_graph("g (float[2,1] a, float[3] b) => (float[2,3] z) { _, z = onnx_broadcast.Broadcast (a, b) }");
    ort_session_close(&s);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broadcasts_agree_with_the_oracle),
        cmocka_unit_test(every_type_is_stretched),
        cmocka_unit_test(complex_types_are_refused_by_onnx_runtime),
        cmocka_unit_test(a_hundred_operands),
        cmocka_unit_test(large_results),
        cmocka_unit_test(both_forms_of_broadcast_in_dim),
        cmocka_unit_test(types_and_shapes_go_through_a_model),
        cmocka_unit_test(an_operand_of_unknown_rank),
        cmocka_unit_test(results_in_the_memory_of_an_operand),
        cmocka_unit_test(fewer_results_than_operands),
    };
    return cmocka_run_group_tests(tests, open_host, close_host);
}
