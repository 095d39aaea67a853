/* What the machine has to give. */
#ifndef OB_TOOLS_MACHINE_H
#define OB_TOOLS_MACHINE_H

#include <stdint.h>

/* Bytes of memory that this process may still take: what the system says is available (/proc/meminfo), and what the control
 * groups above the process leave (version 1 or 2), whichever is less. 0: it does not say. `root` is put before the paths: "". */
uint64_t machine_memory(const char *root);

#endif
