/* Edits: passes list their changes, and only patch.c makes them. Node lists, producers, names and opsets stay consistent. */
#ifndef OB_PASSES_REWRITE_PATCH_H
#define OB_PASSES_REWRITE_PATCH_H

#include "core/graph/graph.h"
#include "passes/rewrite/journal.h"

typedef struct ob_edit ob_edit;

/* A list of edits, applied in order. A lack of memory is sticky: the functions below may then return NULL or do nothing, and
 * ob__patch_apply returns E_MEMORY with the model unchanged. A new node whose operator has another meaning in this model is an
 * error of the same kind. */
typedef struct ob_patch {
    ob_model *model;
    ob_journal *journal; /* the changes of the edits */
    ob_arena arena;
    ob_edit *edits;
    uint32_t n, capacity;
    bool failed;
    const char *suffix;                    /* of the names of new nodes, after that of the node they serve; NULL: "_broadcast" */
    ob_map node_names;                     /* of the model and of new nodes; filled on first need */
    ob_map hidden;                         /* operators that a local function of the model hides; filled on first need */
    const char *hidden_op, *hidden_domain; /* the first of them that a new node would have called, or NULL */
    int64_t other_version;                 /* the existing version of a domain that should be imported with another one, or 0 */
} ob_patch;

/* The journal outlives the patch. Undoing the journal also removes what a patch made and did not apply (new values with their
 * names). */
void ob__patch_init(ob_patch *patch, ob_model *model, ob_journal *journal);
void ob__patch_release(ob_patch *patch);

/* A value with a fresh name, for an output of a new node. */
ob_value *ob__patch_value(ob_patch *patch, ob_graph *graph, const char *stem);
/* A node that will stand before `before` (NULL: at the end), is named after it (CONSUMER_broadcast, CONSUMER_broadcast_shape
 * ..., numbered from 2 if the model has that name) and copies its metadata and doc_string, up to 16 KiB; larger ones are not
 * copied. If lowering removes an explicit broadcast, its replacement gets its name. The caller fills inputs, outputs and
 * attributes (ob__node_set_ints ...) until the patch is applied. Outputs may be values of a node that the same patch removes.
 * */
ob_node *ob__patch_node(ob_patch *patch, ob_graph *graph, ob_node *before, const char *domain, const char *op_type,
                        uint32_t n_inputs, uint32_t n_outputs);
/* States that the result needs the operator, even if no new node calls it: see ob__patch_apply. */
void ob__patch_needs(ob_patch *patch, const char *domain, const char *op_type);
/* Attributes for new nodes that core/graph/graph.h has no function for. */
void ob__patch_strings(ob_patch *patch, ob_node *node, const char *name, const ob_string *strings, uint32_t n);
/* A tensor of rank 1, of int64 or of double. */
void ob__patch_tensor(ob_patch *patch, ob_node *node, const char *name, ob_dtype dtype, const int64_t *elements, uint32_t n);

/* A value that is a 1-d int64 initializer of the graph (not for function bodies). */
ob_value *ob__patch_initializer(ob_patch *patch, ob_graph *graph, const char *stem, const int64_t *elements, uint32_t n);

/* A value that is an initializer of the graph with these contents (not for function bodies). */
ob_value *ob__patch_weight(ob_patch *patch, ob_graph *graph, const char *stem, const ob_tensor *tensor);
/* Other contents and declared shape for an initializer. */
void ob__patch_set_tensor(ob_patch *patch, ob_value *value, const ob_tensor *tensor);
/* Another declared type for a value; it lives as long as the model. */
void ob__patch_declare(ob_patch *patch, ob_value *value, const ob_type *type);
/* States that the graph, which the reader has sorted, is to be in this order. */
void ob__patch_sorted(ob_patch *patch, ob_graph *graph);

void ob__patch_input(ob_patch *patch, ob_node *node, uint32_t index, ob_value *value);
void ob__patch_remove(ob_patch *patch, ob_node *node);
void ob__patch_remove_initializer(ob_patch *patch, ob_value *value);
void ob__patch_int_attribute(ob_patch *patch, ob_node *node, const char *name, int64_t i);
void ob__patch_remove_attribute(ob_patch *patch, ob_node *node, const char *name);
/* Imports the domain in the model and, for a graph inside a function, in that function; no change if it is already imported. */
void ob__patch_import(ob_patch *patch, ob_graph *graph, const char *domain, int64_t version);
/* Raises the import of the domain to at least this version, in the model and in every function that imports an older one. */
void ob__patch_raise_opset(ob_patch *patch, const char *domain, int64_t at_least);
void ob__patch_add_function(ob_patch *patch, ob_function *function);
void ob__patch_ir_version(ob_patch *patch, int64_t at_least);
/* Removes the definitions of explicit operators that no node calls, and the import of the domain if nothing uses it. */
void ob__patch_tidy_domain(ob_patch *patch, const char *domain);

/* Applies all edits or none: on failure the model is unchanged. E_MEMORY. E_UNSUPPORTED: a local function of the model has the
 * name of an operator that a new node calls, or the model imports another version of our domain. */
ob_status ob__patch_apply(ob_patch *patch, ob_error *error);

#endif
