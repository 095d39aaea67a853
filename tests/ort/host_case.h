/* ONNX Runtime for all cases of a program: setup and teardown of its group. Behind cmocka.h. */
#ifndef OB_TESTS_ORT_HOST_CASE_H
#define OB_TESTS_ORT_HOST_CASE_H

#include "host.h"

static ort_host host;

static int open_host(void **state) {
    (void)state;
    if (!ort_open(&host, OB_ONNXRUNTIME_LIBRARY)) fail_msg("%s", host.error);
    return 0;
}

static int close_host(void **state) {
    (void)state;
    ort_close(&host);
    return 0;
}

#endif
