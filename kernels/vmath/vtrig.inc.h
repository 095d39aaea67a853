/* As vmath1.inc.h, for sin, cos and tan. SLEEF reduces an argument in one of several ways, and takes for a whole vector the way that
 * its largest element needs: an element's bits would follow from its neighbours. So a vector whose elements need several ways is
 * computed once for each, with an argument of that way in the place of the others. Parameters: also WAYS, the least magnitudes at
 * which SLEEF takes its second way, its third ... */
__attribute__((unused)) static void OBK_CAT(FN, _block)(T *z, const T *x) {
    static const T least[] = {0, WAYS};
    enum { N_WAYS = sizeof least / sizeof least[0] };
    bool first = true;
    for (int k = 0; k < W; k++) first &= x[k] < least[1] && -x[k] < least[1];
    if (first) {
        STORE(z, CALL(LOAD(x)));
        return;
    }
    T all[W], some[W];
    int8_t way[W]; /* of each element; NaN needs the last */
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

__attribute__((unused)) static void FN(T *z, const T *x, int64_t n) {
    int64_t i = 0;
    for (; i + W <= n; i += W) OBK_CAT(FN, _block)(z + i, x + i);
    if (i < n) {
        T rest[W] = {0};
        memcpy(rest, x + i, (size_t)(n - i) * sizeof(T));
        OBK_CAT(FN, _block)(rest, rest);
        memcpy(z + i, rest, (size_t)(n - i) * sizeof(T));
    }
}
#undef FN
#undef CALL
