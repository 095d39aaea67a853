/* Both contracts in one pool, on the axes of the inputs. Two models may name their sizes differently; what their callers choose
 * are the sizes of the same axes. A symbol is therefore replaced by the first axis that it names, and each further axis becomes a
 * clause: x of shape (N, N, 3) is x[1] = x[0] and x[2] = 3. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/parse.h"
#include "core/dims/terms.h"
#include "passes/compare/comparing.h"

/* Place symbols are in the pool as "AXIS@INPUT", which keeps them apart from each other for all names. */
static ob_dim place_of(ob_comparing *c, const char *input, int32_t axis) {
    const char *name = ob__arena_printf(c->arena, "%d@", (int)axis);
    const size_t n = strlen(input);
    char *whole = name ? ob__arena_alloc(c->arena, strlen(name) + n + 1) : NULL;
    if (!whole) return OB_DIM_UNKNOWN;
    strcpy(whole, name);
    strcat(whole, input);
    return ob_dim_symbol(c->dims, whole);
}

/* The symbol as a key. Sizes without a name are symbols of the model's pool too. */
static ob_map_entry *entry_of(ob_comparing *c, int which, ob_dim symbol, bool insert) {
    return insert ? ob__map_insert(&c->places[which], (const char *)&symbol, sizeof symbol)
                  : ob__map_find(&c->places[which], (const char *)&symbol, sizeof symbol);
}

/* The first place of a symbol. */
typedef struct first_place {
    ob_dim place;
    const ob_value *input;
    int32_t axis;
} first_place;

static ob_status add_equal(ob_comparing *c, int which, ob_dim a, ob_dim b, const char *text) {
    const ob_condition equal = {OB_COND_EQUAL, a, b};
    const uint32_t n = c->clauses[which].n;
    bool stated;
    if (!text) return OB_E_MEMORY;
    OB_TRY(ob__clauses_add(&c->clauses[which], c->dims, &equal, NULL, 0, n, false, &stated));
    for (uint32_t i = n; i < c->clauses[which].n; i++) c->texts[which][i] = text;
    if (!stated) c->n_lost[which]++;
    return OB_OK;
}

static ob_status add_axis(ob_comparing *c, int which, const ob_value *input, int32_t axis, ob_dim size) {
    const ob_dim place = place_of(c, input->name, axis);
    const char *name = input->name;
    if (place == OB_DIM_UNKNOWN) return OB_E_MEMORY;
    if (size == OB_DIM_UNKNOWN) return OB_OK;
    if (ob_dim_is_const(size))
        return add_equal(c, which, place, size,
                         ob__arena_printf(c->arena, "axis %d of \"%.200s\" is %lld", (int)axis, name, (long long)size));
    ob_map_entry *entry = entry_of(c, which, size, true);
    if (!entry) return OB_E_MEMORY;
    const first_place *first = entry->value;
    if (first)
        return add_equal(c, which, place, first->place,
                         ob__arena_printf(c->arena, "axis %d of \"%.200s\" equals axis %d of \"%.200s\"", (int)axis, name,
                                          (int)first->axis, first->input->name));
    first_place *kept = OB_ARENA_ARRAY(c->arena, first_place, 1);
    if (!kept) return OB_E_MEMORY;
    *kept = (first_place){place, input, axis};
    entry->value = kept;
    return OB_OK;
}

/* ---- Terms of a model in the common pool ---- */

typedef struct translation {
    ob_comparing *c;
    int which;
    bool lost;
} translation;

/* Names of symbols, and places of sizes without a name, are read as symbols of the common pool under a name of their own. */
static ob_dim translate_symbol(void *context, ob_dim read) {
    translation *t = context;
    const ob_term *term = ob__term(t->c->dims, read);
    const ob_dims *own = t->c->reports[t->which]->model->dims;
    const ob_dim symbol = term && term->name ? ob_dim_find(own, term->name) : OB_DIM_UNKNOWN;
    const ob_map_entry *entry = symbol == OB_DIM_UNKNOWN ? NULL : entry_of(t->c, t->which, symbol, false);
    if (entry) return ((const first_place *)entry->value)->place;
    t->lost = true;
    return OB_DIM_UNKNOWN;
}

