/* Rewriting for deployment targets: forms of single nodes, as text; random nodes of up to eight axes for every target; models.
 * Afterwards the node keeps the rules that its form decides or was left with a reason, and computes the same bits. `test NAME
 * SEED N` draws N models from that seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/graph/graph.h"
#include "corpus.h"
#include "model_text.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "variants.h"

/* ---- Rewriting, and the issues that are left ---- */

typedef struct notes {
    char names[20000]; /* of nodes that stay, each between newlines */
    size_t n;
} notes;

static void add_note(void *context, const char *node, const char *op_type, const char *reason) {
    notes *all = context;
    (void)op_type;
    assert_true(reason && reason[0]);
    all->n++;
    size_t at = strlen(all->names);
    snprintf(all->names + at, sizeof all->names - at, "\n%s\n", node);
}

static ob_rewrite_stats rewrite_for(ob_model *model, const char *target, notes *left) {
    ob_rewrite_stats stats;
    ob_error error;
    *left = (notes){.n = 0};
    const ob_rewrite_options options = {.note = add_note, .context = left};
    if (ob_rewrite_for_target(model, target, &options, &stats, &error) != OB_OK) fail_msg("%s: %s", target, error.message);
    assert_int_equal(stats.n_left, left->n);
    return stats;
}

/* A rule that the form of a node decides. */
static bool is_about_form(const ob_target_row *rule) {
    return strcmp(rule->what, "most axes") == 0 || strcmp(rule->what, "ranks") == 0 ||
           strcmp(rule->what, "stretched operand") == 0 || strcmp(rule->what, "stretched axes") == 0;
}

/* The number of findings about rules that the form decides, at nodes without a note. */
static size_t n_unexplained(ob_model *model, const char *target, const notes *left) {
    ob_check_options options;
    ob_report *report = NULL;
    ob_error error;
    size_t n = 0;
    ob_check_options_init(&options);
    options.targets = &target;
    options.n_targets = 1;
    if (ob_check(model, &options, &report, &error) != OB_OK) fail_msg("%s", error.message);
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info info;
        char name[300];
        assert_int_equal(ob_report_finding(report, i, &info), OB_OK);
        if (!info.rule || !is_about_form(info.rule)) continue;
        snprintf(name, sizeof name, "\n%s\n", info.node);
        n += !strstr(left->names, name);
    }
    ob_report_close(&report);
    return n;
}

static bool changes_nothing(ob_model *model, const char *target) {
    notes left;
    ob_rewrite_stats stats = rewrite_for(model, target, &left);
    return stats.n_inserted + stats.n_weights + stats.n_exchanged + stats.n_removed == 0;
}

/* ---- Forms ---- */

