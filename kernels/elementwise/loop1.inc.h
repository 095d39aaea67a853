/* One loop of one operand. Parameters: FN its name, TI and TO the element types, OP(x) the expression, in which p is the
 * obk_unary_params. */
void FN(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows, const void *params) {
    (void)step;
    (void)params;
    const char *a = pointers[0];
    char *out = pointers[1];
    for (int64_t j = 0; j < rows; j++, a += row[0], out += row[1]) {
        const TI *x = (const TI *)(const void *)a;
        TO *z = (TO *)(void *)out;
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) z[i] = (TO)(OP(x[i]));
    }
}
#undef FN
#undef TI
#undef TO
#undef OP
