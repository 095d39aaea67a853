/* All folds over one element type. Parameters: T, S, IS_FLOAT, IS_SIGNED, LOWEST, HIGHEST, HAS_SUMS: all, not only Max and Min;
 * HAS_VECTORS: fold_vectors is for this type. */
#define NAME(name) OBK_CAT3(name, _, S)
#if IS_FLOAT
#define IS_NAN(x) ((x) != (x))
#define U         double
#define NUMBER(x) (x)
#else
#define IS_NAN(x) 0
#define U         uint64_t
#define NUMBER(x) OBK_CAT(number_, IS_SIGNED)(x)
#endif
#if IS_SIGNED
#define IS_NEGATIVE(x) ((x) < 0)
#else
#define IS_NEGATIVE(x) 0
#endif

#define FN          NAME(max)
#define ACC         T
#define OP(a, x)    ((x) > (a) || IS_NAN(x) ? (x) : (a))
#define MERGE(a, b) OP(a, b)
#define NEUTRAL     LOWEST
#define LANES       64
#ifdef HAS_VECTORS
#define VECTORS(lanes, x, n, merged) fold_vectors(lanes, x, n, false, merged)
#endif
#include "kernels/reduce/fold.inc.h"
#define FN          NAME(min)
#define ACC         T
#define OP(a, x)    ((x) < (a) || IS_NAN(x) ? (x) : (a))
#define MERGE(a, b) OP(a, b)
#define NEUTRAL     HIGHEST
#define LANES       64
#ifdef HAS_VECTORS
#define VECTORS(lanes, x, n, merged) fold_vectors(lanes, x, n, true, merged)
#endif
#include "kernels/reduce/fold.inc.h"

#if HAS_SUMS
#define FN          NAME(sum)
#define ACC         U
#define OP(a, x)    ((a) + (U)(x))
#define MERGE(a, b) ((a) + (b))
#define NEUTRAL     0
#define LANES       16
#include "kernels/reduce/fold.inc.h"
#define FN          NAME(abs)
#define ACC         U
#define OP(a, x)    ((a) + (IS_NEGATIVE(x) ? 0 - (U)(x) : (U)(x)))
#define MERGE(a, b) ((a) + (b))
#define NEUTRAL     0
#define LANES       16
#include "kernels/reduce/fold.inc.h"
#define FN          NAME(square)
#define ACC         U
#define OP(a, x)    ((a) + (U)(x) * (U)(x))
#define MERGE(a, b) ((a) + (b))
#define NEUTRAL     0
#define LANES       16
#include "kernels/reduce/fold.inc.h"
#define FN          NAME(prod)
#define ACC         U
#define OP(a, x)    ((a) * (U)(x))
#define MERGE(a, b) ((a) * (b))
#define NEUTRAL     1
#define LANES       16
#include "kernels/reduce/fold.inc.h"

/* Sums of exp(x - high), with one `high` or one for each column. */
static void NAME(run_exp)(void *to, const void *from, int64_t n, const void *high) {
    double *acc = to, lanes[16] = {0}, t[EXP_ELEMS];
    const T *x = from;
    const double shift = (double)*(const T *)high;
    for (int64_t done = 0; done < n; done += EXP_ELEMS) {
        const int64_t some = n - done < EXP_ELEMS ? n - done : EXP_ELEMS;
        int64_t i = 0;
        for (int64_t k = 0; k < some; k++) t[k] = (double)x[done + k] - shift;
        vexp_f64(t, t, some);
        for (; i + 16 <= some; i += 16)
            for (int l = 0; l < 16; l++) lanes[l] += t[i + l];
        for (int l = 0; i + l < some; l++) lanes[l] += t[i + l];
    }
    for (int half = 8; half > 0; half /= 2)
        for (int l = 0; l < half; l++) lanes[l] += lanes[l + half];
    *acc += lanes[0];
}

