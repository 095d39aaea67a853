/* Every row of every deployment target: a node that keeps it and one that breaks it, for each class of operators of the row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/dims/shape.h"
#include "core/dims/terms.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "passes/target/target.h"

enum { OPERANDS = 4, AXES = 40 };

/* A node, built from texts such as "2 3|1 3". "" is a scalar, N an open size. The first operand is whole, unless the test needs
 * another one. */
typedef struct built {
    ob_target_node node;
    ob_shape shapes[OPERANDS];
    ob_dim dims[OPERANDS][AXES], result[AXES];
    bool constants[OPERANDS];
} built;

static ob_dims *pool;

static void add_shape(built *b, const char *text) {
    ob_shape *shape = &b->shapes[b->node.n];
    shape->dims = b->dims[b->node.n++];
    for (shape->rank = 0; *text && *text != '|'; text += strspn(text, " ")) {
        b->dims[b->node.n - 1][shape->rank++] = *text == 'N' ? ob_dim_symbol(pool, "N") : strtol(text, NULL, 10);
        text += strcspn(text, " |");
    }
}

static void build(built *b, ob_op_class of, const char *text) {
    memset(b, 0, sizeof *b);
    b->node = (ob_target_node){.of = of, .shapes = b->shapes, .constant = b->constants, .n_axes = -1, .dtype = OB_FLOAT};
    for (const char *at = text; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) add_shape(b, at);
    /* The naive result: along each axis the size that is not 1. */
    int32_t rank = 0;
    for (uint32_t i = 0; i < b->node.n; i++)
        if (b->shapes[i].rank > rank) rank = b->shapes[i].rank;
    for (int32_t axis = 0; axis < rank; axis++) {
        b->result[axis] = 1;
        for (uint32_t i = 0; i < b->node.n; i++) {
            int32_t own = axis - (rank - b->shapes[i].rank);
            if (own >= 0 && b->dims[i][own] != 1) b->result[axis] = b->dims[i][own];
        }
    }
    b->node.result = (ob_shape){rank, b->result};
    if (of == OB_CLASS_MATMUL) b->node.n_fixed_axes = 2;
    if ((of == OB_CLASS_EXPAND || of == OB_CLASS_GEMM) && b->node.n == 2) { /* the operand that is stretched */
        b->shapes[0] = b->shapes[1];
        b->node.n = 1;
    }
}

/* "2 2 2|FIRST 2 2": two operands of this rank; the second begins with `first`, then alternates if asked. */
static const char *of_rank(int rank, bool alternates, const char *first) {
    static char text[8 * AXES];
    char *at = text;
    for (int i = 0; i < rank; i++) at += sprintf(at, "2 ");
    *at++ = '|';
    for (int i = 0; i < rank; i++) at += sprintf(at, "%s ", i == 0 ? first : alternates && i % 2 == 0 ? "1" : "2");
    return text;
}

