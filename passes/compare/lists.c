/* Signatures, conditions on values, broadcasts, findings and counts of two models. */
#include <string.h>

#include "core/base/error.h"
#include "passes/check/groups.h"
#include "passes/compare/comparing.h"

/* Keeps a text in the arena and releases it. NULL: out of memory. */
static const char *keep(ob_comparing *c, ob_text *text) {
    const char *kept = text->failed ? NULL : ob__arena_strndup(c->arena, text->n ? text->data : "", text->n);
    ob__text_release(text);
    return kept;
}

static const char *copy(ob_comparing *c, const char *text) {
    return ob__arena_strndup(c->arena, text, strlen(text));
}

/* ---- Signatures ---- */

static bool same_size(ob_comparing *c, ob_dim before, ob_dim after) {
    const ob_dim a = ob__compared_dim(c, OB_BEFORE, before), b = ob__compared_dim(c, OB_AFTER, after);
    return a == b; /* also if neither is known from the inputs */
}

typedef enum likeness { SAME, OTHER_SIZES, OTHER_TYPE } likeness;

/* Types are compared as deep as they go. */
static likeness compare_types(ob_comparing *c, const ob_type *before, const ob_type *after) {
    enum { DEEPEST = 1000 };
    likeness result = SAME;
    for (uint32_t depth = 0; (before || after) && depth < DEEPEST; depth++) {
        if (!before || !after || before->kind != after->kind || before->dtype != after->dtype) return OTHER_TYPE;
        if (before->shape.rank != after->shape.rank) return OTHER_TYPE;
        for (int32_t axis = 0; axis < before->shape.rank; axis++)
            if (!same_size(c, before->shape.dims[axis], after->shape.dims[axis])) result = OTHER_SIZES;
        before = before->element;
        after = after->element;
    }
    return result;
}

static ob_status add_signature(ob_comparing *c, ob_change_kind kind, const ob_value *before, const ob_value *after, bool breaking,
                               const char *sentence) {
    const ob_value *any = before ? before : after;
    const char *noun = kind == OB_CHANGE_INPUT ? "input" : "output";
    const char *was = before ? ob__compared_type(c, OB_BEFORE, before) : "";
    const char *is = after ? ob__compared_type(c, OB_AFTER, after) : "";
    const char *name = copy(c, any->name);
    ob_text text;
    if (!was || !is || !name) return OB_E_MEMORY;
    ob__text_init(&text, &c->result->allocator);
    ob__text_printf(&text, "%s \"%.200s\" %s", noun, any->name, sentence);
    if (before && after)
        ob__text_printf(&text, ": %.300s became %.300s", was, is);
    else
        ob__text_printf(&text, ": %.300s", before ? was : is);
    const char *kept = keep(c, &text);
    return kept ? ob__change_add(c, &(ob_change){kind, breaking, name, was, is, kept}) : OB_E_MEMORY;
}

/* Sizes of inputs are the contract's: another fixed size makes it narrower. Sizes of outputs are what the caller gets. */
static ob_status compare_value(ob_comparing *c, ob_change_kind kind, const ob_value *before, const ob_value *after) {
    const likeness is = compare_types(c, ob__compared_fact(c, OB_BEFORE, before), ob__compared_fact(c, OB_AFTER, after));
    if (is == SAME) return OB_OK;
    if (is == OTHER_TYPE) return add_signature(c, kind, before, after, true, "has another type or rank");
    return add_signature(c, kind, before, after, kind == OB_CHANGE_OUTPUT, "has other sizes");
}

static ob_status compare_values_of(ob_comparing *c, ob_change_kind kind, ob_value *const *before, uint32_t n_before,
                                   ob_value *const *after, uint32_t n_after) {
    ob_map names[2];
    for (int which = OB_BEFORE; which <= OB_AFTER; which++) {
        ob_value *const *values = which == OB_BEFORE ? before : after;
        ob__map_init(&names[which], c->arena);
        for (uint32_t i = 0; i < (which == OB_BEFORE ? n_before : n_after); i++) {
            ob_map_entry *entry = ob__map_insert(&names[which], values[i]->name, strlen(values[i]->name));
            if (!entry) return OB_E_MEMORY;
            if (!entry->value) entry->value = values[i];
        }
    }
    for (uint32_t i = 0; i < n_before; i++) {
        const ob_map_entry *entry = ob__map_find(&names[OB_AFTER], before[i]->name, strlen(before[i]->name));
        if (entry)
            OB_TRY(compare_value(c, kind, before[i], entry->value));
        else
            OB_TRY(add_signature(c, kind, before[i], NULL, !before[i]->data, "is missing"));
    }
    for (uint32_t i = 0; i < n_after; i++) {
        const bool needed = kind == OB_CHANGE_INPUT && !after[i]->data; /* an input with a default may be left out */
        if (!ob__map_find(&names[OB_BEFORE], after[i]->name, strlen(after[i]->name)))
            OB_TRY(add_signature(c, kind, NULL, after[i], needed, "is new"));
    }
    return OB_OK;
}

