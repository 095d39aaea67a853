/* Cells: counted values of any type. */
#include "core/graph/cell.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/base/text.h"
#include "core/graph/copy.h"

/* ---- Making and freeing ---- */

/* A block that begins with the cell, and one holder. */
static ob_cell *new_cell(ob_cell_kind kind, ob_dtype dtype, size_t n_bytes, const ob_allocator *allocator) {
    if (!allocator) allocator = ob_allocator_default();
    ob_cell *cell = allocator->alloc(allocator->context, n_bytes);
    if (!cell) return NULL;
    memset(cell, 0, sizeof *cell);
    atomic_init(&cell->refs, 1);
    cell->kind = kind;
    cell->dtype = dtype;
    cell->allocator = *allocator;
    cell->n_bytes = n_bytes;
    return cell;
}

static size_t data_offset(int32_t rank) {
    size_t n_bytes = sizeof(ob_cell) + (size_t)rank * sizeof(int64_t);
    return (size_t)ob__round_up_u64(n_bytes, OB_CELL_ALIGNMENT);
}

/* The elements, followed by n_extra bytes. */
static ob_status new_tensor(ob_dtype dtype, int32_t rank, const int64_t *dims, size_t n_extra, const ob_allocator *allocator,
                            ob_cell **out, ob_error *error) {
    uint64_t n_data;
    bool fits = ob__tensor_bytes(dtype, rank, dims, &n_data) && n_data < SIZE_MAX / 4 && n_extra < SIZE_MAX / 4;
    OB_FAIL_IF(!fits, error, OB_E_LIMIT, "a tensor has more bytes than can be addressed");
    size_t n_bytes = data_offset(rank) + OB_CELL_ALIGNMENT + (size_t)n_data + n_extra;
    ob_cell *cell = new_cell(OB_CELL_TENSOR, dtype, n_bytes, allocator);
    OB_FAIL_IF(!cell, error, OB_E_MEMORY, "no memory for %llu bytes of a tensor", (unsigned long long)n_data);
    uintptr_t at = (uintptr_t)cell + data_offset(rank);
    cell->data = (char *)cell + data_offset(rank) + (OB_CELL_ALIGNMENT - at % OB_CELL_ALIGNMENT) % OB_CELL_ALIGNMENT;
    cell->rank = rank;
    if (rank) memcpy(cell->dims, dims, (size_t)rank * sizeof *dims);
    *out = cell;
    return OB_OK;
}

ob_status ob__cell_new_tensor(ob_dtype dtype, int32_t rank, const int64_t *dims, const ob_allocator *allocator, ob_cell **out,
                              ob_error *error) {
    return new_tensor(dtype, rank, dims, 0, allocator, out, error);
}

ob_status ob__cell_new_list(ob_cell_kind kind, ob_dtype dtype, size_t capacity, const ob_allocator *allocator, ob_cell **out,
                            ob_error *error) {
    ob_cell *cell = new_cell(kind, dtype, sizeof *cell, allocator);
    size_t n_bytes;
    bool fits = !ob__size_mul_overflows(capacity, sizeof(ob_cell *), &n_bytes);
    if (cell && capacity > 0 && fits) cell->items = cell->allocator.alloc(cell->allocator.context, n_bytes);
    if (!cell || (capacity > 0 && !cell->items)) {
        ob_cell_close(&cell);
        return ob__fail(error, OB_E_MEMORY, "no memory for a sequence of %zu", capacity);
    }
    cell->capacity = capacity;
    *out = cell;
    return OB_OK;
}

/* Recursion ends at OB_CELL_MAX_DEPTH. */
void ob_cell_close(ob_cell **cell) {
    if (!cell || !*cell) return;
    ob_cell *closing = *cell;
    *cell = NULL;
    if (atomic_fetch_sub_explicit(&closing->refs, 1, memory_order_acq_rel) > 1) return;
    for (size_t i = 0; i < closing->n; i++) ob_cell_close(&closing->items[i]);
    ob_cell_close(&closing->keys);
    ob_allocator allocator = closing->allocator;
    if (closing->items) allocator.free(allocator.context, (void *)closing->items, closing->capacity * sizeof(ob_cell *));
    allocator.free(allocator.context, closing, closing->n_bytes);
}

ob_status ob_cell_none(const ob_allocator *allocator, ob_cell **out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!out, error, OB_E_ARGUMENT, "out must not be NULL");
    ob_cell *cell = new_cell(OB_CELL_NONE, OB_NONE, sizeof *cell, allocator);
    OB_FAIL_IF(!cell, error, OB_E_MEMORY, "no memory for a cell");
    *out = cell;
    return OB_OK;
}

