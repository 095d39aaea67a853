/* Groups of elementwise nodes: random graphs give the same bits as node by node, for every level and one or two threads; and the
 * nodes that may not be grouped. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/graph/types.h"
#include "kernels/kernels.h"
#include "session_case.h"

enum { MOST_INPUTS = 6, MOST_VALUES = 48, MOST_OUTPUTS = 3 };

static int64_t pick(int64_t n) {
    return rand() % n;
}

typedef struct drawn {
    ob_model *model;
    ob_dtype dtype;
    int32_t rank;
    int64_t dims[5];               /* of the domain */
    ob_value *values[MOST_VALUES]; /* with the domain's shape, or broadcast to it */
    ob_value *conditions[MOST_VALUES];
    uint32_t n_values, n_conditions, n_inputs;
    int64_t rows; /* the last axes that are folded; 0: none are */
    void *data[MOST_INPUTS];
    ob_view inputs[MOST_INPUTS];
} drawn;

static void draw_elements(ob_dtype dtype, void *data, int64_t n) {
    const double special[] = {0.0, -0.0, (double)INFINITY, (double)NAN, 1e-40, 1.5};
    for (int64_t i = 0; i < n; i++) {
        const double v = pick(20) == 0 ? special[pick(6)] : (double)pick(2001) / 250 - 4;
        if (dtype == OB_FLOAT) ((float *)data)[i] = (float)v;
        if (dtype == OB_DOUBLE) ((double *)data)[i] = v;
        if (dtype == OB_INT32) ((int32_t *)data)[i] = (int32_t)pick(200) - 100;
        if (dtype == OB_FLOAT16) OBK_LOOPS(convert)[OB_FLOAT16][OB_FLOAT]((uint16_t *)data + i, &(float){(float)v}, 1);
    }
}

/* An input that broadcasts to the domain; some are transposed views. */
static void add_input(drawn *d) {
    char name[8], sizes[120] = "";
    int64_t dims[5], n = 1, perm[5];
    const int32_t rank = pick(3) || d->rows > 0 ? d->rank : (int32_t)pick(d->rank + 1);
    const bool swapped = rank > 1 && pick(4) == 0;
    for (int32_t a = 0; a < rank; a++) dims[a] = pick(4) || d->n_inputs == 0 ? d->dims[d->rank - rank + a] : 1;
    for (int32_t a = 0; a < rank; a++) perm[a] = swapped ? rank - 1 - a : a;
    ob_view *view = &d->inputs[d->n_inputs];
    int64_t stored[5];
    for (int32_t a = 0; a < rank; a++) stored[a] = dims[perm[a]];
    for (int32_t a = 0; a < rank; a++) {
        snprintf(sizes + strlen(sizes), 20, "%s%lld", a ? " " : "", (long long)stored[a]);
        n *= stored[a];
    }
    snprintf(name, sizeof name, "x%u", (unsigned)d->n_inputs);
    ob_value *value = new_input(d->model, name, d->dtype, sizes);
    d->data[d->n_inputs] = malloc((size_t)(n + 1) * ob_dtype_size(d->dtype));
    assert_non_null(d->data[d->n_inputs]);
    draw_elements(d->dtype, d->data[d->n_inputs], n);
    assert_int_equal(ob_view_init(view, d->data[d->n_inputs], d->dtype, rank, stored), OB_OK);
    if (swapped) {
        snprintf(name, sizeof name, "t%u", (unsigned)d->n_inputs);
        value = new_node(d->model, "Transpose", name, 1, value);
    }
    d->n_inputs++;
    d->values[d->n_values++] = value;
}

static ob_value *any_value(const drawn *d) { /* mostly a late one, so that there are chains */
    return d->values[pick(3) ? d->n_values - 1 - (uint32_t)pick(d->n_values < 3 ? d->n_values : 3) : (uint32_t)pick(d->n_values)];
}

