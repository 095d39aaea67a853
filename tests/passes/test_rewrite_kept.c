/* A rewritten model accepts the sizes that the model accepts, and no others; and it computes the same bits. Each case is a
 * model whose sizes are letters; it is tried with every combination of a few sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/graph/graph.h"
#include "model_text.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "ops/library/resolve.h"
#include "ops/table/op.h"
#include "passes/check/propagate.h"
#include "passes/rewrite/kept.h"
#include "variants.h"

enum { MAX_INPUTS = 4, MAX_LETTERS = 3, MAX_ELEMENTS = 4096 };

typedef struct kept_case {
    const char *name;
    const char *model;
    const char *inputs[MAX_INPUTS]; /* shapes, a digit or a letter for each size, in brackets: "[N3]"; "=2" the number itself */
} kept_case;

static const int64_t sizes[] = {0, 1, 2, 3, 5, 6};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

#define HEAD "<ir_version: 10, opset_import: [\"\" : 17, \"own\" : 1, \"onnx_broadcast\" : 1]>\n"

#define OLD "<ir_version: 10, opset_import: [\"\" : 6, \"own\" : 1, \"onnx_broadcast\" : 1]>\n"

static const kept_case cases[] = {
    {"function_with_prelu",
     HEAD "g (float[2,3] x, float[3] s, float[3] v) => (float[] y, float[] z) {\n"
          "  y = own.f (v, s)\n  z = own.f (x, s)\n}\n"
          "<domain: \"own\", opset_import: [\"\" : 17]>\nf (p, q) => (r) { r = PRelu (p, q) }\n",
     {"[23]", "[3]", "[3]"}},
    {"function_with_products",
     HEAD "g (float[2,2,3] c, float[2,3,4] d, float[1,2,3] e) => (float[] y, float[] z) {\n"
          "  y = own.f (c, d)\n  z = own.f (e, d)\n}\n"
          "<domain: \"own\", opset_import: [\"\" : 17]>\nf (p, q) => (r) { r = MatMul (p, q) }\n",
     {"[223]", "[234]", "[123]"}},
    {"function_with_products_the_other_way",
     HEAD "g (float[1,2,3] e, float[2,3,4] d, float[1,3,4] c) => (float[] y, float[] z) {\n"
          "  y = own.f (e, d)\n  z = own.f (e, c)\n}\n"
          "<domain: \"own\", opset_import: [\"\" : 17]>\nf (p, q) => (r) { r = MatMul (p, q) }\n",
     {"[123]", "[234]", "[134]"}},
    {"function_with_gemm",
     HEAD "g (float[2,3] a, float[3,4] b, float[4] c, float[5,3] d) => (float[] y, float[] z) {\n"
          "  y = own.f (d, b, c)\n  z = own.f (a, b, c)\n}\n"
          "<domain: \"own\", opset_import: [\"\" : 17]>\nf (p, q, s) => (r) { r = Gemm (p, q, s) }\n",
     {"[23]", "[34]", "[4]", "[53]"}},
    {"function_with_normalization",
     HEAD "g (float[2,3] a, float[1] b, float[2,4] c) => (float[] y, float[] z) {\n"
          "  y = own.f (c, b)\n  z = own.f (a, b)\n}\n"
          "<domain: \"own\", opset_import: [\"\" : 17]>\nf (p, q) => (r) { r = LayerNormalization (p, q) }\n",
     {"[23]", "[1]", "[24]"}},
    {"function_with_expand_that_does_nothing_in_one_call",
     HEAD "g (float[2,3] a, float[3] b) => (float[] y, float[] z) {\n"
          "  y = own.f (b, a)\n  z = own.f (a, a)\n}\n"
          "<domain: \"own\", opset_import: [\"\" : 17]>\nf (p, q) => (r) { s = Shape (q) t = Expand (p, s) r = Relu (t) }\n",
     {"[23]", "[3]"}},
    {"gemm_of_opset_6_that_stays",
     "<ir_version: 3, opset_import: [\"\" : 6]>\ng (float[N,3] a, float[3,4] b, float[K] c) => (float[] y) {\n"
     "  y = Gemm <broadcast = 1> (a, b, c)\n}\n",
     {"[N3]", "[34]", "[K]"}},
    {"gemm_of_opset_6_without_broadcast",
     "<ir_version: 3, opset_import: [\"\" : 6]>\ng (float[N,3] a, float[3,4] b, float[K,4] c) => (float[] y) {\n"
     "  y = Gemm (a, b, c)\n}\n",
     {"[N3]", "[34]", "[K4]"}},
    {"gemm_of_opset_6_that_is_raised",
     "<ir_version: 3, opset_import: [\"\" : 6]>\ng (float[N,3] a, float[3,4] b, float[4] c) => (float[] y) {\n"
     "  y = Gemm <broadcast = 1> (a, b, c)\n}\n",
     {"[N3]", "[34]", "[4]"}},
    {"sub_of_opset_6_that_may_not_be_raised",
     OLD
     "g (float[N] a, float[3] b) => (float[] y, float[] z) {\n  z, w = onnx_broadcast.Broadcast (b, a)\n  y = Sub (z, a)\n}\n",
     {"[N]", "[3]"}},
    {"sub_of_opset_6_in_a_function",
     OLD "g (float[N] a, float[3] b) => (float[] y, float[] z) {\n  z, w = onnx_broadcast.Broadcast (b, a)\n"
         "  u = own.f (z, w)\n  y = own.f (u, a)\n}\n"
         "<domain: \"own\", opset_import: [\"\" : 6]>\nf (p, q) => (r) { r = Sub (p, q) }\n",
     {"[N]", "[3]"}},
    {"sub_of_opset_6_that_is_raised",
     OLD
     "g (float[N] a, float[3] b) => (float[] y, float[] z) {\n  z, w = onnx_broadcast.Broadcast (b, a)\n  y = Sub (z, w)\n}\n",
     {"[N]", "[3]"}},
    {"expand_that_counts",
     HEAD "g (float[1] x, float[M] m, float[5] y) => (float[] z) {\n"
          "  s = Shape (m)\n  e = Expand (x, s)\n  z = Add (e, y)\n}\n",
     {"[1]", "[M]", "[5]"}},
    {"expand_both_ways",
     HEAD "g (float[N] x, float[M] m) => (float[] z) {\n"
          "  s = Shape (m)\n  e = Expand (x, s)\n  z = Add (e, m)\n}\n",
     {"[N]", "[M]"}},
    {"expand_of_three",
     HEAD "g (float[N] x, float[M] m, float[K] k) => (float[] z) {\n"
          "  s = Shape (m)\n  e = Expand (x, s)\n  z = Add (e, k)\n}\n",
     {"[N]", "[M]", "[K]"}},
    {"broadcast_of_which_one_is_read",
     HEAD "g (float[N] x, float[M] m, float[5] y) => (float[] z) {\n"
          "  a, b = onnx_broadcast.Broadcast (x, m)\n  z = Add (a, y)\n}\n",
     {"[N]", "[M]", "[5]"}},
    {"tile_of_one",
     HEAD "g (float[1] x, float[5] y) => (float[] z) {\n"
          "  n = Constant <value = int64[1] {5}> ()\n  e = Tile (x, n)\n  z = Add (e, y)\n}\n",
     {"[1]", "[5]"}},
    {"expand_by_data",
     HEAD "g (float[3] x, int64[1] t, float[3] y) => (float[] z) {\n  e = Expand (x, t)\n  z = Add (e, y)\n}\n",
     {"[3]", "=K", "[3]"}},
    {"expand_of_one_by_data",
     HEAD "g (float[1] x, int64[1] t, float[3] y) => (float[] z) {\n  e = Expand (x, t)\n  z = Add (e, y)\n}\n",
     {"[1]", "=K", "[3]"}},
    {"claimed_sizes",
     HEAD "g (float[1] x, int64[1] t, float[1] y) => (float[3] z) <float[3] e> {\n  e = Expand (x, t)\n  z = PRelu (e, y)\n}\n",
     {"[1]", "=K", "[1]"}},
    {"expand_that_is_claimed_to_do_nothing",
     HEAD "g (float[1] x, int64[1] t) => (float[] z) <float[1] e> {\n  e = Expand (x, t)\n  z = Relu (e)\n}\n",
     {"[1]", "=K"}},
    {"default_that_may_be_overridden",
     HEAD "g (float[1] x, int64[1] t = {3}, float[3] y) => (float[] z) {\n  e = Expand (x, t)\n  z = Add (e, y)\n}\n",
     {"[1]", "[3]"}},
    {"default_of_a_stretched_operand",
     HEAD "g (float[N] x, float[1] s = {2}) => (float[] z) {\n  z = PRelu (x, s)\n}\n",
     {"[N]"}},
    {"one_way_of_open_size", HEAD "g (float[2,N] x, float[6] s) => (float[] y) {\n  y = PRelu (x, s)\n}\n", {"[2N]", "[6]"}},
    {"normalization_of_open_size",
     HEAD "g (float[2,N] x, float[6] s, float[6] b) => (float[] y) {\n  y = LayerNormalization (x, s, b)\n}\n",
     {"[2N]", "[6]", "[6]"}},
    {"one_way_of_two_open_sizes", HEAD "g (float[2,N] x, float[M] s) => (float[] y) {\n  y = PRelu (x, s)\n}\n", {"[2N]", "[M]"}},
    {"gemm_of_open_sizes",
     HEAD "g (float[N,3] a, float[3,M] b, float[K] c) => (float[] y) {\n  y = Gemm (a, b, c)\n}\n",
     {"[N3]", "[3M]", "[K]"}},
    {"batches_of_open_sizes",
     HEAD "g (float[N,2,3] a, float[M,3,2] b) => (float[] y) {\n  y = MatMul (a, b)\n}\n",
     {"[N23]", "[M32]"}},
    {"undecided_sum",
     HEAD "g (float[N] a, float[M] b, float[K] c) => (float[] y) {\n  s = Add (a, b)\n  y = Mul (s, c)\n}\n",
     {"[N]", "[M]", "[K]"}},
};

