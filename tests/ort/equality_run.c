/* Sessions of all forms of one model, and the comparison of their results. */
#include "compare.h"
#include "equality.h"

const char *const column_names[N_COLUMNS] = {"original", "broadcast", "function", "expand", "ours"};
const char *const level_names[N_LEVELS] = {"plain", "optimised"};

/* The first line, without the source positions that ONNX Runtime's messages hold. */
static void keep_message(char *to, size_t n_bytes, const char *message) {
    size_t n = 0;
    for (const char *p = message; *p && *p != '\n' && n + 1 < n_bytes;) {
        size_t word = strcspn(p, " \n");
        bool position =
            word > 4 && (memchr(p, '/', word) || memchr(p, '(', word)) && strstr(p, ".cc:") && strstr(p, ".cc:") < p + word;
        for (size_t i = 0; i < word && !position && n + 1 < n_bytes; i++) to[n++] = p[i];
        p += word;
        if (*p == ' ' && n > 0 && to[n - 1] != ' ' && n + 1 < n_bytes) to[n++] = ' ';
        while (*p == ' ') p++;
    }
    while (n > 0 && to[n - 1] == ' ') n--;
    to[n] = '\0';
}

/* Keeps the first; the sizes of the inputs belong to it. */
static void fail_with(const contest *c, tally *t, int level, int column, const char *what, const char *why) {
    if (t->failure[0] && !c->verbose) return;
    char text[sizeof t->failure];
    size_t n = (size_t)snprintf(text, sizeof text, "%s, %s: %s%s; inputs", column_names[column], level_names[level], what, why);
    for (size_t i = 0; i < c->n_inputs && n < sizeof text; i++) {
        char dims[200];
        format_dims(&c->inputs[i], dims, sizeof dims);
        n += (size_t)snprintf(text + n, sizeof text - n, " %s", dims);
    }
    if (c->verbose) fprintf(stderr, "%s\n", text);
    if (!t->failure[0]) memcpy(t->failure, text, sizeof text);
}

/* ---- Opening ---- */

static void open_ort(contest *c, int column, const void *bytes, size_t n_bytes, const char *plugin) {
    for (int level = 0; level < N_LEVELS; level++) {
        contestant *one = &c->ort[level][column];
        ort_options options = {.plugin = plugin, .optimize = level == OPTIMISED};
        one->is_there = true;
        one->is_open = ort_session_open(c->host, bytes, n_bytes, &options, &one->session);
        if (!one->is_open) keep_message(one->refusal, sizeof one->refusal, c->host->error);
    }
}

static void open_form(contest *c, const ob_model *model, int column, ob_form form, const char *plugin) {
    byte_buffer buffer = {0};
    ob_model *rewritten = NULL;
    ob_error error;
    ob_error_clear(&error);
    if (make_variant(model, form, &buffer, &rewritten, &error) == OB_OK) {
        ob_model_close(&rewritten);
        open_ort(c, column, buffer.data, buffer.n, plugin);
    } else {
        for (int level = 0; level < N_LEVELS; level++) {
            c->ort[level][column].is_there = true;
            snprintf(c->ort[level][column].refusal, sizeof c->ort[level][column].refusal, "not rewritten: %.280s", error.message);
        }
    }
    free(buffer.data);
}

void open_all(contest *c, ort_host *host, const ob_model *model, const void *bytes, size_t n_bytes, const char *plugin) {
    *c = (contest){.host = host, .rtol = 1e-3, .atol = 1e-7};
    ob_error error;
    ob_error_clear(&error);
    c->ours_status = ob_session_create(model, NULL, &c->ours, &error);
    if (c->ours_status != OB_OK) keep_message(c->ours_refusal, sizeof c->ours_refusal, error.message);
    open_ort(c, ORIGINAL, bytes, n_bytes, NULL);
    if (plugin) open_form(c, model, BROADCAST, OB_FORM_BROADCAST, plugin);
    open_form(c, model, FUNCTION, OB_FORM_FUNCTION, NULL);
    open_form(c, model, EXPAND, OB_FORM_EXPAND, NULL);
}

void close_all(contest *c) {
    ob_session_close(&c->ours);
    for (int level = 0; level < N_LEVELS; level++)
        for (int column = 0; column < OURS; column++) ort_session_close(&c->ort[level][column].session);
}

bool input_type(const contest *c, size_t index, ob_dtype *out) {
    ob_session_value value;
    if (c->ours && ob_session_input(c->ours, index, &value)) {
        *out = value.dtype;
        return true;
    }
    for (int column = 0; column < OURS; column++) {
        const contestant *one = &c->ort[PLAIN][column];
        if (!one->is_open || index >= one->session.n_inputs) continue;
        *out = ort_input_type(&one->session, index);
        return true;
    }
    return false;
}

/* ---- Running ---- */

/* The results of one column on one input set. */
typedef struct run {
    bool ran;
    size_t n_outputs;
    ob_view outputs[ORT_MAX_VALUES];
    char refusal[300];
    ob_status status; /* of our executor */
} run;

static void run_ort(contest *c, contestant *one, const ob_view *inputs, size_t n_inputs, run *r) {
    memset(r, 0, sizeof *r);
    if (!one->is_open) {
        memcpy(r->refusal, one->refusal, sizeof r->refusal);
        return;
    }
    r->n_outputs = one->session.n_outputs;
    r->ran = ort_run(&one->session, inputs, n_inputs, r->outputs, r->n_outputs);
    if (!r->ran) keep_message(r->refusal, sizeof r->refusal, c->host->error);
}

