#include "judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stated_text.h"
#include "stream.h"
#include "variants.h"

enum { MAX_POINTS = 64, MOST = 70, N_USUAL = 14 };

typedef struct subject {
    judge *j;
    checked original;
    point points[MAX_POINTS];
    run_result runs[MAX_POINTS];
    int n_points;
} subject;

const char *judged_name(int judged) {
    return judged == BY_CHECK     ? "checker"
           : judged == BY_SESSION ? "session"
           : judged == BY_TWIN    ? "twin"
                                  : ob_form_name((ob_form)(judged - BY_FORM));
}

const char *exception_name(exception what) {
    static const char *const names[] = {"not sound", "not tight", "runs differ", "late", "breaks"};
    return what < N_EXCEPTIONS ? names[what] : "";
}

/* ---- Points ---- */

static const int64_t usual[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 6, 12, 24};

static bool add_point(subject *s, const point *p) {
    for (int i = 0; i < s->n_points; i++)
        if (memcmp(s->points[i].sizes, p->sizes, sizeof p->sizes) == 0) return true;
    if (s->n_points == MAX_POINTS || s->n_points >= (int)s->j->n_points) return false;
    s->points[s->n_points++] = *p;
    return true;
}

static point draw_point(subject *s) {
    point p = {.data = stream_random(&s->j->random)};
    uint32_t how = stream_random(&s->j->random) % 4;
    int64_t same = usual[stream_random(&s->j->random) % N_USUAL];
    for (int i = 0; i < s->original.sizes.n; i++)
        p.sizes[i] = how == 0 ? same : usual[stream_random(&s->j->random) % (how == 1 ? N_USUAL : 7)];
    return p;
}

/* Along one variable from a random point: both sides of some of the places where the verdict changes. */
static void add_borders(subject *s) {
    point p = draw_point(s);
    int n = s->original.sizes.n, axis = n ? (int)(stream_random(&s->j->random) % (uint32_t)n) : 0;
    uint32_t n_found = 0;
    verdict before = OPEN;
    for (int64_t size = 0; n && size < MOST && n_found < 6; size++) {
        p.sizes[axis] = size;
        verdict now = checked_verdict(&s->original, &p, NULL, 0);
        if (size && now != before) {
            point q = p;
            q.sizes[axis] = size - 1;
            add_point(s, &q);
            add_point(s, &p);
            n_found++;
        }
        before = now;
    }
}

static void find_points(subject *s) {
    point zero = {0};
    add_point(s, &zero);
    for (uint32_t k = 0; k < s->j->n_points / 3; k++) {
        point p = draw_point(s);
        add_point(s, &p);
    }
    for (uint32_t k = 0; k < 6; k++) add_borders(s);
    for (uint32_t k = 0; k < 2 * s->j->n_points && s->original.sizes.n; k++) {
        point p = draw_point(s);
        if (!add_point(s, &p)) break;
    }
}

/* ---- Comparing ---- */

static void tell(subject *s, int judged, exception what, const point *p, const char *key, const char *format, const char *a,
                 const char *b) {
    difference f = {.judged = judged, .what = what};
    char where[300] = "";
    size_t n = 0;
    s->j->tables[judged].n_exceptions[what]++;
    if (!s->j->found) return;
    for (int i = 0; p && i < s->original.sizes.n && n + 60 < sizeof where; i++) {
        int more = snprintf(where + n, sizeof where - n, "%s%s = %lld", i ? ", " : "", s->original.sizes.names[i],
                            (long long)p->sizes[i]);
        n += more > 0 ? (size_t)more : 0;
    }
    snprintf(f.key, sizeof f.key, "%s", key);
    n = (size_t)snprintf(f.detail, sizeof f.detail, "%s (data %u): ", where, p ? p->data : 0);
    snprintf(f.detail + n, sizeof f.detail - n, format, a, b);
    s->j->found(s->j->context, &f);
}

