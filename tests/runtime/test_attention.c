/* Attention that is written out as nodes is one step: random forms give the same bits as node by node, for every level and one or
 * two threads; which forms are one step; and what the step does with memory and with a caller who stops it. */
#include "model_text.h"

#include <stdlib.h>

#include "core/graph/types.h"
#include "kernels/kernels.h"
#include "session_case.h"

enum { MOST_INPUTS = 4 };

static int64_t pick(int64_t n) {
    return rand() % n;
}

/* ---- Random forms ---- */

typedef struct drawn {
    ob_text text, inputs;
    ob_dtype dtype;
    int64_t batch, heads, kv_heads, n_queries, n_keys, size, v_size;
    uint32_t n_inputs;
    void *data[MOST_INPUTS];
    ob_view views[MOST_INPUTS];
    bool grouped;
    bool special; /* NaN and infinities in the operands */
} drawn;

static void fill(drawn *d, ob_dtype dtype, void *data, int64_t n, bool is_mask) {
    const double special[] = {0.0, -0.0, (double)INFINITY, (double)-INFINITY, (double)NAN, 1e-40};
    const int64_t masked = pick(3) == 0 ? 3 : 0;
    for (int64_t i = 0; i < n; i++) {
        double v = (double)pick(2001) / 500 - 2;
        if (is_mask && masked && pick(masked) == 0) v = (double)-INFINITY;
        if (d->special && pick(60) == 0) v = special[pick(6)];
        if (dtype == OB_FLOAT) ((float *)data)[i] = (float)v;
        if (dtype == OB_DOUBLE) ((double *)data)[i] = v;
        if (dtype == OB_BOOL) ((bool *)data)[i] = pick(masked ? masked : 40) != 0;
    }
}

static const char *type_name(const drawn *d) {
    return d->dtype == OB_DOUBLE ? "double" : "float";
}

static void add_input(drawn *d, const char *name, ob_dtype dtype, int32_t rank, const int64_t *dims, bool is_mask) {
    int64_t n = 1;
    ob__text_printf(&d->inputs, "%s%s[", d->n_inputs ? ", " : "", dtype == OB_BOOL ? "bool" : type_name(d));
    for (int32_t a = 0; a < rank; a++) {
        ob__text_printf(&d->inputs, "%s%lld", a ? "," : "", (long long)dims[a]);
        n *= dims[a];
    }
    ob__text_printf(&d->inputs, "] %s", name);
    void *data = d->data[d->n_inputs] = malloc((size_t)(n + 1) * ob_dtype_size(dtype));
    assert_non_null(data);
    fill(d, dtype, data, n, is_mask);
    assert_int_equal(ob_view_init(&d->views[d->n_inputs++], data, dtype, rank, dims), OB_OK);
}

static void add_number(drawn *d, const char *name, const char *value) {
    ob__text_printf(&d->text, "%s = Constant<value = %s {%s}>() ", name, type_name(d), value);
}

static void add_sizes(drawn *d, const char *name, int32_t rank, const int64_t *dims) {
    ob__text_printf(&d->text, "%s = Constant<value = int64[%d] {", name, rank);
    for (int32_t a = 0; a < rank; a++) ob__text_printf(&d->text, "%s%lld", a ? "," : "", (long long)dims[a]);
    ob__text_printf(&d->text, "}>() ");
}

/* Heads side by side in the last axis, as projections make them: [batch, length, heads * size]. */
static void add_flat(drawn *d, const char *name, int64_t length, int64_t heads, int64_t size, const char *perm) {
    const int64_t flat[3] = {d->batch, length, heads * size}, split[4] = {d->batch, length, heads, size};
    char input[8], sizes[8];
    snprintf(input, sizeof input, "%s_in", name);
    snprintf(sizes, sizeof sizes, "%s_of", name);
    add_input(d, input, d->dtype, 3, flat, false);
    add_sizes(d, sizes, 4, split);
    ob__text_printf(&d->text, "%s_re = Reshape<allowzero = 1>(%s, %s) %s = Transpose<perm = [%s]>(%s_re) ", name, input, sizes,
                    name, perm, name);
}

