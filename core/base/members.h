/* The members of structs, as data: so that a value can be written as C for another processor, whose compiler lays it out. Pointer
 * width, alignment and byte order of this machine do not matter then.
 *
 * A struct is described beside its definition:
 *
 *     static const ob_member span_members[] = {OB_VALUE(span, first), OB_VALUES(span, sizes), OB_FUNCTION(span, loop)};
 *     const ob_struct ob__span_struct = OB_STRUCT(span, span_members);
 *
 * Members stand in the order of their offsets. Each is described, and the test `members` finds those that are not: between two
 * members there may be only the bytes that their alignment needs. */
#ifndef OB_CORE_BASE_MEMBERS_H
#define OB_CORE_BASE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ob_member_kind {
    OB_MEMBER_SIGNED, /* n integers of `size` bytes */
    OB_MEMBER_UNSIGNED,
    OB_MEMBER_REAL,          /* n floats or doubles */
    OB_MEMBER_SIZE,          /* a size_t */
    OB_MEMBER_FUNCTION,      /* n functions that ob__emit_function names; NULL: none. `count` 0: runs do not read it */
    OB_MEMBER_STRUCT,        /* n values of type `type` */
    OB_MEMBER_POINTER,       /* to `count` constant values of type `type`; NULL: none */
    OB_MEMBER_NUMBERS,       /* to `count` constant integers or reals, as `target` and `size` say */
    OB_MEMBER_ANY_NUMBERS,   /* to `count` constant numbers of `each` bytes; 0: it cannot be written */
    OB_MEMBER_TABLE,         /* to `count` pointers, the i-th of which points to `each` numbers */
    OB_MEMBER_ELEMENT,       /* to one constant number of `count` bytes */
    OB_MEMBER_PARAMS,        /* to one constant value, whose type is the value of the next member, which is of kind TYPE */
    OB_MEMBER_TYPE,          /* a const ob_struct *; for planning only */
    OB_MEMBER_UNREAD,        /* a pointer or function that runs do not read; written as 0 */
    OB_MEMBER_UNREAD_TO_END, /* runs do not read from here on: not written */
    OB_MEMBER_NULL,          /* a pointer that cannot be written, unless it is NULL */
    OB_MEMBER_REST           /* the array at the end, of `count` values of type `type` */
} ob_member_kind;

struct ob_struct;

typedef struct ob_member {
    const char *name;
    uint8_t kind, target; /* an ob_member_kind; target: of the numbers that a pointer points to */
    uint16_t size;        /* bytes of a value, or of what a pointer to numbers points to */
    uint16_t align;
    uint32_t offset, n;
    const struct ob_struct *type;
    int64_t (*each)(const void *owner, uint32_t i);
    int64_t (*count)(const void *owner,
                     uint32_t i); /* owner: the value that has the member; i: the index in an array of pointers */
} ob_member;

typedef struct ob_struct {
    const char *name;
    uint32_t n_bytes, n_members;
    const ob_member *members;
} ob_struct;

#define OB_AT_(owner, member) (((owner *)0)->member)
/* The kind of a number at this address. A pointer or struct has none, and does not compile. */
#define OB_KIND_(at)                                                                                                             \
    _Generic((at),                                                                                                               \
        bool *: OB_MEMBER_UNSIGNED,                                                                                              \
        char *: OB_MEMBER_SIGNED,                                                                                                \
        signed char *: OB_MEMBER_SIGNED,                                                                                         \
        short *: OB_MEMBER_SIGNED,                                                                                               \
        int *: OB_MEMBER_SIGNED,                                                                                                 \
        long *: OB_MEMBER_SIGNED,                                                                                                \
        long long *: OB_MEMBER_SIGNED,                                                                                           \
        unsigned char *: OB_MEMBER_UNSIGNED,                                                                                     \
        unsigned short *: OB_MEMBER_UNSIGNED,                                                                                    \
        unsigned *: OB_MEMBER_UNSIGNED,                                                                                          \
        unsigned long *: OB_MEMBER_UNSIGNED,                                                                                     \
        unsigned long long *: OB_MEMBER_UNSIGNED,                                                                                \
        float *: OB_MEMBER_REAL,                                                                                                 \
        double *: OB_MEMBER_REAL)
