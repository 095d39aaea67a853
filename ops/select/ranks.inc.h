/* Which of two elements of one type comes first; FUNCTIONS: the function, else its row in the table. NaN is greater than every
 * number. */
#if (OB_TYPE_KIND == OB_KIND_REAL || OB_TYPE_KIND == OB_KIND_SIGNED || OB_TYPE_KIND == OB_KIND_UNSIGNED) && OB_TYPE_FILE_BITS >= 8
#ifndef FUNCTIONS
[OB_TYPE_DTYPE] = OB_NAMED(ranks_),
#else
static bool OB_NAMED(ranks_)(const topk *t, const void *vector, int64_t a, int64_t b) {
    OB_TYPE_C x = ((const OB_TYPE_C *)vector)[a * t->inner], y = ((const OB_TYPE_C *)vector)[b * t->inner];
#if OB_TYPE_KIND == OB_KIND_REAL
    bool x_nan = isnan(x), y_nan = isnan(y);
    if (x_nan != y_nan) return t->smallest ? y_nan : x_nan;
#endif
    if (x < y || x > y) return t->smallest ? x < y : x > y;
    return a < b;
}
#endif
#endif
