/* Random valid graphs, run in every mode and compared; see TESTING.md. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen.h"
#include "ops/kernel/kernel.h"
#include "shrink.h"
#include "tally.h"

enum { BATCH = 1000, SECONDS_PER_CASE = 60, SHRINK_BUDGET = 400 };

typedef struct settings {
    uint64_t seed, first, n;
    gen_options options;
    const char *known, *keep; /* files */
    bool with_peer, with_table, with_mutants, verbose, in_process;
} settings;

typedef struct work {
    const settings *s;
    tally *t;
    peer *peer;
} work;

/* ---- One case ---- */

static void judge_all(void *context, graph_case *c, verdict *v) {
    work *w = context;
    peer_note note;
    w->t->phase = PHASE_OURS;
    judge_ours(c, v);
    if (v->kind != VERDICT_SAME || !w->peer) return;
    w->t->phase = PHASE_PEER;
    judge_peer(w->peer, c, v, &note);
    w->t->phase = PHASE_OURS;
}

static void judge_ours_only(void *context, graph_case *c, verdict *v) {
    (void)context;
    judge_ours(c, v);
}
static void judge_mutant_only(void *context, graph_case *c, verdict *v) {
    (void)context;
    judge_mutant(c, v);
}
static void judge_sizes_only(void *context, graph_case *c, verdict *v) {
    (void)context;
    judge_sizes(c, v);
}

static void keep_model(const work *w, const graph_case *c, const finding *f) {
    char path[1000];
    byte_buffer bytes = {0}, text = {0};
    ob_model *model = NULL;
    if (!w->s->keep || case_build(c, &bytes, &model, NULL) != OB_OK) return;
    snprintf(path, sizeof path, "%s/%s_%llu.onnxtxt", w->s->keep, verdict_names[f->kind], (unsigned long long)f->number);
    FILE *file = fopen(path, "w");
    if (file && ob_model_write(model, OB_FORMAT_TEXT, append_bytes, &text, NULL) == OB_OK) {
        fprintf(file, "# %s\n# %s\n", f->description, f->what);
        fwrite(text.data, 1, text.n, file);
    }
    if (file) fclose(file);
    ob_model_close(&model);
    free(bytes.data);
    free(text.data);
}

/* True: a line of known.txt explains it. */
static bool is_known(work *w, const graph_case *c, const verdict *v) {
    char line[2500];
    describe_verdict(c, v, line, sizeof line);
    int known = tally_find_known(w->t, line);
    if (known < 0) return false;
    w->t->known[known].n++;
    w->t->n_explained++;
    return true;
}

/* Reduces the case, and keeps it if no line of known.txt explains it. */
static void report(work *w, graph_case *c, verdict *v, void (*judge)(void *, graph_case *, verdict *)) {
    bool is_new;
    if (v->kind == VERDICT_SAME || v->kind == VERDICT_UNSUPPORTED || is_known(w, c, v)) return;
    if (w->s->verbose) {
        char line[2500];
        describe_verdict(c, v, line, sizeof line);
        printf("before it is cut down: %s\n", line);
    }
    if (c->n_nodes > 1 || v->kind == VERDICT_LAX || v->kind == VERDICT_UNCHECKED || v->kind == VERDICT_BROKEN || w->s->verbose)
        shrink(c, v, &(shrink_judge){judge, w}, SHRINK_BUDGET);
    if (is_known(w, c, v)) return;
    finding *f = tally_finding(w->t, c, v, &is_new);
    if (!f || !is_new) return;
    shrink(c, v, &(shrink_judge){judge, w}, SHRINK_BUDGET);
    if (is_known(w, c, v)) { /* the last entry is this one */
        w->t->n_findings--;
        return;
    }
    case_describe(c, f->description, sizeof f->description);
    memcpy(f->what, v->what, sizeof f->what);
    keep_model(w, c, f);
}

static void count_rows(work *w, const graph_case *c, const peer_note *note) {
    for (uint32_t n = 0; n < c->n_nodes; n++) {
        row_tally *row = tally_row(w->t, c->nodes[n].op);
        row->n_made++;
        row->n_peer_ran += note->ran;
        if (!note->ran && c->n_nodes == 1) snprintf(row->refusal, sizeof row->refusal, "%.190s", note->refusal);
    }
    w->t->n_nodes += c->n_nodes;
    w->t->n_peer_ran += note->ran;
    w->t->n_peer_not += !note->ran;
    w->t->n_peer_forms += note->n_forms;
    w->t->n_amplified += note->amplified;
}

