#include "passes/origin/origins.h"

#include <string.h>

#include "core/base/error.h"
#include "core/dims/symbols.h"
#include "core/dims/terms.h"
#include "ops/infer/constant.h"
#include "ops/table/op.h"
#include "passes/check/names.h"

enum { MAX_DEPTH = 16 /* chains of parents; beyond it an axis begins anew */ };

static const ob_axis_origin unknown;

/* ---- Roots ---- */

/* The same key is the same root. */
typedef struct root_key {
    int64_t tag, a, b, c;
} root_key;
enum { BY_SIZE, BY_PART, BY_SPLIT, BY_MERGE };

static ob_root *root_at(const ob_origins *o, uint32_t root) {
    return &o->blocks[root / OB_ROOT_BLOCK][root % OB_ROOT_BLOCK];
}

static uint32_t add_root(ob_origins *o, const ob_root *root) {
    const uint32_t n_blocks = o->n_roots / OB_ROOT_BLOCK;
    if (o->n_roots % OB_ROOT_BLOCK == 0) {
        if (n_blocks == o->blocks_capacity) {
            const uint32_t capacity = n_blocks ? 2 * n_blocks : 8;
            ob_root **blocks = OB_ARENA_ARRAY(o->arena, ob_root *, capacity);
            if (!blocks) return 0; /* the arena has it */
            if (n_blocks) memcpy(blocks, o->blocks, n_blocks * sizeof *blocks);
            o->blocks = blocks;
            o->blocks_capacity = capacity;
        }
        o->blocks[n_blocks] = OB_ARENA_ARRAY(o->arena, ob_root, OB_ROOT_BLOCK);
        if (!o->blocks[n_blocks]) return 0;
    }
    ob_root *added = root_at(o, o->n_roots);
    *added = *root;
    const uint8_t depth = root->parent ? root_at(o, root->parent)->depth : 0;
    if (depth < MAX_DEPTH)
        added->depth = root->parent ? depth + 1 : 0;
    else
        *added = (ob_root){OB_ROOT_COMPUTED, .value = root->value, .axis = root->axis, .node = root->node, .size = root->size};
    return o->n_roots++;
}

static uint32_t new_root(ob_origins *o, const root_key *key, const ob_root *root) {
    ob_map_entry *entry = ob__map_insert(&o->known, (const char *)key, sizeof *key);
    if (!entry) return 0;
    if (!entry->value) entry->value = (void *)(uintptr_t)add_root(o, root);
    return (uint32_t)(uintptr_t)entry->value;
}

/* An axis that begins here: asked for once for each value. */
static uint32_t place_root(ob_origins *o, ob_root_kind kind, const ob_value *value, int32_t axis, ob_dim size) {
    return add_root(o, &(ob_root){.kind = kind, .value = value, .axis = axis, .size = size});
}

/* The axis of an input. Axes whose size has the same name belong together. */
static uint32_t input_root(ob_origins *o, const ob_value *value, const ob_shape *shape, int32_t axis) {
    const ob_dim size = shape->dims[axis];
    if (!ob_dim_is_named(o->model->dims, size)) return place_root(o, OB_ROOT_INPUT, value, axis, size);
    const uint32_t root = new_root(o, &(root_key){BY_SIZE, size, 0, 0},
                                   &(ob_root){.kind = OB_ROOT_INPUT, .value = value, .axis = axis, .size = size});
    if (root) root_at(o, root)->shared |= root_at(o, root)->value != value;
    return root;
}

/* An axis without links: of the size of an input's axis, or of its own. */
static uint32_t computed_root(ob_origins *o, const ob_value *value, int32_t axis, ob_dim size) {
    const ob_root root = {.kind = OB_ROOT_COMPUTED, .value = value, .axis = axis, .node = value->producer, .size = size};
    if (ob_dim_is_const(size) || size == OB_DIM_UNKNOWN) return add_root(o, &root);
    return new_root(o, &(root_key){BY_SIZE, size, 0, 0}, &root);
}

