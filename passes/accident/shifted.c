/* An axis that meets another axis than its own: (N) with (N,1), x with its mean without keepdims, (batch,tokens) with
 * (tokens,batch). */
#include "core/dims/terms.h"
#include "ops/elementwise/params.h"
#include "ops/table/op.h"
#include "passes/accident/suspect.h"

/* The axes of two operands along one axis of the result. */
typedef struct pair {
    const ob_axis_origin *a, *b;
    bool no_a, no_b; /* the operand does not have this axis */
} pair;

static pair pair_at(const ob_suspect *s, uint32_t a, uint32_t b, int32_t axis) {
    pair p;
    p.a = ob__suspect_axis(s, a, axis, &p.no_a);
    p.b = ob__suspect_axis(s, b, axis, &p.no_b);
    return p;
}

static bool is_one(const ob_axis_origin *axis, bool absent) {
    return absent || axis->one != OB_ONE_NOT;
}

/* Somebody wrote the outer product down. `root` is along axis p of a and along axis q of b. */
static bool is_outer_product(const ob_suspect *s, uint32_t a, uint32_t b, const pair *at_p, const pair *at_q, bool certain) {
    if (!at_p->no_b && !at_q->no_a) return true; /* (N,1) and (1,N): both ones are written */
    const bool made_a = !at_q->no_a && at_q->a->one == OB_ONE_MADE, made_b = !at_p->no_b && at_p->b->one == OB_ONE_MADE;
    if (!made_a && !made_b) return false;
    if (!certain) return true;
    if (at_p->a->fits_only || at_q->b->fits_only) return true;                     /* positions with positions */
    if (s->group->result.rank == 2 && !ob__sets_against(s->node->op)) return true; /* x[:, None] * y */
    return ob__same_source(s->origins, ob__suspect_operand(s, a), ob__suspect_operand(s, b));
}

/* Does the broadcast hold for open sizes only under a condition? */
static bool is_open(const ob_suspect *s, uint32_t a, uint32_t b, int32_t axis) {
    const ob_dim x = ob__group_dim(s->group, a, axis), y = ob__group_dim(s->group, b, axis);
    return x != y && x != 1 && y != 1;
}

/* The sizes that an accident makes equal, so that the clause for it is no second finding. */
static void note_joined(const ob_suspect *s, uint32_t a, uint32_t b, int32_t axis, ob_suspicion *out) {
    if (!is_open(s, a, b, axis) || out->n_joined == OB_JOINED) return;
    out->joined[out->n_joined++] = (ob_size_pair){ob__group_dim(s->group, a, axis), ob__group_dim(s->group, b, axis)};
}

static void describe(const ob_suspect *s, uint32_t a, uint32_t b, int32_t p, int32_t q, bool outer, const char *other,
                     ob_suspicion *out) {
    const pair at_p = pair_at(s, a, b, p);
    const char *first = ob__suspect_name(s, a), *second = ob__suspect_name(s, b);
    const char *root = ob__axis_in_words(s->origins, at_p.a, s->arena);
    if (first && second && root && other)
        out->text = outer ? ob__arena_printf(s->arena,
                                             "%s has %s along axis %d of the result, %s has it along axis %d: each element meets "
                                             "all others",
                                             first, root, (int)p, second, (int)q)
                          : ob__arena_printf(s->arena,
                                             "%s has %s along axis %d of the result, %s has it along axis %d, where it meets %s",
                                             first, root, (int)p, second, (int)q, other);
    out->fix = outer
                   ? "if the elements should pair up, give both operands the same shape (keepdims = 0, or Squeeze); if an outer "
                     "product is intended, Unsqueeze both operands"
                   : "Unsqueeze or Transpose one operand, so that the same axis is at the same place in both";
}

