/* Zeros around the operand of a convolution are counted by its window, and Pad and Tile that add nothing of their own are views:
 * random sizes give the bits of the nodes one by one; and the nodes that stay steps. */
#include <stdlib.h>

#include "kernels/kernels.h"
#include "model_text.h"
#include "session_case.h"

#define HEAD "<ir_version: 8, opset_import: [\"\" : 13]>\n"

enum { MOST_DATA = 16 };

static int64_t pick(int64_t n) {
    return rand() % n;
}

typedef struct drawn {
    ob_model *model;
    ob_dtype dtype;
    int32_t spatial;
    ob_view input;
    void *data[MOST_DATA];
    uint32_t n_data;
    int64_t x[5], padded[5];
} drawn;

static void *draw_elements(drawn *d, int64_t n, bool special) {
    const double values[] = {0.0, -0.0, (double)INFINITY, (double)NAN, 1e-40};
    char *data = malloc((size_t)(n + 1) * sizeof(double));
    assert_non_null(data);
    for (int64_t i = 0; i < n; i++) {
        const double v = special && pick(60) == 0 ? values[pick(5)] : (double)pick(2001) / 1000 - 1;
        if (d->dtype == OB_DOUBLE)
            ((double *)(void *)data)[i] = v;
        else if (d->dtype == OB_FLOAT)
            ((float *)(void *)data)[i] = (float)v;
        else
            OBK_LOOPS(convert)[d->dtype][OB_FLOAT]((uint16_t *)(void *)data + i, &(float){(float)v}, 1);
    }
    assert_true(d->n_data < MOST_DATA);
    return d->data[d->n_data++] = data;
}

static ob_value *list(drawn *d, const char *name, const int64_t *entries, int64_t n) {
    int64_t *kept = malloc((size_t)n * sizeof *kept);
    assert_non_null(kept);
    memcpy(kept, entries, (size_t)n * sizeof *kept);
    d->data[d->n_data++] = kept;
    return new_weight(d->model, name, OB_INT64, 1, &n, kept);
}

/* Mostly zeros around spatial axes; sometimes other elements, other axes, or fewer elements. */
static ob_value *add_pad(drawn *d, ob_value *x) {
    const int32_t rank = d->spatial + 2;
    int64_t pads[10] = {0};
    memcpy(d->padded, d->x, sizeof d->padded);
    for (int32_t a = pick(12) ? 2 : 0; a < rank; a++) {
        pads[a] = pick(3) ? pick(5) : 0;
        pads[rank + a] = pick(3) ? pick(5) : 0;
        if (pick(12) == 0 && d->x[a] > 1) pads[a] = -1;
        d->padded[a] += pads[a] + pads[rank + a];
    }
    ob_value *value = NULL;
    if (pick(2)) {
        void *data = draw_elements(d, 1, false);
        memset(data, 0, 8);
        if (pick(6) == 0) ((char *)data)[ob_dtype_size(d->dtype) - 1] = (char)(pick(2) ? 0x80 : 0x3f); /* -0, or more */
        value = new_weight(d->model, "value", d->dtype, 0, NULL, data);
    }
    ob_value *y = new_node(d->model, "Pad", "padded", value ? 3 : 2, x, list(d, "numbers", pads, 2 * rank), value);
    if (pick(12) == 0) assert_true(ob__node_set_string(y->producer, "mode", "edge"));
    return y;
}

static ob_value *add_conv(drawn *d, ob_value *x, const char *name, int64_t groups) {
    static const char *const modes[] = {"SAME_UPPER", "SAME_LOWER", "VALID"};
    char of_w[16], of_b[16];
    snprintf(of_w, sizeof of_w, "%s_w", name);
    snprintf(of_b, sizeof of_b, "%s_b", name);
    const int64_t channels = d->x[1] / groups;
    int64_t w[5] = {groups * (1 + pick(groups > 4 ? 1 : 20)), channels}, n = w[0] * channels, strides[3], pads[6], dilations[3];
    for (int32_t a = 0; a < d->spatial; a++) {
        w[2 + a] = 1 + pick(4);
        strides[a] = 1 + pick(2);
        dilations[a] = pick(4) ? 1 : 2;
        pads[a] = pick(3);
        pads[d->spatial + a] = pick(3);
        n *= w[2 + a];
    }
    ob_value *weights = new_weight(d->model, of_w, d->dtype, d->spatial + 2, w, draw_elements(d, n, false));
    ob_value *bias = pick(2) ? new_weight(d->model, of_b, d->dtype, 1, w, draw_elements(d, w[0], false)) : NULL;
    ob_value *y = new_node(d->model, "Conv", name, bias ? 3 : 2, x, weights, bias);
    assert_true(ob__node_set_ints(y->producer, "strides", strides, (uint32_t)d->spatial));
    assert_true(ob__node_set_ints(y->producer, "dilations", dilations, (uint32_t)d->spatial));
    if (pick(3) == 0)
        assert_true(ob__node_set_string(y->producer, "auto_pad", modes[pick(3)]));
    else
        assert_true(ob__node_set_ints(y->producer, "pads", pads, 2 * (uint32_t)d->spatial));
    assert_true(ob__node_set_int(y->producer, "group", groups));
    return y;
}

