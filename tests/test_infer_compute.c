/* Shape rules of products, windows, reductions, normalizations, resampling, recurrent and signal operators. */
#include "infer_case.h"

static void products(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"MatMul", 13, "f[2,3]; f[3,4]", "", "f[2,4]"},
        {"MatMul", 13, "f[3]; f[3,4]", "", "f[4]"},
        {"MatMul", 13, "f[2,3]; f[3]", "", "f[2]"},
        {"MatMul", 13, "f[3]; f[3]", "", "f[]"},
        {"MatMul", 13, "f[2,3]; f[4,3]", "", "f[2,3] | OB0104"},
        {"MatMul", 13, "f[7,1,2,3]; f[5,3,4]", "", "f[7,5,2,4]"},
        {"MatMul", 13, "f[2,2,3]; f[5,3,4]", "", "f[?,2,4] | OB0104"},
        {"MatMul", 13, "f[N,2,K]; f[3,4]", "", "f[N,2,4] | OB0203 K = 3"},
        {"MatMul", 13, "f[N,2,3]; f[M,3,4]", "", "f[bcast(N, M),2,4] | OB0201 M = N or M = 1 or N = 1"},
        {"MatMul", 13, "f[]; f[3]", "", "f[...] | OB0104"},
        {"MatMul", 13, "f[0,3]; f[3,0]", "", "f[0,0]"},
        {"MatMulInteger", 10, "u[2,3]; c[3,4]; u[]; c[]", "", "j[2,4]"},
        {"QLinearMatMul", 10, "u[2,3]; f[]; u[]; c[3,4]; f[]; c[]; f[]; c[]", "", "c[2,4]"},
        {"Gemm", 13, "f[2,3]; f[3,4]", "", "f[2,4]"},
        {"Gemm", 13, "f[3,2]; f[4,3]; f[4]", "transA=1 transB=1", "f[2,4]"},
        {"Gemm", 13, "f[2,3]; f[3,4]; f[7]", "", "f[2,4] | OB0102"},
        {"Gemm", 13, "f[2,3]; f[3,4]; f[2,1]", "", "f[2,4]"},
        {"Gemm", 13, "f[2,3]; f[3,4]; f[1,2,4]", "", "f[2,4] | OB0102"},
        {"Gemm", 13, "f[N,3]; f[3,4]; f[2,4]", "", "f[N,4] | OB0201 2 = N"},
        {"Gemm", 13, "f[2,3]; f[4,3]", "", "f[2,3] | OB0104"},
        {"Gemm", 13, "f[1,2,3]; f[3,4]", "", "f[...] | OB0601"},
        {"Gemm", 6, "f[2,3]; f[3,4]; f[4]", "broadcast=1", "f[2,4]"},
        {"Gemm", 6, "f[2,3]; f[3,4]; f[4]", "", "f[2,4] | OB0102"},
        {"Einsum", 12, "f[2,3]; f[3,4]", "equation=ij,jk->ik", "f[2,4]"},
        {"Einsum", 12, "f[B,2,3]; f[B,3,4]", "equation=bij,bjk->bik", "f[B,2,4]"},
        {"Einsum", 12, "f[2,3,4]", "equation=...ij->...ji", "f[2,4,3]"},
        {"Einsum", 12, "f[2,3]", "equation=ji", "f[3,2]"},
        {"Einsum", 12, "f[2,3]", "equation=ij->", "f[]"},
        {"Einsum", 12, "f[2,3]; f[4,5]", "equation=ij,jk->ik", "f[2,5] | OB0601"},
        {"Einsum", 12, "f[2,3]", "equation=ijk->i", "f[...] | OB0601"},
        {"Einsum", 12, "f[2,3]", "equation=ij->k", "f[...] | OB0602"},
        {"Einsum", 12, "f[2,3]", "equation=i!->i", "f[...] | OB0602"},
        {"Det", 11, "f[N,3,3]", "", "f[N]"},
        {"Det", 11, "f[2,3]", "", "f[] | OB0601"},
        {"Attention", 23, "f[2,8,N,64]; f[2,8,M,64]; f[2,8,M,32]", "", "f[2,8,N,32]"},
        {"Attention", 23, "f[2,N,512]; f[2,M,512]; f[2,M,512]", "q_num_heads=8 kv_num_heads=8", "f[2,N,512]"},
    };
    RUN_CASES(cases);
}

