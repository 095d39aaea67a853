/* In a build without groups no loop is a chain: short rows are computed as others are, and folds of several operands by tiles. */
#include "kernels/elementwise/iteration_layout.h"
#include "kernels/elementwise/short_rows.h"

ob_status obk_fold_program(const obk_iteration_spec *from, uint32_t n_in, uint8_t size, ob_arena *arena, const obk_program **out,
                           ob_error *error) {
    (void)from, (void)n_in, (void)size, (void)arena, (void)error;
    *out = NULL;
    return OB_OK;
}

ob_status obk_short_rows_plan(obk_iteration *b, const obk_iteration_spec *spec, ob_arena *arena, ob_error *error) {
    (void)b, (void)spec, (void)arena, (void)error;
    return OB_OK;
}
