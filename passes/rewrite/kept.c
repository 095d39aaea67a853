/* Contracts are compared clause by clause: each clause of one must be a clause of the other, in normal form, or follow from its
 * clauses. Values in both models must have the same shapes. Anonymous sizes have other numbers after the rewriting; values that
 * stay show which ones correspond. */
#include "passes/rewrite/kept.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/dims/terms.h"
#include "passes/check/explicit.h"
#include "passes/check/names.h"
#include "passes/contract/stated.h"

enum { MOST_IMPLIED = 64, MOST_ROUNDS = 4 }; /* limit of questions to the solver; rounds before everything stays as it was */

void ob__keeping_init(ob_keeping *keeping, const ob_allocator *allocator) {
    memset(keeping, 0, sizeof *keeping);
    ob__arena_init(&keeping->arena, allocator);
    ob__contract_init(&keeping->before, allocator);
}

void ob__keeping_release(ob_keeping *keeping) {
    ob__contract_release(&keeping->before);
    ob__arena_release(&keeping->arena);
}

/* Nodes made by an earlier rewriting are now part of the model. */
static ob_status adopt(void *context, ob_graph *graph) {
    (void)context;
    for (ob_node *node = graph->first; node; node = node->next) node->made_for = NULL;
    return OB_OK;
}

ob_status ob__keeping_start(ob_keeping *keeping, ob_model *model, const ob_facts *facts) {
    keeping->n_nodes = model->n_nodes;
    keeping->n_values = model->n_values;
    keeping->touched = OB_ARENA_ARRAY(&keeping->arena, bool, model->n_nodes);
    keeping->stays = OB_ARENA_ARRAY(&keeping->arena, bool, model->n_nodes);
    if (!keeping->touched || !keeping->stays) return OB_E_MEMORY;
    OB_TRY(ob__model_each_graph(model, adopt, NULL));
    return ob__contract_make(model, facts, NULL, 0, &keeping->before);
}

const ob_node *ob__made_for(const ob_node *node) {
    return node->made_for ? node->made_for : node;
}

void ob__touch(ob_keeping *keeping, const ob_node *node) {
    node = ob__made_for(node);
    if (node->id < keeping->n_nodes) keeping->touched[node->id] = true;
}

bool ob__stays(const ob_keeping *keeping, const ob_node *node) {
    node = ob__made_for(node);
    return keeping->all_stay || (node->id < keeping->n_nodes && keeping->stays[node->id]);
}

/* ---- Nodes that may be the reason ---- */

/* The nearest nodes above that were rewritten; every node once. */
static ob_status blame_above(ob_keeping *keeping, const ob_node *node, uint32_t n_nodes, bool *found) {
    ob_arena scratch;
    ob__arena_init(&scratch, &keeping->arena.allocator);
    bool *seen = OB_ARENA_ARRAY(&scratch, bool, n_nodes);
    const ob_node **stack = OB_ARENA_ARRAY(&scratch, const ob_node *, (size_t)n_nodes + 1);
    size_t n = 0;
    if (seen && stack) stack[n++] = node;
    while (n > 0) {
        const ob_node *at = stack[--n], *root = ob__made_for(at);
        if (root->id < keeping->n_nodes && keeping->touched[root->id]) {
            keeping->stays[root->id] = *found = true;
            continue;
        }
        for (uint32_t i = 0; i < at->n_inputs; i++) {
            const ob_node *maker = at->inputs[i] ? at->inputs[i]->producer : NULL;
            if (!maker || maker->id >= n_nodes || seen[maker->id]) continue;
            seen[maker->id] = true;
            stack[n++] = maker;
        }
    }
    return ob__arena_finish(&scratch, OB_OK);
}

static ob_status blame(ob_keeping *keeping, const ob_node *node, uint32_t n_nodes) {
    bool found = false;
    if (keeping->n_rounds < MOST_ROUNDS && node) OB_TRY(blame_above(keeping, node, n_nodes, &found));
    if (!found) keeping->all_stay = true;
    return OB_OK;
}

