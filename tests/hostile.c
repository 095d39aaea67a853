/* usage: hostile SOURCE [OPERATOR]. Runs a sample of every row of the operator table with hostile numbers in each integer
 * operand in turn, including the sample's constants. If the checker calls the contract complete and the conditions on values
 * hold, the run succeeds; if they do not hold, it is refused. So every requirement on elements that a run tests is proved,
 * stated or unverified. */
#include "core/graph/graph.h"
#include "ops/body/body.h"
#include "ops/kernel/kernel.h"
#include "samples.h"

enum { MAX_OPERANDS = 24, ELEMENT_BYTES = 16 };
enum { MAX_MEMORY = 64 << 20, MAX_MS = 2000 };

static const int64_t numbers[] = {0,         1,        2, -1, 3, -2, 5, -7, 40, -41, INT32_MAX, INT32_MIN, INT64_C(1) << 40,
                                  INT64_MAX, INT64_MIN};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers, N_WAYS = 3 }; /* in all elements, in the first, in the last */

static size_t n_runs, n_ended, n_refused, n_stated, n_open;

static bool is_integer(ob_dtype dtype) {
    const ob_types integers = OB_T(INT64) | OB_T(INT32) | OB_T(INT16) | OB_T(INT8) | OB_T(UINT64) | OB_T(UINT32) | OB_T(UINT16) |
                              OB_T(UINT8) | OB_T(BOOL);
    return integers >> dtype & 1;
}

static void put(void *data, ob_dtype dtype, int64_t i, int64_t number) {
    const size_t width = ob_dtype_size(dtype);
    if (dtype == OB_BOOL) number = number != 0;
    memcpy((char *)data + (size_t)i * width, &number, width); /* the low bytes */
}

/* As a condition on values reads the element. */
static int64_t get(const void *data, ob_dtype dtype, int64_t i) {
    int64_t number = 0;
    const size_t width = ob_dtype_size(dtype);
    memcpy(&number, (const char *)data + (size_t)i * width, width);
    switch (dtype) {
    case OB_INT32: return (int32_t)number;
    case OB_INT16: return (int16_t)number;
    case OB_INT8: return (int8_t)number;
    default: return number;
    }
}

/* ---- The operand ---- */

/* A constant becomes an input, so that its elements are unknown; false: operand k has no integers. */
static bool open_operand(ob_model *model, uint32_t k) {
    ob_graph *graph = model->graph;
    char name[16];
    snprintf(name, sizeof name, "i%u", k);
    for (uint32_t i = 0; i < graph->n_inputs; i++)
        if (strcmp(graph->inputs[i]->name, name) == 0) return is_integer(graph->inputs[i]->declared.dtype);
    for (uint32_t i = 0; i < graph->n_initializers; i++) {
        ob_value *value = graph->initializers[i];
        if (strcmp(value->name, name) != 0) continue;
        if (!value->data || !is_integer(value->data->dtype)) return false;
        ob_value **inputs = OB_ARENA_ARRAY(&model->arena, ob_value *, (size_t)graph->n_inputs + 1);
        if (!inputs) return false;
        if (graph->n_inputs) memcpy(inputs, graph->inputs, graph->n_inputs * sizeof(ob_value *));
        inputs[graph->n_inputs++] = value;
        graph->inputs = inputs;
        value->declared =
            (ob_type){.kind = OB_TYPE_TENSOR, .dtype = value->data->dtype, .shape = {value->data->rank, value->data->dims}};
        value->is_input = true;
        value->is_initializer = false;
        value->data = NULL;
        for (; i + 1 < graph->n_initializers; i++) graph->initializers[i] = graph->initializers[i + 1];
        graph->n_initializers--;
        return true;
    }
    return false;
}

/* ---- Judging ---- */

static void wrong(const ob_op *op, uint32_t k, int64_t number, int way, const char *what, const char *message) {
    static const char *const ways[N_WAYS] = {"", "first ", "last "};
    printf("%s%s%s-%d, operand %u, %s%lld: %s: %s\n", op->domain, op->domain[0] ? "." : "", op->name, op->since, k, ways[way],
           (long long)number, what, message);
    n_errors++;
}

/* Do the elements satisfy the conditions on values? Sizes are numbers. */
static ob_truth values_hold(ob_report *report, const ob_model *model, const ob_view *inputs) {
    for (size_t i = 0; i < ob_report_contract(report).n_bounds; i++) {
        ob_bound_info b;
        if (ob_report_bound(report, i, &b) != OB_OK || b.first || b.n_guards || b.is_rounded) return OB_UNDECIDED;
        for (uint32_t k = 0; k < model->graph->n_inputs; k++) {
            if (strcmp(model->graph->inputs[k]->name, b.input) != 0) continue;
            for (int64_t at = 0; at < ob_view_count(&inputs[k]); at++) {
                const int64_t x = get(inputs[k].data, b.dtype, at);
                if (b.lowest != OB_DIM_UNKNOWN && x < b.lowest) return OB_FALSE;
                if (b.highest != OB_DIM_UNKNOWN && x > b.highest) return OB_FALSE;
            }
        }
    }
    return OB_TRUE;
}

