/* LpNormalization 1..: x / (sum |x|^p)^(1/p) along `axis`, p 1 or 2; 0 if the norm is 0. MeanVarianceNormalization 9..: (x -
 * mean) / (standard deviation + 1e-9) over `axes`. Types: floats; float16 and bfloat16 are computed as float, statistics in
 * double. */
#include "core/base/integers.h"
#include "kernels/norm/norm.h"
#include "kernels/take.h"
#include "ops/kernel/members.h"
#include "ops/norm/common.h"

/* ---- LpNormalization ---- */

enum { COLUMNS = 128 };

typedef struct lp_norm {
    int64_t p, outer, n, inner, blocks; /* vectors of n elements, dense [outer, n, inner] */
    bool is_double;
    obk_norm_sum sum_abs; /* of rows, p = 1 */
    obk_norm_squares sum_squares;
    obk_norm_divided divided;
    obk_norm_columns columns_abs; /* of columns, p = 1 */
    obk_norm_columns_squares columns_squares;
    obk_norm_columns_divided columns_divided;
} lp_norm;

static const ob_member lp_norm_members[] = {OB_VALUE(lp_norm, p),
                                            OB_VALUE(lp_norm, outer),
                                            OB_VALUE(lp_norm, n),
                                            OB_VALUE(lp_norm, inner),
                                            OB_VALUE(lp_norm, blocks),
                                            OB_VALUE(lp_norm, is_double),
                                            OB_FUNCTION(lp_norm, sum_abs),
                                            OB_FUNCTION(lp_norm, sum_squares),
                                            OB_FUNCTION(lp_norm, divided),
                                            OB_FUNCTION(lp_norm, columns_abs),
                                            OB_FUNCTION(lp_norm, columns_squares),
                                            OB_FUNCTION(lp_norm, columns_divided)};
static const ob_struct lp_norm_struct = OB_STRUCT(lp_norm, lp_norm_members);

static void choose_lp_loops(lp_norm *n) {
    const obk_norms *f = OBK_FAMILY(norm, ->sum[n->is_double]);
    const bool d = n->is_double;
    if (n->inner == 1) {
        if (n->p == 1)
            n->sum_abs = f->sum_abs[d];
        else
            n->sum_squares = f->sum_squares[d];
        n->divided = f->divided[d];
    } else {
        if (n->p == 1)
            n->columns_abs = f->columns_abs[d];
        else
            n->columns_squares = f->columns_squares[d];
        n->columns_divided = f->columns_divided[d];
    }
}

static ob_status lp_norm_refuse(const ob_kernel_site *site, const ob_kernel_args *args, ob_error *error) {
    const int64_t p = ob__lp_norm_params(site->node).p;
    (void)args;
    OB_FAIL_IF(p != 1 && p != 2, error, OB_E_UNSUPPORTED, "p is %lld", (long long)p);
    return OB_OK;
}

static ob_status lp_norm_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    lp_norm *n = args->state;
    const ob_lp_norm_params p = ob__lp_norm_params(site->node);
    const ob_view *x = &args->in[0];
    int32_t axis = 0;
    OB_TRY(ob__norm_shapes(site, args, 1, error));
    OB_TRY(lp_norm_refuse(site, args, error));
    OB_TRY(ob__axis(p.axis, x->rank, &axis, error));
    n->p = p.p;
    n->outer = ob__product(x->dims, 0, axis);
    n->n = x->dims[axis];
    n->inner = ob__product(x->dims, axis + 1, x->rank);
    n->blocks = ob__ceil_div(n->inner, COLUMNS);
    n->is_double = ob__computing_type(args) == OB_DOUBLE;
    choose_lp_loops(n);
    return ob__plan_real(args, needs, error);
}

static void lp_row(const lp_norm *n, char *y, const char *x) {
    const double sum = n->p == 1 ? n->sum_abs(x, n->n) : n->sum_squares(x, n->n, 0);
    n->divided(y, x, n->n, 0, n->p == 1 ? sum : sqrt(sum));
}

static void lp_columns(const lp_norm *n, char *y, const char *x, int64_t width, size_t stride) {
    double lengths[COLUMNS] = {0};
    for (int64_t i = 0; i < n->n; i++) {
        if (n->p == 1)
            n->columns_abs(lengths, x + (size_t)i * stride, width);
        else
            n->columns_squares(lengths, x + (size_t)i * stride, NULL, width);
    }
    for (int64_t k = 0; n->p == 2 && k < width; k++) lengths[k] = sqrt(lengths[k]);
    for (int64_t i = 0; i < n->n; i++) n->columns_divided(y + (size_t)i * stride, x + (size_t)i * stride, width, NULL, lengths);
}

