/* ConvInteger (int32 result) and QLinearConv (requantized): convolutions of int8 and uint8 minus their zero points, exact in
 * int32, which wraps.
 *
 * QLinear: y = saturate(round((sum + bias) * (x_scale * w_scale / y_scale)) + y_zero_point), halves to even. W has one zero point
 * and scale, or one for each output channel. Two channels side by side form a plane of pairs of 16-bit integers, which the loops
 * of Conv convolve; an odd last channel is paired with zeros.
 *
 * On a processor with dot products of bytes, and if W is constant and W minus its zero point has 8 bits, four channels of bytes
 * form a quad. X is then unsigned, plus 128 if it was signed (on arm64 signed, minus 128 if it was not); its zero point times the
 * sum of W is subtracted from the bias, and is the padding. The sums are the same, because 32 bits wrap. */
#include "core/base/integers.h"
#include "kernels/conv/conv.h"
#include "kernels/gemm/integer.h"
#include "kernels/quantize/quantize.h"
#include "kernels/take.h"
#include "ops/conv/split.h"
#include "ops/kernel/common.h"
#include "ops/kernel/epilogue.h"
#include "ops/kernel/members.h"
#include "ops/kernel/packed.h"
#include "ops/quantize/integer.h"

typedef struct integer_conv {
    ob_integers i;
    ob_conv_split split;
    obk_conv_pair pair_x, pair_w; /* pair_w: if W is not packed */
    obk_conv_quad quad;           /* if `quads` */
    size_t sums_bytes;            /* for each lane */
    bool quads, quads_signed;
    const ob_epilogue *epilogue; /* of ConvInteger */
    size_t registers_at;         /* of the epilogue, in lane memory */
} integer_conv;

static const ob_member conv_members[] = {OB_NESTED(integer_conv, i, &ob__integers_struct),
                                         OB_NESTED(integer_conv, split, &ob__conv_split_struct),
                                         OB_FUNCTION(integer_conv, pair_x),
                                         OB_FUNCTION(integer_conv, pair_w),
                                         OB_FUNCTION(integer_conv, quad),
                                         OB_SIZE(integer_conv, sums_bytes),
                                         OB_VALUE(integer_conv, quads),
                                         OB_VALUE(integer_conv, quads_signed),
                                         OB_POINTER(integer_conv, epilogue, &ob__epilogue_struct, NULL),
                                         OB_SIZE(integer_conv, registers_at)};
static const ob_struct conv_struct = OB_STRUCT(integer_conv, conv_members);

/* Combines pairs of channels, each a run of `length` bytes. For W there is one zero point, or one for each output channel. */
typedef struct pairing {
    obk_conv_pair pair;
    const char *from;
    obk_pair *to;
    const int16_t *zero;
    int64_t channels, length, zero_step;
} pairing;

static void pair_channels(void *context, int64_t begin, int64_t end) {
    const pairing *p = context;
    const int64_t n_pairs = obk_pairs(p->channels);
    for (int64_t i = begin; i < end; i++) {
        const int64_t c = i % n_pairs * 2, outer = i / n_pairs;
        const char *from = p->from + (outer * p->channels + c) * p->length;
        p->pair(p->to + i * p->length, from, c + 1 < p->channels ? from + p->length : NULL, p->zero[outer * p->zero_step],
                p->length);
    }
}

static pairing pairing_of(const integer_conv *s, obk_conv_pair pair, int64_t length, const int16_t *zero) {
    return (pairing){.pair = pair, .channels = s->split.channels, .length = length, .zero = zero};
}

typedef struct packing {
    pairing of_w;
    int16_t zero;
    int64_t n;
    const obk_conv_panels *panels; /* NULL: pairs as they come */
    bool quads, is_signed;
    int64_t groups, out_channels, w_group;
} packing;

/* The four weights from `from` on, `step` apart, of which n exist. */
static uint32_t quad_of_w(const packing *p, const char *from, int64_t step, int64_t n) {
    uint32_t quad = 0;
    for (int64_t i = 0; i < n && i < 4; i++) {
        const int w = p->is_signed ? ((const int8_t *)from)[i * step] : ((const uint8_t *)from)[i * step];
        quad |= (uint32_t)(uint8_t)(w - p->zero) << 8 * i;
    }
    return quad;
}

