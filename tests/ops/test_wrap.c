/* Integer arithmetic on sizes, in types that wrap around: the elements that the checker infers must equal those of a run, at
 * sizes on both sides of each limit. Random graphs of scalars, compared with arithmetic of C. Inputs have an axis of size 0, so
 * that the other sizes may be arbitrarily large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_text.h"
#include "ops/library/resolve.h"
#include "ops/table/op.h"
#include "passes/check/facts.h"
#include "passes/check/propagate.h"

enum { MOST_STEPS = 14, MOST_POINTS = 40, JOINT_BITS = 52 };

typedef struct scalar {
    ob_dtype dtype;
    int64_t integer; /* also of bool */
    double real;
} scalar;

typedef struct step {
    char op[12];
    int a, b;
    ob_dtype dtype;
    int64_t constant;
} step;

typedef struct chain {
    step steps[MOST_STEPS];
    int n;
    uint64_t random;
    uint64_t n_values, n_known, n_right_by_condition, n_zero_divisors, n_wrong;
} chain;

static uint32_t draw(chain *c, uint32_t n) {
    c->random = c->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(c->random >> 33) % n;
}

static bool is_real(ob_dtype dtype) {
    return dtype == OB_FLOAT || dtype == OB_DOUBLE;
}

static const struct {
    ob_dtype dtype;
    const char *name;
    int number, bits;
} types[] = {{OB_INT64, "int64", 7, 64}, {OB_INT32, "int32", 6, 32}, {OB_UINT8, "uint8", 2, 8},
             {OB_INT16, "int16", 5, 16}, {OB_FLOAT, "float", 1, 0},  {OB_DOUBLE, "double", 11, 0},
             {OB_BOOL, "bool", 9, 0},    {OB_INT8, "int8", 3, 8},    {OB_UINT32, "uint32", 13, 32}};
enum { N_TYPES = sizeof types / sizeof *types };

static int type_at(ob_dtype dtype) {
    for (int i = 0; i < N_TYPES; i++)
        if (types[i].dtype == dtype) return i;
    return -1;
}

/* ---- The chain ---- */

static void draw_step(chain *c) {
    static const char *const ops[] = {"Add", "Sub", "Mul",  "Mul",  "Div",  "Mod",      "Min",      "Max",
                                      "Neg", "Abs", "Sign", "Cast", "Cast", "Constant", "Constant", "Constant"};
    static const int64_t constants[] = {1,
                                        2,
                                        3,
                                        7,
                                        536870912,
                                        2147483647,
                                        65536,
                                        46341,
                                        1000000007,
                                        16777216,
                                        16777217,
                                        255,
                                        128,
                                        -1,
                                        -3,
                                        INT64_C(1) << 61,
                                        INT64_C(1) << 40,
                                        INT64_C(1) << 62,
                                        0};
    step *s = &c->steps[c->n];
    strcpy(s->op, ops[draw(c, sizeof ops / sizeof *ops)]);
    s->a = c->n - 1 - (int)draw(c, (uint32_t)(c->n < 4 ? c->n : 4));
    s->b = (int)draw(c, (uint32_t)c->n);
    s->dtype = c->steps[s->a].dtype;
    bool binary = strchr("ASMD", s->op[0]) && strcmp(s->op, "Abs") != 0 && strcmp(s->op, "Sign") != 0;
    for (int i = 0; binary && i < c->n && c->steps[s->b].dtype != s->dtype; i++) s->b = (s->b + 1) % c->n;
    if (strcmp(s->op, "Cast") == 0) {
        s->dtype = types[draw(c, 3) ? draw(c, 2) : draw(c, N_TYPES)].dtype;
    } else if (strcmp(s->op, "Constant") == 0) {
        s->dtype = draw(c, 2) ? OB_INT32 : OB_INT64;
        do s->constant = constants[draw(c, sizeof constants / sizeof *constants)];
        while (s->dtype == OB_INT32 && s->constant != (int32_t)s->constant);
    } else if (s->dtype == OB_BOOL || (is_real(s->dtype) && (strcmp(s->op, "Mod") == 0)) ||
               (strcmp(s->op, "Neg") == 0 && (s->dtype == OB_UINT8 || s->dtype == OB_UINT32))) {
        strcpy(s->op, "Cast");
        s->dtype = OB_INT64;
    }
    c->n++;
}

