/* Attention 23 to 25: Y = softmax(scale * Q K' + mask) V for each head. A head is computed by blocks of rows of Q, so that only
 * the scores of one block are in memory. Keys and values that several blocks use are packed once for each run. Types: float and
 * double; float16 and bfloat16 are computed as float. A chunk is a block of one query head. */
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "ops/attention/heads.h"

#include "kernels/elementwise/elementwise.h"
#include "kernels/gemm/gemm.h"
#include "kernels/kernels.h"
#include "kernels/loop.h"
#include "kernels/softmax/softmax.h"
#include "ops/attention/params.h"

enum { MOST_ROWS = 96, FEWEST_ROWS = 12, BLOCK_SCORES = 48 * 1024 };

typedef struct attention {
    ob_heads h;
    int64_t block, n_blocks; /* rows of a block, blocks of a head */
    bool packed, is_double;
    int64_t left, right; /* keys that a query sees before and after its own position, small enough to be added to positions */
    int mode;
    ob_dtype computing, precision; /* of scores; of softmax */
    double scale, softcap;
    obk_unary_params cap;
    const obk_gemm *gemm;
    const obk_softmax *softmax;
    obk_loop add, multiply, capped, where;
} attention;

/* ---- Planning ---- */

static ob_status read_params(const ob_kernel_site *site, const ob_kernel_args *args, attention *a, ob_error *error) {
    const ob_attention_params p = ob__attention_params(site->node);
    OB_FAIL_IF(p.mode < 0 || p.mode > 3, error, OB_E_MODEL, "qk_matmul_output_mode is %lld: it must be 0 to 3",
               (long long)p.mode);
    OB_FAIL_IF(p.has_precision && !ob__dtype_is_real_or_half(p.precision), error, OB_E_MODEL,
               "softmax_precision must be float16, bfloat16, float or double");
    a->computing = ob__computing_type(args);
    a->is_double = a->computing == OB_DOUBLE;
    a->precision = p.has_precision ? p.precision : a->computing;
    a->mode = (int)p.mode;
    const int64_t all = a->h.n_total + a->h.n_queries; /* no two positions are further apart */
    a->left = p.left < 0 || p.left > all ? all : p.left;
    a->right = p.causal ? 0 : p.right < 0 || p.right > all ? all : p.right;
    a->softcap = p.softcap;
    a->cap = (obk_unary_params){.alpha = p.softcap, .beta = 1 / p.softcap};
    a->scale = p.has_scale ? p.scale : 1 / sqrt((double)a->h.size);
    return OB_OK;
}

/* Scratch memory for the keys or values of all heads, packed as `along` by `across`, rounded up to panels. */
static ob_status need_packed(const attention *a, int64_t along, int64_t across, ob_kernel_needs *needs, ob_error *error) {
    const int64_t nr = a->gemm->nr;
    size_t n = (size_t)a->h.batch;
    const size_t factors[3] = {(size_t)a->h.kv_heads, (size_t)along, (size_t)ob__round_up(across, nr)};
    for (int i = 0; i < 3; i++)
        OB_FAIL_IF(ob__size_mul_overflows(n, factors[i], &n) || n > INT64_MAX / 16, error, OB_E_LIMIT,
                   "there are too many keys and values");
    return ob__need_scratch(needs, (int64_t)n, ob_dtype_size(a->computing), error);
}

static int64_t panel_bytes(const attention *a) {
    return (int64_t)obk_panel_bytes(a->gemm, a->h.size > a->h.n_total ? a->h.size : a->h.n_total);
}

/* -1 if the product is too large; ob__need_lanes refuses that size. */
static int64_t times(int64_t a, int64_t b) {
    size_t n;
    return ob__size_mul_overflows((size_t)a, (size_t)b, &n) || n > INT64_MAX ? -1 : (int64_t)n;
}