/* ---- Running ---- */

typedef struct filling {
    const kept_case *c;
    int64_t letters[26];
    float elements[MAX_ELEMENTS];
    int64_t numbers[8];
    bool flags[1];
} filling;

static ob_status fill_input(filling *f, const char *shape, ob_dtype dtype, ob_view *view) {
    int64_t dims[8];
    int32_t rank = 0;
    if (shape[0] == '=') {
        int64_t number = shape[1] >= 'A' ? f->letters[shape[1] - 'A'] : shape[1] - '0';
        f->numbers[0] = number;
        f->flags[0] = number != 0;
        const int64_t one = 1;
        return ob_view_init(view, dtype == OB_BOOL ? (void *)f->flags : (void *)f->numbers, dtype, dtype == OB_BOOL ? 0 : 1,
                            &one);
    }
    for (const char *at = shape + 1; *at != ']'; at++) dims[rank++] = *at >= 'A' ? f->letters[*at - 'A'] : *at - '0';
    return ob_view_init(view, f->elements, dtype, rank, dims);
}

typedef struct outcome {
    ob_status status;
    byte_buffer bytes;
    char message[200];
} outcome;

static void run(filling *f, const ob_model *model, outcome *out) {
    ob_view inputs[MAX_INPUTS] = {0}, outputs[4] = {0};
    ob_session *session = NULL;
    ob_error error;
    ob_error_clear(&error);
    memset(out, 0, sizeof *out);
    out->status = ob_session_create(model, NULL, &session, &error);
    size_t n = session ? ob_session_input_count(session) : 0, n_outputs = session ? ob_session_output_count(session) : 0;
    assert_true(n <= MAX_INPUTS && n_outputs <= 4);
    for (size_t i = 0; i < n && out->status == OB_OK; i++) {
        ob_session_value info;
        assert_true(ob_session_input(session, i, &info));
        out->status = fill_input(f, f->c->inputs[i], info.dtype, &inputs[i]);
    }
    if (out->status == OB_OK) out->status = ob_session_run(session, inputs, n, outputs, n_outputs, &error);
    for (size_t i = 0; i < n_outputs && out->status == OB_OK; i++) {
        append_bytes(&out->bytes, outputs[i].dims, (size_t)outputs[i].rank * sizeof *outputs[i].dims);
        append_bytes(&out->bytes, outputs[i].data, (size_t)ob_view_count(&outputs[i]) * ob_dtype_size(outputs[i].dtype));
    }
    snprintf(out->message, sizeof out->message, "%.199s", error.message);
    ob_session_close(&session);
}

