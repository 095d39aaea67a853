/* Libraries of operators: loading, registration and refusals. */
#include "oplib.h"

static void expect_refused(const char *file, ob_status status, const char *message) {
    ob_operators *operators = new_registry();
    ob_error error;
    char expected[1000];
    snprintf(expected, sizeof expected, "%s: %s", file, message);
    assert_int_equal(ob_operators_load(operators, file, &error), status);
    assert_string_equal(error.message, expected);
    assert_int_equal(error.code, status);
    assert_int_equal(ob_operators_count(operators), 0);
    assert_null(ob_operators_at(operators, 0).name);
    ob_operators_close(&operators);
    assert_null(operators);
}

static void libraries_that_are_refused(void **state) {
    (void)state;
    expect_refused(LIBRARY_FILE("wrong_abi"), OB_E_UNSUPPORTED,
                   "the operator library has ABI 7, this program needs 1: build it with the headers of this version");
    char text[200];
    snprintf(text, sizeof text, "ob_operator_library has 7 bytes in the operator library, %zu here", sizeof(ob_operator_library));
    expect_refused(LIBRARY_FILE("wrong_size"), OB_E_UNSUPPORTED, text);
    expect_refused(LIBRARY_FILE("missing_symbol"), OB_E_NOT_FOUND,
                   "is not an operator library: it does not export onnx_broadcast_operators");
    expect_refused(LIBRARY_FILE("null_library"), OB_E_UNSUPPORTED,
                   "onnx_broadcast_operators returned NULL: the library does not serve operator ABI 1");
    expect_refused(LIBRARY_FILE("null_table"), OB_E_ARGUMENT, "library empty 1.0: the table of operators is NULL");
    expect_refused(LIBRARY_FILE("bad_row"), OB_E_ARGUMENT,
                   "library bad 1.0, row 1 (test.Other): the signature \"fX>f\" is ill-formed");
    expect_refused(LIBRARY_FILE("null_run"), OB_E_ARGUMENT, "library idle 1.0, row 0 (test.Same): run is NULL");
    expect_refused(LIBRARY_FILE("replaces"), OB_E_ARGUMENT,
                   "library thief 1.0, row 0 (ai.onnx.Add): built-in operators and their domains cannot be replaced");
    expect_refused(OB_SOURCE_DIR "/no/such/file.so", OB_E_IO, "cannot open shared object file: No such file or directory");
    expect_refused("no_such_file.so", OB_E_IO, "cannot open shared object file: No such file or directory");
    expect_refused(OB_SOURCE_DIR "/LICENSE", OB_E_IO, "invalid ELF header");
}

static void arguments_are_checked(void **state) {
    (void)state;
    ob_operators *operators = new_registry(), *none = NULL;
    ob_error error;
    assert_int_equal(ob_operators_create(NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_operators_load(NULL, "x.so", &error), OB_E_ARGUMENT);
    assert_int_equal(ob_operators_load(operators, NULL, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_operators_load(operators, "", NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_operators_add(operators, NULL, &error), OB_E_ARGUMENT);
    assert_string_equal(error.message, "the operator library is NULL");
    assert_int_equal(ob_operators_add(NULL, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_model_set_operators(NULL, operators), OB_E_ARGUMENT);
    assert_int_equal(ob_operators_count(NULL), 0);
    assert_null(ob_operators_at(NULL, 0).name);
    ob_operators_close(&none);
    ob_operators_close(NULL);
    ob_operators_close(&operators);
}

static void two_libraries_cannot_have_one_operator(void **state) {
    (void)state;
    ob_operators *operators = registry_of_file(LIBRARY_FILE("edge_operators"));
    ob_error error;
    assert_int_equal(ob_operators_count(operators), 2);
    assert_int_equal(ob_operators_load(operators, LIBRARY_FILE("twin"), &error), OB_E_ARGUMENT);
    assert_string_equal(error.message,
                        LIBRARY_FILE("twin") ": example.edge.Frames-1 of library twin 1.0 is in library edge 1.0 already");
    assert_int_equal(ob_operators_load(operators, LIBRARY_FILE("edge_operators"), &error), OB_E_ARGUMENT); /* itself */
    assert_int_equal(ob_operators_count(operators), 2);
    ob_operator_info info = ob_operators_at(operators, 1);
    assert_string_equal(info.domain, "example.edge");
    assert_string_equal(info.name, "Frames");
    assert_int_equal(info.since, 1);
    assert_string_equal(info.library, "edge");
    assert_string_equal(info.library_version, "1.0");
    assert_null(ob_operators_at(operators, 2).name);
    ob_operators_close(&operators);
}

/* Every allocation fails once: nothing is added partly, nothing is lost. */
typedef struct limit {
    size_t n_calls, fail_at, n_alive;
} limit;

static void *limit_alloc(void *context, size_t n_bytes) {
    limit *l = context;
    if (++l->n_calls == l->fail_at) return NULL;
    l->n_alive++;
    return malloc(n_bytes);
}
static void *limit_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    limit *l = context;
    (void)old_bytes;
    if (++l->n_calls == l->fail_at) return NULL;
    if (!block) l->n_alive++;
    return realloc(block, new_bytes);
}
static void limit_free(void *context, void *block, size_t n_bytes) {
    limit *l = context;
    (void)n_bytes;
    if (block) l->n_alive--;
    free(block);
}

static void memory_may_end_anywhere(void **state) {
    (void)state;
    bool done = false;
    for (size_t fail_at = 1; !done; fail_at++) {
        limit l = {.fail_at = fail_at};
        const ob_allocator allocator = {limit_alloc, limit_realloc, limit_free, &l};
        ob_operators *operators = NULL;
        ob_status status = ob_operators_create(&allocator, &operators);
        if (status == OB_OK) status = ob_operators_load(operators, LIBRARY_FILE("bad_shapes"), NULL);
        done = status == OB_OK;
        if (!done) assert_int_equal(status, OB_E_MEMORY);
        if (!done) assert_int_equal(ob_operators_count(operators), 0);
        if (done) assert_true(fail_at > 1);
        ob_operators_close(&operators);
        assert_int_equal(l.n_alive, 0);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    if (!libraries_can_be_loaded()) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_that_are_refused),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(two_libraries_cannot_have_one_operator),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