/* ---- Tensors ---- */

static ob_status check_view(const ob_view *view, ob_error *error) {
    bool good = view && ob_dtype_size(view->dtype) > 0 && view->rank >= 0 && view->rank <= OB_MAX_RANK;
    for (int32_t i = 0; good && i < view->rank; i++) good = view->dims[i] >= 0;
    OB_FAIL_IF(!good, error, OB_E_ARGUMENT, "not a usable view");
    uint64_t n_bytes;
    OB_FAIL_IF(!ob__tensor_bytes(view->dtype, view->rank, view->dims, &n_bytes), error, OB_E_LIMIT,
               "a tensor has more bytes than can be addressed");
    OB_FAIL_IF(!view->data && n_bytes > 0, error, OB_E_ARGUMENT, "the view has elements but no data");
    return OB_OK;
}

typedef struct counting {
    size_t n_bytes;
    bool overflow;
} counting;

static void count_bytes(char *const *pointers, const int64_t *strides, int64_t n, const void *parameters) {
    counting *sum = (counting *)(uintptr_t)parameters;
    const char *at = pointers[0];
    for (int64_t i = 0; i < n; i++, at += strides[0]) {
        ob_string element;
        memcpy(&element, at, sizeof element);
        sum->overflow |= __builtin_add_overflow(sum->n_bytes, element.n, &sum->n_bytes);
    }
}

/* Gives the elements of a new tensor bytes of their own, at `bytes`. */
static void own_strings(const ob_cell *cell, int64_t n, char *bytes) {
    ob_string *elements = (ob_string *)(void *)cell->data;
    for (int64_t i = 0; i < n; i++) {
        if (elements[i].n) memcpy(bytes, elements[i].data, elements[i].n);
        elements[i].data = bytes;
        bytes += elements[i].n;
    }
}

ob_status ob_cell_tensor(const ob_view *view, const ob_allocator *allocator, ob_cell **out, ob_error *error) {
    ob_error_clear(error);
    return ob__cell_copy(view, allocator, out, NULL, error);
}

ob_status ob__cell_copy(const ob_view *view, const ob_allocator *allocator, ob_cell **out, obk_pace *pace, ob_error *error) {
    OB_FAIL_IF(!out, error, OB_E_ARGUMENT, "out must not be NULL");
    OB_TRY(check_view(view, error));
    counting extra = {0, false};
    int64_t n = ob_view_count(view);
    if (view->dtype == OB_STRING && n > 0) OB_TRY(ob_for_each(view, 1, NULL, 0, count_bytes, &extra, allocator, error));
    OB_FAIL_IF(extra.overflow, error, OB_E_LIMIT, "the strings of a tensor have more bytes than can be addressed");
    ob_cell *cell;
    OB_TRY(new_tensor(view->dtype, view->rank, view->dims, extra.n_bytes, allocator, &cell, error));
    ob_view made;
    ob_cell_view(cell, &made);
    if (n > 0)
        ob__copy(made.rank, made.dims, ob_dtype_size(made.dtype), made.data, made.strides, view->data, view->strides,
                 view->dtype == OB_STRING ? NULL : pace);
    if (view->dtype == OB_STRING) own_strings(cell, n, cell->data + (size_t)n * sizeof(ob_string));
    *out = cell;
    return OB_OK;
}

/* ---- Sequences and maps ---- */

static const char *kind_text(ob_cell_kind kind) {
    static const char *const texts[] = {"nothing", "tensor", "sequence", "map"};
    return texts[kind];
}

/* True if the item fits into the list, by its element type and depth. */
static ob_status admit(ob_cell *list, const ob_cell *item, ob_error *error) {
    OB_FAIL_IF(!item, error, OB_E_ARGUMENT, "an item of a sequence is NULL");
    OB_FAIL_IF(item->depth + 1 > OB_CELL_MAX_DEPTH, error, OB_E_LIMIT, "sequences are nested more than %d deep",
               OB_CELL_MAX_DEPTH);
    if (list->depth < item->depth + 1) list->depth = item->depth + 1;
    if (item->kind == OB_CELL_NONE) return OB_OK;
    for (size_t i = 0; i < list->n; i++) { /* the first existing item decides for all */
        ob_cell_kind kind = list->items[i]->kind;
        if (kind == OB_CELL_NONE) continue;
        OB_FAIL_IF(kind != item->kind, error, OB_E_TYPE, "a sequence of kind %s cannot take a %s", kind_text(kind),
                   kind_text(item->kind));
        break;
    }
    OB_FAIL_IF(list->dtype != OB_NONE && item->dtype != OB_NONE && list->dtype != item->dtype, error, OB_E_TYPE,
               "a sequence of %s cannot take a %s", ob_dtype_name(list->dtype), ob_dtype_name(item->dtype));
    if (list->dtype == OB_NONE) list->dtype = item->dtype;
    return OB_OK;
}

