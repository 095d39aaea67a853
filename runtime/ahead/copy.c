/* A copy as a step of an emitted model: apart, because most models have none. */
#include "ops/kernel/common.h"

OB_RUN(ob__run_copy) {
    (void)error;
    ob__copy_view(&args->out[0], &args->in[0], args->threads);
    return OB_OK;
}
