#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check_parts.h"

static void key(FILE *out, const char *name) {
    fprintf(out, ",\"%s\":", name);
}

static void string_field(FILE *out, const char *name, const char *text) {
    key(out, name);
    print_json_string(out, text);
}

/* A number, a term as text, or null. */
static void print_json_dim(FILE *out, const ob_dims *dims, ob_dim dim) {
    if (dim == OB_DIM_UNKNOWN) {
        fputs("null", out);
    } else if (ob_dim_is_const(dim)) {
        fprintf(out, "%" PRId64, dim);
    } else {
        char few[256], *text = few;
        size_t n = ob_dim_format(dims, dim, few, sizeof few);
        if (n >= sizeof few && (text = malloc(n + 1))) ob_dim_format(dims, dim, text, n + 1);
        print_json_string(out, text ? text : few);
        if (text != few) free(text);
    }
}

static void print_json_shape(FILE *out, const ob_dims *dims, const ob_shape *shape) {
    if (shape->rank == OB_RANK_UNKNOWN) {
        fputs("null", out);
        return;
    }
    putc('[', out);
    for (int32_t i = 0; i < shape->rank; i++) {
        if (i) putc(',', out);
        print_json_dim(out, dims, shape->dims[i]);
    }
    putc(']', out);
}

static void print_index(FILE *out, const char *name, int32_t index) {
    key(out, name);
    if (index < 0)
        fputs("null", out);
    else
        fprintf(out, "%d", (int)index);
}

static void print_origins(FILE *out, const char *const *origins, size_t n) {
    key(out, "origins");
    putc('[', out);
    for (size_t i = 0; i < n; i++) {
        if (i) putc(',', out);
        print_json_string(out, origins[i]);
    }
    putc(']', out);
}

static ob_status print_value(FILE *out, ob_report *report, size_t index) {
    ob_value_info info;
    ob_status status = ob_report_value(report, index, &info);
    if (status != OB_OK) return status;
    fputs("{\"name\":", out);
    print_json_string(out, info.name);
    string_field(out, "path", info.path);
    string_field(out, "kind", info.kind);
    string_field(out, "type", info.type);
    key(out, "dtype");
    if (info.dtype == OB_NONE)
        fputs("null", out);
    else
        print_json_string(out, ob_dtype_name(info.dtype));
    key(out, "shape");
    print_json_shape(out, ob_report_dims(report), &info.shape);
    if (info.why_unknown[0]) string_field(out, "why_unknown", info.why_unknown);
    putc('}', out);
    return OB_OK;
}

static void print_axes(FILE *out, uint64_t axes) {
    bool any = false;
    putc('[', out);
    for (int axis = 0; axis < 64; axis++) {
        if (!(axes >> axis & 1)) continue;
        fprintf(out, any ? ",%d" : "%d", axis);
        any = true;
    }
    putc(']', out);
}

static ob_status print_broadcast(FILE *out, ob_report *report, size_t index) {
    ob_broadcast_info info;
    const ob_dims *dims = ob_report_dims(report);
    ob_status status = ob_report_broadcast(report, index, &info);
    if (status != OB_OK) return status;
    fputs("{\"node\":", out);
    print_json_string(out, info.node);
    string_field(out, "op_type", info.op_type);
    string_field(out, "domain", info.domain);
    string_field(out, "path", info.path);
    string_field(out, "rule", info.rule);
    key(out, "operands");
    putc('[', out);
    for (size_t i = 0; i < info.n_operands; i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", out);
        print_json_string(out, info.names[i]);
        key(out, "shape");
        print_json_shape(out, dims, &info.operands[i]);
        key(out, "stretched_axes");
        print_axes(out, info.stretched[i]);
        putc('}', out);
    }
    putc(']', out);
    key(out, "result");
    print_json_shape(out, dims, &info.result);
    key(out, "fits");
    fputs(info.fits ? "true" : "false", out);
    key(out, "copied_bytes");
    print_json_dim(out, dims, info.copied_bytes);
    key(out, "calls");
    fprintf(out, "%" PRIu64, info.n_calls);
    putc('}', out);
    return OB_OK;
}

