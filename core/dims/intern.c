/* Hash-consing: a term of some kind and content is made once. */
#include <string.h>

#include "core/base/hash.h"
#include "core/dims/terms.h"

static uint32_t hash_words(const ob_dims *pool, ob_dim_kind kind, const int64_t *words, uint32_t n_words) {
    size_t n_bytes = n_words * sizeof *words;
    uint64_t hash =
        (pool->keyed ? ob__hash_keyed(&pool->hash_key, words, n_bytes) : ob__hash_bytes(words, n_bytes)) + (uint64_t)kind;
    return (uint32_t)(hash ^ (hash >> 32));
}

/* The slot of that term, or the empty slot where it belongs; n_slots is a power of two. */
static uint32_t find_slot(const ob_dims *pool, uint32_t hash, ob_dim_kind kind, const int64_t *words, uint32_t n_words) {
    uint32_t i = hash & (pool->n_slots - 1);
    for (; pool->slots[i]; i = (i + 1) & (pool->n_slots - 1)) {
        if (pool->slots[i] >> 32 != hash) continue;
        const ob_term *term = &pool->terms[(uint32_t)pool->slots[i] - 1];
        if (term->kind == kind && term->n_words == n_words && memcmp(term->words, words, n_words * sizeof *words) == 0) break;
    }
    return i;
}

/* The table anew with n_slots places, a power of two. */
static bool place_slots(ob_dims *pool, uint32_t n_slots) {
    const ob_allocator *allocator = &pool->arena.allocator;
    uint32_t n_old = pool->n_slots;
    uint64_t *slots = allocator->alloc(allocator->context, n_slots * sizeof *slots), *old = pool->slots;
    if (!slots) return false;
    memset(slots, 0, n_slots * sizeof *slots);
    for (uint32_t i = 0; i < n_old; i++) {
        uint32_t k = (uint32_t)(old[i] >> 32) & (n_slots - 1);
        while (old[i] && slots[k]) k = (k + 1) & (n_slots - 1);
        if (old[i]) slots[k] = old[i];
    }
    pool->slots = slots;
    pool->n_slots = n_slots;
    if (old) allocator->free(allocator->context, old, n_old * sizeof *old);
    return true;
}

static bool is_crowded(const ob_dims *pool, uint32_t slot) {
    uint32_t run = 1, mask = pool->n_slots - 1;
    for (uint32_t i = (slot - 1) & mask; run < OB_HASH_RUN && pool->slots[i]; i = (i - 1) & mask) run++;
    for (uint32_t i = (slot + 1) & mask; run < OB_HASH_RUN && pool->slots[i]; i = (i + 1) & mask) run++;
    return run >= OB_HASH_RUN;
}

/* Rebuilds the table with a hash that the file's author does not know. */
static bool place_keyed(ob_dims *pool) {
    pool->hash_key = ob__hash_key_new(pool->slots);
    pool->keyed = true;
    for (uint32_t i = 0; i < pool->n_slots; i++) {
        if (!pool->slots[i]) continue;
        uint32_t index = (uint32_t)pool->slots[i];
        const ob_term *term = &pool->terms[index - 1];
        pool->slots[i] = (uint64_t)hash_words(pool, (ob_dim_kind)term->kind, term->words, term->n_words) << 32 | index;
    }
    return place_slots(pool, pool->n_slots);
}

/* Adds the part's size, depth, anonymity and undefinedness; false beyond the limits. */
static bool count_part(const ob_dims *pool, ob_dim part, uint32_t *size, uint32_t *depth, bool *anonymous, bool *partial) {
    const ob_term *term = ob__term(pool, part);
    if (!term) return true;
    *size += term->size;
    if (term->depth > *depth) *depth = term->depth;
    *anonymous |= term->anonymous;
    *partial |= term->partial;
    return *size <= OB_TERM_SIZE;
}

static bool measure(const ob_dims *pool, ob_dim_kind kind, const int64_t *words, uint32_t n_words, ob_term *term) {
    uint32_t size = 1, depth = 0;
    bool anonymous = false, partial = kind == OB_DIM_KIND_BCAST;
    if (kind == OB_DIM_KIND_SUM) {
        for (uint32_t i = 1; i < n_words;) {
            uint32_t n_factors = (uint32_t)words[i + 1];
            for (uint32_t k = 0; k < n_factors; k++)
                if (!count_part(pool, words[i + 2 + k], &size, &depth, &anonymous, &partial)) return false;
            i += 2 + n_factors;
        }
    } else {
        uint32_t n_parts = kind == OB_DIM_KIND_DIV ? 1 : n_words;
        for (uint32_t i = 0; i < n_parts; i++)
            if (!count_part(pool, words[i], &size, &depth, &anonymous, &partial)) return false;
        if (kind == OB_DIM_KIND_QUOTIENT) partial |= ob__term(pool, words[1])->lowest < 1;
        depth++;
    }
    if (depth > OB_TERM_DEPTH) return false;
    term->size = (uint16_t)size;
    term->depth = (uint8_t)depth;
    term->anonymous = anonymous;
    term->partial = partial;
    return true;
}

ob_dim ob__term_intern(ob_dims *pool, ob_dim_kind kind, const int64_t *words, uint32_t n_words) {
    if (!pool) return OB_DIM_UNKNOWN;
    if (pool->n_hashed >= pool->n_slots / 2 && !place_slots(pool, pool->n_slots ? pool->n_slots * 2 : 128))
        return ob__dims_give_up(pool, OB_E_MEMORY);
    uint32_t hash = hash_words(pool, kind, words, n_words), slot = find_slot(pool, hash, kind, words, n_words);
    if (pool->slots[slot]) return ob__term_handle((uint32_t)pool->slots[slot] - 1);
    ob_term *term = ob__term_reserve(pool);
    if (!term) return OB_DIM_UNKNOWN;
    if (!measure(pool, kind, words, n_words, term)) return OB_DIM_UNKNOWN;
    int64_t *copy = ob__arena_alloc(&pool->arena, n_words * sizeof *copy);
    if (!copy) return ob__dims_give_up(pool, OB_E_MEMORY);
    memcpy(copy, words, n_words * sizeof *copy);
    term->kind = (uint8_t)kind;
    term->words = copy;
    term->n_words = n_words;
    ob__term_bounds(pool, term);
    pool->slots[slot] = (uint64_t)hash << 32 | ++pool->n_terms;
    pool->n_hashed++;
    pool->n_steps += n_words;
    if (!pool->keyed && is_crowded(pool, slot) && !place_keyed(pool)) return ob__dims_give_up(pool, OB_E_MEMORY);
    return ob__term_handle(pool->n_terms - 1);
}
