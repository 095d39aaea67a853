/* If, Loop and Scan whose state is more than a tensor, or changes its size from one iteration to the next; SequenceMap. Their
 * results, memory and copies. */
#include <stdlib.h>

#include "core/graph/cell.h"
#include "failing.h"
#include "model_text.h"
#include "onnx_broadcast/onnx_broadcast.h"

enum { MOST = 4, LARGE = 20000 };

/* Allocated bytes, their maximum, and the number of requests for large blocks. */
typedef struct meter {
    size_t n_bytes, peak, n_large, n_alive;
} meter;

static void took(meter *m, size_t n_bytes) {
    m->n_bytes += n_bytes;
    m->n_large += n_bytes > LARGE;
    if (m->n_bytes > m->peak) m->peak = m->n_bytes;
}

static void *meter_alloc(void *context, size_t n_bytes) {
    meter *m = context;
    took(m, n_bytes);
    m->n_alive++;
    return malloc(n_bytes);
}

static void *meter_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    meter *m = context;
    m->n_bytes -= old_bytes;
    took(m, new_bytes);
    m->n_alive += !block;
    return realloc(block, new_bytes);
}

static void meter_free(void *context, void *block, size_t n_bytes) {
    meter *m = context;
    if (!block) return;
    m->n_bytes -= n_bytes;
    m->n_alive--;
    free(block);
}

typedef struct fixture {
    ob_model *model;
    ob_session *session;
    ob_view in[MOST], out[MOST];
    ob_cell *cells[MOST];
    const ob_cell *given[MOST];
    ob_error error;
} fixture;

#define MODEL(graph) "<ir_version: 8, opset_import: [\"\" : 18]>\n" graph

static void open_text(fixture *f, const char *text, const ob_allocator *allocator) {
    ob_session_config config;
    memset(f, 0, sizeof *f);
    f->model = read_text(text);
    ob_session_config_init(&config);
    config.allocator = allocator;
    if (ob_session_create(f->model, &config, &f->session, &f->error) != OB_OK) fail_msg("%s", f->error.message);
}

static void close_all(fixture *f) {
    for (int i = 0; i < MOST; i++) ob_cell_close(&f->cells[i]);
    ob_session_close(&f->session);
    ob_model_close(&f->model);
}

static ob_status try_run(fixture *f) {
    memset(f->out, 0, sizeof f->out);
    return ob_session_run_cells(f->session, f->in, (const ob_cell *const *)f->cells, ob_session_input_count(f->session), f->out,
                                f->given, ob_session_output_count(f->session), &f->error);
}

static void run(fixture *f) {
    if (try_run(f) != OB_OK) fail_msg("%s: %s", f->error.node, f->error.message);
}

static void set_view(fixture *f, int i, ob_dtype dtype, const void *data, int32_t rank, const int64_t *dims) {
    assert_int_equal(ob_view_init(&f->in[i], (void *)(uintptr_t)data, dtype, rank, dims), OB_OK);
}

static void expect_ints(const ob_view *view, int32_t rank, const int64_t *dims, const int64_t *want) {
    assert_int_equal(view->dtype, OB_INT64);
    assert_int_equal(view->rank, rank);
    for (int32_t k = 0; k < rank; k++) assert_int_equal(view->dims[k], dims[k]);
    for (int64_t i = 0; i < ob_view_count(view); i++) assert_int_equal(((const int64_t *)view->data)[i], want[i]);
}

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

/* ---- Sequences as state ---- */

static const char insert_loop[] = MODEL(
    "g (int64 n, float[4] x) => (s, k) {\n e = SequenceEmpty()\n"
    " s = Loop<body = body (int64 i, bool c, seq(float[4]) a) => (d, b) { d = Identity(c)  b = SequenceInsert(a, x) }>(n, , e)\n"
    " k = SequenceLength(s)\n}");

