/* Lowers the requirements of nodes to clauses and solves them. Clauses on input sizes are the contract; the rest is unverified.
 * */
#include "passes/contract/contract.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "core/dims/terms.h"
#include "passes/check/explicit.h"
#include "passes/contract/bounds.h"

void ob__contract_init(ob_contract *contract, const ob_allocator *allocator) {
    memset(contract, 0, sizeof *contract);
    ob__arena_init(&contract->arena, allocator);
}

void ob__contract_release(ob_contract *contract) {
    ob_allocator allocator = contract->arena.allocator;
    ob__arena_release(&contract->arena);
    ob__contract_init(contract, &allocator);
}

typedef struct alike {
    uint32_t first;
    uint32_t last;
} alike;

enum { MOST_IMPLIED = 64 };

typedef struct making {
    ob_model *model;
    const ob_facts *facts;
    ob_contract *contract;
    ob_map reasons; /* -> ob_unverified */
    ob_map alike;   /* condition and guard -> alike */
    bool *stated;   /* by index of facts->conditions */
    ob_map roots;   /* node -> ob_unverified, of operators behind which nothing is known */
    ob_map guards;  /* term -> its number + 1 in idle */
    bool idle[MOST_IMPLIED];
} making;

/* ---- The symbols of inputs ---- */

typedef struct collection {
    ob_contract *contract;
    ob_map seen;
    ob_dim *symbols;
    uint32_t n, capacity;
    bool failed;
} collection;

static bool collect(void *context, ob_dim symbol) {
    collection *c = context;
    ob_map_entry *entry = ob__map_insert(&c->seen, (const char *)&symbol, sizeof symbol);
    if (entry && !entry->value) {
        entry->value = c;
        ob_dim *symbols = ob__list_in_arena(&c->contract->arena, c->symbols, &c->capacity, c->n + 1, sizeof *symbols);
        c->failed = !symbols;
        if (!symbols) return false;
        c->symbols = symbols;
        c->symbols[c->n++] = symbol;
    }
    c->failed = !entry;
    return entry != NULL;
}

static ob_status collect_inputs(const ob_model *model, const ob_facts *facts, ob_contract *contract) {
    const ob_graph *graph = model->graph;
    collection c = {.contract = contract};
    ob__map_init(&c.seen, &contract->arena);
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_shape *shape = &ob__fact(facts, graph->inputs[i])->type.shape;
        contract->n_rankless += shape->rank == OB_RANK_UNKNOWN;
        for (int32_t axis = 0; axis < shape->rank && !c.failed; axis++)
            if (ob_dim_is_term(shape->dims[axis])) ob_dim_symbols(model->dims, shape->dims[axis], collect, &c);
    }
    contract->inputs = c.symbols;
    contract->n_inputs = c.n;
    return c.failed ? OB_E_MEMORY : OB_OK;
}

/* ---- Unverified requirements ---- */

const ob_requirement *ob__contract_open(const ob_facts *facts, uint32_t index) {
    if (index < facts->n_unverified) return &facts->unverified[index];
    index -= facts->n_unverified;
    return index < facts->n_conditions ? &facts->conditions[index] : &facts->bounds[index - facts->n_conditions];
}

const ob_call_site *ob__sites_asked(const ob_requirement *requirement) {
    const ob_node *node = requirement->node;
    return node && requirement->called && ob__is_explicit_definition(node->graph) ? requirement->called->sites : NULL;
}

uint32_t ob__times_asked(const ob_requirement *requirement) {
    uint32_t n = 0;
    for (const ob_call_site *site = ob__sites_asked(requirement); site && n < UINT32_MAX; site = site->next) n++;
    return n ? n : 1;
}

/* All unverified requirements behind one unknown operator are one entry. */
static ob_status add_unverified(making *m, const char *reason, uint32_t index) {
    ob_contract *contract = m->contract;
    const ob_requirement *r = ob__contract_open(m->facts, index);
    const ob_node *root = r->root, *own = r->node;
    const uint32_t n = ob__times_asked(r);
    bool has_root = root && (root == own || ob__map_find(&m->roots, (const char *)&root, sizeof root));
    ob_map_entry *entry = has_root ? ob__map_insert(&m->roots, (const char *)&root, sizeof root)
                                   : ob__map_insert(&m->reasons, reason, strlen(reason));
    if (!entry) return OB_E_MEMORY;
    ob_unverified *found = entry->value;
    if (!found) {
        found = entry->value = &contract->unverified[contract->n_unverified++];
        *found = (ob_unverified){reason, index, 0};
    }
    found->n = n <= UINT32_MAX - found->n ? found->n + n : UINT32_MAX;
    contract->n_open += n;
    return OB_OK;
}

