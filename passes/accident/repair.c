/* Changes that put an operand's axes where their origins say that they belong. */
#include <string.h>

#include "passes/accident/suspect.h"

/* Where operand `y` has its axes, and where they belong. */
typedef struct placement {
    int32_t rank;              /* of y */
    int32_t to[OB_MAX_RANK];   /* by axis of y: the axis of the result; -1: an axis of size 1 */
    bool by_root[OB_MAX_RANK]; /* the place follows from the origin, not from the size */
} placement;

/* The axis of the result at which x has the elements of this axis of y. */
static int32_t place_of(const ob_suspect *s, uint32_t x, const ob_axis_origin *axis, ob_dim size, int32_t now, bool *by_root) {
    const int32_t rank = s->group->result.rank;
    bool absent;
    *by_root = true;
    if (axis->root && ob__suspect_axis(s, x, now, &absent)->root == axis->root) return now;
    for (int32_t r = 0; r < rank && axis->root; r++)
        if (ob__suspect_axis(s, x, r, &absent)->root == axis->root) return r;
    for (int32_t r = 0; r < rank && axis->root; r++)
        if (ob__is_alike(s->origins, ob__suspect_axis(s, x, r, &absent)->root, axis->root)) return r;
    *by_root = false;
    for (int32_t r = 0; r < rank; r++) {
        const uint32_t root = ob__suspect_axis(s, x, r, &absent)->root;
        if (ob__is_feature(s->origins, axis->root) && ob__is_feature(s->origins, root) && ob__group_dim(s->group, x, r) == size)
            return r;
    }
    return ob__group_dim(s->group, x, now) == size ? now : -2;
}

static bool find_places(const ob_suspect *s, uint32_t x, uint32_t y, placement *out) {
    const int32_t rank = s->group->result.rank;
    bool used[OB_MAX_RANK] = {false};
    *out = (placement){0};
    for (int32_t r = 0; r < rank; r++) {
        bool absent;
        const ob_axis_origin *axis = ob__suspect_axis(s, y, r, &absent);
        if (absent) continue;
        int32_t place = -1;
        const ob_dim size = ob__group_dim(s->group, y, r);
        if (size != 1) {
            place = place_of(s, x, axis, size, r, &out->by_root[out->rank]);
            if (place < 0 || used[place]) return false;
            used[place] = true;
        }
        out->to[out->rank++] = place;
    }
    return true;
}

static bool ascends(const placement *p) {
    int32_t last = -1;
    for (int32_t k = 0; k < p->rank; k++) {
        if (p->to[k] < 0) continue;
        if (p->to[k] < last) return false;
        last = p->to[k];
    }
    return true;
}

/* A fix of operand y with the axes in `out`, to a shape of that rank with the sizes in `out`. */
static void set_fix(const ob_suspect *s, uint32_t y, ob_fix_kind kind, uint32_t n_axes, int32_t rank, ob_repair *out) {
    out->fix = ob__fix(kind, s->node);
    out->fix.operand = (int32_t)s->group->inputs[y];
    out->fix.axes = out->axes;
    out->fix.n_axes = n_axes;
    out->fix.from = s->group->shapes[y];
    out->fix.to = (ob_shape){rank, out->dims};
}

/* New axes of size 1 between and behind those of y, which has none yet. */
static bool insert_axes(const ob_suspect *s, uint32_t x, uint32_t y, const placement *p, ob_repair *out) {
    uint32_t n = 0;
    if (p->rank == 0) return false;
    for (int32_t k = 0; k < p->rank; k++)
        if (p->to[k] < 0) return false;
    for (int32_t r = p->to[0], k = 0; r < s->group->shapes[x].rank; r++) {
        if (k < p->rank && p->to[k] == r)
            k++;
        else
            out->axes[n++] = r - p->to[0];
    }
    if (n == 0) return false;
    out->fix = ob__fix_new_axes(s->node, s->group->inputs[y], &s->group->shapes[y], out->axes, n, out->dims);
    return true;
}

