/* Propagation through whole models: order, declared types, subgraphs, functions, conditions, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "build_model.h"
#include "corpus.h"
#include "model_text.h"
#include "ops/library/resolve.h"
#include "ops/table/op.h"
#include "passes/check/propagate.h"

typedef struct run {
    ob_model *model;
    ob_facts facts;
    ob_findings findings;
} run;

static run propagate_with(ob_model *model, const ob_propagate_options *options) {
    run r = {.model = model};
    ob__facts_init(&r.facts, NULL);
    ob__findings_init(&r.findings, NULL);
    assert_int_equal(ob__model_resolve_ops(model), OB_OK);
    assert_int_equal(ob__propagate(model, options, &r.facts, &r.findings), OB_OK);
    return r;
}

static run propagate(ob_model *model) {
    return propagate_with(model, NULL);
}

static void finish(run *r) {
    ob__facts_release(&r->facts);
    ob__findings_release(&r->findings);
    ob_model_close(&r->model);
}

/* "[N, 3, ?]" */
static void assert_shape(const run *r, const ob_value *value, const char *expected) {
    char text[400];
    write_shape(r->model->dims, &ob__fact(&r->facts, value)->type.shape, text);
    assert_string_equal(text, expected);
}

static size_t count(const run *r, ob_finding_id id) {
    size_t n = 0;
    for (uint32_t i = 0; i < r->findings.n; i++) n += r->findings.items[i].id == id;
    return n;
}

static const ob_finding *only(const run *r, ob_finding_id id) {
    assert_int_equal(r->findings.n, 1);
    assert_int_equal(r->findings.items[0].id, id);
    return &r->findings.items[0];
}

static void declare(ob_value *value, ob_dtype dtype, int32_t rank, const ob_dim *dims) {
    value->declared = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = dtype, .shape = {rank, dims}};
}

/* ---- Order ---- */

static void unknown_sizes_keep_their_identity(void **state) {
    (void)state;
    ob_model *model = new_model(17);
    ob_value *x = new_input(model, "x", OB_FLOAT, "? 3");
    ob_value *r = new_node(model, "Relu", "r", 1, x), *y = new_node(model, "Add", "y", 2, x, r);
    run done = propagate(model);
    assert_shape(&done, y, "[?, 3]");
    assert_int_equal(done.findings.n, 0);
    assert_int_equal(done.facts.n_conditions, 0);
    finish(&done);
}

static void disorder_is_reported_and_sorted_out(void **state) {
    (void)state;
    ob_model *model = new_model(17);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 3");
    ob_value *late = ob__value_new(model->graph, "late"), *y = new_node(model, "Neg", "y", 1, late);
    ob_node *node = ob__node_new(model->graph, NULL, "", "Transpose", 1, 1);
    node->inputs[0] = x;
    ob__node_set_output(node, 0, late);
    assert_int_equal(ob__model_sort(model), OB_OK);
    assert_ptr_equal(model->graph->first, node);
    assert_ptr_equal(model->graph->last, y->producer);
    run done = propagate(model);
    assert_ptr_equal(only(&done, OB0702)->node, y->producer);
    assert_shape(&done, y, "[3, N]");
    finish(&done);
}

static void cycles_are_named(void **state) {
    (void)state;
    for (int length = 1; length <= 3; length++) {
        ob_model *model = new_model(17);
        ob_value *x = new_input(model, "x", OB_FLOAT, "2");
        ob_value *first = ob__value_new(model->graph, "back"), *at = first;
        for (int i = 1; i < length; i++) {
            char name[16];
            snprintf(name, sizeof name, "v%d", i);
            at = new_node(model, "Relu", name, 1, at);
        }
        ob_node *closing = ob__node_new(model->graph, NULL, "", "Add", 2, 1);
        closing->inputs[0] = x;
        closing->inputs[1] = at;
        ob__node_set_output(closing, 0, first);
        ob_value *behind = new_node(model, "Neg", "behind", 1, first), *beside = new_node(model, "Neg", "beside", 1, x);
        run done = propagate(model);
        assert_int_equal(count(&done, OB0701), 1);
        assert_shape(&done, behind, "[...]");
        assert_shape(&done, beside, "[2]");
        finish(&done);
    }
}

