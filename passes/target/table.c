#include "passes/target/target.h"

#include <stdio.h>
#include <string.h>

/* The columns of targets.def. */
#define OB_CLASS_BIT(name, text) name = 1u << OB_CLASS_##name,
enum {
    OB_OP_CLASS_LIST(OB_CLASS_BIT) ALL = (1u << OB_CLASS_COUNT) - 1,
    /* operators of two operands that combine elements */
    ARITHMETIC = ADD | SUB | MUL | DIV,
    COMPARISONS = EQUAL | COMPARE,
    BINARY = ARITHMETIC | POW | MOD | MINMAX | COMPARISONS | LOGICAL | BITWISE | SHIFT,
    VARIABLE = 1u << 31
};
#undef OB_CLASS_BIT

#define OPERATOR(answer_)    .what = OB_WHAT_OPERATOR, .answer = OB_ANSWER_##answer_
#define OLD_FORM(answer_)    .what = OB_WHAT_OLD_FORM, .answer = OB_ANSWER_##answer_
#define OPEN(answer_)        .what = OB_WHAT_OPEN, .answer = OB_ANSWER_##answer_
#define ZERO(answer_)        .what = OB_WHAT_ZERO, .answer = OB_ANSWER_##answer_
#define INPUTS(number_)      .what = OB_WHAT_INPUTS, .number = number_
#define CONSTANT(answer_)    .what = OB_WHAT_CONSTANT, .answer = OB_CONSTANT_##answer_
#define TYPES(types_)        .what = OB_WHAT_TYPES, .types = types_
#define RANK(number_, scope) .what = OB_WHAT_RANK, .answer = OB_RANK_##scope, .number = number_
#define RANKS(answer_)       .what = OB_WHAT_RANKS, .answer = OB_RANKS_##answer_
#define RANKS_EXACTLY(n)     .what = OB_WHAT_RANKS, .answer = OB_RANKS_EXACTLY, .number = n
#define STRETCH(answer_)     .what = OB_WHAT_STRETCH, .answer = OB_STRETCH_##answer_
#define AXES(answer_)        .what = OB_WHAT_AXES, .answer = OB_AXES_##answer_

#define F64        OB_T(DOUBLE)
#define F32        OB_T(FLOAT)
#define F16        OB_T(FLOAT16)
#define BF16       OB_T(BFLOAT16)
#define I8         OB_T(INT8)
#define I16        OB_T(INT16)
#define I32        OB_T(INT32)
#define I64        OB_T(INT64)
#define U8         OB_T(UINT8)
#define U16        OB_T(UINT16)
#define U32        OB_T(UINT32)
#define U64        OB_T(UINT64)
#define BOOL       OB_T(BOOL)
#define EVERY_TYPE (((UINT64_C(1) << OB_DTYPE_COUNT) - 1) & ~UINT64_C(1))

#define OB_TARGET(name_, title_, version_) {.target = name_, .title = title_, .version = version_},
#define OB_ACCEPTS(classes_, answer_, effect_, confidence_, source_)                                                             \
    {.classes = (classes_)&ALL,                                                                                                  \
     .spares_constants = ((classes_)&VARIABLE) != 0,                                                                             \
     answer_,                                                                                                                    \
     .effect = OB_EFFECT_##effect_,                                                                                              \
     .confidence = OB_FROM_##confidence_,                                                                                        \
     .source = source_},

static const ob_target_rule table[] = {
#include "passes/target/targets.def"
};

enum { N_ROWS = sizeof table / sizeof *table };

bool ob__target_at(size_t index, ob_target *out) {
    size_t row = 0;
    while (row < N_ROWS && (!table[row].target || index-- > 0)) row++;
    if (row == N_ROWS) return false;
    *out = (ob_target){.head = &table[row], .rules = &table[row] + 1};
    while (row + 1 + out->n_rules < N_ROWS && !out->rules[out->n_rules].target) out->n_rules++;
    return true;
}

const ob_target_rule *ob__target_rule(const ob_target *target, ob_what what, ob_op_class of) {
    for (size_t i = 0; i < target->n_rules; i++)
        if (target->rules[i].what == what && target->rules[i].classes >> of & 1) return &target->rules[i];
    return NULL;
}

const char *ob__what_text(ob_what what) {
    static const char *const texts[] = {
#define OB_WHAT_TEXT(name, text) text,
        OB_WHAT_LIST(OB_WHAT_TEXT)
#undef OB_WHAT_TEXT
    };
    return what < OB_WHAT_COUNT ? texts[what] : "";
}

/* ---- Rows as text ---- */

static void print_classes(const ob_target_rule *rule, char *text, size_t n) {
    size_t at = 0;
    if (rule->classes == ALL) at = (size_t)snprintf(text, n, "all");
    for (int of = 0; of < OB_CLASS_COUNT && rule->classes != ALL && at < n; of++)
        if (rule->classes >> of & 1)
            at += (size_t)snprintf(text + at, n - at, at ? "; %s" : "%s", ob__op_class_text((ob_op_class)of));
    if (rule->spares_constants && at < n) snprintf(text + at, n - at, ", without a constant operand");
}

