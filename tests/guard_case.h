/* Models whose guards have every form, and random clauses, which no model of this size would have. */
#ifndef OB_TESTS_GUARD_CASE_H
#define OB_TESTS_GUARD_CASE_H

#include "passes/contract/contract.h"

/* ---- Conditions on sizes ---- */

static const char *const guard_bodies[] = {
    "g (float[N] x, float[M] y) => (float[K] z) { z = Add(x, y) }",
    /* names that are invalid in C, keywords of C, the end of a comment, a trigraph, bytes beyond ASCII */
    "g (float[\"int\"] x, float[\"*/ a\\\"b\\\\\"] y, float[\"?\?/\"] z, float[\"\xC3\xA4\"] w) => (float[K] s)"
    " { p = Add(x, y) q = Add(z, w) s = Add(p, q) }",
    "g (float[B,C,H,W] x, float[8,C,3,3] w) => (float[B,8,P,Q] y) { y = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (x, w) "
    "}",
    "g (float[B,T,H] x, float[S] b) => (float[K] y) <int64[2] shape = {0, -1}> { r = Reshape(x, shape) y = Add(r, b) }",
    "g (float[B,T,H] x) => (float[K,L,M] y) <int64[3] shape = {-1, 4, 6}> { y = Reshape(x, shape) }",
    "g (float[2] x) => (float[2] y) { y = Neg(x) }",
    "g (float[N] x) => (float[N] y) <float[3] a = {1, 2, 3}, float[5] b = {1, 2, 3, 4, 5}>"
    " { p = Add(x, a) q = Add(x, b) r = Add(p, q) y = Neg(r) }",
    "g (float[N] x, float[M] y, int64[2] i) => (float[K] z) { s = Add(x, y) t = Reshape(s, i) z = Add(t, t) }",
};

/* ---- Conditions on values; all contracts are complete ---- */

#define TABLE                                                                                                                    \
    "d = Constant <value = int64[2]{7,2}> () t = ConstantOfShape (d) zero = Constant <value = int64{0}> () "                     \
    "one = Constant <value = int64{1}> () two = Constant <value = int64{2}> () five = Constant <value = int64{5}> () "           \
    "v0 = Constant <value = int64[1]{0}> () v1 = Constant <value = int64[1]{1}> () v3 = Constant <value = int64[1]{3}> () "
static const char *const guard_value_models[] = {
    "(int64[N] i) => (y) { " TABLE "y = Gather (t, i) }",
    "(int32[N,2] i, float[M] x) => (y) { y = Gather (x, i) }",
    "(float[N] i, float[M] x) => (y) { a = Cast <to = 6> (i) y = Gather (x, a) }",
    "(uint8[N] \"a \\\"b\", float[6] x) => (y) { a = Cast <to = 7> (\"a \\\"b\") y = Gather (x, a) }",
    "(bool[N] i, float[2] x) => (y) { a = Cast <to = 7> (i) y = Gather (x, a) }",
    "(int64[N,2] i, float[M] x) => (y, z) { " TABLE "a = Gather <axis = 1> (i, zero) b = Gather <axis = 1> (i, one) "
    "y = Gather (t, a) z = Gather (x, b) }",
    "(int64[N,3] i, float[M] x) => (y, z) { " TABLE "a = Slice (i, v1, v3, v1) y = Gather (t, a) b = Slice (i, v0, v1, v0) "
    "z = Gather (x, b) }",
    "(int64[N,3] i) => (y) { " TABLE "a, b = Split <axis = 1, num_outputs = 2> (i) y = Gather (t, a) }",
    "(int64[N] i) => (y) { " TABLE "a = Add (i, two) b = Mul (a, two) c = Sub (five, b) y = Gather (t, c) }",
    "(int64[N] i) => (y) { " TABLE "a = Clip (i, zero) b = Neg (a) y = Gather (t, b) }",
    "(int64[N] i, float[M] x) => (y) { s = Shape (x) a = Sub (s, i) y = Gather (x, a) }",
    "(int64[N] i, int64[M] j, float[P] x) => (y) { " TABLE "a = Concat <axis = 0> (i, v1, j) y = Gather (t, a) }",
    "(int64[1] i, float[N,3] x) => (y) { " TABLE "s = Shape (x) a = Expand (i, s) y = Gather (t, a) }",
    "(int64[2,1] i, float[M,N] x) => (y) { y = GatherND (x, i) }",
    "(int64[N,2] i) => (y) { " TABLE "y = GatherElements (t, i) }",
    "(int64[N,2] i, float[N,2] u) => (y) { " TABLE "y = ScatterElements (t, i, u) }",
    "(int64[N,1] i, float[N,2] u) => (y) { " TABLE "y = ScatterND (t, i, u) }",
    "(float[S,B] x, int64[B] l) => (y) { y = ReverseSequence (x, l) }",
    "(float[S,B,2] x, int32[B] l) => (y) { " TABLE "ws = Constant <value = int64[3]{1,3,2}> () w = ConstantOfShape (ws) "
    "rs = Constant <value = int64[3]{1,3,3}> () r = ConstantOfShape (rs) y = RNN <hidden_size = 3> (x, w, r, , l) }",
    "(float[B,1,2,2] x, float[R,4] r, int64[R] i) => (y) { y = RoiAlign <sampling_ratio = 1> (x, r, i) }",
    "(float[1,1,2,W] x, int64[1,1,2,W] i) => (y) { y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
    "(int64[N] i, float[N] x) => (y) { " TABLE "n = Size (i) c = Less (n, two) y = If (c) "
    "<then_branch = a () => (p) { p = Gather (x, i) }, else_branch = b () => (q) { q = Identity (x) }> }",
    "(float[N] x) => (y) { y = Neg (x) }",
};
#undef TABLE