static drawn draw_model(void) {
    static const ob_dtype types[] = {OB_FLOAT, OB_FLOAT, OB_FLOAT, OB_DOUBLE, OB_FLOAT16};
    drawn d = {.model = new_model(13), .dtype = types[pick(5)], .spatial = 1 + (int32_t)pick(3)};
    const bool depthwise = pick(4) == 0;
    const int64_t groups = depthwise ? 5 + pick(8) : 1 + pick(2);
    char sizes[80];
    d.x[0] = pick(5) ? 1 : pick(3);
    d.x[1] = depthwise ? groups : groups * (1 + pick(9));
    int64_t n = d.x[0] * d.x[1];
    for (int32_t a = 0; a < d.spatial; a++) {
        d.x[2 + a] = 1 + pick(d.spatial == 1 ? 400 : d.spatial == 2 ? 30 : 8);
        n *= d.x[2 + a];
    }
    snprintf(sizes, sizeof sizes, "N %lld A B C", (long long)d.x[1]);
    sizes[strlen(sizes) - 2 * (size_t)(3 - d.spatial)] = 0;
    ob_value *x = new_input(d.model, "x", d.dtype, sizes);
    assert_int_equal(ob_view_init(&d.input, draw_elements(&d, n, true), d.dtype, d.spatial + 2, d.x), OB_OK);
    if (pick(3) == 0) x = new_node(d.model, "Neg", "before", 1, x);
    ob_value *padded = add_pad(&d, x);
    ob_value *y = add_conv(&d, padded, "y", groups);
    if (pick(2)) y = new_node(d.model, "Relu", "after", 1, y);
    new_output(d.model, y);
    if (pick(3) == 0) new_output(d.model, add_conv(&d, padded, "z", 1)); /* two windows */
    if (pick(8) == 0) new_output(d.model, pick(2) ? padded : new_node(d.model, "Abs", "all", 1, padded));
    return d;
}

static void count_pads(void *context, const ob_step_info *step) {
    static const char *const kernels[] = {"pad", "tile", "cast", "dropout", "gather", "copy"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) *(int *)context += strcmp(step->kernel, kernels[i]) == 0;
}

static int pads_in(const ob_session *session) {
    int n = 0;
    assert_int_equal(ob_session_each_step(session, count_pads, &n, NULL), OB_OK);
    return n;
}

/* -1: windows do not fit. */
static int check_windows(const drawn *d, int threads) {
    ob_session *joined = check_beside_plain(d->model, &d->input, 1, threads, NULL);
    const int n_pads = joined->current ? pads_in(joined) : -1;
    ob_session_close(&joined);
    return n_pads;
}

static void random_windows(void **state) {
    (void)state;
    const unsigned levels[] = {0, OBK_ISA_AVX2, ~0u};
    int n_ran = 0, n_joined = 0;
    srand(54);
    for (int round = 0; round < 1500; round++) {
        drawn d = draw_model();
        ob__kernels_limit(levels[round % 3]);
        const int n_pads = check_windows(&d, 1 + round % 2);
        n_ran += n_pads >= 0;
        n_joined += n_pads == 0;
        for (uint32_t i = 0; i < d.n_data; i++) free(d.data[i]);
        ob_model_close(&d.model);
    }
    ob__kernels_limit(~0u);
    assert_true(n_ran > 1000);
    assert_true(n_joined > n_ran / 2);
}

