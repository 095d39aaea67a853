#include <string.h>

#include "ops/body/body.h"
#include "ops/table/select.h"

static const ob_body table[] = {
#define OB_BODY(domain_, name_, since_, ...) OB_IF_OPERATOR(name_)({domain_, #name_, since_, #__VA_ARGS__}, )
#include "ops/table/bodies.def"
#undef OB_BODY
    {NULL, NULL, 0, NULL} /* so that it is never empty */
};

enum { N_BODIES = sizeof table / sizeof table[0] - 1 };

size_t ob__body_count(void) {
    return N_BODIES;
}

const ob_body *ob__body_at(size_t index) {
    return index < N_BODIES ? &table[index] : NULL;
}

bool ob__body_is_nearer(const ob_body *row, const ob_op *op, const ob_body *best) {
    if (row->since > op->since || (best && row->since < best->since)) return false;
    if (strcmp(row->name, op->name) != 0 || strcmp(row->domain, op->domain) != 0) return false;
    return ob__op_index(op) != SIZE_MAX; /* false for an operator of a library, whatever its name */
}

const ob_body *ob__body_of(const ob_op *op) {
    const ob_body *best = NULL;
    for (size_t i = 0; i < N_BODIES; i++)
        if (ob__body_is_nearer(&table[i], op, best)) best = &table[i];
    return best;
}

const char *ob__no_kernel(void) {
    return "the executor has no kernel for it";
}
