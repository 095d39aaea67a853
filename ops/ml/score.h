/* What classifiers and regressors of ai.onnx.ml do with the scores of a row, and their labels. */
#ifndef OB_OPS_ML_SCORE_H
#define OB_OPS_ML_SCORE_H

#include "kernels/loop.h"
#include "kernels/ml/ml.h"
#include "ops/kernel/kernel.h"
#include "ops/ml/params.h"

/* post_transform, with the loops that do it. */
typedef struct ob_ml_post {
    ob_ml_transform transform;
    void (*softmax)(void *y, const void *x, int64_t rows, int64_t n, bool logarithm, obk_pace *pace);
    obk_loop logistic;
} ob_ml_post;
ob_ml_post ob__ml_post(ob_ml_transform transform);
/* Each of `rows` rows of n scores, in place. LOGISTIC 1 / (1 + exp(-x)); PROBIT the quantile of the normal distribution; SOFTMAX;
 * in SOFTMAX_ZERO scores of 0 stay 0 and do not count. */
void ob__ml_transform(const ob_ml_post *post, double *scores, int64_t rows, int64_t n);
/* The two scores, transformed, of a classifier of two classes that computes one: it is that of the second class. The other is its
 * opposite: of a probability (no weight was negative) 1 - score, else -score. LOGISTIC takes it as a logit and PROBIT as a
 * probability; the other ways leave the two as they are. */
void ob__ml_two_classes(const ob_ml_post *post, bool probability, double score, double *scores);
/* The first of the greatest; a NaN is not greater than any. */
int64_t ob__ml_top(const double *scores, int64_t n);

/* Labels that live as long as the plan. */
ob_status ob__ml_keep_labels(const ob_kernel_site *site, ob_ml_labels *labels, ob_error *error);
/* The labels with bytes that live as long as the results of this run; of integers themselves. */
ob_status ob__ml_own_labels(const ob_kernel_args *args, const ob_ml_labels *labels, ob_ml_labels *own, ob_error *error);
/* Element `at` of the result becomes label i. */
static inline void ob__ml_put_label(const ob_view *out, int64_t at, const ob_ml_labels *labels, int64_t i) {
    if (labels->dtype == OB_STRING)
        ((ob_string *)out->data)[at] = ((const ob_string *)labels->at)[i];
    else
        ((int64_t *)out->data)[at] = ((const int64_t *)labels->at)[i];
}

/* Rows of an operand: (N, C), or a vector (C), which is one row. */
typedef struct ob_ml_rows {
    int64_t n, columns;
} ob_ml_rows;
/* E_SHAPE for another rank; `least`: of columns, `exactly`: no more. */
ob_status ob__ml_rows(const ob_kernel_args *args, int64_t least, bool exactly, ob_ml_rows *out, ob_error *error);

/* Vectors, of coefficients or support, as kernels/ml/ml.h wants them: blocks of OBK_ML_BLOCK, the last one filled up with 0. */
typedef struct ob_ml_table {
    const double *at;
    int64_t n_features, blocks;
} ob_ml_table;
ob_status ob__ml_table(const ob_kernel_site *site, const ob_ml_reals *list, int64_t n_vectors, int64_t n_features,
                       ob_ml_table *out, ob_error *error);
/* Row `i` of operand 0 as doubles. The type was checked. */
void ob__ml_row(const ob_kernel_args *args, int64_t i, int64_t columns, double *out);
/* The numbers of a list as doubles that live as long as the plan. */
ob_status ob__ml_keep_reals(const ob_kernel_site *site, const ob_ml_reals *list, const double **out, ob_error *error);

#endif
