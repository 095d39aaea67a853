#include <stdatomic.h>

#include "ops/kernels/kernels.h"
#include "ops/kernels/tables.h"

#define TABLE(isa)                                                                                                               \
    {                                                                                                                            \
        .name = #isa, .binary = obk_binary_loops__##isa, .unary = obk_unary_loops__##isa, .where = obk_where_loops__##isa,       \
        .convert = obk_conversions__##isa, .move = &obk_move_functions__##isa, .clip = obk_clip_loops__##isa                     \
    }

static const obk_table baseline = TABLE(baseline);
#ifdef OB_ISA_AVX2
static const obk_table avx2 = TABLE(avx2);
#endif

static atomic_uint allowed = ~0u;

void ob__kernels_limit(unsigned isa_mask) {
    atomic_store(&allowed, isa_mask);
}

const obk_table *ob__kernels(void) {
    unsigned mask = atomic_load_explicit(&allowed, memory_order_relaxed);
    (void)mask;
#ifdef OB_ISA_AVX2
    if ((mask & OBK_ISA_AVX2) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("f16c"))
        return &avx2;
#endif
    return &baseline;
}
