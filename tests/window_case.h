/* Random windows for tests of sliding-window kernels, small enough to visit every kernel position. */
#ifndef OB_TESTS_WINDOW_CASE_H
#define OB_TESTS_WINDOW_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/window/window.h"

typedef struct window_case {
    obk_axis axes[3];
    obk_window window;
    obk_tiling tiling;
    int64_t *tables;
    bool tiled;
} window_case;

static inline int64_t draw(int64_t n) {
    return rand() % n;
}

/* Sizes that cross vectors and blocks; kernels of up to `most` elements along an axis. */
static inline void wc_draw(window_case *c, int64_t most) {
    memset(c, 0, sizeof *c);
    obk_window *w = &c->window;
    w->rank = 1 + (int32_t)draw(3);
    w->axes = c->axes;
    w->n_in = w->n_out = w->n_kernel = 1;
    for (int32_t a = 0; a < w->rank; a++) {
        obk_axis *x = &c->axes[a];
        x->kernel = 1 + draw(w->rank == 3 ? 3 : most);
        x->stride = 1 + draw(draw(3) ? 2 : 4);
        x->dilation = 1 + draw(draw(3) ? 1 : 3);
        x->before = draw(x->kernel + 1);
        x->after = draw(x->kernel + 1);
        int64_t reach = (x->kernel - 1) * x->dilation + 1;
        x->in = draw(w->rank == 1 ? 300 : w->rank == 2 ? 40 : 9) + 1;
        if (x->in + x->before + x->after < reach) x->in = reach;
        x->out = (x->in + x->before + x->after - reach) / x->stride + 1;
        if (draw(4) == 0) x->out += draw(2); /* with ceil_mode, windows extend past the end */
        w->n_in *= x->in;
        w->n_out *= x->out;
        w->n_kernel *= x->kernel;
    }
}

static inline void wc_tile(window_case *c, int64_t wish) {
    int64_t n_tables = 0;
    c->tables = NULL;
    c->tiled = obk_choose_tiling(&c->window, wish, &c->tiling, &n_tables);
    if (!c->tiled) return;
    c->tables = malloc((size_t)n_tables * sizeof *c->tables);
    assert_non_null(c->tables);
    obk_fill_tiling(&c->window, &c->tiling, c->tables);
}

/* The element that kernel position k of result o reads; -1: padding. */
static inline int64_t wc_seen(const obk_window *w, int64_t o, int64_t k) {
    int64_t at = 0, scale = 1;
    bool inside = true;
    for (int32_t a = w->rank - 1; a >= 0; a--) {
        const obk_axis *x = &w->axes[a];
        int64_t i = o % x->out * x->stride - x->before + k % x->kernel * x->dilation;
        inside = inside && i >= 0 && i < x->in;
        at += i * scale;
        scale *= x->in;
        o /= x->out;
        k /= x->kernel;
    }
    return inside ? at : -1;
}

/* Memory of exactly n bytes between guard bytes that wc_free checks. */
static inline void *wc_guarded(size_t n) {
    enum { GUARD = 64 };
    char *block = malloc(GUARD + n + GUARD);
    assert_non_null(block);
    memset(block, 0x5a, GUARD + n + GUARD);
    return block + GUARD;
}
static inline void wc_free(void *memory, size_t n) {
    char *block = (char *)memory - 64;
    for (int i = 0; i < 64; i++) {
        assert_int_equal(block[i], 0x5a);
        assert_int_equal(block[64 + n + (size_t)i], 0x5a);
    }
    free(block);
}

#endif
