/* Writes the set of one symbol's sizes in the shortest of a few forms; each is tried. The caller tests the result. */
#include <string.h>

#include "core/base/text.h"
#include "core/dims/scratch.h"
#include "core/solve/solver.h"

enum { MAX_LISTED = 8, SHORT_LIST = 4, MAX_ARCS = 4, ENUMERATED = 1 << 14 };

/* The parts of a form. */
typedef struct writing {
    ob_dims *dims;
    ob_dim x;
    const ob_set *set;
    int64_t least, greatest;
    bool apart; /* both ends of a range as clauses of their own */
    ob_set_form *form;
} writing;

static bool put(const writing *w, uint32_t clause, ob_literal_kind kind, ob_dim p, ob_dim q) {
    ob_set_form *form = w->form;
    if (clause >= OB_SOLVE_SPLIT || form->clauses[clause].n == OB_SOLVE_SPLIT || p == OB_DIM_UNKNOWN) return false;
    if (clause >= form->n) form->n = clause + 1;
    form->clauses[clause].literals[form->clauses[clause].n++] = (ob_literal){kind, p, q};
    return true;
}

/* term >= least, term <= greatest, or both: as an alternative of the clause. */
static bool put_least(const writing *w, uint32_t clause, ob_dim term, int64_t least) {
    return put(w, clause, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, term, least), 0);
}

static bool put_most(const writing *w, uint32_t clause, ob_dim term, int64_t greatest) {
    return put(w, clause, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, greatest, term), 0);
}

static bool put_between(const writing *w, uint32_t clause, ob_dim term, int64_t least, int64_t greatest) {
    ob_dim low = ob_dim_sub(w->dims, term, least), high = ob_dim_sub(w->dims, greatest, term);
    return put(w, clause, OB_LITERAL_NONNEGATIVE, ob_dim_min(w->dims, low, high), 0);
}

/* least <= x <= greatest, in clauses of their own; OB_INFINITE: no end. */
static bool put_range(const writing *w, int64_t least, int64_t greatest) {
    bool ends = greatest != OB_INFINITE, apart = w->apart || greatest >= OB_SIZE_UNREACHED;
    if (least > 0 && ends && !apart) return put_between(w, w->form->n, w->x, least, greatest);
    if (least > 0 && !put_least(w, w->form->n, w->x, least)) return false;
    return !ends || put_most(w, w->form->n, w->x, greatest);
}

/* ---- Single sizes, and runs of them ---- */

typedef enum place {
    OUT, /* the alternatives must not hold there */
    MAY, /* another alternative holds, or another clause does not */
    MUST
} place;

/* Between `first` and `last` every size may hold, `n` of them must, and both ends do. */
typedef struct run {
    int64_t first, last, n;
    bool from_0; /* all below may hold, too */
} run;

static bool put_run(const writing *w, uint32_t clause, const run *r, place (*of)(const void *context, int64_t size),
                    const void *context, int64_t *n_listed) {
    if (r->from_0 && r->n > 1) return put_most(w, clause, w->x, r->last);
    if (r->n > 2) return put_between(w, clause, w->x, r->first, r->last);
    for (int64_t size = r->first; size <= r->last; size++) {
        if (of(context, size) != MUST) continue;
        if (++*n_listed > MAX_LISTED || !put(w, clause, OB_LITERAL_ZERO, ob_dim_sub(w->dims, w->x, size), 0)) return false;
    }
    return true;
}

/* Adds alternatives for the sizes below `end`. Sizes below the set's range need none; of these, either all may be admitted or
 * none. */
static bool put_places(const writing *w, uint32_t clause, int64_t end, place (*of)(const void *context, int64_t size),
                       const void *context) {
    run r = {.n = 0};
    const int64_t begin = w->set->lo;
    bool from_0 = begin == 0 || of(context, begin - 1) == MAY;
    int64_t n_listed = 0;
    for (int64_t size = begin; size <= end; size++) {
        place is = size < end ? of(context, size) : OUT;
        if (is == MUST) {
            if (r.n == 0) r = (run){.first = size, .from_0 = from_0};
            r.last = size;
            r.n++;
        }
        if (is != OUT) continue;
        if (r.n > 0 && !put_run(w, clause, &r, of, context, &n_listed)) return false;
        r.n = 0;
        from_0 = false;
    }
    return true;
}

