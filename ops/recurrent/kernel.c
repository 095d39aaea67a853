/* RNN, GRU, LSTM: opset 1, (GRU 3), 7, 14 (layout), 22 (bfloat16); forward, reverse and bidirectional; sequence_lens, initial
 * states, peepholes, clip, linear_before_reset, input_forget, every activation of the specification. float16 and bfloat16 are
 * computed as float.
 *
 * RNN   H' = f(x W + H R + b)
 * GRU   z, r = f(x W + H R + b); h = g(x Wh + (r * H) Rh + b), with linear_before_reset g(x Wh + r * (H Rh + bR) + bW);
 *       H' = (1 - z) * h + z * H
 * LSTM  i, f = f(x W + H R + p * C + b); c = g(...); C' = f * C + i * c; o = f(... + p * C'); H' = o * h(C')
 * DynamicQuantizeLSTM (com.microsoft): quantized.h. X has one scale for all steps, and H a new one before each product. The
 * products with W are one matrix product over all steps. After the end of a sequence the state stays and Y is 0. */
#include <math.h>

#include "core/base/integers.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/gemm/gemm.h"
#include "kernels/loop.h"
#include "kernels/recurrent/recurrent.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/recurrent/params.h"
#include "ops/recurrent/quantized.h"

typedef struct activation {
    obk_loop loop;
    obk_unary_params params;
} activation;

typedef struct recurrent {
    ob_recurrent_params params;
    int64_t steps, batch, inputs, hidden, gates; /* gates of all: 1, 3 or 4 times hidden */
    int64_t width;                               /* bytes of an element while computing */
    const obk_gemm *gemm;
    activation activations[6];    /* three for each direction */
    obk_loop clip, add, multiply; /* these and the following: NULL, if the cell does not need it */
    obk_add_product add_product;
    obk_complement complement;
    obk_carry carry;
    obk_blend blend;
    obk_add_reset add_reset;
    ob_byte_products bytes; /* of quantized weights */
} recurrent;

static const ob_member params_members[] = {
    OB_VALUE(ob_recurrent_params, cell),         OB_VALUE(ob_recurrent_params, gates),
    OB_VALUE(ob_recurrent_params, directions),   OB_VALUE(ob_recurrent_params, reverse),
    OB_VALUE(ob_recurrent_params, batch_first),  OB_VALUE(ob_recurrent_params, linear_before_reset),
    OB_VALUE(ob_recurrent_params, input_forget), OB_VALUE(ob_recurrent_params, hidden),
    OB_VALUE(ob_recurrent_params, quantized),    OB_VALUE(ob_recurrent_params, clip)};
static const ob_struct params_struct = OB_STRUCT(ob_recurrent_params, params_members);

static const ob_member activation_members[] = {OB_FUNCTION(activation, loop),
                                               OB_NESTED(activation, params, &obk_unary_params_struct)};
static const ob_struct activation_struct = OB_STRUCT(activation, activation_members);

static const ob_member recurrent_members[] = {OB_NESTED(recurrent, params, &params_struct),
                                              OB_VALUE(recurrent, steps),
                                              OB_VALUE(recurrent, batch),
                                              OB_VALUE(recurrent, inputs),
                                              OB_VALUE(recurrent, hidden),
                                              OB_VALUE(recurrent, gates),
                                              OB_VALUE(recurrent, width),
                                              OB_POINTER(recurrent, gemm, &obk_gemm_struct, NULL),
                                              OB_NESTED_ARRAY(recurrent, activations, &activation_struct),
                                              OB_FUNCTION(recurrent, clip),
                                              OB_FUNCTION(recurrent, add),
                                              OB_FUNCTION(recurrent, multiply),
                                              OB_FUNCTION(recurrent, add_product),
                                              OB_FUNCTION(recurrent, complement),
                                              OB_FUNCTION(recurrent, carry),
                                              OB_FUNCTION(recurrent, blend),
                                              OB_FUNCTION(recurrent, add_reset),
                                              OB_NESTED(recurrent, bytes, &ob__byte_products_struct)};
static const ob_struct recurrent_struct = OB_STRUCT(recurrent, recurrent_members);

/* Operands and buffers for one direction. */
typedef struct direction {
    const recurrent *r;
    const activation *f;
    int index;
    bool backward;
    const char *x, *w, *recurrence, *bias, *peephole, *first_h, *first_c;
    const int32_t *lengths;
    char *y, *last_h, *last_c;
    char *projected, *gate, *reset, *h, *c;
    const ob_byte_run *bytes; /* NULL: the weights are not quantized */
    bool *active;             /* for each sequence: it has not ended yet */
    void *panel;              /* work memory of products */
    const ob_threads *threads;
} direction;

