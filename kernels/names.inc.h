/* The names of a table's loops. Parameters: MEMBER, ROWS (see declare.inc.h). */
#define OBK_SLOT(place, loop)        {#loop, NULL, offsetof(struct OBK_CAT(at_, MEMBER), at place), true},
#define OBK_SHARED_SLOT(place, loop) {#loop, NULL, offsetof(struct OBK_CAT(at_, MEMBER), at place), false},
#define OBK_PART(line, place, loop)  {#loop, #line, offsetof(struct OBK_CAT(at_, MEMBER), at place), true},
#define OBK_NARROW_SLOT              OBK_SLOT
#define OBK_NARROW_PART              OBK_PART
#define OBK_FIXED_SLOT(place, loop)  {#loop, "", offsetof(struct OBK_CAT(at_, MEMBER), at place), true},
#define OBK_VALUE(place, value)
#define OBK_ALL_ROWS
static const loop_row OBK_CAT(rows_, MEMBER)[] = {
#include ROWS
};
#undef OBK_SLOT
#undef OBK_SHARED_SLOT
#undef OBK_PART
#undef OBK_NARROW_SLOT
#undef OBK_NARROW_PART
#undef OBK_FIXED_SLOT
#undef OBK_VALUE
#undef OBK_ALL_ROWS
#undef MEMBER
#undef ROWS
