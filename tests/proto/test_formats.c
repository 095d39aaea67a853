/* ModelProto in protobuf's text format and in JSON: the models on the machine through both and back, cases of the syntax,
 * hostile texts. Comparison with protobuf's parser and printer: formats.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "corpus.h"
#include "model_text.h"

static ob_text write_as(const ob_model *model, ob_model_format format) {
    ob_text out;
    ob__text_init(&out, NULL);
    write_model(model, format, &out);
    return out;
}

/* ---- Models ---- */

/* Data outside the message, such as unknown fields without a name, are not compared, because both sides were written as text
 * once. */
static void expect_same_bytes(const char *path, const ob_model *model, ob_model_format format) {
    ob_text text = write_as(model, format);
    ob_model *again = read_model(text.data, text.n, OB_FORMAT_AUTO, NULL);
    ob_text was = write_as(model, OB_FORMAT_PROTOBUF), is = write_as(again, OB_FORMAT_PROTOBUF);
    if (was.n != is.n || memcmp(was.data, is.data, is.n) != 0)
        fail_msg("%s: %zu bytes, after format %d %zu", path, was.n, (int)format, is.n);
    ob__text_release(&was);
    ob__text_release(&is);
    ob__text_release(&text);
    ob_model_close(&again);
}

static void through_both(void *context, const char *path) {
    struct stat info;
    ob_model *model = NULL;
    ob_error error;
    if (stat(path, &info) != 0 || info.st_size > 300000) return;
    if (ob_model_load(path, NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    expect_same_bytes(path, model, OB_FORMAT_PROTOBUF_TEXT);
    expect_same_bytes(path, model, OB_FORMAT_JSON);
    ob_model_close(&model);
    ++*(size_t *)context;
}

static void every_small_model_at_hand_keeps_its_bytes(void **state) {
    (void)state;
    size_t n = corpus_each_model(through_both);
    print_message("%zu models\n", n);
    assert_true(n > 0);
}

/* Fields newer than the oldest supported onnx.proto have names, too. */
static void newer_fields_have_names(void **state) {
    (void)state;
    const char *text =
        "ir_version: 10 opset_import { version: 20 }\n"
        "graph { name: \"g\" metadata_props { key: \"a\" value: \"b\" }\n"
        "  node { op_type: \"Neg\" input: \"x\" output: \"y\" overload: \"o\" metadata_props { key: \"k\" value: \"v\" } }\n"
        "  input { name: \"x\" metadata_props { key: \"m\" value: \"n\" } } output { name: \"y\" } }";
    ob_model *model = read_model(text, strlen(text), OB_FORMAT_AUTO, NULL);
    static const char *const names[] = {"\"o\"", "\"k\"", "\"v\"", "\"a\"", "\"b\"", "\"m\"", "\"n\""};
    for (int format = OB_FORMAT_PROTOBUF_TEXT; format <= OB_FORMAT_JSON; format++) {
        ob_text out = write_as(model, (ob_model_format)format);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_non_null(strstr(out.data, names[i]));
        ob__text_release(&out);
        expect_same_bytes("newer fields", model, (ob_model_format)format);
    }
    ob_model_close(&model);
}

/* ---- Syntax ---- */

#define MODEL(inside) "ir_version: 8 opset_import { version: 13 } graph { name: \"g\" " inside " }"
#define JSON(inside)  "{\"irVersion\": \"8\", \"opset_import\": [{\"version\": 13}], \"graph\": {\"name\": \"g\", " inside "}}"

static const struct {
    const char *a, *b; /* the same model */
} same[] = {
    {MODEL(""), "\xef\xbb\xbf" MODEL("")}, /* a byte order mark, as some editors write it */
    {MODEL("doc_string: \"ab\""), MODEL("doc_string : 'a' # comment\n \"b\" ;")},
    {MODEL("doc_string: \"\\n\\t\\x41\\101\\u00e9\\U0001F600\\\"\""),
     MODEL("doc_string: '\\012\\011AA\303\251\360\237\230\200\"'")},
    {MODEL("doc_string: \"a/\\u00e9\\U0001F600\\b\""), JSON("\"docString\": \"a\\/\\u00E9\\ud83d\\ude00\\b\"")},
    {MODEL("initializer { name: \"w\" data_type: 1 dims: 2 float_data: 1 float_data: -2.5 }"),
     MODEL("initializer: [< name: \"w\", data_type: 1, dims: [2], float_data: [1.0f, - 2.5] >]")},
    {MODEL("initializer { name: \"w\" data_type: 1 dims: 2 float_data: 1 float_data: -2.5 }"),
     JSON("\"initializer\": [{\"name\": \"w\", \"dataType\": 1, \"dims\": [\"2\"], \"floatData\": [1, \"-2.5\"], \"docString\": "
          "null}]")},
    {MODEL("initializer { name: \"w\" data_type: 7 dims: 3 int64_data: [255, -8, 9223372036854775807] }"),
     MODEL(
         "initializer { name: \"w\" data_type: 0x7 dims: 03 int64_data: 0xff int64_data: -010 int64_data: 0x7fffffffffffffff }")},
    {MODEL("initializer { name: \"w\" data_type: 1 dims: 3 float_data: [inf, -inf, nan] }"),
     JSON("\"initializer\": [{\"name\": \"w\", \"data_type\": 1.0, \"dims\": [3], \"float_data\": [\"Infinity\", \"-Infinity\", "
          "\"NaN\"]}]")},
    {MODEL("initializer { name: \"w\" data_type: 1 dims: 2 raw_data: \"\\000\\000\\200\\077\\000\\000\\200\\277\" }"),
     JSON("\"initializer\": [{\"name\": \"w\", \"data_type\": 1, \"dims\": [2], \"raw_data\": \"AACAPwAAgL8=\"}]")},
    {MODEL("initializer { name: \"w\" data_type: 2 dims: 3 raw_data: \"\\373\\377\\376\" }"),
     JSON("\"initializer\": [{\"name\": \"w\", \"data_type\": 2, \"dims\": [3], \"raw_data\": \"-__-\"}]")},
    {MODEL("input { name: \"x\" } node { op_type: \"Softmax\" input: \"x\" output: \"y\" attribute { name: \"axis\" type: INT i: "
           "-1 } }"),
     MODEL("input { name: \"x\" } node { op_type: \"Softmax\" input: [\"x\"] output: \"y\" attribute { name: \"axis\" type: 2 i: "
           "-1 } }")},
    {MODEL("input { name: \"x\" } node { op_type: \"Softmax\" input: \"x\" output: \"y\" attribute { name: \"axis\" type: INT i: "
           "-1 } }"),
     JSON("\"input\": [{\"name\": \"x\"}], \"node\": [{\"opType\": \"Softmax\", \"input\": [\"x\"], \"output\": [\"y\"], "
          "\"attribute\": [{\"name\": \"axis\", "
          "\"type\": "
          "\"INT\", \"i\": \"-1\"}]}]")},
};

static void one_model_in_several_spellings(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        ob_model *a = read_model(same[i].a, strlen(same[i].a), OB_FORMAT_AUTO, NULL);
        ob_model *b = read_model(same[i].b, strlen(same[i].b), OB_FORMAT_AUTO, NULL);
        ob_text from_a = write_as(a, OB_FORMAT_PROTOBUF), from_b = write_as(b, OB_FORMAT_PROTOBUF);
        if (from_a.n != from_b.n || memcmp(from_a.data, from_b.data, from_a.n) != 0) fail_msg("case %zu: two models", i);
        ob__text_release(&from_a);
        ob__text_release(&from_b);
        ob_model_close(&a);
        ob_model_close(&b);
    }
}

static const struct {
    const char *text, *message;
    ob_status status;
} wrong[] = {
    {"ir_version: 8 nothing: 2", "line 1, column 15: not an ONNX model: ModelProto has no field \"nothing\"", OB_E_FORMAT},
    {"ir_version: 8\nir_version: 9", "line 2, column 1: ir_version occurs twice", OB_E_FORMAT},
    {"ir_version: x", "line 1, column 13: ir_version takes an integer of 64 bits, found x", OB_E_FORMAT},
    {"ir_version: 99999999999999999999", "99999999999999999999 does not fit", OB_E_FORMAT},
    {"ir_version: [8]", "a list for ir_version, which takes one value", OB_E_FORMAT},
    {"ir_version: --8", "found --8", OB_E_FORMAT},
    {"graph { name: \"a", "line 1, column 15: the quoted text does not end", OB_E_FORMAT},
    {"graph { name: \"a\nb\" }", "does not end on its line", OB_E_FORMAT},
    {"graph { name: \"\\q\" }", "a backslash that begins no escape", OB_E_FORMAT},
    {"graph { name: \"\\x\" }", "a backslash that begins no escape", OB_E_FORMAT},
    {"graph { name: \"\\ud800\" }", "a backslash that begins no escape", OB_E_FORMAT},
    {"graph { name: \"a\\000b\" }", "the text of name holds a zero byte", OB_E_FORMAT},
    {"graph { name: 3 }", "expected a quoted text, found '3'", OB_E_FORMAT},
    {"graph { name: \"a\" ", "expected the name of a field, found the end", OB_E_FORMAT},
    {"graph { name: \"a\" >", "expected the name of a field, found '>'", OB_E_FORMAT},
    {"graph { [x.y]: 3 }", "expected the name of a field, found '['", OB_E_FORMAT},
    {"graph { initializer { data_type: 3000000000 } }", "takes an integer of 32 bits, 3000000000 does not fit", OB_E_FORMAT},
    {"graph { initializer { float_data: 1x } }", "float_data takes a number, found 1x", OB_E_FORMAT},
    {"graph { initializer { uint64_data: -1 } }", "-1 does not fit", OB_E_FORMAT},
    {"graph { node { attribute { type: NONSENSE } } }", "found NONSENSE", OB_E_FORMAT},
    {"{\"ir_version\": 8, \"irVersion\": 8}", "line 1, column 19: ir_version occurs twice", OB_E_FORMAT},
    {"{\"ir_version\": 8} x", "expected the end, found \"x\"", OB_E_FORMAT},
    {"{\"ir_version\": 8,}", "expected a quoted text, found '}'", OB_E_FORMAT},
    {"{\"ir_version\": 010}", "a number that begins with 0", OB_E_FORMAT},
    {"{\"ir_version\": 0x8}", "a number that begins with 0", OB_E_FORMAT},
    {"{\"ir_version\": 1.5}", "found 1.5", OB_E_FORMAT},
    {"{\"graph\": {\"node\": {}}}", "the field is a list", OB_E_FORMAT},
    {"{\"graph\": [{}]}", "expected '{', found '['", OB_E_FORMAT},
    {"{\"graph\": {\"name\": \"\\u12\"}}", "a backslash that begins no escape", OB_E_FORMAT},
    {"{\"graph\": {\"name\": \"\\udc00\"}}", "a backslash that begins no escape", OB_E_FORMAT},
    {"{\"graph\": {\"name\": \"a\tb\"}}", "byte 0x09 in a text", OB_E_FORMAT},
    {"{\"graph\": {\"initializer\": [{\"raw_data\": \"A\"}]}}", "is not base64", OB_E_FORMAT},
    {"{\"graph\": {\"initializer\": [{\"raw_data\": \"AA=A\"}]}}", "is not base64", OB_E_FORMAT},
    {"{\"graph\": {\"initializer\": [{\"raw_data\": \"AA=\"}]}}", "is not base64", OB_E_FORMAT},
    {"{", "expected a quoted text, found the end", OB_E_FORMAT},
    {"{}", "", OB_E_MODEL},
};

static void errors_name_line_and_column(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ob_model *model = NULL;
        ob_error error;
        ob_status status = ob_model_load_memory(wrong[i].text, strlen(wrong[i].text), NULL, NULL, &model, &error);
        if (status == OB_OK) fail_msg("%s: is read", wrong[i].text);
        if (!strstr(error.message, wrong[i].message) || (wrong[i].status != status && wrong[i].message[0]))
            fail_msg("%s: %s, not %s", wrong[i].text, error.message, wrong[i].message);
        assert_null(model);
    }
}

