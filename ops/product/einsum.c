/* Einsum 12.
 *
 * Repeated labels become diagonals, axes of size 1 are removed, and labels of only one operand that the result lacks are summed
 * first. Then two operands after the other are contracted, as matrix products if axes are summed. The next pair is the one whose
 * result is smallest compared with its operands. If an intermediate result would be much larger than operands and result, the
 * remaining tensors are summed directly, so that memory never grows with the number of combinations. float16 is computed in
 * float, narrow integers in int32; integers wrap. */
#include "ops/product/einsum.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/take.h"
#include "ops/table/op.h"

#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"

OB_KERNEL(matmul);

/* ---- Members ---- */

static const ob_struct step_struct; /* a step leads to the next one */

static int64_t sizes_of(const void *owner, uint32_t i) {
    (void)i;
    return 2 * (int64_t)((const ob_einsum_shape *)owner)->rank;
}
OB_COUNT(tensors_of, ob_einsum_direct, n_tensors)
static int64_t strides_of(const void *owner, uint32_t i) {
    const ob_einsum_direct *d = owner;
    (void)i;
    return (int64_t)d->n_tensors * d->n_labels;
}

static const ob_member location_members[] = {OB_VALUE(ob_einsum_location, memory), OB_SIZE(ob_einsum_location, at)};
static const ob_struct location_struct = OB_STRUCT(ob_einsum_location, location_members);
static const ob_member shape_members[] = {OB_VALUE(ob_einsum_shape, dtype), OB_VALUE(ob_einsum_shape, rank),
                                          OB_NUMBERS(ob_einsum_shape, sizes, sizes_of)};
static const ob_struct shape_struct = OB_STRUCT(ob_einsum_shape, shape_members);
static const ob_member direct_members[] = {OB_VALUE(ob_einsum_direct, n_tensors),
                                           OB_VALUE(ob_einsum_direct, n_labels),
                                           OB_VALUE(ob_einsum_direct, n_kept),
                                           OB_VALUES(ob_einsum_direct, dims),
                                           OB_POINTER(ob_einsum_direct, locations, &location_struct, tensors_of),
                                           OB_NUMBERS(ob_einsum_direct, strides, strides_of),
                                           OB_SIZE(ob_einsum_direct, offsets)};
static const ob_struct direct_struct = OB_STRUCT(ob_einsum_direct, direct_members);
static const ob_member step_members[] = {OB_VALUE(ob_einsum_step, kind),
                                         OB_NESTED_ARRAY(ob_einsum_step, from, &location_struct),
                                         OB_NESTED(ob_einsum_step, to, &location_struct),
                                         OB_NESTED_ARRAY(ob_einsum_step, shapes, &shape_struct),
                                         OB_FUNCTION(ob_einsum_step, sum),
                                         OB_POINTER(ob_einsum_step, reduction, &obk_reduction_struct, NULL),
                                         OB_POINTER(ob_einsum_step, blocks, &obk_iteration_struct, NULL),
                                         OB_POINTER(ob_einsum_step, direct, &direct_struct, NULL),
                                         OB_POINTER(ob_einsum_step, product, &ob__product_struct, NULL),
                                         OB_SIZE(ob_einsum_step, scratch),
                                         OB_POINTER(ob_einsum_step, next, &step_struct, NULL),
                                         OB_UNREAD_TO_END(ob_einsum_step, in)};
static const ob_struct step_struct = OB_STRUCT(ob_einsum_step, step_members);
static const ob_member einsum_members[] = {OB_POINTER(ob_einsum, steps, &step_struct, NULL), OB_VALUE(ob_einsum, is_zero)};
static const ob_struct einsum_struct = OB_STRUCT(ob_einsum, einsum_members);