static void print_types(ob_types types, char *text, size_t n) {
    size_t at = 0;
    ob_types without = EVERY_TYPE & ~types;
    bool except = __builtin_popcountll(without) < __builtin_popcountll(types);
    if (except) {
        types = without;
        at = (size_t)snprintf(text, n, "all except");
    }
    for (int i = 0; i < OB_DTYPE_COUNT && at < n; i++)
        if (types >> i & 1) at += (size_t)snprintf(text + at, n - at, at ? " %s" : "%s", ob_dtype_name((ob_dtype)i));
}

static void print_value(const ob_target_rule *rule, char *text, size_t n) {
    static const char *const answers[] = {"no", "yes", "not 0 with 1"};
    static const char *const constants[] = {"one operand", "the second operand"};
    static const char *const scopes[] = {"", ", where operands differ in shape", ", after merging neighbours", " larger than 1"};
    static const char *const ranks[] = {"free", "equal", "equal, or a scalar condition", "exactly",
                                        "one for each normalized axis"};
    static const char *const stretches[] = {"any",  "one, not two",       "not the first",
                                            "none", "a scalar condition", "not both branches of Where on one axis"};
    static const char *const axes[] = {"any",
                                       "all but the last ones",
                                       "all but a block of neighbours",
                                       "not axis 0",
                                       "all (one element)",
                                       "all, or all but axis 1",
                                       "all, or all but axis 1 or the last",
                                       "all but the last",
                                       "all but the last, or only the last",
                                       "a vector as long as axis 1 is ambiguous"};
    switch ((ob_what)rule->what) {
    case OB_WHAT_OPERATOR:
    case OB_WHAT_OLD_FORM:
    case OB_WHAT_OPEN:
    case OB_WHAT_ZERO: snprintf(text, n, "%s", answers[rule->answer]); break;
    case OB_WHAT_INPUTS:
        if (rule->number == 0)
            snprintf(text, n, "no limit");
        else
            snprintf(text, n, "%d", (int)rule->number);
        break;
    case OB_WHAT_CONSTANT: snprintf(text, n, "%s", constants[rule->answer]); break;
    case OB_WHAT_TYPES: print_types(rule->types, text, n); break;
    case OB_WHAT_RANK:
        if (rule->number == 0)
            snprintf(text, n, "no limit");
        else
            snprintf(text, n, "%d%s", (int)rule->number, scopes[rule->answer]);
        break;
    case OB_WHAT_RANKS:
        if (rule->answer == OB_RANKS_EXACTLY)
            snprintf(text, n, "exactly %d", (int)rule->number);
        else
            snprintf(text, n, "%s", ranks[rule->answer]);
        break;
    case OB_WHAT_STRETCH: snprintf(text, n, "%s", stretches[rule->answer]); break;
    case OB_WHAT_AXES: snprintf(text, n, "%s", axes[rule->answer]); break;
    case OB_WHAT_COUNT: break;
    }
}

void ob__target_row(const ob_target *target, const ob_target_rule *rule, ob_target_row *out) {
    static const char *const confidences[] = {"source code", "documentation", "thread", "memory"};
    *out = (ob_target_row){.target = target->head->target,
                           .what = ob__what_text((ob_what)rule->what),
                           .effect = (ob_effect)rule->effect,
                           .confidence = confidences[rule->confidence],
                           .source = rule->source};
    print_value(rule, out->value, sizeof out->value);
    print_classes(rule, out->operators, sizeof out->operators);
}

/* ---- Public ---- */

const char *ob_effect_name(ob_effect effect) {
    static const char *const names[] = {
#define OB_EFFECT_NAME(name, text, sentence) text,
        OB_EFFECT_LIST(OB_EFFECT_NAME)
#undef OB_EFFECT_NAME
    };
    return (int)effect >= 0 && effect < OB_EFFECT_COUNT ? names[effect] : "";
}

size_t ob_target_count(void) {
    size_t n = 0;
    for (size_t i = 0; i < N_ROWS; i++) n += table[i].target != NULL;
    return n;
}

ob_target_info ob_target_at(size_t index) {
    ob_target target;
    if (!ob__target_at(index, &target)) return (ob_target_info){0};
    return (ob_target_info){target.head->target, target.head->title, target.head->version, target.n_rules};
}

size_t ob_target_find(const char *name) {
    ob_target target;
    for (size_t i = 0; name && ob__target_at(i, &target); i++)
        if (strcmp(target.head->target, name) == 0) return i;
    return SIZE_MAX;
}

ob_target_row ob_target_row_at(size_t target, size_t rule) {
    ob_target found;
    ob_target_row row = {0};
    if (ob__target_at(target, &found) && rule < found.n_rules) ob__target_row(&found, &found.rules[rule], &row);
    return row;
}
