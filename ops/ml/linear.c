/* LinearClassifier 1, LinearRegressor 1: rows times coefficients, in float for floats and in double for other types. Rows are
 * divided into chunks of ROWS, each a matrix product. Everything after the product is computed in double. */
#include "core/base/integers.h"
#include "kernels/gemm/gemm.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/ml/score.h"

enum { ROWS = 64 };

typedef struct linear {
    ob_ml_rows rows;
    ob_ml_labels labels; /* for a classifier */
    const obk_gemm *gemm;
    const void *packed; /* coefficients in the element type of the product */
    const double *intercepts;
    bool single; /* the product is computed in float */
    bool has_intercepts, classifies;
    int64_t n_scores, n_padded; /* n_padded: rounded up to whole tiles of the product */
    int64_t n_columns;          /* of the result: 2 if two classes share one score */
    ob_ml_post post;
} linear;

static int64_t packed_numbers(const void *owner, uint32_t i) {
    const linear *l = owner;
    (void)i;
    return l->n_padded * l->rows.columns;
}
static int64_t packed_width(const void *owner, uint32_t i) {
    (void)i;
    return ((const linear *)owner)->single ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
}
static int64_t intercepts_of(const void *owner, uint32_t i) {
    const linear *l = owner;
    (void)i;
    return l->has_intercepts ? l->n_scores : 0;
}

static const ob_member linear_members[] = {OB_NESTED(linear, rows, &ob__ml_rows_struct),
                                           OB_NESTED(linear, labels, &ob__ml_labels_struct),
                                           OB_POINTER(linear, gemm, &obk_gemm_struct, NULL),
                                           OB_ANY_NUMBERS(linear, packed, packed_numbers, packed_width),
                                           OB_NUMBERS(linear, intercepts, intercepts_of),
                                           OB_VALUE(linear, single),
                                           OB_VALUE(linear, has_intercepts),
                                           OB_VALUE(linear, classifies),
                                           OB_VALUE(linear, n_scores),
                                           OB_VALUE(linear, n_padded),
                                           OB_VALUE(linear, n_columns),
                                           OB_NESTED(linear, post, &ob__ml_post_struct)};
static const ob_struct linear_struct = OB_STRUCT(linear, linear_members);

/* Computed in double: the slope of PROBIT is unbounded and SOFTMAX_ZERO tests for 0, so rounding to float would be visible. */
static bool is_single(ob_dtype dtype, ob_ml_transform transform) {
    return dtype == OB_FLOAT && transform != OB_ML_PROBIT && transform != OB_ML_SOFTMAX_ZERO;
}

static size_t width_of(const linear *l) {
    return l->single ? sizeof(float) : sizeof(double);
}

/* Packs the coefficients for the product: one column for each score. */
static ob_status pack_coefficients(const ob_kernel_site *site, const ob_ml_linear *p, linear *l, ob_error *error) {
    const ob_dtype dtype = l->single ? OB_FLOAT : OB_DOUBLE;
    const ob_ml_reals *list = &p->coefficients;
    const int64_t n = p->n_scores, k = p->n_features, nr = l->gemm->nr;
    l->n_padded = ob__round_up(n, nr);
    void *packed = ob__tail(site, (uint64_t)l->n_padded, (size_t)k * width_of(l)), *rows = ob__tail(site, list->n, width_of(l));
    if (!packed || !rows) return ob__fail(error, OB_E_MEMORY, "no memory for coefficients");
    OB_TRY(ob__convert(rows, dtype, list->at, list->dtype, list->n, error));
    l->gemm->pack_b(packed, rows, 1, k, k, n);
    l->packed = packed;
    return OB_OK;
}

static ob_status linear_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    linear *l = args->state;
    ob_ml_linear p;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__ml_read_linear(site->node, &p, error));
    OB_TRY(ob__ml_rows(args, p.n_features, true, &l->rows, error));
    l->single = is_single(args->in[0].dtype, p.transform);
    l->gemm = OBK_ELEMENT(gemm, [l->single ? OBK_GEMM_FLOAT : OBK_GEMM_DOUBLE], .product);
    OB_TRY(pack_coefficients(site, &p, l, error));
    OB_TRY(ob__ml_keep_reals(site, &p.intercepts, &l->intercepts, error));
    l->has_intercepts = p.intercepts.n > 0;
    l->classifies = p.labels.n > 0;
    l->n_scores = p.n_scores;
    l->n_columns = l->classifies ? p.labels.n : p.n_scores;
    l->post = ob__ml_post(p.transform);
    l->labels = p.labels;
    OB_FAIL_IF(ob__count(&args->out[l->classifies]) != l->rows.n * l->n_columns, error, OB_E_SHAPE, "result of another size");
    if (l->classifies) OB_TRY(ob__ml_keep_labels(site, &l->labels, error));
    if (!l->single) ob__need_conversion(needs, args->in[0].dtype, OB_DOUBLE);
    ob__need_conversion(needs, OB_DOUBLE, OB_FLOAT);
    OB_TRY(ob__need_lanes(needs, l->rows.columns, ROWS * sizeof(double), error));
    OB_TRY(ob__need_lanes(needs, l->n_padded, ROWS * width_of(l), error));
    OB_TRY(ob__need_lanes(needs, l->n_scores, ROWS * sizeof(double), error));
    return ob__need_lanes(needs, l->n_columns, ROWS * sizeof(double), error);
}

