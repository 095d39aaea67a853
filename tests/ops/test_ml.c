/* The operators of ai.onnx.ml in sessions, compared with a naive implementation of the specification in double. */
#include "forest_case.h"

enum { ROWS = 600, MOST_BYTES = 1 << 16 };

/* ---- Sessions of one node ---- */

typedef struct fixture {
    ob_model *model;
    ob_session *session;
    ob_view out[2];
    ob_error error;
} fixture;

static ob_status try_open(fixture *f, const char *text, int threads) {
    ob_session_config config;
    memset(f, 0, sizeof *f);
    f->model = read_text(text);
    ob_session_config_init(&config);
    config.n_threads = threads;
    return ob_session_create(f->model, &config, &f->session, &f->error);
}

static void open_text(fixture *f, const char *text, int threads) {
    if (try_open(f, text, threads) != OB_OK) fail_msg("%s\n%s", f->error.message, text);
}

static void run(fixture *f, const ob_view *x) {
    if (ob_session_run(f->session, x, x ? 1 : 0, f->out, ob_session_output_count(f->session), &f->error) != OB_OK)
        fail_msg("%s", f->error.message);
}

static void close_all(fixture *f) {
    ob_session_close(&f->session);
    ob_model_close(&f->model);
}

static double number_at(const ob_view *view, int64_t i) {
    switch (view->dtype) {
    case OB_FLOAT: return (double)((const float *)view->data)[i];
    case OB_DOUBLE: return ((const double *)view->data)[i];
    case OB_INT64: return (double)((const int64_t *)view->data)[i];
    case OB_INT32: return (double)((const int32_t *)view->data)[i];
    case OB_INT16: return (double)((const int16_t *)view->data)[i];
    default: fail_msg("no number"); return 0;
    }
}

static void expect_near(double got, double expected, double tolerance, const char *what, int64_t at) {
    if (got == expected || (isnan(got) && isnan(expected))) return;
    if (!(fabs(got - expected) <= tolerance * (1 + fabs(expected))))
        fail_msg("%s: element %lld is %.9g, expected %.9g", what, (long long)at, got, expected);
}

/* ---- post_transform by its formulas; PROBIT by halving ---- */