static void long_chains_are_linear_in_memory_and_stack(void **state) {
    (void)state;
    enum { N = 100000 };
    for (int reversed = 0; reversed < 2; reversed++) {
        ob_model *model = new_model(17);
        ob_value *x = new_input(model, "x", OB_FLOAT, "N 3"), *bias = new_input(model, "bias", OB_FLOAT, "3"), *at = x;
        ob_value *last = NULL;
        for (int i = 0; i < N; i++) {
            char name[16];
            snprintf(name, sizeof name, "v%d", i);
            ob_node *node = ob__node_new(model->graph, reversed ? model->graph->first : NULL, "", "Add", 2, 1);
            node->inputs[0] = at;
            node->inputs[1] = bias;
            ob__node_set_output(node, 0, last = at = ob__value_new(model->graph, name));
        }
        assert_int_equal(ob__model_sort(model), OB_OK);
        assert_int_equal(model->graph->n_early, reversed ? N - 1 : 0);
        run done = propagate(model);
        assert_shape(&done, last, "[N, 3]");
        assert_int_equal(count(&done, OB0702), reversed);
        assert_true(done.facts.arena.n_bytes < (size_t)N * 512);
        finish(&done);
    }
}

/* ---- Declared and inferred ---- */

static void declared_types_are_verified(void **state) {
    (void)state;
    ob_model *model = new_model(17);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 3"), *u = new_input(model, "u", OB_FLOAT, "...");
    ob_value *wrong = new_node(model, "Relu", "wrong", 1, x), *rank = new_node(model, "Relu", "rank", 1, x);
    ob_value *type = new_node(model, "Relu", "type", 1, x), *label = new_node(model, "Relu", "label", 1, x);
    ob_value *conditional = new_node(model, "Relu", "conditional", 1, x),
             *only_declared = new_node(model, "Relu", "declared", 1, u);
    ob_value *sized = new_node(model, "NonZero", "sized", 1, x);
    const ob_dim other = ob_dim_symbol(model->dims, "other");
    const ob_dim four[2] = {OB_DIM_UNKNOWN, 4}, names[2] = {other, other}, constant[2] = {5, 3}, two_seven[2] = {2, 7};
    declare(wrong, OB_FLOAT, 2, four);
    declare(rank, OB_FLOAT, 1, four);
    declare(type, OB_INT64, 2, names);
    declare(label, OB_FLOAT, 2, names);
    declare(conditional, OB_FLOAT, 2, constant);
    declare(only_declared, OB_FLOAT, 2, names);
    declare(sized, OB_INT64, 2, two_seven);
    run done = propagate(model);
    assert_int_equal(count(&done, OB0501), 2);
    assert_int_equal(count(&done, OB0502), 1);
    assert_int_equal(count(&done, OB0503), 1);
    assert_int_equal(done.findings.n, 4);
    assert_shape(&done, wrong, "[N, 3]");
    assert_shape(&done, rank, "[N, 3]");
    assert_shape(&done, label, "[N, 3]"); /* a declared name proves nothing */
    assert_shape(&done, conditional, "[N, 3]");
    /* Neither a declared name nor a declared number is a fact; both are stored beside the facts. */
    assert_shape(&done, only_declared, "[?, ?]");
    assert_true(ob__fact(&done.facts, only_declared)->assumed);
    assert_shape(&done, sized, "[2, ?]");
    assert_false(ob__fact(&done.facts, sized)->assumed);
    assert_int_equal(ob__as_claimed(&done.facts, model->dims, ob__fact(&done.facts, sized)->type.shape.dims[1]), 7);
    assert_int_equal(ob__as_claimed(&done.facts, model->dims, ob__fact(&done.facts, only_declared)->type.shape.dims[0]), other);
    finish(&done);
}