/* The example of a question and answer, that keeps it or breaks it. NULL: there is none. */
static const char *example(const ob_target_rule *rule, bool broken) {
    int n = rule->number + broken;
    switch (rule->what) {
    case OB_WHAT_OPERATOR: return broken ? "2 3|1 3" : NULL;
    case OB_WHAT_OLD_FORM:
    case OB_WHAT_CONSTANT:
    case OB_WHAT_TYPES: return "2 3|1 3";
    case OB_WHAT_INPUTS: return n == 2 ? "2|1" : n == 3 ? "2|1|1" : NULL;
    case OB_WHAT_OPEN: return broken ? "N 3|1 3" : "2 3|1 3";
    case OB_WHAT_ZERO:
        if (rule->answer == OB_ANSWER_MISHANDLED) return broken ? "2 0|2 1" : "2 0|1 0";
        return broken ? "2 0|1 0" : "2 3|1 3";
    case OB_WHAT_RANK:
        return of_rank(n, rule->answer == OB_RANK_MERGED,
                       rule->answer == OB_RANK_STRETCHING || rule->answer == OB_RANK_MERGED ? "1" : "2");
    case OB_WHAT_RANKS:
        switch (rule->answer) {
        case OB_RANKS_EQUAL: return broken ? "2 3|3" : "2 3|1 3";
        case OB_RANKS_SCALAR_CONDITION: return broken ? "3|2 3|2 3" : "|2 3|2 3";
        case OB_RANKS_EXACTLY: return of_rank(n, false, "2");
        case OB_RANKS_AXES: return broken ? "2 3 4|1 1 4" : "2 3 4|4";
        default: return NULL;
        }
    case OB_WHAT_STRETCH:
        switch (rule->answer) {
        case OB_STRETCH_ONE: return broken ? "1 3 4 4|2 1 4 4" : "2 3 4 4|1 3 4 4";
        case OB_STRETCH_RIGHT: return broken ? "1 3 4 4|2 3 4 4" : "2 3 4 4|1 3 4 4";
        case OB_STRETCH_NONE: return broken ? "2 3 4 4|1 3 4 4" : "2 3 4 4|2 3 4 4";
        case OB_STRETCH_SCALAR_CONDITION: return broken ? "1 3|2 3|2 3" : "|2 3|2 3";
        case OB_STRETCH_BRANCHES: return broken ? "2 3|1 3|1 3" : "1 3|2 3|2 1";
        default: return NULL;
        }
    case OB_WHAT_AXES:
        switch (rule->answer) {
        case OB_AXES_SUFFIX: return broken ? "2 3 4|2 3 1" : "2 3 4|3 4";
        case OB_AXES_BLOCK: return broken ? "2 3 4|2 1 4" : "2 3 4|3 1";
        case OB_AXES_NOT_BATCH: return broken ? "2 3 4|1 3 4" : "2 3 4|2 1 4";
        case OB_AXES_SCALAR: return broken ? "2 3 4|4" : "2 3 4|1 1";
        case OB_AXES_CHANNEL: return broken ? "2 3 4|4" : "2 3 4|3 1";
        case OB_AXES_ONE: return broken ? "2 3 4|2 3 1" : "2 3 4|4";
        case OB_AXES_LAST: return broken ? "2 3 4|3 1" : "2 3 4|1 4";
        case OB_AXES_ENDS: return broken ? "2 3 4 5|2 3 1 5" : "2 3 4 5|2 3 4 1";
        case OB_AXES_NO_CHANNEL_VECTOR: return broken ? "2 3 4 3|3" : "2 3 4 3|1 3";
        default: return NULL;
        }
    default: return NULL;
    }
}

/* The answer permits everything. */
static bool permits_all(const ob_target_rule *rule) {
    switch (rule->what) {
    case OB_WHAT_OPERATOR:
    case OB_WHAT_OLD_FORM:
    case OB_WHAT_OPEN:
    case OB_WHAT_ZERO: return rule->answer == OB_ANSWER_YES;
    case OB_WHAT_INPUTS:
    case OB_WHAT_RANK: return rule->number == 0;
    case OB_WHAT_RANKS: return rule->answer == OB_RANKS_FREE;
    case OB_WHAT_STRETCH: return rule->answer == OB_STRETCH_BOTH;
    case OB_WHAT_AXES: return rule->answer == OB_AXES_ANY;
    default: return false;
    }
}

static const ob_target_issue *issue_of(const ob_target *target, const built *b, uint8_t what) {
    static ob_target_issue issues[OB_WHAT_COUNT];
    size_t n = ob__target_judge(target, &b->node, issues);
    for (size_t i = 0; i < n; i++)
        if (issues[i].what == what) return &issues[i];
    return NULL;
}

static void expect(const ob_target *target, const ob_target_rule *rule, ob_op_class of, built *b, bool broken, const char *text) {
    const ob_target_issue *issue = issue_of(target, b, rule->what);
    bool memory = rule->confidence == OB_FROM_MEMORY;
    bool right = memory   ? issue && issue->holds == OB_TRUE && !issue->rule
                 : broken ? issue && issue->holds == OB_FALSE && issue->rule == rule
                          : !issue;
    if (!right)
        fail_msg("%s, %s of %s: \"%s\" %s", target->head->target, ob__what_text(rule->what), ob__op_class_text(of), text,
                 broken ? "should break it" : "should keep it");
}

static size_t n_tried;

