/* Files of several tensors: opening, and what both forms share. */
#include "proto/tensor_set.h"

#include <string.h>

#include "core/base/error.h"

static bool is_zip(const ob_source *source) {
    return source->n_bytes >= 4 && (memcmp(source->bytes, "PK\3\4", 4) == 0 || memcmp(source->bytes, "PK\5\6", 4) == 0);
}

ob_status ob__set_add(ob_tensor_set *set, const char *name, size_t n_name, const ob_set_member *member, ob_error *error) {
    if (set->n == set->capacity) {
        const size_t capacity = set->capacity ? 2 * set->capacity : 8; /* of less than the file's bytes */
        ob_set_member *members = OB_ARENA_ARRAY(&set->arena, ob_set_member, capacity);
        OB_FAIL_IF(!members, error, OB_E_MEMORY, "out of memory for \"%s\"", set->path);
        if (set->n) memcpy(members, set->members, set->n * sizeof *members);
        set->members = members;
        set->capacity = capacity;
    }
    ob_set_member added = *member;
    added.name = ob__arena_strndup(&set->arena, name, n_name);
    OB_FAIL_IF(!added.name, error, OB_E_MEMORY, "out of memory for \"%s\"", set->path);
    set->members[set->n++] = added;
    return OB_OK;
}

void ob_tensor_set_close(ob_tensor_set **set) {
    if (!set || !*set) return;
    if ((*set)->owns_source) ob__source_release(&(*set)->source);
    ob_arena arena = (*set)->arena; /* the struct is freed with the arena */
    ob__arena_release(&arena);
    *set = NULL;
}

ob_status ob__tensor_set_over(const ob_source *source, const char *path, const ob_allocator *allocator, ob_tensor_set **out,
                              ob_error *error) {
    ob_arena arena;
    ob__arena_init(&arena, allocator);
    ob_tensor_set *set = OB_ARENA_NEW(&arena, ob_tensor_set);
    OB_FAIL_IF(!set, error, OB_E_MEMORY, "out of memory for \"%s\"", path);
    set->arena = arena;
    set->source = *source;
    set->path = ob__arena_strndup(&set->arena, path, strlen(path));
    ob_status status = set->path ? OB_OK : ob__fail(error, OB_E_MEMORY, "out of memory for \"%s\"", path);
    set->is_json = !is_zip(source);
    if (status == OB_OK) status = set->is_json ? ob__json_list(set, error) : ob__npz_list(set, error);
    if (status == OB_OK)
        *out = set;
    else
        ob_tensor_set_close(&set);
    return status;
}

ob_status ob_tensor_set_open(const char *path, const ob_allocator *allocator, ob_tensor_set **out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!path || !out, error, OB_E_ARGUMENT, "path and out must not be NULL");
    ob_source source;
    OB_TRY(ob__source_open(path, allocator, UINT64_MAX, &source, error));
    ob_tensor_set *set = NULL;
    ob_status status = ob__tensor_set_over(&source, path, allocator, &set, error);
    if (status != OB_OK) {
        ob__source_release(&source);
        return status;
    }
    set->owns_source = true;
    *out = set;
    return OB_OK;
}

size_t ob_tensor_set_count(const ob_tensor_set *set) {
    return set ? set->n : 0;
}

const char *ob_tensor_set_name(const ob_tensor_set *set, size_t index) {
    return set && index < set->n ? set->members[index].name : NULL;
}

ob_status ob_tensor_set_read(const ob_tensor_set *set, size_t index, ob_dtype dtype, const ob_allocator *allocator,
                             ob_file_tensor *out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!set || !out, error, OB_E_ARGUMENT, "set and out must not be NULL");
    OB_FAIL_IF(index >= set->n, error, OB_E_NOT_FOUND, "\"%s\" has %zu tensors, not %zu", set->path, set->n, index + 1);
    return set->is_json ? ob__json_member(set, &set->members[index], dtype, allocator, out, error)
                        : ob__npz_member(set, &set->members[index], allocator, out, error);
}