static const struct {
    const char *target, *graph, *nodes; /* after the rewriting, without constants */
    size_t n_left;
} forms[] = {
    {"tosa-8k", "g (float[2,3] x) => (float[2,3] y) <float[3] b = {1, 2, 3}> { y = Add (x, b) }", "Add(x[2,3],b[1,3])", 0},
    {"tosa-8k", "g (float[2,3] x, float[3] b) => (float[2,3] y) { y = Add (x, b) }", "Unsqueeze(b[3])Add(x[2,3],b_fitted[1,3])",
     0},
    {"tosa-8k", "g (float[N,3] x, float[3] b) => (float[N,3] y) { y = Add (x, b) }", "Unsqueeze(b[3])Add(x[N,3],b_fitted[1,3])",
     0},
    {"tosa-8k", "g (float[2,3] x) => (float[2,3] y, float[2,3] z) <float[3] b = {1, 2, 3}> { y = Add (x, b) z = Mul (x, b) }",
     "Unsqueeze(b[3])Add(x[2,3],b_fitted[1,3])Unsqueeze(b[3])Mul(x[2,3],b_fitted_N[1,3])", 0},
    {"tosa-8k", "g (bool[3] c, float[2,3] x, float z) => (float[2,3] y) { y = Where (c, x, z) }",
     "Unsqueeze(c[3])Unsqueeze(z[])Where(c_fitted[1,3],x[2,3],z_fitted[1,1])", 0},
    {"tosa-8k", "g (float[5,2,3] x, float[3,4] w) => (float[5,2,4] y) { y = MatMul (x, w) }",
     "Reshape(x[5,2,3])Reshape(w[3,4])MatMul(x_fitted[1,10,3],w_fitted[1,3,4])Reshape(y_fitted[1,10,4])", 0},
    {"tosa-8k", "g (float[2,3] x, float[3] w) => (float[2] y) { y = MatMul (x, w) }", "MatMul(x[2,3],w[3])", 0},
    {"tosa-8k", "g (float[1,1,1,1,1,1,2] x, float[2] b) => (float[1,1,1,1,1,1,2] y) { y = Add (x, b) }",
     "Add(x[1,1,1,1,1,1,2],b[2])", 1},
    {"tosa-8k", "g (double[2,3] x, double[3] b) => (double[2,3] y) { y = Add (x, b) }", "Add(x[2,3],b[3])", 1},
    {"onnx-opset-1-6", "g (float[2,3] x, float[3] b) => (bool[2,3] y) { y = Less (b, x) }", "Greater(x[2,3],b[3])", 0},
    {"onnx-opset-1-6", "g (float[2,3] x, float[3] b) => (float[2,3] y) { y = Add (b, x) }", "Add(x[2,3],b[3])", 0},
    {"onnx-opset-1-6", "g (float[2,3] x, float[3] b) => (float[2,3] y) { y = Sub (b, x) }", "Sub(b[3],x[2,3])", 1},
    {"onnx-opset-1-6", "g (float[2,3] x) => (float[2,3] y) <float[3] b = {1, 2, 3}> { y = Sub (b, x) }", "Sub(b[2,3],x[2,3])", 0},
    {"stablehlo", "g (float[N,1] x, float[1,M] b) => (float[N,M] y) { y = Add (x, b) }",
     "Shape(x[N,1])Gather(broadcast_shape[2])Shape(b[1,M])Gather(broadcast_shape_N[2])Concat(broadcast_size[1],broadcast_size_N["
     "1])Expand(x[N,1])Concat(broadcast_size[1],broadcast_size_N[1])Expand(b[1,M])Add(x_fitted[N,M],b_fitted[N,M])",
     0},
    {"stablehlo", "g (bool c, float[2,3] x, float[2,3] z) => (float[2,3] y) { y = Where (c, x, z) }", "Where(c[],x[2,3],z[2,3])",
     0},
    {"tflite-gpu", "g (float[2,1] x, float[1,3] b) => (float[2,3] y) { y = Add (x, b) }", "Add(x[2,1],b[1,3])", 1},
    {"tflite-classic", "g (float[2,2,2,3,2] x, float[3,2] b) => (bool[2,2,2,3,2] y) { y = Less (x, b) }",
     "Reshape(x[2,2,2,3,2])Reshape(b[3,2])Less(x_fitted[8,6],b_fitted[1,6])Reshape(y_fitted[8,6])", 0},
    {"tflite-classic", "g (float[2,2,2,2,2,2] x, float[2,1,2,1,2,1] b) => (float[2,2,2,2,2,2] y) { y = Pow (x, b) }",
     "Expand(b[2,1,2,1,2,1])Pow(x[2,2,2,2,2,2],b_fitted[2,2,2,2,2,2])", 0},
    {"hls4ml-parallel", "g (float[2,3,4] x, float[2,3,1] b) => (float[2,3,4] y) { y = Mul (x, b) }", "Mul(x[2,3,4],b[2,3,1])", 1},
    {"qnn-htp", "g (float[2,3,4] x) => (float[2,3,4] y) <float[1,1,4] s = {1, 2, 3, 4}> { y = LayerNormalization (x, s) }",
     "LayerNormalization(x[2,3,4],s[4])", 0},
    {"sonnx", "g (float[2,3] x, float[3] b) => (float[2,3] y) { y = Add (x, b) }", "Add(x[2,3],b[3])", 1},
    {"xnnpack", "g (bool[3] c, float[2,3] x, float z) => (float[2,3] y) { y = Where (c, x, z) }", "Where(c[3],x[2,3],z[])", 1},
};

/* Numbers at the end of new names are N: they depend on the values of the model. */
static void add_name(char *text, const char *name) {
    const char *digits = name + strlen(name);
    while (digits > name && digits[-1] >= '0' && digits[-1] <= '9') digits--;
    if (digits > name && digits[-1] == '_' && *digits)
        sprintf(text + strlen(text), "%.*sN", (int)(digits - name), name);
    else
        strcat(text, name);
}