#define OB_CONST_KIND_(at)                                                                                                       \
    _Generic((at),                                                                                                               \
        const bool *: OB_MEMBER_UNSIGNED,                                                                                        \
        const signed char *: OB_MEMBER_SIGNED,                                                                                   \
        const short *: OB_MEMBER_SIGNED,                                                                                         \
        const int *: OB_MEMBER_SIGNED,                                                                                           \
        const long *: OB_MEMBER_SIGNED,                                                                                          \
        const long long *: OB_MEMBER_SIGNED,                                                                                     \
        const unsigned char *: OB_MEMBER_UNSIGNED,                                                                               \
        const unsigned short *: OB_MEMBER_UNSIGNED,                                                                              \
        const unsigned *: OB_MEMBER_UNSIGNED,                                                                                    \
        const unsigned long *: OB_MEMBER_UNSIGNED,                                                                               \
        const unsigned long long *: OB_MEMBER_UNSIGNED,                                                                          \
        const float *: OB_MEMBER_REAL,                                                                                           \
        const double *: OB_MEMBER_REAL)
/* Does not compile for a pointer in place of an array. */
#define OB_IS_ARRAY_(owner, member)                                                                                              \
    sizeof(struct {                                                                                                              \
        int not_an_array                                                                                                         \
            : __builtin_types_compatible_p(__typeof__(OB_AT_(owner, member)), __typeof__(&OB_AT_(owner, member)[0]))             \
              ? -1                                                                                                               \
              : 1;                                                                                                               \
    })
#define OB_MEMBER_(owner, member_)                                                                                               \
    .name = #member_, .align = _Alignof(__typeof__(OB_AT_(owner, member_))), .offset = offsetof(owner, member_)

/* An integer (not a size_t), bool, enumeration, float or double. */
#define OB_VALUE(owner, member)                                                                                                  \
    { OB_MEMBER_(owner, member), .kind = OB_KIND_(&OB_AT_(owner, member)), .size = sizeof OB_AT_(owner, member), .n = 1 }
/* An array of them. */
#define OB_VALUES(owner, member)                                                                                                 \
    {                                                                                                                            \
        OB_MEMBER_(owner, member),                                                                                               \
            .kind = OB_KIND_(&OB_AT_(owner, member)[0]), .size = sizeof OB_AT_(owner, member)[0],                                \
            .n = sizeof OB_AT_(owner, member) / sizeof OB_AT_(owner, member)[0] + 0 * OB_IS_ARRAY_(owner, member)                \
    }
#define OB_SIZE(owner, member)                                                                                                   \
    { OB_MEMBER_(owner, member), .kind = OB_MEMBER_SIZE, .size = sizeof OB_AT_(owner, member), .n = 1 }
#define OB_FUNCTION(owner, member)                                                                                               \
    { OB_MEMBER_(owner, member), .kind = OB_MEMBER_FUNCTION, .size = sizeof OB_AT_(owner, member), .n = 1 }
/* One that runs read only if is_read_ is not 0 for its owner: else it is written as 0, and what it names is not linked. */
#define OB_FUNCTION_IF(owner, member, is_read_)                                                                                  \
    { OB_MEMBER_(owner, member), .kind = OB_MEMBER_FUNCTION, .size = sizeof OB_AT_(owner, member), .n = 1, .count = (is_read_) }
#define OB_NESTED(owner, member, type_)                                                                                          \
    { OB_MEMBER_(owner, member), .kind = OB_MEMBER_STRUCT, .size = sizeof OB_AT_(owner, member), .n = 1, .type = (type_) }
#define OB_NESTED_ARRAY(owner, member, type_)                                                                                    \
    {                                                                                                                            \
        OB_MEMBER_(owner, member), .kind = OB_MEMBER_STRUCT, .size = sizeof OB_AT_(owner, member)[0],                            \
                                   .n = sizeof OB_AT_(owner, member) / sizeof OB_AT_(owner, member)[0], .type = (type_)          \
    }
/* count_ NULL: one value. */
#define OB_POINTER(owner, member, type_, count_)                                                                                 \
    {                                                                                                                            \
        OB_MEMBER_(owner, member), .kind = OB_MEMBER_POINTER, .size = sizeof OB_AT_(owner, member), .n = 1, .type = (type_),     \
                                   .count = (count_)                                                                             \
    }