/* A fold of the last axes, or a function of rows. */
static ob_value *add_row(drawn *d, int i, ob_value *x) {
    static const char *const folds[] = {"ReduceMean", "ReduceMean", "ReduceSum", "ReduceMax",
                                        "ReduceMin",  "ReduceL2",   "ReduceL1",  "ReduceLogSumExp"};
    char name[16], axes_name[16];
    snprintf(name, sizeof name, "v%d", i);
    snprintf(axes_name, sizeof axes_name, "axes%d", i);
    if (pick(3) == 0) return new_node(d->model, pick(2) ? "Softmax" : "LogSoftmax", name, 1, x);
    int64_t axes[5], n = d->rows;
    for (int64_t a = 0; a < n; a++) axes[a] = a - n;
    return new_node(d->model, folds[pick(8)], name, 2, x, new_weight(d->model, axes_name, OB_INT64, 1, &n, axes));
}

static ob_value *cast(const drawn *d, const char *name, ob_value *x, ob_dtype to) {
    ob_value *made = new_node(d->model, "Cast", name, 1, x);
    assert_true(ob__node_set_int(made->producer, "to", to));
    return made;
}

/* To integers and back, with one scale. */
static ob_value *add_integers(const drawn *d, int i, ob_value *x) {
    char name[4][16];
    for (int k = 0; k < 4; k++) snprintf(name[k], sizeof name[k], "%c%d", "szqv"[k], i);
    const float scale = (float)(1 + pick(8)) / 16;
    const int8_t zero[8] = {(int8_t)pick(20)};
    ob_value *s = new_weight(d->model, name[0], OB_FLOAT, 0, NULL, &scale),
             *z = new_weight(d->model, name[1], pick(2) ? OB_INT8 : OB_UINT8, 0, NULL, zero);
    return new_node(d->model, "DequantizeLinear", name[3], 3, new_node(d->model, "QuantizeLinear", name[2], 3, x, s, z), s, z);
}

/* An operator in another type, or only that type's range and precision. */
static ob_value *add_detour(drawn *d, int i, ob_value *a, ob_value *b) {
    static const ob_dtype types[] = {OB_FLOAT16, OB_BFLOAT16, OB_FLOAT, OB_DOUBLE, OB_INT32, OB_UINT8, OB_INT8, OB_INT64};
    char name[4][16];
    for (int k = 0; k < 4; k++) snprintf(name[k], sizeof name[k], "%c%d", "cdev"[k], i);
    if (d->n_conditions > 0 && pick(4) == 0) return cast(d, name[3], d->conditions[pick(d->n_conditions)], d->dtype);
    if (d->dtype == OB_FLOAT && pick(3) == 0) return add_integers(d, i, a);
    const ob_dtype type = types[pick(8)];
    ob_value *x = cast(d, name[0], a, type);
    if (pick(3)) x = new_node(d->model, pick(2) ? "Mul" : "Sub", name[2], 2, x, pick(2) ? x : cast(d, name[1], b, type));
    return cast(d, name[3], x, d->dtype);
}

static void add_one(drawn *d, int i) {
    static const char *const binary[] = {"Add", "Sub", "Mul", "Div", "Max", "Min"};
    static const char *const unary[] = {"Neg", "Abs",       "Relu",        "Sigmoid",   "Sqrt",
                                        "Exp", "HardSwish", "HardSigmoid", "LeakyRelu", "Reciprocal"};
    char name[16];
    snprintf(name, sizeof name, "v%d", i);
    ob_value *a = any_value(d), *b = any_value(d), *c = any_value(d), *made;
    const bool is_integer = d->dtype == OB_INT32;
    if (d->rows > 0 && pick(3) == 0) {
        d->values[d->n_values++] = add_row(d, i, a);
        return;
    }
    if (pick(6) == 0) {
        d->values[d->n_values++] = add_detour(d, i, a, b);
        return;
    }
    switch (pick(is_integer ? 6 : 9)) {
    case 0:
    case 1: made = new_node(d->model, binary[pick(6)], name, 2, a, b); break;
    case 2: made = new_node(d->model, unary[pick(is_integer ? 3 : 10)], name, 1, a); break;
    case 3:
        if (d->n_conditions == 0) {
            d->conditions[d->n_conditions++] = new_node(d->model, pick(2) ? "Less" : "GreaterOrEqual", name, 2, a, b);
            return;
        }
        made = new_node(d->model, "Where", name, 3, d->conditions[pick(d->n_conditions)], a, b);
        break;
    case 4: made = new_node(d->model, is_integer ? "Max" : "Sum", name, 3, a, b, c); break;
    case 5: d->conditions[d->n_conditions++] = new_node(d->model, pick(2) ? "Greater" : "Equal", name, 2, a, b); return;
    case 6: made = new_node(d->model, "Mean", name, 3, a, b, c); break;
    case 7: made = new_node(d->model, pick(2) ? "Clip" : "Sign", name, 1, a); break;
    default: made = new_node(d->model, "PRelu", name, 2, d->values[0], b); break;
    }
    d->values[d->n_values++] = made;
}

