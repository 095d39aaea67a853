/* ob_check: converts the options for propagation, runs the pipeline, makes the report. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "passes/contract/assumed.h"
#include "passes/pipeline.h"
#include "passes/report/report.h"

void ob_check_options_init(ob_check_options *options) {
    if (options) *options = (ob_check_options){.rules = OB_RULES_ONNX};
}

/* ---- Given sizes, shapes and assumptions ---- */

static ob_status bind_dims(ob_model *model, const ob_check_options *options, ob_binding *bindings, ob_error *error) {
    for (size_t i = 0; i < options->n_dims; i++)
        OB_TRY(ob__bind_symbol(model, options->dims[i].name, options->dims[i].size, &bindings[i], error));
    return OB_OK;
}

/* The index of an input; n_inputs: not found. */
static uint32_t find_input(const ob_model *model, const char *name) {
    uint32_t i = 0;
    while (i < model->graph->n_inputs && strcmp(model->graph->inputs[i]->name, name) != 0) i++;
    return i;
}

/* A size given for an axis of an input applies to its symbol everywhere. */
static ob_status bind_axis(ob_model *model, uint32_t input, int32_t axis, int64_t size, ob_binding *bindings, size_t *n,
                           ob_error *error) {
    ob_dim symbol = ob__input_symbol(model, input, axis);
    if (!ob_dim_is_named(model->dims, symbol)) return OB_OK;
    for (size_t i = 0; i < *n; i++) {
        if (bindings[i].symbol != symbol) continue;
        char name[128];
        ob__dim_shown(model->dims, bindings[i].symbol, name, sizeof name);
        OB_FAIL_IF(bindings[i].size != size, error, OB_E_ARGUMENT,
                   "axis %d of input '%s' is %s, which is given as %lld and as %lld", (int)axis,
                   model->graph->inputs[input]->name, name, (long long)bindings[i].size, (long long)size);
        return OB_OK;
    }
    bindings[(*n)++] = (ob_binding){symbol, size};
    return OB_OK;
}

static ob_status bind_inputs(ob_model *model, const ob_check_options *options, ob_given_input *inputs, ob_binding *bindings,
                             size_t *n_bindings, ob_arena *arena, ob_error *error) {
    for (size_t i = 0; i < options->n_shapes; i++) {
        const ob_shape_given *given = &options->shapes[i];
        OB_FAIL_IF(!given->name || given->rank < 0 || given->rank > OB_MAX_RANK || (given->rank && !given->dims), error,
                   OB_E_ARGUMENT, "the rank of an input shape must be 0 to %d", OB_MAX_RANK);
        uint32_t index = find_input(model, given->name);
        OB_FAIL_IF(index == model->graph->n_inputs, error, OB_E_NOT_FOUND, "the model has no input '%s'", given->name);
        const ob_value *input = model->graph->inputs[index];
        bool same_rank = given->rank == input->declared.shape.rank;
        ob_dim *dims = OB_ARENA_ARRAY(arena, ob_dim, (size_t)given->rank);
        if (!dims) return OB_E_MEMORY;
        for (int32_t axis = 0; axis < given->rank; axis++) {
            int64_t size = given->dims[axis];
            OB_FAIL_IF(size != OB_DIM_UNKNOWN && (size < 0 || size > OB_DIM_CONST_MAX), error, OB_E_ARGUMENT,
                       "axis %d of input '%s': a size must be 0 or more", (int)axis, given->name);
            dims[axis] = size;
            if (size != OB_DIM_UNKNOWN && same_rank) OB_TRY(bind_axis(model, index, axis, size, bindings, n_bindings, error));
        }
        inputs[i] = (ob_given_input){.input = input,
                                     .type = {.kind = OB_TYPE_TENSOR,
                                              .dtype = input->declared.kind == OB_TYPE_TENSOR ? input->declared.dtype : OB_NONE,
                                              .shape = {given->rank, dims}}};
    }
    return OB_OK;
}

static ob_status set_severities(ob_report *report, const ob_check_options *options, ob_error *error) {
    for (int id = 0; id < OB_FINDING_COUNT; id++) report->severities[id] = ob__finding_row((ob_finding_id)id)->severity;
    for (size_t i = 0; i < options->n_severities; i++) {
        const ob_severity_given *given = &options->severities[i];
        OB_FAIL_IF(!given->id || (int)given->severity < OB_SEVERITY_NONE || given->severity > OB_SEVERITY_ERROR, error,
                   OB_E_ARGUMENT, "a severity needs an id and a level: none, note, warning or error");
        bool found = false;
        for (int id = OB_FINDING_NONE + 1; id < OB_FINDING_COUNT; id++) {
            if (!given->id[0] || !ob__finding_begins((ob_finding_id)id, given->id)) continue;
            report->severities[id] = given->severity;
            found = true;
        }
        OB_FAIL_IF(!found, error, OB_E_NOT_FOUND, "no finding's id begins with '%s'", given->id);
    }
    return OB_OK;
}

