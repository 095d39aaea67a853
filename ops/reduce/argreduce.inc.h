/* Template of argreduce.c, included once per element type T. */

static void NAME(search)(void *context, int64_t begin, int64_t end) {
    const search *s = context;
    for (int64_t o = begin; o < end; o++) {
        const T *x = (const T *)s->in + o / s->inner * s->n * s->inner + o % s->inner;
        T best = x[0];
        int64_t at = 0;
        for (int64_t i = 1; i < s->n; i++) {
            T value = x[i * s->inner];
            bool nan = IS_NAN(value), best_nan = IS_NAN(best);
            bool better = s->smallest ? value < best : value > best;
            bool equal = value == best || (nan && best_nan);
            if ((better && !best_nan) || (nan && !best_nan) || (equal && s->last)) {
                best = value;
                at = i;
            }
        }
        s->out[o] = at;
    }
}

#undef T
#undef NAME
#undef IS_NAN
