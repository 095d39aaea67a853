/* Which values of two models are equal: both graphs are visited in order, and a value whose description was met before has the
 * class of that description. A description has the operator, its attributes and the classes of its operands. */
#include "passes/compare/classes.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/table/op.h"
#include "ops/training/params.h"
#include "passes/check/bypass.h"
#include "passes/check/explicit.h"
#include "passes/check/names.h"
#include "passes/compare/describe.h"

enum {
    MISSING = 1,          /* the class of an omitted operand */
    DEEPEST = 64,         /* bodies and calls around a node */
    MOST_NODES = 1 << 20, /* visits: bodies of functions are visited for each call */
    MOST_ROOTS = 64       /* classes whose common shape a value has */
};

typedef struct classifier {
    ob_comparing *c;
    ob_classes *out;
    ob_work works[2];
    ob_map known; /* description -> number */
    int which;
    uint32_t depth;
    uint32_t attributes; /* stands for the attributes of the calls around: references to them are equal if it is */
    uint64_t n_nodes;
    bool stopped; /* at a limit: values of bodies may have the classes of an earlier visit */
} classifier;

/* Descriptions of a node: by its operands, and for MULTI by their sources with the shape of the result, which is a list of terms
 * or the common shape of classes. Of an expansion there are the last two as well. */
enum { PLAIN, BY_TERMS, BY_CLASSES, N_DESCRIPTIONS };

static ob_status classify_graph(classifier *k, const ob_graph *graph);

/* ---- Numbers ---- */

static ob_status new_class(classifier *k, const char *why, uint32_t *out) {
    ob_classes *all = k->out;
    if (all->n == UINT32_MAX) return OB_E_LIMIT;
    if (all->n >= all->capacity) {
        const uint32_t capacity = all->capacity ? 2 * all->capacity : 256;
        ob_value_class *items = OB_ARENA_ARRAY(k->c->arena, ob_value_class, capacity);
        if (!items) return OB_E_MEMORY;
        if (all->n) memcpy(items, all->items, all->n * sizeof *items);
        all->items = items;
        all->capacity = capacity;
    }
    *out = all->n++;
    all->items[*out] = (ob_value_class){.source = *out, .why = why};
    return OB_OK;
}

/* The class that has one of these descriptions, or a new one. It has all of them then; empty ones are none. */
static ob_status class_of(classifier *k, const ob_text *texts, size_t n_texts, uint32_t lemmas, uint32_t *out) {
    uint32_t number = 0;
    for (size_t i = 0; i < n_texts; i++) {
        const ob_map_entry *entry = texts[i].n ? ob__map_find(&k->known, texts[i].data, texts[i].n) : NULL;
        if (texts[i].failed) return OB_E_MEMORY;
        if (!entry || number) continue;
        number = (uint32_t)(uintptr_t)entry->value;
        if (i == BY_CLASSES) lemmas |= OB_LEMMA(SHAPES) | OB_LEMMA(MEMBERS);
    }
    if (!number) OB_TRY(new_class(k, NULL, &number));
    for (size_t i = 0; i < n_texts; i++) {
        if (!texts[i].n) continue;
        ob_map_entry *entry = ob__map_insert(&k->known, texts[i].data, texts[i].n);
        if (!entry) return OB_E_MEMORY;
        if (!entry->value) entry->value = (void *)(uintptr_t)number;
    }
    ob_value_class *item = &k->out->items[number];
    item->before |= k->which == OB_BEFORE;
    item->lemmas |= lemmas;
    *out = number;
    return OB_OK;
}

/* The same with a reason for a class that is new. */
static ob_status class_or_why(classifier *k, const ob_text *text, const char *why, uint32_t *out) {
    const uint32_t n = k->out->n;
    OB_TRY(class_of(k, text, 1, 0, out));
    if (*out >= n && k->which == OB_AFTER) k->out->items[*out].why = why;
    return OB_OK;
}

static uint32_t number_of(const classifier *k, const ob_value *value) {
    return value ? k->out->of[k->which][value->id] : MISSING;
}

static void set_number(classifier *k, const ob_value *value, uint32_t number) {
    k->out->of[k->which][value->id] = number;
}

static uint32_t source_of(const classifier *k, uint32_t number) {
    return k->out->items[number].source;
}

/* ---- Descriptions ---- */

static bool in_function(const ob_graph *graph) {
    while (graph->parent) graph = graph->parent;
    return graph->function != NULL;
}

