/** @defgroup machine Machine
 * @brief What the machine leaves to this process.
 *
 * On Linux both functions look at the control groups above the process, of version 1 and 2, mounted at /sys/fs/cgroup: this is
 * where a container has its limits. They read files on every call (tens of microseconds). Any number of threads may call them.
 * @{ */
#ifndef ONNX_BROADCAST_MACHINE_H
#define ONNX_BROADCAST_MACHINE_H

#include <stdint.h>

#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes that the process may still take: what the system says is available (MemAvailable in /proc/meminfo), or what the memory
 * limits of its control groups leave, whichever is less. A group that is over its limit leaves 1. 0: nothing is known. */
OB_API uint64_t ob_machine_memory(void);

/** How many processors the process may use at a time, at least 1: those that the calling thread may run on (sched_getaffinity; on
 * systems without it those that are there), or what the processor quota of a control group comes to (cpu.max; cpu.cfs_quota_us
 * and cpu.cfs_period_us), rounded up, whichever is less. A session starts no more threads than this. */
OB_API int ob_machine_processors(void);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
