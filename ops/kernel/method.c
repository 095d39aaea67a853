#include "ops/kernel/method.h"

ob_product_method ob__product_method(const ob_matrices *p, const obk_gemm *gemm) {
    const bool dense = p->a.column == 1 && p->b.row == 1;
    if (!gemm->row || !dense) return OB_BY_TILES;
    return p->n == 1 ? OB_BY_COLUMN : p->m == 1 ? OB_BY_ROW : OB_BY_TILES;
}

void ob__multiply_by(ob_product_method method, const obk_gemm *gemm, const obk_gemm_call *call) {
    switch (method) {
    case OB_BY_ROW:
        gemm->row(call->y, 1, call->a, call->b, call->b_column, call->n, call->k, call->alpha, call->beta, call->c,
                  call->c_column);
        return;
    case OB_BY_COLUMN:
        gemm->row(call->y, call->y_row, call->b, call->a, call->a_row, call->m, call->k, call->alpha, call->beta, call->c,
                  call->c_row);
        return;
    default: gemm->product(call);
    }
}
