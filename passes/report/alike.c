/* Equal entries of a report: patterns of broadcasts, counted while the report is made, and groups of findings and clauses, made
 * on demand. Keys are made of numbers and names, never of messages. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/base/list.h"
#include "core/dims/terms.h"
#include "passes/report/report.h"

struct ob_alike_entry {
    ob_alike alike;
    ob_dim bytes;          /* of one */
    ob_alike_entry *next;  /* in the order of the first */
    const ob_dim *symbols; /* of the first entry, in the order of the key, n_symbols */
    uint32_t n_symbols;
    const char **names; /* of the sizes of entries with other symbols, each once, n_names */
    uint32_t n_names, names_capacity;
};

void ob__alike_init(ob_alike_list *list, ob_arena *arena) {
    *list = (ob_alike_list){.arena = arena};
    ob__map_init(&list->known, arena);
}

/* The group of the key; if it is new, it begins with entry `index`. NULL: out of memory. */
static ob_alike_entry *join(ob_alike_list *list, const char *key, size_t n_bytes, size_t index, uint64_t n) {
    ob_map_entry *entry = ob__map_insert(&list->known, key, n_bytes);
    if (!entry) return NULL;
    ob_alike_entry *group = entry->value;
    if (!group) {
        entry->value = group = OB_ARENA_NEW(list->arena, ob_alike_entry);
        if (!group) return NULL;
        group->alike.first = index;
        if (list->last)
            list->last->next = group;
        else
            list->first = group;
        list->last = group;
    }
    size_t most = SIZE_MAX - group->alike.n;
    group->alike.n += n < most ? (size_t)n : most;
    return group;
}

static ob_status at(ob_alike_list *list, size_t index, ob_alike *out) {
    if (!list->at || index < list->n_at) {
        list->at = list->first;
        list->n_at = 0;
    }
    for (; list->at && list->n_at < index; list->n_at++) list->at = list->at->next;
    if (!list->at) return OB_E_NOT_FOUND;
    *out = list->at->alike;
    out->n_names = list->at->n_names;
    out->names = list->at->names;
    return OB_OK;
}

static void add_number(ob_text *key, int64_t number) {
    ob__text_append(key, (const char *)&number, sizeof number);
}

static void add_name(ob_text *key, const char *name) {
    ob__text_append(key, name, strlen(name) + 1);
}

static void add_shape(ob_text *key, const ob_shape *shape) {
    add_number(key, shape->rank);
    if (shape->rank > 0) ob__text_append(key, (const char *)shape->dims, (size_t)shape->rank * sizeof *shape->dims);
}

/* ---- Broadcasts ---- */

enum { MANY_OPERANDS = 16 }; /* a node with more is a separate pattern */

static void broadcast_key(const ob_facts *facts, const ob_node *node, const ob_group *group, size_t index, ob_text *key) {
    add_number(key, group->n > MANY_OPERANDS ? (int64_t)index : -1);
    add_number(key, (int64_t)(intptr_t)node->op);
    add_number(key, group->kind);
    add_number(key, group->n);
    add_number(key, group->n_fixed_axes);
    bool fits = ob__group_fits(group);
    add_number(key, fits);
    if (fits) add_shape(key, &group->result);
    for (uint32_t i = 0; i < group->n && i < MANY_OPERANDS; i++) {
        const ob_value *value = group->inputs[i] == OB_NOT_AN_INPUT ? NULL : node->inputs[group->inputs[i]];
        add_number(key, value ? ob__fact(facts, value)->type.dtype + 1 : 0);
        add_number(key, value && value->is_initializer);
        add_shape(key, &group->shapes[i]);
    }
}

ob_status ob__alike_broadcast(ob_report *report, const ob_facts *facts, const ob_node *node, const ob_group *group, size_t index,
                              uint64_t n, ob_dim **bytes, bool *is_new) {
    ob_text *key = &report->key;
    key->n = 0;
    broadcast_key(facts, node, group, index, key);
    ob_alike_entry *found = key->failed ? NULL : join(&report->patterns, key->data, key->n, index, n);
    if (!found) return OB_E_MEMORY;
    *bytes = &found->bytes;
    *is_new = found->alike.first == index;
    return OB_OK;
}

