/* Einsum and Det compared with their definitions. */
#include "kernel_case.h"

static int pick(int n) {
    return rand() % n;
}

/* ---- Einsum ---- */

enum { MOST_OPERANDS = 6, N_LETTERS = 7, MOST_LABELS = N_LETTERS + 2 };

/* An equation as the oracle sees it: labels from N_LETTERS on are axes of the ellipsis. */
typedef struct equation {
    int n_operands, rank[MOST_OPERANDS + 1], labels[MOST_OPERANDS + 1][16]; /* the last one: the result */
    int64_t sizes[MOST_LABELS], dims[MOST_OPERANDS][16];
    char text[256];
} equation;

static void write_term(equation *e, int i, int ellipsis_at, int n_ellipsis, bool explicit_ellipsis) {
    for (int k = 0; k <= e->rank[i]; k++) {
        if (pick(6) == 0) strcat(e->text, " ");
        if (explicit_ellipsis && k == ellipsis_at) {
            strcat(e->text, "...");
            k += n_ellipsis;
        }
        if (k >= e->rank[i]) break;
        const char letter[2] = {(char)(e->labels[i][k] % 2 ? 'a' + e->labels[i][k] : 'A' + e->labels[i][k]), 0};
        strcat(e->text, letter);
    }
}

static int letter_order(int label) {
    return label % 2 ? 'a' + label : 'A' + label;
}

/* The ellipsis, then letters that occur once by their character. */
static void implicit_result(equation *e, int n_ellipsis) {
    int *labels = e->labels[e->n_operands], rank = n_ellipsis;
    for (int k = 0; k < n_ellipsis; k++) labels[k] = MOST_LABELS - n_ellipsis + k;
    for (int c = 'A'; c <= 'z'; c++)
        for (int label = 0; label < N_LETTERS; label++) {
            int count = 0;
            if (letter_order(label) != c) continue;
            for (int i = 0; i < e->n_operands; i++)
                for (int k = 0; k < e->rank[i]; k++) count += e->labels[i][k] == label;
            if (count == 1) labels[rank++] = label;
        }
    e->rank[e->n_operands] = rank;
}

static void random_equation(equation *e, bool zeros) {
    memset(e, 0, sizeof *e);
    e->n_operands = 1 + pick(4);
    int n_ellipsis = pick(3), rank = 0;
    bool has_ellipsis = n_ellipsis > 0 || pick(3) == 0, seen[N_LETTERS] = {false};
    for (int l = 0; l < MOST_LABELS; l++) e->sizes[l] = zeros && pick(8) == 0 ? 0 : 1 + pick(3);
    for (int i = 0; i < e->n_operands; i++) {
        int n = pick(5), own = has_ellipsis ? pick(n_ellipsis + 1) : 0, at = pick(n + 1);
        for (int k = 0; k <= n; k++) {
            for (int x = 0; has_ellipsis && k == at && x < own; x++) e->labels[i][e->rank[i]++] = MOST_LABELS - own + x;
            if (k < n) e->labels[i][e->rank[i]++] = pick(N_LETTERS);
        }
        for (int k = 0; k < e->rank[i]; k++) {
            e->dims[i][k] = pick(8) ? e->sizes[e->labels[i][k]] : 1;
            for (int first = 0; first < k; first++) /* a diagonal needs equal sizes */
                if (e->labels[i][first] == e->labels[i][k]) e->dims[i][k] = e->dims[i][first];
            if (e->labels[i][k] < N_LETTERS) seen[e->labels[i][k]] = true;
        }
        if (i > 0) strcat(e->text, ",");
        write_term(e, i, at, own, has_ellipsis);
    }
    /* The operands together: any size may be missing in all of them. */
    for (int l = 0; l < MOST_LABELS; l++) {
        int64_t size = 1;
        for (int i = 0; i < e->n_operands; i++)
            for (int k = 0; k < e->rank[i]; k++)
                if (e->labels[i][k] == l && e->dims[i][k] != 1) size = e->dims[i][k];
        e->sizes[l] = size;
    }
    int widest = 0;
    for (int i = 0; i < e->n_operands; i++) {
        int own = 0;
        for (int k = 0; k < e->rank[i]; k++) own += e->labels[i][k] >= N_LETTERS;
        if (own > widest) widest = own;
    }
    if (pick(3) == 0) {
        implicit_result(e, widest);
        return;
    }
    int *labels = e->labels[e->n_operands], at = 0;
    if (has_ellipsis)
        for (int x = 0; x < widest; x++) labels[rank++] = MOST_LABELS - widest + x;
    for (int l = 0; l < N_LETTERS; l++) {
        int label = (l * 3 + 1) % N_LETTERS;
        if (seen[label] && pick(2)) labels[rank++] = label;
    }
    e->rank[e->n_operands] = rank;
    strcat(e->text, "->");
    write_term(e, e->n_operands, at, widest, has_ellipsis);
}

