/* The contract as a text: written, read, and tested at given sizes. See stated.h. */
#include "passes/contract/stated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/dims/parse.h"
#include "passes/contract/bounds.h"

static const char *const version_lines[] = {"version: 1", "version: 2"}; /* 2: with conditions on values */
static const char status_key[] = "status: ", values_key[] = "values: ", left_out_key[] = "left out: ";

/* ---- Writing ---- */

enum { HEAD = 100 }; /* bytes for the other lines */

typedef struct stating {
    ob_dims *pool; /* for reading back */
    ob_arena arena;
    ob_text line;
    size_t n_left_out;
    uint32_t n_values;
} stating;

/* A line that cannot be read again is omitted: it is too long, or its terms are too large. */
static ob_status can_be_read(stating *s, bool *good) {
    ob_clause clause;
    ob__arena_restart(&s->arena);
    *good = false;
    ob_status status = ob__clause_parse(s->pool, s->line.data, s->line.n, false, &s->arena, &clause, NULL);
    if (status == OB_OK) *good = true;
    return status == OB_E_MEMORY ? OB_E_MEMORY : OB_OK;
}

static bool has_room(const stating *s, const ob_text *out) {
    return out->n + s->line.n + 1 <= OB_CONTRACT_TEXT_MAX - HEAD;
}

static void add_line(const stating *s, ob_text *out) {
    ob__text_puts(out, "\n");
    ob__text_append(out, s->line.data, s->line.n);
}

static ob_status add_clauses(stating *s, ob_text *out, ob_dims *dims, const ob_contract *contract) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < contract->n_clauses; i++) {
        bool good = false;
        s->line.n = 0;
        ob__solved_write(&s->line, dims, contract->clauses[i]);
        if (s->line.failed) return OB_E_MEMORY;
        if (n < OB_STATED_CLAUSES && has_room(s, out)) OB_TRY(can_be_read(s, &good));
        if (!good) {
            s->n_left_out++;
            continue;
        }
        n++;
        add_line(s, out);
    }
    return OB_OK;
}

static ob_status add_bounds(stating *s, ob_text *out, ob_dims *dims, const ob_facts *facts, const ob_contract *contract) {
    for (uint32_t i = 0; i < contract->n_bounds; i++) {
        const ob_contract_bound *bound = &contract->bounds[i];
        s->line.n = 0;
        ob__text_puts(&s->line, values_key);
        ob__bound_write(&s->line, dims, facts, bound, bound->bound.input->name);
        if (s->line.failed) return OB_E_MEMORY;
        if (s->n_values < OB_STATED_CLAUSES && s->line.n <= OB_PARSE_TEXT && has_room(s, out)) {
            s->n_values++;
            add_line(s, out);
        } else {
            s->n_left_out++;
        }
    }
    return OB_OK;
}

void ob__stated_write(ob_text *text, ob_dims *dims, const ob_facts *facts, const ob_contract *contract) {
    stating s = {.n_left_out = 0};
    ob_text clauses;
    ob__arena_init(&s.arena, &text->allocator);
    ob__text_init(&s.line, &text->allocator);
    ob__text_init(&clauses, &text->allocator);
    ob_status status = ob_dims_create(&text->allocator, &s.pool);
    if (status == OB_OK) status = add_clauses(&s, &clauses, dims, contract);
    if (status == OB_OK) status = add_bounds(&s, &clauses, dims, facts, contract);
    ob_contract_status stated = contract->status;
    if (stated == OB_CONTRACT_COMPLETE && s.n_left_out) stated = OB_CONTRACT_PARTIAL;
    ob__text_printf(text, "%s\n%s%s", version_lines[s.n_values > 0], status_key, ob_contract_status_name(stated));
    if (clauses.n) ob__text_append(text, clauses.data, clauses.n);
    if (s.n_left_out) ob__text_printf(text, "\n%s%zu", left_out_key, s.n_left_out);
    text->failed |= status != OB_OK || clauses.failed;
    ob__text_release(&clauses);
    ob__text_release(&s.line);
    ob_dims_destroy(&s.pool);
    ob__arena_release(&s.arena);
}

ob_status ob__stated_text(ob_dims *dims, const ob_facts *facts, const ob_contract *contract, ob_arena *arena, const char **out) {
    ob_text text;
    ob__text_init(&text, &arena->allocator);
    ob__stated_write(&text, dims, facts, contract);
    const char *copy = text.failed ? NULL : ob__arena_strndup(arena, text.data, text.n);
    ob__text_release(&text);
    if (!copy) return OB_E_MEMORY;
    *out = copy;
    return OB_OK;
}

