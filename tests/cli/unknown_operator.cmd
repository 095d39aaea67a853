printf "%s\n" "<ir_version: 8, opset_import: [\"\" : 17]>" "g (float[2] x) => (float[2] y) {" "  [odd] t = Frobnicate (x)" "  [add] y = Add (t, x)" "}" > odd.onnxtxt; "$check" odd.onnxtxt
