/* Declares the loops that the rows of a table name. Parameters: MEMBER of kernels.def, ROWS the file with its rows. Sources
 * without a level see only loops that have one form for all levels.
 *
 * Rows: OBK_SLOT(place, loop), OBK_SHARED_SLOT(place, loop) for one form for all levels, OBK_NARROW_SLOT(place, loop) for one
 * that AVX-512 has from AVX2 (a source compiles it where OBK_LOWER is not defined), OBK_VALUE(place, value) for what is no loop.
 * A place is a designator in the table. The name of the loop is its line in OB_OPS; OBK_PART(line, place, loop) and
 * OBK_NARROW_PART(line, place, loop) have a line that several loops share, which are taken together, and OBK_FIXED_SLOT(place,
 * loop) is in all builds. */
#include "kernels/level.h"
#include "kernels/levels.h"
#include "kernels/select.h"

#ifdef OBK_ISA
#define OBK_SLOT(place, loop)        __typeof__(*OBK_TABLE(MEMBER) place) OBK_FN(loop);
#define OBK_NARROW_SLOT(place, loop) __typeof__(*OBK_TABLE(MEMBER) place) OBK_NARROW_FN(loop);
#define OBK_SHARED_SLOT(place, loop) __typeof__(*OBK_TABLE(MEMBER) place) OBK_SHARED(loop);
#else
#define OBK_SLOT(place, loop)
#define OBK_NARROW_SLOT(place, loop)
#define OBK_SHARED_SLOT(place, loop) __typeof__(*OBK_CAT3(obk_table_, MEMBER, __baseline) place) OBK_SHARED(loop);
#endif
#define OBK_VALUE(place, value)
#define OBK_PART(line, place, loop)        OBK_SLOT(place, loop)
#define OBK_NARROW_PART(line, place, loop) OBK_NARROW_SLOT(place, loop)
#define OBK_FIXED_SLOT                     OBK_SLOT
#include ROWS
#undef OBK_SLOT
#undef OBK_NARROW_SLOT
#undef OBK_SHARED_SLOT
#undef OBK_VALUE
#undef OBK_PART
#undef OBK_NARROW_PART
#undef OBK_FIXED_SLOT
#undef MEMBER
#undef ROWS
