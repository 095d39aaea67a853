/* Models whose values are sequences, optionals and maps, run by sessions: results, copies, refusals. */
#include <stdlib.h>

#include "core/graph/cell.h"
#include "failing.h"
#include "model_text.h"
#include "onnx_broadcast/onnx_broadcast.h"

enum { MOST = 4 };

/* A session of a text, its inputs and its results. */
typedef struct fixture {
    ob_model *model;
    ob_session *session;
    ob_view in[MOST], out[MOST];
    ob_cell *cells[MOST];
    const ob_cell *given[MOST];
    ob_error error;
} fixture;

#define MODEL(graph) "<ir_version: 8, opset_import: [\"\" : 18]>\n" graph

static ob_status try_open(fixture *f, const char *text, const ob_allocator *allocator) {
    ob_session_config config;
    memset(f, 0, sizeof *f);
    f->model = read_text(text);
    ob_session_config_init(&config);
    config.allocator = allocator;
    return ob_session_create(f->model, &config, &f->session, &f->error);
}

static void open_text(fixture *f, const char *text, const ob_allocator *allocator) {
    if (try_open(f, text, allocator) != OB_OK) fail_msg("%s", f->error.message);
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

static void fails(fixture *f, ob_status status, const char *message) {
    assert_int_equal(try_run(f), status);
    assert_string_equal(f->error.message, message);
}

static ob_view floats(const float *data, int64_t n) {
    ob_view view;
    assert_int_equal(ob_view_init(&view, (void *)(uintptr_t)data, OB_FLOAT, 1, &n), OB_OK);
    return view;
}

static void set_int(fixture *f, int i, const int64_t *number) {
    assert_int_equal(ob_view_init(&f->in[i], (void *)(uintptr_t)number, OB_INT64, 0, NULL), OB_OK);
}

/* Input i: a sequence of tensors of one element each. */
static void set_sequence(fixture *f, int i, const float *elements, size_t n, const ob_allocator *allocator) {
    ob_cell *items[8] = {NULL};
    for (size_t k = 0; k < n; k++) {
        ob_view view = floats(&elements[k], 1);
        assert_int_equal(ob_cell_tensor(&view, allocator, &items[k], NULL), OB_OK);
    }
    ob_cell_close(&f->cells[i]);
    assert_int_equal(ob_cell_sequence(OB_FLOAT, (const ob_cell *const *)items, n, allocator, &f->cells[i], NULL), OB_OK);
    for (size_t k = 0; k < n; k++) ob_cell_close(&items[k]);
}

static void expect_sequence(const ob_cell *cell, const float *want, size_t n) {
    ob_view view;
    assert_int_equal(ob_cell_get_kind(cell), OB_CELL_SEQUENCE);
    assert_int_equal(ob_cell_count(cell), n);
    for (size_t i = 0; i < n; i++) {
        assert_true(ob_cell_view(ob_cell_at(cell, i), &view));
        assert_int_equal(view.dtype, OB_FLOAT);
        assert_true(*(const float *)view.data == want[i]);
    }
}

/* ---- The operators ---- */

static void test_positions(void **state) {
    (void)state;
    fixture f;
    int64_t at = 0;
    const float elements[] = {1, 2, 3}, nine = 9;
    open_text(&f,
              MODEL("g (seq(float[1]) s, float[1] x, int64 at) => (r, e, t) {\n"
                    " r = SequenceInsert(s, x, at)\n e = SequenceErase(r, at)\n t = SequenceAt(r, at)\n}"),
              NULL);
    f.in[1] = floats(&nine, 1);
    set_int(&f, 2, &at);
    set_sequence(&f, 0, elements, 3, NULL);
    const struct {
        int64_t at;
        float inserted[4], erased[3], item;
    } cases[] = {{0, {9, 1, 2, 3}, {1, 2, 3}, 9},
                 {3, {1, 2, 3, 9}, {1, 2, 3}, 9},
                 {-1, {1, 2, 9, 3}, {1, 2, 9}, 3},
                 {-3, {9, 1, 2, 3}, {9, 2, 3}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        at = cases[i].at;
        run(&f);
        expect_sequence(f.given[0], cases[i].inserted, 4);
        expect_sequence(f.given[1], cases[i].erased, 3);
        assert_null(f.given[2]);
        assert_int_equal(f.out[0].dtype, OB_NONE);
        assert_int_equal(f.out[2].dtype, OB_FLOAT);
        assert_true(*(const float *)f.out[2].data == cases[i].item);
        expect_sequence(f.cells[0], elements, 3); /* the caller's cells are unchanged */
    }
    at = 4;
    fails(&f, OB_E_ARGUMENT, "position 4 is outside a sequence of 3");
    assert_string_equal(f.error.op_type, "SequenceInsert");
    at = -4;
    fails(&f, OB_E_ARGUMENT, "position -4 is outside a sequence of 3");
    set_sequence(&f, 0, elements, 0, NULL);
    at = 0;
    run(&f);
    expect_sequence(f.given[0], &nine, 1);
    expect_sequence(f.given[1], NULL, 0);
    close_all(&f);
}

static void test_empty(void **state) {
    (void)state;
    fixture f;
    const float elements[] = {1, 2};
    open_text(&f,
              MODEL("g (seq(float[]) s) => (e, n, m) {\n e = SequenceErase(s)\n n = SequenceLength(s)\n"
                    " z = SequenceEmpty<dtype = 1>()\n m = SequenceLength(z)\n}"),
              NULL);
    set_sequence(&f, 0, elements, 2, NULL);
    run(&f);
    expect_sequence(f.given[0], elements, 1);
    assert_int_equal(*(const int64_t *)f.out[1].data, 2);
    assert_int_equal(*(const int64_t *)f.out[2].data, 0);
    set_sequence(&f, 0, elements, 0, NULL);
    fails(&f, OB_E_ARGUMENT, "an empty sequence has no last element");
    close_all(&f);
    open_text(&f, MODEL("g (seq(float[]) s, int64 i) => (x) { x = SequenceAt(s, i) }"), NULL);
    const int64_t zero = 0;
    set_int(&f, 1, &zero);
    set_sequence(&f, 0, elements, 0, NULL);
    fails(&f, OB_E_ARGUMENT, "position 0 is outside a sequence of 0");
    close_all(&f);
}

static void test_split_and_concat(void **state) {
    (void)state;
    static const struct {
        const char *split;
        size_t n;
        int64_t last; /* elements of the last part */
        const char *error;
    } cases[] = {{"SplitToSequence(x)", 6, 2, NULL},
                 {"SplitToSequence<axis = 1>(x)", 2, 6, NULL},
                 {"SplitToSequence<axis = -2, keepdims = 0>(x)", 6, 2, NULL},
                 {"SplitToSequence(x, four)", 2, 4, NULL},
                 {"SplitToSequence(x, ten)", 1, 12, NULL},
                 {"SplitToSequence<keepdims = 0>(x, lengths)", 3, 2, NULL}, /* keepdims is then ignored */
                 {"SplitToSequence<axis = 1>(x, lengths)", 0, 0, "the lengths of the parts make 6, the axis has 2"},
                 {"SplitToSequence(x, none)", 0, 0, "parts of length 0"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture f;
        char text[900];
        float x[12];
        ob_view view;
        snprintf(text, sizeof text,
                 MODEL("g (float[6,2] x) => (s) <int64 four = {4}, int64 ten = {10}, int32[3] lengths = {2, 3, 1}, int32 none = "
                       "{0}> { s = %s }"),
                 cases[i].split);
        ob_status opened = try_open(&f, text, NULL);
        assert_int_equal(opened, OB_OK);
        for (int k = 0; k < 12; k++) x[k] = (float)k;
        assert_int_equal(ob_view_init(&f.in[0], x, OB_FLOAT, 2, (const int64_t[]){6, 2}), OB_OK);
        if (cases[i].error) {
            assert_int_not_equal(try_run(&f), OB_OK);
            assert_string_equal(f.error.message, cases[i].error);
            close_all(&f);
            continue;
        }
        run(&f);
        assert_int_equal(ob_cell_count(f.given[0]), cases[i].n);
        assert_true(ob_cell_view(ob_cell_at(f.given[0], cases[i].n - 1), &view));
        assert_int_equal(ob_view_count(&view), cases[i].last);
        assert_true(((const float *)view.data)[cases[i].last - 1] == 11);
        close_all(&f);
    }
    fixture f;
    const float elements[] = {1, 2, 3};
    open_text(&f,
              MODEL("g (seq(float[]) s, float[2] other) => (c, t, u) {\n c = ConcatFromSequence<axis = 0>(s)\n"
                    " t = ConcatFromSequence<axis = -1, new_axis = 1>(s)\n"
                    " l = SequenceInsert(s, other)\n u = ConcatFromSequence<axis = 0>(l)\n}"),
              NULL);
    set_sequence(&f, 0, elements, 3, NULL);
    f.in[1] = floats(elements, 2);
    run(&f);
    assert_int_equal(f.out[0].rank, 1);
    assert_memory_equal(f.out[0].data, elements, sizeof elements);
    assert_int_equal(f.out[1].rank, 2);
    assert_int_equal(f.out[1].dims[1], 3);
    assert_memory_equal(f.out[1].data, elements, sizeof elements);
    assert_int_equal(f.out[2].dims[0], 5);
    set_sequence(&f, 0, elements, 0, NULL);
    fails(&f, OB_E_ARGUMENT, "an empty sequence has nothing to concatenate");
    close_all(&f);
    open_text(&f,
              MODEL("g (seq(float[]) s, float[2] other) => (u) {\n"
                    " l = SequenceInsert(s, other)\n u = ConcatFromSequence<axis = 0, new_axis = 1>(l)\n}"),
              NULL);
    set_sequence(&f, 0, elements, 3, NULL);
    f.in[1] = floats(elements, 2);
    fails(&f, OB_E_SHAPE, "item 3 of the sequence does not have the shape of item 0");
    close_all(&f);
}

static void test_optionals(void **state) {
    (void)state;
    fixture f;
    const float elements[] = {1, 2};
    ob_view view;
    open_text(&f,
              MODEL("g (optional(seq(float[])) o, float[2] x) => (h, s, p, y) {\n h = OptionalHasElement(o)\n"
                    " s = OptionalGetElement(o)\n p = Optional(x)\n y = OptionalGetElement(p)\n}"),
              NULL);
    set_sequence(&f, 0, elements, 2, NULL);
    f.in[1] = floats(elements, 2);
    run(&f);
    assert_int_equal(*(const char *)f.out[0].data, 1);
    expect_sequence(f.given[1], elements, 2);
    assert_true(ob_cell_view(f.given[2], &view)); /* an optional is a cell, also if it contains a tensor */
    assert_memory_equal(view.data, elements, sizeof elements);
    assert_null(f.given[3]);
    assert_memory_equal(f.out[3].data, elements, sizeof elements);
    ob_cell_close(&f.cells[0]);
    assert_int_equal(ob_cell_none(NULL, &f.cells[0], NULL), OB_OK);
    fails(&f, OB_E_ARGUMENT, "the optional has no element");
    close_all(&f);
}

/* Bytes of strings outlive the sequence that held them, and the caller's copy. */
static void test_strings(void **state) {
    (void)state;
    fixture f;
    char bytes[] = "one two";
    const ob_string strings[] = {{bytes, 3}, {bytes + 4, 3}};
    const int64_t one = 1;
    open_text(&f,
              MODEL("g (string[2] x, int64 i) => (s, a, c) {\n s = SplitToSequence(x)\n a = SequenceAt(s, i)\n"
                    " r = SequenceInsert(s, a)\n c = ConcatFromSequence<axis = 0>(r)\n}"),
              NULL);
    assert_int_equal(ob_view_init(&f.in[0], (void *)(uintptr_t)strings, OB_STRING, 1, (const int64_t[]){2}), OB_OK);
    set_int(&f, 1, &one);
    run(&f);
    memset(bytes, '?', sizeof bytes);
    const ob_string *a = f.out[1].data, *c = f.out[2].data;
    ob_view view;
    assert_int_equal(ob_view_count(&f.out[1]), 1);
    assert_memory_equal(a[0].data, "two", 3);
    assert_int_equal(ob_view_count(&f.out[2]), 3);
    assert_memory_equal(c[0].data, "one", 3);
    assert_memory_equal(c[2].data, "two", 3);
    assert_true(ob_cell_view(ob_cell_at(f.given[0], 0), &view));
    assert_memory_equal(((const ob_string *)view.data)->data, "one", 3);
    close_all(&f);
}

/* Rows become maps, and a map becomes a vector, in the order of the vocabulary. */
static void test_maps(void **state) {
    (void)state;
    fixture f;
    ob_view view;
    const float x[4] = {1, 2, 3, 4};
    const ob_string names[] = {{"c", 1}, {"a", 1}};
    open_text(&f,
              "<ir_version: 8, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 3]>\n"
              "g (float[2,2] x, int64 i, map(string, int64) m) => (z, y, v) {\n"
              " z = ai.onnx.ml.ZipMap<classlabels_int64s = [7, -1]>(x)\n"
              " y = ai.onnx.ml.ZipMap<classlabels_strings = [\"a\", \"b\"]>(x)\n"
              " v = ai.onnx.ml.DictVectorizer<string_vocabulary = [\"a\", \"c\", \"b\", \"z\"]>(m)\n}",
              NULL);
    const int64_t zero = 0, numbers[] = {8, 4};
    assert_int_equal(ob_view_init(&f.in[0], (void *)(uintptr_t)x, OB_FLOAT, 2, (const int64_t[]){2, 2}), OB_OK);
    set_int(&f, 1, &zero);
    ob_cell *items[2] = {NULL};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ob_view_init(&view, (void *)(uintptr_t)&numbers[i], OB_INT64, 0, NULL), OB_OK);
        assert_int_equal(ob_cell_tensor(&view, NULL, &items[i], NULL), OB_OK);
    }
    assert_int_equal(ob_view_init(&view, (void *)(uintptr_t)names, OB_STRING, 1, (const int64_t[]){2}), OB_OK);
    assert_int_equal(ob_cell_map(&view, (const ob_cell *const *)items, 2, NULL, &f.cells[2], NULL), OB_OK);
    run(&f);
    assert_int_equal(ob_cell_count(f.given[0]), 2);
    const ob_cell *row = ob_cell_at(f.given[0], 1);
    assert_int_equal(ob_cell_get_kind(row), OB_CELL_MAP);
    assert_true(ob_cell_keys(row, &view));
    assert_int_equal(((const int64_t *)view.data)[1], -1);
    assert_true(ob_cell_view(ob_cell_at(row, 1), &view));
    assert_true(*(const float *)view.data == 4);
    assert_true(ob_cell_keys(ob_cell_at(f.given[1], 0), &view));
    assert_int_equal(view.dtype, OB_STRING);
    assert_int_equal(f.out[2].rank, 2);
    assert_memory_equal(f.out[2].data, ((const int64_t[]){4, 8, 0, 0}), 32); /* the specification's example */
    ob_cell_close(&f.cells[2]);
    const ob_string others[] = {{"c", 1}, {"q", 1}};
    assert_int_equal(ob_view_init(&view, (void *)(uintptr_t)others, OB_STRING, 1, (const int64_t[]){2}), OB_OK);
    assert_int_equal(ob_cell_map(&view, (const ob_cell *const *)items, 2, NULL, &f.cells[2], NULL), OB_OK);
    fails(&f, OB_E_ARGUMENT, "key 1 of the map is not in the vocabulary");
    ob_cell_close(&items[0]);
    ob_cell_close(&items[1]);
    close_all(&f);
}

/* ---- What is copied ---- */

enum { LARGE = 20000 }; /* bytes: more than a step needs for itself */

/* The number of requests for large blocks in a whole run. */
typedef struct meter {
    size_t n_large, n_alive;
} meter;

static void *meter_alloc(void *context, size_t n_bytes) {
    meter *m = context;
    m->n_large += n_bytes > LARGE;
    m->n_alive++;
    return malloc(n_bytes);
}

static void *meter_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    meter *m = context;
    (void)old_bytes;
    m->n_large += new_bytes > LARGE;
    return realloc(block, new_bytes);
}

