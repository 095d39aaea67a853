#include "definition/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dims/clash.h"

enum { MOST = 3 /* operands */, RANK_3 = 259 /* shapes up to rank 3 */ };

/* A call of the library and its answer. */
typedef struct library_call {
    symbols *all;
    size_t n;
    uint16_t numbers[MOST];
    ob_shape operands[MOST];
    int32_t rank; /* the highest */
    bool one_way;
    ob_status status;
    ob_broadcast_result result;
    ob_clash clash;
    values conditions[OB_MAX_RANK]; /* the values that fulfil those of an axis */
    bool wrong;                     /* a condition of the wrong operand, axis or meaning, or one that always holds */
} library_call;

/* The letter of an operand along an axis of the result; 1 where it has no axis. */
static int letter_of(const library_call *call, size_t operand, int32_t axis) {
    const word *here = &call->all->words[call->numbers[operand]];
    int32_t i = axis - (call->rank - here->rank);
    return i < 0 ? 1 : here->letters[i];
}

static ob_dim dim_of(const library_call *call, size_t operand, int32_t axis) {
    const word *here = &call->all->words[call->numbers[operand]];
    int32_t i = axis - (call->rank - here->rank);
    return i < 0 ? 1 : here->dims[i];
}

static ob_status note_condition(void *context, const ob_condition *condition, size_t operand, int32_t axis) {
    library_call *call = context;
    if (operand >= call->n || axis < 0 || axis >= call->rank || dim_of(call, operand, axis) != condition->a) {
        call->wrong = true;
        return OB_OK;
    }
    values holds = symbols_holds(call->all, condition, &call->wrong);
    call->wrong |= holds == ALL_VALUES;
    call->conditions[axis] &= holds;
    return OB_OK;
}

static void set_operands(library_call *call, size_t n, const uint16_t *numbers) {
    call->n = n;
    call->rank = 0;
    for (size_t i = 0; i < n; i++) {
        const word *here = &call->all->words[numbers[i]];
        call->numbers[i] = numbers[i];
        call->operands[i] = (ob_shape){here->rank, here->dims};
        if (here->rank > call->rank) call->rank = here->rank;
    }
    for (int32_t axis = 0; axis < call->rank; axis++) call->conditions[axis] = ALL_VALUES;
    call->wrong = false;
}

static void ask(library_call *call) {
    call->status =
        ob__try_broadcast(call->operands, call->n, call->all->pool, note_condition, call, &call->result, &call->clash, NULL);
}

static void differ(const library_call *call, tally *found, const char *problem, int value) {
    const ob_dims *pool = call->all->pool;
    char at[40] = "";
    if (value >= 0) snprintf(at, sizeof at, " for N = %d, M = %d", letter_at(4, value), letter_at(5, value));
    const char *way = call->one_way ? " one way" : "";
    shape_text result = {"nothing"};
    if (call->status == OB_OK && !call->one_way) result = shown_shape(pool, call->result.rank, call->result.dims);
    tally_differ(found, "%s%s: %s%s; the library says %s and gives %s", shown_operands(pool, call->operands, call->n).text, way,
                 problem, at, ob_status_text(call->status), result.text);
}

static int first_of(values set) {
    int value = 0;
    while (value < N_VALUES && !(set >> value & 1)) value++;
    return value < N_VALUES ? value : -1;
}

/* Do the two operands that the library names exclude each other at the named axis, whatever N and M are? */
static bool is_clash(const library_call *call) {
    const ob_clash *clash = &call->clash;
    if (clash->kind != OB_CLASH_SIZES || clash->axis < 0 || clash->axis >= call->rank) return false;
    if (clash->a_operand >= clash->b_operand || clash->b_operand >= call->n) return false;
    if (clash->a != dim_of(call, clash->a_operand, clash->axis) || clash->b != dim_of(call, clash->b_operand, clash->axis))
        return false;
    return clash->a != clash->b && clash->a != 1 && clash->b != 1 && ob_dim_is_const(clash->a) && ob_dim_is_const(clash->b);
}

/* ---- The whole shape ---- */

/* The number of the library's result at a value. */
static uint16_t result_at(const library_call *call, const int *places, int value) {
    int64_t dims[TABLE_RANK];
    for (int32_t axis = 0; axis < call->result.rank; axis++) dims[axis] = call->all->sizes[places[axis]][value];
    return answers_number(call->result.rank, dims);
}

/* The definition's result for each value. Where the library refuses, all of them must be NO_SHAPE. Otherwise its conditions must
 * hold for exactly the others, and its result must be the definition's. */
