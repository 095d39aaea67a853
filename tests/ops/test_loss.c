/* NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss of random calls, compared with their equations in double. */
#include "drawn_call.h"

enum { N_DRAWS = 600 };

typedef struct loss_case {
    bool softmax, weighted, ignores, with_log_prob;
    int64_t ignored;
    int reduction; /* of `reductions` */
    int64_t batch, classes, inner;
} loss_case;

static const char *const reductions[3] = {"none", "sum", "mean"};
static loss_case drawn;

static const char *loss(text *t) {
    static const int opsets[] = {12, 13, 22};
    static const char *const ignorable[] = {"1", "-1", "-100", "77", "0"};
    const int opset = opsets[one_of(3)], rank = 2 + one_of(4), choice = one_of(5);
    loss_case *c = &drawn;
    *c = (loss_case){.softmax = one_of(2), .weighted = one_of(2), .ignores = one_of(2), .reduction = one_of(3)};
    /* bfloat16 was added in version 22 of the first and in version 13 of the second. */
    const int real = one_of((c->softmax ? opset > 12 : opset > 21) ? 4 : 3);
    int dims[5] = {0}, labels[5];
    for (int a = 0; a < rank; a++) dims[a] = 1 + one_of(4);
    c->batch = dims[0];
    c->classes = dims[1] += 1;
    c->inner = 1;
    for (int a = 2; a < rank; a++) c->inner *= dims[a];
    labels[0] = dims[0];
    memcpy(labels + 1, dims + 2, (size_t)(rank - 2) * sizeof *dims);
    operand(t, reals[real], "x", rank, dims);
    operand(t, one_of(2) ? "int64" : "int32", "t", rank - 1, labels);
    if (c->weighted) operand(t, reals[real], "w", 1, dims + 1);
    if (c->reduction < 2 || one_of(2)) {
        char quoted[10];
        snprintf(quoted, sizeof quoted, "\"%s\"", reductions[c->reduction]);
        attribute(t, "reduction", "string", quoted);
    }
    c->ignored = strtoll(ignorable[choice], NULL, 10);
    if (c->ignores) attribute(t, "ignore_index", "int", ignorable[choice]);
    c->with_log_prob = c->softmax && one_of(2);
    t->n_out = c->with_log_prob ? 2 : 1;
    t->tolerance = (double[]){2e-6, 1e-13, 1e-2, 8e-2}[real];
    t->opset = opset;
    t->first = reals[real];
    return c->softmax ? "SoftmaxCrossEntropyLoss" : "NegativeLogLikelihoodLoss";
}

/* Labels are classes or ignore_index; weights are above 0. */
static void settle(ob_view *in) {
    const loss_case *c = &drawn;
    for (int64_t i = 0; i < ob_view_count(&in[1]); i++) {
        const double label = c->ignores && one_of(4) == 0 ? (double)c->ignored : one_of((int)c->classes);
        set_number(&in[1], i, label);
    }
    for (int64_t i = 0; c->weighted && i < c->classes; i++) set_number(&in[2], i, (1 + one_of(8)) / 4.0);
}

static double log_probability(const ob_view *x, int64_t n, int64_t class, int64_t k) {
    const loss_case *c = &drawn;
    const int64_t first = n * c->classes * c->inner + k;
    const double value = number_at(x, first + class * c->inner);
    double sum = 0;
    if (!c->softmax) return value;
    for (int64_t i = 0; i < c->classes; i++) sum += exp(number_at(x, first + i * c->inner));
    return value - log(sum);
}

static void expect_near(const text *t, uint32_t result, int64_t i, double got, double want) {
    if (isnan(want) ? !isnan(got) : !(fabs(got - want) <= t->tolerance * (1 + fabs(want))))
        fail_msg("%s\nresult %u, element %d: %.9g instead of %.9g", t->whole, result, (int)i, got, want);
}

static void check(const text *t, const ob_view *in, const ob_view *out) {
    const loss_case *c = &drawn;
    double sum = 0, weights = 0;
    const int64_t n = c->batch * c->inner;
    assert_int_equal(ob_view_count(&out[0]), c->reduction == 0 ? n : 1);
    assert_int_equal(out[0].rank, c->reduction == 0 ? in[1].rank : 0);
    for (int64_t i = 0; i < n; i++) {
        const int64_t label = (int64_t)number_at(&in[1], i);
        const bool ignored = c->ignores && label == c->ignored;
        const double weight = ignored ? 0 : c->weighted ? number_at(&in[2], label) : 1;
        const double each = ignored ? 0 : -log_probability(&in[0], i / c->inner, label, i % c->inner) * weight;
        if (c->reduction == 0) expect_near(t, 0, i, number_at(&out[0], i), each);
        sum += each;
        weights += weight;
    }
    if (c->reduction > 0) expect_near(t, 0, 0, number_at(&out[0], 0), c->reduction == 1 ? sum : sum / weights);
    for (int64_t i = 0; c->with_log_prob && i < ob_view_count(&in[0]); i++)
        expect_near(t, 1, i, number_at(&out[1], i),
                    log_probability(&in[0], i / c->inner / c->classes, i / c->inner % c->classes, i % c->inner));
}

static void losses_of_drawn_calls(void **state) {
    static double room[MAX_IN][MAX_ELEMENTS];
    (void)state;
    srand(43);
    for (int k = 0; k < N_DRAWS; k++) {
        text t;
        ob_view in[MAX_IN], out[MAX_OUT];
        draw(&t, loss);
        ob_model *model = read_text(t.whole);
        const size_t n = make_operands(model, &t, in, room);
        settle(in);
        ob_session *session = run(model, &t, in, n, out);
        check(&t, in, out);
        ob_session_close(&session);
        ob_model_close(&model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(losses_of_drawn_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