static double expected(const equation *e, const ob_view *in, const int64_t *kept) {
    int64_t index[MOST_LABELS];
    double sum = 0;
    int64_t total = 1;
    bool fixed[MOST_LABELS] = {false};
    const int *result = e->labels[e->n_operands];
    for (int k = 0; k < e->rank[e->n_operands]; k++) fixed[result[k]] = true;
    for (int l = 0; l < MOST_LABELS; l++) total *= fixed[l] ? 1 : e->sizes[l];
    for (int64_t flat = 0; flat < total; flat++) {
        int64_t rest = flat;
        for (int l = 0; l < MOST_LABELS; l++) {
            index[l] = fixed[l] ? kept[l] : rest % e->sizes[l];
            if (!fixed[l]) rest /= e->sizes[l];
        }
        double product = 1;
        for (int i = 0; i < e->n_operands; i++) {
            int64_t at = 0;
            for (int k = 0; k < e->rank[i]; k++) at = at * e->dims[i][k] + (e->dims[i][k] == 1 ? 0 : index[e->labels[i][k]]);
            product *= kc_get(&in[i], at);
        }
        sum += product;
    }
    return sum;
}

/* Integers wrap. */
static double wrapped(ob_dtype dtype, double value) {
    int64_t whole = (int64_t)value;
    switch (dtype) {
    case OB_INT8: return (int8_t)whole;
    case OB_UINT8: return (uint8_t)whole;
    case OB_INT16: return (int16_t)whole;
    case OB_UINT16: return (uint16_t)whole;
    default: return value;
    }
}

static void check_equation(const equation *e, ob_dtype dtype, bool shuffled) {
    kernel_case *c = kc_open("Einsum", 12);
    kc_string(c, "equation", e->text);
    bool is_unsigned = dtype == OB_UINT8 || dtype == OB_UINT16 || dtype == OB_UINT32 || dtype == OB_UINT64;
    for (int i = 0; i < e->n_operands; i++) {
        ob_view *view = kc_in(c, (uint32_t)i, dtype, e->rank[i], e->dims[i]);
        if (shuffled) { /* the first axis is the densest */
            int64_t stride = (int64_t)ob_dtype_size(dtype);
            for (int k = 0; k < e->rank[i]; k++) {
                view->strides[k] = stride;
                stride *= e->dims[i][k] > 0 ? e->dims[i][k] : 1;
            }
        }
        kc_random(view, is_unsigned ? 0 : -3, 3);
    }
    int64_t dims[16];
    const int *labels = e->labels[e->n_operands], rank = e->rank[e->n_operands];
    for (int k = 0; k < rank; k++) dims[k] = e->sizes[labels[k]];
    kc_out(c, 0, dtype, rank, dims);
    c->node->n_inputs = (uint32_t)e->n_operands;
    c->hide_inputs_from_plan = true;
    ob_status status = kc_try(c);
    if (status != OB_OK) fail_msg("%s: %s", e->text, c->error.message);
    for (int64_t i = 0; i < ob__count(&c->out[0]); i++) {
        int64_t kept[MOST_LABELS] = {0}, rest = i;
        for (int k = rank - 1; k >= 0; k--) {
            kept[labels[k]] = rest % dims[k];
            rest /= dims[k];
        }
        double got = kc_get(&c->out[0], i), want = wrapped(dtype, expected(e, c->in, kept));
        if (fabs(got - want) > kc_tolerance(dtype) * fabs(want)) fail_msg("%s: [%d] is %g, not %g", e->text, (int)i, got, want);
    }
    kc_close(c);
}

