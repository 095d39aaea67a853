#include "ops/kernel/kernel.h"

/* Before planning, the executor replaces it by the derivatives of the operators in between. */
const ob_kernel ob__kernel_gradient = {.name = "gradient", .flags = OB_KERNEL_CONTROL};
