#include "kernels/take.h"

#include <string.h>

/* Without threads one thing is planned at a time. */
#ifdef OB_HAVE_THREADS
static _Thread_local obk_takes *taking;
#else
static obk_takes *taking;
#endif

obk_takes *obk_begin_takes(obk_takes *takes) {
    obk_takes *before = taking;
    taking = takes;
    return before;
}

void obk_end_takes(obk_takes *before) {
    taking = before;
}

/* The line of the slot at an offset; NULL: the build has it, or there never is a loop. */
static const char *find_left_out(const obk_left_out *left_out, size_t offset) {
    const char *name = left_out->names;
    for (unsigned i = 0; i < left_out->n; i++, name += strlen(name) + 1)
        if (left_out->offsets[i] == offset) return name;
    return NULL;
}

void obk_note(const void *slot, const void *table, const obk_left_out *left_out) {
    if (!taking) return;
    void (*loop)(void); /* copied: loops have many types */
    memcpy(&loop, slot, sizeof loop);
    if (loop && taking->record) taking->record(taking->context, slot);
    if (!loop && left_out && !taking->missing)
        taking->missing = find_left_out(left_out, (size_t)((const char *)slot - (const char *)table));
}
