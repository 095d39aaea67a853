/* Loops of recurrent.c for one type. Parameters: T, S. */
#define LOOP(name) OBK_FN(OBK_CAT3(OBK_CAT(recurrent_, name), _, S))

void LOOP(add_product)(void *to, const void *from_a, const void *from_b, int64_t n) {
    T *restrict z = to;
    const T *restrict a = from_a, *restrict b = from_b;
    for (int64_t k = 0; k < n; k++) z[k] += a[k] * b[k];
}

void LOOP(complement)(void *to, const void *from, int64_t n) {
    T *restrict z = to;
    const T *restrict x = from;
    for (int64_t k = 0; k < n; k++) z[k] = 1 - x[k];
}

void LOOP(carry)(void *to, const void *forget, const void *input, const void *fresh, int64_t n) {
    T *restrict c = to;
    const T *restrict f = forget, *restrict i = input, *restrict g = fresh;
    for (int64_t k = 0; k < n; k++) c[k] = f[k] * c[k] + i[k] * g[k];
}

void LOOP(blend)(void *to, const void *update, const void *fresh, int64_t n) {
    T *restrict h = to;
    const T *restrict z = update, *restrict f = fresh;
    for (int64_t k = 0; k < n; k++) h[k] = (1 - z[k]) * f[k] + z[k] * h[k];
}

void LOOP(add_reset)(void *to, const void *reset, const void *from, const void *bias, int64_t n) {
    T *restrict g = to;
    const T *restrict r = reset, *restrict t = from, *restrict b = bias;
    if (b)
        for (int64_t k = 0; k < n; k++) g[k] += r[k] * (t[k] + b[k]);
    else
        for (int64_t k = 0; k < n; k++) g[k] += r[k] * t[k];
}

#undef LOOP
#undef T
#undef S
