/* Unique 11: the distinct elements, or distinct slices along an axis, with the index of the first occurrence, the position of
 * each element in the result, and the counts. In ascending order (NaN last, strings by bytes, slices element by element), or in
 * order of first occurrence.
 *
 * As in NumPy: -0 equals 0, and the first of them appears in the result; all NaN elements are equal, but slices that contain NaN
 * are all distinct. */
#include "core/base/text.h"
#include "core/graph/types.h"
#include "ops/kernel/cells.h"
#include "ops/kernel/common.h"
#include "ops/select/params.h"

typedef struct order_row {
    int (*order)(const void *run_a, const void *run_b, int64_t n);
    bool (*nan)(const void *run, int64_t n); /* NULL: the type has no NaN */
} order_row;

static bool nan_FLOAT16(const void *run, int64_t n) {
    const uint16_t *x = run;
    for (int64_t i = 0; i < n; i++)
        if ((x[i] & 0x7fff) > 0x7c00) return true;
    return false;
}

static int order_FLOAT16(const void *run_a, const void *run_b, int64_t n) {
    const uint16_t *a = run_a, *b = run_b;
    for (int64_t i = 0; i < n; i++) {
        float x = ob__float_from_half(a[i]), y = ob__float_from_half(b[i]);
        if (x < y || x > y) return x < y ? -1 : 1;
        if (isnan(x) != isnan(y)) return isnan(y) ? -1 : 1;
    }
    return 0;
}

#define FUNCTIONS
#define OB_TYPE_TEMPLATE "ops/select/order.inc.h"
#include "core/graph/types.def"
#undef FUNCTIONS

static const order_row orders[OB_DTYPE_COUNT] = {
    [OB_FLOAT16] = {order_FLOAT16, nan_FLOAT16},
#define OB_TYPE_TEMPLATE "ops/select/order.inc.h"
#include "core/graph/types.def"
};

typedef struct state {
    ob_slices_params slices;
    bool sorted;
    int64_t outer, n, inner; /* slice i is [outer][i][inner] */
    order_row row;
} state;

/* Data about slices during a run; four arrays of n. */
typedef struct work {
    const state *s;
    const char *data;
    size_t width;
    int64_t *order; /* slices in sorted order; later, for each group, its position in the result */
    int64_t *group; /* for each slice; before that, memory for sorting */
    int64_t *first; /* for each group */
    int64_t *count;
    obk_pace pace;
} work;

enum { WORK = 16 }; /* cost of a comparison, for the pace */

static const char *run_at(const work *w, int64_t outer, int64_t slice) {
    return w->data + (outer * w->s->n + slice) * w->s->inner * (int64_t)w->width;
}

static int compare(const work *w, int64_t a, int64_t b) {
    int order = 0;
    for (int64_t o = 0; o < w->s->outer && order == 0; o++)
        order = w->s->row.order(run_at(w, o, a), run_at(w, o, b), w->s->inner);
    return order;
}

static bool holds_nan(const work *w, int64_t slice) {
    bool nan = false;
    for (int64_t o = 0; w->s->row.nan && o < w->s->outer && !nan; o++) nan = w->s->row.nan(run_at(w, o, slice), w->s->inner);
    return nan;
}

static bool same(const work *w, int64_t a, int64_t b) {
    if (w->s->slices.flat) return compare(w, a, b) == 0 || (holds_nan(w, a) && holds_nan(w, b));
    return compare(w, a, b) == 0 && !holds_nan(w, a);
}

/* Merges from[begin .. middle) and from[middle .. end), each sorted, to to[begin .. end). Of equal slices the left is first. */
static void merge(work *w, const int64_t *from, int64_t *to, int64_t begin, int64_t middle, int64_t end) {
    int64_t left = begin, right = middle, at = begin;
    if (middle < end && compare(w, from[middle - 1], from[middle]) <= 0) left = begin, right = end; /* already in order */
    if (right == end) {
        memcpy(to + begin, from + begin, (size_t)(end - begin) * sizeof *to);
        return;
    }
    while (left < middle && right < end && !obk_stops(&w->pace, WORK))
        to[at++] = compare(w, from[left], from[right]) <= 0 ? from[left++] : from[right++];
    while (left < middle) to[at++] = from[left++];
    while (right < end) to[at++] = from[right++];
}

