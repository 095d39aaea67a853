/* Shape rules of operators that read shapes, rearrange, cut, join and select. */
#include "infer_case.h"

static void reshape_and_kin(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Reshape", 14, "f[2,3,4]; i[2]={4,6}", "", "f[4,6]"},
        {"Reshape", 14, "f[2,3,4]; i[2]={0,-1}", "", "f[2,12]"},
        {"Reshape", 14, "f[N,3,4]; i[2]={0,-1}", "", "f[N,12] | OB0203 N >= 1"},
        {"Reshape", 14, "f[N,3,4]; i[2]={-1,4}", "", "f[3*N,4]"},
        {"Reshape", 14, "f[N,H,W]; i[2]={N,-1}", "", "f[N,H*W] | OB0203 N >= 1"},
        {"Reshape", 14, "f[2,3]; i[2]={4,-1}", "", "f[4,?] | OB0601"},
        {"Reshape", 14, "f[2,3]; i[1]={5}", "", "f[5] | OB0601"},
        {"Reshape", 14, "f[N,3,4]; i[2]={1,12}", "", "f[1,12] | OB0203 N = 1"},
        {"Reshape", 14, "f[N,3]; i[2]={N,4}", "", "f[N,4] | OB0203 3*N = 4*N"}, /* for N = 0 */
        {"Reshape", 14, "f[2,3]; i[2]={-1,-1}", "", "f[?,?] | OB0601"},
        {"Reshape", 14, "f[2,3]; i[2]", "", "f[?,?]"},
        {"Reshape", 14, "f[2,3]; i[?]", "", "f[...]"},
        {"Reshape", 14, "f[2,0]; i[2]={0,-1}", "", "f[2,0]"},
        {"Reshape", 14, "f[0,3]; i[2]={3,0}", "allowzero=1", "f[3,0]"},
        {"Reshape", 14, "f[1]; i[0]={}", "", "f[]"},
        {"Reshape", 1, "f[2,3]", "shape=[3,2]", "f[3,2]"},
        {"Reshape", 14, "i[2]={N,3}; i[2]={2,1}", "", "i[2,1]={N,3}"},
        {"Flatten", 13, "f[2,3,4]", "", "f[2,12]"},
        {"Flatten", 13, "f[2,3,4]", "axis=0", "f[1,24]"},
        {"Flatten", 13, "f[N,3,4]", "axis=-1", "f[3*N,4]"},
        {"Flatten", 13, "f[2]", "axis=2", "f[?,?] | OB0602"},
        {"Squeeze", 13, "f[1,N,1]", "", "f[...]"},
        {"Squeeze", 13, "f[1,3,1]", "", "f[3]"},
        {"Squeeze", 13, "f[1,N,1]; i[2]={0,-1}", "", "f[N]"},
        {"Squeeze", 11, "f[2,1]", "axes=[0]", "f[1] | OB0601"},
        {"Squeeze", 13, "f[1,2,3]; i[1]", "", "f[?,?]"},
        {"Squeeze", 13, "i[1]={N}; i[1]={0}", "", "i[]={N}"},
        {"Unsqueeze", 13, "f[2,N]; i[2]={0,-1}", "", "f[1,2,N,1]"},
        {"Unsqueeze", 11, "f[]", "axes=[0]", "f[1]"},
        {"Unsqueeze", 13, "f[2]; i[1]={3}", "", "f[...] | OB0602"},
        {"Transpose", 13, "f[2,N,4]", "", "f[4,N,2]"},
        {"Transpose", 13, "f[2,N,4]", "perm=[1,0,2]", "f[N,2,4]"},
        {"Transpose", 13, "f[2,3]", "perm=[0,0]", "f[?,?] | OB0602"},
        {"Transpose", 13, "i[2,3]={1,2,3,4,5,6}", "", "i[3,2]={1,4,2,5,3,6}"},
        {"Identity", 16, "i[1]={N}", "", "i[1]={N}"},
    };
    RUN_CASES(cases);
}

