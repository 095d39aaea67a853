/* Plans for new sizes from the facts for all sizes: for random sizes, also such that the contract excludes, they are the plans
 * made by inference, with the same results and the same errors. Further models may be given as files. */
#include <stdlib.h>

#include "model_text.h"
#include "runtime/plan/plan.h"
#include "session_case.h"

#define HEAD "<ir_version: 8, opset_import: [\"\" : 17]>\n"

enum { MOST_INPUTS = 16, MOST_SYMBOLS = 16, MOST_OUTPUTS = 32, DRAWS = 60 };

static const char *const models[] = {
    /* sizes of inputs, and arithmetic on them */
    HEAD
    "g (float[N, T, 8] x, float[8, 8] w) => (float[A, B, C] y, int64[K] s) {\n"
    " two = Constant <value_ints = [2]> ()\n zero = Constant <value = int64 {0}> ()\n one = Constant <value = int64 {1}> ()\n"
    " m = MatMul (x, w)\n s = Shape (m)\n n = Gather <axis = 0> (s, zero)\n t = Gather <axis = 0> (s, one)\n"
    " axes = Constant <value_ints = [0]> ()\n n1 = Unsqueeze (n, axes)\n t1 = Unsqueeze (t, axes)\n"
    " four = Constant <value_ints = [4]> ()\n target = Concat <axis = 0> (n1, t1, two, four)\n h = Reshape (m, target)\n"
    " p = Transpose <perm = [0, 2, 1, 3]> (h)\n q = Transpose <perm = [0, 2, 3, 1]> (h)\n a = MatMul (p, q)\n"
    " b = Softmax <axis = -1> (a)\n c = MatMul (b, p)\n d = Transpose <perm = [0, 2, 1, 3]> (c)\n"
    " back = Constant <value_ints = [0, 0, -1]> ()\n y = Reshape (d, back)\n}",
    /* elements that only numbers tell */
    HEAD "g (float[T] x, int64[N] i) => (float[A] y, float[B, C] z, float[T] r) {\n"
         " s = Shape (x)\n zero = Constant <value = int64 {0}> ()\n one = Constant <value = int64 {1}> ()\n"
         " f = ConstantOfShape <value = float[1] {1}> (s)\n y = Add (x, f)\n axes = Constant <value_ints = [0]> ()\n"
         " t = Squeeze (s, axes)\n p = Range (zero, t, one)\n q = Mul (p, p)\n qf = Cast <to = 1> (q)\n r = Mul (x, qf)\n"
         " row = Unsqueeze (p, axes)\n a1 = Constant <value_ints = [1]> ()\n column = Unsqueeze (p, a1)\n"
         " mask = LessOrEqual (row, column)\n z = Cast <to = 1> (mask)\n}",
    /* conditions on sizes */
    HEAD "g (float[N, A] x, float[M, B] y, float[4] b) => (float[P, Q] z, float[R, S] c, float[U, 4] d) {\n"
         " z = Add (x, y)\n c = Concat <axis = 0> (x, y)\n e = Mul (x, x)\n d = Add (e, b)\n}",
    /* windows */
    HEAD "g (float[N, 2, H, W] x, float[3, 2, 3, 3] w) => (float[A, B, C, D] y, float[E, F] z) {\n"
         " c = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (x, w)\n r = Relu (c)\n p = MaxPool <kernel_shape = [2, 2]> (r)\n"
         " y = Conv <auto_pad = \"SAME_UPPER\", kernel_shape = [1, 1], strides = [2, 2]> (p, v)\n g = GlobalAveragePool (c)\n"
         " z = Flatten (g)\n v = Constant <value = float[1, 3, 1, 1] {1, 2, 3}> ()\n}",
    /* branches that sizes choose, and that data choose */
    HEAD
    "g (float[N, T] x, bool k) => (float[A, B] y, float[C] z) {\n"
    " s = Shape (x)\n zero = Constant <value = int64 {0}> ()\n three = Constant <value = int64 {3}> ()\n"
    " n = Gather (s, zero)\n c = Equal (n, three)\n"
    " y = If (c) <then_branch = t () => (float[A, B] u) { u = Neg (x) }, else_branch = e () => (float[A, B] v) { v = Relu (x) "
    "}>\n"
    " axes = Constant <value_ints = [1]> ()\n"
    " z = If (k) <then_branch = t2 () => (float[C] u2) { m = ReduceMean <axes = [1], keepdims = 0> (x)\n u2 = Abs (m) },"
    " else_branch = e2 () => (float[C] v2) { v2 = Squeeze (x, axes) }>\n}",
    /* a rank that a size decides */
    HEAD "g (float[N, T, 2] x) => (float[] y, float[] z) {\n y = Squeeze (x)\n z = Exp (y)\n}",
    /* loops */
    HEAD "g (float[N, T] x, float[T] h) => (float[A] f, float[B, C] all) {\n"
         " f, all = Scan <num_scan_inputs = 1, body = b (float[T] s, float[T] i) => (float[T] o, float[T] p) {\n"
         "  a = Add (s, i)\n o = Tanh (a)\n p = Identity (o)\n }> (h, x)\n}",
    HEAD "g (float[T] x, int64 n) => (float[T] y, float[A, T] all) {\n cond = Constant <value = bool {1}> ()\n"
         " y, all = Loop (n, cond, x) <body = b (int64 i, bool c, float[T] s) => (bool d, float[T] o, float[T] p) {\n"
         "  d = Identity (c)\n o = Add (s, s)\n p = Neg (s)\n }>\n}",
    /* sizes that only the run knows */
    HEAD "g (float[N, T] x) => (float[A] y, int64[2, B] i) {\n i = NonZero (x)\n g = Transpose (i)\n y = GatherND (x, g)\n}",
    /* elements of inputs that decide shapes */
    HEAD "g (float[N, T] x, int64[2] shape) => (float[A, B] y, float[A, B] z) {\n y = Reshape (x, shape)\n z = Relu (y)\n}",
    HEAD "g (float[N, T] x, int64[1] a, int64[1] b) => (float[A, T] y) {\n y = Slice (x, a, b)\n}",
    /* recurrent, with a state of zeros */
    HEAD "g (float[S, N, 3] x, float[1, 8, 3] w, float[1, 8, 2] r) => (float[A, 1, B, 2] y) {\n"
         " s = Shape <start = 1, end = 2> (x)\n one = Constant <value_ints = [1]> ()\n two = Constant <value_ints = [2]> ()\n"
         " t = Concat <axis = 0> (one, s, two)\n zero = Constant <value = float {0}> ()\n h = Expand (zero, t)\n"
         " y = LSTM <hidden_size = 2> (x, w, r, , , h, h)\n}",
    /* computed sizes of a resize, a pad and a slice with a negative step */
    HEAD "g (float[1, 1, H, W] x) => (float[A, B, C, D] y, float[E, F, G, I] p, float[J, K, L, M] q) {\n"
         " s = Shape (x)\n f = Cast <to = 1> (s)\n k = Constant <value = float[4] {1, 1, 1.5, 2}> ()\n g = Mul (f, k)\n"
         " fl = Floor (g)\n i = Cast <to = 7> (fl)\n y = Resize <mode = \"nearest\"> (x, , , i)\n"
         " pads = Constant <value_ints = [0, 0, 1, 2, 0, 0, 2, 1]> ()\n p = Pad <mode = \"reflect\"> (x, pads)\n"
         " st = Constant <value_ints = [-1]> ()\n en = Constant <value_ints = [-9223372036854775807]> ()\n"
         " ax = Constant <value_ints = [3]> ()\n q = Slice (x, st, en, ax, st)\n}",
    /* indices that sizes bound */
    HEAD "g (int64[N, T] ids, float[6, 2] table) => (float[N, T, 2] y) {\n s = Shape <start = 1, end = 2> (ids)\n"
         " axes = Constant <value_ints = [0]> ()\n t = Squeeze (s, axes)\n zero = Constant <value = int64 {0}> ()\n"
         " one = Constant <value = int64 {1}> ()\n p = Range (zero, t, one)\n e = Gather (table, p)\n w = Gather (table, ids)\n"
         " y = Add (w, e)\n}",
    /* more elements than inference follows */
    HEAD "g (float[N] x) => (float[A] y, float[B] z) {\n k = Constant <value_ints = [700]> ()\n s = Shape (x)\n t = Mul (s, k)\n"
         " f = ConstantOfShape <value = float[1] {2}> (t)\n y = Relu (f)\n h = Constant <value_ints = [2]> ()\n u = Div (s, h)\n"
         " o = ConstantOfShape <value = int64[1] {3}> (t)\n z = Cast <to = 1> (o)\n}",
    /* integers that wrap for some sizes */
    HEAD "g (float[N, T] x) => (int64[A] y, float[B] z) {\n s = Shape (x)\n i = Cast <to = 6> (s)\n"
         " k = Constant <value = int32 {536870912}> ()\n m = Mul (i, k)\n d = Div (m, k)\n y = Cast <to = 7> (d)\n"
         " f = Cast <to = 1> (m)\n one = Constant <value = float {1}> ()\n z = Add (f, one)\n}",
};