/* ---- Residues ---- */

typedef struct residues {
    const uint8_t *bits; /* by x modulo period */
    uint32_t period, n;
} residues;

/* The smallest period of the set from some size on. */
static bool tail_of(const ob_set *set, ob_arena *arena, residues *out) {
    uint32_t period = set->period;
    uint8_t *bits = OB_ARENA_ARRAY(arena, uint8_t, period);
    if (!bits) return false;
    for (uint32_t i = 0; i < period; i++) bits[(set->base + set->n_explicit + i) % period] = set->bits[set->n_explicit + i];
    for (uint32_t smaller = 1; smaller <= period / 2; smaller++) {
        if (period % smaller != 0) continue;
        uint32_t i = 0;
        while (i + smaller < period && bits[i] == bits[i + smaller]) i++;
        if (i + smaller == period) {
            period = smaller;
            break;
        }
    }
    *out = (residues){bits, period, 0};
    for (uint32_t i = 0; i < period; i++) out->n += bits[i];
    return true;
}

static bool fits(const residues *r, int64_t size) {
    return r->bits[size % r->period] != 0;
}

static bool put_residue(const writing *w, uint32_t clause, uint32_t residue, uint32_t period, bool is) {
    ob_dim p = ob_dim_add(w->dims, w->x, (period - residue) % period);
    if (!is && period == 2)
        return put(w, clause, OB_LITERAL_DIVIDES, ob_dim_add(w->dims, w->x, 1 - (int64_t)(period - residue) % period), 2);
    return put(w, clause, is ? OB_LITERAL_DIVIDES : OB_LITERAL_NOT_DIVIDES, p, period);
}

/* (x + shift) % period */
static ob_dim remainder_of(const writing *w, uint32_t shift, uint32_t period) {
    ob_dim shifted = ob_dim_add(w->dims, w->x, shift % period);
    return ob_dim_sub(w->dims, shifted, ob_dim_mul(w->dims, period, ob_dim_div(w->dims, shifted, period)));
}

/* n neighbours from `start` on: a range of the remainder, or, around 0, of that of x plus a number. */
static bool put_arc(const writing *w, uint32_t clause, uint32_t start, uint32_t n, uint32_t period) {
    uint32_t last = start + n - 1;
    if (n == 1) return put_residue(w, clause, start, period, true);
    if (last >= period) return put_most(w, clause, remainder_of(w, period - start, period), n - 1);
    ob_dim rest = remainder_of(w, 0, period);
    if (start == 0) return put_most(w, clause, rest, last);
    return last == period - 1 ? put_least(w, clause, rest, start) : put_between(w, clause, rest, start, last);
}

/* Is one range of residues written as a list? A list reads better than a remainder of x plus a number. */
static bool is_listed(const residues *r, uint32_t start, uint32_t n) {
    if (n == 2) return r->period > 3;
    bool around_0 = start + n > r->period, inside = start > 0 && start + n < r->period;
    return n == 1 || (around_0 && n <= SHORT_LIST) || (inside && n == 3);
}

/* Neighbours among the residues; of more than MAX_ARCS only the number. */
typedef struct arcs {
    uint32_t n, start[MAX_ARCS], length[MAX_ARCS];
} arcs;

static void find_arcs(const residues *r, arcs *out) {
    out->n = 0;
    for (uint32_t i = 0; i < r->period; i++) {
        if (!r->bits[i] || r->bits[(i + r->period - 1) % r->period]) continue;
        if (out->n < MAX_ARCS) {
            uint32_t length = 1;
            while (r->bits[(i + length) % r->period]) length++;
            out->start[out->n] = i;
            out->length[out->n] = length;
        }
        out->n++;
    }
}

/* Is it written as a list of the residues, or of the missing ones? */
static bool lists_residues(const residues *r, const arcs *a) {
    return a->n == 1 ? is_listed(r, a->start[0], a->length[0]) : r->n <= MAX_LISTED;
}

static bool lists_missing(const residues *r, const arcs *a) {
    uint32_t missing = r->period - r->n;
    return !lists_residues(r, a) && (missing == 1 || (missing <= MAX_ARCS && a->n > 1));
}

