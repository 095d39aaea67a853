/* In place of core/base/processors.c: a machine on which as many threads are started as are asked for. */
#include "onnx_broadcast/machine.h"

int ob_machine_processors(void) {
    return 1024;
}
