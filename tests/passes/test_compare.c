/* Comparing models: signatures, the relation of contracts with witnesses, lists of changes. Relations of random models are
 * compared with an enumeration of sizes. */
#include "failing.h"
#include "model_text.h"

#include <stdio.h>
#include <stdlib.h>

#define HEADER "<ir_version: 8, opset_import: [\"\" : 17]>\n"

typedef struct pair {
    ob_model *models[2];
    ob_report *reports[2];
    ob_comparison *comparison;
} pair;

static pair compare_texts(const char *before, const char *after) {
    pair p = {.comparison = NULL};
    const char *texts[] = {before, after};
    for (int i = 0; i < 2; i++) {
        p.models[i] = read_text(texts[i]);
        p.reports[i] = check_model(p.models[i]);
    }
    assert_int_equal(ob_compare(p.reports[0], p.reports[1], &p.comparison, NULL), OB_OK);
    return p;
}

static void release(pair *p) {
    ob_comparison_close(&p->comparison);
    for (int i = 0; i < 2; i++) {
        ob_report_close(&p->reports[i]);
        ob_model_close(&p->models[i]);
    }
}

/* ---- Relations ---- */

/* The witness is admitted by its own model and, as sizes of the same inputs, excluded by the other. */
static void look_at_witness(const ob_comparison_witness *witness, ob_report *own, bool wanted) {
    ob_truth truth = OB_FALSE;
    assert_int_equal(witness->clause != NULL, wanted);
    if (!wanted) return;
    assert_true(witness->clause[0] != '\0');
    assert_int_equal(ob_report_contract_holds(own, witness->sizes, witness->n_sizes, &truth, NULL), OB_OK);
    assert_true(truth != OB_FALSE);
}

static void relate(const char *before, const char *after, ob_relation wanted, bool compatible) {
    pair p = compare_texts(before, after);
    const ob_comparison_info info = ob_comparison_get_info(p.comparison);
    if (info.contract != wanted) fail_msg("%s\n%s\n%s (%s)", before, after, ob_relation_name(info.contract), info.reason);
    assert_int_equal(info.compatible, compatible);
    look_at_witness(&info.only_old, p.reports[0], wanted == OB_RELATION_NARROWER || wanted == OB_RELATION_NEITHER);
    look_at_witness(&info.only_new, p.reports[1], wanted == OB_RELATION_WIDER || wanted == OB_RELATION_NEITHER);
    assert_int_equal(info.reason[0] != '\0', wanted == OB_RELATION_UNKNOWN);
    release(&p);
}

static const char any_sizes[] = HEADER "g (float[N] x, float[M] w) => (float[?] y) { a = Relu (x) y = Neg (a) }\n";
static const char broadcasts[] = HEADER "g (float[N] x, float[M] w) => (float[?] y) { a = Add (x, w) y = Neg (a) }\n";
static const char other_names[] = HEADER "g (float[A] x, float[B] w) => (float[?] y) { a = Add (x, w) y = Neg (a) }\n";
static const char equal_sizes[] = HEADER "g (float[N] x, float[N] w) => (float[?] y) { a = Add (x, w) y = Neg (a) }\n";
static const char fixed[] = HEADER "g (float[4] x, float[M] w) => (float[?] y) { a = Add (x, w) y = Neg (a) }\n";
static const char other_rank[] = HEADER "g (float[N,1] x, float[M] w) => (float[?,?] y) { a = Add (x, w) y = Neg (a) }\n";
static const char doubles[] = HEADER "g (double[N] x, float[M] w) => (double[?] y) { a = Relu (x) y = Neg (a) }\n";

static void relations(void **state) {
    (void)state;
    relate(broadcasts, broadcasts, OB_RELATION_EQUAL, true);
    relate(broadcasts, other_names, OB_RELATION_EQUAL, true);
    relate(broadcasts, equal_sizes, OB_RELATION_NARROWER, false);
    relate(equal_sizes, broadcasts, OB_RELATION_WIDER, false); /* the result has other sizes too */
    relate(any_sizes, broadcasts, OB_RELATION_NARROWER, false);
    relate(broadcasts, any_sizes, OB_RELATION_WIDER, false);
    relate(fixed, broadcasts, OB_RELATION_WIDER, false);
    relate(broadcasts, fixed, OB_RELATION_NARROWER, false);
    relate(fixed, equal_sizes, OB_RELATION_NEITHER, false);
    relate(broadcasts, other_rank, OB_RELATION_UNKNOWN, false);
    relate(any_sizes, doubles, OB_RELATION_EQUAL, false);
}

