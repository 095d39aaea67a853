/* Random models as text. Every operator with a shape rule and a kernel that sizes can break has a maker; operands are chosen so
 * that they fit sometimes, not always. */
#ifndef OB_TESTS_SOUNDNESS_GEN_H
#define OB_TESTS_SOUNDNESS_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream.h"

enum { GEN_RANK = 4, GEN_VALUES = 160, GEN_ROOM = 2 * GEN_VALUES, GEN_INPUTS = 12, GEN_FUNCTIONS = 2, GEN_TEXT = 60000 };

/* The generator's knowledge of a size: a number, or (negative) a symbol, or nothing. */
enum { TAG_OTHER = -100 };

typedef struct value {
    char name[12];
    char type;    /* f float, i int64, b bool */
    bool content; /* small integers derived from shapes: rank 0, or rank 1 with tag[0] elements */
    bool is_used;
    bool is_given; /* an input or a weight */
    int rank;      /* -1: not known */
    int tag[GEN_RANK + 1];
} value;

typedef struct function {
    int n_params, rank[2]; /* sizes of the parameters that it was made for */
    value result;
} function;

/* Changes that give an equivalent model. */
typedef struct spelling {
    const char *prefix;     /* of values */
    const char *symbols[3]; /* names, or a number instead of one */
    bool identities;        /* an Identity after every result */
} spelling;

extern const spelling plain_spelling;

typedef struct gen {
    const stream *choices;
    const spelling *how;
    uint32_t block, at;
    int opset, n_symbols, n_names, depth;
    bool in_function;
    int n_values, first_value; /* visible values: first_value .. n_values - 1 */
    value values[GEN_ROOM];
    int n_inputs;
    value inputs[GEN_INPUTS];
    int n_functions;
    function functions[GEN_FUNCTIONS];
    char input_text[2000], weights[GEN_TEXT / 2], function_text[GEN_TEXT / 4], body[GEN_TEXT];
    size_t n_body;
    char names[16][12]; /* of constants, in turn */
    int next_name;
} gen;

/* The text of the model. Returns owned. */
char *gen_model(gen *g, const stream *choices, const spelling *how);

/* ---- For makers ---- */

uint32_t draw(gen *g, uint32_t n); /* 0 .. n - 1; 0 is the simplest choice */
int64_t draw_of(gen *g, const int64_t *numbers, uint32_t n);
void put(gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A name for a result, which is visible after it is kept. */
value fresh(gen *g, char type, int rank);
value *keep(gen *g, const value *v);
/* Any float tensor of a rank in low .. high (made if there is none); often one that broadcasts with x. */
const value *any(gen *g, int low, int high);
/* The same of one whose sizes are looked at and that nothing reads. */
const value *any_unread(gen *g, int low, int high);
const value *like(gen *g, const value *x);
/* A constant or an input of these sizes; negative ones are symbols. */
const value *weight(gen *g, int rank, const int *tags);
const char *ints(gen *g, int n, const int64_t *elems); /* a constant vector */
const char *number(gen *g, int64_t element);           /* a constant scalar */
/* Small integers derived from shapes: a scalar, a vector; a target shape for Reshape, Expand ... */
const value *scalar(gen *g);
const value *vector(gen *g);
/* The newest value with that type and rank, or NULL; a derived one. */
value *find_content(gen *g, char type, int rank);
const value *keep_content(gen *g, value v, int n);
const value *flag(gen *g); /* derived from shapes */
/* Branches on a flag. */
void branch_on(gen *g, const char *condition);
const char *target(gen *g, const value *x, int *rank, int *tags);
int tag_of_broadcast(int a, int b);

typedef void (*maker)(gen *g);
void make_any(gen *g);   /* one node, and the nodes that it needs */
void make_guard(gen *g); /* the same with guards */
void make_reshape(gen *g);
void make_concat(gen *g);
void make_split(gen *g);
void make_slice(gen *g);
void make_tile(gen *g);
void make_expand(gen *g);
extern const maker content_makers[], broadcast_makers[], move_makers[], window_makers[], control_makers[], late_makers[];
extern const uint32_t n_content_makers, n_broadcast_makers, n_move_makers, n_window_makers, n_control_makers, n_late_makers;
value *stretch_to(gen *g, const value *x, const char *shape, int rank, const int *tags);

#endif
