/* ConvInteger (int32 result) and QLinearConv (requantised): as Conv, of int8 and uint8 minus their zero points, exact in int32,
 * which wraps. QLinear: y = saturate(round((sum + bias) * (x_scale * w_scale / y_scale)) + y_zero_point), halves to even. Zero
 * points and scales of W: one for all or one per map. Blocks of positions are unfolded as bytes and multiplied; a depthwise
 * convolution, whose products are too small for that, goes through the loops of Conv in float, which are exact while sums stay
 * below 2^24. */
#include "kernels/window/unfold.h"
#include "ops/conv/params.h"
#include "ops/kernel/common.h"
#include "ops/product/pack.h"
#include "ops/quantize/integer.h"

typedef struct integer_conv {
    ob_integers i;
    obk_window window;
    int64_t groups, channels, maps; /* channels and maps of one group */
    int64_t k;                      /* channels * taps */
    bool as_is;                     /* a tap sees each element at its own place: nothing is unfolded */
    int64_t block, n_blocks;        /* positions of a block; blocks of a plane */
    int64_t n_planes, n_each;       /* images times groups; units (blocks of planes) of a chunk */
    size_t columns_bytes, sums_bytes;
    /* Depthwise: */
    obk_conv_run run; /* NULL: by products */
    obk_conv floats;
    obk_convert whole; /* float to int32 */
} integer_conv;

static ob_status check_shapes(const ob_kernel_args *args, const integer_conv *s, int64_t groups, ob_error *error) {
    const ob_view *x = &args->in[0], *w = &args->in[s->i.at.w], *y = &args->out[0];
    OB_FAIL_IF(x->rank < 2 || w->rank != x->rank || y->rank != x->rank, error, OB_E_SHAPE, "X, W and Y of ranks %d, %d, %d",
               x->rank, w->rank, y->rank);
    bool bad = x->dims[1] % groups != 0 || w->dims[0] % groups != 0 || w->dims[1] != x->dims[1] / groups ||
               y->dims[0] != x->dims[0] || y->dims[1] != w->dims[0];
    OB_FAIL_IF(bad, error, OB_E_SHAPE, "%lld channels, %lld maps of %lld channels, group %lld", (long long)x->dims[1],
               (long long)w->dims[0], (long long)w->dims[1], (long long)groups);
    if (s->i.at.bias >= 0 && ob__given(args, (uint32_t)s->i.at.bias))
        OB_FAIL_IF(ob__count(&args->in[s->i.at.bias]) != w->dims[0], error, OB_E_SHAPE, "a bias of %lld for %lld maps",
                   (long long)ob__count(&args->in[s->i.at.bias]), (long long)w->dims[0]);
    return OB_OK;
}

static bool sees_as_is(const obk_window *w) {
    for (int32_t a = 0; a < w->rank; a++) {
        const obk_axis *x = &w->axes[a];
        if (x->kernel != 1 || x->stride != 1 || x->before != 0 || x->in != x->out) return false;
    }
    return true;
}

typedef struct packing {
    const obk_integer_gemm *gemm;
    int64_t maps, k; /* of all groups */
    int16_t zero;
} packing;

static void make_packed_w(const void *params, const ob_view *constant, void *pack) {
    const packing *p = params;
    obk_bytes bytes = {.data = constant->data, .is_signed = ob__is_signed(constant), .step = p->k, .along = 1, .zero = &p->zero};
    p->gemm->pack_a(pack, &bytes, p->maps, p->k);
}

static ob_status want_packed_w(const ob_kernel_site *site, integer_conv *s, ob_kernel_needs *needs, ob_error *error) {
    packing *params = ob__tail(site, 1, sizeof *params);
    OB_FAIL_IF(!params, error, OB_E_MEMORY, "no memory for a plan");
    *params = (packing){s->i.gemm, s->groups * s->maps, s->k, s->i.w_zero_value};
    needs->packs[needs->n_packs++] =
        (ob_pack_want){.input = (uint32_t)s->i.at.w,
                       .format = (uint64_t)OB_PACK_INTEGER_A << 56 | (uint64_t)(uint16_t)s->i.w_zero_value,
                       .n_bytes = (size_t)(params->maps * obk_pairs(s->k)) * sizeof(obk_pair),
                       .make = make_packed_w,
                       .params = params};
    return OB_OK;
}