ob_status ob__keeping_blame(ob_keeping *keeping, const ob_node *node) {
    keeping->n_rounds++;
    return blame(keeping, node, node ? node->graph->model->n_nodes : 0);
}

/* ---- Sizes that only the run knows ---- */

typedef struct comparison {
    ob_keeping *keeping;
    ob_model *model;
    ob_arena arena;
    ob_map renamed;   /* anonymous size before -> size after */
    uint32_t n_asked; /* of the solver, whether two sizes are equal */
} comparison;

typedef struct size_after {
    ob_dim size;
} size_after;

static ob_status match_sizes(comparison *c, const ob_facts *before, const ob_facts *after) {
    ob__map_init(&c->renamed, &c->arena);
    for (uint32_t id = 0; id < c->keeping->n_values && id < before->n_facts && id < after->n_facts; id++) {
        const ob_shape *was = &before->facts[id].type.shape, *is = &after->facts[id].type.shape;
        for (int32_t axis = 0; axis < was->rank && was->rank == is->rank; axis++) {
            ob_dim size = was->dims[axis];
            if (size == is->dims[axis] || is->dims[axis] == OB_DIM_UNKNOWN || !ob_dim_is_anonymous(c->model->dims, size) ||
                ob_dim_get_kind(c->model->dims, size) != OB_DIM_KIND_SYMBOL)
                continue;
            ob_map_entry *entry = ob__map_insert(&c->renamed, (const char *)&size, sizeof size);
            size_after *to = entry && !entry->value ? OB_ARENA_NEW(&c->arena, size_after) : NULL;
            if (!entry || (!entry->value && !to)) return OB_E_MEMORY;
            if (entry->value) continue;
            to->size = is->dims[axis];
            entry->value = to;
        }
    }
    return OB_OK;
}

static ob_dim size_afterwards(void *context, ob_dim symbol) {
    const comparison *c = context;
    const ob_map_entry *entry = ob__map_find(&c->renamed, (const char *)&symbol, sizeof symbol);
    return entry ? ((const size_after *)entry->value)->size : symbol;
}

static ob_dim translated(comparison *c, ob_dim d) {
    bool disagrees = false;
    if (!ob_dim_is_term(d) || !ob_dim_is_anonymous(c->model->dims, d)) return d;
    return ob__dim_replace(c->model->dims, d, size_afterwards, c, &disagrees);
}

/* ---- Clauses in one form ---- */

/* Its literals in the terms of the model afterwards, sorted, each once. NULL: out of memory. */
static ob_status normal_clause(comparison *c, const ob_clause *clause, bool is_before, ob_clause *out) {
    ob_literal *literals = OB_ARENA_ARRAY(&c->arena, ob_literal, (size_t)clause->n + 1);
    if (!literals) return OB_E_MEMORY;
    *out = *clause;
    out->literals = literals;
    out->n = out->n_guard = 0;
    for (uint32_t i = 0; i < clause->n; i++) {
        const ob_literal *from = &clause->literals[i];
        ob_literal *to = &literals[out->n++];
        to->kind = from->kind;
        to->p = is_before ? translated(c, from->p) : from->p;
        to->q = is_before ? translated(c, from->q) : from->q;
    }
    ob__literals_sort(c->model->dims, literals, out->n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < out->n; i++)
        if (i == 0 || memcmp(&literals[i], &literals[n - 1], sizeof *literals) != 0) literals[n++] = literals[i];
    out->n = n;
    return OB_OK;
}

static ob_status normal_clauses(comparison *c, const ob_clauses *from, bool is_before, ob_clauses *out) {
    *out = (ob_clauses){.items = OB_ARENA_ARRAY(&c->arena, ob_clause, (size_t)from->n + 1), .n = from->n};
    if (!out->items) return OB_E_MEMORY;
    for (uint32_t i = 0; i < from->n; i++) OB_TRY(normal_clause(c, &from->items[i], is_before, &out->items[i]));
    return OB_OK;
}