/* A condition as text and as its parts. */
static void print_structure(FILE *out, const ob_dims *dims, const ob_condition *condition) {
    static const char *const kinds[] = {[OB_COND_EQUAL] = "equal",
                                        [OB_COND_BROADCAST] = "broadcast",
                                        [OB_COND_BROADCAST_TO] = "broadcast to",
                                        [OB_COND_AT_LEAST] = "at least",
                                        [OB_COND_DIVISIBLE] = "multiple"};
    size_t n = ob_condition_format(dims, condition, NULL, 0);
    char *text = malloc(n + 1);
    if (text) ob_condition_format(dims, condition, text, n + 1);
    fputs("{\"text\":", out);
    print_json_string(out, text ? text : "");
    free(text);
    string_field(out, "kind", kinds[condition->kind]);
    key(out, "a");
    print_json_dim(out, dims, condition->a);
    key(out, "b");
    print_json_dim(out, dims, condition->b);
    putc('}', out);
}

static void print_rule(FILE *out, const ob_target_row *rule) {
    key(out, "target");
    fputs("{\"name\":", out);
    print_json_string(out, rule->target);
    string_field(out, "question", rule->what);
    string_field(out, "answer", rule->value);
    string_field(out, "operators", rule->operators);
    string_field(out, "effect", ob_effect_name(rule->effect));
    string_field(out, "confidence", rule->confidence);
    string_field(out, "source", rule->source);
    putc('}', out);
}

static void print_verdicts(FILE *out, const ob_report *report) {
    key(out, "targets");
    putc('[', out);
    for (size_t i = 0; i < ob_report_target_count(report); i++) {
        ob_target_verdict v = ob_report_target(report, i);
        fputs(i ? ",{\"name\":" : "{\"name\":", out);
        print_json_string(out, v.name);
        string_field(out, "worst", ob_effect_name(v.worst));
        fprintf(out, ",\"nodes\":%zu,\"accepted\":%zu,\"not_stretched\":%zu,\"not_known\":%zu,\"for_some_sizes\":%zu", v.n_nodes,
                v.n_accepted, v.n_plain, v.n_unknown, v.n_conditional);
        key(out, "broken");
        putc('{', out);
        bool any = false;
        for (int effect = OB_EFFECT_NONE + 1; effect < OB_EFFECT_COUNT; effect++) {
            if (v.n_broken[effect] == 0) continue;
            fprintf(out, "%s\"%s\":%zu", any ? "," : "", ob_effect_name((ob_effect)effect), v.n_broken[effect]);
            any = true;
        }
        fputs("}}", out);
    }
    putc(']', out);
}

static ob_status print_finding(FILE *out, ob_report *report, size_t index) {
    ob_finding_info info;
    const ob_dims *dims = ob_report_dims(report);
    ob_status status = ob_report_finding(report, index, &info);
    if (status != OB_OK) return status;
    fputs("{\"id\":", out);
    print_json_string(out, info.id);
    string_field(out, "severity", ob_severity_name(info.severity));
    string_field(out, "title", info.title ? info.title : "");
    string_field(out, "node", info.node);
    string_field(out, "op_type", info.op_type);
    string_field(out, "domain", info.domain);
    string_field(out, "path", info.path);
    string_field(out, "value", info.value);
    print_index(out, "operand", info.operand);
    print_index(out, "axis", info.axis);
    string_field(out, "message", info.message);
    key(out, "operands");
    putc('[', out);
    for (size_t i = 0; i < info.n_operands; i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", out);
        print_json_string(out, info.operand_names[i]);
        print_index(out, "input", info.operand_inputs[i]);
        key(out, "shape");
        print_json_shape(out, dims, &info.operands[i]);
        putc('}', out);
    }
    putc(']', out);
    if (info.condition) {
        key(out, "condition");
        print_structure(out, dims, info.condition);
    }
    print_origins(out, info.origins, info.n_origins);
    if (info.clause != SIZE_MAX) fprintf(out, ",\"clause\":%zu", info.clause);
    for (size_t i = 0; i < info.n_caused; i++) fprintf(out, i ? ",%zu" : ",\"causes_clauses\":[%zu", info.caused[i]);
    if (info.n_caused) putc(']', out);
    if (info.rule) print_rule(out, info.rule);
    if (info.source[0]) string_field(out, "source", info.source);
    if (info.fix[0]) string_field(out, "fix", info.fix);
    string_field(out, "fingerprint", info.fingerprint);
    key(out, "calls");
    fprintf(out, "%" PRIu64, info.n_calls);
    putc('}', out);
    return OB_OK;
}

