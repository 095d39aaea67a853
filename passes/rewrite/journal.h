/* What edits have changed in a model, so that it can be put back: nothing of that allocates, and so it cannot fail. */
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

/* Remembers n bytes of the model before they change. False: out of memory; they must then not change. */
bool ob__journal_save(ob_journal *journal, void *place, size_t n);
/* Remembers that the value is to be without a name (a value that is new), or with it (one that goes). */
bool ob__journal_name(ob_journal *journal, ob_value *value, bool named);
/* Puts everything back that was remembered after `mark`, a former journal->last; NULL: everything. */
void ob__journal_undo(ob_journal *journal, const ob_journal_entry *mark);

#endif
