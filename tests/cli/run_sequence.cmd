# A sequence and an optional that one model gives go into another one, from files.
printf '%s\n' '<ir_version: 8, opset_import: ["" : 18]>' \
    'g () => (s, o) <float[3] a = {1, 2, 3}, float[2] b = {4, 5}> { s = SequenceConstruct(a, b, a)  o = Optional(s) }' >first.onnxtxt
printf '%s\n' '<ir_version: 8, opset_import: ["" : 18]>' \
    'g (seq(float[]) s, optional(seq(float[])) o, int64 i) => (r, h, p) { t = SequenceErase(s, i)  r = SequenceErase(t)  h = OptionalHasElement(o)  p = Identity(o) }' >second.onnxtxt
"$run" first.onnxtxt --output-dir out --npy
ls out
"$run" --random second.onnxtxt --input s=out/output_0.pb --input o=out/output_1.pb --output-dir again --quiet
"$run" --random second.onnxtxt --input s=out/output_0.pb --input o=out/output_1.pb --expect again
"$run" --random second.onnxtxt --input s=out/output_0.pb --expect again
echo "status $?"
"$run" --random second.onnxtxt --input o=out/output_1.pb
echo "status $?"
"$run" --random second.onnxtxt --input s=out/output_1.pb
echo "status $?"
