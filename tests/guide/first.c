#include <onnx_broadcast/onnx_broadcast.h>
#include <stdio.h>

int main(void) {
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_file_tensor images = {0};
    ob_view outputs[2] = {{0}}; /* no data: the session provides the memory */
    ob_error error = {0};
    ob_status status = ob_model_load("models/digits.onnx", NULL, &model, &error);
    if (status == OB_OK) status = ob_session_create(model, NULL, &session, &error);
    if (status == OB_OK) status = ob_tensor_file_read("models/digits_test/input_0.pb", NULL, &images, &error);
    if (status == OB_OK) status = ob_session_run(session, &images.view, 1, outputs, 2, &error);
    const int64_t *digits = outputs[1].data;
    for (int i = 0; status == OB_OK && i < 10; i++) printf("%d ", (int)digits[i]);
    printf("%s\n", status == OB_OK ? "are the first ten digits" : error.message);
    ob_session_close(&session);
    ob_file_tensor_release(&images);
    ob_model_close(&model);
    return (int)status;
}
