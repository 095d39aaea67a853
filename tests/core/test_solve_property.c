/* Random requirements over up to three symbols: the solved contract admits exactly the sizes that the requirements admit by
 * plain evaluation. OB_TRIALS: the number of sets; OB_SEED: a different seed. */
#include "solve_case.h"

enum { SIDE = 61, MAX_REQUIREMENTS = 5 };

typedef struct maker {
    ob_dims *dims;
    ob_clauses *clauses;
    ob_dim symbols[3];
    size_t n_symbols;
    uint64_t seed;
    uint32_t origin;
    bool divides; /* quotients by terms are among the terms */
} maker;

static ob_status require(maker *m, ob_condition_kind kind, ob_dim a, ob_dim b, const ob_dim *guards, uint32_t n_guards) {
    const ob_condition condition = {kind, a, b};
    bool stated;
    return ob__clauses_add(m->clauses, m->dims, &condition, guards, n_guards, m->origin, false, &stated);
}

static ob_dim random_term(maker *m, int depth) {
    ob_dims *d = m->dims;
    ob_dim a, b;
    switch (depth <= 0 ? pick(&m->seed, 3) : pick(&m->seed, m->divides ? 13 : 10)) {
    case 10:
    case 11:
    case 12: /* a division by a term comes with the requirement that it is 1 or more */
        a = random_term(m, depth - 1);
        b = random_term(m, depth - 1);
        if (ob_dim_is_const(b)) return a;
        if (require(m, OB_COND_AT_LEAST, b, 1, NULL, 0) != OB_OK) return OB_DIM_UNKNOWN;
        return ob_dim_quotient(d, a, b);
    case 0: return (ob_dim)pick(&m->seed, 9);
    case 1:
    case 2: return m->symbols[pick(&m->seed, m->n_symbols)];
    case 3: return ob_dim_add(d, random_term(m, depth - 1), random_term(m, depth - 1));
    case 4: return ob_dim_add(d, random_term(m, depth - 1), (ob_dim)pick(&m->seed, 12) - 6);
    case 5: return ob_dim_mul(d, (ob_dim)pick(&m->seed, 4), random_term(m, depth - 1));
    case 6: return ob_dim_div(d, random_term(m, depth - 1), 2 + (ob_dim)pick(&m->seed, 4));
    case 7: return ob_dim_min(d, random_term(m, depth - 1), random_term(m, depth - 1));
    case 8: return ob_dim_max(d, random_term(m, depth - 1), random_term(m, depth - 1));
    default:
        a = random_term(m, depth - 1);
        b = random_term(m, depth - 1);
        if (pick(&m->seed, 3) == 0) return ob_dim_mul(d, a, b);
        /* A broadcast term comes with the requirement that its members broadcast. */
        if (ob_dim_is_const(a) && ob_dim_is_const(b)) return a;
        if (require(m, OB_COND_BROADCAST, a, b, NULL, 0) != OB_OK) return OB_DIM_UNKNOWN;
        return ob_dim_bcast(d, a, b);
    }
}

static void random_requirement(maker *m) {
    ob_dim a = random_term(m, 3), b = random_term(m, 2), guards[2];
    uint32_t n_guards = pick(&m->seed, 3) == 0 ? 1 + (uint32_t)pick(&m->seed, 2) : 0;
    static const char *const relations[] = {">=", "=", "!="};
    for (uint32_t i = 0; i < n_guards; i++)
        guards[i] = truth_of(m->dims, m->symbols[pick(&m->seed, m->n_symbols)], relations[pick(&m->seed, 3)],
                             pick(&m->seed, 4) ? (ob_dim)pick(&m->seed, 9) : random_term(m, 1));
    ob_condition_kind kind = (ob_condition_kind)pick(&m->seed, 5);
    if (kind == OB_COND_DIVISIBLE && pick(&m->seed, 2)) b = 2 + (ob_dim)pick(&m->seed, 4);
    assert_int_equal(require(m, kind, a, b, guards, n_guards), OB_OK);
    m->origin++;
}

