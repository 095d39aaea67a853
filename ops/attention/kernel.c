/* Attention 23 to 25: Y = softmax(scale * Q K' + mask) V for each head, by blocks of rows of Q (row_blocks.h). Types: float and
 * double; float16 and bfloat16 are computed as float. */
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "ops/attention/heads.h"

#include "kernels/elementwise/elementwise.h"
#include "kernels/gemm/gemm.h"
#include "kernels/loop.h"
#include "kernels/softmax/softmax.h"
#include "kernels/take.h"
#include "ops/attention/params.h"
#include "ops/attention/row_blocks.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"

typedef struct attention {
    ob_heads h;
    ob_blocks blocks;
    bool is_double;
    int64_t left, right; /* keys that a query sees before and after its own position, small enough to be added to positions */
    int mode;
    ob_dtype computing, precision; /* of scores; of softmax */
    double scale, softcap;
    obk_unary_params cap;
    obk_softmax_rows *softmax; /* of scores, or of rows in the precision of softmax */
    obk_loop multiply;
    obk_loop add, where, capped; /* NULL, if this mask or softcap does not need it */
} attention;

static const ob_member attention_members[] = {OB_NESTED(attention, h, &ob__heads_struct),
                                              OB_NESTED(attention, blocks, &ob__blocks_struct),
                                              OB_VALUE(attention, is_double),
                                              OB_VALUE(attention, left),
                                              OB_VALUE(attention, right),
                                              OB_VALUE(attention, mode),
                                              OB_VALUE(attention, computing),
                                              OB_VALUE(attention, precision),
                                              OB_VALUE(attention, scale),
                                              OB_VALUE(attention, softcap),
                                              OB_NESTED(attention, cap, &obk_unary_params_struct),
                                              OB_FUNCTION(attention, softmax),
                                              OB_FUNCTION(attention, multiply),
                                              OB_FUNCTION(attention, add),
                                              OB_FUNCTION(attention, where),
                                              OB_FUNCTION(attention, capped)};
static const ob_struct attention_struct = OB_STRUCT(attention, attention_members);

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

/* -1 if the product is too large; ob__need_lanes refuses that size. */
static int64_t times(int64_t a, int64_t b) {
    int64_t n;
    return ob__mul_overflows(a, b, &n) ? -1 : n;
}

static void set_sizes(attention *a) {
    const ob_heads *h = &a->h;
    ob_blocks *b = &a->blocks;
    b->width = ob_dtype_size(a->computing);
    b->gemm = OBK_ELEMENT(gemm, [a->is_double ? OBK_GEMM_DOUBLE : OBK_GEMM_FLOAT], .product);
    b->heads = times(h->batch, h->q_heads);
    b->share = h->group > 0 ? h->group : 1;
    b->m = h->n_queries;
    b->k = h->size;
    b->n = h->n_total;
    b->n_v = h->v_size;
    b->method[0] = h->n_queries == 1 ? OB_BY_ROW : OB_BY_TILES; /* keys are dense along k */
    b->method[1] = OB_BY_TILES;
    b->dense[1] = true;
}

static ob_status need_memory(attention *a, const ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    const ob_heads *h = &a->h;
    const size_t width = ob_dtype_size(a->computing);
    OB_TRY(ob__plan_real(args, needs, error));
    OB_TRY(ob__need_blocks(&a->blocks, needs, error));
    OB_TRY(ob__need_lanes(needs, times(a->blocks.rows, h->size), width, error));
    OB_TRY(ob__need_lanes(needs, h->n_total, sizeof(double), error));
    for (int which = 0; which < 2; which++)
        if (ob__heads_gathered(h, args, which))
            OB_TRY(ob__need_lanes(needs, times(h->n_total, which ? h->v_size : h->size), width, error));
    return OB_OK;
}

/* A softmax in a narrow precision is computed in the type of the scores. */
static void choose_loops(const ob_kernel_args *args, attention *a) {
    const bool widens = a->precision == OB_DOUBLE && a->computing != OB_DOUBLE,
               narrows = a->precision == OB_FLOAT && a->computing != OB_FLOAT, masked = ob__given(args, OB_ATTENTION_MASK);
    a->softmax = OBK_LOOP(softmax, ->rows[widens || (a->is_double && !narrows)]);
    a->multiply = OBK_LOOP(binary, [OBK_MUL][a->computing]);
    if (masked && args->in[OB_ATTENTION_MASK].dtype == OB_BOOL)
        a->where = OBK_LOOP(where, [a->is_double ? 3 : 2]);
    else if (masked)
        a->add = OBK_LOOP(binary, [OBK_ADD][a->computing]);
    if (a->softcap != 0) a->capped = OBK_LOOP(unary, [OBK_U_SCALED_TANH][a->computing]);
}

static ob_status need_mask(const attention *a, ob_dtype dtype, ob_kernel_needs *needs, ob_error *error) {
    if (dtype != OB_BOOL) ob__need_conversion(needs, dtype, a->computing);
    return ob__convert(NULL, a->computing, NULL, dtype, 0, error);
}

