/* Reads a baseline: strict JSON of one fixed form. Nothing nests at will, so nothing recurses. Time and memory are linear in the
 * bytes. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "passes/report/baseline.h"

typedef struct reader {
    const char *start, *at, *end;
    ob_baseline *baseline;
    ob_text texts[3]; /* of the current entry */
    ob_error *error;
} reader;

static ob_status wrong(const reader *r, const char *what) {
    unsigned long line = 1;
    for (const char *p = r->start; p < r->at; p++) line += *p == '\n';
    return ob__fail(r->error, OB_E_FORMAT, "not a baseline: line %lu: %s", line, what);
}

static char peek(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
    return r->at < r->end ? *r->at : '\0';
}

static bool take(reader *r, char c) {
    if (peek(r) != c || r->at == r->end) return false;
    r->at++;
    return true;
}

static ob_status expect(reader *r, char c) {
    char what[32];
    if (take(r, c)) return OB_OK;
    ob__sentence(what, sizeof what, "expected '%c'", c);
    return wrong(r, what);
}

/* ---- Texts and numbers ---- */

/* Four hexadecimal digits; -1: not these. */
static int32_t read_hex(const reader *r, const char *p) {
    int32_t value = 0;
    if (r->end - p < 4) return -1;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *digit = p[i] ? strchr(digits, p[i]) : NULL;
        if (!digit) return -1;
        value = value * 16 + (int32_t)(digit - digits < 16 ? digit - digits : digit - digits - 6);
    }
    return value;
}

/* The escape after r->at, which is a backslash. */
static ob_status read_escape(reader *r, ob_text *text) {
    static const char letters[] = "bfnrt\\/\"", meant[] = "\b\f\n\r\t\\/\"";
    const char letter = r->end - r->at > 1 ? r->at[1] : '\0';
    const char *known = letter ? strchr(letters, letter) : NULL;
    if (known) {
        ob__text_append(text, &meant[known - letters], 1);
        r->at += 2;
        return OB_OK;
    }
    int32_t c = letter == 'u' ? read_hex(r, r->at + 2) : -1, low = -1;
    if (c <= 0 || (c >= 0xdc00 && c <= 0xdfff)) return wrong(r, "a backslash that begins no permitted escape");
    r->at += 6;
    if (c >= 0xd800 && c <= 0xdbff) {
        if (r->end - r->at > 1 && r->at[0] == '\\' && r->at[1] == 'u') low = read_hex(r, r->at + 2);
        if (low < 0xdc00 || low > 0xdfff) return wrong(r, "half of a character");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        r->at += 6;
    }
    char utf8[4];
    ob__text_append(text, utf8, ob__utf8_put(utf8, (uint32_t)c));
    return OB_OK;
}

static ob_status read_text(reader *r, ob_text *text) {
    OB_TRY(expect(r, '"'));
    text->n = 0;
    while (r->at < r->end && *r->at != '"') {
        const unsigned char c = (unsigned char)*r->at;
        if (c < 0x20) return wrong(r, "a control character in a text");
        if (c == '\\') {
            OB_TRY(read_escape(r, text));
        } else {
            char next[5] = "";
            memcpy(next, r->at, r->end - r->at < 4 ? (size_t)(r->end - r->at) : 4);
            size_t n = ob__utf8_length((const unsigned char *)next);
            if (n == 0) return wrong(r, "a text that is not UTF-8");
            ob__text_append(text, next, n);
            r->at += n;
        }
        OB_FAIL_IF(text->n > OB_BASELINE_TEXT, r->error, OB_E_LIMIT, "a text of the baseline has more than %d bytes",
                   OB_BASELINE_TEXT);
    }
    ob__text_append(text, "", 0);
    OB_FAIL_IF(text->failed, r->error, OB_E_MEMORY, "out of memory");
    if (r->at == r->end) return wrong(r, "a text that does not end");
    r->at++;
    return OB_OK;
}

static ob_status read_count(reader *r, uint32_t *out) {
    uint64_t n = 0;
    const char first = peek(r);
    if (first < '1' || first > '9') return wrong(r, "expected a number from 1");
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        n = n * 10 + (uint64_t)(*r->at++ - '0');
        if (n > UINT32_MAX) return wrong(r, "a number beyond 2^32 - 1");
    }
    *out = (uint32_t)n;
    return OB_OK;
}

/* "name": in its fixed place. */
static ob_status expect_member(reader *r, const char *name) {
    char what[64];
    const size_t n = strlen(name);
    ob__sentence(what, sizeof what, "expected \"%s\"", name);
    if (peek(r) != '"' || (size_t)(r->end - r->at) < n + 2 || memcmp(r->at + 1, name, n) != 0 || r->at[n + 1] != '"')
        return wrong(r, what);
    r->at += n + 2;
    return expect(r, ':');
}

