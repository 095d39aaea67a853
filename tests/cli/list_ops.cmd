# The operators of two models, each once, for a build with no others; a third one cannot be read.
printf '%s\n' '<ir_version: 8, opset_import: ["" : 13]>' \
    'g (float[N, 4] x) => (float[N, 4] y) { s = Add(x, x)  y = Relu(s) }' >first.onnxtxt
printf '%s\n' '<ir_version: 8, opset_import: ["" : 18]>' \
    'g (int64[N] x) => (int64[N] y) { s = Add(x, x)  y = Neg(s) }' >second.onnxtxt
"$run" --list-ops first.onnxtxt second.onnxtxt | tail -n +2
"$run" first.onnxtxt second.onnxtxt
"$run" --list-ops first.onnxtxt third.onnxtxt