/* The size of an input that decides how long the part of a table of constants is; OB_DIM_UNKNOWN: it is no such part. */
static ob_dim counted_by(const ob_origins *o, uint32_t of, ob_dim size) {
    ob_dim only[1];
    ob_symbol_list list = {.at = only, .capacity = 1};
    if (ob__root(o, ob__root_top(o, of))->kind != OB_ROOT_WEIGHT || ob_dim_is_const(size)) return OB_DIM_UNKNOWN;
    ob__symbols_add(&list, o->model->dims, size);
    return list.n == 1 && !list.is_full && ob_dim_is_named(o->model->dims, only[0]) ? only[0] : OB_DIM_UNKNOWN;
}

static uint32_t part_root(ob_origins *o, uint32_t of, const ob_value *value, int32_t axis, ob_dim size) {
    if (of == 0) return computed_root(o, value, axis, size);
    if (root_at(o, of)->kind == OB_ROOT_PART) of = root_at(o, of)->parent;
    return new_root(
        o, &(root_key){BY_PART, of, size, 0},
        &(ob_root){.kind = OB_ROOT_PART, .parent = of, .value = value, .axis = axis, .node = value->producer, .size = size});
}

/* Part number `index` of an axis that was divided. Dividing undoes joining if the sizes agree. */
static uint32_t split_root(ob_origins *o, uint32_t of, uint32_t index, bool last, const ob_value *value, int32_t axis,
                           ob_dim size) {
    const ob_root *whole = root_at(o, of);
    if (of == 0) return computed_root(o, value, axis, size);
    if (whole->kind == OB_ROOT_MERGED) {
        if (index == 0 && root_at(o, whole->parent)->size == size) return whole->parent;
        if (last && root_at(o, whole->second)->size == size) return whole->second;
    }
    return new_root(
        o, &(root_key){BY_SPLIT, of, index, size},
        &(ob_root){.kind = OB_ROOT_PART, .parent = of, .value = value, .axis = axis, .node = value->producer, .size = size});
}

const ob_root *ob__root(const ob_origins *o, uint32_t root) {
    return root_at(o, root < o->n_roots ? root : 0);
}

uint32_t ob__root_top(const ob_origins *o, uint32_t root) {
    while (ob__root(o, root)->parent) root = ob__root(o, root)->parent; /* parents are older, so this ends */
    return root;
}

unsigned ob__root_uses(const ob_origins *o, uint32_t root) {
    unsigned uses = 0;
    for (; root; root = ob__root(o, root)->parent) uses |= ob__root(o, root)->uses;
    return uses;
}

const ob_axis_origin *ob__axis_origin(const ob_origins *o, const ob_value *value, int32_t axis) {
    const bool known = value && value->id < o->n_values && o->axes[value->id] && axis >= 0 && axis < o->ranks[value->id];
    return known ? &o->axes[value->id][axis] : &unknown;
}

bool ob__is_constant_value(const ob_origins *o, const ob_value *value) {
    return value && value->id < o->n_values && o->constant[value->id];
}

static uint32_t source_of(const ob_origins *o, const ob_value *value) {
    const uint32_t source = value->id < o->n_values ? o->sources[value->id] : 0;
    return source ? source - 1 : value->id;
}

bool ob__same_source(const ob_origins *o, const ob_value *a, const ob_value *b) {
    return a && b && source_of(o, a) == source_of(o, b);
}

/* ---- Values without a node ---- */

static const ob_shape *shape_of(const ob_facts *facts, const ob_value *value) {
    static const ob_shape none = {OB_RANK_UNKNOWN, NULL};
    if (!value) return &none;
    const ob_fact *fact = ob__fact(facts, value);
    return fact->type.kind == OB_TYPE_TENSOR && fact->type.shape.rank <= OB_MAX_RANK ? &fact->type.shape : &none;
}

