/* The naive oracle: operators that move elements. For each element of the result, where it comes from. */
#include <string.h>

#include "judge.h"
#include "number.h"

typedef struct move {
    const graph_case *c;
    const case_node *node;
    const ob_view *x;      /* the data */
    const ob_view *second; /* the second operand, or NULL */
    const ob_view *out;
    int64_t at[OB_MAX_RANK], from[OB_MAX_RANK]; /* coordinates in the result, and in the data */
} move;

static const ob_view *operand(const graph_case *c, const case_node *node, uint32_t i) {
    return i < node->n_in && node->in[i] >= 0 ? &c->values[node->in[i]].view : NULL;
}

static int64_t int_attribute(const move *m, const char *name, int64_t otherwise) {
    const case_attribute *a = case_attribute_find(m->node, name);
    return a ? a->ints[0] : otherwise;
}

static int64_t axis_attribute(const move *m, const char *name, int64_t otherwise) {
    int64_t axis = int_attribute(m, name, otherwise);
    return axis < 0 ? axis + m->x->rank : axis;
}

/* Each maps m->at to m->from; false: an element of the result that is no element of the data (a constant padding). */
static bool from_transpose(move *m) {
    const case_attribute *perm = case_attribute_find(m->node, "perm");
    for (int32_t k = 0; k < m->x->rank; k++) m->from[perm ? perm->ints[k] : m->x->rank - 1 - k] = m->at[k];
    return true;
}

static bool from_expand(move *m) {
    int32_t shift = m->out->rank - m->x->rank;
    for (int32_t k = 0; k < m->x->rank; k++) m->from[k] = m->x->dims[k] == 1 ? 0 : m->at[k + shift];
    return true;
}

static bool from_tile(move *m) {
    for (int32_t k = 0; k < m->x->rank; k++) m->from[k] = m->at[k] % m->x->dims[k];
    return true;
}

static bool from_gather(move *m) {
    int64_t axis = axis_attribute(m, "axis", 0), flat = 0;
    int32_t rank = m->second->rank;
    for (int32_t k = 0; k < rank; k++) flat = flat * m->second->dims[k] + m->at[axis + k];
    int64_t index = integer_get(m->second, flat);
    for (int32_t k = 0; k < m->x->rank; k++) m->from[k] = k < axis ? m->at[k] : m->at[k - 1 + rank < 0 ? 0 : k - 1 + rank];
    m->from[axis] = index < 0 ? index + m->x->dims[axis] : index;
    return true;
}

static bool from_gather_elements(move *m) {
    int64_t axis = axis_attribute(m, "axis", 0), flat = 0;
    for (int32_t k = 0; k < m->x->rank; k++) flat = flat * m->second->dims[k] + m->at[k];
    int64_t index = integer_get(m->second, flat);
    memcpy(m->from, m->at, sizeof m->from);
    m->from[axis] = index < 0 ? index + m->x->dims[axis] : index;
    return true;
}

static bool from_trilu(move *m) {
    int64_t k = m->second ? integer_get(m->second, 0) : 0;
    int64_t row = m->at[m->x->rank - 2], column = m->at[m->x->rank - 1];
    memcpy(m->from, m->at, sizeof m->from);
    return int_attribute(m, "upper", 1) ? column - row >= k : column - row <= k;
}

static bool from_depth(move *m) { /* DepthToSpace */
    int64_t block = int_attribute(m, "blocksize", 1), depth = m->out->dims[1];
    const case_attribute *mode = case_attribute_find(m->node, "mode");
    int64_t i = m->at[2] % block, j = m->at[3] % block;
    bool crd = mode && strcmp(mode->strings[0], "CRD") == 0;
    m->from[0] = m->at[0];
    m->from[1] = crd ? (m->at[1] * block + i) * block + j : (i * block + j) * depth + m->at[1];
    m->from[2] = m->at[2] / block;
    m->from[3] = m->at[3] / block;
    return true;
}

