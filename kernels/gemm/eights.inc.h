/* Part of integer.c: products by matrices of bytes (eights.h). A tile has up to 8 rows of Y by a panel of 8 columns, as squares
 * of 2 x 2. */
enum { EIGHTS_ROWS = 8, EIGHTS_PAIRS = NR / 2 };

/* The last unit of a column is its sum. */
void OBK_FN(integer_gemm_pack_b_eights)(obk_pair *to, const obk_bytes *b, int64_t k, int64_t n) {
    const int64_t units = ob__ceil_div(k, 4);
    for (int64_t j = 0; j < ob__round_up(n, NR); j++) {
        const int8_t *from = (const int8_t *)b->data + j * b->step;
        uint8_t *panel = (uint8_t *)(to + j / NR * NR * (units + 1));
        const int64_t column = j % NR;
        const int16_t zero = j < n ? b->zero[j * b->zero_step] : 0;
        uint32_t sum = 0;
        for (int64_t l = 0; l < 4 * units; l++) {
            const int w = j >= n || l >= k ? 0 : (b->is_signed ? from[l * b->along] : (uint8_t)from[l * b->along]) - zero;
            const int64_t side_by_side = l / 8 < units / 2 ? 8 : 4; /* the last quad may be alone */
            panel[l / side_by_side * side_by_side * NR + column * side_by_side + l % side_by_side] = (uint8_t)w;
            sum += (uint32_t)w;
        }
        memcpy(panel + (units * NR + column) * 4, &sum, sizeof sum);
    }
}

/* Two rows of bytes side by side, 8 or 4 of each; those that are missing are 0. */
OBK_INLINE int8x16_t eight_of_each(const int8_t *first, const int8_t *second) {
    return vcombine_s8(vld1_s8(first), vld1_s8(second));
}
OBK_INLINE int8x16_t four_of_each(const int8_t *first, const int8_t *second) {
    int32_t a, b;
    memcpy(&a, first, sizeof a);
    memcpy(&b, second, sizeof b);
    return (int8x16_t)(int32x4_t){a, 0, b, 0};
}

/* The caller passes `pairs` of rows as a constant. rows: where each begins. to: [2 * pairs][NR]. */
OBK_INLINE void eights_tile(const int pairs, int64_t units, const int8_t *const *rows, const int8_t *b, int32_t *to) {
    const int8_t *row[EIGHTS_ROWS];
    int32x4_t sum[EIGHTS_ROWS / 2][EIGHTS_PAIRS];
    const int8_t *of_columns = b + units * NR * 4; /* their sums */
    OBK_UNROLL
    for (int r = 0; r < 2 * pairs; r++) row[r] = rows[r];
    OBK_UNROLL
    for (int p = 0; p < pairs; p++) {
        int32_t zero[2];
        memcpy(&zero[0], row[2 * p] + 4 * units, sizeof zero[0]);
        memcpy(&zero[1], row[2 * p + 1] + 4 * units, sizeof zero[1]);
        OBK_UNROLL
        for (int c = 0; c < EIGHTS_PAIRS; c++) {
            const int32x2_t of_two = (int32x2_t)vld1_s8(of_columns + 8 * c);
            sum[p][c] = vmulq_s32(vcombine_s32(of_two, of_two), (int32x4_t){zero[0], zero[0], zero[1], zero[1]});
        }
    }
    const int64_t whole = units / 2 * 8;
    for (int64_t at = 0; at < whole; at += 8, b += NR * 8) {
        int8x16_t columns[EIGHTS_PAIRS];
        OBK_UNROLL
        for (int c = 0; c < EIGHTS_PAIRS; c++) columns[c] = vld1q_s8(b + 16 * c);
        OBK_UNROLL
        for (int p = 0; p < pairs; p++) {
            const int8x16_t two = eight_of_each(row[2 * p] + at, row[2 * p + 1] + at);
            OBK_UNROLL
            for (int c = 0; c < EIGHTS_PAIRS; c++) sum[p][c] = vmmlaq_s32(sum[p][c], two, columns[c]);
        }
    }
    if (units % 2) {
        OBK_UNROLL
        for (int p = 0; p < pairs; p++) {
            const int8x16_t two = four_of_each(row[2 * p] + whole, row[2 * p + 1] + whole);
            OBK_UNROLL
            for (int c = 0; c < EIGHTS_PAIRS; c++) sum[p][c] = vmmlaq_s32(sum[p][c], two, four_of_each(b + 8 * c, b + 8 * c + 4));
        }
    }
    OBK_UNROLL
    for (int p = 0; p < pairs; p++) OBK_UNROLL
    for (int c = 0; c < EIGHTS_PAIRS; c += 2) {
        vst1q_s32(to + 2 * p * NR + 2 * c, vcombine_s32(vget_low_s32(sum[p][c]), vget_low_s32(sum[p][c + 1])));
        vst1q_s32(to + (2 * p + 1) * NR + 2 * c, vcombine_s32(vget_high_s32(sum[p][c]), vget_high_s32(sum[p][c + 1])));
    }
}

void OBK_FN(integer_gemm_product_eights)(const obk_integer_call *call) {
    const int64_t units = ob__ceil_div(call->k, 4), step = units + 1;
    for (int64_t j = 0; j < call->n; j += NR) {
        const int8_t *b = (const int8_t *)(call->b + j * step);
        const int64_t columns = ob__least(call->n - j, NR);
        for (int64_t i = 0; i < call->m; i += EIGHTS_ROWS) {
            const int8_t *rows[EIGHTS_ROWS];
            int32_t to[EIGHTS_ROWS * NR];
            const int64_t n_rows = ob__least(call->m - i, EIGHTS_ROWS);
            for (int64_t r = 0; r < EIGHTS_ROWS; r++)
                rows[r] = (const int8_t *)(call->a + (i + ob__least(r, n_rows - 1)) * step); /* some of them twice */
            switch ((n_rows + 1) / 2) {
            case 1: eights_tile(1, units, rows, b, to); break;
            case 2: eights_tile(2, units, rows, b, to); break;
            case 3: eights_tile(3, units, rows, b, to); break;
            default: eights_tile(4, units, rows, b, to); break;
            }
            for (int64_t r = 0; r < n_rows; r++)
                memcpy(call->y + (i + r) * call->y_row + j, to + r * NR, (size_t)columns * sizeof *to);
        }
    }
}