typedef struct planner {
    const ob_kernel_site *site;
    const ob_kernel_args *args;
    ob_kernel_needs *needs;
    ob_error *error;
    ob_einsum_step **end;
    ob_dtype computing;
    ob_einsum_tensor *tensors; /* the remaining tensors */
    uint32_t n;
    double most;                           /* the most elements of an intermediate result */
    int64_t sizes[OB_EINSUM_LABELS];       /* 1: no such label, or size 1 */
    uint32_t uses[OB_EINSUM_LABELS];       /* the number of tensors that have the label, including the result */
    int32_t result_axis[OB_EINSUM_LABELS]; /* the axis of the result, or -1 */
    uint8_t result[OB_MAX_RANK];           /* the labels of the result, without those of size 1 */
    int32_t rank;
    ob_einsum_tensor made[2]; /* intermediate results */
} planner;

static ob_status no_memory(ob_error *error) {
    return ob__fail(error, OB_E_MEMORY, "no memory for a plan");
}

/* ---- Labels ---- */

/* The labels of all axes of a term, for a tensor of this rank. */
static ob_status label_axes(const ob_einsum_term *term, int32_t rank, uint8_t *labels, ob_error *error) {
    int32_t rest = rank - term->n_letters, axis = 0;
    OB_FAIL_IF(rest < 0 || (rest > 0 && !term->has_ellipsis), error, OB_E_SHAPE, "a term names %d axes of an operand of rank %d",
               term->n_letters, rank);
    size_t at = 0;
    for (int label; (label = ob__einsum_label(term, &at)) >= 0;)
        if (label == OB_EINSUM_ELLIPSIS)
            for (int32_t k = 0; k < rest; k++) labels[axis++] = (uint8_t)(OB_EINSUM_LABELS - rest + k);
        else
            labels[axis++] = (uint8_t)label;
    return OB_OK;
}

static int32_t axis_of(const ob_einsum_tensor *t, int label) {
    for (int32_t a = 0; a < t->view.rank; a++)
        if (t->labels[a] == label) return a;
    return -1;
}

static void add_axis(ob_einsum_tensor *t, uint8_t label, int64_t dim, int64_t stride) {
    t->labels[t->view.rank] = label;
    t->view.dims[t->view.rank] = dim;
    t->view.strides[t->view.rank++] = stride;
}

static double count_elems(const planner *p, const ob_einsum_tensor *t) {
    double n = 1;
    for (int32_t a = 0; a < t->view.rank; a++) n *= (double)p->sizes[t->labels[a]];
    return n;
}

/* Makes a contiguous tensor with these labels. */
static void make_dense(const planner *p, ob_dtype dtype, const uint8_t *labels, int32_t n, ob_einsum_tensor *t) {
    t->place = (ob_einsum_location){OB_EINSUM_INPUT, 0};
    t->view.data = NULL;
    t->view.dtype = dtype;
    t->view.rank = 0;
    for (int32_t a = 0; a < n; a++) add_axis(t, labels[a], p->sizes[labels[a]], 0); /* `labels` may be the tensor's own */
    ob__contiguous_strides(n, t->view.dims, ob_dtype_size(dtype), t->view.strides);
}

/* Permutes the axes of the tensor into this order. */
static void order(const ob_einsum_tensor *t, const uint8_t *labels, ob_einsum_tensor *to) {
    to->place = t->place;
    to->view.data = NULL;
    to->view.dtype = t->view.dtype;
    to->view.rank = 0;
    for (int32_t a = 0; a < t->view.rank; a++) {
        int32_t from = axis_of(t, labels[a]);
        add_axis(to, labels[a], t->view.dims[from], t->view.strides[from]);
    }
}

/* Sorts labels in the order of the result; others come last. */
static void sort_labels(const planner *p, uint8_t *labels, int32_t n) {
    for (int32_t i = 1; i < n; i++)
        for (int32_t k = i; k > 0 && (uint32_t)p->result_axis[labels[k]] < (uint32_t)p->result_axis[labels[k - 1]]; k--) {
            uint8_t kept = labels[k];
            labels[k] = labels[k - 1];
            labels[k - 1] = kept;
        }
}

/* ---- Steps ---- */

static ob_einsum_step *new_step(planner *p, ob_einsum_kind kind) {
    ob_einsum_step *step = ob__tail(p->site, 1, sizeof *step);
    if (step) step->kind = kind;
    return step;
}