/* The state has one holder: each step appends to it in place. */
static void test_insert_is_linear(void **state) {
    (void)state;
    fixture f;
    meter m = {0};
    const ob_allocator allocator = {meter_alloc, meter_realloc, meter_free, &m};
    const float x[4] = {1, 2, 3, 4};
    int64_t n = 10;
    open_text(&f, insert_loop, &allocator);
    set_view(&f, 0, OB_INT64, &n, 0, NULL);
    set_view(&f, 1, OB_FLOAT, x, 1, DIMS(4));
    run(&f);
    size_t before = m.n_bytes;
    n = 10000;
    m.peak = m.n_large = 0;
    run(&f);
    assert_int_equal(ob_cell_count(f.given[0]), n);
    expect_ints(&f.out[1], 0, NULL, &n);
    assert_in_range(m.n_large, 1, 20);                                  /* the array doubles; copies would be some 8000 */
    assert_in_range(m.peak, before, before + (size_t)n * 400 + 100000); /* an item of 16 bytes, its cell, its place */
    n = 0;
    run(&f);
    assert_int_equal(ob_cell_count(f.given[0]), 0);
    assert_int_equal(ob_cell_get_dtype(f.given[0]), OB_FLOAT);
    close_all(&f);
    assert_int_equal(m.n_alive, 0);
    assert_int_equal(m.n_bytes, 0);
}

/* A sequence that the loop captures, one that is carried unchanged, and one that shrinks. */
static void test_sequences_in_bodies(void **state) {
    (void)state;
    fixture f;
    const float x[6] = {1, 2, 3, 4, 5, 6};
    open_text(&f,
              MODEL("g (float[6] x) => (left, kept, sum, y) <int64 n = {3}, float[1] zero = {0}> {\n all = SplitToSequence(x)\n"
                    " left, kept, sum, y = Loop<body = body (int64 i, bool c, seq(float[1]) a, seq(float[1]) k, float[1] s)"
                    "   => (d, b, k, t, item) {\n  d = Identity(c)\n  b = SequenceErase(a)\n  item = SequenceAt(all, i)\n"
                    "  last = SequenceAt(k, i)\n  both = Add(item, last)\n  t = Add(s, both) }>(n, , all, all, zero)\n}"),
              NULL);
    set_view(&f, 0, OB_FLOAT, x, 1, DIMS(6));
    for (int round = 0; round < 2; round++) {
        run(&f);
        assert_int_equal(ob_cell_count(f.given[0]), 3);
        assert_int_equal(ob_cell_count(f.given[1]), 6);
        assert_true(((const float *)f.out[2].data)[0] == 12);
        assert_int_equal(f.out[3].rank, 2);
        assert_memory_equal(f.out[3].data, x, 3 * sizeof *x);
    }
    close_all(&f);
}

static void test_if_gives_cells(void **state) {
    (void)state;
    fixture f;
    const float x[2] = {1, 2};
    bool which = true;
    open_text(&f,
              MODEL("g (bool c, float[2] x) => (s, o) {\n"
                    " s, o = If<then_branch = a () => (p, q) { p = SequenceConstruct(x, x)  q = Optional(x) },"
                    " else_branch = b () => (p, q) { p = SequenceConstruct(x)  q = Optional<type = float[2]>() }>(c)\n}"),
              NULL);
    set_view(&f, 0, OB_BOOL, &which, 0, NULL);
    set_view(&f, 1, OB_FLOAT, x, 1, DIMS(2));
    run(&f);
    assert_int_equal(ob_cell_count(f.given[0]), 2);
    assert_int_equal(ob_cell_get_kind(f.given[1]), OB_CELL_TENSOR);
    which = false;
    run(&f);
    assert_int_equal(ob_cell_count(f.given[0]), 1);
    assert_int_equal(ob_cell_get_kind(f.given[1]), OB_CELL_NONE);
    close_all(&f);
}