/* ---- planning ---- */

static ob_status check_dims(const ob_view *view, int32_t rank, const int64_t *dims, const char *what, ob_error *error) {
    bool fits = view->rank == rank;
    for (int32_t a = 0; fits && a < rank; a++) fits = view->dims[a] == dims[a];
    OB_FAIL_IF(!fits, error, OB_E_SHAPE, "%s has another shape than the other operands require", what);
    return OB_OK;
}

static ob_status check_operands(const ob_kernel_args *args, const recurrent *r, ob_error *error) {
    int64_t d = r->params.directions;
    int64_t state[3] = {d, r->batch, r->hidden}, y[4] = {r->steps, d, r->batch, r->hidden};
    if (r->params.batch_first) {
        state[0] = y[0] = r->batch;
        state[1] = d;
        y[1] = r->steps;
        y[2] = d;
    }
    const bool q = r->params.quantized;
    OB_TRY(check_dims(&args->in[1], 3, (int64_t[]){d, q ? r->inputs : r->gates, q ? r->gates : r->inputs}, "W", error));
    OB_TRY(check_dims(&args->in[2], 3, (int64_t[]){d, q ? r->hidden : r->gates, q ? r->gates : r->hidden}, "R", error));
    if (ob__given(args, 3)) OB_TRY(check_dims(&args->in[3], 2, (int64_t[]){d, 2 * r->gates}, "B", error));
    if (ob__given(args, 4)) OB_TRY(check_dims(&args->in[4], 1, &r->batch, "sequence_lens", error));
    for (uint32_t i = 5; i < 7; i++)
        if (ob__given(args, i)) OB_TRY(check_dims(&args->in[i], 3, state, "an initial state", error));
    if (ob__given(args, 7)) OB_TRY(check_dims(&args->in[7], 2, (int64_t[]){d, 3 * r->hidden}, "P", error));
    if (ob__wanted(args, 0)) OB_TRY(check_dims(&args->out[0], 4, y, "Y", error));
    for (uint32_t i = 1; i < 3; i++)
        if (ob__wanted(args, i)) OB_TRY(check_dims(&args->out[i], 3, state, "a last state", error));
    return OB_OK;
}

/* The specification of RNN has "x if x >= alpha", the operator ThresholdedRelu "x > alpha". */
static double just_below(double alpha, ob_dtype computing) {
    return computing == OB_DOUBLE ? nextafter(alpha, -INFINITY) : (double)nextafterf((float)alpha, -INFINITY);
}

static void choose_cell_loops(const ob_kernel_args *args, recurrent *r, ob_dtype computing) {
    const bool is_double = computing == OB_DOUBLE, gru = r->params.cell == OB_RECURRENT_GRU,
               lstm = r->params.cell == OB_RECURRENT_LSTM;
    const bool reset_last = gru && r->params.linear_before_reset;
    const obk_recurrent *loops = OBK_FAMILY(recurrent, ->add_product[is_double]);
    if (r->params.clip > 0) r->clip = OBK_LOOP(unary, [OBK_U_CLIP][computing]);
    if (ob__given(args, 3)) r->add = OBK_LOOP(binary, [OBK_ADD][computing]);
    if (lstm || (gru && !reset_last)) r->multiply = OBK_LOOP(binary, [OBK_MUL][computing]);
    if (lstm && ob__given(args, 7)) r->add_product = loops->add_product[is_double];
    if (lstm && r->params.input_forget) r->complement = loops->complement[is_double];
    if (lstm) r->carry = loops->carry[is_double];
    if (gru) r->blend = loops->blend[is_double];
    if (reset_last) r->add_reset = loops->add_reset[is_double];
}

static ob_status choose_loops(const ob_kernel_site *site, const ob_kernel_args *args, recurrent *r, ob_error *error) {
    const ob_dtype computing = ob__computing_type(args);
    ob_activation activations[2][3] = {{{0}}};
    OB_TRY(ob__recurrent_activations(site->node, &r->params, activations, error));
    for (int d = 0; d < r->params.directions; d++)
        for (int i = 0; i <= (int)r->params.cell; i++) {
            obk_unary_params params = activations[d][i].params;
            if (activations[d][i].function == OBK_U_THRESHOLDED_RELU) params.alpha = just_below(params.alpha, computing);
            r->activations[3 * d + i] = (activation){OBK_LOOP(unary, [activations[d][i].function][computing]), params};
        }
    choose_cell_loops(args, r, computing);
    r->gemm = OBK_ELEMENT(gemm, [computing == OB_DOUBLE ? OBK_GEMM_DOUBLE : OBK_GEMM_FLOAT], .product);
    r->width = (int64_t)ob_dtype_size(computing);
    return OB_OK;
}

