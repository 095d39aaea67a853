/* LinearClassifier 1, LinearRegressor 1: rows times coefficients, in double. */
#include "kernels/kernels.h"
#include "ops/kernel/common.h"
#include "ops/ml/score.h"

enum { ROWS = 64 };

typedef struct linear {
    ob_ml_rows rows;
    ob_ml_table table;
    ob_ml_labels labels; /* of a classifier */
    const double *intercepts;
    bool has_intercepts, classifies;
    int64_t n_scores, n_columns; /* columns of the result: 2 for one score of two classes */
    ob_ml_transform transform;
    void (*products)(double *y, const double *x, const double *vectors, ptrdiff_t n, ptrdiff_t blocks);
} linear;

static ob_status linear_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    linear *l = args->state;
    ob_ml_linear p;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__ml_read_linear(site->node, &p, error));
    OB_TRY(ob__ml_rows(args, p.n_features, true, &l->rows, error));
    OB_TRY(ob__ml_table(site, &p.coefficients, p.n_scores, p.n_features, &l->table, error));
    OB_TRY(ob__ml_keep_reals(site, &p.intercepts, &l->intercepts, error));
    l->has_intercepts = p.intercepts.n > 0;
    l->classifies = p.labels.n > 0;
    l->n_scores = p.n_scores;
    l->n_columns = l->classifies ? p.labels.n : p.n_scores;
    l->transform = p.transform;
    l->labels = p.labels;
    l->products = ob__kernels()->ml->products;
    OB_FAIL_IF(ob__count(&args->out[l->classifies]) != l->rows.n * l->n_columns, error, OB_E_SHAPE, "%s: result of another size",
               site->node->op_type);
    if (l->classifies) OB_TRY(ob__ml_keep_labels(site, &l->labels, error));
    OB_TRY(ob__need_lanes(needs, l->rows.columns, sizeof(double), error));
    return ob__need_lanes(needs, (l->table.blocks + 1) * OBK_ML_BLOCK, sizeof(double), error);
}

typedef struct work {
    const ob_kernel_args *args;
    ob_ml_labels labels;
} work;

static int64_t finish_row(const linear *l, double *scores) {
    for (int64_t k = 0; l->has_intercepts && k < l->n_scores; k++) scores[k] += l->intercepts[k];
    int64_t top = 0;
    if (l->classifies && l->n_scores == 1 && l->n_columns == 2) {
        top = scores[0] > 0;
        ob__ml_two_classes(l->transform, true, scores[0], scores);
        return top;
    }
    if (l->classifies) top = ob__ml_top(scores, l->n_scores);
    ob__ml_transform(l->transform, scores, l->n_scores);
    return top;
}

static void linear_chunk(void *context, int64_t chunk, int lane) {
    const work *w = context;
    const ob_kernel_args *args = w->args;
    const linear *l = args->state;
    char *next = ob__lane(args->lanes, args->lane_stride, lane);
    double *x = ob__take(&next, l->rows.columns, sizeof *x), *scores = (double *)(void *)next;
    const int64_t first = chunk * ROWS, end = l->rows.n - first < ROWS ? l->rows.n : first + ROWS;
    for (int64_t i = first; i < end; i++) {
        ob__ml_row(args, i, l->rows.columns, x);
        l->products(scores, x, l->table.at, l->table.n_features, l->table.blocks);
        const int64_t top = finish_row(l, scores);
        float *y = (float *)args->out[l->classifies].data + i * l->n_columns;
        for (int64_t k = 0; k < l->n_columns; k++) y[k] = (float)scores[k];
        if (l->classifies) ob__ml_put_label(&args->out[0], i, &w->labels, top);
    }
}

static ob_status linear_run(const ob_kernel_args *args, ob_error *error) {
    const linear *l = args->state;
    work w = {.args = args};
    if (l->classifies) OB_TRY(ob__ml_own_labels(args, &l->labels, &w.labels, error));
    ob__each_chunk(args->threads, (l->rows.n + ROWS - 1) / ROWS, linear_chunk, &w);
    return OB_OK;
}

const ob_kernel ob__kernel_ml_linear = {
    .name = "ml_linear", .state_bytes = sizeof(linear), .plan = linear_plan, .run = linear_run};
