/* The sizes of a run against the conditions of its session. */
#ifndef OB_RUNTIME_SIZES_H
#define OB_RUNTIME_SIZES_H

#include "core/dims/symbols.h"
#include "runtime/session.h"

/* Sizes of symbols, as the inputs give them. */
typedef struct ob_sizes {
    ob_binding *items;
    size_t n, capacity;
} ob_sizes;

enum { OB_MOST_SHOWN = 16 }; /* sizes in a message */

/* contract.c: "N = 2, M = 3" */
void ob__write_sizes(const ob_sizes *s, const ob_dims *pool, const ob_symbol_list *symbols, char *text, size_t n_bytes);
/* contract.c; given: the sizes of the symbols in the text */
ob_status ob__refuse_at(const ob_requirement *at, const char *text, const char *given, ob_error *error);

/* solved.c, or no_solver.c in a build without terms: conditions on sizes that only a run knows, of which several together can
 * refuse sizes that none refuses alone. */
ob_status ob__check_solved(ob_session *session, const ob_sizes *s, ob_error *error);
void ob__solved_release(ob_session *session);

#endif
