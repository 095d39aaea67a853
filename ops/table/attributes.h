/* The attributes in an operator's row. They are used to check a node, and by shape rules and kernels to read its attributes. */
#ifndef OB_OPS_TABLE_ATTRIBUTES_H
#define OB_OPS_TABLE_ATTRIBUTES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/graph/graph.h"

struct ob_op;

/* One attribute of a row (attributes.def). A list ends with the name NULL. */
typedef struct ob_op_attribute {
    const char *name;
    ob_attribute_type type;
    bool needed;
    bool one;            /* exactly one of the attributes with `one` in a list is required */
    bool has_default;    /* the default is in the member of its type: */
    int64_t i;           /* INT */
    float f;             /* FLOAT */
    const char *text;    /* STRING */
    const void *list;    /* INTS: array of int64_t; STRINGS: array of const char * */
    uint32_t n;          /* number of entries of the list */
    int64_t least, most; /* allowed values of an INT; if equal, any number */
    const char *words;   /* allowed values of a STRING, separated by spaces; NULL: any text */
} ob_op_attribute;

/* The row's attribute of that name; NULL: there is none. */
const ob_op_attribute *ob__op_attribute(const struct ob_op *op, const char *name);

/* Reading. These return the node's attribute, or the default in the row of its operator (node->op). If the row has no default or
 * does not know the attribute: 0, "" or `otherwise`. An attribute of another type counts as missing; the check has already
 * refused the node. */

int64_t ob__attribute_int(const ob_node *node, const char *name);
int64_t ob__attribute_int_or(const ob_node *node, const char *name, int64_t otherwise);
float ob__attribute_float(const ob_node *node, const char *name);
float ob__attribute_float_or(const ob_node *node, const char *name, float otherwise);
/* Terminated, never NULL. An empty WORD gives its default. */
const char *ob__attribute_text(const ob_node *node, const char *name);
/* For a default, .given is true too. */
ob_ints ob__attribute_ints(const ob_node *node, const char *name);
/* Only the entries. NULL and *n 0: neither given nor a default. Not NULL for an empty list. */
const int64_t *ob__attribute_list(const ob_node *node, const char *name, uint32_t *n);
/* NULL if there is none. */
ob_graph *ob__attribute_graph(const ob_node *node, const char *name);
static inline bool ob__attribute_flag(const ob_node *node, const char *name) {
    return ob__attribute_int(node, name) != 0;
}

/* ---- Checking ---- */

typedef struct ob_attribute_check {
    uint32_t at; /* starts at 0 */
    bool is_done;
    bool unreadable; /* so far, an attribute is missing, has another type or a value that is not allowed */
    char text[400];  /* the text of the problem */
} ob_attribute_check;

/* Finds the next problem of the node's attributes and describes it as a sentence in check->text; false: there is none. An
 * attribute that refers to an attribute of a function (ref) counts as given, with any type. Like ONNX's own checker, it ignores
 * names that begin with "__". Deprecated versions have the attributes of the version before. */
bool ob__attribute_problem(const ob_node *node, const struct ob_op *op, ob_attribute_check *check);

#endif
