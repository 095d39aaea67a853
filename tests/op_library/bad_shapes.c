/* Shape rules that break the rules of the interface, one operator each. Every kernel would be fine. */
#include "library.h"

static const int64_t ones[OB_MAX_RANK + 1] = {1};

#define RULE(name) static ob_status name(ob_operator_call *call)
#define SET(...)   call->host->set_output(call, __VA_ARGS__)

RULE(no_output) {
    (void)call;
    return OB_OK;
}
RULE(huge_rank) {
    SET(0, OB_NONE, OB_MAX_RANK + 1, ones);
    return OB_OK; /* a failure that is not handed on counts all the same */
}
RULE(negative_rank) {
    return SET(0, OB_NONE, -2, ones);
}
RULE(null_dims) {
    return SET(0, OB_NONE, 2, NULL);
}
RULE(negative_size) {
    return SET(0, OB_NONE, 2, (ob_dim[]){4, -3});
}
RULE(no_dim) {
    return SET(0, OB_NONE, 1, (ob_dim[]){INT64_MAX - 5});
}
RULE(output_range) {
    return SET(1, OB_NONE, 0, NULL);
}
RULE(wrong_type) {
    return SET(0, OB_INT64, 0, NULL);
}
RULE(no_type) {
    return SET(0, OB_NONE, 0, NULL);
}
RULE(type_99) {
    return SET(0, (ob_dtype)99, 0, NULL);
}
RULE(silent) {
    (void)call;
    return OB_E_SHAPE;
}
RULE(status_99) {
    (void)call;
    return (ob_status)99;
}
RULE(fails_with_ok) {
    return call->host->fail(call, OB_OK, -1, -1, "all is well");
}
RULE(null_message) {
    return call->host->fail(call, OB_E_SHAPE, -1, -1, NULL);
}
RULE(wrong_attribute) {
    call->host->attribute_int(call, "colour");
    return like_input(call);
}
RULE(wrong_kind) {
    call->host->attribute_real(call, "n");
    return like_input(call);
}
RULE(wrong_phase) {
    call->host->need_scratch(call, 16);
    return like_input(call);
}
RULE(wrong_condition) {
    call->host->require(call, (ob_condition_kind)77, 1, 2, 0, 0);
    return like_input(call);
}
RULE(multiple_of_0) {
    call->host->require(call, OB_COND_DIVISIBLE, 6, 0, 0, 0);
    return like_input(call);
}
RULE(broadcasts_more) {
    ob_broadcast_result result;
    call->host->broadcast(call, (uint32_t[]){0, 5}, 2, &result);
    return like_input(call);
}
RULE(out_of_memory) {
    (void)call;
    return OB_E_MEMORY;
}
/* Plausible, but the model declares another shape. */
RULE(one_more) {
    ob_shape in = call->host->input_shape(call, 0);
    return in.rank == 1 ? SET(0, OB_NONE, 1, (ob_dim[]){call->host->add(call, in.dims[0], 1)}) : OB_E_SHAPE;
}
/* Arguments that lie outside of everything give what is not known, or nothing. */
RULE(far_away) {
    const ob_operator_host *host = call->host;
    size_t n = 5;
    bool none = host->input_shape(call, 1000000).rank == OB_RANK_UNKNOWN && host->input_dtype(call, 1000000) == OB_NONE &&
                !host->input_given(call, UINT32_MAX) && !host->input_integers(call, 77, &n) && n == 0 &&
                host->add(call, INT64_MAX, 1) == OB_DIM_UNKNOWN &&
                host->mul(call, INT64_MAX - 1, INT64_MAX - 2) == OB_DIM_UNKNOWN &&
                host->sub(call, INT64_MIN + 1, 1) == OB_DIM_UNKNOWN && host->floor_div(call, 6, 0) == OB_DIM_UNKNOWN &&
                host->floor_div(call, 6, -2) == OB_DIM_UNKNOWN && host->ceil_div(call, 7, 2) == 4 &&
                host->dim_text(call, INT64_MAX, NULL, 9) == 1;
    if (!none) return host->fail(call, OB_E_SHAPE, -1, -1, "something is there");
    return host->require(call, OB_COND_EQUAL, 2, 3, 1000000, 1000000);
}

static const ob_operator_attribute number[] = {{.name = "n", .kind = OB_ATTRIBUTE_INT, .integer = 1}};

#define ROW(text, rule)                                                                                                          \
    { HEAD(text), .signature = "f>f", .attributes = number, .n_attributes = 1, .shape = rule, .run = do_nothing }

static const ob_operator rows[] = {
    ROW("NoOutput", no_output),
    ROW("HugeRank", huge_rank),
    ROW("NegativeRank", negative_rank),
    ROW("NullDims", null_dims),
    ROW("NegativeSize", negative_size),
    ROW("NoDim", no_dim),
    ROW("OutputRange", output_range),
    ROW("WrongType", wrong_type),
    {HEAD("NoType"), .signature = "f>U", .types = {0, OB_OPERATOR_ANY}, .shape = no_type, .run = do_nothing},
    {HEAD("WrongChoice"), .signature = "f>U", .types = {0, OB_OPERATOR_FLOATS}, .shape = wrong_type, .run = do_nothing},
    {HEAD("Type99"), .signature = "f>U", .types = {0, OB_OPERATOR_ANY}, .shape = type_99, .run = do_nothing},
    ROW("Silent", silent),
    ROW("Status99", status_99),
    ROW("FailsWithOk", fails_with_ok),
    ROW("NullMessage", null_message),
    ROW("WrongAttribute", wrong_attribute),
    ROW("WrongKind", wrong_kind),
    ROW("WrongPhase", wrong_phase),
    ROW("WrongCondition", wrong_condition),
    ROW("MultipleOf0", multiple_of_0),
    ROW("BroadcastsMore", broadcasts_more),
    ROW("OutOfMemory", out_of_memory),
    ROW("OneMore", one_more),
    ROW("FarAway", far_away),
};
LIBRARY("bad_shapes", rows)
