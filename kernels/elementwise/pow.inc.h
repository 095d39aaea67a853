/* Pow for one floating type. Parameters: T, S, SQRT, and CUBE where a wider type holds the square exactly. Common exponents that
 * are the same for a whole row avoid the general function; their results are the correctly rounded ones, and a cube's is within
 * 0.5 + 2^-28 ulp. */
static bool OBK_CAT(pow_special_, S)(const T *x, T exponent, T *z, int64_t n) {
    if (exponent == 2) {
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) z[i] = x[i] * x[i];
#ifdef CUBE
    } else if (exponent == 3) {
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) z[i] = CUBE(x[i]);
#endif
    } else if (exponent == (T)0.5) { /* unlike sqrt: -0 gives +0, -inf gives +inf */
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) z[i] = SQRT(x[i] == -(T)INFINITY ? (T)INFINITY : x[i] + 0);
    } else if (exponent == 1) {
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) z[i] = x[i];
    } else if (exponent == -1) {
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) z[i] = 1 / x[i];
    } else if (exponent == 0) {
        for (int64_t i = 0; i < n; i++) z[i] = 1;
    } else {
        return false;
    }
    return true;
}

void OBK_FN(OBK_CAT(pow_, S))(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows,
                              const void *params) {
    (void)params;
    const char *a = pointers[0], *b = pointers[1];
    char *out = pointers[2];
    for (int64_t j = 0; j < rows; j++, a += row[0], b += row[1], out += row[2]) {
        const T *x = (const T *)(const void *)a, *y = (const T *)(const void *)b;
        T *z = (T *)(void *)out;
        if (step[0] && !step[1] && OBK_CAT(pow_special_, S)(x, y[0], z, n)) continue;
        OBK_CAT(pow_any_, S)(z, x, step[0] != 0, y, step[1] != 0, n);
    }
}
#undef T
#undef S
#undef SQRT
#undef CUBE
