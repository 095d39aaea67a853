/* Which values of two models are proved equal: pairs that are, by each lemma, and pairs that look alike and are not. The property
 * over random models and forms is in tests/oracle/rewrites.py. */
#include "failing.h"
#include "model_text.h"

#include "core/base/error.h"
#include "passes/compare/classes.h"
#include "passes/compare/same.h"

#define HEADER                                                                                                                   \
    "<ir_version: 8, opset_import: [\"\" : 18, \"onnx_broadcast\" : 1, \"own\" : 1, \"ai.onnx.preview.training\" : 1]>\n"

#define OPSET_13 "<ir_version: 8, opset_import: [\"\" : 13]>\n"

typedef struct pair {
    const char *name, *before, *after;
    ob_shape_evidence shape; /* of y */
    bool equal;
    uint32_t lemmas;
    const char *why; /* a part of the reason; NULL: none */
} pair;

#define OPEN      OB_SHAPE_OPEN
#define TERMS     OB_SHAPE_TERMS
#define VALUE     OB_SHAPE_VALUE
#define ITSELF    OB_LEMMA(ITSELF)
#define TWICE     OB_LEMMA(TWICE)
#define EXCHANGED OB_LEMMA(EXCHANGED)
#define SHAPES    (OB_LEMMA(SHAPES) | OB_LEMMA(MEMBERS))

enum { MOST_TEXT = 12000 };

static ob_model *read_pair(const char *text, char whole[MOST_TEXT]) {
    snprintf(whole, MOST_TEXT, "%s%s", *text == '<' ? "" : HEADER, text);
    return read_text(whole);
}

/* False: another answer, which is printed. */
static bool judge(const pair *p) {
    static char texts[2][MOST_TEXT];
    ob_model *models[2] = {read_pair(p->before, texts[0]), read_pair(p->after, texts[1])};
    ob_report *reports[2] = {check_model(models[0]), check_model(models[1])};
    ob_compared_values values;
    ob_arena arena;
    ob__arena_init(&arena, ob_allocator_default());
    assert_int_equal(ob__compare_main_values(reports[0], reports[1], &arena, &values), OB_OK);
    const ob_compared_value *y = NULL;
    for (size_t i = 0; i < values.n && !y; i++)
        if (strcmp(values.items[i].name, "y") == 0) y = &values.items[i];
    assert_non_null(y);
    const bool expected =
        y->shape == p->shape && y->equal == p->equal && y->lemmas == p->lemmas && (!p->why || strstr(y->why, p->why));
    if (!expected)
        print_message("%s: shape %d (%s), equal %d, lemmas %x: %s\n", p->name, (int)y->shape, y->why_shape, y->equal,
                      (unsigned)y->lemmas, y->why);
    ob__arena_release(&arena);
    for (int i = 0; i < 2; i++) ob_report_close(&reports[i]), ob_model_close(&models[i]);
    return expected;
}

static void judge_all(const pair *pairs, size_t n) {
    size_t n_wrong = 0;
    for (size_t i = 0; i < n; i++) n_wrong += !judge(&pairs[i]);
    assert_int_equal(n_wrong, 0);
}
#define JUDGE(pairs) judge_all(pairs, sizeof(pairs) / sizeof *(pairs))

#define SUM "g (float[N,4] x, float[M,4] z) => (float[?,4] y) { y = Sub (x, z) }"
#define RUN "g (float[N,4] x, float[M,4] z) => (float[?,4] y) { n = NonZero (x) f = Cast <to = 1> (n) "

