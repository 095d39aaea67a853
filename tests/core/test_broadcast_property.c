/* Broadcasting compared with a naive oracle, index by index: ranks 0 to 8, sizes 0, 1 and n, 1 to 64 operands; symbolic results
 * compared with concrete ones. */
#include "shapes.h"

enum { MAX_OPERANDS = 64, HIGHEST_RANK = 8 };

typedef struct family {
    size_t n;
    ob_shape shapes[MAX_OPERANDS];
    ob_dim dims[MAX_OPERANDS][HIGHEST_RANK];
} family;

/* Operands drawn from one target, so that they broadcast; then, in half of the families, one size is spoilt. */
static void random_family(uint64_t *seed, family *f, size_t n_max, int64_t size_max) {
    int64_t target[HIGHEST_RANK];
    int32_t rank = (int32_t)pick(seed, HIGHEST_RANK + 1);
    for (int32_t i = 0; i < rank; i++) target[i] = (int64_t)pick(seed, (size_t)size_max + 1);
    f->n = 1 + pick(seed, n_max);
    for (size_t m = 0; m < f->n; m++) {
        int32_t own = (int32_t)pick(seed, (size_t)rank + 1);
        for (int32_t i = 0; i < own; i++) f->dims[m][i] = pick(seed, 3) ? target[rank - own + i] : 1;
        f->shapes[m] = (ob_shape){own, f->dims[m]};
    }
    size_t spoilt = pick(seed, f->n);
    if (f->shapes[spoilt].rank > 0 && pick(seed, 2))
        f->dims[spoilt][pick(seed, (size_t)f->shapes[spoilt].rank)] = (int64_t)pick(seed, (size_t)size_max + 2);
}

static void shapes_agree_with_the_oracle(void **state) {
    (void)state;
    uint64_t seed = 11;
    static family f;
    size_t n_ok = 0, n_failed = 0;
    for (int round = 0; round < 6000; round++) {
        random_family(&seed, &f, round % 10 == 0 ? MAX_OPERANDS : 4, 5);
        int32_t rank;
        int64_t dims[HIGHEST_RANK];
        bool legal = naive_broadcast(f.shapes, f.n, &rank, dims);
        ob_broadcast_result result = {.rank = 77};
        ob_error error;
        ob_error_clear(&error);
        ob_status status = ob_broadcast_shapes(f.shapes, f.n, NULL, NULL, NULL, &result, &error);
        assert_int_equal(status, legal ? OB_OK : OB_E_SHAPE);
        if (legal) {
            assert_dims(&result, (ob_shape){rank, dims});
            n_ok++;
            continue;
        }
        n_failed++;
        /* the named axis and operands really clash */
        long long a, b;
        size_t i, k;
        int axis;
        assert_int_equal(sscanf(error.message, "axis %d: %lld (operand %zu) does not broadcast with %lld (operand %zu)", &axis,
                                &a, &i, &b, &k),
                         5);
        assert_int_equal(axis, error.axis);
        assert_true(i < f.n && k < f.n && a != b && a != 1 && b != 1);
        assert_int_equal(naive_size(&f.shapes[i], rank, axis), a);
        assert_int_equal(naive_size(&f.shapes[k], rank, axis), b);
        assert_int_equal(result.rank, 77);
    }
    assert_true(n_ok > 1000 && n_failed > 500);
}

static void order_and_repetition_do_not_matter(void **state) {
    (void)state;
    uint64_t seed = 12;
    static family f;
    for (int round = 0; round < 2000; round++) {
        random_family(&seed, &f, 8, 4);
        ob_broadcast_result first, second;
        ob_status status = ob_broadcast_shapes(f.shapes, f.n, NULL, NULL, NULL, &first, NULL);
        ob_shape turned[2 * MAX_OPERANDS];
        size_t turn = pick(&seed, f.n);
        for (size_t i = 0; i < 2 * f.n; i++) turned[i] = f.shapes[(i + turn) % f.n];
        assert_int_equal(ob_broadcast_shapes(turned, 2 * f.n, NULL, NULL, NULL, &second, NULL), status);
        if (status == OB_OK) assert_dims(&second, (ob_shape){first.rank, first.dims});
    }
}

