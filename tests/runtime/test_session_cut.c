/* Slices whose bounds only a run determines, including "to the end", and Splits with unused parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "session_case.h"

/* The source of the Slice's bound: an input, a weight, or a Compress, whose result no plan knows. */
typedef enum source { INPUT, WEIGHT, COMPUTED, SOURCES } source;

typedef struct feed {
    ob_view views[8];
    size_t n;
    int64_t wide[4];
    int32_t narrow[4];
    bool keep;
    int n_bounds;
} feed;

static ob_value *add_bound(ob_model *model, feed *f, source from, ob_dtype dtype, const char *name, int64_t value) {
    int at = f->n_bounds++;
    static const char *const kept[] = {"k0", "k1", "k2", "k3"};
    f->wide[at] = value;
    f->narrow[at] = (int32_t)value;
    void *data = dtype == OB_INT64 ? (void *)&f->wide[at] : (void *)&f->narrow[at];
    if (from == WEIGHT) return new_weight(model, name, dtype, 1, (int64_t[]){1}, data);
    ob_value *bound = new_input(model, name, dtype, "1");
    f->views[f->n++] = view_of(data, dtype, 1, 1);
    if (from == INPUT) return bound;
    ob_value *keep = new_input(model, ob__intern(model, kept[at], 2), OB_BOOL, "1");
    f->keep = true;
    f->views[f->n++] = view_of(&f->keep, OB_BOOL, 1, 1);
    char computed[16];
    snprintf(computed, sizeof computed, "computed%d", at);
    return new_node(model, "Compress", computed, 2, bound, keep);
}

/* By the specification: negative bounds count from the end; then a start is clamped to 0 .. n (backwards n - 1), an end to 0 .. n
 * (-1 .. n
 * - 1).
 */
static int64_t take(int64_t n, int64_t start, int64_t end, int64_t step, int64_t *indices) {
    int64_t count = 0, low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    if (n == 0) return 0;
    start = start < 0 ? (start < -n ? -1 - n : start) + n : start;
    end = end < 0 ? (end < -n ? -1 - n : end) + n : end;
    start = start < 0 ? 0 : start > high ? high : start;
    end = end < low ? low : end > high ? high : end;
    for (int64_t i = start; step > 0 ? i < end : i > end; i += step) indices[count++] = i;
    return count;
}

static void slice_once(source from, ob_dtype dtype, const char *declared, int64_t n, int64_t start, int64_t end, int64_t step) {
    float x[8];
    int64_t indices[8], count = take(n, start, end, step, indices);
    for (int i = 0; i < 8; i++) x[i] = (float)i;
    for (int optimize = 0; optimize < 2; optimize++) {
        feed f = {.n = 0};
        ob_model *model = new_model(14);
        ob_value *data = new_input(model, "x", OB_FLOAT, declared);
        f.views[f.n++] = view_of(x, OB_FLOAT, 1, (int)n);
        ob_value *starts = add_bound(model, &f, from, dtype, "starts", start),
                 *ends = add_bound(model, &f, from, dtype, "ends", end);
        int64_t zero = 0;
        int32_t narrow[2] = {0, (int32_t)step};
        bool wide = dtype == OB_INT64;
        ob_value *axes = new_weight(model, "axes", dtype, 1, (int64_t[]){1}, wide ? (void *)&zero : (void *)&narrow[0]);
        ob_value *steps = new_weight(model, "steps", dtype, 1, (int64_t[]){1}, wide ? (void *)&step : (void *)&narrow[1]);
        new_output(model, new_node(model, "Slice", "y", 5, data, starts, ends, axes, steps));
        ob_session *session = open_session(model, optimize);
        ob_view out = {0};
        run_ok(session, f.views, f.n, &out, 1);
        assert_int_equal(ob_view_count(&out), count);
        for (int64_t i = 0; i < count; i++) assert_int_equal((int64_t)((const float *)out.data)[i], indices[i]);
        ob_session_close(&session);
        ob_model_close(&model);
    }
}

static void test_slice_to_the_end(void **state) {
    (void)state;
    static const int64_t wide[] = {INT64_MIN, INT64_MIN + 1, -9, -2, -1, 0, 1, 5, 9, INT64_MAX - 1, INT64_MAX};
    static const int64_t narrow[] = {INT32_MIN, -2, 0, 3, INT32_MAX};
    for (int from = 0; from < SOURCES; from++)
        for (int64_t n = 0; n < 6; n += n ? 4 : 1)
            for (int symbolic = 0; symbolic < 2; symbolic++) {
                char size[8];
                snprintf(size, sizeof size, symbolic ? "N" : "%d", (int)n);
                for (int64_t step = -2; step <= 2; step++) {
                    if (step == 0) continue;
                    for (size_t s = 0; s < 11; s++)
                        for (size_t e = 0; e < 11; e++) slice_once(from, OB_INT64, size, n, wide[s], wide[e], step);
                    for (size_t s = 0; s < 5; s++)
                        for (size_t e = 0; e < 5; e++) slice_once(from, OB_INT32, size, n, narrow[s], narrow[e], step);
                }
            }
}

/* ---- Split ---- */

typedef enum sizes { EVEN, ATTRIBUTE, OPERAND, FROM_INPUT, SIZES } sizes;

/* Seven rows in three parts of which only the last is used, or the first and the last. */
static void split_once(sizes how, bool first_too, bool optimize, const char *declared) {
    float x[14];
    int64_t given[3] = {1, 4, 2};
    for (int i = 0; i < 14; i++) x[i] = (float)i;
    ob_model *model = new_model(how == ATTRIBUTE ? 11 : how == EVEN ? 18 : 13);
    ob_value *data = new_input(model, "x", OB_FLOAT, declared), *operand = NULL;
    ob_view in[2] = {view_of(x, OB_FLOAT, 2, 7, 2), view_of(given, OB_INT64, 1, 3)}, out[2] = {{0}};
    if (how == OPERAND) operand = new_weight(model, "sizes", OB_INT64, 1, (int64_t[]){3}, given);
    if (how == FROM_INPUT) operand = new_input(model, "sizes", OB_INT64, "3");
    ob_node *node = ob__node_new(model->graph, NULL, "", "Split", operand ? 2 : 1, 3);
    assert_non_null(node);
    node->inputs[0] = data;
    if (operand) node->inputs[1] = operand;
    if (how == ATTRIBUTE) assert_true(ob__node_set_ints(node, "split", given, 3));
    if (how == EVEN) assert_true(ob__node_set_int(node, "num_outputs", 3));
    static const char *const names[] = {"a", "b", "c"};
    for (uint32_t i = 0; i < 3; i += 2)
        if (i == 2 || first_too) {
            ob__node_set_output(node, i, ob__value_new(model->graph, names[i]));
            new_output(model, node->outputs[i]);
        }
    ob_session *session = open_session(model, optimize);
    run_ok(session, in, how == FROM_INPUT ? 2 : 1, out, first_too ? 2 : 1);
    int64_t before = how == EVEN ? 6 : 5, n = how == EVEN ? 1 : 2;
    expect_floats(&out[first_too], x + 2 * before, 2 * n);
    if (first_too) expect_floats(&out[0], x, how == EVEN ? 6 : 2);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_split_with_parts_left_out(void **state) {
    (void)state;
    for (int how = 0; how < SIZES; how++)
        for (int variant = 0; variant < 8; variant++) split_once(how, variant & 1, variant & 2, variant & 4 ? "N 2" : "7 2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slice_to_the_end),
        cmocka_unit_test(test_split_with_parts_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
