/* A rule states all its requirements on sizes: its requirements on symbols agree with its verdict on the numbers that replace
 * them. */
#include "ops/library/resolve.h"
#include "requirement_case.h"

/* Every listed requirement was stated for some row; rules without rows are never run. */
static bool all_is_stated(const requirement_tally *tally) {
    bool all = true;
    for (size_t i = 0; i < N_VERDICT_ROWS; i++) {
        const verdict_row *row = &verdict_rows[i];
        const ob_op *op = row_op(row);
        unsigned stated = 0;
        for (size_t k = 0; k < N_VERDICT_ROWS; k++) {
            const ob_op *same = row_op(&verdict_rows[k]);
            if (same && op && same->infer == op->infer) stated |= tally->stated[k];
        }
        const ob_rule_asks *asks = op ? ob__rule_asks(op->infer) : NULL;
        if (asks && stated == asks->kinds) continue;
        printf("%s-%d: requirements.def lists %x, stated was %x\n", row->op_type, (int)row->opset, asks ? asks->kinds : 0,
               stated);
        all = false;
    }
    return all;
}

static void test_requirements_say_what_numbers_say(void **state) {
    (void)state;
    const char *only = getenv("OB_VERDICT"), *trials = getenv("OB_TRIALS");
    requirement_tally tally = {0};
    for (size_t i = 0; i < N_VERDICT_ROWS; i++)
        if (!only || strcmp(only, verdict_rows[i].op_type) == 0)
            run_requirement_row(&verdict_rows[i], trials ? (uint32_t)strtoul(trials, NULL, 10) : 150, &tally);
    printf(
        "%llu trials, %llu of them with something unverified; %llu assignments admitted, %llu excluded, %llu refused behind what "
        "is unverified, %llu excluded as copies; %llu sizes stated, %llu open; %llu differ\n",
        (unsigned long long)tally.n_trials, (unsigned long long)tally.n_unverified, (unsigned long long)tally.n_admitted,
        (unsigned long long)tally.n_excluded, (unsigned long long)tally.n_open, (unsigned long long)tally.n_copied,
        (unsigned long long)tally.n_sizes, (unsigned long long)tally.n_sizes_open, (unsigned long long)tally.n_differ);
    assert_int_equal(tally.n_differ, 0);
    if (!only) assert_true(all_is_stated(&tally));
}

static void every_rule_is_listed(void **state) {
    (void)state;
    for (size_t i = 0; i < ob__op_count(); i++) {
        if (ob__rule_asks(ob__op_at(i)->infer)) continue;
        printf("%s-%d: requirements.def has no row for its rule\n", ob__op_at(i)->name, ob__op_at(i)->since);
        fail();
    }
}

/* ---- Indices that are computed ---- */

typedef struct table {
    ob_model *model;
    ob_value *ids, *n; /* int64 [B, N], and its size N as a scalar */
    ob_dim size;       /* N */
    ob_facts facts;
    ob_findings findings;
} table;

static ob_value *scalar(ob_model *model, const char *name, int64_t value) {
    return new_weight(model, name, OB_INT64, 0, NULL, &value);
}

static table open_table(void) {
    table t = {.model = new_model(17)};
    t.ids = new_input(t.model, "ids", OB_INT64, "B N");
    t.n = new_node(t.model, "Gather", "n", 2, new_node(t.model, "Shape", "sizes", 1, t.ids), scalar(t.model, "one", 1));
    t.size = ob_dim_symbol(t.model->dims, "N");
    return t;
}

/* Looks the positions up in a table of 512 rows; the requirements on them are then in the facts. */
static void look_up(table *t, ob_value *positions) {
    const int64_t dims[2] = {512, 8};
    new_output(t->model,
               new_node(t->model, "Gather", "rows", 2, new_weight(t->model, "rows_512", OB_FLOAT, 2, dims, NULL), positions));
    assert_int_equal(ob__model_resolve_ops(t->model), OB_OK);
    ob__facts_init(&t->facts, NULL);
    ob__findings_init(&t->findings, NULL);
    assert_int_equal(ob__propagate(t->model, NULL, &t->facts, &t->findings), OB_OK);
}

static bool admits(const table *t, int64_t n) {
    const ob_binding at = {t->size, n};
    bool all = true;
    for (uint32_t i = 0; i < t->facts.n_conditions; i++) {
        bool holds;
        const ob_requirement *r = &t->facts.conditions[i];
        if (ob__guard_eval(t->model->dims, r->guard, &at, 1) == OB_FALSE) continue;
        if (ob_condition_eval(t->model->dims, &r->condition, &at, 1, &holds) == OB_OK) all = all && holds;
    }
    return all;
}

static void close_table(table *t) {
    ob__facts_release(&t->facts);
    ob__findings_release(&t->findings);
    ob_model_close(&t->model);
}

