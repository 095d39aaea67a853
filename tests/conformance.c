/* ONNX backend tests, run in process, each optimised and not. A list names the tests that pass. A listed test that fails is an
 * error, and so is a test that passes but is not listed. A model that cannot run must be refused; it must never give a wrong
 * result. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compare.h"
#include "core/graph/graph.h"
#include "data_sets.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "ops/body/body.h"
#include "ops/kernel/kernel.h"
#include "ops/library/resolve.h"
#include "passes/check/propagate.h"
#include "passes/expand/expand.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/plan.h"
#include "runtime/session.h"
#include "variants.h"

enum { SKIPPED = 77 };

typedef enum outcome { PASSED, REFUSED, WRONG } outcome;
static const char *const outcome_text[] = {"passed", "refused", "WRONG"};

typedef struct test {
    char *name;
    outcome outcome;
    bool claimed;
    char *known;  /* why its expected results are not those of the specification (a line "! NAME: reason"), or NULL */
    char *random; /* why its elements are not compared, only their type and shape (a line "~ NAME: reason"), or NULL */
    char why[900];
} test;

typedef struct suite {
    const char *root, *list, *model_file;
    test *tests;
    size_t n;
    double rtol, atol;
    bool random; /* the elements of the current test are not compared */
} suite;

/* ---- One test ---- */

static outcome judge(ob_status status, const char *what, const ob_error *error, char *why, size_t n_bytes) {
    snprintf(why, n_bytes, "%s: %s%s%s%s", what, error->node[0] || error->op_type[0] ? error->op_type : "",
             error->op_type[0] ? ": " : "", error->message[0] ? error->message : ob_status_text(status), "");
    return status == OB_E_UNSUPPORTED ? REFUSED : WRONG;
}

static bool same_shape(const ob_view *a, const ob_view *b) {
    bool same = a->dtype == b->dtype && a->rank == b->rank;
    for (int32_t i = 0; same && i < a->rank; i++) same = a->dims[i] == b->dims[i];
    return same;
}

/* Rewriting keeps every bit of every result, and so does any number of threads. */
static bool same_bits(const ob_view *a, const ob_view *b) {
    if (!same_shape(a, b)) return false;
    size_t n_bytes = (size_t)ob_view_count(a) * ob_dtype_size(a->dtype);
    return a->dtype == OB_STRING || n_bytes == 0 || memcmp(a->data, b->data, n_bytes) == 0;
}

/* Recursion ends at OB_CELL_MAX_DEPTH. */
static bool same_cell_bits(const ob_cell *a, const ob_cell *b) {
    ob_view x, y;
    if (ob_cell_get_kind(a) != ob_cell_get_kind(b) || ob_cell_count(a) != ob_cell_count(b)) return false;
    if (ob_cell_view(a, &x) && ob_cell_view(b, &y)) return same_bits(&x, &y);
    for (size_t i = 0; i < ob_cell_count(a); i++)
        if (!same_cell_bits(ob_cell_at(a, i), ob_cell_at(b, i))) return false;
    return true;
}

static bool shape_holds(const ob_session *session, const ob_type *said, const ob_view *is, const ob_binding *bindings, size_t n) {
    if (said->dtype != OB_NONE && said->dtype != is->dtype) return false;
    if (said->shape.rank == OB_RANK_UNKNOWN) return true;
    if (said->shape.rank != is->rank) return false;
    for (int32_t k = 0; k < is->rank; k++) {
        int64_t size;
        if (ob_dim_eval(session->model->dims, said->shape.dims[k], bindings, n, &size) == OB_OK && size != is->dims[k])
            return false;
    }
    return true;
}

/* Facts inferred for all sizes must hold for the sizes of this run: known ranks, known sizes, and terms whose symbols the
 * inputs bind. Returns the first value with a wrong fact, or NULL. */
static const char *find_contradiction(const ob_session *session, const ob_view *inputs) {
    static ob_binding bindings[MAX_TENSORS * OB_MAX_RANK];
    size_t n = 0;
    for (uint32_t i = 0; i < session->n_inputs; i++)
        for (int32_t k = 0; k < session->input_info[i].shape.rank; k++) {
            ob_dim dim = session->input_info[i].shape.dims[k];
            if (ob_dim_is_term(dim) && ob_dim_get_kind(session->model->dims, dim) == OB_DIM_KIND_SYMBOL)
                bindings[n++] = (ob_binding){dim, inputs[i].dims[k]};
        }
    for (const ob_node *node = session->model->graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++) {
            const ob_value *value = node->outputs[i];
            const ob_slot *slot = value ? session->current->slots[value->id] : NULL;
            ob_view planned;
            if (slot) ob__layout_view(slot->layout, NULL, &planned);
            const ob_view *is = slot ? &planned : value && session->frame.dynamic ? session->frame.dynamic[value->id] : NULL;
            if (is && !shape_holds(session, &ob__fact(&session->facts, value)->type, is, bindings, n)) return value->name;
        }
    return NULL;
}

