/* usage: generate_docs operators|requirements|findings|targets. Writes that page of docs/ to standard output, from ops.def,
 * requirements.def, findings.def or targets.def. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_broadcast/check.h"
#include "onnx_broadcast/target.h"
#include "ops/body/derivative.h"
#include "ops/infer/requirements.h"
#include "ops/kernel/kernel.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

/* ---- Operators ---- */

enum { MAX_OPERATORS = 1024 };

OB_RULE(none); /* what rows without a rule name */

static bool has_rule(const ob_op *op) {
    return op->infer && op->infer != ob__infer_none;
}

/* What a deprecated version had is of no use: it is refused. */
static bool runs(const ob_op *op) {
    return !op->deprecated && (ob__has_kernel(op) || ob__body_of(op));
}

static bool has_derivative(const ob_op *op) {
    return ob__derivative_of(op) != NULL;
}

static bool is_same_operator(const ob_op *a, const ob_op *b) {
    return strcmp(a->name, b->name) == 0 && strcmp(a->domain, b->domain) == 0;
}

/* Rows of one operator stand together in the table, oldest first; returns how many from `first` on. */
static size_t count_versions(size_t first) {
    size_t n = 1;
    while (first + n < ob__op_count() && is_same_operator(ob__op_at(first), ob__op_at(first + n))) n++;
    return n;
}

static const char *broadcast_text(ob_broadcast_kind kind) {
    switch (kind) {
    case OB_BCAST_NONE:
    case OB_BCAST_REPEAT: return "";
    case OB_BCAST_MULTI: return "all operands";
    case OB_BCAST_LEGACY: return "by attribute";
    case OB_BCAST_UNI: return "one way";
    case OB_BCAST_BATCH: return "batch axes";
    case OB_BCAST_EXPAND: return "to a shape";
    }
    return "";
}

/* How the newest version broadcasts and, where an older one differs, how that did. */
static void print_broadcast(size_t first, size_t n) {
    const ob_op *newest = ob__op_at(first + n - 1), *oldest = ob__op_at(first);
    printf("%s", broadcast_text(newest->broadcast));
    if (oldest->broadcast == newest->broadcast || oldest->broadcast == OB_BCAST_NONE) return;
    size_t since = 0;
    while (ob__op_at(first + since)->broadcast != newest->broadcast) since++;
    printf("; %s before %d", broadcast_text(oldest->broadcast), ob__op_at(first + since)->since);
}

/* "yes", "no", or the versions that have it. */
static void print_support(size_t first, size_t n, bool (*has)(const ob_op *op)) {
    size_t having = 0, n_valid = 0;
    for (size_t i = 0; i < n; i++) {
        having += has(ob__op_at(first + i));
        n_valid += !ob__op_at(first + i)->deprecated;
    }
    if (having == 0 || having >= n_valid) {
        printf("%s", having ? "yes" : "no");
        return;
    }
    const char *separator = "";
    for (size_t i = 0; i < n; i++) {
        const ob_op *op = ob__op_at(first + i);
        if (!has(op)) continue;
        printf("%s%d", separator, op->since);
        separator = ", ";
    }
}

static void print_operator(size_t first, size_t n) {
    const ob_op *op = ob__op_at(first), *newest = ob__op_at(first + n - 1);
    printf("| %s%s%s | ", op->domain, *op->domain ? "." : "", op->name);
    for (size_t i = 0; i < n; i++) {
        const ob_op *version = ob__op_at(first + i);
        printf("%s%d%s", i ? ", " : "", version->since, version->deprecated ? " (deprecated)" : "");
    }
    printf(" | ");
    print_broadcast(first, n);
    printf(" | ");
    print_support(first, n, has_rule);
    printf(" | ");
    print_support(first, n, runs);
    if (!ob__has_kernel(newest) && ob__body_of(newest)) printf(", as the body");
    if (newest->kernel && newest->kernel->libraries) printf(", by %s", newest->kernel->libraries);
    printf(" | ");
    print_support(first, n, has_derivative);
    printf(" |\n");
}

/* The operators of ai.onnx first, each domain by name. */
static int compare_names(const void *a, const void *b) {
    const ob_op *left = ob__op_at(*(const size_t *)a), *right = ob__op_at(*(const size_t *)b);
    int by_domain = strcmp(left->domain, right->domain);
    return by_domain ? by_domain : strcmp(left->name, right->name);
}

/* The first rows of the operators, sorted; returns how many. */
static size_t sort_operators(size_t firsts[MAX_OPERATORS]) {
    size_t n = 0;
    for (size_t i = 0; i < ob__op_count() && n < MAX_OPERATORS; i += count_versions(i)) firsts[n++] = i;
    qsort(firsts, n, sizeof firsts[0], compare_names);
    return n;
}

