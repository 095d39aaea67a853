/* StringSplit 20: splits each element at a delimiter, or without one at whitespace, which is also removed at both ends. Each
 * element gets as many parts as the element with most parts; missing parts are empty strings. Parts are bytes of the operand,
 * which are not copied.
 *
 * Whitespace is that of Unicode and of Python's str.split(), which adds U+001C to U+001F. A delimiter is searched as bytes, which
 * finds only whole characters in UTF-8. */
#include "ops/kernel/cells.h"
#include "ops/kernel/common.h"
#include "ops/text/params.h"

typedef struct state {
    ob_string delimiter;
    int64_t most;
} state;

/* The length in bytes of the whitespace character at p, 0 if there is none. */
static size_t space_at(const char *p, size_t n) {
    const unsigned char *u = (const unsigned char *)p;
    if (n >= 1 && ((u[0] >= 0x09 && u[0] <= 0x0d) || (u[0] >= 0x1c && u[0] <= 0x20))) return 1;
    if (n >= 2 && u[0] == 0xc2) return u[1] == 0x85 || u[1] == 0xa0 ? 2 : 0; /* U+0085, U+00A0 */
    if (n < 3 || u[0] < 0xe1 || u[0] > 0xe3) return 0;
    unsigned code = (u[0] & 0xfu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
    bool is_space = code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 || code == 0x202f ||
                    code == 0x205f || code == 0x3000;
    return is_space ? 3 : 0;
}

static ob_string skip(ob_string text, size_t n) {
    return (ob_string){text.data + n, text.n - n};
}

static ob_string without_spaces_before(ob_string text) {
    for (size_t n; (n = space_at(text.data, text.n)) > 0;) text = skip(text, n);
    return text;
}

static ob_string without_spaces_behind(ob_string text) {
    for (size_t n = 1; n <= 3 && n <= text.n; n++) {
        if (space_at(text.data + text.n - n, n) != n) continue;
        text.n -= n;
        n = 0;
    }
    return text;
}

/* The position of the next delimiter or whitespace; text.n if there is none. */
static size_t find_end(const state *s, ob_string text) {
    size_t at = 0, width = s->delimiter.n;
    if (width == 0) {
        while (at < text.n && space_at(text.data + at, text.n - at) == 0) at++;
        return at;
    }
    for (; text.n - at >= width; at++) {
        const char *first = memchr(text.data + at, s->delimiter.data[0], text.n - at - width + 1);
        if (!first) break;
        at = (size_t)(first - text.data);
        if (memcmp(first, s->delimiter.data, width) == 0) return at;
    }
    return text.n;
}

/* Returns the number of parts, and writes them if `parts` is given. */
static int64_t split(const state *s, ob_string text, ob_string *parts) {
    int64_t n = 0;
    bool spaces = s->delimiter.n == 0;
    if (spaces) text = without_spaces_behind(without_spaces_before(text));
    if (spaces && text.n == 0) return 0;
    for (;; n++) {
        size_t end = n < s->most ? find_end(s, text) : text.n;
        if (parts) parts[n] = (ob_string){text.data, end};
        if (end == text.n) return n + 1;
        text = skip(text, end + s->delimiter.n);
        if (spaces) text = without_spaces_before(text);
    }
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    (void)error;
    (void)args;
    state *s = args->state;
    const ob_split_params params = ob__split_params(site->node);
    s->most = params.most;
    s->delimiter.n = params.delimiter.n;
    if (params.delimiter.n == 0) return OB_OK;
    char *bytes = ob__tail(site, params.delimiter.n, 1);
    if (!bytes) return OB_E_MEMORY;
    memcpy(bytes, params.delimiter.data, params.delimiter.n);
    s->delimiter.data = bytes;
    return OB_OK;
}

static ob_status run(const ob_kernel_args *args, ob_error *error) {
    const state *s = args->state;
    const ob_string *in = args->in[0].data;
    int64_t n = ob__count(&args->in[0]), width = 0;
    ob_view shape = args->in[0];
    if (ob__wanted(args, 1)) OB_TRY(ob__set_output(args, 1, &shape, error));
    for (int64_t i = 0; i < n && !ob__stopped(args->threads); i++) {
        int64_t parts = split(s, in[i], NULL);
        if (parts > width) width = parts;
        if (ob__wanted(args, 1)) ((int64_t *)args->out[1].data)[i] = parts;
    }
    if (!ob__wanted(args, 0)) return OB_OK;
    shape.dims[shape.rank++] = width;
    OB_TRY(ob__set_output(args, 0, &shape, error));
    ob_string *out = args->out[0].data;
    for (int64_t i = 0; i < n && !ob__stopped(args->threads); i++, out += width) {
        int64_t parts = split(s, in[i], out);
        for (int64_t k = parts; k < width; k++) out[k] = (ob_string){NULL, 0};
    }
    return OB_OK;
}

const ob_kernel ob__kernel_string_split = {
    .name = "string_split", .flags = OB_KERNEL_DYNAMIC, .state_bytes = sizeof(state), .plan = plan, .run = run};
