/* What is made of vmath.h's functions. Parameters: CLOSE (exp_less and sigmoid are in close.inc.h), T, S. */

#ifndef CLOSE
/* exp(x - less) */
__attribute__((unused)) static void OBK_CAT(vexp_less_, S)(T *z, const T *x, T less, int64_t n) {
    for (int64_t i = 0; i < n; i++) z[i] = x[i] - less;
    OBK_CAT(vexp_, S)(z, z, n);
}

/* 1 / (1 + exp(-x)) */
__attribute__((unused)) static void OBK_CAT(vsigmoid_, S)(T *z, const T *x, int64_t n) {
    T t[256];
    for (int64_t done = 0; done < n; done += 256) {
        const int64_t some = n - done < 256 ? n - done : 256;
        for (int64_t i = 0; i < some; i++) t[i] = -x[done + i];
        OBK_CAT(vexp_, S)(t, t, some);
        for (int64_t i = 0; i < some; i++) z[done + i] = 1 / (1 + t[i]);
    }
}
#endif

/* ln(1 + exp(x)), without overflow */
__attribute__((unused)) static void OBK_CAT(vsoftplus_, S)(T *z, const T *x, int64_t n) {
    T t[256];
    for (int64_t done = 0; done < n; done += 256) {
        const int64_t some = n - done < 256 ? n - done : 256;
        for (int64_t i = 0; i < some; i++) t[i] = x[done + i] > 0 ? -x[done + i] : x[done + i];
        OBK_CAT(vexp_, S)(t, t, some);
        OBK_CAT(vlog1p_, S)(t, t, some);
        for (int64_t i = 0; i < some; i++) z[done + i] = t[i] + (x[done + i] > 0 ? x[done + i] : 0);
    }
}
#undef CLOSE
#undef T
#undef S
