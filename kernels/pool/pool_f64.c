/* Pooling of doubles: one form for all levels. */
#include "kernels/pool/small.inc.h"

#define T         double
#define PAD       obk_pad_f64
#define NAME(n)   n##_f64
#define IS_NAN(x) ((x) != (x))
#define VECTOR    obk_v_f64
#define REGISTER  obk_r_f64
#define LOWEST    ((double)-INFINITY)
#define UNORDERED UNORDERED_F64
#include "kernels/pool/max.inc.h"
#define T        double
#define PAD      obk_pad_f64
#define NAME(n)  n##_f64
#define VECTOR   obk_v_f64
#define REGISTER obk_r_f64
#define POW      pow
#define SQRT     sqrt
#define ABS      fabs
#include "kernels/pool/sum.inc.h"

void obk_max_f64(const obk_pool *p, const void *x, void *y, int64_t *indices, int64_t b, void *lane, obk_pace *pace) {
    max_f64(p, x, y, indices, b, lane, pace);
}
void obk_sum_f64(const obk_pool *p, const void *x, void *y, int64_t b, void *lane, obk_pace *pace) {
    sum_f64(p, x, y, b, lane, pace);
}
void obk_global_f64(obk_pool_kind kind, double p, const void *x, int64_t n, void *y) {
    global_f64(kind, p, x, n, y);
}
