/* Errors with bodies: requirements of bodies and of their operators, limits, invalid texts. */
#include "body_case.h"
#include "ops/body/body.h"

static ob_status create(const ob_model *model, uint64_t max_nodes, ob_error *error) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_session_config_init(&config);
    config.max_nodes = max_nodes;
    ob_status status = ob_session_create(model, &config, &session, error);
    ob_session_close(&session);
    return status;
}

static void a_rank_must_be_known(void **state) {
    (void)state;
    ob_error error;
    ob_model *model = model_of("com.microsoft", 1, "float[] x, int64[2,3] p, float[3,2] c", "float[] y",
                               "y = com.microsoft.RotaryEmbedding(x, p, c, c)");
    assert_int_equal(create(model, 0, &error), OB_E_UNSUPPORTED);
    assert_string_equal(error.op_type, "RotaryEmbedding");
    assert_non_null(strstr(error.message, "needs the rank of operand 0"));
    ob_model_close(&model);
}

static void nodes_are_limited(void **state) {
    (void)state;
    ob_error error;
    ob_model *model =
        model_of("", 27, "float[2,3,4] x, float[3,1,2] w", "float[] y, float[] z", "y, z = CausalConvWithState(x, w)");
    assert_int_equal(create(model, 5, &error), OB_E_LIMIT);
    assert_non_null(strstr(error.message, "max_nodes"));
    assert_int_equal(create(model, 100, &error), OB_OK);
    ob_model_close(&model);
}

/* A modifier of FlexAttention has one operand and one result of one type and shape: the checker reports an error, and no run
 * continues. */
