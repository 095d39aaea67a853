/* ob_error to OrtStatus. */
#include <stdarg.h>
#include <stdio.h>

#include "ort/plugin.h"

static OrtErrorCode code_of(ob_status status) {
    switch (status) {
    case OB_E_ARGUMENT:
    case OB_E_SHAPE:
    case OB_E_TYPE:
    case OB_E_LIMIT:
    case OB_E_CONDITION:
    case OB_E_MODEL: return ORT_INVALID_ARGUMENT;
    case OB_E_UNSUPPORTED: return ORT_NOT_IMPLEMENTED;
    default: return ORT_FAIL;
    }
}

OrtStatus *ob__ort_fail(const ob__ort_kernel *kernel, const ob_error *error) {
    char text[sizeof error->message + sizeof kernel->node + sizeof kernel->conditions + 128];
    const char *message = error->message[0] ? error->message : ob_status_text(error->code);
    bool conditions = error->code == OB_E_SHAPE && kernel->conditions[0];
    snprintf(text, sizeof text, "node '%s' (%s): %s%s%s", kernel->node, kernel->op_type, message,
             conditions ? "; the model holds if " : "", conditions ? kernel->conditions : "");
    return kernel->api->CreateStatus(code_of(error->code), text);
}

OrtStatus *ob__ort_failf(const ob__ort_kernel *kernel, ob_status status, const char *format, ...) {
    ob_error error;
    ob_error_clear(&error);
    error.code = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.message, sizeof error.message, format, arguments);
    va_end(arguments);
    return ob__ort_fail(kernel, &error);
}