static void windows(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Conv", 11, "f[N,3,32,32]; f[8,3,3,3]", "pads=[1,1,1,1]", "f[N,8,32,32]"},
        {"Conv", 11, "f[N,3,H,W]; f[8,3,3,3]", "pads=[1,1,1,1]", "f[N,8,H,W] | OB0203 H + 2 >= 3 | OB0203 W + 2 >= 3"},
        {"Conv", 11, "f[N,3,H]; f[8,3,3]", "auto_pad=SAME_LOWER", "f[N,8,H]"},
        {"Conv", 11, "f[1,3,8]; f[8,3,3]", "pads=[-1,0]", "f[?,?,?] | OB0602"},
        {"Conv", 11, "f[1,3,32,32]; f[8,3,3,3]", "strides=[2,2] dilations=[2,2]", "f[1,8,14,14]"},
        {"Conv", 11, "f[1,3,32]; f[8,3,3]", "auto_pad=SAME_UPPER strides=[2]", "f[1,8,16]"},
        {"Conv", 11, "f[1,3,32]; f[8,3,3]", "auto_pad=VALID strides=[2]", "f[1,8,15]"},
        {"Conv", 11, "f[1,4,8,8]; f[8,2,3,3]", "group=2", "f[1,8,6,6]"},
        {"Conv", 11, "f[1,3,8,8]; f[8,2,3,3]", "group=2", "f[1,8,6,6] | OB0601"},
        {"Conv", 11, "f[1,3,8,8]; f[8,3,3,3]; f[7]", "", "f[1,8,6,6] | OB0601"},
        {"Conv", 11, "f[1,3,2,2]; f[8,3,3,3]", "", "f[1,8,?,?] | OB0601 | OB0601"},
        {"Conv", 11, "f[1,3,8,8]; f[8,3,3]", "", "f[...] | OB0601"},
        {"Conv", 11, "f[1,3,8,8]; f[8,3,3,3]", "strides=[0,1]", "f[?,?,?,?] | OB0602"},
        {"ConvInteger", 10, "u[1,1,3,3]; u[1,1,2,2]; u[]", "", "j[1,1,2,2]"},
        {"ConvTranspose", 11, "f[1,3,4,4]; f[3,8,3,3]", "strides=[2,2]", "f[1,8,9,9]"},
        {"ConvTranspose", 11, "f[1,3,4,4]; f[3,8,3,3]", "output_shape=[10,8]", "f[1,8,10,8]"},
        {"ConvTranspose", 11, "f[1,3,4]; f[3,8,3]", "strides=[2] pads=[1,1] output_padding=[1]", "f[1,8,8]"},
        {"ConvTranspose", 11, "f[1,3,4]; f[3,4,3]", "group=3 auto_pad=SAME_UPPER strides=[2]", "f[1,12,8]"},
        {"MaxPool", 12, "f[N,3,32,32]", "kernel_shape=[2,2] strides=[2,2]", "f[N,3,16,16]; i[N,3,16,16]"},
        {"MaxPool", 12, "f[1,1,4,4]", "kernel_shape=[3,3] strides=[2,2] ceil_mode=1", "f[1,1,2,2]"},
        {"MaxPool", 12, "f[1,1,2,2]", "kernel_shape=[1,1] strides=[2,2] ceil_mode=1", "f[1,1,1,1]"},
        {"MaxPool", 12, "f[1,1,4,4]", "", "f[?,?,?,?] | OB0602"},
        {"AveragePool", 19, "f[1,1,H]", "kernel_shape=[2] strides=[2]", "f[1,1,floor(H/2)] | OB0203 H >= 2"},
        {"MaxPool", 12, "f[1,1,4]", "kernel_shape=[2] strides=[]", "f[?,?,?] | OB0602"},
        {"LpPool", 18, "f[1,1,4]", "kernel_shape=[2] p=0", "f[1,1,3] | OB0602"},
        {"GlobalLpPool", 2, "f[1,1,4]", "p=-1", "f[1,1,1] | OB0602"},
        {"GlobalAveragePool", 1, "f[N,C,4,5]", "", "f[N,C,1,1]"},
        {"MaxUnpool", 11, "f[1,1,2,2]; i[1,1,2,2]", "kernel_shape=[2,2] strides=[2,2]", "f[1,1,4,4]"},
        {"MaxUnpool", 11, "f[1,1,2,2]; i[1,1,2,2]; i[4]={1,1,5,5}", "kernel_shape=[2,2]", "f[1,1,5,5]"},
        {"MaxRoiPool", 1, "f[1,3,8,8]; f[R,5]", "pooled_shape=[2,3]", "f[R,3,2,3]"},
        {"RoiAlign", 16, "f[1,3,8,8]; f[R,4]; i[R]", "output_height=5 output_width=6", "f[R,3,5,6]"},
        {"Col2Im", 18, "f[1,5,5]; i[2]={5,5}; i[2]={1,5}", "", "f[1,1,5,5]"},
    };
    RUN_CASES(cases);
}

