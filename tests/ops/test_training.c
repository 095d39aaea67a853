/* Optimizers compared with the formulas of their specification, in double. */
#include "kernel_case.h"

#define DOMAIN "ai.onnx.preview.training"

enum { MAX_TENSORS = 3, N = 37 };

typedef struct step_case {
    const char *name, *mode; /* mode: of Momentum */
    double alpha, beta, epsilon, norm, norm_post, decay;
    int64_t count;
} step_case;

/* v and h: the states; Momentum has v, Adagrad h. */
static void oracle(const step_case *s, double rate, double x, double g, double v, double h, double *x_new, double *v_new,
                   double *h_new) {
    const double slope = s->norm * x + g;
    if (strcmp(s->name, "Adagrad") == 0) {
        *h_new = h + slope * slope;
        *x_new = x - rate / (1 + (double)s->count * s->decay) * slope / (sqrt(*h_new) + s->epsilon);
    } else if (strcmp(s->name, "Adam") == 0) {
        *v_new = s->alpha * v + (1 - s->alpha) * slope;
        *h_new = s->beta * h + (1 - s->beta) * slope * slope;
        if (s->count > 0) {
            double alphas = 1, betas = 1;
            for (int64_t i = 0; i < s->count; i++) alphas *= s->alpha, betas *= s->beta;
            rate = rate * sqrt(1 - betas) / (1 - alphas);
        }
        *x_new = (1 - s->norm_post) * (x - rate * *v_new / (sqrt(*h_new) + s->epsilon));
    } else {
        *v_new = s->alpha * v + (s->count > 0 ? s->beta : 1) * slope;
        *x_new = x - rate * (strcmp(s->mode, "nesterov") == 0 ? slope + s->alpha * *v_new : *v_new);
    }
}

static const step_case steps[] = {
    {"Adagrad", NULL, 0, 0, 1e-5, 0.001, 0, 0.1, 0},        {"Adagrad", NULL, 0, 0, 0.5, 0, 0, 0.25, 7},
    {"Adam", NULL, 0.95, 0.1, 1e-7, 0.001, 0, 0, 0},        {"Adam", NULL, 0.75, 0.5, 0.25, 0, 0.125, 0, 3},
    {"Momentum", "standard", 0.95, 0.1, 0, 0.001, 0, 0, 0}, {"Momentum", "standard", 0.95, 0.75, 0, 0.001, 0, 0, 5},
    {"Momentum", "nesterov", 0.95, 1, 0, 0.01, 0, 0, 0},    {"Momentum", "nesterov", 0.5, 0.75, 0, 0, 0, 0, 2},
};

static kernel_case *open_step(const step_case *s) {
    kernel_case *c = kc_open_in(DOMAIN, s->name, 1);
    if (s->mode) kc_string(c, "mode", s->mode);
    kc_float(c, "alpha", (float)s->alpha);
    kc_float(c, "beta", (float)s->beta);
    kc_float(c, "epsilon", (float)s->epsilon);
    kc_float(c, "norm_coefficient", (float)s->norm);
    kc_float(c, "norm_coefficient_post", (float)s->norm_post);
    kc_float(c, "decay_factor", (float)s->decay);
    return c;
}

/* The attributes are floats: the oracle uses their float values. */
static step_case as_floats(const step_case *s) {
    step_case f = *s;
    double *const all[] = {&f.alpha, &f.beta, &f.epsilon, &f.norm, &f.norm_post, &f.decay};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) *all[i] = (double)(float)*all[i];
    return f;
}