static void a_pairwise_fold_of_numbers_agrees(void **state) {
    (void)state;
    uint64_t seed = 13;
    static family f;
    for (int round = 0; round < 2000; round++) {
        random_family(&seed, &f, 8, 4);
        ob_broadcast_result all, folded = {.rank = 0};
        ob_status status = ob_broadcast_shapes(f.shapes, f.n, NULL, NULL, NULL, &all, NULL), fold = OB_OK;
        for (size_t i = 0; i < f.n && fold == OB_OK; i++) {
            ob_broadcast_result so_far = folded;
            const ob_shape pair[2] = {{so_far.rank, so_far.dims}, f.shapes[i]};
            fold = ob_broadcast_shapes(pair, 2, NULL, NULL, NULL, &folded, NULL);
        }
        assert_int_equal(fold, status);
        if (status == OB_OK) assert_dims(&folded, (ob_shape){all.rank, all.dims});
    }
}

/* Every element of every operand's view is the one that the index rule names; ranks 0 to 8, up to 64 operands. */
static void views_agree_with_the_oracle(void **state) {
    (void)state;
    uint64_t seed = 14;
    static family f;
    static uint16_t elements[65536];
    for (size_t i = 0; i < 65536; i++) elements[i] = (uint16_t)i;
    static ob_view views[MAX_OPERANDS];
    size_t n_checked = 0, n_empty = 0;
    for (int round = 0; round < 1500; round++) {
        random_family(&seed, &f, round % 25 == 0 ? MAX_OPERANDS : 4, round % 2 ? 2 : 4);
        int32_t rank;
        int64_t dims[HIGHEST_RANK];
        bool legal = naive_broadcast(f.shapes, f.n, &rank, dims);
        if (legal && count_of(rank, dims) > 2000) continue;
        for (size_t m = 0; m < f.n; m++)
            assert_int_equal(ob_view_init(&views[m], elements, OB_UINT16, f.shapes[m].rank, f.dims[m]), OB_OK);
        assert_int_equal(ob_view_broadcast_all(views, f.n, views, NULL), legal ? OB_OK : OB_E_SHAPE);
        if (!legal) continue;
        n_checked++;
        n_empty += count_of(rank, dims) == 0;
        for (size_t m = 0; m < f.n; m++) {
            assert_int_equal(views[m].rank, rank);
            assert_memory_equal(views[m].dims, dims, (size_t)rank * sizeof *dims);
            assert_shows(&views[m], f.shapes[m], elements, 2);
        }
    }
    assert_true(n_checked > 300 && n_empty > 50);
}

static void one_way_means_that_the_result_is_the_target(void **state) {
    (void)state;
    uint64_t seed = 15;
    static family f;
    size_t n_ok = 0;
    for (int round = 0; round < 6000; round++) {
        random_family(&seed, &f, 2, 3);
        if (f.n < 2) continue;
        const ob_shape *from = &f.shapes[0], *target = &f.shapes[1];
        int32_t rank;
        int64_t dims[HIGHEST_RANK];
        bool legal = naive_broadcast(f.shapes, 2, &rank, dims) && rank == target->rank;
        for (int32_t i = 0; legal && i < rank; i++) legal = dims[i] == target->dims[i];
        assert_int_equal(ob_broadcast_to(from, target, NULL, NULL, NULL, NULL), legal ? OB_OK : OB_E_SHAPE);
        n_ok += legal;
    }
    assert_true(n_ok > 500);
}

