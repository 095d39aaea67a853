#include "definition/placed.h"

#include "definition/views.h"

typedef struct placing {
    const answers *definition;
    tally *found;
    int32_t number; /* of the mapping */
    mapping axes;
    uint16_t shape;           /* a small one */
    int64_t dims[TABLE_RANK]; /* its sizes */
    ob_shape operand;
    uint16_t placed; /* by the definition */
} placing;

static void differ(const placing *all, const ob_shape *other, const char *problem) {
    const ob_shape axes = {all->axes.n, all->axes.at};
    tally_differ(all->found, "%s at axes %s of rank %d%s%s: %s", shown_operands(NULL, &all->operand, 1).text,
                 shown_operands(NULL, &axes, 1).text, (int)all->axes.rank, other ? ", with " : "",
                 other ? shown_operands(NULL, other, 1).text : "", problem);
}

/* A small shape; `dims` holds its sizes. */
static ob_shape small_shape(const answers *definition, uint16_t small, int64_t *dims) {
    const sizes *shape = &definition->shapes[definition->small[small]];
    for (int32_t axis = 0; axis < shape->rank; axis++) dims[axis] = shape->at[axis];
    return (ob_shape){shape->rank, dims};
}

static void compare_alignment(placing *all) {
    ob_broadcast_result aligned;
    ob_status status = ob_align_in_dim(&all->operand, all->axes.at, (size_t)all->axes.n, all->axes.rank, &aligned, NULL);
    all->found->counts[COUNT_PLACED]++;
    if (status != (all->placed == NO_SHAPE ? OB_E_ARGUMENT : OB_OK))
        differ(all, NULL, status == OB_OK ? "accepted, and not a mapping" : "a mapping, and refused");
    else if (status == OB_OK && answers_number(aligned.rank, aligned.dims) != all->placed)
        differ(all, NULL, "another shape");
}

/* The operand at its axes in a shape of the rank. */
static void compare_view(placing *all, uint16_t result, const ob_shape *shape) {
    static int64_t memory[MAX_ELEMENTS];
    const offsets none = {.at = NULL}, *wanted = &none;
    if (all->placed != NO_SHAPE) wanted = &all->definition->offsets[all->definition->small_of[all->placed]][result];
    ob_view from, out;
    ob_status status = ob_view_init(&from, memory, OB_INT16, all->operand.rank, all->dims);
    if (status == OB_OK)
        status = ob_view_broadcast_in_dim(&from, all->axes.at, (size_t)all->axes.n, shape->rank, shape->dims, &out, NULL);
    all->found->counts[COUNT_VIEWS]++;
    all->found->counts[COUNT_OFFSETS] += (uint64_t)wanted->n;
    if ((status == OB_OK) != (wanted->at != NULL))
        differ(all, shape, "another verdict on the view");
    else if (status == OB_OK && (!view_shows(&out, wanted) || out.data != memory || out.rank != shape->rank))
        differ(all, shape, "another offset by the strides");
}

/* Operands of one rank need no axes. */
static void compare_operation(placing *all, uint16_t other, const ob_shape *shape) {
    const answers *definition = all->definition;
    bool same_rank = all->operand.rank == shape->rank && all->axes.n == 0;
    uint16_t placed = same_rank ? definition->small[all->shape] : all->placed, wanted = NO_SHAPE;
    if (placed != NO_SHAPE) wanted = answers_two(definition, placed, definition->small[other]);
    for (int swapped = 0; swapped < 2; swapped++) {
        const ob_shape *lhs = swapped ? shape : &all->operand, *rhs = swapped ? &all->operand : shape;
        ob_broadcast_result result;
        ob_status status = ob_broadcast_xla(lhs, rhs, all->axes.at, (size_t)all->axes.n, NULL, NULL, NULL, &result, NULL);
        all->found->counts[COUNT_PLACED]++;
        if ((status == OB_OK) != (wanted != NO_SHAPE))
            differ(all, shape, "another verdict on the operation");
        else if (status == OB_OK && answers_number(result.rank, result.dims) != wanted)
            differ(all, shape, "another shape of the operation");
    }
}

