/* Nodes in topological order. ONNX requires this order in a file, but some writers ignore it, and ONNX Runtime sorts the nodes
 * of every file. */
#include "core/base/error.h"
#include "core/base/list.h"
#include "core/graph/graph.h"

typedef struct edge {
    uint32_t consumer; /* node id */
    uint32_t next;     /* edge of the same producer; 0: last */
} edge;

typedef struct sorter {
    ob_arena scratch;
    uint32_t *place;   /* by node id: from 1, in the order of its graph */
    ob_node **nodes;   /* by node id */
    uint32_t *waiting; /* by node id: edges from producers that are not placed yet */
    uint32_t *first;   /* by node id: first edge, 0: none */
    edge *edges;       /* from 1; of the graphs that are out of order */
    uint32_t n_edges, capacity;
    uint32_t *heap; /* nodes that are ready: the first one of the file on top */
    uint32_t n_heap;
    bool collects; /* false: only looks for values that are read early */
    bool any_early;
} sorter;

/* ---- Uses ---- */

static ob_status add_edge(sorter *s, const ob_node *producer, const ob_node *consumer) {
    if (s->n_edges + 1 >= s->capacity) {
        edge *grown = ob__list_grown(&s->scratch.allocator, s->edges, &s->capacity, sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        s->edges = grown;
    }
    s->edges[++s->n_edges] = (edge){consumer->id, s->first[producer->id]};
    s->first[producer->id] = s->n_edges;
    s->waiting[consumer->id]++;
    return OB_OK;
}

/* A node of `graph`, or with node NULL the graph itself as its result, uses the value. In the value's graph the use is that of
 * the node around. */
static ob_status use(sorter *s, ob_graph *graph, const ob_node *node, const ob_value *value) {
    const ob_node *producer = value ? value->producer : NULL;
    if (!producer) return OB_OK;
    while (graph != producer->graph) {
        if (!graph->parent_node) return OB_OK; /* a value of another function, which the reader refuses */
        node = graph->parent_node;
        graph = node->graph;
    }
    if (!node) return OB_OK;
    if (s->collects) return graph->n_early > 0 ? add_edge(s, producer, node) : OB_OK;
    if (s->place[producer->id] < s->place[node->id]) return OB_OK;
    if (graph->n_early++ == 0) graph->early_node = node, graph->early_value = value;
    s->any_early = true;
    return OB_OK;
}

static ob_status visit_uses(void *context, ob_graph *graph) {
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_inputs; i++) OB_TRY(use(context, graph, node, node->inputs[i]));
    for (uint32_t i = 0; i < graph->n_outputs; i++) OB_TRY(use(context, graph, NULL, graph->outputs[i]));
    return OB_OK;
}

static ob_status visit_places(void *context, ob_graph *graph) {
    sorter *s = context;
    uint32_t place = 0;
    for (ob_node *node = graph->first; node; node = node->next) {
        s->place[node->id] = ++place;
        s->nodes[node->id] = node;
    }
    return OB_OK;
}

/* ---- Sorting ---- */

static bool is_before(const sorter *s, uint32_t a, uint32_t b) {
    return s->place[s->heap[a]] < s->place[s->heap[b]];
}

static void swap(sorter *s, uint32_t a, uint32_t b) {
    uint32_t id = s->heap[a];
    s->heap[a] = s->heap[b];
    s->heap[b] = id;
}

static void push(sorter *s, uint32_t id) {
    uint32_t at = s->n_heap++;
    s->heap[at] = id;
    for (; at > 0 && is_before(s, at, (at - 1) / 2); at = (at - 1) / 2) swap(s, at, (at - 1) / 2);
}

static uint32_t pop(sorter *s) {
    uint32_t top = s->heap[0];
    s->heap[0] = s->heap[--s->n_heap];
    for (uint32_t at = 0, child; (child = 2 * at + 1) < s->n_heap; at = child) {
        if (child + 1 < s->n_heap && is_before(s, child + 1, child)) child++;
        if (!is_before(s, child, at)) break;
        swap(s, at, child);
    }
    return top;
}

/* A graph with a cycle stays as it is: the checker reports the cycle. */
static ob_status sort_graph(void *context, ob_graph *graph) {
    sorter *s = context;
    if (graph->n_early == 0) return OB_OK;
    ob_node *last = NULL, *next;
    for (ob_node *node = graph->first; node; node = node->next)
        if (s->waiting[node->id] == 0) push(s, node->id);
    uint32_t n_placed = 0;
    ob_node **order = OB_ARENA_ARRAY(&s->scratch, ob_node *, graph->n_nodes);
    if (!order) return OB_E_MEMORY;
    while (s->n_heap > 0) {
        uint32_t id = pop(s);
        order[n_placed++] = s->nodes[id];
        for (uint32_t e = s->first[id]; e; e = s->edges[e].next)
            if (--s->waiting[s->edges[e].consumer] == 0) push(s, s->edges[e].consumer);
    }
    if (n_placed < graph->n_nodes) {
        graph->n_early = 0;
        graph->early_node = NULL;
        graph->early_value = NULL;
        return OB_OK;
    }
    for (uint32_t i = 0; i < n_placed; i++, last = next) {
        next = order[i];
        next->prev = last;
        next->next = NULL;
        if (last) last->next = next;
    }
    graph->first = n_placed ? order[0] : NULL;
    graph->last = last;
    return OB_OK;
}

static ob_status sort_all(sorter *s, ob_model *model) {
    s->place = OB_ARENA_ARRAY(&s->scratch, uint32_t, model->n_nodes);
    s->nodes = OB_ARENA_ARRAY(&s->scratch, ob_node *, model->n_nodes);
    if (!s->place || !s->nodes) return OB_E_MEMORY;
    OB_TRY(ob__model_each_graph(model, visit_places, s));
    OB_TRY(ob__model_each_graph(model, visit_uses, s));
    if (!s->any_early) return OB_OK;
    s->collects = true;
    s->waiting = OB_ARENA_ARRAY(&s->scratch, uint32_t, model->n_nodes);
    s->first = OB_ARENA_ARRAY(&s->scratch, uint32_t, model->n_nodes);
    s->heap = OB_ARENA_ARRAY(&s->scratch, uint32_t, model->n_nodes);
    if (!s->waiting || !s->first || !s->heap) return OB_E_MEMORY;
    OB_TRY(ob__model_each_graph(model, visit_uses, s));
    return ob__model_each_graph(model, sort_graph, s);
}

ob_status ob__model_sort(ob_model *model) {
    sorter s = {0};
    ob__arena_init(&s.scratch, &model->arena.allocator);
    ob_status status = sort_all(&s, model);
    ob__list_free(&s.scratch.allocator, s.edges, s.capacity, sizeof *s.edges);
    return ob__arena_finish(&s.scratch, status);
}
