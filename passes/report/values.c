/* The report's values, one by one. */
#include "core/base/error.h"
#include "passes/check/groups.h"
#include "passes/check/names.h"
#include "passes/report/report.h"

typedef struct value_list {
    const ob_value **values;
    size_t n;
} value_list;

static ob_status list_values(void *context, ob_graph *graph) {
    value_list *list = context;
    for (uint32_t i = 0; i < graph->n_inputs; i++) list->values[list->n++] = graph->inputs[i];
    for (uint32_t i = 0; i < graph->n_initializers; i++)
        if (!graph->initializers[i]->is_input) list->values[list->n++] = graph->initializers[i];
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) list->values[list->n++] = node->outputs[i];
    return OB_OK;
}

size_t ob_report_value_count(const ob_report *report) {
    return report->summary.n_values;
}

/* Whole, in `few` or in the arena. NULL: out of memory. */
static const char *size_text(const ob_dims *dims, ob_dim size, char *few, size_t n_few, ob_arena *arena) {
    size_t n = ob_dim_format(dims, size, few, n_few);
    if (n < n_few) return few;
    char *text = ob__arena_alloc(arena, n + 1);
    if (text) ob_dim_format(dims, size, text, n + 1);
    return text;
}

/* As ONNX's textual syntax writes types; iterative, files decide the nesting. */
static const char *type_text(const ob_report *report, const ob_type *type, ob_arena *arena) {
    ob_text text;
    char few[128];
    uint32_t n_open = 0;
    ob__text_init(&text, &report->allocator);
    for (; type && n_open < 1000; type = type->element) {
        const char *wrapper = type->kind == OB_TYPE_SEQUENCE        ? "seq("
                              : type->kind == OB_TYPE_OPTIONAL      ? "optional("
                              : type->kind == OB_TYPE_SPARSE_TENSOR ? "sparse_tensor("
                                                                    : "";
        if (type->kind == OB_TYPE_MAP) {
            ob__text_printf(&text, "map(%s,", ob_dtype_name(type->dtype));
            n_open++;
            continue;
        }
        if (wrapper[0]) {
            ob__text_puts(&text, wrapper);
            n_open++;
            if (type->kind != OB_TYPE_SPARSE_TENSOR) continue;
        }
        if (type->kind == OB_TYPE_UNKNOWN) {
            ob__text_puts(&text, "?");
            break;
        }
        ob__text_puts(&text, type->dtype == OB_NONE ? "?" : ob_dtype_name(type->dtype));
        if (type->shape.rank == OB_RANK_UNKNOWN) break;
        for (int32_t i = 0; i < type->shape.rank; i++) {
            const char *size = size_text(report->model->dims, type->shape.dims[i], few, sizeof few, arena);
            ob__text_puts(&text, i ? "," : "[");
            if (size) ob__text_puts(&text, size);
            text.failed |= !size;
        }
        ob__text_puts(&text, type->shape.rank ? "]" : "[]");
        break;
    }
    while (n_open-- > 0) ob__text_puts(&text, ")");
    const char *result = text.failed ? NULL : ob__arena_strndup(arena, text.n ? text.data : "", text.n);
    ob__text_release(&text);
    return result;
}

ob_status ob_report_value(ob_report *report, size_t index, ob_value_info *out) {
    if (index >= report->summary.n_values) return OB_E_NOT_FOUND;
    if (!report->values) {
        value_list list = {OB_ARENA_ARRAY(&report->arena, const ob_value *, report->summary.n_values), 0};
        if (!list.values) return OB_E_MEMORY;
        OB_TRY(ob__model_each_graph(report->model, list_values, &list));
        report->values = list.values;
    }
    const ob_value *value = report->values[index];
    const ob_fact *fact = ob__fact(&report->facts, value);
    ob_arena *arena = &report->value_texts;
    ob__arena_restart(arena);
    const char *path = ob__graph_path(value->graph, arena);
    ob__report_shorten_begin(report);
    const char *type = type_text(report, &fact->type, arena);
    ob__report_shorten_end(report);
    const char *name = ob__report_name(report, value->name, arena);
    if (!path || !type || !name) return OB_E_MEMORY;
    bool tensor = fact->type.kind == OB_TYPE_TENSOR;
    *out = (ob_value_info){.name = name,
                           .path = path,
                           .kind = value->is_input         ? "input"
                                   : value->is_initializer ? "initializer"
                                   : value->is_output      ? "output"
                                                           : "inner",
                           .dtype = tensor ? fact->type.dtype : OB_NONE,
                           .shape = tensor ? fact->type.shape : (ob_shape){OB_RANK_UNKNOWN, NULL},
                           .type = type,
                           .why_unknown = fact->why_unknown ? fact->why_unknown : ""};
    return OB_OK;
}
