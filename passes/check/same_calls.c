/* Calls of a local function with equal operands: the body is inferred for the first of them, and the others get its results.
 * Anonymous sizes of the body (of NonZero, of data) differ between calls, so they get new names. The time is proportional to
 * the number of calls, and to the nodes of bodies times the calls that differ. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/base/list.h"
#include "core/dims/terms.h"
#include "passes/check/propagation.h"

struct ob_kept_call {
    ob_called *called; /* NULL: not inferred yet, or its results must not be reused */
    ob_fact *outputs;  /* of the body, in its order */
    uint32_t from, to; /* anonymous sizes made within have the numbers from + 1 .. to */
    uint64_t n_proved, n_refuted;
    bool shared;
};

struct ob_site_entry {
    ob_called *of;
    const ob_node *node;
    ob_called *outer;
};

enum { LONG_LIST = 64 }; /* a longer list is compared by its address, not by its contents */

void ob__calls_init(ob_propagation *p) {
    ob__map_init(&p->kept_calls, &p->scratch);
    ob__text_init(&p->key, &p->scratch.allocator);
    ob__map_init(&p->facts->first_called, &p->facts->arena);
}

void ob__calls_release(ob_propagation *p) {
    ob__text_release(&p->key);
    ob__list_free(&p->scratch.allocator, p->sites, p->sites_capacity, sizeof *p->sites);
    p->sites = NULL;
}

/* ---- The key of a call ---- */

static void add_number(ob_text *key, int64_t number) {
    ob__text_append(key, (const char *)&number, sizeof number);
}

static void add_bytes(ob_text *key, const void *bytes, size_t n) {
    add_number(key, (int64_t)n);
    if (n) ob__text_append(key, bytes, n);
}

static void add_words(ob_text *key, const int64_t *words, uint32_t n) {
    add_number(key, n);
    if (n > LONG_LIST)
        add_number(key, (int64_t)(intptr_t)words);
    else if (n)
        ob__text_append(key, (const char *)words, n * sizeof *words);
}

static void add_type(ob_text *key, const ob_type *type) {
    for (; type; type = type->element) {
        add_number(key, type->kind);
        add_number(key, type->dtype);
        add_number(key, type->shape.rank);
        if (type->shape.rank > 0) add_words(key, type->shape.dims, (uint32_t)type->shape.rank);
    }
    add_number(key, -1);
}

static void add_content(ob_text *key, const ob_content *content) {
    add_number(key, content->n);
    add_number(key, (content->elems ? 1 : 0) + (content->range ? 2 : 0) + (content->parts ? 4 : 0));
    if (content->elems) add_words(key, content->elems, content->n);
    if (content->range) {
        add_number(key, content->range->lowest);
        add_number(key, content->range->highest);
        add_number(key, content->range->reached);
    }
    for (const ob_trace *link = content->trace; link; link = link->next) {
        const int64_t words[10] = {(int64_t)(intptr_t)link->input,
                                   (int64_t)(intptr_t)link->first,
                                   (int64_t)(intptr_t)link->end,
                                   link->is_dense + 2 * link->is_stretched + 4 * link->is_rounded + 8 * link->is_sign +
                                       16 * link->is_mixed,
                                   link->factor,
                                   link->summand,
                                   link->lowest,
                                   link->highest,
                                   link->reached,
                                   link->around};
        add_words(key, words, 10);
    }
    add_number(key, -1);
    if (content->parts) {
        add_words(key, content->parts, content->n);
        add_number(key, content->denominator);
    }
    add_number(key, content->extent);
}

static void add_attribute(ob_text *key, const ob_attribute *attribute) {
    add_bytes(key, attribute->name, strlen(attribute->name));
    add_number(key, attribute->type);
    add_number(key, attribute->n);
    size_t n = attribute->n;
    switch (attribute->ref || n > LONG_LIST ? OB_ATTR_UNDEFINED : attribute->type) {
    case OB_ATTR_FLOAT: add_bytes(key, &attribute->u.f, sizeof attribute->u.f); return;
    case OB_ATTR_INT: add_number(key, attribute->u.i); return;
    case OB_ATTR_STRING: add_bytes(key, attribute->u.s.data, attribute->u.s.n); return;
    case OB_ATTR_FLOATS: add_bytes(key, attribute->u.floats, n * sizeof *attribute->u.floats); return;
    case OB_ATTR_INTS: add_bytes(key, attribute->u.ints, n * sizeof *attribute->u.ints); return;
    case OB_ATTR_TENSOR: add_number(key, (int64_t)(intptr_t)attribute->u.tensor); return;
    case OB_ATTR_GRAPH: add_number(key, (int64_t)(intptr_t)attribute->u.graph); return;
    default: add_number(key, (int64_t)(intptr_t)attribute); return; /* rare: equal only if it is the same object */
    }
}