static void judge(const library_call *call, const uint16_t *wanted, int n_values, tally *found) {
    int places[TABLE_RANK];
    if (call->status == OB_E_SHAPE) {
        for (int value = 0; value < n_values; value++)
            if (wanted[value] != NO_SHAPE) return differ(call, found, "defined", value);
        if (!is_clash(call)) differ(call, found, "the library names no clash", -1);
        return;
    }
    if (call->status != OB_OK) return differ(call, found, "neither a shape nor a clash", -1);
    if (call->wrong) return differ(call, found, "a condition is wrong or always holds", -1);
    if (call->result.rank != call->rank) return differ(call, found, "another rank", -1);
    values allowed = ALL_VALUES;
    for (int32_t axis = 0; axis < call->rank; axis++) {
        allowed &= call->conditions[axis];
        places[axis] = symbols_place(call->all, call->result.dims[axis]);
        if (places[axis] < 0) return differ(call, found, "too many different sizes", -1);
    }
    for (int value = 0; value < n_values; value++) {
        bool is_allowed = allowed >> value & 1;
        if (is_allowed != (wanted[value] != NO_SHAPE))
            return differ(call, found, is_allowed ? "undefined, and admitted" : "defined, and excluded", value);
        if (is_allowed && result_at(call, places, value) != wanted[value]) return differ(call, found, "another shape", value);
    }
}

static bool has_symbols(const word *here) {
    for (int32_t axis = 0; axis < here->rank; axis++)
        if (here->letters[axis] >= SMALL) return true;
    return false;
}

/* ---- Pairs ---- */

static void compare_two(const answers *definition, library_call *call, uint16_t a, uint16_t b, tally *found) {
    const word *words = call->all->words;
    uint16_t wanted[N_VALUES];
    for (int value = 0; value < N_VALUES; value++)
        wanted[value] = answers_two(definition, words[a].at[value], words[b].at[value]);
    set_operands(call, 2, (uint16_t[]){a, b});
    ask(call);
    judge(call, wanted, N_VALUES, found);
    found->counts[COUNT_PAIRS]++;
    /* the public function, which says the same in words */
    ob_broadcast_result result;
    ob_error error = {.axis = -1};
    if (ob_broadcast_shapes(call->operands, 2, call->all->pool, NULL, NULL, &result, &error) != call->status ||
        (call->status == OB_E_SHAPE && error.axis != call->clash.axis))
        differ(call, found, "the public function answers differently", -1);
}

/* The values for which a stretches to r, by the definition. */
static values stretch_values(const answers *definition, const word *a, const word *r) {
    values set = 0;
    for (int value = 0; value < N_VALUES; value++)
        if (definition->stretches[a->at[value] * N_SHAPES + r->at[value]]) set |= UINT64_C(1) << value;
    return set;
}

static void compare_one_way(const answers *definition, library_call *call, uint16_t a, uint16_t r, tally *found) {
    values wanted = stretch_values(definition, &call->all->words[a], &call->all->words[r]), allowed = ALL_VALUES;
    ob_error error = {.axis = -1};
    set_operands(call, 2, (uint16_t[]){a, r});
    call->status = ob_broadcast_to(&call->operands[0], &call->operands[1], call->all->pool, note_condition, call, &error);
    for (int32_t axis = 0; axis < call->rank; axis++) allowed &= call->conditions[axis];
    if (call->status == OB_E_SHAPE) allowed = 0;
    if ((call->status != OB_OK && call->status != OB_E_SHAPE) || call->wrong)
        differ(call, found, "a condition is wrong or always holds", -1);
    else if (allowed != wanted)
        differ(call, found, "other sizes stretch by the definition", first_of(allowed ^ wanted));
    found->counts[COUNT_ONE_WAY]++;
}

void compare_pairs(const answers *definition, symbols *all, share mine, tally *found) {
    library_call two = {.all = all}, one_way = {.all = all, .one_way = true};
    for (int a = mine.part; a < N_SHAPES; a += mine.of)
        for (int b = 0; b < N_SHAPES; b++) {
            compare_two(definition, &two, (uint16_t)a, (uint16_t)b, found);
            compare_one_way(definition, &one_way, (uint16_t)a, (uint16_t)b, found);
        }
}

/* ---- Triples, the whole shape ---- */

static void compare_whole(const answers *definition, library_call *call, uint16_t a, uint16_t b, uint16_t c, tally *found) {
    const word *x = &call->all->words[a], *y = &call->all->words[b], *z = &call->all->words[c];
    uint16_t wanted[N_VALUES];
    int n_values = has_symbols(x) || has_symbols(y) || has_symbols(z) ? N_VALUES : 1;
    for (int value = 0; value < n_values; value++)
        wanted[value] = answers_three(definition, x->at[value], y->at[value], z->at[value]);
    set_operands(call, 3, (uint16_t[]){a, b, c});
    ask(call);
    judge(call, wanted, n_values, found);
    found->counts[COUNT_TRIPLES]++;
}

static void compare_all_orders(const answers *definition, symbols *all, share mine, tally *found) {
    library_call call = {.all = all};
    for (int a = mine.part * mine.every; a < RANK_3; a += mine.of * mine.every)
        for (int b = 0; b < RANK_3; b++)
            for (int c = 0; c < RANK_3; c++) compare_whole(definition, &call, (uint16_t)a, (uint16_t)b, (uint16_t)c, found);
    for (int a = mine.part * mine.every; a < N_SMALL; a += mine.of * mine.every)
        for (int b = 0; b < N_SMALL; b++)
            for (int c = 0; c < N_SMALL; c++) {
                const uint16_t *small = definition->small;
                compare_whole(definition, &call, small[a], small[b], small[c], found);
            }
}