#define OB_NUMBERS(owner, member, count_)                                                                                        \
    {                                                                                                                            \
        OB_MEMBER_(owner, member), .kind = OB_MEMBER_NUMBERS, .size = sizeof *OB_AT_(owner, member), .n = 1,                     \
                                   .target = OB_CONST_KIND_((const __typeof__(*OB_AT_(owner, member)) *)0), .count = (count_)    \
    }
/* The function `name` for a count: a member of the owner. */
#define OB_COUNT(name, owner_, member)                                                                                           \
    static int64_t name(const void *owner, uint32_t i) {                                                                         \
        (void)i;                                                                                                                 \
        return (int64_t)((const owner_ *)owner)->member;                                                                         \
    }
/* For a pointer to void: width_ tells the bytes of a number, which are 1, 2, 4 or 8; 0: these are no numbers. */
#define OB_ANY_NUMBERS(owner, member, count_, width_)                                                                            \
    {                                                                                                                            \
        OB_MEMBER_(owner, member), .kind = OB_MEMBER_ANY_NUMBERS, .size = sizeof OB_AT_(owner, member), .n = 1,                  \
                                   .count = (count_), .each = (width_)                                                           \
    }
#define OB_TABLE(owner, member, count_, each_)                                                                                   \
    {                                                                                                                            \
        OB_MEMBER_(owner, member), .kind = OB_MEMBER_TABLE, .size = sizeof **OB_AT_(owner, member), .n = 1,                      \
                                   .target = OB_CONST_KIND_((const __typeof__(**OB_AT_(owner, member)) *)0), .count = (count_),  \
                                   .each = (each_)                                                                               \
    }
/* A pointer to one number of width_ bytes; a complex one is two, and no OB_ELEMENT. */
#define OB_ELEMENT(owner, member, width_)                                                                                        \
    { OB_MEMBER_(owner, member), .kind = OB_MEMBER_ELEMENT, .size = sizeof OB_AT_(owner, member), .n = 1, .count = (width_) }
#define OB_ELEMENTS(owner, member, width_)                                                                                       \
    {                                                                                                                            \
        OB_MEMBER_(owner, member), .kind = OB_MEMBER_ELEMENT, .size = sizeof OB_AT_(owner, member)[0],                           \
                                   .n = sizeof OB_AT_(owner, member) / sizeof OB_AT_(owner, member)[0], .count = (width_)        \
    }
/* Followed by OB_TYPE. */
#define OB_PARAMS(owner, member)                                                                                                 \
    { OB_MEMBER_(owner, member), .kind = OB_MEMBER_PARAMS, .size = sizeof OB_AT_(owner, member), .n = 1 }
#define OB_TYPE(owner, member)                                                                                                   \
    { OB_MEMBER_(owner, member), .kind = OB_MEMBER_TYPE, .size = sizeof OB_AT_(owner, member), .n = 1 }
#define OB_UNREAD(owner, member)                                                                                                 \
    { OB_MEMBER_(owner, member), .kind = OB_MEMBER_UNREAD, .size = sizeof OB_AT_(owner, member), .n = 1 }
#define OB_UNREAD_TO_END(owner, member)                                                                                          \
    { OB_MEMBER_(owner, member), .kind = OB_MEMBER_UNREAD_TO_END, .size = sizeof(owner) - offsetof(owner, member), .n = 1 }
#define OB_ONLY_NULL(owner, member)                                                                                              \
    { OB_MEMBER_(owner, member), .kind = OB_MEMBER_NULL, .size = sizeof OB_AT_(owner, member), .n = 1 }
#define OB_REST(owner, member, type_, count_)                                                                                    \
    {                                                                                                                            \
        .name = #member, .kind = OB_MEMBER_REST, .size = sizeof OB_AT_(owner, member)[0],                                        \
        .align = _Alignof(__typeof__(OB_AT_(owner, member)[0])), .offset = offsetof(owner, member), .type = (type_),             \
        .count = (count_)                                                                                                        \
    }

#define OB_STRUCT(owner, members_)                                                                                               \
    { #owner, sizeof(owner), sizeof(members_) / sizeof *(members_), members_ }

/* The first byte that no member describes; n_bytes of the struct: all are described, in order. */
size_t ob__first_undescribed(const ob_struct *type);

#endif
