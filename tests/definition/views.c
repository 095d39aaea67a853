#include "definition/views.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 3 /* operands */ };

/* Operands have elements of different widths, so that a width that is confused with another shows. */
static const ob_dtype types[MOST] = {OB_FLOAT, OB_INT64, OB_UINT8};

typedef struct views {
    const answers *definition;
    tally *found;
    ob_view (*made)[MOST]; /* of each small shape, of each type */
    int64_t memory[MOST][MAX_ELEMENTS];
    size_t n;
    uint16_t places[MOST]; /* the operands: small shapes */
    ob_view from[MOST];
} views;

/* Out of line: it is large, and seldom called. */
static void differ(const views *all, const char *problem) {
    ob_shape operands[MOST];
    for (size_t i = 0; i < all->n; i++) operands[i] = (ob_shape){all->from[i].rank, all->from[i].dims};
    tally_differ(all->found, "views %s: %s", shown_operands(NULL, operands, all->n).text, problem);
}

static bool make_views(views *all) {
    all->made = calloc(N_SMALL, sizeof *all->made);
    for (int i = 0; all->made && i < N_SMALL; i++) {
        const sizes *shape = &all->definition->shapes[all->definition->small[i]];
        int64_t dims[TABLE_RANK];
        for (int32_t axis = 0; axis < shape->rank; axis++) dims[axis] = shape->at[axis];
        for (int k = 0; k < MOST; k++)
            if (ob_view_init(&all->made[i][k], all->memory[k], types[k], shape->rank, dims) != OB_OK) return false;
    }
    return all->made;
}

static void set_operand(views *all, size_t k, int place) {
    all->places[k] = (uint16_t)place;
    all->from[k] = all->made[place][k];
}

/* ---- Strides ---- */

/* The next index, the last axis fastest. */
static void advance(int32_t rank, const int64_t *dims, int64_t *index) {
    for (int32_t axis = rank; axis-- > 0;) {
        if (++index[axis] < dims[axis]) return;
        index[axis] = 0;
    }
}

bool view_shows(const ob_view *view, const offsets *wanted) {
    int64_t index[TABLE_RANK] = {0}, width = (int64_t)ob_dtype_size(view->dtype);
    if (!wanted->at || ob_view_count(view) != wanted->n) return false;
    for (int32_t i = 0; i < wanted->n; i++, advance(view->rank, view->dims, index)) {
        int64_t offset = 0;
        for (int32_t axis = 0; axis < view->rank; axis++) offset += index[axis] * view->strides[axis];
        if (offset != wanted->at[i] * width) return false;
    }
    return true;
}

static void compare_strides(views *all, size_t operand, const ob_view *view, uint16_t result) {
    const offsets *wanted = &all->definition->offsets[all->places[operand]][result];
    const ob_view *from = &all->from[operand];
    if (view->data != from->data || view->dtype != from->dtype || !view_shows(view, wanted))
        return differ(all, "another offset by the strides");
    all->found->counts[COUNT_OFFSETS] += (uint64_t)wanted->n;
}

/* The views of the operands, and whether the library and the definition agree that there is a result. */
static bool compare_broadcast(views *all, uint16_t wanted) {
    ob_view out[MOST];
    ob_status status = ob_view_broadcast_all(all->from, all->n, out, NULL);
    all->found->counts[COUNT_VIEWS]++;
    if (status != (wanted == NO_SHAPE ? OB_E_SHAPE : OB_OK)) {
        differ(all, status == OB_OK ? "undefined, and broadcast" : "defined, and refused");
        return false;
    }
    for (size_t i = 0; i < all->n && status == OB_OK; i++) {
        if (answers_number(out[i].rank, out[i].dims) != wanted) {
            differ(all, "another shape");
            return false;
        }
        compare_strides(all, i, &out[i], all->definition->small_of[wanted]);
    }
    return true;
}

/* ---- The iteration ---- */

typedef struct visits {
    const views *all;
    uint16_t result;
    const char *bases[MOST];
    const char *out;
    bool wrong;
    uint8_t times[MAX_ELEMENTS]; /* that an element was visited */
} visits;

/* The loop's parameters are const: the record of the visit is reached through them. */
typedef struct visit_parameters {
    visits *visit;
} visit_parameters;

static void note_elements(char *const *pointers, const int64_t *strides, int64_t n, const void *parameters) {
    visits *visit = ((const visit_parameters *)parameters)->visit;
    const views *all = visit->all;
    for (int64_t k = 0; k < n && !visit->wrong; k++) {
        int64_t element = (pointers[all->n] + k * strides[all->n] - visit->out) / 2;
        for (size_t i = 0; i < all->n; i++) {
            const offsets *wanted = &all->definition->offsets[all->places[i]][visit->result];
            int64_t offset = pointers[i] + k * strides[i] - visit->bases[i], width = (int64_t)ob_dtype_size(types[i]);
            visit->wrong |= element < 0 || element >= wanted->n || offset != wanted->at[element] * width;
        }
        if (!visit->wrong) visit->times[element]++;
    }
}

