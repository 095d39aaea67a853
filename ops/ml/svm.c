/* SVMClassifier 1, SVMRegressor 1, in double.
 *
 * With support vectors, a score is a sum over vectors of coefficients times the kernel of row and vector. The classifier has one
 * score for each pair of classes i < j, ordered by i: over the vectors of both classes, with the coefficients of row j - 1 for
 * vectors of class i and of row i for vectors of class j. A positive score is a vote for i, and the class with most votes is the
 * result. prob_a and prob_b convert the scores of pairs to probabilities (Platt), which are coupled to one probability for each
 * class (Wu, Lin, Weng 2004, second method). Without vectors there is one row of coefficients for each class. */
#include <math.h>

#include "core/base/integers.h"
#include "kernels/ml/ml.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/ml/score.h"

enum { ROWS = 16 };

typedef struct svm {
    ob_ml_rows rows;
    ob_ml_svm p; /* its lists are not used in runs */
    ob_ml_table table;
    ob_ml_post post, logistic;
    const double *coefficients, *rho, *a, *b;
    const uint32_t *begin; /* labels.n + 1: the first vector of each class */
    bool classifies, pairwise;
    int64_t n_pairs;
    void (*sums)(double *y, const double *x, const double *vectors, ptrdiff_t n, ptrdiff_t blocks);
} svm;

static const ob_member reals_members[] = {OB_VALUE(ob_ml_reals, n), OB_VALUE(ob_ml_reals, dtype), OB_UNREAD(ob_ml_reals, at)};
static const ob_struct reals_struct = OB_STRUCT(ob_ml_reals, reals_members);
static const ob_member params_members[] = {OB_NESTED(ob_ml_svm, coefficients, &reals_struct),
                                           OB_NESTED(ob_ml_svm, vectors, &reals_struct),
                                           OB_NESTED(ob_ml_svm, rho, &reals_struct),
                                           OB_NESTED(ob_ml_svm, a, &reals_struct),
                                           OB_NESTED(ob_ml_svm, b, &reals_struct),
                                           OB_NESTED(ob_ml_svm, labels, &ob__ml_labels_struct),
                                           OB_VALUE(ob_ml_svm, transform),
                                           OB_VALUE(ob_ml_svm, kernel),
                                           OB_VALUE(ob_ml_svm, gamma),
                                           OB_VALUE(ob_ml_svm, coef0),
                                           OB_VALUE(ob_ml_svm, degree),
                                           OB_VALUE(ob_ml_svm, n_vectors),
                                           OB_UNREAD(ob_ml_svm, per_class),
                                           OB_VALUE(ob_ml_svm, n_features),
                                           OB_VALUE(ob_ml_svm, n_scores),
                                           OB_VALUE(ob_ml_svm, one_class)};
static const ob_struct params_struct = OB_STRUCT(ob_ml_svm, params_members);

OB_COUNT(coefficients_of, svm, p.coefficients.n)
OB_COUNT(rho_of, svm, p.rho.n)
OB_COUNT(a_of, svm, p.a.n)
OB_COUNT(b_of, svm, p.b.n)
static int64_t begins_of(const void *owner, uint32_t i) {
    (void)i;
    return (int64_t)((const svm *)owner)->p.labels.n + 1;
}

static const ob_member svm_members[] = {OB_NESTED(svm, rows, &ob__ml_rows_struct),
                                        OB_NESTED(svm, p, &params_struct),
                                        OB_NESTED(svm, table, &ob__ml_table_struct),
                                        OB_NESTED(svm, post, &ob__ml_post_struct),
                                        OB_NESTED(svm, logistic, &ob__ml_post_struct),
                                        OB_NUMBERS(svm, coefficients, coefficients_of),
                                        OB_NUMBERS(svm, rho, rho_of),
                                        OB_NUMBERS(svm, a, a_of),
                                        OB_NUMBERS(svm, b, b_of),
                                        OB_NUMBERS(svm, begin, begins_of),
                                        OB_VALUE(svm, classifies),
                                        OB_VALUE(svm, pairwise),
                                        OB_VALUE(svm, n_pairs),
                                        OB_FUNCTION(svm, sums)};