static void print_default(const ob_op_attribute *a) {
    if (a->type == OB_ATTR_INT) printf(" = %lld", (long long)a->i);
    if (a->type == OB_ATTR_FLOAT) printf(" = %.9g", (double)a->f);
    if (a->type == OB_ATTR_STRING) printf(" = \"%s\"", a->text);
    if (a->n) printf(" = [");
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->type == OB_ATTR_INTS) printf("%s%lld", i ? ", " : "", (long long)((const int64_t *)a->list)[i]);
        if (a->type == OB_ATTR_STRINGS) printf("%s\"%s\"", i ? ", " : "", ((const char *const *)a->list)[i]);
    }
    if (a->n) printf("]");
}

/* "`axis`: int = -1", what it may be behind it. */
static void print_attribute(const ob_op_attribute *a) {
    static const char *const types[OB_ATTR_COUNT] = {
        [OB_ATTR_FLOAT] = "float",    [OB_ATTR_INT] = "int",         [OB_ATTR_STRING] = "string",
        [OB_ATTR_TENSOR] = "tensor",  [OB_ATTR_GRAPH] = "graph",     [OB_ATTR_FLOATS] = "floats",
        [OB_ATTR_INTS] = "ints",      [OB_ATTR_STRINGS] = "strings", [OB_ATTR_SPARSE_TENSOR] = "sparse tensor",
        [OB_ATTR_TYPE_PROTO] = "type"};
    printf("`%s`: %s", a->name, types[a->type]);
    if (a->has_default) print_default(a);
    if (a->needed) printf(", required");
    if (a->one) printf(", one of them");
    if (a->least != a->most && a->most == INT64_MAX)
        printf(" (%lld or more)", (long long)a->least);
    else if (a->least != a->most)
        printf(" (%lld to %lld)", (long long)a->least, (long long)a->most);
    if (a->words) printf(" (%s)", a->words);
}

/* A line for each list of the operator, with the versions that have it. */
static void print_attributes(size_t first, size_t n) {
    for (size_t i = 0, end; i < n; i = end) {
        const ob_op *op = ob__op_at(first + i);
        for (end = i + 1; end < n && ob__op_at(first + end)->attributes == op->attributes;) end++;
        if (!op->attributes->name) continue;
        printf("| %s%s%s | ", op->domain, *op->domain ? "." : "", op->name);
        for (size_t k = i; k < end; k++) printf("%s%d", k > i ? ", " : "", ob__op_at(first + k)->since);
        printf(" | ");
        for (const ob_op_attribute *a = op->attributes; a->name; a++) {
            if (a > op->attributes) printf("; ");
            print_attribute(a);
        }
        printf(" |\n");
    }
}

static void print_operators(void) {
    size_t n_operators = 0, n_versions = 0, n_rules = 0, n_kernels = 0, n_bodies = 0;
    for (size_t i = 0; i < ob__op_count(); i += count_versions(i)) n_operators++;
    for (size_t i = 0; i < ob__op_count(); i++) {
        n_versions++;
        n_rules += has_rule(ob__op_at(i));
        n_kernels += runs(ob__op_at(i)) && ob__has_kernel(ob__op_at(i));
        n_bodies += runs(ob__op_at(i)) && !ob__has_kernel(ob__op_at(i));
    }
    printf(
        "# Operators\n\n"
        "Generated from `ops/*/family.def` by `./dev docs`. Do not edit.\n\n"
        "%zu operators in %zu versions; %zu versions have a shape rule, %zu have a kernel, and %zu more run as their body, the\n"
        "operators by which the specification defines them. A version is an opset that changed the operator. An operator without "
        "a\n"
        "shape rule gives unknown shapes and a note. An operator with neither kernel nor body is refused by name when a session "
        "is\n"
        "created. Gradient passes through operators with a derivative, and through others whose body consists of such "
        "operators.\n"
        "\n"
        "| Operator | Versions | Broadcasts | Shape rule | Runs | Derivative |\n"
        "|---|---|---|---|---|---|\n",
        n_operators, n_versions, n_rules, n_kernels, n_bodies);
    size_t firsts[MAX_OPERATORS], n_firsts = sort_operators(firsts);
    for (size_t i = 0; i < n_firsts; i++) print_operator(firsts[i], count_versions(firsts[i]));
    printf("\n## Attributes\n\n"
           "Generated from `ops/*/attributes.def`. An attribute that is not listed for the version, has another type, or a value "
           "that is not\n"
           "among those in brackets is an error (OB0602), and the model does not run. An attribute without a default may be "
           "absent; the\n"
           "specification of the operator then tells the effect. Names that begin with `__` are ignored. Operators and versions "
           "that are not\n"
           "listed have no attributes.\n"
           "\n"
           "| Operator | Versions | Attributes |\n"
           "|---|---|---|\n");
    for (size_t i = 0; i < n_firsts; i++) print_attributes(firsts[i], count_versions(firsts[i]));
}

/* ---- Requirements ---- */

