/* onnx-broadcast-run --check-independent: a batch of 3 beside 3 batches of 1. */
#include "run_parts.h"

#include <stdlib.h>
#include <string.h>

#include "compare.h"

enum { MOST_SIZES = 64, BATCH = 3, ROUNDS = 3, MOST_RUNS = 60, MOST_NAMES = 128 };

/* One case: the sizes of symbols, the elements of inputs. */
typedef struct trial {
    int64_t n;                 /* elements in the batch */
    int64_t sizes[MOST_SIZES]; /* of the other symbols */
    int64_t seed;
    uint8_t simple[MAX_FILES]; /* by input: 0 random elements, 1 zeros, 2 ones */
} trial;

typedef struct finding {
    bool ran;     /* the model runs with these sizes */
    bool differs; /* an output does */
    size_t first; /* the first value that differs, in the order of nodes */
    char output[MOST_NAMES], message[800];
    size_t n_values;
    ob_error error; /* of a run that failed */
} finding;

typedef struct examination {
    const run_options *options;
    ob_model *exposed;                    /* its outputs are the results of all nodes */
    bool *is_output;                      /* of them: it is an output of the model */
    char symbols[MOST_SIZES][MOST_NAMES]; /* with which the batch is given a size: one, unless first axes have no names */
    char others[MOST_SIZES][MOST_NAMES];  /* the other open sizes of inputs */
    size_t n_symbols, n_others, n_outputs;
    double rtol, atol;
} examination;

/* ---- Sessions ---- */

static ob_status open_session(const examination *e, const trial *t, int64_t n, ob_session **out, ob_error *error) {
    ob_named_size dims[2 * MOST_SIZES];
    ob_session_config config;
    ob_session_config_init(&config);
    config.n_threads = (int)e->options->threads;
    config.max_memory = e->options->max_memory;
    config.max_nodes = (uint64_t)e->options->max_nodes;
    config.max_run_ns = (uint64_t)(e->options->max_seconds * 1e9);
    config.dims = dims;
    for (size_t i = 0; i < e->n_symbols; i++) dims[config.n_dims++] = (ob_named_size){e->symbols[i], n};
    for (size_t i = 0; i < e->n_others; i++) dims[config.n_dims++] = (ob_named_size){e->others[i], t->sizes[i]};
    return ob_session_create(e->exposed, &config, out, error);
}

static void make_simple(const trial *t, run_inputs *inputs) {
    for (size_t i = 0; i < inputs->n && i < MAX_FILES; i++) {
        ob_view *view = &inputs->views[i];
        const size_t width = ob_dtype_size(view->dtype);
        if (!t->simple[i] || !inputs->random[i] || view->dtype == OB_STRING) continue;
        const int64_t count = ob_view_count(view);
        memset(view->data, 0, (size_t)count * width);
        for (int64_t k = 0; t->simple[i] == 2 && k < count; k++) {
            const float one = 1;
            const double wide = 1;
            if (view->dtype == OB_FLOAT) memcpy((char *)view->data + (size_t)k * width, &one, sizeof one);
            if (view->dtype == OB_DOUBLE) memcpy((char *)view->data + (size_t)k * width, &wide, sizeof wide);
        }
    }
}

/* The axis along which `batch` is n times as long as `one`; -1: the shapes are equal; -2: they do not fit each other. */
static int32_t batch_axis(const ob_view *batch, const ob_view *one, int64_t n) {
    int32_t found = -1;
    if (batch->dtype != one->dtype || batch->rank != one->rank) return -2;
    for (int32_t axis = 0; axis < batch->rank; axis++) {
        if (batch->dims[axis] == one->dims[axis]) continue;
        if (found >= 0 || batch->dims[axis] != n * one->dims[axis]) return -2;
        found = axis;
    }
    return found;
}

