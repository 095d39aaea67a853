/* usage: altered SOURCE [OPERATOR]. Alters a sample of every row of the operator table: an attribute is omitted or has an
 * unexpected number, a list is shorter, or longer than any rank, an operand is omitted, ranks are unknown or above the limit of
 * a view, inputs and outputs are too few or too many. For every node, the checker, the rewriting and a session must give a
 * result or an error of the model, never an internal error. If the checker calls the contract complete, the model runs; if the
 * model runs, the checker reports no error. Deprecated rows, and rows that cannot run, are altered as well. */
#include <math.h>

#include "core/graph/graph.h"
#include "ops/body/body.h"
#include "ops/kernel/kernel.h"
#include "samples.h"

enum { MAX_OPERANDS = 24, ELEMENT_BYTES = 16 };
enum { MAX_MEMORY = 64 << 20, MAX_MS = 2000 };
static const uint32_t lengths[] = {OB_MAX_RANK - 1, OB_MAX_RANK + 1, 2 * OB_MAX_RANK + 1, 300}; /* of lists that are too long */
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static size_t n_altered, n_ran;

/* ---- Alterations ---- */

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

/* n entries: the list's entries, then 1. */
static bool lengthen(ob_model *model, ob_attribute *a, uint32_t n) {
    int64_t *ints = OB_ARENA_ARRAY(&model->arena, int64_t, n);
    float *floats = OB_ARENA_ARRAY(&model->arena, float, n);
    ob_string *strings = OB_ARENA_ARRAY(&model->arena, ob_string, n);
    must(ints && floats && strings ? ints : NULL);
    for (uint32_t i = 0; i < n; i++) {
        const bool own = i < a->n;
        ints[i] = own && a->type == OB_ATTR_INTS ? a->u.ints[i] : 1;
        floats[i] = own && a->type == OB_ATTR_FLOATS ? a->u.floats[i] : 1;
        strings[i] = own && a->type == OB_ATTR_STRINGS ? a->u.strings[i] : (ob_string){"1", 1};
    }
    if (a->type == OB_ATTR_INTS) a->u.ints = ints;
    if (a->type == OB_ATTR_FLOATS) a->u.floats = floats;
    if (a->type == OB_ATTR_STRINGS) a->u.strings = strings;
    a->n = n;
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
    if (list && which < LENGTHS) return lengthen(model, a, lengths[which]);
    if (list) which -= LENGTHS;
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

enum { MAX_CONTENTS = 10 + LENGTHS };

/* Alteration `number` of the node: 0 leaves it as it is; false: no such alteration. nothing: it changed nothing. */
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

/* Numbers of inputs and outputs that are tried: 0, one fewer than in the row, one more, many more. */
enum { COUNTS = 4 };

static uint32_t count_of(int which, int16_t least, int16_t most) {
    const uint32_t low = least > 0 ? (uint32_t)least - 1 : 0, high = most == INT16_MAX ? 3 : (uint32_t)most;
    const uint32_t counts[COUNTS] = {0, low, high + 1, high + 2 * OB_MAX_RANK};
    return counts[which];
}

static void add_choice(ob_model *model, ob_node *node, const char *name, const char *text) {
    if (ob__node_attribute(node, name)) return;
    ob_attribute *a = must(OB_ARENA_NEW(&model->arena, ob_attribute));
    *a = (ob_attribute){.name = name, .type = OB_ATTR_STRING, .n = 1, .u.s = {text, (uint32_t)strlen(text)}, .doc = ""};
    must(ob__node_set_attribute(node, a) ? a : NULL);
}

/* The graph's outputs are the remaining outputs of the node. */
static void keep_made(ob_graph *graph) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        if (graph->outputs[i]->producer) graph->outputs[kept++] = graph->outputs[i];
    graph->n_outputs = kept;
}

