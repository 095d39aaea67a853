/* Shapes for the current sizes: those of the session if no size is open, otherwise its terms at these sizes
 * (runtime/plan/substitute.c), or inferred again with numbers. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/shape.h"
#include "ops/infer/infer.h"
#include "passes/check/names.h"
#include "passes/check/propagate.h"
#include "runtime/plan/builder.h"
#include "runtime/weights.h"

bool ob__has_content(const ob_view *view, uint32_t *n) {
    int64_t count = ob_view_count(view);
    bool is_integer = view->dtype == OB_INT64 || view->dtype == OB_INT32 || view->dtype == OB_BOOL;
    if (!is_integer || count > OB_CONTENT_MAX || (count > 0 && !view->data)) return false;
    *n = (uint32_t)count;
    return true;
}

/* The element at index; advances the index. */
static int64_t next_elem(const ob_view *view, int64_t *index) {
    const char *at = view->data;
    int64_t wide;
    int32_t narrow;
    for (int32_t axis = 0; axis < view->rank; axis++) at += index[axis] * view->strides[axis];
    for (int32_t axis = view->rank - 1; axis >= 0 && ++index[axis] == view->dims[axis]; axis--) index[axis] = 0;
    switch (ob_dtype_size(view->dtype)) {
    case 8: memcpy(&wide, at, 8); return wide;
    case 4: memcpy(&narrow, at, 4); return narrow;
    default: return *(const uint8_t *)at != 0;
    }
}

void ob__read_content(const ob_view *view, uint32_t n, int64_t *elems) {
    int64_t index[OB_MAX_RANK] = {0};
    for (uint32_t i = 0; i < n; i++) elems[i] = next_elem(view, index);
}

bool ob__same_content(const ob_view *view, uint32_t n, const int64_t *elems) {
    int64_t index[OB_MAX_RANK] = {0};
    for (uint32_t i = 0; i < n; i++)
        if (next_elem(view, index) != elems[i]) return false;
    return true;
}

/* ---- Shapes ---- */

static ob_status set_content(ob_builder *b, const ob_view *view, ob_content *content) {
    uint32_t n;
    if (!ob__has_content(view, &n)) return OB_OK;
    ob_dim *dims = OB_ARENA_ARRAY(&b->scratch, ob_dim, n);
    if (!dims) return OB_E_MEMORY;
    ob__read_content(view, n, dims);
    for (uint32_t i = 0; i < n; i++) dims[i] = ob__saturated(dims[i]);
    *content = (ob_content){.n = n, .elems = dims};
    return OB_OK;
}

ob_status ob__give_input(ob_builder *b, uint32_t i, bool with_content, ob_given_input *out) {
    const ob_view *view = &b->inputs[i];
    out->input = b->session->inputs[i];
    if (view->dtype == OB_NONE) return OB_OK; /* a cell: of the type that is declared */
    out->type = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = view->dtype, .shape = {view->rank, view->dims}};
    return with_content ? set_content(b, view, &out->content) : OB_OK;
}

/* Propagates with the given shapes; contents of input i are given when with_content[i] (NULL: none). */
static ob_status infer(ob_builder *b, const bool *with_content, ob_facts *facts, ob_findings *findings) {
    ob_session *session = b->session;
    ob_given_input *given = OB_ARENA_ARRAY(&b->scratch, ob_given_input, session->n_inputs);
    if (!given) return OB_E_MEMORY;
    for (uint32_t i = 0; i < session->n_inputs; i++) OB_TRY(ob__give_input(b, i, with_content && with_content[i], &given[i]));
    ob_propagate_options options = {.bindings = session->bindings,
                                    .n_bindings = session->n_bindings,
                                    .inputs = given,
                                    .n_inputs = session->n_inputs,
                                    .ignore_declared = true,
                                    .fixed_defaults = true};
    return ob__propagate(session->model, &options, facts, findings);
}