static void by_lemmas(void **state) {
    (void)state;
    static const pair pairs[] = {
        {"the same", SUM, "h (float[A,4] x, float[B,4] z) => (float[?,4] y) { y = Sub (x, z) }", VALUE, true, 0, NULL},
        {"Broadcast", SUM,
         "g (float[N,4] x, float[M,4] z) => (float[?,4] y) { p, q = onnx_broadcast.Broadcast (x, z) y = Sub (p, q) }", VALUE,
         true, EXCHANGED, NULL},
        {"Expand by Shape", SUM,
         "g (float[N,4] x, float[M,4] z) => (float[?,4] y) { s = Shape (z) p = Expand (x, s) t = Shape (p) q = Expand (z, t) "
         "y = Sub (p, q) }",
         VALUE, true, EXCHANGED, NULL},
        {"one of two", SUM, "g (float[N,4] x, float[M,4] z) => (float[?,4] y) { s = Shape (z) p = Expand (x, s) y = Sub (p, z) }",
         VALUE, true, EXCHANGED, NULL},
        {"unknown ranks", "g (float x, float z, int64[R] r) => (y) { p = Reshape (x, r) q = Reshape (z, r) y = Sub (p, q) }",
         "g (float x, float z, int64[R] r) => (y) { p = Reshape (x, r) q = Reshape (z, r) s = Shape (q) v = Expand (p, s) "
         "t = Shape (v) w = Expand (q, t) y = Sub (v, w) }",
         VALUE, true, EXCHANGED | SHAPES, NULL},
        {"a size of the run", RUN "y = Sub (f, f) }", RUN "s = Shape (f) p = Expand (f, s) y = Sub (p, f) }", VALUE, true, ITSELF,
         NULL},
        {"Expand to itself", "g (float[N,4] x) => (y) { y = Softmax (x) }",
         "g (float[N,4] x) => (y) { s = Shape (x) p = Expand (x, s) y = Softmax (p) }", VALUE, true, ITSELF, NULL},
        {"Expand twice",
         "g (float[1,4] x, float[N,4] z, float[K,N,4] w) => (y) { t = Shape (w) q = Expand (x, t) y = Softmax (q) }",
         "g (float[1,4] x, float[N,4] z, float[K,N,4] w) => (y) { s = Shape (z) p = Expand (x, s) t = Shape (w) q = Expand (p, "
         "t) "
         "y = Softmax (q) }",
         VALUE, true, TWICE, NULL},
        {"slope", "g (float[N,4] x, float[4] s) => (y) { y = PRelu (x, s) }",
         "g (float[N,4] x, float[4] s) => (y) { t = Shape (x) p = Expand (s, t) y = PRelu (x, p) }", VALUE, true, TWICE, NULL},
        {"scale and bias", "g (float[N,4] x, float[4] s, float[1] b) => (y) { y = LayerNormalization (x, s, b) }",
         "g (float[N,4] x, float[4] s, float[1] b) => (y) { d = Constant <value_ints = [4]> () p = Expand (b, d) "
         "y = LayerNormalization (x, s, p) }",
         VALUE, true, TWICE, NULL},
        {"C of Gemm", "g (float[N,4] x, float[4,3] w, float[3] c) => (y) { y = Gemm (x, w, c) }",
         "g (float[N,4] x, float[4,3] w, float[3] c) => (y) { e = Constant <value_ints = [1, 3]> () p = Expand (c, e) "
         "y = Gemm (x, w, p) }",
         VALUE, true, TWICE, NULL},
    };
    JUDGE(pairs);
}

