/* For one element type: compares two runs of n elements, and tests whether a run contains NaN. FUNCTIONS defined: the functions;
 * otherwise the row in the table. As in NumPy's sort, NaN comes after every number, and a complex number with a NaN part after
 * every one without. */
#if (OB_TYPE_FILE_BITS >= 8 && OB_TYPE_KIND != OB_KIND_NARROW) || OB_TYPE_KIND == OB_KIND_STRING
#ifndef FUNCTIONS
[OB_TYPE_DTYPE] = {OB_NAMED(order_),
#if OB_TYPE_KIND == OB_KIND_REAL || OB_TYPE_KIND == OB_KIND_COMPLEX
                   OB_NAMED(nan_)
#endif
},
#else
#if OB_TYPE_KIND == OB_KIND_COMPLEX
static bool OB_NAMED(nan_)(const void *run, int64_t n) {
    const OB_TYPE_C *x = run;
    for (int64_t i = 0; i < 2 * n; i++)
        if (isnan(x[i])) return true;
    return false;
}
static int OB_NAMED(order_)(const void *run_a, const void *run_b, int64_t n) {
    const OB_TYPE_C *a = run_a, *b = run_b;
    for (int64_t i = 0; i < 2 * n; i += 2) {
        int a_nan = 2 * !!isnan(a[i]) + !!isnan(a[i + 1]), b_nan = 2 * !!isnan(b[i]) + !!isnan(b[i + 1]);
        if (a_nan != b_nan) return a_nan < b_nan ? -1 : 1;
        if (a[i] < b[i] || a[i] > b[i]) return a[i] < b[i] ? -1 : 1;
        if (a[i + 1] < b[i + 1] || a[i + 1] > b[i + 1]) return a[i + 1] < b[i + 1] ? -1 : 1;
    }
    return 0;
}
#else
#if OB_TYPE_KIND == OB_KIND_REAL
static bool OB_NAMED(nan_)(const void *run, int64_t n) {
    const OB_TYPE_C *x = run;
    for (int64_t i = 0; i < n; i++)
        if (isnan(x[i])) return true;
    return false;
}
#endif
static int OB_NAMED(order_)(const void *run_a, const void *run_b, int64_t n) {
    const OB_TYPE_C *a = run_a, *b = run_b;
    for (int64_t i = 0; i < n; i++) {
#if OB_TYPE_KIND == OB_KIND_STRING
        int order = ob__string_order(&a[i], &b[i]);
        if (order != 0) return order;
#else
        if (a[i] < b[i] || a[i] > b[i]) return a[i] < b[i] ? -1 : 1;
#if OB_TYPE_KIND == OB_KIND_REAL
        if (isnan(a[i]) != isnan(b[i])) return isnan(b[i]) ? -1 : 1;
#endif
#endif
    }
    return 0;
}
#endif
#endif
#endif
