/* Which sizes do both contracts admit? Inclusion is proved by the solver, and a difference needs a witness: sizes that were
 * tested against both contracts. Without either the relation is unknown. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "passes/compare/comparing.h"

enum {
    MOST_GOALS = 256,  /* clauses of a contract that the solver is asked about */
    MOST_REFUTED = 16, /* of them, clauses for which a witness is looked for */
    MOST_PLACES = 64,  /* axes with a size in a witness */
    MOST_TRIES = 4000, /* sizes that are tested for one witness */
    MOST_CHOICES = 64  /* different numbers that are tried */
};

/* Sizes of the places: symbols of the common pool. */
typedef struct assignment {
    ob_binding sizes[MOST_PLACES];
    uint32_t n;
} assignment;

typedef struct search {
    ob_comparing *c;
    int which; /* the model that admits the sizes */
    const ob_clause *goal;
    assignment places;
    int64_t choices[MOST_CHOICES];
    uint32_t n_choices;
    uint64_t random;
} search;

/* ---- Sizes ---- */

static bool add_place(void *context, ob_dim place) {
    search *s = context;
    for (uint32_t i = 0; i < s->places.n; i++)
        if (s->places.sizes[i].symbol == place) return true;
    if (s->places.n == MOST_PLACES) return false;
    s->places.sizes[s->places.n++] = (ob_binding){place, 2};
    return true;
}

static void add_places_of(search *s, const ob_literal *literals, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        ob_dim_symbols(s->c->dims, literals[i].p, add_place, s);
        if (literals[i].q) ob_dim_symbols(s->c->dims, literals[i].q, add_place, s);
    }
}

static bool is_witness(const search *s) {
    const ob_clauses *clauses = &s->c->clauses[s->which];
    const ob_dims *dims = s->c->dims;
    if (ob__clause_eval(dims, s->goal->literals, s->goal->n, s->places.sizes, s->places.n) != OB_FALSE) return false;
    for (uint32_t i = 0; i < clauses->n; i++)
        if (ob__clause_eval(dims, clauses->items[i].literals, clauses->items[i].n, s->places.sizes, s->places.n) != OB_TRUE)
            return false;
    return true;
}

static void add_choice(search *s, int64_t size) {
    for (uint32_t i = 0; i < s->n_choices; i++)
        if (s->choices[i] == size) return;
    if (size >= 0 && size < OB_SIZE_UNREACHED && s->n_choices < MOST_CHOICES) s->choices[s->n_choices++] = size;
}

/* Numbers in a sum, and their neighbours. */
static void add_choices_of(search *s, ob_dim dim) {
    const ob_term *term = ob__term(s->c->dims, dim);
    if (!term || term->kind != OB_DIM_KIND_SUM || term->n_words < 1) return;
    const int64_t number = term->words[0];
    if (number <= -OB_SIZE_UNREACHED || number >= OB_SIZE_UNREACHED) return;
    for (int64_t near = -1; near <= 1; near++) {
        add_choice(s, number + near);
        add_choice(s, near - number);
    }
}

/* The bits are those of every processor: xorshift. */
static uint64_t draw(search *s) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random;
}

/* Changes a few sizes at a time, so that equations that hold continue to hold often. */
static bool try_sizes(search *s) {
    if (is_witness(s)) return true;
    for (uint32_t try = 0; try < MOST_TRIES && s->places.n > 0; try++) {
        const int64_t size = s->choices[draw(s) % s->n_choices];
        const uint64_t kind = draw(s) % 4;
        const uint32_t at = (uint32_t)(draw(s) % s->places.n);
        const int64_t before = s->places.sizes[at].size;
        for (uint32_t i = 0; i < s->places.n; i++)
            if (kind == 0 || i == at || (kind == 1 && s->places.sizes[i].size == before)) s->places.sizes[i].size = size;
        if (is_witness(s)) return true;
    }
    return false;
}

/* ---- The solver's own sizes ---- */

/* Appends the opposite of the goal. *stated false: a term is too large. */
static ob_status append_negation(ob_comparing *c, const ob_clause *goal, ob_clauses *out, bool *stated) {
    static const ob_literal_kind opposite[] = {[OB_LITERAL_ZERO] = OB_LITERAL_NONZERO,
                                               [OB_LITERAL_NONZERO] = OB_LITERAL_ZERO,
                                               [OB_LITERAL_NONNEGATIVE] = OB_LITERAL_NONNEGATIVE,
                                               [OB_LITERAL_DIVIDES] = OB_LITERAL_NOT_DIVIDES,
                                               [OB_LITERAL_NOT_DIVIDES] = OB_LITERAL_DIVIDES};
    *stated = false;
    for (uint32_t i = 0; i < goal->n; i++) {
        ob_literal *literal = OB_ARENA_ARRAY(c->arena, ob_literal, 1);
        if (!literal) return OB_E_MEMORY;
        memset(literal, 0, sizeof *literal);
        literal->kind = opposite[goal->literals[i].kind];
        literal->p = goal->literals[i].p;
        literal->q = goal->literals[i].q;
        if (literal->kind == OB_LITERAL_NONNEGATIVE) /* p < 0 is -p - 1 >= 0 */
            literal->p = ob_dim_sub(c->dims, ob_dim_sub(c->dims, 0, literal->p), 1);
        if (literal->p == OB_DIM_UNKNOWN) return OB_OK;
        OB_TRY(ob__clauses_append(out, &(ob_clause){.literals = literal, .n = 1, .origin = out->n}));
    }
    *stated = true;
    return OB_OK;
}