/* The shape in the common pool. False: a part of it has no name there, or it is not a fact about every run. */
static bool describe_shape(classifier *k, ob_text *text, const ob_value *value) {
    const ob_fact *fact = ob__fact(k->works[k->which].facts, value);
    const ob_shape *shape = &fact->type.shape;
    if (in_function(value->graph) || fact->type.kind != OB_TYPE_TENSOR || shape->rank == OB_RANK_UNKNOWN || fact->assumed)
        return false;
    ob__describe_number(text, (uint32_t)shape->rank);
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        const ob_dim dim = ob__compared_dim(k->c, k->which, shape->dims[axis]);
        if (dim == OB_DIM_UNKNOWN) return false;
        ob__describe(text, &dim, sizeof dim);
    }
    return true;
}

/* The root of a difference: that of an operand, that of a body (or NULL), or this node. NULL: out of memory. */
static const char *why_new(classifier *k, const ob_node *node, const char *of_body, const char *reason) {
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ob_value_class *item = &k->out->items[number_of(k, node->inputs[i])];
        if (!item->before && item->why) return item->why;
    }
    if (of_body) return of_body;
    return ob__arena_printf(k->c->arena, "node \"%.200s\" (%.100s): %s", ob__node_label(node), node->op_type, reason);
}

static uint32_t lemmas_of(const classifier *k, ob_value *const *inputs, uint32_t n) {
    uint32_t lemmas = 0;
    for (uint32_t i = 0; i < n; i++) lemmas |= k->out->items[number_of(k, inputs[i])].lemmas;
    return lemmas;
}

/* ---- Common shapes ---- */

/* Classes, ascending. */
typedef struct root_list {
    uint32_t items[MOST_ROOTS], n;
    bool open; /* there are others, or they are not known */
} root_list;

static void add_root(root_list *list, uint32_t number) {
    uint32_t at = 0;
    while (at < list->n && list->items[at] < number) at++;
    if (at < list->n && list->items[at] == number) return;
    list->open |= list->n == MOST_ROOTS;
    if (list->open) return;
    memmove(&list->items[at + 1], &list->items[at], (list->n - at) * sizeof *list->items);
    list->items[at] = number;
    list->n++;
}

/* Adds the classes whose common shape this class has. */
static void add_roots_of(const classifier *k, root_list *list, uint32_t number) {
    const ob_value_class *item = &k->out->items[number];
    if (number <= MISSING || (item->source != number && !item->roots)) {
        list->open = true;
    } else if (item->source == number) {
        add_root(list, number);
    } else {
        for (uint32_t i = 0; i < item->n_roots; i++) add_root(list, item->roots[i]);
    }
}

/* Those of an explicit broadcast of `from`: all operands of a Broadcast; the operand and that whose Shape is the target. */
static void list_roots(const classifier *k, const ob_node *node, const ob_value *from, root_list *list) {
    *list = (root_list){.n = 0};
    if (ob__is_explicit_broadcast(node)) {
        for (uint32_t i = 0; i < node->n_inputs; i++) add_roots_of(k, list, number_of(k, node->inputs[i]));
        return;
    }
    const ob_node *maker = node->n_inputs == 2 && node->inputs[1] ? node->inputs[1]->producer : NULL;
    const bool stretches = ob__is_expand(node) || (ob__is_explicit_in_dim(node) && !ob__node_attribute(node, "shape"));
    add_roots_of(k, list, number_of(k, from));
    if (stretches && maker && ob__is_standard(maker, "Shape") && maker->n_inputs == 1 && maker->n_attributes == 0)
        add_roots_of(k, list, number_of(k, maker->inputs[0]));
    else
        list->open = true;
}

static void describe_roots(ob_text *text, const root_list *list) {
    if (list->open)
        text->n = 0;
    else
        ob__describe(text, list->items, list->n * sizeof *list->items);
}

/* ---- Operands ---- */

/* Is operand i expanded to a shape that does not depend on it, and read element by element? It may then be expanded before. */
static bool is_one_way(const ob_op *op, uint32_t i) {
    const ob_stretch *stretch = &op->stretch;
    const bool onto = stretch->onto == OB_ONTO_FIRST || stretch->onto == OB_ONTO_AXES || stretch->onto == OB_ONTO_PRODUCT;
    return op->broadcast == OB_BCAST_UNI && onto && !stretch->asked && i >= stretch->first && i <= stretch->last;
}

