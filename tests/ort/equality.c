/* The original of a model = its explicit form with the plugin = its function form = its expand form, all in ONNX Runtime, = the
 * original in our executor: for every model of the machine in which something broadcasts. Without graph optimisations ONNX
 * Runtime executes the same kernels in every form, so the bits must be the same; otherwise results must be within the
 * tolerance. A list has the result of each model; a difference from it is an error. */
#include <dirent.h>

#include "data_sets.h"
#include "equality.h"

enum { SKIPPED = 77, MAX_CASES = 4096 };

/* The result of a case: EQUAL everywhere; CLOSE: ONNX Runtime computes some form of it in another order, even without
 * optimisations; OWN: only our executor differs, in some runs, for a reason given in the list; REFUSED by all; ABSENT: ONNX
 * Runtime does not run it; WRONG. */
typedef enum outcome { EQUAL, CLOSE, OWN, REFUSED, ABSENT, WRONG, N_OUTCOMES } outcome;
static const char marks[] = "=~ox-!";

typedef struct one_case {
    char *name, *path, *data; /* data: folder with data sets, or NULL */
    bool sweep;               /* made-up inputs of many sizes too */
    bool listed;
    outcome expected, got;
    size_t n_own, expected_own; /* runs in which our executor differs */
    char reason[400], expected_reason[400];
    tally tally;
} one_case;

typedef struct suite {
    const char *name, *folder, *what;
    size_t first, n;
} suite;

static one_case cases[MAX_CASES];
static size_t n_cases;
static char *kept_lines[MAX_CASES]; /* of the list: cases of folders that are not there */
static size_t n_kept;
static ort_host host;

/* ---- One case ---- */

typedef struct visit {
    contest *contest;
    one_case *of;
    bool random;
} visit;

static void visit_inputs(void *context, const ob_view *inputs, size_t n_inputs) {
    visit *v = context;
    if (v->of->tally.n_runs == 0) v->random = is_random(v->contest, inputs, n_inputs);
    if (!v->random) run_all(v->contest, inputs, n_inputs, &v->of->tally);
}

/* False when there is no such data set, or it holds what is no tensor. */
static bool visit_data_set(visit *v, const char *folder) {
    static tensors in;
    ob_view inputs[MAX_TENSORS];
    ob_error error;
    char path[4096];
    struct stat info;
    snprintf(path, sizeof path, "%s", folder);
    if (stat(path, &info) != 0) return false;
    ob_error_clear(&error);
    bool ok = read_tensors(folder, "input", &in, &error) == OB_OK;
    if (!ok) snprintf(v->of->reason, sizeof v->of->reason, "its data is not of tensors: %.200s", error.message);
    for (size_t i = 0; ok && i < in.n; i++) {
        ob_dtype dtype;
        if (input_type(v->contest, i, &dtype)) retype_bfloat16(&in.items[i].view, dtype);
        inputs[i] = in.items[i].view;
    }
    if (ok) visit_inputs(v, inputs, in.n);
    release_tensors(&in);
    return ok;
}

static void visit_data(visit *v) {
    char path[4096];
    for (int set = 0; v->of->data; set++) {
        snprintf(path, sizeof path, "%s/test_data_set_%d", v->of->data, set);
        if (visit_data_set(v, path)) continue;
        snprintf(path, sizeof path, "%s/input_0.pb", v->of->data);
        struct stat info;
        if (set == 0 && stat(path, &info) == 0) visit_data_set(v, v->of->data);
        return;
    }
}

