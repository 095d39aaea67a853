/* A case: a small graph with the contents of its leaves, in a form that a generator can make and a shrinker can cut. */
#ifndef OB_TESTS_DIFFERENTIAL_CASE_H
#define OB_TESTS_DIFFERENTIAL_CASE_H

#include "core/graph/graph.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "ops/table/op.h"
#include "variants.h"

enum {
    MAX_VALUES = 128,
    MAX_NODES = 8,
    MAX_INPUTS = 16, /* of a node */
    MAX_OUTPUTS = 8, /* of a node */
    MAX_ATTRIBUTES = 18,
    MAX_LIST = 16, /* entries of a list attribute */
    MAX_ELEMS = 20000
};

/* Memory that lives as long as a case and everything made from it. */
typedef struct pool_block pool_block;
typedef struct pool {
    pool_block *last;
    size_t used;
} pool;
void *pool_alloc(pool *p, size_t n_bytes); /* zeroed; ends the program if memory runs out */
void pool_free(pool *p);
char *pool_print(pool *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef enum role {
    ROLE_COMPUTED,
    ROLE_INPUT,   /* given at run time */
    ROLE_WEIGHT,  /* an initializer */
    ROLE_DEFAULT, /* an input with an initializer, which nobody overrides */
    ROLE_GONE     /* no longer used: the shrinker's */
} role;

typedef struct case_value {
    role role;
    ob_view view;                       /* contiguous; data of leaves, and of what a node computed when it ran alone */
    unsigned char symbols[OB_MAX_RANK]; /* of an input: 0 a number, else the index of a symbol */
    bool is_output;
    bool is_parameter; /* an axis, a shape ...: its elements do not change when a case is reduced */
    bool is_tame;      /* finite and small: sums and products of it do not overflow */
} case_value;

typedef struct case_attribute {
    const char *name;
    ob_attribute_type type; /* FLOAT, INT, STRING, FLOATS, INTS, STRINGS or TENSOR */
    uint32_t n;
    int64_t ints[MAX_LIST];
    float floats[MAX_LIST];
    const char *strings[MAX_LIST];
    ob_view tensor;
} case_attribute;

typedef struct case_node {
    const ob_op *op;
    uint32_t n_in, n_out, n_attributes;
    int in[MAX_INPUTS], out[MAX_OUTPUTS]; /* indices of values; -1: omitted */
    case_attribute attributes[MAX_ATTRIBUTES];
} case_node;

typedef struct graph_case {
    uint64_t seed, number;
    int64_t opset;
    pool *pool;
    uint32_t n_values, n_nodes;
    case_value values[MAX_VALUES];
    case_node nodes[MAX_NODES];
} graph_case;

/* The value's place is its index: its name is "v" and the index. */
int case_add(graph_case *c, role as, const ob_view *view);
case_attribute *case_attribute_add(case_node *node, const char *name, ob_attribute_type type);
const case_attribute *case_attribute_find(const case_node *node, const char *name);
/* A contiguous view with memory of the pool. */
ob_view pool_view(pool *p, ob_dtype dtype, int32_t rank, const int64_t *dims);
ob_view pool_copy(pool *p, const ob_view *view);
/* The graph of one node alone: computed values become inputs. */
void case_extract(const graph_case *c, uint32_t node, graph_case *out);
/* Marks leaves that nothing uses as gone. */
void case_sweep(graph_case *c);
/* Does not look into tensors. "Add-14 float[2,3] float[3] axis=1 -> ..." */
void case_describe(const graph_case *c, char *text, size_t n_bytes);

/* The version of a domain, other than ONNX's own, that cases import: the last of ai.onnx.ml that has all of its operators. 0:
 * cases have none of it. */
int64_t case_opset(const char *domain);
/* A model file of the case, and the model that is read from it; the model borrows from *bytes, which the caller frees. */
ob_status case_build(const graph_case *c, byte_buffer *bytes, ob_model **out, ob_error *error);
/* The views of the inputs that a run takes, in their order; at most MAX_VALUES. */
size_t case_inputs(const graph_case *c, ob_view *views);
/* Indices of the outputs, in their order. */
size_t case_outputs(const graph_case *c, int *indices);

bool same_bits(const ob_view *a, const ob_view *b); /* type, shape, and every bit but those that name a NaN */

#endif
