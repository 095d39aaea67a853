/* Tensors in JSON: nested arrays, or an object with a shape and elements. The whole file is checked when it is opened; a member
 * is read later, once for its shape and once for its elements. Source: RFC 8259; NaN and infinities as Python writes them. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/base/text.h"
#include "core/graph/half.h"
#include "core/graph/tensor_data.h"
#include "onnx_broadcast/dtype.h"
#include "proto/plain_numbers.h"
#include "proto/tensor_set.h"

enum { MAX_DEPTH = 64, MAX_NUMBER = 400 /* characters; the longest double of use has fewer */ };

typedef struct json {
    const char *start, *p, *end, *path;
    ob_error *error;
} json;

static ob_status malformed(const json *j, const char *what) {
    return ob__fail(j->error, OB_E_FORMAT, "\"%s\": not JSON at byte %zu: %s", j->path, (size_t)(j->p - j->start), what);
}

static char peek(json *j) {
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\t' || *j->p == '\n' || *j->p == '\r')) j->p++;
    return j->p < j->end ? *j->p : '\0';
}

static bool take(json *j, char c) {
    if (peek(j) != c || j->p == j->end) return false;
    j->p++;
    return true;
}

static bool take_word(json *j, const char *word) {
    const size_t n = strlen(word);
    peek(j);
    if ((size_t)(j->end - j->p) < n || memcmp(j->p, word, n) != 0) return false;
    j->p += n;
    return true;
}

/* ---- Strings ---- */

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The four digits at p; -1: they are none. */
static int32_t hex4(const json *j, const char *p) {
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const int digit = j->end - p > i ? hex_digit(p[i]) : -1;
        if (digit < 0) return -1;
        value = value << 4 | digit;
    }
    return value;
}

/* The character after a backslash; j->p is behind it afterwards. */
static ob_status read_escape(json *j, uint32_t *out) {
    static const char letters[] = "bfnrt\\/\"", meant[] = "\b\f\n\r\t\\/\"";
    const char c = j->p < j->end ? *j->p : '\0';
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter) {
        j->p++;
        *out = (unsigned char)meant[letter - letters];
        return OB_OK;
    }
    int32_t code = c == 'u' ? hex4(j, j->p + 1) : -1;
    if (code < 0 || (code >= 0xDC00 && code <= 0xDFFF)) return malformed(j, "an unknown escape in a string");
    j->p += 5;
    if (code >= 0xD800 && code <= 0xDBFF) {
        const bool second = j->end - j->p >= 6 && j->p[0] == '\\' && j->p[1] == 'u';
        const int32_t low = second ? hex4(j, j->p + 2) : -1;
        if (low < 0xDC00 || low > 0xDFFF) return malformed(j, "half a character in a string");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        j->p += 6;
    }
    *out = (uint32_t)code;
    return OB_OK;
}

/* The text of a string into `out`, which has room for all bytes of its source, or NULL. */
static ob_status read_string(json *j, char *out, size_t *n_out) {
    size_t n = 0;
    char ignored[4];
    if (!take(j, '"')) return malformed(j, "a string is expected");
    for (;;) {
        if (j->p == j->end || (unsigned char)*j->p < ' ') return malformed(j, "a string does not end");
        const char c = *j->p++;
        if (c == '"') break;
        if (c == '\\') {
            uint32_t code = 0;
            OB_TRY(read_escape(j, &code));
            n += ob__utf8_put(out ? out + n : ignored, code);
        } else {
            if (out) out[n] = c;
            n++;
        }
    }
    *n_out = n;
    return OB_OK;
}

/* The next string as text of the arena. */
static ob_status string_in(json *j, ob_arena *arena, ob_string *out) {
    const char *start = (peek(j), j->p);
    size_t n = 0;
    OB_TRY(read_string(j, NULL, &n));
    char *text = ob__arena_alloc(arena, n + 1);
    OB_FAIL_IF(!text, j->error, OB_E_MEMORY, "out of memory for \"%s\"", j->path);
    j->p = start;
    OB_TRY(read_string(j, text, &n));
    text[n] = '\0';
    *out = (ob_string){text, n};
    return OB_OK;
}

/* ---- Values ---- */

