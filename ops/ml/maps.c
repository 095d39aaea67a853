/* ZipMap 1: rows as maps from classes to their scores. DictVectorizer 1: a map as a vector over a vocabulary; every type of key
 * and value. */
#include <stdlib.h>

#include "ops/kernel/cells.h"
#include "ops/kernel/common.h"

/* Keys that the node lists: integers or strings, in its order and sorted. */
typedef struct keys {
    ob_dtype dtype;
    size_t n;
    const void *items;        /* n of dtype */
    const struct key *sorted; /* n */
} keys;

typedef struct key {
    ob_string text; /* of integers the bytes */
    size_t place;
} key;

static int by_text(const void *a, const void *b) {
    const ob_string *x = &((const key *)a)->text, *y = &((const key *)b)->text;
    size_t n = x->n < y->n ? x->n : y->n;
    int order = n ? memcmp(x->data, y->data, n) : 0;
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

static ob_string text_of(const void *items, ob_dtype dtype, size_t i) {
    if (dtype == OB_STRING) return ((const ob_string *)items)[i];
    return (ob_string){(const char *)items + i * sizeof(int64_t), sizeof(int64_t)};
}

/* The bytes of the strings live as long as the plan. */
static ob_string *copy_strings(const ob_kernel_site *site, const ob_string *from, size_t n) {
    ob_string *copy = ob__tail(site, n, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++) {
        char *bytes = ob__tail(site, from[i].n, 1);
        if (!bytes) return NULL;
        if (from[i].n) memcpy(bytes, from[i].data, from[i].n);
        copy[i] = (ob_string){bytes, from[i].n};
    }
    return copy;
}

static ob_status read_keys(const ob_kernel_site *site, const char *of_ints, const char *of_strings, keys *out, ob_error *error) {
    const ob_attribute *ints = ob__node_attribute(site->node, of_ints), *strings = ob__node_attribute(site->node, of_strings);
    bool has_ints = ints && ints->type == OB_ATTR_INTS && ints->n > 0,
         has_strings = strings && strings->type == OB_ATTR_STRINGS && strings->n > 0;
    OB_FAIL_IF(has_ints == has_strings, error, OB_E_ARGUMENT, "one of %s and %s is needed, and only one", of_ints, of_strings);
    out->dtype = has_ints ? OB_INT64 : OB_STRING;
    out->n = has_ints ? ints->n : strings->n;
    if (has_ints) {
        int64_t *copy = ob__tail(site, out->n, sizeof *copy);
        if (copy) memcpy(copy, ints->u.ints, out->n * sizeof *copy);
        out->items = copy;
    } else
        out->items = copy_strings(site, strings->u.strings, out->n);
    key *sorted = ob__tail(site, out->n, sizeof *sorted);
    if (!out->items || !sorted) return OB_E_MEMORY;
    for (size_t i = 0; i < out->n; i++) sorted[i] = (key){text_of(out->items, out->dtype, i), i};
    qsort(sorted, out->n, sizeof *sorted, by_text);
    for (size_t i = 1; i < out->n; i++)
        OB_FAIL_IF(by_text(&sorted[i - 1], &sorted[i]) == 0, error, OB_E_ARGUMENT, "a key is listed twice");
    out->sorted = sorted;
    return OB_OK;
}

/* ---- ZipMap ---- */

static ob_status zip_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    return read_keys(site, "classlabels_int64s", "classlabels_strings", args->state, error);
}

/* One row as a map; the keys are shared by all. */
static ob_status zip_row(const ob_kernel_args *args, const char *row, int64_t stride, ob_cell *shared, ob_cell **out,
                         ob_error *error) {
    const keys *k = args->state;
    const ob_allocator *allocator = args->cells->allocator;
    ob_cell *map, *item = NULL;
    OB_TRY(ob__cell_new_list(OB_CELL_MAP, OB_FLOAT, k->n, allocator, &map, error));
    map->keys = ob__cell_hold(shared);
    for (size_t i = 0; i < k->n; i++) {
        ob_status status = ob__cell_new_tensor(OB_FLOAT, 0, NULL, allocator, &item, error);
        if (status == OB_OK) {
            memcpy(item->data, row + (int64_t)i * stride, sizeof(float));
            status = ob__cell_insert(&map, i, item, error);
        }
        if (status != OB_OK) {
            ob_cell_close(&map);
            return status;
        }
    }
    *out = map;
    return OB_OK;
}