/* What is said of a node beside its description. */
typedef struct remarks {
    uint32_t lemmas;
    bool whole;         /* false: a part has no class */
    const char *reason; /* why no old node has the description, if none has */
    const char *root;   /* the same of a node in a body, as a sentence; or NULL */
} remarks;

static void describe_sources(classifier *k, const ob_node *node, ob_text *texts, remarks *r) {
    root_list roots = {.n = 0};
    bool differs = false;
    for (int i = BY_TERMS; i <= BY_CLASSES; i++) {
        ob__text_append(&texts[i], texts[PLAIN].data, texts[PLAIN].n);
        ob__describe(&texts[i], i == BY_TERMS ? "T" : "R", 1);
        ob__describe_number(&texts[i], node->n_inputs);
    }
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const uint32_t number = number_of(k, node->inputs[i]), source = source_of(k, number);
        add_roots_of(k, &roots, number);
        differs |= source != number;
        for (int n = BY_TERMS; n <= BY_CLASSES; n++) ob__describe_number(&texts[n], source);
    }
    if (!node->outputs[0] || !describe_shape(k, &texts[BY_TERMS], node->outputs[0])) texts[BY_TERMS].n = 0;
    describe_roots(&texts[BY_CLASSES], &roots);
    if (!differs) return;
    r->lemmas |= OB_LEMMA(EXCHANGED);
    if (!texts[BY_TERMS].n && roots.open) r->reason = "the shape of its result is known in runs only";
}

static void describe_operands(classifier *k, const ob_node *node, ob_text *texts, remarks *r) {
    const bool is_multi = node->op && node->op->broadcast == OB_BCAST_MULTI && node->n_outputs == 1;
    if (is_multi) describe_sources(k, node, texts, r);
    ob__describe(&texts[PLAIN], "P", 1);
    ob__describe_number(&texts[PLAIN], node->n_inputs);
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const uint32_t number = number_of(k, node->inputs[i]), source = source_of(k, number);
        const bool one_way = node->op && is_one_way(node->op, i);
        ob__describe_number(&texts[PLAIN], one_way ? source : number);
        if (source == number) continue;
        if (one_way)
            r->lemmas |= OB_LEMMA(TWICE);
        else if (!is_multi)
            r->reason = "it reads an expanded operand, for which no lemma is used";
    }
}

/* ---- Bodies ---- */

static ob_status classify_body(classifier *k, const ob_graph *body, uint32_t owner, uint32_t at, ob_text *text, remarks *r) {
    for (uint32_t i = 0; i < body->n_inputs; i++) {
        ob_text parameter;
        uint32_t number;
        ob__text_init(&parameter, &k->c->result->allocator);
        ob__describe(&parameter, "p", 1);
        ob__describe_number(&parameter, owner);
        ob__describe_number(&parameter, at);
        ob__describe_number(&parameter, i);
        const ob_status status = class_of(k, &parameter, 1, 0, &number);
        ob__text_release(&parameter);
        OB_TRY(status);
        set_number(k, body->inputs[i], number);
    }
    OB_TRY(classify_graph(k, body));
    ob__describe_number(text, body->n_outputs);
    for (uint32_t i = 0; i < body->n_outputs; i++) {
        const uint32_t number = number_of(k, body->outputs[i]);
        const ob_value_class *item = &k->out->items[number];
        r->whole &= number != 0 && !k->stopped;
        r->lemmas |= item->lemmas;
        if (!r->root && !item->before) r->root = item->why;
        ob__describe_number(text, number);
    }
    return OB_OK;
}

/* Adds the results of all bodies of the node. Their inputs are equal in both models if the operands of the node are and all
 * earlier iterations gave equal results, so that results which are equal for equal inputs are equal. */
static ob_status describe_bodies(classifier *k, const ob_node *node, ob_text *text, remarks *r) {
    uint32_t owner = 0, at = 0;
    for (uint32_t i = 0; i < node->n_attributes; i++) {
        const ob_attribute *attribute = node->attributes[i];
        const bool one = attribute->type == OB_ATTR_GRAPH;
        if ((!one && attribute->type != OB_ATTR_GRAPHS) || attribute->ref) continue;
        if (!owner) OB_TRY(class_of(k, text, 1, 0, &owner));
        for (uint32_t n = 0; n < (one ? 1 : attribute->n); n++)
            OB_TRY(classify_body(k, one ? attribute->u.graph : attribute->u.graphs[n], owner, at++, text, r));
    }
    return OB_OK;
}

