/* Rows of a library, registered without a file: valid ones, and the messages for invalid ones. */
#include "oplib.h"

static ob_status shape(ob_operator_call *call) {
    ob_shape in = call->host->input_shape(call, 0);
    return call->host->set_output(call, 0, OB_NONE, in.rank, in.dims);
}

static ob_status run(ob_operator_call *call) {
    (void)call;
    return OB_OK;
}

static const ob_operator good = {.struct_bytes = sizeof(ob_operator),
                                 .domain = "my.domain",
                                 .name = "Good",
                                 .since = 1,
                                 .signature = "T>T",
                                 .types = {OB_OPERATOR_ANY},
                                 .shape = shape,
                                 .run = run};

static ob_operator_library library_of(const ob_operator *rows, size_t n) {
    return (ob_operator_library){OB_OPERATOR_ABI, sizeof(ob_operator_library), "lib", "1.2", rows, n};
}

static void expect(const ob_operator_library *library, ob_status status, const char *message) {
    ob_operators *operators = new_registry();
    ob_error error;
    assert_int_equal(ob_operators_add(operators, library, &error), status);
    assert_string_equal(error.message, message);
    assert_int_equal(ob_operators_count(operators), status == OB_OK ? library->n_operators : 0);
    ob_operators_close(&operators);
}

static void expect_row(ob_operator row, ob_status status, const char *message) {
    const ob_operator_library library = library_of(&row, 1);
    expect(&library, status, message);
}

static void libraries_are_checked(void **state) {
    (void)state;
    ob_operator_library library = library_of(&good, 1);
    expect(&library, OB_OK, "");
    library.abi = 0;
    expect(&library, OB_E_UNSUPPORTED,
           "the operator library has ABI 0, this program needs 1: build it with the headers of this version");
    library = library_of(&good, 0);
    expect(&library, OB_E_ARGUMENT, "library lib 1.2 has 0 operators; 1 to 4096 are possible");
    library.n_operators = SIZE_MAX;
    char text[200];
    snprintf(text, sizeof text, "library lib 1.2 has %zu operators; 1 to 4096 are possible", SIZE_MAX);
    expect(&library, OB_E_ARGUMENT, text);
    static const char *const bad_names[] = {
        NULL,          "",  "with space", "new\nline",
        "\x1b[31mred", "ä", "a:b",        "a123456789b123456789c123456789d123456789e123456789f123456789g123"};
    for (size_t i = 0; i < sizeof bad_names / sizeof bad_names[0]; i++) {
        library = library_of(&good, 1);
        library.name = bad_names[i];
        expect(&library, OB_E_ARGUMENT, "the operator library has no valid name");
        library = library_of(&good, 1);
        library.version = bad_names[i];
        expect(&library, OB_E_ARGUMENT, "library lib has no valid version");
        ob_operator row = good;
        row.domain = bad_names[i];
        expect_row(row, OB_E_ARGUMENT, "library lib 1.2, row 0 has no valid domain");
        row = good;
        row.name = bad_names[i];
        expect_row(row, OB_E_ARGUMENT, "library lib 1.2, row 0 has no valid name");
    }
    library = library_of(&good, 1); /* 63 bytes are fine */
    library.name = "a123456789b123456789c123456789d123456789e123456789f123456789g12";
    expect(&library, OB_OK, "");
}

#define ROW "library lib 1.2, row 0 (my.domain.Good): "

static void rows_are_checked(void **state) {
    (void)state;
    ob_operator row = good;
    char text[200];
    row.struct_bytes = 16;
    snprintf(text, sizeof text, "library lib 1.2, row 0: ob_operator has 16 bytes there, %zu here", sizeof row);
    expect_row(row, OB_E_UNSUPPORTED, text);
    static const int32_t versions[] = {0, -1, INT32_MIN, 32768, INT32_MAX};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        row = good;
        row.since = versions[i];
        snprintf(text, sizeof text, ROW "version %d is not one of 1 to 32767", (int)versions[i]);
        expect_row(row, OB_E_ARGUMENT, text);
    }
    row = good;
    row.run = NULL;
    expect_row(row, OB_E_ARGUMENT, ROW "run is NULL");
    row = good;
    row.shape = NULL;
    expect_row(row, OB_E_ARGUMENT, ROW "shape is NULL");
    row = good;
    row.flags = OB_OPERATOR_BROADCASTS;
    expect_row(row, OB_E_ARGUMENT, ROW "it broadcasts, which is its shape rule: shape must be NULL");
    row.shape = NULL;
    expect_row(row, OB_OK, "");
    row.flags = 0x81;
    expect_row(row, OB_E_ARGUMENT, ROW "flags 0x80 do not exist");
    row = good;
    row.state_bytes = OB_OPERATOR_MAX_STATE;
    expect_row(row, OB_OK, "");
    row.state_bytes = SIZE_MAX - 8;
    snprintf(text, sizeof text, ROW "state of %zu bytes; at most 1048576 are possible", SIZE_MAX - 8);
    expect_row(row, OB_E_ARGUMENT, text);
    row = good;
    row.types[0] = 0;
    expect_row(row, OB_E_ARGUMENT, ROW "types[0] of letter T is empty");
    row.types[0] = UINT64_C(1) << 40;
    expect_row(row, OB_E_ARGUMENT, ROW "types[0] has bits that are not an element type");
    row.types[0] = 1;
    expect_row(row, OB_E_ARGUMENT, ROW "types[0] has bits that are not an element type");
}