static ob_status need_memory(const attention *a, const ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    const ob_heads *h = &a->h;
    const size_t width = ob_dtype_size(a->computing);
    OB_TRY(ob__plan_real(args, needs, error));
    if (a->packed) {
        OB_TRY(need_packed(a, h->size, h->n_total, needs, error));
        OB_TRY(need_packed(a, h->n_total, h->v_size, needs, error));
    }
    OB_TRY(ob__need_lanes(needs, times(a->block, h->size), width, error));
    OB_TRY(ob__need_lanes(needs, times(a->block, h->n_total), width, error));
    OB_TRY(ob__need_lanes(needs, h->n_total, sizeof(double), error));
    OB_TRY(ob__need_lanes(needs, panel_bytes(a), 1, error));
    for (int which = 0; which < 2; which++)
        if (ob__heads_gathered(h, args, which))
            OB_TRY(ob__need_lanes(needs, times(h->n_total, which ? h->v_size : h->size), width, error));
    return OB_OK;
}

static ob_status attention_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    attention *a = args->state;
    const obk_table *kernels = ob__kernels();
    OB_TRY(ob__read_heads(site, args, &a->h, error));
    OB_TRY(read_params(site, args, a, error));
    const int64_t fitting = BLOCK_SCORES / (a->h.n_total > 0 ? a->h.n_total : 1);
    a->block = fitting > MOST_ROWS ? MOST_ROWS : fitting < FEWEST_ROWS ? FEWEST_ROWS : fitting / FEWEST_ROWS * FEWEST_ROWS;
    if (a->block > a->h.n_queries) a->block = a->h.n_queries > 0 ? a->h.n_queries : 1;
    a->n_blocks = ob__ceil_div(a->h.n_queries, a->block);
    a->packed = !(a->n_blocks == 1 && a->h.group == 1);
    a->gemm = &kernels->gemm[a->is_double ? OBK_GEMM_DOUBLE : OBK_GEMM_FLOAT];
    a->softmax = kernels->softmax;
    a->add = kernels->binary[OBK_ADD][a->computing];
    a->multiply = kernels->binary[OBK_MUL][a->computing];
    a->capped = kernels->unary[OBK_U_SCALED_TANH][a->computing];
    a->where = kernels->where[a->is_double ? 3 : 2];
    if (ob__given(args, OB_ATTENTION_MASK))
        OB_TRY(ob__convert(NULL, a->computing, NULL, args->in[OB_ATTENTION_MASK].dtype, 0, error));
    return need_memory(a, args, needs, error);
}

/* ---- Running ---- */

typedef struct lane_memory {
    char *queries, *scores, *row, *panel, *heads[2];
} lane_memory;

typedef struct job {
    const ob_kernel_args *args;
    const attention *a;
    char *packed[2];
    size_t packed_bytes[2]; /* of a head */
} job;

static lane_memory memory_of(const job *j, int lane) {
    const attention *a = j->a;
    const size_t width = ob_dtype_size(a->computing);
    char *next = ob__lane(j->args->lanes, j->args->lane_stride, lane);
    lane_memory m;
    m.queries = ob__take(&next, a->block * a->h.size, width);
    m.scores = ob__take(&next, a->block * a->h.n_total, width);
    m.row = ob__take(&next, a->h.n_total, sizeof(double));
    m.panel = ob__take(&next, panel_bytes(a), 1);
    m.heads[0] = next;
    m.heads[1] = next;
    if (ob__heads_gathered(&a->h, j->args, 0)) ob__take(&m.heads[1], a->h.n_total * a->h.size, width);
    return m;
}

static void pack_head(void *context, int64_t chunk, int lane) {
    const job *j = context;
    const attention *a = j->a;
    const lane_memory m = memory_of(j, lane);
    int64_t step;
    const void *keys = ob__gather_head(&a->h, j->args, 0, chunk, m.heads[0], &step);
    a->gemm->pack_b(j->packed[0] + (size_t)chunk * j->packed_bytes[0], keys, 1, step, a->h.size, a->h.n_total);
    const void *values = ob__gather_head(&a->h, j->args, 1, chunk, m.heads[1], &step);
    a->gemm->pack_b(j->packed[1] + (size_t)chunk * j->packed_bytes[1], values, step, 1, a->h.n_total, a->h.v_size);
}