/* ---- Random models ---- */

static uint64_t seed = 20;

static uint32_t draw(uint32_t n) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

enum { N_PLACES = 5, N_SIZES = 4 };
static const char *const sizes_drawn[] = {"N", "M", "K", "N", "M", "1", "2", "3"};

typedef struct drawn {
    const char *places[N_PLACES];
    uint32_t first, last;
    char text[600];
} drawn;

static void write_drawn(drawn *d) {
    static const char *const first[] = {"t = Add (x, w)", "t = MatMul (x, w)", "t = Concat<axis: int = 0> (x, w)",
                                        "t = Mul (w, x)"};
    static const char *const last[] = {"y = Sub (t, v)", "y = Relu (t)", "y = MatMul (t, v)",
                                       "s = Concat<axis: int = 0> (v, v) y = Add (t, s)"};
    snprintf(d->text, sizeof d->text, HEADER "g (float[%s,%s] x, float[%s,%s] w, float[%s] v) => (y) { %s %s }\n", d->places[0],
             d->places[1], d->places[2], d->places[3], d->places[4], first[d->first], last[d->last]);
}

static void draw_model(drawn *d) {
    for (int i = 0; i < N_PLACES; i++) d->places[i] = sizes_drawn[draw(sizeof sizes_drawn / sizeof *sizes_drawn)];
    d->first = draw(4);
    d->last = draw(4);
    write_drawn(d);
}

/* A relative: one place or operator may differ. */
static void change_model(drawn *d) {
    const uint32_t what = draw(N_PLACES + 3);
    if (what < N_PLACES) d->places[what] = sizes_drawn[draw(sizeof sizes_drawn / sizeof *sizes_drawn)];
    if (what == N_PLACES) d->last = 1;
    if (what == N_PLACES + 1) d->last = draw(4);
    write_drawn(d);
}

/* Is it possible to choose the model's symbols so that the inputs have these sizes, and does the contract admit them? */
static bool admits(const drawn *d, const ob_report *report, const int64_t *sizes) {
    ob_named_size given[N_PLACES];
    size_t n = 0;
    ob_truth truth;
    for (int i = 0; i < N_PLACES; i++) {
        if (d->places[i][0] >= '0' && d->places[i][0] <= '9') {
            if (sizes[i] != d->places[i][0] - '0') return false;
            continue;
        }
        size_t at = 0;
        while (at < n && strcmp(given[at].name, d->places[i]) != 0) at++;
        if (at < n && given[at].size != sizes[i]) return false;
        if (at == n) given[n++] = (ob_named_size){d->places[i], sizes[i]};
    }
    assert_int_equal(ob_report_contract_holds(report, given, n, &truth, NULL), OB_OK);
    return truth == OB_TRUE;
}

static void random_models(void **state) {
    (void)state;
    size_t n_of[5] = {0};
    for (int i = 0; i < 400; i++) {
        drawn before, after;
        draw_model(&before);
        draw_model(&after);
        if (draw(4) > 0) after = before;
        change_model(&after);
        pair p = compare_texts(before.text, after.text);
        const ob_comparison_info info = ob_comparison_get_info(p.comparison);
        bool only_before = false, only_after = false;
        for (int code = 0; code < 1024; code++) {
            const int64_t sizes[N_PLACES] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 3, code >> 8 & 3};
            const bool was = admits(&before, p.reports[0], sizes), is = admits(&after, p.reports[1], sizes);
            only_before |= was && !is;
            only_after |= is && !was;
        }
        n_of[info.contract]++;
        const bool wrong = (info.contract == OB_RELATION_EQUAL && (only_before || only_after)) ||
                           (info.contract == OB_RELATION_WIDER && only_before) ||
                           (info.contract == OB_RELATION_NARROWER && only_after);
        if (wrong) fail_msg("%s%s%s", before.text, after.text, ob_relation_name(info.contract));
        /* A witness among the sizes that were enumerated must have been found. */
        if (info.contract == OB_RELATION_UNKNOWN && info.reason[0] == 'n' && only_before && only_after)
            fail_msg("%s%s no witness", before.text, after.text);
        look_at_witness(&info.only_old, p.reports[0],
                        info.contract == OB_RELATION_NARROWER || info.contract == OB_RELATION_NEITHER);
        look_at_witness(&info.only_new, p.reports[1], info.contract == OB_RELATION_WIDER || info.contract == OB_RELATION_NEITHER);
        release(&p);
    }
    printf("equal %zu, wider %zu, narrower %zu, neither %zu, unknown %zu\n", n_of[0], n_of[1], n_of[2], n_of[3], n_of[4]);
    for (int relation = 0; relation < 4; relation++) assert_true(n_of[relation] > 5);
    assert_true(n_of[OB_RELATION_UNKNOWN] < 200); /* most of them are contradictions: see the line above */
}

