/* Numbers in a file in place of an enum: none is used without a check, and none is lost when the model is written. */
#include "api.h"
#include "wire.h"

typedef enum place {
    ATTRIBUTE_TYPE_OF,
    ATTRIBUTE_TYPE_OF_REFERENCE,
    INITIALIZER_DATA_TYPE,
    INITIALIZER_LOCATION,
    INPUT_ELEM_TYPE,
    INNER_ELEM_TYPE,
    MAP_KEY_TYPE,
    N_PLACES
} place;

static const int64_t numbers[] = {-1, 27, 77, 300, INT32_MAX, INT32_MIN}; /* one more than the last type is 15 or 27 */

/* y = Add(x, w), which stretches w; s = local.F(x); one of its numbers is replaced. `at` receives the unchanged field. */
static bytes model_with(place which, int64_t number, bytes *at) {
    bytes graph = {0};
    put_node(&graph, "Add", "x w", "y");
    bytes call = node_of("local", "F", "x", "s"), attribute = {0};
    put_text(&attribute, ATTRIBUTE_NAME, "a");
    bool of_attribute = which == ATTRIBUTE_TYPE_OF || which == ATTRIBUTE_TYPE_OF_REFERENCE;
    put_number(&attribute, ATTRIBUTE_I, 5);
    put_number(&attribute, ATTRIBUTE_TYPE, of_attribute ? number : 2);
    if (which == ATTRIBUTE_TYPE_OF_REFERENCE) put_text(&attribute, ATTRIBUTE_REF, "outer");
    put_message(&call, NODE_ATTRIBUTE, &attribute);
    put_message(&graph, GRAPH_NODE, &call);
    bytes weight = {0};
    const float ones[2] = {1, 1};
    put_number(&weight, TENSOR_DIMS, 2);
    put_number(&weight, TENSOR_DATA_TYPE, which == INITIALIZER_DATA_TYPE ? number : 1);
    put_text(&weight, TENSOR_NAME, "w");
    put_bytes(&weight, TENSOR_RAW_DATA, ones, sizeof ones);
    if (which == INITIALIZER_LOCATION) put_number(&weight, TENSOR_DATA_LOCATION, number);
    put_message(&graph, GRAPH_INITIALIZER, &weight);
    put_value(&graph, GRAPH_INPUT, "x", which == INPUT_ELEM_TYPE ? number : 1, "3 2");
    put_value(&graph, GRAPH_OUTPUT, "y", 1, "3 2");
    if (which == MAP_KEY_TYPE) {
        bytes info = {0}, type = {0}, map = {0};
        put_text(&info, VALUE_INFO_NAME, "s");
        put_number(&map, 1, number);
        put_tensor_type(&map, 2, 1, "3");
        put_message(&type, 5, &map);
        put_message(&info, VALUE_INFO_TYPE, &type);
        put_message(&graph, GRAPH_VALUE_INFO, &info);
    } else {
        put_value(&graph, GRAPH_VALUE_INFO, "s", which == INNER_ELEM_TYPE ? number : 1, "3 2");
    }
    *at = (bytes){0};
    put_number(at,
               of_attribute                     ? ATTRIBUTE_TYPE
               : which == INITIALIZER_DATA_TYPE ? TENSOR_DATA_TYPE
               : which == INITIALIZER_LOCATION  ? TENSOR_DATA_LOCATION
                                                : 1,
               number);
    return model_around(&graph);
}

static bool holds(const bytes *where, const bytes *what) {
    for (size_t i = 0; i + what->n <= where->n; i++)
        if (memcmp(where->data + i, what->data, what->n) == 0) return true;
    return false;
}

static void expect_kept(const ob_model *model, ob_model_format format, const bytes *field, const char *after, int which) {
    bytes out = {0};
    assert_int_equal(ob_model_write(model, format, collect, &out, NULL), OB_OK);
    if (!holds(&out, field)) fail_msg("place %d: the number is lost after %s", which, after);
    free(out.data);
}

static void check_model(ob_model *model) {
    ob_report *report = NULL;
    assert_int_equal(ob_check(model, NULL, &report, NULL), OB_OK);
    ob_finding_info finding;
    for (size_t i = 0; i < ob_report_finding_count(report); i++) assert_int_equal(ob_report_finding(report, i, &finding), OB_OK);
    ob_value_info value;
    for (size_t i = 0; i < ob_report_value_count(report); i++) assert_int_equal(ob_report_value(report, i, &value), OB_OK);
    ob_report_close(&report);
}

static void try_number(place which, int64_t number) {
    bytes field, file = model_with(which, number, &field), dump = {0}, text = {0};
    ob_model *model = NULL, *clone = NULL;
    ob_error error;
    if (ob_model_load_memory(file.data, file.n, NULL, NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    expect_kept(model, OB_FORMAT_PROTOBUF, &field, "reading", (int)which);
    expect_kept(model, OB_FORMAT_PROTOBUF_ALIGNED, &field, "aligning", (int)which);
    ob_status status = ob_model_write(model, OB_FORMAT_TEXT, collect, &text, &error);
    if (status != OB_E_UNSUPPORTED) fail_msg("place %d, %lld: as text: %d", (int)which, (long long)number, status);
    char digits[32];
    snprintf(digits, sizeof digits, "type %lld", (long long)number);
    bool of_tensor = which == INITIALIZER_DATA_TYPE || which == INITIALIZER_LOCATION;
    if (!strstr(error.message, of_tensor ? "\"w\"" : digits)) fail_msg("place %d: \"%s\"", (int)which, error.message);
    assert_int_equal(ob_model_write_text(model, 8, collect, &dump, &error), OB_OK);
    check_model(model);
    assert_int_equal(ob_model_clone(model, &clone, NULL), OB_OK);
    expect_kept(clone, OB_FORMAT_PROTOBUF, &field, "copying", (int)which);
    status = ob_rewrite(clone, OB_FORM_BROADCAST, NULL, NULL, &error);
    if (status == OB_OK) expect_kept(clone, OB_FORMAT_PROTOBUF, &field, "rewriting", (int)which);
    ob_session *session = NULL;
    if (ob_session_create(model, NULL, &session, &error) == OB_OK) ob_session_close(&session);
    ob_model_close(&clone);
    ob_model_close(&model);
    free(text.data);
    free(dump.data);
    free(field.data);
    free(file.data);
}

static void numbers_that_no_enum_has_are_kept_and_not_used(void **state) {
    (void)state;
    try_number(ATTRIBUTE_TYPE_OF, 15);
    try_number(ATTRIBUTE_TYPE_OF_REFERENCE, 15);
    for (int which = 0; which < N_PLACES; which++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) try_number((place)which, numbers[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_that_no_enum_has_are_kept_and_not_used)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
