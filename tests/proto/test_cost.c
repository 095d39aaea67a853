/* The cost of hostile files: memory from the allocator and bytes of reports are proportional to the size of the file, whatever
 * it repeats or nests. Work is bounded by ctest's time limit: quadratic work takes minutes at these sizes. */
#include <stdio.h>

#include "api.h"
#include "wire.h"

/* ---- Counting ---- */

typedef struct counted {
    size_t now, peak;
} counted;

static void *count_alloc(void *context, size_t n) {
    counted *c = context;
    void *block = malloc(n);
    if (!block) return NULL;
    c->now += n;
    if (c->now > c->peak) c->peak = c->now;
    return block;
}
static void *count_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    counted *c = context;
    void *grown = realloc(block, new_bytes);
    if (!grown) return NULL;
    c->now += new_bytes - old_bytes;
    if (c->now > c->peak) c->peak = c->now;
    return grown;
}
static void count_free(void *context, void *block, size_t n) {
    if (block) ((counted *)context)->now -= n;
    free(block);
}

/* The cost of a model. */
typedef struct cost {
    size_t n_file, peak;
    uint64_t n_text; /* bytes of every text in its report */
    ob_report_summary summary;
} cost;

static uint64_t texts_of_findings(ob_report *report) {
    uint64_t n = 0;
    ob_finding_info f;
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        assert_int_equal(ob_report_finding(report, i, &f), OB_OK);
        n += strlen(f.node) + strlen(f.op_type) + strlen(f.path) + strlen(f.value) + strlen(f.message) + strlen(f.fix) +
             strlen(f.source);
        for (size_t k = 0; k < f.n_origins; k++) n += strlen(f.origins[k]);
        for (size_t k = 0; k < f.n_operands; k++) n += strlen(f.operand_names[k]);
    }
    return n;
}

static uint64_t texts_of_report(ob_report *report) {
    uint64_t n = texts_of_findings(report);
    ob_broadcast_info b;
    for (size_t i = 0; i < ob_report_broadcast_count(report); i++) {
        assert_int_equal(ob_report_broadcast(report, i, &b), OB_OK);
        n += strlen(b.node) + strlen(b.path);
        for (size_t k = 0; k < b.n_operands; k++) n += strlen(b.names[k]);
    }
    ob_condition_info c;
    for (size_t i = 0; i < ob_report_condition_count(report); i++) {
        assert_int_equal(ob_report_condition(report, i, &c), OB_OK);
        n += strlen(c.text) + strlen(c.node) + strlen(c.path);
        for (size_t k = 0; k < c.n_origins; k++) n += strlen(c.origins[k]);
    }
    ob_clause_info clause;
    for (size_t i = 0; ob_report_clause(report, i, &clause) == OB_OK; i++) {
        n += strlen(clause.text);
        for (size_t k = 0; k < clause.n_origins; k++) n += strlen(clause.origins[k].node) + strlen(clause.origins[k].path);
    }
    for (size_t i = 0; i < ob_report_long_name_count(report); i++) n += strlen(ob_report_long_name(report, i));
    ob_value_info v;
    for (size_t i = 0; i < ob_report_value_count(report); i++) {
        assert_int_equal(ob_report_value(report, i, &v), OB_OK);
        n += strlen(v.name) + strlen(v.path) + strlen(v.type);
    }
    return n;
}

static ob_status load_counted(bytes *file, counted *c, const ob_allocator *allocator, ob_model **model, ob_error *error) {
    ob_load_options options;
    ob_load_options_init(&options);
    options.allocator = allocator;
    *c = (counted){0, 0};
    return ob_model_load_memory(file->data, file->n, NULL, &options, model, error);
}

/* Loads and checks; ends the file. */
static cost check_cost(bytes *file, const ob_check_options *options) {
    counted c;
    const ob_allocator allocator = {count_alloc, count_realloc, count_free, &c};
    ob_model *model = NULL;
    ob_report *report = NULL;
    ob_error error;
    if (load_counted(file, &c, &allocator, &model, &error) != OB_OK) fail_msg("%s", error.message);
    if (ob_check(model, options, &report, &error) != OB_OK) fail_msg("%s", error.message);
    cost result = {.n_file = file->n, .n_text = texts_of_report(report), .summary = ob_report_get_summary(report)};
    result.peak = c.peak;
    ob_report_close(&report);
    ob_model_close(&model);
    assert_int_equal(c.now, 0);
    free(file->data);
    *file = (bytes){0};
    return result;
}