/* The mapping compared with its definition: dimension i of the operand is dimension dimensions[i] of the result. */
static void mappings_agree_with_the_oracle(void **state) {
    (void)state;
    uint64_t seed = 16;
    size_t n_legal = 0, n_views = 0;
    static uint16_t elements[512];
    for (size_t i = 0; i < 512; i++) elements[i] = (uint16_t)(i * 7);
    for (int round = 0; round < 6000; round++) {
        int32_t rank = (int32_t)pick(&seed, HIGHEST_RANK + 1), own = (int32_t)pick(&seed, (size_t)rank + 1);
        int64_t target[HIGHEST_RANK], where[HIGHEST_RANK];
        ob_dim dims[HIGHEST_RANK];
        for (int32_t i = 0; i < rank; i++) target[i] = (int64_t)pick(&seed, 3);
        bool legal = true;
        for (int32_t i = 0, at = 0; i < own; i++) { /* mostly ascending */
            at += (int32_t)pick(&seed, (size_t)(rank - own) / 2 + 1);
            where[i] = pick(&seed, 12) ? i + at : (int64_t)pick(&seed, 10) - 1;
            legal = legal && where[i] >= 0 && where[i] < rank && (i == 0 || where[i] > where[i - 1]);
        }
        for (int32_t i = 0; i < own; i++) dims[i] = legal && pick(&seed, 3) ? target[where[i]] : (int64_t)pick(&seed, 3);
        const ob_shape operand = {own, dims};
        ob_broadcast_result aligned;
        assert_int_equal(ob_align_in_dim(&operand, where, (size_t)own, rank, &aligned, NULL), legal ? OB_OK : OB_E_ARGUMENT);
        if (!legal) continue;
        n_legal++;
        ob_dim expected[HIGHEST_RANK];
        bool fits = true;
        for (int32_t i = 0; i < rank; i++) expected[i] = 1;
        for (int32_t i = 0; i < own; i++) {
            expected[where[i]] = dims[i];
            fits = fits && (dims[i] == 1 || dims[i] == target[where[i]]);
        }
        assert_dims(&aligned, (ob_shape){rank, expected});
        ob_view plain, mapped;
        assert_int_equal(ob_view_init(&plain, elements, OB_UINT16, own, dims), OB_OK);
        assert_int_equal(ob_view_broadcast_in_dim(&plain, where, (size_t)own, rank, target, &mapped, NULL),
                         fits ? OB_OK : OB_E_SHAPE);
        if (!fits) continue;
        n_views++;
        int64_t index[HIGHEST_RANK], count = count_of(rank, target);
        for (int64_t e = 0; e < count; e++) {
            coordinates(e, rank, target, index);
            int64_t source = 0;
            for (int32_t i = 0; i < own; i++) source = source * dims[i] + (dims[i] == 1 ? 0 : index[where[i]]);
            assert_int_equal(*(uint16_t *)element_at(&mapped, index), elements[source]);
        }
    }
    assert_true(n_legal > 1000 && n_views > 500);
}