static const ob_struct svm_struct = OB_STRUCT(svm, svm_members);

typedef struct lane_memory {
    double *x, *kernels, *pairs, *scores, *matrix, *sums;
    uint32_t *votes;
} lane_memory;

/* ---- Planning ---- */

static ob_status plan_classes(const ob_kernel_site *site, svm *s, ob_error *error) {
    const ob_ml_svm *p = &s->p;
    const int64_t n = p->labels.n;
    uint32_t *begin = ob__tail(site, (uint64_t)n + 1, sizeof *begin);
    if (!begin) return ob__fail(error, OB_E_MEMORY, "no memory for classes");
    for (int64_t i = 0; s->pairwise && i < n; i++) begin[i + 1] = begin[i] + (uint32_t)p->per_class[i];
    s->begin = begin;
    s->n_pairs = s->pairwise ? n * (n - 1) / 2 : 0;
    OB_TRY(ob__ml_keep_reals(site, &p->a, &s->a, error));
    OB_TRY(ob__ml_keep_reals(site, &p->b, &s->b, error));
    return ob__ml_keep_labels(site, &s->p.labels, error);
}

/* Memory of the matrices that couple probabilities; there are few classes. */
static ob_status plan_lanes(const svm *s, ob_kernel_needs *needs, ob_error *error) {
    const int64_t n = s->p.labels.n, coupled = s->p.a.n ? n : 0;
    OB_TRY(ob__need_lanes(needs, s->rows.columns, sizeof(double), error));
    OB_TRY(ob__need_lanes(needs, s->table.blocks * OBK_ML_BLOCK, sizeof(double), error));
    OB_TRY(ob__need_lanes(needs, s->n_pairs, sizeof(double), error));
    OB_TRY(ob__need_lanes(needs, (int64_t)s->p.n_scores + n + 2, sizeof(double), error));
    OB_TRY(ob__need_lanes(needs, 2 * coupled * coupled, sizeof(double), error));
    OB_TRY(ob__need_lanes(needs, coupled, sizeof(double), error));
    return ob__need_lanes(needs, n, sizeof(uint32_t), error);
}

static lane_memory take_lane(const svm *s, char *next) {
    const int64_t n = s->p.labels.n, coupled = s->p.a.n ? n : 0;
    lane_memory m;
    m.x = ob__take(&next, s->rows.columns, sizeof(double));
    m.kernels = ob__take(&next, s->table.blocks * OBK_ML_BLOCK, sizeof(double));
    m.pairs = ob__take(&next, s->n_pairs, sizeof(double));
    m.scores = ob__take(&next, (int64_t)s->p.n_scores + n + 2, sizeof(double));
    m.matrix = ob__take(&next, 2 * coupled * coupled, sizeof(double));
    m.sums = ob__take(&next, coupled, sizeof(double));
    m.votes = ob__take(&next, n, sizeof(uint32_t));
    return m;
}

static ob_status svm_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    svm *s = args->state;
    ob_ml_svm *p = &s->p;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__ml_read_svm(site->node, p, error));
    OB_TRY(ob__ml_rows(args, p->n_features, true, &s->rows, error));
    if (args->in[0].dtype != OB_FLOAT) ob__need_conversion(needs, args->in[0].dtype, OB_DOUBLE);
    s->classifies = p->labels.n > 0;
    s->pairwise = s->classifies && p->n_vectors > 0;
    if (p->n_vectors == 0) p->kernel = OB_ML_LINEAR;
    OB_TRY(ob__ml_table(site, p->n_vectors ? &p->vectors : &p->coefficients, p->n_vectors ? p->n_vectors : p->n_scores,
                        p->n_features, &s->table, error));
    OB_TRY(ob__ml_keep_reals(site, &p->coefficients, &s->coefficients, error));
    OB_TRY(ob__ml_keep_reals(site, &p->rho, &s->rho, error));
    s->post = ob__ml_post(p->transform);
    s->logistic = ob__ml_post(p->a.n ? OB_ML_LOGISTIC : OB_ML_NONE);
    s->sums = p->kernel == OB_ML_RBF ? OBK_LOOP(ml, ->distances) : OBK_LOOP(ml, ->products);
    OB_FAIL_IF(ob__count(&args->out[s->classifies]) != s->rows.n * p->n_scores, error, OB_E_SHAPE, "result of another size");
    if (s->classifies) OB_TRY(plan_classes(site, s, error));
    return plan_lanes(s, needs, error);
}

