/* Pooling of doubles: one form for all levels. */
#include "kernels/pool/small.inc.h"

#define MEMBER pool
#define ROWS   "kernels/pool/pool.def"
#include "kernels/declare.inc.h"

#define LOOP(n) OBK_SHARED(NAME(n))

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
