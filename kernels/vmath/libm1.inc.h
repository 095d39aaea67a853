/* One function over arrays, through the C library. Parameters: FN, T, CALL. */
__attribute__((unused)) static void FN(T *z, const T *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) z[i] = CALL(x[i]);
}
#undef FN
#undef CALL
