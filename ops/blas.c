#include "ops/blas.h"

#include <string.h>

#ifdef OB_HAVE_OPENBLAS
#include <cblas.h>
#endif

void ob__blas_single_thread(void) {
#ifdef OB_HAVE_OPENBLAS
    if (openblas_get_num_threads() != 1) openblas_set_num_threads(1);
#endif
}

int64_t ob__blas_part(int64_t grain) {
    enum { GRAINS = 64, WIDTHS = 192 };
    return grain < INT32_MAX ? (grain * GRAINS + WIDTHS - 1) / WIDTHS * WIDTHS : INT64_MAX;
}

#define REAL       float
#define GEMM       ob__gemm_float
#define CBLAS_GEMM cblas_sgemm
#define CBLAS_GEMV cblas_sgemv
#include "ops/blas.inc.h"
#undef REAL
#undef GEMM
#undef CBLAS_GEMM
#undef CBLAS_GEMV

#define REAL       double
#define GEMM       ob__gemm_double
#define CBLAS_GEMM cblas_dgemm
#define CBLAS_GEMV cblas_dgemv
#include "ops/blas.inc.h"
