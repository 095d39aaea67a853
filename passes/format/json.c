/* A report as JSON: docs/report.schema.json. */
#include "passes/format/json.h"

#include <inttypes.h>

#include "core/base/error.h"
#include "onnx_broadcast/target.h"
#include "passes/format/graph.h"
#include "passes/report/report.h"

static void print_json_shape(ob_output *out, const ob_dims *dims, const ob_shape *shape) {
    if (shape->rank == OB_RANK_UNKNOWN) {
        ob__out(out, "null");
        return;
    }
    ob__out_char(out, '[');
    for (int32_t i = 0; i < shape->rank; i++) {
        if (i) ob__out_char(out, ',');
        ob__out_json_dim(out, dims, shape->dims[i]);
    }
    ob__out_char(out, ']');
}

static void print_index(ob_output *out, const char *name, int32_t index) {
    ob__out_key(out, name);
    if (index < 0)
        ob__out(out, "null");
    else
        ob__outf(out, "%d", (int)index);
}

static void print_origins(ob_output *out, const char *const *origins, size_t n) {
    ob__out_key(out, "origins");
    ob__out_char(out, '[');
    for (size_t i = 0; i < n; i++) {
        if (i) ob__out_char(out, ',');
        ob__out_string(out, origins[i]);
    }
    ob__out_char(out, ']');
}

static ob_status print_value(ob_output *out, ob_report *report, size_t index) {
    ob_value_info info;
    ob_status status = ob_report_value(report, index, &info);
    if (status != OB_OK) return status;
    ob__out(out, "{\"name\":");
    ob__out_string(out, info.name);
    ob__out_field(out, "path", info.path);
    ob__out_field(out, "kind", info.kind);
    ob__out_field(out, "type", info.type);
    ob__out_key(out, "dtype");
    if (info.dtype == OB_NONE)
        ob__out(out, "null");
    else
        ob__out_string(out, ob_dtype_name(info.dtype));
    ob__out_key(out, "shape");
    print_json_shape(out, ob_report_dims(report), &info.shape);
    if (info.why_unknown[0]) ob__out_field(out, "why_unknown", info.why_unknown);
    ob__out_char(out, '}');
    return OB_OK;
}

static void print_axes(ob_output *out, uint64_t axes) {
    bool any = false;
    ob__out_char(out, '[');
    for (int axis = 0; axis < 64; axis++) {
        if (!(axes >> axis & 1)) continue;
        ob__outf(out, any ? ",%d" : "%d", axis);
        any = true;
    }
    ob__out_char(out, ']');
}

static ob_status print_broadcast(ob_output *out, ob_report *report, size_t index) {
    ob_broadcast_info info;
    const ob_dims *dims = ob_report_dims(report);
    ob_status status = ob_report_broadcast(report, index, &info);
    if (status != OB_OK) return status;
    ob__out(out, "{\"node\":");
    ob__out_string(out, info.node);
    ob__out_field(out, "op_type", info.op_type);
    ob__out_field(out, "domain", info.domain);
    ob__out_field(out, "path", info.path);
    ob__out_field(out, "rule", info.rule);
    ob__out_key(out, "operands");
    ob__out_char(out, '[');
    for (size_t i = 0; i < info.n_operands; i++) {
        ob__out(out, i ? ",{\"name\":" : "{\"name\":");
        ob__out_string(out, info.names[i]);
        ob__out_key(out, "shape");
        print_json_shape(out, dims, &info.operands[i]);
        ob__out_key(out, "stretched_axes");
        print_axes(out, info.stretched[i]);
        ob__out_char(out, '}');
    }
    ob__out_char(out, ']');
    ob__out_key(out, "result");
    print_json_shape(out, dims, &info.result);
    ob__out_key(out, "fits");
    ob__out(out, info.fits ? "true" : "false");
    ob__out_key(out, "copied_bytes");
    ob__out_json_dim(out, dims, info.copied_bytes);
    ob__out_key(out, "calls");
    ob__outf(out, "%" PRIu64, info.n_calls);
    ob__out_char(out, '}');
    return OB_OK;
}

