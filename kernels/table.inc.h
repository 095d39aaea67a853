/* The rows of a table, inside its braces (see declare.inc.h). Parameter: ROWS. */
#define OBK_SLOT(place, loop)              OBK_IF_LOOP(loop)(place = OBK_FN(loop), )
#define OBK_SHARED_SLOT(place, loop)       OBK_IF_LOOP(loop)(place = OBK_SHARED(loop), )
#define OBK_PART(line, place, loop)        OBK_IF_LOOP(line)(place = OBK_FN(loop), )
#define OBK_NARROW_SLOT(place, loop)       OBK_IF_LOOP(loop)(place = OBK_NARROW_FN(loop), )
#define OBK_NARROW_PART(line, place, loop) OBK_IF_LOOP(line)(place = OBK_NARROW_FN(loop), )
#define OBK_FIXED_SLOT(place, loop)        place = OBK_FN(loop),
#define OBK_VALUE(place, value)            place = value,
#include ROWS
#undef OBK_SLOT
#undef OBK_SHARED_SLOT
#undef OBK_PART
#undef OBK_NARROW_SLOT
#undef OBK_NARROW_PART
#undef OBK_FIXED_SLOT
#undef OBK_VALUE
#undef ROWS