static void append(planner *p, ob_einsum_step *step) {
    *p->end = step;
    p->end = &step->next;
}

static ob_einsum_step *add_step(planner *p, ob_einsum_kind kind, const ob_einsum_tensor *from) {
    ob_einsum_step *step = new_step(p, kind);
    if (!step) return NULL;
    if (from) {
        step->from[0] = step->from[1] = from->place;
        step->in[0] = from->view;
    } else {
        step->from[0] = step->from[1] = (ob_einsum_location){OB_EINSUM_OUTPUT, 0};
    }
    append(p, step);
    return step;
}

/* Assigns memory to the result of the step; if it is the final result, that of the output. */
static ob_status place(planner *p, ob_einsum_step *step, ob_einsum_tensor *t, bool is_last) {
    bool fits = is_last && t->view.dtype == p->args->out[0].dtype && t->view.rank == p->rank &&
                memcmp(t->labels, p->result, (size_t)p->rank) == 0;
    t->place = (ob_einsum_location){fits ? OB_EINSUM_OUTPUT : OB_EINSUM_SCRATCH, fits ? 0 : p->needs->scratch_bytes};
    step->to = t->place;
    step->out = t->view;
    OB_FAIL_IF(!fits && count_elems(p, t) > 0x1p60, p->error, OB_E_LIMIT, "an intermediate result is too large");
    return fits ? OB_OK : ob__need_scratch(p->needs, ob__count(&t->view), ob_dtype_size(t->view.dtype), p->error);
}

/* Makes the tensor contiguous in the order of its axes. */
static ob_status copy(planner *p, ob_einsum_tensor *t, bool is_last) {
    ob_einsum_step *step = add_step(p, OB_EINSUM_COPY, t);
    if (!step) return no_memory(p->error);
    make_dense(p, t->view.dtype, t->labels, t->view.rank, t);
    return place(p, step, t, is_last);
}

static ob_status convert(planner *p, ob_einsum_tensor *t, ob_dtype dtype, bool is_last) {
    if (!ob__is_contiguous(&t->view)) OB_TRY(copy(p, t, false));
    ob_einsum_step *step = add_step(p, OB_EINSUM_CONVERT, t);
    if (!step) return no_memory(p->error);
    ob__need_conversion(p->needs, t->view.dtype, dtype);
    make_dense(p, dtype, t->labels, t->view.rank, t);
    return place(p, step, t, is_last);
}

/* Sums over the labels that neither another tensor nor the result has. */
static ob_status sum_own(planner *p, ob_einsum_tensor *t) {
    uint8_t labels[2][OB_MAX_RANK];
    int32_t n_kept = 0, n_summed = 0, rank = t->view.rank;
    int64_t kept = 1, summed = 1;
    for (int32_t a = 0; a < rank; a++) {
        bool is_own = p->uses[t->labels[a]] == 1 && p->result_axis[t->labels[a]] < 0;
        labels[is_own][is_own ? n_summed++ : n_kept++] = t->labels[a];
    }
    if (n_summed == 0) return OB_OK;
    uint8_t rows[OB_MAX_RANK], columns[OB_MAX_RANK];
    memcpy(rows, labels[0], (size_t)n_kept);
    memcpy(rows + n_kept, labels[1], (size_t)n_summed);
    memcpy(columns, labels[1], (size_t)n_summed);
    memcpy(columns + n_summed, labels[0], (size_t)n_kept);
    order(t, rows, &p->made[0]);
    order(t, columns, &p->made[1]);
    bool as_columns = n_kept > 0 && ob__is_contiguous(&p->made[1].view);
    *t = p->made[as_columns];
    if (!ob__is_contiguous(&t->view)) OB_TRY(copy(p, t, false));
    for (int32_t a = 0; a < n_kept; a++) kept *= p->sizes[labels[0][a]];
    for (int32_t a = 0; a < n_summed; a++) {
        summed *= p->sizes[labels[1][a]];
        p->uses[labels[1][a]] = 0;
    }
    ob_einsum_step *step = add_step(p, OB_EINSUM_SUM, t);
    if (!step) return no_memory(p->error);
    step->sum = OBK_LOOP(reduce, ->by_type[p->computing]);
    obk_reduction *r = step->reduction = ob__tail(p->site, 1, sizeof *r);
    if (!r) return no_memory(p->error);
    *r = (obk_reduction){.fold = OBK_FOLD_SUM, .columns = as_columns, .n_folded = summed};
    r->inner = as_columns ? kept : summed;
    if (as_columns) {
        r->n_reduced = 1;
        r->reduced[0] = summed;
        r->reduced_strides[0] = kept;
    } else {
        r->n_kept = 1;
        r->kept[0] = kept;
        r->kept_strides[0] = summed;
    }
    const size_t n_bytes = (size_t)obk_reduce_bytes(r);
    if (p->needs->lane_bytes < n_bytes) p->needs->lane_bytes = n_bytes;
    make_dense(p, p->computing, labels[0], n_kept, t);
    return place(p, step, t, p->n == 1);
}

