/* One operation on two quantized operands. Template of integer.inc.h. Parameters: INTEGER, FN, OP(a, b) on floats; SELECTS: a
 * condition comes first. */
#ifdef SELECTS
#define FIRST       1
#define OF(c, a, b) ((c) ? (a) : (b))
#else
#define FIRST       0
#define OF(c, a, b) OP(a, b)
#endif

#ifdef __AVX2__
void FN(void *to, const void *const *operands, int64_t n, const obk_qlinear *q) {
    const bool is_signed = (INTEGER)-1 < 0;
    const obk_widening by_x = obk_widening_of(q->scale[0], q->zero[0], is_signed),
                       by_y = obk_widening_of(q->scale[1], q->zero[1], is_signed);
    const obk_narrowing by_z = obk_narrowing_of(&q->to);
    uint8_t padded[FIRST + 2][OBK_BYTES] = {{0}}, *z = to, tail[OBK_BYTES];
    for (int64_t i = 0; i < n; i += OBK_BYTES) {
        const uint8_t *in[FIRST + 2];
        const bool whole = n - i >= OBK_BYTES;
        for (int k = 0; k < FIRST + 2; k++) {
            in[k] = (const uint8_t *)operands[k] + i;
            if (!whole) in[k] = memcpy(padded[k], in[k], (size_t)(n - i));
        }
        __m256 x[4], y[4];
        obk_dequantized(x, in[FIRST], &by_x);
        obk_dequantized(y, in[FIRST + 1], &by_y);
#ifdef SELECTS
        __m256 is_y[4];
        obk_widen(is_y, _mm256_cmpeq_epi8(_mm256_loadu_si256((const void *)in[0]), _mm256_setzero_si256()),
                  _mm256_setzero_si256());
#endif
        OBK_UNROLL
        for (int k = 0; k < 4; k++) {
#ifdef SELECTS
            /* the lowest byte is the condition's: 0 or 255 */
            x[k] = _mm256_blendv_ps(x[k], y[k], _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(is_y[k]), 24)));
#else
            x[k] = OP(x[k], y[k]);
#endif
        }
        obk_quantized(whole ? z + i : tail, x, &by_z, is_signed);
        if (!whole) memcpy(z + i, tail, (size_t)(n - i));
    }
}
#else
void FN(void *to, const void *const *operands, int64_t n, const obk_qlinear *q) {
    const INTEGER *x = operands[FIRST], *y = operands[FIRST + 1];
    const uint8_t *condition = operands[0];
    INTEGER *z = to;
    const float scale_x = q->scale[0], scale_y = q->scale[1], zero_x = q->zero[0], zero_y = q->zero[1];
    const float scale = *q->to.scale, low = q->to.low - *q->to.zero, high = q->to.high - *q->to.zero;
    const int32_t zero = (int32_t)*q->to.zero;
    (void)condition;
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const float p = ((float)x[i] - zero_x) * scale_x, r = ((float)y[i] - zero_y) * scale_y;
        z[i] = (INTEGER)(nearest(clamped(OF(condition[i], p, r) / scale, low, high)) + zero);
    }
}
#endif
#undef SELECTS
#undef FIRST
#undef OF
#undef OP
#undef FN
