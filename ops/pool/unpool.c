/* MaxUnpool 9, 11, 22 (bfloat16): each element goes to the position that its index names; all other elements are 0. Indices count
 * over the whole result of the inverse pooling. If output_shape asks for more, that result is at the beginning of each larger
 * axis. Of two elements with one position the last one stays. */
#include "core/base/integers.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/pool/params.h"

typedef struct unpool {
    int32_t rank;
    int64_t dims[OB_MAX_RANK]; /* sizes that indices count over */
    bool is_whole;             /* these are the sizes of the result, so an index is its position */
    size_t width;
} unpool;

static const ob_member unpool_members[] = {OB_VALUE(unpool, rank), OB_VALUES(unpool, dims), OB_VALUE(unpool, is_whole),
                                           OB_SIZE(unpool, width)};
static const ob_struct unpool_struct = OB_STRUCT(unpool, unpool_members);

static ob_status unpool_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    unpool *s = args->state;
    const ob_view *x = &args->in[0], *y = &args->out[0];
    ob_window_params w;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_FAIL_IF(x->rank < 3 || y->rank != x->rank || args->in[1].rank != x->rank, error, OB_E_SHAPE, "ranks %d, %d and %d",
               x->rank, args->in[1].rank, y->rank);
    OB_TRY(ob__read_window(site->node, x->rank - 2, &w, error));
    OB_FAIL_IF(!w.kernel_given, error, OB_E_ARGUMENT, "attribute kernel_shape is missing");
    s->rank = x->rank;
    for (int32_t a = 0; a < x->rank; a++) {
        const int64_t size = x->dims[a];
        OB_FAIL_IF(args->in[1].dims[a] != size, error, OB_E_SHAPE, "axis %d: %lld elements and %lld indices", a, (long long)size,
                   (long long)args->in[1].dims[a]);
        s->dims[a] = size;
        if (a < 2) continue;
        int64_t span;
        const int32_t i = a - 2;
        bool large = ob__mul_overflows(size - 1, w.strides[i], &span) ||
                     ob__add_overflows(span, w.kernel[i] - w.before[i] - w.after[i], &s->dims[a]);
        OB_FAIL_IF(large, error, OB_E_LIMIT, "axis %d is too large", a);
    }
    s->is_whole = memcmp(s->dims, y->dims, (size_t)s->rank * sizeof *s->dims) == 0;
    s->width = ob_dtype_size(x->dtype);
    return OB_OK;
}

/* The position in the result of element `index` of the inverse. False: it is outside. */
static bool find_place(const unpool *s, const ob_view *y, int64_t index, int64_t *place) {
    int64_t at[OB_MAX_RANK], rest = index;
    *place = 0;
    if (index < 0) return false;
    for (int32_t a = s->rank - 1; a >= 0; a--) {
        if (s->dims[a] <= 0) return false;
        at[a] = rest % s->dims[a];
        rest /= s->dims[a];
    }
    for (int32_t a = 0; a < s->rank; a++) {
        if (at[a] >= y->dims[a]) return false;
        *place = *place * y->dims[a] + at[a];
    }
    return rest == 0;
}

/* Stores elements at the positions that their indices name, up to the first one that is outside. Returns the number stored. */
static inline int64_t place_all(char *y, int64_t n_positions, const char *x, const int64_t *indices, int64_t n, size_t width) {
    int64_t i = 0;
    for (; i < n && (uint64_t)indices[i] < (uint64_t)n_positions; i++)
        memcpy(y + (size_t)indices[i] * width, x + (size_t)i * width, width);
    return i;
}

static int64_t place_whole(const unpool *s, char *y, int64_t n_positions, const char *x, const int64_t *indices, int64_t n) {
    switch (s->width) { /* a constant width makes each copy one move */
    case 2: return place_all(y, n_positions, x, indices, n, 2);
    case 4: return place_all(y, n_positions, x, indices, n, 4);
    default: return place_all(y, n_positions, x, indices, n, s->width);
    }
}

OB_RUN(ob__run_max_unpool) {
    const unpool *s = args->state;
    const ob_view *x = &args->in[0], *y = &args->out[0];
    const int64_t *indices = args->in[1].data, n = ob__count(x);
    ob__fill_elements(y->data, ob__count(y), s->width, NULL, args->threads);
    enum { SOME = 1 << 16 };
    for (int64_t done = 0; s->is_whole && done < n && !ob__stopped(args->threads); done += SOME) {
        const int64_t some = n - done < SOME ? n - done : SOME;
        const char *from = (const char *)x->data + (size_t)done * s->width;
        const int64_t placed = place_whole(s, y->data, ob__count(y), from, indices + done, some);
        OB_FAIL_IF(placed < some, error, OB_E_ARGUMENT, "index %lld is outside the result", (long long)indices[done + placed]);
    }
    for (int64_t i = s->is_whole ? n : 0; i < n && !ob__stopped(args->threads); i++) {
        int64_t place;
        OB_FAIL_IF(!find_place(s, y, indices[i], &place), error, OB_E_ARGUMENT, "index %lld is outside the result",
                   (long long)indices[i]);
        memcpy((char *)y->data + (size_t)place * s->width, (const char *)x->data + (size_t)i * s->width, s->width);
    }
    return OB_OK;
}

const ob_kernel ob__kernel_max_unpool = {.name = "max_unpool",
                                         .state_bytes = sizeof(unpool),
                                         .state = &unpool_struct,
                                         .plan = unpool_plan,
                                         OB_RUNS(ob__run_max_unpool)};