/* UNDECIDED: a number overflows. */
static ob_truth all_hold(const ob_dims *dims, const ob_clauses *clauses, const ob_binding *at, size_t n) {
    ob_truth all = OB_TRUE;
    for (uint32_t i = 0; i < clauses->n; i++) {
        ob_truth one = ob__clause_eval(dims, clauses->items[i].literals, clauses->items[i].n, at, n);
        if (one == OB_FALSE) return OB_FALSE;
        if (one == OB_UNDECIDED) all = OB_UNDECIDED;
    }
    return all;
}

static ob_truth solved_holds(const ob_dims *dims, const ob_solution *solution, const ob_binding *at, size_t n) {
    if (solution->contradictory) return OB_FALSE;
    for (uint32_t i = 0; i < solution->n_clauses; i++) {
        const ob_solved_clause *clause = &solution->clauses[i];
        ob_truth one = ob__clause_eval(dims, clause->literals, clause->n, at, n);
        if (one != OB_TRUE) return one;
    }
    return OB_TRUE;
}

static void show(ob_dims *dims, const ob_clauses *clauses, const ob_solution *solution, const ob_binding *at, uint64_t seed) {
    ob_text text;
    ob__text_init(&text, ob_allocator_default());
    for (uint32_t i = 0; i < clauses->n; i++) {
        const ob_solved_clause as_given = {
            .literals = clauses->items[i].literals, .n = clauses->items[i].n, .n_guard = clauses->items[i].n_guard};
        ob__text_printf(&text, "\n    %c: ", 'A' + (int)clauses->items[i].origin);
        ob__solved_write(&text, dims, &as_given);
    }
    ob__text_puts(&text, "\n    solved: ");
    write_solution(&text, dims, solution);
    fail_msg("seed %llu at %lld, %lld, %lld:%s", (unsigned long long)seed, (long long)at[0].size, (long long)at[1].size,
             (long long)at[2].size, text.data);
}

typedef struct totals {
    uint64_t contradictory, clauses, witnessed, equivalent, implied[3];
    uint64_t unseen[3], loose[3], follow[3]; /* by the number of symbols: see count_what_is_left */
} totals;

static void compare_at(ob_dims *dims, const ob_clauses *clauses, const ob_solution *solution, const ob_binding *at,
                       uint64_t seed) {
    ob_truth given = all_hold(dims, clauses, at, 3);
    if (given != OB_UNDECIDED && given != solved_holds(dims, solution, at, 3)) show(dims, clauses, solution, at, seed);
}

/* Sizes given as satisfying satisfy; sizes given as breaking break that clause and no other. */
static void check_witnesses(const maker *m, const ob_solution *solution, totals *sum) {
    for (uint32_t i = 0; i < solution->n_clauses; i++) {
        const ob_solved_clause *clause = &solution->clauses[i];
        sum->clauses++;
        sum->witnessed += clause->holds && clause->fails;
        for (uint32_t k = 0; k < m->clauses->n && clause->holds; k++) {
            const ob_clause *given = &m->clauses->items[k];
            assert_int_not_equal(ob__clause_eval(m->dims, given->literals, given->n, clause->holds, clause->n_holds), OB_FALSE);
        }
        bool broken = false;
        for (uint32_t k = 0; k < m->clauses->n && clause->fails; k++) {
            const ob_clause *given = &m->clauses->items[k];
            broken |= ob__clause_eval(m->dims, given->literals, given->n, clause->fails, clause->n_fails) == OB_FALSE;
        }
        assert_true(!clause->fails || broken);
        for (uint32_t k = 0; k < solution->n_clauses && clause->fails; k++) {
            const ob_solved_clause *other = &solution->clauses[k];
            assert_int_not_equal(ob__clause_eval(m->dims, other->literals, other->n, clause->fails, clause->n_fails),
                                 k == i ? OB_TRUE : OB_FALSE);
        }
    }
}