static outcome judge(one_case *c, const visit *v) {
    const tally *t = &c->tally;
    size_t n_close = 0, n_wrong = 0, n_done = 0;
    for (int level = 0; level < N_LEVELS; level++)
        for (int column = 0; column < N_COLUMNS; column++) {
            const cell *at = &t->cells[level][column];
            n_done += at->n_same + at->n_close;
            if (column != OURS) n_wrong += at->n_wrong;
            if (column == OURS && at->n_wrong > c->n_own) c->n_own = at->n_wrong;
            if (level == PLAIN && column != OURS && !t->by_ours) n_close += at->n_close;
        }
    const char *reason = n_wrong || c->n_own ? t->failure : v->random ? "draws random numbers" : t->refusal;
    if (reason[0] && !c->reason[0]) snprintf(c->reason, sizeof c->reason, "%.*s", (int)sizeof c->reason - 1, reason);
    if (n_wrong) return WRONG;
    if (t->n_runs > 0 && t->n_refused_by_all == t->n_runs && v->contest->ours_status != OB_E_UNSUPPORTED) return REFUSED;
    if (t->n_runs == 0 || n_done == 0) return ABSENT;
    return c->n_own ? OWN : n_close ? CLOSE : EQUAL;
}

static bool read_file(const char *path, byte_buffer *buffer) {
    char piece[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    bool ok = true;
    for (size_t n; ok && (n = fread(piece, 1, sizeof piece, file)) > 0;) ok = append_bytes(buffer, piece, n) == OB_OK;
    ok = ok && !ferror(file);
    fclose(file);
    return ok;
}

/* The original as ONNX Runtime can read it: the file, or its protobuf form when it is text. */
static bool original_bytes(const ob_model *model, const char *path, byte_buffer *buffer) {
    size_t n = strlen(path);
    if (n > 8 && strcmp(path + n - 8, ".onnxtxt") == 0)
        return ob_model_write(model, OB_FORMAT_PROTOBUF, append_bytes, buffer, NULL) == OB_OK;
    return read_file(path, buffer);
}

/* False when nothing broadcasts in the model: it is no case. */
static bool broadcasts(ob_model *model) {
    ob_report *report = NULL;
    if (ob_check(model, NULL, &report, NULL) != OB_OK) return false;
    bool any = ob_report_broadcast_count(report) > 0;
    ob_report_close(&report);
    return any;
}

/* False when the case is none. */
static bool run_case(one_case *c, const char *plugin, bool verbose) {
    static contest sessions; /* large */
    ob_model *model = NULL;
    byte_buffer bytes = {0};
    if (ob_model_load(c->path, NULL, &model, NULL) != OB_OK) return false;
    bool is_case = broadcasts(model) && original_bytes(model, c->path, &bytes);
    if (is_case) {
        open_all(&sessions, &host, model, bytes.data, bytes.n, plugin);
        sessions.verbose = verbose;
        if (c->data) {
            read_tolerance(c->data, "\"rtol\"", &sessions.rtol);
            read_tolerance(c->data, "\"atol\"", &sessions.atol);
        }
        visit v = {.contest = &sessions, .of = c};
        visit_data(&v);
        if (c->sweep && !v.random) each_size(c->path, visit_inputs, &v);
        c->got = judge(c, &v);
        close_all(&sessions);
    }
    free(bytes.data);
    ob_model_close(&model);
    return is_case;
}

/* ---- Cases ---- */

static int by_name(const void *a, const void *b) {
    return strcmp(((const one_case *)a)->name, ((const one_case *)b)->name);
}

static char *join(const char *a, const char *b, const char *c) {
    size_t n = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = malloc(n);
    if (!text) abort();
    snprintf(text, n, "%s%s%s", a, b, c);
    return text;
}

static void add_case(const char *suite_name, const char *stem, char *path, char *data, bool sweep, const char *only) {
    char *name = join(suite_name, "/", stem);
    struct stat info;
    if (stat(path, &info) != 0 || n_cases == MAX_CASES || (only && !strstr(name, only))) {
        free(name), free(path), free(data);
        return;
    }
    cases[n_cases++] = (one_case){.name = name, .path = path, .data = data, .sweep = sweep};
}

/* Folders with model.onnx, or model files with NAME_test beside them. */
static void find_cases(suite *s, const char *only) {
    char root[2000], stem[300];
    const char *folder = find_root(s->folder, root, sizeof root);
    s->first = n_cases;
    DIR *directory = opendir(folder);
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.') continue;
        char *here = join(folder, "/", entry->d_name);
        if (dot && (strcmp(dot, ".onnx") == 0 || strcmp(dot, ".onnxtxt") == 0)) {
            snprintf(stem, sizeof stem, "%.*s", (int)(dot - entry->d_name), entry->d_name);
            char *data = join(folder, "/", stem);
            add_case(s->name, stem, join(here, "", ""), join(data, "_test", ""), true, only);
            free(data);
        } else
            add_case(s->name, entry->d_name, join(here, "/model.onnx", ""), join(here, "", ""), false, only);
        free(here);
    }
    closedir(directory);
    s->n = n_cases - s->first;
    if (s->n) qsort(cases + s->first, s->n, sizeof *cases, by_name);
}