static void compare_verdicts(subject *s, int judged, checked *c) {
    table *t = &s->j->tables[judged];
    for (int i = 0; i < s->n_points; i++) {
        const run_result *run = &s->runs[i];
        char key[48] = "";
        verdict v = checked_verdict(c, &s->points[i], key, sizeof key);
        t->n[v][run->outcome]++;
        if (v == ADMITS && run->outcome == RUN_FAILS)
            tell(s, judged, NOT_SOUND, &s->points[i], run->op_type, "the run fails at %s: %s", run->node, run->message);
        if (v == EXCLUDES && run->outcome == RUN_WORKS)
            tell(s, judged, NOT_TIGHT, &s->points[i], key, "excluded by %s, and works%s", key, "");
    }
}

static bool same_outcome(const run_result *a, const run_result *b) {
    if (a->outcome == RUN_SKIPPED || b->outcome == RUN_SKIPPED) return true;
    if (a->outcome != b->outcome && (a->outcome == RUN_WORKS || b->outcome == RUN_WORKS)) return false;
    return a->outcome != RUN_WORKS || a->shapes == b->shapes;
}

static const char *outcome_text(const run_result *run, char text[500]) {
    snprintf(text, 500, "%s%.100s%s%.280s", run->outcome == RUN_WORKS ? "works" : "fails at ", run->node,
             run->node[0] ? ": " : "", run->message);
    return text;
}

static void compare_runs(subject *s, int judged, const ob_model *model) {
    ob_error error;
    oracle *o = oracle_new(model, &error);
    if (!o) {
        tell(s, judged, BREAKS, NULL, "oracle", "%s%s", error.message, "");
        return;
    }
    for (int i = 0; i < s->n_points; i++) {
        int64_t dims[MAX_AXES];
        run_result run;
        char a[500], b[500];
        sizes_at(&s->original.sizes, &s->points[i], dims);
        oracle_run(o, dims, s->points[i].data, &run);
        if (!same_outcome(&run, &s->runs[i]))
            tell(s, judged, RUNS_DIFFER, &s->points[i], run.outcome == RUN_WORKS ? s->runs[i].op_type : run.op_type,
                 "the model %s; the form %s", outcome_text(&s->runs[i], a), outcome_text(&run, b));
    }
    oracle_free(o);
}

/* ---- The session ---- */

/* begins: it does not refuse before the first computation. */
static ob_status run_session(ob_session *session, const sizes *z, const point *p, const ob_model *model, run_result *out,
                             bool *begins) {
    ob_view inputs[MAX_VARIABLES], outputs[64] = {0};
    int64_t all[MAX_AXES], *dims = all;
    uint32_t data = p->data;
    ob_error error;
    ob_error_clear(&error);
    ob_status status = OB_OK;
    size_t n = model->graph->n_inputs, n_outputs = ob_session_output_count(session);
    sizes_at(z, p, all);
    if (n > MAX_VARIABLES || n_outputs > 64) return OB_E_LIMIT;
    for (size_t i = 0; i < n; i++) {
        const ob_type *type = &model->graph->inputs[i]->declared;
        int64_t count = 1;
        for (int32_t k = 0; k < type->shape.rank; k++) count *= dims[k];
        char *bytes = calloc((size_t)count + 1, 8);
        for (int64_t k = 0; k < count; k++) {
            const float one = 1;
            const int64_t integer = data & 3;
            if (type->dtype == OB_FLOAT)
                memcpy(bytes + k * 4, &one, 4);
            else if (type->dtype == OB_INT64)
                memcpy(bytes + k * 8, &integer, 8);
            else
                bytes[k] = data & 1;
        }
        if (type->dtype != OB_FLOAT) data >>= 2;
        ob_view_init(&inputs[i], bytes, type->dtype, type->shape.rank, dims);
        dims += type->shape.rank;
    }
    *begins = ob_session_prepare(session, inputs, n, &error) == OB_OK;
    status = ob_session_run(session, inputs, n, outputs, n_outputs, &error);
    memset(out, 0, sizeof *out);
    out->status = status;
    out->outcome = status == OB_OK                                                            ? RUN_WORKS
                   : status == OB_E_SHAPE || status == OB_E_CONDITION || status == OB_E_MODEL ? RUN_FAILS
                   : status == OB_E_ARGUMENT                                                  ? RUN_BAD_DATA
                                                                                              : RUN_SKIPPED;
    if (status == OB_OK) out->shapes = run_hash(outputs, n_outputs);
    snprintf(out->node, sizeof out->node, "%s", error.node);
    snprintf(out->op_type, sizeof out->op_type, "%s", error.op_type);
    snprintf(out->message, sizeof out->message, "%.280s", error.message);
    for (size_t i = 0; i < n; i++) free(inputs[i].data);
    return OB_OK;
}

