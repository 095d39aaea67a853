/* Tables for tests of shape rules: one node, its operands and attributes as text, and the expected result as text.
 *
 * Operands: "f[N,3,?]; i[2]={3,-1}; -; f[...]" - a letter for the element type, sizes (a number, a symbol, ? unknown, ... unknown
 * rank), the contents if they are known; "-" is an omitted operand. Letters: f float, d double, h float16, i int64, j int32, u
 * uint8, c int8, b bool, s string. Attributes: "axis=1 axes=[0,-1] mode=same alpha=0.5". Expected: the outputs in the same form
 * (every anonymous size is ?; contents are shown when known), then the findings of at least a warning: "f[5] | OB0201 N = 1 or N
 * = 5". */
#ifndef OB_TESTS_INFER_CASE_H
#define OB_TESTS_INFER_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/text.h"
#include "ops/library/resolve.h"
#include "ops/table/op.h"
#include "passes/check/propagate.h"

typedef struct infer_case {
    const char *op_type;
    int64_t opset;
    const char *operands, *attributes, *expected;
} infer_case;

static const char type_letters[] = "fdhijucbs";
static const ob_dtype letter_types_[] = {OB_FLOAT, OB_DOUBLE, OB_FLOAT16, OB_INT64, OB_INT32,
                                         OB_UINT8, OB_INT8,   OB_BOOL,    OB_STRING};

static inline ob_dim parse_size(ob_model *model, const char **at) {
    char name[64];
    size_t n = strcspn(*at, ",]} ;");
    snprintf(name, sizeof name, "%.*s", (int)n, *at);
    *at += n;
    if (name[0] == '?') return OB_DIM_UNKNOWN;
    if (name[0] == '-' || (name[0] >= '0' && name[0] <= '9')) return strtoll(name, NULL, 10);
    return ob_dim_symbol(model->dims, name);
}

/* "[a,b]" or "{a,b}" from the opening bracket. */
static inline uint32_t parse_sizes(ob_model *model, const char **at, ob_dim *out) {
    uint32_t n = 0;
    char close = **at == '[' ? ']' : '}';
    for (++*at; **at && **at != close;) {
        out[n++] = parse_size(model, at);
        if (**at == ',') ++*at;
    }
    if (**at) ++*at;
    return n;
}

/* An input of the graph; its contents are given to the checker. */
static inline ob_value *parse_operand(ob_model *model, const char **at, uint32_t index, ob_given_input *given) {
    char name[16];
    ob_dim *dims = OB_ARENA_ARRAY(&model->arena, ob_dim, 64), *elems = OB_ARENA_ARRAY(&model->arena, ob_dim, 64);
    const char *letter = strchr(type_letters, **at);
    assert_true(dims && elems && letter && **at);
    snprintf(name, sizeof name, "x%u", index);
    ob_value *value = ob__value_new(model->graph, name);
    assert_non_null(value);
    value->is_input = true;
    value->declared = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = letter_types_[letter - type_letters]};
    ++*at;
    if (strncmp(*at, "[...]", 5) == 0) {
        value->declared.shape = (ob_shape){OB_RANK_UNKNOWN, NULL};
        *at += 5;
    } else
        value->declared.shape = (ob_shape){(int32_t)parse_sizes(model, at, dims), dims};
    *given = (ob_given_input){.input = value};
    if (**at == '=') {
        ++*at;
        given->content = (ob_content){.n = parse_sizes(model, at, elems), .elems = elems};
    }
    return value;
}

static inline void parse_attribute(ob_node *node, const char *text, size_t n) {
    char name[64], value[256];
    size_t n_name = strcspn(text, "=");
    snprintf(name, sizeof name, "%.*s", (int)n_name, text);
    snprintf(value, sizeof value, "%.*s", (int)(n - n_name - 1), text + n_name + 1);
    const bool one = value[0] == '-' || (value[0] >= '0' && value[0] <= '9');
    if (one && strchr(value, '.')) {
        ob_attribute *attribute = OB_ARENA_NEW(&node->graph->model->arena, ob_attribute);
        assert_non_null(attribute);
        *attribute = (ob_attribute){.name = ob__intern(node->graph->model, name, strlen(name)), .type = OB_ATTR_FLOAT, .n = 1};
        attribute->u.f = strtof(value, NULL);
        assert_true(ob__node_set_attribute(node, attribute));
    } else if (value[0] == '[' && strchr(value, '.')) {
        float *floats = OB_ARENA_ARRAY(&node->graph->model->arena, float, 32);
        ob_attribute *attribute = OB_ARENA_NEW(&node->graph->model->arena, ob_attribute);
        assert_true(floats && attribute);
        attribute->name = ob__intern(node->graph->model, name, strlen(name));
        attribute->type = OB_ATTR_FLOATS;
        attribute->u.floats = floats;
        for (char *at = value + 1; *at && *at != ']'; at += *at == ',') floats[attribute->n++] = strtof(at, &at);
        assert_true(ob__node_set_attribute(node, attribute));
    } else if (value[0] == '[') {
        int64_t ints[32];
        uint32_t count = 0;
        for (char *at = value + 1; *at && *at != ']'; at += *at == ',') ints[count++] = strtoll(at, &at, 10);
        assert_true(ob__node_set_ints(node, name, ints, count));
    } else if (one) {
        assert_true(ob__node_set_int(node, name, strtoll(value, NULL, 10)));
    } else
        assert_true(ob__node_set_string(node, name, value));
}

