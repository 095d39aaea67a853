/* Rewrites models, checks them before and after, runs both, and prints all of it as JSON for rewrites.py, which decides.
 *
 *     rewrites [--models FOLDER] [--random N] [--part K OF]
 *
 * FOLDER has models as FOLDER/NAME/model.onnx. Random models are those of the first N seeds of gen.h without an error. Part K of
 * OF is every OF-th model. Lines:
 *
 *     {"model": NAME, "side": SIDE}                                     a model
 *     {"model": NAME, "form": FORM, "refused": REASON}                  no rewrite
 *     {"model": NAME, "form": FORM, "side": SIDE, "claims": [CLAIM...], "stated": [CLAUSE...], "runs": RUNS, "proved": PROVED}
 *     {"model": NAME, "form": FORM, "changed": true, ..., "proved_runs": RUNS}
 *                                             the rewrite with one word changed; runs of the outputs alone that are proved equal
 *
 * SIDE is what a check finds: contract, values by path and name with their shapes, and "places", the names of sizes of inputs
 * that have none. A CLAIM is the declared and the inferred shape of a result of an explicit operator, or a condition that such an
 * operator carries. PROVED is what a certificate proves: {NAME: [is the shape equal, are the elements]}. Terms and clauses are
 * written as in term_json.h. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data_sets.h"
#include "mutate.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "passes/compare/same.h"
#include "side_json.h"
#include "variants.h"
/* which names a type `value` */
#include "soundness/gen.h"

/* Limits of the runs: most sets of sizes, memory of one run. */
enum { MOST_RUNS = 5, MOST_BYTES = 1 << 26, MUTANTS = 2 };

typedef struct subject {
    const char *name;
    ob_model *model;
    ob_report *report;
    const char *folder; /* with test data, or NULL */
    char paths[2][64];  /* files of both models */
} subject;

/* ---- Runs ---- */

static ob_status ignore(void *context, const void *bytes, size_t n) {
    (void)context, (void)bytes, (void)n;
    return OB_OK;
}

static bool same_bits(const ob_view *a, const ob_view *b) {
    if (a->dtype != b->dtype || a->rank != b->rank || memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) != 0)
        return false;
    const size_t n = (size_t)ob_view_count(a) * ob_dtype_size(a->dtype);
    return a->dtype == OB_STRING || n == 0 || memcmp(a->data, b->data, n) == 0;
}

/* The model's own data sets: 1 equal, 0 different, -1 not run. */
static int run_set(ob_session *const sessions[2], const char *folder) {
    ob_view inputs[MAX_TENSORS], outputs[2][MAX_TENSORS] = {0}; /* the session provides memory */
    const size_t n = ob_session_output_count(sessions[0]);
    tensors read;
    int verdict = -1;
    bool runs = n <= MAX_TENSORS && ob_session_output_count(sessions[1]) == n;
    if (read_values(folder, "input", sessions[0], &read, NULL) != OB_OK) runs = false;
    for (size_t i = 0; i < read.n; i++) runs = runs && !read.cells[i], inputs[i] = read.items[i].view;
    for (int which = 0; which < 2 && runs; which++)
        runs = ob_session_run(sessions[which], inputs, read.n, outputs[which], n, NULL) == OB_OK;
    if (runs) verdict = 1;
    for (size_t i = 0; i < n && runs; i++)
        if (!same_bits(&outputs[0][i], &outputs[1][i])) verdict = 0;
    release_tensors(&read);
    return verdict;
}

static void run_sets(const subject *s, const ob_model *made, size_t *n_runs, size_t *n_different) {
    const ob_model *const models[2] = {s->model, made};
    ob_session *sessions[2] = {NULL, NULL};
    bool opened = s->folder != NULL;
    for (int which = 0; which < 2 && opened; which++)
        opened = ob_session_create(models[which], NULL, &sessions[which], NULL) == OB_OK;
    for (int k = 0; k < 3 && opened; k++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/test_data_set_%d", s->folder, k);
        const int verdict = access(path, R_OK) == 0 ? run_set(sessions, path) : -1;
        *n_runs += verdict >= 0;
        *n_different += verdict == 0;
    }
    ob_session_close(&sessions[0]);
    ob_session_close(&sessions[1]);
}

