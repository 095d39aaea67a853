#include "passes/check/fix.h"

#include <string.h>

#include "core/base/list.h"
#include "core/base/text.h"
#include "core/dims/terms.h"
#include "ops/table/op.h"
#include "passes/check/groups.h"
#include "passes/check/names.h"

static const struct row {
    const char *name;
    ob_fix_effect effect;
} rows[OB_FIX_KIND_COUNT] = {
#define OB_FIX(kind, name, effect) [OB_FIX_KIND_##kind] = {#name, OB_FIX_##effect},
#include "passes/check/fixes.def"
#undef OB_FIX
};

const char *ob__fix_name(ob_fix_kind kind) {
    return (unsigned)kind < OB_FIX_KIND_COUNT ? rows[kind].name : "";
}

ob_fix_effect ob__fix_effect(ob_fix_kind kind) {
    return (unsigned)kind < OB_FIX_KIND_COUNT ? rows[kind].effect : OB_FIX_ALWAYS;
}

ob_fix ob__fix(ob_fix_kind kind, const ob_node *node) {
    return (ob_fix){.kind = kind,
                    .node = node,
                    .operand = -1,
                    .other = -1,
                    .axis = -1,
                    .from = {OB_RANK_UNKNOWN, NULL},
                    .to = {OB_RANK_UNKNOWN, NULL}};
}

static bool copy_shape(ob_arena *arena, ob_shape *shape) {
    if (shape->rank <= 0) return true;
    ob_dim *dims = OB_ARENA_ARRAY(arena, ob_dim, (size_t)shape->rank);
    if (!dims) return false;
    memcpy(dims, shape->dims, (size_t)shape->rank * sizeof *dims);
    shape->dims = dims;
    return true;
}

bool ob__fix_keep(ob_arena *arena, ob_fix *fix) {
    int32_t *axes = OB_ARENA_ARRAY(arena, int32_t, fix->n_axes);
    if (!axes || !copy_shape(arena, &fix->from) || !copy_shape(arena, &fix->to)) return false;
    if (fix->n_axes) memcpy(axes, fix->axes, fix->n_axes * sizeof *axes);
    fix->axes = axes;
    return true;
}

bool ob__fix_add(ob_findings *findings, ob_finding *finding, const ob_fix *fix) {
    ob_fix *list = (ob_fix *)(uintptr_t)finding->fixes; /* made here */
    list = ob__list_for_entry(&findings->arena, list, finding->n_fixes, sizeof *list);
    if (!list) return false;
    finding->fixes = list;
    list[finding->n_fixes] = *fix;
    if (!ob__fix_keep(&findings->arena, &list[finding->n_fixes])) return false;
    findings->n_bytes += sizeof *fix;
    finding->n_fixes++;
    return true;
}

ob_fix ob__fix_new_axes(const ob_node *node, uint32_t operand, const ob_shape *from, const int32_t *axes, uint32_t n_axes,
                        ob_dim *dims) {
    const ob_value *value = operand < node->n_inputs ? node->inputs[operand] : NULL;
    bool constant = value && value->is_initializer && !value->is_input;
    ob_fix fix = ob__fix(constant ? OB_FIX_KIND_RESHAPE : OB_FIX_KIND_UNSQUEEZE, node);
    fix.operand = (int32_t)operand;
    fix.axes = axes;
    fix.n_axes = n_axes;
    fix.from = *from;
    fix.to = (ob_shape){from->rank + (int32_t)n_axes, dims};
    for (int32_t to = 0, at = 0, next = 0; to < fix.to.rank; to++) {
        bool added = next < (int32_t)n_axes && axes[next] == to;
        next += added;
        dims[to] = added ? 1 : at < from->rank ? from->dims[at++] : 1;
    }
    return fix;
}

/* ---- The sentence ---- */

typedef struct writing {
    const ob_dims *dims;
    ob_text text;
    ob_arena *arena;
} writing;

static void write_shape(writing *w, const ob_shape *shape) {
    char buffer[96];
    ob__text_puts(&w->text, "(");
    for (int32_t i = 0; i < shape->rank; i++) { /* at most OB_MAX_RANK */
        ob__dim_shown(w->dims, shape->dims[i], buffer, sizeof buffer);
        ob__text_printf(&w->text, i ? ",%s" : "%s", buffer);
    }
    ob__text_puts(&w->text, ")");
}