static void built_in_operators_stay(void **state) {
    (void)state;
    static const struct {
        const char *domain, *name;
        bool taken;
    } cases[] = {{"ai.onnx", "Add", false},         {"ai.onnx", "Mine", false},
                 {"ai.onnx.ml", "Mine", false},     {"ai.onnxx", "Mine", true},
                 {"onnx_broadcast", "Mine", false}, {"com.microsoft", "QLinearAdd", false},
                 {"com.microsoft", "Mine", true},   {"onnx_broadcast2", "Broadcast", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ob_operator row = good;
        row.domain = cases[i].domain;
        row.name = cases[i].name;
        char text[200] = "";
        if (!cases[i].taken)
            snprintf(text, sizeof text, "library lib 1.2, row 0 (%s.%s): built-in operators and their domains cannot be replaced",
                     row.domain, row.name);
        expect_row(row, cases[i].taken ? OB_OK : OB_E_ARGUMENT, text);
    }
}

static void signatures_are_checked(void **state) {
    (void)state;
    static const char *const fine[] = {">T", "T>T", "TT?>T", "TT*>T", "T~>T", "T>T*", "T>TT?", "ijfdhbsu>i", "T*>T~"};
    static const char *const wrong[] = {NULL,
                                        "",
                                        ">",
                                        "T",
                                        "T>",
                                        "TT",
                                        "T>>T",
                                        "T>T>T",
                                        "t>T",
                                        "X>T",
                                        "?>T",
                                        "T?T>T",
                                        "T*T>T",
                                        "T~*>T",
                                        "T>*",
                                        "T >T",
                                        ".>T",
                                        "T>T?T",
                                        "T?"
                                        "?>T",
                                        "T>T*T",
                                        "T\n>T"};
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        ob_operator row = good;
        row.signature = fine[i];
        expect_row(row, OB_OK, "");
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ob_operator row = good;
        char text[200];
        row.signature = wrong[i];
        snprintf(text, sizeof text, ROW "the signature \"%s\" is ill-formed", wrong[i] ? wrong[i] : "");
        for (char *c = text; *c; c++)
            if (*c == '\n') *c = '?';
        expect_row(row, OB_E_ARGUMENT, text);
    }
    char letters[67];
    memset(letters, 'T', sizeof letters);
    letters[62] = '>';
    letters[64] = '\0'; /* 64 */
    ob_operator row = good;
    row.signature = letters;
    expect_row(row, OB_OK, "");
    letters[64] = 'T';
    letters[65] = '\0';
    ob_operators *operators = new_registry();
    const ob_operator_library library = library_of(&row, 1);
    assert_int_equal(ob_operators_add(operators, &library, NULL), OB_E_ARGUMENT);
    ob_operators_close(&operators);
}

static void expect_attributes(const ob_operator_attribute *attributes, size_t n, const char *message) {
    ob_operator row = good;
    row.attributes = attributes;
    row.n_attributes = n;
    expect_row(row, *message ? OB_E_ARGUMENT : OB_OK, message);
}

static void attributes_are_checked(void **state) {
    (void)state;
    static const int64_t list[2] = {1, 2};
    ob_operator_attribute a[2] = {{.name = "axis", .kind = OB_ATTRIBUTE_INT}, {.name = "mode", .kind = OB_ATTRIBUTE_TEXT}};
    expect_attributes(a, 2, "");
    expect_attributes(NULL, 2, ROW "the table of 2 attributes is NULL or too long");
    char text[200];
    snprintf(text, sizeof text, ROW "the table of %zu attributes is NULL or too long", SIZE_MAX);
    expect_attributes(a, SIZE_MAX, text);
    a[1].name = "axis";
    expect_attributes(a, 2, ROW "attribute axis is there twice");
    a[1].name = NULL;
    expect_attributes(a, 2, ROW "attribute 1 has no valid name");
    a[1].name = "list";
    a[1].kind = (ob_attribute_kind)0;
    expect_attributes(a, 2, ROW "attribute list has the kind 0, which does not exist");
    a[1].kind = (ob_attribute_kind)7;
    expect_attributes(a, 2, ROW "attribute list has the kind 7, which does not exist");
    a[1].kind = OB_ATTRIBUTE_INTS;
    a[1].n = 2;
    expect_attributes(a, 2, ROW "the default of attribute list is not of its kind");
    a[1].list = list;
    expect_attributes(a, 2, "");
    a[1].n = 0;
    expect_attributes(a, 2, ROW "the default of attribute list is not of its kind");
    a[1].n = 2;
    a[1].kind = OB_ATTRIBUTE_INT;
    expect_attributes(a, 2, ROW "the default of attribute list is not of its kind");
}

static void versions_of_one_operator(void **state) {
    (void)state;
    ob_operator rows[2] = {good, good};
    ob_operator_library library = library_of(rows, 2);
    expect(&library, OB_E_ARGUMENT, "my.domain.Good-1 of library lib 1.2 is in library lib 1.2 already");
    rows[1].since = 3;
    expect(&library, OB_OK, "");
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_are_checked),   cmocka_unit_test(rows_are_checked),
        cmocka_unit_test(built_in_operators_stay), cmocka_unit_test(signatures_are_checked),
        cmocka_unit_test(attributes_are_checked),  cmocka_unit_test(versions_of_one_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
