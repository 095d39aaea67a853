/* Finds elements in a list of numbers or strings. */
#ifndef OB_OPS_ML_KEYS_H
#define OB_OPS_ML_KEYS_H

#include "core/base/map.h"
#include "core/base/number_map.h"
#include "ops/kernel/kernel.h"
#include "ops/ml/params.h"

typedef struct ob_ml_keys {
    ob_dtype dtype;
    bool as_numbers;       /* for floats: -0 equals 0 and all NaN are equal; otherwise bits are compared */
    ob_map texts;          /* from strings to 1 + the place in the list */
    ob_number_map numbers; /* from the bits of numbers to 1 + the place in the list; empty with `dense` */
    /* For integers in a small range: 1 + the places of least .. least + n_dense - 1; 0: not in the list. */
    const uint32_t *dense;
    int64_t least;
    uint64_t n_dense;
} ob_ml_keys;
extern const struct ob_struct ob__ml_keys_struct;

/* Makes keys that live as long as the plan. E_ARGUMENT for a key that occurs twice, with OB_ML_REFUSED. */
ob_status ob__ml_keys(const ob_kernel_site *site, const ob_ml_labels *list, bool as_numbers, ob_ml_equal equal, ob_ml_keys *out,
                      ob_error *error);
/* The places in the list of n elements of the type of the keys; `otherwise` for elements that are not in the list. */
void ob__ml_find_all(const ob_ml_keys *keys, const void *elements, int64_t n, uint32_t otherwise, uint32_t *places);
static inline uint32_t ob__ml_find(const ob_ml_keys *keys, const void *element, uint32_t otherwise) {
    uint32_t place;
    ob__ml_find_all(keys, element, 1, otherwise, &place);
    return place;
}

#endif