static ob_dim translate(translation *t, ob_dim read) {
    bool disagrees = false;
    if (!ob_dim_is_term(read)) return read;
    const ob_dim dim = ob__dim_replace(t->c->dims, read, translate_symbol, t, &disagrees);
    if (dim == OB_DIM_UNKNOWN) t->lost = true;
    return dim;
}

/* *stated false: the term or the clause is too large, or has a size that is none of an input. */
static ob_status translate_clause(ob_comparing *c, int which, const char *text, bool *stated) {
    translation t = {c, which, false};
    ob_clause clause;
    *stated = false;
    ob_status status = ob__clause_parse(c->dims, text, strlen(text), false, c->arena, &clause, NULL);
    if (status == OB_E_MEMORY) return status;
    if (status != OB_OK) return OB_OK;
    ob_literal *literals = OB_ARENA_ARRAY(c->arena, ob_literal, clause.n);
    if (clause.n && !literals) return OB_E_MEMORY;
    for (uint32_t i = 0; i < clause.n; i++) {
        memset(&literals[i], 0, sizeof literals[i]); /* compared as bytes */
        literals[i].kind = clause.literals[i].kind;
        literals[i].p = translate(&t, clause.literals[i].p);
        literals[i].q = clause.literals[i].q ? translate(&t, clause.literals[i].q) : 0;
    }
    if (t.lost) return OB_OK;
    clause.literals = literals;
    clause.origin = c->clauses[which].n;
    clause.assumed = false;
    *stated = true;
    return ob__clauses_append(&c->clauses[which], &clause);
}