/* The given and the solved set are never found to differ; clauses reported as implied hold on the grid. */
static void check_implications(maker *m, const ob_solution *solution, ob_arena *arena, uint64_t seed, totals *sum) {
    ob_clauses goals;
    ob_clause *solved = OB_ARENA_ARRAY(arena, ob_clause, solution->n_clauses);
    ob_truth truth, truths[64];
    for (uint32_t i = 0; i < solution->n_clauses; i++)
        solved[i] = (ob_clause){solution->clauses[i].literals, solution->clauses[i].n, solution->clauses[i].n_guard, i, false};
    if (!solution->contradictory) {
        assert_int_equal(ob__equivalent(m->dims, m->clauses->items, m->clauses->n, solved, solution->n_clauses, arena, &truth),
                         OB_OK);
        assert_int_not_equal(truth, OB_FALSE);
        sum->equivalent += truth == OB_TRUE;
    }
    uint32_t n_given = m->clauses->n;
    random_requirement(m); /* its broadcasts are required as well */
    goals = (ob_clauses){.items = m->clauses->items + n_given, .n = m->clauses->n - n_given};
    m->clauses->n = n_given;
    if (goals.n > 64) return;
    assert_int_equal(ob__implied_all(m->dims, m->clauses->items, n_given, goals.items, goals.n, arena, truths), OB_OK);
    for (uint32_t k = 0; k < goals.n; k++) {
        sum->implied[truths[k]]++;
        for (int64_t i = 0; i < 4096 && truths[k] == OB_TRUE; i++) {
            const ob_binding at[3] = {{m->symbols[0], i % 16}, {m->symbols[1], i / 16 % 16}, {m->symbols[2], i / 256}};
            bool before = all_hold(m->dims, m->clauses, at, 3) == OB_TRUE;
            for (uint32_t other = 0; other < k; other++) /* undefined broadcast terms: the clauses that require them fail first */
                before &= ob__clause_eval(m->dims, goals.items[other].literals, goals.items[other].n, at, 3) == OB_TRUE;
            if (!before || ob__clause_eval(m->dims, goals.items[k].literals, goals.items[k].n, at, 3) != OB_FALSE) continue;
            const ob_solved_clause wrong = {.literals = goals.items[k].literals, .n = goals.items[k].n};
            ob_solution only = {.clauses = (ob_solved_clause *)&wrong, .n_clauses = 1};
            show(m->dims, m->clauses, &only, at, seed);
        }
    }
}

/* The text of a clause is read back, in a separate pool, as a clause that holds at the same sizes. */
static void read_back(const maker *m, const ob_solved_clause *clause, ob_arena *arena, uint64_t seed) {
    static const char *const names[] = {"x", "y", "z"};
    ob_text text;
    ob_dims *dims = NULL;
    ob_clause is;
    ob_error error;
    ob_error_clear(&error);
    ob__text_init(&text, ob_allocator_default());
    assert_int_equal(ob_dims_create(NULL, &dims), OB_OK);
    ob__solved_write(&text, m->dims, clause);
    ob_status status = ob__clause_parse(dims, text.data, text.n, false, arena, &is, &error);
    if (status != OB_OK) fail_msg("seed %llu: %s: %s", (unsigned long long)seed, text.data, error.message);
    for (int64_t i = 0; i < 13 * 13 * 13; i++) {
        const int64_t sizes[] = {i % 13, i / 13 % 13, i / 169 * (i % 2 ? 1 : 7)};
        ob_binding was[3], now[3];
        for (int k = 0; k < 3; k++) {
            was[k] = (ob_binding){m->symbols[k], sizes[k]};
            now[k] = (ob_binding){ob_dim_symbol(dims, names[k]), sizes[k]};
        }
        ob_truth before = ob__clause_eval(m->dims, clause->literals, clause->n, was, 3);
        ob_truth after = ob__clause_eval(dims, is.literals, is.n, now, 3);
        if (before != after)
            fail_msg("seed %llu at %lld, %lld, %lld: %s is %d, read back %d", (unsigned long long)seed, (long long)sizes[0],
                     (long long)sizes[1], (long long)sizes[2], text.data, (int)before, (int)after);
    }
    ob__text_release(&text);
    ob_dims_destroy(&dims);
}

