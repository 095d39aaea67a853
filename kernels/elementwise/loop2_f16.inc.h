/* One loop of two float16 operands, computed in float. Parameters: FN, OP(a, b) on vectors of F16_LANES floats. */
void FN(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows, const void *params) {
    (void)params;
    for (int64_t j = 0; j < rows; j++) {
        const char *x = pointers[0] + j * row[0], *y = pointers[1] + j * row[1];
        char *z = pointers[2] + j * row[2];
        const obk_r_f32 a = f16_splat(x), b = f16_splat(y);
        int64_t i = 0;
        if (step[0] && step[1])
            for (; i + F16_LANES <= n; i += F16_LANES) f16_store(z + 2 * i, OP(f16_load(x + 2 * i), f16_load(y + 2 * i)));
        else if (step[0])
            for (; i + F16_LANES <= n; i += F16_LANES) f16_store(z + 2 * i, OP(f16_load(x + 2 * i), b));
        else
            for (; i + F16_LANES <= n; i += F16_LANES) f16_store(z + 2 * i, OP(a, f16_load(y + 2 * i)));
        if (i == n) continue;
        char tail[3][2 * F16_LANES] = {{0}};
        memcpy(tail[0], x + i * step[0], (size_t)(n - i) * (step[0] ? 2 : 0));
        memcpy(tail[1], y + i * step[1], (size_t)(n - i) * (step[1] ? 2 : 0));
        f16_store(tail[2], OP(step[0] ? f16_load(tail[0]) : a, step[1] ? f16_load(tail[1]) : b));
        memcpy(z + 2 * i, tail[2], (size_t)(n - i) * 2);
    }
}
#undef FN
#undef OP