/* With every shape of the rank. */
static void compare_with_shapes(placing *all) {
    for (uint16_t other = 0; other < N_SMALL; other++) {
        int64_t dims[TABLE_RANK];
        ob_shape shape = small_shape(all->definition, other, dims);
        if (shape.rank != all->axes.rank) continue;
        compare_view(all, other, &shape);
        if (all->operand.rank <= shape.rank) compare_operation(all, other, &shape);
    }
}

static void compare_mapping(placing *all) {
    for (uint16_t shape = 0; shape < N_SMALL; shape++) {
        all->shape = shape;
        all->operand = small_shape(all->definition, shape, all->dims);
        all->placed = answers_placed(all->definition, all->number, shape);
        compare_alignment(all);
        /* of what is not a mapping, a few */
        if (all->placed != NO_SHAPE || all->axes.n == 0 || all->number % 97 == 0) compare_with_shapes(all);
    }
}

/* ---- Opset 1 to 6 ---- */

/* [rank][n][first]: the number of the mapping to n axes from the first on, -1 if there is none. */
typedef struct runs_of_axes {
    int32_t number[TABLE_RANK + 1][TABLE_RANK + 1][TABLE_RANK + 1];
} runs_of_axes;

static void find_runs(runs_of_axes *runs) {
    mapping here;
    for (int i = 0; i < (TABLE_RANK + 1) * (TABLE_RANK + 1) * (TABLE_RANK + 1); i++) (&runs->number[0][0][0])[i] = -1;
    for (int32_t i = 0; answers_mapping(i, &here); i++) {
        int64_t first = here.n ? here.at[0] : 0;
        bool in_order = first >= 0;
        for (int32_t k = 0; k < here.n; k++) in_order = in_order && here.at[k] == first + k;
        if (in_order) runs->number[here.rank][here.n][first] = i;
    }
}

/* b at an axis of a. Beyond the definition the library accepts a b of one element at every axis (broadcast.h). */
static void compare_axis(placing *all, const runs_of_axes *runs, uint16_t b, const ob_shape *a_shape, uint16_t a, bool given,
                         int64_t axis) {
    const ob_shape *b_shape = &all->operand;
    int64_t first = !given ? a_shape->rank - b_shape->rank : axis < 0 ? axis + a_shape->rank : axis, dimensions[OB_MAX_RANK];
    bool within = first >= 0 && first <= TABLE_RANK, single = b_shape->rank <= a_shape->rank;
    int32_t number = within ? runs->number[a_shape->rank][b_shape->rank][b_shape->rank ? first : 0] : -1;
    uint16_t placed = number < 0 ? (uint16_t)NO_SHAPE : answers_placed(all->definition, number, b);
    for (int32_t i = 0; i < b_shape->rank; i++) single = single && b_shape->dims[i] == 1;
    bool wanted = single || (placed != NO_SHAPE && all->definition->stretches[placed * N_SHAPES + a]);
    ob_status status = ob_broadcast_legacy(a_shape, b_shape, given, axis, NULL, NULL, NULL, dimensions, NULL);
    all->found->counts[COUNT_PLACED]++;
    bool same = (status == OB_OK) == wanted;
    for (int32_t i = 0; i < b_shape->rank && same && wanted && placed != NO_SHAPE; i++) same = dimensions[i] == first + i;
    all->axes = (mapping){a_shape->rank, 1, {axis}};
    if (!same) differ(all, a_shape, "another verdict or other axes, opset 1 to 6");
}

static void compare_legacy(placing *all, const runs_of_axes *runs, uint16_t b) {
    all->operand = small_shape(all->definition, b, all->dims);
    for (uint16_t a = 0; a < N_SMALL; a++) {
        int64_t dims[TABLE_RANK];
        ob_shape shape = small_shape(all->definition, a, dims);
        uint16_t number = all->definition->small[a];
        compare_axis(all, runs, b, &shape, number, false, 0);
        for (int32_t axis = -shape.rank - 1; axis <= shape.rank; axis++) compare_axis(all, runs, b, &shape, number, true, axis);
    }
}

void compare_placements(const answers *definition, share mine, tally *found) {
    placing all = {.definition = definition, .found = found};
    runs_of_axes runs;
    find_runs(&runs);
    for (int32_t i = mine.part; answers_mapping(i, &all.axes); i += mine.of) {
        all.number = i;
        compare_mapping(&all);
    }
    for (int b = mine.part; b < N_SMALL; b += mine.of) compare_legacy(&all, &runs, (uint16_t)b);
}
