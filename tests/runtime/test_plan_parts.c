/* Nodes after results whose sizes only the run determines are planned when the sizes are known, and the plan is kept. */
#include <stdlib.h>

#include "model_text.h"
#include "session_case.h"

#define HEAD "<ir_version: 8, opset_import: [\"\" : 16]>\n"

typedef struct fixture {
    counter count;
    ob_allocator allocator;
    ob_model *model;
    ob_session *session;
} fixture;

static void open_fixture(fixture *f, const char *text) {
    ob_session_config config;
    ob_error error;
    *f = (fixture){.model = read_text(text)};
    f->allocator = counting(&f->count);
    ob_session_config_init(&config);
    config.allocator = &f->allocator;
    if (ob_session_create(f->model, &config, &f->session, &error) != OB_OK) fail_msg("%s", error.message);
}

static void close_fixture(fixture *f) {
    ob_session_close(&f->session);
    assert_int_equal(f->count.n_alive, 0);
    ob_model_close(&f->model);
}

/* The nonzero elements of x, their squares and negatives; and the sum of all squares. */
#define PICKED                                                                                                                   \
    HEAD "g (float[8] x) => (float[N, 1] y, float[1] s) {\n"                                                                     \
         " i = NonZero (x)\n t = Transpose (i)\n p = GatherND (x, t)\n q = Mul (p, p)\n n = Neg (q)\n"                           \
         " axes = Constant <value = int64[1] {1}> ()\n y = Unsqueeze (n, axes)\n s = ReduceSum <keepdims = 1> (q) }"

static void expect_element(const ob_view *view, int i, int want) {
    assert_int_equal((int)((const float *)view->data)[i], want);
}

static void run_picked(fixture *f, int n) {
    float x[8] = {0}, sum = 0;
    for (int i = 0; i < n; i++) x[7 - i] = (float)(i + 1), sum += (float)((i + 1) * (i + 1));
    ob_view in[] = {view_of(x, OB_FLOAT, 1, 8)}, out[2] = {{0}};
    run_ok(f->session, in, 1, out, 2);
    assert_int_equal(out[0].rank, 2);
    assert_int_equal(out[0].dims[0], n);
    assert_int_equal(out[0].dims[1], 1);
    for (int i = 0; i < n; i++) expect_element(&out[0], i, -(n - i) * (n - i));
    expect_floats(&out[1], &sum, 1);
}

static void test_remembered(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, PICKED);
    run_picked(&f, 3);
    run_picked(&f, 5);
    uint64_t n_planned = f.session->n_planned;
    size_t n_calls = f.count.n_calls;
    run_picked(&f, 3);
    size_t n_each = f.count.n_calls - n_calls, n_bytes = f.count.n_bytes;
    for (int round = 0; round < 10; round++) run_picked(&f, round % 2 ? 3 : 5);
    assert_int_equal(f.session->n_planned, n_planned);
    assert_in_range(f.count.n_calls, n_calls + n_each, n_calls + 12 * n_each); /* the same for each run, */
    assert_int_equal(f.count.n_bytes, n_bytes);                                /* and nothing remains */
    ob_session_memory memory;
    ob_session_get_memory(f.session, &memory);
    assert_int_equal(memory.n_plans, 1);
    close_fixture(&f);
}

/* Sizes that change in every run are not planned; sizes that occur twice in a row are. */
static void test_interpreted(void **state) {
    (void)state;
    static const char text[] =
        HEAD "g (float[40] x) => (float[N] y) {\n i = NonZero (x)\n t = Transpose (i)\n p = GatherND (x, t)\n y = Neg (p) }";
    fixture f;
    open_fixture(&f, text);
    uint64_t before = f.session->n_planned;
    for (int n = 1; n <= 40; n++) {
        float x[40] = {0};
        for (int i = 0; i < n; i++) x[i] = (float)(i + 1);
        ob_view in[] = {view_of(x, OB_FLOAT, 1, 40)}, out[1] = {{0}};
        run_ok(f.session, in, 1, out, 1);
        assert_int_equal(ob_view_count(&out[0]), n);
        for (int i = 0; i < n; i++) expect_element(&out[0], i, -(i + 1));
        if (n < 40) continue;
        uint64_t n_planned = f.session->n_planned;
        assert_in_range(n_planned - before, 8, 10); /* of 40 */
        memset(out, 0, sizeof out);
        run_ok(f.session, in, 1, out, 1);
        assert_int_equal(f.session->n_planned, n_planned + 1);
        memset(out, 0, sizeof out);
        run_ok(f.session, in, 1, out, 1);
        assert_int_equal(f.session->n_planned, n_planned + 1);
    }
    close_fixture(&f);
}

