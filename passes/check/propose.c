/* Fixes that follow from a finding's id and the shapes of its operands. */
#include <string.h>

#include "core/base/error.h"
#include "ops/table/op.h"
#include "passes/check/fix.h"

/* One fix, made in the arena. */
static ob_status one(const ob_fix *fix, ob_arena *arena, const ob_fix **fixes, uint32_t *n) {
    ob_fix *made = OB_ARENA_NEW(arena, ob_fix);
    if (!made) return OB_E_MEMORY;
    *made = *fix;
    *fixes = made;
    *n = 1;
    return OB_OK;
}

static bool meets(ob_dim from, ob_dim to) {
    return from != OB_DIM_UNKNOWN && (from == to || from == 1);
}

/* The places in `to` that the axes of `from` can take, in order. */
typedef struct placing {
    int32_t at[OB_MAX_RANK]; /* for each axis of `from` its axis in `to` */
    uint64_t n;              /* number of ways, saturated at 2 */
    bool fits;
} placing;

/* Counts the ways to place the axes in ascending order; of several, `at` keeps the block that needs the fewest ones after it, or
 * else the one whose axes are furthest right. */
static placing place(const ob_shape *from, const ob_shape *to) {
    placing p = {.n = 0};
    uint8_t ways[OB_MAX_RANK + 1]; /* to place the axes seen so far among the first axes of `to`, saturated */
    memset(ways, 1, sizeof ways);
    for (int32_t i = 0; i < from->rank; i++) {
        uint8_t before = ways[0]; /* of the axes before i among the first k */
        ways[0] = 0;
        for (int32_t k = 0; k < to->rank; k++) {
            uint8_t here = meets(from->dims[i], to->dims[k]) ? before : 0;
            before = ways[k + 1];
            ways[k + 1] = ways[k] + here > 2 ? 2 : (uint8_t)(ways[k] + here);
        }
    }
    p.n = ways[to->rank];
    p.fits = p.n > 0;
    for (int32_t n = 1; p.fits && from->rank + n <= to->rank; n++) { /* a block with n ones after it */
        int32_t first = to->rank - from->rank - n, i = 0;
        while (i < from->rank && meets(from->dims[i], to->dims[first + i])) i++;
        if (i < from->rank) continue;
        for (i = 0; i < from->rank; i++) p.at[i] = first + i;
        return p;
    }
    for (int32_t i = from->rank - 1, k = to->rank - 1; p.fits && i >= 0; i--, k--) {
        while (k >= i && !meets(from->dims[i], to->dims[k])) k--;
        p.fits = k >= i;
        if (p.fits) p.at[i] = k;
    }
    return p;
}

/* New axes of size 1 for `from`, so that it broadcasts to `to`. *n 0: none help. n_fixed: last axes that do not broadcast. */
static ob_status new_axes(const ob_node *node, uint32_t operand, const ob_shape *from, const ob_shape *to, int32_t n_fixed,
                          ob_arena *arena, const ob_fix **fixes, uint32_t *n) {
    const ob_shape free_from = {from->rank - n_fixed, from->dims}, free_to = {to->rank - n_fixed, to->dims};
    if (free_from.rank < 1 || from->rank >= to->rank || to->rank > OB_MAX_RANK) return OB_OK;
    const placing p = place(&free_from, &free_to);
    if (!p.fits) return OB_OK;
    int32_t *axes = OB_ARENA_ARRAY(arena, int32_t, OB_MAX_RANK);
    ob_dim *dims = OB_ARENA_ARRAY(arena, ob_dim, OB_MAX_RANK);
    if (!axes || !dims) return OB_E_MEMORY;
    uint32_t n_axes = 0; /* ones before the first axis of `from` are not needed */
    for (int32_t k = p.at[0], i = 0; k < free_to.rank; k++) {
        if (i < free_from.rank && p.at[i] == k)
            i++;
        else
            axes[n_axes++] = k - p.at[0];
    }
    if (n_axes == 0) return OB_OK;
    ob_fix fix = ob__fix_new_axes(node, operand, from, axes, n_axes, dims);
    fix.is_guess = p.n > 1;
    return one(&fix, arena, fixes, n);
}

static ob_status propose_broadcast(const ob_finding *finding, ob_arena *arena, const ob_fix **fixes, uint32_t *n) {
    const ob_node *node = finding->node;
    const int32_t n_fixed = node->op->broadcast == OB_BCAST_BATCH ? 2 : 0; /* the matrices of a product */
    for (uint32_t a = finding->n_operands; a-- > 0;)
        for (uint32_t b = 0; b < finding->n_operands && *n == 0; b++) {
            uint32_t input = ob__finding_input(finding, a);
            if (a == b || input >= node->n_inputs || !node->inputs[input]) continue;
            OB_TRY(new_axes(node, input, &finding->operands[a], &finding->operands[b], n_fixed, arena, fixes, n));
        }
    return OB_OK;
}

/* An operand stretched to a product meets a shape that is not among the operands. */
static ob_status propose_onto_product(const ob_finding *finding, ob_arena *arena, const ob_fix **fixes, uint32_t *n) {
    uint32_t operand = finding->node->op->stretch.first;
    ob_dim dims[2];
    ob_shape product = {2, dims};
    if (finding->n_operands <= operand || operand >= finding->node->n_inputs ||
        !ob__product_shape(finding->node, finding->operands, dims))
        return OB_OK;
    return new_axes(finding->node, operand, &finding->operands[operand], &product, 0, arena, fixes, n);
}

ob_status ob__fixes_of(const ob_finding *finding, ob_arena *arena, const ob_fix **fixes, uint32_t *n) {
    *fixes = finding->fixes;
    *n = finding->n_fixes;
    if (*n > 0) return OB_OK;
    const ob_op *op = finding->node ? finding->node->op : NULL;
    if (finding->id == OB0702 && finding->node && finding->node->graph->n_early > 0) { /* not in a cycle */
        const ob_fix sort = ob__fix(OB_FIX_KIND_SORT, NULL);
        return one(&sort, arena, fixes, n);
    }
    const bool of_batches = finding->id == OB0104 && finding->axis >= 0; /* the matrices themselves fit */
    if (!op || finding->n_operands < 2 || (finding->id != OB0101 && finding->id != OB0102 && !of_batches)) return OB_OK;
    if (op->stretch.onto == OB_ONTO_PRODUCT) return propose_onto_product(finding, arena, fixes, n);
    return propose_broadcast(finding, arena, fixes, n);
}
