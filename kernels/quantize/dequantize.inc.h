/* Template of quantize.c. Parameters: INTEGER, NAME(x). */

void OBK_FN(NAME(dequantize))(float *y, const void *from, int64_t n, const obk_scales *scales) {
    const INTEGER *x = from;
    if (scales->each) {
        const float *scale = scales->scale, *zero = scales->zero;
        for (int64_t i = 0; i < n; i++) y[i] = ((float)x[i] - zero[i]) * scale[i];
    } else {
        const float scale = *scales->scale, zero = *scales->zero;
        for (int64_t i = 0; i < n; i++) y[i] = ((float)x[i] - zero) * scale;
    }
}