/* The next combination of sizes for the letters of the case; false after the last. */
static bool next_sizes(const char *letters, uint32_t *places, filling *f) {
    size_t k = 0;
    while (letters[k] && ++places[k] == N_SIZES) places[k++] = 0;
    if (!letters[k]) return false;
    for (k = 0; letters[k]; k++) f->letters[letters[k] - 'A'] = sizes[places[k]];
    return true;
}

static void letters_of(const kept_case *c, char *letters) {
    size_t n = 0;
    for (size_t i = 0; i < MAX_INPUTS && c->inputs[i]; i++)
        for (const char *at = c->inputs[i]; *at; at++)
            if (*at >= 'A' && *at <= 'Z' && !memchr(letters, *at, n)) letters[n++] = *at;
    assert_true(n <= MAX_LETTERS);
    letters[n] = '\0';
}

static size_t compare(filling *f, const ob_model *model, const ob_model *made, ob_form form) {
    char letters[MAX_LETTERS + 1] = "";
    uint32_t places[MAX_LETTERS] = {0};
    char last[200];
    size_t n_wrong = 0, n_run = 0;
    letters_of(f->c, letters);
    for (size_t k = 0; letters[k]; k++) f->letters[letters[k] - 'A'] = sizes[0];
    do {
        outcome before, after;
        run(f, model, &before);
        run(f, made, &after);
        bool same = (before.status == OB_OK) == (after.status == OB_OK);
        n_run += before.status == OB_OK;
        if (same && before.status == OB_OK)
            same = before.bytes.n == after.bytes.n &&
                   (before.bytes.n == 0 || memcmp(before.bytes.data, after.bytes.data, before.bytes.n) == 0);
        if (!same) {
            n_wrong++;
            print_error("%s, %s, at", f->c->name, ob_form_name(form));
            for (size_t k = 0; letters[k]; k++) print_error(" %c=%lld", letters[k], (long long)f->letters[letters[k] - 'A']);
            print_error(": before %d %s, after %d %s\n", before.status, before.message, after.status, after.message);
        }
        memcpy(last, before.message, sizeof last);
        free(before.bytes.data);
        free(after.bytes.data);
    } while (next_sizes(letters, places, f));
    if (n_run == 0) print_error("%s runs for no sizes, in the end: %s\n", f->c->name, last);
    return n_wrong + (n_run == 0);
}

