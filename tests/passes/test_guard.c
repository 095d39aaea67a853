/* The other forms of the contract, compared with the report's answer for the same sizes: the C source, compiled with the
 * machine's compiler, and the text that a rewritten model states. */
#include <dirent.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guard_case.h"
#include "model_text.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "passes/contract/stated.h"
#include "passes/report/report.h"

enum { MAX_SIZES = 64, TRIALS = 2000 };

typedef struct guard {
    void *library;
    int (*holds)(const int64_t *sizes, const char **clause);
    int (*count)(void);
    const char *(*name)(int index);
    int (*values)(const int64_t *sizes, const void *const *data, const int *types, const int64_t *counts, const char **condition);
    int (*inputs)(void);
    const char *(*input)(int index);
    int (*input_type)(int index);
    const char *text; /* of the contract */
} guard;

static uint64_t seed = 20260217;

static uint64_t next_random(void) {
    return guard_random(&seed);
}

static ob_status append(void *context, const void *bytes, size_t n_bytes) {
    return fwrite(bytes, 1, n_bytes, context) == n_bytes ? OB_OK : OB_E_IO;
}

static void run(const char *command) {
    if (system(command) != 0) fail_msg("%s", command);
}

static void find(const guard *g, const char *name, void *function, size_t n_bytes) {
    void *symbol = dlsym(g->library, name);
    assert_non_null(symbol);
    memcpy(function, &symbol, n_bytes);
}

/* Writes, compiles and loads the guard of a report. as_cxx: it must be C++ too. */
static guard build(const ob_report *report, const char *name, bool as_cxx) {
    char source[500], library[500], command[3000], symbol[200];
    snprintf(source, sizeof source, "%s/tests/%s.c", OB_BINARY_DIR, name);
    snprintf(library, sizeof library, "%s/tests/%s.so", OB_BINARY_DIR, name);
    FILE *file = fopen(source, "wb");
    assert_non_null(file);
    ob_error error;
    ob_error_clear(&error);
    if (ob_report_guard_write(report, name, append, file, &error) != OB_OK) fail_msg("%s", error.message);
    assert_int_equal(fclose(file), 0);
    static const char warnings[] = "-Wall -Wextra -Werror -pedantic -Wshadow -Wconversion -Wmissing-declarations";
    snprintf(command, sizeof command, "'%s' -std=c11 %s -Wmissing-prototypes -Wstrict-prototypes -fPIC -shared -o '%s' '%s'",
             OB_CC, warnings, library, source);
    run(command);
    if (as_cxx && OB_CXX[0]) {
        snprintf(command, sizeof command, "'%s' -x c++ -std=c++11 %s -fsyntax-only '%s'", OB_CXX, warnings, source);
        run(command);
    }
    guard g = {.library = dlopen(library, RTLD_NOW | RTLD_LOCAL)};
    if (!g.library) fail_msg("%s", dlerror());
    find(&g, name, &g.holds, sizeof g.holds);
    snprintf(symbol, sizeof symbol, "%s_count", name);
    find(&g, symbol, &g.count, sizeof g.count);
    snprintf(symbol, sizeof symbol, "%s_name", name);
    find(&g, symbol, &g.name, sizeof g.name);
    snprintf(symbol, sizeof symbol, "%s_values", name);
    find(&g, symbol, &g.values, sizeof g.values);
    snprintf(symbol, sizeof symbol, "%s_inputs", name);
    find(&g, symbol, &g.inputs, sizeof g.inputs);
    snprintf(symbol, sizeof symbol, "%s_input", name);
    find(&g, symbol, &g.input, sizeof g.input);
    snprintf(symbol, sizeof symbol, "%s_input_type", name);
    find(&g, symbol, &g.input_type, sizeof g.input_type);
    remove(source);
    remove(library);
    return g;
}