/* ---- Triples, by the table of one axis ---- */

/* Three letters along one axis. */
typedef struct axis_row {
    values defined;
    uint8_t size[N_VALUES]; /* by the definition */
    values equal[MAX_DIMS]; /* to the size of this dim, or undefined */
    bool equal_known[MAX_DIMS];
} axis_row;

typedef struct axis_table {
    axis_row rows[LETTERS][LETTERS][LETTERS];
} axis_table;

/* From the answers for shapes of rank 1. */
static axis_table *axis_table_new(const answers *definition) {
    axis_table *table = calloc(1, sizeof *table);
    for (int i = 0; table && i < LETTERS * LETTERS * LETTERS; i++) {
        const int letters[3] = {i / (LETTERS * LETTERS), i / LETTERS % LETTERS, i % LETTERS};
        axis_row *row = &table->rows[letters[0]][letters[1]][letters[2]];
        for (int value = 0; value < N_VALUES; value++) {
            uint16_t numbers[3];
            for (int k = 0; k < 3; k++) numbers[k] = answers_number(1, (int64_t[]){letter_at(letters[k], value)});
            uint16_t result = answers_three(definition, numbers[0], numbers[1], numbers[2]);
            if (result == NO_SHAPE) continue;
            row->defined |= UINT64_C(1) << value;
            row->size[value] = definition->shapes[result].at[0];
        }
    }
    return table;
}

/* The values for which the dim has the size that the definition gives the axis, or the axis has none. */
static values equal_values(symbols *all, axis_row *row, int place) {
    if (row->equal_known[place]) return row->equal[place];
    for (int value = 0; value < N_VALUES; value++)
        if (!(row->defined >> value & 1) || all->sizes[place][value] == row->size[value])
            row->equal[place] |= UINT64_C(1) << value;
    row->equal_known[place] = true;
    return row->equal[place];
}

/* As judge(), with the rows of the axes. Every axis that is not refused has values for which it is defined, and N = M = 1 is
 * always among them: so a triple is undefined for all values if and only if one of its axes is. */
static void judge_axes(const library_call *call, axis_row *const *rows, tally *found) {
    if (call->status == OB_E_SHAPE) {
        if (!is_clash(call) || rows[call->clash.axis]->defined != 0) differ(call, found, "not excluded at this axis", -1);
        return;
    }
    if (call->status != OB_OK) return differ(call, found, "neither a shape nor a clash", -1);
    if (call->wrong) return differ(call, found, "a condition is wrong or always holds", -1);
    if (call->result.rank != call->rank) return differ(call, found, "another rank", -1);
    values defined = ALL_VALUES, equal = ALL_VALUES;
    for (int32_t axis = 0; axis < call->rank; axis++) {
        if (call->conditions[axis] != rows[axis]->defined)
            return differ(call, found, "other sizes are admitted along an axis",
                          first_of(call->conditions[axis] ^ rows[axis]->defined));
        int place = symbols_place(call->all, call->result.dims[axis]);
        if (place < 0) return differ(call, found, "too many different sizes", -1);
        defined &= rows[axis]->defined;
        equal &= equal_values(call->all, rows[axis], place);
    }
    if (defined & ~equal) differ(call, found, "another shape", first_of(defined & ~equal));
}

static void compare_axes(axis_table *table, library_call *call, tally *found) {
    axis_row *rows[TABLE_RANK];
    for (int32_t axis = 0; axis < call->rank; axis++)
        rows[axis] = &table->rows[letter_of(call, 0, axis)][letter_of(call, 1, axis)][letter_of(call, 2, axis)];
    ask(call);
    judge_axes(call, rows, found);
    found->counts[COUNT_TRIPLES]++;
}

/* One of the six orders, by a mixture of the three numbers: all of them occur with all kinds of shapes. */
static void reorder(uint16_t *numbers) {
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    uint32_t mixed = (numbers[0] * 2654435761U + numbers[1] * 2246822519U + numbers[2] * 3266489917U) >> 8;
    const uint8_t *order = orders[mixed % 6];
    const uint16_t old[3] = {numbers[0], numbers[1], numbers[2]};
    for (int i = 0; i < 3; i++) numbers[i] = old[order[i]];
}

static void compare_unordered(const answers *definition, symbols *all, share mine, tally *found) {
    axis_table *table = axis_table_new(definition);
    if (!table) return tally_differ(found, "no memory for the table of one axis");
    library_call call = {.all = all};
    for (int a = mine.part * mine.every; a < N_SHAPES; a += mine.of * mine.every)
        for (int b = a; b < N_SHAPES; b++)
            for (int c = b; c < N_SHAPES; c++) {
                uint16_t numbers[3] = {(uint16_t)a, (uint16_t)b, (uint16_t)c};
                reorder(numbers);
                set_operands(&call, 3, numbers);
                compare_axes(table, &call, found);
            }
    free(table);
}

void compare_triples(const answers *definition, symbols *all, share mine, tally *found) {
    compare_all_orders(definition, all, mine, found);
    compare_unordered(definition, all, mine, found);
}
