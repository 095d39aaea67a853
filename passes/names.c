#include "passes/names.h"

#include <stddef.h>
#include <string.h>

static const char dots[] = "...";

enum { LOOKED_AT = 65536 }; /* bytes in which the end is looked for: a name is told many times */

static bool is_within(char c) { /* a character */
    return ((unsigned char)c & 0xC0) == 0x80;
}

const char *ob__shown_name(const char *name, size_t n_most, ob_arena *arena) {
    if (memchr(name, '\0', n_most + 1)) return name;
    const char *end = memchr(name, '\0', LOOKED_AT);
    size_t n = n_most - (sizeof dots - 1), n_tail = end ? n / 2 : 0, n_head = n - n_tail;
    while (n_head > 0 && is_within(name[n_head])) n_head--;
    while (n_tail > 0 && is_within(end[-(ptrdiff_t)n_tail])) n_tail--;
    return ob__arena_printf(arena, "%.*s%s%s", (int)n_head, name, dots, end ? end - n_tail : "");
}

const char *ob__join_path(const char *outer, const char *inner, ob_arena *arena) {
    char *path = ob__arena_printf(arena, "%s%s", outer, inner);
    size_t n = path ? strlen(path) : 0;
    if (n <= OB_PATH_SHOWN) return path;
    char *rest = path + n - (OB_PATH_SHOWN - sizeof dots);
    const char *step = strchr(rest, '/');
    if (step && step[1]) rest = path + (step - path) + 1;
    return ob__arena_printf(arena, "%s/%s", dots, rest);
}
