#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"

static const char *const texts[OB_STATUS_COUNT] = {
#define OB_STATUS_TEXT(name, text) text,
    OB_STATUS_LIST(OB_STATUS_TEXT)
#undef OB_STATUS_TEXT
};

const char *ob_status_text(ob_status status) {
    return (unsigned)status < OB_STATUS_COUNT ? texts[status] : "unknown status";
}

void ob_error_clear(ob_error *error) {
    if (!error) return;
    memset(error, 0, sizeof *error);
    error->axis = -1;
}

ob_status ob__described(ob_error *error, ob_status status, const char *what) {
    if (status == OB_OK || !error || error->code == status) return status;
    return ob__fail(error, status, "%s%s%s", what, what[0] ? ": " : "", ob_status_text(status));
}

void ob__copy_text(char *field, size_t n_bytes, const char *text) {
    if (n_bytes == 0) return;
    size_t n = text ? ob__shorten(field, text, ob__name_length(text), n_bytes - 1) : 0;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)field[i] < 0x20 || field[i] == 0x7f) field[i] = '?';
    field[n] = '\0';
}