static void lp_parts(void *context, int64_t begin, int64_t end) {
    const ob_kernel_args *args = context;
    const lp_norm *n = args->state;
    const size_t element_bytes = n->is_double ? sizeof(double) : sizeof(float), stride = (size_t)n->inner * element_bytes;
    for (int64_t part = begin; part < end; part++) {
        const int64_t column = part % n->blocks * COLUMNS, left = n->inner - column;
        const size_t offset = (size_t)(part / n->blocks * n->n * n->inner + column) * element_bytes;
        char *y = (char *)args->out[0].data + offset;
        const char *x = (const char *)args->in[0].data + offset;
        if (n->inner == 1)
            lp_row(n, y, x);
        else
            lp_columns(n, y, x, left < COLUMNS ? left : COLUMNS, stride);
    }
}

static ob_status lp_norm_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const lp_norm *n = args->state;
    ob_kernel_args shared = *args;
    if (ob__count(&args->in[0]) == 0) return OB_OK;
    ob__parallel(args->threads, n->outer * n->blocks, ob__norm_grain(n->n * (n->inner < COLUMNS ? n->inner : COLUMNS)), lp_parts,
                 &shared);
    return OB_OK;
}

OB_RUN(ob__run_lp_norm) {
    return ob__run_real(args, lp_norm_compute, error);
}

const ob_kernel ob__kernel_lp_norm = {.name = "lp_norm",
                                      .state_bytes = sizeof(lp_norm),
                                      .state = &lp_norm_struct,
                                      .plan = lp_norm_plan,
                                      OB_RUNS(ob__run_lp_norm),
                                      .refuse = lp_norm_refuse};

/* ---- MeanVarianceNormalization ---- */

typedef struct mean_variance {
    uint32_t axes; /* reduced axes */
    int64_t n_kept;
    bool is_double;
    obk_norm_sum sum; /* of rows that are reduced */
    obk_norm_squares sum_squares;
    obk_norm_divided divided;
    obk_norm_columns columns_sum; /* of rows that are kept */
    obk_norm_columns_squares columns_squares;
    obk_norm_columns_divided columns_divided;
} mean_variance;

static const ob_member mean_variance_members[] = {OB_VALUE(mean_variance, axes),
                                                  OB_VALUE(mean_variance, n_kept),
                                                  OB_VALUE(mean_variance, is_double),
                                                  OB_FUNCTION(mean_variance, sum),
                                                  OB_FUNCTION(mean_variance, sum_squares),
                                                  OB_FUNCTION(mean_variance, divided),
                                                  OB_FUNCTION(mean_variance, columns_sum),
                                                  OB_FUNCTION(mean_variance, columns_squares),
                                                  OB_FUNCTION(mean_variance, columns_divided)};
static const ob_struct mean_variance_struct = OB_STRUCT(mean_variance, mean_variance_members);

/* Whether the last axis of X is reduced. */
static bool folds_rows(const ob_view *x, uint32_t axes) {
    return axes >> (x->rank - 1) & 1;
}

static ob_status mean_variance_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    mean_variance *n = args->state;
    const ob_mean_variance_params p = ob__mean_variance_params(site->node);
    const ob_view *x = &args->in[0];
    OB_TRY(ob__norm_shapes(site, args, 1, error));
    for (uint32_t i = 0; i < p.n_axes; i++) {
        int32_t axis = 0;
        OB_TRY(ob__axis(p.axes[i], x->rank, &axis, error));
        n->axes |= UINT32_C(1) << axis;
    }
    n->n_kept = 1;
    for (int32_t a = 0; a < x->rank; a++)
        if (!(n->axes >> a & 1)) n->n_kept *= x->dims[a];
    n->is_double = ob__computing_type(args) == OB_DOUBLE;
    const obk_norms *f = OBK_FAMILY(norm, ->sum[n->is_double]);
    if (folds_rows(x, n->axes)) {
        n->sum = f->sum[n->is_double];
        n->sum_squares = f->sum_squares[n->is_double];
        n->divided = f->divided[n->is_double];
    } else {
        n->columns_sum = f->columns_sum[n->is_double];
        n->columns_squares = f->columns_squares[n->is_double];
        n->columns_divided = f->columns_divided[n->is_double];
    }
    OB_TRY(ob__plan_real(args, needs, error));
    for (int i = 0; i < 2; i++) OB_TRY(ob__need_scratch(needs, n->n_kept, sizeof(double), error));
    return OB_OK;
}