static void what_if_sizes_replace_symbols(void **state) {
    (void)state;
    ob_model *model = new_model(17);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 1"), *y = new_input(model, "y", OB_FLOAT, "M");
    ob_value *z = new_node(model, "Add", "z", 2, x, y);
    const ob_dim stale[2] = {9, 9};
    declare(z, OB_FLOAT, 2, stale);
    const ob_binding binding = {ob_dim_symbol(model->dims, "N"), 4};
    const ob_dim five = 5;
    const ob_given_input given = {.input = y, .type = {.kind = OB_TYPE_TENSOR, .dtype = OB_FLOAT, .shape = {1, &five}}};
    const ob_propagate_options options = {
        .bindings = &binding, .n_bindings = 1, .inputs = &given, .n_inputs = 1, .ignore_declared = true};
    run done = propagate_with(model, &options);
    assert_shape(&done, z, "[4, 5]");
    assert_int_equal(done.findings.n, 0);
    finish(&done);
}

/* ---- Cases that the model excludes ---- */

static const ob_value *output(const run *r, uint32_t i) {
    return r->model->graph->outputs[i];
}

/* A 0 in the target copies the size 2: the numbers of elements exclude that for x12 but not for x24. */
static void cases_are_told_where_the_model_admits_them(void **state) {
    (void)state;
    static const char body[] = " s = Shape(y) c = Constant<value_ints = [12]>() t = Concat<axis = 0>(s, c) r = Reshape(x, t) }";
    char text[400];
    snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2,6] x, float[N] y) => (float[?,?] r) {%s",
             body);
    run done = propagate(read_text(text));
    assert_shape(&done, output(&done, 0), "[N, 12]");
    assert_int_equal(done.findings.n, 2); /* of the second run only */
    assert_int_equal(done.facts.n_cases, 0);
    finish(&done);
    snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2,12] x, float[N] y) => (float[?,?] r) {%s",
             body);
    done = propagate(read_text(text));
    assert_shape(&done, output(&done, 0), "[N - 2*min(N, 1) + 2, 12]");
    assert_int_equal(done.facts.n_cases, 1);
    finish(&done);
}

/* A node of a function is described in the same way for all calls; a guard that excludes the case is enough. */
static void a_case_is_excluded_in_every_call(void **state) {
    (void)state;
    static const char functions[] =
        "<domain: \"f\", opset_import: [\"\" : 17]> to (x, y) => (r)"
        "{ s = Shape(y) c = Constant<value_ints = [12]>() t = Concat<axis = 0>(s, c) r = Reshape(x, t) }";
    char text[900];
    snprintf(text, sizeof text,
             "<ir_version: 8, opset_import: [\"\" : 17, \"f\" : 1]> g (float[2,12] a, float[2,6] b, float[N] y, float[M] z)"
             " => (float[?,?] r, float[?,?] q) { r = f.to(a, y) q = f.to(b, z) } %s",
             functions);
    run done = propagate(read_text(text));
    assert_shape(&done, output(&done, 0), "[N - 2*min(N, 1) + 2, 12]");
    assert_shape(&done, output(&done, 1), "[M - 2*min(M, 1) + 2, 12]");
    finish(&done);
    snprintf(text, sizeof text,
             "<ir_version: 8, opset_import: [\"\" : 17, \"f\" : 1]> g (float[2,6] a, float[2,6] b, float[N] y, float[M] z)"
             " => (float[?,?] r, float[?,?] q) { r = f.to(a, y) q = f.to(b, z) } %s",
             functions);
    done = propagate(read_text(text));
    assert_shape(&done, output(&done, 0), "[N, 12]");
    assert_shape(&done, output(&done, 1), "[M, 12]");
    finish(&done);
    done = propagate(read_text(
        "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2,12] x, float[N] y) => (float[?,?] r) {"
        " s = Shape(y) c = Constant<value_ints = [12]>() two = Constant<value_ints = [2]>() few = Less(s, two) f = Squeeze(few)"
        " r = If (f) <then_branch = g1 () => (float[?,?] u) { u = Identity(x) },"
        " else_branch = g2 () => (float[?,?] v) { t = Concat<axis = 0>(s, c) v = Reshape(x, t) }> }"));
    const ob_graph *branch = ob__node_attribute(output(&done, 0)->producer, "else_branch")->u.graph;
    assert_shape(&done, branch->outputs[0], "[N, 12]");
    finish(&done);
}