/* ---- Kernels and scores ---- */

static void apply_kernel(const svm *s, double *y) {
    const ob_ml_svm *p = &s->p;
    for (uint32_t i = 0; i < p->n_vectors; i++) {
        if (p->kernel == OB_ML_RBF) y[i] = exp(-p->gamma * y[i]);
        if (p->kernel == OB_ML_POLY) y[i] = pow(p->gamma * y[i] + p->coef0, p->degree);
        if (p->kernel == OB_ML_SIGMOID) y[i] = tanh(p->gamma * y[i] + p->coef0);
    }
}

static double weighted(const double *coefficients, const double *kernels, uint32_t begin, uint32_t end) {
    double sum = 0;
    for (uint32_t i = begin; i < end; i++) sum += coefficients[i] * kernels[i];
    return sum;
}

/* Computes the scores of the pairs, and the class with most votes (the first of several). */
static int64_t score_pairs(const svm *s, const lane_memory *m) {
    const int64_t n = s->p.labels.n, n_vectors = s->p.n_vectors;
    const uint32_t *begin = s->begin;
    memset(m->votes, 0, (size_t)n * sizeof *m->votes);
    for (int64_t i = 0, at = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++, at++) {
            m->pairs[at] = weighted(s->coefficients + (j - 1) * n_vectors, m->kernels, begin[i], begin[i + 1]) +
                           weighted(s->coefficients + i * n_vectors, m->kernels, begin[j], begin[j + 1]) + s->rho[at];
            m->votes[m->pairs[at] > 0 ? i : j]++;
        }
    int64_t top = 0;
    for (int64_t i = 1; i < n; i++)
        if (m->votes[i] > m->votes[top]) top = i;
    return top;
}

/* ---- Probabilities ---- */

/* Finds p with sum 1 that minimizes the sum of (r[j][i] p[i] - r[i][j] p[j])^2, where r[i][j] is the probability of i among i and
 * j. As in the paper, one p after the other is updated. q, r: n * n. */
static void couple(int64_t n, const double *r, double *q, double *qp, double *p) {
    enum { STEPS = 100 };
    for (int64_t i = 0; i < n; i++) {
        p[i] = 1.0 / (double)n;
        q[i * n + i] = 0;
        for (int64_t j = 0; j < n; j++) {
            if (j == i) continue;
            q[i * n + i] += r[j * n + i] * r[j * n + i];
            q[i * n + j] = -r[j * n + i] * r[i * n + j];
        }
    }
    for (int step = 0; step < STEPS; step++) {
        double pqp = 0, worst = 0;
        for (int64_t i = 0; i < n; i++) {
            qp[i] = 0;
            for (int64_t j = 0; j < n; j++) qp[i] += q[i * n + j] * p[j];
            pqp += p[i] * qp[i];
        }
        for (int64_t i = 0; i < n; i++) worst = fmax(worst, fabs(qp[i] - pqp));
        if (worst < 0.005 / (double)n) return;
        for (int64_t i = 0; i < n; i++) {
            const double by = (pqp - qp[i]) / q[i * n + i];
            p[i] += by;
            pqp = (pqp + by * (by * q[i * n + i] + 2 * qp[i])) / (1 + by) / (1 + by);
            for (int64_t j = 0; j < n; j++) {
                qp[j] = (qp[j] + by * q[i * n + j]) / (1 + by);
                p[j] /= 1 + by;
            }
        }
    }
}

