/* Conditions: deciding, testing, writing. */
#include "shapes.h"

static ob_truth decide(const fixture *f, ob_condition_kind kind, ob_dim a, ob_dim b) {
    const ob_condition condition = {kind, a, b};
    return ob_condition_decide(f->pool, &condition);
}

static void constants_are_decided(void **state) {
    fixture *f = *state;
    static const struct {
        ob_dim a, b;
        ob_truth equal, broadcast, broadcast_to, divisible, at_least;
    } rows[] = {
        {0, 0, OB_TRUE, OB_TRUE, OB_TRUE, OB_FALSE, OB_TRUE},     {0, 1, OB_FALSE, OB_TRUE, OB_FALSE, OB_TRUE, OB_FALSE},
        {1, 0, OB_FALSE, OB_TRUE, OB_TRUE, OB_FALSE, OB_TRUE},    {1, 1, OB_TRUE, OB_TRUE, OB_TRUE, OB_TRUE, OB_TRUE},
        {0, 5, OB_FALSE, OB_FALSE, OB_FALSE, OB_TRUE, OB_FALSE},  {5, 0, OB_FALSE, OB_FALSE, OB_FALSE, OB_FALSE, OB_TRUE},
        {1, 5, OB_FALSE, OB_TRUE, OB_TRUE, OB_FALSE, OB_FALSE},   {5, 1, OB_FALSE, OB_TRUE, OB_FALSE, OB_TRUE, OB_TRUE},
        {5, 5, OB_TRUE, OB_TRUE, OB_TRUE, OB_TRUE, OB_TRUE},      {6, 3, OB_FALSE, OB_FALSE, OB_FALSE, OB_TRUE, OB_TRUE},
        {6, 4, OB_FALSE, OB_FALSE, OB_FALSE, OB_FALSE, OB_TRUE},  {6, -3, OB_FALSE, OB_FALSE, OB_FALSE, OB_FALSE, OB_TRUE},
        {-6, 3, OB_FALSE, OB_FALSE, OB_FALSE, OB_TRUE, OB_FALSE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(decide(f, OB_COND_EQUAL, rows[i].a, rows[i].b), rows[i].equal);
        assert_int_equal(decide(f, OB_COND_BROADCAST, rows[i].a, rows[i].b), rows[i].broadcast);
        assert_int_equal(decide(f, OB_COND_BROADCAST_TO, rows[i].a, rows[i].b), rows[i].broadcast_to);
        assert_int_equal(decide(f, OB_COND_DIVISIBLE, rows[i].a, rows[i].b), rows[i].divisible);
        assert_int_equal(decide(f, OB_COND_AT_LEAST, rows[i].a, rows[i].b), rows[i].at_least);
    }
    assert_int_equal(ob_condition_decide(NULL, NULL), OB_UNDECIDED);
}

static void terms_are_decided_where_they_can_be(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim n = f->n, m = f->m, n_plus_2 = ob_dim_add(p, n, 2), two_n = ob_dim_mul(p, 2, n);
    assert_int_equal(decide(f, OB_COND_EQUAL, n, n), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_EQUAL, n, m), OB_UNDECIDED);
    assert_int_equal(decide(f, OB_COND_EQUAL, n, n_plus_2), OB_FALSE); /* a constant difference */
    assert_int_equal(decide(f, OB_COND_EQUAL, n_plus_2, 1), OB_FALSE); /* bounds */
    assert_int_equal(decide(f, OB_COND_EQUAL, two_n, 7), OB_FALSE);    /* parity */
    assert_int_equal(decide(f, OB_COND_EQUAL, two_n, 8), OB_UNDECIDED);
    assert_int_equal(decide(f, OB_COND_EQUAL, ob_dim_add(p, two_n, ob_dim_mul(p, 4, m)), 7), OB_FALSE);
    assert_int_equal(decide(f, OB_COND_EQUAL, n, -1), OB_FALSE);
    assert_int_equal(decide(f, OB_COND_BROADCAST, n, m), OB_UNDECIDED);
    assert_int_equal(decide(f, OB_COND_BROADCAST, n, 1), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_BROADCAST, 1, n), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_BROADCAST, n_plus_2, ob_dim_add(p, n, 3)), OB_FALSE);
    assert_int_equal(decide(f, OB_COND_BROADCAST, n, ob_dim_add(p, n, 1)), OB_UNDECIDED); /* N = 0 and N = 1 */
    assert_int_equal(decide(f, OB_COND_BROADCAST_TO, n, 5), OB_UNDECIDED);
    assert_int_equal(decide(f, OB_COND_BROADCAST_TO, n_plus_2, 1), OB_FALSE);
    assert_int_equal(decide(f, OB_COND_BROADCAST_TO, two_n, 5), OB_FALSE);
    assert_int_equal(decide(f, OB_COND_BROADCAST_TO, 5, n), OB_UNDECIDED);
    assert_int_equal(decide(f, OB_COND_BROADCAST_TO, 1, n), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_DIVISIBLE, two_n, 2), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_DIVISIBLE, ob_dim_add(p, two_n, 1), 2), OB_FALSE);
    assert_int_equal(decide(f, OB_COND_DIVISIBLE, ob_dim_add(p, two_n, 1), 4), OB_FALSE);
    assert_int_equal(decide(f, OB_COND_DIVISIBLE, two_n, 4), OB_UNDECIDED);
    assert_int_equal(decide(f, OB_COND_DIVISIBLE, n, 0), OB_FALSE);
    assert_int_equal(decide(f, OB_COND_DIVISIBLE, n, m), OB_UNDECIDED);
    ob_dim m_plus_2 = ob_dim_add(p, m, 2), product = ob_dim_mul(p, n, m_plus_2);
    assert_int_equal(decide(f, OB_COND_DIVISIBLE, product, m_plus_2), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_DIVISIBLE, ob_dim_add(p, product, 1), m_plus_2), OB_FALSE);
    assert_int_equal(decide(f, OB_COND_DIVISIBLE, ob_dim_add(p, product, 2), m_plus_2), OB_UNDECIDED); /* M = 0 */
    assert_int_equal(decide(f, OB_COND_DIVISIBLE, ob_dim_mul(p, n, m), m), OB_UNDECIDED);              /* M = 0: no */
    assert_int_equal(decide(f, OB_COND_DIVISIBLE, 4, ob_dim_sub(p, 0, m)), OB_FALSE);
    assert_int_equal(decide(f, OB_COND_DIVISIBLE, UNKNOWN, m_plus_2), OB_UNDECIDED);
    ob_dim up = ob_dim_mul(p, 7, ob_dim_ceil_div(p, n, 7)), capped = ob_dim_min(p, n, 512);
    assert_int_equal(decide(f, OB_COND_AT_LEAST, up, n), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_EQUAL, ob_dim_min(p, up, n), n), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_EQUAL, capped, n), OB_UNDECIDED);
    assert_int_equal(decide(f, OB_COND_EQUAL, capped, 600), OB_FALSE);
    assert_int_equal(decide(f, OB_COND_AT_LEAST, 512, capped), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_AT_LEAST, n, ob_dim_add(p, ob_dim_max(p, n, m), 1)), OB_FALSE);
    assert_int_equal(decide(f, OB_COND_AT_LEAST, n, 0), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_AT_LEAST, n_plus_2, n), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_AT_LEAST, n, n_plus_2), OB_FALSE);
    assert_int_equal(decide(f, OB_COND_AT_LEAST, n, 1), OB_UNDECIDED);
    assert_int_equal(decide(f, OB_COND_AT_LEAST, n, m), OB_UNDECIDED);
}

