/* Claims: declarations of a file for sizes that inference does not know. They give names and are compared; they prove nothing.
 * */
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "core/dims/terms.h"
#include "passes/check/facts.h"

const ob_claim *ob__claim_of(const ob_facts *facts, const ob_dims *dims, ob_dim size) {
    const ob_term *term = ob__term(dims, size);
    if (!term || term->kind != OB_DIM_KIND_SYMBOL || !term->anonymous || term->number >= facts->claim_of_capacity) return NULL;
    uint32_t place = facts->claim_of[term->number];
    return place ? &facts->claims[place - 1] : NULL;
}

/* Room for one more claim, and for the number of the size. */
static ob_status reserve(ob_facts *facts, const ob_term *term) {
    const ob_allocator *allocator = &facts->arena.allocator;
    if (facts->n_claims == facts->claims_capacity) {
        ob_claim *grown = ob__list_grown(allocator, facts->claims, &facts->claims_capacity, sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        facts->claims = grown;
    }
    while (term && term->number >= facts->claim_of_capacity) {
        uint32_t *grown = ob__list_grown(allocator, facts->claim_of, &facts->claim_of_capacity, sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        facts->claim_of = grown;
    }
    return OB_OK;
}

ob_status ob__claim_add(ob_facts *facts, const ob_dims *dims, const ob_claim *claim) {
    const ob_term *term = ob__term(dims, claim->size);
    OB_TRY(reserve(facts, term));
    facts->claims[facts->n_claims++] = *claim;
    if (term) facts->claim_of[term->number] = facts->n_claims;
    return OB_OK;
}

void ob__claims_rewind(ob_facts *facts, const ob_dims *dims, uint32_t n) {
    while (facts->n_claims > n) {
        const ob_term *term = ob__term(dims, facts->claims[--facts->n_claims].size);
        if (term) facts->claim_of[term->number] = 0;
    }
}

/* ---- Sizes under the claims ---- */

enum { MOST_CLAIMED = 16 }; /* limit of sizes of one term that are looked up; the others stay */

typedef struct claimed {
    const ob_facts *facts;
    const ob_dims *dims;
    ob_binding bindings[MOST_CLAIMED];
    size_t n;
} claimed;

static bool bind_claimed(void *context, ob_dim symbol) {
    claimed *c = context;
    const ob_claim *claim = ob__claim_of(c->facts, c->dims, symbol);
    if (claim && ob_dim_is_const(claim->declared)) c->bindings[c->n++] = (ob_binding){symbol, claim->declared};
    return c->n < MOST_CLAIMED;
}

ob_dim ob__as_claimed(const ob_facts *facts, ob_dims *dims, ob_dim size) {
    if (facts->n_claims == 0 || !ob_dim_is_anonymous(dims, size)) return size;
    const ob_claim *claim = ob__claim_of(facts, dims, size);
    if (claim) return claim->declared;
    claimed c = {.facts = facts, .dims = dims};
    ob_dim_symbols(dims, size, bind_claimed, &c);
    return c.n ? ob_dim_substitute(dims, size, c.bindings, c.n) : size;
}