/* The entries of a value's axes, all unknown; NULL: its rank is not known, or the arena has failed. */
static ob_axis_origin *entries_of(ob_origins *o, const ob_value *value, const ob_shape *shape) {
    if (value->id >= o->n_values || shape->rank < 0) return NULL;
    ob_axis_origin *axes = OB_ARENA_ARRAY(o->arena, ob_axis_origin, (size_t)shape->rank + 1);
    if (!axes) return NULL;
    memset(axes, 0, ((size_t)shape->rank + 1) * sizeof *axes);
    o->axes[value->id] = axes;
    o->ranks[value->id] = (int8_t)shape->rank;
    return axes;
}

static void set_constant(ob_origins *o, const ob_facts *facts, const ob_value *value) {
    const ob_shape *shape = shape_of(facts, value);
    ob_axis_origin *axes = entries_of(o, value, shape);
    if (value->id < o->n_values) o->constant[value->id] = true;
    for (int32_t i = 0; axes && i < shape->rank; i++) {
        if (shape->dims[i] == 1)
            axes[i].one = OB_ONE_MADE;
        else
            axes[i].root = place_root(o, OB_ROOT_WEIGHT, value, i, shape->dims[i]);
    }
}

static const ob_value *argument(const ob_origins *o, const ob_call_site *site, uint32_t index) {
    const ob_value *operand = site && index < site->node->n_inputs ? site->node->inputs[index] : NULL;
    return operand && operand->id < o->n_values && o->axes[operand->id] ? operand : NULL;
}

/* A parameter of a function has the origins of the operand of the first call; an axis of size 1 was made on purpose only if it
 * was in all calls. */
static bool set_from_call(ob_origins *o, const ob_facts *facts, const ob_value *value, uint32_t index, const ob_called *called) {
    enum { MAX_SITES = 64 };
    const ob_call_site *site = called ? called->sites : NULL;
    const ob_value *operand = argument(o, site, index);
    const int32_t rank = shape_of(facts, value)->rank;
    if (!operand || rank < 0 || o->ranks[operand->id] != rank) return false;
    ob_axis_origin *axes = entries_of(o, value, shape_of(facts, value));
    if (!axes) return false;
    memcpy(axes, o->axes[operand->id], (size_t)rank * sizeof *axes);
    o->constant[value->id] = o->constant[operand->id];
    o->sources[value->id] = 1 + source_of(o, operand);
    for (int n = 0; n < MAX_SITES && site->next; n++) {
        site = site->next;
        const ob_value *other = argument(o, site, index);
        if (!other || o->ranks[other->id] != rank) continue;
        for (int32_t i = 0; i < rank; i++)
            if (axes[i].one == OB_ONE_MADE && o->axes[other->id][i].one != OB_ONE_NOT) axes[i] = o->axes[other->id][i];
    }
    return true;
}

static void set_inputs(ob_origins *o, const ob_graph *graph, const ob_facts *facts, const ob_called *called) {
    for (uint32_t k = 0; k < graph->n_inputs; k++) {
        const ob_value *value = graph->inputs[k];
        const ob_shape *shape = shape_of(facts, value);
        if (value->id >= o->n_values) continue;
        if (value->is_initializer) {
            set_constant(o, facts, value);
            continue;
        }
        if (graph->function && set_from_call(o, facts, value, k, called)) continue;
        ob_axis_origin *axes = entries_of(o, value, shape);
        for (int32_t i = 0; axes && i < shape->rank; i++) {
            if (shape->dims[i] == 1)
                axes[i] = (ob_axis_origin){.one = OB_ONE_INPUT, .left = place_root(o, OB_ROOT_INPUT, value, i, 1)};
            else if (shape->dims[i] != OB_DIM_UNKNOWN)
                axes[i].root = graph->parent || graph->function ? place_root(o, OB_ROOT_INPUT, value, i, shape->dims[i])
                                                                : input_root(o, value, shape, i);
        }
    }
}

/* ---- Nodes ---- */

typedef struct step {
    ob_origins *o;
    const ob_facts *facts;
    const ob_node *node;
    ob_links links;
    bool constant, product; /* product: two operands lose an axis to each other */
} step;

