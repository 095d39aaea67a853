/* Contradictions among clauses in two symbols. On x = r + P*i, y = s + Q*j, with periods that are multiples of the divisors,
 * terms without products of sizes are linear in i and j. So each class gives systems of linear inequalities over integers,
 * which are decided. Other clauses are ignored: the rest may still contradict itself. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/dims/scratch.h"
#include "core/solve/solver.h"

enum {
    MAX_PAIRS = 64,
    MAX_CLAUSES = 32,
    MAX_ALTERNATIVES = 16, /* of a clause */
    MAX_ATOMS = 8,         /* of one alternative */
    MAX_ROWS = 96,         /* of a system */
    MAX_CLASSES = 4096,
    MAX_STEPS = 1024,   /* values of i that are tried */
    MAX_WORK = 1 << 16, /* for one pair */
    MAX_NUMBER = 1 << 28
};

/* p >= 0, q divides p, or not. */
typedef struct atom {
    ob_literal literal;
    int64_t dx, dy; /* how much p grows from i to i + 1, from j to j + 1 */
    int64_t value;  /* of p on the class at i = j = 0 */
} atom;

typedef struct alternative {
    atom atoms[MAX_ATOMS];
    uint32_t n;
} alternative;

typedef struct choice {
    alternative alternatives[MAX_ALTERNATIVES];
    uint32_t n;
} choice;

/* constant + dx*i + dy*j >= 0 */
typedef struct row {
    int64_t constant, dx, dy;
} row;

typedef struct pair {
    ob_solver *s;
    uint32_t facts[2];
    ob_dim symbols[2];
    int64_t periods[2];
    choice *choices;
    uint32_t n, reason;
    row rows[MAX_ROWS];
    uint64_t work;
} pair;

/* ---- Clauses as alternatives ---- */

static bool add_atom(alternative *to, ob_literal_kind kind, ob_dim p, ob_dim q) {
    if (to->n == MAX_ATOMS || p == OB_DIM_UNKNOWN) return false;
    to->atoms[to->n++] = (atom){.literal = {kind, p, q}};
    return true;
}

/* Another alternative like `from`, with p in place of atom k's. */
static bool add_like(choice *c, const alternative *from, uint32_t k, ob_dim p) {
    if (c->n == MAX_ALTERNATIVES || p == OB_DIM_UNKNOWN) return false;
    alternative *made = &c->alternatives[c->n++];
    *made = *from;
    made->atoms[k].literal = (ob_literal){OB_LITERAL_NONNEGATIVE, p, 0};
    return true;
}

/* coefficient * extreme(members) + rest >= 0: for all members, or for at least one. */
static bool open_extreme(ob_dims *dims, choice *c, alternative *of, uint32_t k, const ob_poly *p, uint32_t at,
                         const ob_term *term) {
    int64_t coefficient = p->monomials[at].coefficient;
    bool all = (term->kind == OB_DIM_KIND_MIN) == (coefficient > 0);
    const ob_dim *members = term->words; /* the terms may move, their words stay */
    uint32_t n = term->n_words;
    ob_dim rest = ob__rest_of(dims, p, at, 1);
    for (uint32_t i = n; i-- > 0;) {
        ob_dim one = ob_dim_add(dims, ob_dim_mul(dims, coefficient, members[i]), rest);
        if (one == OB_DIM_UNKNOWN) return false;
        if (i == 0)
            of->atoms[k].literal.p = one;
        else if (all ? !add_atom(of, OB_LITERAL_NONNEGATIVE, one, 0) : !add_like(c, of, k, one))
            return false;
    }
    return true;
}