static void einsum_of_random_equations(void **state) {
    (void)state;
    srand(121);
    const ob_op *newest = ob__op_find("", "Einsum", 0);
    equation e;
    for (int round = 0; round < 60; round++)
        for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++) {
            if (!kc_takes(newest, (ob_dtype)dtype)) continue;
            random_equation(&e, round % 5 == 0);
            check_equation(&e, (ob_dtype)dtype, pick(2));
        }
}

/* Six operands, each sharing an axis with every other: the product of any two has more axes than an operand. */
static void einsum_needs_no_more_memory_than_its_operands(void **state) {
    (void)state;
    srand(122);
    const ob_dtype dtypes[] = {OB_FLOAT, OB_DOUBLE, OB_UINT64, OB_INT8};
    for (int round = 0; round < 4; round++) {
        enum { N = 6, SIZE = 3 };
        kernel_case *c = kc_open("Einsum", 12);
        char text[128] = "";
        int64_t labels[N][N - 1], dims[N - 1] = {SIZE, SIZE, SIZE, SIZE, SIZE};
        for (int i = 0, next = 0; i < N; i++) {
            for (int k = i + 1; k < N; k++, next++) labels[i][k - 1] = labels[k][i] = next;
            if (i > 0) strcat(text, ",");
            for (int k = 0; k < N - 1; k++) strcat(text, (char[]){(char)('a' + labels[i][k]), 0});
            kc_random(kc_in(c, (uint32_t)i, dtypes[round], N - 1, dims), 0, 1);
        }
        strcat(text, "->a");
        kc_string(c, "equation", text);
        c->node->n_inputs = N;
        /* The first operand has a single 1, so the sum is over the other ten labels only. */
        int64_t block = (int64_t)SIZE * SIZE * SIZE * SIZE;
        for (int64_t i = 0; i < SIZE * block; i++) kc_set(&c->in[0], i, i == 2 * block + 7 ? 1 : 0);
        kc_out(c, 0, dtypes[round], DIMS(SIZE));
        ob_arena tails;
        ob__arena_init(&tails, ob_allocator_default());
        ob_kernel_site site = {.node = c->node, .op = c->op, .arena = &tails};
        ob_kernel_needs needs = {0};
        ob_kernel_args args = {.n_in = N, .n_out = 1, .in = c->in, .out = c->out};
        args.state = calloc(1, c->op->kernel->state_bytes);
        assert_int_equal(c->op->kernel->plan(&site, &args, &needs, &c->error), OB_OK);
        assert_true(needs.scratch_bytes <= 16 * N * SIZE * (size_t)block * sizeof(double));
        free(args.state);
        ob__arena_release(&tails);
        kc_run(c);
        /* labels of operand 0: a .. e; the 1 is at [2, 0, 0, 2, 1] */
        const int64_t fixed[5] = {2, 0, 0, 2, 1};
        double want = 0;
        for (int64_t flat = 0; flat < 59049; flat++) { /* ten labels of size 3 */
            int64_t index[15], rest = flat;
            double product = 1;
            for (int l = 0; l < 15; l++) {
                index[l] = l < 5 ? fixed[l] : rest % SIZE;
                if (l >= 5) rest /= SIZE;
            }
            for (int i = 1; i < N; i++) {
                int64_t at = 0;
                for (int k = 0; k < N - 1; k++) at = at * SIZE + index[labels[i][k]];
                product *= kc_get(&c->in[i], at);
            }
            want += product;
        }
        for (int i = 0; i < SIZE; i++)
            kc_near(kc_get(&c->out[0], i), i == 2 ? wrapped(dtypes[round], want) : 0, kc_tolerance(dtypes[round]));
        kc_close(c);
    }
}

