/* Versions that deprecate an operator: checker and session report the version and the replacement. */
#include "model_text.h"
#include "ops/table/op.h"

typedef struct deprecated_case {
    const char *domain, *name;
    int since;
    const char *operands, *message;
} deprecated_case;

static const deprecated_case cases[] = {
    {"", "Affine", 10, "x", "deprecated since version 10 of ai.onnx: use Mul and Add"},
    {"", "ATen", 1, "x", "deprecated since version 1 of ai.onnx"},
    {"", "ConstantFill", 10, "x", "deprecated since version 10 of ai.onnx: use ConstantOfShape"},
    {"", "Crop", 10, "x", "deprecated since version 10 of ai.onnx: use Slice"},
    {"", "DynamicSlice", 10, "x, x, x", "deprecated since version 10 of ai.onnx: use Slice"},
    {"", "GivenTensorFill", 10, "x", "deprecated since version 10 of ai.onnx: use Constant"},
    {"", "GRUUnit", 10, "x, x, x, x", "deprecated since version 10 of ai.onnx: use GRU"},
    {"", "ImageScaler", 10, "x", "deprecated since version 10 of ai.onnx: use Mul and Add"},
    {"", "ParametricSoftplus", 10, "x", "deprecated since version 10 of ai.onnx: use Softplus and Mul"},
    {"", "Scale", 10, "x", "deprecated since version 10 of ai.onnx: use Mul"},
    {"", "ScaledTanh", 10, "x", "deprecated since version 10 of ai.onnx: use Tanh and Mul"},
    {"", "Scatter", 11, "x, x, x", "deprecated since version 11 of ai.onnx: use ScatterElements"},
    {"", "Upsample", 10, "x, x", "deprecated since version 10 of ai.onnx: use Resize"},
    {"ai.onnx.ml", "TreeEnsembleClassifier", 5, "x", "deprecated since version 5 of ai.onnx.ml: use TreeEnsemble"},
    {"ai.onnx.ml", "TreeEnsembleRegressor", 5, "x", "deprecated since version 5 of ai.onnx.ml: use TreeEnsemble"},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

static ob_model *model_of(const deprecated_case *c) {
    char text[500];
    const char *dot = c->domain[0] ? "." : "";
    const bool two = strcmp(c->name, "TreeEnsembleClassifier") == 0; /* results */
    snprintf(text, sizeof text,
             "<ir_version: 10, opset_import: [%s\"%s\" : %d]>\ng (float[2,2] x) => (y) {\n y%s = %s%s%s (%s)\n}",
             c->domain[0] ? "\"\" : 21, " : "", c->domain, c->since, two ? ", z" : "", c->domain, dot, c->name, c->operands);
    return read_text(text);
}

static void test_sessions(void **state) {
    (void)state;
    for (size_t i = 0; i < N_CASES; i++) {
        char want[300];
        ob_session *session = NULL;
        ob_error error;
        ob_model *model = model_of(&cases[i]);
        snprintf(want, sizeof want, "%s", cases[i].message);
        assert_int_equal(ob_session_create(model, NULL, &session, &error), OB_E_UNSUPPORTED);
        assert_string_equal(error.message, want);
        ob_model_close(&model);
    }
}

static void test_checked(void **state) {
    (void)state;
    for (size_t i = 0; i < N_CASES; i++) {
        char want[300];
        ob_model *model = model_of(&cases[i]);
        ob_report *report = check_model(model);
        bool found = false;
        snprintf(want, sizeof want, "the operator is %s", cases[i].message);
        for (size_t k = 0; k < ob_report_finding_count(report); k++) {
            ob_finding_info finding;
            assert_int_equal(ob_report_finding(report, k, &finding), OB_OK);
            found = found || (strcmp(finding.id, "OB0804") == 0 && strcmp(finding.op_type, cases[i].name) == 0 &&
                              strstr(finding.message, want) != NULL);
        }
        if (!found) fail_msg("the checker does not say of %s: %s", cases[i].name, want);
        ob_report_close(&report);
        ob_model_close(&model);
    }
}

/* Each version that is deprecated is one of these. */
static void test_all_are_here(void **state) {
    (void)state;
    size_t n = 0;
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        if (!op->deprecated) continue;
        n++;
        bool found = false;
        for (size_t k = 0; k < N_CASES; k++)
            found = found || (strcmp(cases[k].name, op->name) == 0 && strcmp(cases[k].domain, op->domain) == 0 &&
                              cases[k].since == op->since);
        if (!found) fail_msg("%s-%d is deprecated and no case", op->name, op->since);
    }
    assert_int_equal(n, N_CASES);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sessions), cmocka_unit_test(test_checked),
                                       cmocka_unit_test(test_all_are_here)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
