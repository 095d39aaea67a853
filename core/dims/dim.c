/* The pool of dimension terms: symbols, hash-consing, the contents of terms. */
#include "onnx_broadcast/dim.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/base/list.h"
#include "core/dims/scratch.h"

enum { MAX_TERMS = 1 << 27 };

ob_status ob_dims_create(const ob_allocator *allocator, ob_dims **out) {
    if (!out) return OB_E_ARGUMENT;
    if (!allocator) allocator = ob_allocator_default();
    ob_dims *pool = allocator->alloc(allocator->context, sizeof *pool);
    if (!pool) return OB_E_MEMORY;
    memset(pool, 0, sizeof *pool);
    pool->scratch = allocator->alloc(allocator->context, sizeof *pool->scratch);
    if (!pool->scratch) {
        allocator->free(allocator->context, pool, sizeof *pool);
        return OB_E_MEMORY;
    }
    ob__scratch_init(pool->scratch, allocator);
    ob__arena_init(&pool->arena, allocator);
    ob__map_init(&pool->names, &pool->arena);
    *out = pool;
    return OB_OK;
}

void ob_dims_destroy(ob_dims **pool) {
    if (!pool || !*pool) return;
    ob_dims *dying = *pool;
    *pool = NULL;
    ob_allocator allocator = dying->arena.allocator;
    ob__list_free(&allocator, dying->terms, dying->capacity, sizeof *dying->terms);
    if (dying->slots) allocator.free(allocator.context, dying->slots, dying->n_slots * sizeof *dying->slots);
    ob__arena_release(&dying->arena);
    ob__scratch_release(dying->scratch);
    allocator.free(allocator.context, dying->scratch, sizeof *dying->scratch);
    allocator.free(allocator.context, dying, sizeof *dying);
}

ob_status ob_dims_status(const ob_dims *pool) {
    if (!pool) return OB_OK;
    return atomic_load(&pool->scratch->failed) ? OB_E_MEMORY : pool->status;
}

/* ---- Making terms ---- */

static ob_dim give_up(ob_dims *pool, ob_status status) {
    if (pool->status != OB_E_MEMORY) pool->status = status;
    return OB_DIM_UNKNOWN;
}

static ob_dim handle(uint32_t index) {
    return OB_DIM_CONST_MAX + 1 + (ob_dim)index;
}

/* A zeroed term at the end of the pool, not counted yet. */
static ob_term *reserve_term(ob_dims *pool) {
    if (pool->n_terms == MAX_TERMS) {
        give_up(pool, OB_E_LIMIT);
        return NULL;
    }
    if (pool->n_terms == pool->capacity) {
        ob_term *terms = ob__list_grown(&pool->arena.allocator, pool->terms, &pool->capacity, sizeof *terms);
        if (!terms) {
            give_up(pool, OB_E_MEMORY);
            return NULL;
        }
        pool->terms = terms;
    }
    ob_term *term = &pool->terms[pool->n_terms];
    memset(term, 0, sizeof *term);
    return term;
}

static ob_dim new_symbol(ob_dims *pool, const char *name) {
    ob_term *term = reserve_term(pool);
    if (!term) return OB_DIM_UNKNOWN;
    term->kind = OB_DIM_KIND_SYMBOL;
    term->name = name;
    term->highest = OB_DIM_CONST_MAX;
    term->size = 1;
    if (name) {
        size_t n = ob__name_bytes(name, &term->quoted);
        if (n > UINT32_MAX) return give_up(pool, OB_E_LIMIT);
        term->number = (uint32_t)n;
    } else {
        term->anonymous = true;
        term->number = ++pool->n_anonymous;
    }
    return handle(pool->n_terms++);
}

ob_dim ob_dim_symbol(ob_dims *pool, const char *name) {
    if (!pool || !name || !*name) return OB_DIM_UNKNOWN;
    ob_map_entry *entry = ob__map_insert(&pool->names, name, strlen(name));
    if (!entry) return give_up(pool, OB_E_MEMORY);
    if (entry->value) return handle((uint32_t)((uintptr_t)entry->value - 1));
    ob_dim symbol = new_symbol(pool, entry->key);
    if (symbol != OB_DIM_UNKNOWN) entry->value = (void *)(uintptr_t)pool->n_terms;
    return symbol;
}

ob_dim ob_dim_find(const ob_dims *pool, const char *name) {
    if (!pool || !name) return OB_DIM_UNKNOWN;
    const ob_map_entry *entry = ob__map_find(&pool->names, name, strlen(name));
    return entry && entry->value ? handle((uint32_t)((uintptr_t)entry->value - 1)) : OB_DIM_UNKNOWN;
}

ob_dim ob_dim_fresh(ob_dims *pool) {
    return pool ? new_symbol(pool, NULL) : OB_DIM_UNKNOWN;
}

