/* The result of a check, and the claims of a rewritten model, as JSON (rewrites.c has the format). Written to standard output. */
#ifndef OB_TESTS_ORACLE_SIDE_JSON_H
#define OB_TESTS_ORACLE_SIDE_JSON_H

#include "passes/check/explicit.h"
#include "passes/check/names.h"
#include "passes/contract/stated.h"
#include "passes/report/report.h"
#include "term_json.h"

/* ---- A side ---- */

static inline void put_shape(const ob_dims *dims, const ob_type *type) {
    if (type->kind != OB_TYPE_TENSOR || type->shape.rank == OB_RANK_UNKNOWN)
        fputs("null", stdout);
    else
        json_terms(stdout, dims, type->shape.dims, (size_t)type->shape.rank);
}

static inline void put_places(const ob_report *report) {
    const ob_graph *graph = report->model->graph;
    bool any = false;
    printf("\"places\":{");
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_shape *shape = &ob__fact(&report->facts, graph->inputs[i])->type.shape;
        for (int32_t axis = 0; axis < shape->rank; axis++) {
            const ob_term *term = ob__term(report->model->dims, shape->dims[axis]);
            if (!term || !term->anonymous || term->kind != OB_DIM_KIND_SYMBOL) continue;
            char place[1100];
            snprintf(place, sizeof place, "%.1000s[%d]", graph->inputs[i]->name, (int)axis);
            if (any) putchar(',');
            json_symbol(stdout, term);
            putchar(':');
            json_string(stdout, place);
            any = true;
        }
    }
    putchar('}');
}

static inline void put_value(const ob_report *report, const ob_value *value, const char *path, bool *first) {
    const ob_fact *fact = ob__fact(&report->facts, value);
    char name[3000];
    snprintf(name, sizeof name, "%.1000s%.1900s", path, value->name);
    printf(*first ? "[" : ",[");
    *first = false;
    json_string(stdout, name);
    printf(",\"%s\",%s,", fact->type.kind == OB_TYPE_TENSOR ? ob_dtype_name(fact->type.dtype) : "",
           fact->assumed ? "true" : "false");
    put_shape(report->model->dims, &fact->type);
    putchar(']');
}

typedef struct value_writer {
    const ob_report *report;
    ob_arena arena;
    bool first;
} value_writer;

static inline ob_status put_graph(void *context, ob_graph *graph) {
    value_writer *w = context;
    const char *path = ob__graph_path(graph, &w->arena);
    if (!path) return OB_E_MEMORY;
    for (uint32_t i = 0; i < graph->n_inputs; i++) put_value(w->report, graph->inputs[i], path, &w->first);
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) put_value(w->report, node->outputs[i], path, &w->first);
    return OB_OK;
}

static inline void put_clauses(const ob_report *report) {
    const ob_contract *contract = &report->contract;
    printf(",\"contract\":\"%s\",\"clauses\":[", ob_contract_status_name(contract->status));
    for (uint32_t i = 0; i < contract->n_clauses; i++) {
        if (i) putchar(',');
        json_literals(stdout, report->model->dims, contract->clauses[i]->literals, contract->clauses[i]->n);
    }
    printf("],\"bounds\":[");
}

static inline void put_side(ob_report *report) {
    const ob_graph *graph = report->model->graph;
    value_writer w = {.report = report, .first = true};
    ob_bound_info bound;
    printf("\"side\":{");
    put_places(report);
    put_clauses(report);
    for (size_t i = 0; ob_report_bound(report, i, &bound) == OB_OK; i++) {
        if (i) putchar(',');
        json_string(stdout, bound.text);
    }
    printf("],\"unverified\":%zu,\"outputs\":[", report->contract.n_open);
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        if (i) putchar(',');
        json_string(stdout, graph->outputs[i]->name);
    }
    printf("],\"values\":[");
    ob__arena_init(&w.arena, ob_allocator_default());
    if (ob__model_each_graph(report->model, put_graph, &w) != OB_OK) fputs("null", stdout);
    ob__arena_release(&w.arena);
    printf("]}");
}

/* ---- Claims of the rewritten model ---- */

static inline void put_declared(const ob_report *report, const ob_value *value, bool *first) {
    if (value->declared.kind != OB_TYPE_TENSOR || value->declared.shape.rank == OB_RANK_UNKNOWN) return;
    printf(*first ? "[\"shape\"," : ",[\"shape\",");
    *first = false;
    json_string(stdout, value->name);
    putchar(',');
    put_shape(report->model->dims, &value->declared);
    putchar(',');
    put_shape(report->model->dims, &ob__fact(&report->facts, value)->type);
    putchar(']');
}

/* Conditions that are cut, or name a size of the run, cannot be read and are not checked. */
static inline void put_conditions(const ob_report *report, const ob_node *node, bool *first) {
    const ob_attribute *texts = ob__node_attribute(node, "conditions");
    for (uint32_t i = 0; texts && texts->type == OB_ATTR_STRINGS && i < texts->n; i++) {
        ob_condition conditions[OB_CONDITION_PARSE_MAX];
        size_t n = 0;
        if (ob_condition_parse(report->model->dims, texts->u.strings[i].data, true, conditions, &n, NULL) != OB_OK) n = 0;
        for (size_t k = 0; k < n; k++) {
            printf(*first ? "[\"condition\"," : ",[\"condition\",");
            *first = false;
            json_condition(stdout, report->model->dims, &conditions[k]);
            putchar(']');
        }
    }
}

/* Of the main graph: conditions in a branch matter only where it runs. */
static inline void put_claims(const ob_report *report) {
    bool first = true;
    printf(",\"claims\":[");
    for (const ob_node *node = report->model->graph->first; node; node = node->next) {
        if (!ob__is_explicit_broadcast(node) && !ob__is_explicit_in_dim(node)) continue;
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) put_declared(report, node->outputs[i], &first);
        put_conditions(report, node, &first);
    }
    putchar(']');
}

static inline void put_stated(const ob_model *model) {
    const char *text = ob_model_metadata(model, OB_CONTRACT_KEY);
    ob_arena arena;
    ob_stated stated;
    ob__arena_init(&arena, ob_allocator_default());
    printf(",\"stated\":");
    if (text && ob__stated_read(text, model->dims, true, &arena, &stated, NULL) == OB_OK && stated.n_left_out == 0) {
        putchar('[');
        for (uint32_t i = 0; i < stated.n_clauses; i++) {
            if (i) putchar(',');
            json_literals(stdout, model->dims, stated.clauses[i].literals, stated.clauses[i].n);
        }
        putchar(']');
    } else {
        fputs("null", stdout);
    }
    ob__arena_release(&arena);
}

#endif