static void check_texts(const maker *m, const ob_solution *solution, ob_arena *arena, uint64_t seed) {
    for (uint32_t i = 0; i < solution->n_clauses; i++) read_back(m, &solution->clauses[i], arena, seed);
    for (uint32_t i = 0; i < m->clauses->n; i++) {
        const ob_clause *given = &m->clauses->items[i];
        const ob_solved_clause clause = {.literals = given->literals, .n = given->n, .n_guard = given->n_guard};
        const ob_literal *last = &given->literals[given->n - 1];
        if (last->kind == OB_LITERAL_DIVIDES && ob_dim_is_const(last->q) && last->q < 1)
            continue; /* false: the solver found this */
        read_back(m, &clause, arena, seed);
    }
}

/* The first point of a grid with `sides` sizes along each axis at which `holds` returns true. */
static bool find_point(const maker *m, bool (*holds)(const maker *m, const ob_binding *at, const void *context),
                       const void *context) {
    static const int64_t sides[] = {1100, SIDE, 17};
    int64_t side = sides[m->n_symbols - 1];
    for (int64_t x = 0; x < side; x++)
        for (int64_t y = 0; y < (m->n_symbols > 1 ? side : 1); y++)
            for (int64_t z = 0; z < (m->n_symbols > 2 ? side : 1); z++) {
                const ob_binding at[3] = {{m->symbols[0], x}, {m->symbols[1], y}, {m->symbols[2], z}};
                if (holds(m, at, context)) return true;
            }
    return false;
}

/* Part of a contradiction's core, or of a solved contract. */
typedef struct part {
    const ob_solution *solution;
    uint32_t without; /* an origin, or a clause */
} part;

static bool rest_of_core_holds(const maker *m, const ob_binding *at, const void *context) {
    const part *p = context;
    for (uint32_t i = 0; i < m->clauses->n; i++) {
        const ob_clause *clause = &m->clauses->items[i];
        bool in_core = false;
        for (uint32_t k = 0; k < p->solution->n_core; k++) in_core |= p->solution->core[k] == clause->origin;
        if (!in_core || clause->origin == p->without) continue;
        if (ob__clause_eval(m->dims, clause->literals, clause->n, at, 3) == OB_FALSE) return false;
    }
    return true;
}

static bool breaks_alone(const maker *m, const ob_binding *at, const void *context) {
    const part *p = context;
    for (uint32_t i = 0; i < p->solution->n_clauses; i++) {
        const ob_solved_clause *clause = &p->solution->clauses[i];
        if (ob__clause_eval(m->dims, clause->literals, clause->n, at, 3) != (i == p->without ? OB_FALSE : OB_TRUE)) return false;
    }
    return true;
}

static bool contract_holds(const maker *m, const ob_binding *at, const void *context) {
    const part *p = context;
    return solved_holds(m->dims, p->solution, at, 3) != OB_FALSE;
}

static void print_clauses(const maker *m, const ob_solution *solution) {
    ob_text text;
    ob__text_init(&text, ob_allocator_default());
    for (uint32_t i = 0; i < m->clauses->n; i++) {
        const ob_clause *given = &m->clauses->items[i];
        const ob_solved_clause clause = {.literals = given->literals, .n = given->n, .n_guard = given->n_guard};
        ob__text_printf(&text, "    %c: ", 'A' + (int)given->origin);
        ob__solved_write(&text, m->dims, &clause);
        ob__text_puts(&text, "\n");
    }
    ob__text_puts(&text, "    solved: ");
    write_solution(&text, m->dims, solution);
    print_message("%s\n", text.data);
    ob__text_release(&text);
}