static void shapes_become_contents(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Shape", 13, "f[2,N,4]", "", "i[3]={2,N,4}"},
        {"Shape", 15, "f[2,N,4]", "start=1", "i[2]={N,4}"},
        {"Shape", 15, "f[2,N,4]", "start=-1 end=99", "i[1]={4}"},
        {"Shape", 15, "f[2,N,4]", "start=2 end=1", "i[0]={}"},
        {"Shape", 13, "f[]", "", "i[0]={}"},
        {"Shape", 13, "f[...]", "", "i[?]"},
        {"Size", 13, "f[2,N,4]", "", "i[]={8*N}"},
        {"Size", 13, "f[]", "", "i[]={1}"},
        {"Size", 13, "f[N,0]", "", "i[]={0}"},
        {"ConstantOfShape", 9, "i[2]={N,3}", "", "f[N,3]"},
        {"ConstantOfShape", 9, "i[0]={}", "", "f[]={0}"},
        {"ConstantOfShape", 9, "i[1]={-1}", "", "f[?] | OB0601"},
        {"Range", 11, "i[]={0}; i[]={N}; i[]={1}", "", "i[N]"},
        {"Range", 11, "i[]={1}; i[]={7}; i[]={2}", "", "i[3]={1,3,5}"},
        {"Range", 11, "i[]={5}; i[]={0}; i[]={-2}", "", "i[3]={5,3,1}"},
        {"Range", 11, "i[]={5}; i[]={0}; i[]={1}", "", "i[0]={}"},
        /* contents saturate at 2^62 - 1 */
        {"Range", 11, "i[]={4611686018427387903}; i[]={4611686018427387903}; i[]={1}", "", "i[?]"},
        {"Range", 11, "i[]={-4611686018427387903}; i[]={-4611686018427387903}; i[]={-1}", "", "i[?]"},
        {"Range", 11, "i[]={0}; i[]={3}; i[]={4611686018427387903}", "", "i[?]"},
        {"Range", 11, "i[]={4611686018427387900}; i[]={4611686018427387902}; i[]={1}", "",
         "i[2]={4611686018427387900,4611686018427387901}"},
        {"Neg", 13, "i[1]={-4611686018427387903}", "", "i[1]"},
        {"Abs", 13, "i[1]={-4611686018427387903}", "", "i[1]"},
        {"Range", 11, "i[]={0}; i[]; i[]={1}", "", "i[?]"},
        {"EyeLike", 9, "f[2,3]", "dtype=7", "i[2,3]"},
        {"EyeLike", 9, "f[2]", "", "f[2] | OB0601"},
        {"Constant", 13, "", "value_ints=[3,-1]", "i[2]={3,-1}"},
        {"Constant", 13, "", "value_int=4", "i[]={4}"},
        {"Constant", 13, "", "value_string=x", "s[]"},
        {"Constant", 13, "", "", "unknown | OB0602"},
    };
    RUN_CASES(cases);
}