/* Opset 1-6: B with 1s behind it, up to A's rank, must broadcast to A one way. */
static void legacy_agrees_with_the_oracle(void **state) {
    (void)state;
    uint64_t seed = 17;
    size_t n_ok = 0;
    for (int round = 0; round < 6000; round++) {
        int32_t rank = (int32_t)pick(&seed, 6), own = (int32_t)pick(&seed, 6);
        ob_dim a[6], b[6], padded[12];
        for (int32_t i = 0; i < rank; i++) a[i] = (int64_t)pick(&seed, 4);
        bool given = pick(&seed, 4) != 0;
        int64_t axis = (int64_t)pick(&seed, 12) - 6, start = given ? axis < 0 ? axis + rank : axis : rank - own;
        for (int32_t i = 0; i < own; i++) b[i] = start + i >= 0 && start + i < rank && pick(&seed, 5) ? a[start + i] : 1;
        if (own > 0 && pick(&seed, 2)) b[pick(&seed, (size_t)own)] = (int64_t)pick(&seed, 4);
        bool single = true;
        for (int32_t i = 0; i < own; i++) single = single && b[i] == 1;
        bool legal = own <= rank;
        if (legal && !single) {
            legal = start >= 0 && start + own <= rank;
            for (int32_t i = 0; i < rank; i++) padded[i] = i >= start && i < start + own ? b[i - start] : 1;
            for (int32_t i = 0; legal && i < rank; i++) legal = padded[i] == 1 || padded[i] == a[i];
        }
        int64_t dimensions[OB_MAX_RANK];
        const ob_shape left = {rank, a}, right = {own, b};
        ob_status status = ob_broadcast_legacy(&left, &right, given, axis, NULL, NULL, NULL, dimensions, NULL);
        assert_int_equal(status, legal ? OB_OK : OB_E_SHAPE);
        if (!legal) continue;
        n_ok++;
        for (int32_t i = 0; i < own; i++) assert_int_equal(dimensions[i], single ? dimensions[0] + i : start + i);
        ob_broadcast_result aligned;
        assert_int_equal(ob_align_in_dim(&right, dimensions, (size_t)own, rank, &aligned, NULL), OB_OK);
        assert_int_equal(ob_broadcast_to(&(ob_shape){rank, aligned.dims}, &left, NULL, NULL, NULL, NULL), OB_OK);
    }
    assert_true(n_ok > 1000);
}

/* ---- Symbols ---- */

enum { SYMBOLS = 3, TERMS = 12 };

typedef struct symbols {
    ob_dims *pool;
    ob_dim terms[TERMS]; /* symbols come first */
} symbols;

static void make_symbols(symbols *s) {
    assert_int_equal(ob_dims_create(NULL, &s->pool), OB_OK);
    ob_dim a = ob_dim_symbol(s->pool, "A"), b = ob_dim_symbol(s->pool, "B"), c = ob_dim_symbol(s->pool, "C");
    const ob_dim terms[TERMS] = {a,
                                 b,
                                 c,
                                 0,
                                 1,
                                 2,
                                 3,
                                 ob_dim_add(s->pool, a, 1),
                                 ob_dim_mul(s->pool, b, 2),
                                 ob_dim_div(s->pool, ob_dim_add(s->pool, c, 1), 2),
                                 ob_dim_add(s->pool, a, b),
                                 ob_dim_mul(s->pool, a, c)};
    memcpy(s->terms, terms, sizeof terms);
}

static void random_symbolic_family(uint64_t *seed, const symbols *s, family *f, size_t n_max, int32_t rank_max) {
    ob_dim target[HIGHEST_RANK];
    for (int32_t i = 0; i < rank_max; i++) target[i] = s->terms[pick(seed, TERMS)];
    f->n = 1 + pick(seed, n_max);
    for (size_t m = 0; m < f->n; m++) {
        int32_t own = (int32_t)pick(seed, (size_t)rank_max + 1);
        for (int32_t i = 0; i < own; i++) {
            size_t choice = pick(seed, 4);
            f->dims[m][i] = choice == 0 ? 1 : choice == 1 ? s->terms[pick(seed, TERMS)] : target[rank_max - own + i];
        }
        f->shapes[m] = (ob_shape){own, f->dims[m]};
    }
}

/* The family with numbers for symbols. */
static void evaluate(const symbols *s, const family *f, const ob_binding *bindings, family *out) {
    out->n = f->n;
    for (size_t m = 0; m < f->n; m++) {
        for (int32_t i = 0; i < f->shapes[m].rank; i++)
            assert_int_equal(ob_dim_eval(s->pool, f->dims[m][i], bindings, SYMBOLS, &out->dims[m][i]), OB_OK);
        out->shapes[m] = (ob_shape){f->shapes[m].rank, out->dims[m]};
    }
}

