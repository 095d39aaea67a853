/* ZipMap 1: rows as maps from classes to scores. DictVectorizer 1: a map as a vector over a vocabulary, for every type of key and
 * value. CastMap 1: the converted values of a map, in the order of its keys, or each at the position that its key gives. */
#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/integers.h"
#include "core/base/number_text.h"
#include "ops/kernel/cells.h"
#include "ops/kernel/common.h"
#include "ops/ml/keys.h"
#include "ops/ml/score.h"

/* The keys in the node's attributes: integers or strings. */
static ob_status read_keys(const ob_kernel_site *site, const char *of_ints, const char *of_strings, ob_ml_labels *list,
                           ob_ml_keys *keys, ob_error *error) {
    OB_TRY(ob__ml_either(site->node, of_ints, of_strings, list, error));
    OB_TRY(ob__ml_keys(site, list, false, OB_ML_REFUSED, keys, error));
    return ob__ml_keep_labels(site, list, error);
}

/* ---- ZipMap ---- */

static ob_status zip_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    ob_ml_keys keys;
    return read_keys(site, "classlabels_int64s", "classlabels_strings", args->state, &keys, error);
}

/* One row as a map. All maps share the keys. */
static ob_status zip_row(const ob_kernel_args *args, const char *row, int64_t stride, ob_cell *shared, ob_cell **out,
                         ob_error *error) {
    const ob_ml_labels *k = args->state;
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
    const ob_ml_labels *k = args->state;
    const ob_view *in = &args->in[0];
    ob_view key_view;
    ob_cell *shared = NULL, *list = NULL, *row = NULL;
    int64_t n_rows = in->rank == 2 ? in->dims[0] : 1, n_columns = in->rank > 0 ? in->dims[in->rank - 1] : 0;
    OB_FAIL_IF(in->rank < 1 || in->rank > 2 || n_columns != (int64_t)k->n, error, OB_E_SHAPE,
               "%u keys do not fit the columns of a tensor of rank %d", k->n, in->rank);
    OB_TRY(ob_view_init(&key_view, (void *)(uintptr_t)k->at, k->dtype, 1, (const int64_t[]){(int64_t)k->n}));
    OB_TRY(ob_cell_tensor(&key_view, args->cells->allocator, &shared, error));
    ob_status status = ob__cell_new_list(OB_CELL_SEQUENCE, OB_FLOAT, (size_t)n_rows, args->cells->allocator, &list, error);
    for (int64_t i = 0; i < n_rows && status == OB_OK && !ob__stopped(args->threads); i++) {
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
                                      .state_bytes = sizeof(ob_ml_labels),
                                      .plan = zip_plan,
                                      .run = zip_run};

/* ---- DictVectorizer ---- */

typedef struct dict {
    ob_ml_keys keys;
    uint32_t n;
} dict;

static ob_status dict_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    dict *d = args->state;
    ob_ml_labels list;
    OB_TRY(read_keys(site, "int64_vocabulary", "string_vocabulary", &list, &d->keys, error));
    d->n = list.n;
    return OB_OK;
}

static ob_status dict_run(const ob_kernel_args *args, ob_error *error) {
    const dict *d = args->state;
    const ob_ml_keys *k = &d->keys;
    const ob_cell *map = args->cells ? args->cells->in[0] : NULL;
    const ob_view *out = &args->out[0];
    const ob_view shape = {.dtype = out->dtype, .rank = 2, .dims = {1, (int64_t)d->n}};
    ob_view key_view, item;
    OB_FAIL_IF(ob_cell_get_kind(map) != OB_CELL_MAP || !ob_cell_keys(map, &key_view), error, OB_E_TYPE, "operand 0 is not a map");
    OB_FAIL_IF(key_view.dtype != k->dtype, error, OB_E_TYPE, "the map has keys of %s, the vocabulary is of %s",
               ob_dtype_name(key_view.dtype), ob_dtype_name(k->dtype));
    OB_TRY(ob__set_output(args, 0, &shape, error));
    size_t width = ob_dtype_size(out->dtype);
    memset(out->data, 0, d->n * width);
    obk_pace pace = ob__pace(args->threads);
    for (size_t i = 0; i < ob_cell_count(map) && !obk_stops(&pace, 64); i++) {
        const void *key = (const char *)key_view.data + i * ob_dtype_size(k->dtype);
        const uint32_t found = ob__ml_find(k, key, d->n);
        OB_FAIL_IF(found == d->n, error, OB_E_ARGUMENT, "key %zu of the map is not in the vocabulary", i);
        bool fits = ob_cell_view(ob_cell_at(map, i), &item) && item.dtype == out->dtype && ob_view_count(&item) == 1;
        OB_FAIL_IF(!fits, error, OB_E_TYPE, "value %zu of the map is not one %s", i, ob_dtype_name(out->dtype));
        memcpy((char *)out->data + found * width, item.data, width);
    }
    return ob__own_strings(args, 0, error);
}

const ob_kernel ob__kernel_dict_vectorizer = {.name = "dict_vectorizer",
                                              .flags = OB_KERNEL_CELLS | OB_KERNEL_STRIDED,
                                              .state_bytes = sizeof(dict),
                                              .plan = dict_plan,
                                              .run = dict_run};

/* ---- CastMap ---- */

typedef struct ordered {
    int64_t key;
    size_t item;
} ordered;

static int by_key(const void *a, const void *b) {
    const int64_t x = ((const ordered *)a)->key, y = ((const ordered *)b)->key;
    return (x > y) - (x < y);
}