/* Gives the node another number of inputs, or of outputs; attributes make a kernel look at the types of its operands. */
static bool alter_count(const ob_op *op, ob_model *model, ob_node *node, int number, char text[200]) {
    if (number >= 2 * COUNTS) return false;
    const bool in = number < COUNTS;
    const uint32_t n = in ? count_of(number, op->in_min, op->in_max) : count_of(number - COUNTS, op->out_min, op->out_max);
    ob_value **values = must(OB_ARENA_ARRAY(&model->arena, ob_value *, n + 1));
    snprintf(text, 200, "%u %s", n, in ? "inputs" : "outputs");
    add_choice(model, node, "reduction", "add");
    add_choice(model, node, "mode", "linear");
    if (in) {
        for (uint32_t i = 0; i < n && node->n_inputs > 0; i++) values[i] = node->inputs[i < node->n_inputs ? i : 0];
        node->inputs = values;
        node->n_inputs = n;
        return true;
    }
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (i < n)
            values[i] = node->outputs[i];
        else if (node->outputs[i])
            node->outputs[i]->producer = NULL;
    }
    const uint32_t had = node->n_outputs;
    node->outputs = values;
    node->n_outputs = n;
    for (uint32_t i = had; i < n; i++) ob__node_set_output(node, i, must(ob__value_new_unique(model->graph, "more")));
    keep_made(model->graph);
    return true;
}

/* ---- Running it ---- */

/* Lists are ones, since they may be sizes; zeros would be refused before the count is checked. */
static bool ones;

static void fill_with_ones(const ob_view *view) {
    for (int64_t i = 0; i < ob_view_count(view); i++) {
        if (view->dtype == OB_INT64) ((int64_t *)view->data)[i] = 1;
        if (view->dtype == OB_INT32) ((int32_t *)view->data)[i] = 1;
        if (view->dtype == OB_FLOAT) ((float *)view->data)[i] = 1;
    }
}

static ob_status run(ob_session *session, ob_error *error) {
    ob_view inputs[MAX_OPERANDS] = {0}, outputs[MAX_OUTPUTS] = {0};
    const ob_cell *cells[MAX_OUTPUTS];
    size_t n = ob_session_input_count(session), made = 0;
    ob_status status = OB_OK;
    for (; made < n && status == OB_OK; made++) {
        status = ob_session_input_view(session, made, NULL, &inputs[made], error);
        if (status == OB_OK) inputs[made].data = must(calloc((size_t)ob_view_count(&inputs[made]) + 1, ELEMENT_BYTES));
        if (status == OB_OK && ones) fill_with_ones(&inputs[made]);
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

/* Does the failure blame the model, and not the elements of the operands? */
static bool blames_the_model(const ob_op *op, ob_status status) {
    static const char decided_by_elements[] = " DictVectorizer ";
    char name[100];
    snprintf(name, sizeof name, " %s ", op->name);
    if (status == OB_E_ARGUMENT) return !strstr(decided_by_elements, name);
    return status == OB_E_MODEL || status == OB_E_SHAPE || status == OB_E_TYPE || status == OB_E_CONDITION;
}

/* `compares`: a session must refuse if the checker reports an error. Not if sizes differ from the sample's, because a body may
 * declare other sizes. If the checker reports no error, the run is always compared. */
static void judge(const ob_op *op, ob_model *model, const char *text, bool hidden, bool compares) {
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
    if (compares && bad && status == OB_OK && !hidden) wrong(op, text, hidden, "it runs", "and the checker reports an error");
    const bool decided = contract.status == OB_CONTRACT_COMPLETE && contract.n_clauses == 0 && contract.n_bounds == 0;
    if (!bad && decided && blames_the_model(op, status)) wrong(op, text, hidden, "the checker is content", error.message);
    ob_session_close(&session);
    ob_report_close(&report);
    status = ob_rewrite(model, (ob_form)(n_altered % OB_FORM_COUNT), NULL, NULL, &error);
    if (status == OB_E_INTERNAL) wrong(op, text, hidden, "the rewriting blames itself", error.message);
}

/* A number of operands that the row does not admit: always an error of the model. */
static void judge_count(const ob_op *op, ob_model *model, const ob_node *node, const char *text) {
    ob_report *report = NULL;
    ob_session *session = NULL;
    ob_error error;
    const bool fits = ob__op_takes(op, node->n_inputs) && ob__op_gives(op, node->n_outputs);
    if (ob_check(model, NULL, &report, &error) != OB_OK) {
        wrong(op, text, false, "the checker fails", error.message);
        return;
    }
    if (!fits && !has_errors(report)) wrong(op, text, false, "the checker is content", "the number of operands is wrong");
    ob_report_close(&report);
    const ob_status status = ob_session_create(model, NULL, &session, &error);
    if (!fits && status != OB_E_MODEL) wrong(op, text, false, "the session says", error.message);
    if (status == OB_E_INTERNAL) wrong(op, text, false, "the session blames itself", error.message);
    ob_session_close(&session);
    n_altered++;
    if (ob_rewrite(model, (ob_form)(n_altered % OB_FORM_COUNT), NULL, NULL, &error) == OB_E_INTERNAL)
        wrong(op, text, false, "the rewriting blames itself", error.message);
}

static ob_node *find_node(ob_model *model, const ob_op *op) {
    for (ob_node *node = model->graph->last; node; node = node->prev)
        if (strcmp(node->op_type, op->name) == 0) return node;
    return NULL;
}

static ob_model *load(const ob_op *op, const ob_text *text) {
    ob_model *model = NULL;
    ob_load_options options;
    ob_error error;
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    if (ob_model_load_memory(text->data, text->n, "sample", &options, &model, &error) == OB_OK) return model;
    wrong(op, "as it is", false, "it does not load", error.message);
    return NULL;
}

/* False: the node has no alteration of that number. */
static bool judge_alteration(const ob_op *op, const ob_text *text, int number, bool hidden) {
    ob_model *model = load(op, text);
    char what[200];
    bool nothing = false, more = false;
    if (!model) return false;
    ob_node *node = find_node(model, op);
    if (node) more = alter(model, node, number, &nothing, what);
    for (uint32_t i = 0; hidden && i < model->graph->n_inputs; i++)
        model->graph->inputs[i]->declared.shape.rank = OB_RANK_UNKNOWN;
    if (more && !nothing) judge(op, model, what, hidden, true);
    ob_model_close(&model);
    return more;
}

static bool judge_counts(const ob_op *op, const ob_text *text, int number) {
    ob_model *model = load(op, text);
    char what[200];
    if (!model) return false;
    ob_node *node = find_node(model, op);
    const bool more = node && alter_count(op, model, node, number, what);
    if (more) judge_count(op, model, node, what);
    ob_model_close(&model);
    return more;
}

/* ---- Operands that are longer lists, or have more axes, than the limits of the code that reads them ---- */

enum { AS_CONSTANT, AS_INPUT, AS_RANK, WAYS, AS_SIZE = WAYS };
enum { SIZES = 5, MAX_AXES = 6 }; /* sizes that an axis is given instead of its own */

/* A new field for operand `index`. */
static void write_long(const cell_case *c, uint32_t index, const char *field, uint32_t n, int way, ob_text *to) {
    const size_t prefix = (size_t)(strchr(field, '[') - field);
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)prefix, field);
    const ob_dtype type = prefix > 0 ? ob_dtype_from_name(name) : operand_type(c, index);
    ob__text_printf(to, way == AS_RANK ? "%s[1" : "%s[%u]", name, n);
    for (uint32_t i = 1; i < n && way == AS_RANK; i++) ob__text_puts(to, ",1");
    if (way == AS_RANK) ob__text_puts(to, "]");
    for (uint32_t i = 0; i < n && way == AS_CONSTANT; i++) {
        ob__text_puts(to, i ? "," : "{");
        put_element(to, type);
    }
    if (way == AS_CONSTANT) ob__text_puts(to, "}");
}

