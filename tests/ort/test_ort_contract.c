/* A host tests the contract that a rewritten model states before ONNX Runtime runs it: text and names of sizes come from ONNX
 * Runtime. Excluded sizes do not run there, admitted ones do. This is the code of docs/onnxruntime.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host_case.h"

enum { MAX_SIZES = 32, MAX_NAME = 64 };

typedef struct given_sizes {
    ob_named_size sizes[MAX_SIZES];
    char places[MAX_SIZES][MAX_NAME];
    size_t n;
} given_sizes;

/* The sizes of input `index`: by name where the model names them, else by place. */
static bool add_sizes(const ort_session *s, size_t index, const int64_t *dims, size_t rank, given_sizes *out) {
    const OrtApi *api = s->host->api;
    OrtTypeInfo *info = NULL;
    const OrtTensorTypeAndShapeInfo *tensor = NULL;
    const char *names[8] = {NULL};
    bool ok = rank <= 8 && ort_ok(s->host, api->SessionGetInputTypeInfo(s->session, index, &info)) &&
              ort_ok(s->host, api->CastTypeInfoToTensorInfo(info, &tensor)) &&
              ort_ok(s->host, api->GetSymbolicDimensions(tensor, names, rank));
    for (size_t i = 0; ok && i < rank; i++) {
        char *place = out->places[out->n];
        bool named = names[i] && names[i][0];
        snprintf(place, MAX_NAME, named ? "%s" : "%s[%zu]", named ? names[i] : s->input_names[index], i);
        out->sizes[out->n] = (ob_named_size){place, dims[i]};
        out->n++;
    }
    if (info) api->ReleaseTypeInfo(info);
    return ok;
}

/* NULL: the model states none. The allocator's. */
static char *stated_contract(const ort_session *s) {
    const OrtApi *api = s->host->api;
    OrtModelMetadata *metadata = NULL;
    char *text = NULL;
    if (!ort_ok(s->host, api->SessionGetModelMetadata(s->session, &metadata))) return NULL;
    ort_ok(s->host, api->ModelMetadataLookupCustomMetadataMap(metadata, s->host->allocator, OB_CONTRACT_KEY, &text));
    api->ReleaseModelMetadata(metadata);
    return text;
}

static const char text[] = "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                           "g (float[N,?] x, float[M,?] y, float[?] z) => (float[K,L] s) <float[3] w = {1, 2, 3}>\n"
                           "{ a = Add (x, y)  c = Mul (a, z)  s = Sub (c, w) }\n";

static size_t try_form(ob_form form, bool plugin, size_t *n_excluded) {
    static const int64_t tried[] = {0, 1, 2, 3};
    float zeros[64] = {0};
    byte_buffer bytes = {0};
    ob_model *model = NULL, *made = NULL;
    ob_error error;
    ort_session s;
    size_t n_admitted = 0;
    ob_error_clear(&error);
    assert_int_equal(ob_model_load_memory(text, sizeof text - 1, "text", NULL, &model, &error), OB_OK);
    if (make_variant(model, form, &bytes, &made, &error) != OB_OK) fail_msg("%s", error.message);
    const ort_options options = {.plugin = plugin ? OB_ORT_PLUGIN : NULL};
    if (!ort_session_open(&host, bytes.data, bytes.n, &options, &s)) fail_msg("%s", host.error);
    char *stated = stated_contract(&s);
    assert_non_null(stated);
    assert_string_equal(stated, ob_model_metadata(made, OB_CONTRACT_KEY));
    for (int k = 0; k < 4 * 4 * 4 * 4 * 4; k++) {
        const int64_t x[] = {tried[k % 4], tried[k / 4 % 4]}, y[] = {tried[k / 16 % 4], tried[k / 64 % 4]},
                      z[] = {tried[k / 256]};
        given_sizes given = {.n = 0};
        ob_view in[3], out;
        ob_truth truth = OB_FALSE;
        assert_true(add_sizes(&s, 0, x, 2, &given) && add_sizes(&s, 1, y, 2, &given) && add_sizes(&s, 2, z, 1, &given));
        ob_status status = ob_contract_check(stated, given.sizes, given.n, &truth, &error);
        assert_int_equal(ob_view_init(&in[0], zeros, OB_FLOAT, 2, x), OB_OK);
        assert_int_equal(ob_view_init(&in[1], zeros, OB_FLOAT, 2, y), OB_OK);
        assert_int_equal(ob_view_init(&in[2], zeros, OB_FLOAT, 1, z), OB_OK);
        bool runs = ort_run(&s, in, 3, &out, 1);
        if (runs) ort_views_free(&out, 1);
        if (status == OB_E_CONDITION ? runs : status != OB_OK || truth != OB_TRUE || !runs)
            fail_msg("%s: x %lld %lld, y %lld %lld, z %lld: %s; it %s: %s", ob_form_name(form), (long long)x[0], (long long)x[1],
                     (long long)y[0], (long long)y[1], (long long)z[0], status == OB_OK ? "admitted" : error.message,
                     runs ? "runs" : "does not run", runs ? "" : host.error);
        *n_excluded += status == OB_E_CONDITION;
        n_admitted += status == OB_OK;
    }
    ort_ok(&host, host.api->AllocatorFree(host.allocator, stated));
    ort_session_close(&s);
    ob_model_close(&made);
    ob_model_close(&model);
    free(bytes.data);
    return n_admitted;
}

static void test_stated_contract_decides(void **state) {
    (void)state;
    size_t n_excluded = 0, n_admitted = 0;
    n_admitted += try_form(OB_FORM_IMPLICIT, false, &n_excluded);
    n_admitted += try_form(OB_FORM_EXPAND, false, &n_excluded);
    n_admitted += try_form(OB_FORM_FUNCTION, false, &n_excluded);
#ifdef OB_ORT_PLUGIN
    n_admitted += try_form(OB_FORM_BROADCAST, true, &n_excluded);
#endif
    print_message("%zu admitted, %zu excluded\n", n_admitted, n_excluded);
    assert_true(n_admitted > 100 && n_excluded > 1000);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_stated_contract_decides)};
    return cmocka_run_group_tests(tests, open_host, close_host);
}
