/* Template of softmax.c, included once per REAL. The output may be the input. */

static void NAME(hard_row)(const REAL *x, REAL *y, int64_t n, int64_t inner) {
    int64_t at = 0; /* the first NaN, or else the first of the largest */
    for (int64_t i = 1; i < n && !isnan(x[at * inner]); i++)
        if (x[i * inner] > x[at * inner] || isnan(x[i * inner])) at = i;
    for (int64_t i = 0; i < n; i++) y[i * inner] = i == at ? 1 : 0;
}

/* `width` rows side by side, at most 16: neighbours in memory when inner > 1. */
static void NAME(soft_rows)(const rows *r, const REAL *x, REAL *y, int width) {
    REAL highest[16], sum[16];
    for (int k = 0; k < width; k++) {
        highest[k] = x[k];
        sum[k] = 0;
    }
    for (int64_t i = 1; i < r->n; i++)
        for (int k = 0; k < width; k++) {
            REAL value = x[i * r->inner + k];
            highest[k] = value > highest[k] ? value : highest[k];
        }
    for (int64_t i = 0; i < r->n; i++)
        for (int k = 0; k < width; k++) {
            int64_t at = i * r->inner + k;
            REAL shifted = x[at] - highest[k], e = EXP(shifted);
            sum[k] += e;
            y[at] = r->kind == LOG_SOFTMAX ? shifted : e;
        }
    for (int k = 0; k < width; k++) sum[k] = r->kind == LOG_SOFTMAX ? LOG(sum[k]) : 1 / sum[k];
    for (int64_t i = 0; i < r->n; i++)
        for (int k = 0; k < width; k++) {
            int64_t at = i * r->inner + k;
            y[at] = r->kind == LOG_SOFTMAX ? y[at] - sum[k] : y[at] * sum[k];
        }
}

static void NAME(rows)(void *context, int64_t begin, int64_t end) {
    const rows *r = context;
    for (int64_t row = begin; row < end;) {
        int64_t column = row % r->inner, offset = row / r->inner * r->n * r->inner + column;
        const REAL *x = (const REAL *)r->in + offset;
        REAL *y = (REAL *)r->out + offset;
        int64_t width = r->inner - column;
        if (width > end - row) width = end - row;
        if (width > 16) width = 16;
        if (r->kind == HARDMAX)
            for (int64_t k = 0; k < width; k++) NAME(hard_row)(x + k, y + k, r->n, r->inner);
        else
            NAME(soft_rows)(r, x, y, (int)width);
        row += width;
    }
}

#undef REAL
#undef EXP
#undef LOG
#undef NAME