/* For the products with W and R. */
static size_t panel_bytes(const recurrent *r) {
    return obk_panel_bytes(r->gemm, r->inputs > r->hidden ? r->inputs : r->hidden);
}

static ob_status plan_quantized(const ob_kernel_site *site, const ob_kernel_args *args, recurrent *r, ob_kernel_needs *needs,
                                ob_error *error) {
    const int64_t dims[2] = {r->params.directions, r->gates};
    for (uint32_t i = 8; i < 12; i++)
        OB_TRY(check_dims(&args->in[i], args->in[i].rank == 2 ? 2 : 1, dims, "a scale or zero point", error));
    r->bytes.weights[0] = (ob_byte_weights){.input = 1, .scale = 8, .k = r->inputs, .n = r->gates};
    r->bytes.weights[1] = (ob_byte_weights){.input = 2, .scale = 10, .k = r->hidden, .n = r->gates};
    return ob__plan_byte_products(site, args, &r->bytes, needs, error);
}

static ob_status recurrent_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    recurrent *r = args->state;
    const ob_view *x = &args->in[0], *w = &args->in[1];
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_FAIL_IF(args->n_in < 3 || x->rank != 3 || w->rank != 3, error, OB_E_SHAPE, "X and W are of rank 3");
    r->params = ob__recurrent_params(site->node, site->op);
    r->steps = x->dims[r->params.batch_first];
    r->batch = x->dims[!r->params.batch_first];
    r->inputs = x->dims[2];
    r->hidden = w->dims[r->params.quantized ? 2 : 1] / r->params.gates;
    r->gates = r->params.gates * r->hidden;
    OB_TRY(check_operands(args, r, error));
    OB_TRY(choose_loops(site, args, r, error));
    if (!r->params.quantized) OB_TRY(ob__plan_real(args, needs, error));
    int64_t rows, n_projected;
    bool large = ob__mul_overflows(r->steps, r->batch, &rows) || ob__mul_overflows(rows, r->gates, &n_projected);
    OB_FAIL_IF(large, error, OB_E_LIMIT, "too large");
    OB_TRY(ob__need_scratch(needs, 1, panel_bytes(r), error));
    OB_TRY(ob__need_scratch(needs, n_projected, (size_t)r->width, error));
    OB_TRY(ob__need_scratch(needs, r->batch * r->gates, (size_t)r->width, error));
    for (int i = 0; i < 3; i++) OB_TRY(ob__need_scratch(needs, r->batch * r->hidden, (size_t)r->width, error));
    OB_TRY(ob__need_scratch(needs, r->batch, sizeof(bool), error));
    return r->params.quantized ? plan_quantized(site, args, r, needs, error) : OB_OK;
}

/* ---- the loops ---- */

/* Applies f to n elements in each of `rows` rows, `stride` elements apart. As specified, clip is applied to the input of
 * activations. */
static void activate(const recurrent *r, const activation *f, char *z, int64_t n, int64_t rows, int64_t stride) {
    const int64_t step = r->width, row[2] = {stride * r->width, stride * r->width};
    char *const in_place[2] = {z, z};
    if (r->params.clip > 0) {
        const obk_unary_params limits = {.alpha = -r->params.clip, .beta = r->params.clip};
        r->clip(in_place, &step, n, row, rows, &limits);
    }
    f->loop(in_place, &step, n, row, rows, &f->params);
}

/* z = a + b, z = a * b. */
static void combine(const recurrent *r, obk_loop loop, char *z, const char *a, const char *b, int64_t n) {
    const int64_t steps[2] = {r->width, r->width}, row[3] = {0};
    char *const pointers[3] = {(char *)(uintptr_t)a, (char *)(uintptr_t)b, z};
    loop(pointers, steps, n, row, 1, NULL);
}

