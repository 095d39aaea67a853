/* Conditions on values: requirements on the elements of the model's inputs, each stated once. They are separate from the
 * contract on sizes. */
#include "passes/contract/bounds.h"

#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"

enum { GUARD_DEPTH = 64, COMPARED = 256 };

typedef struct symbols {
    const ob_contract *contract;
    bool of_inputs;
} symbols;

static bool is_of_inputs(void *context, ob_dim symbol) {
    symbols *s = context;
    for (uint32_t i = 0; i < s->contract->n_inputs; i++)
        if (s->contract->inputs[i] == symbol) return true;
    return s->of_inputs = false;
}

/* Does the caller of the model choose all that the term is made of? */
static bool is_known(const ob_contract *contract, const ob_dims *dims, ob_dim term) {
    symbols s = {contract, true};
    if (ob_dim_is_term(term)) ob_dim_symbols(dims, term, is_of_inputs, &s);
    return s.of_inputs;
}

/* Why it cannot be stated; NULL: it can. */
static const char *why_not(const ob_contract *contract, const ob_model *model, const ob_facts *facts, const ob_requirement *r) {
    static const char *const open = "a size is known only during the run";
    const ob_bound *b = r->bound;
    const int32_t rank = ob__fact(facts, b->input)->type.shape.rank;
    if (b->lowest != OB_DIM_UNKNOWN && !is_known(contract, model->dims, b->lowest)) return open;
    if (b->highest != OB_DIM_UNKNOWN && !is_known(contract, model->dims, b->highest)) return open;
    for (int32_t axis = 0; b->first && axis < rank; axis++)
        if (!is_known(contract, model->dims, b->first[axis]) || !is_known(contract, model->dims, b->end[axis])) return open;
    uint32_t n = 0;
    for (const ob_guard *guard = r->guard; guard; guard = guard->outer, n++) {
        if (guard->term == OB_DIM_UNKNOWN) return "indices depend on data, and so does whether they matter";
        if (n == GUARD_DEPTH || !is_known(contract, model->dims, guard->term)) return open;
    }
    return NULL;
}

/* The guards that depend on open sizes. never: one of them never holds. */
static ob_status take_guards(ob_contract *contract, const ob_dims *dims, const ob_guard *guard, ob_contract_bound *out,
                             bool *never) {
    ob_dim terms[GUARD_DEPTH];
    *never = false;
    for (; guard && out->n_guards < GUARD_DEPTH; guard = guard->outer) {
        const ob_condition holds = {OB_COND_AT_LEAST, guard->term, 1};
        const ob_truth truth = ob_condition_decide(dims, &holds);
        *never |= truth == OB_FALSE;
        if (truth == OB_UNDECIDED) terms[out->n_guards++] = guard->term;
    }
    ob_dim *kept = OB_ARENA_ARRAY(&contract->arena, ob_dim, out->n_guards);
    if (!kept) return OB_E_MEMORY;
    if (out->n_guards) memcpy(kept, terms, out->n_guards * sizeof *kept);
    out->guards = kept;
    return OB_OK;
}

static bool same_terms(const ob_dim *a, const ob_dim *b, size_t n) {
    return a == b || (a && b && (n == 0 || memcmp(a, b, n * sizeof *a) == 0));
}

/* The same elements, where the same guards hold. */
static bool same_elements(const ob_facts *facts, const ob_contract_bound *a, const ob_contract_bound *b) {
    const int32_t rank = ob__fact(facts, a->bound.input)->type.shape.rank;
    const size_t n = rank > 0 ? (size_t)rank : 0;
    return a->bound.input == b->bound.input && a->bound.is_rounded == b->bound.is_rounded && a->n_guards == b->n_guards &&
           same_terms(a->guards, b->guards, a->n_guards) && same_terms(a->bound.first, b->bound.first, n) &&
           same_terms(a->bound.end, b->bound.end, n);
}

/* Is a, a lowest or highest element, as strict as b? */
static bool as_strict(const ob_dims *dims, ob_dim a, ob_dim b, bool lowest) {
    if (b == OB_DIM_UNKNOWN || a == b) return true;
    if (a == OB_DIM_UNKNOWN) return false;
    const ob_condition condition = {OB_COND_AT_LEAST, lowest ? a : b, lowest ? b : a};
    return ob_condition_decide(dims, &condition) == OB_TRUE;
}

