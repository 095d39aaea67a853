/* Running sums and products of one type. Parameters: T, S. */
#ifndef OBK_RUN_UP
#define OBK_RUN_UP
enum {
    ROWS = 8,            /* vectors that are computed side by side, because each is a dependency chain */
    STRETCH_BYTES = 128, /* bytes of each that are computed at a time */
};
#endif

#define NAME(name) OBK_CAT3(name, _, S)

#define FN       NAME(sum)
#define OP(a, b) ((a) + (b))
#define NEUTRAL  0
#include "kernels/reduce/run_up1.inc.h"
#define FN       NAME(product)
#define OP(a, b) ((a) * (b))
#define NEUTRAL  1
#include "kernels/reduce/run_up1.inc.h"

void LOOP(NAME(run_up))(const obk_running *r, void *out, const void *in, int64_t begin, int64_t end) {
    const T *x = in;
    T *y = out;
    const int64_t n = r->n, inner = r->inner, blocks = ob__ceil_div(inner, OBK_RUNNING_COLUMNS);
    for (int64_t part = begin; inner == 1 && part < end; part += ROWS) {
        const int64_t rows = end - part < ROWS ? end - part : ROWS;
        if (r->product)
            NAME(rows_product)(y + part * n, x + part * n, n, rows, r->exclusive, r->reverse);
        else
            NAME(rows_sum)(y + part * n, x + part * n, n, rows, r->exclusive, r->reverse);
    }
    for (int64_t part = begin; inner != 1 && part < end; part++) {
        const int64_t column = part % blocks * OBK_RUNNING_COLUMNS, offset = part / blocks * n * inner + column;
        const int64_t width = inner - column < OBK_RUNNING_COLUMNS ? inner - column : OBK_RUNNING_COLUMNS;
        if (r->product)
            NAME(columns_product)(y + offset, x + offset, n, inner, width, r->exclusive, r->reverse);
        else
            NAME(columns_sum)(y + offset, x + offset, n, inner, width, r->exclusive, r->reverse);
    }
}

#undef NAME
#undef T
#undef S
