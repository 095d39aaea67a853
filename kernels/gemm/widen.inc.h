/* Template of integer.c. Parameters: BYTE (int8_t or uint8_t), NAME(x). */

/* Widens row i of A. */
static void NAME(widen_row)(obk_pair *restrict to, const obk_bytes *a, int64_t i, int64_t k) {
    const BYTE *restrict from = (const BYTE *)a->data + i * a->step;
    const ptrdiff_t along = a->along;
    const int16_t zero = a->zero[i * a->zero_step];
    int16_t *restrict wide = to->k;
    if (along == 1)
        for (int64_t l = 0; l < k; l++) wide[l] = (int16_t)(from[l] - zero);
    else
        for (int64_t l = 0; l < k; l++) wide[l] = (int16_t)(from[l * along] - zero);
    if (k % 2) wide[k] = 0;
}

/* Widens n <= NR columns of B from j on: k of their elements, from element `first` on. */
static void NAME(widen_panel)(obk_pair *restrict to, const obk_bytes *b, int64_t j, int64_t n, int64_t first, int64_t k) {
    const ptrdiff_t along = b->along, step = b->step;
    const BYTE *restrict from = (const BYTE *)b->data + j * step + first * along;
    int16_t zero[NR] = {0}, *restrict wide = to->k;
    for (int64_t i = 0; i < n; i++) zero[i] = b->zero[(j + i) * b->zero_step];
    if ((n < NR || k % 2) && k > 0) memset(to, 0, (size_t)(obk_pairs(k) * NR) * sizeof *to);
    if (step == 1 && n == NR) {
        for (int64_t l = 0; l + 2 <= k; l += 2, from += 2 * along, wide += 2 * NR) {
            const BYTE *restrict next = from + along;
            for (int i = 0; i < NR; i++) {
                wide[2 * i] = (int16_t)(from[i] - zero[i]);
                wide[2 * i + 1] = (int16_t)(next[i] - zero[i]);
            }
        }
        for (int i = 0; i < NR && k % 2; i++) wide[2 * i] = (int16_t)(from[i] - zero[i]);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < k; l++) wide[(l / 2 * NR + i) * 2 + l % 2] = (int16_t)(from[i * step + l * along] - zero[i]);
}
