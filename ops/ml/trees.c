/* TreeEnsembleClassifier and TreeEnsembleRegressor 1, 3, 5, TreeEnsemble 5.
 *
 * Tests and sums are computed in float if operand, thresholds and weights are float, otherwise in double. Weights are added tree
 * by tree in the order of the file. Rows are divided into chunks of ROWS; a chunk goes through one tree after the other. */
#include <math.h>

#include "core/base/arena.h"
#include "core/base/integers.h"
#include "kernels/ml/ml.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/ml/forest.h"
#include "ops/ml/score.h"

enum { ROWS = 256 };

static const ob_member narrow_members[] = {OB_VALUE(obk_tree_node_f32, value), OB_VALUE(obk_tree_node_f32, feature),
                                           OB_VALUES(obk_tree_node_f32, child)};
static const ob_struct narrow_struct = OB_STRUCT(obk_tree_node_f32, narrow_members);
static const ob_member wide_members[] = {OB_VALUE(obk_tree_node_f64, value), OB_VALUE(obk_tree_node_f64, feature),
                                         OB_VALUES(obk_tree_node_f64, child)};
static const ob_struct wide_struct = OB_STRUCT(obk_tree_node_f64, wide_members);
static const ob_member tree_members[] = {OB_VALUE(obk_tree, root), OB_VALUE(obk_tree, least)};
static const ob_struct tree_struct = OB_STRUCT(obk_tree, tree_members);
static const ob_member vote_members[] = {OB_VALUE(ob_forest_vote, weight), OB_VALUE(ob_forest_vote, result)};
static const ob_struct vote_struct = OB_STRUCT(ob_forest_vote, vote_members);

OB_COUNT(nodes_of, ob_trees, n_nodes)
OB_COUNT(trees_of, ob_trees, n_trees)
static int64_t firsts_of(const void *owner, uint32_t i) {
    (void)i;
    return (int64_t)((const ob_trees *)owner)->n_nodes + 1;
}
static int64_t votes_of(const void *owner, uint32_t i) {
    const ob_trees *t = owner;
    (void)i;
    return t->first_vote[t->n_nodes];
}

static const ob_member trees_members[] = {OB_POINTER(ob_trees, narrow, &narrow_struct, nodes_of),
                                          OB_POINTER(ob_trees, wide, &wide_struct, nodes_of),
                                          OB_POINTER(ob_trees, trees, &tree_struct, trees_of),
                                          OB_VALUE(ob_trees, n_trees),
                                          OB_VALUE(ob_trees, n_nodes),
                                          OB_VALUE(ob_trees, is_double),
                                          OB_VALUE(ob_trees, negates),
                                          OB_VALUE(ob_trees, single),
                                          OB_NUMBERS(ob_trees, first_vote, firsts_of),
                                          OB_POINTER(ob_trees, votes, &vote_struct, votes_of)};
static const ob_struct trees_struct = OB_STRUCT(ob_trees, trees_members);

typedef struct ensemble {
    ob_trees trees;
    ob_ml_rows rows;
    ob_ml_labels labels; /* for a classifier */
    ob_forest_aggregate aggregate;
    ob_ml_post post;
    const double *base;
    uint32_t n_base;
    int64_t n_results;
    int64_t width; /* columns of copied rows; 0: rows are used in place */
    bool classifies;
    int32_t only;      /* of two classes, the one that all weights are for; -1: each class has its own score */
    bool all_positive; /* no weight is negative */
    void (*leaves)(uint32_t *leaf, const void *nodes, obk_tree tree, const void *x, ptrdiff_t stride, ptrdiff_t rows);
    void (*add_leaves)(void *scores, const void *nodes, const uint32_t *leaf, ptrdiff_t rows);
} ensemble;

OB_COUNT(bases_of, ensemble, n_base)

