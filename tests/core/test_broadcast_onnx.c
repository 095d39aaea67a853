/* ONNX Broadcasting: multidirectional, unidirectional, opset 1-6; conditions, malformed input, messages. */
#include "ops/table/op.h"
#include "shapes.h"

#define AXES(...) ((int64_t[]){__VA_ARGS__})

/* ---- Multidirectional: the examples of ONNX docs/Broadcasting.md ---- */

static void onnx_multidirectional_examples(void **state) {
    (void)state;
    const ob_shape common = SHAPE(2, 3, 4, 5);
    assert_broadcast(SHAPE(2, 3, 4, 5), SCALAR, common);
    assert_broadcast(SHAPE(2, 3, 4, 5), SHAPE(5), common);
    assert_broadcast(SHAPE(4, 5), SHAPE(2, 3, 4, 5), common);
    assert_broadcast(SHAPE(1, 4, 5), SHAPE(2, 3, 1, 1), common);
    assert_broadcast(SHAPE(3, 4, 5), SHAPE(2, 1, 1, 1), common);
}

static void onnx_multidirectional_takes_any_number_of_operands(void **state) {
    (void)state;
    ob_broadcast_result result;
    const ob_shape three[] = {SHAPE(5, 1), SHAPE(3, 1, 1), SHAPE(4)}; /* Where, Sum, Max ... */
    assert_int_equal(ob_broadcast_shapes(three, 3, NULL, NULL, NULL, &result, NULL), OB_OK);
    assert_dims(&result, SHAPE(3, 5, 4));
    assert_int_equal(ob_broadcast_shapes(three, 1, NULL, NULL, NULL, &result, NULL), OB_OK);
    assert_dims(&result, SHAPE(5, 1));
    const ob_shape clash[] = {SHAPE(5, 1), SHAPE(7), SHAPE(1), SHAPE(6)};
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_broadcast_shapes(clash, 4, NULL, NULL, NULL, &result, &error), OB_E_SHAPE);
    assert_string_equal(error.message, "axis 1: 7 (operand 1) does not broadcast with 6 (operand 3)");
    assert_int_equal(error.axis, 1);
}

/* The 24 operators that broadcast by the specification: by the texts of the operators, since the overview page omits seven. */
static void onnx_24_operators_broadcast_multidirectionally(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t since; /* the opset from which it broadcasts by itself */
        bool has_axis; /* `broadcast` and `axis` before */
    } rows[] = {
        {"Add", 7, true},
        {"And", 7, true},
        {"BitShift", 11, false},
        {"BitwiseAnd", 18, false},
        {"BitwiseOr", 18, false},
        {"BitwiseXor", 18, false},
        {"Div", 7, true},
        {"Equal", 7, true},
        {"Expand", 8, false},
        {"Greater", 7, true},
        {"GreaterOrEqual", 12, false},
        {"Less", 7, true},
        {"LessOrEqual", 12, false},
        {"Max", 8, false},
        {"Mean", 8, false},
        {"Min", 8, false},
        {"Mod", 10, false},
        {"Mul", 7, true},
        {"Or", 7, true},
        {"Pow", 7, true},
        {"Sub", 7, true},
        {"Sum", 8, false},
        {"Where", 9, false},
        {"Xor", 7, true},
    };
    enum { COUNT = sizeof rows / sizeof *rows };
    assert_int_equal(COUNT, 24);
    for (int i = 0; i < COUNT; i++) {
        ob_broadcast_kind expected = strcmp(rows[i].name, "Expand") == 0 ? OB_BCAST_EXPAND : OB_BCAST_MULTI;
        for (int64_t opset = 1; opset <= 24; opset++) {
            const ob_op *op = ob__op_find("", rows[i].name, opset);
            if (opset >= rows[i].since) assert_non_null(op);
            if (!op) continue;
            ob_broadcast_kind before = rows[i].has_axis ? OB_BCAST_LEGACY : OB_BCAST_NONE;
            assert_int_equal(op->broadcast, opset >= rows[i].since ? expected : before);
        }
    }
    /* and no other except StringConcat, whose text says "NumPy-style" */
    size_t n_others = 0;
    for (size_t k = 0; k < ob__op_count(); k++) {
        const ob_op *op = ob__op_at(k);
        if (op->domain[0] || (op->broadcast != OB_BCAST_MULTI && op->broadcast != OB_BCAST_EXPAND)) continue;
        bool listed = strcmp(op->name, "StringConcat") == 0;
        for (int i = 0; i < COUNT; i++) listed = listed || strcmp(rows[i].name, op->name) == 0;
        n_others += !listed;
    }
    assert_int_equal(n_others, 0);
}