static void test_sequence_map(void **state) {
    (void)state;
    fixture f;
    const float x[6] = {1, 2, 3, 4, 5, 6}, t[1] = {10};
    ob_view view;
    open_text(&f,
              MODEL("g (float[6] x, float[1] t) => (r, k, n) <int64[2] parts = {2, 4}> {\n a = SplitToSequence(x, parts)\n"
                    " r, k = SequenceMap<body = body (float[M] e, float[1] u) => (v, w) { v = Add(e, u)  w = Shape(e) }>(a, t)\n"
                    " n = SequenceMap<body = outer (float[M] e, float[M] z) => (y) { p = Sub(e, z)  y = Mul(p, t) }>(r, a)\n}"),
              NULL);
    set_view(&f, 0, OB_FLOAT, x, 1, DIMS(6));
    set_view(&f, 1, OB_FLOAT, t, 1, DIMS(1));
    run(&f);
    assert_int_equal(ob_cell_count(f.given[0]), 2);
    assert_true(ob_cell_view(ob_cell_at(f.given[0], 1), &view));
    assert_memory_equal(view.data, ((const float[]){13, 14, 15, 16}), 16);
    assert_true(ob_cell_view(ob_cell_at(f.given[1], 1), &view));
    expect_ints(&view, 1, DIMS(1), DIMS(4));
    assert_true(ob_cell_view(ob_cell_at(f.given[2], 0), &view));
    assert_memory_equal(view.data, ((const float[]){100, 100}), 8);
    close_all(&f);
}

/* ---- Sizes that change ---- */

/* x = 0; x = concat(x, i), until the condition is false. */
static const char growing[] =
    MODEL("g (int64 n, int64 stop) => (x, last) <int64[0] none = {}, int64[1] one = {1}> {\n"
          " x, last = Loop<body = body (int64 i, bool c, int64[L] a) => (d, b, v) {\n"
          "  j = Reshape(i, one)\n  b = Concat<axis = 0>(a, j)\n  v = Mul(j, j)\n  d = Less(i, stop) }>(n, , none)\n}");

static void test_growing_state(void **state) {
    (void)state;
    fixture f;
    int64_t n = 5, stop = 100;
    open_text(&f, growing, NULL);
    set_view(&f, 0, OB_INT64, &n, 0, NULL);
    set_view(&f, 1, OB_INT64, &stop, 0, NULL);
    for (int round = 0; round < 2; round++) {
        n = 5, stop = 100;
        run(&f);
        expect_ints(&f.out[0], 1, DIMS(5), DIMS(0, 1, 2, 3, 4));
        expect_ints(&f.out[1], 2, DIMS(5, 1), DIMS(0, 1, 4, 9, 16));
        stop = 1;
        run(&f);
        expect_ints(&f.out[0], 1, DIMS(2), DIMS(0, 1));
        expect_ints(&f.out[1], 2, DIMS(2, 1), DIMS(0, 1));
        n = 0;
        run(&f);
        expect_ints(&f.out[0], 1, DIMS(0), NULL);
        expect_ints(&f.out[1], 2, DIMS(0, 1), NULL);
    }
    close_all(&f);
}

/* Items of different shapes cannot be stacked. */
static void test_stack_of_many_shapes(void **state) {
    (void)state;
    fixture f;
    int64_t n = 3;
    open_text(
        &f,
        MODEL("g (int64 n) => (x, all) <int64[0] none = {}, int64[1] one = {1}> {\n"
              " x, all = Loop<body = body (int64 i, bool c, int64[L] a) => (d, b, w) {\n d = Identity(c)\n j = Reshape(i, one)\n"
              "  b = Concat<axis = 0>(a, j)\n  w = Identity(b) }>(n, , none)\n}"),
        NULL);
    set_view(&f, 0, OB_INT64, &n, 0, NULL);
    assert_int_equal(try_run(&f), OB_E_SHAPE);
    assert_string_equal(f.error.message, "iteration 1 gives another shape than the first");
    assert_string_equal(f.error.op_type, "Loop");
    n = 1;
    run(&f);
    expect_ints(&f.out[1], 2, DIMS(1, 1), DIMS(0));
    close_all(&f);
}