/* Keys or values for all query heads, from fewer heads. */
static void repeat_heads(drawn *d, const char *from, const char *to, int64_t rows, int64_t columns) {
    const int64_t group = d->heads / d->kv_heads, wide[5] = {d->batch, d->kv_heads, group, rows, columns},
                  all[4] = {d->batch, d->heads, rows, columns};
    char name[3][8];
    for (int i = 0; i < 3; i++) snprintf(name[i], sizeof name[i], "%s_%c", to, "wax"[i]);
    add_sizes(d, name[0], 5, wide);
    add_sizes(d, name[1], 4, all);
    ob__text_printf(&d->text, "%s_ax = Constant<value = int64[1] {2}>() %s_un = Unsqueeze(%s, %s_ax) ", to, to, from, to);
    ob__text_printf(&d->text, "%s = Expand(%s_un, %s) %s = Reshape<allowzero = 1>(%s, %s) ", name[2], to, name[0], to, name[2],
                    name[1]);
}

/* Query heads in groups that share a head of keys: the axis of the group broadcasts. */
static void add_groups(drawn *d) {
    const int64_t group = d->heads / d->kv_heads, query[5] = {d->batch, d->kv_heads, group, d->n_queries, d->size},
                  key[5] = {d->batch, d->kv_heads, 1, d->size, d->n_keys},
                  value[5] = {d->batch, d->kv_heads, 1, d->n_keys, d->v_size};
    add_input(d, "q", d->dtype, 5, query, false);
    add_input(d, "k", d->dtype, 5, key, false);
    add_input(d, "v", d->dtype, 5, value, false);
}

static void add_keys(drawn *d) {
    const bool repeats = d->kv_heads != d->heads;
    const char *key = repeats ? "k_few" : "k";
    const int64_t whole[4] = {d->batch, d->kv_heads, d->size, d->n_keys}, turned[4] = {d->batch, d->kv_heads, d->n_keys, d->size},
                  value[4] = {pick(5) ? d->batch : 1, d->kv_heads, d->n_keys, d->v_size};
    switch (pick(repeats ? 2 : 3)) {
    case 0: add_input(d, key, d->dtype, 4, whole, false); break;
    case 1:
        add_input(d, "k_in", d->dtype, 4, turned, false);
        ob__text_printf(&d->text, "%s = Transpose<perm = [0,1,3,2]>(k_in) ", key);
        break;
    default: add_flat(d, "k", d->n_keys, d->heads, d->size, "0,2,3,1"); break;
    }
    if (repeats) repeat_heads(d, "k_few", "k", d->size, d->n_keys);
    if (!repeats && pick(3) == 0) {
        add_flat(d, "v", d->n_keys, d->heads, d->v_size, "0,2,1,3");
        return;
    }
    if (repeats) {
        add_input(d, "v_few", d->dtype, 4, (int64_t[]){d->batch, value[1], value[2], value[3]}, false);
        repeat_heads(d, "v_few", "v", d->n_keys, d->v_size);
    } else {
        add_input(d, "v", d->dtype, 4, value, false);
    }
}

/* From the scores `s` to masked scores; returns the name of the result. */
static const char *add_mask(drawn *d, const char *s) {
    int64_t dims[4] = {d->grouped ? d->kv_heads : d->batch, d->grouped ? d->heads / d->kv_heads : d->heads, d->n_queries,
                       d->n_keys};
    const int32_t rank = 1 + (int32_t)pick(4);
    for (int i = 0; i < 4; i++) dims[i] = pick(2) ? dims[i] : 1;
    const int64_t *own = dims + 4 - rank;
    switch (pick(5)) {
    case 0:
        add_input(d, "m", d->dtype, rank, own, true);
        ob__text_printf(&d->text, pick(2) ? "masked = Add(%s, m) " : "masked = Add(m, %s) ", s);
        return "masked";
    case 1:
    case 2:
        add_input(d, "m", OB_BOOL, rank, own, true);
        add_number(d, "low", pick(2) ? "-inf" : "-10000");
        ob__text_printf(&d->text, pick(2) ? "masked = Where(m, %s, low) " : "masked = Where(m, low, %s) ", s);
        return "masked";
    default: return s;
    }
}