static void probabilities(const svm *s, const lane_memory *m) {
    const double least = 1e-7;
    const int64_t n = s->p.labels.n;
    double *r = m->matrix;
    for (int64_t i = 0, at = 0; i < n; i++) {
        r[i * n + i] = 0;
        for (int64_t j = i + 1; j < n; j++, at++) {
            double p = -(m->pairs[at] * s->a[at] + s->b[at]);
            ob__ml_transform(&s->logistic, &p, 1, 1);
            p = fmin(fmax(p, least), 1 - least);
            r[i * n + j] = p;
            r[j * n + i] = 1 - p;
        }
    }
    couple(n, r, r + n * n, m->sums, m->scores);
}

/* ---- Rows ---- */

/* The final scores of a row; returns the place of its label. */
static int64_t finish_pairs(const svm *s, const lane_memory *m) {
    const int64_t top = score_pairs(s, m);
    const ob_ml_svm *p = &s->p;
    if (p->a.n)
        probabilities(s, m);
    else if (p->labels.n == 2) {
        ob__ml_two_classes(&s->post, p->transform != OB_ML_NONE, m->pairs[0], m->scores);
        return top;
    } else
        memcpy(m->scores, m->pairs, (size_t)s->n_pairs * sizeof *m->scores);
    ob__ml_transform(&s->post, m->scores, 1, p->n_scores);
    return top;
}

static int64_t finish_classes(const svm *s, const lane_memory *m) {
    const int64_t n = s->p.labels.n;
    for (int64_t k = 0; k < n; k++) m->scores[k] = m->kernels[k] + s->rho[s->p.rho.n == 1 ? 0 : k];
    const int64_t top = ob__ml_top(m->scores, n);
    ob__ml_transform(&s->post, m->scores, 1, n);
    return top;
}

static void finish_value(const svm *s, const lane_memory *m) {
    const ob_ml_svm *p = &s->p;
    double *y = m->scores;
    *y = s->rho[0] + (p->n_vectors ? weighted(s->coefficients, m->kernels, 0, p->n_vectors) : m->kernels[0]);
    if (p->one_class)
        *y = *y > 0 ? 1 : -1;
    else
        ob__ml_transform(&s->post, y, 1, 1);
}

typedef struct work {
    const ob_kernel_args *args;
    ob_ml_labels labels;
} work;

static void svm_chunk(void *context, int64_t chunk, int lane) {
    const work *w = context;
    const ob_kernel_args *args = w->args;
    const svm *s = args->state;
    const lane_memory m = take_lane(s, ob__lane(args->lanes, args->lane_stride, lane));
    const int64_t first = chunk * ROWS, end = s->rows.n - first < ROWS ? s->rows.n : first + ROWS;
    for (int64_t i = first; i < end; i++) {
        int64_t top = 0;
        ob__ml_row(args, i, s->rows.columns, m.x);
        s->sums(m.kernels, m.x, s->table.at, s->table.n_features, s->table.blocks);
        apply_kernel(s, m.kernels);
        if (s->pairwise)
            top = finish_pairs(s, &m);
        else if (s->classifies)
            top = finish_classes(s, &m);
        else
            finish_value(s, &m);
        float *y = (float *)args->out[s->classifies].data + i * s->p.n_scores;
        for (uint32_t k = 0; k < s->p.n_scores; k++) y[k] = (float)m.scores[k];
        if (s->classifies) ob__ml_put_label(&args->out[0], i, &w->labels, top);
    }
}

OB_RUN(ob__run_svm) {
    const svm *s = args->state;
    work w = {.args = args};
    if (s->classifies) OB_TRY(ob__ml_own_labels(args, &s->p.labels, &w.labels, error));
    ob__each_chunk(args->threads, ob__ceil_div(s->rows.n, ROWS), svm_chunk, &w);
    return OB_OK;
}

const ob_kernel ob__kernel_svm = {
    .name = "svm", .state_bytes = sizeof(svm), .state = &svm_struct, .plan = svm_plan, OB_RUNS(ob__run_svm)};