static void meter_free(void *context, void *block, size_t n_bytes) {
    meter *m = context;
    (void)n_bytes;
    m->n_alive -= block != NULL;
    free(block);
}

/* Each insertion is the last reader of the sequence before it: the array is never copied, only doubled. */
static void test_insert_in_place(void **state) {
    (void)state;
    enum { N = 5000 };
    fixture f;
    meter m = {0};
    const ob_allocator allocator = {meter_alloc, meter_realloc, meter_free, &m};
    const float x = 1;
    char *text = malloc(N * 60 + 400), *at = text;
    assert_non_null(text);
    at += sprintf(at, MODEL("g (float[1] x) => (n, s%d) {\n s0 = SequenceEmpty()\n"), N);
    for (int i = 0; i < N; i++) at += sprintf(at, " s%d = SequenceInsert(s%d, x)\n", i + 1, i);
    sprintf(at, " n = SequenceLength(s%d)\n}", N);
    open_text(&f, text, &allocator);
    f.in[0] = floats(&x, 1);
    run(&f);
    assert_int_equal(*(const int64_t *)f.out[0].data, N);
    m.n_large = 0;
    run(&f);
    assert_int_equal(ob_cell_count(f.given[1]), N);
    assert_in_range(m.n_large, 1,
                    100); /* arenas have some; copies would be one for each sequence of LARGE bytes and more: 2500 */
    close_all(&f);
    assert_int_equal(m.n_alive, 0);
    free(text);
}

