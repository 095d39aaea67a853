/* SONNX, "Broadcast": its statements as properties over random shapes and types. Sizes and indexes here count from 0. */
#include "shapes.h"

enum { MAX_INPUTS = 64, MAX_BYTES = 16 * 256 };

typedef struct inputs {
    size_t n;
    ob_shape shapes[MAX_INPUTS];
    int64_t dims[MAX_INPUTS][8];
    ob_view views[MAX_INPUTS];
    unsigned char bytes[MAX_INPUTS][MAX_BYTES];
} inputs;

/* A target shape of at most 256 elements; each input has a suffix of it, with some sizes replaced by 1. */
static void random_inputs(uint64_t *seed, inputs *x, size_t n_max) {
    int64_t target[8], count = 1;
    int32_t rank = (int32_t)pick(seed, 9);
    for (int32_t i = 0; i < rank; i++) {
        target[i] = (int64_t)pick(seed, 5);
        if (target[i] > 0 && count * target[i] > 256) target[i] = 1;
        if (target[i] > 0) count *= target[i];
    }
    x->n = 1 + pick(seed, n_max);
    for (size_t m = 0; m < x->n; m++) {
        int32_t own = (int32_t)pick(seed, (size_t)rank + 1);
        for (int32_t i = 0; i < own; i++) x->dims[m][i] = pick(seed, 3) ? target[rank - own + i] : 1;
        x->shapes[m] = (ob_shape){own, x->dims[m]};
        for (size_t k = 0; k < MAX_BYTES; k++) x->bytes[m][k] = (unsigned char)next_random(seed);
        ob_dtype dtype = (ob_dtype)(1 + pick(seed, OB_DTYPE_COUNT - 1)); /* every type takes part, string and boolean included */
        assert_int_equal(ob_view_init(&x->views[m], x->bytes[m], dtype, own, x->dims[m]), OB_OK);
    }
}

/* The constraint in the words of the text: every size is the maximum over all inputs or 1. */
static bool c1_holds(const ob_shape *shapes, size_t n) {
    int32_t rank = 0;
    for (size_t m = 0; m < n; m++)
        if (shapes[m].rank > rank) rank = shapes[m].rank;
    for (int32_t i = 0; i < rank; i++) {
        int64_t largest = 0;
        for (size_t m = 0; m < n; m++)
            if (naive_size(&shapes[m], rank, i) > largest) largest = naive_size(&shapes[m], rank, i);
        for (size_t m = 0; m < n; m++) {
            int64_t size = naive_size(&shapes[m], rank, i);
            if (size != largest && size != 1) return false;
        }
    }
    return true;
}

/* f(a, B, C) = a if B = C, the first index if B = 1. */
static int64_t f(int64_t a, int64_t size, int64_t target) {
    assert_true(size == target || size == 1);
    return size == target ? a : 0;
}

static void assert_same_elements(const ob_view *a, const ob_view *b) {
    assert_int_equal(a->dtype, b->dtype);
    assert_int_equal(a->rank, b->rank);
    int64_t index[OB_MAX_RANK], count = count_of(a->rank, a->dims);
    for (int32_t i = 0; i < a->rank; i++) assert_int_equal(a->dims[i], b->dims[i]);
    for (int64_t i = 0; i < count; i++) {
        coordinates(i, a->rank, a->dims, index);
        assert_memory_equal(element_at(a, index), element_at(b, index), ob_dtype_size(a->dtype));
    }
}

typedef void (*property)(uint64_t *seed, inputs *x, ob_view *z);

/* Runs a property on 300 random families of inputs that broadcast, z being their Broadcast. */
static void for_random_inputs(property holds, uint64_t seed) {
    inputs *x = malloc(sizeof *x);
    ob_view *z = malloc(MAX_INPUTS * sizeof *z);
    assert_true(x && z);
    for (int round = 0; round < 300; round++) {
        random_inputs(&seed, x, round % 20 == 0 ? MAX_INPUTS : 5);
        assert_int_equal(ob_view_broadcast_all(x->views, x->n, z, NULL), OB_OK);
        holds(&seed, x, z);
    }
    free(x);
    free(z);
}

/* ---- Signature ---- */

static void each_output_has_the_type_of_its_input(uint64_t *seed, inputs *x, ob_view *z) {
    (void)seed;
    for (size_t m = 0; m < x->n; m++) {
        assert_int_equal(z[m].dtype, x->views[m].dtype);
        assert_int_equal(z[m].rank, z[0].rank);
        for (int32_t i = 0; i < z[0].rank; i++) assert_int_equal(z[m].dims[i], z[0].dims[i]);
    }
}
static void sonnx_n_inputs_give_n_outputs_of_one_shape_and_their_own_types(void **state) {
    (void)state;
    for_random_inputs(each_output_has_the_type_of_its_input, 1);
}