static ob_dim operand_size(const step *s, const ob_link *link) {
    const ob_shape *shape = shape_of(s->facts, s->node->inputs[link->input]);
    return link->input_axis >= 0 && link->input_axis < shape->rank ? shape->dims[link->input_axis] : OB_DIM_UNKNOWN;
}

static const ob_axis_origin *operand_axis(const step *s, const ob_link *link) {
    return ob__axis_origin(s->o, s->node->inputs[link->input], link->input_axis);
}

/* How well an origin explains an axis. */
static int strength(const ob_origins *o, const ob_axis_origin *axis) {
    if (axis->root == 0) return axis->one == OB_ONE_NOT ? 0 : axis->one == OB_ONE_MADE ? 2 : 4;
    if (axis->fits_only) return axis->counted ? 5 : 1;
    const ob_root *root = ob__root(o, ob__root_top(o, axis->root));
    const int value = root->kind == OB_ROOT_WEIGHT ? 4 : root->kind == OB_ROOT_COMPUTED ? 6 : 8;
    return axis->open ? value - 3 : value;
}

/* The number of parts before this one, and whether it is the last. */
static uint32_t part_of(const step *s, const ob_link *link, bool *last) {
    uint32_t n = 0;
    *last = true;
    for (uint32_t i = 0; i < s->links.n; i++) {
        const ob_link *other = &s->links.items[i];
        if (other->output != link->output || other->input != link->input || other->input_axis != link->input_axis) continue;
        n += other->axis < link->axis;
        if (other->axis > link->axis) *last = false;
    }
    return n;
}

static uint32_t merged_root(const step *s, const ob_link *link, const ob_value *value, ob_dim size) {
    uint32_t first = 0, last = 0;
    int32_t first_axis = OB_MAX_RANK, last_axis = -1;
    for (uint32_t i = 0; i < s->links.n; i++) {
        const ob_link *other = &s->links.items[i];
        if (other->output != link->output || other->axis != link->axis || other->kind != OB_LINK_MERGED) continue;
        const uint32_t root = operand_axis(s, other)->root;
        if (root && other->input_axis < first_axis) first = root, first_axis = other->input_axis;
        if (root && other->input_axis > last_axis) last = root, last_axis = other->input_axis;
    }
    if (first == 0 || last == first) return first ? first : computed_root(s->o, value, link->axis, size);
    return new_root(s->o, &(root_key){BY_MERGE, first, last, size},
                    &(ob_root){.kind = OB_ROOT_MERGED,
                               .parent = first,
                               .second = last,
                               .value = value,
                               .axis = link->axis,
                               .node = s->node,
                               .size = size});
}

