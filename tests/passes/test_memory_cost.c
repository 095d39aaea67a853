/* The cost of explicit broadcasts: the peak of random models beside a naive simulation, bodies, open sizes, wrong use, memory. */
#include "failing.h"
#include "model_text.h"

#include <stdio.h>
#include <stdlib.h>

#define HEADER "<ir_version: 8, opset_import: [\"\" : 17]>\n"

typedef struct costed {
    ob_model *model;
    ob_report *report;
    ob_cost *cost;
    ob_cost_info info;
} costed;

static costed cost_of(const char *text) {
    costed c = {.model = read_text(text)};
    c.report = check_model(c.model);
    assert_int_equal(ob_cost_create(c.report, &c.cost, NULL), OB_OK);
    c.info = ob_cost_get_info(c.cost);
    return c;
}

static void release(costed *c) {
    ob_cost_close(&c->cost);
    ob_report_close(&c->report);
    ob_model_close(&c->model);
}

/* ---- By hand ---- */

static void a_chain(void **state) {
    (void)state;
    /* x: 40 bytes, a: 40, y: 400 */
    costed c = cost_of(HEADER "g (float[1,10] x, float[10,1] u) => (float[10,10] y)\n"
                              "<float[3] w = {1, 2, 3}> { [first] a = Relu (x) [second] y = Add (a, u) }\n");
    assert_string_equal(c.info.unknown, "");
    assert_int_equal(c.info.weight_bytes, 12);
    assert_int_equal(c.info.peak_bytes, 40 + 40 + 400); /* u, a, y */
    assert_string_equal(c.info.peak_node, "second");
    assert_int_equal(c.info.n_nodes, 1);
    const ob_cost_row row = ob_cost_at(c.cost, 0);
    assert_int_equal(row.copied_bytes, 800);
    assert_int_equal(row.operand_bytes, 80);
    assert_int_equal(row.live_bytes, 480);
    assert_int_equal(row.peak_change, 800);
    assert_int_equal(c.info.explicit_bytes, 1280);
    assert_string_equal(c.info.explicit_node, "second");
    assert_int_equal(ob_cost_at(c.cost, 1).copied_bytes, -1);
    release(&c);
}

static void a_copy_below_the_peak(void **state) {
    (void)state;
    costed c = cost_of(
        HEADER "g (float[100] x, float[1] s) => (float[10] y)\n"
               "{ [large] a = Relu (x) b = Relu (a) c = ReduceSum <keepdims: int = 1> (b)\n"
               "  t = Constant <value: tensor = float[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}> () [add] y = Add (t, s) }\n");
    assert_int_equal(c.info.n_nodes, 1);
    assert_int_equal(ob_cost_at(c.cost, 0).copied_bytes, 40);
    assert_int_equal(ob_cost_at(c.cost, 0).peak_change, 0);
    assert_int_equal(c.info.explicit_bytes, c.info.peak_bytes);
    assert_string_equal(c.info.peak_node, "large");
    release(&c);
}

static void bodies_need_their_own_peak(void **state) {
    (void)state;
    costed c = cost_of(HEADER "g (bool b, float[4] x) => (float[4] y) { [if] y = If (b) <\n"
                              "  then_branch: graph = t () => (float[4] p) { q = Relu (x) r = Relu (q) p = Neg (r) },\n"
                              "  else_branch: graph = e () => (float[4] p) { p = Neg (x) }> }\n");
    assert_string_equal(c.info.unknown, "");
    assert_int_equal(c.info.peak_bytes, 1 + 16 + 16 + 32); /* b, x, y, and two values of the branch */
    assert_string_equal(c.info.peak_node, "if");
    release(&c);
}

static void what_is_not_known(void **state) {
    (void)state;
    costed c = cost_of(HEADER "g (float[N,4] x, float[4] w) => (float[N,4] y) { y = Add (x, w) }\n");
    assert_int_equal(c.info.peak_bytes, -1);
    assert_int_equal(c.info.explicit_bytes, -1);
    assert_string_equal(c.info.unknown, "the size of \"x\" is not known");
    assert_int_equal(ob_cost_at(c.cost, 0).live_bytes, -1);
    assert_int_equal(ob_cost_at(c.cost, 0).copied_bytes, -1);
    release(&c);
    const ob_cost_info none = ob_cost_get_info(NULL);
    assert_int_equal(none.peak_bytes, -1);
    ob_cost *cost = NULL;
    assert_int_equal(ob_cost_create(NULL, &cost, NULL), OB_E_ARGUMENT);
    ob_cost_close(&cost);
    ob_cost_close(NULL);
    assert_int_equal(ob_cost_at(NULL, 0).peak_change, -1);
}

/* ---- Random models ---- */

