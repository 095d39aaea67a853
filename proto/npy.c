/* NumPy's .npy files. Source: numpy/lib/format.py, "Format Version 1.0" to "3.0". */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/base/text.h"
#include "core/graph/tensor_data.h"
#include "proto/file.h"
#include "proto/proto.h"
#include "proto/tensor_file.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { HOST_ORDER = '<' };
#else
enum { HOST_ORDER = '>' };
#endif

/* One row per element type that both sides have: NumPy's kind and bytes. */
static const struct {
    char kind;
    size_t n_bytes;
    ob_dtype dtype;
} types[] = {
    {'b', 1, OB_BOOL},  {'i', 1, OB_INT8},   {'i', 2, OB_INT16},     {'i', 4, OB_INT32},       {'i', 8, OB_INT64},
    {'u', 1, OB_UINT8}, {'u', 2, OB_UINT16}, {'u', 4, OB_UINT32},    {'u', 8, OB_UINT64},      {'f', 2, OB_FLOAT16},
    {'f', 4, OB_FLOAT}, {'f', 8, OB_DOUBLE}, {'c', 8, OB_COMPLEX64}, {'c', 16, OB_COMPLEX128},
};
enum { N_TYPES = sizeof types / sizeof types[0] };

typedef struct npy_header {
    char order, kind;
    size_t n_units; /* the number after the kind: bytes, or characters of U */
    bool fortran;
    int32_t rank;
    int64_t dims[OB_MAX_RANK];
    bool has_descr, has_order, has_shape;
} npy_header;

/* ---- The header: a Python dictionary ---- */

typedef struct npy_text {
    const char *p, *end, *path;
    ob_error *error;
} npy_text;

static ob_status malformed(const npy_text *text, const char *what) {
    return ob__fail(text->error, OB_E_FORMAT, "\"%s\": malformed .npy header: %s", text->path, what);
}

static void skip_spaces(npy_text *text) {
    while (text->p < text->end && isspace((unsigned char)*text->p)) text->p++;
}

static bool take(npy_text *text, char c) {
    skip_spaces(text);
    if (text->p == text->end || *text->p != c) return false;
    text->p++;
    return true;
}

static bool take_word(npy_text *text, const char *word) {
    skip_spaces(text);
    size_t n = strlen(word);
    if ((size_t)(text->end - text->p) < n || memcmp(text->p, word, n) != 0) return false;
    text->p += n;
    return true;
}

static bool take_string(npy_text *text, const char **start, size_t *n) {
    skip_spaces(text);
    if (text->p == text->end || (*text->p != '\'' && *text->p != '"')) return false;
    char quote = *text->p++;
    *start = text->p;
    while (text->p < text->end && *text->p != quote) text->p++;
    if (text->p == text->end) return false;
    *n = (size_t)(text->p++ - *start);
    return true;
}

static bool take_number(npy_text *text, int64_t *out) {
    skip_spaces(text);
    const char *start = text->p;
    int64_t number = 0;
    for (; text->p < text->end && isdigit((unsigned char)*text->p); text->p++)
        if (ob__mul_overflows(number, 10, &number) || ob__add_overflows(number, *text->p - '0', &number)) return false;
    *out = number;
    return text->p > start;
}

static ob_status read_descr(npy_text *text, npy_header *header) {
    const char *start;
    size_t n;
    if (!take_string(text, &start, &n))
        return ob__fail(text->error, OB_E_UNSUPPORTED, "\"%s\": structured .npy types are not supported", text->path);
    npy_text number = {start, start + n, text->path, text->error};
    int64_t units;
    if (n < 2) return malformed(text, "descr is too short");
    header->order = strchr("<>|=", start[0]) ? start[0] : '=';
    if (header->order == '=') header->order = HOST_ORDER;
    number.p += strchr("<>|=", start[0]) ? 1 : 0;
    header->kind = *number.p++;
    if (header->kind == '?')
        header->kind = 'b', units = 1;
    else if (!take_number(&number, &units) || number.p != number.end)
        return ob__fail(text->error, OB_E_UNSUPPORTED, "\"%s\": .npy element type \"%.*s\" is not supported", text->path, (int)n,
                        start);
    header->n_units = (size_t)units;
    return OB_OK;
}

