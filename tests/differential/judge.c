#include "judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "gen.h"

const char *const verdict_names[VERDICT_COUNT] = {
#define VERDICT_TEXT(name, text) text,
    VERDICT_LIST(VERDICT_TEXT)
#undef VERDICT_TEXT
};

bool judged(verdict *v, verdict_kind kind, int node, const char *format, ...) {
    va_list arguments;
    v->kind = kind;
    v->node = node;
    va_start(arguments, format);
    vsnprintf(v->what, sizeof v->what, format, arguments);
    va_end(arguments);
    for (char *p = v->what; *p; p++)
        if (*p == '\n') *p = ' ';
    return false;
}

/* A refusal of a valid graph. */
static bool refusal(verdict *v, verdict_kind kind, int node, const char *where, ob_status status, const ob_error *error) {
    if (status == OB_E_INTERNAL) kind = VERDICT_INTERNAL;
    if (status == OB_E_UNSUPPORTED && kind == VERDICT_REFUSED) kind = VERDICT_UNSUPPORTED;
    return judged(v, kind, node, "%s: %s", where, error->message[0] ? error->message : ob_status_text(status));
}

/* ---- Node by node ---- */

static bool judge_oracle(graph_case *c, uint32_t index, verdict *v) {
    const case_node *node = &c->nodes[index];
    ob_view want;
    char why[300];
    if (node->out[0] < 0 || (!oracle_node(c, node, c->pool, &want) && !oracle_moves(c, node, c->pool, &want))) return true;
    if (close_enough(c, node, &c->values[node->out[0]].view, &want, why, sizeof why)) return true;
    return judged(v, VERDICT_ORACLE, (int)index, "beside the oracle: %s", why);
}

static bool evaluate_all(graph_case *c, verdict *v) {
    ob_error error;
    for (uint32_t n = 0; n < c->n_nodes; n++) {
        ob_status status = gen_evaluate(c, n, &error);
        if (status != OB_OK) return refusal(v, VERDICT_REFUSED, (int)n, "alone", status, &error);
        if (!judge_oracle(c, n, v)) return false;
    }
    return true;
}

/* ---- The graph ---- */

static bool judge_run(const graph_case *c, const ob_model *model, const char *what, verdict_kind kind, const run_options *options,
                      verdict *v) {
    static run_result result;
    ob_view inputs[MAX_VALUES];
    int outputs[MAX_VALUES];
    size_t n = case_outputs(c, outputs);
    run_model(model, inputs, case_inputs(c, inputs), c->pool, options, &result);
    if (result.status == OB_E_UNSUPPORTED && options->n_threads > 1) return true; /* built without threads */
    if (result.status != OB_OK) return refusal(v, kind, -1, what, result.status, &result.error);
    if (result.n != n) return judged(v, kind, -1, "%s: another number of outputs", what);
    for (size_t i = 0; i < n; i++) {
        comparison difference = {.message = ""};
        const ob_view *want = &c->values[outputs[i]].view;
        if (same_bits(&result.views[i], want)) continue;
        compare_tensors(&result.views[i], want, 0, 0, &difference);
        return judged(v, kind, -1, "%s: v%d has other bits: %s", what, outputs[i], difference.message);
    }
    return true;
}

static bool judge_forms(const graph_case *c, const ob_model *model, const byte_buffer *original, verdict *v) {
    for (int form = 0; form < OB_FORM_COUNT; form++) {
        byte_buffer bytes = {0};
        ob_model *rewritten = NULL;
        ob_error error;
        ob_error_clear(&error);
        ob_status status = make_variant(model, (ob_form)form, &bytes, &rewritten, &error);
        bool ok = status == OB_OK;
        if (status == OB_E_UNSUPPORTED) continue; /* the form cannot be had with the model's opset */
        if (!ok) refusal(v, VERDICT_FORM, -1, ob_form_name((ob_form)form), status, &error);
        bool is_other = ok && (bytes.n != original->n || memcmp(bytes.data, original->data, bytes.n) != 0);
        if (is_other) ok = judge_run(c, rewritten, ob_form_name((ob_form)form), VERDICT_FORM, &(run_options){true, 1}, v);
        ob_model_close(&rewritten);
        free(bytes.data);
        if (!ok) return false;
    }
    return true;
}

/* ---- What the checker says ---- */

static void name_symbol(unsigned symbol, char name[8]) {
    memcpy(name, (const char[4]){'d', (char)('a' + symbol % 26), (char)('a' + symbol / 26), '\0'}, 4);
}

