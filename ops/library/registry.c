/* Registries: operators of libraries, looked up before the built-in ones. */
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "ops/library/library.h"
#include "ops/library/resolve.h"

typedef struct loaded {
    void *handle;
    struct loaded *next;
} loaded;

struct ob_operators {
    ob_arena arena;
    ob_library_op *first, **end;
    size_t n;
    loaded *libraries;
};

ob_status ob_operators_create(const ob_allocator *allocator, ob_operators **out) {
    if (!out) return OB_E_ARGUMENT;
    ob_arena arena;
    ob__arena_init(&arena, allocator);
    ob_operators *operators = OB_ARENA_NEW(&arena, ob_operators);
    if (!operators) {
        ob__arena_release(&arena);
        return OB_E_MEMORY;
    }
    operators->arena = arena; /* the registry lives in its own arena */
    operators->end = &operators->first;
    *out = operators;
    return OB_OK;
}

void ob_operators_close(ob_operators **operators) {
    if (!operators || !*operators) return;
    ob_operators *closing = *operators;
    *operators = NULL;
    for (loaded *library = closing->libraries; library; library = library->next) ob__library_unload(library->handle);
    ob_arena arena = closing->arena; /* the struct is freed with the arena */
    ob__arena_release(&arena);
}

static const ob_library_op *find_same(const ob_library_op *first, const ob_op *op) {
    for (; first; first = first->next)
        if (first->op.since == op->since && strcmp(first->op.name, op->name) == 0 && strcmp(first->op.domain, op->domain) == 0)
            return first;
    return NULL;
}

static ob_status check_unique(const ob_library_op *first, const ob_library_op *row, ob_error *error) {
    const ob_library_op *same = find_same(first, &row->op);
    OB_FAIL_IF(same, error, OB_E_ARGUMENT, "%s.%s-%d of library %s %s is in library %s %s already", row->op.domain, row->op.name,
               (int)row->op.since, row->library->name, row->library->version, same->library->name, same->library->version);
    return OB_OK;
}

static ob_status add(ob_operators *operators, const ob_operator_library *library, ob_error *error) {
    OB_TRY(ob__library_check(library, error));
    ob_library_op *first = NULL, **end = &first; /* adds all rows or none */
    for (size_t i = 0; i < library->n_operators; i++) {
        ob_library_op *row = OB_ARENA_NEW(&operators->arena, ob_library_op);
        OB_FAIL_IF(!row, error, OB_E_MEMORY, "out of memory");
        OB_TRY(ob__library_row(library, i, row, error));
        row->op.kernel = &row->kernel;
        OB_TRY(check_unique(operators->first, row, error));
        OB_TRY(check_unique(first, row, error));
        *end = row;
        end = &row->next;
    }
    *operators->end = first;
    operators->end = end;
    operators->n += library->n_operators;
    return OB_OK;
}

ob_status ob_operators_add(ob_operators *operators, const ob_operator_library *library, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!operators, error, OB_E_ARGUMENT, "no registry");
    return add(operators, library, error);
}

/* Adds the rows of an opened file. The handle is noted first, because the rows point into the library. */
static ob_status add_opened(ob_operators *operators, void *handle, ob_operator_entry entry, ob_error *error) {
    loaded *library = OB_ARENA_NEW(&operators->arena, loaded);
    OB_FAIL_IF(!library, error, OB_E_MEMORY, "out of memory");
    const ob_operator_library *table = entry(OB_OPERATOR_ABI);
    OB_FAIL_IF(!table, error, OB_E_UNSUPPORTED, OB_OPERATOR_ENTRY " returned NULL: the library does not serve operator ABI %u",
               OB_OPERATOR_ABI);
    OB_TRY(add(operators, table, error));
    library->handle = handle;
    library->next = operators->libraries;
    operators->libraries = library;
    return OB_OK;
}

static ob_status load(ob_operators *operators, const char *path, ob_error *error) {
    void *handle = NULL;
    ob_operator_entry entry = NULL;
    OB_TRY(ob__library_load(path, &handle, &entry, error));
    ob_status status = add_opened(operators, handle, entry, error);
    if (status != OB_OK) ob__library_unload(handle);
    return status;
}

ob_status ob_operators_load(ob_operators *operators, const char *path, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!operators || !path || !*path, error, OB_E_ARGUMENT, "no registry or no path");
    ob_error own;
    ob_error_clear(&own);
    ob_status status = load(operators, path, &own);
    if (status == OB_OK) return OB_OK;
    /* the linker's messages begin with the path too */
    size_t n = strlen(path);
    const char *message = own.message;
    if (strncmp(message, path, n) == 0 && strncmp(message + n, ": ", 2) == 0) message += n + 2;
    return ob__fail(error, status, "%s: %s", path, message);
}

size_t ob_operators_count(const ob_operators *operators) {
    return operators ? operators->n : 0;
}

ob_operator_info ob_operators_at(const ob_operators *operators, size_t index) {
    const ob_library_op *row = operators ? operators->first : NULL;
    while (row && index--) row = row->next;
    if (!row) return (ob_operator_info){0};
    return (ob_operator_info){row->op.domain, row->op.name, row->op.since, row->library->name, row->library->version};
}

const ob_op *ob__operators_find(const ob_operators *operators, const char *domain, const char *name, int64_t opset) {
    const ob_op *best = NULL;
    for (const ob_library_op *row = operators ? operators->first : NULL; row; row = row->next) {
        if (opset != 0 && row->op.since > opset) continue;
        if (best && row->op.since < best->since) continue;
        if (strcmp(row->op.name, name) == 0 && strcmp(row->op.domain, domain) == 0) best = &row->op;
    }
    return best;
}