/* ---- Unidirectional ---- */

static void onnx_4_operators_broadcast_one_way(void **state) {
    (void)state;
    static const char *const names[] = {"PRelu", "Gemm", "LayerNormalization", "RMSNormalization"};
    for (int i = 0; i < 4; i++) {
        const ob_op *op = ob__op_find("", names[i], 0);
        assert_non_null(op);
        assert_int_equal(op->broadcast, OB_BCAST_UNI);
    }
}

static ob_status to(ob_shape from, ob_shape target, ob_error *error) {
    ob_error_clear(error);
    return ob_broadcast_to(&from, &target, NULL, NULL, NULL, error);
}

static void onnx_unidirectional_examples(void **state) {
    (void)state;
    ob_error error;
    const ob_shape a = SHAPE(2, 3, 4, 5);
    assert_int_equal(to(SCALAR, a, &error), OB_OK);
    assert_int_equal(to(SHAPE(5), a, &error), OB_OK);
    assert_int_equal(to(SHAPE(2, 1, 1, 5), a, &error), OB_OK);
    assert_int_equal(to(SHAPE(1, 3, 1, 5), a, &error), OB_OK);
    assert_int_equal(to(a, a, &error), OB_OK);
    assert_int_equal(to(SCALAR, SCALAR, &error), OB_OK);
}

static void onnx_prelu_slope_64_on_1x64x8x8_is_an_error(void **state) {
    (void)state;
    ob_error error;
    assert_int_equal(to(SHAPE(64), SHAPE(1, 64, 8, 8), &error), OB_E_SHAPE);
    assert_int_equal(error.axis, 3);
    assert_string_equal(error.message, "axis 3: 64 (operand 0) does not broadcast to 8 (operand 1)");
    assert_int_equal(to(SHAPE(64, 1, 1), SHAPE(1, 64, 8, 8), &error), OB_OK);
}

static void onnx_gemm_c_7_on_2x4_is_an_error(void **state) {
    (void)state;
    ob_error error;
    assert_int_equal(to(SHAPE(7), SHAPE(2, 4), &error), OB_E_SHAPE);
    assert_int_equal(error.axis, 1);
    assert_int_equal(to(SHAPE(4), SHAPE(2, 4), &error), OB_OK);
    assert_int_equal(to(SHAPE(2, 1), SHAPE(2, 4), &error), OB_OK);
}

static void onnx_unidirectional_never_grows_the_target(void **state) {
    (void)state;
    ob_error error;
    assert_int_equal(to(SHAPE(4), SHAPE(1), &error), OB_E_SHAPE);
    assert_int_equal(to(SHAPE(1, 1), SHAPE(1), &error), OB_E_SHAPE);
    assert_int_equal(error.axis, -1);
    assert_string_equal(error.message, "rank 2 (operand 0) does not broadcast to rank 1 (operand 1)");
    assert_int_equal(to(SHAPE(1), SCALAR, &error), OB_E_SHAPE);
}