/* y = a b', or y += a b' if `adds`, with rows of k elements in a and b. */
static void product(const direction *d, int64_t m, int64_t n, int64_t k, const char *a, const char *b, bool adds, char *y,
                    int64_t y_row) {
    const int64_t row = k > 0 ? k : 1;
    obk_gemm_call call = {.m = m,
                          .n = n,
                          .k = k,
                          .a = a,
                          .a_row = row,
                          .a_k = 1,
                          .b = b,
                          .b_k = 1,
                          .b_column = row,
                          .y = y,
                          .y_row = y_row,
                          .adds = adds,
                          .alpha = 1,
                          .panel = d->panel};
    if (m == 1)
        d->r->gemm->row(y, 1, a, b, row, n, k, 1, 1, adds ? y : NULL, 1);
    else
        d->r->gemm->product(&call);
}

/* Products of h with R' for gates first .. first + n, for the whole batch. */
static void recur(const direction *d, const char *h, int64_t first, int64_t n, char *to, int64_t ld, bool adds) {
    const recurrent *r = d->r;
    if (d->bytes) { /* for an LSTM: all gates, added */
        obk_pace pace = ob__pace(d->threads);
        ob__add_byte_product(d->bytes, 1, (const float *)(const void *)h, r->batch, (float *)(void *)to, &pace);
    } else
        product(d, r->batch, n, r->hidden, h, d->recurrence + first * r->hidden * r->width, adds, to, ld);
}

/* x W for all rows, some at a time. A sum has the same bits for any division of the rows. */
static void multiply_rows(const direction *d, int64_t rows) {
    enum { MULTIPLICATIONS = 1 << 26, LEAST = 64 };
    const recurrent *r = d->r;
    int64_t most = MULTIPLICATIONS / (r->gates * r->inputs + 1), some;
    if (most < LEAST) most = LEAST;
    for (int64_t i = 0; i < rows && !ob__stopped(d->threads); i += some) {
        some = rows - i < 2 * most ? rows - i : most;
        product(d, some, r->gates, r->inputs, d->x + i * r->inputs * r->width, d->w, d->bias != NULL,
                d->projected + i * r->gates * r->width, r->gates);
    }
}

/* x W for all steps, plus the biases that can be added at once. */
static void project(const direction *d) {
    const recurrent *r = d->r;
    const int64_t rows = r->steps * r->batch, row_bytes = r->gates * r->width;
    obk_pace pace = ob__pace(d->threads);
    if (d->bias && rows > 0) {
        /* The bias of R for the gate h of a GRU is added before the reset. */
        const bool apart = r->params.cell == OB_RECURRENT_GRU && r->params.linear_before_reset;
        memcpy(d->projected, d->bias, (size_t)row_bytes);
        combine(r, r->add, d->projected, d->projected, d->bias + row_bytes, apart ? 2 * r->hidden : r->gates);
        for (int64_t i = 1; i < rows && !obk_stops(&pace, r->gates); i++)
            memcpy(d->projected + i * row_bytes, d->projected, (size_t)row_bytes);
    }
    if (!d->bytes) {
        multiply_rows(d, rows);
        return;
    }
    if (!d->bias) ob__fill(d->projected, rows * r->gates, (size_t)r->width, NULL, &pace);
    ob__add_byte_product(d->bytes, 0, (const float *)(const void *)d->x, rows, (float *)(void *)d->projected, &pace);
}

static void step_rnn(const direction *d) {
    const recurrent *r = d->r;
    const int64_t n = r->hidden, row_bytes = n * r->width;
    recur(d, d->h, 0, n, d->gate, n, true);
    activate(r, &d->f[0], d->gate, n, r->batch, n);
    for (int64_t b = 0; b < r->batch; b++)
        if (d->active[b]) memcpy(d->h + b * row_bytes, d->gate + b * row_bytes, (size_t)row_bytes);
}

static void step_gru(const direction *d) {
    const recurrent *r = d->r;
    const int64_t n = r->hidden, row_bytes = n * r->width, gate_bytes = 3 * row_bytes;
    char *update = d->gate, *reset = d->gate + row_bytes, *fresh = d->gate + 2 * row_bytes;
    recur(d, d->h, 0, 2 * n, d->gate, 3 * n, true);
    activate(r, &d->f[0], d->gate, 2 * n, r->batch, 3 * n);
    if (r->params.linear_before_reset) {
        const char *bias = d->bias ? d->bias + gate_bytes + 2 * row_bytes : NULL;
        recur(d, d->h, 2 * n, n, d->reset, n, false);
        for (int64_t b = 0; b < r->batch; b++)
            r->add_reset(fresh + b * gate_bytes, reset + b * gate_bytes, d->reset + b * row_bytes, bias, n);
    } else {
        for (int64_t b = 0; b < r->batch; b++)
            combine(r, r->multiply, d->reset + b * row_bytes, reset + b * gate_bytes, d->h + b * row_bytes, n);
        recur(d, d->reset, 2 * n, n, fresh, 3 * n, true);
    }
    activate(r, &d->f[1], fresh, n, r->batch, 3 * n);
    for (int64_t b = 0; b < r->batch; b++)
        if (d->active[b]) r->blend(d->h + b * row_bytes, update + b * gate_bytes, fresh + b * gate_bytes, n);
}

