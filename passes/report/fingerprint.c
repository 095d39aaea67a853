/* The identity of a finding: a digest of the facts that make it the same finding after edits elsewhere in the model. These are
 * its id, the operator, the path and the name of the node, operand, axis, the operands' shapes, and its condition. Position,
 * wording, examples and counts are left out, and so are the numbers of sizes that have no name.
 *
 * A node without a name, or with one that the exporter counted ("Add_50"), would change its name with every edit before it. Its
 * place is taken by its operands: names of inputs, shapes of weights, operators of the nodes that make them, a few levels deep.
 */
#include <string.h>

#include "core/base/sha256.h"
#include "core/dims/terms.h"
#include "onnx_broadcast/target.h"
#include "passes/check/names.h"
#include "passes/report/report.h"

enum { LEVELS = 3, MOST_OPERANDS = 4 /* of a node that is described */, TERM_BYTES = 1000 };

/* ---- Sizes ---- */

/* "?12" becomes "?": such numbers are given in the order of inference. */
static void add_without_numbers(ob_text *text, const char *term) {
    for (const char *at = term; *at;) {
        ob__text_append(text, at, 1);
        if (*at++ == '?') at += strspn(at, "0123456789");
    }
}

static void add_dim(ob_text *text, const ob_dims *dims, ob_dim dim) {
    char term[TERM_BYTES];
    ob__dim_shown(dims, dim, term, sizeof term);
    add_without_numbers(text, term);
    ob__text_puts(text, ",");
}

static void add_shape(ob_text *text, const ob_dims *dims, const ob_shape *shape) {
    ob__text_puts(text, shape->rank == OB_RANK_UNKNOWN ? "(?" : "(");
    for (int32_t i = 0; i < shape->rank; i++) add_dim(text, dims, shape->dims[i]);
    ob__text_puts(text, ")");
}

/* ---- Nodes ---- */

static bool is_digits(const char *text) {
    return text[strspn(text, "0123456789")] == '\0';
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Empty, a number, or the operator with a number: "Add_50", "node_add_3". */
static bool is_counted(const ob_node *node) {
    static const char prefix[] = "node_";
    const char *name = node->name, *op = node->op_type;
    if (is_digits(name)) return true;
    if (strncmp(name, prefix, sizeof prefix - 1) == 0) name += sizeof prefix - 1;
    for (; *op; op++, name++)
        if (lower(*op) != lower(*name)) return false;
    return is_digits(*name == '_' ? name + 1 : name);
}

static void add_name(ob_text *text, const char *name) {
    size_t n = ob__name_length(name);
    char both_ends[OB_NAME_IN_TEXT];
    ob__text_append(text, both_ends, ob__shorten(both_ends, name, n, sizeof both_ends));
    ob__text_puts(text, "\n");
}

static void add_operands(ob_text *text, const ob_report *report, const ob_node *node, int levels);

static void add_value(ob_text *text, const ob_report *report, const ob_value *value, int levels) {
    if (!value) {
        ob__text_puts(text, "-");
    } else if (value->producer) {
        add_name(text, value->producer->op_type);
        if (levels > 0) add_operands(text, report, value->producer, levels - 1);
    } else if (value->is_initializer) {
        ob__text_printf(text, "weight %d", (int)value->declared.dtype);
        if (value->declared.kind == OB_TYPE_TENSOR) add_shape(text, report->model->dims, &value->declared.shape);
    } else {
        add_name(text, value->name);
    }
    ob__text_puts(text, ";");
}

static void add_operands(ob_text *text, const ob_report *report, const ob_node *node, int levels) {
    ob__text_printf(text, "[%u:", node->n_inputs);
    for (uint32_t i = 0; i < node->n_inputs && i < MOST_OPERANDS; i++) add_value(text, report, node->inputs[i], levels);
    ob__text_puts(text, "]");
}

static void add_node(ob_text *text, const ob_report *report, const ob_node *node) {
    add_name(text, node->domain);
    add_name(text, node->op_type);
    if (is_counted(node))
        add_operands(text, report, node, LEVELS);
    else
        add_name(text, node->name);
}

/* ---- The whole ---- */

/* The numbers of a sentence about a finding without shapes, outside quotes and names: "axis 5 is out of range for rank 3". */
static void add_numbers(ob_text *text, const char *message) {
    static const char in_names[] = "_.[?/-";
    char quote = '\0', before = ' ';
    for (const char *at = message; *at; before = *at++) {
        if (*at == '"' || *at == '\'') quote = quote == *at ? '\0' : quote ? quote : *at;
        bool digit = *at >= '0' && *at <= '9', inside = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z');
        if (quote || !digit || inside || (before && strchr(in_names, before))) continue;
        size_t n = strspn(at, "0123456789");
        ob__text_append(text, at, n);
        ob__text_puts(text, ",");
        at += n - 1;
    }
}

static void describe(ob_text *text, const ob_report *report, const ob_finding *finding) {
    const ob_dims *dims = report->model->dims;
    const ob_node *node = finding->node;
    ob__text_printf(text, "%s\n", ob__finding_row(finding->id)->name);
    add_name(text, finding->call_path ? finding->call_path : "");
    if (node)
        add_node(text, report, node);
    else if (finding->value)
        add_name(text, finding->value->name);
    ob__text_printf(text, "\n%d %d\n", (int)finding->operand, (int)finding->axis);
    for (uint32_t i = 0; finding->operands && i < finding->n_operands; i++) add_shape(text, dims, &finding->operands[i]);
    ob__text_puts(text, "\n");
    if (finding->rule) ob__text_printf(text, "%s %s\n", finding->rule->target, finding->rule->what);
    if (finding->condition) {
        char condition[TERM_BYTES];
        ob__condition_shown(dims, finding->condition, condition, sizeof condition);
        add_without_numbers(text, condition);
    } else if (!finding->operands || finding->n_operands == 0) {
        add_numbers(text, finding->message);
    }
}

ob_status ob__finding_fingerprint(ob_report *report, const ob_finding *finding, char out[OB_FINGERPRINT_BYTES]) {
    ob_dims *dims = report->model->dims;
    struct ob_long_names *long_names = dims->long_names; /* their numbers depend on what was printed before */
    const size_t longest = dims->longest_name;
    ob_text *text = &report->key;
    text->n = 0;
    dims->long_names = NULL;
    dims->longest_name = OB_NAME_IN_TEXT;
    describe(text, report, finding);
    dims->long_names = long_names;
    dims->longest_name = longest;
    if (text->failed) return OB_E_MEMORY;
    ob__sha256_hex(text->data, text->n, out, OB_FINGERPRINT_BYTES - 1);
    return OB_OK;
}