ob_content ob__call_content(const ob_infer *infer, uint32_t i) {
    ob_content content = infer->in_contents[i];
    if (infer->in_types[i].dtype != OB_INT64 && infer->in_types[i].dtype != OB_INT32) content.trace = NULL;
    return content;
}

ob_status ob__call_place(ob_visit *visit, ob_kept_call **out) {
    ob_propagation *p = visit->p;
    const ob_node *node = visit->infer.node;
    const ob_function *function = node->function;
    ob_text *key = &p->key;
    key->n = 0;
    add_number(key, (int64_t)(intptr_t)function);
    add_number(key, (int64_t)(intptr_t)p->guard);
    add_number(key, visit->assumed);
    for (uint32_t i = 0; i < function->body->n_inputs; i++) {
        bool given = ob__in_given(&visit->infer, i);
        add_number(key, given);
        if (!given) continue;
        add_number(key, (int64_t)(intptr_t)ob__fact(p->facts, node->inputs[i])->root);
        add_type(key, &visit->infer.in_types[i]);
        const ob_content content = ob__call_content(&visit->infer, i);
        add_content(key, &content);
    }
    for (uint32_t i = 0; i < node->n_attributes; i++) add_attribute(key, node->attributes[i]);
    if (key->failed) return OB_E_MEMORY;
    ob_map_entry *entry = ob__map_insert(&p->kept_calls, key->data, key->n);
    if (!entry) return OB_E_MEMORY;
    if (!entry->value) entry->value = OB_ARENA_NEW(&p->scratch, ob_kept_call);
    *out = entry->value;
    return *out ? OB_OK : OB_E_MEMORY;
}

/* ---- The first of them ---- */

static ob_status add_site(ob_propagation *p, ob_called *called, const ob_node *node) {
    if (p->n_sites == p->sites_capacity) {
        ob_site_entry *grown = ob__list_grown(&p->scratch.allocator, p->sites, &p->sites_capacity, sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        p->sites = grown;
    }
    p->sites[p->n_sites++] = (ob_site_entry){called, node, p->called};
    return OB_OK;
}

ob_status ob__call_begin(ob_visit *visit, ob_kept_call *place) {
    ob_propagation *p = visit->p;
    const ob_facts *facts = p->facts;
    ob_called *called = OB_ARENA_NEW(&p->facts->arena, ob_called);
    if (!called) return OB_E_MEMORY;
    *called = (ob_called){.function = visit->infer.node->function, .path = "", .n = 1};
    *place = (ob_kept_call){
        .called = called, .from = p->model->dims->n_anonymous, .n_proved = facts->n_proved, .n_refuted = facts->n_refuted};
    visit->n_limited = p->n_limited;
    visit->n_conditions = facts->n_conditions;
    OB_TRY(add_site(p, called, visit->node));
    p->called = called;
    return OB_OK;
}

typedef struct made_within {
    const ob_dims *dims;
    uint32_t from, to;
    bool found;
} made_within;

static bool is_made_within(const ob_dims *dims, ob_dim symbol, uint32_t from, uint32_t to) {
    const ob_term *term = ob__term(dims, symbol);
    return term && term->kind == OB_DIM_KIND_SYMBOL && term->anonymous && term->number > from && term->number <= to;
}

static bool look_at(void *context, ob_dim symbol) {
    made_within *w = context;
    w->found = is_made_within(w->dims, symbol, w->from, w->to);
    return !w->found;
}

/* Is something required of sizes that were made within? It is then required of each call's own. */
static bool requires_of_own(const ob_propagation *p, const ob_kept_call *place, uint32_t n_conditions) {
    made_within w = {p->model->dims, place->from, place->to, false};
    for (uint32_t i = n_conditions; i < p->facts->n_conditions && !w.found && w.from < w.to; i++) {
        const ob_requirement *r = &p->facts->conditions[i];
        ob_dim_symbols(w.dims, r->condition.a, look_at, &w);
        if (!w.found) ob_dim_symbols(w.dims, r->condition.b, look_at, &w);
        for (const ob_guard *guard = r->guard; guard && guard != p->guard && !w.found; guard = guard->outer)
            ob_dim_symbols(w.dims, guard->term, look_at, &w);
    }
    return w.found;
}

static ob_status keep_values(ob_propagation *p, ob_called *called, const ob_value *const *values, uint32_t n) {
    uint32_t *ids = OB_ARENA_ARRAY(&p->facts->arena, uint32_t, n);
    ob_fact *facts = OB_ARENA_ARRAY(&p->facts->arena, ob_fact, n);
    if (!ids || !facts) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = values[i]->id;
        facts[i] = p->facts->facts[ids[i]];
    }
    called->values = ids;
    called->facts = facts;
    called->n_values = n;
    return OB_OK;
}

