/* Attributes compared with the operator's row: the checker reports errors, and a session refuses the model with the same
 * message. */
#include "model_text.h"
#include "ops/body/body.h"
#include "ops/table/attributes.h"
#include <stdlib.h>

typedef struct attribute_case {
    int opset;
    const char *in, *node; /* node gives y */
    const char *says;      /* NULL: no error */
} attribute_case;

#define VALUES "sparse_value, value, value_float, value_floats, value_int, value_ints, value_string, value_strings"

static const attribute_case cases[] = {
    {17, "float[2,3] x", "y = Softmax <axis = 0> (x)", NULL},
    {17, "float[2,3] x", "y = Softmax <dim = 0> (x)", "Softmax has no attribute 'dim'"},
    {17, "float[2,3] x", "y = Softmax <axes = 0> (x)", "Softmax has no attribute 'axes'; did you mean 'axis'?"},
    {17, "float[2,3] x", "y = Softmax <Axis = 0> (x)", "Softmax has no attribute 'Axis'; did you mean 'axis'?"},
    {20, "float[2,3] x", "y = Gelu <aproximate = \"tanh\"> (x)",
     "Gelu has no attribute 'aproximate'; did you mean 'approximate'?"},
    {20, "float[2,3] x", "y = Gelu <approximate = \"tan\"> (x)", "attribute approximate is \"tan\": it must be one of none tanh"},
    {20, "float[2,3] x", "y = Gelu <approximate = \"tanh none\"> (x)",
     "attribute approximate is \"tanh none\": it must be one of none tanh"},
    {20, "float[2,3] x", "y = Gelu <approximate = 1> (x)", "attribute approximate is a whole number: Gelu needs a string"},
    {17, "float[2,3] x", "y = Softmax <axis = 1.0> (x)", "attribute axis is a float: Softmax needs a whole number"},
    {17, "float[2,3] x", "y = Softmax <axis = [1]> (x)",
     "attribute axis is a list of whole numbers: Softmax needs a whole number"},
    {17, "float[2,3] x", "y = Cast (x)", "attribute to is missing: Cast needs it"},
    {17, "float[2,3] x", "y = Concat (x, x)", "attribute axis is missing: Concat needs it"},
    {3, "float[2,3] x", "y = Concat (x, x)", NULL}, /* the default of version 1 */
    {13, "float[2,3] x", "y = ReduceMax <keepdims = 2> (x)", "attribute keepdims is 2: it must be 0 or 1"},
    {13, "float[2,3] x", "y = Relu <alpha = 1.0> (x)", "Relu has no attribute 'alpha'"},
    /* Of other versions. */
    {5, "float[2,3] x", "y = Relu <consumed_inputs = [0]> (x)", NULL},
    {6, "float[2,3] x", "y = Relu <consumed_inputs = [0]> (x)",
     "Relu has no attribute 'consumed_inputs' in version 6 of the operator, only in version 1"},
    {11, "float[2,3] x", "y = Clip <min = 0.0> (x)",
     "Clip has no attribute 'min' in version 11 of the operator, only in version 6"},
    {10, "float[2,3] x", "y = Clip <min = 0.0> (x)", NULL},
    {13, "float[2,3] x", "y = ReduceMax <noop_with_empty_axes = 1> (x)",
     "ReduceMax has no attribute 'noop_with_empty_axes' in version 13 of the operator, only in version 18"},
    {18, "float[1,1,2,3] x", "y = Pad <mode = \"wrap\"> (x, p)",
     "attribute mode is \"wrap\": it must be one of constant reflect edge"},
    {19, "float[1,1,2,3] x", "y = Pad <mode = \"wrap\"> (x, p)", NULL},
    /* As ONNX's checker accepts them. */
    {17, "float[2,3] x", "y = Softmax <__note = 7> (x)", NULL},
    {17, "float[1,1,4] x", "y = MaxPool <kernel_shape = [2], auto_pad = \"\"> (x)", NULL},
    /* Values of a Constant: exactly one. */
    {13, "float[2] x", "c = Constant <value_float = 1.0> () y = Add (x, c)", NULL},
    {13, "float[2] x", "c = Constant <value_float = 1.0, value_int = 2> () y = Add (x, c)",
     "Constant needs one of the attributes " VALUES "; 2 are given"},
    {13, "float[2] x", "c = Constant () y = Add (x, c)", "Constant needs one of the attributes " VALUES "; 0 are given"},
    {1, "float[2] x", "c = Constant () y = Add <broadcast = 1> (x, c)", "attribute value is missing: Constant needs it"},
    /* Other domains. */
    {17, "float[2,3] x", "y = ai.onnx.ml.Normalizer <norm = \"L3\"> (x)",
     "attribute norm is \"L3\": it must be one of MAX L1 L2"},
    {17, "float[2,3] x", "y = ai.onnx.ml.Normalizer <nom = \"L1\"> (x)",
     "Normalizer has no attribute 'nom'; did you mean 'norm'?"},
    {17, "float[2,3] x", "y = com.microsoft.Gelu <approximate = \"tanh\"> (x)", "Gelu has no attribute 'approximate'"},
};

