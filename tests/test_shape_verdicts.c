/* The checker and the executor give one answer: what a session refuses for its shapes, the checker reports, and the other way
 * round. One row for each operator whose kernel can refuse shapes; random shapes around valid ones. */
#include "verdict_case.h"

static const verdict_row rows[] = {
    /* recurrent */
    {"LSTM", 14, 3, "f[S,N,I]; f[1,4H,I]; f[1,4H,H]; f[1,8H]?; j[N]={S}?; f[1,N,H]?; f[1,N,H]?; f[1,3H]?", "hidden_size=H"},
    {"LSTM", 14, 3, "f[N,S,I]; f[2,4H,I]; f[2,4H,H]; f[2,8H]?; -; f[N,2,H]?; f[N,2,H]?; f[2,3H]?",
     "hidden_size=H layout=1 direction=bidirectional"},
    {"LSTM", 7, 1, "f[S,N,I]; f[1,4H,I]; f[1,4H,H]", ""},
    {"GRU", 14, 2, "f[S,N,I]; f[1,3H,I]; f[1,3H,H]; f[1,6H]?; j[N]={S}?; f[1,N,H]?", "hidden_size=H"},
    {"RNN", 14, 2, "f[S,N,I]; f[1,H,I]; f[1,H,H]; f[1,2H]?; j[N]={S}?; f[1,N,H]?", "hidden_size=H"},
    /* quantized */
    {"QuantizeLinear", 10, 1, "f[A,B]; f[]; u[]?", ""},
    {"QuantizeLinear", 13, 1, "f[A,B,C]; f[B]; u[B]?", ""},
    {"QuantizeLinear", 13, 1, "f[A]; f[A]; u[A]?", "axis=0"},
    {"QuantizeLinear", 21, 1, "f[A,2B,C]; f[A,B,C]; u[A,B,C]?", "axis=1 block_size=2"},
    {"QuantizeLinear", 21, 1, "f[A,B,C]; f[C]; c[C]?", "axis=-1"},
    {"DequantizeLinear", 10, 1, "u[A,B]; f[]; u[]?", ""},
    {"DequantizeLinear", 13, 1, "u[A,B,C]; f[B]; u[B]?", ""},
    {"DequantizeLinear", 21, 1, "u[3A]; f[A]; u[A]?", "axis=0 block_size=3"},
    {"DequantizeLinear", 21, 1, "u[A,B]; f[A]; u[A]?", "axis=0"},
    {"MatMulInteger", 10, 1, "u[M,K]; u[K,N]; u[]?; u[N]?", ""},
    {"MatMulInteger", 10, 1, "u[B,M,K]; c[B,K,N]; u[B,M,1]?; c[B,1,N]?", ""},
    {"QLinearMatMul", 10, 1, "u[M,K]; f[M]; u[M]; u[K,N]; f[N]; u[N]; f[]; u[]", ""},
    {"QLinearMatMul", 10, 1, "u[B,M,K]; f[B,M,1]; u[B,M,1]; u[B,K,N]; f[B,1,N]; u[B,1,N]; f[1]; u[1]", ""},
    {"QLinearMatMul", 10, 1, "u[K]; f[]; u[]; u[K]; f[]; u[]; f[]; u[]", ""},
    {"ConvInteger", 10, 1, "u[N,C,4]; u[M,C,2]; u[]?; u[M]?", ""},
    {"QLinearConv", 10, 1, "u[N,C,4]; f[]; u[]; u[M,C,2]; f[M]; u[M]; f[]; u[]; j[M]?", ""},
    /* reductions */
    {"ArgMax", 13, 1, "f[A,B,C]", "axis=1"},
    {"ArgMin", 1, 1, "f[A,B]", "axis=0 keepdims=0"},
    {"ReduceSum", 13, 1, "f[A,B,C]; i[2]={0,-1}?", ""},
    {"ReduceSum", 13, 1, "f[A,B,C]; i[2]={0,-1}?", "noop_with_empty_axes=1 keepdims=0"},
    {"ReduceMax", 11, 1, "f[A,B]", "axes=[0,1]"},
    {"ReduceMean", 18, 1, "f[A,B]; i[1]={1}", ""},
    {"ReduceL2", 1, 1, "d[A,B]", "axes=[1]"},
    {"CumSum", 14, 1, "f[A,B]; i[]={1}", ""},
    {"CumSum", 11, 1, "f[A,B]; i[1]={-1}", ""},
    {"Softmax", 13, 1, "f[A,B]", "axis=1"},
    {"Softmax", 11, 1, "f[A,B,C]", "axis=2"},
    {"LogSoftmax", 1, 1, "f[A,B,C]", "axis=2"},
    {"Hardmax", 13, 1, "f[A,B]", "axis=1"},
    /* movement */
    {"Pad", 13, 1, "f[A,B]; i[4]={1,0,0,2}; f[]?", ""},
    {"Pad", 13, 1, "f[A,B]; i[4]={1,0,0,2}", "mode=reflect"},
    {"Pad", 18, 1, "f[A,B]; i[2]={1,2}; -; i[1]={1}?", "mode=edge"},
    {"Pad", 19, 1, "f[A,B]; i[4]={1,0,-1,2}", "mode=wrap"},
    {"Pad", 2, 1, "f[A,B]", "pads=[1,0,0,1]"},
    {"Slice", 13, 1, "f[A,B]; i[2]={0,1}; i[2]={3,9}; i[2]={0,1}?; i[2]={1,-1}?", ""},
    {"Slice", 1, 1, "f[A,B]", "starts=[0,1] ends=[2,-1]"},
    {"Slice", 11, 1, "f[A,B]; j[1]={-3}; j[1]={-9}; j[1]={-1}; j[1]={-2}", ""},
    {"Split", 13, 2, "f[4,B]; i[2]={1,3}", ""},
    {"Split", 13, 2, "f[2A,B]", ""},
    {"Split", 18, 3, "f[A,B]", "axis=1 num_outputs=3"},
    {"Split", 2, 2, "f[3,B]", "split=[1,2]"},
    {"Concat", 13, 1, "f[A,B]; f[C,B]; f[A,B]", "axis=0"},
    {"Concat", 4, 1, "f[A,B]; f[A,B]", "axis=-1"},
    {"Tile", 13, 1, "f[A,B]; i[2]={2,1}", ""},
    {"Transpose", 13, 1, "f[A,B,C]", "perm=[2,0,1]"},
    {"DepthToSpace", 13, 1, "f[A,4B,C,D]", "blocksize=2"},
    {"SpaceToDepth", 13, 1, "f[A,B,2C,2D]", "blocksize=2"},
    {"Reshape", 14, 1, "f[A,B]; i[2]={-1,1}", ""},
    {"Reshape", 14, 1, "f[A,B,2]; i[2]={0,-1}", ""},
    {"Reshape", 14, 1, "f[A,B]; i[2]={A,B}", "allowzero=1"},
    {"Flatten", 13, 1, "f[A,B,C]", "axis=2"},
    {"Squeeze", 13, 1, "f[A,1,B,1]; i[2]={1,-1}?", ""},
    {"Squeeze", 11, 1, "f[A,1]", "axes=[1]"},
    {"Unsqueeze", 13, 1, "f[A,B]; i[2]={0,-1}", ""},
    {"Expand", 13, 1, "f[A,1]; i[2]={1,B}", ""},
    {"Resize", 13, 1, "f[A,B,2,3]; -; f[4]={1,1,2,2}", ""},
    {"Resize", 13, 1, "f[A,B,2,3]; -; -; i[4]={1,1,4,4}", ""},
    {"Resize", 18, 1, "f[A,B,2,3]; -; -; i[2]={4,4}", "axes=[2,3] mode=linear"},
    {"Upsample", 9, 1, "f[A,B,2,3]; f[4]={1,1,2,2}", ""},
    /* picking */
    {"Gather", 13, 1, "f[A,B,C]; i[D]", "axis=1"},
    {"Gather", 13, 1, "f[A,B]; i[2]={0,-1}", "axis=0"},
    {"GatherElements", 13, 1, "f[A,B]; i[A,C]", "axis=1"},
    {"GatherND", 13, 1, "f[A,B,C]; i[A,D,1]", "batch_dims=1"},
    {"GatherND", 11, 1, "f[A,B,C]; i[D,2]", ""},
    {"ScatterElements", 13, 1, "f[A,B]; i[A,C]; f[A,C]", "axis=1"},
    {"Scatter", 9, 1, "f[A,B]; i[C,B]; f[C,B]", ""},
    {"ScatterND", 13, 1, "f[A,B,C]; i[D,2]; f[D,C]", ""},
    {"OneHot", 11, 1, "i[A,B]; i[]={3}; f[2]", ""},
    {"OneHot", 9, 1, "i[A,B]; f[1]={2}; f[2]", "axis=0"},
    {"Compress", 11, 1, "f[A,B]; b[B]={0}", "axis=1"},
    {"Compress", 11, 1, "f[A,B]; b[2]={1,0}", ""},
    {"TopK", 11, 2, "f[A,3]; i[1]={2}", ""},
    {"TopK", 1, 2, "f[3,B]", "axis=0 k=2"},
    {"Trilu", 14, 1, "f[A,B,C]; i[]={1}?", ""},
    {"Range", 11, 1, "i[]={0}; i[]={5}; i[]={2}", ""},
    {"Range", 11, 1, "f[]={0}; f[]; f[]={2}", ""},
    {"EyeLike", 9, 1, "f[A,B]", ""},
    {"ConstantOfShape", 9, 1, "i[2]={2,3}", ""},
    /* products and windows */
    {"MatMul", 13, 1, "f[B,M,K]; f[B,K,N]", ""},
    {"MatMul", 13, 1, "f[K]; f[B,K,N]", ""},
    {"Gemm", 13, 1, "f[K,M]; f[N,K]; f[N]?", "transA=1 transB=1"},
    {"Gemm", 6, 1, "f[M,K]; f[K,N]; f[M,N]", ""},
    {"Conv", 11, 1, "f[N,C,4,5]; f[M,C,2,3]; f[M]?", "pads=[1,0,0,1]"},
    {"Conv", 11, 1, "f[N,4,5]; f[2M,2,3]; f[2M]?", "group=2"},
    {"Conv", 11, 1, "f[N,C,5]; f[M,C,K]", "kernel_shape=[K] auto_pad=SAME_UPPER"},
    {"ConvTranspose", 11, 1, "f[N,C,4]; f[C,M,3]; f[M]?", "strides=[2] output_padding=[1]"},
    {"ConvTranspose", 11, 1, "f[N,4,4]; f[4,M,3]; f[2M]?", "group=2"},
    {"ConvTranspose", 11, 1, "f[N,C,4]; f[C,M,3]", "output_shape=[9] strides=[2]"},
    {"MaxPool", 12, 2, "f[N,C,4,5]", "kernel_shape=[2,3] pads=[1,0,0,1]"},
    {"MaxPool", 12, 1, "f[N,C,4]", "kernel_shape=[K] ceil_mode=1 strides=[2]"},
    {"AveragePool", 19, 1, "f[N,C,4]", "kernel_shape=[2] dilations=[2]"},
    {"LpPool", 18, 1, "f[N,C,4]", "kernel_shape=[2] auto_pad=VALID"},
    {"GlobalAveragePool", 1, 1, "f[N,C]", ""},
    {"GlobalMaxPool", 1, 1, "f[N,C]", ""},
    {"GlobalLpPool", 2, 1, "f[N,C]", ""},
    /* normalizations */
    {"BatchNormalization", 15, 1, "f[N,C,H]; f[C]; f[C]; f[C]; f[C]", ""},
    {"BatchNormalization", 15, 3, "f[N,C,H]; f[C]; f[C]; f[C]; f[C]", "training_mode=1"},
    {"BatchNormalization", 7, 1, "f[N,C,H]; f[C]; f[C]; f[C]; f[C]", ""},
    {"InstanceNormalization", 6, 1, "f[N,C,H]; f[C]; f[C]", ""},
    {"GroupNormalization", 18, 1, "f[N,2C,H]; f[2]; f[2]", "num_groups=2"},
    {"GroupNormalization", 21, 1, "f[N,4,H]; f[4]; f[4]", "num_groups=2"},
    {"LayerNormalization", 17, 1, "f[N,C,H]; f[H]; f[H]?", ""},
    {"LayerNormalization", 17, 3, "f[N,C,H]; f[C,H]; f[C,H]?", "axis=1"},
    {"RMSNormalization", 23, 1, "f[N,C,H]; f[H]", ""},
    {"MeanVarianceNormalization", 13, 1, "f[N,C,H,W]", ""},
    {"MeanVarianceNormalization", 13, 1, "f[N,C]", "axes=[1]"},
    {"LpNormalization", 1, 1, "f[N,C]", "axis=1"},
    {"LRN", 13, 1, "f[N,C]", "size=3"},
    {"Dropout", 13, 2, "f[A,B]; f[]?; b[]={0}?", ""},
    /* elementwise with rules of their own */
    {"Add", 14, 1, "f[A,B]; f[A,1]", ""},
    {"Add", 6, 1, "f[A,B,C]; f[B]", "broadcast=1 axis=1"},
    {"Add", 1, 1, "f[A,B]; f[A,B]", ""},
    {"Where", 16, 1, "b[A,1]; f[1,B]; f[A,B]", ""},
    {"Max", 13, 1, "f[A,B]; f[B]; f[1,B]", ""},
    {"Sum", 6, 1, "f[A,B]; f[A,B]", ""},
    {"PRelu", 16, 1, "f[A,B,C]; f[B,1]", ""},
    {"PRelu", 6, 1, "f[A,B,C]; f[B]", ""},
    {"Clip", 13, 1, "f[A]; f[]?; f[]?", ""},
    {"onnx_broadcast:Broadcast", 14, 2, "f[A,B]; f[B]", ""},
    {"onnx_broadcast:BroadcastInDim", 14, 1, "f[A,B]; i[3]={A,2,B}", "broadcast_dimensions=[0,2]"},
};

static void test_verdicts_agree(void **state) {
    (void)state;
    const char *only = getenv("OB_VERDICT");
    const char *trials = getenv("OB_TRIALS");
    verdict_tally tally = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!only || strcmp(only, rows[i].op_type) == 0)
            run_verdict_row(&rows[i], trials ? (uint32_t)strtoul(trials, NULL, 10) : 200, &tally);
    printf("%llu ran, %llu refused, %llu not supported, %llu differ\n", (unsigned long long)tally.n_sound,
           (unsigned long long)tally.n_refused, (unsigned long long)tally.n_unsupported, (unsigned long long)tally.n_differ);
    assert_int_equal(tally.n_differ, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_verdicts_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