static void try_class(const ob_target *target, const ob_target_rule *rule, ob_op_class of) {
    built b;
    for (int broken = 0; broken < 2; broken++) {
        const char *text = example(rule, broken);
        if (!text) continue;
        if (of == OB_CLASS_GEMM && rule->what == OB_WHAT_RANK)
            text = broken ? of_rank(rule->number + 1, false, "2") : of_rank(rule->number, false, "2");
        build(&b, of, text);
        b.node.n_axes = 1;
        b.node.old_form = rule->what == OB_WHAT_OLD_FORM && broken;
        if (rule->what == OB_WHAT_CONSTANT && !broken) b.constants[rule->answer == OB_CONSTANT_RIGHT] = true;
        for (int i = 1; rule->what == OB_WHAT_TYPES && i < OB_DTYPE_COUNT; i++) {
            b.node.dtype = (ob_dtype)i;
            bool in = rule->types >> i & 1;
            if (in != broken) expect(target, rule, of, &b, broken, ob_dtype_name((ob_dtype)i));
        }
        if (rule->what != OB_WHAT_TYPES) expect(target, rule, of, &b, broken, text);
        n_tried++;
    }
}

static bool absent(const ob_target *target, ob_op_class of) {
    const ob_target_rule *rule = ob__target_rule(target, OB_WHAT_OPERATOR, of);
    return rule && rule->answer == OB_ANSWER_NO;
}

static void test_every_row(void **state) {
    (void)state;
    ob_target target;
    for (size_t t = 0; ob__target_at(t, &target); t++)
        for (size_t i = 0; i < target.n_rules; i++) {
            const ob_target_rule *rule = &target.rules[i];
            size_t before = n_tried;
            bool applies = false;
            for (int of = 0; of < OB_CLASS_COUNT; of++) {
                if (ob__target_rule(&target, rule->what, (ob_op_class)of) != rule) continue;
                applies = true;
                if (permits_all(rule) || (rule->what != OB_WHAT_OPERATOR && absent(&target, (ob_op_class)of))) continue;
                try_class(&target, rule, (ob_op_class)of);
            }
            if (!applies) fail_msg("%s, row %zu: earlier rows name all its operators", target.head->target, i);
            if (!permits_all(rule) && n_tried == before) fail_msg("%s, row %zu has no example", target.head->target, i);
        }
    assert_true(n_tried > 500);
}

/* A row that permits everything has no effect and any other row has one; every row has a source with a commit, version or date.
 */
static void test_rows_are_complete(void **state) {
    (void)state;
    ob_target target;
    size_t n = 0;
    for (size_t t = 0; ob__target_at(t, &target); t++, n++) {
        assert_true(target.n_rules > 0 && target.head->title[0] && target.head->version[0]);
        for (size_t i = 0; i < target.n_rules; i++) {
            const ob_target_rule *rule = &target.rules[i];
            ob_target_row row = ob_target_row_at(t, i);
            if (!permits_all(rule) && rule->effect == OB_EFFECT_NONE) fail_msg("%s, row %zu: no effect", row.target, i);
            if (permits_all(rule) && rule->effect != OB_EFFECT_NONE) fail_msg("%s, row %zu: an effect", row.target, i);
            assert_string_equal(row.target, target.head->target);
            assert_true(row.what[0] && row.value[0] && row.operators[0] && row.confidence[0]);
            if (rule->confidence != OB_FROM_MEMORY && !strpbrk(row.source, "0123456789"))
                fail_msg("%s, row %zu: \"%s\" is no source", row.target, i, row.source);
            assert_true(strlen(row.value) < sizeof row.value - 1 && strlen(row.operators) < sizeof row.operators - 1);
        }
    }
    assert_int_equal(n, ob_target_count());
    assert_true(n >= 30);
    assert_null(ob_target_at(n).name);
    assert_null(ob_target_row_at(n, 0).what);
    assert_null(ob_target_row_at(0, 10000).what);
    assert_true(ob_target_find("tosa-8k") == 0 && ob_target_find("tosa") == SIZE_MAX && ob_target_find(NULL) == SIZE_MAX);
    assert_string_equal(ob_effect_name(OB_EFFECT_WRONG), "wrong");
    assert_string_equal(ob_effect_name(OB_EFFECT_COUNT), "");
}

/* ---- Open sizes ---- */

static ob_truth holds(const char *name, ob_op_class of, const char *text, ob_what what) {
    ob_target target;
    built b;
    assert_true(ob__target_at(ob_target_find(name), &target));
    build(&b, of, text);
    const ob_target_issue *issue = issue_of(&target, &b, (uint8_t)what);
    return !issue ? OB_TRUE : issue->rule && issue->holds != OB_TRUE ? issue->holds : OB_UNDECIDED;
}