static void run_ours(contest *c, const ob_view *inputs, size_t n_inputs, run *r) {
    memset(r, 0, sizeof *r);
    r->status = c->ours_status;
    memcpy(r->refusal, c->ours_refusal, sizeof r->refusal);
    if (!c->ours) return;
    ob_error error;
    ob_error_clear(&error);
    r->n_outputs = ob_session_output_count(c->ours);
    r->status =
        r->n_outputs > ORT_MAX_VALUES ? OB_E_LIMIT : ob_session_run(c->ours, inputs, n_inputs, r->outputs, r->n_outputs, &error);
    r->ran = r->status == OB_OK;
    if (!r->ran) keep_message(r->refusal, sizeof r->refusal, error.message);
}

/* NaN payloads and signs of zero count. */
static bool same_bits(const ob_view *a, const ob_view *b) {
    if (a->dtype != b->dtype || a->rank != b->rank) return false;
    for (int32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i]) return false;
    size_t n = (size_t)ob_view_count(a);
    if (a->dtype != OB_STRING) return n == 0 || memcmp(a->data, b->data, n * ob_dtype_size(a->dtype)) == 0;
    const ob_string *x = a->data, *y = b->data;
    for (size_t i = 0; i < n; i++)
        if (x[i].n != y[i].n || (x[i].n && memcmp(x[i].data, y[i].data, x[i].n) != 0)) return false;
    return true;
}

static void compare_run(const contest *c, const run *r, const run *reference, int level, int column, tally *t) {
    cell *into = &t->cells[level][column];
    bool same = true;
    double max_error = 0;
    if (r->n_outputs != reference->n_outputs) {
        into->n_wrong++;
        fail_with(c, t, level, column, "another number of outputs", "");
        return;
    }
    for (size_t i = 0; i < r->n_outputs; i++) {
        comparison difference;
        if (same_bits(&r->outputs[i], &reference->outputs[i])) continue;
        same = false;
        if (!compare_tensors(&r->outputs[i], &reference->outputs[i], c->rtol, c->atol, &difference)) {
            into->n_wrong++;
            fail_with(c, t, level, column, "other results: ", difference.message);
            return;
        }
        if (difference.max_error > max_error) max_error = difference.max_error;
    }
    if (same)
        into->n_same++;
    else
        into->n_close++;
    if (max_error > into->max_error) into->max_error = max_error;
}

/* The sizes are not those that the model is for. */
static bool forbids(const run *ours) {
    return ours->status == OB_E_CONDITION || ours->status == OB_E_SHAPE;
}

static void refuse_run(const contest *c, const run *r, bool excused, int level, int column, tally *t) {
    cell *into = &t->cells[level][column];
    if (excused) {
        into->n_refused++;
        return;
    }
    into->n_wrong++;
    fail_with(c, t, level, column, "refused: ", r->refusal);
}

static void run_level(contest *c, const ob_view *inputs, size_t n_inputs, int level, const run *ours, tally *t) {
    static run original, form; /* large; one at a time */
    run_ort(c, &c->ort[level][ORIGINAL], inputs, n_inputs, &original);
    if (!original.ran) memcpy(t->refusal, original.refusal, sizeof t->refusal);
    if (!original.ran && ours->ran) t->n_ours_only += level == PLAIN;
    const run *reference = original.ran ? &original : ours->ran ? ours : NULL;
    bool any = reference != NULL;
    t->by_ours = t->by_ours || reference == ours;
    if (original.ran)
        t->cells[level][ORIGINAL].n_same++;
    else
        t->cells[level][ORIGINAL].n_refused++;
    for (int column = BROADCAST; column < OURS; column++) {
        if (!c->ort[level][column].is_there) continue;
        run_ort(c, &c->ort[level][column], inputs, n_inputs, &form);
        any = any || form.ran;
        if (form.ran && reference)
            compare_run(c, &form, reference, level, column, t);
        else if (form.ran) {
            t->cells[level][column].n_wrong++;
            fail_with(c, t, level, column, "runs, although the original is refused: ", original.refusal);
        } else
            refuse_run(c, &form, !original.ran || forbids(ours), level, column, t);
        ort_views_free(form.outputs, form.n_outputs);
    }
    if (ours->ran && original.ran)
        compare_run(c, ours, &original, level, OURS, t);
    else if (!ours->ran)
        refuse_run(c, ours, !reference || ours->status == OB_E_UNSUPPORTED, level, OURS, t);
    if (original.ran && forbids(ours)) t->n_lax += level == PLAIN;
    ort_views_free(original.outputs, original.n_outputs);
    if (!any && level == PLAIN) t->n_refused_by_all++;
}

void run_all(contest *c, const ob_view *inputs, size_t n_inputs, tally *t) {
    static run ours;
    c->inputs = inputs;
    c->n_inputs = n_inputs;
    run_ours(c, inputs, n_inputs, &ours);
    for (int level = 0; level < N_LEVELS; level++) run_level(c, inputs, n_inputs, level, &ours, t);
    t->n_runs++;
}

bool is_random(contest *c, const ob_view *inputs, size_t n_inputs) {
    static run first, second;
    run_ort(c, &c->ort[PLAIN][ORIGINAL], inputs, n_inputs, &first);
    run_ort(c, &c->ort[PLAIN][ORIGINAL], inputs, n_inputs, &second);
    bool differs = false;
    for (size_t i = 0; first.ran && second.ran && i < first.n_outputs; i++)
        differs = differs || !same_bits(&first.outputs[i], &second.outputs[i]);
    ort_views_free(first.outputs, first.n_outputs);
    ort_views_free(second.outputs, second.n_outputs);
    return differs;
}
