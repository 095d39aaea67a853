/* The section "graph" of a report as JSON: graphs, nodes, the node of each finding and broadcast, origins of axes. Values are
 * those of the section "values", by index. Linear in the model and the report. */
#include "passes/format/graph.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/map.h"
#include "passes/check/names.h"
#include "passes/origin/origins.h"
#include "passes/report/report.h"

enum { NOT_LISTED = UINT32_MAX };

typedef struct writer {
    ob_output *out;
    ob_report *report;
    ob_arena arena, texts;    /* for this section; for one entry */
    uint32_t *values, *nodes; /* by id of value and node: the index in the list */
    uint32_t n_values, n_nodes, n_graphs;
    const ob_graph **graphs; /* in the order of the list */
    uint32_t capacity;
    ob_map words; /* origins of axes: text -> 1 + index */
    uint32_t n_words;
    ob_origins origins;
} writer;

/* ---- Numbers of graphs, nodes and values ---- */

static void number(writer *w, const ob_value *value) {
    if (value && value->id < w->report->model->n_values) w->values[value->id] = w->n_values;
    w->n_values++;
}

/* In the order of ob_report_value(). */
static ob_status number_graph(void *context, ob_graph *graph) {
    writer *w = context;
    if (w->n_graphs == w->capacity) return OB_E_LIMIT;
    w->graphs[w->n_graphs++] = graph;
    for (uint32_t i = 0; i < graph->n_inputs; i++) number(w, graph->inputs[i]);
    for (uint32_t i = 0; i < graph->n_initializers; i++)
        if (!graph->initializers[i]->is_input) number(w, graph->initializers[i]);
    for (const ob_node *node = graph->first; node; node = node->next) {
        w->nodes[node->id] = w->n_nodes++;
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) number(w, node->outputs[i]);
    }
    return OB_OK;
}

static ob_status count_graph(void *context, ob_graph *graph) {
    (void)graph;
    ++*(uint32_t *)context;
    return OB_OK;
}

static ob_status number_all(writer *w) {
    ob_model *model = w->report->model;
    OB_TRY(ob__model_each_graph(model, count_graph, &w->capacity));
    w->graphs = OB_ARENA_ARRAY(&w->arena, const ob_graph *, (size_t)w->capacity + 1);
    w->values = OB_ARENA_ARRAY(&w->arena, uint32_t, (size_t)model->n_values + 1);
    w->nodes = OB_ARENA_ARRAY(&w->arena, uint32_t, (size_t)model->n_nodes + 1);
    if (!w->graphs || !w->values || !w->nodes) return OB_E_MEMORY;
    for (uint32_t i = 0; i < model->n_values; i++) w->values[i] = NOT_LISTED;
    for (uint32_t i = 0; i < model->n_nodes; i++) w->nodes[i] = NOT_LISTED;
    return ob__model_each_graph(model, number_graph, w);
}

/* ---- Pieces ---- */

static void write_number(writer *w, uint32_t n) {
    if (n == NOT_LISTED)
        ob__out(w->out, "null");
    else
        ob__outf(w->out, "%u", (unsigned)n);
}

static void write_values(writer *w, const char *name, ob_value *const *values, uint32_t n) {
    ob__out_key(w->out, name);
    ob__out_char(w->out, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i) ob__out_char(w->out, ',');
        write_number(w, values[i] && values[i]->id < w->report->model->n_values ? w->values[values[i]->id] : NOT_LISTED);
    }
    ob__out_char(w->out, ']');
}

static ob_status write_name(writer *w, const char *key, const char *name) {
    const char *shown = ob__report_name(w->report, name, &w->texts);
    if (!shown) return OB_E_MEMORY;
    ob__out_field(w->out, key, shown);
    return OB_OK;
}

static void write_node_number(writer *w, const ob_node *node) {
    write_number(w, node && node->id < w->report->model->n_nodes ? w->nodes[node->id] : NOT_LISTED);
}

/* ---- Graphs and nodes ---- */

/* Numbers of graphs by address. */
static ob_status remember_graphs(writer *w, ob_map *map) {
    ob__map_init(map, &w->arena);
    for (uint32_t i = 0; i < w->n_graphs; i++) {
        ob_map_entry *entry = ob__map_insert(map, (const char *)&w->graphs[i], sizeof w->graphs[i]);
        if (!entry) return OB_E_MEMORY;
        entry->value = (void *)(uintptr_t)(i + 1);
    }
    return OB_OK;
}

