/* Kernels that ops.def names and that have no file yet: not runnable. Each line goes when its family arrives. */
#include "ops/kernel.h"

#define PENDING_KERNEL(id) const ob_kernel ob__kernel_##id = {.name = #id}

OB_KERNEL(batch_norm);
PENDING_KERNEL(batch_norm);
OB_KERNEL(conv);
PENDING_KERNEL(conv);
OB_KERNEL(dropout);
PENDING_KERNEL(dropout);
OB_KERNEL(global_pool);
PENDING_KERNEL(global_pool);
OB_KERNEL(group_norm);
PENDING_KERNEL(group_norm);
OB_KERNEL(instance_norm);
PENDING_KERNEL(instance_norm);
OB_KERNEL(layer_norm);
PENDING_KERNEL(layer_norm);
OB_KERNEL(lp_norm);
PENDING_KERNEL(lp_norm);
OB_KERNEL(lrn);
PENDING_KERNEL(lrn);
OB_KERNEL(pool);
PENDING_KERNEL(pool);