/* Hashes every byte of the plan: the data that kernels keep from planning, with all memory of the plan that it points to. Gaps
 * between blocks of an arena are included, which does no harm. */
__attribute__((no_sanitize("address"))) static uint64_t hash_plan(const ob_plan *plan) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const ob_arena_block *block = plan->arena.head; block; block = block->older)
        for (size_t i = 0; i < block->n_bytes; i++) hash = (hash ^ ((const unsigned char *)block)[i]) * 0x100000001b3u;
    return hash;
}

/* A worker gives the same bits as the session, and a run does not change the shared plan. Returns NULL, or the error. */
static const char *run_worker(ob_session *session, const ob_view *inputs, size_t n_inputs, const ob_view *want, size_t n) {
    ob_worker *worker = NULL;
    ob_error error;
    ob_status status = ob_worker_create(session, NULL, &worker, &error);
    if (status == OB_E_UNSUPPORTED && session->current->memory.n_dynamic > 0) return NULL;
    if (status != OB_OK) return "no worker can be made";
    ob_view outputs[MAX_TENSORS] = {{0}};
    const char *wrong = NULL;
    uint64_t before = hash_plan(session->current);
    if (ob_worker_run(worker, inputs, n_inputs, outputs, n, &error) != OB_OK) wrong = "a worker fails";
    if (hash_plan(session->current) != before) wrong = "a run changes the plan, or the state of a kernel";
    for (size_t i = 0; i < n && !wrong; i++)
        if (!same_bits(&outputs[i], &want[i])) wrong = "a worker gives other bits than the session";
    ob_worker_close(&worker);
    return wrong;
}

static outcome run_data_set(ob_session *session, ob_session *reference, const suite *s, const char *folder, const char *variant,
                            char *why, size_t n_bytes) {
    static tensors in, want; /* large; one test at a time */
    ob_view inputs[MAX_TENSORS], outputs[MAX_TENSORS] = {{0}};
    const ob_cell *cells[MAX_TENSORS] = {0};
    ob_error error;
    ob_error_clear(&error);
    outcome result = WRONG;
    want.n = 0;
    ob_status status = read_values(folder, "input", session, &in, &error);
    if (status == OB_OK) status = read_values(folder, "output", session, &want, &error);
    if (status != OB_OK) {
        result = judge(status, "data", &error, why, n_bytes);
        goto end;
    }
    if (want.n != ob_session_output_count(session)) {
        snprintf(why, n_bytes, "%s: results of %zu outputs are given, the model has %zu", variant, want.n,
                 ob_session_output_count(session));
        goto end;
    }
    for (size_t i = 0; i < in.n; i++) {
        ob_session_value info = {0};
        ob_session_input(session, i, &info);
        retype_bfloat16(&in.items[i].view, info.dtype);
        inputs[i] = in.items[i].view;
    }
    status = ob_session_run_cells(session, inputs, (const ob_cell *const *)in.cells, in.n, outputs, cells, want.n, &error);
    if (status != OB_OK) {
        result = judge(status, variant, &error, why, n_bytes);
        goto end;
    }
    result = PASSED;
    for (size_t i = 0; i < want.n && result == PASSED; i++) {
        comparison c;
        retype_bfloat16(&want.items[i].view, outputs[i].dtype);
        if (s->random && !want.cells[i] && same_shape(&outputs[i], &want.items[i].view)) continue;
        if (want.cells[i] ? compare_cells(cells[i], want.cells[i], s->rtol, s->atol, &c)
                          : compare_tensors(&outputs[i], &want.items[i].view, s->rtol, s->atol, &c))
            continue;
        snprintf(why, n_bytes, "%s: output %zu: %s", variant, i, c.message);
        result = WRONG;
    }
    const char *contradiction = find_contradiction(session, inputs);
    if (result == PASSED && contradiction) {
        snprintf(why, n_bytes, "%s: the run contradicts the shape or type inferred for %s", variant, contradiction);
        result = WRONG;
    }
    const char *wrong = result == PASSED ? run_worker(session, inputs, in.n, outputs, want.n) : NULL;
    if (wrong) {
        snprintf(why, n_bytes, "%s: %s", variant, wrong);
        result = WRONG;
    }
    if (result == PASSED && reference) {
        ob_view original[MAX_TENSORS] = {{0}};
        const ob_cell *original_cells[MAX_TENSORS] = {0};
        status = ob_session_run_cells(reference, inputs, (const ob_cell *const *)in.cells, in.n, original, original_cells, want.n,
                                      &error);
        if (status != OB_OK) result = judge(status, variant, &error, why, n_bytes);
        for (size_t i = 0; i < want.n && result == PASSED; i++)
            if (cells[i] ? !same_cell_bits(cells[i], original_cells[i]) : !same_bits(&outputs[i], &original[i])) {
                snprintf(why, n_bytes, "%s: output %zu has other bits than the original with one thread", variant, i);
                result = WRONG;
            }
    }
end:
    release_tensors(&in);
    release_tensors(&want);
    return result;
}