/* ---- Nodes ---- */

/* The operator of the node, which both descriptions begin with. A definition of ours is the operator. */
static const char *describe_operator(classifier *k, const ob_node *node, ob_text *text) {
    const bool broadcast = ob__is_explicit_broadcast(node), in_dim = !broadcast && ob__is_explicit_in_dim(node);
    const ob_op *op = node->function ? NULL : node->op;
    ob__describe(text, broadcast ? "B" : in_dim && node->function ? "D" : "N", 1);
    if (broadcast || (in_dim && node->function)) return NULL;
    if (!op) return "it has no operator with known results";
    if (op->varies) return "its results may differ between runs";
    if (ob__is_gradient(node)) return "its results depend on other nodes of the graph";
    ob__describe(text, &op, sizeof op);
    ob__describe_number(text, node->n_outputs); /* of Split the sizes depend on it */
    ob__describe_number(text, node->n_attributes);
    for (uint32_t i = 0; i < node->n_attributes; i++)
        if (!ob__describe_attribute(text, node->attributes[i], k->attributes)) return "its attributes cannot be compared";
    return NULL;
}

/* A number for the node: equal for two nodes if their results are. */
static ob_status classify_node(classifier *k, const ob_node *node, ob_text *texts, uint32_t *out) {
    remarks r = {.lemmas = lemmas_of(k, node->inputs, node->n_inputs),
                 .reason = "no operator of the old model has its operands and attributes"};
    const uint32_t n_before = k->out->n;
    const char *why_not = describe_operator(k, node, &texts[PLAIN]);
    r.whole = !why_not;
    for (uint32_t i = 0; i < node->n_inputs && r.whole; i++) r.whole = number_of(k, node->inputs[i]) != 0;
    if (r.whole) {
        describe_operands(k, node, texts, &r);
        OB_TRY(describe_bodies(k, node, &texts[PLAIN], &r));
    }
    if (r.whole) {
        OB_TRY(class_of(k, texts, N_DESCRIPTIONS, r.lemmas, out));
    } else {
        OB_TRY(new_class(k, NULL, out));
        k->out->items[*out].before = k->which == OB_BEFORE;
        r.reason = why_not ? why_not : "a part of it could not be compared";
    }
    ob_value_class *made = &k->out->items[*out];
    if (k->which == OB_BEFORE || *out < n_before) return OB_OK;
    made->why = why_new(k, node, r.root, r.reason);
    return made->why ? OB_OK : OB_E_MEMORY;
}

/* The descriptions of an expansion. *itself: the lemmas by which it is its operand, whose shape it has; 0: it is not. */
static void describe_expansion(classifier *k, const ob_value *value, const ob_value *from, const root_list *roots, ob_text *texts,
                               uint32_t *itself) {
    const uint32_t operand = number_of(k, from), source = source_of(k, operand);
    root_list own = {.n = 0};
    ob_text shape;
    add_roots_of(k, &own, operand);
    if (!own.open && !roots->open && own.n == roots->n && memcmp(own.items, roots->items, own.n * sizeof *own.items) == 0)
        *itself = OB_LEMMA(ITSELF) | OB_LEMMA(SHAPES) | OB_LEMMA(MEMBERS);
    for (int i = BY_TERMS; i <= BY_CLASSES; i++) {
        ob__describe(&texts[i], i == BY_TERMS ? "T" : "R", 1);
        ob__describe_number(&texts[i], source);
    }
    describe_roots(&texts[BY_CLASSES], roots);
    const size_t n = texts[BY_TERMS].n;
    if (!describe_shape(k, &texts[BY_TERMS], value)) {
        texts[BY_TERMS].n = 0;
        return;
    }
    ob__text_init(&shape, &k->c->result->allocator);
    if (describe_shape(k, &shape, from) && !shape.failed && !texts[BY_TERMS].failed && shape.n == texts[BY_TERMS].n - n &&
        memcmp(shape.data, texts[BY_TERMS].data + n, shape.n) == 0)
        *itself = OB_LEMMA(ITSELF);
    texts[PLAIN].failed |= shape.failed;
    ob__text_release(&shape);
}

