/* Writes guards, and the contracts that they state, for guards.py:
 *
 *     guard_cases FOLDER RANDOM GUARDED CLAUSES [FILE...]
 *
 * Models: each FILE (one that ends in .txt: the part "--- input" of a case of tests/graphs), those of guard_case.h, RANDOM and
 * GUARDED random ones (tests/soundness/gen.h; every third is checked with assumptions), CLAUSES random contracts (guard_case.h)
 * with random conditions on values.
 * The C of each guard goes to FOLDER/NAME.c. A line of JSON on stdout has the contract, with terms as in term_json.h. */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "passes/contract/bounds.h"
#include "passes/report/report.h"
#include "term_json.h"
#include "tests/guard_case.h"
#include "tests/soundness/gen.h"

typedef struct writer {
    const char *folder;
    const char *model; /* its name for readers */
    uint32_t n;
} writer;

/* ---- The contract ---- */

static void json_clauses(ob_dims *dims, const ob_contract *contract) {
    ob_text text;
    ob__text_init(&text, NULL);
    fputs(",\"clauses\":[", stdout);
    for (uint32_t i = 0; i < contract->n_clauses; i++) {
        if (i) putchar(',');
        json_literals(stdout, dims, contract->clauses[i]->literals, contract->clauses[i]->n);
    }
    fputs("],\"texts\":[", stdout);
    for (uint32_t i = 0; i < contract->n_clauses; i++) {
        text.n = 0;
        ob__solved_write(&text, dims, contract->clauses[i]);
        if (i) putchar(',');
        json_string(stdout, text.data);
    }
    putchar(']');
    ob__text_release(&text);
}

/* The shape of the input of a bound, then the part, the limits and the guards of the bound. */
static void json_bound(ob_dims *dims, const ob_facts *facts, const ob_contract_bound *bound) {
    const ob_bound *b = &bound->bound;
    ob_text text;
    ob__text_init(&text, NULL);
    ob__bound_write(&text, dims, facts, bound, b->input->name);
    const ob_type *type = &ob__fact(facts, b->input)->type;
    const int32_t rank = type->shape.rank;
    fputs("{\"input\":", stdout);
    json_string(stdout, b->input->name);
    printf(",\"type\":%d,\"shape\":", (int)type->dtype);
    if (rank < 0)
        fputs("null", stdout);
    else
        json_terms(stdout, dims, type->shape.dims, (size_t)rank);
    if (b->first) {
        fputs(",\"first\":", stdout);
        json_terms(stdout, dims, b->first, (size_t)rank);
        fputs(",\"end\":", stdout);
        json_terms(stdout, dims, b->end, (size_t)rank);
    }
    fputs(",\"lowest\":", stdout);
    json_term(stdout, dims, b->lowest);
    fputs(",\"highest\":", stdout);
    json_term(stdout, dims, b->highest);
    fputs(",\"guards\":", stdout);
    json_terms(stdout, dims, bound->guards, bound->n_guards);
    fputs(",\"text\":", stdout);
    json_string(stdout, text.data);
    putchar('}');
    ob__text_release(&text);
}

static void json_contract(const writer *w, const char *name, ob_report *report) {
    ob_dims *dims = report->model->dims;
    const ob_contract *contract = &report->contract;
    printf("{\"name\":\"%s\",\"model\":", name);
    json_string(stdout, w->model);
    printf(",\"status\":\"%s\",\"most\":%" PRId64 ",\"sizes\":", ob_contract_status_name(contract->status), OB_DIM_CONST_MAX);
    json_terms(stdout, dims, contract->inputs, contract->n_inputs);
    fputs(",\"names\":[", stdout);
    for (uint32_t i = 0; i < contract->n_inputs; i++) {
        const ob_term *term = ob__term(dims, contract->inputs[i]);
        char text[32];
        if (!term->name) ob_dim_format(dims, contract->inputs[i], text, sizeof text);
        if (i) putchar(',');
        json_string(stdout, term->name ? term->name : text);
    }
    putchar(']');
    json_clauses(dims, contract);
    fputs(",\"bounds\":[", stdout);
    for (uint32_t i = 0; i < contract->n_bounds; i++) {
        if (i) putchar(',');
        json_bound(dims, &report->facts, &contract->bounds[i]);
    }
    puts("]}");
}