/* Resolves atom k until it is linear; false: not possible. */
static bool open_atom(ob_dims *dims, choice *c, alternative *of, uint32_t k) {
    for (;;) {
        atom *a = &of->atoms[k];
        const ob_dim p = a->literal.p;
        if (a->literal.kind == OB_LITERAL_ZERO) {
            a->literal.kind = OB_LITERAL_NONNEGATIVE;
            if (!add_atom(of, OB_LITERAL_NONNEGATIVE, ob_dim_sub(dims, 0, p), 0)) return false;
        } else if (a->literal.kind == OB_LITERAL_NONZERO) {
            a->literal = (ob_literal){OB_LITERAL_NONNEGATIVE, ob_dim_sub(dims, p, 1), 0};
            if (a->literal.p == OB_DIM_UNKNOWN || !add_like(c, of, k, ob_dim_sub(dims, -1, p))) return false;
        } else {
            OB_POLYS(dims, poly, 1);
            if (!poly) return false;
            uint32_t at = 0;
            if (a->literal.kind != OB_LITERAL_NONNEGATIVE) return ob_dim_is_const(a->literal.q) && a->literal.q >= 1;
            if (!ob__poly_load(dims, p, poly)) return false;
            const ob_term *term = ob__lone_term(dims, poly, OB_DIM_KIND_MIN, &at);
            if (!term) term = ob__lone_term(dims, poly, OB_DIM_KIND_MAX, &at);
            if (!term) return true;
            if (!open_extreme(dims, c, of, k, poly, at, term)) return false;
        }
    }
}

/* The least common multiple becomes the period; false: it is too long. */
static bool join_period(int64_t *period, int64_t other) {
    *period = *period / ob__gcd(*period, other) * other;
    return *period <= MAX_CLASSES;
}

static bool join_periods(const ob_dims *dims, const choice *c, const ob_dim *symbols, int64_t *periods) {
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t k = 0; k < c->alternatives[i].n; k++)
            for (int axis = 0; axis < 2; axis++) {
                int64_t step, length = ob__literal_step(dims, symbols[axis], &c->alternatives[i].atoms[k].literal, &step);
                if (length == 0 || !join_period(&periods[axis], length)) return false;
            }
    return periods[0] * periods[1] <= MAX_CLASSES;
}

/* Adds the clause, unless it has no such form. */
static ob_status add_clause(pair *w, const ob_work_clause *clause) {
    choice *c = &w->choices[w->n];
    int64_t periods[2] = {w->periods[0], w->periods[1]};
    c->n = 0;
    if (clause->n > MAX_ALTERNATIVES) return OB_OK;
    for (uint32_t i = 0; i < clause->n; i++) {
        c->alternatives[c->n].n = 1;
        c->alternatives[c->n++].atoms[0] = (atom){.literal = clause->literals[i].literal};
    }
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t k = 0; k < c->alternatives[i].n; k++)
            if (!open_atom(w->s->dims, c, &c->alternatives[i], k)) return OB_OK;
    if (!join_periods(w->s->dims, c, w->symbols, periods)) return OB_OK;
    memcpy(w->periods, periods, sizeof periods);
    w->n++;
    return ob__solver_reason(w->s, w->reason, clause->reason, &w->reason);
}

/* ---- Systems of inequalities ---- */

/* coefficient * i + constant >= 0 */
static void narrow(int64_t coefficient, int64_t constant, int64_t *low, int64_t *high) {
    if (coefficient > 0) {
        int64_t least = ob__ceil_div(-constant, coefficient);
        if (least > *low) *low = least;
    } else if (coefficient < 0) {
        int64_t most = ob__floor_div(constant, -coefficient);
        if (most < *high) *high = most;
    } else if (constant < 0) {
        *high = -1;
    }
}

/* The range of i, with j any fraction of 0 and more (Fourier and Motzkin). */
static void shadow(const row *rows, uint32_t n, int64_t *low, int64_t *high) {
    *low = 0;
    *high = OB_INFINITE;
    for (uint32_t i = 0; i < n; i++) {
        if (rows[i].dy == 0) narrow(rows[i].dx, rows[i].constant, low, high);
        if (rows[i].dy >= 0) continue;
        narrow(rows[i].dx, rows[i].constant, low, high); /* with j = 0, where it is greatest */
        for (uint32_t k = 0; k < n; k++)
            if (rows[k].dy > 0) /* numbers are below MAX_NUMBER */
                narrow(rows[k].dx * -rows[i].dy + rows[i].dx * rows[k].dy,
                       rows[k].constant * -rows[i].dy + rows[i].constant * rows[k].dy, low, high);
    }
}

/* Is there a whole j for this i? */
static bool has_second(const row *rows, uint32_t n, int64_t i) {
    int64_t low = 0, high = OB_INFINITE;
    for (uint32_t k = 0; k < n; k++) narrow(rows[k].dy, rows[k].constant + rows[k].dx * i, &low, &high);
    return low <= high;
}