static void add_shape(char *text, ob_report *report, const ob_shape *shape) {
    strcat(text, "[");
    for (int32_t i = 0; i < shape->rank; i++) {
        char size[100];
        ob_dim_format(ob_report_dims(report), shape->dims[i], size, sizeof size);
        sprintf(text + strlen(text), "%s%s", i ? "," : "", size);
    }
    strcat(text, "]");
}

/* "Add(x[2,3],b[1,3])" for each node but constants; of Expand, Reshape, Unsqueeze and Gather only the first operand. */
static void describe_nodes(ob_model *model, char *text) {
    ob_report *report = check_model(model);
    text[0] = '\0';
    for (const ob_node *node = model->graph->first; node; node = node->next) {
        if (strcmp(node->op_type, "Constant") == 0) continue;
        static const char *const one[] = {"Expand", "Reshape", "Unsqueeze", "Gather"};
        uint32_t n = node->n_inputs;
        for (int i = 0; i < 4; i++)
            if (strcmp(node->op_type, one[i]) == 0) n = 1;
        sprintf(text + strlen(text), "%s(", node->op_type);
        for (uint32_t i = 0; i < n; i++) {
            ob_value_info info;
            size_t index = 0;
            while (ob_report_value(report, index, &info) == OB_OK && strcmp(info.name, node->inputs[i]->name) != 0) index++;
            if (i) strcat(text, ",");
            add_name(text, node->inputs[i]->name);
            add_shape(text, report, &info.shape);
        }
        strcat(text, ")");
    }
    ob_report_close(&report);
}

static void test_forms(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[4000];
        notes left;
        snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 17]>\n%s", forms[i].graph);
        ob_model *model = read_text(text);
        rewrite_for(model, forms[i].target, &left);
        describe_nodes(model, text);
        if (strcmp(text, forms[i].nodes) != 0 || left.n != forms[i].n_left)
            fail_msg("%s, %s:\n%s, %zu left", forms[i].target, forms[i].graph, text, left.n);
        if (n_unexplained(model, forms[i].target, &left)) fail_msg("%s, %s: findings", forms[i].target, forms[i].graph);
        if (!changes_nothing(model, forms[i].target)) fail_msg("%s, %s: changes again", forms[i].target, forms[i].graph);
        ob_model_close(&model);
    }
}

/* ---- Random nodes ---- */

enum { N_MODELS = 3000, MOST_ELEMS = 40000 };
static uint64_t first_seed = 1, n_models = N_MODELS, random_state;

static uint32_t draw(uint32_t n) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % n;
}

static void sizes_text(char *text, const int *sizes, int from, int rank, bool ones) {
    *text = '\0';
    for (int i = from; i < rank; i++) sprintf(text + strlen(text), "%s%d", i > from ? "," : "", ones && draw(2) ? 1 : sizes[i]);
}

