/* The list of fixes for the caller, with all texts. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "core/base/text.h"
#include "core/dims/terms.h"
#include "passes/check/groups.h"
#include "passes/fix/fixing.h"

struct ob_fixes {
    ob_allocator allocator;
    ob_arena arena;
    ob_fix_info *items;
    uint32_t n, capacity;
};

ob_status ob__fixes_new(const ob_allocator *allocator, ob_fixes **out) {
    ob_fixes *list = allocator->alloc(allocator->context, sizeof *list);
    if (!list) return OB_E_MEMORY;
    memset(list, 0, sizeof *list);
    list->allocator = *allocator;
    ob__arena_init(&list->arena, allocator);
    *out = list;
    return OB_OK;
}

static void write_shape(ob_text *text, const ob_dims *dims, const ob_fact *fact) {
    const ob_shape *shape = &fact->type.shape;
    char buffer[96];
    if (fact->type.kind != OB_TYPE_TENSOR || shape->rank == OB_RANK_UNKNOWN) {
        ob__text_puts(text, "?");
        return;
    }
    ob__text_puts(text, "(");
    for (int32_t i = 0; i < shape->rank; i++) { /* at most OB_MAX_RANK */
        ob_dim d = shape->dims[i];
        if (d == OB_DIM_UNKNOWN || ob_dim_is_anonymous(dims, d))
            strcpy(buffer, "?");
        else
            ob__dim_shown(dims, d, buffer, sizeof buffer);
        ob__text_printf(text, i ? ",%s" : "%s", buffer);
    }
    ob__text_puts(text, ")");
}

/* "(N,64), (64) -> (N,64)" */
static const char *shapes_of(ob_arena *arena, const ob_dims *dims, const ob_node *node, ob_value *const *inputs,
                             const ob_facts *facts) {
    enum { TOLD = 4 };
    ob_text text;
    ob__text_init(&text, &arena->allocator);
    for (uint32_t i = 0; i < node->n_inputs && i < TOLD; i++) {
        if (i) ob__text_puts(&text, ", ");
        if (inputs[i]) write_shape(&text, dims, ob__fact(facts, inputs[i]));
    }
    ob__text_puts(&text, node->n_inputs > TOLD ? ", ... -> " : " -> ");
    if (node->n_outputs > 0 && node->outputs[0]) write_shape(&text, dims, ob__fact(facts, node->outputs[0]));
    const char *out = text.failed ? NULL : ob__arena_strndup(arena, text.data, text.n);
    ob__text_release(&text);
    return out;
}

static const char *copy(ob_arena *arena, const char *text) {
    return ob__arena_strndup(arena, text, strlen(text));
}

ob_status ob__fixes_add(ob_fixes *list, const ob_dims *dims, const ob_candidate *candidate, ob_fix_outcome outcome,
                        const char *reason, const ob_facts *before, const ob_facts *after) {
    ob_arena *arena = &list->arena;
    const ob_node *node = candidate->node, *shown = candidate->steps[0].node ? node : NULL;
    ob_fix_info *items = ob__list_in_arena(arena, list->items, &list->capacity, list->n + 1, sizeof *items);
    if (!items) return OB_E_MEMORY;
    list->items = items;
    ob_fix_info info = {.id = ob__finding_row(candidate->id)->name,
                        .node = copy(arena, node ? ob__node_label(node) : ""),
                        .op_type = copy(arena, node ? node->op_type : ""),
                        .path = copy(arena, candidate->path),
                        .kind = ob__fix_name(candidate->steps[0].kind),
                        .text = copy(arena, candidate->text),
                        .outcome = outcome,
                        .reason = copy(arena, reason),
                        .before = "",
                        .after = ""};
    if (shown && before) info.before = shapes_of(arena, dims, node, candidate->inputs, before);
    if (shown && after) info.after = shapes_of(arena, dims, node, node->inputs, after);
    if (!info.node || !info.op_type || !info.path || !info.text || !info.reason || !info.before || !info.after)
        return OB_E_MEMORY;
    items[list->n++] = info;
    return OB_OK;
}

ob_status ob__fixes_finish(ob_fixes *list) {
    ob_fix_info *sorted = OB_ARENA_ARRAY(&list->arena, ob_fix_info, list->n);
    uint32_t n = 0;
    if (!sorted) return OB_E_MEMORY;
    for (int outcome = OB_FIX_APPLIED; outcome <= OB_FIX_UNSAFE; outcome++)
        for (uint32_t i = 0; i < list->n; i++)
            if (list->items[i].outcome == (ob_fix_outcome)outcome) sorted[n++] = list->items[i];
    list->items = sorted;
    list->capacity = list->n;
    return OB_OK;
}

/* ---- The public functions ---- */

size_t ob_fixes_count(const ob_fixes *fixes) {
    return fixes ? fixes->n : 0;
}

size_t ob_fixes_count_of(const ob_fixes *fixes, ob_fix_outcome outcome) {
    size_t n = 0;
    for (size_t i = 0; i < ob_fixes_count(fixes); i++) n += fixes->items[i].outcome == outcome;
    return n;
}

ob_fix_info ob_fixes_at(const ob_fixes *fixes, size_t index) {
    const ob_fix_info none = {0};
    return index < ob_fixes_count(fixes) ? fixes->items[index] : none;
}

void ob_fixes_close(ob_fixes **fixes) {
    if (!fixes || !*fixes) return;
    ob_fixes *closing = *fixes;
    *fixes = NULL;
    ob__arena_release(&closing->arena);
    ob_allocator allocator = closing->allocator;
    allocator.free(allocator.context, closing, sizeof *closing);
}
