/* Reads the text of a body and writes its nodes in the same pass. The branch of an `if` that is not taken is read but not
 * written. */
#include "ops/body/read.h"

#include <string.h>

#include "core/base/error.h"

/* ---- Expressions ---- */

static ob_status read_sum(ob_body_reader *r, ob_term *out);

static ob_status write_call(ob_body_reader *r, ob_body_call *call, ob_term *out) {
    return r->skips ? OB_OK : ob__body_write(&r->writer, call, out);
}

/* The right side of `name =` in brackets: an attribute of the call, of any kind, or its default; a text; a number or a list. If
 * nothing is set, the attribute is left out. */
typedef struct attribute_value {
    const ob_attribute *given;
    const char *text;
    ob_term term;
} attribute_value;

static ob_status read_named_value(ob_body_reader *r, ob_term *out) {
    int64_t whole = OB_NONE;
    char type[OB_BODY_NAME + 1];
    if (ob__body_take_word(r, "type")) {
        OB_TRY(ob__body_operand_type(r, &whole));
    } else if (ob__body_take_word(r, "dim")) {
        OB_TRY(ob__body_operand_size(r, &whole));
    } else if (ob__body_take_word(r, "moved")) {
        return ob__body_moved_axes(r, out);
    } else if (ob__body_take_word(r, "inverse")) {
        return ob__body_inverse(r, out);
    } else {
        OB_TRY(ob__body_take_name(r, type));
        whole = ob_dtype_from_name(type);
        if (whole == OB_NONE) return ob__body_wrong(r, "no element type");
    }
    *out = ob__whole_term(whole);
    return OB_OK;
}

static ob_status read_value(ob_body_reader *r, attribute_value *out) {
    *out = (attribute_value){0};
    if (ob__body_next_is(r, "\"")) return ob__body_take_text(r, &out->text);
    if (ob__body_next_is(r, "[")) return ob__body_take_list(r, &out->term);
    if (ob__body_next_is(r, "@")) {
        const ob_body_attribute *from;
        OB_TRY(ob__body_take_attribute(r, &from));
        *out = (attribute_value){ob__node_attribute(r->writer.call, from->name), from->text, from->otherwise};
        return OB_OK;
    }
    if (ob__body_next_is_name(r)) return read_named_value(r, &out->term);
    bool negative = ob__body_take(r, "-");
    OB_TRY(ob__body_take_number(r, &out->term));
    if (negative) out->term.number = -out->term.number, out->term.whole = -out->term.whole;
    return OB_OK;
}

static ob_status fill_attribute(ob_arena *arena, const attribute_value *value, ob_attribute *to) {
    const ob_term *term = &value->term;
    to->n = 1;
    if (value->given) {
        *to = *value->given;
    } else if (value->text) {
        to->type = OB_ATTR_STRING;
        to->u.s = (ob_string){value->text, strlen(value->text)};
    } else if (term->list) {
        int64_t *kept = OB_ARENA_ARRAY(arena, int64_t, term->n + 1u);
        if (!kept) return OB_E_MEMORY;
        memcpy(kept, term->list, term->n * sizeof *kept);
        to->type = OB_ATTR_INTS;
        to->u.ints = kept;
        to->n = term->n;
    } else if (term->is_whole) {
        to->type = OB_ATTR_INT;
        to->u.i = term->whole;
    } else {
        to->type = OB_ATTR_FLOAT;
        to->u.f = (float)term->number;
    }
    return OB_OK;
}

static ob_status read_attribute(ob_body_reader *r, const char *name, ob_body_call *call) {
    ob_model *model = r->writer.call->graph->model;
    attribute_value value;
    OB_TRY(read_value(r, &value));
    if (!value.given && !value.text && !value.term.is_literal) return OB_OK;
    if (call->n_attributes == OB_BODY_OPERANDS) return ob__body_wrong(r, "too many attributes");
    ob_attribute *to = OB_ARENA_NEW(&model->arena, ob_attribute);
    if (!to) return OB_E_MEMORY;
    OB_TRY(fill_attribute(&model->arena, &value, to));
    to->name = ob__intern(model, name, strlen(name));
    if (!to->name) return OB_E_MEMORY;
    call->attributes[call->n_attributes++] = to;
    return OB_OK;
}