/* A condition as text and as its parts. */
static void print_structure(ob_output *out, const ob_dims *dims, const ob_condition *condition) {
    static const char *const kinds[] = {[OB_COND_EQUAL] = "equal",
                                        [OB_COND_BROADCAST] = "broadcast",
                                        [OB_COND_BROADCAST_TO] = "broadcast to",
                                        [OB_COND_AT_LEAST] = "at least",
                                        [OB_COND_DIVISIBLE] = "multiple"};
    ob__out(out, "{\"text\":");
    ob__out_condition(out, dims, condition);
    ob__out_field(out, "kind", kinds[condition->kind]);
    ob__out_key(out, "a");
    ob__out_json_dim(out, dims, condition->a);
    ob__out_key(out, "b");
    ob__out_json_dim(out, dims, condition->b);
    ob__out_char(out, '}');
}

static void print_rule(ob_output *out, const ob_target_row *rule) {
    ob__out_key(out, "target");
    ob__out(out, "{\"name\":");
    ob__out_string(out, rule->target);
    ob__out_field(out, "question", rule->what);
    ob__out_field(out, "answer", rule->value);
    ob__out_field(out, "operators", rule->operators);
    ob__out_field(out, "effect", ob_effect_name(rule->effect));
    ob__out_field(out, "confidence", rule->confidence);
    ob__out_field(out, "source", rule->source);
    ob__out_char(out, '}');
}

static void print_verdicts(ob_output *out, const ob_report *report) {
    ob__out_key(out, "targets");
    ob__out_char(out, '[');
    for (size_t i = 0; i < ob_report_target_count(report); i++) {
        ob_target_verdict v = ob_report_target(report, i);
        ob__out(out, i ? ",{\"name\":" : "{\"name\":");
        ob__out_string(out, v.name);
        ob__out_field(out, "worst", ob_effect_name(v.worst));
        ob__outf(out, ",\"nodes\":%zu,\"accepted\":%zu,\"not_stretched\":%zu,\"not_known\":%zu,\"for_some_sizes\":%zu", v.n_nodes,
                 v.n_accepted, v.n_plain, v.n_unknown, v.n_conditional);
        ob__out_key(out, "broken");
        ob__out_char(out, '{');
        bool any = false;
        for (int effect = OB_EFFECT_NONE + 1; effect < OB_EFFECT_COUNT; effect++) {
            if (v.n_broken[effect] == 0) continue;
            ob__outf(out, "%s\"%s\":%zu", any ? "," : "", ob_effect_name((ob_effect)effect), v.n_broken[effect]);
            any = true;
        }
        ob__out(out, "}}");
    }
    ob__out_char(out, ']');
}

static ob_status print_finding(ob_output *out, ob_report *report, size_t index) {
    ob_finding_info info;
    const ob_dims *dims = ob_report_dims(report);
    ob_status status = ob_report_finding(report, index, &info);
    if (status != OB_OK) return status;
    ob__out(out, "{\"id\":");
    ob__out_string(out, info.id);
    ob__out_field(out, "severity", ob_severity_name(info.severity));
    ob__out_field(out, "title", info.title ? info.title : "");
    ob__out_field(out, "node", info.node);
    ob__out_field(out, "op_type", info.op_type);
    ob__out_field(out, "domain", info.domain);
    ob__out_field(out, "path", info.path);
    ob__out_field(out, "value", info.value);
    print_index(out, "operand", info.operand);
    print_index(out, "axis", info.axis);
    ob__out_field(out, "message", info.message);
    ob__out_key(out, "operands");
    ob__out_char(out, '[');
    for (size_t i = 0; i < info.n_operands; i++) {
        ob__out(out, i ? ",{\"name\":" : "{\"name\":");
        ob__out_string(out, info.operand_names[i]);
        print_index(out, "input", info.operand_inputs[i]);
        ob__out_key(out, "shape");
        print_json_shape(out, dims, &info.operands[i]);
        ob__out_char(out, '}');
    }
    ob__out_char(out, ']');
    if (info.condition) {
        ob__out_key(out, "condition");
        print_structure(out, dims, info.condition);
    }
    print_origins(out, info.origins, info.n_origins);
    if (info.clause != SIZE_MAX) ob__outf(out, ",\"clause\":%zu", info.clause);
    for (size_t i = 0; i < info.n_caused; i++) ob__outf(out, i ? ",%zu" : ",\"causes_clauses\":[%zu", info.caused[i]);
    if (info.n_caused) ob__out_char(out, ']');
    if (info.rule) print_rule(out, info.rule);
    if (info.source[0]) ob__out_field(out, "source", info.source);
    if (info.fix[0]) ob__out_field(out, "fix", info.fix);
    ob__out_field(out, "fingerprint", info.fingerprint);
    ob__out_key(out, "calls");
    ob__outf(out, "%" PRIu64, info.n_calls);
    ob__out_char(out, '}');
    return OB_OK;
}