/* The axis p of operand a, and the axis q of operand b that has the same root. */
static bool is_shifted(const ob_suspect *s, uint32_t a, uint32_t b, int32_t p, int32_t q, ob_suspicion *out) {
    const int32_t n_axes = s->group->result.rank - s->group->n_fixed_axes;
    const pair at_p = pair_at(s, a, b, p), at_q = pair_at(s, a, b, q);
    const uint32_t root = at_p.a->root;
    const bool certain = root == at_q.b->root;
    if (root == 0 || (!certain && !ob__is_alike(s->origins, root, at_q.b->root))) return false;
    if (at_p.b->root == root || at_q.a->root == root || at_p.b->root == at_q.b->root) return false;
    const bool outer = is_one(at_p.b, at_p.no_b) && is_one(at_q.a, at_q.no_a);
    if (outer) {
        if (p >= n_axes || q >= n_axes || is_outer_product(s, a, b, &at_p, &at_q, certain)) return false;
    } else {
        const bool at_first = at_p.b->root && p < n_axes, at_second = at_q.a->root && q < n_axes;
        if (!at_first && !at_second) return false;
        /* Nothing but the number tells: only if the operand lacks the axis, and so could have lost it. */
        if (!certain && !(at_p.no_b && at_q.a->root && s->group->shapes[b].rank < s->group->shapes[a].rank)) return false;
        if (at_p.a->fits_only || at_q.b->fits_only) return false;
    }
    *out = (ob_suspicion){.id = is_open(s, a, b, p) || is_open(s, a, b, q) ? OB0403 : OB0401, .a = b, .b = a, .axis = q};
    note_joined(s, a, b, p, out);
    note_joined(s, a, b, q, out);
    const ob_axis_origin *met = at_q.a->root ? at_q.a : at_p.b;
    out->has_repair = ob__repair(s, a, b, &out->repair) || ob__repair(s, b, a, &out->repair);
    describe(s, a, b, p, q, outer, outer ? "" : ob__axis_in_words(s->origins, met, s->arena), out);
    return true;
}

/* (N,1) from a layer with one output or from an input, where elements are compared with (N,7). */
static bool is_column(const ob_suspect *s, uint32_t a, uint32_t b, ob_suspicion *out) {
    const ob_shape *x = &s->group->shapes[a], *y = &s->group->shapes[b];
    bool absent;
    if (x->rank != 2 || y->rank != 2 || !ob__sets_against(s->node->op) || x->dims[1] != 1 || y->dims[1] == 1) return false;
    const ob_axis_origin *one = ob__suspect_axis(s, a, 1, &absent), *row = ob__suspect_axis(s, a, 0, &absent);
    const ob_axis_origin *rows = ob__suspect_axis(s, b, 0, &absent), *columns = ob__suspect_axis(s, b, 1, &absent);
    const bool unmeant = one->one == OB_ONE_WEIGHT || one->one == OB_ONE_INPUT;
    if (!unmeant || row->root == 0 || (row->root != rows->root && !ob__is_alike(s->origins, row->root, rows->root))) return false;
    if (ob__is_constant_value(s->origins, ob__suspect_operand(s, b)) || columns->root == 0) return false;
    const char *first = ob__suspect_name(s, a), *second = ob__suspect_name(s, b);
    const char *origin = ob__axis_in_words(s->origins, columns, s->arena);
    *out = (ob_suspicion){.id = OB0401,
                          .a = a,
                          .b = b,
                          .axis = 1,
                          .fix = "if each row is to be compared with one number, give both operands the same shape; if with the "
                                 "whole row, make that explicit with Expand"};
    if (first && second && origin)
        out->text = ob__arena_printf(s->arena, "%s has one column and is compared with every element along %s in %s", first,
                                     origin, second);
    return true;
}

/* The roots of operand i along the axes of the result. */
static void list_roots(const ob_suspect *s, uint32_t i, uint32_t *roots) {
    bool absent;
    for (int32_t axis = 0; axis < s->group->result.rank; axis++) roots[axis] = ob__suspect_axis(s, i, axis, &absent)->root;
}

/* Looks closer only where two roots agree. */
static bool are_shifted(const ob_suspect *s, uint32_t a, uint32_t b, const uint32_t *roots_a, ob_suspicion *out) {
    uint32_t roots_b[OB_MAX_RANK];
    list_roots(s, b, roots_b);
    for (int32_t p = 0; p < s->group->result.rank; p++)
        for (int32_t q = 0; q < s->group->result.rank && roots_a[p]; q++) {
            if (p == q || (roots_a[p] != roots_b[q] && !ob__is_alike(s->origins, roots_a[p], roots_b[q]))) continue;
            if (is_shifted(s, a, b, p, q, out)) return true;
        }
    return false;
}

bool ob__suspect_shifted(const ob_suspect *s, ob_suspicion *out) {
    const ob_group *group = s->group;
    uint32_t roots[OB_MAX_RANK];
    if (!group || (group->kind != OB_BCAST_MULTI && group->kind != OB_BCAST_BATCH && group->kind != OB_BCAST_UNI)) return false;
    for (uint32_t a = 0; a < group->n; a++) {
        if (ob__is_constant_value(s->origins, ob__suspect_operand(s, a))) continue;
        list_roots(s, a, roots);
        for (uint32_t b = 0; b < group->n; b++) {
            if (a == b || ob__is_constant_value(s->origins, ob__suspect_operand(s, b))) continue;
            if (are_shifted(s, a, b, roots, out) || is_column(s, a, b, out)) return true;
        }
    }
    return false;
}