static bool has_known_guard(const ob_guard *guard) {
    for (; guard; guard = guard->outer)
        if (ob_dim_is_term(guard->term)) return true;
    return false;
}

static bool never_runs(const making *m, const ob_guard *guard) {
    for (; guard; guard = guard->outer) {
        const ob_map_entry *entry = ob__map_find(&m->guards, (const char *)&guard->term, sizeof guard->term);
        if (entry && m->idle[(uintptr_t)entry->value - 1]) return true;
    }
    return false;
}

/* The guards of unverified requirements, each once, and whether the clauses exclude them. */
static ob_status find_idle(making *m) {
    ob_contract *contract = m->contract;
    const ob_facts *facts = m->facts;
    ob_clauses goals;
    ob__clauses_init(&goals, &contract->arena);
    uint32_t n = 0;
    for (uint32_t i = 0; i < facts->n_unverified; i++)
        for (const ob_guard *guard = facts->unverified[i].guard; guard && n < MOST_IMPLIED; guard = guard->outer) {
            if (!ob_dim_is_term(guard->term)) continue;
            ob_map_entry *entry = ob__map_insert(&m->guards, (const char *)&guard->term, sizeof guard->term);
            if (!entry) return OB_E_MEMORY;
            if (entry->value) continue;
            const ob_condition idle = {OB_COND_AT_LEAST, 0, guard->term};
            OB_TRY(ob__clauses_add(&goals, m->model->dims, &idle, NULL, 0, n, false, &m->idle[n]));
            entry->value = (void *)(uintptr_t)++n;
        }
    return ob__implied_groups(m->model->dims, &contract->given, &goals, &contract->arena, m->idle);
}

/* Collects unverified requirements; those in guarded bodies only if the clauses allow the body to run. */
static ob_status take_unverified(making *m, bool guarded) {
    const ob_facts *facts = m->facts;
    if (guarded) OB_TRY(find_idle(m));
    for (uint32_t i = 0; i < facts->n_unverified; i++) {
        const ob_guard *guard = facts->unverified[i].guard;
        if (has_known_guard(guard) != guarded || (guarded && never_runs(m, guard))) continue;
        OB_TRY(add_unverified(m, facts->unverified[i].reason, i));
    }
    return OB_OK;
}

/* NULL: out of memory. */
static const char *why_not_stated(making *m, const ob_guard *guard) {
    for (; guard; guard = guard->outer)
        if (guard->term == OB_DIM_UNKNOWN)
            return guard->text ? ob__arena_printf(&m->contract->arena, "it matters only if '%.200s' runs, which depends on data",
                                                  guard->text)
                               : "whether it matters depends on data";
    return "too complex: the terms of the condition and its guards are too large";
}

/* The first equal condition under the same guard: one clause is sufficient for all of them. */
static ob_status first_alike(making *m, uint32_t index, uint32_t *first) {
    const ob_requirement *r = &m->facts->conditions[index];
    const bool turned =
        (r->condition.kind == OB_COND_BROADCAST || r->condition.kind == OB_COND_EQUAL) && r->condition.a > r->condition.b;
    const int64_t key[4] = {r->condition.kind, turned ? r->condition.b : r->condition.a, turned ? r->condition.a : r->condition.b,
                            (int64_t)(intptr_t)r->guard};
    ob_map_entry *entry = ob__map_insert(&m->alike, (const char *)key, sizeof key);
    if (!entry) return OB_E_MEMORY;
    alike *found = entry->value;
    if (!found) {
        found = entry->value = OB_ARENA_NEW(&m->contract->arena, alike);
        if (!found) return OB_E_MEMORY;
        found->first = index;
    }
    if (index != found->first) m->contract->next_alike[found->last] = index + 1;
    found->last = index;
    *first = found->first;
    return OB_OK;
}

/* Which of the conditions that data guards the clauses give all the same, wherever sizes have the body run. */
static ob_status find_given(making *m, const uint32_t *open, uint32_t n, bool *given) {
    ob_contract *contract = m->contract;
    const ob_facts *facts = m->facts;
    ob_clauses goals;
    ob__clauses_init(&goals, &contract->arena);
    for (uint32_t i = 0; i < n; i++)
        OB_TRY(ob__requirement_lower(&goals, m->model->dims, &facts->conditions[open[i]], true, i, &given[i]));
    return ob__implied_groups(m->model->dims, &contract->given, &goals, &contract->arena, given);
}

/* A requirement that could not be stated is proved from the clauses, or unverified. */
static ob_status take_open(making *m, const uint32_t *open, uint32_t n) {
    const ob_facts *facts = m->facts;
    bool given[MOST_IMPLIED] = {false};
    OB_TRY(find_given(m, open, n < MOST_IMPLIED ? n : MOST_IMPLIED, given));
    for (uint32_t i = 0; i < n; i++) {
        const char *reason = why_not_stated(m, facts->conditions[open[i]].guard);
        if (!reason) return OB_E_MEMORY;
        if (i >= MOST_IMPLIED || !given[i]) OB_TRY(add_unverified(m, reason, facts->n_unverified + open[i]));
    }
    return OB_OK;
}