ob_dim ob__alike_bytes(const ob_report *report, size_t *n_uncounted) {
    ob_dims *dims = report->model->dims;
    ob_dim numbers = 0, terms = 0;
    uint32_t n_terms = 0;
    for (const ob_alike_entry *p = report->patterns.first; p; p = p->next) {
        ob_dim n = ob__least((int64_t)p->alike.n, OB_DIM_CONST_MAX);
        if (p->bytes == OB_DIM_UNKNOWN || (ob_dim_is_term(p->bytes) && ob_dim_is_anonymous(dims, p->bytes))) {
            *n_uncounted += p->alike.n;
        } else if (ob_dim_is_const(p->bytes)) {
            int64_t product, sum;
            bool over = ob__mul_overflows(p->bytes, n, &product) || __builtin_add_overflow(numbers, product, &sum);
            numbers = over || sum > OB_DIM_CONST_MAX ? OB_DIM_CONST_MAX : sum;
        } else {
            n_terms++;
            terms = ob_dim_add(dims, terms, ob_dim_mul(dims, p->bytes, n));
        }
    }
    return n_terms ? ob_dim_add(dims, terms, numbers) : numbers;
}

ob_status ob_report_broadcast_group(ob_report *report, size_t index, ob_alike *out) {
    return at(&report->patterns, index, out);
}

/* ---- Sizes that differ in a number or in the input only ---- */

enum {
    MOST_SYMBOLS = 16,  /* of a key; further ones are themselves */
    MOST_NAMES = 32,    /* of a group */
    LONGEST_NAME = 200, /* longer names are themselves */
    NAME_BYTES = 300
};

/* A key in which "hidden_1" and "hidden_2" are alike, and so are the sizes of one axis of any input. Equal symbols of an entry
 * have equal numbers, so that N1 = M1 and N2 = N2 differ. The order in terms follows the inputs; what is alike apart from that
 * order is not recognised. */
typedef struct pattern {
    const ob_dims *dims;
    ob_text *key;
    ob_dim symbols[MOST_SYMBOLS];
    uint32_t n;
} pattern;

/* "block_12_size" becomes "block_#_size", "x[3]" becomes "[3]". */
static void add_pattern_name(ob_text *key, const char *name, size_t n) {
    static const char digits[] = "0123456789";
    const char *open = strrchr(name, '['), *at = name;
    if (open && strspn(open + 1, digits) > 0 && strcmp(open + 1 + strspn(open + 1, digits), "]") == 0) {
        ob__text_append(key, open, n - (size_t)(open - name));
        return;
    }
    while (*at) {
        size_t n_plain = strcspn(at, digits), n_digits = strspn(at + n_plain, digits);
        ob__text_append(key, at, n_plain);
        if (n_digits) ob__text_append(key, "#", 1);
        at += n_plain + n_digits;
    }
}

static void add_symbol(pattern *p, ob_dim symbol, const ob_term *term) {
    const size_t n_name = term->name ? ob__name_length(term->name) : 0;
    uint32_t i = 0;
    while (i < p->n && p->symbols[i] != symbol) i++;
    if (i == MOST_SYMBOLS || n_name > LONGEST_NAME) {
        add_number(p->key, symbol);
        return;
    }
    if (i == p->n) p->symbols[p->n++] = symbol;
    add_number(p->key, -(int64_t)i - 1); /* numbers of dims are not negative */
    if (term->name) add_pattern_name(p->key, term->name, n_name);
    ob__text_append(p->key, "", 1);
}

/* Terms are small and shallow. */
static void add_dim(pattern *p, ob_dim dim) {
    const ob_term *term = ob__term(p->dims, dim);
    if (!term || dim == OB_DIM_UNKNOWN) {
        add_number(p->key, dim);
        return;
    }
    if (term->kind == OB_DIM_KIND_SYMBOL) {
        add_symbol(p, dim, term);
        return;
    }
    add_number(p->key, term->kind);
    add_number(p->key, term->n_words);
    if (term->kind != OB_DIM_KIND_SUM) {
        for (uint32_t i = 0; i < term->n_words; i++) add_dim(p, term->words[i]);
        return;
    }
    add_number(p->key, term->words[0]);
    for (uint32_t i = 1; i < term->n_words; i += 2 + (uint32_t)term->words[i + 1]) {
        add_number(p->key, term->words[i]);
        add_number(p->key, term->words[i + 1]);
        for (uint32_t k = 0; k < (uint32_t)term->words[i + 1]; k++) add_dim(p, term->words[i + 2 + k]);
    }
}

static void add_pattern_shape(pattern *p, const ob_shape *shape) {
    add_number(p->key, shape->rank);
    for (int32_t i = 0; i < shape->rank; i++) add_dim(p, shape->dims[i]);
}

