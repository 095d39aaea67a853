/* Where for one width. Parameters: T, FN. */
void FN(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows, const void *params) {
    (void)params;
    const char *condition = pointers[0], *a = pointers[1], *b = pointers[2];
    char *out = pointers[3];
    for (int64_t j = 0; j < rows; j++, condition += row[0], a += row[1], b += row[2], out += row[3]) {
        const uint8_t *c = (const uint8_t *)condition;
        const T *x = (const T *)(const void *)a, *y = (const T *)(const void *)b;
        T *z = (T *)(void *)out;
        if (!step[0]) {
            const T *from = c[0] ? x : y;
            bool vector = step[c[0] ? 1 : 2] != 0;
            const T one = from[0];
            if (!vector)
                for (int64_t i = 0; i < n; i++) z[i] = one;
            else if (from != z)
                memmove(z, from, (size_t)n * sizeof(T));
        } else if (step[1] && step[2]) {
            OBK_INDEPENDENT
            for (int64_t i = 0; i < n; i++) {
                const T p = x[i], q = y[i];
                z[i] = c[i] ? p : q;
            }
        } else if (step[1]) {
            const T q = y[0];
            OBK_INDEPENDENT
            for (int64_t i = 0; i < n; i++) {
                const T p = x[i];
                z[i] = c[i] ? p : q;
            }
        } else if (step[2]) {
            const T p = x[0];
            OBK_INDEPENDENT
            for (int64_t i = 0; i < n; i++) {
                const T q = y[i];
                z[i] = c[i] ? p : q;
            }
        } else {
            const T p = x[0], q = y[0];
            OBK_INDEPENDENT
            for (int64_t i = 0; i < n; i++) z[i] = c[i] ? p : q;
        }
    }
}
#undef T
#undef FN
