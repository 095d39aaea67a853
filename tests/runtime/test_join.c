/* Operands of Concat that are computed in the memory of its result: random graphs, also with branches and loops, have the bits of
 * the nodes one by one; and the operands that have to be copied. */
#include <stdlib.h>

#include "kernels/kernels.h"
#include "model_text.h"
#include "session_case.h"

#define HEAD "<ir_version: 8, opset_import: [\"\" : 13]>\n"

enum { MOST_VALUES = 60, RANK = 3, MOST_OUTPUTS = 6, N_INPUTS = 3 };

static int64_t pick(int64_t n) {
    return rand() % n;
}

/* ---- Random graphs, as text ---- */

typedef struct value {
    char name[12];
    int64_t dims[RANK];
    bool is_made; /* by a node of the main graph */
} value;

typedef struct drawn {
    ob_text nodes;
    value values[MOST_VALUES];
    uint32_t n;
    int n_names;
} drawn;

static value *new_value(drawn *d, const char *letter, const int64_t *dims) {
    value *v = &d->values[d->n++];
    assert_true(d->n <= MOST_VALUES);
    snprintf(v->name, sizeof v->name, "%s%d", letter, d->n_names++);
    memcpy(v->dims, dims, sizeof v->dims);
    v->is_made = true;
    return v;
}

static const value *any(const drawn *d) { /* mostly a late one */
    return &d->values[pick(3) ? d->n - 1 - (uint32_t)pick(d->n < 4 ? d->n : 4) : (uint32_t)pick(d->n)];
}

static bool fits(const value *a, const value *b, int axis) {
    for (int k = 0; k < RANK; k++)
        if (k != axis && a->dims[k] != b->dims[k]) return false;
    return true;
}

static void add_unary(drawn *d, const value *from) {
    static const char *const ops[] = {"Neg", "Relu", "Softmax", "Identity", "Sigmoid", "Hardmax", "LpNormalization", "Abs"};
    const value v = *from;
    ob__text_printf(&d->nodes, " %s = %s (%s)\n", new_value(d, "u", v.dims)->name, ops[pick(8)], v.name);
}

static void add_sum(drawn *d) {
    const value a = *any(d), *b = &d->values[pick(d->n)];
    const char *other = fits(&a, b, -1) ? b->name : a.name;
    char name[12];
    snprintf(name, sizeof name, "%s", other);
    ob__text_printf(&d->nodes, " %s = Add (%s, %s)\n", new_value(d, "s", a.dims)->name, a.name, name);
}

/* Of one to four values, which may be inputs, constants, views or the same twice; often all of an earlier one and more. */
static void add_concat(drawn *d) {
    const int axis = pick(3) ? 1 : (int)pick(RANK);
    const value *first = any(d);
    int64_t dims[RANK];
    char list[80];
    memcpy(dims, first->dims, sizeof dims);
    snprintf(list, sizeof list, "%s", first->name);
    for (int i = 0, n = (int)pick(5); i < n && dims[axis] < 64; i++) {
        const value *other = any(d);
        if (!fits(first, other, axis)) continue;
        snprintf(list + strlen(list), sizeof list - strlen(list), ", %s", other->name);
        dims[axis] += other->dims[axis];
    }
    ob__text_printf(&d->nodes, " %s = Concat <axis = %d> (%s)\n", new_value(d, "c", dims)->name, axis, list);
}

/* Results of Concat that begin with all operands of the one before, as dense blocks have them. */
static void add_block(drawn *d) {
    value made[4];
    char list[80];
    made[0] = *any(d);
    snprintf(list, sizeof list, "%s", made[0].name);
    int64_t dims[RANK];
    memcpy(dims, made[0].dims, sizeof dims);
    for (int i = 1; i < 4 && dims[1] < 64; i++) {
        made[i] = *new_value(d, "b", made[0].dims);
        ob__text_printf(&d->nodes, " %s = %s (%s)\n", made[i].name, pick(2) ? "Neg" : "Softmax", made[i - 1].name);
        snprintf(list + strlen(list), sizeof list - strlen(list), ", %s", made[i].name);
        dims[1] += made[0].dims[1];
        ob__text_printf(&d->nodes, " %s = Concat <axis = 1> (%s)\n", new_value(d, "c", dims)->name, list);
    }
}