/* ---- Hash-consing ---- */

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
        return give_up(pool, OB_E_MEMORY);
    uint32_t hash = hash_words(pool, kind, words, n_words), slot = find_slot(pool, hash, kind, words, n_words);
    if (pool->slots[slot]) return handle((uint32_t)pool->slots[slot] - 1);
    ob_term *term = reserve_term(pool);
    if (!term) return OB_DIM_UNKNOWN;
    if (!measure(pool, kind, words, n_words, term)) return OB_DIM_UNKNOWN;
    int64_t *copy = ob__arena_alloc(&pool->arena, n_words * sizeof *copy);
    if (!copy) return give_up(pool, OB_E_MEMORY);
    memcpy(copy, words, n_words * sizeof *copy);
    term->kind = (uint8_t)kind;
    term->words = copy;
    term->n_words = n_words;
    ob__term_bounds(pool, term);
    pool->slots[slot] = (uint64_t)hash << 32 | ++pool->n_terms;
    pool->n_hashed++;
    pool->n_steps += n_words;
    if (!pool->keyed && is_crowded(pool, slot) && !place_keyed(pool)) return give_up(pool, OB_E_MEMORY);
    return handle(pool->n_terms - 1);
}

/* ---- Looking at terms ---- */

ob_dim_kind ob_dim_get_kind(const ob_dims *pool, ob_dim d) {
    if (ob_dim_is_const(d)) return OB_DIM_KIND_CONST;
    const ob_term *term = ob__term(pool, d);
    return term ? (ob_dim_kind)term->kind : OB_DIM_KIND_UNKNOWN;
}

bool ob_dim_is_named(const ob_dims *pool, ob_dim d) {
    const ob_term *term = ob__term(pool, d);
    return term && term->name;
}

bool ob_dim_is_anonymous(const ob_dims *pool, ob_dim d) {
    if (ob_dim_is_const(d)) return false;
    const ob_term *term = ob__term(pool, d);
    return !term || term->anonymous;
}

void ob_dim_bounds(const ob_dims *pool, ob_dim d, int64_t *lowest, int64_t *highest) {
    if (ob_dim_is_const(d)) {
        *lowest = *highest = d;
        return;
    }
    const ob_term *term = ob__term(pool, d);
    *lowest = term ? term->lowest : -OB_DIM_CONST_MAX;
    *highest = term ? term->highest : OB_DIM_CONST_MAX;
}

const ob_dim *ob__bcast_members(const ob_dims *pool, const ob_dim *d, uint32_t *n) {
    const ob_term *term = ob__term(pool, *d);
    if (term && term->kind == OB_DIM_KIND_BCAST) {
        *n = term->n_words;
        return term->words;
    }
    *n = 1;
    return d;
}

/* ---- Symbols of a term ---- */

typedef struct symbol_walk {
    const ob_dims *pool;
    uint32_t n_seen;
    ob_dim *seen; /* room for all parts of the term */
} symbol_walk;

static void walk_symbols(symbol_walk *walk, ob_dim d) {
    const ob_term *term = ob__term(walk->pool, d);
    if (!term) return;
    switch (term->kind) {
    case OB_DIM_KIND_SYMBOL:
        for (uint32_t i = 0; i < walk->n_seen; i++)
            if (walk->seen[i] == d) return;
        walk->seen[walk->n_seen++] = d;
        break;
    case OB_DIM_KIND_SUM:
        for (uint32_t i = 1; i < term->n_words;) {
            uint32_t n_factors = (uint32_t)term->words[i + 1];
            for (uint32_t k = 0; k < n_factors; k++) walk_symbols(walk, term->words[i + 2 + k]);
            i += 2 + n_factors;
        }
        break;
    case OB_DIM_KIND_DIV: walk_symbols(walk, term->words[0]); break;
    default:
        for (uint32_t i = 0; i < term->n_words; i++) walk_symbols(walk, term->words[i]);
    }
}

void ob_dim_symbols(const ob_dims *pool, ob_dim d, bool (*visit)(void *context, ob_dim symbol), void *context) {
    if (!pool || !visit) return;
    const ob_term *term = ob__term(pool, d);
    if (!term) return;
    if (term->kind == OB_DIM_KIND_SYMBOL) {
        visit(context, d);
        return;
    }
    ob_dims_reading reading;
    ob__dims_read_begin(&reading, pool);
    ob_scratch_scope scope = ob__scratch_begin(reading.pool, term->size * sizeof(ob_dim));
    symbol_walk walk = {pool, 0, scope.memory};
    if (walk.seen) walk_symbols(&walk, d);
    /* Only now: a visit that makes terms moves those that are walked. */
    for (uint32_t i = 0; i < walk.n_seen; i++)
        if (!visit(context, walk.seen[i])) break;
    ob__scratch_end(&scope);
    ob__dims_read_end(&reading);
}
