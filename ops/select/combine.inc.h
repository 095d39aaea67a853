/* Combines updates of one type with the elements that they change. FUNCTIONS defined: the functions; otherwise the row in the
 * table. Integers wrap; a NaN is the result of OB_MAX and OB_MIN; for bool, OB_ADD and OB_MAX are `or`, the others `and`. */
#define NUMBERS (OB_TYPE_KIND == OB_KIND_REAL || OB_TYPE_KIND == OB_KIND_SIGNED || OB_TYPE_KIND == OB_KIND_UNSIGNED)
#define HALVES  (OB_TYPE_KIND == OB_KIND_NARROW && OB_TYPE_FILE_BITS == 16)
#if OB_TYPE_KIND == OB_KIND_STRING || OB_TYPE_FILE_BITS < 8 || (OB_TYPE_KIND == OB_KIND_NARROW && !HALVES)
#elif !defined(FUNCTIONS)
[OB_TYPE_DTYPE] = OB_NAMED(ob__combine_),
#else
void OB_NAMED(ob__combine_)(int kind, void *to, const void *from, int64_t n) {
    OB_TYPE_C *y = to;
    const OB_TYPE_C *x = from;
#if NUMBERS
    if (kind == OB_ADD)
        for (int64_t i = 0; i < n; i++) y[i] = (OB_TYPE_C)((OB_TYPE_COMPUTE)y[i] + (OB_TYPE_COMPUTE)x[i]);
    else if (kind == OB_MUL)
        for (int64_t i = 0; i < n; i++) y[i] = (OB_TYPE_C)((OB_TYPE_COMPUTE)y[i] * (OB_TYPE_COMPUTE)x[i]);
    else
        for (int64_t i = 0; i < n; i++)
            if (!IS_NAN(y[i]) && (kind == OB_MAX ? !(y[i] >= x[i]) : !(y[i] <= x[i]))) y[i] = x[i];
#elif HALVES
    for (int64_t i = 0; i < n; i++) {
        float value = widened(OB_TYPE_DTYPE, y[i]), update = widened(OB_TYPE_DTYPE, x[i]);
        ob__combine_FLOAT(kind, &value, &update, 1);
        y[i] = OB_TYPE_DTYPE == OB_FLOAT16 ? ob__half_from_float(value) : ob__bfloat_from_float(value);
    }
#elif OB_TYPE_KIND == OB_KIND_BOOL
    for (int64_t i = 0; i < n; i++) y[i] = kind == OB_ADD || kind == OB_MAX ? y[i] || x[i] : y[i] && x[i];
#else
    for (int64_t i = 0; i < 2 * n; i += 2) {
        OB_TYPE_C re = kind == OB_ADD ? y[i] + x[i] : y[i] * x[i] - y[i + 1] * x[i + 1];
        y[i + 1] = kind == OB_ADD ? y[i + 1] + x[i + 1] : y[i] * x[i + 1] + y[i + 1] * x[i];
        y[i] = re;
    }
#endif
}
#endif
#undef NUMBERS
#undef HALVES