static void modifiers_keep_what_they_take(void **state) {
    static const struct {
        const char *graph, *says;
    } cases[] = {
        {"m (s) => (t) { t = Cast<to: int = 11>(s) }", "score_mod gives double: it must give the type of its input, float"},
        {"m (s) => (t) { t = ReduceSum<keepdims: int = 0>(s) }", "score_mod gives rank 0"},
        {"m (s) => (t) { t = ReduceMax(s) }", "1 must equal 2"},
        {"m (s, r) => (t) { t = Add(s, r) }", "score_mod has 2 inputs and 1 outputs"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char node[300];
        ob_error error;
        ob_report *report = NULL;
        ob_finding_info finding;
        ob_session *session = NULL;
        snprintf(node, sizeof node, "y = ai.onnx.preview.FlexAttention<score_mod: graph = %s>(q, q, q)", cases[i].graph);
        ob_model *model = model_of("ai.onnx.preview", 1, "float[2,2,3,4] q", "float[] y", node);
        assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
        assert_int_equal(ob_report_finding(report, 0, &finding), OB_OK);
        if (!strstr(finding.message, cases[i].says)) fail_msg("%s: %s", cases[i].graph, finding.message);
        if (ob_session_create(model, NULL, &session, &error) == OB_OK) fail_msg("%s", cases[i].graph);
        if (!strstr(error.message, cases[i].says)) fail_msg("%s: %s", cases[i].graph, error.message);
        ob_session_close(&session);
        ob_report_close(&report);
        ob_model_close(&model);
    }
}

/* The requirements of an operator on attributes and operands are tested even if the nodes of its body have none. */
static void the_operator_is_asked(void **state) {
    static const struct {
        const char *in, *node, *says;
        int64_t size; /* value of N in the run; 0: refused before */
    } cases[] = {
        {"float[2,4,6] x, float[6,18] w, float[18] b", "y = com.microsoft.Attention(x, w, b)",
         "attribute num_heads is missing: Attention needs it", 0},
        {"float[2,4,6] x, float[6,18] w, float[18] b", "y = com.microsoft.Attention<num_heads = 4>(x, w, b)", "4", 0},
        {"float[2,4,N] x, float[N,18] w, float[18] b", "y = com.microsoft.Attention<num_heads = 2>(x, w, b)", NULL, 6},
        {"float[2,4,6] x, float[6,N] w, float[N] b", "y = com.microsoft.Attention<num_heads = 2>(x, w, b)", "N", 15},
        {"float[2,4] x, float[N] b", "y = com.microsoft.BiasGelu(x, b)", "N", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static operands in;
        ob_error error;
        ob_session *session = NULL;
        ob_view out[MAX_VALUES] = {{0}};
        ob_model *model = model_of("com.microsoft", 1, cases[i].in, "float[] y", cases[i].node);
        ob_status status = ob_session_create(model, NULL, &session, &error);
        if (cases[i].size == 0) {
            assert_int_not_equal(status, OB_OK);
        } else {
            if (status != OB_OK) fail_msg("%s: %s", cases[i].node, error.message);
            in.n = 0;
            for (uint32_t k = 0; k < model->graph->n_inputs; k++) {
                const ob_shape *shape = &model->graph->inputs[k]->declared.shape;
                int64_t dims[3];
                for (int32_t axis = 0; axis < shape->rank; axis++)
                    dims[axis] = ob_dim_is_const(shape->dims[axis]) ? shape->dims[axis] : cases[i].size;
                assert_int_equal(ob_view_init(&in.views[k], in.room[k], OB_FLOAT, shape->rank, dims), OB_OK);
                fill(&in.views[k], (int)in.n++);
            }
            status = ob_session_run(session, in.views, in.n, out, 1, &error);
        }
        assert_int_equal(status == OB_OK, cases[i].says == NULL);
        if (cases[i].says && !strstr(error.message, cases[i].says)) fail_msg("%s: %s", cases[i].node, error.message);
        ob_session_close(&session);
        ob_model_close(&model);
    }
}

/* Invalid bodies with one operand and one result. */
static void wrong_texts_are_refused(void **state) {
    static const char *const texts[] = {
        "",
        "(X) -> (Y) {",
        "(X) -> (Y) { Y = X }",
        "(X) -> (Y) { }",
        "(X) -> (Y) { Z = X; }",
        "(X) -> (Y) { Y = Z; }",
        "(X) -> (Y) { Y = NoSuchOperator(X); }",
        "(X) -> (Y) { Y = Add(X); }",
        "(X) -> (Y) { Y = X + @alpha; }",
        "<alpha>(X) -> (Y) { Y = X + @alpha; }",
        "(X) -> (Y) { Y = X + ; }",
        "(X) -> (Y) { Y = X; } more",
        "(X) -> (Y) { if (has(Z)) { Y = X; } }",
        "(X) -> (Y) { if (type(X) == nothing) { Y = X; } }",
        "(X) -> (Y) { Y = Cast(X, to = nothing); }",
        "(X) -> (Y) { Y = [1, 2] + [3]; }",
        "(X) -> (Y) { Y = X * \"x\"; }",
        "(X) -> (Y) { Y = Transpose(X, perm = moved(X, 0, 1)); }",
        "(X) -> (Y) { Y = Transpose(X, perm = moved(X, -2, 0)); }",
        "(X) -> (Y) { Y = Transpose(X, perm = moved(Z, 0, 0)); }",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ob_error error;
        ob_arena scratch;
        ob_model *model = model_of("", 13, "float[2] x", "float[] y", "y = Relu(x)");
        ob_node *call = model->graph->first;
        ob_body body = {"", "Relu", 1, texts[i]};
        ob__arena_init(&scratch, NULL);
        ob_status status = ob__body_expand(&body, call, &model->graph->inputs[0]->declared, &scratch, &error);
        if (status != OB_E_INTERNAL) fail_msg("\"%s\": %s", texts[i], ob_status_text(status));
        ob__arena_release(&scratch);
        ob_model_close(&model);
    }
}

/* Calls that do not match the operator, or refer to missing operands or attributes. */
static void calls_that_a_body_does_not_take(void **state) {
    static const struct {
        const char *domain, *in, *nodes, *says;
    } cases[] = {
        {"com.microsoft", "float[1,3,4] x, float[4,12] w, float[2,1,2,6,2] p",
         "y, s = com.microsoft.Attention<num_heads: int = 2, past_present_share_buffer: int = 1>(x, w, , , p)",
         "a shared buffer needs past_sequence_length"},
        {"com.microsoft", "float[1,1,8] x, float[1] k",
         "l = Constant<value: tensor = int32[1] {0}>() t = Constant<value: tensor = int32[1] {1}>() y, s = "
         "com.microsoft.GroupQueryAttention<num_heads: int = 2, kv_num_heads: int = 1>(x, , , , , l, t, , , , , , k)",
         "a quantized cache is not supported"},
        {"com.microsoft", "float[1,1,8] x",
         "l = Constant<value: tensor = int32[1] {0}>() t = Constant<value: tensor = int32[1] {1}>() y, a, b, s = "
         "com.microsoft.GroupQueryAttention<num_heads: int = 2, kv_num_heads: int = 1>(x, , , , , l, t)",
         "result output_qk needs qk_output 1 or 2"},
        {"com.microsoft", "float[1,1,4] x, int32[1,1,1] i",
         "y, s = com.microsoft.MultiHeadAttention<num_heads: int = 2>(x, x, x, , , , , , , i)",
         "operand cache_indirection is not supported"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ob_error error;
        ob_model *model = model_of(cases[i].domain, 27, cases[i].in, "y, s", cases[i].nodes);
        assert_int_equal(create(model, 0, &error), OB_E_UNSUPPORTED);
        if (!strstr(error.message, cases[i].says)) fail_msg("%s: %s", cases[i].nodes, error.message);
        ob_model_close(&model);
    }
}

static void what_a_body_refuses_is_told(void **state) {
    (void)state;
    ob_error error;
    ob_arena scratch;
    ob_model *model = model_of("", 13, "float[2] x", "float[] y", "y = Relu(x)");
    ob_body body = {"", "Relu", 1, "<a = 1>(X) -> (Y) { if (@a == 2) { refuse \"no\"; } refuse \"a of 1\"; }"};
    ob__arena_init(&scratch, NULL);
    ob_status status = ob__body_expand(&body, model->graph->first, &model->graph->inputs[0]->declared, &scratch, &error);
    assert_int_equal(status, OB_E_UNSUPPORTED);
    assert_string_equal(error.message, "a of 1");
    body.text = "<n>(X) -> (Y) { Y = Reshape(X, [@n]); }";
    assert_int_equal(ob__body_expand(&body, model->graph->first, &model->graph->inputs[0]->declared, &scratch, &error),
                     OB_E_MODEL);
    assert_string_equal(error.message, "attribute n must be a whole number");
    ob__arena_release(&scratch);
    ob_model_close(&model);
}

/* An attribute of another type is an error of the model, not of the body that reads it. */
static void attributes_have_their_types(void **state) {
    (void)state;
    ob_error error;
    ob_model *model =
        model_of("", 13, "float[2,3] x, int64[2] t", "y", "y = NegativeLogLikelihoodLoss <ignore_index = \"none\"> (x, t)");
    assert_int_equal(create(model, 0, &error), OB_E_MODEL);
    assert_string_equal(error.message, "attribute ignore_index is a string: NegativeLogLikelihoodLoss needs a whole number");
    ob_model_close(&model);
    /* In a branch that inference never enters, because its If is invalid. */
    model = model_of("com.microsoft", 1, "int64 c, float[2,4,6] x, float[6,18] w", "float[] y",
                     "y = If<then_branch: graph = t () => (a) { a = com.microsoft.Attention<num_heads: int = 2>(x, w) }, "
                     "else_branch: graph = e () => (b) { b = Identity(x) }>(c)");
    assert_int_equal(create(model, 0, &error), OB_E_TYPE);
    assert_string_equal(error.message, "operand 0 is int64, which If-24 does not take");
    ob_model_close(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_must_be_known),
        cmocka_unit_test(nodes_are_limited),
        cmocka_unit_test(modifiers_keep_what_they_take),
        cmocka_unit_test(the_operator_is_asked),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(what_a_body_refuses_is_told),
        cmocka_unit_test(calls_that_a_body_does_not_take),
        cmocka_unit_test(attributes_have_their_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