static void keeps_what_it_accepts(void **state) {
    filling f = {.c = *state};
    ob_error error;
    ob_model *model = NULL;
    size_t n_wrong = 0;
    for (int i = 0; i < MAX_ELEMENTS; i++) f.elements[i] = (float)(i % 7) * 0.375F - 1;
    ob_error_clear(&error);
    if (ob_model_load_memory(f.c->model, strlen(f.c->model), f.c->name, NULL, &model, &error) != OB_OK)
        fail_msg("%s", error.message);
    for (int form = 0; form < OB_FORM_COUNT; form++) {
        byte_buffer buffer = {0};
        ob_model *made = NULL;
        ob_status status = make_variant(model, (ob_form)form, &buffer, &made, &error);
        if (status == OB_OK)
            n_wrong += compare(&f, model, made, (ob_form)form);
        else if (status != OB_E_UNSUPPORTED)
            fail_msg("%s: %s: %s", f.c->name, ob_form_name((ob_form)form), error.message);
        ob_model_close(&made);
        free(buffer.data);
    }
    ob_model_close(&model);
    assert_int_equal(n_wrong, 0);
}

/* ---- What is compared ---- */

/* A change that a rewriting could have made to the second facts; true: the contract then differs. */
typedef bool (*change)(ob_facts *facts);