/* The origin that one link gives. */
static ob_axis_origin from_link(const step *s, const ob_link *link, const ob_value *value, ob_dim size) {
    const ob_axis_origin *from = operand_axis(s, link);
    const ob_dim own = operand_size(s, link);
    ob_axis_origin axis = {.node = s->node};
    bool last;
    switch (link->kind) {
    case OB_LINK_SAME:
        if (own != size && own == 1) return unknown; /* stretched */
        axis = *from;
        axis.open |= own != size;
        if (axis.one == OB_ONE_MADE && s->product) axis.one = OB_ONE_WEIGHT, axis.node = s->node;
        return axis;
    case OB_LINK_SIZED:
    case OB_LINK_PLACE:
        axis.root =
            from->root && own == size && link->kind == OB_LINK_SIZED ? from->root : computed_root(s->o, value, link->axis, size);
        axis.fits_only = true;
        axis.counted = link->kind == OB_LINK_PLACE;
        break;
    case OB_LINK_LEFT:
        axis.left = from->root;
        axis.one = OB_ONE_LEFT;
        return axis;
    case OB_LINK_MERGED: axis.root = merged_root(s, link, value, size); break;
    case OB_LINK_SPLIT: {
        const uint32_t index = part_of(s, link, &last);
        axis.root = size == 1 ? 0 : split_root(s->o, from->root, index, last, value, link->axis, size);
        break;
    }
    case OB_LINK_ALL:
    case OB_LINK_BEFORE:
    case OB_LINK_NEAR:
    case OB_LINK_MOVED:
        if (own == size) return *from;
        if (link->kind == OB_LINK_MOVED && counted_by(s->o, from->root, size) != OB_DIM_UNKNOWN) {
            axis.root = computed_root(s->o, value, link->axis, counted_by(s->o, from->root, size));
            axis.counted = true;
            return axis;
        }
        if (size != 1) axis.root = part_root(s->o, from->root, value, link->axis, size);
        axis.fits_only = from->fits_only;
        axis.left = size == 1 ? from->root : 0;
        axis.one = size == 1 ? (link->kind == OB_LINK_MOVED ? OB_ONE_PICKED : OB_ONE_LEFT) : OB_ONE_NOT;
        return axis;
    case OB_LINK_PICKED:
        if (size != 1) axis.root = part_root(s->o, from->root, value, link->axis, size);
        axis.left = size == 1 ? from->root : 0;
        axis.one = size == 1 ? OB_ONE_PICKED : OB_ONE_NOT;
        return axis;
    case OB_LINK_GONE: return unknown;
    }
    if (size == 1) axis.one = OB_ONE_MADE, axis.root = 0;
    return axis;
}

static void set_output(const step *s, uint32_t output) {
    const ob_value *value = s->node->outputs[output];
    const ob_shape *shape = shape_of(s->facts, value);
    ob_axis_origin *axes = value ? entries_of(s->o, value, shape) : NULL;
    bool *told = axes ? OB_ARENA_ARRAY(&s->o->scratch, bool, (size_t)shape->rank + 1) : NULL;
    if (!told) return;
    memset(told, 0, (size_t)shape->rank + 1);
    for (uint32_t i = 0; i < s->links.n; i++) {
        const ob_link *link = &s->links.items[i];
        if (link->output != output || link->axis < 0 || link->axis >= shape->rank) continue;
        ob_axis_origin axis = from_link(s, link, value, shape->dims[link->axis]);
        if (axis.root == 0 && axis.one == OB_ONE_NOT) continue;
        if (told[link->axis] && strength(s->o, &axis) <= strength(s->o, &axes[link->axis])) continue;
        axes[link->axis] = axis;
        told[link->axis] = true;
    }
    for (int32_t i = 0; i < shape->rank; i++) {
        if (told[i] || shape->dims[i] == OB_DIM_UNKNOWN) continue;
        if (shape->dims[i] == 1)
            axes[i] = (ob_axis_origin){.one = s->constant || (s->node->op && s->node->op->shapes) ? OB_ONE_MADE : OB_ONE_COMPUTED,
                                       .node = s->node};
        else if (s->constant)
            axes[i].root = place_root(s->o, OB_ROOT_WEIGHT, value, i, shape->dims[i]);
        else
            axes[i] = (ob_axis_origin){.root = computed_root(s->o, value, i, shape->dims[i]),
                                       .fits_only = !ob_dim_is_const(shape->dims[i])};
    }
}

static void mark(const step *s, uint32_t root, unsigned use) {
    if (root) root_at(s->o, root)->uses |= use;
}