static uint64_t seed = 21;

static uint32_t draw(uint32_t n) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

enum { N_INPUTS = 3, MOST = 40 };

typedef struct random_model {
    int64_t sizes[MOST][2];
    int operands[MOST][2]; /* -1: none; values below N_INPUTS are inputs */
    bool is_output[MOST];
    int n;
    char text[8000];
} random_model;

static void draw_model(random_model *m) {
    const int64_t sizes[2] = {(int64_t[]){3, 1, 0, 17}[draw(4)], (int64_t[]){5, 1, 2, 9}[draw(4)]};
    m->n = N_INPUTS + 1 + (int)draw(MOST - N_INPUTS - 1);
    size_t at = (size_t)snprintf(m->text, sizeof m->text, HEADER "g (");
    for (int v = 0; v < m->n; v++) {
        int *operands = m->operands[v];
        operands[0] = operands[1] = -1;
        m->is_output[v] = v == m->n - 1 || draw(8) == 0;
        if (v < N_INPUTS) {
            m->is_output[v] = false;
            for (int axis = 0; axis < 2; axis++) m->sizes[v][axis] = draw(2) ? sizes[axis] : 1;
            at += (size_t)snprintf(m->text + at, sizeof m->text - at, "%sfloat[%d,%d] v%d", v ? ", " : "", (int)m->sizes[v][0],
                                   (int)m->sizes[v][1], v);
            continue;
        }
        operands[0] = (int)draw((uint32_t)v);
        if (draw(3) > 0) operands[1] = (int)draw((uint32_t)v);
        for (int axis = 0; axis < 2; axis++) {
            const int64_t a = m->sizes[operands[0]][axis], b = operands[1] < 0 ? a : m->sizes[operands[1]][axis];
            m->sizes[v][axis] = a == 1 ? b : a;
        }
    }
    at += (size_t)snprintf(m->text + at, sizeof m->text - at, ") => (");
    bool any = false;
    for (int v = 0; v < m->n; v++) {
        if (!m->is_output[v]) continue;
        at += (size_t)snprintf(m->text + at, sizeof m->text - at, "%sv%d", any ? ", " : "", v);
        any = true;
    }
    at += (size_t)snprintf(m->text + at, sizeof m->text - at, ") {\n");
    for (int v = N_INPUTS; v < m->n; v++) {
        if (m->operands[v][1] < 0)
            at += (size_t)snprintf(m->text + at, sizeof m->text - at, "v%d = Relu (v%d)\n", v, m->operands[v][0]);
        else
            at += (size_t)snprintf(m->text + at, sizeof m->text - at, "v%d = Add (v%d, v%d)\n", v, m->operands[v][0],
                                   m->operands[v][1]);
    }
    snprintf(m->text + at, sizeof m->text - at, "}\n");
}

static int64_t bytes(const random_model *m, int v) {
    return 4 * m->sizes[v][0] * m->sizes[v][1];
}

/* Is the value in memory while node `at` runs (N_INPUTS - 1: before the first)? */
static bool is_live(const random_model *m, int v, int at) {
    int last = -1;
    for (int reader = N_INPUTS; reader < m->n; reader++)
        if (m->operands[reader][0] == v || m->operands[reader][1] == v) last = reader;
    if (v >= N_INPUTS && v > at) return false;
    if (m->is_output[v] || (v < N_INPUTS && last < 0)) return true;
    return v == at || at <= last;
}

static void random_peaks(void **state) {
    (void)state;
    for (int i = 0; i < 500; i++) {
        random_model m;
        draw_model(&m);
        int64_t peak = 0, with_copies = 0;
        costed c = cost_of(m.text);
        for (int at = N_INPUTS - 1; at < m.n; at++) {
            int64_t now = 0, copies = 0;
            for (int v = 0; v < m.n; v++)
                if (is_live(&m, v, at)) now += bytes(&m, v);
            for (int k = 0; at >= N_INPUTS && m.operands[at][1] >= 0 && k < 2; k++) {
                const int v = m.operands[at][k];
                if (m.sizes[v][0] != m.sizes[at][0] || m.sizes[v][1] != m.sizes[at][1]) copies += bytes(&m, at);
            }
            if (now > peak) peak = now;
            if (now + copies > with_copies) with_copies = now + copies;
        }
        if (c.info.peak_bytes != peak || c.info.explicit_bytes != with_copies)
            fail_msg("%speak %lld instead of %lld, with copies %lld instead of %lld", m.text, (long long)c.info.peak_bytes,
                     (long long)peak, (long long)c.info.explicit_bytes, (long long)with_copies);
        for (size_t k = 1; k < c.info.n_nodes; k++)
            assert_true(ob_cost_at(c.cost, k - 1).copied_bytes >= ob_cost_at(c.cost, k).copied_bytes);
        release(&c);
    }
}