static bool nothing(ob_facts *facts) {
    (void)facts;
    return false;
}

static bool a_higher_bound(ob_facts *facts) {
    ((ob_bound *)facts->bounds[0].bound)->highest = 8;
    return true;
}

static bool no_lower_bound(ob_facts *facts) {
    ((ob_bound *)facts->bounds[0].bound)->lowest = OB_DIM_UNKNOWN;
    return true;
}

static bool no_bound(ob_facts *facts) {
    facts->n_bounds--;
    return true;
}

static bool a_rounded_element(ob_facts *facts) {
    ((ob_bound *)facts->bounds[0].bound)->is_rounded = true;
    return true;
}

static bool nothing_open(ob_facts *facts) {
    facts->n_unverified = 0;
    return true;
}

/* An unverified requirement now occurs twice. */
static bool more_open(ob_facts *facts) {
    assert_int_equal(facts->n_unverified, 1);
    assert_true(facts->unverified_capacity > 1);
    facts->unverified[facts->n_unverified++] = facts->unverified[0];
    return true;
}

static bool another_reason(ob_facts *facts) {
    facts->unverified[0].reason = "another reason";
    return true;
}

static void values_and_what_is_open_are_compared(void **state) {
    (void)state;
    static const change changes[] = {nothing,           a_higher_bound, no_lower_bound, no_bound,
                                     a_rounded_element, nothing_open,   more_open,      another_reason};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        ob_model *model = read_text(HEAD "g (int64[N] i, int64[N] j, float[5] t) => (float[N] y, float[N] z) {\n"
                                         "  y = Gather (t, i)  k = Mul (j, j)  z = Gather (t, k)\n}\n");
        ob_facts before, after;
        ob_keeping keeping;
        bool kept = false;
        ob__facts_init(&before, NULL);
        ob__facts_init(&after, NULL);
        ob__keeping_init(&keeping, NULL);
        assert_int_equal(ob__model_resolve_ops(model), OB_OK);
        assert_int_equal(ob__propagate(model, NULL, &before, NULL), OB_OK);
        assert_int_equal(before.n_bounds, 1);
        assert_int_equal(ob__keeping_start(&keeping, model, &before), OB_OK);
        assert_int_equal(ob__propagate(model, NULL, &after, NULL), OB_OK);
        const bool changed = changes[i](&after);
        assert_int_equal(ob__keeping_compare(&keeping, model, &before, &after, &kept), OB_OK);
        if (kept == changed) fail_msg("change %zu", i);
        assert_true(kept || keeping.all_stay); /* only nodes that had to change were changed */
        ob__keeping_release(&keeping);
        ob__facts_release(&after);
        ob__facts_release(&before);
        ob_model_close(&model);
    }
}

int main(int argc, char **argv) {
    struct CMUnitTest tests[sizeof cases / sizeof *cases + 1];
    size_t n = 0;
    if (argc < 2) tests[n++] = (struct CMUnitTest)cmocka_unit_test(values_and_what_is_open_are_compared);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc < 2 || strcmp(argv[1], cases[i].name) == 0)
            tests[n++] = (struct CMUnitTest){cases[i].name, keeps_what_it_accepts, NULL, NULL, (void *)(uintptr_t)&cases[i]};
    return _cmocka_run_group_tests("rewrite_kept", tests, n, NULL, NULL);
}