static outcome run_data_sets(const ob_model *model, ob_session *reference, const suite *s, const char *folder,
                             const char *variant, const ob_session_config *config, int n_sets, char *why, size_t n_bytes) {
    ob_session *session = NULL;
    ob_error error;
    ob_status status = ob_session_create(model, config, &session, &error);
    if (status != OB_OK) return judge(status, variant, &error, why, n_bytes);
    outcome result = PASSED;
    for (int set = 0; result == PASSED && set < n_sets; set++) {
        char path[8000];
        struct stat info;
        snprintf(path, sizeof path, "%s/test_data_set_%d", folder, set);
        if (stat(path, &info) != 0) {
            if (set == 0) snprintf(why, n_bytes, "no data"), result = REFUSED;
            break;
        }
        result = run_data_set(session, reference, s, path, variant, why, n_bytes);
    }
    ob_session_close(&session);
    return result;
}

/* In four tests of ONNX 1.12 (CastLike with bfloat16) the shape of an input differs from the model's declaration, so the
 * declaration is removed. */
static void relax_declared_shapes(ob_model *model, const char *folder) {
    static tensors in;
    char path[7000];
    ob_error error;
    uint32_t at = 0;
    snprintf(path, sizeof path, "%s/test_data_set_0", folder);
    if (read_tensors(path, "input", &in, &error) == OB_OK)
        for (uint32_t i = 0; i < model->graph->n_inputs && at < in.n; i++) {
            ob_value *value = model->graph->inputs[i];
            if (value->is_initializer) continue;
            const ob_view *view = &in.items[at++].view;
            ob_shape *shape = &value->declared.shape;
            bool fits = shape->rank == OB_RANK_UNKNOWN || shape->rank == view->rank;
            for (int32_t k = 0; fits && k < shape->rank; k++)
                fits = !ob_dim_is_const(shape->dims[k]) || shape->dims[k] == view->dims[k];
            if (!fits) *shape = (ob_shape){OB_RANK_UNKNOWN, NULL};
        }
    release_tensors(&in);
}

static void run_variant(const suite *s, test *t, const ob_model *model, ob_form form, const char *folder) {
    byte_buffer buffer = {0};
    ob_model *rewritten = NULL;
    ob_error error;
    char name[60];
    ob_error_clear(&error);
    snprintf(name, sizeof name, "rewritten to %s", ob_form_name(form));
    ob_status status = make_variant(model, form, &buffer, &rewritten, &error);
    if (status == OB_OK) {
        ob_session *reference = NULL;
        ob_session_create(model, NULL, &reference, NULL);
        t->outcome = run_data_sets(rewritten, reference, s, folder, name, NULL, INT_MAX, t->why, sizeof t->why);
        ob_session_close(&reference);
        if (t->outcome == REFUSED) t->outcome = WRONG; /* the model ran before it was rewritten */
    } else {
        judge(status, name, &error, t->why, sizeof t->why);
        t->outcome = WRONG;
    }
    ob_model_close(&rewritten);
    free(buffer.data);
}

/* The kernel and the body of an operator give the same results. Nodes without a body must have the opset of the bodies. */
static bool has_bodies(const ob_model *model) {
    bool any = false;
    for (const ob_node *node = model->graph->first; node; node = node->next) {
        if (!node->op || !ob__has_kernel(node->op)) return false;
        if (ob__body_of(node->op))
            any = true;
        else if (ob__op_find(node->domain, node->op_type, OB_BODY_OPSET) != node->op)
            return false;
    }
    return any;
}

