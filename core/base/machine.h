/* What the machine gives, from the files of a system that lies at `root` ("": this one). */
#ifndef OB_CORE_BASE_MACHINE_H
#define OB_CORE_BASE_MACHINE_H

#include <stdint.h>

/* Bytes; 0: the files do not say. */
uint64_t ob__memory_at(const char *root);
/* The least quota of the control groups in processors, rounded up; 0: there is none. */
uint64_t ob__quota_at(const char *root);

#endif
