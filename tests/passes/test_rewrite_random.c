/* Random graphs that broadcast: elementwise operators of every opset, one-way and batch broadcasting, explicit operators,
 * Expand and Tile that stretch or do not, subgraphs, loops and local functions; symbols, unknown sizes, sizes 0 and 1. A graph
 * without errors is rewritten to every form and for three deployment targets, or refused as not supported. The result has no
 * errors, is the same after writing and reading, and computes the same bits. `test_rewrite_random SEED N` runs N graphs from that
 * seed and prints those that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "variants.h"

enum { MAX_RANK = 3, MAX_VALUES = 200, N_GRAPHS = 4000 };

/* A value has a suffix of the graph's shape, with sizes of 1 where a bit of `full` is not set (bit k: k-th axis from the
 * end). */
typedef struct value {
    char name[16];
    int rank, full;
} value;

typedef struct generator {
    uint64_t state;
    int opset, n_values, n_inputs, n_nodes, n_functions;
    const char *sizes[MAX_RANK]; /* by axis from the end */
    value values[MAX_VALUES];
    char inputs[4000], body[40000], functions[4000];
    size_t n_body;
} generator;

static uint32_t draw(generator *g, uint32_t n) {
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(g->state >> 33) % n;
}

static void put(generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(generator *g, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(g->body + g->n_body, sizeof g->body - g->n_body, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && (size_t)n < sizeof g->body - g->n_body);
    g->n_body += (size_t)n;
}

static void type_text(const generator *g, int rank, int full, char text[80]) {
    strcpy(text, rank ? "float[" : "float");
    for (int k = rank - 1; k >= 0; k--) {
        strcat(text, full >> k & 1 ? g->sizes[k] : "1");
        strcat(text, k ? "," : "]");
    }
}

static value *new_value(generator *g, int rank, int full) {
    assert_true(g->n_values < MAX_VALUES);
    value *v = &g->values[g->n_values++];
    snprintf(v->name, sizeof v->name, "v%d", g->n_values);
    v->rank = rank;
    v->full = full & ((1 << rank) - 1);
    return v;
}

static const value *any(generator *g) {
    return &g->values[draw(g, (uint32_t)g->n_values)];
}

static void new_input(generator *g) {
    int rank = (int)draw(g, MAX_RANK + 1);
    const value *v = new_value(g, rank, (int)draw(g, 8));
    char type[80];
    type_text(g, v->rank, v->full, type);
    if (draw(g, 16) == 0) strcpy(type, "float[]"); /* an unknown rank */
    size_t n = strlen(g->inputs);
    snprintf(g->inputs + n, sizeof g->inputs - n, "%s%s %s", n ? ", " : "", type, v->name);
    g->n_inputs++;
}

static int most(int a, int b) {
    return a > b ? a : b;
}

/* A value that stretches to v's shape. */
static const value *below(generator *g, const value *v) {
    for (int i = 0; i < 20; i++) {
        const value *w = any(g);
        if (w->rank <= v->rank && (w->full & ~v->full) == 0) return w;
    }
    return v;
}

static const char *of(generator *g, const char *const *names, uint32_t n) {
    return names[draw(g, n)];
}

/* ---- Nodes ---- */

static void binary(generator *g) {
    static const char *const names[] = {"Add", "Sub", "Mul", "Div"};
    const value *a = any(g), *b = any(g);
    const char *op = of(g, names, 4);
    if (g->opset < 7) { /* B has consecutive axes of A */
        b = below(g, a);
        bool suffix = b->full == (a->full & ((1 << b->rank) - 1));
        if (!suffix) b = a;
        const char *how = b == a ? "" : draw(g, 2) ? " <broadcast = 1>" : " <broadcast = 1, axis = -1>";
        if (b != a && strstr(how, "axis")) {
            put(g, "  v%d = %s <broadcast = 1, axis = %d> (%s, %s)\n", g->n_values + 1, op, a->rank - b->rank, a->name, b->name);
        } else {
            put(g, "  v%d = %s%s (%s, %s)\n", g->n_values + 1, op, how, a->name, b->name);
        }
        new_value(g, a->rank, a->full);
        return;
    }
    put(g, "  v%d = %s (%s, %s)\n", g->n_values + 1, op, a->name, b->name);
    new_value(g, most(a->rank, b->rank), a->full | b->full);
}

static void variadic(generator *g) {
    static const char *const names[] = {"Max", "Min", "Sum", "Mean"};
    if (g->opset < 8) return;
    uint32_t n = 1 + draw(g, 4);
    int rank = 0, full = 0;
    put(g, "  v%d = %s (", g->n_values + 1, of(g, names, 4));
    for (uint32_t i = 0; i < n; i++) {
        const value *a = any(g);
        rank = most(rank, a->rank);
        full |= a->full;
        put(g, "%s%s", i ? ", " : "", a->name);
    }
    put(g, ")\n");
    new_value(g, rank, full);
}

static void where(generator *g) {
    if (g->opset < 9) return;
    const value *a = any(g), *b = any(g), *c = any(g), *d = any(g);
    put(g, "  c%d = Greater (%s, %s)\n  v%d = Where (c%d, %s, %s)\n", g->n_nodes, a->name, b->name, g->n_values + 1, g->n_nodes,
        c->name, d->name);
    new_value(g, most(most(a->rank, b->rank), most(c->rank, d->rank)), a->full | b->full | c->full | d->full);
}

static void one_way(generator *g) {
    const value *a = any(g);
    if (g->opset < 7) return;
    if (g->opset >= 17 && a->rank > 0 && draw(g, 2)) {
        int axis = 1 + (int)draw(g, (uint32_t)a->rank);
        value last = {.rank = axis, .full = a->full & ((1 << axis) - 1)};
        const value *scale = below(g, &last), *bias = below(g, &last);
        if (scale == &last || bias == &last) return;
        put(g, "  v%d = LayerNormalization <axis = %d> (%s, %s, %s)\n", g->n_values + 1, -axis, a->name, scale->name, bias->name);
    } else {
        put(g, "  v%d = PRelu (%s, %s)\n", g->n_values + 1, a->name, below(g, a)->name);
    }
    new_value(g, a->rank, a->full);
}

/* A copy with an additional axis, times a matrix with batch axes. */
static void product(generator *g) {
    if (g->opset < 9) return;
    const value *a = any(g), *b = any(g);
    int n = g->n_nodes;
    put(g, "  t%d = Transpose (%s)\n", n, b->name);
    if (a->rank != 2 || b->rank != 2) {
        if (a->rank < 2 || g->opset < 13) return;
        put(g, "  r%d = Constant <value = int64[1] {-1}> ()\n  u%d = Unsqueeze (%s, r%d)\n  s%d = MatMul (u%d, u%d)\n", n, n,
            a->name, n, n, n, n);
        (void)b;
        return;
    }
    put(g, "  m%d = MatMul (%s, t%d)\n", n, a->name, n);
}

static void stretch(generator *g) {
    const value *a = any(g), *b = any(g);
    int n = g->n_nodes;
    if (g->opset < 8) return;
    switch (draw(g, 5)) {
    case 0:
        put(g, "  h%d = Shape (%s)\n  v%d = Expand (%s, h%d)\n", n, b->name, g->n_values + 1, a->name, n);
        new_value(g, most(a->rank, b->rank), a->full | b->full);
        return;
    case 1:
        if (g->opset < 9) return;
        put(g, "  h%d = Constant <value = int64[%d] {", n, a->rank);
        for (int i = 0; i < a->rank; i++) put(g, "%s1", i ? ", " : "");
        put(g, "}> ()\n  v%d = %s (%s, h%d)\n", g->n_values + 1, draw(g, 2) ? "Expand" : "Tile", a->name, n);
        new_value(g, a->rank, a->full);
        return;
    case 2: {
        put(g, "  v%d, v%d = onnx_broadcast.Broadcast (%s, %s)\n", g->n_values + 1, g->n_values + 2, a->name, b->name);
        int rank = most(a->rank, b->rank), full = a->full | b->full;
        new_value(g, rank, full);
        new_value(g, rank, full);
        return;
    }
    case 3: {
        b = below(g, a);
        put(g, "  h%d = Shape (%s)\n  v%d = onnx_broadcast.BroadcastInDim <broadcast_dimensions : ints = [", n, a->name,
            g->n_values + 1);
        for (int i = 0; i < b->rank; i++) put(g, "%s%d", i ? ", " : "", a->rank - b->rank + i);
        put(g, "]> (%s, h%d)\n", b->name, n);
        new_value(g, a->rank, a->full);
        return;
    }
    default: put(g, "  v%d = Identity (%s)\n", g->n_values + 1, a->name); new_value(g, a->rank, a->full);
    }
}

static void control(generator *g) {
    if (g->opset < 11) return;
    const value *a = any(g), *b = any(g);
    int n = g->n_nodes;
    if (draw(g, 2)) {
        put(g,
            "  v%d = If (cond) <then_branch = then%d () => (y%d) { x%d = Add (%s, %s) y%d = Mul (x%d, %s) }, else_branch = "
            "else%d () "
            "=> (z%d) { z%d = Sub (%s, %s) }>\n",
            g->n_values + 1, n, n, n, a->name, b->name, n, n, b->name, n, n, n, a->name, b->name);
        new_value(g, most(a->rank, b->rank), a->full | b->full);
        return;
    }
    b = below(g, a);
    put(g,
        "  v%d = Loop (trips, cond, %s) <body = loop%d (int64 i%d, bool k%d, float[] s%d) => (bool o%d, float[] n%d) {\n"
        "    o%d = Identity (k%d)\n    n%d = Sub (s%d, %s)\n  }>\n",
        g->n_values + 1, a->name, n, n, n, n, n, n, n, n, n, n, b->name);
    new_value(g, a->rank, a->full);
}

static void call(generator *g) {
    if (g->opset < 8) return;
    const value *a = any(g), *b = any(g);
    if (g->n_functions < 3 && draw(g, 2)) {
        size_t n = strlen(g->functions);
        g->n_functions++;
        snprintf(g->functions + n, sizeof g->functions - n,
                 "<domain: \"own\", opset_import: [\"\" : %d]>\nf%d (p, q) => (r) { s = Add (p, q) r = %s (s, q) }\n", g->opset,
                 g->n_functions, draw(g, 2) ? "Mul" : "Max");
    }
    if (g->n_functions == 0) return;
    put(g, "  v%d = own.f%u (%s, %s)\n", g->n_values + 1, 1 + draw(g, (uint32_t)g->n_functions), a->name, b->name);
    new_value(g, most(a->rank, b->rank), a->full | b->full);
}

/* ---- Graphs ---- */

static char *generate(generator *g, uint64_t seed) {
    static const char *const sizes[] = {"1", "2", "3", "2", "N", "M", "N", "0", "?"};
    static void (*const makers[])(generator *) = {binary,  binary,  binary,  variadic, where, one_way,
                                                  product, stretch, stretch, control,  call};
    memset(g, 0, sizeof *g);
    g->state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    draw(g, 2);
    g->opset = 1 + (int)draw(g, 25);
    if (draw(g, 3)) g->opset = 7 + (int)draw(g, 19);
    for (int k = 0; k < MAX_RANK; k++) g->sizes[k] = of(g, sizes, 9);
    for (uint32_t i = 2 + draw(g, 4); i > 0; i--) new_input(g);
    for (uint32_t i = 1 + draw(g, 12); i > 0; i--, g->n_nodes++) makers[draw(g, 11)](g);
    size_t room = sizeof g->body + sizeof g->functions + sizeof g->inputs + 4000, n = 0;
    char *text = malloc(room);
    assert_non_null(text);
    n += (size_t)snprintf(text, room, "<ir_version: 10, opset_import: [\"\" : %d, \"own\" : 1, \"onnx_broadcast\" : 1]>\ng (%s",
                          g->opset, g->inputs);
    n += (size_t)snprintf(text + n, room - n, ", bool cond, int64 trips) => (");
    int first = g->n_inputs < g->n_values ? g->n_inputs : g->n_values - 1, n_outputs = 0;
    for (int i = first; i < g->n_values; i++) {
        if (i + 1 < g->n_values && draw(g, 3)) continue;
        char type[80];
        type_text(g, g->values[i].rank, g->values[i].full, type);
        n += (size_t)snprintf(text + n, room - n, "%s%s %s", n_outputs++ ? ", " : "", draw(g, 3) ? "float[]" : type,
                              g->values[i].name);
    }
    snprintf(text + n, room - n, ") {\n%s}\n%s", g->body, g->functions);
    return text;
}

/* ---- Judging ---- */

typedef struct results {
    ob_status status;
    byte_buffer bytes;
} results;

/* The view of input `index`: symbols and unknown sizes are 2, an unknown rank is the one that the generator drew. */
static ob_status make_input(const generator *g, const ob_session *session, size_t index, void *data, ob_view *view) {
    ob_session_value info;
    int64_t dims[MAX_RANK];
    assert_true(ob_session_input(session, index, &info));
    int rank = (int)index < g->n_inputs ? g->values[index].rank : 0;
    for (int k = 0; k < rank; k++) {
        const char *size = g->sizes[rank - 1 - k];
        bool number = size[0] >= '0' && size[0] <= '9';
        dims[k] = !(g->values[index].full >> (rank - 1 - k) & 1) ? 1 : number ? size[0] - '0' : 2;
    }
    return ob_view_init(view, data, info.dtype, rank, dims);
}

static void run(const generator *g, const ob_model *model, results *out) {
    float elements[64];
    bool condition[1] = {true};
    int64_t trips[1] = {2};
    ob_view inputs[16], outputs[MAX_VALUES] = {0};
    ob_session *session = NULL;
    ob_error error;
    *out = (results){.status = ob_session_create(model, NULL, &session, &error)};
    size_t n = session ? ob_session_input_count(session) : 0, n_outputs = session ? ob_session_output_count(session) : 0;
    assert_true(n <= 16);
    for (int i = 0; i < 64; i++) elements[i] = (float)(i % 7) * 0.375F - 1;
    for (size_t i = 0; i < n && out->status == OB_OK; i++) {
        void *data = i == n - 1 ? (void *)trips : i == n - 2 ? (void *)condition : (void *)elements;
        out->status = make_input(g, session, i, data, &inputs[i]);
    }
    if (out->status == OB_OK) out->status = ob_session_run(session, inputs, n, outputs, n_outputs, &error);
    for (size_t i = 0; i < n_outputs && out->status == OB_OK; i++) {
        append_bytes(&out->bytes, &outputs[i].dims, (size_t)outputs[i].rank * sizeof *outputs[i].dims);
        append_bytes(&out->bytes, outputs[i].data, (size_t)ob_view_count(&outputs[i]) * ob_dtype_size(outputs[i].dtype));
    }
    ob_session_close(&session);
}

static size_t n_errors_of(ob_model *model) {
    ob_report *report = NULL;
    ob_error error;
    if (ob_check(model, NULL, &report, &error) != OB_OK) return SIZE_MAX;
    size_t n = ob_report_get_summary(report).n_errors;
    ob_report_close(&report);
    return n;
}

static size_t n_clean, n_rewritten, n_refused, n_run;

/* NULL, or the error of the form. */
static const char *judge_form(const generator *g, const ob_model *model, ob_form form, const char *target,
                              const results *before) {
    static char text[700];
    byte_buffer buffer = {0};
    ob_model *made = NULL;
    ob_error error;
    const char *wrong = NULL;
    ob_status status = make_variant_for(model, form, target, &buffer, &made, &error);
    if (status == OB_OK) {
        n_rewritten++;
        results after;
        if (n_errors_of(made) != 0) wrong = "the rewritten model has errors";
        run(g, made, &after);
        if (after.status != before->status && (after.status == OB_OK || before->status == OB_OK))
            wrong = "the rewritten model runs, or fails, when the model does not";
        else if (after.status == OB_OK && (after.bytes.n != before->bytes.n ||
                                           (after.bytes.n && memcmp(after.bytes.data, before->bytes.data, after.bytes.n) != 0)))
            wrong = "the rewritten model computes something else";
        n_run += after.status == OB_OK;
        free(after.bytes.data);
    } else if (status != OB_E_UNSUPPORTED || error.code != status) {
        snprintf(text, sizeof text, "status %d, code %d: %s", status, error.code, error.message);
        wrong = text;
    } else {
        n_refused++;
    }
    ob_model_close(&made);
    free(buffer.data);
    return wrong;
}

static bool judge(uint64_t seed) {
    static generator g;
    char *text = generate(&g, seed);
    ob_model *model = NULL;
    ob_error error;
    bool right = true;
    if (ob_model_load_memory(text, strlen(text), "random", NULL, &model, &error) != OB_OK) {
        printf("seed %llu: %s\n%s", (unsigned long long)seed, error.message, text);
        free(text);
        return false;
    }
    if (n_errors_of(model) == 0) {
        n_clean++;
        results before;
        run(&g, model, &before);
        for (int form = 0; form < OB_FORM_COUNT; form++) {
            const char *wrong = judge_form(&g, model, (ob_form)form, NULL, &before);
            if (!wrong) continue;
            printf("seed %llu, %s: %s\n%s", (unsigned long long)seed, ob_form_name((ob_form)form), wrong, text);
            right = false;
        }
        for (int i = 0; i < 3; i++) {
            const char *target = ob_target_at((seed * 3 + (uint64_t)i) % ob_target_count()).name;
            const char *wrong = judge_form(&g, model, OB_FORM_COUNT, target, &before);
            if (!wrong) continue;
            printf("seed %llu, target %s: %s\n%s", (unsigned long long)seed, target, wrong, text);
            right = false;
        }
        free(before.bytes.data);
    }
    ob_model_close(&model);
    free(text);
    return right;
}

static uint64_t first_seed = 1, n_graphs = N_GRAPHS;

static void random_graphs(void **state) {
    (void)state;
    size_t n_wrong = 0;
    for (uint64_t seed = first_seed; seed < first_seed + n_graphs; seed++) n_wrong += !judge(seed);
    printf("%zu of %llu graphs check clean: %zu rewritings, %zu refused, %zu runs compared\n", n_clean,
           (unsigned long long)n_graphs, n_rewritten, n_refused, n_run);
    assert_int_equal(n_wrong, 0);
    assert_true(n_graphs < N_GRAPHS || (n_clean > N_GRAPHS / 2 && n_run > N_GRAPHS));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs)};
    if (argc > 1) first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2) n_graphs = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