static void add_view(drawn *d) {
    const value from = *any(d);
    int64_t dims[RANK];
    memcpy(dims, from.dims, sizeof dims);
    if (pick(2)) {
        dims[1] = from.dims[2];
        dims[2] = from.dims[1];
        ob__text_printf(&d->nodes, " %s = Transpose <perm = [0, 2, 1]> (%s)\n", new_value(d, "t", dims)->name, from.name);
        return;
    }
    const int64_t a = dims[1] / 2, b = dims[1] - a;
    char sizes[12];
    snprintf(sizes, sizeof sizes, "k%d", d->n_names++);
    ob__text_printf(&d->nodes, " %s = Constant <value = int64[2] {%lld, %lld}> ()\n", sizes, (long long)a, (long long)b);
    dims[1] = a;
    char name[12];
    snprintf(name, sizeof name, "%s", new_value(d, "p", dims)->name);
    dims[1] = b;
    ob__text_printf(&d->nodes, " %s, %s = Split <axis = 1> (%s, %s)\n", name, new_value(d, "p", dims)->name, from.name, sizes);
}

static void add_nodes(drawn *d, int n);

/* A branch or body: what it makes is not seen outside. Returns its last value of these sizes. */
static void add_body(drawn *d, const int64_t *dims, const char *state, char result[12]) {
    const uint32_t before = d->n;
    if (state) {
        value *v = new_value(d, "z", dims);
        snprintf(v->name, sizeof v->name, "%s", state);
    }
    add_nodes(d, 3 + (int)pick(4));
    value want = {.dims = {dims[0], dims[1], dims[2]}};
    uint32_t at = d->n;
    while (at > 0 && !fits(&d->values[at - 1], &want, -1)) at--;
    assert_true(at > 0);
    snprintf(result, 12, "%s", d->values[at - 1].name);
    d->n = before;
}

static void add_if(drawn *d) {
    const value like = *any(d);
    char result[12];
    const int number = d->n_names++;
    ob__text_printf(&d->nodes, " i%d = If (yes%s) <\n", number, pick(2) ? "" : "_not");
    for (int k = 0; k < 2; k++) {
        ob__text_printf(&d->nodes, "%s = g%d () => (r%d_%d) {\n", k ? ", else_branch" : "then_branch", d->n_names++, number, k);
        add_body(d, like.dims, NULL, result);
        ob__text_printf(&d->nodes, " r%d_%d = %s (%s) }\n", number, k, pick(2) ? "Identity" : "Neg", result);
    }
    ob__text_printf(&d->nodes, ">\n");
    value *v = new_value(d, "i", like.dims);
    snprintf(v->name, sizeof v->name, "i%d", number);
}

static void add_loop(drawn *d) {
    const value like = *any(d);
    char result[12], state[12];
    const int number = d->n_names++;
    snprintf(state, sizeof state, "z%d", number);
    ob__text_printf(&d->nodes,
                    " l%d, m%d = Loop (three, %s, %s) <body = h%d (int64 j%d, bool go%d, float[%lld, %lld, %lld] %s) => "
                    "(on%d, r%d, q%d) {\n on%d = Constant <value = bool {1}> ()\n",
                    number, number, pick(4) ? "sure" : "yes", like.name, number, number, number, (long long)like.dims[0],
                    (long long)like.dims[1], (long long)like.dims[2], state, number, number, number, number);
    add_body(d, like.dims, state, result);
    const char *op = pick(2) ? "Identity" : "Neg"; /* the result of the body, or another that is computed from it */
    ob__text_printf(&d->nodes, " r%d = %s (%s)\n", number, op, result);
    ob__text_printf(&d->nodes, " q%d = Concat <axis = 1> (r%d, %s) }>\n", number, number, result);
    value *v = new_value(d, "l", like.dims);
    snprintf(v->name, sizeof v->name, "l%d", number);
}

static int depth_left = 2;

static void add_nodes(drawn *d, int n) {
    for (int i = 0; i < n && d->n + 12 < MOST_VALUES; i++) {
        const int64_t kind = pick(20);
        if (kind >= 18 && depth_left > 0) {
            depth_left--;
            if (kind == 18)
                add_if(d);
            else
                add_loop(d);
            depth_left++;
        } else if (kind >= 16)
            add_block(d);
        else if (kind >= 14)
            add_view(d);
        else if (kind >= 8)
            add_concat(d);
        else if (kind >= 6)
            add_sum(d);
        else
            add_unary(d, any(d));
    }
}

typedef struct graph {
    ob_model *model;
    float *data[N_INPUTS];
    ob_view inputs[N_INPUTS + 1];
} graph;

static uint8_t yes;

