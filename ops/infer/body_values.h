/* The common part of shape rules for operators with a body (If, Loop, Scan, SequenceMap). */
#ifndef OB_OPS_INFER_BODY_VALUES_H
#define OB_OPS_INFER_BODY_VALUES_H

#include "ops/infer/infer.h"

/* Types and contents of all inputs or all outputs of a body. */
typedef struct ob_body_values {
    ob_type *types;
    ob_content *contents;
} ob_body_values;

/* Makes n unknown values. False: out of memory. */
bool ob__make_body_values(ob_infer *infer, uint32_t n, ob_body_values *out);
/* Sets an output to `n` results of iterations, stacked along `axis`. */
ob_status ob__out_stacked(ob_infer *infer, uint32_t output, const ob_type *item, ob_dim n, int64_t axis);

#endif