static void print_kinds(unsigned kinds) {
    static const char *const names[] = {"equal", "broadcasts with", "broadcasts to", "multiple of", "at least"};
    const char *separator = "";
    for (size_t kind = 0; kind < sizeof names / sizeof names[0]; kind++) {
        if (!(kinds >> kind & 1)) continue;
        printf("%s%s", separator, names[kind]);
        separator = ", ";
    }
    if (kinds & OB_ASKS_VALUES) printf("%svalues", separator);
}

static void print_requirements(void) {
    printf("# What operators require\n\n"
           "Generated from `ops/*/requirements.def` and `ops/*/family.def` by `./dev docs`. Do not edit.\n\n"
           "This page lists, for the newest version of each operator, the requirements of its shape rule on sizes and on small\n"
           "contents (the elements of small integer operands, such as a target shape), and the kinds of conditions that follow.\n"
           "Each requirement is proved, becomes a condition or an error, or is unverified with a reason (data decide it, or a\n"
           "rank is not known). `values` marks requirements on elements, which are stated on the elements of the model's inputs\n"
           "if inference can follow them that far. A requirement inside a branch, the body of a loop or a part of the data\n"
           "matters only if it is reached. Ranks, attributes and element types have requirements too, which do not depend on\n"
           "sizes.\n"
           "\n"
           "| Operator | Requires | Conditions |\n"
           "|---|---|---|\n");
    size_t firsts[MAX_OPERATORS], n_firsts = sort_operators(firsts);
    for (size_t i = 0; i < n_firsts; i++) {
        const ob_op *op = ob__op_at(firsts[i] + count_versions(firsts[i]) - 1);
        const ob_rule_asks *asks = ob__rule_asks(op->infer);
        printf("| %s%s%s | %s | ", op->domain, *op->domain ? "." : "", op->name, asks ? asks->text : "?");
        if (asks) print_kinds(asks->kinds);
        printf(" |\n");
    }
}

/* ---- Findings ---- */

static void print_findings(void) {
    static const char *const severities[] = {"", "note", "warning", "error"};
    printf(
        "# Findings\n\n"
        "Generated from `core/base/findings.def` by `./dev docs`. Do not edit. `onnx-broadcast-check --explain OB0101` prints an "
        "entry.\n"
        "The severity is the default one; a rule book (`--rules`) may differ.\n");
    for (size_t i = 0; i < ob_finding_doc_count(); i++) {
        ob_finding_doc doc = ob_finding_doc_at(i);
        printf("\n## %s: %s\n\n%s. %s\n", doc.id, doc.title, severities[doc.severity], doc.text);
    }
}

/* ---- Deployment targets ---- */

static void print_targets(void) {
    printf(
        "# Deployment targets\n\n"
        "Generated from `passes/target/targets/` by `./dev docs`. Do not edit.\n"
        "\n"
        "`onnx-broadcast-check --target NAME` compares every broadcast of a model with these rules, and `-o OUT --emit "
        "target:NAME`\n"
        "writes the weakest form that the target accepts. Of several rows about one question, the first that names an operator\n"
        "holds. A question without a row is not known: reports say so, and never that the target accepts the node. Rows from\n"
        "memory count as not known.\n"
        "\n"
        "What a target does with a node that breaks a rule, from the worst to the mildest: `wrong` computes wrong numbers,\n"
        "`undefined` overwrites memory, `abort` ends the process, `refuse` does not accept the model, `fail` ends a run with a\n"
        "message, `not known`, `fallback` leaves the node to another processor, `slow` takes a path that is not optimized.\n"
        "\n"
        "Axis 0 counts as the batch, and axis 1 as the channels.\n");
    for (size_t t = 0; t < ob_target_count(); t++) {
        ob_target_info target = ob_target_at(t);
        printf("\n## %s\n\n%s. Rules of: %s.\n\n", target.name, target.title, target.version);
        printf("| Operators | Question | Answer | Otherwise | Confidence | Source |\n|---|---|---|---|---|---|\n");
        for (size_t i = 0; i < target.n_rules; i++) {
            ob_target_row row = ob_target_row_at(t, i);
            printf("| %s | %s | %s | %s | %s | %s |\n", row.operators, row.what, row.value,
                   row.effect == OB_EFFECT_NONE ? "" : ob_effect_name(row.effect), row.confidence, row.source);
        }
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "operators") == 0) {
        print_operators();
    } else if (argc == 2 && strcmp(argv[1], "requirements") == 0) {
        print_requirements();
    } else if (argc == 2 && strcmp(argv[1], "findings") == 0) {
        print_findings();
    } else if (argc == 2 && strcmp(argv[1], "targets") == 0) {
        print_targets();
    } else {
        fprintf(stderr, "usage: generate_docs operators|requirements|findings|targets\n");
        return 2;
    }
    return ferror(stdout) || fflush(stdout) != 0;
}