static void cut_and_join(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Concat", 13, "f[2,3]; f[4,3]; f[N,3]", "axis=0", "f[N + 6,3]"},
        {"Concat", 13, "f[2,3]; f[2,4]", "axis=-1", "f[2,7]"},
        {"Concat", 13, "f[2,3]; f[3,3]", "axis=1", "f[2,6] | OB0601"},
        {"Concat", 13, "f[2,3]; f[3]", "axis=0", "f[...] | OB0601"},
        {"Concat", 13, "f[N,3]; f[M,3]", "axis=1", "f[N,6] | OB0203 M = N"},
        {"Concat", 13, "f[?,3]; f[5,3]", "axis=1", "f[5,6]"},
        {"Concat", 13, "f[2]; f[0]", "axis=0", "f[2]"},
        {"Concat", 13, "i[1]={N}; i[2]={3,?}", "axis=0", "i[3]={N,3,?}"},
        {"Concat", 3, "f[2,3]; f[2,1]", "", "f[2,4]"},
        {"Concat", 13, "f[2]; f[2]", "axis=1", "f[?] | OB0602"},
        {"Split", 13, "f[6,2]", "axis=0", "f[3,2]; f[3,2]"},
        {"Split", 13, "f[6,2]; i[2]={2,4}", "axis=0", "f[2,2]; f[4,2]"},
        {"Split", 13, "f[6,2]; i[2]={2,5}", "axis=0", "f[2,2]; f[5,2] | OB0601"},
        {"Split", 11, "f[6,2]", "split=[1,2,3]", "f[1,2]; f[2,2]; f[3,2]"},
        {"Split", 2, "f[7]", "", "f[3]; f[3] | OB0601"},
        {"Split", 18, "f[7]", "num_outputs=3", "f[3]; f[3]; f[1]"},
        {"Split", 13, "f[N,2]; i[2]={1,2}", "", "f[1,2]; f[2,2] | OB0203 N = 3"},
        {"Split", 13, "f[0]; i[2]={0,0}", "", "f[0]; f[0]"},
        {"Split", 13, "i[3]={N,2,3}; i[2]={1,2}", "", "i[1]={N}; i[2]={2,3}"},
        {"Slice", 13, "f[10,N]; i[1]={2}; i[1]={8}", "", "f[6,N]"},
        {"Slice", 13, "f[10,N]; i[1]={-3}; i[1]={99}; i[1]={0}", "", "f[3,N]"},
        {"Slice", 13, "f[10]; i[1]={-1}; i[1]={-99}; i[1]={0}; i[1]={-2}", "", "f[5]"},
        {"Slice", 13, "f[10]; i[1]={5}; i[1]={2}", "", "f[0]"},
        {"Slice", 13, "f[N]; i[1]={0}; i[1]={4611686018427387903}", "", "f[N]"},
        {"Slice", 13, "f[N]; i[1]={0}; i[1]={3}", "", "f[min(N, 3)]"},
        {"Slice", 13, "f[N,4]; i[1]={1}; i[1]={3}; i[1]={1}; i[1]={0}", "", "f[N,?] | OB0601"},
        {"Slice", 13, "f[N,4]; i[2]; i[2]", "", "f[?,?]"},
        {"Slice", 1, "f[10,4]", "starts=[1,0] ends=[3,-1]", "f[2,3]"},
        {"Slice", 1, "f[10,4]", "starts=[1] ends=[3] axes=[1]", "f[10,2]"},
        {"Slice", 1, "f[10,4]", "starts=[1] ends=[3,4]", "f[?,?] | OB0602"},
        {"Slice", 13, "i[4]={1,N,3,4}; i[1]={1}; i[1]={3}", "", "i[2]={N,3}"},
        {"Slice", 13, "i[4]={1,N,3,4}; i[1]={-1}; i[1]={-9}; i[1]={0}; i[1]={-2}", "", "i[2]={4,N}"},
        {"Pad", 13, "f[2,N]; i[4]={0,1,0,2}", "", "f[2,N + 3]"},
        {"Pad", 13, "f[2,N]; i[3]={0,1,0}", "", "f[?,?] | OB0601"},
        {"Pad", 18, "f[2,N]; i[2]={1,2}; f[]; i[1]={-1}", "", "f[2,N + 3]"},
        {"Pad", 2, "f[2,3]", "pads=[0,-1,0,-1]", "f[2,1]"},
        {"Pad", 1, "f[2,3]", "paddings=[1,0,1,0]", "f[4,3]"},
        {"Pad", 2, "f[2,3]", "pads=[0,-2,0,-2]", "f[2,?] | OB0601"},
        {"Tile", 13, "f[2,N]; i[2]={3,2}", "", "f[6,2*N]"},
        {"Tile", 13, "f[2,N]; i[1]={3}", "", "f[...] | OB0601"},
        {"Tile", 1, "f[2,3]; f[1]={4}; f[1]={1}", "", "f[2,12]"},
        {"Tile", 13, "i[1]={N}; i[1]={3}", "", "i[3]={N,N,N}"},
        {"DepthToSpace", 13, "f[N,8,2,3]", "blocksize=2", "f[N,2,4,6]"},
        {"DepthToSpace", 13, "f[N,7,2,3]", "blocksize=2", "f[N,1,4,6] | OB0601"},
        {"SpaceToDepth", 13, "f[N,2,4,6]", "blocksize=2", "f[N,8,2,3]"},
        {"CenterCropPad", 18, "f[20,10,3]; i[2]={10,N}", "axes=[0,1]", "f[10,N,3]"},
    };
    RUN_CASES(cases);
}