/* Threads may divide a product anywhere; an equation that is a matrix product has the bits of MatMul. */
static void einsum_is_matmul_where_it_can_be(void **state) {
    (void)state;
    srand(123);
    static const struct {
        const char *text;
        int64_t b[4];
        bool transposed;
    } rows[] = {{"bhid,bhjd->bhij", {2, 3, 17, 8}, true}, {"bhid,bhdj->bhij", {2, 3, 8, 17}, false}};
    for (size_t r = 0; r < 2; r++) {
        kernel_case *c = kc_open("Einsum", 12), *m = kc_open("MatMul", 13);
        kc_string(c, "equation", rows[r].text);
        kc_random(kc_in(c, 0, OB_FLOAT, DIMS(2, 3, 19, 8)), -9, 9);
        ob_view *b = kc_in(c, 1, OB_FLOAT, 4, rows[r].b);
        for (int64_t i = 0; i < ob__count(b); i++) kc_set(b, i, 1.0 / (1 + rand() % 100));
        c->node->n_inputs = 2;
        kc_out(c, 0, OB_FLOAT, DIMS(2, 3, 19, 17));
        kc_run(c);
        memcpy(kc_in(m, 0, OB_FLOAT, DIMS(2, 3, 19, 8))->data, c->in[0].data, 2 * 3 * 19 * 8 * sizeof(float));
        ob_view *of_m = kc_in(m, 1, OB_FLOAT, DIMS(2, 3, 8, 17));
        memcpy(of_m->data, b->data, 2 * 3 * 8 * 17 * sizeof(float));
        if (rows[r].transposed) {
            of_m->strides[2] = sizeof(float);
            of_m->strides[3] = 8 * sizeof(float);
        }
        kc_out(m, 0, OB_FLOAT, DIMS(2, 3, 19, 17));
        m->hide_inputs_from_plan = true;
        kc_run(m);
        assert_memory_equal(c->out[0].data, m->out[0].data, 2 * 3 * 19 * 17 * sizeof(float));
        kc_close(c);
        kc_close(m);
    }
}

static void einsum_refuses(void **state) {
    (void)state;
    static const struct {
        const char *text;
        ob_status status;
    } rows[] = {{"ij", OB_E_ARGUMENT},         {"ij,jk,kl", OB_E_ARGUMENT},   {"ij,jk->iz", OB_E_ARGUMENT},
                {"ij,jk->ii", OB_E_ARGUMENT},  {"ij,j1->i", OB_E_ARGUMENT},   {"ij,jk-i", OB_E_ARGUMENT},
                {"ij,jk->i,k", OB_E_ARGUMENT}, {"ijk,jk->i", OB_E_SHAPE},     {"i,jk->i", OB_E_SHAPE},
                {"ij,ik->ij", OB_E_SHAPE},     {"..i..,jk->i", OB_E_ARGUMENT}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        kernel_case *c = kc_open("Einsum", 12);
        kc_string(c, "equation", rows[r].text);
        kc_in(c, 0, OB_FLOAT, DIMS(2, 3));
        kc_in(c, 1, OB_FLOAT, DIMS(3, 4));
        kc_out(c, 0, OB_FLOAT, DIMS(2, 4));
        c->node->n_inputs = 2;
        if (kc_try(c) != rows[r].status) fail_msg("%s: %s", rows[r].text, c->error.message);
        assert_true(c->error.message[0] != '\0');
        kc_close(c);
    }
}

