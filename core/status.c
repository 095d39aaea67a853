#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"

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

/* Drops a UTF-8 sequence that was cut at the end of a full buffer of n bytes: its continuation bytes and its lead byte. */
static void drop_cut_sequence(char *text, size_t n) {
    size_t start = n;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) start--;
    if (start == 0) return;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (n - (start - 1) < length) text[start - 1] = '\0';
}

ob_status ob__fail(ob_error *error, ob_status status, const char *format, ...) {
    if (!error) return status;
    error->code = status;
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    if (n < 0)
        error->message[0] = '\0';
    else if ((size_t)n >= sizeof error->message)
        drop_cut_sequence(error->message, sizeof error->message - 1);
    return status;
}

ob_status ob__described(ob_error *error, ob_status status, const char *what) {
    if (status == OB_OK || !error || error->code == status) return status;
    return ob__fail(error, status, "%s%s%s", what, what[0] ? ": " : "", ob_status_text(status));
}

void ob__copy_text(char *field, size_t n_bytes, const char *text) {
    if (n_bytes == 0) return;
    size_t n = text ? strlen(text) : 0;
    bool cut = n >= n_bytes;
    if (cut) n = n_bytes - 1;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        field[i] = (c < 0x20 || c == 0x7f) ? '?' : (char)c;
    }
    field[n] = '\0';
    if (cut) drop_cut_sequence(field, n);
}