/* The part of run i: along the axis there are `outer` groups of n parts. In new memory. */
static bool take_part(const ob_view *batch, const ob_view *like, int32_t axis, int64_t outer, int64_t n, int64_t i,
                      ob_view *out) {
    const size_t width = ob_dtype_size(batch->dtype);
    int64_t before = outer, after = axis < 0 ? 1 : like->dims[axis] / outer;
    if (axis < 0) return *out = *batch, true;
    for (int32_t k = 0; k < axis; k++) before *= like->dims[k];
    for (int32_t k = axis + 1; k < like->rank; k++) after *= like->dims[k];
    char *data = malloc((size_t)(before * after) * width + 1);
    if (!data) return false;
    for (int64_t b = 0; b < before; b++)
        memcpy(data + (size_t)(b * after) * width, (const char *)batch->data + (size_t)((b * n + i) * after) * width,
               (size_t)after * width);
    *out = *like;
    out->data = data;
    return true;
}

/* The inputs of run i: the batch's, or their parts. */
static bool take_inputs(const run_inputs *batch, const ob_session *session, int64_t n, int64_t i, ob_view *views, bool *owned) {
    for (size_t k = 0; k < batch->n; k++) {
        views[k] = batch->views[k];
        if (batch->cells[k] || views[k].dtype == OB_NONE) continue;
        ob_view like;
        ob_error error;
        if (ob_session_input_view(session, k, NULL, &like, &error) != OB_OK) return false;
        const int32_t axis = batch_axis(&batch->views[k], &like, n);
        if (axis == -1) continue;
        if (axis == -2 || !take_part(&batch->views[k], &like, axis, 1, n, i, &views[k])) return false;
        owned[k] = true;
    }
    return true;
}

/* ---- One case ---- */

enum { MOST_GROUPS = 32 };

/* For a result: which numbers of groups along the axis still explain it; 0: none does. */
typedef struct explained {
    int64_t groups[MOST_GROUPS];
    size_t n;
    bool begun;
    bool counts; /* integers of equal shapes: they are usually sizes, which may differ */
    char message[800];
} explained;

static bool begin_explained(explained *x, const ob_view *batch, const ob_view *one, int64_t n) {
    const int32_t axis = batch_axis(batch, one, n);
    x->begun = true;
    x->counts = axis == -1 && (one->dtype == OB_INT64 || one->dtype == OB_INT32);
    if (axis == -2) {
        char a[200], b[200];
        format_dims(batch, a, sizeof a);
        format_dims(one, b, sizeof b);
        snprintf(x->message, sizeof x->message, "shape %s in the batch, %s alone", a, b);
        return false;
    }
    x->groups[x->n++] = 1;
    for (int64_t k = 2; axis >= 0 && k <= one->dims[axis] && x->n < MOST_GROUPS; k++)
        if (one->dims[axis] % k == 0) x->groups[x->n++] = k;
    return true;
}

static bool explain(const examination *e, explained *x, const ob_view *batch, const ob_view *one, int64_t n, int64_t i) {
    if (!x->begun && !begin_explained(x, batch, one, n)) return true;
    const int32_t axis = batch_axis(batch, one, n);
    size_t kept = 0;
    if (x->n && axis == -2) x->n = 0;
    for (size_t k = 0; k < x->n; k++) {
        comparison c;
        ob_view part;
        if (!take_part(batch, one, axis, x->groups[k], n, i, &part)) return false;
        if (compare_tensors(&part, one, e->rtol, e->atol, &c))
            x->groups[kept++] = x->groups[k];
        else if (k == 0)
            snprintf(x->message, sizeof x->message, "element %lld of the batch: %.700s", (long long)i, c.message);
        if (axis >= 0) free(part.data);
    }
    x->n = kept;
    return true;
}

static void conclude(const examination *e, const explained *all, size_t n, const ob_session *session, finding *out) {
    const explained *first = NULL;
    for (size_t k = 0; k < n; k++) {
        if (!all[k].begun) continue;
        out->n_values++;
        if (all[k].n) continue;
        if (!first || (first->counts && !all[k].counts)) first = &all[k];
        if (e->is_output[k] && !out->differs) {
            ob_session_value value;
            ob_session_output(session, k, &value);
            out->differs = true;
            snprintf(out->output, sizeof out->output, "%s", value.name);
        }
    }
    if (!first) return;
    out->first = (size_t)(first - all);
    snprintf(out->message, sizeof out->message, "%s", first->message);
}