/* ---- Limits ---- */

static void expect_limit(const char *text, ob_load_limits limits) {
    ob_load_options options;
    ob_model *model = NULL;
    ob_error error;
    ob_load_options_init(&options);
    options.limits = limits;
    ob_status status = ob_model_load_memory(text, strlen(text), NULL, &options, &model, &error);
    if (status != OB_E_LIMIT) fail_msg("%.40s: %s: %s", text, ob_status_text(status), status == OB_OK ? "" : error.message);
}

/* The limits hold for `n` times `open`, then `middle` and `n` times `close`. */
static void expect_limit_of(const char *open, const char *middle, const char *close, size_t n, ob_load_limits limits) {
    ob_text text;
    ob__text_init(&text, NULL);
    for (size_t i = 0; i < n; i++) ob__text_puts(&text, open);
    ob__text_puts(&text, middle);
    for (size_t i = 0; i < n; i++) ob__text_puts(&text, close);
    assert_false(text.failed);
    expect_limit(text.data, limits);
    ob__text_release(&text);
}

/* A subgraph in a subgraph, a hundred thousand times: the C stack has its own limit. */
static void expect_deep(ob_load_limits limits) {
    for (int is_json = 0; is_json < 2; is_json++) {
        ob_text text;
        ob__text_init(&text, NULL);
        ob__text_puts(&text, is_json ? "{\"graph\":{" : "graph{");
        for (int i = 0; i < 100000; i++)
            ob__text_puts(&text, is_json ? "\"node\":[{\"attribute\":[{\"g\":{" : "node{attribute{g{");
        expect_limit(text.data, limits);
        ob__text_release(&text);
    }
}

