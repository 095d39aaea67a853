#include "ops/ml/keys.h"

#include "ops/kernel/common.h"
#include "ops/kernel/members.h"

static const ob_member map_members[] = {OB_UNREAD(ob_map, arena), OB_ONLY_NULL(ob_map, entries), OB_SIZE(ob_map, n_entries),
                                        OB_SIZE(ob_map, capacity), OB_ONLY_NULL(ob_map, hash_key)};
static const ob_struct map_struct = OB_STRUCT(ob_map, map_members);
static const ob_member slot_members[] = {OB_VALUE(ob_number_slot, key), OB_VALUE(ob_number_slot, value)};
static const ob_struct slot_struct = OB_STRUCT(ob_number_slot, slot_members);

static int64_t slots_of(const void *owner, uint32_t i) {
    (void)i;
    return (int64_t)((const ob_number_map *)owner)->mask + 1;
}
OB_COUNT(dense_of, ob_ml_keys, n_dense)

static const ob_member numbers_members[] = {OB_POINTER(ob_number_map, slots, &slot_struct, slots_of),
                                            OB_VALUE(ob_number_map, factor), OB_SIZE(ob_number_map, mask),
                                            OB_VALUE(ob_number_map, shift)};
static const ob_struct numbers_struct = OB_STRUCT(ob_number_map, numbers_members);
static const ob_member keys_members[] = {OB_VALUE(ob_ml_keys, dtype),
                                         OB_VALUE(ob_ml_keys, as_numbers),
                                         OB_NESTED(ob_ml_keys, texts, &map_struct),
                                         OB_NESTED(ob_ml_keys, numbers, &numbers_struct),
                                         OB_NUMBERS(ob_ml_keys, dense, dense_of),
                                         OB_VALUE(ob_ml_keys, least),
                                         OB_VALUE(ob_ml_keys, n_dense)};
const ob_struct ob__ml_keys_struct = OB_STRUCT(ob_ml_keys, keys_members);

/* The bits of an element, the same for each byte order. */
static inline uint64_t plain_bits(const void *element, size_t width) {
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (width) {
    case 1: return memcpy(&one, element, 1), one;
    case 2: return memcpy(&two, element, 2), two;
    case 4: return memcpy(&four, element, 4), four;
    default: return memcpy(&eight, element, 8), eight;
    }
}

/* The bits of a number that are compared. */
static inline uint64_t bits_of(const ob_ml_keys *keys, const void *element) {
    float f;
    double d;
    if (keys->dtype == OB_INT64) return plain_bits(element, sizeof(int64_t));
    if (keys->as_numbers && keys->dtype == OB_FLOAT) {
        memcpy(&f, element, sizeof f);
        f = isnan(f) ? (float)NAN : f + 0.0f;
        return plain_bits(&f, sizeof f);
    }
    if (keys->as_numbers && keys->dtype == OB_DOUBLE) {
        memcpy(&d, element, sizeof d);
        d = isnan(d) ? (double)NAN : d + 0.0;
        return plain_bits(&d, sizeof d);
    }
    return plain_bits(element, ob_dtype_size(keys->dtype));
}

static int64_t int_at(const ob_ml_labels *list, uint32_t i) {
    int64_t value;
    memcpy(&value, (const char *)list->at + i * sizeof value, sizeof value);
    return value;
}

/* Makes a table by value if it takes at most a few times the memory of the keys. */
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
    uint32_t *dense = ob__tail(site, (uint64_t)out->n_dense, sizeof *dense);
    for (uint32_t i = 0; dense && i < list->n; i++) {
        const int64_t key = int_at(list, i);
        dense[(uint64_t)key - (uint64_t)least] = ob__number_find(&out->numbers, (uint64_t)key);
    }
    out->dense = dense;
    if (dense) out->numbers = (ob_number_map){.slots = NULL};
    return dense != NULL;
}

static ob_status no_memory(ob_error *error) {
    return ob__fail(error, OB_E_MEMORY, "no memory for keys");
}

static ob_status twice(ob_error *error) {
    return ob__fail(error, OB_E_ARGUMENT, "a key is listed twice");
}

static ob_status keep_texts(const ob_ml_labels *list, ob_ml_equal equal, ob_ml_keys *out, ob_error *error) {
    if (!ob__map_reserve(&out->texts, list->n)) return no_memory(error);
    for (uint32_t i = 0; i < list->n; i++) {
        ob_string text;
        memcpy(&text, (const char *)list->at + i * sizeof text, sizeof text);
        ob_map_entry *entry = ob__map_insert(&out->texts, text.n ? text.data : "", text.n);
        if (!entry) return no_memory(error);
        if (entry->value && equal == OB_ML_REFUSED) return twice(error);
        if (!entry->value || equal == OB_ML_LAST) entry->value = (void *)((uintptr_t)i + 1);
    }
    return OB_OK;
}

ob_status ob__ml_keys(const ob_kernel_site *site, const ob_ml_labels *list, bool as_numbers, ob_ml_equal equal, ob_ml_keys *out,
                      ob_error *error) {
    const size_t width = ob_dtype_size(list->dtype);
    *out = (ob_ml_keys){.dtype = list->dtype, .as_numbers = as_numbers};
    ob__map_init(&out->texts, site->arena);
    if (list->dtype == OB_STRING) return keep_texts(list, equal, out, error);
    if (!ob__number_map_init(&out->numbers, site->arena, list->n)) return no_memory(error);
    if (site->loops_only) out->numbers.factor = UINT64_C(0x9E3779B97F4A7C15); /* the same C for the same model */
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t *place = ob__number_place(&out->numbers, bits_of(out, (const char *)list->at + i * width));
        if (*place && equal == OB_ML_REFUSED) return twice(error);
        if (!*place || equal == OB_ML_LAST) *place = i + 1;
    }
    return list->dtype != OB_INT64 || lay_out(site, list, out) ? OB_OK : no_memory(error);
}

static inline uint32_t place_or(uint32_t place, uint32_t otherwise) {
    return place ? place - 1 : otherwise;
}

void ob__ml_find_all(const ob_ml_keys *keys, const void *elements, int64_t n, uint32_t otherwise, uint32_t *places) {
    if (keys->dtype == OB_STRING) {
        const ob_map texts = keys->texts;
        for (int64_t i = 0; i < n; i++) {
            ob_string text;
            memcpy(&text, (const char *)elements + (size_t)i * sizeof text, sizeof text);
            const ob_map_entry *entry = ob__map_find(&texts, text.n ? text.data : "", text.n);
            places[i] = place_or(entry ? (uint32_t)(uintptr_t)entry->value : 0, otherwise);
        }
    } else if (keys->dense) {
        const uint32_t *dense = keys->dense;
        const uint64_t least = (uint64_t)keys->least, n_dense = keys->n_dense;
        for (int64_t i = 0; i < n; i++) {
            uint64_t at;
            memcpy(&at, (const char *)elements + (size_t)i * sizeof at, sizeof at);
            places[i] = place_or(at - least < n_dense ? dense[at - least] : 0, otherwise);
        }
    } else {
        const size_t width = ob_dtype_size(keys->dtype);
        for (int64_t i = 0; i < n; i++)
            places[i] =
                place_or(ob__number_find(&keys->numbers, bits_of(keys, (const char *)elements + (size_t)i * width)), otherwise);
    }
}