/* ---- The guard ---- */

static ob_status append(void *context, const void *bytes, size_t n_bytes) {
    return fwrite(bytes, 1, n_bytes, context) == n_bytes ? OB_OK : OB_E_IO;
}

static void write_guard(writer *w, ob_report *report) {
    char name[40], path[1000];
    ob_error error;
    snprintf(name, sizeof name, "guard_%u", w->n++);
    snprintf(path, sizeof path, "%s/%s.c", w->folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || ob_report_guard_write(report, name, append, file, &error) != OB_OK || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
    json_contract(w, name, report);
}

/* ---- Models ---- */

static ob_report *check(ob_model *model, const char *const *assumptions, size_t n) {
    ob_check_options options;
    ob_report *report = NULL;
    ob_check_options_init(&options);
    options.assumptions = assumptions;
    options.n_assumptions = n;
    return ob_check(model, &options, &report, NULL) == OB_OK ? report : NULL;
}

/* Without an assumption that names no size of the model. */
static void take_model(writer *w, ob_model *model, const char *const *assumptions, size_t n) {
    ob_report *report = model ? check(model, assumptions, n) : NULL;
    for (; model && !report && n > 0; n--) report = check(model, assumptions, n - 1);
    if (!report) {
        fprintf(stderr, "guard_cases: %s cannot be checked\n", w->model);
        exit(1);
    }
    write_guard(w, report);
    ob_report_close(&report);
    ob_model_close(&model);
}

static void take_text(writer *w, const char *text, const char *const *assumptions, size_t n) {
    ob_model *model = NULL;
    ob_load_options options;
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    ob_model_load_memory(text, strlen(text), w->model, &options, &model, NULL);
    take_model(w, model, assumptions, n);
}

/* The part "--- input" of a case; the whole text where there is none. */
static void take_case(writer *w, const char *path) {
    static char bytes[200000];
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(bytes, 1, sizeof bytes - 1, file) : 0;
    if (file) fclose(file);
    bytes[n] = '\0';
    char *start = strstr(bytes, "--- input\n");
    start = start ? start + strlen("--- input\n") : bytes;
    char *end = strstr(start, "\n---");
    if (end) end[1] = '\0';
    take_text(w, start, NULL, 0);
}

static void take_file(writer *w, const char *path) {
    const size_t n = strlen(path);
    w->model = path;
    if (n > 4 && strcmp(path + n - 4, ".txt") == 0) {
        take_case(w, path);
        return;
    }
    ob_model *model = NULL;
    ob_model_load(path, NULL, &model, NULL);
    take_model(w, model, NULL, 0);
}

static void take_known(writer *w) {
    char text[2000];
    w->model = "guard_case.h";
    for (size_t i = 0; i < sizeof guard_bodies / sizeof *guard_bodies; i++) {
        snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 17]> %s", guard_bodies[i]);
        take_text(w, text, NULL, 0);
    }
    for (size_t i = 0; i < sizeof guard_value_models / sizeof *guard_value_models; i++) {
        snprintf(text, sizeof text, "<ir_version: 10, opset_import: [\"\": 18]> g %s", guard_value_models[i]);
        take_text(w, text, NULL, 0);
    }
}

static void take_random(writer *w, uint64_t seed, bool guarded) {
    static const char *const assumptions[][2] = {
        {"N >= 2", "M % 2 = 0"}, {"N = M", "K <= 7"}, {"N <= 5", "K >= 1"}, {"N % 6 = 0", "M != 3"}};
    static gen g;
    stream s;
    char name[60];
    snprintf(name, sizeof name, "random %s %llu", guarded ? "with guards" : "model", (unsigned long long)seed);
    w->model = name;
    guarded ? stream_fill_guards(&s, seed) : stream_fill(&s, seed);
    char *text = gen_model(&g, &s, &plain_spelling);
    take_text(w, text, assumptions[seed / 3 % 4], seed % 3 ? 0 : 2);
    free(text);
}

