/* Divides rows by their norms. Vectors have the same number of elements at every level, so that bits are the same. */
typedef float row_f32 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float row_sum_f32 __attribute__((vector_size(32)));
typedef int32_t row_i32 __attribute__((vector_size(32)));
typedef float part_f32 __attribute__((vector_size(16), aligned(4), may_alias));
typedef double part_f64 __attribute__((vector_size(32)));
typedef int64_t part_i64 __attribute__((vector_size(32)));
enum { ROW = 8, PART = 4 };

/* Each lane becomes the maximum of itself and its element of `beside`; NaN is above all numbers. */
OBK_INLINE void keep_greater(row_sum_f32 *lanes, const float *beside) {
    const row_sum_f32 x = *(const row_f32 *)beside;
    const row_i32 wins = (x > *lanes) | (x != x);
    *lanes = (row_sum_f32)(((row_i32)x & wins) | ((row_i32)*lanes & ~wins));
}

OBK_INLINE float greatest(const float *x, ptrdiff_t n) {
    float best = x[0];
    ptrdiff_t i = 1;
    if (n >= ROW) {
        row_sum_f32 lanes = *(const row_f32 *)x;
        for (i = ROW; i + ROW <= n; i += ROW) keep_greater(&lanes, x + i);
        keep_greater(&lanes, x + n - ROW); /* some elements again, which changes nothing */
        float each[ROW];
        memcpy(each, &lanes, sizeof each);
        best = each[0];
        for (int k = 1; k < ROW; k++) best = each[k] > best || each[k] != each[k] ? each[k] : best;
        return best;
    }
    for (; i < n; i++) best = x[i] > best || x[i] != x[i] ? x[i] : best;
    return best;
}

OBK_INLINE float total(const float *x, ptrdiff_t n, bool squares) {
    part_f64 lanes = {0};
    double tail = 0;
    ptrdiff_t i = 0;
    for (; i + PART <= n; i += PART) {
        const part_f64 v = __builtin_convertvector(*(const part_f32 *)(x + i), part_f64);
        lanes += squares ? v * v : (part_f64)((part_i64)v & INT64_MAX);
    }
    for (; i < n; i++) tail += squares ? (double)x[i] * (double)x[i] : fabs((double)x[i]);
    const double sum = ((lanes[0] + lanes[2]) + (lanes[1] + lanes[3])) + tail;
    return (float)(squares ? sqrt(sum) : sum);
}

OBK_INLINE void divide(float *y, const float *x, ptrdiff_t n, float by) {
    const float divisor = by == 0 ? 1 : by;
    if (n < ROW) {
        for (ptrdiff_t i = 0; i < n; i++) y[i] = x[i] / divisor;
        return;
    }
    const row_sum_f32 last = *(const row_f32 *)(x + n - ROW) / divisor; /* loaded before y is written, which may be x */
    for (ptrdiff_t i = 0; i + ROW <= n; i += ROW) *(row_f32 *)(y + i) = *(const row_f32 *)(x + i) / divisor;
    *(row_f32 *)(y + n - ROW) = last;
}

void OBK_FN(ml_normalize_max)(float *y, const float *x, ptrdiff_t n, ptrdiff_t rows) {
    for (; rows > 0 && n > 0; rows--, x += n, y += n) divide(y, x, n, greatest(x, n));
}

void OBK_FN(ml_normalize_l1)(float *y, const float *x, ptrdiff_t n, ptrdiff_t rows) {
    for (; rows > 0; rows--, x += n, y += n) divide(y, x, n, total(x, n, false));
}

void OBK_FN(ml_normalize_l2)(float *y, const float *x, ptrdiff_t n, ptrdiff_t rows) {
    for (; rows > 0; rows--, x += n, y += n) divide(y, x, n, total(x, n, true));
}
