/* The k elements of a vector that rank first, as keys. FUNCTIONS defined: the functions; otherwise the row in the table. A
 * greater key ranks before: the high half is the order of values, the low half that of indices, the first before the last. -0
 * equals 0, NaN is greater than every number. */
#if (OB_TYPE_KIND == OB_KIND_REAL || OB_TYPE_KIND == OB_KIND_SIGNED || OB_TYPE_KIND == OB_KIND_UNSIGNED) && OB_TYPE_FILE_BITS >= 8
#ifndef FUNCTIONS
[OB_TYPE_DTYPE] = OB_NAMED(ob__choose_),
#else
#if OB_TYPE_FILE_BITS == 64
#define WIDE       1
#define KEY        wide_key
#define HEAP(name) OBK_CAT(wide_, name)
#else
#define WIDE       0
#define KEY        uint64_t
#define HEAP(name) OBK_CAT(narrow_, name)
#endif

static inline KEY OB_NAMED(key_)(OB_TYPE_C element, int64_t i, bool smallest) {
    const uint64_t flip = smallest ? (WIDE ? UINT64_MAX : UINT32_MAX) : 0;
#if OB_TYPE_KIND == OB_KIND_REAL
    const uint64_t sign = WIDE ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    const OB_TYPE_C value = element + 0; /* turns -0 into 0 */
    uint64_t bits;
    uint32_t narrow = 0;
    memcpy(WIDE ? (void *)&bits : (void *)&narrow, &value, sizeof value);
    if (!WIDE) bits = narrow;
    const uint64_t all = 2 * sign - 1, negative = bits & sign ? all : sign;
    bits = value != value ? all : bits ^ negative;
#elif OB_TYPE_KIND == OB_KIND_SIGNED
    const uint64_t bits = (WIDE ? (uint64_t)element : (uint32_t)element) ^ (WIDE ? UINT64_C(1) << 63 : UINT64_C(1) << 31);
#else
    const uint64_t bits = element;
#endif
#if WIDE
    return (KEY){bits ^ flip, (uint64_t)~i};
#else
    return (bits ^ flip) << 32 | (uint32_t)~i;
#endif
}

/* Whether a later element may rank before `least`, the last of the k elements kept so far. */
static inline bool OB_NAMED(beats_)(OB_TYPE_C element, OB_TYPE_C least, bool smallest) {
#if OB_TYPE_KIND == OB_KIND_REAL
    return smallest ? !(element >= least) : !(element <= least);
#else
    return smallest ? element < least : element > least;
#endif
}

static inline void OB_NAMED(choose_apart_)(KEY *keys, const OB_TYPE_C *x, int64_t n, int64_t k, const int64_t apart,
                                           const bool smallest, obk_pace *pace) {
    for (int64_t i = 0; i < k; i++) keys[i] = OB_NAMED(key_)(x[i * apart], i, smallest);
    HEAP(build)(keys, k, pace);
    OB_TYPE_C least = x[index_of(keys, 0, WIDE) * apart];
    for (int64_t i = k; i < n;) {
        const int64_t end = i + STRETCH < n ? i + STRETCH : n;
        int any = end - i < STRETCH;
        if (!any) /* most stretches contain no such element */
            for (int64_t l = 0; l < STRETCH; l++) any |= OB_NAMED(beats_)(x[(i + l) * apart], least, smallest);
        if (obk_stops(pace, STRETCH)) return;
        for (; any && i < end; i++) {
            if (!OB_NAMED(beats_)(x[i * apart], least, smallest)) continue;
            const KEY key = OB_NAMED(key_)(x[i * apart], i, smallest);
            if (HEAP(less)(key, keys[0])) continue;
            keys[0] = key;
            if (obk_stops(pace, WORK_OF_SINK)) return;
            HEAP(sink)(keys, 0, k);
            least = x[index_of(keys, 0, WIDE) * apart];
        }
        i = end;
    }
    HEAP(sort)(keys, k, pace);
}

/* Contiguous vectors have a loop of their own, which the compiler vectorises. */
void OB_NAMED(ob__choose_)(void *keys, const void *vector, int64_t n, int64_t k, int64_t apart, bool smallest, obk_pace *pace) {
    if (apart == 1 && !smallest)
        OB_NAMED(choose_apart_)(keys, vector, n, k, 1, false, pace);
    else if (apart == 1)
        OB_NAMED(choose_apart_)(keys, vector, n, k, 1, true, pace);
    else
        OB_NAMED(choose_apart_)(keys, vector, n, k, apart, smallest, pace);
}
#undef WIDE
#undef KEY
#undef HEAP
#endif
#endif
