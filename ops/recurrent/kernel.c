/* RNN, GRU, LSTM: opset 1, (GRU 3), 7, 14 (layout), 22 (bfloat16); forward, reverse and bidirectional; sequence_lens, initial
 * states, peepholes, clip, linear_before_reset, input_forget, every activation of the specification. float16 and bfloat16 by way
 * of float.
 *
 * RNN   H' = f(x W + H R + b)
 * GRU   z, r = f(x W + H R + b); h = g(x Wh + (r * H) Rh + b), with linear_before_reset g(x Wh + r * (H Rh + bR) + bW);
 *       H' = (1 - z) * h + z * H
 * LSTM  i, f = f(x W + H R + p * C + b); c = g(...); C' = f * C + i * c; o = f(... + p * C'); H' = o * h(C')
 * The products with W are one matrix product over all steps. After the end of a sequence the state stays and Y is 0. */
#include "ops/kernel/common.h"
#include "ops/product/blas.h"

typedef enum cell { RNN, GRU, LSTM } cell;
typedef enum function {
    RELU,
    TANH,
    SIGMOID,
    SOFTSIGN,
    SOFTPLUS,
    AFFINE,
    LEAKY_RELU,
    THRESHOLDED_RELU,
    SCALED_TANH,
    HARD_SIGMOID,
    ELU,
    N_FUNCTIONS
} function;

static const struct {
    const char *name;
    int n_parameters;
    float alpha, beta;
} functions[N_FUNCTIONS] = {
    [RELU] = {"relu", 0, 0, 0},
    [TANH] = {"tanh", 0, 0, 0},
    [SIGMOID] = {"sigmoid", 0, 0, 0},
    [SOFTSIGN] = {"softsign", 0, 0, 0},
    [SOFTPLUS] = {"softplus", 0, 0, 0},
    [AFFINE] = {"affine", 2, 1, 0},
    [LEAKY_RELU] = {"leakyrelu", 1, 0.01f, 0},
    [THRESHOLDED_RELU] = {"thresholdedrelu", 1, 1, 0},
    [SCALED_TANH] = {"scaledtanh", 2, 1, 1},
    [HARD_SIGMOID] = {"hardsigmoid", 2, 0.2f, 0.5f},
    [ELU] = {"elu", 1, 1, 0},
};

typedef struct activation {
    function function;
    float alpha, beta;
} activation;

typedef struct recurrent {
    cell cell;
    int gates;
    int64_t steps, batch, inputs, hidden;
    int directions;
    bool reverse, batch_first, linear_before_reset, input_forget;
    float clip; /* 0: none */
    activation activations[2][3];
} recurrent;

/* Operands and buffers of one direction. */
typedef struct direction {
    const recurrent *r;
    const activation *f;
    int index;
    bool backward;
    const void *x, *w, *recurrence, *bias, *peephole, *first_h, *first_c;
    const int32_t *lengths;
    void *y, *last_h, *last_c;
    void *projected, *gate, *reset, *h, *c;
    bool *active; /* per sequence: not at its end yet */
    const ob_threads *threads;
} direction;

#define REAL       float
#define NAME(name) name##_float
#define GEMM       ob__gemm_float
#define EXP        expf
#define TANHF      tanhf
#define LOG1P      log1pf
#include "ops/recurrent/kernel.inc.h"
#define REAL       double
#define NAME(name) name##_double
#define GEMM       ob__gemm_double
#define EXP        exp
#define TANHF      tanh
#define LOG1P      log1p
#include "ops/recurrent/kernel.inc.h"

static bool same_name(ob_string text, const char *name) {
    size_t n = strlen(name);
    if (text.n != n) return false;
    for (size_t i = 0; i < n; i++) {
        char c = text.data[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != name[i]) return false;
    }
    return true;
}

