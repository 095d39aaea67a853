/* Attributes of products, read here and nowhere else. */
#ifndef OB_OPS_PRODUCT_PARAMS_H
#define OB_OPS_PRODUCT_PARAMS_H

#include "core/graph/graph.h"
#include "onnx_broadcast/broadcast.h"

enum {
    OB_EINSUM_LETTERS = 52,                /* labels 0 ..: A-Z, then a-z */
    OB_EINSUM_ELLIPSIS = OB_EINSUM_LETTERS /* in a term: any number of axes */
};

/* The axes of one operand or of the result: a part of the equation. */
typedef struct ob_einsum_term {
    const char *text;
    size_t n_bytes;
    int32_t n_letters;
    bool has_ellipsis;
} ob_einsum_term;

/* Einsum. The node's equation must live as long as this. */
typedef struct ob_einsum_params {
    const char *equation;
    uint32_t n_operands;
    char implicit[OB_EINSUM_LETTERS + 4]; /* the result's term if there is no arrow */
    ob_einsum_term result;
} ob_einsum_params;

/* Checks the equation. E_ARGUMENT: it is malformed, does not have one term for each operand, or its result repeats a label or has
 * one that no operand has. */
ob_status ob__read_einsum(const ob_node *node, ob_einsum_params *params, ob_error *error);
/* The terms of the operands, in order; *at is NULL before the first call. */
ob_einsum_term ob__einsum_term(const ob_einsum_params *params, const char **at);
/* The label at byte *at of a term, which moves on; -1 at its end. */
int ob__einsum_label(const ob_einsum_term *term, size_t *at);

#endif