static void add_pattern_clause(pattern *p, const ob_solved_clause *clause) {
    add_number(p->key, clause->n);
    add_number(p->key, clause->n_guard);
    for (uint32_t i = 0; i < clause->n; i++) {
        add_number(p->key, clause->literals[i].kind);
        add_dim(p, clause->literals[i].p);
        add_dim(p, clause->literals[i].q);
    }
}

/* The sizes of this entry that the first of its group does not have: "N2, M2". */
static ob_status add_names(ob_report *report, ob_alike_entry *group, const pattern *p) {
    char names[NAME_BYTES] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < p->n && i < group->n_symbols; i++) {
        char name[LONGEST_NAME];
        if (p->symbols[i] == group->symbols[i]) continue;
        ob__dim_shown(p->dims, p->symbols[i], name, sizeof name);
        n += ob__sentence(names + n, sizeof names - n, n ? ", %s" : "%s", name);
    }
    if (n == 0 || group->n_names == MOST_NAMES) return OB_OK;
    for (uint32_t i = 0; i < group->n_names; i++)
        if (strcmp(group->names[i], names) == 0) return OB_OK;
    const char **list = ob__list_in_arena(&report->arena, group->names, &group->names_capacity, group->n_names + 1, sizeof *list);
    if (!list) return OB_E_MEMORY;
    group->names = list;
    group->names[group->n_names] = ob__arena_strndup(&report->arena, names, n);
    return group->names[group->n_names++] ? OB_OK : OB_E_MEMORY;
}

static ob_status join_pattern(ob_report *report, ob_alike_list *list, const pattern *p, size_t index) {
    ob_alike_entry *group = p->key->failed ? NULL : join(list, p->key->data, p->key->n, index, 1);
    if (!group) return OB_E_MEMORY;
    if (group->alike.first != index) return add_names(report, group, p);
    ob_dim *symbols = OB_ARENA_ARRAY(&report->arena, ob_dim, p->n);
    if (!symbols) return OB_E_MEMORY;
    if (p->n) memcpy(symbols, p->symbols, p->n * sizeof *symbols);
    group->symbols = symbols;
    group->n_symbols = p->n;
    return OB_OK;
}

/* ---- Findings ---- */

/* A finding about a clause is alike if the clause is: the same size may be required by another operand. */
static void finding_key(const ob_report *report, const ob_finding *finding, size_t index, pattern *p) {
    const ob_node *node = finding->node;
    ob_text *key = p->key;
    add_number(key, node ? -1 : (int64_t)index); /* without a node each for itself */
    add_number(key, finding->id);
    if (finding->rule) add_name(key, finding->message); /* which names the target and the rule */
    add_number(key, finding->severity);
    add_name(key, node ? node->op_type : "");
    add_name(key, node ? node->domain : "");
    add_number(key, finding->clause != 0);
    if (finding->clause) {
        add_pattern_clause(p, report->contract.clauses[finding->clause - 1]);
        return;
    }
    add_number(key, finding->operand);
    add_number(key, finding->axis);
    add_number(key, finding->operands ? finding->n_operands : 0);
    for (uint32_t i = 0; finding->operands && i < finding->n_operands; i++) add_pattern_shape(p, &finding->operands[i]);
    if (!finding->condition) return;
    add_number(key, finding->condition->kind);
    add_dim(p, finding->condition->a);
    add_dim(p, finding->condition->b);
}

static pattern new_pattern(ob_report *report) {
    report->key.n = 0;
    return (pattern){.dims = report->model->dims, .key = &report->key};
}

ob_status ob_report_finding_group(ob_report *report, size_t index, ob_alike *out) {
    for (; report->n_grouped < report->findings.n; report->n_grouped++) {
        pattern p = new_pattern(report);
        finding_key(report, &report->findings.items[report->n_grouped], report->n_grouped, &p);
        OB_TRY(join_pattern(report, &report->alike_findings, &p, report->n_grouped));
    }
    return at(&report->alike_findings, index, out);
}

/* ---- Clauses ---- */

ob_status ob_report_clause_group(ob_report *report, size_t index, ob_alike *out) {
    const uint32_t n = report->contract.n_clauses - report->contract.n_limits;
    for (; report->n_clauses_grouped < n; report->n_clauses_grouped++) {
        pattern p = new_pattern(report);
        add_pattern_clause(&p, report->contract.clauses[report->n_clauses_grouped]);
        OB_TRY(join_pattern(report, &report->alike_clauses, &p, report->n_clauses_grouped));
    }
    return at(&report->alike_clauses, index, out);
}