/* A file of 1 KB may use 64 MB, one of 5 MB may use 1 GB; the limits here are lower. */
static void expect_cheap_with(bytes *file, const char *what, const ob_check_options *options) {
    cost c = check_cost(file, options);
    size_t allowed = ((size_t)32 << 20) + 100 * c.n_file;
    if (c.peak > allowed) fail_msg("%s: %zu bytes of memory for a file of %zu", what, c.peak, c.n_file);
    uint64_t text = ((uint64_t)1 << 20) + 200 * (uint64_t)c.n_file;
    if (c.n_text > text) fail_msg("%s: %llu bytes of text for a file of %zu", what, (unsigned long long)c.n_text, c.n_file);
}

static void expect_cheap(bytes *file, const char *what) {
    expect_cheap_with(file, what, NULL);
}

/* ---- Models ---- */

static char *long_name(char letter, size_t n) {
    char *name = malloc(n + 1);
    assert_non_null(name);
    memset(name, letter, n);
    name[n] = '\0';
    return name;
}

static void put_graph_attribute(bytes *node, const char *name, bytes *graph) {
    bytes attribute = {0};
    put_text(&attribute, ATTRIBUTE_NAME, name);
    put_message(&attribute, ATTRIBUTE_G, graph);
    put_number(&attribute, ATTRIBUTE_TYPE, 5);
    put_message(node, NODE_ATTRIBUTE, &attribute);
}

/* `n` additions that do not fit, in each of `depth` If nodes with names of n_name bytes, one within the other. */
static bytes nested_names(int depth, int n, size_t n_name) {
    char *name = long_name('n', n_name), text[64];
    bytes inner = {0};
    for (int level = 0; level < depth; level++) {
        bytes graph = {0};
        for (int i = 0; i < n; i++) {
            snprintf(text, sizeof text, "e%d_%d", level, i);
            put_node(&graph, "Add", "x w", text);
        }
        snprintf(text, sizeof text, "y%d", level);
        if (level == 0) {
            put_node(&graph, "Identity", "x", text);
        } else {
            bytes node = node_of("", "If", "c", text), other = {0};
            put_text(&node, NODE_NAME, name);
            put_node(&other, "Identity", "x", "z");
            put_value(&other, GRAPH_OUTPUT, "z", 1, NULL);
            put_graph_attribute(&node, "then_branch", &inner);
            put_graph_attribute(&node, "else_branch", &other);
            put_message(&graph, GRAPH_NODE, &node);
        }
        put_value(&graph, GRAPH_OUTPUT, text, 1, NULL);
        inner = graph;
    }
    put_value(&inner, GRAPH_INPUT, "x", 1, "2 3");
    put_value(&inner, GRAPH_INPUT, "w", 1, "4 5");
    put_value(&inner, GRAPH_INPUT, "c", 9, "");
    free(name);
    return model_around(&inner);
}

/* n additions of x, whose first size is called `name`, and z. */
static bytes additions(int n, const char *name, const char *z) {
    bytes graph = {0};
    char text[32], *sizes = malloc(strlen(name) + 8);
    assert_non_null(sizes);
    sprintf(sizes, "%s 3", name);
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof text, "a%d", i);
        put_node(&graph, "Add", "x z", text);
    }
    put_value(&graph, GRAPH_INPUT, "x", 1, sizes);
    put_value(&graph, GRAPH_INPUT, "z", 1, z);
    put_value(&graph, GRAPH_OUTPUT, "a0", 1, NULL);
    free(sizes);
    return model_around(&graph);
}

