/* What rules of operators with bodies share. */
#ifndef OB_OPS_INFER_ENDS_H
#define OB_OPS_INFER_ENDS_H

#include "ops/infer/infer.h"

/* Types and contents of one end of a body. */
typedef struct ob_ends {
    ob_type *types;
    ob_content *contents;
} ob_ends;

/* n unknown ones; false: no memory. */
bool ob__make_ends(ob_infer *infer, uint32_t n, ob_ends *out);
/* A stack of what one iteration gives: `n` in front of (or at `axis` of) its dims. */
ob_status ob__out_stacked(ob_infer *infer, uint32_t output, const ob_type *item, ob_dim n, int64_t axis);

#endif