static void put_runs(const subject *s, const char *name, const ob_model *made) {
    const ob_certify_options options = {.max_runs = MOST_RUNS, .max_memory = MOST_BYTES};
    ob_certificate_info info = {.contract = OB_RELATION_UNKNOWN};
    ob_error error;
    size_t n_runs = 0, n_different = 0;
    ob_status status = ob_model_save(made, s->paths[1], OB_FORMAT_PROTOBUF, &error);
    if (status == OB_OK) status = ob_certify(s->paths[0], s->paths[1], &options, ignore, NULL, &info, &error);
    run_sets(s, made, &n_runs, &n_different);
    n_runs += info.n_runs;
    n_different += info.n_different;
    printf(",\"%s\":{\"n\":%zu,\"different\":%zu,\"both_refuse\":%zu,\"one_refuses\":%zu,\"relation\":\"%s\",\"error\":", name,
           n_runs, n_different, info.n_refused, info.n_unlike, ob_relation_name(info.contract));
    json_string(stdout, status == OB_OK ? "" : error.message);
    putchar('}');
}

/* ---- Rewrites ---- */

static void begin_line(const subject *s, const char *form) {
    printf("{\"model\":");
    json_string(stdout, s->name);
    printf(",\"form\":\"%s\",", form);
}

/* Leaves the outputs that are proved equal. False: there are none. */
static bool keep_outputs(ob_graph *graph, const ob_compared_values *values) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        for (size_t k = 0; k < values->n; k++) {
            if (!values->items[k].equal || strcmp(values->items[k].name, graph->outputs[i]->name) != 0) continue;
            graph->outputs[n++] = graph->outputs[i];
            break;
        }
    graph->n_outputs = n;
    return n > 0;
}

/* Runs both models with these outputs alone. */
static void put_proved_runs(const subject *s, const ob_model *made, const ob_compared_values *values) {
    ob_model *before = NULL, *after = NULL;
    if (ob_model_clone(s->model, &before, NULL) == OB_OK && ob_model_clone(made, &after, NULL) == OB_OK &&
        keep_outputs(before->graph, values) && keep_outputs(after->graph, values) &&
        ob_model_save(before, s->paths[0], OB_FORMAT_PROTOBUF, NULL) == OB_OK)
        put_runs(s, "proved_runs", after);
    if (ob_model_save(s->model, s->paths[0], OB_FORMAT_PROTOBUF, NULL) != OB_OK) abort();
    ob_model_close(&before);
    ob_model_close(&after);
}

static void put_proved(const subject *s, const ob_model *made, ob_report *report, bool changed) {
    ob_compared_values values = {0};
    ob_arena arena;
    ob__arena_init(&arena, ob_allocator_default());
    printf(",\"proved\":{");
    if (ob__compare_main_values(s->report, report, &arena, &values) != OB_OK) values.n = 0;
    for (size_t i = 0; i < values.n; i++) {
        if (i) putchar(',');
        json_string(stdout, values.items[i].name);
        printf(":[%s,%s]", values.items[i].shape != OB_SHAPE_OPEN ? "true" : "false", values.items[i].equal ? "true" : "false");
    }
    putchar('}');
    if (changed) put_proved_runs(s, made, &values);
    ob__arena_release(&arena);
}

static void put_rewrite(const subject *s, const char *form, ob_model *made, bool changed) {
    ob_report *report = NULL;
    ob_error error;
    begin_line(s, form);
    if (changed) printf("\"changed\":true,");
    if (ob_check(made, NULL, &report, &error) == OB_OK) {
        put_side(report);
        put_claims(report);
        put_stated(made);
        put_runs(s, "runs", made);
        put_proved(s, made, report, changed);
    } else {
        printf("\"broken\":");
        json_string(stdout, error.message);
    }
    printf("}\n");
    ob_report_close(&report);
}

/* Texts that differ in one word and are models. */
static void put_changed(const subject *s, const char *form, const ob_model *made) {
    byte_buffer text = {0};
    ob_load_options options;
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    if (ob_model_write(made, OB_FORMAT_TEXT, append_bytes, &text, NULL) == OB_OK && append_bytes(&text, "", 1) == OB_OK) {
        for (uint64_t seed = 1; seed <= MUTANTS; seed++) {
            char *changed = mutated_text(made->graph, text.data, seed * 7919 + text.n);
            ob_model *model = NULL;
            if (changed && ob_model_load_memory(changed, strlen(changed), "changed", &options, &model, NULL) == OB_OK)
                put_rewrite(s, form, model, true);
            ob_model_close(&model);
            free(changed);
        }
    }
    free(text.data);
}