static ob_status read_shape(npy_text *text, npy_header *header) {
    if (!take(text, '(')) return malformed(text, "shape is not a tuple");
    while (!take(text, ')')) {
        if (header->rank == OB_MAX_RANK)
            return ob__fail(text->error, OB_E_LIMIT, "\"%s\": the rank is over %d", text->path, OB_MAX_RANK);
        if (!take_number(text, &header->dims[header->rank++])) return malformed(text, "shape holds no size");
        if (!take(text, ',') && (skip_spaces(text), text->p == text->end || *text->p != ')'))
            return malformed(text, "shape does not end");
    }
    return OB_OK;
}

static ob_status read_entry(npy_text *text, npy_header *header) {
    const char *key;
    size_t n;
    if (!take_string(text, &key, &n) || !take(text, ':')) return malformed(text, "no key");
    if (n == 5 && memcmp(key, "descr", n) == 0) {
        header->has_descr = true;
        return read_descr(text, header);
    }
    if (n == 13 && memcmp(key, "fortran_order", n) == 0) {
        header->has_order = true;
        header->fortran = take_word(text, "True");
        return header->fortran || take_word(text, "False") ? OB_OK : malformed(text, "fortran_order is neither True nor False");
    }
    if (n == 5 && memcmp(key, "shape", n) == 0 && !header->has_shape) {
        header->has_shape = true;
        return read_shape(text, header);
    }
    return malformed(text, "unknown or repeated key");
}

static ob_status read_header(npy_text *text, npy_header *header) {
    if (!take(text, '{')) return malformed(text, "no dictionary");
    while (!take(text, '}')) {
        OB_TRY(read_entry(text, header));
        if (!take(text, ',') && (skip_spaces(text), text->p == text->end || *text->p != '}'))
            return malformed(text, "the dictionary does not end");
    }
    if (!header->has_descr || !header->has_order || !header->has_shape) return malformed(text, "a key is missing");
    return OB_OK;
}

/* Checks the magic and finds the header's text and the data after it. */
static ob_status split(const ob_source *source, const char *path, npy_text *text, const uint8_t **data, size_t *n_data,
                       ob_error *error) {
    const uint8_t *bytes = source->bytes;
    bool is_npy = source->n_bytes >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
    if (!is_npy) OB_TRY(ob__refuse_foreign(bytes, source->n_bytes, OB_WANTED_NPY, "not a .npy file", error));
    OB_FAIL_IF(source->n_bytes < 10 || !is_npy, error, OB_E_FORMAT, "\"%s\" is not a .npy file", path);
    OB_FAIL_IF(bytes[6] < 1 || bytes[6] > 3, error, OB_E_UNSUPPORTED, "\"%s\": .npy format version %u.%u is not supported", path,
               bytes[6], bytes[7]);
    size_t n_head = bytes[6] == 1 ? 10 : 12, n_text = bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1 && source->n_bytes >= 12) n_text |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    OB_FAIL_IF(source->n_bytes < n_head || n_text > source->n_bytes - n_head, error, OB_E_FORMAT,
               "\"%s\": truncated at byte %zu: the .npy header promises %zu bytes", path, source->n_bytes, n_text);
    *text = (npy_text){(const char *)bytes + n_head, (const char *)bytes + n_head + n_text, path, error};
    *data = bytes + n_head + n_text;
    *n_data = source->n_bytes - n_head - n_text;
    return OB_OK;
}

/* ---- Elements ---- */

static ob_dtype find_dtype(const npy_header *header) {
    if (header->kind == 'U' || header->kind == 'S') return OB_STRING;
    for (int i = 0; i < N_TYPES; i++)
        if (types[i].kind == header->kind && types[i].n_bytes == header->n_units) return types[i].dtype;
    return OB_NONE;
}