/* A run that fails halfway leaks nothing; the next one succeeds. */
static ob_status run_it(void *subject, digest *made, ob_error *error) {
    fixture *f = subject;
    ob_status status = try_run(f);
    *error = f->error;
    if (status == OB_OK) digest_number(made, (int64_t)ob_cell_count(f->given[0]));
    return status;
}

static void test_want_of_memory(void **state) {
    (void)state;
    fixture f;
    failing allocations = {0};
    const ob_allocator allocator = failing_allocator(&allocations);
    const float elements[] = {1, 2, 3};
    open_text(
        &f,
        MODEL("g (seq(float[]) s, string[2] x) => (c, o, d) {\n a = SequenceConstruct(x, x)\n"
              " b = SplitToSequence(x)\n d = ConcatFromSequence<axis = 0>(b)\n o = Optional(b)\n c = SequenceInsert(a, d)\n}"),
        &allocator);
    set_sequence(&f, 0, elements, 3, NULL);
    const ob_string strings[] = {{"ab", 2}, {"c", 1}};
    assert_int_equal(ob_view_init(&f.in[1], (void *)(uintptr_t)strings, OB_STRING, 1, (const int64_t[]){2}), OB_OK);
    run(&f);
    size_t n_alive = allocations.n_alive;
    assert_in_range(fail_each(&allocations, run_it, &f, "a run", 200), 20, 200);
    assert_int_equal(allocations.n_alive, n_alive);
    close_all(&f);
    assert_int_equal(allocations.n_alive, 0);
    assert_int_equal(allocations.n_bytes, 0);
}

