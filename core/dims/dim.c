/* The pool of dimension terms: symbols, the contents of terms. */
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

ob_dim ob__dims_give_up(ob_dims *pool, ob_status status) {
    if (pool->status != OB_E_MEMORY) pool->status = status;
    return OB_DIM_UNKNOWN;
}

ob_term *ob__term_reserve(ob_dims *pool) {
    if (pool->n_terms == MAX_TERMS) {
        ob__dims_give_up(pool, OB_E_LIMIT);
        return NULL;
    }
    if (pool->n_terms == pool->capacity) {
        ob_term *terms = ob__list_grown(&pool->arena.allocator, pool->terms, &pool->capacity, sizeof *terms);
        if (!terms) {
            ob__dims_give_up(pool, OB_E_MEMORY);
            return NULL;
        }
        pool->terms = terms;
    }
    ob_term *term = &pool->terms[pool->n_terms];
    memset(term, 0, sizeof *term);
    return term;
}

static ob_dim new_symbol(ob_dims *pool, const char *name) {
    ob_term *term = ob__term_reserve(pool);
    if (!term) return OB_DIM_UNKNOWN;
    term->kind = OB_DIM_KIND_SYMBOL;
    term->name = name;
    term->highest = OB_DIM_CONST_MAX;
    term->size = 1;
    if (name) {
        size_t n = ob__name_bytes(name, &term->quoted);
        if (n > UINT32_MAX) return ob__dims_give_up(pool, OB_E_LIMIT);
        term->number = (uint32_t)n;
    } else {
        term->anonymous = true;
        term->number = ++pool->n_anonymous;
    }
    return ob__term_handle(pool->n_terms++);
}

ob_dim ob_dim_symbol(ob_dims *pool, const char *name) {
    if (!pool || !name || !*name) return OB_DIM_UNKNOWN;
    ob_map_entry *entry = ob__map_insert(&pool->names, name, strlen(name));
    if (!entry) return ob__dims_give_up(pool, OB_E_MEMORY);
    if (entry->value) return ob__term_handle((uint32_t)((uintptr_t)entry->value - 1));
    ob_dim symbol = new_symbol(pool, entry->key);
    if (symbol != OB_DIM_UNKNOWN) entry->value = (void *)(uintptr_t)pool->n_terms;
    return symbol;
}

ob_dim ob_dim_find(const ob_dims *pool, const char *name) {
    if (!pool || !name) return OB_DIM_UNKNOWN;
    const ob_map_entry *entry = ob__map_find(&pool->names, name, strlen(name));
    return entry && entry->value ? ob__term_handle((uint32_t)((uintptr_t)entry->value - 1)) : OB_DIM_UNKNOWN;
}

ob_dim ob_dim_fresh(ob_dims *pool) {
    return pool ? new_symbol(pool, NULL) : OB_DIM_UNKNOWN;
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