static ob_status print_condition(ob_output *out, ob_report *report, size_t index) {
    ob_condition_info info;
    ob_status status = ob_report_condition(report, index, &info);
    if (status != OB_OK) return status;
    ob__out(out, "{\"condition\":");
    print_structure(out, ob_report_dims(report), &info.condition);
    ob__out_field(out, "text", info.text);
    ob__out_field(out, "node", info.node);
    ob__out_field(out, "op_type", info.op_type);
    ob__out_field(out, "path", info.path);
    print_index(out, "operand", info.operand);
    print_index(out, "axis", info.axis);
    print_origins(out, info.origins, info.n_origins);
    ob__out_char(out, '}');
    return OB_OK;
}

typedef ob_status (*print_entry)(ob_output *out, ob_report *report, size_t index);

static ob_status print_list(ob_output *out, const char *name, ob_report *report, size_t n, print_entry print) {
    ob_status status = OB_OK;
    ob__outf(out, ",\n\"%s\":[", name);
    for (size_t i = 0; i < n && status == OB_OK; i++) {
        ob__out(out, i ? ",\n" : "\n");
        status = print(out, report, i);
    }
    ob__out_char(out, ']');
    return status;
}

/* ---- The contract ---- */

static void print_place(ob_output *out, const ob_contract_origin *origin) {
    ob__out(out, "{\"node\":");
    ob__out_string(out, origin->node);
    ob__out_field(out, "op_type", origin->op_type);
    ob__out_field(out, "path", origin->path);
    print_index(out, "operand", origin->operand);
    print_index(out, "axis", origin->axis);
    ob__out_char(out, '}');
}

/* Sizes by name, which is written as in terms. */
static void print_size_map(ob_output *out, const ob_dims *dims, const ob_named_size *sizes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        ob__out_char(out, i ? ',' : '{');
        const ob_dim symbol = ob_dim_find(dims, sizes[i].name);
        if (symbol == OB_DIM_UNKNOWN)
            ob__out_string(out, sizes[i].name); /* "?1" */
        else
            ob__out_json_dim(out, dims, symbol);
        ob__outf(out, ":%" PRId64, sizes[i].size);
    }
    ob__out_char(out, '}');
}

/* null when none were found. */
static void print_sizes(ob_output *out, const char *name, const ob_dims *dims, const ob_named_size *sizes, size_t n) {
    ob__out_key(out, name);
    if (n == 0)
        ob__out(out, "null");
    else
        print_size_map(out, dims, sizes, n);
}

static void print_terms(ob_output *out, const char *name, const ob_dims *dims, const ob_clause_term *terms, size_t n) {
    ob__out_key(out, name);
    ob__out_char(out, '[');
    for (size_t i = 0; i < n; i++) {
        ob__out(out, i ? ",{\"kind\":" : "{\"kind\":");
        ob__out_string(out, terms[i].kind);
        ob__out_key(out, "p");
        ob__out_json_dim(out, dims, terms[i].p);
        if (terms[i].q) {
            ob__out_key(out, "q");
            ob__out_json_dim(out, dims, terms[i].q);
        }
        ob__out_char(out, '}');
    }
    ob__out_char(out, ']');
}