typedef struct work {
    const ob_kernel_args *args;
    ob_ml_labels labels;
} work;

/* Converts rows of sums, `stride` elements apart, to contiguous rows of scores. */
static void add_intercepts(const linear *l, double *scores, const void *sums, int64_t n) {
    const int64_t n_scores = l->n_scores, stride = l->n_padded;
    for (int64_t i = 0; i < n; i++) {
        const float *narrow = (const float *)sums + i * stride;
        const double *wide = (const double *)sums + i * stride;
        double *to = scores + i * n_scores;
        if (l->single)
            for (int64_t j = 0; j < n_scores; j++) to[j] = (double)narrow[j];
        else
            memcpy(to, wide, (size_t)n_scores * sizeof *to);
        for (int64_t j = 0; l->has_intercepts && j < n_scores; j++) to[j] += l->intercepts[j];
    }
}

/* The same as floats, for a regressor of floats without a transform. */
static void write_floats(const linear *l, float *y, const float *sums, int64_t n) {
    const double *intercepts = l->intercepts;
    for (int64_t i = 0; i < n; i++, y += l->n_scores, sums += l->n_padded) {
        if (intercepts && l->has_intercepts)
            for (int64_t j = 0; j < l->n_scores; j++) y[j] = (float)((double)sums[j] + intercepts[j]);
        else
            memcpy(y, sums, (size_t)l->n_scores * sizeof *y);
    }
}

/* The products of `n` rows from row `first` on, n_padded elements apart. x: work memory. */
static void multiply(const ob_kernel_args *args, int64_t first, int64_t n, double *x, void *sums) {
    const linear *l = args->state;
    const ob_view *in = &args->in[0];
    const int64_t k = l->rows.columns;
    const bool as_they_are = l->single || in->dtype == OB_DOUBLE;
    const char *rows = (const char *)in->data + (size_t)(first * k) * ob_dtype_size(in->dtype);
    if (!as_they_are) (void)ob__convert_in_run(args, x, OB_DOUBLE, rows, in->dtype, n * k, NULL); /* the type was checked */
    l->gemm->product(&(obk_gemm_call){.m = n,
                                      .n = l->n_padded,
                                      .k = k,
                                      .a = as_they_are ? (const void *)rows : x,
                                      .a_row = k,
                                      .a_k = 1,
                                      .b = l->packed,
                                      .y = sums,
                                      .y_row = l->n_padded,
                                      .alpha = 1});
}

/* The scores to write for n rows. `tops`: the places of their labels. */
static const double *finish(const linear *l, double *scores, int64_t n, double *pairs, int64_t *tops) {
    if (l->classifies && l->n_scores == 1 && l->n_columns == 2) {
        for (int64_t i = 0; i < n; i++) {
            tops[i] = scores[i] > 0;
            ob__ml_two_classes(&l->post, true, scores[i], pairs + 2 * i);
        }
        return pairs;
    }
    for (int64_t i = 0; l->classifies && i < n; i++) tops[i] = ob__ml_top(scores + i * l->n_scores, l->n_scores);
    ob__ml_transform(&l->post, scores, n, l->n_scores);
    return scores;
}

static void linear_chunk(void *context, int64_t chunk, int lane) {
    const work *w = context;
    const ob_kernel_args *args = w->args;
    const linear *l = args->state;
    char *next = ob__lane(args->lanes, args->lane_stride, lane);
    double *x = ob__take(&next, l->rows.columns, ROWS * sizeof *x);
    void *sums = ob__take(&next, l->n_padded, ROWS * width_of(l));
    double *scores = ob__take(&next, l->n_scores, ROWS * sizeof *scores), *pairs = (double *)(void *)next;
    const int64_t first = chunk * ROWS, n = l->rows.n - first < ROWS ? l->rows.n - first : ROWS;
    int64_t tops[ROWS];
    multiply(args, first, n, x, sums);
    if (l->single && !l->classifies && l->post.transform == OB_ML_NONE) {
        write_floats(l, (float *)args->out[0].data + first * l->n_scores, sums, n);
        return;
    }
    add_intercepts(l, scores, sums, n);
    const double *results = finish(l, scores, n, pairs, tops);
    (void)ob__convert_in_run(args, (float *)args->out[l->classifies].data + first * l->n_columns, OB_FLOAT, results, OB_DOUBLE,
                             n * l->n_columns, NULL);
    for (int64_t i = 0; l->classifies && i < n; i++) ob__ml_put_label(&args->out[0], first + i, &w->labels, tops[i]);
}

OB_RUN(ob__run_ml_linear) {
    const linear *l = args->state;
    work w = {.args = args};
    if (l->classifies) OB_TRY(ob__ml_own_labels(args, &l->labels, &w.labels, error));
    ob__each_chunk(args->threads, ob__ceil_div(l->rows.n, ROWS), linear_chunk, &w);
    return OB_OK;
}

const ob_kernel ob__kernel_ml_linear = {
    .name = "ml_linear", .state_bytes = sizeof(linear), .state = &linear_struct, .plan = linear_plan, OB_RUNS(ob__run_ml_linear)};