/* ---- Random clauses ---- */

static inline uint64_t guard_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545F4914F6CDD1D) >> 16;
}

static inline ob_dim guard_random_term(uint64_t *state, ob_dims *pool, const ob_dim *terms, size_t n) {
    ob_dim a = terms[guard_random(state) % n], b = terms[guard_random(state) % n];
    int64_t c = (int64_t)(guard_random(state) % 4) + 2;
    switch (guard_random(state) % 10) {
    case 9: return ob_dim_quotient(pool, a, b);
    case 0: return ob_dim_add(pool, a, b);
    case 1: return ob_dim_sub(pool, a, b);
    case 2: return ob_dim_mul(pool, a, -c);
    case 3:
    case 4: return ob_dim_div(pool, a, c);
    case 5: return ob_dim_min(pool, a, b);
    case 6: return ob_dim_max(pool, a, b);
    case 7: return ob_dim_bcast(pool, a, b);
    default: return ob_dim_mul(pool, a, b);
    }
}

static inline void guard_random_literals(uint64_t *state, ob_dims *pool, const ob_dim *symbols, ob_literal *out, uint32_t n) {
    enum { TERMS = 12 };
    ob_dim terms[TERMS] = {symbols[0], symbols[1], symbols[2], 1, 7};
    for (size_t i = 5; i < TERMS; i++) {
        terms[i] = guard_random_term(state, pool, terms, i);
        if (terms[i] == OB_DIM_UNKNOWN) terms[i] = terms[i % 3];
    }
    for (uint32_t i = 0; i < n; i++) {
        ob_literal_kind kind = (ob_literal_kind)(guard_random(state) % 5);
        ob_dim p = terms[TERMS - 1 - guard_random(state) % 4], q = terms[guard_random(state) % TERMS];
        if (kind != OB_LITERAL_DIVIDES && kind != OB_LITERAL_NOT_DIVIDES) {
            p = ob_dim_sub(pool, p, q);
            q = 0;
            if (p == OB_DIM_UNKNOWN) p = terms[0];
        }
        if (i == 1) { /* sums that leave 64 bits though no addend does */
            kind = OB_LITERAL_NONNEGATIVE;
            p = ob_dim_sub(pool, ob_dim_mul(pool, 2, ob_dim_add(pool, symbols[0], symbols[1])), 5);
            q = 0;
        }
        out[i] = (ob_literal){kind, p, q};
    }
}

static const char guard_random_model[] =
    "<ir_version: 8, opset_import: [\"\" : 17]> g (float[A,B,C] x) => (float[A,B,C] y) { y = Neg(x) }";

typedef struct guard_random_clauses {
    ob_literal literals[2][2];
    ob_solved_clause clauses[2];
    const ob_solved_clause *of_contract[2];
} guard_random_clauses;

/* Replaces the clauses of the contract of guard_random_model; they live in `made`. */
static inline void guard_randomise(uint64_t *state, ob_dims *pool, ob_contract *contract, guard_random_clauses *made) {
    for (int i = 0; i < 2; i++) {
        uint32_t n = (uint32_t)(guard_random(state) % 2) + 1;
        guard_random_literals(state, pool, contract->inputs, made->literals[i], n);
        made->clauses[i] = (ob_solved_clause){.literals = made->literals[i], .n = n, .of_inputs = true};
        made->of_contract[i] = &made->clauses[i];
    }
    contract->clauses = made->of_contract;
    contract->n_clauses = 2;
}

#endif
