/* The attributes that an operator's row has: looked at when a node is checked, and where its rule and its kernel read them. */
#ifndef OB_OPS_TABLE_ATTRIBUTES_H
#define OB_OPS_TABLE_ATTRIBUTES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/graph/graph.h"

struct ob_op;

/* One attribute of a row (attributes.def). A list of them ends with a name of NULL. */
typedef struct ob_op_attribute {
    const char *name;
    ob_attribute_type type;
    bool needed;
    bool one;            /* of those of the list that are `one` exactly one is given */
    bool has_default;    /* in the member of its type: */
    int64_t i;           /* INT */
    float f;             /* FLOAT */
    const char *text;    /* STRING */
    const void *list;    /* INTS: int64_t; STRINGS: const char * */
    uint32_t n;          /* entries of the list */
    int64_t least, most; /* of an INT; equal: any number */
    const char *words;   /* of a STRING: the ones that it may be, between spaces; NULL: any text */
} ob_op_attribute;

/* The row's attribute of that name; NULL: it has none. */
const ob_op_attribute *ob__op_attribute(const struct ob_op *op, const char *name);

/* ---- Reading. The node's attribute, else the default of the row that the node has (node->op). Where the row knows the attribute
 * without a default, or does not know it: 0, "" or `otherwise`. One of another type counts as left out: the check has
 * refused the node. ------------------------------------------------------------------------------------------------ */

int64_t ob__attribute_int(const ob_node *node, const char *name);
int64_t ob__attribute_int_or(const ob_node *node, const char *name, int64_t otherwise);
float ob__attribute_float(const ob_node *node, const char *name);
float ob__attribute_float_or(const ob_node *node, const char *name, float otherwise);
/* Terminated, never NULL. An empty WORD is its default. */
const char *ob__attribute_text(const ob_node *node, const char *name);
/* Of a default: .given is true, too. */
ob_ints ob__attribute_ints(const ob_node *node, const char *name);
/* The entries alone; NULL, *n 0: neither given nor a default. Of an empty list not NULL. */
const int64_t *ob__attribute_list(const ob_node *node, const char *name, uint32_t *n);
/* NULL when there is none. */
ob_graph *ob__attribute_graph(const ob_node *node, const char *name);
static inline bool ob__attribute_flag(const ob_node *node, const char *name) {
    return ob__attribute_int(node, name) != 0;
}

/* ---- Checking ---- */

typedef struct ob_attribute_check {
    uint32_t at; /* begins as 0 */
    bool is_done;
    bool unreadable; /* so far: one is missing, of another type or has a value that is not allowed */
    char text[400];  /* the problem that was found */
} ob_attribute_check;

/* The next problem of the node's attributes, as a sentence in check->text; false: there is none. Attributes that stand for those
 * of a function's call (ref) are there and of any type. Names that begin with "__" are not looked at, as ONNX's own checker
 * does it. Deprecated versions have the attributes of the version before. */
bool ob__attribute_problem(const ob_node *node, const struct ob_op *op, ob_attribute_check *check);

#endif
