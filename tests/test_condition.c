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
        {{OB_COND_DIVISIBLE, f->n, 8}, "N is a multiple of 8"},
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

/* TRUE must hold under every binding, FALSE under none. */
static void decisions_agree_with_every_binding(void **state) {
    (void)state;
    uint64_t seed = UINT64_C(77);
    size_t n_decided = 0;
    for (int round = 0; round < 400; round++) {
        ob_dims *pool = NULL;
        assert_int_equal(ob_dims_create(NULL, &pool), OB_OK);
        enum { TERMS = 14 };
        ob_dim terms[TERMS] = {ob_dim_symbol(pool, "A"), ob_dim_symbol(pool, "B"), 0, 1, 2, 3};
        for (size_t i = 6; i < TERMS; i++) {
            ob_dim a = terms[pick(&seed, i)], b = terms[pick(&seed, i)];
            int64_t c = (int64_t)pick(&seed, 3) + 2;
            switch (pick(&seed, 5)) {
            case 0: terms[i] = ob_dim_add(pool, a, b); break;
            case 1: terms[i] = ob_dim_sub(pool, a, b); break;
            case 2: terms[i] = ob_dim_mul(pool, a, c); break;
            case 3: terms[i] = ob_dim_div(pool, a, c); break;
            default: terms[i] = ob_dim_mul(pool, a, b);
            }
            if (terms[i] == UNKNOWN) terms[i] = terms[0];
        }
        for (int trial = 0; trial < 40; trial++) {
            const ob_condition condition = {(ob_condition_kind)pick(&seed, 5), terms[pick(&seed, TERMS)],
                                            terms[pick(&seed, TERMS)]};
            ob_truth truth = ob_condition_decide(pool, &condition);
            if (truth == OB_UNDECIDED) continue;
            n_decided++;
            for (int64_t a = 0; a < 6; a++)
                for (int64_t b = 0; b < 6; b++) {
                    const ob_binding bindings[] = {{terms[0], a}, {terms[1], b}};
                    bool holds = false;
                    if (ob_condition_eval(pool, &condition, bindings, 2, &holds) == OB_E_LIMIT) continue;
                    assert_int_equal(holds, truth == OB_TRUE);
                }
        }
        ob_dims_destroy(&pool);
    }
    assert_true(n_decided > 1000);
}

int main(int argc, char **argv) {
#define WITH_POOL(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_POOL(constants_are_decided),
        WITH_POOL(terms_are_decided_where_they_can_be),
        WITH_POOL(what_is_unknown_stays_undecided),
        WITH_POOL(a_broadcast_term_is_taken_at_its_word),
        WITH_POOL(bindings_test_conditions),
        WITH_POOL(text_leaves_out_what_cannot_hold),
        cmocka_unit_test(decisions_agree_with_every_binding),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