static void put_function(bytes *model, const char *name, bytes *nodes) {
    bytes function = {0};
    put_text(&function, FUNCTION_NAME, name);
    put_text(&function, FUNCTION_INPUT, "a");
    put_text(&function, FUNCTION_OUTPUT, "b");
    for (int i = 0; i < 2; i++)
        if (nodes[i].n) put_message(&function, FUNCTION_NODE, &nodes[i]);
    put_opset(&function, FUNCTION_OPSET_IMPORT, "", 18);
    put_opset(&function, FUNCTION_OPSET_IMPORT, "local", 1);
    put_text(&function, FUNCTION_DOMAIN, "local");
    put_message(model, MODEL_FUNCTIONS, &function);
}

/* A chain of `depth` functions, each of which calls the next twice; the last one has a broadcast with a condition. */
static bytes doubling_calls(int depth) {
    bytes graph = {0}, call = node_of("local", "f0", "x", "y");
    put_message(&graph, GRAPH_NODE, &call);
    put_value(&graph, GRAPH_INPUT, "x", 1, "N M");
    put_value(&graph, GRAPH_OUTPUT, "y", 1, NULL);
    bytes model = model_around(&graph);
    for (int i = 0; i < depth; i++) {
        char name[16], next[16];
        snprintf(name, sizeof name, "f%d", i);
        snprintf(next, sizeof next, "f%d", i + 1);
        bytes nodes[2] = {node_of("local", next, "a", "t"), node_of("local", next, "t", "b")};
        put_function(&model, name, nodes);
    }
    char name[16];
    snprintf(name, sizeof name, "f%d", depth);
    bytes nodes[2] = {node_of("", "Transpose", "a", "t"), node_of("", "Add", "a t", "b")};
    put_function(&model, name, nodes);
    return model;
}

static bytes many_functions(int n) {
    bytes graph = {0};
    char name[16], text[16];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "f%d", i);
        snprintf(text, sizeof text, "y%d", i);
        bytes call = node_of("local", name, "x", text);
        put_message(&graph, GRAPH_NODE, &call);
    }
    put_value(&graph, GRAPH_INPUT, "x", 1, "N");
    put_value(&graph, GRAPH_OUTPUT, "y0", 1, NULL);
    bytes model = model_around(&graph);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "f%d", i);
        bytes nodes[2] = {node_of("", "Relu", "a", "b")};
        put_function(&model, name, nodes);
    }
    return model;
}

/* One node over n inputs; `sizes` of each: %d is its number. */
static bytes wide(const char *op_type, int n, const char *sizes, int64_t axis) {
    bytes graph = {0}, node = {0};
    char name[16], text[64];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "i%d", i);
        put_text(&node, NODE_INPUT, name);
    }
    put_text(&node, NODE_OUTPUT, "y");
    put_text(&node, NODE_OP_TYPE, op_type);
    if (axis >= 0) {
        bytes attribute = {0};
        put_text(&attribute, ATTRIBUTE_NAME, "axis");
        put_number(&attribute, ATTRIBUTE_I, axis);
        put_number(&attribute, ATTRIBUTE_TYPE, 2);
        put_message(&node, NODE_ATTRIBUTE, &attribute);
    }
    if (strcmp(op_type, "Einsum") == 0) { /* ij,ij,ij->ij */
        bytes attribute = {0};
        char *equation = malloc(3 * (size_t)n + 8);
        assert_non_null(equation);
        for (int i = 0; i < n; i++) memcpy(equation + 3 * i, "ij,", 3);
        strcpy(equation + 3 * n - 1, "->ij");
        put_text(&attribute, ATTRIBUTE_NAME, "equation");
        put_text(&attribute, ATTRIBUTE_S, equation);
        put_number(&attribute, ATTRIBUTE_TYPE, 3);
        put_message(&node, NODE_ATTRIBUTE, &attribute);
        free(equation);
    }
    put_message(&graph, GRAPH_NODE, &node);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "i%d", i);
        const char *percent = strchr(sizes, '%');
        if (percent)
            snprintf(text, sizeof text, "%.*s%d%s", (int)(percent - sizes), sizes, i, percent + 2);
        else
            snprintf(text, sizeof text, "%s", sizes);
        put_value(&graph, GRAPH_INPUT, name, 1, text);
    }
    put_value(&graph, GRAPH_OUTPUT, "y", 1, NULL);
    return model_around(&graph);
}

