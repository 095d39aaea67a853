/* Branches on sizes and on data, loops, scans, and functions that are called with different shapes. */
#include <stdio.h>
#include <string.h>

#include "gen.h"

/* An input that is not a tensor of floats: a flag, or a count. */
static const char *data_input(gen *g, char type) {
    for (int i = 0; i < g->n_inputs; i++)
        if (g->inputs[i].type == type && g->inputs[i].rank == 0) return g->inputs[i].name;
    if (g->n_inputs == GEN_INPUTS || g->in_function) return NULL;
    value v = fresh(g, type, 0);
    size_t n = strlen(g->input_text);
    snprintf(g->input_text + n, sizeof g->input_text - n, "%s %s, ", type == 'i' ? "int64" : "bool", v.name);
    g->inputs[g->n_inputs++] = v;
    return g->inputs[g->n_inputs - 1].name;
}

/* A few nodes; the newest float tensor of the rank (any one for -1). Afterwards it has the name `result`. */
static int make_body(gen *g, int n, int rank, const char *result) {
    for (int i = 0; i < n; i++) make_any(g);
    const value *last = NULL;
    for (int i = g->n_values - 1; i >= g->first_value && !last; i--)
        if (g->values[i].type == 'f' && (rank < 0 ? g->values[i].rank >= 0 : g->values[i].rank == rank)) last = &g->values[i];
    if (!last) last = rank < 0 ? any(g, 1, GEN_RANK) : any(g, rank, rank);
    put(g, "  %s = Identity (%s)\n", result, last->name);
    return last->rank;
}

static void make_if(gen *g) {
    if (g->opset < 7 || g->depth > 1 || g->n_body > GEN_TEXT / 2) return;
    static const int64_t numbers[] = {3, 1, 2, 4, 8, 0};
    static const char *const ops[] = {"Equal", "Greater", "Less"};
    const char *data = draw(g, 4) == 3 ? data_input(g, 'b') : NULL;
    char condition[16];
    if (data) {
        strcpy(condition, data);
    } else {
        const value *s = scalar(g), *t = draw(g, 4) == 3 ? scalar(g) : NULL;
        const char *other = t ? t->name : number(g, draw_of(g, numbers, 6)), *op = ops[g->opset >= 9 ? draw(g, 3) : 0];
        snprintf(condition, sizeof condition, "b%d", g->n_names++);
        put(g, "  %s = %s (%s, %s)\n", condition, op, s->name, other);
    }
    branch_on(g, condition);
}

void branch_on(gen *g, const char *condition) {
    int n = g->n_names++, n_values = g->n_values;
    value v = fresh(g, 'f', 0);
    g->depth++;
    put(g, "  %s = If (%s) <then_branch = t%d () => (y%d) {\n", v.name, condition, n, n);
    char result[16];
    snprintf(result, sizeof result, "y%d", n);
    v.rank = make_body(g, 1 + (int)draw(g, 2), -1, result);
    g->n_values = n_values;
    put(g, "  }, else_branch = e%d () => (z%d) {\n", n, n);
    snprintf(result, sizeof result, "z%d", n);
    int rank = make_body(g, 1 + (int)draw(g, 2), v.rank, result);
    g->n_values = n_values;
    put(g, "  }>\n");
    g->depth--;
    if (rank != v.rank) v.rank = -1;
    keep(g, &v);
}

static void make_loop(gen *g) {
    if (g->opset < 11 || g->depth > 1 || g->n_body > GEN_TEXT / 2) return;
    const char *trips = draw(g, 4) == 3 ? data_input(g, 'i') : NULL;
    if (!trips) trips = draw(g, 2) ? scalar(g)->name : number(g, draw(g, 4));
    const value *start = any(g, 1, GEN_RANK);
    bool stacks = draw(g, 3) == 2;
    int n = g->n_names++, n_values = g->n_values;
    value v = fresh(g, 'f', start->rank), state = v, w = fresh(g, 'f', -1), index = fresh(g, 'i', 0);
    snprintf(state.name, sizeof state.name, "s%d", n);
    char second[24] = "";
    if (stacks) snprintf(second, sizeof second, ", float[] p%d", n);
    put(g, "  %s%s%s = Loop (%s, , %s) <body = l%d (int64 %s, bool k%d, float[] %s) => (bool o%d, float[] y%d%s) {\n", v.name,
        stacks ? ", " : "", stacks ? w.name : "", trips, start->name, n, index.name, n, state.name, n, n, second);
    g->depth++;
    index.content = true;
    keep(g, &index);
    keep(g, &state);
    char result[16];
    snprintf(result, sizeof result, "y%d", n);
    put(g, "  o%d = Identity (k%d)\n", n, n);
    make_body(g, 1 + (int)draw(g, 2), start->rank, result);
    if (stacks) {
        snprintf(result, sizeof result, "p%d", n);
        make_body(g, (int)draw(g, 2), -1, result);
    }
    put(g, "  }>\n");
    g->depth--;
    g->n_values = n_values;
    keep(g, &v);
    if (stacks) keep(g, &w);
}