static void in_bodies(void **state) {
    (void)state;
#define IF(then)                                                                                                                 \
    "g (bool c, float[N,4] x, float[4] z) => (y) { y = If (c) <then_branch = t () => (a) { " then                                \
    " }, else_branch = e () => (b) { b = Identity (x) }> }"
#define LOOP(start, step)                                                                                                        \
    "g (int64 n, bool c, float[4] x, float[4] z) => (y) { k = Identity (" start ") y = Loop (n, c, k) <body = "                  \
    "b (int64 i, bool d, float[4] s) => (bool e, float[4] t) { e = Identity (d) " step " }> }"
#define CALL(body)                                                                                                               \
    "g (float[N,4] x, float[M,4] z) => (y) { a = own.f (x, z) y = own.f (a, z) }\n<domain: \"own\", opset_import: [\"\" : 18, "  \
    "\"onnx_broadcast\" : 1]>\nf (p, q) => (r) { " body " }"
    static const pair pairs[] = {
        {"a branch", IF("a = Sub (x, z)"), IF("p, q = onnx_broadcast.Broadcast (x, z) a = Sub (p, q)"), VALUE, true,
         ITSELF | EXCHANGED, NULL},
        {"another branch", IF("a = Sub (x, z)"), IF("a = Sub (z, x)"), TERMS, false, 0, "node \"a\" (Sub)"},
        {"a loop", LOOP("x", "t = Sub (s, z)"), LOOP("x", "p, q = onnx_broadcast.Broadcast (s, z) t = Sub (p, q)"), VALUE, true,
         ITSELF, NULL},
        {"another start", LOOP("x", "t = Sub (s, z)"), LOOP("z", "t = Sub (s, z)"), TERMS, false, 0, "node \"k\" (Identity)"},
        {"another step", LOOP("x", "t = Sub (s, z)"), LOOP("x", "t = Sub (z, s)"), TERMS, false, 0, "node \"t\" (Sub)"},
        {"a call", CALL("r = Sub (p, q)"), CALL("v, w = onnx_broadcast.Broadcast (p, q) r = Sub (v, w)"), VALUE, true,
         EXCHANGED | SHAPES, NULL},
        {"another function", CALL("r = Sub (p, q)"), CALL("r = Sub (q, p)"), TERMS, false, 0, "node \"r\" (Sub)"},
        {"written out", CALL("r = Sub (p, q)"), "g (float[N,4] x, float[M,4] z) => (y) { a = Sub (x, z) y = Sub (a, z) }", VALUE,
         true, 0, NULL},
    };
    JUDGE(pairs);
}

