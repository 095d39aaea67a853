/* The body of Attention compared with loops. */
#include "body_case.h"

enum { BATCH = 2, HEADS = 4, KEY_HEADS = 2, QUERIES = 3, KEYS = 2, PAST = 3, SIZE = 4, ALL_KEYS = PAST + KEYS };

typedef struct attention_case {
    const char *attributes;
    bool causal, mask_is_bool, cut; /* cut: only n_valid keys are used, without a past */
    double scale, softcap;
    int mode;
    bool windows; /* left_window_size 2, right_window_size 1 */
} attention_case;

static double at4(const ob_view *view, int64_t a, int64_t b, int64_t c, int64_t d) {
    return element(view, ((a * view->dims[1] + b) * view->dims[2] + c) * view->dims[3] + d);
}

/* Keys of the past first. `which`: 1 of keys, 2 of values. */
static double key_at(const operands *in, const attention_case *c, int which, int64_t b, int64_t head, int64_t key, int64_t d) {
    if (c->cut) return at4(&in->views[which], b, head, key, d);
    return key < PAST ? at4(&in->views[3 + which], b, head, key, d) : at4(&in->views[which], b, head, key - PAST, d);
}

static void attend(const operands *in, const attention_case *c, int64_t b, int64_t h, int64_t q, double *y, double *shown) {
    double s[ALL_KEYS], highest = -HUGE_VAL, sum = 0;
    int64_t n_past = c->cut ? 0 : PAST, n = c->cut ? KEYS : ALL_KEYS, head = h / (HEADS / KEY_HEADS);
    for (int64_t k = 0; k < n; k++) {
        double dot = 0;
        for (int64_t d = 0; d < SIZE; d++) dot += at4(&in->views[0], b, h, q, d) * key_at(in, c, 1, b, head, k, d);
        s[k] = dot * c->scale;
        if (c->mode == 0) shown[k] = s[k];
        if (c->softcap != 0) s[k] = c->softcap * tanh(s[k] / c->softcap);
        if (c->mode == 1) shown[k] = s[k];
        /* A mask that lacks the last key: the missing key is masked. */
        const ob_view *mask = &in->views[3];
        double m = c->cut ? 0 : k < n - 1 ? element(mask, q * (n - 1) + k) : c->mask_is_bool ? 0 : -HUGE_VAL;
        if (!c->cut && c->mask_is_bool) m = m != 0 ? 0 : -HUGE_VAL;
        /* A sample of the batch has 1 + b keys; the last ones belong to the queries. */
        const int64_t place = q + (c->cut ? 1 + b - QUERIES : n_past);
        if (c->causal && k > place) m = -HUGE_VAL;
        if (c->windows && (k < place - 2 || k > place + 1)) m = -HUGE_VAL;
        if (c->cut && k >= 1 + b) m = -HUGE_VAL;
        s[k] += m;
        if (c->mode == 2) shown[k] = s[k];
        highest = fmax(highest, s[k]);
    }
    for (int64_t k = 0; k < n; k++) sum += s[k] = isinf(highest) ? 0 : exp(s[k] - highest);
    if (sum == 0) sum = 1; /* no visible key: the result is 0 */
    for (int64_t d = 0; d < SIZE; d++) y[d] = 0;
    for (int64_t k = 0; k < n; k++) {
        if (c->mode == 3) shown[k] = s[k] / sum;
        for (int64_t d = 0; d < SIZE; d++) y[d] += s[k] / sum * key_at(in, c, 2, b, head, k, d);
    }
}

static void check_attention(const operands *in, const attention_case *c, const ob_view *out) {
    int64_t n = c->cut ? KEYS : ALL_KEYS;
    for (int64_t row = 0; row < BATCH * HEADS * QUERIES; row++) {
        double y[SIZE], shown[ALL_KEYS];
        attend(in, c, row / QUERIES / HEADS, row / QUERIES % HEADS, row % QUERIES, y, shown);
        for (int64_t d = 0; d < SIZE; d++) {
            double got = element(&out[0], row * SIZE + d);
            if (!(fabs(got - y[d]) < 1e-5)) fail_msg("%s: row %d is %g, not %g", c->attributes, (int)row, got, y[d]);
        }
        for (int64_t k = 0; k < n; k++) {
            double got = element(&out[1], row * n + k);
            if (got != shown[k] && !(fabs(got - shown[k]) < 1e-5))
                fail_msg("%s: product %d is %g, not %g", c->attributes, (int)(row * n + k), got, shown[k]);
        }
    }
}

