/* Elements of inputs and results of the runs of a certificate. */
#include "runtime/certify/elements.h"

#include <string.h>

/* ---- Inputs ---- */

static bool is_unsigned(ob_dtype dtype) {
    return dtype == OB_UINT8 || dtype == OB_UINT16 || dtype == OB_UINT32 || dtype == OB_UINT64;
}

bool ob__certify_has(ob_dtype dtype) {
    switch (dtype) {
    case OB_FLOAT:
    case OB_DOUBLE:
    case OB_FLOAT16:
    case OB_BFLOAT16:
    case OB_BOOL:
    case OB_INT8:
    case OB_INT16:
    case OB_INT32:
    case OB_INT64: return true;
    default: return is_unsigned(dtype);
    }
}

void ob__certify_range(ob_report *report, const char *const *names, const ob_binding *sizes, size_t n_sizes, const char *input,
                       int64_t *lowest, int64_t *highest) {
    const ob_dims *dims = ob_report_dims(report);
    ob_binding bindings[OB_CERTIFY_SYMBOLS];
    size_t n = 0;
    ob_bound_info bound;
    *lowest = -1;
    *highest = 100;
    for (size_t i = 0; i < n_sizes; i++) {
        const ob_dim symbol = ob_dim_find(dims, names[i]);
        if (symbol != OB_DIM_UNKNOWN) bindings[n++] = (ob_binding){symbol, sizes[i].size};
    }
    for (size_t i = 0; ob_report_bound(report, i, &bound) == OB_OK; i++) {
        int64_t end;
        if (strcmp(bound.input, input) != 0) continue;
        if (bound.lowest != OB_DIM_UNKNOWN && ob_dim_eval(dims, bound.lowest, bindings, n, &end) == OB_OK && end > *lowest)
            *lowest = end;
        if (bound.highest != OB_DIM_UNKNOWN && ob_dim_eval(dims, bound.highest, bindings, n, &end) == OB_OK && end < *highest)
            *highest = end;
    }
    if (*lowest > *highest) *lowest = *highest;
}

static void fill_integers(ob_view *view, bool special, uint64_t *state, int64_t lowest, int64_t highest) {
    const size_t size = ob_dtype_size(view->dtype);
    const int64_t n = ob_view_count(view);
    for (int64_t i = 0; i < n; i++) {
        *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
        const uint64_t drawn = *state >> 33;
        const int64_t usual[] = {0, 1, 2}, edges[] = {lowest, highest, -1, 0, 1};
        int64_t x = special ? edges[drawn % 5] : usual[drawn % 3];
        if (is_unsigned(view->dtype) && x < 0) x = 0;
        if (x < lowest) x = lowest;
        if (x > highest) x = highest;
        if (view->dtype == OB_BOOL) x = (int64_t)(drawn & 1);
        switch (size) {
        case 1: *((int8_t *)view->data + i) = (int8_t)x; break;
        case 2: *((int16_t *)view->data + i) = (int16_t)x; break;
        case 4: *((int32_t *)view->data + i) = (int32_t)x; break;
        case 8: *((int64_t *)view->data + i) = x; break;
        default: break; /* there is no such type */
        }
    }
}

void ob__certify_fill(ob_view *view, bool special, uint64_t *state, int64_t lowest, int64_t highest) {
    static const uint32_t floats[2][8] = {
        {0, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x3F000000, 0x40400000, 0xBF000000},
        {0x7FC00000, 0x7F800000, 0xFF800000, 0x80000000, 0x7F7FFFFF, 0x00000001, 0x3F800000, 0}};
    static const uint64_t doubles[2][8] = {{0, 0x3FF0000000000000, 0xBFF0000000000000, 0x4000000000000000, 0xC000000000000000,
                                            0x3FE0000000000000, 0x4008000000000000, 0xBFE0000000000000},
                                           {0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x8000000000000000,
                                            0x7FEFFFFFFFFFFFFF, 0x0000000000000001, 0x3FF0000000000000, 0}};
    static const uint16_t halves[2][8] = {{0, 0x3C00, 0xBC00, 0x4000, 0xC000, 0x3800, 0x4200, 0xB800},
                                          {0x7E00, 0x7C00, 0xFC00, 0x8000, 0x7BFF, 0x0001, 0x3C00, 0}};
    static const uint16_t bfloats[2][8] = {{0, 0x3F80, 0xBF80, 0x4000, 0xC000, 0x3F00, 0x4040, 0xBF00},
                                           {0x7FC0, 0x7F80, 0xFF80, 0x8000, 0x7F7F, 0x0001, 0x3F80, 0}};
    const int64_t n = ob_view_count(view);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t before = *state;
        *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
        const size_t at = (*state >> 33) % 8;
        switch (view->dtype) {
        case OB_FLOAT: memcpy((uint32_t *)view->data + i, &floats[special][at], sizeof(uint32_t)); break;
        case OB_DOUBLE: memcpy((uint64_t *)view->data + i, &doubles[special][at], sizeof(uint64_t)); break;
        case OB_FLOAT16: ((uint16_t *)view->data)[i] = halves[special][at]; break;
        case OB_BFLOAT16: ((uint16_t *)view->data)[i] = bfloats[special][at]; break;
        default:
            *state = before;
            fill_integers(view, special, state, lowest, highest);
            return;
        }
    }
}

/* ---- Results ---- */

void ob__certify_append(ob_text *out, const ob_view *view) {
    const int64_t n = ob_view_count(view);
    const size_t size = ob_dtype_size(view->dtype);
    const int32_t head[] = {(int32_t)view->dtype, view->rank};
    ob__text_append(out, (const char *)head, sizeof head);
    ob__text_append(out, (const char *)view->dims, (size_t)view->rank * sizeof *view->dims);
    for (int64_t i = 0; i < n; i++) {
        const char *element = (const char *)view->data + (size_t)i * size;
        char canonical[16];
        if (view->dtype == OB_STRING) {
            const ob_string *text = (const ob_string *)view->data + i;
            const uint64_t length = text->n;
            ob__text_append(out, (const char *)&length, sizeof length);
            ob__text_append(out, text->data ? text->data : "", text->n);
            continue;
        }
        memcpy(canonical, element, size <= sizeof canonical ? size : sizeof canonical);
        uint32_t word = 0;
        uint64_t wide = 0;
        uint16_t half = 0;
        if (view->dtype == OB_FLOAT) {
            memcpy(&word, element, sizeof word);
            if ((word & 0x7FFFFFFF) > 0x7F800000) word = 0x7FC00000;
            memcpy(canonical, &word, sizeof word);
        } else if (view->dtype == OB_DOUBLE) {
            memcpy(&wide, element, sizeof wide);
            if ((wide & INT64_MAX) > UINT64_C(0x7FF0000000000000)) wide = UINT64_C(0x7FF8000000000000);
            memcpy(canonical, &wide, sizeof wide);
        } else if (view->dtype == OB_FLOAT16 || view->dtype == OB_BFLOAT16) {
            const uint16_t infinity = view->dtype == OB_FLOAT16 ? 0x7C00 : 0x7F80;
            memcpy(&half, element, sizeof half);
            if ((half & 0x7FFF) > infinity) half = infinity | 0x40;
            memcpy(canonical, &half, sizeof half);
        }
        ob__text_append(out, canonical, size);
    }
}
