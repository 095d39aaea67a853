/* One function over arrays, two vectors at a time. Parameters: FN, CALL(vector). */
__attribute__((unused)) static void FN(float *z, const float *x, int64_t n) {
    enum { W = OBK_VECTOR_BYTES / sizeof(float) };
    int64_t i = 0;
    for (; i + 2 * W <= n; i += 2 * W) {
        const obk_r_f32 a = *(const obk_v_f32 *)(x + i), b = *(const obk_v_f32 *)(x + i + W);
        *(obk_v_f32 *)(z + i) = CALL(a);
        *(obk_v_f32 *)(z + i + W) = CALL(b);
    }
    if (i < n) {
        float remainder[2 * W] = {0};
        memcpy(remainder, x + i, (size_t)(n - i) * sizeof(float));
        const obk_r_f32 a = *(const obk_v_f32 *)remainder, b = *(const obk_v_f32 *)(remainder + W);
        *(obk_v_f32 *)remainder = CALL(a);
        *(obk_v_f32 *)(remainder + W) = CALL(b);
        memcpy(z + i, remainder, (size_t)(n - i) * sizeof(float));
    }
}
#undef FN
#undef CALL