static void look_alike(void **state) {
    (void)state;
#define TYPED(of)                                                                                                                \
    "g (float[N] x, float[N] z) => (y) { y = own.f <t : type_proto = float[3]> (" of                                             \
    ") }\n<domain: \"own\", opset_import: [\"\" : 18]>\nf <t> (p) => (r) { r = NonZero (p) }"
#define GRADIENT(of)                                                                                                             \
    "g (float[4] x) => (y) { z = " of " y = ai.onnx.preview.training.Gradient <xs : strings = [\"x\"], y : string = \"z\"> (x) " \
    "}"
#define IF_RUN(of)                                                                                                               \
    "g (bool c, float[1,1] x, float[N,4] z, float[M,4] w) => (y) { y = If (c) <then_branch = t () => (a) { n = NonZero (" of     \
    ") s = Shape (n) p = Expand (x, s) a = Sub (p, x) }, else_branch = e () => (b) { b = Identity (x) }> }"
    static const pair pairs[] = {
        {"exchanged operands", SUM, "g (float[N,4] x, float[M,4] z) => (float[?,4] y) { y = Sub (z, x) }", TERMS, false, 0,
         "(Sub)"},
        {"a wider result", SUM,
         "g (float[N,4] x, float[M,4] z) => (y) { e = Constant <value_ints = [8, 1]> () p = Expand (x, e) y = Sub (p, z) }", OPEN,
         false, 0, "(Sub)"},
        {"one axis wrong below 8", "g (float[N,4] x, float[1,4] z) => (y) { y = Sub (x, z) }",
         "g (float[N,4] x, float[1,4] z) => (y) { s = Shape (x) e = Constant <value_ints = [8, 4]> () m = Max (s, e) "
         "p = Expand (z, m) y = Sub (x, p) }",
         OPEN, false, 0, "(Sub)"},
        {"an attribute", "g (float[N,4] x) => (y) { y = Softmax <axis = 0> (x) }",
         "g (float[N,4] x) => (y) { y = Softmax <axis = 1> (x) }", TERMS, false, 0, "(Softmax)"},
        {"a weight", "g (float[N,2] x) => (y) <float[2] w = {1, 2}> { y = Sub (x, w) }",
         "g (float[N,2] x) => (y) <float[2] w = {1, 3}> { y = Sub (x, w) }", TERMS, false, 0, "a weight differs"},
        {"the shape of a weight", "g (float[N,2] x) => (y) <float[1,2] w = {1, 2}> { y = Sub (x, w) }",
         "g (float[N,2] x) => (y) <float[2] w = {1, 2}> { y = Sub (x, w) }", TERMS, false, 0, "a weight differs"},
        {"a constant", "g (float[N,2] x) => (y) { w = Constant <value_floats = [1.0, 2.0]> () y = Sub (x, w) }",
         "g (float[N,2] x) => (y) { w = Constant <value_floats = [1.0, 2.5]> () y = Sub (x, w) }", TERMS, false, 0, "(Constant)"},
        {"random numbers", "g (float[N,2] x) => (y) { y = RandomNormalLike (x) }",
         "g (float[N,2] x) => (y) { y = RandomNormalLike (x) }", TERMS, false, 0, "may differ between runs"},
        {"an unknown operator", "g (float[N,2] x) => (y) { y = own.what (x) }", "g (float[N,2] x) => (y) { y = own.what (x) }",
         OPEN, false, 0, "no operator"},
        {"more outputs", OPSET_13 "g (float[12] x) => (y, z) { y, z = Split (x) }",
         OPSET_13 "g (float[12] x) => (y, z) { y, z, w = Split (x) }", OPEN, false, 0, "(Split)"},
        {"a gradient", GRADIENT("Mul (x, x)"), GRADIENT("Add (x, x)"), TERMS, false, 0, "depend on other nodes"},
        {"a call without a class", TYPED("x"), TYPED("z"), OPEN, false, 0, ""},
        {"the same call without a class", TYPED("x"), TYPED("x"), OPEN, false, 0, ""},
        {"a size of another run", "g (float[N,4] x, float[N,4] z) => (y) { y = NonZero (x) }",
         "g (float[N,4] x, float[N,4] z) => (y) { y = NonZero (z) }", OPEN, false, 0, "(NonZero)"},
        {"a size that only runs compare", "g (float[N,4] x) => (y) { y = NonZero (x) }",
         "g (float[N,4] x) => (y) { p = Identity (x) y = NonZero (p) }", OPEN, false, 0, "(Identity)"},
        {"expansions to sizes of other runs",
         "g (float[1,1] x, float[N,4] z, float[M,4] w) => (y) { n = NonZero (z) s = Shape (n) p = Expand (x, s) y = Softmax (p) "
         "}",
         "g (float[1,1] x, float[N,4] z, float[M,4] w) => (y) { n = NonZero (w) s = Shape (n) p = Expand (x, s) y = Softmax (p) "
         "}",
         OPEN, false, 0, "(Softmax)"},
        {"the same in a branch", IF_RUN("z"), IF_RUN("w"), OPEN, false, 0, "(Sub)"},
        {"a product of matrices", "g (float[B,N,4] x, float[4,3] w) => (y) { y = MatMul (x, w) }",
         "g (float[B,N,4] x, float[4,3] w) => (y) { s = Shape (x) z = Constant <value_ints = [0]> () b = Gather (s, z) "
         "m = Constant <value_ints = [4, 3]> () e = Concat <axis = 0> (b, m) p = Expand (w, e) y = MatMul (x, p) }",
         TERMS, false, 0, "no lemma"},
        {"inputs of other names", SUM, "g (float[N,4] z, float[M,4] x) => (float[?,4] y) { y = Sub (z, x) }", TERMS, false, 0,
         "(Sub)"},
        {"an input of another type", "g (float[N] x) => (y) { y = Shape (x) }", "g (double[N] x) => (y) { y = Shape (x) }", TERMS,
         false, 0, "an input differs"},
    };
    JUDGE(pairs);
}