/* ---- Plans ---- */

static void expect_layout(const ob_layout *a, const ob_layout *b) {
    assert_int_equal(a->dtype, b->dtype);
    assert_int_equal(a->rank, b->rank);
    assert_memory_equal(a->sizes, b->sizes, 2 * (size_t)a->rank * sizeof *a->sizes);
}

static void expect_slot(const ob_slot *a, const ob_slot *b) {
    assert_int_equal(a == NULL, b == NULL);
    if (!a) return;
    assert_int_equal(a->offset, b->offset);
    expect_layout(a->layout, b->layout);
    assert_int_equal(a->buffer->kind, b->buffer->kind);
    assert_int_equal(a->buffer->number, b->buffer->number);
    assert_int_equal(a->buffer->n_bytes, b->buffer->n_bytes);
    if (a->buffer->kind != OB_BUFFER_CONST) assert_int_equal(a->buffer->offset, b->buffer->offset);
}

static void expect_step(const ob_step *a, const ob_step *b) {
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->n_in, b->n_in);
    assert_int_equal(a->n_out, b->n_out);
    assert_int_equal(a->n_others, b->n_others);
    assert_int_equal(a->node ? a->node->id : UINT32_MAX, b->node ? b->node->id : UINT32_MAX);
    assert_int_equal(a->group == NULL, b->group == NULL);
    assert_ptr_equal(a->kernel, b->kernel);
    assert_int_equal(a->prepared == NULL, b->prepared == NULL);
    assert_int_equal(a->lanes, b->lanes);
    assert_int_equal(a->lane_stride, b->lane_stride);
    for (uint32_t i = 0; i < a->n_in + a->n_out; i++) expect_slot(a->slots[i], b->slots[i]);
    assert_int_equal(a->control == NULL, b->control == NULL);
    if (!a->control) return;
    assert_int_equal(a->control->is_loop, b->control->is_loop);
    assert_int_equal(a->control->n_trips, b->control->n_trips);
    assert_int_equal(a->control->n_batches, b->control->n_batches);
}