/* ---- Reading ---- */

typedef struct reading {
    const char *at; /* the rest; NULL: at the end */
    ob_dims *dims;
    bool known;
    ob_arena *arena;
    ob_stated *out;
    ob_error *error;
} reading;

/* The next line. False: there is none. */
static bool next_line(reading *r, const char **line, size_t *n) {
    if (!r->at) return false;
    *line = r->at;
    *n = strcspn(r->at, "\n");
    r->at = r->at[*n] ? r->at + *n + 1 : NULL;
    return true;
}

static bool begins(const char *line, size_t n, const char *key) {
    size_t n_key = strlen(key);
    return n >= n_key && memcmp(line, key, n_key) == 0;
}

static ob_status read_head(reading *r) {
    const char *line;
    size_t n = 0;
    bool is_version = false;
    if (next_line(r, &line, &n))
        for (int i = 0; i < 2 && !is_version; i++) {
            is_version = n == strlen(version_lines[i]) && begins(line, n, version_lines[i]);
            r->out->speaks_of_values = i == 1;
        }
    OB_FAIL_IF(!is_version, r->error, OB_E_FORMAT, "line 1 is not \"%s\" or \"%s\"", version_lines[0], version_lines[1]);
    bool is_status = next_line(r, &line, &n) && begins(line, n, status_key);
    for (ob_contract_status status = OB_CONTRACT_COMPLETE; is_status && status <= OB_CONTRACT_CONTRADICTORY; status++) {
        const char *name = ob_contract_status_name(status);
        if (n != strlen(status_key) + strlen(name) || memcmp(line + strlen(status_key), name, strlen(name)) != 0) continue;
        r->out->status = status;
        return OB_OK;
    }
    return ob__fail(r->error, OB_E_FORMAT, "line 2 is not \"%scomplete\", \"partial\" or \"contradictory\"", status_key);
}

static ob_status read_left_out(reading *r, const char *line, size_t n) {
    size_t count = 0;
    bool good = r->out->status != OB_CONTRACT_COMPLETE;
    for (size_t i = strlen(left_out_key); i < n; i++) {
        good &= line[i] >= '0' && line[i] <= '9' && count < 1000000000;
        if (good) count = count * 10 + (size_t)(line[i] - '0');
    }
    OB_FAIL_IF(!good || count == 0 || r->at, r->error, OB_E_FORMAT,
               "the line \"%s\" needs a number of clauses, must be the last one, and cannot be in a complete contract",
               left_out_key);
    r->out->n_left_out = count;
    return OB_OK;
}

static ob_status read_clause(reading *r, const char *line, size_t n, uint32_t number) {
    ob_stated *out = r->out;
    ob_error own;
    ob_error_clear(&own);
    OB_FAIL_IF(out->n_clauses == OB_STATED_CLAUSES, r->error, OB_E_LIMIT, "more than %d clauses", OB_STATED_CLAUSES);
    ob_status status = ob__clause_parse(r->dims, line, n, r->known, r->arena, &out->clauses[out->n_clauses], &own);
    OB_FAIL_IF(status != OB_OK && status != OB_E_MEMORY, r->error, status, "line %u: %s", number, own.message);
    out->lines[out->n_clauses] = ob__arena_strndup(r->arena, line, n);
    if (status != OB_OK || !out->lines[out->n_clauses]) return OB_E_MEMORY;
    out->clauses[out->n_clauses].origin = out->n_clauses;
    out->n_clauses++;
    return OB_OK;
}

/* A condition on values is compared as it is written, not understood. */
static ob_status read_values(reading *r, const char *line, size_t n, uint32_t number) {
    ob_stated *out = r->out;
    const size_t n_key = strlen(values_key);
    OB_FAIL_IF(!out->speaks_of_values || n == n_key, r->error, OB_E_FORMAT,
               "line %u: a condition on values needs version 2 and a text", number);
    OB_FAIL_IF(out->n_values == OB_STATED_CLAUSES || n > OB_PARSE_TEXT, r->error, OB_E_LIMIT,
               "more than %d conditions on values, or one of more than %d bytes", OB_STATED_CLAUSES, OB_PARSE_TEXT);
    out->values[out->n_values] = ob__arena_strndup(r->arena, line + n_key, n - n_key);
    return out->values[out->n_values++] ? OB_OK : OB_E_MEMORY;
}