/* Runs a suite's cases and drops what is none. */
static void run_suite(suite *s, const char *plugin, bool verbose) {
    size_t kept = s->first;
    for (size_t i = s->first; i < n_cases; i++) {
        if (verbose) fprintf(stderr, "%s\n", cases[i].name);
        if (run_case(&cases[i], plugin, verbose))
            cases[kept++] = cases[i];
        else
            free(cases[i].name), free(cases[i].path), free(cases[i].data);
    }
    n_cases = kept;
    s->n = n_cases - s->first;
}

/* ---- The list ---- */

static const char list_head[] = "# What tests/ort/equality.c found: = equal, ~ equal within the tolerance only, o our executor "
                                "departs from ONNX Runtime (the\n"
                                "# reason is written by hand), x refused by everything, - not run by ONNX Runtime. Written by: "
                                "ort_equality --list FILE --bless\n";

static one_case *find_case(const char *name) {
    for (size_t i = 0; i < n_cases; i++)
        if (strcmp(cases[i].name, name) == 0) return &cases[i];
    return NULL;
}

static bool suite_is_there(const suite *suites, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (suites[i].n > 0 && strncmp(name, suites[i].name, strlen(suites[i].name)) == 0 && name[strlen(suites[i].name)] == '/')
            return true;
    return false;
}

/* Returns the number of listed cases that are gone. *same_release: the list was written with this ONNX Runtime. */
static size_t read_list(const char *path, const suite *suites, size_t n, bool complain, bool *same_release) {
    FILE *file = fopen(path, "r");
    char line[1000];
    size_t n_gone = 0;
    *same_release = false;
    if (!file) return 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "# ONNX Runtime ", 15) == 0) *same_release = strcmp(line + 15, host.version) == 0;
        const char *mark = line[0] && line[1] == ' ' ? strchr(marks, line[0]) : NULL;
        if (line[0] == '#' || !mark) continue;
        char *name = line + 2, *whole = join(line, "", ""), *reason = strstr(name, ": ");
        if (reason) *reason = '\0', reason += 2;
        one_case *c = find_case(name);
        if (!c && !suite_is_there(suites, n, name) && n_kept < MAX_CASES)
            kept_lines[n_kept++] = whole;
        else
            free(whole);
        if (c) {
            c->listed = true;
            c->expected = (outcome)(mark - marks);
            snprintf(c->expected_reason, sizeof c->expected_reason, "%s", reason ? reason : "");
            sscanf(c->expected_reason, "%zu", &c->expected_own);
        } else if (complain && suite_is_there(suites, n, name))
            printf("%s is listed, but there is no such case\n", name), n_gone++;
    }
    fclose(file);
    return n_gone;
}

