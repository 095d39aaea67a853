/* Shape rules on operands other than the data: scales, zero points, states, lengths, depths, paddings. */
#include "infer_case.h"

static void recurrent(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"LSTM", 14, "f[S,N,4]; f[1,12,4]; f[1,12,3]; f[1,24]; j[N]; f[1,N,3]; f[1,N,3]; f[1,9]", "hidden_size=3",
         "f[S,1,N,3]; f[1,N,3]; f[1,N,3]"},
        {"LSTM", 14, "f[S,N,4]; f[1,12,4]; f[1,12,2]", "hidden_size=3", "f[S,1,N,3] | OB0601"},
        {"LSTM", 14, "f[S,N,4]; f[1,12,4]; f[1,12,3]; f[1,12]", "hidden_size=3", "f[S,1,N,3] | OB0601"},
        {"LSTM", 14, "f[S,N,4]; f[1,12,4]; f[1,12,3]; -; j[M]", "hidden_size=3", "f[S,1,N,3] | OB0203 M = N"},
        {"LSTM", 14, "f[S,2,4]; f[1,12,4]; f[1,12,3]; -; j[2]={3,4}", "hidden_size=3", "f[S,1,2,3] | OB0203 S >= 4"},
        {"LSTM", 14, "f[5,2,4]; f[1,12,4]; f[1,12,3]; -; j[2]={3,6}", "hidden_size=3", "f[5,1,2,3] | OB0601"},
        {"LSTM", 14, "f[5,2,4]; f[1,12,4]; f[1,12,3]; -; j[2]={3,-1}", "hidden_size=3", "f[5,1,2,3] | OB0601"},
        {"LSTM", 14, "f[S,N,4]; f[1,12,4]; f[1,12,3]; -; -; f[1,M,3]", "hidden_size=3", "f[S,1,N,3] | OB0203 M = N"},
        {"LSTM", 14, "f[S,N,4]; f[1,12,4]; f[1,12,3]; -; -; -; f[N,1,3]", "hidden_size=3", "f[S,1,N,3] | OB0203 N = 1"},
        {"LSTM", 14, "f[S,N,4]; f[1,12,4]; f[1,12,3]; -; -; -; -; f[1,6]", "hidden_size=3", "f[S,1,N,3] | OB0601"},
        {"GRU", 14, "f[N,S,4]; f[2,9,4]; f[2,9,3]; f[2,18]; -; f[N,2,3]", "hidden_size=3 layout=1 direction=bidirectional",
         "f[N,S,2,3]"},
        {"GRU", 14, "f[N,S,4]; f[2,9,4]; f[2,9,3]; -; -; f[2,4,3]", "hidden_size=3 layout=1 direction=bidirectional",
         "f[N,S,2,3] | OB0601 | OB0203 N = 2"},
        {"RNN", 7, "f[S,N,4]; f[1,3,4]; f[1,3,3]; f[1,3]", "", "f[S,1,N,3] | OB0601"},
    };
    RUN_CASES(cases);
}