ob_status ob__stated_read(const char *text, ob_dims *dims, bool known, ob_arena *arena, ob_stated *out, ob_error *error) {
    ob_stated made = {.lines = OB_ARENA_ARRAY(arena, const char *, OB_STATED_CLAUSES),
                      .clauses = OB_ARENA_ARRAY(arena, ob_clause, OB_STATED_CLAUSES),
                      .values = OB_ARENA_ARRAY(arena, const char *, OB_STATED_CLAUSES)};
    reading r = {text, dims, known, arena, &made, error};
    const char *line;
    size_t n;
    if (!made.lines || !made.clauses || !made.values) return OB_E_MEMORY;
    OB_FAIL_IF(strnlen(text, OB_CONTRACT_TEXT_MAX + 1) > OB_CONTRACT_TEXT_MAX, error, OB_E_LIMIT,
               "a stated contract of more than %d bytes", OB_CONTRACT_TEXT_MAX);
    OB_TRY(read_head(&r));
    for (uint32_t number = 3; next_line(&r, &line, &n); number++) {
        if (n == 0 && !r.at) break; /* behind the last line's end */
        if (begins(line, n, left_out_key))
            OB_TRY(read_left_out(&r, line, n));
        else if (begins(line, n, values_key))
            OB_TRY(read_values(&r, line, n, number));
        else
            OB_TRY(read_clause(&r, line, n, number));
    }
    *out = made;
    return OB_OK;
}

/* ---- Comparing ---- */

static int by_content(const void *a, const void *b) {
    return memcmp(a, b, sizeof(ob_literal));
}

void ob__literals_sort(ob_dims *dims, ob_literal *literals, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        ob_literal *l = &literals[i];
        const bool signless = l->kind == OB_LITERAL_ZERO || l->kind == OB_LITERAL_NONZERO;
        const ob_dim negative = signless ? ob_dim_sub(dims, 0, l->p) : OB_DIM_UNKNOWN;
        if (negative != OB_DIM_UNKNOWN && negative < l->p) l->p = negative;
    }
    if (n) qsort(literals, n, sizeof *literals, by_content);
}

/* The clauses' literals as keys, guards and alternatives each sorted. */
static ob_status index_clauses(ob_dims *dims, const ob_stated *stated, ob_arena *arena, ob_clause *keys) {
    for (uint32_t i = 0; i < stated->n_clauses; i++) {
        const ob_clause *clause = &stated->clauses[i];
        ob_literal *literals = OB_ARENA_ARRAY(arena, ob_literal, (size_t)clause->n + 1); /* padding is zeros */
        if (!literals) return OB_E_MEMORY;
        for (uint32_t k = 0; k < clause->n; k++) {
            literals[k].kind = clause->literals[k].kind;
            literals[k].p = clause->literals[k].p;
            literals[k].q = clause->literals[k].q;
        }
        ob__literals_sort(dims, literals, clause->n_guard);
        ob__literals_sort(dims, literals + clause->n_guard, clause->n - clause->n_guard);
        keys[i] = (ob_clause){.literals = literals, .n = clause->n};
    }
    return OB_OK;
}

static ob_status same_clauses(ob_dims *dims, const ob_stated *a, const ob_stated *b, ob_arena *arena, bool *equal) {
    ob_map map;
    ob_clause *keys[2];
    for (int i = 0; i < 2; i++) {
        const ob_stated *stated = i ? b : a;
        keys[i] = OB_ARENA_ARRAY(arena, ob_clause, (size_t)stated->n_clauses + 1);
        if (!keys[i]) return OB_E_MEMORY;
        OB_TRY(index_clauses(dims, stated, arena, keys[i]));
    }
    ob__map_init(&map, arena);
    for (uint32_t i = 0; i < a->n_clauses; i++)
        if (!ob__map_insert_borrowed(&map, (const char *)keys[0][i].literals, keys[0][i].n * sizeof(ob_literal)))
            return OB_E_MEMORY;
    for (uint32_t i = 0; i < b->n_clauses && *equal; i++)
        *equal = ob__map_find(&map, (const char *)keys[1][i].literals, keys[1][i].n * sizeof(ob_literal)) != NULL;
    return OB_OK;
}

ob_status ob__stated_equal(ob_dims *dims, const ob_stated *a, const ob_stated *b, ob_arena *arena, bool *equal) {
    ob_map values;
    ob__map_init(&values, arena);
    *equal = a->status == b->status && a->n_left_out == b->n_left_out && a->n_clauses == b->n_clauses &&
             a->speaks_of_values == b->speaks_of_values && a->n_values == b->n_values;
    for (uint32_t i = 0; i < a->n_values && *equal; i++)
        if (!ob__map_insert_borrowed(&values, a->values[i], strlen(a->values[i]))) return OB_E_MEMORY;
    for (uint32_t i = 0; i < b->n_values && *equal; i++)
        *equal = ob__map_find(&values, b->values[i], strlen(b->values[i])) != NULL;
    return *equal ? same_clauses(dims, a, b, arena, equal) : OB_OK;
}