static ob_status cast_map_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    return ob__ml_read_cast_map(site->node, args->state, error);
}

static ob_status text_of_number(const ob_kernel_args *args, double number, ob_string *out, ob_error *error) {
    char text[OB_NUMBER_TEXT_MAX];
    out->n = ob__format_real(number, true, text);
    out->data = ob__arena_strndup(args->strings, text, out->n);
    return out->data ? OB_OK : ob__fail(error, OB_E_MEMORY, "no memory for strings");
}

/* Writes one value of the map, a float or a string, as element `at` of the result. */
static ob_status cast_value(const ob_kernel_args *args, const ob_cell *cell, int64_t at, ob_error *error) {
    const ob_view *out = &args->out[0];
    ob_view item;
    double number = 0;
    ob_string text;
    bool negative, fits = ob_cell_view(cell, &item) && ob_view_count(&item) == 1;
    uint64_t bits;
    OB_FAIL_IF(!fits || (item.dtype != OB_FLOAT && item.dtype != OB_STRING), error, OB_E_TYPE,
               "a value of the map is neither a float nor a string");
    if (item.dtype == OB_STRING) {
        memcpy(&text, item.data, sizeof text);
        if (out->dtype == OB_STRING) {
            ((ob_string *)out->data)[at] = text; /* ob__own_strings copies its bytes */
            return OB_OK;
        }
        if (out->dtype == OB_INT64) {
            OB_FAIL_IF(ob__parse_int(text.data, text.n, &negative, &bits) != OB_NUMBER_READ || (!negative && bits > INT64_MAX),
                       error, OB_E_ARGUMENT, "\"%.*s\" is not a number", (int)(text.n < 80 ? text.n : 80), text.data);
            ((int64_t *)out->data)[at] = (int64_t)bits;
            return OB_OK;
        }
        OB_FAIL_IF(!ob__parse_real(text.data, text.n, true, &number), error, OB_E_ARGUMENT, "\"%.*s\" is not a number",
                   (int)(text.n < 80 ? text.n : 80), text.data);
    } else {
        float f;
        memcpy(&f, item.data, sizeof f);
        number = (double)f;
    }
    if (out->dtype == OB_STRING) return text_of_number(args, number, &((ob_string *)out->data)[at], error);
    if (out->dtype == OB_INT64)
        ((int64_t *)out->data)[at] = ob__int64_from(number);
    else
        ((float *)out->data)[at] = (float)number;
    return OB_OK;
}

static void fill_out(const ob_view *out, int64_t n) {
    static const char nothing[] = "0.f"; /* ONNX Runtime's text for a position without a key; the specification defines none */
    if (n > 0 && out->dtype != OB_STRING) memset(out->data, 0, (size_t)n * ob_dtype_size(out->dtype));
    for (int64_t i = 0; i < n && out->dtype == OB_STRING; i++)
        ((ob_string *)out->data)[i] = (ob_string){nothing, sizeof nothing - 1};
}

static ob_status cast_entries(const ob_kernel_args *args, const ob_cell *map, const ordered *entries, ob_error *error) {
    const ob_ml_cast_map *c = args->state;
    const size_t n = ob_cell_count(map);
    for (size_t i = 0; i < n; i++) {
        const int64_t key = entries[i].key;
        OB_FAIL_IF(c->sparse && (key < 0 || key >= c->width), error, OB_E_ARGUMENT,
                   "key %lld of the map is not below max_map, %lld", (long long)key, (long long)c->width);
        OB_TRY(cast_value(args, ob_cell_at(map, entries[i].item), c->sparse ? key : (int64_t)i, error));
    }
    return ob__own_strings(args, 0, error);
}

static ob_status cast_map_run(const ob_kernel_args *args, ob_error *error) {
    const ob_ml_cast_map *c = args->state;
    const ob_cell *map = args->cells ? args->cells->in[0] : NULL;
    ob_view keys, shape = {.dtype = c->dtype, .rank = 2, .dims = {1, 0}};
    ob_arena scratch;
    OB_FAIL_IF(ob_cell_get_kind(map) != OB_CELL_MAP || !ob_cell_keys(map, &keys) || keys.dtype != OB_INT64, error, OB_E_TYPE,
               "operand 0 is not a map from int64");
    OB_FAIL_IF(c->dtype == OB_STRING && !args->strings, error, OB_E_UNSUPPORTED, "strings cannot be stored here");
    const size_t n = ob_cell_count(map);
    shape.dims[1] = c->sparse ? c->width : (int64_t)n;
    OB_TRY(ob__set_output(args, 0, &shape, error));
    fill_out(&args->out[0], shape.dims[1]);
    ob__arena_init(&scratch, args->cells->allocator);
    ordered *entries = OB_ARENA_ARRAY(&scratch, ordered, n);
    for (size_t i = 0; entries && i < n; i++) entries[i] = (ordered){((const int64_t *)keys.data)[i], i};
    if (entries) qsort(entries, n, sizeof *entries, by_key);
    ob_status status = entries ? cast_entries(args, map, entries, error) : ob__fail(error, OB_E_MEMORY, "no memory for keys");
    ob__arena_release(&scratch);
    return status;
}

const ob_kernel ob__kernel_cast_map = {.name = "cast_map",
                                       .flags = OB_KERNEL_CELLS | OB_KERNEL_STRIDED,
                                       .state_bytes = sizeof(ob_ml_cast_map),
                                       .plan = cast_map_plan,
                                       .run = cast_map_run};
