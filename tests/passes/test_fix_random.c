/* Random chains of elementwise operators in which operands have lost the ones behind their axis. After the fixes a model checks
 * clean and computes the bits of the model without the mistakes; or it never had an error, and computes what it computed before;
 * or it is unchanged. `test_fix_random SEED N` runs N models from that seed. */
#include <stdlib.h>

#include "model_text.h"

enum { N_MODELS = 400, CHANNELS = 3, ROWS = 5, MOST_NODES = 6, MOST_ELEMENTS = 2000 };

static uint64_t state_of_draw;

static uint32_t draw(uint32_t n) {
    state_of_draw = state_of_draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state_of_draw >> 33) % n;
}

/* An operand: its size, and how many ones stand behind it. */
typedef struct operand {
    int size, ones;
    bool is_input, planted;
} operand;

typedef struct net {
    operand operands[MOST_NODES];
    const char *ops[MOST_NODES];
    int n, columns;
} net;

static net draw_net(void) {
    static const char *const ops[] = {"Add", "Mul", "Sub", "Max", "PRelu", "Div"};
    net m = {.n = 1 + (int)draw(MOST_NODES), .columns = draw(4) ? 4 : CHANNELS}; /* sometimes equal to the channels */
    for (int i = 0; i < m.n; i++) {
        const int ones = (int)draw(3);
        m.ops[i] = ops[draw(6)];
        m.operands[i] = (operand){.size = ones == 2   ? CHANNELS
                                          : ones == 1 ? ROWS
                                                      : m.columns,
                                  .ones = ones,
                                  .is_input = draw(2) == 0,
                                  .planted = ones > 0 && draw(2) == 0};
    }
    return m;
}

static float element(int node, int i) {
    return (float)(node * 7 + i * 3 % 11) / 4 - 2.25f;
}

/* right: without the mistakes. */
static ob_model *model_of(const net *m, bool right) {
    char inputs[1000], weights[2000] = "", body[1000] = "", text[5000];
    int n = snprintf(inputs, sizeof inputs, "float[N,%d,%d,%d] x", CHANNELS, ROWS, m->columns);
    size_t n_weights = 0, n_body = 0;
    for (int i = 0; i < m->n; i++) {
        const operand *o = &m->operands[i];
        const char *ones = o->planted && !right ? "" : o->ones == 2 ? ",1,1" : o->ones == 1 ? ",1" : "";
        if (o->is_input) {
            n += snprintf(inputs + n, sizeof inputs - (size_t)n, ", float[%d%s] p%d", o->size, ones, i);
        } else {
            n_weights += (size_t)snprintf(weights + n_weights, sizeof weights - n_weights, "%sfloat[%d%s] p%d = {",
                                          n_weights ? ", " : "", o->size, ones, i);
            for (int k = 0; k < o->size; k++)
                n_weights +=
                    (size_t)snprintf(weights + n_weights, sizeof weights - n_weights, k ? ", %g" : "%g", (double)element(i, k));
            n_weights += (size_t)snprintf(weights + n_weights, sizeof weights - n_weights, "}");
        }
        char from[8] = "x";
        if (i) snprintf(from, sizeof from, "v%d", i - 1);
        n_body += (size_t)snprintf(body + n_body, sizeof body - n_body, "  v%d = %s (%s, p%d)\n", i, m->ops[i], from, i);
    }
    snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 17]>\ng (%s) => (float[?,?,?,?] v%d)%s%s%s {\n%s}\n",
             inputs, m->n - 1, n_weights ? " <" : "", weights, n_weights ? ">" : "", body);
    return read_text(text);
}