ob_status ob__compare_signatures(ob_comparing *c) {
    const ob_graph *before = c->reports[OB_BEFORE]->model->graph, *after = c->reports[OB_AFTER]->model->graph;
    OB_TRY(compare_values_of(c, OB_CHANGE_INPUT, before->inputs, before->n_inputs, after->inputs, after->n_inputs));
    return compare_values_of(c, OB_CHANGE_OUTPUT, before->outputs, before->n_outputs, after->outputs, after->n_outputs);
}

/* ---- Lists of texts with a key ---- */

/* An entry of one model: the key decides which entries belong together, the content whether they are equal. */
typedef struct entry {
    const char *key, *name, *content;
    const char *same; /* entries with one key are equal if these are */
    bool matters;     /* new: breaking */
    struct entry *next;
} entry;

typedef struct entries {
    ob_map first; /* key -> list of entries */
    entry **items;
    size_t n, capacity;
} entries;

static ob_status add_entry(ob_comparing *c, entries *list, const entry *added) {
    entry *e = OB_ARENA_ARRAY(c->arena, entry, 1);
    if (!e || !added->key || !added->name || !added->content || !added->same) return OB_E_MEMORY;
    *e = *added;
    if (list->n == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 64;
        entry **items = OB_ARENA_ARRAY(c->arena, entry *, capacity);
        if (!items) return OB_E_MEMORY;
        if (list->n) memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->n++] = e;
    return OB_OK;
}

/* Fills the map: entries with one key in their order. */
static ob_status link_entries(ob_comparing *c, entries *list) {
    ob__map_init(&list->first, c->arena);
    for (size_t i = list->n; i-- > 0;) {
        ob_map_entry *at = ob__map_insert_borrowed(&list->first, list->items[i]->key, strlen(list->items[i]->key));
        if (!at) return OB_E_MEMORY;
        list->items[i]->next = at->value;
        at->value = list->items[i];
    }
    return OB_OK;
}

static entry *take(entries *list, const char *key) {
    ob_map_entry *at = ob__map_find(&list->first, key, strlen(key));
    entry *e = at ? at->value : NULL;
    if (e) at->value = e->next;
    return e;
}

/* gone, fresh: how the sentence about an entry without a partner begins. */
static ob_status compare_entries(ob_comparing *c, ob_change_kind kind, entries lists[2], const char *gone, const char *fresh) {
    OB_TRY(link_entries(c, &lists[OB_AFTER]));
    for (size_t i = 0; i < lists[OB_BEFORE].n; i++) {
        const entry *was = lists[OB_BEFORE].items[i];
        const entry *is = take(&lists[OB_AFTER], was->key);
        ob_text text;
        if (is && strcmp(was->same, is->same) == 0) continue;
        ob__text_init(&text, &c->result->allocator);
        if (is)
            ob__text_printf(&text, "%.200s: %.300s became %.300s", was->name, was->content, is->content);
        else
            ob__text_printf(&text, "%s: %.200s: %.500s", gone, was->name, was->content);
        const char *kept = keep(c, &text);
        if (!kept) return OB_E_MEMORY;
        OB_TRY(ob__change_add(c, &(ob_change){kind, false, was->name, was->content, is ? is->content : "", kept}));
    }
    for (size_t i = 0; i < lists[OB_AFTER].n; i++) { /* those that were taken are no longer in the map */
        const entry *is = lists[OB_AFTER].items[i];
        const ob_map_entry *at = ob__map_find(&lists[OB_AFTER].first, is->key, strlen(is->key));
        if (at->value != is) continue;
        (void)take(&lists[OB_AFTER], is->key);
        ob_text text;
        ob__text_init(&text, &c->result->allocator);
        ob__text_printf(&text, "%s: %.200s: %.500s", fresh, is->name, is->content);
        const char *kept = keep(c, &text);
        if (!kept) return OB_E_MEMORY;
        OB_TRY(ob__change_add(c, &(ob_change){kind, is->matters, is->name, "", is->content, kept}));
    }
    return OB_OK;
}

