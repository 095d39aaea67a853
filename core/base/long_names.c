#include "core/base/long_names.h"
#include "core/base/text.h"

#include <string.h>

#include "core/base/list.h"

void ob__long_names_init(ob_long_names *list, const ob_allocator *allocator) {
    *list = (ob_long_names){0};
    ob__arena_init(&list->arena, allocator);
    ob__map_init(&list->numbers, &list->arena);
}

void ob__long_names_release(ob_long_names *list) {
    ob_allocator allocator = list->arena.allocator;
    ob__list_free(&allocator, list->texts, list->capacity, sizeof *list->texts);
    ob__arena_release(&list->arena);
    ob__long_names_init(list, &allocator);
}

/* The key of a text is the text itself, which the map copies; that of a name its address. */
static uint32_t number_of(ob_long_names *list, const char *name, const char *key, size_t n_key) {
    ob_map_entry *entry = ob__map_insert(&list->numbers, key, n_key);
    if (!entry) return OB_NO_NUMBER;
    if (!entry->value) {
        if (list->n == list->capacity) {
            const char **grown = ob__list_grown(&list->arena.allocator, list->texts, &list->capacity, sizeof *grown);
            if (!grown) return OB_NO_NUMBER;
            list->texts = grown;
        }
        list->texts[list->n] = name ? name : entry->key;
        entry->value = (void *)(uintptr_t)++list->n;
    }
    return (uint32_t)((uintptr_t)entry->value - 1);
}

uint32_t ob__long_name(ob_long_names *list, const char *name) {
    return number_of(list, name, (const char *)&name, sizeof name);
}

uint32_t ob__long_text(ob_long_names *list, const char *text) {
    return number_of(list, NULL, text, strlen(text));
}

size_t ob__write_long_name(ob_long_names *list, const char *name, size_t n, size_t most, char *out) {
    char between[OB_LONG_NAME_NUMBER];
    uint32_t number = ob__long_name(list, name);
    if (number == OB_NO_NUMBER) return ob__shorten(out, name, n, most);
    ob__sentence(between, sizeof between, "...{%u}...", (unsigned)number);
    return ob__both_ends(out, name, n, most, between);
}
