/* Moving elements. */
#ifndef OB_KERNELS_MOVE_H
#define OB_KERNELS_MOVE_H

#include <stdint.h>

typedef struct obk_moves {
    void (*repeat_4)(void *target, const void *source, int64_t m,
                     int64_t n); /* repeats each of m dense elements of 4 bytes n times */
} obk_moves;

#endif