static ob_status print_clause(ob_output *out, ob_report *report, size_t index) {
    ob_clause_info info;
    const ob_dims *dims = ob_report_dims(report);
    ob_status status = ob_report_clause(report, index, &info);
    if (status != OB_OK) return status;
    ob__out(out, "{\"kind\":");
    ob__out_string(out, info.kind);
    ob__out_field(out, "text", info.text);
    ob__out_field(out, "status", "condition");
    print_terms(out, "guard", dims, info.terms, info.n_guards);
    print_terms(out, "terms", dims, info.terms + info.n_guards, info.n_terms - info.n_guards);
    ob__out_key(out, "symbols");
    for (size_t i = 0; i < info.n_symbols; i++) {
        ob__out_char(out, i ? ',' : '[');
        ob__out_json_dim(out, dims, info.symbols[i]);
    }
    ob__out(out, info.n_symbols ? "]" : "[]");
    print_sizes(out, "holds", dims, info.holds, info.n_holds);
    print_sizes(out, "fails", dims, info.fails, info.n_fails);
    print_sizes(out, "decides", dims, info.decides, info.n_decides);
    ob__out_key(out, "repair");
    if (info.repair)
        print_place(out, info.repair);
    else
        ob__out(out, "null");
    ob__out_key(out, "nodes");
    ob__out_char(out, '[');
    for (size_t i = 0; i < info.n_origins; i++) {
        if (i) ob__out_char(out, ',');
        print_place(out, &info.origins[i]);
    }
    ob__outf(out, "],\"n_nodes\":%zu}", info.n_nodes);
    return OB_OK;
}

/* A side of a condition on values, or null. */
static void print_end(ob_output *out, const char *name, const ob_dims *dims, ob_dim end) {
    ob__out_key(out, name);
    if (end == OB_DIM_UNKNOWN)
        ob__out(out, "null");
    else
        ob__out_json_dim(out, dims, end);
}

static ob_status print_bound(ob_output *out, ob_report *report, size_t index) {
    ob_bound_info info;
    const ob_dims *dims = ob_report_dims(report);
    ob_status status = ob_report_bound(report, index, &info);
    if (status != OB_OK) return status;
    ob__out(out, "{\"text\":");
    ob__out_string(out, info.text);
    ob__out_field(out, "input", info.input);
    ob__out_field(out, "dtype", ob_dtype_name(info.dtype));
    ob__outf(out, ",\"rounded\":%s", info.is_rounded ? "true" : "false");
    ob__out_key(out, "part");
    if (!info.first) ob__out(out, "null");
    for (int32_t axis = 0; info.first && axis < info.rank; axis++) {
        ob__out(out, axis ? ",{\"first\":" : "[{\"first\":");
        ob__out_json_dim(out, dims, info.first[axis]);
        print_end(out, "end", dims, info.end[axis]);
        ob__out_char(out, '}');
    }
    if (info.first) ob__out(out, info.rank > 0 ? "]" : "[]");
    print_end(out, "lowest", dims, info.lowest);
    print_end(out, "highest", dims, info.highest);
    ob__out_key(out, "guard");
    for (size_t i = 0; i < info.n_guards; i++) {
        ob__out_char(out, i ? ',' : '[');
        ob__out_json_dim(out, dims, info.guards[i]);
    }
    ob__out(out, info.n_guards ? "]" : "[]");
    ob__out_key(out, "nodes");
    ob__out_char(out, '[');
    for (size_t i = 0; i < info.n_origins; i++) {
        if (i) ob__out_char(out, ',');
        print_place(out, &info.origins[i]);
    }
    ob__outf(out, "],\"n_requirements\":%zu}", info.n_requirements);
    return OB_OK;
}

static ob_status print_unverified(ob_output *out, ob_report *report, size_t index) {
    ob_unverified_info info;
    ob_status status = ob_report_unverified(report, index, &info);
    if (status != OB_OK) return status;
    ob__out(out, "{\"reason\":");
    ob__out_string(out, info.reason);
    ob__out_key(out, "first");
    print_place(out, &info.first);
    ob__out_field(out, "node", info.first.node);
    ob__outf(out, ",\"n\":%zu}", info.n);
    return OB_OK;
}

static ob_status print_assumption(ob_output *out, ob_report *report, size_t index) {
    ob_assumption_info info;
    ob_status status = ob_report_assumption(report, index, &info);
    if (status != OB_OK) return status;
    ob__out(out, "{\"text\":");
    ob__out_string(out, info.text);
    ob__out_field(out, "source", info.declared ? "declared" : "given");
    ob__out_field(out, "value", info.value);
    ob__out_char(out, '}');
    return OB_OK;
}

static ob_status print_limit(ob_output *out, ob_report *report, size_t index) {
    return print_clause(out, report, ob_report_contract(report).n_clauses + index);
}