/* ---- Conditions ---- */

static void equal_conditions_are_one_finding(void **state) {
    (void)state;
    ob_model *model = new_model(17);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 8"), *mask = new_input(model, "mask", OB_FLOAT, "batch 1");
    ob_value *scores = new_input(model, "scores", OB_FLOAT, "target 8");
    new_node(model, "Add", "a", 2, scores, mask);
    new_node(model, "Mul", "b", 2, scores, mask);
    new_node(model, "Sub", "c", 2, mask, scores);
    new_node(model, "Add", "d", 2, x, x);
    run done = propagate(model);
    const ob_finding *finding = only(&done, OB0201);
    assert_int_equal(done.facts.n_conditions, 3);
    assert_int_equal(finding->severity, OB_SEVERITY_WARNING);
    assert_string_equal(finding->node->outputs[0]->name, "a");
    assert_int_equal(finding->axis, 0);
    assert_int_equal(finding->n_operands, 2);
    assert_int_equal(finding->operands[0].rank, 2);
    assert_non_null(finding->condition);
    assert_non_null(strstr(finding->message, "batch = 1"));
    assert_non_null(strstr(finding->message, "2 more nodes"));
    finish(&done);
}

static void conditions_on_unknown_sizes_are_notes(void **state) {
    (void)state;
    ob_model *model = new_model(17);
    ob_value *x = new_input(model, "x", OB_FLOAT, "?"), *y = new_input(model, "y", OB_FLOAT, "N");
    new_node(model, "Add", "z", 2, x, y);
    run done = propagate(model);
    assert_int_equal(only(&done, OB0202)->severity, OB_SEVERITY_NOTE);
    finish(&done);
}

/* ---- Operators ---- */

static void unknown_operators_are_noted_once(void **state) {
    (void)state;
    ob_model *model = new_model(17);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 3");
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        ob_node *node = ob__node_new(model->graph, NULL, "some.domain", "Thing", 1, 1);
        node->inputs[0] = x;
        ob__node_set_output(node, 0, ob__value_new(model->graph, name));
    }
    new_node(model, "Nonsense", "n", 1, x);
    run done = propagate(model);
    assert_int_equal(count(&done, OB0802), 2);
    assert_int_equal(count(&done, OB0803), 1);
    finish(&done);
}

static void a_node_is_inferred_alone(void **state) {
    (void)state;
    ob_model *model = new_model(17);
    ob_value *x = new_input(model, "x", OB_FLOAT, "..."), *y = new_input(model, "y", OB_FLOAT, "...");
    ob_node *node = new_node(model, "Add", "z", 2, x, y)->producer;
    assert_int_equal(ob__model_resolve_ops(model), OB_OK);
    const ob_dim a[2] = {2, 1}, b[1] = {3}, c[1] = {0}, d[1] = {4};
    ob_type types[2] = {{.kind = OB_TYPE_TENSOR, .dtype = OB_FLOAT, .shape = {2, a}},
                        {.kind = OB_TYPE_TENSOR, .dtype = OB_FLOAT, .shape = {1, b}}};
    const ob_content contents[2] = {{0}, {0}};
    ob_type out;
    ob_content out_content;
    ob_error error;
    ob_arena arena;
    ob__arena_init(&arena, NULL);
    assert_int_equal(ob__infer_node(model, node, types, contents, &out, &out_content, &arena, &error), OB_OK);
    assert_int_equal(out.shape.rank, 2);
    assert_int_equal(out.shape.dims[0] * 10 + out.shape.dims[1], 23);
    types[0].shape = (ob_shape){1, c};
    types[1].shape = (ob_shape){1, d};
    ob_error_clear(&error);
    assert_int_equal(ob__infer_node(model, node, types, contents, &out, &out_content, &arena, &error), OB_E_SHAPE);
    assert_int_equal(error.axis, 0);
    assert_string_equal(error.op_type, "Add");
    types[1].dtype = OB_DOUBLE;
    assert_int_equal(ob__infer_node(model, node, types, contents, &out, &out_content, &arena, &error), OB_E_TYPE);
    ob__arena_release(&arena);
    ob_model_close(&model);
}

