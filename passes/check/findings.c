#include "passes/check/findings.h"

#include <stdarg.h>
#include <string.h>

#include "core/base/list.h"
#include "core/base/text.h"
#include "onnx_broadcast/check.h"

enum { LIMIT = 100000, BYTES_LIMIT = 64 << 20 };

void ob__findings_init(ob_findings *findings, const ob_allocator *allocator) {
    memset(findings, 0, sizeof *findings);
    ob__arena_init(&findings->arena, allocator);
    findings->max_bytes = BYTES_LIMIT;
}

void ob__findings_release(ob_findings *findings) {
    ob__arena_release(&findings->arena);
    findings->items = NULL;
    findings->n = findings->capacity = 0;
    memset(findings->n_dropped, 0, sizeof findings->n_dropped);
}

static bool grow(ob_findings *findings) {
    ob_finding *items = ob__list_in_arena(&findings->arena, findings->items, &findings->capacity, findings->n + 1, sizeof *items);
    if (items) findings->items = items;
    return items != NULL;
}

static ob_finding *add(ob_findings *findings, ob_finding_id id, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    size_t n = ob__vformat(NULL, 0, format, again), n_bytes = sizeof(ob_finding) + n + 1;
    va_end(again);
    if (findings->n >= LIMIT || findings->n_bytes > findings->max_bytes || n_bytes > findings->max_bytes - findings->n_bytes) {
        findings->n_dropped[id]++;
        return NULL;
    }
    if (!grow(findings)) return NULL;
    char *message = ob__arena_alloc(&findings->arena, n + 1);
    if (!message) return NULL;
    findings->n_bytes += n_bytes;
    ob__vformat(message, n + 1, format, arguments);
    ob_finding *finding = &findings->items[findings->n++];
    *finding = (ob_finding){
        .id = id, .severity = ob__finding_row(id)->severity, .call_path = "", .operand = -1, .axis = -1, .message = message};
    return finding;
}

ob_finding *ob__findings_add(ob_findings *findings, ob_finding_id id, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ob_finding *finding = add(findings, id, format, arguments);
    va_end(arguments);
    return finding;
}

ob_findings_mark ob__findings_mark(const ob_findings *findings) {
    ob_findings_mark mark = {.n = findings->n};
    memcpy(mark.n_dropped, findings->n_dropped, sizeof mark.n_dropped);
    return mark;
}

void ob__findings_rewind(ob_findings *findings, const ob_findings_mark *mark) {
    if (findings->n > mark->n) findings->n = mark->n;
    memcpy(findings->n_dropped, mark->n_dropped, sizeof mark->n_dropped);
}

size_t ob__findings_dropped(const ob_findings *findings, ob_severity severity) {
    size_t n = 0;
    for (int id = 0; id < OB_FINDING_COUNT; id++)
        if (ob__finding_row((ob_finding_id)id)->severity == severity) n += findings->n_dropped[id];
    return n;
}

bool ob__finding_set_operands(ob_findings *findings, ob_finding *finding, const ob_shape *operands, uint32_t n_operands) {
    uint32_t n = n_operands < OB_FINDING_OPERANDS ? n_operands : OB_FINDING_OPERANDS;
    ob_shape *copy = OB_ARENA_ARRAY(&findings->arena, ob_shape, n);
    if (!copy) return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = ob__finding_input(finding, i);
        copy[i] = operands[from < n_operands ? from : i];
        if (copy[i].rank <= 0) continue;
        size_t n_bytes = (size_t)copy[i].rank * sizeof(ob_dim);
        ob_dim *dims = ob__arena_alloc(&findings->arena, n_bytes);
        if (!dims) return false;
        memcpy(dims, copy[i].dims, n_bytes);
        copy[i].dims = dims;
        findings->n_bytes += n_bytes;
    }
    findings->n_bytes += n * sizeof *copy;
    finding->operands = copy;
    finding->n_operands = n;
    return true;
}

/* ---- The reference ---- */

size_t ob_finding_doc_count(void) {
    return OB_FINDING_COUNT - 1;
}

static ob_finding_doc doc_of(ob_finding_id id) {
    ob_finding_doc none = {0};
    const ob_finding_row *row = ob__finding_row(id);
    if (row->name[0] == '\0') return none;
    return (ob_finding_doc){.id = row->name, .title = row->title, .text = row->text, .severity = row->severity};
}

ob_finding_doc ob_finding_doc_at(size_t index) {
    return doc_of(index < ob_finding_doc_count() ? (ob_finding_id)(index + 1) : OB_FINDING_NONE);
}

ob_finding_doc ob_finding_doc_find(const char *id) {
    return doc_of(ob__finding_find(id));
}

const char *ob_severity_name(ob_severity severity) {
    switch (severity) {
    case OB_SEVERITY_ERROR: return "error";
    case OB_SEVERITY_WARNING: return "warning";
    case OB_SEVERITY_NOTE: return "note";
    case OB_SEVERITY_NONE: break;
    }
    return "none";
}
