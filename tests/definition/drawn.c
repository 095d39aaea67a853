#include "definition/drawn.h"

#include <string.h>

#include "onnx_broadcast/view.h"

enum {
    MOST = 5, /* operands */
    DRAWN_RANK = 8,
    LETTER_N = 6, /* letters below it are sizes */
    LETTER_M = 7,
    VALUES = 8, /* of a symbol: 0 .. 5, and two that are no number of a shape, as for N_VALUES (symbols.h) */
    MAX_CONDITIONS = 128,
    NO_RESULT = 255
};

typedef struct drawn_operand {
    int32_t rank;
    uint8_t letters[DRAWN_RANK];
    ob_dim dims[DRAWN_RANK];
} drawn_operand;

typedef struct drawn_case {
    ob_dims *pool;
    ob_binding bindings[2];
    tally *found;
    const uint8_t *at, *end; /* what is not read yet */
    bool cut;                /* the file ends too early */
    size_t n;
    drawn_operand operands[MOST];
    ob_shape shapes[MOST];
    ob_status status;
    ob_broadcast_result result;
    size_t n_conditions;
    ob_condition conditions[MAX_CONDITIONS];
} drawn_case;

static uint32_t number(drawn_case *drawn, int n_bytes) {
    uint32_t value = 0;
    if (drawn->end - drawn->at < n_bytes) {
        drawn->cut = true;
        return 0;
    }
    for (int i = 0; i < n_bytes; i++) value |= (uint32_t)drawn->at[i] << 8 * i;
    drawn->at += n_bytes;
    return value;
}

static void differ(drawn_case *drawn, const char *problem) {
    tally_differ(drawn->found, "%s: %s for N = %d, M = %d; the library says %s",
                 shown_operands(drawn->pool, drawn->shapes, drawn->n).text, problem, (int)drawn->bindings[0].size,
                 (int)drawn->bindings[1].size, ob_status_text(drawn->status));
}

static bool read_operands(drawn_case *drawn, bool *has_n, bool *has_m) {
    drawn->n = number(drawn, 1);
    if (drawn->n > MOST) drawn->cut = true;
    for (size_t i = 0; i < drawn->n && !drawn->cut; i++) {
        drawn_operand *operand = &drawn->operands[i];
        operand->rank = (int32_t)number(drawn, 1);
        if (operand->rank > DRAWN_RANK) drawn->cut = true;
        for (int32_t axis = 0; axis < operand->rank && !drawn->cut; axis++) {
            uint8_t letter = (uint8_t)number(drawn, 1);
            *has_n |= letter == LETTER_N;
            *has_m |= letter == LETTER_M;
            operand->letters[axis] = letter;
            operand->dims[axis] = letter < LETTER_N ? letter : drawn->bindings[letter != LETTER_N].symbol;
        }
        drawn->shapes[i] = (ob_shape){operand->rank, operand->dims};
    }
    return !drawn->cut;
}

static ob_status keep_condition(void *context, const ob_condition *condition, size_t operand, int32_t axis) {
    drawn_case *drawn = context;
    (void)operand;
    (void)axis;
    if (drawn->n_conditions == MAX_CONDITIONS) return OB_E_LIMIT;
    drawn->conditions[drawn->n_conditions++] = *condition;
    return OB_OK;
}

static void ask(drawn_case *drawn) {
    drawn->n_conditions = 0;
    drawn->status = ob_broadcast_shapes(drawn->shapes, drawn->n, drawn->pool, keep_condition, drawn, &drawn->result, NULL);
    if (drawn->status != OB_OK && drawn->status != OB_E_SHAPE) differ(drawn, "neither a shape nor a clash");
}

/* Does the library admit these values of N and M? */
static bool is_admitted(const drawn_case *drawn) {
    bool admitted = drawn->status == OB_OK;
    for (size_t i = 0; i < drawn->n_conditions && admitted; i++)
        if (ob_condition_eval(drawn->pool, &drawn->conditions[i], drawn->bindings, 2, &admitted) != OB_OK) return false;
    return admitted;
}

static void bind(drawn_case *drawn, int n, int m) {
    drawn->bindings[0].size = n;
    drawn->bindings[1].size = m;
}

static void compare_shape(drawn_case *drawn) {
    int32_t rank = (int32_t)number(drawn, 1);
    bool defined = rank != NO_RESULT, admitted = is_admitted(drawn), same = rank == drawn->result.rank;
    if (defined && rank > DRAWN_RANK) drawn->cut = true;
    if (defined != admitted) differ(drawn, defined ? "defined, and excluded" : "undefined, and admitted");
    for (int32_t axis = 0; axis < rank && defined && !drawn->cut; axis++) {
        int64_t wanted = number(drawn, 1), size;
        same = same && ob_dim_eval(drawn->pool, drawn->result.dims[axis], drawn->bindings, 2, &size) == OB_OK && size == wanted;
    }
    if (defined && admitted && !same) differ(drawn, "another shape");
}