static ob_status next_member(reader *r, const char *name) {
    OB_TRY(expect(r, ','));
    return expect_member(r, name);
}

/* ---- The file ---- */

static bool is_id(const ob_text *text) {
    if (text->n != 6 || memcmp(text->data, "OB", 2) != 0) return false;
    return strspn(text->data + 2, "0123456789") == 4;
}

static ob_status read_entry(reader *r, ob_baseline_model *model) {
    ob_baseline_entry entry = {.n = 0};
    OB_TRY(expect(r, '{'));
    OB_TRY(expect_member(r, "id"));
    OB_TRY(read_text(r, &r->texts[0]));
    if (!is_id(&r->texts[0])) return wrong(r, "an id that is not of the form OB0101");
    memcpy(entry.id, r->texts[0].data, r->texts[0].n);
    OB_TRY(next_member(r, "node"));
    OB_TRY(read_text(r, &r->texts[1]));
    OB_TRY(next_member(r, "operator"));
    OB_TRY(read_text(r, &r->texts[2]));
    OB_TRY(next_member(r, "fingerprint"));
    OB_TRY(read_text(r, &r->texts[0]));
    if (r->texts[0].n != OB_FINGERPRINT_BYTES - 1 || strspn(r->texts[0].data, "0123456789abcdef") != OB_FINGERPRINT_BYTES - 1)
        return wrong(r, "a fingerprint that is not 32 hexadecimal digits");
    memcpy(entry.fingerprint, r->texts[0].data, OB_FINGERPRINT_BYTES);
    OB_TRY(next_member(r, "n"));
    OB_TRY(read_count(r, &entry.n));
    OB_TRY(expect(r, '}'));
    entry.node = r->texts[1].n ? r->texts[1].data : "";
    entry.op_type = r->texts[2].n ? r->texts[2].data : "";
    ob_status status = ob__baseline_entry(r->baseline, model, &entry);
    OB_FAIL_IF(status == OB_E_LIMIT, r->error, status, "the baseline has more than %d entries", OB_BASELINE_ENTRIES);
    return status;
}

static ob_status read_model(reader *r) {
    ob_baseline_model *model;
    OB_TRY(expect(r, '{'));
    OB_TRY(expect_member(r, "model"));
    OB_TRY(read_text(r, &r->texts[0]));
    OB_TRY(ob__baseline_model(r->baseline, r->texts[0].n ? r->texts[0].data : "", r->texts[0].n, &model));
    OB_TRY(next_member(r, "findings"));
    OB_TRY(expect(r, '['));
    if (take(r, ']')) return expect(r, '}');
    do OB_TRY(read_entry(r, model));
    while (take(r, ','));
    OB_TRY(expect(r, ']'));
    return expect(r, '}');
}

static ob_status read_file(reader *r) {
    uint32_t version;
    OB_TRY(expect(r, '{'));
    OB_TRY(expect_member(r, "onnx_broadcast_baseline"));
    OB_TRY(read_count(r, &version));
    OB_FAIL_IF(version != OB_BASELINE_VERSION, r->error, OB_E_FORMAT,
               "the baseline has version %u, this release reads version %d: write it again", (unsigned)version,
               OB_BASELINE_VERSION);
    OB_TRY(next_member(r, "models"));
    OB_TRY(expect(r, '['));
    if (!take(r, ']')) {
        do OB_TRY(read_model(r));
        while (take(r, ','));
        OB_TRY(expect(r, ']'));
    }
    OB_TRY(expect(r, '}'));
    return peek(r) || r->at < r->end ? wrong(r, "something after the end") : OB_OK;
}

ob_status ob_baseline_read(const void *bytes, size_t n_bytes, const ob_allocator *allocator, ob_baseline **out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!out || (n_bytes && !bytes), error, OB_E_ARGUMENT, "ob_baseline_read: baseline and bytes must not be NULL");
    const char *start = n_bytes ? bytes : "";
    reader r = {.start = start, .at = start, .end = start + n_bytes, .error = error};
    ob_status status = ob_baseline_create(allocator, &r.baseline);
    if (status != OB_OK) return ob__described(error, status, "");
    for (size_t i = 0; i < sizeof r.texts / sizeof *r.texts; i++) ob__text_init(&r.texts[i], &r.baseline->arena.allocator);
    status = read_file(&r);
    for (size_t i = 0; i < sizeof r.texts / sizeof *r.texts; i++) ob__text_release(&r.texts[i]);
    if (status != OB_OK) {
        ob_baseline_close(&r.baseline);
        return ob__described(error, status, "");
    }
    *out = r.baseline;
    return OB_OK;
}