/* Operands and attributes up to the closing bracket. */
static ob_status read_operands(ob_body_reader *r, ob_body_call *call) {
    while (!ob__body_take(r, ")")) {
        const char *back = r->at;
        char name[OB_BODY_NAME + 1];
        bool is_attribute = false;
        if (ob__body_next_is_name(r)) {
            OB_TRY(ob__body_take_name(r, name));
            is_attribute = ob__body_take(r, "=");
            if (!is_attribute) r->at = back;
        }
        if (is_attribute) {
            OB_TRY(read_attribute(r, name, call));
        } else {
            if (call->n_in == OB_BODY_OPERANDS) return ob__body_wrong(r, "too many operands");
            if (!ob__body_next_is(r, ",")) OB_TRY(read_sum(r, &call->in[call->n_in]));
            call->n_in++;
        }
        if (!ob__body_take(r, ",") && !ob__body_next_is(r, ")")) return ob__body_wrong(r, ") is missing");
    }
    return OB_OK;
}

/* The rest of an operator's name, whose first part was taken: "com.microsoft.QLinearAdd" has a domain. */
static ob_status read_operator(ob_body_reader *r, const char *first, ob_body_call *call) {
    char part[OB_BODY_NAME + 1];
    call->domain = "";
    call->op_type = ob__arena_strndup(r->writer.scratch, first, strlen(first));
    while (call->op_type && ob__body_take(r, ".")) {
        OB_TRY(ob__body_take_name(r, part));
        call->domain = ob__arena_printf(r->writer.scratch, "%s%s%s", call->domain, call->domain[0] ? "." : "", call->op_type);
        if (!call->domain) return OB_E_MEMORY;
        call->op_type = ob__arena_strndup(r->writer.scratch, part, strlen(part));
    }
    return call->op_type ? OB_OK : OB_E_MEMORY;
}

/* A call of an operator with n_out results. */
static ob_status read_call(ob_body_reader *r, const char *name, uint32_t n_out, ob_term *out) {
    ob_body_call *call = OB_ARENA_NEW(r->writer.scratch, ob_body_call);
    if (!call) return OB_E_MEMORY;
    OB_TRY(read_operator(r, name, call));
    call->n_out = n_out;
    OB_TRY(ob__body_expect(r, "("));
    OB_TRY(read_operands(r, call));
    return write_call(r, call, out);
}

static ob_status read_primary(ob_body_reader *r, ob_term *out) {
    if (ob__body_take(r, "(")) {
        OB_TRY(read_sum(r, out));
        return ob__body_expect(r, ")");
    }
    if (ob__body_next_is(r, "[")) return ob__body_take_list(r, out);
    if (ob__body_next_is(r, "@")) {
        const ob_body_attribute *attribute;
        OB_TRY(ob__body_take_attribute(r, &attribute));
        OB_TRY(ob__body_attribute_term(r, attribute, out));
        if (r->skips || out->is_literal) return OB_OK;
        OB_FAIL_IF(ob__node_attribute(r->writer.call, attribute->name), r->writer.error, OB_E_MODEL,
                   "attribute %s is not a number", attribute->name);
        return ob__body_wrong(r, "an attribute without a number");
    }
    if (!ob__body_next_is_name(r)) return ob__body_take_number(r, out);
    char name[OB_BODY_NAME + 1];
    OB_TRY(ob__body_take_name(r, name));
    if (strcmp(name, "rank") == 0 && ob__body_next_is(r, "(")) {
        int64_t rank;
        OB_TRY(ob__body_operand_rank(r, &rank));
        *out = ob__whole_term(rank);
        return OB_OK;
    }
    if (ob__body_next_is(r, "(") || ob__body_next_is(r, ".")) return read_call(r, name, 1, out);
    const ob_body_name *known = ob__body_find_name(r, name);
    if (!known) return r->skips ? OB_OK : ob__body_wrong(r, "an unknown name");
    *out = known->term;
    return OB_OK;
}

static ob_status read_factor(ob_body_reader *r, ob_term *out) {
    if (!ob__body_take(r, "-")) return read_primary(r, out);
    OB_TRY(read_factor(r, out));
    if (out->is_literal && !out->list && !out->reals) {
        out->number = -out->number;
        out->whole = -out->whole;
        return OB_OK;
    }
    ob_body_call call = {.op_type = "Neg", .in = {*out}, .n_in = 1, .n_out = 1};
    return write_call(r, &call, out);
}

static double calculated(char sign, double a, double b) {
    return sign == '+' ? a + b : sign == '-' ? a - b : sign == '*' ? a * b : a / b;
}

static ob_status combine(ob_body_reader *r, char sign, ob_term *left, const ob_term *right) {
    if (left->is_literal && right->is_literal) {
        if (left->list || right->list || left->reals || right->reals) return ob__body_wrong(r, "there is no arithmetic on lists");
        bool whole = left->is_whole && right->is_whole && sign != '/';
        double number = calculated(sign, left->number, right->number);
        if (whole) {
            *left = ob__whole_term((int64_t)number);
        } else {
            *left = (ob_term){.is_literal = true, .number = number};
        }
        return OB_OK;
    }
    const char *op_type = sign == '+' ? "Add" : sign == '-' ? "Sub" : sign == '*' ? "Mul" : "Div";
    ob_body_call call = {.op_type = op_type, .in = {*left, *right}, .n_in = 2, .n_out = 1};
    return write_call(r, &call, left);
}