/* ---- Testing sizes ---- */

typedef struct given {
    ob_dims *dims;
    ob_binding *items;
    size_t n;
} given;

static ob_status bind(given *g, const ob_named_size *sizes, size_t n, ob_error *error) {
    for (size_t i = 0; i < n; i++) {
        OB_FAIL_IF(!sizes[i].name || sizes[i].size < 0 || sizes[i].size > OB_DIM_CONST_MAX, error, OB_E_ARGUMENT,
                   "size %zu has no name, or is out of range", i);
        ob_dim symbol = ob_dim_find(g->dims, sizes[i].name);
        if (symbol == OB_DIM_UNKNOWN) continue; /* nothing is stated of it */
        size_t at = 0;
        while (at < g->n && g->items[at].symbol != symbol) at++;
        if (at == g->n)
            g->items[g->n++] = (ob_binding){symbol, sizes[i].size};
        else
            OB_FAIL_IF(g->items[at].size != sizes[i].size, error, OB_E_SHAPE, "%.200s is given as %lld and as %lld",
                       sizes[i].name, (long long)g->items[at].size, (long long)sizes[i].size);
    }
    return OB_OK;
}

/* Appends ", N = 2" if there is room. */
static void write_size(const given *g, ob_dim symbol, char *text, size_t n_bytes) {
    char name[60];
    const size_t n = strlen(text);
    for (size_t i = 0; i < g->n; i++) {
        if (g->items[i].symbol != symbol) continue;
        ob_dim_format(g->dims, symbol, name, sizeof name);
        char part[100];
        int n_part = snprintf(part, sizeof part, "%s%s = %lld", n ? ", " : "", name, (long long)g->items[i].size);
        if (n_part > 0 && n + (size_t)n_part < n_bytes) memcpy(text + n, part, (size_t)n_part + 1);
    }
}

static ob_status refuse(const ob_stated *stated, uint32_t index, const given *g, ob_error *error) {
    const ob_clause *clause = &stated->clauses[index];
    char sizes[200] = "";
    ob_dim few[16];
    ob_symbol_list list = {.at = few, .capacity = sizeof few / sizeof *few};
    ob__clause_list_symbols(g->dims, clause->literals, clause->n, &list);
    for (uint32_t i = 0; i < list.n; i++) write_size(g, few[i], sizes, sizeof sizes);
    return ob__fail(error, OB_E_CONDITION, "the model's contract excludes these sizes: \"%.250s\" does not hold%s%s",
                    stated->lines[index], sizes[0] ? ": " : "", sizes);
}

static ob_status test(const ob_stated *stated, const given *g, ob_truth *out, ob_error *error) {
    ob_truth all = stated->status == OB_CONTRACT_COMPLETE ? OB_TRUE : OB_UNDECIDED;
    for (uint32_t i = 0; i < stated->n_clauses; i++) {
        ob_truth one = ob__clause_eval(g->dims, stated->clauses[i].literals, stated->clauses[i].n, g->items, g->n);
        if (one == OB_FALSE) return refuse(stated, i, g, error);
        if (one == OB_UNDECIDED) all = OB_UNDECIDED;
    }
    OB_FAIL_IF(stated->status == OB_CONTRACT_CONTRADICTORY, error, OB_E_CONDITION,
               "the model's contract contradicts itself: it admits no sizes");
    if (out) *out = all;
    return OB_OK;
}

ob_status ob_contract_check(const char *text, const ob_named_size *sizes, size_t n, ob_truth *out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!text || (n && !sizes), error, OB_E_ARGUMENT, "no text, or no sizes");
    given g = {.dims = NULL};
    ob_arena arena;
    ob_stated stated;
    ob__arena_init(&arena, NULL);
    ob_status status = ob_dims_create(NULL, &g.dims);
    if (status == OB_OK) status = ob__stated_read(text, g.dims, false, &arena, &stated, error);
    if (status == OB_OK) {
        g.items = OB_ARENA_ARRAY(&arena, ob_binding, n);
        status = g.items ? bind(&g, sizes, n, error) : OB_E_MEMORY;
    }
    if (status == OB_OK) status = test(&stated, &g, out, error);
    ob_dims_destroy(&g.dims);
    ob__arena_release(&arena);
    return ob__described(error, status, "cannot test the contract");
}