static void draw_chain(chain *c) {
    c->n = 2;
    c->steps[0] = (step){.op = "N", .dtype = OB_INT64};
    c->steps[1] = (step){.op = "M", .dtype = OB_INT64};
    for (uint32_t n = 3 + draw(c, MOST_STEPS - 5); n > 0; n--) draw_step(c);
}

static bool takes_two(const step *s) {
    return strcmp(s->op, "Add") == 0 || strcmp(s->op, "Sub") == 0 || strcmp(s->op, "Mul") == 0 || strcmp(s->op, "Div") == 0 ||
           strcmp(s->op, "Mod") == 0 || strcmp(s->op, "Min") == 0 || strcmp(s->op, "Max") == 0;
}

static void chain_text(const chain *c, char *text, size_t n_bytes) {
    size_t n = (size_t)snprintf(text, n_bytes, "<ir_version: 8, opset_import: [\"\" : 18]>\ng (float[N,0] x, float[M,0] y) => (");
    for (int i = 2; i < c->n; i++)
        n += (size_t)snprintf(text + n, n_bytes - n, "%s%s v%d", i > 2 ? ", " : "", types[type_at(c->steps[i].dtype)].name, i);
    n += (size_t)snprintf(
        text + n, n_bytes - n,
        ") {\n z = Constant <value = int64 {0}> ()\n s0 = Shape (x)\n v0 = Gather (s0, z)\n s1 = Shape (y)\n v1 = "
        "Gather (s1, z)\n");
    for (int i = 2; i < c->n; i++) {
        const step *s = &c->steps[i];
        n += (size_t)snprintf(text + n, n_bytes - n, " v%d = %s ", i, s->op);
        if (strcmp(s->op, "Constant") == 0)
            n += (size_t)snprintf(text + n, n_bytes - n, "<value = %s {%lld}> ()\n", types[type_at(s->dtype)].name,
                                  (long long)s->constant);
        else if (strcmp(s->op, "Cast") == 0)
            n += (size_t)snprintf(text + n, n_bytes - n, "<to = %d> (v%d)\n", types[type_at(s->dtype)].number, s->a);
        else if (takes_two(s))
            n += (size_t)snprintf(text + n, n_bytes - n, "(v%d, v%d)\n", s->a, s->b);
        else
            n += (size_t)snprintf(text + n, n_bytes - n, "(v%d)\n", s->a);
    }
    snprintf(text + n, n_bytes - n, "}\n");
}

/* ---- What a run computes ---- */

static int64_t wrapped(uint64_t bits, ob_dtype dtype) {
    switch (dtype) {
    case OB_INT32: return (int32_t)(uint32_t)bits;
    case OB_UINT32: return (int64_t)(uint32_t)bits;
    case OB_INT16: return (int16_t)(uint16_t)bits;
    case OB_INT8: return (int8_t)(uint8_t)bits;
    case OB_UINT8: return (uint8_t)bits;
    case OB_BOOL: return bits != 0;
    default: return (int64_t)bits;
    }
}

static double rounded(double x, ob_dtype dtype) {
    return dtype == OB_FLOAT ? (double)(float)x : x;
}

static scalar cast(scalar a, ob_dtype to, bool *defined) {
    scalar out = {.dtype = to};
    if (is_real(to)) {
        out.real = rounded(is_real(a.dtype) ? a.real : to == OB_FLOAT ? (double)(float)a.integer : (double)a.integer, to);
    } else if (!is_real(a.dtype)) {
        out.integer = to == OB_BOOL ? a.integer != 0 : wrapped((uint64_t)a.integer, to);
    } else if (to == OB_BOOL) {
        out.integer = a.real != 0;
    } else {
        int64_t most = to == OB_INT64 ? INT64_C(1) << 62 : (INT64_C(1) << (types[type_at(to)].bits - 1)) - 1;
        *defined =
            a.real >= (double)-most && a.real <= (double)most && (a.real >= 0 || strchr("u", types[type_at(to)].name[0]) == NULL);
        if (*defined) out.integer = (int64_t)a.real;
    }
    return out;
}

