/* RNN, GRU and LSTM compared with the formulas, one element at a time. */
#include "kernel_case.h"

static int pick(int n) {
    return rand() % n;
}

typedef struct setting {
    const char *op;
    int gates, directions;
    bool reverse, batch_first, before_reset, forget, has_bias, has_lengths, has_state, has_peephole;
    double clip;
    int64_t steps, batch, inputs, hidden;
} setting;

static void fill(ob_view *view) {
    for (int64_t i = 0; i < ob__count(view); i++) kc_set(view, i, (rand() % 200 - 100) / 64.0);
}

static double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

static double clipped(const setting *s, double x) {
    return s->clip > 0 ? x < -s->clip ? -s->clip : x > s->clip ? s->clip : x : x;
}

/* W x + R h of one gate (with both biases, or one alone). */
static double gate(const kernel_case *c, const setting *s, int d, int g, int64_t k, int64_t x_row, const double *h, bool with_x,
                   bool with_h) {
    double sum = 0;
    int64_t row = ((int64_t)d * s->gates + g) * s->hidden + k;
    for (int64_t i = 0; with_x && i < s->inputs; i++)
        sum += kc_get(&c->in[1], row * s->inputs + i) * kc_get(&c->in[0], x_row * s->inputs + i);
    for (int64_t i = 0; with_h && i < s->hidden; i++) sum += kc_get(&c->in[2], row * s->hidden + i) * h[i];
    int64_t biases = (int64_t)d * 2 * s->gates * s->hidden + g * s->hidden + k;
    if (s->has_bias && with_x) sum += kc_get(&c->in[3], biases);
    if (s->has_bias && with_h) sum += kc_get(&c->in[3], biases + s->gates * s->hidden);
    return sum;
}

static void step(const kernel_case *c, const setting *s, int d, int64_t row, double *h, double *cell) {
    double fresh[8], reset[8];
    int64_t n = s->hidden;
    for (int64_t k = 0; k < n && s->gates == 3; k++)
        reset[k] = h[k] * sigmoid(clipped(s, gate(c, s, d, 1, k, row, h, true, true)));
    for (int64_t k = 0; k < n; k++) {
        if (s->gates == 1)
            fresh[k] = tanh(clipped(s, gate(c, s, d, 0, k, row, h, true, true)));
        else if (s->gates == 3) {
            double z = sigmoid(clipped(s, gate(c, s, d, 0, k, row, h, true, true)));
            double r = sigmoid(clipped(s, gate(c, s, d, 1, k, row, h, true, true)));
            double own = s->before_reset ? gate(c, s, d, 2, k, row, h, true, false) + r * gate(c, s, d, 2, k, row, h, false, true)
                                         : gate(c, s, d, 2, k, row, reset, true, true);
            fresh[k] = (1 - z) * tanh(clipped(s, own)) + z * h[k];
        } else {
            double p[3] = {0};
            for (int i = 0; s->has_peephole && i < 3; i++) p[i] = kc_get(&c->in[7], ((int64_t)d * 3 + i) * n + k);
            double i = sigmoid(clipped(s, gate(c, s, d, 0, k, row, h, true, true) + p[0] * cell[k]));
            double f = sigmoid(clipped(s, gate(c, s, d, 2, k, row, h, true, true) + p[2] * cell[k]));
            if (s->forget) f = 1 - i;
            cell[k] = f * cell[k] + i * tanh(clipped(s, gate(c, s, d, 3, k, row, h, true, true)));
            fresh[k] = sigmoid(clipped(s, gate(c, s, d, 1, k, row, h, true, true) + p[1] * cell[k])) * tanh(clipped(s, cell[k]));
        }
    }
    memcpy(h, fresh, (size_t)n * sizeof *h);
}

static void check(const kernel_case *c, const setting *s, double tolerance) {
    int64_t n = s->hidden;
    for (int d = 0; d < s->directions; d++)
        for (int64_t b = 0; b < s->batch; b++) {
            double h[8] = {0}, cell[8] = {0};
            int64_t state = (s->batch_first ? b * s->directions + d : d * s->batch + b) * n;
            int64_t length = s->has_lengths ? (int64_t)kc_get(&c->in[4], b) : s->steps;
            for (int64_t k = 0; s->has_state && k < n; k++) {
                h[k] = kc_get(&c->in[5], state + k);
                if (s->gates == 4) cell[k] = kc_get(&c->in[6], state + k);
            }
            for (int64_t i = 0; i < s->steps; i++) {
                int64_t t = i < length && (s->reverse || d == 1) ? length - 1 - i : i;
                if (i < length) step(c, s, d, s->batch_first ? b * s->steps + t : t * s->batch + b, h, cell);
                int64_t y =
                    (s->batch_first ? (b * s->steps + t) * s->directions + d : (t * s->directions + d) * s->batch + b) * n;
                for (int64_t k = 0; k < n; k++) kc_near(kc_get(&c->out[0], y + k), i < length ? h[k] : 0, tolerance);
            }
            for (int64_t k = 0; k < n; k++) {
                kc_near(kc_get(&c->out[1], state + k), h[k], tolerance);
                if (s->gates == 4) kc_near(kc_get(&c->out[2], state + k), cell[k], tolerance);
            }
        }
}

