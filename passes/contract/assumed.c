#include "passes/contract/assumed.h"

#include "core/base/integers.h"
#include "core/dims/scratch.h"

typedef struct asserted {
    int64_t lowest, highest, divisor;
} asserted;

static const asserted *find(const void *context, ob_dim symbol) {
    const ob_map_entry *entry = ob__map_find(context, (const char *)&symbol, sizeof symbol);
    return entry ? entry->value : NULL;
}

static void range_of(const void *context, ob_dim symbol, int64_t *lowest, int64_t *highest) {
    const asserted *a = find(context, symbol);
    if (!a) return;
    if (a->lowest > *lowest) *lowest = a->lowest;
    if (a->highest < *highest) *highest = a->highest;
}

static int64_t divisor_of(const void *context, ob_dim symbol) {
    const asserted *a = find(context, symbol);
    return a ? a->divisor : 1;
}

/* factor * symbol + constant; false: the term is something else. */
static bool is_linear(const ob_dims *dims, ob_dim a, ob_dim b, ob_dim *symbol, int64_t *factor, int64_t *constant) {
    OB_POLYS(dims, left, 3);
    ob_poly *right = left + 1, *poly = left + 2;
    if (!left) return false;
    if (!ob__poly_load(dims, a, left) || !ob__poly_load(dims, b, right) || !ob__poly_add(left, right, -1, poly)) return false;
    if (poly->n != 1 || poly->monomials[0].n_factors != 1) return false;
    *symbol = poly->monomials[0].factors[0];
    *factor = poly->monomials[0].coefficient;
    *constant = poly->constant;
    return ob_dim_is_named(dims, *symbol);
}

static void take_in(asserted *a, const ob_condition *condition, int64_t factor, int64_t constant) {
    if (condition->kind == OB_COND_DIVISIBLE) {
        int64_t by = condition->b, common = ob__gcd(by, factor);
        if (constant % by != 0) return; /* another residue than 0 */
        by /= common;
        int64_t product = a->divisor / ob__gcd(a->divisor, by);
        if (!ob__mul_overflows(product, by, &product) && ob_dim_is_const(product)) a->divisor = product;
        return;
    }
    int64_t least = -ob__floor_div(constant, factor), most = ob__floor_div(-constant, factor);
    bool equal = condition->kind == OB_COND_EQUAL;
    if (equal ? factor != 0 : factor > 0)
        if (least > a->lowest) a->lowest = least;
    if (equal ? factor != 0 : factor < 0)
        if (most < a->highest) a->highest = most;
}

ob_status ob__assumed_facts(const ob_dims *dims, const ob_assumed *assumed, uint32_t n, ob_arena *arena, ob_assumed_facts *out) {
    ob__map_init(&out->symbols, arena);
    out->sizes = (ob_assumed_sizes){{range_of, &out->symbols, NULL}, divisor_of};
    for (uint32_t i = 0; i < n; i++) {
        const ob_condition *c = &assumed[i].condition;
        ob_dim symbol;
        int64_t factor, constant;
        if (assumed[i].clause) continue;
        bool known = c->kind == OB_COND_EQUAL || c->kind == OB_COND_AT_LEAST ||
                     (c->kind == OB_COND_DIVISIBLE && ob_dim_is_const(c->b) && c->b > 0);
        if (!known || !is_linear(dims, c->a, c->kind == OB_COND_DIVISIBLE ? 0 : c->b, &symbol, &factor, &constant)) continue;
        ob_map_entry *entry = ob__map_insert(&out->symbols, (const char *)&symbol, sizeof symbol);
        if (!entry) return OB_E_MEMORY;
        asserted *a = entry->value;
        if (!a) {
            entry->value = a = OB_ARENA_NEW(arena, asserted);
            if (!a) return OB_E_MEMORY;
            *a = (asserted){0, OB_DIM_CONST_MAX, 1};
        }
        take_in(a, c, factor, constant);
    }
    for (size_t i = 0; i < out->symbols.capacity; i++) { /* contradictions are left to the solver, which reports them */
        asserted *a = out->symbols.entries[i].key ? out->symbols.entries[i].value : NULL;
        if (a && a->lowest > a->highest) *a = (asserted){0, OB_DIM_CONST_MAX, 1};
    }
    return OB_OK;
}

bool ob__assumed_binding(const ob_dims *dims, const ob_condition *condition, ob_binding *out) {
    ob_dim symbol;
    int64_t factor, constant;
    if (condition->kind != OB_COND_EQUAL || !is_linear(dims, condition->a, condition->b, &symbol, &factor, &constant))
        return false;
    if (constant % factor != 0) return false;
    *out = (ob_binding){symbol, -(constant / factor)};
    return out->size >= 0 && ob_dim_is_const(out->size);
}
