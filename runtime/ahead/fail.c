/* ob__fail of ahead-of-time models: the status alone. Texts would take more memory than small models. */
#include <stddef.h>

#include "core/base/error.h"

ob_status ob__fail(ob_error *error, ob_status status, const char *format, ...) {
    (void)format;
    if (error) error->code = status;
    return status;
}
