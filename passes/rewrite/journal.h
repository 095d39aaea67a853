/* The changes that edits made in a model, so that they can be undone. Undoing allocates nothing, so it cannot fail. */
#ifndef OB_PASSES_REWRITE_JOURNAL_H
#define OB_PASSES_REWRITE_JOURNAL_H

#include "core/graph/graph.h"

typedef struct ob_journal_entry ob_journal_entry;

typedef struct ob_journal {
    ob_arena arena;
    ob_journal_entry *last;
} ob_journal;

void ob__journal_init(ob_journal *journal, const ob_allocator *allocator);
void ob__journal_release(ob_journal *journal);

/* Saves n bytes of the model before they change. False: out of memory; then they must not change. */
bool ob__journal_save(ob_journal *journal, void *place, size_t n);
/* Records that undoing removes the value's name (a new value) or restores it (a removed value). */
bool ob__journal_name(ob_journal *journal, ob_value *value, bool named);
/* Undoes everything after `mark`, an earlier journal->last; NULL: everything. */
void ob__journal_undo(ob_journal *journal, const ob_journal_entry *mark);

#endif