/* ---- Changes ---- */

static const ob_change *find_change(const ob_comparison *comparison, ob_change_kind kind, const char *part, ob_change *out) {
    for (size_t i = 0; i < ob_comparison_change_count(comparison); i++) {
        *out = ob_comparison_change(comparison, i);
        if (out->kind == kind && strstr(out->text, part)) return out;
    }
    return NULL;
}

static void changes_are_listed(void **state) {
    (void)state;
    pair p = compare_texts(
        HEADER "g (float[N,4] x, float[4] b, float[2] gone) => (float[?,?] y, float[?] z)\n"
               "<float[3] w = {1, 2, 3}> { [sum] y = Add (x, b) z = Relu (gone) }\n",
        HEADER "g (float[N,4] x, float[1] b, float[2] fresh, float[N] t, float[N,1] u) => (float[?,?] y, float[?] q)\n"
               "<float[5] w = {1, 2, 3, 4, 5}> { [sum] y = Add (x, b) q = Relu (fresh) [outer] o = Sub (t, u) }\n");
    ob_change change;
    bool was_breaking = true;
    for (size_t i = 0; i < ob_comparison_change_count(p.comparison); i++) {
        change = ob_comparison_change(p.comparison, i);
        assert_true(was_breaking || !change.breaking);
        was_breaking = change.breaking;
    }
    assert_true(find_change(p.comparison, OB_CHANGE_INPUT, "\"gone\" is missing", &change) && change.breaking);
    assert_string_equal(change.before, "float[2]");
    assert_string_equal(change.after, "");
    assert_true(find_change(p.comparison, OB_CHANGE_INPUT, "\"fresh\" is new", &change) && change.breaking);
    assert_true(find_change(p.comparison, OB_CHANGE_INPUT, "\"b\" has other sizes", &change) && !change.breaking);
    assert_true(find_change(p.comparison, OB_CHANGE_OUTPUT, "\"z\" is missing", &change) && change.breaking);
    assert_true(find_change(p.comparison, OB_CHANGE_OUTPUT, "\"q\" is new", &change) && !change.breaking);
    assert_true(find_change(p.comparison, OB_CHANGE_CONTRACT, "an input is new or missing", &change) && change.breaking);
    assert_true(find_change(p.comparison, OB_CHANGE_BROADCAST, "Add (N,4) (4) -> (N,4) became Add (N,4) (1) -> (N,4)", &change));
    assert_true(find_change(p.comparison, OB_CHANGE_BROADCAST, "new broadcast: outer", &change) && !change.breaking);
    assert_true(find_change(p.comparison, OB_CHANGE_FINDING, "new finding: OB0401", &change) && change.breaking);
    assert_string_equal(change.name, "OB0401");
    assert_true(find_change(p.comparison, OB_CHANGE_OPERATORS, "Sub nodes: 0 became 1", &change) && !change.breaking);
    assert_true(find_change(p.comparison, OB_CHANGE_WEIGHT_BYTES, "12 became 20", &change) && !change.breaking);
    assert_null(find_change(p.comparison, OB_CHANGE_VALUES, "", &change));
    change = ob_comparison_change(p.comparison, 1000);
    assert_string_equal(change.text, "");
    release(&p);
}

