/* Requirements of operators on elements of an operand: indices, lengths, labels. */
#include "core/base/error.h"
#include "ops/infer/contents.h"

/* A term that is 1 or more if any element is used. */
static ob_dim n_read(ob_infer *infer, uint32_t i, const ob_values_asked *asked) {
    return ob_dim_mul(infer->dims, ob__in_count(infer, i), asked->when);
}

static ob_status lies_above(ob_infer *infer, uint32_t i, ob_dim element, const ob_values_asked *asked) {
    if (ob__known_at_least(infer, element, asked->lowest)) return OB_OK;
    return ob__require_where(infer, n_read(infer, i, asked), OB_COND_AT_LEAST, element, asked->lowest, (int32_t)i, asked->axis,
                             OB0601);
}

static ob_status lies_below(ob_infer *infer, uint32_t i, ob_dim element, const ob_values_asked *asked) {
    if (asked->unlimited || ob__known_at_least(infer, asked->highest, element)) return OB_OK;
    return ob__require_where(infer, n_read(infer, i, asked), OB_COND_AT_LEAST, asked->highest, element, (int32_t)i, asked->axis,
                             OB0601);
}

static ob_status unknown(ob_infer *infer, uint32_t i, const ob_values_asked *asked) {
    const char *reason = asked->reason;
    for (const ob_trace *link = ob__in_content(infer, i).trace; link; link = link->next)
        if (link->is_mixed) reason = "an element is computed from two inputs, and no condition on one of them decides it";
    return ob__unverified(infer, (int32_t)i, asked->axis, reason);
}

/* For known elements. Among those that are numbers, only the least and the greatest are required. */
static ob_status elements_within(ob_infer *infer, uint32_t i, ob_content content, const ob_values_asked *asked) {
    ob_dim least = OB_DIM_UNKNOWN, most = OB_DIM_UNKNOWN;
    for (uint32_t k = 0; k < content.n; k++) {
        const ob_dim element = content.elems[k];
        if (element == OB_DIM_UNKNOWN) {
            OB_TRY(unknown(infer, i, asked));
        } else if (ob_dim_is_const(element)) {
            if (least == OB_DIM_UNKNOWN || element < least) least = element;
            if (most == OB_DIM_UNKNOWN || element > most) most = element;
        } else if (k == 0 || element != content.elems[k - 1]) {
            OB_TRY(lies_above(infer, i, element, asked));
            OB_TRY(lies_below(infer, i, element, asked));
        }
    }
    if (least == OB_DIM_UNKNOWN) return OB_OK;
    OB_TRY(lies_above(infer, i, least, asked));
    return lies_below(infer, i, most, asked);
}

ob_status ob__require_values(ob_infer *infer, uint32_t i, const ob_values_asked *asked) {
    const ob_content content = ob__in_content(infer, i);
    ob_range range;
    bool stated;
    if (!ob__in_given(infer, i) || asked->when == 0 || ob__in_count(infer, i) == 0) return OB_OK;
    if (content.elems) return elements_within(infer, i, content, asked);
    const bool known = ob__in_range(infer, i, &range);
    /* If both bounds are elements, the requirement is one on sizes. */
    if (known && range.reached && !asked->some) {
        OB_TRY(lies_below(infer, i, range.highest, asked));
        return lies_above(infer, i, range.lowest, asked);
    }
    if (known && (asked->unlimited || ob__known_at_least(infer, asked->highest, range.highest)) &&
        ob__known_at_least(infer, range.lowest, asked->lowest)) {
        if (infer->decided) infer->decided(infer, true);
        return OB_OK;
    }
    OB_TRY(ob__trace_within(infer, i, asked, &stated));
    return stated ? OB_OK : unknown(infer, i, asked);
}

ob_status ob__require_places(ob_infer *infer, uint32_t i, ob_dim size, int32_t data, int32_t axis) {
    if (!ob__in_given(infer, i)) return OB_OK;
    const ob_values_asked asked = {.lowest = ob_dim_sub(infer->dims, 0, size),
                                   .highest = ob_dim_sub(infer->dims, size, 1),
                                   .when = 1,
                                   .axis = axis,
                                   .reason = "indices depend on data"};
    OB_TRY(ob__require_where(infer, n_read(infer, i, &asked), OB_COND_AT_LEAST, size, 1, data, axis, OB0601));
    return ob__require_values(infer, i, &asked);
}
