/* Steps of chains for one type. Parameters: T, S its suffix, V and U vectors in registers and in memory, M the result of their
 * comparison, DTYPE. */
#define NAME(op)     OBK_CAT3(op, _, S)
#define CODE(op, of) OBK_CAT3(op, _, OBK_CAT3(S, _, of))

typedef void (*NAME(wide))(const obk_link *l, int64_t at, V a0, V a1, V a2, V a3);
typedef void (*NAME(one))(const obk_link *l, int64_t at, NAME(mask) m, V a0);
typedef void (*NAME(pair))(const obk_link *l, int64_t rows, NAME(mask) m);
typedef void (*NAME(of_rows))(const obk_link *l, int64_t row, NAME(mask) m, V a0, V a1, V a2, V a3, V a4, V a5, V a6, V a7);

OBK_INLINE V NAME(vector_at)(const char *p, bool whole, NAME(mask) m) {
    if (whole) return *(const U *)(const void *)p;
    return NAME(MASKED_LOAD)(p, m);
}

/* Vector i of operand k, and its only element. A number minus 0 is that number, -0 as well. */
#define SPLAT(x)    ((T)(x) - (V){0})
#define PLACE(k, i) (l->p[k] + (by_row ? l->rows[k][at + (i)] : at + (i)*OBK_VECTOR_BYTES))
#define AT(k, i)    NAME(vector_at)(PLACE(k, i), whole, m)
#define SCALAR(k)   SPLAT(*(const T *)(const void *)(by_row ? PLACE(k, i) : l->p[k]))

/* One function for four vectors, one for one, of which mask m says which elements exist, and one for such a vector of each of
 * eight rows. E(a, i): the result for a, which is vector i; L declares its variables, in the last function for each row. */
#define STEP(name, L, E)                                                                                                         \
    static void CODE(name, wide)(const obk_link *l, int64_t at, V a0, V a1, V a2, V a3) {                                        \
        const bool whole = true, by_row = false;                                                                                 \
        const NAME(mask) m = 0;                                                                                                  \
        enum { i = 0 };                                                                                                          \
        (void)whole, (void)by_row, (void)m;                                                                                      \
        L;                                                                                                                       \
        a0 = E(a0, 0), a1 = E(a1, 1), a2 = E(a2, 2), a3 = E(a3, 3);                                                              \
        ((NAME(wide))l[1].code[OBK_LINK_WIDE])(l + 1, at, a0, a1, a2, a3);                                                       \
    }                                                                                                                            \
    static void CODE(name, one)(const obk_link *l, int64_t at, NAME(mask) m, V a0) {                                             \
        const bool whole = false, by_row = false;                                                                                \
        enum { i = 0 };                                                                                                          \
        (void)whole, (void)by_row;                                                                                               \
        L;                                                                                                                       \
        a0 = E(a0, 0);                                                                                                           \
        ((NAME(one))l[1].code[OBK_LINK_ONE])(l + 1, at, m, a0);                                                                  \
    }                                                                                                                            \
    static void CODE(name, rows)(const obk_link *l, int64_t at, NAME(mask) m, V a0, V a1, V a2, V a3, V a4, V a5, V a6, V a7) {  \
        const bool whole = false, by_row = true;                                                                                 \
        (void)whole, (void)by_row;                                                                                               \
        FOR_ROW(0, a0, L, E)                                                                                                     \
        FOR_ROW(1, a1, L, E)                                                                                                     \
        FOR_ROW(2, a2, L, E)                                                                                                     \
        FOR_ROW(3, a3, L, E)                                                                                                     \
        FOR_ROW(4, a4, L, E)                                                                                                     \
        FOR_ROW(5, a5, L, E)                                                                                                     \
        FOR_ROW(6, a6, L, E)                                                                                                     \
        FOR_ROW(7, a7, L, E)                                                                                                     \
        ((NAME(of_rows))l[1].code[0])(l + 1, at, m, ROWS(a));                                                                    \
    }