static bool write_list(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) return false;
    fprintf(file, "%s# ONNX Runtime %s\n", list_head, host.version);
    for (int o = 0; o < N_OUTCOMES; o++) {
        for (size_t i = 0; i < n_cases; i++) {
            const one_case *c = &cases[i];
            if ((int)c->got != o || o == WRONG) continue;
            fprintf(file, "%c %s", marks[o], c->name);
            const char *why = c->listed && c->expected == OWN ? strstr(c->expected_reason, ": ") : NULL;
            if (o == OWN) fprintf(file, ": %zu of %zu runs: %s", c->n_own, c->tally.n_runs, why ? why + 2 : c->reason);
            if (o == ABSENT) fprintf(file, ": %s", c->reason);
            fprintf(file, "\n");
        }
        for (size_t i = 0; i < n_kept; i++)
            if (kept_lines[i][0] == marks[o]) fprintf(file, "%s\n", kept_lines[i]);
    }
    return fclose(file) == 0;
}

/* ---- What is printed ---- */

static void add_tally(tally *sum, const tally *t) {
    for (int level = 0; level < N_LEVELS; level++)
        for (int column = 0; column < N_COLUMNS; column++) {
            cell *to = &sum->cells[level][column];
            const cell *from = &t->cells[level][column];
            to->n_same += from->n_same;
            to->n_close += from->n_close;
            to->n_refused += from->n_refused;
            to->n_wrong += from->n_wrong;
            if (from->max_error > to->max_error) to->max_error = from->max_error;
        }
    sum->n_runs += t->n_runs;
    sum->n_refused_by_all += t->n_refused_by_all;
    sum->n_lax += t->n_lax;
    sum->n_ours_only += t->n_ours_only;
}

/* "125=", "120= 5~", "3= 2x", "-" */
static void format_cell(const cell *c, char *text, size_t n_bytes) {
    const size_t counts[] = {c->n_same, c->n_close, c->n_refused, c->n_wrong};
    static const char signs[] = "=~x!";
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; i < 4; i++)
        if (counts[i] && n < n_bytes) n += (size_t)snprintf(text + n, n_bytes - n, "%s%zu%c", n ? " " : "", counts[i], signs[i]);
    if (!text[0]) snprintf(text, n_bytes, "-");
}

static void print_row(const char *name, const tally *t) {
    printf("%-34s", name);
    for (int level = 0; level < N_LEVELS; level++)
        for (int column = BROADCAST; column < N_COLUMNS; column++) {
            char text[100];
            format_cell(&t->cells[level][column], text, sizeof text);
            printf(" | %-13s", text);
        }
    printf("\n");
}

static void print_head(void) {
    printf("%-34s", "");
    for (int level = 0; level < N_LEVELS; level++)
        for (int column = BROADCAST; column < N_COLUMNS; column++)
            printf(" | %s %-*s", level == PLAIN ? "-" : "+", 11, column_names[column]);
    printf("\n");
}

static void print_table(const suite *suites, size_t n, bool all) {
    printf("Each form against the original in ONNX Runtime %s, - without and + with graph optimisations. Runs: = same bits, ~ "
           "within the\n"
           "tolerance, x refused (by our executor: not supported; by a form: together with the original), ! other results.\n\n",
           host.version);
    print_head();
    for (size_t s = 0; s < n; s++) {
        tally sum = {0};
        for (size_t i = suites[s].first; i < suites[s].first + suites[s].n; i++) {
            add_tally(&sum, &cases[i].tally);
            if (all) print_row(cases[i].name, &cases[i].tally);
        }
        if (suites[s].n) print_row(suites[s].what, &sum);
    }
}

static bool is_expected(const one_case *c, bool same_release) {
    if (!c->listed) return false;
    /* Another processor may compute alike. */
    if ((c->got == EQUAL && c->expected == CLOSE) || (c->got <= CLOSE && c->expected == OWN)) return true;
    if (c->got != c->expected) return false;
    if (c->got == OWN) return !same_release || c->n_own == c->expected_own;
    return c->got != ABSENT || !same_release || strcmp(c->reason, c->expected_reason) == 0;
}

