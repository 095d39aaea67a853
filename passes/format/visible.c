/* Names of strangers in texts for people. */
#include "passes/format/writer.h"

/* Bidirectional controls, zero-width characters, line and paragraph separators, the byte order mark, and C1 controls. */
static bool is_deceptive(uint32_t c) {
    return (c >= 0x80 && c < 0xA0) || c == 0xAD || c == 0x61C || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE0FFF);
}

static uint32_t code_point(const unsigned char *at, size_t n) {
    static const unsigned char first_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t c = at[0] & first_bits[n];
    for (size_t i = 1; i < n; i++) c = c << 6 | (at[i] & 0x3F);
    return c;
}

void ob__visible(ob_text *out, const char *text) {
    const unsigned char *run = (const unsigned char *)text, *at = run;
    while (*at) {
        const size_t n = ob__utf8_length(at);
        const uint32_t c = n ? code_point(at, n) : 0;
        if (n == 0 || c < ' ' || c == 127 || (n > 1 && is_deceptive(c))) {
            ob__text_append(out, (const char *)run, (size_t)(at - run));
            ob__text_printf(out, n > 1 ? "\\u{%x}" : "\\x%02x", n > 1 ? (unsigned)c : (unsigned)*at);
            run = at + (n ? n : 1);
        }
        at += n ? n : 1;
    }
    ob__text_append(out, (const char *)run, (size_t)(at - run));
}

void ob__visible_message(ob_text *out, const ob_finding_info *finding) {
    if (finding->node[0]) {
        ob__text_puts(out, "\"");
        ob__visible(out, finding->path);
        ob__visible(out, finding->node);
        ob__text_puts(out, "\" (");
        ob__visible(out, finding->op_type);
        ob__text_puts(out, "): ");
    }
    ob__visible(out, finding->message);
}