/* An error in a body names its node; the next run succeeds. */
static void test_error_in_body(void **state) {
    (void)state;
    fixture f;
    int64_t n = 3;
    const float x[2] = {1, 2};
    open_text(&f,
              MODEL("g (int64 n, float[2] x) => (s, y) {\n all = SplitToSequence(x)\n e = SequenceEmpty()\n"
                    " s, y = Loop<body = body (int64 i, bool c, seq(float[1]) a) => (d, b, v) {\n d = Identity(c)\n"
                    "  [look] v = SequenceAt(all, i)\n  b = SequenceInsert(a, v) }>(n, , e)\n}"),
              NULL);
    set_view(&f, 0, OB_INT64, &n, 0, NULL);
    set_view(&f, 1, OB_FLOAT, x, 1, DIMS(2));
    assert_int_equal(try_run(&f), OB_E_ARGUMENT);
    assert_string_equal(f.error.message, "position 2 is outside a sequence of 2");
    assert_string_equal(f.error.op_type, "SequenceAt");
    assert_non_null(strstr(f.error.node, "look"));
    n = 2;
    run(&f);
    assert_int_equal(ob_cell_count(f.given[0]), 2);
    assert_memory_equal(f.out[1].data, x, sizeof x);
    close_all(&f);
}

/* Positions of nonzero elements, whose number depends on the data; they are then scanned from either end. */
static void test_scan_of_open_length(void **state) {
    (void)state;
    fixture f;
    const int64_t x[6] = {0, 7, 0, 8, 9, 0};
    open_text(&f,
              MODEL("g (int64[6] x) => (s, y, z) <int64[1] zero = {0}> {\n p = NonZero(x)\n"
                    " s, y, z = Scan<num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1], "
                    "scan_output_axes = [0, -1], scan_output_directions = [0, 1], body = body (int64[1] a, int64[1] e) => (t, e, "
                    "t) { t = Add(a, e) "
                    "}>(zero, p)\n}"),
              NULL);
    set_view(&f, 0, OB_INT64, x, 1, DIMS(6));
    run(&f);
    expect_ints(&f.out[0], 1, DIMS(1), DIMS(8));
    expect_ints(&f.out[1], 2, DIMS(3, 1), DIMS(4, 3, 1));
    expect_ints(&f.out[2], 2, DIMS(1, 3), DIMS(8, 7, 4));
    const int64_t none[6] = {0};
    set_view(&f, 0, OB_INT64, none, 1, DIMS(6));
    run(&f);
    expect_ints(&f.out[0], 1, DIMS(1), DIMS(0));
    expect_ints(&f.out[1], 2, DIMS(0, 1), NULL);
    close_all(&f);
}

/* The first version of Scan: two sequences, of which the second is shorter. */
static void test_scan_8_of_open_length(void **state) {
    (void)state;
    fixture f;
    const float x[6] = {1, 2, 3, 4, 5, 6}, shape[3] = {2, 3, 1}, zero[2] = {0, 10};
    const int64_t lengths[2] = {3, 2};
    open_text(&f,
              "<ir_version: 3, opset_import: [\"\" : 8]>\n"
              "g (float[6] x, float[3] shape, float[2,1] zero, int64[2] lengths) => (s, y) {\n"
              " sizes = Cast<to = 7>(shape)\n p = Reshape(x, sizes)\n"
              " s, y = Scan<num_scan_inputs = 1, body = body (float[1] a, float[1] e) => (t, u) { t = Add(a, e)  u = Add(a, e) }>"
              "(lengths, zero, p)\n}",
              NULL);
    set_view(&f, 0, OB_FLOAT, x, 1, DIMS(6));
    set_view(&f, 1, OB_FLOAT, shape, 1, DIMS(3));
    set_view(&f, 2, OB_FLOAT, zero, 2, DIMS(2, 1));
    set_view(&f, 3, OB_INT64, lengths, 1, DIMS(2));
    run(&f);
    assert_memory_equal(f.out[0].data, ((const float[]){6, 19}), 8);
    assert_int_equal(f.out[1].rank, 3);
    assert_memory_equal(f.out[1].data, ((const float[]){1, 3, 6, 14, 19, 0}), 24);
    close_all(&f);
}

/* ---- Memory ---- */