static void pick(void **state) {
    (void)state;
    static const infer_case cases[] = {
        {"Gather", 13, "f[5,N]; i[2,3]", "", "f[2,3,N]"},
        {"Gather", 13, "f[5,N]; i[]", "axis=1", "f[5] | OB0203 N >= 1"},
        {"Gather", 13, "f[]; i[]", "", "f[...] | OB0601"},
        {"Gather", 13, "f[5]; i[2]", "axis=1", "f[...] | OB0602"},
        {"Gather", 13, "i[3]={1,N,3}; i[]={1}", "", "i[]={N}"},
        {"Gather", 13, "i[3]={1,N,3}; i[2]={-1,0}", "", "i[2]={3,1}"},
        {"Gather", 13, "i[3]={1,N,3}; i[]={3}", "", "i[] | OB0601"},
        {"GatherElements", 13, "f[5,N]; i[2,3]", "", "f[2,3] | OB0203 N >= 3"},
        {"GatherElements", 13, "f[5,N]; i[2]", "", "f[...] | OB0601"},
        {"GatherND", 13, "f[2,3,4]; i[5,2]", "", "f[5,4]"},
        {"GatherND", 13, "f[2,3,4]; i[2,1]", "batch_dims=1", "f[2,4]"},
        {"GatherND", 13, "f[2,3]; i[5,3]", "", "f[...] | OB0601"},
        {"ScatterElements", 18, "f[3,N]; i[2,2]; f[2,2]", "axis=-1", "f[3,N] | OB0203 N >= 1"},
        {"ScatterElements", 18, "f[3,N]; i[2,2]; f[2,3]", "", "f[3,N] | OB0601 | OB0203 N >= 2"},
        {"ScatterElements", 18, "f[3,N]; i[2]; f[2]", "", "f[3,N] | OB0601"},
        {"ScatterElements", 18, "f[3]; i[2]; f[2]", "axis=1", "f[3] | OB0602"},
        {"ScatterND", 18, "f[4,5,N]; i[2,1]; f[2,5,N]", "", "f[4,5,N]"},
        {"ScatterND", 18, "f[4,5,6]; i[2,1]; f[2,5]", "", "f[4,5,6] | OB0601"},
        {"ScatterND", 18, "f[4]; i[2,2]; f[2]", "", "f[4] | OB0601"},
        {"OneHot", 11, "i[2,N]; i[]={7}; f[2]", "", "f[2,N,7]"},
        {"OneHot", 11, "i[2,N]; i[]; f[2]", "axis=0", "f[?,2,N]"},
        {"NonZero", 13, "f[2,3]", "", "i[2,?]"},
        {"Compress", 11, "f[2,3]; b[3]", "axis=1", "f[2,?]"},
        {"Compress", 11, "f[2,3]; b[3]={1,0,1}", "axis=1", "f[2,2]"},
        {"Compress", 11, "f[2,3]; b[3]", "", "f[?]"},
        {"Unique", 11, "f[2,3]", "", "f[?]; i[?]; i[6]; i[?]"},
        {"Unique", 11, "f[2,N]", "axis=1", "f[2,?]; i[?]; i[N]; i[?]"},
        {"TopK", 11, "f[2,N]; i[1]={1}", "", "f[2,1]; i[2,1] | OB0203 N >= 1"},
        {"TopK", 11, "f[2,9]; i[1]={4}", "axis=-1", "f[2,4]; i[2,4]"},
        {"TopK", 11, "f[2,3]; i[1]={4}", "", "f[2,4]; i[2,4] | OB0601"},
        {"TopK", 1, "f[2,9]", "k=3 axis=1", "f[2,3]; i[2,3]"},
        {"NonMaxSuppression", 11, "f[1,6,4]; f[1,1,6]; i[1]; f[1]; f[1]", "", "i[?,3]"},
    };
    RUN_CASES(cases);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reshape_and_kin), cmocka_unit_test(shapes_become_contents),
                                       cmocka_unit_test(cut_and_join), cmocka_unit_test(pick)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
