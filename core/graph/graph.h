/* The graph: the contents of a model file in the form that passes read and rewrite.
 *
 * One arena owns a model and everything in it. Two values of one graph never share a name. Nodes have the order of the file (or
 * of insertion). Passes must not assume that this order is topological before the verifier has checked it.
 *
 * Computed facts (shapes, contents) are elsewhere: see passes/check/facts.h. */
#ifndef OB_CORE_GRAPH_GRAPH_H
#define OB_CORE_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/map.h"
#include "onnx_broadcast/broadcast.h"
#include "onnx_broadcast/cell.h"
#include "onnx_broadcast/dim.h"
#include "onnx_broadcast/dtype.h"
#include "onnx_broadcast/logger.h"
#include "onnx_broadcast/model.h"
#include "onnx_broadcast/status.h"

typedef struct ob_graph ob_graph;
typedef struct ob_node ob_node;
typedef struct ob_value ob_value;
typedef struct ob_attribute ob_attribute;
typedef struct ob_tensor ob_tensor;
typedef struct ob_function ob_function;
struct ob_op; /* ops/table/op.h */

/* ---- Tensors: constant data ---- */

typedef struct ob_key_value {
    const char *key, *value;
} ob_key_value;

struct ob_tensor {
    const char *name; /* "" when unnamed */
    ob_dtype dtype;
    int32_t rank;
    const int64_t *dims;
    int64_t n_elems; /* product of dims, checked */
    /* Row-major elements in memory form (see ob_dtype_size; strings are ob_string) unless is_packed; NULL if the data is
     * external or malformed, or sparse and too large to expand. Borrowed from the file's bytes if these already have that form,
     * otherwise decoded into the model's arena. Borrowed data may be unaligned. */
    const void *data;
    bool is_packed; /* data has several elements per byte, as in the file (ob__decode_raw); initializers only */
    bool is_external;
    const ob_key_value *external; /* location, offset, length, checksum ... as in the file */
    uint32_t n_external;
    const char *doc;
    const void *origin; /* the TensorProto that it came from, for proto/ only; NULL if made here */
};

/* ---- Attributes ---- */

/* Numbers of AttributeProto.AttributeType. */
typedef enum ob_attribute_type {
    OB_ATTR_UNDEFINED = 0,
    OB_ATTR_FLOAT = 1,
    OB_ATTR_INT = 2,
    OB_ATTR_STRING = 3,
    OB_ATTR_TENSOR = 4,
    OB_ATTR_GRAPH = 5,
    OB_ATTR_FLOATS = 6,
    OB_ATTR_INTS = 7,
    OB_ATTR_STRINGS = 8,
    OB_ATTR_TENSORS = 9,
    OB_ATTR_GRAPHS = 10,
    OB_ATTR_SPARSE_TENSOR = 11,
    OB_ATTR_SPARSE_TENSORS = 12,
    OB_ATTR_TYPE_PROTO = 13,
    OB_ATTR_TYPE_PROTOS = 14,
    OB_ATTR_COUNT
} ob_attribute_type;

struct ob_attribute {
    const char *name;
    ob_attribute_type type;
    const char *ref; /* in a function body: the name of the function's attribute that it refers to, or NULL */
    uint32_t n;      /* entries of a list; 1 otherwise */
    union {
        float f;
        int64_t i;
        ob_string s;
        ob_tensor *tensor; /* also sparse: see origin */
        ob_graph *graph;
        ob_type *type;
        const float *floats;
        const int64_t *ints;
        const ob_string *strings;
        ob_tensor **tensors;
        ob_graph **graphs;
        ob_type **types;
    } u;
    const char *doc;
    const void *origin;
};

/* ---- Values and nodes ---- */

struct ob_value {
    const char *name;  /* never "" */
    uint32_t id;       /* dense over the model: index into side tables */
    ob_graph *graph;   /* the graph that defines it */
    ob_node *producer; /* NULL: input, initializer */
    uint32_t producer_index;
    bool is_input, is_output, is_initializer;
    const ob_tensor *data; /* initializer contents (an input may have one as its default), or NULL */
    ob_type declared;      /* by inputs, outputs, value_info or the initializer; kind UNKNOWN: not declared */
    const char *doc;
    const void *origin; /* ValueInfoProto, or NULL */
};

