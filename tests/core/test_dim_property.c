/* Properties of terms: random ones keep their value, and terms with colliding hashes are still found quickly. */
#include "core/base/integers.h"
#include "core/dims/terms.h"
#include "shapes.h"

/* coefficient * n + constant, for which ob__hash_bytes gives one hash, since its first step can be inverted. False if the
 * coefficient would be out of range. */
static bool colliding_coefficient(int64_t constant, int64_t *out) {
    uint64_t h = UINT64_C(0x9E3779B97F4A7C15) ^ 32;
    h = (h ^ (uint64_t)constant) * UINT64_C(0xD6E8FEB86659FD93);
    h ^= h >> 32;
    h ^= UINT64_C(0x123456789ABCDEF0);
    if (h == 0 || h > (uint64_t)OB_DIM_CONST_MAX) return false;
    *out = (int64_t)h;
    return true;
}

static void terms_that_were_made_to_collide_are_spread(void **state) {
    (void)state;
    enum { N = 60000 };
    ob_dims *pool = NULL;
    assert_int_equal(ob_dims_create(NULL, &pool), OB_OK);
    ob_dim n = ob_dim_symbol(pool, "n"), *made = calloc(N, sizeof *made);
    assert_non_null(made);
    int64_t coefficient;
    for (int round = 0; round < 2; round++)
        for (int64_t i = 0; i < N; i++) {
            if (!colliding_coefficient(i + 1, &coefficient)) continue;
            ob_dim term = ob_dim_add(pool, ob_dim_mul(pool, n, coefficient), i + 1);
            assert_true(ob_dim_is_term(term));
            assert_true(round == 0 || term == made[i]);
            made[i] = term;
        }
    uint32_t run = 0, longest = 0;
    for (uint32_t i = 0; i < 2 * pool->n_slots; i++) {
        run = pool->slots[i & (pool->n_slots - 1)] ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    assert_true(pool->keyed); /* otherwise they do not collide, and the test shows nothing */
    assert_true(longest < OB_HASH_RUN);
    free(made);
    ob_dims_destroy(&pool);
}

/* Builds random terms together with their values under random bindings: the normal form must keep the value, and the bounds
 * must contain it. */
static void the_normal_form_keeps_the_value(void **state) {
    (void)state;
    uint64_t seed = UINT64_C(20240611);
    enum { SYMBOLS = 4, TERMS = 24 };
    for (int round = 0; round < 3000; round++) {
        ob_dims *pool = NULL;
        assert_int_equal(ob_dims_create(NULL, &pool), OB_OK);
        ob_binding bindings[SYMBOLS];
        ob_dim terms[TERMS];
        int64_t values[TERMS];
        for (int i = 0; i < SYMBOLS; i++) {
            const char name[2] = {(char)('A' + i), '\0'};
            terms[i] = ob_dim_symbol(pool, name);
            values[i] = (int64_t)(next_random(&seed) % 9);
            bindings[i] = (ob_binding){terms[i], values[i]};
        }
        for (int i = SYMBOLS; i < TERMS; i++) {
            size_t a = next_random(&seed) % (size_t)i, b = next_random(&seed) % (size_t)i;
            int64_t c = (int64_t)(next_random(&seed) % 13) - 6;
            if (c == 0) c = 5;
            bool less = values[a] < values[b];
            switch (next_random(&seed) % 10) {
            case 8: /* where it is defined */
                if (values[b] < 1) b = 0;
                if (values[b] < 1) terms[b] = ob_dim_add(pool, terms[b], 1), values[b]++;
                terms[i] = ob_dim_quotient(pool, terms[a], terms[b]), values[i] = ob__floor_div(values[a], values[b]);
                break;
            case 9:
                if (values[b] < 1) terms[b] = c < 0 ? -c : c, values[b] = terms[b];
                terms[i] = ob_dim_quotient(pool, ob_dim_add(pool, terms[a], ob_dim_mul(pool, c, terms[b])), terms[b]);
                values[i] = ob__floor_div(values[a], values[b]) + c;
                break;
            case 6: terms[i] = ob_dim_min(pool, terms[a], terms[b]), values[i] = less ? values[a] : values[b]; break;
            case 7: terms[i] = ob_dim_max(pool, terms[a], terms[b]), values[i] = less ? values[b] : values[a]; break;
            case 0: terms[i] = ob_dim_add(pool, terms[a], terms[b]), values[i] = values[a] + values[b]; break;
            case 1: terms[i] = ob_dim_sub(pool, terms[a], terms[b]), values[i] = values[a] - values[b]; break;
            case 2: terms[i] = ob_dim_mul(pool, terms[a], c), values[i] = values[a] * c; break;
            case 3: terms[i] = ob_dim_div(pool, terms[a], c), values[i] = ob__floor_div(values[a], c); break;
            case 4: terms[i] = ob_dim_add(pool, terms[a], c), values[i] = values[a] + c; break;
            default:
                if (values[a] > 1000 || values[a] < -1000 || values[b] > 1000 || values[b] < -1000) b = a = 0;
                terms[i] = ob_dim_mul(pool, terms[a], terms[b]), values[i] = values[a] * values[b];
            }
            if (terms[i] == OB_DIM_UNKNOWN) { /* above a limit, which is sound: start again from a symbol */
                terms[i] = terms[0], values[i] = values[0];
                continue;
            }
            int64_t value = INT64_MIN, low, high;
            assert_int_equal(ob_dim_eval(pool, terms[i], bindings, SYMBOLS, &value), OB_OK);
            assert_int_equal(value, values[i]);
            ob_dim_bounds(pool, terms[i], &low, &high);
            assert_true(low <= value && value <= high);
            assert_int_equal(ob_dim_substitute(pool, terms[i], bindings, SYMBOLS), value);
            ob_dim half = ob_dim_substitute(pool, terms[i], bindings, SYMBOLS / 2);
            if (half != OB_DIM_UNKNOWN) {
                assert_int_equal(ob_dim_eval(pool, half, bindings, SYMBOLS, &value), OB_OK);
                assert_int_equal(value, values[i]);
            }
            if (terms[b] != 0 && terms[b] != OB_DIM_UNKNOWN) { /* a factor can be divided out again */
                ob_dim product = ob_dim_mul(pool, terms[i], terms[b]);
                if (product != OB_DIM_UNKNOWN) assert_true(ob_dim_div_exact(pool, product, terms[b]) == terms[i]);
            }
        }
        ob_dims_destroy(&pool);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_normal_form_keeps_the_value),
        cmocka_unit_test(terms_that_were_made_to_collide_are_spread),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
