/* The slots of a table that the build leaves out (take.h). Parameters: MEMBER, ROWS (see declare.inc.h). */
#include "kernels/level.h"
#include "kernels/places.h"
#include "kernels/select.h"
#include "kernels/take.h"

#define OBK_SLOT(place, loop) OBK_PART(loop, place, loop)
#define OBK_SHARED_SLOT       OBK_SLOT
#define OBK_NARROW_SLOT       OBK_SLOT
#define OBK_NARROW_PART       OBK_PART
#define OBK_FIXED_SLOT(place, loop)
#define OBK_VALUE(place, value)

#define OBK_PART(line, place, loop) OBK_UNLESS_LOOP(line)(offsetof(struct OBK_CAT(at_, MEMBER), at place), )
static const uint16_t offsets[] = {
#include ROWS
    0};
#undef OBK_PART
#define OBK_PART(line, place, loop) OBK_UNLESS_LOOP(line)(#line "\0")
static const char names[] =
#include ROWS
    "";

const obk_left_out OBK_CAT(obk_left_out_, MEMBER) = {sizeof offsets / sizeof *offsets - 1, offsets, names};
