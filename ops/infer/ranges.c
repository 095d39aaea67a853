/* Ranges of the integers of a tensor, if there are too many or an open number of them. Most are positions. */
#include "ops/infer/contents.h"

#include "core/base/error.h"
#include "ops/table/op.h"

/* With more elements that are terms, their minimum would be too long to be useful. */
enum { MOST_TERMS = 8 };

static bool range_of_elements(const ob_infer *infer, ob_content content, ob_dtype dtype, ob_range *out) {
    uint32_t n_terms = 0;
    for (uint32_t i = 0; i < content.n; i++) {
        if (ob__content_exact(content.elems[i]) == OB_DIM_UNKNOWN || !ob__term_fits(infer, content.elems[i], dtype)) return false;
        n_terms += ob_dim_is_term(content.elems[i]);
    }
    if (content.n == 0 || (n_terms > 0 && content.n > MOST_TERMS)) return false;
    *out = (ob_range){content.elems[0], content.elems[0], true};
    for (uint32_t i = 1; i < content.n; i++) {
        out->lowest = ob__term_min(infer, out->lowest, content.elems[i]);
        out->highest = ob__term_max(infer, out->highest, content.elems[i]);
    }
    return true;
}

/* The range of a narrow type, whatever the elements are. */
static bool range_of_type(ob_dtype dtype, ob_range *out) {
    switch (dtype) {
    case OB_BOOL: *out = (ob_range){0, 1, false}; return true;
    case OB_INT8: *out = (ob_range){INT8_MIN, INT8_MAX, false}; return true;
    case OB_INT16: *out = (ob_range){INT16_MIN, INT16_MAX, false}; return true;
    case OB_UINT8: *out = (ob_range){0, UINT8_MAX, false}; return true;
    case OB_UINT16: *out = (ob_range){0, UINT16_MAX, false}; return true;
    default: return false;
    }
}

bool ob__in_range(const ob_infer *infer, uint32_t i, ob_range *out) {
    ob_content content = ob__in_content(infer, i);
    if (content.elems) return range_of_elements(infer, content, ob__in_dtype(infer, i), out);
    if (!content.range) return ob__in_given(infer, i) && range_of_type(ob__in_dtype(infer, i), out);
    *out = *content.range;
    return true;
}

ob_status ob__out_range(ob_infer *infer, uint32_t i, ob_range range) {
    if (i >= infer->node->n_outputs || infer->out_contents[i].elems) return OB_OK;
    ob_dtype dtype = infer->out_types[i].dtype;
    if (dtype != OB_INT64 && dtype != OB_INT32) return OB_OK;
    if (range.lowest == OB_DIM_UNKNOWN && range.highest == OB_DIM_UNKNOWN) return OB_OK;
    range.reached = range.reached && range.lowest != OB_DIM_UNKNOWN && range.highest != OB_DIM_UNKNOWN;
    ob_range *kept = OB_ARENA_NEW(infer->arena, ob_range);
    if (!kept) return OB_E_MEMORY;
    *kept = range;
    infer->out_contents[i].range = kept;
    return OB_OK;
}

ob_status ob__range_share(ob_infer *infer, uint32_t input, uint32_t output) {
    ob_range range;
    OB_TRY(ob__trace_share(infer, input, output));
    return ob__in_range(infer, input, &range) ? ob__out_range(infer, output, range) : OB_OK;
}

ob_status ob__range_part(ob_infer *infer, uint32_t input, uint32_t output) {
    ob_range range;
    if (!ob__in_range(infer, input, &range)) return OB_OK;
    range.reached = range.reached && range.lowest == range.highest;
    return ob__out_range(infer, output, range);
}

ob_status ob__range_join(ob_infer *infer, uint32_t first, uint32_t end) {
    ob_range all = {0}, one;
    OB_TRY(ob__trace_join(infer, first, end));
    for (uint32_t i = first; i < end; i++) {
        if (!ob__in_range(infer, i, &one)) return OB_OK;
        /* an empty operand contributes no bounds */
        all = i == first ? one
                         : (ob_range){ob__term_min(infer, all.lowest, one.lowest), ob__term_max(infer, all.highest, one.highest),
                                      all.lowest == one.lowest && all.highest == one.highest && all.reached && one.reached};
    }
    return end > first ? ob__out_range(infer, 0, all) : OB_OK;
}

/* For computed elements: if a bound is beyond the type, elements may have wrapped to any value. */
ob_status ob__out_computed_range(ob_infer *infer, ob_range range) {
    ob_dtype dtype = infer->out_types[0].dtype;
    if (range.lowest == OB_DIM_UNKNOWN || range.highest == OB_DIM_UNKNOWN) return OB_OK;
    if (ob__content_within(range.lowest, dtype) != range.lowest || ob__content_within(range.highest, dtype) != range.highest)
        return OB_OK;
    OB_TRY(ob__term_fit(infer, &range.lowest, dtype, 0));
    OB_TRY(ob__term_fit(infer, &range.highest, dtype, 0));
    if (range.lowest == OB_DIM_UNKNOWN || range.highest == OB_DIM_UNKNOWN) return OB_OK;
    return ob__out_range(infer, 0, range);
}
