#include "core/base/members.h"

static size_t member_bytes(const ob_member *member) {
    switch ((ob_member_kind)member->kind) {
    case OB_MEMBER_TABLE:
    case OB_MEMBER_NUMBERS: return sizeof(void *);
    case OB_MEMBER_REST: return 0;
    default: return (size_t)member->size * member->n;
    }
}

size_t ob__first_undescribed(const ob_struct *type) {
    size_t at = 0, most = 1;
    for (uint32_t i = 0; i < type->n_members; i++) {
        const ob_member *member = &type->members[i];
        const size_t align = member->align;
        if (member->offset != (at + align - 1) / align * align) return at;
        at = member->offset + member_bytes(member);
        if (align > most) most = align;
    }
    return (at + most - 1) / most * most == type->n_bytes ? type->n_bytes : at;
}