/* n values in a row, then n additions to the last one; 2: from the last value to the first in the file. */
static bytes chain(int n, const char *z, bool reversed) {
    bytes graph = {0};
    char from[16], to[16];
    for (int i = 0; i < n; i++) {
        int at = reversed ? n - 1 - i : i;
        if (at)
            snprintf(from, sizeof from, "a%d", at - 1);
        else
            snprintf(from, sizeof from, "x");
        snprintf(to, sizeof to, "a%d", at);
        put_node(&graph, "Relu", from, to);
    }
    snprintf(from, sizeof from, "a%d z", n - 1);
    for (int i = 0; i < n; i++) {
        snprintf(to, sizeof to, "b%d", i);
        put_node(&graph, "Add", from, to);
    }
    put_value(&graph, GRAPH_INPUT, "x", 1, "N 3");
    put_value(&graph, GRAPH_INPUT, "z", 1, z);
    put_value(&graph, GRAPH_OUTPUT, "b0", 1, NULL);
    return model_around(&graph);
}

/* n sizes multiplied or concatenated one after the other: terms that grow. */
static bytes growing_terms(int n) {
    bytes graph = {0};
    char operands[32], to[16];
    for (int i = 0; i < n; i++) {
        if (i)
            snprintf(operands, sizeof operands, "a%d i%d", i - 1, i);
        else
            snprintf(operands, sizeof operands, "x i0");
        snprintf(to, sizeof to, "a%d", i);
        put_node(&graph, "Add", operands, to);
    }
    put_value(&graph, GRAPH_INPUT, "x", 1, "N 3");
    for (int i = 0; i < n; i++) {
        char sizes[16];
        snprintf(to, sizeof to, "i%d", i);
        snprintf(sizes, sizeof sizes, "N%d 3", i);
        put_value(&graph, GRAPH_INPUT, to, 1, sizes);
    }
    put_value(&graph, GRAPH_OUTPUT, "a0", 1, NULL);
    return model_around(&graph);
}

/* ---- Tests ---- */

static void long_names_are_told_in_part(void **state) {
    (void)state;
    bytes file = nested_names(15, 300, 15000);
    expect_cheap(&file, "nested names");
    char *name = long_name('S', 1000000);
    file = additions(20000, name, "T 4");
    expect_cheap(&file, "the name of a symbol, broken");
    file = additions(20000, name, "T 3");
    expect_cheap(&file, "the name of a symbol, a condition");
    memset(name, '\x01', 1000000);
    file = additions(20000, name, "T 4");
    expect_cheap(&file, "a name of control characters");
    free(name);
}

static void calls_are_expanded_within_limits(void **state) {
    (void)state;
    bytes file = doubling_calls(10);
    expect_cheap(&file, "10 deep");
    file = doubling_calls(18);
    expect_cheap(&file, "18 deep");
    file = doubling_calls(40);
    expect_cheap(&file, "40 deep");
    file = many_functions(20000);
    expect_cheap(&file, "20000 functions");
}

static void wide_nodes_cost_once(void **state) {
    (void)state;
    bytes file = wide("Sum", 100000, "2 3", -1);
    expect_cheap(&file, "Sum");
    file = wide("Sum", 50000, "N%d 3", -1);
    expect_cheap(&file, "Sum of symbols");
    file = wide("Concat", 50000, "N%d 3", 1);
    expect_cheap(&file, "Concat on conditions");
    file = wide("Concat", 50000, "N%d 3", 0);
    expect_cheap(&file, "Concat of symbols");
}