static ob_model *model_of(const attribute_case *c) {
    char text[800];
    snprintf(text, sizeof text,
             "<ir_version: 8, opset_import: [\"\" : %d, \"ai.onnx.ml\" : 3, \"com.microsoft\" : 1]>\n"
             "g (%s%s) => (y) { %s }",
             c->opset, c->in, strstr(c->node, "Pad") ? ", int64[8] p" : "", c->node);
    return read_text(text);
}

/* The message of the only OB0602; "" when there is none. */
static const char *only_finding(ob_report *report) {
    const char *found = "";
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info f;
        assert_int_equal(ob_report_finding(report, i, &f), OB_OK);
        if (strcmp(f.id, "OB0602") != 0) continue;
        if (*found) fail_msg("two findings: %s; %s", found, f.message);
        found = f.message;
    }
    return found;
}

static void rows_decide(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const attribute_case *c = &cases[i];
        const char *says = c->says ? c->says : "";
        ob_model *model = model_of(c);
        ob_report *report = NULL;
        ob_session *session = NULL;
        ob_error error;
        assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
        if (strcmp(only_finding(report), says) != 0) fail_msg("opset %d: %s: \"%s\"", c->opset, c->node, only_finding(report));
        ob_report_close(&report);
        const ob_status status = ob_session_create(model, NULL, &session, &error);
        if (c->says ? status != OB_E_MODEL || strcmp(error.message, says) != 0 : status != OB_OK)
            fail_msg("opset %d: %s: %s, \"%s\"", c->opset, c->node, ob_status_text(status), error.message);
        ob_session_close(&session);
        ob_model_close(&model);
    }
}

/* Attributes that a function's body takes from its call are tested with the call's attributes. */
static void references_are_followed(void **state) {
    static const struct {
        const char *attributes, *says;
    } calls[] = {{"way = 0", NULL},
                 {"way = \"none\"", "attribute axis is a string: Concat needs a whole number"},
                 {"", "attribute axis is missing: Concat needs it"}};
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        char text[600];
        ob_error error;
        ob_session *session = NULL;
        ob_report *report = NULL;
        snprintf(text, sizeof text,
                 "<ir_version: 8, opset_import: [\"\" : 17, \"f\" : 1]>\ng (float[2,3] x) => (y) { y = f.G %s%s%s (x) }\n"
                 "<domain: \"f\", opset_import: [\"\" : 17]>\nG <way> (a) => (b) { b = Concat <axis: int = @way> (a, a) }",
                 *calls[i].attributes ? "<" : "", calls[i].attributes, *calls[i].attributes ? ">" : "");
        ob_model *model = read_text(text);
        assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
        assert_string_equal(only_finding(report), calls[i].says ? calls[i].says : "");
        ob_report_close(&report);
        const ob_status status = ob_session_create(model, NULL, &session, &error);
        assert_int_equal(status, calls[i].says ? OB_E_MODEL : OB_OK);
        if (calls[i].says) assert_string_equal(error.message, calls[i].says);
        ob_session_close(&session);
        ob_model_close(&model);
    }
}

/* Every list of the table: unique names, allowed defaults, and exactly the lists that rows name. */
static void lists_are_consistent(void **state) {
    (void)state;
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        assert_non_null(op->attributes);
        for (const ob_op_attribute *a = op->attributes; a->name; a++) {
            assert_ptr_equal(ob__op_attribute(op, a->name), a);
            assert_false(a->needed && a->has_default);
            if (a->has_default && a->least != a->most) assert_true(a->i >= a->least && a->i <= a->most);
            if (a->has_default && a->words) {
                const char *at = strstr(a->words, a->text);
                assert_non_null(at);
            }
        }
    }
}

