/* The shape contract of a model: inputs against their declarations, and the conditions that shape rules could not decide. */
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "passes/check/names.h"
#include "runtime/sizes.h"

/* Appends to a bounded text. */
static void append(char *text, size_t n_bytes, const char *more) {
    size_t n = strlen(text);
    if (n + 1 < n_bytes) snprintf(text + n, n_bytes - n, "%s", more);
}

static const ob_binding *find_size(const ob_sizes *s, ob_dim symbol) {
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].symbol == symbol) return &s->items[i];
    return NULL;
}

static ob_status refuse_input(const ob_session *session, uint32_t index, const ob_view *got, int32_t axis, ob_error *error) {
    char declared[200], given[200];
    ob_shape shape = {got->rank, got->dims};
    ob_shape_format(session->model->dims, &session->input_info[index].shape, declared, sizeof declared);
    ob_shape_format(NULL, &shape, given, sizeof given);
    if (error) {
        ob__copy_text(error->value, sizeof error->value, session->inputs[index]->name);
        error->axis = axis;
    }
    return ob__fail(error, OB_E_SHAPE, "input %s: the model takes %s, but %s was given", session->inputs[index]->name, declared,
                    given);
}

static ob_status bind_axis(const ob_session *session, uint32_t index, const ob_view *view, int32_t axis, ob_sizes *s,
                           ob_error *error) {
    ob_dims *pool = session->model->dims;
    ob_dim dim = session->input_info[index].shape.dims[axis];
    int64_t size = view->dims[axis];
    if (ob_dim_is_const(dim)) return dim == size ? OB_OK : refuse_input(session, index, view, axis, error);
    if (dim == OB_DIM_UNKNOWN || ob_dim_get_kind(pool, dim) != OB_DIM_KIND_SYMBOL) return OB_OK;
    const ob_binding *bound = find_size(s, dim);
    if (!bound) {
        if (s->n < s->capacity) s->items[s->n++] = (ob_binding){dim, size};
        return OB_OK;
    }
    if (bound->size == size) return OB_OK;
    char name[128];
    ob__dim_shown(pool, dim, name, sizeof name);
    if (error) {
        ob__copy_text(error->value, sizeof error->value, session->inputs[index]->name);
        error->axis = axis;
    }
    return ob__fail(error, OB_E_SHAPE, "input %s: axis %d is %s, which is %lld here and %lld in another place",
                    session->inputs[index]->name, axis, name, (long long)size, (long long)bound->size);
}

static ob_status check_input(const ob_session *session, uint32_t index, const ob_view *view, ob_sizes *s, ob_error *error) {
    const ob_session_value *info = &session->input_info[index];
    if (info->dtype != OB_NONE && info->dtype != view->dtype) {
        if (error) ob__copy_text(error->value, sizeof error->value, info->name);
        return ob__fail(error, OB_E_TYPE, "input %s: the model takes %s, but %s was given", info->name,
                        ob_dtype_name(info->dtype), ob_dtype_name(view->dtype));
    }
    if (info->shape.rank == OB_RANK_UNKNOWN) return OB_OK;
    if (info->shape.rank != view->rank) return refuse_input(session, index, view, -1, error);
    for (int32_t axis = 0; axis < view->rank; axis++) OB_TRY(bind_axis(session, index, view, axis, s, error));
    return OB_OK;
}

void ob__write_sizes(const ob_sizes *s, const ob_dims *pool, const ob_symbol_list *symbols, char *text, size_t n_bytes) {
    for (uint32_t i = 0; i < symbols->n; i++) {
        const ob_binding *bound = find_size(s, symbols->at[i]);
        char name[100], part[140];
        if (!bound) continue;
        ob__dim_shown(pool, symbols->at[i], name, sizeof name);
        snprintf(part, sizeof part, "%s%s = %lld", text[0] ? ", " : "", name, (long long)bound->size);
        append(text, n_bytes, part);
    }
}

ob_status ob__refuse_at(const ob_requirement *at, const char *text, const char *given, ob_error *error) {
    char where[100] = "";
    if (at->axis >= 0) snprintf(where, sizeof where, "axis %d: ", at->axis);
    if (error) error->axis = at->axis;
    ob__at_node(error, at->node, OB_E_CONDITION);
    return ob__fail(error, OB_E_CONDITION, "%s%.250s does not hold: %s", where, text, given);
}

static ob_status refuse_condition(const ob_session *session, const ob_requirement *c, const ob_sizes *s, ob_error *error) {
    const ob_dims *pool = session->model->dims;
    char condition[250], given[200] = "";
    ob__condition_shown(pool, &c->condition, condition, sizeof condition);
    ob_dim symbols[OB_MOST_SHOWN];
    ob_symbol_list list = {.at = symbols, .capacity = OB_MOST_SHOWN};
    ob__symbols_add(&list, pool, c->condition.a);
    ob__symbols_add(&list, pool, c->condition.b);
    ob__write_sizes(s, pool, &list, given, sizeof given);
    return ob__refuse_at(c, condition, given, error);
}

/* ---- The whole ---- */

ob_status ob__check_contract(ob_session *session, const ob_view *inputs, ob_error *error) {
    ob_sizes s = {.n = session->n_bindings, .capacity = session->n_bindings};
    for (uint32_t i = 0; i < session->n_inputs; i++)
        if (session->input_info[i].shape.rank > 0) s.capacity += (size_t)session->input_info[i].shape.rank;
    size_t n_bytes = (s.capacity + 1) * sizeof *s.items;
    s.items = session->allocator.alloc(session->allocator.context, n_bytes);
    if (!s.items) return OB_E_MEMORY;
    if (session->n_bindings) memcpy(s.items, session->bindings, session->n_bindings * sizeof *s.items);
    ob_status status = OB_OK;
    for (uint32_t i = 0; i < session->n_inputs && status == OB_OK; i++) status = check_input(session, i, &inputs[i], &s, error);
    for (uint32_t i = 0; i < session->facts.n_conditions && status == OB_OK; i++) {
        const ob_requirement *c = &session->facts.conditions[i];
        bool holds = true;
        if (ob__guard_eval(session->model->dims, c->guard, s.items, s.n) != OB_TRUE) continue;
        /* Sizes that only a run knows (E_NOT_FOUND) are tested by the shape rules when they are known. */
        if (ob_condition_eval(session->model->dims, &c->condition, s.items, s.n, &holds) == OB_OK && !holds)
            status = refuse_condition(session, c, &s, error);
    }
    if (status == OB_OK) status = ob__check_solved(session, &s, error);
    session->allocator.free(session->allocator.context, s.items, n_bytes);
    return status;
}
