/* Operators of com.microsoft, each with an equivalent of standard ONNX operators: a table for the test of bodies and for the test
 * with ONNX Runtime as the oracle.
 *
 * A case is a graph's text. "@T" in it stands for each of `types` in turn. */
#ifndef OB_TESTS_CONTRIB_CASE_H
#define OB_TESTS_CONTRIB_CASE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct contrib_case {
    const char *name; /* of the operator */
    const char *types;
    const char *in, *out, *nodes;
    const char *other;     /* the same in operators of ONNX */
    int steps;             /* allowed difference of a quantized element, if it depends on intermediate rounding */
    double tolerance;      /* relative and absolute tolerance of floats; 0: 4e-6 */
    bool narrow;           /* int8 of 7 bits: ONNX Runtime may add two products of 8-bit numbers in 16 bits, which saturates */
    const char *elsewhere; /* why ONNX Runtime does not run it; NULL: it does, for the first type at least */
} contrib_case;

#define EIGHT "uint8 int8"
#define QS                                                                                                                       \
    "s = Constant<value: tensor = float {0.05}>() z = Constant<value: tensor = @T {90}>() "                                      \
    "t = Constant<value: tensor = float {0.11}>() u = Constant<value: tensor = @T {7}>() "                                       \
    "r = Constant<value: tensor = float {0.003}>() o = Constant<value: tensor = @T {0}>() "
#define DQ_A   "x = DequantizeLinear(a, s, z) "
#define DQ_B   "w = DequantizeLinear(b, t, u) "
#define PLANES "f = Transpose<perm: ints = [0, 3, 1, 2]>(x) "
#define BACK   " h = Transpose<perm: ints = [0, 2, 3, 1]>(g) "

static const contrib_case contrib_cases[] = {
#include "contrib_cases.def"
};

enum { N_CONTRIB_CASES = sizeof contrib_cases / sizeof contrib_cases[0] };

/* Word number i; "" after the last. */
static inline void contrib_type(const char *types, int i, char *word, size_t n_bytes) {
    for (; i > 0 && *types; i--) {
        types += strcspn(types, " ");
        types += *types == ' ';
    }
    snprintf(word, n_bytes, "%.*s", (int)strcspn(types, " "), types);
}

/* A model of the case, with the type for "@T"; false: the text is too long. */
static inline bool contrib_text(const contrib_case *c, const char *nodes, const char *type, char *text, size_t n_bytes) {
    char raw[6000];
    int n =
        snprintf(raw, sizeof raw, "<ir_version: 10, opset_import: [\"\" : 24, \"com.microsoft\" : 1]>\ng (%s) => (%s) {\n%s\n}",
                 c->in, c->out, nodes);
    size_t used = 0;
    for (const char *at = raw; n < (int)sizeof raw && *at && used + 1 < n_bytes; at++) {
        bool named = strncmp(at, "@T", 2) == 0;
        int more = named ? snprintf(text + used, n_bytes - used, "%s", type) : (text[used] = *at, 1);
        used += (size_t)more;
        at += named;
    }
    if (used >= n_bytes) return false;
    text[used] = '\0';
    return n < (int)sizeof raw && used + 1 < n_bytes;
}

#endif