ob_status ob__call_end(ob_visit *visit, ob_kept_call *place, const ob_value *const *values, uint32_t n_values) {
    ob_propagation *p = visit->p;
    ob_facts *facts = p->facts;
    ob_called *called = place->called;
    const ob_graph *body = called->function->body;
    if (facts->n_called == facts->called_capacity) {
        ob_called **grown = ob__list_grown(&facts->arena.allocator, facts->called, &facts->called_capacity, sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        facts->called = grown;
    }
    facts->called[facts->n_called++] = called;
    called->stands = true;
    if (p->options->keep_calls) OB_TRY(keep_values(p, called, values, n_values));
    place->outputs = OB_ARENA_ARRAY(&p->scratch, ob_fact, body->n_outputs);
    if (!place->outputs) return OB_E_MEMORY;
    for (uint32_t i = 0; i < body->n_outputs; i++) place->outputs[i] = *ob__fact(facts, body->outputs[i]);
    place->to = p->model->dims->n_anonymous;
    place->n_proved = facts->n_proved - place->n_proved;
    place->n_refuted = facts->n_refuted - place->n_refuted;
    place->shared = visit->n_limited == p->n_limited && !requires_of_own(p, place, visit->n_conditions);
    return OB_OK;
}

/* ---- The others ---- */

typedef struct renaming {
    ob_propagation *p;
    const ob_kept_call *place;
    ob_map names; /* of those that the results mention */
} renaming;

/* NULL: out of memory. */
static ob_dim *new_name(renaming *r, ob_dim symbol) {
    ob_dims *dims = r->p->model->dims;
    ob_dim *name = OB_ARENA_NEW(&r->p->scratch, ob_dim);
    if (!name) return NULL;
    *name = ob_dim_fresh(dims);
    const ob_claim *claim = ob__claim_of(r->p->facts, dims, symbol);
    if (!claim || *name == OB_DIM_UNKNOWN) return name;
    ob_claim own = *claim;
    own.size = *name;
    return ob__claim_add(r->p->facts, dims, &own) == OB_OK ? name : NULL;
}

static ob_dim renamed(void *context, ob_dim symbol) {
    renaming *r = context;
    ob_dims *dims = r->p->model->dims;
    if (!is_made_within(dims, symbol, r->place->from, r->place->to)) return symbol;
    ob_map_entry *entry = ob__map_insert(&r->names, (const char *)&symbol, sizeof symbol);
    if (entry && !entry->value) entry->value = new_name(r, symbol);
    if (entry && entry->value) return *(const ob_dim *)entry->value;
    r->p->facts->arena.failed = true; /* ob__propagate looks at it */
    return OB_DIM_UNKNOWN;
}

static ob_status rename_words(renaming *r, const ob_dim **words, uint32_t n) {
    ob_dims *dims = r->p->model->dims;
    uint32_t i = 0;
    bool disagrees;
    while (i < n && !ob_dim_is_anonymous(dims, (*words)[i])) i++;
    if (i == n) return OB_OK;
    ob_dim *copy = OB_ARENA_ARRAY(&r->p->facts->arena, ob_dim, n);
    if (!copy) return OB_E_MEMORY;
    memcpy(copy, *words, n * sizeof *copy);
    for (; i < n; i++)
        if (ob_dim_is_anonymous(dims, copy[i])) copy[i] = ob__dim_replace(dims, copy[i], renamed, r, &disagrees);
    *words = copy;
    return OB_OK;
}

static ob_status rename_type(renaming *r, ob_type *type) {
    while (type) {
        if (type->shape.rank > 0) OB_TRY(rename_words(r, &type->shape.dims, (uint32_t)type->shape.rank));
        if (!type->element) return OB_OK;
        ob_type *copy = OB_ARENA_NEW(&r->p->facts->arena, ob_type);
        if (!copy) return OB_E_MEMORY;
        *copy = *type->element;
        type->element = copy;
        type = copy;
    }
    return OB_OK;
}

static ob_status rename_content(renaming *r, ob_content *content) {
    content->items = NULL; /* their types are not renamed */
    content->trace = NULL; /* its terms are those of the call that was inferred */
    if (content->elems) OB_TRY(rename_words(r, &content->elems, content->n));
    if (content->parts) OB_TRY(rename_words(r, &content->parts, content->n));
    if (content->extent != 0) {
        const ob_dim *extent = &content->extent;
        OB_TRY(rename_words(r, &extent, 1));
        content->extent = *extent;
    }
    if (!content->range) return OB_OK;
    const ob_dim ends[2] = {content->range->lowest, content->range->highest}, *own = ends;
    OB_TRY(rename_words(r, &own, 2));
    if (own == ends) return OB_OK;
    ob_range *range = OB_ARENA_NEW(&r->p->facts->arena, ob_range);
    if (!range) return OB_E_MEMORY;
    *range = (ob_range){own[0], own[1], content->range->reached};
    content->range = range;
    return OB_OK;
}

ob_status ob__call_again(ob_visit *visit, const ob_kept_call *place, bool *given) {
    ob_propagation *p = visit->p;
    *given = place->called && place->called->stands && place->shared;
    if (!*given) return OB_OK;
    renaming r = {.p = p, .place = place};
    ob__map_init(&r.names, &p->scratch);
    for (uint32_t i = 0; i < visit->infer.node->n_outputs; i++) {
        ob_fact fact = place->outputs[i];
        if (place->from < place->to) {
            OB_TRY(rename_type(&r, &fact.type));
            OB_TRY(rename_content(&r, &fact.content));
        }
        visit->assumed |= fact.assumed;
        visit->infer.out_types[i] = fact.type;
        visit->infer.out_contents[i] = fact.content;
        visit->infer.out_contents[i].items = NULL;
    }
    p->facts->n_proved += place->n_proved;
    p->facts->n_refuted += place->n_refuted;
    return add_site(p, place->called, visit->node);
}

void ob__calls_rewind(ob_propagation *p, uint32_t n_called, uint32_t n_sites) {
    ob_facts *facts = p->facts;
    while (facts->n_called > n_called) facts->called[--facts->n_called]->stands = false;
    p->n_sites = n_sites;
}

/* ---- How many there are ---- */

/* Bodies do not call themselves, and calls nest no deeper than a limit. */
static void count(ob_called *called) {
    if (called->n > 0) return;
    for (const ob_call_site *site = called->sites; site; site = site->next) {
        if (site->outer) count((ob_called *)site->outer);
        called->n = ob__add_sat(called->n, site->outer ? site->outer->n : 1);
    }
    if (called->n == 0) called->n = 1;
}

ob_status ob__count_calls(ob_propagation *p) {
    ob_facts *facts = p->facts;
    ob_call_site *sites = OB_ARENA_ARRAY(&facts->arena, ob_call_site, p->n_sites);
    if (!sites) return OB_E_MEMORY;
    for (uint32_t i = p->n_sites; i-- > 0;) {
        const ob_site_entry *entry = &p->sites[i];
        sites[i] = (ob_call_site){entry->node, entry->outer, entry->of->sites};
        entry->of->sites = &sites[i];
    }
    for (uint32_t i = facts->n_called; i-- > 0;) {
        ob_called *called = facts->called[i];
        ob_map_entry *entry = ob__map_insert(&facts->first_called, (const char *)&called->function, sizeof called->function);
        if (!entry) return OB_E_MEMORY;
        called->next = entry->value;
        entry->value = called;
        called->n = 0;
    }
    for (uint32_t i = 0; i < facts->n_called; i++) count(facts->called[i]);
    return OB_OK;
}
