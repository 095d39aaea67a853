/* Names and paths that are too long to repeat. A list keeps each of them once and in full. Everywhere else both ends are
 * written with the number between them, "begin...{3}...end". The size of a report stays proportional to the file, and nothing
 * is lost. */
#ifndef OB_CORE_BASE_LONG_NAMES_H
#define OB_CORE_BASE_LONG_NAMES_H

#include "core/base/map.h"

typedef struct ob_long_names {
    ob_arena arena;
    ob_map numbers; /* pointer of a name, or text of a path -> number + 1 */
    const char **texts;
    uint32_t n, capacity;
} ob_long_names;

enum { OB_LONG_NAME_NUMBER = 20 }; /* bytes of "...{4294967295}..." and a NUL */
#define OB_NO_NUMBER UINT32_MAX

void ob__long_names_init(ob_long_names *list, const ob_allocator *allocator);
void ob__long_names_release(ob_long_names *list);
/* The number of a name, which is identified by its pointer and must live as long as the list. OB_NO_NUMBER: out of memory. */
uint32_t ob__long_name(ob_long_names *list, const char *name);
/* The number of a text, which is copied. */
uint32_t ob__long_text(ob_long_names *list, const char *text);
/* Writes both ends of a name of n bytes (OB_LENGTH_UNKNOWN: its beginning) and its number between them into `out` of `most`
 * bytes, without a number if memory runs out. Returns the number of bytes; no NUL. */
size_t ob__write_long_name(ob_long_names *list, const char *name, size_t n, size_t most, char *out);

#endif