/* ---- What the calls say ---- */

static void test_session_values(void **state) {
    (void)state;
    fixture f;
    ob_session_value value;
    open_text(&f, MODEL("g (optional(seq(float[N,3])) o, map(int64, string) m, int32[2] t) => (s) { s = OptionalGetElement(o) }"),
              NULL);
    assert_true(ob_session_input(f.session, 0, &value));
    assert_int_equal(value.dtype, OB_NONE);
    assert_string_equal(value.shape_text, "[...]");
    assert_int_equal(value.type->kind, OB_TYPE_OPTIONAL);
    assert_int_equal(value.type->element->kind, OB_TYPE_SEQUENCE);
    assert_int_equal(value.type->element->element->dtype, OB_FLOAT);
    assert_int_equal(value.type->element->element->shape.dims[1], 3);
    assert_true(ob_session_input(f.session, 1, &value));
    assert_int_equal(value.type->kind, OB_TYPE_MAP);
    assert_int_equal(value.type->dtype, OB_INT64);
    assert_int_equal(value.type->element->dtype, OB_STRING);
    assert_true(ob_session_input(f.session, 2, &value));
    assert_int_equal(value.type->kind, OB_TYPE_TENSOR);
    assert_int_equal(value.type->dtype, OB_INT32);
    assert_true(ob_session_output(f.session, 0, &value));
    assert_int_equal(value.type->kind, OB_TYPE_SEQUENCE);
    close_all(&f);
}