/* The length of a number or of one of the words that stand for one; 0: neither. */
static size_t number_length(const json *j) {
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    const size_t left = (size_t)(j->end - j->p);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (left >= strlen(words[i]) && memcmp(j->p, words[i], strlen(words[i])) == 0) return strlen(words[i]);
    size_t n = left && *j->p == '-', digits = n;
    while (n < left && j->p[n] >= '0' && j->p[n] <= '9') n++;
    if (n == digits || (j->p[digits] == '0' && n > digits + 1)) return 0;
    if (n < left && j->p[n] == '.') {
        digits = ++n;
        while (n < left && j->p[n] >= '0' && j->p[n] <= '9') n++;
        if (n == digits) return 0;
    }
    if (n < left && (j->p[n] == 'e' || j->p[n] == 'E')) {
        n++;
        if (n < left && (j->p[n] == '+' || j->p[n] == '-')) n++;
        digits = n;
        while (n < left && j->p[n] >= '0' && j->p[n] <= '9') n++;
        if (n == digits) return 0;
    }
    return n;
}

static ob_status skip_value(json *j, int depth);

static ob_status skip_members(json *j, char close, int depth) {
    if (take(j, close)) return OB_OK;
    do {
        size_t n;
        if (close == '}') {
            OB_TRY(read_string(j, NULL, &n));
            if (!take(j, ':')) return malformed(j, "a colon is expected");
        }
        OB_TRY(skip_value(j, depth));
    } while (take(j, ','));
    return take(j, close) ? OB_OK : malformed(j, "a comma or an end is expected");
}

/* Recursion ends at MAX_DEPTH. */
static ob_status skip_value(json *j, int depth) {
    size_t n;
    OB_FAIL_IF(depth == MAX_DEPTH, j->error, OB_E_LIMIT, "\"%s\" is nested deeper than %d", j->path, MAX_DEPTH);
    switch (peek(j)) {
    case '[': j->p++; return skip_members(j, ']', depth + 1);
    case '{': j->p++; return skip_members(j, '}', depth + 1);
    case '"': return read_string(j, NULL, &n);
    default:
        if (take_word(j, "true") || take_word(j, "false") || take_word(j, "null")) return OB_OK;
        n = number_length(j);
        if (n == 0) return malformed(j, "a value is expected");
        j->p += n;
        return OB_OK;
    }
}

/* An object that is one tensor has "data"; every other is a set of tensors. */
static ob_status list_object(ob_tensor_set *set, json *j) {
    j->p++;
    if (take(j, '}')) return OB_OK;
    do {
        ob_string name;
        OB_TRY(string_in(j, &set->arena, &name));
        OB_FAIL_IF(memchr(name.data, '\0', name.n), j->error, OB_E_FORMAT, "\"%s\": a name holds a NUL", j->path);
        if (!take(j, ':')) return malformed(j, "a colon is expected");
        peek(j);
        ob_set_member member = {.offset = (uint64_t)(j->p - j->start)};
        OB_TRY(skip_value(j, 1));
        member.n_packed = (uint64_t)(j->p - j->start) - member.offset;
        OB_TRY(ob__set_add(set, name.data, name.n, &member, j->error));
    } while (take(j, ','));
    return take(j, '}') ? OB_OK : malformed(j, "a comma or an end is expected");
}

static json reader(const ob_tensor_set *set, uint64_t offset, uint64_t n, ob_error *error) {
    const char *start = set->source.bytes;
    return (json){.start = start, .p = start + offset, .end = start + offset + n, .path = set->path, .error = error};
}

ob_status ob__json_list(ob_tensor_set *set, ob_error *error) {
    json j = reader(set, 0, set->source.n_bytes, error);
    const char first = peek(&j);
    OB_FAIL_IF(first != '{' && first != '[', error, OB_E_FORMAT, "\"%s\" is neither a .npz file nor JSON", set->path);
    if (first == '{') {
        OB_TRY(list_object(set, &j));
    } else {
        ob_set_member member = {.n_packed = set->source.n_bytes};
        OB_TRY(skip_value(&j, 0));
        member.n_packed = (uint64_t)(j.p - j.start);
        OB_TRY(ob__set_add(set, "", 0, &member, error));
    }
    peek(&j);
    return j.p == j.end ? OB_OK : malformed(&j, "more than one value");
}

/* ---- Elements ---- */