/* A change of an operand: made long, or another size along an axis. */
typedef struct resizing {
    uint32_t index; /* of the operand */
    int way;        /* of those above, or AS_SIZE */
    uint32_t n;     /* long: elements or axes; otherwise the number of the size that is tried */
    int axis;
} resizing;

/* The field with another size along the axis; given elements become the same number of ones. False: no such axis or no such
 * size. */
static bool write_sized(const cell_case *c, const resizing *r, const char *field, ob_text *to) {
    const char *at = strchr(field, '[') + 1;
    char prefix[32];
    int64_t count = 1;
    bool found = false;
    snprintf(prefix, sizeof prefix, "%.*s", (int)(at - 1 - field), field);
    const ob_dtype type = prefix[0] ? ob_dtype_from_name(prefix) : operand_type(c, r->index);
    ob__text_printf(to, "%s[", prefix);
    for (int axis = 0; *at && *at != ']'; axis++) {
        char *end;
        int64_t size = strtoll(at, &end, 10);
        if (end == at) return false;
        if (axis == r->axis) {
            const int64_t sizes[SIZES] = {0, 1, size + 1, 2 * size, size - 1};
            found = sizes[r->n] != size && sizes[r->n] >= 0;
            size = sizes[r->n];
        }
        ob__text_printf(to, "%s%lld", axis ? "," : "", (long long)size);
        count *= size;
        at = *end == ',' ? end + 1 : end;
    }
    ob__text_puts(to, "]");
    if (strchr(field, '{')) {
        ob__text_puts(to, "{");
        for (int64_t i = 0; i < count; i++) {
            ob__text_puts(to, i ? "," : "");
            put_element(to, type);
        }
        ob__text_puts(to, "}");
    }
    return found;
}