static void run_step(const step_case *s, uint32_t n, ob_dtype rate_type) {
    kernel_case *c = open_step(s);
    const step_case f = as_floats(s);
    const bool adam = strcmp(s->name, "Adam") == 0, momentum = s->mode != NULL;
    const uint32_t states = adam ? 2 : 1;
    kc_set(kc_in(c, 0, rate_type, SCALAR), 0, 0.125);
    kc_set(kc_in(c, 1, OB_INT64, SCALAR), 0, (double)s->count);
    for (uint32_t i = 0; i < n * (2 + states); i++) {
        /* Tensors of another type and shape each; the second is empty. */
        const ob_dtype type = i % n == 1 ? OB_FLOAT : i % n == 0 ? OB_DOUBLE : OB_FLOAT;
        ob_view *view = i % n == 0 ? kc_in(c, 2 + i, type, DIMS(N)) : kc_in(c, 2 + i, type, DIMS(3, i % n == 1 ? 0 : 5));
        for (int64_t k = 0; k < ob__count(view); k++)
            kc_set(view, k, i / n < 2 ? (double)((k * 7 + i) % 13) / 4 - 1.5 : (double)((k * 5 + i) % 11) / 8 + 0.25);
        if (i < n * (1 + states)) kc_out(c, i, type, view->rank, view->dims);
    }
    kc_run(c);
    for (uint32_t i = 0; i < n; i++)
        for (int64_t k = 0; k < ob__count(&c->in[2 + i]); k++) {
            double v = kc_get(&c->in[2 + 2 * n + i], k), h = kc_get(&c->in[2 + (1 + states) * n + i], k), x_new = 0, v_new = 0,
                   h_new = 0;
            const double tolerance = c->in[2 + i].dtype == OB_DOUBLE ? 1e-13 : 1e-6;
            oracle(&f, 0.125, kc_get(&c->in[2 + i], k), kc_get(&c->in[2 + n + i], k), v, h, &x_new, &v_new, &h_new);
            kc_near(kc_get(&c->out[i], k), x_new, tolerance);
            if (momentum || adam) kc_near(kc_get(&c->out[n + i], k), v_new, tolerance);
            if (!momentum) kc_near(kc_get(&c->out[states * n + i], k), h_new, tolerance);
        }
    kc_close(c);
}

static void one_step_of_every_optimizer(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        for (uint32_t n = 1; n <= MAX_TENSORS; n++) {
            run_step(&steps[i], n, OB_FLOAT);
            run_step(&steps[i], n, OB_DOUBLE);
        }
}

static kernel_case *small_step(const char *mode, uint32_t n_in, uint32_t n_out) {
    kernel_case *c = kc_open_in(DOMAIN, "Momentum", 1);
    if (mode) kc_string(c, "mode", mode);
    kc_set(kc_in(c, 0, OB_FLOAT, SCALAR), 0, 1);
    kc_set(kc_in(c, 1, OB_INT64, SCALAR), 0, 0);
    for (uint32_t i = 2; i < n_in; i++) kc_random(kc_in(c, i, OB_FLOAT, DIMS(2)), 1, 2);
    for (uint32_t i = 0; i < n_out; i++) kc_out(c, i, OB_FLOAT, DIMS(2));
    return c;
}

static void expect_refused(kernel_case *c, ob_status status, const char *message) {
    assert_int_equal(kc_try(c), status);
    if (!strstr(c->error.message, message)) fail_msg("\"%s\" does not say \"%s\"", c->error.message, message);
    kc_close(c);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    kernel_case *c = small_step("standard", 5, 2);
    kc_run(c);
    kc_close(c);
    expect_refused(small_step("fast", 5, 2), OB_E_ARGUMENT, "mode");
    expect_refused(small_step(NULL, 5, 2), OB_E_ARGUMENT, "mode");
    expect_refused(small_step("standard", 6, 2), OB_E_ARGUMENT, "6 operands");
    expect_refused(small_step("standard", 2, 2), OB_E_ARGUMENT, "2 operands");
    expect_refused(small_step("standard", 5, 1), OB_E_ARGUMENT, "1 results");
    c = small_step("standard", 5, 2);
    kc_random(kc_in(c, 3, OB_FLOAT, DIMS(3)), 1, 2);
    expect_refused(c, OB_E_SHAPE, "operand 3");
    c = small_step("standard", 5, 2);
    kc_random(kc_in(c, 4, OB_DOUBLE, DIMS(2)), 1, 2);
    expect_refused(c, OB_E_SHAPE, "operand 4");
    c = small_step("standard", 5, 2);
    kc_random(kc_in(c, 1, OB_INT64, DIMS(2)), 1, 2);
    expect_refused(c, OB_E_SHAPE, "one element");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_step_of_every_optimizer),
                                       cmocka_unit_test(what_does_not_fit_is_refused)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