/* Blocks follow from the shapes alone; what is unfolded for one lies in the second-level cache. */
static ob_status cut(integer_conv *s, ob_kernel_needs *needs, ob_error *error) {
    enum { CACHED_BYTES = 1 << 17, UNIT = 96, MOST = 1 << 12 };
    const double chunk = 0x1p17;
    int64_t wish = CACHED_BYTES / (s->k + 4 * s->maps + 1) / UNIT * UNIT, n = s->window.n_out, n_columns, n_sums;
    s->block = wish < UNIT ? UNIT : wish > MOST ? MOST / UNIT * UNIT : wish;
    if (s->block > n) s->block = n;
    s->n_blocks = n > 0 ? (n + s->block - 1) / s->block : 0;
    double each = chunk / ((double)s->block * (double)s->k * (double)s->maps + 1);
    s->n_each = each < 1 ? 1 : (int64_t)each + 1;
    bool large = ob__mul_overflows(s->k, s->block, &n_columns) || ob__mul_overflows(4 * s->maps, s->block, &n_sums) ||
                 n_columns > INT64_MAX / 4 || n_sums > INT64_MAX / 4;
    OB_FAIL_IF(large, error, OB_E_LIMIT, "the kernel is too large");
    s->columns_bytes = s->as_is ? 0 : ((size_t)n_columns + 63) & ~(size_t)63;
    s->sums_bytes = s->i.requantizes ? ((size_t)n_sums + 63) & ~(size_t)63 : 0;
    needs->lane_bytes = s->columns_bytes + s->sums_bytes + obk_integer_panel_bytes(s->i.gemm, s->k);
    return OB_OK;
}

static size_t padded_floats(int64_t n) {
    return ((size_t)n * sizeof(float) + 63) & ~(size_t)63;
}

/* Through float, a plane at a time: one channel, and no sum beyond 2^24. */
static bool suits_floats(const integer_conv *s) {
    enum { LARGEST = 255 * 255, MOST_POSITIONS = 1 << 20 };
    return s->channels == 1 && s->maps <= 4 && !s->as_is && s->k > 0 && s->k <= (1 << 24) / LARGEST &&
           s->window.n_in <= MOST_POSITIONS && s->window.n_out <= MOST_POSITIONS;
}

static ob_status plan_floats(const ob_kernel_site *site, integer_conv *s, ob_kernel_needs *needs, ob_error *error) {
    enum { CACHED_FLOATS = 1 << 15 };
    const double chunk = 0x1p16;
    obk_conv *c = &s->floats;
    s->run = ob__kernels()->conv->run[0];
    s->whole = ob__kernels()->convert[OB_INT32][OB_FLOAT];
    c->window = s->window;
    c->channels = 1;
    c->maps = s->maps;
    OB_TRY(ob__plan_tiling(site, &c->window, CACHED_FLOATS, &c->tiling, &c->tiled, error));
    c->pitch = obk_conv_pitch(c->tiling.elems);
    s->n_blocks = 1;
    double each = chunk / ((double)s->window.n_out * (double)s->k * (double)s->maps + 1);
    s->n_each = each < 1 ? 1 : (int64_t)each + 1;
    needs->lane_bytes =
        padded_floats(s->window.n_in) + 2 * padded_floats(s->maps * s->window.n_out) + padded_floats(obk_conv_lane(c));
    return ob__need_scratch(needs, s->groups * s->maps * s->k, sizeof(float), error);
}

