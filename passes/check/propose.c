/* Fixes that follow from a finding's id and the shapes of its operands. */
#include <string.h>

#include "core/base/error.h"
#include "ops/elementwise/params.h"
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

/* A vector whose only axis other than 1 stands at the wrong place, as ONNX's converter leaves channels of opset 6: it moves to
 * the only axis that has its size. */
static ob_status move_axis(const ob_node *node, uint32_t operand, const ob_shape *from, const ob_shape *to, ob_arena *arena,
                           const ob_fix **fixes, uint32_t *n) {
    int32_t at = -1, target = -1, n_long = 0, n_targets = 0;
    if (from->rank < 2 || from->rank > to->rank) return OB_OK;
    for (int32_t i = 0; i < from->rank; i++) {
        if (from->dims[i] == 1) continue;
        n_long++;
        at = i;
    }
    for (int32_t i = 0; i < from->rank && n_long == 1; i++) {
        if (to->dims[to->rank - from->rank + i] != from->dims[at] || from->dims[at] == OB_DIM_UNKNOWN) continue;
        n_targets++;
        target = i;
    }
    if (n_targets != 1 || target == at) return OB_OK;
    int32_t *perm = OB_ARENA_ARRAY(arena, int32_t, (size_t)from->rank);
    ob_dim *dims = OB_ARENA_ARRAY(arena, ob_dim, (size_t)from->rank);
    if (!perm || !dims) return OB_E_MEMORY;
    for (int32_t i = 0; i < from->rank; i++) perm[i] = i == target ? at : i == at ? target : i;
    for (int32_t i = 0; i < from->rank; i++) dims[i] = from->dims[perm[i]];
    const ob_value *value = node->inputs[operand];
    const bool constant = value->is_initializer && !value->is_input;
    ob_fix fix = ob__fix(constant ? OB_FIX_KIND_RESHAPE : OB_FIX_KIND_TRANSPOSE, node);
    fix.operand = (int32_t)operand;
    fix.axes = perm;
    fix.n_axes = constant ? 0 : (uint32_t)from->rank;
    fix.from = *from;
    fix.to = (ob_shape){from->rank, dims};
    return one(&fix, arena, fixes, n);
}

typedef ob_status (*propose_for)(const ob_node *node, uint32_t operand, const ob_shape *from, const ob_shape *to, ob_arena *arena,
                                 const ob_fix **fixes, uint32_t *n);

static ob_status add_axes(const ob_node *node, uint32_t operand, const ob_shape *from, const ob_shape *to, ob_arena *arena,
                          const ob_fix **fixes, uint32_t *n) {
    const int32_t n_fixed = node->op->broadcast == OB_BCAST_BATCH ? 2 : 0; /* the matrices of a product */
    return new_axes(node, operand, from, to, n_fixed, arena, fixes, n);
}

/* The first pair of operands for which there is one, the last operand first. */
static ob_status for_pairs(const ob_finding *finding, propose_for propose, ob_arena *arena, const ob_fix **fixes, uint32_t *n) {
    for (uint32_t a = finding->n_operands; a-- > 0;)
        for (uint32_t b = 0; b < finding->n_operands && *n == 0; b++) {
            const uint32_t input = ob__finding_input(finding, a);
            if (a == b || input >= finding->node->n_inputs || !finding->node->inputs[input]) continue;
            OB_TRY(propose(finding->node, input, &finding->operands[a], &finding->operands[b], arena, fixes, n));
        }
    return OB_OK;
}

static ob_status propose_broadcast(const ob_finding *finding, ob_arena *arena, const ob_fix **fixes, uint32_t *n) {
    OB_TRY(for_pairs(finding, add_axes, arena, fixes, n));
    return *n || finding->node->op->broadcast == OB_BCAST_BATCH ? OB_OK : for_pairs(finding, move_axis, arena, fixes, n);
}

/* Opset 1-6: the only axis at which operand 1 is a part of operand 0; or the operands in the other order. */
static ob_status propose_axis(const ob_finding *finding, ob_arena *arena, const ob_fix **fixes, uint32_t *n) {
    if (finding->n_operands < 2 || finding->node->n_inputs < 2) return OB_OK;
    const ob_shape *a = &finding->operands[0], *b = &finding->operands[1];
    if (a->rank < 0 || b->rank < 0) return OB_OK;
    ob_fix fix = ob__fix(OB_FIX_KIND_AXIS, finding->node);
    uint32_t n_places = 0;
    for (int32_t first = 0; b->rank > 0 && first + b->rank <= a->rank; first++) {
        int32_t i = 0;
        while (i < b->rank && b->dims[i] != OB_DIM_UNKNOWN && b->dims[i] == a->dims[first + i]) i++;
        if (i < b->rank) continue;
        if (n_places++ == 0) fix.other = first;
    }
    fix.is_guess = n_places > 1;
    if (n_places > 0) return one(&fix, arena, fixes, n);
    if (b->rank <= a->rank || !ob__commutes(finding->node->op)) return OB_OK;
    fix = ob__fix(OB_FIX_KIND_SWAP, finding->node);
    fix.operand = 0;
    fix.other = 1;
    return one(&fix, arena, fixes, n);
}

/* A product of matrices (M,K) and (N,K): the only one of them that fits when its last two axes are exchanged. */
static ob_status propose_matrix(const ob_finding *finding, ob_arena *arena, const ob_fix **fixes, uint32_t *n) {
    const ob_shape *a = &finding->operands[0], *b = &finding->operands[1];
    if (a->rank < 2 || b->rank < 2 || finding->node->n_inputs < 2) return OB_OK;
    const ob_dim *x = a->dims + a->rank - 2, *y = b->dims + b->rank - 2;
    const bool second = x[1] == y[1] && x[1] != OB_DIM_UNKNOWN, first = x[0] == y[0] && x[0] != OB_DIM_UNKNOWN;
    if (!first && !second) return OB_OK;
    const uint32_t operand = second ? 1 : 0;
    const ob_shape *from = second ? b : a;
    int32_t *perm = OB_ARENA_ARRAY(arena, int32_t, (size_t)from->rank);
    ob_dim *dims = OB_ARENA_ARRAY(arena, ob_dim, (size_t)from->rank);
    if (!perm || !dims) return OB_E_MEMORY;
    for (int32_t i = 0; i < from->rank; i++) perm[i] = i < from->rank - 2 ? i : 2 * from->rank - 3 - i;
    for (int32_t i = 0; i < from->rank; i++) dims[i] = from->dims[perm[i]];
    ob_fix fix = ob__fix(OB_FIX_KIND_TRANSPOSE, finding->node);
    fix.operand = (int32_t)operand;
    fix.is_guess = first && second;
    fix.axes = perm;
    fix.n_axes = (uint32_t)from->rank;
    fix.from = *from;
    fix.to = (ob_shape){from->rank, dims};
    return one(&fix, arena, fixes, n);
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
    if (!op || finding->n_operands < 2) return OB_OK;
    switch (finding->id) {
    case OB0105: return propose_axis(finding, arena, fixes, n);
    case OB0104:
        if (op->broadcast != OB_BCAST_BATCH) return OB_OK;
        return finding->axis >= 0 ? propose_broadcast(finding, arena, fixes, n) : propose_matrix(finding, arena, fixes, n);
    case OB0101:
    case OB0102:
        if (op->stretch.onto == OB_ONTO_PRODUCT) return propose_onto_product(finding, arena, fixes, n);
        return propose_broadcast(finding, arena, fixes, n);
    default: return OB_OK;
    }
}
