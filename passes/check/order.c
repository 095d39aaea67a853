/* Nodes that cannot be put into topological order (ob__model_sort sorts a file that is only out of order). This is rare and
 * costs nothing otherwise. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "passes/check/propagation.h"

typedef struct edge {
    uint32_t consumer; /* place of the node */
    uint32_t next;     /* of the same producer; 0: last */
} edge;

typedef struct sorter {
    ob_propagation *p;
    ob_graph *graph;
    ob_node **nodes; /* those not done, in file order */
    uint32_t n;
    uint32_t *place;   /* p->place, by node id: 1 + place, 0 for all others */
    uint32_t *waiting; /* by place: producers not done */
    uint32_t *first;   /* by place: first edge, 0 none */
    uint32_t *queue;
    edge *edges; /* from 1 */
    uint32_t n_edges, capacity;
    bool *reported;   /* by place */
    ob_graph **stack; /* subgraphs to look into */
    uint32_t stack_capacity;
} sorter;

static ob_status add_edge(sorter *s, uint32_t producer, uint32_t consumer) {
    if (s->n_edges + 1 >= s->capacity) {
        edge *grown = ob__list_grown(&s->p->scratch.allocator, s->edges, &s->capacity, sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        s->edges = grown;
    }
    s->edges[++s->n_edges] = (edge){consumer, s->first[producer]};
    s->first[producer] = s->n_edges;
    s->waiting[consumer]++;
    return OB_OK;
}

static ob_status push(sorter *s, uint32_t *n, ob_graph *graph) {
    if (*n == s->stack_capacity) {
        ob_graph **grown = ob__list_grown(&s->p->scratch.allocator, s->stack, &s->stack_capacity, sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        s->stack = grown;
    }
    s->stack[(*n)++] = graph;
    return OB_OK;
}

static void report_early(ob_propagation *p, const ob_node *node, const ob_value *value, int32_t operand) {
    char text[400];
    ob__sentence(text, sizeof text, "\"%.200s\" is read before the node that makes it", value->name);
    ob__report(p, NULL, node, OB0702, operand, -1, text);
}

static ob_status depend(sorter *s, uint32_t consumer, const ob_value *value, int32_t operand) {
    const ob_node *producer = value ? value->producer : NULL;
    if (!producer || producer->graph != s->graph || !s->place[producer->id]) return OB_OK;
    uint32_t from = s->place[producer->id] - 1;
    if (from > consumer && !s->reported[consumer]) {
        report_early(s->p, s->nodes[consumer], value, operand);
        s->reported[consumer] = true;
    }
    return add_edge(s, from, consumer);
}

/* A subgraph may read any value of the graphs around it: its node waits for these too. Iterative, subgraphs nest. */
static ob_status depend_on_captured(sorter *s, uint32_t consumer, const ob_node *node) {
    uint32_t n = 0;
    const ob_node *at = node;
    for (;;) {
        for (uint32_t i = 0; i < at->n_attributes; i++) {
            const ob_attribute *attribute = at->attributes[i];
            if (attribute->ref) continue;
            if (attribute->type == OB_ATTR_GRAPH && attribute->u.graph) OB_TRY(push(s, &n, attribute->u.graph));
            for (uint32_t k = 0; attribute->type == OB_ATTR_GRAPHS && k < attribute->n; k++)
                OB_TRY(push(s, &n, attribute->u.graphs[k]));
        }
        at = at != node ? at->next : NULL;
        while (!at && n > 0) {
            const ob_graph *graph = s->stack[--n];
            for (uint32_t i = 0; i < graph->n_outputs; i++) OB_TRY(depend(s, consumer, graph->outputs[i], -1));
            at = graph->first;
        }
        if (!at) return OB_OK;
        for (uint32_t i = 0; i < at->n_inputs; i++) OB_TRY(depend(s, consumer, at->inputs[i], -1));
    }
}

static ob_status prepare(sorter *s) {
    ob_propagation *p = s->p;
    for (ob_node *node = s->graph->first; node; node = node->next) s->n += p->done[node->id] != p->epoch;
    s->nodes = OB_ARENA_ARRAY(&p->scratch, ob_node *, s->n);
    if (!p->place) p->place = OB_ARENA_ARRAY(&p->scratch, uint32_t, p->model->n_nodes);
    s->place = p->place;
    s->waiting = OB_ARENA_ARRAY(&p->scratch, uint32_t, s->n);
    s->first = OB_ARENA_ARRAY(&p->scratch, uint32_t, s->n);
    s->queue = OB_ARENA_ARRAY(&p->scratch, uint32_t, s->n);
    s->reported = OB_ARENA_ARRAY(&p->scratch, bool, s->n);
    if (!s->nodes || !s->place || !s->waiting || !s->first || !s->queue || !s->reported) return OB_E_MEMORY;
    uint32_t n = 0;
    for (ob_node *node = s->graph->first; node; node = node->next) {
        if (p->done[node->id] == p->epoch) continue;
        s->nodes[n++] = node;
        s->place[node->id] = n;
        /* Facts of an earlier use of this body must not be read before their node is done again. */
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) p->facts->facts[node->outputs[i]->id] = (ob_fact){.type = {.shape = {OB_RANK_UNKNOWN, NULL}}};
    }
    for (uint32_t i = 0; i < n; i++) {
        const ob_node *node = s->nodes[i];
        for (uint32_t k = 0; k < node->n_inputs; k++) OB_TRY(depend(s, i, node->inputs[k], (int32_t)k));
        OB_TRY(depend_on_captured(s, i, node));
    }
    return OB_OK;
}

/* A node that waits for ever has a producer that does too: going backwards from one must come round. */
static void report_cycle(sorter *s) {
    uint32_t at = 0;
    while (at < s->n && s->waiting[at] == 0) at++;
    if (at == s->n) return;
    uint32_t *predecessor = s->queue; /* no longer needed */
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t e = s->waiting[i] ? s->first[i] : 0; e; e = s->edges[e].next)
            if (s->waiting[s->edges[e].consumer]) predecessor[s->edges[e].consumer] = i;
    bool *seen = s->reported;
    memset(seen, 0, s->n * sizeof *seen);
    while (!seen[at]) {
        seen[at] = true;
        at = predecessor[at];
    }
    ob_text text;
    ob__text_init(&text, &s->p->model->arena.allocator);
    uint32_t start = at, n = 0;
    ob__text_puts(&text, "the node depends on itself, through");
    do {
        const ob_node *node = s->nodes[at];
        if (n < 8) ob__text_printf(&text, "%s \"%.60s\" (%.40s)", n ? "," : "", node->name, node->op_type);
        n++;
        at = predecessor[at];
    } while (at != start);
    if (n > 8) ob__text_printf(&text, " and %u more", n - 8);
    ob__report(s->p, NULL, s->nodes[start], OB0701, -1, -1, text.failed ? "the node depends on itself" : text.data);
    ob__text_release(&text);
}

