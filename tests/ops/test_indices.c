/* Operands whose elements decide whether a run is refused: indices, lengths, labels. */
#include "model_text.h"

enum { MAX_TEXT = 2000 };

typedef struct asked {
    const char *what; /* inputs => outputs { nodes } */
    ob_contract_status status;
    const char *reason; /* of the first unverified requirement; NULL: none */
} asked;

static void check_asked(const asked *row) {
    char text[MAX_TEXT];
    snprintf(text, sizeof text, "<ir_version: 10, opset_import: [\"\": 22, \"ai.onnx.ml\": 5, \"com.microsoft\": 1]> g %s",
             row->what);
    ob_model *model = read_text(text);
    ob_report *report = check_model(model);
    const ob_contract_info contract = ob_report_contract(report);
    ob_unverified_info first = {.reason = ""};
    (void)ob_report_unverified(report, 0, &first);
    if (contract.status != row->status || strcmp(first.reason, row->reason ? row->reason : "") != 0)
        fail_msg("%s: %s, %s", row->what, ob_contract_status_name(contract.status), first.reason);
    ob_report_close(&report);
    ob_model_close(&model);
}

static void check_all(const asked *rows, size_t n) {
    for (size_t i = 0; i < n; i++) check_asked(&rows[i]);
}

static void places_of_unpooling(void **state) {
    (void)state;
    static const asked rows[] = {
        {"(float[1,1,2,2] x, float[1,1,2,2] f) => (float[1,1,4,4] y) { i = ArgMax <axis = 0> (f) "
         "y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
         OB_CONTRACT_COMPLETE, NULL},
        {"(float[1,1,2,2] x) => (float[1,1,4,4] y) { i = Constant <value = int64[1,1,2,2]{0,1,14,15}> () "
         "y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
         OB_CONTRACT_COMPLETE, NULL},
        {"(float[1,1,2,2] x) => (float[1,1,4,4] y) { i = Constant <value = int64[1,1,2,2]{0,1,14,16}> () "
         "y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
         OB_CONTRACT_CONTRADICTORY, NULL},
        {"(float[1,1,2,2] x) => (float[1,1,4,4] y) { i = Constant <value = int64[1,1,2,2]{0,-1,14,15}> () "
         "y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
         OB_CONTRACT_CONTRADICTORY, NULL},
        {"(float[1,1,2,2] x, float[1,1,2,2] f) => (float[1,1,4,4] y) { e = Exp (f) i = Cast <to = 7> (e) "
         "y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
         OB_CONTRACT_PARTIAL, "indices depend on data"},
        /* a result smaller than the axis of the indices */
        {"(float[1,1,2,2] x) => (float[1,1,3,4] y) { i = Constant <value = int64[1,1,2,2]{0,1,2,3}> () "
         "s = Constant <value = int64[4]{1,1,3,4}> () y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i, s) }",
         OB_CONTRACT_PARTIAL, "indices depend on data"},
        /* nothing is placed */
        {"(float[1,0,2,2] x, float[1,0,2,2] f) => (float[1,0,4,4] y) { e = Exp (f) i = Cast <to = 7> (e) "
         "y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
         OB_CONTRACT_COMPLETE, NULL},
    };
    check_all(rows, sizeof rows / sizeof *rows);
}