/* ---- Two tensors ---- */

/* The labels of a pair of tensors: in both and in the result; in the first only; in the second only; in both and summed. */
typedef struct pair {
    uint8_t batch[OB_MAX_RANK], m[OB_MAX_RANK], n[OB_MAX_RANK], k[OB_MAX_RANK];
    int32_t n_batch, n_m, n_n, n_k;
} pair;

static pair split_labels(const planner *p, const ob_einsum_tensor *a, const ob_einsum_tensor *b) {
    pair s = {.n_batch = 0};
    for (int32_t i = 0; i < a->view.rank; i++) {
        uint8_t label = a->labels[i];
        if (axis_of(b, label) < 0)
            s.m[s.n_m++] = label;
        else if (p->uses[label] > 2)
            s.batch[s.n_batch++] = label;
        else
            s.k[s.n_k++] = label;
    }
    for (int32_t i = 0; i < b->view.rank; i++)
        if (axis_of(a, b->labels[i]) < 0) s.n[s.n_n++] = b->labels[i];
    return s;
}

/* The number of elements of the result of a pair; too many if it has too many axes. */
static double count_result(const planner *p, const ob_einsum_tensor *a, const ob_einsum_tensor *b) {
    const pair s = split_labels(p, a, b);
    double n = 1;
    for (int32_t i = 0; i < s.n_batch; i++) n *= (double)p->sizes[s.batch[i]];
    for (int32_t i = 0; i < s.n_m; i++) n *= (double)p->sizes[s.m[i]];
    for (int32_t i = 0; i < s.n_n; i++) n *= (double)p->sizes[s.n[i]];
    return s.n_batch + s.n_m + s.n_n > OB_MAX_RANK - 2 ? HUGE_VAL : n;
}

/* Gives the tensor an axis for each of these labels, with stride 0 for those that it lacks. */
static void stretch(const ob_einsum_tensor *t, const ob_einsum_tensor *to, ob_view *view) {
    *view = to->view;
    for (int32_t a = 0; a < to->view.rank; a++) {
        int32_t own = axis_of(t, to->labels[a]);
        view->strides[a] = own >= 0 ? t->view.strides[own] : 0;
    }
}

static ob_status multiply(planner *p, const ob_einsum_tensor *a, const ob_einsum_tensor *b, const pair *s, ob_einsum_tensor *c) {
    uint8_t labels[OB_MAX_RANK];
    int32_t n = 0;
    for (int32_t i = 0; i < s->n_batch; i++) labels[n++] = s->batch[i];
    for (int32_t i = 0; i < s->n_m; i++) labels[n++] = s->m[i];
    for (int32_t i = 0; i < s->n_n; i++) labels[n++] = s->n[i];
    sort_labels(p, labels, n);
    make_dense(p, p->computing, labels, n, c);
    ob_einsum_step *step = add_step(p, OB_EINSUM_MULTIPLY, a);
    obk_iteration *blocks = ob__tail(p->site, 1, sizeof *blocks);
    if (!step || !blocks) return no_memory(p->error);
    step->from[1] = b->place;
    stretch(a, c, &step->in[0]);
    stretch(b, c, &step->in[1]);
    step->blocks = blocks;
    OB_TRY(place(p, step, c, p->n == 2));
    const obk_iteration_spec spec = {.loop = OBK_LOOP(binary, [OBK_MUL][p->computing]), .loops_only = p->site->loops_only};
    return obk_iteration_plan(blocks, step->in, 2, &step->out, &spec, p->site->arena, &p->needs->lane_bytes, p->error);
}