/* ---- Conditions on values ---- */

ob_status ob__compare_values(ob_comparing *c) {
    entries lists[2] = {0};
    for (int which = OB_BEFORE; which <= OB_AFTER; which++) {
        const size_t n = ob_report_contract(c->reports[which]).n_bounds;
        for (size_t i = 0; i < n; i++) {
            ob_bound_info bound;
            OB_TRY(ob_report_bound(c->reports[which], i, &bound));
            const char *text = copy(c, bound.text);
            OB_TRY(add_entry(c, &lists[which], &(entry){text, copy(c, bound.input), text, text, true, NULL}));
        }
    }
    return compare_entries(c, OB_CHANGE_VALUES, lists, "condition on elements that is gone", "new condition on elements");
}

/* ---- Broadcasts ---- */

/* As its model writes it; on_places: in the common pool, so that the names of symbols do not matter. */
static void write_shape(ob_comparing *c, int which, bool on_places, ob_text *text, const ob_shape *shape) {
    char size[120];
    if (shape->rank == OB_RANK_UNKNOWN) {
        ob__text_puts(text, "(...)");
        return;
    }
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        const ob_dim own = shape->dims[axis], dim = on_places ? ob__compared_dim(c, which, own) : OB_DIM_UNKNOWN;
        ob_dim_format(dim == OB_DIM_UNKNOWN ? c->reports[which]->model->dims : c->dims, dim == OB_DIM_UNKNOWN ? own : dim, size,
                      sizeof size);
        ob__text_printf(text, "%s%s", axis ? "," : "(", size);
    }
    ob__text_puts(text, shape->rank ? ")" : "()");
}

/* "Add (N,1) (4) -> (N,4)". */
static const char *broadcast_text(ob_comparing *c, int which, bool on_places, const ob_broadcast_info *info) {
    ob_text text;
    ob__text_init(&text, &c->result->allocator);
    ob__text_puts(&text, info->op_type);
    for (size_t i = 0; i < info->n_operands; i++) {
        ob__text_puts(&text, " ");
        write_shape(c, which, on_places, &text, &info->operands[i]);
    }
    ob__text_puts(&text, " -> ");
    write_shape(c, which, on_places, &text, &info->result);
    return keep(c, &text);
}

static const char *node_name(ob_comparing *c, const char *path, const char *node) {
    ob_text text;
    ob__text_init(&text, &c->result->allocator);
    ob__text_puts(&text, path);
    ob__text_puts(&text, node);
    return keep(c, &text);
}

ob_status ob__compare_broadcasts(ob_comparing *c) {
    entries lists[2] = {0};
    for (int which = OB_BEFORE; which <= OB_AFTER; which++) {
        ob_report *report = c->reports[which];
        const size_t n = ob_report_broadcast_count(report);
        for (size_t i = 0; i < n; i++) {
            ob_broadcast_info info;
            OB_TRY(ob_report_broadcast(report, i, &info));
            const char *name = node_name(c, info.path, info.node);
            const char *text = broadcast_text(c, which, false, &info), *same = broadcast_text(c, which, true, &info);
            OB_TRY(add_entry(c, &lists[which], &(entry){name, name, text, same, false, NULL}));
        }
    }
    return compare_entries(c, OB_CHANGE_BROADCAST, lists, "no longer broadcasts", "new broadcast");
}

/* ---- Findings ---- */

ob_status ob__compare_findings(ob_comparing *c) {
    entries lists[2] = {0};
    for (int which = OB_BEFORE; which <= OB_AFTER; which++) {
        ob_report *report = c->reports[which];
        const size_t n = ob_report_finding_count(report);
        for (size_t i = 0; i < n; i++) {
            ob_finding_info info;
            ob_text key, content;
            OB_TRY(ob_report_finding(report, i, &info));
            /* A clause of the contract: the relation of the contracts says more. */
            if (info.clause != SIZE_MAX && c->result->info.contract == OB_RELATION_EQUAL) continue;
            ob__text_init(&key, &c->result->allocator);
            ob__text_init(&content, &c->result->allocator);
            ob__text_printf(&key, "%s %s", info.id, info.fingerprint);
            ob__text_printf(&content, "%s: ", ob_severity_name(info.severity));
            if (info.node[0]) ob__text_printf(&content, "node \"%.200s%.200s\" (%.100s): ", info.path, info.node, info.op_type);
            ob__text_puts(&content, info.message);
            const char *kept_key = keep(c, &key), *kept = keep(c, &content);
            const bool matters = info.severity >= OB_SEVERITY_WARNING && info.clause == SIZE_MAX;
            /* The same finding can have other words, for instance another example: that is no change. */
            OB_TRY(add_entry(c, &lists[which], &(entry){kept_key, copy(c, info.id), kept, "", matters, NULL}));
        }
    }
    return compare_entries(c, OB_CHANGE_FINDING, lists, "resolved", "new finding");
}

