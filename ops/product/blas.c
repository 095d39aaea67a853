#include "ops/product/blas.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- Loading ---- */

#ifdef OB_WITH_OPENBLAS
#include <cblas.h>
#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>

#include "kernels/gemm/gemm.h"
#include "kernels/kernels.h"

_Static_assert(sizeof(blasint) == sizeof(int), "OpenBLAS with sizes of 64 bits");
typedef __typeof__(cblas_sgemm) *sgemm_function;
typedef __typeof__(cblas_dgemm) *dgemm_function;

/* Debian's build without threads, wherever its alternatives point; elsewhere just the name. */
static const char *const files[] = {"/usr/$LIB/openblas-serial/libopenblas.so.0", "libopenblas.so.0"};

/* POSIX: a function's address fits an object pointer. */
static bool find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* OpenBLAS allocates its work memory in the first call, and retries for ever if it gets none. So that call is made here, while
 * there is enough memory; the copy then keeps it. */
static bool take_memory(ob_blas_copy *copy, const ob_allocator *allocator) {
    enum { SIZE = 128 }; /* smaller matrices need no work memory */
    const size_t work = (size_t)160 << 20, matrices = 2 * SIZE * SIZE * sizeof(float);
    void *probe = mmap(NULL, work, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED) return false;
    munmap(probe, work);
    float *a = allocator->alloc(allocator->context, matrices);
    if (!a) return false;
    memset(a, 0, matrices);
    float *c = a + SIZE * SIZE;
    ((sgemm_function)copy->sgemm)(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1, a, SIZE, a, SIZE, 0, c, SIZE);
    allocator->free(allocator->context, a, matrices);
    return true;
}

/* The processor type whose loops a copy shall use, from our own instruction-set level. NULL: OpenBLAS chooses. */
static const char *core_for(const char *level) {
    if (strcmp(level, "avx512") == 0) return "SkylakeX";
    return strcmp(level, "avx2") == 0 ? "Haswell" : NULL;
}

/* Loads the library into a namespace of its own, with its own C library and so with an environment and a heap that nobody else
 * sees. The environment starts empty; otherwise it would be the array of the process. Blocks of the heap are mapped one by one,
 * so that freed memory returns to the system before the heap is abandoned. */
static void *load_apart(const char *file, char *why, size_t n_why) {
    enum { MMAP_THRESHOLD = -3 };
    Lmid_t space = LM_ID_NEWLM;
    int (*set)(const char *, const char *, int) = NULL, (*option)(int, int) = NULL, (*clear)(void) = NULL;
    const char *core = core_for(ob__kernels_level_name()), *text;
    void *c_library = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW | RTLD_LOCAL), *library = NULL;
    if (c_library && dlinfo(c_library, RTLD_DI_LMID, &space) == 0) {
        if (find(c_library, "mallopt", &option)) option(MMAP_THRESHOLD, 0);
        if (core && find(c_library, "clearenv", &clear) && find(c_library, "setenv", &set)) {
            clear();
            set("OPENBLAS_CORETYPE", core, 1);
        }
        library = dlmopen(space, file, RTLD_NOW | RTLD_LOCAL);
    }
    text = library ? NULL : dlerror();
    if (!library) snprintf(why, n_why, "%s", text ? text : "it cannot be loaded");
    if (c_library) dlclose(c_library); /* the copy holds a reference */
    return library;
}

/* NULL, or the reason why the library cannot be used. */
static const char *judge(ob_blas *blas, ob_blas_copy *copy) {
    int (*parallel)(void) = NULL;
    char *(*config)(void) = NULL, *(*core)(void) = NULL;
    bool complete = find(copy->library, "cblas_sgemm", &copy->sgemm) && find(copy->library, "cblas_dgemm", &copy->dgemm) &&
                    find(copy->library, "openblas_get_parallel", &parallel) &&
                    find(copy->library, "openblas_get_config", &config) && find(copy->library, "openblas_get_corename", &core);
    if (!complete) return "it does not have the functions of OpenBLAS";
    if (parallel() != 0) return "it computes with threads, whose number belongs to the host program";
    if (strstr(config(), "USE64BITINT")) return "its sizes have 64 bits";
    if (blas->n_copies > 0) return NULL;
    const char *text = config(); /* "OpenBLAS 0.3.21 NO_LAPACKE ..." */
    size_t n = strcspn(text, " ");
    if (text[n]) n += 1 + strcspn(text + n + 1, " ");
    snprintf(blas->name, sizeof blas->name, "%.*s for %s", (int)n, text, core());
    return NULL;
}

static bool load(ob_blas *blas, const ob_allocator *allocator, char *why, size_t n_why) {
    ob_blas_copy *copy = &blas->copies[blas->n_copies];
    copy->library = load_apart(blas->file, why, n_why);
    if (!copy->library) return false;
    const char *reason = judge(blas, copy);
    if (!reason && !take_memory(copy, allocator)) reason = "there is no memory for it";
    if (reason) {
        snprintf(why, n_why, "%s: %s", blas->file, reason);
        dlclose(copy->library);
        copy->library = NULL;
        return false;
    }
    atomic_init(&copy->busy, false);
    atomic_fetch_add_explicit(&blas->n_copies, 1, memory_order_release);
    return true;
}

bool ob__blas_open_file(ob_blas *blas, const char *file, const ob_allocator *allocator, char *why, size_t n_why) {
    atomic_init(&blas->n_copies, 0);
    blas->file = file;
    return load(blas, allocator, why, n_why);
}