static drawn draw_graph(void) {
    static const int64_t sizes[] = {0, 1, 1, 2, 3, 7, 16, 65, 300};
    static const ob_dtype types[] = {OB_FLOAT, OB_FLOAT, OB_FLOAT, OB_DOUBLE, OB_INT32, OB_FLOAT16};
    drawn d = {.model = new_model(18), .dtype = types[pick(6)], .rank = 1 + (int32_t)pick(4)};
    int64_t n = 1;
    for (int32_t a = 0; a < d.rank; a++) {
        d.dims[a] = sizes[pick(9)];
        if (d.dims[a] * n > 100000 || (d.dims[a] == 0 && pick(4))) d.dims[a] = 2;
        n *= d.dims[a];
    }
    if (d.dtype != OB_INT32 && pick(2)) d.rows = 1 + pick(d.rank);
    const uint32_t n_inputs = 1 + (uint32_t)pick(MOST_INPUTS - 1);
    for (uint32_t i = 0; i < n_inputs; i++) add_input(&d);
    for (int i = 0, n_nodes = 2 + (int)pick(20); i < n_nodes; i++) add_one(&d, i);
    new_output(d.model, d.values[d.n_values - 1]);
    for (int i = 0; i < 2; i++) { /* results in the middle are outputs as well */
        ob_value *value = d.values[pick(d.n_values)];
        if (pick(3) == 0 && value->producer && !value->is_output) new_output(d.model, value);
    }
    return d;
}

/* Returns the number of steps that grouping saves. */
static int64_t check_graph(const drawn *d, int threads) {
    uint64_t n_plain;
    ob_session *grouped = check_beside_plain(d->model, d->inputs, d->n_inputs, threads, &n_plain);
    ob_session_memory memory;
    ob_session_get_memory(grouped, &memory);
    ob_session_close(&grouped);
    return (int64_t)n_plain - (int64_t)memory.n_steps;
}

static void random_graphs(void **state) {
    (void)state;
    const unsigned levels[] = {0, OBK_ISA_AVX2, ~0u};
    int n_grouped = 0;
    srand(21);
    for (int round = 0; round < 1200; round++) {
        drawn d = draw_graph();
        ob__kernels_limit(levels[round % 3]);
        n_grouped += check_graph(&d, 1 + round % 2) > 1;
        for (uint32_t i = 0; i < d.n_inputs; i++) free(d.data[i]);
        ob_model_close(&d.model);
    }
    ob__kernels_limit(~0u);
    assert_true(n_grouped > 200);
}