/* The text gives the same answer, except for omitted clauses. Where a number overflows depends on the form of a term. */
static void text_agrees(const char *text, const ob_named_size *sizes, size_t n, ob_truth truth) {
    ob_truth stated = OB_UNDECIDED;
    ob_error error;
    ob_status status = ob_contract_check(text, sizes, n, &stated, &error);
    bool whole = !strstr(text, "\nleft out: "), huge = false;
    for (size_t i = 0; i < n; i++) huge |= sizes[i].size > INT64_C(1) << 31;
    if (status != OB_OK && status != OB_E_CONDITION) fail_msg("%s: %s", text, error.message);
    if (status == OB_E_CONDITION) stated = OB_FALSE;
    if (huge && (stated == OB_UNDECIDED || truth == OB_UNDECIDED)) return;
    if (whole ? stated != truth : stated == OB_FALSE && truth != OB_FALSE)
        fail_msg("%s (%lld ...): the text says %d, the report %d: %s", n ? sizes[0].name : "", n ? (long long)sizes[0].size : 0,
                 (int)stated, (int)truth, text);
}

/* The guard and the report give the same answer; false if a size has no name for a question to the report. */
static bool agree(const ob_report *report, const guard *g, const int64_t *values, int64_t *n_of_verdict) {
    ob_named_size sizes[MAX_SIZES];
    int n = g->count();
    for (int i = 0; i < n; i++) sizes[i] = (ob_named_size){g->name(i), values[i]};
    ob_truth truth = OB_UNDECIDED;
    size_t broken = 0;
    ob_status status = ob_report_contract_holds(report, sizes, (size_t)n, &truth, &broken);
    if (status == OB_E_NOT_FOUND) return false;
    assert_int_equal(status, OB_OK);
    const char *clause = "untouched";
    int verdict = g->holds(values, &clause), expected = 0;
    if (truth == OB_FALSE) expected = (int)(broken == SIZE_MAX ? ob_report_contract(report).n_clauses : broken) + 1;
    assert_int_equal(g->holds(values, NULL), verdict);
    if (truth == OB_UNDECIDED ? verdict != -1 && verdict != -2 : verdict != expected)
        fail_msg("size 0 (%s) = %lld ...: the guard says %d, the report %d (%d)", n ? g->name(0) : "",
                 n ? (long long)values[0] : 0, verdict, (int)truth, expected);
    if (verdict > 0)
        assert_non_null(clause);
    else
        assert_null(clause);
    if (n_of_verdict[truth]++ % 5 == 0) text_agrees(g->text, sizes, (size_t)n, truth);
    return true;
}

/* Sizes near the limits of the clauses, some shared by symbols, some too large to be multiplied. */
static int64_t draw(int64_t last) {
    static const int64_t borders[] = {0,  1,  2,  3,   4,   5,   7,   8,   15,  16,  17,  31,  32,
                                      33, 63, 64, 127, 128, 129, 224, 255, 256, 511, 512, 513, 1024};
    uint64_t kind = next_random() % 16;
    if (kind < 5) return last;
    if (kind == 5) return (int64_t)(next_random() % 5000);
    if (kind == 6) return (next_random() & 1 ? OB_DIM_CONST_MAX : OB_DIM_CONST_MAX / 3) - (int64_t)(next_random() % 3);
    if (kind == 7) return 32 * (int64_t)(next_random() % 40);
    return borders[next_random() % (sizeof borders / sizeof *borders)];
}

static void try_sizes(ob_report *report, const guard *g, int64_t *n_of_verdict) {
    int64_t values[MAX_SIZES] = {0};
    int n = g->count();
    assert_in_range(n, 0, MAX_SIZES);
    assert_null(g->name(n));
    assert_null(g->name(-1));
    for (int trial = 0; trial < TRIALS; trial++) {
        int64_t last = 1;
        for (int i = 0; i < n; i++) last = values[i] = trial < 40 ? trial : draw(last);
        if (!agree(report, g, values, n_of_verdict)) return;
    }
    if (n > 0) {
        values[n - 1] = -1;
        assert_int_equal(g->holds(values, NULL), -3);
        values[n - 1] = OB_DIM_CONST_MAX + 1;
        assert_int_equal(g->holds(values, NULL), -3);
    }
}

/* The satisfying and breaking sizes of the solved clauses. */
static void try_witnesses(ob_report *report, const guard *g, int64_t *n_of_verdict) {
    ob_contract_info info = ob_report_contract(report);
    for (size_t k = 0; k < info.n_clauses; k++) {
        ob_clause_info clause;
        assert_int_equal(ob_report_clause(report, k, &clause), OB_OK);
        for (int side = 0; side < 2; side++) {
            const ob_named_size *sizes = side ? clause.fails : clause.holds;
            size_t n_sizes = side ? clause.n_fails : clause.n_holds;
            int64_t values[MAX_SIZES] = {0};
            for (int i = 0; i < g->count(); i++)
                for (size_t s = 0; s < n_sizes; s++)
                    if (strcmp(sizes[s].name, g->name(i)) == 0) values[i] = sizes[s].size;
            if (n_sizes) agree(report, g, values, n_of_verdict);
        }
    }
}

