/* Shape rules of elementwise and broadcasting operators. */
#include "infer_case.h"

static void broadcasting_is_multidirectional(void **state) {
    (void)state;
    static const char *const operators[] = {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Mean", "Sum"};
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        const infer_case cases[] = {
            {operators[i], 13, "f[2,3,4]; f[3,1]", "", "f[2,3,4]"},
            {operators[i], 13, "f[]; f[0,1]", "", "f[0,1]"},
            {operators[i], 13, "f[N,1]; f[1,M]", "", "f[N,M]"},
            {operators[i], 13, "f[2]; f[3]", "", "f[?] | OB0101"},
            {operators[i], 13, "f[0]; f[2]", "", "f[?] | OB0101"},
            {operators[i], 13, "f[N]; f[5]", "", "f[5] | OB0201 N = 1 or N = 5"},
            {operators[i], 13, "f[N]; f[M]", "", "f[bcast(N, M)] | OB0201 M = N or M = 1 or N = 1"},
            {operators[i], 13, "f[...]; f[5]", "", "f[...]"},
            {operators[i], 13, "f[?]; f[5]", "", "f[5]"},
            {operators[i], 13, "f[2]; d[2]", "", operators[i][0] == 'P' ? "f[2]" : "unknown | OB0604"},
        };
        RUN_CASES(cases);
    }
    static const infer_case others[] = {
        {"And", 7, "b[2,1]; b[3]", "", "b[2,3]"},
        {"Equal", 13, "f[2,1]; f[3]", "", "b[2,3]"},
        {"Where", 16, "b[4,1,1]; f[3,1]; f[2]", "", "f[4,3,2]"},
        {"Where", 16, "b[2]; f[3]; f[]", "", "f[?] | OB0101"},
        {"BitShift", 11, "u[2,1]; u[3]", "direction=LEFT", "u[2,3]"},
        {"Sum", 6, "f[2,3]; f[2,3]", "", "f[2,3]"},
        {"Sum", 6, "f[2,3]; f[3]", "", "f[2,3] | OB0601"},
        {"Sum", 13, "f[N,1,4]; f[1,M,1]; f[]", "", "f[N,M,4]"},
        {"Sum", 13, "f[?,1,4]; f[4]; f[1,4]", "", "f[?,1,4]"},
        {"Not", 1, "f[2]", "", "unknown | OB0604"},
        {"Add", 13, "f[2]", "", "unknown | OB0603"},
    };
    RUN_CASES(others);
}

static void legacy_broadcasting_needs_its_attributes(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Add", 6, "f[2,3,4,5]; f[2,3,4,5]", "", "f[2,3,4,5]"},
        {"Add", 6, "f[2,3,4,5]; f[5]", "", "f[2,3,4,5] | OB0105"},
        {"Add", 6, "f[2,3,4,5]; f[5]", "broadcast=1", "f[2,3,4,5]"},
        {"Add", 6, "f[2,3,4,5]; f[4,5]", "broadcast=1", "f[2,3,4,5]"},
        {"Add", 6, "f[2,3,4,5]; f[3,4]", "broadcast=1 axis=1", "f[2,3,4,5]"},
        {"Add", 6, "f[2,3,4,5]; f[3,4]", "broadcast=1 axis=-3", "f[2,3,4,5]"},
        {"Add", 6, "f[2,3,4,5]; f[2]", "broadcast=1 axis=0", "f[2,3,4,5]"},
        {"Add", 6, "f[2,3,4,5]; f[3,4]", "broadcast=1", "f[2,3,4,5] | OB0105 | OB0105"},
        {"Add", 6, "f[2,3,4,5]; f[3]", "broadcast=1 axis=0", "f[2,3,4,5] | OB0105"},
        {"Add", 6, "f[2,3,4,5]; f[5]", "broadcast=1 axis=4", "f[2,3,4,5] | OB0105"},
        {"Less", 1, "f[2,3]; f[3]", "broadcast=1", "b[2,3]"},
        {"Add", 6, "f[]; f[]", "broadcast=1", "f[]"},
    };
    RUN_CASES(cases);
}

static void prelu_slope_stretches_one_way(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"PRelu", 16, "f[1,64,8,8]; f[64,1,1]", "", "f[1,64,8,8]"},
        {"PRelu", 16, "f[1,64,8,8]; f[64]", "", "f[1,64,8,8] | OB0102"},
        {"PRelu", 16, "f[8]; f[1,8]", "", "f[8] | OB0102"},
        {"PRelu", 16, "f[2,3]; f[]", "", "f[2,3]"},
        {"PRelu", 16, "f[2,C]; f[5]", "", "f[2,C] | OB0201 5 = C"},
        {"PRelu", 6, "f[1,64,8,8]; f[64]", "", "f[1,64,8,8]"},
        {"PRelu", 6, "f[1,64,8,8]; f[1]", "", "f[1,64,8,8]"},
        {"PRelu", 6, "f[1,64,8,8]; f[8]", "", "f[1,64,8,8] | OB0102"},
    };
    RUN_CASES(cases);
}