/* A session does not accept inputs for values with a default. */
static bool has_defaults(const ob_model *model) {
    for (uint32_t i = 0; i < model->graph->n_inputs; i++)
        if (model->graph->inputs[i]->is_initializer) return true;
    return false;
}

static void judge_session(subject *s) {
    if (has_defaults(s->original.model)) return;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config config;
    ob_session_config_init(&config);
    config.max_memory = ORACLE_MEMORY;
    ob_status status = ob_session_create(s->original.model, &config, &session, &error);
    if (status != OB_OK) {
        s->j->tables[BY_SESSION].n_refused++;
        if (status == OB_E_INTERNAL) tell(s, BY_SESSION, BREAKS, NULL, "create", "%s%s", error.message, "");
        return;
    }
    s->j->tables[BY_SESSION].n_models++;
    for (int i = 0; i < s->n_points; i++) {
        run_result run;
        char a[500], b[500], key[48] = "";
        bool begins;
        if (run_session(session, &s->original.sizes, &s->points[i], s->original.model, &run, &begins) != OB_OK) break;
        if (begins && checked_sizes(&s->original, &s->points[i], key, sizeof key) == EXCLUDES)
            tell(s, BY_SESSION, LATE, &s->points[i], key, "excluded by %s, and the session begins%s", key, "");
        if (run.status == OB_E_INTERNAL) tell(s, BY_SESSION, BREAKS, &s->points[i], run.op_type, "%s%s", run.message, "");
        s->j->tables[BY_SESSION].n[run.outcome == RUN_WORKS ? ADMITS : EXCLUDES][s->runs[i].outcome]++;
        if (!same_outcome(&run, &s->runs[i]))
            tell(s, BY_SESSION, RUNS_DIFFER, &s->points[i], run.outcome == RUN_WORKS ? s->runs[i].op_type : run.op_type,
                 "the model %s; the session %s", outcome_text(&s->runs[i], a), outcome_text(&run, b));
    }
    ob_session_close(&session);
}

/* ---- The forms ---- */

/* The unverified requirements are the same, and a second rewriting changes nothing. */
static void compare_form(subject *s, int judged, ob_form form, const byte_buffer *bytes, const checked *c) {
    byte_buffer again = {0};
    ob_model *made = NULL;
    ob_text lists[2];
    const checked *const sides[2] = {&s->original, c};
    for (int i = 0; i < 2; i++) {
        ob__text_init(&lists[i], NULL);
        ob__text_puts(&lists[i], "");
        if (!open_list_of(sides[i]->report, &lists[i])) lists[i].failed = true;
    }
    if (lists[0].failed || lists[1].failed || strcmp(lists[0].data, lists[1].data) != 0)
        tell(s, judged, RUNS_DIFFER, NULL, "not stated", "of the model %.200s; of the form %.200s", lists[0].data, lists[1].data);
    for (int i = 0; i < 2; i++) ob__text_release(&lists[i]);
    if (make_variant(c->model, form, &again, &made, NULL) != OB_OK || again.n != bytes->n ||
        memcmp(again.data, bytes->data, again.n) != 0)
        tell(s, judged, RUNS_DIFFER, NULL, "again", "other bytes when rewritten again%s%s", "", "");
    ob_model_close(&made);
    free(again.data);
}

