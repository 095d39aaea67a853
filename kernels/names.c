#include "kernels/names.h"

#include <stddef.h>
#include <string.h>

#include "kernels/attention/attention.h"
#include "kernels/boxes/boxes.h"
#include "kernels/conv/conv.h"
#include "kernels/convert/convert.h"
#include "kernels/elementwise/chain.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/fft/fft.h"
#include "kernels/gemm/eights.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/integer.h"
#include "kernels/kernels.h"
#include "kernels/level.h"
#include "kernels/ml/ml.h"
#include "kernels/move/move.h"
#include "kernels/norm/norm.h"
#include "kernels/pool/pool.h"
#include "kernels/quantize/quantize.h"
#include "kernels/random/random.h"
#include "kernels/recurrent/recurrent.h"
#include "kernels/reduce/reduce.h"
#include "kernels/resize/resize.h"
#include "kernels/sample/sample.h"
#include "kernels/softmax/softmax.h"

/* Where a loop stands in its table. */
typedef struct loop_row {
    const char *name;
    uint16_t offset;
    bool by_level;
} loop_row;

typedef struct loop_table {
    const void *levels; /* the list of the member's tables by level */
    const loop_row *rows;
    unsigned n;
} loop_table;

/* A table of each member; the length of an array does not matter. */
#define OBK_MEMBER(member, type)                                                                                                 \
    struct at_##member {                                                                                                         \
        type at;                                                                                                                 \
    };
#define OBK_MEMBERS(member, type)                                                                                                \
    struct at_##member {                                                                                                         \
        type at[64];                                                                                                             \
    };
#include "kernels/kernels.def"
#undef OBK_MEMBER
#undef OBK_MEMBERS

#define MEMBER binary
#define ROWS   "kernels/elementwise/binary.def"
#include "kernels/names.inc.h"
#define MEMBER unary
#define ROWS   "kernels/elementwise/unary.def"
#include "kernels/names.inc.h"
#define MEMBER where
#define ROWS   "kernels/elementwise/where.def"
#include "kernels/names.inc.h"
#define MEMBER clip
#define ROWS   "kernels/elementwise/clip.def"
#include "kernels/names.inc.h"
#define MEMBER convert
#define ROWS   "kernels/convert/convert.def"
#include "kernels/names.inc.h"
#define MEMBER gemm
#define ROWS   "kernels/gemm/gemm.def"
#include "kernels/names.inc.h"
#define MEMBER integer_gemm
#define ROWS   "kernels/gemm/integer.def"
#include "kernels/names.inc.h"
#define MEMBER chain
#define ROWS   "kernels/elementwise/chain.def"
#include "kernels/names.inc.h"
#define MEMBER form
#define ROWS   "kernels/elementwise/form.def"
#include "kernels/names.inc.h"
#define MEMBER move
#define ROWS   "kernels/move/move.def"
#include "kernels/names.inc.h"
#define MEMBER pool
#define ROWS   "kernels/pool/pool.def"
#include "kernels/names.inc.h"
#define MEMBER conv
#define ROWS   "kernels/conv/conv.def"
#include "kernels/names.inc.h"
#define MEMBER resize
#define ROWS   "kernels/resize/resize.def"
#include "kernels/names.inc.h"
#define MEMBER softmax
#define ROWS   "kernels/softmax/softmax.def"
#include "kernels/names.inc.h"
#define MEMBER norm
#define ROWS   "kernels/norm/norm.def"
#include "kernels/names.inc.h"
#define MEMBER recurrent
#define ROWS   "kernels/recurrent/recurrent.def"
#include "kernels/names.inc.h"
#define MEMBER reduce
#define ROWS   "kernels/reduce/reduce.def"
#include "kernels/names.inc.h"
#define MEMBER find
#define ROWS   "kernels/reduce/find.def"
#include "kernels/names.inc.h"
#define MEMBER run_up
#define ROWS   "kernels/reduce/run_up.def"
#include "kernels/names.inc.h"
#define MEMBER quantize
#define ROWS   "kernels/quantize/quantize.def"
#include "kernels/names.inc.h"
#define MEMBER boxes
#define ROWS   "kernels/boxes/boxes.def"
#include "kernels/names.inc.h"
#define MEMBER ml
#define ROWS   "kernels/ml/ml.def"
#include "kernels/names.inc.h"
#define MEMBER fft
#define ROWS   "kernels/fft/fft.def"
#include "kernels/names.inc.h"
#define MEMBER attention
#define ROWS   "kernels/attention/attention.def"
#include "kernels/names.inc.h"
#define MEMBER sample
#define ROWS   "kernels/sample/sample.def"
#include "kernels/names.inc.h"
#define MEMBER random
#define ROWS   "kernels/random/random.def"
#include "kernels/names.inc.h"

#define OBK_MEMBER(member, type)  {obk_levels_##member, rows_##member, sizeof rows_##member / sizeof *rows_##member},
#define OBK_MEMBERS(member, type) OBK_MEMBER(member, type)
static const loop_table tables[] = {
#include "kernels/kernels.def"
};

bool obk_loop_at(unsigned i, void (**loop)(void), const char **name, bool *by_level) {
    unsigned t = 0;
    for (; t < sizeof tables / sizeof *tables && i >= tables[t].n; t++) i -= tables[t].n;
    if (t == sizeof tables / sizeof *tables) return false;
    const loop_row *row = &tables[t].rows[i];
    const char *table; /* copied: tables and loops have many types */
    memcpy(&table, (const char *)tables[t].levels + ob__kernels_level() * sizeof table, sizeof table);
    memcpy(loop, table + row->offset, sizeof *loop);
    *name = row->name;
    *by_level = row->by_level;
    return true;
}

const char *obk_loop_name(void (*loop)(void), bool *by_level) {
    void (*other)(void);
    const char *name;
    for (unsigned i = 0; loop && obk_loop_at(i, &other, &name, by_level); i++)
        if (other == loop) return name;
    return NULL;
}
