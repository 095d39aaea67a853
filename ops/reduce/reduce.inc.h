/* Template of reduce.c, included once per element type T; U accumulates. */

#if IS_FLOAT
#define IS_NAN(x) isnan(x)
#else
#define IS_NAN(x) 0
#endif
#if IS_SIGNED
#define IS_NEGATIVE(x) ((x) < 0)
#else
#define IS_NEGATIVE(x) 0
#endif

/* acc or best, over columns side by side. */
static void NAME(fold_columns)(const reduction *r, fold kind, U *acc, T *best, double *sums, const T *x, int64_t n) {
    (void)r;
    switch (kind) {
    case FOLD_SUM:
        for (int64_t i = 0; i < n; i++) acc[i] += (U)x[i];
        break;
    case FOLD_ABS:
        for (int64_t i = 0; i < n; i++) acc[i] += IS_NEGATIVE(x[i]) ? 0 - (U)x[i] : (U)x[i];
        break;
    case FOLD_SQUARE:
        for (int64_t i = 0; i < n; i++) acc[i] += (U)x[i] * (U)x[i];
        break;
    case FOLD_PROD:
        for (int64_t i = 0; i < n; i++) acc[i] *= (U)x[i];
        break;
    case FOLD_MAX:
        for (int64_t i = 0; i < n; i++) best[i] = x[i] > best[i] || IS_NAN(x[i]) ? x[i] : best[i];
        break;
    case FOLD_MIN:
        for (int64_t i = 0; i < n; i++) best[i] = x[i] < best[i] || IS_NAN(x[i]) ? x[i] : best[i];
        break;
    case FOLD_EXP:
        for (int64_t i = 0; i < n; i++) sums[i] += exp((double)x[i] - (double)best[i]);
        break;
    }
}

/* The same over one dense run, in eight independent lanes. */
static void NAME(fold_run)(const reduction *r, fold kind, U *acc, T *best, double *sums, const T *x, int64_t n) {
    U lanes[8];
    T bests[8];
    double lane_sums[8] = {0};
    for (int i = 0; i < 8; i++) {
        lanes[i] = kind == FOLD_PROD ? 1 : 0;
        bests[i] = *best;
    }
    int64_t whole = n / 8 * 8;
    switch (kind) {
    case FOLD_SUM:
        for (int64_t k = 0; k < whole; k += 8)
            for (int i = 0; i < 8; i++) lanes[i] += (U)x[k + i];
        break;
    case FOLD_SQUARE:
        for (int64_t k = 0; k < whole; k += 8)
            for (int i = 0; i < 8; i++) lanes[i] += (U)x[k + i] * (U)x[k + i];
        break;
    case FOLD_MAX:
        for (int64_t k = 0; k < whole; k += 8)
            for (int i = 0; i < 8; i++) bests[i] = x[k + i] > bests[i] || IS_NAN(x[k + i]) ? x[k + i] : bests[i];
        break;
    case FOLD_MIN:
        for (int64_t k = 0; k < whole; k += 8)
            for (int i = 0; i < 8; i++) bests[i] = x[k + i] < bests[i] || IS_NAN(x[k + i]) ? x[k + i] : bests[i];
        break;
    default:
        for (int64_t k = 0; k < whole; k += 8) NAME(fold_columns)(r, kind, lanes, bests, lane_sums, x + k, 8);
        break;
    }
    NAME(fold_columns)(r, kind, lanes, bests, lane_sums, x + whole, n - whole);
    for (int i = 0; i < 8; i++) {
        if (kind == FOLD_PROD)
            *acc *= lanes[i];
        else
            *acc += lanes[i];
        if (kind == FOLD_MAX && (bests[i] > *best || IS_NAN(bests[i]))) *best = bests[i];
        if (kind == FOLD_MIN && (bests[i] < *best || IS_NAN(bests[i]))) *best = bests[i];
        *sums += lane_sums[i];
    }
}

