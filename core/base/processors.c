/* A separate file, so that tests that need more threads than processors can replace it. */
#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#endif
#include <limits.h>
#include <unistd.h>

#include "core/base/machine.h"
#include "onnx_broadcast/machine.h"

/* The processors that the calling thread may use; 0: not known. */
static long of_thread(void) {
#ifdef __linux__
    enum { MOST = 8192 }; /* the largest number of processors in a Linux kernel */
    unsigned long mask[MOST / (CHAR_BIT * sizeof(unsigned long))] = {0};
    long n = 0;
    if (sched_getaffinity(0, sizeof mask, (cpu_set_t *)(void *)mask) != 0) return 0;
    for (size_t i = 0; i < sizeof mask / sizeof mask[0]; i++) n += __builtin_popcountl(mask[i]);
    return n;
#else
    return 0;
#endif
}

int ob_machine_processors(void) {
    long n = of_thread();
    if (n < 1) n = sysconf(_SC_NPROCESSORS_ONLN);
    if (n < 1) n = 1;
    uint64_t quota = ob__quota_at("");
    if (quota && quota < (uint64_t)n) n = (long)quota;
    return n > INT_MAX ? INT_MAX : (int)n;
}
