/* One function over arrays, two vectors at a time. Parameters: FN, CALL(vector). */
__attribute__((unused)) static void FN(float *z, const float *x, int64_t n) {
#ifdef OBK_FUSES
    enum { W = OBK_VECTOR_BYTES / sizeof(float) };
    int64_t i = 0;
    for (; i + 2 * W <= n; i += 2 * W) {
        const accurate_real a = *(const accurate_memory *)(x + i), b = *(const accurate_memory *)(x + i + W);
        *(accurate_memory *)(z + i) = CALL(a);
        *(accurate_memory *)(z + i + W) = CALL(b);
    }
    if (i < n) {
        float remainder[2 * W] = {0};
        memcpy(remainder, x + i, (size_t)(n - i) * sizeof(float));
        const accurate_real a = *(const accurate_memory *)remainder, b = *(const accurate_memory *)(remainder + W);
        *(accurate_memory *)remainder = CALL(a);
        *(accurate_memory *)(remainder + W) = CALL(b);
        memcpy(z + i, remainder, (size_t)(n - i) * sizeof(float));
    }
#else
    for (int64_t i = 0; i < n; i++) *(accurate_memory *)(z + i) = CALL(*(const accurate_memory *)(x + i));
#endif
}
#undef FN
#undef CALL