static void what_is_unknown_stays_undecided(void **state) {
    fixture *f = *state;
    for (int kind = OB_COND_EQUAL; kind <= OB_COND_AT_LEAST; kind++) {
        assert_int_equal(decide(f, (ob_condition_kind)kind, UNKNOWN, 5), OB_UNDECIDED);
        assert_int_equal(decide(f, (ob_condition_kind)kind, UNKNOWN, UNKNOWN), OB_UNDECIDED);
        assert_int_equal(decide(f, (ob_condition_kind)kind, f->n, UNKNOWN), OB_UNDECIDED);
    }
    assert_int_equal(decide(f, OB_COND_BROADCAST, UNKNOWN, 1), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_BROADCAST_TO, 1, UNKNOWN), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_DIVISIBLE, UNKNOWN, 1), OB_TRUE);
}

static void a_broadcast_term_is_taken_at_its_word(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim k = ob_dim_symbol(p, "K"), nm = ob_dim_bcast(p, f->n, f->m), nmk = ob_dim_bcast(p, nm, k);
    assert_int_equal(decide(f, OB_COND_BROADCAST, f->n, nm), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_BROADCAST, nm, f->n), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_BROADCAST_TO, f->n, nm), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_BROADCAST_TO, nm, f->n), OB_UNDECIDED);
    assert_int_equal(decide(f, OB_COND_BROADCAST_TO, nm, nmk), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_BROADCAST_TO, nmk, nm), OB_UNDECIDED);
    assert_int_equal(decide(f, OB_COND_BROADCAST, k, nm), OB_UNDECIDED);
}