static void expect_plan(const ob_plan *a, const ob_plan *b, uint32_t n_outputs) {
    const ob_session_memory *m = &a->memory, *k = &b->memory;
    if (memcmp(m, k, sizeof *m) != 0)
        fail_msg(
            "%zu steps, %zu in place, %zu views, %zu folded, %zu dynamic, %llu bytes instead of %zu, %zu, %zu, %zu, %zu, %llu",
            m->n_steps, m->n_in_place, m->n_views, m->n_folded, m->n_dynamic, (unsigned long long)m->work_bytes, k->n_steps,
            k->n_in_place, k->n_views, k->n_folded, k->n_dynamic, (unsigned long long)k->work_bytes);
    assert_int_equal(a->n_buffers, b->n_buffers);
    assert_int_equal(a->most_views, b->most_views);
    const ob_step *s = a->steps, *t = b->steps;
    for (; s && t; s = s->next, t = t->next) expect_step(s, t);
    assert_true(!s && !t);
    for (uint32_t i = 0; i < n_outputs; i++) expect_slot(a->outputs[i].slot, b->outputs[i].slot);
    assert_int_equal(a->rest ? a->rest->n_nodes : 0, b->rest ? b->rest->n_nodes : 0);
}

/* ---- Inputs of random sizes ---- */

typedef struct drawn {
    ob_session_value info[MOST_INPUTS];
    uint32_t n;
    ob_dim symbols[MOST_SYMBOLS];
    uint32_t n_symbols;
    ob_view views[MOST_INPUTS];
} drawn;

static int64_t draw_size(bool large) {
    static const int64_t sizes[] = {0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 12, 16, 31, 32, 64, 192, 256, 300, 512};
    return sizes[rand() % ((int)(sizeof sizes / sizeof *sizes) - (large ? 0 : 4))];
}

static int64_t size_of(drawn *d, int64_t *sizes, ob_dim dim, bool large) {
    uint32_t i = 0;
    if (ob_dim_is_const(dim)) return dim;
    while (i < d->n_symbols && d->symbols[i] != dim) i++;
    if (i == d->n_symbols) {
        assert_true(i < MOST_SYMBOLS);
        d->symbols[d->n_symbols++] = dim;
        sizes[i] = i > 0 && rand() % 2 ? sizes[rand() % (int)i] : draw_size(large);
    }
    return sizes[i];
}