static void quantized(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"QuantizeLinear", 13, "f[A,B]; f[B]; u[B]", "", "u[A,B]"},
        {"QuantizeLinear", 13, "f[A,B]; f[1]; u[]", "", "u[A,B]"},
        {"QuantizeLinear", 21, "f[A,B,C]; f[1,1,1]; u[1]", "", "u[A,B,C]"},
        {"QuantizeLinear", 13, "f[A,B]; f[C]; u[C]", "", "u[A,B] | OB0201 C = B or C = 1"},
        {"QuantizeLinear", 13, "f[A,3]; f[2]", "", "u[A,3] | OB0601"},
        {"QuantizeLinear", 13, "f[A,3]; f[3]; u[2]", "", "u[A,3] | OB0601"},
        {"QuantizeLinear", 13, "f[A,3]; f[3]; u[]", "", "u[A,3] | OB0601"},
        {"QuantizeLinear", 13, "f[A,3]; f[]; u[3]", "", "u[A,3] | OB0601"},
        {"QuantizeLinear", 13, "f[2,3]; f[2,3]", "", "u[2,3] | OB0601"},
        {"QuantizeLinear", 13, "f[A,3]; f[3]", "axis=2", "u[A,3] | OB0601"},
        {"QuantizeLinear", 13, "f[A,3]; f[1]", "axis=2", "u[A,3]"},
        {"QuantizeLinear", 21, "f[A,6]; f[A,3]; c[A,3]", "block_size=2", "c[A,6]"},
        {"QuantizeLinear", 21, "f[A,5]; f[A,3]; c[A,3]", "block_size=2", "c[A,5]"},
        {"QuantizeLinear", 21, "f[A,7]; f[A,3]; c[A,3]", "block_size=2", "c[A,7] | OB0601"},
        {"QuantizeLinear", 21, "f[A,7]; f[2,4]; c[2,4]", "block_size=2", "c[A,7] | OB0203 A = 2"},
        {"QuantizeLinear", 21, "f[5]; f[1]", "axis=0 block_size=3", "u[5] | OB0601"},
        {"QuantizeLinear", 21, "f[A]; f[]; u[]", "output_dtype=3", "c[A] | OB0604"},
        {"DequantizeLinear", 21, "u[A,6]; f[1,6]; u[1,6]", "axis=0 block_size=4", "f[A,6] | OB0203 ceil(A/4) = 1"},
        {"MatMulInteger", 10, "u[M,K]; u[K,N]; u[M]; u[N]", "", "j[M,N]"},
        {"MatMulInteger", 10, "u[B,M,K]; u[K,N]; u[B,M,1]; u[1,N]", "", "j[B,M,N]"},
        {"MatMulInteger", 10, "u[3,K]; u[K,N]; u[2]", "", "j[3,N] | OB0601"},
        {"MatMulInteger", 10, "u[K]; u[K,N]; u[2]", "", "j[N] | OB0601"},
        {"QLinearMatMul", 10, "u[M,K]; f[M]; u[M]; u[K,N]; f[N]; u[N]; f[]; u[]", "", "u[M,N]"},
        {"QLinearMatMul", 10, "u[4,K]; f[3]; u[]; u[K,N]; f[]; u[]; f[]; u[]", "", "u[4,N] | OB0601"},
        {"QLinearMatMul", 10, "u[M,K]; f[]; u[]; u[K,N]; f[]; u[]; f[2]; u[]", "", "u[M,N] | OB0601"},
        {"QLinearMatMul", 10, "u[M,3]; f[M,3]; u[]; u[3,N]; f[]; u[]; f[]; u[]", "", "u[M,N] | OB0601"},
        {"ConvInteger", 10, "u[N,2,5]; u[3,2,3]; u[]; u[3]", "", "j[N,3,3]"},
        {"ConvInteger", 10, "u[N,2,5]; u[3,2,3]; u[2]; u[3]", "", "j[N,3,3] | OB0601"},
        {"QLinearConv", 10, "u[N,2,5]; f[]; u[]; u[3,2,3]; f[2]; u[]; f[]; u[]", "", "u[N,3,3] | OB0601"},
    };
    RUN_CASES(cases);
}