static bool all_hold(const symbols *s, const condition_list *list, const ob_binding *bindings) {
    for (size_t i = 0; i < list->n; i++) {
        bool holds = false;
        assert_int_equal(ob_condition_eval(s->pool, &list->items[i], bindings, SYMBOLS, &holds), OB_OK);
        if (!holds) return false;
    }
    return true;
}

typedef void (*binding_visit)(const symbols *s, const ob_binding *bindings, void *context);

/* All 5^3 bindings of the symbols to 0 .. 4. */
static void for_all_bindings(const symbols *s, binding_visit visit, void *context) {
    for (int64_t code = 0; code < 125; code++) {
        const ob_binding bindings[SYMBOLS] = {{s->terms[0], code % 5}, {s->terms[1], code / 5 % 5}, {s->terms[2], code / 25}};
        visit(s, bindings, context);
    }
}

typedef struct trial {
    const family *f;
    ob_status status;
    const ob_broadcast_result *result;
    const condition_list *conditions;
    size_t n_held, n_broken;
} trial;

/* All conditions hold if and only if the numbers broadcast; then the result's terms have the numbers' sizes. */
static void check_multidirectional(const symbols *s, const ob_binding *bindings, void *context) {
    trial *t = context;
    static family numbers;
    evaluate(s, t->f, bindings, &numbers);
    int32_t rank;
    int64_t dims[HIGHEST_RANK];
    bool legal = naive_broadcast(numbers.shapes, numbers.n, &rank, dims);
    if (t->status == OB_E_SHAPE) { /* refuted for all sizes */
        assert_false(legal);
        return;
    }
    assert_int_equal(all_hold(s, t->conditions, bindings), legal);
    if (!legal) {
        t->n_broken++;
        return;
    }
    t->n_held++;
    assert_int_equal(t->result->rank, rank);
    for (int32_t i = 0; i < rank; i++) {
        int64_t size = -1;
        assert_int_equal(ob_dim_eval(s->pool, t->result->dims[i], bindings, SYMBOLS, &size), OB_OK);
        assert_int_equal(size, dims[i]);
    }
}

static void conditions_hold_exactly_where_the_numbers_broadcast(void **state) {
    (void)state;
    uint64_t seed = 18;
    symbols s;
    make_symbols(&s);
    static family f;
    static condition_list list;
    size_t n_held = 0, n_broken = 0, n_refuted = 0;
    for (int round = 0; round < 1500; round++) {
        random_symbolic_family(&seed, &s, &f, round % 20 == 0 ? MAX_OPERANDS : 4, 1 + (int32_t)pick(&seed, 3));
        ob_broadcast_result result;
        list.n = 0;
        ob_status status = ob_broadcast_shapes(f.shapes, f.n, s.pool, collect_condition, &list, &result, NULL);
        assert_true(status == OB_OK || status == OB_E_SHAPE);
        trial t = {&f, status, &result, &list, 0, 0};
        for_all_bindings(&s, check_multidirectional, &t);
        n_refuted += status == OB_E_SHAPE;
        n_held += t.n_held;
        n_broken += t.n_broken;
    }
    assert_true(n_refuted > 20 && n_held > 1000 && n_broken > 1000);
    ob_dims_destroy(&s.pool);
}

static void check_one_way(const symbols *s, const ob_binding *bindings, void *context) {
    trial *t = context;
    static family numbers;
    evaluate(s, t->f, bindings, &numbers);
    bool legal = ob_broadcast_to(&numbers.shapes[0], &numbers.shapes[1], NULL, NULL, NULL, NULL) == OB_OK;
    if (t->status == OB_E_SHAPE)
        assert_false(legal);
    else
        assert_int_equal(all_hold(s, t->conditions, bindings), legal);
    if (legal)
        t->n_held++;
    else
        t->n_broken++;
}

