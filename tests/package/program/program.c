/* A program of a user: one model, run once, with the installed headers and library only. Compiled as C and as C++. Prints the
 * version and x w + bias = (4 5 6; 7 7 7) + (10 20 30). */
#include <stdio.h>
#include <string.h>

#include "onnx_broadcast/onnx_broadcast.h"

static const char text[] = "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                           "g (float[2,2] x, float[2,3] w, float[3] bias) => (float[2,3] y) {\n"
                           "  product = MatMul(x, w)\n"
                           "  y = Add(product, bias)\n"
                           "}\n";

int main(void) {
    float x[] = {0, 1, 2, 1}, w[] = {1.5F, 1, 0.5F, 4, 5, 6}, bias[] = {10, 20, 30};
    const int64_t dims_x[] = {2, 2}, dims_w[] = {2, 3}, dims_bias[] = {3};
    ob_view in[3], out;
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_error error;
    ob_error_clear(&error);
    memset(&out, 0, sizeof out);
    ob_status status = ob_model_load_memory(text, sizeof text - 1, "example", NULL, &model, &error);
    if (status == OB_OK) status = ob_session_create(model, NULL, &session, &error);
    if (status == OB_OK) status = ob_view_init(&in[0], x, OB_FLOAT, 2, dims_x);
    if (status == OB_OK) status = ob_view_init(&in[1], w, OB_FLOAT, 2, dims_w);
    if (status == OB_OK) status = ob_view_init(&in[2], bias, OB_FLOAT, 1, dims_bias);
    if (status == OB_OK) status = ob_session_run(session, in, 3, &out, 1, &error);
    if (status == OB_OK) {
        const float *y = (const float *)out.data;
        printf("%s:", ob_version());
        for (int64_t i = 0; i < ob_view_count(&out); i++) printf(" %g", (double)y[i]);
        printf("\n");
    } else {
        fprintf(stderr, "%s: %s\n", ob_status_text(status), error.message);
    }
    ob_session_close(&session);
    ob_model_close(&model);
    return status == OB_OK ? 0 : 1;
}
