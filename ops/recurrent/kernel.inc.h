/* Template of kernel.c, included once per REAL. */

static REAL NAME(activate)(const activation *a, REAL x) {
    REAL alpha = (REAL)a->alpha, beta = (REAL)a->beta;
    switch (a->function) {
    case RELU: return x > 0 ? x : 0;
    case TANH: return TANHF(x);
    case SIGMOID: return 1 / (1 + EXP(-x));
    case SOFTSIGN: return x / (1 + (x < 0 ? -x : x));
    case SOFTPLUS: return x > 0 ? x + LOG1P(EXP(-x)) : LOG1P(EXP(x));
    case AFFINE: return alpha * x + beta;
    case LEAKY_RELU: return x < 0 ? alpha * x : x;
    case THRESHOLDED_RELU: return x > alpha ? x : 0;
    case SCALED_TANH: return alpha * TANHF(beta * x);
    case HARD_SIGMOID: x = alpha * x + beta; return x < 0 ? 0 : x > 1 ? 1 : x;
    default: return x < 0 ? alpha * (EXP(x) - 1) : x;
    }
}

static REAL NAME(clipped)(const direction *d, int which, REAL x) {
    REAL clip = (REAL)d->r->clip;
    if (clip > 0) x = x < -clip ? -clip : x > clip ? clip : x;
    return NAME(activate)(&d->f[which], x);
}

/* Where the rows of a step and of a state lie in X, Y, Y_h. */
static int64_t NAME(step_row)(const recurrent *r, int64_t t, int64_t b) {
    return r->batch_first ? b * r->steps + t : t * r->batch + b;
}
static int64_t NAME(output_row)(const direction *d, int64_t t, int64_t b) {
    const recurrent *r = d->r;
    return r->batch_first ? (b * r->steps + t) * r->directions + d->index : (t * r->directions + d->index) * r->batch + b;
}
static int64_t NAME(state_row)(const direction *d, int64_t b) {
    return d->r->batch_first ? b * d->r->directions + d->index : d->index * d->r->batch + b;
}

/* x W for all steps, with the biases that are only added. */
static void NAME(project)(const direction *d) {
    const recurrent *r = d->r;
    int64_t gates = r->gates * r->hidden, rows = r->steps * r->batch;
    REAL *out = d->projected;
    const REAL *bias = d->bias;
    for (int64_t i = 0; bias && i < rows; i++)
        for (int64_t k = 0; k < gates; k++) {
            bool apart = r->cell == GRU && r->linear_before_reset && k >= 2 * r->hidden; /* of R, for h: added before the reset */
            out[i * gates + k] = bias[k] + (apart ? 0 : bias[gates + k]);
        }
    int64_t inputs = r->inputs > 0 ? r->inputs : 1;
    GEMM(false, true, rows, gates, r->inputs, 1, d->x, inputs, d->w, inputs, bias ? 1 : 0, out, gates);
}

/* gate[first .. first + n) += h R', for the whole batch. */
static void NAME(recur)(const direction *d, const REAL *h, int64_t first, int64_t n, REAL *to, int64_t ld, REAL beta) {
    int64_t hidden = d->r->hidden;
    GEMM(false, true, d->r->batch, n, hidden, 1, h, hidden, (const REAL *)d->recurrence + first * hidden, hidden, beta, to, ld);
}

static void NAME(step_gru)(const direction *d, const bool *active) {
    const recurrent *r = d->r;
    int64_t n = r->hidden, gates = 3 * n;
    REAL *gate = d->gate, *h = d->h, *reset = d->reset;
    NAME(recur)(d, h, 0, 2 * n, gate, gates, 1);
    for (int64_t b = 0; b < r->batch; b++)
        for (int64_t k = 0; k < 2 * n; k++) gate[b * gates + k] = NAME(clipped)(d, 0, gate[b * gates + k]);
    if (r->linear_before_reset) {
        const REAL *bias = d->bias ? (const REAL *)d->bias + gates + 2 * n : NULL;
        NAME(recur)(d, h, 2 * n, n, reset, n, 0);
        for (int64_t b = 0; b < r->batch; b++)
            for (int64_t k = 0; k < n; k++)
                gate[b * gates + 2 * n + k] += gate[b * gates + n + k] * (reset[b * n + k] + (bias ? bias[k] : 0));
    } else {
        for (int64_t b = 0; b < r->batch; b++)
            for (int64_t k = 0; k < n; k++) reset[b * n + k] = gate[b * gates + n + k] * h[b * n + k];
        NAME(recur)(d, reset, 2 * n, n, gate + 2 * n, gates, 1);
    }
    for (int64_t b = 0; b < r->batch; b++)
        for (int64_t k = 0; active[b] && k < n; k++) {
            REAL z = gate[b * gates + k], fresh = NAME(clipped)(d, 1, gate[b * gates + 2 * n + k]);
            h[b * n + k] = (1 - z) * fresh + z * h[b * n + k];
        }
}

