#include "kernels/names.h"

#include <string.h>

#include "kernels/places.h"

/* Where a loop stands in its table. */
typedef struct loop_row {
    const char *name, *line; /* line: NULL: that of the name */
    uint16_t offset;
    bool by_level;
} loop_row;

typedef struct loop_table {
    const void *levels; /* the list of the member's tables by level */
    const loop_row *rows;
    unsigned n;
} loop_table;

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
#define MEMBER text
#define ROWS   "kernels/convert/text.def"
#include "kernels/names.inc.h"
#define MEMBER gemm
#define ROWS   "kernels/gemm/gemm.def"
#include "kernels/names.inc.h"
#define MEMBER integer_gemm
#define ROWS   "kernels/gemm/integer_gemm.def"
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

/* Row i of all tables, and its table; NULL: i is too large. */
static const loop_row *row_at(unsigned i, const loop_table **table) {
    for (*table = tables; *table < tables + sizeof tables / sizeof *tables; i -= (*table)->n, ++*table)
        if (i < (*table)->n) return &(*table)->rows[i];
    return NULL;
}

/* The table at a level. Addresses and loops are copied, because they have many types. */
static const char *at_level(const loop_table *table, unsigned level) {
    const char *at;
    memcpy(&at, (const char *)table->levels + level * sizeof at, sizeof at);
    return at;
}

static void take_loop(const loop_table *table, const loop_row *row, unsigned level, void (**loop)(void)) {
    memcpy(loop, at_level(table, level) + row->offset, sizeof *loop);
}

static const char *line_of(const loop_row *row) {
    return row->line ? row->line : row->name;
}

/* The lowest level that has the row's loop of the level in use; NULL: it has one form for all levels. */
static const char *level_of(const loop_table *table, const loop_row *row, void (*loop)(void)) {
    if (!row->by_level) return NULL;
    unsigned lowest = 0;
    void (*other)(void);
    for (take_loop(table, row, 0, &other); other != loop; take_loop(table, row, lowest, &other)) lowest++;
    return ob__kernels_name(lowest);
}

bool obk_loop_at(unsigned i, void (**loop)(void), const char **name, const char **level) {
    const loop_table *table;
    const loop_row *row = row_at(i, &table);
    if (!row) return false;
    take_loop(table, row, ob__kernels_level(), loop);
    *name = row->name;
    *level = level_of(table, row, *loop);
    return true;
}

const char *obk_loop_line(unsigned i) {
    const loop_table *table;
    const loop_row *row = row_at(i, &table);
    return row ? line_of(row) : NULL;
}

const char *obk_line_of(const void *slot) {
    const loop_table *table;
    const loop_row *row;
    for (unsigned i = 0; (row = row_at(i, &table)); i++)
        if (at_level(table, ob__kernels_level()) + row->offset == (const char *)slot) return line_of(row);
    return NULL;
}

const char *obk_loop_name(void (*loop)(void), const char **level) {
    const loop_table *table;
    const loop_row *row;
    void (*other)(void);
    for (unsigned i = 0; loop && (row = row_at(i, &table)); i++) {
        take_loop(table, row, ob__kernels_level(), &other);
        if (other != loop) continue;
        *level = level_of(table, row, loop);
        return row->name;
    }
    return NULL;
}