/* The quads of a group as panels. */
static void make_quads(const packing *p, const char *from, uint32_t *to) {
    const int64_t channels = p->of_w.channels, n_kernel = p->of_w.length, n_products = ob__ceil_div(channels, 4) * n_kernel;
    for (int64_t i = 0, n = obk_panels(p->panels->lanes, p->panels->widest, p->out_channels); i < n; i++) {
        const obk_panel panel = obk_panel_at(p->panels->lanes, p->panels->widest, p->out_channels, i);
        const int64_t width = panel.vectors * p->panels->lanes;
        for (int64_t m = 0; m < panel.channels; m++)
            for (int64_t c = 0; c < channels; c += 4)
                for (int64_t t = 0; t < n_kernel; t++)
                    to[panel.first * n_products + (c / 4 * n_kernel + t) * width + m] =
                        quad_of_w(p, from + ((panel.first + m) * channels + c) * n_kernel + t, n_kernel, channels - c);
    }
}

/* The sum of the weights of each output channel, of all groups. */
static void make_sums(const void *params, const ob_view *constant, void *prepared) {
    const packing *p = params;
    const int64_t each = p->of_w.channels * p->of_w.length;
    int32_t *sums = prepared;
    for (int64_t m = 0; m < p->groups * p->out_channels; m++) {
        uint32_t sum = 0;
        for (int64_t i = 0; i < each; i++)
            sum += (uint32_t)(int32_t)(int8_t)quad_of_w(p, (const char *)constant->data + m * each + i, 0, 1);
        sums[m] = (int32_t)sum;
    }
}

/* The pairs of a group as panels. */
static void make_group(const packing *p, const char *from, obk_pair *to) {
    enum { PIECE = 64 };
    const int64_t channels = p->of_w.channels, n_kernel = p->of_w.length, n_products = obk_pairs(channels) * n_kernel;
    obk_pair piece[PIECE];
    for (int64_t i = 0, n = obk_panels(p->panels->lanes, p->panels->widest, p->out_channels); i < n; i++) {
        const obk_panel panel = obk_panel_at(p->panels->lanes, p->panels->widest, p->out_channels, i);
        const int64_t width = panel.vectors * p->panels->lanes;
        for (int64_t m = 0; m < panel.channels; m++)
            for (int64_t c = 0; c < channels; c += 2)
                for (int64_t t = 0; t < n_kernel; t += PIECE) {
                    const char *first = from + ((panel.first + m) * channels + c) * n_kernel + t;
                    const int64_t some = ob__least(n_kernel - t, PIECE);
                    obk_pair *here = to + panel.first * n_products + (c / 2 * n_kernel + t) * width + m;
                    p->of_w.pair(piece, first, c + 1 < channels ? first + n_kernel : NULL, p->zero, some);
                    for (int64_t j = 0; j < some; j++) here[j * width] = piece[j];
                }
    }
}

static void make_packed_w(const void *params, const ob_view *constant, void *prepared) {
    const packing *p = params;
    pairing of_w = p->of_w;
    of_w.from = constant->data;
    of_w.to = prepared;
    of_w.zero = &p->zero;
    if (!p->panels) {
        pair_channels(&of_w, 0, p->n);
        return;
    }
    const int64_t from_group = p->out_channels * of_w.channels * of_w.length;
    for (int64_t g = 0; g < p->groups; g++)
        if (p->quads)
            make_quads(p, of_w.from + g * from_group, (uint32_t *)prepared + g * p->w_group);
        else
            make_group(p, of_w.from + g * from_group, of_w.to + g * p->w_group);
}

static int64_t pairs_of_w(const integer_conv *s) {
    return s->split.groups * s->split.k.out_channels * s->split.k.channels;
}

