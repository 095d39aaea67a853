/* Texts that calls leave behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

web_text web_output, web_notes;
ob_error web_last_error;

/* Memory of a large report goes back before the next call. */
void web_text_begin(web_text *text) {
    free(text->bytes);
    *text = (web_text){0};
}

void web_text_add(web_text *text, const void *bytes, size_t n) {
    if (text->failed || n == 0) return;
    if (n > text->room - text->n) {
        size_t room = text->room > SIZE_MAX / 4 ? SIZE_MAX / 2 : text->room * 2;
        char *grown = NULL;
        if (room < 256) room = 256;
        if (n <= SIZE_MAX / 2 - text->n && room < text->n + n) room = text->n + n;
        if (n <= room - text->n) grown = realloc(text->bytes, room);
        if (!grown) {
            text->failed = true;
            return;
        }
        text->bytes = grown;
        text->room = room;
    }
    memcpy(text->bytes + text->n, bytes, n);
    text->n += n;
}

void web_text_string(web_text *text, const char *string) {
    web_text_add(text, string ? string : "", string ? strlen(string) + 1 : 1);
}

void web_text_number(web_text *text, uint64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    web_text_string(text, digits);
}

ob_status web_text_sink(void *context, const void *bytes, size_t n_bytes) {
    web_text_add(context, bytes, n_bytes);
    return ((const web_text *)context)->failed ? OB_E_MEMORY : OB_OK;
}

ob_status web_text_end(const web_text *text) {
    return text->failed ? web_fail(OB_E_MEMORY, "there is no memory for the result") : OB_OK;
}

ob_status web_fail(ob_status status, const char *message) {
    ob_error_clear(&web_last_error);
    web_last_error.code = status;
    snprintf(web_last_error.message, sizeof web_last_error.message, "%s", message);
    return status;
}

/* ---- What JavaScript reads ---- */

const char *WEB_EXPORT(web_output_bytes)(void) {
    return web_output.bytes;
}

size_t WEB_EXPORT(web_output_size)(void) {
    return web_output.n;
}

const char *WEB_EXPORT(web_notes_bytes)(void) {
    return web_notes.bytes;
}

size_t WEB_EXPORT(web_notes_size)(void) {
    return web_notes.n;
}

void WEB_EXPORT(web_forget)(void) {
    web_text_begin(&web_output);
    web_text_begin(&web_notes);
}

/* 0: the name of the status, 1: its text, 2: message, 3: node, 4: op_type, 5: value. */
const char *WEB_EXPORT(web_error_text)(int which) {
    static const char *const names[] = {
#define NAME(name, text) [OB_##name] = #name,
        OB_STATUS_LIST(NAME)
#undef NAME
    };
    const ob_error *error = &web_last_error;
    switch (which) {
    case 0: return (unsigned)error->code < OB_STATUS_COUNT ? names[error->code] : "E_INTERNAL";
    case 1: return ob_status_text(error->code);
    case 2: return error->message;
    case 3: return error->node;
    case 4: return error->op_type;
    default: return error->value;
    }
}

int WEB_EXPORT(web_error_axis)(void) {
    return web_last_error.axis;
}

void *WEB_EXPORT(web_alloc)(size_t n_bytes) {
    void *block = malloc(n_bytes ? n_bytes : 1);
    if (!block) web_fail(OB_E_MEMORY, "there is no memory for the bytes of the call");
    return block;
}

void WEB_EXPORT(web_free)(void *block) {
    free(block);
}

const char *WEB_EXPORT(web_version)(void) {
    return ob_version();
}