static void try_model(ob_model *model, const char *name, int64_t *n_of_verdict) {
    ob_report *report = NULL;
    ob_error error;
    ob_error_clear(&error);
    if (ob_check(model, NULL, &report, &error) != OB_OK) fail_msg("%s", error.message);
    guard g = build(report, name, true);
    assert_int_equal(ob__stated_text(model->dims, &report->facts, &report->contract, &report->arena, &g.text), OB_OK);
    try_sizes(report, &g, n_of_verdict);
    try_witnesses(report, &g, n_of_verdict);
    assert_int_equal(dlclose(g.library), 0);
    ob_report_close(&report);
}

static void try_text(const char *text, const char *name, int64_t *n_of_verdict) {
    ob_model *model = read_text(text);
    try_model(model, name, n_of_verdict);
    ob_model_close(&model);
}

/* ---- */

static void guards_of_small_models(void **state) {
    (void)state;
    int64_t n_of_verdict[3] = {0, 0, 0};
    for (size_t i = 0; i < sizeof guard_bodies / sizeof *guard_bodies; i++) {
        char text[1000], name[40];
        snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 17]> %s", guard_bodies[i]);
        snprintf(name, sizeof name, "guard_small_%zu", i);
        try_text(text, name, n_of_verdict);
    }
    printf("admitted %lld, refused %lld, undecided %lld\n", (long long)n_of_verdict[OB_TRUE], (long long)n_of_verdict[OB_FALSE],
           (long long)n_of_verdict[OB_UNDECIDED]);
    assert_true(n_of_verdict[OB_TRUE] > 100 && n_of_verdict[OB_FALSE] > 1000 && n_of_verdict[OB_UNDECIDED] > 100);
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

static size_t try_folder(const char *folder, int64_t *n_of_verdict) {
    size_t n_models = 0;
    DIR *directory = opendir(folder);
    if (!directory) return 0;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[1000], name[40];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!ends_with(entry->d_name, ".onnx")) snprintf(path, sizeof path, "%s/%s/model.onnx", folder, entry->d_name);
        ob_model *model = NULL;
        if (ob_model_load(path, NULL, &model, NULL) != OB_OK) continue;
        snprintf(name, sizeof name, "guard_model_%zu", n_models++);
        try_model(model, name, n_of_verdict);
        ob_model_close(&model);
    }
    closedir(directory);
    return n_models;
}

static void guards_of_models(void **state) {
    (void)state;
    int64_t n_of_verdict[3] = {0, 0, 0};
    size_t n_models = try_folder(OB_SOURCE_DIR "/models", n_of_verdict);
    assert_true(n_models >= 5);
    const char *shared = getenv("OB_SHARED");
    char folder[900];
    snprintf(folder, sizeof folder, "%s/models", shared ? shared : OB_SOURCE_DIR "/absent");
    n_models += try_folder(folder, n_of_verdict);
    printf("%zu models: admitted %lld, refused %lld, undecided %lld\n", n_models, (long long)n_of_verdict[OB_TRUE],
           (long long)n_of_verdict[OB_FALSE], (long long)n_of_verdict[OB_UNDECIDED]);
}

/* ---- Conditions on values: a run fails exactly if the second function returns false ---- */

enum { MOST_INPUTS = 8, MOST_ELEMS = 256 };

typedef struct call {
    ob_view views[MOST_INPUTS];
    int64_t room[MOST_INPUTS][MOST_ELEMS];
    int64_t dims[MOST_INPUTS][OB_MAX_RANK];
} call;

static void put_element(void *data, ob_dtype dtype, int64_t i, int64_t value) {
    const float small = (float)value + (float)(next_random() % 3) * 0.25f;
    switch (dtype) {
    case OB_INT64: ((int64_t *)data)[i] = value; break;
    case OB_INT32: ((int32_t *)data)[i] = (int32_t)value; break;
    case OB_UINT8: ((uint8_t *)data)[i] = (uint8_t)value; break;
    case OB_BOOL: ((uint8_t *)data)[i] = value & 1; break;
    default: ((float *)data)[i] = small;
    }
}