/* The bits of the result for a batch; the number of elements, or -1. */
static int64_t run(const ob_model *model, const net *m, int64_t batch, bool right, float *out) {
    static float x[MOST_ELEMENTS], p[MOST_NODES][8];
    ob_view views[1 + MOST_NODES], result = {0};
    ob_session *session = NULL;
    ob_error error;
    size_t n_views = 0;
    const int64_t dims[] = {batch, CHANNELS, ROWS, m->columns};
    for (int i = 0; i < MOST_ELEMENTS; i++) x[i] = (float)(i % 23) / 8 - 1;
    assert_int_equal(ob_view_init(&views[n_views], x, OB_FLOAT, 4, dims), OB_OK);
    views[n_views++].data = x;
    for (int i = 0; i < m->n; i++) {
        const operand *o = &m->operands[i];
        const int64_t sizes[] = {o->size, 1, 1};
        if (!o->is_input) continue;
        for (int k = 0; k < o->size; k++) p[i][k] = element(i, k);
        assert_int_equal(ob_view_init(&views[n_views], p[i], OB_FLOAT, o->planted && !right ? 1 : 1 + o->ones, sizes), OB_OK);
        views[n_views++].data = p[i];
    }
    if (ob_session_create(model, NULL, &session, &error) != OB_OK) fail_msg("%s", error.message);
    int64_t n = -1;
    if (ob_session_run(session, views, n_views, &result, 1, &error) != OB_OK) {
        print_message("%s\n", error.message);
    } else {
        n = ob_view_count(&result);
        assert_true(n <= MOST_ELEMENTS && ob_view_is_contiguous(&result));
        if (n) memcpy(out, result.data, (size_t)n * sizeof *out);
    }
    ob_session_close(&session);
    return n;
}

static size_t n_errors(ob_model *model) {
    ob_report *report = check_model(model);
    const size_t n = ob_report_get_summary(report).n_errors;
    ob_report_close(&report);
    return n;
}

/* True: the model had an error and is repaired. */
static bool check_one(const net *m) {
    static float was[MOST_ELEMENTS], is[MOST_ELEMENTS];
    ob_model *planted = model_of(m, false), *right = model_of(m, true), *fixed = model_of(m, false);
    ob_text before, after;
    ob_fixes *fixes = NULL;
    ob__text_init(&before, NULL);
    ob__text_init(&after, NULL);
    write_model(planted, OB_FORMAT_TEXT, &before);
    assert_int_equal(ob_fix_model(fixed, NULL, &fixes, NULL), OB_OK);
    write_model(fixed, OB_FORMAT_TEXT, &after);
    const bool never_ran = n_errors(planted) > 0, clean = n_errors(fixed) == 0;
    if (ob_fixes_count_of(fixes, OB_FIX_APPLIED) == 0) assert_string_equal(after.data, before.data);
    for (size_t i = 0; i < ob_fixes_count(fixes) && m->columns != CHANNELS && !clean; i++)
        print_message("%s: %s: %s\n", ob_fixes_at(fixes, i).node, ob_fixes_at(fixes, i).text, ob_fixes_at(fixes, i).reason);
    if (m->columns != CHANNELS && !clean) fail_msg("only one place fits, but errors remain in\n%s", before.data);
    for (int64_t batch = 0; batch < 4 && clean; batch++) {
        const ob_model *oracle = never_ran ? right : planted;
        if (never_ran && m->columns == CHANNELS) break; /* some of the mistakes are legal, and stay */
        const int64_t n = run(oracle, m, batch, never_ran, was);
        assert_true(n >= 0);
        assert_int_equal(run(fixed, m, batch, false, is), n);
        if (n) assert_memory_equal(is, was, (size_t)n * sizeof *is);
    }
    ob_fixes_close(&fixes);
    ob__text_release(&before);
    ob__text_release(&after);
    ob_model_close(&planted);
    ob_model_close(&right);
    ob_model_close(&fixed);
    return never_ran && clean;
}

static void fixed_models_compute_what_was_meant(void **state) {
    (void)state;
    int n_repaired = 0;
    for (int i = 0; i < N_MODELS; i++) {
        state_of_draw = 1000 + (uint64_t)i;
        const net m = draw_net();
        n_repaired += check_one(&m);
    }
    print_message("%d of %d models had errors and were repaired\n", n_repaired, N_MODELS);
    assert_true(n_repaired > N_MODELS / 3);
}

int main(int argc, char **argv) {
    if (argc == 3) {
        for (long i = 0; i < atol(argv[2]); i++) {
            state_of_draw = (uint64_t)atol(argv[1]) + (uint64_t)i;
            const net m = draw_net();
            check_one(&m);
        }
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(fixed_models_compute_what_was_meant)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
