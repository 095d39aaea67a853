/* The range of element types. Sums, differences and products of integers wrap as their terms do modulo a power of two, so terms
 * need no check there. Any other use of an integer is correct only if the integer equals its term and has not wrapped.
 *
 * For 64 bits, sizes that no tensor can have are ignored: a product of different sizes is taken for the axes of one tensor. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/dims/terms.h"
#include "core/graph/types.h"
#include "ops/infer/contents.h"
#include "ops/table/op.h"

enum {
    SINGLE_BITS = 40, /* of a size on its own */
    JOINT_BITS = 52,  /* of a product of different sizes */
    OTHER_BITS = 30,  /* of a size in other terms: squares, minima ... */
    USUAL_BITS = 10   /* of the sizes in common models: if an integer wraps for these already, the model intends it */
};

/* ---- Sizes up to some bits ---- */

typedef struct bounded {
    const ob_size_ranges *assumed;
    int64_t most;
} bounded;

static void bounded_range(const void *context, ob_dim symbol, int64_t *lowest, int64_t *highest) {
    const bounded *b = context;
    if (b->assumed) b->assumed->of(b->assumed->context, symbol, lowest, highest);
    if (*highest > b->most && *lowest <= b->most) *highest = b->most;
}

static void bounds(const ob_infer *infer, ob_dim d, int bits, int64_t *low, int64_t *high) {
    const bounded sizes = {ob__assumed_ranges(infer->dims), bits < 62 ? (INT64_C(1) << bits) - 1 : OB_DIM_CONST_MAX};
    const ob_size_ranges ranges = {bounded_range, &sizes, NULL};
    ob__dim_bounds(infer->dims, d, &ranges, low, high);
}

static bool is_size(const ob_infer *infer, ob_dim d) {
    return ob_dim_get_kind(infer->dims, d) == OB_DIM_KIND_SYMBOL;
}

/* The greatest value that the monomial at words[0] can add; false if its factors are not different sizes. */
static bool product_extent(const ob_infer *infer, const int64_t *words, int64_t *extent) {
    for (int64_t k = 0; k < words[1]; k++)
        if (!is_size(infer, words[2 + k]) || (k > 0 && words[2 + k] == words[1 + k])) return false;
    return !ob__mul_overflows(words[0], INT64_C(1) << (words[1] == 1 ? SINGLE_BITS : JOINT_BITS), extent);
}

/* Whether a sum of products of different sizes is within the range. */
static bool sum_fits(const ob_infer *infer, const ob_term *term, int64_t least, int64_t most) {
    if (term->kind == OB_DIM_KIND_SYMBOL) return true;
    if (term->kind != OB_DIM_KIND_SUM) return false;
    int64_t low = term->words[0], high = term->words[0], extent;
    for (uint32_t i = 1; i < term->n_words; i += 2 + (uint32_t)term->words[i + 1]) {
        if (!product_extent(infer, term->words + i, &extent)) return false;
        int64_t *end = extent > 0 ? &high : &low;
        if (ob__add_overflows(*end, extent, end)) return false;
    }
    return low >= least && high <= most;
}

/* ---- Integers ---- */

/* The range of int32 or int64; false for other types. Infinite bounds of terms are outside of it. */
static bool limits(ob_dtype dtype, int64_t *least, int64_t *most) {
    bool narrow = dtype == OB_INT32;
    *least = narrow ? INT32_MIN : -(OB_DIM_CONST_MAX - 1);
    *most = narrow ? INT32_MAX : OB_DIM_CONST_MAX - 1;
    return narrow || dtype == OB_INT64;
}

bool ob__term_fits(const ob_infer *infer, ob_dim d, ob_dtype dtype) {
    int64_t least, most, low, high;
    const ob_term *term = ob__term(infer->dims, d);
    if (!term || !limits(dtype, &least, &most)) return d != OB_DIM_UNKNOWN;
    if (dtype == OB_INT64 && sum_fits(infer, term, least, most)) return true;
    const bool quotient = term->kind == OB_DIM_KIND_DIV || term->kind == OB_DIM_KIND_QUOTIENT;
    if (quotient && ob__term_fits(infer, term->words[0], dtype)) return true; /* the quotient is not further from 0 */
    bounds(infer, d, dtype == OB_INT32 ? 62 : OTHER_BITS, &low, &high);
    return low >= least && high <= most;
}