bool ob__blas_open(ob_blas *blas, int wish, const ob_allocator *allocator, char *why, size_t n_why) {
    bool opened = false;
    for (size_t i = 0; i < sizeof files / sizeof *files && !opened; i++)
        opened = ob__blas_open_file(blas, files[i], allocator, why, n_why);
    for (int i = 1; i < wish && opened; i++) ob__blas_add(blas, allocator);
    return opened;
}

void ob__blas_add(ob_blas *blas, const ob_allocator *allocator) {
    char ignored[256];
    if (blas->n_copies < OB_BLAS_COPIES) load(blas, allocator, ignored, sizeof ignored);
}

void ob__blas_close(ob_blas *blas) {
    for (; blas->n_copies > 0; blas->n_copies--) dlclose(blas->copies[blas->n_copies - 1].library);
}

#else

bool ob__blas_open_file(ob_blas *blas, const char *file, const ob_allocator *allocator, char *why, size_t n_why) {
    (void)file, (void)allocator;
    atomic_init(&blas->n_copies, 0);
    snprintf(why, n_why, "this build is without OpenBLAS");
    return false;
}

bool ob__blas_open(ob_blas *blas, int wish, const ob_allocator *allocator, char *why, size_t n_why) {
    (void)wish;
    return ob__blas_open_file(blas, "", allocator, why, n_why);
}

void ob__blas_add(ob_blas *blas, const ob_allocator *allocator) {
    (void)blas, (void)allocator;
}

void ob__blas_close(ob_blas *blas) {
    (void)blas;
}

#endif

/* ---- Products ---- */

/* The leading dimension for cblas; 0: neither rows nor columns are dense, or it is too small or too large. */
static int leading(int64_t rows, int64_t columns, int64_t row, int64_t column, bool *transposed) {
    *transposed = false;
    if (column == 1 && row >= 1 && row >= columns && row <= INT_MAX) return (int)row;
    *transposed = true;
    if (row == 1 && column >= 1 && column >= rows && column <= INT_MAX) return (int)column;
    return 0;
}

bool ob__blas_takes(const obk_gemm_call *call) {
    bool transposed;
    if (call->m > INT_MAX || call->n > INT_MAX || call->k > INT_MAX) return false;
    if (call->y_row < 1 || call->y_row < call->n || call->y_row > INT_MAX) return false;
    if (call->alpha == 0) return false; /* cblas then ignores A and B, which may hold NaN */
    return leading(call->m, call->k, call->a_row, call->a_k, &transposed) > 0 &&
           leading(call->k, call->n, call->b_k, call->b_column, &transposed) > 0;
}

bool ob__blas_gains(int64_t m, int64_t n, int64_t k) {
    enum { LEAST = 512 };
    return m >= LEAST && n >= LEAST && k >= LEAST && (double)m * (double)n * (double)k >= 0x1p32;
}

#ifdef OB_WITH_OPENBLAS

#define LAY(REAL)                                                                                                                \
    for (int64_t i = 0; i < call->m; i++) {                                                                                      \
        REAL *to = (REAL *)call->y + i * call->y_row;                                                                            \
        const REAL *from = (const REAL *)call->c + i * call->c_row, beta = (REAL)call->beta;                                     \
        for (int64_t j = 0; j < call->n; j++) to[j] = beta * from[j * call->c_column];                                           \
    }

/* Writes beta * C to Y; the product is then added. NaN of C stays for any beta. */
static void lay_c(bool is_double, const obk_gemm_call *call) {
    if (is_double)
        LAY(double)
    else
        LAY(float)
}

/* Waits for a free copy. There may be more threads than copies: workers, and pools of more than OB_BLAS_COPIES threads. A copy is
 * busy for some milliseconds. */
static ob_blas_copy *claim(ob_blas *blas) {
    const struct timespec a_moment = {.tv_nsec = 50000};
    for (;; nanosleep(&a_moment, NULL))
        for (int i = 0, n = atomic_load_explicit(&blas->n_copies, memory_order_acquire); i < n; i++)
            if (!atomic_exchange_explicit(&blas->copies[i].busy, true, memory_order_acquire)) return &blas->copies[i];
}

void ob__blas_product(ob_blas *blas, bool is_double, const obk_gemm_call *call) {
    bool transposed;
    const int m = (int)call->m, n = (int)call->n, k = (int)call->k;
    const int lda = leading(call->m, call->k, call->a_row, call->a_k, &transposed);
    const enum CBLAS_TRANSPOSE of_a = transposed ? CblasTrans : CblasNoTrans;
    const int ldb = leading(call->k, call->n, call->b_k, call->b_column, &transposed);
    const enum CBLAS_TRANSPOSE of_b = transposed ? CblasTrans : CblasNoTrans;
    const int beta = call->adds || call->c;
    if (m <= 0 || n <= 0) return;
    if (call->c) lay_c(is_double, call);
    ob_blas_copy *copy = claim(blas);
    if (is_double)
        ((dgemm_function)copy->dgemm)(CblasRowMajor, of_a, of_b, m, n, k, call->alpha, call->a, lda, call->b, ldb, beta, call->y,
                                      (int)call->y_row);
    else
        ((sgemm_function)copy->sgemm)(CblasRowMajor, of_a, of_b, m, n, k, (float)call->alpha, call->a, lda, call->b, ldb,
                                      (float)beta, call->y, (int)call->y_row);
    atomic_store_explicit(&copy->busy, false, memory_order_release);
}

#else

void ob__blas_product(ob_blas *blas, bool is_double, const obk_gemm_call *call) {
    (void)blas, (void)is_double, (void)call; /* never called: nothing opens a copy */
}

#endif