/* Axes begin .. begin + n - 1 of the view as one axis. False: their strides do not allow it. */
static bool join(const ob_view *view, int32_t begin, int32_t n, int64_t *dim, int64_t *stride) {
    *dim = 1;
    *stride = n > 0 ? view->strides[begin + n - 1] : (int64_t)ob_dtype_size(view->dtype);
    for (int32_t i = begin + n - 1; i >= begin; i--) {
        if (view->strides[i] != *stride * *dim) return false;
        *dim *= view->dims[i];
    }
    return true;
}

/* The tensor as matrices [batch ..., rows, columns], copied if necessary. */
static ob_status as_matrices(planner *p, const ob_einsum_tensor *t, const pair *s, const uint8_t *rows, int32_t n_rows,
                             const uint8_t *columns, int32_t n_columns, ob_einsum_location *from, ob_view *view) {
    uint8_t labels[OB_MAX_RANK];
    const int32_t n = s->n_batch;
    memcpy(labels, s->batch, (size_t)n);
    memcpy(labels + n, rows, (size_t)n_rows);
    memcpy(labels + n + n_rows, columns, (size_t)n_columns);
    ob_einsum_tensor *to = &p->made[1];
    order(t, labels, to);
    int64_t dims[2], strides[2];
    bool joined =
        join(&to->view, n, n_rows, &dims[0], &strides[0]) && join(&to->view, n + n_rows, n_columns, &dims[1], &strides[1]);
    if (!joined) {
        OB_TRY(copy(p, to, false));
        (void)join(&to->view, n, n_rows, &dims[0], &strides[0]);
        (void)join(&to->view, n + n_rows, n_columns, &dims[1], &strides[1]);
    }
    if (n_rows == 0) strides[0] = strides[1] * dims[1];
    *from = to->place;
    *view = to->view;
    view->rank = n + 2;
    memcpy(view->dims + n, dims, sizeof dims);
    memcpy(view->strides + n, strides, sizeof strides);
    return OB_OK;
}

static int32_t last_place(const planner *p, const uint8_t *labels, int32_t n) {
    int32_t last = -1;
    for (int32_t i = 0; i < n; i++)
        if (p->result_axis[labels[i]] > last) last = p->result_axis[labels[i]];
    return last;
}

static ob_status plan_matrices(planner *p, ob_einsum_step *step) {
    ob_kernel_args own = {.n_in = 2, .n_out = 1, .in = step->in, .out = &step->out};
    ob_kernel_needs needs = {0};
    own.state = step->product = ob__tail(p->site, 1, ob__kernel_matmul.state_bytes);
    if (!own.state) return no_memory(p->error);
    OB_TRY(ob__kernel_matmul.plan(p->site, &own, &needs, p->error));
    for (uint32_t i = 0; i < needs.n_conversions && i < OB_CONVERSIONS_MAX; i++)
        ob__need_conversion(p->needs, (ob_dtype)needs.conversions[i].from, (ob_dtype)needs.conversions[i].to);
    step->scratch = p->needs->scratch_bytes;
    if (needs.lane_bytes > p->needs->lane_bytes) p->needs->lane_bytes = needs.lane_bytes;
    return ob__need_scratch(p->needs, (int64_t)needs.scratch_bytes, 1, p->error);
}