/* ---- Counts ---- */

typedef struct operator_count {
    const char *name;
    size_t n[2];
} operator_count;

typedef struct counting {
    ob_comparing *c;
    int which;
    ob_map operators;
    operator_count **list;
    size_t n, capacity;
    int64_t weight_bytes[2];
} counting;

static ob_status count_graph(void *context, ob_graph *graph) {
    counting *k = context;
    for (uint32_t i = 0; i < graph->n_initializers; i++) {
        const ob_tensor *data = graph->initializers[i]->data;
        const int64_t size = data ? (int64_t)ob_dtype_size(data->dtype) : 0;
        if (data && data->n_elems <= (INT64_MAX - k->weight_bytes[k->which]) / (size ? size : 1))
            k->weight_bytes[k->which] += data->n_elems * size;
    }
    for (const ob_node *node = graph->first; node; node = node->next) {
        ob_map_entry *at = ob__map_insert(&k->operators, node->op_type, strlen(node->op_type));
        if (!at) return OB_E_MEMORY;
        operator_count *count = at->value;
        if (!count) {
            count = OB_ARENA_ARRAY(k->c->arena, operator_count, 1);
            if (!count) return OB_E_MEMORY;
            *count = (operator_count){.name = at->key};
            at->value = count;
            if (k->n == k->capacity) {
                const size_t capacity = k->capacity ? 2 * k->capacity : 32;
                operator_count **list = OB_ARENA_ARRAY(k->c->arena, operator_count *, capacity);
                if (!list) return OB_E_MEMORY;
                if (k->n) memcpy(list, k->list, k->n * sizeof *list);
                k->list = list;
                k->capacity = capacity;
            }
            k->list[k->n++] = count;
        }
        count->n[k->which]++;
    }
    return OB_OK;
}

static ob_status add_numbers(ob_comparing *c, ob_change_kind kind, const char *name, const char *noun, int64_t before,
                             int64_t after) {
    const char *was = ob__arena_printf(c->arena, "%lld", (long long)before);
    const char *is = ob__arena_printf(c->arena, "%lld", (long long)after);
    const char *text = ob__arena_printf(c->arena, "%.100s%s%s: %lld became %lld", name, name[0] ? " " : "", noun,
                                        (long long)before, (long long)after);
    if (!was || !is || !text) return OB_E_MEMORY;
    return ob__change_add(c, &(ob_change){kind, false, name, was, is, text});
}

ob_status ob__compare_counts(ob_comparing *c) {
    counting k = {.c = c};
    ob__map_init(&k.operators, c->arena);
    for (k.which = OB_BEFORE; k.which <= OB_AFTER; k.which++)
        OB_TRY(ob__model_each_graph(c->reports[k.which]->model, count_graph, &k));
    for (size_t i = 0; i < k.n; i++)
        if (k.list[i]->n[OB_BEFORE] != k.list[i]->n[OB_AFTER])
            OB_TRY(add_numbers(c, OB_CHANGE_OPERATORS, k.list[i]->name, "nodes", (int64_t)k.list[i]->n[OB_BEFORE],
                               (int64_t)k.list[i]->n[OB_AFTER]));
    if (k.weight_bytes[OB_BEFORE] != k.weight_bytes[OB_AFTER])
        OB_TRY(
            add_numbers(c, OB_CHANGE_WEIGHT_BYTES, "", "bytes of weights", k.weight_bytes[OB_BEFORE], k.weight_bytes[OB_AFTER]));
    const int64_t before = c->reports[OB_BEFORE]->summary.copied_bytes, after = c->reports[OB_AFTER]->summary.copied_bytes;
    if (before != after)
        return add_numbers(c, OB_CHANGE_COPIED_BYTES, "", "bytes that copies of operands would write", before, after);
    return OB_OK;
}
