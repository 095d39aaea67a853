/* The attributes of signal transforms, read only here. */
#ifndef OB_OPS_SIGNAL_PARAMS_H
#define OB_OPS_SIGNAL_PARAMS_H

#include "ops/table/attributes.h"
#include "ops/table/op.h"

typedef struct ob_dft_params {
    bool inverse, onesided;
    int64_t axis; /* before version 20; from then on the default of operand 2 */
} ob_dft_params;

static inline ob_dft_params ob__dft_params(const ob_node *node, int32_t since) {
    return (ob_dft_params){.inverse = ob__attribute_flag(node, "inverse"),
                           .onesided = ob__attribute_flag(node, "onesided"),
                           .axis = since < 20 ? ob__attribute_int(node, "axis") : -2};
}
static inline bool ob__stft_onesided(const ob_node *node) {
    return ob__attribute_flag(node, "onesided");
}

#endif