static ob_status multiply_matrices(planner *p, const ob_einsum_tensor *a, const ob_einsum_tensor *b, pair *s,
                                   ob_einsum_tensor *c) {
    uint8_t labels[OB_MAX_RANK];
    ob_einsum_step *step = new_step(p, OB_EINSUM_PRODUCT);
    if (!step) return no_memory(p->error);
    ob_view *in = step->in;
    sort_labels(p, s->batch, s->n_batch);
    sort_labels(p, s->m, s->n_m);
    sort_labels(p, s->n, s->n_n);
    OB_TRY(as_matrices(p, a, s, s->m, s->n_m, s->k, s->n_k, &step->from[0], &in[0]));
    OB_TRY(as_matrices(p, b, s, s->k, s->n_k, s->n, s->n_n, &step->from[1], &in[1]));
    memcpy(labels, s->batch, (size_t)s->n_batch);
    memcpy(labels + s->n_batch, s->m, (size_t)s->n_m);
    memcpy(labels + s->n_batch + s->n_m, s->n, (size_t)s->n_n);
    make_dense(p, p->computing, labels, s->n_batch + s->n_m + s->n_n, c);
    append(p, step);
    OB_TRY(place(p, step, c, p->n == 2));
    step->out.rank = s->n_batch + 2;
    step->out.dims[s->n_batch] = in[0].dims[s->n_batch];
    step->out.dims[s->n_batch + 1] = in[1].dims[s->n_batch + 1];
    ob__contiguous_strides(step->out.rank, step->out.dims, ob_dtype_size(p->computing), step->out.strides);
    return plan_matrices(p, step);
}

/* Replaces tensors i and j by their product. */
static ob_status contract(planner *p, uint32_t i, uint32_t j) {
    const ob_einsum_tensor *a = &p->tensors[i], *b = &p->tensors[j];
    pair s = split_labels(p, a, b);
    if (s.n_k > 0 && s.n_m > 0 && s.n_n > 0 && last_place(p, s.m, s.n_m) > last_place(p, s.n, s.n_n)) {
        const ob_einsum_tensor *swapped = a;
        a = b;
        b = swapped;
        s = split_labels(p, a, b);
    }
    ob_einsum_tensor *c = &p->made[0];
    OB_TRY(s.n_k == 0 ? multiply(p, a, b, &s, c) : multiply_matrices(p, a, b, &s, c));
    for (int32_t l = 0; l < s.n_batch; l++) p->uses[s.batch[l]]--;
    for (int32_t l = 0; l < s.n_k; l++) p->uses[s.k[l]] = 0;
    p->tensors[i] = *c;
    p->tensors[j] = p->tensors[--p->n];
    return OB_OK;
}

/* ---- Direct summation ---- */

static ob_status direct(planner *p) {
    ob_einsum_direct *d = ob__tail(p->site, 1, sizeof *d);
    if (!d) return no_memory(p->error);
    uint8_t labels[OB_EINSUM_LABELS];
    d->n_tensors = p->n;
    for (int32_t a = 0; a < p->rank; a++) labels[d->n_labels++] = p->result[a];
    d->n_kept = d->n_labels;
    for (int label = 0; label < OB_EINSUM_LABELS; label++)
        if (p->uses[label] > 0 && p->result_axis[label] < 0) labels[d->n_labels++] = (uint8_t)label;
    d->locations = ob__tail(p->site, p->n, sizeof *d->locations);
    d->strides = ob__tail(p->site, (size_t)p->n * (size_t)d->n_labels + 1, sizeof *d->strides);
    if (!d->locations || !d->strides) return no_memory(p->error);
    for (int32_t l = 0; l < d->n_labels; l++) d->dims[l] = p->sizes[labels[l]];
    for (uint32_t t = 0; t < p->n; t++) {
        d->locations[t] = p->tensors[t].place;
        for (int32_t l = 0; l < d->n_labels; l++) {
            int32_t axis = axis_of(&p->tensors[t], labels[l]);
            d->strides[(size_t)l * p->n + t] = axis >= 0 ? p->tensors[t].view.strides[axis] : 0;
        }
    }
    d->offsets = p->needs->scratch_bytes;
    OB_TRY(ob__need_scratch(p->needs, p->n, sizeof(int64_t), p->error));
    ob_einsum_step *step = add_step(p, OB_EINSUM_DIRECT, NULL);
    if (!step) return no_memory(p->error);
    step->direct = d;
    make_dense(p, p->computing, p->result, p->rank, &p->tensors[0]);
    p->n = 1;
    return place(p, step, &p->tensors[0], true);
}