#define ROWS(a) a##0, a##1, a##2, a##3, a##4, a##5, a##6, a##7
#define FOR_ROW(n, a, L, E)                                                                                                      \
    {                                                                                                                            \
        enum { i = n };                                                                                                          \
        L;                                                                                                                       \
        (a) = E(a, n);                                                                                                           \
    }
#define NONE       (void)0
#define LOAD(a, i) AT(0, i)
STEP(load, NONE, LOAD)
#undef LOAD

static void CODE(store, wide)(const obk_link *l, int64_t at, V a0, V a1, V a2, V a3) {
    U *z = (U *)(void *)(l->p[0] + at);
    z[0] = a0, z[1] = a1, z[2] = a2, z[3] = a3;
}
static void CODE(store, one)(const obk_link *l, int64_t at, NAME(mask) m, V a0) {
    NAME(MASKED_STORE)(l->p[0] + at, m, a0);
}
static void CODE(store, rows)(const obk_link *l, int64_t row, NAME(mask) m, V a0, V a1, V a2, V a3, V a4, V a5, V a6, V a7) {
    const int32_t *at = l->rows[0] + row;
    char *p = l->p[0];
    NAME(MASKED_STORE)(p + at[0], m, a0);
    NAME(MASKED_STORE)(p + at[1], m, a1);
    NAME(MASKED_STORE)(p + at[2], m, a2);
    NAME(MASKED_STORE)(p + at[3], m, a3);
    NAME(MASKED_STORE)(p + at[4], m, a4);
    NAME(MASKED_STORE)(p + at[5], m, a5);
    NAME(MASKED_STORE)(p + at[6], m, a6);
    NAME(MASKED_STORE)(p + at[7], m, a7);
}

/* The row's vectors; without masks those that are whole. */
static void NAME(row)(const obk_link *links, int64_t n_bytes) {
    const V none = {0};
    const NAME(mask) all = (NAME(mask)) - 1;
    const NAME(one) one = (NAME(one))links->code[OBK_LINK_ONE];
    int64_t at = 0;
    for (; at + 4 * OBK_VECTOR_BYTES <= n_bytes; at += 4 * OBK_VECTOR_BYTES)
        ((NAME(wide))links->code[OBK_LINK_WIDE])(links, at, none, none, none, none);
    for (; at + OBK_VECTOR_BYTES <= n_bytes; at += OBK_VECTOR_BYTES) one(links, at, all, none);
    if (HAS_MASKS && at < n_bytes) one(links, at, (NAME(mask))((1U << ((n_bytes - at) / (int64_t)sizeof(T))) - 1), none);
}

/* Copies of the links for the rows from `first` on, with copies of the last row behind it. */
static void NAME(take_last)(const obk_link *links, int n_links, int64_t first, int64_t rows, obk_link *last,
                            int32_t (*at)[2][OBK_ROWS_AT_ONCE]) {
    for (int i = 0; i < n_links; i++) {
        last[i] = links[i];
        for (int k = 0; k < 2 && links[i].rows[k]; k++) {
            for (int64_t j = 0; j < OBK_ROWS_AT_ONCE; j++)
                at[i][k][j] = links[i].rows[k][first + j < rows ? first + j : rows - 1];
            last[i].rows[k] = at[i][k];
        }
    }
}

/* One vector of each row. The last row may be stored several times, with the same elements. */
static void NAME(column)(const obk_link *links, int n_links, NAME(mask) m, int64_t rows) {
    enum { SOME = OBK_ROWS_AT_ONCE };
    const V none = {0};
    const NAME(of_rows) run = (NAME(of_rows))links->code[0];
    int64_t row = 0;
    if (n_links == 3 && links[1].code[1]) {
        ((NAME(pair))links[1].code[1])(links, rows, m);
        return;
    }
    for (; row + SOME <= rows; row += SOME) run(links, row, m, none, none, none, none, none, none, none, none);
    if (row == rows) return;
    obk_link last[OBK_SHORT_LINKS];
    int32_t at[OBK_SHORT_LINKS][2][SOME];
    NAME(take_last)(links, n_links, row, rows, last, at);
    run(last, 0, m, none, none, none, none, none, none, none, none);
}

