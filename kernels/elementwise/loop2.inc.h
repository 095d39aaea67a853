/* One loop of two operands. Parameters: FN its name, TI and TO the element types, OP(a, b) the expression. */
void FN(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows, const void *params) {
    (void)params;
    const char *a = pointers[0], *b = pointers[1];
    char *out = pointers[2];
    for (int64_t j = 0; j < rows; j++, a += row[0], b += row[1], out += row[2]) {
        const TI *x = (const TI *)(const void *)a, *y = (const TI *)(const void *)b;
        TO *z = (TO *)(void *)out;
        if (step[0] && step[1]) {
            OBK_INDEPENDENT
            for (int64_t i = 0; i < n; i++) z[i] = (TO)(OP(x[i], y[i]));
        } else if (step[0]) {
            const TI s = y[0];
            OBK_INDEPENDENT
            for (int64_t i = 0; i < n; i++) z[i] = (TO)(OP(x[i], s));
        } else {
            const TI s = x[0];
            OBK_INDEPENDENT
            for (int64_t i = 0; i < n; i++) z[i] = (TO)(OP(s, y[i]));
        }
    }
}
#undef FN
#undef TI
#undef TO
#undef OP