static uint32_t graph_number(const ob_map *map, const ob_graph *graph) {
    const ob_map_entry *entry = graph ? ob__map_find(map, (const char *)&graph, sizeof graph) : NULL;
    return entry ? (uint32_t)((uintptr_t)entry->value - 1) : NOT_LISTED;
}

static ob_status write_graphs(writer *w) {
    ob__out(w->out, "\n\"graphs\":[");
    for (uint32_t i = 0; i < w->n_graphs; i++) {
        const ob_graph *graph = w->graphs[i];
        ob__arena_restart(&w->texts);
        const char *path = ob__graph_path(graph, &w->texts);
        if (!path) return OB_E_MEMORY;
        ob__out(w->out, i ? ",\n{\"path\":" : "\n{\"path\":");
        ob__out_string(w->out, path);
        ob__out_field(w->out, "kind", graph->parent_node ? "subgraph" : graph->function ? "function" : "main");
        OB_TRY(write_name(w, "name", !graph->parent_node && graph->function ? graph->function->name : graph->name));
        ob__out_key(w->out, "node");
        write_node_number(w, graph->parent_node);
        OB_TRY(write_name(w, "attribute", graph->attribute ? graph->attribute : ""));
        write_values(w, "inputs", graph->inputs, graph->n_inputs);
        write_values(w, "initializers", graph->initializers, graph->n_initializers);
        write_values(w, "outputs", graph->outputs, graph->n_outputs);
        ob__out_char(w->out, '}');
    }
    ob__out(w->out, "]");
    return OB_OK;
}

static void write_bodies(writer *w, const ob_map *numbers, const ob_node *node) {
    bool any = false;
    ob__out_key(w->out, "graphs");
    ob__out_char(w->out, '[');
    for (uint32_t i = 0; i < node->n_attributes; i++) {
        const ob_attribute *a = node->attributes[i];
        const uint32_t n = a->type == OB_ATTR_GRAPH ? 1 : a->type == OB_ATTR_GRAPHS ? a->n : 0;
        for (uint32_t k = 0; k < n && !a->ref; k++) {
            const uint32_t found = graph_number(numbers, a->type == OB_ATTR_GRAPH ? a->u.graph : a->u.graphs[k]);
            if (found == NOT_LISTED) continue;
            if (any) ob__out_char(w->out, ',');
            write_number(w, found);
            any = true;
        }
    }
    ob__out_char(w->out, ']');
    ob__out_key(w->out, "function");
    write_number(w, graph_number(numbers, node->function ? node->function->body : NULL));
}

static ob_status write_nodes(writer *w) {
    ob_map numbers;
    OB_TRY(remember_graphs(w, &numbers));
    bool first = true;
    ob__out(w->out, ",\n\"nodes\":[");
    for (uint32_t i = 0; i < w->n_graphs; i++) {
        for (const ob_node *node = w->graphs[i]->first; node; node = node->next) {
            ob__arena_restart(&w->texts);
            ob__outf(w->out, first ? "\n{\"graph\":%u" : ",\n{\"graph\":%u", (unsigned)i);
            OB_TRY(write_name(w, "name", ob__node_label(node)));
            OB_TRY(write_name(w, "op_type", node->op_type));
            OB_TRY(write_name(w, "domain", node->domain));
            write_values(w, "inputs", node->inputs, node->n_inputs);
            write_values(w, "outputs", node->outputs, node->n_outputs);
            write_bodies(w, &numbers, node);
            ob__out_char(w->out, '}');
            first = false;
        }
    }
    ob__out(w->out, "]");
    return OB_OK;
}

/* ---- Nodes of findings and broadcasts ---- */

static void write_places(writer *w) {
    const ob_report *report = w->report;
    ob__out(w->out, ",\n\"findings\":[");
    for (uint32_t i = 0; i < report->findings.n; i++) {
        if (i) ob__out_char(w->out, ',');
        write_node_number(w, report->findings.items[i].node);
    }
    ob__out(w->out, "],\n\"broadcasts\":[");
    for (size_t i = 0; i < report->summary.n_broadcasts; i++) {
        if (i) ob__out_char(w->out, ',');
        write_node_number(w, report->broadcasts[i].node);
    }
    ob__out(w->out, "]");
}

/* ---- Origins of axes ---- */

