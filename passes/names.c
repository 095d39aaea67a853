#include "passes/names.h"

#include <string.h>

#include "core/error.h"
#include "core/text.h"

const char *ob__shown_name(const char *name, size_t n_most, ob_arena *arena) {
    if (memchr(name, '\0', n_most + 1)) return name;
    char *shown = ob__arena_alloc(arena, n_most + 1);
    if (shown) shown[ob__shorten(shown, name, ob__name_length(name), n_most)] = '\0';
    return shown;
}

const char *ob__node_label(const ob_node *node) {
    if (node->name[0]) return node->name;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] && node->outputs[i]->name[0]) return node->outputs[i]->name;
    return node->op_type;
}

/* ---- Paths --------------------------------------------------------------------------------------------------------- */

static const char cut[] = ".../";

static const char *join(const char *outer, const char *step, ob_arena *arena) {
    char *path = ob__arena_printf(arena, "%s%s", outer, step);
    size_t n = path ? strlen(path) : 0;
    if (n <= OB_PATH_SHOWN) return path;
    char *rest = path + n - (OB_PATH_SHOWN - (sizeof cut - 1));
    const char *next = strchr(rest, '/');
    if (next && next[1]) rest = path + (next - path) + 1;
    return ob__arena_printf(arena, "%s%s", cut, rest);
}

enum { STEP_BYTES = 2 * OB_NAME_IN_TEXT + 4 }; /* name, dot, attribute, slash, NUL */

/* One step; attribute NULL: into the function that the node calls. */
static void write_step(char *step, const ob_node *node, const char *attribute) {
    ob__sentence(step, STEP_BYTES, "%.200s%s%.200s/", ob__node_label(node), attribute ? "." : "", attribute ? attribute : "");
}

const char *ob__path_into(const char *outer, const ob_node *node, const char *attribute, ob_arena *arena) {
    char step[STEP_BYTES];
    write_step(step, node, attribute);
    return join(outer, step, arena);
}

enum { MOST_STEPS = 128 }; /* the loader allows 64 */

/* The graphs around, innermost first, but not the outermost, which is the main graph or a function's body. */
static uint32_t graphs_around(const ob_graph *graph, const ob_graph **around, const ob_function **function) {
    uint32_t n = 0;
    for (; graph->parent && graph->parent_node && n < MOST_STEPS; graph = graph->parent) around[n++] = graph;
    *function = graph->function;
    return n;
}

const char *ob__graph_path(const ob_graph *graph, ob_arena *arena) {
    return ob__graph_path_in(NULL, graph, arena);
}

const char *ob__graph_path_in(const char *body, const ob_graph *graph, ob_arena *arena) {
    const ob_graph *around[MOST_STEPS];
    const ob_function *function;
    uint32_t n = graphs_around(graph, around, &function);
    const char *path = body ? body : function ? ob__arena_printf(arena, "function %.200s/", function->name) : "";
    while (n-- > 0 && path) path = ob__path_into(path, around[n]->parent_node, around[n]->attribute, arena);
    return path;
}

void ob__node_place(const ob_node *node, char *text, size_t n_bytes) {
    char whole[4096], step[STEP_BYTES];
    const ob_graph *around[MOST_STEPS];
    const ob_function *function;
    size_t n_whole = 0;
    for (uint32_t n = graphs_around(node->graph, around, &function); n-- > 0;) {
        write_step(step, around[n]->parent_node, around[n]->attribute);
        n_whole += ob__sentence(whole + n_whole, sizeof whole - n_whole, "%s", step);
    }
    ob__sentence(whole + n_whole, sizeof whole - n_whole, "%.200s", ob__node_label(node));
    ob__copy_text(text, n_bytes, whole);
}
