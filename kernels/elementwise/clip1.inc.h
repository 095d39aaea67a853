/* Included by unary_float.inc.h and unary_int.inc.h, once for each element type T. */
/* Clip with bounds as operands: min(max(x, low), high). The upper bound wins; NaN stays. */
void LOOP(clip)(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows, const void *params) {
    (void)step;
    (void)params;
    for (int64_t j = 0; j < rows; j++) {
        const T *x = (const T *)(const void *)(pointers[0] + j * row[0]);
        const T low = *(const T *)(const void *)(pointers[1] + j * row[1]),
                high = *(const T *)(const void *)(pointers[2] + j * row[2]);
        T *z = (T *)(void *)(pointers[3] + j * row[3]);
        if (low != low || high != high) {
            for (int64_t i = 0; i < n; i++) z[i] = high != high ? high : low;
            continue;
        }
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) {
            const T t = x[i] < low ? low : x[i];
            z[i] = t > high ? high : t;
        }
    }
}