static bool run_parts(const examination *e, const trial *t, ob_session *whole, ob_session *single, const run_inputs *inputs,
                      ob_view *views, ob_view *parts, finding *out) {
    const size_t n_out = e->n_outputs;
    ob_view *batch = calloc(n_out + 1, sizeof *batch), *one = calloc(n_out + 1, sizeof *one);
    const ob_cell **cells = calloc(n_out + 1, sizeof *cells);
    explained *all = calloc(n_out + 1, sizeof *all);
    bool *owned = calloc(inputs->n + 1, sizeof *owned), fine = batch && one && cells && all && owned;
    fine = fine && ob_session_run_cells(whole, views, (const ob_cell *const *)inputs->cells, inputs->n, batch, cells, n_out,
                                        &out->error) == OB_OK;
    for (int64_t i = 0; i < t->n && fine; i++) {
        memset(owned, 0, inputs->n * sizeof *owned);
        fine = take_inputs(inputs, single, t->n, i, parts, owned);
        memset(one, 0, n_out * sizeof *one); /* results where the session puts them */
        fine = fine && ob_session_run_cells(single, parts, (const ob_cell *const *)inputs->cells, inputs->n, one, cells, n_out,
                                            &out->error) == OB_OK;
        for (size_t k = 0; k < n_out && fine; k++)
            if (batch[k].dtype != OB_NONE && one[k].dtype != OB_NONE) fine = explain(e, &all[k], &batch[k], &one[k], t->n, i);
        for (size_t k = 0; k < inputs->n; k++)
            if (owned[k]) free(parts[k].data);
    }
    if (fine) conclude(e, all, n_out, whole, out);
    free(batch), free(one), free((void *)cells), free(all), free(owned);
    return fine;
}

static void try_case(const examination *e, const trial *t, finding *out) {
    ob_session *whole = NULL, *single = NULL;
    run_inputs inputs = {0};
    run_options random = *e->options;
    random.random = random.quiet = true;
    random.seed = t->seed;
    *out = (finding){.ran = false};
    if (open_session(e, t, t->n, &whole, &out->error) == OB_OK && open_session(e, t, 1, &single, &out->error) == OB_OK &&
        inputs_prepare(&random, whole, &inputs) == EXIT_DONE) {
        make_simple(t, &inputs);
        ob_view *parts = calloc(inputs.n + 1, sizeof *parts);
        out->ran = parts && run_parts(e, t, whole, single, &inputs, inputs.views, parts, out);
        free(parts);
    }
    inputs_release(&inputs);
    ob_session_close(&whole);
    ob_session_close(&single);
}

/* ---- Sizes ---- */

