#include "ops/ml/keys.h"

#include "ops/kernel/common.h"

enum { WIDEST = 8 }; /* bytes of a number */

/* What is compared of an element: a string, or the bytes of a number, in `bytes`. */
static ob_string text_of(const ob_ml_keys *keys, const void *element, char bytes[WIDEST]) {
    ob_string text;
    float f;
    double d;
    const size_t n = ob_dtype_size(keys->dtype);
    if (keys->dtype == OB_STRING) {
        memcpy(&text, element, sizeof text);
        return text;
    }
    memcpy(bytes, element, n);
    if (keys->as_numbers && keys->dtype == OB_FLOAT) {
        memcpy(&f, bytes, sizeof f);
        f = isnan(f) ? (float)NAN : f + 0.0f;
        memcpy(bytes, &f, sizeof f);
    }
    if (keys->as_numbers && keys->dtype == OB_DOUBLE) {
        memcpy(&d, bytes, sizeof d);
        d = isnan(d) ? (double)NAN : d + 0.0;
        memcpy(bytes, &d, sizeof d);
    }
    return (ob_string){bytes, n};
}

static int64_t int_at(const ob_ml_labels *list, uint32_t i) {
    int64_t value;
    memcpy(&value, (const char *)list->at + i * sizeof value, sizeof value);
    return value;
}

/* A table by value, where it takes no more than a few times the keys' memory. */
static bool lay_out(const ob_kernel_site *site, const ob_ml_labels *list, ob_ml_keys *out) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (uint32_t i = 0; i < list->n; i++) {
        const int64_t key = int_at(list, i);
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    if (list->n == 0 || (uint64_t)most - (uint64_t)least > 8 * (uint64_t)list->n) return true;
    out->least = least;
    out->n_dense = (uint64_t)most - (uint64_t)least + 1;
    uint32_t *dense = ob__tail(site, (size_t)out->n_dense, sizeof *dense);
    for (uint32_t i = 0; dense && i < list->n; i++) {
        const int64_t key = int_at(list, i);
        const ob_map_entry *entry = ob__map_find(&out->places, (const char *)&key, sizeof key);
        dense[(uint64_t)key - (uint64_t)least] = (uint32_t)(uintptr_t)entry->value;
    }
    out->dense = dense;
    return dense != NULL;
}

ob_status ob__ml_keys(const ob_kernel_site *site, const ob_ml_labels *list, bool as_numbers, ob_ml_equal equal, ob_ml_keys *out,
                      ob_error *error) {
    const size_t width = ob_dtype_size(list->dtype);
    *out = (ob_ml_keys){.dtype = list->dtype, .as_numbers = as_numbers};
    ob__map_init(&out->places, site->arena);
    bool room = ob__map_reserve(&out->places, list->n);
    for (uint32_t i = 0; room && i < list->n; i++) {
        char bytes[WIDEST];
        const ob_string text = text_of(out, (const char *)list->at + i * width, bytes);
        ob_map_entry *entry = ob__map_insert(&out->places, text.n ? text.data : "", text.n);
        OB_FAIL_IF(entry && entry->value && equal == OB_ML_REFUSED, error, OB_E_ARGUMENT, "a key is listed twice");
        room = entry != NULL;
        if (room && (!entry->value || equal == OB_ML_LAST)) entry->value = (void *)((uintptr_t)i + 1);
    }
    if (room && list->dtype == OB_INT64) room = lay_out(site, list, out);
    return room ? OB_OK : ob__fail(error, OB_E_MEMORY, "no memory for keys");
}

uint32_t ob__ml_find(const ob_ml_keys *keys, const void *element, uint32_t otherwise) {
    if (keys->dense) {
        int64_t value;
        memcpy(&value, element, sizeof value);
        const uint64_t at = (uint64_t)value - (uint64_t)keys->least;
        return at < keys->n_dense && keys->dense[at] ? keys->dense[at] - 1 : otherwise;
    }
    char bytes[WIDEST];
    const ob_string text = text_of(keys, element, bytes);
    const ob_map_entry *entry = ob__map_find(&keys->places, text.n ? text.data : "", text.n);
    return entry ? (uint32_t)((uintptr_t)entry->value - 1) : otherwise;
}