static double probit_of(double p) {
    double low = -40, high = 40;
    if (!(p >= 0 && p <= 1)) return NAN;
    if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        if (0.5 * erfc(-middle / sqrt(2.0)) < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void transform_of(int transform, double *scores, int n) {
    double sum = 0, high = -INFINITY;
    for (int k = 0; k < n; k++) high = fmax(high, scores[k]);
    for (int k = 0; k < n; k++)
        if (transform == 1 || (transform == 3 && scores[k] != 0)) sum += exp(scores[k] - high);
    for (int k = 0; k < n; k++) {
        if (transform == 1) scores[k] = exp(scores[k] - high) / sum;
        if (transform == 2) scores[k] = 1 / (1 + exp(-scores[k]));
        if (transform == 3 && scores[k] != 0) scores[k] = exp(scores[k] - high) / sum;
        if (transform == 4) scores[k] = probit_of(scores[k]);
    }
}

/* ---- Trees ---- */

typedef struct rows {
    double x[ROWS][FC_FEATURES]; /* exact in the operand's type */
    char bytes[ROWS * FC_FEATURES * sizeof(double)];
    ob_view view;
} rows;

static void make_rows(rows *r, forest_case *f, ob_dtype dtype, int64_t n) {
    static const double special[] = {NAN, INFINITY, -INFINITY, -0.0};
    const bool whole = dtype == OB_INT32 || dtype == OB_INT64;
    const int64_t dims[2] = {n, FC_FEATURES};
    for (int64_t i = 0; i < n * FC_FEATURES; i++) {
        double x = fc_random(&f->seed, 8) ? fc_number(f) : special[fc_random(&f->seed, 4)];
        if (whole) x = isfinite(x) ? floor(x) : 7;
        r->x[i / FC_FEATURES][i % FC_FEATURES] = x;
        if (dtype == OB_FLOAT) ((float *)(void *)r->bytes)[i] = (float)x;
        if (dtype == OB_DOUBLE) ((double *)(void *)r->bytes)[i] = x;
        if (dtype == OB_INT32) ((int32_t *)(void *)r->bytes)[i] = (int32_t)x;
        if (dtype == OB_INT64) ((int64_t *)(void *)r->bytes)[i] = (int64_t)x;
    }
    assert_int_equal(ob_view_init(&r->view, r->bytes, dtype, 2, dims), OB_OK);
}

typedef enum tree_form { CLASSIFIER, REGRESSOR, ENSEMBLE } tree_form;

static void write_forest(ob_text *text, const forest_case *f, tree_form form, const char *type, bool as_tensor,
                         const char *base) {
    text->n = 0;
    ob__text_printf(text, "<ir_version: 10, opset_import: [\"\" : 18, \"ai.onnx.ml\" : %d]>\ng (%s[N, %d] x) => (%s) {\n ",
                    form == ENSEMBLE ? 5
                    : as_tensor      ? 3
                                     : 1,
                    type, FC_FEATURES, form == CLASSIFIER ? "label, scores" : "scores");
    ob__text_printf(text, "%sscores = ai.onnx.ml.%s<", form == CLASSIFIER ? "label, " : "",
                    form == CLASSIFIER  ? "TreeEnsembleClassifier"
                    : form == REGRESSOR ? "TreeEnsembleRegressor"
                                        : "TreeEnsemble");
    if (form == ENSEMBLE)
        fc_positioned(text, f, type);
    else
        fc_listed(text, f, form == CLASSIFIER, as_tensor);
    if (form == CLASSIFIER) {
        ob__text_printf(text, ", classlabels_int64s: ints = [");
        for (int k = 0; k < f->n_results; k++) ob__text_printf(text, "%s%d", k ? ", " : "", 100 + 7 * k);
        ob__text_printf(text, "]");
    }
    ob__text_printf(text, "%s>(x)\n}\n", base ? base : "");
}

/* Labels and scores of a row by the specification, with two classes that have votes, or more. */
static double expect_row(const forest_case *f, const double *x, const double *base, double *scores) {
    int top = 0;
    fc_scores(f, x, scores);
    for (int k = 0; k < f->n_results && base; k++) scores[k] += base[k];
    for (int k = 1; k < f->n_results; k++)
        if (scores[k] > scores[top]) top = k;
    transform_of(f->transform, scores, f->n_results);
    return 100 + 7 * top;
}

static void check_forest(const forest_case *f, tree_form form, const char *text, const rows *r, const double *base) {
    static const int threads[] = {1, 3};
    fixture runs[2];
    for (int i = 0; i < 2; i++) {
        open_text(&runs[i], text, threads[i]);
        run(&runs[i], &r->view);
    }
    const ob_view *out = &runs[0].out[form == CLASSIFIER];
    assert_int_equal(ob_view_count(out), r->view.dims[0] * f->n_results);
    for (int64_t i = 0; i < r->view.dims[0]; i++) {
        double scores[FC_RESULTS];
        const double label = expect_row(f, r->x[i], base, scores);
        for (int k = 0; k < f->n_results; k++)
            expect_near(number_at(out, i * f->n_results + k), scores[k], 2e-6, text, i * f->n_results + k);
        if (form == CLASSIFIER) assert_true(number_at(&runs[0].out[0], i) == label);
    }
    for (size_t k = 0; k < ob_session_output_count(runs[0].session); k++)
        assert_memory_equal(runs[0].out[k].data, runs[1].out[k].data,
                            (size_t)ob_view_count(&runs[0].out[k]) * ob_dtype_size(runs[0].out[k].dtype));
    close_all(&runs[0]);
    close_all(&runs[1]);
}

/* Weights of 64ths and quarters as base: sums are exact, so ties are ties. */
static const double bases[FC_RESULTS] = {0.25, -0.5, 0.75, 0};

static void forests(ob_dtype dtype, const char *type, tree_form form, bool as_tensor) {
    static const int64_t counts[] = {1, 0, 7, 8, 9, 255, 256, 257, ROWS};
    static forest_case f;
    static rows r;
    ob_text text;
    ob__text_init(&text, NULL);
    for (unsigned i = 0; i < 45; i++) {
        const bool whole = dtype == OB_INT32 || dtype == OB_INT64, with_base = form != ENSEMBLE && i % 3 == 0;
        const int n_results = form == CLASSIFIER ? 3 + (int)(i % 2) : 1 + (int)(i % 3);
        char base[100] = "";
        fc_make(&f, 77 + i, n_results, form == ENSEMBLE, whole);
        f.aggregate = form == CLASSIFIER || n_results == 1 ? 1 : (int)(i % 4);
        if (form != CLASSIFIER && n_results == 1) f.aggregate = (int)(i / 3 % 4);
        f.transform = (int)(i % 5);
        make_rows(&r, &f, dtype, counts[i % 9]);
        for (int k = 0; k < n_results && with_base; k++) {
            char *at = base + strlen(base);
            snprintf(at, 40, "%s%g", k ? ", " : ", base_values: floats = [", bases[k]);
        }
        if (with_base) strcat(base, "]");
        write_forest(&text, &f, form, type, as_tensor, base);
        check_forest(&f, form, text.data, &r, with_base ? bases : NULL);
    }
    ob__text_release(&text);
}

static void test_forests(void **state) {
    (void)state;
    forests(OB_FLOAT, "float", CLASSIFIER, false);
    forests(OB_FLOAT, "float", REGRESSOR, false);
    forests(OB_FLOAT, "float", ENSEMBLE, false);
    forests(OB_DOUBLE, "double", CLASSIFIER, true);
    forests(OB_DOUBLE, "double", REGRESSOR, false);
    forests(OB_FLOAT, "float", REGRESSOR, true);
    forests(OB_DOUBLE, "double", ENSEMBLE, false);
    forests(OB_INT32, "int32", REGRESSOR, false);
    forests(OB_INT64, "int64", CLASSIFIER, false);
}

/* ---- Linear models and support vectors ---- */

enum { F = 5, N = 21, V = 7 };

static float draw(unsigned *seed) {
    return ((float)fc_random(seed, 2001) - 1000) / 500;
}

static void put_list(ob_text *text, const char *name, const float *at, int n) {
    ob__text_printf(text, ", %s: floats = [", name);
    for (int i = 0; i < n; i++) ob__text_printf(text, "%s%.9g", i ? ", " : "", (double)at[i]);
    ob__text_printf(text, "]");
}

static void put_ints(ob_text *text, const char *name, const int *at, int n) {
    ob__text_printf(text, ", %s: ints = [", name);
    for (int i = 0; i < n; i++) ob__text_printf(text, "%s%d", i ? ", " : "", at[i]);
    ob__text_printf(text, "]");
}

static void begin_model(ob_text *text, const char *op, const char *type, int transform, bool classifier) {
    text->n = 0;
    ob__text_printf(text, "<ir_version: 8, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 1]>\ng (%s[N, %d] x) => (%ss) {\n ", type,
                    F, classifier ? "l, " : "");
    ob__text_printf(text, "%ss = ai.onnx.ml.%s<post_transform: string = \"%s\"", classifier ? "l, " : "", op,
                    fc_transforms[transform]);
}

/* An operand and its elements as doubles. */
static void draw_operand(unsigned *seed, ob_dtype dtype, void *bytes, double *x, ob_view *view) {
    const int64_t dims[2] = {N, F};
    for (int i = 0; i < N * F; i++) {
        x[i] = dtype == OB_INT32 || dtype == OB_INT64 ? (double)((int)fc_random(seed, 9) - 4) : (double)draw(seed);
        if (dtype == OB_FLOAT) ((float *)bytes)[i] = (float)x[i];
        if (dtype == OB_DOUBLE) ((double *)bytes)[i] = x[i];
        if (dtype == OB_INT32) ((int32_t *)bytes)[i] = (int32_t)x[i];
        if (dtype == OB_INT64) ((int64_t *)bytes)[i] = (int64_t)x[i];
    }
    assert_int_equal(ob_view_init(view, bytes, dtype, 2, dims), OB_OK);
}

/* Scores of N rows and, for a classifier, the indices of their labels in 10, 20, 30 ... */
static void check_scores(const ob_text *text, const ob_view *x, const double *scores, const int *top, int columns) {
    fixture one, three;
    open_text(&one, text->data, 1);
    open_text(&three, text->data, 3);
    run(&one, x);
    run(&three, x);
    const ob_view *out = &one.out[top != NULL];
    assert_int_equal(ob_view_count(out), N * columns);
    for (int i = 0; i < N * columns; i++) expect_near(number_at(out, i), scores[i], 1e-6, text->data, i);
    for (int i = 0; top && i < N; i++) assert_int_equal(((const int64_t *)one.out[0].data)[i], 10 * (top[i] + 1));
    assert_memory_equal(out->data, three.out[top != NULL].data, (size_t)(N * columns) * sizeof(float));
    close_all(&one);
    close_all(&three);
}

static const struct {
    ob_dtype dtype;
    const char *name;
} operand_types[] = {{OB_FLOAT, "float"}, {OB_DOUBLE, "double"}, {OB_INT32, "int32"}, {OB_INT64, "int64"}};
static const int labels[] = {10, 20, 30, 40};

static int top_of(const double *scores, int n) {
    int top = 0;
    for (int k = 1; k < n; k++)
        if (scores[k] > scores[top]) top = k;
    return top;
}

/* The two columns for a single score of two classes: it is the score of the second class. */
static void two_of(int transform, bool probability, double score, double *columns) {
    columns[0] = probability ? 1 - score : -score;
    columns[1] = score;
    if (transform == 2) columns[0] = -score;
    if (transform == 4) columns[0] = 1 - score;
    if (transform == 2 || transform == 4) transform_of(transform, columns, 2);
}

static void linear(ob_text *text, unsigned seed, int n_scores, int n_classes, int transform, int type, bool with_intercepts) {
    static double x[N * F], scores[N * 4], bytes[N * F];
    float coefficients[4 * F], intercepts[4];
    int top[N];
    ob_view view;
    draw_operand(&seed, operand_types[type].dtype, bytes, x, &view);
    for (int i = 0; i < n_scores * F; i++) coefficients[i] = draw(&seed) / 4;
    for (int i = 0; i < n_scores; i++) intercepts[i] = draw(&seed) / 4;
    const int columns = n_classes ? n_classes : n_scores;
    for (int i = 0; i < N; i++) {
        double row[4] = {0};
        for (int k = 0; k < n_scores; k++) {
            row[k] = with_intercepts ? (double)intercepts[k] : 0;
            for (int j = 0; j < F; j++) row[k] += x[i * F + j] * (double)coefficients[k * F + j];
        }
        if (n_classes == 2 && n_scores == 1) {
            top[i] = row[0] > 0;
            two_of(transform, true, row[0], row);
        } else {
            top[i] = top_of(row, n_scores);
            transform_of(transform, row, n_scores);
        }
        memcpy(scores + i * columns, row, (size_t)columns * sizeof *row);
    }
    begin_model(text, n_classes ? "LinearClassifier" : "LinearRegressor", operand_types[type].name, transform, n_classes > 0);
    put_list(text, "coefficients", coefficients, n_scores * F);
    if (with_intercepts) put_list(text, "intercepts", intercepts, n_scores);
    if (n_classes)
        put_ints(text, "classlabels_ints", labels, n_classes);
    else
        ob__text_printf(text, ", targets: int = %d", n_scores);
    ob__text_printf(text, ">(x)\n}\n");
    check_scores(text, &view, scores, n_classes ? top : NULL, columns);
}

static void test_linear(void **state) {
    (void)state;
    ob_text text;
    ob__text_init(&text, NULL);
    for (int i = 0; i < 40; i++) {
        linear(&text, 5 + (unsigned)i, 1 + i % 3, 0, i % 5, i % 4, i % 2 == 0);
        linear(&text, 55 + (unsigned)i, i % 3 + 2, i % 3 + 2, i % 5, i % 4, i % 2 == 0);
        linear(&text, 95 + (unsigned)i, 1, 2, i % 5, i % 4, true);
    }
    ob__text_release(&text);
}

static const char *const kernels[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
static const float kernel_params[] = {0.25f, 0.5f, 3};

static double kernel_of(int kernel, const double *x, const float *v) {
    double dot = 0, distance = 0;
    for (int j = 0; j < F; j++) {
        dot += x[j] * (double)v[j];
        distance += (x[j] - (double)v[j]) * (x[j] - (double)v[j]);
    }
    switch (kernel) {
    case 0: return dot;
    case 1: return pow(0.25 * dot + 0.5, 3);
    case 2: return exp(-0.25 * distance);
    default: return tanh(0.25 * dot + 0.5);
    }
}

static void put_kernel(ob_text *text, int kernel) {
    ob__text_printf(text, ", kernel_type: string = \"%s\"", kernels[kernel]);
    put_list(text, "kernel_params", kernel_params, 3);
}

static void support_regressor(ob_text *text, unsigned seed, int kernel, int transform, int type, bool one_class,
                              bool with_vectors) {
    static double x[N * F], scores[N], bytes[N * F];
    float vectors[V * F], coefficients[V > F ? V : F], rho = 0.125f;
    ob_view view;
    draw_operand(&seed, operand_types[type].dtype, bytes, x, &view);
    for (int i = 0; i < V * F; i++) vectors[i] = draw(&seed) / 2;
    for (int i = 0; i < V; i++) coefficients[i] = draw(&seed) / 8;
    for (int i = 0; i < N; i++) {
        double *y = &scores[i];
        *y = (double)rho + (with_vectors ? 0 : kernel_of(0, x + i * F, coefficients));
        for (int v = 0; v < V && with_vectors; v++) *y += (double)coefficients[v] * kernel_of(kernel, x + i * F, vectors + v * F);
        if (one_class)
            *y = *y > 0 ? 1 : -1;
        else
            transform_of(transform, y, 1);
    }
    begin_model(text, "SVMRegressor", operand_types[type].name, transform, false);
    put_kernel(text, kernel);
    put_list(text, "coefficients", coefficients, with_vectors ? V : F);
    if (with_vectors) put_list(text, "support_vectors", vectors, V * F);
    put_list(text, "rho", &rho, 1);
    ob__text_printf(text, ", n_supports: int = %d, one_class: int = %d>(x)\n}\n", with_vectors ? V : 0, one_class);
    check_scores(text, &view, scores, NULL, 1);
}

/* Votes of pairs, and their unchanged scores; probabilities by the conditions of their optimum: see check_coupled. */
static void support_classifier(ob_text *text, unsigned seed, int n, int kernel, int transform, int type) {
    static double x[N * F], scores[N * 6], bytes[N * F];
    float vectors[V * F], coefficients[3 * V], rho[6];
    int per_class[4] = {0}, top[N], begin[5] = {0};
    ob_view view;
    const int pairs = n * (n - 1) / 2, columns = n == 2 ? 2 : pairs;
    draw_operand(&seed, operand_types[type].dtype, bytes, x, &view);
    for (int i = 0; i < V; i++) per_class[i % n]++;
    for (int i = 0; i < n; i++) begin[i + 1] = begin[i] + per_class[i];
    for (int i = 0; i < V * F; i++) vectors[i] = draw(&seed) / 2;
    for (int i = 0; i < (n - 1) * V; i++) coefficients[i] = draw(&seed) / 8;
    for (int i = 0; i < pairs; i++) rho[i] = draw(&seed) / 8;
    for (int r = 0; r < N; r++) {
        double row[6], votes[4] = {0};
        for (int i = 0, at = 0; i < n; i++)
            for (int j = i + 1; j < n; j++, at++) {
                row[at] = (double)rho[at];
                for (int v = 0; v < V; v++) {
                    const double k = kernel_of(kernel, x + r * F, vectors + v * F);
                    if (v >= begin[i] && v < begin[i + 1]) row[at] += (double)coefficients[(j - 1) * V + v] * k;
                    if (v >= begin[j] && v < begin[j + 1]) row[at] += (double)coefficients[i * V + v] * k;
                }
                votes[row[at] > 0 ? i : j]++;
            }
        top[r] = top_of(votes, n);
        if (n == 2)
            two_of(transform, transform != 0, row[0], row);
        else
            transform_of(transform, row, pairs);
        memcpy(scores + r * columns, row, (size_t)columns * sizeof *row);
    }
    begin_model(text, "SVMClassifier", operand_types[type].name, transform, true);
    put_kernel(text, kernel);
    put_list(text, "coefficients", coefficients, (n - 1) * V);
    put_list(text, "support_vectors", vectors, V * F);
    put_list(text, "rho", rho, pairs);
    put_ints(text, "vectors_per_class", per_class, n);
    put_ints(text, "classlabels_ints", labels, n);
    ob__text_printf(text, ">(x)\n}\n");
    check_scores(text, &view, scores, top, columns);
}

static void test_support_vectors(void **state) {
    (void)state;
    ob_text text;
    ob__text_init(&text, NULL);
    for (int i = 0; i < 40; i++) {
        support_regressor(&text, 7 + (unsigned)i, i % 4, i % 5, i / 2 % 4, i % 7 == 0, i % 9 != 0);
        support_classifier(&text, 57 + (unsigned)i, 2 + i % 3, i % 4, i % 5, i / 2 % 4);
    }
    ob__text_release(&text);
}

/* Probabilities of three classes whose pairs agree on p are p: of r = p[i] / (p[i] + p[j]) the coupled ones are p themselves,
 * within the tolerance of the iteration (0.005 / n); for two classes they are r. */
static void test_probabilities(void **state) {
    (void)state;
    fixture f;
    const float x[] = {0};
    ob_view view;
    assert_int_equal(ob_view_init(&view, (void *)(uintptr_t)x, OB_FLOAT, 2, (const int64_t[]){1, 1}), OB_OK);
    /* Scores are rho: log((1 - r) / r) = a score + b with a = 1, b = 0. p = 0.5, 0.3, 0.2. */
    open_text(&f,
              "<ir_version: 8, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 1]>\ng (float[1, 1] x) => (l, s) {\n"
              " l, s = ai.onnx.ml.SVMClassifier<classlabels_strings: strings = [\"a\", \"b\", \"c\"], vectors_per_class: ints = "
              "[1, 1, 1],\n"
              "  support_vectors: floats = [0.0, 0.0, 0.0], coefficients: floats = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],\n"
              "  rho: floats = [-0.510825624, -0.916290732, -0.405465108], prob_a: floats = [1.0, 1.0, 1.0], prob_b: floats = "
              "[0.0, 0.0, 0.0]>(x)\n}\n",
              1);
    run(&f, &view);
    static const double p[] = {0.5, 0.3, 0.2};
    for (int k = 0; k < 3; k++) expect_near(number_at(&f.out[1], k), p[k], 0.005, "coupled", k);
    expect_near(number_at(&f.out[1], 0) + number_at(&f.out[1], 1) + number_at(&f.out[1], 2), 1, 1e-6, "sum", 0);
    assert_memory_equal(((const ob_string *)f.out[0].data)->data, "c", 1); /* votes: no pair has a positive score */
    close_all(&f);
    open_text(&f,
              "<ir_version: 8, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 1]>\ng (float[1, 1] x) => (l, s) {\n"
              " l, s = ai.onnx.ml.SVMClassifier<classlabels_ints: ints = [4, 9], vectors_per_class: ints = [1, 1],\n"
              "  support_vectors: floats = [0.0, 0.0], coefficients: floats = [0.0, 0.0],\n"
              "  rho: floats = [-0.5], prob_a: floats = [2.0], prob_b: floats = [0.25]>(x)\n}\n",
              1);
    run(&f, &view);
    expect_near(number_at(&f.out[1], 0), 1 / (1 + exp(2 * -0.5 + 0.25)), 0.003, "of two", 0);
    assert_int_equal(*(const int64_t *)f.out[0].data, 9);
    close_all(&f);
}

/* ---- Operators on elements: operand and result as text ---- */

/* The result of a model without inputs, with its elements as text. */
static void check_text(const char *operand, const char *node, int opset, const char *expected) {
    fixture f;
    char text[2000], got[1000] = "";
    snprintf(text, sizeof text,
             "<ir_version: 8, opset_import: [\"\" : 18, \"ai.onnx.ml\" : %d]>\ng () => (y) <%s> {\n y = ai.onnx.ml.%s\n}\n",
             opset, operand, node);
    if (try_open(&f, text, 1) != OB_OK || ob_session_run(f.session, NULL, 0, f.out, 1, &f.error) != OB_OK)
        snprintf(got, sizeof got, "%s", f.error.message);
    else
        for (int64_t i = 0; i < ob_view_count(&f.out[0]); i++) {
            char *at = got + strlen(got);
            const size_t room = sizeof got - (size_t)(at - got);
            if (f.out[0].dtype == OB_STRING) {
                const ob_string *s = (const ob_string *)f.out[0].data + i;
                snprintf(at, room, "%s%.*s", i ? " " : "", (int)s->n, s->data);
            } else
                snprintf(at, room, "%s%g", i ? " " : "", number_at(&f.out[0], i));
        }
    if (strcmp(got, expected) != 0) fail_msg("%s\n  got      %s\n  expected %s", node, got, expected);
    close_all(&f);
}

static void test_encoders(void **state) {
    (void)state;
    static const struct {
        const char *operand, *node;
        int opset;
        const char *expected;
    } cases[] = {
        {"string[2,2] x = {\"b\", \"a\", \"z\", \"\"}", "LabelEncoder<classes_strings: strings = [\"a\", \"b\", \"a\"]>(x)", 1,
         "1 0 -1 -1"},
        {"int64[4] x = {1, 0, 2, -1}",
         "LabelEncoder<classes_strings: strings = [\"a\", \"b\"], default_string: string = \"none\">(x)", 1, "b a none none"},
        {"int64[4] x = {1, 0, 2, -1}", "LabelEncoder<classes_strings: strings = [\"a\", \"b\"]>(x)", 1, "b a _Unused _Unused"},
        {"string[3] x = {\"b\", \"a\", \"z\"}",
         "LabelEncoder<keys_strings: strings = [\"a\", \"b\", \"b\"], values_floats: floats = [1.5, 2.5, 9.0], default_float: "
         "float = 7.0>(x)",
         2, "2.5 1.5 7"},
        {"string[1] x = {\"b\"}", "LabelEncoder<keys_strings: strings = [\"b\", \"b\"], values_int64s: ints = [1, 2]>(x)", 4,
         "2"},
        {"float[4] x = {nan, 0.0, -0.0, 2.0}",
         "LabelEncoder<keys_floats: floats = [-nan, 0.0], values_strings: strings = [\"not\", \"zero\"]>(x)", 4,
         "not zero zero _Unused"},
        {"float[2] x = {0.0, -0.0}", "LabelEncoder<keys_floats: floats = [0.0], values_int64s: ints = [5]>(x)", 2, "5 -1"},
        {"double[2] x = {0.25, 1.0}",
         "LabelEncoder<keys_tensor: tensor = double[1] {0.25}, values_tensor: tensor = int16[1] {3}, default_tensor: tensor = "
         "int16[1] {-2}>(x)",
         4, "3 -2"},
        {"int32[2] x = {7, 8}", "LabelEncoder<keys_tensor: tensor = int32[1] {7}, values_tensor: tensor = double[1] {0.5}>(x)", 4,
         "0.5 -0"},
        {"int16[2] x = {7, 8}",
         "LabelEncoder<keys_tensor: tensor = int16[1] {7}, values_tensor: tensor = string[1] {\"s\"}, default_tensor: tensor = "
         "string[1] "
         "{\"d\"}>(x)",
         4, "s d"},
        {"int64[2] x = {7, 8}", "LabelEncoder<keys_int64s: ints = [7, 8], values_int64s: ints = [1]>(x)", 2,
         "2 keys for 1 values"},
        {"int64[0] x = {}", "LabelEncoder<keys_int64s: ints = [7], values_int64s: ints = [1]>(x)", 2, ""},
        {"string[3] x = {\"b\", \"a\", \"z\"}",
         "CategoryMapper<cats_strings: strings = [\"a\", \"b\"], cats_int64s: ints = [40, 50], default_int64: int = 3>(x)", 1,
         "50 40 3"},
        {"int64[2] x = {50, 1}", "CategoryMapper<cats_strings: strings = [\"a\", \"b\"], cats_int64s: ints = [40, 50]>(x)", 1,
         "b _Unused"},
        {"int64[1] x = {50}", "CategoryMapper<cats_strings: strings = [\"a\", \"b\"], cats_int64s: ints = [40]>(x)", 1,
         "1 keys for 2 values"},
        {"float[3] x = {4.5, -1.0, 7.0}", "OneHotEncoder<cats_int64s: ints = [7, 4]>(x)", 1, "0 1 0 0 1 0"},
        {"int32[1,2] x = {7, 4}", "OneHotEncoder<cats_int64s: ints = [7, 4, 5]>(x)", 1, "1 0 0 0 1 0"},
        {"string[2] x = {\"a\", \"q\"}", "OneHotEncoder<cats_strings: strings = [\"q\", \"a\"], zeros: int = 0>(x)", 1,
         "0 1 1 0"},
        {"string[2] x = {\"a\", \"r\"}", "OneHotEncoder<cats_strings: strings = [\"q\", \"a\"], zeros: int = 0>(x)", 1,
         "element 1 is in no category"},
        {"double[1] x = {3.0}", "OneHotEncoder<cats_strings: strings = [\"q\"]>(x)", 1,
         "categories are of string, elements of double"},
        {"float[2,2] x = {nan, 1.0, nan, nan}",
         "Imputer<imputed_value_floats: floats = [5.0, 6.0], replaced_value_float: float = nan>(x)", 1, "5 1 5 6"},
        {"double[3] x = {0.0, 1.0, -0.0}", "Imputer<imputed_value_floats: floats = [5.0]>(x)", 1, "5 1 5"},
        {"int32[3] x = {-1, 1, 0}", "Imputer<imputed_value_int64s: ints = [4], replaced_value_int64: int = -1>(x)", 1, "4 1 0"},
        {"int64[1,2] x = {-1, -1}", "Imputer<imputed_value_int64s: ints = [4, 5], replaced_value_int64: int = -1>(x)", 1, "4 5"},
        {"int64[1,3] x = {-1, -1, 2}", "Imputer<imputed_value_int64s: ints = [4, 5]>(x)", 1, "3 must equal 2"},
        {"int32[1] x = {0}", "Imputer<imputed_value_int64s: ints = [4294967296]>(x)", 1, "value 4294967296 does not fit int32"},
        {"int32[1] x = {0}", "Imputer<imputed_value_floats: floats = [1.0]>(x)", 1,
         "imputed_value_int64s is needed for elements of int32, and no other"},
        {"int32[2,2] x = {1, 2, 3, 4}, int32[2,1] z = {5, 6}", "FeatureVectorizer<inputdimensions: ints = [2, 1]>(x, z)", 1,
         "1 2 5 3 4 6"},
        {"int32[2,2,2] x = {1, 2, 3, 4, 5, 6, 7, 8}, int32[2,1] z = {9, 10}",
         "FeatureVectorizer<inputdimensions: ints = [4, 1]>(x, z)", 1, "1 2 3 4 9 5 6 7 8 10"},
        {"double[2] x = {1.5, 2.0}, double[1] z = {5.0}", "FeatureVectorizer<inputdimensions: ints = [2, 1]>(x, z)", 1,
         "1.5 2 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_text(cases[i].operand, cases[i].node, cases[i].opset, cases[i].expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forests), cmocka_unit_test(test_linear),
                                       cmocka_unit_test(test_support_vectors), cmocka_unit_test(test_probabilities),
                                       cmocka_unit_test(test_encoders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