static void limits_hold(void **state) {
    (void)state;
    const ob_load_limits none = {0}, deep = {.max_depth = 100000};
    expect_limit_of("graph{", "", "", 1, (ob_load_limits){.max_bytes = 3});
    expect_limit_of("", "graph{node{attribute{g{node{}}}}}", "", 1, (ob_load_limits){.max_depth = 5});
    expect_limit_of("graph{node{attribute{g{", "", "", 1, (ob_load_limits){.max_depth = 4});
    expect_limit_of("graph: <", "", "", 1, (ob_load_limits){.max_depth = 1});
    expect_limit_of("functions{}", "", "", 200000, (ob_load_limits){.max_arena = 100000});
    expect_limit_of("", "graph{node{op_type:\"A\"}node{op_type:\"B\"}node{op_type:\"C\"}}", "", 1,
                    (ob_load_limits){.max_nodes = 2});
    expect_limit_of("", "{\"graph\":{\"node\":[{\"attribute\":[{\"g\":{\"node\":[{}]}}]}]}}", "", 1,
                    (ob_load_limits){.max_depth = 5});
    expect_deep(none);
    expect_deep(deep);
}

/* Truncated at every byte, and with every byte changed: a result or an error, never a crash (tested with sanitizers). */
static void texts_that_are_cut_or_changed(void **state) {
    (void)state;
    static const char changes[] = {'"', '\\', '{', '}', '[', '-', '0', '\n', '\x80', 'x'};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        for (int side = 0; side < 2; side++) {
            const char *text = side ? same[i].b : same[i].a;
            size_t n = strlen(text);
            for (size_t k = 0; k <= n; k++) {
                char *copy = malloc(n + 1); /* exact size, so that sanitizers see reads beyond it */
                assert_non_null(copy);
                memcpy(copy, text, n);
                for (size_t c = 0; c <= sizeof changes; c++) {
                    ob_model *model = NULL;
                    size_t length = c < sizeof changes ? n : k;
                    if (c < sizeof changes && k < n) copy[k] = changes[c];
                    if (c == sizeof changes && k < n) copy[k] = text[k];
                    char *exact = malloc(length ? length : 1);
                    assert_non_null(exact);
                    memcpy(exact, copy, length);
                    ob_model_load_memory(exact, length, NULL, NULL, &model, NULL);
                    ob_model_close(&model);
                    free(exact);
                }
                free(copy);
            }
        }
}

