#include "passes/report/origin.h"
#include "core/base/text.h"

#include <string.h>

#include "core/dims/terms.h"
#include "ops/infer/constant.h"
#include "ops/infer/infer.h"
#include "ops/table/op.h"
#include "passes/check/groups.h"
#include "passes/check/names.h"

enum {
    MAX_STEPS = 100000,
    SHOWN_STEPS = 4,
    KEPT_STEPS = 32,      /* of a walk, one in so many places is remembered */
    MANY_BYTES = 1 << 16, /* of a stack trace: its end matters */
    MANY_INPUTS = 64      /* of a node with more only these are looked at */
};

/* The place of a size: an axis of a value's shape, or an element of its contents. */
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
    if (!node->op) return false;
    uint32_t operand = node->op->stretch.first;
    if (node->op->broadcast == OB_BCAST_BATCH)
        return axis == rank - 1 && operand < node->n_inputs && axis_holds(facts, in[operand], -1, size, out);
    if (node->op->stretch.onto != OB_ONTO_PRODUCT || axis > 1) return false;
    int32_t own;
    ob__product_axis(node, axis, &operand, &own);
    return axis_holds(facts, in[operand], own, size, out);
}

static uint32_t few_inputs(const ob_node *node) {
    return node->n_inputs < MANY_INPUTS ? node->n_inputs : MANY_INPUTS;
}

/* One step back from an axis of a node's result. */
static bool step_from_axis(const ob_facts *facts, const ob_node *node, place at, ob_dim size, place *out) {
    ob_shape shape;
    if (!shape_at(facts, at.value, &shape)) return false;
    int32_t from_end = at.index - shape.rank;
    uint32_t n_inputs = few_inputs(node);
    if (known_source(facts, node, at.index, shape.rank, size, out)) return true;
    for (uint32_t i = 0; i < n_inputs; i++) /* right-aligned, as elementwise operators have it */
        if (axis_holds(facts, node->inputs[i], from_end, size, out)) return true;
    for (uint32_t i = 0; i < n_inputs; i++)
        if (axis_holds(facts, node->inputs[i], at.index, size, out)) return true;
    for (uint32_t i = 1; i < n_inputs; i++) /* the target of Expand, Reshape ... */
        if (node->inputs[i] && content_holds(facts, node->inputs[i], size, out)) return true;
    for (uint32_t i = 0; i < n_inputs; i++) {
        if (!shape_at(facts, node->inputs[i], &shape)) continue;
        for (int32_t axis = 0; axis < shape.rank; axis++)
            if (axis_holds(facts, node->inputs[i], axis, size, out)) return true;
    }
    return node->n_inputs > 0 && node->inputs[0] && content_holds(facts, node->inputs[0], size, out);
}

static bool step_from_content(const ob_facts *facts, const ob_node *node, ob_dim size, place *out) {
    ob_shape shape;
    uint32_t n_inputs = few_inputs(node);
    if (ob__is_shape(node) && node->n_inputs > 0 && shape_at(facts, node->inputs[0], &shape))
        for (int32_t axis = 0; axis < shape.rank; axis++)
            if (axis_holds(facts, node->inputs[0], axis, size, out)) return true;
    for (uint32_t i = 0; i < n_inputs; i++)
        if (node->inputs[i] && content_holds(facts, node->inputs[i], size, out)) return true;
    return false;
}

static const char *what_it_is(const ob_value *value) {
    if (value->is_initializer) return "weight";
    return value->graph->parent ? "subgraph input" : value->graph->function ? "function input" : "input";
}

/* ---- The walk ---- */

/* Where a walk ends, and how many steps away. */
typedef struct ending {
    place at;
    uint32_t n_steps;
} ending;

typedef struct place_key {
    uint64_t value; /* its address: no padding on any machine, the bytes are the key */
    int64_t index;  /* of an axis; of an element its complement */
} place_key;

static place_key key_of(const place *at) {
    return (place_key){(uintptr_t)at->value, at->in_content ? ~(int64_t)at->index : at->index};
}

static const ending *remembered(const ob_map *known, const place *at) {
    place_key key = key_of(at);
    const ob_map_entry *entry = ob__map_find(known, (const char *)&key, sizeof key);
    return entry ? entry->value : NULL;
}

static bool remember(ob_map *known, const place *from, const ending *end) {
    place_key key = key_of(from);
    ob_map_entry *entry = ob__map_insert(known, (const char *)&key, sizeof key);
    ending *kept = entry ? OB_ARENA_NEW(known->arena, ending) : NULL;
    if (!kept) return false;
    *kept = *end;
    entry->value = kept;
    return true;
}

static bool step_back(const ob_facts *facts, place at, ob_dim size, place *next) {
    const ob_node *maker = at.value->producer;
    if (!maker || ob__is_constant(maker)) return false;
    return at.in_content ? step_from_content(facts, maker, size, next) : step_from_axis(facts, maker, at, size, next);
}