/* A block of rows: its position and its scores, `seen` for each row. */
typedef struct block {
    int64_t sample, head, from, rows, seen, valid; /* keys from `valid` on are padding */
    int64_t before; /* the position of query 0 among the keys; negative if there are fewer valid keys than queries */
    char *scores;
    int64_t row_bytes;
} block;

static void fill_lowest(const attention *a, const block *b, int64_t row, int64_t from, int64_t to) {
    char *at = b->scores + row * b->row_bytes;
    for (int64_t k = from; k < to; k++)
        if (a->is_double)
            ((double *)(void *)at)[k] = (double)-INFINITY;
        else
            ((float *)(void *)at)[k] = -INFINITY;
}

/* Applies the mask to the scores. Rows in another element type are first converted, into `row`. */
static void apply_mask(const attention *a, const ob_view *mask, const block *b, char *row) {
    const int64_t *strides = a->h.mask_strides, element = (int64_t)ob_dtype_size(mask->dtype);
    const int64_t width = (int64_t)ob_dtype_size(a->computing), shown = a->h.mask_shown < b->seen ? a->h.mask_shown : b->seen;
    const bool converts = mask->dtype != OB_BOOL && mask->dtype != a->computing;
    const float lowest = -INFINITY;
    const double lowest_double = (double)-INFINITY;
    const char *first = (const char *)mask->data + (b->sample * strides[0] + b->head * strides[1]) * element;
    for (int64_t i = 0; i < b->rows; i++) {
        char *scores = b->scores + i * b->row_bytes, *from = (char *)(uintptr_t)(first + (b->from + i) * strides[2] * element);
        int64_t step = strides[3] * element;
        if (converts && shown > 0) {
            (void)ob__convert(row, a->computing, from, mask->dtype, strides[3] ? shown : 1, NULL);
            from = row;
            step = strides[3] * width;
        }
        if (shown > 0 && mask->dtype == OB_BOOL) {
            char *const pointers[4] = {from, scores, (char *)(uintptr_t)(a->is_double ? (const void *)&lowest_double : &lowest),
                                       scores};
            a->where(pointers, (int64_t[]){step, width, 0}, shown, (int64_t[]){0, 0, 0, 0}, 1, NULL);
        } else if (shown > 0) {
            char *const pointers[3] = {scores, from, scores};
            a->add(pointers, (int64_t[]){width, step}, shown, (int64_t[]){0, 0, 0}, 1, NULL);
        }
        fill_lowest(a, b, i, shown, b->seen);
    }
}

static void show(const attention *a, const ob_kernel_args *args, const block *b, int mode) {
    if (a->mode != mode || !ob__wanted(args, OB_ATTENTION_SCORES)) return;
    const int64_t first = (b->sample * a->h.q_heads + b->head) * a->h.n_queries + b->from;
    memcpy((char *)args->out[OB_ATTENTION_SCORES].data + first * b->row_bytes, b->scores, (size_t)(b->rows * b->row_bytes));
}

static bool is_masked(const attention *a, const block *b, int64_t row) {
    const char *at = b->scores + row * b->row_bytes;
    int64_t k = 0;
    if (a->is_double)
        while (k < b->seen && ((const double *)(const void *)at)[k] == (double)-INFINITY) k++;
    else
        while (k < b->seen && ((const float *)(const void *)at)[k] == -INFINITY) k++;
    return k == b->seen;
}

/* If softmax has another precision than the scores, rows are converted one by one. A narrow precision rounds its inputs and
 * outputs. */
