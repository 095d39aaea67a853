/* Branches on conditions of several comparisons: and, or, xor and not of sizes, residues and quotients, three levels or more,
 * around operators with requirements on sizes, and nested. */
#include <stdio.h>
#include <string.h>

#include "gen.h"

static const int64_t divisors[] = {2, 3, 4, 7, 16, 32, 5, 64}, bounds[] = {2, 1, 3, 0, 4, 16, 5, 7, 64, 100};

/* A size, or a number computed from sizes. */
static const char *term(gen *g, char text[12]) {
    const value *a = scalar(g);
    uint32_t how = draw(g, 8);
    if (how > 1) {
        static const char *const ops[] = {"Mod", "Div", "Mod", "Add", "Sub", "Mul"};
        const value *b = how > 4 ? scalar(g) : NULL;
        const char *other = b ? b->name : number(g, draw_of(g, divisors, 8));
        value v = fresh(g, 'i', 0);
        put(g, "  %s = %s (%s, %s)\n", v.name, ops[how - 2], a->name, other);
        a = keep_content(g, v, 0);
    }
    return strcpy(text, a->name);
}

static const value *comparison(gen *g) {
    static const char *const ops[] = {"Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"};
    char left[12], right[12];
    term(g, left);
    const char *other = draw(g, 4) == 3 ? term(g, right) : number(g, draw_of(g, bounds, 10));
    value v = fresh(g, 'b', 0);
    put(g, "  %s = %s (%s, %s)\n", v.name, ops[draw(g, 5)], left, other);
    return keep_content(g, v, 0);
}

static const value *condition(gen *g, int levels) {
    static const char *const ops[] = {"And", "Or", "Xor"};
    const value *made = draw(g, 4) == 3 ? find_content(g, 'b', 0) : NULL; /* with further levels */
    uint32_t how = draw(g, 8);
    if (made) return made;
    if (levels == 0 || how == 7) return comparison(g);
    char left[12], right[12] = "";
    strcpy(left, condition(g, levels - 1)->name);
    if (how != 6) strcpy(right, condition(g, levels - 1)->name);
    value v = fresh(g, 'b', 0);
    if (how == 6)
        put(g, "  %s = Not (%s)\n", v.name, left);
    else
        put(g, "  %s = %s (%s, %s)\n", v.name, ops[how % 3], left, right);
    return keep_content(g, v, 0);
}

void make_guard(gen *g) {
    static const maker makers[] = {make_reshape, make_slice, make_tile, make_expand, make_concat, make_split};
    uint32_t how = draw(g, 8);
    bool fits = g->n_body < GEN_TEXT / 2 && g->n_values < GEN_VALUES / 4;
    if (fits && how < 2) {
        condition(g, 3);
    } else if (fits && how < 5 && g->depth < 3) {
        const value *made = draw(g, 2) ? find_content(g, 'b', 0) : NULL;
        char name[12];
        strcpy(name, (made ? made : condition(g, 1 + (int)draw(g, 3)))->name);
        branch_on(g, name);
    } else {
        makers[draw(g, sizeof makers / sizeof *makers)](g);
    }
}