enum { BOUNDS = 2, RANK = 3, TERMS = 8 };

/* Conditions on the elements of x, with terms of its sizes A, B and C. */
typedef struct random_bounds {
    ob_contract_bound bounds[BOUNDS];
    ob_dim first[BOUNDS][RANK], end[BOUNDS][RANK], guards[BOUNDS][2];
} random_bounds;

static ob_dim random_limit(uint64_t *state, const ob_dim *terms) {
    return guard_random(state) % 4 ? terms[guard_random(state) % TERMS] : OB_DIM_UNKNOWN;
}

static void put_random_bounds(uint64_t *state, ob_model *model, ob_contract *contract, random_bounds *made) {
    ob_dim terms[TERMS] = {contract->inputs[0], contract->inputs[1], contract->inputs[2], -3};
    for (size_t i = 4; i < TERMS; i++) {
        terms[i] = guard_random_term(state, model->dims, terms, i);
        if (terms[i] == OB_DIM_UNKNOWN) terms[i] = terms[i % 4];
    }
    for (int k = 0; k < BOUNDS; k++) {
        ob_contract_bound *bound = &made->bounds[k];
        *bound = (ob_contract_bound){.bound = {.input = model->graph->inputs[0],
                                               .is_rounded = true,
                                               .lowest = random_limit(state, terms),
                                               .highest = random_limit(state, terms)},
                                     .guards = made->guards[k],
                                     .n_guards = (uint32_t)(guard_random(state) % 3)};
        for (int i = 0; i < 2; i++) made->guards[k][i] = terms[guard_random(state) % TERMS];
        if (guard_random(state) % 3 == 0) continue;
        bound->bound.first = made->first[k];
        bound->bound.end = made->end[k];
        for (int axis = 0; axis < RANK; axis++) {
            made->first[k][axis] = guard_random(state) % 3 ? 0 : terms[guard_random(state) % TERMS];
            made->end[k][axis] = guard_random(state) % 3 ? contract->inputs[axis] : terms[guard_random(state) % TERMS];
        }
    }
    contract->bounds = made->bounds;
    contract->n_bounds = BOUNDS;
}

static void take_random_clauses(writer *w, uint64_t *state) {
    ob_model *model = NULL;
    ob_report *report = NULL;
    guard_random_clauses clauses;
    random_bounds bounds;
    w->model = "random clauses";
    if (ob_model_load_memory(guard_random_model, strlen(guard_random_model), NULL, NULL, &model, NULL) != OB_OK ||
        ob_check(model, NULL, &report, NULL) != OB_OK)
        exit(1);
    guard_randomise(state, model->dims, &report->contract, &clauses);
    put_random_bounds(state, model, &report->contract, &bounds);
    write_guard(w, report);
    ob_report_close(&report);
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    uint64_t state = 20261128;
    unsigned long long counts[3];
    if (argc < 5) return fprintf(stderr, "usage: guard_cases FOLDER RANDOM GUARDED CLAUSES [FILE...]\n"), 2;
    for (int i = 0; i < 3; i++) counts[i] = strtoull(argv[2 + i], NULL, 10);
    writer w = {.folder = argv[1]};
    for (int i = 5; i < argc; i++) take_file(&w, argv[i]);
    take_known(&w);
    for (uint64_t seed = 1; seed <= counts[0]; seed++) take_random(&w, seed, false);
    for (uint64_t seed = 1; seed <= counts[1]; seed++) take_random(&w, seed, true);
    for (uint64_t i = 0; i < counts[2]; i++) take_random_clauses(&w, &state);
    return ferror(stdout) || fflush(stdout) != 0;
}
