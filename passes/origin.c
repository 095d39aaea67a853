#include "passes/origin.h"

#include <string.h>

#include "core/text.h"
#include "ops/op.h"
#include "passes/groups.h"

enum { MAX_STEPS = 100000, SHOWN_STEPS = 4 };

/* A place that a size stands in: an axis of a value's shape, or an element of its contents. */
typedef struct place {
    const ob_value *value;
    int32_t index;
    bool in_content;
} place;

static bool shape_at(const ob_facts *facts, const ob_value *value, ob_shape *shape) {
    if (!value) return false;
    *shape = ob__fact(facts, value)->type.shape;
    return ob__fact(facts, value)->type.kind == OB_TYPE_TENSOR && shape->rank != OB_RANK_UNKNOWN;
}

static bool axis_holds(const ob_facts *facts, const ob_value *value, int32_t axis, ob_dim size, place *out) {
    ob_shape shape;
    if (!shape_at(facts, value, &shape)) return false;
    if (axis < 0) axis += shape.rank;
    if (axis < 0 || axis >= shape.rank || shape.dims[axis] != size) return false;
    *out = (place){value, axis, false};
    return true;
}

static bool content_holds(const ob_facts *facts, const ob_value *value, ob_dim size, place *out) {
    const ob_content *content = &ob__fact(facts, value)->content;
    for (uint32_t i = 0; content->elems && i < content->n; i++)
        if (content->elems[i] == size) {
            *out = (place){value, (int32_t)i, true};
            return true;
        }
    return false;
}

/* Operators whose weights decide the size of one result axis. */
static bool known_source(const ob_facts *facts, const ob_node *node, int32_t axis, int32_t rank, ob_dim size, place *out) {
    const char *op = node->op_type;
    ob_value *const *in = node->inputs;
    if (node->n_inputs < 2) return false;
    if ((strcmp(op, "Conv") == 0 || strcmp(op, "ConvInteger") == 0) && axis == 1) return axis_holds(facts, in[1], 0, size, out);
    if (strcmp(op, "MatMul") == 0 || strcmp(op, "MatMulInteger") == 0)
        return axis == rank - 1 ? axis_holds(facts, in[1], -1, size, out) : false;
    if (strcmp(op, "Gemm") == 0) {
        bool right = axis == 1;
        bool transposed = ob__node_int(node, right ? "transB" : "transA", 0) != 0;
        return axis_holds(facts, in[right], right == transposed ? 0 : 1, size, out);
    }
    return false;
}

/* One step back from an axis of a node's result. */
static bool step_from_axis(const ob_facts *facts, const ob_node *node, place at, ob_dim size, place *out) {
    ob_shape shape;
    if (!shape_at(facts, at.value, &shape)) return false;
    int32_t from_end = at.index - shape.rank;
    if (known_source(facts, node, at.index, shape.rank, size, out)) return true;
    for (uint32_t i = 0; i < node->n_inputs; i++) /* right-aligned, as elementwise operators have it */
        if (axis_holds(facts, node->inputs[i], from_end, size, out)) return true;
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (axis_holds(facts, node->inputs[i], at.index, size, out)) return true;
    for (uint32_t i = 1; i < node->n_inputs; i++) /* the target of Expand, Reshape ... */
        if (node->inputs[i] && content_holds(facts, node->inputs[i], size, out)) return true;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        if (!shape_at(facts, node->inputs[i], &shape)) continue;
        for (int32_t axis = 0; axis < shape.rank; axis++)
            if (axis_holds(facts, node->inputs[i], axis, size, out)) return true;
    }
    return node->n_inputs > 0 && node->inputs[0] && content_holds(facts, node->inputs[0], size, out);
}

static bool step_from_content(const ob_facts *facts, const ob_node *node, ob_dim size, place *out) {
    ob_shape shape;
    if (strcmp(node->op_type, "Shape") == 0 && node->n_inputs > 0 && shape_at(facts, node->inputs[0], &shape))
        for (int32_t axis = 0; axis < shape.rank; axis++)
            if (axis_holds(facts, node->inputs[0], axis, size, out)) return true;
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] && content_holds(facts, node->inputs[i], size, out)) return true;
    return false;
}

static const char *what_it_is(const ob_value *value) {
    if (value->is_initializer) return "weight";
    return value->graph->parent ? "subgraph input" : value->graph->function ? "function input" : "input";
}

