/* Omitted results: a node runs without any of its outputs, optimised and not, and the others have the same bits. For every row
 * of the operator table with a kernel, and for ONNX's node tests if they are installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "build_model.h"
#include "corpus.h"
#include "data_sets.h"
#include "onnx_broadcast/session.h"
#include "ops/library/resolve.h"
#include "row_case.h"

enum { MAX_OUTPUTS = 8 };

/* Description of the run, for the message of a failure. */
static char what[1200];
static size_t n_compared;

static bool same_bits(const ob_view *a, const ob_view *b) {
    if (a->dtype != b->dtype || a->rank != b->rank) return false;
    if (memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) != 0) return false;
    size_t n_bytes = (size_t)ob_view_count(a) * ob_dtype_size(a->dtype);
    return a->dtype == OB_STRING || n_bytes == 0 || memcmp(a->data, b->data, n_bytes) == 0;
}

static ob_status run(const ob_model *model, bool optimize, const ob_view *inputs, size_t n_inputs, ob_session **session,
                     ob_view *outputs, ob_error *error) {
    ob_session_config config;
    ob_session_config_init(&config);
    config.optimize = optimize;
    ob_status status = ob_session_create(model, &config, session, error);
    memset(outputs, 0, MAX_OUTPUTS * sizeof *outputs);
    return status ? status : ob_session_run(*session, inputs, n_inputs, outputs, model->graph->n_outputs, error);
}

static bool is_read(const ob_graph *graph, const ob_value *value) {
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_inputs; i++)
            if (node->inputs[i] == value) return true;
    return false;
}

/* Removes the outputs of `set` from node number `at` and from the graph; false if another node reads one of them. */
static bool leave_out(ob_model *model, uint32_t at, unsigned set) {
    ob_graph *graph = model->graph;
    ob_node *node = graph->first;
    while (at--) node = node->next;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const ob_value *value = node->outputs[i];
        if (!(set >> i & 1) || !value) continue;
        if (is_read(graph, value)) return false;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < graph->n_outputs; k++)
            if (graph->outputs[k] != value) graph->outputs[kept++] = graph->outputs[k];
        graph->n_outputs = kept;
        node->outputs[i] = NULL;
    }
    return true;
}

static void compare(const ob_model *model, const ob_model *full, const ob_view *inputs, size_t n_inputs, const ob_view *want,
                    bool must_run) {
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_view outputs[MAX_OUTPUTS];
        ob_session *session = NULL;
        ob_error error;
        ob_status status = run(model, optimize, inputs, n_inputs, &session, outputs, &error);
        if (status != OB_OK && must_run) fail_msg("%s, optimize %d: %s", what, optimize, error.message);
        for (uint32_t i = 0; status == OB_OK && must_run && i < model->graph->n_outputs; i++)
            for (uint32_t k = 0; k < full->graph->n_outputs; k++)
                if (strcmp(model->graph->outputs[i]->name, full->graph->outputs[k]->name) == 0) {
                    if (!same_bits(&outputs[i], &want[k])) fail_msg("%s, optimize %d: other bits", what, optimize);
                    n_compared++;
                }
        ob_session_close(&session);
    }
}

/* Omits every set of outputs of every node; if there are many outputs, each one alone. */
static void try_all(const ob_model *model, const char *name, const ob_view *inputs, size_t n_inputs) {
    ob_view want[MAX_OUTPUTS];
    ob_session *session = NULL;
    ob_error error;
    uint32_t at = 0;
    if (model->graph->n_outputs > MAX_OUTPUTS) return;
    bool runs = run(model, false, inputs, n_inputs, &session, want, &error) == OB_OK;
    for (const ob_node *node = model->graph->first; node; node = node->next, at++) {
        unsigned n = node->n_outputs, n_sets = n <= 4 ? 1u << n : n;
        for (unsigned set = 1; set < n_sets; set++) {
            ob_model *copy = NULL;
            assert_int_equal(ob_model_clone(model, &copy, NULL), OB_OK);
            snprintf(what, sizeof what, "%s, node %u without outputs %x", name, at, n <= 4 ? set : 1u << set);
            if (leave_out(copy, at, n <= 4 ? set : 1u << set)) compare(copy, model, inputs, n_inputs, want, runs);
            ob_model_close(&copy);
        }
    }
    ob_session_close(&session);
}

/* ---- The table ---- */