static void what_is_a_step(void **state) {
    (void)state;
    static float x[2 * 3 * 8];
    static const struct {
        const char *nodes;
        int n_steps;
    } cases[] = {
        {"p = Constant <value = int64[6] {0, 0, 1, 0, 0, 1}> ()\n z = Pad (x, p)\n y = Conv (z, w)", 0},
        {"p = Constant <value = int64[6] {0, 0, 1, 0, 0, 1}> ()\n z = Pad (x, p)\n a = Conv (z, w)\n y = Conv (z, w)", 0},
        {"p = Constant <value = int64[6] {0, 0, 1, 0, 0, 1}> ()\n z = Pad (x, p)\n y = Neg (z)", 1},
        {"p = Constant <value = int64[6] {0, 1, 1, 0, 0, 1}> ()\n z = Pad (x, p)\n y = ReduceSum (z)", 1},
        {"p = Constant <value = int64[6] {0, 0, 0, 0, 0, 0}> ()\n z = Pad (x, p)\n y = Neg (z)", 0},    /* adds nothing */
        {"p = Constant <value = int64[6] {0, -1, -2, 0, 0, -1}> ()\n z = Pad (x, p)\n y = Neg (z)", 0}, /* removes some */
        {"p = Constant <value = int64[6] {0, -1, -2, 0, 0, 2}> ()\n z = Pad (x, p)\n y = Neg (z)", 1},
        {"p = Constant <value = int64[3] {1, 1, 1}> ()\n z = Tile (x, p)\n y = Neg (z)", 0},
        {"p = Constant <value = int64[3] {1, 1, 2}> ()\n z = Tile (x, p)\n y = Neg (z)", 1},
        {"p = Constant <value = int64[3] {1, 4, 1}> ()\n s = ReduceMax <axes = [1]> (x)\n z = Tile (s, p)\n y = Neg (z)", 0},
        {"z = Cast <to = 1> (x)\n y = Neg (z)", 0},
        {"z = Cast <to = 11> (x)\n a = Hardmax (z)\n y = Cast <to = 1> (a)", 2},
        {"z = Dropout (x)\n y = Neg (z)", 0},
        {"z, m = Dropout (x)\n i = Cast <to = 1> (m)\n a = Hardmax (i)\n y = Sub (z, a)", 2},
        {"t = Constant <value = bool {0}> ()\n r = Constant <value = float {0.5}> ()\n z = Dropout (x, r, t)\n y = Neg (z)", 0},
        {"t = Constant <value = bool {1}> ()\n r = Constant <value = float {0.5}> ()\n z = Dropout (x, r, t)\n y = Neg (z)", 1},
        {"i = Constant <value = int64[1] {-2}> ()\n z = Gather <axis = 1> (x, i)\n y = Neg (z)", 0},
        {"i = Constant <value = int64[1, 1] {4}> ()\n z = Gather <axis = 2> (x, i)\n a = Neg (z)\n"
         " q = Constant <value = int64[1] {3}> ()\n y = Squeeze (a, q)",
         0},
        {"i = Constant <value = int64 {1}> ()\n z = Gather <axis = 0> (x, i)\n q = Gather <axis = 1> (z, i)\n"
         " s = Constant <value = int64[3] {1, 3, 1}> ()\n y = Reshape (q, s)",
         1}, /* a copy for the output */
        {"i = Constant <value = int64[2] {1, 0}> ()\n z = Gather <axis = 1> (x, i)\n y = Neg (z)", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ob_text text;
        ob__text_init(&text, NULL);
        ob__text_printf(&text,
                        HEAD "g (float[2, 3, 8] x) => (float[A, B, C] y) {\n"
                             " w = Constant <value = float[1, 3, 2] {1, 2, 3, 4, 5, 6}> ()\n %s\n}",
                        cases[i].nodes);
        ob_model *model = read_text(text.data);
        ob__text_release(&text);
        for (int k = 0; k < 48; k++) x[k] = (float)k;
        ob_view in = view_of(x, OB_FLOAT, 3, 2, 3, 8), want = {0}, is = {0};
        ob_session *plain = open_session(model, false), *session = open_session(model, true);
        run_ok(plain, &in, 1, &want, 1);
        run_ok(session, &in, 1, &is, 1);
        expect_floats(&is, want.data, ob_view_count(&want));
        if (pads_in(session) != cases[i].n_steps) fail_msg("case %zu: %d steps", i, pads_in(session));
        ob_session_close(&plain);
        ob_session_close(&session);
        ob_model_close(&model);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(random_windows), cmocka_unit_test(what_is_a_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