/* Counts missed contradictions, cores that are not minimal and redundant clauses, as far as small sizes show them. */
static void count_what_is_left(const maker *m, const ob_solution *solution, uint64_t seed, totals *sum) {
    part p = {solution, 0};
    bool seen = solution->contradictory || find_point(m, contract_holds, &p);
    bool shown = getenv("OB_SHOW") != NULL;
    sum->unseen[m->n_symbols - 1] += !seen;
    if (shown && !seen) {
        print_message("seed %llu: a contradiction?\n", (unsigned long long)seed);
        print_clauses(m, solution);
    }
    for (uint32_t i = 0; i < solution->n_core && solution->core_minimal; i++) {
        p.without = solution->core[i];
        if (find_point(m, rest_of_core_holds, &p)) continue;
        sum->loose[m->n_symbols - 1]++;
        if (shown) {
            print_message("seed %llu: %c of the core?\n", (unsigned long long)seed, 'A' + (int)p.without);
            print_clauses(m, solution);
        }
    }
    for (uint32_t i = 0; i < solution->n_clauses && seen; i++) {
        p.without = i;
        if (find_point(m, breaks_alone, &p)) continue;
        sum->follow[m->n_symbols - 1]++;
        if (shown) {
            print_message("seed %llu: clause %u?\n", (unsigned long long)seed, i + 1);
            print_clauses(m, solution);
        }
    }
}

/* A maker without clauses, of three symbols; `kind` tells streams of one seed apart. */
static void open_maker(maker *m, uint64_t seed, uint64_t kind, ob_arena *arena, ob_clauses *clauses) {
    static const char *const names[] = {"x", "y", "z"};
    *m = (maker){.seed = seed * UINT64_C(0x9E3779B97F4A7C15) + kind, .clauses = clauses};
    assert_int_equal(ob_dims_create(NULL, &m->dims), OB_OK);
    ob__arena_init(arena, NULL);
    ob__clauses_init(clauses, arena);
    for (int i = 0; i < 3; i++) m->symbols[i] = ob_dim_symbol(m->dims, names[i]);
    next_random(&m->seed);
}

static void try_set(uint64_t seed, bool divides, totals *sum) {
    maker m;
    ob_arena arena;
    ob_clauses clauses;
    ob_solution solution;
    open_maker(&m, seed, divides ? 2 : 1, &arena, &clauses);
    m.divides = divides;
    m.n_symbols = 1 + pick(&m.seed, 3);
    for (size_t n = 1 + pick(&m.seed, MAX_REQUIREMENTS); n > 0; n--) random_requirement(&m);
    assert_int_equal(ob__solve(m.dims, clauses.items, clauses.n, m.symbols, 3, &arena, &solution), OB_OK);
    sum->contradictory += solution.contradictory;
    int64_t step = m.n_symbols == 3 ? 4 : 1;
    for (int64_t x = 0; x < SIDE; x++)
        for (int64_t y = 0; y < (m.n_symbols > 1 ? SIDE : 1); y += step)
            for (int64_t z = 0; z < (m.n_symbols > 2 ? SIDE : 1); z += step) {
                const ob_binding at[3] = {{m.symbols[0], x}, {m.symbols[1], y}, {m.symbols[2], z}};
                compare_at(m.dims, &clauses, &solution, at, seed);
            }
    for (int64_t x = SIDE; x < 1100 && m.n_symbols == 1; x += 1 + (x > 200)) {
        const ob_binding at[3] = {{m.symbols[0], x}, {m.symbols[1], 0}, {m.symbols[2], 0}};
        compare_at(m.dims, &clauses, &solution, at, seed);
    }
    check_witnesses(&m, &solution, sum);
    count_what_is_left(&m, &solution, seed, sum);
    check_texts(&m, &solution, &arena, seed);
    check_implications(&m, &solution, &arena, seed, sum);
    ob__arena_release(&arena);
    ob_dims_destroy(&m.dims);
}

/* ---- Residues, bounds and guards ---- */

