/* Functions that plans name when they are written as C. */
#ifndef OB_OPS_KERNEL_FUNCTIONS_H
#define OB_OPS_KERNEL_FUNCTIONS_H

#include "core/base/pace.h"
#include "kernels/loop.h"
#include "ops/kernel/kernel.h"

#define OB_OWN_LOOP(function)                                                                                                    \
    void function(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows, const void *params);
#define OB_OWN_RUN(function)     ob_status function(const ob_kernel_args *args, ob_error *error);
#define OB_OWN_COMBINE(function) void function(int kind, void *to, const void *from, int64_t n);
#define OB_OWN_ADD(function)     void function(void *to, int64_t stride, const void *from, int64_t n);
#define OB_OWN_CHOOSE(function)                                                                                                  \
    void function(void *keys, const void *vector, int64_t n, int64_t k, int64_t apart, bool smallest, obk_pace *pace);
#define OB_OWN_PART(function) /* declared in kernels/ */
#include "ops/kernel/functions.def"
#undef OB_OWN_LOOP
#undef OB_OWN_RUN
#undef OB_OWN_COMBINE
#undef OB_OWN_CHOOSE
#undef OB_OWN_ADD
#undef OB_OWN_PART

/* The name of a row of functions.def; NULL: it is none. *is_run: it is an ob__run. */
const char *ob__own_function_name(void (*function)(void), bool *is_run);

#endif