static ob_status want_packed_w(const ob_kernel_site *site, const ob_kernel_args *args, integer_conv *s, ob_kernel_needs *needs,
                               ob_error *error) {
    packing *params = ob__tail(site, 1, sizeof *params);
    OB_FAIL_IF(!params, error, OB_E_MEMORY, "no memory for a plan");
    const obk_conv_panels *panels = s->split.panels;
    *params = (packing){
        .of_w = pairing_of(s, OBK_LOOP(conv, ->pair[ob__is_signed(&args->in[s->i.at.w])]), s->split.k.window.n_kernel, NULL),
        .zero = s->i.w_zero_value,
        .n = pairs_of_w(s),
        .panels = panels,
        .quads = s->quads,
        .is_signed = ob__is_signed(&args->in[s->i.at.w]),
        .groups = s->split.groups,
        .out_channels = s->split.k.out_channels,
        .w_group = s->split.w_group};
    needs->prepared[needs->n_prepared++] = (ob_prepare_request){
        .input = (uint32_t)s->i.at.w,
        .format = (uint64_t)OB_PREPARED_INTEGER_CONV << 56 | (uint64_t)(panels ? panels->lanes : 0) << 48 |
                  (uint64_t)s->split.groups << 17 | (uint64_t)s->quads << 16 | (uint64_t)(uint16_t)s->i.w_zero_value,
        .n_bytes = (size_t)(s->split.groups * s->split.w_group) * sizeof(obk_pair),
        .make = make_packed_w,
        .params = params,
        .width = sizeof(uint32_t)}; /* pairs and quads are written as one number */
    if (!s->quads) return OB_OK;
    needs->prepared[needs->n_prepared++] =
        (ob_prepare_request){.input = (uint32_t)s->i.at.w,
                             .format = (uint64_t)OB_PREPARED_INTEGER_SUMS << 56 | (uint64_t)(uint16_t)s->i.w_zero_value,
                             .n_bytes = (size_t)(s->split.groups * s->split.k.out_channels) * sizeof(int32_t),
                             .make = make_sums,
                             .params = params,
                             .width = sizeof(int32_t)};
    return OB_OK;
}

/* Quads if they gain here, else pairs. */
static ob_status split(const ob_kernel_site *site, const ob_kernel_args *args, integer_conv *s, ob_error *error) {
    const ob_conv_split before = s->split;
    s->quads = s->i.w_packed && !site->loops_only && ob__kernels_dot8() && OBK_LOOPS(conv)->panels[OBK_CONV_QUADS].run &&
               s->i.x_zero.count == 1 && ob__bytes_fit(&args->in[s->i.at.w], s->i.w_zero_value);
    if (s->quads) {
        s->split.k.channels = ob__ceil_div(s->split.channels, 4);
        OB_TRY(ob__split_conv(site, OBK_CONV_QUADS, true, false, s->i.requantizes, &s->split, error));
        if (s->split.panels) return OB_OK;
        s->split = before;
        s->quads = false;
    }
    s->split.k.channels = obk_pairs(s->split.channels);
    return ob__split_conv(site, OBK_CONV_PAIRS, s->i.w_packed, false, s->i.requantizes, &s->split, error);
}

static ob_status conv_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    integer_conv *s = args->state;
    obk_conv *k = &s->split.k;
    int64_t n_x, n_sums = 0;
    OB_TRY(ob__plan_integers(site, args, true, &s->i, needs, error));
    OB_TRY(ob__plan_conv(site, args, (uint32_t)s->i.at.w, s->i.at.bias, &s->split, error));
    if (ob__count(&args->out[0]) == 0) return OB_OK;
    OB_TRY(split(site, args, s, error));
    const obk_convs *loops = OBK_FAMILY(conv, ->pair[0]);
    s->quads_signed = loops->quads_signed;
    if (s->quads)
        s->quad = loops->quad;
    else
        s->pair_x = loops->pair[ob__is_signed(&args->in[0])];
    if (!s->i.w_packed) s->pair_w = loops->pair[ob__is_signed(&args->in[s->i.at.w])];
    bool large = ob__mul_overflows(s->split.n_planes * k->channels, k->window.n_in, &n_x) ||
                 (s->i.requantizes && ob__mul_overflows(ob__conv_largest_task(&s->split), sizeof(int32_t), &n_sums));
    OB_FAIL_IF(large || n_sums > INT64_MAX / 4, error, OB_E_LIMIT, "the kernel is too large");
    k->y_channel = s->i.requantizes ? ob__conv_largest_task(&s->split) / s->split.part_channels : k->window.n_out;
    s->sums_bytes = (size_t)ob__round_up(n_sums, 64);
    s->epilogue = site->epilogue;
    s->registers_at = (size_t)ob__round_up((int64_t)(s->sums_bytes + s->split.lane_bytes), 64);
    needs->lane_bytes = s->registers_at + ob__epilogue_bytes(s->epilogue);
    OB_TRY(ob__need_scratch(needs, n_x, sizeof(obk_pair), error));
    if (s->quads) OB_TRY(ob__need_scratch(needs, s->split.groups * k->out_channels, sizeof(int32_t), error));
    if (s->i.w_packed) return want_packed_w(site, args, s, needs, error);
    return ob__need_scratch(needs, s->split.groups * s->split.w_group, sizeof(obk_pair), error);
}

