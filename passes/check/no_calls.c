/* A build without bodies (OB_WITH_BODIES) writes no function out and infers none: a session refuses calls before. */
#include "passes/check/propagation.h"

void ob__calls_init(ob_propagation *p) {
    (void)p;
}

void ob__calls_release(ob_propagation *p) {
    (void)p;
}

void ob__calls_rewind(ob_propagation *p, uint32_t n_called, uint32_t n_sites) {
    (void)p, (void)n_called, (void)n_sites;
}

/* The results stay unknown. */
ob_status ob__infer_call(ob_visit *visit) {
    (void)visit;
    return OB_OK;
}

ob_status ob__settle_calls(ob_propagation *p) {
    (void)p;
    return OB_OK;
}
