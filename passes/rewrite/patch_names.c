/* Names and metadata of new nodes: they refer to the node that they serve, which the author of the model knows.
 */
#include <string.h>

#include "passes/check/explicit.h"
#include "passes/check/groups.h"
#include "passes/check/names.h"
#include "passes/rewrite/patch_edit.h"

typedef struct name_use {
    uint32_t n_nodes; /* that bear the name */
    unsigned n_tried; /* numbers used as suffixes so far; 1 is the name itself */
} name_use;

/* NULL: out of memory. */
static name_use *use_of(ob_patch *patch, const char *name) {
    ob_map_entry *entry = ob__map_insert_borrowed(&patch->node_names, name, strlen(name));
    if (entry && !entry->value) entry->value = OB_ARENA_NEW(&patch->arena, name_use);
    return entry ? entry->value : NULL;
}

static ob_status list_names(void *context, ob_graph *graph) {
    for (const ob_node *node = graph->first; node; node = node->next) {
        if (!node->name[0]) continue;
        name_use *use = use_of(context, node->name);
        if (!use) return OB_E_MEMORY;
        use->n_nodes++;
    }
    return OB_OK;
}

static const char *unique_name(ob_patch *patch, const char *stem) {
    name_use *first = use_of(patch, stem), *use = first;
    const char *name = stem;
    while (use && (use->n_nodes > 0 || (use == first && first->n_tried > 0))) {
        if (first->n_tried == 0) first->n_tried = 1;
        name = ob__arena_printf(&patch->model->arena, "%s_%u", stem, ++first->n_tried);
        use = name ? use_of(patch, name) : NULL;
    }
    if (!use) return NULL;
    if (use == first) first->n_tried = 1;
    use->n_nodes++;
    return name;
}

/* A broadcasting operator has the name; nodes that only serve it (a shape, a size) have it with a suffix. */
static const char *role_of(const ob_node *node) {
    static const char *const roles[][2] = {{"Shape", "_shape"},         {"Gather", "_size"},     {"Concat", "_sizes"},
                                           {"Constant", "_constant"},   {"Reshape", "_reshape"}, {"Unsqueeze", "_unsqueeze"},
                                           {"Transpose", "_transpose"}, {"Squeeze", "_squeeze"}};
    if (node->domain[0]) return "";
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (strcmp(node->op_type, roles[i][0]) == 0) return roles[i][1];
    return "";
}

/* Limit of copied metadata. A source position is far smaller; a text of megabytes would be repeated for every operand of every
 * consumer. */
enum { MOST_CARRIED = 1 << 14 };

static size_t carried_bytes(const ob_node *served) {
    size_t n = strlen(served->doc);
    for (uint32_t i = 0; i < served->n_metadata && n <= MOST_CARRIED; i++)
        n += strlen(served->metadata[i].key) + strlen(served->metadata[i].value);
    return n;
}

bool ob__patch_describe(ob_patch *patch, ob_node *node, const ob_node *served) {
    if (!patch->node_names.arena) {
        ob__map_init(&patch->node_names, &patch->arena);
        if (ob__model_each_graph(patch->model, list_names, patch) != OB_OK) return false;
    }
    /* The replacement of an explicit broadcast takes its place and its name. */
    bool in_its_place = ob__is_explicit_broadcast(served) || ob__is_explicit_in_dim(served);
    const char *label = ob__shown_name(ob__node_label(served), OB_NAME_SHOWN, &patch->arena);
    const char *role = role_of(node), *suffix = patch->suffix ? patch->suffix : "_broadcast";
    if (!label) return false;
    if (in_its_place && !role[0] && label == served->name && label[0]) {
        name_use *use = use_of(patch, label);
        if (!use) return false;
        if (use->n_tried == 0 && use->n_nodes > 0) use->n_nodes--;
    }
    const char *stem = ob__arena_printf(&patch->model->arena, "%s%s%s", label, in_its_place ? "" : suffix, role);
    const char *name = stem ? unique_name(patch, stem) : NULL;
    if (!name) return false;
    node->name = name;
    if (carried_bytes(served) > MOST_CARRIED) return true;
    node->doc = served->doc;
    node->metadata = served->metadata;
    node->n_metadata = served->n_metadata;
    return true;
}