/* As many bindings as symbols can be given sizes. */
static size_t most_bindings(const ob_check_options *options) {
    size_t n = options->n_dims;
    for (size_t i = 0; i < options->n_shapes; i++)
        if (options->shapes[i].rank > 0 && options->shapes[i].rank <= OB_MAX_RANK) n += (size_t)options->shapes[i].rank;
    return n;
}

/* The assumptions in one text: conditions, or clauses in the notation of reports. */
static ob_status parse_assumption(ob_report *report, const char *text, ob_assumed *out, uint32_t *n, ob_error *error) {
    ob_condition conditions[OB_CONDITION_PARSE_MAX];
    size_t n_conditions = 0;
    ob_status status = ob_condition_parse(report->model->dims, text, true, conditions, &n_conditions, NULL);
    for (size_t k = 0; k < n_conditions && status == OB_OK; k++) out[(*n)++] = (ob_assumed){conditions[k], NULL, text};
    if (status == OB_OK || status == OB_E_MEMORY) return status;
    ob_clause *clauses = OB_ARENA_ARRAY(&report->arena, ob_clause, OB_CONDITION_PARSE_MAX);
    uint32_t n_clauses;
    if (!clauses) return OB_E_MEMORY;
    OB_TRY(ob__clauses_parse(report->model->dims, text, strlen(text), true, &report->arena, clauses, OB_CONDITION_PARSE_MAX,
                             &n_clauses, error));
    for (uint32_t k = 0; k < n_clauses; k++) out[(*n)++] = (ob_assumed){.clause = &clauses[k], .text = text};
    return OB_OK;
}

static ob_status parse_assumptions(ob_report *report, const ob_check_options *options, ob_assumed **out, uint32_t *n,
                                   ob_error *error) {
    OB_FAIL_IF(options->n_assumptions > UINT32_MAX / OB_CONDITION_PARSE_MAX, error, OB_E_LIMIT, "too many assumptions");
    *out = OB_ARENA_ARRAY(&report->arena, ob_assumed, options->n_assumptions * OB_CONDITION_PARSE_MAX);
    if (!*out) return OB_E_MEMORY;
    *n = 0;
    for (size_t i = 0; i < options->n_assumptions; i++) {
        const char *given = options->assumptions[i];
        OB_FAIL_IF(!given, error, OB_E_ARGUMENT, "an assumption is NULL");
        const char *text = ob__arena_strndup(&report->arena, given, strlen(given));
        if (!text) return OB_E_MEMORY;
        OB_TRY(parse_assumption(report, text, *out, n, error));
    }
    return OB_OK;
}

/* Assumptions on given sizes must be true, because everything else would be meaningless. */
static ob_status test_given(const ob_report *report, const ob_assumed *assumed, uint32_t n_assumed, const ob_binding *given,
                            size_t n, ob_error *error) {
    for (uint32_t i = 0; i < n_assumed; i++) {
        bool holds = true;
        const ob_clause *clause = assumed[i].clause;
        ob_status status = OB_OK;
        if (clause)
            holds = ob__clause_eval(report->model->dims, clause->literals, clause->n, given, n) != OB_FALSE;
        else
            status = ob_condition_eval(report->model->dims, &assumed[i].condition, given, n, &holds);
        OB_FAIL_IF(status == OB_OK && !holds, error, OB_E_ARGUMENT, "the assumption \"%.200s\" is false for the given sizes",
                   assumed[i].text);
    }
    return OB_OK;
}

/* The bindings, and those of symbols that are assumed to be numbers: the same as if these were given. */
static ob_binding *with_assumed(ob_report *report, const ob_binding *given, size_t *n, const ob_assumed *assumed,
                                uint32_t n_assumed) {
    ob_binding *all = OB_ARENA_ARRAY(&report->arena, ob_binding, *n + n_assumed);
    if (!all) return NULL;
    if (*n) memcpy(all, given, *n * sizeof *all);
    for (uint32_t i = 0; i < n_assumed; i++) {
        size_t k = 0;
        if (assumed[i].clause || !ob__assumed_binding(report->model->dims, &assumed[i].condition, &all[*n])) continue;
        while (all[k].symbol != all[*n].symbol) k++;
        *n += k == *n; /* two numbers for one symbol: the solver reports the contradiction */
    }
    return all;
}

/* ---- ob_check ---- */