/* Folds n columns (or one run) that start at x over the reduced axes. */
static void NAME(fold_all)(const reduction *r, fold kind, U *acc, T *best, double *sums, const T *x, int64_t n) {
    int64_t index[OB_MAX_RANK] = {0};
    if (r->n_folded == 0) return;
    for (;;) {
        if (r->columns)
            NAME(fold_columns)(r, kind, acc, best, sums, x, n);
        else
            NAME(fold_run)(r, kind, acc, best, sums, x, r->inner);
        int32_t a = r->n_reduced - 1;
        for (; a >= 0; a--) {
            x += r->reduced_strides[a];
            if (++index[a] < r->reduced[a]) break;
            x -= index[a] * r->reduced_strides[a];
            index[a] = 0;
        }
        if (a < 0) return;
    }
}

static T NAME(from_number)(double value) {
#if IS_FLOAT
    return (T)value;
#else
    return (T)(IS_SIGNED ? (uint64_t)ob__int64_from(value) : ob__uint64_from(value));
#endif
}

static T NAME(finish)(const reduction *r, U acc, T best, double sum) {
    switch (r->finish) {
    case FINISH_MEAN:
#if IS_FLOAT
        return (T)(acc / (double)r->n_folded);
#else
        return (T)(r->n_folded ? AS_NUMBER(acc) / AS_NUMBER((U)r->n_folded) : 0);
#endif
    case FINISH_SQRT: return NAME(from_number)(sqrt((double)AS_NUMBER(acc)));
    case FINISH_LOG: return NAME(from_number)(log((double)AS_NUMBER(acc)));
    case FINISH_EXP: return NAME(from_number)(log(sum) + (double)best);
    default: return r->fold == FOLD_MAX || r->fold == FOLD_MIN ? best : (T)acc;
    }
}

/* Blocks begin .. end: one result each, or up to COLUMNS results side by side. */
static void NAME(reduce_blocks)(void *context, int64_t begin, int64_t end) {
    const reduction *r = context;
    int64_t n_columns = r->columns ? r->inner : 1, blocks = (n_columns + COLUMNS - 1) / COLUMNS;
    for (int64_t block = begin; block < end; block++) {
        int64_t first = block % blocks * COLUMNS, rest = block / blocks;
        int64_t n = n_columns - first < COLUMNS ? n_columns - first : COLUMNS;
        T *out = (T *)r->out + rest * n_columns + first;
        const T *x = (const T *)r->in + (r->columns ? first : 0);
        for (int32_t a = r->n_kept - 1; a >= 0; a--) {
            x += rest % r->kept[a] * r->kept_strides[a];
            rest /= r->kept[a];
        }
        U acc[COLUMNS];
        T best[COLUMNS];
        double sums[COLUMNS];
        for (int64_t i = 0; i < n; i++) {
            acc[i] = r->fold == FOLD_PROD ? 1 : 0;
            best[i] = r->fold == FOLD_MIN ? HIGHEST : LOWEST;
            sums[i] = 0;
        }
        if (r->fold == FOLD_EXP) {
            NAME(fold_all)(r, FOLD_MAX, acc, best, sums, x, n);
            for (int64_t i = 0; i < n; i++) {
                acc[i] = 0;
#if IS_FLOAT
                if (isinf(best[i])) best[i] = 0; /* exp(-inf) and exp(inf) speak for themselves */
#else
                if (r->n_folded == 0) best[i] = 0;
#endif
            }
        }
        NAME(fold_all)(r, r->fold, acc, best, sums, x, n);
        for (int64_t i = 0; i < n; i++) out[i] = NAME(finish)(r, acc[i], best[i], sums[i]);
    }
}

#undef T
#undef U
#undef NAME
#undef IS_FLOAT
#undef IS_SIGNED
#undef IS_NAN
#undef IS_NEGATIVE
#undef LOWEST
#undef HIGHEST
#undef AS_NUMBER