static void onnx_unidirectional_size_0(void **state) {
    (void)state;
    ob_error error;
    assert_int_equal(to(SHAPE(1), SHAPE(0), &error), OB_OK);
    assert_int_equal(to(SHAPE(0), SHAPE(0), &error), OB_OK);
    assert_int_equal(to(SHAPE(0), SHAPE(1), &error), OB_E_SHAPE);
    assert_int_equal(to(SHAPE(3), SHAPE(0), &error), OB_E_SHAPE);
    assert_int_equal(to(SCALAR, SHAPE(2, 0), &error), OB_OK);
}

/* ---- Conditions ---- */

static void onnx_symbols_leave_conditions(void **state) {
    fixture *f = *state;
    const ob_shape operands[] = {SHAPE(f->n, f->m), SHAPE(f->m, 5)};
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_shapes(operands, 2, f->pool, collect_condition, &f->conditions, &result, NULL), OB_OK);
    assert_dims(&result, SHAPE(ob_dim_bcast(f->pool, f->n, f->m), 5));
    assert_int_equal(f->conditions.n, 2);
    assert_condition_text(f->pool, &f->conditions.items[0], "M = N or M = 1 or N = 1");
    assert_int_equal(f->conditions.operands[0], 1);
    assert_int_equal(f->conditions.axes[0], 0);
    assert_condition_text(f->pool, &f->conditions.items[1], "M = 1 or M = 5");
    assert_int_equal(f->conditions.operands[1], 0);
    assert_int_equal(f->conditions.axes[1], 1);
}

static void onnx_a_broadcast_term_brings_no_new_condition(void **state) {
    fixture *f = *state;
    ob_dim both = ob_dim_bcast(f->pool, f->n, f->m);
    const ob_shape operands[] = {SHAPE(both), SHAPE(f->n), SHAPE(f->m), SHAPE(both)};
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_shapes(operands, 4, f->pool, collect_condition, &f->conditions, &result, NULL), OB_OK);
    assert_dims(&result, SHAPE(both));
    assert_int_equal(f->conditions.n, 0);
}

static void onnx_operands_that_share_a_term_share_its_condition(void **state) {
    fixture *f = *state;
    const ob_shape operands[] = {SHAPE(f->n), SHAPE(4), SHAPE(f->n), SHAPE(UNKNOWN), SHAPE(UNKNOWN)};
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_shapes(operands, 5, f->pool, collect_condition, &f->conditions, &result, NULL), OB_OK);
    assert_dims(&result, SHAPE(4));
    assert_int_equal(f->conditions.n, 3); /* N once, each unknown size on its own */
}

static void onnx_terms_that_cannot_meet_are_an_error(void **state) {
    fixture *f = *state;
    ob_dim even = ob_dim_add(f->pool, ob_dim_mul(f->pool, f->n, 2), 2);
    const ob_shape operands[] = {SHAPE(f->m, 9), SHAPE(4, even)};
    ob_broadcast_result result;
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_broadcast_shapes(operands, 2, f->pool, collect_condition, &f->conditions, &result, &error), OB_E_SHAPE);
    assert_string_equal(error.message, "axis 1: 9 (operand 0) does not broadcast with 2*N + 2 (operand 1)");
    assert_int_equal(error.axis, 1);
    assert_int_equal(f->conditions.n, 0); /* nothing was reported from axis 0 */
}

static void onnx_size_0_meets_symbols(void **state) {
    fixture *f = *state;
    const ob_shape operands[] = {SHAPE(f->n), SHAPE(0)};
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_shapes(operands, 2, f->pool, collect_condition, &f->conditions, &result, NULL), OB_OK);
    assert_dims(&result, SHAPE(0));
    assert_int_equal(f->conditions.n, 1);
    assert_condition_text(f->pool, &f->conditions.items[0], "N = 1 or N = 0");
}