/* Both walks: the first finds lengths and count, the second fills `elements`. */
typedef struct walk {
    json *j;
    ob_arena *arena;
    ob_dtype dtype;
    int64_t lengths[OB_MAX_RANK]; /* by depth; -1: no array seen there */
    int32_t deepest, rank;        /* rank -1: no element seen */
    int64_t n;
    void *elements; /* NULL in the first walk */
} walk;

static ob_status bad_element(const walk *w, const char *what) {
    return ob__fail(w->j->error, OB_E_MODEL, "\"%s\": %s at byte %zu, type %s", w->j->path, what, (size_t)(w->j->p - w->j->start),
                    ob_dtype_name(w->dtype));
}

static bool is_integer(ob_dtype dtype) {
    return (dtype >= OB_UINT8 && dtype <= OB_INT64) || dtype == OB_UINT32 || dtype == OB_UINT64;
}

/* Least and greatest; of uint64 the greatest is checked by strtoull. */
static void integer_range(ob_dtype dtype, int64_t *least, int64_t *most) {
    const bool is_unsigned = dtype == OB_UINT8 || dtype == OB_UINT16 || dtype == OB_UINT32 || dtype == OB_UINT64;
    const int n_bits = (int)(8 * ob_dtype_size(dtype));
    *most = n_bits == 64 ? INT64_MAX : (INT64_C(1) << (is_unsigned ? n_bits : n_bits - 1)) - 1;
    *least = is_unsigned ? 0 : -*most - 1;
}

static ob_status put_integer(walk *w, const char *text) {
    int64_t least, most;
    uint64_t bits;
    if (strpbrk(text, ".eENI")) return bad_element(w, "a number that is not an integer");
    integer_range(w->dtype, &least, &most);
    errno = 0;
    if (w->dtype == OB_UINT64 && text[0] != '-') {
        bits = strtoull(text, NULL, 10);
        if (errno) return bad_element(w, "a number out of range");
    } else {
        const int64_t value = strtoll(text, NULL, 10);
        if (errno || value < least || value > most) return bad_element(w, "a number out of range");
        bits = (uint64_t)value;
    }
    char *to = (char *)w->elements + (size_t)w->n * ob_dtype_size(w->dtype);
    switch (ob_dtype_size(w->dtype)) {
    case 1: memcpy(to, &(uint8_t){(uint8_t)bits}, 1); break;
    case 2: memcpy(to, &(uint16_t){(uint16_t)bits}, 2); break;
    case 4: memcpy(to, &(uint32_t){(uint32_t)bits}, 4); break;
    default: memcpy(to, &bits, 8);
    }
    return OB_OK;
}

static ob_status put_float(walk *w, const char *text) {
    const bool is_infinite = strstr(text, "Inf") != NULL;
    const double value = strtod(text, NULL);
    if (w->dtype == OB_DOUBLE) {
        if (isinf(value) && !is_infinite) return bad_element(w, "a number out of range");
        ((double *)w->elements)[w->n] = value;
        return OB_OK;
    }
    const float narrow = strtof(text, NULL); /* rounded once */
    float kept = narrow;
    if (w->dtype == OB_FLOAT) {
        ((float *)w->elements)[w->n] = narrow;
    } else {
        const bool half = w->dtype == OB_FLOAT16;
        const uint16_t bits = half ? ob__half_from_float(narrow) : ob__bfloat_from_float(narrow);
        kept = half ? ob__float_from_half(bits) : ob__float_from_bfloat(bits);
        ((uint16_t *)w->elements)[w->n] = bits;
    }
    return isinf(kept) && !is_infinite ? bad_element(w, "a number out of range") : OB_OK;
}

/* One element at j->p into elements[n]. */
static ob_status put_element(walk *w) {
    json *j = w->j;
    if (w->dtype == OB_STRING) {
        if (peek(j) != '"') return bad_element(w, "no string");
        return string_in(j, w->arena, (ob_string *)w->elements + w->n);
    }
    const bool is_true = take_word(j, "true");
    if (is_true || take_word(j, "false")) {
        if (w->dtype != OB_BOOL) return bad_element(w, "true or false");
        ((uint8_t *)w->elements)[w->n] = is_true;
        return OB_OK;
    }
    char text[MAX_NUMBER + 1];
    const size_t n = number_length(j);
    if (n == 0) return bad_element(w, "no number");
    if (n > MAX_NUMBER) return bad_element(w, "a number that is too long");
    memcpy(text, j->p, n);
    text[n] = '\0';
    if (w->dtype == OB_BOOL) {
        if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0) return bad_element(w, "neither true nor false");
        ((uint8_t *)w->elements)[w->n] = text[0] == '1';
    } else {
        OB_TRY(is_integer(w->dtype) ? put_integer(w, text) : put_float(w, text));
    }
    j->p += n;
    return OB_OK;
}