static ob_dim carry_sum(ob_comparing *c, int which, const ob_term *term) {
    ob_dim total = term->words[0];
    for (uint32_t at = 1; at < term->n_words;) {
        ob_dim product = term->words[at];
        const uint32_t n_factors = (uint32_t)term->words[at + 1];
        for (uint32_t k = 0; k < n_factors; k++) {
            const ob_dim factor = ob__compared_dim(c, which, term->words[at + 2 + k]);
            if (factor == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
            product = ob_dim_mul(c->dims, product, factor);
        }
        total = ob_dim_add(c->dims, total, product);
        at += 2 + n_factors;
    }
    return total;
}

static ob_dim carry_members(ob_comparing *c, int which, const ob_term *term) {
    ob_dim (*const join)(ob_dims *, ob_dim, ob_dim) = term->kind == OB_DIM_KIND_BCAST ? ob_dim_bcast
                                                      : term->kind == OB_DIM_KIND_MIN ? ob_dim_min
                                                                                      : ob_dim_max;
    ob_dim all = OB_DIM_UNKNOWN;
    for (uint32_t i = 0; i < term->n_words; i++) {
        const ob_dim member = ob__compared_dim(c, which, term->words[i]);
        if (member == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
        all = i == 0 ? member : join(c->dims, all, member);
        if (all == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    }
    return all;
}

ob_dim ob__compared_dim(ob_comparing *c, int which, ob_dim dim) {
    const ob_term *term = ob__term(c->reports[which]->model->dims, dim);
    if (!term) return ob_dim_is_const(dim) ? dim : OB_DIM_UNKNOWN;
    if (term->kind == OB_DIM_KIND_SYMBOL) {
        const ob_map_entry *entry = entry_of(c, which, dim, false);
        return entry ? ((const first_place *)entry->value)->place : OB_DIM_UNKNOWN;
    }
    if (term->kind == OB_DIM_KIND_SUM) return carry_sum(c, which, term);
    if (term->kind != OB_DIM_KIND_DIV && term->kind != OB_DIM_KIND_QUOTIENT) return carry_members(c, which, term);
    const ob_dim a = ob__compared_dim(c, which, term->words[0]);
    if (a == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    if (term->kind == OB_DIM_KIND_DIV) return ob_dim_div(c->dims, a, term->words[1]);
    const ob_dim b = ob__compared_dim(c, which, term->words[1]);
    return b == OB_DIM_UNKNOWN ? OB_DIM_UNKNOWN : ob_dim_quotient(c->dims, a, b);
}

ob_status ob__compared_name(ob_comparing *c, int which, ob_dim size, uint32_t number, int32_t axis) {
    if (!ob_dim_is_anonymous(c->reports[which]->model->dims, size) || entry_of(c, which, size, false)) return OB_OK;
    const char *name = ob__arena_printf(c->arena, "%d#%u", (int)axis, (unsigned)number); /* no place has a "#" there */
    first_place *kept = OB_ARENA_ARRAY(c->arena, first_place, 1);
    ob_map_entry *entry = name && kept ? entry_of(c, which, size, true) : NULL;
    if (!entry) return OB_E_MEMORY;
    *kept = (first_place){.place = ob_dim_symbol(c->dims, name)};
    entry->value = kept;
    return kept->place == OB_DIM_UNKNOWN ? OB_E_MEMORY : OB_OK;
}

/* ---- The whole ---- */

static ob_status add_inputs(ob_comparing *c, int which) {
    const ob_graph *graph = c->reports[which]->model->graph;
    const ob_graph *other = c->reports[!which]->model->graph;
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_value *input = graph->inputs[i];
        const ob_shape *shape = &ob__compared_fact(c, which, input)->shape;
        if (input->data) continue; /* a weight that a caller may replace: its size is not the caller's choice */
        const ob_value *same = ob__compared_find(other->inputs, other->n_inputs, input->name);
        const ob_shape *there = same ? &ob__compared_fact(c, !which, same)->shape : NULL;
        if (!there)
            c->why_unknown = "an input is new or missing";
        else if (there->rank != shape->rank || shape->rank == OB_RANK_UNKNOWN)
            c->why_unknown = "an input has another rank, or an unknown one";
        for (int32_t axis = 0; axis < shape->rank; axis++) OB_TRY(add_axis(c, which, input, axis, shape->dims[axis]));
    }
    return OB_OK;
}

static ob_status add_contract(ob_comparing *c, int which) {
    const ob_report *report = c->reports[which];
    const ob_contract *contract = &report->contract;
    for (uint32_t i = 0; i < contract->n_clauses; i++) {
        ob_text text;
        bool stated = false;
        ob__text_init(&text, &report->allocator);
        ob__solved_write(&text, report->model->dims, contract->clauses[i]);
        ob_status status = text.failed ? OB_E_MEMORY : OB_OK;
        if (status == OB_OK && text.n <= OB_PARSE_TEXT) status = translate_clause(c, which, text.data, &stated);
        if (status == OB_OK && stated) {
            c->texts[which][c->clauses[which].n - 1] = ob__arena_strndup(c->arena, text.data, text.n);
            if (!c->texts[which][c->clauses[which].n - 1]) status = OB_E_MEMORY;
        }
        c->n_lost[which] += !stated;
        ob__text_release(&text);
        OB_TRY(status);
    }
    return OB_OK;
}

ob_status ob__compare_places(ob_comparing *c) {
    for (int which = OB_BEFORE; which <= OB_AFTER; which++) {
        ob__map_init(&c->places[which], c->arena);
        ob__clauses_init(&c->clauses[which], c->arena);
        size_t n_texts = c->reports[which]->contract.n_clauses;
        const ob_graph *graph = c->reports[which]->model->graph;
        for (uint32_t i = 0; i < graph->n_inputs; i++) {
            const int32_t rank = ob__compared_fact(c, which, graph->inputs[i])->shape.rank;
            n_texts += rank > 0 ? (size_t)rank : 0;
        }
        c->texts[which] = OB_ARENA_ARRAY(c->arena, const char *, n_texts); /* a condition of axes is one clause */
        if (n_texts && !c->texts[which]) return OB_E_MEMORY;
        OB_TRY(add_inputs(c, which));
        OB_TRY(add_contract(c, which));
    }
    return OB_OK;
}