static ob_status new_list_of(ob_cell_kind kind, ob_dtype dtype, const ob_cell *const *items, size_t n,
                             const ob_allocator *allocator, ob_cell **out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!out || (n && !items), error, OB_E_ARGUMENT, "items and out must not be NULL");
    ob_cell *list;
    OB_TRY(ob__cell_new_list(kind, dtype, n, allocator, &list, error));
    for (size_t i = 0; i < n; i++) {
        ob_status status = admit(list, items[i], error);
        if (status != OB_OK) {
            ob_cell_close(&list);
            return status;
        }
        list->items[list->n++] = ob__cell_hold(items[i]);
    }
    *out = list;
    return OB_OK;
}

ob_status ob_cell_sequence(ob_dtype dtype, const ob_cell *const *items, size_t n, const ob_allocator *allocator, ob_cell **out,
                           ob_error *error) {
    return new_list_of(OB_CELL_SEQUENCE, dtype, items, n, allocator, out, error);
}

static int by_bytes(const void *a, const void *b) {
    return ob__string_order(a, b);
}

/* The keys as bytes, which are only compared for equality. */
static ob_status check_keys(const ob_cell *keys, ob_error *error) {
    size_t n = (size_t)keys->dims[0], width = ob_dtype_size(keys->dtype), n_bytes;
    if (n < 2) return OB_OK;
    if (ob__size_mul_overflows(n, sizeof(ob_string), &n_bytes)) return OB_E_MEMORY;
    ob_string *sorted = keys->allocator.alloc(keys->allocator.context, n_bytes);
    OB_FAIL_IF(!sorted, error, OB_E_MEMORY, "no memory for %zu keys", n);
    for (size_t i = 0; i < n; i++) sorted[i] = (ob_string){keys->data + i * width, width};
    if (keys->dtype == OB_STRING) memcpy(sorted, keys->data, n_bytes);
    qsort(sorted, n, sizeof *sorted, by_bytes);
    bool twice = false;
    for (size_t i = 1; i < n; i++) twice |= by_bytes(&sorted[i - 1], &sorted[i]) == 0;
    keys->allocator.free(keys->allocator.context, sorted, n_bytes);
    OB_FAIL_IF(twice, error, OB_E_ARGUMENT, "a map has a key twice");
    return OB_OK;
}

static bool is_key_type(ob_dtype dtype) {
    switch (dtype) {
    case OB_INT8:
    case OB_INT16:
    case OB_INT32:
    case OB_INT64:
    case OB_UINT8:
    case OB_UINT16:
    case OB_UINT32:
    case OB_UINT64:
    case OB_STRING: return true;
    default: return false;
    }
}

ob_status ob_cell_map(const ob_view *keys, const ob_cell *const *items, size_t n, const ob_allocator *allocator, ob_cell **out,
                      ob_error *error) {
    ob_error_clear(error);
    ob_cell *own = NULL, *map = NULL;
    OB_FAIL_IF(!keys || keys->rank != 1 || keys->dims[0] < 0 || (uint64_t)keys->dims[0] != n, error, OB_E_ARGUMENT,
               "the keys of a map are not one axis of %zu", n);
    OB_FAIL_IF(!is_key_type(keys->dtype), error, OB_E_TYPE, "keys are integers or strings, not %s", ob_dtype_name(keys->dtype));
    OB_TRY(ob_cell_tensor(keys, allocator, &own, error));
    ob_status status = check_keys(own, error);
    if (status == OB_OK) status = new_list_of(OB_CELL_MAP, OB_NONE, items, n, allocator, &map, error);
    if (status != OB_OK) {
        ob_cell_close(&own);
        return ob__described(error, status, "");
    }
    map->keys = own;
    *out = map;
    return OB_OK;
}

