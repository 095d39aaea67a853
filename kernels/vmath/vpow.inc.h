/* Pow over arrays, each side an array or one number. Parameters as vmath1.inc.h. */
__attribute__((unused)) static void FN(T *z, const T *x, bool x_vector, const T *y, bool y_vector, int64_t n) {
    T left[W], right[W];
    for (int i = 0; i < W; i++) {
        left[i] = x_vector ? 0 : x[0];
        right[i] = y_vector ? 0 : y[0];
    }
    int64_t i = 0;
    for (; i + W <= n; i += W) STORE(z + i, CALL(LOAD(x_vector ? x + i : left), LOAD(y_vector ? y + i : right)));
    if (i < n) {
        size_t n_bytes = (size_t)(n - i) * sizeof(T);
        if (x_vector) memcpy(left, x + i, n_bytes);
        if (y_vector) memcpy(right, y + i, n_bytes);
        STORE(left, CALL(LOAD(left), LOAD(right)));
        memcpy(z + i, left, n_bytes);
    }
}
#undef FN
#undef CALL