static ob_status keep_roots(classifier *k, uint32_t number, const root_list *roots) {
    ob_value_class *item = &k->out->items[number];
    if (item->roots || roots->open) return OB_OK;
    uint32_t *kept = OB_ARENA_ARRAY(k->c->arena, uint32_t, roots->n);
    if (!kept) return OB_E_MEMORY;
    memcpy(kept, roots->items, roots->n * sizeof *kept);
    item->roots = kept;
    item->n_roots = roots->n;
    return OB_OK;
}

/* The class of an output. An expansion to the shape that its operand has is the operand; others are described by their source and
 * their shape, since expanding twice is expanding once. */
static ob_status classify_output(classifier *k, const ob_value *value, uint32_t node, ob_text *texts) {
    const ob_value *from = ob__stretched_from(&k->works[k->which], value);
    const uint32_t operand = from ? number_of(k, from) : 0, source = source_of(k, operand), n_before = k->out->n;
    uint32_t lemmas = k->out->items[node].lemmas, number;
    const ob_value_class *cause = &k->out->items[operand ? operand : node]; /* what states the shape is no cause */
    const char *why = cause->before ? NULL : cause->why;
    root_list roots;
    uint32_t itself = 0;
    if (operand) {
        list_roots(k, value->producer, from, &roots);
        describe_expansion(k, value, from, &roots, texts, &itself);
        if (source != operand) lemmas |= OB_LEMMA(TWICE);
    }
    if (itself) {
        k->out->items[operand].lemmas |= itself;
        set_number(k, value, operand);
        return OB_OK;
    }
    ob__describe(&texts[PLAIN], "O", 1);
    ob__describe_number(&texts[PLAIN], node);
    ob__describe_number(&texts[PLAIN], value->producer_index);
    OB_TRY(class_of(k, texts, N_DESCRIPTIONS, lemmas, &number));
    if (number >= n_before) k->out->items[number].why = why;
    if (operand && number >= n_before) k->out->items[number].source = source;
    if (operand && k->out->items[number].source == source) OB_TRY(keep_roots(k, number, &roots));
    set_number(k, value, number);
    return OB_OK;
}

/* Sizes that only a run knows are named by the first value of the main graph that has them: there each is one number in a run. */
static ob_status name_sizes(classifier *k, const ob_value *value) {
    const ob_fact *fact = ob__fact(k->works[k->which].facts, value);
    const ob_graph *graph = value->graph;
    if (graph->parent || graph->function || fact->type.kind != OB_TYPE_TENSOR || fact->assumed) return OB_OK;
    if (number_of(k, value) == 0) return OB_OK; /* it has no class, so its sizes are those of no other value */
    for (int32_t axis = 0; axis < fact->type.shape.rank; axis++) {
        const ob_dim dim = fact->type.shape.dims[axis];
        if (ob_dim_get_kind(k->c->reports[k->which]->model->dims, dim) == OB_DIM_KIND_SYMBOL)
            OB_TRY(ob__compared_name(k->c, k->which, dim, number_of(k, value), axis));
    }
    return OB_OK;
}

static ob_status classify_call(classifier *k, const ob_node *node, ob_text *text) {
    const ob_function *function = node->function;
    const uint32_t outer = k->attributes;
    bool whole = k->depth < DEEPEST;
    ob__describe(text, "C", 1);
    ob__describe_number(text, outer);
    ob__describe_number(text, function->n_attribute_defaults);
    for (uint32_t i = 0; i < function->n_attribute_defaults && whole; i++)
        whole = ob__describe_attribute(text, function->attribute_defaults[i], outer);
    for (uint32_t i = 0; i < node->n_attributes && whole; i++) whole = ob__describe_attribute(text, node->attributes[i], outer);
    for (uint32_t i = 0; i < function->body->n_inputs; i++)
        set_number(k, function->body->inputs[i], i < node->n_inputs ? number_of(k, node->inputs[i]) : MISSING);
    if (whole) {
        OB_TRY(class_of(k, text, 1, 0, &k->attributes));
        OB_TRY(classify_graph(k, function->body));
        k->attributes = outer;
        whole = !k->stopped;
    }
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        uint32_t number = whole && i < function->body->n_outputs ? number_of(k, function->body->outputs[i]) : 0;
        if (!node->outputs[i]) continue;
        set_number(k, node->outputs[i], number);
        OB_TRY(name_sizes(k, node->outputs[i]));
    }
    return OB_OK;
}