/* The sizes of the symbols that the inputs declare. */
static size_t bind_symbols(const graph_case *c, const ob_dims *dims, ob_binding *bindings) {
    size_t n = 0;
    for (uint32_t i = 0; i < c->n_values; i++)
        for (int32_t k = 0; c->values[i].role == ROLE_INPUT && k < c->values[i].view.rank; k++) {
            unsigned symbol = c->values[i].symbols[k];
            char name[8];
            name_symbol(symbol, name);
            ob_dim dim = symbol ? ob_dim_find(dims, name) : OB_DIM_UNKNOWN;
            if (dim != OB_DIM_UNKNOWN) bindings[n++] = (ob_binding){dim, c->values[i].view.dims[k]};
        }
    return n;
}

/* A condition may matter only where something else holds; the contract of the whole says so. */
static bool contract_excludes(const graph_case *c, const ob_report *report) {
    static ob_named_size sizes[MAX_VALUES * 8];
    static char names[MAX_VALUES * 8][8];
    const ob_dims *dims = ob_report_dims(report);
    size_t n = 0;
    for (uint32_t i = 0; i < c->n_values; i++)
        for (int32_t k = 0; c->values[i].role == ROLE_INPUT && k < c->values[i].view.rank; k++) {
            unsigned symbol = c->values[i].symbols[k];
            name_symbol(symbol, names[n]);
            if (!symbol || ob_dim_find(dims, names[n]) == OB_DIM_UNKNOWN) continue;
            sizes[n] = (ob_named_size){names[n], c->values[i].view.dims[k]};
            n++;
        }
    ob_truth truth = OB_UNDECIDED;
    ob_status status = ob_report_contract_holds(report, sizes, n, &truth, NULL);
    return status == OB_OK && truth == OB_FALSE;
}

static bool judge_inferred(const graph_case *c, ob_report *report, verdict *v) {
    static ob_binding bindings[MAX_VALUES * 8];
    const ob_dims *dims = ob_report_dims(report);
    size_t n = bind_symbols(c, dims, bindings);
    for (size_t i = 0; i < ob_report_value_count(report); i++) {
        ob_value_info info;
        if (ob_report_value(report, i, &info) != OB_OK || info.name[0] != 'v' || info.path[0]) continue;
        long index = strtol(info.name + 1, NULL, 10);
        const ob_view *is = &c->values[index].view;
        if (info.dtype != OB_NONE && info.dtype != is->dtype)
            return judged(v, VERDICT_INFERRED, -1, "%s is %s, inferred was %s", info.name, ob_dtype_name(is->dtype), info.type);
        if (info.shape.rank == OB_RANK_UNKNOWN) continue;
        bool holds = info.shape.rank == is->rank;
        for (int32_t k = 0; holds && k < is->rank; k++) {
            int64_t size;
            holds = ob_dim_eval(dims, info.shape.dims[k], bindings, n, &size) != OB_OK || size == is->dims[k];
        }
        char text[200];
        format_dims(is, text, sizeof text);
        if (!holds) return judged(v, VERDICT_INFERRED, -1, "%s is %s, inferred was %s", info.name, text, info.type);
    }
    for (size_t i = 0; i < ob_report_condition_count(report); i++) {
        ob_condition_info info;
        bool holds = true;
        if (ob_report_condition(report, i, &info) != OB_OK) continue;
        if (ob_condition_eval(dims, &info.condition, bindings, n, &holds) == OB_OK && !holds && contract_excludes(c, report))
            return judged(v, VERDICT_INFERRED, -1, "the condition %s does not hold", info.text);
    }
    return true;
}

/* The first error that the checker reports; false: none. */
static bool first_error(ob_report *report, char *text, size_t n_bytes) {
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info finding;
        if (ob_report_finding(report, i, &finding) != OB_OK || finding.severity != OB_SEVERITY_ERROR) continue;
        snprintf(text, n_bytes, "%s %s", finding.id, finding.message);
        return true;
    }
    return false;
}

static bool judge_report(const graph_case *c, ob_model *model, verdict *v) {
    ob_report *report = NULL;
    ob_error error;
    char text[500];
    ob_status status = ob_check(model, NULL, &report, &error);
    if (status != OB_OK) return refusal(v, VERDICT_CHECKER, -1, "checking fails", status, &error);
    bool ok = !first_error(report, text, sizeof text) || judged(v, VERDICT_CHECKER, -1, "%s", text);
    ok = ok && judge_inferred(c, report, v);
    ob_report_close(&report);
    return ok;
}

void judge_ours(graph_case *c, verdict *v) {
    byte_buffer bytes = {0};
    ob_model *model = NULL;
    ob_error error;
    *v = (verdict){.kind = VERDICT_SAME, .node = -1};
    ob_error_clear(&error);
    if (!evaluate_all(c, v)) return;
    ob_status status = case_build(c, &bytes, &model, &error);
    if (status != OB_OK)
        refusal(v, VERDICT_REFUSED, -1, "loading", status, &error);
    else if (judge_report(c, model, v) && judge_run(c, model, "plain", VERDICT_ALONE, &(run_options){false, 1}, v) &&
             judge_run(c, model, "optimised", VERDICT_OPTIMISED, &(run_options){true, 1}, v) &&
             judge_run(c, model, "two threads", VERDICT_OPTIMISED, &(run_options){true, 2}, v))
        judge_forms(c, model, &bytes, v);
    ob_model_close(&model);
    free(bytes.data);
}