/* ---- run ---- */

typedef struct job {
    const integer_conv *s;
    const void *x, *w; /* pairs, or quads */
    const int32_t *bias;
    uint32_t padding;
    char *y, *lanes;
    size_t lane_stride;
    const ob_kernel_args *args;
    const ob_threads *threads;
    ob_integer_values values;
} job;

/* Requantizes the sums of a task, n for each output channel; these lie y_channel apart. */
static void requantize(const job *j, const ob_conv_task *task, const int32_t *sums, char *y, int64_t n) {
    const integer_conv *s = j->s;
    const ob_integer_values *v = &j->values;
    for (int64_t m = task->first; m < task->end; m++, sums += s->split.k.y_channel, y += s->split.k.window.n_out) {
        float scale =
            *v->x_scale * v->w_scale[s->i.w_scale.count == 1 ? 0 : task->group * s->split.k.out_channels + m] / v->y_scale;
        obk_requantized to = {.scale = &scale, .zero = v->y_zero, .low = v->low, .high = v->high};
        s->i.requantize(y, sums, n, &to);
    }
}

static void conv_chunk(void *context, int64_t chunk, int lane) {
    const job *j = context;
    const integer_conv *s = j->s;
    const obk_conv *k = &s->split.k;
    const int64_t end = ob__conv_chunk_end(&s->split, chunk);
    const size_t width = s->i.requantizes ? 1 : sizeof(int32_t);
    char *memory = ob__lane(j->lanes, j->lane_stride, lane);
    obk_pace pace = ob__pace(j->threads);
    for (int64_t i = chunk * s->split.n_each; i < end; i++) {
        ob_conv_task task = ob__conv_task(&s->split, i);
        task.padding = j->padding;
        const int64_t row = task.plane * k->out_channels + task.first, column = obk_conv_start(k, task.block);
        char *y = j->y + (size_t)(row * k->window.n_out + column) * width;
        char *sums = s->i.requantizes ? memory : y;
        const ob_epilogue_call after =
            ob__epilogue_at(s->epilogue, j->args, row, column, y, k->window.n_out * (int64_t)width, memory + s->registers_at);
        ob__run_conv_task(&s->split, &task, j->x, j->w, j->bias, sums, s->epilogue ? &after.base : NULL, memory + s->sums_bytes,
                          &pace);
        if (s->i.requantizes) requantize(j, &task, (const int32_t *)(const void *)sums, y, obk_conv_results(k, task.block));
    }
}

typedef struct quartering {
    obk_conv_quad quad;
    const uint8_t *from;
    uint32_t *to, flip;
    int64_t channels, length;
} quartering;

/* Combines four channels of X. */
static void quarter_channels(void *context, int64_t begin, int64_t end) {
    const quartering *q = context;
    const int64_t n_quads = ob__ceil_div(q->channels, 4);
    for (int64_t i = begin; i < end; i++) {
        const int64_t c = i % n_quads * 4, outer = i / n_quads;
        const uint8_t *from = q->from + (outer * q->channels + c) * q->length, *four[4] = {0};
        for (int64_t k = 0; k < 4 && c + k < q->channels; k++) four[k] = from + k * q->length;
        q->quad(q->to + i * q->length, four, q->flip, q->length);
    }
}

