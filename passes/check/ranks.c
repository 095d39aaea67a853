/* Whether a size is 1 may decide a rank (Squeeze without axes). Later nodes are then unknown for all sizes together, but not if
 * the size is 1, or if it is not 1. So if a model leaves nothing else open, it is inferred for each case, and the requirements
 * of a case get a guard. Facts stay unknown, because they hold for all sizes (docs/adr/0034-ranks-in-cases.md). */
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "core/dims/terms.h"
#include "passes/check/propagation.h"

enum {
    MOST_SIZES = 3,        /* sizes with separate cases: 8 cases */
    MOST_NODES = 4096,     /* nodes of a model with separate cases, */
    MOST_VISITS = 1 << 16, /* and visited nodes in one case */
    KEY_SIZE = 80
};

/* A requirement of a case, and its list in the facts. */
typedef struct found {
    ob_requirement requirement;
    uint32_t list;
    bool dropped; /* another one is equal */
} found;

typedef struct ranks {
    ob_model *model;
    ob_propagate_options options;
    const ob_map *excluded;
    ob_facts *facts;
    ob_findings *findings;
    ob_findings_mark mark;
    ob_arena scratch;
    ob_decided decided[MOST_SIZES];
    found *all;
    uint32_t n, capacity;
    bool needs_run; /* in some case a size that only a run knows decides a rank */
} ranks;

/* One of the two cases of a size: the requirements from `first` up to `end` - 1. */
typedef struct one_case {
    const ob_guard *guard;
    uint32_t first, end;
    bool refuted; /* no run is in it */
} one_case;

enum { N_LISTS = 3 };

static ob_requirement **list_of(ob_facts *facts, uint32_t list, uint32_t **n, uint32_t **capacity) {
    *n = list == 0 ? &facts->n_conditions : list == 1 ? &facts->n_unverified : &facts->n_bounds;
    *capacity = list == 0 ? &facts->conditions_capacity : list == 1 ? &facts->unverified_capacity : &facts->bounds_capacity;
    return list == 0 ? &facts->conditions : list == 1 ? &facts->unverified : &facts->bounds;
}

/* ---- Is it the same requirement? ---- */

typedef struct key {
    int64_t words[KEY_SIZE];
    uint32_t n;
} key;

static void add(key *k, int64_t word) {
    if (k->n < KEY_SIZE) k->words[k->n] = word;
    k->n++;
}

static void add_bound(key *k, const ob_facts *facts, const ob_bound *bound) {
    const int32_t rank = ob__fact(facts, bound->input)->type.shape.rank;
    add(k, bound->input->id);
    add(k, bound->is_rounded);
    add(k, bound->lowest);
    add(k, bound->highest);
    for (int32_t axis = 0; axis < rank && bound->first; axis++) {
        add(k, bound->first[axis]);
        add(k, bound->end[axis]);
    }
}

/* All but the guards of the case. */
static void make_key(key *k, const ob_facts *facts, const ob_requirement *r, uint32_t list, const ob_guard *guard) {
    k->n = 0;
    add(k, list);
    add(k, (int64_t)(intptr_t)r->node);
    add(k, r->operand);
    add(k, r->axis);
    add(k, r->condition.kind);
    add(k, r->condition.a);
    add(k, r->condition.b);
    add(k, (int64_t)(intptr_t)r->reason);
    if (r->bound) add_bound(k, facts, r->bound);
    for (const ob_guard *at = r->guard; at && at != guard; at = at->outer) add(k, at->term);
}

/* ---- One case ---- */

static ob_status keep(ranks *s, const ob_requirement *r, uint32_t list) {
    found *all = ob__list_in_arena(&s->scratch, s->all, &s->capacity, s->n + 1, sizeof *all);
    if (!all) return OB_E_MEMORY;
    s->all = all;
    all[s->n++] = (found){*r, list, false};
    return OB_OK;
}

/* An error in all runs of the case. */
static const ob_requirement *find_refuted(const ob_facts *facts, const ob_guard *guard) {
    for (uint32_t i = 0; i < facts->n_conditions; i++) {
        const ob_requirement *r = &facts->conditions[i];
        if (r->guard == guard && r->condition.kind == OB_COND_EQUAL && r->condition.a == 0 && r->condition.b == 1) return r;
    }
    return NULL;
}