static graph draw_graph(void) {
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 8};
    drawn d = {.n = 0};
    ob__text_init(&d.nodes, NULL);
    ob_text text;
    ob__text_init(&text, NULL);
    graph g = {0};
    int64_t dims[RANK] = {pick(4) ? 1 : 2, sizes[pick(6)], sizes[pick(6)]};
    ob__text_printf(&text, HEAD "main (");
    for (int i = 0; i < N_INPUTS; i++) {
        if (pick(3) == 0) dims[1] = sizes[pick(6)];
        value *v = new_value(&d, "x", dims);
        v->is_made = false;
        int64_t n = 1;
        for (int k = 0; k < RANK; k++) n *= dims[k];
        ob__text_printf(&text, "float[%s, D%d, E%d] %s, ", pick(2) ? "N" : dims[0] == 1 ? "1" : "2", i, i, v->name);
        g.data[i] = malloc((size_t)(n + 1) * sizeof(float));
        assert_non_null(g.data[i]);
        for (int64_t k = 0; k < n; k++) g.data[i][k] = (float)pick(2001) / 250 - 4;
        assert_int_equal(ob_view_init(&g.inputs[i], g.data[i], OB_FLOAT, RANK, dims), OB_OK);
    }
    yes = (uint8_t)pick(2);
    g.inputs[N_INPUTS] = view_of(&yes, OB_BOOL, 0);
    add_nodes(&d, 4 + (int)pick(20));
    add_unary(&d, any(&d));
    ob__text_printf(&text, "bool yes) => (");
    int n_outputs = 0;
    for (uint32_t i = d.n; i-- > 0 && n_outputs < MOST_OUTPUTS;)
        if (d.values[i].is_made && (i == d.n - 1 || pick(6) == 0))
            ob__text_printf(&text, "%sfloat[A%u, B%u, C%u] %s", n_outputs++ ? ", " : "", i, i, i, d.values[i].name);
    ob__text_printf(
        &text, ") {\n three = Constant <value = int64 {3}> ()\n sure = Constant <value = bool {1}> ()\n yes_not = Not (yes)\n");
    ob__text_append(&text, d.nodes.data, d.nodes.n);
    ob__text_printf(&text, "}\n");
    assert_false(text.failed || d.nodes.failed);
    g.model = read_text(text.data);
    ob__text_release(&text);
    ob__text_release(&d.nodes);
    return g;
}

/* ---- Comparison ---- */

typedef struct counted {
    int n_concat, n_in_place;
} counted;

static void count_step(void *context, const ob_step_info *step) {
    counted *c = context;
    if (strcmp(step->kernel, "concat") != 0) return;
    c->n_concat++;
    c->n_in_place += step->in_place;
}

static counted count_steps(const ob_session *session) {
    counted c = {0};
    assert_int_equal(ob_session_each_step(session, count_step, &c, NULL), OB_OK);
    return c;
}

static void expect_same(const ob_view *is, const ob_view *want) {
    assert_int_equal(is->rank, want->rank);
    for (int32_t a = 0; a < want->rank; a++) assert_int_equal(is->dims[a], want->dims[a]);
    const int64_t n = ob_view_count(want);
    for (int64_t k = 0; k < n; k++)
        assert_true(
            same_element(OB_FLOAT, (const char *)((const float *)is->data + k), (const char *)((const float *)want->data + k)));
}

/* Two runs: the second one finds memory that the first one has used. */
static counted check_graph(const graph *g, int threads) {
    ob_session *plain = open_threads(g->model, false, 1), *joined = open_threads(g->model, true, threads);
    ob_view want[MOST_OUTPUTS] = {{0}}, is[MOST_OUTPUTS];
    const size_t n = ob_session_output_count(plain);
    ob_error error;
    const ob_status status = ob_session_run(plain, g->inputs, N_INPUTS + 1, want, n, &error);
    counted c = {0};
    for (int run = 0; run < 2; run++) {
        memset(is, 0, sizeof is);
        assert_int_equal(ob_session_run(joined, g->inputs, N_INPUTS + 1, is, n, &error), status);
        for (size_t i = 0; i < n && status == OB_OK; i++) expect_same(&is[i], &want[i]);
    }
    if (status == OB_OK) c = count_steps(joined);
    ob_session_close(&plain);
    ob_session_close(&joined);
    return c;
}