static void NAME(short_rows)(obk_link *links, const bool (*is_vector)[2], int n_links, int64_t n_bytes, int64_t rows) {
    const NAME(mask) all = (NAME(mask)) - 1;
    for (int64_t left = n_bytes; left > 0; left -= OBK_VECTOR_BYTES) {
        NAME(column)(links, n_links, left < OBK_VECTOR_BYTES ? (NAME(mask))((1U << (left / (int64_t)sizeof(T))) - 1) : all, rows);
        for (int i = 0; i < n_links && left > OBK_VECTOR_BYTES; i++)
            for (int k = 0; k < 2; k++)
                if (is_vector[i][k]) links[i].p[k] += OBK_VECTOR_BYTES;
    }
}

/* ---- Two operands ---- */

#define ADD(a, b)   ((a) + (b))
#define SUB(a, b)   ((a) - (b))
#define MUL(a, b)   ((a) * (b))
#define DIV(a, b)   ((a) / (b))
#define MAX(a, b)   NAME(UNLESS_NAN)(a, NAME(obk_max_v)(a, b))
#define MIN(a, b)   NAME(UNLESS_NAN)(a, NAME(MIN)(a, b))
#define PRELU(a, b) NAME(NEGATIVE)(a, (a) * (b))

#define OF_SELF(a, i)         OP(a, a)
#define OF_VECTOR(a, i)       OP(a, AT(0, i))
#define OF_SCALAR(a, i)       OP(a, s)
#define OF_VECTOR_FIRST(a, i) OP(AT(0, i), a)
#define OF_SCALAR_FIRST(a, i) OP(s, a)
#define S_IS_SCALAR           const V s = SCALAR(0)

/* Both operands are in memory: l[0] loads the first one that is a vector, l[1] is the step, l[2] stores. */
#define PAIR_OF(name, LOAD, E)                                                                                                   \
    static void CODE(name, pair)(const obk_link *l, int64_t rows, NAME(mask) m) {                                                \
        const char *x = l[0].p[0], *y = l[1].p[0];                                                                               \
        char *z = l[2].p[0];                                                                                                     \
        const int32_t *at_x = l[0].rows[0], *at_y = l[1].rows[0], *at_z = l[2].rows[0];                                          \
        for (int64_t j = 0; j < rows; j++) {                                                                                     \
            const V a = NAME(MASKED_LOAD)(x + at_x[j], m), s = LOAD(y + at_y[j], m);                                             \
            NAME(MASKED_STORE)(z + at_z[j], m, E(a, s));                                                                         \
        }                                                                                                                        \
    }
#define LOAD_SCALAR(p, m)   SPLAT(*(const T *)(const void *)(p))
#define OF_PAIR(a, s)       OP(a, s)
#define OF_PAIR_FIRST(a, s) OP(s, a)

