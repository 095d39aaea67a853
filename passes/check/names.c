#include "passes/check/names.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"

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

/* ---- Paths ---- */

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

/* Bytes of a place that are in [from, from + room). */
typedef struct place_part {
    char *text;
    size_t from, room, n; /* n: of the whole */
} place_part;

static void put_step(place_part *part, const char *step) {
    for (; *step; step++, part->n++)
        if (part->n >= part->from && part->n - part->from < part->room) part->text[part->n - part->from] = *step;
}

/* Returns the length of the whole. */
static size_t write_place(const ob_node *node, char *text, size_t from, size_t room) {
    place_part part = {text, from, room, 0};
    char step[STEP_BYTES];
    const ob_graph *around[MOST_STEPS];
    const ob_function *function;
    for (uint32_t n = graphs_around(node->graph, around, &function); n-- > 0;) {
        write_step(step, around[n]->parent_node, around[n]->attribute);
        put_step(&part, step);
    }
    ob__sentence(step, sizeof step, "%.200s", ob__node_label(node));
    put_step(&part, step);
    return part.n;
}

void ob__node_place(const ob_node *node, char *text, size_t n_bytes) {
    enum { END = 256 };     /* more than a field shows of either */
    char ends[2 * END + 1]; /* the whole, or both ends of it */
    size_t n = write_place(node, ends, 0, 2 * END);
    if (n > 2 * END) write_place(node, ends + END, n - END, END);
    ends[n < 2 * END ? n : 2 * END] = '\0';
    ob__copy_text(text, n_bytes, ends);
}

ob_status ob__at_node(ob_error *error, const ob_node *node, ob_status status) {
    if (error && node) {
        ob__node_place(node, error->node, sizeof error->node);
        ob__copy_text(error->op_type, sizeof error->op_type, node->op_type);
    }
    return status;
}
