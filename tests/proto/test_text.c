/* ONNX's textual syntax: reading, writing, and comparison with onnx's parser and printer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "byte_order.h"
#include "bytes.h"
#include "corpus.h"
#include "same_model.h"

static ob_model *read_bytes(const char *what, const void *text, size_t n) {
    ob_model *model = NULL;
    ob_error error;
    if (ob_model_load_memory(text, n, what, NULL, &model, &error) != OB_OK)
        fail_msg("%s: %s\n%.*s", what, error.message, n > 2000 ? 2000 : (int)n, text);
    return model;
}

static ob_model *read_text(const char *text) {
    return read_bytes("text", text, strlen(text));
}

static void expect_same(const char *what, const ob_model *a, const ob_model *b) {
    const char *why = "";
    if (!same_model(a, b, &why)) fail_msg("%s: differs in %s", what, why);
}

/* To text and back: the same graphs. */
static void text_round_trip(void *context, const char *path) {
    ob_model *model = NULL;
    ob_error error;
    assert_int_equal(ob_model_load(path, NULL, &model, &error), OB_OK);
    bytes text = {0};
    ob_status status = ob_model_write(model, OB_FORMAT_TEXT, collect, &text, &error);
    if (status == OB_E_UNSUPPORTED && strstr(error.message, "sparse"))
        print_message("%s: %s\n", path, error.message);
    else if (status != OB_OK)
        fail_msg("%s: %s", path, error.message);
    else {
        ob_model *again = read_bytes(path, text.data, text.n);
        expect_same(path, model, again);
        ob_model_close(&again);
        ++*(size_t *)context;
    }
    free(text.data);
    ob_model_close(&model);
}

static void skip_large(void *context, const char *path) {
    struct stat info;
    if (stat(path, &info) == 0 && info.st_size < 300000) text_round_trip(context, path);
}

static void every_small_model_at_hand_round_trips(void **state) {
    (void)state;
    print_message("%zu models went to text and back\n", corpus_each_model(skip_large));
}

static const char model_text[] =
    "# a comment\n"
    "<ir_version: 8, opset_import: [\"\" : 18, \"local\":1 , \"ai.onnx.ml\" : 2],\n"
    " producer_name: \"me\", producer_version: \"1.0\", domain: \"d\", model_version: -3,\n"
    " doc_string: \"say \\\"hi\\\" \\\\ done\", metadata_props: [\"k\": \"v\", \"l\" : \"\"]>\n"
    "main (float[N, 3] x, float [\"a b\" , ? , 2] y, int64[2] shape = {3, -1}, seq(optional(map(int64, string))) s,\n"
    "      sparse_tensor(double[2]) sp, float[] any, bool cond) => (float[N,3] out, undefined[] \"odd name\")\n"
    "<float16[2] h = {15360, 16384}, int4[3] i4 = {-8, 7, 1}, uint2[5] u2 = {0,1,2,3,2}, string[2] t = {\"a\", \"q\\\"\"},\n"
    " complex64[1] c = {1.5, -2}, uint64 big = {18446744073709551615}, double[0] none = {}, float[2] f = {-inf, nan},\n"
    " float[1000] ext = [\"location\": \"w.bin\", \"offset\": \"16\"], float[N,3] mid, bfloat16[1] bf = {16256}>\n"
    "{\n"
    "  [first] mid = Add(x, f)\n"
    "  [\"second node\"] out, , extra = local.f:wide <alpha: float = 2, beta = 3, gamma = [1, 2], delta = [1.0, 2e3],\n"
    "     e = \"str\", ss = [\"a\", \"b\"], empty: ints = [], t = int64[2] {1, 2}, u: tensor = float w = {1},\n"
    "     tp: type_proto = seq(float[N]), tps: type_protos = [float[2], int64]> (mid, , y,)\n"
    "  \"odd name\" = If (cond) <then_branch = g1 () => (r) { r = Identity(mid) },\n"
    "     else_branch: graph = \"g-2\" () => (float r2) <float w = {1.0}> { r2 = ai.onnx.ml.Thing<k = inf>(w) }>\n"
    "}\n"
    "<domain: \"local\", opset_import: [\"\" : 18], overload: \"wide\", doc_string: \"doc\">\n"
    "f <alpha, beta: int = 1, gamma: ints = [4]> (float[N] a, b, c) => (o, p, q) <float t>\n"
    "{ o = Neg(a) p = Foo <alpha: float = @alpha, z = @beta> (b) t = Neg(o) q = Neg(t) }\n";