/* Of a case that no run is in, only why. */
static ob_status keep_all(ranks *s, one_case *c) {
    const ob_requirement *refuted = find_refuted(s->facts, c->guard);
    c->refuted = refuted != NULL;
    if (refuted) return keep(s, refuted, 0);
    for (uint32_t list = 0; list < N_LISTS; list++) {
        uint32_t *n, *capacity;
        const ob_requirement *items = *list_of(s->facts, list, &n, &capacity);
        for (uint32_t i = 0; i < *n; i++)
            if (!items[i].value) OB_TRY(keep(s, &items[i], list)); /* declarations require nothing */
    }
    return OB_OK;
}

/* ---- Both cases ---- */

/* The chain with `to` in place of `from`. */
static ob_status moved_guard(ranks *s, const ob_guard *guard, const ob_guard *from, const ob_guard *to, const ob_guard **out) {
    *out = to;
    if (!guard || guard == from) return OB_OK;
    const ob_guard *outer;
    OB_TRY(moved_guard(s, guard->outer, from, to, &outer));
    return ob__guard_within(&s->facts->arena, outer, guard->term, guard->node, guard->text, out);
}

/* Its entry in a map from requirements to their cases, as bits; entry NULL: too many parts to compare.
 * */
static ob_status find_same(ranks *s, ob_map *same, const found *f, const one_case *c, ob_map_entry **entry) {
    key k;
    make_key(&k, s->facts, &f->requirement, f->list, c->guard);
    *entry = k.n > KEY_SIZE ? NULL : ob__map_insert(same, (const char *)k.words, k.n * sizeof *k.words);
    return *entry || k.n > KEY_SIZE ? OB_OK : OB_E_MEMORY;
}

/* A requirement of both cases needs no guard, nor does one of a case if the other case is impossible. */
static ob_status join(ranks *s, const one_case *cases, const ob_guard *guard) {
    ob_map same;
    ob_map_entry *entry;
    ob__map_init(&same, &s->scratch);
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = cases[k].first; i < cases[k].end; i++) {
            OB_TRY(find_same(s, &same, &s->all[i], &cases[k], &entry));
            if (entry) entry->value = (void *)((uintptr_t)entry->value | (uintptr_t)(k + 1));
        }
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = cases[k].first; i < cases[k].end; i++) {
            found *f = &s->all[i];
            OB_TRY(find_same(s, &same, f, &cases[k], &entry));
            const bool both = entry && (uintptr_t)entry->value == 3 && !cases[0].refuted && !cases[1].refuted;
            f->dropped |= both && k == 1;
            if (both || (cases[!k].refuted && !cases[k].refuted))
                OB_TRY(moved_guard(s, f->requirement.guard, cases[k].guard, guard, &f->requirement.guard));
        }
    return OB_OK;
}

static ob_status propagate_case(ranks *s, uint32_t n_decided, one_case *c);

/* The case of c in two, by one more size. */
static ob_status split(ranks *s, ob_dim size, uint32_t n_decided, one_case *c) {
    ob_dims *dims = s->model->dims;
    const ob_dim apart = ob_dim_max(dims, ob_dim_sub(dims, size, 1), ob_dim_sub(dims, 1, size));
    const ob_dim terms[2] = {ob_dim_sub(dims, 1, apart), apart};
    one_case cases[2] = {{0}};
    char text[96];
    ob__dim_shown(dims, size, text, sizeof text);
    for (int k = 0; k < 2; k++) {
        const char *words = ob__arena_printf(&s->facts->arena, k == 0 ? "%s = 1" : "%s != 1", text);
        if (!words) return OB_E_MEMORY;
        OB_TRY(ob__guard_within(&s->facts->arena, c->guard, terms[k], NULL, words, &cases[k].guard));
        s->decided[n_decided] = (ob_decided){size, k == 0};
        cases[k].first = s->n;
        OB_TRY(propagate_case(s, n_decided + 1, &cases[k]));
        cases[k].end = s->n;
    }
    c->refuted = cases[0].refuted && cases[1].refuted;
    return join(s, cases, c->guard);
}