bool ob__is_static_type(const ob_type *type) {
    return type->kind == OB_TYPE_TENSOR && type->dtype != OB_NONE && type->shape.rank <= OB_MAX_RANK &&
           ob__is_static(&type->shape);
}

static uint32_t count_static(const ob_graph *graph, const ob_facts *facts, uint32_t *n_values) {
    uint32_t n = 0;
    *n_values = 0;
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++) {
            if (!node->outputs[i]) continue;
            ++*n_values;
            n += ob__is_static_type(&ob__fact(facts, node->outputs[i])->type);
        }
    return n;
}

static ob_status count_with(ob_builder *b, const bool *with_content, uint32_t *n, uint32_t *n_values) {
    ob_facts facts;
    ob__facts_init(&facts, &b->session->allocator);
    ob_status status = infer(b, with_content, &facts, NULL);
    *n = count_static(b->session->model->graph, &facts, n_values);
    ob__facts_release(&facts);
    return status;
}

/* True when the session's facts give all shapes as numbers, and none of them depends on a declaration: a plan needs no others.
 * Bodies are excluded, because elements may decide which of them runs. */
static bool is_fixed(const ob_session *session) {
    const ob_facts *facts = &session->facts;
    uint32_t n_values;
    if (facts->n_refuted > 0 || facts->n_declared > 0 || session->model->n_subgraphs > 0) return false;
    for (uint32_t i = 0; i < session->n_inputs; i++)
        if (!ob__is_static_type(&ob__fact(facts, session->inputs[i])->type)) return false;
    return count_static(session->model->graph, facts, &n_values) == n_values;
}

/* True when all shapes follow from those of the inputs: then elements cannot change them. */
static bool follow_from_sizes(const ob_session *session) {
    const ob_facts *facts = &session->facts;
    if (facts->n_declared > 0 || session->model->n_subgraphs > 0) return false;
    for (const ob_node *node = session->model->graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++) {
            const ob_type *type = &ob__fact(facts, node->outputs[i])->type;
            if (!node->outputs[i]) continue;
            if (type->kind != OB_TYPE_TENSOR || type->shape.rank < 0) return false;
            for (int32_t axis = 0; axis < type->shape.rank; axis++)
                if (ob_dim_is_anonymous(session->model->dims, type->shape.dims[axis])) return false;
        }
    return true;
}

/* Finds out which inputs' elements decide shapes (the `shape` operand of a Reshape ...): their elements become part of the
 * plan's key. Elements that decide nothing must not, or every batch of token numbers would need its own plan. */
static ob_status decide_contents(ob_builder *b) {
    ob_session *session = b->session;
    bool *with = session->content_matters, any = false;
    uint32_t n_plain, n_full, n, n_values;
    if (follow_from_sizes(session)) {
        session->content_decided = true; /* by none */
        return OB_OK;
    }
    for (uint32_t i = 0; i < session->n_inputs; i++)
        if (b->inputs[i].dtype != OB_NONE && ob_view_count(&b->inputs[i]) > 0 && !b->inputs[i].data)
            return OB_OK; /* cannot tell yet */
    for (uint32_t i = 0; i < session->n_inputs; i++) {
        with[i] = ob__has_content(&b->inputs[i], &n);
        any |= with[i];
    }
    bool matters[64] = {false}, any_matters = false;
    ob_status status = OB_OK;
    if (any) {
        status = count_with(b, NULL, &n_plain, &n_values);
        if (status == OB_OK && n_plain < n_values)
            status = count_with(b, with, &n_full, &n_values);
        else
            n_full = n_plain;
        any = status == OB_OK && n_full > n_plain;
        for (uint32_t i = 0; any && i < session->n_inputs && i < 64 && status == OB_OK; i++) {
            if (!with[i]) continue;
            with[i] = false;
            status = count_with(b, with, &n, &n_values);
            with[i] = true;
            any_matters |= matters[i] = n < n_full;
        }
    }
    for (uint32_t i = 0; i < session->n_inputs; i++) {
        if (!any)
            with[i] = false;
        else if (any_matters && i < 64)
            with[i] = matters[i];
    }
    session->content_decided = status == OB_OK;
    return status;
}