static bool is_listed(char names[][MOST_NAMES], size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static void add_name(char names[][MOST_NAMES], size_t *n, const char *name) {
    if (*n < MOST_SIZES && !is_listed(names, *n, name)) snprintf(names[(*n)++], MOST_NAMES, "%s", name);
}

/* The symbols of the inputs. By default every first axis without a name belongs to the batch. */
static void list_symbols(examination *e, const ob_session *plain, const char *symbol, bool by_default) {
    ob_session_value info;
    char name[MOST_NAMES];
    for (size_t i = 0; ob_session_input(plain, i, &info); i++)
        for (int32_t axis = 0; axis < info.shape.rank; axis++) {
            if (ob_dim_is_const(info.shape.dims[axis])) continue;
            ob_dim_format(ob_session_dims(plain), info.shape.dims[axis], name, sizeof name);
            char place[MOST_NAMES];
            snprintf(place, sizeof place, "%.100s[%d]", info.name, axis);
            const bool nameless = strcmp(place, name) == 0;
            const bool batch = strcmp(name, symbol) == 0 || (by_default && nameless && axis == 0);
            add_name(batch ? e->symbols : e->others, batch ? &e->n_symbols : &e->n_others, name);
        }
}

static int64_t given_size(const examination *e, const char *name) {
    for (size_t i = 0; i < e->options->n_dims; i++)
        if (strcmp(e->options->dims[i].name, name) == 0) return e->options->dims[i].size;
    return -1;
}

/* Whether the contract may admit these sizes with a batch of n. */
static bool is_admitted(const examination *e, const ob_report *report, const trial *t, int64_t n) {
    ob_named_size sizes[2 * MOST_SIZES];
    size_t count = 0;
    ob_truth truth = OB_UNDECIDED;
    for (size_t i = 0; i < e->n_symbols; i++) sizes[count++] = (ob_named_size){e->symbols[i], n};
    for (size_t i = 0; i < e->n_others; i++) sizes[count++] = (ob_named_size){e->others[i], t->sizes[i]};
    return ob_report_contract_holds(report, sizes, count, &truth, NULL) == OB_OK && truth != OB_FALSE;
}

/* Sizes that the contract admits for a batch and for one element: first equal ones, then mixed ones. */
static bool choose_sizes(const examination *e, const ob_report *report, uint32_t *attempt, trial *t) {
    static const int64_t tries[] = {4, 5, 2, 3, 1, 6, 7, 8, 16, 32, 10, 64, 20, 96, 128, 24, 224, 256, 320, 512, 1024};
    enum { N_TRIES = sizeof tries / sizeof tries[0], MOST_ATTEMPTS = 2000 };
    uint64_t state = 88172645463325252u;
    for (; *attempt < MOST_ATTEMPTS; ++*attempt) {
        if (e->n_others == 0 && *attempt > 0) return false;
        for (size_t i = 0; i < e->n_others; i++) {
            for (uint32_t k = 0; k <= *attempt % 7; k++) state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            const uint64_t draw = (state + *attempt * UINT64_C(0x9e3779b97f4a7c15)) >> 33;
            const int64_t given = given_size(e, e->others[i]);
            t->sizes[i] = given >= 0 ? given : tries[*attempt < N_TRIES ? *attempt : draw % N_TRIES];
        }
        if (is_admitted(e, report, t, t->n) && is_admitted(e, report, t, 1)) return ++*attempt, true;
    }
    return false;
}

/* ---- The smallest case ---- */

/* Takes the changed case if outputs still differ. */
static void keep_if(const examination *e, trial *best, finding *found, const trial *changed) {
    finding f;
    try_case(e, changed, &f);
    if (!f.ran || !f.differs) return;
    *best = *changed;
    *found = f;
}

static void shrink(const examination *e, size_t n_inputs, trial *best, finding *found) {
    trial next = *best;
    next.n = 2;
    keep_if(e, best, found, &next);
    for (size_t i = 0; i < e->n_others; i++)
        for (int64_t size = 1; size < 3 && size < best->sizes[i] && given_size(e, e->others[i]) < 0; size++) {
            next = *best;
            next.sizes[i] = size;
            keep_if(e, best, found, &next);
        }
    for (size_t i = 0; i < n_inputs && i < MAX_FILES; i++)
        for (uint8_t simple = 1; simple < 3 && !best->simple[i]; simple++) {
            next = *best;
            next.simple[i] = simple;
            keep_if(e, best, found, &next);
        }
}

/* ---- The report ---- */

static void print_case(const examination *e, const ob_session *plain, const trial *t) {
    printf("  with %s = %lld", e->symbols[0], (long long)t->n);
    for (size_t i = 0; i < e->n_others; i++) printf(", %s = %lld", e->others[i], (long long)t->sizes[i]);
    printf("; seed %lld", (long long)t->seed);
    ob_session_value info;
    for (size_t i = 0; i < MAX_FILES && ob_session_input(plain, i, &info); i++)
        if (t->simple[i]) printf("; input \"%s\" is all %s", info.name, t->simple[i] == 1 ? "0" : "1");
    putchar('\n');
}

static exit_code print_finding(const examination *e, const ob_session *plain, const trial *t, const finding *f,
                               const ob_independence *is) {
    const char *model = e->options->model;
    printf("%s: independence along %s: analysis: %s; run: %s", model, e->symbols[0], ob_independence_verdict_name(is->verdict),
           f->differs ? "differs" : "equal");
    if (!f->differs) {
        printf(" (%zu values, rtol %g, atol %g)\n", f->n_values, e->rtol, e->atol);
        print_case(e, plain, t);
        return EXIT_DONE;
    }
    ob_session_value first;
    ob_session *session = NULL;
    ob_error error;
    printf("\n  output \"%s\" of a batch is not that of its elements alone\n", f->output);
    if (open_session(e, t, t->n, &session, &error) == OB_OK && ob_session_output(session, f->first, &first))
        printf("  the first value that differs is \"%s\": %s\n", first.name, f->message);
    ob_session_close(&session);
    print_case(e, plain, t);
    if (is->verdict == OB_INDEPENDENCE_PROVED)
        printf("  the analysis calls this impossible except for roundings: see --rtol and --atol\n");
    return EXIT_FAILED;
}

/* Results of nodes that are outputs of the model too. */
static bool mark_outputs(examination *e, const ob_session *plain, const trial *t, ob_error *error) {
    ob_session *session = NULL;
    ob_session_value output, value;
    if (open_session(e, t, t->n, &session, error) != OB_OK) return false;
    e->n_outputs = ob_session_output_count(session);
    e->is_output = calloc(e->n_outputs + 1, sizeof *e->is_output);
    for (size_t k = 0; e->is_output && ob_session_output(session, k, &value); k++)
        for (size_t i = 0; ob_session_output(plain, i, &output) && !e->is_output[k]; i++)
            e->is_output[k] = strcmp(output.name, value.name) == 0;
    ob_session_close(&session);
    return e->is_output != NULL;
}

static exit_code examine(examination *e, const ob_session *plain, ob_report *report, const ob_independence *is) {
    trial t = {.n = BATCH, .seed = e->options->seed};
    finding f = {.ran = false};
    uint32_t attempt = 0;
    for (int tried = 0; tried < MOST_RUNS && choose_sizes(e, report, &attempt, &t); tried++) {
        if (!e->is_output && !mark_outputs(e, plain, &t, &f.error)) continue;
        for (int64_t round = 0; round < ROUNDS && !f.differs; round++) {
            t.seed = e->options->seed + round;
            try_case(e, &t, &f);
            if (!f.ran) break;
        }
        if (f.ran) break;
    }
    if (!f.ran) {
        complain(TOOL, e->options->model, "no sizes were found with which a batch of %d and of 1 run%s%s", BATCH,
                 f.error.message[0] ? ": " : "", f.error.message);
        return EXIT_UNSUPPORTED;
    }
    if (f.differs) shrink(e, ob_session_input_count(plain), &t, &f);
    return print_finding(e, plain, &t, &f, is);
}

exit_code check_independent(const run_options *options, ob_model *model) {
    examination *e = calloc(1, sizeof *e);
    ob_independence *is = NULL;
    ob_report *report = NULL;
    ob_session *plain = NULL;
    ob_session_config config;
    ob_error error;
    exit_code code = EXIT_FAILED;
    const bool by_default = strcmp(options->independent, "-") == 0;
    if (!e) return complain(TOOL, options->model, "out of memory"), EXIT_FAILED;
    e->options = options;
    e->rtol = options->rtol >= 0 ? options->rtol : 1e-4;
    e->atol = options->atol >= 0 ? options->atol : 1e-5;
    ob_session_config_init(&config);
    if (ob_independence_check(model, by_default ? NULL : options->independent, (uint64_t)options->max_nodes, &is, &error) ==
            OB_OK &&
        ob_check(model, NULL, &report, &error) == OB_OK && ob_session_create(model, &config, &plain, &error) == OB_OK &&
        ob_model_clone(model, &e->exposed, &error) == OB_OK && ob_model_expose_results(e->exposed, &error) == OB_OK) {
        list_symbols(e, plain, is->symbol, by_default);
        code = examine(e, plain, report, is);
    } else {
        complain_error(TOOL, options->model, &error);
        code = exit_code_of(error.code);
    }
    ob_session_close(&plain);
    ob_report_close(&report);
    ob_model_close(&e->exposed);
    ob_independence_close(&is);
    free(e->is_output);
    free(e);
    return code;
}