static void attention(void **state) {
    static const attention_case cases[] = {
        {"qk_matmul_output_mode: int = 0", .scale = 0.5, .mask_is_bool = true},
        {"qk_matmul_output_mode: int = 1, softcap: float = 0.7, scale: float = 0.3", .scale = 0.3, .softcap = 0.7, .mode = 1},
        {"qk_matmul_output_mode: int = 2, is_causal: int = 1", .scale = 0.5, .mode = 2, .causal = true, .mask_is_bool = true},
        {"qk_matmul_output_mode: int = 3, softmax_precision: int = 11", .scale = 0.5, .mode = 3},
        {"qk_matmul_output_mode: int = 2, is_causal: int = 1", .scale = 0.5, .mode = 2, .causal = true, .cut = true},
        {"qk_matmul_output_mode: int = 2, left_window_size: int = 2, right_window_size: int = 1", .scale = 0.5, .mode = 2,
         .windows = true},
        {"qk_matmul_output_mode: int = 2, left_window_size: int = 2, right_window_size: int = 1", .scale = 0.5, .mode = 2,
         .cut = true, .windows = true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const attention_case *c = &cases[i];
        static operands in;
        char inputs[400], node[600];
        ob_view out[MAX_VALUES];
        ob_session *session = NULL;
        snprintf(inputs, sizeof inputs, "float[2,4,3,4] q, float[2,2,2,4] k, float[2,2,2,4] v%s%s%s",
                 c->cut            ? ""
                 : c->mask_is_bool ? ", bool"
                                   : ", float",
                 c->cut ? "" : "[3,4] m, float[2,2,3,4] pk, float[2,2,3,4] pv", "");
        snprintf(node, sizeof node, "%s y, , , p = Attention<%s>(q, k, v%s)",
                 c->cut ? "n = Constant<value: tensor = int64[2] {1, 2}>()" : "", c->attributes,
                 c->cut ? ", , , , n" : ", m, pk, pv");
        ob_model *model = model_of("", 25, inputs, "float[] y, float[] p", node);
        make_operands(model, &in);
        run(model, i % 2, &in, &session, out);
        check_attention(&in, c, out);
        ob_session_close(&session);
        ob_model_close(&model);
    }
}

/* Operands of rank 3 hold the heads side by side. */
static void attention_of_rank_3(void **state) {
    (void)state;
    ob_model *model = model_of("", 23, "float[2,3,16] q, float[2,5,8] k, float[2,5,8] v", "float[] y, float[] pk",
                               "y, pk = Attention<q_num_heads: int = 4, kv_num_heads: int = 2>(q, k, v)"),
             *other = model_of(
                 "", 23, "float[2,3,16] q, float[2,5,8] k, float[2,5,8] v", "float[] y, float[] pk",
                 "a = Constant<value: tensor = int64[4] {2, 3, 4, 4}>() b = Constant<value: tensor = int64[4] {2, 5, 2, 4}>() "
                 "c = Constant<value: tensor = int64[3] {2, 3, 16}>() qr = Reshape(q, a) kr = Reshape(k, b) vr = Reshape(v, b) "
                 "qt = Transpose<perm: ints = [0, 2, 1, 3]>(qr) pk = Transpose<perm: ints = [0, 2, 1, 3]>(kr) "
                 "vt = Transpose<perm: ints = [0, 2, 1, 3]>(vr) yt = Attention(qt, pk, vt) "
                 "yr = Transpose<perm: ints = [0, 2, 1, 3]>(yt) y = Reshape(yr, c)");
    compare_pair(model, other, "Attention of rank 3");
    ob_model_close(&model);
    ob_model_close(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention),
        cmocka_unit_test(attention_of_rank_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