static void test_refusals(void **state) {
    (void)state;
    fixture f;
    const float elements[] = {1, 2, 3};
    open_text(&f, MODEL("g (seq(float[1]) s, float[3] x) => (r, y) { r = Identity(s)\n y = Neg(x) }"), NULL);
    f.in[1] = floats(elements, 3);
    fails(&f, OB_E_ARGUMENT, "input s is not a tensor: it must be given as a cell");
    set_sequence(&f, 0, elements, 3, NULL);
    run(&f);
    expect_sequence(f.given[0], elements, 3);
    assert_true(((const float *)f.out[1].data)[2] == -3);
    assert_int_equal(ob_session_run(f.session, f.in, 2, f.out, 2, &f.error), OB_E_TYPE);
    assert_string_equal(f.error.message, "input s is not a tensor: ob_session_run_cells takes it");
    assert_int_equal(ob_session_run_cells(f.session, f.in, (const ob_cell *const *)f.cells, 2, f.out, NULL, 2, &f.error),
                     OB_E_TYPE);
    assert_string_equal(f.error.message, "output r is not a tensor: ob_session_run_cells gives it");
    assert_int_equal(ob_session_prepare(f.session, f.in, 2, &f.error), OB_OK);
    ob_view view = f.in[0];
    f.in[0] = f.in[1];
    fails(&f, OB_E_ARGUMENT,
          "input s is not a tensor: ob_session_run_cells takes it as a cell, and its view has no element type");
    f.in[0] = view;
    f.cells[1] = ob__cell_hold(f.cells[0]);
    fails(&f, OB_E_ARGUMENT, "input x is a tensor: it must be given as a view, not as a cell");
    ob_cell_close(&f.cells[1]);
    ob_cell *tensor = ob__cell_hold(ob_cell_at(f.cells[0], 0));
    ob_cell_close(&f.cells[0]);
    f.cells[0] = tensor;
    fails(&f, OB_E_TYPE, "input s: the model takes a sequence, but a tensor was given");
    ob_cell_close(&f.cells[0]);
    view = floats(elements, 2);
    assert_int_equal(ob_cell_tensor(&view, NULL, &tensor, NULL), OB_OK);
    assert_int_equal(ob_cell_sequence(OB_NONE, (const ob_cell *[]){tensor}, 1, NULL, &f.cells[0], NULL), OB_OK);
    ob_cell_close(&tensor);
    fails(&f, OB_E_SHAPE, "input s: the model takes tensors of [1] in it, but one of [2] was given");
    ob_cell_close(&f.cells[0]);
    assert_int_equal(ob_cell_sequence(OB_INT64, NULL, 0, NULL, &f.cells[0], NULL), OB_OK);
    fails(&f, OB_E_TYPE, "input s: the model takes float, but int64 was given");
    close_all(&f);
}

