#include "ops/ml/keys.h"

#include <stdlib.h>

#include "ops/kernel/common.h"

enum { WIDEST = 8 }; /* bytes of a number */

static int by_text(const void *a, const void *b) {
    const ob_string *x = &((const ob_ml_key *)a)->text, *y = &((const ob_ml_key *)b)->text;
    size_t n = x->n < y->n ? x->n : y->n;
    int order = n ? memcmp(x->data, y->data, n) : 0;
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

static int by_text_and_place(const void *a, const void *b) {
    const uint32_t x = ((const ob_ml_key *)a)->place, y = ((const ob_ml_key *)b)->place;
    int order = by_text(a, b);
    return order ? order : (x > y) - (x < y);
}

/* What is compared of an element: a string, or the bytes of a number, in `room`. */
static ob_string text_of(const ob_ml_keys *keys, const void *element, char room[WIDEST]) {
    ob_string text;
    float f;
    double d;
    const size_t n = ob_dtype_size(keys->dtype);
    if (keys->dtype == OB_STRING) {
        memcpy(&text, element, sizeof text);
        return text;
    }
    memcpy(room, element, n);
    if (keys->as_numbers && keys->dtype == OB_FLOAT) {
        memcpy(&f, room, sizeof f);
        f = isnan(f) ? (float)NAN : f + 0.0f;
        memcpy(room, &f, sizeof f);
    }
    if (keys->as_numbers && keys->dtype == OB_DOUBLE) {
        memcpy(&d, room, sizeof d);
        d = isnan(d) ? (double)NAN : d + 0.0;
        memcpy(room, &d, sizeof d);
    }
    return (ob_string){room, n};
}

ob_status ob__ml_keys(const ob_kernel_site *site, const ob_ml_labels *list, bool as_numbers, ob_ml_equal equal, ob_ml_keys *out,
                      ob_error *error) {
    const size_t width = ob_dtype_size(list->dtype);
    ob_ml_key *keys = ob__tail(site, list->n, sizeof *keys);
    uint32_t n = 0;
    *out = (ob_ml_keys){.dtype = list->dtype, .as_numbers = as_numbers, .sorted = keys};
    for (uint32_t i = 0; keys && i < list->n; i++) {
        char room[WIDEST];
        ob_string text = text_of(out, (const char *)list->at + i * width, room);
        char *bytes = ob__arena_strndup(site->arena, text.data, text.n);
        if (!bytes) keys = NULL;
        if (keys) keys[i] = (ob_ml_key){{bytes, text.n}, i};
    }
    if (!keys) return ob__fail(error, OB_E_MEMORY, "no memory for keys");
    qsort(keys, list->n, sizeof *keys, by_text_and_place);
    for (uint32_t i = 0; i < list->n; i++) {
        const bool again = n > 0 && by_text(&keys[n - 1], &keys[i]) == 0;
        OB_FAIL_IF(again && equal == OB_ML_REFUSED, error, OB_E_ARGUMENT, "a key is listed twice");
        if (!again)
            keys[n++] = keys[i];
        else if (equal == OB_ML_LAST)
            keys[n - 1] = keys[i];
    }
    out->n = n;
    return OB_OK;
}

uint32_t ob__ml_find(const ob_ml_keys *keys, const void *element, uint32_t otherwise) {
    char room[WIDEST];
    const ob_ml_key wanted = {text_of(keys, element, room), 0},
                    *found = bsearch(&wanted, keys->sorted, keys->n, sizeof wanted, by_text);
    return found ? found->place : otherwise;
}