/* FALSE: no i, j >= 0 satisfy all. If integer points exist, one is within 2*A*B + 2*A, with the largest coefficient A and
 * constant B: the corners of the region are within 2*A*B, its at most two rays within A each, and whole multiples of a ray can
 * be subtracted from a point. */
static ob_truth is_satisfied(pair *w, uint32_t n) {
    int64_t low, high, a = 1, b = 1;
    shadow(w->rows, n, &low, &high);
    w->work += (uint64_t)n * n;
    if (low > high) return OB_FALSE;
    for (uint32_t i = 0; i < n; i++) {
        const row *r = &w->rows[i];
        const int64_t sizes[2] = {r->dx < 0 ? -r->dx : r->dx, r->dy < 0 ? -r->dy : r->dy};
        for (int k = 0; k < 2; k++)
            if (sizes[k] > a) a = sizes[k];
        if (r->constant > b || -r->constant > b) b = r->constant < 0 ? -r->constant : r->constant;
    }
    int64_t bound = 2 * a * b + 2 * a;
    if (bound < high) high = bound;
    for (int64_t i = low; i <= high; i++) {
        w->work += n;
        if (i - low == MAX_STEPS || i > MAX_NUMBER) return OB_UNDECIDED;
        if (has_second(w->rows, n, i)) return OB_TRUE;
    }
    return OB_FALSE;
}

/* ---- Classes ---- */

/* Adds the literals of the alternative. FALSE: it holds nowhere on the class; UNDECIDED: too many. */
static ob_truth add_rows(pair *w, const alternative *of, uint32_t *n) {
    for (uint32_t k = 0; k < of->n; k++) {
        const atom *a = &of->atoms[k];
        if (a->literal.kind != OB_LITERAL_NONNEGATIVE) {
            bool divides = a->value % a->literal.q == 0;
            if (divides != (a->literal.kind == OB_LITERAL_DIVIDES)) return OB_FALSE;
            continue;
        }
        int64_t gcd = ob__gcd(a->dx, a->dy);
        if (gcd == 0) {
            if (a->value < 0) return OB_FALSE;
            continue;
        }
        if (*n == MAX_ROWS) return OB_UNDECIDED;
        w->rows[(*n)++] = (row){ob__floor_div(a->value, gcd), a->dx / gcd, a->dy / gcd};
    }
    return OB_TRUE;
}

/* Can clauses `at` and on hold, with the first n rows? */
static ob_truth try_choices(pair *w, uint32_t at, uint32_t n) {
    if (at == w->n) return is_satisfied(w, n);
    for (uint32_t i = 0; i < w->choices[at].n; i++) {
        uint32_t n_more = n;
        int64_t low = 0, high = 0;
        ob_truth fits = add_rows(w, &w->choices[at].alternatives[i], &n_more);
        if (fits == OB_FALSE) continue;
        if (fits == OB_UNDECIDED || w->work > MAX_WORK) return OB_UNDECIDED;
        if (n_more > n) shadow(w->rows, n_more, &low, &high);
        w->work += (uint64_t)n_more * n_more + 1;
        if (low > high) continue;
        ob_truth rest = try_choices(w, at + 1, n_more);
        if (rest != OB_FALSE) return rest;
    }
    return OB_FALSE;
}

/* The constants and growth of the literals on the class; false: too large. */
static bool set_class(pair *w, int64_t r, int64_t t) {
    const ob_binding at[2] = {{w->symbols[0], r}, {w->symbols[1], t}};
    for (uint32_t c = 0; c < w->n; c++)
        for (uint32_t i = 0; i < w->choices[c].n; i++)
            for (uint32_t k = 0; k < w->choices[c].alternatives[i].n; k++) {
                atom *a = &w->choices[c].alternatives[i].atoms[k];
                w->work += ob__eval_cost(w->s, &a->literal);
                if (ob_dim_eval(w->s->dims, a->literal.p, at, 2, &a->value) != OB_OK) return false;
                if (a->value > MAX_NUMBER || a->value < -MAX_NUMBER) return false;
            }
    return true;
}