static const ob_member ensemble_members[] = {OB_NESTED(ensemble, trees, &trees_struct),
                                             OB_NESTED(ensemble, rows, &ob__ml_rows_struct),
                                             OB_NESTED(ensemble, labels, &ob__ml_labels_struct),
                                             OB_VALUE(ensemble, aggregate),
                                             OB_NESTED(ensemble, post, &ob__ml_post_struct),
                                             OB_NUMBERS(ensemble, base, bases_of),
                                             OB_VALUE(ensemble, n_base),
                                             OB_VALUE(ensemble, n_results),
                                             OB_VALUE(ensemble, width),
                                             OB_VALUE(ensemble, classifies),
                                             OB_VALUE(ensemble, only),
                                             OB_VALUE(ensemble, all_positive),
                                             OB_FUNCTION(ensemble, leaves),
                                             OB_FUNCTION(ensemble, add_leaves)};
static const ob_struct ensemble_struct = OB_STRUCT(ensemble, ensemble_members);

/* The memory of a lane for a chunk. */
typedef struct lane_memory {
    char *x;        /* ROWS * width of the computing type */
    uint32_t *leaf; /* ROWS */
    double *scores; /* ROWS * n_results; with `single` trees, of the computing type */
    uint8_t *seen;  /* ROWS * n_results: whether any vote was for the class */
    double *row;    /* n_results, at least 2 */
} lane_memory;

typedef struct work {
    const ob_kernel_args *args;
    ob_ml_labels labels;
} work;

/* ---- Planning ---- */

static ob_status plan_lanes(const ensemble *e, ob_kernel_needs *needs, ob_error *error) {
    const size_t width = e->trees.is_double ? sizeof(double) : sizeof(float);
    int64_t n_copied = 0, n_scores = 0;
    OB_FAIL_IF(__builtin_mul_overflow(e->width, (int64_t)ROWS, &n_copied) ||
                   __builtin_mul_overflow(e->n_results, (int64_t)ROWS, &n_scores),
               error, OB_E_LIMIT, "%lld features, %lld results", (long long)e->width, (long long)e->n_results);
    OB_TRY(ob__need_lanes(needs, n_copied, width, error));
    OB_TRY(ob__need_lanes(needs, ROWS, sizeof(uint32_t), error));
    OB_TRY(ob__need_lanes(needs, n_scores, sizeof(double), error));
    OB_TRY(ob__need_lanes(needs, n_scores, sizeof(uint8_t), error));
    return ob__need_lanes(needs, e->n_results + 2, sizeof(double), error);
}

static lane_memory take_lane(const ensemble *e, char *lane) {
    lane_memory m;
    m.x = ob__take(&lane, e->width * ROWS, e->trees.is_double ? sizeof(double) : sizeof(float));
    m.leaf = ob__take(&lane, ROWS, sizeof(uint32_t));
    m.scores = ob__take(&lane, e->n_results * ROWS, sizeof(double));
    m.seen = ob__take(&lane, e->n_results * ROWS, sizeof(uint8_t));
    m.row = ob__take(&lane, e->n_results + 2, sizeof(double));
    return m;
}

static void look_at_votes(const ob_forest *f, ensemble *e) {
    bool voted[2] = {false, false};
    e->all_positive = true;
    for (uint32_t i = 0; i < f->first_vote[f->n_nodes]; i++) {
        if (f->votes[i].result < 2) voted[f->votes[i].result] = true;
        if (f->votes[i].weight < 0) e->all_positive = false;
    }
    e->only = f->n_results == 2 && voted[0] != voted[1] && f->n_base < 2 ? voted[1] : -1;
}

static ob_status plan_forest(const ob_kernel_site *site, const ob_kernel_args *args, ob_arena *scratch, ensemble *e,
                             ob_error *error) {
    ob_forest f;
    const ob_dtype dtype = args->in[0].dtype;
    OB_TRY(ob__read_forest(site->node, scratch, &f, error));
    OB_TRY(ob__ml_rows(args, f.n_features, false, &e->rows, error));
    OB_FAIL_IF(e->rows.columns > INT32_MAX, error, OB_E_LIMIT, "%lld features", (long long)e->rows.columns);
    const bool is_double = f.is_double || (dtype != OB_FLOAT && dtype != OB_FLOAT16);
    OB_TRY(ob__lower_forest(&f, (uint32_t)e->rows.columns, is_double, site->arena, scratch, &e->trees, error));
    e->classifies = f.is_classifier;
    e->n_results = f.n_results;
    e->aggregate = f.aggregate;
    e->post = ob__ml_post(f.transform);
    e->n_base = f.n_base;
    double *base = ob__tail(site, f.n_base, sizeof *base);
    if (!base) return ob__fail(error, OB_E_MEMORY, "no memory for the trees");
    if (f.n_base) memcpy(base, f.base, f.n_base * sizeof *base);
    e->base = base;
    look_at_votes(&f, e);
    e->labels = f.labels;
    return f.is_classifier ? ob__ml_keep_labels(site, &e->labels, error) : OB_OK;
}

