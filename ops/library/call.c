/* Calls of a library's functions: the functions that the host offers, and the failures during a call. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "onnx_broadcast/version.h"
#include "ops/library/library.h"

void ob__library_call_init(ob_library_call *c, ob_phase phase, const ob_library_op *op, const ob_node *node) {
    memset(c, 0, sizeof *c);
    atomic_flag_clear(&c->has_failed);
    c->phase = phase;
    c->op = op;
    c->node = node;
    c->open.host = &ob__library_host;
    c->open.op = op->row;
    c->open.user = op->row->user;
    c->open.n_inputs = node ? node->n_inputs : 0;
    c->open.n_outputs = node ? node->n_outputs : 0;
}

static void take_place(ob_library_call *c, int32_t operand, int32_t axis) {
    bool is_input = c->node && operand >= 0 && (uint32_t)operand < c->node->n_inputs;
    c->operand = is_input ? operand : -1;
    c->axis = axis >= 0 && axis < OB_MAX_RANK ? axis : -1;
}

static ob_status fail_with(ob_library_call *c, ob_status status, int32_t operand, int32_t axis, const char *format,
                           va_list arguments) {
    /* tasks on several threads may fail; the first failure is kept */
    if (c->phase == OB_PHASE_RELEASE || atomic_flag_test_and_set(&c->has_failed)) return status;
    char text[sizeof c->message];
    ob__vsentence(text, sizeof text, format, arguments);
    ob__copy_text(c->message, sizeof c->message, text);
    c->failure = status;
    take_place(c, operand, axis);
    return status;
}

ob_status ob__library_fail(ob_library_call *c, ob_status status, int32_t operand, int32_t axis, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ob_status given = fail_with(c, status, operand, axis, format, arguments);
    va_end(arguments);
    return given;
}

ob_status ob__library_misbehaves(ob_library_call *c, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    ob__vsentence(text, sizeof text, format, arguments);
    va_end(arguments);
    if (c->phase == OB_PHASE_RELEASE || atomic_flag_test_and_set(&c->has_failed)) return OB_E_INTERNAL;
    ob__sentence(c->message, sizeof c->message, "%s-%d of library %s %s %s", c->op->op.name, (int)c->op->op.since,
                 c->op->library->name, c->op->library->version, text);
    c->failure = OB_E_INTERNAL;
    c->misbehaved = true;
    take_place(c, -1, -1);
    return OB_E_INTERNAL;
}

ob_library_call *ob__library_call_of(ob_operator_call *call, unsigned phases, const char *function) {
    ob_library_call *c = (ob_library_call *)call;
    if (!c) return NULL;
    if (c->phase & phases) return c;
    static const char *const names[] = {[OB_PHASE_SHAPE] = "shape", [OB_PHASE_PLAN] = "plan", [OB_PHASE_RUN] = "run"};
    if (c->phase != OB_PHASE_RELEASE) ob__library_misbehaves(c, "calls %s in %s", function, names[c->phase]);
    return NULL;
}

ob_status ob__library_conclude(ob_library_call *c, const char *function, ob_status returned) {
    if (c->failure != OB_OK) return c->failure;
    if ((int)returned < 0 || returned >= OB_STATUS_COUNT)
        return ob__library_misbehaves(c, "returned %d from %s, which is not a status", (int)returned, function);
    if (returned == OB_OK) return OB_OK;
    return ob__library_fail(c, returned, -1, -1, "%s-%d of library %s %s failed in %s without a message: %s", c->op->op.name,
                            (int)c->op->op.since, c->op->library->name, c->op->library->version, function,
                            ob_status_text(returned));
}

static ob_status host_fail(ob_operator_call *call, ob_status status, int32_t operand, int32_t axis, const char *format, ...) {
    ob_library_call *c = ob__library_call_of(call, OB_PHASE_SHAPE | OB_PHASE_PLAN | OB_PHASE_RUN, "fail");
    if (!c) return status;
    if ((int)status <= OB_OK || status >= OB_STATUS_COUNT)
        return ob__library_misbehaves(c, "failed with %d, which is not an error", (int)status);
    if (!format) return ob__library_misbehaves(c, "failed with a NULL message");
    va_list arguments;
    va_start(arguments, format);
    fail_with(c, status, operand, axis, format, arguments);
    va_end(arguments);
    return status;
}

#define TEXT_OF(number)       #number
#define VERSION_TEXT(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

const ob_operator_host ob__library_host = {
    .abi = OB_OPERATOR_ABI,
    .struct_bytes = sizeof(ob_operator_host),
    .version = VERSION_TEXT(OB_VERSION_MAJOR, OB_VERSION_MINOR, OB_VERSION_PATCH),
    .fail = host_fail,
    .attribute_given = ob__host_attribute_given,
    .attribute_int = ob__host_attribute_int,
    .attribute_real = ob__host_attribute_real,
    .attribute_text = ob__host_attribute_text,
    .attribute_ints = ob__host_attribute_ints,
    .attribute_reals = ob__host_attribute_reals,
    .attribute_text_at = ob__host_attribute_text_at,
    .input_shape = ob__host_input_shape,
    .input_dtype = ob__host_input_dtype,
    .input_given = ob__host_input_given,
    .input_integers = ob__host_input_integers,
    .add = ob__host_add,
    .sub = ob__host_sub,
    .mul = ob__host_mul,
    .floor_div = ob__host_floor_div,
    .ceil_div = ob__host_ceil_div,
    .dim_text = ob__host_dim_text,
    .require = ob__host_require,
    .broadcast = ob__host_broadcast,
    .set_output = ob__host_set_output,
    .need_scratch = ob__host_need_scratch,
    .view_init = ob__host_view_init,
    .view_broadcast = ob__host_view_broadcast,
    .for_each = ob__host_for_each,
    .parallel = ob__host_parallel,
    .make_output = ob__host_make_output,
    .text_bytes = ob__host_text_bytes,
};
