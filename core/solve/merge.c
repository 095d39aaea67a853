/* Joins clauses that differ only in one symbol: "A or x in S" and "A or x in T" become "A or x in both". The part of a clause
 * on one symbol alone is written in the shortest form. Sets of sizes are computed without facts, so that each clause keeps its
 * own meaning. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "core/base/text.h"
#include "core/dims/scratch.h"
#include "core/solve/solver.h"

enum {
    MAX_CLAUSES = 1024,
    MAX_LITERALS = 64,
    MAX_ROUNDS = 4,
    REPEATED = 12 /* assumed bytes of the rest of a clause, which is written once less */
};

/* A clause, split into the part on one symbol and the rest. */
typedef struct split {
    uint32_t clause;
    ob_work_literal *own; /* of the symbol alone, and no guards */
    uint32_t n_own;
    int64_t *key; /* the symbol and the other literals */
    size_t n_key;
} split;

typedef struct merging {
    ob_solver *s;
    ob_arena *arena; /* of one round */
    ob_map map;      /* key -> list of splits */
    bool changed;
} merging;

typedef struct split_list {
    split *items;
    uint32_t n, capacity, fact;
} split_list;

/* Is that literal of the symbol alone, and no guard? */
static ob_status is_own(ob_solver *s, const ob_work_literal *literal, uint32_t fact, bool *own) {
    ob_symbol_set set;
    OB_TRY(ob__clause_symbols(s, literal, 1, &set));
    *own = !literal->guard && !set.overflow && set.n == 1 && set.items[0] == fact;
    return OB_OK;
}

static ob_status split_by(merging *m, uint32_t number, uint32_t fact, split *out) {
    const ob_work_clause *c = &m->s->clauses[number];
    *out = (split){.clause = number,
                   .own = OB_ARENA_ARRAY(m->arena, ob_work_literal, c->n),
                   .key = OB_ARENA_ARRAY(m->arena, int64_t, 3 * (size_t)c->n + 1)};
    if (!out->own || !out->key) return OB_E_MEMORY;
    out->key[out->n_key++] = fact;
    for (uint32_t i = 0; i < c->n; i++) {
        bool own;
        OB_TRY(is_own(m->s, &c->literals[i], fact, &own));
        if (own) {
            out->own[out->n_own++] = c->literals[i];
            continue;
        }
        out->key[out->n_key++] = (int64_t)c->literals[i].literal.kind * 2 + c->literals[i].guard;
        out->key[out->n_key++] = c->literals[i].literal.p;
        out->key[out->n_key++] = c->literals[i].literal.q;
    }
    return OB_OK;
}

/* Clauses that this takes on: others are the result of other steps, or too long. */
static bool is_taken(const ob_work_clause *c) {
    return !c->dropped && !c->assumed && !c->defines && c->n <= MAX_LITERALS && c->n_symbols > 0;
}

/* Does the part on the symbol have another form: several literals, or a bound of a remainder? */
static bool has_words(const ob_solver *s, const split *one) {
    const ob_literal *literal = &one->own[0].literal;
    const ob_term *term = one->n_own == 1 && literal->kind == OB_LITERAL_NONNEGATIVE ? ob__term(s->dims, literal->p) : NULL;
    return one->n_own > 1 || (term && term->depth > 0);
}

/* ---- The joined part on the symbol ---- */

static size_t length_of(const merging *m, const split *of) {
    ob_literal literals[MAX_LITERALS];
    ob_text text;
    ob__text_init(&text, &m->arena->allocator);
    for (uint32_t i = 0; i < of->n_own; i++) literals[i] = of->own[i].literal;
    const ob_solved_clause clause = {.literals = literals, .n = of->n_own};
    ob__solved_write(&text, m->s->dims, &clause);
    size_t n = text.failed ? 0 : text.n;
    ob__text_release(&text);
    return n;
}

