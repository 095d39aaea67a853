#include "passes/rewrite/journal.h"

#include <string.h>

struct ob_journal_entry {
    ob_journal_entry *before;
    void *place; /* NULL: a name */
    size_t n;
    ob_value *value;
    bool named;
    _Alignas(16) unsigned char bytes[];
};

void ob__journal_init(ob_journal *journal, const ob_allocator *allocator) {
    journal->last = NULL;
    ob__arena_init(&journal->arena, allocator);
}

void ob__journal_release(ob_journal *journal) {
    ob__arena_release(&journal->arena);
    journal->last = NULL;
}

static ob_journal_entry *add(ob_journal *journal, size_t n) {
    ob_journal_entry *entry = ob__arena_alloc(&journal->arena, sizeof *entry + n);
    if (!entry) return NULL;
    *entry = (ob_journal_entry){.before = journal->last, .n = n};
    journal->last = entry;
    return entry;
}

bool ob__journal_save(ob_journal *journal, void *place, size_t n) {
    ob_journal_entry *entry = add(journal, n);
    if (!entry) return false;
    entry->place = place;
    memcpy(entry->bytes, place, n);
    return true;
}

bool ob__journal_name(ob_journal *journal, ob_value *value, bool named) {
    ob_journal_entry *entry = add(journal, 0);
    if (!entry) return false;
    entry->value = value;
    entry->named = named;
    return true;
}

void ob__journal_undo(ob_journal *journal, const ob_journal_entry *mark) {
    for (; journal->last && journal->last != mark; journal->last = journal->last->before) {
        const ob_journal_entry *entry = journal->last;
        if (entry->place)
            memcpy(entry->place, entry->bytes, entry->n);
        else if (entry->named)
            ob__value_remember(entry->value);
        else
            ob__value_undefine(entry->value);
    }
}