static void a_quotient_is_taken_at_its_word(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim ratio = ob_dim_quotient(p, f->n, f->m), rest = ob_dim_sub(p, f->n, ob_dim_mul(p, f->m, ratio));
    assert_int_equal(decide(f, OB_COND_AT_LEAST, ratio, 0), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_AT_LEAST, f->n, ratio), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_AT_LEAST, f->n, ob_dim_mul(p, f->m, ratio)), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_AT_LEAST, rest, 0), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_AT_LEAST, ob_dim_sub(p, f->m, 1), rest), OB_TRUE);
    assert_int_equal(decide(f, OB_COND_EQUAL, ratio, 3), OB_UNDECIDED);
    const ob_condition three = {OB_COND_EQUAL, ratio, 3};
    for (int64_t n = 0; n < 40; n++)
        for (int64_t m = 0; m < 12; m++) {
            const ob_binding bindings[] = {{f->n, n}, {f->m, m}};
            bool holds = m == 0;
            assert_int_equal(ob_condition_eval(p, &three, bindings, 2, &holds), OB_OK);
            assert_int_equal(holds, m > 0 && n / m == 3);
        }
}

static void bindings_test_conditions(void **state) {
    fixture *f = *state;
    static const struct {
        ob_condition_kind kind;
        int64_t n, m;
        bool holds;
    } rows[] = {
        {OB_COND_EQUAL, 3, 3, true},         {OB_COND_EQUAL, 3, 1, false},        {OB_COND_BROADCAST, 3, 1, true},
        {OB_COND_BROADCAST, 1, 3, true},     {OB_COND_BROADCAST, 3, 3, true},     {OB_COND_BROADCAST, 3, 4, false},
        {OB_COND_BROADCAST, 0, 1, true},     {OB_COND_BROADCAST, 0, 4, false},    {OB_COND_BROADCAST_TO, 1, 3, true},
        {OB_COND_BROADCAST_TO, 3, 1, false}, {OB_COND_BROADCAST_TO, 0, 1, false}, {OB_COND_BROADCAST_TO, 1, 0, true},
        {OB_COND_DIVISIBLE, 6, 3, true},     {OB_COND_DIVISIBLE, 6, 4, false},    {OB_COND_DIVISIBLE, 6, 0, false},
        {OB_COND_AT_LEAST, 3, 3, true},      {OB_COND_AT_LEAST, 2, 3, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ob_condition condition = {rows[i].kind, f->n, f->m};
        const ob_binding bindings[] = {{f->n, rows[i].n}, {f->m, rows[i].m}};
        bool holds = !rows[i].holds;
        assert_int_equal(ob_condition_eval(f->pool, &condition, bindings, 2, &holds), OB_OK);
        assert_int_equal(holds, rows[i].holds);
        assert_int_equal(ob_condition_eval(f->pool, &condition, bindings, 1, &holds), OB_E_NOT_FOUND);
    }
    const ob_condition of_bcast = {OB_COND_EQUAL, ob_dim_bcast(f->pool, f->n, f->m), 2};
    const ob_binding clash[] = {{f->n, 2}, {f->m, 3}}, fit[] = {{f->n, 2}, {f->m, 1}};
    bool holds = true;
    assert_int_equal(ob_condition_eval(f->pool, &of_bcast, clash, 2, &holds), OB_OK);
    assert_false(holds);
    assert_int_equal(ob_condition_eval(f->pool, &of_bcast, fit, 2, &holds), OB_OK);
    assert_true(holds);
    assert_int_equal(ob_condition_eval(f->pool, &of_bcast, fit, 2, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_condition_eval(f->pool, NULL, fit, 2, &holds), OB_E_ARGUMENT);
}

static void text_leaves_out_what_cannot_hold(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim batch = ob_dim_symbol(p, "batch"), target = ob_dim_symbol(p, "target"), big = ob_dim_add(p, f->n, 2);
    const struct {
        ob_condition condition;
        const char *text;
    } rows[] = {
        {{OB_COND_BROADCAST_TO, f->n, 5}, "N = 1 or N = 5"},
        {{OB_COND_BROADCAST, f->n, 5}, "N = 1 or N = 5"},
        {{OB_COND_BROADCAST, 5, f->n}, "N = 1 or N = 5"},
        {{OB_COND_BROADCAST, batch, target}, "batch = target or batch = 1 or target = 1"},
        {{OB_COND_BROADCAST_TO, batch, target}, "batch = target or batch = 1"},
        {{OB_COND_BROADCAST_TO, 5, f->n}, "5 = N"},
        {{OB_COND_BROADCAST_TO, f->n, 1}, "N = 1"},
        {{OB_COND_BROADCAST_TO, f->n, 0}, "N = 1 or N = 0"},
        {{OB_COND_BROADCAST, big, f->m}, "N + 2 = M or M = 1"},
        {{OB_COND_BROADCAST_TO, UNKNOWN, 4}, "? = 1 or ? = 4"},
        {{OB_COND_EQUAL, f->n, f->m}, "N = M"},
        {{OB_COND_EQUAL, 4, f->m}, "M = 4"},
        {{OB_COND_DIVISIBLE, f->n, 8}, "N % 8 = 0"},
        {{OB_COND_DIVISIBLE, big, f->m}, "(N + 2) % M = 0"},
        {{OB_COND_AT_LEAST, f->n, 8}, "N >= 8"},
        {{OB_COND_BROADCAST, 4, 5}, "5 = 4"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_condition_text(p, &rows[i].condition, rows[i].text);
        assert_int_equal(ob_condition_format(p, &rows[i].condition, NULL, 0), strlen(rows[i].text));
    }
    char text[4];
    assert_int_equal(ob_condition_format(p, &rows[0].condition, text, sizeof text), 14);
    assert_string_equal(text, "N =");
}

/* A random term of A and B from those before it. Without broadcast terms where those would be undefined at some sizes. */
static ob_dim random_term(ob_dims *pool, uint64_t *seed, const ob_dim *terms, size_t n) {
    ob_dim a = terms[pick(seed, n)], b = terms[pick(seed, n)];
    int64_t c = (int64_t)pick(seed, 4) + 2;
    switch (pick(seed, 11)) {
    case 9: return ob_dim_quotient(pool, a, b);
    case 10: return ob_dim_sub(pool, a, ob_dim_mul(pool, b, ob_dim_quotient(pool, a, b)));
    case 0: return ob_dim_add(pool, a, b);
    case 1: return ob_dim_sub(pool, a, b);
    case 2: return ob_dim_mul(pool, a, c);
    case 3: return ob_dim_div(pool, a, c);
    case 4: return ob_dim_min(pool, a, b);
    case 5: return ob_dim_max(pool, a, b);
    case 6: return ob_dim_sub(pool, a, ob_dim_mul(pool, c, ob_dim_div(pool, a, c)));
    case 7: return ob_dim_bcast(pool, a, b);
    default: return ob_dim_mul(pool, a, b);
    }
}

/* TRUE must hold under every binding, FALSE under none; bindings at which a broadcast term is undefined are ignored. */
static void decisions_agree_with_every_binding(void **state) {
    (void)state;
    uint64_t seed = UINT64_C(77);
    size_t n_decided = 0, n_compared = 0;
    static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 12, 31, 60};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int round = 0; round < 600; round++) {
        ob_dims *pool = NULL;
        assert_int_equal(ob_dims_create(NULL, &pool), OB_OK);
        enum { TERMS = 16 };
        ob_dim terms[TERMS] = {ob_dim_symbol(pool, "A"), ob_dim_symbol(pool, "B"), 0, 1, 2, 3};
        for (size_t i = 6; i < TERMS; i++) {
            terms[i] = random_term(pool, &seed, terms, i);
            if (terms[i] == UNKNOWN) terms[i] = terms[0];
        }
        for (int trial = 0; trial < 60; trial++) {
            const ob_condition condition = {(ob_condition_kind)pick(&seed, 5), terms[pick(&seed, TERMS)],
                                            terms[pick(&seed, TERMS)]};
            ob_truth truth = ob_condition_decide(pool, &condition);
            if (truth == OB_UNDECIDED) continue;
            n_decided++;
            for (size_t i = 0; i < SIZES * SIZES; i++) {
                const ob_binding bindings[] = {{terms[0], sizes[i / SIZES]}, {terms[1], sizes[i % SIZES]}};
                bool holds = false;
                int64_t value;
                if (ob_dim_eval(pool, condition.a, bindings, 2, &value) != OB_OK ||
                    ob_dim_eval(pool, condition.b, bindings, 2, &value) != OB_OK)
                    continue;
                assert_int_equal(ob_condition_eval(pool, &condition, bindings, 2, &holds), OB_OK);
                n_compared++;
                if (holds == (truth == OB_TRUE)) continue;
                char text[512];
                ob_condition_format(pool, &condition, text, sizeof text);
                fail_msg("%s was decided %d, A = %d, B = %d", text, truth, (int)bindings[0].size, (int)bindings[1].size);
            }
        }
        ob_dims_destroy(&pool);
    }
    assert_true(n_decided > 5000);
    assert_true(n_compared > 500000);
}

/* ---- Reading ---- */

static void text_is_read(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    static const struct {
        const char *text, *written; /* the conditions, joined by ", " */
    } rows[] = {
        {"N >= 1", "N >= 1"},
        {"N<=512", "512 >= N"},
        {"N = M", "N = M"},
        {"N == M", "N = M"},
        {"N < 5", "5 >= N + 1"},
        {"N > 5", "N >= 6"},
        {"1 <= N <= 512", "N >= 1, 512 >= N"},
        {"N = M = H", "N = M, M = H"},
        {"H % 32 = 0", "H % 32 = 0"},
        {"0 = H % 32", "H % 32 = 0"},
        {"H % 32 = 5", "(H - 5) % 32 = 0"},
        {"(H + 1) % 32 <= 7", "7 >= (H + 1) % 32"},
        {"H % M = 0", "H % M = 0"},
        {"H % M = 4", "H % M = 4"},
        {"H % (M + 1) <= 4", "4 >= H - M*floor(H/(M + 1)) - floor(H/(M + 1))"},
        {"N = 3*(H % M) + 1", "N = 3*(H % M) + 1"},
        {"floor(N/M) = 4", "floor(N/M) = 4"},
        {"N // M = 4, N // (2*M) = 4", "floor(N/M) = 4, floor(N/(2*M)) = 4"},
        {"ceil(N/M) = floor((N + H)/(M + 1))", "floor((N - 1)/M) + 1 = floor((N + H)/(M + 1))"},
        {"floor((N + 2*M)/M) = 7 // M", "floor(N/M) + 2 = floor(7/M)"},
        {"H is a multiple of 8", "H % 8 = 0"},
        {"N = 2*M + 1", "N = 2*M + 1"},
        {"N = -(2 - M)*3", "N = 3*M - 6"},
        {"N = floor((H + 1)/2), M >= 2 and N >= 3", "N = ceil(H/2), M >= 2, N >= 3"},
        {"N = (H + 1) // 2", "N = ceil(H/2)"},
        {"ceil(H/7)*7 = H", "7*ceil(H/7) = H"},
        {"min(N, 512) >= max(M, H, 3)", "min(N, 512) >= max(H, M, 3)"},
        {"bcast(N, M) = 4", "bcast(N, M) = 4"},
        {"x[0] >= 1; \"odd name\" = \"a\\\"\\\\\\x0A\"", "x[0] >= 1, \"odd name\" = \"a\\\"\\\\\\x0A\""},
        {"N = M or N = 1", "N = M or N = 1"},
        {"N = 1 or N = 5", "N = 1 or N = 5"},
        {"N = M or N = 1 or M = 1", "N = M or N = 1 or M = 1"},
        {"N = 3 or N = 5", "N*N - 8*N + 15 = 0"},
        {"N in {3, 5}", "N*N - 8*N + 15 = 0"},
        {"N in {7}", "N = 7"},
        {"N % 6 in {1, 5}, M >= 1", NULL},
        {"or = in or or = 1", "\"or\" = \"in\" or \"or\" = 1"},
        {"min = floor", "\"min\" = \"floor\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ob_condition out[OB_CONDITION_PARSE_MAX];
        size_t n = 0;
        ob_error error;
        ob_error_clear(&error);
        char all[256] = "", one[128];
        assert_int_equal(ob_condition_parse(p, rows[i].text, false, out, &n, &error), OB_OK);
        for (size_t k = 0; k < n; k++) {
            ob_condition_format(p, &out[k], one, sizeof one);
            strcat(strcat(all, k ? ", " : ""), one);
        }
        if (rows[i].written) assert_string_equal(all, rows[i].written);
    }
}

static void text_that_is_no_condition_is_refused(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text;
        ob_status status;
        const char *message;
    } rows[] = {
        {"", OB_E_FORMAT, "\"\", position 1: expected a number or the name of a size"},
        {"N", OB_E_FORMAT, "\"N\", position 2: expected =, >=, <=, > or <"},
        {"N >=", OB_E_FORMAT, "\"N >=\", position 5: expected a number or the name of a size"},
        {"N != 3", OB_E_FORMAT, "\"N != 3\", position 3: != cannot be stated: use >= or <="},
        {"N = 3 M", OB_E_FORMAT, "\"N = 3 M\", position 7: expected the end, a comma, \"and\" or an operator"},
        {"2N = 4", OB_E_FORMAT,
         "\"2N = 4\", position 2: an operator is missing: write 2*N, and names that begin with a digit in quotes"},
        {"N/2 = 4", OB_E_FORMAT, "\"N/2 = 4\", position 2: expected =, >=, <=, > or <"},
        {"floor(N) = 4", OB_E_FORMAT, "\"floor(N) = 4\", position 8: expected / and a divisor, as in floor(N/2)"},
        {"floor(N/2*M) = 4", OB_E_FORMAT, "\"floor(N/2*M) = 4\", position 10: expected )"},
        {"floor(N/-2) = 4", OB_E_FORMAT, "\"floor(N/-2) = 4\", position 9: a divisor must be 1 or more"},
        {"N // (M - M) = 4", OB_E_FORMAT, "\"N // (M - M) = 4\", position 3: division by 0"},
        {"floor(N/0) = 4", OB_E_FORMAT, "\"floor(N/0) = 4\", position 9: division by 0"},
        {"N % 0 = 4", OB_E_FORMAT, "\"N % 0 = 4\", position 3: the divisor of a remainder must be 1 or more"},
        {"sin(N) = 4", OB_E_FORMAT,
         "\"sin(N) = 4\", position 1: unknown function: the functions are min, max, floor, ceil and bcast"},
        {"(N = 4", OB_E_FORMAT, "\"(N = 4\", position 4: expected )"},
        {"\"N = 4", OB_E_FORMAT, "\"\"N = 4\", position 1: the quote is not closed"},
        {"?1 = 4", OB_E_FORMAT, "\"?1 = 4\", position 1: a size without a name cannot be used here"},
        {"N >= 1 or N = 4", OB_E_FORMAT, "\"N >= 1 or N = 4\", position 1: an alternative must be an equation"},
        {"N = 99999999999999999999", OB_E_FORMAT, "\"N = 99999999999999999999\", position 5: the number is too large"},
        {"N = 4611686018427387902 + 1 + 1", OB_E_LIMIT, "\"N = 4611686018427387902 + 1 + 1\", position 5: the term is too large"},
        {"N = absent", OB_E_NOT_FOUND, "\"N = absent\", position 5: no size is called \"absent\""},
        {"N=1,N=1,N=1,N=1,N=1,N=1,N=1,N=1,N=1", OB_E_LIMIT, "\"N=1,N=1,N=1,N=1,N=1,N=1,N=1,N=1,N=1\": more than 8 conditions"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ob_condition out[OB_CONDITION_PARSE_MAX] = {{OB_COND_EQUAL, 77, 77}};
        size_t n = 99;
        ob_error error;
        ob_error_clear(&error);
        assert_int_equal(ob_condition_parse(f->pool, rows[i].text, true, out, &n, &error), rows[i].status);
        assert_string_equal(error.message, rows[i].message);
        assert_int_equal(error.code, rows[i].status);
        assert_int_equal(n, 99);
        assert_int_equal(out[0].a, 77);
    }
    assert_true(ob_dim_find(f->pool, "absent") == UNKNOWN);
    ob_condition out[OB_CONDITION_PARSE_MAX];
    size_t n = 0;
    char text[5000];
    memset(text, '(', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_int_equal(ob_condition_parse(f->pool, text, false, out, &n, NULL), OB_E_LIMIT); /* too long */
    text[4000] = '\0';
    assert_int_equal(ob_condition_parse(f->pool, text, false, out, &n, NULL), OB_E_LIMIT); /* too deep */
    memset(text, '-', 4000);
    assert_int_equal(ob_condition_parse(f->pool, text, false, out, &n, NULL), OB_E_LIMIT);
    assert_int_equal(ob_condition_parse(f->pool, NULL, false, out, &n, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_condition_parse(NULL, "N = 1", false, out, &n, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_condition_parse(f->pool, "N = 1", false, NULL, &n, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_condition_parse(f->pool, "N = 1", false, out, NULL, NULL), OB_E_ARGUMENT);
}

/* Each may be the name of a size. */
static const char *const hostile[] = {"A",         "or",    "and",        "in",       "is",
                                      "if",        "not",   "never",      "mod",      "min",
                                      "max",       "floor", "ceil",       "bcast",    "x[0]",
                                      "a or b",    "a = b", "7",          "2*N",      "\"",
                                      "\\",        "a\"b",  "a\nb",       "a\x1B",    "a (operand b)",
                                      "min(A, B)", "N:",    "if N: ",     ",",        "{1, 2}",
                                      "?1",        " ",     "gr\xC3\xB6", "\xFF\xFE", "a is a multiple of b"};

/* Written text is read back as the same condition. */
static void text_is_read_back(void **state) {
    (void)state;
    uint64_t seed = UINT64_C(4711);
    size_t n_read = 0;
    for (int round = 0; round < 500; round++) {
        ob_dims *pool = NULL;
        assert_int_equal(ob_dims_create(NULL, &pool), OB_OK);
        enum { TERMS = 16 };
        enum { HOSTILE = sizeof hostile / sizeof *hostile };
        ob_dim terms[TERMS] = {
            ob_dim_symbol(pool, hostile[round % HOSTILE]), ob_dim_symbol(pool, hostile[round * 7 % HOSTILE]), 0, 1, 2, 7};
        for (size_t i = 6; i < TERMS; i++) {
            terms[i] = random_term(pool, &seed, terms, i);
            char text[2000];
            if (terms[i] == UNKNOWN) terms[i] = terms[0];
            ob_condition out[OB_CONDITION_PARSE_MAX], condition = {OB_COND_AT_LEAST, terms[i], terms[pick(&seed, i)]};
            size_t n = 0;
            if (ob_condition_format(pool, &condition, text, sizeof text) >= sizeof text) continue;
            ob_status status = ob_condition_parse(pool, text, true, out, &n, NULL);
            if (status == OB_E_LIMIT) continue; /* an intermediate term was too large */
            if (status != OB_OK || n != 1 || out[0].a != condition.a || out[0].b != condition.b) fail_msg("%s", text);
            n_read++;
        }
        ob_dims_destroy(&pool);
    }
    assert_true(n_read > 4500);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        WITH_POOL(constants_are_decided),
        WITH_POOL(terms_are_decided_where_they_can_be),
        WITH_POOL(what_is_unknown_stays_undecided),
        WITH_POOL(a_broadcast_term_is_taken_at_its_word),
        WITH_POOL(a_quotient_is_taken_at_its_word),
        WITH_POOL(bindings_test_conditions),
        WITH_POOL(text_leaves_out_what_cannot_hold),
        cmocka_unit_test(decisions_agree_with_every_binding),
        WITH_POOL(text_is_read),
        WITH_POOL(text_that_is_no_condition_is_refused),
        cmocka_unit_test(text_is_read_back),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