/* One node of that row, operands of one element each. */
static void try_row(const ob_op *op, int32_t rank, uint32_t n_inputs, uint32_t n_outputs) {
    static const int64_t ones[OB_MAX_RANK] = {1, 1, 1, 1, 1};
    char name[100];
    ob_model *model = row_model(op, rank, ones, ROW_LISTS, n_inputs, n_outputs);
    snprintf(name, sizeof name, "%s-%d of rank %d, %u inputs, %u outputs", op->name, op->since, rank, n_inputs, n_outputs);
    try_all(model, name, NULL, 0);
    ob_model_close(&model);
}

static void every_row(void **state) {
    (void)state;
    size_t n_rows = 0;
    n_compared = 0;
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        if (!op->kernel || op->deprecated) continue;
        n_rows++;
        uint32_t most_in = op->in_max < 8 ? (uint32_t)op->in_max : 8, most_out = op->out_max < 4 ? (uint32_t)op->out_max : 4;
        for (int32_t rank = 0; rank <= 4; rank++)
            for (uint32_t n = most_out; n >= (op->out_min ? (uint32_t)op->out_min : 1); n--) {
                try_row(op, rank, (uint32_t)op->in_min, n);
                if (most_in > (uint32_t)op->in_min) try_row(op, rank, most_in, n);
            }
    }
    print_message("%zu rows, %zu results compared\n", n_rows, n_compared);
    assert_true(n_rows > 300 && n_compared > 20);
}

/* ---- Nodes that need all their outputs ---- */

/* y = x + x beside nodes whose results are all omitted: they used to divide by zero and to write through NULL. */
static void nothing_is_wanted(void **state) {
    static const char *const ops[] = {"Shape", "Size", "ReduceSum", "ReduceMax", "Erf", "Relu", "Add", "Max", "ArgMax", "ArgMin"};
    (void)state;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        for (int rank = strncmp(ops[i], "Arg", 3) == 0; rank < 3; rank++) {
            float three = 3;
            ob_model *model = new_model(13);
            ob_value *x = new_input(model, "x", OB_FLOAT, rank == 0 ? "" : rank == 1 ? "1" : "1 1");
            new_output(model, new_node(model, "Add", "y", 2, x, x));
            uint32_t n = strcmp(ops[i], "Add") == 0 ? 2 : 1;
            ob_node *node = ob__node_new(model->graph, NULL, "", ops[i], n, 1);
            assert_non_null(node);
            for (uint32_t k = 0; k < n; k++) node->inputs[k] = x;
            ob_view input = rank == 0   ? view_of(&three, OB_FLOAT, 0)
                            : rank == 1 ? view_of(&three, OB_FLOAT, 1, 1)
                                        : view_of(&three, OB_FLOAT, 2, 1, 1),
                    outputs[MAX_OUTPUTS];
            for (int optimize = 0; optimize < 2; optimize++) {
                ob_session *session = NULL;
                ob_error error;
                ob_session_memory memory;
                if (run(model, optimize, &input, 1, &session, outputs, &error) != OB_OK)
                    fail_msg("%s: %s", ops[i], error.message);
                assert_true(*(float *)outputs[0].data == 6);
                ob_session_get_memory(session, &memory);
                assert_int_equal(memory.n_steps, 1);
                ob_session_close(&session);
            }
            ob_model_close(&model);
        }
}

/* ---- ONNX's node tests ---- */

static void try_test(void *context, const char *path) {
    static tensors in;
    char folder[1100];
    ob_view inputs[MAX_TENSORS];
    ob_model *model = NULL;
    ob_error error;
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s/test_data_set_0", (int)(slash - path), path);
    if (ob_model_load(path, NULL, &model, &error) != OB_OK) return;
    if (read_tensors(folder, "input", &in, &error) == OB_OK && ob__model_resolve_ops(model) == OB_OK) {
        uint32_t at = 0;
        for (uint32_t i = 0; i < model->graph->n_inputs && at < in.n; i++)
            if (!model->graph->inputs[i]->is_initializer)
                retype_bfloat16(&in.items[at++].view, model->graph->inputs[i]->declared.dtype);
        for (size_t i = 0; i < in.n; i++) inputs[i] = in.items[i].view;
        try_all(model, path, inputs, in.n);
        ++*(size_t *)context;
    }
    release_tensors(&in);
    ob_model_close(&model);
}

static void every_node_test(void **state) {
    (void)state;
    size_t n = 0;
    n_compared = 0;
    corpus_walk("/usr/share/libonnx-testdata/data/node", 1, try_test, &n);
    if (n == 0) {
        print_message("skipped: no node tests\n");
        skip();
    }
    print_message("%zu tests, %zu results compared\n", n, n_compared);
    assert_true(n_compared > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_wanted),
        cmocka_unit_test(every_row),
        cmocka_unit_test(every_node_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