static void NAME(columns_exp)(void *to, const void *from, int64_t n, int64_t rows, int64_t stride, const void *high) {
    double *acc = to, t[EXP_ELEMS];
    const T *x = from, *shift = high;
    for (int64_t r = 0; r < rows; r++, x += stride)
        for (int64_t done = 0; done < n; done += EXP_ELEMS) {
            const int64_t some = n - done < EXP_ELEMS ? n - done : EXP_ELEMS;
            for (int64_t i = 0; i < some; i++) t[i] = (double)x[done + i] - (double)shift[done + i];
            vexp_f64(t, t, some);
            for (int64_t i = 0; i < some; i++) acc[done + i] += t[i];
        }
}

static T NAME(from_number)(double value) {
#if IS_FLOAT
    return (T)value;
#else
    return (T)(IS_SIGNED ? (uint64_t)saturate_f64_i64(value) : saturate_f64_u64(value));
#endif
}

static T NAME(mean)(U acc, int64_t n) {
#if IS_FLOAT
    return (T)(acc / (double)n);
#else
    return (T)(n ? NUMBER(acc) / NUMBER((uint64_t)n) : 0); /* truncates */
#endif
}
#endif

/* Corrects the shifts of exponents: infinities become 0, because exp gives their result without a shift. */
static void NAME(shifts)(void *to, int64_t n, bool nothing) {
    T *high = to;
    for (int64_t i = 0; i < n; i++)
        if (nothing || (IS_FLOAT && !IS_NAN(high[i]) && IS_NAN(high[i] - high[i]))) high[i] = 0;
}

static void NAME(finish)(const obk_reduction *r, void *out, const void *folded, const void *high, int64_t n) {
    T *z = out;
    (void)high;
    if (r->fold == OBK_FOLD_MAX || r->fold == OBK_FOLD_MIN) {
        memcpy(z, folded, (size_t)n * sizeof(T));
        return;
    }
#if HAS_SUMS
    const U *acc = folded;
    switch (r->finish) {
    case OBK_FINISH_MEAN:
        for (int64_t i = 0; i < n; i++) z[i] = NAME(mean)(acc[i], r->n_folded);
        break;
    case OBK_FINISH_SQRT:
        for (int64_t i = 0; i < n; i++) z[i] = NAME(from_number)(sqrt((double)NUMBER(acc[i])));
        break;
    case OBK_FINISH_LOG:
        for (int64_t i = 0; i < n; i++) z[i] = NAME(from_number)(log((double)NUMBER(acc[i])));
        break;
    case OBK_FINISH_EXP:
        for (int64_t i = 0; i < n; i++) z[i] = NAME(from_number)(log(((const double *)folded)[i]) + (double)((const T *)high)[i]);
        break;
    default:
        for (int64_t i = 0; i < n; i++) z[i] = (T)acc[i];
        break;
    }
#endif
}

#define LOOPS(name)                                                                                                              \
    { NAME(start_##name), NAME(run_##name), NAME(columns_##name), NAME(merge_##name) }
static const type NAME(type) = {
    .element_bytes = sizeof(T),
    .shifts = NAME(shifts),
    .finish = NAME(finish),
    .folds =
        {
            [OBK_FOLD_MAX] = LOOPS(max),
            [OBK_FOLD_MIN] = LOOPS(min),
#if HAS_SUMS
            [OBK_FOLD_SUM] = LOOPS(sum),
            [OBK_FOLD_ABS] = LOOPS(abs),
            [OBK_FOLD_SQUARE] = LOOPS(square),
            [OBK_FOLD_PROD] = LOOPS(prod),
            [OBK_FOLD_EXP] = {start_doubles, NAME(run_exp), NAME(columns_exp), merge_doubles},
#endif
        },
};

void LOOP(NAME(reduce))(const obk_reduction *r, void *out, const void *in, int64_t begin, int64_t end, void *memory) {
    reduce_parts(&NAME(type), r, out, in, begin, end, memory);
}

#undef NAME
#undef LOOPS
#undef IS_NEGATIVE
#undef T
#undef S
#undef U
#undef NUMBER
#undef IS_NAN
#undef IS_FLOAT
#undef IS_SIGNED
#undef LOWEST
#undef HIGHEST
#undef HAS_SUMS
#undef HAS_VECTORS