static void conversions_set_the_type(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Cast", 13, "f[N,2]", "to=7", "i[N,2]"},
        {"Cast", 1, "f[N,2]", "to=INT64", "i[N,2]"},
        {"Cast", 13, "f[2]", "", ".[2] | OB0602"},
        {"Cast", 13, "i[2]={3,N}", "to=6", "j[2]={3,N}"},
        {"Cast", 13, "i[2]={3,0}", "to=9", "b[2]={1,0}"},
        {"Cast", 25, "f[2]", "to=26", ".[2]"},
        {"Cast", 22, "f[2]", "to=26", ".[2] | OB0604"},
        {"Cast", 6, "f[2]", "to=8", "s[2] | OB0604"},
        {"CastLike", 15, "f[2]; j[7]", "", "j[2]"},
        {"BitCast", 26, "f[2,N]", "to=6", "j[2,N]"},
        {"BitCast", 26, "i[2]={1,N}", "to=11", "d[2]"},
        {"BitCast", 26, "f[2]", "to=7", "i[2] | OB0604"},
        {"BitCast", 26, "f[2]", "", ".[2] | OB0602"},
        {"Clip", 13, "f[2,N]; f[]; f[]", "", "f[2,N]"},
        {"Clip", 13, "f[2,N]; -; f[2]", "", "f[2,N] | OB0601"},
        {"Clip", 13, "i[3]={1,5,9}; i[]={2}; i[]={7}", "", "i[3]={2,5,7}"},
        {"IsNaN", 13, "f[2]", "", "b[2]"},
        {"Softmax", 13, "f[2,3]", "axis=2", "f[2,3] | OB0602"},
        {"Softmax", 13, "f[2,3]", "axis=-2", "f[2,3]"},
        {"InstanceNormalization", 6, "f[2,3,4]; f[3]; f[4]", "", "f[2,3,4] | OB0601"},
    };
    RUN_CASES(cases);
}

static void explicit_broadcasts(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Expand", 13, "f[3,1]; i[3]={2,1,6}", "", "f[2,3,6]"},
        {"Expand", 13, "f[3,4]; i[2]={3,1}", "", "f[3,4]"},
        {"Expand", 13, "f[3]; i[0]={}", "", "f[3]"},
        {"Expand", 13, "f[3]; i[1]={4}", "", "f[?] | OB0103"},
        {"Expand", 13, "f[3]; i[1]={-1}", "", "f[3] | OB0103"},
        {"Expand", 13, "f[1]; i[2]={N,M}", "", "f[N,M]"},
        {"Expand", 13, "f[3]; i[2]={N,M}", "", "f[N,3]"}, /* a note: M is not a size of an input */
        {"Expand", 13, "f[M]; i[2]={N,3}", "", "f[N,3] | OB0201 M = 1 or M = 3"},
        {"Expand", 13, "f[3,1]; i[3]", "", "f[?,3,?]"},
        {"Expand", 13, "f[3]; i[?]", "", "f[...]"},
        {"Expand", 13, "i[1]={7}; i[1]={3}", "", "i[3]={7,7,7}"},
        {"onnx_broadcast:Broadcast", 1, "f[2,1]; i[3]; b[]", "", "f[2,3]; i[2,3]; b[2,3]"},
        {"onnx_broadcast:Broadcast", 1, "f[2]; i[3]", "", "f[?]; i[?] | OB0101"},
        {"onnx_broadcast:Broadcast", 1, "f[2]", "", "unknown; unknown | OB0603"},
        {"onnx_broadcast:BroadcastInDim", 1, "f[3]", "broadcast_dimensions=[1] shape=[2,3,4]", "f[2,3,4]"},
        {"onnx_broadcast:BroadcastInDim", 1, "f[3]; i[2]={N,3}", "broadcast_dimensions=[1]", "f[N,3]"},
        {"onnx_broadcast:BroadcastInDim", 1, "f[3,2]", "broadcast_dimensions=[1,0] shape=[2,3]", "f[2,3] | OB0106"},
        {"onnx_broadcast:BroadcastInDim", 1, "f[3]", "broadcast_dimensions=[2] shape=[2,3]", "f[2,3] | OB0106"},
        {"onnx_broadcast:BroadcastInDim", 1, "f[3]", "broadcast_dimensions=[0] shape=[2,3]", "f[2,3] | OB0101"},
        {"onnx_broadcast:BroadcastInDim", 1, "f[3]", "broadcast_dimensions=[0]", "f[...] | OB0602"},
        {"onnx_broadcast:BroadcastInDim", 1, "f[]", "broadcast_dimensions=[] shape=[0,1]", "f[0,1]"},
    };
    RUN_CASES(cases);
}

