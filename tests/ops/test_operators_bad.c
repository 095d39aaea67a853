/* Operators from libraries that misbehave in the shape rule, in plan or in run. Each gives an error with its message. */
#include "oplib.h"

#define OF_SHAPES "-1 of library bad_shapes 1.0 "
#define OF_RUNS   "-1 of library bad_runs 1.0 "

/* ---- Shape rules ---- */

static ob_operators *shapes;

static void expect_finding(const char *call, const char *text) {
    char found[700];
    ob_model *model = model_of_operator("test", call, "float[4] x", "float[n] y", shapes);
    assert_string_equal(first_error_of(model, found, sizeof found), text);
    ob_model_close(&model);
}

/* The same through a session: nothing runs. */
static void expect_no_run(const char *call, ob_status status, const char *text) {
    ob_model *model = model_of_operator("test", call, "float[4] x", "float[n] y", shapes);
    float x[4] = {1, 2, 3, 4}, y[4];
    ob_view in, out;
    ob_error error;
    assert_int_equal(ob_view_init(&in, x, OB_FLOAT, 1, (int64_t[]){4}), OB_OK);
    assert_int_equal(run_once(model, &in, 1, y, sizeof y, &out, &error), status);
    assert_string_equal(error.message, text);
    assert_string_equal(error.node, "n");
    ob_model_close(&model);
}

static void shape_rules_that_misbehave(void **state) {
    (void)state;
    shapes = registry_of_file(LIBRARY_FILE("bad_shapes"));
    expect_finding("NoOutput (x)", "OB0605 NoOutput" OF_SHAPES "sets no shape for output 0");
    expect_finding("HugeRank (x)", "OB0605 HugeRank" OF_SHAPES "sets output 0 to rank 33; at most 32 is possible");
    expect_finding("NegativeRank (x)", "OB0605 NegativeRank" OF_SHAPES "sets output 0 to rank -2; at most 32 is possible");
    expect_finding("NullDims (x)", "OB0605 NullDims" OF_SHAPES "sets output 0 to rank 2 without dims");
    expect_finding("NegativeSize (x)", "OB0605 NegativeSize" OF_SHAPES "sets axis 1 of output 0 to the size -3");
    expect_finding("NoDim (x)", "OB0605 NoDim" OF_SHAPES "sets axis 0 of output 0 to a value that is not a dim");
    expect_finding("OutputRange (x)", "OB0605 OutputRange" OF_SHAPES "sets output 1, but has 1");
    expect_finding("WrongType (x)",
                   "OB0605 WrongType" OF_SHAPES "sets output 0 to element type int64, which its signature does not allow");
    expect_finding("NoType (x)", "OB0605 NoType" OF_SHAPES "leaves the element type of output 0 open");
    expect_finding("WrongChoice (x)",
                   "OB0605 WrongChoice" OF_SHAPES "sets output 0 to element type int64, which its signature does not allow");
    expect_finding("Type99 (x)",
                   "OB0605 Type99" OF_SHAPES "sets output 0 to element type invalid, which its signature does not allow");
    expect_finding("Silent (x)", "OB0601 Silent" OF_SHAPES "failed in shape without a message: incompatible shapes");
    expect_finding("Status99 (x)", "OB0605 Status99" OF_SHAPES "returned 99 from shape, which is not a status");
    expect_finding("FailsWithOk (x)", "OB0605 FailsWithOk" OF_SHAPES "failed with 0, which is not an error");
    expect_finding("NullMessage (x)", "OB0605 NullMessage" OF_SHAPES "failed with a NULL message");
    expect_finding("WrongAttribute (x)",
                   "OB0605 WrongAttribute" OF_SHAPES "reads the attribute colour, which is not in its table");
    expect_finding("WrongKind (x)",
                   "OB0605 WrongKind" OF_SHAPES "reads the attribute n with attribute_real, but it is a whole number");
    expect_finding("WrongPhase (x)", "OB0605 WrongPhase" OF_SHAPES "calls need_scratch in shape");
    expect_finding("WrongCondition (x)", "OB0605 WrongCondition" OF_SHAPES "requires condition 77, which does not exist");
    expect_finding("MultipleOf0 (x)", "OB0605 MultipleOf0" OF_SHAPES "requires a multiple of a number below 1");
    expect_finding("BroadcastsMore (x)", "OB0605 BroadcastsMore" OF_SHAPES "broadcasts 2 operands of 1");
    expect_finding("OutOfMemory (x)", "out of memory");
    expect_finding("FarAway (x)", "OB0601 2 must equal 3");
    /* A result that contradicts the model's declaration is an error of the model, as for any operator. */
    ob_model *model = model_of_operator("test", "OneMore (x)", "float[4] x", "float[4] y", shapes);
    char found[700];
    assert_string_equal(first_error_of(model, found, sizeof found), "OB0501 axis 0 of \"y\" is declared as 4 and inferred as 5");
    ob_model_close(&model);
    expect_no_run("NoOutput (x)", OB_E_INTERNAL, "NoOutput" OF_SHAPES "sets no shape for output 0");
    expect_no_run("NegativeSize (x)", OB_E_INTERNAL, "NegativeSize" OF_SHAPES "sets axis 1 of output 0 to the size -3");
    expect_no_run("Silent (x)", OB_E_SHAPE, "Silent" OF_SHAPES "failed in shape without a message: incompatible shapes");
    ob_operators_close(&shapes);
}