/* Order of gates: input, output, forget, cell; of peepholes: input, output, forget. */
static void step_lstm(const direction *d) {
    const recurrent *r = d->r;
    const int64_t n = r->hidden, row_bytes = n * r->width, gate_bytes = 4 * row_bytes;
    const char *p = d->peephole;
    recur(d, d->h, 0, 4 * n, d->gate, 4 * n, true);
    for (int64_t b = 0; p && b < r->batch; b++) {
        char *gate = d->gate + b * gate_bytes, *c = d->c + b * row_bytes;
        r->add_product(gate, p, c, n);
        r->add_product(gate + 2 * row_bytes, p + 2 * row_bytes, c, n);
    }
    activate(r, &d->f[0], d->gate, p ? n : 3 * n, r->batch, 4 * n);
    if (p) activate(r, &d->f[0], d->gate + 2 * row_bytes, n, r->batch, 4 * n);
    activate(r, &d->f[1], d->gate + 3 * row_bytes, n, r->batch, 4 * n);
    for (int64_t b = 0; b < r->batch; b++) {
        if (!d->active[b]) continue;
        char *input = d->gate + b * gate_bytes, *output = input + row_bytes, *forget = input + 2 * row_bytes;
        char *c = d->c + b * row_bytes, *h = d->h + b * row_bytes;
        if (r->params.input_forget) r->complement(forget, input, n);
        r->carry(c, forget, input, input + 3 * row_bytes, n);
        if (p) {
            r->add_product(output, p + row_bytes, c, n);
            activate(r, &d->f[0], output, n, 1, 0);
        }
        memcpy(h, c, (size_t)row_bytes);
        activate(r, &d->f[2], h, n, 1, 0);
        combine(r, r->multiply, h, h, output, n);
    }
}

/* ---- running ---- */

/* The row of a step or state in X, Y and Y_h. */
static int64_t step_row(const recurrent *r, int64_t t, int64_t b) {
    return r->params.batch_first ? b * r->steps + t : t * r->batch + b;
}
static int64_t output_row(const direction *d, int64_t t, int64_t b) {
    const recurrent *r = d->r;
    const int64_t directions = r->params.directions;
    return r->params.batch_first ? (b * r->steps + t) * directions + d->index : (t * directions + d->index) * r->batch + b;
}
static int64_t state_row(const direction *d, int64_t b) {
    return d->r->params.batch_first ? b * d->r->params.directions + d->index : d->index * d->r->batch + b;
}

static void load_state(const direction *d, const char *from, char *to) {
    const size_t row_bytes = (size_t)(d->r->hidden * d->r->width);
    for (int64_t b = 0; b < d->r->batch; b++) {
        if (from)
            memcpy(to + (size_t)b * row_bytes, from + (size_t)state_row(d, b) * row_bytes, row_bytes);
        else
            memset(to + (size_t)b * row_bytes, 0, row_bytes);
    }
}

static void store_state(const direction *d, const char *from, char *to) {
    const size_t row_bytes = (size_t)(d->r->hidden * d->r->width);
    for (int64_t b = 0; to && b < d->r->batch; b++)
        memcpy(to + (size_t)state_row(d, b) * row_bytes, from + (size_t)b * row_bytes, row_bytes);
}

