/* --emit-guard: the contract as a C file. */
#include "check_parts.h"

#include <ctype.h>
#include <string.h>

enum { MAX_NAME = 64 };

/* "guard_" and the file's name without folder and suffix, with invalid characters replaced by "_". */
static void name_function(const char *path, char *name) {
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    const char *end = strrchr(base, '.');
    size_t n = end && end > base ? (size_t)(end - base) : strlen(base);
    strcpy(name, "guard_");
    if (strncmp(base, "guard_", 6) == 0 && n > 6) base += 6, n -= 6;
    size_t at = strlen(name);
    for (size_t i = 0; i < n && at < MAX_NAME - 1; i++)
        name[at++] = isalnum((unsigned char)base[i]) && (unsigned char)base[i] < 0x80 ? base[i] : '_';
    name[at] = '\0';
}

typedef struct guard {
    const ob_report *report;
    const char *name;
} guard;

static ob_status produce(void *context, ob_write_sink sink, void *sink_context, ob_error *error) {
    const guard *g = context;
    return ob_report_guard_write(g->report, g->name, sink, sink_context, error);
}

ob_status save_guard(const char *path, const ob_report *report, ob_error *error) {
    char name[MAX_NAME];
    name_function(path, name);
    guard g = {report, name};
    return ob_file_save(path, produce, &g, error);
}