/* Inputs of these sizes, with elements near the limits; every tenth call has one far outside. */
static void make_call(ob_model *model, const ob_report *report, const ob_binding *sizes, size_t n_sizes, call *c) {
    const ob_graph *graph = model->graph;
    const int64_t reach = 1 + (int64_t)(next_random() % 14);
    assert_in_range(graph->n_inputs, 1, MOST_INPUTS);
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_type *type = &ob__fact(&report->facts, graph->inputs[i])->type;
        for (int32_t axis = 0; axis < type->shape.rank; axis++)
            assert_int_equal(ob_dim_eval(model->dims, type->shape.dims[axis], sizes, n_sizes, &c->dims[i][axis]), OB_OK);
        ob_view_init(&c->views[i], c->room[i], type->dtype, type->shape.rank, c->dims[i]);
        const int64_t n = ob_view_count(&c->views[i]);
        assert_in_range(n, 0, MOST_ELEMS);
        for (int64_t k = 0; k < n; k++)
            put_element(c->room[i], type->dtype, k, (int64_t)(next_random() % (uint64_t)(2 * reach)) - reach + 1);
        if (n && next_random() % 10 == 0)
            put_element(c->room[i], type->dtype, (int64_t)(next_random() % (uint64_t)n), 12 - (int64_t)(next_random() % 25));
    }
}

static int ask_values(const guard *g, const ob_graph *graph, const int64_t *sizes, const call *c, const char **condition) {
    const void *data[MOST_INPUTS];
    int types[MOST_INPUTS];
    int64_t counts[MOST_INPUTS];
    const int n = g->inputs();
    for (int k = 0; k < n; k++)
        for (uint32_t i = 0; i < graph->n_inputs; i++) {
            if (strcmp(graph->inputs[i]->name, g->input(k)) != 0) continue;
            data[k] = c->room[i];
            types[k] = g->input_type(k);
            assert_int_equal(types[k], c->views[i].dtype);
            counts[k] = ob_view_count(&c->views[i]);
        }
    assert_null(g->input(n));
    assert_int_equal(g->input_type(n), 0);
    if (n > 0) { /* sizes and types that do not match the input are refused before any element is read */
        types[0]++;
        assert_int_equal(g->values(sizes, data, types, counts, NULL), -3);
        types[0]--;
        counts[0]++;
        assert_int_equal(g->values(sizes, data, types, counts, NULL), -3);
        counts[0]--;
    }
    const int verdict = g->values(sizes, data, types, counts, condition);
    assert_int_equal(g->values(sizes, data, types, counts, NULL), verdict);
    return verdict;
}

static void try_values(const char *text, const char *name, int64_t n_of[2]) {
    ob_model *model = read_text(text);
    ob_report *report = check_model(model);
    guard g = build(report, name, true);
    ob_session *session = NULL;
    ob_error error;
    if (ob_report_contract(report).status != OB_CONTRACT_COMPLETE) fail_msg("%s is not complete", text);
    if (ob_session_create(model, NULL, &session, &error) != OB_OK) fail_msg("%s", error.message);
    for (int trial = 0; trial < 400; trial++) {
        int64_t sizes[MAX_SIZES];
        ob_binding bindings[MAX_SIZES];
        const int n = g.count();
        call c;
        for (int i = 0; i < n; i++) sizes[i] = (int64_t)(next_random() % (trial % 4 ? 5 : 3));
        for (int i = 0; i < n; i++) bindings[i] = (ob_binding){report->contract.inputs[i], sizes[i]};
        make_call(model, report, bindings, (size_t)n, &c);
        const char *condition = "untouched";
        const int of_sizes = g.holds(sizes, NULL), of_values = ask_values(&g, model->graph, sizes, &c, &condition);
        assert_true((condition != NULL) == (of_values > 0));
        ob_view outputs[MOST_INPUTS] = {0};
        const ob_status status =
            ob_session_run(session, c.views, model->graph->n_inputs, outputs, ob_session_output_count(session), &error);
        if (of_sizes != 0) { /* refused for any values */
            assert_int_not_equal(status, OB_OK);
            continue;
        }
        n_of[status == OB_OK]++;
        if ((status == OB_OK) != (of_values == 0))
            fail_msg("%s: the guard says %d (%s), the run %s", text, of_values, condition ? condition : "",
                     status == OB_OK ? "ends" : error.message);
    }
    ob_session_close(&session);
    assert_int_equal(dlclose(g.library), 0);
    ob_report_close(&report);
    ob_model_close(&model);
}