/* At sizes at which quadratic work is not stopped by a limit: one node, with any operator and rule book. */
static void wide_nodes_say_what_their_operands_do(void **state) {
    (void)state;
    static const struct {
        const char *op_type, *sizes;
        int64_t axis;
    } nodes[] = {{"Sum", "N%d 3", -1},    {"Max", "N%d 3", -1},   {"Min", "N%d 3", -1},   {"Mean", "N%d 3", -1},
                 {"Einsum", "N%d 3", -1}, {"Concat", "N%d 3", 0}, {"Concat", "N%d 3", 1}, {"SequenceConstruct", "N%d 3", -1}};
    static const int counts[] = {2, 16, 31, 32, 33, 40, 128, 400, 4000};
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
            for (int book = 0; book < OB_RULES_COUNT; book++) {
                if (counts[k] > 400 && book > 1) continue; /* they use the same facts */
                ob_check_options options;
                ob_check_options_init(&options);
                options.rules = (ob_rules)book;
                bytes file = wide(nodes[i].op_type, counts[k], nodes[i].sizes, nodes[i].axis);
                char what[100];
                snprintf(what, sizeof what, "%s of %d, %s, book %d", nodes[i].op_type, counts[k], nodes[i].sizes, book);
                expect_cheap_with(&file, what, &options);
            }
}

static void long_chains_are_walked_once(void **state) {
    (void)state;
    bytes file = chain(50000, "4 5", false);
    expect_cheap(&file, "errors behind a chain");
    file = chain(50000, "M 3", false);
    expect_cheap(&file, "conditions behind a chain");
    file = chain(50000, "4 5", true);
    expect_cheap(&file, "a chain in the wrong order");
    static const int terms[] = {31, 33, 130, 1000, 20000};
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        file = growing_terms(terms[i]);
        expect_cheap(&file, "growing terms");
    }
}

/* n empty fields at the place `where`: the smallest in a file, and the largest in memory. */
static bytes empty_fields(uint32_t in_model, uint32_t in_graph, uint32_t in_node, uint32_t in_attribute, int n) {
    bytes attribute = {0}, node = node_of("", "Relu", "x", "y"), graph = {0};
    put_text(&attribute, ATTRIBUTE_NAME, "a");
    for (int i = 0; in_attribute && i < n; i++) put_bytes(&attribute, in_attribute, NULL, 0);
    put_number(&attribute, ATTRIBUTE_TYPE, 0);
    put_message(&node, NODE_ATTRIBUTE, &attribute);
    for (int i = 0; in_node && i < n; i++) put_bytes(&node, in_node, NULL, 0);
    put_message(&graph, GRAPH_NODE, &node);
    for (int i = 0; in_graph && i < n; i++) put_bytes(&graph, in_graph, NULL, 0);
    put_value(&graph, GRAPH_INPUT, "x", 1, "N");
    put_value(&graph, GRAPH_OUTPUT, "y", 1, "N");
    bytes model = model_around(&graph);
    for (int i = 0; in_model && i < n; i++) put_bytes(&model, in_model, NULL, 0);
    return model;
}

static void empty_messages_are_counted_before_they_are_unpacked(void **state) {
    (void)state;
    enum { N = 1000000 };
    for (uint32_t level = 0; level < 4; level++)
        for (uint32_t field = 1; field <= 26; field++) {
            bytes file =
                empty_fields(level == 0 ? field : 0, level == 1 ? field : 0, level == 2 ? field : 0, level == 3 ? field : 0, N);
            counted c;
            const ob_allocator allocator = {count_alloc, count_realloc, count_free, &c};
            ob_model *model = NULL;
            ob_error error;
            ob_status status = load_counted(&file, &c, &allocator, &model, &error);
            if (status == OB_E_LIMIT && strstr(error.message, "messages of the file")) assert_true(c.peak < (1 << 20));
            if (c.peak > ((size_t)8 << 20) + 150 * file.n)
                fail_msg("level %u, field %u: %zu bytes for %zu", level, field, c.peak, file.n);
            ob_model_close(&model);
            free(file.data);
        }
}

static void growth_has_a_limit(void **state) {
    (void)state;
    bytes file = empty_fields(0, 0, NODE_ATTRIBUTE, 0, 40000);
    ob_load_options options;
    ob_load_options_init(&options);
    ob_model *model = NULL;
    ob_error error;
    uint32_t least = 1; /* the smallest limit that admits it; its attributes have the same empty name, which is reported later */
    for (;; least++) {
        options.limits.max_growth = least;
        ob_status status = ob_model_load_memory(file.data, file.n, NULL, &options, &model, &error);
        assert_null(model);
        if (status != OB_E_LIMIT) break;
        assert_non_null(strstr(error.message, "messages of the file take more than"));
    }
    assert_string_equal(error.message, "attribute \"\" occurs twice");
    assert_true(least > 64 && least < 400);
    free(file.data);
}