static void soften_rows(const attention *a, const block *b, char *row, obk_pace *pace) {
    if (a->precision == a->computing) {
        a->softmax->rows[a->is_double](b->scores, b->seen, b->scores, b->seen, b->rows, b->seen, false, pace);
        return;
    }
    const bool narrow = !ob__dtype_is_real(a->precision);
    for (int64_t i = 0; i < b->rows; i++) {
        char *scores = b->scores + i * b->row_bytes;
        (void)ob__convert(row, a->precision, scores, a->computing, b->seen, NULL);
        if (narrow) {
            (void)ob__convert(scores, a->computing, row, a->precision, b->seen, NULL);
            a->softmax->rows[a->is_double](scores, b->seen, scores, b->seen, 1, b->seen, false, pace);
            (void)ob__convert(row, a->precision, scores, a->computing, b->seen, NULL);
        } else {
            a->softmax->rows[a->precision == OB_DOUBLE](row, b->seen, row, b->seen, 1, b->seen, false, pace);
        }
        (void)ob__convert(scores, a->computing, row, a->precision, b->seen, NULL);
    }
}

/* The weights of a query that sees no key are zeros. Source: errata of Attention-23 and -24, onnx/onnx#8068. */
static void soften(const attention *a, const block *b, char *row, const ob_threads *threads) {
    bool masked[MOST_ROWS];
    if (b->seen == 0) return;
    for (int64_t i = 0; i < b->rows; i++) masked[i] = is_masked(a, b, i);
    obk_pace pace = ob__pace(threads);
    soften_rows(a, b, row, &pace);
    for (int64_t i = 0; i < b->rows; i++)
        if (masked[i]) memset(b->scores + i * b->row_bytes, 0, (size_t)b->row_bytes);
}

/* From the products of queries and keys to the weights of the values. */
static void weigh(const attention *a, const ob_kernel_args *args, const block *b, char *row) {
    const int64_t width = (int64_t)ob_dtype_size(a->computing);
    show(a, args, b, 0);
    if (a->softcap != 0 && b->seen > 0) {
        char *const pointers[2] = {b->scores, b->scores};
        a->capped(pointers, (int64_t[]){width}, b->rows * b->seen, (int64_t[]){0, 0}, 1, &a->cap);
    }
    show(a, args, b, 1);
    if (ob__given(args, OB_ATTENTION_MASK)) apply_mask(a, &args->in[OB_ATTENTION_MASK], b, row);
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t place = b->from + i + b->before, first = place - a->left, end = place + a->right + 1;
        fill_lowest(a, b, i, 0, first < b->seen ? first : b->seen);
        fill_lowest(a, b, i, end < 0 ? 0 : end < b->valid ? end : b->valid, b->seen);
    }
    show(a, args, b, 2);
    soften(a, b, row, args->threads);
    show(a, args, b, 3);
}

/* Keys that no row of the block sees are left out, unless the scores themselves are a result. */
static block block_of(const job *j, int64_t chunk, char *scores) {
    const attention *a = j->a;
    const ob_heads *h = &a->h;
    const int64_t head = chunk / a->n_blocks, from = chunk % a->n_blocks * a->block;
    block b = {.sample = head / h->q_heads, .head = head % h->q_heads, .from = from, .scores = scores};
    b.rows = h->n_queries - from < a->block ? h->n_queries - from : a->block;
    b.seen = b.valid = h->n_total;
    b.before = h->n_before;
    if (ob__given(j->args, OB_ATTENTION_LENGTHS)) {
        const int64_t n = ((const int64_t *)j->args->in[OB_ATTENTION_LENGTHS].data)[b.sample];
        b.valid = n < 0 ? 0 : n < b.valid ? n : b.valid;
        b.before = b.valid - h->n_queries; /* the last query is aligned with the last valid key */
    }
    if (!ob__wanted(j->args, OB_ATTENTION_SCORES) && b.seen > 0) {
        const int64_t end = from + b.rows + b.before + a->right;
        if (end < b.seen) b.seen = end;
        if (b.valid < b.seen) b.seen = b.valid;
        if (b.seen < 1) b.seen = 1;
    }
    b.row_bytes = b.seen * (int64_t)ob_dtype_size(a->computing);
    return b;
}