static ob_status propagate_in_order(sorter *s) {
    ob_propagation *p = s->p;
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->waiting[i] == 0) s->queue[tail++] = i;
    while (head < tail) {
        uint32_t at = s->queue[head++];
        OB_TRY(ob__propagate_node(p, s->nodes[at]));
        for (uint32_t e = s->first[at]; e; e = s->edges[e].next)
            if (--s->waiting[s->edges[e].consumer] == 0) s->queue[tail++] = s->edges[e].consumer;
    }
    if (tail == s->n) return OB_OK;
    report_cycle(s);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->waiting[i] > 0) OB_TRY(ob__propagate_node(p, s->nodes[i]));
    return OB_OK;
}

ob_status ob__propagate_sorted(ob_propagation *p, ob_graph *graph) {
    sorter s = {.p = p, .graph = graph};
    ob_status status = prepare(&s);
    ob__list_free(&p->scratch.allocator, s.stack, s.stack_capacity, sizeof *s.stack);
    /* The places are no longer needed, and bodies of these nodes may be sorted too. */
    for (uint32_t i = 0; i < s.n && s.nodes && s.place; i++)
        if (s.nodes[i]) s.place[s.nodes[i]->id] = 0;
    if (status == OB_OK) status = propagate_in_order(&s);
    ob__list_free(&p->scratch.allocator, s.edges, s.capacity, sizeof *s.edges);
    return status;
}

/* ---- Graphs that nothing entered ---- */

static void report_unordered(ob_propagation *p, const ob_node *node, const ob_value *value, int32_t operand) {
    char text[400];
    ob__sentence(text, sizeof text, "\"%.200s\" is made after this node in every order of the nodes: there is a cycle",
                 value->name);
    ob__report(p, NULL, node, OB0701, operand, -1, text);
}

/* Bodies of functions that are not called, and of operators that are not known: nothing is inferred for them. Files are sorted
 * when they are read, so nodes out of order here are in a cycle. */
static ob_status check_order(void *context, ob_graph *graph) {
    ob_propagation *p = context;
    if (!graph->first || p->done[graph->first->id]) return OB_OK;
    for (const ob_node *node = graph->first; node; p->done[node->id] = p->n_epochs, node = node->next) {
        bool ready = true;
        for (uint32_t i = 0; i < node->n_inputs && ready; i++) {
            const ob_value *value = node->inputs[i];
            ready = !value || !value->producer || value->producer->graph != graph || p->done[value->producer->id];
            if (!ready) report_unordered(p, node, value, (int32_t)i);
        }
    }
    return OB_OK;
}

/* The reader has sorted the graph. */
static ob_status report_sorted(void *context, ob_graph *graph) {
    if (graph->n_early == 0) return OB_OK;
    char text[500], more[60] = "";
    if (graph->n_early > 1) ob__sentence(more, sizeof more, ", and %u more operands are", graph->n_early - 1);
    ob__sentence(text, sizeof text,
                 "\"%.200s\" is read before the node that makes it%s; the nodes are taken in topological order",
                 graph->early_value->name, more);
    ob__report(context, NULL, graph->early_node, OB0702, -1, -1, text);
    return OB_OK;
}

ob_status ob__report_disorder(ob_propagation *p) {
    OB_TRY(ob__model_each_graph(p->model, report_sorted, p));
    if (p->n_epochs == UINT32_MAX) return OB_E_LIMIT;
    p->n_epochs++;
    return ob__model_each_graph(p->model, check_order, p);
}