static const char *add_scale(drawn *d, const char *s) {
    if (pick(2)) return s;
    add_number(d, "scale", pick(2) ? "0.37" : "8");
    ob__text_printf(&d->text, pick(2) ? "scaled = Mul(%s, scale) " : "scaled = Div(%s, scale) ", s);
    return "scaled";
}

static ob_model *draw_form(drawn *d) {
    static const int64_t lengths[] = {0, 1, 2, 5, 11, 12, 13, 17, 64, 70, 130, 200}, sizes[] = {0, 1, 3, 8, 16, 33};
    *d = (drawn){.dtype = pick(3) ? OB_FLOAT : OB_DOUBLE, .special = pick(4) == 0};
    ob__text_init(&d->text, NULL);
    ob__text_init(&d->inputs, NULL);
    d->batch = pick(12) ? 1 + pick(3) : 0;
    d->heads = (int64_t[]){1, 2, 4, 4}[pick(4)];
    d->kv_heads = pick(4) ? d->heads : (d->heads + 1) / 2;
    d->n_queries = pick(5) ? lengths[5 + pick(7)] : lengths[pick(5)];
    d->n_keys = pick(20) ? lengths[2 + pick(10)] : pick(2);
    if (pick(25) == 0) d->n_keys = 700; /* more than one block of a sum */
    d->size = pick(15) ? sizes[2 + pick(4)] : pick(2);
    d->v_size = pick(15) ? sizes[1 + pick(5)] : 0;
    const int64_t query[4] = {d->batch, d->heads, d->n_queries, d->size};
    const char *q = "q", *k = "k", *s = "s", *w = "w";
    d->grouped = pick(4) == 0;
    if (d->grouped)
        add_groups(d);
    else if (pick(3))
        add_input(d, "q", d->dtype, 4, query, false);
    else
        add_flat(d, "q", d->n_queries, d->heads, d->size, "0,2,1,3");
    if (!d->grouped) add_keys(d);
    if (pick(4) == 0) {
        add_number(d, "root", "0.6");
        ob__text_printf(&d->text, "q2 = Mul(q, root) k2 = Mul(k, root) ");
        q = "q2";
        k = "k2";
    }
    ob__text_printf(&d->text, "s = MatMul(%s, %s) ", q, k);
    const bool mask_first = pick(4) == 0;
    if (mask_first) s = add_mask(d, s);
    s = add_scale(d, s);
    if (!mask_first) s = add_mask(d, s);
    ob__text_printf(&d->text, "w = Softmax(%s) ", s);
    if (pick(4) == 0) { /* a row without keys gives 0 */
        add_number(d, "zero", "0");
        ob__text_printf(&d->text, "nan = IsNaN(w) safe = Where(nan, zero, w) ");
        w = "safe";
    }
    ob__text_printf(&d->text, "y = MatMul(%s, v) ", w);
    ob_text all;
    ob__text_init(&all, NULL);
    ob__text_printf(&all, "<ir_version: 8, opset_import: [\"\" : 18]>\ng (%s) => (%s y) { %s}", d->inputs.data, type_name(d),
                    d->text.data);
    assert_false(all.failed || d->text.failed || d->inputs.failed);
    ob_model *model = read_text(all.data);
    ob__text_release(&all);
    ob__text_release(&d->text);
    ob__text_release(&d->inputs);
    return model;
}

