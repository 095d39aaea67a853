/* Working memory of the term algebra: a polynomial takes 9 KB, too much for the stack of a thread. It comes from the pool's
 * allocator, is released in the opposite order, and is kept until the pool is destroyed or ob__dims_give_back() (terms.h). */
#ifndef OB_CORE_DIMS_SCRATCH_H
#define OB_CORE_DIMS_SCRATCH_H

#include <stdatomic.h>
#include <stddef.h>

#include "core/dims/terms.h"

typedef struct ob_scratch_block {
    struct ob_scratch_block *older;
    size_t n_bytes, used; /* of the bytes after this header */
} ob_scratch_block;

typedef struct ob_scratch {
    ob_allocator allocator;
    ob_scratch_block *top, *spare; /* spare: an empty block, kept for reuse */
    atomic_bool failed;            /* memory ran out: ob_dims_status() reports it */
    atomic_flag is_read;           /* in use by a function that only reads the pool; several threads may do so at the same time */
} ob_scratch;

/* Memory that is valid until the end of the C block of the declaration. */
typedef struct ob_scratch_scope {
    const ob_dims *pool;
    void *memory; /* NULL: there is none */
    size_t n_bytes;
} ob_scratch_scope;

void ob__scratch_init(ob_scratch *scratch, const ob_allocator *allocator);
void ob__scratch_release(ob_scratch *scratch);
/* pool may be NULL: no scratch memory. */
ob_scratch_scope ob__scratch_begin(const ob_dims *pool, size_t n_bytes);
void ob__scratch_end(ob_scratch_scope *scope);

/* Declares `polys`, a pointer to n polynomials of the pool's scratch memory that are not set, or NULL. */
#define OB_POLYS(pool, polys, n)                                                                                                 \
    ob_scratch_scope polys##_scope __attribute__((cleanup(ob__scratch_end))) = ob__scratch_begin((pool), (n) * sizeof(ob_poly)); \
    ob_poly *const polys = polys##_scope.memory

/* The pool for a public function that only reads it: with its own scratch memory, or, while another thread uses that, as a copy
 * with separate scratch memory. */
typedef struct ob_dims_reading {
    const ob_dims *pool; /* the pool to read; NULL if the given one is */
    const ob_dims *given;
    struct ob_dims copy;
    ob_scratch own;
} ob_dims_reading;
void ob__dims_read_begin(ob_dims_reading *reading, const ob_dims *pool);
void ob__dims_read_end(ob_dims_reading *reading);

#endif
