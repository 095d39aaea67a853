# The steps of a plan; the instruction-set level depends on the processor.
printf '%s\n' '<ir_version: 8, opset_import: ["" : 18]>' \
    'g (float[N, 64] x) => (float[N, 64] y) <float b = {2}, int64[2] all = {-1, 64}> {' \
    '  s = Add(x, b)  r = Relu(s)  m = Softmax(r)  f = Reshape(m, all)  y = Mul(f, x) }' >plan.onnxtxt
"$run" plan.onnxtxt --random --dim N=8 --quiet --explain-plan | sed -E 's/ (baseline|avx2|avx512) +/ LEVEL /; s/ +$//'