/* "(a*x + b) % m <= c", ">= c" or "= c", sometimes after a bound: sets with long texts. */
static void random_residues(maker *m) {
    ob_dims *d = m->dims;
    const ob_dim x = m->symbols[pick(&m->seed, m->n_symbols)], zero = 0;
    const ob_dim by = 2 + (ob_dim)pick(&m->seed, pick(&m->seed, 2) ? 7 : 39);
    const ob_dim term = ob_dim_add(d, ob_dim_mul(d, 1 + (ob_dim)pick(&m->seed, 2), x), (ob_dim)pick(&m->seed, (size_t)by));
    const ob_dim rest = ob_dim_sub(d, term, ob_dim_mul(d, by, ob_dim_div(d, term, by))),
                 bound = (ob_dim)pick(&m->seed, (size_t)by);
    ob_dim guards[2];
    uint32_t n_guards = 0;
    if (pick(&m->seed, 2)) guards[n_guards++] = truth_of(d, x, pick(&m->seed, 3) ? ">=" : "!=", (ob_dim)pick(&m->seed, 40));
    if (m->n_symbols > 1 && pick(&m->seed, 2))
        guards[n_guards++] = truth_of(d, m->symbols[pick(&m->seed, m->n_symbols)], ">=", 1 + (ob_dim)pick(&m->seed, 3));
    ob_status status = OB_OK;
    switch (pick(&m->seed, 5)) {
    case 0: status = require(m, OB_COND_AT_LEAST, bound, rest, guards, n_guards); break;
    case 1: status = require(m, OB_COND_AT_LEAST, rest, bound, guards, n_guards); break;
    case 2: status = require(m, OB_COND_EQUAL, rest, pick(&m->seed, 2) ? bound : zero, guards, n_guards); break;
    case 3: status = require(m, OB_COND_AT_LEAST, x, (ob_dim)pick(&m->seed, 12), guards, n_guards); break;
    default: status = require(m, OB_COND_AT_LEAST, 1 + (ob_dim)pick(&m->seed, 60), x, guards, n_guards); break;
    }
    assert_int_equal(status, OB_OK);
    m->origin++;
}

/* All clauses in one text, as an assumption may be given. */
static void read_all_back(const maker *m, const ob_solution *solution, ob_arena *arena, uint64_t seed) {
    enum { MOST = 8 };
    ob_text text;
    ob_clause read[MOST];
    ob_error error;
    uint32_t n;
    if (solution->contradictory || solution->n_clauses == 0 || solution->n_clauses > MOST) return;
    ob_error_clear(&error);
    ob__text_init(&text, ob_allocator_default());
    for (uint32_t i = 0; i < solution->n_clauses; i++) {
        ob__text_puts(&text, i == 0 ? "" : i % 2 ? "; " : " and ");
        ob__solved_write(&text, m->dims, &solution->clauses[i]);
    }
    ob_status status = ob__clauses_parse(m->dims, text.data, text.n, true, arena, read, MOST, &n, &error);
    if (status != OB_OK) fail_msg("seed %llu: %s: %s", (unsigned long long)seed, text.data, error.message);
    assert_int_equal(n, solution->n_clauses);
    for (uint32_t i = 0; i < n; i++)
        for (int64_t k = 0; k < 100 * 5; k++) {
            const ob_binding at[3] = {{m->symbols[0], k / 5}, {m->symbols[1], k % 5 * 7}, {m->symbols[2], k % 7}};
            const ob_solved_clause *clause = &solution->clauses[i];
            assert_int_equal(ob__clause_eval(m->dims, read[i].literals, read[i].n, at, 3),
                             ob__clause_eval(m->dims, clause->literals, clause->n, at, 3));
        }
    ob__text_release(&text);
}

/* The text of the solution of one set. checks: it is compared with the given clauses, at all sizes up to 70 and many beyond. */
static void solve_residues(uint64_t seed, bool checks, ob_text *text) {
    maker m;
    ob_arena arena;
    ob_clauses clauses;
    ob_solution solution;
    open_maker(&m, seed, 7, &arena, &clauses);
    m.n_symbols = 1 + pick(&m.seed, 2);
    for (size_t n = 1 + pick(&m.seed, 4); n > 0; n--) random_residues(&m);
    assert_int_equal(ob__solve(m.dims, clauses.items, clauses.n, m.symbols, 3, &arena, &solution), OB_OK);
    write_solution(text, m.dims, &solution);
    for (int64_t x = 0; checks && x < (m.n_symbols > 1 ? 100 : 3000); x++)
        for (int64_t y = 0; y < (m.n_symbols > 1 ? 100 : 1); y++) {
            const ob_binding at[3] = {{m.symbols[0], x}, {m.symbols[1], y}, {m.symbols[2], 0}};
            compare_at(m.dims, &clauses, &solution, at, seed);
        }
    if (checks) {
        totals sum = {0};
        check_witnesses(&m, &solution, &sum);
        check_texts(&m, &solution, &arena, seed);
        read_all_back(&m, &solution, &arena, seed);
    }
    ob__arena_release(&arena);
    ob_dims_destroy(&m.dims);
}

