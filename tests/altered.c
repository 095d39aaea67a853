/* usage: altered SOURCE [--verbose]. Alters a sample of every row of the operator table: an attribute is left out or holds a
 * number that none expects, a list is shorter, an operand is left out, ranks are not known. Whatever stands in a node, the
 * checker and a session answer for it and never blame themselves; what the checker calls complete runs, and what runs it does not
 * call wrong. */
#include <math.h>

#include "core/graph.h"
#include "ops/body/body.h"
#include "ops/kernel/kernel.h"
#include "samples.h"

enum { MAX_OPERANDS = 24, ELEMENT_BYTES = 16 };
enum { MAX_MEMORY = 64 << 20, MAX_MS = 2000 };

static size_t n_altered, n_ran;

/* ---- Alterations -------------------------------------------------------------------------------------------------------- */

static bool alter_ints(ob_model *model, ob_attribute *a, int which) {
    static const int64_t numbers[] = {-1, 0, 7, INT64_C(1) << 40, INT64_MIN};
    const int n = (int)(sizeof numbers / sizeof *numbers);
    if (which < n && a->type == OB_ATTR_INT) {
        a->u.i = numbers[which];
        return true;
    }
    if (which >= n || a->type != OB_ATTR_INTS || a->n == 0) return false;
    int64_t *ints = OB_ARENA_ARRAY(&model->arena, int64_t, a->n);
    if (!ints) return false;
    memcpy(ints, a->u.ints, a->n * sizeof *ints);
    ints[a->n - 1] = numbers[which];
    a->u.ints = ints;
    return true;
}

/* Alteration `which` of the attribute's contents; false: it has no more. */
static bool alter_contents(ob_model *model, ob_attribute *a, int which) {
    static const float numbers[] = {0, -1, NAN, INFINITY};
    const bool list = a->type == OB_ATTR_INTS || a->type == OB_ATTR_FLOATS || a->type == OB_ATTR_STRINGS;
    if (list && which < 2) {
        if (a->n == 0) return false;
        a->n = which ? a->n - 1 : 0;
        return true;
    }
    if (list) which -= 2;
    if (a->type == OB_ATTR_INT || a->type == OB_ATTR_INTS) return alter_ints(model, a, which);
    if (a->type == OB_ATTR_FLOAT && which < (int)(sizeof numbers / sizeof *numbers)) {
        a->u.f = numbers[which];
        return true;
    }
    if (a->type == OB_ATTR_STRING && which < 2) {
        a->u.s = which ? (ob_string){"none such", 9} : (ob_string){"", 0};
        return true;
    }
    return false;
}

enum { MAX_CONTENTS = 10 };

/* Alteration `number` of the node: 0 leaves it as it is; false: there is none of that number. *nothing: it changed nothing. */
static bool alter(ob_model *model, ob_node *node, int number, bool *nothing, char text[200]) {
    snprintf(text, 200, "as it is");
    *nothing = false;
    if (number-- == 0) return true;
    if (number < (int)node->n_inputs) {
        snprintf(text, 200, "operand %d is left out", number);
        *nothing = node->inputs[number] == NULL;
        node->inputs[number] = NULL;
        return true;
    }
    number -= (int)node->n_inputs;
    const int index = number / MAX_CONTENTS, which = number % MAX_CONTENTS;
    if (index >= (int)node->n_attributes) return false;
    ob_attribute *a = node->attributes[index];
    snprintf(text, 200, "attribute %s, %d", a->name, which);
    if (which > 0) {
        *nothing = !alter_contents(model, a, which - 1);
        return true;
    }
    for (uint32_t i = (uint32_t)index + 1; i < node->n_attributes; i++) node->attributes[i - 1] = node->attributes[i];
    node->n_attributes--;
    return true;
}

/* ---- Running it --------------------------------------------------------------------------------------------------------- */

static ob_status run(ob_session *session, ob_error *error) {
    ob_view inputs[MAX_OPERANDS], outputs[MAX_OUTPUTS] = {0};
    const ob_cell *cells[MAX_OUTPUTS];
    size_t n = ob_session_input_count(session), made = 0;
    ob_status status = OB_OK;
    for (; made < n && status == OB_OK; made++) {
        status = ob_session_input_view(session, made, NULL, &inputs[made], error);
        if (status == OB_OK) inputs[made].data = must(calloc((size_t)ob_view_count(&inputs[made]) + 1, ELEMENT_BYTES));
    }
    if (status == OB_OK)
        status = ob_session_run_cells(session, inputs, NULL, n, outputs, cells, ob_session_output_count(session), error);
    for (size_t i = 0; i < made; i++) free(inputs[i].data);
    return status;
}