static ob_status load_with_imports(int n, ob_error *error) {
    bytes graph = {0};
    put_node(&graph, "Relu", "x", "y");
    put_value(&graph, GRAPH_INPUT, "x", 1, "N");
    put_value(&graph, GRAPH_OUTPUT, "y", 1, "N");
    bytes file = model_around(&graph); /* has two */
    for (int i = 2; i < n; i++) put_opset(&file, MODEL_OPSET_IMPORT, "d", i);
    ob_model *model = NULL;
    ob_status status = ob_model_load_memory(file.data, file.n, NULL, NULL, &model, error);
    ob_model_close(&model);
    free(file.data);
    return status;
}

static void imports_have_a_limit(void **state) {
    (void)state;
    ob_error error;
    assert_int_equal(load_with_imports(1024, &error), OB_OK);
    assert_int_equal(load_with_imports(1025, &error), OB_E_LIMIT);
    assert_string_equal(error.message, "1025 imports of operator sets, the limit is 1024");
}

static void findings_have_a_limit_of_bytes(void **state) {
    (void)state;
    enum { N = 500 };
    ob_check_options options;
    ob_check_options_init(&options);
    bytes file = additions(N, "2", "4 5");
    cost all = check_cost(&file, &options);
    assert_int_equal(all.summary.n_dropped, 0);
    size_t n_errors = all.summary.n_errors, least = 1, most = 1 << 20;
    assert_true(n_errors >= N);
    while (least < most) { /* the smallest number of bytes that holds them all */
        options.max_finding_bytes = least + (most - least) / 2;
        file = additions(N, "2", "4 5");
        cost c = check_cost(&file, &options);
        assert_int_equal(c.summary.n_errors, n_errors); /* listed or not */
        if (c.summary.n_dropped == 0)
            most = options.max_finding_bytes;
        else
            least = options.max_finding_bytes + 1;
    }
    options.max_finding_bytes = least - 1;
    file = additions(N, "2", "4 5");
    assert_int_equal(check_cost(&file, &options).summary.n_dropped, 1);
    options.max_finding_bytes = 1;
    file = additions(N, "2", "4 5");
    cost none = check_cost(&file, &options);
    assert_int_equal(none.summary.n_dropped, n_errors);
    assert_int_equal(none.summary.n_errors, n_errors);
}

/* 1 + 2 + 4 calls, of which the last two have the operands of earlier calls, and 2 nodes in each of the two bodies that
 * differ: 11 nodes, the last body entered after 9. */
static bool stops_with(uint64_t max_nodes) {
    ob_check_options options;
    ob_check_options_init(&options);
    options.max_nodes = max_nodes;
    bytes file = doubling_calls(2);
    ob_model *model = NULL;
    ob_report *report = NULL;
    assert_int_equal(ob_model_load_memory(file.data, file.n, NULL, NULL, &model, NULL), OB_OK);
    assert_int_equal(ob_check(model, &options, &report, NULL), OB_OK);
    bool stopped = false;
    ob_finding_info finding;
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        assert_int_equal(ob_report_finding(report, i, &finding), OB_OK);
        if (strcmp(finding.id, "OB0805") != 0) continue;
        stopped = true;
        assert_int_equal(finding.severity, OB_SEVERITY_WARNING);
        assert_non_null(strstr(finding.message, "the limit of nodes is reached"));
    }
    ob_report_close(&report);
    ob_model_close(&model);
    free(file.data);
    return stopped;
}

static void inferred_nodes_have_a_limit(void **state) {
    (void)state;
    assert_false(stops_with(0));
    assert_false(stops_with(10));
    assert_true(stops_with(9));
    assert_true(stops_with(1));
}