/* The bound on a size that factor * size^power <= most implies, for terms too large to be evaluated. */
static ob_dim root(const ob_infer *infer, ob_dim d, int64_t most, ob_dim *size) {
    const ob_term *term = ob__term(infer->dims, d);
    if (term->kind != OB_DIM_KIND_SUM || term->words[0] != 0 || term->words[1] <= 0 || term->words[2] < 2) return OB_DIM_UNKNOWN;
    uint32_t power = (uint32_t)term->words[2];
    if (term->n_words != 3 + power) return OB_DIM_UNKNOWN;
    for (uint32_t k = 0; k < power; k++)
        if (!is_size(infer, term->words[3 + k]) || term->words[3 + k] != term->words[3]) return OB_DIM_UNKNOWN;
    *size = term->words[3];
    int64_t found = 0;
    for (int64_t bit = INT64_C(1) << 31; bit > 0; bit /= 2) {
        int64_t product = term->words[1];
        bool within = true;
        for (uint32_t k = 0; k < power && within; k++)
            within = !ob__mul_overflows(product, found + bit, &product) && product <= most;
        if (within) found += bit;
    }
    return found;
}

ob_status ob__term_fit(ob_infer *infer, ob_dim *d, ob_dtype dtype, int32_t operand) {
    int64_t least, most, low, high;
    if (!ob_dim_is_term(*d) || !limits(dtype, &least, &most) || ob__term_fits(infer, *d, dtype)) return OB_OK;
    bounds(infer, *d, USUAL_BITS, &low, &high);
    if (low < least || high > most) {
        *d = OB_DIM_UNKNOWN;
        return OB_OK;
    }
    ob_dim size, largest = root(infer, *d, most, &size);
    if (largest != OB_DIM_UNKNOWN) return ob__require(infer, OB_COND_AT_LEAST, largest, size, operand, -1, OB0601);
    OB_TRY(ob__require(infer, OB_COND_AT_LEAST, most, *d, operand, -1, OB0601));
    return ob__require(infer, OB_COND_AT_LEAST, *d, least, operand, -1, OB0601);
}

ob_dim ob__term_wrapped(ob_dim d, ob_dtype dtype) {
    if (!ob_dim_is_const(d) || dtype != OB_INT32) return d;
    uint32_t low = (uint32_t)(uint64_t)d;
    return low <= INT32_MAX ? (ob_dim)low : (ob_dim)low - (INT64_C(1) << 32);
}

/* ---- Operands ---- */

static bool reads_elements(const ob_infer *infer, uint32_t i) {
    return infer->op->broadcast == OB_BCAST_NONE && infer->op->reads >> (i < 31 ? i : 31) & 1;
}

static bool all_fit(const ob_infer *infer, ob_content content, ob_dtype dtype) {
    for (uint32_t k = 0; k < content.n; k++)
        if (ob_dim_is_term(content.elems[k]) && !ob__term_fits(infer, content.elems[k], dtype)) return false;
    return true;
}

ob_status ob__fit_operands(ob_infer *infer) {
    ob_content *copy = NULL;
    for (uint32_t i = 0; i < infer->node->n_inputs; i++) {
        ob_content content = ob__in_content(infer, i);
        ob_dtype dtype = ob__in_dtype(infer, i);
        if (!content.elems || (dtype != OB_INT64 && dtype != OB_INT32) || !reads_elements(infer, i)) continue;
        if (all_fit(infer, content, dtype)) continue;
        ob_dim *elems = ob__new_dims(infer, content.n);
        if (!copy) copy = OB_ARENA_ARRAY(infer->arena, ob_content, infer->node->n_inputs);
        if (!elems || !copy) return OB_E_MEMORY;
        if (infer->in_contents != copy) memcpy(copy, infer->in_contents, infer->node->n_inputs * sizeof *copy);
        infer->in_contents = copy;
        memcpy(elems, content.elems, content.n * sizeof *elems);
        for (uint32_t k = 0; k < content.n; k++) OB_TRY(ob__term_fit(infer, &elems[k], dtype, (int32_t)i));
        copy[i].elems = elems;
    }
    return OB_OK;
}

/* ---- Floats ---- */

ob_status ob__extent_flow(ob_infer *infer) {
    ob_dim extent = 0;
    for (uint32_t i = 0; i < infer->node->n_inputs; i++) {
        ob_content content = ob__in_content(infer, i);
        if (content.elems || content.parts) extent = ob_dim_max(infer->dims, extent, content.extent);
    }
    for (uint32_t i = 0; i < infer->node->n_outputs && extent != 0; i++) {
        ob_content *out = &infer->out_contents[i];
        if (!out->elems || !ob__dtype_is_real(infer->out_types[i].dtype)) continue;
        out->extent = ob_dim_max(infer->dims, extent, out->extent);
        if (out->extent == OB_DIM_UNKNOWN) *out = (ob_content){0};
    }
    return OB_OK;
}