static void onnx_unknown_rank_still_checks_the_others(void **state) {
    fixture *f = *state;
    ob_broadcast_result result;
    const ob_shape open[] = {SHAPE(f->n), UNRANKED, SHAPE(4)};
    assert_int_equal(ob_broadcast_shapes(open, 3, f->pool, collect_condition, &f->conditions, &result, NULL), OB_OK);
    assert_int_equal(result.rank, OB_RANK_UNKNOWN);
    assert_int_equal(f->conditions.n, 1);
    const ob_shape clash[] = {SHAPE(3), UNRANKED, SHAPE(4)};
    assert_int_equal(ob_broadcast_shapes(clash, 3, f->pool, NULL, NULL, &result, NULL), OB_E_SHAPE);
    assert_int_equal(ob_broadcast_to(&UNRANKED, &SHAPE(4), NULL, NULL, NULL, NULL), OB_OK);
    assert_int_equal(ob_broadcast_to(&SHAPE(4), &UNRANKED, NULL, NULL, NULL, NULL), OB_OK);
}

static void onnx_unidirectional_conditions(void **state) {
    fixture *f = *state;
    const ob_shape from = SHAPE(f->n, f->m, 1), target = SHAPE(2, f->n, 7, f->m);
    assert_int_equal(ob_broadcast_to(&from, &target, f->pool, collect_condition, &f->conditions, NULL), OB_OK);
    assert_int_equal(f->conditions.n, 1); /* N with N and 1 with M need none */
    assert_int_equal(f->conditions.items[0].kind, OB_COND_BROADCAST_TO);
    assert_condition_text(f->pool, &f->conditions.items[0], "M = 1 or M = 7");
    assert_int_equal(f->conditions.axes[0], 2);
    const ob_shape grown = SHAPE(f->m);
    f->conditions.n = 0;
    assert_int_equal(ob_broadcast_to(&grown, &SHAPE(f->n), f->pool, collect_condition, &f->conditions, NULL), OB_OK);
    assert_condition_text(f->pool, &f->conditions.items[0], "M = N or M = 1");
    f->conditions.n = 0;
    assert_int_equal(ob_broadcast_to(&SHAPE(4), &SHAPE(f->n), f->pool, collect_condition, &f->conditions, NULL), OB_OK);
    assert_condition_text(f->pool, &f->conditions.items[0], "4 = N");
    assert_int_equal(ob_broadcast_to(&SHAPE(4), &SHAPE(f->n), f->pool, NULL, NULL, NULL), OB_OK); /* not reported */
}

static ob_status refuse(void *context, const ob_condition *condition, size_t operand, int32_t axis) {
    (void)context, (void)condition, (void)operand, (void)axis;
    return OB_E_CONDITION;
}

static void onnx_a_sink_can_end_the_call(void **state) {
    fixture *f = *state;
    const ob_shape operands[] = {SHAPE(f->n), SHAPE(4)};
    ob_broadcast_result result = {.rank = 77};
    assert_int_equal(ob_broadcast_shapes(operands, 2, f->pool, refuse, NULL, &result, NULL), OB_E_CONDITION);
    assert_int_equal(ob_broadcast_to(&operands[0], &operands[1], f->pool, refuse, NULL, NULL), OB_E_CONDITION);
    assert_int_equal(result.rank, 77);
}

