/* Products of floats and doubles by OpenBLAS, in sessions with relaxed numerics (docs/adr/0017).
 *
 * OpenBLAS must not start threads here, and a build without threads (Debian's) must not be called by two threads at a time. So a
 * session loads copies of its own, each in a namespace of its own (dlmopen), and one thread at a time uses a copy. An OpenBLAS of
 * the host program is not affected, and does not affect them. */
#ifndef OB_OPS_PRODUCT_BLAS_H
#define OB_OPS_PRODUCT_BLAS_H

#include <stdatomic.h>

#include "kernels/gemm/gemm.h"
#include "onnx_broadcast/allocator.h"

enum { OB_BLAS_COPIES = 8 }; /* glibc has room for eleven namespaces in a process */

typedef struct ob_blas_copy {
    void *library;
    void (*sgemm)(void), (*dgemm)(void); /* cblas_sgemm, cblas_dgemm */
    atomic_bool busy;
} ob_blas_copy;

typedef struct ob_blas {
    atomic_int n_copies;
    const char *file;
    char name[96]; /* OpenBLAS's own description */
    ob_blas_copy copies[OB_BLAS_COPIES];
} ob_blas;

/* Loads `wish` copies, or fewer if there is no room for more. False: none could be loaded; *why (n_why bytes) gives the reason.
 * The memory of the allocator is given back at once. */
bool ob__blas_open(ob_blas *blas, int wish, const ob_allocator *allocator, char *why, size_t n_why);
/* The same with one copy of this file, named as for dlopen; the name is borrowed. */
bool ob__blas_open_file(ob_blas *blas, const char *file, const ob_allocator *allocator, char *why, size_t n_why);
/* Loads one more copy if there is room; others may be in use meanwhile. */
void ob__blas_add(ob_blas *blas, const ob_allocator *allocator);
void ob__blas_close(ob_blas *blas);

/* True if OpenBLAS can compute the product: A and B are dense along rows or columns, no distance is 0, and sizes fit into int. */
bool ob__blas_takes(const obk_gemm_call *call);
/* True if OpenBLAS is faster at a product of this size on every measured processor (docs/benchmarks.md). */
bool ob__blas_gains(int64_t m, int64_t n, int64_t k);
/* Computes a product for which ob__blas_takes is true. alpha may be any number if the call adds to Y. The panel is not used. */
void ob__blas_product(ob_blas *blas, bool is_double, const obk_gemm_call *call);

#endif
