/* The rule books: the verdict of each on a broadcast that NumPy allows. Small tables over the same facts. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/finding.h"
#include "core/dims/terms.h"
#include "onnx_broadcast/broadcast.h"

static const char *const names[OB_RULES_COUNT] = {
#define OB_RULES_TEXT(name, text) text,
    OB_RULES_LIST(OB_RULES_TEXT)
#undef OB_RULES_TEXT
};

const char *ob_rules_name(ob_rules rules) {
    return (unsigned)rules < OB_RULES_COUNT ? names[rules] : "unknown";
}

ob_rules ob_rules_from_name(const char *name) {
    for (int i = 0; name && i < OB_RULES_COUNT; i++)
        if (strcmp(names[i], name) == 0) return (ob_rules)i;
    return OB_RULES_COUNT;
}

/* ---- The facts ---- */

typedef struct facts {
    const ob_shape *operands;
    size_t n;
    const ob_shape *declared; /* or NULL */
    ob_dims *pool;
    ob_broadcast_result result; /* rank unknown if no operand has a rank */
    ob_rule_sink sink;
    void *context;
} facts;

typedef enum departure {
    RANKS_DIFFER,      /* neither a scalar nor of the result's rank, and without a mapping of its axes */
    ZERO_MEETS_ONE,    /* 0 with 1: NumPy gives 0, a maximum would give 1 */
    ZERO_SIZE,         /* a size of 0, with any other size */
    UNDECIDED,         /* a condition that the text leaves to the programmer */
    DECLARED_RANK,     /* the declared result has another rank */
    DECLARED_NARROWER, /* static, but the operands give a dynamic size */
    DECLARED_DIFFERENT /* another static size */
} departure;

typedef struct rule {
    ob_rules rules;
    departure what;
    ob_finding_id id;
} rule;

/* One row for each difference that a rule book knows; everything else is allowed. */
static const rule rows[] = {
    {OB_RULES_MLIR, DECLARED_RANK, OB0301},      {OB_RULES_MLIR, DECLARED_NARROWER, OB0302},
    {OB_RULES_MLIR, DECLARED_DIFFERENT, OB0303}, {OB_RULES_MLIR, UNDECIDED, OB0304},
    {OB_RULES_MLIR, ZERO_SIZE, OB0305},          {OB_RULES_XLA, RANKS_DIFFER, OB0311},
    {OB_RULES_XLA, ZERO_MEETS_ONE, OB0312},      {OB_RULES_SONNX, ZERO_MEETS_ONE, OB0321},
};

static const rule *find_rule(ob_rules rules, departure what) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].rules == rules && rows[i].what == what) return &rows[i];
    return NULL;
}