/* Failures that do not depend on the elements: limits of the machine or the caller. */
static bool is_limit(ob_status status) {
    return status == OB_E_LIMIT || status == OB_E_MEMORY || status == OB_E_CANCELLED || status == OB_E_UNSUPPORTED;
}

static void judge_run(const ob_op *op, const ob_model *model, ob_report *report, ob_session *session, uint32_t k, int64_t number,
                      int way) {
    ob_view inputs[MAX_OPERANDS], outputs[MAX_OUTPUTS] = {0};
    const ob_cell *cells[MAX_OUTPUTS];
    ob_error error;
    size_t n = ob_session_input_count(session), made = 0;
    ob_status status = OB_OK;
    char name[16];
    snprintf(name, sizeof name, "i%u", k);
    ob_error_clear(&error);
    for (; made < n && status == OB_OK; made++) {
        status = ob_session_input_view(session, made, NULL, &inputs[made], &error);
        if (status != OB_OK) break;
        const int64_t count = ob_view_count(&inputs[made]);
        inputs[made].data = must(calloc((size_t)count + 1, ELEMENT_BYTES));
        if (strcmp(model->graph->inputs[made]->name, name) != 0) continue;
        for (int64_t i = way == 2 && count ? count - 1 : 0; i < (way == 1 && count ? 1 : count); i++)
            put(inputs[made].data, inputs[made].dtype, i, number);
    }
    if (status == OB_OK) {
        const ob_truth hold = values_hold(report, model, inputs);
        status = ob_session_run_cells(session, inputs, NULL, n, outputs, cells, ob_session_output_count(session), &error);
        n_runs++;
        n_ended += status == OB_OK;
        n_refused += status != OB_OK;
        n_stated += hold == OB_FALSE;
        const bool complete = ob_report_contract(report).status == OB_CONTRACT_COMPLETE;
        n_open += !complete;
        if (complete && hold == OB_TRUE && status != OB_OK && !is_limit(status))
            wrong(op, k, number, way, "the contract is complete", error.message);
        if (hold == OB_FALSE && status == OB_OK) wrong(op, k, number, way, "it runs", "and a condition on values excludes it");
    }
    for (size_t i = 0; i < made; i++) free(inputs[i].data);
}

static bool has_errors(ob_report *report) {
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info finding;
        if (ob_report_finding(report, i, &finding) == OB_OK && finding.severity == OB_SEVERITY_ERROR) return true;
    }
    return false;
}

static void judge(const ob_op *op, ob_model *model, uint32_t k) {
    ob_report *report = NULL;
    ob_session *session = NULL;
    ob_session_config config;
    ob_error error;
    ob_session_config_init(&config);
    config.max_memory = MAX_MEMORY;
    config.max_run_ns = MAX_MS * UINT64_C(1000000);
    if (ob_check(model, NULL, &report, &error) != OB_OK) {
        wrong(op, k, 0, 0, "the checker fails", error.message);
        return;
    }
    if (!has_errors(report) && ob_session_create(model, &config, &session, &error) == OB_OK)
        for (size_t i = 0; i < N_NUMBERS; i++)
            for (int way = 0; way < N_WAYS; way++) judge_run(op, model, report, session, k, numbers[i], way);
    ob_session_close(&session);
    ob_report_close(&report);
}

static void try_sample(const cell_case *c) {
    ob_text text;
    ob__text_init(&text, NULL);
    write_model(c, &text);
    for (uint32_t k = 0; k < MAX_OPERANDS; k++) {
        ob_model *model = NULL;
        ob_load_options options;
        ob_load_options_init(&options);
        options.format = OB_FORMAT_TEXT;
        if (ob_model_load_memory(text.data, text.n, "sample", &options, &model, NULL) != OB_OK) break;
        if (open_operand(model, k)) judge(c->op, model, k);
        ob_model_close(&model);
    }
    ob__text_release(&text);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    read_folders(argv[1]);
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        cell_case c;
        if ((argc > 2 && strcmp(op->name, argv[2]) != 0) || op->deprecated || !usual_case(op, &c)) continue;
        if (!ob__has_kernel(op) && !ob__body_of(op)) continue;
        for (; c.s; c.s = find_sample(op, c.s)) try_sample(&c);
    }
    printf("%zu runs, %zu ended, %zu refused; %zu excluded by conditions on values, %zu with something unverified; %d errors\n",
           n_runs, n_ended, n_refused, n_stated, n_open, n_errors);
    return n_errors ? 1 : 0;
}
