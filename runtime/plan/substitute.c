/* Facts at the sizes of a plan, from those for all sizes: terms are evaluated, and only nodes whose results are not such terms
 * are inferred again. */
#include <string.h>

#include "core/base/error.h"
#include "core/graph/copy.h"
#include "runtime/plan/template.h"

/* False if the inputs are not as the facts have them, or a term has no value there. */
static bool evaluate(const ob_builder *b, ob_template *t) {
    const ob_session *session = b->session;
    const ob_dims *pool = session->model->dims;
    for (uint32_t i = 0; i < t->n_terms; i++) {
        const ob_status status = ob_dim_eval(pool, t->terms[i], t->bindings, t->n_bindings, &t->values[i]);
        if (status == OB_E_NOT_FOUND) t->usable = false; /* at no sizes */
        if (status != OB_OK) return false;
    }
    for (uint32_t i = 0; i < t->n_places; i++) {
        const int64_t value = t->values[t->places[i].term], most = t->places[i].most;
        if (value > most || value < -most) return false;
        *t->places[i].to = value;
    }
    for (uint32_t i = 0; i < session->n_inputs; i++) {
        const ob_type *type = &ob__fact(&t->at, session->inputs[i])->type;
        const ob_view *view = &b->inputs[i];
        if (view->dtype == OB_NONE || view->dtype != type->dtype || view->rank != type->shape.rank) return false;
        for (int32_t axis = 0; axis < view->rank; axis++)
            if (view->dims[axis] != type->shape.dims[axis]) return false;
    }
    return true;
}

/* The sizes of all results can be addressed. */
static bool are_addressable(const ob_template *t) {
    uint64_t n_bytes;
    for (uint32_t i = 0; i < t->n_sized; i++) {
        const ob_type *type = &t->sized[i]->type;
        for (int32_t axis = 0; axis < type->shape.rank; axis++)
            if (type->shape.dims[axis] < 0) return false;
        if (!ob__tensor_bytes(type->dtype, type->shape.rank, type->shape.dims, &n_bytes)) return false;
    }
    return true;
}

static bool conditions_hold(const ob_builder *b, const ob_template *t) {
    const ob_dims *pool = b->session->model->dims;
    for (uint32_t i = 0; i < t->n_tested; i++) {
        const ob_requirement *c = t->tested[i];
        bool holds = true;
        if (ob__guard_eval(pool, c->guard, t->bindings, t->n_bindings) == OB_FALSE) continue;
        if (ob_condition_eval(pool, &c->condition, t->bindings, t->n_bindings, &holds) != OB_OK || !holds) return false;
    }
    return true;
}

static ob_status infer_open(ob_builder *b, ob_template *t, ob_findings *findings) {
    for (uint32_t i = 0; i < t->n_known; i++) {
        const ob_fact *fact = ob__fact(&t->at, t->known[i].value);
        t->known[i].type = fact->type;
        t->known[i].content = fact->content;
    }
    OB_TRY(ob__propagate_nodes(b->session->model, t->open, t->n_open, t->known, t->n_known, &b->own_facts, findings));
    for (uint32_t i = 0; i < t->n_made; i++) t->at.facts[t->made[i]->id] = *ob__fact(&b->own_facts, t->made[i]);
    return OB_OK;
}

ob_status ob__substitute(ob_builder *b, ob_findings *findings, bool *done) {
    ob_template *t;
    *done = false;
    if (b->session->infers) return OB_OK;
    OB_TRY(ob__template_find(b, &t));
    if (!t || !evaluate(b, t) || !are_addressable(t) || !conditions_hold(b, t)) return OB_OK;
    if (t->n_open > 0) OB_TRY(infer_open(b, t, findings));
    b->facts = &t->at;
    *done = true;
    return OB_OK;
}