/* A default of an input may be replaced by the caller, which is another input then. */
static void defaults(void **state) {
    (void)state;
    static const pair pairs[] = {
        {"defaults of one content", "g (float[N] x, float[1] a = {1}, float[1] b = {1}) => (y) { y = Sub (x, a) }",
         "g (float[N] x, float[1] a = {1}, float[1] b = {1}) => (y) { y = Sub (x, b) }", TERMS, false, 0, "(Sub)"},
        {"one default", "g (float[N] x, float[1] a = {1}) => (y) { y = Sub (x, a) }",
         "g (float[N] x, float[1] a = {1}) => (y) { y = Sub (x, a) }", VALUE, true, 0, NULL},
        {"weights of one content", "g (float[N] x) => (y) <float[1] a = {1}, float[1] b = {1}> { y = Sub (x, a) }",
         "g (float[N] x) => (y) <float[1] a = {1}, float[1] b = {1}> { y = Sub (x, b) }", VALUE, true, 0, NULL},
    };
    JUDGE(pairs);
}

/* Calls inside each other: those that are too deep have no class, and their sizes are equal to none. */
static void deep_calls(void **state) {
    (void)state;
    enum { LEVELS = 70 };
    static char texts[2][LEVELS * 120];
    for (int which = 0; which < 2; which++) {
        char *at = texts[which];
        at += sprintf(at, "g (float[N] x, float[N] z) => (y) { y = own.f0 (%s) }\n", which ? "z" : "x");
        for (int i = 0; i < LEVELS; i++) {
            at += sprintf(at, "<domain: \"own\", opset_import: [\"\" : 18, \"own\" : 1]>\nf%d (p) => (r) { ", i);
            at += i + 1 < LEVELS ? sprintf(at, "r = own.f%d (p) }\n", i + 1) : sprintf(at, "r = NonZero (p) }\n");
        }
    }
    const pair pairs[] = {{"deep calls", texts[0], texts[1], OPEN, false, 0, ""},
                          {"the same", texts[0], texts[0], OPEN, false, 0, ""}};
    JUDGE(pairs);
}

static ob_status compare_once(void *subject, digest *made, ob_error *error) {
    ob_report *const *reports = subject;
    ob_compared_values values;
    ob_arena arena;
    ob__arena_init(&arena, &reports[0]->allocator);
    const ob_status status = ob__compare_main_values(reports[0], reports[1], &arena, &values);
    for (size_t i = 0; status == OB_OK && i < values.n; i++) {
        digest_number(made, values.items[i].shape);
        digest_number(made, values.items[i].lemmas);
        digest_text(made, values.items[i].why);
    }
    ob__arena_release(&arena);
    return ob__described(error, status, "");
}

static void every_allocation_fails(void **state) {
    (void)state;
    static const char *const bodies[] = {IF("p, q = onnx_broadcast.Broadcast (x, z) a = Sub (p, q)"), IF("a = Sub (z, x)")};
    failing f = {0};
    const ob_allocator allocator = failing_allocator(&f);
    char texts[2][4000];
    ob_model *models[2];
    ob_report *reports[2];
    for (int i = 0; i < 2; i++) {
        snprintf(texts[i], sizeof texts[i], HEADER "%s", bodies[i]);
        models[i] = read_model(texts[i], strlen(texts[i]), OB_FORMAT_TEXT, &allocator);
        reports[i] = check_model(models[i]);
    }
    assert_true(fail_each(&f, compare_once, reports, "compare values", 60) > 5);
    for (int i = 0; i < 2; i++) ob_report_close(&reports[i]), ob_model_close(&models[i]);
    assert_int_equal(f.n_alive, 0);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_lemmas), cmocka_unit_test(in_bodies),  cmocka_unit_test(look_alike),
        cmocka_unit_test(defaults),  cmocka_unit_test(deep_calls), cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