static void set_uses(const step *s) {
    bool by_weight = false;
    for (uint32_t i = 0; i < s->links.n; i++)
        by_weight |=
            s->links.items[i].kind == OB_LINK_GONE && ob__is_constant_value(s->o, s->node->inputs[s->links.items[i].input]);
    const ob_op *op = s->node->op;
    const bool elementwise =
        op->broadcast == OB_BCAST_MULTI || op->broadcast == OB_BCAST_LEGACY || op->stretch.onto == OB_ONTO_FIRST;
    for (uint32_t i = 0; i < s->links.n; i++) {
        const ob_link *link = &s->links.items[i];
        const ob_value *operand = s->node->inputs[link->input];
        const uint32_t root = operand_axis(s, link)->root;
        const bool weight = ob__is_constant_value(s->o, operand);
        if (link->kind == OB_LINK_NEAR) mark(s, root, OB_USE_NEAR);
        if (link->kind == OB_LINK_GONE) mark(s, root, s->product && by_weight ? OB_USE_CONTRACTED : OB_USE_MIXED);
        if (link->kind == OB_LINK_LEFT || link->kind == OB_LINK_ALL || link->kind == OB_LINK_BEFORE) mark(s, root, OB_USE_MIXED);
        if (link->kind != OB_LINK_SAME || !weight || s->constant || elementwise) continue;
        if (s->product) mark(s, root, OB_USE_COLUMNS);
        if (shape_of(s->facts, operand)->rank == 1)
            mark(s, ob__axis_origin(s->o, s->node->outputs[link->output], link->axis)->root, OB_USE_CHANNELS);
    }
}

/* Two operands that lose an axis. */
static bool is_product(const ob_links *links) {
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < links->n; i++) {
        if (links->items[i].kind != OB_LINK_GONE) continue;
        if (first != UINT32_MAX && links->items[i].input != first) return true;
        first = links->items[i].input;
    }
    return false;
}

static bool has_body(const ob_node *node) {
    for (uint32_t i = 0; i < node->n_attributes; i++)
        if (node->attributes[i]->type == OB_ATTR_GRAPH || node->attributes[i]->type == OB_ATTR_GRAPHS) return true;
    return false;
}

static ob_status set_node(ob_origins *o, const ob_facts *facts, const ob_node *node) {
    step s = {.o = o, .facts = facts, .node = node};
    const ob_value *source = NULL;
    uint32_t n_sources = 0;
    bool constant = node->op && !node->op->varies && !has_body(node);
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ob_value *operand = node->inputs[i];
        if (!operand || ob__is_constant_value(o, operand)) continue;
        constant = false;
        if (n_sources == 0 || !ob__same_source(o, source, operand)) n_sources++;
        source = operand;
    }
    s.constant = constant;
    ob__arena_restart(&o->scratch);
    OB_TRY(ob__links_of(o->model, facts, node, &o->scratch, &s.links));
    s.product = is_product(&s.links);
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const ob_value *value = node->outputs[i];
        if (!value || value->id >= o->n_values) continue;
        o->constant[value->id] = constant;
        o->sources[value->id] = n_sources == 1 ? 1 + source_of(o, source) : 0;
        set_output(&s, i);
    }
    if (node->op) set_uses(&s);
    return OB_OK;
}

ob_status ob__origins_follow(ob_origins *o, ob_graph *graph, const ob_facts *facts, const ob_called *called) {
    set_inputs(o, graph, facts, called);
    for (uint32_t i = 0; i < graph->n_initializers; i++) set_constant(o, facts, graph->initializers[i]);
    for (const ob_node *node = graph->first; node; node = node->next) OB_TRY(set_node(o, facts, node));
    return o->arena->failed || o->scratch.failed ? OB_E_MEMORY : OB_OK;
}

static ob_status follow(void *context, ob_graph *graph, const ob_facts *facts, const ob_called *called) {
    return ob__origins_follow(context, graph, facts, called);
}

ob_status ob__origins_find(ob_model *model, ob_call_view *view, ob_arena *arena, ob_origins *out) {
    const uint32_t n = model->n_values;
    *out = (ob_origins){.arena = arena,
                        .model = model,
                        .axes = OB_ARENA_ARRAY(arena, ob_axis_origin *, n + 1),
                        .ranks = OB_ARENA_ARRAY(arena, int8_t, n + 1),
                        .sources = OB_ARENA_ARRAY(arena, uint32_t, n + 1),
                        .constant = OB_ARENA_ARRAY(arena, bool, n + 1),
                        .n_values = n};
    ob__arena_init(&out->scratch, &model->arena.allocator);
    if (!out->axes || !out->ranks || !out->sources || !out->constant) return OB_E_MEMORY;
    memset(out->axes, 0, (n + 1) * sizeof *out->axes);
    memset(out->ranks, 0, n + 1);
    memset(out->sources, 0, (n + 1) * sizeof *out->sources);
    memset(out->constant, 0, (n + 1) * sizeof *out->constant);
    ob__map_init(&out->known, arena);
    add_root(out, &(ob_root){.size = OB_DIM_UNKNOWN});
    if (out->n_roots == 0) return OB_E_MEMORY;
    return ob__each_called(model, view, follow, out);
}