static ob_status index_clauses(comparison *c, const ob_clauses *clauses, ob_map *index) {
    ob__map_init(index, &c->arena);
    for (uint32_t i = 0; i < clauses->n; i++)
        if (!ob__map_insert_borrowed(index, (const char *)clauses->items[i].literals,
                                     clauses->items[i].n * sizeof *clauses->items[i].literals))
            return OB_E_MEMORY;
    return OB_OK;
}

/* Every clause of `wanted` is one of `given`, or follows from them. Nodes of those that do not are blamed. */
static ob_status all_follow(comparison *c, const ob_clauses *wanted, const ob_facts *facts, const ob_clauses *given, bool *kept) {
    ob_map index;
    uint32_t n_asked = 0;
    OB_TRY(index_clauses(c, given, &index));
    for (uint32_t i = 0; i < wanted->n; i++) {
        const ob_clause *clause = &wanted->items[i];
        ob_truth truth = OB_UNDECIDED;
        if (ob__map_find(&index, (const char *)clause->literals, clause->n * sizeof *clause->literals)) continue;
        if (n_asked++ < MOST_IMPLIED) OB_TRY(ob__implied(c->model->dims, given->items, given->n, clause, &c->arena, &truth));
        if (truth == OB_TRUE) continue;
        *kept = false;
        OB_TRY(blame(c->keeping, facts->conditions[clause->origin].node, c->model->n_nodes));
        if (c->keeping->all_stay) return OB_OK;
    }
    return OB_OK;
}

/* The same size, or one that is equal where the clauses hold. */
static ob_status equal_terms(comparison *c, ob_dim was, ob_dim is, const ob_clauses *given, bool *equal) {
    ob_truth truth = OB_UNDECIDED;
    was = translated(c, was);
    *equal = was == is;
    if (*equal || was == OB_DIM_UNKNOWN || is == OB_DIM_UNKNOWN || c->n_asked++ >= MOST_IMPLIED) return OB_OK;
    const ob_literal literal = {OB_LITERAL_ZERO, ob_dim_sub(c->model->dims, was, is), 0};
    const ob_clause clause = {.literals = &literal, .n = 1};
    if (literal.p != OB_DIM_UNKNOWN) OB_TRY(ob__implied(c->model->dims, given->items, given->n, &clause, &c->arena, &truth));
    *equal = truth == OB_TRUE;
    return OB_OK;
}

/* ---- Unverified requirements ---- */

/* How often something is not known for one reason, before and after. */
typedef struct open_reason {
    uint64_t n[2];
} open_reason;

static ob_status count_open(comparison *c, const ob_contract *contract, int side, ob_map *reasons) {
    for (uint32_t i = 0; i < contract->n_unverified; i++) {
        const ob_unverified *unverified = &contract->unverified[i];
        ob_map_entry *entry = ob__map_insert_borrowed(reasons, unverified->reason, strlen(unverified->reason));
        open_reason *found = entry ? entry->value : NULL;
        if (!found) found = OB_ARENA_NEW(&c->arena, open_reason);
        if (!entry || !found) return OB_E_MEMORY;
        entry->value = found;
        found->n[side] += unverified->n;
    }
    return OB_OK;
}

/* For each node (an inserted one counts as the node that it serves): does it have an unverified requirement for that reason? */
static ob_status mark_open(comparison *c, const ob_facts *facts, const char *reason, bool **out) {
    bool *open = *out = OB_ARENA_ARRAY(&c->arena, bool, c->model->n_nodes);
    if (!open) return OB_E_MEMORY;
    for (uint32_t i = 0; i < facts->n_unverified; i++) {
        const ob_requirement *r = &facts->unverified[i];
        if (strcmp(r->reason, reason) != 0) continue;
        if (r->node) open[ob__made_for(r->node)->id] = true;
        for (const ob_call_site *site = ob__sites_asked(r); site; site = site->next) open[ob__made_for(site->node)->id] = true;
    }
    return OB_OK;
}

