#include "ops/product/blas.h"

#include <math.h>
#include <string.h>

#ifdef OB_HAVE_OPENBLAS
#include <cblas.h>
#endif

void ob__blas_single_thread(void) {
#ifdef OB_HAVE_OPENBLAS
    if (openblas_get_num_threads() != 1) openblas_set_num_threads(1);
#endif
}

/* Near `wish` parts of n, in whole multiples of what the library's innermost loops take at a time. */
static int64_t part_size(int64_t n, double wish, int64_t least) {
    enum { UNIT = 16 };
    int64_t parts = wish < 1 ? 1 : wish > (double)n ? n : (int64_t)wish;
    int64_t size = (n + parts - 1) / parts;
    if (size < least) size = least;
    size = (size + UNIT - 1) / UNIT * UNIT;
    return size < n ? size : n;
}

ob__product_cut ob__cut_product(int64_t m, int64_t n, int64_t k) {
    enum { MOST = 16, LEAST = 256, LEAST_OF_VECTOR = 1024 };
    const double least_work = 0x1p20, most_work = 0x1p28; /* some 40 us and 10 ms of one core */
    ob__product_cut cut = {0};
    if (m <= 0 || n <= 0) return cut;
    double work = (double)m * (double)n * (double)(k > 0 ? k : 1);
    double parts = work / least_work;
    if (parts > MOST) parts = work / most_work > MOST ? work / most_work : MOST;
    /* Each part packs its own rows and columns, which costs some 16 multiplications an element: near squares of LEAST and more
     * pack least. A vector's matrix is read once, row by row. */
    double down = sqrt(parts * (double)m / (double)n);
    cut.rows = part_size(m, down < parts ? down : parts, n == 1 ? 1 : LEAST);
    cut.down = (m + cut.rows - 1) / cut.rows;
    cut.columns = part_size(n, parts / (double)cut.down, m == 1 ? LEAST_OF_VECTOR : LEAST);
    cut.across = (n + cut.columns - 1) / cut.columns;
    double whole = (double)cut.rows * (double)cut.columns * (double)(k > 0 ? k : 1);
    cut.work = whole < 0x1p62 ? (int64_t)whole : INT64_C(1) << 62;
    return cut;
}

ob__product_part ob__part_of_product(const ob__product_cut *cut, int64_t m, int64_t n, int64_t index) {
    ob__product_part part = {.row = index / cut->across * cut->rows, .column = index % cut->across * cut->columns};
    part.rows = m - part.row < cut->rows ? m - part.row : cut->rows;
    part.columns = n - part.column < cut->columns ? n - part.column : cut->columns;
    return part;
}

void ob__parallel_products(const ob_threads *threads, const ob__product_cut *cut, int64_t n_products,
                           void (*task)(void *context, int64_t begin, int64_t end), void *context) {
    const int64_t shared = INT64_C(1) << 18, between_questions = INT64_C(1) << 24;
    int64_t work = cut->work > 0 ? cut->work : 1;
    ob__parallel_parts(threads, n_products * cut->down * cut->across, shared / work + 1, between_questions / work + 1, task,
                       context);
}

#define REAL       float
#define GEMM       ob__gemm_float
#define CBLAS_GEMM cblas_sgemm
#define CBLAS_GEMV cblas_sgemv
#include "ops/product/blas.inc.h"
#undef REAL
#undef GEMM
#undef CBLAS_GEMM
#undef CBLAS_GEMV

#define REAL       double
#define GEMM       ob__gemm_double
#define CBLAS_GEMM cblas_dgemm
#define CBLAS_GEMV cblas_dgemv
#include "ops/product/blas.inc.h"