static ob_status attention_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    attention *a = args->state;
    OB_TRY(ob__read_heads(site, args, &a->h, error));
    OB_TRY(read_params(site, args, a, error));
    set_sizes(a);
    choose_loops(args, a);
    if (ob__given(args, OB_ATTENTION_MASK)) OB_TRY(need_mask(a, args->in[OB_ATTENTION_MASK].dtype, needs, error));
    ob__need_conversion(needs, a->computing, a->precision);
    ob__need_conversion(needs, a->precision, a->computing);
    return need_memory(a, args, needs, error);
}

/* ---- Running ---- */

typedef struct lane_memory {
    char *queries, *row, *heads[2];
} lane_memory;

static lane_memory memory_of(const ob_blocks_job *job, char *next) {
    const attention *a = job->context;
    const size_t width = ob_dtype_size(a->computing);
    lane_memory m;
    m.queries = ob__take(&next, a->blocks.rows * a->h.size, width);
    m.row = ob__take(&next, a->h.n_total, sizeof(double));
    m.heads[0] = next;
    m.heads[1] = next;
    if (ob__heads_gathered(&a->h, job->args, 0)) ob__take(&m.heads[1], a->h.n_total * a->h.size, width);
    return m;
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
static void apply_mask(const ob_kernel_args *args, const block *b, char *row) {
    const attention *a = args->state;
    const ob_view *mask = &args->in[OB_ATTENTION_MASK];
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
            (void)ob__convert_in_run(args, row, a->computing, from, mask->dtype, strides[3] ? shown : 1, NULL);
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
    const int64_t n_bytes = b->seen * (int64_t)ob_dtype_size(a->computing);
    char *to = (char *)args->out[OB_ATTENTION_SCORES].data + first * n_bytes;
    for (int64_t i = 0; i < b->rows; i++) memcpy(to + i * n_bytes, b->scores + i * b->row_bytes, (size_t)n_bytes);
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
static void soften_rows(const ob_kernel_args *args, const block *b, char *row, obk_pace *pace) {
    const attention *a = args->state;
    if (a->precision == a->computing) {
        const int64_t row_step = b->row_bytes / (int64_t)ob_dtype_size(a->computing);
        a->softmax(b->scores, row_step, b->scores, row_step, b->rows, b->seen, NULL, pace);
        return;
    }
    const bool narrow = !ob__dtype_is_real(a->precision);
    for (int64_t i = 0; i < b->rows; i++) {
        char *scores = b->scores + i * b->row_bytes;
        (void)ob__convert_in_run(args, row, a->precision, scores, a->computing, b->seen, NULL);
        if (narrow) {
            (void)ob__convert_in_run(args, scores, a->computing, row, a->precision, b->seen, NULL);
            a->softmax(scores, b->seen, scores, b->seen, 1, b->seen, NULL, pace);
            (void)ob__convert_in_run(args, row, a->precision, scores, a->computing, b->seen, NULL);
        } else {
            a->softmax(row, b->seen, row, b->seen, 1, b->seen, NULL, pace);
        }
        (void)ob__convert_in_run(args, scores, a->computing, row, a->precision, b->seen, NULL);
    }
}

/* The weights of a query that sees no key are zeros. Source: errata of Attention-23 and -24, onnx/onnx#8068. */
static void soften(const ob_kernel_args *args, const block *b, char *row) {
    const attention *a = args->state;
    bool masked[OB_BLOCK_ROWS];
    if (b->seen == 0) return;
    for (int64_t i = 0; i < b->rows; i++) masked[i] = is_masked(a, b, i);
    obk_pace pace = ob__pace(args->threads);
    soften_rows(args, b, row, &pace);
    for (int64_t i = 0; i < b->rows; i++)
        if (masked[i]) memset(b->scores + i * b->row_bytes, 0, (size_t)(b->seen * (int64_t)ob_dtype_size(a->computing)));
}

/* From the products of queries and keys to the weights of the values. */
static void weigh_block(const attention *a, const ob_kernel_args *args, const block *b, char *row) {
    const int64_t width = (int64_t)ob_dtype_size(a->computing);
    show(a, args, b, 0);
    if (a->softcap != 0 && b->seen > 0) {
        char *const pointers[2] = {b->scores, b->scores};
        a->capped(pointers, (int64_t[]){width}, b->seen, (int64_t[]){b->row_bytes, b->row_bytes}, b->rows, &a->cap);
    }
    show(a, args, b, 1);
    if (ob__given(args, OB_ATTENTION_MASK)) apply_mask(args, b, row);
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t place = b->from + i + b->before, first = place - a->left, end = place + a->right + 1;
        fill_lowest(a, b, i, 0, first < b->seen ? first : b->seen);
        fill_lowest(a, b, i, end < 0 ? 0 : end < b->valid ? end : b->valid, b->seen);
    }
    show(a, args, b, 2);
    soften(args, b, row);
    show(a, args, b, 3);
}

/* Keys that no row of the block sees are left out, unless the scores themselves are a result. */
static block block_of(const ob_blocks_job *job, const ob_block *of) {
    const attention *a = job->context;
    const ob_heads *h = &a->h;
    block b = {.sample = of->head / h->q_heads,
               .head = of->head % h->q_heads,
               .from = of->row,
               .rows = of->rows,
               .scores = of->scores,
               .row_bytes = of->row_bytes};
    b.seen = b.valid = h->n_total;
    b.before = h->n_before;
    if (ob__given(job->args, OB_ATTENTION_LENGTHS)) {
        const int64_t n = ((const int64_t *)job->args->in[OB_ATTENTION_LENGTHS].data)[b.sample];
        b.valid = n < 0 ? 0 : n < b.valid ? n : b.valid;
        b.before = b.valid - h->n_queries; /* the last query is aligned with the last valid key */
    }
    if (!ob__wanted(job->args, OB_ATTENTION_SCORES) && b.seen > 0) {
        const int64_t end = b.from + b.rows + b.before + a->right;
        if (end < b.seen) b.seen = end;
        if (b.valid < b.seen) b.seen = b.valid;
        if (b.seen < 1) b.seen = 1;
    }
    return b;
}

static void place(const ob_blocks_job *job, int64_t head, char *memory, ob_blocks_head *at) {
    const attention *a = job->context;
    const ob_heads *h = &a->h;
    const lane_memory m = memory_of(job, memory);
    const int64_t sample = head / h->q_heads, kv = sample * h->kv_heads + head % h->q_heads / h->group,
                  width = (int64_t)ob_dtype_size(a->computing),
                  first = h->flat ? sample * h->n_queries * h->q_heads + head % h->q_heads : head * h->n_queries,
                  across = h->flat ? h->q_heads : 1;
    *at = (ob_blocks_head){.a = (const char *)job->args->in[0].data + first * h->size * width,
                           .a_row = across * h->size,
                           .a_k = 1,
                           .b_k = 1,
                           .v_column = 1,
                           .y = (char *)job->args->out[0].data + first * h->v_size * width,
                           .y_row = across * h->v_size};
    at->b = ob__place_head(h, job->args, 0, kv, m.heads[0], &at->b_column);
    at->v = ob__place_head(h, job->args, 1, kv, m.heads[1], &at->v_k);
}

/* Scales the queries. */
static void begin(const ob_blocks_job *job, ob_block *of, ob_blocks_head *at) {
    const attention *a = job->context;
    const int64_t width = (int64_t)ob_dtype_size(a->computing), size = a->h.size;
    const lane_memory m = memory_of(job, of->memory);
    const float scale = (float)a->scale;
    char *const scaled[3] = {(char *)(uintptr_t)at->a, (char *)(uintptr_t)(a->is_double ? (const void *)&a->scale : &scale),
                             m.queries};
    const bool dense = at->a_row == size; /* one long row */
    const int64_t rows = dense ? 1 : of->rows, n = dense ? of->rows * size : size;
    if (size > 0) a->multiply(scaled, (int64_t[]){width, 0}, n, (int64_t[]){at->a_row * width, 0, size * width}, rows, NULL);
    at->a = m.queries;
    at->a_row = size > 0 ? size : 1;
    of->seen = block_of(job, of).seen;
}

static void weigh(const ob_blocks_job *job, const ob_block *of) {
    const block b = block_of(job, of);
    weigh_block(job->context, job->args, &b, memory_of(job, of->memory).row);
}

static void fill_present(void *context, int64_t head, int lane) {
    const ob_blocks_job *job = context;
    const attention *a = job->context;
    (void)lane;
    for (int which = 0; which < 2; which++)
        if (ob__wanted(job->args, (uint32_t)which + 1)) ob__fill_present(&a->h, job->args, which, head);
}

static ob_status compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const attention *a = args->state;
    ob_blocks_job job = {.plan = &a->blocks, .args = args, .context = a, .place = place, .begin = begin, .weigh = weigh};
    if (ob__writes_nothing(args)) return OB_OK;
    if (ob__wanted(args, 1) || ob__wanted(args, 2)) ob__each_chunk(args->threads, a->h.batch * a->h.kv_heads, fill_present, &job);
    if (ob__count(&args->out[0]) > 0 || (ob__wanted(args, OB_ATTENTION_SCORES) && ob__count(&args->out[OB_ATTENTION_SCORES]) > 0))
        ob__run_blocks(&job);
    return OB_OK;
}

OB_RUN(ob__run_attention) {
    return ob__run_real(args, compute, error);
}

const ob_kernel ob__kernel_attention = {.name = "attention",
                                        .state_bytes = sizeof(attention),
                                        .state = &attention_struct,
                                        .plan = attention_plan,
                                        OB_RUNS(ob__run_attention)};
