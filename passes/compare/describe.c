#include "passes/compare/describe.h"

#include <string.h>

#include "core/base/sha256.h"

enum { MANY_BYTES = 256 };

void ob__describe(ob_text *text, const void *bytes, size_t n) {
    ob__text_append(text, bytes, n);
}

void ob__describe_number(ob_text *text, uint32_t number) {
    ob__text_append(text, (const char *)&number, sizeof number);
}

/* The length first, so that no end of one part is the beginning of another. */
static void describe_bytes(ob_text *text, const void *bytes, size_t n) {
    const uint64_t length = n;
    uint8_t digest[OB_SHA256_BYTES];
    ob__describe(text, &length, sizeof length);
    if (n > MANY_BYTES) {
        ob__sha256(bytes, n, digest);
        ob__describe(text, digest, sizeof digest);
    } else if (n) {
        ob__describe(text, bytes, n);
    }
}

void ob__describe_text(ob_text *text, const char *string) {
    describe_bytes(text, string, strlen(string));
}

static void describe_strings(ob_text *text, const ob_string *strings, size_t n) {
    for (size_t i = 0; i < n; i++) describe_bytes(text, strings[i].data, strings[i].n);
}

bool ob__describe_tensor(ob_text *text, const ob_tensor *tensor) {
    if (!tensor->data || tensor->is_external) return false;
    ob__describe_number(text, (uint32_t)tensor->dtype);
    ob__describe_number(text, (uint32_t)tensor->rank);
    ob__describe_number(text, tensor->is_packed);
    ob__describe(text, tensor->dims, (size_t)tensor->rank * sizeof *tensor->dims);
    const size_t n = (size_t)tensor->n_elems;
    if (tensor->dtype == OB_STRING)
        describe_strings(text, tensor->data, n);
    else if (tensor->is_packed)
        describe_bytes(text, tensor->data, (n * (size_t)ob_dtype_file_bits(tensor->dtype) + 7) / 8);
    else
        describe_bytes(text, tensor->data, n * ob_dtype_size(tensor->dtype));
    return true;
}

static bool describe_value(ob_text *text, const ob_attribute *attribute) {
    switch (attribute->type) {
    case OB_ATTR_FLOAT: ob__describe(text, &attribute->u.f, sizeof attribute->u.f); return true;
    case OB_ATTR_INT: ob__describe(text, &attribute->u.i, sizeof attribute->u.i); return true;
    case OB_ATTR_STRING: describe_strings(text, &attribute->u.s, 1); return true;
    case OB_ATTR_TENSOR: return ob__describe_tensor(text, attribute->u.tensor);
    case OB_ATTR_FLOATS: describe_bytes(text, attribute->u.floats, attribute->n * sizeof *attribute->u.floats); return true;
    case OB_ATTR_INTS: describe_bytes(text, attribute->u.ints, attribute->n * sizeof *attribute->u.ints); return true;
    case OB_ATTR_STRINGS: describe_strings(text, attribute->u.strings, attribute->n); return true;
    case OB_ATTR_TENSORS:
        for (uint32_t i = 0; i < attribute->n; i++)
            if (!ob__describe_tensor(text, attribute->u.tensors[i])) return false;
        return true;
    case OB_ATTR_GRAPH:
    case OB_ATTR_GRAPHS: return true;
    default: return false;
    }
}

bool ob__describe_attribute(ob_text *text, const ob_attribute *attribute, uint32_t attributes) {
    ob__describe_text(text, attribute->name);
    ob__describe_number(text, (uint32_t)attribute->type);
    ob__describe_number(text, attribute->n);
    ob__describe_number(text, attribute->ref != NULL);
    if (!attribute->ref) return describe_value(text, attribute);
    ob__describe_text(text, attribute->ref);
    ob__describe_number(text, attributes);
    return attribute->type != OB_ATTR_GRAPH && attribute->type != OB_ATTR_GRAPHS;
}