static ob_status visit_node(classifier *k, const ob_node *node, ob_text *texts) {
    uint32_t number = 0;
    if (node->function && !ob__is_explicit_broadcast(node) && !ob__is_explicit_in_dim(node))
        return classify_call(k, node, &texts[PLAIN]);
    OB_TRY(classify_node(k, node, texts, &number));
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (!node->outputs[i]) continue;
        for (int n = 0; n < N_DESCRIPTIONS; n++) texts[n].n = 0;
        OB_TRY(classify_output(k, node->outputs[i], number, texts));
        OB_TRY(name_sizes(k, node->outputs[i]));
    }
    return OB_OK;
}

/* ---- Graphs ---- */

static ob_status classify_weights(classifier *k, const ob_graph *graph) {
    for (uint32_t i = 0; i < graph->n_initializers; i++) {
        const ob_value *value = graph->initializers[i];
        ob_text text;
        uint32_t number = 0;
        ob_status status;
        if (value->is_input && graph->parent) continue; /* the node gives it a value */
        ob__text_init(&text, &k->c->result->allocator);
        const bool is_default = value->is_input && graph->model->ir_version >= 4; /* which a caller may replace */
        ob__describe(&text, is_default ? "i" : "W", 1);
        if (is_default) ob__describe_text(&text, value->name);
        if (value->data && ob__describe_tensor(&text, value->data))
            status = class_or_why(k, &text, "a weight differs", &number);
        else
            status = new_class(k, "a weight is in another file, or cannot be read", &number);
        ob__text_release(&text);
        OB_TRY(status);
        if (k->which == OB_BEFORE) k->out->items[number].before = true;
        set_number(k, value, number);
    }
    return OB_OK;
}

static ob_status classify_graph(classifier *k, const ob_graph *graph) {
    ob_status status = classify_weights(k, graph);
    k->depth++;
    for (const ob_node *node = graph->first; node && status == OB_OK; node = node->next) {
        ob_text texts[N_DESCRIPTIONS];
        if (k->depth > DEEPEST || k->n_nodes++ >= MOST_NODES) {
            k->stopped = true;
            break;
        }
        for (int i = 0; i < N_DESCRIPTIONS; i++) ob__text_init(&texts[i], &k->c->result->allocator);
        status = visit_node(k, node, texts);
        for (int i = 0; i < N_DESCRIPTIONS; i++) ob__text_release(&texts[i]);
    }
    k->depth--;
    return status;
}

static ob_status classify_inputs(classifier *k, const ob_graph *graph) {
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_value *input = graph->inputs[i];
        const ob_type *type = &ob__fact(k->works[k->which].facts, input)->type;
        ob_text text;
        uint32_t number;
        if (input->is_initializer) continue;
        ob__text_init(&text, &k->c->result->allocator);
        ob__describe(&text, "I", 1);
        ob__describe_number(&text, (uint32_t)type->kind);
        ob__describe_number(&text, (uint32_t)type->dtype);
        ob__describe_text(&text, input->name);
        const ob_status status = class_or_why(k, &text, "an input differs", &number);
        ob__text_release(&text);
        OB_TRY(status);
        set_number(k, input, number);
        OB_TRY(name_sizes(k, input));
    }
    return OB_OK;
}

static ob_status classify_both(classifier *k) {
    uint32_t number;
    for (uint32_t i = 0; i <= MISSING; i++) OB_TRY(new_class(k, NULL, &number));
    for (k->which = OB_BEFORE; k->which <= OB_AFTER; k->which++) {
        ob_report *report = k->c->reports[k->which];
        k->out->of[k->which] = OB_ARENA_ARRAY(k->c->arena, uint32_t, report->model->n_values);
        if (!k->out->of[k->which]) return OB_E_MEMORY;
        k->works[k->which] = (ob_work){.model = report->model, .facts = &report->facts};
        if (report->model->operators) return OB_OK; /* what a library computes is not known */
        OB_TRY(classify_inputs(k, report->model->graph));
        OB_TRY(classify_graph(k, report->model->graph));
    }
    return OB_OK;
}

ob_status ob__classify(ob_comparing *c, ob_classes *out) {
    classifier k = {.c = c, .out = out, .attributes = MISSING};
    *out = (ob_classes){0};
    ob__map_init(&k.known, c->arena);
    return classify_both(&k);
}
