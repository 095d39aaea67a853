#include "ops/product/params.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/table/attributes.h"

static int letter_label(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    return -1;
}

int ob__einsum_label(const ob_einsum_term *term, size_t *at) {
    while (*at < term->n_bytes && term->text[*at] == ' ') ++*at;
    if (*at >= term->n_bytes) return -1;
    bool ellipsis = term->text[*at] == '.';
    int label = ellipsis ? OB_EINSUM_ELLIPSIS : letter_label(term->text[*at]);
    *at += ellipsis ? 3 : 1;
    return label;
}

/* Reads up to a comma, the arrow or the end. False: there is an invalid character. */
static bool scan_term(const char *text, ob_einsum_term *term) {
    *term = (ob_einsum_term){.text = text};
    size_t i = 0;
    for (; text[i] && text[i] != ',' && text[i] != '-'; i++) {
        if (text[i] == ' ') continue;
        if (strncmp(text + i, "...", 3) == 0) {
            if (term->has_ellipsis) return false;
            term->has_ellipsis = true;
            i += 2;
        } else if (letter_label(text[i]) >= 0)
            term->n_letters++;
        else
            return false;
    }
    term->n_bytes = i;
    return true;
}

ob_einsum_term ob__einsum_term(const ob_einsum_params *params, const char **at) {
    ob_einsum_term term;
    scan_term(*at ? *at : params->equation, &term);
    *at = term.text + term.n_bytes + (term.text[term.n_bytes] == ',');
    return term;
}

/* The result without an arrow: the ellipsis, then the letters that occur once, in alphabetical order. */
static void make_implicit(ob_einsum_params *params, const int *counts, bool has_ellipsis) {
    char *end = params->implicit;
    if (has_ellipsis) end = (char *)memcpy(end, "...", 3) + 3;
    for (int letter = 0; letter < OB_EINSUM_LETTERS; letter++)
        if (counts[letter] == 1) *end++ = (char)(letter < 26 ? 'A' + letter : 'a' + letter - 26);
    *end = '\0';
}

static ob_status check_result(const ob_einsum_term *result, const int *counts, ob_error *error) {
    bool named[OB_EINSUM_LETTERS] = {false};
    size_t at = 0;
    for (int label; (label = ob__einsum_label(result, &at)) >= 0;) {
        if (label == OB_EINSUM_ELLIPSIS) continue;
        OB_FAIL_IF(counts[label] == 0, error, OB_E_ARGUMENT, "the result of the equation names an axis that no operand has");
        OB_FAIL_IF(named[label], error, OB_E_ARGUMENT, "the result of the equation names an axis twice");
        named[label] = true;
    }
    return OB_OK;
}

ob_status ob__read_einsum(const ob_node *node, ob_einsum_params *params, ob_error *error) {
    *params = (ob_einsum_params){.equation = ob__attribute_text(node, "equation"), .n_operands = node->n_inputs};
    const char *at = params->equation;
    int counts[OB_EINSUM_LETTERS] = {0};
    bool has_ellipsis = false;
    for (uint32_t i = 0; i < params->n_operands; i++) {
        ob_einsum_term term;
        bool last = i + 1 == params->n_operands, good = scan_term(at, &term);
        OB_FAIL_IF(!good || (at[term.n_bytes] == ',') == last, error, OB_E_ARGUMENT,
                   "the equation does not name one term for each of %u operands", params->n_operands);
        size_t byte = 0;
        for (int label; (label = ob__einsum_label(&term, &byte)) >= 0;)
            if (label < OB_EINSUM_LETTERS) counts[label]++;
        has_ellipsis = has_ellipsis || term.has_ellipsis;
        at += term.n_bytes + !last;
    }
    if (*at == '\0') make_implicit(params, counts, has_ellipsis);
    bool arrow = at[0] == '-' && at[1] == '>';
    const char *text = arrow ? at + 2 : params->implicit;
    bool good = (arrow || *at == '\0') && scan_term(text, &params->result) && text[params->result.n_bytes] == '\0';
    OB_FAIL_IF(!good, error, OB_E_ARGUMENT, "the equation is malformed");
    return check_result(&params->result, counts, error);
}