static void what_is_one_step(void **state) {
    (void)state;
    static float x[64], w[8];
    const ob_view in[] = {view_of(x, OB_FLOAT, 2, 8, 8), view_of(w, OB_FLOAT, 1, 8)};
    ob_model *model = new_model(14); /* a value that two nodes of the group read */
    ob_value *a = new_input(model, "x", OB_FLOAT, "N 8"), *b = new_input(model, "w", OB_FLOAT, "8");
    ob_value *sum = new_node(model, "Add", "sum", 2, a, b);
    new_output(model, new_node(model, "Mul", "y", 2, new_node(model, "Sigmoid", "s", 1, sum), sum));
    assert_int_equal(steps_of(model, in, 2), 1);
    model = new_model(14); /* an output is stored */
    a = new_input(model, "x", OB_FLOAT, "N 8");
    sum = new_node(model, "Neg", "sum", 1, a);
    new_output(model, sum);
    new_output(model, new_node(model, "Abs", "y", 1, sum));
    assert_int_equal(steps_of(model, in, 1), 2);
    model = new_model(14); /* computed in another type */
    a = new_input(model, "x", OB_FLOAT, "N 8");
    const drawn d = {.model = model};
    ob_value *half = cast(&d, "half", a, OB_FLOAT16);
    new_output(model, cast(&d, "y", new_node(model, "Mul", "m", 2, new_node(model, "Sigmoid", "s", 1, half), half), OB_UINT8));
    assert_int_equal(steps_of(model, in, 1), 1);
    model = new_model(14); /* integers around an operator of floats */
    a = new_input(model, "x", OB_FLOAT, "N 8");
    const drawn q = {.model = model};
    new_output(model, add_integers(&q, 1, new_node(model, "Softplus", "s", 1, add_integers(&q, 0, a))));
    assert_int_equal(steps_of(model, in, 1), 1);
    model = new_model(14); /* a constant is cast once, when the plan is made */
    a = new_input(model, "x", OB_FLOAT, "N 8");
    const drawn e = {.model = model};
    b = cast(&e, "w", new_weight(model, "c", OB_DOUBLE, 1, (int64_t[]){8}, (double[8]){0}), OB_FLOAT);
    new_output(model, new_node(model, "Neg", "y", 1, new_node(model, "Add", "sum", 2, a, b)));
    assert_int_equal(steps_of(model, in, 1), 1);
    model = new_model(14); /* a smaller result is computed once, not for each element that it is broadcast to */
    a = new_input(model, "x", OB_FLOAT, "N 8");
    b = new_input(model, "w", OB_FLOAT, "8");
    new_output(model, new_node(model, "Add", "y", 2, a, new_node(model, "Exp", "e", 1, b)));
    assert_int_equal(steps_of(model, in, 2), 2);
    model = new_model(14); /* another operator in between */
    a = new_input(model, "x", OB_FLOAT, "N 8");
    new_output(model, new_node(model, "Abs", "y", 1, new_node(model, "Hardmax", "m", 1, new_node(model, "Neg", "n", 1, a))));
    assert_int_equal(steps_of(model, in, 1), 3);
}

/* x - mean(x), divided by the root of the mean of its squares; a mask before Softmax; and columns, which are no rows. */
static void rows_are_one_step(void **state) {
    (void)state;
    static float x[64];
    const ob_view in[] = {view_of(x, OB_FLOAT, 2, 8, 8), view_of(x, OB_FLOAT, 1, 8)};
    for (int64_t axis = 0; axis < 2; axis++) {
        ob_model *model = new_model(18);
        ob_value *axes = new_weight(model, "axes", OB_INT64, 1, (int64_t[]){1}, &axis),
                 *a = new_input(model, "x", OB_FLOAT, "N 8");
        ob_value *d = new_node(model, "Sub", "d", 2, a, new_node(model, "ReduceMean", "mean", 2, a, axes));
        ob_value *variance = new_node(model, "ReduceMean", "variance", 2, new_node(model, "Mul", "squares", 2, d, d), axes);
        new_output(model, new_node(model, "Div", "y", 2, d, new_node(model, "Sqrt", "root", 1, variance)));
        assert_int_equal(steps_of(model, in, 1), axis == 1 ? 1 : 6);
    }
    ob_model *model = new_model(18);
    ob_value *a = new_input(model, "x", OB_FLOAT, "N 8"), *b = new_input(model, "mask", OB_FLOAT, "8");
    new_output(model, new_node(model, "Softmax", "y", 1, new_node(model, "Add", "masked", 2, a, b)));
    assert_int_equal(steps_of(model, in, 2), 1);
    model = new_model(18); /* one value for each row is computed once, not in a group with other rows */
    a = new_input(model, "x", OB_FLOAT, "N 8");
    b = new_input(model, "scale", OB_FLOAT, "N 1");
    new_output(model, new_node(model, "Mul", "y", 2, a, new_node(model, "Sigmoid", "s", 1, b)));
    assert_int_equal(steps_of(model, (ob_view[]){in[0], view_of(x, OB_FLOAT, 2, 8, 1)}, 2), 2);
}

