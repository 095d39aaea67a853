/* Apart from the rest: ahead-of-time models have another form of it, without text (runtime/ahead/fail.c). */
#include <stdarg.h>

#include "core/base/error.h"
#include "core/base/text.h"

ob_status ob__fail(ob_error *error, ob_status status, const char *format, ...) {
    if (!error) return status;
    error->code = status;
    va_list arguments;
    va_start(arguments, format);
    ob__vsentence(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}