static void conditions_on_values(void **state) {
    (void)state;
    static const char before[] = HEADER "g (int64[N] i) => (float[?] y) <float[3] w = {1, 2, 3}> { y = Gather (w, i) }\n";
    static const char after[] = HEADER "g (int64[N] i) => (float[?] y) <float[2] w = {1, 2}> { y = Gather (w, i) }\n";
    pair p = compare_texts(before, after);
    ob_change change;
    assert_true(find_change(p.comparison, OB_CHANGE_VALUES, "new condition on elements: i: -2 <= i < 2", &change) &&
                change.breaking);
    assert_true(find_change(p.comparison, OB_CHANGE_VALUES, "gone: i: -3 <= i < 3", &change) && !change.breaking);
    release(&p);
}

/* ---- JSON, errors, memory ---- */

typedef struct gathered {
    char text[20000];
    size_t n;
} gathered;

static ob_status gather(void *context, const void *bytes, size_t n_bytes) {
    gathered *g = context;
    if (g->n + n_bytes >= sizeof g->text) return OB_E_LIMIT;
    memcpy(g->text + g->n, bytes, n_bytes);
    g->n += n_bytes;
    g->text[g->n] = '\0';
    return OB_OK;
}

static void as_json(void **state) {
    (void)state;
    static gathered g;
    pair p = compare_texts(broadcasts, fixed);
    assert_int_equal(ob_comparison_to_json(p.comparison, gather, &g, NULL), OB_OK);
    assert_non_null(strstr(
        g.text, "{\"compatible\":false,\"contract\":{\"relation\":\"narrower\",\"reason\":\"\",\"only_old\":{\"sizes\":{"));
    assert_non_null(strstr(g.text, "\"only_new\":null"));
    assert_non_null(strstr(g.text, "\n{\"kind\":\"contract\",\"breaking\":true,"));
    assert_int_equal(ob_comparison_to_json(p.comparison, NULL, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_comparison_to_json(NULL, gather, &g, NULL), OB_E_ARGUMENT);
    release(&p);
}

static void names_and_wrong_use(void **state) {
    (void)state;
    pair p = compare_texts(broadcasts, fixed);
    ob_comparison *out = NULL;
    assert_int_equal(ob_compare(NULL, p.reports[1], &out, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_compare(p.reports[0], NULL, &out, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_compare(p.reports[0], p.reports[1], NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_comparison_change_count(NULL), 0);
    assert_int_equal(ob_comparison_get_info(NULL).contract, OB_RELATION_UNKNOWN);
    ob_comparison_close(&out);
    ob_comparison_close(NULL);
    for (int kind = 0; kind < OB_CHANGE_KIND_COUNT; kind++) assert_true(ob_change_kind_name((ob_change_kind)kind)[0] != '\0');
    assert_string_equal(ob_change_kind_name(OB_CHANGE_KIND_COUNT), "");
    assert_string_equal(ob_relation_name((ob_relation)77), "");
    release(&p);
}

static ob_status compare_once(void *given, digest *made, ob_error *error) {
    pair *p = given;
    ob_comparison *comparison = NULL;
    ob_status status = ob_compare(p->reports[0], p->reports[1], &comparison, error);
    if (status == OB_OK) status = ob_comparison_to_json(comparison, digest_sink, made, error);
    ob_comparison_close(&comparison);
    return status;
}

static void every_allocation_fails(void **state) {
    (void)state;
    failing f = {0};
    const ob_allocator allocator = failing_allocator(&f);
    ob_load_options options;
    ob_load_options_init(&options);
    options.allocator = &allocator;
    pair p = {.comparison = NULL};
    const char *texts[] = {broadcasts, equal_sizes};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ob_model_load_memory(texts[i], strlen(texts[i]), "m.onnxtxt", &options, &p.models[i], NULL), OB_OK);
        p.reports[i] = check_model(p.models[i]);
    }
    assert_true(fail_each(&f, compare_once, &p, "compare", 60) > 5);
    release(&p);
    assert_int_equal(f.n_alive, 0);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations),
        cmocka_unit_test(random_models),
        cmocka_unit_test(changes_are_listed),
        cmocka_unit_test(conditions_on_values),
        cmocka_unit_test(as_json),
        cmocka_unit_test(names_and_wrong_use),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