/* X as rows along its last axes, all reduced or all kept: reduced to one cell, or each element with a cell of its own. */
typedef struct rows {
    int64_t n; /* elements of a row */
    bool folded;
    int32_t rank;                                    /* of the axes before the row */
    int64_t dims[OB_MAX_RANK], strides[OB_MAX_RANK]; /* strides in cells */
} rows;

static rows rows_of(const ob_view *x, uint32_t axes) {
    rows r = {.n = 1, .rank = x->rank, .folded = folds_rows(x, axes)};
    for (; r.rank > 0 && (axes >> (r.rank - 1) & 1) == (uint32_t)r.folded; r.rank--) r.n *= x->dims[r.rank - 1];
    int64_t stride = r.folded ? 1 : r.n;
    for (int32_t a = r.rank - 1; a >= 0; a--) {
        const bool is_folded = axes >> a & 1;
        r.dims[a] = x->dims[a];
        r.strides[a] = is_folded ? 0 : stride;
        if (!is_folded) stride *= x->dims[a];
    }
    return r;
}

/* Moves from one row to the next; *cell is its first cell. False after the last row. */
static bool next_row(const rows *r, int64_t *index, int64_t *cell) {
    for (int32_t a = r->rank - 1; a >= 0; a--) {
        *cell += r->strides[a];
        if (++index[a] < r->dims[a]) return true;
        *cell -= index[a] * r->strides[a];
        index[a] = 0;
    }
    return false;
}

typedef enum pass { MEANS, DEVIATIONS, RESULTS } pass;

static void over_rows(const mean_variance *n, const rows *r, pass what, double *mean, double *deviation, const char *x, char *y,
                      obk_pace *pace) {
    int64_t index[OB_MAX_RANK] = {0}, cell = 0;
    const size_t row_bytes = (size_t)r->n * (n->is_double ? sizeof(double) : sizeof(float));
    do {
        double *m = mean + cell, *s = deviation + cell;
        if (obk_stops(pace, r->n + 8)) return;
        if (what == MEANS && r->folded)
            *m += n->sum(x, r->n);
        else if (what == MEANS)
            n->columns_sum(m, x, r->n);
        else if (what == DEVIATIONS && r->folded)
            *s += n->sum_squares(x, r->n, *m);
        else if (what == DEVIATIONS)
            n->columns_squares(s, x, m, r->n);
        else if (r->folded)
            n->divided(y, x, r->n, *m, *s);
        else
            n->columns_divided(y, x, r->n, m, s);
        x += row_bytes;
        y += row_bytes;
    } while (next_row(r, index, &cell));
}

static ob_status mean_variance_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const mean_variance *n = args->state;
    const ob_view *x = &args->in[0];
    if (ob__count(x) == 0) return OB_OK;
    const rows r = rows_of(x, n->axes);
    const int64_t each = ob__count(x) / n->n_kept;
    const double n_folded = (double)each;
    char *next = args->scratch, *y = args->out[0].data;
    double *mean = ob__take(&next, n->n_kept, sizeof(double)), *deviation = ob__take(&next, n->n_kept, sizeof(double));
    obk_pace pace = ob__pace(args->threads);
    for (int64_t k = 0; k < n->n_kept; k++) mean[k] = deviation[k] = 0;
    over_rows(n, &r, MEANS, mean, deviation, x->data, y, &pace);
    for (int64_t k = 0; k < n->n_kept; k++) mean[k] /= n_folded;
    over_rows(n, &r, DEVIATIONS, mean, deviation, x->data, y, &pace);
    for (int64_t k = 0; k < n->n_kept; k++) deviation[k] = sqrt(deviation[k] / n_folded) + 1e-9;
    over_rows(n, &r, RESULTS, mean, deviation, x->data, y, &pace);
    return OB_OK;
}

OB_RUN(ob__run_mean_variance) {
    return ob__run_real(args, mean_variance_compute, error);
}

const ob_kernel ob__kernel_mean_variance = {.name = "mean_variance",
                                            .state_bytes = sizeof(mean_variance),
                                            .state = &mean_variance_struct,
                                            .plan = mean_variance_plan,
                                            OB_RUNS(ob__run_mean_variance)};
