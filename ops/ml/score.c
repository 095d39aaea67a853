#include "ops/ml/score.h"
#include "core/base/integers.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/softmax/softmax.h"
#include "kernels/take.h"

#include <math.h>
#include <string.h>

#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"

/* ---- Members ---- */

OB_COUNT(n_labels, ob_ml_labels, n)
static int64_t label_width(const void *owner, uint32_t i) {
    const ob_dtype dtype = ((const ob_ml_labels *)owner)->dtype;
    (void)i;
    return dtype == OB_STRING ? 0 : (int64_t)ob_dtype_size(dtype);
}
static const ob_member labels_members[] = {OB_VALUE(ob_ml_labels, dtype), OB_VALUE(ob_ml_labels, n),
                                           OB_ANY_NUMBERS(ob_ml_labels, at, n_labels, label_width)};
const ob_struct ob__ml_labels_struct = OB_STRUCT(ob_ml_labels, labels_members);

static const ob_member post_members[] = {OB_VALUE(ob_ml_post, transform), OB_FUNCTION(ob_ml_post, softmax),
                                         OB_FUNCTION(ob_ml_post, logistic)};
const ob_struct ob__ml_post_struct = OB_STRUCT(ob_ml_post, post_members);

static const ob_member rows_members[] = {OB_VALUE(ob_ml_rows, n), OB_VALUE(ob_ml_rows, columns)};
const ob_struct ob__ml_rows_struct = OB_STRUCT(ob_ml_rows, rows_members);

static int64_t table_numbers(const void *owner, uint32_t i) {
    const ob_ml_table *table = owner;
    (void)i;
    return table->blocks * table->n_features * OBK_ML_BLOCK;
}
static const ob_member table_members[] = {OB_NUMBERS(ob_ml_table, at, table_numbers), OB_VALUE(ob_ml_table, n_features),
                                          OB_VALUE(ob_ml_table, blocks)};
const ob_struct ob__ml_table_struct = OB_STRUCT(ob_ml_table, table_members);

/* ---- post_transform ---- */

/* The inverse of P(X <= x): a rational first guess (Hastings) for the lower half, then Newton steps with erfc, which avoids
 * cancellation there. */
static double probit(double p) {
    const double pi = 3.14159265358979323846, q = p < 0.5 ? p : 1 - p;
    if (!(q > 0)) return q == 0 ? (p < 0.5 ? -INFINITY : INFINITY) : NAN;
    const double t = sqrt(-2 * log(q));
    double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int i = 0; i < 4; i++) {
        const double density = exp(-x * x / 2) / sqrt(2 * pi), off = (0.5 * erfc(-x / sqrt(2.0)) - q) / density;
        if (!isfinite(off)) break;
        x -= off / (1 + x * off / 2);
    }
    return p < 0.5 ? x : -x;
}

static void softmax_zero(double *scores, int64_t n) {
    double greatest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++)
        if (scores[i] > greatest) greatest = scores[i];
    for (int64_t i = 0; i < n; i++) {
        scores[i] = scores[i] == 0 ? 0 : exp(scores[i] - greatest);
        sum += scores[i];
    }
    for (int64_t i = 0; i < n && sum != 0; i++) scores[i] /= sum;
}

ob_ml_post ob__ml_post(ob_ml_transform transform) {
    ob_ml_post post = {.transform = transform};
    if (transform == OB_ML_SOFTMAX) post.softmax = OBK_LOOP(softmax, ->rows[1]);
    if (transform == OB_ML_LOGISTIC) post.logistic = OBK_LOOP(unary, [OBK_U_SIGMOID][OB_DOUBLE]);
    return post;
}

void ob__ml_transform(const ob_ml_post *post, double *scores, int64_t rows, int64_t n) {
    char *const both[2] = {(char *)scores, (char *)scores};
    const int64_t step = sizeof *scores, none[2] = {0, 0};
    switch (post->transform) {
    case OB_ML_SOFTMAX: post->softmax(scores, n, scores, n, rows, n, NULL, &(obk_pace){0}); return;
    case OB_ML_LOGISTIC: post->logistic(both, &step, rows * n, none, 1, NULL); return;
    case OB_ML_SOFTMAX_ZERO:
        for (int64_t i = 0; i < rows; i++) softmax_zero(scores + i * n, n);
        return;
    case OB_ML_PROBIT:
        for (int64_t i = 0; i < rows * n; i++) scores[i] = probit(scores[i]);
        return;
    default: return;
    }
}

void ob__ml_two_classes(const ob_ml_post *post, bool probability, double score, double *scores) {
    const bool both = post->transform == OB_ML_LOGISTIC || post->transform == OB_ML_PROBIT;
    scores[0] = probability ? 1 - score : -score;
    scores[1] = score;
    if (!both) return;
    scores[0] = post->transform == OB_ML_LOGISTIC ? -score : 1 - score;
    ob__ml_transform(post, scores, 1, 2);
}