static void write_shapes(writing *w, const ob_fix *fix) {
    if (fix->from.rank == OB_RANK_UNKNOWN || fix->to.rank == OB_RANK_UNKNOWN) return;
    ob__text_puts(&w->text, ": ");
    write_shape(w, &fix->from);
    ob__text_puts(&w->text, " -> ");
    write_shape(w, &fix->to);
}

static void write_name(writing *w, const char *name) {
    name = ob__shown_name(name, OB_NAME_IN_TEXT, w->arena);
    if (!name) w->text.failed = true;
    if (name && name[0]) ob__text_printf(&w->text, " '%s'", name);
}

static void write_operand(writing *w, const ob_fix *fix) {
    ob__text_printf(&w->text, "operand %d", (int)fix->operand);
    if (fix->operand >= 0 && (uint32_t)fix->operand < fix->node->n_inputs && fix->node->inputs[fix->operand])
        write_name(w, fix->node->inputs[fix->operand]->name);
}

static void write_insert(writing *w, const ob_fix *fix, const char *op, const char *attribute) {
    ob__text_printf(&w->text, "insert %s(%s=[", op, attribute);
    for (uint32_t i = 0; i < fix->n_axes; i++) ob__text_printf(&w->text, i ? ",%d" : "%d", (int)fix->axes[i]);
    ob__text_puts(&w->text, "]) before ");
    write_operand(w, fix);
}

/* The node, if it is not the one of the finding. */
static void write_node(writing *w, const ob_fix *fix, const ob_node *of_finding, const char *word) {
    const ob_node *node = fix->node;
    if (!node || node == of_finding) return;
    const char *type = ob__shown_name(node->op_type, OB_NAME_IN_TEXT, w->arena);
    if (!type) w->text.failed = true;
    ob__text_printf(&w->text, "%s%s", word, type ? type : "");
    write_name(w, ob__node_label(node));
}

static void write_fix(writing *w, const ob_fix *fix, const ob_node *node) {
    switch (fix->kind) {
    case OB_FIX_KIND_UNSQUEEZE: write_insert(w, fix, "Unsqueeze", "axes"); break;
    case OB_FIX_KIND_SQUEEZE: write_insert(w, fix, "Squeeze", "axes"); break;
    case OB_FIX_KIND_TRANSPOSE: write_insert(w, fix, "Transpose", "perm"); break;
    case OB_FIX_KIND_RESHAPE:
        ob__text_puts(&w->text, "reshape the initializer at ");
        write_operand(w, fix);
        break;
    case OB_FIX_KIND_SWAP: ob__text_printf(&w->text, "swap operands %d and %d", (int)fix->operand, (int)fix->other); break;
    case OB_FIX_KIND_KEEPDIMS: ob__text_puts(&w->text, "set keepdims=1"); break;
    case OB_FIX_KIND_AXIS: ob__text_printf(&w->text, "set axis=%d", (int)fix->other); break;
    case OB_FIX_KIND_SIZE:
        if (fix->other >= 0) ob__text_printf(&w->text, "compute element %d of ", (int)fix->other);
        if (fix->other < 0) ob__text_puts(&w->text, "compute ");
        write_operand(w, fix);
        break;
    case OB_FIX_KIND_SORT: ob__text_puts(&w->text, "sort the nodes, each after those whose results it reads"); return;
    case OB_FIX_KIND_COUNT: return;
    }
    write_node(w, fix, node, " of ");
    if (fix->kind == OB_FIX_KIND_SIZE && fix->value) {
        ob__text_printf(&w->text, " from axis %d of", (int)fix->axis);
        write_name(w, fix->value->name);
        ob__text_puts(&w->text, " (Shape, Gather)");
    } else {
        write_shapes(w, fix);
    }
}

const char *ob__fix_text(const ob_dims *dims, const ob_fix *fixes, uint32_t n, const ob_node *node, ob_arena *arena) {
    enum { TOLD = 4 };
    writing w = {.dims = dims, .arena = arena};
    uint32_t n_steps = 0;
    ob__text_init(&w.text, &arena->allocator);
    while (n_steps < n && fixes[n_steps].way == fixes[0].way) n_steps++;
    for (uint32_t i = 0; i < n_steps && i < TOLD; i++) {
        if (i) ob__text_puts(&w.text, "; ");
        write_fix(&w, &fixes[i], node);
    }
    if (n_steps > TOLD) ob__text_printf(&w.text, "; and %u more", n_steps - TOLD);
    const char *text = w.text.failed ? NULL : ob__arena_strndup(arena, w.text.n ? w.text.data : "", w.text.n);
    ob__text_release(&w.text);
    return text;
}
