/* Certificates: equal and changed models, what is proved of them, verification, a change of any line, models that cannot be run.
 */
#include "failing.h"
#include "kernels/kernels.h"
#include "model_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HEADER "<ir_version: 8, opset_import: [\"\" : 17]>\n"

typedef struct gathered {
    char text[60000];
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

static char folder[] = "/tmp/onnx-broadcast-certificate-XXXXXX";
static char old_path[100], new_path[100];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return 1;
    snprintf(old_path, sizeof old_path, "%s/old.onnxtxt", folder);
    snprintf(new_path, sizeof new_path, "%s/new.onnxtxt", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(old_path), unlink(new_path);
    return rmdir(folder);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static ob_certificate_info certify(const char *before, const char *after, gathered *out) {
    ob_certificate_info info;
    ob_error error;
    write_file(old_path, before);
    write_file(new_path, after);
    out->n = 0;
    const ob_status status = ob_certify(old_path, new_path, NULL, gather, out, &info, &error);
    if (status != OB_OK) fail_msg("%s", error.message);
    return info;
}

static const char model[] =
    HEADER "g (float[N] x, float[M] w) => (float[?] y) <float[1] c = {2}> { a = Sub (x, w) y = Mul (a, c) }\n";
static const char renamed[] =
    HEADER "h (float[A] x, float[B] w) => (float[?] y) <float[1] d = {2}> { b = Sub (x, w) y = Mul (d, b) }\n";
static const char other_weight[] =
    HEADER "g (float[N] x, float[M] w) => (float[?] y) <float[1] c = {3}> { a = Sub (x, w) y = Mul (a, c) }\n";
static const char swapped[] =
    HEADER "g (float[N] x, float[M] w) => (float[?] y) <float[1] c = {2}> { a = Sub (w, x) y = Mul (a, c) }\n";
static const char narrower[] =
    HEADER "g (float[N] x, float[N] w) => (float[?] y) <float[1] c = {2}> { a = Sub (x, w) y = Mul (a, c) }\n";
static const char other_input[] =
    HEADER "g (float[N] z, float[M] w) => (float[?] y) <float[1] c = {2}> { a = Sub (z, w) y = Mul (a, c) }\n";
static const char minus_zero[] = HEADER "g (float[N] x, float[M] w) => (float[?] y) <float[1] c = {2}, float[1] z = {0}> "
                                        "{ a = Sub (x, w) b = Mul (a, c) y = Add (b, z) }\n";

static gathered text;

static void equal_models(void **state) {
    (void)state;
    ob_certificate_info info = certify(model, model, &text);
    assert_true(info.equal && info.contract == OB_RELATION_EQUAL);
    assert_true(info.n_runs >= 12 && info.n_different == 0 && info.n_unlike == 0);
    assert_true(info.n_refused >= 2); /* sizes that break the clause */
    assert_non_null(strstr(text.text, "{\"_type\":\"https://in-toto.io/Statement/v1\""));
    assert_non_null(strstr(text.text, "{\"name\":\"old.onnxtxt\",\"digest\":{\"sha256\":\""));
    assert_null(strstr(text.text, folder));
    assert_non_null(strstr(text.text, "\"contract\":[\"N = M or M = 1 or N = 1\"]"));
    /* each broadcast with its rule and shapes, of both models */
    const char *first = strstr(text.text, "{\"node\":\"a\",\"path\":\"\",\"op_type\":\"Sub\",\"rule\":\"multidirectional\","
                                          "\"operands\":[\"[N]\",\"[M]\"],\"result\":\"[bcast(N, M)]\"}");
    assert_non_null(first);
    const char *after = strstr(first, "\"after\":[");
    assert_non_null(after);
    assert_non_null(strstr(after, "\"op_type\":\"Sub\",\"rule\":\"multidirectional\""));
    assert_int_equal(text.text[text.n - 1], '\n');
    info = certify(model, renamed, &text);
    assert_true(info.equal && info.contract == OB_RELATION_EQUAL);
}

static void changed_models(void **state) {
    (void)state;
    ob_certificate_info info = certify(model, other_weight, &text);
    assert_false(info.equal);
    assert_true(info.n_different > 0);
    assert_false(certify(model, swapped, &text).equal);
    info = certify(model, narrower, &text);
    assert_true(!info.equal && info.contract == OB_RELATION_NARROWER && info.n_unlike > 0);
    info = certify(model, other_input, &text);
    assert_true(!info.equal && info.n_runs == 0);
    assert_non_null(strstr(text.text, "\"runs\":[],"));
    info = certify(model, minus_zero, &text); /* differs only where a result is -0 */
    assert_true(!info.equal && info.n_different > 0 && info.n_different < info.n_runs);
}

static const char explicit_one[] = "<ir_version: 8, opset_import: [\"\" : 17, \"onnx_broadcast\" : 1]>\n"
                                   "g (float[N] x, float[M] w) => (float[?] y) <float[1] c = {2}> {\n"
                                   "  p, q = onnx_broadcast.Broadcast (x, w) a = Sub (p, q) s = Shape (a) d = Expand (c, s)\n"
                                   "  y = Mul (a, d) }\n";
static const char of_run[] = HEADER "g (float[N] x) => (y, z) { y = NonZero (x) z = Relu (x) }\n";
static const char of_other_run[] = HEADER "g (float[N] x) => (y, z) { p = Identity (x) y = NonZero (p) z = Relu (x) }\n";
static const char wrong_below_8[] = HEADER "g (float[N] x, float[M] w) => (float[?] y) <float[1] c = {2}, int64[1] e = {8}> "
                                           "{ s = Shape (x) m = Max (s, e) p = Expand (w, m) a = Sub (x, p) y = Mul (a, c) }\n";

/* What is proved is said of each output, and what is not has a reason. */
static void proofs_are_named(void **state) {
    (void)state;
    ob_certificate_info info = certify(model, explicit_one, &text);
    assert_true(info.equal && info.contract == OB_RELATION_EQUAL);
    assert_true(info.n_outputs == 1 && info.n_output_shapes == 1 && info.n_output_elements == 1);
    assert_true(info.n_values == 1 && info.n_value_shapes == 1 && info.n_value_elements == 1);
    assert_non_null(strstr(text.text, "\"proved\":{\"outputs\":[\n{\"name\":\"y\",\"shape\":\"equal values\",\"elements\":"
                                      "\"proved\",\"lemmas\":[\"Operands.expansions_are_exchanged\"]}],\n"
                                      "\"inner\":{\"values\":1,\"shapes\":1,\"elements\":1}}"));
    info = certify(of_run, of_run, &text);
    assert_true(info.equal && info.n_output_shapes == 2 && info.n_output_elements == 2);
    info = certify(of_run, of_other_run, &text); /* equal in all runs, and not proved */
    assert_true(info.equal && info.n_outputs == 2 && info.n_output_shapes == 1 && info.n_output_elements == 1);
    assert_non_null(strstr(text.text,
                           "{\"name\":\"y\",\"shape\":\"runs only\",\"why_shape\":\"a size is known in runs only\",\"elements\":"
                           "\"runs only\",\"why_elements\":\"node \\\"p\\\" (Identity): no operator of the old model has"));
    info = certify(model, swapped, &text); /* shapes alone */
    assert_true(!info.equal && info.n_output_shapes == 1 && info.n_output_elements == 0);
    info = certify(model, wrong_below_8, &text);
    assert_true(!info.equal && info.n_output_shapes == 0 && info.n_output_elements == 0);
    assert_non_null(strstr(text.text, "\"why_shape\":\"the terms of a size differ\""));
}

static void any_change_is_found(void **state) {
    (void)state;
    ob_error error;
    (void)certify(model, explicit_one, &text);
    assert_int_equal(ob_certificate_verify(text.text, text.n, old_path, new_path, NULL, &error), OB_OK);
    size_t line = 1;
    for (size_t i = 0; i < text.n; i++) {
        if (text.text[i] == '\n') line++;
        if (i % 7 != 0 && text.text[i] != '\n') continue; /* some bytes of each line */
        const char was = text.text[i];
        text.text[i] = was == '7' ? '8' : '7';
        assert_int_equal(ob_certificate_verify(text.text, text.n, old_path, new_path, NULL, &error), OB_E_MODEL);
        char wanted[40];
        snprintf(wanted, sizeof wanted, "in line %zu from", was == '\n' ? line - 1 : line);
        if (!strstr(error.message, wanted)) fail_msg("byte %zu, line %zu: %s", i, line, error.message);
        text.text[i] = was;
    }
    assert_int_equal(ob_certificate_verify(text.text, text.n - 1, old_path, new_path, NULL, &error), OB_E_MODEL);
    text.text[text.n] = ' ';
    assert_int_equal(ob_certificate_verify(text.text, text.n + 1, old_path, new_path, NULL, &error), OB_E_MODEL);
    assert_int_equal(ob_certificate_verify("", 0, old_path, new_path, NULL, &error), OB_E_MODEL);
    assert_int_equal(ob_certificate_verify(text.text, text.n, new_path, old_path, NULL, &error), OB_E_MODEL);
    const ob_named_size one = {"N", 1};
    const ob_certify_options other = {.sizes = &one, .n_sizes = 1};
    assert_int_equal(ob_certificate_verify(text.text, text.n, old_path, new_path, &other, &error), OB_E_MODEL);
    write_file(new_path, other_weight);
    assert_int_equal(ob_certificate_verify(text.text, text.n, old_path, new_path, NULL, &error), OB_E_MODEL);
}

/* Bits may depend on the level, so a certificate is verified on the one that it states. */
static void another_level_is_named(void **state) {
    (void)state;
    ob_error error;
    (void)certify(model, explicit_one, &text);
    char *level = strstr(text.text, "\"level\":\"");
    if (!level || strcmp(ob__kernels_level_name(), "baseline") == 0) skip();
    ob__kernels_limit(0);
    assert_int_equal(ob_certificate_verify(text.text, text.n, old_path, new_path, NULL, &error), OB_E_MODEL);
    ob__kernels_limit(~0u);
    if (!strstr(error.message, ", and this process uses those for baseline:")) fail_msg("%s", error.message);
    assert_int_equal(ob_certificate_verify(text.text, text.n, old_path, new_path, NULL, &error), OB_OK);
}

static void options_and_refusals(void **state) {
    (void)state;
    ob_certificate_info info;
    ob_error error;
    (void)certify(model, model, &text);
    const ob_named_size fixed[] = {{"N", 3}, {"Q", 3}};
    ob_certify_options options = {.sizes = fixed, .n_sizes = 1, .max_runs = 4};
    text.n = 0;
    assert_int_equal(ob_certify(old_path, new_path, &options, gather, &text, &info, NULL), OB_OK);
    if (!info.equal || info.n_runs + info.n_refused != 8) fail_msg("%s", text.text);
    assert_null(strstr(text.text, "\"N\":2"));
    options.n_sizes = 2;
    assert_int_equal(ob_certify(old_path, new_path, &options, gather, &text, &info, &error), OB_E_NOT_FOUND);
    options = (ob_certify_options){.max_memory = 4};
    text.n = 0;
    const ob_status status = ob_certify(old_path, new_path, &options, gather, &text, &info, NULL);
    assert_true(status == OB_E_LIMIT || (status == OB_OK && !info.equal));
    assert_int_equal(ob_certify(NULL, new_path, NULL, gather, &text, &info, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_certify(old_path, new_path, NULL, NULL, &text, &info, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_certify("/absent.onnx", new_path, NULL, gather, &text, &info, NULL), OB_E_IO);
    assert_int_equal(ob_certificate_verify(NULL, 0, old_path, new_path, NULL, NULL), OB_E_ARGUMENT);
    write_file(old_path, HEADER "g (string[N] x) => (string[N] y) { y = Identity (x) }\n");
    assert_int_equal(ob_certify(old_path, old_path, NULL, gather, &text, &info, &error), OB_E_UNSUPPORTED);
    write_file(old_path, HEADER "g (uint4[N] x) => (uint4[N] y) { y = Identity (x) }\n");
    assert_int_equal(ob_certify(old_path, old_path, NULL, gather, &text, &info, &error), OB_E_UNSUPPORTED);
    static const char types[] = HEADER "g (uint8[N] a, bool[N] b, float16[N] c, bfloat16[N] d, double[N] e, int16[N] f) =>\n"
                                       "  (uint8[N] p, bool[N] q, float16[N] r, bfloat16[N] s, double[N] t, int16[N] u) {\n"
                                       "  p = Identity (a) q = Not (b) r = Neg (c) s = Identity (d) t = Neg (e) u = Neg (f) }\n";
    text.n = 0;
    info = certify(types, types, &text);
    assert_true(info.equal && info.n_runs >= 10);
    /* Indices within the conditions on elements, whose edges are used. */
    text.n = 0;
    info =
        certify(HEADER "g (int64[N] i) => (float[?] y) <float[3] w = {1, 2, 3}> { y = Gather (w, i) }\n",
                HEADER "g (int64[N] i) => (float[?] y) <float[3] w = {1, 2, 3}> { k = Identity (w) y = Gather (k, i) }\n", &text);
    assert_true(info.equal && info.n_refused == 0 && info.n_runs >= 6);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_models),        cmocka_unit_test(changed_models),         cmocka_unit_test(proofs_are_named),
        cmocka_unit_test(any_change_is_found), cmocka_unit_test(another_level_is_named), cmocka_unit_test(options_and_refusals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
