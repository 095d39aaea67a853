/* Scores of a row in classifiers and regressors of ai.onnx.ml: their transforms and labels. */
#ifndef OB_OPS_ML_SCORE_H
#define OB_OPS_ML_SCORE_H

#include "kernels/loop.h"
#include "kernels/ml/ml.h"
#include "kernels/softmax/softmax.h"
#include "ops/kernel/kernel.h"
#include "ops/ml/params.h"

extern const struct ob_struct ob__ml_labels_struct, ob__ml_post_struct, ob__ml_rows_struct, ob__ml_table_struct;

/* post_transform, with its loops. */
typedef struct ob_ml_post {
    ob_ml_transform transform;
    obk_softmax_rows *softmax;
    obk_loop logistic; /* NULL: the transform does not need it; also `softmax` */
} ob_ml_post;
ob_ml_post ob__ml_post(ob_ml_transform transform);
/* Transforms each of `rows` rows of n scores, in place. LOGISTIC: 1 / (1 + exp(-x)); PROBIT: the quantile of the normal
 * distribution; SOFTMAX; SOFTMAX_ZERO: scores of 0 stay 0 and are left out. */
void ob__ml_transform(const ob_ml_post *post, double *scores, int64_t rows, int64_t n);
/* The two transformed scores of a classifier of two classes that computes only the score of the second class. The other score is
 * 1 - score for a probability (no weight was negative), otherwise -score. LOGISTIC takes the score as a logit, PROBIT as a
 * probability; other transforms leave both unchanged. */
void ob__ml_two_classes(const ob_ml_post *post, bool probability, double score, double *scores);
/* The index of the first greatest score. A NaN is not greater than any score. */
int64_t ob__ml_top(const double *scores, int64_t n);

/* Copies labels to memory that lives as long as the plan. */
ob_status ob__ml_keep_labels(const ob_kernel_site *site, ob_ml_labels *labels, ob_error *error);
/* Copies the bytes of string labels to memory that lives as long as the results of this run; integer labels stay. */
ob_status ob__ml_own_labels(const ob_kernel_args *args, const ob_ml_labels *labels, ob_ml_labels *own, ob_error *error);
/* Sets element `at` of the result to label i. */
static inline void ob__ml_put_label(const ob_view *out, int64_t at, const ob_ml_labels *labels, int64_t i) {
    if (labels->dtype == OB_STRING)
        ((ob_string *)out->data)[at] = ((const ob_string *)labels->at)[i];
    else
        ((int64_t *)out->data)[at] = ((const int64_t *)labels->at)[i];
}

/* Rows of an operand: (N, C), or a vector (C) as one row. */
typedef struct ob_ml_rows {
    int64_t n, columns;
} ob_ml_rows;
/* E_SHAPE for another rank or number of columns; `least`: the smallest number, `exactly`: the only one. */
ob_status ob__ml_rows(const ob_kernel_args *args, int64_t least, bool exactly, ob_ml_rows *out, ob_error *error);

/* Coefficient or support vectors in the layout of kernels/ml/ml.h: blocks of OBK_ML_BLOCK, the last one filled up with zeros. */
typedef struct ob_ml_table {
    const double *at;
    int64_t n_features, blocks;
} ob_ml_table;
ob_status ob__ml_table(const ob_kernel_site *site, const ob_ml_reals *list, int64_t n_vectors, int64_t n_features,
                       ob_ml_table *out, ob_error *error);
/* Row `i` of operand 0 as doubles. The type must be checked before. */
void ob__ml_row(const ob_kernel_args *args, int64_t i, int64_t columns, double *out);
/* The numbers of a list as doubles, in memory that lives as long as the plan. */
ob_status ob__ml_keep_reals(const ob_kernel_site *site, const ob_ml_reals *list, const double **out, ob_error *error);

#endif
