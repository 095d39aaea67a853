/* --list-ops: the operators and loops that one or more models need, as a file of OB_OPS for a build that has no others. */
#include <stdlib.h>
#include <string.h>

#include "run_parts.h"

typedef struct adding {
    operator_list *list;
    bool failed;
} adding;

static void add(void *context, const ob_operator_use *use) {
    adding *a = context;
    operator_list *list = a->list;
    for (size_t i = 0; i < list->n; i++) {
        ob_operator_use *item = &list->items[i];
        if (item->since != use->since || strcmp(item->name, use->name) != 0 || strcmp(item->domain, use->domain) != 0) continue;
        item->types |= use->types;
        return;
    }
    if (list->n == list->capacity) {
        const size_t capacity = 2 * list->capacity + 64;
        ob_operator_use *items = realloc(list->items, capacity * sizeof *items);
        if (!items) {
            a->failed = true;
            return;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->n++] = *use;
}

ob_status operators_add(operator_list *list, const ob_session *session, ob_error *error) {
    adding a = {.list = list};
    const ob_status status = ob_session_each_operator(session, add, &a, error);
    return a.failed ? OB_E_MEMORY : status;
}

/* ---- Loops ---- */

static void add_loop(void *context, const char *name) {
    adding *a = context;
    operator_list *list = a->list;
    for (size_t i = 0; i < list->n_loops; i++)
        if (strcmp(list->loops[i], name) == 0) return;
    const char **loops = realloc(list->loops, (list->n_loops + 1) * sizeof *loops);
    if (!loops) {
        a->failed = true;
        return;
    }
    list->loops = loops;
    list->loops[list->n_loops++] = name;
}

ob_status loops_add(operator_list *list, const run_inputs *inputs, ob_session *session, ob_error *error) {
    adding a = {.list = list};
    ob_session_memory memory;
    ob_status status = ob_session_prepare(session, inputs->views, inputs->n, error);
    if (status != OB_OK) return status;
    ob_session_get_memory(session, &memory);
    if (memory.n_dynamic > 0) status = run_once(session, inputs, NULL, error);
    if (status == OB_OK) status = ob_session_each_loop(session, add_loop, &a, error);
    return a.failed ? OB_E_MEMORY : status;
}

void loops_unknown(operator_list *list, const char *model, const char *why) {
    if (!list->unknown[0]) snprintf(list->unknown, sizeof list->unknown, "%s: %s", model, why);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int compare(const void *a, const void *b) {
    const ob_operator_use *x = a, *y = b;
    int order = strcmp(x->domain, y->domain);
    if (order == 0) order = strcmp(x->name, y->name);
    return order ? order : x->since - y->since;
}

void operators_print(operator_list *list) {
    if (list->n) qsort(list->items, list->n, sizeof *list->items, compare);
    printf("# Written by onnx-broadcast-run --list-ops, onnx-broadcast %s.\n", ob_version());
    for (size_t i = 0; i < list->n; i++) {
        const ob_operator_use *use = &list->items[i];
        printf("%s %s %d", use->domain, use->name, use->since);
        for (int type = 1; type < OB_DTYPE_COUNT; type++)
            if (use->types >> type & 1) printf(" %s", ob_dtype_name((ob_dtype)type));
        printf("\n");
    }
    if (list->unknown[0])
        printf("# No loops are listed, so all of them are built. %s\n", list->unknown);
    else if (list->n_loops)
        qsort(list->loops, list->n_loops, sizeof *list->loops, compare_names);
    for (size_t i = 0; i < list->n_loops && !list->unknown[0]; i++) printf("loop %s\n", list->loops[i]);
    free(list->items);
    free(list->loops);
    *list = (operator_list){0};
}