/* Sizes that the solver found for the clauses and the opposite of the goal. *none: it proved that there are none. */
static ob_status ask_solver(search *s, bool *none) {
    ob_comparing *c = s->c;
    ob_clauses all;
    ob_solution solution;
    bool stated;
    *none = false;
    ob__clauses_init(&all, c->arena);
    for (uint32_t i = 0; i < c->clauses[s->which].n; i++) OB_TRY(ob__clauses_append(&all, &c->clauses[s->which].items[i]));
    OB_TRY(append_negation(c, s->goal, &all, &stated));
    if (!stated) return OB_OK;
    ob_dim *inputs = OB_ARENA_ARRAY(c->arena, ob_dim, MOST_PLACES);
    if (!inputs) return OB_E_MEMORY;
    for (uint32_t i = 0; i < s->places.n; i++) inputs[i] = s->places.sizes[i].symbol;
    OB_TRY(ob__solve(c->dims, all.items, all.n, inputs, s->places.n, c->arena, &solution));
    *none = solution.contradictory;
    for (uint32_t i = 0; i < solution.n_clauses; i++) {
        const ob_solved_clause *clause = &solution.clauses[i];
        for (uint32_t k = 0; k < clause->n_holds; k++) {
            add_choice(s, clause->holds[k].size);
            for (uint32_t at = 0; at < s->places.n; at++)
                if (s->places.sizes[at].symbol == clause->holds[k].symbol) s->places.sizes[at].size = clause->holds[k].size;
        }
    }
    return OB_OK;
}

/* ---- Witnesses ---- */

/* The sizes by the names of the model that admits them: its symbols, each once. */
static ob_status keep_witness(search *s, const char *clause) {
    ob_comparing *c = s->c;
    const ob_model *model = c->reports[s->which]->model;
    ob_comparison_witness *out = s->which == OB_BEFORE ? &c->result->info.only_old : &c->result->info.only_new;
    ob_named_size *sizes = OB_ARENA_ARRAY(c->arena, ob_named_size, MOST_PLACES);
    size_t n = 0;
    if (!sizes) return OB_E_MEMORY;
    for (uint32_t i = 0; i < model->graph->n_inputs; i++) {
        const ob_shape *shape = &ob__compared_fact(c, s->which, model->graph->inputs[i])->shape;
        for (int32_t axis = 0; axis < shape->rank && n < MOST_PLACES; axis++) {
            if (!ob_dim_is_term(shape->dims[axis])) continue;
            const ob_dim place = ob__compared_dim(c, s->which, shape->dims[axis]);
            int64_t size;
            if (ob_dim_eval(c->dims, place, s->places.sizes, s->places.n, &size) != OB_OK) continue;
            const size_t length = ob_dim_format(model->dims, shape->dims[axis], NULL, 0);
            char *name = ob__arena_alloc(c->arena, length + 1);
            const ob_term *term = ob__term(model->dims, shape->dims[axis]);
            if (!name) return OB_E_MEMORY;
            ob_dim_format(model->dims, shape->dims[axis], name, length + 1);
            const char *plain = term && term->name ? ob__arena_strndup(c->arena, term->name, strlen(term->name)) : name;
            if (!plain) return OB_E_MEMORY;
            size_t at = 0;
            while (at < n && strcmp(sizes[at].name, plain) != 0) at++;
            if (at == n) sizes[n++] = (ob_named_size){plain, size};
        }
    }
    *out = (ob_comparison_witness){n, sizes, clause};
    return OB_OK;
}

/* *found: sizes that `which` admits and the goal excludes. *none: it is proved that there are none. */
static ob_status find_witness(ob_comparing *c, int which, uint32_t goal, bool *found, bool *none) {
    static const int64_t usual[] = {2, 1, 3, 0, 4, 5, 7, 8, 16, 32};
    const ob_clauses *own = &c->clauses[which];
    search *s = OB_ARENA_ARRAY(c->arena, search, 1);
    if (!s) return OB_E_MEMORY;
    *s = (search){.c = c, .which = which, .goal = &c->clauses[!which].items[goal], .random = UINT64_C(0x9E3779B97F4A7C15)};
    *found = false;
    add_places_of(s, s->goal->literals, s->goal->n);
    for (uint32_t i = 0; i < own->n; i++) add_places_of(s, own->items[i].literals, own->items[i].n);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) add_choice(s, usual[i]);
    for (uint32_t i = 0; i < s->goal->n; i++) add_choices_of(s, s->goal->literals[i].p);
    for (uint32_t i = 0; i < own->n && i < MOST_GOALS; i++)
        for (uint32_t k = 0; k < own->items[i].n; k++) add_choices_of(s, own->items[i].literals[k].p);
    OB_TRY(ask_solver(s, none));
    if (*none || !try_sizes(s)) return OB_OK;
    *found = true;
    return keep_witness(s, c->texts[!which][goal]);
}