const char *ob__origin_of(const ob_facts *facts, const ob_dims *dims, const ob_value *value, int32_t axis, ob_arena *arena) {
    ob_shape shape;
    if (!shape_at(facts, value, &shape) || axis < 0 || axis >= shape.rank || shape.dims[axis] == OB_DIM_UNKNOWN) return "";
    ob_dim size = shape.dims[axis];
    char size_text[96];
    ob_dim_format(dims, size, size_text, sizeof size_text);

    place at = {value, axis, false};
    ob_text through;
    ob__text_init(&through, &arena->allocator);
    uint32_t n_steps = 0;
    const ob_node *maker = NULL;
    while ((maker = at.value->producer) && n_steps < MAX_STEPS) {
        place next;
        bool is_constant = strcmp(maker->op_type, "Constant") == 0;
        bool found = !is_constant && (at.in_content ? step_from_content(facts, maker, size, &next)
                                                    : step_from_axis(facts, maker, at, size, &next));
        if (!found) break;
        if (n_steps < SHOWN_STEPS)
            ob__text_printf(&through, "%s%s '%s'", n_steps ? ", " : ", through ", maker->op_type, ob__node_label(maker));
        n_steps++;
        at = next;
    }
    if (n_steps > SHOWN_STEPS) ob__text_printf(&through, " and %u more", (unsigned)(n_steps - SHOWN_STEPS));
    const char *rest = through.n ? through.data : "";
    const char *text;
    const char *place_text = at.in_content ? "element" : "axis";
    if (through.failed)
        text = NULL;
    else if (maker && strcmp(maker->op_type, "Constant") == 0)
        text = ob__arena_printf(arena, "%s comes from constant '%s' (%s %d)%s", size_text, at.value->name, place_text,
                                (int)at.index, rest);
    else if (maker)
        text = ob__arena_printf(arena, "%s is computed by %s '%s'%s", size_text, maker->op_type, ob__node_label(maker), rest);
    else
        text = ob__arena_printf(arena, "%s comes from %s '%s' (%s %d)%s", size_text, what_it_is(at.value), at.value->name,
                                place_text, (int)at.index, rest);
    ob__text_release(&through);
    return text;
}

/* ---- The exporter's source line ------------------------------------------------------------------------------------- */

/* The last line of a Python stack trace that names a file: the innermost frame. */
static const char *last_frame(const char *trace, size_t *n) {
    const char *found = NULL;
    for (const char *at = trace; (at = strstr(at, "File \"")); at++) found = at;
    if (!found) return NULL;
    *n = strcspn(found, "\r\n");
    return found;
}

/* "/path/model.py(12): forward" or "/path/model.py:12:0" as TorchScript's exporter writes doc strings: the first such line. */
static const char *first_position(const char *doc, size_t *n) {
    const char *py = strstr(doc, ".py");
    if (!py || (py[3] != '(' && py[3] != ':')) return NULL;
    const char *start = py;
    while (start > doc && start[-1] != '\n') start--;
    while (*start == ' ' || *start == '#' || *start == '\t') start++;
    *n = strcspn(start, "\r\n");
    return start;
}

static const char *position_in(const char *text, size_t *n) {
    if (!text || !text[0]) return NULL;
    const char *found = last_frame(text, n);
    return found ? found : first_position(text, n);
}

const char *ob__source_of(const ob_node *node, ob_arena *arena) {
    static const char *const scopes[] = {"pkg.torch.onnx.name_scopes", "pkg.torch.onnx.class_hierarchy", "namespace"};
    size_t n;
    for (uint32_t i = 0; i < node->n_metadata; i++) {
        const char *found = position_in(node->metadata[i].value, &n);
        if (found) return ob__arena_strndup(arena, found, n);
    }
    const char *found = position_in(node->doc, &n);
    if (found) return ob__arena_strndup(arena, found, n);
    for (size_t k = 0; k < sizeof scopes / sizeof *scopes; k++)
        for (uint32_t i = 0; i < node->n_metadata; i++)
            if (strcmp(node->metadata[i].key, scopes[k]) == 0 && node->metadata[i].value[0])
                return ob__arena_printf(arena, "in %s", node->metadata[i].value);
    return "";
}
