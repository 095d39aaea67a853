/* If, Loop and Scan compute nothing themselves: the executor runs their subgraphs (runtime/plan/control.c). */
#include "ops/kernel/kernel.h"

const ob_kernel ob__kernel_if = {.name = "if", .flags = OB_KERNEL_CONTROL};
const ob_kernel ob__kernel_loop = {.name = "loop", .flags = OB_KERNEL_CONTROL};
const ob_kernel ob__kernel_scan = {.name = "scan", .flags = OB_KERNEL_CONTROL};