void ob__origins_release(ob_origins *o) {
    ob__arena_release(&o->scratch);
}

/* ---- In words ---- */

static const char *in_words(const ob_origins *o, uint32_t number, int depth, ob_arena *arena) {
    const ob_root *root = ob__root(o, number);
    if (root->kind == OB_ROOT_NONE || depth == 0) return "an axis of unknown origin";
    const char *name = ob__shown_name(root->value->name, OB_NAME_IN_TEXT, arena);
    if (!name) return NULL;
    if (root->kind == OB_ROOT_INPUT && ob_dim_is_named(o->model->dims, root->size)) {
        char size[96];
        ob__dim_shown(o->model->dims, root->size, size, sizeof size);
        return root->shared ? ob__arena_printf(arena, "%s of the inputs", size)
                            : ob__arena_printf(arena, "%s (axis %d of input '%s')", size, (int)root->axis, name);
    }
    if (root->kind == OB_ROOT_INPUT) return ob__arena_printf(arena, "axis %d of input '%s'", (int)root->axis, name);
    if (root->kind == OB_ROOT_WEIGHT)
        return ob__arena_printf(arena,
                                root->uses & OB_USE_COLUMNS ? "the columns (axis %d) of weight '%s'" : "axis %d of constant '%s'",
                                (int)root->axis, name);
    const char *op = root->node ? ob__shown_name(root->node->op_type, OB_NAME_IN_TEXT, arena) : "";
    const char *label = root->node ? ob__shown_name(ob__node_label(root->node), OB_NAME_IN_TEXT, arena) : "";
    if (!op || !label) return NULL;
    if (root->kind == OB_ROOT_COMPUTED)
        return ob__arena_printf(arena, "axis %d of the result of %s '%s'", (int)root->axis, op, label);
    const char *whole = in_words(o, root->parent, depth - 1, arena);
    if (root->kind == OB_ROOT_PART && whole) return ob__arena_printf(arena, "%s, through %s '%s'", whole, op, label);
    const char *second = in_words(o, root->second, depth - 1, arena);
    return whole && second ? ob__arena_printf(arena, "%s joined with %s", whole, second) : NULL;
}

const char *ob__root_in_words(const ob_origins *o, uint32_t root, ob_arena *arena) {
    enum { DEPTH = 4 };
    return in_words(o, root, DEPTH, arena);
}

const char *ob__axis_in_words(const ob_origins *o, const ob_axis_origin *axis, ob_arena *arena) {
    if (axis->root) return ob__root_in_words(o, axis->root, arena);
    const char *op = axis->node ? ob__shown_name(axis->node->op_type, OB_NAME_IN_TEXT, arena) : "";
    const char *label = axis->node ? ob__shown_name(ob__node_label(axis->node), OB_NAME_IN_TEXT, arena) : "";
    if (!op || !label) return NULL;
    if (axis->one == OB_ONE_INPUT) return "a size of 1 of an input";
    if (axis->one == OB_ONE_NOT || !axis->node) return "a size of 1";
    if (axis->left) {
        const char *of = ob__root_in_words(o, axis->left, arena);
        return of ? ob__arena_printf(arena, "the 1 that %s '%s' left of %s", op, label, of) : NULL;
    }
    return ob__arena_printf(arena, axis->one == OB_ONE_MADE ? "the 1 that %s '%s' added" : "the 1 that %s '%s' gives", op, label);
}