/* ---- Subgraphs ---- */

static ob_graph *add_body(ob_node *node, const char *name) {
    ob_model *model = node->graph->model;
    ob_graph *body = ob__graph_new(model, node->graph, node);
    ob_attribute *attribute = OB_ARENA_NEW(&model->arena, ob_attribute);
    assert_true(body && attribute);
    attribute->name = name;
    attribute->type = OB_ATTR_GRAPH;
    attribute->u.graph = body;
    assert_true(ob__node_set_attribute(node, attribute));
    return body;
}

static ob_value *body_input(ob_graph *body, const char *name) {
    ob_value *value = ob__value_new(body, name);
    assert_non_null(value);
    value->is_input = true;
    body->inputs = append_value(body->model, body->inputs, &body->n_inputs, value);
    return value;
}

static void body_output(ob_graph *body, ob_value *value) {
    value->is_output = true;
    body->outputs = append_value(body->model, body->outputs, &body->n_outputs, value);
}

static void branches_meet(void **state) {
    (void)state;
    ob_model *model = new_model(17);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 3"), *condition = new_input(model, "condition", OB_BOOL, "");
    ob_value *y = new_node(model, "If", "y", 1, condition);
    ob_graph *yes = add_body(y->producer, "then_branch"), *no = add_body(y->producer, "else_branch");
    body_output(yes, new_body_node(yes, "Relu", "a", 1, x));
    body_output(no, new_body_node(no, "Concat", "b", 2, x, x));
    assert_true(ob__node_set_int(no->first, "axis", 0));
    run done = propagate(model);
    assert_shape(&done, y, "[?, 3]");
    assert_shape(&done, no->outputs[0], "[2*N, 3]");
    finish(&done);
}

static void values_captured_too_early_are_reported(void **state) {
    (void)state;
    ob_model *model = new_model(17);
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 3"), *condition = new_input(model, "condition", OB_BOOL, "");
    ob_value *late = ob__value_new(model->graph, "late"), *y = new_node(model, "If", "y", 1, condition);
    ob_graph *yes = add_body(y->producer, "then_branch"), *no = add_body(y->producer, "else_branch");
    body_output(yes, new_body_node(yes, "Relu", "a", 1, late));
    body_output(no, new_body_node(no, "Relu", "b", 1, x));
    ob_node *node = ob__node_new(model->graph, NULL, "", "Neg", 1, 1);
    node->inputs[0] = x;
    ob__node_set_output(node, 0, late);
    assert_int_equal(ob__model_sort(model), OB_OK);
    assert_ptr_equal(model->graph->first, node);
    run done = propagate(model);
    assert_ptr_equal(only(&done, OB0702)->node, y->producer);
    assert_shape(&done, late, "[N, 3]");
    assert_shape(&done, yes->outputs[0], "[N, 3]");
    finish(&done);
}