/* False: an integer division by 0, or undefined in C. */
static bool compute(const step *s, const scalar *values, scalar *out) {
    scalar a = values[s->a], b = values[s->b];
    bool defined = true, real = is_real(s->dtype);
    uint64_t x = (uint64_t)a.integer, y = (uint64_t)b.integer;
    *out = (scalar){.dtype = s->dtype};
    if (strcmp(s->op, "Constant") == 0) {
        out->integer = s->constant;
    } else if (strcmp(s->op, "Cast") == 0) {
        *out = cast(a, s->dtype, &defined);
        return defined;
    } else if (strcmp(s->op, "Add") == 0) {
        out->real = a.real + b.real, x += y;
    } else if (strcmp(s->op, "Sub") == 0) {
        out->real = a.real - b.real, x -= y;
    } else if (strcmp(s->op, "Mul") == 0) {
        out->real = a.real * b.real, x *= y;
    } else if (strcmp(s->op, "Neg") == 0) {
        out->real = -a.real, x = -x;
    } else if (strcmp(s->op, "Abs") == 0) {
        out->real = a.real < 0 ? -a.real : a.real, x = a.integer < 0 ? -x : x;
    } else if (strcmp(s->op, "Sign") == 0) {
        out->real = (a.real > 0) - (a.real < 0), x = (uint64_t)(int64_t)((a.integer > 0) - (a.integer < 0));
    } else if (strcmp(s->op, "Min") == 0) {
        out->real = a.real < b.real ? a.real : b.real, x = a.integer < b.integer ? x : y;
    } else if (strcmp(s->op, "Max") == 0) {
        out->real = a.real > b.real ? a.real : b.real, x = a.integer > b.integer ? x : y;
    } else if (real) {
        out->real = a.real / b.real;
    } else {
        if (b.integer == 0) return false;
        int64_t quotient = b.integer == -1 ? (int64_t)-x : a.integer / b.integer,
                rest = b.integer == -1 ? 0 : a.integer % b.integer;
        bool mod = strcmp(s->op, "Mod") == 0;
        if (mod && rest != 0 && (rest < 0) != (b.integer < 0)) rest += b.integer;
        x = (uint64_t)(mod ? rest : quotient);
    }
    out->real = rounded(out->real, s->dtype);
    if (strcmp(s->op, "Constant") != 0) out->integer = real ? 0 : wrapped(x, s->dtype);
    return true;
}

/* ---- What the checker says ---- */

/* Do all conditions hold? */
static bool admits(const ob_model *model, const ob_facts *facts, const ob_binding *at) {
    for (uint32_t i = 0; i < facts->n_conditions; i++) {
        bool holds;
        if (ob_condition_eval(model->dims, &facts->conditions[i].condition, at, 2, &holds) != OB_OK || !holds) return false;
    }
    return true;
}

/* Integers are followed modulo the range of their type; floats only until a Cast requires that they were exact. */
static bool is_right(const scalar *is, int64_t said) {
    if (is_real(is->dtype)) return true;
    return wrapped((uint64_t)said, is->dtype) == is->integer;
}

static ob_dim content_of(const ob_facts *facts, const ob_value *value) {
    const ob_content *content = &ob__fact(facts, value)->content;
    return content->elems && content->n == 1 ? content->elems[0] : OB_DIM_UNKNOWN;
}