static ob_status lower(making *m) {
    const ob_facts *facts = m->facts;
    uint32_t *open = OB_ARENA_ARRAY(&m->contract->arena, uint32_t, facts->n_conditions), n_open = 0;
    if (!open) return OB_E_MEMORY;
    for (uint32_t i = 0; i < facts->n_conditions; i++) {
        const ob_requirement *r = &facts->conditions[i];
        bool stated;
        if (r->value) continue; /* declarations of results require nothing */
        uint32_t first;
        OB_TRY(first_alike(m, i, &first));
        if (first != i) continue;
        OB_TRY(ob__requirement_lower(&m->contract->given, m->model->dims, r, false, i, &stated));
        m->stated[i] = stated;
        if (!stated) open[n_open++] = i;
    }
    return take_open(m, open, n_open);
}

/* ---- Assumptions ---- */

static ob_status assume(making *m, const ob_assumed *assumed, uint32_t n) {
    ob_contract *contract = m->contract;
    contract->assumptions = OB_ARENA_ARRAY(&contract->arena, ob_assumption, (size_t)n + m->facts->n_claims);
    if (!contract->assumptions) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        bool stated;
        if (i == 0 || assumed[i].text != assumed[i - 1].text) /* one text may hold several conditions */
            contract->assumptions[contract->n_assumptions++] = (ob_assumption){assumed[i].text, false, NULL};
        uint32_t origin = m->facts->n_conditions + i;
        if (assumed[i].clause) {
            ob_clause clause = *assumed[i].clause;
            clause.origin = origin;
            clause.assumed = true;
            OB_TRY(ob__clauses_append(&contract->given, &clause));
            continue;
        }
        OB_TRY(ob__clauses_add(&contract->given, m->model->dims, &assumed[i].condition, NULL, 0, origin, true, &stated));
    }
    return OB_OK;
}

typedef struct claim_search {
    const making *m;
    bool *used; /* by index of facts->claims */
} claim_search;

static bool mark_claim(void *context, ob_dim symbol) {
    claim_search *search = context;
    const ob_claim *claim = ob__claim_of(search->m->facts, search->m->model->dims, symbol);
    if (claim) search->used[claim - search->m->facts->claims] = true;
    return true;
}

static ob_status list_claim(making *m, const ob_claim *claim) {
    char size[120];
    ob_arena *arena = &m->contract->arena;
    ob__dim_shown(m->model->dims, claim->declared, size, sizeof size);
    const char *text = claim->axis < 0
                           ? ob__arena_printf(arena, "\"%.200s\" has rank %s", claim->value->name, size)
                           : ob__arena_printf(arena, "axis %d of \"%.200s\" is %s", claim->axis, claim->value->name, size);
    if (!text) return OB_E_MEMORY;
    m->contract->assumptions[m->contract->n_assumptions++] = (ob_assumption){text, true, claim->value};
    return OB_OK;
}

/* The claims about sizes in open requirements, and about assumed ranks. */
static ob_status list_claims(making *m) {
    const ob_facts *facts = m->facts;
    claim_search search = {m, OB_ARENA_ARRAY(&m->contract->arena, bool, facts->n_claims)};
    if (!search.used) return OB_E_MEMORY;
    for (uint32_t i = 0; i < facts->n_conditions && facts->n_claims; i++) {
        ob_dim_symbols(m->model->dims, facts->conditions[i].condition.a, mark_claim, &search);
        ob_dim_symbols(m->model->dims, facts->conditions[i].condition.b, mark_claim, &search);
    }
    for (uint32_t i = 0; i < facts->n_claims; i++)
        if (search.used[i] || facts->claims[i].axis < 0) OB_TRY(list_claim(m, &facts->claims[i]));
    return OB_OK;
}

/* ---- The whole ---- */

static void reached_range(const void *context, ob_dim symbol, int64_t *lowest, int64_t *highest) {
    (void)context, (void)symbol;
    if (*highest > OB_SIZE_UNREACHED && *lowest <= OB_SIZE_UNREACHED) *highest = OB_SIZE_UNREACHED;
}

/* Does an upper bound make it hold for all sizes that anybody reaches? */
static bool is_limit(const ob_dims *dims, const ob_solved_clause *clause) {
    const ob_size_ranges reached = {reached_range, NULL, NULL};
    for (uint32_t i = 0; i < clause->n; i++) {
        int64_t low, high;
        if (clause->literals[i].kind != OB_LITERAL_NONNEGATIVE) continue;
        ob__dim_bounds(dims, clause->literals[i].p, &reached, &low, &high);
        if (low >= 0) return true;
    }
    return false;
}

