/* Inside ops/body/: what the reader of a body's text asks of the writer of nodes. */
#ifndef OB_OPS_BODY_WRITE_H
#define OB_OPS_BODY_WRITE_H

#include "ops/body/body.h"

/* What an expression stands for. */
typedef struct ob_term {
    ob_value *value; /* NULL: a literal, or an operand that is left out */
    ob_dtype dtype;  /* of the value, OB_NONE: not known */
    bool is_fresh;   /* the result of a node that no name stands for yet */
    bool is_literal; /* one number, or with `list` these */
    bool is_whole;   /* the number is `whole` */
    int64_t whole;
    double number;
    const int64_t *list; /* NULL: a scalar, or */
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

/* A node of n operands and n_out results; its attributes have been read already. */
typedef struct ob_body_call {
    const char *op_type;
    ob_term in[OB_BODY_OPERANDS];
    uint32_t n_in, n_out;
    ob_attribute *attributes[OB_BODY_OPERANDS];
    uint32_t n_attributes;
} ob_body_call;

ob_status ob__body_write(const ob_body_writer *writer, ob_body_call *call, ob_term *out);
/* A name stands for the term from now on; that of a result of the call: the term becomes this value. NULL: of no result, or of
 * one that nobody wants. */
ob_status ob__body_name(const ob_body_writer *writer, ob_term *term, ob_value *result);

#endif