static size_t peak_of(const char *text, int64_t n) {
    fixture f;
    meter m = {0};
    const ob_allocator allocator = {meter_alloc, meter_realloc, meter_free, &m};
    open_text(&f, text, &allocator);
    set_view(&f, 0, OB_INT64, &n, 0, NULL);
    run(&f);
    m.peak = 0;
    run(&f);
    close_all(&f);
    assert_int_equal(m.n_alive, 0);
    return m.peak;
}

/* 5000 steps use as much memory as 50, for every kind of state. */
static void test_flat(void **state) {
    (void)state;
    static const char *const texts[] = {
        /* positions that depend on data */
        MODEL(
            "g (int64 n) => (x) <int64[4] start = {1, 0, 2, 3}> {\n"
            " x = Loop<body = body (int64 i, bool c, int64[L] a) => (d, b) { d = Identity(c)  p = NonZero(a)  q = Squeeze(p) b = "
            "Add(q, i) }>(n, , start)\n}"),
        /* strings that each step makes */
        MODEL("g (int64 n) => (s) <int64[1] zero = {0}> {\n start = Cast<to = 8>(zero)\n"
              " s = Loop<body = body (int64 i, bool c, string[1] a) => (d, b) { d = Identity(c)  j = Add(zero, i)  b = Cast<to = "
              "8>(j) }>"
              "(n, , start)\n}"),
        /* a sequence that stays as long as it is */
        MODEL("g (int64 n) => (s) <float[2] x = {1, 2}> {\n e = SequenceConstruct(x, x)\n"
              " s = Loop<body = body (int64 i, bool c, seq(float[2]) a) => (d, b) { d = Identity(c)  r = SequenceErase(a)  b = "
              "SequenceInsert(r, x) }>(n, , e)\n}"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t few = peak_of(texts[i], 50), many = peak_of(texts[i], 5000);
        if (many > few + 256) fail_msg("model %zu: %zu bytes for 50 steps, %zu for 5000", i, few, many);
    }
}

static ob_status run_it(void *subject, digest *made, ob_error *error) {
    fixture *f = subject;
    ob_status status = try_run(f);
    *error = f->error;
    if (status == OB_OK) digest_number(made, (int64_t)ob_cell_count(f->given[0]));
    if (status == OB_OK) digest_view(made, &f->out[1]);
    return status;
}

static void test_want_of_memory(void **state) {
    (void)state;
    fixture f;
    failing allocations = {0};
    const ob_allocator allocator = failing_allocator(&allocations);
    const float x[2] = {1, 2};
    open_text(&f,
              MODEL("g (float[2] x) => (s, y) <int64 n = {2}> {\n all = SplitToSequence(x)\n e = SequenceEmpty()\n"
                    " s, y = Loop<body = body (int64 i, bool c, seq(float[1]) a) => (d, b, v) {\n d = Identity(c)\n"
                    "  v = SequenceAt(all, i)\n  b = If<then_branch = p () => (q) { q = SequenceInsert(a, v) }, "
                    "else_branch = r () => (q) { q = Identity(a) }>(c) }>(n, , e)\n}"),
              &allocator);
    set_view(&f, 0, OB_FLOAT, x, 1, DIMS(2));
    run(&f);
    size_t n_alive = allocations.n_alive;
    assert_in_range(fail_each(&allocations, run_it, &f, "a run", 300), 40, 400);
    assert_int_equal(allocations.n_alive, n_alive);
    close_all(&f);
    assert_int_equal(allocations.n_alive, 0);
    assert_int_equal(allocations.n_bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_insert_is_linear),      cmocka_unit_test(test_sequences_in_bodies),
        cmocka_unit_test(test_if_gives_cells),        cmocka_unit_test(test_sequence_map),
        cmocka_unit_test(test_growing_state),         cmocka_unit_test(test_stack_of_many_shapes),
        cmocka_unit_test(test_error_in_body),         cmocka_unit_test(test_scan_of_open_length),
        cmocka_unit_test(test_scan_8_of_open_length), cmocka_unit_test(test_flat),
        cmocka_unit_test(test_want_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
