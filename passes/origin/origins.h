/* The origin of every axis of every value: where its elements come from. Two axes with the same root have corresponding elements:
 * element i of one belongs to element i of the other, because both come from the same axis of an input, a weight or a result.
 * Links of nodes (links.h) carry roots from operands to results. Where no link says more, an axis whose size is the size of an
 * input's axis has the root of that axis, because it was made to fit it (zeros of the batch size, positions).
 *
 * The table serves reports and suspicions. It is not a proof: whether elements mix is the question of passes/independence/. */
#ifndef OB_PASSES_ORIGIN_ORIGINS_H
#define OB_PASSES_ORIGIN_ORIGINS_H

#include "core/base/map.h"
#include "passes/check/called.h"
#include "passes/origin/links.h"

typedef enum ob_root_kind {
    OB_ROOT_NONE,     /* not known: only the first entry of the table */
    OB_ROOT_INPUT,    /* an axis of an input of the model, or of a body */
    OB_ROOT_WEIGHT,   /* an axis of a constant */
    OB_ROOT_COMPUTED, /* of a result without links: its node decides the size */
    OB_ROOT_PART,  /* of elements of axis `parent`, at other places or fewer of them: Slice, Conv with a stride, TopK, a part of
                      a divided axis */
    OB_ROOT_MERGED /* several axes joined to one; `parent` is the first, `second` the last of them */
} ob_root_kind;

/* What happens to the elements along a root anywhere in the model, one bit each. */
enum {
    OB_USE_COLUMNS = 1,    /* an axis of a weight that a product or convolution carries to its result: output channels */
    OB_USE_CONTRACTED = 2, /* a product or convolution with a weight sums along it: features, channels */
    OB_USE_MIXED = 4,      /* sums, normalisations, recurrences or products of two results go along it: positions, tokens */
    OB_USE_NEAR = 8,       /* a kernel moves along it: height, width, time */
    OB_USE_CHANNELS = 16   /* one scale or bias of a normalisation for each element */
};

typedef struct ob_root {
    ob_root_kind kind;
    uint32_t parent, second; /* roots; 0: none */
    const ob_value *value;   /* where the axis begins */
    int32_t axis;
    const ob_node *node; /* that made it; NULL: an input or a weight */
    ob_dim size;
    unsigned uses;
    bool shared;   /* several inputs have an axis of this name */
    uint8_t depth; /* number of parents above it */
} ob_root;

/* How an axis of size 1 came about. */
typedef enum ob_one {
    OB_ONE_NOT,      /* its size is not 1 */
    OB_ONE_MADE,     /* the author added it to be stretched: Unsqueeze, Reshape, a constant of that shape */
    OB_ONE_LEFT,     /* a reduction left it, of axis `left` */
    OB_ONE_PICKED,   /* one element of axis `left` was taken: Slice, TopK */
    OB_ONE_INPUT,    /* an input has it */
    OB_ONE_WEIGHT,   /* a weight has one column or one output channel */
    OB_ONE_COMPUTED, /* by a node without links */
    OB_N_ONES
} ob_one;

typedef struct ob_axis_origin {
    uint32_t root; /* 0: not known, or size 1 */
    uint32_t left; /* LEFT, PICKED: the root that it stands for; INPUT: the axis of the input; 0: not known */
    ob_one one;
    bool fits_only; /* only the size comes from the root: zeros, positions */
    bool counted;   /* element i belongs to position i of the root: Range, a part of a table as long as the axis of an input */
    bool open;      /* the size may also be 1, because a condition is open */
    const ob_node *node; /* that made the axis of size 1; NULL: none */
} ob_axis_origin;

enum { OB_ROOT_BLOCK = 256 };

typedef struct ob_origins {
    ob_arena *arena;
    ob_arena scratch; /* for one node at a time */
    ob_model *model;
    ob_root **blocks; /* root i is blocks[i / OB_ROOT_BLOCK][i % OB_ROOT_BLOCK]; root 0 is NONE */
    uint32_t n_roots, blocks_capacity;
    ob_axis_origin **axes; /* by value id: one for each axis; NULL: not known */
    int8_t *ranks;         /* by value id: the number of these */
    uint32_t *sources;     /* by value id: 1 + id of the value that it is computed from alone, with constants; 0: itself */
    bool *constant;        /* by value id */
    uint32_t n_values;
    ob_map known; /* of roots by what they are */
} ob_origins;

/* Follows all graphs of the model; bodies of functions for the first of equal calls. End with ob__origins_release, also after
 * E_MEMORY. */
ob_status ob__origins_find(ob_model *model, ob_call_view *view, ob_arena *arena, ob_origins *out);
void ob__origins_release(ob_origins *origins);
/* Follows one graph again, for other calls of its function. */
ob_status ob__origins_follow(ob_origins *origins, ob_graph *graph, const ob_facts *facts, const ob_called *called);

/* Never NULL: an entry without a root for an axis that is not known. */
const ob_axis_origin *ob__axis_origin(const ob_origins *origins, const ob_value *value, int32_t axis);
const ob_root *ob__root(const ob_origins *origins, uint32_t root);
/* The root at the end of the chain of parents. */
uint32_t ob__root_top(const ob_origins *origins, uint32_t root);
/* The uses of a root and of the roots that it is a part of. */
unsigned ob__root_uses(const ob_origins *origins, uint32_t root);
bool ob__is_constant_value(const ob_origins *origins, const ob_value *value);
/* Whether both are computed from the same value, each with constants only. */
bool ob__same_source(const ob_origins *origins, const ob_value *a, const ob_value *b);

/* In words: "axis 0 of input 'x'", "output channels of weight 'w'", "part of axis 1 of input 'x', through Slice 's'". NULL: out
 * of memory. */
const char *ob__root_in_words(const ob_origins *origins, uint32_t root, ob_arena *arena);
const char *ob__axis_in_words(const ob_origins *origins, const ob_axis_origin *axis, ob_arena *arena);

#endif