/* The nodes that have the requirement on one side only, or all if these are the same; any false: none, it comes from clauses.
 * */
static ob_status blame_open(comparison *c, const ob_facts *const sides[2], const char *reason, bool *any) {
    bool *asks[2], differ = false;
    for (int side = 0; side < 2; side++) OB_TRY(mark_open(c, sides[side], reason, &asks[side]));
    for (uint32_t id = 0; id < c->model->n_nodes; id++) differ |= asks[0][id] != asks[1][id];
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < sides[side]->n_unverified && !c->keeping->all_stay; i++) {
            const ob_requirement *r = &sides[side]->unverified[i];
            const ob_call_site *site = ob__sites_asked(r);
            const ob_node *node = site ? site->node : r->node;
            if (strcmp(r->reason, reason) != 0 || !node) continue;
            const uint32_t id = ob__made_for(node)->id;
            if (differ && asks[0][id] == asks[1][id]) continue;
            *any = true;
            OB_TRY(blame(c->keeping, node, c->model->n_nodes));
        }
    return OB_OK;
}

/* True if the unverified requirements are the same: equal numbers for each reason. */
static ob_status same_open(comparison *c, const ob_facts *before, const ob_facts *after, const ob_contract *contract,
                           bool *kept) {
    const ob_facts *const facts[2] = {before, after};
    const ob_contract *const sides[2] = {&c->keeping->before, contract};
    ob_map reasons;
    bool any = !*kept, differs = false; /* nodes that were blamed already may be the reason of it all */
    ob__map_init(&reasons, &c->arena);
    for (int side = 0; side < 2; side++) OB_TRY(count_open(c, sides[side], side, &reasons));
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < sides[side]->n_unverified && !c->keeping->all_stay; i++) {
            const char *reason = sides[side]->unverified[i].reason;
            open_reason *found = ob__map_find(&reasons, reason, strlen(reason))->value;
            if (found->n[0] == found->n[1]) continue;
            found->n[0] = found->n[1];
            differs = true;
            OB_TRY(blame_open(c, facts, reason, &any));
        }
    if (differs) *kept = false;
    return differs && !any ? blame(c->keeping, NULL, 0) : OB_OK;
}

/* ---- Conditions on values ---- */

static ob_status equal_lists(comparison *c, const ob_dim *was, const ob_dim *is, size_t n, const ob_clauses *given, bool *equal) {
    *equal = (was == NULL) == (is == NULL);
    for (size_t i = 0; was && i < n && *equal; i++) OB_TRY(equal_terms(c, was[i], is[i], given, equal));
    return OB_OK;
}

static ob_status same_bound(comparison *c, const ob_contract_bound *was, const ob_contract_bound *is, const ob_facts *facts,
                            const ob_clauses *given, bool *same) {
    const ob_bound *a = &was->bound, *b = &is->bound;
    const int32_t rank = ob__fact(facts, a->input)->type.shape.rank;
    *same = a->input == b->input && a->is_rounded == b->is_rounded && was->n_guards == is->n_guards;
    if (*same) OB_TRY(equal_lists(c, was->guards, is->guards, was->n_guards, given, same));
    if (*same) OB_TRY(equal_lists(c, a->first, b->first, rank > 0 ? (size_t)rank : 0, given, same));
    if (*same) OB_TRY(equal_lists(c, a->end, b->end, rank > 0 ? (size_t)rank : 0, given, same));
    if (*same) OB_TRY(equal_terms(c, a->lowest, b->lowest, given, same));
    if (*same) OB_TRY(equal_terms(c, a->highest, b->highest, given, same));
    return OB_OK;
}

