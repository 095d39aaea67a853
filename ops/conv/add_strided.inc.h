/* Template: adds n elements of one type to elements that lie `stride` elements apart. With FUNCTIONS it defines the function,
 * else its row in the table. Integers wrap; bool is a logical or. */
#define NUMBERS (OB_TYPE_KIND == OB_KIND_REAL || OB_TYPE_KIND == OB_KIND_SIGNED || OB_TYPE_KIND == OB_KIND_UNSIGNED)
#define HALVES  (OB_TYPE_KIND == OB_KIND_NARROW && OB_TYPE_FILE_BITS == 16)
#if OB_TYPE_KIND == OB_KIND_STRING || OB_TYPE_FILE_BITS < 8 || (OB_TYPE_KIND == OB_KIND_NARROW && !HALVES)
#elif !defined(FUNCTIONS)
[OB_TYPE_DTYPE] = OB_NAMED(ob__add_strided_),
#else
void OB_NAMED(ob__add_strided_)(void *to, int64_t stride, const void *from, int64_t n) {
    OB_TYPE_C *y = to;
    const OB_TYPE_C *x = from;
#if NUMBERS
    for (int64_t i = 0; i < n; i++, y += stride) *y = (OB_TYPE_C)((OB_TYPE_COMPUTE)*y + (OB_TYPE_COMPUTE)x[i]);
#elif HALVES
    for (int64_t i = 0; i < n; i++, y += stride) {
        if (OB_TYPE_DTYPE == OB_FLOAT16)
            *y = ob__half_from_float(ob__float_from_half(*y) + ob__float_from_half(x[i]));
        else
            *y = ob__bfloat_from_float(ob__float_from_bfloat(*y) + ob__float_from_bfloat(x[i]));
    }
#elif OB_TYPE_KIND == OB_KIND_BOOL
    for (int64_t i = 0; i < n; i++, y += stride) *y = *y || x[i];
#else
    for (int64_t i = 0; i < n; i++, y += 2 * stride) {
        y[0] += x[2 * i];
        y[1] += x[2 * i + 1];
    }
#endif
}
#endif
#undef NUMBERS
#undef HALVES