static ob_status print_examples(ob_output *out, ob_report *report) {
    ob_example_info info;
    ob_status status;
    ob__out(out, ",\n\"examples\":[");
    for (size_t i = 0; (status = ob_report_example(report, i, &info)) == OB_OK; i++) {
        if (i) ob__out_char(out, ',');
        print_size_map(out, ob_report_dims(report), info.sizes, info.n_sizes);
    }
    ob__out_char(out, ']');
    return status == OB_E_NOT_FOUND ? OB_OK : status;
}

static ob_status print_json_contract(ob_output *out, ob_report *report) {
    ob_contract_info contract = ob_report_contract(report);
    ob__out(out, ",\n\"contract\":{\"status\":");
    ob__out_string(out, ob_contract_status_name(contract.status));
    ob_status status = print_list(out, "clauses", report, contract.n_clauses, print_clause);
    if (status == OB_OK) status = print_list(out, "limits", report, contract.n_limits, print_limit);
    if (status == OB_OK) status = print_examples(out, report);
    if (status == OB_OK) status = print_list(out, "values", report, contract.n_bounds, print_bound);
    if (status == OB_OK) status = print_list(out, "assumptions", report, contract.n_assumptions, print_assumption);
    if (status == OB_OK) status = print_list(out, "unverified", report, contract.n_unverified, print_unverified);
    ob__outf(out, ",\n\"proved\":%zu,\"conditions\":%zu,\"refuted\":%zu,\"not_stated\":%zu,\"open_sizes\":%zu}",
             contract.n_proved, contract.n_conditions, contract.n_refuted, contract.n_open, contract.n_sizes);
    return status;
}

static void print_summary(ob_output *out, const ob_report *report) {
    ob_report_summary s = ob_report_get_summary(report);
    const struct {
        const char *name;
        size_t n;
    } counts[] = {{"nodes", s.n_nodes},
                  {"values", s.n_values},
                  {"values_with_rank", s.n_ranked},
                  {"values_with_shape", s.n_shaped},
                  {"broadcasts", s.n_broadcasts},
                  {"operators_of_one_shape", s.n_plain},
                  {"broadcasts_of_open_size", s.n_open},
                  {"conditions", s.n_conditions},
                  {"errors", s.n_errors},
                  {"warnings", s.n_warnings},
                  {"notes", s.n_notes},
                  {"findings_not_listed", s.n_dropped},
                  {"findings_suppressed", s.n_suppressed},
                  {"findings_in_baseline", s.n_baseline}};
    ob__out(out, ",\n\"summary\":{");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ob__outf(out, "%s\"%s\":%zu", i ? "," : "", counts[i].name, counts[i].n);
    ob__outf(out, ",\"copied_bytes\":%" PRId64, s.copied_bytes);
    ob__out_key(out, "copied_term");
    ob__out_json_dim(out, ob_report_dims(report), s.copied_term);
    ob__out_char(out, '}');
}

static void print_long_names(ob_output *out, const ob_report *report) {
    ob__out(out, ",\n\"long_names\":[");
    for (size_t i = 0; i < ob_report_long_name_count(report); i++) {
        if (i) ob__out_char(out, ',');
        ob__out_string(out, ob_report_long_name(report, i));
    }
    ob__out_char(out, ']');
}

static void print_independence(ob_output *out, const ob_report_options *options) {
    if (!options->n_independence) return;
    ob__out(out, ",\n\"independence\":[");
    for (size_t i = 0; i < options->n_independence; i++) {
        const ob_independence *is = options->independence[i];
        ob__out(out, i ? ",\n{\"symbol\":" : "\n{\"symbol\":");
        ob__out_string(out, is->symbol);
        ob__out_field(out, "verdict", ob_independence_verdict_name(is->verdict));
        ob__out_field(out, "mixing", ob_mixing_name(is->mixing));
        ob__out_field(out, "reason", is->reason);
        ob__out_field(out, "node", is->node);
        ob__out_field(out, "op_type", is->op_type);
        ob__out_field(out, "value", is->value);
        ob__out_field(out, "output", is->output);
        ob__out(out, ",\"path\":[");
        for (size_t k = 0; k < is->n_path; k++) {
            if (k) ob__out_char(out, ',');
            ob__out_string(out, is->path[k]);
        }
        ob__out(out, "]}");
    }
    ob__out_char(out, ']');
}