/* x modulo the period is one of these. */
static bool put_residues(const writing *w, const residues *r, const arcs *a, uint32_t clause) {
    if (lists_residues(r, a)) {
        for (uint32_t i = 0; i < r->period; i++)
            if (r->bits[i] && !put_residue(w, clause, i, r->period, true)) return false;
        return true;
    }
    if (a->n > MAX_ARCS) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!put_arc(w, clause, a->start[i], a->length[i], r->period)) return false;
    return true;
}

/* ---- Forms ---- */

/* A few sizes, or a progression. */
static bool finite_form(const writing *w) {
    int64_t n = 0, step = 0, last = w->least;
    for (int64_t value = w->least; value <= w->greatest && n <= ENUMERATED; value++) {
        if (!ob__set_has(w->set, value)) continue;
        n++;
        if (n == 2) step = value - last;
        if (n > 2 && value - last != step) step = 0;
        last = value;
    }
    if (n > ENUMERATED) return false;
    if (step == 1 && n > 2) return put_range(w, w->least, w->greatest);
    if (n <= MAX_LISTED) {
        for (int64_t value = w->least; value <= w->greatest; value++)
            if (ob__set_has(w->set, value) && !put(w, 0, OB_LITERAL_ZERO, ob_dim_sub(w->dims, w->x, value), 0)) return false;
        return true;
    }
    if (step < 2 || step > OB_SOLVE_PERIOD) return false;
    return put_range(w, w->least, w->greatest) && put_residue(w, w->form->n, (uint32_t)(w->least % step), (uint32_t)step, true);
}

static place place_in_set(const void *context, int64_t size) {
    return ob__set_has(context, size) ? MUST : OUT;
}

/* "N <= 4 or 9 <= N <= 14" */
static bool runs_form(const writing *w) {
    return put_places(w, 0, w->greatest + 1, place_in_set, w->set);
}

/* Sizes before a pattern, in addition to the other clauses. */
typedef struct head {
    const ob_set *set;
    const residues *r; /* the pattern that is an alternative, or NULL */
    int64_t lowest;    /* below it another clause excludes all */
    bool excluded;     /* another clause excludes the sizes outside the set */
} head;

static place place_in_head(const void *context, int64_t size) {
    const head *h = context;
    bool in = ob__set_has(h->set, size), told = h->r && fits(h->r, size);
    if (in) return told ? MAY : MUST;
    return size < h->lowest || (h->excluded && h->r) ? MAY : OUT;
}

/* Clauses of the pattern, each with the exceptions before `start` as alternatives. */
static bool put_pattern(const writing *w, const head *h, int64_t start) {
    const residues *r = h->r;
    arcs a;
    find_arcs(r, &a);
    if (!lists_missing(r, &a)) {
        uint32_t clause = w->form->n;
        return put_places(w, clause, start, place_in_head, h) && put_residues(w, r, &a, clause);
    }
    for (uint32_t i = 0; i < r->period; i++) {
        uint32_t clause = w->form->n;
        if (!r->bits[i] && (!put_places(w, clause, start, place_in_head, h) || !put_residue(w, clause, i, r->period, false)))
            return false;
    }
    return true;
}

/* The pattern of all sizes from some size on, and the sizes before it; lowest: x >= it is a separate clause. */
static bool general_form(const writing *w, const residues *r, int64_t lowest) {
    const ob_set *set = w->set;
    int64_t start = ob__set_head(set);
    bool open = true;
    if (start > set->hi || r->n == 0) return false;
    while (start > set->lo && ob__set_has(set, start - 1) == fits(r, start - 1)) start--;
    if (start == set->lo) /* below it nothing is in the set: as if the pattern went on, for as long as it has no members there */
        while (start > 0 && !fits(r, start - 1)) start--;
    if (lowest > 0 && !put_least(w, 0, w->x, lowest)) return false;
    /* Is there no size below it that would fit the pattern and is not in the set? Its members there are members of a period. */
    int64_t from = set->lo > r->period ? set->lo - r->period : 0;
    for (int64_t value = lowest > from ? lowest : from; value < start && open; value++)
        open = !fits(r, value) || ob__set_has(set, value);
    head h = {set, NULL, lowest, !open};
    if (!open) { /* the least that fits the pattern reads best */
        int64_t shown = start;
        while (shown <= w->greatest && !ob__set_has(set, shown)) shown++;
        uint32_t clause = w->form->n;
        if (shown > w->greatest || !put_places(w, clause, start, place_in_head, &h) || !put_least(w, clause, w->x, shown))
            return false;
    }
    h.r = r;
    if (r->n < r->period && !put_pattern(w, &h, start)) return false;
    return w->greatest == OB_INFINITE || put_most(w, w->form->n, w->x, w->greatest);
}

