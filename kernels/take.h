/* Taking loops from tables, by planning: what is taken can be listed, and a loop that this build leaves out (OB_OPS) is named.
 * Code that plans takes all loops that running may call, whatever the sizes are. */
#ifndef OB_KERNELS_TAKE_H
#define OB_KERNELS_TAKE_H

#include <stdint.h>

#include "kernels/kernels.h"

/* What one call plans. */
typedef struct obk_takes {
    void (*record)(void *context, const void *slot); /* of each loop that is taken: its place in the table; may be NULL */
    void *context;
    const char *missing; /* the first one that the build leaves out: the name of its line in OB_OPS; NULL: none */
} obk_takes;

/* Of this thread; NULL: nobody plans. */
obk_takes *obk_begin_takes(obk_takes *takes); /* returns the ones before */
void obk_end_takes(obk_takes *before);

/* The slots of a table that this build leaves out: offsets in the table, and their lines in OB_OPS, one after the other. */
typedef struct obk_left_out {
    unsigned n;
    const uint16_t *offsets;
    const char *names;
} obk_left_out;

#ifdef OB_SELECTS_LOOPS
#define OBK_MEMBER(member, type)  extern const obk_left_out obk_left_out_##member;
#define OBK_MEMBERS(member, type) extern const obk_left_out obk_left_out_##member;
#include "kernels/kernels.def"
#undef OBK_MEMBER
#undef OBK_MEMBERS
#define OBK_LEFT_OUT(member) (&obk_left_out_##member)
#else
#define OBK_LEFT_OUT(member) NULL
#endif

void obk_note(const void *slot, const void *table, const obk_left_out *left_out);

/* place: a slot, as `[OBK_ADD][OB_FLOAT]` or `->sum`. OBK_LOOP takes the loop there. OBK_FAMILY is the table, and takes all loops
 * that have the same line in OB_OPS as the slot. */
#define OBK_NOTE(member, place)   obk_note(&(OBK_LOOPS(member) place), OBK_LOOPS(member), OBK_LEFT_OUT(member))
#define OBK_LOOP(member, place)   (OBK_NOTE(member, place), OBK_LOOPS(member) place)
#define OBK_FAMILY(member, place) (OBK_NOTE(member, place), OBK_LOOPS(member))
/* The same for one element of a table that is an array: the address of `[index]`, by its slot `.product`. */
#define OBK_ELEMENT(member, index, slot) (OBK_NOTE(member, index slot), &OBK_LOOPS(member) index)

/* Elementwise loops by type: a row of a table. */
typedef struct obk_row {
    const obk_loop *loops;
    const void *table;
    const obk_left_out *left_out;
} obk_row;
#define OBK_ROW(member, place) ((obk_row){OBK_LOOPS(member) place, OBK_LOOPS(member), OBK_LEFT_OUT(member)})
static inline obk_loop obk_take(const obk_row *row, ob_dtype type) {
    obk_note(&row->loops[type], row->table, row->left_out);
    return row->loops[type];
}

#endif