static void a_loop_forgets_what_changes(void **state) {
    (void)state;
    ob_model *model = new_model(17);
    ob_value *start = new_input(model, "start", OB_FLOAT, "1 N"), *fixed = new_input(model, "fixed", OB_FLOAT, "N");
    ob_node *loop = ob__node_new(model->graph, NULL, "", "Loop", 4, 3);
    ob_value *grown = ob__value_new(model->graph, "grown"), *kept = ob__value_new(model->graph, "kept");
    ob_value *stack = ob__value_new(model->graph, "stack");
    loop->inputs[2] = start;
    loop->inputs[3] = fixed;
    ob__node_set_output(loop, 0, grown);
    ob__node_set_output(loop, 1, kept);
    ob__node_set_output(loop, 2, stack);
    ob_graph *body = add_body(loop, "body");
    body_input(body, "i");
    ob_value *go = body_input(body, "go"), *s = body_input(body, "s"), *f = body_input(body, "f");
    body_output(body, go);
    body_output(body, new_body_node(body, "Concat", "s2", 2, s, start));
    assert_true(ob__node_set_int(body->last, "axis", 0));
    body_output(body, new_body_node(body, "Neg", "f2", 1, f));
    body_output(body, new_body_node(body, "Relu", "item", 1, f));
    /* An error in the body is reported once, although the body is inferred several times. */
    ob_value *five = new_input(model, "five", OB_FLOAT, "5"), *six = new_input(model, "six", OB_FLOAT, "6");
    new_body_node(body, "Add", "wrong", 2, five, six);
    run done = propagate(model);
    assert_shape(&done, grown, "[?, N]");
    assert_shape(&done, kept, "[N]");
    assert_shape(&done, stack, "[?, N]");
    assert_string_equal(only(&done, OB0101)->call_path, "grown/");
    finish(&done);
}

/* ---- Functions ---- */

static ob_function *add_function(ob_model *model, const char *name, const char *const *inputs, int n_inputs) {
    ob_function *function = OB_ARENA_NEW(&model->arena, ob_function);
    ob_function **list = OB_ARENA_ARRAY(&model->arena, ob_function *, model->n_functions + 1u);
    assert_true(function && list);
    function->name = ob__intern(model, name, strlen(name));
    function->domain = ob__intern(model, "local", 5);
    function->overload = "";
    function->opsets = model->opsets;
    function->n_opsets = model->n_opsets;
    function->body = ob__graph_new(model, NULL, NULL);
    function->body->function = function;
    for (int i = 0; i < n_inputs; i++) body_input(function->body, inputs[i]);
    if (model->n_functions) memcpy(list, model->functions, model->n_functions * sizeof *list);
    list[model->n_functions++] = function;
    model->functions = list;
    return function;
}

static ob_value *call(ob_graph *graph, const char *function, const char *output, ob_value *input) {
    ob_node *node = ob__node_new(graph, NULL, "local", function, 1, 1);
    ob_value *value = ob__value_new(graph, output);
    assert_true(node && value);
    node->name = output;
    node->inputs[0] = input;
    ob__node_set_output(node, 0, value);
    return value;
}

static void functions_are_inferred_for_each_call(void **state) {
    (void)state;
    static const char *const inputs[] = {"a"};
    ob_model *model = new_model(17);
    ob_function *function = add_function(model, "Stack", inputs, 1);
    ob_value *a = function->body->inputs[0];
    body_output(function->body, new_body_node(function->body, "Concat", "r", 2, a, a));
    /* axis of Concat is the attribute `along` of the call. */
    ob_attribute *reference = OB_ARENA_NEW(&model->arena, ob_attribute);
    reference->name = "axis";
    reference->type = OB_ATTR_INT;
    reference->ref = "along";
    assert_true(ob__node_set_attribute(function->body->first, reference));
    ob_value *x = new_input(model, "x", OB_FLOAT, "N 3"), *v = new_input(model, "v", OB_FLOAT, "M");
    ob_value *first = call(model->graph, "Stack", "first", x), *second = call(model->graph, "Stack", "second", x);
    ob_value *third = call(model->graph, "Stack", "third", v);
    assert_true(ob__node_set_int(first->producer, "along", 0));
    assert_true(ob__node_set_int(second->producer, "along", 1));
    assert_true(ob__node_set_int(third->producer, "along", 1));
    run done = propagate(model);
    assert_shape(&done, first, "[2*N, 3]");
    assert_shape(&done, second, "[N, 6]");
    assert_shape(&done, third, "[?]");
    assert_string_equal(only(&done, OB0602)->call_path, "third/");
    finish(&done);
}