/* Parameters are taken from the lists in order, by those functions that have them. */
static ob_status read_activations(const ob_node *node, recurrent *r, ob_error *error) {
    static const function usual[3][3] = {{TANH}, {SIGMOID, TANH}, {SIGMOID, TANH, TANH}};
    const ob_attribute *names = ob__node_attribute(node, "activations");
    const ob_attribute *alphas = ob__node_attribute(node, "activation_alpha"),
                       *betas = ob__node_attribute(node, "activation_beta");
    uint32_t per_direction = (uint32_t)r->cell + 1, n_alpha = 0, n_beta = 0;
    bool bad = (names && (names->type != OB_ATTR_STRINGS || names->n != per_direction * (uint32_t)r->directions)) ||
               (alphas && alphas->type != OB_ATTR_FLOATS) || (betas && betas->type != OB_ATTR_FLOATS);
    OB_FAIL_IF(bad, error, OB_E_ARGUMENT, "%s: activations do not fit the directions", node->op_type);
    for (uint32_t k = 0; k < per_direction * (uint32_t)r->directions; k++) {
        activation *a = &r->activations[k / per_direction][k % per_direction];
        a->function = usual[r->cell][k % per_direction];
        for (a->function = names ? RELU : a->function; names && a->function < N_FUNCTIONS; a->function++)
            if (same_name(names->u.strings[k], functions[a->function].name)) break;
        OB_FAIL_IF(a->function == N_FUNCTIONS, error, OB_E_ARGUMENT, "%s: unknown activation %u", node->op_type, k);
        a->alpha = functions[a->function].alpha;
        a->beta = functions[a->function].beta;
        if (functions[a->function].n_parameters > 0 && alphas && n_alpha < alphas->n) a->alpha = alphas->u.floats[n_alpha++];
        if (functions[a->function].n_parameters > 1 && betas && n_beta < betas->n) a->beta = betas->u.floats[n_beta++];
    }
    return OB_OK;
}

static ob_status check_dims(const ob_kernel_args *args, const ob_view *view, int32_t rank, const int64_t *dims, const char *what,
                            ob_error *error) {
    bool fits = view->rank == rank;
    for (int32_t a = 0; fits && a < rank; a++) fits = view->dims[a] == dims[a];
    OB_FAIL_IF(!fits, error, OB_E_SHAPE, "%s: %s has another shape than the other operands ask for", args->node->op_type, what);
    return OB_OK;
}

static ob_status check_operands(const ob_kernel_args *args, const recurrent *r, ob_error *error) {
    int64_t d = r->directions, gates = r->gates * r->hidden;
    int64_t state[3] = {d, r->batch, r->hidden}, y[4] = {r->steps, d, r->batch, r->hidden};
    if (r->batch_first) {
        state[0] = y[0] = r->batch;
        state[1] = d;
        y[1] = r->steps;
        y[2] = d;
    }
    OB_TRY(check_dims(args, &args->in[1], 3, (int64_t[]){d, gates, r->inputs}, "W", error));
    OB_TRY(check_dims(args, &args->in[2], 3, (int64_t[]){d, gates, r->hidden}, "R", error));
    if (ob__given(args, 3)) OB_TRY(check_dims(args, &args->in[3], 2, (int64_t[]){d, 2 * gates}, "B", error));
    if (ob__given(args, 4)) OB_TRY(check_dims(args, &args->in[4], 1, &r->batch, "sequence_lens", error));
    for (uint32_t i = 5; i < 7; i++)
        if (ob__given(args, i)) OB_TRY(check_dims(args, &args->in[i], 3, state, "an initial state", error));
    if (ob__given(args, 7)) OB_TRY(check_dims(args, &args->in[7], 2, (int64_t[]){d, 3 * r->hidden}, "P", error));
    if (ob__wanted(args, 0)) OB_TRY(check_dims(args, &args->out[0], 4, y, "Y", error));
    for (uint32_t i = 1; i < 3; i++)
        if (ob__wanted(args, i)) OB_TRY(check_dims(args, &args->out[i], 3, state, "a last state", error));
    return OB_OK;
}

static ob_status set_up(const ob_kernel_args *args, recurrent *r, ob_error *error) {
    const ob_node *node = args->node;
    const ob_view *x = &args->in[0], *w = &args->in[1];
    memset(r, 0, sizeof *r);
    OB_FAIL_IF(args->n_in < 3 || x->rank != 3 || w->rank != 3, error, OB_E_SHAPE, "%s: X and W are of rank 3", node->op_type);
    r->cell = strcmp(node->op_type, "RNN") == 0 ? RNN : strcmp(node->op_type, "GRU") == 0 ? GRU : LSTM;
    r->gates = r->cell == RNN ? 1 : r->cell == GRU ? 3 : 4;
    r->batch_first = ob__node_int(node, "layout", 0) != 0;
    r->steps = x->dims[r->batch_first];
    r->batch = x->dims[!r->batch_first];
    r->inputs = x->dims[2];
    r->hidden = w->dims[1] / r->gates;
    const char *way = ob__node_string(node, "direction", "forward");
    r->directions = strcmp(way, "bidirectional") == 0 ? 2 : 1;
    r->reverse = strcmp(way, "reverse") == 0;
    r->linear_before_reset = ob__node_int(node, "linear_before_reset", 0) != 0;
    r->input_forget = ob__node_int(node, "input_forget", 0) != 0;
    r->clip = ob__node_float(node, "clip", 0);
    OB_TRY(check_operands(args, r, error));
    return read_activations(node, r, error);
}

