/* A program of a build without model files: kernels compute, with memory of its own. */
#include <onnx_broadcast/onnx_broadcast.h>

#include <stdio.h>

#if !defined(OB_WITHOUT_PROTOBUF) || !defined(OB_WITHOUT_CHECKER) || !defined(OB_WITHOUT_TEXT) ||                                \
    !defined(OB_WITHOUT_GRADIENT) || !defined(OB_WITHOUT_TERMS)
#error "the build does not tell what is left out"
#endif

int main(void) {
    static _Alignas(16) unsigned char block[16384];
    float a[2] = {1, 2}, b[3] = {10, 20, 30}, sum[6];
    ob_fixed_memory memory;
    const ob_allocator allocator = ob_fixed_allocator(&memory, block, sizeof block);
    ob_view in[2], out;
    ob_elementwise_plan *plan = NULL;
    ob_error error = {.message = "a view cannot be made"};
    ob_status status = ob_view_init(&in[0], a, OB_FLOAT, 2, (int64_t[]){2, 1});
    if (status == OB_OK) status = ob_view_init(&in[1], b, OB_FLOAT, 1, (int64_t[]){3});
    if (status == OB_OK) status = ob_elementwise_output("Add", 0, in, 2, NULL, 0, &out, &error);
    out.data = sum;
    if (status == OB_OK) status = ob_elementwise_create("Add", 0, in, 2, NULL, 0, &out, &allocator, &plan, &error);
    if (status == OB_OK) status = ob_elementwise_run(plan, in, &out, &error);
    ob_elementwise_destroy(&plan);
    if (status != OB_OK) return fprintf(stderr, "kernels: %s\n", error.message), 1;
    for (int i = 0; i < 6; i++) printf("%g ", (double)sum[i]);
    printf("(%s)\n", ob_build_info().options);
    return memory.used != 0;
}
