# One size without a name, and two outputs that declare it as another number each: warnings where it is checked, and no error
# where it is rewritten.
cat >two.onnxtxt <<'END'
<ir_version: 3, opset_import: ["" : 6]>
g (float[?] a, float[1] b) => (float[5] c, float[1] d) { c = Sum (a, b) d = Neg (a) }
END
"$check" two.onnxtxt -o out.onnx --emit expand