static ob_report *new_report(ob_model *model) {
    const ob_allocator *allocator = &model->arena.allocator;
    ob_report *report = allocator->alloc(allocator->context, sizeof *report);
    if (!report) return NULL;
    memset(report, 0, sizeof *report);
    report->allocator = *allocator;
    report->model = model;
    ob__facts_init(&report->facts, allocator);
    ob__findings_init(&report->findings, allocator);
    ob__long_names_init(&report->long_names, allocator);
    ob__contract_init(&report->contract, allocator);
    ob_arena *const arenas[] = {&report->arena,       &report->finding_texts,   &report->broadcast_texts,
                                &report->value_texts, &report->condition_texts, &report->contract_texts};
    for (size_t i = 0; i < sizeof arenas / sizeof *arenas; i++) ob__arena_init(arenas[i], allocator);
    ob__map_init(&report->origins, &report->arena);
    ob__alike_init(&report->patterns, &report->arena);
    ob__alike_init(&report->alike_findings, &report->arena);
    ob__alike_init(&report->alike_clauses, &report->arena);
    ob__text_init(&report->key, allocator);
    return report;
}

static ob_status run(ob_report *report, const ob_check_options *options, ob_error *error) {
    ob_model *model = report->model;
    ob_binding *bindings = OB_ARENA_ARRAY(&report->arena, ob_binding, most_bindings(options));
    size_t n_bindings = options->n_dims;
    ob_assumed *assumed = NULL;
    uint32_t n_assumed = 0;
    ob_given_input *inputs = OB_ARENA_ARRAY(&report->arena, ob_given_input, options->n_shapes);
    if (!bindings || !inputs) return OB_E_MEMORY;
    OB_TRY(set_severities(report, options, error));
    OB_TRY(ob__report_take_ignores(report, options, error));
    report->baseline = options->baseline;
    report->baseline_model = options->baseline_model;
    OB_TRY(bind_dims(model, options, bindings, error));
    OB_TRY(bind_inputs(model, options, inputs, bindings, &n_bindings, &report->arena, error));
    OB_TRY(ob__name_input_sizes(model));
    OB_TRY(parse_assumptions(report, options, &assumed, &n_assumed, error));
    OB_TRY(test_given(report, assumed, n_assumed, bindings, n_bindings, error));
    OB_TRY(ob__targets_take(&report->targets, options, &report->arena, error));
    bindings = with_assumed(report, bindings, &n_bindings, assumed, n_assumed);
    if (!bindings) return OB_E_MEMORY;
    ob_propagate_options given = {.bindings = bindings,
                                  .n_bindings = n_bindings,
                                  .inputs = inputs,
                                  .n_inputs = options->n_shapes,
                                  .max_nodes = options->max_nodes};
    if (options->max_finding_bytes)
        report->findings.max_bytes = options->max_finding_bytes < SIZE_MAX ? (size_t)options->max_finding_bytes : SIZE_MAX;
    ob_work work = {.model = model,
                    .rules = options->rules,
                    .given = &given,
                    .facts = &report->facts,
                    .findings = &report->findings,
                    .contract = &report->contract,
                    .assumed = assumed,
                    .n_assumed = n_assumed,
                    .targets = report->targets.n ? &report->targets : NULL,
                    .after_pass = options->after_pass,
                    .context = options->context,
                    .error = error};
    report->rules = options->rules;
    OB_TRY(ob__run_pipeline(&work, NULL));
    return ob__report_finish(report);
}

ob_status ob_check(ob_model *model, const ob_check_options *options, ob_report **out, ob_error *error) {
    ob_check_options plain;
    ob_error_clear(error);
    OB_FAIL_IF(!model || !out, error, OB_E_ARGUMENT, "ob_check: model and report must not be NULL");
    if (!options) {
        ob_check_options_init(&plain);
        options = &plain;
    }
    OB_FAIL_IF((int)options->rules < 0 || options->rules >= OB_RULES_COUNT || (options->n_dims && !options->dims) ||
                   (options->n_shapes && !options->shapes) || (options->n_severities && !options->severities) ||
                   (options->n_ignores && !options->ignores) || (options->baseline && !options->baseline_model) ||
                   (options->n_assumptions && !options->assumptions) || (options->n_targets && !options->targets),
               error, OB_E_ARGUMENT, "ob_check: invalid options");
    ob_report *report = new_report(model);
    OB_FAIL_IF(!report, error, OB_E_MEMORY, "out of memory");
    ob_status status = run(report, options, error);
    if (status != OB_OK) {
        ob_report_close(&report);
        return ob__described(error, status, "");
    }
    *out = report;
    return OB_OK;
}

void ob_report_close(ob_report **report) {
    if (!report || !*report) return;
    ob_report *closing = *report;
    *report = NULL;
    ob__facts_release(&closing->facts);
    ob_report_shorten_names(closing, false); /* the pool stays the model's */
    ob__findings_release(&closing->findings);
    ob__long_names_release(&closing->long_names);
    ob__text_release(&closing->key);
    ob__arena_release(&closing->finding_texts);
    ob__arena_release(&closing->broadcast_texts);
    ob__arena_release(&closing->value_texts);
    ob__arena_release(&closing->condition_texts);
    ob__arena_release(&closing->contract_texts);
    ob__contract_release(&closing->contract);
    ob__arena_release(&closing->arena);
    ob_allocator allocator = closing->allocator;
    allocator.free(allocator.context, closing, sizeof *closing);
}