static void onnx_as_many_terms_as_a_broadcast_term_holds(void **state) {
    fixture *f = *state;
    enum { COUNT = 32 };
    static ob_dim dims[COUNT + 1];
    static ob_shape operands[COUNT + 1];
    static ob_binding bindings[COUNT];
    for (int i = 0; i <= COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        dims[i] = ob_dim_symbol(f->pool, name);
        operands[i] = (ob_shape){1, &dims[i]};
    }
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_shapes(operands, COUNT, f->pool, collect_condition, &f->conditions, &result, NULL), OB_OK);
    assert_true(ob_dim_is_term(result.dims[0]));
    ob_error error; /* one size more fails before anything is reported */
    ob_broadcast_result untouched = {.rank = 77};
    size_t n_conditions = f->conditions.n;
    assert_int_equal(ob_broadcast_shapes(operands, COUNT + 1, f->pool, collect_condition, &f->conditions, &untouched, &error),
                     OB_E_LIMIT);
    assert_string_equal(error.message, "axis 0: more than 32 different sizes meet");
    assert_int_equal(untouched.rank, 77);
    assert_int_equal(f->conditions.n, n_conditions);
    /* every pair is tested: 2 with 3 fails at any two places */
    uint64_t seed = 5;
    for (int round = 0; round < 200; round++) {
        size_t a = pick(&seed, COUNT), b = pick(&seed, COUNT);
        if (a == b) continue;
        for (size_t i = 0; i < COUNT; i++) bindings[i] = (ob_binding){dims[i], i == a ? 2 : i == b ? 2 + round % 2 : 1};
        bool all = true;
        for (size_t i = 0; i < f->conditions.n && all; i++)
            assert_int_equal(ob_condition_eval(f->pool, &f->conditions.items[i], bindings, COUNT, &all), OB_OK);
        assert_int_equal(all, round % 2 == 0);
    }
}

/* ---- Opset 1-6 ---- */

static void check_legacy(ob_shape a, ob_shape b, bool given, int64_t axis, size_t n, const int64_t *expected) {
    int64_t dimensions[OB_MAX_RANK];
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_broadcast_legacy(&a, &b, given, axis, NULL, NULL, NULL, dimensions, &error), OB_OK);
    for (size_t i = 0; i < n; i++) assert_int_equal(dimensions[i], expected[i]);
    ob_broadcast_result aligned; /* the result is a valid BroadcastInDim */
    assert_int_equal(ob_align_in_dim(&b, dimensions, n, a.rank, &aligned, &error), OB_OK);
    assert_int_equal(ob_broadcast_to(&(ob_shape){aligned.rank, aligned.dims}, &a, NULL, NULL, NULL, &error), OB_OK);
}

static void onnx_add_6_scalar(void **state) {
    (void)state;
    check_legacy(SHAPE(2, 3, 4, 5), SCALAR, false, 0, 0, NULL);
    check_legacy(SHAPE(2, 3, 4, 5), SHAPE(1), false, 0, 1, AXES(3));
}
static void onnx_add_6_suffix_5(void **state) {
    (void)state;
    check_legacy(SHAPE(2, 3, 4, 5), SHAPE(5), false, 0, 1, AXES(3));
}
static void onnx_add_6_suffix_4x5(void **state) {
    (void)state;
    check_legacy(SHAPE(2, 3, 4, 5), SHAPE(4, 5), false, 0, 2, AXES(2, 3));
}
static void onnx_add_6_middle_3x4_axis_1(void **state) {
    (void)state;
    check_legacy(SHAPE(2, 3, 4, 5), SHAPE(3, 4), true, 1, 2, AXES(1, 2));
}
static void onnx_add_6_prefix_2_axis_0(void **state) {
    (void)state;
    check_legacy(SHAPE(2, 3, 4, 5), SHAPE(2), true, 0, 1, AXES(0));
}
static void onnx_add_6_negative_axis(void **state) {
    (void)state;
    check_legacy(SHAPE(2, 3, 4, 5), SHAPE(3, 4), true, -3, 2, AXES(1, 2));
    check_legacy(SHAPE(2, 3, 4, 5), SHAPE(5), true, -1, 1, AXES(3));
    check_legacy(SHAPE(2, 3, 4, 5), SHAPE(2, 3, 4, 5), true, -4, 4, AXES(0, 1, 2, 3));
}
static void onnx_add_6_one_element_goes_anywhere(void **state) {
    (void)state;
    check_legacy(SHAPE(2, 3, 4, 5), SHAPE(1, 1), true, 3, 2, AXES(2, 3));
    check_legacy(SHAPE(2, 3, 4, 5), SCALAR, true, 9, 0, NULL);
    check_legacy(SHAPE(2, 3, 4, 5), SHAPE(1), true, 1, 1, AXES(1));
    check_legacy(SCALAR, SCALAR, true, 0, 0, NULL);
}