/* Takes `b` into `a`, which speaks of the same elements; false: neither side of one follows from the other's. */
static bool take_in(const ob_dims *dims, ob_bound *a, const ob_bound *b) {
    const bool lowest = as_strict(dims, a->lowest, b->lowest, true), highest = as_strict(dims, a->highest, b->highest, false);
    if ((!lowest && !as_strict(dims, b->lowest, a->lowest, true)) ||
        (!highest && !as_strict(dims, b->highest, a->highest, false)))
        return false;
    if (!lowest) a->lowest = b->lowest;
    if (!highest) a->highest = b->highest;
    return true;
}

ob_status ob__bounds_add(ob_contract *contract, ob_model *model, const ob_facts *facts, uint32_t index, const char **reason) {
    const ob_requirement *r = &facts->bounds[index];
    ob_contract_bound made = {.bound = *r->bound, .first = index, .last = index, .n = 1};
    bool never;
    *reason = why_not(contract, model, facts, r);
    if (*reason) return OB_OK;
    OB_TRY(take_guards(contract, model->dims, r->guard, &made, &never));
    if (never) return OB_OK;
    const uint32_t n = contract->n_bounds < COMPARED ? contract->n_bounds : COMPARED;
    for (uint32_t i = 0; i < n; i++) {
        ob_contract_bound *known = &contract->bounds[i];
        if (!same_elements(facts, known, &made) || !take_in(model->dims, &known->bound, &made.bound)) continue;
        contract->next_bound[known->last] = index + 1;
        known->last = index;
        known->n++;
        return OB_OK;
    }
    contract->bounds[contract->n_bounds++] = made;
    return OB_OK;
}

/* ---- In words ---- */

static void write_dim(ob_text *text, const ob_dims *dims, ob_dim d) {
    char few[200];
    const size_t n = ob_dim_format(dims, d, few, sizeof few);
    if (n < sizeof few) {
        ob__text_puts(text, few);
        return;
    }
    char *all = text->allocator.alloc(text->allocator.context, n + 1);
    if (!all) {
        text->failed = true;
        return;
    }
    ob_dim_format(dims, d, all, n + 1);
    ob__text_puts(text, all);
    text->allocator.free(text->allocator.context, all, n + 1);
}

/* "[0, :, 2:4]" */
static void write_part(ob_text *text, ob_dims *dims, const ob_bound *bound, ob_shape shape) {
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        const ob_dim first = bound->first[axis], end = bound->end[axis];
        ob__text_puts(text, axis ? ", " : "[");
        if (first != 0 || end != shape.dims[axis]) write_dim(text, dims, first);
        if (ob_dim_sub(dims, end, first) == 1) continue;
        ob__text_puts(text, ":");
        if (end != shape.dims[axis]) write_dim(text, dims, end);
    }
    if (shape.rank > 0) ob__text_puts(text, "]");
}

/* As a symbol's name is written. */
static void write_name(ob_text *text, const char *name) {
    bool quoted;
    const size_t n = ob__name_bytes(name, &quoted);
    char *words = text->allocator.alloc(text->allocator.context, n + 1);
    if (!words) {
        text->failed = true;
        return;
    }
    ob_writer writer = {words, n + 1, 0};
    ob__write_name(&writer, name);
    ob__text_append(text, words, n);
    text->allocator.free(text->allocator.context, words, n + 1);
}

void ob__bound_write(ob_text *text, ob_dims *dims, const ob_facts *facts, const ob_contract_bound *bound, const char *name) {
    const ob_bound *b = &bound->bound;
    for (uint32_t i = 0; i < bound->n_guards; i++) {
        ob__text_puts(text, i ? " and " : "if ");
        write_dim(text, dims, bound->guards[i]);
        ob__text_puts(text, " >= 1");
    }
    if (bound->n_guards) ob__text_puts(text, ": ");
    const bool both = b->lowest != OB_DIM_UNKNOWN && b->highest != OB_DIM_UNKNOWN;
    if (both) {
        write_dim(text, dims, b->lowest);
        ob__text_puts(text, " <= ");
    }
    ob__text_puts(text, b->is_rounded ? "trunc(" : "");
    write_name(text, name);
    if (b->first) write_part(text, dims, b, ob__fact(facts, b->input)->type.shape);
    ob__text_puts(text, b->is_rounded ? ")" : "");
    if (b->highest == OB_DIM_UNKNOWN) {
        ob__text_puts(text, " >= ");
        write_dim(text, dims, b->lowest);
        return;
    }
    const bool closed = ob_dim_get_kind(dims, b->highest) == OB_DIM_KIND_SYMBOL;
    ob__text_puts(text, closed ? " <= " : " < ");
    write_dim(text, dims, closed ? b->highest : ob_dim_add(dims, b->highest, 1));
}