static void report(const facts *f, const rule *row, size_t operand, int32_t axis, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static void report(const facts *f, const rule *row, size_t operand, int32_t axis, const char *format, ...) {
    const ob_finding_row *found = ob__finding_row(row->id);
    ob_rule_break broken = {.severity = found->severity, .id = found->name, .operand = operand, .axis = axis};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(broken.message, sizeof broken.message, format, arguments);
    va_end(arguments);
    f->sink(f->context, &broken);
}

/* ---- Departures ---- */

static int32_t highest_rank(const facts *f) {
    int32_t rank = 0;
    for (size_t i = 0; i < f->n; i++)
        if (f->operands[i].rank > rank) rank = f->operands[i].rank;
    return rank;
}

static void check_ranks(const facts *f, const rule *row) {
    int32_t rank = highest_rank(f);
    for (size_t i = 0; row && i < f->n; i++) {
        int32_t own = f->operands[i].rank;
        if (own > 0 && own < rank)
            report(f, row, i, -1, "operand %zu has rank %d and the result rank %d: this needs an explicit mapping", i, (int)own,
                   (int)rank);
    }
}

static void check_zeros(const facts *f, const rule *meets_one, const rule *any) {
    int32_t rank = highest_rank(f);
    for (int32_t axis = 0; axis < rank; axis++) {
        size_t zero = SIZE_MAX, one = SIZE_MAX;
        for (size_t i = f->n; i-- > 0;) {
            const ob_shape *shape = &f->operands[i];
            if (shape->rank < 0) continue;
            int32_t k = axis - (rank - shape->rank);
            ob_dim d = k < 0 ? 1 : shape->dims[k];
            if (d == 0) zero = i;
            if (d == 1) one = i;
        }
        if (zero == SIZE_MAX) continue;
        if (any) report(f, any, zero, axis, "axis %d: operand %zu has size 0, which the text does not classify", (int)axis, zero);
        if (meets_one && one != SIZE_MAX)
            report(f, meets_one, zero, axis, "axis %d: 0 (operand %zu) meets 1 (operand %zu): the maximum is 1, not 0", (int)axis,
                   zero, one);
    }
}

static void check_declared(const facts *f, const rule *of_rank, const rule *narrower, const rule *different) {
    const ob_shape *declared = f->declared;
    if (!declared || declared->rank < 0 || f->result.rank < 0) return;
    if (declared->rank != f->result.rank) {
        if (of_rank)
            report(f, of_rank, SIZE_MAX, -1, "the operands give rank %d, the result is declared with rank %d",
                   (int)f->result.rank, (int)declared->rank);
        return;
    }
    for (int32_t i = 0; i < declared->rank; i++) {
        ob_dim here = f->result.dims[i], there = declared->dims[i];
        if (!ob_dim_is_const(there) || here == there) continue;
        const rule *row = ob_dim_is_const(here) ? different : narrower;
        char inferred[64];
        ob__dim_shown(f->pool, here, inferred, sizeof inferred);
        if (row)
            report(f, row, SIZE_MAX, i, "axis %d: the operands give %s, the result is declared as %lld", (int)i, inferred,
                   (long long)there);
    }
}

/* ---- The check ---- */

typedef struct condition_reporter {
    const facts *f;
    const rule *row;
} condition_reporter;

static ob_status report_condition(void *context, const ob_condition *condition, size_t operand, int32_t axis) {
    const condition_reporter *reporter = context;
    char text[160];
    ob__condition_shown(reporter->f->pool, condition, text, sizeof text);
    report(reporter->f, reporter->row, operand, axis, "axis %d: undefined behaviour unless %s", (int)axis, text);
    return OB_OK;
}

ob_status ob_rules_check(ob_rules rules, const ob_shape *operands, size_t n, const ob_shape *declared, ob_dims *pool,
                         ob_rule_sink sink, void *context, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF((unsigned)rules >= OB_RULES_COUNT || !sink || (n > 0 && !operands), error, OB_E_ARGUMENT,
               "no such rule book, no operands or no sink given");
    OB_FAIL_IF(declared && (declared->rank < OB_RANK_UNKNOWN || (declared->rank > 0 && !declared->dims)), error, OB_E_ARGUMENT,
               "the declared shape is malformed");
    facts f = {.operands = operands, .n = n, .declared = declared, .pool = pool, .sink = sink, .context = context};
    f.result.rank = OB_RANK_UNKNOWN;
    /* MLIR's inference differs from the others only in that it ignores operands of unknown rank.
     */
    if (n > 0) OB_TRY(ob_broadcast_mlir(operands, n, pool, NULL, NULL, &f.result, error));
    condition_reporter reporter = {&f, find_rule(rules, UNDECIDED)};
    if (n > 0 && reporter.row) OB_TRY(ob_broadcast_mlir(operands, n, pool, report_condition, &reporter, &f.result, error));
    check_ranks(&f, find_rule(rules, RANKS_DIFFER));
    check_zeros(&f, find_rule(rules, ZERO_MEETS_ONE), find_rule(rules, ZERO_SIZE));
    check_declared(&f, find_rule(rules, DECLARED_RANK), find_rule(rules, DECLARED_NARROWER),
                   find_rule(rules, DECLARED_DIFFERENT));
    return OB_OK;
}