static ob_status print_condition(FILE *out, ob_report *report, size_t index) {
    ob_condition_info info;
    ob_status status = ob_report_condition(report, index, &info);
    if (status != OB_OK) return status;
    fputs("{\"condition\":", out);
    print_structure(out, ob_report_dims(report), &info.condition);
    string_field(out, "text", info.text);
    string_field(out, "node", info.node);
    string_field(out, "op_type", info.op_type);
    string_field(out, "path", info.path);
    print_index(out, "operand", info.operand);
    print_index(out, "axis", info.axis);
    print_origins(out, info.origins, info.n_origins);
    putc('}', out);
    return OB_OK;
}

typedef ob_status (*print_entry)(FILE *out, ob_report *report, size_t index);

static ob_status print_list(FILE *out, const char *name, ob_report *report, size_t n, print_entry print) {
    ob_status status = OB_OK;
    fprintf(out, ",\n\"%s\":[", name);
    for (size_t i = 0; i < n && status == OB_OK; i++) {
        fputs(i ? ",\n" : "\n", out);
        status = print(out, report, i);
    }
    putc(']', out);
    return status;
}

/* ---- The contract ---- */

static void print_place(FILE *out, const ob_contract_origin *origin) {
    fputs("{\"node\":", out);
    print_json_string(out, origin->node);
    string_field(out, "op_type", origin->op_type);
    string_field(out, "path", origin->path);
    print_index(out, "operand", origin->operand);
    print_index(out, "axis", origin->axis);
    putc('}', out);
}

/* Sizes by name, which is written as in terms. */
static void print_size_map(FILE *out, const ob_dims *dims, const ob_named_size *sizes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        putc(i ? ',' : '{', out);
        const ob_dim symbol = ob_dim_find(dims, sizes[i].name);
        if (symbol == OB_DIM_UNKNOWN)
            print_json_string(out, sizes[i].name); /* "?1" */
        else
            print_json_dim(out, dims, symbol);
        fprintf(out, ":%" PRId64, sizes[i].size);
    }
    putc('}', out);
}

/* null when none were found. */
static void print_sizes(FILE *out, const char *name, const ob_dims *dims, const ob_named_size *sizes, size_t n) {
    key(out, name);
    if (n == 0)
        fputs("null", out);
    else
        print_size_map(out, dims, sizes, n);
}

static void print_terms(FILE *out, const char *name, const ob_dims *dims, const ob_clause_term *terms, size_t n) {
    key(out, name);
    putc('[', out);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ",{\"kind\":" : "{\"kind\":", out);
        print_json_string(out, terms[i].kind);
        key(out, "p");
        print_json_dim(out, dims, terms[i].p);
        if (terms[i].q) {
            key(out, "q");
            print_json_dim(out, dims, terms[i].q);
        }
        putc('}', out);
    }
    putc(']', out);
}