/* Shape arithmetic: ONNX integers truncate, floats keep only what is exact. */
static void contents_follow_arithmetic(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Add", 14, "i[2]={1,N}; i[]={2}", "", "i[2]={3,N + 2}"},
        {"Sub", 14, "i[]={N}; i[]={N}", "", "i[]={0}"},
        {"Mul", 14, "i[2]={N,0}; i[2]={3,?}", "", "i[2]={3*N,0}"},
        {"Div", 14, "i[2]={7,-7}; i[]={2}", "", "i[2]={3,-3}"},
        {"Div", 14, "i[1]={N}; i[1]={2}", "", "i[1]={floor(N/2)}"},
        {"Div", 14, "i[1]={N}; i[1]={0}", "", "i[1]={?} | OB0601"},
        {"Div", 14, "f[2]={6,7}; f[]={2}", "", "f[2]={3,?}"},
        {"Mod", 13, "i[2]={-7,7}; i[]={3}", "", "i[2]={2,1}"},
        {"Mod", 13, "i[2]={-7,7}; i[]={3}", "fmod=1", "i[2]={-1,1}"},
        {"Max", 13, "i[2]={2,N}; i[2]={5,0}", "", "i[2]={5,N}"},
        {"Min", 13, "i[2]={2,N}; i[2]={5,3}", "", "i[2]={2,min(N, 3)}"},
        {"Equal", 13, "i[4]={1,N,N,N}; i[4]={1,-1,N,2}", "", "b[4]={1,0,1,N - min(2*max(N, 2), N + 3) + 3}"},
        {"Less", 13, "i[2]={1,N}; i[2]={2,0}", "", "b[2]={1,0}"},
        {"Greater", 13, "i[2]={1,N}; i[2]={2,-1}", "", "b[2]={0,1}"},
        {"And", 7, "b[2]={0,1}; b[2]={?,?}", "", "b[2]={0,?}"},
        {"Or", 7, "b[2]={0,1}; b[2]={?,?}", "", "b[2]={?,1}"},
        {"Where", 16, "b[3]={1,0,?}; i[3]={N,N,N}; i[3]={2,2,N}", "", "i[3]={N,2,N}"},
        {"Add", 14, "i[0]={}; i[1]={5}", "", "i[0]={}"},
        {"Add", 14, "i[2,1]={1,2}; i[3]={10,20,30}", "", "i[2,3]={11,21,31,12,22,32}"},
        {"Add", 14, "i[1]={4611686018427387903}; i[1]={-5}", "", "i[1]={?}"}, /* represents all larger numbers */
        {"Add", 13, "j[1]={2147483647}; j[1]={1}", "", "j[1]={-2147483648}"},
        {"Less", 13, "i[1]={5}; i[1]={4611686018427387903}", "", "b[1]={1}"},
        {"Equal", 13, "i[1]={4611686018427387903}; i[1]={4611686018427387903}", "", "b[1]={?}"},
        {"CumSum", 14, "j[2]={2147483647,1}; i[]={0}", "", "j[2]={2147483647,-2147483648}"},
        {"Neg", 13, "i[2]={3,N}", "", "i[2]={-3,-N}"},
        {"Abs", 13, "i[2]={-3,N}", "", "i[2]={3,N}"},
        {"Not", 1, "b[2]={0,1}", "", "b[2]={1,0}"},
        {"Sqrt", 13, "f[2]={16,15}", "", "f[2]={4,?}"},
        {"CumSum", 14, "i[3]={1,N,3}; i[]={0}", "", "i[3]={1,N + 1,N + 4}"},
        {"CumProd", 26, "i[3]={1,N,3}; i[]={0}", "", "i[3]"},
        {"CumSum", 14, "i[3]={1,2,3}; i[]={0}", "exclusive=1 reverse=1", "i[3]={5,3,0}"},
        {"ScatterND", 16, "i[3]={1,2,3}; i[1,1]={-1}; i[1]={N}", "", "i[3]={1,2,N}"},
        {"ScatterElements", 16, "i[3]={1,2,3}; i[2]={0,2}; i[2]={7,8}", "", "i[3]={7,2,8}"},
    };
    RUN_CASES(cases);
}

static void types_of_the_version(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Erf", 9, "j[2]", "", "j[2]"},
        {"Erf", 13, "j[2]", "", "unknown | OB0604"},
        {"Range", 11, "h[]; h[]; h[]", "", "unknown | OB0604"},
        {"Range", 27, "h[]; h[]; h[]", "", "h[?]"},
        {"RotaryEmbedding", 23, "d[1,2,3,4]; d[5,2]; d[5,2]", "", "unknown | OB0604"},
    };
    RUN_CASES(cases);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broadcasting_is_multidirectional),
        cmocka_unit_test(legacy_broadcasting_needs_its_attributes),
        cmocka_unit_test(prelu_slope_stretches_one_way),
        cmocka_unit_test(conversions_set_the_type),
        cmocka_unit_test(explicit_broadcasts),
        cmocka_unit_test(contents_follow_arithmetic),
        cmocka_unit_test(types_of_the_version),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
