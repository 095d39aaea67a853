/* One function over arrays, through SLEEF's vectors. Parameters: FN, T, VEC (vector type), W (lanes), LOAD, STORE, CALL. */
__attribute__((unused)) static void FN(T *z, const T *x, int64_t n) {
    int64_t i = 0;
    for (; i + W <= n; i += W) STORE(z + i, CALL(LOAD(x + i)));
    if (i < n) {
        T remainder[W] = {0};
        memcpy(remainder, x + i, (size_t)(n - i) * sizeof(T));
        STORE(remainder, CALL(LOAD(remainder)));
        memcpy(z + i, remainder, (size_t)(n - i) * sizeof(T));
    }
}
#undef FN
#undef CALL
