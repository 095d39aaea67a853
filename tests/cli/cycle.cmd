printf "%s\n" "<ir_version: 8, opset_import: [\"\" : 17]>" "g (float[2] x) => (float[2] y) {" "  [a] a = Add (x, b)" "  [b] b = Neg (a)" "  y = Neg (b)" "}" > bad.onnxtxt; "$check" bad.onnxtxt -o out.onnx; status=$?
[ ! -e out.onnx ] || echo "out.onnx was written"
exit $status
