/* Kernels that fail, or break the rules of the interface, one operator each. Every shape rule is fine. */
#include "library.h"

#define KERNEL(name) static ob_status name(ob_operator_call *call)

KERNEL(fails) {
    return call->host->fail(call, OB_E_ARGUMENT, 0, 1, "element %d is the wrong one", 3);
}
KERNEL(silent) {
    (void)call;
    return OB_E_CONDITION;
}
KERNEL(status_99) {
    (void)call;
    return (ob_status)-99;
}
/* The failure is not handed on. */
KERNEL(forgets) {
    call->host->fail(call, OB_E_ARGUMENT, -1, -1, "first message");
    call->host->fail(call, OB_E_LIMIT, -1, -1, "second message");
    return OB_OK;
}
KERNEL(sets_shape) {
    return call->host->set_output(call, 0, OB_NONE, 0, NULL);
}
KERNEL(asks_late) {
    return call->host->need_scratch(call, 8);
}
KERNEL(null_task) {
    return call->host->parallel(call, 8, 1, NULL, NULL);
}
KERNEL(null_loop) {
    return call->host->for_each(call, call->inputs, 1, call->outputs, 1, NULL, NULL);
}
static void no_loop(char *const *at, const int64_t *strides, int64_t n, const void *parameters) {
    (void)at, (void)strides, (void)n, (void)parameters;
}
KERNEL(wrong_views) {
    ob_view wide = call->outputs[0];
    wide.dims[0]++;
    return call->host->for_each(call, call->inputs, 1, &wide, 1, no_loop, NULL);
}
KERNEL(makes_known) {
    return call->host->make_output(call, 0, 0, NULL);
}
KERNEL(makes_ninth) {
    return call->host->make_output(call, 9, 0, NULL);
}
KERNEL(makes_negative) {
    return call->host->make_output(call, 0, 1, (int64_t[]){-1});
}
KERNEL(makes_huge) {
    return call->host->make_output(call, 0, 2, (int64_t[]){INT64_C(1) << 40, INT64_C(1) << 40});
}
KERNEL(scratch_over_all) {
    return call->host->need_scratch(call, SIZE_MAX - 3);
}
KERNEL(plan_refuses) {
    return call->host->fail(call, OB_E_UNSUPPORTED, -1, -1, "no tables for this size");
}

static ob_status open_shape(ob_operator_call *call) {
    return call->host->set_output(call, 0, OB_NONE, OB_RANK_UNKNOWN, NULL);
}

#define ROW(text, kernel)                                                                                                        \
    { HEAD(text), .signature = "f>f", .shape = like_input, .run = kernel }
#define OPEN_ROW(text, kernel)                                                                                                   \
    { HEAD(text), .signature = "f>f", .flags = OB_OPERATOR_DATA_SHAPE, .shape = open_shape, .run = kernel }

static const ob_operator rows[] = {
    ROW("Fails", fails),
    ROW("Silent", silent),
    ROW("Status99", status_99),
    ROW("Forgets", forgets),
    ROW("SetsShape", sets_shape),
    ROW("AsksLate", asks_late),
    ROW("NullTask", null_task),
    ROW("NullLoop", null_loop),
    ROW("WrongViews", wrong_views),
    ROW("MakesKnown", makes_known),
    OPEN_ROW("MakesNinth", makes_ninth),
    OPEN_ROW("MakesNegative", makes_negative),
    OPEN_ROW("MakesHuge", makes_huge),
    OPEN_ROW("MakesNothing", do_nothing),
    {HEAD("ScratchOverAll"), .signature = "f>f", .shape = like_input, .plan = scratch_over_all, .run = do_nothing},
    {HEAD("PlanRefuses"), .signature = "f>f", .shape = like_input, .plan = plan_refuses, .run = do_nothing},
    {HEAD("OpenShape"), .signature = "f>f", .shape = open_shape, .run = do_nothing},
};
LIBRARY("bad_runs", rows)
