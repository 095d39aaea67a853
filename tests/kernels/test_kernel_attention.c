/* kernels/attention at every level against the definition. */
#include "kernel_levels.h"
#include "kernels/attention/attention.h"
#include "kernels/kernels.h"

enum { TOKENS = 3, KEY_SIZE = 5, QUERIES = 2 };

/* Linear attention by its definition, in double. */
static void linear_of(const obk_linear_attention *c, double *y, double *state) {
    const int64_t n = c->value_size;
    for (int64_t t = 0; t < c->n_tokens; t++) {
        const float *key = c->key + t * c->key_step;
        for (int64_t i = 0; c->decay && i < KEY_SIZE * n; i++)
            state[i] *= exp((double)c->decay[t * c->decay_step + (c->decay_is_one ? 0 : i / n)]);
        for (int64_t j = 0; j < n; j++) {
            double value = (double)c->value[t * c->value_step + j];
            for (int64_t i = 0; c->corrects && i < KEY_SIZE; i++) value -= (double)key[i] * state[i * n + j];
            if (c->corrects) value *= (double)c->beta[t * c->beta_step];
            for (int64_t i = 0; i < KEY_SIZE; i++) state[i * n + j] += (double)key[i] * value;
        }
        for (int64_t h = 0; h < QUERIES; h++)
            for (int64_t j = 0; j < n; j++) {
                double sum = 0;
                for (int64_t i = 0; i < KEY_SIZE; i++)
                    sum += (double)c->query[t * c->query_step + h * KEY_SIZE + i] * state[i * n + j];
                y[(t * QUERIES + h) * n + j] = (double)c->scale * sum;
            }
    }
}

static float *numbers(kl_edges *edges, int64_t n, uint64_t *seed, double low, double high) {
    float *x = kl_in(edges, (size_t)n * sizeof *x);
    kl_fill_f32(x, n, seed, low, high);
    return x;
}

static void expect_close(const char *level, const float *got, const double *want, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)got[i] - want[i]) <= 2e-5))
            fail_msg("%s: element %d is %g, not %g", level, (int)i, (double)got[i], want[i]);
}

static void linear_of_all_sizes(void **unused) {
    (void)unused;
    static double y[TOKENS * QUERIES * 64], state[KEY_SIZE * 64];
    const obk_table *tables[KL_LEVELS];
    const size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(1 << 14), more = kl_open(1 << 14);
    uint64_t seed = 5;
    for (int64_t n = 0; n <= KL_LONGEST(sizeof(float)); n++)
        for (unsigned form = 0; form < 8; form++)
            for (size_t l = 0; l < n_levels; l++) {
                obk_linear_attention c = {.n_tokens = TOKENS, .key_size = KEY_SIZE, .value_size = n, .n_queries = QUERIES};
                c.query_step = QUERIES * KEY_SIZE;
                c.key_step = KEY_SIZE + 1;
                c.value_step = n;
                c.y_step = QUERIES * n;
                c.scale = 0.5f;
                c.corrects = form & 1;
                c.decay_is_one = form & 2;
                c.decay_step = c.decay_is_one ? 1 : KEY_SIZE;
                c.beta_step = 2;
                c.query = numbers(&edges, TOKENS * QUERIES * KEY_SIZE, &seed, -1, 1);
                c.key = numbers(&edges, TOKENS * (KEY_SIZE + 1) - 1, &seed, -0.5, 0.5);
                c.value = numbers(&edges, TOKENS * n, &seed, -1, 1);
                c.decay = form & 4 ? numbers(&edges, TOKENS * c.decay_step, &seed, -2, 0) : NULL;
                c.beta = numbers(&more, TOKENS * 2 - 1, &seed, 0, 1);
                const float *before = numbers(&more, KEY_SIZE * n, &seed, -1, 1);
                kl_out out = kl_out_open((size_t)(TOKENS * QUERIES * n) * sizeof(float), (size_t)(n % 3) * sizeof(float));
                kl_out kept = kl_out_open((size_t)(KEY_SIZE * n) * sizeof(float), 4),
                       room = kl_out_open((size_t)(KEY_SIZE + n) * 4, 8);
                for (int64_t i = 0; i < KEY_SIZE * n; i++) state[i] = (double)(((float *)kept.data)[i] = before[i]);
                c.y = out.data;
                c.state = kept.data;
                c.room = room.data;
                tables[l]->attention->linear(&c);
                linear_of(&c, y, state);
                expect_close(tables[l]->name, out.data, y, TOKENS * QUERIES * n);
                expect_close(tables[l]->name, kept.data, state, KEY_SIZE * n);
                kl_out_close(&out);
                kl_out_close(&kept);
                kl_out_close(&room);
            }
    kl_close(&edges);
    kl_close(&more);
}

/* The same bits as separate multiplications and additions, on all levels. */
static void rotation_of_all_sizes(void **unused) {
    (void)unused;
    const obk_table *tables[KL_LEVELS];
    const size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(1 << 14), angles = kl_open(1 << 14);
    uint64_t seed = 6;
    for (int64_t half = 0; half <= KL_LONGEST(sizeof(float)); half++)
        for (unsigned form = 0; form < 4; form++)
            for (size_t l = 0; l < n_levels; l++) {
                obk_rotary c = {.n_heads = 2, .size = 2 * half + (form & 1 ? 3 : 0), .half = half, .interleaved = form & 2};
                c.x = numbers(&edges, 2 * c.size, &seed, -2, 2);
                c.cos = numbers(&angles, half, &seed, -1, 1);
                c.sin = numbers(&angles, half, &seed, -1, 1);
                kl_out out = kl_out_open((size_t)(2 * c.size) * sizeof(float), (size_t)(half % 3) * sizeof(float));
                c.y = out.data;
                tables[l]->attention->rotate(&c);
                for (int64_t i = 0; i < 2 * c.size; i++) {
                    const int64_t at = i % c.size, pair = c.interleaved ? at / 2 : half ? at % half : 0;
                    const float *head = c.x + i / c.size * c.size;
                    float want = head[at];
                    if (at < 2 * half) {
                        const float a = head[c.interleaved ? 2 * pair : pair],
                                    b = head[c.interleaved ? 2 * pair + 1 : pair + half];
                        const float co = c.cos[pair], si = c.sin[pair];
                        const bool second = c.interleaved ? at % 2 : at >= half;
                        want = second ? si * a + co * b : co * a - si * b;
                    }
                    if (c.y[i] != want) fail_msg("%s: element %d of %d", tables[l]->name, (int)i, (int)c.size);
                }
                kl_out_close(&out);
            }
    kl_close(&edges);
    kl_close(&angles);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(linear_of_all_sizes), cmocka_unit_test(rotation_of_all_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