/* One or two nodes with operands of up to eight axes, inputs and weights. Sizes 0 to 3. */
static char *random_model(void) {
    static const char *const ops[] = {"Add", "Sub",   "Mul",    "Div",   "Pow",   "Less", "GreaterOrEqual",
                                      "Max", "Where", "MatMul", "PRelu", "Expand"};
    static char text[60000];
    char shapes[3][80], types[3][100];
    int sizes[9], rank = (int)draw(9);
    const char *op = ops[draw(12)];
    uint32_t n = strcmp(op, "Where") == 0 ? 3 : strcmp(op, "Expand") == 0 ? 1 : 2;
    int64_t counts[3];
    for (int i = 0; i < rank; i++) sizes[i] = draw(12) ? 1 + (int)draw(3) : (int)draw(2) * 2;
    for (uint32_t i = 0; i < n; i++) {
        bool first = i == 0 && strcmp(op, "PRelu") == 0;
        sizes_text(shapes[i], sizes, first ? 0 : (int)draw((uint32_t)rank + 1), rank, !first);
        if (strcmp(op, "MatMul") == 0) sprintf(shapes[i] + strlen(shapes[i]), "%s%s", shapes[i][0] ? "," : "", i ? "3,2" : "2,3");
        counts[i] = 1;
        for (const char *at = shapes[i]; *at; at++)
            if (*at != ',') counts[i] *= *at - '0';
        sprintf(types[i], shapes[i][0] ? "%s[%s]" : "%s%s", n == 3 && i == 0 ? "bool" : "float", shapes[i]);
    }
    size_t at = (size_t)sprintf(text, "<ir_version: 8, opset_import: [\"\" : %d]>\ng (float[1] unused", 12 + (int)draw(7));
    bool weight[3];
    for (uint32_t i = 0; i < n; i++) {
        weight[i] = draw(2) && counts[i] > 0 && counts[i] < 500;
        if (!weight[i]) at += (size_t)sprintf(text + at, ", %s x%u", types[i], i);
    }
    at += (size_t)sprintf(text + at, ") => (%s[] y, float[] z)", op[0] == 'L' || op[0] == 'G' ? "bool" : "float");
    for (uint32_t i = 0, seen = 0; i < n; i++) {
        if (!weight[i]) continue;
        at += (size_t)sprintf(text + at, "%s%s x%u = {", seen++ ? ", " : "\n<", types[i], i);
        for (int64_t k = 0; k < counts[i]; k++)
            at += (size_t)sprintf(text + at, n == 3 && i == 0 ? "%s%lld" : "%s%lld.5", k ? ", " : "",
                                  (long long)(n == 3 && i == 0 ? k % 2 : k % 7));
        at += (size_t)sprintf(text + at, "}");
    }
    if (text[at - 1] == '}') at += (size_t)sprintf(text + at, ">");
    at += (size_t)sprintf(text + at, " {\n");
    if (n == 1) {
        at += (size_t)sprintf(text + at, "  shape = Constant <value = int64[%d] {", rank);
        for (int i = 0; i < rank; i++) at += (size_t)sprintf(text + at, "%s%d", i ? ", " : "", sizes[i]);
        at += (size_t)sprintf(text + at, "}> ()\n  y = Expand (x0, shape)\n");
    } else {
        at += (size_t)sprintf(text + at, "  y = %s (x0, x1%s)\n", op, n == 3 ? ", x2" : "");
    }
    /* Another reader of an operand, sometimes. */
    sprintf(text + at, "  z = Identity (%s)\n}\n", draw(3) || n == 3 ? "unused" : "x0");
    return text;
}

static void run_model(const ob_model *model, byte_buffer *out) {
    static float elements[MOST_ELEMS];
    ob_session *session = NULL;
    ob_error error;
    ob_view inputs[4], outputs[2] = {0};
    if (ob_session_create(model, NULL, &session, &error) != OB_OK) fail_msg("%s", error.message);
    for (size_t i = 0; i < MOST_ELEMS; i++) elements[i] = (float)(i % 11) * 0.375F - 1;
    static bool truths[MOST_ELEMS];
    for (size_t i = 0; i < MOST_ELEMS; i++) truths[i] = i % 3 == 1;
    size_t n = ob_session_input_count(session);
    assert_true(n <= 4);
    for (size_t i = 0; i < n; i++) {
        ob_session_value info;
        assert_true(ob_session_input(session, i, &info));
        void *data = info.dtype == OB_BOOL ? (void *)truths : (void *)elements;
        assert_int_equal(ob_view_init(&inputs[i], data, info.dtype, info.shape.rank, info.shape.dims), OB_OK);
        assert_true(ob_view_count(&inputs[i]) <= MOST_ELEMS);
    }
    if (ob_session_run(session, inputs, n, outputs, 2, &error) != OB_OK) fail_msg("%s", error.message);
    for (size_t i = 0; i < 2; i++) {
        append_bytes(out, &outputs[i].dims, (size_t)outputs[i].rank * sizeof *outputs[i].dims);
        for (int64_t k = 0; outputs[i].dtype == OB_FLOAT && k < ob_view_count(&outputs[i]); k++) {
            float *element = (float *)outputs[i].data + k;
            if (*element != *element) *element = NAN; /* which NaN depends on the order of operands */
        }
        append_bytes(out, outputs[i].data, (size_t)ob_view_count(&outputs[i]) * ob_dtype_size(outputs[i].dtype));
    }
    ob_session_close(&session);
}

static size_t n_changed, n_notes;

