/* Elements of one vector as keys for choose.inc.h; FUNCTIONS: the function, else its row in the table. A key is as much greater
 * as the element ranks before: the order of values in its high half, that of indices, the first before the last, in its low half.
 * -0 is 0, NaN is greater than every number. */
#if (OB_TYPE_KIND == OB_KIND_REAL || OB_TYPE_KIND == OB_KIND_SIGNED || OB_TYPE_KIND == OB_KIND_UNSIGNED) && OB_TYPE_FILE_BITS >= 8
#ifndef FUNCTIONS
[OB_TYPE_DTYPE] = OB_NAMED(keys_),
#else
static inline void OB_NAMED(keys_apart_)(void *keys, const void *vector, int64_t n, const int64_t apart, bool smallest) {
    enum { WIDE = sizeof(OB_TYPE_C) == 8 };
    const OB_TYPE_C *x = vector;
    const uint64_t flip = smallest ? (WIDE ? UINT64_MAX : UINT32_MAX) : 0;
    for (int64_t i = 0; i < n; i++) {
#if OB_TYPE_KIND == OB_KIND_REAL
        const uint64_t sign = WIDE ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
        const OB_TYPE_C value = x[i * apart] + 0; /* of -0 that is 0 */
        uint64_t bits;
        uint32_t narrow = 0;
        memcpy(WIDE ? (void *)&bits : (void *)&narrow, &value, sizeof value);
        if (!WIDE) bits = narrow;
        const uint64_t all = 2 * sign - 1, negative = bits & sign ? all : sign;
        bits = value != value ? all : bits ^ negative;
#elif OB_TYPE_KIND == OB_KIND_SIGNED
        const uint64_t bits =
            (WIDE ? (uint64_t)x[i * apart] : (uint32_t)x[i * apart]) ^ (WIDE ? UINT64_C(1) << 63 : UINT64_C(1) << 31);
#else
        const uint64_t bits = x[i * apart];
#endif
        if (WIDE)
            ((wide_key *)keys)[i] = (wide_key){bits ^ flip, (uint64_t)~i};
        else
            ((uint64_t *)keys)[i] = (bits ^ flip) << 32 | (uint32_t)~i;
    }
}

/* Dense vectors in a loop of their own, which the compiler vectorises. */
static void OB_NAMED(keys_)(void *keys, const void *vector, int64_t n, int64_t apart, bool smallest) {
    if (apart == 1)
        OB_NAMED(keys_apart_)(keys, vector, n, 1, smallest);
    else
        OB_NAMED(keys_apart_)(keys, vector, n, apart, smallest);
}
#endif
#endif
