/* Fixes: changes that make a broadcast fit. */
#include "core/dims/terms.h"
#include "ops/table/op.h"
#include "passes/check/groups.h"
#include "passes/check/names.h"
#include "passes/report/report.h"

static void format_dims(const ob_dims *dims, const ob_shape *shape, ob_text *text) {
    char buffer[96];
    ob__text_puts(text, "(");
    for (int32_t i = 0; i < shape->rank; i++) { /* at most OB_MAX_RANK */
        ob__dim_shown(dims, shape->dims[i], buffer, sizeof buffer);
        ob__text_printf(text, i ? ",%s" : "%s", buffer);
    }
    ob__text_puts(text, ")");
}

/* The fewest ones to append to `from` so that it broadcasts to `to`; 0 when that does not help. */
static int32_t ones_to_append(const ob_shape *from, const ob_shape *to) {
    for (int32_t n = 1; from->rank > 0 && from->rank + n <= to->rank; n++) {
        bool fits = true;
        for (int32_t i = 0; i < from->rank && fits; i++) {
            ob_dim a = from->dims[i], b = to->dims[to->rank - from->rank - n + i];
            fits = a != OB_DIM_UNKNOWN && (a == b || a == 1);
        }
        if (fits) return n;
    }
    return 0;
}

static const char *append_ones(const ob_report *report, const ob_node *node, uint32_t operand, const ob_shape *from, int32_t n,
                               ob_arena *arena) {
    ob_dim dims[OB_MAX_RANK];
    if (from->rank + n > OB_MAX_RANK) return "";
    for (int32_t i = 0; i < from->rank + n; i++) dims[i] = i < from->rank ? from->dims[i] : 1;
    ob_shape to = {from->rank + n, dims};
    const char *name = "";
    if (operand < node->n_inputs && node->inputs[operand])
        name = ob__shown_name(node->inputs[operand]->name, OB_NAME_IN_TEXT, arena);
    if (!name) return NULL;
    ob_text text;
    ob__text_init(&text, &arena->allocator);
    ob__text_printf(&text, "operand %u", (unsigned)operand);
    if (name[0]) ob__text_printf(&text, " '%s'", name);
    ob__text_puts(&text, " fits if it is reshaped from ");
    format_dims(report->model->dims, from, &text);
    ob__text_puts(&text, " to ");
    format_dims(report->model->dims, &to, &text);
    ob__text_puts(&text, " (broadcasting only prepends sizes of 1)");
    const char *fix = text.failed ? NULL : ob__arena_strndup(arena, text.data, text.n);
    ob__text_release(&text);
    return fix;
}

static const char *fix_broadcast(const ob_report *report, const ob_finding *finding, ob_arena *arena) {
    const ob_node *node = finding->node;
    if (!node || finding->n_operands < 2) return "";
    for (uint32_t a = finding->n_operands; a-- > 0;)
        for (uint32_t b = 0; b < finding->n_operands; b++) {
            const ob_shape *from = &finding->operands[a], *to = &finding->operands[b];
            if (a == b || from->rank < 1 || to->rank <= from->rank) continue;
            int32_t n = ones_to_append(from, to);
            if (n > 0) return append_ones(report, node, ob__finding_input(finding, a), from, n, arena);
        }
    return "";
}

/* An operand stretched to a product meets a shape that is not among the operands. */
static const char *fix_onto_product(const ob_report *report, const ob_finding *finding, ob_arena *arena) {
    uint32_t operand = finding->node->op->stretch.first;
    ob_dim dims[2];
    ob_shape product = {2, dims};
    if (finding->n_operands <= operand || !ob__product_shape(finding->node, finding->operands, dims)) return "";
    const ob_shape *from = &finding->operands[operand];
    int32_t n = from->rank == 1 ? ones_to_append(from, &product) : 0;
    return n > 0 ? append_ones(report, finding->node, operand, from, n, arena) : "";
}

const char *ob__suggest_fix(const ob_report *report, const ob_finding *finding, ob_arena *arena) {
    if (finding->fix) return finding->fix;
    ob_finding_id id = finding->id;
    const ob_op *op = finding->node ? finding->node->op : NULL;
    if (id == OB0102 && op && op->stretch.onto == OB_ONTO_PRODUCT) return fix_onto_product(report, finding, arena);
    if (id == OB0101 || id == OB0102) return fix_broadcast(report, finding, arena);
    if (id == OB0201 || id == OB0203) return "change the operand so that it fits for every size";
    if (id == OB0311) return "make the mapping explicit: -o OUT --emit broadcast";
    return "";
}
