/* ONNX Runtime reads the aligned form (OB_FORMAT_PROTOBUF_ALIGNED) as the model that it was written from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host_case.h"

static const char text[] = "<ir_version: 8, opset_import: [\"\" : 14]>\n"
                           "g (float[N,3] x) => (float[N,2] y)\n"
                           "<float[3,2] w = {1.5, -2, 0.25, 4, 5, -6}, float[2] b = {0.5, 0.125}, int64[2] shape = {-1, 2}>\n"
                           "{ p = MatMul (x, w)  k = Constant <value = float[1] {3}> ()  s = Add (p, b)  m = Mul (s, k)\n"
                           "  y = Reshape (m, shape) }\n";

static void test_same_results(void **state) {
    (void)state;
    ob_model *model = NULL;
    ob_error error;
    float x[6] = {1, 2, 3, -4, 5, 6}, results[2][4];
    int64_t dims[] = {2, 3};
    assert_int_equal(ob_model_load_memory(text, sizeof text - 1, "text", NULL, &model, &error), OB_OK);
    for (int aligned = 0; aligned < 2; aligned++) {
        byte_buffer file = {0};
        ob_model_format format = aligned ? OB_FORMAT_PROTOBUF_ALIGNED : OB_FORMAT_PROTOBUF;
        assert_int_equal(ob_model_write(model, format, append_bytes, &file, &error), OB_OK);
        ort_session s;
        ob_view in, out;
        if (!ort_session_open(&host, file.data, file.n, &(ort_options){.optimize = false}, &s)) fail_msg("%s", host.error);
        assert_int_equal(ob_view_init(&in, x, OB_FLOAT, 2, dims), OB_OK);
        if (!ort_run(&s, &in, 1, &out, 1)) fail_msg("%s", host.error);
        assert_int_equal(ob_view_count(&out), 4);
        memcpy(results[aligned], out.data, sizeof results[aligned]);
        ort_views_free(&out, 1);
        ort_session_close(&s);
        free(file.data);
    }
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    assert_true(results[0][0] == 3 * (1.5f + 0.5f + 15 + 0.5f));
    ob_model_close(&model);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_results)};
    return cmocka_run_group_tests(tests, open_host, close_host);
}