static void picking(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"ArgMin", 13, "f[0,3]", "", "i[1,3] | OB0601"},
        {"Gather", 13, "f[0,N]; i[2]", "", "f[2,N] | OB0601"},
        {"Gather", 13, "f[0,N]; i[0]", "", "f[0,N]"},
        {"Gather", 13, "f[3,N]; i[2]={0,3}", "", "f[2,N] | OB0601"},
        {"Gather", 13, "f[M,N]; i[2]={0,3}", "", "f[2,N] | OB0203 M >= 4"},
        {"GatherElements", 13, "f[2,3]; i[3,3]", "axis=1", "f[3,3] | OB0601"},
        {"GatherND", 13, "f[2,0,3]; i[4,2]", "", "f[4,3] | OB0601"},
        {"ScatterElements", 13, "f[2,0]; i[2,1]; f[2,1]", "axis=1", "f[2,0] | OB0601"},
        {"ScatterND", 13, "f[0,3]; i[4,1]; f[4,3]", "", "f[0,3] | OB0601"},
        {"OneHot", 11, "i[N]; i[1]={4}; f[2]", "", "f[N,4]"},
        {"OneHot", 11, "i[N]; i[2]; f[2]", "", "f[N,?] | OB0601"},
        {"OneHot", 11, "i[N]; i[]={-1}; f[2]", "", "f[...] | OB0601"},
        {"OneHot", 11, "i[N]; i[]={4}; f[3]", "", "f[N,4] | OB0601"},
        {"Compress", 11, "f[3,N]; b[1,3]", "axis=0", "f[...] | OB0601"},
        {"Compress", 11, "f[3,N]; b[4]={1,0,0,1}", "axis=0", "f[2,N] | OB0601"},
        {"Compress", 11, "f[3,N]; b[4]={1,0,1,0}", "axis=0", "f[2,N]"},
        {"Compress", 11, "f[M,N]; b[2]={0,1}", "axis=0", "f[1,N] | OB0203 M >= 2"},
        {"TopK", 11, "f[5,N]; i[2]", "axis=0", "f[?,N]; i[?,N] | OB0601"},
        {"Trilu", 14, "f[3,N]; i[2]", "", "f[3,N] | OB0601"},
        {"Range", 11, "i[2]; i[]={3}; i[]={1}", "", "i[?] | OB0601"},
        {"Range", 11, "i[N]; i[]={3}; i[]={1}", "", "i[?] | OB0203 N = 1"},
        {"Dropout", 13, "f[3]; f[2]", "", "f[3] | OB0601"},
    };
    RUN_CASES(cases);
}

