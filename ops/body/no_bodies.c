/* A build without bodies (OB_WITH_BODIES): an operator runs if it has a kernel. */
#include "ops/body/body.h"

const ob_body *ob__body_of(const ob_op *op) {
    (void)op;
    return NULL;
}

const char *ob__no_kernel(void) {
    return "the executor has no kernel for it, and this build has no bodies of operators (OB_WITH_BODIES is off)";
}