static void run_direction(const direction *d) {
    const recurrent *r = d->r;
    const size_t row_bytes = (size_t)(r->hidden * r->width), gate_bytes = (size_t)(r->gates * r->width);
    project(d);
    load_state(d, d->first_h, d->h);
    load_state(d, d->first_c, d->c);
    for (int64_t step = 0; step < r->steps && !ob__stopped(d->threads); step++) {
        for (int64_t b = 0; b < r->batch; b++) {
            int64_t length = d->lengths ? d->lengths[b] : r->steps, t = d->backward ? length - 1 - step : step;
            d->active[b] = step < length;
            if (!d->active[b]) t = step;
            memcpy(d->gate + (size_t)b * gate_bytes, d->projected + (size_t)step_row(r, t, b) * gate_bytes, gate_bytes);
        }
        if (r->params.cell == OB_RECURRENT_RNN)
            step_rnn(d);
        else if (r->params.cell == OB_RECURRENT_GRU)
            step_gru(d);
        else
            step_lstm(d);
        for (int64_t b = 0; d->y && b < r->batch; b++) {
            int64_t length = d->lengths ? d->lengths[b] : r->steps, t = d->active[b] && d->backward ? length - 1 - step : step;
            char *to = d->y + (size_t)output_row(d, t, b) * row_bytes;
            if (d->active[b])
                memcpy(to, d->h + (size_t)b * row_bytes, row_bytes);
            else
                memset(to, 0, row_bytes);
        }
    }
    store_state(d, d->h, d->last_h);
    store_state(d, d->c, d->last_c);
}

static const void *part(const ob_kernel_args *args, uint32_t i, int64_t elems) {
    return ob__given(args, i) ? (const char *)args->in[i].data + elems * (int64_t)ob_dtype_size(args->in[i].dtype) : NULL;
}

static ob_status recurrent_compute(const ob_kernel_args *args, ob_error *error) {
    const recurrent *r = args->state;
    const size_t width = (size_t)r->width;
    char *next = args->scratch;
    direction d = {.r = r, .x = args->in[0].data, .lengths = part(args, 4, 0), .threads = args->threads};
    if (r->batch == 0 || r->hidden == 0) return OB_OK; /* no elements, so any number of steps is done */
    for (int64_t b = 0; d.lengths && b < r->batch; b++)
        OB_FAIL_IF(d.lengths[b] < 0 || d.lengths[b] > r->steps, error, OB_E_ARGUMENT, "sequence_lens[%lld] is %d of %lld steps",
                   (long long)b, (int)d.lengths[b], (long long)r->steps);
    d.panel = ob__take(&next, 1, panel_bytes(r));
    d.projected = ob__take(&next, r->steps * r->batch * r->gates, width);
    d.gate = ob__take(&next, r->batch * r->gates, width);
    d.reset = ob__take(&next, r->batch * r->hidden, width);
    d.h = ob__take(&next, r->batch * r->hidden, width);
    d.c = ob__take(&next, r->batch * r->hidden, width);
    d.active = ob__take(&next, r->batch, sizeof(bool));
    ob_byte_run bytes;
    if (r->params.quantized) {
        ob__take_byte_products(&r->bytes, &next, &bytes);
        d.bytes = &bytes;
    }
    d.y = ob__wanted(args, 0) ? args->out[0].data : NULL;
    d.last_h = ob__wanted(args, 1) ? args->out[1].data : NULL;
    d.last_c = ob__wanted(args, 2) ? args->out[2].data : NULL;
    d.first_h = part(args, 5, 0);
    d.first_c = part(args, 6, 0);
    for (d.index = 0; d.index < r->params.directions; d.index++) {
        d.backward = r->params.reverse || d.index == 1;
        d.f = r->activations + 3 * d.index;
        if (r->params.quantized) {
            ob__use_direction(args, &bytes, d.index);
        } else {
            d.w = part(args, 1, d.index * r->gates * r->inputs);
            d.recurrence = part(args, 2, d.index * r->gates * r->hidden);
        }
        d.bias = part(args, 3, d.index * 2 * r->gates);
        d.peephole = part(args, 7, d.index * 3 * r->hidden);
        run_direction(&d);
    }
    return OB_OK;
}

OB_RUN(ob__run_recurrent) {
    return ob__run_real(args, recurrent_compute, error);
}

OB_RUN(ob__run_quantized_lstm) {
    return recurrent_compute(args, error);
}

const ob_kernel ob__kernel_recurrent = {.name = "recurrent",
                                        .state_bytes = sizeof(recurrent),
                                        .state = &recurrent_struct,
                                        .plan = recurrent_plan,
                                        OB_RUNS(ob__run_recurrent)};
const ob_kernel ob__kernel_quantized_lstm = {.name = "quantized_lstm",
                                             .state_bytes = sizeof(recurrent),
                                             .state = &recurrent_struct,
                                             .plan = recurrent_plan,
                                             OB_RUNS(ob__run_quantized_lstm)};
