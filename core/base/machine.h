/* Properties of the machine, from the system files below `root` ("": this machine). */
#ifndef OB_CORE_BASE_MACHINE_H
#define OB_CORE_BASE_MACHINE_H

#include <stdint.h>

/* Bytes; 0: unknown. */
uint64_t ob__memory_at(const char *root);
/* The smallest quota of the control groups, in processors, rounded up; 0: none. */
uint64_t ob__quota_at(const char *root);

#endif