static void NAME(step_lstm)(const direction *d, const bool *active) {
    const recurrent *r = d->r;
    int64_t n = r->hidden, gates = 4 * n;
    const REAL *p = d->peephole;
    REAL *h = d->h, *c = d->c;
    NAME(recur)(d, h, 0, gates, d->gate, gates, 1);
    for (int64_t b = 0; b < r->batch; b++) {
        const REAL *gate = (const REAL *)d->gate + b * gates;
        for (int64_t k = 0; active[b] && k < n; k++) {
            REAL old = c[b * n + k];
            REAL i = NAME(clipped)(d, 0, gate[k] + (p ? p[k] * old : 0));
            REAL f = r->input_forget ? 1 - i : NAME(clipped)(d, 0, gate[2 * n + k] + (p ? p[2 * n + k] * old : 0));
            REAL fresh = f * old + i * NAME(clipped)(d, 1, gate[3 * n + k]);
            REAL o = NAME(clipped)(d, 0, gate[n + k] + (p ? p[n + k] * fresh : 0));
            c[b * n + k] = fresh;
            h[b * n + k] = o * NAME(activate)(&d->f[2], fresh);
        }
    }
}

static void NAME(step_rnn)(const direction *d, const bool *active) {
    const recurrent *r = d->r;
    int64_t n = r->hidden;
    REAL *gate = d->gate, *h = d->h;
    NAME(recur)(d, h, 0, n, gate, n, 1);
    for (int64_t b = 0; b < r->batch; b++)
        for (int64_t k = 0; active[b] && k < n; k++) h[b * n + k] = NAME(clipped)(d, 0, gate[b * n + k]);
}

static void NAME(load_state)(const direction *d, const void *from, REAL *to) {
    const recurrent *r = d->r;
    size_t n_bytes = (size_t)r->hidden * sizeof(REAL);
    for (int64_t b = 0; b < r->batch; b++) {
        if (from)
            memcpy(to + b * r->hidden, (const REAL *)from + NAME(state_row)(d, b) * r->hidden, n_bytes);
        else
            memset(to + b * r->hidden, 0, n_bytes);
    }
}

static void NAME(store_state)(const direction *d, const REAL *from, void *to) {
    const recurrent *r = d->r;
    for (int64_t b = 0; to && b < r->batch; b++)
        memcpy((REAL *)to + NAME(state_row)(d, b) * r->hidden, from + b * r->hidden, (size_t)r->hidden * sizeof(REAL));
}

static void NAME(run_direction)(const direction *d) {
    const recurrent *r = d->r;
    int64_t gates = r->gates * r->hidden;
    size_t n_bytes = (size_t)r->hidden * sizeof(REAL);
    NAME(project)(d);
    NAME(load_state)(d, d->first_h, d->h);
    NAME(load_state)(d, d->first_c, d->c);
    bool *active = d->active;
    for (int64_t step = 0; step < r->steps && !ob__stopped(d->threads); step++) {
        for (int64_t b = 0; b < r->batch; b++) {
            int64_t length = d->lengths ? d->lengths[b] : r->steps, t = d->backward ? length - 1 - step : step;
            active[b] = step < length;
            if (!active[b]) t = step;
            memcpy((REAL *)d->gate + b * gates, (const REAL *)d->projected + NAME(step_row)(r, t, b) * gates,
                   (size_t)gates * sizeof(REAL));
        }
        if (r->cell == RNN)
            NAME(step_rnn)(d, active);
        else if (r->cell == GRU)
            NAME(step_gru)(d, active);
        else
            NAME(step_lstm)(d, active);
        for (int64_t b = 0; d->y && b < r->batch; b++) {
            int64_t length = d->lengths ? d->lengths[b] : r->steps, t = active[b] && d->backward ? length - 1 - step : step;
            REAL *to = (REAL *)d->y + NAME(output_row)(d, t, b) * r->hidden;
            if (active[b])
                memcpy(to, (const REAL *)d->h + b * r->hidden, n_bytes);
            else
                memset(to, 0, n_bytes);
        }
    }
    NAME(store_state)(d, d->h, d->last_h);
    NAME(store_state)(d, d->c, d->last_c);
}

#undef REAL
#undef NAME
#undef GEMM
#undef EXP
#undef TANHF
#undef LOG1P
