#include "checked.h"

#include <stdio.h>
#include <string.h>

/* ---- The caller's sizes ---- */

static int find_variable(sizes *s, const ob_dims *pool, ob_dim dim, const char *input, int axis) {
    for (int i = 0; i < s->n; i++)
        if (s->symbols[i] == dim && dim != OB_DIM_UNKNOWN) return i;
    if (s->n == MAX_VARIABLES) return -2;
    s->symbols[s->n] = dim;
    s->named[s->n] = ob_dim_is_named(pool, dim);
    if (s->named[s->n])
        ob_dim_format(pool, dim, s->names[s->n], sizeof s->names[0]);
    else
        snprintf(s->names[s->n], sizeof s->names[0], "%.20s[%d]", input, axis);
    return s->n++;
}

static ob_status find_sizes(const ob_model *model, sizes *s) {
    for (uint32_t i = 0; i < model->graph->n_inputs; i++) {
        const ob_value *input = model->graph->inputs[i];
        const ob_shape *shape = &input->declared.shape;
        if (shape->rank < 0) return OB_E_UNSUPPORTED;
        for (int32_t axis = 0; axis < shape->rank; axis++) {
            if (s->n_axes == MAX_AXES) return OB_E_LIMIT;
            int at = s->n_axes++;
            s->number[at] = shape->dims[axis];
            s->variable[at] =
                ob_dim_is_const(shape->dims[axis]) ? -1 : find_variable(s, model->dims, shape->dims[axis], input->name, axis);
            if (s->variable[at] == -2) return OB_E_LIMIT;
        }
    }
    return OB_OK;
}

void sizes_at(const sizes *s, const point *p, int64_t dims[MAX_AXES]) {
    for (int i = 0; i < s->n_axes; i++) dims[i] = s->variable[i] < 0 ? s->number[i] : p->sizes[s->variable[i]];
}

/* ---- The verdict ---- */

ob_status checked_make(checked *c, ob_model *model, ob_error *error) {
    return checked_make_with(c, model, NULL, error);
}

ob_status checked_make_with(checked *c, ob_model *model, const ob_check_options *options, ob_error *error) {
    memset(c, 0, sizeof *c);
    c->model = model;
    ob_status status = ob_check(model, options, &c->report, error);
    if (status == OB_OK) status = find_sizes(model, &c->sizes);
    if (status != OB_OK) {
        checked_free(c);
        return status;
    }
    for (size_t i = 0; i < ob_report_finding_count(c->report); i++) {
        ob_finding_info info;
        ob_report_finding(c->report, i, &info);
        c->has_errors |= info.severity == OB_SEVERITY_ERROR && strncmp(info.id, "OB05", 4) != 0;
    }
    ob_contract_info info = ob_report_contract(c->report);
    c->is_partial = info.status == OB_CONTRACT_PARTIAL;
    c->n_clauses = info.n_clauses;
    return OB_OK;
}

void checked_free(checked *c) {
    ob_report_close(&c->report);
}

/* Does the finding state that no sizes can run? */
static void find_error(checked *c, char *key, size_t n_key) {
    for (size_t i = ob_report_finding_count(c->report); i-- > 0;) {
        ob_finding_info info;
        ob_report_finding(c->report, i, &info);
        if (info.severity == OB_SEVERITY_ERROR) snprintf(key, n_key, "%s %s", info.id, info.op_type);
    }
}

/* ---- Conditions on values ---- */

/* The number of a term at a point; false: it has none there. */
static bool number_at(const checked *c, const point *p, ob_dim term, int64_t *out) {
    ob_binding bindings[MAX_VARIABLES];
    for (int i = 0; i < c->sizes.n; i++) bindings[i] = (ob_binding){c->sizes.symbols[i], p->sizes[i]};
    return ob_dim_eval(ob_report_dims(c->report), term, bindings, (size_t)c->sizes.n, out) == OB_OK;
}

/* The elements of integer input `name` as in oracle_run() and run_session(): all equal, or those of its default (*tensor).
 */
static int64_t element_of(const checked *c, const point *p, const char *name, const ob_tensor **tensor) {
    const ob_graph *graph = c->model->graph;
    uint32_t data = p->data;
    *tensor = NULL;
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_value *value = graph->inputs[i];
        if (strcmp(value->name, name) == 0) {
            if (value->is_initializer && data % 4 != 3) *tensor = value->data;
            return data & 3;
        }
        if (value->declared.dtype != OB_FLOAT) data >>= 2;
    }
    return 0;
}

/* Does the part have elements, and does the bound matter? */
static ob_truth is_asked(const checked *c, const point *p, const ob_bound_info *b, int64_t n_elems) {
    int64_t first, end;
    for (size_t i = 0; i < b->n_guards; i++) {
        if (!number_at(c, p, b->guards[i], &first)) return OB_UNDECIDED;
        if (first < 1) return OB_FALSE;
    }
    for (int32_t axis = 0; axis < b->rank; axis++) {
        if (!number_at(c, p, b->first[axis], &first) || !number_at(c, p, b->end[axis], &end)) return OB_UNDECIDED;
        if (first >= end) return OB_FALSE;
    }
    return n_elems > 0 ? OB_TRUE : OB_FALSE;
}