static ob_status read_product(ob_body_reader *r, ob_term *out) {
    OB_TRY(read_factor(r, out));
    while (ob__body_next_is(r, "*") || ob__body_next_is(r, "/")) {
        ob_term right = {0};
        char sign = *r->at++;
        OB_TRY(read_factor(r, &right));
        OB_TRY(combine(r, sign, out, &right));
    }
    return OB_OK;
}

static ob_status read_sum(ob_body_reader *r, ob_term *out) {
    if (++r->depth > OB_BODY_DEPTH) return ob__body_wrong(r, "too deep");
    OB_TRY(read_product(r, out));
    while (ob__body_next_is(r, "+") || ob__body_next_is(r, "-")) {
        ob_term right = {0};
        char sign = *r->at++;
        OB_TRY(read_product(r, &right));
        OB_TRY(combine(r, sign, out, &right));
    }
    r->depth--;
    return OB_OK;
}

/* ---- Statements ---- */

static ob_status read_block(ob_body_reader *r);

static ob_status read_if(ob_body_reader *r) {
    bool holds, skipped = r->skips;
    OB_TRY(ob__body_expect(r, "("));
    OB_TRY(ob__body_condition(r, &holds));
    OB_TRY(ob__body_expect(r, ")"));
    r->skips = skipped || !holds;
    OB_TRY(read_block(r));
    r->skips = skipped || holds;
    if (ob__body_take_word(r, "else")) OB_TRY(ob__body_take_word(r, "if") ? read_if(r) : read_block(r));
    r->skips = skipped;
    return OB_OK;
}

static ob_status bind(ob_body_reader *r, const char *name, ob_term *term) {
    ob_body_name *known = ob__body_find_name(r, name);
    if (!known) OB_TRY(ob__body_add_name(r, name, &known));
    const ob_node *call = r->writer.call;
    bool wanted = known->output >= 0 && (uint32_t)known->output < call->n_outputs;
    OB_TRY(ob__body_name(&r->writer, term, wanted ? call->outputs[known->output] : NULL));
    known->term = *term;
    return OB_OK;
}

static ob_status read_assignment(ob_body_reader *r) {
    enum { MOST = 8 };
    char targets[MOST][OB_BODY_NAME + 1], name[OB_BODY_NAME + 1];
    ob_term terms[MOST] = {{0}};
    uint32_t n = 0;
    do {
        if (n == MOST) return ob__body_wrong(r, "too many results");
        OB_TRY(ob__body_take_name(r, targets[n++]));
    } while (ob__body_take(r, ","));
    OB_TRY(ob__body_expect(r, "="));
    if (n == 1) {
        OB_TRY(read_sum(r, &terms[0]));
    } else {
        OB_TRY(ob__body_take_name(r, name));
        OB_TRY(read_call(r, name, n, terms));
    }
    OB_TRY(ob__body_expect(r, ";"));
    for (uint32_t i = 0; i < n && !r->skips; i++) OB_TRY(bind(r, targets[i], &terms[i]));
    return OB_OK;
}

/* Reads `refuse`, for calls that the body does not define. */
static ob_status read_refusal(ob_body_reader *r) {
    const char *text;
    OB_TRY(ob__body_take_text(r, &text));
    OB_FAIL_IF(!r->skips, r->writer.error, OB_E_UNSUPPORTED, "%s", text);
    return ob__body_expect(r, ";");
}

static ob_status read_statement(ob_body_reader *r) {
    if (ob__body_take_word(r, "if")) return read_if(r);
    return ob__body_take_word(r, "refuse") ? read_refusal(r) : read_assignment(r);
}

static ob_status read_block(ob_body_reader *r) {
    if (++r->depth > OB_BODY_DEPTH) return ob__body_wrong(r, "too deep");
    OB_TRY(ob__body_expect(r, "{"));
    while (!ob__body_take(r, "}")) OB_TRY(read_statement(r));
    r->depth--;
    return OB_OK;
}

/* ---- The head ---- */