static void reductions_and_normalizations(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"ReduceSum", 13, "f[2,N,4]; i[1]={1}", "", "f[2,1,4]"},
        {"ReduceSum", 13, "f[2,N,4]; i[1]={-1}", "keepdims=0", "f[2,N]"},
        {"ReduceSum", 13, "f[2,N]; i[0]={}", "noop_with_empty_axes=1", "f[2,N]"},
        {"ReduceL1", 18, "f[2,N]", "noop_with_empty_axes=1 keepdims=0", "f[2,N]"},
        {"ReduceL1", 13, "f[2,N]", "noop_with_empty_axes=1 keepdims=0", "f[]"},
        {"ReduceSum", 13, "f[2,N]", "keepdims=0", "f[]"},
        {"ReduceSum", 13, "f[2,N]; i[1]", "", "f[?,?]"},
        {"ReduceSum", 13, "f[2,N]; i[1]", "keepdims=0", "f[...]"},
        {"ReduceMean", 11, "f[2,N]", "axes=[2]", "f[...] | OB0602"},
        {"ReduceProd", 13, "i[3]={2,N,3}", "keepdims=0", "i[]={6*N}"},
        {"ReduceMax", 13, "i[3]={2,9,3}", "keepdims=1", "i[1]={9}"},
        {"ArgMax", 13, "f[2,N]", "axis=1", "i[2,1] | OB0203 N >= 1"},
        {"ArgMax", 13, "f[2,N]", "axis=0 keepdims=0", "i[N]"},
        {"Softmax", 1, "f[2,N]", "axis=2", "f[2,N] | OB0602"},
        {"LogSoftmax", 11, "f[2,N]", "axis=2", "f[2,N] | OB0602"},
        {"Hardmax", 11, "f[N]", "", "f[N] | OB0602"},
        {"Softmax", 11, "f[2,N]", "axis=-2", "f[2,N]"},
        {"Softmax", 13, "f[]", "", "f[] | OB0602"},
        {"BatchNormalization", 15, "f[N,3,4]; f[3]; f[3]; f[3]; f[3]", "", "f[N,3,4]"},
        {"BatchNormalization", 15, "f[N,3,4]; f[3]; f[4]; f[3]; f[3]", "", "f[N,3,4] | OB0601"},
        {"LayerNormalization", 17, "f[N,3,4]; f[4]; f[4]", "", "f[N,3,4]; f[N,3,1]; f[N,3,1]"},
        {"LayerNormalization", 17, "f[N,3,4]; f[3,4]", "axis=1", "f[N,3,4]; f[N,1,1]"},
        {"LayerNormalization", 17, "f[N,3,4]; f[3]", "", "f[N,3,4] | OB0102"},
        {"RMSNormalization", 23, "f[N,3,4]; f[5]", "", "f[N,3,4] | OB0102"},
        {"RMSNormalization", 23, "f[N,3,4]; f[4]", "", "f[N,3,4]"},
        {"Dropout", 13, "f[2,N]", "", "f[2,N]; b[2,N]"},
        {"Dropout", 6, "f[2,N]", "", "f[2,N]; f[2,N]"},
        {"NegativeLogLikelihoodLoss", 13, "f[N,5,4]; i[N,4]", "reduction=none", "f[N,4]"},
        {"NegativeLogLikelihoodLoss", 13, "f[N,5,4]; i[N,4]", "", "f[]"},
        {"SoftmaxCrossEntropyLoss", 13, "f[N,5]; i[N,5]", "", "f[]; f[N,5] | OB0601"},
    };
    RUN_CASES(cases);
}