/* An error in a body that a run may never enter is a warning, and left to the run. */
static ob_status first_error(const ob_builder *b, const ob_findings *findings) {
    for (uint32_t i = 0; i < findings->n; i++) {
        const ob_finding *f = &findings->items[i];
        if (f->severity != OB_SEVERITY_ERROR || !f->node) continue;
        if (b->error) b->error->axis = f->axis;
        ob__at_node(b->error, f->node, OB_E_SHAPE);
        return ob__fail(b->error, ob__finding_row(f->id)->status, "%s", f->message);
    }
    OB_FAIL_IF(ob__findings_dropped(findings, OB_SEVERITY_ERROR), b->error, OB_E_LIMIT,
               "the model has too many findings to look at all");
    return OB_OK;
}

/* Nodes that would fail for these sizes if their body runs: the run decides that. */
static ob_status note_doubts(ob_builder *b, const ob_findings *findings) {
    for (uint32_t i = 0; i < findings->n; i++) {
        const ob_finding *f = &findings->items[i];
        if (!f->node || !f->node->graph->parent || ob__finding_row(f->id)->severity != OB_SEVERITY_ERROR) continue;
        if (!b->doubtful) b->doubtful = OB_ARENA_ARRAY(&b->scratch, bool, b->session->model->n_nodes);
        if (!b->doubtful) return OB_E_MEMORY;
        b->doubtful[f->node->id] = true;
    }
    return OB_OK;
}

static ob_known_value known_value(const ob_value *value, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    return (ob_known_value){value, {.kind = OB_TYPE_TENSOR, .dtype = dtype, .shape = {rank, dims}}, {0}};
}

/* Infers from the entries, whose sizes are known now, and the constants. */
static ob_status infer_part(ob_builder *b, ob_findings *findings) {
    const ob_part *part = b->part;
    ob_known_value *known = OB_ARENA_ARRAY(&b->scratch, ob_known_value, (size_t)part->n_entries + part->n_constants);
    if (!known) return OB_E_MEMORY;
    for (uint32_t i = 0; i < part->n_entries; i++)
        known[i] = known_value(part->entries[i], b->inputs[i].dtype, b->inputs[i].rank, b->inputs[i].dims);
    for (uint32_t i = 0; i < part->n_constants; i++) {
        const ob_value *value = part->constants[i];
        const ob_layout *layout = b->session->constants[value->id]->layout;
        ob_known_value *at = &known[part->n_entries + i];
        ob_view view;
        *at = known_value(value, layout->dtype, layout->rank, layout->sizes);
        if (value->data)
            OB_TRY(ob__content_of_tensor(value->data, &b->scratch, &at->content));
        else if (ob__constant_view(b->session, value, &view))
            OB_TRY(set_content(b, &view, &at->content));
    }
    return ob__propagate_nodes(b->session->model, part->nodes, part->n_nodes, known, (size_t)part->n_entries + part->n_constants,
                               &b->own_facts, findings);
}

static ob_status infer_main(ob_builder *b, ob_findings *findings) {
    if (is_fixed(b->session)) {
        b->facts = &b->session->facts;
        return OB_OK;
    }
    bool done = false;
    if (b->session->content_decided)
        OB_TRY(ob__substitute(b, findings, &done));
    else
        OB_TRY(decide_contents(b));
    return done ? OB_OK : infer(b, b->session->content_matters, &b->own_facts, findings);
}

ob_status ob__infer_shapes(ob_builder *b) {
    ob_findings findings;
    ob__findings_init(&findings, &b->session->allocator);
    ob_status status = b->part ? infer_part(b, &findings) : infer_main(b, &findings);
    if (status == OB_OK) status = first_error(b, &findings);
    if (status == OB_OK) status = note_doubts(b, &findings);
    ob__findings_release(&findings);
    return status;
}
