/* The edits of a patch, for patch.c (lists them), patch_names.c (names new nodes) and patch_apply.c (applies them). */
#ifndef OB_PASSES_REWRITE_PATCH_EDIT_H
#define OB_PASSES_REWRITE_PATCH_EDIT_H

#include "passes/rewrite/patch.h"

typedef enum ob_edit_kind {
    EDIT_INSERT,
    EDIT_INPUT,
    EDIT_REMOVE,
    EDIT_INITIALIZER,
    EDIT_REMOVE_INITIALIZER,
    EDIT_INT_ATTRIBUTE,
    EDIT_REMOVE_ATTRIBUTE,
    EDIT_IMPORT,
    EDIT_RAISE_OPSET,
    EDIT_ADD_FUNCTION,
    EDIT_IR_VERSION,
    EDIT_TIDY_DOMAIN,
    EDIT_TENSOR,
    EDIT_DECLARE,
    EDIT_SORTED
} ob_edit_kind;

struct ob_edit {
    ob_edit_kind kind;
    ob_node *node, *before;
    ob_value *value;
    ob_graph *graph;
    ob_function *function;
    const ob_tensor *tensor;
    const ob_type *type;
    const char *name;
    int64_t number;
    uint32_t index;
};

/* Name, metadata and doc_string of a new node, from the node that it serves. False: out of memory. */
bool ob__patch_describe(ob_patch *patch, ob_node *node, const ob_node *served);

#endif