/* ---- Rewriting under a limit ---- */

static void count_note(void *context, const char *node, const char *op_type, const char *reason) {
    (void)node, (void)op_type;
    assert_non_null(strstr(reason, "memory"));
    ++*(size_t *)context;
}

/* For each limit between the peak and the peak with all copies, the rewritten model stays within the limit, and a larger limit
 * makes no fewer broadcasts explicit. */
static void rewriting_stays_within_the_limit(void **state) {
    (void)state;
    size_t n_limited = 0;
    for (int i = 0; i < 60; i++) {
        random_model m;
        draw_model(&m);
        costed whole = cost_of(m.text);
        const int64_t least = whole.info.peak_bytes, most = whole.info.explicit_bytes, step = (most - least) / 4 + 1;
        size_t n_before = 0;
        for (int64_t limit = least > 0 ? least : 1; limit <= most + step; limit += step) {
            costed c = cost_of(m.text);
            size_t n_notes = 0;
            ob_rewrite_stats stats = {0};
            const ob_rewrite_options options = {.max_ram = limit, .cost = c.cost, .note = count_note, .context = &n_notes};
            ob_report_close(&c.report);
            assert_int_equal(ob_rewrite(c.model, OB_FORM_EXPAND, &options, &stats, NULL), OB_OK);
            assert_int_equal(stats.n_left, n_notes);
            assert_true(stats.n_inserted >= n_before);
            n_before = stats.n_inserted;
            n_limited += n_notes > 0 && stats.n_inserted > 0;
            ob_report *report = check_model(c.model);
            ob_cost *after = NULL;
            assert_int_equal(ob_cost_create(report, &after, NULL), OB_OK);
            /* Constants with the shapes are values too: 8 bytes for each axis. */
            const int64_t extra = 16 * (int64_t)stats.n_inserted;
            if (ob_cost_get_info(after).peak_bytes > limit + extra)
                fail_msg("%slimit %lld: %lld", m.text, (long long)limit, (long long)ob_cost_get_info(after).peak_bytes);
            ob_cost_close(&after);
            ob_report_close(&report);
            release(&c);
        }
        release(&whole);
    }
    assert_true(n_limited > 20);
    costed c = cost_of(HEADER "g (float[N,4] x, float[4] w) => (float[N,4] y) { y = Add (x, w) }\n");
    ob_rewrite_stats stats;
    ob_report_close(&c.report);
    const ob_rewrite_options unknown = {.max_ram = INT64_MAX - 1, .cost = c.cost};
    assert_int_equal(ob_rewrite(c.model, OB_FORM_EXPAND, &unknown, &stats, NULL), OB_OK);
    assert_int_equal(stats.n_inserted, 0);
    assert_int_equal(stats.n_left, 1);
    assert_int_equal(ob_rewrite(c.model, OB_FORM_EXPAND, &(ob_rewrite_options){.max_ram = 1}, &stats, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_rewrite(c.model, OB_FORM_EXPAND, &(ob_rewrite_options){.max_ram = -1, .cost = c.cost}, &stats, NULL),
                     OB_E_ARGUMENT);
    release(&c);
}

/* ---- Memory ---- */

static ob_status compute(void *given, digest *made, ob_error *error) {
    ob_cost *cost = NULL;
    const ob_status status = ob_cost_create(given, &cost, error);
    if (status == OB_OK) digest_number(made, ob_cost_get_info(cost).explicit_bytes);
    ob_cost_close(&cost);
    return status;
}

static void every_allocation_fails(void **state) {
    (void)state;
    static const char text[] = HEADER "g (float[1,10] x, float[10,1] u) => (float[10,10] y) { a = Relu (x) y = Add (a, u) }\n";
    failing f = {0};
    const ob_allocator allocator = failing_allocator(&f);
    ob_load_options options;
    ob_load_options_init(&options);
    options.allocator = &allocator;
    ob_model *model = NULL;
    assert_int_equal(ob_model_load_memory(text, strlen(text), "m.onnxtxt", &options, &model, NULL), OB_OK);
    ob_report *report = check_model(model);
    assert_true(fail_each(&f, compute, report, "cost", 40) > 1);
    ob_report_close(&report);
    ob_model_close(&model);
    assert_int_equal(f.n_alive, 0);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain),
        cmocka_unit_test(a_copy_below_the_peak),
        cmocka_unit_test(bodies_need_their_own_peak),
        cmocka_unit_test(what_is_not_known),
        cmocka_unit_test(random_peaks),
        cmocka_unit_test(rewriting_stays_within_the_limit),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
