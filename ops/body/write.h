/* Private to ops/body/: writes nodes for the reader of a body's text. */
#ifndef OB_OPS_BODY_WRITE_H
#define OB_OPS_BODY_WRITE_H

#include "ops/body/body.h"

/* The value of an expression. */
typedef struct ob_term {
    ob_value *value; /* NULL: a literal or an omitted operand */
    ob_dtype dtype;  /* of the value; OB_NONE: not known */
    bool is_fresh;   /* the result of a node, without a name so far */
    bool is_literal; /* a number, or a list if `list` is not NULL */
    bool is_whole;   /* the number is an integer, in `whole` */
    int64_t whole;
    double number;
    const int64_t *list; /* NULL: a scalar */
    const float *reals;
    uint32_t n;
} ob_term;

enum { OB_BODY_OPERANDS = 16 };

typedef struct ob_body_writer {
    ob_node *call;
    ob_arena *scratch;
    ob_error *error;
} ob_body_writer;

static inline ob_term ob__whole_term(int64_t whole) {
    return (ob_term){.is_literal = true, .is_whole = true, .whole = whole, .number = (double)whole};
}

/* A node of n operands and n_out results. Its attributes were read before. */
typedef struct ob_body_call {
    const char *domain, *op_type; /* domain NULL: "" */
    ob_term in[OB_BODY_OPERANDS];
    uint32_t n_in, n_out;
    ob_attribute *attributes[OB_BODY_OPERANDS];
    uint32_t n_attributes;
} ob_body_call;

ob_status ob__body_write(const ob_body_writer *writer, ob_body_call *call, ob_term *out);
/* Gives the term a name. If that is the name of one of the call's results, the term becomes that value; result NULL: the name is
 * not a result, or the result is not requested. */
ob_status ob__body_name(const ob_body_writer *writer, ob_term *term, ob_value *result);

#endif