/* Another release of ONNX Runtime may run more or less than the listed one; what it runs has to be right. */
static size_t report(bool bless, bool same_release) {
    size_t n_errors = 0;
    for (size_t i = 0; i < n_cases; i++) {
        const one_case *c = &cases[i];
        bool wrong = c->got == WRONG || (c->got == CLOSE && c->listed && c->expected == EQUAL);
        if (!wrong && (bless || is_expected(c, same_release) || (!same_release && c->got != OWN))) continue;
        n_errors++;
        printf("%c %s%s%s", marks[c->got], c->name, c->reason[0] ? ": " : "", c->reason);
        if (c->listed) printf(" (listed: %c %s)", marks[c->expected], c->expected_reason);
        printf("%s\n", c->listed ? "" : " (not listed)");
    }
    return n_errors;
}

static void print_counts(size_t n_errors) {
    size_t counts[N_OUTCOMES] = {0};
    tally sum = {0};
    for (size_t i = 0; i < n_cases; i++) {
        counts[cases[i].got]++;
        add_tally(&sum, &cases[i].tally);
    }
    printf("%zu runs of each form: %zu refused by all, %zu by ONNX Runtime only, %zu by the model's conditions only\n",
           sum.n_runs, sum.n_refused_by_all, sum.n_ours_only, sum.n_lax);
    printf("%zu models: %zu equal, bit for bit without optimisations; %zu equal within the tolerance; %zu where our executor "
           "departs, "
           "see the list; %zu refused by all; %zu not run by ONNX Runtime; %zu wrong; %zu errors\n",
           n_cases, counts[EQUAL], counts[CLOSE], counts[OWN], counts[REFUSED], counts[ABSENT], counts[WRONG], n_errors);
}

int main(int argc, char **argv) {
    suite suites[] = {{"models", OB_SOURCE_DIR "/models", "models/", 0, 0},
                      {"symbolic", OB_SOURCE_DIR "/tests/ort/models", "tests/ort/models/", 0, 0},
                      {"node", OB_ONNX_TESTDATA "/node", "ONNX's node tests", 0, 0},
                      {"shared-models", "shared:models", "OB_SHARED/models", 0, 0},
                      {"shared-onnx-tests", "shared:onnx-tests", "OB_SHARED/onnx-tests", 0, 0}};
    const size_t n_suites = sizeof suites / sizeof *suites;
    const char *list = NULL, *only = NULL, *plugin = NULL;
    bool bless = false, table = false, verbose = false, same_release = false;
#ifdef OB_ORT_PLUGIN
    plugin = OB_ORT_PLUGIN;
#endif
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--bless") == 0)
            bless = true;
        else if (strcmp(argv[i], "--table") == 0)
            table = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else if (strcmp(argv[i], "--list") == 0 && i + 1 < argc)
            list = argv[++i];
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else {
            fprintf(stderr, "usage: ort_equality --list FILE [--only PART] [--table] [--verbose] [--bless]\n");
            return 2;
        }
    }
    if (!list || !ort_open(&host, OB_ONNXRUNTIME_LIBRARY)) {
        fprintf(stderr, "ort_equality: %s\n", list ? host.error : "--list FILE is missing");
        return 2;
    }
    for (size_t s = 0; s < n_suites; s++) {
        find_cases(&suites[s], only);
        run_suite(&suites[s], plugin, verbose);
        if (suites[s].n == 0 && !only) printf("skipped: no models in %s\n", suites[s].what);
    }
    size_t n_gone = read_list(list, suites, n_suites, !only && !bless, &same_release);
    if (!same_release) printf("%s was written with another ONNX Runtime than %s: only wrong results count\n", list, host.version);
    if (bless && !only && !write_list(list)) {
        fprintf(stderr, "ort_equality: cannot write %s\n", list);
        return 2;
    }
    print_table(suites, n_suites, table);
    size_t n_errors = report(bless, same_release) + n_gone;
    print_counts(n_errors);
    for (size_t i = 0; i < n_cases; i++) free(cases[i].name), free(cases[i].path), free(cases[i].data);
    for (size_t i = 0; i < n_kept; i++) free(kept_lines[i]);
    ort_close(&host);
    return n_errors ? 1 : 0;
}