/* The pattern within a range, with both ends in one clause. */
static bool bounded_form(const writing *w, const residues *r) {
    const head h = {w->set, r, w->least, false};
    if (r->n == 0) return false;
    for (int64_t value = w->least; value <= w->greatest && value < ob__set_head(w->set) + r->period; value++)
        if (ob__set_has(w->set, value) != fits(r, value)) return false;
    return put_range(w, w->least, w->greatest) && (r->n == r->period || put_pattern(w, &h, 0));
}

/* A range with a few holes. */
static bool range_with_holes(const writing *w, const residues *r) {
    int64_t end = ob__set_head(w->set), n = 0;
    if (r->n < r->period && w->greatest - end > ENUMERATED) return false;
    if (r->n < r->period || end > w->greatest) end = w->greatest;
    if (!put_range(w, w->least, w->greatest)) return false;
    for (int64_t value = w->least; value < end; value++) {
        if (ob__set_has(w->set, value)) continue;
        if (n++ == MAX_LISTED || !put(w, w->form->n, OB_LITERAL_NONZERO, ob_dim_sub(w->dims, w->x, value), 0)) return false;
    }
    return true;
}

/* ---- The shortest ---- */

size_t ob__set_form_length(ob_dims *dims, const ob_set_form *form, const ob_arena *arena) {
    ob_text text;
    size_t n = 0;
    ob__text_init(&text, &arena->allocator);
    for (uint32_t i = 0; i < form->n; i++) {
        const ob_solved_clause clause = {.literals = form->clauses[i].literals, .n = form->clauses[i].n};
        text.n = 0;
        ob__solved_write(&text, dims, &clause);
        n += text.n + OB_CLAUSE_LENGTH;
    }
    if (text.failed) n = SIZE_MAX;
    ob__text_release(&text);
    return n;
}

/* The forms in the order in which they are preferred where they are as long. */
static bool write_form(const writing *w, const residues *r, int number) {
    bool ends = w->greatest != OB_INFINITE, few = ends && w->greatest - w->least <= OB_SOLVE_POINTS;
    switch (number) {
    case 0: return few && finite_form(w);
    case 1: return ends && w->greatest <= ENUMERATED && runs_form(w);
    case 2: return ends && bounded_form(w, r);
    case 3: return general_form(w, r, 0);
    case 4: return w->least > 0 && general_form(w, r, w->least);
    case 5: return (r->n == r->period || ends) && range_with_holes(w, r);
    default: return false;
    }
}

bool ob__set_form(ob_dims *dims, ob_dim x, const ob_set *set, bool apart, ob_arena *arena, ob_set_form *out) {
    enum { FORMS = 6 };
    residues r;
    writing w = {.dims = dims, .x = x, .set = set, .apart = apart, .form = OB_ARENA_NEW(arena, ob_set_form)};
    size_t best = SIZE_MAX;
    out->n = 0;
    if (!w.form) return false;
    ob__set_ends(set, &w.least, &w.greatest);
    if (w.least < 0) return true;
    if (!tail_of(set, arena, &r)) return false;
    for (int i = 0; i < FORMS; i++) {
        w.form->n = 0;
        for (uint32_t k = 0; k < OB_SOLVE_SPLIT; k++) w.form->clauses[k].n = 0;
        if (!write_form(&w, &r, i)) continue;
        size_t length = ob__set_form_length(dims, w.form, arena);
        if (length >= best) continue;
        best = length;
        memcpy(out, w.form, sizeof *out);
    }
    return best != SIZE_MAX;
}