static void sonnx_broadcast_of_nothing_is_nothing(void **state) {
    (void)state;
    assert_int_equal(ob_view_broadcast_all(NULL, 0, NULL, NULL), OB_OK);
    assert_int_equal(ob_view_broadcast_all(NULL, 1, NULL, NULL), OB_E_ARGUMENT);
}

/* ---- Conditions 1 and 2: rank and sizes ---- */

static void sizes_are_the_maximum(uint64_t *seed, inputs *x, ob_view *z) {
    (void)seed;
    int32_t rank = 0;
    for (size_t m = 0; m < x->n; m++)
        if (x->shapes[m].rank > rank) rank = x->shapes[m].rank;
    assert_int_equal(z[0].rank, rank);      /* condition 1 */
    if (!c1_holds(x->shapes, x->n)) return; /* a size of 0 met a 1: below */
    for (int32_t i = 0; i < rank; i++) {
        int64_t largest = 0;
        for (size_t m = 0; m < x->n; m++)
            if (naive_size(&x->shapes[m], rank, i) > largest) largest = naive_size(&x->shapes[m], rank, i);
        assert_int_equal(z[0].dims[i], largest); /* condition 2 */
    }
}
static void sonnx_condition_1_rank_and_condition_2_sizes_are_maxima(void **state) {
    (void)state;
    for_random_inputs(sizes_are_the_maximum, 2);
}

/* ---- Steps 1 and 2: the index relation ---- */

static void index_relation(uint64_t *seed, inputs *x, ob_view *z) {
    (void)seed;
    int64_t index[OB_MAX_RANK], own[OB_MAX_RANK];
    int64_t count = count_of(z[0].rank, z[0].dims);
    for (size_t m = 0; m < x->n; m++) {
        int32_t shift = z[m].rank - x->shapes[m].rank;
        for (int64_t e = 0; e < count; e++) {
            coordinates(e, z[m].rank, z[m].dims, index);
            /* Zm[i] = Ym[f(i1, dYm1, dY1), ...], Ym[s, i'] = Xm[i'] */
            for (int32_t i = 0; i < x->shapes[m].rank; i++) own[i] = f(index[shift + i], x->dims[m][i], z[m].dims[shift + i]);
            assert_memory_equal(element_at(&z[m], index), element_at(&x->views[m], own), ob_dtype_size(z[m].dtype));
        }
    }
}
static void sonnx_index_relation_f(void **state) {
    (void)state;
    for_random_inputs(index_relation, 3);
}
static void sonnx_f_gives_the_index_or_the_first(void **state) {
    (void)state;
    assert_int_equal(f(3, 5, 5), 3);
    assert_int_equal(f(3, 1, 5), 0);
    assert_int_equal(f(0, 1, 1), 0);
}

/* Copying from a view gives the same bits for every type. */
static void copies_are_bit_identical(uint64_t *seed, inputs *x, ob_view *z) {
    (void)seed;
    static unsigned char copy[MAX_BYTES];
    int64_t count = count_of(z[0].rank, z[0].dims);
    for (size_t m = 0; m < x->n; m++) {
        ob_view target;
        memset(copy, 0xEE, sizeof copy);
        assert_int_equal(ob_view_init(&target, copy, z[m].dtype, z[m].rank, z[m].dims), OB_OK);
        assert_int_equal(ob_view_assign(&target, &x->views[m], NULL), OB_OK);
        assert_shows(&z[m], x->shapes[m], x->bytes[m], ob_dtype_size(z[m].dtype));
        assert_same_elements(&target, &z[m]);
        size_t n_bytes = (size_t)count * ob_dtype_size(z[m].dtype);
        if (n_bytes < sizeof copy) assert_int_equal(copy[n_bytes], 0xEE);
    }
}
static void sonnx_mixed_types_are_bit_identical(void **state) {
    (void)state;
    for_random_inputs(copies_are_bit_identical, 4);
}

/* ---- Constraint C1 ---- */

