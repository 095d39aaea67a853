/* Names of loops: for code that is written now and linked with the library later. */
#ifndef OB_KERNELS_NAMES_H
#define OB_KERNELS_NAMES_H

#include <stdbool.h>

/* The name of a loop of any table at the level in use; NULL: this is none. Its symbol is obk_NAME__LEVEL, where *level is the
 * level that compiled it, the one in use or one below, or obk_NAME if *level is NULL. Links every family of loops. */
const char *obk_loop_name(void (*loop)(void), const char **level);

/* The line in OB_OPS that selects the loop in a slot of a table at the level in use (take.h); "": it is in all builds; NULL: this
 * is no slot. */
const char *obk_line_of(const void *slot);

/* For tests: loop i of all tables, in no special order, with its name; NULL at levels that do not have it. False: i is too large.
 */
bool obk_loop_at(unsigned i, void (**loop)(void), const char **name, const char **level);
/* Its line in OB_OPS; "": it is in all builds. */
const char *obk_loop_line(unsigned i);

#endif