/* Each condition on values of the one contract is one of the other's. */
static ob_status same_bounds(comparison *c, const ob_facts *before, const ob_facts *after, const ob_contract *contract,
                             bool *kept) {
    const ob_contract *sides[2] = {&c->keeping->before, contract};
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < sides[side]->n_bounds && !c->keeping->all_stay; i++) {
            bool found = false;
            for (uint32_t k = 0; k < sides[!side]->n_bounds && !found; k++)
                OB_TRY(same_bound(c, &sides[0]->bounds[side ? k : i], &sides[1]->bounds[side ? i : k], before, &contract->given,
                                  &found));
            if (found) continue;
            *kept = false;
            const ob_facts *facts = side ? after : before;
            OB_TRY(blame(c->keeping, facts->bounds[sides[side]->bounds[i].first].node, c->model->n_nodes));
        }
    return OB_OK;
}

/* ---- Shapes of values that stay ---- */

typedef struct shapes {
    comparison *c;
    const ob_facts *before, *after;
    const ob_clauses *given;
    bool kept;
} shapes;

/* Inference may know less about the rewritten model; that is not a different size. */
static ob_status same_size(shapes *s, ob_dim was, ob_dim is, bool *same) {
    *same = is == OB_DIM_UNKNOWN || ob_dim_is_anonymous(s->c->model->dims, is);
    return *same ? OB_OK : equal_terms(s->c, was, is, s->given, same);
}

static ob_status same_shape(shapes *s, const ob_value *value) {
    const ob_shape *was = &ob__fact(s->before, value)->type.shape, *is = &ob__fact(s->after, value)->type.shape;
    bool same = was->rank == is->rank || is->rank == OB_RANK_UNKNOWN;
    for (int32_t axis = 0; same && axis < is->rank; axis++) OB_TRY(same_size(s, was->dims[axis], is->dims[axis], &same));
    if (same) return OB_OK;
    s->kept = false;
    return blame(s->c->keeping, value->producer, s->c->model->n_nodes);
}

static ob_status same_shapes_in(void *context, ob_graph *graph) {
    shapes *s = context;
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs && !s->c->keeping->all_stay; i++)
            if (node->outputs[i] && node->outputs[i]->id < s->c->keeping->n_values) OB_TRY(same_shape(s, node->outputs[i]));
    return OB_OK;
}

/* Values in both models must have one shape: if a contract admits 1 and 3, a size of 1 could have become 3. */
static ob_status same_shapes(comparison *c, const ob_facts *before, const ob_facts *after, const ob_clauses *given, bool *kept) {
    shapes s = {.c = c, .before = before, .after = after, .given = given, .kept = true};
    OB_TRY(ob__model_each_graph(c->model, same_shapes_in, &s));
    *kept &= s.kept;
    return OB_OK;
}

/* ---- The whole ---- */

static ob_status compare(comparison *c, const ob_facts *before, const ob_facts *after, const ob_contract *contract, bool *kept) {
    ob_clauses was, is;
    OB_TRY(match_sizes(c, before, after));
    OB_TRY(normal_clauses(c, &c->keeping->before.given, true, &was));
    OB_TRY(normal_clauses(c, &contract->given, false, &is));
    OB_TRY(all_follow(c, &was, before, &is, kept));
    OB_TRY(all_follow(c, &is, after, &was, kept));
    OB_TRY(same_shapes(c, before, after, &is, kept));
    c->n_asked = 0;
    OB_TRY(same_bounds(c, before, after, contract, kept));
    return same_open(c, before, after, contract, kept);
}

ob_status ob__keeping_compare(ob_keeping *keeping, ob_model *model, const ob_facts *before, const ob_facts *after, bool *kept) {
    comparison c = {.keeping = keeping, .model = model};
    ob_contract contract;
    *kept = true;
    keeping->n_rounds++;
    ob__arena_init(&c.arena, &keeping->arena.allocator);
    ob__contract_init(&contract, &keeping->arena.allocator);
    ob_status status = ob__contract_make(model, after, NULL, 0, &contract);
    if (status == OB_OK) status = compare(&c, before, after, &contract, kept);
    if (status == OB_OK && *kept)
        status = ob__stated_text(model->dims, after, &contract, &keeping->arena, &keeping->contract_text);
    ob__contract_release(&contract);
    return ob__arena_finish(&c.arena, status);
}

/* ---- One direction ---- */

