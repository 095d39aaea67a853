/* Clauses that say less than another one: all its literals are among theirs. */
#include "core/error.h"
#include "core/solving.h"

enum { MAX_TRIED = 256 }; /* clauses that one is held against */

/* literal -> the clauses that have it */
typedef struct literal_index {
    ob_map map;
    ob_arena *arena;
} literal_index;

typedef struct literal_entry {
    ob_link *clauses;
    uint32_t n;
} literal_entry;

static ob_status entry_of(literal_index *index, const ob_literal *literal, literal_entry **out) {
    const int64_t key[3] = {(int64_t)literal->kind, literal->p, literal->q};
    ob_map_entry *entry = ob__map_insert(&index->map, (const char *)key, sizeof key);
    if (!entry) return OB_E_MEMORY;
    if (!entry->value) entry->value = OB_ARENA_NEW(index->arena, literal_entry);
    *out = entry->value;
    return *out ? OB_OK : OB_E_MEMORY;
}

static ob_status add_clause(literal_index *index, const ob_work_clause *clause, uint32_t number) {
    for (uint32_t i = 0; i < clause->n; i++) {
        literal_entry *entry;
        ob_link *link = OB_ARENA_NEW(index->arena, ob_link);
        OB_TRY(entry_of(index, &clause->literals[i].literal, &entry));
        if (!link) return OB_E_MEMORY;
        *link = (ob_link){entry->clauses, number};
        entry->clauses = link;
        entry->n++;
    }
    return OB_OK;
}

bool ob__clause_has_all(const ob_work_literal *literals, uint32_t n, const ob_work_clause *smaller) {
    for (uint32_t i = 0; i < smaller->n; i++) {
        const ob_literal *wanted = &smaller->literals[i].literal;
        bool found = false;
        for (uint32_t k = 0; k < n && !found; k++) {
            const ob_literal *one = &literals[k].literal;
            found = one->kind == wanted->kind && one->p == wanted->p && one->q == wanted->q;
        }
        if (!found) return false;
    }
    return true;
}

static ob_status drop_larger(ob_solver *s, literal_index *index, uint32_t number) {
    ob_work_clause *clause = &s->clauses[number];
    literal_entry *rarest = NULL, *entry;
    for (uint32_t i = 0; i < clause->n; i++) {
        OB_TRY(entry_of(index, &clause->literals[i].literal, &entry));
        if (!rarest || entry->n < rarest->n) rarest = entry;
    }
    uint32_t tried = 0;
    for (const ob_link *link = rarest->clauses; link && tried < MAX_TRIED; link = link->next) {
        ob_work_clause *other = &s->clauses[link->number];
        if (link->number == number || other->dropped || other->n < clause->n || (other->assumed && !clause->assumed)) continue;
        tried++;
        if (other->n == clause->n && link->number < number && other->assumed == clause->assumed)
            continue; /* which drops this one */
        if (!ob__clause_has_all(other->literals, other->n, clause)) continue;
        clause->pinned |= other->pinned;
        other->dropped = true;
    }
    return OB_OK;
}

ob_status ob__solver_subsume(ob_solver *s) {
    ob_arena arena;
    ob__arena_init(&arena, &s->arena->allocator);
    literal_index index = {.arena = &arena};
    ob__map_init(&index.map, &arena);
    ob_status status = OB_OK;
    for (uint32_t i = 0; i < s->n_clauses && status == OB_OK; i++)
        if (!s->clauses[i].dropped) status = add_clause(&index, &s->clauses[i], i);
    for (uint32_t i = 0; i < s->n_clauses && status == OB_OK; i++)
        if (!s->clauses[i].dropped) status = drop_larger(s, &index, i);
    return ob__arena_finish(&arena, status);
}