static inline void write_sizes(const ob_model *model, ob_text *text, const ob_dim *sizes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char size[128];
        ob_dim_format(model->dims, sizes[i], size, sizeof size);
        bool anonymous = ob_dim_is_anonymous(model->dims, sizes[i]) && strpbrk(size, "+*(") == NULL;
        ob__text_printf(text, "%s%s", i ? "," : "", anonymous ? "?" : size);
    }
}

static inline void write_type(const ob_model *model, ob_text *text, const ob_type *type) {
    static const char *const kinds[] = {"unknown", "", "sparse", "seq", "opt", "map"};
    if (type->kind != OB_TYPE_TENSOR) {
        ob__text_puts(text, kinds[type->kind]);
        if (type->element) {
            ob__text_puts(text, "(");
            write_type(model, text, type->element);
            ob__text_puts(text, ")");
        }
        return;
    }
    char letter = '.';
    for (size_t i = 0; i < sizeof letter_types_ / sizeof letter_types_[0]; i++)
        if (letter_types_[i] == type->dtype) letter = type_letters[i];
    ob__text_printf(text, "%c[", letter);
    if (type->shape.rank < 0)
        ob__text_puts(text, "...");
    else
        write_sizes(model, text, type->shape.dims, (size_t)type->shape.rank);
    ob__text_puts(text, "]");
}

/* The text that is compared with the table's `expected`. */
static inline void write_outcome(const ob_model *model, const ob_node *node, const ob_facts *facts, const ob_findings *findings,
                                 ob_text *text) {
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const ob_fact *fact = ob__fact(facts, node->outputs[i]);
        ob__text_puts(text, i ? "; " : "");
        write_type(model, text, &fact->type);
        if (!fact->content.elems) continue;
        ob__text_puts(text, "={");
        write_sizes(model, text, fact->content.elems, fact->content.n);
        ob__text_puts(text, "}");
    }
    for (uint32_t i = 0; i < findings->n; i++) {
        const ob_finding *finding = &findings->items[i];
        if (finding->severity < OB_SEVERITY_WARNING) continue;
        ob__text_printf(text, " | %s", ob__finding_row(finding->id)->name);
        char condition[200];
        if (!finding->condition) continue;
        ob_condition_format(model->dims, finding->condition, condition, sizeof condition);
        ob__text_printf(text, " %s", condition);
    }
}

static inline bool run_infer_case(const infer_case *c) {
    ob_model *model = ob__model_new(NULL);
    assert_non_null(model);
    const char *domain = "", *op_type = c->op_type, *colon = strchr(c->op_type, ':');
    char name[64];
    if (colon) {
        snprintf(name, sizeof name, "%.*s", (int)(colon - c->op_type), c->op_type);
        domain = name;
        op_type = colon + 1;
    }
    assert_true(ob__model_set_opset(model, domain, c->opset));
    ob_value *operands[32];
    ob_given_input given[32];
    uint32_t n = 0, n_outputs = 1;
    size_t n_given = 0;
    for (const char *at = c->operands; *at;) {
        at += strspn(at, "; ");
        if (*at == '-') {
            operands[n++] = NULL;
            at++;
        } else if (*at) {
            operands[n] = parse_operand(model, &at, n, &given[n_given++]);
            n++;
        }
    }
    for (const char *at = c->expected; *at && *at != '|'; at++) n_outputs += *at == ';';
    ob_node *node = ob__node_new(model->graph, NULL, domain, op_type, n, n_outputs);
    assert_non_null(node);
    for (uint32_t i = 0; i < n; i++) node->inputs[i] = operands[i];
    for (uint32_t i = 0; i < n_outputs; i++) {
        char output[16];
        snprintf(output, sizeof output, "y%u", i);
        ob__node_set_output(node, i, ob__value_new(model->graph, output));
    }
    for (const char *at = c->attributes; *at;) {
        size_t length = strcspn(at, " ");
        parse_attribute(node, at, length);
        at += length + strspn(at + length, " ");
    }
    ob_value *inputs[32];
    for (size_t i = 0; i < n_given; i++) inputs[i] = (ob_value *)(uintptr_t)given[i].input;
    model->graph->inputs = inputs;
    model->graph->n_inputs = (uint32_t)n_given;
    assert_int_equal(ob__model_resolve_ops(model), OB_OK);
    const ob_propagate_options options = {.inputs = given, .n_inputs = n_given};
    ob_facts facts;
    ob_findings findings;
    ob_text text;
    ob__facts_init(&facts, NULL);
    ob__findings_init(&findings, NULL);
    ob__text_init(&text, NULL);
    assert_int_equal(ob__propagate(model, &options, &facts, &findings), OB_OK);
    write_outcome(model, node, &facts, &findings, &text);
    bool same = text.data && strcmp(text.data, c->expected) == 0;
    if (!same) {
        printf("%s-%d (%s) %s\n  expected %s\n  got      %s\n", c->op_type, (int)c->opset, c->operands, c->attributes,
               c->expected, text.data);
        for (uint32_t i = 0; i < findings.n; i++)
            printf("  %s %s\n", ob__finding_row(findings.items[i].id)->name, findings.items[i].message);
    }
    ob__text_release(&text);
    ob__findings_release(&findings);
    ob__facts_release(&facts);
    ob_model_close(&model);
    return same;
}

static inline void run_infer_cases(const infer_case *cases, size_t n) {
    size_t failed = 0;
    for (size_t i = 0; i < n; i++) failed += !run_infer_case(&cases[i]);
    assert_int_equal(failed, 0);
}

#define RUN_CASES(cases) run_infer_cases((cases), sizeof(cases) / sizeof((cases)[0]))

#endif
