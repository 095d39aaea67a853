/* A fused group as a model in ONNX's text form: the attribute `program` of its calls. A runtime with a kernel for the call reads
 * it, because it cannot see the body of the function. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number_text.h"
#include "onnx_broadcast/dim.h"
#include "passes/optimize/match.h"
#include "passes/rewrite/fused.h"

/* ---- Parts of the text ---- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A name; with_dots: names joined by dots, as of domains. */
static bool is_name(const char *text, bool with_dots) {
    bool begin = true;
    if (!*text) return false;
    for (; *text; text++) {
        if (!is_letter(*text) && (begin || *text < '0' || *text > '9') && !(with_dots && !begin && *text == '.')) return false;
        begin = *text == '.';
    }
    return !begin;
}

static bool is_plain(const ob_string *string) {
    for (size_t i = 0; i < string->n; i++)
        if (string->data[i] < ' ' || string->data[i] > '~' || string->data[i] == '"' || string->data[i] == '\\') return false;
    return true;
}

static bool write_real(ob_text *text, double number, bool is_float) {
    char digits[OB_NUMBER_TEXT_MAX];
    if (!isfinite(number)) return false;
    ob__text_append(text, digits, ob__format_real(number, is_float, digits));
    return true;
}

static bool write_reals(ob_text *text, const float *numbers, uint32_t n) {
    bool exact = true;
    ob__text_puts(text, "[");
    for (uint32_t i = 0; i < n; i++) {
        if (i) ob__text_puts(text, ", ");
        exact &= write_real(text, (double)numbers[i], true);
    }
    ob__text_puts(text, "]");
    return exact;
}

static void write_ints(ob_text *text, const int64_t *numbers, uint32_t n) {
    ob__text_puts(text, "[");
    for (uint32_t i = 0; i < n; i++) ob__text_printf(text, "%s%lld", i ? ", " : "", (long long)numbers[i]);
    ob__text_puts(text, "]");
}

static bool write_attribute(ob_text *text, const ob_attribute *a) {
    if (!is_name(a->name, false)) return false;
    ob__text_puts(text, a->name);
    switch (a->type) {
    case OB_ATTR_FLOAT: ob__text_puts(text, ": float = "); return write_real(text, (double)a->u.f, true);
    case OB_ATTR_INT: ob__text_printf(text, ": int = %lld", (long long)a->u.i); return true;
    case OB_ATTR_STRING:
        if (!is_plain(&a->u.s)) return false;
        ob__text_puts(text, ": string = \"");
        ob__text_append(text, a->u.s.data, a->u.s.n);
        ob__text_puts(text, "\"");
        return true;
    case OB_ATTR_FLOATS: ob__text_puts(text, ": floats = "); return write_reals(text, a->u.floats, a->n);
    case OB_ATTR_INTS:
        ob__text_puts(text, ": ints = ");
        write_ints(text, a->u.ints, a->n);
        return true;
    default: return false;
    }
}

/* ---- The body ---- */

static bool write_node(const ob_fused *fused, uint32_t at, ob_text *text) {
    const ob_node *node = fused->nodes[at];
    if (node->overload[0] || !is_name(node->op_type, false) || (node->domain[0] && !is_name(node->domain, true))) return false;
    if (at + 1 < fused->n)
        ob__text_printf(text, "  t%u = ", (unsigned)at);
    else
        ob__text_puts(text, "  y = ");
    ob__text_puts(text, node->domain);
    if (node->domain[0]) ob__text_puts(text, ".");
    ob__text_puts(text, node->op_type);
    for (uint32_t k = 0; k < node->n_attributes; k++) {
        ob__text_puts(text, k ? ", " : " <");
        if (!write_attribute(text, node->attributes[k])) return false;
    }
    ob__text_puts(text, node->n_attributes ? "> (" : " (");
    for (uint32_t k = 0; k < node->n_inputs; k++) {
        const int32_t maker = node->inputs[k] ? ob__fused_maker(fused, node->inputs[k]) : OB_FUSED_OUTSIDE;
        if (k) ob__text_puts(text, ", ");
        if (maker != OB_FUSED_OUTSIDE)
            ob__text_printf(text, "t%d", (int)maker);
        else if (node->inputs[k])
            ob__text_printf(text, "x%u", (unsigned)ob__fused_operand(fused, node->inputs[k]));
    }
    ob__text_puts(text, ")\n");
    return true;
}

bool ob__fused_body(const ob_fused *fused, ob_text *text) {
    for (uint32_t i = 0; i < fused->n; i++)
        if (!write_node(fused, i, text)) return false;
    return !text->failed;
}