static void along_axes(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"CumSum", 14, "f[3,N]; i[1]={1}", "", "f[3,N]"},
        {"CumSum", 14, "f[3,N]; i[2]", "", "f[3,N] | OB0601"},
        {"CumSum", 14, "f[3,N]; i[]={2}", "", "f[3,N] | OB0602"},
        {"CumSum", 14, "f[]; i[]", "", "f[] | OB0601"},
        {"LpNormalization", 1, "f[3,N]", "axis=2", "f[3,N] | OB0602"},
        {"MeanVarianceNormalization", 13, "f[N,3,4]", "", "f[N,3,4] | OB0602"},
        {"MeanVarianceNormalization", 13, "f[N,3,4,5]", "", "f[N,3,4,5]"},
        {"LRN", 13, "f[N]", "size=3", "f[N] | OB0601"},
        {"LRN", 13, "f[N,3]", "size=0", "f[N,3] | OB0602"},
        {"ReverseSequence", 10, "f[S,N,3]; i[N]", "", "f[S,N,3]"},
        {"ReverseSequence", 10, "f[S,N,3]; i[M]", "", "f[S,N,3] | OB0203 M = N"},
        {"ReverseSequence", 10, "f[4,N,3]; i[2]={2,5}", "", "f[4,N,3] | OB0601 | OB0203 N = 2"},
        {"ReverseSequence", 10, "f[3]; i[3]", "", "f[3] | OB0601"},
        {"ReverseSequence", 10, "f[2,3]; i[2]", "batch_axis=0 time_axis=0", "f[2,3] | OB0602"},
        {"GroupNormalization", 18, "f[N,C,3]; f[2]; f[2]", "num_groups=2", "f[N,C,3] | OB0203 C % 2 = 0"},
        {"GroupNormalization", 18, "f[N,4,3]; f[4]; f[2]", "num_groups=2", "f[N,4,3] | OB0601"},
        {"GroupNormalization", 21, "f[N,4,3]; f[4]; f[4]", "num_groups=2", "f[N,4,3]"},
        {"InstanceNormalization", 6, "f[N]; f[3]; f[3]", "", "f[N] | OB0601"},
        {"BatchNormalization", 15, "f[N]; f[1]; f[1]; f[1]; f[1]", "", "f[N]"},
        {"BatchNormalization", 15, "f[N]; f[2]; f[1]; f[1]; f[1]", "", "f[N] | OB0601"},
        {"BatchNormalization", 7, "f[N,2,3]; f[2,3]; f[2,3]; f[2,3]; f[2,3]", "spatial=0", "f[N,2,3]"},
        {"BatchNormalization", 7, "f[N,2,3]; f[2]; f[2,3]; f[2,3]; f[2,3]", "spatial=0", "f[N,2,3] | OB0601"},
        {"Pad", 13, "f[N,0]; i[4]={0,1,0,1}", "mode=edge", "f[N,2] | OB0601"},
        {"Pad", 13, "f[N,3]; i[4]={1,1,0,1}", "mode=reflect", "f[N + 1,5] | OB0203 N >= 1"},
        {"Pad", 13, "f[N,0]; i[4]={0,1,0,1}", "", "f[N,2]"},
        {"Pad", 13, "f[N,3]; i[4]; f[2]", "", "f[?,?] | OB0601"},
        {"Pad", 13, "f[N,3]; i[3]", "", "f[?,?] | OB0601"},
        {"Pad", 18, "f[N,3]; i[4]={1,1,0,1}; -; i[2]={1,-1}", "", "f[?,?] | OB0602"},
        {"Pad", 13, "f[N,3]; i[4]={1,1,0,1}", "mode=mirror", "f[N + 1,5] | OB0602 | OB0203 N >= 1"},
        {"Slice", 13, "f[0]; i[1]={-5}; i[1]={-9}; i[1]={0}; i[1]={-1}", "", "f[0]"},
        {"Slice", 13, "f[N]; i[1]={-1}; i[1]={-4611686018427387903}; i[1]={0}; i[1]={-1}", "", "f[N]"},
        {"Slice", 13, "f[N]; i[1]={0}; i[1]={-4611686018427387903}; i[1]={0}; i[1]={-1}", "", "f[min(N, 1)]"},
        {"Slice", 13, "f[N,2]; i[1]={0}; i[2]={1,1}", "", "f[min(N, 1),2] | OB0602"},
        {"Slice", 13, "f[3,2]; i[1]={0}; i[M]; i[1]={1}", "", "f[3,?] | OB0203 M = 1"},
        {"Slice", 13, "f[3,2]; i[2]={0,0}; i[2]={1,1}; i[2]={1,-1}", "", "f[?,?] | OB0602"},
        {"Split", 18, "f[7]", "num_outputs=3", "f[...]; f[...] | OB0602"},
        {"Resize", 13, "f[2,3]; -; f[2]={1,0}", "", "f[?,?] | OB0601"},
        {"Resize", 11, "f[1,1]; f[0]; f[2]={0,0}; i[2]={9,9}", "", "f[?,?] | OB0601"},
        {"Resize", 13, "f[2,3]; -; f[2]; i[2]={4,6}", "", "f[?,?] | OB0601"},
        {"Resize", 11, "f[2,3]; f[0]; f[0]; i[2]={4,6}", "", "f[4,6]"},
        {"Resize", 13, "f[2,0]; -; -; i[2]={2,1}", "", "f[?,?] | OB0601"},
        {"Resize", 13, "f[N,3]; -; -; i[2]={2,-1}", "", "f[?,?] | OB0601"},
        {"Add", 6, "f[3]; f[3]", "broadcast=1 axis=1", "f[3] | OB0105"},
        {"Clip", 13, "f[3]; f[N]", "", "f[3] | OB0203 N = 1"},
    };
    RUN_CASES(cases);
}