/* Of a newer release: unknown versions are not assumed to be known ones, and run only as a known version. */
static void newer_releases(void **state) {
    static const struct {
        const char *head;
        const char *domain;
        int64_t opset;
        const char *says;
    } releases[] = {
        {"ir_version: 10, opset_import: [\"\" : 29]", "ai.onnx", 28,
         "the model imports opset 29 of ai.onnx; the newest known version is 28"},
        {"ir_version: 15, opset_import: [\"\" : 18]", "", 18, "the file has IR version 15; the newest known version is 14"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        char text[300];
        ob_error error;
        ob_report *report = NULL;
        ob_session *session = NULL;
        snprintf(text, sizeof text, "<%s>\ng (float[2,3] x) => (y) { y = Softmax <new = 1> (x) }", releases[i].head);
        ob_model *model = read_text(text);
        for (int assumed = 0; assumed < 2; assumed++) {
            ob_finding_info f;
            assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
            assert_int_equal(ob_report_finding_count(report), 1);
            assert_int_equal(ob_report_finding(report, 0, &f), OB_OK);
            assert_string_equal(f.id, assumed ? "OB0602" : "OB0806");
            if (!assumed) assert_string_equal(f.message, releases[i].says);
            if (!assumed) assert_int_not_equal(ob_report_contract(report).status, OB_CONTRACT_COMPLETE);
            ob_report_close(&report);
            assert_int_equal(ob_session_create(model, NULL, &session, &error), assumed ? OB_E_MODEL : OB_E_UNSUPPORTED);
            if (!assumed && !strstr(error.message, releases[i].says)) fail_msg("%s", error.message);
            assert_int_equal(ob_model_assume_opset(model, releases[i].domain, releases[i].opset, &error), OB_OK);
        }
        assert_int_equal(ob_model_assume_opset(model, "", 29, &error), OB_E_ARGUMENT);
        assert_int_equal(ob_model_assume_opset(model, "", 0, &error), OB_E_ARGUMENT);
        assert_int_equal(ob_model_assume_opset(NULL, "", 1, &error), OB_E_ARGUMENT);
        assert_int_equal(ob_model_assume_opset(model, "ai.onnx.ml", 1, &error), OB_E_NOT_FOUND);
        ob_model_close(&model);
    }
}

/* The defaults in a body equal those of the row: `<alpha = 1.0, way = "up">(X) ...`. */
static void bodies_agree(void **state) {
    int n = 0;
    (void)state;
    for (size_t i = 0; i < ob__body_count(); i++) {
        const ob_body *body = ob__body_at(i);
        const ob_op *op = ob__op_find(body->domain, body->name, body->since);
        const char *at = body->text;
        while (*at == ' ' || *at == '\n') at++;
        if (*at != '<') continue;
        for (at++; *at != '>';) {
            char name[64] = "", value[64] = "";
            const size_t n_name = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
            snprintf(name, sizeof name, "%.*s", (int)n_name, at);
            at += n_name;
            if (strncmp(at, " = ", 3) == 0) {
                const size_t n_value = at[3] == '[' ? strcspn(at + 3, "]") + 1 : strcspn(at + 3, ",>");
                at += 3;
                snprintf(value, sizeof value, "%.*s", (int)n_value, at);
                at += n_value;
            }
            at += strspn(at, ", \n");
            const ob_op_attribute *row = ob__op_attribute(op, name);
            if (!row && !ob__op_attribute(ob__op_find(body->domain, body->name, 0), name))
                fail_msg("%s: its body has the attribute '%s', the row has not", body->name, name);
            if (!row || !*value || !row->has_default) continue;
            n++;
            if (row->type == OB_ATTR_INT) assert_int_equal(strtoll(value, NULL, 10), row->i);
            if (row->type == OB_ATTR_FLOAT) assert_true(strtof(value, NULL) == row->f);
            if (row->type == OB_ATTR_STRING) assert_memory_equal(value + 1, row->text, strlen(row->text));
        }
    }
    assert_true(n > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_decide),  cmocka_unit_test(references_are_followed), cmocka_unit_test(lists_are_consistent),
        cmocka_unit_test(bodies_agree), cmocka_unit_test(newer_releases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