static void fill(ob_view *view) {
    const size_t size = ob_dtype_size(view->dtype);
    const int64_t n = ob_view_count(view);
    char *data = calloc((size_t)n + 1, size);
    for (int64_t i = 0; i < n; i++) {
        const float f = (float)(rand() % 9 - 3);
        const int64_t l = rand() % 4;
        const int32_t s = (int32_t)l;
        if (view->dtype == OB_FLOAT) memcpy(data + (size_t)i * size, &f, size);
        if (view->dtype == OB_INT64) memcpy(data + (size_t)i * size, &l, size);
        if (view->dtype == OB_INT32) memcpy(data + (size_t)i * size, &s, size);
        if (view->dtype == OB_BOOL) data[i] = rand() % 2;
    }
    view->data = data;
}

static void draw_inputs(drawn *d, bool large) {
    int64_t sizes[MOST_SYMBOLS];
    d->n_symbols = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        const ob_shape *shape = &d->info[i].shape;
        int64_t dims[OB_MAX_RANK];
        char somewhere;
        for (int32_t k = 0; k < shape->rank; k++) dims[k] = size_of(d, sizes, shape->dims[k], large);
        if (ob_view_init(&d->views[i], &somewhere, d->info[i].dtype, shape->rank, dims) != OB_OK)
            fail_msg("%s %s %s", d->info[i].name, ob_dtype_name(d->info[i].dtype), d->info[i].shape_text);
        fill(&d->views[i]);
    }
}

/* ---- The comparison ---- */

static void expect_bits(const ob_view *a, const ob_view *b) {
    assert_int_equal(a->dtype, b->dtype);
    assert_int_equal(a->rank, b->rank);
    for (int32_t k = 0; k < a->rank; k++) assert_int_equal(a->dims[k], b->dims[k]);
    const size_t n_bytes = (size_t)ob_view_count(a) * ob_dtype_size(a->dtype);
    if (n_bytes) assert_memory_equal(a->data, b->data, n_bytes);
}

/* Returns whether the sizes fit. */
static bool compare(ob_session *by_terms, ob_session *by_inference, const drawn *d) {
    ob_error e, f;
    ob_view a[MOST_OUTPUTS] = {0}, b[MOST_OUTPUTS] = {0};
    const uint32_t n = (uint32_t)ob_session_output_count(by_terms);
    assert_true(n <= MOST_OUTPUTS);
    const ob_status s = ob_session_run(by_terms, d->views, d->n, a, n, &e);
    const ob_status t = ob_session_run(by_inference, d->views, d->n, b, n, &f);
    if (s != t || strcmp(e.message, f.message) != 0) fail_msg("\"%s\" instead of \"%s\"", e.message, f.message);
    assert_string_equal(e.node, f.node);
    assert_string_equal(e.value, f.value);
    if (s != OB_OK) return false;
    expect_plan(by_terms->current, by_inference->current, n);
    for (uint32_t i = 0; i < n; i++) expect_bits(&a[i], &b[i]);
    return true;
}

static int compare_model(const ob_model *model, bool optimize, bool large) {
    ob_session *by_terms = open_session(model, optimize), *by_inference = open_session(model, optimize);
    drawn d = {.n = (uint32_t)ob_session_input_count(by_terms)};
    int n_fit = 0;
    by_inference->infers = true;
    assert_true(d.n <= MOST_INPUTS);
    for (uint32_t i = 0; i < d.n; i++) ob_session_input(by_terms, i, &d.info[i]);
    for (int i = 0; i < DRAWS; i++) {
        draw_inputs(&d, large);
        n_fit += compare(by_terms, by_inference, &d);
        for (uint32_t k = 0; k < d.n; k++) free(d.views[k].data);
    }
    if (n_fit > 2) assert_non_null(by_terms->templates);
    assert_null(by_inference->templates);
    ob_session_close(&by_terms);
    ob_session_close(&by_inference);
    return n_fit;
}

static void test_random_sizes(void **state) {
    (void)state;
    srand(22);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        ob_model *model = read_text(models[i]);
        int n_fit = 0;
        for (int k = 0; k < 4; k++) n_fit += compare_model(model, k != 3, false);
        if (n_fit < 8) fail_msg("model %zu: only %d sizes fit", i, n_fit);
        ob_model_close(&model);
    }
}

static char **files;
static int n_files;

static void test_files(void **state) {
    (void)state;
    srand(23);
    for (int i = 0; i < n_files; i++) {
        ob_model *model = NULL;
        ob_error error;
        if (ob_model_load(files[i], NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
        print_message("%s: %d sizes fit\n", files[i], compare_model(model, true, true));
        ob_model_close(&model);
    }
}

int main(int argc, char **argv) {
    files = argv + 1;
    n_files = argc - 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_sizes), cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