/* Outputs exist until the next run, whatever the caller does with the inputs; a copy exists longer. */
static void test_how_long(void **state) {
    (void)state;
    fixture f;
    ob_cell *copy = NULL;
    const float elements[] = {1, 2, 3};
    open_text(&f, MODEL("g (seq(float[]) s) => (r, e) { r = Identity(s)\n e = SequenceErase(s) }"), NULL);
    set_sequence(&f, 0, elements, 3, NULL);
    run(&f);
    ob_cell_close(&f.cells[0]);
    expect_sequence(f.given[0], elements, 3);
    expect_sequence(f.given[1], elements, 2);
    assert_int_equal(ob_cell_copy(f.given[0], NULL, &copy, NULL), OB_OK);
    close_all(&f);
    expect_sequence(copy, elements, 3);
    ob_cell_close(&copy);
}

static void test_limits(void **state) {
    (void)state;
    fixture f;
    ob_session_config config;
    const float elements[] = {1, 2, 3, 4, 5, 6, 7, 8};
    memset(&f, 0, sizeof f);
    f.model = read_text(MODEL("g (seq(float[]) s) => (r) { r = Identity(s) }"));
    ob_session_config_init(&config);
    config.max_output_bytes = 20;
    assert_int_equal(ob_session_create(f.model, &config, &f.session, &f.error), OB_OK);
    set_sequence(&f, 0, elements, 5, NULL);
    run(&f);
    set_sequence(&f, 0, elements, 6, NULL);
    fails(&f, OB_E_LIMIT, "the outputs up to r have 24 bytes, which is over the limit of 20: max_output_bytes raises it");
    close_all(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions),      cmocka_unit_test(test_empty),          cmocka_unit_test(test_split_and_concat),
        cmocka_unit_test(test_optionals),      cmocka_unit_test(test_strings),        cmocka_unit_test(test_insert_in_place),
        cmocka_unit_test(test_want_of_memory), cmocka_unit_test(test_session_values), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_maps),           cmocka_unit_test(test_how_long),       cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