static void make_scan(gen *g) {
    if (g->opset < 9 || g->depth > 1 || g->n_body > GEN_TEXT / 2) return;
    const value *start = any(g, 1, GEN_RANK - 1), *over = any(g, 2, GEN_RANK);
    int n = g->n_names++, n_values = g->n_values;
    value v = fresh(g, 'f', start->rank), state = v, item = fresh(g, 'f', over->rank - 1), w = fresh(g, 'f', -1);
    snprintf(state.name, sizeof state.name, "s%d", n);
    for (int i = 0; i < item.rank; i++) item.tag[i] = over->tag[i + 1];
    put(g, "  %s, %s = Scan <num_scan_inputs = 1, body = l%d (float[] %s, float[] %s) => (float[] y%d, float[] p%d) {\n", v.name,
        w.name, n, state.name, item.name, n, n);
    g->depth++;
    keep(g, &item);
    keep(g, &state);
    char result[16];
    snprintf(result, sizeof result, "y%d", n);
    make_body(g, 1 + (int)draw(g, 2), start->rank, result);
    snprintf(result, sizeof result, "p%d", n);
    make_body(g, 0, -1, result);
    put(g, "  }> (%s, %s)\n", start->name, over->name);
    g->depth--;
    g->n_values = n_values;
    keep(g, &v);
    keep(g, &w);
}

/* A function of one or two tensors whose body only knows their ranks. */
static void make_function(gen *g) {
    static gen inner; /* a separate text; the choices continue from here */
    function *f = &g->functions[g->n_functions];
    inner = *g;
    inner.n_body = 0;
    inner.in_function = true;
    inner.depth = 2;
    inner.first_value = inner.n_values;
    f->n_params = 1 + (int)draw(&inner, 2);
    char names[2][12];
    for (int i = 0; i < f->n_params; i++) {
        value p = fresh(&inner, 'f', 1 + (int)draw(&inner, 3));
        f->rank[i] = p.rank;
        strcpy(names[i], p.name);
        keep(&inner, &p);
    }
    char result[16];
    snprintf(result, sizeof result, "r%d", inner.n_names++);
    f->result = (value){.type = 'f', .rank = make_body(&inner, 1 + (int)draw(&inner, 3), -1, result)};
    size_t n = strlen(g->function_text);
    int n_more =
        snprintf(g->function_text + n, sizeof g->function_text - n,
                 "<domain: \"own\", opset_import: [\"\" : %d, \"onnx_broadcast\" : 1]>\nf%d (%s%s%s) => (%s) {\n%s}\n", g->opset,
                 g->n_functions, names[0], f->n_params > 1 ? ", " : "", f->n_params > 1 ? names[1] : "", result, inner.body);
    g->at = inner.at;
    g->n_names = inner.n_names;
    if (n_more < 0 || (size_t)n_more >= sizeof g->function_text - n)
        g->function_text[n] = '\0';
    else
        g->n_functions++;
}

static void make_call(gen *g) {
    if (g->opset < 8 || g->in_function) return;
    if (g->n_functions == 0 || (g->n_functions < GEN_FUNCTIONS && draw(g, 3) == 2)) make_function(g);
    if (g->n_functions == 0) return;
    int at = (int)draw(g, (uint32_t)g->n_functions);
    const function *f = &g->functions[at];
    for (uint32_t calls = 1 + draw(g, 3); calls > 0; calls--) {
        const value *a = any(g, f->rank[0], f->rank[0]), *b = f->n_params > 1 ? any(g, f->rank[1], f->rank[1]) : NULL;
        value v = fresh(g, 'f', f->result.rank);
        put(g, "  %s = own.f%d (%s%s%s)\n", v.name, at, a->name, b ? ", " : "", b ? b->name : "");
        keep(g, &v);
    }
}

const maker control_makers[] = {make_call, make_if, make_call, make_loop, make_if, make_scan};
const uint32_t n_control_makers = sizeof control_makers / sizeof *control_makers;
