cat >m.onnxtxt <<'M'
<ir_version: 8, opset_import: ["" : 17]>
g (float[batch,3] x, float[batch,1] s) => (float[batch,3] y) <float[3] bias = {1, 2, 3}> {
  scaled = Mul(s, x)
  y = Add(scaled, bias)
}
M
"$check" --quiet -o fitted.onnxtxt --emit target:tosa-8k m.onnxtxt && sed -n '/^g/,$p' fitted.onnxtxt
"$check" --quiet -o fitted.onnxtxt --emit target:stablehlo m.onnxtxt && sed -n '/^g/,$p' fitted.onnxtxt
"$check" --quiet -o fitted.onnxtxt --emit target:onnx-opset-1-6 m.onnxtxt && sed -n '/^g/,$p' fitted.onnxtxt