/* The axes of size 1 go, and what is left has the axes of x in their order. */
static bool remove_axes(const ob_suspect *s, uint32_t x, uint32_t y, const placement *p, ob_repair *out) {
    const ob_shape *from = &s->group->shapes[y];
    int32_t n = 0, left = 0;
    for (int32_t k = 0; k < p->rank; k++) {
        if (p->to[k] < 0)
            out->axes[n++] = k;
        else
            out->dims[left++] = from->dims[k];
    }
    if (n == 0 || left != s->group->shapes[x].rank) return false;
    set_fix(s, y, OB_FIX_KIND_SQUEEZE, (uint32_t)n, left, out);
    return true;
}

static bool exchange_axes(const ob_suspect *s, uint32_t x, uint32_t y, const placement *p, ob_repair *out) {
    const ob_shape *from = &s->group->shapes[y];
    bool used[OB_MAX_RANK] = {false}, moved = false;
    if (p->rank != s->group->shapes[x].rank || p->rank != s->group->result.rank) return false;
    for (int32_t r = 0; r < p->rank; r++) out->axes[r] = -1;
    for (int32_t k = 0; k < p->rank; k++)
        if (p->to[k] >= 0) out->axes[p->to[k]] = k, used[k] = true;
    for (int32_t r = 0, k = 0; r < p->rank; r++) {
        if (out->axes[r] < 0) {
            while (used[k]) k++;
            out->axes[r] = k++;
        }
        moved |= out->axes[r] != r;
        out->dims[r] = from->dims[out->axes[r]];
    }
    if (!moved) return false;
    set_fix(s, y, OB_FIX_KIND_TRANSPOSE, (uint32_t)p->rank, p->rank, out);
    return true;
}

bool ob__repair(const ob_suspect *s, uint32_t x, uint32_t y, ob_repair *out) {
    placement p;
    if (s->group->inputs[y] == OB_NOT_AN_INPUT || s->group->mapped || s->group->n_fixed_axes) return false;
    if (s->group->shapes[x].rank < 0 || s->group->shapes[y].rank < 0 || !find_places(s, x, y, &p)) return false;
    bool made = ascends(&p) ? insert_axes(s, x, y, &p, out) || remove_axes(s, x, y, &p, out) : false;
    if (!made) made = exchange_axes(s, x, y, &p, out);
    for (int32_t k = 0; k < p.rank && made; k++) out->fix.is_guess |= p.to[k] >= 0 && !p.by_root[k];
    return made;
}

bool ob__repair_vector(const ob_suspect *s, uint32_t v, int32_t axis, ob_repair *out) {
    const ob_shape *from = &s->group->shapes[v];
    const int32_t behind = s->group->result.rank - 1 - axis; /* axes that belong behind the vector's */
    int32_t at = 0;
    if (s->group->inputs[v] == OB_NOT_AN_INPUT || s->group->mapped || from->rank < 1) return false;
    while (at < from->rank && from->dims[at] == 1) at++;
    const int32_t n = behind - (from->rank - 1 - at);
    if (at == from->rank || n == 0 || from->rank + n > OB_MAX_RANK) return false;
    for (int32_t i = 0; i < (n < 0 ? -n : n); i++) out->axes[i] = at + 1 + i;
    if (n > 0) {
        out->fix = ob__fix_new_axes(s->node, s->group->inputs[v], from, out->axes, (uint32_t)n, out->dims);
        return true;
    }
    set_fix(s, v, OB_FIX_KIND_SQUEEZE, (uint32_t)-n, from->rank + n, out);
    for (int32_t i = 0; i <= at; i++) out->dims[i] = from->dims[i];
    for (int32_t i = at + 1; i < from->rank + n; i++) out->dims[i] = 1;
    return true;
}

bool ob__repair_exchange(const ob_suspect *s, uint32_t y, int32_t a, int32_t b, ob_repair *out) {
    const ob_shape *from = &s->group->shapes[y];
    const int32_t first = s->group->result.rank - from->rank; /* axis of the result for axis 0 */
    if (s->group->inputs[y] == OB_NOT_AN_INPUT || s->group->mapped || a < first || b < first) return false;
    for (int32_t k = 0; k < from->rank; k++) out->axes[k] = k + first == a ? b - first : k + first == b ? a - first : k;
    for (int32_t k = 0; k < from->rank; k++) out->dims[k] = from->dims[out->axes[k]];
    set_fix(s, y, OB_FIX_KIND_TRANSPOSE, (uint32_t)from->rank, from->rank, out);
    return true;
}