/* A copy of clause `from` with these literals. */
static ob_status insert(merging *m, const split *from, const ob_literal *literals, uint32_t n, uint32_t fact, uint32_t reason,
                        uint32_t *made) {
    ob_solver *s = m->s;
    const ob_work_clause c = s->clauses[from->clause];
    ob_work_literal *all = OB_ARENA_ARRAY(m->arena, ob_work_literal, (size_t)c.n + n);
    uint32_t n_all = 0;
    bool told = false;
    if (!all) return OB_E_MEMORY;
    for (uint32_t i = 0; i < c.n; i++) {
        bool own;
        OB_TRY(is_own(s, &c.literals[i], fact, &own));
        if (!own) all[n_all++] = c.literals[i];
        if (!own || told) continue;
        told = true;
        for (uint32_t k = 0; k < n; k++) all[n_all++] = (ob_work_literal){literals[k], false};
    }
    return ob__solver_insert(s, all, n_all, reason, c.origins, false, true, made); /* pinned: a range stays in one clause */
}

/* Among texts of equal length: "!= 0" before ">= 1", and the sizes of a list in ascending order. */
static bool reads_better(const ob_work_clause *is, const ob_set_form *form) {
    const ob_literal *literals = form->clauses[0].literals;
    if (is->n == 1) return literals[0].kind != OB_LITERAL_NONNEGATIVE;
    bool same = is->n == form->clauses[0].n;
    for (uint32_t i = 0; i < is->n && same; i++) same = is->literals[i].literal.p == literals[i].p;
    return !same;
}

/* The splits differ only in the literals that they add. */
static ob_status merge(merging *m, const split_list *list) {
    ob_solver *s = m->s;
    ob_work_clause *sides = OB_ARENA_ARRAY(m->arena, ob_work_clause, list->n),
                   **pointers = OB_ARENA_ARRAY(m->arena, ob_work_clause *, list->n);
    ob_set_form *form = OB_ARENA_NEW(m->arena, ob_set_form);
    const ob_dim x = s->facts[list->fact].symbol;
    size_t before = 0;
    uint32_t n = 0, reason = 0, made;
    ob_set set;
    bool known;
    if (!sides || !pointers || !form) return OB_E_MEMORY;
    for (uint32_t i = 0; i < list->n; i++) {
        const split *one = &list->items[i];
        if (s->clauses[one->clause].dropped) continue;
        sides[n] = (ob_work_clause){.literals = one->own, .n = one->n_own};
        pointers[n] = &sides[n];
        n++;
        before += length_of(m, one) + OB_CLAUSE_LENGTH;
        OB_TRY(ob__solver_reason(s, reason, s->clauses[one->clause].reason, &reason));
    }
    if (!ob__solver_spend(s, n)) return OB_OK;
    OB_TRY(ob__set_of(s, x, pointers, n, m->arena, &set, &known));
    if (!known || !ob__set_form(s->dims, x, &set, false, m->arena, form)) return OB_OK;
    int64_t least, greatest;
    ob__set_ends(&set, &least, &greatest);
    if (least >= 0 && !ob__set_form_says(s, x, &set, form)) return OB_OK; /* a set without sizes has no words */
    before += (size_t)(n - (form->n < n ? form->n : n)) * REPEATED;
    before += n == 1 && form->n == 1 && reads_better(&sides[0], form);
    if (form->n > n || (form->n > 0 && ob__set_form_length(s->dims, form, m->arena) >= before)) return OB_OK;
    const split *first = NULL;
    uint32_t first_made = s->n_clauses;
    for (uint32_t i = 0; i < list->n; i++) {
        if (s->clauses[list->items[i].clause].dropped) continue;
        if (!first) first = &list->items[i];
        s->clauses[list->items[i].clause].dropped = true;
    }
    m->changed = true;
    if (least < 0) OB_TRY(insert(m, first, NULL, 0, list->fact, reason, &made)); /* for no size: the rest must hold */
    for (uint32_t i = 0; i < form->n; i++)
        OB_TRY(insert(m, first, form->clauses[i].literals, form->clauses[i].n, list->fact, reason, &made));
    for (uint32_t i = first_made; i < s->n_clauses; i++)
        for (uint32_t k = 0; k < list->n; k++)
            OB_TRY(ob__solver_add_origins(s, &s->clauses[i], s->clauses[list->items[k].clause].origins));
    return OB_OK;
}