static ob_status walk_value(walk *w, int32_t depth);

static ob_status walk_array(walk *w, int32_t depth) {
    json *j = w->j;
    int64_t length = 0;
    OB_FAIL_IF(depth == OB_MAX_RANK, j->error, OB_E_LIMIT, "\"%s\": the rank is over %d", j->path, OB_MAX_RANK);
    if (w->deepest < depth + 1) w->deepest = depth + 1;
    j->p++;
    if (!take(j, ']')) {
        do {
            OB_TRY(walk_value(w, depth + 1));
            length++;
        } while (take(j, ','));
        take(j, ']'); /* checked when the file was opened */
    }
    if (w->lengths[depth] >= 0 && w->lengths[depth] != length)
        return bad_element(w, "an array of another length than those beside it");
    w->lengths[depth] = length;
    return OB_OK;
}

/* Recursion ends at OB_MAX_RANK. */
static ob_status walk_value(walk *w, int32_t depth) {
    if (peek(w->j) == '[') return walk_array(w, depth);
    if (w->rank >= 0 && w->rank != depth) return bad_element(w, "an element beside an array");
    w->rank = depth;
    OB_TRY(w->elements ? put_element(w) : skip_value(w->j, 0));
    w->n++;
    return OB_OK;
}

static ob_status first_walk(walk *w) {
    w->rank = -1;
    w->deepest = 0;
    w->n = 0;
    w->elements = NULL;
    for (int i = 0; i < OB_MAX_RANK; i++) w->lengths[i] = -1;
    OB_TRY(walk_value(w, 0));
    if (w->rank >= 0 && w->rank != w->deepest) return bad_element(w, "an element beside an array");
    w->rank = w->deepest;
    return OB_OK;
}

static bool is_readable(ob_dtype dtype) {
    return is_integer(dtype) || dtype == OB_BOOL || dtype == OB_STRING || dtype == OB_FLOAT16 || dtype == OB_BFLOAT16 ||
           dtype == OB_FLOAT || dtype == OB_DOUBLE;
}

/* ---- A member ---- */

/* The parts of {"shape": ..., "data": ..., "type": ...}. */
typedef struct stated {
    const char *shape, *data;
    ob_dtype dtype;
} stated;

static ob_status read_stated(json *j, ob_arena *arena, stated *out) {
    j->p++;
    bool empty = take(j, '}');
    while (!empty) {
        ob_string key, type;
        OB_TRY(string_in(j, arena, &key));
        take(j, ':');
        const char **place = strcmp(key.data, "shape") == 0 ? &out->shape : strcmp(key.data, "data") == 0 ? &out->data : NULL;
        const char *at = (peek(j), j->p);
        if (place) {
            *place = at;
            OB_TRY(skip_value(j, 0));
        } else if (strcmp(key.data, "type") == 0) {
            OB_TRY(string_in(j, arena, &type));
            out->dtype = ob_dtype_from_name(type.data);
            OB_FAIL_IF(out->dtype == OB_NONE, j->error, OB_E_MODEL, "\"%s\": type \"%.60s\" is not known", j->path, type.data);
        } else {
            return ob__fail(j->error, OB_E_MODEL, "\"%s\": a tensor has shape, data and type, not \"%.60s\"", j->path, key.data);
        }
        empty = !take(j, ',');
    }
    OB_FAIL_IF(!out->data || !out->shape, j->error, OB_E_MODEL, "\"%s\": an object that is a tensor needs shape and data",
               j->path);
    return OB_OK;
}

