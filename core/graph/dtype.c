#include "onnx_broadcast/dtype.h"

#include <string.h>

#include "core/graph/types.h"

static const char *const names[OB_DTYPE_COUNT] = {[OB_NONE] = "undefined",
#define OB_DTYPE_ROW(name, number, bytes, text) [number] = text,
                                                  OB_DTYPE_LIST(OB_DTYPE_ROW)
#undef OB_DTYPE_ROW
};

/* Apart from the names, which runs do not need. */
static const uint8_t sizes[OB_DTYPE_COUNT] = {
#define OB_DTYPE_ROW(name, number, bytes, text) [number] = (bytes),
    OB_DTYPE_LIST(OB_DTYPE_ROW)
#undef OB_DTYPE_ROW
};

size_t ob_dtype_size(ob_dtype dtype) {
    return (unsigned)dtype < OB_DTYPE_COUNT ? sizes[dtype] : 0;
}

const char *ob_dtype_name(ob_dtype dtype) {
    return (unsigned)dtype < OB_DTYPE_COUNT ? names[dtype] : "invalid";
}

ob_dtype ob_dtype_from_name(const char *name) {
    if (!name) return OB_NONE;
    for (int i = 1; i < OB_DTYPE_COUNT; i++)
        if (strcmp(names[i], name) == 0) return (ob_dtype)i;
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