/* NumPy and ONNX Runtime agree: within one operand, sizes of the same label must be equal, even if one is 1. */
static void einsum_takes_no_diagonal_of_unequal_sizes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t dims[3];
        int32_t rank;
        ob_status status;
    } rows[] = {{"ii->i", {1, 3}, 2, OB_E_SHAPE},     {"ii->i", {3, 1}, 2, OB_E_SHAPE},
                {"ii->i", {1, 0}, 2, OB_E_SHAPE},     {"ii->i", {0, 0}, 2, OB_OK},
                {"ii->i", {1, 1}, 2, OB_OK},          {"...ii->...i", {3, 3, 1}, 3, OB_E_SHAPE},
                {"i...i->...i", {3, 1, 3}, 3, OB_OK}, {"iii->i", {3, 3, 1}, 3, OB_E_SHAPE}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const int64_t *d = rows[r].dims;
        kernel_case *c = kc_open("Einsum", 12);
        kc_string(c, "equation", rows[r].text);
        kc_in(c, 0, OB_FLOAT, rows[r].rank, d);
        c->node->n_inputs = 1;
        const int64_t batched[2] = {d[1], d[0]}, *out = strstr(rows[r].text, "...") ? batched : d;
        kc_out(c, 0, OB_FLOAT, out == batched ? 2 : 1, out);
        if (kc_try(c) != rows[r].status) fail_msg("%s, row %zu: %s", rows[r].text, r, c->error.message);
        kc_close(c);
    }
}

/* ---- Det ---- */

static double cofactors(const double *a, int n, int stride) {
    if (n == 0) return 1;
    double sum = 0;
    for (int column = 0; column < n; column++) {
        double rest[25];
        for (int r = 1; r < n; r++)
            for (int k = 0, to = 0; k < n; k++)
                if (k != column) rest[(r - 1) * 5 + to++] = a[r * stride + k];
        sum += (column % 2 ? -1 : 1) * a[column] * cofactors(rest, n - 1, 5);
    }
    return sum;
}

static void det_of_small_matrices(void **state) {
    (void)state;
    srand(124);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++) {
        if (!kc_takes(ob__op_find("", "Det", 0), (ob_dtype)dtype)) continue;
        for (int64_t n = 0; n <= 5; n++)
            for (int64_t batch = 0; batch < 3; batch++) {
                kernel_case *c = kc_open("Det", dtype == OB_BFLOAT16 ? 22 : 11);
                kc_random(kc_in(c, 0, (ob_dtype)dtype, DIMS(batch, 2, n, n)), -2, 2);
                kc_out(c, 0, (ob_dtype)dtype, DIMS(batch, 2));
                kc_run(c);
                for (int64_t i = 0; i < batch * 2; i++) {
                    double a[25];
                    for (int64_t k = 0; k < n * n; k++) a[k] = kc_get(&c->in[0], i * n * n + k);
                    kc_near(kc_get(&c->out[0], i), cofactors(a, (int)n, (int)n), kc_tolerance((ob_dtype)dtype));
                }
                kc_close(c);
            }
    }
    kernel_case *c = kc_open("Det", 11);
    const float values[2][4] = {{0, 0, 0, NAN}, {0, 0, 3, 4}};
    memcpy(kc_in(c, 0, OB_FLOAT, DIMS(2, 2, 2))->data, values, sizeof values);
    kc_out(c, 0, OB_FLOAT, DIMS(2));
    kc_run(c);
    assert_true(isnan(kc_get(&c->out[0], 0)));
    assert_true(kc_get(&c->out[0], 1) == 0);
    kc_in(c, 0, OB_FLOAT, DIMS(2, 2, 3));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(einsum_of_random_equations),
        cmocka_unit_test(einsum_needs_no_more_memory_than_its_operands),
        cmocka_unit_test(einsum_is_matmul_where_it_can_be),
        cmocka_unit_test(einsum_refuses),
        cmocka_unit_test(einsum_takes_no_diagonal_of_unequal_sizes),
        cmocka_unit_test(det_of_small_matrices),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