static void every_construct_is_read(void **state) {
    (void)state;
    ob_model *model = read_text(model_text);
    const ob_graph *graph = model->graph;
    assert_int_equal(model->ir_version, 8);
    assert_int_equal(model->model_version, -3);
    assert_string_equal(model->doc, "say \"hi\" \\ done");
    assert_int_equal(model->n_opsets, 3);
    assert_int_equal(ob__model_opset(model, "local"), 1);
    assert_string_equal(model->metadata[1].value, "");
    assert_int_equal(graph->n_inputs, 7);
    assert_int_equal(graph->inputs[1]->declared.shape.dims[0], ob_dim_symbol(model->dims, "a b"));
    assert_int_equal(graph->inputs[1]->declared.shape.dims[1], OB_DIM_UNKNOWN);
    assert_true(graph->inputs[2]->is_initializer);
    assert_int_equal(((const int64_t *)graph->inputs[2]->data->data)[1], -1);
    assert_int_equal(graph->inputs[3]->declared.kind, OB_TYPE_SEQUENCE);
    assert_int_equal(graph->inputs[3]->declared.element->element->kind, OB_TYPE_MAP);
    assert_int_equal(graph->inputs[4]->declared.kind, OB_TYPE_SPARSE_TENSOR);
    assert_int_equal(graph->inputs[5]->declared.shape.rank, OB_RANK_UNKNOWN);
    assert_int_equal(graph->inputs[6]->declared.shape.rank, 0);
    assert_int_equal(graph->n_initializers, 11);
    assert_memory_equal(ob__value_find(graph, "i4", 2)->data->data, "\x78\x01", 2); /* packed */
    assert_memory_equal(ob__value_find(graph, "u2", 2)->data->data, "\xE4\x02", 2);
    uint8_t halves[] = {0x00, 0x3C, 0x00, 0x40};
    bring_home(halves, 2, 2);
    assert_memory_equal(ob__value_find(graph, "h", 1)->data->data, halves, 4);
    assert_int_equal(ob__value_find(graph, "big", 3)->data->n_elems, 1);
    assert_true(ob__value_find(graph, "ext", 3)->data->is_external);
    assert_string_equal(ob__value_find(graph, "ext", 3)->data->external[1].value, "16");
    const ob_node *call = graph->first->next;
    assert_string_equal(call->name, "second node");
    assert_string_equal(call->overload, "wide");
    assert_ptr_equal(call->function, model->functions[0]);
    assert_int_equal(call->n_outputs, 3);
    assert_null(call->outputs[1]);
    assert_int_equal(call->n_inputs, 3);
    assert_null(call->inputs[1]);
    assert_true(ob__node_float(call, "alpha", 0) == 2.0f);
    assert_int_equal(ob__node_int(call, "beta", 0), 3);
    assert_int_equal(ob__node_attribute(call, "delta")->type, OB_ATTR_FLOATS);
    assert_int_equal(ob__node_attribute(call, "empty")->n, 0);
    assert_string_equal(ob__node_attribute(call, "u")->u.tensor->name, "w");
    assert_int_equal(ob__node_attribute(call, "tps")->n, 2);
    const ob_node *branch = graph->last;
    const ob_graph *other = ob__node_attribute(branch, "else_branch")->u.graph;
    assert_string_equal(other->name, "g-2");
    assert_string_equal(other->first->domain, "ai.onnx.ml");
    const ob_function *function = model->functions[0];
    assert_int_equal(function->n_attributes, 1);
    assert_int_equal(function->n_attribute_defaults, 2);
    assert_int_equal(function->body->inputs[0]->declared.kind, OB_TYPE_TENSOR);
    assert_int_equal(ob__value_find(function->body, "t", 1)->declared.dtype, OB_FLOAT);
    assert_string_equal(function->body->first->next->attributes[0]->ref, "alpha");
    bytes text = {0};
    ob_error error;
    if (ob_model_write(model, OB_FORMAT_TEXT, collect, &text, &error) != OB_OK) fail_msg("%s", error.message);
    ob_model *again = read_bytes("written", text.data, text.n);
    expect_same("everything", model, again);
    bytes binary = {0};
    assert_int_equal(ob_model_write(model, OB_FORMAT_PROTOBUF, collect, &binary, &error), OB_OK);
    ob_model *third = read_bytes("as protobuf", binary.data, binary.n);
    expect_same("everything as protobuf", model, third);
    ob_model_close(&third);
    ob_model_close(&again);
    ob_model_close(&model);
    free(text.data);
    free(binary.data);
}

