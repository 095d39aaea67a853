#include "checked.h"

#include <stdio.h>
#include <string.h>

/* ---- The caller's sizes ------------------------------------------------------------------------------------------------- */

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

/* ---- The verdict -------------------------------------------------------------------------------------------------------- */

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

/* A finding that says that no sizes run. */
static void find_error(checked *c, char *key, size_t n_key) {
    for (size_t i = ob_report_finding_count(c->report); i-- > 0;) {
        ob_finding_info info;
        ob_report_finding(c->report, i, &info);
        if (info.severity == OB_SEVERITY_ERROR) snprintf(key, n_key, "%s %s", info.id, info.op_type);
    }
}

verdict checked_verdict(checked *c, const point *p, char *key, size_t n_key) {
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
