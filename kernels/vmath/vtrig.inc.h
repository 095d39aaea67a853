/* Like vmath1.inc.h, for sin, cos and tan.
 *
 * SLEEF has several ways to reduce an argument, and reduces a whole vector in the way that its largest element needs. An
 * element's bits would then depend on its neighbours. So a vector whose elements need several ways is computed once for each way,
 * with the other elements replaced. Additional parameter: WAYS, the least magnitudes for which SLEEF uses its second way, its
 * third, and so on. */
__attribute__((unused)) static void OBK_CAT(FN, _block)(T *z, const T *x) {
    static const T least[] = {0, WAYS};
    enum { N_WAYS = sizeof least / sizeof least[0] };
    T all[W], some[W];
    int8_t way[W]; /* of each element; NaN needs the last way */
    int n[N_WAYS] = {0};
    for (int k = 0; k < W; k++) {
        way[k] = N_WAYS - 1;
        while (way[k] > 0 && x[k] < least[way[k]] && -x[k] < least[way[k]]) way[k]--;
        n[way[k]]++;
    }
    for (int of = 0; of < N_WAYS; of++) {
        if (n[of] == 0) continue;
        for (int k = 0; k < W; k++) some[k] = way[k] == of ? x[k] : least[of];
        STORE(some, CALL(LOAD(some)));
        for (int k = 0; k < W; k++)
            if (way[k] == of) all[k] = some[k];
    }
    memcpy(z, all, sizeof all);
}

/* True if all n elements, whole vectors of them, need the first way. */
__attribute__((unused)) static bool OBK_CAT(FN, _first)(const T *x, int64_t n) {
    static const T least[] = {WAYS};
    OBK_CAT(obk_m_, S) within = {0};
    within = ~within;
    for (int64_t i = 0; i < n; i += W) {
        OBK_CAT(obk_v_, S) v = *(const OBK_CAT(obk_v_, S) *)(x + i);
        within &= (v < least[0]) & (-v < least[0]);
    }
    bool all = true;
    for (int k = 0; k < W; k++) all &= within[k] != 0;
    return all;
}

__attribute__((unused)) static void FN(T *z, const T *x, int64_t n) {
    enum { TOGETHER = 16 * W };
    int64_t i = 0;
    while (i + W <= n) {
        int64_t part = n - i < TOGETHER ? (n - i) / W * W : TOGETHER, end = i + part;
        if (OBK_CAT(FN, _first)(x + i, part))
            for (; i < end; i += W) STORE(z + i, CALL(LOAD(x + i)));
        else
            for (; i < end; i += W) OBK_CAT(FN, _block)(z + i, x + i);
    }
    if (i < n) {
        T remainder[W] = {0};
        memcpy(remainder, x + i, (size_t)(n - i) * sizeof(T));
        OBK_CAT(FN, _block)(remainder, remainder);
        memcpy(z + i, remainder, (size_t)(n - i) * sizeof(T));
    }
}
#undef FN
#undef CALL