/* The rewritten model, and the implicit form of an explicit one. */
static void rewrite_to(const subject *s, ob_form form) {
    byte_buffer buffer = {0}, again = {0};
    ob_model *made = NULL, *back = NULL;
    ob_error error;
    char name[60];
    const ob_status status = make_variant(s->model, form, &buffer, &made, &error);
    if (status == OB_OK) {
        put_rewrite(s, ob_form_name(form), made, false);
        if (!s->folder) put_changed(s, ob_form_name(form), made);
    } else {
        begin_line(s, ob_form_name(form));
        printf(status == OB_E_UNSUPPORTED ? "\"refused\":" : "\"broken\":");
        json_string(stdout, error.message);
        printf("}\n");
    }
    if (status == OB_OK && form != OB_FORM_IMPLICIT && make_variant(made, OB_FORM_IMPLICIT, &again, &back, &error) == OB_OK) {
        snprintf(name, sizeof name, "%s, implicit", ob_form_name(form));
        put_rewrite(s, name, back, false);
    }
    ob_model_close(&back);
    ob_model_close(&made);
    free(buffer.data);
    free(again.data);
}

static void rewrite_all(subject *s) {
    static const ob_form forms[] = {OB_FORM_BROADCAST, OB_FORM_FUNCTION, OB_FORM_EXPAND, OB_FORM_IMPLICIT};
    printf("{\"model\":");
    json_string(stdout, s->name);
    putchar(',');
    put_side(s->report);
    printf("}\n");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) rewrite_to(s, forms[i]);
}

/* False: it has an error, and no form. */
static bool rewrite_subject(subject *s, bool chosen) {
    ob_error error;
    if (ob_check(s->model, NULL, &s->report, &error) != OB_OK) return false;
    const bool sound = ob_report_get_summary(s->report).n_errors == 0;
    if (sound && chosen && ob_model_save(s->model, s->paths[0], OB_FORMAT_PROTOBUF, &error) == OB_OK) rewrite_all(s);
    ob_report_close(&s->report);
    return sound;
}

/* ---- Models ---- */

static int is_shown(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void each_model(subject *s, const char *folder, int part, int of) {
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, is_shown, alphasort);
    int at = 0;
    for (int i = 0; i < n; i++) {
        char path[1200], own[1100];
        snprintf(own, sizeof own, "%.800s/%.250s", folder, entries[i]->d_name);
        snprintf(path, sizeof path, "%s/model.onnx", own);
        s->name = entries[i]->d_name;
        s->folder = own;
        s->model = NULL;
        if (access(path, R_OK) == 0 && ob_model_load(path, NULL, &s->model, NULL) == OB_OK) rewrite_subject(s, at++ % of == part);
        ob_model_close(&s->model);
        free(entries[i]);
    }
    free(entries);
}

static void each_random(subject *s, uint64_t count, int part, int of) {
    static gen g;
    static stream choices;
    ob_load_options options;
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    s->folder = NULL;
    for (uint64_t seed = 1, at = 0; at < count && seed < 20 * count; seed++) {
        char name[40];
        stream_fill(&choices, seed);
        char *text = gen_model(&g, &choices, &plain_spelling);
        snprintf(name, sizeof name, "random %llu", (unsigned long long)seed);
        s->name = name;
        s->model = NULL;
        if (ob_model_load_memory(text, strlen(text), "random", &options, &s->model, NULL) == OB_OK)
            at += rewrite_subject(s, at % (uint64_t)of == (uint64_t)part);
        ob_model_close(&s->model);
        free(text);
    }
}

int main(int argc, char **argv) {
    const char *folder = NULL;
    uint64_t count = 0;
    int part = 0, of = 1;
    char own[] = "/tmp/onnx-broadcast-rewrites-XXXXXX";
    subject s = {0};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--models") == 0) folder = argv[i + 1];
        if (strcmp(argv[i], "--random") == 0) count = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--part") == 0 && i + 2 < argc) part = atoi(argv[i + 1]), of = atoi(argv[i + 2]), i++;
    }
    if (of < 1 || !mkdtemp(own)) return 2;
    snprintf(s.paths[0], sizeof s.paths[0], "%s/before.onnx", own);
    snprintf(s.paths[1], sizeof s.paths[1], "%s/after.onnx", own);
    if (folder) each_model(&s, folder, part, of);
    each_random(&s, count, part, of);
    unlink(s.paths[0]), unlink(s.paths[1]);
    return rmdir(own) != 0;
}