/* ---- The relation ---- */

/* Does the other contract admit all sizes that `which` admits? FALSE: there is a witness. */
static ob_status included(ob_comparing *c, int which, ob_truth *out) {
    const ob_clauses *own = &c->clauses[which], *goals = &c->clauses[!which];
    ob_truth truths[MOST_GOALS];
    const uint32_t n = goals->n < MOST_GOALS ? goals->n : MOST_GOALS;
    uint32_t n_tried = 0;
    *out = OB_TRUE;
    if (n > 0) OB_TRY(ob__implied_all(c->dims, own->items, own->n, goals->items, n, c->arena, truths));
    for (uint32_t i = 0; i < n; i++) {
        bool found = false, none = false;
        if (truths[i] == OB_TRUE) continue;
        if (n_tried++ < MOST_REFUTED) OB_TRY(find_witness(c, which, i, &found, &none));
        if (found) {
            *out = OB_FALSE;
            return OB_OK;
        }
        if (!none) *out = OB_UNDECIDED;
    }
    if (*out == OB_TRUE && (c->n_lost[!which] > 0 || goals->n > MOST_GOALS)) *out = OB_UNDECIDED;
    return OB_OK;
}

static ob_status relate(ob_comparing *c, ob_comparison_info *info) {
    const bool none_before = c->reports[OB_BEFORE]->contract.status == OB_CONTRACT_CONTRADICTORY;
    const bool none_after = c->reports[OB_AFTER]->contract.status == OB_CONTRACT_CONTRADICTORY;
    ob_truth before_in_after, after_in_before;
    info->contract = OB_RELATION_UNKNOWN;
    info->reason = "";
    if (none_before || none_after) {
        info->contract = none_before == none_after ? OB_RELATION_EQUAL : OB_RELATION_UNKNOWN;
        if (none_before != none_after)
            info->reason = none_after ? "the new contract admits no sizes" : "the old contract admits no sizes";
        return OB_OK;
    }
    if (c->why_unknown) {
        info->reason = c->why_unknown;
        return OB_OK;
    }
    OB_TRY(included(c, OB_BEFORE, &before_in_after));
    OB_TRY(included(c, OB_AFTER, &after_in_before));
    if (before_in_after == OB_TRUE && after_in_before == OB_TRUE)
        info->contract = OB_RELATION_EQUAL;
    else if (before_in_after == OB_TRUE && after_in_before == OB_FALSE)
        info->contract = OB_RELATION_WIDER;
    else if (before_in_after == OB_FALSE && after_in_before == OB_TRUE)
        info->contract = OB_RELATION_NARROWER;
    else if (before_in_after == OB_FALSE && after_in_before == OB_FALSE)
        info->contract = OB_RELATION_NEITHER;
    else
        info->reason = "neither proved nor refuted that one contract contains the other";
    return OB_OK;
}

/* "N = 3, M = 4". */
static void write_sizes(ob_text *text, const ob_comparison_witness *witness) {
    for (size_t i = 0; i < witness->n_sizes; i++)
        ob__text_printf(text, "%s%.60s = %lld", i ? ", " : "", witness->sizes[i].name, (long long)witness->sizes[i].size);
    if (witness->n_sizes == 0) ob__text_puts(text, "its fixed sizes");
}

ob_status ob__compare_contracts(ob_comparing *c) {
    static const char *const sentences[] = {[OB_RELATION_EQUAL] = "",
                                            [OB_RELATION_WIDER] = "the new model admits more sizes",
                                            [OB_RELATION_NARROWER] = "the new model admits fewer sizes",
                                            [OB_RELATION_NEITHER] = "each model admits sizes that the other excludes",
                                            [OB_RELATION_UNKNOWN] = "the contracts cannot be compared"};
    ob_comparison_info *info = &c->result->info;
    ob_text text;
    OB_TRY(relate(c, info));
    if (info->contract == OB_RELATION_EQUAL) return OB_OK;
    ob__text_init(&text, &c->result->allocator);
    ob__text_puts(&text, sentences[info->contract]);
    if (info->reason[0]) ob__text_printf(&text, ": %s", info->reason);
    if (info->only_old.clause) {
        ob__text_puts(&text, "; no longer admitted: ");
        write_sizes(&text, &info->only_old);
        ob__text_printf(&text, " (now: %.300s)", info->only_old.clause);
    }
    if (info->only_new.clause) {
        ob__text_puts(&text, "; now admitted: ");
        write_sizes(&text, &info->only_new);
        ob__text_printf(&text, " (before: %.300s)", info->only_new.clause);
    }
    const char *kept = text.failed ? NULL : ob__arena_strndup(c->arena, text.data, text.n);
    ob__text_release(&text);
    if (!kept) return OB_E_MEMORY;
    return ob__change_add(c, &(ob_change){OB_CHANGE_CONTRACT, info->contract != OB_RELATION_WIDER, "", "", "", kept});
}