/* ---- The model around it ---- */

/* Sizes that have a name so far. */
typedef struct sizes {
    ob_dim dims[OB_GROUP_OPERANDS * OB_MAX_RANK];
    unsigned n;
} sizes;

static void write_type(ob_text *text, sizes *s, ob_dtype dtype, const ob_shape *shape) {
    ob__text_puts(text, ob_dtype_name(dtype));
    for (int32_t a = 0; a < shape->rank; a++) {
        const ob_dim d = shape->dims[a];
        ob__text_puts(text, a ? "," : "[");
        if (ob_dim_is_const(d)) {
            ob__text_printf(text, "%lld", (long long)d);
            continue;
        }
        unsigned k = 0;
        while (k < s->n && s->dims[k] != d) k++;
        if (k == s->n) s->dims[s->n++] = d;
        ob__text_printf(text, "s%u", k);
    }
    if (shape->rank > 0) ob__text_puts(text, "]");
}

static bool write_element(ob_text *text, const ob_tensor *tensor, int64_t i) {
    const char *at = (const char *)tensor->data + (size_t)i * ob_dtype_size(tensor->dtype);
    float f;
    double d;
    int64_t wide;
    int32_t narrow;
    switch (tensor->dtype) {
    case OB_FLOAT: memcpy(&f, at, sizeof f); return write_real(text, (double)f, true);
    case OB_DOUBLE: memcpy(&d, at, sizeof d); return write_real(text, d, false);
    case OB_INT64: memcpy(&wide, at, sizeof wide); break;
    case OB_INT32: memcpy(&narrow, at, sizeof narrow), wide = narrow; break;
    default: return false;
    }
    ob__text_printf(text, "%lld", (long long)wide);
    return true;
}

/* The operand as an initializer: *n is the number of those before. False: it stays an input. */
static bool write_constant(ob_text *text, sizes *s, const ob_value *value, uint32_t operand, uint32_t *n) {
    enum { FEW = 8 };
    const ob_tensor *tensor = ob__constant_of(value);
    if (!tensor || tensor->n_elems > FEW || tensor->rank > 1) return false;
    const size_t before = text->n;
    ob__text_puts(text, *n ? ", " : " <");
    write_type(text, s, tensor->dtype, &(ob_shape){tensor->rank, tensor->dims});
    ob__text_printf(text, " x%u = {", (unsigned)operand);
    bool exact = true;
    for (int64_t i = 0; i < tensor->n_elems && exact; i++) {
        if (i) ob__text_puts(text, ", ");
        exact = write_element(text, tensor, i);
    }
    ob__text_puts(text, "}");
    if (exact)
        ++*n;
    else if (!text->failed)
        text->data[text->n = before] = '\0';
    return exact;
}

static void write_imports(ob_text *text, const ob_fused *fused) {
    const ob_graph *graph = fused->nodes[0]->graph;
    for (uint32_t i = 0; i < fused->n; i++) {
        const char *domain = fused->nodes[i]->domain;
        uint32_t k = 0;
        while (strcmp(fused->nodes[k]->domain, domain) != 0) k++;
        if (k == i) ob__text_printf(text, "%s\"%s\" : %lld", i ? ", " : "", domain, (long long)ob__graph_opset(graph, domain));
    }
}

bool ob__fused_program(const ob_fused *fused, const ob_facts *facts, const char *body, ob_text *text) {
    ob_text constants;
    sizes *s = calloc(1, sizeof *s);
    if (!s) return false;
    uint32_t n_inputs = 0, n_constants = 0;
    ob__text_init(&constants, &text->allocator);
    ob__text_puts(text, "<ir_version: 8, opset_import: [");
    write_imports(text, fused);
    ob__text_puts(text, "]>\nfused (");
    for (uint32_t k = 0; k < fused->n_operands; k++) {
        const ob_type *type = &ob__fact(facts, fused->operands[k])->type;
        if (write_constant(&constants, s, fused->operands[k], k, &n_constants)) continue;
        if (n_inputs++) ob__text_puts(text, ", ");
        write_type(text, s, type->dtype, &type->shape);
        ob__text_printf(text, " x%u", (unsigned)k);
    }
    free(s);
    ob__text_puts(text, ") => (y)");
    if (n_constants) ob__text_puts(text, constants.data ? constants.data : "");
    ob__text_puts(text, n_constants ? "> {\n" : " {\n");
    ob__text_puts(text, body);
    ob__text_puts(text, "}\n");
    const bool ok = !text->failed && !constants.failed;
    ob__text_release(&constants);
    return ok;
}
