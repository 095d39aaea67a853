/* Equal entries of a report: patterns of broadcasts, counted while the report is made, and groups of findings, made on demand.
 * Keys are made of numbers and names, never of messages. */
#include <string.h>

#include "core/base/integers.h"
#include "core/dims/terms.h"
#include "passes/report/report.h"

struct ob_alike_entry {
    ob_alike alike;
    ob_dim bytes;         /* of one */
    ob_alike_entry *next; /* in the order of the first */
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
        ob_dim n = p->alike.n > OB_DIM_CONST_MAX ? OB_DIM_CONST_MAX : (ob_dim)p->alike.n;
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

/* ---- Findings ---- */

static void finding_key(const ob_finding *finding, size_t index, ob_text *key) {
    const ob_node *node = finding->node;
    add_number(key, node ? -1 : (int64_t)index); /* without a node each for itself */
    add_number(key, finding->id);
    add_number(key, finding->severity);
    add_name(key, node ? node->op_type : "");
    add_name(key, node ? node->domain : "");
    add_number(key, finding->operand);
    add_number(key, finding->axis);
    add_number(key, finding->operands ? finding->n_operands : 0);
    for (uint32_t i = 0; finding->operands && i < finding->n_operands; i++) add_shape(key, &finding->operands[i]);
    if (!finding->condition) return;
    add_number(key, finding->condition->kind);
    add_number(key, finding->condition->a);
    add_number(key, finding->condition->b);
}

ob_status ob_report_finding_group(ob_report *report, size_t index, ob_alike *out) {
    for (; report->n_grouped < report->findings.n; report->n_grouped++) {
        ob_text *key = &report->key;
        key->n = 0;
        const ob_finding *finding = &report->findings.items[report->n_grouped];
        finding_key(finding, report->n_grouped, key);
        if (key->failed || !join(&report->alike_findings, key->data, key->n, report->n_grouped, 1)) return OB_E_MEMORY;
    }
    return at(&report->alike_findings, index, out);
}