/* Sets keys or values as an operand of a product: packed if they were packed, otherwise in place. */
static void place_head(const job *j, int which, int64_t head, const lane_memory *m, obk_gemm_call *call) {
    const attention *a = j->a;
    call->panel = m->panel;
    if (a->packed) {
        call->b = j->packed[which] + (size_t)head * j->packed_bytes[which];
        call->b_rows = which ? a->h.n_total : a->h.size;
        return;
    }
    int64_t step;
    call->b = ob__gather_head(&a->h, j->args, which, head, m->heads[which], &step);
    call->b_k = which ? step : 1;
    call->b_column = which ? 1 : step;
}

static void one_block(void *context, int64_t chunk, int lane) {
    const job *j = context;
    const attention *a = j->a;
    const ob_heads *h = &a->h;
    const lane_memory m = memory_of(j, lane);
    const block b = block_of(j, chunk, m.scores);
    const int64_t width = (int64_t)ob_dtype_size(a->computing), kv = b.sample * h->kv_heads + b.head / h->group;
    const int64_t row = h->flat ? h->q_heads * h->size : h->size, y_row = h->flat ? h->q_heads * h->v_size : h->v_size;
    const int64_t first = h->flat ? (b.sample * h->n_queries + b.from) * h->q_heads + b.head
                                  : (b.sample * h->q_heads + b.head) * h->n_queries + b.from;
    const float scale = (float)a->scale;
    char *const scaled[3] = {(char *)j->args->in[0].data + first * h->size * width,
                             (char *)(uintptr_t)(a->is_double ? (const void *)&a->scale : &scale), m.queries};
    if (h->size > 0)
        a->multiply(scaled, (int64_t[]){width, 0}, h->size, (int64_t[]){row * width, 0, h->size * width}, b.rows, NULL);
    obk_gemm_call call = {.m = b.rows, .n = b.seen, .k = h->size, .a = m.queries, .a_row = h->size, .a_k = 1, .alpha = 1};
    call.y = m.scores;
    call.y_row = b.seen;
    place_head(j, 0, kv, &m, &call);
    a->gemm->product(&call);
    if (ob__stopped_inside(j->args->threads)) return;
    weigh(a, j->args, &b, m.row);
    if (ob__stopped_inside(j->args->threads)) return;
    call = (obk_gemm_call){.m = b.rows, .n = h->v_size, .k = b.seen, .a = m.scores, .a_row = b.seen, .a_k = 1, .alpha = 1};
    call.y = (char *)j->args->out[0].data + first * h->v_size * width;
    call.y_row = y_row;
    place_head(j, 1, kv, &m, &call);
    if (h->v_size > 0) a->gemm->product(&call);
}

static ob_status compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const attention *a = args->state;
    const ob_heads *h = &a->h;
    const int64_t nr = a->gemm->nr, sizes[2] = {ob__round_up(h->n_total, nr) * h->size, ob__round_up(h->v_size, nr) * h->n_total};
    job j = {.args = args, .a = a};
    if (ob__writes_nothing(args)) return OB_OK;
    char *next = args->scratch;
    for (int i = 0; a->packed && i < 2; i++) {
        j.packed_bytes[i] = (size_t)sizes[i] * ob_dtype_size(a->computing);
        j.packed[i] = ob__take(&next, h->batch * h->kv_heads * sizes[i], ob_dtype_size(a->computing));
    }
    if (a->packed) ob__each_chunk(args->threads, h->batch * h->kv_heads, pack_head, &j);
    if (ob__count(&args->out[0]) > 0 || (ob__wanted(args, OB_ATTENTION_SCORES) && ob__count(&args->out[OB_ATTENTION_SCORES]) > 0))
        ob__each_chunk(args->threads, h->batch * h->q_heads * a->n_blocks, one_block, &j);
    return OB_OK;
}

static ob_status attention_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, compute, error);
}

const ob_kernel ob__kernel_attention = {
    .name = "attention", .state_bytes = sizeof(attention), .plan = attention_plan, .run = attention_run};