/* Every element of the result is visited once, with the offsets of the definition. */
static void compare_iteration(views *all, uint16_t wanted) {
    int16_t memory[MAX_ELEMENTS];
    ob_view out;
    visits visit = {.all = all, .result = all->definition->small_of[wanted], .out = (const char *)memory};
    const sizes *shape = &all->definition->shapes[wanted];
    int64_t dims[TABLE_RANK];
    for (int32_t axis = 0; axis < shape->rank; axis++) dims[axis] = shape->at[axis];
    for (size_t i = 0; i < all->n; i++) visit.bases[i] = all->from[i].data;
    if (ob_view_init(&out, memory, OB_INT16, shape->rank, dims) != OB_OK) return differ(all, "no view of the result");
    ob_status status = ob_for_each(all->from, all->n, &out, 1, note_elements, &(visit_parameters){&visit}, NULL, NULL);
    int64_t n_elements = ob_view_count(&out);
    for (int64_t i = 0; i < n_elements; i++) visit.wrong |= visit.times[i] != 1;
    if (status != OB_OK || visit.wrong) return differ(all, "the iteration visits other elements");
    all->found->counts[COUNT_OFFSETS] += (uint64_t)n_elements * all->n;
}

static void ignore_elements(char *const *pointers, const int64_t *strides, int64_t n, const void *parameters) {
    (void)pointers, (void)strides, (void)n, (void)parameters;
}

static void compare_operands(views *all, uint16_t wanted) {
    if (!compare_broadcast(all, wanted)) return;
    if (wanted != NO_SHAPE) return compare_iteration(all, wanted);
    if (ob_for_each(all->from, all->n, NULL, 0, ignore_elements, NULL, NULL, NULL) != OB_E_SHAPE)
        differ(all, "undefined, and iterated");
}

/* ---- One way ---- */

/* A copy of the operand over the whole of x: of an operand that holds its own offsets. */
static void compare_copy(views *all, ob_view *x, const offsets *wanted) {
    uint8_t own[MAX_ELEMENTS], copied[MAX_ELEMENTS];
    for (int i = 0; i < MAX_ELEMENTS; i++) own[i] = (uint8_t)i;
    ob_view from = all->from[0];
    if (ob_view_init(&from, own, OB_UINT8, all->from[0].rank, all->from[0].dims) != OB_OK ||
        ob_view_init(x, copied, OB_UINT8, x->rank, x->dims) != OB_OK)
        return differ(all, "no view of its shape");
    ob_status status = ob_view_assign(x, &from, NULL);
    if (status != (wanted->at ? OB_OK : OB_E_SHAPE)) return differ(all, "another verdict of an assignment");
    if (wanted->at && memcmp(copied, wanted->at, (size_t)wanted->n) != 0) return differ(all, "other elements are assigned");
    all->found->counts[COUNT_OFFSETS] += (uint64_t)wanted->n;
}

static void compare_one_way(views *all) {
    const offsets *wanted = &all->definition->offsets[all->places[0]][all->places[1]];
    ob_view out;
    ob_status status = ob_view_broadcast(&all->from[0], all->from[1].rank, all->from[1].dims, &out, NULL);
    all->found->counts[COUNT_VIEWS]++;
    if (status != (wanted->at ? OB_OK : OB_E_SHAPE)) return differ(all, "another verdict one way");
    if (status == OB_OK) compare_strides(all, 0, &out, all->places[1]);
    out = all->from[1];
    compare_copy(all, &out, wanted);
}

/* ---- All ---- */

static void compare_with_first(views *all, int a, bool triples) {
    const answers *definition = all->definition;
    const uint16_t *small = definition->small;
    set_operand(all, 0, a);
    for (int b = 0; b < N_SMALL; b++) {
        set_operand(all, 1, b);
        all->n = 2;
        compare_operands(all, answers_two(definition, small[a], small[b]));
        compare_one_way(all);
        all->n = 3;
        for (int c = 0; c < N_SMALL && triples; c++) {
            set_operand(all, 2, c);
            compare_operands(all, answers_three(definition, small[a], small[b], small[c]));
        }
    }
}

void compare_views(const answers *definition, share mine, tally *found) {
    views all = {.definition = definition, .found = found};
    if (make_views(&all))
        for (int a = mine.part; a < N_SMALL; a += mine.of) compare_with_first(&all, a, a / mine.of % mine.every == 0);
    else
        tally_differ(found, "no views");
    free(all.made);
}