static void resampling_and_signal(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Upsample", 7, "f[1,1,2,3]", "scales=[1.0,1.0,2.0,3.0]", "f[1,1,4,9]"},
        /* in float 10 * 1.9 is 19; a scale that is exact gives what a symbol gives */
        {"Upsample", 7, "f[1,1,10,20]", "scales=[1.0,1.0,1.9,1.9]", "f[1,1,19,38]"},
        {"Upsample", 7, "f[1,1,16777217,33554434]", "scales=[1.0,1.0,1.0,1.5]", "f[1,1,16777217,50331651]"},
        {"Upsample", 7, "f[1,1,H,W]", "scales=[1.0,1.0,1.0,0.5]", "f[?,?,?,?] | OB0601"},
        {"Upsample", 7, "f[1,1,H,W]", "scales=[1.0,1.0,1.0,1.5]", "f[1,1,H,W + floor(W/2)]"},
        {"Resize", 13, "f[N,1,H,3]; -; f[4]={1,1,2,3}", "", "f[N,1,2*H,9]"},
        {"Resize", 13, "f[N,1,H,3]; -; -; i[4]={N,1,7,M}", "", "f[N,1,7,M] | OB0203 H >= 1"},
        {"Resize", 18, "f[N,1,2,3]; -; -; i[2]={5,6}", "axes=[2,3]", "f[N,1,5,6]"},
        {"Resize", 18, "f[N,1,2,4]; -; -; i[2]={6,8}", "axes=[2,3] keep_aspect_ratio_policy=not_larger", "f[N,1,4,8]"},
        {"Resize", 13, "f[1,2]; -; f[3]={1,2,3}", "", "f[?,?] | OB0601"},
        {"GridSample", 16, "f[N,3,4,5]; f[N,6,7,2]", "", "f[N,3,6,7]"},
        {"AffineGrid", 20, "f[N,2,3]; i[4]={N,3,4,5}", "", "f[N,4,5,2]"},
        {"LSTM", 14, "f[S,B,3]; f[2,20,3]; f[2,20,5]", "hidden_size=5 direction=bidirectional", "f[S,2,B,5]; f[2,B,5]; f[2,B,5]"},
        {"LSTM", 14, "f[S,B,3]; f[1,20,4]; f[1,20,5]", "hidden_size=5", "f[S,1,B,5] | OB0601"},
        {"GRU", 14, "f[B,S,3]; f[1,15,3]; f[1,15,5]", "hidden_size=5 layout=1", "f[B,S,1,5]; f[B,1,5]"},
        {"QuantizeLinear", 13, "f[2,N]; f[]; c[]", "", "c[2,N]"},
        {"QuantizeLinear", 13, "f[2,N]; f[]", "", "u[2,N]"},
        {"DequantizeLinear", 13, "u[2,3]; f[3]; u[3]", "axis=1", "f[2,3]"},
        {"DequantizeLinear", 13, "u[2,3]; f[2]; u[2]", "axis=1", "f[2,3] | OB0601"},
        {"DynamicQuantizeLinear", 11, "f[N]", "", "u[N]; f[]; u[]"},
        {"RandomNormal", 1, "", "shape=[2,3] dtype=11", "d[2,3]"},
        {"RandomNormal", 1, "", "", "f[...] | OB0602"},
        {"Bernoulli", 15, "f[2,N]", "dtype=9", "b[2,N]"},
        {"Multinomial", 7, "f[N,5]", "sample_size=7", "j[N,7]"},
        {"DFT", 17, "f[N,8,1]", "axis=1", "f[N,8,2]"},
        {"DFT", 17, "f[N,8,1]", "axis=1 onesided=1", "f[N,5,2]"},
        {"STFT", 17, "f[N,128,1]; i[]={8}; -; i[]={16}", "", "f[N,15,9,2]"},
        {"HannWindow", 17, "i[]={10}", "", "f[10]"},
        {"MelWeightMatrix", 17, "i[]={8}; i[]={16}; i[]; f[]; f[]", "", "f[9,8]"},
        {"TfIdfVectorizer", 9, "i[N,3]",
         "mode=TF min_gram_length=1 max_gram_length=1 max_skip_count=0 ngram_counts=[0] pool_int64s=[7,8,9] "
         "ngram_indexes=[0,4,2]",
         "f[N,5]"},
        {"TfIdfVectorizer", 9, "i[N,3]", "mode=TF ngram_indexes=[0,4,2]", "f[N,5] | OB0602"},
        {"StringNormalizer", 10, "s[4]", "", "s[4]"},
        {"ai.onnx.ml:OneHotEncoder", 1, "i[N]", "cats_int64s=[1,2,3]", "f[N,3]"},
        {"ai.onnx.ml:TreeEnsembleClassifier", 3, "f[N,4]", "classlabels_int64s=[0,1,2]", "i[N]; f[N,3]"},
        {"ai.onnx.ml:LinearRegressor", 1, "f[N,4]", "targets=2", "f[N,2]"},
        {"ai.onnx.ml:ArrayFeatureExtractor", 1, "f[N,4]; i[2]", "", "f[N,2]"},
        {"ai.onnx.ml:ZipMap", 1, "f[N,4]", "classlabels_int64s=[0,1,2,3]", "seq(map(f[]))"},
        {"ai.onnx.ml:FeatureVectorizer", 1, "f[N,4]; f[N,3]", "inputdimensions=[4,3]", "f[N,7]"},
        {"ai.onnx.ml:Scaler", 1, "i[N,4]", "", "f[N,4]"},
        {"SequenceConstruct", 11, "f[2,3]; f[2,4]", "", "seq(f[2,?])"},
        {"SequenceEmpty", 11, "", "dtype=7", "seq(i[...])"},
        {"SplitToSequence", 11, "f[6,N]; i[]={2}", "axis=0", "seq(f[2,N])"},
        {"Optional", 15, "f[2,N]", "", "opt(f[2,N])"},
        {"OptionalHasElement", 18, "f[2]", "", "b[]"},
        {"com.microsoft:QLinearAdd", 1, "u[2,1]; f[]; u[]; u[3]; f[]; u[]; f[]; u[]", "", "u[2,3]"},
        {"ConstantFill", 1, "", "shape=[2,3] dtype=7", "i[2,3] | OB0804"},
        {"Crop", 1, "f[1,3,10,20]", "border=[1,2,3,4]", "f[1,3,4,16] | OB0804"},
    };
    RUN_CASES(cases);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(windows),
                                       cmocka_unit_test(reductions_and_normalizations), cmocka_unit_test(resampling_and_signal)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