static ob_status trees_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    ensemble *e = args->state;
    ob_arena scratch;
    OB_TRY(ob__check_type(site, args, 0, error));
    ob__arena_init(&scratch, site->allocator);
    ob_status status = plan_forest(site, args, &scratch, e, error);
    ob__arena_release(&scratch);
    OB_TRY(status);
    const ob_dtype computing = e->trees.is_double ? OB_DOUBLE : OB_FLOAT;
    if (args->in[0].dtype != computing || e->trees.negates || e->rows.columns == 0)
        e->width = e->trees.negates ? 2 * e->rows.columns : e->rows.columns + (e->rows.columns == 0);
    ob__need_conversion(needs, args->in[0].dtype, computing);
    e->leaves = OBK_LOOP(ml, ->leaves[e->trees.is_double]);
    if (e->trees.single) e->add_leaves = OBK_LOOP(ml, ->add_leaves[e->trees.is_double]);
    const ob_view *scores = &args->out[e->classifies];
    OB_FAIL_IF(ob__count(scores) != e->rows.n * e->n_results, error, OB_E_SHAPE, "result of another size");
    return plan_lanes(e, needs, error);
}

/* ---- Running ---- */

static void negate(const ensemble *e, char *row) {
    const int64_t n = e->rows.columns;
    if (e->trees.is_double)
        for (int64_t i = 0; i < n; i++) ((double *)row)[n + i] = -((const double *)row)[i];
    else
        for (int64_t i = 0; i < n; i++) ((float *)row)[n + i] = -((const float *)row)[i];
}

/* The rows in the computing type, followed by their negated elements if tests need them. */
static const void *prepare(const ob_kernel_args *args, int64_t first, int64_t n, const lane_memory *m) {
    const ensemble *e = args->state;
    const ob_view *in = &args->in[0];
    const size_t size = ob_dtype_size(in->dtype), computing = e->trees.is_double ? sizeof(double) : sizeof(float);
    const char *from = (const char *)in->data + (size_t)(first * e->rows.columns) * size;
    if (e->width == 0) return from;
    for (int64_t i = 0; i < n; i++) {
        char *row = m->x + (size_t)(i * e->width) * computing;
        (void)ob__convert_in_run(args, row, e->trees.is_double ? OB_DOUBLE : OB_FLOAT,
                                 from + (size_t)(i * e->rows.columns) * size, in->dtype, e->rows.columns,
                                 NULL); /* planning has checked the types */
        if (e->trees.negates) negate(e, row);
        if (e->rows.columns == 0) memset(row, 0, computing);
    }
    return m->x;
}

static double joined(const ensemble *e, double score, double weight, bool first) {
    switch (e->aggregate) {
    case OB_FOREST_MIN: return first || weight < score ? weight : score;
    case OB_FOREST_MAX: return first || weight > score ? weight : score;
    default: return e->trees.is_double ? score + weight : (double)((float)score + (float)weight);
    }
}

static void count_votes(const ensemble *e, const lane_memory *m, int64_t n) {
    const uint32_t *first_vote = e->trees.first_vote;
    for (int64_t i = 0; i < n; i++) {
        double *scores = m->scores + i * e->n_results;
        uint8_t *seen = m->seen + i * e->n_results;
        for (uint32_t v = first_vote[m->leaf[i]]; v < first_vote[m->leaf[i] + 1]; v++) {
            const ob_forest_vote *vote = &e->trees.votes[v];
            scores[vote->result] = joined(e, scores[vote->result], vote->weight, !seen[vote->result]);
            seen[vote->result] = 1;
        }
    }
}