/* JSON is UTF-8; strings of protobuf may be invalid UTF-8. */
static void json_refuses_what_is_not_utf8(void **state) {
    (void)state;
    const char *text = MODEL("doc_string: \"\\377\"");
    ob_model *model = read_model(text, strlen(text), OB_FORMAT_AUTO, NULL);
    ob_text out;
    ob_error error;
    ob__text_init(&out, NULL);
    assert_int_equal(ob_model_write(model, OB_FORMAT_JSON, append_to_text, &out, &error), OB_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "doc_string is not UTF-8"));
    ob__text_release(&out);
    expect_same_bytes("not UTF-8", model, OB_FORMAT_PROTOBUF_TEXT);
    ob_model_close(&model);
}

static void endings_say_the_format(void **state) {
    (void)state;
    static const struct {
        const char *ending, *begin;
    } rows[] = {{".textproto", "ir_version: 8"},
                {".prototxt", "ir_version: 8"},
                {".pbtxt", "ir_version: 8"},
                {".json", "{\n  \"ir_version\": \"8\","},
                {".onnxjson", "{\n  \"ir_version\""},
                {".onnxtext", "<\n"},
                {".onnxtxt", "<\n"},
                {".onnx", "\x08\x08"}};
    char folder[] = "/tmp/test_formats_XXXXXX", path[100], begin[64];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(ob_model_format_of_path(NULL), OB_FORMAT_PROTOBUF);
    assert_int_equal(ob_model_format_of_path("json"), OB_FORMAT_PROTOBUF);
    ob_model *model = read_model(MODEL(""), strlen(MODEL("")), OB_FORMAT_AUTO, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(path, sizeof path, "%s/m%s", folder, rows[i].ending);
        if (i == 0) assert_int_equal(ob_model_format_of_path(path), OB_FORMAT_PROTOBUF_TEXT);
        assert_int_equal(ob_model_save(model, path, OB_FORMAT_AUTO, NULL), OB_OK);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t n = fread(begin, 1, sizeof begin, file);
        fclose(file);
        assert_true(n >= strlen(rows[i].begin));
        assert_memory_equal(begin, rows[i].begin, strlen(rows[i].begin));
        ob_model *again = NULL;
        assert_int_equal(ob_model_load(path, NULL, &again, NULL), OB_OK);
        ob_model_close(&again);
        remove(path);
    }
    ob_model_close(&model);
    remove(folder);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_model_at_hand_keeps_its_bytes),
        cmocka_unit_test(newer_fields_have_names),
        cmocka_unit_test(one_model_in_several_spellings),
        cmocka_unit_test(errors_name_line_and_column),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(texts_that_are_cut_or_changed),
        cmocka_unit_test(json_refuses_what_is_not_utf8),
        cmocka_unit_test(endings_say_the_format),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