static ob_status recurrent_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    recurrent *r = args->state;
    OB_TRY(ob__check_type_v1(args, 0, error));
    OB_TRY(set_up(args, r, error));
    OB_TRY(ob__plan_real(args, needs, error));
    int64_t gates = r->gates * r->hidden, rows;
    bool fits =
        ob__blas_fits(gates) && ob__blas_fits(r->inputs) && !ob__mul_overflows(r->steps, r->batch, &rows) && ob__blas_fits(rows);
    OB_FAIL_IF(!fits, error, OB_E_LIMIT, "%s: too large", site->node->op_type);
    size_t width = ob_dtype_size(ob__computing_type(args));
    OB_TRY(ob__need_scratch(needs, rows * gates, width, error));
    OB_TRY(ob__need_scratch(needs, r->batch * gates, width, error));
    for (int i = 0; i < 3; i++) OB_TRY(ob__need_scratch(needs, r->batch * r->hidden, width, error));
    return ob__need_scratch(needs, r->batch, sizeof(bool), error);
}

static const void *part(const ob_kernel_args *args, uint32_t i, int64_t elems) {
    return ob__given(args, i) ? (const char *)args->in[i].data + elems * (int64_t)ob_dtype_size(args->in[i].dtype) : NULL;
}

static ob_status recurrent_compute(const ob_kernel_args *args, ob_error *error) {
    const recurrent *r = args->state;
    size_t width = ob_dtype_size(args->in[0].dtype);
    int64_t gates = r->gates * r->hidden;
    char *next = args->scratch;
    direction d = {.r = r, .x = args->in[0].data, .lengths = part(args, 4, 0), .threads = args->threads};
    if (r->batch == 0 || r->hidden == 0) return OB_OK; /* any number of steps over nothing */
    for (int64_t b = 0; d.lengths && b < r->batch; b++)
        OB_FAIL_IF(d.lengths[b] < 0 || d.lengths[b] > r->steps, error, OB_E_ARGUMENT,
                   "%s: sequence_lens[%lld] is %d of %lld steps", args->node->op_type, (long long)b, (int)d.lengths[b],
                   (long long)r->steps);
    d.projected = ob__take(&next, r->steps * r->batch * gates, width);
    d.gate = ob__take(&next, r->batch * gates, width);
    d.reset = ob__take(&next, r->batch * r->hidden, width);
    d.h = ob__take(&next, r->batch * r->hidden, width);
    d.c = ob__take(&next, r->batch * r->hidden, width);
    d.active = ob__take(&next, r->batch, sizeof(bool));
    d.y = ob__wanted(args, 0) ? args->out[0].data : NULL;
    d.last_h = ob__wanted(args, 1) ? args->out[1].data : NULL;
    d.last_c = ob__wanted(args, 2) ? args->out[2].data : NULL;
    d.first_h = part(args, 5, 0);
    d.first_c = part(args, 6, 0);
    for (d.index = 0; d.index < r->directions; d.index++) {
        d.backward = r->reverse || d.index == 1;
        d.f = r->activations[d.index];
        d.w = part(args, 1, d.index * gates * r->inputs);
        d.recurrence = part(args, 2, d.index * gates * r->hidden);
        d.bias = part(args, 3, d.index * 2 * gates);
        d.peephole = part(args, 7, d.index * 3 * r->hidden);
        if (args->in[0].dtype == OB_DOUBLE)
            run_direction_double(&d);
        else
            run_direction_float(&d);
    }
    return OB_OK;
}

static ob_status recurrent_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, recurrent_compute, error);
}

const ob_kernel ob__kernel_recurrent = {
    .name = "recurrent", .state_bytes = sizeof(recurrent), .plan = recurrent_plan, .run = recurrent_run};
