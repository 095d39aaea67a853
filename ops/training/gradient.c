#include "ops/kernel/kernel.h"

/* The executor writes it as the derivatives of what it names before anything is planned. */
const ob_kernel ob__kernel_gradient = {.name = "gradient", .flags = OB_KERNEL_CONTROL};