int64_t ob__ml_top(const double *scores, int64_t n) {
    double best = scores[0];
    int64_t top = 0;
    for (int64_t i = 1; i < n; i++) { /* without branches, which would be mispredicted for random scores */
        const bool better = scores[i] > best;
        best = better ? scores[i] : best;
        top = better ? i : top;
    }
    return top;
}

/* ---- Labels ---- */

static ob_status copy_strings(ob_arena *arena, ob_ml_labels *labels, ob_error *error) {
    const ob_string *from = labels->at;
    ob_string *copy = OB_ARENA_ARRAY(arena, ob_string, labels->n);
    for (uint32_t i = 0; copy && i < labels->n; i++) {
        char *bytes = ob__arena_strndup(arena, from[i].data, from[i].n);
        if (!bytes) return ob__fail(error, OB_E_MEMORY, "no memory for strings");
        copy[i] = (ob_string){bytes, from[i].n};
    }
    labels->at = copy;
    return copy ? OB_OK : ob__fail(error, OB_E_MEMORY, "no memory for strings");
}

ob_status ob__ml_keep_labels(const ob_kernel_site *site, ob_ml_labels *labels, ob_error *error) {
    if (labels->dtype == OB_STRING) return copy_strings(site->arena, labels, error);
    const size_t width = ob_dtype_size(labels->dtype);
    void *copy = ob__tail(site, labels->n, width);
    if (!copy) return ob__fail(error, OB_E_MEMORY, "no memory for labels");
    if (labels->n) memcpy(copy, labels->at, labels->n * width);
    labels->at = copy;
    return OB_OK;
}

ob_status ob__ml_own_labels(const ob_kernel_args *args, const ob_ml_labels *labels, ob_ml_labels *own, ob_error *error) {
    *own = *labels;
    if (labels->dtype != OB_STRING) return OB_OK;
    OB_FAIL_IF(!args->strings, error, OB_E_UNSUPPORTED, "strings cannot be stored here");
    return copy_strings(args->strings, own, error);
}

/* ---- Rows ---- */

ob_status ob__ml_rows(const ob_kernel_args *args, int64_t least, bool exactly, ob_ml_rows *out, ob_error *error) {
    const ob_view *in = &args->in[0];
    OB_FAIL_IF(in->rank < 1 || in->rank > 2, error, OB_E_SHAPE, "operand 0 has rank %d: it must be (N, C) or (C)", in->rank);
    out->n = in->rank == 2 ? in->dims[0] : 1;
    out->columns = in->dims[in->rank - 1];
    OB_FAIL_IF(out->columns < least || (exactly && out->columns > least), error, OB_E_SHAPE,
               "operand 0 has %lld features, %s%lld are needed", (long long)out->columns, exactly ? "" : "at least ",
               (long long)least);
    return OB_OK;
}

/* ---- Tables ---- */

static ob_status no_memory(ob_error *error) {
    return ob__fail(error, OB_E_MEMORY, "no memory for coefficients");
}

ob_status ob__ml_table(const ob_kernel_site *site, const ob_ml_reals *list, int64_t n_vectors, int64_t n_features,
                       ob_ml_table *out, ob_error *error) {
    *out = (ob_ml_table){NULL, n_features, ob__ceil_div(n_vectors, OBK_ML_BLOCK)};
    double *table = ob__tail(site, (uint64_t)(out->blocks * n_features), OBK_ML_BLOCK * sizeof *table);
    if (!table) return no_memory(error);
    for (int64_t v = 0; v < n_vectors; v++)
        for (int64_t i = 0; i < n_features; i++)
            table[(v / OBK_ML_BLOCK * n_features + i) * OBK_ML_BLOCK + v % OBK_ML_BLOCK] =
                ob__ml_real(list, (uint32_t)(v * n_features + i));
    out->at = table;
    return OB_OK;
}

void ob__ml_row(const ob_kernel_args *args, int64_t i, int64_t columns, double *out) {
    const ob_view *in = &args->in[0];
    if (in->dtype == OB_FLOAT) { /* rows are short, so a call would take longer */
        const float *restrict row = (const float *)in->data + i * columns;
        for (int64_t c = 0; c < columns; c++) out[c] = (double)row[c];
        return;
    }
    (void)ob__convert_in_run(args, out, OB_DOUBLE, (const char *)in->data + (size_t)(i * columns) * ob_dtype_size(in->dtype),
                             in->dtype, columns, NULL);
}

ob_status ob__ml_keep_reals(const ob_kernel_site *site, const ob_ml_reals *list, const double **out, ob_error *error) {
    double *copy = ob__tail(site, list->n, sizeof *copy);
    if (!copy) return no_memory(error);
    for (uint32_t i = 0; i < list->n; i++) copy[i] = ob__ml_real(list, i);
    *out = copy;
    return OB_OK;
}
