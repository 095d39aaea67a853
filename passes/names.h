/* Names and paths from a file, in a length that a report can show: a name is stored once and told many times. */
#ifndef OB_PASSES_NAMES_H
#define OB_PASSES_NAMES_H

#include "core/arena.h"

enum {
    OB_NAME_SHOWN = 1000,  /* bytes of a name that stands alone, */
    OB_NAME_IN_TEXT = 200, /* and within a sentence or a path; beyond, both ends and "..." between them */
    OB_PATH_SHOWN = 1000   /* of a path; beyond, ".../" and its end */
};

/* The name itself, or when it has more than n_most bytes a copy of its ends in the arena (of more than 64 KiB: of
 * its beginning). NULL: out of memory. */
const char *ob__shown_name(const char *name, size_t n_most, ob_arena *arena);
/* `outer` followed by `inner`, not longer than a path that is shown. NULL: out of memory. */
const char *ob__join_path(const char *outer, const char *inner, ob_arena *arena);

#endif