/* One function for each kind of operand. */
#define STEPS(op)                                                                                                                \
    PAIR_OF(op##_vector, NAME(MASKED_LOAD), OF_PAIR)                                                                             \
    PAIR_OF(op##_scalar, LOAD_SCALAR, OF_PAIR)                                                                                   \
    PAIR_OF(op##_scalar_first, LOAD_SCALAR, OF_PAIR_FIRST)                                                                       \
    STEPS_OF(op)
#define STEPS_OF(op)                                                                                                             \
    STEP(op##_self, NONE, OF_SELF)                                                                                               \
    STEP(op##_vector, NONE, OF_VECTOR)                                                                                           \
    STEP(op##_scalar, S_IS_SCALAR, OF_SCALAR)                                                                                    \
    STEP(op##_vector_first, NONE, OF_VECTOR_FIRST)                                                                               \
    STEP(op##_scalar_first, S_IS_SCALAR, OF_SCALAR_FIRST)
#define OP ADD
STEPS(add)
#undef OP
#define OP SUB
STEPS(sub)
#undef OP
#define OP MUL
STEPS(mul)
#undef OP
#define OP DIV
STEPS(div)
#undef OP
#define OP MAX
STEPS(max)
#undef OP
#define OP MIN
STEPS(min)
#undef OP
#define OP PRELU
STEP(prelu_vector, NONE, OF_VECTOR)
STEP(prelu_scalar, S_IS_SCALAR, OF_SCALAR)
#undef OP

/* ---- One operand ---- */

#define PARAMS   const obk_unary_params *p = l->params
#define OF(a, i) NAME(obk_max_v)((V){0}, a) /* 0 > a ? 0 : a */
STEP(relu, NONE, OF)
#undef OF
#define OF(a, i) ((V)((M)(a) & ~(M)(-(V){0})))
STEP(abs, NONE, OF)
#undef OF
#define OF(a, i) (-(a))
STEP(neg, NONE, OF)
#undef OF
#define OF(a, i) NAME(SQRT)(a)
STEP(sqrt, NONE, OF)
#undef OF
#define OF(a, i) (1 / (a))
STEP(reciprocal, NONE, OF)
#undef OF
#define OF(a, i) NAME(NEGATIVE)(a, alpha * (a))
STEP(leaky_relu, PARAMS; const T alpha = (T)p->alpha, OF)
#undef OF
#define OF(a, i) (alpha * (a) + beta)
STEP(scale_shift, PARAMS; const T alpha = (T)p->alpha; const T beta = (T)p->beta, OF)
#undef OF
/* t < 0 ? 0 : t > 1 ? 1 : t */
#define UNIT(t)  NAME(obk_max_v)((V){0}, NAME(MIN)(SPLAT(1), t))
#define OF(a, i) UNIT(alpha *(a) + beta)
STEP(hard_sigmoid, PARAMS; const T alpha = (T)p->alpha; const T beta = (T)p->beta, OF)
#undef OF
#define OF(a, i) ((a)*UNIT((a)*sixth + (T)0.5))
STEP(hard_swish, const T sixth = (T)1 / 6, OF)
#undef OF
/* t = a < low ? low : a; t > high ? high : t */
#define OF(a, i) NAME(MIN)(high, NAME(obk_max_v)(low, a))
STEP(clip, PARAMS; const V low = SPLAT(p->alpha); const V high = SPLAT(p->beta), OF)
#undef OF

/* ---- Three operands ---- */

#define OF(a, i) ((a)*AT(0, i) + AT(1, i))
STEP(affine_vector, NONE, OF)
#undef OF
#define OF(a, i) ((a)*factor + offset)
STEP(affine_scalar, const V factor = SCALAR(0); const V offset = SCALAR(1), OF)
#undef OF
/* A bound that is NaN makes all results NaN. */
#define OF(a, i) (high[0] != high[0] ? high : low[0] != low[0] ? low : NAME(MIN)(high, NAME(obk_max_v)(low, a)))
STEP(bounds_scalar, const V low = SCALAR(0); const V high = SCALAR(1), OF)
#undef OF

#define CODES(name)                                                                                                              \
    { (obk_link_code) CODE(name, wide), (obk_link_code)CODE(name, one), (obk_link_code)CODE(name, rows) }
#define WITH_PAIR(name)                                                                                                          \
    {                                                                                                                            \
        (obk_link_code) CODE(name, wide), (obk_link_code)CODE(name, one), (obk_link_code)CODE(name, rows),                       \
            (obk_link_code)CODE(name, pair)                                                                                      \
    }
#define FORM(loop) const obk_link_form OBK_FN(OBK_CAT(form_, NAME(loop)))
#define BINARY(op)                                                                                                               \
    FORM(op) = {{CODES(op##_self), WITH_PAIR(op##_vector), WITH_PAIR(op##_scalar), CODES(op##_vector_first),                     \
                 WITH_PAIR(op##_scalar_first)},                                                                                  \
                DTYPE == OB_DOUBLE,                                                                                              \
                2};
#define UNARY(loop, op) FORM(loop) = {{CODES(op)}, DTYPE == OB_DOUBLE, 1};
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
BINARY(max)
BINARY(min)
FORM(prelu) = {{{0}, CODES(prelu_vector), CODES(prelu_scalar)}, DTYPE == OB_DOUBLE, 2};
UNARY(u_relu, relu)
UNARY(u_abs, abs)
UNARY(u_neg, neg)
UNARY(u_sqrt, sqrt)
UNARY(u_reciprocal, reciprocal)
UNARY(u_leaky_relu, leaky_relu)
UNARY(u_affine, scale_shift)
UNARY(u_hard_sigmoid, hard_sigmoid)
UNARY(u_hard_swish, hard_swish)
UNARY(u_clip, clip)
FORM(norm_affine_loop) = {{{0}, CODES(affine_vector), CODES(affine_scalar)}, DTYPE == OB_DOUBLE, 3};
FORM(clip) = {{{0}, {0}, CODES(bounds_scalar)}, DTYPE == OB_DOUBLE, 3};

/* Only of loops that the build has. */
#define ROW(place, loop)   OBK_IF_LOOP(NAME(loop))({&(place), &OBK_FN(OBK_CAT(form_, NAME(loop)))}, )
#define OF_TWO(kind, loop) ROW(OBK_TABLE(binary)[kind][DTYPE], loop)
#define OF_ONE(kind, loop) ROW(OBK_TABLE(unary)[kind][DTYPE], loop)
/* clang-format off */
static const struct {
    const obk_loop *loop;
    const obk_link_form *form;
} NAME(rows)[] = {
    OF_TWO(OBK_ADD, add)
    OF_TWO(OBK_SUB, sub)
    OF_TWO(OBK_MUL, mul)
    OF_TWO(OBK_DIV, div)
    OF_TWO(OBK_MAX, max)
    OF_TWO(OBK_MIN, min)
    OF_TWO(OBK_PRELU, prelu)
    OF_ONE(OBK_U_RELU, u_relu)
    OF_ONE(OBK_U_ABS, u_abs)
    OF_ONE(OBK_U_NEG, u_neg)
    OF_ONE(OBK_U_SQRT, u_sqrt)
    OF_ONE(OBK_U_RECIPROCAL, u_reciprocal)
    OF_ONE(OBK_U_LEAKY_RELU, u_leaky_relu)
    OF_ONE(OBK_U_AFFINE, u_affine)
    OF_ONE(OBK_U_HARD_SIGMOID, u_hard_sigmoid)
    OF_ONE(OBK_U_HARD_SWISH, u_hard_swish)
    OF_ONE(OBK_U_CLIP, u_clip)
    ROW(OBK_TABLE(norm).affine_loop[DTYPE == OB_DOUBLE], norm_affine_loop)
    ROW(OBK_TABLE(clip)[DTYPE], clip)
    {NULL, NULL},
};
/* clang-format on */

#undef NAME
#undef CODE
#undef AT
#undef PLACE
#undef SCALAR
#undef SPLAT
#undef STEP
#undef FOR_ROW
#undef ROWS
#undef NONE
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef MAX
#undef MIN
#undef PRELU
#undef OF_SELF
#undef OF_VECTOR
#undef OF_SCALAR
#undef OF_VECTOR_FIRST
#undef OF_SCALAR_FIRST
#undef S_IS_SCALAR
#undef STEPS
#undef PARAMS
#undef UNIT
#undef CODES
#undef WITH_PAIR
#undef PAIR_OF
#undef LOAD_SCALAR
#undef OF_PAIR
#undef OF_PAIR_FIRST
#undef STEPS_OF
#undef FORM
#undef BINARY
#undef UNARY
#undef ROW
#undef OF_TWO
#undef OF_ONE
#undef T
#undef S
#undef V
#undef U
#undef M
#undef DTYPE