/* Axis k's start and step, clamped as the text says. */
static void slice_of(const move *m, int32_t axis, int64_t *start, int64_t *step) {
    const case_attribute *starts = case_attribute_find(m->node, "starts"), *axes = case_attribute_find(m->node, "axes");
    const ob_view *given = operand(m->c, m->node, 3), *steps = operand(m->c, m->node, 4);
    int64_t n = starts ? starts->n : ob_view_count(m->second), size = m->x->dims[axis];
    *start = 0, *step = 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t which = axes ? axes->ints[i] : given ? integer_get(given, i) : i;
        if ((which < 0 ? which + m->x->rank : which) != axis) continue;
        int64_t s = starts ? starts->ints[i] : integer_get(m->second, i);
        *step = steps ? integer_get(steps, i) : 1;
        if (s < 0) s += size;
        int64_t most = *step < 0 ? size - 1 : size;
        *start = s < 0 ? 0 : s > most ? most : s;
    }
}

static bool from_slice(move *m) {
    for (int32_t k = 0; k < m->x->rank; k++) {
        int64_t start, step;
        slice_of(m, k, &start, &step);
        m->from[k] = start + m->at[k] * step;
    }
    return true;
}

typedef bool (*mapping)(move *m);

static mapping find_mapping(const char *name) {
    static const struct {
        const char *name;
        mapping map;
    } all[] = {{"Transpose", from_transpose}, {"Expand", from_expand},     {"Tile", from_tile},
               {"Gather", from_gather},       {"Trilu", from_trilu},       {"GatherElements", from_gather_elements},
               {"Slice", from_slice},         {"DepthToSpace", from_depth}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, name) == 0) return all[i].map;
    return NULL;
}

static bool keeps_order(const char *name) {
    static const char *const names[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static void copy_element(const ob_view *from, int64_t i, const ob_view *to, int64_t j) {
    size_t size = ob_dtype_size(from->dtype);
    memcpy((char *)to->data + (size_t)j * size, (const char *)from->data + (size_t)i * size, size);
}

static bool concat(const graph_case *c, const case_node *node, ob_view *out) {
    move m = {.c = c, .node = node, .x = operand(c, node, 0), .out = out};
    int64_t axis = axis_attribute(&m, "axis", 0), inner = 1, outer = 1, first = 0;
    for (int32_t k = 0; k < out->rank; k++) *(k < axis ? &outer : &inner) *= k == axis ? 1 : out->dims[k];
    for (uint32_t o = 0; o < node->n_in; o++) {
        const ob_view *x = operand(c, node, o);
        int64_t size = x->dims[axis];
        for (int64_t i = 0; i < outer; i++)
            for (int64_t j = 0; j < size * inner; j++)
                copy_element(x, i * size * inner + j, out, (i * out->dims[axis] + first) * inner + j);
        first += size;
    }
    return first == out->dims[axis];
}

/* The shape is our executor's; what stands in it is not. */
bool oracle_moves(const graph_case *c, const case_node *node, pool *p, ob_view *out) {
    const ob_view *x = operand(c, node, 0), *shape = &c->values[node->out[0]].view;
    if (!x || node->op->domain[0] || x->dtype != shape->dtype) return false;
    move m = {.c = c, .node = node, .x = x, .second = operand(c, node, 1), .out = out};
    mapping map = find_mapping(node->op->name);
    *out = pool_view(p, x->dtype, shape->rank, shape->dims);
    if (strcmp(node->op->name, "Concat") == 0) return concat(c, node, out);
    if (keeps_order(node->op->name)) {
        for (int64_t i = 0; i < ob_view_count(out); i++) copy_element(x, i, out, i);
        return ob_view_count(out) == ob_view_count(x);
    }
    if (!map || (strcmp(node->op->name, "Trilu") == 0 && x->dtype == OB_STRING)) return false;
    for (int64_t i = 0; i < ob_view_count(out); i++) {
        int64_t left = i, flat = 0;
        for (int32_t k = out->rank - 1; k >= 0; k--) m.at[k] = left % out->dims[k], left /= out->dims[k];
        if (!map(&m)) continue; /* zero */
        for (int32_t k = 0; k < x->rank; k++) {
            if (m.from[k] < 0 || m.from[k] >= x->dims[k]) return false;
            flat = flat * x->dims[k] + m.from[k];
        }
        copy_element(x, flat, out, i);
    }
    return true;
}
