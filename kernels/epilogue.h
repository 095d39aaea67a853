/* Work on the results of a product while they are in the cache. */
#ifndef OB_KERNELS_EPILOGUE_H
#define OB_KERNELS_EPILOGUE_H

#include <stdint.h>

/* The first member of its caller's struct. */
typedef struct obk_epilogue {
    /* Called once for each result: rows row .. row + rows - 1, columns column .. column + n - 1, counted from the first result
     * of the call that computes them. `from`: these results before the epilogue, rows from_row bytes apart. This may be their
     * place in memory, but a copy in the cache is better: a line of memory that was written just now cannot be read soon. */
    void (*apply)(const struct obk_epilogue *epilogue, const void *from, int64_t from_row, int64_t row, int64_t rows,
                  int64_t column, int64_t n);
} obk_epilogue;

#endif