static ob_status read_dims(json *j, const char *at, ob_arena *arena, int32_t *rank, int64_t *dims) {
    int64_t *sizes = OB_ARENA_ARRAY(arena, int64_t, OB_MAX_RANK);
    OB_FAIL_IF(!sizes, j->error, OB_E_MEMORY, "out of memory for \"%s\"", j->path);
    walk w = {.j = j, .arena = arena, .dtype = OB_INT64};
    j->p = at;
    OB_TRY(first_walk(&w));
    OB_FAIL_IF(w.rank != 1 || w.n > OB_MAX_RANK, j->error, OB_E_MODEL, "\"%s\": a shape is an array of at most %d sizes", j->path,
               OB_MAX_RANK);
    j->p = at;
    w.n = 0;
    w.elements = sizes;
    *rank = (int32_t)w.lengths[0];
    OB_TRY(walk_value(&w, 0));
    for (int32_t i = 0; i < *rank; i++) OB_FAIL_IF(sizes[i] < 0, j->error, OB_E_MODEL, "\"%s\": a negative size", j->path);
    memcpy(dims, sizes, (size_t)*rank * sizeof *dims);
    return OB_OK;
}

static ob_status fill(json *j, ob_dtype dtype, ob_file_tensor *out) {
    ob_arena *arena = &out->owner->arena;
    stated parts = {.dtype = OB_NONE};
    int64_t dims[OB_MAX_RANK], n = 0;
    int32_t rank = 0;
    const char *at = (peek(j), j->p);
    const bool is_object = peek(j) == '{';
    if (is_object) {
        OB_TRY(read_stated(j, arena, &parts));
        OB_FAIL_IF(dtype != OB_NONE && parts.dtype != OB_NONE && dtype != parts.dtype, j->error, OB_E_UNSUPPORTED,
                   "\"%s\": the type is %s, wanted is %s", j->path, ob_dtype_name(parts.dtype), ob_dtype_name(dtype));
        if (dtype == OB_NONE) dtype = parts.dtype;
        OB_TRY(read_dims(j, parts.shape, arena, &rank, dims));
        OB_TRY(ob__count_elems(dims, (size_t)rank, j->path, &n, j->error));
        at = parts.data;
    }
    OB_FAIL_IF(dtype == OB_NONE, j->error, OB_E_UNSUPPORTED,
               "\"%s\": JSON does not tell the element type: state it, as in "
               "{\"type\": \"float\", \"shape\": [1], \"data\": [0]}",
               j->path);
    OB_FAIL_IF(!is_readable(dtype), j->error, OB_E_UNSUPPORTED, "\"%s\": elements of type %s are not read from JSON", j->path,
               ob_dtype_name(dtype));
    walk w = {.j = j, .arena = arena, .dtype = dtype};
    j->p = at;
    OB_TRY(first_walk(&w));
    OB_FAIL_IF(is_object && w.n != n, j->error, OB_E_MODEL, "\"%s\": the shape has %lld elements, data has %lld", j->path,
               (long long)n, (long long)w.n);
    if (!is_object) {
        rank = w.rank;
        for (int32_t i = 0; i < rank; i++) dims[i] = w.lengths[i] < 0 ? 0 : w.lengths[i];
    }
    void *elements = ob__arena_calloc(arena, (size_t)w.n, ob_dtype_size(dtype)); /* fewer than bytes in the file */
    OB_FAIL_IF(!elements, j->error, OB_E_MEMORY, "out of memory for \"%s\"", j->path);
    j->p = at;
    w.n = 0;
    w.elements = elements;
    OB_TRY(walk_value(&w, 0));
    out->name = "";
    return ob_view_init(&out->view, elements, dtype, rank, dims);
}

ob_status ob__json_member(const ob_tensor_set *set, const ob_set_member *member, ob_dtype dtype, const ob_allocator *allocator,
                          ob_file_tensor *out, ob_error *error) {
    ob_file_tensor tensor = {.owner = ob__file_tensor_owner(allocator)};
    OB_FAIL_IF(!tensor.owner, error, OB_E_MEMORY, "out of memory for \"%s\"", set->path);
    json j = reader(set, member->offset, member->n_packed, error);
    ob_plain_numbers plain;
    ob_status status = ob__plain_numbers_begin(&plain, error);
    if (status == OB_OK) {
        status = fill(&j, dtype, &tensor);
        ob__plain_numbers_end(&plain);
    }
    if (status == OB_OK)
        *out = tensor;
    else
        ob__file_tensor_owner_free(tensor.owner);
    return status;
}