/* X as quads, and the bias for them. */
static void prepare_quads(const ob_kernel_args *args, job *j, void *x, char **scratch) {
    const integer_conv *s = j->s;
    const obk_conv *k = &s->split.k;
    const bool flips = ob__is_signed(&args->in[0]) != s->quads_signed;
    const int moved = !flips ? 0 : s->quads_signed ? -128 : 128;
    const int64_t n = s->split.n_planes * k->channels, n_out = s->split.groups * k->out_channels;
    const uint32_t zero = (uint32_t)(j->values.x_zero[0] + moved);
    const int32_t *sums = args->prepared[1];
    int32_t *bias = ob__take(scratch, n_out, sizeof *bias);
    for (int64_t m = 0; m < n_out; m++) bias[m] = (int32_t)((j->bias ? (uint32_t)j->bias[m] : 0) - zero * (uint32_t)sums[m]);
    j->bias = bias;
    j->padding = (zero & 0xff) * 0x01010101u;
    quartering q = {s->quad, args->in[0].data, x, flips ? 0x80808080u : 0, s->split.channels, k->window.n_in};
    ob__parallel(args->threads, n, (1 << 16) / (k->window.n_in + 1) + 1, quarter_channels, &q);
}

OB_RUN(ob__run_integer_conv) {
    const integer_conv *s = args->state;
    const obk_conv *k = &s->split.k;
    const ob_view *x = &args->in[0], *w = &args->in[s->i.at.w];
    char *scratch = args->scratch;
    job j = {.s = s,
             .y = args->out[0].data,
             .lanes = args->lanes,
             .lane_stride = args->lane_stride,
             .args = args,
             .threads = args->threads};
    OB_TRY(ob__read_integers(args, &s->i, &scratch, &j.values, error));
    if (ob__writes_nothing(args)) return OB_OK;
    if (s->i.at.bias >= 0 && ob__given(args, (uint32_t)s->i.at.bias)) j.bias = args->in[s->i.at.bias].data;
    const int64_t n = s->split.n_planes * k->channels;
    void *of_x = ob__take(&scratch, n * k->window.n_in, sizeof(obk_pair));
    j.x = of_x;
    if (s->quads) {
        prepare_quads(args, &j, of_x, &scratch);
    } else {
        pairing pairs = pairing_of(s, s->pair_x, k->window.n_in, j.values.x_zero);
        pairs.from = x->data;
        pairs.to = of_x;
        ob__parallel(args->threads, n, (1 << 16) / (k->window.n_in + 1) + 1, pair_channels, &pairs);
    }
    if (s->i.w_packed) {
        j.w = args->prepared[0];
    } else {
        pairing of_w = pairing_of(s, s->pair_w, k->window.n_kernel, j.values.w_zero);
        of_w.zero_step = s->i.w_zero.count > 1;
        of_w.from = w->data;
        of_w.to = ob__take(&scratch, pairs_of_w(s) * k->window.n_kernel, sizeof(obk_pair));
        j.w = of_w.to;
        pair_channels(&of_w, 0, pairs_of_w(s));
    }
    ob__start_conv(&s->split, ob__offset(args->lanes, (int64_t)s->sums_bytes), args->lane_stride, args->threads);
    ob__each_chunk(args->threads, ob__conv_chunks(&s->split), conv_chunk, &j);
    return OB_OK;
}

/* Images and output channels are rows. Small results stay in the cache until the next step, which then has longer rows: more
 * columns than axes refuse the epilogue. */
static int32_t conv_columns(const ob_view *in, const ob_view *out) {
    enum { SMALL = 1 << 13 }; /* elements */
    (void)in;
    if (ob_view_count(out) < SMALL) return out->rank + 1;
    return out->rank < 2 ? 0 : out->rank - 2;
}

const ob_kernel ob__kernel_integer_conv = {.name = "integer_conv",
                                           .state_bytes = sizeof(integer_conv),
                                           .plan = conv_plan,
                                           OB_RUNS(ob__run_integer_conv),
                                           .state = &conv_struct,
                                           .epilogue_columns = conv_columns,
                                           .epilogue_converts = true};