struct ob_node {
    const char *name; /* as in the file, may be "" */
    const char *op_type;
    const char *domain;   /* "" is ai.onnx ("ai.onnx" is normalised to "") */
    const char *overload; /* "" when none */
    uint32_t id;          /* dense over the model */
    ob_graph *graph;
    ob_node *prev, *next;
    ob_value **inputs;  /* NULL entry: omitted optional */
    ob_value **outputs; /* NULL entry: unused optional */
    uint32_t n_inputs, n_outputs;
    ob_attribute **attributes;
    uint32_t n_attributes;
    const struct ob_op *op;  /* resolved by ob__model_resolve_ops (ops/library/resolve.h); NULL: not a known operator */
    ob_function *function;   /* the model-local function it calls, or NULL */
    const ob_node *made_for; /* of a node that a pass made: the node of the model that it serves; otherwise NULL */
    const ob_key_value *metadata;
    uint32_t n_metadata;
    const char *doc;
    const void *origin; /* NodeProto, or NULL if made here */
};

struct ob_graph {
    const char *name;
    ob_model *model;
    ob_graph *parent; /* of a subgraph: the graph with parent_node; otherwise NULL */
    ob_node *parent_node;
    const char *attribute; /* the attribute of parent_node with the graph; NULL: not known */
    ob_function *function; /* of a function body, else NULL */
    ob_node *first, *last;
    uint32_t n_nodes;
    ob_value **inputs; /* in order; never NULL entries */
    uint32_t n_inputs;
    ob_value **outputs; /* in order; may repeat, may be values of an outer graph */
    uint32_t n_outputs;
    ob_value **initializers; /* in file order */
    uint32_t n_initializers;
    ob_map values; /* name -> ob_value of this graph (outer scopes not included) */
    /* If the nodes of the file were out of order (ob__model_sort): the number of operands that were read before their producer,
     * and the first of them. 0: none */
    uint32_t n_early;
    const ob_node *early_node;
    const ob_value *early_value;
    const char *doc;
    const void *origin; /* GraphProto or FunctionProto */
};

/* The explicit operator that a local function defines. A function of domain onnx_broadcast is recognised by its body, not its
 * name: a model may have its own functions there. */
enum { OB_DEFINES_NOTHING = 0, OB_DEFINES_BROADCAST, OB_DEFINES_BROADCAST_TO };

struct ob_function {
    const char *name, *domain, *overload;
    ob_graph *body;
    const char **attributes; /* names without default */
    uint32_t n_attributes;
    ob_attribute **attribute_defaults;
    uint32_t n_attribute_defaults;
    const ob_opset *opsets;
    uint32_t n_opsets;
    uint8_t defines; /* OB_DEFINES_...: the explicit operator that the body defines, filled by passes/check/explicit.h */
    const char *doc;
    const void *origin;
};

struct ob_model {
    ob_arena arena;
    ob_map names;            /* interned strings */
    bool has_unlisted_names; /* value names that a reader defined without interning; they are added to `names` before a new name
                                is chosen */
    ob_dims *dims;           /* symbols of the model */
    const char *path;        /* as given, for messages; "<memory>", "<stdin>" */
    int64_t ir_version;
    const ob_opset *opsets;
    uint32_t n_opsets;
    const char *producer_name, *producer_version, *model_domain, *doc;
    int64_t model_version;
    const ob_key_value *metadata;
    uint32_t n_metadata;
    ob_graph *graph;
    ob_function **functions;
    uint32_t n_functions;
    uint32_t n_values, n_nodes;           /* number of ids assigned so far, over all graphs */
    uint32_t n_subgraphs;                 /* number made so far; with 0 no search is necessary */
    const struct ob_operators *operators; /* of libraries (onnx_broadcast/operator.h), borrowed; NULL: none */
    const void *origin;                   /* ModelProto, or NULL */
    void (*release_source)(void *source); /* unmaps or frees the memory that tensors borrow; NULL: none */
    void *source;
    ob_logger logger; /* write NULL: none */
};

/* ---- Building and editing (core/graph/graph.c). NULL means: out of memory. ---- */

ob_model *ob__model_new(const ob_allocator *allocator);
/* ob_model_clone with memory from another allocator. */
ob_status ob__model_clone(const ob_model *model, const ob_allocator *allocator, ob_model **out, ob_error *error);
const char *ob__intern(ob_model *model, const char *text, size_t n); /* "" for n 0 */
ob_graph *ob__graph_new(ob_model *model, ob_graph *parent, ob_node *parent_node);
/* A value of this graph; the name must be new in the graph (NULL otherwise). */
ob_value *ob__value_new(ob_graph *graph, const char *name);
/* As above, with a name of n bytes that is not copied and must live as long as the model. NULL: the name exists already
 * (*exists is set), or out of memory. */
