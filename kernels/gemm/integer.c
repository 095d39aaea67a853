/* Products of 8-bit integers. */
#include "kernels/gemm/integer.h"
#include "kernels/level.h"

#include <string.h>

#include "core/base/integers.h"
#include "kernels/gemm/eights.h"
#include "kernels/gemm/pair.h"
#include "kernels/gemm/quad.h"
#include "kernels/plain.h"

enum { W = OBK_VECTOR_BYTES / 4, NR = 2 * W, BLOCK = 384 }; /* in units */

#define MEMBER integer_gemm
#define ROWS   "kernels/gemm/integer_gemm.def"
#include "kernels/declare.inc.h"

/* ---- packing ---- */

#define BYTE    int8_t
#define NAME(x) x##_signed
#include "kernels/gemm/widen.inc.h"
#undef BYTE
#undef NAME

#define BYTE    uint8_t
#define NAME(x) x##_unsigned
#include "kernels/gemm/widen.inc.h"
#undef BYTE
#undef NAME

void OBK_FN(integer_gemm_pack_a_pairs)(obk_pair *to, const obk_bytes *a, int64_t m, int64_t k) {
    for (int64_t i = 0; i < m; i++) (a->is_signed ? widen_row_signed : widen_row_unsigned)(to + i * obk_pairs(k), a, i, k);
}

void OBK_FN(integer_gemm_pack_b_pairs)(obk_pair *to, const obk_bytes *b, int64_t k, int64_t n) {
    for (int64_t j = 0; j < n; j += NR)
        (b->is_signed ? widen_panel_signed : widen_panel_unsigned)(to + j * obk_pairs(k), b, j, n - j < NR ? n - j : NR, 0, k);
}

/* ---- quads ---- */

#ifdef OBK_QUADS
/* The last unit of a row is minus the zero point. */
void OBK_FN(integer_gemm_pack_a_quads)(obk_pair *to, const obk_bytes *a, int64_t m, int64_t k) {
    const int64_t units = ob__ceil_div(k, 4);
    const uint8_t flip = a->is_signed != OBK_QUADS_SIGNED ? 128 : 0; /* adds 128, or takes it away */
    const int moved = OBK_QUADS_SIGNED ? -flip : flip;
    for (int64_t i = 0; i < m; i++, to += units + 1) {
        const uint8_t *from = (const uint8_t *)a->data + i * a->step;
        uint8_t *bytes = (uint8_t *)to;
        const uint32_t zero = 0u - (uint32_t)(a->zero[i * a->zero_step] + moved);
        if (a->along == 1)
            for (int64_t l = 0; l < k; l++) bytes[l] = from[l] ^ flip;
        else
            for (int64_t l = 0; l < k; l++) bytes[l] = from[l * a->along] ^ flip;
        for (int64_t l = k; l < 4 * units; l++) bytes[l] = 0;
        memcpy(to + units, &zero, sizeof zero);
    }
}

/* The last unit of a column is its sum. */
void OBK_FN(integer_gemm_pack_b_quads)(obk_pair *to, const obk_bytes *b, int64_t k, int64_t n) {
    const int64_t units = ob__ceil_div(k, 4);
    for (int64_t j = 0; j < ob__round_up(n, NR); j++) {
        const int8_t *from = (const int8_t *)b->data + j * b->step;
        uint8_t *bytes = (uint8_t *)(to + j / NR * NR * (units + 1) + j % NR);
        const int16_t zero = j < n ? b->zero[j * b->zero_step] : 0;
        uint32_t sum = 0;
        for (int64_t l = 0; l < 4 * units; l++) {
            const int w = j >= n || l >= k ? 0 : (b->is_signed ? from[l * b->along] : (uint8_t)from[l * b->along]) - zero;
            bytes[l / 4 * NR * 4 + l % 4] = (uint8_t)w;
            sum += (uint32_t)w;
        }
        memcpy(bytes + units * NR * 4, &sum, sizeof sum);
    }
}
#endif

/* ---- products ---- */

static void pack_columns(obk_pair *to, const obk_bytes *b, int64_t j, int64_t n, int64_t first, int64_t k) {
    (b->is_signed ? widen_panel_signed : widen_panel_unsigned)(to, b, j, n, first, k);
}

#define NAME(x)        x##_pairs
#define ADD(a, b, sum) ((sum) + obk_pair_products(a, b))
#define UNITS(k)       obk_pairs(k)
#define HAS_START      0
#include "kernels/gemm/integer.inc.h"

#ifdef OBK_QUADS
OBK_QUADS_BEGIN
#define NAME(x)        x##_quads
#define ADD(a, b, sum) obk_add_quads(a, b, sum)
#define UNITS(k)       ob__ceil_div(k, 4)
#define HAS_START      1
#include "kernels/gemm/integer.inc.h"
OBK_QUADS_END
#endif

#ifdef OBK_EIGHTS
#ifdef __clang__
OBK_QUADS_BEGIN_("i8mm")
#else
OBK_QUADS_BEGIN_("arch=armv8.2-a+i8mm")
#endif
#include "kernels/gemm/eights.inc.h"
OBK_QUADS_END
#endif

const obk_integer_gemm OBK_TABLE(integer_gemm)[OBK_INTEGER_COUNT] = {
#define ROWS "kernels/gemm/integer_gemm.def"
#include "kernels/table.inc.h"
};