/* Numbers of a file beyond the range of sizes are not terms: [N] remains the first term of the pool. */
static void huge_attributes(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Pad", 2, "f[N]", "pads=[4611686018427387904,0]", "f[N + 4611686018427387903]"},
        {"Split", 11, "f[N]", "split=[4611686018427387904,0]",
         "f[4611686018427387903]; f[0] | OB0606 | OB0203 N = 4611686018427387903"},
        {"Reshape", 1, "f[N]", "shape=[4611686018427387904]", "f[4611686018427387903] | OB0606 | OB0203 N = 4611686018427387903"},
        {"TopK", 1, "f[N]", "k=4611686018427387904",
         "f[4611686018427387903]; i[4611686018427387903] | OB0606 | OB0606 | OB0203 N >= 4611686018427387903"},
    };
    RUN_CASES(cases);
}

static void attributes(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Conv", 11, "f[N,2,5]; f[3,2,3]", "auto_pad=SAME", "f[N,3,3] | OB0602"},
        {"Conv", 11, "f[N,2,5]; f[3,2,3]", "auto_pad=NOTSET", "f[N,3,3]"},
        {"MaxPool", 12, "f[N,2,5]", "kernel_shape=[2] pads=[-1,0]", "f[?,?,?] | OB0602"},
        {"Resize", 13, "f[2,3]; -; -; i[2]={4,6}", "mode=area", "f[4,6] | OB0602"},
        {"Resize", 19, "f[2,3]; -; -; i[2]={4,6}", "coordinate_transformation_mode=half", "f[4,6] | OB0602"},
        {"Resize", 13, "f[2,3]; -; -; i[2]={4,6}", "nearest_mode=round", "f[4,6] | OB0602"},
        {"ScatterElements", 18, "f[3]; i[2]; f[2]", "reduction=sum", "f[3] | OB0602"},
        {"ScatterND", 18, "f[3]; i[2,1]; f[2]", "reduction=max", "f[3]"},
        {"Gelu", 20, "f[3]", "approximate=erf", "f[3] | OB0602"},
        {"BitShift", 11, "u[3]; u[3]", "direction=LEFT", "u[3]"},
        {"BitShift", 11, "u[3]; u[3]", "", "u[3] | OB0602"},
        {"RNN", 14, "f[S,N,4]; f[1,3,4]; f[1,3,3]", "direction=backward", "f[S,1,N,3] | OB0602"},
        {"DepthToSpace", 13, "f[1,4,2,2]", "blocksize=2 mode=RDC", "f[1,1,4,4] | OB0602"},
        {"Mod", 13, "f[3]; f[3]", "", "f[3] | OB0602"},
        {"Mod", 13, "f[3]; f[3]", "fmod=1", "f[3]"},
        {"Mod", 13, "i[3]; i[3]", "", "i[3]"},
    };
    RUN_CASES(cases);
}

static void too_large(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Tile", 13, "f[3]; i[1]={4611686018427387903}", "", "f[?] | OB0606"},
        {"Concat", 13, "f[4611686018427387903]; f[1]", "axis=0", "f[?] | OB0606"},
        {"Expand", 13, "f[1]; i[3]={1099511627776,1099511627776,1}", "", "f[1099511627776,1099511627776,1] | OB0606"},
        {"Expand", 13, "f[1]; i[3]={1099511627776,0,1}", "", "f[1099511627776,0,1]"},
        {"ConstantOfShape", 9, "i[2]={1152921504606846976,4}", "", "f[1152921504606846976,4] | OB0606"},
        {"MatMul", 13, "f[2147483648,1]; f[1,2147483648]", "", "f[2147483648,2147483648] | OB0606"},
    };
    RUN_CASES(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recurrent),  cmocka_unit_test(quantized), cmocka_unit_test(picking),
        cmocka_unit_test(along_axes), cmocka_unit_test(too_large), cmocka_unit_test(huge_attributes),
        cmocka_unit_test(attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