/* A size of the inputs that decides a rank; OB_DIM_UNKNOWN: none. *of_run: a size decides one that only a run knows. */
static ob_dim find_size(const ob_model *model, const ob_facts *facts, bool *of_run) {
    ob_dim size = OB_DIM_UNKNOWN;
    *of_run = false;
    for (const ob_open_rank *open = facts->open_ranks; open; open = open->next) {
        if (open->size == OB_DIM_UNKNOWN || ob_dim_is_anonymous(model->dims, open->size))
            *of_run = true;
        else if (size == OB_DIM_UNKNOWN)
            size = open->size;
    }
    return size;
}

static ob_status propagate_case(ranks *s, uint32_t n_decided, one_case *c) {
    const ob_settled settled = {s->excluded, s->decided, n_decided, c->guard};
    bool of_run;
    OB_TRY(ob__propagate_once(s->model, &s->options, &settled, s->facts, s->findings));
    if (s->findings) ob__findings_rewind(s->findings, &s->mark);
    const ob_dim size = find_size(s->model, s->facts, &of_run);
    if (size != OB_DIM_UNKNOWN && n_decided < MOST_SIZES) return split(s, size, n_decided, c);
    OB_TRY(keep_all(s, c));
    s->needs_run |= of_run && !c->refuted;
    return OB_OK;
}

/* ---- All of them ---- */

/* Is there a requirement on sizes that only a run knows? Such sizes are found through facts, and those of a case are not kept.
 * */
static bool asks_of_runs(const ranks *s) {
    const ob_dims *dims = s->model->dims;
    if (s->needs_run) return true;
    for (uint32_t i = 0; i < s->n; i++) {
        const ob_condition *c = &s->all[i].requirement.condition;
        if (s->all[i].list == 0 && (ob_dim_is_anonymous(dims, c->a) || ob_dim_is_anonymous(dims, c->b))) return true;
    }
    return false;
}

static ob_status take_found(ranks *s) {
    ob_facts *facts = s->facts;
    facts->n_conditions = facts->n_unverified = facts->n_bounds = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t *n, *capacity;
        ob_requirement **items = list_of(facts, s->all[i].list, &n, &capacity);
        if (s->all[i].dropped) continue;
        if (*n == *capacity) {
            ob_requirement *grown = ob__list_grown(&facts->arena.allocator, *items, capacity, sizeof *grown);
            if (!grown) return OB_E_MEMORY;
            *items = grown;
        }
        (*items)[(*n)++] = s->all[i].requirement;
    }
    return OB_OK;
}

/* Separate facts for the cases, in the same arena, with room for all. */
static ob_status propagate_cases(ranks *s, ob_dim size) {
    ob_facts whole = *s->facts;
    *s->facts = (ob_facts){.arena = whole.arena};
    one_case all = {0};
    ob_status status = split(s, size, 0, &all);
    ob_facts cases = *s->facts;
    whole.arena = cases.arena;
    *s->facts = whole;
    ob__arena_init(&cases.arena, &whole.arena.allocator);
    ob__facts_release(&cases);
    return status != OB_OK || asks_of_runs(s) ? status : take_found(s);
}

static bool is_open_rank(const ob_facts *facts, const ob_node *node) {
    for (const ob_open_rank *open = facts->open_ranks; open; open = open->next)
        if (open->node == node) return true;
    return false;
}

/* Is everything unverified behind such a rank, in a model that may run? */
static bool is_worth_it(const ob_model *model, const ob_facts *facts) {
    if (facts->n_unverified == 0 || facts->n_refuted || model->n_nodes > MOST_NODES) return false;
    for (uint32_t i = 0; i < facts->n_unverified; i++)
        if (!facts->unverified[i].root || !is_open_rank(facts, facts->unverified[i].root)) return false;
    return true;
}

ob_status ob__propagate_ranks(ob_model *model, const ob_propagate_options *options, const ob_map *excluded, ob_facts *facts,
                              ob_findings *findings) {
    bool of_run;
    const ob_dim size = find_size(model, facts, &of_run);
    if (size == OB_DIM_UNKNOWN || !is_worth_it(model, facts)) return OB_OK;
    ranks s = {.model = model, .excluded = excluded, .facts = facts, .findings = findings};
    if (options) s.options = *options;
    if (s.options.max_nodes == 0 || s.options.max_nodes > MOST_VISITS) s.options.max_nodes = MOST_VISITS;
    if (findings) s.mark = ob__findings_mark(findings);
    ob__arena_init(&s.scratch, &model->arena.allocator);
    return ob__arena_finish(&s.scratch, propagate_cases(&s, size));
}