static void legacy_fails(ob_shape a, ob_shape b, bool given, int64_t axis, ob_status status, int32_t at, const char *message) {
    int64_t dimensions[OB_MAX_RANK] = {-7};
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_broadcast_legacy(&a, &b, given, axis, NULL, NULL, NULL, dimensions, &error), status);
    assert_int_equal(error.axis, at);
    assert_string_equal(error.message, message);
    assert_int_equal(dimensions[0], -7);
}

static void onnx_add_6_what_does_not_fit(void **state) {
    (void)state;
    const ob_shape a = SHAPE(2, 3, 4, 5);
    legacy_fails(a, SHAPE(3, 4), false, 0, OB_E_SHAPE, 2, "axis 2: 3 (operand 1) does not broadcast to 4 (operand 0)");
    legacy_fails(a, SHAPE(3, 5), true, 1, OB_E_SHAPE, 2, "axis 2: 5 (operand 1) does not broadcast to 4 (operand 0)");
    legacy_fails(a, SHAPE(4, 5), true, 3, OB_E_SHAPE, -1, "axis = 3 does not place rank 2 (operand 1) within rank 4 (operand 0)");
    legacy_fails(a, SHAPE(5), true, 4, OB_E_SHAPE, -1, "axis = 4 does not place rank 1 (operand 1) within rank 4 (operand 0)");
    legacy_fails(a, SHAPE(5), true, -5, OB_E_SHAPE, -1, "axis = -5 does not place rank 1 (operand 1) within rank 4 (operand 0)");
    legacy_fails(a, SHAPE(5), true, INT64_MIN, OB_E_SHAPE, -1,
                 "axis = -9223372036854775808 does not place rank 1 (operand 1) within rank 4 (operand 0)");
    legacy_fails(SHAPE(5), SHAPE(1, 5), false, 0, OB_E_SHAPE, -1, "rank 2 (operand 1) does not fit into rank 1 (operand 0)");
    legacy_fails(UNRANKED, SHAPE(5), false, 0, OB_E_ARGUMENT, -1, "the mapping needs operands of known rank");
    legacy_fails(SHAPE(5), UNRANKED, false, 0, OB_E_ARGUMENT, -1, "the mapping needs operands of known rank");
    legacy_fails(SHAPE(1), SHAPE(5), false, 0, OB_E_SHAPE, 0, "axis 0: 5 (operand 1) does not broadcast to 1 (operand 0)");
    legacy_fails(SHAPE(0), SHAPE(5), false, 0, OB_E_SHAPE, 0, "axis 0: 5 (operand 1) does not broadcast to 0 (operand 0)");
}

static void onnx_add_6_conditions(void **state) {
    fixture *f = *state;
    const ob_shape a = SHAPE(2, f->n, 4), b = SHAPE(f->m, 4);
    int64_t dimensions[OB_MAX_RANK];
    assert_int_equal(ob_broadcast_legacy(&a, &b, true, 1, f->pool, collect_condition, &f->conditions, dimensions, NULL), OB_OK);
    assert_int_equal(f->conditions.n, 1);
    assert_int_equal(f->conditions.operands[0], 1);
    assert_int_equal(f->conditions.axes[0], 1);
    assert_condition_text(f->pool, &f->conditions.items[0], "M = N or M = 1");
}

/* ---- Malformed input ---- */

