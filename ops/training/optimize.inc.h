/* Loops of the optimizers for element type REAL: one step for n elements. */
static void LOOP(adagrad)(const factors *f, int64_t n, const REAL *restrict x, const REAL *restrict g, const REAL *restrict h,
                          REAL *restrict x_new, REAL *restrict h_new) {
    const REAL rate = (REAL)f->rate, norm = (REAL)f->norm, epsilon = (REAL)f->epsilon;
    for (int64_t i = 0; i < n; i++) {
        const REAL slope = norm * x[i] + g[i], sum = h[i] + slope * slope;
        h_new[i] = sum;
        x_new[i] = x[i] - rate * slope / (ROOT(sum) + epsilon);
    }
}

static void LOOP(adam)(const factors *f, int64_t n, const REAL *restrict x, const REAL *restrict g, const REAL *restrict v,
                       const REAL *restrict h, REAL *restrict x_new, REAL *restrict v_new, REAL *restrict h_new) {
    const REAL rate = (REAL)f->rate, norm = (REAL)f->norm, epsilon = (REAL)f->epsilon, left = (REAL)f->left;
    const REAL alpha = (REAL)f->alpha, beta = (REAL)f->beta, alpha_rest = (REAL)(1 - f->alpha), beta_rest = (REAL)(1 - f->beta);
    for (int64_t i = 0; i < n; i++) {
        const REAL slope = norm * x[i] + g[i], mean = alpha * v[i] + alpha_rest * slope;
        const REAL square = beta * h[i] + beta_rest * slope * slope;
        v_new[i] = mean;
        h_new[i] = square;
        x_new[i] = left * (x[i] - rate * mean / (ROOT(square) + epsilon));
    }
}

static void LOOP(momentum)(const factors *f, int64_t n, const REAL *restrict x, const REAL *restrict g, const REAL *restrict v,
                           REAL *restrict x_new, REAL *restrict v_new) {
    const REAL rate = (REAL)f->rate, norm = (REAL)f->norm, alpha = (REAL)f->alpha, beta = (REAL)f->beta;
    const bool nesterov = f->nesterov;
    for (int64_t i = 0; i < n; i++) {
        const REAL slope = norm * x[i] + g[i], speed = alpha * v[i] + beta * slope;
        v_new[i] = speed;
        x_new[i] = x[i] - rate * (nesterov ? slope + alpha * speed : speed);
    }
}

static void LOOP(step)(const factors *f, int64_t n, const void *const *in, void *const *out) {
    switch (f->kind) {
    case OB_ADAGRAD: LOOP(adagrad)(f, n, in[0], in[1], in[2], out[0], out[1]); break;
    case OB_ADAM: LOOP(adam)(f, n, in[0], in[1], in[2], in[3], out[0], out[1], out[2]); break;
    case OB_MOMENTUM:
    case OB_NESTEROV: LOOP(momentum)(f, n, in[0], in[1], in[2], out[0], out[1]); break;
    }
}

#undef REAL
#undef ROOT
#undef LOOP
