/* Moving elements. */
#ifndef OB_KERNELS_MOVE_H
#define OB_KERNELS_MOVE_H

#include <stdint.h>

/* Repeats each of m dense elements n times. */
typedef void (*obk_repeat)(void *target, const void *source, int64_t m, int64_t n);

typedef struct obk_moves {
    obk_repeat repeat_4; /* elements of 4 bytes */
} obk_moves;

#endif