static ob_status read_defaults(ob_body_reader *r) {
    while (!ob__body_take(r, ">")) {
        if (r->n_attributes == OB_BODY_OPERANDS) return ob__body_wrong(r, "too many attributes");
        ob_body_attribute *attribute = &r->attributes[r->n_attributes];
        OB_TRY(ob__body_take_name(r, attribute->name));
        r->n_attributes++;
        if (ob__body_take(r, "=")) {
            bool negative = ob__body_take(r, "-");
            if (ob__body_next_is(r, "\""))
                OB_TRY(ob__body_take_text(r, &attribute->text));
            else if (ob__body_next_is(r, "["))
                OB_TRY(ob__body_take_list(r, &attribute->otherwise));
            else
                OB_TRY(ob__body_take_number(r, &attribute->otherwise));
            if (!attribute->otherwise.is_whole) attribute->otherwise.number = (double)(float)attribute->otherwise.number;
            if (negative) {
                attribute->otherwise.number = -attribute->otherwise.number;
                attribute->otherwise.whole = -attribute->otherwise.whole;
            }
        }
        if (!ob__body_take(r, ",") && !ob__body_next_is(r, ">")) return ob__body_wrong(r, "> is missing");
    }
    return OB_OK;
}

static ob_status read_formals(ob_body_reader *r, bool are_inputs) {
    const ob_node *call = r->writer.call;
    char name[OB_BODY_NAME + 1];
    OB_TRY(ob__body_expect(r, "("));
    for (int32_t i = 0; !ob__body_take(r, ")"); i++) {
        ob_body_name *formal;
        OB_TRY(ob__body_take_name(r, name));
        OB_TRY(ob__body_add_name(r, name, &formal));
        if (are_inputs) {
            formal->input = i;
            if ((uint32_t)i < call->n_inputs) formal->term = (ob_term){.value = call->inputs[i], .dtype = r->in_types[i].dtype};
        } else {
            formal->output = i;
        }
        if (!ob__body_take(r, ",") && !ob__body_next_is(r, ")")) return ob__body_wrong(r, ") is missing");
    }
    return OB_OK;
}

static ob_status read_body(ob_body_reader *r) {
    if (ob__body_take(r, "<")) OB_TRY(read_defaults(r));
    OB_TRY(read_formals(r, true));
    OB_TRY(ob__body_expect(r, "->"));
    OB_TRY(read_formals(r, false));
    OB_TRY(read_block(r));
    ob__body_skip_space(r);
    if (*r->at) return ob__body_wrong(r, "more than one body");
    const ob_node *call = r->writer.call;
    for (uint32_t i = 0; i < call->n_outputs; i++)
        if (call->outputs[i] && call->outputs[i]->producer == call) return ob__body_wrong(r, "a result that nothing computes");
    return OB_OK;
}

ob_status ob__body_read_head(const ob_body *body, ob_arena *arena, ob_body_head *out, ob_error *error) {
    ob_node nobody = {.name = ""};
    ob_body_reader r = {.writer = {&nobody, arena, error}, .body = body, .at = body->text};
    r.names = OB_ARENA_ARRAY(arena, ob_body_name, OB_BODY_NAMES);
    r.attributes = OB_ARENA_ARRAY(arena, ob_body_attribute, OB_BODY_OPERANDS);
    out->attributes = OB_ARENA_ARRAY(arena, const char *, OB_BODY_OPERANDS);
    out->operands = OB_ARENA_ARRAY(arena, const char *, OB_BODY_NAMES);
    if (!r.names || !r.attributes || !out->attributes || !out->operands) return OB_E_MEMORY;
    if (ob__body_take(&r, "<")) OB_TRY(read_defaults(&r));
    OB_TRY(read_formals(&r, true));
    out->n_attributes = r.n_attributes;
    out->n_operands = r.n_names;
    for (uint32_t i = 0; i < r.n_attributes; i++) out->attributes[i] = r.attributes[i].name;
    for (uint32_t i = 0; i < r.n_names; i++) out->operands[i] = r.names[i].name;
    return OB_OK;
}

uint32_t ob__body_results(const ob_body *body) {
    const char *at = strstr(body->text, "->");
    if (!at || !(at = strchr(at, '('))) return 0;
    uint32_t n = 1;
    for (; *at && *at != ')'; at++) n += *at == ',';
    return n;
}

ob_status ob__body_expand(const ob_body *body, ob_node *call, const ob_type *in_types, ob_arena *scratch, ob_error *error) {
    ob_body_reader r = {.writer = {call, scratch, error}, .body = body, .at = body->text, .in_types = in_types};
    r.names = OB_ARENA_ARRAY(scratch, ob_body_name, OB_BODY_NAMES);
    r.attributes = OB_ARENA_ARRAY(scratch, ob_body_attribute, OB_BODY_OPERANDS);
    if (!r.names || !r.attributes) return OB_E_MEMORY;
    OB_TRY(read_body(&r));
    for (uint32_t i = 0; i < call->n_outputs; i++) call->outputs[i] = NULL; /* the nodes of the body produce them */
    return OB_OK;
}