/* Recursion ends at OB_CELL_MAX_DEPTH. */
ob_status ob_cell_copy(const ob_cell *cell, const ob_allocator *allocator, ob_cell **out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!cell || !out, error, OB_E_ARGUMENT, "cell and out must not be NULL");
    ob_view view;
    if (ob_cell_view(cell, &view)) return ob_cell_tensor(&view, allocator, out, error);
    if (cell->kind == OB_CELL_NONE) return ob_cell_none(allocator, out, error);
    ob_cell *copy;
    OB_TRY(ob__cell_new_list(cell->kind, cell->dtype, cell->n, allocator, &copy, error));
    copy->depth = cell->depth;
    ob_status status = cell->keys ? ob_cell_copy(cell->keys, allocator, &copy->keys, error) : OB_OK;
    for (; status == OB_OK && copy->n < cell->n; copy->n += status == OB_OK)
        status = ob_cell_copy(cell->items[copy->n], allocator, &copy->items[copy->n], error);
    if (status == OB_OK)
        *out = copy;
    else
        ob_cell_close(&copy);
    return status;
}

/* ---- Changing ---- */

/* Makes the list exclusive to the caller, with room for `n` items. */
static ob_status make_own(ob_cell **list, size_t n, ob_error *error) {
    ob_cell *cell = *list, *copy;
    if (!ob__cell_is_own(cell)) {
        OB_TRY(ob__cell_new_list(cell->kind, cell->dtype, n, &cell->allocator, &copy, error));
        copy->depth = cell->depth;
        copy->keys = ob__cell_hold(cell->keys);
        for (; copy->n < cell->n; copy->n++) copy->items[copy->n] = ob__cell_hold(cell->items[copy->n]);
        ob_cell_close(list);
        *list = copy;
        return OB_OK;
    }
    if (n <= cell->capacity) return OB_OK;
    size_t capacity = cell->capacity < SIZE_MAX / 4 / sizeof(ob_cell *) ? cell->capacity * 2 : n, n_old, n_new;
    if (capacity < n) capacity = n;
    if (capacity < 4) capacity = 4;
    bool fits = !ob__size_mul_overflows(capacity, sizeof(ob_cell *), &n_new);
    n_old = cell->capacity * sizeof(ob_cell *);
    const ob_allocator *a = &cell->allocator;
    void *items = !fits         ? NULL
                  : cell->items ? a->realloc(a->context, (void *)cell->items, n_old, n_new)
                                : a->alloc(a->context, n_new);
    OB_FAIL_IF(!items, error, OB_E_MEMORY, "no memory for a sequence of %zu", n);
    cell->items = items;
    cell->capacity = capacity;
    return OB_OK;
}

ob_status ob__cell_insert(ob_cell **list, size_t at, ob_cell *item, ob_error *error) {
    ob_status status = make_own(list, (*list)->n + 1, error);
    if (status == OB_OK) status = admit(*list, item, error);
    if (status != OB_OK) {
        ob_cell_close(&item);
        return status;
    }
    ob_cell *cell = *list;
    memmove((void *)(cell->items + at + 1), (void *)(cell->items + at), (cell->n - at) * sizeof(ob_cell *));
    cell->items[at] = item;
    cell->n++;
    return OB_OK;
}

ob_status ob__cell_erase(ob_cell **list, size_t at, ob_error *error) {
    OB_TRY(make_own(list, (*list)->n, error));
    ob_cell *cell = *list;
    ob_cell_close(&cell->items[at]);
    memmove((void *)(cell->items + at), (void *)(cell->items + at + 1), (cell->n - at - 1) * sizeof(ob_cell *));
    cell->n--;
    return OB_OK;
}

/* ---- Looking ---- */

ob_cell_kind ob_cell_get_kind(const ob_cell *cell) {
    return cell ? cell->kind : OB_CELL_NONE;
}

ob_dtype ob_cell_get_dtype(const ob_cell *cell) {
    return cell ? cell->dtype : OB_NONE;
}

bool ob_cell_view(const ob_cell *cell, ob_view *out) {
    if (!cell || cell->kind != OB_CELL_TENSOR) return false;
    return ob_view_init(out, cell->data, cell->dtype, cell->rank, cell->dims) == OB_OK;
}

size_t ob_cell_count(const ob_cell *cell) {
    return cell ? cell->n : 0;
}

const ob_cell *ob_cell_at(const ob_cell *cell, size_t index) {
    return cell && index < cell->n ? cell->items[index] : NULL;
}

bool ob_cell_keys(const ob_cell *cell, ob_view *out) {
    return cell && cell->keys && ob_cell_view(cell->keys, out);
}