static ob_status zip_run(const ob_kernel_args *args, ob_error *error) {
    const keys *k = args->state;
    const ob_view *in = &args->in[0];
    ob_view key_view;
    ob_cell *shared = NULL, *list = NULL, *row = NULL;
    int64_t n_rows = in->rank == 2 ? in->dims[0] : 1, n_columns = in->rank > 0 ? in->dims[in->rank - 1] : 0;
    OB_FAIL_IF(in->rank < 1 || in->rank > 2 || n_columns != (int64_t)k->n, error, OB_E_SHAPE,
               "%zu keys do not fit the columns of a tensor of rank %d", k->n, in->rank);
    OB_TRY(ob_view_init(&key_view, (void *)(uintptr_t)k->items, k->dtype, 1, (const int64_t[]){(int64_t)k->n}));
    OB_TRY(ob_cell_tensor(&key_view, args->cells->allocator, &shared, error));
    ob_status status = ob__cell_new_list(OB_CELL_SEQUENCE, OB_FLOAT, (size_t)n_rows, args->cells->allocator, &list, error);
    for (int64_t i = 0; i < n_rows && status == OB_OK; i++) {
        const char *at = (const char *)in->data + (in->rank == 2 ? i * in->strides[0] : 0);
        status = zip_row(args, at, in->strides[in->rank - 1], shared, &row, error);
        if (status == OB_OK) status = ob__cell_insert(&list, (size_t)i, row, error);
    }
    ob_cell_close(&shared);
    if (status == OB_OK)
        args->cells->out[0] = list;
    else
        ob_cell_close(&list);
    return status;
}

const ob_kernel ob__kernel_zip_map = {.name = "zip_map",
                                      .flags = OB_KERNEL_CELLS | OB_KERNEL_STRIDED,
                                      .state_bytes = sizeof(keys),
                                      .plan = zip_plan,
                                      .run = zip_run};

/* ---- DictVectorizer ---- */

static ob_status dict_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    return read_keys(site, "int64_vocabulary", "string_vocabulary", args->state, error);
}

static ob_status dict_run(const ob_kernel_args *args, ob_error *error) {
    const keys *k = args->state;
    const ob_cell *map = args->cells ? args->cells->in[0] : NULL;
    const ob_view *out = &args->out[0];
    const ob_view shape = {.dtype = out->dtype, .rank = 2, .dims = {1, (int64_t)k->n}};
    ob_view key_view, item;
    OB_FAIL_IF(ob_cell_get_kind(map) != OB_CELL_MAP || !ob_cell_keys(map, &key_view), error, OB_E_TYPE, "operand 0 is no map");
    OB_FAIL_IF(key_view.dtype != k->dtype, error, OB_E_TYPE, "the map has keys of %s, the vocabulary is of %s",
               ob_dtype_name(key_view.dtype), ob_dtype_name(k->dtype));
    OB_TRY(ob__set_output(args, 0, &shape, error));
    size_t width = ob_dtype_size(out->dtype);
    memset(out->data, 0, k->n * width);
    for (size_t i = 0; i < ob_cell_count(map); i++) {
        const key wanted = {text_of(key_view.data, k->dtype, i), 0},
                  *found = bsearch(&wanted, k->sorted, k->n, sizeof wanted, by_text);
        OB_FAIL_IF(!found, error, OB_E_ARGUMENT, "key %zu of the map is not in the vocabulary", i);
        bool fits = ob_cell_view(ob_cell_at(map, i), &item) && item.dtype == out->dtype && ob_view_count(&item) == 1;
        OB_FAIL_IF(!fits, error, OB_E_TYPE, "value %zu of the map is not one %s", i, ob_dtype_name(out->dtype));
        memcpy((char *)out->data + found->place * width, item.data, width);
    }
    return ob__own_strings(args, 0, error);
}

const ob_kernel ob__kernel_dict_vectorizer = {.name = "dict_vectorizer",
                                              .flags = OB_KERNEL_CELLS | OB_KERNEL_STRIDED,
                                              .state_bytes = sizeof(keys),
                                              .plan = dict_plan,
                                              .run = dict_run};