static bool has_errors(ob_report *report) {
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info finding;
        if (ob_report_finding(report, i, &finding) == OB_OK && finding.severity == OB_SEVERITY_ERROR) return true;
    }
    return false;
}

static void wrong(const ob_op *op, const char *text, bool hidden, const char *what, const char *message) {
    printf("%s%s%s-%d, %s%s: %s: %s\n", op->domain, op->domain[0] ? "." : "", op->name, op->since, text,
           hidden ? ", no ranks" : "", what, message);
    n_errors++;
}

/* Not what the run met in the elements of its operands. */
static bool blames_the_model(const ob_op *op, ob_status status) {
    static const char decided_by_elements[] = " DictVectorizer ";
    char name[100];
    snprintf(name, sizeof name, " %s ", op->name);
    if (status == OB_E_ARGUMENT) return !strstr(decided_by_elements, name);
    return status == OB_E_MODEL || status == OB_E_SHAPE || status == OB_E_TYPE || status == OB_E_CONDITION;
}

static void judge(const ob_op *op, ob_model *model, const char *text, bool hidden) {
    ob_report *report = NULL;
    ob_session *session = NULL;
    ob_session_config config;
    ob_error error;
    ob_session_config_init(&config);
    config.max_memory = MAX_MEMORY;
    config.max_run_ns = MAX_MS * UINT64_C(1000000);
    ob_status checked = ob_check(model, NULL, &report, &error);
    if (checked != OB_OK) {
        wrong(op, text, hidden, "the checker fails", error.message);
        return;
    }
    const bool bad = has_errors(report);
    const ob_contract_info contract = ob_report_contract(report);
    ob_status status = ob_session_create(model, &config, &session, &error);
    if (status == OB_OK && !hidden) status = run(session, &error);
    n_altered++;
    n_ran += status == OB_OK && !hidden;
    if (status == OB_E_INTERNAL || (status == OB_E_ARGUMENT && !session))
        wrong(op, text, hidden, "the session blames itself", error.message);
    if (bad && status == OB_OK && !hidden) wrong(op, text, hidden, "it runs", "and the checker reports an error");
    if (!bad && contract.status == OB_CONTRACT_COMPLETE && contract.n_clauses == 0 && blames_the_model(op, status))
        wrong(op, text, hidden, "the checker is content", error.message);
    ob_session_close(&session);
    ob_report_close(&report);
}

static ob_node *find_node(ob_model *model, const ob_op *op) {
    for (ob_node *node = model->graph->last; node; node = node->prev)
        if (strcmp(node->op_type, op->name) == 0) return node;
    return NULL;
}

/* False: the node has no alteration of that number. */
static bool judge_alteration(const ob_op *op, const ob_text *text, int number, bool hidden) {
    ob_model *model = NULL;
    ob_load_options options;
    ob_error error;
    char what[200];
    bool nothing, more = false;
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    if (ob_model_load_memory(text->data, text->n, "sample", &options, &model, &error) != OB_OK) {
        wrong(op, "as it is", hidden, "it does not load", error.message);
        return false;
    }
    ob_node *node = find_node(model, op);
    if (node) more = alter(model, node, number, &nothing, what);
    for (uint32_t i = 0; hidden && i < model->graph->n_inputs; i++)
        model->graph->inputs[i]->declared.shape.rank = OB_RANK_UNKNOWN;
    if (more && !nothing) judge(op, model, what, hidden);
    ob_model_close(&model);
    return more;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    read_folders(argv[1]);
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        cell_case c;
        ob_text text;
        if ((argc > 2 && strcmp(op->name, argv[2]) != 0) || op->deprecated || !usual_case(op, &c)) continue;
        if (!ob__has_kernel(op) && !ob__body_of(op)) continue;
        ob__text_init(&text, NULL);
        write_model(&c, &text);
        for (int number = 0; judge_alteration(op, &text, number, false); number++)
            if (!judge_alteration(op, &text, number, true)) break;
        ob__text_release(&text);
    }
    printf("%zu altered, %zu ran, %d errors\n", n_altered, n_ran, n_errors);
    return n_errors ? 1 : 0;
}