static uint32_t read_character(const uint8_t *p, char order) {
    return order == '>' ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                        : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* One fixed-width string without its padding. */
static ob_status read_string(ob_arena *arena, const npy_header *header, const uint8_t *p, ob_string *out, ob_error *error) {
    size_t n = header->n_units;
    if (header->kind == 'S') {
        while (n > 0 && p[n - 1] == 0) n--;
        *out = (ob_string){ob__arena_strndup(arena, (const char *)p, n), n};
    } else {
        while (n > 0 && read_character(p + 4 * (n - 1), header->order) == 0) n--;
        char *text = ob__arena_alloc(arena, n * 4 + 1);
        size_t length = 0;
        for (size_t i = 0; i < n && text; i++) {
            uint32_t c = read_character(p + 4 * i, header->order);
            OB_FAIL_IF(c > 0x10FFFF, error, OB_E_FORMAT, "a string holds %#x, which is not a character", c);
            length += ob__utf8_put(text + length, c);
        }
        *out = (ob_string){text, length};
    }
    OB_FAIL_IF(!out->data, error, OB_E_MEMORY, "out of memory for strings");
    return OB_OK;
}

static ob_status read_strings(ob_arena *arena, const npy_header *header, const uint8_t *data, size_t n_each, int64_t n,
                              ob_string **out, ob_error *error) {
    ob_string *strings = OB_ARENA_ARRAY(arena, ob_string, (size_t)n);
    if (!strings) return ob__fail(error, OB_E_MEMORY, "out of memory for strings");
    for (int64_t i = 0; i < n; i++) OB_TRY(read_string(arena, header, data + (size_t)i * n_each, &strings[i], error));
    *out = strings;
    return OB_OK;
}

/* Column-major elements into row-major order. */
static void from_fortran(const npy_header *header, size_t n_each, const char *from, char *to, int64_t n) {
    int64_t index[OB_MAX_RANK] = {0}, strides[OB_MAX_RANK], stride = (int64_t)n_each;
    for (int32_t axis = 0; axis < header->rank; axis++) {
        strides[axis] = stride;
        stride *= header->dims[axis];
    }
    for (int64_t i = 0; i < n; i++) {
        memcpy(to + (size_t)i * n_each, from, n_each);
        for (int32_t axis = header->rank - 1; axis >= 0; axis--) {
            from += strides[axis];
            if (++index[axis] < header->dims[axis]) break;
            from -= strides[axis] * header->dims[axis];
            index[axis] = 0;
        }
    }
}

static ob_status read_elements(ob_arena *arena, const npy_header *header, ob_dtype dtype, const uint8_t *data, size_t n_each,
                               int64_t n, void **out, ob_error *error) {
    const void *elements = data;
    if (dtype == OB_STRING) {
        ob_string *strings = NULL;
        OB_TRY(read_strings(arena, header, data, n_each, n, &strings, error));
        elements = strings;
        n_each = sizeof *strings;
    }
    char *memory = ob__arena_calloc(arena, (size_t)n, n_each);
    OB_FAIL_IF(!memory, error, OB_E_MEMORY, "out of memory for %lld elements", (long long)n);
    *out = memory;
    if (n == 0) return OB_OK;
    if (header->fortran)
        from_fortran(header, n_each, elements, memory, n);
    else
        memcpy(memory, elements, (size_t)n * n_each);
    size_t unit = header->kind == 'c' ? n_each / 2 : n_each;
    if (dtype != OB_STRING && unit > 1 && header->order != '|' && header->order != HOST_ORDER)
        ob__swap_bytes(memory, (size_t)n * n_each / unit, unit);
    return OB_OK;
}

ob_status ob__tensor_from_npy(ob_file_tensor *out, const ob_source *source, const char *path, ob_error *error) {
    npy_text text = {0};
    npy_header header = {0};
    const uint8_t *data = NULL;
    size_t n_data = 0, n_each, n_expected = 0;
    OB_TRY(split(source, path, &text, &data, &n_data, error));
    OB_TRY(read_header(&text, &header));
    ob_dtype dtype = find_dtype(&header);
    OB_FAIL_IF(dtype == OB_NONE, error, OB_E_UNSUPPORTED, "\"%s\": .npy element type \"%c%zu\" is not supported", path,
               isprint((unsigned char)header.kind) ? header.kind : '?', header.n_units);
    int64_t n;
    OB_TRY(ob__count_elems(header.dims, (size_t)header.rank, path, &n, error));
    bool fits = !ob__size_mul_overflows(header.n_units, header.kind == 'U' ? 4 : 1, &n_each) &&
                !__builtin_mul_overflow(n, n_each, &n_expected);
    OB_FAIL_IF(!fits || n_expected != n_data, error, OB_E_MODEL, "\"%s\": the shape needs %zu bytes of data, the file holds %zu",
               path, fits ? n_expected : SIZE_MAX, n_data);
    OB_FAIL_IF(n_each == 0 && (uint64_t)n > n_data + 1000000, error, OB_E_LIMIT, "\"%s\": %lld strings without a character", path,
               (long long)n);
    void *elements = NULL;
    OB_TRY(read_elements(&out->owner->arena, &header, dtype, data, n_each, n, &elements, error));
    out->name = "";
    ob_status status = ob_view_init(&out->view, elements, dtype, header.rank, header.dims);
    return status == OB_OK ? OB_OK : ob__fail(error, status, "\"%s\": the tensor is too large", path);
}

ob_status ob_npy_read(const char *path, const ob_allocator *allocator, ob_file_tensor *out, ob_error *error) {
    return ob__read_tensor_file(path, allocator, ob__tensor_from_npy, out, error);
}

/* ---- Writing ---- */

typedef struct npy_content {
    ob_text header;
    const void *data;
    size_t n_bytes;
} npy_content;

/* Characters of a UTF-8 string; false: not UTF-8. `out` (may be NULL) gets them, four little-endian bytes each. */
static bool decode_utf8(const ob_string *string, uint8_t *out, size_t *n_characters) {
    *n_characters = 0;
    for (size_t i = 0; i < string->n;) {
        uint8_t lead = (uint8_t)string->data[i];
        size_t n = lead < 0x80                   ? 1
                   : lead >= 0xC2 && lead < 0xE0 ? 2
                   : lead >= 0xE0 && lead < 0xF0 ? 3
                   : lead >= 0xF0 && lead < 0xF5 ? 4
                                                 : 0;
        if (n == 0 || n > string->n - i) return false;
        uint32_t c = n == 1 ? lead : lead & (0xFFu >> (n + 1));
        for (size_t k = 1; k < n; k++) {
            uint8_t next = (uint8_t)string->data[i + k];
            if ((next & 0xC0) != 0x80) return false;
            c = c << 6 | (next & 0x3F);
        }
        i += n;
        if (out)
            for (int k = 0; k < 4; k++) out[*n_characters * 4 + (size_t)k] = (uint8_t)(c >> (8 * k));
        ++*n_characters;
    }
    return true;
}

/* Strings become U, or S if one of them is not UTF-8. */
static ob_status encode_strings(const ob_string *strings, int64_t n, char *kind, size_t *n_units, uint8_t **out, size_t *n_bytes,
                                ob_error *error) {
    size_t widest = 0, longest = 0, n_characters;
    *kind = 'U';
    for (int64_t i = 0; i < n; i++) {
        if (strings[i].n > longest) longest = strings[i].n;
        if (!decode_utf8(&strings[i], NULL, &n_characters))
            *kind = 'S';
        else if (n_characters > widest)
            widest = n_characters;
    }
    *n_units = *kind == 'U' ? widest : longest;
    if (*n_units == 0) *n_units = 1; /* NumPy reads U0 badly */
    size_t n_each = *kind == 'U' ? *n_units * 4 : *n_units;
    OB_FAIL_IF(__builtin_mul_overflow(n, n_each, n_bytes), error, OB_E_LIMIT, "the strings are too long");
    *out = calloc(*n_bytes + 1, 1);
    OB_FAIL_IF(!*out, error, OB_E_MEMORY, "out of memory for %zu bytes", *n_bytes);
    for (int64_t i = 0; i < n; i++) {
        if (*kind == 'U')
            decode_utf8(&strings[i], *out + (size_t)i * n_each, &n_characters);
        else if (strings[i].n)
            memcpy(*out + (size_t)i * n_each, strings[i].data, strings[i].n);
    }
    return OB_OK;
}

static void write_header(ob_text *header, const ob_view *view, char order, char kind, size_t n_units) {
    ob_text dictionary;
    ob__text_init(&dictionary, NULL);
    ob__text_printf(&dictionary, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (", order, kind, n_units);
    for (int32_t i = 0; i < view->rank; i++) ob__text_printf(&dictionary, "%lld, ", (long long)view->dims[i]);
    ob__text_puts(&dictionary, "), }");
    size_t n = dictionary.n + 1;
    size_t padding = (64 - (10 + n) % 64) % 64; /* the data starts at a multiple of 64 */
    n += padding;
    ob__text_init(header, NULL);
    ob__text_append(header, "\x93NUMPY\x01\x00", 8);
    ob__text_append(header, (const char[]){(char)(n & 0xFF), (char)(n >> 8)}, 2);
    ob__text_append(header, dictionary.data ? dictionary.data : "", dictionary.n);
    for (size_t i = 0; i < padding; i++) ob__text_append(header, " ", 1);
    ob__text_append(header, "\n", 1);
    header->failed |= dictionary.failed;
    ob__text_release(&dictionary);
}

static ob_status produce(void *context, ob_write_sink sink, void *sink_context, ob_error *error) {
    (void)error;
    const npy_content *content = context;
    OB_TRY(sink(sink_context, content->header.data, content->header.n));
    return sink(sink_context, content->data, content->n_bytes);
}

static ob_status write_content(const char *path, const ob_view *view, char order, char kind, size_t n_units, const void *data,
                               size_t n_bytes, ob_error *error) {
    npy_content content = {.data = data, .n_bytes = n_bytes};
    write_header(&content.header, view, order, kind, n_units);
    ob_status status = content.header.failed ? ob__fail(error, OB_E_MEMORY, "out of memory for writing \"%s\"", path)
                                             : ob_file_save(path, produce, &content, error);
    ob__text_release(&content.header);
    return status;
}

static ob_status write_strings(const char *path, const ob_view *view, const ob_string *strings, ob_error *error) {
    char kind;
    size_t n_units, n_bytes;
    uint8_t *encoded = NULL;
    OB_TRY(encode_strings(strings, ob_view_count(view), &kind, &n_units, &encoded, &n_bytes, error));
    ob_status status = write_content(path, view, kind == 'U' ? '<' : '|', kind, n_units, encoded, n_bytes, error);
    free(encoded);
    return status;
}

ob_status ob_npy_write(const char *path, const ob_view *view, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!path, error, OB_E_ARGUMENT, "path must not be NULL");
    OB_TRY(ob__check_view(view, error));
    int row = 0;
    while (row < N_TYPES && types[row].dtype != view->dtype) row++;
    OB_FAIL_IF(row == N_TYPES && view->dtype != OB_STRING, error, OB_E_UNSUPPORTED, "\"%s\": .npy files cannot hold %s", path,
               ob_dtype_name(view->dtype));
    const void *elements;
    void *owned;
    size_t n_bytes;
    OB_TRY(ob__gather(view, &elements, &owned, &n_bytes, error));
    ob_status status = view->dtype == OB_STRING ? write_strings(path, view, elements, error)
                                                : write_content(path, view, types[row].n_bytes == 1 ? '|' : HOST_ORDER,
                                                                types[row].kind, types[row].n_bytes, elements, n_bytes, error);
    free(owned);
    return status;
}