/* ---- The plan ---- */

static ob_status take_sizes(planner *p, const ob_view *view, const uint8_t *labels) {
    int64_t own[OB_EINSUM_LABELS];
    memset(own, -1, sizeof own);
    for (int32_t a = 0; a < view->rank; a++) {
        int64_t *size = &p->sizes[labels[a]], *first = &own[labels[a]], dim = view->dims[a];
        OB_FAIL_IF(*first >= 0 && dim != *first, p->error, OB_E_SHAPE, "sizes %lld and %lld of a diagonal", (long long)*first,
                   (long long)dim);
        *first = dim;
        OB_FAIL_IF(*size != 1 && dim != 1 && dim != *size, p->error, OB_E_SHAPE, "sizes %lld and %lld of one label",
                   (long long)*size, (long long)dim);
        if (dim != 1) *size = dim;
    }
    return OB_OK;
}

static ob_status take_operand(planner *p, uint32_t i, const ob_einsum_term *term) {
    const ob_view *view = &p->args->in[i];
    uint8_t labels[OB_MAX_RANK];
    OB_TRY(label_axes(term, view->rank, labels, p->error));
    OB_TRY(take_sizes(p, view, labels));
    ob_einsum_tensor *t = &p->tensors[p->n++];
    *t = (ob_einsum_tensor){.place = {OB_EINSUM_INPUT, i}, .view = {.dtype = view->dtype}};
    for (int32_t a = 0; a < view->rank; a++) {
        int32_t own = axis_of(t, labels[a]);
        if (view->dims[a] == 1) continue;
        if (own >= 0) {
            t->view.strides[own] += view->strides[a];
            continue;
        }
        add_axis(t, labels[a], view->dims[a], view->strides[a]);
        p->uses[labels[a]]++;
    }
    return OB_OK;
}

static ob_status take_result(planner *p, const ob_einsum_term *term) {
    const ob_view *out = &p->args->out[0];
    uint8_t labels[OB_MAX_RANK];
    OB_TRY(label_axes(term, out->rank, labels, p->error));
    for (int32_t a = 0; a < out->rank; a++) {
        OB_FAIL_IF(out->dims[a] != p->sizes[labels[a]], p->error, OB_E_SHAPE, "axis %d of the result has size %lld, not %lld", a,
                   (long long)p->sizes[labels[a]], (long long)out->dims[a]);
        if (out->dims[a] == 1) continue;
        p->uses[labels[a]]++;
        p->result_axis[labels[a]] = p->rank;
        p->result[p->rank++] = labels[a];
    }
    return OB_OK;
}

/* Chooses the next pair, among the first few. */
static double choose(const planner *p, uint32_t *first, uint32_t *second) {
    enum { LOOKED_AT = 16 };
    double least = HUGE_VAL, size = HUGE_VAL;
    uint32_t n = p->n < LOOKED_AT ? p->n : LOOKED_AT;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            const ob_einsum_tensor *a = &p->tensors[i], *b = &p->tensors[j];
            double made = count_result(p, a, b), grows = made - count_elems(p, a) - count_elems(p, b);
            if (!(grows < least)) continue;
            least = grows;
            size = made;
            *first = i;
            *second = j;
        }
    return size;
}

static ob_status combine(planner *p) {
    while (p->n > 1) {
        uint32_t i = 0, j = 1;
        double size = choose(p, &i, &j);
        if (size == HUGE_VAL || (size > p->most && p->n > 2)) return direct(p);
        OB_TRY(contract(p, i, j));
    }
    return OB_OK;
}