static void random_graphs(void **state) {
    (void)state;
    int n_concat = 0, n_in_place = 0;
    srand(53);
    for (int round = 0; round < 1500; round++) {
        graph g = draw_graph();
        const counted c = check_graph(&g, 1 + round % 2);
        n_concat += c.n_concat;
        n_in_place += c.n_in_place;
        for (int i = 0; i < N_INPUTS; i++) free(g.data[i]);
        ob_model_close(&g.model);
    }
    assert_true(n_concat > 3000);
    assert_true(n_in_place > n_concat / 5);
}

/* ---- Single cases ---- */

static counted steps_in(const char *text, ob_session_memory *memory) {
    static float x[4096];
    ob_model *model = read_text(text);
    ob_session *session = open_session(model, true);
    ob_view in = view_of(x, OB_FLOAT, 3, 1, 4, 16), out[2] = {{0}};
    run_ok(session, &in, 1, out, ob_session_output_count(session));
    const counted c = count_steps(session);
    if (memory) ob_session_get_memory(session, memory);
    ob_session_close(&session);
    ob_model_close(&model);
    return c;
}

static void what_is_in_place(void **state) {
    (void)state;
    static const struct {
        const char *nodes;
        int n_concat, n_in_place;
    } cases[] = {
        {"a = Hardmax (x)\n b = Neg (x)\n c = Concat <axis = 1> (a, b)\n y = Hardmax (c)", 1, 1},
        {"a = Hardmax (x)\n b = Neg (x)\n y = Concat <axis = 1> (a, b)", 1, 1},                  /* an output of the graph */
        {"a = Hardmax (x)\n b = Neg (x)\n y = Concat <axis = 2> (a, b)", 1, 0},                  /* not side by side */
        {"a = Hardmax (x)\n y = Concat <axis = 1> (a, x)", 1, 0},                                /* x is not ours */
        {"a = Hardmax (x)\n y = Concat <axis = 1> (a, a)", 1, 0},                                /* one of them is copied */
        {"a = Hardmax (x)\n b = Concat <axis = 1> (a, x)\n y = Concat <axis = 1> (b, b)", 2, 0}, /* both */
        {"a = Hardmax (x)\n b = Neg (a)\n c = Concat <axis = 1> (a, b)\n d = Hardmax (c)\n y = Concat <axis = 1> (c, d)", 2, 2},
        {"a = Hardmax (x)\n b = Neg (a)\n c = Concat <axis = 1> (a, b)\n d = Hardmax (c)\n y = Concat <axis = 1> (a, b, d)", 2,
         2},
        {"a = Hardmax (x)\n b = Neg (a)\n c = Concat <axis = 1> (a, b)\n d = Hardmax (c)\n y = Concat <axis = 1> (b, a, d)", 2,
         1},
        /* d does not take the memory of c, because a is read after it */
        {"a = Hardmax (x)\n b = Neg (x)\n c = Concat <axis = 1> (a, b)\n d = Hardmax (c)\n y = Concat <axis = 1> (d, a)", 2, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ob_text text;
        ob__text_init(&text, NULL);
        ob__text_printf(&text, HEAD "g (float[1, 4, 16] x) => (float[A, B, C] y) {\n %s\n}", cases[i].nodes);
        const counted c = steps_in(text.data, NULL);
        ob__text_release(&text);
        if (c.n_concat != cases[i].n_concat || c.n_in_place != cases[i].n_in_place)
            fail_msg("case %zu: %d of %d in place", i, c.n_in_place, c.n_concat);
    }
}

/* The result would lie there from its first operand on, while the large value in between needs the memory. */
static void memory_does_not_grow(void **state) {
    (void)state;
    ob_session_memory memory;
    const counted c = steps_in(HEAD "g (float[1, 4, 16] x) => (float[1, 4, 16] y) {\n"
                                    " n = Constant <value = int64[3] {1, 64, 1}> ()\n"
                                    " a = Hardmax (x)\n"
                                    " l = Tile (a, n)\n m = Tile (a, n)\n k = Add (l, m)\n s = ReduceSum <keepdims = 1> (k)\n"
                                    " w = Add (x, s)\n v = Tile (w, n)\n"
                                    " c = Concat <axis = 1> (a, v)\n r = ReduceSum <keepdims = 1> (c)\n y = Add (x, r)\n}",
                               &memory);
    assert_int_equal(c.n_concat, 1);
    assert_int_equal(c.n_in_place, 0);
    assert_true(memory.arena_bytes < 2 * 64 * 4 * 16 * 4 + 8192);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs), cmocka_unit_test(what_is_in_place),
                                              cmocka_unit_test(memory_does_not_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