static double score_at(const ensemble *e, const lane_memory *m, int64_t i) {
    return e->trees.single && !e->trees.is_double ? (double)((const float *)m->scores)[i] : m->scores[i];
}

static double added(const ensemble *e, double a, double b) {
    return e->trees.is_double ? a + b : (double)((float)a + (float)b);
}

static void put_score(const ob_view *out, int64_t at, double score) {
    if (out->dtype == OB_DOUBLE)
        ((double *)out->data)[at] = score;
    else if (out->dtype == OB_FLOAT16)
        ((uint16_t *)out->data)[at] = ob__half_from_float((float)score);
    else
        ((float *)out->data)[at] = (float)score;
}

/* Two classes with weights for only one. As converters write it, weights of the first class are the score of the second too. A
 * row is of the second class if its score is above 0.5 and no weight is negative, or otherwise if it is above 0. */
static int64_t finish_two(const ensemble *e, double *scores) {
    const double score = e->n_base ? added(e, scores[e->only], e->base[0]) : scores[e->only];
    if (e->only == 0)
        ob__ml_two_classes(&e->post, e->all_positive, score, scores);
    else {
        scores[1] = score;
        ob__ml_transform(&e->post, scores, 1, 2);
    }
    return score > (e->all_positive ? 0.5 : 0);
}

/* Converts the scores of a row to the results; returns the place of the label. */
static int64_t finish_row(const ensemble *e, double *scores) {
    if (e->classifies && e->only >= 0) return finish_two(e, scores);
    for (int64_t k = 0; k < e->n_results; k++) {
        if (e->aggregate == OB_FOREST_AVERAGE)
            scores[k] = e->trees.is_double ? scores[k] / e->trees.n_trees : (double)((float)scores[k] / (float)e->trees.n_trees);
        if (k < e->n_base) scores[k] = added(e, scores[k], e->base[k]);
    }
    const int64_t top = e->classifies ? ob__ml_top(scores, e->n_results) : 0;
    ob__ml_transform(&e->post, scores, 1, e->n_results);
    return top;
}

static void trees_chunk(void *context, int64_t chunk, int lane) {
    const work *w = context;
    const ob_kernel_args *args = w->args;
    const ensemble *e = args->state;
    const lane_memory m = take_lane(e, ob__lane(args->lanes, args->lane_stride, lane));
    const int64_t first = chunk * ROWS, n = e->rows.n - first < ROWS ? e->rows.n - first : ROWS;
    const void *x = prepare(args, first, n, &m);
    const void *nodes = e->trees.wide ? (const void *)e->trees.wide : e->trees.narrow;
    const ptrdiff_t stride = e->width ? e->width : e->rows.columns;
    memset(m.scores, 0, (size_t)(n * e->n_results) * sizeof *m.scores);
    memset(m.seen, 0, (size_t)(n * e->n_results));
    for (uint32_t t = 0; t < e->trees.n_trees; t++) {
        e->leaves(m.leaf, nodes, e->trees.trees[t], x, stride, n);
        if (e->trees.single)
            e->add_leaves(m.scores, nodes, m.leaf, n);
        else
            count_votes(e, &m, n);
    }
    const ob_view *out = &args->out[e->classifies];
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < e->n_results; k++) m.row[k] = score_at(e, &m, i * e->n_results + k);
        const int64_t label = finish_row(e, m.row);
        for (int64_t k = 0; k < e->n_results; k++) put_score(out, (first + i) * e->n_results + k, m.row[k]);
        if (e->classifies) ob__ml_put_label(&args->out[0], first + i, &w->labels, label);
    }
}

OB_RUN(ob__run_trees) {
    const ensemble *e = args->state;
    work w = {.args = args};
    if (e->classifies) OB_TRY(ob__ml_own_labels(args, &e->labels, &w.labels, error));
    ob__each_chunk(args->threads, ob__ceil_div(e->rows.n, ROWS), trees_chunk, &w);
    return OB_OK;
}

const ob_kernel ob__kernel_trees = {
    .name = "trees", .state_bytes = sizeof(ensemble), .state = &ensemble_struct, .plan = trees_plan, OB_RUNS(ob__run_trees)};
