/* Functions composed of those of vmath.h. Parameters: ACCURATE (exp_sums and sigmoid are in accurate_exp.inc.h), T, S. */
#define SOME (512 / (int64_t)sizeof(T)) /* elements of a block: whole rows of sums */

#ifndef ACCURATE
/* z = exp(x - less), where less is the maximum of x; element i is added to sums[i % 16]. z may be x, or NULL. */
__attribute__((unused)) static void OBK_CAT(vexp_sums_, S)(T *z, const T *x, T less, int64_t n, T *sums) {
    T lanes[16], t[SOME];
    for (int l = 0; l < 16; l++) lanes[l] = sums[l];
    for (int64_t done = 0; done < n; done += SOME) {
        const int64_t some = n - done < SOME ? n - done : SOME;
        int64_t i = 0;
        for (int64_t k = 0; k < some; k++) t[k] = x[done + k] - less;
        OBK_CAT(vexp_, S)(t, t, some);
        for (; i + 16 <= some; i += 16)
            for (int l = 0; l < 16; l++) lanes[l] += t[i + l];
        for (int l = 0; i + l < some; l++) lanes[l] += t[i + l];
        if (z) memcpy(z + done, t, (size_t)some * sizeof(T));
    }
    for (int l = 0; l < 16; l++) sums[l] = lanes[l];
}

/* 1 / (1 + exp(-x)) */
__attribute__((unused)) static void OBK_CAT(vsigmoid_, S)(T *z, const T *x, int64_t n) {
    T t[SOME];
    for (int64_t done = 0; done < n; done += SOME) {
        const int64_t some = n - done < SOME ? n - done : SOME;
        for (int64_t i = 0; i < some; i++) t[i] = -x[done + i];
        OBK_CAT(vexp_, S)(t, t, some);
        for (int64_t i = 0; i < some; i++) z[done + i] = 1 / (1 + t[i]);
    }
}
#endif

/* ln(1 + exp(x)), without overflow */
__attribute__((unused)) static void OBK_CAT(vsoftplus_, S)(T *z, const T *x, int64_t n) {
    T t[SOME];
    for (int64_t done = 0; done < n; done += SOME) {
        const int64_t some = n - done < SOME ? n - done : SOME;
        for (int64_t i = 0; i < some; i++) t[i] = x[done + i] > 0 ? -x[done + i] : x[done + i];
        OBK_CAT(vexp_, S)(t, t, some);
        OBK_CAT(vlog1p_, S)(t, t, some);
        for (int64_t i = 0; i < some; i++) z[done + i] = t[i] + (x[done + i] > 0 ? x[done + i] : 0);
    }
}
#undef ACCURATE
#undef SOME
#undef T
#undef S
