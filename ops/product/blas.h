/* Products of floats and doubles by OpenBLAS, in sessions whose numerics are relaxed (docs/adr/0017).
 *
 * OpenBLAS must not start threads here, and one without threads, as Debian builds it, must not be called by two threads at a
 * time. So a session loads copies of its own, apart from everything else in the process (dlmopen), and one thread at a time uses
 * a copy: what the host program does with an OpenBLAS of its own neither changes nor matters. */
#ifndef OB_OPS_PRODUCT_BLAS_H
#define OB_OPS_PRODUCT_BLAS_H

#include <stdatomic.h>

#include "kernels/gemm/gemm.h"
#include "onnx_broadcast/allocator.h"

enum { OB_BLAS_COPIES = 8 }; /* the system has room for eleven in a process */

typedef struct ob_blas_copy {
    void *library;
    void (*sgemm)(void), (*dgemm)(void); /* cblas_sgemm, cblas_dgemm */
    atomic_bool busy;
} ob_blas_copy;

typedef struct ob_blas {
    atomic_int n_copies;
    const char *file;
    char name[96]; /* what OpenBLAS says of itself */
    ob_blas_copy copies[OB_BLAS_COPIES];
} ob_blas;

/* Loads as many copies as `wish`, fewer where there is no room for more. False: there is none, *why says the reason, in
 * n_why bytes. The memory of the allocator is given back at once. */
bool ob__blas_open(ob_blas *blas, int wish, const ob_allocator *allocator, char *why, size_t n_why);
/* The same with one copy of this file, in the form of dlopen; its name is borrowed. */
bool ob__blas_open_file(ob_blas *blas, const char *file, const ob_allocator *allocator, char *why, size_t n_why);
/* One more copy, where there is room; others may be at work meanwhile. */
void ob__blas_add(ob_blas *blas, const ob_allocator *allocator);
void ob__blas_close(ob_blas *blas);

/* Whether OpenBLAS can compute the product: A and B dense along rows or columns, no distance 0, sizes within int. */
bool ob__blas_takes(const obk_gemm_call *call);
/* Whether it is faster at a product of this size, on every processor that was measured (docs/benchmarks.md). */
bool ob__blas_gains(int64_t m, int64_t n, int64_t k);
/* Computes what ob__blas_takes: alpha may be any number when the call adds to what C holds. The panel is not used. */
void ob__blas_product(ob_blas *blas, bool is_double, const obk_gemm_call *call);

#endif