/* Texts of residues and bounds hold at the same sizes, are read back, and are the same each time. */
static void words_hold_where_given(void **state) {
    (void)state;
    const char *trials = getenv("OB_TRIALS"), *first = getenv("OB_SEED");
    uint64_t n = trials ? strtoull(trials, NULL, 10) : 400, seed = first ? strtoull(first, NULL, 10) : 1;
    for (uint64_t i = seed; i < seed + n; i++) {
        ob_text text, again;
        ob__text_init(&text, ob_allocator_default());
        ob__text_init(&again, ob_allocator_default());
        solve_residues(i, true, &text);
        solve_residues(i, false, &again);
        assert_string_equal(text.data, again.data);
        if (getenv("OB_SHOW")) print_message("%s\n", text.data);
        ob__text_release(&text);
        ob__text_release(&again);
    }
}

static void solved_and_given_agree(void **state) {
    (void)state;
    const char *trials = getenv("OB_TRIALS"), *first = getenv("OB_SEED");
    uint64_t n = trials ? strtoull(trials, NULL, 10) : 600, seed = first ? strtoull(first, NULL, 10) : 1;
    totals sum = {0};
    for (uint64_t i = 0; i < n; i++) try_set(seed + i, false, &sum);
    if (!trials && !first) { /* these counts may only decrease */
        static const uint64_t unseen[] = {0, 3, 8}, loose[] = {2, 6, 10}, follow[] = {0, 15, 71};
        for (int i = 0; i < 3; i++)
            if (sum.unseen[i] > unseen[i] || sum.loose[i] > loose[i] || sum.follow[i] > follow[i])
                fail_msg("%d symbols: %llu contradictions not seen, %llu too many in cores, %llu clauses that follow", i + 1,
                         (unsigned long long)sum.unseen[i], (unsigned long long)sum.loose[i], (unsigned long long)sum.follow[i]);
    }
    if (trials)
        print_message(
            "%llu sets: %llu contradictory, %llu found the same again; %llu clauses, %llu with both witnesses; of others %llu "
            "follow, %llu do not, %llu undecided\n",
            (unsigned long long)n, (unsigned long long)sum.contradictory, (unsigned long long)sum.equivalent,
            (unsigned long long)sum.clauses, (unsigned long long)sum.witnessed, (unsigned long long)sum.implied[OB_TRUE],
            (unsigned long long)sum.implied[OB_FALSE], (unsigned long long)sum.implied[OB_UNDECIDED]);
    for (int i = 0; i < 3; i++)
        print_message("%d symbols: %llu contradictions not seen, %llu too many in cores, %llu clauses that follow\n", i + 1,
                      (unsigned long long)sum.unseen[i], (unsigned long long)sum.loose[i], (unsigned long long)sum.follow[i]);
}

/* The same with quotients by terms. */
static void solved_and_given_agree_on_quotients(void **state) {
    (void)state;
    const char *trials = getenv("OB_TRIALS"), *first = getenv("OB_SEED");
    uint64_t n = trials ? strtoull(trials, NULL, 10) : 400, seed = first ? strtoull(first, NULL, 10) : 1;
    totals sum = {0};
    for (uint64_t i = 0; i < n; i++) try_set(seed + i, true, &sum);
    if (n >= 400) assert_true(sum.clauses > 100 && sum.contradictory > 50);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(solved_and_given_agree),
                                       cmocka_unit_test(solved_and_given_agree_on_quotients),
                                       cmocka_unit_test(words_hold_where_given)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
