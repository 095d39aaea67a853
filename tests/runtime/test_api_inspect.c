/* Inspection of the inputs and outputs of a session. */
#include "api.h"

static const char *const MODEL =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[N,3,M] x, int64 scalar, float16[0,2] none, float[] anything, float[N] row) => (float[N,3,M] y) {\n"
    "   y = Relu (x)\n"
    "}\n";

static void shapes_as_text(void **state) {
    (void)state;
    ob_dims *pool = NULL;
    assert_int_equal(ob_dims_create(NULL, &pool), OB_OK);
    ob_dim n = ob_dim_symbol(pool, "N");
    char text[64];
    assert_int_equal(ob_shape_format(pool, &(ob_shape){4, DIMS(2, n, OB_DIM_UNKNOWN, ob_dim_mul(pool, n, 2))}, text, 64), 14);
    assert_string_equal(text, "[2, N, ?, 2*N]");
    assert_int_equal(ob_shape_format(NULL, &(ob_shape){0, NULL}, text, 64), 2);
    assert_string_equal(text, "[]");
    assert_int_equal(ob_shape_format(NULL, &(ob_shape){OB_RANK_UNKNOWN, NULL}, text, 64), 5);
    assert_string_equal(text, "[...]");
    assert_int_equal(ob_shape_format(NULL, &(ob_shape){2, DIMS(0, 1)}, text, 64), 6);
    assert_string_equal(text, "[0, 1]");
    /* truncated, and measured only */
    memset(text, 'x', sizeof text);
    assert_int_equal(ob_shape_format(NULL, &(ob_shape){2, DIMS(12, 34)}, text, 5), 8);
    assert_string_equal(text, "[12,");
    assert_int_equal(text[5], 'x');
    assert_int_equal(ob_shape_format(NULL, &(ob_shape){2, DIMS(12, 34)}, NULL, 0), 8);
    ob_dims_destroy(&pool);
}

static void views_as_declared(void **state) {
    (void)state;
    ob_model *model = model_of(MODEL);
    ob_session *session = session_of(model, (ob_named_size[]){{"N", 2}, {"M", 5}}, 2);
    float data[30];
    ob_view view;
    ob_error error;
    assert_int_equal(ob_session_input_view(session, 0, data, &view, &error), OB_OK);
    assert_ptr_equal(view.data, data);
    assert_int_equal(view.dtype, OB_FLOAT);
    assert_int_equal(view.rank, 3);
    assert_memory_equal(view.dims, DIMS(2, 3, 5), 3 * sizeof(int64_t));
    assert_memory_equal(view.strides, DIMS(60, 20, 4), 3 * sizeof(int64_t));

    assert_int_equal(ob_session_input_view(session, 1, NULL, &view, NULL), OB_OK); /* without memory */
    assert_null(view.data);
    assert_int_equal(view.rank, 0);
    assert_int_equal(view.dtype, OB_INT64);
    assert_int_equal(ob_session_input_view(session, 2, NULL, &view, NULL), OB_OK);
    assert_int_equal(ob_view_count(&view), 0);
    assert_int_equal(ob_session_input_view(session, 4, NULL, &view, NULL), OB_OK);
    assert_int_equal(view.dims[0], 2);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void views_of_memory_whose_type_is_known(void **state) {
    (void)state;
    ob_model *model = model_of("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                               "g (uint8[N] x, int64[M] empty) => (float[N] y) { y = Cast<to = 1> (x) }\n");
    ob_session *session = session_of(model, (ob_named_size[]){{"N", 4}, {"M", 0}}, 2);
    float wrong[4] = {1, 2, 3, 4};
    uint8_t right[4] = {1, 2, 3, 4};
    ob_view view, before;
    ob_error error;
    memset(&view, 7, sizeof view);
    before = view;
    assert_int_equal(ob_session_typed_input_view(session, 0, OB_FLOAT, wrong, &view, &error), OB_E_TYPE);
    assert_string_equal(error.message, "input x has the element type uint8; the given memory has float");
    assert_int_equal(ob_session_typed_input_view(session, 0, OB_NONE, wrong, &view, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_session_typed_input_view(session, 2, OB_UINT8, right, &view, &error), OB_E_NOT_FOUND);
    assert_int_equal(ob_session_typed_input_view(NULL, 0, OB_UINT8, right, &view, &error), OB_E_ARGUMENT);
    assert_memory_equal(&view, &before, sizeof view);
    assert_int_equal(ob_session_typed_input_view(session, 0, OB_UINT8, right, &view, &error), OB_OK);
    assert_ptr_equal(view.data, right);
    assert_int_equal(view.dtype, OB_UINT8);
    assert_int_equal(view.dims[0], 4);
    assert_int_equal(ob_session_typed_input_view(session, 1, OB_INT64, NULL, &view, NULL), OB_OK);
    assert_int_equal(ob_view_count(&view), 0);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void what_is_open_has_no_view(void **state) {
    (void)state;
    ob_model *model = model_of(MODEL);
    ob_session *session = session_of(model, (ob_named_size[]){{"N", 2}}, 1);
    ob_view view, before;
    ob_error error;
    memset(&view, 7, sizeof view);
    before = view;
    assert_int_equal(ob_session_input_view(session, 0, NULL, &view, &error), OB_E_SHAPE);
    assert_int_equal(error.axis, 2);
    assert_string_equal(error.message, "input x has shape [2, 3, M]: the size of axis 2 must be given");
    assert_int_equal(ob_session_input_view(session, 3, NULL, &view, &error), OB_E_SHAPE);
    assert_int_equal(error.axis, -1);
    assert_string_equal(error.message, "input anything: the model declares no rank");
    assert_int_equal(ob_session_input_view(session, 5, NULL, &view, &error), OB_E_NOT_FOUND);
    assert_int_equal(ob_session_input_view(NULL, 0, NULL, &view, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_session_input_view(session, 0, NULL, NULL, &error), OB_E_ARGUMENT);
    assert_memory_equal(&view, &before, sizeof view); /* unchanged by failures */
    ob_session_close(&session);

    session = session_of(model, (ob_named_size[]){{"N", INT64_C(1) << 40}, {"M", INT64_C(1) << 40}}, 2);
    assert_int_equal(ob_session_input_view(session, 0, NULL, &view, &error), OB_E_LIMIT);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void a_session_runs_on_declared_views(void **state) {
    (void)state;
    ob_model *model = model_of("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                               "g (float[N,1] a, float[M] b) => (float[N,M] y) { y = Add (a, b) }\n");
    ob_session *session = session_of(model, (ob_named_size[]){{"N", 2}, {"M", 3}}, 2);
    float a[2] = {10, 20}, b[3] = {1, 2, 3};
    ob_view in[2], out = {0};
    ob_error error;
    assert_int_equal(ob_session_input_view(session, 0, NULL, &in[0], NULL), OB_OK);
    assert_int_equal(ob_session_input_view(session, 1, NULL, &in[1], NULL), OB_OK);
    assert_int_equal(ob_session_prepare(session, in, 2, &error), OB_OK);
    in[0].data = a;
    in[1].data = b;
    assert_int_equal(ob_session_run(session, in, 2, &out, 1, &error), OB_OK);
    assert_memory_equal(out.data, ((float[]){11, 12, 13, 21, 22, 23}), 6 * sizeof(float));
    ob_session_close(&session);
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_as_text),
        cmocka_unit_test(views_as_declared),
        cmocka_unit_test(views_of_memory_whose_type_is_known),
        cmocka_unit_test(what_is_open_has_no_view),
        cmocka_unit_test(a_session_runs_on_declared_views),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