/* Follows the size from `at` to its origin. Common parts of walks are walked once: some places are kept in `known`. False: out
 * of memory. */
static bool walk_back(const ob_facts *facts, ob_map *known, place at, ob_dim size, ending *end) {
    const place start = at;
    const ending *far = NULL;
    uint32_t n = 0;
    place next;
    while (!(far = remembered(known, &at)) && n < MAX_STEPS && step_back(facts, at, size, &next)) {
        at = next;
        n++;
    }
    *end = far ? (ending){far->at, far->n_steps < MAX_STEPS - n ? n + far->n_steps : MAX_STEPS} : (ending){at, n};
    at = start;
    for (uint32_t i = 0; i < n; i++) {
        if (i % KEPT_STEPS == 0 && !remember(known, &at, &(ending){end->at, end->n_steps - i})) return false;
        step_back(facts, at, size, &next);
        at = next;
    }
    return true;
}

/* Describes the end of a walk. */
static const char *describe(const place *end, const char *size, const char *through, ob_arena *arena) {
    const ob_node *maker = end->value->producer;
    const char *place_text = end->in_content ? "element" : "axis";
    bool constant = !maker || ob__is_constant(maker);
    const char *name = ob__shown_name(constant ? end->value->name : ob__node_label(maker), OB_NAME_IN_TEXT, arena);
    const char *op_type = maker ? ob__shown_name(maker->op_type, OB_NAME_IN_TEXT, arena) : "";
    if (!name || !op_type) return NULL;
    if (!constant) return ob__arena_printf(arena, "%s is computed by %s '%s'%s", size, op_type, name, through);
    return ob__arena_printf(arena, "%s comes from %s '%s' (%s %d)%s", size, maker ? "constant" : what_it_is(end->value), name,
                            place_text, (int)end->index, through);
}

static bool put_step(ob_text *text, const ob_node *maker, bool first, ob_arena *arena) {
    const char *op_type = ob__shown_name(maker->op_type, OB_NAME_IN_TEXT, arena);
    const char *label = ob__shown_name(ob__node_label(maker), OB_NAME_IN_TEXT, arena);
    if (!op_type || !label) return false;
    ob__text_printf(text, "%s%s '%s'", first ? ", through " : ", ", op_type, label);
    return !text->failed;
}

const char *ob__origin_of(const ob_facts *facts, const ob_dims *dims, ob_map *known, const ob_value *value, int32_t axis,
                          ob_arena *arena) {
    ob_shape shape;
    if (!shape_at(facts, value, &shape) || axis < 0 || axis >= shape.rank || shape.dims[axis] == OB_DIM_UNKNOWN) return "";
    ob_dim size = shape.dims[axis];
    char size_text[96];
    ob__dim_shown(dims, size, size_text, sizeof size_text);

    place at = {value, axis, false}, next;
    ob_text through;
    ob__text_init(&through, &arena->allocator);
    uint32_t n_steps = 0;
    bool fine = true;
    while (fine && n_steps < SHOWN_STEPS && step_back(facts, at, size, &next)) {
        fine = put_step(&through, at.value->producer, n_steps++ == 0, arena);
        at = next;
    }
    ending end = {at, 0};
    if (fine && n_steps == SHOWN_STEPS) fine = walk_back(facts, known, at, size, &end);
    if (end.n_steps > 0) ob__text_printf(&through, " and %u more", (unsigned)end.n_steps);
    const char *text = fine && !through.failed ? describe(&end.at, size_text, through.n ? through.data : "", arena) : NULL;
    ob__text_release(&through);
    return text;
}

/* ---- The exporter's source line ---- */

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
    size_t length = strlen(text);
    const char *found = last_frame(length > MANY_BYTES ? text + length - MANY_BYTES : text, n);
    return found ? found : first_position(text, n);
}

static const char *kept_position(const char *text, size_t n, ob_arena *arena) {
    return ob__arena_strndup(arena, text, n < OB_NAME_SHOWN ? n : OB_NAME_SHOWN);
}

const char *ob__source_of(const ob_node *node, ob_arena *arena) {
    static const char *const scopes[] = {"pkg.torch.onnx.name_scopes", "pkg.torch.onnx.class_hierarchy", "namespace"};
    size_t n;
    for (uint32_t i = 0; i < node->n_metadata; i++) {
        const char *found = position_in(node->metadata[i].value, &n);
        if (found) return kept_position(found, n, arena);
    }
    const char *found = position_in(node->doc, &n);
    if (found) return kept_position(found, n, arena);
    for (size_t k = 0; k < sizeof scopes / sizeof *scopes; k++)
        for (uint32_t i = 0; i < node->n_metadata; i++)
            if (strcmp(node->metadata[i].key, scopes[k]) == 0 && node->metadata[i].value[0])
                return ob__arena_printf(arena, "in %.*s", (int)OB_NAME_SHOWN, node->metadata[i].value);
    return "";
}