/* ---- Rounds ---- */

static ob_status add(merging *m, const split *one, uint32_t fact, split_list ***lists, uint32_t *n, uint32_t *capacity) {
    ob_map_entry *entry = ob__map_insert(&m->map, (const char *)one->key, one->n_key * sizeof *one->key);
    if (!entry) return OB_E_MEMORY;
    split_list *list = entry->value;
    if (!list) {
        list = entry->value = OB_ARENA_NEW(m->arena, split_list);
        split_list **grown = ob__list_in_arena(m->arena, *lists, capacity, *n + 1, sizeof *grown);
        if (!list || !grown) return OB_E_MEMORY;
        *list = (split_list){.fact = fact};
        *lists = grown;
        (*lists)[(*n)++] = list;
    }
    split *items = ob__list_in_arena(m->arena, list->items, &list->capacity, list->n + 1, sizeof *items);
    if (!items) return OB_E_MEMORY;
    list->items = items;
    list->items[list->n++] = *one;
    return OB_OK;
}

static uint32_t count_left(const merging *m, const split_list *list) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->n; i++) n += !m->s->clauses[list->items[i].clause].dropped;
    return n;
}

/* Each clause separately. */
static ob_status shorten(merging *m) {
    ob_solver *s = m->s;
    const uint32_t n = s->n_clauses;
    uint32_t n_taken = 0;
    for (uint32_t i = 0; i < n && n_taken < MAX_CLAUSES && !s->clashed; i++) {
        if (!is_taken(&s->clauses[i]) || !ob__solver_spend(s, s->clauses[i].n)) continue;
        n_taken++;
        for (uint32_t k = 0; k < s->clauses[i].n_symbols && !s->clauses[i].dropped; k++) {
            split one;
            const uint32_t fact = s->clauses[i].symbols[k];
            OB_TRY(split_by(m, i, fact, &one));
            const split_list only = {.items = &one, .n = 1, .fact = fact};
            if (has_words(s, &one)) OB_TRY(merge(m, &only));
        }
    }
    return OB_OK;
}

static ob_status merge_all(merging *m) {
    ob_solver *s = m->s;
    split_list **lists = NULL;
    uint32_t n = 0, capacity = 0, n_taken = 0;
    ob__map_init(&m->map, m->arena);
    for (uint32_t i = 0; i < s->n_clauses && n_taken < MAX_CLAUSES; i++) {
        if (!is_taken(&s->clauses[i]) || s->clauses[i].n_symbols < 2 || !ob__solver_spend(s, s->clauses[i].n)) continue;
        n_taken++;
        for (uint32_t k = 0; k < s->clauses[i].n_symbols; k++) {
            split one;
            uint32_t fact = s->clauses[i].symbols[k];
            OB_TRY(split_by(m, i, fact, &one));
            if (one.n_own > 0) OB_TRY(add(m, &one, fact, &lists, &n, &capacity));
        }
    }
    for (uint32_t i = 0; i < n && !s->clashed; i++)
        if (count_left(m, lists[i]) > 1) OB_TRY(merge(m, lists[i]));
    return OB_OK;
}

static ob_status merge_round(merging *m) {
    OB_TRY(shorten(m));
    return m->s->clashed ? OB_OK : merge_all(m);
}

ob_status ob__solver_merge(ob_solver *s, bool *changed) {
    *changed = false;
    for (int round = 0; round < MAX_ROUNDS && !s->clashed; round++) {
        ob_arena arena;
        ob__arena_init(&arena, &s->arena->allocator);
        merging m = {.s = s, .arena = &arena};
        OB_TRY(ob__arena_finish(&arena, merge_round(&m)));
        if (!m.changed) break;
        *changed = true;
    }
    return OB_OK;
}