static void positions_must_be_in_the_table(void **state) {
    (void)state;
    table t = open_table();
    look_up(&t, new_node(t.model, "Range", "positions", 3, scalar(t.model, "zero", 0), t.n, scalar(t.model, "step", 1)));
    assert_int_equal(t.facts.n_unverified, 0);
    assert_true(admits(&t, 0) && admits(&t, 1) && admits(&t, 512));
    assert_false(admits(&t, 513));
    close_table(&t);

    t = open_table(); /* from two on, unsqueezed, as positions of a language model are */
    ob_value *from = new_node(t.model, "Range", "p", 3, scalar(t.model, "zero", 0), t.n, scalar(t.model, "step", 1));
    ob_value *moved = new_node(t.model, "Add", "moved", 2, from, scalar(t.model, "two", 2));
    const int64_t one = 1, zero = 0;
    look_up(&t, new_node(t.model, "Unsqueeze", "u", 2, moved, new_weight(t.model, "axes", OB_INT64, 1, &one, &zero)));
    assert_int_equal(t.facts.n_unverified, 0);
    assert_true(admits(&t, 0) && admits(&t, 510));
    assert_false(admits(&t, 511));
    close_table(&t);
}

static void positions_that_stay_inside_are_proved(void **state) {
    (void)state;
    int64_t all[512];
    const int64_t dims[2] = {1, 512}, one = 1, zero = 0;
    for (int64_t i = 0; i < 512; i++) all[i] = i;
    for (int way = 0; way < 3; way++) {
        table t = open_table();
        ob_value *axis = new_weight(t.model, "axis", OB_INT64, 1, &one, &one), *inside;
        if (way == 0) { /* a table of positions, cut to the length */
            ob_value *end = new_node(t.model, "Unsqueeze", "end", 2, t.n, new_weight(t.model, "first", OB_INT64, 1, &one, &zero));
            inside = new_node(t.model, "Slice", "cut", 4, new_weight(t.model, "all", OB_INT64, 2, dims, all),
                              new_weight(t.model, "start", OB_INT64, 1, &one, &zero), end, axis);
        } else if (way == 1) {
            inside = new_node(t.model, "Clip", "clipped", 3, t.ids, scalar(t.model, "low", -512), scalar(t.model, "high", 511));
        } else {
            inside = new_node(t.model, "Mod", "turned", 2, t.ids, scalar(t.model, "count", 512));
        }
        look_up(&t, inside);
        assert_int_equal(t.facts.n_unverified, 0);
        assert_true(admits(&t, 0) && admits(&t, 2000));
        close_table(&t);
    }
}

static void positions_of_data_are_called_unverified(void **state) {
    (void)state;
    table t = open_table();
    look_up(&t, new_node(t.model, "Mul", "squares", 2, t.ids, t.ids));
    assert_int_equal(t.facts.n_unverified, 1);
    assert_string_equal(t.facts.unverified[0].reason,
                        "an element is computed from two inputs, and no condition on one of them decides it");
    close_table(&t);
    t = open_table();
    ob_value *squares = new_node(t.model, "Mul", "squares", 2, t.ids, t.ids);
    look_up(&t, new_node(t.model, "Clip", "clipped", 3, squares, scalar(t.model, "low", 0), scalar(t.model, "high", 512)));
    assert_int_equal(t.facts.n_unverified, 1);
    close_table(&t);
}

static void positions_of_an_input_are_stated_on_its_values(void **state) {
    (void)state;
    table t = open_table();
    look_up(&t, t.ids);
    assert_int_equal(t.facts.n_unverified, 0);
    assert_int_equal(t.facts.n_bounds, 1);
    assert_int_equal(t.facts.bounds[0].bound->lowest, -512);
    assert_int_equal(t.facts.bounds[0].bound->highest, 511);
    close_table(&t);
    t = open_table(); /* at most 512, from 0: only the upper bound is required */
    look_up(&t, new_node(t.model, "Clip", "clipped", 3, t.ids, scalar(t.model, "low", 0), scalar(t.model, "high", 512)));
    assert_int_equal(t.facts.n_unverified, 0);
    assert_int_equal(t.facts.n_bounds, 1);
    assert_int_equal(t.facts.bounds[0].bound->lowest, OB_DIM_UNKNOWN);
    assert_int_equal(t.facts.bounds[0].bound->highest, 511);
    close_table(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_requirements_say_what_numbers_say),
                                       cmocka_unit_test(every_rule_is_listed),
                                       cmocka_unit_test(positions_must_be_in_the_table),
                                       cmocka_unit_test(positions_that_stay_inside_are_proved),
                                       cmocka_unit_test(positions_of_data_are_called_unverified),
                                       cmocka_unit_test(positions_of_an_input_are_stated_on_its_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