static void compare(chain *c, const ob_model *model, const ob_facts *facts, bool has_errors, int64_t n, int64_t m,
                    const char *text) {
    const ob_binding at[2] = {{ob_dim_find(model->dims, "N"), n}, {ob_dim_find(model->dims, "M"), m}};
    scalar values[MOST_STEPS] = {{.dtype = OB_INT64, .integer = n}, {.dtype = OB_INT64, .integer = m}};
    bool known[MOST_STEPS] = {true, true}, all = !has_errors && admits(model, facts, at);
    for (int i = 2; i < c->n; i++) {
        const step *s = &c->steps[i];
        bool unary = !takes_two(s), constant = strcmp(s->op, "Constant") == 0;
        known[i] = constant || (known[s->a] && (unary || known[s->b]));
        if (!known[i]) continue;
        known[i] = compute(s, values, &values[i]);
        c->n_values++;
        if (!known[i] && takes_two(s) && !is_real(s->dtype) &&
            content_of(facts, model->graph->outputs[s->b < 2 ? 0 : s->b - 2]) != OB_DIM_UNKNOWN && s->b >= 2) {
            c->n_zero_divisors++;
            if (all && facts->n_unverified == 0) {
                print_error("N = %lld, M = %lld: v%d divides by 0 and is admitted\n%s\n", (long long)n, (long long)m, i, text);
                c->n_wrong++;
            }
        }
        int64_t said;
        ob_dim content = content_of(facts, model->graph->outputs[i - 2]);
        if (!known[i] || !all || ob_dim_eval(model->dims, content, at, 2, &said) != OB_OK) continue;
        if (said == OB_DIM_CONST_MAX || said == -OB_DIM_CONST_MAX) continue; /* saturated */
        c->n_known++;
        c->n_right_by_condition += facts->n_conditions > 0;
        if (is_right(&values[i], said)) continue;
        if (c->n_wrong++ < 5)
            print_error("N = %lld, M = %lld: v%d is %lld, the checker says %lld\n%s\n", (long long)n, (long long)m, i,
                        (long long)values[i].integer, (long long)said, text);
    }
}

/* Products of one size with itself are followed up to 2^30. */
static bool multiplies_sizes(const chain *c) {
    for (int i = 2; i < c->n; i++) {
        const step *s = &c->steps[i];
        if (strcmp(s->op, "Mul") != 0) continue;
        if (strcmp(c->steps[s->a].op, "Constant") != 0 && strcmp(c->steps[s->b].op, "Constant") != 0) return true;
    }
    return false;
}

static void try_chain(chain *c) {
    static const int64_t sizes[] = {0,     1,     2,       3,        4,        5,          7,          8,
                                    100,   127,   128,     255,      256,      32768,      46340,      46341,
                                    65535, 65536, 1 << 20, 16777216, 16777217, 2147483647, 2147483648, 4294967296};
    enum { N_SIZES = sizeof sizes / sizeof *sizes };
    char text[4000];
    draw_chain(c);
    chain_text(c, text, sizeof text);
    ob_model *model = read_text(text);
    ob_facts facts;
    ob_findings findings;
    assert_int_equal(ob__model_resolve_ops(model), OB_OK);
    ob__facts_init(&facts, NULL);
    ob__findings_init(&findings, NULL);
    assert_int_equal(ob__propagate(model, NULL, &facts, &findings), OB_OK);
    bool has_errors = false;
    for (uint32_t i = 0; i < findings.n; i++) has_errors |= findings.items[i].severity == OB_SEVERITY_ERROR;
    for (int i = 0; i < MOST_POINTS; i++) {
        int64_t n = sizes[draw(c, N_SIZES)], m = sizes[draw(c, N_SIZES)];
        if (n && m && n > (INT64_C(1) << JOINT_BITS) / m) continue; /* no tensor has that many elements */
        if ((n > 1 << 30 || m > 1 << 30) && multiplies_sizes(c)) continue;
        compare(c, model, &facts, has_errors, n, m, text);
    }
    ob__findings_release(&findings);
    ob__facts_release(&facts);
    ob_model_close(&model);
}

static void elements_are_what_runs_compute(void **state) {
    (void)state;
    const char *seed = getenv("OB_SEED"), *trials = getenv("OB_TRIALS");
    chain c = {.random = seed ? strtoull(seed, NULL, 10) : 20261123};
    for (unsigned long i = 0, n = trials ? strtoul(trials, NULL, 10) : 4000; i < n; i++) try_chain(&c);
    print_message("%llu values: %llu are said, %llu of them beside conditions; %llu divisors of 0 are excluded\n",
                  (unsigned long long)c.n_values, (unsigned long long)c.n_known, (unsigned long long)c.n_right_by_condition,
                  (unsigned long long)c.n_zero_divisors);
    assert_int_equal(c.n_wrong, 0);
    assert_true(c.n_known > c.n_values / 4 && c.n_right_by_condition > 0 && c.n_zero_divisors > 0);
}