/* null for -1. */
static void print_bytes(ob_output *out, const char *name, int64_t n_bytes) {
    ob__out_key(out, name);
    if (n_bytes < 0)
        ob__out(out, "null");
    else
        ob__outf(out, "%" PRId64, n_bytes);
}

static void print_cost(ob_output *out, const ob_cost *cost) {
    const ob_cost_info info = ob_cost_get_info(cost);
    ob__outf(out, ",\n\"cost\":{\"weight_bytes\":%" PRId64, info.weight_bytes);
    print_bytes(out, "peak_bytes", info.peak_bytes);
    ob__out_field(out, "peak_node", info.peak_node);
    print_bytes(out, "explicit_bytes", info.explicit_bytes);
    ob__out_field(out, "explicit_node", info.explicit_node);
    ob__out_field(out, "unknown", info.unknown);
    ob__out(out, ",\"broadcasts\":[");
    for (size_t i = 0; i < info.n_nodes; i++) {
        const ob_cost_row row = ob_cost_at(cost, i);
        ob__outf(out, "%s\n{\"broadcast\":%zu", i ? "," : "", row.broadcast);
        print_bytes(out, "copied_bytes", row.copied_bytes);
        print_bytes(out, "operand_bytes", row.operand_bytes);
        print_bytes(out, "live_bytes", row.live_bytes);
        print_bytes(out, "peak_change", row.peak_change);
        ob__out_char(out, '}');
    }
    ob__out(out, "]}");
}

static ob_status print_report(ob_output *out, ob_report *report, const ob_report_options *options) {
    const ob_model *model = report->model;
    ob__out(out, "{\"file\":");
    ob__out_string(out, options->file ? options->file : "");
    ob__outf(out, ",\"ir_version\":%" PRId64 ",\"opsets\":{", ob_model_ir_version(model));
    for (size_t i = 0; i < ob_model_opset_count(model); i++) {
        ob_opset opset = ob_model_opset_at(model, i);
        if (i) ob__out_char(out, ',');
        ob__out_string(out, opset.domain);
        ob__outf(out, ":%" PRId64, opset.version);
    }
    ob__out_char(out, '}');
    ob__out_field(out, "rules", ob_rules_name(report->rules));
    OB_TRY(print_list(out, "findings", report, ob_report_finding_count(report), print_finding));
    OB_TRY(print_list(out, "broadcasts", report, ob_report_broadcast_count(report), print_broadcast));
    OB_TRY(print_list(out, "conditions", report, ob_report_condition_count(report), print_condition));
    OB_TRY(print_json_contract(out, report));
    OB_TRY(print_list(out, "values", report, ob_report_value_count(report), print_value));
    if (ob_report_target_count(report) > 0) print_verdicts(out, report);
    print_summary(out, report);
    if (options->cost) print_cost(out, options->cost);
    if (options->graph) OB_TRY(ob__graph_json(out, report));
    print_long_names(out, report);
    print_independence(out, options);
    ob__out(out, "}");
    return OB_OK;
}

ob_status ob__report_json(ob_output *out, ob_report *report, const ob_report_options *options) {
    ob_report_shorten_names(report, true);
    ob__output_fail(out, print_report(out, report, options));
    ob_report_shorten_names(report, false);
    return out->status;
}

void ob__unread_json(ob_output *out, const char *file, const ob_error *error) {
    ob__out(out, "{\"file\":");
    ob__out_string(out, file);
    ob__out(out, ",\"error\":{\"status\":");
    ob__out_string(out, ob_status_text(error->code));
    ob__out_field(out, "message", error->message);
    ob__out(out, "}}");
}

ob_status ob_report_to_json(ob_report *report, const ob_report_options *options, ob_write_sink sink, void *context,
                            ob_error *error) {
    static const ob_report_options plain = {0};
    ob_error_clear(error);
    OB_FAIL_IF(!report || !sink || (options && options->n_independence && !options->independence), error, OB_E_ARGUMENT,
               "ob_report_to_json: report, sink and the entries of options must not be NULL");
    ob_output out;
    ob__output_init(&out, &report->allocator, sink, context);
    ob__report_json(&out, report, options ? options : &plain);
    return ob__described(error, ob__output_end(&out), "");
}