/* If the run is cancelled, some entries may be invalid. */
static void sort(work *w) {
    int64_t n = w->s->n;
    for (int64_t i = 0; i < n; i++) w->order[i] = i;
    for (int64_t width = 1; width < n && !w->pace.over; width *= 2) {
        for (int64_t begin = 0; begin < n && !obk_stops(&w->pace, WORK); begin += 2 * width) {
            int64_t middle = begin + width < n ? begin + width : n, end = middle + width < n ? middle + width : n;
            merge(w, w->order, w->group, begin, middle, end);
        }
        int64_t *sorted = w->group;
        w->group = w->order;
        w->order = sorted;
    }
}

/* Fills group, first and count; returns the number of groups. */
static int64_t find_groups(work *w) {
    int64_t groups = 0;
    for (int64_t i = 0; i < w->s->n && !obk_stops(&w->pace, WORK); i++) {
        int64_t slice = w->order[i];
        if (i == 0 || !same(w, w->order[i - 1], slice)) {
            w->first[groups] = slice;
            w->count[groups++] = 0;
        }
        w->group[slice] = groups - 1;
        w->count[groups - 1]++;
    }
    int64_t place = 0;
    if (w->pace.over) return 0;
    for (int64_t g = 0; g < groups; g++) w->order[g] = g;
    for (int64_t i = 0; !w->s->sorted && i < w->s->n; i++)
        if (w->first[w->group[i]] == i) w->order[w->group[i]] = place++;
    return groups;
}

static ob_status give(work *w, const ob_kernel_args *args, int64_t groups, ob_error *error) {
    const state *s = w->s;
    ob_view shape = {.rank = 1, .dims = {groups}}, slices = {.rank = 1, .dims = {s->n}}, values = shape;
    if (!s->slices.flat) {
        values = args->in[0];
        values.dims[s->slices.axis] = groups;
    }
    const ob_view *const shapes[4] = {&values, &shape, &slices, &shape};
    for (uint32_t i = 0; i < 4; i++)
        if (ob__wanted(args, i)) OB_TRY(ob__set_output(args, i, shapes[i], error));
    size_t n_bytes = (size_t)s->inner * w->width;
    for (int64_t g = 0; g < groups && !obk_stops(&w->pace, WORK); g++) {
        int64_t to = w->order[g];
        for (int64_t o = 0; ob__wanted(args, 0) && n_bytes > 0 && o < s->outer; o++)
            memcpy((char *)args->out[0].data + (o * groups + to) * (int64_t)n_bytes, run_at(w, o, w->first[g]), n_bytes);
        if (ob__wanted(args, 1)) ((int64_t *)args->out[1].data)[to] = w->first[g];
        if (ob__wanted(args, 3)) ((int64_t *)args->out[3].data)[to] = w->count[g];
    }
    for (int64_t i = 0; ob__wanted(args, 2) && i < s->n && !obk_stops(&w->pace, 4); i++)
        ((int64_t *)args->out[2].data)[i] = w->order[w->group[i]];
    return OB_OK;
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    state *s = args->state;
    const ob_view *in = &args->in[0];
    s->slices = ob__slices_params(site->node);
    s->sorted = ob__unique_sorted(site->node);
    s->row = orders[in->dtype];
    s->outer = s->inner = 1;
    s->n = ob__count(in);
    OB_TRY(ob__check_type(site, args, 0, error));
    if (!s->slices.flat) {
        int32_t axis = 0;
        OB_TRY(ob__axis(s->slices.axis, in->rank, &axis, error));
        s->slices.axis = axis;
        s->outer = ob__product(in->dims, 0, axis);
        s->n = in->dims[axis];
        s->inner = ob__product(in->dims, axis + 1, in->rank);
        if (s->outer == 0 || s->inner == 0) s->outer = s->inner = 0; /* the other sizes may be huge */
    }
    for (int i = 0; i < 4; i++) OB_TRY(ob__need_scratch(needs, s->n, sizeof(int64_t), error));
    return OB_OK;
}

static ob_status run(const ob_kernel_args *args, ob_error *error) {
    const state *s = args->state;
    char *next = args->scratch;
    work w = {.s = s, .data = args->in[0].data, .width = ob_dtype_size(args->in[0].dtype), .pace = ob__pace(args->threads)};
    int64_t **const arrays[4] = {&w.order, &w.group, &w.first, &w.count};
    for (int i = 0; i < 4; i++) *arrays[i] = ob__take(&next, s->n, sizeof(int64_t));
    sort(&w);
    const int64_t groups = w.pace.over ? 0 : find_groups(&w);
    return w.pace.over ? OB_OK : give(&w, args, groups, error);
}

const ob_kernel ob__kernel_unique = {
    .name = "unique", .flags = OB_KERNEL_DYNAMIC, .state_bytes = sizeof(state), .plan = plan, .run = run};