static void judge_form(subject *s, ob_form form) {
    int judged = BY_FORM + (int)form;
    table *t = &s->j->tables[judged];
    byte_buffer buffer = {0};
    ob_model *made = NULL;
    ob_error error;
    checked c;
    ob_error_clear(&error);
    ob_status status = make_variant(s->original.model, form, &buffer, &made, &error);
    if (status != OB_OK) {
        bool refused =
            status == OB_E_UNSUPPORTED || (status != OB_E_INTERNAL && ob_report_get_summary(s->original.report).n_errors);
        t->n_refused += refused;
        if (!refused) tell(s, judged, BREAKS, NULL, error.op_type, "%s%s", error.message, "");
    } else if (checked_make(&c, made, &error) != OB_OK) {
        tell(s, judged, BREAKS, NULL, "check", "%s%s", error.message, "");
    } else {
        t->n_models++;
        t->n_partial += c.is_partial;
        t->n_clauses += c.n_clauses;
        if (c.sizes.n == s->original.sizes.n) {
            compare_verdicts(s, judged, &c);
            compare_runs(s, judged, made);
            compare_form(s, judged, form, &buffer, &c);
        } else {
            tell(s, judged, BREAKS, NULL, "inputs", "the inputs have other sizes%s%s", "", "");
        }
        checked_free(&c);
    }
    ob_model_close(&made);
    free(buffer.data);
}

/* ---- Twins ---- */

static void compare_twin(subject *s, const twin *t, ob_model *model) {
    static const char *const names[] = {"admits", "excludes", "says nothing"};
    checked c;
    ob_error error;
    if (checked_make(&c, model, &error) != OB_OK) {
        tell(s, BY_TWIN, BREAKS, NULL, t->name, "%s%s", error.message, "");
        return;
    }
    const sizes *z = &s->original.sizes;
    table *counts = &s->j->tables[BY_TWIN];
    counts->n_models++;
    counts->n_partial += c.is_partial;
    for (int i = 0; i < s->n_points; i++) {
        point p = s->points[i], q = {.data = p.data};
        for (int k = 0, n = 0; k < z->n; k++) { /* the twin has the same variables except the number */
            if (t->symbol && strcmp(z->names[k], t->symbol) == 0)
                p.sizes[k] = t->size;
            else
                q.sizes[n++] = p.sizes[k];
        }
        char a[48] = "", b[48] = "", key[48];
        verdict is = checked_verdict(&s->original, &p, a, sizeof a), other = checked_verdict(&c, &q, b, sizeof b);
        counts->n[other][s->runs[i].outcome] += !t->symbol;
        snprintf(key, sizeof key, "%s %.36s", t->name, is == EXCLUDES ? a : b);
        if (t->symbol && is == OPEN) continue; /* a number allows more conclusions */
        if (is != other) tell(s, BY_TWIN, RUNS_DIFFER, &p, key, "the contract %s, that of the twin %s", names[is], names[other]);
    }
    checked_free(&c);
}

static void judge_twin(subject *s, const twin *t) {
    ob_model *model = NULL;
    ob_error error;
    if (ob_model_load_memory(t->text, strlen(t->text), "twin", NULL, &model, &error) == OB_OK)
        compare_twin(s, t, model);
    else
        tell(s, BY_TWIN, BREAKS, NULL, t->name, "%s%s", error.message, "");
    ob_model_close(&model);
}

static void judge_inlined(subject *s) {
    const twin inlined = {.name = "inlined"};
    ob_model *model = NULL;
    ob_error error;
    if (s->original.model->n_functions == 0) return;
    if (inlined_copy(s->original.model, &model, &error) == OB_OK)
        compare_twin(s, &inlined, model);
    else
        tell(s, BY_TWIN, BREAKS, NULL, inlined.name, "%s%s", error.message, "");
    ob_model_close(&model);
}

/* ---- The same model, checked for some sizes only ---- */

typedef struct narrowing {
    const char *assumption; /* assumption on a size's name; NULL: the size is given */
    int64_t least, most, divisor;
} narrowing;

static void narrow_point(const narrowing *to, int64_t *size) {
    *size -= *size % to->divisor;
    if (*size < to->least) *size = to->least;
    if (*size > to->most) *size = to->most;
}

/* At sizes at which the assumption or the given size holds, the contract equals that of the model, and it is complete if that
 * one is. */