ob_value *ob__value_define(ob_graph *graph, const char *name, size_t n, bool *exists);
/* A value with a name derived from `stem` that is new in the graph, in all graphs around it and in all subgraphs. */
ob_value *ob__value_new_unique(ob_graph *graph, const char *stem);
/* Removes the value's name from the graph, and adds it again. */
void ob__value_forget(ob_value *value);
void ob__value_remember(ob_value *value);
/* Undoes ob__value_new_unique: the name is free again. */
void ob__value_undefine(ob_value *value);
/* Looks up a name in the graph, then in its parents; NULL: not defined. */
ob_value *ob__value_find(const ob_graph *graph, const char *name, size_t n);
/* A node with room for the given operands, all NULL, before `before` (NULL: at the end). */
ob_node *ob__node_new(ob_graph *graph, ob_node *before, const char *domain, const char *op_type, uint32_t n_inputs,
                      uint32_t n_outputs);
void ob__node_set_output(ob_node *node, uint32_t index, ob_value *value); /* sets producer too */
/* Inserts a node of node->graph that is not in a list before `before` (NULL: at the end) and gives it an id. */
void ob__node_link(ob_node *node, ob_node *before);
void ob__node_unlink(ob_node *node);
/* False: it has no named result, so its computation has no effect and is skipped. */
static inline bool ob__node_gives_any(const ob_node *node) {
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) return true;
    return false;
}
bool ob__node_set_attribute(ob_node *node, ob_attribute *attribute); /* adds or replaces by name */
void ob__node_remove_attribute(ob_node *node, const char *name);
bool ob__node_set_ints(ob_node *node, const char *name, const int64_t *ints, uint32_t n);
bool ob__node_set_int(ob_node *node, const char *name, int64_t i);
bool ob__node_set_string(ob_node *node, const char *name, const char *text);
bool ob__graph_add_initializer(ob_graph *graph, ob_value *value, const ob_tensor *tensor);
/* A 1-d int64 initializer with a fresh unique name. */
ob_value *ob__graph_add_int64s(ob_graph *graph, const char *stem, const int64_t *elements, uint32_t n);
bool ob__model_set_opset(ob_model *model, const char *domain, int64_t version); /* adds or replaces */
/* Raises the file's IR version to at least this one. Before version 4 an input with an initializer is a constant; later the
 * caller may override it. Such inputs are therefore removed from the inputs, which version 4 allows. */
void ob__model_raise_ir_version(ob_model *model, int64_t at_least);
/* The key of a function in a map: *n bytes in `room`, or in the arena if `room` is too small. NULL: out of memory. */
const char *ob__function_key(char *room, size_t n_room, ob_arena *arena, const char *domain, const char *name,
                             const char *overload, size_t *n);
int64_t ob__model_opset(const ob_model *model, const char *domain); /* 0 when not imported */
/* The opset that governs a graph: its function's imports, or the model's. */
int64_t ob__graph_opset(const ob_graph *graph, const char *domain);

const ob_attribute *ob__node_attribute(const ob_node *node, const char *name);
int64_t ob__node_int(const ob_node *node, const char *name, int64_t otherwise);
float ob__node_float(const ob_node *node, const char *name, float otherwise);
/* A list attribute of the node. `at` is NULL if the attribute is absent, and not NULL for an empty list. */
typedef struct ob_ints {
    const int64_t *at;
    uint32_t n;
    bool given;
} ob_ints;
/* `otherwise` if absent. NUL-terminated. */
const char *ob__node_string(const ob_node *node, const char *name, const char *otherwise);

/* Calls visit for the graph and, in order, every subgraph and (for a model's main graph) every function body; iterative. */
typedef ob_status (*ob_graph_visit)(void *context, ob_graph *graph);
ob_status ob__model_each_graph(ob_model *model, ob_graph_visit visit, void *context);
/* Sorts the nodes of every graph topologically, keeping the order of the file as far as possible, and counts nodes out of order
 * (ob_graph.n_early). A graph with a cycle stays as it is. Linear if all nodes are in order. Values in subgraphs must be
 * resolved. */
ob_status ob__model_sort(ob_model *model);
/* The same for one graph and every subgraph in it. */
ob_status ob__graph_each(ob_graph *graph, ob_graph_visit visit, void *context);

#endif