/* A node that our executor refused: the graph of that node alone. */
static void judge_refused(work *w, graph_case *c, int node) {
    static graph_case alone;
    verdict v;
    peer_note note = {.refusal = "not asked"};
    case_extract(c, (uint32_t)node, &alone);
    judge_ours(&alone, &v);
    if (v.kind == VERDICT_UNSUPPORTED) {
        row_tally *row = tally_row(w->t, alone.nodes[0].op);
        row->n_unsupported++;
        w->t->n_unsupported++;
        snprintf(row->unsupported, sizeof row->unsupported, "%.190s", v.what);
    }
    if (v.kind == VERDICT_REFUSED && w->peer) {
        w->t->phase = PHASE_PEER;
        ask_peer(w->peer, &alone, &note);
        w->t->phase = PHASE_OURS;
        size_t n = strlen(v.what);
        snprintf(v.what + n, sizeof v.what - n, "; ONNX Runtime %s%s", note.ran ? "runs it" : "says: ", note.refusal);
    }
    report(w, &alone, &v, judge_ours_only);
}

static void run_mutant(work *w, const graph_case *c, rng *r) {
    static graph_case mutant;
    verdict v;
    mutant = *c;
    if (!mutate(&mutant, r)) return;
    w->t->n_mutants++;
    judge_mutant(&mutant, &v);
    report(w, &mutant, &v, judge_mutant_only);
}

static void run_sizes(work *w, const graph_case *c, rng *r) {
    static graph_case other;
    verdict v;
    other = *c;
    if (!resize_symbols(&other, r)) return;
    w->t->n_sizes++;
    judge_sizes(&other, &v);
    report(w, &other, &v, judge_sizes_only);
}

static void print_case(const graph_case *c) {
    byte_buffer bytes = {0}, text = {0};
    ob_model *model = NULL;
    if (case_build(c, &bytes, &model, NULL) == OB_OK && ob_model_write(model, OB_FORMAT_TEXT, append_bytes, &text, NULL) == OB_OK)
        printf("%.*s\n", (int)text.n, text.data);
    ob_model_close(&model);
    free(bytes.data);
    free(text.data);
}

static void run_number(work *w, uint64_t number) {
    static graph_case c;
    pool p = {NULL, 0};
    ob_error error;
    verdict v;
    int refused;
    peer_note note = {.refusal = ""};
    w->t->n_cases++;
    snprintf(w->t->now, sizeof w->t->now, "(while it is made)");
    if (!generate(w->s->seed, number, &w->s->options, &p, &c, &refused, &error)) {
        w->t->n_generated_nothing++;
    } else {
        case_describe(&c, w->t->now, sizeof w->t->now);
        if (w->s->verbose) print_case(&c);
        rng r = rng_make(w->s->seed + 1000003, number);
        if (refused >= 0) {
            judge_refused(w, &c, refused);
            while (c.n_nodes > (uint32_t)refused) c.n_nodes--;
        } else {
            static graph_case kept;
            kept = c;
            judge_ours(&c, &v);
            if (v.kind == VERDICT_SAME && w->peer) {
                w->t->phase = PHASE_PEER;
                judge_peer(w->peer, &c, &v, &note);
                w->t->phase = PHASE_OURS;
            }
            count_rows(w, &kept, &note);
            report(w, &c, &v, judge_all);
            for (int i = 0; w->s->with_mutants && i < 2; i++) run_mutant(w, &kept, &r);
            if (w->s->with_mutants) run_sizes(w, &kept, &r);
        }
    }
    pool_free(&p);
}

/* ---- Many: in processes that may die ---- */

static void run_batch(const settings *s, tally *t, uint64_t first, uint64_t n) {
    work w = {.s = s, .t = t};
    const char *why;
    if (s->with_peer) w.peer = peer_open(&why);
    for (uint64_t i = 0; i < n; i++) {
        t->number = first + i;
        t->phase = PHASE_OURS;
        if (!s->in_process) alarm(SECONDS_PER_CASE);
        run_number(&w, first + i);
    }
    t->phase = PHASE_PEER; /* what happens now is of the end of the process */
    peer_close(w.peer);
    t->finished = 1;
}

static void note_death(const settings *s, tally *t, int status) {
    char what[200];
    snprintf(what, sizeof what, "%s %d", WIFSIGNALED(status) ? "signal" : "exit status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    if (t->phase == PHASE_PEER) {
        size_t i = t->n_peer_crashes++;
        if (i >= MAX_CRASHES) return;
        t->peer_crashes[i] = t->number;
        snprintf(t->peer_crash_text[i], sizeof t->peer_crash_text[i], "%.40s: %.240s", what, t->now);
        return;
    }
    bool is_new;
    static graph_case none;
    none = (graph_case){.number = t->number, .seed = s->seed};
    verdict v = {.kind = VERDICT_CRASH, .node = -1};
    snprintf(v.what, sizeof v.what, "%s", what);
    finding *f = tally_finding(t, &none, &v, &is_new);
    if (!f || !is_new) return;
    memcpy(f->description, t->now, sizeof t->now);
    memcpy(f->what, v.what, sizeof f->what);
}