static void round_of(const char *op, ob_dtype dtype) {
    setting s = {.op = op, .gates = op[0] == 'R' ? 1 : op[0] == 'G' ? 3 : 4, .directions = 1 + pick(2), .reverse = pick(2)};
    if (s.directions == 2) s.reverse = false;
    s.batch_first = pick(2);
    s.before_reset = pick(2);
    s.forget = pick(4) == 0;
    s.has_bias = pick(2);
    s.has_lengths = pick(2);
    s.has_state = pick(2);
    s.has_peephole = s.gates == 4 && pick(2);
    s.clip = pick(3) ? 0 : 0.5;
    s.steps = pick(4);
    s.batch = 1 + pick(3);
    s.inputs = pick(4);
    s.hidden = 1 + pick(4);
    kernel_case *c = kc_open(op, 22);
    kc_string(c, "direction", s.directions == 2 ? "bidirectional" : s.reverse ? "reverse" : "forward");
    kc_int(c, "layout", s.batch_first);
    kc_int(c, "linear_before_reset", s.before_reset);
    kc_int(c, "input_forget", s.forget);
    kc_int(c, "hidden_size", s.hidden);
    if (s.clip > 0) kc_float(c, "clip", (float)s.clip);
    int64_t d = s.directions, gates = s.gates * s.hidden;
    int64_t state[3] = {s.batch_first ? s.batch : d, s.batch_first ? d : s.batch, s.hidden};
    fill(kc_in(c, 0, dtype, 3, (int64_t[]){s.batch_first ? s.batch : s.steps, s.batch_first ? s.steps : s.batch, s.inputs}));
    fill(kc_in(c, 1, dtype, 3, (int64_t[]){d, gates, s.inputs}));
    fill(kc_in(c, 2, dtype, 3, (int64_t[]){d, gates, s.hidden}));
    if (s.has_bias) fill(kc_in(c, 3, dtype, 2, (int64_t[]){d, 2 * gates}));
    if (s.has_lengths)
        for (int64_t b = 0; b < s.batch; b++)
            kc_set(b ? &c->in[4] : kc_in(c, 4, OB_INT32, 1, &s.batch), b, pick((int)s.steps + 1));
    if (s.has_state) fill(kc_in(c, 5, dtype, 3, state));
    if (s.has_state && s.gates == 4) fill(kc_in(c, 6, dtype, 3, state));
    if (s.has_peephole) fill(kc_in(c, 7, dtype, 2, (int64_t[]){d, 3 * s.hidden}));
    int64_t y[4] = {s.steps, d, s.batch, s.hidden}, y_batch_first[4] = {s.batch, s.steps, d, s.hidden};
    kc_out(c, 0, dtype, 4, s.batch_first ? y_batch_first : y);
    kc_out(c, 1, dtype, 3, state);
    if (s.gates == 4) kc_out(c, 2, dtype, 3, state);
    kc_run(c);
    check(c, &s, kc_tolerance(dtype) * 4);
    kc_close(c);
}

static void cells_in_every_type(void **state) {
    (void)state;
    srand(71);
    static const char *const ops[] = {"RNN", "GRU", "LSTM"};
    for (int k = 0; k < 3; k++)
        for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
            if (kc_takes(ob__op_find("", ops[k], 0), (ob_dtype)dtype))
                for (int round = 0; round < 120; round++) round_of(ops[k], (ob_dtype)dtype);
}

static void hostile_lengths_and_shapes_are_refused(void **state) {
    (void)state;
    kernel_case *c = kc_open("RNN", 14);
    fill(kc_in(c, 0, OB_FLOAT, DIMS(3, 1, 2)));
    fill(kc_in(c, 1, OB_FLOAT, DIMS(1, 4, 2)));
    fill(kc_in(c, 2, OB_FLOAT, DIMS(1, 4, 4)));
    kc_set(kc_in(c, 4, OB_INT32, DIMS(1)), 0, 4);
    kc_out(c, 0, OB_FLOAT, DIMS(3, 1, 1, 4));
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_set(&c->in[4], 0, -1);
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_set(&c->in[4], 0, 3);
    kc_run(c);
    kc_in(c, 2, OB_FLOAT, DIMS(1, 4, 3));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_in_every_type),
        cmocka_unit_test(hostile_lengths_and_shapes_are_refused),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