/* n sums of two inputs each, which are outputs. */
static bytes many_inputs(int n) {
    bytes graph = {0};
    char operands[40], to[16];
    for (int i = 0; i < n; i++) {
        snprintf(operands, sizeof operands, "l%d r%d", i, i);
        snprintf(to, sizeof to, "o%d", i);
        put_node(&graph, "Add", operands, to);
        put_value(&graph, GRAPH_OUTPUT, to, 1, "3");
    }
    for (int i = 0; i < 2 * n; i++) {
        snprintf(to, sizeof to, i % 2 ? "r%d" : "l%d", i / 2);
        put_value(&graph, GRAPH_INPUT, to, 1, "3");
    }
    return model_around(&graph);
}

static ob_status count_bytes(void *context, const void *data, size_t n) {
    (void)data;
    *(uint64_t *)context += n;
    return OB_OK;
}

static void rewritten_models_repeat_no_long_names(void **state) {
    (void)state;
    char *name = long_name('S', 100000);
    bytes file = additions(2000, name, "T 3");
    ob_model *model = NULL;
    ob_error error;
    uint64_t n = 0;
    assert_int_equal(ob_model_load_memory(file.data, file.n, NULL, NULL, &model, NULL), OB_OK);
    if (ob_rewrite(model, OB_FORM_BROADCAST, NULL, NULL, &error) != OB_OK) fail_msg("%s", error.message);
    assert_int_equal(ob_model_write(model, OB_FORMAT_PROTOBUF, count_bytes, &n, NULL), OB_OK);
    assert_true(n < 100 * (uint64_t)file.n);
    ob_model_close(&model);
    free(file.data);
    free(name);
}

static void rewrites_and_sessions_are_linear(void **state) {
    (void)state;
    bytes file = wide("Sum", 60000, "1 3", -1);
    ob_error error;
    static const ob_form forms[] = {OB_FORM_BROADCAST, OB_FORM_FUNCTION, OB_FORM_EXPAND};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        ob_model *model = NULL;
        assert_int_equal(ob_model_load_memory(file.data, file.n, NULL, NULL, &model, NULL), OB_OK);
        if (ob_rewrite(model, forms[i], NULL, NULL, &error) != OB_OK) fail_msg("%s", error.message);
        if (ob_rewrite(model, OB_FORM_IMPLICIT, NULL, NULL, &error) != OB_OK) fail_msg("%s", error.message);
        ob_model_close(&model);
    }
    free(file.data);
    enum { N = 50000 };
    file = many_inputs(N);
    ob_model *model = NULL;
    assert_int_equal(ob_model_load_memory(file.data, file.n, NULL, NULL, &model, NULL), OB_OK);
    ob_session *session = session_of(model, NULL, 0);
    float ones[3] = {1, 1, 1};
    ob_view *inputs = malloc(2 * N * sizeof *inputs), *outputs = calloc(N, sizeof *outputs);
    assert_non_null(inputs);
    assert_non_null(outputs);
    for (int i = 0; i < 2 * N; i++) inputs[i] = floats(ones, 1, DIMS(3));
    if (ob_session_run(session, inputs, 2 * N, outputs, N, &error) != OB_OK) fail_msg("%s", error.message);
    assert_true(((const float *)outputs[N - 1].data)[2] == 2.0f);
    free(inputs);
    free(outputs);
    ob_session_close(&session);
    ob_model_close(&model);
    free(file.data);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_names_are_told_in_part),
        cmocka_unit_test(calls_are_expanded_within_limits),
        cmocka_unit_test(wide_nodes_cost_once),
        cmocka_unit_test(wide_nodes_say_what_their_operands_do),
        cmocka_unit_test(long_chains_are_walked_once),
        cmocka_unit_test(empty_messages_are_counted_before_they_are_unpacked),
        cmocka_unit_test(growth_has_a_limit),
        cmocka_unit_test(imports_have_a_limit),
        cmocka_unit_test(findings_have_a_limit_of_bytes),
        cmocka_unit_test(inferred_nodes_have_a_limit),
        cmocka_unit_test(rewritten_models_repeat_no_long_names),
        cmocka_unit_test(rewrites_and_sessions_are_linear),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