/* The number of elements of the input at the point. */
static int64_t count_of(const checked *c, const point *p, const char *name) {
    int64_t dims[MAX_AXES], *at = dims;
    const ob_graph *graph = c->model->graph;
    sizes_at(&c->sizes, p, dims);
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        int64_t n = 1;
        for (int32_t axis = 0; axis < graph->inputs[i]->declared.shape.rank; axis++) n *= *at++;
        if (strcmp(graph->inputs[i]->name, name) == 0) return n;
    }
    return 0;
}

static ob_truth bound_holds(const checked *c, const point *p, const ob_bound_info *b) {
    const ob_tensor *tensor;
    int64_t lowest = INT64_MIN, highest = INT64_MAX, element = element_of(c, p, b->input, &tensor);
    ob_truth asked = is_asked(c, p, b, tensor ? (int64_t)tensor->n_elems : count_of(c, p, b->input));
    if (asked != OB_TRUE) return asked == OB_FALSE ? OB_TRUE : asked;
    if (b->lowest != OB_DIM_UNKNOWN && !number_at(c, p, b->lowest, &lowest)) return OB_UNDECIDED;
    if (b->highest != OB_DIM_UNKNOWN && !number_at(c, p, b->highest, &highest)) return OB_UNDECIDED;
    if (b->dtype != OB_INT64 || (tensor && b->rank > 0)) return OB_UNDECIDED;
    for (int64_t i = 0; i < (tensor ? (int64_t)tensor->n_elems : 1); i++) {
        if (tensor) memcpy(&element, (const char *)tensor->data + (size_t)i * sizeof element, sizeof element);
        if (element < lowest || element > highest) return OB_FALSE;
    }
    return OB_TRUE;
}

static ob_truth values_hold(checked *c, const point *p, char *key, size_t n_key) {
    ob_truth all = OB_TRUE;
    for (size_t i = 0; i < ob_report_contract(c->report).n_bounds; i++) {
        ob_bound_info info;
        if (ob_report_bound(c->report, i, &info) != OB_OK) return OB_UNDECIDED;
        const ob_truth truth = bound_holds(c, p, &info);
        if (truth == OB_FALSE && key) snprintf(key, n_key, "values %s", info.origins[0].op_type);
        if (truth == OB_FALSE) return truth;
        if (truth == OB_UNDECIDED) all = truth;
    }
    return all;
}

verdict checked_sizes(checked *c, const point *p, char *key, size_t n_key) {
    ob_named_size given[MAX_VARIABLES];
    ob_truth truth = OB_UNDECIDED;
    size_t at = SIZE_MAX;
    for (int i = 0; i < c->sizes.n; i++) given[i] = (ob_named_size){c->sizes.names[i], p->sizes[i]};
    ob_status status = ob_report_contract_holds(c->report, given, (size_t)c->sizes.n, &truth, &at);
    if (status != OB_OK) {
        if (key) snprintf(key, n_key, "holds: %s", ob_status_text(status));
        return OPEN;
    }
    ob_clause_info clause;
    if (truth == OB_FALSE) {
        if (key && ob_report_clause(c->report, at, &clause) == OB_OK)
            snprintf(key, n_key, "%s %s", clause.kind, clause.n_origins ? clause.origins[0].op_type : "");
        else if (key)
            find_error(c, key, n_key);
        return EXCLUDES;
    }
    if (c->has_errors) {
        if (key) find_error(c, key, n_key);
        return EXCLUDES;
    }
    return truth == OB_TRUE ? ADMITS : OPEN;
}

verdict checked_verdict(checked *c, const point *p, char *key, size_t n_key) {
    const verdict of_sizes = checked_sizes(c, p, key, n_key);
    const ob_truth values = of_sizes == EXCLUDES ? OB_TRUE : values_hold(c, p, key, n_key);
    return values == OB_FALSE ? EXCLUDES : values == OB_UNDECIDED ? OPEN : of_sizes;
}

void checked_text(checked *c, char *text, size_t n_bytes) {
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < c->n_clauses && n + 1 < n_bytes; i++) {
        ob_clause_info info;
        if (ob_report_clause(c->report, i, &info) != OB_OK) continue;
        int more =
            snprintf(text + n, n_bytes - n, "  %s   (%s %s, %zu nodes)\n", info.text,
                     info.n_origins ? info.origins[0].op_type : "", info.n_origins ? info.origins[0].node : "", info.n_nodes);
        n += more > 0 ? (size_t)more : 0;
    }
    for (size_t i = 0; i < ob_report_contract(c->report).n_unverified && n + 1 < n_bytes; i++) {
        ob_unverified_info info;
        if (ob_report_unverified(c->report, i, &info) != OB_OK) continue;
        int more =
            snprintf(text + n, n_bytes - n, "  unverified: %s   (%s %s)\n", info.reason, info.first.op_type, info.first.node);
        n += more > 0 ? (size_t)more : 0;
    }
    for (size_t i = 0; i < ob_report_finding_count(c->report) && n + 1 < n_bytes; i++) {
        ob_finding_info info;
        ob_report_finding(c->report, i, &info);
        if (info.severity != OB_SEVERITY_ERROR) continue;
        int more = snprintf(text + n, n_bytes - n, "  error %s %s: %s\n", info.id, info.node, info.message);
        n += more > 0 ? (size_t)more : 0;
    }
}