/* ---- Mutants ---- */

/* The result of one run, and whether planning for its shapes succeeds. */
static bool is_refusal(ob_status status) {
    return status == OB_E_SHAPE || status == OB_E_TYPE || status == OB_E_MODEL || status == OB_E_CONDITION ||
           status == OB_E_ARGUMENT;
}

/* The checker cannot know the contents of an input (an axis, a shape), so here they are weights. */
static void fix_parameters(graph_case *c) {
    for (uint32_t i = 0; i < c->n_values; i++)
        if (c->values[i].is_parameter && (c->values[i].role == ROLE_INPUT || c->values[i].role == ROLE_DEFAULT))
            c->values[i].role = ROLE_WEIGHT;
}

static ob_status build_and_check(graph_case *c, byte_buffer *bytes, ob_model **model, ob_report **report, ob_error *error) {
    ob_error_clear(error);
    fix_parameters(c);
    ob_status status = case_build(c, bytes, model, error);
    return status == OB_OK ? ob_check(*model, NULL, report, error) : status;
}

void judge_mutant(graph_case *c, verdict *v) {
    static run_result result;
    byte_buffer bytes = {0};
    ob_model *model = NULL;
    ob_report *report = NULL;
    ob_error error;
    ob_view inputs[MAX_VALUES];
    char text[500] = "";
    *v = (verdict){.kind = VERDICT_SAME, .node = -1};
    ob_status status = build_and_check(c, &bytes, &model, &report, &error);
    if (status == OB_E_INTERNAL) judged(v, VERDICT_INTERNAL, -1, "%s", error.message);
    if (status == OB_OK) {
        bool is_wrong = first_error(report, text, sizeof text);
        bool is_open = ob_report_condition_count(report) > 0;
        run_model(model, inputs, case_inputs(c, inputs), c->pool, &(run_options){false, 1}, &result);
        if (result.status == OB_E_INTERNAL)
            judged(v, VERDICT_INTERNAL, -1, "%s", result.error.message);
        else if (is_wrong && result.status == OB_OK)
            judged(v, VERDICT_LAX, -1, "it runs, the checker says: %s", text);
        else if (!is_wrong && !is_open && is_refusal(result.status) && !result.is_prepared)
            judged(v, VERDICT_UNCHECKED, -1, "the checker is content, the run says: %s", result.error.message);
    }
    ob_report_close(&report);
    ob_model_close(&model);
    free(bytes.data);
}

/* ---- Other sizes ---- */

/* Every stated condition holds, does not, or cannot be told (1, 0, -1) for the sizes of the case's inputs. */
static int conditions_hold(const graph_case *c, ob_report *report, char *text, size_t n_bytes) {
    static ob_binding bindings[MAX_VALUES * 8];
    const ob_dims *dims = ob_report_dims(report);
    size_t n = bind_symbols(c, dims, bindings);
    int answer = 1;
    for (size_t i = 0; i < ob_report_condition_count(report); i++) {
        ob_condition_info info;
        bool holds = true;
        if (ob_report_condition(report, i, &info) != OB_OK) return -1;
        if (ob_condition_eval(dims, &info.condition, bindings, n, &holds) != OB_OK) answer = -1;
        if (holds) continue;
        if (!contract_excludes(c, report)) {
            answer = -1;
            continue;
        }
        snprintf(text, n_bytes, "%s", info.text);
        return 0;
    }
    return answer;
}

void judge_sizes(graph_case *c, verdict *v) {
    static run_result result;
    byte_buffer bytes = {0};
    ob_model *model = NULL;
    ob_report *report = NULL;
    ob_error error;
    ob_view inputs[MAX_VALUES];
    char text[500] = "";
    *v = (verdict){.kind = VERDICT_SAME, .node = -1};
    ob_status status = build_and_check(c, &bytes, &model, &report, &error);
    if (status == OB_OK && !first_error(report, text, sizeof text)) {
        int hold = conditions_hold(c, report, text, sizeof text);
        run_model(model, inputs, case_inputs(c, inputs), c->pool, &(run_options){true, 1}, &result);
        if (result.status == OB_E_INTERNAL)
            judged(v, VERDICT_INTERNAL, -1, "%s", result.error.message);
        else if (hold == 0 && result.status == OB_OK)
            judged(v, VERDICT_BROKEN, -1, "it runs, although %s does not hold", text);
        else if (hold == 1 && is_refusal(result.status) && !result.is_prepared)
            judged(v, VERDICT_BROKEN, -1, "all conditions hold, the run says: %s", result.error.message);
    }
    ob_report_close(&report);
    ob_model_close(&model);
    free(bytes.data);
}
