/* The result of rewriting a literal: shared by the two files that rewrite. */
#ifndef OB_CORE_SOLVE_EXPAND_H
#define OB_CORE_SOLVE_EXPAND_H

#include "core/solve/solver.h"

enum { OB_EXPAND_ROOM = 192, OB_EXPAND_MEMBERS = 12 };

/* The result: an AND of ORs, flat. */
typedef struct expansion {
    uint32_t n, n_literals, end[OB_SOLVE_SPLIT];
    ob_literal literals[OB_EXPAND_ROOM];
    bool overflow;
} expansion;

typedef enum step { STEP_TRUE, STEP_FALSE, STEP_SAME, STEP_EXPANDED } step;

/* The state of the work on one clause. */
typedef struct work {
    const ob_solver *s;
    ob_dims *dims;
    ob_solve_budget *budget;
    uint32_t n_rewrites;
    expansion e;
} work;

static inline step truth(bool value) {
    return value ? STEP_TRUE : STEP_FALSE;
}

/* Adds to the current OR. */
static inline void put(work *w, ob_literal_kind kind, ob_dim p, ob_dim q) {
    expansion *e = &w->e;
    if (e->n_literals == OB_EXPAND_ROOM || p == OB_DIM_UNKNOWN || q == OB_DIM_UNKNOWN)
        e->overflow = true;
    else
        e->literals[e->n_literals++] = (ob_literal){kind, p, q};
}

static inline void end_or(work *w) {
    if (w->e.n == OB_SOLVE_SPLIT)
        w->e.overflow = true;
    else
        w->e.end[w->e.n++] = w->e.n_literals;
}

static inline void put_alone(work *w, ob_literal_kind kind, ob_dim p, ob_dim q) {
    put(w, kind, p, q);
    end_or(w);
}

static inline step expanded(const work *w) {
    return w->e.overflow ? STEP_SAME : STEP_EXPANDED;
}

/* literal.c. Rewrites one literal: *literal in normal form (STEP_SAME), or w->e. */
step ob__literal_expand(work *w, ob_literal *literal);

#endif