/* The number of the words for an axis, written once into "origins". */
static ob_status number_words(writer *w, const ob_axis_origin *axis, uint32_t *out) {
    ob__arena_restart(&w->texts);
    const char *words = axis->root || axis->one != OB_ONE_NOT ? ob__axis_in_words(&w->origins, axis, &w->texts) : "";
    if (!words) return OB_E_MEMORY;
    *out = NOT_LISTED;
    if (!words[0]) return OB_OK;
    ob_map_entry *entry = ob__map_insert(&w->words, words, strlen(words));
    if (!entry) return OB_E_MEMORY;
    if (!entry->value) {
        if (w->n_words) ob__out_char(w->out, ',');
        ob__out(w->out, "\n");
        ob__out_string(w->out, words);
        entry->value = (void *)(uintptr_t)++w->n_words;
    }
    *out = (uint32_t)((uintptr_t)entry->value - 1);
    return OB_OK;
}

/* Inputs and weights are origins themselves; the words of their axes would say nothing. */
static bool has_words(const writer *w, const ob_value *value) {
    return value->producer && value->id < w->origins.n_values && w->origins.axes[value->id] && w->origins.ranks[value->id] > 0;
}

static ob_status number_axes(writer *w, uint32_t **axes) {
    for (uint32_t i = 0; i < w->n_graphs; i++)
        for (const ob_node *node = w->graphs[i]->first; node; node = node->next)
            for (uint32_t k = 0; k < node->n_outputs; k++) {
                const ob_value *value = node->outputs[k];
                if (!value || !has_words(w, value)) continue;
                const uint32_t rank = (uint32_t)w->origins.ranks[value->id];
                uint32_t *numbers = OB_ARENA_ARRAY(&w->arena, uint32_t, rank);
                if (!numbers) return OB_E_MEMORY;
                for (uint32_t axis = 0; axis < rank; axis++)
                    OB_TRY(number_words(w, ob__axis_origin(&w->origins, value, (int32_t)axis), &numbers[axis]));
                axes[w->values[value->id]] = numbers;
            }
    return OB_OK;
}

static ob_status write_axes(writer *w) {
    ob_model *model = w->report->model;
    uint32_t **axes = OB_ARENA_ARRAY(&w->arena, uint32_t *, (size_t)w->n_values + 1);
    int8_t *ranks = OB_ARENA_ARRAY(&w->arena, int8_t, (size_t)w->n_values + 1);
    ob_call_view view;
    if (!axes || !ranks) return OB_E_MEMORY;
    memset(axes, 0, ((size_t)w->n_values + 1) * sizeof *axes);
    OB_TRY(ob__call_view_init(&view, &w->report->facts, &w->arena));
    OB_TRY(ob__origins_find(model, &view, &w->arena, &w->origins));
    for (uint32_t i = 0; i < model->n_values && i < w->origins.n_values; i++)
        if (w->values[i] != NOT_LISTED) ranks[w->values[i]] = w->origins.ranks[i];
    ob__map_init(&w->words, &w->arena);
    ob__out(w->out, ",\n\"origins\":[");
    OB_TRY(number_axes(w, axes));
    ob__out(w->out, "],\n\"axes\":[");
    for (uint32_t i = 0; i < w->n_values; i++) {
        if (i) ob__out_char(w->out, ',');
        if (!axes[i]) ob__out(w->out, "null");
        for (int8_t axis = 0; axes[i] && axis < ranks[i]; axis++) {
            ob__out_char(w->out, axis ? ',' : '[');
            write_number(w, axes[i][axis]);
        }
        if (axes[i]) ob__out_char(w->out, ']');
    }
    ob__out(w->out, "]");
    return OB_OK;
}

static ob_status write_graph(writer *w) {
    OB_TRY(number_all(w));
    ob__out(w->out, ",\n\"graph\":{");
    OB_TRY(write_graphs(w));
    OB_TRY(write_nodes(w));
    write_places(w);
    OB_TRY(write_axes(w));
    ob__out(w->out, "}");
    return OB_OK;
}

ob_status ob__graph_json(ob_output *out, ob_report *report) {
    writer w = {.out = out, .report = report};
    const ob_allocator *allocator = &report->allocator;
    ob__arena_init(&w.arena, allocator);
    ob__arena_init(&w.texts, allocator);
    ob__arena_init(&w.origins.scratch, allocator);
    const ob_status status = write_graph(&w);
    ob__origins_release(&w.origins);
    ob__arena_release(&w.texts);
    return ob__arena_finish(&w.arena, status);
}