static ob_status conv_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    integer_conv *s = args->state;
    ob_conv_params params;
    OB_TRY(ob__plan_integers(site, args, true, &s->i, needs, error));
    const ob_view *x = &args->in[0], *w = &args->in[s->i.at.w], *y = &args->out[0];
    OB_TRY(ob__read_conv(site->node, x->rank - 2, &params, error));
    OB_TRY(check_shapes(args, s, params.group, error));
    memcpy(params.window.kernel, &w->dims[2], (size_t)(w->rank - 2) * sizeof(int64_t));
    OB_TRY(ob__plan_window(site, &params.window, &x->dims[2], &y->dims[2], true, &s->window, error));
    s->groups = params.group;
    s->channels = x->dims[1] / params.group;
    s->maps = w->dims[0] / params.group;
    OB_FAIL_IF(ob__mul_overflows(s->channels, s->window.n_taps, &s->k), error, OB_E_LIMIT, "the kernel is too large");
    s->n_planes = x->dims[0] * s->groups;
    s->as_is = sees_as_is(&s->window);
    if (suits_floats(s)) return plan_floats(site, s, needs, error);
    OB_TRY(cut(s, needs, error));
    if (s->i.w_packed) return want_packed_w(site, s, needs, error);
    return ob__need_scratch(needs, s->groups * s->maps * obk_pairs(s->k), sizeof(obk_pair), error);
}

/* ---- run ---- */

typedef struct job {
    const integer_conv *s;
    const uint8_t *x;
    const obk_pair *w;
    float *floats; /* W less its zero points, when depthwise */
    const int32_t *bias;
    bool x_signed, y_signed;
    char *y, *lanes;
    size_t lane_stride;
    ob_integer_values values;
} job;

/* Positions first .. end of a plane as the operand of the product: bytes, from row to row `along`. */
static obk_bytes unfold(const job *j, int64_t plane, int64_t first, int64_t end, uint8_t *columns) {
    const integer_conv *s = j->s;
    const uint8_t *x = j->x + plane * s->channels * s->window.n_in;
    obk_bytes bytes = {.is_signed = j->x_signed, .step = 1, .zero = j->values.x_zero};
    bytes.along = s->as_is ? s->window.n_in : end - first;
    bytes.data = s->as_is ? x + first : columns;
    for (int64_t c = 0; c < s->channels && !s->as_is; c++)
        obk_unfold_bytes(&s->window, x + c * s->window.n_in, first, end, (uint8_t)*j->values.x_zero,
                         columns + c * s->window.n_taps * (end - first));
    return bytes;
}

static void requantize(const job *j, int64_t plane, int64_t first, int64_t n, const int32_t *sums) {
    const integer_conv *s = j->s;
    const ob_integer_values *v = &j->values;
    for (int64_t m = 0; m < s->maps; m++) {
        int64_t map = plane % s->groups * s->maps + m;
        float scale = *v->x_scale * v->w_scale[s->i.w_scale.count == 1 ? 0 : map] / v->y_scale;
        obk_requantized to = {
            .bias = j->bias ? j->bias[map] : 0, .scale = &scale, .zero = v->y_zero, .low = v->low, .high = v->high};
        s->i.loops->requantize[j->y_signed ? OBK_Q_INT8 : OBK_Q_UINT8](j->y + (plane * s->maps + m) * s->window.n_out + first,
                                                                       sums + m * n, n, &to);
    }
}

static void conv_unit(const job *j, int64_t unit, char *lane) {
    const integer_conv *s = j->s;
    int64_t plane = unit / s->n_blocks, first = unit % s->n_blocks * s->block;
    int64_t n = s->window.n_out - first < s->block ? s->window.n_out - first : s->block;
    int32_t *sums = (int32_t *)(void *)(lane + s->columns_bytes);
    obk_integer_call call = {
        .m = s->maps, .n = n, .k = s->k, .c = sums, .c_row = n, .panel = lane + s->columns_bytes + s->sums_bytes};
    call.a = j->w + plane % s->groups * s->maps * obk_pairs(s->k);
    call.bytes = unfold(j, plane, first, first + n, (uint8_t *)lane);
    if (!s->i.requantizes) {
        call.c = (int32_t *)(void *)j->y + plane * s->maps * s->window.n_out + first;
        call.c_row = s->window.n_out;
    }
    s->i.gemm->product(&call);
    if (s->i.requantizes) requantize(j, plane, first, n, sums);
}