static void sonnx_c1_decides_what_broadcasts(void **state) {
    (void)state;
    uint64_t seed = 5;
    size_t n_legal = 0, n_differ = 0;
    for (int round = 0; round < 20000; round++) {
        ob_dim dims[4][3];
        ob_shape shapes[4];
        size_t n = 1 + pick(&seed, 4);
        for (size_t m = 0; m < n; m++) {
            shapes[m] = (ob_shape){(int32_t)pick(&seed, 4), dims[m]};
            for (int i = 0; i < 3; i++) dims[m][i] = (int64_t)pick(&seed, 8) > 5 ? (int64_t)pick(&seed, 4) : 1;
        }
        bool c1 = c1_holds(shapes, n);
        ob_broadcast_result result;
        ob_status status = ob_broadcast_shapes(shapes, n, NULL, NULL, NULL, &result, NULL);
        break_list breaks = {.n = 0};
        assert_int_equal(ob_rules_check(OB_RULES_SONNX, shapes, n, NULL, NULL, collect_break, &breaks, NULL), status);
        if (c1) {
            assert_int_equal(status, OB_OK);
            assert_int_equal(breaks.n, 0);
            n_legal++;
        } else if (status == OB_OK) { /* NumPy's 0 with 1, which the maximum refuses */
            assert_true(breaks.n > 0);
            assert_true(has_break(&breaks, "OB0321"));
            assert_int_equal(breaks.items[0].severity, OB_SEVERITY_ERROR);
            n_differ++;
        }
    }
    assert_true(n_legal > 1000 && n_differ > 100);
}
static void sonnx_c1_refuses_0_with_1(void **state) {
    (void)state;
    const ob_shape shapes[] = {SHAPE(4, 1), SHAPE(0)};
    assert_false(c1_holds(shapes, 2));
    assert_broadcast(shapes[0], shapes[1], SHAPE(4, 0));
    break_list breaks = {.n = 0};
    assert_int_equal(ob_rules_check(OB_RULES_SONNX, shapes, 2, NULL, NULL, collect_break, &breaks, NULL), OB_OK);
    assert_int_equal(breaks.n, 1);
    assert_string_equal(breaks.items[0].message, "axis 1: 0 (operand 1) meets 1 (operand 0): the maximum is 1, not 0");
    assert_int_equal(breaks.items[0].operand, 1);
    assert_int_equal(breaks.items[0].axis, 1);
}

/* ---- Commutativity and the recursive definition ---- */

static void permutation_commutes(uint64_t *seed, inputs *x, ob_view *z) {
    size_t order[MAX_INPUTS];
    ob_view *permuted = malloc(2 * x->n * sizeof *permuted), *out = permuted + x->n;
    assert_non_null(permuted);
    for (size_t i = 0; i < x->n; i++) order[i] = i;
    for (size_t i = x->n; i-- > 1;) {
        size_t k = pick(seed, i + 1), swapped = order[i];
        order[i] = order[k];
        order[k] = swapped;
    }
    for (size_t i = 0; i < x->n; i++) permuted[i] = x->views[order[i]];
    assert_int_equal(ob_view_broadcast_all(permuted, x->n, out, NULL), OB_OK);
    for (size_t i = 0; i < x->n; i++) assert_same_elements(&out[i], &z[order[i]]);
    free(permuted);
}
static void sonnx_broadcast_commutes_with_every_permutation(void **state) {
    (void)state;
    for_random_inputs(permutation_commutes, 6);
}

static void binary_steps_agree(uint64_t *seed, inputs *x, ob_view *z) {
    (void)seed;
    /* Z1..ZN = Broadcast(Broadcast(X1..XN-1), XN), with the binary operator alone: each earlier result against the new input */
    ob_view *so_far = malloc(x->n * sizeof *so_far);
    assert_non_null(so_far);
    so_far[0] = x->views[0];
    for (size_t m = 1; m < x->n; m++) {
        ob_view pair[2];
        for (size_t i = 0; i < m; i++) {
            pair[0] = so_far[i];
            pair[1] = x->views[m];
            assert_int_equal(ob_view_broadcast_all(pair, 2, pair, NULL), OB_OK);
            so_far[i] = pair[0];
        }
        so_far[m] = pair[1];
    }
    for (size_t m = 0; m < x->n; m++) assert_same_elements(&so_far[m], &z[m]);
    free(so_far);
}
static void sonnx_recursive_binary_definition(void **state) {
    (void)state;
    for_random_inputs(binary_steps_agree, 7);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sonnx_n_inputs_give_n_outputs_of_one_shape_and_their_own_types),
        cmocka_unit_test(sonnx_broadcast_of_nothing_is_nothing),
        cmocka_unit_test(sonnx_condition_1_rank_and_condition_2_sizes_are_maxima),
        cmocka_unit_test(sonnx_index_relation_f),
        cmocka_unit_test(sonnx_f_gives_the_index_or_the_first),
        cmocka_unit_test(sonnx_mixed_types_are_bit_identical),
        cmocka_unit_test(sonnx_c1_decides_what_broadcasts),
        cmocka_unit_test(sonnx_c1_refuses_0_with_1),
        cmocka_unit_test(sonnx_broadcast_commutes_with_every_permutation),
        cmocka_unit_test(sonnx_recursive_binary_definition),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
