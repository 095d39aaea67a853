/* Replaces core/base/processors.c: a machine on which every requested number of threads is started. */
#include "onnx_broadcast/machine.h"

int ob_machine_processors(void) {
    return 1024;
}
