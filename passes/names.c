#include "passes/names.h"

#include <string.h>

static const char dots[] = "...";

const char *ob__shown_name(const char *name, size_t n_most, ob_arena *arena) {
    if (memchr(name, '\0', n_most + 1)) return name;
    size_t n = n_most - (sizeof dots - 1);
    while (n > 0 && ((unsigned char)name[n] & 0xC0) == 0x80) n--; /* not within a character */
    char *shown = ob__arena_alloc(arena, n + sizeof dots);
    if (!shown) return NULL;
    memcpy(shown, name, n);
    memcpy(shown + n, dots, sizeof dots);
    return shown;
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
