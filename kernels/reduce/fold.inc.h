/* One fold over one element type. Parameters: FN, T, ACC (the accumulator's type), OP(a, x), MERGE(a, b), NEUTRAL, LANES: 16 if
 * GCC keeps them in registers, 64 if it only vectorises loops over memory (a choice between numbers); VECTORS(lanes, x, n,
 * merged) or nothing: see fold_vectors. */
static void OBK_CAT(start_, FN)(void *to, int64_t n) {
    ACC *acc = to;
    for (int64_t i = 0; i < n; i++) acc[i] = NEUTRAL;
}

/* Folds a dense run into one cell, in LANES parts that are merged as a tree. */
static void OBK_CAT(run_, FN)(void *to, const void *from, int64_t n, const void *high) {
    (void)high;
    ACC *acc = to, lanes[LANES];
    const T *x = from;
    int64_t i = 0;
    if (n < LANES) {
        for (; i < n; i++) acc[0] = OP(acc[0], x[i]);
        return;
    }
    for (int l = 0; l < LANES; l++) lanes[l] = NEUTRAL;
    bool merged = false;
#ifdef VECTORS
    i = VECTORS(lanes, x, n, &merged);
#endif
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) lanes[l] = OP(lanes[l], x[i + l]);
    for (int l = 0; i + l < n; l++) lanes[l] = OP(lanes[l], x[i + l]);
    for (int half = merged ? 0 : LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) lanes[l] = MERGE(lanes[l], lanes[l + half]);
    acc[0] = MERGE(acc[0], lanes[0]);
}

/* Folds `rows` rows of n columns, row after row, each column into its own cell. */
static void OBK_CAT(columns_, FN)(void *to, const void *from, int64_t n, int64_t rows, int64_t stride, const void *high) {
    (void)high;
    ACC *restrict acc = to;
    const T *restrict x = from;
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4, x += 4 * stride)
        for (int64_t i = 0; i < n; i++) {
            ACC a = OP(acc[i], x[i]);
            a = OP(a, x[i + stride]);
            a = OP(a, x[i + 2 * stride]);
            acc[i] = OP(a, x[i + 3 * stride]);
        }
    for (; r < rows; r++, x += stride)
        for (int64_t i = 0; i < n; i++) acc[i] = OP(acc[i], x[i]);
}

/* Merges cells that lie n apart into the first n. */
static void OBK_CAT(merge_, FN)(void *to, int64_t n, int64_t times) {
    ACC *acc = to;
    for (int64_t t = 1; t < times; t++)
        for (int64_t i = 0; i < n; i++) acc[i] = MERGE(acc[i], acc[t * n + i]);
}
#undef FN
#undef ACC
#undef OP
#undef MERGE
#undef NEUTRAL
#undef LANES
#undef VECTORS