/* The sample with one operand changed; false: it has no such operand. nothing: the operand cannot be changed. */
static bool resize_operand(const cell_case *c, const resizing *r, bool *nothing, ob_text *operands) {
    char *all = must(strdup(c->s->operands)), *rest = all[0] ? all : NULL;
    bool found = false;
    *nothing = true;
    for (uint32_t i = 0; rest; i++) {
        const char *field = next_field(&rest, ';');
        if (i > 0) ob__text_puts(operands, "; ");
        found = found || i == r->index;
        if (i != r->index || !strchr(field, '[')) {
            ob__text_puts(operands, field);
        } else if (r->way == AS_SIZE) {
            *nothing = !write_sized(c, r, field, operands);
        } else {
            write_long(c, i, field, r->n, r->way, operands);
            *nothing = false;
        }
    }
    free(all);
    return found;
}

static bool judge_resized(const cell_case *c, const resizing *r) {
    static const char *const ways[] = {"ones", "ones at run time", "axes"};
    ob_text operands, text;
    bool nothing;
    char what[200];
    ob__text_init(&operands, NULL);
    ob__text_puts(&operands, "");
    const bool found = resize_operand(c, r, &nothing, &operands);
    if (found && !nothing) {
        sample changed = *c->s;
        changed.operands = operands.data;
        cell_case other = *c;
        other.s = &changed;
        ob__text_init(&text, NULL);
        write_model(&other, &text);
        ob_model *model = load(c->op, &text);
        if (r->way == AS_SIZE)
            snprintf(what, sizeof what, "operands %.150s", operands.data);
        else
            snprintf(what, sizeof what, "operand %u of %u %s", r->index, r->n, ways[r->way]);
        ones = true;
        if (model) judge(c->op, model, what, false, false);
        ones = false;
        ob_model_close(&model);
        ob__text_release(&text);
    }
    ob__text_release(&operands);
    return found;
}

static void judge_longs(const cell_case *c) {
    bool found = true;
    for (uint32_t index = 0; found; index++)
        for (int way = 0; way < WAYS; way++)
            for (int i = 0; i < LENGTHS; i++)
                if (way != AS_RANK || lengths[i] < 100) found = judge_resized(c, &(resizing){index, way, lengths[i], 0});
}

static void judge_sizes(const cell_case *c) {
    bool found = true;
    for (uint32_t index = 0; found; index++)
        for (int axis = 0; axis < MAX_AXES; axis++)
            for (uint32_t size = 0; size < SIZES; size++) found = judge_resized(c, &(resizing){index, AS_SIZE, size, axis});
}

/* ---- All rows ---- */

/* For a row without a sample: the number of operands that it requires. */
static cell_case made_case(const ob_op *op, sample *s, char operands[200]) {
    cell_case c = {.op = op, .s = s};
    operands[0] = '\0';
    for (int i = 0; i < op->in_min && i < 20; i++) strcat(operands, i ? "; [2]" : "[2]");
    *s = (sample){
        .names = (char *)"", .operands = operands, .attributes = (char *)"", .nodes = (char *)"", .first = 1, .last = 99};
    for (int letter = 0; letter < LETTERS; letter++) c.types[letter] = usual_type(types_of(op, letter));
    return c;
}

static void judge_row(const ob_op *op) {
    const bool can_run = !op->deprecated && (ob__has_kernel(op) || ob__body_of(op));
    char operands[200];
    cell_case c;
    sample own;
    ob_text text;
    const bool has_sample = usual_case(op, &c);
    if (!has_sample) c = made_case(op, &own, operands);
    ob__text_init(&text, NULL);
    write_model(&c, &text);
    for (int number = 0; judge_counts(op, &text, number);) number++;
    for (int number = 0; has_sample && can_run && judge_alteration(op, &text, number, false); number++)
        if (!judge_alteration(op, &text, number, true)) break;
    if (has_sample) judge_longs(&c);
    if (has_sample) judge_sizes(&c);
    ob__text_release(&text);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    read_folders(argv[1]);
    for (size_t i = 0; i < ob__op_count(); i++)
        if (argc < 3 || strcmp(ob__op_at(i)->name, argv[2]) == 0) judge_row(ob__op_at(i));
    printf("%zu altered, %zu ran, %d errors\n", n_altered, n_ran, n_errors);
    return n_errors ? 1 : 0;
}