static void try_target(const char *text, const ob_model *model, const byte_buffer *before, const char *target) {
    ob_model *copy = NULL, *read = NULL;
    byte_buffer after = {0}, written = {0};
    notes left;
    ob_error error;
    assert_int_equal(ob_model_clone(model, &copy, NULL), OB_OK);
    ob_rewrite_stats stats = rewrite_for(copy, target, &left);
    n_changed += stats.n_inserted + stats.n_weights + stats.n_exchanged > 0;
    n_notes += left.n;
    assert_int_equal(ob_model_write(copy, OB_FORMAT_PROTOBUF, append_bytes, &written, NULL), OB_OK);
    if (ob_model_load_memory(written.data, written.n, "copy", NULL, &read, &error) != OB_OK) fail_msg("%s", error.message);
    run_model(read, &after);
    if (after.n != before->n || memcmp(after.data, before->data, after.n) != 0) fail_msg("%s: other bits\n%s", target, text);
    if (n_unexplained(read, target, &left)) fail_msg("%s: findings remain\n%s", target, text);
    if (!changes_nothing(read, target)) fail_msg("%s: changes again\n%s", target, text);
    ob_model_close(&read);
    ob_model_close(&copy);
    free(after.data);
    free(written.data);
}

static void test_random_nodes(void **state) {
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + n_models; seed++) {
        random_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
        const char *text = random_model();
        ob_model *model = read_text(text);
        byte_buffer before = {0};
        run_model(model, &before);
        for (size_t i = 0; i < 10; i++) try_target(text, model, &before, ob_target_at((seed * 10 + i) % ob_target_count()).name);
        free(before.data);
        ob_model_close(&model);
    }
    printf("%zu rewritings changed a model, %zu notes\n", n_changed, n_notes);
    assert_true(n_models < N_MODELS || (n_changed > 2000 && n_notes > 500));
}

/* ---- Open sizes ---- */

static const char *const open_graphs[] = {
    "g (float[N,1] x, float[1,M] b) => (float[N,M] y) { y = Add (x, b) }",
    "g (float[N,M] x, float[M] b) => (bool[N,M] y) { y = Less (b, x) }",
    "g (float[N,M] x, float[K,M] b) => (float[] y) { y = Sub (x, b) }",
    "g (float[N,M] x, float[N,1] z, float w) => (float[N,M] y) { y = Max (z, x, w) }",
    "g (float[N,1] c, float[N,M] x, float[M] z) => (float[N,M] y) { t = Greater (c, c) y = Where (t, x, z) }",
    "g (float[N,M,3] x) => (float[N,M,2] y) <float[3,2] w = {1, 2, 3, 4, 5, 6}> { y = MatMul (x, w) }",
    "g (float[N,2,M,3] x, float[M,3] s) => (float[N,2,M,3] y) { y = PRelu (x, s) }",
    "g (float[N,M,4] x, float[1,4] b) => (float[N,M,4] y) <float[4] s = {1, 2, 3, 4}> { y = LayerNormalization (x, s, b) }",
    "g (float[N,3] x, float[3,M] w, float[M] c) => (float[N,M] y) { y = Gemm (x, w, c) }",
    "g (float[N,1,M] x, float[1,N,1,1] s) => (float[] y) { y = Pow (x, s) }",
    "g (float[M] x, float[N,M] like) => (float[N,M] y) { h = Shape (like) y = Expand (x, h) }",
};

/* Runs with these sizes of N, M and K; the status of the run. */
static ob_status run_with(const ob_model *model, const int64_t sizes[3], byte_buffer *out) {
    static float elements[4096];
    ob_session *session = NULL;
    ob_error error;
    ob_view inputs[4], outputs[1] = {0};
    if (ob_session_create(model, NULL, &session, &error) != OB_OK) fail_msg("%s", error.message);
    for (size_t i = 0; i < 4096; i++) elements[i] = (float)(i % 7) * 0.5F + 0.25F;
    size_t n = ob_session_input_count(session);
    for (size_t i = 0; i < n; i++) {
        ob_session_value info;
        int64_t dims[4];
        assert_true(ob_session_input(session, i, &info) && info.shape.rank <= 4);
        for (int32_t k = 0; k < info.shape.rank; k++) {
            char size[40];
            ob_dim_format(ob_session_dims(session), info.shape.dims[k], size, sizeof size);
            dims[k] = *size == 'N' ? sizes[0] : *size == 'M' ? sizes[1] : *size == 'K' ? sizes[2] : strtol(size, NULL, 10);
        }
        assert_int_equal(ob_view_init(&inputs[i], elements, info.dtype, info.shape.rank, dims), OB_OK);
    }
    ob_status status = ob_session_run(session, inputs, n, outputs, 1, &error);
    if (status == OB_OK) {
        append_bytes(out, &outputs[0].dims, (size_t)outputs[0].rank * sizeof *outputs[0].dims);
        append_bytes(out, outputs[0].data, (size_t)ob_view_count(&outputs[0]) * ob_dtype_size(outputs[0].dtype));
    }
    ob_session_close(&session);
    return status;
}

