/* Words and numbers in the text of a body. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "ops/body/read.h"

ob_status ob__body_wrong(const ob_body_reader *r, const char *what) {
    return ob__fail(r->writer.error, OB_E_INTERNAL, "the body of %s, byte %zu: %s", r->body->name,
                    (size_t)(r->at - r->body->text), what);
}

void ob__body_skip_space(ob_body_reader *r) {
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t') r->at++;
}

bool ob__body_next_is(ob_body_reader *r, const char *symbol) {
    ob__body_skip_space(r);
    return strncmp(r->at, symbol, strlen(symbol)) == 0;
}

bool ob__body_take(ob_body_reader *r, const char *symbol) {
    if (!ob__body_next_is(r, symbol)) return false;
    r->at += strlen(symbol);
    return true;
}

ob_status ob__body_expect(ob_body_reader *r, const char *symbol) {
    if (ob__body_take(r, symbol)) return OB_OK;
    char what[40];
    ob__sentence(what, sizeof what, "%s is missing", symbol);
    return ob__body_wrong(r, what);
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool ob__body_next_is_name(ob_body_reader *r) {
    ob__body_skip_space(r);
    return is_letter(*r->at);
}

ob_status ob__body_take_name(ob_body_reader *r, char name[OB_BODY_NAME + 1]) {
    if (!ob__body_next_is_name(r)) return ob__body_wrong(r, "a name is missing");
    size_t n = 0;
    while (is_letter(r->at[n]) || is_digit(r->at[n])) n++;
    if (n > OB_BODY_NAME) return ob__body_wrong(r, "a long name");
    memcpy(name, r->at, n);
    name[n] = '\0';
    r->at += n;
    return OB_OK;
}

/* Takes the word if it is next, but not as the beginning of a longer word. */
bool ob__body_take_word(ob_body_reader *r, const char *word) {
    size_t n = strlen(word);
    if (!ob__body_next_is(r, word) || is_letter(r->at[n]) || is_digit(r->at[n])) return false;
    r->at += n;
    return true;
}

ob_status ob__body_take_number(ob_body_reader *r, ob_term *out) {
    ob__body_skip_space(r);
    size_t n = 0;
    bool whole = true;
    while (is_digit(r->at[n]) || r->at[n] == '.' || r->at[n] == 'e' || (n && r->at[n - 1] == 'e' && r->at[n] == '-')) {
        whole = whole && is_digit(r->at[n]);
        n++;
    }
    bool negative;
    uint64_t bits = 0;
    double number = 0;
    if (!ob__parse_real(r->at, n, false, &number) || (whole && ob__parse_int(r->at, n, &negative, &bits) != OB_NUMBER_READ))
        return ob__body_wrong(r, "no number");
    *out = whole ? ob__whole_term((int64_t)bits) : (ob_term){.is_literal = true, .number = number};
    r->at += n;
    return OB_OK;
}

/* A text in quotes, in the model's arena. */
ob_status ob__body_take_text(ob_body_reader *r, const char **out) {
    OB_TRY(ob__body_expect(r, "\""));
    size_t n = strcspn(r->at, "\"");
    if (!r->at[n]) return ob__body_wrong(r, "a text without an end");
    *out = ob__arena_strndup(&r->writer.call->graph->model->arena, r->at, n);
    r->at += n + 1;
    return *out ? OB_OK : OB_E_MEMORY;
}