static void count_step(void *context, const ob_step_info *step) {
    *(int *)context += strcmp(step->kernel, "attention_rows") == 0;
}

/* The number of steps that are attention as a whole. */
static int attention_steps(const ob_session *session) {
    int n = 0;
    assert_int_equal(ob_session_each_step(session, count_step, &n, NULL), OB_OK);
    return n;
}

static void random_forms(void **state) {
    (void)state;
    const unsigned levels[] = {0, OBK_ISA_AVX2, ~0u};
    int n_joined = 0;
    srand(59);
    for (int round = 0; round < 1500; round++) {
        drawn d;
        ob_model *model = draw_form(&d);
        ob__kernels_limit(levels[round % 3]);
        ob_session *joined = check_beside_plain(model, d.views, d.n_inputs, 1 + round % 2, NULL);
        n_joined += attention_steps(joined);
        ob_session_close(&joined);
        for (uint32_t i = 0; i < d.n_inputs; i++) free(d.data[i]);
        ob_model_close(&model);
    }
    ob__kernels_limit(~0u);
    assert_true(n_joined > 500);
}

/* ---- Single forms ---- */

#define MODEL(inputs, nodes) "<ir_version: 8, opset_import: [\"\" : 18]>\ng (" inputs ") => (float y) { " nodes " }"
#define QKV                  "float[B,H,Q,D] q, float[B,H,D,K] k, float[B,H,K,V] v"

static float numbers[1 << 16];

/* Sizes 2, 3, 40, 8, 50 and 16, with symbols. */
static ob_session *run_form(const char *text, ob_model **model) {
    ob_view in[4] = {view_of(numbers, OB_FLOAT, 4, 2, 3, 40, 8), view_of(numbers, OB_FLOAT, 4, 2, 3, 8, 50),
                     view_of(numbers, OB_FLOAT, 4, 2, 3, 50, 16), view_of(numbers, OB_FLOAT, 2, 40, 50)};
    *model = read_text(text);
    ob_error error;
    ob_session *session = open_session(*model, true);
    assert_int_equal(ob_session_prepare(session, in, ob_session_input_count(session), &error), OB_OK);
    return session;
}

static int form_is_joined(const char *text) {
    ob_model *model;
    ob_session *session = run_form(text, &model);
    const int n = attention_steps(session);
    ob_session_close(&session);
    ob_model_close(&model);
    return n;
}

static void which_forms_are_joined(void **state) {
    (void)state;
    assert_int_equal(form_is_joined(MODEL(QKV, "s = MatMul(q, k) w = Softmax(s) y = MatMul(w, v)")), 1);
    assert_int_equal(
        form_is_joined(MODEL(QKV ", float[Q,K] m", "s = MatMul(q, k) t = Add(m, s) w = Softmax(t) y = MatMul(w, v)")), 1);
    /* fewer queries than 12 */
    assert_int_equal(form_is_joined(MODEL("float[B,H,Q,D] a, float[B,H,D,K] k, float[B,H,K,V] v",
                                          "i = Constant<value = int64[1] {0}>() j = Constant<value = int64[1] {11}>() "
                                          "x = Constant<value = int64[1] {2}>() q = Slice(a, i, j, x) "
                                          "s = MatMul(q, k) w = Softmax(s) y = MatMul(w, v)")),
                     0);
    /* somebody else reads the scores, or the weights */
    assert_int_equal(
        form_is_joined(MODEL(QKV, "s = MatMul(q, k) w = Softmax(s) z = MatMul(w, v) t = ReduceMax(s) y = Add(z, t)")), 0);
    assert_int_equal(
        form_is_joined(MODEL(QKV, "s = MatMul(q, k) w = Softmax(s) z = MatMul(w, v) t = ReduceMax(w) y = Add(z, t)")), 0);
    /* the weights are the right operand; no function of rows; Softmax along another axis */
    assert_int_equal(form_is_joined(MODEL(QKV, "s = MatMul(q, k) w = Softmax(s) t = Transpose<perm = [0,1,3,2]>(v) "
                                               "x = Transpose<perm = [0,1,3,2]>(w) y = MatMul(t, x)")),
                     0);
    assert_int_equal(form_is_joined(MODEL(QKV, "s = MatMul(q, k) w = Relu(s) y = MatMul(w, v)")), 0);
    assert_int_equal(form_is_joined(MODEL(QKV, "s = MatMul(q, k) w = Softmax<axis = 2>(s) y = MatMul(w, v)")), 0);
}