/* ---- Views ---- */

static bool make_views(const drawn_case *drawn, ob_view *views, char *memory) {
    for (size_t i = 0; i < drawn->n; i++) {
        const drawn_operand *operand = &drawn->operands[i];
        int64_t dims[DRAWN_RANK];
        for (int32_t axis = 0; axis < operand->rank; axis++) {
            uint8_t letter = operand->letters[axis];
            dims[axis] = letter < LETTER_N ? letter : drawn->bindings[letter != LETTER_N].size;
        }
        /* no element is read */
        if (ob_view_init(&views[i], memory, i % 2 ? OB_INT16 : OB_FLOAT, operand->rank, dims) != OB_OK) return false;
    }
    return true;
}

/* The offset of one index of the result in each operand. */
static bool same_offsets(drawn_case *drawn, const ob_view *views, int32_t rank) {
    int64_t index[DRAWN_RANK] = {0};
    bool same = true;
    for (int32_t axis = 0; axis < rank; axis++) index[axis] = number(drawn, 1);
    for (size_t i = 0; i < drawn->n; i++) {
        int64_t wanted = (int64_t)number(drawn, 4) * (int64_t)ob_dtype_size(views[i].dtype), offset = 0;
        for (int32_t axis = 0; axis < rank; axis++) offset += index[axis] * views[i].strides[axis];
        same &= offset == wanted && views[i].rank == rank;
        drawn->found->counts[COUNT_OFFSETS]++;
    }
    return same;
}

static int32_t highest_rank(const drawn_case *drawn) {
    int32_t rank = 0;
    for (size_t i = 0; i < drawn->n; i++)
        if (drawn->operands[i].rank > rank) rank = drawn->operands[i].rank;
    return rank;
}

/* At the values of which the file has offsets. */
static void compare_views_of(drawn_case *drawn) {
    char memory[8];
    ob_view views[MOST], out[MOST];
    int32_t rank = highest_rank(drawn);
    bool defined = number(drawn, 1);
    int n = defined ? (int)number(drawn, 1) : 0, m = defined ? (int)number(drawn, 1) : 0;
    if (!defined) return;
    bind(drawn, n, m);
    if (!make_views(drawn, views, memory) || ob_view_broadcast_all(views, drawn->n, out, NULL) != OB_OK) {
        drawn->at = drawn->end;
        return differ(drawn, "views that do not broadcast");
    }
    drawn->found->counts[COUNT_VIEWS]++;
    for (uint32_t left = number(drawn, 2); left > 0 && !drawn->cut; left--)
        if (!same_offsets(drawn, out, rank)) differ(drawn, "another offset");
}

static void compare_case(drawn_case *drawn) {
    bool has_n = false, has_m = false;
    if (!read_operands(drawn, &has_n, &has_m)) return;
    bind(drawn, 0, 0);
    ask(drawn);
    for (int n = 0; n < (has_n ? VALUES : 1); n++)
        for (int m = 0; m < (has_m ? VALUES : 1); m++) {
            bind(drawn, n, m);
            compare_shape(drawn);
        }
    compare_views_of(drawn);
    drawn->found->counts[COUNT_DRAWN]++;
    drawn->cut |= drawn->at != drawn->end;
}

void compare_drawn(const answers *definition, share mine, tally *found) {
    drawn_case drawn = {.found = found, .at = definition->drawn};
    const uint8_t *end = definition->bytes + definition->n_bytes;
    if (ob_dims_create(NULL, &drawn.pool) != OB_OK) return tally_differ(found, "no memory for a pool");
    drawn.bindings[0].symbol = ob_dim_symbol(drawn.pool, "N");
    drawn.bindings[1].symbol = ob_dim_symbol(drawn.pool, "M");
    for (uint32_t i = 0; i < definition->n_drawn && !drawn.cut; i++) {
        drawn.end = end;
        uint32_t n_bytes = number(&drawn, 4);
        drawn.cut |= n_bytes > (size_t)(end - drawn.at);
        if (drawn.cut) break;
        drawn.end = drawn.at + n_bytes;
        if (i % (uint32_t)mine.of == (uint32_t)mine.part) compare_case(&drawn);
        drawn.at = drawn.end;
    }
    if (drawn.cut || drawn.at != end) tally_differ(found, "the drawn operands are not complete");
    ob_dims_destroy(&drawn.pool);
}
