/* --target and --list-targets: which deployment targets a model is compared with. */
#ifndef OB_TOOLS_CHECK_TARGET_H
#define OB_TOOLS_CHECK_TARGET_H

#include "print.h"

typedef struct targets {
    const char **names; /* of the table, n */
    size_t n, capacity;
    bool all;
} targets;

/* Adds "NAME,NAME"; "all": every target, as counts only. Names are looked up, and the text is cut into its parts. False: a name
 * is unknown or comes twice (complains). */
bool targets_add(const char *tool, targets *t, char *names);
/* Is there a target with this name? Otherwise complains, with a similar name if there is one. */
bool is_target(const char *tool, const char *option, const char *name);
void targets_release(targets *t);
/* Prints the names with titles and versions. */
int list_targets(void);
/* One line for each target of the report. */
void print_targets(const printer *out, const char *file, const ob_report *report);

#endif