static void images_of_regions(void **state) {
    (void)state;
    static const asked rows[] = {
        {"(float[2,3,8,8] x, float[3,4] r) => (y) { i = Constant <value = int64[3]{0,1,0}> () y = RoiAlign (x, r, i) }",
         OB_CONTRACT_COMPLETE, NULL},
        {"(float[2,3,8,8] x, float[3,4] r) => (y) { i = Constant <value = int64[3]{0,2,0}> () y = RoiAlign (x, r, i) }",
         OB_CONTRACT_CONTRADICTORY, NULL},
        {"(float[2,3,8,8] x, float[3,4] r) => (y) { i = Constant <value = int64[3]{0,-1,0}> () y = RoiAlign (x, r, i) }",
         OB_CONTRACT_CONTRADICTORY, NULL},
        {"(float[2,3,8,8] x, float[3,4] r, float[3] f) => (y) { e = Exp (f) i = Cast <to = 7> (e) y = RoiAlign (x, r, i) }",
         OB_CONTRACT_PARTIAL, "the images of regions depend on data"},
        {"(float[2,3,8,8] x, float[0,4] r, float[0] f) => (y) { e = Exp (f) i = Cast <to = 7> (e) y = RoiAlign (x, r, i) }",
         OB_CONTRACT_COMPLETE, NULL},
        {"(float[2,0,8,8] x, float[3,4] r, float[3] f) => (y) { e = Exp (f) i = Cast <to = 7> (e) y = RoiAlign (x, r, i) }",
         OB_CONTRACT_COMPLETE, NULL},
        {"(float[2,3,8,8] x, float[3,5] r) => (y) { y = MaxRoiPool <pooled_shape = [2,2]> (x, r) }", OB_CONTRACT_PARTIAL,
         "the images of regions depend on data"},
        {"(float[2,3,8,8] x, float[0,5] r) => (y) { y = MaxRoiPool <pooled_shape = [2,2]> (x, r) }", OB_CONTRACT_COMPLETE, NULL},
    };
    check_all(rows, sizeof rows / sizeof *rows);
}

/* ---- Conditions on values ---- */

typedef struct bounded {
    const char *what;
    const char *bounds; /* "0 <= x < 3; y < 2"; unverified requirements follow in brackets */
} bounded;

static void list_bounds(ob_report *report, char text[MAX_TEXT]) {
    const ob_contract_info contract = ob_report_contract(report);
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < contract.n_bounds; i++) {
        ob_bound_info info;
        assert_int_equal(ob_report_bound(report, i, &info), OB_OK);
        n += (size_t)snprintf(text + n, MAX_TEXT - n, "%s%s", i ? "; " : "", info.text);
    }
    for (size_t i = 0; i < contract.n_unverified; i++) {
        ob_unverified_info info;
        assert_int_equal(ob_report_unverified(report, i, &info), OB_OK);
        n += (size_t)snprintf(text + n, MAX_TEXT - n, " [%s]", info.reason);
    }
}

#define TABLES                                                                                                                   \
    "ten = Constant <value = int64[2]{10,4}> () t = ConstantOfShape (ten) zero = Constant <value = int64{0}> () "                \
    "one = Constant <value = int64{1}> () two = Constant <value = int64{2}> () nine = Constant <value = int64{9}> () "           \
    "v0 = Constant <value = int64[1]{0}> () v1 = Constant <value = int64[1]{1}> () v3 = Constant <value = int64[1]{3}> () "

#define MIXED " [an element is computed from two inputs, and no condition on one of them decides it]"

