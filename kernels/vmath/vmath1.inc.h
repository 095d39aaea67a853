/* One function over arrays, through SLEEF's vectors. Parameters: FN, T, VEC (vector type), W (lanes), LOAD, STORE, CALL. */
__attribute__((unused)) static void FN(T *z, const T *x, int64_t n) {
    int64_t i = 0;
    for (; i + W <= n; i += W) STORE(z + i, CALL(LOAD(x + i)));
    if (i < n) {
        T rest[W] = {0};
        memcpy(rest, x + i, (size_t)(n - i) * sizeof(T));
        STORE(rest, CALL(LOAD(rest)));
        memcpy(z + i, rest, (size_t)(n - i) * sizeof(T));
    }
}
#undef FN
#undef CALL