static ob_status finish(planner *p) {
    ob_einsum_tensor *t = &p->tensors[0];
    const ob_dtype dtype = p->args->out[0].dtype;
    if (t->place.memory == OB_EINSUM_OUTPUT) return OB_OK;
    order(t, p->result, &p->made[0]);
    *t = p->made[0];
    return t->view.dtype == dtype ? copy(p, t, true) : convert(p, t, dtype, true);
}

static ob_status plan_steps(planner *p, const ob_einsum_params *params, ob_einsum *e) {
    const char *at = NULL;
    for (uint32_t i = 0; i < params->n_operands; i++) {
        const ob_einsum_term term = ob__einsum_term(params, &at);
        OB_TRY(take_operand(p, i, &term));
    }
    OB_TRY(take_result(p, &params->result));
    for (int label = 0; label < OB_EINSUM_LABELS; label++) e->is_zero = e->is_zero || p->sizes[label] == 0;
    if (e->is_zero) return OB_OK;
    p->most = (double)ob__count(&p->args->out[0]) + 1024;
    for (uint32_t i = 0; i < p->n; i++) p->most += 2 * count_elems(p, &p->tensors[i]);
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->tensors[i].view.dtype != p->computing) OB_TRY(convert(p, &p->tensors[i], p->computing, false));
        OB_TRY(sum_own(p, &p->tensors[i]));
    }
    OB_TRY(combine(p));
    return finish(p);
}

static ob_status keep_shape(const planner *p, const ob_view *view, ob_einsum_shape *shape) {
    const size_t n = (size_t)view->rank;
    int64_t *sizes = ob__tail(p->site, 2 * n, sizeof *sizes);
    if (!sizes) return no_memory(p->error);
    memcpy(sizes, view->dims, n * sizeof *sizes);
    memcpy(sizes + n, view->strides, n * sizeof *sizes);
    *shape = (ob_einsum_shape){view->dtype, view->rank, sizes};
    return OB_OK;
}

static ob_status keep_shapes(const planner *p, ob_einsum_step *steps) {
    for (ob_einsum_step *step = steps; step; step = step->next) {
        for (int k = 0; k < 2; k++) OB_TRY(keep_shape(p, &step->in[k], &step->shapes[k]));
        OB_TRY(keep_shape(p, &step->out, &step->shapes[2]));
    }
    return OB_OK;
}

static ob_dtype computing_type(ob_dtype dtype) {
    if (dtype == OB_FLOAT16) return OB_FLOAT;
    return ob_dtype_size(dtype) < 4 ? OB_INT32 : dtype;
}

static ob_status einsum_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    ob_einsum *e = args->state;
    ob_einsum_params params;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__read_einsum(site->node, &params, error));
    OB_FAIL_IF(params.n_operands != args->n_in, error, OB_E_ARGUMENT, "%u operands", args->n_in);
    OB_TRY(ob__need_scratch(needs, 3, sizeof(ob_view), error)); /* views that runs use */
    planner *p = ob__tail(site, 1, sizeof *p);
    if (!p) return no_memory(error);
    *p = (planner){.site = site,
                   .args = args,
                   .needs = needs,
                   .error = error,
                   .end = &e->steps,
                   .computing = computing_type(args->in[0].dtype)};
    p->tensors = ob__tail(site, args->n_in, sizeof *p->tensors);
    if (!p->tensors) return no_memory(error);
    for (int label = 0; label < OB_EINSUM_LABELS; label++) {
        p->sizes[label] = 1;
        p->result_axis[label] = -1;
    }
    OB_TRY(plan_steps(p, &params, e));
    return keep_shapes(p, e->steps);
}

const ob_kernel ob__kernel_einsum = {.name = "einsum",
                                     .flags = OB_KERNEL_STRIDED,
                                     .state_bytes = sizeof(ob_einsum),
                                     .state = &einsum_struct,
                                     .plan = einsum_plan,
                                     OB_RUNS(ob__run_einsum)};