static void functions_must_not_recurse(void **state) {
    (void)state;
    static const char *const inputs[] = {"a"};
    ob_model *model = new_model(17);
    ob_function *f = add_function(model, "F", inputs, 1), *g = add_function(model, "G", inputs, 1);
    body_output(f->body, call(f->body, "G", "fr", f->body->inputs[0]));
    body_output(g->body, call(g->body, "F", "gr", g->body->inputs[0]));
    ob_value *y = call(model->graph, "F", "y", new_input(model, "x", OB_FLOAT, "N"));
    run done = propagate(model);
    assert_string_equal(only(&done, OB0703)->call_path, "y/fr/");
    assert_shape(&done, y, "[...]");
    finish(&done);
}

static void expansion_is_limited(void **state) {
    (void)state;
    static const char *const inputs[] = {"a"};
    ob_model *model = new_model(17);
    enum { LEVELS = 40 }; /* 2^40 calls, each with a different size */
    char name[16], next[16];
    for (int i = 0; i < LEVELS; i++) {
        snprintf(name, sizeof name, "F%d", i);
        snprintf(next, sizeof next, "F%d", i + 1);
        ob_graph *body = add_function(model, name, inputs, 1)->body;
        bool leaf = i == LEVELS - 1;
        ob_value *once =
            leaf ? new_body_node(body, "Shape", "once", 1, body->inputs[0]) : call(body, next, "once", body->inputs[0]);
        body_output(body,
                    leaf ? new_body_node(body, "Concat", "longer", 2, body->inputs[0], once) : call(body, next, "twice", once));
        if (leaf) assert_true(ob__node_set_int(body->last, "axis", 0));
    }
    call(model->graph, "F0", "y", new_input(model, "x", OB_INT64, "N"));
    run done = propagate(model);
    only(&done, OB0805);
    finish(&done);
}

/* ---- Want of memory ---- */

typedef struct scarce {
    long left;
} scarce;

static void *scarce_alloc(void *context, size_t n_bytes) {
    scarce *s = context;
    return s->left-- > 0 ? malloc(n_bytes) : NULL;
}

static void *scarce_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    (void)old_bytes;
    scarce *s = context;
    return s->left-- > 0 ? realloc(block, new_bytes) : NULL;
}

static void scarce_free(void *context, void *block, size_t n_bytes) {
    (void)context;
    (void)n_bytes;
    free(block);
}

static void want_of_memory_is_a_status(void **state) {
    (void)state;
    bool succeeded = false;
    for (long limit = 0; limit < 1000 && !succeeded; limit++) {
        scarce s = {limit};
        const ob_allocator allocator = {scarce_alloc, scarce_realloc, scarce_free, &s};
        ob_model *model = new_model(17);
        ob_value *x = new_input(model, "x", OB_FLOAT, "N 3"), *y = new_input(model, "y", OB_FLOAT, "M 3");
        for (int i = 0; i < 2000; i++) {
            char name[16];
            snprintf(name, sizeof name, "v%d", i);
            x = new_node(model, i % 2 ? "Add" : "MatMul", name, 2, i % 2 ? x : y, y);
        }
        assert_int_equal(ob__model_resolve_ops(model), OB_OK);
        ob_facts facts;
        ob_findings findings;
        ob__facts_init(&facts, &allocator);
        ob__findings_init(&findings, &allocator);
        ob_allocator before = model->arena.allocator;
        model->arena.allocator = allocator; /* for the scratch memory of the pass */
        ob_status status = ob__propagate(model, NULL, &facts, &findings);
        model->arena.allocator = before;
        assert_true(status == OB_OK || status == OB_E_MEMORY);
        succeeded = status == OB_OK && s.left >= 0;
        ob__facts_release(&facts);
        ob__findings_release(&findings);
        ob_model_close(&model);
    }
    assert_true(succeeded);
}

