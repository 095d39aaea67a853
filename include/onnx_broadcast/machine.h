/** @defgroup machine Machine
 * @brief Memory and processors that are available to this process.
 *
 * On Linux both functions read the limits of the control groups of the process (cgroup versions 1 and 2, mounted at
 * /sys/fs/cgroup), which hold the limits of a container. Each call reads files (tens of microseconds). Thread-safe.
 * @{ */
#ifndef ONNX_BROADCAST_MACHINE_H
#define ONNX_BROADCAST_MACHINE_H

#include <stdint.h>

#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of memory that the process can still use: the smaller of the memory that the system reports as available
 * (MemAvailable in /proc/meminfo) and the memory that the limits of its control groups leave. 1 when a group is over its
 * limit. 0: unknown. */
OB_API uint64_t ob_machine_memory(void);

/** Number of processors that the process can use at the same time, at least 1. It is the smaller of two numbers: the
 * processors on which the calling thread may run (sched_getaffinity; all processors on systems without it), and the processor
 * quota of the control groups, rounded up (cpu.max; cpu.cfs_quota_us and cpu.cfs_period_us). A session never starts more
 * threads. */
OB_API int ob_machine_processors(void);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