static void compare_narrowed(subject *s, const narrowing *to, int variable) {
    static const char *const names[] = {"admits", "excludes", "says nothing"};
    const sizes *z = &s->original.sizes;
    char text[80];
    const char *assumption = text;
    const ob_named_size given = {z->names[variable], to->least};
    checked c;
    ob_error error;
    ob_check_options options;
    ob_check_options_init(&options);
    snprintf(text, sizeof text, "%s %s", z->names[variable], to->assumption ? to->assumption : "");
    if (to->assumption) {
        options.assumptions = &assumption;
        options.n_assumptions = 1;
    } else {
        options.dims = &given;
        options.n_dims = 1;
    }
    if (checked_make_with(&c, s->original.model, &options, &error) != OB_OK) {
        tell(s, BY_TWIN, BREAKS, NULL, text, "%s%s", error.message, "");
        return;
    }
    s->j->tables[BY_TWIN].n_models++;
    for (int i = 0; i < s->n_points; i++) {
        point p = s->points[i];
        char a[48] = "", b[48] = "", key[48];
        narrow_point(to, &p.sizes[variable]);
        verdict is = checked_verdict(&s->original, &p, a, sizeof a), other = checked_verdict(&c, &p, b, sizeof b);
        snprintf(key, sizeof key, "%.12s %.34s", to->assumption ? to->assumption : "given", is == EXCLUDES ? a : b);
        if (is != OPEN && is != other)
            tell(s, BY_TWIN, RUNS_DIFFER, &p, key, "the contract %s, that for these sizes %s", names[is], names[other]);
    }
    checked_free(&c);
}

static void judge_narrowed(subject *s) {
    static const narrowing all[] = {{">= 2", 2, INT64_MAX, 1},
                                    {"<= 5", 0, 5, 1},
                                    {"% 2 = 0", 0, INT64_MAX, 2},
                                    {"% 6 = 0", 0, INT64_MAX, 6},
                                    {"= 3", 3, 3, 1},
                                    {NULL, 3, 3, 1},
                                    {"= 1", 1, 1, 1},
                                    {"= 0", 0, 0, 1},
                                    {NULL, 0, 0, 1},
                                    {"= 7", 7, 7, 1},
                                    {NULL, 2, 2, 1},
                                    {NULL, 1, 1, 1}};
    const sizes *z = &s->original.sizes;
    for (size_t i = 0; i < sizeof all / sizeof *all && z->n; i++) {
        int variable = (int)(stream_random(&s->j->random) % (uint32_t)z->n);
        if (all[i].assumption || z->named[variable]) compare_narrowed(s, &all[i], variable);
    }
}

/* ---- The same nodes in another order ---- */

static bool reads(const ob_node *node, const ob_value *value) {
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] == value) return true;
    for (uint32_t i = 0; i < node->n_attributes; i++) {
        const ob_attribute *attribute = node->attributes[i];
        if (attribute->ref || attribute->type != OB_ATTR_GRAPH || !attribute->u.graph) continue;
        const ob_graph *body = attribute->u.graph;
        for (uint32_t k = 0; k < body->n_outputs; k++)
            if (body->outputs[k] == value) return true;
        for (const ob_node *inner = body->first; inner; inner = inner->next)
            if (reads(inner, value)) return true;
    }
    return false;
}

static bool waits(const ob_node *node, ob_node *const *others, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < others[i]->n_outputs && others[i] != node; k++)
            if (others[i]->outputs[k] && reads(node, others[i]->outputs[k])) return true;
    return false;
}