static void one_way_conditions_hold_exactly_where_the_numbers_fit(void **state) {
    (void)state;
    uint64_t seed = 19;
    symbols s;
    make_symbols(&s);
    static family f;
    static condition_list list;
    trial t = {&f, OB_OK, NULL, &list, 0, 0};
    for (int round = 0; round < 1500; round++) {
        do random_symbolic_family(&seed, &s, &f, 2, 1 + (int32_t)pick(&seed, 3));
        while (f.n < 2);
        list.n = 0;
        t.status = ob_broadcast_to(&f.shapes[0], &f.shapes[1], s.pool, collect_condition, &list, NULL);
        for_all_bindings(&s, check_one_way, &t);
    }
    assert_true(t.n_held > 1000 && t.n_broken > 1000);
    ob_dims_destroy(&s.pool);
}

/* A chain of broadcasts, each result an operand of the next: the conditions of all steps together decide whether all
 * broadcast. */
static void conditions_of_a_chain_decide_the_whole(void **state) {
    (void)state;
    uint64_t seed = 20;
    symbols s;
    make_symbols(&s);
    static family f;
    static condition_list list;
    size_t n_chains = 0;
    for (int round = 0; round < 1000; round++) {
        random_symbolic_family(&seed, &s, &f, 5, 1 + (int32_t)pick(&seed, 2));
        ob_broadcast_result so_far = {.rank = 0};
        ob_status status = OB_OK;
        list.n = 0;
        for (size_t i = 0; i < f.n && status == OB_OK; i++) {
            ob_broadcast_result last = so_far;
            const ob_shape pair[2] = {{last.rank, last.dims}, f.shapes[i]};
            status = ob_broadcast_shapes(pair, 2, s.pool, collect_condition, &list, &so_far, NULL);
        }
        trial t = {&f, status, &so_far, &list, 0, 0};
        for_all_bindings(&s, check_multidirectional, &t);
        n_chains += status == OB_OK;
    }
    assert_true(n_chains > 300);
    ob_dims_destroy(&s.pool);
}

/* Operands of unknown rank have no effect in MLIR's inference. */
static void mlir_ignores_what_is_unranked(void **state) {
    (void)state;
    uint64_t seed = 21;
    static family f;
    for (int round = 0; round < 2000; round++) {
        random_family(&seed, &f, 6, 4);
        ob_shape mixed[2 * MAX_OPERANDS];
        size_t n = 0;
        for (size_t i = 0; i < f.n; i++) {
            if (pick(&seed, 2)) mixed[n++] = UNRANKED;
            mixed[n++] = f.shapes[i];
        }
        ob_broadcast_result ranked, all;
        ob_status status = ob_broadcast_shapes(f.shapes, f.n, NULL, NULL, NULL, &ranked, NULL);
        assert_int_equal(ob_broadcast_mlir(mixed, n, NULL, NULL, NULL, &all, NULL), status);
        if (status != OB_OK) continue;
        assert_dims(&all, (ob_shape){ranked.rank, ranked.dims});
        assert_int_equal(ob_verify_mlir(mixed, n, &(ob_shape){ranked.rank, ranked.dims}, NULL, NULL), OB_OK);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_agree_with_the_oracle),
        cmocka_unit_test(order_and_repetition_do_not_matter),
        cmocka_unit_test(a_pairwise_fold_of_numbers_agrees),
        cmocka_unit_test(views_agree_with_the_oracle),
        cmocka_unit_test(one_way_means_that_the_result_is_the_target),
        cmocka_unit_test(mappings_agree_with_the_oracle),
        cmocka_unit_test(legacy_agrees_with_the_oracle),
        cmocka_unit_test(conditions_hold_exactly_where_the_numbers_broadcast),
        cmocka_unit_test(one_way_conditions_hold_exactly_where_the_numbers_fit),
        cmocka_unit_test(conditions_of_a_chain_decide_the_whole),
        cmocka_unit_test(mlir_ignores_what_is_unranked),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
