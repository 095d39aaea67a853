/* One loop of one operand, in blocks, because BLOCK has temporaries on the stack. Parameters: FN, T, BLOCK(z, x, n, params). */
void FN(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows, const void *params) {
    (void)step;
    (void)params;
    const char *a = pointers[0];
    char *out = pointers[1];
    for (int64_t j = 0; j < rows; j++, a += row[0], out += row[1]) {
        const T *x = (const T *)(const void *)a;
        T *z = (T *)(void *)out;
        for (int64_t i = 0; i < n; i += BLOCK_ELEMS) BLOCK(z + i, x + i, n - i < BLOCK_ELEMS ? n - i : BLOCK_ELEMS, params);
    }
}
#undef FN
#undef BLOCK