/* A plane through float. */
static void depthwise_unit(const job *j, int64_t plane, char *lane) {
    const integer_conv *s = j->s;
    const obk_conv *c = &s->floats;
    const float one = 1, zero = *j->values.x_zero;
    const obk_scales scales = {.scale = &one, .zero = &zero};
    int64_t n = s->maps * s->window.n_out, group = plane % s->groups;
    float *x = (float *)(void *)lane, *y = (float *)(void *)(lane + padded_floats(s->window.n_in));
    int32_t *sums = (int32_t *)(void *)((char *)y + padded_floats(n));
    s->i.loops->dequantize[j->x_signed ? OBK_Q_INT8 : OBK_Q_UINT8](x, j->x + plane * s->window.n_in, s->window.n_in, &scales);
    for (int64_t b = 0; b < (c->tiled ? c->tiling.n_blocks : 1); b++)
        s->run(c, x, j->floats + group * s->maps * s->k, NULL, y, b, 0, s->maps, (char *)sums + padded_floats(n));
    if (!s->i.requantizes) {
        s->whole(j->y + (size_t)(plane * n) * sizeof(int32_t), y, n);
        return;
    }
    s->whole(sums, y, n);
    requantize(j, plane, 0, s->window.n_out, sums);
}

static void conv_chunk(void *context, int64_t chunk, int lane) {
    const job *j = context;
    const integer_conv *s = j->s;
    int64_t n_units = s->n_planes * s->n_blocks, begin = chunk * s->n_each;
    int64_t end = begin + s->n_each < n_units ? begin + s->n_each : n_units;
    for (int64_t i = begin; i < end; i++) (s->run ? depthwise_unit : conv_unit)(j, i, j->lanes + (size_t)lane * j->lane_stride);
}

static void widen_w(const ob_view *w, const integer_conv *s, const ob_integer_values *values, float *to) {
    const float one = 1;
    for (int64_t m = 0; m < s->groups * s->maps; m++) {
        const float zero = values->w_zero[s->i.w_zero.count == 1 ? 0 : m];
        s->i.loops->dequantize[ob__is_signed(w) ? OBK_Q_INT8 : OBK_Q_UINT8](to + m * s->k, (const char *)w->data + m * s->k, s->k,
                                                                            &(obk_scales){.scale = &one, .zero = &zero});
    }
}

static ob_status conv_run(const ob_kernel_args *args, ob_error *error) {
    const integer_conv *s = args->state;
    const ob_view *w = &args->in[s->i.at.w];
    char *scratch = args->scratch;
    job j = {.s = s,
             .x = args->in[0].data,
             .x_signed = ob__is_signed(&args->in[0]),
             .y = args->out[0].data,
             .y_signed = ob__is_signed(&args->out[0]),
             .lanes = args->lanes,
             .lane_stride = args->lane_stride};
    OB_TRY(ob__read_integers(args, &s->i, &scratch, &j.values, error));
    if (ob__writes_nothing(args)) return OB_OK;
    if (s->i.at.bias >= 0 && ob__given(args, (uint32_t)s->i.at.bias)) j.bias = args->in[s->i.at.bias].data;
    if (s->run) {
        j.floats = ob__take(&scratch, s->groups * s->maps * s->k, sizeof(float));
        widen_w(w, s, &j.values, j.floats);
    } else if (s->i.w_packed) {
        j.w = args->packs[0];
    } else {
        obk_pair *pairs = ob__take(&scratch, s->groups * s->maps * obk_pairs(s->k), sizeof *pairs);
        obk_bytes bytes = {.data = w->data,
                           .is_signed = ob__is_signed(w),
                           .step = s->k,
                           .along = 1,
                           .zero = j.values.w_zero,
                           .zero_step = s->i.w_zero.count > 1};
        s->i.gemm->pack_a(pairs, &bytes, s->groups * s->maps, s->k);
        j.w = pairs;
    }
    ob__each_chunk(args->threads, (s->n_planes * s->n_blocks + s->n_each - 1) / s->n_each, conv_chunk, &j);
    return OB_OK;
}

const ob_kernel ob__kernel_integer_conv = {
    .name = "integer_conv", .state_bytes = sizeof(integer_conv), .plan = conv_plan, .run = conv_run};