/* ---- Real models ---- */

typedef struct coverage {
    size_t n_values, n_ranked, n_known, n_errors;
} coverage;

static coverage found;

static void cover_model(void *context, const char *path) {
    ++*(size_t *)context;
    ob_model *model;
    if (ob_model_load(path, NULL, &model, NULL) != OB_OK) return;
    run done = propagate(model);
    for (const ob_node *node = model->graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++) {
            if (!node->outputs[i]) continue;
            const ob_shape *shape = &ob__fact(&done.facts, node->outputs[i])->type.shape;
            bool known = shape->rank >= 0;
            found.n_values++;
            found.n_ranked += known;
            for (int32_t axis = 0; axis < shape->rank; axis++)
                known = known && !ob_dim_is_anonymous(model->dims, shape->dims[axis]);
            found.n_known += known;
        }
    for (uint32_t i = 0; i < done.findings.n; i++) found.n_errors += done.findings.items[i].severity >= OB_SEVERITY_ERROR;
    if (strstr(path, "vespa_random_decoder")) {
        const ob_finding *finding = done.findings.items;
        assert_int_equal(count(&done, OB0201), 1);
        while (finding->id != OB0201) finding++;
        assert_non_null(strstr(finding->message, "batch = target_tokens or batch = 1"));
        assert_string_equal(finding->node->op_type, "Add");
    }
    finish(&done);
}

/* At least the facts that the inference of onnx 1.12 finds in the main graphs of the shared models. */
static void real_models_are_known_and_sound(void **state) {
    (void)state;
    const char *shared = getenv("OB_SHARED");
    char folder[1024];
    size_t n = 0;
    snprintf(folder, sizeof folder, "%s/models", shared ? shared : OB_SOURCE_DIR "/../shared");
    corpus_walk(folder, 2, cover_model, &n);
    if (n == 0) {
        printf("skipped: no models in %s\n", folder);
        skip();
    }
    printf("%zu models: %zu values, %zu with a known rank, %zu fully known, %zu errors\n", n, found.n_values, found.n_ranked,
           found.n_known, found.n_errors);
    assert_int_equal(found.n_errors, 0);
    if (found.n_values == 1964) {
        assert_true(found.n_ranked >= 1734);
        assert_true(found.n_known >= 1251);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_sizes_keep_their_identity),
        cmocka_unit_test(disorder_is_reported_and_sorted_out),
        cmocka_unit_test(cycles_are_named),
        cmocka_unit_test(long_chains_are_linear_in_memory_and_stack),
        cmocka_unit_test(declared_types_are_verified),
        cmocka_unit_test(what_if_sizes_replace_symbols),
        cmocka_unit_test(cases_are_told_where_the_model_admits_them),
        cmocka_unit_test(a_case_is_excluded_in_every_call),
        cmocka_unit_test(equal_conditions_are_one_finding),
        cmocka_unit_test(conditions_on_unknown_sizes_are_notes),
        cmocka_unit_test(unknown_operators_are_noted_once),
        cmocka_unit_test(a_node_is_inferred_alone),
        cmocka_unit_test(branches_meet),
        cmocka_unit_test(values_captured_too_early_are_reported),
        cmocka_unit_test(a_loop_forgets_what_changes),
        cmocka_unit_test(functions_are_inferred_for_each_call),
        cmocka_unit_test(functions_must_not_recurse),
        cmocka_unit_test(expansion_is_limited),
        cmocka_unit_test(want_of_memory_is_a_status),
        cmocka_unit_test(real_models_are_known_and_sound),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