/* Nested parts: each depends on a size of the one before. */
static void test_nested(void **state) {
    (void)state;
    static const char text[] = HEAD "g (float[6] x) => (float[N] y, float[M] z) {\n"
                                    " i = NonZero (x)\n f = Squeeze (i)\n p = Gather (x, f)\n r = Relu (p)\n"
                                    " j = NonZero (r)\n g = Squeeze (j)\n q = Gather (r, g)\n y = Add (q, q)\n z = Neg (p) }";
    fixture f;
    open_fixture(&f, text);
    float x[] = {0, -1, 2, 0, 3, -4};
    for (int round = 0; round < 3; round++) {
        ob_view in[] = {view_of(x, OB_FLOAT, 1, 6)}, out[2] = {{0}};
        run_ok(f.session, in, 1, out, 2);
        expect_floats(&out[0], (float[]){4, 6}, 2);
        expect_floats(&out[1], (float[]){1, -2, -3, 4}, 4);
        if (round == 0) assert_int_equal(f.session->n_planned, 1 + 2 + 1); /* the session's first plan was made without data */
    }
    assert_int_equal(f.session->n_planned, 4);
    close_fixture(&f);
}

/* A body whose state keeps its size, with results inside whose sizes only the run determines: planned once for all
 * iterations. */
static void test_body(void **state) {
    (void)state;
    static const char text[] = HEAD
        "g (int64 n, float[4] x) => (float[4] y) {\n"
        " y = Loop (n, , x) <body = b (int64 i, bool k, float[4] p) => (k, q) {\n"
        "   nz = NonZero (p)\n f = Squeeze (nz)\n v = Gather (p, f)\n s = ReduceSum <keepdims = 1> (v)\n q = Add (p, s) }> }";
    fixture f;
    open_fixture(&f, text);
    int64_t n = 2;
    float x[] = {0, 1, 0, 1};
    ob_view in[] = {view_of(&n, OB_INT64, 0), view_of(x, OB_FLOAT, 1, 4)}, out[1] = {{0}};
    run_ok(f.session, in, 2, out, 1);
    expect_floats(&out[0], (float[]){12, 13, 12, 13}, 4); /* 2 3 2 3, whose sum is 10 */
    uint64_t n_planned = f.session->n_planned;
    n = 6;
    memset(out, 0, sizeof out);
    run_ok(f.session, in, 2, out, 1);
    assert_int_equal(f.session->n_planned, n_planned);
    for (int round = 0; round < 6; round++) {
        float sum = x[0] + x[1] + x[2] + x[3];
        for (int i = 0; i < 4; i++) x[i] += sum;
    }
    expect_floats(&out[0], x, 4);
    close_fixture(&f);
}

/* State that grows with every iteration: the results are correct, and not every size is planned. */
static void test_growing(void **state) {
    (void)state;
    static const char text[] = HEAD
        "g (int64 n, float[1] x) => (float[N] y) {\n"
        " y = Loop (n, , x) <body = b (int64 i, bool k, float[M] p) => (k, q) { h = Neg (p) q = Concat <axis = 0> (h, x) }> }";
    fixture f;
    open_fixture(&f, text);
    int64_t n = 50;
    float x[] = {1};
    ob_view in[] = {view_of(&n, OB_INT64, 0), view_of(x, OB_FLOAT, 1, 1)}, out[1] = {{0}};
    run_ok(f.session, in, 2, out, 1);
    assert_int_equal(ob_view_count(&out[0]), 51);
    for (int i = 0; i < 51; i++) expect_element(&out[0], i, i % 2 ? -1 : 1);
    assert_in_range(f.session->n_planned, 1, 12);
    close_fixture(&f);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_remembered), cmocka_unit_test(test_interpreted),
                                              cmocka_unit_test(test_nested), cmocka_unit_test(test_body),
                                              cmocka_unit_test(test_growing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
