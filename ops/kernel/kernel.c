#include "ops/kernel/kernel.h"

#include "core/base/arena.h"
#include "core/base/error.h"
#include "ops/table/op.h"

OB_KERNEL(none);

const ob_kernel ob__kernel_none = {.name = "none"};

bool ob__has_kernel(const ob_op *op) {
    return op->kernel && (op->kernel->run || op->kernel->view || op->kernel->flags & OB_KERNEL_CONTROL);
}

ob_status ob__kernel_output(const ob_kernel_args *args, uint32_t i, int32_t rank, const int64_t *dims, ob_error *error) {
    OB_FAIL_IF(i >= args->n_out || !args->make_output, error, OB_E_INTERNAL, "output %u cannot be made", (unsigned)i);
    return args->make_output(args, i, rank, dims, error);
}

void *ob__tail(const ob_kernel_site *site, uint64_t n, size_t n_bytes_each) {
    size_t n_bytes;
    if (__builtin_mul_overflow(n, n_bytes_each, &n_bytes)) return NULL;
    return OB_ARENA_ARRAY(site->arena, char, n_bytes);
}