static void numbers_are_the_same_after_a_round_trip(void **state) {
    (void)state;
    ob_model *model =
        read_text("<ir_version: 8> g (float x) => (float y)\n"
                  "<float[8] f = {0.1, 1e-45, 3.4028234e38, -0.0, 16777217, 1e10, -1e-7, 123456.789},\n"
                  " double[5] d = {0.1, 4.9406564584124654e-324, 1.7976931348623157e308, 1e22, 0.30000000000000004},\n"
                  " int64[2] i = {-9223372036854775808, 9223372036854775807}>\n"
                  "{ y = Foo<a = 0.1, b = -9223372036854775808, c = [1e-45, 1.0]>(x) }");
    bytes text = {0};
    assert_int_equal(ob_model_write(model, OB_FORMAT_TEXT, collect, &text, NULL), OB_OK);
    ob_model *again = read_bytes("numbers", text.data, text.n);
    expect_same("numbers", model, again);
    ob_model_close(&again);
    ob_model_close(&model);
    free(text.data);
}

static void large_tensors_can_be_cut(void **state) {
    (void)state;
    ob_model *model = read_text("g (float x) => (float y) <int32[5] w = {1,2,3,4,5}> { y = Foo(x, w) }");
    bytes text = {0};
    assert_int_equal(ob_model_write_text(model, 2, collect, &text, NULL), OB_OK);
    collect(&text, "", 1);
    assert_non_null(strstr((const char *)text.data, "{1,2, ...}"));
    ob_model_close(&model);
    free(text.data);
}

static void errors_say_line_and_column(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } rows[] = {
        {"g (float x) => (float y)\n{ y = Foo(x }", "line 2, column 13: expected ')', found '}'"},
        {"g (float x) =>\n\n  (flot y) {}", "line 3, column 9: expected ')', found \"y\""},
        {"<ir_version: x>", "line 1, column 14: expected an integer, found \"x\""},
        {"<ir_versio: 8>", "line 1, column 2: a model has no \"ir_versio\""},
        {"g (float x) => (float y) { y = Foo<a = >(x) }", "line 1, column 40: expected a value, found '>'"},
        {"g (float x) => (float y) { y = Foo<a = []>(x) }", "empty list"},
        {"g (float x) => (float y) { y = Foo<a: ints = 3>(x) }", "a list is declared"},
        {"g (float x) => (float y) { y = Foo<a: int = [3]>(x) }", "one value of type int"},
        {"g (float x) => (float y) { y = Foo<a: string = 3>(x) }", "not string as declared"},
        {"g (float x) => (float y) { y = Foo<a: strange = 3>(x) }", "\"strange\" is not an attribute type"},
        {"g (float x) => (float y) { y = Foo<a = [1, \"b\"]>(x) }", "not int as declared"},
        {"g (float x) => (float y) { y = Foo(\"x) }", "does not end"},
        {"g (float x) => (float y) <int8 w = {128}> {}", "128 does not fit int8"},
        {"g (float x) => (float y) <uint32 w = {4294967296}> {}", "does not fit uint32"},
        {"g (float x) => (float y) <int64 w = {9223372036854775808}> {}", "does not fit 64 bits"},
        {"g (float x) => (float y) <int64 w = {1.5}> {}", "found a fraction"},
        {"g (float x) => (float y) <int64[N] w = {1}> {}", "numbers for sizes"},
        {"g (float x) => (float y) <int64[] w = {1}> {}", "needs a tensor type with its sizes"},
        {"g (float x) => (float y) { y = Foo<a = 12ab>(x) }", "a letter follows a number"},
        {"g (float x) => (float y) { y = Foo(x) ", "found the end"},
        {"just some words", "line 1, column 6: expected '(', found \"some\""},
        {"g (float[2 x) => (float y) {}", "expected ']', found \"x\""},
        {"g (float x) => (float y) { y = Foo(x) } <domain: \"d\"> f", "expected '(', found the end"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ob_model *model = NULL;
        ob_error error;
        ob_status status = ob_model_load_memory(rows[i].text, strlen(rows[i].text), NULL, NULL, &model, &error);
        if (status != OB_E_FORMAT) fail_msg("%s: status %d", rows[i].text, status);
        if (!strstr(error.message, rows[i].expected))
            fail_msg("%s: \"%s\" for \"%s\"", rows[i].text, error.message, rows[i].expected);
        assert_true(strncmp(error.message, "line ", 5) == 0);
        assert_null(model);
    }
    /* Errors in the graph are reported as for a binary file. */
    ob_model *model = NULL;
    ob_error error;
    const char *undefined = "g (float x) => (float y) { y = Foo(z) }",
               *short_data = "g (float x) => (float x) <int64[3] w = {1,2}> {}";
    assert_int_equal(ob_model_load_memory(undefined, strlen(undefined), NULL, NULL, &model, &error), OB_E_MODEL);
    assert_string_equal(error.value, "z");
    assert_int_equal(ob_model_load_memory(short_data, strlen(short_data), NULL, NULL, &model, &error), OB_E_MODEL);
    assert_string_equal(error.value, "w");
}