static ob_status print_clause(FILE *out, ob_report *report, size_t index) {
    ob_clause_info info;
    const ob_dims *dims = ob_report_dims(report);
    ob_status status = ob_report_clause(report, index, &info);
    if (status != OB_OK) return status;
    fputs("{\"kind\":", out);
    print_json_string(out, info.kind);
    string_field(out, "text", info.text);
    string_field(out, "status", "condition");
    print_terms(out, "guard", dims, info.terms, info.n_guards);
    print_terms(out, "terms", dims, info.terms + info.n_guards, info.n_terms - info.n_guards);
    key(out, "symbols");
    for (size_t i = 0; i < info.n_symbols; i++) {
        putc(i ? ',' : '[', out);
        print_json_dim(out, dims, info.symbols[i]);
    }
    fputs(info.n_symbols ? "]" : "[]", out);
    print_sizes(out, "holds", dims, info.holds, info.n_holds);
    print_sizes(out, "fails", dims, info.fails, info.n_fails);
    print_sizes(out, "decides", dims, info.decides, info.n_decides);
    key(out, "repair");
    if (info.repair)
        print_place(out, info.repair);
    else
        fputs("null", out);
    key(out, "nodes");
    putc('[', out);
    for (size_t i = 0; i < info.n_origins; i++) {
        if (i) putc(',', out);
        print_place(out, &info.origins[i]);
    }
    fprintf(out, "],\"n_nodes\":%zu}", info.n_nodes);
    return OB_OK;
}

/* A side of a condition on values, or null. */
static void print_end(FILE *out, const char *name, const ob_dims *dims, ob_dim end) {
    key(out, name);
    if (end == OB_DIM_UNKNOWN)
        fputs("null", out);
    else
        print_json_dim(out, dims, end);
}

static ob_status print_bound(FILE *out, ob_report *report, size_t index) {
    ob_bound_info info;
    const ob_dims *dims = ob_report_dims(report);
    ob_status status = ob_report_bound(report, index, &info);
    if (status != OB_OK) return status;
    fputs("{\"text\":", out);
    print_json_string(out, info.text);
    string_field(out, "input", info.input);
    string_field(out, "dtype", ob_dtype_name(info.dtype));
    fprintf(out, ",\"rounded\":%s", info.is_rounded ? "true" : "false");
    key(out, "part");
    if (!info.first) fputs("null", out);
    for (int32_t axis = 0; info.first && axis < info.rank; axis++) {
        fputs(axis ? ",{\"first\":" : "[{\"first\":", out);
        print_json_dim(out, dims, info.first[axis]);
        print_end(out, "end", dims, info.end[axis]);
        putc('}', out);
    }
    if (info.first) fputs(info.rank > 0 ? "]" : "[]", out);
    print_end(out, "lowest", dims, info.lowest);
    print_end(out, "highest", dims, info.highest);
    key(out, "guard");
    for (size_t i = 0; i < info.n_guards; i++) {
        putc(i ? ',' : '[', out);
        print_json_dim(out, dims, info.guards[i]);
    }
    fputs(info.n_guards ? "]" : "[]", out);
    key(out, "nodes");
    putc('[', out);
    for (size_t i = 0; i < info.n_origins; i++) {
        if (i) putc(',', out);
        print_place(out, &info.origins[i]);
    }
    fprintf(out, "],\"n_requirements\":%zu}", info.n_requirements);
    return OB_OK;
}

static ob_status print_unverified(FILE *out, ob_report *report, size_t index) {
    ob_unverified_info info;
    ob_status status = ob_report_unverified(report, index, &info);
    if (status != OB_OK) return status;
    fputs("{\"reason\":", out);
    print_json_string(out, info.reason);
    key(out, "first");
    print_place(out, &info.first);
    string_field(out, "node", info.first.node);
    fprintf(out, ",\"n\":%zu}", info.n);
    return OB_OK;
}

static ob_status print_assumption(FILE *out, ob_report *report, size_t index) {
    ob_assumption_info info;
    ob_status status = ob_report_assumption(report, index, &info);
    if (status != OB_OK) return status;
    fputs("{\"text\":", out);
    print_json_string(out, info.text);
    string_field(out, "source", info.declared ? "declared" : "given");
    string_field(out, "value", info.value);
    putc('}', out);
    return OB_OK;
}

static ob_status print_limit(FILE *out, ob_report *report, size_t index) {
    return print_clause(out, report, ob_report_contract(report).n_clauses + index);
}

