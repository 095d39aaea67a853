/* Random valid graphs. The operator table gives names, versions and types; a maker per kernel makes operands and attributes
 * that the specification of the operator allows, and for which it defines the result. */
#ifndef OB_TESTS_DIFFERENTIAL_GEN_H
#define OB_TESTS_DIFFERENTIAL_GEN_H

#include "case.h"
#include "rng.h"

typedef enum fill {
    FILL_TAME,     /* small numbers of both signs */
    FILL_POSITIVE, /* small, above 0 */
    FILL_NONZERO,  /* divisors */
    FILL_SHIFT,    /* 0 .. bits - 1 */
    FILL_POWER,    /* whole numbers 0 .. 3 */
    FILL_WILD      /* NaN, infinities, zeros of both signs, the largest, the smallest */
} fill;

typedef struct gen {
    graph_case *c;
    rng r;
    case_node *node; /* the one that is being made */
    const ob_op *op;
    bool wild; /* this node's operands may hold anything */
    bool is_mutating;
} gen;

/* Makes g->node: operands, attributes, how many outputs. False: no operands were found for it. */
typedef bool (*gen_maker)(gen *g);
typedef struct gen_row {
    const char *kernel; /* as the kernel calls itself */
    gen_maker make;
    bool takes_wild; /* the text defines the result for NaN, infinities and overflow */
} gen_row;
extern const gen_row gen_elementwise[], gen_products[], gen_moves[], gen_selects[], gen_norms[], gen_vision[],
    gen_features[];                       /* each ends with a NULL */
bool gen_has_kernel(const ob_op *op);     /* our executor runs it */
const gen_row *gen_find(const ob_op *op); /* NULL: no row */

/* Makes case `number` of `seed`; *refused: the index of a node that our executor refused, with its error, or -1. */
typedef struct gen_options {
    int64_t highest_opset;
    const char *only; /* operator of the first node, or NULL */
} gen_options;
bool generate(uint64_t seed, uint64_t number, const gen_options *options, pool *p, graph_case *out, int *refused,
              ob_error *error);
/* Runs node `index` alone, unoptimised, on the contents of its operands; sets the views of its outputs. */
ob_status gen_evaluate(graph_case *c, uint32_t index, ob_error *error);

/* ---- For makers ---- */

static inline bool chance(gen *g, int percent) {
    return rng_chance(&g->r, percent);
}
static inline int64_t pick(gen *g, int64_t lowest, int64_t highest) {
    return rng_range(&g->r, lowest, highest);
}
bool is_op(const gen *g, const char *name);
const ob_view *view_at(const gen *g, int value);
/* One type of the set. */
ob_dtype pick_type(gen *g, ob_types types);
int64_t pick_size(gen *g);
/* A shape of rank lowest .. highest with at most `most` elements. */
int32_t pick_shape(gen *g, int32_t lowest, int32_t highest, int64_t most, int64_t *dims);
/* A value that is there, or a new leaf. -1: no place left. */
int take(gen *g, ob_types types, int32_t lowest_rank, int32_t highest_rank);
int take_input(gen *g, uint32_t index, int32_t lowest_rank, int32_t highest_rank); /* with the types of the operator's input */
/* New leaves. */
int leaf(gen *g, ob_dtype dtype, int32_t rank, const int64_t *dims, fill how);
int leaf_ints(gen *g, ob_dtype dtype, const int64_t *ints, int64_t n); /* a parameter of rank 1 */
int leaf_scalar(gen *g, ob_dtype dtype, int32_t rank, double value);   /* a parameter of rank 0, or 1 with one element */
void fill_view(gen *g, const ob_view *view, fill how);
/* Extends the shape of `like` to one with which operands of other shapes broadcast. */
int32_t joint_shape(gen *g, const ob_view *like, int64_t *dims);
/* A shape that broadcasts one way to the given one; a lower rank, sizes of 1. */
int32_t part_shape(gen *g, int32_t rank, const int64_t *dims, int64_t *out);
void set_in(gen *g, uint32_t index, int value);
void set_int(gen *g, const char *name, int64_t value);
void set_float(gen *g, const char *name, double value);
void set_string(gen *g, const char *name, const char *value);
void set_ints(gen *g, const char *name, const int64_t *ints, int64_t n);
bool all_in(const gen *g, int value, double lowest, double highest); /* finite, too */
/* A few distinct axes of a rank; negative ones when allowed. */
int64_t pick_axes(gen *g, int32_t rank, bool negative, int64_t *axes);
int64_t pick_axis(gen *g, int32_t rank, bool negative);
static inline int64_t positive_axis(int64_t axis, int64_t rank) {
    return axis < 0 ? axis + rank : axis;
}

#endif