/* Any order in which each node follows the nodes that it reads. */
static bool shuffle(ob_graph *graph, uint64_t *random) {
    enum { MOST_NODES = 400 };
    ob_node *left[MOST_NODES];
    uint32_t n = 0;
    if (graph->n_nodes > MOST_NODES) return false;
    for (ob_node *node = graph->first; node; node = node->next) left[n++] = node;
    for (uint32_t i = 0; i < n; i++) ob__node_unlink(left[i]);
    while (n > 0) {
        uint32_t at = stream_random(random) % n;
        while (waits(left[at], left, n)) at = (at + 1) % n;
        ob__node_link(left[at], NULL);
        for (uint32_t k = 0; k < left[at]->n_outputs; k++) ob__node_set_output(left[at], k, left[at]->outputs[k]);
        left[at] = left[--n];
    }
    return true;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The order of alternatives depends on the order of nodes, so they are sorted for a comparison. NULL: no memory.
 */
static char *with_sorted_alternatives(const char *text) {
    enum { MOST_ALTERNATIVES = 32 };
    static const char between[] = " or ";
    char *parts[MOST_ALTERNATIVES], *copy = strdup(text), *out = calloc(strlen(text) + sizeof between, 1);
    size_t n = 0;
    for (char *at = copy; at && out && n < MOST_ALTERNATIVES;) {
        parts[n++] = at;
        at = n < MOST_ALTERNATIVES ? strstr(at, between) : NULL;
        if (!at) break;
        *at = '\0';
        at += strlen(between);
    }
    if (copy && out) {
        qsort(parts, n, sizeof *parts, by_text);
        for (size_t i = 0; i < n; i++) {
            if (i) strcat(out, between);
            strcat(out, parts[i]);
        }
    }
    free(copy);
    return out;
}

/* The clauses as sorted lines. */
static void sorted_clauses(checked *c, char *out, size_t n_bytes) {
    enum { MOST_CLAUSES = 64 };
    char *lines[MOST_CLAUSES];
    size_t n = 0, at = 0;
    ob_clause_info info;
    for (size_t i = 0; i < c->n_clauses && n < MOST_CLAUSES; i++) {
        if (ob_report_clause(c->report, i, &info) != OB_OK) continue;
        lines[n] = with_sorted_alternatives(info.text);
        if (lines[n]) n++;
    }
    qsort(lines, n, sizeof *lines, by_text);
    out[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        int more = at < n_bytes ? snprintf(out + at, n_bytes - at, "%s; ", lines[i]) : 0;
        at += more > 0 ? (size_t)more : 0;
        free(lines[i]);
    }
}

static void judge_order(subject *s, const char *text) {
    const twin order = {.name = "order", .text = text};
    ob_model *model = NULL;
    ob_error error;
    checked c;
    char is[400], other[400];
    if (ob_model_load_memory(text, strlen(text), "twin", NULL, &model, &error) != OB_OK) return; /* reported already */
    if (shuffle(model->graph, &s->j->random)) {
        compare_twin(s, &order, model);
        if (checked_make(&c, model, &error) == OB_OK) {
            sorted_clauses(&s->original, is, sizeof is);
            sorted_clauses(&c, other, sizeof other);
            if (strcmp(is, other) != 0)
                tell(s, BY_TWIN, RUNS_DIFFER, NULL, "order, in words", "%.200s and not %.200s", is, other);
            checked_free(&c);
        }
    }
    ob_model_close(&model);
}

/* ---- All of it ---- */

static void run_model(subject *s) {
    ob_error error;
    oracle *o = oracle_new(s->original.model, &error);
    if (!o) {
        tell(s, BY_CHECK, BREAKS, NULL, "oracle", "%s%s", error.message, "");
        s->n_points = 0;
        return;
    }
    for (int i = 0; i < s->n_points; i++) {
        int64_t dims[MAX_AXES];
        sizes_at(&s->original.sizes, &s->points[i], dims);
        oracle_run(o, dims, s->points[i].data, &s->runs[i]);
    }
    oracle_free(o);
}

void judge_text(judge *j, const char *text, uint64_t seed, const twin *twins, size_t n_twins) {
    static subject s;
    ob_model *model = NULL;
    ob_error error;
    memset(&s, 0, sizeof s);
    s.j = j;
    j->random = seed * UINT64_C(0x9E3779B97F4A7C15) + 7;
    j->n_models++;
    if (ob_model_load_memory(text, strlen(text), "random", NULL, &model, &error) != OB_OK ||
        checked_make(&s.original, model, &error) != OB_OK) {
        tell(&s, BY_CHECK, BREAKS, NULL, "load", "%s%s", error.message, "");
        ob_model_close(&model);
        return;
    }
    find_points(&s);
    run_model(&s);
    j->n_pairs += (uint64_t)s.n_points;
    j->tables[BY_CHECK].n_models++;
    j->tables[BY_CHECK].n_partial += s.original.is_partial;
    j->tables[BY_CHECK].n_clauses += s.original.n_clauses;
    compare_verdicts(&s, BY_CHECK, &s.original);
    judge_session(&s);
    for (int form = 0; form < OB_FORM_COUNT; form++) judge_form(&s, (ob_form)form);
    for (size_t i = 0; i < n_twins; i++) judge_twin(&s, &twins[i]);
    judge_inlined(&s);
    judge_narrowed(&s);
    judge_order(&s, text);
    checked_free(&s.original);
    ob_model_close(&model);
}