static void nesting_has_a_limit(void **state) {
    (void)state;
    bytes types = {0}, graphs = {0};
    collect(&types, "g (", 3);
    for (int i = 0; i < 100000; i++) collect(&types, "seq(", 4);
    for (int i = 0; i < 100000; i++) collect(&graphs, "g() => () { = If() <b = ", 24);
    const bytes *deep[] = {&types, &graphs};
    for (int i = 0; i < 2; i++) {
        ob_model *model = NULL;
        ob_error error;
        assert_int_equal(ob_model_load_memory(deep[i]->data, deep[i]->n, NULL, NULL, &model, &error), OB_E_LIMIT);
        assert_non_null(strstr(error.message, "deeper than the limit of 64"));
    }
    free(types.data);
    free(graphs.data);
}

/* ---- Compared with onnx's parser and printer ---- */

static char folder[] = "/tmp/ob_text_XXXXXX";

static void run(const char *script) {
    char command[6000];
    snprintf(command, sizeof command, "cd %s && /usr/bin/python3 -c \"%s\"", folder, script);
    if (system(command) != 0) fail_msg("%s", script);
}

static void save(const ob_model *model, const char *name, ob_model_format format) {
    char path[100];
    ob_error error;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (ob_model_save(model, path, format, &error) != OB_OK) fail_msg("%s", error.message);
}

static ob_model *load_named(const char *name) {
    char path[100];
    ob_model *model = NULL;
    ob_error error;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (ob_model_load(path, NULL, &model, &error) != OB_OK) fail_msg("%s: %s", name, error.message);
    return model;
}

/* No node names: the oldest parser does not read them. */
static const char common_text[] =
    "<ir_version: 8, opset_import: [\"\" : 13, \"local\" : 1], producer_name: \"me\", model_version: 2, doc_string: \"d\">\n"
    "main (float[N, 3] x, float[] any, bool cond) => (float[N,3] out, int64[?] other)\n"
    "<float[3] w = {0.1, -2.5, 1e-30}, int64[2] i = {-5, 7}, string[2] t = {\"a\", \"q\"}, double d = {0.1},\n"
    " uint8[2] u = {0, 255}, float[N, 3] mid>\n"
    "{\n"
    "  mid = Add(x, w)\n"
    "  out = local.f <alpha = 2.5, beta = 3, gamma = [1, 2], delta = [1.0, 2000.0], e = \"str\", ss = [\"a\", \"b\"],\n"
    "       t = int64[2] {1, 2}> (mid, any)\n"
    "  other = If (cond) <then_branch = g1 () => (int64[2] r) { r = Identity(i) },\n"
    "       else_branch = g2 () => (int64[2] r2) { r2 = Neg(i) }>\n"
    "}\n"
    "<domain: \"local\", opset_import: [\"\" : 13]>\n"
    "f <alpha> (a, b) => (o)\n"
    "{ m = Foo <alpha: float = @alpha> (a, b) o = Neg(m) }\n";

static void onnx_reads_what_is_written_here_and_the_reverse(void **state) {
    (void)state;
    if (system("/usr/bin/python3 -c 'import onnx.parser' 2>/dev/null") != 0) {
        print_message("skipped: no onnx for Python\n");
        return;
    }
    assert_non_null(mkdtemp(folder));
    ob_model *model = read_text(common_text);
    save(model, "ours.onnxtxt", OB_FORMAT_AUTO);
    save(model, "ours.onnx", OB_FORMAT_AUTO);
    run("import onnx, onnx.parser\n"
        "onnx.save(onnx.parser.parse_model(open('ours.onnxtxt').read()), 'parsed.onnx')\n"
        "m = onnx.load('ours.onnx')\n"
        "assert m.graph.node[0].op_type == 'Add' and m.functions[0].name == 'f'\n"
        "try:\n"
        "  from onnx.printer import to_text\n"
        "  open('printed.onnxtxt', 'w').write(to_text(m))\n"
        "except ImportError: print('skipped: no onnx.printer (onnx before 1.13)')\n");
    ob_model *parsed = load_named("parsed.onnx");
    expect_same("onnx.parser", model, parsed);
    ob_model_close(&parsed);
    char path[100];
    snprintf(path, sizeof path, "%s/printed.onnxtxt", folder);
    if (access(path, F_OK) == 0) {
        ob_model *printed = load_named("printed.onnxtxt");
        expect_same("onnx.printer", model, printed);
        ob_model_close(&printed);
    }
    ob_model_close(&model);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_construct_is_read),
        cmocka_unit_test(numbers_are_the_same_after_a_round_trip),
        cmocka_unit_test(large_tensors_can_be_cut),
        cmocka_unit_test(errors_say_line_and_column),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(onnx_reads_what_is_written_here_and_the_reverse),
        cmocka_unit_test(every_small_model_at_hand_round_trips),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