/* Each of 40 sums reads the one before it 12 times: the way to a fold is not searched through all of them. */
static void the_search_is_short(void **state) {
    (void)state;
    static float x[64];
    const int64_t axis = 1;
    ob_model *model = new_model(18);
    ob_value *axes = new_weight(model, "axes", OB_INT64, 1, (int64_t[]){1}, &axis), *a = new_input(model, "x", OB_FLOAT, "N 8"),
             *b = new_input(model, "b", OB_FLOAT, "N 1");
    ob_value *s = new_node(model, "Sum", "first", 2, b, b);
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        s = new_node(model, "Sum", name, 12, s, s, s, s, s, s, s, s, s, s, s, s);
    }
    new_output(model, new_node(model, "Sub", "y", 2, new_node(model, "Sub", "d", 2, a, s),
                               new_node(model, "ReduceMax", "max", 2, a, axes)));
    assert_true(steps_of(model, (ob_view[]){view_of(x, OB_FLOAT, 2, 8, 8), view_of(x, OB_FLOAT, 2, 8, 1)}, 2) >= 1);
}

/* More steps than a chain has: sums of three operands, and operators of half precision, which convert. */
static void long_programs(void **state) {
    (void)state;
    static float x[40 * 300], w[300];
    static uint16_t h[40 * 300];
    for (int i = 0; i < 40 * 300; i++) x[i] = (float)(i % 97) / 7 - 3;
    for (int i = 0; i < 300; i++) w[i] = (float)i / 77;
    OBK_LOOPS(convert)[OB_FLOAT16][OB_FLOAT](h, x, 40 * 300);
    for (int half = 0; half < 2; half++) {
        ob_model *model = new_model(14);
        ob_value *v = new_input(model, "x", half ? OB_FLOAT16 : OB_FLOAT, "40 300"), *b = new_input(model, "w", OB_FLOAT, "300");
        for (int i = 0; i < 15; i++) {
            char name[16];
            snprintf(name, sizeof name, "v%d", i);
            v = half ? new_node(model, i % 2 ? "Softplus" : "Sigmoid", name, 1, v) : new_node(model, "Sum", name, 3, v, b, b);
        }
        new_output(model, v);
        if (half) new_output(model, new_node(model, "Neg", "n", 1, b));
        const ob_view in[] = {half ? view_of(h, OB_FLOAT16, 2, 40, 300) : view_of(x, OB_FLOAT, 2, 40, 300),
                              view_of(w, OB_FLOAT, 1, 300)};
        ob_session *session = check_beside_plain(model, in, 2, 1, NULL);
        ob_session_memory memory;
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.n_steps, 1 + half);
        ob_session_close(&session);
        ob_model_close(&model);
    }
}

/* Constants of 1 MB that are made one after the other: a group would keep all of them alive. */
static void groups_need_no_more_memory(void **state) {
    (void)state;
    ob_model *model = new_model(14);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 64"), *sum = x;
    for (int i = 0; i < 8; i++) {
        char name[3][16];
        for (int k = 0; k < 3; k++) snprintf(name[k], sizeof name[k], "%c%d", "abc"[k], i);
        sum = new_node(model, "Add", name[1], 2, sum, new_node(model, "Softmax", name[0], 1, x));
    }
    new_output(model, sum);
    static float data[4096];
    ob_session_memory memory[2];
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_view in = view_of(data, OB_FLOAT, 2, 64, 64), out = {0};
        run_ok(session, &in, 1, &out, 1);
        ob_session_get_memory(session, &memory[optimize]);
        ob_session_close(&session);
    }
    assert_true(memory[1].arena_bytes <= memory[0].arena_bytes);
    ob_model_close(&model);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs),     cmocka_unit_test(what_is_one_step),
                                              cmocka_unit_test(rows_are_one_step), cmocka_unit_test(the_search_is_short),
                                              cmocka_unit_test(long_programs),     cmocka_unit_test(groups_need_no_more_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