static void attributes_of_nodes_are_checked(void **state) {
    (void)state;
    shapes = registry_of_file(LIBRARY_FILE("edge_operators"));
    char found[700];
    static const struct {
        const char *call, *text;
    } cases[] = {
        {"Frames <size: int = 2> (x)", ""},
        {"Frames (x)", "OB0602 Frames-1 needs the attribute size"},
        {"Frames <size: int = 2, colour: int = 1> (x)", "OB0602 Frames-1 has no attribute colour"},
        {"Frames <size: float = 2.0> (x)", "OB0602 attribute size of Frames-1 must be a whole number"},
        {"Frames <size: int = 0> (x)", "OB0602 size and step must be 1 or more"},
        {"Frames <size: int = 5> (x)", "OB0601 4 must be at least 5"},
        {"Frames <size: int = 2> (x, x)", "OB0603 2 inputs, the operator takes 1 to 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ob_model *model = model_of_operator("example.edge", cases[i].call, "float[4] x", "float[n, 2] y", shapes);
        assert_string_equal(first_error_of(model, found, sizeof found), cases[i].text);
        ob_model_close(&model);
    }
    ob_model *model = model_of_operator("example.edge", "Frames <size: int = 2> (x)", "double[4] x", "double[n, 2] y", shapes);
    assert_string_equal(first_error_of(model, found, sizeof found), "OB0604 operand 0 is double, which Frames-1 does not take");
    ob_model_close(&model);
    ob_operators_close(&shapes);
}

/* ---- Kernels ---- */

static void expect_failure(const ob_operators *runs, const char *name, ob_status status, const char *text) {
    char call[100];
    snprintf(call, sizeof call, "%s (x)", name);
    ob_model *model = model_of_operator("test", call, "float[N] x", "float[M] y", runs);
    float x[4] = {1, 2, 3, 4}, y[4] = {0};
    ob_view in, out;
    ob_error error;
    assert_int_equal(ob_view_init(&in, x, OB_FLOAT, 1, (int64_t[]){4}), OB_OK);
    assert_int_equal(run_once(model, &in, 1, y, sizeof y, &out, &error), status);
    assert_string_equal(error.message, text);
    assert_string_equal(error.node, "n");
    assert_string_equal(error.op_type, name);
    ob_model_close(&model);
}

static void kernels_that_misbehave(void **state) {
    (void)state;
    ob_operators *runs = registry_of_file(LIBRARY_FILE("bad_runs"));
    expect_failure(runs, "Fails", OB_E_ARGUMENT, "element 3 is the wrong one");
    expect_failure(runs, "Silent", OB_E_CONDITION,
                   "Silent" OF_RUNS "failed in run without a message: a condition of the model is broken");
    expect_failure(runs, "Status99", OB_E_INTERNAL, "Status99" OF_RUNS "returned -99 from run, which is not a status");
    expect_failure(runs, "Forgets", OB_E_ARGUMENT, "first message");
    expect_failure(runs, "SetsShape", OB_E_INTERNAL, "SetsShape" OF_RUNS "calls set_output in run");
    expect_failure(runs, "AsksLate", OB_E_INTERNAL, "AsksLate" OF_RUNS "calls need_scratch in run");
    expect_failure(runs, "NullTask", OB_E_INTERNAL, "NullTask" OF_RUNS "calls parallel with NULL or a negative number");
    expect_failure(runs, "NullLoop", OB_E_ARGUMENT, "loop and views must not be NULL");
    expect_failure(runs, "WrongViews", OB_E_SHAPE, "axis 0: size 5 of output 0 does not fit 4");
    expect_failure(runs, "MakesKnown", OB_E_INTERNAL, "MakesKnown" OF_RUNS "makes output 0, which has its memory already");
    expect_failure(runs, "MakesNinth", OB_E_INTERNAL, "MakesNinth" OF_RUNS "makes output 9, which the node does not have");
    expect_failure(runs, "MakesNegative", OB_E_INTERNAL,
                   "MakesNegative" OF_RUNS "makes output 0 with an impossible shape of rank 1");
    expect_failure(runs, "MakesHuge", OB_E_LIMIT, "no memory for output 0: limit exceeded");
    expect_failure(runs, "MakesNothing", OB_E_INTERNAL, "MakesNothing" OF_RUNS "makes no output 0");
    char text[100];
    snprintf(text, sizeof text, "scratch memory of %zu bytes is too large", SIZE_MAX - 3);
    expect_failure(runs, "ScratchOverAll", OB_E_LIMIT, text);
    expect_failure(runs, "PlanRefuses", OB_E_UNSUPPORTED, "no tables for this size");
    expect_failure(runs, "OpenShape", OB_E_UNSUPPORTED, "the shape of its result cannot be inferred from its operands");
    ob_operators_close(&runs);
}

/* The error names operand and axis. */
static void failures_name_operand_and_axis(void **state) {
    (void)state;
    ob_operators *runs = registry_of_file(LIBRARY_FILE("bad_runs"));
    ob_model *model = model_of_operator("test", "Fails (x)", "float[4] x", "float[4] y", runs);
    float x[4] = {1, 2, 3, 4};
    ob_view in, out;
    ob_error error;
    assert_int_equal(ob_view_init(&in, x, OB_FLOAT, 1, (int64_t[]){4}), OB_OK);
    assert_int_equal(run_once(model, &in, 1, x, sizeof x, &out, &error), OB_E_ARGUMENT);
    assert_int_equal(error.axis, 1);
    assert_string_equal(error.value, "x");
    ob_model_close(&model);
    ob_operators_close(&runs);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    if (!libraries_can_be_loaded()) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape_rules_that_misbehave),
        cmocka_unit_test(attributes_of_nodes_are_checked),
        cmocka_unit_test(kernels_that_misbehave),
        cmocka_unit_test(failures_name_operand_and_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
