#include "ops/body/derivative.h"
#include "ops/table/select.h"

#define ROW(domain_, name_, since_, text_, kind_, fill_)                                                                         \
    OB_IF_OPERATOR(name_)({{domain_, #name_, since_, text_}, OB_DERIVATIVE_##kind_, fill_}, )
static const ob_derivative table[] = {
#define OB_DERIVATIVE(domain, name, since, ...)        ROW(domain, name, since, #__VA_ARGS__, WHOLE, -1)
#define OB_DERIVATIVE_PAIRS(domain, name, since, ...)  ROW(domain, name, since, #__VA_ARGS__, PAIRS, -1)
#define OB_DERIVATIVE_EACH(domain, name, since, ...)   ROW(domain, name, since, #__VA_ARGS__, EACH, -1)
#define OB_DERIVATIVE_MOVES(domain, name, since, fill) ROW(domain, name, since, "", MOVES, fill)
#define OB_DERIVATIVE_ZERO(domain, name, since)        ROW(domain, name, since, "", ZERO, -1)
#include "ops/table/derivatives.def"
#undef OB_DERIVATIVE
#undef OB_DERIVATIVE_PAIRS
#undef OB_DERIVATIVE_EACH
#undef OB_DERIVATIVE_MOVES
#undef OB_DERIVATIVE_ZERO
    {{NULL, NULL, 0, NULL}, OB_DERIVATIVE_ZERO, -1} /* so that it is never empty */
};

enum { N_ROWS = sizeof table / sizeof table[0] - 1 };

size_t ob__derivative_count(void) {
    return N_ROWS;
}

const ob_derivative *ob__derivative_at(size_t index) {
    return index < N_ROWS ? &table[index] : NULL;
}

const ob_derivative *ob__derivative_of(const ob_op *op) {
    const ob_derivative *best = NULL;
    for (size_t i = 0; i < N_ROWS; i++)
        if (ob__body_is_nearer(&table[i].body, op, best ? &best->body : NULL)) best = &table[i];
    return best;
}