static int run_all(const settings *s, tally *t) {
    uint64_t next = s->first, end = s->first + s->n;
    while (next < end) {
        uint64_t n = end - next < BATCH ? end - next : BATCH;
        fflush(NULL);
        t->finished = 0;
        pid_t child = fork();
        if (child < 0) return 2;
        if (child == 0) {
            run_batch(s, t, next, n);
            exit(0);
        }
        int status;
        if (waitpid(child, &status, 0) != child) return 2;
        if (t->finished) {
            next += n;
            if (status != 0) return fprintf(stderr, "the process of a batch ended with status %d\n", status), 1;
        } else {
            note_death(s, t, status);
            next = t->number + 1;
        }
        if (isatty(2))
            fprintf(stderr, "\r%llu of %llu, %zu unexplained ", (unsigned long long)(next - s->first), (unsigned long long)s->n,
                    t->n_findings);
    }
    if (isatty(2)) fprintf(stderr, "\n");
    return 0;
}

/* Operators whose valid operands cannot be found at random, or whose results are random; and the test that compares them
 * instead. */
static bool is_compared_elsewhere(const ob_op *op) {
    static const struct {
        const char *domain;
        const char *names; /* NULL: all of the domain */
    } others[] = {
        {"ai.onnx.ml", " TreeEnsemble "},   /* test_ml, test_ort_ml */
        {"ai.onnx.preview.training", NULL}, /* test_training */
        {"com.microsoft", NULL},            /* contrib_cases.def, with and without ONNX Runtime */
        {"", " RandomNormal RandomNormalLike RandomUniform RandomUniformLike Bernoulli Multinomial "}, /* test_random */
        {"", " RegexFullMatch "},                                                                      /* test_strings */
        {"", " ImageDecoder "},                                                                        /* test_image */
    };
    char name[100];
    snprintf(name, sizeof name, " %s ", op->name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(op->domain, others[i].domain) == 0 && (!others[i].names || strstr(others[i].names, name))) return true;
    return false;
}

/* Every other operator version that has a kernel has a maker; graphs have tensors only, and no bodies. */
static size_t count_unmade(void) {
    size_t n = 0;
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        if (!gen_has_kernel(op) || gen_find(op) || is_compared_elsewhere(op)) continue;
        if (op->kernel->flags & (OB_KERNEL_CELLS | OB_KERNEL_CONTROL)) continue;
        printf("no maker for %s-%d\n", op->name, op->since);
        n++;
    }
    return n;
}

static int usage(void) {
    fprintf(stderr, "usage: random_graphs [--seed S] [--first N] [--count N] [--case N] [--only OPERATOR] [--opset HIGHEST]\n"
                    "                    [--known FILE] [--keep FOLDER] [--no-peer] [--valid] [--table] [--verbose]\n");
    return 2;
}

int main(int argc, char **argv) {
    settings s = {.seed = 1, .n = 300, .with_peer = true, .with_mutants = true, .options = {.highest_opset = 25}};
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--seed") == 0 && more)
            s.seed = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--first") == 0 && more)
            s.first = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--count") == 0 && more)
            s.n = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--case") == 0 && more)
            s.first = strtoull(argv[++i], NULL, 10), s.n = 1, s.verbose = s.in_process = true;
        else if (strcmp(argv[i], "--only") == 0 && more)
            s.options.only = argv[++i];
        else if (strcmp(argv[i], "--opset") == 0 && more)
            s.options.highest_opset = strtoll(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--known") == 0 && more)
            s.known = argv[++i];
        else if (strcmp(argv[i], "--keep") == 0 && more)
            s.keep = argv[++i];
        else if (strcmp(argv[i], "--no-peer") == 0)
            s.with_peer = false;
        else if (strcmp(argv[i], "--valid") == 0)
            s.with_mutants = false;
        else if (strcmp(argv[i], "--table") == 0)
            s.with_table = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            s.verbose = true;
        else
            return usage();
    }
    tally *t = tally_new();
    if (!t || (s.known && !tally_read_known(t, s.known))) return 2;
    size_t n_unmade = count_unmade();
    int status = 0;
    if (s.in_process)
        run_batch(&s, t, s.first, s.n);
    else
        status = run_all(&s, t);
    tally_print(t, s.with_table, s.with_peer);
    return status ? status : t->n_findings || n_unmade ? 1 : 0;
}