/* ---- By name ---- */

typedef struct verdict_row {
    const char *steps;
    int64_t n;
    ob_truth admitted; /* UNDECIDED: unverified */
} verdict_row;

/* x of N by 0 reshaped to a size that `steps` compute from the scalar n; r is a vector of one element. */
static ob_truth verdict_at(const char *steps, int64_t n) {
    char text[1500];
    snprintf(text, sizeof text,
             "<ir_version: 8, opset_import: [\"\" : 18]> g (float[N,0] x) => (float[] y) <int64[1] one = {1}, int64[1] zero = "
             "{0}, int64 k = {0}, int64 big = {2305843009213693952}, int32 big32 = {536870912}, int32 three = {3}, int64 three64 "
             "= {3}> "
             "{ s = Shape(x) n = Gather(s, k) %s v = Reshape(r, one) t = Concat <axis = 0> (v, zero) y = Reshape "
             "<allowzero = 1> (x, t) w = Expand(x, t) }",
             steps);
    ob_model *model = read_text(text);
    ob_report *report = check_model(model);
    const ob_named_size given = {"N", n};
    ob_truth truth;
    size_t clause;
    assert_int_equal(ob_report_contract_holds(report, &given, 1, &truth, &clause), OB_OK);
    ob_report_close(&report);
    ob_model_close(&model);
    return truth;
}

static void named_rows(void **state) {
    (void)state;
    static const char quotient[] = "q = Div(n, n) r = Mul(q, n)", modulo[] = "q = Mod(n, n) r = Add(q, n)";
    static const char in_32[] = "c = Cast <to = 6> (n) m = Mul(c, big32) d = Div(m, big32) r = Cast <to = 7> (d)";
    static const char by_3[] = "c = Cast <to = 6> (n) m = Mul(c, three) d = Div(m, three) r = Cast <to = 7> (d)";
    static const char in_64[] = "m = Mul(n, big) r = Div(m, big)";
    static const char there_and_back[] = "m = Mul(n, big) a = Sub(m, m) r = Add(a, n)";
    static const char in_8[] = "c = Cast <to = 2> (n) r = Cast <to = 7> (c)";
    static const char fourth[] = "a = Mul(n, n) b = Mul(a, n) c = Mul(b, n) r = Div(c, b)";
    static const char apart[] = "d = Sub(n, three64) r = Div(n, d)", of_floats[] =
                                                                         "c = Cast <to = 1> (n) d = Mod <fmod = 1> (c, c) "
                                                                         "r = Cast <to = 7> (d)";
    static const verdict_row rows[] = {
        {quotient, 0, OB_FALSE},  {quotient, 1, OB_TRUE},    {quotient, 7, OB_TRUE},       {modulo, 0, OB_FALSE},
        {in_32, 3, OB_UNDECIDED}, {in_32, 4, OB_UNDECIDED},  {by_3, 715827882, OB_TRUE},   {by_3, 715827883, OB_FALSE},
        {in_64, 1, OB_UNDECIDED}, {in_64, 8, OB_UNDECIDED},  {there_and_back, 1, OB_TRUE}, {there_and_back, 1000000, OB_TRUE},
        {in_8, 3, OB_UNDECIDED},  {in_8, 256, OB_UNDECIDED}, {fourth, 46340, OB_TRUE},     {fourth, 65536, OB_FALSE},
        {fourth, 0, OB_FALSE},    {apart, 1, OB_UNDECIDED},  {apart, 3, OB_FALSE},         {of_floats, 0, OB_UNDECIDED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (verdict_at(rows[i].steps, rows[i].n) != rows[i].admitted)
            fail_msg("row %zu at %lld: %d", i, (long long)rows[i].n, (int)verdict_at(rows[i].steps, rows[i].n));
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(named_rows), cmocka_unit_test(elements_are_what_runs_compute)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