static void values_of_inputs(void **state) {
    (void)state;
    static const bounded rows[] = {
        {"(int64[N] i) => (y) { " TABLES "y = Gather (t, i) }", "-10 <= i < 10"},
        {"(int64[0] i) => (y) { " TABLES "y = Gather (t, i) }", ""},
        {"(int64[1] i) => (y) { " TABLES "y = Gather (t, i) }", "-10 <= i < 10"},
        {"(int64[N] i, float[M,2] d) => (y) { y = Gather (d, i) }", "-M <= i < M"},
        {"(int64[N] i, float[M,2] d) => (y) { y = Gather <axis = 1> (d, i) }", "-2 <= i < 2"},
        /* elements that are kept */
        {"(int64[N,M] i) => (y) { " TABLES "a = Transpose (i) b = Unsqueeze (a, v0) c = Identity (b) y = Gather (t, c) }",
         "-10 <= i < 10"},
        {"(int32[N,4] i) => (y) { " TABLES "s = Constant <value = int64[2]{2,-1}> () a = Reshape (i, s) b = Cast <to = 7> (a) "
         "y = Gather (t, b) }",
         "-10 <= i < 10"},
        {"(float[N] i) => (y) { " TABLES "a = Cast <to = 6> (i) y = Gather (t, a) }", "-10 <= trunc(i) < 10"},
        {"(uint8[N] i) => (y) { " TABLES "a = Cast <to = 7> (i) y = Gather (t, a) }", "i < 10"},
        {"(int8[N] i, float[128] d) => (y) { a = Cast <to = 7> (i) y = Gather (d, a) }", ""},
        {"(bool[N] i, float[2] d) => (y) { a = Cast <to = 7> (i) y = Gather (d, a) }", ""},
        {"(bool[N] i, float[1] d) => (y) { a = Cast <to = 7> (i) y = Gather (d, a) }", " [indices depend on data]"},
        /* parts */
        {"(int64[N,3] i) => (y) { " TABLES "a = Slice (i, v1, v3, v1) y = Gather (t, a) }", "-10 <= i[:, 1:] < 10"},
        {"(int64[N,3] i) => (y, z) { " TABLES
         "a, b = Split <axis = 1, num_outputs = 2> (i) y = Gather (t, a) z = Gather (t, b) }",
         "-10 <= i[:, 0:2] < 10; -10 <= i[:, 2] < 10"},
        {"(int64[N,3] i) => (y) { " TABLES "a = Gather <axis = 1> (i, one) y = Gather (t, a) }", "-10 <= i[:, 1] < 10"},
        {"(int64[N,3] i) => (y) { " TABLES "m = Neg (v1) a = Gather <axis = 1> (i, m) b = Gather (a, zero) y = Gather (t, b) }",
         "-10 <= i[0, 2] < 10"},
        {"(int64[N,3] i) => (y) { " TABLES "a = Transpose (i) b = Gather <axis = 1> (a, one) y = Gather (t, b) }",
         " [indices depend on data]"},
        {"(int64[6] i) => (y) { " TABLES "a = Slice (i, v0, v3, v0, v3) y = Gather (t, a) }", " [indices depend on data]"},
        /* arithmetic */
        {"(int64[N] i) => (y) { " TABLES "a = Add (i, two) b = Mul (a, two) c = Sub (nine, b) y = Gather (t, c) }",
         "-2 <= i < 8"},
        {"(int64[N] i) => (y) { " TABLES "a = Neg (i) y = Gather (t, a) }", "-9 <= i < 11"},
        {"(int64[N] i) => (y) { " TABLES "a = Clip (i, zero) y = Gather (t, a) }", "i < 10"},
        {"(int64[N] i) => (y) { " TABLES "a = Max (i, zero) b = Sub (a, two) c = Min (b, two) y = Gather (t, c) }", ""},
        {"(int64[N] i) => (y) { " TABLES "a = Clip (i, zero, nine) y = Gather (t, a) }", ""},
        {"(int64[N] i) => (y) { " TABLES "a = Mod (i, nine) y = Gather (t, a) }", ""},
        {"(int64[N] i, int64[N] j) => (y) { " TABLES "a = Add (i, j) y = Gather (t, a) }", MIXED},
        {"(int64[N] i, int64[N] j) => (y) { " TABLES "a = Mul (i, j) b = Add (a, two) y = Gather (t, b) }", MIXED},
        {"(int64[N] i, int64[N] j) => (y) { " TABLES "a = Mul (i, j) b = Clip (a, zero, nine) y = Gather (t, b) }", ""},
        {"(int64[N] i, bool[N] c) => (y) { " TABLES "a = Where (c, i, zero) y = Gather (t, a) }", " [indices depend on data]"},
        {"(int64[N] i, float[M] d) => (y) { s = Shape (d) a = Add (i, s) y = Gather (d, a) }", "-2*M <= i < 0"},
        {"(int64[N] i, int64[M] j) => (y) { " TABLES "a = Concat <axis = 0> (i, v3, j) y = Gather (t, a) }",
         "-10 <= i < 10; -10 <= j < 10"},
        /* several requirements */
        {"(int64[N] i) => (y, z) { " TABLES "w = ConstantOfShape (v3) y = Gather (t, i) z = Gather (w, i) }", "-3 <= i < 3"},
        {"(int64[N] i) => (y, z) { " TABLES "a = Clip (i, two) y = Gather (t, a) c = Min (i, zero) z = Gather (t, c) }",
         "-10 <= i < 10"},
        /* a bound on a wrapped number is not a bound on the input */
        {"(int64[N] i) => (y) { " TABLES "a = Add (i, two) b = Min (a, nine) y = Gather (t, b) }", " [indices depend on data]"},
        {"(int64[N] i) => (y) { " TABLES "a = Sub (i, two) b = Min (a, nine) y = Gather (t, b) }", "i >= -8"},
        {"(int64[N] i) => (y) { " TABLES "a = Neg (i) b = Max (a, zero) y = Gather (t, b) }", " [indices depend on data]"},
        /* indices from the end are converted to indices from the start */
        {"(int64[N] i, float[M] d) => (y) { " TABLES
         "n = Shape (d) c = Less (i, zero) a = Add (i, n) b = Where (c, a, i) y = Gather (d, b) }",
         "-2*M <= i < M"},
        {"(int64[N] i, float[M] d) => (y) { " TABLES
         "n = Shape (d) c = GreaterOrEqual (i, zero) a = Add (i, n) b = Where (c, i, a) y = Gather (d, b) }",
         "-2*M <= i < M"},
        {"(int64[N,2] i) => (y) { " TABLES "p = Slice (i, v0, v1, v1) n = Shape <end = 1> (t) c = Less (p, zero) a = Add (n, p) "
         "b = Where (c, a, p) r = Squeeze (b, v1) "
         "y = Gather (t, r) }",
         "-20 <= i[:, 0] < 10"},
        {"(int64[N] i, float[M] d) => (y) { " TABLES
         "n = Shape (d) j = Sub (i, two) c = Less (j, zero) a = Add (j, n) b = Where (c, a, j) y = Gather (d, b) }",
         "2 - 2*M <= i < M + 2"},
        /* adds more than the size, adds to nonnegative indices, or selects between different indices */
        {"(int64[N] i, float[9] d) => (y) { " TABLES
         "n = Constant <value = int64{10}> () c = Less (i, zero) a = Add (i, n) b = Where (c, a, i) y = Gather (d, b) }",
         " [indices depend on data]"},
        {"(int64[N] i, float[M] d) => (y) { " TABLES
         "n = Shape (d) c = Less (i, one) a = Add (i, n) b = Where (c, a, i) y = Gather (d, b) }",
         " [indices depend on data]"},
        {"(int64[N] i, float[M] d) => (y) { " TABLES
         "n = Shape (d) c = Less (zero, i) a = Add (i, n) b = Where (c, a, i) y = Gather (d, b) }",
         " [indices depend on data]"},
        {"(int64[N] i, int64[N] j, float[M] d) => (y) { " TABLES
         "n = Shape (d) c = Less (j, zero) a = Add (i, n) b = Where (c, a, i) y = Gather (d, b) }",
         " [indices depend on data]"},
        {"(int64[N] i, float[M] d) => (y) { " TABLES
         "n = Shape (d) c = Less (i, zero) a = Add (i, n) b = Where (c, i, a) y = Gather (d, b) }",
         " [indices depend on data]"},
        {"(int64[N] i, float[M] d) => (y) { " TABLES
         "n = Shape (d) c = GreaterOrEqual (i, zero) a = Add (i, n) b = Where (c, a, i) y = Gather (d, b) }",
         " [indices depend on data]"},
        {"(int64[N] i, float[M] d) => (y) { " TABLES
         "n = Shape (d) c = Less (i, zero) a = Add (i, n) b = Where (c, a, i) e = Add (b, one) y = Gather (d, e) }",
         " [indices depend on data]"},
        /* a test for a negative index is not an index */
        {"(int64[N] i, float[1] d) => (y) { " TABLES "c = Less (i, zero) b = Cast <to = 7> (c) y = Gather (d, b) }",
         " [indices depend on data]"},
        /* several indices that together select an element */
        {"(int64[N,2] i, float[M,K] d) => (y) { y = GatherND (d, i) }", "-M <= i[:, 0] < M; -K <= i[:, 1] < K"},
        {"(int64[N,3] i, float[M,K] d) => (y) { " TABLES "p = Slice (i, v1, v3, v1) y = GatherND (d, p) }",
         "-M <= i[:, 1] < M; -K <= i[:, 2] < K"},
        {"(int64[B,N,2] i, float[B,M,K] d) => (y) { y = GatherND <batch_dims = 1> (d, i) }",
         "-M <= i[:, :, 0] < M; -K <= i[:, :, 1] < K"},
        {"(int64[2,N] i, float[M,K] d) => (y) { t = Transpose (i) y = GatherND (d, t) }", " [indices depend on data]"},
        {"(int64[N,2] i, float[N] u, float[M,K] d) => (y) { y = ScatterND (d, i, u) }", "-M <= i[:, 0] < M; -K <= i[:, 1] < K"},
        /* read only if there are elements */
        {"(int64[1] i, float[N,4] x) => (y) { " TABLES "s = Shape (x) a = Expand (i, s) y = Gather (t, a) }",
         "if 4*N >= 1: -10 <= i < 10"},
        {"(int64[2,1] i, float[M,N] d) => (y) { y = GatherND (d, i) }", "if N >= 1: -M <= i < M"},
        /* the other operators */
        {"(int64[N,4] i) => (y) { " TABLES "y = GatherElements (t, i) }", "-10 <= i < 10"},
        {"(int64[N,4] i, float[N,4] u) => (y) { " TABLES "y = ScatterElements (t, i, u) }", "-10 <= i < 10"},
        {"(int64[N,1] i, float[N,4] u) => (y) { " TABLES "y = ScatterND (t, i, u) }", "-10 <= i < 10"},
        {"(float[S,B,2] x, int64[B] l) => (y) { y = ReverseSequence (x, l) }", "0 <= l <= S"},
        {"(float[2,3,8,8] x, float[R,4] r, int64[R] i) => (y) { y = RoiAlign (x, r, i) }", "0 <= i < 2"},
        {"(float[B,3,8,8] x, float[R,4] r, int64[R] i) => (y) { y = RoiAlign (x, r, i) }", "0 <= i < B"},
        {"(float[1,1,2,W] x, int64[1,1,2,W] i) => (y) { y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
         "0 <= i < 8*W"},
        {"(float[N,3,D] s, int64[N,D] l) => (y) { y = NegativeLogLikelihoodLoss (s, l) }", "-3 <= l < 3"},
        {"(float[N,C] s, int32[N] l) => (y) { y = SoftmaxCrossEntropyLoss (s, l) }", "-C <= l < C"},
        {"(float[N,3] s, int64[N] l) => (y) { y = NegativeLogLikelihoodLoss <ignore_index = 1> (s, l) }", "-3 <= l < 3"},
        {"(float[N,3] s, int64[N] l) => (y) { y = NegativeLogLikelihoodLoss <ignore_index = -100> (s, l) }",
         " [labels depend on data]"},
        {"(float[3,3] s) => (y) { l = Constant <value = int64[3]{2,-100,0}> () "
         "y = NegativeLogLikelihoodLoss <ignore_index = -100> (s, l) }",
         ""},
        /* branches */
        {"(int64[N] i, bool c) => (y) { " TABLES "y = If (c) <then_branch = a () => (p) { p = Gather (t, i) }, "
         "else_branch = b () => (q) { q = Identity (t) }> }",
         " [indices depend on data, and so does whether they matter]"},
        {"(int64[N] i) => (y) { " TABLES
         "n = Size (i) c = Less (n, nine) y = If (c) <then_branch = a () => (p) { p = Gather (t, i) }, "
         "else_branch = b () => (q) { q = Identity (t) }> }",
         "if 9 - max(min(N, 9), 8) >= 1: -10 <= i < 10"},
    };
    int n_differ = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[MAX_TEXT], got[MAX_TEXT];
        snprintf(text, sizeof text, "<ir_version: 10, opset_import: [\"\": 18]> g %s", rows[i].what);
        ob_model *model = read_text(text);
        ob_report *report = check_model(model);
        list_bounds(report, got);
        if (strcmp(got, rows[i].bounds) != 0) {
            printf("%s\n  expected %s\n  got      %s\n", rows[i].what, rows[i].bounds, got);
            n_differ++;
        }
        ob_report_close(&report);
        ob_model_close(&model);
    }
    assert_int_equal(n_differ, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(places_of_unpooling), cmocka_unit_test(images_of_regions),
                                       cmocka_unit_test(values_of_inputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
