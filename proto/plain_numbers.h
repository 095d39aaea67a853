/* Numbers in files have a decimal point in every locale of the program. */
#ifndef OB_PROTO_PLAIN_NUMBERS_H
#define OB_PROTO_PLAIN_NUMBERS_H

#include <locale.h>

#include "core/base/error.h"

/* Affects only the calling thread. E_MEMORY. Each begin needs an end in the same thread. */
typedef struct ob_plain_numbers {
    locale_t own, callers;
} ob_plain_numbers;

static inline ob_status ob__plain_numbers_begin(ob_plain_numbers *p, ob_error *error) {
    p->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    OB_FAIL_IF(!p->own, error, OB_E_MEMORY, "out of memory");
    p->callers = uselocale(p->own);
    return OB_OK;
}

static inline void ob__plain_numbers_end(ob_plain_numbers *p) {
    uselocale(p->callers);
    freelocale(p->own);
}

#endif