/* Limits come last. */
static ob_status take_clauses(making *m) {
    ob_contract *contract = m->contract;
    const uint32_t n = contract->solution.n_clauses;
    contract->clauses = OB_ARENA_ARRAY(&contract->arena, const ob_solved_clause *, n);
    const ob_solved_clause **limits = OB_ARENA_ARRAY(&contract->arena, const ob_solved_clause *, n);
    if (!contract->clauses || !limits) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        const ob_solved_clause *clause = &contract->solution.clauses[i];
        if (clause->of_inputs && is_limit(m->model->dims, clause))
            limits[contract->n_limits++] = clause;
        else if (clause->of_inputs)
            contract->clauses[contract->n_clauses++] = clause;
        else if (clause->n_origins && clause->origins[0] < m->facts->n_conditions)
            OB_TRY(add_unverified(m, "a size is known only during the run", m->facts->n_unverified + clause->origins[0]));
    }
    for (uint32_t i = 0; i < contract->n_limits; i++) contract->clauses[contract->n_clauses++] = limits[i];
    return OB_OK;
}

static ob_status take_bounds(making *m) {
    const ob_facts *facts = m->facts;
    ob_contract *contract = m->contract;
    contract->bounds = OB_ARENA_ARRAY(&contract->arena, ob_contract_bound, facts->n_bounds);
    contract->next_bound = OB_ARENA_ARRAY(&contract->arena, uint32_t, facts->n_bounds);
    if (!contract->bounds || !contract->next_bound) return OB_E_MEMORY;
    for (uint32_t i = 0; i < facts->n_bounds; i++) {
        const char *reason;
        OB_TRY(ob__bounds_add(contract, m->model, facts, i, &reason));
        if (reason) OB_TRY(add_unverified(m, reason, facts->n_unverified + facts->n_conditions + i));
    }
    return OB_OK;
}

ob_status ob__contract_make(ob_model *model, const ob_facts *facts, const ob_assumed *assumed, uint32_t n_assumed,
                            ob_contract *out) {
    making m = {.model = model, .facts = facts, .contract = out};
    ob__map_init(&m.reasons, &out->arena);
    ob__map_init(&m.roots, &out->arena);
    ob__map_init(&m.alike, &out->arena);
    ob__map_init(&m.guards, &out->arena);
    m.stated = OB_ARENA_ARRAY(&out->arena, bool, facts->n_conditions);
    out->next_alike = OB_ARENA_ARRAY(&out->arena, uint32_t, facts->n_conditions);
    out->seen = OB_ARENA_ARRAY(&out->arena, uint32_t, model->n_nodes);
    if (!m.stated || !out->next_alike || !out->seen) return OB_E_MEMORY;
    ob__clauses_init(&out->given, &out->arena);
    out->unverified =
        OB_ARENA_ARRAY(&out->arena, ob_unverified, (size_t)facts->n_unverified + facts->n_conditions + facts->n_bounds);
    if (!out->unverified) return OB_E_MEMORY;
    OB_TRY(collect_inputs(model, facts, out));
    OB_TRY(take_unverified(&m, false));
    OB_TRY(lower(&m));
    OB_TRY(assume(&m, assumed, n_assumed));
    OB_TRY(take_unverified(&m, true));
    OB_TRY(ob__solve(model->dims, out->given.items, out->given.n, out->inputs, out->n_inputs, &out->arena, &out->solution));
    OB_TRY(take_clauses(&m));
    OB_TRY(take_bounds(&m));
    OB_TRY(list_claims(&m));
    out->status = out->solution.contradictory || facts->n_refuted ? OB_CONTRACT_CONTRADICTORY
                  : out->n_unverified                             ? OB_CONTRACT_PARTIAL
                                                                  : OB_CONTRACT_COMPLETE;
    return OB_OK;
}

ob_truth ob__contract_holds(const ob_contract *contract, const ob_dims *dims, const ob_binding *bindings, size_t n_bindings,
                            uint32_t *broken) {
    ob_truth all = contract->n_unverified ? OB_UNDECIDED : OB_TRUE;
    for (uint32_t i = 0; i < contract->n_clauses; i++) {
        const ob_solved_clause *clause = contract->clauses[i];
        ob_truth truth = ob__clause_eval(dims, clause->literals, clause->n, bindings, n_bindings);
        if (truth == OB_FALSE) {
            *broken = i;
            return OB_FALSE;
        }
        if (truth == OB_UNDECIDED) all = OB_UNDECIDED;
    }
    return contract->status == OB_CONTRACT_CONTRADICTORY ? OB_FALSE : all;
}