/* The rewritten model accepts the same sizes, and computes the same for each. */
static void test_open_sizes(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{1, 1, 1}, {2, 3, 2}, {3, 2, 1}, {2, 3, 5}, {0, 3, 0}, {3, 0, 1}, {1, 5, 4}};
    size_t n_same = 0, n_inserted = 0;
    for (size_t i = 0; i < sizeof open_graphs / sizeof *open_graphs; i++)
        for (size_t t = 0; t < ob_target_count(); t++) {
            char text[1000];
            notes left;
            const char *target = ob_target_at(t).name;
            snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 17]>\n%s", open_graphs[i]);
            ob_model *model = read_text(text), *copy = NULL;
            assert_int_equal(ob_model_clone(model, &copy, NULL), OB_OK);
            n_inserted += rewrite_for(copy, target, &left).n_inserted;
            if (n_unexplained(copy, target, &left)) fail_msg("%s, %s: findings", target, open_graphs[i]);
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                byte_buffer before = {0}, after = {0};
                ob_status was = run_with(model, sizes[k], &before), is = run_with(copy, sizes[k], &after);
                bool same = was == is && before.n == after.n && (before.n == 0 || memcmp(before.data, after.data, after.n) == 0);
                if (!same) fail_msg("%s, %s: sizes %zu: %d and %d", target, open_graphs[i], k, (int)was, (int)is);
                n_same += was == OB_OK;
                free(before.data);
                free(after.data);
            }
            ob_model_close(&copy);
            ob_model_close(&model);
        }
    printf("%zu runs compared, %zu nodes inserted\n", n_same, n_inserted);
    assert_true(n_same > 1000 && n_inserted > 20);
}

/* ---- Models ---- */

static void try_model(void *context, const char *path) {
    ob_model *model = NULL;
    ob_error error;
    struct stat info;
    if (stat(path, &info) != 0 || info.st_size > 100000000 || ob_model_load(path, NULL, &model, &error) != OB_OK) return;
    ob_report *report = check_model(model);
    bool sound = ob_report_get_summary(report).n_errors == 0;
    ob_report_close(&report);
    for (size_t i = 0; sound && i < ob_target_count(); i++) {
        const char *target = ob_target_at(i).name;
        ob_model *copy = NULL;
        notes *left = calloc(1, sizeof *left);
        ob_rewrite_stats stats;
        const ob_rewrite_options options = {.note = add_note, .context = left};
        assert_non_null(left);
        assert_int_equal(ob_model_clone(model, &copy, NULL), OB_OK);
        ob_status status = ob_rewrite_for_target(copy, target, &options, &stats, &error);
        if (status != OB_OK && status != OB_E_UNSUPPORTED) fail_msg("%s, %s: %s", path, target, error.message);
        if (status == OB_OK && n_unexplained(copy, target, left)) fail_msg("%s, %s: findings remain", path, target);
        ++*(size_t *)context;
        ob_model_close(&copy);
        free(left);
    }
    ob_model_close(&model);
}

static void test_models(void **state) {
    (void)state;
    printf("%zu rewritings of models\n", corpus_each_model(try_model));
}

static void test_arguments(void **state) {
    (void)state;
    ob_model *model = read_text("<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] x) => (float[2] y) { y = Add (x, x) }");
    assert_int_equal(ob_rewrite_for_target(NULL, "tosa-8k", NULL, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_rewrite_for_target(model, NULL, NULL, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_rewrite_for_target(model, "tosa", NULL, NULL, NULL), OB_E_NOT_FOUND);
    assert_int_equal(ob_rewrite_for_target(model, "", NULL, NULL, NULL), OB_E_NOT_FOUND);
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_arguments),
                                       cmocka_unit_test(test_random_nodes), cmocka_unit_test(test_open_sizes),
                                       cmocka_unit_test(test_models)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
    if (argc > 3) n_models = strtoull(argv[3], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