static ob_status print_examples(FILE *out, ob_report *report) {
    ob_example_info info;
    ob_status status;
    fputs(",\n\"examples\":[", out);
    for (size_t i = 0; (status = ob_report_example(report, i, &info)) == OB_OK; i++) {
        if (i) putc(',', out);
        print_size_map(out, ob_report_dims(report), info.sizes, info.n_sizes);
    }
    putc(']', out);
    return status == OB_E_NOT_FOUND ? OB_OK : status;
}

static ob_status print_json_contract(FILE *out, ob_report *report) {
    ob_contract_info contract = ob_report_contract(report);
    fputs(",\n\"contract\":{\"status\":", out);
    print_json_string(out, ob_contract_status_name(contract.status));
    ob_status status = print_list(out, "clauses", report, contract.n_clauses, print_clause);
    if (status == OB_OK) status = print_list(out, "limits", report, contract.n_limits, print_limit);
    if (status == OB_OK) status = print_examples(out, report);
    if (status == OB_OK) status = print_list(out, "values", report, contract.n_bounds, print_bound);
    if (status == OB_OK) status = print_list(out, "assumptions", report, contract.n_assumptions, print_assumption);
    if (status == OB_OK) status = print_list(out, "unverified", report, contract.n_unverified, print_unverified);
    fprintf(out, ",\n\"proved\":%zu,\"conditions\":%zu,\"refuted\":%zu,\"not_stated\":%zu,\"open_sizes\":%zu}", contract.n_proved,
            contract.n_conditions, contract.n_refuted, contract.n_open, contract.n_sizes);
    return status;
}

static void print_summary(FILE *out, const ob_report *report) {
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
    fputs(",\n\"summary\":{", out);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        fprintf(out, "%s\"%s\":%zu", i ? "," : "", counts[i].name, counts[i].n);
    fprintf(out, ",\"copied_bytes\":%" PRId64, s.copied_bytes);
    key(out, "copied_term");
    print_json_dim(out, ob_report_dims(report), s.copied_term);
    putc('}', out);
}

static void print_long_names(FILE *out, const ob_report *report) {
    fputs(",\n\"long_names\":[", out);
    for (size_t i = 0; i < ob_report_long_name_count(report); i++) {
        if (i) putc(',', out);
        print_json_string(out, ob_report_long_name(report, i));
    }
    putc(']', out);
}

ob_status print_report_json(FILE *out, const char *file, const ob_model *model, ob_report *report, ob_rules rules,
                            const independence_asked *independence) {
    fputs("{\"file\":", out);
    print_json_string(out, file);
    fprintf(out, ",\"ir_version\":%" PRId64 ",\"opsets\":{", ob_model_ir_version(model));
    for (size_t i = 0; i < ob_model_opset_count(model); i++) {
        ob_opset opset = ob_model_opset_at(model, i);
        if (i) putc(',', out);
        print_json_string(out, opset.domain);
        fprintf(out, ":%" PRId64, opset.version);
    }
    putc('}', out);
    string_field(out, "rules", ob_rules_name(rules));
    ob_report_shorten_names(report, true);
    ob_status status = print_list(out, "findings", report, ob_report_finding_count(report), print_finding);
    if (status == OB_OK) status = print_list(out, "broadcasts", report, ob_report_broadcast_count(report), print_broadcast);
    if (status == OB_OK) status = print_list(out, "conditions", report, ob_report_condition_count(report), print_condition);
    if (status == OB_OK) status = print_json_contract(out, report);
    if (status == OB_OK) status = print_list(out, "values", report, ob_report_value_count(report), print_value);
    if (ob_report_target_count(report) > 0) print_verdicts(out, report);
    print_summary(out, report);
    print_long_names(out, report);
    independence_print_json(out, independence);
    ob_report_shorten_names(report, false);
    fputs("}", out);
    return status;
}

void print_unread_json(FILE *out, const char *file, const ob_error *error) {
    fputs("{\"file\":", out);
    print_json_string(out, file);
    fputs(",\"error\":{\"status\":", out);
    print_json_string(out, ob_status_text(error->code));
    string_field(out, "message", error->message);
    fputs("}}", out);
}