/* The model with its operators replaced by their bodies. */
static void run_bodies(const suite *s, test *t, const ob_model *model, const char *folder) {
    ob_model *copy = NULL;
    ob_facts facts;
    ob_error error;
    bool any = false;
    ob__facts_init(&facts, NULL);
    ob_status status = ob_model_clone(model, &copy, &error);
    if (status == OB_OK) status = ob__model_resolve_ops(copy);
    if (status == OB_OK && has_bodies(copy)) {
        status = ob__propagate(copy, NULL, &facts, NULL);
        if (status == OB_OK)
            status = ob__expand_bodies(copy, &facts, &(ob_expand_options){.all = true, .max_nodes = UINT64_MAX}, &any, &error);
        if (!ob__model_set_opset(copy, "", OB_BODY_OPSET)) status = OB_E_MEMORY;
        if (status == OB_OK) t->outcome = run_data_sets(copy, NULL, s, folder, "as bodies", NULL, INT_MAX, t->why, sizeof t->why);
        if (t->outcome == REFUSED) t->outcome = WRONG;
    }
    if (status != OB_OK) judge(status, "as bodies", &error, t->why, sizeof t->why), t->outcome = WRONG;
    ob__facts_release(&facts);
    ob_model_close(&copy);
}

/* Results do not depend on the number of threads: one data set is enough. */
static void run_threads(const suite *s, test *t, const ob_model *model, const char *folder) {
    ob_session *reference = NULL;
    ob_error error;
    ob_session_config config;
    ob_session_config_init(&config);
    if (ob_session_create(model, NULL, &reference, &error) != OB_OK) return; /* it has run */
    for (config.n_threads = 2; config.n_threads <= 4 && t->outcome == PASSED; config.n_threads++) {
        char name[60];
        snprintf(name, sizeof name, "with %d threads", config.n_threads);
        t->outcome = run_data_sets(model, reference, s, folder, name, &config, 1, t->why, sizeof t->why);
        if (t->outcome == REFUSED && config.n_threads == 2) { /* built without threads */
            t->outcome = PASSED;
            t->why[0] = '\0';
            break;
        }
    }
    ob_session_close(&reference);
}

static void run_test(const suite *all, test *t) {
    suite own = *all, *s = &own;
    own.random = t->random != NULL;
    char folder[4096], path[5000];
    ob_error error;
    ob_model *model = NULL;
    snprintf(folder, sizeof folder, "%s/%s", s->root, t->name);
    snprintf(path, sizeof path, "%s/%s", folder, s->model_file);
    read_tolerance(folder, "\"rtol\"", &own.rtol);
    read_tolerance(folder, "\"atol\"", &own.atol);
    ob_error_clear(&error);
    ob_status status = ob_model_load(path, NULL, &model, &error);
    if (status != OB_OK) {
        t->outcome = judge(status, "load", &error, t->why, sizeof t->why);
        return;
    }
    relax_declared_shapes(model, folder);
    ob_session_config plain;
    ob_session_config_init(&plain);
    plain.optimize = false;
    t->outcome = run_data_sets(model, NULL, s, folder, "optimised", NULL, INT_MAX, t->why, sizeof t->why);
    if (t->outcome == PASSED)
        t->outcome = run_data_sets(model, NULL, s, folder, "unoptimised", &plain, INT_MAX, t->why, sizeof t->why);
    if (t->outcome == PASSED) run_bodies(s, t, model, folder);
    if (t->outcome == PASSED) run_threads(s, t, model, folder);
    for (int form = 0; form < OB_FORM_COUNT && t->outcome == PASSED; form++) run_variant(s, t, model, (ob_form)form, folder);
    ob_model_close(&model);
}

/* ---- All tests of a folder ---- */

static int by_name(const void *a, const void *b) {
    return strcmp(((const test *)a)->name, ((const test *)b)->name);
}

static bool find_tests(suite *s, const char *only) {
    DIR *folder = opendir(s->root);
    if (!folder) return false;
    size_t capacity = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[8000];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s/%s", s->root, entry->d_name, s->model_file);
        if (entry->d_name[0] == '.' || (only && !strstr(entry->d_name, only)) || stat(path, &info) != 0) continue;
        if (s->n == capacity) {
            capacity = capacity ? capacity * 2 : 256;
            test *grown = realloc(s->tests, capacity * sizeof *grown);
            if (!grown) abort();
            s->tests = grown;
        }
        s->tests[s->n] = (test){.name = strdup(entry->d_name)};
        if (!s->tests[s->n++].name) abort();
    }
    closedir(folder);
    if (s->n) qsort(s->tests, s->n, sizeof *s->tests, by_name);
    return true;
}

static test *find_test(suite *s, char *name) {
    test key = {.name = name};
    return s->n ? bsearch(&key, s->tests, s->n, sizeof key, by_name) : NULL;
}

