#include "onnx_broadcast/dtype.h"

#include <string.h>

#include "core/graph/types.h"

typedef struct dtype_row {
    const char *name;
    size_t n_bytes;
} dtype_row;

static const dtype_row rows[OB_DTYPE_COUNT] = {[OB_NONE] = {"undefined", 0},
#define OB_DTYPE_ROW(name, number, bytes, text) [number] = {text, bytes},
                                               OB_DTYPE_LIST(OB_DTYPE_ROW)
#undef OB_DTYPE_ROW
};

size_t ob_dtype_size(ob_dtype dtype) {
    return (unsigned)dtype < OB_DTYPE_COUNT ? rows[dtype].n_bytes : 0;
}

const char *ob_dtype_name(ob_dtype dtype) {
    return (unsigned)dtype < OB_DTYPE_COUNT ? rows[dtype].name : "invalid";
}

ob_dtype ob_dtype_from_name(const char *name) {
    if (!name) return OB_NONE;
    for (int i = 1; i < OB_DTYPE_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0) return (ob_dtype)i;
    return OB_NONE;
}

/* Properties that the public list does not have. */
static const struct {
    int kind, file_bits;
} kinds[OB_DTYPE_COUNT] = {
#define OB_TYPE_TEMPLATE "core/graph/dtype_row.inc.h"
#include "core/graph/types.def"
};

int ob_dtype_file_bits(ob_dtype dtype) {
    return (unsigned)dtype < OB_DTYPE_COUNT ? kinds[dtype].file_bits : 0;
}

int ob__dtype_kind(ob_dtype dtype) {
    return (unsigned)dtype < OB_DTYPE_COUNT ? kinds[dtype].kind : OB_KIND_NONE;
}
