/* Conv: Y[n, m, o] = B[m] + sum over c, k of X[n, c, o * stride - pad + k * dilation] * W[m, c, k], channels in groups.
 *
 * Opset 1 and 11 floats, 22 also bfloat16; float16 and bfloat16 are computed in float. Any number of spatial axes, auto_pad.
 * Three ways: a depthwise convolution adds scaled rows; a kernel of one element is a matrix product on X as it is; anything else
 * unfolds a block of positions into a matrix in scratch memory (im2col) and multiplies. */
#include <stdatomic.h>

#include "ops/conv/window.h"
#include "ops/product/blas.h"

enum { BLOCK_ELEMS = 1 << 18, MAX_SLOTS = 64 };

typedef struct conv {
    ob__window window;
    int64_t n_batch, groups, channels, maps; /* channels and maps of one group */
    int64_t depth;                           /* channels * taps: the inner size of the product */
    int64_t block;                           /* positions per product */
    int slots;                               /* unfolding buffers */
    bool depthwise, direct;
} conv;

typedef struct job {
    const conv *c;
    const void *x, *w, *bias;
    void *y, *columns;
    _Atomic uint64_t busy; /* a bit per unfolding buffer in use */
} job;

static int take_slot(job *j) {
    uint64_t busy = atomic_load(&j->busy);
    for (;;) {
        int slot = 0;
        while (busy >> slot & 1) slot++; /* there are as many as threads: one is free */
        if (atomic_compare_exchange_weak(&j->busy, &busy, busy | UINT64_C(1) << slot)) return slot;
    }
}

static void free_slot(job *j, int slot) {
    atomic_fetch_and(&j->busy, ~(UINT64_C(1) << slot));
}

#define REAL       float
#define NAME(name) name##_float
#define GEMM       ob__gemm_float
#include "ops/conv/conv.inc.h"
#define REAL       double
#define NAME(name) name##_double
#define GEMM       ob__gemm_double
#include "ops/conv/conv.inc.h"

static ob_status set_up(const ob_kernel_args *args, conv *c, ob_error *error) {
    const ob_view *x = &args->in[0], *w = &args->in[1], *y = &args->out[0];
    OB_FAIL_IF(x->rank < 2 || w->rank != x->rank || y->rank != x->rank, error, OB_E_SHAPE, "Conv: X, W and Y of ranks %d, %d, %d",
               x->rank, w->rank, y->rank);
    OB_TRY(ob__read_window(args, x, y, &w->dims[2], &c->window, error));
    int64_t groups = ob__node_int(args->node, "group", 1);
    bool bad = groups < 1 || x->dims[1] % groups != 0 || w->dims[0] % groups != 0 || w->dims[1] != x->dims[1] / groups ||
               y->dims[0] != x->dims[0] || y->dims[1] != w->dims[0];
    OB_FAIL_IF(bad, error, OB_E_SHAPE, "Conv: %lld channels, %lld maps of %lld channels, group %lld", (long long)x->dims[1],
               (long long)w->dims[0], (long long)w->dims[1], (long long)groups);
    if (ob__given(args, 2))
        OB_FAIL_IF(ob__count(&args->in[2]) != w->dims[0], error, OB_E_SHAPE, "Conv: a bias of %lld for %lld maps",
                   (long long)ob__count(&args->in[2]), (long long)w->dims[0]);
    c->n_batch = x->dims[0];
    c->groups = groups;
    c->channels = x->dims[1] / groups;
    c->maps = w->dims[0] / groups;
    OB_FAIL_IF(ob__mul_overflows(c->channels, c->window.n_taps, &c->depth), error, OB_E_LIMIT, "Conv: the kernel is too large");
    OB_FAIL_IF(!ob__blas_fits(c->depth) || !ob__blas_fits(c->window.n_in) || !ob__blas_fits(c->window.n_out) ||
                   !ob__blas_fits(c->maps),
               error, OB_E_LIMIT, "Conv: a plane or the kernel is too large");
    c->depthwise = c->channels == 1 && c->maps <= 2;
    c->direct = c->window.n_taps == 1;
    for (int32_t a = 0; a < c->window.rank; a++)
        c->direct = c->direct && c->window.stride[a] == 1 && c->window.before[a] == 0 && c->window.in[a] == c->window.out[a];
    int threads = args->threads && args->threads->n_threads > 1 ? args->threads->n_threads : 1;
    c->slots = threads < MAX_SLOTS ? threads : MAX_SLOTS;
    /* A product's bits may depend on its width: blocks are the same for every number of threads, and small enough for some. */
    int64_t block = BLOCK_ELEMS / (c->depth > 0 ? c->depth : 1), share = c->window.n_out / 4 + 1;
    if (share < 64) share = 64;
    if (block > share) block = share;
    if (block < 32) block = 32;
    block = (block + 15) / 16 * 16;
    c->block = block < c->window.n_out ? block : c->window.n_out;
    if (c->block < 1) c->block = 1;
    return OB_OK;
}

static ob_status conv_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)site;
    conv *c = args->state;
    OB_TRY(ob__check_type_v1(args, 0, error));
    OB_TRY(set_up(args, c, error));
    ob__blas_single_thread();
    OB_TRY(ob__plan_real(args, needs, error));
    if (c->depthwise || c->direct) return OB_OK;
    return ob__need_scratch(needs, c->slots * c->block * c->depth, ob_dtype_size(ob__computing_type(args)), error);
}

static ob_status conv_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const conv *c = args->state;
    job j = {.c = c, .x = args->in[0].data, .w = args->in[1].data, .y = args->out[0].data, .columns = args->scratch};
    if (ob__given(args, 2)) j.bias = args->in[2].data;
    if (ob__count(&args->out[0]) == 0) return OB_OK;
    bool is_double = args->in[0].dtype == OB_DOUBLE;
    int64_t planes = c->n_batch * c->groups;
    /* more threads than buffers would wait for one: one thread then */
    bool many = args->threads && args->threads->n_threads > c->slots;
    if (c->depthwise) {
        int64_t work = ob__window_work(&c->window);
        ob__parallel(args->threads, planes * c->maps, (INT64_C(1) << 15) / work + 1,
                     is_double ? depthwise_double : depthwise_float, &j);
    } else {
        int64_t blocks = (c->window.n_out + c->block - 1) / c->block;
        ob_threads alone = ob__alone(args->threads);
        double work = (double)c->block * (double)c->depth * (double)c->maps + 1;
        ob__parallel_parts(many ? &alone : args->threads, planes * blocks, 1, (int64_t)(0x1p24 / work) + 1,
                           is_double ? blocks_double : blocks_float, &j);
    }
    return OB_OK;
}

static ob_status conv_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, conv_compute, error);
}

const ob_kernel ob__kernel_conv = {.name = "conv", .state_bytes = sizeof(conv), .plan = conv_plan, .run = conv_run};
