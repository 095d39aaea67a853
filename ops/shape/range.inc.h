/* For one element type: writes n elements of a range. With `to` NULL it counts them; -1 if the step is 0. */
#if OB_TYPE_KIND == OB_KIND_REAL || (OB_TYPE_KIND == OB_KIND_SIGNED && OB_TYPE_FILE_BITS >= 8)
case OB_TYPE_DTYPE: {
    enum { SOME = 1 << 16 }; /* elements between two checks for cancellation */
    OB_TYPE_C s, l, d, *out = to;
    memcpy(&s, start, sizeof s);
    memcpy(&l, limit, sizeof l);
    memcpy(&d, delta, sizeof d);
    if (d == 0) return -1;
#if OB_TYPE_KIND == OB_KIND_REAL
    double count = ceil(((double)l - (double)s) / (double)d);
    if (!out) return count > 0 ? ob__int64_from(count) : 0;
    for (int64_t i = 0, end = 0; i < n && !obk_stops(pace, SOME); end += SOME)
        for (; i < n && i < end + SOME; i++) out[i] = (OB_TYPE_C)((double)s + (double)i * (double)d);
#else
    uint64_t from = (uint64_t)s, step = (uint64_t)d, count = 0;
    if (d > 0 && l > s) count = ob__ceil_div_u64((uint64_t)l - from, step);
    if (d < 0 && l < s) count = ob__ceil_div_u64(from - (uint64_t)l, 0 - step);
    if (!out) return count > INT64_MAX ? INT64_MAX : (int64_t)count;
    for (int64_t i = 0, end = 0; i < n && !obk_stops(pace, SOME); end += SOME)
        for (; i < n && i < end + SOME; i++) out[i] = (OB_TYPE_C)(from + (uint64_t)i * step);
#endif
    return n;
}
#endif