/* The first clause of `is` that does not follow from those of `was`; n: all do. */
static ob_status first_narrower(comparison *c, const ob_clauses *was, const ob_clauses *is, uint32_t *out) {
    ob_map index;
    ob_clause *goals = OB_ARENA_ARRAY(&c->arena, ob_clause, MOST_IMPLIED);
    ob_truth *truths = OB_ARENA_ARRAY(&c->arena, ob_truth, MOST_IMPLIED);
    uint32_t *at = OB_ARENA_ARRAY(&c->arena, uint32_t, MOST_IMPLIED), n = 0;
    *out = is->n;
    if (!goals || !truths || !at) return OB_E_MEMORY;
    OB_TRY(index_clauses(c, was, &index));
    for (uint32_t i = 0; i < is->n; i++) {
        const ob_clause *clause = &is->items[i];
        if (ob__map_find(&index, (const char *)clause->literals, clause->n * sizeof *clause->literals)) continue;
        if (n == MOST_IMPLIED) {
            *out = i;
            break;
        }
        at[n] = i;
        goals[n++] = *clause;
    }
    if (n > 0) OB_TRY(ob__implied_all(c->model->dims, was->items, was->n, goals, n, &c->arena, truths));
    for (uint32_t i = n; i-- > 0;)
        if (truths[i] != OB_TRUE) *out = at[i];
    return OB_OK;
}

static const char *sentence_of(ob_dims *dims, const ob_clause *clause, ob_arena *arena) {
    const ob_solved_clause solved = {.literals = clause->literals, .n = clause->n, .n_guard = clause->n_guard};
    ob_text text;
    ob__text_init(&text, &arena->allocator);
    dims->longest_name = OB_NAME_IN_TEXT;
    ob__text_puts(&text, "the model would then require ");
    ob__solved_write(&text, dims, &solved);
    dims->longest_name = 0;
    const char *out = text.failed ? NULL : ob__arena_strndup(arena, text.data, text.n);
    ob__text_release(&text);
    return out;
}

static ob_status widened(comparison *c, const ob_contract *before, const ob_facts *facts_before, const ob_contract *after,
                         const ob_facts *facts_after, ob_arena *arena, const char **why, const ob_node **node) {
    ob_clauses was, is;
    uint32_t narrower;
    OB_TRY(match_sizes(c, facts_before, facts_after));
    OB_TRY(normal_clauses(c, &before->given, true, &was));
    OB_TRY(normal_clauses(c, &after->given, false, &is));
    OB_TRY(first_narrower(c, &was, &is, &narrower));
    if (narrower < is.n) {
        *node = facts_after->conditions[is.items[narrower].origin].node;
        *why = sentence_of(c->model->dims, &after->given.items[narrower], arena);
        return *why ? OB_OK : OB_E_MEMORY;
    }
    for (uint32_t i = 0; i < after->n_bounds; i++) {
        bool found = false;
        for (uint32_t k = 0; k < before->n_bounds && !found; k++)
            OB_TRY(same_bound(c, &before->bounds[k], &after->bounds[i], facts_before, &after->given, &found));
        if (found) continue;
        *node = facts_after->bounds[after->bounds[i].first].node;
        *why = "the model would then have another condition on the elements of an input";
        return OB_OK;
    }
    if (after->n_open > before->n_open) {
        *node = after->n_unverified ? ob__contract_open(facts_after, after->unverified[0].first)->node : NULL;
        *why = "the model would then have a requirement that cannot be verified";
    }
    return OB_OK;
}

ob_status ob__contract_widened(ob_model *model, const ob_contract *was, const ob_facts *before, const ob_contract *is,
                               const ob_facts *after, ob_arena *arena, const char **why, const ob_node **node) {
    ob_keeping all = {.n_values = before->n_facts};
    comparison c = {.keeping = &all, .model = model};
    *why = "";
    *node = NULL;
    ob__arena_init(&c.arena, &arena->allocator);
    return ob__arena_finish(&c.arena, widened(&c, was, before, is, after, arena, why, node));
}