static void guards_of_values(void **state) {
    (void)state;
    int64_t n_of[2] = {0, 0};
    for (size_t i = 0; i < sizeof guard_value_models / sizeof *guard_value_models; i++) {
        char text[2000], name[40];
        snprintf(text, sizeof text, "<ir_version: 10, opset_import: [\"\": 18]> g %s", guard_value_models[i]);
        snprintf(name, sizeof name, "guard_values_%zu", i);
        try_values(text, name, n_of);
    }
    printf("values: %lld runs end, %lld fail, as the guards say\n", (long long)n_of[1], (long long)n_of[0]);
    assert_true(n_of[0] > 1000 && n_of[1] > 1000);
}

/* ---- Random clauses, which no model of this size would have ---- */

static void guards_of_random_clauses(void **state) {
    (void)state;
    int64_t n_of_verdict[3] = {0, 0, 0};
    for (int round = 0; round < 60; round++) {
        ob_model *model = NULL;
        ob_report *report = NULL;
        char name[40];
        assert_int_equal(ob_model_load_memory(guard_random_model, strlen(guard_random_model), NULL, NULL, &model, NULL), OB_OK);
        assert_int_equal(ob_check(model, NULL, &report, NULL), OB_OK);
        ob_contract *contract = &report->contract;
        assert_int_equal(contract->n_inputs, 3);
        guard_random_clauses clauses;
        guard_randomise(&seed, model->dims, contract, &clauses);
        snprintf(name, sizeof name, "guard_random_%d", round);
        guard g = build(report, name, round < 5);
        assert_int_equal(ob__stated_text(model->dims, &report->facts, contract, &report->arena, &g.text), OB_OK);
        try_sizes(report, &g, n_of_verdict);
        assert_int_equal(dlclose(g.library), 0);
        ob_report_close(&report);
        ob_model_close(&model);
    }
    printf("admitted %lld, refused %lld, undecided %lld\n", (long long)n_of_verdict[OB_TRUE], (long long)n_of_verdict[OB_FALSE],
           (long long)n_of_verdict[OB_UNDECIDED]);
    assert_true(n_of_verdict[OB_TRUE] > 5000 && n_of_verdict[OB_FALSE] > 5000 && n_of_verdict[OB_UNDECIDED] > 1000);
}

static ob_status refuse(void *context, const void *bytes, size_t n_bytes) {
    (void)context;
    (void)bytes;
    (void)n_bytes;
    return OB_E_IO;
}

static void what_cannot_be_written_is_refused(void **state) {
    (void)state;
    static const char text[] = "<ir_version: 8, opset_import: [\"\" : 17]> g (float[N] x) => (float[N] y) { y = Neg(x) }";
    ob_model *model = NULL;
    ob_report *report = NULL;
    assert_int_equal(ob_model_load_memory(text, strlen(text), NULL, NULL, &model, NULL), OB_OK);
    assert_int_equal(ob_check(model, NULL, &report, NULL), OB_OK);
    static const char *const names[] = {"", "int", "class", "7up", "a-b", "_x", "obg_add", "a b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(ob_report_guard_write(report, names[i], refuse, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_guard_write(report, NULL, refuse, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_guard_write(NULL, "f", refuse, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_report_guard_write(report, "f", NULL, NULL, NULL), OB_E_ARGUMENT);
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_report_guard_write(report, "f", refuse, NULL, &error), OB_E_IO);
    assert_int_equal(error.code, OB_E_IO);
    ob_report_close(&report);
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guards_of_small_models),
        cmocka_unit_test(guards_of_models),
        cmocka_unit_test(guards_of_values),
        cmocka_unit_test(guards_of_random_clauses),
        cmocka_unit_test(what_cannot_be_written_is_refused),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