static void malformed_shapes_are_refused(void **state) {
    (void)state;
    ob_broadcast_result result = {.rank = 77};
    ob_error error;
    ob_error_clear(&error);
    const ob_dim dims[2] = {2, 3};
    const ob_dim high[OB_MAX_RANK + 1] = {1};
    const struct {
        ob_shape shape;
        ob_status status;
        const char *message;
    } rows[] = {
        {{2, DIMS(2, -3)}, OB_E_ARGUMENT, "dimension 1 of operand 1 is negative: -3"},
        {{-2, dims}, OB_E_ARGUMENT, "operand 1 has a negative rank: -2"},
        {{2, NULL}, OB_E_ARGUMENT, "operand 1 has no dimensions"},
        {{OB_MAX_RANK + 1, high}, OB_E_LIMIT, "operand 1 has rank 33, more than 32"},
        {{1, DIMS(INT64_MAX)}, OB_E_ARGUMENT, "dimension 0 of operand 1 is not a term of the pool"},
        {{1, DIMS(INT64_MIN + 1)}, OB_E_ARGUMENT, "dimension 0 of operand 1 is negative: -9223372036854775807"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ob_shape operands[] = {{2, dims}, rows[i].shape};
        assert_int_equal(ob_broadcast_shapes(operands, 2, NULL, NULL, NULL, &result, &error), rows[i].status);
        assert_string_equal(error.message, rows[i].message);
        assert_int_equal(ob_broadcast_mlir(operands, 2, NULL, NULL, NULL, &result, NULL), rows[i].status);
        assert_int_equal(ob_broadcast_to(&operands[0], &operands[1], NULL, NULL, NULL, NULL), rows[i].status);
        assert_int_equal(ob_broadcast_to(&operands[1], &operands[0], NULL, NULL, NULL, NULL), rows[i].status);
    }
    assert_int_equal(result.rank, 77);
    assert_int_equal(ob_broadcast_shapes(NULL, 2, NULL, NULL, NULL, &result, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_broadcast_shapes(&SCALAR, 1, NULL, NULL, NULL, NULL, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_broadcast_to(NULL, &SCALAR, NULL, NULL, NULL, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_broadcast_legacy(&SCALAR, NULL, false, 0, NULL, NULL, NULL, (int64_t[1]){0}, &error), OB_E_ARGUMENT);
}

static void unknown_sizes_need_no_pool(void **state) {
    (void)state;
    const ob_shape operands[] = {SHAPE(UNKNOWN, UNKNOWN, UNKNOWN), SHAPE(1, 4, UNKNOWN)};
    ob_broadcast_result result;
    condition_list list = {.n = 0};
    assert_int_equal(ob_broadcast_shapes(operands, 2, NULL, collect_condition, &list, &result, NULL), OB_OK);
    assert_dims(&result, SHAPE(UNKNOWN, 4, UNKNOWN));
    assert_int_equal(list.n, 2);
}

static void the_highest_rank_works(void **state) {
    (void)state;
    ob_dim a[OB_MAX_RANK], b[OB_MAX_RANK];
    for (int i = 0; i < OB_MAX_RANK; i++) {
        a[i] = i % 2 ? 1 : 3;
        b[i] = i % 2 ? 2 : 1;
    }
    const ob_shape operands[] = {{OB_MAX_RANK, a}, {OB_MAX_RANK, b}};
    ob_broadcast_result result;
    assert_int_equal(ob_broadcast_shapes(operands, 2, NULL, NULL, NULL, &result, NULL), OB_OK);
    assert_int_equal(result.rank, OB_MAX_RANK);
    for (int i = 0; i < OB_MAX_RANK; i++) assert_int_equal(result.dims[i], i % 2 ? 2 : 3);
}

/* ---- Rule books ---- */

static void rule_books_have_names(void **state) {
    (void)state;
    static const char *const names[] = {"onnx", "numpy", "array-api", "mlir", "xla", "sonnx"};
    assert_int_equal(OB_RULES_COUNT, 6);
    for (int i = 0; i < OB_RULES_COUNT; i++) {
        assert_string_equal(ob_rules_name((ob_rules)i), names[i]);
        assert_int_equal(ob_rules_from_name(names[i]), i);
    }
    assert_int_equal(ob_rules_from_name("tensorflow"), OB_RULES_COUNT);
    assert_int_equal(ob_rules_from_name(NULL), OB_RULES_COUNT);
    assert_string_equal(ob_rules_name(OB_RULES_COUNT), "unknown");
}

static void lenient_rule_books_allow_what_broadcasts(void **state) {
    fixture *f = *state;
    const ob_shape operands[] = {SHAPE(f->n, 0), SHAPE(1), SCALAR, SHAPE(f->m, 1), UNRANKED};
    break_list breaks = {.n = 0};
    for (int i = OB_RULES_ONNX; i <= OB_RULES_ARRAY_API; i++)
        assert_int_equal(ob_rules_check((ob_rules)i, operands, 5, &SHAPE(4), f->pool, collect_break, &breaks, NULL), OB_OK);
    assert_int_equal(breaks.n, 0);
    assert_int_equal(ob_rules_check(OB_RULES_COUNT, operands, 5, NULL, f->pool, collect_break, &breaks, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_rules_check(OB_RULES_ONNX, operands, 5, NULL, f->pool, NULL, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_rules_check(OB_RULES_ONNX, NULL, 0, NULL, NULL, collect_break, &breaks, NULL), OB_OK);
    const ob_shape clash[] = {SHAPE(2), SHAPE(3)};
    for (int i = 0; i < OB_RULES_COUNT; i++)
        assert_int_equal(ob_rules_check((ob_rules)i, clash, 2, NULL, NULL, collect_break, &breaks, NULL), OB_E_SHAPE);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(onnx_multidirectional_examples),
        cmocka_unit_test(onnx_multidirectional_takes_any_number_of_operands),
        cmocka_unit_test(onnx_24_operators_broadcast_multidirectionally),
        cmocka_unit_test(onnx_4_operators_broadcast_one_way),
        cmocka_unit_test(onnx_unidirectional_examples),
        cmocka_unit_test(onnx_prelu_slope_64_on_1x64x8x8_is_an_error),
        cmocka_unit_test(onnx_gemm_c_7_on_2x4_is_an_error),
        cmocka_unit_test(onnx_unidirectional_never_grows_the_target),
        cmocka_unit_test(onnx_unidirectional_size_0),
        WITH_POOL(onnx_symbols_leave_conditions),
        WITH_POOL(onnx_a_broadcast_term_brings_no_new_condition),
        WITH_POOL(onnx_operands_that_share_a_term_share_its_condition),
        WITH_POOL(onnx_terms_that_cannot_meet_are_an_error),
        WITH_POOL(onnx_size_0_meets_symbols),
        WITH_POOL(onnx_unknown_rank_still_checks_the_others),
        WITH_POOL(onnx_unidirectional_conditions),
        WITH_POOL(onnx_a_sink_can_end_the_call),
        WITH_POOL(onnx_as_many_terms_as_a_broadcast_term_holds),
        cmocka_unit_test(onnx_add_6_scalar),
        cmocka_unit_test(onnx_add_6_suffix_5),
        cmocka_unit_test(onnx_add_6_suffix_4x5),
        cmocka_unit_test(onnx_add_6_middle_3x4_axis_1),
        cmocka_unit_test(onnx_add_6_prefix_2_axis_0),
        cmocka_unit_test(onnx_add_6_negative_axis),
        cmocka_unit_test(onnx_add_6_one_element_goes_anywhere),
        cmocka_unit_test(onnx_add_6_what_does_not_fit),
        WITH_POOL(onnx_add_6_conditions),
        cmocka_unit_test(malformed_shapes_are_refused),
        cmocka_unit_test(unknown_sizes_need_no_pool),
        cmocka_unit_test(the_highest_rank_works),
        cmocka_unit_test(rule_books_have_names),
        WITH_POOL(lenient_rule_books_allow_what_broadcasts),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
