#include "definition/symbols.h"

#include <string.h>

uint8_t letter_at(int letter, int value) {
    return (uint8_t)(letter < 4 ? letter : letter == 4 ? value / SIZES : value % SIZES);
}

static void bind(symbols *all, int value) {
    all->bindings[0].size = letter_at(4, value);
    all->bindings[1].size = letter_at(5, value);
}

bool symbols_create(symbols *all, const answers *definition) {
    memset(all, 0, sizeof *all);
    if (ob_dims_create(NULL, &all->pool) != OB_OK) return false;
    const ob_dim n = ob_dim_symbol(all->pool, "N"), m = ob_dim_symbol(all->pool, "M");
    all->bindings[0].symbol = n;
    all->bindings[1].symbol = m;
    const ob_dim letters[LETTERS] = {0, 1, 2, 3, n, m};
    for (int i = 0; i < N_SHAPES; i++) {
        word *here = &all->words[i];
        here->rank = definition->shapes[i].rank;
        for (int32_t axis = 0; axis < here->rank; axis++) {
            here->letters[axis] = definition->shapes[i].at[axis];
            here->dims[axis] = letters[here->letters[axis]];
        }
        for (int value = 0; value < N_VALUES; value++) {
            int64_t dims[TABLE_RANK];
            for (int32_t axis = 0; axis < here->rank; axis++) dims[axis] = letter_at(here->letters[axis], value);
            here->at[value] = answers_number(here->rank, dims);
        }
    }
    return ob_dims_status(all->pool) == OB_OK;
}

void symbols_destroy(symbols *all) {
    ob_dims_destroy(&all->pool);
}

int symbols_place(symbols *all, ob_dim d) {
    for (size_t i = 0; i < all->n_dims; i++)
        if (all->dims[i] == d) return (int)i;
    if (all->n_dims == MAX_DIMS) return -1;
    size_t place = all->n_dims++;
    all->dims[place] = d;
    for (int value = 0; value < N_VALUES; value++) {
        int64_t size;
        bind(all, value);
        bool defined = ob_dim_eval(all->pool, d, all->bindings, 2, &size) == OB_OK && size >= 0 && size < SIZES;
        all->sizes[place][value] = (int8_t)(defined ? size : -1);
    }
    return (int)place;
}

static bool holds(ob_condition_kind kind, int a, int b) {
    switch (kind) {
    case OB_COND_EQUAL: return a == b;
    case OB_COND_BROADCAST: return a == b || a == 1 || b == 1;
    case OB_COND_BROADCAST_TO: return a == b || a == 1;
    default: return false; /* no condition of a broadcast */
    }
}

values symbols_holds(symbols *all, const ob_condition *condition, bool *wrong) {
    int a = symbols_place(all, condition->a), b = symbols_place(all, condition->b);
    if (a < 0 || b < 0 || (unsigned)condition->kind > OB_COND_AT_LEAST) {
        *wrong = true;
        return 0;
    }
    values *set = &all->conditions[condition->kind][a][b];
    if (all->conditions_known[condition->kind][a][b]) return *set;
    for (int value = 0; value < N_VALUES; value++) {
        bool here = all->sizes[a][value] >= 0 && all->sizes[b][value] >= 0 &&
                    holds(condition->kind, all->sizes[a][value], all->sizes[b][value]);
        bool said = false;
        bind(all, value);
        if (ob_condition_eval(all->pool, condition, all->bindings, 2, &said) != OB_OK || said != here) *wrong = true;
        if (here) *set |= UINT64_C(1) << value;
    }
    all->conditions_known[condition->kind][a][b] = true;
    return *set;
}