static bool set_steps(pair *w) {
    for (uint32_t c = 0; c < w->n; c++)
        for (uint32_t i = 0; i < w->choices[c].n; i++)
            for (uint32_t k = 0; k < w->choices[c].alternatives[i].n; k++) {
                atom *a = &w->choices[c].alternatives[i].atoms[k];
                int64_t *steps[2] = {&a->dx, &a->dy};
                for (int axis = 0; axis < 2; axis++) {
                    int64_t step, length = ob__literal_step(w->s->dims, w->symbols[axis], &a->literal, &step);
                    if (length == 0 || ob__mul_overflows(step, w->periods[axis] / length, steps[axis]) ||
                        *steps[axis] > MAX_NUMBER || *steps[axis] < -MAX_NUMBER)
                        return false;
                }
            }
    return true;
}

/* FALSE: for no sizes of the two do all the clauses hold. */
static ob_truth decide(pair *w) {
    if (w->n == 0 || !set_steps(w)) return OB_UNDECIDED;
    for (int64_t r = 0; r < w->periods[0]; r++)
        for (int64_t t = 0; t < w->periods[1]; t++) {
            if (!set_class(w, r, t)) return OB_UNDECIDED;
            ob_truth fits = try_choices(w, 0, 0);
            if (fits != OB_FALSE) return fits;
            if (w->work > MAX_WORK) return OB_UNDECIDED;
        }
    return OB_FALSE;
}

/* ---- Pairs ---- */

static bool is_of_pair(const pair *w, const ob_work_clause *clause) {
    for (uint32_t i = 0; i < clause->n_symbols; i++)
        if (clause->symbols[i] != w->facts[0] && clause->symbols[i] != w->facts[1]) return false;
    return clause->n_symbols > 0 && !clause->dropped;
}

/* The clauses on these two symbols only; some of them if there are too many. */
static ob_status collect(pair *w) {
    const ob_solver *s = w->s;
    for (int axis = 0; axis < 2; axis++) {
        uint32_t walked = 0;
        for (const ob_link *link = s->facts[w->facts[axis]].occurrences; link && walked < 16 * MAX_CLAUSES && w->n < MAX_CLAUSES;
             link = link->next, walked++) {
            const ob_work_clause *clause = &s->clauses[link->number];
            if (is_of_pair(w, clause) && (axis == 0 || clause->n_symbols == 1)) OB_TRY(add_clause(w, clause));
        }
    }
    return OB_OK;
}

static ob_status decide_pair(ob_solver *s, const uint32_t *symbols) {
    ob_arena arena;
    ob__arena_init(&arena, &s->arena->allocator);
    pair *w = OB_ARENA_NEW(&arena, pair);
    ob_status status = OB_E_MEMORY;
    if (w) {
        *w = (pair){.s = s, .choices = ob__arena_alloc(&arena, (MAX_CLAUSES + 1) * sizeof(choice)), .periods = {1, 1}};
        for (int axis = 0; axis < 2; axis++) {
            w->facts[axis] = symbols[axis];
            w->symbols[axis] = s->facts[symbols[axis]].symbol;
        }
        if (w->choices) status = collect(w);
    }
    if (status == OB_OK) {
        if (decide(w) == OB_FALSE) ob__solver_clash(s, w->reason);
        s->work += w->work;
    }
    return ob__arena_finish(&arena, status);
}

ob_status ob__solver_pairs(ob_solver *s) {
    uint32_t tried[MAX_PAIRS][2], n = 0;
    for (uint32_t i = 0; i < s->n_clauses && n < MAX_PAIRS && !s->clashed && s->work <= OB_SOLVE_WORK / 8; i++) {
        const ob_work_clause *clause = &s->clauses[i];
        if (clause->dropped || clause->n_symbols != 2) continue;
        bool known = false;
        for (uint32_t k = 0; k < n; k++) {
            known |= tried[k][0] == clause->symbols[0] && tried[k][1] == clause->symbols[1];
            known |= tried[k][0] == clause->symbols[1] && tried[k][1] == clause->symbols[0];
        }
        if (known) continue;
        memcpy(tried[n++], clause->symbols, sizeof *tried);
        OB_TRY(decide_pair(s, tried[n - 1]));
    }
    return OB_OK;
}