/* Marks the tests that the list names; returns how many names have no test. */
static int read_list(suite *s, bool complain_missing) {
    FILE *file = fopen(s->list, "r");
    char line[1000];
    int n_missing = 0;
    if (!file) return 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '\0' || line[0] == '#') continue;
        char *reason = line[0] == '!' || line[0] == '~' ? strstr(line, ": ") : NULL;
        if (reason) {
            *reason = '\0';
            test *known = find_test(s, line + 2);
            if (known) *(line[0] == '!' ? &known->known : &known->random) = strdup(reason + 2);
            continue;
        }
        test *t = find_test(s, line);
        if (t)
            t->claimed = true;
        else if (complain_missing)
            printf("%s is listed, but there is no such test\n", line), n_missing++;
    }
    fclose(file);
    return n_missing;
}

/* It needs a library that this build does not have: the list is for builds with all libraries. */
static bool is_absent(const test *t) {
    return t->outcome == REFUSED && strstr(t->why, "built without");
}

static bool write_list(const suite *s) {
    FILE *file = fopen(s->list, "w");
    if (!file) return false;
    fprintf(file, "# Tests that run completely and give the expected results, optimised, unoptimised, as bodies and rewritten in "
                  "every form.\n"
                  "# Written by: conformance --bless\n");
    for (size_t i = 0; i < s->n; i++)
        if (s->tests[i].known) fprintf(file, "! %s: %s\n", s->tests[i].name, s->tests[i].known);
    for (size_t i = 0; i < s->n; i++)
        if (s->tests[i].random) fprintf(file, "~ %s: %s\n", s->tests[i].name, s->tests[i].random);
    for (size_t i = 0; i < s->n; i++)
        if (s->tests[i].outcome == PASSED || (s->tests[i].claimed && is_absent(&s->tests[i])))
            fprintf(file, "%s\n", s->tests[i].name);
    return fclose(file) == 0;
}

static int report(suite *s, bool verbose, bool bless, bool partial) {
    size_t count[3] = {0};
    int n_errors = 0;
    for (size_t i = 0; i < s->n; i++) {
        const test *t = &s->tests[i];
        count[t->outcome]++;
        bool surprise = t->claimed != (t->outcome == PASSED) && !(partial && t->outcome == PASSED) && !is_absent(t);
        bool error = (t->outcome == WRONG && !t->known) || (surprise && !bless);
        n_errors += error;
        if (error || verbose || (t->claimed && is_absent(t))) {
            const char *note = t->claimed ? " (listed)" : t->outcome == PASSED ? " (not listed)" : "";
            printf("%s %s%s%s%s\n", outcome_text[t->outcome], t->name, verbose || surprise ? note : "", t->why[0] ? ": " : "",
                   t->why);
        }
    }
    printf("%zu tests: %zu passed, %zu refused, %zu wrong; %d errors\n", s->n, count[PASSED], count[REFUSED], count[WRONG],
           n_errors);
    return n_errors;
}

int main(int argc, char **argv) {
    char root[1500];
    suite s = {.model_file = "model.onnx", .rtol = 1e-3, .atol = 1e-7};
    const char *only = NULL;
    bool verbose = false, bless = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--bless") == 0)
            bless = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else if (strcmp(argv[i], "--list") == 0 && i + 1 < argc)
            s.list = argv[++i];
        else if (strcmp(argv[i], "--rtol") == 0 && i + 1 < argc)
            s.rtol = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--atol") == 0 && i + 1 < argc)
            s.atol = strtod(argv[++i], NULL);
        else if (argv[i][0] != '-' && !s.root)
            s.root = find_root(argv[i], root, sizeof root);
        else {
            fprintf(stderr, "usage: conformance FOLDER --list FILE [--only PART] [--verbose] [--bless] [--rtol R] [--atol A]\n");
            return 2;
        }
    }
    if (!s.root || !s.list || !find_tests(&s, only)) {
        printf("skipped: no tests in %s\n", s.root ? s.root : "(no folder)");
        return SKIPPED;
    }
    int n_missing = read_list(&s, !only && !bless);
    for (size_t i = 0; i < s.n; i++) {
        if (verbose) fprintf(stderr, "%s\n", s.tests[i].name);
        run_test(&s, &s.tests[i]);
    }
    if (bless && !only && !write_list(&s)) {
        fprintf(stderr, "cannot write %s\n", s.list);
        return 1;
    }
    int n_errors = report(&s, verbose, bless, only != NULL) + n_missing;
    for (size_t i = 0; i < s.n; i++) {
        free(s.tests[i].name);
        free(s.tests[i].known);
        free(s.tests[i].random);
    }
    free(s.tests);
    return n_errors ? 1 : 0;
}