static void test_open_sizes(void **state) {
    (void)state;
    /* 1 against an open size is stretched; two different open sizes may be. */
    assert_int_equal(holds("stablehlo", OB_CLASS_ADD, "N 3|1 3", OB_WHAT_STRETCH), OB_FALSE);
    assert_int_equal(holds("stablehlo", OB_CLASS_ADD, "N 3|N 3", OB_WHAT_STRETCH), OB_TRUE);
    assert_int_equal(holds("stablehlo", OB_CLASS_ADD, "N 3|4 3", OB_WHAT_STRETCH), OB_UNDECIDED);
    assert_int_equal(holds("hls4ml-parallel", OB_CLASS_ADD, "N 3|4 1", OB_WHAT_STRETCH), OB_UNDECIDED);
    assert_int_equal(holds("webnn", OB_CLASS_ADD, "N 3|1 3", OB_WHAT_ZERO), OB_UNDECIDED);
    assert_int_equal(holds("tidl", OB_CLASS_ADD, "N N N N N N N|1 1 1 1 1 1 1", OB_WHAT_RANK), OB_UNDECIDED);
    assert_int_equal(holds("tidl", OB_CLASS_ADD, "N N N N N N 1|1 1 1 1 1 1 1", OB_WHAT_RANK), OB_TRUE);
    assert_int_equal(holds("esp-dl", OB_CLASS_ADD, "2 N 2 2 2 2|2 4 1 2 1 2", OB_WHAT_RANK), OB_FALSE);
    assert_int_equal(holds("esp-dl", OB_CLASS_ADD, "2 N 1 2 1 2|2 4 2 2 2 2", OB_WHAT_RANK), OB_FALSE);
    assert_int_equal(holds("esp-dl", OB_CLASS_ADD, "2 N 2 1 2|2 4 1 2 2", OB_WHAT_RANK), OB_UNDECIDED);
    /* Nothing is asked about a node of one shape. */
    assert_int_equal(holds("mpsgraph", OB_CLASS_ADD, "2 3|2 3", OB_WHAT_TYPES), OB_TRUE);
    assert_int_equal(holds("mpsgraph", OB_CLASS_ADD, "2 3|1 3", OB_WHAT_TYPES), OB_UNDECIDED);
}

/* ---- Merging ---- */

/* Neighbouring axes can be one axis if every operand has both in full or neither: the naive count. */
static int32_t naive_groups(const built *b) {
    int32_t n = 0, last = -1;
    for (int32_t axis = 0; axis < b->node.result.rank; axis++) {
        if (b->result[axis] == 1) continue;
        bool same = last >= 0;
        for (uint32_t i = 0; i < b->node.n && same; i++) {
            int32_t lead = b->node.result.rank - b->shapes[i].rank;
            ob_dim here = axis < lead ? 1 : b->dims[i][axis - lead], before = last < lead ? 1 : b->dims[i][last - lead];
            same = (here == b->result[axis]) == (before == b->result[last]);
        }
        n += !same;
        last = axis;
    }
    return n;
}

static void test_merged_axes(void **state) {
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        char text[200], *at = text;
        int ranks[3], n = 2 + round % 2, rank = 1 + round % 9;
        int full[9];
        for (int k = 0; k < rank; k++) full[k] = 1 + (int)((seed = seed * 1664525u + 1013904223u) >> 16) % 3;
        for (int i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            ranks[i] = i == 0 ? rank : (int)((seed >> 16) % (uint32_t)(rank + 1));
            if (i) *at++ = '|';
            for (int k = rank - ranks[i]; k < rank; k++) {
                seed = seed * 1664525u + 1013904223u;
                at += sprintf(at, "%d ", seed >> 20 & 1 ? full[k] : 1);
            }
        }
        *at = '\0';
        built b;
        int32_t least, most;
        build(&b, OB_CLASS_ADD, text);
        ob__merged_axes(&b.node, &least, &most);
        if (least != most || most != naive_groups(&b)) fail_msg("%s: %d and %d, not %d", text, least, most, naive_groups(&b));
    }
}

static int open_pool(void **state) {
    (void)state;
    return ob_dims_create(NULL, &pool) == OB_OK ? 0 : -1;
}

static int close_pool(void **state) {
    (void)state;
    ob_dims_destroy(&pool);
    return 0;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_row), cmocka_unit_test(test_rows_are_complete),
                                       cmocka_unit_test(test_open_sizes), cmocka_unit_test(test_merged_axes)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