static void expect_names(void *context, const ob_step_info *step) {
    (void)context;
    assert_string_equal(step->op_type, "MatMul+Mul+Softmax+MatMul");
    assert_string_equal(step->nodes, "s+t+w+y");
}

static void all_nodes_are_named(void **state) {
    (void)state;
    ob_model *model;
    ob_session *session = run_form(
        MODEL(QKV, "c = Constant<value = float {0.5}>() s = MatMul(q, k) t = Mul(s, c) w = Softmax(t) y = MatMul(w, v)"), &model);
    assert_int_equal(ob_session_each_step(session, expect_names, NULL, NULL), OB_OK);
    ob_session_close(&session);
    ob_model_close(&model);
}

static const char long_form[] = "<ir_version: 8, opset_import: [\"\" : 18]>\n"
                                "g (float[8,1024,16] q, float[8,16,1024] k, float[8,1024,16] v) => (float y) "
                                "{ s = MatMul(q, k) w = Softmax(s) y = MatMul(w, v) }";

static void views_of_long_form(ob_view *in) {
    static float q[8 * 1024 * 16];
    for (int i = 0; i < 3; i++) in[i] = i == 1 ? view_of(q, OB_FLOAT, 3, 8, 16, 1024) : view_of(q, OB_FLOAT, 3, 8, 1024, 16);
}

/* 32 MiB of scores are not in memory. */
static void scores_are_not_in_memory(void **state) {
    (void)state;
    ob_model *model = read_text(long_form);
    ob_session *session = open_session(model, true);
    ob_session_memory memory;
    ob_view in[3], out = {0};
    views_of_long_form(in);
    run_ok(session, in, 3, &out, 1);
    ob_session_get_memory(session, &memory);
    assert_true(memory.arena_bytes + memory.scratch_bytes < 1 << 20);
    ob_session_close(&session);
    ob_model_close(&model);
}

typedef struct stopper {
    int n_asked, stop_at;
} stopper;

static bool cancelled(void *context) {
    stopper *s = context;
    return ++s->n_asked == s->stop_at;
}

static void the_step_can_be_stopped(void **state) {
    (void)state;
    ob_model *model = read_text(long_form);
    for (int threads = 1; threads <= 2; threads++) {
        stopper s = {0};
        ob_session *session = NULL;
        ob_session_config config;
        ob_error error;
        ob_view in[3], out = {0};
        views_of_long_form(in);
        ob_session_config_init(&config);
        config.cancelled = cancelled;
        config.context = &s;
        config.n_threads = threads;
        const ob_status status = ob_session_create(model, &config, &session, &error);
        if (status == OB_E_UNSUPPORTED) continue; /* no threads in this build */
        assert_int_equal(status, OB_OK);
        run_ok(session, in, 3, &out, 1);
        s = (stopper){0};
        run_ok(session, in, 3, &out, 1);
        assert_true(s.n_asked >= 3); /* before the step, and inside */
        s = (stopper){.stop_at = 2};
        assert_int_equal(ob_session_run(session, in, 3, &out, 1, &error), OB_E_CANCELLED);
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(random_forms), cmocka_unit_test(which_forms_are_joined),
                                              cmocka_unit_test(all_nodes_are_named), cmocka_unit_test(scores_are_not_in_memory),
                                              cmocka_unit_test(the_step_can_be_stopped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
