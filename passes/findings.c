#include "passes/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LIMIT = 100000 };

void ob__findings_init(ob_findings *findings, const ob_allocator *allocator) {
    memset(findings, 0, sizeof *findings);
    ob__arena_init(&findings->arena, allocator);
}

void ob__findings_release(ob_findings *findings) {
    ob__arena_release(&findings->arena);
    findings->items = NULL;
    findings->n = findings->capacity = findings->n_dropped = 0;
}

static const struct {
    const char *id;
    ob_severity severity;
} defaults[] = {
#define OB_FINDING(id, severity, title, text) {#id, OB_SEVERITY_##severity},
#include "passes/findings.def"
#undef OB_FINDING
};

/* The table's own string for an id, so that callers may pass one that does not last. */
static const char *find_id(const char *id, ob_severity *severity) {
    *severity = OB_SEVERITY_ERROR;
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        if (strcmp(defaults[i].id, id) == 0) {
            *severity = defaults[i].severity;
            return defaults[i].id;
        }
    return "OB0601";
}

static bool grow(ob_findings *findings) {
    uint32_t capacity = findings->capacity ? findings->capacity * 2 : 16;
    ob_finding *items = OB_ARENA_ARRAY(&findings->arena, ob_finding, capacity);
    if (!items) return false;
    if (findings->n) memcpy(items, findings->items, findings->n * sizeof *items);
    findings->items = items;
    findings->capacity = capacity;
    return true;
}

ob_finding *ob__findings_add(ob_findings *findings, const char *id, const char *format, ...) {
    if (findings->n >= LIMIT || (findings->n == findings->capacity && !grow(findings))) {
        findings->n_dropped++;
        return NULL;
    }
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *message = n < 0 ? NULL : ob__arena_alloc(&findings->arena, (size_t)n + 1);
    if (!message) {
        findings->n_dropped++;
        return NULL;
    }
    va_start(arguments, format);
    vsnprintf(message, (size_t)n + 1, format, arguments);
    va_end(arguments);
    ob_severity severity;
    id = find_id(id, &severity);
    ob_finding *finding = &findings->items[findings->n++];
    *finding = (ob_finding){.id = id, .severity = severity, .call_path = "", .operand = -1, .axis = -1, .message = message};
    return finding;
}
